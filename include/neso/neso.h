/* Neso: compiles and runs kernels written in the Triton tile language.
 *
 *	neso_context    options, callbacks, limits
 *	  neso_module   one source file and what it imports
 *	    neso_kernel   a @triton.jit function of it
 *	      neso_variant  the kernel compiled for one signature, one set of constants, one set of options
 *
 * A whole program, without its error handling:
 *
 *	neso_context *context;
 *	neso_module *module;
 *	neso_kernel *kernel;
 *	neso_context_new(NULL, &context, NULL);
 *	neso_module_load_file(context, "add.py", &module, NULL);
 *	neso_module_find(module, "add_kernel", &kernel, NULL);
 *	neso_arg args[] = {
 *		neso_arg_buffer("x_ptr", NESO_FP32, x, n * 4, NESO_READ),
 *		neso_arg_buffer("y_ptr", NESO_FP32, y, n * 4, NESO_READ),
 *		neso_arg_buffer("out_ptr", NESO_FP32, out, n * 4, NESO_READ_WRITE),
 *		neso_arg_int("n", n),
 *		neso_arg_int("BLOCK", 1024),
 *	};
 *	neso_launch launch = neso_launch_of(args, 5, (n + 1023) / 1024, 1, 1);
 *	neso_kernel_launch(kernel, &launch, NULL, NULL);
 *	neso_module_free(module);
 *	neso_context_free(context);
 *
 * Conventions
 *
 * Status and diagnostics. A function that can fail returns a neso_status and takes, last, a
 *	neso_diagnostics **: NULL, or where to put what was found in this call. *diagnostics is set to NULL when
 *	there is nothing to say; otherwise the caller frees it with neso_diagnostics_free. A call that succeeds may
 *	leave warnings there. Results are written only on success; on failure *out is set to NULL or 0.
 * Ownership. What a _new, _load or _text function gives is the caller's, to be freed with the function named
 *	there. Kernels belong to their module and variants to their kernel: they live until neso_module_free and
 *	are not freed. A context may be freed before its modules; it ends with the last of them. Texts passed in
 *	are copied; buffers of a launch are used in place.
 * Threads. Every function may be called from any thread at any time, on the same handles too, but for freeing
 *	a handle that another thread is using. Two launches that touch the same memory race as any two writers do.
 *	Callbacks are called on the thread that made the call, device_print output possibly on others.
 * The process. The library prints nothing, ends nothing, changes no signal handler, no locale and no working
 *	folder, and keeps no state outside its handles.
 * Structs whose first field is `size` may grow. The caller sets it to sizeof of the struct it was compiled with
 *	(the _of and _init functions do) and zeroes the rest; fields that an old caller does not know count as 0.
 * Units. Sizes are bytes, strides and shapes elements, times seconds, lines and columns count from 1 (columns in
 *	Unicode code points). Texts are UTF-8 and end with NUL.
 */
#ifndef NESO_NESO_H
#define NESO_NESO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NESO_API __attribute__((visibility("default")))
#else
#define NESO_API
#endif

/* Number of the binary interface: programs compiled for one number run with libraries of that number. */
#define NESO_ABI_VERSION 0
NESO_API uint32_t neso_abi_version(void);
/* "MAJOR.MINOR.PATCH" of the library. */
NESO_API const char *neso_version(void);

/* ---------------------------------------------------------------------------------------------- status */

typedef enum neso_status {
	NESO_OK = 0,
	NESO_ERROR_USAGE = 1,    /* this call is wrong: a NULL handle, a size that no version has, a bad option */
	NESO_ERROR_SOURCE = 2,   /* the kernel's source, the IR text or a file is at fault */
	NESO_ERROR_ARGUMENT = 3, /* an argument, a signature or a grid does not fit the kernel */
	NESO_ERROR_RUN = 4,      /* the launch failed: out of bounds, device_assert, deadlock, stopped */
	NESO_ERROR_REFUSED = 5,  /* a hook of the host said no */
	NESO_ERROR_MEMORY = 6,   /* no memory, or the limit of the context was reached */
	NESO_ERROR_INTERNAL = 7, /* a bug of Neso; the diagnostics say where */
	NESO_ERROR_STOPPED = 8,  /* compiling was ended, by its time limit or by the caller */
	NESO_ERROR_MISS = 9      /* a launch would compile, which strict mode forbids */
} neso_status;

/* "ok", "wrong use", ...; of any number. */
NESO_API const char *neso_status_text(neso_status status);

/* ----------------------------------------------------------------------------------------- diagnostics */

typedef struct neso_diagnostics neso_diagnostics;

typedef enum neso_severity { NESO_ERROR = 0, NESO_WARNING = 1, NESO_NOTE = 2 } neso_severity;

/* One finding. Owned by its neso_diagnostics; the library may append fields. */
typedef struct neso_diagnostic {
	neso_severity severity;
	const char *code;  /* stable name of the kind of finding: "UNKNOWN_NAME" */
	const char *text;  /* the message, one or more lines, no final full stop */
	const char *path;  /* NULL: of no file */
	uint32_t line, column;         /* first character; 0: of the file as a whole */
	uint32_t end_line, end_column; /* past the last */
	const char *source_line;       /* text of `line`, or NULL */
	size_t note_count;
	const struct neso_diagnostic *const *notes; /* severity NESO_NOTE */
} neso_diagnostic;

/* How many findings, of which how many errors. 0 for NULL. */
NESO_API size_t neso_diagnostics_count(const neso_diagnostics *diagnostics);
NESO_API size_t neso_diagnostics_errors(const neso_diagnostics *diagnostics);
/* The index-th, in the order found; NULL past the end. */
NESO_API const neso_diagnostic *neso_diagnostics_get(const neso_diagnostics *diagnostics, size_t index);
/* All of them as people read them: "path:line:col: error: text", the source line, a caret, the notes. "" for
 * NULL. Lives as long as the diagnostics. */
NESO_API const char *neso_diagnostics_text(const neso_diagnostics *diagnostics);
/* All of them as a JSON array, in one line. "[]" for NULL. Lives as long as the diagnostics. */
NESO_API const char *neso_diagnostics_json(const neso_diagnostics *diagnostics);
NESO_API void neso_diagnostics_free(neso_diagnostics *diagnostics); /* NULL is fine */

/* ---------------------------------------------------------------------------------------- element types */

typedef enum neso_dtype {
	NESO_DTYPE_NONE = 0,
	NESO_INT1, /* one byte per element in memory, 0 or 1 */
	NESO_INT8,
	NESO_INT16,
	NESO_INT32,
	NESO_INT64,
	NESO_UINT8,
	NESO_UINT16,
	NESO_UINT32,
	NESO_UINT64,
	NESO_FP8E5,    /* float8 e5m2 */
	NESO_FP8E4NV,  /* float8 e4m3, finite with NaN */
	NESO_FP8E4B8,  /* float8 e4m3, bias 8 */
	NESO_FP8E5B16, /* float8 e5m2, bias 16 */
	NESO_FP8E4B15, /* float8 e4m3, bias 15 */
	NESO_FP16,
	NESO_BF16,
	NESO_FP32,
	NESO_FP64
} neso_dtype;

/* The tile language's own name in signatures: "fp32", "i64", "fp8e4nv"; NULL for NONE and unknown numbers. */
NESO_API const char *neso_dtype_name(neso_dtype dtype);
/* By that name or by NumPy's and C's ("float32", "half", "bool", "uint8"); NESO_DTYPE_NONE when unknown. */
NESO_API neso_dtype neso_dtype_of(const char *name);
NESO_API size_t neso_dtype_size(neso_dtype dtype); /* bytes in memory */
/* Converts `count` elements as the tile language's `to` does: float to float rounds to nearest even, float to
 * integer truncates. Source and destination must not overlap unless they are the same with equal dtypes. */
NESO_API neso_status neso_dtype_convert(neso_dtype to, void *destination, neso_dtype from, const void *source,
					size_t count);

/* ---------------------------------------------------------------------------------------------- context */

typedef struct neso_context neso_context;
typedef struct neso_module neso_module;
typedef struct neso_kernel neso_kernel;
/* A variant that a function gives lives as long as its module, unless it is given back
 * (neso_variant_release): then, where there are many, it may be forgotten. One that a callback is
 * told of is there while that runs. */
typedef struct neso_variant neso_variant;

