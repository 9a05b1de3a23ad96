/* What the files of src/nv share: the driver's state, the ring of recent launches, errors.
 *
 * Locks: one for each NvDriver. It guards starting, the retained contexts, loading, and scratch
 * buffers. Nothing that may raise a fault runs under it except inside nv_locked.
 *
 * fork: NvLife lies in a page that the kernel clears in a child, so a child finds the driver as it
 * was before it was started, its lock unmade, at the price of one load for each launch. */
#ifndef NESO_NV_INNER_H
#define NESO_NV_INNER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "nv/cuda.h"
#include "nv/nv.h"

enum {
	NV_RECENT = 64,      /* launches that are remembered; a power of two */
	NV_RECENT_ARGS = 8,  /* arguments of each */
	NV_RECENT_SHOWN = 5, /* in one message */
	NV_LINE = 64,        /* bytes of the cache's lines: between launches the driver's own work leaves little in the cache, so that what a
			      * launch reads is kept in few of them */
};

typedef struct NvLife {
	atomic_int lock;         /* 0: not made, 1: being made, 2: there */
	atomic_uint generation;  /* of what is loaded; 0: not started in this process */
} NvLife;

enum { NV_MAP_WAYS = 4, NV_MAP_VALUES = 11, NV_MOST_MAPS = 16, NV_MOST_ARGS = 256 };

/* CUtensorMap. */
typedef struct NvMap {
	_Alignas(64) uint64_t words[16];
} NvMap;

/* A map that was made (maps.c). seq: 0 empty, odd while it is written. */
typedef struct NvMapEntry {
	atomic_uint seq;
	_Atomic(uint64_t) values[NV_MAP_VALUES], map[16];
} NvMapEntry;

/* The arguments of a launch with its maps. */
typedef struct NvArguments {
	NvMap maps[NV_MOST_MAPS];
	uint32_t programs[3]; /* along each axis */
	void *params[NV_MOST_ARGS + 1];
} NvArguments;

/* One launch. Written without a lock: seq is 0 while the rest changes. */
typedef struct NvRecent {
	atomic_uint seq; /* 1 and up by order of launches; 0: empty */
	_Atomic(const NvFunction *) function;
	_Atomic(NvStream) stream;
	atomic_uint grid[3];
	_Atomic(uint64_t) args[NV_RECENT_ARGS];
	char gap[24]; /* two lines of the cache each */
} NvRecent;
_Static_assert(sizeof(NvRecent) == 2 * NV_LINE, "as it says");

/* Memory for the kernels of one stream: launches there come one after the other, so one buffer does for all. */
typedef struct NvScratch {
	struct NvScratch *next;
	NvContext context;
	void *context_handle;
	NvStream stream;
	unsigned long long stream_id;
	NvPtr ptr;
	size_t size;
	bool ordered; /* from cuMemAllocAsync */
} NvScratch;

/* In lines of its own (nv_new_lines), as NvFunction is. */
struct NvDriver {
	/* what a launch reads */
	NvLife *life;
	int (*context_id)(void *context, unsigned long long *id); /* cuda.cuCtxGetId */
	/* the rest */
	atomic_int users; /* the owner, and each kernel */
	NvDriverOptions options;
	pthread_mutex_t lock;
	unsigned generation; /* the last that was given; of another process after a fork */
	pid_t pid;           /* that started it */
	bool forked;         /* a parent had started it */
	void *library;
	char *path, *text;
	CudaApi cuda;
	int version;
	NvDevice *devices;
	int *handles; /* CUdevice of each */
	_Atomic(void *) *primary; /* retained context of each, or NULL */
	unsigned device_count;
	NvScratch *scratch;
	/* loaded.c; under the lock, but ticks, which is read without */
	NvFunction *evictable;
	unsigned max_modules, direct_loaded, evictable_loaded;
	atomic_uint ticks; /* loads so far of what may go */
	_Alignas(NV_LINE) atomic_uint recent_at;
	_Alignas(NV_LINE) NvRecent recent[NV_RECENT];
};

struct NvKernel {
	NvDriver *driver;
	void *cubin;
	size_t len;
	NvKernelInfo info;
	size_t arg_count;
	size_t given_count; /* without those behind: the counts of programs, the scratch */
	NvMapEntry *map_entries; /* NV_MAP_WAYS for each map; NULL: none */
	_Atomic(NvFunction *) first;
};

