/* Rules for loops and branches: those that run never or once, and values that need not be carried.
 */
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

static IrBlock *body(const IrOp *op, uint32_t region) { return op->regions[region].first; }

static void replace_results(Canon *c, IrOp *op, const IrOp *yield, uint32_t first)
{
	for (uint32_t i = 0; i < op->result_count; i++)
		canon_replace(c, &op->results[i], ir_operand(yield, first + i));
}

/* ---- scf.for ---- */

/* The trip count when it is known; -1 otherwise. */
static int64_t trips(const Canon *c, const IrOp *op)
{
	int64_t lower, upper, step;
	if (ir_get(op, c->cx, ATTR_UNSIGNED_CMP))
		return -1;
	if (ir_operand(op, 0) == ir_operand(op, 1))
		return 0;
	if (!ir_constant_int(ir_operand(op, 0), &lower) || !ir_constant_int(ir_operand(op, 1), &upper))
		return -1;
	if (lower >= upper)
		return 0;
	if (!ir_constant_int(ir_operand(op, 2), &step) || step <= 0)
		return -1;
	/* Differences of 64-bit numbers: unsigned. */
	uint64_t span = (uint64_t)upper - (uint64_t)lower, each = (uint64_t)step;
	return (int64_t)MIN((span - 1) / each + 1, (uint64_t)INT64_MAX);
}

bool rule_for_trips(Canon *c, IrOp *op)
{
	int64_t count = trips(c, op);
	if (count == 0) {
		for (uint32_t i = 0; i < op->result_count; i++)
			canon_replace(c, &op->results[i], ir_operand(op, 3 + i));
		canon_erase(c, op);
		return true;
	}
	if (count != 1)
		return false;
	IrBlock *block = body(op, 0);
	IrValue **args = ARENA_ARRAY(c->scratch, IrValue *, block->arg_count);
	args[0] = ir_operand(op, 0);
	for (uint32_t i = 1; i < block->arg_count; i++)
		args[i] = ir_operand(op, 2 + i);
	canon_inline_block(c, block, op, args);
	IrOp *yield = op->prev; /* moved as well */
	replace_results(c, op, yield, 0);
	canon_erase(c, op);
	canon_erase(c, yield);
	return true;
}

/* Carried, but the same in every iteration. */
bool rule_for_invariant(Canon *c, IrOp *op)
{
	IrBlock *block = body(op, 0);
	IrOp *yield = ir_terminator(block);
	bool changed = false;
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrValue *arg = block->args[1 + i], *init = ir_operand(op, 3 + i), *next = ir_operand(yield, i);
		if ((next != arg && next != init) || (!arg->uses && !op->results[i].uses))
			continue;
		if (next == init && !op->results[i].uses && !arg->uses)
			continue;
		canon_replace(c, &op->results[i], init);
		canon_replace(c, arg, init); /* the yield among its uses becomes init too */
		changed = true;
	}
	return changed;
}

bool rule_for_unused(Canon *c, IrOp *op)
{
	IrBlock *block = body(op, 0);
	IrOp *yield = ir_terminator(block);
	bool changed = false;
	for (uint32_t i = op->result_count; i-- > 0;) {
		IrValue *arg = block->args[1 + i], *next = ir_operand(yield, i);
		/* The only use that does not count is its own yield. */
		bool own = next == arg && ir_has_one_use(arg);
		if (op->results[i].uses || (arg->uses && !own))
			continue;
		IrOp *defs[2] = {ir_operand(op, 3 + i)->def, next->def};
		ir_operand_erase(yield, i);
		ir_operand_erase(op, 3 + i);
		ir_block_arg_erase(block, 1 + i);
		ir_result_erase(op, i);
		for (int d = 0; d < 2; d++)
			canon_push(c, defs[d]);
		changed = true;
	}
	return changed;
}

static bool is_same_number(const IrValue *a, const IrValue *b)
{
	int64_t x, y;
	bool known = a->type == b->type && ir_constant_int(a, &x) && ir_constant_int(b, &y);
	return a == b || (known && x == y);
}

static IrValue *in_loop(Canon *c, IrOp *loop, IrOpKind kind, IrValue *x)
{
	IrBuilder b = ir_at(c->m, body(loop, 0)->first);
	b.loc = loop->loc;
	IrValue *made = irb_2(&b, kind, NULL, body(loop, 0)->args[0], x);
	canon_push(c, made->def);
	return made;
}

/* sum = of + *x, either way round. */
static bool is_sum(const IrValue *sum, const IrValue *of, IrValue **x)
{
	const IrOp *add = canon_def(sum, OP_ADDI);
	for (uint32_t side = 0; add && side < 2; side++) {
		*x = ir_operand(add, 1 - side);
		if (ir_operand(add, side) == of)
			return true;
	}
	return false;
}

static bool is_difference(const IrValue *difference, const IrValue *of, IrValue **x)
{
	const IrOp *sub = canon_def(difference, OP_SUBI);
	*x = sub ? ir_operand(sub, 1) : NULL;
	return sub && ir_operand(sub, 0) == of;
}

/* The loop's counter, as if it had begun at `start`; NULL: how far that is off is not known. */
static IrValue *counter_from(Canon *c, IrOp *loop, const IrValue *start)
{
	const IrValue *first = ir_operand(loop, 0);
	IrValue *x;
	int64_t a, b;
	if (is_same_number(start, first))
		return body(loop, 0)->args[0];
	if (is_sum(start, first, &x) || is_difference(first, start, &x))
		return in_loop(c, loop, OP_ADDI, x);
	if (is_difference(start, first, &x) || is_sum(first, start, &x))
		return in_loop(c, loop, OP_SUBI, x);
	if (!ir_constant_int(start, &a) || !ir_constant_int(first, &b))
		return NULL;
	int64_t off = (int64_t)((uint64_t)a - (uint64_t)b);
	return in_loop(c, loop, OP_ADDI, canon_int(c, first->type, off));
}

