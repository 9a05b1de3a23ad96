/* From a file to something that runs: modules, kernels, their variants, and launches. The calls
 * that drive a GPU directly (nv/nv.h) are shown with it.
 *
 * A JitModule is one file with its imports, parsed once. Each of its kernels has a table of
 * variants, keyed by argument types, specialisation, constexpr values and options. All functions
 * may be called from any thread on the same objects. Parsing and lowering of one module are
 * serialised; passes and launches are not.
 *
 * A fault that a function raises (fault.h) reaches the caller with all locks released. */
#ifndef NESO_JIT_JIT_H
#define NESO_JIT_JIT_H

#include "base/diag/remark.h"
#include "front/front.h"
#include "front/value.h"
#include "interp/interp.h"
#include "nv/nv.h"

struct CacheKey;
struct CacheStore;
struct CacheBackend;
struct JitLaunch;
struct JitRecords;

typedef struct JitModule JitModule;
typedef struct JitKernel JitKernel;
typedef struct JitVariant JitVariant;

/* STOPPED: compiling was ended by its limit, or by who was asked. MISS: a launch would compile, and
 * may not. */
typedef enum { JIT_OK, JIT_SOURCE, JIT_ARGUMENT, JIT_RUN, JIT_REFUSED, JIT_STOPPED, JIT_MISS } JitStatus;

typedef enum { JIT_COMPILE_BEGIN, JIT_COMPILE_END, JIT_LAUNCH_BEGIN, JIT_LAUNCH_END } JitEventKind;

typedef struct JitEvent {
	JitEventKind kind;
	const JitKernel *kernel;
	const JitVariant *variant; /* NULL before it is there */
	const char *key;
	const char *reason; /* of a compilation: why; NULL of a launch */
	const uint32_t *grid; /* of a launch */
	JitStatus status;     /* at the end */
	double seconds;       /* at the end */
} JitEvent;

/* The compile cache on disk, as its user sees it: which folder, and what is done with it, is asked of the environment each time
 * a variant is made, unless `dir` says it. Threads may share one. */
typedef struct JitCache JitCache;
JitCache *jit_cache_new(const char *dir); /* dir: NULL for the environment's; "": none; copied */
void jit_cache_free(JitCache *cache);     /* NULL is fine */
/* The store that the environment means now; NULL: none. What the environment has wrong is a warning. */
struct CacheStore *jit_cache_store(JitCache *cache, DiagList *diags);
/* A back end of the caller's as the remote cache, with the name that warnings call it, instead of what the environment says; without a back
 * end `name` is a server, as TRITON_REMOTE_CACHE_BACKEND has one; both NULL: what the environment says again. The one before is flushed
 * and closed. */
void jit_cache_set_remote(JitCache *cache, const struct CacheBackend *backend, const char *name, bool synchronous, Arena *arena);
/* Waits, for at most so long, until what is on its way to remote caches is there; how many values are left. Tells as warnings what the
 * stores could not do. */
size_t jit_cache_flush(JitCache *cache, double seconds, DiagList *diags);
/* For nv_tools_new: versions of programs, remembered in the cache. */
void jit_cache_tools(JitCache *cache, NvToolsOptions *options);

/* Who keeps variants in the cache's place. The functions must not raise. */
typedef enum { JIT_KEPT_VARIANT, JIT_KEPT_DUMP, JIT_KEPT_OVERRIDE } JitKept;
struct CacheSection;
typedef struct JitKeeper {
	bool (*active)(void *data); /* NULL: there is no keeper */
	/* Into the arena, at most `room`; how many. */
	size_t (*get)(void *data, JitKept what, const char *key, const char *kernel, Arena *arena, struct CacheSection *out, size_t room);
	void (*put)(void *data, JitKept what, const char *key, const char *kernel, const struct CacheSection *sections, size_t count);
} JitKeeper;

/* Whether constexpr parameters that are numeric (front_classify) are part of the variant. TIERED is
 * for callers, who choose for each launch; here it is GENERIC. */
typedef enum { JIT_POLICY_DEFAULT, JIT_POLICY_EAGER, JIT_POLICY_GENERIC, JIT_POLICY_TIERED } JitPolicy;

