/* The pass runner: looks passes up by name and runs them in order, each between the caller's hooks, with
 * verification and the round trip through text when asked for. Scratch memory is one arena per run, taken
 * back to empty after each pass. */
#include "ir/pass.h"

#include "base/fault.h"
#include "base/os.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

static const PassInfo passes[] = {
#define PASS(fn, name, in, out, doc) {fn, name, LEVEL_##in, LEVEL_##out, doc},
#include "ir/passes.def"
#undef PASS
};

const PassInfo *pass_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(passes); i++)
		if (strcmp(passes[i].name, name) == 0)
			return &passes[i];
	return NULL;
}

const PassInfo *pass_table(size_t *count)
{
	*count = ARRAY_LEN(passes);
	return passes;
}

Diag *pass_diag(PassCx *cx, IrLoc loc, DiagCode code, ...)
{
	va_list args;
	IrLoc at = ir_loc_position(loc);
	LineCol place = at ? (LineCol){at->line, at->col + 1} : (LineCol){0};
	va_start(args, code);
	Diag *diag = diag_add_at_v(cx->diags, at ? at->text : NULL, place, code, args);
	va_end(args);
	for (IrLoc caller = ir_loc_caller(loc); caller; caller = ir_loc_caller(caller)) {
		at = ir_loc_position(caller);
		if (at)
			diag_note_at(cx->diags, diag, at->text, (LineCol){at->line, at->col + 1}, "called from here");
	}
	return diag;
}

/* ---- the round trip of stress mode ---- */

static uint32_t line_of_difference(const Text *a, const Text *b)
{
	uint32_t line = 1;
	for (size_t i = 0; i < MIN(a->len, b->len) && a->data[i] == b->data[i]; i++)
		line += a->data[i] == '\n';
	return line;
}

/* What was printed, read into a context of its own and printed again, must be the same text. */
static bool round_trip(const IrModule *module, const PassInfo *pass, Arena *scratch, DiagList *diags)
{
	Text before, after;
	text_init(&before, scratch);
	text_init(&after, scratch);
	ir_print(&before, module, (IrPrintOptions){0});

	SourceSet sources;
	DiagList found;
	IrCx cx;
	source_set_init(&sources, scratch);
	diag_init(&found, scratch, &sources);
	ir_cx_init(&cx, scratch);
	char *path = arena_printf(scratch, "after-%s.ttir", pass->name);
	IrModule *again = ir_read(&cx, source_add(&sources, path, before.data, before.len, 1), &found);
	if (!again) {
		Text why;
		text_init(&why, scratch);
		diag_render_all(&why, &found);
		diag_add(diags, (Span){0}, DIAG_PASS_UNREADABLE, pass->name, why.data ? why.data : "");
		return false;
	}
	ir_print(&after, again, (IrPrintOptions){0});
	if (before.len == after.len && memcmp(before.data, after.data, before.len) == 0)
		return true;
	diag_add(diags, (Span){0}, DIAG_PASS_ROUND_TRIP, pass->name, line_of_difference(&before, &after));
	return false;
}

/* ---- running ---- */

void pass_dump_before(Text *out, const PassInfo *pass, const IrModule *module)
{
	text_printf(out, "// -----// IR Dump Before %s (%s) ('builtin.module' operation) //----- //\n", pass->name, pass->name);
	ir_print(out, module, (IrPrintOptions){0});
	text_char(out, '\n');
}

static bool run_one(const PassInfo *pass, PassCx *cx, const PassOptions *options)
{
	if (options->hook)
		options->hook(options->hook_data, pass, cx->module, false, 0);
	double start = options->hook ? os_now() : 0;
	bool changed = false;
	bool ok = pass->run(cx, &changed);
	if (options->hook)
		options->hook(options->hook_data, pass, cx->module, true, os_now() - start);
	return ok;
}

static bool run_all(PassCx *cx, const char *const *names, size_t count, const PassOptions *options)
{
	unsigned level = options->level ? options->level : LEVEL_T;
	ArenaMark empty = arena_mark(cx->scratch);
	for (size_t i = 0; i < count; i++) {
		const PassInfo *pass = (options->find ? options->find : pass_by_name)(names[i]);
		ASSERT(pass != NULL);
		if (!(pass->level_in & level)) {
			diag_add(cx->diags, (Span){0}, DIAG_PASS_LEVEL, pass->name);
			return false;
		}
		if (!run_one(pass, cx, options))
			return false;
		if (!(pass->level_out & level))
			level = pass->level_out;
		bool good = !options->verify || ir_verify(cx->module, (IrLevel)level, cx->diags);
		if (good && options->verify && options->check && level == LEVEL_G)
			good = options->check(options->host, cx->module, cx->diags);
		if (!good) {
			diag_add(cx->diags, (Span){0}, DIAG_PASS_BROKE, pass->name);
			return false;
		}
		if (options->stress && !round_trip(cx->module, pass, cx->scratch, cx->diags))
			return false;
		arena_reset(cx->scratch, empty);
	}
	return true;
}

bool pass_run_list(IrModule *module, const char *const *names, size_t count, const PassOptions *given,
		   DiagList *diags)
{
	static const PassOptions none;
	Arena scratch;
	arena_init(&scratch, module->cx->arena->limit);
	PassCx cx = {.module = module, .diags = diags, .scratch = &scratch, .host = given ? given->host : NULL};
	Fault fault;
	/* The scratch arena is the only thing owned here: give it back before a fault goes on. */
	if (FAULT_TRY(&fault)) {
		bool ok = run_all(&cx, names, count, given ? given : &none);
		fault_leave(&fault);
		arena_free(&scratch);
		return ok;
	}
	arena_free(&scratch);
	fault_raise(fault.kind, "%s", fault.text);
}

/* ---- the standard pipeline ---- */

/* Upstream's order; then what nobody needs goes. */
#define BEFORE "structure", "inline", "rewrite-tensor-pointer"
#define AFTER "canonicalize", "combine", "reorder-broadcast", "cse", "symbol-dce", "loop-unroll", "dce"

const char *const *pass_ttir_pipeline(bool lower_descriptors, size_t *count)
{
	static const char *const with[] = {BEFORE, "lower-descriptors", AFTER};
	static const char *const without[] = {BEFORE, AFTER};
	*count = lower_descriptors ? ARRAY_LEN(with) : ARRAY_LEN(without);
	return lower_descriptors ? with : without;
}