typedef enum neso_log_level {
	NESO_LOG_OUTPUT = 0,  /* what kernels print: device_print, static_print, print */
	NESO_LOG_WARNING = 1, /* of calls that took no diagnostics, and what is worth knowing while a call goes on */
	NESO_LOG_DUMP = 2,    /* IR after each pass, when asked for; with MLIR_ENABLE_DUMP in the environment before each */
	NESO_LOG_COMPILE = 3  /* a line for each compilation, when asked for: which variant, how long, why */
} neso_log_level;

/* Takes text that is complete in itself: whole lines, with their newlines. Calls never overlap. */
typedef void neso_log_fn(void *data, neso_log_level level, const char *text);

/* A value that the host gives for a name, a constexpr or a scalar. */
typedef enum neso_value_kind {
	NESO_VALUE_UNKNOWN = 0, /* a resolver: "I do not know it" */
	NESO_VALUE_NONE,        /* Python's None */
	NESO_VALUE_BOOL,        /* i */
	NESO_VALUE_INT,         /* i; of uint64 when is_unsigned */
	NESO_VALUE_FLOAT,       /* f */
	NESO_VALUE_STRING,      /* text */
	NESO_VALUE_DTYPE,       /* dtype */
	NESO_VALUE_TUPLE,       /* items, count */
	NESO_VALUE_EXPR,        /* text: a Python expression, evaluated among the module's names: "tl.float16" */
	NESO_VALUE_FUNCTION,    /* a function or class: its name in text, its file in path, that file's text in source.
	                           "\x1f..." behind a path tells texts of one file apart and is not shown */
	NESO_VALUE_NAMESPACE    /* something of the host's: its attributes are asked for as "text.attribute", path "" */
} neso_value_kind;

typedef struct neso_value {
	neso_value_kind kind;
	neso_dtype dtype;
	bool is_unsigned;
	int64_t i;
	double f;
	const char *text;
	const struct neso_value *items;
	size_t count;
	const char *path;
	const char *source; /* NULL: read from path */
} neso_value;

/* A name that the source uses and does not define: a global that host code sets, a closure variable, an import
 * that is no file. */
typedef struct neso_name_request {
	size_t size;
	const char *path;     /* the file */
	const char *function; /* in which it is used; "" at module level */
	const char *name;     /* "scale", or "package.module.name" for something imported */
} neso_name_request;
/* Fills *value (zeroed before) and returns true, or returns false. Constants count as tl.constexpr; an EXPR is taken as
 * it is written, and as in any file a kernel cannot read a plain number that is no tl.constexpr. What it points to is copied before the
 * resolver's next call. It must not use the module that asks. */
typedef bool neso_resolve_fn(void *data, const neso_name_request *request, neso_value *value);

/* Before and after a variant is compiled, and a grid is run. */
typedef enum neso_event_kind {
	NESO_EVENT_COMPILE_BEGIN,
	NESO_EVENT_COMPILE_END,
	NESO_EVENT_LAUNCH_BEGIN,
	NESO_EVENT_LAUNCH_END
} neso_event_kind;
typedef struct neso_event {
	size_t size;
	neso_event_kind kind;
	neso_kernel *kernel;
	neso_variant *variant; /* NULL before it is there */
	const char *key;       /* of the variant: signature, constants, options, as neso_variant_key gives it */
	uint32_t grid[3];      /* launches */
	neso_status status;    /* at the end */
	double seconds;        /* at the end */
	/* Of a compilation: why it is needed, as the difference to the nearest variant there is. "n: divisible by 16 before,
	 * 1001 is not", "BLOCK: 1024 before, now 2048; num_warps: 4 before, now 8", "first variant". */
	const char *reason;
} neso_event;
/* Returns false at a _BEGIN to refuse: the call ends with NESO_ERROR_REFUSED. Ignored at an _END. */
typedef bool neso_event_fn(void *data, const neso_event *event);

/* Device memory that kernels launched in `stream` may use from now until this launch ends; 0: there is none left;
 * NESO_SCRATCH_OWN: the library's own is to be used. */
#define NESO_SCRATCH_OWN UINT64_MAX
typedef uint64_t neso_scratch_fn(void *data, size_t bytes, size_t align, void *stream);

/* What becomes of a tl.constexpr parameter that is numeric: its value decides neither shapes nor types nor which code there
 * is. Results are the same. The default of a launch is the context's, of a context what NESO_CONSTEXPR_POLICY
 * says, else eager. */
typedef enum neso_constexpr_policy {
	NESO_POLICY_DEFAULT = 0,
	NESO_POLICY_EAGER,  /* part of the variant, as Triton has it: each value is compiled for */
	/* An argument of the launch: one variant for all values of a kind and size (int32, int64,
	 * fp32, ...). */
	NESO_POLICY_GENERIC,
	/* Likewise, until a value stays in use: then a variant for it is made in the background, and
	 * serves it if it is measured to be faster (neso/background.h). Elsewhere than in launches
	 * it is GENERIC. */
	NESO_POLICY_TIERED
} neso_constexpr_policy;

/* May a launch compile (neso/declare.h)? DEFAULT: a launch does as the kernel, this as the context,
 * this as NESO_STRICT says. */
typedef enum neso_strict { NESO_STRICT_DEFAULT = 0, NESO_STRICT_ON, NESO_STRICT_OFF } neso_strict;

/* A file under a key (compile cache, below). */
typedef struct neso_cache_file {
	const char *name;
	const void *bytes;
	size_t size;
} neso_cache_file;

/* Who keeps compiled kernels in the place of the compile cache on disk: a program's own cache, in memory, in files of its own layout or
 * on another machine. The library asks it for a variant for a GPU before it compiles one, and gives it what it compiled; its own
 * cache is then neither read nor written for that variant. TRITON_ALWAYS_COMPILE, TRITON_DISABLE_CACHE and TRITON_STORE_BINARY_ONLY mean
 * what they mean without. Functions are called from any thread that compiles, and several at once; texts and bytes that they are
 * given live as long as the call. */
typedef enum neso_kept {
	NESO_KEPT_VARIANT = 0, /* a variant */
	NESO_KEPT_DUMP,        /* its stages, for people to look at (TRITON_KERNEL_DUMP); put alone */
	NESO_KEPT_OVERRIDE     /* stages that replace those of the compiler (TRITON_KERNEL_OVERRIDE=1); got alone */
} neso_kept;
typedef struct neso_kept_request {
	size_t size;
	neso_kept what;
	const char *key;    /* 64 digits: a variant's key; of dumps and overrides a hash of the kernel's sources alone */
	const char *kernel; /* name of the kernel's function */
} neso_kept_request;
typedef struct neso_kept_answer neso_kept_answer;
typedef struct neso_keeper {
	size_t size;
	void *data;
	/* Does it keep what is compiled now? Asked for each variant; NULL: always. */
	bool (*active)(void *data);
	/* Calls neso_kept_give for what is there. Of a variant: its files as they were put, of which "facts", "cubin" and "digests" are needed, and
	 * "log" and "warnings" where there are such. Bytes that are not those that were put are noticed: it is compiled
	 * again, and put. Of overrides "ttir", "ttgir", "llir", "ptx", "cubin". */
	void (*get)(void *data, const neso_kept_request *request, neso_kept_answer *answer);
	/* Of a variant: "key" (its rows), "metadata" (JSON), "source", "ttir", "ttgir", "llir", "ptx" (with TRITON_STORE_BINARY_ONLY of these
	 * "source" alone), "cubin", "log", "warnings", "facts" (what a launch needs), "digests". Of a dump: "source" to "cubin", "sass",
	 * "json". */
	void (*put)(void *data, const neso_kept_request *request, const neso_cache_file *files, size_t count);
} neso_keeper;
/* To be called in neso_keeper.get alone; copies. More than 23 files are dropped. */
NESO_API void neso_kept_give(neso_kept_answer *answer, const char *name, const void *bytes, size_t size);

