/* Inside jit: what its files share. */
#ifndef NESO_JIT_INNER_H
#define NESO_JIT_INNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/option/option.h"
#include "codegen/codegen.h"
#include "jit/jit.h"

struct JitKernel {
	JitModule *module;
	FrontFunction *function; /* NULL: of a module of IR text */
	const FrontInfo *info;
	void *tag;
	JitVariant *variants; /* under the module's table_lock; newest first */
	uint32_t variant_count;
	uint32_t counted; /* variants when many were last looked at, all bits set when warned of; under table_lock */
	struct JitDispatchTable *_Atomic dispatch; /* find.c; replaced whole, under table_lock */
	JitDispatch *replaced;                     /* find.c; under table_lock */
	struct JitCalls *_Atomic calls; /* records.c; of variants that may go; replaced under table_lock */
	JitGone gone;                   /* under table_lock */
	struct JitDemotion *_Atomic demotions;     /* demote.c; added to under table_lock */
	_Atomic JitStrict no_compile;
	_Atomic uint64_t missed; /* launches that strict mode refused */
};

struct JitModule {
	Arena arena; /* holds this struct, the session and all it parses; used under front_lock */
	const JitHost *host;
	FrontSession *session;
	FrontModule *front;
	const char *path;
	bool has_products;     /* its text has dots, as far as can be seen at a glance */
	const Source *ir_text; /* of a module of IR text, which has no session; or NULL */
	SourceSet sources; /* as they were when the file was loaded: for messages without the lock */
	JitKernel *kernels;
	uint32_t kernel_count;
	pthread_mutex_t front_lock; /* session and arena; never taken while table_lock is held */
	pthread_mutex_t table_lock; /* variants of all kernels */
	pthread_cond_t table_changed;
	_Atomic bool dump_names_told;
};

typedef enum JitPart { SLOT_VALUE, SLOT_SHAPE, SLOT_STRIDE, SLOT_PAD, SLOT_NUMBER } JitPart;

/* What an argument of the TTIR function is made from. */
typedef struct JitSlot {
	uint32_t param;
	JitPart part;
	uint32_t axis;      /* SHAPE, STRIDE: of a descriptor */
	TlDtype dtype;      /* NUMBER: a demoted constexpr as this */
	IrTypeKind kind;    /* of the function's argument */
} JitSlot;

/* The type of a parameter in a variant. */
typedef struct JitParam {
	enum { JIT_PARAM_CONST, JIT_PARAM_SCALAR, JIT_PARAM_POINTER, JIT_PARAM_DESC, JIT_PARAM_NUMBER } kind;
	TlDtype dtype;         /* of the scalar, the elements, a demoted constexpr as it types alone */
	uint32_t divisibility; /* 0 or 1: nothing was concluded */
	const char *text;      /* as in the signature */
} JitParam;

/* What runs on a GPU. */
typedef struct JitGpu {
	Str ptx; /* in the variant's `work`; ptr NULL: it lies in the cache, or is made again */
	/* What the code generator gave, with the texts of all stages, as long as the variant is on its way into the cache; or NULL. */
	CodegenResult *code;
	const CodegenTable *table; /* of code */
	NvCubin cubin;
	NvKernel *kernel;
	const char *assembler; /* in the variant's arena */
	uint32_t threads, shared, cluster, scratch, scratch_align;
	const TensorMapPlan *maps; /* of the arguments that are tensor maps, behind those that slots are of */
	size_t map_count;
	const char *name, *args; /* of the function in the cubin; letters of CodegenResult.args */
	const char *cache;       /* JitVariantInfo.cache */
	bool assembler_changed;  /* while it ran: who made the cubin is not known */
	bool assembled_before;   /* the cubin was found by its PTX */
	double store_seconds;    /* that putting it into the cache took */
	char cache_key[65];      /* "": none */
} JitGpu;

/* Arguments that tell how many programs there are, along axis 0 or all three, where a CTA of the
 * kernel runs several (NESO_PERSIST); else 0. */
static inline size_t jit_gpu_program_counts(const JitGpu *gpu)
{
	const char *first = strchr(gpu->args, 'n');
	return first ? strspn(first, "n") : 0;
}

/* Arguments that slots are of: the launch makes the others. */
static inline size_t jit_gpu_slots(const JitGpu *gpu)
{
	return strlen(gpu->args) - gpu->map_count - jit_gpu_program_counts(gpu) - (gpu->scratch != 0);
}

