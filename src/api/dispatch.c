/* A GPU launch that is like one before: the call is packed into the bits that decide which function runs, and that
 * function is found by them (jit_dispatch_find). What cannot be packed cheaply, and what is new, goes the long way.
 *
 * The bits of an argument say at least what binding concludes from it (jit/bind.c): type, the value where the
 * parameter is a constexpr, being 1, divisibility by 16, which integer type it fits. */
#include "api/inner.h"

#include "base/fp.h"

/* ---- packing ---- */

enum { LONGEST_TEXT = 256 };

/* The hash is a sum of products, so that no step waits for the one before; words past the end are only counted. */
static inline void put(ApiKey *key, uint64_t word)
{
	if (key->count < API_KEY_WORDS)
		key->words[key->count] = word;
	key->count++;
	key->hash += word * key->factor;
	key->factor += 0x9e3779b97f4a7c16u; /* 2^64 over the golden ratio, made even: factors stay odd */
}

/* Its bytes with the NUL, eight to a word. */
static bool put_text(ApiKey *key, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;
	put(key, len);
	for (size_t at = 0; at < len && len <= LONGEST_TEXT; at += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, text + at, MIN(len - at, sizeof word));
		put(key, word);
	}
	return len <= LONGEST_TEXT;
}

static bool put_options(ApiKey *key, const neso_compile_options *o, uint64_t context)
{
	const unsigned flags = (unsigned)o->debug | (unsigned)o->no_specialize << 1 | (unsigned)o->no_gpu_limits << 2 |
			       (unsigned)o->no_fp_fusion << 3 | (unsigned)o->no_line_info << 4 |
			       (unsigned)o->cooperative << 5 | (unsigned)o->dependent_launch << 6 |
			       (unsigned)o->constexpr_policy << 7;
	put(key, context);
	put(key, o->num_warps | (uint64_t)o->num_stages << 32);
	put(key, o->num_ctas | (uint64_t)o->maxnreg << 32);
	put(key, o->ptx_version | (uint64_t)flags << 32);
	return put_text(key, o->target) && put_text(key, o->dot_precision);
}

