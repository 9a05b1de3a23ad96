/* Files that callers keep in the cache. */
#include "api/inner.h"

#include <stdlib.h>

#include "cache/disk/files.h"

typedef struct FileArgs {
	neso_context *context;
	const char *key, *name;
	const neso_cache_file *in; /* put */
	size_t in_count;
	bool group, *stored;
	char **bytes; /* get */
	size_t *size;
	neso_cache_file **files;
} FileArgs;

static bool check(ApiCall *call, const FileArgs *args)
{
	if (args->context && args->key && args->name)
		return true;
	api_usage(call, "files of the cache want a context, a key and a name");
	return false;
}

static neso_status put(ApiCall *call, void *data)
{
	const FileArgs *args = data;
	if (!check(call, args))
		return NESO_ERROR_USAGE;
	if (args->in_count && !args->in)
		return api_usage(call, "a group of %zu files wants the files", args->in_count);
	if (args->in_count > CACHE_GROUP_LARGEST)
		return api_usage(call, "a group has at most %d files", (int)CACHE_GROUP_LARGEST);
	CacheNamed *files = ARENA_ARRAY(&call->arena, CacheNamed, args->in_count + 1);
	for (size_t i = 0; i < args->in_count; i++) {
		if (!args->in[i].name || (args->in[i].size && !args->in[i].bytes))
			return api_usage(call, "file %zu of a group has no name or no bytes", i);
		files[i] = (CacheNamed){args->in[i].name, {args->in[i].bytes ? args->in[i].bytes : "", args->in[i].size}};
	}
	CacheStore *store = jit_cache_store(args->context->host.cache, &call->diags);
	bool stored = store && (args->group ? cache_group_put(store, &call->arena, args->key, args->name, files, (uint32_t)args->in_count)
					    : cache_file_put(store, &call->arena, args->key, args->name, files[0].bytes));
	if (args->stored)
		*args->stored = stored;
	return NESO_OK;
}

static neso_status get(ApiCall *call, void *data)
{
	const FileArgs *args = data;
	Str bytes;
	if (!check(call, args) || !args->bytes || !args->size)
		return api_usage(call, "neso_cache_get wants a context, a key, a name, and a place for the bytes");
	CacheStore *store = jit_cache_store(args->context->host.cache, &call->diags);
	if (store && cache_file_get(store, &call->arena, args->key, args->name, &bytes)) {
		*args->bytes = api_bytes(bytes.ptr, bytes.len);
		*args->size = bytes.len;
	}
	return NESO_OK;
}

/* One block: the table, then names and bytes. */
static neso_cache_file *one_block(const CacheNameds *files)
{
	size_t size = (files->len + 1) * sizeof(neso_cache_file);
	for (uint32_t i = 0; i < files->len; i++)
		size += strlen(files->data[i].name) + files->data[i].bytes.len + 2;
	char *block = malloc(size);
	if (!block)
		fault_raise(FAULT_MEMORY, "out of memory (%zu bytes asked for)", size);
	neso_cache_file *out = (neso_cache_file *)(void *)block;
	char *at = block + (files->len + 1) * sizeof *out;
	for (uint32_t i = 0; i < files->len; i++) {
		size_t name = strlen(files->data[i].name) + 1, len = files->data[i].bytes.len;
		memcpy(at, files->data[i].name, name);
		if (len)
			memcpy(at + name, files->data[i].bytes.ptr, len);
		at[name + len] = '\0';
		out[i] = (neso_cache_file){at, at + name, len};
		at += name + len + 1;
	}
	return out;
}

static neso_status get_group(ApiCall *call, void *data)
{
	const FileArgs *args = data;
	CacheNameds files;
	if (!check(call, args) || !args->files || !args->size)
		return api_usage(call, "neso_cache_get_group wants a context, a key, a name, and a place for the files");
	CacheStore *store = jit_cache_store(args->context->host.cache, &call->diags);
	if (store && cache_group_get(store, &call->arena, args->key, args->name, &files)) {
		*args->files = one_block(&files);
		*args->size = files.len;
	}
	return NESO_OK;
}

neso_status neso_cache_put(neso_context *context, const char *key, const char *name, const void *bytes, size_t size, bool *stored,
			   neso_diagnostics **diagnostics)
{
	neso_cache_file file = {name, bytes, size};
	FileArgs args = {.context = context, .key = key, .name = name, .in = &file, .in_count = 1, .stored = stored};
	return api_run(context, diagnostics, put, &args);
}

neso_status neso_cache_get(neso_context *context, const char *key, const char *name, char **bytes, size_t *size,
			   neso_diagnostics **diagnostics)
{
	FileArgs args = {.context = context, .key = key, .name = name, .bytes = bytes, .size = size};
	if (bytes)
		*bytes = NULL;
	if (size)
		*size = 0;
	return api_run(context, diagnostics, get, &args);
}

neso_status neso_cache_put_group(neso_context *context, const char *key, const char *name, const neso_cache_file *files,
				 size_t count, bool *stored, neso_diagnostics **diagnostics)
{
	FileArgs args = {.context = context, .key = key, .name = name, .in = files, .in_count = count, .group = true, .stored = stored};
	return api_run(context, diagnostics, put, &args);
}

neso_status neso_cache_get_group(neso_context *context, const char *key, const char *name, neso_cache_file **files, size_t *count,
				 neso_diagnostics **diagnostics)
{
	FileArgs args = {.context = context, .key = key, .name = name, .files = files, .size = count};
	if (files)
		*files = NULL;
	if (count)
		*count = 0;
	return api_run(context, diagnostics, get_group, &args);
}

void neso_cache_group_free(neso_cache_file *files)
{
	free(files);
}
