/* The engine: visits every op of a function once in program order, and again whenever something
 * near it changed. Dead ops go, constants fold, rules apply. Constants are unique per function and
 * stand at its start, in order of first appearance, so a constant dominates everything that may
 * come to use it. */
#include "ir/pass/canon.h"

enum { CANON_QUEUED = 1, CANON_DEAD = 2 };

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

static const struct {
	IrOpKind kind;
	unsigned sets;
	CanonRule *fn;
} rules[] = {
#define S CANON_SIMPLIFY
#define C CANON_COMBINE
#define R CANON_REORDER
#define RULE(kind, sets, fn, doc) {OP_##kind, sets, fn},
#include "ir/pass/canon.def"
#undef RULE
#undef S
#undef C
#undef R
};

/* ---- the worklist ---- */

static uint8_t *state_of(Canon *c, const IrOp *op)
{
	if (op->id >= c->state_cap) {
		uint32_t cap = MAX(c->m->next_op + 256, c->state_cap * 2);
		c->state = arena_grow(c->scratch, c->state, c->state_cap, cap);
		c->state_cap = cap;
	}
	return &c->state[op->id];
}

void canon_push(Canon *c, IrOp *op)
{
	if (!op || !op->block || op == c->func)
		return;
	uint8_t *state = state_of(c, op);
	if (*state)
		return;
	if (op->kind == OP_YIELD || op->kind == OP_CONDITION) {
		canon_push(c, ir_parent_op(op)); /* what a region hands out concerns the op that it belongs to */
		return;
	}
	*state = CANON_QUEUED;
	if (op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_IF)
		vec_push(c->scratch, &c->later, op);
	else
		vec_push(c->scratch, &c->work, op);
}

static void canon_push_users(Canon *c, IrValue *v)
{
	for (IrUse *use = v->uses; use; use = use->next)
		canon_push(c, use->owner);
}

/* A value lost a use: its op may be dead now, or its block argument unneeded, or its last user may have it to
 * itself. */
static void push_def(Canon *c, const IrValue *v)
{
	if (ir_has_one_use(v))
		canon_push(c, v->uses->owner);
	if (v->def)
		canon_push(c, v->def);
	else if (v->block->region)
		canon_push(c, v->block->region->op);
}

void canon_replace(Canon *c, IrValue *from, IrValue *to)
{
	if (!from->uses)
		return;
	canon_push_users(c, from);
	ir_replace_uses(from, to);
	push_def(c, from);
	c->changed = true;
}

void canon_set_operand(Canon *c, IrOp *op, uint32_t i, IrValue *v)
{
	IrValue *old = ir_operand(op, i);
	ir_operand_set(op, i, v);
	push_def(c, old);
	canon_push(c, op);
	c->changed = true;
}

static void forget(Canon *c, IrOp *op)
{
	*state_of(c, op) = CANON_DEAD;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (ir_operand(op, i))
			vec_push(c->scratch, &c->lost, ir_operand(op, i));
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			for (IrOp *inner = b->first; inner; inner = inner->next)
				forget(c, inner);
}

void canon_erase(Canon *c, IrOp *op)
{
	if (op == c->last_constant)
		c->last_constant = op->prev;
	IrBlock *block = op->block;
	forget(c, op);
	ir_op_erase(op);
	/* A branch that is (nearly) empty now. */
	if (block && block->region && block->first &&
	    (block->first == block->last || block->first->next == block->last))
		canon_push(c, block->region->op);
	while (c->lost.len)
		push_def(c, c->lost.data[--c->lost.len]);
	c->changed = true;
}

bool canon_replace_op(Canon *c, IrOp *op, IrValue *v)
{
	ASSERT(op->result_count == 1 && v->type == op->results[0].type);
	canon_replace(c, &op->results[0], v);
	canon_erase(c, op);
	return true;
}

static bool canon_replace_constant(Canon *c, IrOp *op, IrAttr value)
{
	return canon_replace_op(c, op, canon_constant(c, value));
}

