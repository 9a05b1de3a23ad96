/* The compile cache's entry points that look through it and look after it; files of callers are in
 * files.c. */
#include "api/cache/cache.h"

#include <stdlib.h>

#include "cache/entry/key.h"
#include "cache/disk/log.h"
#include "cache/pack.h"

CacheStore *api_cache_store(ApiCall *call, neso_context *context)
{
	CacheStore *store = jit_cache_store(context->host.cache, &call->diags);
	if (store && cache_store_root(store))
		return store;
	const char *why = store ? cache_store_options(store)->dir_why : "it is switched off";
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_NONE, why ? why : "no folder is named");
	return NULL;
}

/* ---- path, stats ---- */

typedef struct PathArgs {
	neso_context *context;
	char **path;
} PathArgs;

static neso_status cache_path_of(ApiCall *call, void *data)
{
	const PathArgs *args = data;
	if (!args->context || !args->path)
		return api_usage(call, "neso_cache_path wants a context and a place for the path");
	CacheStore *store = jit_cache_store(args->context->host.cache, &call->diags);
	const char *root = store ? cache_store_root(store) : NULL;
	if (root)
		*args->path = api_bytes(root, strlen(root));
	return NESO_OK;
}

neso_status neso_cache_path(neso_context *context, char **path, neso_diagnostics **diagnostics)
{
	PathArgs args = {context, path};
	if (path)
		*path = NULL;
	return api_run(context, diagnostics, cache_path_of, &args);
}

typedef struct StatsArgs {
	neso_context *context;
	neso_cache_stats *stats;
} StatsArgs;

static neso_status get_stats(ApiCall *call, void *data)
{
	const StatsArgs *args = data;
	if (!args->context || !args->stats)
		return api_usage(call, "neso_cache_get_stats wants a context and stats");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store)
		return NESO_ERROR_SOURCE;
	CacheTotals totals;
	cache_totals(store, &call->arena, &totals);
	CacheUsage usage = cache_usage(store);
	CacheRemoteCounts remote = cache_store_remote_counts(store);
	uint64_t made = 0;
	for (int k = CACHE_EVENT_HALF; k < CACHE_EVENT__COUNT; k++)
		made += totals.microseconds[k];
	neso_cache_stats stats = {
		.hits = totals.count[CACHE_EVENT_HIT],
		.layer_hits = totals.count[CACHE_EVENT_LAYER],
		.half_hits = totals.count[CACHE_EVENT_HALF],
		.misses = totals.count[CACHE_EVENT_MISS],
		.forced = totals.count[CACHE_EVENT_FORCED],
		.damaged = totals.count[CACHE_EVENT_DAMAGED],
		.bytes = usage.bytes,
		.files = usage.files,
		.max_bytes = cache_store_options(store)->max_bytes,
		.max_files = cache_store_options(store)->max_files,
		.compile_seconds = (double)made * 1e-6,
		.saved_seconds = (double)(totals.microseconds[CACHE_EVENT_HIT] + totals.microseconds[CACHE_EVENT_LAYER] +
					  totals.microseconds[CACHE_EVENT_REMOTE]) * 1e-6,
		.remote_hits = totals.count[CACHE_EVENT_REMOTE],
		.remote_found = remote.hits,
		.remote_absent = remote.misses,
		.remote_errors = remote.errors,
		.remote_puts = remote.puts,
		.remote_dropped = remote.dropped,
		.remote_bytes_in = remote.bytes_in,
		.remote_bytes_out = remote.bytes_out,
	};
	if (!api_write_struct(args->stats, &stats, sizeof stats))
		return api_usage(call, "neso_cache_stats.size is not set");
	return NESO_OK;
}

neso_status neso_cache_get_stats(neso_context *context, neso_cache_stats *stats, neso_diagnostics **diagnostics)
{
	StatsArgs args = {context, stats};
	return api_run(context, diagnostics, get_stats, &args);
}

/* ---- entries ---- */

