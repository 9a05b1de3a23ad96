/* A GPU launch that is like one before: the call is packed into the bits that decide which function runs, and that
 * function is found by them (jit_dispatch_find). What cannot be packed cheaply, and what is new, goes the long way.
 *
 * The bits of an argument say at least what binding concludes from it (jit/bind.c): type, the value where the
 * parameter is a constexpr, being 1, divisibility by 16, which integer type it fits. */
#include "api/inner.h"

#include "base/fp.h"

/* ---- packing ---- */

/* Functions that pack take the place of the next word, and give the one behind what they wrote; NULL: this call goes
 * the long way. None writes more than MOST_WORDS. */
enum { LONGEST_TEXT = 256, TEXT_WORDS = 1 + LONGEST_TEXT / 8, MOST_WORDS = 4 + 2 * TEXT_WORDS };

/* Its bytes with the NUL, eight to a word. */
static uint64_t *put_text(uint64_t *at, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;
	*at++ = len;
	if (len > LONGEST_TEXT)
		return NULL;
	if (len % 8)
		at[len / 8] = 0;
	if (text)
		memcpy(at, text, len);
	return at + (len + 7) / 8;
}

static uint64_t *put_options(uint64_t *at, const neso_compile_options *o, uint64_t context)
{
	const unsigned flags = (unsigned)o->debug | (unsigned)o->no_specialize << 1 | (unsigned)o->no_gpu_limits << 2 |
			       (unsigned)o->no_fp_fusion << 3 | (unsigned)o->no_line_info << 4 |
			       (unsigned)o->cooperative << 5 | (unsigned)o->dependent_launch << 6 |
			       (unsigned)o->constexpr_policy << 7;
	*at++ = context;
	*at++ = o->num_warps | (uint64_t)o->num_stages << 32;
	*at++ = o->num_ctas | (uint64_t)o->maxnreg << 32;
	*at++ = o->ptx_version | (uint64_t)flags << 32;
	at = put_text(at, o->target);
	return at ? put_text(at, o->dot_precision) : NULL;
}

