/* Callers that keep variants in the cache's place (neso_keeper). */
#include "api/inner.h"

#include "cache/entry/entry.h"

struct neso_kept_answer {
	Arena *arena;
	CacheSection *out;
	size_t count, room;
	bool no_memory;
};

/* Called by the caller's own function: nothing may be raised through that. */
void neso_kept_give(neso_kept_answer *answer, const char *name, const void *bytes, size_t size)
{
	if (!answer || !name || (size && !bytes) || answer->count == answer->room)
		return;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		CacheSection *section = &answer->out[answer->count];
		section->name = arena_strdup(answer->arena, name);
		section->bytes = (Str){arena_strndup(answer->arena, size ? bytes : "", size), size};
		answer->count++;
		fault_leave(&fault);
	} else {
		answer->no_memory = true;
	}
}

static bool on_active(void *data)
{
	const neso_context *context = data;
	const neso_keeper *keeper = &context->keeper;
	return !keeper->active || keeper->active(keeper->data);
}

static neso_kept_request request_of(JitKept what, const char *key, const char *kernel)
{
	static const neso_kept kinds[] = {
		[JIT_KEPT_VARIANT] = NESO_KEPT_VARIANT, [JIT_KEPT_DUMP] = NESO_KEPT_DUMP, [JIT_KEPT_OVERRIDE] = NESO_KEPT_OVERRIDE,
	};
	return (neso_kept_request){.size = sizeof(neso_kept_request), .what = kinds[what], .key = key, .kernel = kernel};
}

static size_t on_get(void *data, JitKept what, const char *key, const char *kernel, Arena *arena, CacheSection *out, size_t room)
{
	const neso_context *context = data;
	neso_kept_request request = request_of(what, key, kernel);
	neso_kept_answer answer = {.arena = arena, .out = out, .room = room - 1};
	context->keeper.get(context->keeper.data, &request, &answer);
	return answer.no_memory ? 0 : answer.count;
}

static void on_put(void *data, JitKept what, const char *key, const char *kernel, const CacheSection *sections, size_t count)
{
	const neso_context *context = data;
	neso_kept_request request = request_of(what, key, kernel);
	neso_cache_file files[CACHE_SECTIONS + 2];
	for (size_t i = 0; i < count; i++)
		files[i] = (neso_cache_file){sections[i].name, sections[i].bytes.ptr, sections[i].bytes.len};
	context->keeper.put(context->keeper.data, &request, files, count);
}

bool api_read_keeper(ApiCall *call, neso_context *context, const neso_keeper *given)
{
	if (!given)
		return true;
	if (!api_read_struct(call, &context->keeper, sizeof context->keeper, given, "neso_keeper"))
		return false;
	if (!context->keeper.get || !context->keeper.put) {
		api_usage(call, "a neso_keeper has get and put");
		return false;
	}
	context->host.keeper = (JitKeeper){.active = on_active, .get = on_get, .put = on_put};
	return true;
}
