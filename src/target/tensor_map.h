/* Tensor maps that a launch makes: what TMA is told of a
 * tensor in global memory, as an argument of the kernel.
 *
 * A plan says how a map follows from the kernel's other arguments. It is
 * known when the kernel is compiled; a launch fills it in with the arguments'
 * values, encodes the map and hands it to the kernel. What a map cannot say
 * makes the launch take the kernel that reaches the tensor through pointers. */
#ifndef NESO_TARGET_TENSOR_MAP_H
#define NESO_TARGET_TENSOR_MAP_H

#include "base/str.h"

enum {
	TENSOR_MAP_RANK = 5,
	TENSOR_MAP_BOX = 256 /* elements along a side at most */,
	TENSOR_MAP_BYTES = 128
};

/* ORDER CUtensorMapDataType */
typedef enum TensorMapType {
	TENSOR_MAP_U8, TENSOR_MAP_U16, TENSOR_MAP_U32, TENSOR_MAP_S32, TENSOR_MAP_U64, TENSOR_MAP_S64,
	TENSOR_MAP_F16, TENSOR_MAP_F32, TENSOR_MAP_F64, TENSOR_MAP_BF16, TENSOR_MAP__COUNT
} TensorMapType;

/* The value of argument `arg` times `scale`; arg below 0: `scale` itself. */
typedef struct TensorMapTerm {
	int32_t arg;
	int64_t scale;
} TensorMapTerm;

enum { TENSOR_MAP_ZERO = -1, TENSOR_MAP_NAN = -2 };

/* Sizes of a dim that nothing ends: behind all indices, and a multiple of 16 bytes. Coordinates
 * have 32 bits: FAR_END is one along which the kernel counts in 64. The low half of that is it as
 * long as 2^31 strides are more than there is memory: of as many bytes each, 512 GiB. */
enum {
	TENSOR_MAP_NO_END = INT32_MAX / 16 * 16,
	TENSOR_MAP_FAR_END = TENSOR_MAP_NO_END - 16,
	TENSOR_MAP_FAR_STRIDE = 256
};

/* Dims as the tile language counts them: the last one is contiguous, its stride is not looked
 * at. */
typedef struct TensorMapPlan {
	uint8_t type; /* TensorMapType */
	uint8_t rank;
	uint8_t swizzle; /* bytes: 0, 32, 64, 128 */
	bool written;    /* something may be stored or reduced through the map */
	int32_t base;    /* argument, a pointer */
	/* of what is outside: TENSOR_MAP_ZERO, TENSOR_MAP_NAN,
	 * or the argument that says whether it is NaN */
	int32_t fill;
	TensorMapTerm shape[TENSOR_MAP_RANK], strides[TENSOR_MAP_RANK]; /* in elements */
	uint16_t box[TENSOR_MAP_RANK];
} TensorMapPlan;

/* What a plan comes to. Dim 0 is the fastest; strides[d] is that of dim d + 1. */
typedef struct TensorMapValues {
	uint64_t address;
	uint64_t dims[TENSOR_MAP_RANK], strides[TENSOR_MAP_RANK - 1]; /* elements, bytes */
	uint64_t nan;                                                 /* 0 or 1 */
} TensorMapValues;

unsigned tensor_map_bytes(TensorMapType type); /* of an element */
/* letters: of the arguments (CodegenResult.args); params: a pointer to each one's bytes. NULL, or
 * why there is no such map. */
const char *tensor_map_values(const TensorMapPlan *plan, const char *letters, void *const *params,
			      TensorMapValues *out);
/* Plans as one word without blanks, and back; "" is none. False: it is no such text. */
void tensor_map_write(Text *out, const TensorMapPlan *plans, size_t count);
bool tensor_map_read(Arena *arena, const char *text, const TensorMapPlan **plans, size_t *count);

#endif
