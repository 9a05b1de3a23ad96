/* Names of packages that are not read: Python's math, and what kernels' files take from torch, os, packaging. */
#include "front/host/bigint.h"
#include "front/host/host.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "front/reads.h"

/* ---- math ---- */

static const Val *math_1(FrontLower *low, const CallArgs *args, const char *name, double (*fn)(double))
{
	const Val *v = host_known(low, args->args[0], name);
	double d;
	if (!v || !val_as_double(v, &d))
		return v ? host_bad_argument(low, name, v) : low->poison;
	double r = fn(d);
	return isnan(r) && !isnan(d) ? host_bad_argument(low, name, v) : val_float(low, r);
}

#define MATH(name)                                                                              \
	const Val *host_math_##name(FrontLower *low, const Val *self, const CallArgs *args)        \
	{                                                                                       \
		(void)self;                                                                     \
		return math_1(low, args, "math." #name, name);                                  \
	}
MATH(sqrt)
MATH(exp)
MATH(log2)
MATH(log10)
MATH(sin)
MATH(cos)
MATH(tan)
MATH(tanh)
MATH(atan)
MATH(erf)
MATH(fabs)

const Val *host_math_log(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *top = math_1(low, args, "math.log", log);
	if (args->arg_count < 2 || top->kind == VAL_POISON)
		return top;
	const Val *base = math_1(low, &(CallArgs){.args = args->args + 1, .arg_count = 1}, "math.log", log);
	return base->kind == VAL_POISON ? base : host_binary(low, BIN_DIV, top, base);
}

static const Val *to_int(FrontLower *low, const CallArgs *args, const char *name, double (*fn)(double))
{
	const Val *v = host_known(low, args->args[0], name);
	if (!v || v->kind == VAL_INT)
		return v ? v : low->poison;
	double d;
	const BigInt *big = val_as_double(v, &d) ? big_of_double(low->arena, fn(d)) : NULL;
	return big ? val_big(low, big) : host_bad_argument(low, name, v);
}

const Val *host_math_ceil(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return to_int(low, args, "math.ceil", ceil);
}

const Val *host_math_floor(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return to_int(low, args, "math.floor", floor);
}

const Val *host_math_pow(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	double a, b;
	if (!val_as_double(args->args[0], &a) || !val_as_double(args->args[1], &b))
		return host_bad_argument(low, "math.pow", args->args[0]);
	return val_float(low, pow(a, b));
}

const Val *host_math_gcd(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	int64_t a, b;
	if (!val_as_int(args->args[0], &a) || !val_as_int(args->args[1], &b))
		return host_bad_argument(low, "math.gcd", args->args[0]);
	while (b) {
		int64_t t = b == -1 ? 0 : a % b;
		a = b;
		b = t;
	}
	return val_int(low, a < 0 ? -a : a);
}

const Val *host_math_isnan(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	double d = 0;
	return val_as_double(args->args[0], &d) ? val_bool(low, isnan(d)) : host_bad_argument(low, "math.isnan", args->args[0]);
}

const Val *host_math_isinf(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	double d = 0;
	return val_as_double(args->args[0], &d) ? val_bool(low, isinf(d)) : host_bad_argument(low, "math.isinf", args->args[0]);
}

/* ---- what other packages give ---- */

typedef struct FloatLimits {
	TlDtype dtype;
	double min, max, eps, tiny;
} FloatLimits;

static const FloatLimits float_limits[] = {
	{DT_FP16, -65504, 65504, 0x1p-10, 0x1p-14},
	{DT_BF16, -0x1.fep127, 0x1.fep127, 0x1p-7, 0x1p-126},
	{DT_FP32, -0x1.fffffep127, 0x1.fffffep127, 0x1p-23, 0x1p-126},
	{DT_FP64, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1022},
	{DT_FP8E4NV, -448, 448, 0x1p-3, 0x1p-6},
	{DT_FP8E5, -57344, 57344, 0x1p-2, 0x1p-14},
};

static const char *const limit_names[] = {"min", "max", "eps", "tiny", "smallest_normal", "bits"};

static const Val *limits_object(FrontLower *low, const char *name, const Val *const *values)
{
	Val *v = val_new(low, VAL_OBJECT);
	uint32_t n = ARRAY_LEN(limit_names);
	v->object.klass = class_of_python(low, name, CLASS_RECORD, limit_names, n);
	v->object.fields = ARENA_ARRAY(low->arena, const Val *, n);
	memcpy(v->object.fields, values, n * sizeof *values);
	return v;
}

const Val *host_torch_finfo(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *d = args->args[0];
	for (size_t i = 0; d->kind == VAL_DTYPE && d->type->kind == TL_SCALAR && i < ARRAY_LEN(float_limits); i++) {
		const FloatLimits *f = &float_limits[i];
		if (f->dtype != d->type->dtype)
			continue;
		const Val *values[] = {val_float(low, f->min), val_float(low, f->max), val_float(low, f->eps),
				       val_float(low, f->tiny), val_float(low, f->tiny), val_int(low, d->type->ir->bits)};
		return limits_object(low, "finfo", values);
	}
	return host_bad_argument(low, "finfo", d);
}

const Val *host_torch_iinfo(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *d = args->args[0];
	if (d->kind != VAL_DTYPE || d->type->kind != TL_SCALAR || !ir_is_int(d->type->ir))
		return host_bad_argument(low, "iinfo", d);
	unsigned bits = d->type->ir->bits;
	bool is_unsigned = d->type->dtype == DT_UINT8 || d->type->dtype == DT_UINT16 || d->type->dtype == DT_UINT32 ||
			   d->type->dtype == DT_UINT64;
	uint64_t top = (is_unsigned ? UINT64_MAX : (uint64_t)INT64_MAX) >> (64 - bits);
	const Val *min = is_unsigned ? val_int(low, 0) : val_int(low, -(int64_t)top - 1), *none = low->none;
	const Val *values[] = {min, val_uint(low, top), none, none, none, val_int(low, bits)};
	return limits_object(low, "iinfo", values);
}

/* What Python would have found. A global that is made of it is in the key with its value; where a function reads it while a kernel is
 * lowered, no key has it. */
static bool has_run(const void *data, const FrontModule *m, Span statement)
{
	return statement.start < resolve_limit(data, &m->ns);
}

const Val *host_environment(FrontLower *low, const Val *name)
{
	if (name->kind != VAL_STR)
		return NULL;
	const char *variable = arena_strndup(low->arena, name->s.ptr, name->s.len), *given = getenv(variable);
	const char *set = effect_on_environment(low->session, session_sym(low->session, variable), has_run, low);
	if (set)
		return lower_error(low, DIAG_ENVIRONMENT_SET, variable, set);
	given = given ? arena_strdup(low->arena, given) : NULL;
	lower_answer(low, arena_printf(low->arena, "environment %s", variable), given ? arena_printf(low->arena, "=%s", given) : "-");
	lower_beyond(low, "the environment");
	return given ? val_str(low, str_of(given)) : NULL;
}

bool host_is_environment(const Val *v)
{
	return v->kind == VAL_MODULE && !v->module.builtin_path && v->module.module->kind == MODULE_EXTERNAL &&
	       strcmp(v->module.module->name, "os.environ") == 0;
}

const Val *host_env_get(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *by_name = host_keyword(args, "default"), *key = host_known(low, args->args[0], "os.environ.get");
	const Val *found = key ? host_environment(low, key) : low->poison;
	return found ? found : args->arg_count > 1 ? args->args[1] : by_name ? by_name : low->none;
}

/* packaging.version: the numbers of the release, which compare as versions do. */
const Val *host_version_parse(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind != VAL_STR)
		return host_bad_argument(low, "version.parse", v);
	int64_t parts[8];
	uint32_t n = 0;
	size_t i = v->s.len && v->s.ptr[0] == 'v';
	while (i < v->s.len && isdigit((unsigned char)v->s.ptr[i]) && n < ARRAY_LEN(parts)) {
		parts[n] = 0;
		for (; i < v->s.len && isdigit((unsigned char)v->s.ptr[i]) && parts[n] < 100000000; i++)
			parts[n] = parts[n] * 10 + (v->s.ptr[i] - '0');
		n++;
		i += i < v->s.len && v->s.ptr[i] == '.';
	}
	while (n && !parts[n - 1])
		n--;
	const Val *items[ARRAY_LEN(parts)];
	for (uint32_t k = 0; k < n; k++)
		items[k] = val_int(low, parts[k]);
	return val_tuple(low, items, n);
}