/* A variant of a kernel. Immutable once ready. */
/* Where the IR after each pass goes while the variant is compiled (pass_dump.c). */
typedef struct JitPassDump {
	const char *folder; /* NULL: nobody wants it */
	unsigned count;     /* of files so far */
	DiagList *diags;
} JitPassDump;

struct JitVariant {
	JitKernel *kernel;
	JitVariant *next;
	Arena arena; /* holds this struct and what lives as long */
	Arena work;  /* the IR and PTX: of what is kept elsewhere they go once it is made (jit_drop_work) */
	JitPassDump pass_dump;
	const char *key;
	FrontArg *args; /* one per parameter */
	JitParam *params;
	JitOptions options;
	/* What alone changes later: was it launched, and how often the way that tells hosts. */
	_Atomic bool launched;
	_Atomic uint64_t launches;
	bool ready; /* false: its compilation is under way */
	bool kept;  /* the host's keeper has it, or will */
	/* records.c */
	bool passes;       /* it may be forgotten */
	bool counted;
	_Atomic uint32_t held; /* grows under table_lock, or where it is held already */
	_Atomic uint64_t used; /* a tick */
	JitDispatch *old_calls; /* under table_lock: that others took the place of */
	JitVariant *newer, *older; /* of the host's; under its lock */
	unsigned generation;       /* of the list that it is in; 0: none */
	/* programs.c */
	bool by_number; /* launches of few and of many programs have variants of their own */
	bool uneven;  /* programs take differently long */
	const JitVariant *_Atomic other; /* the one for many, or for few, once it is known */
	atomic_bool alone;               /* it is not to be had */
	bool missed; /* while it is made: it is not kept anywhere, and may not be compiled */
	FrontReads *reads; /* while it is made: what its key has of the sources (front_content); or NULL */
	const char *reason; /* why it was compiled */
	SourceSet sources; /* as they were when it was lowered */
	IrCx cx;
	IrModule *ir; /* as it left the passes; NULL: it is made again when it is asked for */
	JitSlot *slots;
	uint32_t slot_count;
	FrontNumbers numbers; /* the last slots: demoted constexprs */
	InterpKernel *interp; /* NULL of a GPU's */
	JitGpu *gpu;          /* NULL of the interpreter's and the simulator's */
	struct CodegenSim *sim; /* NULL of others */
	const TensorMapPlan *sim_maps; /* of sim, as JitGpu's */
	size_t sim_map_count;
	const char *sim_args; /* letters */
	double seconds[JIT_STEP__COUNT];
};

/* What the kernel is called in its code. */
static inline const char *jit_symbol(const JitVariant *variant)
{
	return variant->options.symbol ? variant->options.symbol : variant->kernel->info->name;
}

/* ---- arguments.c: which argument of a call goes where ---- */

/* Without looking at types. False after diagnosing. */
bool jit_match_args(Arena *arena, const JitKernel *kernel, const JitArg *args, uint32_t arg_count,
		    const JitArg **given, DiagList *diags);
/* A Python integer, float or bool literal; false when the text is something else. */
bool jit_literal(const char *text, JitArg *out);
/* Messages about a call: at the kernel's `def`, at a parameter. */
void jit_diag(DiagList *diags, const JitKernel *kernel, DiagCode code, ...);
void jit_diag_param(DiagList *diags, const JitKernel *kernel, const FrontParam *param, DiagCode code, ...);
/* " (did you mean 'x'?)" or "". */
const char *jit_nearest(Arena *arena, const char *name, const char *const *candidates, size_t count);

/* ---- control.c: what the source and its user say of single parameters ---- */

/* False after diagnosing what jit(specialize={...}) has wrong. */
bool jit_control_source(JitKernel *kernel, DiagList *diags);

/* ---- specialize.c, signature.c: what a call gives, per parameter ---- */

typedef struct JitBinding {
	FrontArg *args;       /* per parameter: type or constant */
	const JitArg **given; /* per parameter, literal defaults included; NULL: none */
	bool demotes;         /* some args are FRONT_DEMOTED: those that may be, until jit_get settles which are */
	bool launched; /* bound to values, from which 8 may have been concluded by itself */
	const char *key;
} JitBinding;

/* False after diagnosing. */
bool jit_bind(Arena *arena, const JitKernel *kernel, const JitArg *args, uint32_t arg_count, const JitOptions *options,
	      JitBinding *binding, DiagList *diags);