void canon_inline_block(Canon *c, IrBlock *from, IrOp *before, IrValue *const *args)
{
	for (uint32_t i = 0; i < from->arg_count; i++)
		if (from->args[i]->uses)
			canon_replace(c, from->args[i], args[i]);
	while (from->first) {
		IrOp *op = from->first;
		ir_op_unlink(op);
		ir_op_insert_before(op, before);
		canon_push(c, op);
	}
	c->changed = true;
}

/* ---- constants ---- */

static void to_the_front(Canon *c, IrOp *op)
{
	IrBlock *entry = ir_func_body(c->func);
	ir_op_unlink(op);
	if (c->last_constant)
		ir_op_insert_after(op, c->last_constant);
	else if (entry->first)
		ir_op_insert_before(op, entry->first);
	else
		ir_op_append(entry, op);
	c->last_constant = op;
}

IrValue *canon_constant(Canon *c, IrAttr value)
{
	IrOp *op = map_get_ptr(&c->constants, value);
	if (op && op->block)
		return &op->results[0];
	IrBuilder b = ir_at_end(c->m, ir_func_body(c->func), c->b.loc);
	op = irb_constant(&b, value)->def;
	to_the_front(c, op);
	map_put_ptr(&c->constants, value, op);
	c->changed = true;
	return &op->results[0];
}

IrValue *canon_int(Canon *c, IrType type, int64_t value)
{
	return canon_constant(c, fold_splat(c->cx, type, fold_low((uint64_t)value, ir_elem(type)->bits)));
}

/* Every constant op that is there already: one of each value stays. */
static void unite_constant(Canon *c, IrOp *op)
{
	IrAttr value = ir_constant_of(&op->results[0]);
	IrOp *first = map_get_ptr(&c->constants, value);
	if (first && first->block) {
		canon_replace(c, &op->results[0], &first->results[0]);
		canon_erase(c, op);
		return;
	}
	IrOp *follows = c->last_constant ? c->last_constant->next : ir_func_body(c->func)->first;
	if (follows != op)
		c->changed = true;
	to_the_front(c, op);
	map_put_ptr(&c->constants, value, op);
}

/* ---- looking at an op ---- */

static bool is_unused(const IrOp *op)
{
	for (uint32_t i = 0; i < op->result_count; i++)
		if (op->results[i].uses)
			return false;
	return true;
}

static bool try_fold(Canon *c, IrOp *op)
{
	IrAttr operands[3];
	if (op->result_count != 1 || op->operand_count > ARRAY_LEN(operands) || !fold_knows(op->kind))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		operands[i] = ir_constant_of(ir_operand(op, i));
		if (!fold_is_constant(operands[i]))
			return false;
	}
	ArenaMark mark = arena_mark(c->scratch);
	IrAttr value = fold_op(c->cx, c->scratch, op, operands);
	arena_reset(c->scratch, mark);
	return value && canon_replace_constant(c, op, value);
}

/* Constants stand on the right of a commutative op. */
static void order_operands(Canon *c, IrOp *op)
{
	if (!ir_has_trait(op, TRAIT_COMM))
		return;
	IrValue *a = ir_operand(op, 0), *b = ir_operand(op, 1);
	if (!ir_constant_of(a) || ir_constant_of(b))
		return;
	ir_operand_set(op, 0, b);
	ir_operand_set(op, 1, a);
	canon_push_users(c, &op->results[0]); /* whose rules look for the constant on the right */
	c->changed = true;
}

/* The rules of each kind: [first[kind], first[kind + 1]) of the table, which is grouped by kind. */
static void index_rules(uint16_t *first, uint16_t *last)
{
	for (uint16_t i = 0; i < ARRAY_LEN(rules); i++) {
		IrOpKind kind = rules[i].kind;
		if (!last[kind])
			first[kind] = i;
		ASSERT(!last[kind] || last[kind] == i); /* canon.def is grouped by kind */
		last[kind] = (uint16_t)(i + 1);
	}
}

/* What a rule put before the op is to be looked at as well; `last` is the last of it. */
static void push_new(Canon *c, IrOp *last, uint32_t first_id)
{
	for (IrOp *op = last; op && op->id >= first_id; op = op->prev)
		canon_push(c, op);
}

