/* A GPU launch that is like one before: the call is packed into the bits that decide which function runs, and that
 * function is found by them (jit_dispatch_find). What cannot be packed cheaply, and what is new, goes the long way.
 * Most calls are like the one right before: their bits are compared with those that led to the function launched last,
 * one argument after the other, and nothing is stored or hashed.
 *
 * The bits of an argument say at least what binding concludes from it (jit/bind.c): type, the value where the
 * parameter is a constexpr, being 1, divisibility by 16, which integer type it fits. */
#include "api/inner.h"

#include "base/float/fp.h"

/* ---- packing ---- */

/* Functions that pack take the place of the next word, and give the one behind what they wrote; NULL: this call goes
 * the long way. None writes more than MOST_WORDS. */
enum { LONGEST_TEXT = 256, MOST_WORDS = 4 + 2 * LONGEST_TEXT / 8 };

/* Its bytes with the NUL, eight to a word: the word with a NUL is the last. */
static uint64_t *put_text(uint64_t *at, const char *text)
{
	uint64_t word = 0;
	if (!text) {
		*at++ = 0x100; /* like no text: nothing is behind a NUL */
		return at;
	}
	for (unsigned n = 0; n < LONGEST_TEXT; n++) {
		word |= (uint64_t)(unsigned char)text[n] << 8 * (n % 8);
		if (!text[n] || n % 8 == 7) {
			*at++ = word;
			word = 0;
		}
		if (!text[n])
			return at;
	}
	return NULL;
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
static inline unsigned class_of_int(const neso_value *v, bool fixed_type)
{
	unsigned cls = fixed_type ? width_of(v->i) : v->i == (int32_t)v->i ? 32 : 64;
	return (unsigned)(v->i == 1) | (unsigned)((v->i & 15) == 0) << 1 | (unsigned)(v->is_unsigned && v->i < 0) << 2 |
	       cls << 3;
}

static inline bool is_aligned(const void *address)
{
	return (uintptr_t)address % 16 == 0;
}

static uint64_t *put_descriptor(uint64_t *at, uint64_t head, const neso_arg *arg)
{
	if (arg->rank < 1 || arg->rank > NESO_MAX_RANK || arg->strides[arg->rank - 1] != 1)
		return NULL;
	*at++ = head | (uint64_t)is_aligned(arg->address) << 32 | (uint64_t)arg->rank << 33;
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

static bool is_typed(unsigned param, const neso_arg *arg)
{
	return param & API_PARAM_TYPED || arg->dtype != NESO_DTYPE_NONE;
}

/* One word for each argument, and those of a constant: the parameter, what the argument is, what its value decides. */
static uint64_t *put_arg(uint64_t *at, unsigned param, uint32_t number, const neso_arg *arg, bool demoted)
{
	const neso_value *v = &arg->value;
	uint64_t head = number | (uint64_t)(uint8_t)arg->kind << 8 | (uint64_t)(uint8_t)arg->dtype << 16;
	if ((uint32_t)arg->dtype > UINT8_MAX)
		return NULL;
	if (arg->kind == NESO_ARG_POINTER) {
		*at++ = head | (uint64_t)is_aligned(arg->address) << 32;
		return at;
	}
	if (arg->kind == NESO_ARG_DESCRIPTOR)
		return put_descriptor(at, head, arg);
	if (arg->kind != NESO_ARG_VALUE || (uint32_t)v->kind > UINT8_MAX)
		return NULL;
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
	case NESO_VALUE_INT: *at++ = head | (uint64_t)class_of_int(v, is_typed(param, arg)) << 33; return at;
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

static uint64_t *put_args(uint64_t *at, ApiKey *key, const neso_kernel *kernel, const neso_arg *args, size_t count)
{
	const uint64_t *end = key->words + API_KEY_WORDS;
	const uint32_t most = MIN(kernel->param_count, 255);
	bool named = false;
	for (size_t i = 0; i < count && at; i++) {
		/* Those without a name come first. */
		if ((!args[i].name && (named || i >= most)) || end - at < MOST_WORDS)
			return NULL;
		named = args[i].name != NULL;
		uint32_t number = named ? param_of(kernel, args[i].name, i) : (uint32_t)i;
		if (number >= most)
			return NULL;
		bool demoted = key->demoted && jit_set_has(key->demoted, number);
		at = put_arg(at, kernel->params[number], number, &args[i], demoted);
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
	int chosen = policy ? (int)policy : (int)kernel->policy;
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

static uint64_t *put_set(uint64_t *at, const neso_kernel *kernel, const JitSet *set)
{
	for (size_t w = 0; set && w < ARRAY_LEN(set->words) && 64 * w < kernel->param_count; w++)
		*at++ = set->words[w];
	return at;
}

static bool key_make(ApiKey *key, const neso_kernel *kernel, const neso_launch *launch, uint64_t context)
{
	_Static_assert(API_KEY_WORDS > 2 * MOST_WORDS, "options and one argument fit");
	const neso_compile_options *options = launch->options;
	if (strcmp(options->target, "interp") == 0 || strncmp(options->target, "sim:", 4) == 0 ||
	    (!context && !(context = jit_gpu_context(kernel->jit, true))))
		return false;
	uint64_t *at = put_options(key->words, options, context);
	key->demoted = api_demoted(kernel, options->constexpr_policy);
	if (!at)
		return false;
	at = put_set(at, kernel, key->demoted);
	key->args_at = (size_t)(at - key->words);
	at = put_args(at, key, kernel, launch->args, launch->arg_count);
	if (!at)
		return false;
	key->count = (size_t)(at - key->words);
	key->hash = hash_words(key->words, key->count);
	return true;
}

/* ---- finding ---- */

/* What an argument is compared with to tell whether a call has the words of a key: its first fields as they lie in memory,
 * and the facts of a pointer, or of a signed integer whose type its value chooses. Others are packed and compared with the
 * words. */
typedef struct Row {
	uint64_t head;
	uint16_t at; /* of its words in the key */
	uint8_t number, facts;
	uint8_t asked; /* which of facts_of: 0 of what is packed */
	bool named, demoted;
} Row;
_Static_assert(sizeof(Row) % sizeof(uint64_t) == 0, "kept as words");
_Static_assert(offsetof(neso_arg, dtype) == offsetof(neso_arg, kind) + 4 && sizeof(neso_dtype) == 4, "side by side");

static inline uint64_t head_of(const neso_arg *arg)
{
	uint64_t head;
	memcpy(&head, &arg->kind, sizeof head);
	return head;
}

enum { FACT_ALIGNED = 1, FACTS_OF_INT = 0x1e };

/* Of an argument of any kind, what those that it is not may have in its fields among them: without a branch, which would be guessed
 * wrong where a driver has run since the last time. */
static inline unsigned facts_of(const neso_arg *arg)
{
	const neso_value *v = &arg->value;
	uint8_t is_unsigned; /* whatever lies there */
	memcpy(&is_unsigned, &v->is_unsigned, sizeof is_unsigned);
	return (unsigned)is_aligned(arg->address) | (unsigned)((((unsigned)v->kind ^ NESO_VALUE_INT) | is_unsigned) == 0) << 1 |
	       (unsigned)(v->i == 1) << 2 | (unsigned)((v->i & 15) == 0) << 3 | (unsigned)(v->i == (int32_t)v->i) << 4;
}

static Row row_of(const neso_kernel *kernel, const ApiKey *key, size_t at, uint32_t number, const neso_arg *arg)
{
	Row row = {
		.head = head_of(arg),
		.at = (uint16_t)at,
		.number = (uint8_t)number,
		.facts = (uint8_t)facts_of(arg),
		.named = arg->name != NULL,
		.demoted = key->demoted && jit_set_has(key->demoted, number),
	};
	unsigned param = kernel->params[number];
	if (arg->kind == NESO_ARG_POINTER) {
		row.asked = FACT_ALIGNED;
	} else if (arg->kind == NESO_ARG_VALUE && arg->value.kind == NESO_VALUE_INT && !arg->value.is_unsigned && !row.demoted &&
		   !(param & API_PARAM_CONSTEXPR) && !is_typed(param, arg)) {
		row.asked = FACTS_OF_INT;
	}
	return row;
}

const uint64_t *api_key_rows(Arena *arena, const ApiKey *key, const neso_kernel *kernel, const neso_launch *launch,
			     size_t *words)
{
	Row *rows = ARENA_ARRAY(arena, Row, launch->arg_count + 1);
	uint64_t room[MOST_WORDS];
	size_t at = key->args_at;
	for (size_t i = 0; i < launch->arg_count; i++) {
		const neso_arg *arg = &launch->args[i];
		uint32_t number = arg->name ? param_of(kernel, arg->name, i) : (uint32_t)i;
		rows[i] = row_of(kernel, key, at, number, arg);
		at += (size_t)(put_arg(room, kernel->params[number], number, arg, rows[i].demoted) - room);
	}
	*words = launch->arg_count * sizeof *rows / sizeof(uint64_t);
	return (const uint64_t *)rows;
}

/* Behind those of `want` that are `words` .. `at`; NULL: they differ. */
static const uint64_t *skip_equal(const uint64_t *want, const uint64_t *end, const uint64_t *words, const uint64_t *at)
{
	if (!at || at - words > end - want)
		return NULL;
	while (words < at)
		if (*words++ != *want++)
			return NULL;
	return want;
}

static bool same_packed(const neso_kernel *kernel, const Row *row, const uint64_t *key, const uint64_t *end,
			const neso_arg *arg)
{
	uint64_t room[MOST_WORDS];
	return skip_equal(key + row->at, end, room,
			  put_arg(room, kernel->params[row->number], row->number, arg, row->demoted)) != NULL;
}

static bool same_name(const neso_kernel *kernel, const Row *row, const char *name)
{
	return row->named && name && strcmp(name, jit_kernel_info(kernel->jit)->params[row->number].name) == 0;
}

static bool same_args(const neso_kernel *kernel, const Row *rows, const uint64_t *key, const uint64_t *end,
		      const neso_arg *args, size_t count)
{
	uint64_t differs = 0, others = 0; /* those that facts do not suffice for */
	for (size_t i = 0; i < count; i++) {
		const Row *row = &rows[i];
		const neso_arg *arg = &args[i];
		differs |= (head_of(arg) ^ row->head) | ((facts_of(arg) ^ row->facts) & row->asked);
		others |= (uint64_t)(uintptr_t)arg->name | row->named | !row->asked;
	}
	for (size_t i = 0; others && !differs && i < count; i++) {
		const Row *row = &rows[i];
		const neso_arg *arg = &args[i];
		if ((arg->name || row->named) && !same_name(kernel, row, arg->name))
			return false;
		if (!row->asked && !same_packed(kernel, row, key, end, arg))
			return false;
	}
	return !differs;
}

/* Would the call's key be the one that this was found by? */
static bool is_like(const JitDispatch *dispatch, const neso_kernel *kernel, const neso_launch *launch, uint64_t context)
{
	uint64_t room[MOST_WORDS];
	const uint64_t *key = dispatch->words, *end = key + dispatch->key_count;
	const Row *rows = (const Row *)end;
	if (dispatch->row_words != launch->arg_count * sizeof *rows / sizeof *key)
		return false;
	const uint64_t *at = skip_equal(key, end, room, put_options(room, launch->options, context));
	const JitSet *demoted = api_demoted(kernel, launch->options->constexpr_policy);
	if (at && demoted)
		at = skip_equal(at, end, room, put_set(room, kernel, demoted));
	return at == (launch->arg_count ? key + rows[0].at : end) &&
	       same_args(kernel, rows, key, end, launch->args, launch->arg_count);
}

/* The driver takes its time to tell the context, in which what follows comes into the cache. */
static inline void look_ahead(const JitDispatch *dispatch)
{
	enum { LINE = 64 };
	for (unsigned line = 1; line < 5; line++)
		__builtin_prefetch((const char *)dispatch + (size_t)line * LINE);
	__builtin_prefetch(dispatch->function);
}

const JitDispatch *api_find_again(neso_kernel *kernel, const neso_launch *launch, ApiKey *key)
{
	const neso_compile_options *options = launch->size == sizeof *launch ? launch->options : NULL;
	key->count = 0;
	if (!options || options->size != sizeof *options || !options->target || launch->arg_size != sizeof(neso_arg) ||
	    (launch->arg_count && !launch->args))
		return NULL;
	const JitDispatch *found = atomic_load_explicit(&kernel->last, memory_order_acquire);
	uint64_t context = 0;
	if (LIKELY(found != NULL)) {
		look_ahead(found);
		context = jit_dispatch_context(found);
	}
	if (context && is_like(found, kernel, launch, context))
		return found;
	if (!key_make(key, kernel, launch, context))
		return NULL;
	found = jit_dispatch_find(kernel->jit, key->words, key->count, key->hash);
	if (found)
		atomic_store_explicit(&kernel->last, found, memory_order_release);
	return found;
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

static uint64_t made_bits(const JitFill *f, const neso_arg *args)
{
	if (f->arg == UINT32_MAX)
		return f->bits;
	const neso_arg *arg = &args[f->arg];
	switch (f->what) {
	case JIT_FILL_FLOAT: return float_bits((TlDtype)f->dtype, &arg->value);
	case JIT_FILL_NUMBER: return number_bits((TlDtype)f->dtype, &arg->value);
	default: return arg->pad_nan;
	}
}

const JitPlaces api_places = {
	.stride = sizeof(neso_arg),
	.of = {
		[JIT_FILL_INT] = offsetof(neso_arg, value.i), [JIT_FILL_ADDRESS] = offsetof(neso_arg, address),
		[JIT_FILL_SHAPE] = offsetof(neso_arg, shape), [JIT_FILL_STRIDE] = offsetof(neso_arg, strides),
		[JIT_FILL_FLOAT] = JIT_NO_PLACE, [JIT_FILL_NUMBER] = JIT_NO_PLACE, [JIT_FILL_PAD] = JIT_NO_PLACE,
	},
};

/* A launch takes most values from where the caller has them. bits: room for those that are made. */
static void fill_all(const JitDispatch *d, const neso_launch *launch, uint64_t *bits, void **params)
{
	char *args = (char *)(uintptr_t)launch->args; /* which nobody writes through params */
	for (uint32_t i = 0; i < d->place_count; i++)
		params[i] = args + d->places[i];
	for (uint32_t i = 0; i < d->made_count; i++) {
		bits[i] = made_bits(&d->made[i], launch->args);
		params[d->made[i].slot] = &bits[i];
	}
}

int api_launch_again(const JitDispatch *dispatch, const neso_launch *launch)
{
	enum { USUAL = 128 };
	uint64_t bits[USUAL];
	void *params[USUAL + 1];
	if (dispatch->place_count > USUAL || dispatch->has_events)
		return NV_NOT_PLAIN;
	fill_all(dispatch, launch, bits, params);
	return nv_launch_plain(dispatch->function, launch->grid, launch->stream, params);
}

JitStatus api_launch_rest(const JitDispatch *dispatch, const neso_launch *launch, int result, DiagList *diags)
{
	uint64_t *bits = ARENA_ARRAY(diags->arena, uint64_t, dispatch->made_count + 1);
	void **params = ARENA_ARRAY(diags->arena, void *, dispatch->place_count + 1);
	fill_all(dispatch, launch, bits, params);
	const JitLaunch again = {.grid = {launch->grid[0], launch->grid[1], launch->grid[2]}, .stream = launch->stream};
	return jit_gpu_launch(dispatch->variant, dispatch->function, result, &again, params,
			      diags);
}