struct NvFunction {
	/* what a launch reads */
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
		      void **);
	void *handle;
	unsigned generation;
	unsigned threads, shared;
	uint32_t max_grid[3]; /* programs */
	bool is_chosen;       /* by the grid: others have a kernel of their own */
	bool mapped;          /* with tensor maps, or counts of programs */
	uint8_t program_counts; /* arguments that tell them: along axis 0, or all three */
	bool special;         /* cluster, scratch, cooperative, dependent */
	uint8_t recorded;     /* arguments kept in the ring */
	uint8_t arg_size[NV_RECENT_ARGS];
	NvDriver *driver;
	/* the rest */
	NvKernel *kernel;
	NvContext context;
	void *context_handle, *module, *code; /* code: the driver's own handle */
	const NvDevice *device;
	uint32_t most_ctas; /* that a launch starts, each for several programs; 0: all */
	NvFunctionFacts facts;
	NvFunction *next;
	/* loaded.c */
	NvFunction *older;
	atomic_int uses;
	atomic_uint used; /* a tick */
	atomic_bool pinned;
	bool is_evictable;
	struct NvMarks *marks; /* of one that may be unloaded; else NULL */
};

/* Zeroed; raises FAULT_MEMORY. */
void *nv_new(size_t size);
void *nv_new_lines(size_t size); /* the same, at the beginning of a line of the cache */
char *nv_text(const char *text); /* copy; NULL of NULL */

void nv_lock(NvDriver *driver);
void nv_unlock(NvDriver *driver);
/* work under the lock; a fault in it is raised again without the lock. */
bool nv_locked(NvDriver *driver, bool (*work)(NvDriver *driver, void *data, DiagList *diags), void *data,
	       DiagList *diags);

static inline unsigned nv_generation(const NvDriver *driver)
{
	return atomic_load_explicit(&driver->life->generation, memory_order_acquire);
}

/* Calls that this thread makes between the two do not disturb graphs that others capture. */
typedef struct NvRelaxed {
	bool exchanged;
	int mode;
} NvRelaxed;

static inline NvRelaxed nv_relax(const NvDriver *driver)
{
	NvRelaxed r = {.mode = CUDA_CAPTURE_RELAXED};
	r.exchanged = driver->cuda.cuThreadExchangeStreamCaptureMode(&r.mode) == CUDA_SUCCESS;
	return r;
}

static inline void nv_unrelax(const NvDriver *driver, NvRelaxed r)
{
	if (r.exchanged)
		driver->cuda.cuThreadExchangeStreamCaptureMode(&r.mode);
}

/* Number of a context by its handle, NULL: the current one; 0: there is none, or it was destroyed. */
NvContext nv_context_number(const NvDriver *driver, void *handle);
/* Makes a context current for a moment, if it is still the one with this number. */
bool nv_context_enter(NvDriver *driver, void *handle, NvContext number);
void nv_context_leave(NvDriver *driver);

/* "CUDA_ERROR_INVALID_VALUE: invalid argument"; buffer of NV_RESULT_TEXT bytes. */
enum { NV_RESULT_TEXT = 256 };
const char *nv_result_text(const NvDriver *driver, int result, char *buffer);
/* Adds what `call` (name of an entry point) failed with; false, so that it can be returned. */
bool nv_failed(NvDriver *driver, int result, const char *call, DiagList *diags);
/* True where the result means another thing than that this call is at fault: a kernel failed before, or the process
 * was forked; that is then diagnosed. */
bool nv_failed_before(NvDriver *driver, int result, DiagList *diags);

/* params: of the arguments that the caller has, as for nv_launch. False: some map cannot be made. */
bool nv_arguments(const NvFunction *function, const uint32_t grid[3], void *const *params, NvArguments *out);

/* Bytes of an argument of CodegenResult.args; 0: of one that is not shown by value. */
unsigned nv_letter_bytes(char letter);
/* The record's number, to take it back when the launch did not take place. */
unsigned nv_recent_add(NvFunction *function, const uint32_t grid[3], NvStream stream, void *const *params);
void nv_recent_drop(NvDriver *driver, unsigned seq);
/* Launches of the context that are known to have ended; all_streams: of every stream. */
void nv_recent_done(NvDriver *driver, NvContext context, NvStream stream, bool all_streams);
void nv_recent_forget(NvDriver *driver, const NvFunction *function);
/* ", called with x_ptr = 0x7f.., n = 98"; "" without arguments. In the list's arena. */
const char *nv_args_text(const NvKernel *kernel, void *const *params, DiagList *diags);

