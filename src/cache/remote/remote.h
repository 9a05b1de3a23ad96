/* A cache on other machines, behind the one on disk: what a back end is, and what stands between one and the store.
 *
 * A back end keeps bytes under a key and a name, and knows nothing else. Whoever uses one here never waits long for it: values are
 * put by a thread of their own from a queue with a bound, and a server that fails is left alone for a while, longer each time
 * (1 s to 60 s, and ten times what the failure took), in which all is a miss and the queue waits. What comes back is not trusted: the
 * store checks it as it checks files. Threads may share a CacheRemote. After a fork the child opens the back end anew; what
 * the parent queued stays the parent's. */
#ifndef NESO_CACHE_REMOTE_H
#define NESO_CACHE_REMOTE_H

#include "cache/entry/hash.h"

/* ---- back ends ---- */

enum {
	CACHE_REMOTE_OK,
	CACHE_REMOTE_REFUSED, /* this value is not taken, or cannot be had; others can */
	CACHE_REMOTE_AWAY,    /* the server is not there, does not answer in time, or does not let us in */
};
enum { CACHE_REMOTE_WHY = 256 };

/* Hands over the value of the index-th key; the bytes are copied before it returns. */
typedef void CacheGiveFn(void *sink, size_t index, const void *bytes, size_t size);

/* Functions are called by any thread, several at once. They return a CACHE_REMOTE_...; when that is not CACHE_REMOTE_OK, `why` (of why_size
 * bytes) holds a clause: "it does not answer". */
typedef struct CacheBackend {
	void *data;
	/* Values that are there are given, in any order; NULL: it is never read. */
	int (*get_many)(void *data, const char *const *keys, const char *const *names, size_t count, CacheGiveFn *give, void *sink,
			char *why, size_t why_size);
	/* NULL: it is never written. */
	int (*put)(void *data, const char *key, const char *name, const void *bytes, size_t size, char *why, size_t why_size);
	void (*close)(void *data); /* NULL: nothing to do */
} CacheBackend;

/* Texts are the caller's. */
typedef struct CacheRemoteOptions {
	const char *place; /* of TRITON_REMOTE_CACHE_BACKEND: a URL or a class; NULL: none */
	const char *key_format, *host; /* of Redis */
	const char *certificates;      /* a file of those that are trusted; NULL: the system's */
	uint64_t port, connect_ms, request_ms, flush_ms;
	uint64_t largest; /* bytes of a value */
	bool no_reads, no_writes;
} CacheRemoteOptions;

/* ---- libneso-remote.so: back ends that speak to servers ---- */

#define CACHE_REMOTE_SYMBOL "neso_remote_table"
enum { CACHE_REMOTE_ABI = 1 };

typedef struct CacheRemoteTable {
	uint32_t abi;
	const char *version; /* Neso's */
	/* place: a URL. False, with a clause in `why`, when it is none that it knows. Asks no server yet. */
	bool (*open)(const CacheRemoteOptions *options, CacheBackend *backend, char *why, size_t why_size);
} CacheRemoteTable;

/* Opens the back end that options.place names, with that library (remote_load.c). False with a clause in `why`. */
bool cache_backend_open(const CacheRemoteOptions *options, CacheBackend *backend, char *why, size_t why_size);
/* A place as it may be shown: without user and password. */
void cache_place_text(const char *place, char *out, size_t size);
/* What is wrong with a URL, as a clause; NULL: nothing that shows before its server is asked. */
const char *cache_url_fault(const char *url);

/* ---- in use ---- */

typedef struct CacheRemote CacheRemote;

/* backend NULL: the one of options.place, opened when it is first needed; else it is closed with the object. name: what warnings
 * call it. synchronous: values are put by the thread that has them. All is copied. NULL: out of memory. */
CacheRemote *cache_remote_new(const CacheBackend *backend, const char *name, bool synchronous, const CacheRemoteOptions *options);
void cache_remote_ref(CacheRemote *remote);

typedef struct CacheRemoteValue {
	const char *name;
	CacheDigest key;
	char *bytes; /* set when it is there; the caller's to free */
	size_t size;
} CacheRemoteValue;
/* One request. False: the server was not asked, or failed. */
bool cache_remote_get(CacheRemote *remote, CacheRemoteValue *values, size_t count);
/* Copies the bytes into the queue; they are dropped when it is full. */
void cache_remote_put(CacheRemote *remote, const char *name, const CacheDigest *key, Str bytes);
/* Waits until the queue is empty, for at most so long, and not while the server is away. How many values are left. */
size_t cache_remote_flush(CacheRemote *remote, double seconds);

typedef struct CacheRemoteCounts {
	uint64_t hits, misses, errors, puts;
	uint64_t dropped; /* values that found the queue full, or that the server refused */
	uint64_t bytes_in, bytes_out;
} CacheRemoteCounts;
/* What happened since this was last asked. */
CacheRemoteCounts cache_remote_counts(CacheRemote *remote);
bool cache_remote_has_counts(CacheRemote *remote); /* anything? */
/* Gives up a reference; NULL is fine. The last one flushes the queue, for options.flush_ms at most, and closes the back end; then *rest is
 * what was not yet asked for. True: it was the last one, and there is such. */
bool cache_remote_drop(CacheRemote *remote, CacheRemoteCounts *rest);
/* A value that was got was damaged: no hit. */
void cache_remote_damaged(CacheRemote *remote, size_t size);

const char *cache_remote_name(const CacheRemote *remote);
/* Why the server is away, the first time that it was; NULL: it was not, or this was asked before. Lives as long as the object. */
const char *cache_remote_fault(CacheRemote *remote);

#endif
