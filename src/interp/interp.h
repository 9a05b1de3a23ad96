/* The interpreter: runs TTIR on the CPU, whole tiles at a time. It is the oracle of the project: its results
 * define what a program means, with the GPU's rounding and NaN rules.
 *
 * A kernel is prepared once (interp_prepare) and launched many times, from any thread; the prepared form is
 * immutable. Programs of a launch are spread over threads. Every memory access is checked against the
 * declared buffers before it is made. */
#ifndef NESO_INTERP_INTERP_H
#define NESO_INTERP_INTERP_H

#include "base/diag/diag.h"
#include "ir/ir.h"

typedef struct InterpKernel InterpKernel;

/* Threads that launches share. A launch without one uses a pool that the kernel makes for itself when it first
 * needs it. One launch at a time has the threads; others meanwhile run on their caller's thread alone. */
typedef struct InterpPool InterpPool;
InterpPool *interp_pool_new(unsigned threads); /* 0: as many as processors; NULL when there is no memory */
void interp_pool_free(InterpPool *pool);

/* The instruction set whose vector kernels this processor runs: "plain", "avx2", "avx512". */
const char *interp_simd(void);

/* Decodes a public function of a verified TTIR module (inlined or not: calls are run). NULL after diagnosing
 * something that has no meaning on the CPU (inline PTX that is not known). The module may be dropped afterwards. */
InterpKernel *interp_prepare(const IrModule *module, Sym function, DiagList *diags);
void interp_free(InterpKernel *kernel);

/* Memory that kernels may touch. Ranges of one launch may touch but not overlap, unless they are equal. */
typedef struct InterpBuffer {
	const char *name; /* for messages: the parameter's name */
	void *base;
	uint64_t size; /* bytes */
	bool writable;
	bool ambient; /* others use it as well, and it may be gone: neso_access */
} InterpBuffer;

/* One argument of the TTIR function, in order: the bits of a scalar in its type's format, an address, or,
 * for a tensor descriptor, the address of its base with shape and strides. */
typedef struct InterpArg {
	uint64_t bits;
	uint32_t rank;
	int64_t shape[5], strides[5]; /* descriptor: in elements */
	bool pad_nan;
} InterpArg;

typedef struct InterpLaunch {
	const InterpArg *args;
	uint32_t arg_count;
	const InterpBuffer *buffers;
	uint32_t buffer_count;
	uint32_t grid[3];
	unsigned threads;      /* 0: as many as the pool has */
	InterpPool *pool;      /* or NULL */
	double timeout;        /* seconds; 0: none. Past it, the launch ends with a diagnostic */
	/* Text of device_print, whole lines, calls serialised; NULL drops it. */
	void (*print)(void *data, const char *text, size_t len);
	void *print_data;
	/* Asked on the caller's thread about every 50 ms; false ends the launch with a diagnostic. NULL: never. */
	bool (*poll)(void *data);
	void *poll_data;
	bool plain; /* no lazy forms, no fast paths: the results must be the same (a switch for tests) */
} InterpLaunch;

/* Runs all programs. False after a fault (out of bounds, a failed device_assert, deadlock, time-out, ...): the
 * diagnostic names kernel, source line with its inlining, program id, element, address and buffer. */
bool interp_launch(const InterpKernel *kernel, const InterpLaunch *launch, DiagList *diags);

#endif