static bool apply_range(Canon *c, IrOp *op, uint32_t from, uint32_t to)
{
	IrOp *next = op->next;
	IrBlock *block = op->block;
	uint32_t first_id = c->m->next_op;
	for (uint32_t i = from; i < to; i++) {
		if (!(rules[i].sets & c->sets) || !rules[i].fn(c, op))
			continue;
		c->changed = true;
		push_new(c, op->block ? op->prev : next && next->block ? next->prev : block->last, first_id);
		if (op->block && *state_of(c, op) != CANON_DEAD)
			canon_push(c, op);
		return true;
	}
	return false;
}

static bool apply_rules(Canon *c, IrOp *op, const uint16_t *first, const uint16_t *last)
{
	if (apply_range(c, op, first[op->kind], last[op->kind]))
		return true;
	bool elementwise = ir_has_trait(op, TRAIT_ELEM) || op->kind == OP_EXTERN;
	return elementwise && apply_range(c, op, first[OP__COUNT], last[OP__COUNT]);
}

static void visit(Canon *c, IrOp *op, const uint16_t *first, const uint16_t *last)
{
	if (is_unused(op) && !ir_has_trait(op, TRAIT_TERM) && ir_is_droppable(op)) {
		canon_erase(c, op);
		return;
	}
	if (op->kind == OP_CONSTANT)
		return;
	c->b = ir_at(c->m, op);
	if (try_fold(c, op))
		return;
	order_operands(c, op);
	if (c->sets && c->fuel && apply_rules(c, op, first, last))
		c->fuel--;
}

/* ---- running ---- */

typedef struct Collect {
	Canon *c;
	CanonList ops;
} Collect;

static bool collect(void *data, IrOp *op)
{
	Collect *all = data;
	vec_push(all->c->scratch, &all->ops, op);
	return true;
}

static IrOp *next_op(Canon *c)
{
	if (c->work.len)
		return c->work.data[--c->work.len];
	return c->later.len ? c->later.data[--c->later.len] : NULL;
}

static void run_on_function(Canon *c, IrOp *func, const uint16_t *first, const uint16_t *last)
{
	if (!ir_func_body(func))
		return;
	c->func = func;
	c->last_constant = NULL;
	map_init(&c->constants, c->scratch);
	Collect all = {.c = c};
	ir_walk(func, false, collect, &all);
	for (uint32_t i = 0; i < all.ops.len; i++)
		if (all.ops.data[i]->kind == OP_CONSTANT)
			unite_constant(c, all.ops.data[i]);
	/* Those that this queued come in their turn. */
	while (c->work.len + c->later.len) {
		uint8_t *state = state_of(c, next_op(c));
		*state = *state == CANON_DEAD ? CANON_DEAD : 0;
	}
	c->fuel = 64 * (uint64_t)all.ops.len + 1024;
	/* Stacks, filled from the back: program order. */
	for (uint32_t i = all.ops.len; i-- > 0;)
		canon_push(c, all.ops.data[i]);
	for (IrOp *op; (op = next_op(c)) != NULL;) {
		uint8_t *state = state_of(c, op);
		if (*state == CANON_DEAD)
			continue;
		*state = 0;
		visit(c, op, first, last);
	}
}

/* Runs on all functions of the module: the whole pass. */
static bool canon_run(PassCx *cx, unsigned sets, bool *changed)
{
	uint16_t first[OP__COUNT + 1] = {0}, last[OP__COUNT + 1] = {0};
	Canon c = {.m = cx->module, .cx = cx->module->cx, .scratch = cx->scratch, .sets = sets};
	index_rules(first, last);
	for (IrOp *op = ir_module_block(cx->module)->first; op; op = op->next)
		if (op->kind == OP_FUNC)
			run_on_function(&c, op, first, last);
	*changed = c.changed;
	return true;
}

bool pass_fold(PassCx *cx, bool *changed) { return canon_run(cx, 0, changed); }
bool pass_canonicalize(PassCx *cx, bool *changed) { return canon_run(cx, CANON_SIMPLIFY, changed); }
bool pass_combine(PassCx *cx, bool *changed) { return canon_run(cx, CANON_COMBINE, changed); }
bool pass_reorder_broadcast(PassCx *cx, bool *changed) { return canon_run(cx, CANON_REORDER, changed); }