/* May a launch compile? ON: it may not. DEFAULT: as the kernel, the host, NESO_STRICT say. */
typedef enum { JIT_STRICT_DEFAULT, JIT_STRICT_ON, JIT_STRICT_OFF } JitStrict;

/* What a module is used with; set once, and must outlive it. The functions may be NULL. */
typedef struct JitHost {
	void *data;
	unsigned threads;      /* of a launch; 0: one per processor */
	InterpPool *(*pool)(void *data); /* the threads that launches share */
	NvDriver *driver; /* never NULL, like tools */
	NvTools *tools;
	JitCache *cache; /* NULL: none */
	struct JitRecords *records; /* which variants may be forgotten; NULL: none */
	JitKeeper keeper; /* for a variant that it is active for, the cache is neither read nor written */
	size_t compile_memory; /* bytes of one compilation, and of one module's syntax trees */
	bool dump_passes, verify_passes;
	JitPolicy policy; /* of options that name none; DEFAULT: EAGER */
	_Atomic JitStrict no_compile; /* likewise; may change */
	const char *const *search_paths; /* for imports, after the importing file's folder */
	uint32_t search_path_count;
	void (*print)(void *data, const char *text, size_t len); /* output of kernels; whole lines */
	void (*dump)(void *data, const char *text, size_t len);  /* IR after passes */
	void (*note)(void *data, const char *text, size_t len);  /* a line for each compilation: what, how long, why */
	/* FrontHost.find_name; what it gives lives in the arena. */
	bool (*find_name)(void *data, Arena *arena, const char *path, const char *function, const char *name,
			  FrontHostValue *value);
	void (*warn)(void *data, const char *text, size_t len);  /* what is worth saying before a call ends; NULL: it is among its diagnostics */
	bool (*event)(void *data, const JitEvent *event); /* false at a _BEGIN refuses */
	void (*launched)(void *data,
			 const JitVariant *variant); /* for the first time; NULL: nobody wants to know */
} JitHost;

/* ---- modules and kernels ---- */

/* text NULL: read from path. NULL after diagnosing. */
JitModule *jit_module_load(const JitHost *host, const char *path, const Str *text, DiagList *diags);
/* A module of IR text: its functions that are not private are the kernels. NULL after diagnosing. */
JitModule *jit_module_load_ir(const JitHost *host, const char *path, const Str *text, DiagList *diags);
void jit_module_free(JitModule *module);
const char *jit_module_path(const JitModule *module);
/* The jit functions of the file itself, in order of its text. */
uint32_t jit_module_kernels(const JitModule *module);
JitKernel *jit_module_kernel(const JitModule *module, uint32_t i);
/* NULL after diagnosing: unknown, or a function that is no kernel. */
JitKernel *jit_module_find(JitModule *module, const char *name, DiagList *diags);

const FrontInfo *jit_kernel_info(const JitKernel *kernel);
uint32_t jit_kernel_variants(const JitKernel *kernel);
uint64_t jit_kernel_missed(const JitKernel *kernel); /* launches that strict mode refused */
/* Of its variants that were forgotten (launch/records.c). */
typedef struct JitGone {
	uint32_t count, compiled, hits;
	uint64_t launches;
	double seconds; /* that compiling took */
} JitGone;
JitGone jit_kernel_gone(const JitKernel *kernel);
/* What the host keeps for a kernel: set once, before the kernel is shared. */
void jit_kernel_set_tag(JitKernel *kernel, void *tag);
void *jit_kernel_tag(const JitKernel *kernel);
/* What is concluded from the arguments for one parameter (bind/control.c), words with "," between:
 * never_one, always_one, div8, unaligned, a type. In addition to what the source says. JIT_ARGUMENT
 * after diagnosing: no such parameter, no such word, or the kernel has variants already. */
JitStatus jit_kernel_control(JitKernel *kernel, const char *param, const char *words, DiagList *diags);
/* Of launches whose options say nothing. */
void jit_kernel_set_strict(JitKernel *kernel, JitStrict strict);

/* ---- variants that may be forgotten (launch/records.c) ---- */

