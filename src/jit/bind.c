/* Arguments of a call to the kernel's parameters: which goes where, what is concluded from its value
 * (specialisation, by upstream's rules), and the key of the variant that this asks for.
 *
 * An integer that is 1 becomes a constant, one divisible by 16 and a pointer aligned to 16 get that hint, unless the
 * parameter or the options say no; a parameter whose annotation names a type has that type and never
 * becomes a constant. None is a constant. */
#include "jit/inner.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *text;
} dtypes[DT__COUNT] = {
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) [DT_##kind] = {short_name},
#include "front/dtypes.def"
#undef DTYPE
};

const char *jit_dtype_text(TlDtype dtype)
{
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

void jit_diag(DiagList *diags, const JitKernel *kernel, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	diag_add_at_v(diags, kernel->info->path, kernel->info->at, code, args);
	va_end(args);
}

void jit_diag_param(DiagList *diags, const JitKernel *kernel, const FrontParam *param, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	diag_add_at_v(diags, kernel->info->path, param->at, code, args);
	va_end(args);
}

const char *jit_nearest(Arena *arena, const char *name, const char *const *candidates, size_t count)
{
	const char *nearest = str_nearest(str_of(name), candidates, count);
	return nearest ? arena_printf(arena, " (did you mean '%s'?)", nearest) : "";
}

/* ---- options ---- */

bool jit_options(const JitKernel *kernel, const JitOptions *given, JitOptions *out, DiagList *diags)
{
	*out = given ? *given : (JitOptions){0};
	out->num_warps = out->num_warps ? out->num_warps : 4;
	out->num_stages = out->num_stages ? out->num_stages : 3;
	out->num_ctas = out->num_ctas ? out->num_ctas : 1;
	out->policy = out->policy ? out->policy : kernel->module->host->policy;
	uint32_t before = diags->errors;
	if (!jit_target(kernel, out->target, &out->gpu, &out->sim, diags))
		return false;
	out->ptx_only = out->ptx_only && out->gpu && !out->sim;
	/* The CPU has no threads of a program to run out of. */
	_Static_assert(TARGET_MAX_THREADS == 32 * TARGET_WARP_SIZE, "as the text says");
	const char *warps = out->gpu ? "a power of two up to 32: a CTA has at most 1024 threads"
				     : "a power of two up to 64";
	if (!base_is_pow2(out->num_warps) || out->num_warps > (out->gpu ? 32 : 64))
		jit_diag(diags, kernel, DIAG_OPTION_VALUE, "num_warps", out->num_warps, warps);
	if (!base_is_pow2(out->num_ctas) || out->num_ctas > 16)
		jit_diag(diags, kernel, DIAG_OPTION_VALUE, "num_ctas", out->num_ctas, "a power of two up to 16");
	return diags->errors == before;
}

static void key_number(Text *key, const char *name, unsigned value, unsigned preset)
{
	if (value == preset)
		return;
	text_str(key, name);
	text_unsigned(key, value);
}

/* Made for each look-up, so nothing in it is formatted by printf that is there each time. */
const char *jit_key(Arena *arena, const JitKernel *kernel, const FrontArg *args, const JitOptions *options)
{
	Text key;
	text_init(&key, arena);
	text_str(&key, kernel->info->qualified_name);
	text_char(&key, '(');
	for (uint32_t i = 0, shown = 0; i < kernel->info->param_count; i++) {
		if (args[i].kind == FRONT_DEFAULT)
			continue;
		text_str(&key, shown++ ? ", " : "");
		text_str(&key, kernel->info->params[i].name);
		text_str(&key, args[i].kind == FRONT_DEMOTED ? ": constexpr " : args[i].kind == FRONT_CONST ? "=" : ": ");
		text_str(&key, args[i].kind == FRONT_DEMOTED ? jit_dtype_text(args[i].dtype) : args[i].text);
		if (args[i].divisibility > 1) {
			text_char(&key, ':');
			text_unsigned(&key, args[i].divisibility);
		}
	}
	text_char(&key, ')');
	key_number(&key, " num_warps=", options->num_warps, 4);
	key_number(&key, " num_stages=", options->num_stages, 3);
	key_number(&key, " num_ctas=", options->num_ctas, 1);
	key_number(&key, " maxnreg=", options->maxnreg, 0);
	if (options->gpu) {
		text_str(&key, options->sim ? " target=sim:" : " target=");
		text_str(&key, options->gpu->name);
	}
	if (options->no_fp_fusion)
		text_str(&key, " no_fp_fusion");
	if (options->cooperative)
		text_str(&key, " cooperative");
	if (options->dependent)
		text_str(&key, " dependent");
	if (options->no_line_info)
		text_str(&key, " no_line_info");
	if (options->ptx_only)
		text_str(&key, " ptx_only");
	key_number(&key, " ptx_version=", options->ptx_version, 0);
	if (options->no_maps)
		text_str(&key, " no_maps");
	if (options->debug)
		text_str(&key, " debug");
	if (options->no_gpu_limits)
		text_str(&key, " no_gpu_limits");
	if (options->dot_precision && strcmp(options->dot_precision, "tf32") != 0)
		text_printf(&key, " dot_precision=%s", options->dot_precision);
	return key.data;
}

/* ---- which argument goes where ---- */

static uint32_t find_param(const FrontInfo *info, const char *name)
{
	uint32_t i = 0;
	while (i < info->param_count && strcmp(info->params[i].name, name) != 0)
		i++;
	return i;
}

static void unknown_param(Arena *arena, const JitKernel *kernel, const char *name, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	const char **names = ARENA_ARRAY(arena, const char *, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++)
		names[i] = info->params[i].name;
	jit_diag(diags, kernel, DIAG_ARG_UNKNOWN, info->qualified_name, name,
		 jit_nearest(arena, name, names, info->param_count));
}

bool jit_match_args(Arena *arena, const JitKernel *kernel, const JitArg *args, uint32_t arg_count,
		    const JitArg **given, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	uint32_t before = diags->errors;
	for (uint32_t a = 0, next = 0; a < arg_count; a++) {
		uint32_t at;
		if (args[a].name) {
			at = find_param(info, args[a].name);
			if (at == info->param_count) {
				unknown_param(arena, kernel, args[a].name, diags);
				continue;
			}
		} else {
			while (next < info->param_count && given[next])
				next++;
			at = next;
			if (at == info->param_count) {
				jit_diag(diags, kernel, DIAG_ARG_TOO_MANY, info->qualified_name, info->param_count,
					 arg_count);
				break;
			}
		}
		if (given[at])
			jit_diag_param(diags, kernel, &info->params[at], DIAG_ARG_TWICE, info->params[at].name);
		given[at] = &args[a];
	}
	return diags->errors == before;
}

/* ---- numbers as text ---- */

bool jit_literal(const char *text, JitArg *out)
{
	char buffer[64], *end;
	size_t len = strlen(text);
	if (!len || len >= sizeof buffer)
		return false;
	if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
		*out = (JitArg){.kind = JIT_BOOL, .i = text[0] == 'T', .dtype = DT__COUNT};
		return true;
	}
	size_t digits = text[0] == '-' ? 1 : 0;
	if (strspn(text + digits, "0123456789") == len - digits && len > digits && len < 19) {
		*out = (JitArg){.kind = JIT_INT, .i = strtoll(text, NULL, 10), .dtype = DT__COUNT};
		return true;
	}
	if (strspn(text + digits, "0123456789.eE+-") != len - digits || !strpbrk(text, "0123456789"))
		return false;
	/* strtod wants the decimal point of the host's locale. */
	memcpy(buffer, text, len + 1);
	char *point = strchr(buffer, '.');
	if (point)
		*point = localeconv()->decimal_point[0];
	double value = strtod(buffer, &end);
	if (*end)
		return false;
	*out = (JitArg){.kind = JIT_FLOAT, .f = value, .dtype = DT__COUNT};
	return true;
}

