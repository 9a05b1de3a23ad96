/* The passes from TTIR to TTGIR and on TTGIR (gpu/passes.def), and their order. */
#ifndef NESO_GPU_GPU_H
#define NESO_GPU_GPU_H

#include "gpu/layout/encoding.h"
#include "gpu/layout/verify.h"
#include "ir/pass.h"

#define PASS(fn, name, in, out, when, needs, keeps, doc) PassFn fn;
#define AGAIN(name, when)
#include "gpu/passes.def"
#undef AGAIN
#undef PASS

/* Analyses that passes share (PassCx.analyses). */
enum { GPU_AXIS, GPU_ALIASES };
/* Theirs alone; limit is that of an arena (arena_init). */
void gpu_analyses_open(PassAnalyses *analyses, size_t limit);
typedef struct AxisMap AxisMap;
AxisMap *gpu_axis(PassCx *cx); /* analysis/axis.h */

static inline GpuCx *gpu_of(const PassCx *cx)
{
	return cx->host;
}

const PassInfo *gpu_pass_by_name(const char *name); /* of gpu/passes.def and ir/passes.def; NULL when unknown */

/* The value in this layout: itself, or a conversion before `b`. */
IrValue *gpu_convert(GpuCx *cx, IrBuilder *b, IrValue *value, const Layout *layout);
/* The op gives this result in the layout; the users go on with the type it had, from a conversion behind the op. False: it has
 * that layout already. */
bool gpu_convert_result(GpuCx *cx, IrModule *module, IrOp *op, IrValue *result, const Layout *layout);

/* From what leaves the TTIR passes to what is lowered. */
const char *const *gpu_pipeline(Arena *arena, size_t *count);

#endif
