/* How much a thread has to hold. */
#ifndef NESO_GPU_ANALYSIS_PRESSURE_H
#define NESO_GPU_ANALYSIS_PRESSURE_H

#include "gpu/layout/encoding.h"

/* 32-bit registers that a tile takes in each thread, copies left out; 1 or 2 of a scalar. */
unsigned gpu_words(GpuCx *cx, IrType type);
/* Of all that a loop carries but pointers. */
unsigned gpu_carried_words(GpuCx *cx, const IrOp *loop);
/* Registers that are taken when the loads that stand together with this one, with no store,
 * reduction, barrier or conversion between, are all under way: theirs, and those of the data (no
 * indices, no masks) that is needed behind them. In a loop those of its other masked loads too,
 * as what is not set for certain is taken from one iteration to the next, and those of data from
 * outside. An estimate: of a load in no loop what is in the same block counts. */
unsigned gpu_crowd(GpuCx *cx, const IrOp *load);
/* What data takes at each op of a function, in the order of the text: tiles from where they are made
 * to their last use. An estimate like gpu_crowd. */
typedef struct GpuHeld {
	const IrOp **ops;
	unsigned *words;
	uint32_t count;
} GpuHeld;
GpuHeld gpu_held(GpuCx *cx, Arena *scratch, const IrModule *module, const IrOp *func);
/* The op of a function's body at which data takes most registers: tiles from where they are made to their last use. The first of several; NULL where there is none. An estimate like gpu_crowd. */
const IrOp *gpu_peak(GpuCx *cx, Arena *scratch, const IrModule *module, const IrOp *func, unsigned *words);

#endif
