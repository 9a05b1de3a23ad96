/* NVIDIA: from PTX to a cubin, and from a cubin to a launch. The driver is loaded at run time
 * (libcuda.so.1), nothing is initialised before the first call that needs it, and the caller's own
 * contexts, streams and pointers are used as they are.
 *
 * Threads: every function may be called from any thread at any time, except to free what another
 * thread is using. Errors: a function that takes a DiagList returns false, NULL or 0 after adding
 * at least one error to it. Memory: handles are heap objects; running out of memory raises
 * FAULT_MEMORY (fault.h) with all locks released. fork: CUDA cannot be used in the child of a
 * process that had started it. The child of one that had not starts its own; in any other child
 * each call fails with NV_FORKED, and the _free functions do not touch the driver. */
#ifndef NESO_NV_NV_H
#define NESO_NV_NV_H

#include "base/diag/diag.h"
#include "base/diag/remark.h"
#include "target/target.h"
#include "target/tensor_map.h"

/* ---- the driver ---- */

/* A way to the driver, its devices, and what is loaded through it. One for each user of the library; any number may
 * exist in a process. */
typedef struct NvDriver NvDriver;

typedef void *NvStream; /* CUstream; NULL: the default stream */
typedef void *NvEvent;  /* CUevent */
typedef uint64_t NvPtr; /* CUdeviceptr */
/* Which context: a number that no other context of the process has or will have (on drivers before 12.0 the handle,
 * which may come back after the context was destroyed). 0: none. */
typedef uint64_t NvContext;

#define NV_SCRATCH_OWN UINT64_MAX

typedef struct NvDriverOptions {
	const char *library; /* libcuda.so.1 or its folder; NULL: TRITON_LIBCUDA_PATH, then the loader's search */
	/* Global memory for kernels that need scratch: usable in `stream` from now until this launch's end; 0: none
	 * is left; NV_SCRATCH_OWN, or NULL here: a buffer for each stream that grows, and is freed by nv_driver_free. */
	NvPtr (*scratch)(void *data, size_t bytes, size_t align, NvStream stream);
	void *scratch_data;
} NvDriverOptions;

/* Touches no driver. options: NULL for the defaults; copied. */
NvDriver *nv_driver_new(const NvDriverOptions *options);
/* NULL is fine. What was loaded through it stays usable until it is freed itself. */
void nv_driver_free(NvDriver *driver);
/* Loads and initialises the driver if this process has not; false says why: no library, no device, too old. The
 * functions below that take diags do it themselves; the others are for after it. */
bool nv_driver_start(NvDriver *driver, DiagList *diags);
/* 13000 for CUDA 13.0: the newest CUDA that the driver serves. */
int nv_driver_version(const NvDriver *driver);
const char *nv_driver_path(const NvDriver *driver); /* the library as it was found */
/* "driver 13.0 (580.95.05)"; the second number where the system tells it. */
const char *nv_driver_text(const NvDriver *driver);

typedef struct NvDevice {
	unsigned ordinal;
	unsigned capability;     /* 90 */
	const TargetGpu *target; /* what to compile for; NULL: the device is older than all that are known */
	unsigned sms, bus_bits;
	unsigned shared_cta;     /* bytes that a CTA may ask for */
	uint64_t memory, l2;     /* bytes */
	uint32_t max_grid[3];
	char name[128];
} NvDevice;

unsigned nv_device_count(const NvDriver *driver);
const NvDevice *nv_device(const NvDriver *driver, unsigned ordinal); /* NULL past the end */
/* The highest clocks in kHz, 0 where the driver does not tell. It asks the GPU for these two each time, which takes it far longer than what it
 * remembers of a device: so they are no part of starting. */
typedef struct NvClocks {
	unsigned sm, memory;
} NvClocks;
NvClocks nv_device_clocks(const NvDriver *driver, const NvDevice *device);
/* Makes the device's primary context the calling thread's current one. */
NvContext nv_device_use(NvDriver *driver, unsigned ordinal, DiagList *diags);

/* The current context of the calling thread, else the primary context of device 0 made current. A call into the
 * driver that takes a few nanoseconds: for each launch. */
