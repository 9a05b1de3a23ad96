/* Specialises on each argument of a call (jit/rules.h): determines the type of its parameter, or
 * the constant that replaces it.
 *
 * Parameters and options may turn this off. A parameter whose annotation names a type has that
 * type and never becomes a constant. None is a constant. */
#include "jit/inner.h"

#include "jit/rules.h"

static const struct {
	const char *text;
} dtypes[DT__COUNT] = {
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) [DT_##kind] = {short_name},
#include "front/dtypes.def"
#undef DTYPE
};

const char *jit_dtype_text(TlDtype dtype)
{
	CONTRACT(dtype < DT__COUNT);
	return dtypes[dtype].text;
}

TlDtype jit_dtype_of(Str short_name)
{
	if (str_is(short_name, "u1"))
		return DT_INT1;
	for (TlDtype d = 0; d < DT__COUNT; d++)
		if (str_is(short_name, dtypes[d].text))
			return d;
	return DT__COUNT;
}

static const char *int_text(Arena *arena, const JitArg *arg)
{
	Text text;
	bool negative = !arg->is_unsigned && arg->i < 0;
	text_init(&text, arena);
	text_str(&text, negative ? "-" : "");
	text_unsigned(&text, negative ? -(uint64_t)arg->i : (uint64_t)arg->i);
	return text.data;
}

static const char *const_text(Arena *arena, const JitArg *arg)
{
	switch (arg->kind) {
	case JIT_INT:
		return int_text(arena, arg);
	case JIT_FLOAT:
		return jit_float_text(arena, arg->f);
	case JIT_BOOL:
		return arg->i ? "True" : "False";
	default:
		return arg->expr;
	}
}

/* ---- one parameter ---- */

typedef struct Binder {
	Arena *arena;
	const JitKernel *kernel;
	const JitOptions *options;
	DiagList *diags;
} Binder;

static TlDtype int_dtype(const JitArg *arg)
{
	if (rule_uint64(arg->i, arg->is_unsigned))
		return DT_UINT64;
	return rule_int32(arg->i) ? DT_INT32 : DT_INT64;
}

static FrontArg constant(const char *text)
{
	return (FrontArg){.kind = FRONT_CONST, .text = text};
}

static FrontArg bind_int(const Binder *b, const FrontParam *param, const JitArg *arg)
{
	bool specialize = !b->options->no_specialize && !param->do_not_specialize;
	TlDtype dtype = arg->dtype != DT__COUNT ? arg->dtype : int_dtype(arg);
	if (param->dtype) {
		dtype = jit_dtype_of(str_of(param->dtype));
		specialize &= strncmp(param->dtype, "fp", 2) != 0 && strncmp(param->dtype, "bf", 2) != 0;
	} else if (specialize && !param->never_one && rule_constant(arg->i) && arg->dtype == DT__COUNT) {
		return constant("1");
	}
	FrontArg out = {.kind = FRONT_TYPE, .text = jit_dtype_text(dtype)};
	if (specialize && !param->do_not_specialize_on_alignment)
		out.divisibility = rule_divisor((uint64_t)arg->i, param->div8 || param->div8_int);
	return out;
}

/* A parameter that is always 1. */
static FrontArg bind_one(const Binder *b, const FrontParam *param, const JitArg *arg)
{
	if (arg->kind != JIT_INT || !rule_constant(arg->i))
		jit_diag_param(b->diags, b->kernel, param, DIAG_ARG_NOT_ONE, param->name,
			       arg->kind == JIT_INT || arg->kind == JIT_FLOAT || arg->kind == JIT_BOOL
				       ? const_text(b->arena, arg) : "something that is no number");
	return constant("1");
}

