/* The compile cache on disk, as its user sees it: a store for each setting of the environment that
 * was met, a remote cache that the caller set, warnings about failures of the stores, and cached
 * versions of programs. */
#include <stdlib.h>

#include "base/fault.h"
#include "base/option/option.h"
#include "base/os.h"
#include "jit/keep/cache.h"

typedef struct StoreOf {
	char *settings;
	CacheStore *store;
} StoreOf;

struct JitCache {
	char *dir; /* NULL: the environment's; "": none */
	CacheRemote *remote; /* NULL: the environment's */
	pthread_mutex_t lock;
	pthread_mutex_t setting; /* taken first: `remote` comes into all stores before another does */
	/* One for each setting met so far, as tests and programs change the environment: a test suite may have a folder for each test. A
	 * store is a few hundred bytes, and lives as long as the cache, since calls may still use it. */
	StoreOf *stores;
	uint32_t count, cap;
	bool told; /* a variable that is no number */
};

JitCache *jit_cache_new(const char *dir)
{
	JitCache *cache = calloc(1, sizeof *cache);
	char *copy = dir ? strdup(dir) : NULL;
	if (!cache || (dir && !copy)) {
		free(cache);
		free(copy);
		fault_raise(FAULT_MEMORY, "out of memory");
	}
	cache->dir = copy;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_mutex_init(&cache->setting, NULL);
	return cache;
}

void jit_cache_free(JitCache *cache)
{
	if (!cache)
		return;
	CacheRemoteCounts rest;
	cache_remote_drop(cache->remote, &rest); /* stores that it was given to hold it too, and count */
	for (uint32_t i = 0; i < cache->count; i++) {
		cache_store_free(cache->stores[i].store);
		free(cache->stores[i].settings);
	}
	pthread_mutex_destroy(&cache->setting);
	pthread_mutex_destroy(&cache->lock);
	free(cache->stores);
	free(cache->dir);
	free(cache);
}

/* ---- the environment ---- */

static const char *settings_of(Arena *arena, const CacheOptions *o)
{
	Text text;
	text_init(&text, arena);
	text_printf(&text, "%s\n%s\n%llu %llu %g", o->dir ? o->dir : "", o->dir_why ? o->dir_why : "", (unsigned long long)o->max_bytes,
		    (unsigned long long)o->max_files, o->wait);
	for (uint32_t i = 0; i < o->layer_count; i++)
		text_printf(&text, "\n%s", o->layers[i]);
	if (o->secret_file)
		text_printf(&text, "\nkey %s", o->secret_file);
	const CacheRemoteOptions *r = &o->remote;
	if (r->place)
		text_printf(&text, "\n%s\n%s\n%s\n%s\n%llu %llu %llu %llu %llu %d %d", r->place, r->key_format, r->host,
			    r->certificates ? r->certificates : "", (unsigned long long)r->port, (unsigned long long)r->connect_ms,
			    (unsigned long long)r->request_ms, (unsigned long long)r->flush_ms, (unsigned long long)r->largest,
			    r->no_reads, r->no_writes);
	return text.data;
}

static bool has_room(JitCache *cache)
{
	if (cache->count < cache->cap)
		return true;
	uint32_t cap = cache->cap ? 2 * cache->cap : 8;
	StoreOf *grown = realloc(cache->stores, cap * sizeof *grown);
	if (!grown)
		return false;
	cache->stores = grown;
	cache->cap = cap;
	return true;
}

/* Under the cache's lock. NULL when there is no memory. */
static CacheStore *find_store(JitCache *cache, const CacheOptions *options, const char *settings)
{
	for (uint32_t i = 0; i < cache->count; i++)
		if (strcmp(cache->stores[i].settings, settings) == 0)
			return cache->stores[i].store;
	if (!has_room(cache))
		return NULL;
	char *copy = strdup(settings);
	if (!copy)
		return NULL;
	CacheStore *store = NULL;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		store = cache_store_new(options);
		fault_leave(&fault);
	} else {
		free(copy);
		return NULL;
	}
	cache_store_set_remote(store, cache->remote);
	cache->stores[cache->count].settings = copy;
	cache->stores[cache->count++].store = store;
	return store;
}

void jit_cache_mode(JitCache *cache, JitCacheMode *mode, DiagList *diags)
{
	*mode = (JitCacheMode){0};
	if (!cache || option_is_on(OPTION_CACHE_DISABLE) || (cache->dir && !*cache->dir))
		return;
	CacheOptions options;
	const char *wrong;
	cache_options_env(diags->arena, &options, &wrong);
	if (cache->dir) {
		options.dir = cache->dir;
		options.dir_why = NULL;
	}
	const char *settings = settings_of(diags->arena, &options);
	pthread_mutex_lock(&cache->lock);
	bool tell = wrong && !cache->told;
	cache->told = cache->told || wrong;
	mode->store = find_store(cache, &options, settings);
	pthread_mutex_unlock(&cache->lock);
	if (tell)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CACHE_VARIABLE, wrong);
	mode->read = !option_is_on(OPTION_ALWAYS_COMPILE);
}

