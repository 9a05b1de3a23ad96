/* count-loops: a loop without a known trip count (scf.while) takes the form of a counted one if it
 * asks for prefetching; loads in the sides of branches are hoisted in front of them.
 *
 * Needs: TTGIR; uncount-loops later on. Keeps: what is computed. Between the two passes, scf.for
 * with neso.left may end by its first carried value (pipeline/left.h): passes may move what is in
 * such a loop, but must not take its bounds for its trip count. */
#include "gpu/pipeline/left.h"

bool pass_count_loops(PassCx *cx, bool *changed)
{
	IrOpVec loops = ir_collect(cx->scratch, cx->module->op, true, OP_FOR, OP_WHILE);
	for (uint32_t i = 0; i < loops.len; i++) {
		IrOp *loop = loops.data[i];
		if (loop->kind == OP_WHILE) {
			loop = left_count(cx->module, gpu_of(cx), cx->scratch, loop);
			*changed |= loop != NULL;
		}
		if (loop)
			*changed |= left_guard_loads(cx->module, gpu_of(cx), cx->scratch, loop);
	}
	return true;
}
