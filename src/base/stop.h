/* When the work of a thread shall end before it is done: a time limit, and somebody who is asked.
 *
 * An entry point enters a Stop for as long as the work may be ended; they nest per thread, and each is looked
 * at. The end is a Fault (fault.h), raised once for each Stop: who catches it may go on, to say what happened. */
#ifndef NESO_BASE_STOP_H
#define NESO_BASE_STOP_H

#include "base/fault.h"

typedef bool StopAsk(void *data); /* false: stop */

typedef struct Stop {
	struct Stop *outer;
	double seconds;  /* the limit; 0: none */
	double deadline; /* os_now() */
	StopAsk *ask;    /* NULL: nobody */
	void *data;
	double next; /* when to ask again */
	bool ended;
} Stop;

void stop_enter(Stop *stop, double seconds, StopAsk *ask, void *data);
/* A fault that leaves the FAULT_TRY in which the Stop was entered leaves it too. */
void stop_leave(Stop *stop);

/* Raises FAULT_TIME when time is up. Wherever a fault may be raised. */
void stop_time(void);
/* The same, and asks, about every 50 ms: FAULT_STOPPED. Where the thread holds no lock that whoever is asked may want. */
void stop_point(void);
/* Seconds, at most `most`, that a wait may last before the next stop_point. */
double stop_wait(double most);
/* A StopAsk for another Stop of this thread's work: whether it may go on. Raises nothing. */
bool stop_goes_on(void *unused);
/* Seconds that are left; 0: no limit. */
double stop_left(void);

#endif