/* What a host has of them: beyond half of `most` they may go, the least recently used first, when
 * others come. NULL where there is no bound (0), or no memory. Outlives the modules. */
struct JitRecords *jit_records_new(uint64_t most);
void jit_records_free(struct JitRecords *records); /* NULL is fine */
/* A variant that a function gives is held, and stays until it is let go; NULL is fine. One that
 * nobody lets go lives as long as its module. Those of a fast look-up (JitDispatch) are held where
 * `passes` says so. */
void jit_hold(const JitVariant *variant);
void jit_let_go(const JitVariant *variant);
void jit_let_all_go(const JitVariant *const *variants, uint32_t count);

/* ---- arguments ---- */

typedef struct JitArg {
	const char *name; /* NULL: the first parameter that no earlier argument gave */
	enum { JIT_INT, JIT_FLOAT, JIT_BOOL, JIT_EXPR, JIT_POINTER, JIT_DESCRIPTOR } kind;
	TlDtype dtype;    /* of elements or of the scalar; DT__COUNT: by the value */
	int64_t i;        /* INT, BOOL */
	bool is_unsigned; /* INT: i holds a uint64 */
	double f;
	const char *expr; /* EXPR: a Python expression */
	/* POINTER, DESCRIPTOR */
	void *address, *buffer; /* buffer: where the memory begins */
	uint64_t bytes;
	bool writable, unwritten;
	uint32_t rank;
	const int64_t *shape, *strides, *block_shape;
	bool pad_nan;
} JitArg;

/* A double as a Python expression of exactly that value. */
const char *jit_float_text(Arena *arena, double value);

typedef struct JitOptions {
	uint32_t num_warps, num_stages, num_ctas, maxnreg; /* 0: the default, of maxnreg no limit */
	const char *target; /* NULL or "interp"; "cuda": the current context's GPU; "sm_90a", ...; "sim:sm_90a": simulated */
	bool debug, no_specialize, no_gpu_limits;
	bool no_overflow_checks; /* debug adds none */
	bool no_fp_fusion; /* products and sums are rounded one by one */
	bool no_reflect_ftz; /* libdevice is told that denormal numbers are kept */
	bool strict, wide_offsets; /* as the settings; jit_options asks these */
	bool no_line_info;
	bool cooperative; /* all CTAs of a launch run at the same time */
	bool dependent;   /* a launch may start while its predecessor ends */
	bool ptx_only;    /* of a GPU: no assembler is asked, and there is no cubin */
	uint32_t ptx_version; /* 83 for 8.3; 0: chosen */
	const char *dot_precision; /* NULL: the default */
	const char *override; /* a file with a stage, from which compilation goes on; NULL: none */
	/* Of the kernel in its code; NULL: its name. Tells no variants of a process apart. */
	const char *symbol;
	JitPolicy policy;
	const TargetGpu *gpu; /* jit_options fills it in; NULL: the interpreter */
	bool sim;             /* likewise: code for that GPU, run by the simulator */
	bool no_maps;         /* descriptors are pointers: for launches that cannot make tensor maps (jit_without_maps) */
	bool many;            /* for launches of more programs than the GPU has SMs (programs.c) */
	/* When compiling ends before it is done (base/stop.h). Of the call: no part of the key, and not kept. */
	double seconds; /* 0: as the setting says; less: no limit */
	bool (*ask)(void *data);
	void *ask_data;
	JitStrict no_compile; /* likewise; of launches alone */
} JitOptions;

/* Completes them as a call would have them; false after diagnosing. */
bool jit_complete_options(const JitKernel *kernel, JitOptions *options, DiagList *diags);

/* ---- compiling ---- */

/* For a signature in upstream's notation. *compiled (may be NULL): by this call. */
JitStatus jit_compile_signature(JitKernel *kernel, const char *signature, const JitOptions *options,
				const JitVariant **variant, bool *compiled, DiagList *diags);
/* For the arguments of a launch, without running it. */
JitStatus jit_compile_launch(JitKernel *kernel, const struct JitLaunch *launch, const JitOptions *options,
			     const JitVariant **variant, DiagList *diags);
/* A signature for a kernel that nobody has called yet: the one with which the front end comes
 * farthest, and then finds the fewest errors. */