typedef struct neso_context_options {
	size_t size;
	uint32_t threads;      /* that a launch runs on; 0: NESO_THREADS, else one per processor */
	size_t compile_memory; /* bytes that one compilation may take; 0: 1 GiB */
	neso_log_fn *log;      /* NULL: dropped */
	void *log_data;
	neso_resolve_fn *resolve; /* NULL: unknown names are errors */
	void *resolve_data;
	neso_event_fn *event; /* NULL: none */
	void *event_data;
	const char *const *search_paths; /* folders for imports, after the importing file's own */
	size_t search_path_count;
	bool dump_passes;   /* IR after each pass to the log */
	bool verify_passes; /* verify after each pass, and print, read and compare: slow, finds our bugs */
	const char *libcuda; /* the driver's library; NULL: TRITON_LIBCUDA_PATH, then where the system has it */
	const char *ptxas;   /* the assembler; "driver": the driver's own; NULL: TRITON_PTXAS_PATH, then the usual places */
	neso_scratch_fn *scratch; /* global memory for kernels that need some; NULL: ours, one buffer for each stream */
	void *scratch_data;
	neso_constexpr_policy constexpr_policy;
	bool log_compiles; /* NESO_LOG_COMPILE lines; also with NESO_LOG_COMPILES=1 in the environment */
	const char *cache_dir; /* holds neso-1/, the compile cache; "": none; NULL: TRITON_CACHE_DIR, else .triton/cache in TRITON_HOME or the home folder */
	const neso_keeper *keeper; /* in the place of the compile cache; NULL: none. Copied */
	/* Folders of Python packages, with ":" between, where nvidia/cu13/bin/ptxas may lie; the one that libneso
	 * lies in is always looked at. */
	const char *packages;
	neso_strict strict;
	const char *record;  /* a file of declarations (neso_context_record); NULL: NESO_RECORD */
	const char *explain; /* a socket, made here; NULL: NESO_EXPLAIN */
	bool count_launches; /* also with NESO_COUNT_LAUNCHES=1 */
} neso_context_options;

/* The defaults, to be changed field by field. */
static inline void neso_context_options_init(neso_context_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}

/* options: NULL for the defaults. Free with neso_context_free. Diagnostics: variables of the environment that mean nothing, or
 * that have no value of their type. */
NESO_API neso_status neso_context_new(const neso_context_options *options, neso_context **context,
				      neso_diagnostics **diagnostics);
NESO_API void neso_context_free(neso_context *context); /* NULL is fine */

/* Facts about library and machine: "version", "build" (a hash of the sources that decide what is compiled), "abi", "targets", "simd", "threads", "stages", "dtypes"; and found out
 * when they are asked for, which takes a while: "passes", "codegen", "ptxas", "driver", "gpus" ("none: REASON" where there
 * is none). NULL for other names and past the end of the list. Lives as long as the context. */
NESO_API const char *neso_context_info(const neso_context *context, const char *name);
NESO_API const char *neso_context_info_name(const neso_context *context, size_t index);

/* What the environment can set. Texts live as long as the callback runs. */
typedef struct neso_setting {
	size_t size;
	const char *name;     /* group and name, as in Python's neso.knobs: "cache.dir" */
	const char *type;     /* "bool", "int", "size", "text", "path", "paths", "class", "choice" */
	const char *variable; /* of the environment */
	const char *other_variable; /* asked where the first is not set; NULL: there is none */
	const char *preset;   /* the value where no variable is set; NULL: none */
	const char *value;    /* now; NULL: none */
	const char *source;   /* the variable that it is from; NULL: it is the preset */
	bool in_key;          /* variants differ by it, in memory and in caches */
	bool used;            /* false: taken for the sake of programs that set it, without effect */
	bool python;          /* read by the Python package alone */
	const char *doc;      /* a sentence */
} neso_setting;
typedef void neso_setting_fn(void *data, const neso_setting *setting);
/* Calls `each` for every setting, in the order of their groups. */
NESO_API void neso_settings(neso_setting_fn *each, void *data);
/* Does a variable of this name mean something? Else *nearest (may be NULL) is the known name that it looks like, or NULL. */
NESO_API bool neso_setting_known(const char *variable, const char **nearest);

/* --------------------------------------------------------------------------------------------- modules */

/* Names in the text of a function, for hosts that hand over functions and want to know which of their globals these read. */
typedef enum neso_name_group {
	NESO_NAMES_BOUND,    /* parameters and what is assigned to, of inner functions and comprehensions too */
	NESO_NAMES_EARLY,    /* those of BOUND that the body reads, in the order of the text, before they are assigned to */
	NESO_NAMES_BODY,     /* with the attributes asked of them: "x", "tl.float16" */
	NESO_NAMES_HEAD,     /* the same of decorators, annotations and defaults */
	NESO_NAMES_DEFAULTS, /* those of HEAD that defaults have */
} neso_name_group;
/* `name` lives as long as the call. */
typedef void neso_name_fn(void *data, neso_name_group group, const char *name);
/* Calls `each` for the names of the function with which the text begins, group by group in the order of the text; names of BOUND and EARLY may repeat.
 * Nothing is evaluated. NESO_ERROR_SOURCE, without a diagnostic, when the text begins with no function or has what kernels cannot have. */
NESO_API neso_status neso_names(const char *text, size_t len, neso_name_fn *each, void *data);

/* Reads a Python file and finds its kernels. Functions that no kernel reaches may hold anything. Other files it
 * imports are read when a kernel needs them. Free with neso_module_free. */
NESO_API neso_status neso_module_load_file(neso_context *context, const char *path, neso_module **module,
					   neso_diagnostics **diagnostics);
/* The same from text of `length` bytes; path is used in messages and to find what it imports. */
NESO_API neso_status neso_module_load_text(neso_context *context, const char *path, const char *text, size_t length,
					   neso_module **module, neso_diagnostics **diagnostics);
/* The same from IR text (TTIR in MLIR's syntax, as neso_variant_text gives it): its functions that are not private are
 * the kernels. Their parameters are those of the function but for the shape and strides behind a descriptor, named
 * by the locations, and take what has the type; nothing is a constant. */
NESO_API neso_status neso_module_load_ir(neso_context *context, const char *path, const char *text, size_t length,
					 neso_module **module, neso_diagnostics **diagnostics);
NESO_API void neso_module_free(neso_module *module); /* NULL is fine */
NESO_API const char *neso_module_path(const neso_module *module);

NESO_API size_t neso_module_kernel_count(const neso_module *module);
/* The functions decorated with jit, in the order of the source; NULL past the end. */
NESO_API neso_kernel *neso_module_kernel(const neso_module *module, size_t index);
/* By name. Not there, or there and no kernel: NESO_ERROR_ARGUMENT, and the diagnostic names the nearest. */
NESO_API neso_status neso_module_find(neso_module *module, const char *name, neso_kernel **kernel,
				      neso_diagnostics **diagnostics);

/* --------------------------------------------------------------------------------------------- kernels */

/* Texts live as long as the module. */
typedef struct neso_kernel_info {
	size_t size;
	const char *name;
	const char *path;
	uint32_t line;   /* of its `def` */
	const char *doc; /* docstring, or "" */
	size_t parameter_count;
	size_t decorator_count;
	bool is_helper; /* it is called or returns a value, and no decorator marks it as an entry */
	bool is_called; /* another function of the file calls it */
} neso_kernel_info;

typedef struct neso_parameter {
	size_t size;
	const char *name;
	const char *annotation;    /* source text, or NULL */
	const char *default_value; /* source text, or NULL: the caller must give it */
	bool is_constexpr;
	bool no_specialize; /* named by do_not_specialize */
	bool no_alignment;  /* named by do_not_specialize_on_alignment, or "unaligned" */
	bool never_one, always_one, div8; /* neso_kernel_control */
	const char *dtype; /* that it has whatever is given: "i64"; or NULL */
	bool div8_int;     /* it strides or bounds tiles: divisibility by 8 counts of integers */
} neso_parameter;

/* Set info->size before. */
NESO_API neso_status neso_kernel_get_info(const neso_kernel *kernel, neso_kernel_info *info);
/* Set parameter->size before. NESO_ERROR_USAGE past the end. */
NESO_API neso_status neso_kernel_get_parameter(const neso_kernel *kernel, size_t index, neso_parameter *parameter);
/* Source text without the "@", top one first; NULL past the end. */
NESO_API const char *neso_kernel_decorator(const neso_kernel *kernel, size_t index);
NESO_API neso_module *neso_kernel_module(const neso_kernel *kernel);

/* ------------------------------------------------------------------------------------------- arguments */

