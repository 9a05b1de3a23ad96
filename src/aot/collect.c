/* From variants to C functions: which variants share one, its parameters, and what tells its
 * variants apart. */
#include "aot/inner.h"

static const FrontInfo *info_of(const JitVariant *v)
{
	return v->kernel->info;
}

/* ---- classes of parameters ---- */

/* A constant's value, if it is an integer or a truth value. */
static bool constant_of(const JitVariant *v, uint32_t p, JitArg *out)
{
	const FrontArg *arg = &v->args[p];
	const char *text = arg->kind == FRONT_CONST	? arg->text
			   : arg->kind == FRONT_DEFAULT ? info_of(v)->params[p].value
							: NULL;
	return text && jit_literal(text, out) &&
	       (out->kind == JIT_BOOL || (out->kind == JIT_INT && !(out->is_unsigned && out->i < 0)));
}

/* "i32:1": an argument that is 1. */
static bool is_one(const JitVariant *v, uint32_t p)
{
	return v->args[p].kind == FRONT_CONST && !info_of(v)->params[p].is_constexpr &&
	       strcmp(v->args[p].text, "1") == 0;
}

static const char *class_of(const JitVariant *v, uint32_t p, Arena *arena)
{
	const FrontArg *arg = &v->args[p];
	const char *text = arg->text;
	JitArg constant;
	if (arg->kind == FRONT_DEMOTED)
		return arena_printf(arena, "number %s", jit_dtype_text(arg->dtype));
	if (arg->kind == FRONT_TYPE)
		return strcmp(text, "i32") == 0 || strcmp(text, "i64") == 0   ? "int"
		       : strcmp(text, "u32") == 0 || strcmp(text, "u64") == 0 ? "uint"
									      : text;
	if (constant_of(v, p, &constant))
		return constant.kind == JIT_BOOL ? "constant bool" : "constant int";
	return arena_printf(arena, "= %s", arg->kind == FRONT_CONST ? text : info_of(v)->params[p].value);
}

/* What is 1 has the type that the parameter has elsewhere. */
static const char *class_of_one(const JitVariant *const *variants, size_t count, const JitVariant *v,
				uint32_t p, Arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		const FrontArg *arg = &variants[i]->args[p];
		if (variants[i]->kernel == v->kernel && arg->kind == FRONT_TYPE &&
		    (arg->text[0] == 'i' || arg->text[0] == 'u'))
			return class_of(variants[i], p, arena);
	}
	return "int";
}

static const char *options_text(const JitVariant *v, Arena *arena)
{
	const JitOptions *o = &v->options;
	Text text;
	text_init(&text, arena);
	text_printf(&text, "num_warps=%u num_stages=%u", o->num_warps, o->num_stages);
	if (o->num_ctas > 1)
		text_printf(&text, " num_ctas=%u", o->num_ctas);
	if (o->maxnreg)
		text_printf(&text, " maxnreg=%u", o->maxnreg);
	text_str(&text, o->debug ? " debug" : "");
	text_str(&text, o->no_fp_fusion ? " no_fp_fusion" : "");
	text_str(&text, o->cooperative ? " cooperative" : "");
	text_str(&text, o->dependent ? " dependent" : "");
	return text.data;
}

static AotFunction *function_of(Aot *aot, const JitKernel *kernel, const char *const *classes,
				const char *options)
{
	uint32_t params = kernel->info->param_count;
	for (uint32_t i = 0; i < aot->functions.len; i++) {
		AotFunction *f = &aot->functions.data[i];
		bool same = f->kernel == kernel && strcmp(f->options, options) == 0;
		for (uint32_t p = 0; p < params && same; p++)
			same = strcmp(f->classes[p], classes[p]) == 0;
		if (same)
			return f;
	}
	AotFunction made = {.kernel = kernel, .options = options, .param_count = params};
	made.classes = ARENA_ARRAY(aot->arena, const char *, params + 1);
	if (params)
		memcpy(made.classes, classes, params * sizeof *classes);
	vec_push(aot->arena, &aot->functions, made);
	return &vec_last(&aot->functions);
}

/* ---- names ---- */

/* What a class adds to a function's name where another function of the kernel differs. */
static void add_word(Text *name, const char *text)
{
	bool blank = true;
	for (const char *c = text; *c; c++) {
		bool keep = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
		if (keep && blank)
			text_char(name, '_');
		if (keep)
			text_char(name, *c);
		blank = !keep;
	}
}

static bool differs(const Aot *aot, const AotFunction *f, uint32_t p)
{
	for (uint32_t i = 0; i < aot->functions.len; i++) {
		const AotFunction *other = &aot->functions.data[i];
		if (other->kernel == f->kernel && strcmp(other->classes[p], f->classes[p]) != 0)
			return true;
	}
	return false;
}