NvContext nv_context(NvDriver *driver, DiagList *diags);
/* The current one; 0: there is none, or the driver was not started. */
NvContext nv_context_now(const NvDriver *driver);
/* The device of the current context (which nv_context gave). */
const NvDevice *nv_context_device(NvDriver *driver, DiagList *diags);

/* ---- assembling ---- */

/* The assembler and disassemblers of a CUDA toolkit: where they are, which version, what they hold. */
typedef struct NvTools NvTools;

typedef struct NvToolsOptions {
	const char *ptxas; /* path; NULL: TRITON_PTXAS_PATH (from sm_100 on TRITON_PTXAS_BLACKWELL_PATH before it),
	                      NESO_PTXAS, then bin/ of CUDA_HOME and CUDA_PATH, `packages`, /usr/local/cuda, PATH. "driver":
	                      none, the driver's own compiler */
	/* Folders of Python packages, with ":" between, besides the one that this library lies in: a toolkit from
	 * the Python package index has its programs in nvidia/cu13/bin there. NULL: none. */
	const char *packages;
	const char *extra; /* more options, split at blanks; NULL: PTXAS_OPTIONS */
	double timeout;    /* seconds for one run; 0: none but that of the thread's work (base/stop.h) */
	/* What a program holds and said of its version, remembered beyond this process, so that nobody reads or asks it again. what: a
	 * text that names the program's file as it is now. recall gives the text in the arena, or NULL. Both NULL: always asked. */
	const char *(*recall)(void *data, const char *what, Arena *arena);
	void (*remember)(void *data, const char *what, const char *said);
	void *memory_data;
} NvToolsOptions;

NvTools *nv_tools_new(const NvToolsOptions *options); /* NULL for the defaults; copied */
void nv_tools_free(NvTools *tools);                   /* NULL is fine */

/* An assembler that was started before there is something to assemble. */
typedef struct NvBegun NvBegun;

typedef struct NvAssemble {
	const TargetGpu *target;
	const char *kernel;  /* whose registers the report is about */
	unsigned shared;     /* bytes that a launch of it adds to those of the PTX */
	NvDriver *driver;    /* for its compiler, where there is no ptxas; NULL: only ptxas */
	bool line_info;      /* -lineinfo */
	bool no_fusion;      /* products and sums are not fused (-fmad=false) */
	bool no_optimize;    /* -O0; DISABLE_PTXAS_OPT=1 does it too */
	NvBegun *begun;      /* by nv_begin, to be used where it fits; NULL */
} NvAssemble;

/* ptxas takes some 6 ms to its first look at the PTX, which pass beside the making of that. By the
 * thread that is to assemble. NULL: none was started. Free with nv_begun_free, which ends what was
 * not used. */
NvBegun *nv_begin(NvTools *tools, const NvAssemble *how);
void nv_begun_free(NvBegun *begun); /* NULL is fine */

typedef struct NvCubin {
	void *data; /* malloc */
	size_t len;
	/* Of the kernel, from the assembler's report: registers of a thread, bytes of a thread, static bytes of a
	 * CTA. */
	unsigned registers, spill_stores, spill_loads, stack, shared;
	char *log; /* everything that the assembler said; malloc, "" when nothing */
	double seconds;
} NvCubin;

/* Errors point at the line of the PTX (path "KERNEL.ptx") with a note for the source line that it was made for.
 * Warnings and performance advisories of the assembler go to diags as warnings. Free the cubin with nv_cubin_free. */
bool nv_assemble(NvTools *tools, Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags);
void nv_cubin_free(NvCubin *cubin);
/* What an assembler's log says of how the code will run (cubin.log), as remarks: at the source line that the PTX's line
 * tables give, else at `path` and `at`. */
void nv_report_remarks(Str log, Str ptx, const char *path, LineCol at, RemarkList *out);
/* What nv_assemble would use: "ptxas 13.0.88 0123456789abcdef" (version, hash of content), "driver 13.0 (580.95.05)", with the options that come from the tools'
 * options or the environment behind it: a part of a cubin's identity. In the arena. NULL after diagnosing: there is
 * none. */