typedef enum neso_arg_kind {
	NESO_ARG_VALUE = 0,  /* value: a scalar, None, or the value of a constexpr, as the parameter wants */
	NESO_ARG_POINTER,    /* address, into a buffer */
	NESO_ARG_DESCRIPTOR  /* a tensor descriptor made by the host */
} neso_arg_kind;

/* UNWRITTEN: as READ_WRITE; checks take what it holds as not defined until it is written.
 * AMBIENT, a bit beside READ or READ_WRITE, for neso_buffer alone: memory of which the kernel may
 * reach a part and others use the rest, as the mappings of a process. It may be gone, at the launch
 * or later, as long as the kernel does not go there; what an argument declares of it counts as the
 * argument's; no launch saves or restores it, so that one that may write it has one schedule. */
typedef enum neso_access {
	NESO_READ = 1,
	NESO_READ_WRITE = 3,
	NESO_UNWRITTEN = 7,
	NESO_AMBIENT = 8
} neso_access;

enum { NESO_MAX_RANK = 5 }; /* of descriptors */

/* One argument. Arrays of it have elements of launch.arg_size bytes. */
typedef struct neso_arg {
	const char *name; /* of the parameter; NULL: the first parameter that no earlier argument gave */
	neso_arg_kind kind;
	neso_dtype dtype; /* POINTER, DESCRIPTOR: of the elements. VALUE: of a scalar; NONE: int gives i32, i64 or
	                     u64 by its size, float fp32, bool i1; what the annotation says goes before all */
	void *address;    /* POINTER, DESCRIPTOR: what the kernel gets; on a GPU the caller's CUdeviceptr */
	neso_value value; /* VALUE */
	/* POINTER, DESCRIPTOR: every access through it must lie in [buffer, buffer + bytes). */
	void *buffer;       /* where the memory begins; NULL: at address */
	size_t bytes;       /* of the memory, from buffer */
	neso_access access; /* writes to NESO_READ memory are errors */
	/* DESCRIPTOR */
	uint32_t rank;
	int64_t shape[NESO_MAX_RANK], strides[NESO_MAX_RANK]; /* elements; the last stride is 1 */
	int64_t block_shape[NESO_MAX_RANK];
	bool pad_nan; /* what reads out of bounds give: NaN; otherwise 0 */
} neso_arg;

/* Memory that kernels reach by pointers that they load or compute, and not by an argument. */
typedef struct neso_buffer {
	void *address;
	size_t bytes;
	neso_access access;
} neso_buffer;

/* Asked during a launch and during compiling, about every 50 ms, on the thread of the call, which must not be made longer
 * by it. Returns false to stop: a launch that runs then ends with NESO_ERROR_RUN and a finding that says where it was,
 * one that compiles with NESO_ERROR_STOPPED. */
typedef bool neso_poll_fn(void *data);

/* How to compile. Zeroes give the defaults: 4 warps, 3 stages, 1 CTA. They are part of a variant's key. */
typedef struct neso_compile_options {
	size_t size;
	uint32_t num_warps;  /* a power of two */
	uint32_t num_stages;
	uint32_t num_ctas;
	uint32_t maxnreg;     /* 0: no limit */
	const char *target;   /* NULL, "interp": the CPU; "cuda": the calling thread's GPU; or a GPU's kind: "sm_90a"; "sim:sm_90a": its code, simulated on the CPU */
	bool debug;           /* device_assert and checks for overflows of integers are compiled in */
	bool no_specialize;   /* nothing is concluded from values: no divisibility, no constant 1 */
	bool no_gpu_limits;   /* what only GPUs cannot do is allowed: dot() of few columns */
	const char *dot_precision; /* of dot() that names none: "ieee", "tf32", "tf32x3", ...; NULL: "tf32" */
	/* GPUs only */
	bool no_fp_fusion;     /* products and sums are rounded one by one */
	bool no_line_info;
	uint32_t ptx_version;  /* 83 for 8.3; 0: what the target needs */
	bool cooperative;      /* all programs of a launch run at the same time, or it fails */
	bool dependent_launch; /* may start while its predecessor in the stream ends */
	neso_constexpr_policy constexpr_policy;
	/* To PTX: no assembler is needed nor waited for. The variant has texts, and no cubin, registers or log.
	 * Launches take no notice. */
	bool ptx_only;
	/* Of the call, and no part of the key. Seconds that compiling may take, with the assembler; 0: NESO_COMPILE_TIMEOUT
	 * (600 without it); less: no limit. Then, and when poll says so, the call ends with NESO_ERROR_STOPPED and leaves
	 * nothing behind. LLVM's own steps are seen through. */
	double compile_timeout;
	neso_poll_fn *poll; /* NULL: that of the launch, or none */
	void *poll_data;
	bool no_overflow_checks; /* debug is for device_assert alone */
	/* What the kernel is called in its code, for profilers: letters, digits, '_', '$'; NULL:
	 * its name. The call that compiles a variant names it; no variants are told apart by it. */
	const char *symbol;
	/* A file with a stage of this kernel, as TRITON_KERNEL_OVERRIDE takes it: NAME.ttir,
	 * .ttgir, .llir, .ptx, .cubin. It is read when the variant is compiled; NULL: none. */
	const char *override;
	bool no_reflect_ftz; /* libdevice keeps denormal numbers of fp32, where it asks */
	/* On, or as NESO_STRICT_TRITON and NESO_WIDE_OFFSETS say. */
	bool strict_triton, wide_offsets;
	neso_strict strict; /* of this launch; no part of the key */
	/* Tiles and descriptors are loaded through pointers: for launchers other than Neso's,
	 * which pass a kernel its arguments and no tensor maps made of them. */
	bool no_tensor_maps;
} neso_compile_options;

/* The defaults, likewise. */
static inline void neso_compile_options_init(neso_compile_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}

/* What a checked launch tells besides, a bit each, as warnings: where NaN and infinities arise;
 * lines that never ran, and branches and masks that were never true or never false; accesses that
 * take more sectors of global memory, or wavefronts of shared memory, than their bytes would. */
typedef enum neso_watch { NESO_WATCH_NAN = 1, NESO_WATCH_COVERAGE = 2, NESO_WATCH_TRAFFIC = 4 } neso_watch;

typedef struct neso_launch {
	size_t size;
	const neso_arg *args;
	size_t arg_count;
	size_t arg_size;   /* sizeof(neso_arg) */
	uint32_t grid[3];  /* programs per axis; 0 anywhere: nothing runs */
	const neso_compile_options *options; /* NULL: defaults */
	const neso_buffer *buffers;          /* besides those of the arguments */
	size_t buffer_count;
	uint32_t threads; /* 0, and at most: as the context says */
	double timeout;   /* seconds after which the launch ends with an error; 0: none. Not on GPUs */
	neso_poll_fn *poll; /* NULL: none */
	void *poll_data;
	void *stream;     /* on a GPU: the caller's CUstream, of the current context; NULL: the default stream */
	bool check;       /* in the simulator: look for races, reads of unwritten shared memory, missing waits */
	uint32_t schedules; /* in the simulator, above 1: checks, in so many orders of warps, whose results are compared */
	uint32_t watch;     /* in the simulator: checks, and a neso_watch of what is told besides */
	const void *whose;  /* in the simulator: checks, and a note on who wrote this byte last; NULL: none */
} neso_launch;

/* What a launch did. */
typedef struct neso_launch_result {
	size_t size;
	neso_variant *variant;
	bool compiled;          /* by this call */
	double compile_seconds; /* 0 when it was there */
	double run_seconds;     /* 0 on a GPU, where the launch is only under way */
} neso_launch_result;

/* Ready to be filled in by a launch. */
static inline void neso_launch_result_init(neso_launch_result *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}

static inline neso_value neso_value_int(int64_t i)
{
	neso_value v;
	memset(&v, 0, sizeof v);
	v.kind = NESO_VALUE_INT;
	v.i = i;
	return v;
}

static inline neso_value neso_value_float(double f)
{
	neso_value v;
	memset(&v, 0, sizeof v);
	v.kind = NESO_VALUE_FLOAT;
	v.f = f;
	return v;
}

/* A Python expression: "None", "True", "'relu'", "tl.float16", "(1, 2)", the name of a jit function. */
static inline neso_value neso_value_expr(const char *text)
{
	neso_value v;
	memset(&v, 0, sizeof v);
	v.kind = NESO_VALUE_EXPR;
	v.text = text;
	return v;
}