bool jit_bind_signature(Arena *arena, const JitKernel *kernel, const char *signature, const JitOptions *options,
			JitBinding *binding, DiagList *diags);
/* What one parameter is bound to that is given a value. */
FrontArg jit_bind_value(Arena *arena, const JitKernel *kernel, uint32_t param, const JitArg *value,
			const JitOptions *options, DiagList *diags);
FrontArg jit_bind_default(const FrontParam *param);
/* Splits at commas outside brackets and quotes; blanks around the parts are cut off. */
typedef VEC(Str) JitEntries;
void jit_split(Arena *arena, const char *text, JitEntries *out);
/* Is the text a type, hint apart? */
bool jit_is_type(Str text);
/* To be called when all args are there. */
void jit_binding_done(JitBinding *binding, uint32_t param_count);
TlDtype jit_dtype_of(Str short_name); /* "fp32", also "u1"; DT__COUNT when unknown */
JitParam jit_param_of(const FrontArg *arg);
const char *jit_dtype_text(TlDtype dtype); /* "fp32" */

/* ---- key.c: the key of a variant, as text ---- */

const char *jit_key(Arena *arena, const JitKernel *kernel, const FrontArg *args, const JitOptions *options);
/* Checks and completes: zeroes become the defaults. False after diagnosing. */
bool jit_options(const JitKernel *kernel, const JitOptions *given, JitOptions *out, DiagList *diags);

/* ---- demote.c: constexprs as arguments ---- */

/* FRONT_DEMOTED for a constexpr parameter that is given `arg`; false: it is no number. */
bool jit_demote(const JitArg *arg, const char *text, FrontArg *out);
/* The variants that may be the one of a binding: what it holds with the args as `set` has them, the others constants. */
void jit_settle(Arena *arena, const JitKernel *kernel, const JitBinding *binding, const JitSet *set,
		const JitOptions *options, JitBinding *out);
/* Sets that were settled on before; each once. */
typedef struct JitDemotion {
	struct JitDemotion *next;
	JitSet set, common; /* common: to this and the older ones */
} JitDemotion;
JitDemotion *jit_demotions(const JitKernel *kernel);
void jit_demotions_free(JitKernel *kernel);
/* Asks the front end which of them are numeric, and remembers it. */
JitSet jit_classify(JitKernel *kernel, const JitBinding *binding, const JitOptions *options, Arena *arena);
/* front_classify under the module's lock. */
void jit_front_classify(JitKernel *kernel, FrontArg *args, const JitOptions *options, Arena *arena, FrontClassed *classed,
			FrontFailure *failure, FrontReads *reads);
/* Do the values fit the arguments that the variant makes of them? Takes those that do not out of the set. */
bool jit_numbers_fit(const JitVariant *variant, const JitBinding *binding, JitSet *set);

/* ---- reason.c ---- */

/* The difference of a new variant to the nearest one that is ready, in a sentence: "n: divisible by 16 before, 1001 is not".
 * given: what the call gives per parameter, NULL where that is not known. */
const char *jit_reason(Arena *arena, const JitVariant *variant, const JitArg *const *given);
/* Of those that are ready, the one that differs in the fewest places, held; NULL: there is none. */
const JitVariant *jit_nearest_variant(const JitVariant *variant);
/* What ends that a run-time parameter multiplies variants. */
const char *jit_multiplier_advice(const FrontParam *param, bool is_pointer, Arena *arena);
/* Once per kernel, when it has more than 16: which parameter multiplies them, and what ends that. */
void jit_warn_variants(JitKernel *kernel, const JitVariant *variant, DiagList *diags);

/* ---- strict.c ---- */

/* What a launch's options, the kernel, the host and the environment say together: ON or OFF. */
JitStrict jit_launch_strict(const JitKernel *kernel, const JitOptions *options);
/* May the launch that asks for the variant compile it? */
bool jit_may_compile(const JitVariant *variant);
/* Says which, how it differs from the nearest that is ready, and what would declare it. */
void jit_strict_miss(const JitVariant *variant, DiagList *diags);

/* ---- variant.c ---- */

/* The variant that the binding asks for, compiled when it is not there. */
/* Who a launch asks is asked while it compiles, too. */
void jit_launch_asks(const JitLaunch *launch, JitOptions *options);
JitStatus jit_get(JitKernel *kernel, const JitBinding *binding, const JitOptions *options, const JitVariant **variant,
		  bool *compiled, DiagList *diags);

