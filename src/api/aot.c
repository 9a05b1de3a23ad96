/* Variants as C. */
#include "api/inner.h"

#include "aot/aot.h"

typedef struct AotArgs {
	neso_variant *const *variants;
	size_t count;
	const neso_aot_options *options;
	char **header, **source;
} AotArgs;

static neso_status write_aot(ApiCall *call, void *data)
{
	const AotArgs *args = data;
	neso_aot_options given;
	Text header, source;
	if (!args->variants || !args->options || !args->header || !args->source)
		return api_usage(call, "neso_aot_write wants variants, options, and places for two texts");
	if (!api_read_struct(call, &given, sizeof given, args->options, "neso_aot_options"))
		return NESO_ERROR_USAGE;
	if (!given.name)
		return api_usage(call, "neso_aot_options.name is what the files are called");
	for (size_t i = 0; i < args->count; i++)
		if (!args->variants[i])
			return api_usage(call, "a variant is NULL");
	const AotOptions options = {given.name, given.prefix, given.no_ptx, given.compress};
	const JitVariant **variants = ARENA_ARRAY(call->diags.arena, const JitVariant *, args->count + 1);
	for (size_t i = 0; i < args->count; i++)
		variants[i] = api_jit_variant(args->variants[i]);
	text_init(&header, call->diags.arena);
	text_init(&source, call->diags.arena);
	JitStatus status = aot_write(variants, args->count, &options, &header, &source, &call->diags);
	if (status != JIT_OK)
		return api_status(status);
	*args->header = api_bytes(header.data, header.len);
	*args->source = api_bytes(source.data, source.len);
	return NESO_OK;
}

neso_status neso_aot_write(neso_context *context, neso_variant *const *variants, size_t count, const neso_aot_options *options,
			   char **header, char **source, neso_diagnostics **diagnostics)
{
	AotArgs args = {variants, count, options, header, source};
	if (header)
		*header = NULL;
	if (source)
		*source = NULL;
	neso_status status = api_run(context, diagnostics, write_aot, &args);
	if (status != NESO_OK && header) {
		neso_text_free(*header);
		*header = NULL;
	}
	return status;
}
