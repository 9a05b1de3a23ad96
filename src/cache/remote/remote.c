/* Between a back end and the store: the breaker, counts; the queue has a file of its own.
 *
 * What a process has of it is a RemoteLive: made at the first use, and anew in a child of a fork,
 * which must not touch locks, connections and the thread of its parent. The thread starts with the
 * first value to put. */
#define _GNU_SOURCE
#include "cache/remote/remote_int.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum { QUEUE_ITEMS = 512, QUEUE_BYTES = 128 << 20 };
/* Seconds that a server which failed is left alone: at
 * first, at most; or so many times what the failure took. */
static const double first_pause = 1, longest_pause = 60, pause_of_failure = 10;

/* What a parent had counted when it forked is told by the parent. */
static void own_counts(CacheRemote *remote)
{
	atomic_ullong *const all[] = {&remote->counts.hits,	&remote->counts.misses,
				      &remote->counts.errors,	&remote->counts.puts,
				      &remote->counts.dropped,	&remote->counts.bytes_in,
				      &remote->counts.bytes_out};
	int before = atomic_load_explicit(&remote->counted_by, memory_order_relaxed), here = (int)getpid();
	if (before == here || !atomic_compare_exchange_strong(&remote->counted_by, &before, here))
		return;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		atomic_store(all[i], 0);
}

void remote_count(atomic_ullong *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static void tell(CacheRemote *remote, const char *why)
{
	int nothing = 0;
	if (!atomic_compare_exchange_strong(&remote->fault, &nothing, 1))
		return;
	snprintf(remote->why, sizeof remote->why, "%s", why);
	atomic_store(&remote->fault, 2);
}

/* ---- life ---- */

static RemoteLive *live_new(CacheRemote *remote)
{
	RemoteLive *l = calloc(1, sizeof *l);
	pthread_condattr_t clock;
	if (!l)
		return NULL;
	l->remote = remote;
	l->pid = getpid();
	l->last = &l->first;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &clock);
	pthread_condattr_destroy(&clock);
	return l;
}