/* Carried, and goes up as the loop's counter does: that tells it, so what is computed of both is
 * one. Of values that nobody asks for behind the loop. */
bool rule_for_counter(Canon *c, IrOp *op)
{
	IrBlock *block = body(op, 0);
	IrOp *yield = ir_terminator(block);
	bool changed = false;
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrValue *arg = block->args[1 + i], *step;
		if (!arg->uses || op->results[i].uses || arg->type != block->args[0]->type ||
		    !is_sum(ir_operand(yield, i), arg, &step) ||
		    !is_same_number(step, ir_operand(op, 2)))
			continue;
		IrValue *counter = counter_from(c, op, ir_operand(op, 3 + i));
		if (!counter)
			continue;
		canon_replace(c, arg, counter);
		changed = true;
	}
	return changed;
}

/* ---- scf.if ---- */

static IrOp *yield_of(const IrOp *op, uint32_t region)
{
	IrBlock *block = body(op, region);
	return block ? ir_terminator(block) : NULL;
}

bool rule_if_constant(Canon *c, IrOp *op)
{
	uint64_t flag;
	if (!canon_word(ir_operand(op, 0), &flag))
		return false;
	IrBlock *taken = body(op, flag ? 0 : 1);
	if (taken) {
		canon_inline_block(c, taken, op, NULL);
		IrOp *yield = op->prev;
		replace_results(c, op, yield, 0);
		canon_erase(c, yield);
	}
	canon_erase(c, op);
	return true;
}

/* How many uses of a condition are looked at: many branches by one condition would take quadratic time. */
enum { CONDITION_USES = 256 };

/* Inside a branch its condition is known. */
bool rule_if_condition(Canon *c, IrOp *op)
{
	IrValue *flag = ir_operand(op, 0);
	bool changed = false;
	unsigned left = CONDITION_USES;
	for (IrUse *use = flag->uses, *next; use && left--; use = next) {
		next = use->next;
		IrOp *owner = use->owner;
		if (owner == op)
			continue;
		IrRegion *region = owner->block->region;
		while (region->op != op && region->op->block)
			region = region->op->block->region;
		if (region->op != op)
			continue;
		uint32_t at = (uint32_t)(use - owner->operands);
		canon_set_operand(c, owner, at, canon_int(c, flag->type, region == &op->regions[0]));
		changed = true;
	}
	return changed;
}

static bool can_be_selected(IrType type)
{
	return ir_is_scalar(type) || ir_is_tensor(type) || (ir_is_ptr(type) && !ir_is_block_ptr(type));
}

/* A result that no branch computes: the same in both, or a select. */
bool rule_if_select(Canon *c, IrOp *op)
{
	IrOp *yes = yield_of(op, 0), *no = yield_of(op, 1);
	bool changed = false;
	for (uint32_t i = 0; no && i < op->result_count; i++) {
		IrValue *a = ir_operand(yes, i), *b = ir_operand(no, i);
		if (!op->results[i].uses || !ir_is_defined_outside(a, op) || !ir_is_defined_outside(b, op))
			continue;
		if (a != b && !can_be_selected(a->type))
			continue;
		canon_replace(c, &op->results[i],
			      a == b ? a : irb_3(&c->b, OP_SELECT, NULL, ir_operand(op, 0), a, b));
		changed = true;
	}
	return changed;
}

bool rule_if_unused(Canon *c, IrOp *op)
{
	IrOp *yields[2] = {yield_of(op, 0), yield_of(op, 1)};
	bool changed = false;
	for (uint32_t i = op->result_count; i-- > 0;) {
		if (op->results[i].uses)
			continue;
		for (int side = 0; side < 2; side++) {
			IrOp *def = ir_operand(yields[side], i)->def;
			ir_operand_erase(yields[side], i);
			canon_push(c, def);
		}
		ir_result_erase(op, i);
		changed = true;
	}
	IrBlock *other = body(op, 1);
	if (op->result_count == 0 && other && other->first == other->last) {
		canon_erase(c, other->first);
		ir_block_unlink(other);
		changed = true;
	}
	return changed;
}

/* A branch that holds nothing but another branch: both conditions at once. */
bool rule_if_nested(Canon *c, IrOp *op)
{
	IrBlock *block = body(op, 0);
	IrOp *inner = block->first;
	if (op->result_count || body(op, 1) || inner->kind != OP_IF || inner->next != block->last ||
	    inner->result_count || body(inner, 1))
		return false;
	IrValue *both = irb_2(&c->b, OP_ANDI, NULL, ir_operand(op, 0), ir_operand(inner, 0));
	canon_set_operand(c, op, 0, both);
	IrOp *yield = ir_terminator(body(inner, 0));
	canon_inline_block(c, body(inner, 0), inner, NULL);
	canon_erase(c, yield);
	canon_erase(c, inner);
	return true;
}

/* ---- scf.while ---- */

/* Never goes on: what is before the condition runs once. */
bool rule_while_never(Canon *c, IrOp *op)
{
	IrOp *condition = ir_terminator(body(op, 0));
	if (condition->kind != OP_CONDITION || !canon_is_word(ir_operand(condition, 0), 0))
		return false;
	IrBlock *block = body(op, 0);
	IrValue **args = ARENA_ARRAY(c->scratch, IrValue *, block->arg_count);
	for (uint32_t i = 0; i < block->arg_count; i++)
		args[i] = ir_operand(op, i);
	canon_inline_block(c, block, op, args);
	replace_results(c, op, condition, 1);
	canon_erase(c, condition);
	canon_erase(c, op);
	return true;
}