static inline neso_arg neso_arg_value(const char *name, neso_value value)
{
	neso_arg a;
	memset(&a, 0, sizeof a);
	a.name = name;
	a.value = value;
	return a;
}

static inline neso_arg neso_arg_int(const char *name, int64_t i)
{
	return neso_arg_value(name, neso_value_int(i));
}

static inline neso_arg neso_arg_float(const char *name, double f)
{
	return neso_arg_value(name, neso_value_float(f));
}

static inline neso_arg neso_arg_expr(const char *name, const char *text)
{
	return neso_arg_value(name, neso_value_expr(text));
}

static inline neso_arg neso_arg_buffer(const char *name, neso_dtype dtype, const void *address, size_t bytes,
				       neso_access access)
{
	neso_arg a;
	memset(&a, 0, sizeof a);
	a.name = name;
	a.kind = NESO_ARG_POINTER;
	a.dtype = dtype;
	memcpy(&a.address, &address, sizeof address);
	a.bytes = bytes;
	a.access = access;
	return a;
}

static inline neso_launch neso_launch_of(const neso_arg *args, size_t arg_count, uint32_t x, uint32_t y, uint32_t z)
{
	neso_launch l;
	memset(&l, 0, sizeof l);
	l.size = sizeof l;
	l.args = args;
	l.arg_count = arg_count;
	l.arg_size = sizeof *args;
	l.grid[0] = x;
	l.grid[1] = y;
	l.grid[2] = z;
	return l;
}

/* ------------------------------------------------------------------------------------ compile and launch */

/* Compiles for a signature in upstream's notation, one entry per parameter in their order, separated by commas:
 *	*fp32  *fp32:16  i32  i32:16  u64  fp32  i1      types; ":16": divisible by 16; "i32:1": the constant 1
 *	1024  0.5  True  None  'relu'  tl.float16 (1, 2) constants, as Python expressions
 *	tensordesc<fp16[64, 32]>                         a host's tensor descriptor with its block shape
 * Trailing parameters that have a default may be left out. The variant is made once and then found again. */
NESO_API neso_status neso_kernel_compile(neso_kernel *kernel, const char *signature,
					 const neso_compile_options *options, neso_variant **variant,
					 neso_diagnostics **diagnostics);
/* What a tl.constexpr parameter is (neso_constexpr_policy). Texts live as long as the callback runs. */
typedef struct neso_constexpr {
	size_t size;
	size_t parameter;
	bool numeric;
	const char *path; /* of a structural one: the place that decides; NULL: none */
	uint32_t line, column;
	const char *reason;    /* as a clause: "it decides which code there is"; NULL of a numeric one */
	const char *signature; /* that it holds for */
} neso_constexpr;
typedef void neso_constexpr_fn(void *data, const neso_constexpr *found);
/* Calls `each` for each constexpr parameter in order. What is structural can depend on types and on other constants, so it holds
 * for a signature (as for neso_kernel_compile); NULL: for one that is guessed from how the kernel uses its parameters. */
NESO_API neso_status neso_kernel_classify(neso_kernel *kernel, const char *signature,
					  const neso_compile_options *options, neso_constexpr_fn *each, void *data,
					  neso_diagnostics **diagnostics);
/* A signature for a kernel that nobody has called yet, to look for mistakes with: from
 * annotations and defaults, and for what these leave open the types and values with which most
 * of the kernel compiles. Free with neso_text_free. */
NESO_API neso_status neso_kernel_guess_signature(neso_kernel *kernel, const neso_compile_options *options,
						 char **signature, neso_diagnostics **diagnostics);
/* Compiles for the arguments that a launch would have, without running it; buffers may have NULL addresses. */
NESO_API neso_status neso_kernel_compile_for(neso_kernel *kernel, const neso_launch *launch, neso_variant **variant,
					     neso_diagnostics **diagnostics);
/* The same, for callers that ask before each launch: the variant, where such a call asked for it
 * before. NULL: it did not, or is of a kind that is not looked up, and neso_kernel_compile_for
 * tells. Allocates nothing, and takes no lock but for a variant that may be forgotten. */
NESO_API neso_variant *neso_kernel_find(const neso_kernel *kernel, const neso_launch *launch);
/* Processes that meet ever new values forget variants: beyond half of NESO_MAX_VARIANTS the least
 * recently used, if the cache has them, and no caller. Each variant that a function gave, each time
 * that one did, is one that the caller has until it is released; held: has once more. Both may be
 * left alone. NULL is fine. */
NESO_API void neso_variant_hold(neso_variant *variant);
NESO_API void neso_variant_release(neso_variant *variant);
/* Runs every program of the grid and returns when all are done; on a GPU, when the launch is in its stream, in the context
 * that is current in the calling thread (without one, the primary context of device 0 is made current). result may be NULL; set result->size before. On
 * NESO_ERROR_RUN the buffers hold what was written before. */
NESO_API neso_status neso_kernel_launch(neso_kernel *kernel, const neso_launch *launch, neso_launch_result *result,
					neso_diagnostics **diagnostics);
/* The same with a variant that was compiled before: the arguments must fit it (NESO_ERROR_ARGUMENT otherwise);
 * those for its constants may be left out. launch->options is not looked at. */
NESO_API neso_status neso_variant_launch(neso_variant *variant, const neso_launch *launch,
					 neso_launch_result *result, neso_diagnostics **diagnostics);

/* Launching by bare values, at the driver's cost: for callers (bindings of other languages) that have a table of their
 * own from what a call looks like to the variant it needs. A neso_ready is a variant for a GPU, loaded into one context.
 * How a call maps to a variant is neso_kernel_compile_for's to say: calls whose arguments have the same types, the same
 * constants, the same divisibility by 16 and the same being 1, with the same options, get the same variant. */
typedef struct neso_ready neso_ready;

typedef enum neso_part { NESO_PART_VALUE, NESO_PART_SHAPE, NESO_PART_STRIDE, NESO_PART_PAD } neso_part;

/* One value that the GPU's function takes. */
typedef struct neso_slot {
	uint32_t parameter; /* of the kernel */
	neso_part part;     /* what of its argument: SHAPE, STRIDE and PAD are those of a descriptor */
	uint32_t axis;      /* SHAPE, STRIDE: int64 */
	neso_dtype dtype;   /* VALUE: of a scalar; NONE: an address. PAD: a byte, 1 for NaN */
} neso_slot;

/* Under NESO_POLICY_GENERIC calls that differ in the values of these constexpr parameters alone, and not in their
 * neso_number_class, get one variant, as long as the set is the same: four words, a bit for each of the first 256
 * parameters. NULL: there are none, or not yet, or the policy (DEFAULT: the context's) is another. The slots of such a
 * parameter are NESO_PART_VALUE. */
NESO_API const uint64_t *neso_kernel_demoted(const neso_kernel *kernel, neso_constexpr_policy policy);
NESO_API uint64_t neso_number_class(const neso_value *value); /* of a BOOL, an INT or a FLOAT */
/* For the current context (as neso_kernel_launch). Free with neso_ready_free, before the module goes. */
NESO_API neso_status neso_variant_ready(neso_variant *variant, neso_ready **ready, neso_diagnostics **diagnostics);
NESO_API void neso_ready_free(neso_ready *ready); /* NULL is fine */
NESO_API const neso_slot *neso_ready_slots(const neso_ready *ready, size_t *count);
/* values: a pointer to each slot's value, little-endian and at least as wide as its type; and room for one more. The
 * context must be current in which it was made ready: neso_gpu_context tells. Nothing is checked of the values. */
NESO_API neso_status neso_ready_launch(const neso_ready *ready, const uint32_t grid[3], void *stream, void **values,
				       neso_diagnostics **diagnostics);

/* Text of a stage: "ttir" (what leaves the TTIR passes), "ttir-raw" (what enters them), "source"; of a variant for a
 * GPU also "ttgir", "llir", "ptx" and "sass" (needs nvdisasm), and "facts": what a launch needs besides the cubin, as a
 * neso_keeper is given it. Free with neso_text_free. */
NESO_API neso_status neso_variant_text(const neso_variant *variant, const char *stage, char **text,
				       neso_diagnostics **diagnostics);