const char *jit_float_text(Arena *arena, double value)
{
	if (value != value)
		return "float('nan')";
	if (value - value != 0)
		return value > 0 ? "float('inf')" : "float('-inf')";
	char *text = arena_printf(arena, "%.17g", value);
	char point = localeconv()->decimal_point[0];
	bool is_float = false;
	for (char *p = text; *p; p++) {
		if (*p == point)
			*p = '.';
		is_float |= *p == '.' || *p == 'e';
	}
	return is_float ? text : arena_printf(arena, "%s.0", text);
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
	if (arg->is_unsigned && arg->i < 0)
		return DT_UINT64;
	return arg->i >= INT32_MIN && arg->i <= INT32_MAX ? DT_INT32 : DT_INT64;
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
	} else if (specialize && arg->i == 1 && arg->dtype == DT__COUNT) {
		return constant("1");
	}
	FrontArg out = {.kind = FRONT_TYPE, .text = jit_dtype_text(dtype)};
	if (specialize && !param->do_not_specialize_on_alignment && arg->i % 16 == 0)
		out.divisibility = 16;
	return out;
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

static FrontArg bind_pointer(const Binder *b, const FrontParam *param, const JitArg *arg)
{
	Text type;
	text_init(&type, b->arena);
	text_char(&type, '*');
	text_str(&type, jit_dtype_text(arg->dtype));
	FrontArg out = {.kind = FRONT_TYPE, .text = type.data};
	if (!b->options->no_specialize && !param->do_not_specialize && !param->do_not_specialize_on_alignment &&
	    (uintptr_t)arg->address % 16 == 0)
		out.divisibility = 16;
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

/* A constexpr: a constant, or under the policy `generic` a number that may be demoted. */
static FrontArg bind_constexpr(const Binder *b, const FrontParam *param, const JitArg **given, JitArg *literal)
{
	const JitArg *arg = *given;
	const char *text = arg ? const_text(b->arena, arg) : param->value;
	FrontArg out = arg ? constant(text) : (FrontArg){.kind = FRONT_DEFAULT};
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
	switch (arg->kind) {
	case JIT_POINTER:
		return bind_pointer(b, param, arg);
	case JIT_DESCRIPTOR:
		return bind_descriptor(b, param, arg);
	default:
		return bind_scalar(b, param, arg);
	}
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
