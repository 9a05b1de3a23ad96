/* Memory access over rows; block pointers and descriptors as affine pointers with a box of valid elements. */
#ifndef NESO_INTERP_MEMORY_H
#define NESO_INTERP_MEMORY_H

#include "interp/run.h"

/* One row (last dimension) of addresses and mask. Element k is at base + k * step (+ the k-th of the list); it is
 * active in [low, high), where bits (if any) are not 0. */
typedef struct Rows {
	const Shape *shape;
	uint32_t rank;
	const Tile *ptr, *mask;
	int64_t index[IR_MAX_RANK];
	int64_t linear, n, size; /* first element of the row; elements; bytes of one */
	uint64_t base;
	int64_t step;
	const char *list;
	int64_t list_stride;
	int64_t low, high;
	const uint8_t *bits;
	int64_t bits_stride;
} Rows;

const Instr *memory_load(Exec *x, const Instr *i, Tile *out, const Tile *ptr, const Tile *mask, const Tile *other);
const Instr *memory_store(Exec *x, const Instr *i, const Tile *ptr, const Tile *value, const Tile *mask);

/* What a block pointer or descriptor is at run time: Tile.data of FORM_OBJECT. */
typedef struct Object {
	uint64_t base;
	int32_t origin;
	bool pad_nan;
	uint32_t rank;
	int64_t shape[IR_MAX_RANK], stride[IR_MAX_RANK], offset[IR_MAX_RANK]; /* elements */
} Object;

typedef struct ObjectAccess {
	uint32_t checked; /* bit d: dimension d is checked */
	bool pad_nan;
} ObjectAccess;

const ObjectAccess *object_access(Decoder *d, const IrOp *op);
const Instr *object_load(Exec *x, const Instr *i, Tile *out, const Tile *ptr);
const Instr *object_store(Exec *x, const Instr *i, const Tile *ptr, const Tile *value);
Object *object_new(Exec *x, Tile *out);

/* One atomic update of `size` bytes; returns the old bits. */
uint64_t atomic_compare_swap(Exec *x, uint64_t address, const Tile *type, uint64_t expected, uint64_t value);
uint64_t atomic_update(Exec *x, uint64_t address, const Tile *type, IrRmw op, uint64_t value);

#endif