/* The same with descriptors as pointers. NULL after diagnosing; *status says as what. */
const JitVariant *jit_without_maps(const JitVariant *variant, JitStrict strict, JitStatus *status,
				   DiagList *diags);

/* Held; NULL: there is none that is ready. */
JitVariant *jit_find_ready(JitKernel *kernel, const char *key);

/* ---- programs.c: variants for few and for many programs ---- */

/* Does a launch of this grid ask for the variant for many, where nothing is compiled yet? */
bool jit_launches_many(const JitKernel *kernel, const JitOptions *options, const uint32_t grid[3]);
/* Is there, or may there be, another variant for the other launches? */
bool jit_has_counterpart(const JitVariant *variant);
/* The variant that a launch of this grid wants in its place, held; NULL: itself. */
const JitVariant *jit_counterpart(const JitVariant *variant, const uint32_t grid[3]);
/* A variant that is ready, for launches of the other kind, but right for both; held, or NULL. */
const JitVariant *jit_serves_both(JitKernel *kernel, const JitBinding *binding, const JitOptions *options,
				  Arena *arena);

/* ---- gpu.c: a variant for a GPU ---- */

/* What a target's name stands for: NULL for the interpreter. False after diagnosing. */
bool jit_target(const JitKernel *kernel, const char *name, const TargetGpu **gpu, bool *sim, DiagList *diags);
/* From TTIR in variant->ir to what is asked of the code generator, and what it gives; the caller fills in more. The text lies in `ttir`. */
struct CodegenRequest jit_gpu_request(const JitVariant *variant, Text *ttir);
/* A file that stands for what the compiler would make of a stage (override.c). */
enum { JIT_OVERRIDE_CUBIN = CODEGEN_STAGE__COUNT };
typedef struct JitOverride {
	bool given;
	int stage; /* a CodegenStage, or JIT_OVERRIDE_CUBIN */
	const char *path;
	Str text;
	/* How a cubin is launched, as PTX says it, of the JSON beside it; ptr NULL: not known. */
	Str facts;
} JitOverride;
/* The override of a variant; `given` is false where there is none. */
/* False after diagnosing that it cannot be had. */
bool jit_override_find(const JitVariant *variant, JitOverride *out, DiagList *diags);
/* What is asked goes on from it; of a stage before the cubin. */
void jit_override_apply(const JitOverride *override, struct CodegenRequest *request);
/* From the cache, or by jit_compile_ir and jit_gpu_compile. False after diagnosing. */
bool jit_gpu_make(JitVariant *variant, DiagList *diags);
/* From TTIR in variant->ir to a cubin; gpu->code stays, with the texts of all stages, when `keep`. False after diagnosing. */
bool jit_gpu_compile(JitVariant *variant, const JitOverride *override, bool keep, DiagList *diags);
void jit_gpu_drop_code(JitGpu *gpu);
/* gpu->kernel, from what else is in gpu. */
void jit_gpu_kernel(JitVariant *variant);
/* How the assembler is called. */
NvAssemble jit_gpu_assemble(const JitVariant *variant);
/* "ttgir", "llir", "ptx", "sass". */
JitStatus jit_gpu_text(const JitVariant *variant, const char *stage, Text *out, DiagList *diags);
/* TTIR to TTGIR with remarks, and the code generator's diagnostics; NULL after diagnosing, else the table frees it. */
struct CodegenResult;
struct CodegenTable;
struct CodegenResult *jit_gpu_remarks(const JitVariant *variant, const struct CodegenTable *table,
				      DiagList *diags);
void jit_gpu_free(JitGpu *gpu); /* NULL is fine */
/* gpu->cubin for the PTX: from the cache, or by the assembler. False after diagnosing. (cache.c) */
bool jit_cubin_get(JitVariant *variant, const NvAssemble *how, DiagList *diags);
/* A stage's text from the variant's entry in the cache; false: it is not there (any more). (cache.c) */
bool jit_stored_text(const JitVariant *variant, const char *stage, Text *out);

/* ---- sim.c: a variant for the simulator ---- */

bool jit_sim_compile(JitVariant *variant, DiagList *diags); /* false after diagnosing */
bool jit_sim_launch(const JitVariant *variant, const JitLaunch *launch, const InterpLaunch *run, DiagList *diags);
void jit_sim_free(struct CodegenSim *sim); /* NULL is fine */

