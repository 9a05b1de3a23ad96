/* Shared objects that callers keep in the cache. */
#include "api/inner.h"

#include "cache/entry/key.h"
#include "cache/disk/library.h"

typedef struct LibraryArgs {
	neso_context *context;
	const neso_cache_library *library;
	const void *bytes; /* put */
	size_t size;
	bool put;
	char **path;
} LibraryArgs;

/* Which element type a pointer has makes no other code of what only hands it on. */
static CacheDigest digest_of(Arena *arena, const neso_cache_library *l)
{
	CacheKey key;
	cache_key_init(&key, arena);
	cache_key_add(&key, "kind", "library");
	cache_key_add(&key, "version", l->version);
	cache_key_add(&key, "name", l->name ? l->name : "");
	for (size_t i = 0; i < l->argument_count; i++)
		cache_key_add(&key, "argument", l->arguments[i][0] == '*' ? "ptr" : l->arguments[i]);
	cache_key_add(&key, "constants", l->constants ? l->constants : "");
	for (size_t i = 0; i < l->id_count; i++)
		cache_key_add(&key, "id", l->ids[i]);
	return cache_key_digest(&key);
}

static bool check(ApiCall *call, const LibraryArgs *args, neso_cache_library *out)
{
	if (!args->context || !args->path)
		api_usage(call, "shared objects of the cache want a context, and a place for the path");
	else if (!args->library || !api_read_struct(call, out, sizeof *out, args->library, "neso_cache_library"))
		api_usage(call, "what a shared object is for is not said");
	else if (!out->version || (out->argument_count && !out->arguments) || (out->id_count && !out->ids))
		api_usage(call, "a neso_cache_library has a version, and as many arguments and ids as it says");
	else
		return true;
	return false;
}

static neso_status refuse(ApiCall *call, const char *path, const char *why)
{
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_LIBRARY, path, why);
	return NESO_ERROR_REFUSED;
}

static neso_status library(ApiCall *call, void *data)
{
	const LibraryArgs *args = data;
	neso_cache_library l;
	const char *path, *why;
	if (!check(call, args, &l))
		return NESO_ERROR_USAGE;
	if (args->put && !args->bytes)
		return api_usage(call, "a shared object of %zu bytes has none", args->size);
	CacheStore *store = jit_cache_store(args->context->host.cache, &call->diags);
	CacheDigest key = digest_of(&call->arena, &l);
	const char *shown = l.name ? l.name : l.version;
	if (!store || !cache_store_root(store))
		return args->put ? refuse(call, shown, "there is no compile cache to keep it in") : NESO_OK;
	if (args->put && !cache_library_put(store, &call->arena, &key, (Str){args->bytes, args->size}, &why))
		return refuse(call, shown, why);
	switch (cache_library_get(store, &call->arena, &key, &path, &why)) {
	case CACHE_LIBRARY_GOOD:
		*args->path = api_bytes(path, strlen(path));
		return NESO_OK;
	case CACHE_LIBRARY_DAMAGED:
		diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_DAMAGED, path, why);
		return NESO_OK;
	case CACHE_LIBRARY_REFUSED:
		return refuse(call, path, why);
	default:
		return NESO_OK;
	}
}

neso_status neso_cache_put_library(neso_context *context, const neso_cache_library *what, const void *bytes, size_t size, char **path,
				   neso_diagnostics **diagnostics)
{
	LibraryArgs args = {.context = context, .library = what, .bytes = bytes, .size = size, .put = true, .path = path};
	if (path)
		*path = NULL;
	return api_run(context, diagnostics, library, &args);
}

neso_status neso_cache_get_library(neso_context *context, const neso_cache_library *what, char **path, neso_diagnostics **diagnostics)
{
	LibraryArgs args = {.context = context, .library = what, .path = path};
	if (path)
		*path = NULL;
	return api_run(context, diagnostics, library, &args);
}
