/* Copies of boxes: what tensor.c and mbarrier.c share. */
#ifndef NESO_SIM_OPS_ASYNC_H
#define NESO_SIM_OPS_ASYNC_H

#include "sim/sim_int.h"

/* A box of a tensor whose map was looked at, and where its first element is. */
typedef struct SimBox {
	SimTensorMap map;
	uint32_t counts[5]; /* elements of the box along each dim */
	int32_t at[5];
	uint8_t reduction; /* MemoryOp + 1; 0: none */
} SimBox;

uint32_t sim_box_bytes(const SimBox *box);
/* To and from shared memory, swizzled by addresses; what is outside of the tensor is filled, and not stored. */
void sim_box_load(const SimBox *box, uint8_t *shared, uint32_t to);
/* mbarrier.c: issues the load of a box whose places are allowed. False: faulted, or no memory. */
bool sim_box_arrive(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, uint32_t to, uint32_t barrier);

#endif
