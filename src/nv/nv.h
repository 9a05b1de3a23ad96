/* NVIDIA: from PTX to a cubin, and from a cubin to a launch. The driver is loaded at run time (libcuda.so.1), nothing is
 * initialised before the first call that needs it, and the caller's own contexts, streams and pointers are used as they
 * are. All functions are thread-safe. */
#ifndef NESO_NV_NV_H
#define NESO_NV_NV_H

#include "base/diag.h"
#include "target/target.h"

/* ---- the driver ---- */

typedef struct NvDriver NvDriver;

/* The process's driver, initialised; NULL and one diagnostic that says why (no library, no device, too old). The first
 * call in a process does the work; a child after fork asks again. */
NvDriver *nv_driver(DiagList *diags);
int nv_driver_version(const NvDriver *driver); /* 13000 for CUDA 13.0 */

typedef struct NvDevice {
	int ordinal;
	unsigned capability;      /* 90 */
	const TargetGpu *target;  /* what to compile for */
	unsigned sms, clock_khz, memory_clock_khz, bus_bits;
	unsigned shared_cta;      /* bytes that a CTA may ask for */
	uint64_t memory;
	uint32_t max_grid[3];
	char name[128];
} NvDevice;

unsigned nv_device_count(const NvDriver *driver);
const NvDevice *nv_device(NvDriver *driver, unsigned ordinal); /* NULL past the end */

/* The current context of the calling thread, else the primary context of device 0 made current; NULL after
 * diagnosing. A context is the driver's own handle (CUcontext). */
typedef void *NvContext;
typedef void *NvStream;  /* CUstream; NULL: the default stream */
typedef uint64_t NvPtr;  /* CUdeviceptr */
NvContext nv_context(NvDriver *driver, DiagList *diags);
const NvDevice *nv_context_device(NvDriver *driver, NvContext context);

/* ---- assembling ---- */

typedef struct NvAssembleOptions {
	const TargetGpu *target;
	const char *ptxas;  /* path; NULL: found by environment and PATH; "driver": the driver's JIT */
	const char *extra;  /* further options, split at blanks (PTXAS_OPTIONS) */
	unsigned opt_level; /* 0 .. 3; 4: ptxas's default */
	bool line_info, fp_fusion;
	double timeout;     /* seconds; 0: 120 */
} NvAssembleOptions;

typedef struct NvCubin {
	void *data; /* malloc */
	size_t len;
	unsigned registers, spill_stores, spill_loads, stack, shared; /* of the kernel, from the assembler's report */
	char *log;  /* everything that the assembler said; malloc, never NULL on success */
	double seconds;
	char *assembler; /* "ptxas 13.0.88" or "driver 580.159": part of a cubin's identity */
} NvCubin;

bool nv_assemble(const char *ptx, size_t len, const char *kernel, const NvAssembleOptions *options, NvCubin *cubin,
		 DiagList *diags);
void nv_cubin_free(NvCubin *cubin);
/* The identity of the assembler that nv_assemble would use, without assembling; in the arena. */
const char *nv_assembler_identity(Arena *arena, const NvAssembleOptions *options, DiagList *diags);
/* SASS of a cubin by nvdisasm; false after diagnosing (none installed). */
bool nv_disassemble(const void *cubin, size_t len, Text *out, DiagList *diags);

/* ---- loading and launching ---- */

/* A cubin and what a launch of its kernel needs; loaded lazily into each context that it is launched in. */
typedef struct NvKernel NvKernel;

typedef struct NvKernelInfo {
	const char *name;    /* in the cubin */
	const char *shown;   /* in messages: file:line name */
	unsigned threads, shared, cluster;
	unsigned scratch_bytes, scratch_align; /* for each CTA */
	const char *args;    /* letters of CodegenResult.args */
} NvKernelInfo;

NvKernel *nv_kernel_new(const void *cubin, size_t len, const NvKernelInfo *info); /* copies */
void nv_kernel_free(NvKernel *kernel); /* unloads where it was loaded */

/* The function in a context, loaded if it was not: the fast path keeps the result. NULL after diagnosing. */
typedef struct NvFunction NvFunction;
NvFunction *nv_kernel_load(NvDriver *driver, NvKernel *kernel, NvContext context, DiagList *diags);
unsigned nv_function_registers(const NvFunction *function);

/* Asynchronous. params as cuLaunchKernel wants them: a pointer to each argument's bytes. Nothing is allocated, no lock is
 * taken. A grid of 0 programs launches nothing. False after diagnosing, with kernel, grid and arguments. */
bool nv_launch(NvDriver *driver, NvFunction *function, const uint32_t grid[3], NvStream stream, void **params,
	       DiagList *diags);

/* ---- memory, streams, events: what tools, tests and the benchmark need ---- */

bool nv_alloc(NvDriver *driver, size_t bytes, NvPtr *ptr, DiagList *diags);
void nv_free(NvDriver *driver, NvPtr ptr);
bool nv_copy_in(NvDriver *driver, NvPtr to, const void *from, size_t bytes, NvStream stream, DiagList *diags);
bool nv_copy_out(NvDriver *driver, void *to, NvPtr from, size_t bytes, NvStream stream, DiagList *diags);
bool nv_fill(NvDriver *driver, NvPtr to, int byte, size_t bytes, NvStream stream, DiagList *diags);
/* Waits; reports what went wrong in kernels before (device_assert, an illegal address) with the last launch. */
bool nv_synchronize(NvDriver *driver, NvStream stream, DiagList *diags);
/* Is this address device memory, and of which context? False: not the driver's (host memory). */
bool nv_pointer_info(NvDriver *driver, const void *address, NvContext *context, bool *is_device);

#endif