const char *nv_assembler_identity(NvTools *tools, const NvAssemble *how, Arena *arena, DiagList *diags);
/* Its part that tells of options: " -O0", "". In the arena. */
const char *nv_assembler_options(NvTools *tools, const NvAssemble *how, Arena *arena);
/* May a cubin that `assembler` (an identity) made elsewhere stand for one made here? Where there is no ptxas and nobody asked for the
 * driver's compiler, and the driver, if there is one, is not of a major release before the assembler's: it might not load it. */
bool nv_takes_cubin_of(NvTools *tools, const NvAssemble *how, const char *assembler, Arena *arena);
/* Path of "ptxas", "nvdisasm", "cuobjdump", by the same search, and version "13.0.88"; both in the arena. False:
 * there is none, nothing is diagnosed. */
bool nv_tools_find(NvTools *tools, const char *name, Arena *arena, const char **path, const char **version);
/* SASS of a cubin by nvdisasm (TRITON_NVDISASM_PATH, or found as ptxas is), or cuobjdump (TRITON_CUOBJDUMP_PATH);
 * with source lines where the cubin has them. */
bool nv_disassemble(NvTools *tools, const void *cubin, size_t len, Text *out, DiagList *diags);

/* A cubin as a fat binary, compressed, which the driver unpacks when it loads it: by NVIDIA's
 * fatbinary, found as ptxas is. In the list's arena. */
bool nv_fatbin(NvTools *tools, Str cubin, const TargetGpu *gpu, Str *out, DiagList *diags);

/* ---- loading and launching ---- */

/* A cubin and what a launch of its kernel needs; loaded lazily into each context that it is launched in. */
typedef struct NvKernel NvKernel;

typedef struct NvKernelInfo {
	const char *name;  /* in the cubin */
	const char *shown; /* in messages: "file.py:12 add_kernel"; NULL: name */
	unsigned threads;  /* of a CTA */
	unsigned shared;   /* dynamic bytes of a CTA */
	unsigned cluster;  /* CTAs of a cluster, each program is one cluster; 0, 1: none */
	unsigned scratch_bytes, scratch_align; /* of global memory for each CTA; 0: none */
	const char *args;  /* letters of CodegenResult.args */
	const char *const *arg_names; /* for messages, one for each letter; NULL: none */
	const TensorMapPlan *maps; /* of each 't' in args; copied */
	size_t map_count;
	bool cooperative;  /* all CTAs run at the same time (launch_cooperative_grid) */
	bool dependent;    /* may start while its predecessor in the stream ends (launch_pdl) */
	bool borrows;      /* the cubin outlives the kernel, and is not copied */
	/* which launches nv_launch_plain takes, as others have a kernel of their own
	 * (target_is_many) */
	enum { NV_PROGRAMS_ANY, NV_PROGRAMS_FEW, NV_PROGRAMS_MANY } programs;
	bool uneven; /* programs take differently long (target_is_many) */
	bool passing;      /* where modules are bounded, it is always among those that are unloaded again */
} NvKernelInfo;

/* Copies, but what it borrows. */
NvKernel *nv_kernel_new(NvDriver *driver, const void *cubin, size_t len, const NvKernelInfo *info);
void nv_kernel_free(NvKernel *kernel); /* unloads where it was loaded; NULL is fine */
bool nv_kernel_is_loaded(NvKernel *kernel); /* in any context, by this process */

/* The kernel in a context, which must be current. No lock when it was loaded before. Lives as long as the kernel. */
typedef struct NvFunction NvFunction;
NvFunction *nv_kernel_function(NvKernel *kernel, NvContext context, DiagList *diags);
/* What the driver says of it: registers of a thread, bytes of local memory, static bytes of shared memory. */
typedef struct NvFunctionFacts {
	unsigned registers, local, shared, max_threads;
} NvFunctionFacts;
/* CTAs that an SM holds at a time; 0 after diagnosing. */
unsigned nv_function_occupancy(NvFunction *function, DiagList *diags);