/* ---- find.c ---- */

/* Remember a call by its key: whose variant is there, and a launch on a GPU that worked. They do
 * nothing when memory runs out: the call is found the slow way then. */
void jit_find_add(const JitVariant *variant, const JitKey *key);
void jit_find_add_launch(const JitVariant *variant, NvFunction *function, const JitLaunch *launch,
			 const JitArg *const *given, void *const *params);
void jit_find_free(JitKernel *kernel);

/* ---- records.c ---- */

/* May a variant that is to be made now be forgotten later? */
bool jit_passes(const JitKernel *kernel, const JitOptions *options);
/* It is ready, and none of the module's locks is held: room is made for it. */
void jit_records_add(JitVariant *variant);
/* The module ends, and with it its variants. */
void jit_records_leave(JitModule *module);
/* Those that may go, with the variant held. */
const JitDispatch *jit_find_passing(JitKernel *kernel, const uint64_t *key, size_t count, uint64_t hash);
/* With table_lock. False: there is one that is as good, or memory ran out. */
bool jit_publish_passing(JitKernel *kernel, JitDispatch *dispatch);
void jit_dispatch_free(JitDispatch *dispatch);
void jit_calls_free(JitKernel *kernel);
/* variant.c: frees it, and what it has. */
void jit_variant_free(JitVariant *variant);

/* ---- launch.c ---- */

bool jit_tell_launch(const JitVariant *variant, JitEvent event);

/* ---- module.c, ir_module.c ---- */

/* A module that `load` fills; it goes again, and NULL is given, where `load` diagnoses or raises. */
JitModule *jit_module_make(const JitHost *host, const char *path, const Str *text,
			   bool (*load)(JitModule *module, const Str *text, DiagList *diags), DiagList *diags);
/* What jit_lower gives for a kernel of IR text. */
IrModule *jit_ir_read(const JitVariant *variant, IrCx *cx, SourceSet *sources, DiagList *diags);
/* Takes over what the text says of its arguments. */
void jit_ir_hints(JitVariant *variant);

/* ---- compile.c ---- */

/* Fills cx, ir, slots and interp of a variant. False after diagnosing. */
bool jit_compile(JitVariant *variant, DiagList *diags);
/* Is the IR of this compilation to be shown before each pass (MLIR_ENABLE_DUMP)? */
bool jit_dumps_before(const JitVariant *variant);
/* Is what LLVM_IR_ENABLE_DUMP or NVPTX_ENABLE_DUMP shows to be shown? */
bool jit_dumps(const JitVariant *variant, OptionId setting);


/* ---- pass_dump.c: a file of the IR after each pass (NESO_DUMP) ---- */

bool jit_dumps_passes(const JitVariant *variant);
/* The kernel that MLIR_ENABLE_DUMP names; NULL: it says yes or no, or nothing. */
const char *jit_dump_name(void);
/* Of settings that name kernels to be dumped and match none of the module's: once a module. */
void jit_warn_dump_names(JitModule *module, DiagList *diags);
/* Chooses the variant's folder, by what the front end made of it. */
void jit_pass_dump_open(JitVariant *variant);
/* Writes a file; where that fails, a warning into variant->pass_dump.diags, and no more files. */
void jit_pass_dump(void *variant, const char *pass, CodegenStage stage, const char *text, size_t len);
/* NULL after diagnosing a name in NESO_SKIP_PASSES that is none of an optional pass; else the list, "" where there is none. */
const char *jit_skipped_passes(DiagList *diags);
/* Gives back the memory of the IR and the PTX. */
void jit_drop_work(JitVariant *variant);
/* The steps up to TTIR. */
bool jit_compile_ir(JitVariant *variant, DiagList *diags);
/* A variant from the cache with its TTIR, in an arena of its own: to be given back. NULL after diagnosing. */
JitVariant *jit_remake(const JitVariant *variant, DiagList *diags);
void jit_remade_free(JitVariant *variant);
/* TTIR as it leaves the front end, in an IrCx of the caller; *sources gets the files that locations may name. */
IrModule *jit_lower(const JitVariant *variant, IrCx *cx, SourceSet *sources, FrontNumbers *numbers, DiagList *diags);
FrontOptions jit_front_options(const JitOptions *options);
/* A copy that later additions do not touch. The caller holds the lock of `from`. */
void jit_copy_sources(Arena *arena, const SourceSet *from, SourceSet *to);

#endif
