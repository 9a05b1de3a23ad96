/* Kernel arguments that are tensor maps, appended to the others (gpu/layout/boxes.h): what
 * `map-descriptors` and `map-loads` add. */
#ifndef NESO_GPU_PASS_MAP_ARGS_H
#define NESO_GPU_PASS_MAP_ARGS_H

#include "base/vec.h"
#include "gpu/gpu.h"

typedef struct GpuMapArg {
	IrType type;
	IrAttr map;
	IrValue *arg;
} GpuMapArg;

typedef struct GpuMapArgs {
	PassCx *cx;
	IrOp *func;
	uint32_t had;  /* arguments of the function at the start */
	bool pointers; /* what goes through the maps went through pointers: may be what any store reaches */
	unsigned maps; /* in all */
	VEC(GpuMapArg) made;
} GpuMapArgs;

void gpu_map_args_init(GpuMapArgs *args, PassCx *cx, IrOp *func, bool pointers);
/* A map for tiles of this type, without an encoding; `map` is neso.map. The same one for the same.
 * NULL: TMA moves no such tile, or there are enough maps. */
IrValue *gpu_map_arg(GpuMapArgs *args, IrType tile, IrSign sign, IrAttr map, IrLoc loc);
/* The function's type and attributes as its arguments are now. */
void gpu_map_args_describe(const GpuMapArgs *args);

#endif
