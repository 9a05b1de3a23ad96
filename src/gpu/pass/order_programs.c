/* order-programs: where programs with higher numbers along axis 0 turn their loops more often, as
 * causal attention does, they start first: a GPU starts its CTAs in the order of their numbers, and
 * what starts last should be short.
 *
 * Needs: TTIR. Keeps: what each program computes; which CTA does it is nothing that a kernel of
 * loads and stores can tell. Kernels that print, assert, take locks or count by atomics, or hold
 * code that is not known, keep the order in which they were written to run.
 * Method: how the bounds of each loop move with the number of the program. */
#include "gpu/gpu.h"
#include "gpu/remark.h"

enum { DEEPEST = 32 };

/* How a number moves while the program's number along axis 0 goes up. A sum of two moves as the
 * union of both says. */
typedef enum { STAYS = 0, RISES = 1, FALLS = 2, MOVES = RISES | FALLS } Trend;

static bool is_first_axis(const GpuCx *gpu, const IrOp *op)
{
	return op->kind == OP_PROGRAM_ID && ir_get_int(op, gpu->ir, ATTR_AXIS, 0) == 0;
}

static Trend turned(unsigned t)
{
	return t == RISES ? FALLS : t == FALLS ? RISES : (Trend)t;
}

static unsigned trend_of(const GpuCx *gpu, const IrValue *v, unsigned depth);

static unsigned of_operands(const GpuCx *gpu, const IrOp *op, unsigned depth)
{
	unsigned all = STAYS;
	for (uint32_t i = 0; i < op->operand_count; i++)
		all |= trend_of(gpu, ir_operand(op, i), depth);
	return all;
}

/* Of a product or quotient with a constant; its sign turns it. */
static unsigned of_scaled(const GpuCx *gpu, const IrOp *op, uint32_t constant, unsigned depth)
{
	int64_t factor;
	unsigned all = of_operands(gpu, op, depth);
	if (all == STAYS || !ir_constant_int(ir_operand(op, constant), &factor) || !factor)
		return all == STAYS ? STAYS : MOVES;
	return factor > 0 ? all : turned(all);
}

static unsigned of_op(const GpuCx *gpu, const IrOp *op, unsigned depth)
{
	int64_t constant;
	switch (op->kind) {
	case OP_PROGRAM_ID:
		return is_first_axis(gpu, op) ? RISES : STAYS;
	case OP_SUBI:
		return trend_of(gpu, ir_operand(op, 0), depth) | turned(trend_of(gpu, ir_operand(op, 1), depth));
	case OP_MULI:
		return of_scaled(gpu, op, ir_constant_int(ir_operand(op, 0), &constant) ? 0 : 1, depth);
	case OP_DIVSI:
	case OP_DIVUI:
		return of_scaled(gpu, op, 1, depth);
	case OP_ADDI:
	case OP_MINSI:
	case OP_MAXSI:
	case OP_MINUI:
	case OP_MAXUI:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI:
		return of_operands(gpu, op, depth);
	default:
		return of_operands(gpu, op, depth) == STAYS && !op->region_count ? STAYS : MOVES;
	}
}

static unsigned trend_of(const GpuCx *gpu, const IrValue *v, unsigned depth)
{
	if (depth == DEEPEST)
		return MOVES;
	if (v->def)
		return of_op(gpu, v->def, depth + 1);
	return v->block->region->op->kind == OP_FUNC ? STAYS : MOVES;
}

typedef struct Programs {
	GpuCx *gpu;
	IrOp *longest; /* the first loop that decides */
	unsigned trips; /* Trend of all loops together */
	bool tells;    /* who runs first can be told */
	bool any;
} Programs;

/* Something outside of the program may tell when it ran. */
static bool tells(const GpuCx *gpu, const IrOp *op)
{
	if (op->region_count || op->kind == OP_STORE || op->kind == OP_DESC_STORE || op->kind == OP_BARRIER)
		return false;
	if (op->kind == OP_LOAD || op->kind == OP_DESC_LOAD || op->kind == OP_DESC_GATHER)
		return ir_get_bool(op, gpu->ir, ATTR_IS_VOLATILE);
	return ir_has_trait(op, TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC | TRAIT_SAYS) && !ir_is_pure(op);
}

static unsigned trips_of(const GpuCx *gpu, const IrOp *loop)
{
	if (trend_of(gpu, ir_operand(loop, 2), 0) != STAYS)
		return MOVES;
	return trend_of(gpu, ir_operand(loop, 1), 0) | turned(trend_of(gpu, ir_operand(loop, 0), 0));
}

static bool visit(void *data, IrOp *op)
{
	Programs *p = data;
	unsigned trips = op->kind == OP_FOR ? trips_of(p->gpu, op) : op->kind == OP_WHILE ? MOVES : STAYS;
	p->tells |= tells(p->gpu, op);
	p->any |= is_first_axis(p->gpu, op);
	if (trips != STAYS && !p->longest)
		p->longest = op;
	p->trips |= trips;
	return true;
}

static bool mark(void *data, IrOp *op)
{
	const PassCx *cx = data;
	const GpuCx *gpu = gpu_of(cx);
	if (is_first_axis(gpu, op))
		ir_set(cx->module, op, ATTR_LAST_FIRST, ir_attr_unit(gpu->ir));
	return true;
}

bool pass_order_programs(PassCx *cx, bool *changed)
{
	GpuCx *gpu = gpu_of(cx);
	for (IrOp *func = ir_module_block(cx->module)->first; func && gpu->num_ctas == 1; func = func->next) {
		Programs p = {.gpu = gpu};
		ir_walk(func, false, visit, &p);
		if (!p.any || p.tells || p.trips != RISES)
			continue;
		ir_walk(func, false, mark, cx);
		gpu_remark_of(gpu, p.longest, NULL, REMARK_LOOP_LAST_FIRST);
		*changed = true;
	}
	return true;
}