JitStatus jit_guess_signature(JitKernel *kernel, const JitOptions *options, const char **guessed,
			      DiagList *diags);
/* Which constexprs are numeric for a signature; NULL: for one that is guessed from how the kernel uses its parameters
 * (*guessed: as it was tried). classed: per parameter, set for constexprs; of others numeric is false and reason NULL.
 * Texts are in the list's arena.
 * JIT_SOURCE after diagnosing that the kernel does not compile. */
JitStatus jit_classify_signature(JitKernel *kernel, const char *signature, const JitOptions *options,
				 const FrontClassed **classed, const char **guessed, DiagList *diags);
/* The rows of the cache's key of a variant for a GPU, which is not compiled; `key` is initialised here. JIT_ARGUMENT after
 * diagnosing, also when the target is no GPU; JIT_SOURCE: the sources do not say it, as they do not compile. */
JitStatus jit_signature_rows(JitKernel *kernel, const char *signature, const JitOptions *options, struct CacheKey *key,
			     DiagList *diags);
/* A hash of its sources and of what these read, whatever it is called with; in the arena. NULL: the
 * sources do not say it, as they do not compile. */
const char *jit_kernel_content(JitKernel *kernel, Arena *arena);
const char *jit_variant_key(const JitVariant *variant);
/* Are some of its kernel's constexprs arguments? */
bool jit_variant_demotes(const JitVariant *variant);
JitKernel *jit_variant_kernel(const JitVariant *variant);
/* Text at a stage into `out`: "source", "ttir-raw", "ttir"; of a GPU's variant also "ttgir", "llir", "ptx", "sass". */
JitStatus jit_variant_text(const JitVariant *variant, const char *stage, Text *out, DiagList *diags);

/* What was done with the kernel and why, for a GPU or the simulator; of a GPU also what the assembler said. */
JitStatus jit_variant_remarks(const JitVariant *variant, RemarkList *out, DiagList *diags);

/* Steps of a compilation. The GPU's are 0 for the interpreter. */
typedef enum { JIT_STEP_FRONT, JIT_STEP_TTIR, JIT_STEP_TTGIR, JIT_STEP_LLIR, JIT_STEP_PTX, JIT_STEP_CUBIN, JIT_STEP__COUNT } JitStep;
extern const char *const jit_step_names[JIT_STEP__COUNT];

typedef struct JitVariantInfo {
	const char *target; /* "interp", "sm_90a" */
	JitOptions options; /* complete */
	double seconds[JIT_STEP__COUNT]; /* also of one from the cache: when it was compiled */
	/* of a GPU's */
	const void *cubin;
	size_t cubin_len;
	uint32_t threads, shared, cluster, scratch;
	uint32_t registers, stack, spill_stores, spill_loads;
	const char *assembler, *log; /* who made the cubin, and what it said */
	const char *reason; /* why it was compiled */
	const char *cache;  /* "hit", "miss", "off"; NULL of others */
	const char *cache_key; /* 64 digits; NULL when there is none */
	double store_seconds;  /* that putting it there took */
	uint32_t maps;
	uint64_t launches; /* of a GPU, those that hosts were told of */
} JitVariantInfo;
void jit_variant_info(const JitVariant *variant, JitVariantInfo *info);

/* ---- launching ---- */

typedef struct JitLaunch {
	const JitArg *args;
	uint32_t arg_count;
	uint32_t grid[3];
	const InterpBuffer *buffers; /* besides those of the arguments */
	uint32_t buffer_count;
	unsigned threads; /* 0: as the host says */
	double timeout;
	bool (*poll)(void *data); /* InterpLaunch.poll; may be NULL */
	void *poll_data;
	void *stream; /* of a GPU: CUstream */
	bool check;   /* simulated: look for races and the like */
	uint32_t schedules; /* simulated, above 1: in so many orders of warps, compared */
	uint32_t watch;     /* simulated: SIM_WATCH */
	const void *whose;  /* simulated: a byte whose last writer is told */
	const struct JitKey *key; /* by which it is remembered; NULL: it is not */
} JitLaunch;

