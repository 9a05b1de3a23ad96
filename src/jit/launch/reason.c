/* Why a variant was compiled: its difference from the nearest existing one, in a sentence; and the
 * warning about a kernel that gets many variants. */
#include "jit/inner.h"

/* ---- one parameter ---- */

/* A constant, given or by default; or NULL. */
static const char *constant(const FrontParam *param, const FrontArg *arg)
{
	return arg->kind == FRONT_CONST ? arg->text : arg->kind == FRONT_DEFAULT ? param->value : NULL;
}

static bool is_same(const FrontParam *param, const FrontArg *a, const FrontArg *b)
{
	const char *x = constant(param, a), *y = constant(param, b);
	if (x || y)
		return x && y && strcmp(x, y) == 0;
	if (a->kind != b->kind || a->kind == FRONT_DEFAULT)
		return a->kind == b->kind;
	if (a->kind == FRONT_DEMOTED)
		return a->dtype == b->dtype;
	return strcmp(a->text, b->text) == 0 && MAX(a->divisibility, 1u) == MAX(b->divisibility, 1u);
}

static const char *describe(Arena *arena, const FrontParam *param, const FrontArg *arg)
{
	enum { LONGEST = 60 };
	const char *text = arg->text;
	if (arg->kind == FRONT_DEMOTED)
		return arena_printf(arena, "any %s", jit_dtype_text(arg->dtype));
	if (arg->kind == FRONT_DEFAULT)
		text = param->value ? param->value : "the default";
	else if (arg->kind == FRONT_TYPE && strncmp(text, "*k", 2) == 0)
		text += 2;
	else if (arg->kind == FRONT_TYPE && text[0] == '*')
		text++;
	return strlen(text) <= LONGEST ? text : arena_printf(arena, "%.*s...", LONGEST, text);
}

/* "1001", or NULL when the value is not known or no integer. */
static const char *value_text(Arena *arena, const JitArg *given)
{
	if (!given || given->kind != JIT_INT)
		return NULL;
	return given->is_unsigned ? arena_printf(arena, "%llu", (unsigned long long)given->i)
				  : arena_printf(arena, "%lld", (long long)given->i);
}

static void add_alignment(Text *out, const FrontArg *before, const FrontArg *now, const char *value)
{
	bool fits = now->divisibility > 1;
	const uint32_t was = MAX(before->divisibility, 1u), is = MAX(now->divisibility, 1u);
	if (MIN(was, is) > 1 || MAX(was, is) != 16) { /* a parameter of which 8 counts too */
		value = value ? value : "now it";
		if (MIN(was, is) > 1)
			text_printf(out, "divisible by %u before, %s by %u", was, value, is);
		else
			text_printf(out, "%sdivisible by %u before, %s is%s", fits ? "not " : "",
				    MAX(was, is), value, fits ? "" : " not");
		return;
	}
	if (now->text[0] == '*')
		text_str(out, fits ? "not aligned to 16 bytes before, now it is" : "aligned to 16 bytes before, now it is not");
	else if (value)
		text_printf(out, "%sdivisible by 16 before, %s is%s", fits ? "not " : "", value, fits ? "" : " not");
	else
		text_printf(out, "%sdivisible by 16 before, now it is%s", fits ? "not " : "", fits ? "" : " not");
}

static void add_difference(Text *out, const FrontParam *param, const FrontArg *before, const FrontArg *now,
			   const JitArg *given)
{
	Arena *arena = out->arena;
	const char *value = value_text(arena, given);
	text_printf(out, "%s%s: ", out->len ? "; " : "", param->name);
	bool types = before->kind == FRONT_TYPE && now->kind == FRONT_TYPE;
	if (types && strcmp(before->text, now->text) == 0)
		add_alignment(out, before, now, value);
	else if (types || now->kind == FRONT_CONST || !value)
		text_printf(out, "%s before, now %s", describe(arena, param, before), describe(arena, param, now));
	else if (now->kind == FRONT_TYPE) /* a number that became a constant because it is 1 */
		text_printf(out, "%s before, now %s", describe(arena, param, before), value);
	else
		text_printf(out, "%s before, %s is %s", describe(arena, param, before), value,
			    now->kind == FRONT_DEMOTED ? jit_dtype_text(now->dtype) : "the default");
}

/* ---- options ---- */

typedef struct Option {
	const char *name;
	enum { NUMBER, SWITCH, TEXT } kind;
	uint64_t number;
	const char *text;
} Option;

enum { OPTION_COUNT = 21 };

