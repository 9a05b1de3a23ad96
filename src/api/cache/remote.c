/* The remote cache: back ends of callers, waiting for what is on its way. */
#include "api/inner.h"

#include <math.h>

#include "base/option/option.h"
#include "cache/store.h"

_Static_assert((int)NESO_REMOTE_OK == CACHE_REMOTE_OK && (int)NESO_REMOTE_REFUSED == CACHE_REMOTE_REFUSED &&
		       (int)NESO_REMOTE_AWAY == CACHE_REMOTE_AWAY,
	       "results of back ends");

typedef struct RemoteArgs {
	neso_context *context;
	const neso_cache_remote *remote;
	double seconds; /* flush */
	uint64_t *left;
} RemoteArgs;

static neso_status set_remote(ApiCall *call, void *data)
{
	const RemoteArgs *args = data;
	neso_cache_remote remote;
	if (!args->context)
		return api_usage(call, "neso_cache_set_remote wants a context");
	if (!args->remote) {
		jit_cache_set_remote(args->context->host.cache, NULL, NULL, false, &call->arena);
		return NESO_OK;
	}
	if (!api_read_struct(call, &remote, sizeof remote, args->remote, "neso_cache_remote"))
		return NESO_ERROR_USAGE;
	bool functions = remote.get_many || remote.put;
	if (remote.url ? functions || remote.name : !functions || !remote.name)
		return api_usage(call, "neso_cache_remote wants a name and a function, or a URL");
	if (remote.url && cache_url_fault(remote.url)) {
		char shown[CACHE_REMOTE_WHY];
		cache_place_text(remote.url, shown, sizeof shown);
		return api_usage(call, "a remote cache at %s: %s", shown, cache_url_fault(remote.url));
	}
	CacheBackend backend = {.data = remote.data, .get_many = remote.get_many, .put = remote.put, .close = remote.close};
	jit_cache_set_remote(args->context->host.cache, remote.url ? NULL : &backend, remote.url ? remote.url : remote.name, remote.synchronous,
			     &call->arena);
	return NESO_OK;
}

neso_status neso_cache_set_remote(neso_context *context, const neso_cache_remote *remote, neso_diagnostics **diagnostics)
{
	RemoteArgs args = {.context = context, .remote = remote};
	return api_run(context, diagnostics, set_remote, &args);
}

static neso_status flush(ApiCall *call, void *data)
{
	const RemoteArgs *args = data;
	if (!args->context || isnan(args->seconds))
		return api_usage(call, "neso_cache_flush wants a context, and seconds");
	double seconds = args->seconds < 0 ? (double)option_number(OPTION_REMOTE_FLUSH) * 1e-3 : args->seconds;
	size_t left = jit_cache_flush(args->context->host.cache, seconds, &call->diags);
	if (args->left)
		*args->left = left;
	return NESO_OK;
}

neso_status neso_cache_flush(neso_context *context, double seconds, uint64_t *left, neso_diagnostics **diagnostics)
{
	RemoteArgs args = {.context = context, .seconds = seconds, .left = left};
	if (left)
		*left = 0;
	return api_run(context, diagnostics, flush, &args);
}