typedef struct JitResult {
	const JitVariant *variant; /* of jit_launch held, also when the launch failed; or NULL */
	bool compiled;
	double compile_seconds, run_seconds;
} JitResult;

/* Specialises, compiles when the variant is not there, and runs. */
JitStatus jit_launch(JitKernel *kernel, const JitLaunch *launch, const JitOptions *options, JitResult *result,
		     DiagList *diags);
JitStatus jit_launch_variant(const JitVariant *variant, const JitLaunch *launch, JitResult *result,
			     DiagList *diags);

/* ---- finding what a call asks for (find.c) ---- */

enum { JIT_FILL_INT, JIT_FILL_FLOAT, JIT_FILL_NUMBER, JIT_FILL_ADDRESS, JIT_FILL_SHAPE, JIT_FILL_STRIDE, JIT_FILL_PAD,
       JIT_FILL__COUNT };

/* How an argument of the GPU's function is made from the call's `arg`, for the caller. */
typedef struct JitFill {
	uint64_t bits;
	uint32_t slot; /* of the function's arguments */
	uint32_t arg;  /* of the call; UINT32_MAX: `bits` it is */
	uint8_t what;  /* JIT_FILL_... */
	uint8_t axis;
	uint8_t dtype; /* FLOAT, NUMBER: its TlDtype. NUMBER: a demoted constexpr, by jit_number_bits */
} JitFill;

/* How the caller's arguments lie in memory: bytes of each, and from its beginning to what a JIT_FILL_... is (of SHAPE and
 * STRIDE the first of the int64_t), or JIT_NO_PLACE where a value is made of it. */
#define JIT_NO_PLACE UINT32_MAX
typedef struct JitPlaces {
	uint32_t stride, of[JIT_FILL__COUNT];
} JitPlaces;

/* Parameters of a kernel, the first 256. */
enum { JIT_SET_MAX = 256 };
typedef struct JitSet {
	uint64_t words[JIT_SET_MAX / 64];
} JitSet;
static inline bool jit_set_has(const JitSet *set, uint32_t param)
{
	return param < JIT_SET_MAX && (set->words[param / 64] >> param % 64 & 1) != 0;
}

/* The bits of a call that decide which variant it asks for. The caller packs these as it likes;
 * calls with equal bits have the same kernel, parameters of their arguments, types, conclusions
 * (jit/rules.h), constants and options; and, where the target is a GPU, the same context. */
typedef struct JitKey {
	const uint64_t *words;
	size_t count;
	uint64_t hash;
	const JitSet *set;       /* whose values the key leaves out; NULL: none */
	const JitPlaces *places; /* of the caller's arguments; for launches on a GPU, as what follows */
	const uint64_t *rows;    /* the caller's own, kept with the key */
	size_t row_words;
} JitKey;

/* What was found out about calls with a key: their variant, and what a launch on a GPU needs once
 * one worked. Never changed; lives as long as the variant. */
typedef struct JitDispatch {
	NvDriver *driver;
	NvFunction *function; /* NULL: not launched so yet, and what follows of launches is not there */
	/* Where each argument of the function lies, in bytes from the call's first; JIT_NO_PLACE: it is made. Behind the words. */
	uint32_t *places;
	JitFill *made;
	uint32_t place_count, made_count;
	uint32_t key_count, row_words;
	bool has_events; /* jit_has_events */
	bool passes;     /* its variant may be forgotten, and is held for who found it */
	uint64_t hash;
	const JitVariant *variant;
	struct JitDispatch *next; /* find.c's and records.c's own */
	uint64_t words[]; /* the key, and JitKey.rows */
} JitDispatch;

/* The constexpr parameters that every variant made by JIT_POLICY_GENERIC so far takes as arguments; NULL: none was made. A key may
 * leave their values out but for what jit_number_class says, when it holds the set and JitKey.set says so. */
const JitSet *jit_kernel_demoted(const JitKernel *kernel);
/* The bits of a value as an argument of this dtype; of a number as a demoted constexpr (FrontNumber). */
uint64_t jit_float_bits(TlDtype dtype, double value);
uint64_t jit_number_bits(const JitArg *number, TlDtype dtype);

