/* Between remote.c and its queue. */
#ifndef NESO_CACHE_REMOTE_REMOTE_INT_H
#define NESO_CACHE_REMOTE_REMOTE_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache/remote/remote.h"

typedef struct RemoteItem {
	struct RemoteItem *next;
	const char *name; /* a literal */
	CacheDigest key;
	unsigned tries;
	size_t size;
	char bytes[];
} RemoteItem;

/* What the process's end needs to know; outlives the RemoteLive, as an exit handler cannot be taken back. */
typedef struct RemoteAtExit {
	pid_t pid; /* a child inherits the handler, and maybe the lock as another thread held it: neither is its own */
	pthread_mutex_t lock;
	struct RemoteLive *live; /* NULL: it is closed */
} RemoteAtExit;

typedef struct RemoteLive {
	CacheRemote *remote; /* outlives it */
	pid_t pid;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool opened; /* or failed to: */
	bool dead;
	CacheBackend backend;
	/* The breaker. */
	double pause, again; /* pause 0: the server is there; again: when it may be asked, os_now() */
	bool probing;        /* one asks whether it is there again */
	/* The queue. */
	RemoteItem *first, **last;
	size_t items, bytes;
	RemoteItem *putting; /* what the thread is at */
	bool stop, started, ended;
	bool abandoned; /* the thread was stuck in a put when all else ended: it frees what is left */
	pthread_t thread;
	RemoteAtExit *at_exit;
	struct RemoteLive *parents; /* of the process that forked; left as it is */
} RemoteLive;

struct CacheRemote {
	atomic_uint refs;
	char *name, *texts[4]; /* that options point to */
	CacheRemoteOptions options;
	CacheBackend given;
	bool is_given, synchronous;
	_Atomic(RemoteLive *) live;
	struct {
		atomic_ullong hits, misses, errors, puts, dropped, bytes_in, bytes_out;
	} counts;
	atomic_int counted_by; /* the process whose counts they are */
	/* 0: nothing; 1: being written; 2: to be told; 3: told */
	atomic_int fault;
	char why[CACHE_REMOTE_WHY];
};

/* ---- remote.c ---- */

void remote_count(atomic_ullong *counter, uint64_t more);
void remote_live_free(RemoteLive *l);
void remote_free_texts(CacheRemote *remote);
/* The breaker, under the lock: may the server be asked? What came of it. */
bool remote_may_ask(RemoteLive *l);
void remote_was_asked(RemoteLive *l, int result, double began, const char *why);

/* ---- remote_queue.c; under the lock but for remote_put_all (the thread) and remote_put_item ---- */

void remote_enqueue(RemoteLive *l, RemoteItem *item, bool in_front);
void *remote_put_all(void *data);
size_t remote_flush(RemoteLive *l, double seconds);
bool remote_stop(RemoteLive *l, double seconds);
int remote_put_item(RemoteLive *l, const RemoteItem *item);

#endif