/* Bytes of a stage that is no text: "cubin". Lives as long as the module; NULL and 0 when it has none. */
NESO_API const void *neso_variant_binary(const neso_variant *variant, const char *stage, size_t *size);

enum { NESO_STEPS = 6 }; /* of a compilation: front end, TTIR passes, TTGIR, LLIR, PTX, cubin */

/* How a variant was made, and what it needs. Texts live as long as the module. */
typedef struct neso_variant_info {
	size_t size;
	const char *target; /* "interp", "sm_90a" */
	uint32_t num_warps, num_stages, num_ctas, maxnreg;
	double seconds[NESO_STEPS]; /* also of one from the compile cache: when it was compiled */
	/* for a GPU */
	uint32_t threads;      /* of a CTA */
	uint32_t shared;       /* bytes of a CTA */
	uint32_t scratch;      /* bytes of global memory of a CTA */
	uint32_t registers;    /* of a thread */
	uint32_t stack, spill_stores, spill_loads; /* bytes of a thread */
	const char *assembler; /* who made the cubin: "ptxas 13.0.88" */
	const char *log;       /* what it said */
	const char *reason;    /* why it was compiled, as in neso_event */
	const char *cache;     /* "hit": it came from the compile cache; "miss", "off"; NULL: not for a GPU */
	const char *cache_key; /* its key there, 64 digits, or NULL */
	double store_seconds;  /* that putting it there took */
	uint32_t maps;         /* of its arguments that are tensor maps, which the launch makes */
} neso_variant_info;
/* Set info->size before. */
NESO_API neso_status neso_variant_get_info(const neso_variant *variant, neso_variant_info *info);
/* "front", "ttir", ... as in seconds[]; NULL past the end. */
NESO_API const char *neso_step_name(size_t step);

/* What became of a part of a kernel when it was compiled for a GPU, and by which rule: of loops and the loads in them (are
 * they pipelined), dots (which instruction), conversions of layouts and tiles in shared memory (instructions, wavefronts, bank
 * conflicts), accesses of global memory (bytes at once, and what is not known of arguments), registers, and what the assembler
 * said. Texts live as long as the callback runs. */
typedef enum neso_outcome {
	NESO_OUTCOME_DONE = 0,   /* as one would wish */
	NESO_OUTCOME_MISSED = 1, /* something slower than that */
	NESO_OUTCOME_FACT = 2    /* neither */
} neso_outcome;
typedef struct neso_figure {
	const char *name; /* "bytes", "wavefronts", ... */
	int64_t value;
} neso_figure;
typedef struct neso_remark {
	size_t size;
	const char *kind; /* "loop", "load", "dot", "conversion", "memory", "access", "registers", "ptxas" */
	const char *rule; /* which rule decided; stable, unique within its kind */
	neso_outcome outcome;
	const char *path; /* NULL: of no place */
	uint32_t line, column;
	const char *text;
	const char *advice; /* what can be done about it; NULL: nothing general */
	uint32_t times;     /* that it holds: of copies that unrolling and inlining made */
	const neso_figure *figures;
	size_t figure_count;
} neso_remark;
typedef void neso_remark_fn(void *data, const neso_remark *remark);
/* Calls `each` for each remark, by place. Of a variant for a GPU or the simulator ("sim:sm_86"), which has no assembler;
 * NESO_ERROR_ARGUMENT for others. The first half of the compilation is done again. */
NESO_API neso_status neso_variant_remarks(const neso_variant *variant, neso_remark_fn *each, void *data,
					  neso_diagnostics **diagnostics);

/* What tells it from the kernel's other variants, in one line. Lives as long as the module. */
NESO_API const char *neso_variant_key(const neso_variant *variant);
NESO_API neso_kernel *neso_variant_kernel(const neso_variant *variant);
NESO_API size_t neso_kernel_variant_count(const neso_kernel *kernel);

/* ---------------------------------------------------------------------------- ahead of time */

/* Variants for GPUs as C (docs/aot.md): a header and a source that need nothing of Neso, with a
 * function for each kernel that chooses the variant by its arguments. */
typedef struct neso_aot_options {
	size_t size;
	const char *name; /* of the files, a C identifier; begins names of their functions */
	const char *prefix; /* of the kernels' functions; NULL: none */
	/* Else the PTX of the newest target whose PTX later GPUs can load comes along, or that of
	 * variants compiled with ptx_only. */
	bool no_ptx;
	bool compress; /* cubins as fat binaries, which the driver unpacks; by NVIDIA's fatbinary */
} neso_aot_options;

/* The defaults, likewise. */
static inline void neso_aot_options_init(neso_aot_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}

/* Variants of several kernels, signatures and targets. The same variants give the same bytes. Free
 * the texts with neso_text_free. */
NESO_API neso_status neso_aot_write(neso_context *context, neso_variant *const *variants, size_t count,
				    const neso_aot_options *options, char **header, char **source,
				    neso_diagnostics **diagnostics);

/* ---------------------------------------------------------------------------------------- compile cache */

/* Variants for GPUs are kept on disk and found there by a key: docs/cache.md. Where the cache is, and what is done with it, is asked of
 * the environment (or of neso_context_options.cache_dir). What cannot be read is not there, what cannot be written is not kept: compiling,
 * neso_cache_path, and getting and putting files succeed whatever the folder is. The functions that look at the cache or change it as a whole
 * give NESO_ERROR_SOURCE where there is none (it is switched off, or no folder is named); packs, too, where their file cannot be
 * read or written. */

/* .../neso-1; NULL: there is none. Free with neso_text_free. */
NESO_API neso_status neso_cache_path(neso_context *context, char **path, neso_diagnostics **diagnostics);

typedef struct neso_cache_stats {
	size_t size;
	uint64_t hits, layer_hits;      /* in the folder, in a read-only layer */
	uint64_t half_hits;             /* compiled, but for the assembler's part, which was there */
	uint64_t misses, forced, damaged; /* compiled: it was not there, it was not to be read, it was damaged */
	uint64_t bytes, files;          /* as far as was counted; exact after neso_cache_gc */
	uint64_t max_bytes, max_files;  /* 0: no bound */
	double compile_seconds;         /* spent on what was compiled */
	double saved_seconds;           /* that hits took when they were compiled */
	uint64_t remote_hits;           /* of variants, like hits: found in a remote cache */
	/* What went over the wire, of entries of every kind. Errors: requests that failed, values that were damaged; dropped: values that
	 * were not put, as the queue was full, the server refused them, or the program ended. */
	uint64_t remote_found, remote_absent, remote_errors, remote_puts, remote_dropped, remote_bytes_in, remote_bytes_out;
} neso_cache_stats;
NESO_API neso_status neso_cache_get_stats(neso_context *context, neso_cache_stats *stats, neso_diagnostics **diagnostics);

/* An entry. Texts live as long as the callback runs. */
typedef struct neso_cache_entry {
	size_t size;
	const char *kind;     /* "variant", "cubin", "file", "fact", "library" */
	const char *key;      /* 64 digits */
	uint64_t bytes;
	double used;          /* seconds since 1970, to the minute */
	const char *metadata; /* of a variant: JSON about it; else NULL */
	const char *damage;   /* NULL: none that was looked for; neso_cache_each looks at the head, neso_cache_verify at all */
} neso_cache_entry;
/* Returns false to end. */
typedef bool neso_cache_entry_fn(void *data, const neso_cache_entry *entry);
NESO_API neso_status neso_cache_each(neso_context *context, neso_cache_entry_fn *each, void *data, neso_diagnostics **diagnostics);
/* Checks each entry whole, removes those that are damaged, and calls `each` (may be NULL) for these. */
NESO_API neso_status neso_cache_verify(neso_context *context, neso_cache_entry_fn *each, void *data, neso_diagnostics **diagnostics);
/* A section of the entry whose key begins with `key`: "key" (the rows, name and value with a tab between), "metadata", "source", "ttir",
 * "ttgir", "llir", "ptx", "cubin", "log", "facts". *bytes: freed with neso_text_free; NULL: there is none. NULL for `section`: their names, a line
 * each. */
NESO_API neso_status neso_cache_read(neso_context *context, const char *key, const char *section, char **bytes, size_t *size,
				     neso_diagnostics **diagnostics);