static FrontArg bind_scalar(const Binder *b, const FrontParam *param, const JitArg *arg)
{
	if (arg->kind == JIT_INT)
		return bind_int(b, param, arg);
	TlDtype dtype = arg->dtype;
	if (param->dtype)
		dtype = jit_dtype_of(str_of(param->dtype));
	else if (dtype == DT__COUNT)
		dtype = arg->kind == JIT_BOOL ? DT_INT1 : DT_FP32;
	return (FrontArg){.kind = FRONT_TYPE, .text = jit_dtype_text(dtype)};
}

/* Annotated with tl.const: what it points to is not stored to. */
static bool is_const(const FrontParam *param)
{
	const char *said = param->annotation;
	return said && strstr(said, "const") && !strstr(said, "constexpr");
}

static FrontArg bind_pointer(const Binder *b, const FrontParam *param, const JitArg *arg)
{
	Text type;
	text_init(&type, b->arena);
	text_str(&type, is_const(param) ? "*k" : "*");
	text_str(&type, jit_dtype_text(arg->dtype));
	FrontArg out = {.kind = FRONT_TYPE, .text = type.data};
	if (!b->options->no_specialize && !param->do_not_specialize && !param->do_not_specialize_on_alignment)
		out.divisibility = rule_divisor((uintptr_t)arg->address, param->div8);
	return out;
}

static FrontArg bind_descriptor(const Binder *b, const FrontParam *param, const JitArg *arg)
{
	const char *wrong = NULL;
	if (arg->rank < 1 || arg->rank > 5)
		wrong = "its rank must be 1 to 5";
	else if (arg->strides[arg->rank - 1] != 1)
		wrong = "its last stride must be 1";
	for (uint32_t i = 0; !wrong && i < arg->rank; i++)
		if (arg->block_shape[i] <= 0 || !base_is_pow2((uint64_t)arg->block_shape[i]))
			wrong = "its block shape must be made of powers of two";
		else if (arg->shape[i] < 0)
			wrong = "its shape must not be negative";
	if (wrong) {
		jit_diag_param(b->diags, b->kernel, param, DIAG_ARG_DESCRIPTOR, param->name, wrong);
		return constant("None");
	}
	Text text;
	text_init(&text, b->arena);
	text_printf(&text, "tensordesc<%s[", jit_dtype_text(arg->dtype));
	for (uint32_t i = 0; i < arg->rank; i++)
		text_printf(&text, i ? ", %lld" : "%lld", (long long)arg->block_shape[i]);
	text_str(&text, "]>");
	return (FrontArg){.kind = FRONT_TYPE, .text = text.data};
}

/* Of a constexpr that is not given: as if its default were, where that is a number of which no text
 * but this is known. */
FrontArg jit_bind_default(const FrontParam *param)
{
	JitArg literal;
	bool plain = param->is_constexpr && param->value && jit_literal(param->value, &literal) &&
		     literal.kind != JIT_FLOAT;
	return plain ? constant(param->value) : (FrontArg){.kind = FRONT_DEFAULT};
}

/* A constexpr: a constant, or under the policy `generic` a number that may be demoted. */
static FrontArg bind_constexpr(const Binder *b, const FrontParam *param, const JitArg **given, JitArg *literal)
{
	const JitArg *arg = *given;
	const char *text = arg ? const_text(b->arena, arg) : param->value;
	FrontArg out = arg ? constant(text) : jit_bind_default(param);
	if (b->options->policy != JIT_POLICY_GENERIC || !text)
		return out;
	if (!arg || arg->kind == JIT_EXPR) {
		if (!jit_literal(text, literal))
			return out;
		*given = arg = literal;
	}
	jit_demote(arg, text, &out);
	return out;
}