typedef struct Looking {
	neso_cache_entry_fn *each;
	void *data;
	CacheStore *store;
	bool whole; /* verify */
} Looking;

static bool look_at(void *data, const CacheFile *file)
{
	const Looking *l = data;
	Arena arena;
	CacheEntry entry;
	Str bytes, metadata = {0};
	const char *why = NULL;
	char hex[CACHE_HEX_SIZE];
	bool on = true;
	arena_init(&arena, 0);
	cache_digest_hex(&file->key, hex);
	bool there = cache_read_file(l->store, file->kind, &file->key, &arena, &bytes, &why);
	if (there || why) {
		bool good = there && (file->kind == CACHE_LIBRARY ? cache_library_check(bytes, &file->key, &why)
				      : cache_entry_accept(l->store, file->kind, &file->key, bytes, &entry, &why) &&
						(!l->whole || cache_entry_verify(&entry, &why)));
		if (good)
			why = NULL;
		if (good && file->kind == CACHE_VARIANT)
			cache_entry_section(&entry, "metadata", &arena, &metadata, &why);
		neso_cache_entry out = {
			.size = sizeof out,
			.kind = cache_kind_names[file->kind],
			.key = hex,
			.bytes = file->bytes,
			.used = file->used,
			.metadata = metadata.ptr ? arena_strndup(&arena, metadata.ptr, metadata.len) : NULL,
			.damage = why,
		};
		if (l->whole && why && why != cache_other_version && why != cache_no_memory)
			cache_remove(l->store, file->kind, &file->key);
		if (l->each && (!l->whole || why))
			on = l->each(l->data, &out);
	}
	arena_free(&arena);
	return on;
}

typedef struct EachArgs {
	neso_context *context;
	neso_cache_entry_fn *each;
	void *data;
	bool whole;
} EachArgs;

static neso_status each_entry(ApiCall *call, void *data)
{
	const EachArgs *args = data;
	if (!args->context || (!args->each && !args->whole))
		return api_usage(call, "neso_cache_each wants a context and a function");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store)
		return NESO_ERROR_SOURCE;
	Looking looking = {args->each, args->data, store, args->whole};
	cache_each(store, 0, UINT32_MAX, look_at, &looking);
	return NESO_OK;
}

neso_status neso_cache_each(neso_context *context, neso_cache_entry_fn *each, void *data, neso_diagnostics **diagnostics)
{
	EachArgs args = {context, each, data, false};
	return api_run(context, diagnostics, each_entry, &args);
}

neso_status neso_cache_verify(neso_context *context, neso_cache_entry_fn *each, void *data, neso_diagnostics **diagnostics)
{
	EachArgs args = {context, each, data, true};
	return api_run(context, diagnostics, each_entry, &args);
}

/* ---- one entry ---- */

typedef struct Matching {
	const char *key;
	CacheFile found;
	uint32_t matches;
} Matching;

static bool match(void *data, const CacheFile *file)
{
	Matching *m = data;
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(&file->key, hex);
	if (strncmp(hex, m->key, strlen(m->key)) == 0) {
		m->found = *file;
		m->matches++;
	}
	return true;
}

bool api_cache_find(ApiCall *call, CacheStore *store, const char *key, CacheFile *found)
{
	CONTRACT(key);
	Matching m = {.key = key};
	char two[3] = {key[0], key[0] ? key[1] : '\0', '\0'};
	if (strlen(key) >= 4 && strspn(key, "0123456789abcdef") == strlen(key))
		cache_each(store, (uint32_t)strtoul(two, NULL, 16), 1, match, &m);
	*found = m.found;
	if (m.matches == 1)
		return true;
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_AMBIGUOUS, key,
		    m.matches ? "several entries have keys that begin so" :
		    strlen(key) < 4 ? "a key has 64 digits; the first four or more do" : "no entry has a key that begins so");
	return false;
}

typedef struct ReadArgs {
	neso_context *context;
	const char *key, *section;
	char **bytes;
	size_t *size;
} ReadArgs;

