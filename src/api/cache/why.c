/* The compile cache's entry points that look at keys: a kernel's own, why it missed, how two
 * differ. */
#include "api/cache/cache.h"

#include "cache/disk/log.h"
#include "cache/entry/key.h"

typedef struct KeyArgs {
	neso_kernel *kernel;
	const char *signature;
	const neso_compile_options *options;
	neso_cache_row_fn *each;
	void *data;
	char **key;
} KeyArgs;

static neso_status key_rows(ApiCall *call, void *data)
{
	const KeyArgs *args = data;
	JitOptions options;
	CacheKey key;
	if (!args->kernel || !args->signature)
		return api_usage(call, "neso_cache_key wants a kernel and a signature");
	if (!api_read_options(call, args->options, &options))
		return NESO_ERROR_USAGE;
	JitStatus status =
		jit_signature_rows(args->kernel->jit, args->signature, &options, &key, &call->diags);
	if (status != JIT_OK)
		return api_status(status);
	for (uint32_t i = 0; args->each && i < key.rows.len; i++)
		args->each(args->data, &(neso_cache_row){.size = sizeof(neso_cache_row),
							 .name = key.rows.data[i].name,
							 .value = key.rows.data[i].value});
	char hex[CACHE_HEX_SIZE];
	CacheDigest digest = cache_key_digest(&key);
	cache_digest_hex(&digest, hex);
	if (args->key)
		*args->key = api_bytes(hex, sizeof hex - 1);
	return NESO_OK;
}

neso_status neso_cache_key(neso_kernel *kernel, const char *signature, const neso_compile_options *options,
			   neso_cache_row_fn *each, void *data, char **key, neso_diagnostics **diagnostics)
{
	KeyArgs args = {kernel, signature, options, each, data, key};
	if (key)
		*key = NULL;
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, key_rows, &args);
}

typedef struct ExplainArgs {
	neso_context *context;
	const char *kernel;
	neso_cache_row_fn *each;
	void *data;
	uint64_t *misses;
} ExplainArgs;

static bool rows_of(CacheStore *store, const CacheDigest *digest, Arena *arena, CacheKey *key)
{
	CacheEntry entry;
	Str file, text;
	const char *why;
	if (!cache_read_file(store, CACHE_VARIANT, digest, arena, &file, &why) ||
	    !cache_entry_open(&entry, file, digest, &why) ||
	    !cache_entry_section(&entry, "key", arena, &text, &why))
		return false;
	cache_key_read(key, arena, text);
	return true;
}

static bool is_miss(const CacheEvent *event)
{
	return event->kind != CACHE_EVENT_HIT && event->kind != CACHE_EVENT_LAYER &&
	       event->kind != CACHE_EVENT_REMOTE;
}

/* The last miss whose entry is there; UINT32_MAX: none. */
static uint32_t last_miss(CacheStore *store, const CacheEvents *events, Arena *arena, CacheKey *key)
{
	for (uint32_t i = events->len; i-- > 0;)
		if (is_miss(&events->data[i]) && rows_of(store, &events->data[i].key, arena, key))
			return i;
	return UINT32_MAX;
}

static neso_status explain(ApiCall *call, void *data)
{
	enum { LOOKED_AT = 64 };
	const ExplainArgs *args = data;
	Arena *arena = &call->arena;
	if (!args->context || !args->kernel)
		return api_usage(call, "neso_cache_explain wants a context and the name of a kernel");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store)
		return NESO_ERROR_SOURCE;
	CacheEvents events = {0};
	CacheKey key, other;
	uint64_t misses = 0;
	cache_events(store, arena, args->kernel, &events);
	for (uint32_t i = 0; i < events.len; i++)
		misses += is_miss(&events.data[i]);
	if (args->misses)
		*args->misses = misses;
	uint32_t last = last_miss(store, &events, arena, &key), looked = 0;
	CacheDifferences nearest = {0};
	bool found = false;
	for (uint32_t i = last == UINT32_MAX ? 0 : last; i-- > 0 && looked < LOOKED_AT;) {
		if (cache_digest_eq(&events.data[i].key, &events.data[last].key) ||
		    !rows_of(store, &events.data[i].key, arena, &other))
			continue;
		CacheDifferences differences = {0};
		looked++;
		cache_key_compare(arena, &key, &other, &differences);
		if (!found || differences.len < nearest.len)
			nearest = differences;
		found = true;
	}
	for (uint32_t i = 0; args->each && i < nearest.len; i++)
		args->each(args->data, &(neso_cache_row){.size = sizeof(neso_cache_row),
							 .name = nearest.data[i].name,
							 .value = nearest.data[i].a,
							 .before = nearest.data[i].b});
	return NESO_OK;
}

neso_status neso_cache_explain(neso_context *context, const char *kernel, neso_cache_row_fn *each, void *data,
			       uint64_t *misses, neso_diagnostics **diagnostics)
{
	ExplainArgs args = {context, kernel, each, data, misses};
	if (misses)
		*misses = 0;
	return api_run(context, diagnostics, explain, &args);
}

typedef struct CompareArgs {
	neso_context *context;
	const char *keys[2];
	neso_cache_row_fn *each;
	void *data;
} CompareArgs;

static neso_status compare(ApiCall *call, void *data)
{
	const CompareArgs *args = data;
	CacheKey keys[2];
	if (!args->context || !args->keys[0] || !args->keys[1])
		return api_usage(call, "neso_cache_compare wants a context and two keys");
	CacheStore *store = api_cache_store(call, args->context);
	if (!store)
		return NESO_ERROR_SOURCE;
	for (int i = 0; i < 2; i++) {
		CacheFile found;
		if (!api_cache_find(call, store, args->keys[i], &found))
			return NESO_ERROR_ARGUMENT;
		if (found.kind != CACHE_VARIANT || !rows_of(store, &found.key, &call->arena, &keys[i])) {
			diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_AMBIGUOUS, args->keys[i],
				    "its entry has no rows");
			return NESO_ERROR_ARGUMENT;
		}
	}
	CacheDifferences differences = {0};
	cache_key_compare(&call->arena, &keys[0], &keys[1], &differences);
	for (uint32_t i = 0; args->each && i < differences.len; i++)
		args->each(args->data, &(neso_cache_row){.size = sizeof(neso_cache_row),
							 .name = differences.data[i].name,
							 .value = differences.data[i].b,
							 .before = differences.data[i].a});
	return NESO_OK;
}

neso_status neso_cache_compare(neso_context *context, const char *a, const char *b, neso_cache_row_fn *each,
			       void *data, neso_diagnostics **diagnostics)
{
	CompareArgs args = {context, {a, b}, each, data};
	return api_run(context, diagnostics, compare, &args);
}
