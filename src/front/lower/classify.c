/* front_classify: which constexprs can be demoted.
 *
 * The kernel is lowered with all of them demoted. What is asked for is structural; the lowering goes on with the value, and so
 * finds most of it at once. The rest is tried again, until nothing is asked for. */
#include "base/fault.h"
#include "front/core.h"
#include "front/demote.h"

static void structural(FrontArg *arg, FrontClassed *classed, const char *path, LineCol at, const char *reason)
{
	arg->kind = FRONT_CONST;
	*classed = (FrontClassed){.path = path, .at = at, .reason = reason};
}

/* What a lowering asked for. False: nothing, so that the demoted ones stay. */
static bool take_structural(const FrontLower *low, FrontArg *args, uint32_t arg_count, Arena *arena,
			    FrontClassed *classed)
{
	bool any = false;
	for (uint32_t i = 0; i < arg_count; i++) {
		if (args[i].kind != FRONT_DEMOTED)
			continue;
		const Demoted *d = low->demoted ? low->demoted[i] : NULL;
		if (d && !d->structural)
			continue;
		any = true;
		const Source *source = d ? source_get(&low->session->sources, d->where.file) : NULL;
		structural(&args[i], &classed[i], source ? arena_strdup(arena, source->path) : NULL,
			   source ? source_line_col(source, d->where.start) : (LineCol){0, 0},
			   d ? arena_strdup(arena, d->why) : "it is no number that an argument holds");
	}
	return any;
}

static FrontFailure failure_of(const FrontLower *low, Arena *arena)
{
	const Diag *d = low->diags->first;
	while (d && d->severity != DIAG_ERROR)
		d = d->next;
	return (FrontFailure){
		.failed = true,
		.path = d && d->path ? arena_strdup(arena, d->path) : NULL,
		.at = d ? d->from : (LineCol){0, 0},
		.text = arena_strdup(arena, d ? d->text : "a limit was reached"),
		.work = low->failed_work,
		.errors = low->diags->errors,
	};
}

static bool classify_once(FrontFunction *f, FrontArg *args, uint32_t arg_count, const FrontOptions *options, Arena *scratch,
			  Arena *arena, FrontClassed *classed, FrontFailure *failure)
{
	IrCx cx;
	DiagList diags;
	FrontLower low;
	ir_cx_init(&cx, scratch);
	diag_init(&diags, scratch, &f->module->session->sources);
	kernel_open(&low, f, options, &cx, &diags);
	low.quiet = true;
	bool ok = kernel_lower(&low, f, args, arg_count) && !diags.errors && !low.stopped;
	*failure = ok ? (FrontFailure){.failed = false} : failure_of(&low, arena);
	return take_structural(&low, args, arg_count, arena, classed);
}

static bool any_demoted(const FrontArg *args, uint32_t arg_count)
{
	for (uint32_t i = 0; i < arg_count; i++)
		if (args[i].kind == FRONT_DEMOTED)
			return true;
	return false;
}

static void classify(FrontFunction *f, FrontArg *args, uint32_t arg_count, const FrontOptions *options, Arena *arena,
		     FrontClassed *classed, FrontFailure *failure)
{
	bool again = true;
	while (again) {
		Arena scratch;
		Fault fault;
		arena_init(&scratch, 0);
		volatile bool found = false;
		if (FAULT_TRY(&fault)) {
			found = classify_once(f, args, arg_count, options, &scratch, arena, classed, failure);
			fault_leave(&fault);
		}
		arena_free(&scratch);
		if (fault.kind != FAULT_NONE)
			fault_raise(fault.kind, "%s", fault.text);
		again = found && any_demoted(args, arg_count);
	}
	for (uint32_t i = 0; i < arg_count; i++) {
		if (args[i].kind != FRONT_DEMOTED)
			continue;
		if (failure->failed)
			structural(&args[i], &classed[i], failure->path, failure->at,
				   arena_printf(arena, "the kernel does not compile: %s", failure->text));
		else
			classed[i] = (FrontClassed){.numeric = true};
	}
}

void front_classify(FrontFunction *function, FrontArg *args, uint32_t arg_count, const FrontOptions *options,
		    Arena *arena, FrontClassed *classed, FrontFailure *failure)
{
	FrontSession *s = function->module->session;
	FrontFailure unused;
	Fault fault;
	session_lock(s);
	if (FAULT_TRY(&fault)) {
		classify(function, args, arg_count, options, arena, classed, failure ? failure : &unused);
		fault_leave(&fault);
		session_unlock(s);
	} else {
		session_unlock(s);
		fault_raise(fault.kind, "%s", fault.text);
	}
}