typedef struct neso_cache_row {
	size_t size;
	const char *name;
	const char *value; /* of neso_cache_explain: now; NULL: it has no such row */
	const char *before; /* of neso_cache_explain and _compare: in the nearest key that there was, in the first key */
} neso_cache_row;
typedef void neso_cache_row_fn(void *data, const neso_cache_row *row);
/* What the key of a variant is made of; *key (may be NULL): its 64 digits, freed with neso_text_free. Nothing is compiled. */
NESO_API neso_status neso_cache_key(neso_kernel *kernel, const char *signature, const neso_compile_options *options,
				    neso_cache_row_fn *each, void *data, char **key, neso_diagnostics **diagnostics);
/* Why the last variant of a kernel (by its name) was compiled: the rows in which its key differs from the nearest that was asked for
 * before. *misses (may be NULL): how many misses of it are known; 0: there is nothing to explain. */
NESO_API neso_status neso_cache_explain(neso_context *context, const char *kernel, neso_cache_row_fn *each, void *data,
					uint64_t *misses, neso_diagnostics **diagnostics);

/* The rows in which two entries of variants differ, found by the first digits of their keys: `before` is a's value, `value` b's. */
NESO_API neso_status neso_cache_compare(neso_context *context, const char *a, const char *b, neso_cache_row_fn *each, void *data,
					neso_diagnostics **diagnostics);

typedef struct neso_cache_cleaned {
	size_t size;
	uint64_t removed, leftovers; /* entries; files of processes that ended */
	uint64_t bytes_before, bytes, files_before, files;
} neso_cache_cleaned;
/* Removes the least recently used until at most so much is left (0: no bound), and leftovers. */
NESO_API neso_status neso_cache_gc(neso_context *context, uint64_t max_bytes, uint64_t max_files, neso_cache_cleaned *cleaned,
				   neso_diagnostics **diagnostics);
NESO_API neso_status neso_cache_clear(neso_context *context, neso_cache_cleaned *cleaned, neso_diagnostics **diagnostics);

typedef struct neso_cache_packed {
	size_t size;
	uint64_t entries, bytes, refused; /* refused: damaged, not signed as asked for, or not to be written */
} neso_cache_packed;
/* All variants and cubins in one file, which hits under other paths, users and machines. */
NESO_API neso_status neso_cache_pack(neso_context *context, const char *path, neso_cache_packed *packed,
				     neso_diagnostics **diagnostics);
NESO_API neso_status neso_cache_unpack(neso_context *context, const char *path, neso_cache_packed *packed,
				       neso_diagnostics **diagnostics);
/* The same with a key of the caller's, a file that only this user and root can write and others cannot read: entries are signed with it
 * (HMAC-SHA256), or refused where they are not. NULL: the key of the cache (NESO_CACHE_KEY_FILE), where it has one. */
NESO_API neso_status neso_cache_pack_signed(neso_context *context, const char *path, const char *key_file, neso_cache_packed *packed,
					    neso_diagnostics **diagnostics);
NESO_API neso_status neso_cache_unpack_signed(neso_context *context, const char *path, const char *key_file, neso_cache_packed *packed,
					      neso_diagnostics **diagnostics);

/* Packs by themselves: no cache is needed. A key file with bytes is a key of HMAC-SHA256; one in
 * PEM has keys of Ed25519, of which a private one signs and public ones check (docs/cache.md).
 * _sign: every entry signed anew, into the file `to` (NULL: that of the pack itself). _check:
 * are all of them whole, and signed with a key of the file (NULL: that is not asked)? Others
 * count as refused. */
NESO_API neso_status neso_pack_sign(neso_context *context, const char *path, const char *to,
				    const char *key_file, neso_cache_packed *packed,
				    neso_diagnostics **diagnostics);
NESO_API neso_status neso_pack_check(neso_context *context, const char *path, const char *key_file,
				     neso_cache_packed *packed, neso_diagnostics **diagnostics);

/* Files of the caller's own, under a key and a name that are any texts. *stored (may be NULL) says whether they are there now. */
NESO_API neso_status neso_cache_put(neso_context *context, const char *key, const char *name, const void *bytes, size_t size,
				    bool *stored, neso_diagnostics **diagnostics);
/* *bytes, followed by a NUL: freed with neso_text_free; NULL: it is not there. */
NESO_API neso_status neso_cache_get(neso_context *context, const char *key, const char *name, char **bytes, size_t *size,
				    neso_diagnostics **diagnostics);
/* Up to 24 files that belong together: they are found all, as they were put, or none. */
NESO_API neso_status neso_cache_put_group(neso_context *context, const char *key, const char *name, const neso_cache_file *files,
					  size_t count, bool *stored, neso_diagnostics **diagnostics);
/* *files: one block, freed with neso_cache_group_free; NULL and 0: it is not there. */
NESO_API neso_status neso_cache_get_group(neso_context *context, const char *key, const char *name, neso_cache_file **files,
					  size_t *count, neso_diagnostics **diagnostics);
NESO_API void neso_cache_group_free(neso_cache_file *files); /* NULL is fine */

/* ---- shared objects ----
 *
 * Launchers, code for the CPU, dispatchers that callers built, to be loaded by dlopen. A path is given for a file that is what was put
 * (by a checksum over all of it), and that nobody but this user and root can change: they alone own and can write it and every folder on its
 * way (others may write to folders whose files only owners can remove, as /tmp is). So it can be loaded after the call. Layers and remote
 * caches give none. */
typedef struct neso_cache_library {
	size_t size;
	const char *version;  /* of what built it, and of what it is built for: a hash */
	const char *name;     /* "launcher"; NULL: "" */
	const char *const *arguments; /* types, "*fp32", "i32"; all pointers are one type here */
	size_t argument_count;
	const char *constants; /* what was compiled in, as any text; NULL: "" */
	const char *const *ids; /* whatever else tells it apart */
	size_t id_count;
} neso_cache_library;
/* *path: of what was put; freed with neso_text_free. NESO_ERROR_REFUSED: it is not kept, or not to be loaded from there, as a diagnostic says. */
NESO_API neso_status neso_cache_put_library(neso_context *context, const neso_cache_library *what, const void *bytes, size_t size,
					    char **path, neso_diagnostics **diagnostics);
/* *path NULL: it is not there (any more: a warning says what was wrong with it). NESO_ERROR_REFUSED: it is there and not to be loaded, as a
 * diagnostic says. */
NESO_API neso_status neso_cache_get_library(neso_context *context, const neso_cache_library *what, char **path,
					    neso_diagnostics **diagnostics);

/* ---- a remote cache ----
 *
 * What no folder has is asked of a remote cache, checked whole, and kept in the folder; what is put goes there too, from a queue, by a
 * thread of the library's. TRITON_REMOTE_CACHE_BACKEND names a server (docs/cache.md); a program may give functions instead. A remote cache
 * that fails is left alone for a while, and is never a reason for a call to fail. */

enum {
	NESO_REMOTE_OK,
	NESO_REMOTE_REFUSED, /* this value cannot be had or put; others can */
	NESO_REMOTE_AWAY,    /* it is not there, does not answer, or does not let us in: it is asked again later */
};

/* Hands over the value of keys[index]; the bytes are copied before it returns. */
typedef void neso_cache_give_fn(void *sink, size_t index, const void *bytes, size_t size);

/* Values are any bytes, under a key (64 digits) and a name ("variant", "cubin", "file"). The functions return NESO_REMOTE_...; if not OK, with
 * a clause in `why`, of at most why_size bytes with its NUL ("it does not answer"): the first is told as a warning. Any thread may call
 * them, several at once. None may call Neso but `give`. */
typedef struct neso_cache_remote {
	size_t size;
	const char *name; /* what warnings call it; copied */
	void *data;
	/* Calls give(sink, i, ...) for those of the `count` keys that are there. NULL: it is only written. */
	int (*get_many)(void *data, const char *const *keys, const char *const *names, size_t count, neso_cache_give_fn *give, void *sink,
			char *why, size_t why_size);
	/* NULL: it is only read. */
	int (*put)(void *data, const char *key, const char *name, const void *bytes, size_t size, char *why, size_t why_size);
	void (*close)(void *data); /* when no call of the others will come any more; NULL: nothing to do */
	bool synchronous; /* put is called by the thread that has a value, and no thread is made */
	const char *url; /* of a server, or upstream's class, as TRITON_REMOTE_CACHE_BACKEND; then name and functions are NULL */
} neso_cache_remote;
/* Instead of what the environment says; NULL: what that says again. The one before is flushed and closed, in this call or when the last
 * call that uses it ends; where a put does not return within the bound (NESO_REMOTE_FLUSH), it is closed after that. */
