/* Loads in flight on an SM. */
#include "gpu/analysis/flight.h"

#include "gpu/analysis/pressure.h"

static bool is_reduction(const IrOp *op)
{
	return op->kind == OP_REDUCE || op->kind == OP_SCAN;
}

/* Its registers are not the loads': ptxas gives a product of warp groups up that has too few
 * (C7600). */
static bool is_product(const IrOp *op)
{
	return op->kind == OP_DOT || op->kind == OP_WARP_GROUP_DOT;
}

/* Words of a thread that are loaded in front of the first reduction of what was loaded, and behind
 * it. False: something else happens besides. */
static bool loaded_words(GpuCx *cx, const IrOp *func, unsigned *before, unsigned *behind)
{
	const IrBlock *body = ir_func_body(func);
	bool reduced = false;
	*before = *behind = 0;
	for (const IrOp *op = body->first; op; op = op->next) {
		if (is_reduction(op))
			reduced = *before != 0;
		else if (op->region_count || op->kind == OP_CALL || is_product(op))
			return false;
		if (op->kind == OP_LOAD && ir_is_tensor(op->results[0].type))
			*(reduced ? behind : before) += gpu_words(cx, op->results[0].type);
	}
	return reduced && !body->next;
}

unsigned gpu_ctas_in_flight(GpuCx *cx, const IrOp *func)
{
	enum { WORD = 4, LEAST = 2 };
	unsigned before, behind;
	if (cx->num_ctas > 1 || !loaded_words(cx, func, &before, &behind) || behind < before)
		return 0;
	const unsigned bytes = before * WORD * TARGET_WARP_SIZE * gpu_all_warps(cx, func);
	const unsigned wanted = cx->target->budgets->loads_of_sm;
	return MAX((wanted + bytes - 1) / bytes, (unsigned)LEAST);
}