/* In the order of the key. Allocates nothing. */
static Option option_of(const JitOptions *o, int index)
{
	switch (index) {
	case 0: return (Option){"num_warps", NUMBER, o->num_warps, NULL};
	case 1: return (Option){"num_stages", NUMBER, o->num_stages, NULL};
	case 2: return (Option){"num_ctas", NUMBER, o->num_ctas, NULL};
	case 3: return (Option){"maxnreg", NUMBER, o->maxnreg, NULL};
	case 4: return (Option){"target", TEXT, 0, o->sim ? o->target : o->gpu ? o->gpu->name : "interp"};
	case 5: return (Option){"fp_fusion", SWITCH, !o->no_fp_fusion, NULL};
	case 6: return (Option){"cooperative", SWITCH, o->cooperative, NULL};
	case 7: return (Option){"dependent_launch", SWITCH, o->dependent, NULL};
	case 8: return (Option){"line_info", SWITCH, !o->no_line_info, NULL};
	case 9: return (Option){"ptx_version", NUMBER, o->ptx_version, NULL};
	case 10: return (Option){"debug", SWITCH, o->debug, NULL};
	case 11: return (Option){"gpu_limits", SWITCH, !o->no_gpu_limits, NULL};
	case 12: return (Option){"ptx_only", SWITCH, o->ptx_only, NULL};
	case 13: return (Option){"tensor_maps", SWITCH, !o->no_maps, NULL};
	case 14: return (Option){"overflow_checks", SWITCH, !o->no_overflow_checks, NULL};
	case 15: return (Option){"override", TEXT, 0, o->override ? o->override : "none"};
	case 16: return (Option){"reflect_ftz", SWITCH, !o->no_reflect_ftz, NULL};
	case 17: return (Option){"strict_triton", SWITCH, o->strict, NULL};
	case 18: return (Option){"wide_offsets", SWITCH, o->wide_offsets, NULL};
	case 19: return (Option){"many_programs", SWITCH, o->many, NULL};
	default: return (Option){"dot_precision", TEXT, 0, o->dot_precision ? o->dot_precision : "tf32"};
	}
}

static bool same_option(const Option *a, const Option *b)
{
	return a->kind == TEXT ? strcmp(a->text, b->text) == 0 : a->number == b->number;
}

static const char *text_of_option(Arena *arena, const Option *o)
{
	if (o->kind == TEXT)
		return o->text;
	return o->kind == NUMBER ? arena_printf(arena, "%llu", (unsigned long long)o->number) : o->number ? "on" : "off";
}

/* ---- the sentence ---- */

static uint32_t distance(const JitVariant *a, const JitVariant *b)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < a->kernel->info->param_count; i++)
		count += !is_same(&a->kernel->info->params[i], &a->args[i], &b->args[i]);
	for (int i = 0; i < OPTION_COUNT; i++) {
		Option x = option_of(&a->options, i), y = option_of(&b->options, i);
		count += !same_option(&x, &y);
	}
	return count;
}

/* The newest of several. */
const JitVariant *jit_nearest_variant(const JitVariant *variant)
{
	const JitVariant *best = NULL;
	uint32_t least = UINT32_MAX;
	pthread_mutex_lock(&variant->kernel->module->table_lock);
	for (const JitVariant *v = variant->kernel->variants; v; v = v->next) {
		uint32_t d = v->ready ? distance(variant, v) : UINT32_MAX;
		if (d < least) {
			least = d;
			best = v;
		}
	}
	jit_hold(best);
	pthread_mutex_unlock(&variant->kernel->module->table_lock);
	return best;
}

const char *jit_reason(Arena *arena, const JitVariant *variant, const JitArg *const *given)
{
	const JitVariant *other = jit_nearest_variant(variant);
	const FrontInfo *info = variant->kernel->info;
	Text text;
	text_init(&text, arena);
	for (uint32_t i = 0; other && i < info->param_count; i++)
		if (!is_same(&info->params[i], &other->args[i], &variant->args[i]))
			add_difference(&text, &info->params[i], &other->args[i], &variant->args[i], given[i]);
	for (int i = 0; other && i < OPTION_COUNT; i++) {
		Option before = option_of(&other->options, i), now = option_of(&variant->options, i);
		if (!same_option(&before, &now))
			text_printf(&text, "%s%s: %s before, now %s", text.len ? "; " : "", now.name,
				    text_of_option(arena, &before), text_of_option(arena, &now));
	}
	jit_let_go(other);
	if (text.len)
		return text.data;
	return other ? "a constant that is the default: given before and not now, or the other way round" : "first variant";
}

/* ---- many variants ---- */

/* Variants that are many, and values of one parameter that multiply them: configurations of a search differ in a few values of
 * several, and there is nothing that would end that. */
enum { MANY = 16, MULTIPLY = MANY / 2 };

/* What several variants differ in most. */
typedef struct Most {
	uint32_t count;  /* of values */
	uint32_t param;  /* or the number of parameters: */
	int option;
} Most;

const JitVariant *const *jit_ready_variants(const JitKernel *kernel, Arena *arena, uint32_t *count)
{
	uint32_t room = jit_kernel_variants(kernel);
	const JitVariant **all = ARENA_ARRAY(arena, const JitVariant *, room + 1);
	*count = 0;
	pthread_mutex_lock(&kernel->module->table_lock);
	for (const JitVariant *v = kernel->variants; v && *count < room; v = v->next)
		if (v->ready) {
			jit_hold(v);
			all[(*count)++] = v;
		}
	pthread_mutex_unlock(&kernel->module->table_lock);
	return all;
}