/* Do plans belong to arguments with these letters? What comes from a file may not. */
bool nv_maps_allowed(const TensorMapPlan *plans, size_t count, const char *args);
/* Can the launch make its tensor maps? What no map can say, and drivers before CUDA 12, need a kernel without. */
bool nv_can_launch(const NvFunction *function, void *const *params);

/* Asynchronous. params as cuLaunchKernel wants them: a pointer to each argument's bytes, one for each letter of args;
 * those of tensor maps ('t'), of the count of programs ('n') and of the scratch ('s'), which come last, are made here and need not be
 * there. A kernel with 'n' is launched with as many CTAs as the GPU holds at once; grids are of programs all the same. Nothing is
 * allocated and no lock is taken (with scratch: a
 * lock, and memory when the buffer must grow). A grid of 0 programs launches nothing. The context of
 * nv_kernel_function must be current. Errors name kernel, grid and arguments; those of an earlier launch that are met
 * here say so. */
bool nv_launch(NvFunction *function, const uint32_t grid[3], NvStream stream, void **params, DiagList *diags);
/* The same in two halves, for callers that want to make a DiagList only when there is something to say. The first gives
 * the driver's result, or NV_NOT_PLAIN and has done nothing; what it gave, when not 0, goes to the second, which does
 * the rest or says what went wrong. */
enum { NV_NOT_PLAIN = -1, NV_NO_MAP = -2 /* nv_can_launch says no */ };
int nv_launch_plain(NvFunction *function, const uint32_t grid[3], NvStream stream, void **params);
bool nv_launch_report(NvFunction *function, int result, const uint32_t grid[3], NvStream stream, void **params,
		      DiagList *diags);

/* ---- memory, streams, events: what tools, tests and the benchmark need; in the current context ---- */

bool nv_alloc(NvDriver *driver, size_t bytes, NvPtr *ptr, DiagList *diags); /* 0 bytes: 0 */
void nv_free(NvDriver *driver, NvPtr ptr);
/* Asynchronous for pinned memory; otherwise `from` may be reused at once. */
bool nv_copy_in(NvDriver *driver, NvPtr to, const void *from, size_t bytes, NvStream stream, DiagList *diags);
/* Returns when the bytes are there. */
bool nv_copy_out(NvDriver *driver, void *to, NvPtr from, size_t bytes, NvStream stream, DiagList *diags);
bool nv_copy(NvDriver *driver, NvPtr to, NvPtr from, size_t bytes, NvStream stream, DiagList *diags);
bool nv_fill(NvDriver *driver, NvPtr to, int byte, size_t bytes, NvStream stream, DiagList *diags);
/* Waits for the stream, or with nv_synchronize_all for the context. What went wrong in kernels before (an illegal
 * address, a device_assert) is met here: the error lists the launches that may have caused it. */
bool nv_synchronize(NvDriver *driver, NvStream stream, DiagList *diags);
bool nv_synchronize_all(NvDriver *driver, DiagList *diags);
bool nv_event_new(NvDriver *driver, NvEvent *event, DiagList *diags);
bool nv_event_record(NvDriver *driver, NvEvent event, NvStream stream, DiagList *diags);
/* Is what was in the stream before it done, or failed? Waits for nothing. */
bool nv_event_done(const NvDriver *driver, NvEvent event);
/* Does the stream record a graph? */
bool nv_stream_captures(const NvDriver *driver, NvStream stream);
/* Seconds from one recorded event to another; waits for the second. */
bool nv_event_elapsed(NvDriver *driver, NvEvent from, NvEvent to, double *seconds, DiagList *diags);
void nv_event_free(NvDriver *driver, NvEvent event);

typedef struct NvPointer {
	bool device;         /* a kernel can use it: device or managed memory */
	bool managed;
	bool pinned;         /* host memory that a kernel can use too: page-locked and mapped */
	unsigned ordinal;    /* of the device that has it */
	uint64_t base, size; /* of the allocation; 0: not told */
} NvPointer;
/* What the driver knows of an address; {0}: nothing (the host's memory). Starts no driver. */
NvPointer nv_pointer(NvDriver *driver, uint64_t address);

#endif
