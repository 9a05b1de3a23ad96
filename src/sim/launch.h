/* What a simulated launch is given: plain data, which passes the border of libneso-codegen.so as it is. */
#ifndef NESO_SIM_LAUNCH_H
#define NESO_SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_CHECK_SECONDS = 600 };

typedef struct SimBuffer {
	const char *name; /* for messages, or NULL */
	void *base;
	uint64_t size; /* bytes */
	bool writable;
} SimBuffer;

/* A tensor map for the simulator, in place of the driver's: what cuTensorMapEncodeTiled is told. Dim 0 is the fastest; strides[d]
 * is that of dim d + 1, in bytes. */
enum { SIM_TENSOR_MAP = 0x4d54534e };
typedef struct SimTensorMap {
	uint32_t magic;      /* SIM_TENSOR_MAP */
	uint8_t rank;        /* 1 to 5 */
	uint8_t element;     /* bytes: 1, 2, 4, 8 */
	uint8_t swizzle;     /* bytes: 0 (none), 32, 64, 128 */
	uint8_t fill;        /* of what is outside: 0 zeros, 1 NaN of 2, 4 or 8 bytes, 2 NaN of bf16 */
	uint64_t address;    /* of the host */
	uint64_t dims[5], strides[4];
	uint16_t box[5];
	uint8_t steps[5];    /* element strides */
	uint8_t type;        /* TensorMapType, for reductions */
	uint8_t rest[128 - 105];
} SimTensorMap;
_Static_assert(sizeof(SimTensorMap) == 128, "as large as the driver's");

/* What is looked at besides, bits of `watch`: where NaN and infinities arise; which lines, branches
 * and masks ran; sectors of global memory and wavefronts of shared memory beyond the least. */
enum { SIM_WATCH_NAN = 1, SIM_WATCH_COVERAGE = 2, SIM_WATCH_TRAFFIC = 4 };

typedef struct SimLaunch {
	/* As `args` of the compiled kernel says (codegen/codegen.h), without the scratch: bits of scalars, host addresses; of a tensor map that of a
	 * SimTensorMap, aligned to 64 bytes. */
	const uint64_t *args;
	size_t arg_count;
	const SimBuffer *buffers; /* ranges that kernels may touch; none overlap */
	size_t buffer_count;
	/* By buffer: others use it as well, it may be gone, and nothing restores it; NULL: none is.
	 * They come behind the others. */
	const bool *ambient;
	/* By buffer: with checks, nothing has written it yet, and what it holds is not defined;
	 * NULL: all are written. */
	const bool *unwritten;
	uint32_t grid[3];
	bool several; /* each program of the grid runs several of the user's: messages say CTA */
	unsigned threads; /* of the host; 0: as many as processors. With `check` one */
	bool check; /* races, reads of what was not written, waits; else bounds, alignment, deadlocks */
	uint64_t seed;    /* order in which warps get their turns; 0: one after the other */
	uint64_t notes;   /* with checks: bytes of notes on global memory; 0: a gigabyte */
	uint64_t whose;   /* with checks: an address whose last writer is told; 0: none */
	unsigned watch;   /* SIM_WATCH: with checks */
	unsigned schedules; /* above 1: with checks, and in so many orders of warps and programs, whose results are compared; the first one's stays */
	double timeout;   /* seconds; 0: none, with checks SIM_CHECK_SECONDS */
	bool (*poll)(void *data); /* asked about every 50 ms, on the thread of the call, whether to go on; NULL: it does */
	void *poll_data;
	/* Whole lines of device_print, programs in their order, calls serialised; NULL drops them. */
	void (*print)(void *data, const char *text, size_t len);
	void *print_data;
} SimLaunch;

#endif
