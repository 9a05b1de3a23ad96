/* dce: drops ops whose results are unused, unused values carried by scf.for, scf.while and scf.if,
 * and empty else branches.
 *
 * Needs: any verified module. Keeps: every effect, the order of what stays. Method: mark and sweep
 * over values, backwards from the ops with effects, so that values which only feed one another
 * around a loop go too. An op with regions is live when something in it has an effect or a result
 * is live; then the operands that control it are live, and each carried value whose argument or
 * result is. Linear in the size of the module. */
#include "ir/pass.h"

typedef struct Dce {
	PassCx *cx;
	uint8_t *op_live, *value_live; /* by id */
	VEC(IrOp *) ops;               /* live, operands not looked at */
	VEC(IrValue *) values;         /* live, source not looked at */
	bool changed;
} Dce;

static void mark_op(Dce *d, IrOp *op)
{
	while (op && !d->op_live[op->id]) {
		d->op_live[op->id] = 1;
		vec_push(d->cx->scratch, &d->ops, op);
		op = ir_parent_op(op);
	}
}

static void mark(Dce *d, IrValue *v)
{
	if (!v || d->value_live[v->id])
		return;
	d->value_live[v->id] = 1;
	vec_push(d->cx->scratch, &d->values, v);
}

/* Ops that live by themselves. Of an op with regions what is inside decides (but a while loop may never end);
 * terminators of such regions live with what they hand out. */
static bool is_root(const IrOp *op)
{
	if (op->kind == OP_FOR || op->kind == OP_IF)
		return false;
	if (ir_has_trait(op, TRAIT_TERM))
		return ir_parent_op(op)->kind == OP_FUNC;
	return !ir_is_droppable(op);
}

static IrOp *terminator_of(const IrOp *op, uint32_t region)
{
	IrBlock *block = op->regions[region].first;
	return block ? ir_terminator(block) : NULL;
}

