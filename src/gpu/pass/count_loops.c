/* count-loops: a loop that says only at its end whether another iteration comes (scf.while) gets
 * the form of one that is counted, where it asks for loads ahead; loads in sides of branches go in
 * front of them.
 *
 * Needs: TTGIR; uncount-loops later on. Keeps: what is computed. Between the two, scf.for with
 * neso.left ends by what it carries first (pipeline/left.h): passes there may move what is in such
 * a loop, and must not take its bounds for the number of its iterations. */
#include "gpu/pipeline/left.h"

typedef struct Loops {
	PassCx *cx;
	VEC(IrOp *) list;
} Loops;

static bool visit(void *data, IrOp *op)
{
	Loops *loops = data;
	if (op->kind == OP_FOR || op->kind == OP_WHILE)
		vec_push(loops->cx->scratch, &loops->list, op);
	return true;
}

bool pass_count_loops(PassCx *cx, bool *changed)
{
	Loops loops = {.cx = cx};
	ir_walk(cx->module->op, true, visit, &loops);
	for (uint32_t i = 0; i < loops.list.len; i++) {
		IrOp *loop = loops.list.data[i];
		if (loop->kind == OP_WHILE) {
			loop = left_count(cx->module, gpu_of(cx), cx->scratch, loop);
			*changed |= loop != NULL;
		}
		if (loop)
			*changed |= left_guard_loads(cx->module, gpu_of(cx), cx->scratch, loop);
	}
	return true;
}
