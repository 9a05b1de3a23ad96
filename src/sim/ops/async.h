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

enum { SIM_MOST_BOX = 256 };

uint32_t sim_box_bytes(const SimBox *box);
uint32_t sim_box_swizzled(uint32_t at, unsigned swizzle);
/* Of element `number` of the box: its place in the tensor; false outside of it. */
bool sim_box_element(const SimBox *box, uint32_t number, bool stores, uint64_t *address);
/* To and from shared memory, swizzled by addresses; what is outside of the tensor is filled, and not stored. */
void sim_box_load(const SimBox *box, uint8_t *shared, uint32_t to);
void sim_box_store(const SimBox *box, const uint8_t *shared, uint32_t from);
/* A copy is issued: bounds, races; `from`: in shared memory, of a store. False after a fault. */
bool sim_box_look(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, bool write, uint32_t from);
/* A store has been waited for until it is written; `known` false: that will not be known. */
void sim_box_written(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, bool known);
/* A load that was issued at that time is made. */
void sim_box_read(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, uint32_t issued);
/* mbarrier.c: issues the load of a box whose places are allowed. False: faulted, or no memory. */
bool sim_box_arrive(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, uint32_t to, uint32_t barrier);

#endif
