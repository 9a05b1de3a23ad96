/* As much of the CUDA toolkit's header as the files of triton.tools.compile want, for machines without one. */
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
typedef enum cudaError_enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
	CUDA_ERROR_NOT_SUPPORTED = 801
} CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;
#endif
