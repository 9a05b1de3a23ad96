/* Verification of modules with layouts: counts of warps and CTAs, and layouts that must go
 * together. */
#ifndef NESO_GPU_LAYOUT_VERIFY_H
#define NESO_GPU_LAYOUT_VERIFY_H

#include "base/diag/diag.h"
#include "gpu/layout/encoding.h"

enum { GPU_MOST_CTAS = 16 }; /* of a cluster: more than 8 only where the GPU allows it when asked */
/* Warps and CTAs of the context are ones that a kernel can have. False after diagnosing. */
bool gpu_check_counts(const GpuCx *cx, const IrModule *module, DiagList *diags);
/* What ir_verify cannot know at LEVEL_G: layouts fit shapes and threads, and agree as each op wants (infer.c). False
 * after diagnosing. */
bool gpu_verify(GpuCx *cx, const IrModule *module, DiagList *diags);
/* The same as PassOptions.check; host is the GpuCx. */
bool gpu_check(void *host, const IrModule *module, DiagList *diags);

#endif