static CacheRemote *remote_of(const CacheBackend *backend, const char *name, bool synchronous, Arena *arena)
{
	CacheOptions options;
	const char *wrong;
	char shown[CACHE_REMOTE_WHY];
	cache_options_env(arena, &options, &wrong);
	if (!backend) {
		options.remote.place = name;
		cache_place_text(name, shown, sizeof shown);
		name = shown;
	}
	CacheRemote *remote = cache_remote_new(backend, name, synchronous, &options.remote);
	if (!remote)
		fault_raise(FAULT_MEMORY, "out of memory");
	return remote;
}

void jit_cache_set_remote(JitCache *cache, const CacheBackend *backend, const char *name, bool synchronous, Arena *arena)
{
	CacheRemote *remote = name ? remote_of(backend, name, synchronous, arena) : NULL;
	CacheRemoteCounts rest;
	pthread_mutex_lock(&cache->setting);
	pthread_mutex_lock(&cache->lock);
	CacheRemote *before = cache->remote;
	cache->remote = remote;
	pthread_mutex_unlock(&cache->lock);
	for (uint32_t i = 0;; i++) {
		pthread_mutex_lock(&cache->lock);
		CacheStore *store = i < cache->count ? cache->stores[i].store : NULL;
		pthread_mutex_unlock(&cache->lock);
		if (!store)
			break;
		cache_store_set_remote(store, remote);
	}
	pthread_mutex_unlock(&cache->setting);
	cache_remote_drop(before, &rest); /* may wait for what was on its way to it */
}

CacheStore *jit_cache_store(JitCache *cache, DiagList *diags)
{
	JitCacheMode mode;
	jit_cache_mode(cache, &mode, diags);
	return mode.store;
}

static void tell(CacheStore *store, DiagList *diags)
{
	static const DiagCode codes[] = {
		[CACHE_FAULT_UNUSABLE] = DIAG_CACHE_UNUSABLE,
		[CACHE_FAULT_LAYER] = DIAG_CACHE_LAYER,
		[CACHE_FAULT_OPEN] = DIAG_CACHE_OPEN,
		[CACHE_FAULT_DAMAGED] = DIAG_CACHE_DAMAGED,
		[CACHE_FAULT_REMOTE] = DIAG_CACHE_REMOTE,
		[CACHE_FAULT_SECRET] = DIAG_CACHE_SECRET,
	};
	for (CacheFault fault; (fault = cache_fault(store)).kind != CACHE_FAULT_NONE;)
		diag_add_at(diags, NULL, (LineCol){0, 0}, codes[fault.kind], fault.path, fault.why);
}

void jit_cache_tell(JitCacheMode *mode, DiagList *diags)
{
	if (mode->store)
		tell(mode->store, diags);
}

size_t jit_cache_flush(JitCache *cache, double seconds, DiagList *diags)
{
	size_t left = 0;
	double until = os_now() + seconds;
	for (uint32_t i = 0;; i++) {
		pthread_mutex_lock(&cache->lock);
		CacheStore *store = i < cache->count ? cache->stores[i].store : NULL;
		bool shared = cache->remote != NULL; /* one for all stores */
		pthread_mutex_unlock(&cache->lock);
		if (!store)
			return left;
		if (i == 0 || !shared)
			left += cache_store_flush(store, MAX(0, until - os_now()));
		tell(store, diags);
	}
}

/* ---- versions and contents of files ---- */

const char *jit_cache_recall(JitCache *cache, const char *what, Arena *arena)
{
	JitCacheMode mode;
	DiagList none;
	CacheEntry entry;
	Str answer;
	const char *why;
	diag_init(&none, arena, NULL);
	jit_cache_mode(cache, &mode, &none);
	CacheDigest key = cache_hash_of(what, strlen(what));
	if (!mode.store || !cache_get(mode.store, CACHE_FACT, &key, arena, &entry, NULL) ||
	    !cache_entry_section(&entry, "said", arena, &answer, &why))
		return NULL;
	return arena_strndup(arena, answer.ptr, answer.len);
}

void jit_cache_remember(JitCache *cache, const char *what, const char *answer)
{
	Arena arena;
	arena_init(&arena, 0);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		JitCacheMode mode;
		DiagList none;
		diag_init(&none, &arena, NULL);
		jit_cache_mode(cache, &mode, &none);
		CacheDigest key = cache_hash_of(what, strlen(what));
		CacheSection sections[] = {{"what", str_of(what)}, {"said", str_of(answer)}};
		if (mode.store)
			cache_put(mode.store, CACHE_FACT, &key, cache_entry_write(&arena, &key, sections, ARRAY_LEN(sections)));
		fault_leave(&fault);
	}
	arena_free(&arena);
}

static const char *recall(void *data, const char *what, Arena *arena)
{
	return jit_cache_recall(data, what, arena);
}

static void remember(void *data, const char *what, const char *said)
{
	jit_cache_remember(data, what, said);
}

void jit_cache_tools(JitCache *cache, NvToolsOptions *options)
{
	options->recall = recall;
	options->remember = remember;
	options->memory_data = cache;
}
