/* Choices of tuning in the compile cache, where packs take them from: an entry each. */
#include "api/tune/tune.h"

#include "cache/choice.h"
#include "tune/results.h"

static CacheKey key_of(Arena *arena, const TuneKey *of)
{
	CacheKey key;
	cache_key_init(&key, arena);
	cache_key_add(&key, "kind", "choice");
	cache_key_add(&key, "kernel", of->kernel);
	cache_key_add(&key, "content", of->content);
	cache_key_add(&key, "gpu", of->gpu);
	cache_key_add(&key, "driver", of->driver);
	cache_key_add(&key, "key", of->key);
	return key;
}

typedef struct KeptArgs {
	neso_tuned *tuned;
	neso_context *context;
	const neso_tuned_entry *key;
	bool keep_faster;
} KeptArgs;

/* NULL: there is no cache, which stops nothing. */
static CacheStore *store_of(ApiCall *call, const KeptArgs *args)
{
	return jit_cache_store(args->context->host.cache, &call->diags);
}

static void keep_one(CacheStore *store, const TuneEntry *entry, bool keep_faster)
{
	Arena arena;
	TuneResults one;
	Text text;
	arena_init(&arena, 0);
	tune_results_init(&one, &arena);
	tune_results_put(&one, entry);
	text_init(&text, &arena);
	tune_results_write(&one, &text);
	const CacheKey key = key_of(&arena, &entry->key);
	cache_choice_put(store, &key, entry->seconds, (Str){text.data, text.len}, keep_faster, &arena);
	arena_free(&arena);
}

static neso_status keep(ApiCall *call, void *data)
{
	const KeptArgs *args = data;
	if (!args->context || !args->tuned)
		return api_usage(call, "neso_tuned_keep wants a neso_tuned and a context");
	CacheStore *store = store_of(call, args);
	const TuneResults *results = api_tuned_results(args->tuned);
	for (uint32_t i = 0; store && i < results->count; i++)
		keep_one(store, &results->at[i], args->keep_faster);
	return NESO_OK;
}

neso_status neso_tuned_keep(const neso_tuned *tuned, neso_context *context, bool keep_faster,
			    neso_diagnostics **diagnostics)
{
	KeptArgs args = {(neso_tuned *)(uintptr_t)tuned, context, NULL, keep_faster};
	return api_run(context, diagnostics, keep, &args);
}

/* What is no file of choices adds nothing. */
static void add(void *results, Str text)
{
	const char *why;
	uint32_t line;
	tune_results_read(results, text, &why, &line);
}

static neso_status read_kept(ApiCall *call, void *data)
{
	const KeptArgs *args = data;
	neso_tuned_entry e;
	Str text;
	if (!args->context || !args->tuned)
		return api_usage(call, "neso_tuned_read_kept wants a neso_tuned and a context");
	CacheStore *store = store_of(call, args);
	TuneResults *results = api_tuned_results(args->tuned);
	if (!args->key) {
		if (store)
			cache_choices(store, add, results);
		return NESO_OK;
	}
	if (!api_read_struct(call, &e, sizeof e, args->key, "neso_tuned_entry"))
		return NESO_ERROR_USAGE;
	if (!e.kernel || !e.content || !e.gpu || !e.driver || !e.key)
		return api_usage(call, "a choice is looked for by kernel, content, gpu, driver and key");
	const TuneKey of = {e.kernel, e.content, e.gpu, e.driver, e.key};
	const CacheKey key = key_of(&call->arena, &of);
	if (store && cache_choice_get(store, &key, &call->arena, &text))
		add(results, text);
	return NESO_OK;
}

neso_status neso_tuned_read_kept(neso_tuned *tuned, neso_context *context, const neso_tuned_entry *key,
				 neso_diagnostics **diagnostics)
{
	KeptArgs args = {tuned, context, key, false};
	return api_run(context, diagnostics, read_kept, &args);
}
