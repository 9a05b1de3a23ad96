/* The pass runner: looks passes up by name and runs them in order, each between the caller's
 * hooks. On request it verifies, round-trips the module through text, and checks what the pass's
 * row claims. Scratch memory is one arena per run, emptied after each pass. */
#include "ir/pass.h"

#include <stdlib.h>

#include "base/fault.h"
#include "base/os.h"
#include "base/stop.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

static const PassInfo passes[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) {fn, name, LEVEL_##in, LEVEL_##out, PASS_##when, needs, keeps, doc},
#define AGAIN(name, when)
#include "ir/passes.def"
#undef AGAIN
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

/* ---- the round trip of stress mode ---- */

static uint32_t line_of_difference(const Text *a, const Text *b)
{
	uint32_t line = 1;
	for (size_t i = 0; i < MIN(a->len, b->len) && a->data[i] == b->data[i]; i++)
		line += a->data[i] == '\n';
	return line;
}

/* What was printed, read into a context of its own and printed again, must be the same text. */
static bool round_trip(const Text *before, const PassInfo *pass, Arena *scratch, DiagList *diags)
{
	Text after;
	text_init(&after, scratch);
	SourceSet sources;
	DiagList found;
	IrCx cx;
	source_set_init(&sources, scratch);
	diag_init(&found, scratch, &sources);
	ir_cx_init(&cx, scratch);
	char *path = arena_printf(scratch, "after-%s.ttir", pass->name);
	IrModule *again = ir_read(&cx, source_add(&sources, path, before->data, before->len, 1), &found);
	if (!again) {
		Text why;
		text_init(&why, scratch);
		diag_render_all(&why, &found);
		diag_add(diags, (Span){0}, DIAG_PASS_UNREADABLE, pass->name, why.data ? why.data : "");
		return false;
	}
	ir_print(&after, again, (IrPrintOptions){0});
	if (before->len == after.len && memcmp(before->data, after.data, before->len) == 0)
		return true;
	diag_add(diags, (Span){0}, DIAG_PASS_ROUND_TRIP, pass->name, line_of_difference(before, &after));
	return false;
}

/* ---- what a pass says of itself ---- */

/* Analyses that the pass keeps must be what they would be if they were computed now. */
static bool keeps_what_it_says(PassCx *cx, const PassInfo *pass)
{
	const PassAnalyses *a = cx->analyses;
	for (unsigned i = 0; i < a->count; i++) {
		if (!a->values[i])
			continue;
		const void *now = a->rows[i].compute(cx, cx->scratch);
		if (a->rows[i].equal(cx->module, a->values[i], now))
			continue;
		diag_add(cx->diags, (Span){0}, DIAG_PASS_KEEPS, pass->name, a->rows[i].name);
		return false;
	}
	return true;
}

/* A run with the checks of stress mode. */
typedef struct Stress {
	bool on;
	uint64_t hash; /* of the module's text */
} Stress;

static Text module_text(const IrModule *module, Arena *arena)
{
	Text text;
	text_init(&text, arena);
	ir_print(&text, module, (IrPrintOptions){0});
	return text;
}

static bool hold_to_its_word(Stress *stress, PassCx *cx, const PassInfo *pass, bool changed)
{
	Text text = module_text(cx->module, cx->scratch);
	uint64_t hash = str_hash(text.data, text.len);
	if (!round_trip(&text, pass, cx->scratch, cx->diags))
		return false;
	if (!changed && hash != stress->hash) {
		diag_add(cx->diags, (Span){0}, DIAG_PASS_CHANGED, pass->name);
		return false;
	}
	stress->hash = hash;
	return keeps_what_it_says(cx, pass);
}

/* ---- running ---- */

void pass_dump_before(Text *out, const PassInfo *pass, const IrModule *module)
{
	text_printf(out, "// -----// IR Dump Before %s (%s) ('builtin.module' operation) //----- //\n", pass->name, pass->name);
	ir_print(out, module, (IrPrintOptions){0});
	text_char(out, '\n');
}

/* Does a list with "," between hold the name? */
static bool pass_list_has(const char *list, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = list; at && *at; at += *at == ',') {
		size_t n = strcspn(at, ",");
		if (n == len && memcmp(at, name, n) == 0)
			return true;
		at += n;
	}
	return false;
}