NESO_API neso_status neso_cache_set_remote(neso_context *context, const neso_cache_remote *remote, neso_diagnostics **diagnostics);
/* Waits until what is on its way to the remote cache is there, for at most so many seconds (negative: NESO_REMOTE_FLUSH), and not while it
 * is away. *left (may be NULL): how many values are not there. Diagnostics: what the cache had to say and did not yet. Freeing the
 * context, and the end of the process, wait for NESO_REMOTE_FLUSH too. */
NESO_API neso_status neso_cache_flush(neso_context *context, double seconds, uint64_t *left, neso_diagnostics **diagnostics);

/* ------------------------------------------------------------------------------------------------ GPUs */

/* Memory, streams and events are the driver's own: a caller that has CUDA handles uses them, and needs none of these
 * functions. All work in the context that is current in the calling thread, else in the primary context of device 0,
 * which is made current. The driver is loaded at the first call; without one NESO_ERROR_RUN and a sentence why. */

typedef struct neso_gpu {
	size_t size;
	const char *name;
	uint32_t capability;    /* 90 for 9.0 */
	const char *target;     /* what kernels are compiled for, "sm_90a"; NULL: too old */
	uint32_t sms;
	uint32_t shared_cta;    /* bytes of shared memory that a CTA may have */
	uint64_t memory;        /* bytes */
	uint64_t l2;            /* bytes */
	uint32_t clock_khz, memory_clock_khz, bus_bits;
} neso_gpu;
/* *count may be 0: that is no error. */
NESO_API neso_status neso_gpu_count(neso_context *context, uint32_t *count, neso_diagnostics **diagnostics);
/* Set gpu->size before. Texts live as long as the context. */
NESO_API neso_status neso_gpu_get(neso_context *context, uint32_t index, neso_gpu *gpu, neso_diagnostics **diagnostics);
/* The index of the current context's GPU. */
NESO_API neso_status neso_gpu_current(neso_context *context, uint32_t *index, neso_diagnostics **diagnostics);
/* A number of the calling thread's current context that no other context of the process has or will have; 0: there is
 * none, or no driver was needed so far. Costs one call of the driver. */
NESO_API uint64_t neso_gpu_context(const neso_context *context);
/* Makes a GPU's primary context the calling thread's current one. */
NESO_API neso_status neso_gpu_use(neso_context *context, uint32_t index, neso_diagnostics **diagnostics);

NESO_API neso_status neso_gpu_alloc(neso_context *context, size_t bytes, void **address, neso_diagnostics **diagnostics);
NESO_API void neso_gpu_free(neso_context *context, void *address); /* NULL is fine */
/* Between any two of host and device memory, in order with the stream's work; what goes to the host is there on return. */
NESO_API neso_status neso_gpu_copy(neso_context *context, void *to, const void *from, size_t bytes, void *stream,
				   neso_diagnostics **diagnostics);
NESO_API neso_status neso_gpu_fill(neso_context *context, void *address, int byte, size_t bytes, void *stream,
				   neso_diagnostics **diagnostics);
/* Is it memory that kernels on a GPU can reach? Page-locked memory of the host is. */
NESO_API bool neso_gpu_is_device(neso_context *context, const void *address);
/* Waits for all that was launched in the stream. What went wrong in a kernel (an illegal address, a device_assert) is
 * met here: NESO_ERROR_RUN, and the launches that may have caused it. */
NESO_API neso_status neso_gpu_synchronize(neso_context *context, void *stream, neso_diagnostics **diagnostics);
/* Events, to measure time: elapsed waits for the later one. */
NESO_API neso_status neso_gpu_event_new(neso_context *context, void **event, neso_diagnostics **diagnostics);
NESO_API neso_status neso_gpu_event_record(neso_context *context, void *event, void *stream, neso_diagnostics **diagnostics);
NESO_API neso_status neso_gpu_event_elapsed(neso_context *context, void *from, void *to, double *seconds,
					    neso_diagnostics **diagnostics);
NESO_API void neso_gpu_event_free(neso_context *context, void *event); /* NULL is fine */

/* -------------------------------------------------------------------------------------------------- IR */

typedef struct neso_ir_options {
	size_t size;
	const char *const *passes; /* names, in order; none: read and print */
	size_t pass_count;
	bool verify_each;   /* verify after each pass; the text is verified when read in any case */
	bool stress;        /* print, read and compare after each pass */
	bool no_locations;  /* loc(...) is left out of the output */
	bool no_verify;     /* take text that the verifier would refuse; not with passes of the code generator */
	/* For passes of the code generator, which choose layouts. 0, NULL: 4 warps, 1 CTA, 3 stages, "sm_90a". TTGIR says its
	 * warps and CTAs itself. */
	const char *target;
	uint32_t num_warps, num_ctas, num_stages;
	/* In place of names: the pipeline, from the text's level until the first run of this pass, or with NAME:N its Nth. NULL: none. */
	const char *stop_after;
} neso_ir_options;

/* Likewise. */
static inline void neso_ir_options_init(neso_ir_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}

/* Reads IR text (TTIR or TTGIR in MLIR's syntax), runs passes on it, prints it. Free the text with neso_text_free.
 * Passes of the code generator need its library (libneso-codegen). */
NESO_API neso_status neso_ir_run(neso_context *context, const char *path, const char *text, size_t length,
				 const neso_ir_options *options, char **out, neso_diagnostics **diagnostics);
/* An op as a walk shows it. Values and blocks have numbers, unique in the text; a region has that of its first block, and
 * NESO_IR_NONE where it is empty. Everything lives as long as the callback runs. */
#define NESO_IR_NONE UINT32_MAX
typedef enum neso_ir_attribute_kind { NESO_IR_TEXT, NESO_IR_BOOL, NESO_IR_INT, NESO_IR_OTHER } neso_ir_attribute_kind;
typedef struct neso_ir_attribute {
	const char *name;
	neso_ir_attribute_kind kind;
	const char *text; /* TEXT: of a string or a symbol, without quotes and "@"; else as it is printed */
	int64_t i;        /* BOOL, INT */
} neso_ir_attribute;
typedef struct neso_ir_value {
	uint32_t number;
	const char *type; /* as it is printed */
} neso_ir_value;
typedef struct neso_ir_op {
	size_t size;
	const char *name; /* "tt.load" */
	uint32_t number, line; /* line: of its position, 0: it has none */
	const neso_ir_value *operands, *results;
	size_t operand_count, result_count;
	const uint32_t *regions;
	size_t region_count;
	uint32_t block, region, parent; /* that it lies in, its region, and the op of that; NESO_IR_NONE: it is the module */
	const neso_ir_value *block_arguments; /* of `block` */
	size_t block_argument_count;
	const neso_ir_attribute *attributes;
	size_t attribute_count;
} neso_ir_op;
typedef void neso_ir_op_fn(void *data, const neso_ir_op *op);
/* Reads IR text, verifies it, and calls `each` for every op in order, those inside an op before it; the module comes last. */
NESO_API neso_status neso_ir_walk(neso_context *context, const char *path, const char *text, size_t length, neso_ir_op_fn *each,
				  void *data, neso_diagnostics **diagnostics);

/* Name and one sentence of each pass, in the order in which the pipeline first runs them; NULL past the end. */
NESO_API const char *neso_ir_pass_name(size_t index);
NESO_API const char *neso_ir_pass_doc(size_t index);
/* Is code right without it (NESO_SKIP_PASSES)? */
NESO_API bool neso_ir_pass_optional(size_t index);

/* A layout as text: {register = [[0, 1], ...], lane = ..., warp = ..., block = []} -> {dim0 = 16, dim1 = 8}, or an encoding of
 * TTGIR (#ttg.blocked<...> and others) for tiles of `type`, "16x8xf16" (else NULL). *out says who holds which element;
 * with `to`, another layout of the tile, how it gets there on `target` (NULL: "sm_90a"). Needs libneso-codegen. */
NESO_API neso_status neso_layout_text(neso_context *context, const char *layout, const char *to, const char *type,
				      const char *target, char **out, neso_diagnostics **diagnostics);

NESO_API void neso_text_free(char *text); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