static neso_status read_entry(ApiCall *call, void *data)
{
	const ReadArgs *args = data;
	if (!args->context || !args->key || !args->bytes || !args->size)
		return api_usage(call, "neso_cache_read wants a context, a key, and a place for the bytes");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store)
		return NESO_ERROR_SOURCE;
	CacheFile found;
	if (!api_cache_find(call, store, args->key, &found))
		return NESO_ERROR_ARGUMENT;
	CacheEntry entry;
	Str file, bytes;
	const char *why;
	if (!cache_read_file(store, found.kind, &found.key, &call->arena, &file, &why) || !cache_entry_open(&entry, file, &found.key, &why))
		return NESO_OK;
	if (!args->section) {
		Text names;
		text_init(&names, &call->arena);
		for (uint32_t i = 0; i < entry.count; i++)
			text_printf(&names, "%s\n", entry.sections[i].name);
		bytes = (Str){names.data, names.len};
	} else if (!cache_entry_section(&entry, args->section, &call->arena, &bytes, &why)) {
		return NESO_OK;
	}
	*args->bytes = api_bytes(bytes.ptr, bytes.len);
	*args->size = bytes.len;
	return NESO_OK;
}

neso_status neso_cache_read(neso_context *context, const char *key, const char *section, char **bytes, size_t *size,
			    neso_diagnostics **diagnostics)
{
	ReadArgs args = {.context = context, .key = key, .section = section, .bytes = bytes, .size = size};
	if (bytes)
		*bytes = NULL;
	if (size)
		*size = 0;
	return api_run(context, diagnostics, read_entry, &args);
}

/* ---- cleaning ---- */

typedef struct CleanArgs {
	neso_context *context;
	bool all;
	uint64_t max_bytes, max_files;
	neso_cache_cleaned *cleaned;
} CleanArgs;

static neso_status clean(ApiCall *call, void *data)
{
	const CleanArgs *args = data;
	CacheGc gc;
	if (!args->context)
		return api_usage(call, "cleaning the cache wants a context");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store)
		return NESO_ERROR_SOURCE;
	if (args->all)
		cache_clear(store, &gc);
	else
		cache_gc(store, args->max_bytes, args->max_files, &gc);
	neso_cache_cleaned out = {.removed = gc.evicted, .leftovers = gc.leftovers, .bytes_before = gc.before.bytes,
				  .bytes = gc.after.bytes, .files_before = gc.before.files, .files = gc.after.files};
	if (args->cleaned && !api_write_struct(args->cleaned, &out, sizeof out))
		return api_usage(call, "neso_cache_cleaned.size is not set");
	return NESO_OK;
}

neso_status neso_cache_gc(neso_context *context, uint64_t max_bytes, uint64_t max_files, neso_cache_cleaned *cleaned,
			  neso_diagnostics **diagnostics)
{
	CleanArgs args = {context, false, max_bytes, max_files, cleaned};
	return api_run(context, diagnostics, clean, &args);
}

neso_status neso_cache_clear(neso_context *context, neso_cache_cleaned *cleaned, neso_diagnostics **diagnostics)
{
	CleanArgs args = {.context = context, .all = true, .cleaned = cleaned};
	return api_run(context, diagnostics, clean, &args);
}

/* ---- packs ---- */

typedef struct PackArgs {
	neso_context *context;
	const char *path, *key_file; /* key_file NULL: none but the cache's own */
	neso_cache_packed *packed;
	bool unpack;
} PackArgs;

/* *secret: NULL where none is given; false after diagnosing. signs: it must be able to sign. */
static bool read_secret(ApiCall *call, const char *path, bool signs, CacheSecret *room, const CacheSecret **secret)
{
	const char *why;
	*secret = path ? room : NULL;
	if (!path)
		return true;
	if (cache_secret_read(room, path, &why)) {
		if (!signs || cache_secret_signs(room))
			return true;
		why = "it has public keys alone, which sign nothing";
	}
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_KEY_FILE, path, why);
	return false;
}

