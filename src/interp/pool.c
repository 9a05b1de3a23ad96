/* Threads that launches share: one launch has a pool at a time, and another one that comes
 * meanwhile runs on its caller's thread alone. They are woken once a launch's work proves long. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "interp/run.h"

struct InterpPool {
	pthread_mutex_t lock;
	pthread_cond_t start, done;
	pthread_t *threads;
	unsigned count;    /* besides the caller */
	unsigned wanted;   /* threads that the job still takes */
	unsigned running;
	Launch *job;
	pid_t pid; /* whose the threads are: a child of a fork has none, and maybe a lock held by one */
	bool quit;
	_Atomic(bool) busy; /* a launch has the pool */
};

static void *pool_thread(void *data)
{
	InterpPool *pool = data;
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->quit && !pool->wanted)
			pthread_cond_wait(&pool->start, &pool->lock);
		if (pool->quit)
			break;
		pool->wanted--;
		pool->running++;
		Launch *job = pool->job;
		pthread_mutex_unlock(&pool->lock);
		launch_work(job, false, NULL);
		pthread_mutex_lock(&pool->lock);
		if (--pool->running == 0)
			pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

InterpPool *interp_pool_new(unsigned threads)
{
	if (!threads)
		threads = os_cpu_count();
	InterpPool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return NULL;
	pool->pid = getpid();
	pool->threads = calloc(threads, sizeof *pool->threads);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->start, NULL);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	for (unsigned k = 0; pool->threads && k + 1 < threads; k++) {
		if (pthread_create(&pool->threads[k], NULL, pool_thread, pool) != 0)
			break;
		pool->count++;
	}
	return pool;
}

static void end_threads(InterpPool *pool)
{
	pthread_mutex_lock(&pool->lock);
	CONTRACT(!pool->running);
	pool->quit = true;
	pthread_cond_broadcast(&pool->start);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned k = 0; k < pool->count; k++)
		pthread_join(pool->threads[k], NULL);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->start);
	pthread_cond_destroy(&pool->done);
}

void interp_pool_free(InterpPool *pool)
{
	if (!pool)
		return;
	if (pool->pid == getpid())
		end_threads(pool);
	free(pool->threads);
	free(pool);
}

/* Starts as many pool threads as are of use. */
static void wake_pool(Launch *l)
{
	InterpPool *pool = l->pool;
	uint64_t left = l->programs - MIN(atomic_load(&l->next), l->programs);
	unsigned helpers = (unsigned)MIN((uint64_t)l->helpers, left);
	if (!helpers)
		return;
	pthread_mutex_lock(&l->lock);
	l->active += helpers;
	pthread_mutex_unlock(&l->lock);
	pthread_mutex_lock(&pool->lock);
	CONTRACT(!pool->job && !pool->running);
	pool->job = l;
	pool->wanted = helpers;
	if (helpers == 1)
		pthread_cond_signal(&pool->start);
	else
		pthread_cond_broadcast(&pool->start);
	pthread_mutex_unlock(&pool->lock);
}

/* Waits until no pool thread works on the launch; helpers that never started are called off. */
static void join_pool(Launch *l)
{
	InterpPool *pool = l->pool;
	pthread_mutex_lock(&pool->lock);
	pool->wanted = 0;
	while (pool->running) {
		if (!l->in->poll) {
			pthread_cond_wait(&pool->done, &pool->lock);
			continue;
		}
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += (long)(LAUNCH_POLL_SECONDS * 1e9);
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&pool->done, &pool->lock, &until);
		pthread_mutex_unlock(&pool->lock);
		launch_poll(l);
		pthread_mutex_lock(&pool->lock);
	}
	CONTRACT(!pool->wanted);
	pool->job = NULL;
	pthread_mutex_unlock(&pool->lock);
}

static InterpPool *pool_of(Launch *l)
{
	if (l->in->pool)
		return l->in->pool;
	InterpKernel *kernel = (InterpKernel *)(uintptr_t)l->kernel;
	InterpPool *pool = atomic_load(&kernel->pool);
	if (pool)
		return pool;
	pool = interp_pool_new(l->in->threads);
	InterpPool *none = NULL;
	if (pool && !atomic_compare_exchange_strong(&kernel->pool, &none, pool)) {
		interp_pool_free(pool);
		pool = none;
	}
	return pool;
}

void launch_threads(Launch *l)
{
	CONTRACT(l->programs && l->active == 1);
	InterpPool *pool = l->programs > 1 && l->in->threads != 1 ? pool_of(l) : NULL;
	bool have = pool && pool->count && pool->pid == getpid() && !atomic_exchange(&pool->busy, true);
	if (!have) {
		launch_work(l, true, NULL);
		return;
	}
	l->pool = pool;
	l->helpers = l->in->threads ? MIN(pool->count, l->in->threads - 1) : pool->count;
	launch_work(l, true, wake_pool);
	join_pool(l);
	atomic_store(&pool->busy, false);
}
