/* uncount-loops: loops that count-loops gave the form of counted ones are scf.while again.
 *
 * Needs: TTGIR. Keeps: what is computed. */
#include "gpu/pipeline/left.h"

typedef struct Loops {
	PassCx *cx;
	VEC(IrOp *) list;
} Loops;

static bool visit(void *data, IrOp *op)
{
	Loops *loops = data;
	if (op->kind == OP_FOR && ir_get_bool(op, gpu_of(loops->cx)->ir, ATTR_LEFT))
		vec_push(loops->cx->scratch, &loops->list, op);
	return true;
}

bool pass_uncount_loops(PassCx *cx, bool *changed)
{
	Loops loops = {.cx = cx};
	ir_walk(cx->module->op, true, visit, &loops);
	for (uint32_t i = 0; i < loops.list.len; i++)
		left_uncount(cx->module, cx->scratch, loops.list.data[i]);
	*changed |= loops.list.len > 0;
	return true;
}
