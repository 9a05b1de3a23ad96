/* tt.reduce and tt.scan: plans of gpu/reduce/combine.h run by the engine of lower/combine.c. */
#include "llvm/lower/combine.h"

bool lower_REDUCE(Lower *lw, IrOp *op)
{
	Combine c;
	void ***values = lower_combine_begin(&c, lw, op);
	GpuReducePlan plan = gpu_reduce_plan(lw->gpu, op);
	gpu_run_reduce(&plan, &c.engine, values);
	lower_combine_end(&c, values);
	return !lw->failed;
}

bool lower_SCAN(Lower *lw, IrOp *op)
{
	Combine c;
	void ***values = lower_combine_begin(&c, lw, op);
	GpuScanPlan plan = gpu_scan_plan(lw->gpu, op);
	gpu_run_scan(&plan, &c.engine, values);
	lower_combine_end(&c, values);
	return !lw->failed;
}

/* Terminators of bodies: lower_inline_region reads their operands. */

bool lower_REDUCE_RETURN(Lower *lw, IrOp *op)
{
	(void)lw;
	(void)op;
	return true;
}

bool lower_SCAN_RETURN(Lower *lw, IrOp *op)
{
	(void)lw;
	(void)op;
	return true;
}