static neso_status pack(ApiCall *call, void *data)
{
	const PackArgs *args = data;
	CachePacked packed = {0};
	const char *why = NULL;
	CacheSecret room;
	const CacheSecret *secret;
	if (!args->context || !args->path)
		return api_usage(call, "packing the cache wants a context and a path");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store || !read_secret(call, args->key_file, !args->unpack, &room, &secret))
		return NESO_ERROR_SOURCE;
	bool good = args->unpack ? cache_unpack_file(store, args->path, secret, &packed, &why, &call->arena)
				 : cache_pack(store, args->path, NULL, NULL, secret, &packed, &why, &call->arena);
	if (!good) {
		diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_PACK, args->path, args->unpack ? "unpacked" : "packed", why);
		return NESO_ERROR_SOURCE;
	}
	neso_cache_packed out = {.entries = packed.entries, .bytes = packed.bytes, .refused = packed.refused};
	if (args->packed && !api_write_struct(args->packed, &out, sizeof out))
		return api_usage(call, "neso_cache_packed.size is not set");
	return NESO_OK;
}

neso_status neso_cache_pack(neso_context *context, const char *path, neso_cache_packed *packed, neso_diagnostics **diagnostics)
{
	return neso_cache_pack_signed(context, path, NULL, packed, diagnostics);
}

neso_status neso_cache_pack_signed(neso_context *context, const char *path, const char *key_file, neso_cache_packed *packed,
				   neso_diagnostics **diagnostics)
{
	PackArgs args = {context, path, key_file, packed, false};
	return api_run(context, diagnostics, pack, &args);
}

neso_status neso_cache_unpack(neso_context *context, const char *path, neso_cache_packed *packed, neso_diagnostics **diagnostics)
{
	return neso_cache_unpack_signed(context, path, NULL, packed, diagnostics);
}

neso_status neso_cache_unpack_signed(neso_context *context, const char *path, const char *key_file, neso_cache_packed *packed,
				     neso_diagnostics **diagnostics)
{
	PackArgs args = {context, path, key_file, packed, true};
	return api_run(context, diagnostics, pack, &args);
}

/* ---- packs by themselves ---- */

typedef struct PassArgs {
	const char *path, *to, *key_file;
	neso_cache_packed *packed;
} PassArgs;

static neso_status pass_pack(ApiCall *call, void *data)
{
	const PassArgs *args = data;
	CachePacked packed = {0};
	const char *why = NULL;
	CacheSecret room;
	const CacheSecret *secret;
	if (!args->path || (args->to && !args->key_file))
		return api_usage(call, "a pack is a file, and signing it wants a key");
	if (!read_secret(call, args->key_file, args->to != NULL, &room, &secret))
		return NESO_ERROR_SOURCE;
	bool good = args->to ? cache_pack_sign(args->path, args->to, secret, &packed, &why, &call->arena)
			     : cache_pack_check(args->path, secret, &packed, &why, &call->arena);
	if (!good) {
		diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_PACK, args->path, args->to ? "signed" : "checked",
			    why ? why : "it is no pack");
		return NESO_ERROR_SOURCE;
	}
	neso_cache_packed out = {.entries = packed.entries, .bytes = packed.bytes, .refused = packed.refused};
	if (args->packed && !api_write_struct(args->packed, &out, sizeof out))
		return api_usage(call, "neso_cache_packed.size is not set");
	return NESO_OK;
}

neso_status neso_pack_sign(neso_context *context, const char *path, const char *to, const char *key_file,
			   neso_cache_packed *packed, neso_diagnostics **diagnostics)
{
	PassArgs args = {path, to ? to : path, key_file, packed};
	return api_run(context, diagnostics, pass_pack, &args);
}

neso_status neso_pack_check(neso_context *context, const char *path, const char *key_file,
			    neso_cache_packed *packed, neso_diagnostics **diagnostics)
{
	PassArgs args = {path, NULL, key_file, packed};
	return api_run(context, diagnostics, pass_pack, &args);
}
