/* DLPack's table of C functions for exchanging tensors (DLPackExchangeAPI of DLPack 1.3), as its specification lays it
 * out; a type has it as the capsule __dlpack_c_exchange_api__. */
#ifndef NESO_PYTHON_DLPACK_H
#define NESO_PYTHON_DLPACK_H

#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6, DL_FP8_E4M3FN = 10, DL_FP8_E4M3FNUZ = 11,
       DL_FP8_E5M2 = 12, DL_FP8_E5M2FNUZ = 13 };

typedef struct DlDevice {
	int32_t type, id;
} DlDevice;

typedef struct DlDtype {
	uint8_t code, bits;
	uint16_t lanes;
} DlDtype;

typedef struct DlTensor {
	void *data;
	DlDevice device;
	int32_t ndim;
	DlDtype dtype;
	int64_t *shape, *strides; /* the producer's, until control goes back to it */
	uint64_t byte_offset;
} DlTensor;

typedef struct Exchange {
	uint32_t major, minor;
	const struct Exchange *previous; /* an older version, or NULL */
	void *allocate, *to_managed, *from_managed;
	int (*tensor)(void *object, DlTensor *out);                    /* -1 with an exception; may be NULL */
	int (*stream)(int32_t type, int32_t device, void **out_stream); /* -1 with an exception */
} Exchange;

#endif