/* `stop_after` is NAME or NAME:N: which run of the pass is the last one. */
static unsigned last_run_of(const char *stop_after, const char *name)
{
	size_t len = strlen(name);
	if (!stop_after || strncmp(stop_after, name, len) != 0 || (stop_after[len] && stop_after[len] != ':'))
		return 0;
	return stop_after[len] ? (unsigned)strtoul(stop_after + len + 1, NULL, 10) : 1;
}

static bool run_one(const PassInfo *pass, PassCx *cx, const PassOptions *options, bool *changed)
{
	if (options->hook)
		options->hook(options->hook_data, pass, cx->module, false, 0);
	double start = options->hook ? os_now() : 0;
	cx->pass = pass;
	bool ok = pass->run(cx, changed);
	cx->pass = NULL;
	if (options->hook)
		options->hook(options->hook_data, pass, cx->module, true, os_now() - start);
	if (*changed)
		pass_analyses_drop(cx->analyses, pass->keeps);
	return ok;
}

static bool run_all(PassCx *cx, const char *const *names, size_t count, const PassOptions *options)
{
	unsigned level = options->level ? options->level : LEVEL_T, runs = 0;
	ArenaMark empty = arena_mark(cx->scratch);
	Stress stress = {.on = options->stress};
	if (stress.on) {
		Text text = module_text(cx->module, cx->scratch);
		stress.hash = str_hash(text.data, text.len);
		arena_reset(cx->scratch, empty);
	}
	for (size_t i = 0; i < count; i++) {
		stop_point();
		const PassInfo *pass = (options->find ? options->find : pass_by_name)(names[i]);
		ASSERT(pass != NULL);
		if (!(pass->level_in & level)) {
			diag_add(cx->diags, (Span){0}, DIAG_PASS_LEVEL, pass->name);
			return false;
		}
		bool changed = false, skipped = pass_may_be_skipped(pass) && pass_list_has(options->skip, pass->name);
		if (skipped)
			continue;
		if (!run_one(pass, cx, options, &changed))
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
		if (stress.on && !hold_to_its_word(&stress, cx, pass, changed))
			return false;
		arena_reset(cx->scratch, empty);
		unsigned last = last_run_of(options->stop_after, pass->name);
		if (last && ++runs == last)
			return true;
	}
	return true;
}

/* What the run owns is given back before a fault goes on. */
static bool run_and_give_back(PassCx *cx, PassAnalyses *own, const char *const *names, size_t count,
			      const PassOptions *options)
{
	Fault fault;
	volatile bool ok = false;
	if (FAULT_TRY(&fault)) {
		ok = run_all(cx, names, count, options);
		fault_leave(&fault);
	}
	arena_free(cx->scratch);
	pass_analyses_free(own);
	if (fault.kind == FAULT_NONE)
		return ok;
	fault_raise(fault.kind, "%s", fault.text);
}

bool pass_run_list(IrModule *module, const char *const *names, size_t count, const PassOptions *given,
		   DiagList *diags)
{
	static const PassOptions none;
	const PassOptions *options = given ? given : &none;
	size_t limit = module->cx->arena->limit;
	Arena scratch;
	PassAnalyses own = {0};
	arena_init(&scratch, limit);
	if (!options->analyses && options->open_analyses)
		options->open_analyses(&own, limit);
	PassCx cx = {.module = module,
		     .diags = diags,
		     .scratch = &scratch,
		     .host = options->host,
		     .analyses = options->analyses ? options->analyses : &own};
	return run_and_give_back(&cx, &own, names, count, options);
}

/* ---- the standard pipeline ---- */

const char *const *pass_names_of(Arena *arena, const PassStep *steps, size_t count, bool pointers, size_t *out)
{
	const char **names = ARENA_ARRAY(arena, const char *, count);
	*out = 0;
	for (size_t i = 0; i < count; i++)
		if (steps[i].when != PASS_NAMED && (steps[i].when != PASS_POINTERS || pointers))
			names[(*out)++] = steps[i].name;
	return names;
}

const char *const *pass_ttir_pipeline(Arena *arena, bool pointers, size_t *count)
{
	static const PassStep steps[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) {name, PASS_##when},
#define AGAIN(name, when) {name, PASS_##when},
#include "ir/passes.def"
#undef AGAIN
#undef PASS
	};
	return pass_names_of(arena, steps, ARRAY_LEN(steps), pointers, count);
}