/* The operands that a live op needs in any case. */
static void visit_op(Dce *d, IrOp *op)
{
	switch (op->kind) {
	case OP_FOR:
		for (uint32_t i = 0; i < 3; i++)
			mark(d, ir_operand(op, i));
		return;
	case OP_IF:
	case OP_CONDITION:
		mark(d, ir_operand(op, 0));
		return;
	case OP_WHILE:
		mark_op(d, terminator_of(op, 0));
		return;
	case OP_YIELD:
		return;
	default:
		for (uint32_t i = 0; i < op->operand_count; i++)
			mark(d, ir_operand(op, i));
	}
	/* Bodies of reductions and the like are live as a whole. */
	for (uint32_t r = 0; r < op->region_count && op->kind != OP_FUNC && op->kind != OP_MODULE; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			if (b->last)
				mark_op(d, b->last);
}

/* Where carried value i of a region op comes from. */
static void visit_carried(Dce *d, IrOp *op, uint32_t i)
{
	switch (op->kind) {
	case OP_FOR:
		mark(d, ir_operand(op, 3 + i));
		mark(d, ir_operand(terminator_of(op, 0), i));
		mark(d, &op->results[i]);
		mark(d, op->regions[0].first->args[1 + i]);
		break;
	case OP_IF:
		mark(d, ir_operand(terminator_of(op, 0), i));
		mark(d, ir_operand(terminator_of(op, 1), i));
		break;
	case OP_WHILE: /* i counts what scf.condition hands on */
		mark(d, ir_operand(terminator_of(op, 0), 1 + i));
		break;
	default:
		break;
	}
}

static void visit_value(Dce *d, IrValue *v)
{
	if (v->def) {
		mark_op(d, v->def);
		visit_carried(d, v->def, v->index);
		return;
	}
	IrOp *op = v->block->region ? v->block->region->op : NULL;
	if (!op)
		return;
	mark_op(d, op);
	if (op->kind == OP_FOR && v->index > 0) {
		visit_carried(d, op, v->index - 1);
	} else if (op->kind == OP_WHILE && v->block == op->regions[0].first) {
		mark(d, ir_operand(op, v->index));
		mark(d, ir_operand(terminator_of(op, 1), v->index));
	} else if (op->kind == OP_WHILE) {
		visit_carried(d, op, v->index);
	}
}

static bool find_roots(void *data, IrOp *op)
{
	Dce *d = data;
	if (is_root(op))
		mark_op(d, op);
	return true;
}

/* ---- the sweep ----
 * Dead ops let go of their operands, then carried values go from the operand lists, then arguments and results
 * (which nothing uses any more), then the dead ops. */

static bool is_live(const Dce *d, const IrValue *v)
{
	return d->value_live[v->id] != 0;
}

static bool is_kept(const Dce *d, const IrOp *op)
{
	return d->op_live[op->id] || (ir_has_trait(op, TRAIT_TERM) && d->op_live[ir_parent_op(op)->id]);
}

static bool result_is_live(const Dce *d, const IrOp *op, uint32_t i)
{
	return is_live(d, &op->results[i]) || (op->kind == OP_WHILE && is_live(d, op->regions[1].first->args[i]));
}

static void let_go_of_carried(Dce *d, IrOp *op)
{
	for (uint32_t i = op->result_count; i-- > 0;) {
		if (result_is_live(d, op, i))
			continue;
		ir_operand_erase(terminator_of(op, 0), i + (op->kind == OP_WHILE));
		if (op->kind == OP_IF)
			ir_operand_erase(terminator_of(op, 1), i);
		else if (op->kind == OP_FOR)
			ir_operand_erase(op, 3 + i);
		d->changed = true;
	}
	IrBlock *before = op->regions[0].first;
	for (uint32_t i = before->arg_count; op->kind == OP_WHILE && i-- > 0;) {
		if (is_live(d, before->args[i]))
			continue;
		ir_operand_erase(op, i);
		ir_operand_erase(terminator_of(op, 1), i);
		d->changed = true;
	}
}

static bool let_go(void *data, IrOp *op)
{
	Dce *d = data;
	if (!is_kept(d, op))
		for (uint32_t i = 0; i < op->operand_count; i++)
			ir_operand_set(op, i, NULL);
	else if (op->kind == OP_FOR || op->kind == OP_IF || op->kind == OP_WHILE)
		let_go_of_carried(d, op);
	return true;
}

static bool prune(void *data, IrOp *op)
{
	Dce *d = data;
	if (!d->op_live[op->id] || (op->kind != OP_FOR && op->kind != OP_IF && op->kind != OP_WHILE))
		return true;
	for (uint32_t i = op->result_count; i-- > 0;) {
		if (result_is_live(d, op, i))
			continue;
		ir_result_erase(op, i);
		if (op->kind == OP_FOR)
			ir_block_arg_erase(op->regions[0].first, 1 + i);
		else if (op->kind == OP_WHILE)
			ir_block_arg_erase(op->regions[1].first, i);
	}
	IrBlock *before = op->regions[0].first;
	for (uint32_t i = before->arg_count; op->kind == OP_WHILE && i-- > 0;)
		if (!is_live(d, before->args[i]))
			ir_block_arg_erase(before, i);
	return true;
}

/* Backwards, so that users go before what they use. */
static void sweep_block(Dce *d, IrBlock *block)
{
	for (IrOp *op = block->last, *prev; op; op = prev) {
		prev = op->prev;
		if (!is_kept(d, op)) {
			ir_op_erase(op);
			d->changed = true;
			continue;
		}
		for (uint32_t r = 0; r < op->region_count; r++)
			for (IrBlock *b = op->regions[r].first; b; b = b->next)
				sweep_block(d, b);
		IrBlock *other = op->kind == OP_IF && !op->result_count ? op->regions[1].first : NULL;
		if (other && other->first == other->last) {
			ir_block_unlink(other);
			d->changed = true;
		}
	}
}

bool pass_dce(PassCx *cx, bool *changed)
{
	IrModule *m = cx->module;
	Dce d = {.cx = cx};
	d.op_live = ARENA_ARRAY(cx->scratch, uint8_t, m->next_op);
	d.value_live = ARENA_ARRAY(cx->scratch, uint8_t, m->next_value);
	mark_op(&d, m->op);
	ir_walk(m->op, false, find_roots, &d);
	while (d.ops.len || d.values.len) {
		if (d.ops.len)
			visit_op(&d, d.ops.data[--d.ops.len]);
		else
			visit_value(&d, d.values.data[--d.values.len]);
	}
	ir_walk(m->op, false, let_go, &d);
	ir_walk(m->op, false, prune, &d);
	sweep_block(&d, ir_module_block(m));
	*changed = d.changed;
	return true;
}