/* Constants, dtypes and types of packages that are not read: math.pi, torch.float16, typing.Any. */
const Val *external_attribute(FrontLower *low, const char *module, const char *name)
{
	const char *root = strcmp(module, "numpy") == 0 || strcmp(module, "np") == 0 ? "math" : module;
	if (strcmp(root, "math") == 0) {
		if (strcmp(name, "pi") == 0)
			return val_float(low, 3.14159265358979323846);
		if (strcmp(name, "e") == 0)
			return val_float(low, 2.71828182845904523536);
		if (strcmp(name, "tau") == 0)
			return val_float(low, 6.28318530717958647692);
		if (strcmp(name, "inf") == 0)
			return val_float(low, INFINITY);
		if (strcmp(name, "nan") == 0)
			return val_float(low, NAN);
	}
	if ((strcmp(module, "os") == 0 && strcmp(name, "environ") == 0) ||
	    (strcmp(module, "packaging") == 0 && strcmp(name, "version") == 0))
		return val_module(low, session_module(low->session, MODULE_EXTERNAL,
						      arena_printf(low->arena, "%s.%s", module, name), NULL));
	const PyBuiltin *p = python_find(strcmp(module, "numpy") == 0 ? "torch" : module, name);
	if (p) {
		Val *v = val_new(low, VAL_PYTHON);
		v->python = p;
		return v;
	}
	if (strcmp(module, "torch") == 0 || strcmp(module, "numpy") == 0) {
		static const char *const renamed[][2] = {
			{"half", "fp16"}, {"float", "fp32"}, {"double", "fp64"}, {"int", "i32"}, {"long", "i64"},
			{"short", "i16"}, {"bool", "i1"}, {"float8_e4m3fn", "fp8e4nv"}, {"float8_e5m2", "fp8e5"},
		};
		TlType type;
		for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
			if (strcmp(name, renamed[i][0]) == 0 && tl_type_by_name(low, str_of(renamed[i][1]), &type))
				return val_dtype(low, type);
		static const char *const same[] = {
#define DTYPE(kind, dtype_name, bits, cls, ir, short_name, doc) dtype_name,
#include "front/dtypes.def"
#undef DTYPE
		};
		for (size_t i = 0; i < ARRAY_LEN(same); i++)
			if (strcmp(name, same[i]) == 0 && tl_type_by_name(low, str_of(name), &type))
				return val_dtype(low, type);
	}
	return NULL;
}