/* A value that is part of the code. */
static uint64_t *put_constant(uint64_t *at, const neso_value *v)
{
	switch (v->kind) {
	case NESO_VALUE_NONE: return at;
	case NESO_VALUE_BOOL:
	case NESO_VALUE_INT: *at++ = (uint64_t)v->i; return at;
	case NESO_VALUE_FLOAT: memcpy(at++, &v->f, sizeof *at); return at;
	case NESO_VALUE_DTYPE: *at++ = v->dtype; return at;
	case NESO_VALUE_STRING:
	case NESO_VALUE_EXPR: return put_text(at, v->text);
	default: return NULL;
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

static uint64_t *put_descriptor(uint64_t *at, uint64_t head, const neso_arg *arg)
{
	if (arg->rank < 1 || arg->rank > NESO_MAX_RANK || arg->strides[arg->rank - 1] != 1)
		return NULL;
	*at++ = head | (uint64_t)((uintptr_t)arg->address % 16 == 0) << 32 | (uint64_t)arg->rank << 33;
	for (uint32_t i = 0; i < arg->rank; i++) {
		if (arg->shape[i] < 0)
			return NULL;
		*at++ = (uint64_t)arg->block_shape[i];
	}
	return at;
}

/* What the value of a demoted constexpr decides: the type that it has alone, and which types hold it. */
static uint64_t class_of_number(const neso_value *v)
{
	if (v->kind == NESO_VALUE_FLOAT)
		return tl_dtype_of_float(v->f);
	return v->kind == NESO_VALUE_BOOL ? 0 : (uint64_t)width_of(v->i) | (uint64_t)(v->i < 0) << 8 | (uint64_t)v->is_unsigned << 9;
}

/* One word for each argument, and those of a constant: the parameter, what the argument is, what its value decides. */
static inline uint64_t *put_arg(uint64_t *at, unsigned param, uint32_t number, const neso_arg *arg, bool demoted)
{
	const neso_value *v = &arg->value;
	uint64_t head = number | (uint64_t)(uint8_t)arg->kind << 8 | (uint64_t)(uint8_t)arg->dtype << 16;
	if (arg->kind == NESO_ARG_POINTER) {
		*at++ = head | (uint64_t)((uintptr_t)arg->address % 16 == 0) << 32;
		return at;
	}
	if (arg->kind == NESO_ARG_DESCRIPTOR)
		return put_descriptor(at, head, arg);
	head |= (uint64_t)(uint8_t)v->kind << 24;
	if (demoted) {
		*at++ = head | class_of_number(v) << 32;
		return v->kind == NESO_VALUE_INT || v->kind == NESO_VALUE_FLOAT || v->kind == NESO_VALUE_BOOL ? at : NULL;
	}
	head |= (uint64_t)v->is_unsigned << 32;
	if (param & API_PARAM_CONSTEXPR || v->kind == NESO_VALUE_STRING || v->kind == NESO_VALUE_EXPR) {
		*at++ = head;
		return put_constant(at, v);
	}
	switch (v->kind) {
	case NESO_VALUE_INT:
		*at++ = head | class_of_int(v, param & API_PARAM_TYPED || arg->dtype != NESO_DTYPE_NONE) << 33;
		return at;
	case NESO_VALUE_NONE:
	case NESO_VALUE_BOOL:
	case NESO_VALUE_FLOAT: *at++ = head; return at;
	default: return NULL;
	}
}

/* The parameter that an argument with a name is for, which may be the one at the same place; count: none. */
static uint32_t param_of(const neso_kernel *kernel, const char *name, size_t i)
{
	const FrontInfo *info = jit_kernel_info(kernel->jit);
	if (i < info->param_count && (name == info->params[i].name || strcmp(name, info->params[i].name) == 0))
		return (uint32_t)i;
	uint32_t p = 0;
	while (p < info->param_count && strcmp(name, info->params[p].name) != 0)
		p++;
	return p;
}

static uint64_t *put_args(uint64_t *at, const uint64_t *end, const neso_kernel *kernel, const JitSet *demoted,
			  const neso_arg *args, size_t count)
{
	const uint32_t most = MIN(kernel->param_count, 255);
	bool named = false;
	for (size_t i = 0; i < count && at; i++) {
		/* Those without a name come first. */
		if ((!args[i].name && (named || i >= most)) || end - at < MOST_WORDS)
			return NULL;
		named = args[i].name != NULL;
		uint32_t number = named ? param_of(kernel, args[i].name, i) : (uint32_t)i;
		at = number < most ? put_arg(at, kernel->params[number], number, &args[i],
							demoted && jit_set_has(demoted, number))
			      : NULL;
	}
	return at;
}

/* Products wait for nothing, and their sum is turned at each step, so that places count. Compilers leave this scalar,
 * which reads back each word that was just written: wider reads would wait for the writes. */
static uint64_t hash_words(const uint64_t *words, size_t count)
{
	uint64_t hash = count;
	for (size_t i = 0; i < count; i++)
		hash = (hash << 7 | hash >> 57) + words[i] * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

const JitSet *api_demoted(const neso_kernel *kernel, neso_constexpr_policy policy)
{
	int chosen = policy ? (int)policy : (int)kernel->module->context->host.policy;
	return chosen == NESO_POLICY_GENERIC ? jit_kernel_demoted(kernel->jit) : NULL;
}

const uint64_t *neso_kernel_demoted(const neso_kernel *kernel, neso_constexpr_policy policy)
{
	const JitSet *set = kernel ? api_demoted(kernel, policy) : NULL;
	return set ? set->words : NULL;
}

uint64_t neso_number_class(const neso_value *value)
{
	return (uint64_t)value->kind | class_of_number(value) << 8;
}

bool api_key_make(ApiKey *key, const neso_kernel *kernel, const neso_launch *launch)
{
	_Static_assert(API_KEY_WORDS > 2 * MOST_WORDS, "options and one argument fit");
	const neso_compile_options *options = launch->size == sizeof *launch ? launch->options : NULL;
	if (!options || options->size != sizeof *options || !options->target || strcmp(options->target, "interp") == 0 ||
	    strncmp(options->target, "sim:", 4) == 0 ||
	    launch->arg_size != sizeof(neso_arg) || (launch->arg_count && !launch->args))
		return false;
	uint64_t context = jit_gpu_context(kernel->jit);
	uint64_t *at = context ? put_options(key->words, options, context) : NULL;
	key->demoted = api_demoted(kernel, options->constexpr_policy);
	for (size_t w = 0; at && key->demoted && w < ARRAY_LEN(key->demoted->words) && 64 * w < kernel->param_count; w++)
		*at++ = key->demoted->words[w];
	if (at)
		at = put_args(at, key->words + API_KEY_WORDS, kernel, key->demoted, launch->args, launch->arg_count);
	if (!at)
		return false;
	key->count = (size_t)(at - key->words);
	key->hash = hash_words(key->words, key->count);
	return true;
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
	case JIT_FILL_FLOAT: return float_bits((TlDtype)f->dtype, &arg->value);
	case JIT_FILL_NUMBER: return number_bits((TlDtype)f->dtype, &arg->value);
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
