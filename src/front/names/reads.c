/* Reads of a lowering, noted and compared: reads.h. */
#include "front/reads.h"

struct FrontRead {
	const void *owner; /* NULL: a question to the host, as `name` */
	const char *name;
	const Val *val;
	const char *answer;
	struct FrontRead *next;
};

FrontReads *reads_new(Arena *arena)
{
	FrontReads *r = ARENA_NEW(arena, FrontReads);
	r->arena = arena;
	map_init(&r->values, arena);
	map_init(&r->known, arena);
	map_init(&r->answers, arena);
	r->open = true;
	return r;
}

void reads_know(FrontReads *reads, const void *what)
{
	map_put(&reads->known, map_key(what), 1);
}

/* ---- the same value ---- */

static bool same(const Val *a, const Val *b, unsigned depth);

static bool same_items(const Val *const *a, const Val *const *b, uint32_t len, unsigned depth)
{
	for (uint32_t i = 0; i < len; i++)
		if (!same(a[i], b[i], depth + 1))
			return false;
	return true;
}

static bool same_type(TlType a, TlType b)
{
	if (!a || !b || a->kind != b->kind)
		return a == b;
	if (a->kind == TL_BLOCK &&
	    (a->rank != b->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) != 0))
		return false;
	return a->dtype == b->dtype && a->is_const == b->is_const && a->space == b->space &&
	       same_type(a->elem, b->elem);
}

/* Of closures the text alone: what they close over
 * follows from what was read before they were made. */
static bool same_function(const FrontFunction *a, const FrontFunction *b)
{
	return a->ast == b->ast && !a->env == !b->env;
}

static bool same_range(const Val *a, const Val *b, unsigned depth)
{
	CONTRACT(a->kind == VAL_RANGE);
	const Val *x[] = {a->range.start,
			  a->range.stop,
			  a->range.step,
			  a->range.num_stages,
			  a->range.loop_unroll_factor,
			  a->range.disallow_acc_multi_buffer,
			  a->range.flatten,
			  a->range.warp_specialize,
			  a->range.disable_licm};
	const Val *y[] = {b->range.start,
			  b->range.stop,
			  b->range.step,
			  b->range.num_stages,
			  b->range.loop_unroll_factor,
			  b->range.disallow_acc_multi_buffer,
			  b->range.flatten,
			  b->range.warp_specialize,
			  b->range.disable_licm};
	return a->range.range == b->range.range && same_items(x, y, ARRAY_LEN(x), depth);
}

static bool same(const Val *a, const Val *b, unsigned depth)
{
	if (!a || !b || a == b || a->kind != b->kind || depth > 50)
		return a == b;
	switch (a->kind) {
	case VAL_NONE: case VAL_ELLIPSIS: case VAL_OPAQUE:
		return true;
	case VAL_BOOL: case VAL_INT: case VAL_STR:
		return val_equal(a, b);
	case VAL_FLOAT:
		return memcmp(&a->f, &b->f, sizeof a->f) == 0;
	case VAL_SLICE:
		return same(a->slice.lower, b->slice.lower, depth + 1) &&
		       same(a->slice.upper, b->slice.upper, depth + 1) &&
		       same(a->slice.step, b->slice.step, depth + 1);
	case VAL_TUPLE: case VAL_LIST:
		return a->seq.klass == b->seq.klass && a->seq.len == b->seq.len &&
		       same_items(a->seq.items, b->seq.items, a->seq.len, depth);
	case VAL_DICT:
		return a->dict.len == b->dict.len &&
		       same_items(a->dict.keys, b->dict.keys, a->dict.len, depth) &&
		       same_items(a->dict.values, b->dict.values, a->dict.len, depth);
	case VAL_RANGE:
		return same_range(a, b, depth);
	case VAL_DTYPE:
		return same_type(a->type, b->type);
	case VAL_CONST_TYPE:
		return same(a->typed, b->typed, depth + 1);
	case VAL_FUNCTION:
		return same_function(a->function, b->function);
	case VAL_BUILTIN:
		return a->builtin == b->builtin;
	case VAL_METHOD:
		return same(a->method.callee, b->method.callee, depth + 1) &&
		       same(a->method.self, b->method.self, depth + 1);
	case VAL_MODULE:
		if (a->module.builtin_path || b->module.builtin_path)
			return a->module.builtin_path && b->module.builtin_path &&
			       strcmp(a->module.builtin_path, b->module.builtin_path) == 0;
		return a->module.module == b->module.module;
	case VAL_CLASS:
		return a->klass == b->klass;
	case VAL_OBJECT:
		return a->object.klass == b->object.klass &&
		       same_items(a->object.fields, b->object.fields, a->object.klass->field_count, depth);
	case VAL_PYTHON:
		return a->python == b->python;
	case VAL_TENSOR: case VAL_DEMOTED: case VAL_POISON:
		break;
	}
	return false;
}