/* Options that are numbers, with the letters that names have for them. */
enum { NAMED_OPTIONS = 4 };
static void named_options(const AotFunction *f, uint32_t out[NAMED_OPTIONS])
{
	const JitOptions *o = &f->variants.data[0]->options;
	out[0] = o->num_warps, out[1] = o->num_stages, out[2] = o->num_ctas, out[3] = o->maxnreg;
}

static void add_options(const Aot *aot, const AotFunction *f, Text *name)
{
	uint32_t own[NAMED_OPTIONS], other[NAMED_OPTIONS];
	named_options(f, own);
	for (int o = 0; o < NAMED_OPTIONS; o++) {
		bool same = true;
		for (uint32_t i = 0; i < aot->functions.len && same; i++) {
			named_options(&aot->functions.data[i], other);
			same = aot->functions.data[i].kernel != f->kernel || other[o] == own[o];
		}
		if (!same)
			text_printf(name, "_%c%u", "wscr"[o], own[o]);
	}
}

static bool is_taken(const Aot *aot, const char *name, uint32_t before)
{
	for (uint32_t i = 0; i < before; i++)
		if (strcmp(aot->functions.data[i].name, name) == 0)
			return true;
	return false;
}

static void name_function(Aot *aot, uint32_t number)
{
	AotFunction *f = &aot->functions.data[number];
	Text name;
	text_init(&name, aot->arena);
	text_str(&name, aot->options->prefix ? aot->options->prefix : "");
	text_str(&name, f->kernel->info->name);
	for (uint32_t p = 0; p < f->param_count; p++)
		if (differs(aot, f, p))
			add_word(&name, f->classes[p]);
	add_options(aot, f, &name);
	f->name = aot_identifier(aot->arena, name.data);
	for (uint32_t n = 2; is_taken(aot, f->name, number); n++)
		f->name = arena_printf(aot->arena, "%s_%u", aot_identifier(aot->arena, name.data), n);
}

/* ---- parameters ---- */

static const struct {
	const char *name, *type;
	AotKind kind;
	uint32_t bits;
	bool is_signed;
} scalars[DT__COUNT] = {
	[DT_INT1] = {"i1", "bool", AOT_BOOL, 1, false},
	[DT_INT8] = {"i8", "int8_t", AOT_INTEGER, 8, true},
	[DT_UINT8] = {"u8", "uint8_t", AOT_INTEGER, 8, false},
	[DT_INT16] = {"i16", "int16_t", AOT_INTEGER, 16, true},
	[DT_UINT16] = {"u16", "uint16_t", AOT_INTEGER, 16, false},
	[DT_INT32] = {"i32", "int32_t", AOT_INTEGER, 32, true},
	[DT_UINT32] = {"u32", "uint32_t", AOT_INTEGER, 32, false},
	[DT_INT64] = {"i64", "int64_t", AOT_INTEGER, 64, true},
	[DT_UINT64] = {"u64", "uint64_t", AOT_INTEGER, 64, false},
	[DT_FP8E4B15] = {"fp8e4b15", "uint8_t", AOT_BITS, 8, false},
	[DT_FP8E4NV] = {"fp8e4nv", "uint8_t", AOT_BITS, 8, false},
	[DT_FP8E4B8] = {"fp8e4b8", "uint8_t", AOT_BITS, 8, false},
	[DT_FP8E5] = {"fp8e5", "uint8_t", AOT_BITS, 8, false},
	[DT_FP8E5B16] = {"fp8e5b16", "uint8_t", AOT_BITS, 8, false},
	[DT_FP16] = {"fp16", "uint16_t", AOT_BITS, 16, false},
	[DT_BF16] = {"bf16", "uint16_t", AOT_BITS, 16, false},
	[DT_FP32] = {"fp32", "float", AOT_FLOAT, 32, false},
	[DT_FP64] = {"fp64", "double", AOT_FLOAT, 64, false},
};

static void scalar_param(AotParam *out, TlDtype dtype)
{
	out->kind = scalars[dtype].kind;
	out->type = scalars[dtype].type;
	out->what = scalars[dtype].name;
	out->bits = scalars[dtype].bits;
	out->is_signed = scalars[dtype].is_signed;
}

static uint32_t rank_of(const char *descriptor)
{
	uint32_t rank = 1;
	for (const char *c = descriptor; *c; c++)
		rank += *c == ',';
	return rank;
}

