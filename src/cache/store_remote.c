/* The store's remote cache: asked when no folder has an entry, told of what is put. */
#define _GNU_SOURCE
#include "cache/inner.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"

/* ---- which ---- */

void cache_remote_store_open(CacheStore *store, const CacheOptions *options)
{
	char name[CACHE_REMOTE_WHY];
	if (!options->remote.place)
		return;
	cache_place_text(options->remote.place, name, sizeof name);
	store->remote = cache_remote_new(NULL, name, false, &options->remote);
}

CacheRemote *cache_remote_take(CacheStore *store, CacheKind kind)
{
	if (kind == CACHE_FACT || kind == CACHE_LIBRARY)
		return NULL;
	pthread_mutex_lock(&store->lock);
	CacheRemote *remote = store->given ? store->given : store->remote;
	if (remote)
		cache_remote_ref(remote);
	pthread_mutex_unlock(&store->lock);
	return remote;
}

void cache_store_set_remote(CacheStore *store, CacheRemote *remote)
{
	if (remote)
		cache_remote_ref(remote);
	pthread_mutex_lock(&store->lock);
	CacheRemote *before = store->given;
	store->given = remote;
	pthread_mutex_unlock(&store->lock);
	cache_remote_give_back(store, before);
}

/* ---- counts: a file of a line, as `usage` is one ---- */

enum { COUNTS = 7 };

static void to_numbers(const CacheRemoteCounts *c, uint64_t n[COUNTS])
{
	const uint64_t all[COUNTS] = {c->hits, c->misses, c->errors, c->puts, c->dropped, c->bytes_in, c->bytes_out};
	memcpy(n, all, sizeof all);
}