void remote_live_free(RemoteLive *l)
{
	for (RemoteItem *item = l->first, *next; item; item = next) {
		next = item->next;
		free(item);
	}
	if (l->opened && !l->dead && l->backend.close)
		l->backend.close(l->backend.data);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* Opens the back end, once; under the lock. */
static void open_backend(RemoteLive *l)
{
	CacheRemote *remote = l->remote;
	char why[CACHE_REMOTE_WHY] = "";
	if (l->opened)
		return;
	l->opened = true;
	l->backend = remote->given;
	l->dead = !remote->is_given && !cache_backend_open(&remote->options, &l->backend, why, sizeof why);
	if (l->dead)
		tell(remote, why);
}

/* This process's; NULL: there is none to be had. */
static RemoteLive *live_of(CacheRemote *remote)
{
	RemoteLive *l = atomic_load(&remote->live);
	own_counts(remote);
	if (!l || l->pid != getpid()) {
		RemoteLive *made = live_new(remote);
		if (!made)
			return NULL;
		made->parents = l;
		if (atomic_compare_exchange_strong(&remote->live, &l, made))
			l = made;
		else
			remote_live_free(made);
	}
	pthread_mutex_lock(&l->lock);
	open_backend(l);
	bool dead = l->dead;
	pthread_mutex_unlock(&l->lock);
	return dead ? NULL : l;
}

static const char *keep(CacheRemote *remote, int i, const char *text, bool *good)
{
	remote->texts[i] = text ? strdup(text) : NULL;
	*good = *good && (!text || remote->texts[i]);
	return remote->texts[i];
}

void remote_free_texts(CacheRemote *remote)
{
	for (size_t i = 0; i < ARRAY_LEN(remote->texts); i++)
		free(remote->texts[i]);
	free(remote->name);
	free(remote);
}

CacheRemote *cache_remote_new(const CacheBackend *backend, const char *name, bool synchronous,
			      const CacheRemoteOptions *options)
{
	CacheRemote *remote = calloc(1, sizeof *remote);
	bool good = true;
	if (!remote)
		return NULL;
	atomic_init(&remote->refs, 1);
	atomic_init(&remote->counted_by, (int)getpid());
	remote->options = *options;
	remote->options.place = keep(remote, 0, options->place, &good);
	remote->options.key_format = keep(remote, 1, options->key_format, &good);
	remote->options.host = keep(remote, 2, options->host, &good);
	remote->options.certificates = keep(remote, 3, options->certificates, &good);
	remote->name = strdup(name);
	remote->synchronous = synchronous;
	remote->is_given = backend != NULL;
	if (backend)
		remote->given = *backend;
	else if (options->place && strstr(options->place, "://") && cache_url_fault(options->place))
		tell(remote, cache_url_fault(options->place));
	if (good && remote->name)
		return remote;
	remote_free_texts(remote);
	return NULL;
}

void cache_remote_ref(CacheRemote *remote)
{
	atomic_fetch_add(&remote->refs, 1);
}

const char *cache_remote_name(const CacheRemote *remote)
{
	return remote->name;
}

const char *cache_remote_fault(CacheRemote *remote)
{
	int untold = 2;
	return atomic_compare_exchange_strong(&remote->fault, &untold, 3) ? remote->why : NULL;
}

/* ---- the breaker; under the lock ---- */

bool remote_may_ask(RemoteLive *l)
{
	if (l->pause == 0)
		return true;
	if (l->probing || os_now() < l->again)
		return false;
	l->probing = true;
	return true;
}

void remote_was_asked(RemoteLive *l, int result, double began, const char *why)
{
	double now = os_now();
	if (result != CACHE_REMOTE_AWAY) {
		l->pause = 0;
	} else if (l->pause == 0 || now >= l->again) { /* else another has just found out */
		double pause = MAX(MAX(first_pause, 2 * l->pause), pause_of_failure * (now - began));
		l->pause = MIN(pause, longest_pause);
		l->again = now + l->pause;
	}
	l->probing = false;
	pthread_cond_broadcast(&l->changed);
	if (result != CACHE_REMOTE_OK) {
		remote_count(&l->remote->counts.errors, 1);
		tell(l->remote, *why ? why : "it failed");
	}
}

/* ---- reading ---- */

typedef struct Sink {
	CacheRemoteValue *values;
	size_t count, largest;
} Sink;

static void give(void *data, size_t index, const void *bytes, size_t size)
{
	const Sink *sink = data;
	if (index >= sink->count || sink->values[index].bytes || size > sink->largest || (size && !bytes))
		return;
	char *copy = malloc(size + 1);
	if (!copy)
		return;
	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	sink->values[index].bytes = copy;
	sink->values[index].size = size;
}

static int get_many(RemoteLive *l, CacheRemoteValue *values, size_t n, char *why)
{
	enum { AT_ONCE = 64 };
	for (size_t from = 0; from < n; from += AT_ONCE) {
		char hex[AT_ONCE][CACHE_HEX_SIZE];
		const char *keys[AT_ONCE], *names[AT_ONCE];
		Sink sink = {values + from, MIN(n - from, (size_t)AT_ONCE),
			     (size_t)l->remote->options.largest};
		for (size_t i = 0; i < sink.count; i++) {
			cache_digest_hex(&sink.values[i].key, hex[i]);
			keys[i] = hex[i];
			names[i] = sink.values[i].name;
		}
		int result = l->backend.get_many(l->backend.data, keys, names, sink.count, give, &sink, why,
						 CACHE_REMOTE_WHY);
		if (result != CACHE_REMOTE_OK)
			return result;
	}
	return CACHE_REMOTE_OK;
}

bool cache_remote_get(CacheRemote *remote, CacheRemoteValue *values, size_t n)
{
	CONTRACT(n);
	char why[CACHE_REMOTE_WHY] = "";
	for (size_t i = 0; i < n; i++)
		values[i].bytes = NULL;
	RemoteLive *l = remote->options.no_reads ? NULL : live_of(remote);
	if (!l || !l->backend.get_many)
		return false;
	pthread_mutex_lock(&l->lock);
	bool ask = remote_may_ask(l);
	pthread_mutex_unlock(&l->lock);
	if (!ask)
		return false;
	double began = os_now();
	int result = get_many(l, values, n, why);
	pthread_mutex_lock(&l->lock);
	remote_was_asked(l, result, began, why);
	pthread_mutex_unlock(&l->lock);
	for (size_t i = 0; i < n; i++) {
		if (values[i].bytes) {
			remote_count(&remote->counts.hits, 1);
			remote_count(&remote->counts.bytes_in, values[i].size);
		} else if (result == CACHE_REMOTE_OK) {
			remote_count(&remote->counts.misses, 1);
		}
	}
	return result == CACHE_REMOTE_OK;
}

void cache_remote_damaged(CacheRemote *remote, size_t size)
{
	atomic_fetch_sub(&remote->counts.hits, 1);
	atomic_fetch_sub(&remote->counts.bytes_in, size);
	remote_count(&remote->counts.misses, 1);
	remote_count(&remote->counts.errors, 1);
}

/* ---- the end of the process ---- */

extern int __cxa_atexit(void (*handler)(void *), void *data, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

/* How long the thread may take to notice that it is to end, after what flush_ms allows. */
static const double moment = 0.5;

static void on_exit_of_process(void *data)
{
	RemoteAtExit *at_exit = data;
	if (at_exit->pid != getpid())
		return;
	pthread_mutex_lock(&at_exit->lock);
	RemoteLive *l = at_exit->live;
	if (l && l->pid == getpid()) {
		pthread_mutex_lock(&l->lock);
		remote_flush(l, (double)l->remote->options.flush_ms * 1e-3);
		remote_stop(l, moment);
		pthread_mutex_unlock(&l->lock);
	}
	bool closed = !l;
	pthread_mutex_unlock(&at_exit->lock);
	if (closed)
		free(at_exit);
}

/* Under the lock. Without a thread the values wait in vain, and are dropped in the end. */
static void start(RemoteLive *l)
{
	sigset_t all, before;
	if (l->started)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals are not for this thread */
	l->started = pthread_create(&l->thread, NULL, remote_put_all, l) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!l->started || l->at_exit)
		return;
	/* atexit's handlers have no argument, and where it is called from a library that is
	 * unloaded they are called then. */
	RemoteAtExit *at_exit = malloc(sizeof *at_exit);
	if (!at_exit)
		return;
	pthread_mutex_init(&at_exit->lock, NULL);
	at_exit->live = l;
	at_exit->pid = l->pid;
	if (__cxa_atexit(on_exit_of_process, at_exit, &__dso_handle) == 0)
		l->at_exit = at_exit;
	else
		free(at_exit);
}

void cache_remote_put(CacheRemote *remote, const char *name, const CacheDigest *key, Str bytes)
{
	CONTRACT(name && bytes.ptr);
	RemoteLive *l = remote->options.no_writes ? NULL : live_of(remote);
	if (!l || !l->backend.put)
		return;
	RemoteItem *item = bytes.len <= remote->options.largest ? malloc(sizeof *item + bytes.len) : NULL;
	if (!item) {
		remote_count(&remote->counts.dropped, 1);
		return;
	}
	*item = (RemoteItem){.name = name, .key = *key, .size = bytes.len};
	memcpy(item->bytes, bytes.ptr, bytes.len);
	pthread_mutex_lock(&l->lock);
	bool now = remote->synchronous && remote_may_ask(l);
	bool later = !remote->synchronous && l->items < QUEUE_ITEMS &&
		     (!l->items || l->bytes + item->size <= QUEUE_BYTES);
	if (later) {
		remote_enqueue(l, item, false);
		start(l);
		pthread_cond_broadcast(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	if (later)
		return;
	if (!now || remote_put_item(l, item) == CACHE_REMOTE_AWAY)
		remote_count(&remote->counts.dropped, 1);
	free(item);
}

size_t cache_remote_flush(CacheRemote *remote, double seconds)
{
	RemoteLive *l = atomic_load(&remote->live);
	if (!l || l->pid != getpid())
		return 0;
	pthread_mutex_lock(&l->lock);
	size_t left = remote_flush(l, seconds);
	pthread_mutex_unlock(&l->lock);
	return left;
}

CacheRemoteCounts cache_remote_counts(CacheRemote *remote)
{
	own_counts(remote);
	return (CacheRemoteCounts){
		.hits = atomic_exchange(&remote->counts.hits, 0),
		.misses = atomic_exchange(&remote->counts.misses, 0),
		.errors = atomic_exchange(&remote->counts.errors, 0),
		.puts = atomic_exchange(&remote->counts.puts, 0),
		.dropped = atomic_exchange(&remote->counts.dropped, 0),
		.bytes_in = atomic_exchange(&remote->counts.bytes_in, 0),
		.bytes_out = atomic_exchange(&remote->counts.bytes_out, 0),
	};
}

bool cache_remote_has_counts(CacheRemote *remote)
{
	own_counts(remote);
	return atomic_load(&remote->counts.hits) || atomic_load(&remote->counts.misses) ||
	       atomic_load(&remote->counts.errors) || atomic_load(&remote->counts.puts) ||
	       atomic_load(&remote->counts.dropped);
}

/* False: its thread is stuck in a put, and frees both when that returns. */
static bool close_live(RemoteLive *l, CacheRemoteCounts *rest)
{
	CacheRemote *remote = l->remote;
	if (l->at_exit) {
		pthread_mutex_lock(&l->at_exit->lock);
		l->at_exit->live = NULL;
		pthread_mutex_unlock(&l->at_exit->lock);
	}
	pthread_mutex_lock(&l->lock);
	remote_flush(l, (double)remote->options.flush_ms * 1e-3);
	bool stopped = remote_stop(l, moment);
	remote_count(&remote->counts.dropped, l->items);
	*rest = cache_remote_counts(remote);
	if (!stopped) {
		l->abandoned = true;
		pthread_detach(l->thread);
	}
	pthread_mutex_unlock(&l->lock);
	if (!stopped)
		return false;
	if (l->started)
		pthread_join(l->thread, NULL);
	remote_live_free(l);
	return true;
}

bool cache_remote_drop(CacheRemote *remote, CacheRemoteCounts *rest)
{
	*rest = (CacheRemoteCounts){0};
	if (!remote || atomic_fetch_sub(&remote->refs, 1) != 1)
		return false;
	RemoteLive *l = atomic_load(&remote->live);
	bool here = l && l->pid == getpid();
	if (!here) {
		*rest = cache_remote_counts(remote);
		if (remote->is_given && remote->given.close)
			remote->given.close(remote->given.data);
	}
	if (!here || close_live(l, rest))
		remote_free_texts(remote);
	return rest->hits || rest->misses || rest->errors || rest->puts || rest->dropped;
}