/* The type that holds the parameter's values in all variants. */
static void typed_param(const AotFunction *f, uint32_t p, AotParam *out)
{
	out->kind = AOT_ABSENT;
	for (uint32_t i = 0; i < f->variants.len; i++) {
		const JitVariant *v = f->variants.data[i];
		const JitParam *param = &v->params[p];
		if (v->args[p].kind != FRONT_TYPE)
			continue;
		if (param->kind == JIT_PARAM_SCALAR &&
		    (out->kind == AOT_ABSENT || scalars[param->dtype].bits > out->bits))
			scalar_param(out, param->dtype);
		if (param->kind == JIT_PARAM_POINTER)
			*out = (AotParam){
				.kind = AOT_POINTER, .type = "const void *", .what = param->text};
		if (param->kind == JIT_PARAM_DESC)
			*out = (AotParam){.kind = AOT_TENSOR,
					  .type = "const neso_aot_tensor *",
					  .what = param->text,
					  .rank = rank_of(param->text)};
	}
	if (out->kind == AOT_ABSENT) /* it is 1 in all of them */
		scalar_param(out, DT_INT32);
}

/* A constant is a parameter where the variants differ in it. */
static void constant_param(const AotFunction *f, uint32_t p, AotParam *out)
{
	JitArg first = {0}, other = {0};
	bool vary = false;
	constant_of(f->variants.data[0], p, &first);
	for (uint32_t i = 1; i < f->variants.len; i++)
		vary |= constant_of(f->variants.data[i], p, &other) && other.i != first.i;
	if (vary)
		scalar_param(out, first.kind == JIT_BOOL ? DT_INT1 : DT_INT64);
	const FrontArg *arg = &f->variants.data[0]->args[p];
	out->kind = vary ? out->kind : AOT_ABSENT;
	out->what = vary		       ? "constexpr"
		    : arg->kind == FRONT_CONST ? arg->text
					       : f->kernel->info->params[p].value;
}

static void number_param(const AotFunction *f, uint32_t p, AotParam *out)
{
	scalar_param(out, f->variants.data[0]->args[p].dtype);
	out->what = "constexpr";
}

static void make_params(Aot *aot, AotFunction *f)
{
	f->params = ARENA_ARRAY(aot->arena, AotParam, f->param_count + 1);
	for (uint32_t p = 0; p < f->param_count; p++) {
		AotParam *out = &f->params[p];
		const char *class = f->classes[p];
		if (strncmp(class, "constant ", 9) == 0)
			constant_param(f, p, out);
		else if (strncmp(class, "number ", 7) == 0)
			number_param(f, p, out);
		else if (class[0] == '=')
			*out = (AotParam){.kind = AOT_ABSENT, .what = class + 2};
		else
			typed_param(f, p, out);
		out->name = aot_identifier(aot->arena, f->kernel->info->params[p].name);
		out->value = f->value_count;
		f->value_count += out->kind == AOT_ABSENT   ? 0
				  : out->kind == AOT_TENSOR ? 2 * out->rank + 2
							    : 1;
	}
}

/* ---- guards and cases ---- */

/* The guard's bit, which is new where no variant had it; 0 after diagnosing that there are too
 * many. */
static uint64_t guard(Aot *aot, AotFunction *f, AotGuard wanted)
{
	for (uint32_t i = 0; i < f->guards.len; i++) {
		const AotGuard *g = &f->guards.data[i];
		if (g->test == wanted.test && g->param == wanted.param && g->value == wanted.value &&
		    g->bits == wanted.bits && g->is_signed == wanted.is_signed)
			return UINT64_C(1) << i;
	}
	if (f->guards.len == AOT_GUARDS) {
		jit_diag(aot->diags, f->kernel, DIAG_AOT_GUARDS, f->kernel->info->qualified_name, AOT_GUARDS);
		return 0;
	}
	vec_push(aot->arena, &f->guards, wanted);
	return UINT64_C(1) << (f->guards.len - 1);
}

static uint64_t param_guards(Aot *aot, AotFunction *f, const JitVariant *v, uint32_t p)
{
	const AotParam *param = &f->params[p];
	const JitParam *own = &v->params[p];
	JitArg constant = {.i = 1};
	uint64_t bits = 0;
	if (param->kind == AOT_ABSENT)
		return 0;
	if (is_one(v, p) || (v->args[p].kind != FRONT_TYPE && constant_of(v, p, &constant)))
		return guard(aot, f, (AotGuard){.test = AOT_EQUAL, .param = p, .value = constant.i});
	if (v->args[p].kind != FRONT_TYPE)
		return 0;
	if (v->args[p].divisibility > 1)
		bits |= guard(
			aot, f,
			(AotGuard){.test = AOT_DIVISIBLE, .param = p, .value = v->args[p].divisibility});
	if (own->kind == JIT_PARAM_SCALAR && param->kind == AOT_INTEGER &&
	    scalars[own->dtype].bits < param->bits)
		bits |= guard(aot, f,
			      (AotGuard){.test = AOT_FITS,
					 .param = p,
					 .bits = scalars[own->dtype].bits,
					 .is_signed = scalars[own->dtype].is_signed});
	return bits;
}