/* Memory for a launch, and its launch: with the lock held. bytes > 0. *once: to be freed in the stream behind the
 * launch. */
NvPtr nv_scratch_get(NvFunction *function, size_t bytes, size_t align, NvStream stream, bool *once);
void nv_scratch_free(NvDriver *driver);

/* ---- loaded.c: what is loaded is bounded. With the lock, but begin, end and launch ---- */

void nv_loaded_init(NvDriver *driver);
/* Makes room before a function is loaded. True: it may be unloaded again. */
bool nv_loaded_place(NvFunction *function);
/* It is loaded: launch and handle are set. */
void nv_loaded_add(NvFunction *function, bool evictable);
void nv_loaded_remove(NvFunction *function);
/* Around a use of function->code, which is loaded then; a result of the driver's. */
int nv_loaded_begin(NvFunction *function);
void nv_loaded_end(NvFunction *function);
/* Within such a use, in front of a launch: launched into a graph it must stay, whatever becomes of
 * the launch; and behind it. */
void nv_loaded_launched(NvFunction *function, NvStream stream);
void nv_loaded_behind(NvFunction *function, NvStream stream);
/* cuLaunchKernel of a function that may be unloaded: `function` is the NvFunction. */
int nv_loaded_launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		     unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **params,
		     void **extra);

/* ---- marks.c: where launches of a function that may be unloaded are ---- */

typedef struct NvMarks NvMarks;

NvMarks *nv_marks_new(void); /* NULL: no memory */
void nv_marks_free(NvMarks *marks); /* the events are cleared, or gone; NULL is fine */
/* Behind a launch in the stream, which captures nothing. False: when that ends is not known. */
bool nv_marks_add(const NvDriver *driver, NvMarks *marks, NvStream stream);
/* All launches have ended. Nobody launches meanwhile, here and in what follows. */
bool nv_marks_done(const NvDriver *driver, const NvMarks *marks);
/* there: the context of the events is current; else it is gone, or of another process. */
void nv_marks_clear(const NvDriver *driver, NvMarks *marks, bool there);

/* ---- tools ---- */

typedef struct NvRun {
	const char *path;
	/* Ends with NULL; "@N", and "=@N" at an argument's end, stand for the path of file N. */
	const char *const *args;
	Str input;               /* file 0: what the tool reads */
	bool has_output;         /* file 1: what it writes */
	const char *suffix;      /* of file 0's name where files must lie on disk: ".ptx" */
	double timeout;          /* seconds; 0: none */
	bool asks;               /* also ends with this thread's work (base/stop.h) */
	const char *enough;      /* once it has said this, nothing else of it is wanted; NULL */
	NvBegun *begun;          /* goes on with the input, if it was begun as `what`; NULL */
	const char *what;
} NvRun;

typedef struct NvRan {
	int status;      /* exit status; 128 + signal when a signal ended it; -1: not known */
	int error;       /* errno of what failed before it ran; 0 */
	bool timed_out;
	bool enough;     /* it said what is enough: what it wrote, and its status, are not known */
	Str said;        /* its standard output and error; in the arena */
	void *output;    /* file 1; malloc */
	size_t output_len;
	const char *input_path; /* as the tool was given it */
} NvRan;

/* Runs a tool; nothing is left behind on any path. Raises nothing but memory faults, and what
 * ends the thread's work. */
void nv_run(Arena *arena, const NvRun *run, NvRan *ran);
/* Starts the tool as far as it comes without its input, which `run` has not yet. what: tells it
 * from others. NULL: it was not started. */
NvBegun *nv_run_begin(const NvRun *run, const char *what);
/* Several at the same time; returns when all have ended. */
enum { NV_MOST_RUNS = 2 };
void nv_run_all(Arena *arena, const NvRun *runs, NvRan *ran, size_t count);

/* The search of NvToolsOptions.ptxas; in the tools, which remember it until a file of it changes. NULL: none, and *tried (may be NULL)
 * says where. */