/* `literal`: room for what an expression turns out to be. */
static FrontArg bind_param(const Binder *b, const FrontParam *param, const JitArg **given, JitArg *literal)
{
	const JitArg *arg = *given;
	bool is_pointer = arg && (arg->kind == JIT_POINTER || arg->kind == JIT_DESCRIPTOR);
	if (param->is_constexpr) {
		if (is_pointer)
			jit_diag_param(b->diags, b->kernel, param, DIAG_ARG_NOT_CONSTEXPR, param->name,
				 arg->kind == JIT_POINTER ? "buffer" : "tensor descriptor");
		else if (!arg && !param->value)
			jit_diag_param(b->diags, b->kernel, param, DIAG_ARG_MISSING_CONSTEXPR, param->name,
				 b->kernel->info->qualified_name);
		return is_pointer ? (FrontArg){.kind = FRONT_DEFAULT} : bind_constexpr(b, param, given, literal);
	}
	if (!arg && !param->value) {
		jit_diag_param(b->diags, b->kernel, param, DIAG_ARG_MISSING, param->name, b->kernel->info->qualified_name);
		return constant("None");
	}
	/* A plain number, written as an expression or as the default, is a run-time value like any other. */
	const char *expr = !arg ? param->value : arg->kind == JIT_EXPR ? arg->expr : NULL;
	if (expr) {
		if (!jit_literal(expr, literal))
			return arg ? constant(expr) : (FrontArg){.kind = FRONT_DEFAULT};
		if (arg)
			literal->dtype = arg->dtype;
		*given = arg = literal;
	}
	if (param->always_one)
		return bind_one(b, param, arg);
	switch (arg->kind) {
	case JIT_POINTER:
		return bind_pointer(b, param, arg);
	case JIT_DESCRIPTOR:
		return bind_descriptor(b, param, arg);
	default:
		return bind_scalar(b, param, arg);
	}
}

FrontArg jit_bind_value(Arena *arena, const JitKernel *kernel, uint32_t param, const JitArg *value,
			const JitOptions *options, DiagList *diags)
{
	JitArg literal;
	const Binder b = {arena, kernel, options, diags};
	return bind_param(&b, &kernel->info->params[param], &value, &literal);
}

bool jit_bind(Arena *arena, const JitKernel *kernel, const JitArg *args, uint32_t arg_count, const JitOptions *options,
	      JitBinding *binding, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	Binder b = {arena, kernel, options, diags};
	uint32_t before = diags->errors;
	binding->args = ARENA_ARRAY(arena, FrontArg, info->param_count + 1);
	binding->given = ARENA_ARRAY(arena, const JitArg *, info->param_count + 1);
	if (!jit_match_args(arena, kernel, args, arg_count, binding->given, diags))
		return false;
	JitArg *literals = ARENA_ARRAY(arena, JitArg, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++)
		binding->args[i] = bind_param(&b, &info->params[i], &binding->given[i], &literals[i]);
	jit_binding_done(binding, info->param_count);
	if (diags->errors != before)
		return false;
	binding->launched = true;
	binding->key = jit_key(arena, kernel, binding->args, options);
	return true;
}

JitParam jit_param_of(const FrontArg *arg)
{
	JitParam param = {.kind = JIT_PARAM_CONST, .divisibility = arg->divisibility, .text = arg->text, .dtype = DT__COUNT};
	if (arg->kind == FRONT_DEMOTED) {
		param.kind = JIT_PARAM_NUMBER;
		param.dtype = arg->dtype;
	}
	if (arg->kind != FRONT_TYPE)
		return param;
	Str text = str_of(arg->text);
	static const Str desc = {"tensordesc<", sizeof "tensordesc<" - 1};
	if (text.len && text.ptr[0] == '*') {
		param.kind = JIT_PARAM_POINTER;
		text.ptr++, text.len--;
		if (text.len && text.ptr[0] == 'k')
			text.ptr++, text.len--;
	} else if (text.len > desc.len && memcmp(text.ptr, desc.ptr, desc.len) == 0) {
		param.kind = JIT_PARAM_DESC;
		text.ptr += desc.len, text.len -= desc.len;
		text.len = strcspn(text.ptr, "[");
	} else {
		param.kind = JIT_PARAM_SCALAR;
	}
	param.dtype = jit_dtype_of(text);
	return param;
}
