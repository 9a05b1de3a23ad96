/* A GPU launch that is like one before: the call is packed into the bits that decide which function runs, and that
 * function is found by them (jit_dispatch_find). What cannot be packed cheaply, and what is new, goes the long way.
 *
 * The bits of an argument say at least what binding concludes from it (jit/bind.c): type, the value where the
 * parameter is a constexpr, being 1, divisibility by 16, which integer type it fits. */
#include "api/inner.h"

#include "base/fp.h"

/* ---- packing ---- */

enum { LONGEST_TEXT = 256 };

static bool put(ApiKey *key, const void *bytes, size_t len)
{
	if (key->len + len > sizeof key->bytes)
		return false;
	memcpy(key->bytes + key->len, bytes, len);
	key->len += len;
	return true;
}

static bool put_byte(ApiKey *key, unsigned byte)
{
	if (key->len == sizeof key->bytes)
		return false;
	key->bytes[key->len++] = (unsigned char)byte;
	return true;
}

static bool put_text(ApiKey *key, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;
	return len <= LONGEST_TEXT && put_byte(key, text != NULL) && (!text || put(key, text, len));
}

static bool put_options(ApiKey *key, const neso_compile_options *o, uint64_t context)
{
	const unsigned flags = (unsigned)o->debug | (unsigned)o->no_specialize << 1 | (unsigned)o->no_gpu_limits << 2 |
			       (unsigned)o->no_fp_fusion << 3 | (unsigned)o->no_line_info << 4 |
			       (unsigned)o->cooperative << 5 | (unsigned)o->dependent_launch << 6;
	const uint32_t numbers[] = {o->num_warps, o->num_stages, o->num_ctas, o->maxnreg, o->ptx_version, flags};
	return put(key, numbers, sizeof numbers) && put(key, &context, sizeof context) && put_text(key, o->target) &&
	       put_text(key, o->dot_precision);
}

/* A value that is part of the code. */
static bool put_constant(ApiKey *key, const neso_value *v)
{
	switch (v->kind) {
	case NESO_VALUE_NONE: return true;
	case NESO_VALUE_BOOL:
	case NESO_VALUE_INT: return put_byte(key, v->is_unsigned) && put(key, &v->i, sizeof v->i);
	case NESO_VALUE_FLOAT: return put(key, &v->f, sizeof v->f);
	case NESO_VALUE_DTYPE: return put_byte(key, (unsigned)v->dtype);
	case NESO_VALUE_STRING:
	case NESO_VALUE_EXPR: return put_text(key, v->text);
	default: return false;
	}
}

/* Bits that a two's complement number takes, its sign among them. */
static unsigned width_of(int64_t i)
{
	uint64_t magnitude = (uint64_t)(i < 0 ? ~i : i);
	return magnitude ? 65u - (unsigned)__builtin_clzll(magnitude) : 1;
}

/* A run-time integer: of types that are chosen by the value, only which one; of others whether it fits is told by its
 * width. */
static bool put_int(ApiKey *key, const neso_value *v, bool fixed_type)
{
	unsigned width = width_of(v->i);
	unsigned cls = fixed_type ? width : width <= 32 ? 32 : 64;
	unsigned flags = (unsigned)(v->i == 1) | (unsigned)(v->i % 16 == 0) << 1 |
			 (unsigned)(v->is_unsigned && v->i < 0) << 2 | (unsigned)v->is_unsigned << 3;
	return put_byte(key, flags) && put_byte(key, cls);
}

static bool put_descriptor(ApiKey *key, const neso_arg *arg)
{
	if (arg->rank < 1 || arg->rank > NESO_MAX_RANK || arg->strides[arg->rank - 1] != 1)
		return false;
	for (uint32_t i = 0; i < arg->rank; i++)
		if (arg->shape[i] < 0)
			return false;
	return put_byte(key, arg->rank) && put_byte(key, (uintptr_t)arg->address % 16 == 0) &&
	       put(key, arg->block_shape, arg->rank * sizeof *arg->block_shape);
}

