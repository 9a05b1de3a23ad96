/* Passes on IR text without a kernel around it: what `neso opt` does. */
#include "base/fault.h"
#include "base/option/option.h"
#include "ir/pass.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "jit/codegen_load.h"
#include "jit/inner.h"

/* Is every pass known, here or in the code generator? `missing` (or NULL) is why that is not there. */
static bool known_passes(const JitIrOptions *options, const CodegenTable *table, const char *missing, DiagList *diags)
{
	size_t count;
	const PassInfo *here = pass_table(&count);
	CodegenPassList there = table ? table->passes() : (CodegenPassList){0};
	const char **names = ARENA_ARRAY(diags->arena, const char *, count + there.count + 1);
	for (size_t i = 0; i < count; i++)
		names[i] = here[i].name;
	for (size_t i = 0; i < there.count; i++)
		names[count++] = there.rows[i].name;
	uint32_t before = diags->errors;
	for (uint32_t i = 0; i < options->pass_count; i++) {
		size_t at = 0;
		while (at < count && strcmp(names[at], options->passes[i]) != 0)
			at++;
		if (at < count)
			continue;
		Diag *diag = diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_PASS_UNKNOWN, options->passes[i],
					 jit_nearest(diags->arena, options->passes[i], names, count));
		if (missing)
			diag_note_at(diags, diag, NULL, (LineCol){0, 0}, "%s", missing);
	}
	return diags->errors == before;
}

/* The same of the pass that the pipeline stops after, NAME or NAME:N. */
static bool known_stop(const JitIrOptions *options, const CodegenTable *table, const char *missing, DiagList *diags)
{
	const char *name = arena_strndup(diags->arena, options->stop_after, strcspn(options->stop_after, ":"));
	JitIrOptions one = {.passes = &name, .pass_count = 1};
	if (options->pass_count) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_PASS_STOP, options->stop_after);
		return false;
	}
	return known_passes(&one, table, missing, diags);
}

static bool all_here(const JitIrOptions *options)
{
	for (uint32_t i = 0; i < options->pass_count; i++)
		if (!pass_by_name(options->passes[i]))
			return false;
	return true;
}

/* What the code generator gave: its text, and its diagnostics into the list. */
static bool take_result(CodegenResult *result, CodegenStage stage, const CodegenTable *table, Text *out, DiagList *diags)
{
	if (!result) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OUT_OF_MEMORY, "code generation");
		return false;
	}
	bool good = codegen_take_diags(result, diags) && result->ok;
	if (good)
		text_add(out, result->stage[stage].data, result->stage[stage].len);
	table->free(result);
	return good;
}

/* Of which stage text is, the code generator has to be told: TTGIR says its warps. */
static CodegenStage stage_of(Str text)
{
	static const char mark[] = "ttg.num-warps";
	for (size_t i = 0; i + sizeof mark <= text.len; i++)
		if (memcmp(text.ptr + i, mark, sizeof mark - 1) == 0)
			return CODEGEN_TTGIR;
	return CODEGEN_TTIR;
}

static bool run_there(const char *path, Str text, const JitIrOptions *options, const CodegenTable *table, Text *out,
		      DiagList *diags)
{
	CodegenStage stage = stage_of(text);
	CodegenRequest request = {
		.from = stage,
		.to = stage,
		.text = text.ptr,
		.len = text.len,
		.path = path,
		.target = options->target ? options->target : "sm_90a",
		.num_warps = options->num_warps,
		.num_ctas = options->num_ctas,
		.num_stages = options->num_stages,
		.verify_passes = options->verify_each || options->stress,
		.no_locations = options->no_locations,
		.portable_order = option_is_on(OPTION_PORTABLE_ORDER),
		.roles = option_text(OPTION_ROLES),
		.persist = option_text(OPTION_PERSIST),
		.turns = option_text(OPTION_TURNS),
		.multicast = option_text(OPTION_MULTICAST),
		.skip_passes = option_given(OPTION_SKIP_PASSES, NULL),
		.stop_after = options->stop_after,
	};
	return take_result(table->run_passes(&request, options->passes, options->pass_count), stage, table, out, diags);
}

static bool run(Arena *arena, const Source *source, const JitIrOptions *options, Text *out, DiagList *diags)
{
	IrCx *cx = ARENA_NEW(arena, IrCx);
	ir_cx_init(cx, arena);
	IrModule *module = ir_read(cx, source, diags);
	/* Passes take it that what they get was verified. */
	bool verify = !options->no_verify || options->pass_count || options->stress;
	if (!module || (verify && !ir_verify(module, LEVEL_TG, diags)))
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
	DiagList loading;
	diag_init(&loading, diags->arena, NULL);
	bool here = all_here(options) && !options->stop_after;
	const CodegenTable *table = here ? NULL : codegen_load(&loading);
	if (options->stop_after && !known_stop(options, table, loading.first ? loading.first->text : NULL, diags))
		return JIT_ARGUMENT;
	if (!known_passes(options, table, loading.first ? loading.first->text : NULL, diags))
		return JIT_ARGUMENT;
	if (table)
		return run_there(path, text, options, table, out, diags) ? JIT_OK : JIT_SOURCE;
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

const char *jit_codegen_pass(size_t index, const char **doc, bool *optional)
{
	Arena arena;
	SourceSet sources;
	DiagList diags;
	const char *name = NULL;
	arena_init(&arena, 0);
	source_set_init(&sources, &arena);
	diag_init(&diags, &arena, &sources);
	const CodegenTable *table = codegen_load(&diags);
	CodegenPassList list = table ? table->passes() : (CodegenPassList){0};
	for (size_t i = 0; i < list.count && !name; i++) {
		if (pass_by_name(list.rows[i].name) || index-- > 0)
			continue;
		name = list.rows[i].name;
		*optional = list.rows[i].optional;
		*doc = list.rows[i].doc;
	}
	arena_free(&arena);
	return name;
}

JitStatus jit_layout_text(const char *layout, const char *to, const char *type, const char *target, Text *out,
			  DiagList *diags)
{
	const CodegenTable *table = codegen_load(diags);
	if (!table)
		return JIT_ARGUMENT;
	CodegenResult *result = table->layout(layout, to, type, target);
	return take_result(result, CODEGEN_TTGIR, table, out, diags) ? JIT_OK : JIT_SOURCE;
}