/* Values that demoted constexprs are as the kernel's arguments, and what they must fit. */
static uint64_t number_guards(Aot *aot, AotFunction *f, const JitVariant *v)
{
	uint64_t bits = 0;
	for (uint32_t i = 0; i < v->numbers.count; i++) {
		const FrontNumber *n = &v->numbers.at[i];
		bool known = false;
		if (scalars[n->dtype].kind == AOT_BITS)
			jit_diag(aot->diags, f->kernel, DIAG_AOT_NUMBER,
				 f->kernel->info->params[n->param].name, scalars[n->dtype].name);
		for (uint32_t k = 0; k < f->numbers.len && !known; k++)
			known = f->numbers.data[k].param == n->param && f->numbers.data[k].dtype == n->dtype;
		if (!known)
			vec_push(aot->arena, &f->numbers, (AotNumber){n->param, n->dtype, f->value_count++});
		if (n->must_fit && scalars[n->dtype].kind == AOT_INTEGER &&
		    f->params[n->param].kind == AOT_INTEGER)
			bits |= guard(aot, f,
				      (AotGuard){.test = AOT_FITS,
						 .param = n->param,
						 .bits = scalars[n->dtype].bits,
						 .is_signed = scalars[n->dtype].is_signed});
	}
	return bits;
}

static uint64_t guards_of(Aot *aot, AotFunction *f, const JitVariant *v)
{
	uint64_t bits = number_guards(aot, f, v);
	for (uint32_t p = 0; p < f->param_count; p++)
		bits |= param_guards(aot, f, v, p);
	return bits;
}

static void add_case(Aot *aot, AotFunction *f, const JitVariant *v)
{
	uint64_t guards = guards_of(aot, f, v);
	for (uint32_t i = 0; i < f->cases.len; i++) {
		AotCase *c = &f->cases.data[i];
		if (c->guards != guards)
			continue;
		for (uint32_t k = 0; k < c->images.len; k++)
			if (c->images.data[k].variant->options.gpu == v->options.gpu &&
			    c->images.data[k].ptx == v->options.ptx_only)
				return;
		vec_push(aot->arena, &c->images, (AotImage){.variant = v, .ptx = v->options.ptx_only});
		return;
	}
	AotCase made = {.guards = guards, .number = f->cases.len};
	vec_push(aot->arena, &made.images, (AotImage){.variant = v, .ptx = v->options.ptx_only});
	vec_push(aot->arena, &f->cases, made);
}

/* How much a variant knows of its arguments: what knows more is tried first. */
static uint32_t knowledge(const AotFunction *f, const AotCase *c)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < f->guards.len; i++)
		if (c->guards >> i & 1)
			sum += f->guards.data[i].test == AOT_EQUAL ? 64
			       : f->guards.data[i].test == AOT_DIVISIBLE
				       ? 16 + (uint32_t)f->guards.data[i].value / 8
				       : 1;
	return sum;
}

/* By falling knowledge; the order stays among equals. */
static void sort_cases(AotFunction *f)
{
	for (uint32_t i = 1; i < f->cases.len; i++) {
		AotCase moved = f->cases.data[i];
		uint32_t at = i;
		for (; at && knowledge(f, &f->cases.data[at - 1]) < knowledge(f, &moved); at--)
			f->cases.data[at] = f->cases.data[at - 1];
		f->cases.data[at] = moved;
	}
}

/* ---- all ---- */

static bool for_gpu(Aot *aot, const JitVariant *v)
{
	bool good = v->gpu != NULL && !v->options.sim;
	if (!good)
		jit_diag(aot->diags, v->kernel, DIAG_AOT_TARGET, info_of(v)->qualified_name,
			 v->options.sim ? "the simulator" : "the interpreter");
	return good;
}

bool aot_collect(Aot *aot, const JitVariant *const *variants, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const JitVariant *v = variants[i];
		uint32_t params = info_of(v)->param_count;
		const char **classes = ARENA_ARRAY(aot->arena, const char *, params + 1);
		if (!for_gpu(aot, v))
			continue;
		for (uint32_t p = 0; p < params; p++)
			classes[p] = is_one(v, p) ? class_of_one(variants, count, v, p, aot->arena)
						  : class_of(v, p, aot->arena);
		AotFunction *f = function_of(aot, v->kernel, classes, options_text(v, aot->arena));
		vec_push(aot->arena, &f->variants, v);
	}
	for (uint32_t i = 0; i < aot->functions.len && !aot->diags->errors; i++) {
		AotFunction *f = &aot->functions.data[i];
		name_function(aot, i);
		make_params(aot, f);
		for (uint32_t k = 0; k < f->variants.len; k++)
			add_case(aot, f, f->variants.data[k]);
		sort_cases(f);
		for (uint32_t k = 0; k < f->cases.len; k++)
			f->cases.data[k].number = aot->case_count++;
	}
	return !aot->diags->errors;
}
