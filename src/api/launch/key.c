/* The bits of a call that decide which variant it asks for: words, whose equality says that it is
 * the same one. What cannot be packed cheaply goes the long way.
 *
 * The words of an argument say at least what binding concludes from it (jit/rules.h): type, the
 * value where the parameter is a constexpr, being 1, divisibility by 16, which integer type it
 * fits. */
#include "api/inner.h"

#include "cache/entry/hash.h"
#include "jit/rules.h"

/* Functions that pack take the place of the next word, and give the one behind what they wrote; NULL: this call goes
 * the long way. None writes more than API_ROOM_WORDS. */
enum { LONGEST_TEXT = 256 };
_Static_assert(API_ROOM_WORDS == 4 + 2 * LONGEST_TEXT / 8, "the options, of which two are texts");

/* A text that is too long stands there as its digest, below a word that no text has. */
static uint64_t *put_long_text(uint64_t *at, const char *text)
{
	const CacheDigest digest = cache_hash_of(text, strlen(text));
	*at++ = 0x200;
	memcpy(at, digest.bytes, sizeof digest.bytes);
	return at + sizeof digest.bytes / sizeof *at;
}

/* Its bytes with the NUL, eight to a word: the word with a NUL is the last. */
static uint64_t *put_text(uint64_t *at, const char *text)
{
	uint64_t *begin = at;
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
	return put_long_text(begin, text);
}

uint64_t *api_put_options(uint64_t *at, const neso_compile_options *o, uint64_t context)
{
	const unsigned flags = (unsigned)o->debug | (unsigned)o->no_specialize << 1 | (unsigned)o->no_gpu_limits << 2 |
			       (unsigned)o->no_fp_fusion << 3 | (unsigned)o->no_line_info << 4 |
			       (unsigned)o->cooperative << 5 | (unsigned)o->dependent_launch << 6 |
			       (unsigned)o->constexpr_policy << 7 | (unsigned)o->ptx_only << 10 |
			       (unsigned)(o->debug && o->no_overflow_checks) << 11 |
			       (unsigned)o->no_reflect_ftz << 12 | (unsigned)o->strict_triton << 13 |
			       (unsigned)o->wide_offsets << 14 | (unsigned)o->no_tensor_maps << 15;
	*at++ = context;
	*at++ = o->num_warps | (uint64_t)o->num_stages << 32;
	*at++ = o->num_ctas | (uint64_t)o->maxnreg << 32;
	*at++ = o->ptx_version | (uint64_t)flags << 32;
	return put_text(put_text(put_text(at, o->target), o->dot_precision), o->override);
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

static uint64_t *put_descriptor(uint64_t *at, uint64_t head, const neso_arg *arg)
{
	if (arg->rank < 1 || arg->rank > NESO_MAX_RANK || arg->strides[arg->rank - 1] != 1)
		return NULL;
	*at++ = head | (uint64_t)rule_divisible((uintptr_t)arg->address) << 32 | (uint64_t)arg->rank << 33;
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
	return v->kind == NESO_VALUE_BOOL ? 0
					  : (uint64_t)rule_width(v->i) | (uint64_t)(v->i < 0) << 8 |
						    (uint64_t)v->is_unsigned << 9;
}

/* One word for each argument, and those of a constant: the parameter, what the argument is, what its value decides. */
uint64_t *api_put_arg(uint64_t *at, unsigned param, uint32_t number, const neso_arg *arg, bool demoted)
{
	const neso_value *v = &arg->value;
	uint64_t head = number | (uint64_t)(uint8_t)arg->kind << 8 | (uint64_t)(uint8_t)arg->dtype << 16;
	if ((uint32_t)arg->dtype > UINT8_MAX)
		return NULL;
	if (arg->kind == NESO_ARG_POINTER) {
		const uint64_t small =
			param & API_PARAM_DIV8 && rule_divisible_small((uintptr_t)arg->address);
		*at++ = head | (uint64_t)rule_divisible((uintptr_t)arg->address) << 32 |
			small << 33;
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
	case NESO_VALUE_INT:
		head |= (uint64_t)(param & API_PARAM_DIV8_INT && rule_divisible_small((uint64_t)v->i)) << 63;
		*at++ = head | (uint64_t)rule_int_class(v->i, v->is_unsigned, api_is_typed(param, arg)) << 33;
		return at;
	case NESO_VALUE_NONE:
	case NESO_VALUE_BOOL:
	case NESO_VALUE_FLOAT: *at++ = head; return at;
	default: return NULL;
	}
}

/* The parameter that an argument with a name is for, which may be the one at the same place; count: none. */
uint32_t api_param_of(const neso_kernel *kernel, const char *name, size_t i)
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
		if ((!args[i].name && (named || i >= most)) || end - at < API_ROOM_WORDS)
			return NULL;
		named = args[i].name != NULL;
		uint32_t number = named ? api_param_of(kernel, args[i].name, i) : (uint32_t)i;
		if (number >= most)
			return NULL;
		bool demoted = key->demoted && jit_set_has(key->demoted, number);
		at = api_put_arg(at, kernel->params[number], number, &args[i], demoted);
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
	return chosen >= NESO_POLICY_GENERIC ? jit_kernel_demoted(kernel->jit) : NULL;
}

const uint64_t *neso_kernel_demoted(const neso_kernel *kernel, neso_constexpr_policy policy)
{
	const JitSet *set = kernel ? api_demoted(kernel, policy) : NULL;
	return set ? set->words : NULL;
}

uint64_t neso_number_class(const neso_value *value)
{
	return value ? (uint64_t)value->kind | class_of_number(value) << 8 : 0;
}

uint64_t *api_put_set(uint64_t *at, const neso_kernel *kernel, const JitSet *set)
{
	for (size_t w = 0; set && w < ARRAY_LEN(set->words) && 64 * w < kernel->param_count; w++)
		*at++ = set->words[w];
	return at;
}

/* The context that a call is for; 0: none, and it can be told all the same. False: it cannot. */
static bool find_context(const neso_kernel *kernel, const char *target, bool launches, uint64_t *context)
{
	if (!target || strcmp(target, "interp") == 0 || strncmp(target, "sim:", 4) == 0) {
		*context = 0;
		return !launches;
	}
	if (!*context)
		*context = jit_gpu_context(kernel->jit, launches);
	return *context || (!launches && strcmp(target, "cuda") != 0);
}

bool api_key_make(ApiKey *key, const neso_kernel *kernel, const neso_launch *launch, uint64_t context,
		  bool launches)
{
	_Static_assert(API_KEY_WORDS > 2 * API_ROOM_WORDS, "options and one argument fit");
	const neso_compile_options *options = launch->options;
	key->count = 0;
	if (!find_context(kernel, options->target, launches, &context))
		return false;
	uint64_t *at = api_put_options(key->words, options, context);
	key->demoted = api_demoted(kernel, options->constexpr_policy);
	at = api_put_set(at, kernel, key->demoted);
	key->args_at = (size_t)(at - key->words);
	at = put_args(at, key, kernel, launch->args, launch->arg_count);
	if (!at)
		return false;
	key->count = (size_t)(at - key->words);
	key->hash = hash_words(key->words, key->count);
	return true;
}

JitKey api_jit_key(const ApiKey *key)
{
	return (JitKey){.words = key->words, .count = key->count, .hash = key->hash, .set = key->demoted};
}