typedef struct NvTool NvTool;
/* A file that the program is made of. */
typedef struct NvPart {
	struct NvPart *next;
	char *path, *stamp, *hex; /* cache/stamp.h */
	bool settled;
} NvPart;

struct NvTool {
	NvTool *next;
	char *path, *version;
	unsigned release; /* 130 for 13.0; 0: it could not be asked */
	char *identity;   /* 16 digits, of its content */
	NvPart *parts;
};
const NvTool *nv_tool(NvTools *tools, const char *name, unsigned capability, Arena *arena, const char **tried);
/* Diagnoses a run that did not end, did not begin, or failed: with what it said. */
void nv_tool_failed(const NvTool *tool, double timeout, const NvRan *ran, DiagList *diags);
const NvToolsOptions *nv_tools_options(const NvTools *tools);
/* program.c. What the program says of its version, and its parts and identity in *tool; `ask` runs it. In the arena. */
typedef const char *NvAsk(const NvTool *tool, Arena *arena);
const char *nv_program_read(const NvToolsOptions *options, NvTool *tool, NvAsk *ask, Arena *arena);
/* Has each of its files the content that it had? Files whose stamps are as they were are not read. */
bool nv_program_unchanged(const NvToolsOptions *options, NvTool *tool, Arena *arena);
void nv_program_free(NvTool *tool);
bool nv_runs(const char *path);                           /* is it a program? */
const char *nv_in_path(const char *name, Arena *arena); /* the first of the name in PATH, or NULL */
/* Does a setting name the driver's compiler? */
bool nv_wants_driver(const NvTools *tools);
/* Does a setting say so (there may be no driver all the same), or is there no ptxas but a driver?
 * Otherwise *ptxas is the one, or NULL with what was tried. */
bool nv_uses_driver(NvTools *tools, const NvAssemble *how, Arena *arena, const NvTool **ptxas,
		    const char **tried);
/* Options from the tools or PTXAS_OPTIONS, as written. */
const char *nv_extra_options(const NvTools *tools);
bool nv_optimizes(const NvAssemble *how);

/* Fills the cubin's report and adds what the assembler said to diags. file: how it calls its input. True when
 * an error was among it. */
bool nv_report_read(Str said, Str ptx, const char *kernel, NvCubin *cubin, DiagList *diags);

/* Did ptxas put its products (wgmma) one after the other? It says so halfway. */
extern const char nv_serial_advice[];
bool nv_is_serial(const NvCubin *cubin);
/* The PTX with a wait behind each of them. */
Str nv_with_waits(Arena *arena, Str ptx);

/* The PTX with a limit of registers, where the cubin that was made of it leaves many unused and spills; else length 0. */
Str nv_with_more_registers(Arena *arena, Str ptx, const char *kernel, const NvCubin *cubin);
/* The PTX with a limit that leaves room for another CTA on an SM, where that is a few registers less
 * than the cubin has, which does not spill; else length 0. *lowered: that limit. */
Str nv_with_fewer_registers(Arena *arena, Str ptx, const NvAssemble *how, const NvCubin *cubin,
			    unsigned *lowered);
/* Is the cubin of that PTX (without its limit) better than the one before? It leaves room for more
 * CTAs, does not spill, and has few more instructions. */
bool nv_is_worth_its_step(const NvAssemble *how, Str ptx, const NvCubin *before, const NvCubin *now);

/* The PTX with the greatest limit that leaves room for as many CTAs, or three quarters of them,
 * where a thread waits for loads more than twice and no products set the pace; else length 0. */
Str nv_with_registers_for_loads(Arena *arena, Str ptx, const NvAssemble *how, const NvCubin *cubin,
				bool as_many);
/* Do more bytes come with each wait, and no spills? And with hardly fewer on their way to an SM? */
bool nv_waits_less(const NvCubin *before, const NvCubin *now);
bool nv_waits_less_on_sm(const NvAssemble *how, Str ptx, const NvCubin *before, const NvCubin *now);

/* Instructions of a cubin: its nth section of them; length 0: it has no more, or is no ELF file of
 * 64 bits. */
Str nv_code_of(const NvCubin *cubin, unsigned nth);

/* What a thread loads from global memory, loops once, and how often it waits for that (waits.c). */
typedef struct NvWaits {
	unsigned bytes, rounds;
} NvWaits;

NvWaits nv_waits_of(const NvCubin *cubin);

bool nv_link(Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags);

#endif
