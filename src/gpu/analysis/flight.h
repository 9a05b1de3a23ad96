/* How many CTAs an SM needs so that memory is busy while one computes. */
#ifndef NESO_GPU_ANALYSIS_FLIGHT_H
#define NESO_GPU_ANALYSIS_FLIGHT_H

#include "gpu/layout/encoding.h"

/* Of a kernel that loads, reduces, and loads at least as much again: how many CTAs an SM must hold
 * so that the first loads of all suffice for memory's rate, two at least. More need not be there,
 * and registers serve better: the later loads are then all under way at once. 0: another kernel. */
unsigned gpu_ctas_in_flight(GpuCx *cx, const IrOp *func);

#endif
