/* Which constexprs of a kernel are numeric, asked before there is a call.
 *
 * Without a signature one is guessed: each parameter has a list of types or values that it might
 * have, and the guess is improved one parameter at a time, by how far the front end gets, until
 * the kernel compiles. */
#include "jit/inner.h"

static const char *const types[] = {"i32", "*fp32", "*i32", "fp32", NULL};
static const char *const constants[] = {"16", "128", "tl.float32", "None", "True", "'tf32'", "1", NULL};

typedef struct Guess {
	JitKernel *kernel;
	const JitOptions *options;
	Arena *arena;
	uint32_t *choice;  /* per parameter: index into its list */
	FrontClassed *classed;
	FrontFailure failure;
	const char *signature;
} Guess;

enum { FEW_STEPS = 4 };

static bool is_number(const char *text)
{
	return text[0] >= '0' && text[0] <= '9';
}

static bool has_word(const char *name, const char *word)
{
	for (; *name; name++) {
		size_t i = 0;
		while (word[i] && (name[i] | 32) == word[i])
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

/* What the parameter might be; NULL: it has a default. */
static const char *const *list_of(const FrontParam *param)
{
	if (param->value)
		return NULL;
	return param->is_constexpr ? constants : types;
}

static uint32_t first_choice(const FrontParam *param)
{
	if (param->is_constexpr)
		return has_word(param->name, "dtype") || has_word(param->name, "_type")
			       ? 2
			       : 0; /* in constants */
	return has_word(param->name, "ptr") || has_word(param->name, "pointer");
}

static const char *signature_of(const Guess *g)
{
	const FrontInfo *info = g->kernel->info;
	Text text;
	text_init(&text, g->arena);
	for (uint32_t i = 0; i < info->param_count; i++) {
		const FrontParam *param = &info->params[i];
		const char *const *list = list_of(param);
		text_printf(&text, i ? ", %s" : "%s", list ? list[g->choice[i]] : param->value);
	}
	return text.data ? text.data : "";
}

/* Everything of the bound signature that is demoted, classified. */
static bool classify(Guess *g, const char *signature, DiagList *diags)
{
	JitBinding binding;
	const FrontInfo *info = g->kernel->info;
	if (!jit_bind_signature(g->arena, g->kernel, signature, g->options, &binding, diags))
		return false;
	memset(g->classed, 0, (info->param_count + 1) * sizeof *g->classed);
	for (uint32_t i = 0; i < info->param_count; i++)
		if (info->params[i].is_constexpr)
			g->classed[i].reason = "it is no number";
	jit_front_classify(g->kernel, binding.args, g->options, g->arena, g->classed, &g->failure, NULL);
	g->signature = signature;
	return true;
}

static bool better(const FrontFailure *a, const FrontFailure *b)
{
	return b->failed &&
	       (!a->failed || a->work > b->work || (a->work == b->work && a->errors < b->errors));
}

/* One parameter takes what brings it furthest. False: none does. */
static bool improve(Guess *g, DiagList *diags)
{
	const FrontInfo *info = g->kernel->info;
	FrontFailure best = g->failure, before = best;
	uint32_t param = info->param_count, value = 0;
	for (uint32_t i = 0; i < info->param_count && best.failed; i++) {
		const char *const *list = list_of(&info->params[i]);
		uint32_t old = g->choice[i];
		for (uint32_t k = 0; list && list[k] && best.failed; k++) {
			g->choice[i] = k;
			if (k == old || !classify(g, signature_of(g), diags) || !better(&g->failure, &best))
				continue;
			/* With tiles of one element other rules hold: that is no step on the
			 * way. */
			if (list == constants && !list[k + 1] && g->failure.failed)
				continue;
			/* Where a dtype stands for a number, what follows from that is not looked
			 * at: fewer errors, and a step more, say nothing. */
			if (list == constants && !is_number(list[k]) && g->failure.failed &&
			    g->failure.work <= before.work + FEW_STEPS)
				continue;
			best = g->failure;
			param = i;
			value = k;
		}
		g->choice[i] = old;
	}
	if (param == info->param_count)
		return false;
	g->choice[param] = value;
	return classify(g, signature_of(g), diags);
}

/* Where two parameters must both be pointers, changing one helps nothing: all are taken for
 * such, if that is better. */
static void try_pointers(Guess *g, DiagList *diags)
{
	const FrontInfo *info = g->kernel->info;
	FrontFailure before = g->failure;
	uint32_t *old = g->choice;
	g->choice = ARENA_ARRAY(g->arena, uint32_t, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++)
		g->choice[i] = info->params[i].is_constexpr ? old[i] : 1; /* in types */
	while (before.failed && classify(g, signature_of(g), diags) && g->failure.failed && improve(g, diags))
		;
	if (better(&g->failure, &before))
		return;
	g->choice = old;
	classify(g, signature_of(g), diags);
}

static bool guess(Guess *g, DiagList *diags)
{
	const FrontInfo *info = g->kernel->info;
	g->choice = ARENA_ARRAY(g->arena, uint32_t, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++)
		g->choice[i] = first_choice(&info->params[i]);
	if (!classify(g, signature_of(g), diags))
		return false;
	while (g->failure.failed && improve(g, diags))
		;
	if (g->failure.failed)
		try_pointers(g, diags);
	return true;
}

/* False after diagnosing. `complete` is the options with which the kernel is tried. */
static bool guess_open(Guess *g, JitKernel *kernel, const JitOptions *options, JitOptions *complete,
		       DiagList *diags)
{
	*g = (Guess){.kernel = kernel, .options = complete, .arena = diags->arena};
	diags->sources = &kernel->module->sources;
	if (!jit_options(kernel, options, complete, diags))
		return false;
	complete->policy = JIT_POLICY_GENERIC;
	g->classed = ARENA_ARRAY(g->arena, FrontClassed, kernel->info->param_count + 1);
	return true;
}

JitStatus jit_guess_signature(JitKernel *kernel, const JitOptions *options, const char **guessed,
			      DiagList *diags)
{
	JitOptions complete;
	Guess g;
	if (!guess_open(&g, kernel, options, &complete, diags) || (kernel->function && !guess(&g, diags)))
		return JIT_ARGUMENT;
	*guessed = g.signature ? g.signature : "";
	return JIT_OK;
}

JitStatus jit_classify_signature(JitKernel *kernel, const char *signature, const JitOptions *options,
				 const FrontClassed **classed, const char **guessed, DiagList *diags)
{
	JitOptions complete;
	Guess g;
	*guessed = NULL;
	if (!guess_open(&g, kernel, options, &complete, diags))
		return JIT_ARGUMENT;
	if (!kernel->function) { /* IR text has no constexprs */
		*classed = g.classed;
		return JIT_OK;
	}
	if (signature ? !classify(&g, signature, diags) : !guess(&g, diags))
		return JIT_ARGUMENT;
	*classed = g.classed;
	if (!signature)
		*guessed = g.signature;
	if (!g.failure.failed)
		return JIT_OK;
	const FrontFailure *why = &g.failure;
	const char *place = why->path ? arena_printf(g.arena, "%s:%u:%u: ", why->path, why->at.line, why->at.col) : "";
	jit_diag(diags, kernel, signature ? DIAG_CLASSIFY_FAILED : DIAG_CLASSIFY_GUESS, kernel->info->qualified_name,
		 g.signature, place, why->text);
	return JIT_SOURCE;
}
