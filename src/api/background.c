/* A queue of jobs, and the threads that do them: as many as there is work for, up to four, which
 * begin with the first job and end with the context. */
#include "api/background.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"

enum { MOST_THREADS = 4 };

typedef struct ApiBackground {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	ApiJob *first, **last;
	ApiJob *running[MOST_THREADS];
	pthread_t threads[MOST_THREADS];
	unsigned count, idle, most;
	bool ends;
	pid_t pid;
} ApiBackground;

typedef struct Worker {
	ApiBackground *queue;
	unsigned number;
} Worker;

static void *work(void *data)
{
	const Worker worker = *(const Worker *)data;
	ApiBackground *q = worker.queue;
	free(data);
	pthread_mutex_lock(&q->lock);
	while (!q->ends) {
		ApiJob *job = q->first;
		if (!job) {
			q->idle++;
			pthread_cond_wait(&q->work, &q->lock);
			q->idle--;
			continue;
		}
		q->first = job->next;
		if (!q->first)
			q->last = &q->first;
		q->running[worker.number] = job;
		pthread_mutex_unlock(&q->lock);
		job->run(job);
		pthread_mutex_lock(&q->lock);
		q->running[worker.number] = NULL;
		pthread_cond_broadcast(&q->done);
		pthread_mutex_unlock(&q->lock);
		job->free(job);
		pthread_mutex_lock(&q->lock);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* Signals are for the program's own threads. */
static bool start_thread(ApiBackground *q)
{
	sigset_t all, before;
	Worker *worker = malloc(sizeof *worker);
	if (!worker)
		return false;
	*worker = (Worker){q, q->count};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool good = pthread_create(&q->threads[q->count], NULL, work, worker) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (good)
		q->count++;
	else
		free(worker);
	return good;
}

static ApiBackground *queue_new(void)
{
	ApiBackground *q = calloc(1, sizeof *q);
	if (!q)
		return NULL;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->work, NULL);
	pthread_cond_init(&q->done, NULL);
	q->last = &q->first;
	q->most = MIN(os_cpu_count(), (unsigned)MOST_THREADS);
	q->pid = getpid();
	return q;
}

/* That of this process; one that a parent had is left as it was, as its threads are not here. */
static ApiBackground *queue_of(neso_context *context, bool make)
{
	ApiBackground *q = atomic_load(&context->background);
	const bool mine = q && q->pid == getpid();
	if (mine || !make)
		return mine ? q : NULL;
	ApiBackground *fresh = queue_new();
	if (fresh && !atomic_compare_exchange_strong(&context->background, &q, fresh)) {
		free(fresh);
		return q;
	}
	return fresh;
}

bool api_background_add(neso_context *context, ApiJob *job)
{
	ApiBackground *q = queue_of(context, true);
	if (!q)
		return false;
	pthread_mutex_lock(&q->lock);
	unsigned waiting = 1;
	for (const ApiJob *j = q->first; j; j = j->next)
		waiting++;
	if (waiting > q->idle && q->count < q->most)
		start_thread(q);
	const bool good = q->count != 0;
	if (good) {
		job->next = NULL;
		*q->last = job;
		q->last = &job->next;
		pthread_cond_signal(&q->work);
	}
	pthread_mutex_unlock(&q->lock);
	return good;
}

/* Takes the job behind *at out of the queue. */
static ApiJob *take(ApiBackground *q, ApiJob **at)
{
	ApiJob *job = *at;
	*at = job->next;
	if (!*at)
		q->last = at;
	return job;
}

bool api_background_take(neso_context *context, ApiJob *job)
{
	ApiBackground *q = queue_of(context, false);
	bool found = false;
	if (!q)
		return false;
	pthread_mutex_lock(&q->lock);
	for (ApiJob **at = &q->first; *at && !found; at = found ? at : &(*at)->next)
		if (*at == job) {
			take(q, at);
			found = true;
		}
	pthread_mutex_unlock(&q->lock);
	return found;
}

static ApiJob *take_of(ApiBackground *q, const neso_module *module)
{
	for (ApiJob **at = &q->first; *at; at = &(*at)->next)
		if ((*at)->module == module)
			return take(q, at);
	return NULL;
}

static bool stop_running(ApiBackground *q, const neso_module *module)
{
	bool any = false;
	for (unsigned i = 0; i < q->count; i++)
		if (q->running[i] && q->running[i]->module == module) {
			atomic_store(&q->running[i]->stop, true);
			any = true;
		}
	return any;
}

void api_background_forget(const neso_module *module)
{
	ApiBackground *q = queue_of(module->context, false);
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	for (;;) {
		ApiJob *job = take_of(q, module);
		if (job) {
			pthread_mutex_unlock(&q->lock);
			job->drop(job);
			job->free(job);
			pthread_mutex_lock(&q->lock);
		} else if (stop_running(q, module)) {
			pthread_cond_wait(&q->done, &q->lock);
		} else {
			break;
		}
	}
	pthread_mutex_unlock(&q->lock);
}

void api_background_end(neso_context *context)
{
	ApiBackground *q = queue_of(context, false);
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->ends = true;
	pthread_cond_broadcast(&q->work);
	pthread_mutex_unlock(&q->lock);
	for (unsigned i = 0; i < q->count; i++)
		pthread_join(q->threads[i], NULL);
	pthread_cond_destroy(&q->work);
	pthread_cond_destroy(&q->done);
	pthread_mutex_destroy(&q->lock);
	free(q);
}