bool reads_same(const Val *a, const Val *b)
{
	return same(a, b, 0);
}

/* ---- looking up ---- */

static uint64_t mix(uint64_t h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdu;
	return h ^ h >> 33;
}

static uint64_t read_hash(const void *owner, Sym name)
{
	return mix(map_key(owner)) ^ mix(map_key(name) + 0x9e3779b97f4a7c15u);
}

static uint64_t text_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

static FrontRead *find(const Map *map, uint64_t hash, const void *owner, const char *name)
{
	uint64_t at;
	FrontRead *r = map_get(map, hash, &at) ? (FrontRead *)(uintptr_t)at : NULL;
	while (r && (r->owner != owner || (owner ? r->name != name : strcmp(r->name, name) != 0)))
		r = r->next;
	return r;
}

static void note(FrontReads *reads, Map *map, uint64_t hash, FrontRead read)
{
	uint64_t at;
	read.next = map_get(map, hash, &at) ? (FrontRead *)(uintptr_t)at : NULL;
	map_put(map, hash, map_key(arena_copy(reads->arena, &read, sizeof read)));
}

void lower_beyond(FrontLower *low, const char *what)
{
	if (low->reads && !low->reads->beyond && !low->evaluating)
		low->reads->beyond = arena_strdup(low->reads->arena, what);
}

const Val *lower_read(FrontLower *low, const void *owner, Sym name, const Val *v)
{
	FrontReads *reads = low->reads;
	uint64_t known;
	if (!reads || low->evaluating)
		return v;
	const FrontRead *had = find(&reads->values, read_hash(owner, name), owner, name);
	if (had ? same(had->val, v, 0) : !v && map_get(&reads->known, map_key(owner), &known))
		return v;
	if (!had && reads->open) {
		note(reads, &reads->values, read_hash(owner, name),
		     (FrontRead){.owner = owner, .name = name, .val = v});
		return v;
	}
	reads->forgotten = reads->forgotten || (!had && !reads->beyond);
	lower_beyond(low, name);
	return v;
}

void lower_enter(FrontLower *low, const FrontFunction *f)
{
	uint64_t known;
	FrontReads *reads = low->reads;
	if (!reads || reads->open || low->evaluating || map_get(&reads->known, map_key(f->ast), &known))
		return;
	reads->forgotten = reads->forgotten || !reads->beyond;
	lower_beyond(low, f->qualified);
}

/* Also while something is evaluated: it is the answer that decides what that gives. */
void lower_answer(FrontLower *low, const char *question, const char *text)
{
	CONTRACT(question);
	FrontReads *reads = low->reads;
	if (!reads)
		return;
	uint64_t hash = text_hash(question);
	const FrontRead *had = find(&reads->answers, hash, NULL, question);
	if (!had && reads->open)
		note(reads, &reads->answers, hash,
		     (FrontRead){.name = arena_strdup(reads->arena, question),
				 .answer = arena_strdup(reads->arena, text)});
	else if (had && strcmp(had->answer, text) != 0 && !reads->beyond)
		reads->beyond = had->name;
}
