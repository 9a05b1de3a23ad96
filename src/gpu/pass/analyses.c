/* The analyses that passes on TTGIR share. */
#include "gpu/gpu.h"
#include "gpu/memory/memory_int.h"

static void *compute_axis(PassCx *cx, Arena *arena)
{
	return axis_analyse(cx->module, arena);
}

static bool axis_equal(const IrModule *module, const void *a, const void *b)
{
	return axis_same(module, a, b);
}

static void *compute_aliases(PassCx *cx, Arena *arena)
{
	return gpu_aliases(cx->module, arena);
}

static bool aliases_equal(const IrModule *module, const void *a, const void *b)
{
	return gpu_same_aliases(module, a, b);
}

void gpu_analyses_open(PassAnalyses *analyses, size_t limit)
{
	static const PassAnalysis rows[] = {
		[GPU_AXIS] = {"axis facts", compute_axis, axis_equal},
		[GPU_ALIASES] = {"aliases of shared memory", compute_aliases, aliases_equal},
	};
	pass_analyses_open(analyses, rows, ARRAY_LEN(rows), limit);
}

AxisMap *gpu_axis(PassCx *cx)
{
	return pass_analysis(cx, GPU_AXIS);
}

const GpuAliases *gpu_aliases_in(PassCx *cx, const IrOp *func)
{
	const GpuAliases *of = pass_analysis(cx, GPU_ALIASES);
	while (of->func != func)
		of = of->next;
	return of;
}