static bool put_arg(ApiKey *key, const FrontParam *param, const neso_arg *arg)
{
	const unsigned head[] = {(unsigned)arg->kind, (unsigned)arg->dtype};
	if (!put_byte(key, head[0]) || !put_byte(key, head[1]))
		return false;
	if (arg->kind == NESO_ARG_POINTER)
		return put_byte(key, (uintptr_t)arg->address % 16 == 0);
	if (arg->kind == NESO_ARG_DESCRIPTOR)
		return put_descriptor(key, arg);
	const neso_value *v = &arg->value;
	if (!put_byte(key, (unsigned)v->kind))
		return false;
	if (param->is_constexpr || v->kind == NESO_VALUE_STRING || v->kind == NESO_VALUE_EXPR)
		return put_constant(key, v);
	switch (v->kind) {
	case NESO_VALUE_INT: return put_int(key, v, param->dtype || arg->dtype != NESO_DTYPE_NONE);
	case NESO_VALUE_NONE:
	case NESO_VALUE_BOOL:
	case NESO_VALUE_FLOAT: return true;
	default: return false;
	}
}

/* The parameter that an argument is for, as long as those without a name come first; count: none, or not so. */
static uint32_t param_of(const FrontInfo *info, const neso_arg *args, size_t i)
{
	if (!args[i].name)
		return i < info->param_count && (!i || !args[i - 1].name) ? (uint32_t)i : info->param_count;
	if (i < info->param_count && strcmp(args[i].name, info->params[i].name) == 0)
		return (uint32_t)i;
	uint32_t p = 0;
	while (p < info->param_count && strcmp(args[i].name, info->params[p].name) != 0)
		p++;
	return p;
}

bool api_key_make(ApiKey *key, const neso_kernel *kernel, const neso_launch *launch)
{
	key->len = 0;
	const neso_compile_options *options = launch->size == sizeof *launch ? launch->options : NULL;
	if (!options || options->size != sizeof *options || !options->target || strcmp(options->target, "interp") == 0 ||
	    launch->arg_size != sizeof(neso_arg) || (launch->arg_count && !launch->args))
		return false;
	uint64_t context = jit_gpu_context(kernel->jit);
	const FrontInfo *info = jit_kernel_info(kernel->jit);
	if (!context || !put_options(key, options, context))
		return false;
	for (size_t i = 0; i < launch->arg_count; i++) {
		uint32_t at = param_of(info, launch->args, i);
		if (at >= MIN(info->param_count, 255) || !put_byte(key, at) ||
		    !put_arg(key, &info->params[at], &launch->args[i]))
			return false;
	}
	key->hash = str_hash(key->bytes, key->len);
	return true;
}

/* ---- launching ---- */

static uint64_t float_bits(TlDtype dtype, const neso_value *v)
{
	double value = v->kind == NESO_VALUE_FLOAT ? v->f
		       : v->is_unsigned		   ? (double)(uint64_t)v->i
						   : (double)v->i;
	switch (dtype) {
	case DT_FP64: return fp_from_double(FP_F64, value, FP_NEAREST_EVEN, false);
	case DT_FP16: return fp_from_double(FP_F16, value, FP_NEAREST_EVEN, false);
	case DT_BF16: return fp_from_double(FP_BF16, value, FP_NEAREST_EVEN, false);
	default: return fp_from_double(FP_F32, value, FP_NEAREST_EVEN, false);
	}
}

static uint64_t fill(const JitFill *f, const neso_arg *args)
{
	if (f->arg == UINT32_MAX)
		return f->bits;
	const neso_arg *arg = &args[f->arg];
	switch (f->what) {
	case JIT_FILL_INT: return (uint64_t)arg->value.i;
	case JIT_FILL_FLOAT: return float_bits(f->dtype, &arg->value);
	case JIT_FILL_SHAPE: return (uint64_t)arg->shape[f->axis];
	case JIT_FILL_STRIDE: return (uint64_t)arg->strides[f->axis];
	case JIT_FILL_PAD: return arg->pad_nan;
	default: return (uint64_t)(uintptr_t)arg->address;
	}
}

JitStatus api_launch_again(const JitDispatch *dispatch, const neso_launch *launch, DiagList *diags)
{
	enum { USUAL = 64 };
	uint64_t usual[USUAL], *bits = usual;
	void *usual_params[USUAL + 1], **params = usual_params;
	uint32_t count;
	const JitFill *fills = jit_dispatch_fills(dispatch, &count);
	if (count > USUAL) {
		bits = ARENA_ARRAY(diags->arena, uint64_t, count);
		params = ARENA_ARRAY(diags->arena, void *, count + 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		bits[i] = fill(&fills[i], launch->args);
		params[i] = &bits[i];
	}
	const JitLaunch again = {.grid = {launch->grid[0], launch->grid[1], launch->grid[2]}, .stream = launch->stream};
	return jit_dispatch_launch(dispatch, &again, params, diags);
}
