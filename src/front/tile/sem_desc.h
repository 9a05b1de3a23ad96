/* Block pointers and tensor descriptors: sem_desc.c, for builtin_memory.c and sem_attr.c. */
#ifndef NESO_FRONT_TILE_SEM_DESC_H
#define NESO_FRONT_TILE_SEM_DESC_H

#include "front/tile/sem.h"

const Val *sem_make_block_ptr(FrontLower *low, const Val *base, const Val *shape, const Val *strides,
			      const Val *offsets,
			      const Val *block_shape, const Val *order);
const Val *sem_advance(FrontLower *low, const Val *ptr, const Val *offsets);
const Val *sem_make_desc(FrontLower *low, const Val *base, const Val *shape, const Val *strides,
			 const Val *block_shape,
			 const char *padding);
const Val *sem_desc_load(FrontLower *low, const char *what, const Val *desc, const Val *offsets);
const Val *sem_desc_store(FrontLower *low, const char *what, const Val *desc, const Val *offsets,
			  const Val *value);
const Val *sem_desc_reduce(FrontLower *low, const char *what, IrDescReduce kind, const Val *desc,
			   const Val *offsets,
			   const Val *value);
const Val *sem_desc_gather(FrontLower *low, const Val *desc, const Val *rows, const Val *column);
const Val *sem_desc_scatter(FrontLower *low, const Val *desc, const Val *value, const Val *rows,
			    const Val *column);
/* The shape (or strides) of the described tensor, one IR value per axis. */
void sem_desc_parts(const Val *desc, bool strides, IrValue **parts);
/* The same as a tuple of scalars. */
const Val *sem_desc_extents(FrontLower *low, const Val *desc, bool strides);

#endif
