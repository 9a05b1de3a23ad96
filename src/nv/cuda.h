/* The part of the CUDA driver API that is used, declared here so that no toolkit is needed to build. Numbers and
 * layouts are those of the CUDA driver API reference (12.9); test/check/cuda.sh compares them with a toolkit's header
 * where one is installed. */
#ifndef NESO_NV_CUDA_H
#define NESO_NV_CUDA_H

#include "base/base.h"

/* Results (CUresult) that are told apart; others keep their number. kind: see CudaResultKind. */
typedef enum CudaResult {
#define CUDA_RESULT(name, number, kind) CUDA_##name = number,
#include "nv/cuda_result.def"
#undef CUDA_RESULT
} CudaResult;

typedef enum CudaResultKind {
	CUDA_KIND_OTHER,
	CUDA_KIND_KERNEL, /* a kernel that ran before failed; the context cannot be used any more */
} CudaResultKind;

enum {
	CUDA_DEVICE_MAX_GRID_X = 5, /* y and z follow */
	CUDA_DEVICE_CLOCK = 13,     /* kHz */
	CUDA_DEVICE_SMS = 16,
	CUDA_DEVICE_MEMORY_CLOCK = 36, /* kHz */
	CUDA_DEVICE_BUS = 37,          /* bits */
	CUDA_DEVICE_L2 = 38,           /* bytes */
	CUDA_DEVICE_MAJOR = 75,
	CUDA_DEVICE_MINOR = 76,
	CUDA_DEVICE_SHARED_OPTIN = 97, /* bytes of a CTA */
};

enum {
	CUDA_FUNCTION_MAX_THREADS = 0,
	CUDA_FUNCTION_SHARED = 1, /* static bytes */
	CUDA_FUNCTION_LOCAL = 3,  /* bytes of a thread */
	CUDA_FUNCTION_REGISTERS = 4,
	CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
	CUDA_FUNCTION_ANY_CLUSTER = 14, /* more than the portable 8 CTAs */
	CUDA_CACHE_PREFER_SHARED = 1,
};

enum {
	CUDA_POINTER_MEMORY_TYPE = 2,
	CUDA_POINTER_MANAGED = 8,
	CUDA_POINTER_ORDINAL = 9,
	CUDA_POINTER_START = 11,
	CUDA_POINTER_SIZE = 12,
	CUDA_MEMORY_HOST = 1,
	CUDA_MEMORY_DEVICE = 2,
	CUDA_MEMORY_UNIFIED = 4,
};

enum {
	CUDA_JIT_INFO_LOG = 3,
	CUDA_JIT_INFO_LOG_SIZE = 4,
	CUDA_JIT_ERROR_LOG = 5,
	CUDA_JIT_ERROR_LOG_SIZE = 6,
	CUDA_JIT_OPT_LEVEL = 7,
	CUDA_JIT_TARGET = 9,
	CUDA_JIT_VERBOSE = 12,
	CUDA_JIT_LINE_INFO = 13,
	CUDA_JIT_INPUT_PTX = 1,
	CUDA_JIT_TARGET_ACCELERATED = 0x10000, /* added to 90 for sm_90a */
};

enum {
	CUDA_CAPTURE_NONE = 0,
	CUDA_CAPTURE_ACTIVE = 1,
	CUDA_CAPTURE_RELAXED = 2, /* mode of cuThreadExchangeStreamCaptureMode */
	CUDA_PROC_LEGACY_STREAM = 1,
};

enum {
	CUDA_LAUNCH_COOPERATIVE = 2,
	CUDA_LAUNCH_CLUSTER = 4,
	CUDA_LAUNCH_DEPENDENT = 6, /* programmatic stream serialization */
};

typedef struct CudaLaunchAttribute {
	int id;
	char pad[4];
	union {
		char size[64];
		int number;
		struct {
			unsigned x, y, z;
		} cluster;
		uint64_t align;
	} value;
} CudaLaunchAttribute;

typedef struct CudaLaunchConfig {
	unsigned grid[3], block[3], shared;
	void *stream;
	CudaLaunchAttribute *attributes;
	unsigned attribute_count;
} CudaLaunchConfig;

/* The table: one pointer for each row of cuda.def. */
typedef struct CudaApi {
#define CUDA(name, version, need, parameters) int(*name) parameters;
#include "nv/cuda.def"
#undef CUDA
} CudaApi;

#endif
