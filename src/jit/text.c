/* Passes on IR text, without a kernel around it: what `neso opt` does. */
#include "base/fault.h"
#include "ir/pass.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "jit/inner.h"

static bool known_passes(const JitIrOptions *options, DiagList *diags)
{
	size_t count;
	const PassInfo *table = pass_table(&count);
	const char **names = ARENA_ARRAY(diags->arena, const char *, count + 1);
	for (size_t i = 0; i < count; i++)
		names[i] = table[i].name;
	uint32_t before = diags->errors;
	for (uint32_t i = 0; i < options->pass_count; i++)
		if (!pass_by_name(options->passes[i]))
			diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_PASS_UNKNOWN, options->passes[i],
				    jit_nearest(diags->arena, options->passes[i], names, count));
	return diags->errors == before;
}

static bool run(Arena *arena, const Source *source, const JitIrOptions *options, Text *out, DiagList *diags)
{
	IrCx *cx = ARENA_NEW(arena, IrCx);
	ir_cx_init(cx, arena);
	IrModule *module = ir_read(cx, source, diags);
	if (!module || (!options->no_verify && !ir_verify(module, LEVEL_TG, diags)))
		return false;
	PassOptions pass = {.level = ir_module_level(module), .verify = options->verify_each, .stress = options->stress};
	if (!pass_run_list(module, options->passes, options->pass_count, &pass, diags) ||
	    (options->pass_count && !options->no_verify && !ir_verify(module, LEVEL_TG, diags)))
		return false;
	ir_print(out, module, (IrPrintOptions){.no_locations = options->no_locations});
	return true;
}

JitStatus jit_ir_run(const JitHost *host, const char *path, Str text, const JitIrOptions *options, Text *out,
		     DiagList *diags)
{
	if (!known_passes(options, diags))
		return JIT_ARGUMENT;
	Arena arena;
	Fault fault;
	volatile bool good = false;
	SourceSet sources;
	arena_init(&arena, host->compile_memory);
	if (FAULT_TRY(&fault)) {
		source_set_init(&sources, &arena);
		diags->sources = &sources;
		const char *copy = arena_strndup(&arena, text.ptr, text.len);
		good = run(&arena, source_add(&sources, path, copy, text.len, 1), options, out, diags);
		fault_leave(&fault);
	}
	diags->sources = NULL;
	arena_free(&arena);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return good ? JIT_OK : JIT_SOURCE;
}