/* Allocates nothing, and takes no lock but for a variant that may be forgotten, which is held. */
const JitDispatch *jit_find(JitKernel *kernel, const uint64_t *key, size_t count, uint64_t hash);
/* What tells contexts apart in such a key: the calling thread's. 0: it has none; make: and there is no GPU to make one on. */
uint64_t jit_gpu_context(const JitKernel *kernel, bool make);
/* The same without making one, of a kernel that was launched. */
uint64_t jit_find_context(const JitDispatch *dispatch);

/* The same for callers with a table of their own. The variant's function in the current context; NULL after diagnosing:
 * no driver, or a GPU that cannot run it. */
NvFunction *jit_gpu_function(const JitVariant *variant, DiagList *diags);
/* To be called when a variant is about to be launched the way that a first launch goes. */
void jit_launched(const JitVariant *variant);
bool jit_was_launched(const JitVariant *variant);
/* Of a variant for launches of few programs the one for many, or the other way round: held,
 * compiled where it is not there; NULL: it has none, or after diagnosing. */
JitStatus jit_make_counterpart(const JitVariant *variant, const JitVariant **other, DiagList *diags);
/* Loads what a launch in the current context needs, and compiles what it falls back on. JIT_OK at
 * once for variants of the interpreter and the simulator. */
JitStatus jit_load(const JitVariant *variant, DiagList *diags);
/* Those that are ready, newest first; all are held. */
const JitVariant *const *jit_ready_variants(const JitKernel *kernel, Arena *arena, uint32_t *count);
/* The parameter or option that has the most values among a kernel's variants, and how many; NULL:
 * there are none. */
const char *jit_multiplier(const JitKernel *kernel, Arena *arena, uint32_t *values);
/* How many arguments it has, and how they are made; JitFill.arg is the parameter. */
uint32_t jit_gpu_arg_count(const JitVariant *variant);
JitFill jit_gpu_arg(const JitVariant *variant, uint32_t i);
/* Launches, or does what is left after nv_launch_plain gave `result` (NV_NOT_PLAIN: nothing was done yet). params: a
 * pointer to each argument, and room for one more. */
JitStatus jit_gpu_launch(const JitVariant *variant, NvFunction *function, int result, const JitLaunch *launch,
			 void **params, DiagList *diags);
bool jit_has_events(const JitVariant *variant);
/* Which ptxas makes cubins, and where it is: "13.0.88 at /usr/bin/ptxas"; NULL after diagnosing:
 * there is none. */
const char *jit_assembler_text(const JitHost *host, DiagList *diags);

/* ---- IR text ---- */

typedef struct JitIrOptions {
	const char *const *passes;
	uint32_t pass_count;
	const char *stop_after; /* without names: the pipeline, from the text's level until this pass */
	bool verify_each, stress, no_locations, no_verify;
	/* For passes of the code generator; NULL, 0: its defaults. */
	const char *target;
	uint32_t num_warps, num_ctas, num_stages;
} JitIrOptions;

/* Reads IR, runs passes, prints into `out`. Passes that are not here are asked of the code generator's library. */
JitStatus jit_ir_run(const JitHost *host, const char *path, Str text, const JitIrOptions *options, Text *out,
		     DiagList *diags);
/* An op as a walk shows it; JIT_IR_NONE: it is the module. What it points to lives as long as the callback runs. */
#define JIT_IR_NONE UINT32_MAX
typedef struct JitIrOp {
	const IrOp *op;
	uint32_t block, region, parent;
	Arena *arena;
} JitIrOp;
uint32_t jit_ir_region(const IrRegion *region); /* its number: that of its first block */
/* Reads IR, verifies it, and calls `each` for every op, those inside before. */
JitStatus jit_ir_walk(const JitHost *host, const char *path, Str text, void (*each)(void *data, const JitIrOp *op), void *data,
		      DiagList *diags);

/* Names and docs of the code generator's passes that are not in ir/passes.def; NULL past the end, or without the library. */
const char *jit_codegen_pass(size_t index, const char **doc, bool *optional);
/* CodegenTable.layout. */
JitStatus jit_layout_text(const char *layout, const char *to, const char *type, const char *target, Text *out,
			  DiagList *diags);

#endif
