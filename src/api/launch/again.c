/* Looking a launch up. Most launches on a GPU are like the one right before: what was seen of its
 * arguments is compared with this one's, one after the other, and nothing is stored or hashed.
 * Where that fails the call is packed (key.c) and looked up in the kernel's table
 * (jit/launch/find.c). */
#include "api/inner.h"

#include "jit/rules.h"

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

enum { FACT_ALIGNED = 1, FACTS_OF_INT = 0x1e, FACT_SMALL_BIT = 5 /* 8 divides it */ };
_Static_assert(FACTS_OF_INT == ((1 << (RULE_INT_BITS + 1)) - 1) << 1,
	       "being one, and what is concluded of it");

/* Of an argument of any kind, what those that it is not may have in its fields among them: without a branch, which would be guessed
 * wrong where a driver has run since the last time. */
static inline unsigned facts_of(const neso_arg *arg)
{
	const neso_value *v = &arg->value;
	uint8_t is_unsigned; /* whatever lies there */
	memcpy(&is_unsigned, &v->is_unsigned, sizeof is_unsigned);
	return (unsigned)rule_divisible((uintptr_t)arg->address) |
	       (unsigned)((((unsigned)v->kind ^ NESO_VALUE_INT) | is_unsigned) == 0) << 1 |
	       rule_int(v->i) << 2 | (unsigned)rule_divisible_small((uint64_t)v->i) << FACT_SMALL_BIT;
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
		row.asked = param & API_PARAM_DIV8 ? 0 : FACT_ALIGNED; /* it does not tell of 8 */
	} else if (arg->kind == NESO_ARG_VALUE && arg->value.kind == NESO_VALUE_INT && !arg->value.is_unsigned && !row.demoted &&
		   !(param & API_PARAM_CONSTEXPR) && !api_is_typed(param, arg)) {
		row.asked = (uint8_t)(FACTS_OF_INT | (param & API_PARAM_DIV8_INT ? 1 << FACT_SMALL_BIT : 0));
	}
	return row;
}

const uint64_t *api_key_rows(Arena *arena, const ApiKey *key, const neso_kernel *kernel, const neso_launch *launch,
			     size_t *words)
{
	Row *rows = ARENA_ARRAY(arena, Row, launch->arg_count + 1);
	uint64_t room[API_ROOM_WORDS];
	size_t at = key->args_at;
	for (size_t i = 0; i < launch->arg_count; i++) {
		const neso_arg *arg = &launch->args[i];
		uint32_t number = arg->name ? api_param_of(kernel, arg->name, i) : (uint32_t)i;
		rows[i] = row_of(kernel, key, at, number, arg);
		at += (size_t)(api_put_arg(room, kernel->params[number], number, arg, rows[i].demoted) -
			       room);
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
	uint64_t room[API_ROOM_WORDS];
	return skip_equal(key + row->at, end, room,
			  api_put_arg(room, kernel->params[row->number], row->number, arg, row->demoted)) !=
	       NULL;
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
	uint64_t room[API_ROOM_WORDS];
	const uint64_t *key = dispatch->words, *end = key + dispatch->key_count;
	const Row *rows = (const Row *)end;
	if (dispatch->row_words != launch->arg_count * sizeof *rows / sizeof *key)
		return false;
	const uint64_t *at = skip_equal(key, end, room, api_put_options(room, launch->options, context));
	const JitSet *demoted = api_demoted(kernel, launch->options->constexpr_policy);
	if (at && demoted)
		at = skip_equal(at, end, room, api_put_set(room, kernel, demoted));
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

bool api_is_plain(const neso_launch *launch)
{
	const neso_compile_options *options = launch->size == sizeof *launch ? launch->options : NULL;
	return options && options->size == sizeof *options && !launch->check && launch->schedules <= 1 && !launch->watch && !launch->whose &&
	       launch->arg_size == sizeof(neso_arg) &&
	       (!launch->arg_count || launch->args);
}

const JitDispatch *api_find_last(neso_kernel *kernel, const neso_launch *launch)
{
	const JitDispatch *found = atomic_load_explicit(&kernel->last, memory_order_acquire);
	const uint64_t context = found ? jit_find_context(found) : 0;
	return context && is_like(found, kernel, launch, context) ? found : NULL;
}

/* Where its variant may be forgotten it is held for the caller; NULL is fine. */
static void let_go(const JitDispatch *dispatch)
{
	if (dispatch && dispatch->passes)
		jit_let_go(dispatch->variant);
}

const JitDispatch *api_find_again(neso_kernel *kernel, const neso_launch *launch, ApiKey *key)
{
	key->count = 0;
	if (!api_is_plain(launch) || !launch->options->target)
		return NULL;
	const JitDispatch *found = atomic_load_explicit(&kernel->last, memory_order_acquire);
	uint64_t context = 0;
	if (LIKELY(found != NULL)) {
		look_ahead(found);
		context = jit_find_context(found);
	}
	if (context && is_like(found, kernel, launch, context))
		return found;
	if (!api_key_make(key, kernel, launch, context, true))
		return NULL;
	found = jit_find(kernel->jit, key->words, key->count, key->hash);
	if (found && !found->function)
		let_go(found);
	if (!found || !found->function)
		return NULL;
	if (!found->passes)
		atomic_store_explicit(&kernel->last, found, memory_order_release);
	return found;
}

const JitVariant *api_find(const neso_kernel *kernel, const neso_launch *launch, ApiKey *key)
{
	key->count = 0;
	if (!api_is_plain(launch) || !api_key_make(key, kernel, launch, 0, false))
		return NULL;
	const JitDispatch *found = jit_find(kernel->jit, key->words, key->count, key->hash);
	return found ? found->variant : NULL;
}
