/* uncount-loops: turns the counted loops that count-loops made back into scf.while.
 *
 * Needs: TTGIR. Keeps: what is computed. */
#include "gpu/pipeline/left.h"

bool pass_uncount_loops(PassCx *cx, bool *changed)
{
	IrOpVec loops = ir_collect(cx->scratch, cx->module->op, true, OP_FOR, OP_FOR);
	for (uint32_t i = 0; i < loops.len; i++) {
		if (!ir_get_bool(loops.data[i], gpu_of(cx)->ir, ATTR_LEFT))
			continue;
		left_uncount(cx->module, cx->scratch, loops.data[i]);
		*changed = true;
	}
	return true;
}