/* Adds to what the file says; it is locked, and closed here. */
static void add_counts(int fd, const CacheRemoteCounts *more, uint64_t sum[COUNTS])
{
	char text[COUNTS * 21 + 2] = "";
	uint64_t add[COUNTS], any = 0;
	to_numbers(more, add);
	ssize_t got = pread(fd, text, sizeof text - 1, 0);
	char *at = text;
	size_t len = 0;
	for (int i = 0; i < COUNTS; i++) {
		sum[i] = got > 0 ? strtoull(at, &at, 10) : 0;
		sum[i] += add[i];
		any |= add[i];
	}
	for (int i = 0; i < COUNTS; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%-20llu ", (unsigned long long)sum[i]);
	text[len - 1] = '\n';
	if (any)
		got = pwrite(fd, text, len, 0); /* a full disk: the counts lag behind */
	close(fd);
}

static int open_counts(CacheStore *store)
{
	return cache_own(store, true) >= 0 ? cache_open_counts(store, "remote") : -1;
}

void cache_remote_give_back(CacheStore *store, CacheRemote *remote)
{
	uint64_t sum[COUNTS];
	CacheRemoteCounts counts;
	if (!remote)
		return;
	const char *why = cache_remote_fault(remote);
	if (why)
		cache_report(store, CACHE_FAULT_REMOTE, cache_remote_name(remote), why);
	/* When others are at the file they stay where they are, for the next time. */
	int fd = cache_remote_has_counts(remote) ? open_counts(store) : -1;
	if (fd >= 0) {
		counts = cache_remote_counts(remote);
		add_counts(fd, &counts, sum);
	}
	if (!cache_remote_drop(remote, &counts))
		return;
	fd = -1;
	for (int i = 0; i < 20 && fd < 0; i++)
		fd = open_counts(store);
	if (fd >= 0)
		add_counts(fd, &counts, sum);
}

void cache_remote_store_close(CacheStore *store)
{
	cache_remote_give_back(store, store->given);
	cache_remote_give_back(store, store->remote);
}

CacheRemoteCounts cache_store_remote_counts(CacheStore *store)
{
	uint64_t n[COUNTS] = {0};
	cache_remote_look(store);
	int fd = cache_open_counts(store, "remote");
	if (fd >= 0)
		add_counts(fd, &(CacheRemoteCounts){0}, n);
	return (CacheRemoteCounts){.hits = n[0], .misses = n[1], .errors = n[2], .puts = n[3], .dropped = n[4], .bytes_in = n[5],
				   .bytes_out = n[6]};
}

/* ---- what turned out damaged ----
 *
 * Where nobody makes it anew (a machine without an assembler), a damaged value would be asked for by each process, and told of. A fact of the own
 * folder keeps them from it for a while. */

enum { DISTRUSTED_FOR = 600 }; /* seconds */

static CacheDigest distrust_key(CacheKind kind, const CacheDigest *key)
{
	char text[CACHE_HEX_SIZE + 64], hex[CACHE_HEX_SIZE];
	cache_digest_hex(key, hex);
	return cache_hash_of(text, (size_t)snprintf(text, sizeof text, "damaged at the remote cache\n%s\n%s\n", cache_kind_names[kind], hex));
}

static bool is_distrusted(CacheStore *store, CacheKind kind, const CacheDigest *key)
{
	char name[CACHE_NAME];
	struct stat st;
	int root = cache_own(store, false);
	CacheDigest fact = distrust_key(kind, key);
	cache_entry_name(name, CACHE_FACT, &fact);
	return root >= 0 && fstatat(root, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - st.st_mtim.tv_sec < DISTRUSTED_FOR;
}

void cache_remote_distrust(CacheStore *store, CacheKind kind, const CacheDigest *key)
{
	Arena arena;
	Fault fault;
	CacheDigest fact = distrust_key(kind, key);
	CacheSection section = {"what", STR("damaged at the remote cache")};
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		cache_put_here(store, CACHE_FACT, &fact, cache_entry_write(&arena, &fact, &section, 1));
		fault_leave(&fault);
	}
	arena_free(&arena);
}

/* It was put anew. */
void cache_remote_trust(CacheStore *store, CacheKind kind, const CacheDigest *key)
{
	CacheDigest fact = distrust_key(kind, key);
	cache_remove(store, CACHE_FACT, &fact);
}

/* ---- reading and writing ---- */

/* What came is an entry of that key, whole: it goes into the arena, and into the store's own folder. */
static bool take_entry(CacheStore *store, CacheRemote *remote, CacheKind kind, const CacheRemoteValue *value, Arena *arena,
		       CacheEntry *entry)
{
	char where[CACHE_REMOTE_WHY + CACHE_HEX_SIZE + 16], hex[CACHE_HEX_SIZE];
	const char *why;
	char *copy = cache_room(arena, value->size + 1);
	if (!copy)
		return false;
	memcpy(copy, value->bytes, value->size + 1);
	Str file = {copy, value->size};
	if (cache_entry_accept(store, kind, &value->key, file, entry, &why) && cache_entry_verify(entry, &why)) {
		cache_put_here(store, kind, &value->key, file);
		return true;
	}
	cache_digest_hex(&value->key, hex);
	snprintf(where, sizeof where, "%s/%s at %s", value->name, hex, cache_remote_name(remote));
	if (why == cache_no_memory)
		return false;
	cache_report(store, CACHE_FAULT_DAMAGED, where, why);
	cache_remote_damaged(remote, value->size);
	cache_remote_distrust(store, kind, &value->key);
	return false;
}

bool cache_remote_find(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, CacheEntry *entry)
{
	CacheRemote *remote = store->is_shut ? NULL : cache_remote_take(store, kind);
	CacheRemoteValue value = {.name = cache_kind_names[kind], .key = *key};
	volatile bool found = false;
	Fault fault = {.kind = FAULT_NONE};
	if (!remote)
		return false;
	if (!is_distrusted(store, kind, key))
		cache_remote_get(remote, &value, 1);
	if (value.bytes && FAULT_TRY(&fault)) {
		found = take_entry(store, remote, kind, &value, arena, entry);
		fault_leave(&fault);
	}
	free(value.bytes);
	cache_remote_give_back(store, remote);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return found;
}

size_t cache_store_flush(CacheStore *store, double seconds)
{
	CacheRemote *remote = cache_remote_take(store, CACHE_VARIANT);
	size_t left = remote ? cache_remote_flush(remote, seconds) : 0;
	cache_remote_give_back(store, remote);
	return left;
}

void cache_remote_look(CacheStore *store)
{
	cache_remote_give_back(store, cache_remote_take(store, CACHE_VARIANT));
}