/* A value that is part of the code. */
static bool put_constant(ApiKey *key, const neso_value *v)
{
	uint64_t bits;
	switch (v->kind) {
	case NESO_VALUE_NONE: return true;
	case NESO_VALUE_BOOL:
	case NESO_VALUE_INT: put(key, (uint64_t)v->i); return true;
	case NESO_VALUE_FLOAT: memcpy(&bits, &v->f, sizeof bits); put(key, bits); return true;
	case NESO_VALUE_DTYPE: put(key, v->dtype); return true;
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

/* What a run-time integer's value decides: of types that are chosen by the value, only which one; of others whether
 * it fits is told by its width. */
static uint64_t class_of_int(const neso_value *v, bool fixed_type)
{
	unsigned width = width_of(v->i);
	unsigned cls = fixed_type ? width : width <= 32 ? 32 : 64;
	return (uint64_t)(v->i == 1) | (uint64_t)((v->i & 15) == 0) << 1 |
	       (uint64_t)(v->is_unsigned && v->i < 0) << 2 | (uint64_t)cls << 3;
}

static bool put_descriptor(ApiKey *key, uint64_t head, const neso_arg *arg)
{
	if (arg->rank < 1 || arg->rank > NESO_MAX_RANK || arg->strides[arg->rank - 1] != 1)
		return false;
	put(key, head | (uint64_t)((uintptr_t)arg->address % 16 == 0) << 32 | (uint64_t)arg->rank << 33);
	for (uint32_t i = 0; i < arg->rank; i++) {
		if (arg->shape[i] < 0)
			return false;
		put(key, (uint64_t)arg->block_shape[i]);
	}
	return true;
}

/* What the value of a demoted constexpr decides: the type that it has alone, and which types hold it. */
static uint64_t class_of_number(const neso_value *v)
{
	if (v->kind == NESO_VALUE_FLOAT)
		return tl_dtype_of_float(v->f);
	return v->kind == NESO_VALUE_BOOL ? 0 : (uint64_t)width_of(v->i) | (uint64_t)(v->i < 0) << 8 | (uint64_t)v->is_unsigned << 9;
}

/* One word for each argument, and those of a constant: the parameter, what the argument is, what its value decides. */
static inline bool put_arg(ApiKey *key, const FrontParam *param, uint32_t at, const neso_arg *arg, bool demoted)
{
	const neso_value *v = &arg->value;
	uint64_t head = at | (uint64_t)(uint8_t)arg->kind << 8 | (uint64_t)(uint8_t)arg->dtype << 16;
	if (arg->kind == NESO_ARG_POINTER) {
		put(key, head | (uint64_t)((uintptr_t)arg->address % 16 == 0) << 32);
		return true;
	}
	if (arg->kind == NESO_ARG_DESCRIPTOR)
		return put_descriptor(key, head, arg);
	head |= (uint64_t)(uint8_t)v->kind << 24;
	if (demoted) {
		put(key, head | class_of_number(v) << 32);
		return v->kind == NESO_VALUE_INT || v->kind == NESO_VALUE_FLOAT || v->kind == NESO_VALUE_BOOL;
	}
	if (param->is_constexpr || v->kind == NESO_VALUE_STRING || v->kind == NESO_VALUE_EXPR) {
		put(key, head | (uint64_t)v->is_unsigned << 32);
		return put_constant(key, v);
	}
	switch (v->kind) {
	case NESO_VALUE_INT:
		put(key, head | (uint64_t)v->is_unsigned << 32 |
				 class_of_int(v, param->dtype || arg->dtype != NESO_DTYPE_NONE) << 33);
		return true;
	case NESO_VALUE_NONE:
	case NESO_VALUE_BOOL:
	case NESO_VALUE_FLOAT: put(key, head); return true;
	default: return false;
	}
}

/* The parameter that an argument is for, as long as those without a name come first; count: none, or not so. */
static uint32_t param_of(const FrontInfo *info, const neso_arg *args, size_t i)
{
	if (!args[i].name)
		return i < info->param_count && (!i || !args[i - 1].name) ? (uint32_t)i : info->param_count;
	if (i < info->param_count &&
	    (args[i].name == info->params[i].name || strcmp(args[i].name, info->params[i].name) == 0))
		return (uint32_t)i;
	uint32_t p = 0;
	while (p < info->param_count && strcmp(args[i].name, info->params[p].name) != 0)
		p++;
	return p;
}

bool api_key_make(ApiKey *key, const neso_kernel *kernel, const neso_launch *launch)
{
	key->count = 0;
	key->hash = 0;
	key->demoted = NULL;
	key->factor = 0x9e3779b97f4a7c15u;
	const neso_compile_options *options = launch->size == sizeof *launch ? launch->options : NULL;
	if (!options || options->size != sizeof *options || !options->target || strcmp(options->target, "interp") == 0 ||
	    launch->arg_size != sizeof(neso_arg) || (launch->arg_count && !launch->args))
		return false;
	uint64_t context = jit_gpu_context(kernel->jit);
	const FrontInfo *info = jit_kernel_info(kernel->jit);
	if (!context || !put_options(key, options, context))
		return false;
	if ((options->constexpr_policy ? (int)options->constexpr_policy : (int)kernel->module->context->host.policy) ==
	    NESO_POLICY_GENERIC)
		key->demoted = jit_kernel_demoted(kernel->jit);
	for (size_t w = 0; key->demoted && w < ARRAY_LEN(key->demoted->words) && 64 * w < info->param_count; w++)
		put(key, key->demoted->words[w]);
	for (size_t i = 0; i < launch->arg_count; i++) {
		uint32_t at = param_of(info, launch->args, i);
		if (at >= MIN(info->param_count, 255) || !put_arg(key, &info->params[at], at, &launch->args[i],
						  key->demoted && jit_set_has(key->demoted, at)))
			return false;
	}
	key->hash ^= key->hash >> 32;
	return key->count <= API_KEY_WORDS;
}

/* ---- launching ---- */

static uint64_t float_bits(TlDtype dtype, const neso_value *v)
{
	double value = v->kind == NESO_VALUE_FLOAT ? v->f
		       : v->is_unsigned		   ? (double)(uint64_t)v->i
						   : (double)v->i;
	union {
		float f;
		uint32_t bits;
	} single = {(float)value};
	switch (dtype) {
	case DT_FP32: return single.bits;
	case DT_FP64: return fp_from_double(FP_F64, value, FP_NEAREST_EVEN, false);
	case DT_FP16: return fp_from_double(FP_F16, value, FP_NEAREST_EVEN, false);
	case DT_BF16: return fp_from_double(FP_BF16, value, FP_NEAREST_EVEN, false);
	default: return fp_from_double(FP_F32, value, FP_NEAREST_EVEN, false);
	}
}

static uint64_t number_bits(TlDtype dtype, const neso_value *v)
{
	const JitArg number = {
		.kind = v->kind == NESO_VALUE_FLOAT ? JIT_FLOAT : v->kind == NESO_VALUE_BOOL ? JIT_BOOL : JIT_INT,
		.i = v->i,
		.is_unsigned = v->is_unsigned,
		.f = v->f,
	};
	return jit_number_bits(&number, dtype);
}

static uint64_t fill(const JitFill *f, const neso_arg *args)
{
	if (f->arg == UINT32_MAX)
		return f->bits;
	const neso_arg *arg = &args[f->arg];
	switch (f->what) {
	case JIT_FILL_INT: return (uint64_t)arg->value.i;
	case JIT_FILL_FLOAT: return float_bits(f->dtype, &arg->value);
	case JIT_FILL_NUMBER: return number_bits(f->dtype, &arg->value);
	case JIT_FILL_SHAPE: return (uint64_t)arg->shape[f->axis];
	case JIT_FILL_STRIDE: return (uint64_t)arg->strides[f->axis];
	case JIT_FILL_PAD: return arg->pad_nan;
	default: return (uint64_t)(uintptr_t)arg->address;
	}
}

static void fill_all(const JitFill *fills, uint32_t count, const neso_launch *launch, uint64_t *bits, void **params)
{
	for (uint32_t i = 0; i < count; i++) {
		bits[i] = fill(&fills[i], launch->args);
		params[i] = &bits[i];
	}
}

int api_launch_again(const JitDispatch *dispatch, const neso_launch *launch)
{
	enum { USUAL = 128 };
	uint64_t bits[USUAL];
	void *params[USUAL + 1];
	uint32_t count;
	const JitFill *fills = jit_dispatch_fills(dispatch, &count);
	if (count > USUAL || jit_has_events(jit_dispatch_variant(dispatch)))
		return NV_NOT_PLAIN;
	fill_all(fills, count, launch, bits, params);
	return nv_launch_plain(jit_dispatch_function(dispatch), launch->grid, launch->stream, params);
}

JitStatus api_launch_rest(const JitDispatch *dispatch, const neso_launch *launch, int result, DiagList *diags)
{
	uint32_t count;
	const JitFill *fills = jit_dispatch_fills(dispatch, &count);
	uint64_t *bits = ARENA_ARRAY(diags->arena, uint64_t, count + 1);
	void **params = ARENA_ARRAY(diags->arena, void *, count + 1);
	fill_all(fills, count, launch, bits, params);
	const JitLaunch again = {.grid = {launch->grid[0], launch->grid[1], launch->grid[2]}, .stream = launch->stream};
	return jit_gpu_launch(jit_dispatch_variant(dispatch), jit_dispatch_function(dispatch), result, &again, params,
			      diags);
}