static bool same_at(const JitVariant *a, const JitVariant *b, uint32_t param, int option)
{
	if (param < a->kernel->info->param_count)
		return is_same(&a->kernel->info->params[param], &a->args[param], &b->args[param]);
	Option x = option_of(&a->options, option), y = option_of(&b->options, option);
	return same_option(&x, &y);
}

static uint32_t distinct(const JitVariant *const *all, uint32_t count, uint32_t param, int option)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = 0;
		while (k < i && !same_at(all[k], all[i], param, option))
			k++;
		found += k == i;
	}
	return found;
}

static Most find_most(const JitVariant *const *all, uint32_t count)
{
	uint32_t params = all[0]->kernel->info->param_count;
	Most most = {0, params, 0};
	for (uint32_t i = 0; i < params + OPTION_COUNT; i++) {
		int option = i < params ? 0 : (int)(i - params);
		uint32_t n = distinct(all, count, MIN(i, params), option);
		if (n > most.count)
			most = (Most){n, MIN(i, params), option};
	}
	return most;
}

/* What ends it for a constexpr. */
static const char *constexpr_advice(const JitVariant *variant, uint32_t param, Arena *arena)
{
	uint32_t count = variant->kernel->info->param_count;
	FrontArg *args = ARENA_ARRAY(arena, FrontArg, count + 1);
	FrontClassed *classed = ARENA_ARRAY(arena, FrontClassed, count + 1);
	memcpy(args, variant->args, count * sizeof *args);
	JitArg literal;
	if (args[param].kind != FRONT_CONST || !jit_literal(args[param].text, &literal) ||
	    !jit_demote(&literal, args[param].text, &args[param]))
		return "each of them has its own code";
	jit_front_classify(variant->kernel, args, &variant->options, arena, classed, NULL, NULL);
	const FrontClassed *c = &classed[param];
	if (c->numeric)
		return "it is numeric: with the constexpr policy 'generic' one variant serves them all";
	const char *where = c->path ? arena_printf(arena, " at %s:%u:%u", c->path, c->at.line, c->at.col) : "";
	return arena_printf(arena, "it is structural%s (%s), so each of them has its own code", where, c->reason);
}

static const char *advice(const JitVariant *variant, const Most *most, Arena *arena)
{
	const FrontInfo *info = variant->kernel->info;
	if (most->param == info->param_count)
		return "each value of an option has its own code";
	if (info->params[most->param].is_constexpr)
		return constexpr_advice(variant, most->param, arena);
	const FrontArg *arg = &variant->args[most->param];
	return jit_multiplier_advice(&info->params[most->param],
				     arg->kind == FRONT_TYPE && arg->text[0] == '*', arena);
}

const char *jit_multiplier_advice(const FrontParam *param, bool is_pointer, Arena *arena)
{
	if (is_pointer)
		return arena_printf(arena, "do_not_specialize_on_alignment=['%s'] leaves its element types",
				    param->name);
	return arena_printf(arena, "do_not_specialize=['%s'] leaves its types", param->name);
}

static const char *name_of(const JitVariant *variant, const Most *most)
{
	const FrontInfo *info = variant->kernel->info;
	return most->param < info->param_count ? info->params[most->param].name
					       : option_of(&variant->options, most->option).name;
}

const char *jit_multiplier(const JitKernel *kernel, Arena *arena, uint32_t *values)
{
	uint32_t count;
	const JitVariant *const *all = jit_ready_variants(kernel, arena, &count);
	*values = 0;
	if (!count)
		return NULL;
	const Most most = find_most(all, count);
	*values = most.count;
	const char *name = name_of(all[0], &most);
	jit_let_all_go(all, count);
	return name;
}

void jit_warn_variants(JitKernel *kernel, const JitVariant *variant, DiagList *diags)
{
	/* Looking takes time that grows with their number, so it is done each time that they have doubled. */
	pthread_mutex_lock(&kernel->module->table_lock);
	bool now = kernel->variant_count > MANY && kernel->variant_count / 2 >= kernel->counted;
	if (now)
		kernel->counted = kernel->variant_count;
	pthread_mutex_unlock(&kernel->module->table_lock);
	if (!now)
		return;
	const FrontInfo *info = kernel->info;
	uint32_t count;
	const JitVariant *const *all = jit_ready_variants(kernel, diags->arena, &count);
	Most most = find_most(all, count);
	jit_let_all_go(all, count);
	if (most.count <= MULTIPLY)
		return;
	pthread_mutex_lock(&kernel->module->table_lock);
	bool first = kernel->counted != UINT32_MAX;
	kernel->counted = UINT32_MAX;
	pthread_mutex_unlock(&kernel->module->table_lock);
	if (!first)
		return;
	jit_diag(diags, kernel, DIAG_VARIANTS_MANY, info->qualified_name, count, name_of(variant, &most),
		 most.count, advice(variant, &most, diags->arena));
}
