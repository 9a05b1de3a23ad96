/* Ends of a thread's work: the innermost Stop, held beside the stack of landing points. */
#include "base/stop.h"

#include <float.h>

#include "base/os.h"

static const double pause = 0.05; /* seconds between two questions */

void stop_enter(Stop *stop, double seconds, StopAsk *ask, void *data)
{
	double now = os_now();
	*stop = (Stop){
		.outer = fault_stop(),
		.seconds = seconds,
		.deadline = seconds > 0 ? now + seconds : DBL_MAX,
		.ask = ask,
		.data = data,
		.next = now + pause,
	};
	fault_set_stop(stop);
}

void stop_leave(Stop *stop)
{
	ASSERT(fault_stop() == stop);
	fault_set_stop(stop->outer);
}

void stop_time(void)
{
	Stop *s = fault_stop();
	if (LIKELY(!s))
		return;
	for (double now = os_now(); s; s = s->outer) {
		if (s->ended || now < s->deadline)
			continue;
		s->ended = true;
		fault_raise(FAULT_TIME, "more than %g s", s->seconds);
	}
}

static bool wants_end(Stop *s, double now)
{
	if (!s->ask || s->ended || now < s->next)
		return false;
	s->next = now + pause;
	return !s->ask(s->data);
}

void stop_point(void)
{
	Stop *s = fault_stop();
	if (LIKELY(!s))
		return;
	stop_time();
	for (double now = os_now(); s; s = s->outer) {
		if (!wants_end(s, now))
			continue;
		s->ended = true;
		fault_raise(FAULT_STOPPED, "stopped");
	}
}

double stop_wait(double most)
{
	double now = os_now();
	for (const Stop *s = fault_stop(); s; s = s->outer) {
		if (s->ended)
			continue;
		most = MIN(most, MAX(s->deadline - now, 0));
		if (s->ask)
			most = MIN(most, pause);
	}
	return most;
}

bool stop_goes_on(void *unused)
{
	(void)unused;
	double now = os_now();
	for (Stop *s = fault_stop(); s; s = s->outer) {
		if (!s->ended && now >= s->deadline)
			return false;
		if (wants_end(s, now)) {
			s->next = now;
			return false;
		}
	}
	return true;
}

double stop_left(void)
{
	double least = DBL_MAX, now = os_now();
	for (const Stop *s = fault_stop(); s; s = s->outer)
		if (!s->ended)
			least = MIN(least, s->deadline);
	return least == DBL_MAX ? 0 : MAX(least - now, 1e-3);
}
