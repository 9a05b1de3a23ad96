/* Loads behind a `break` or `continue` are in a side of a branch. Where the branch's condition can
 * be computed ahead they are hoisted in front of it, masked by the condition, and can be
 * prefetched too:
 *
 *	if c: x = load p, m; ...      becomes      x = load p, m & c; if c: ...
 *
 * The computation of their addresses is hoisted with them. Descriptors have no mask and stay: what
 * a `continue` skips would be copied in vain. */
#include "gpu/pipeline/left.h"

typedef struct Guard {
	IrModule *m;
	GpuCx *gpu;
	IrOp *branch;
	IrBlock *side;
	IrValue *there; /* i1: the side runs */
	uint8_t *met;   /* by op id: 1: looked at, may go; 2: may not */
} Guard;

static bool may_go(Guard *g, const IrOp *op)
{
	bool moves = op->kind == OP_LOAD ? !ir_is_volatile(op) : ir_is_pure(op);
	if (g->met[op->id])
		return g->met[op->id] == 1;
	bool ok = moves && !op->region_count && op->kind != OP_DOT && op->kind != OP_WARP_GROUP_DOT;
	for (uint32_t i = 0; ok && i < op->operand_count; i++) {
		const IrOp *def = ir_operand(op, i)->def;
		ok = !def || def->block != g->side || may_go(g, def);
	}
	g->met[op->id] = ok ? 1 : 2;
	return ok;
}

static void mask(Guard *g, IrOp *load)
{
	IrBuilder b = ir_at(g->m, load);
	IrType type = load->results[0].type;
	IrValue *there = ir_is_tensor(type) ? irb_splat(&b, g->there, type) : g->there;
	if (load->operand_count > 1)
		ir_operand_set(load, 1, irb_2(&b, OP_ANDI, NULL, ir_operand(load, 1), there));
	else
		ir_operand_add(g->m, load, there);
}

static void move_out(Guard *g, IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrOp *def = ir_operand(op, i)->def;
		if (def && def->block == g->side)
			move_out(g, def);
	}
	ir_op_unlink(op);
	ir_op_insert_before(op, g->branch);
	if (op->kind == OP_LOAD)
		mask(g, op);
}

static IrValue *inverted(IrBuilder *b, IrValue *condition)
{
	return irb_2(b, OP_XORI, NULL, condition, irb_int(b, condition->type, 1));
}

static bool look_at_side(Guard *g, Arena *scratch, bool then, bool all)
{
	bool any = false;
	g->side = g->branch->regions[!then].first;
	if (!g->side)
		return false;
	IrBuilder b = ir_at(g->m, g->branch);
	IrValue *condition = ir_operand(g->branch, 0);
	for (IrOp *op = g->side->first, *next; op && !ir_is_volatile(op); op = next) {
		next = op->next;
		if (op->kind != OP_LOAD || !ir_is_tensor(op->results[0].type) || !may_go(g, op))
			continue;
		if (!all && !schedule_reaches_dot(g->m, scratch, op))
			continue;
		if (!any)
			g->there = then ? condition : inverted(&b, condition);
		move_out(g, op);
		any = true;
	}
	return any;
}

bool left_guard_loads(IrModule *m, GpuCx *gpu, Arena *scratch, IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	bool any = false;
	for (IrOp *op = loop->regions[0].first->first; op; op = op->next) {
		bool dots;
		if (op->kind != OP_IF ||
		    !schedule_is_predicted(gpu, m, scratch, loop, ir_operand(op, 0), &dots))
			continue;
		uint8_t *met = ARENA_ARRAY(scratch, uint8_t, m->next_op);
		Guard g = {.m = m, .gpu = gpu, .branch = op, .met = met};
		any |= look_at_side(&g, scratch, true, !dots);
		any |= look_at_side(&g, scratch, false, !dots);
	}
	return any;
}
