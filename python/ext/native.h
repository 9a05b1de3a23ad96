/* Inside the extension: what its files share. A user of neso.h alone, in CPython's limited API (3.10 on).
 *
 * A launch, in the order of its steps:
 * call.c        a call's arguments by parameter, options and grid
 * read.c        what Python passes for a parameter -> neso_arg; read_gpu.c where it is for a GPU
 * read_type.c   the kind of value that a type's are, element types
 * again.c       is the call like the last one?
 * watch.c       dicts that tell when they change: settings, globals
 * find.c        what it asks for, in the library's table, or compiled
 * launch.c      launching; launch_gpu.c on a GPU
 *
 * kernel.c  the types: the one under JITFunction, what kernel[grid] gives, compiled kernels
 * device.c  what Python asks about GPUs
 * keeper.c  cache managers written in Python
 * library.c shared objects of programs in the compile cache
 * ir.c      IR text
 * tune.c    tuning
 * declare.c declared variants
 * records.c how many of them are remembered
 * remote.c  remote cache back ends written in Python
 * host.c    the context, and the library's callbacks into Python
 *
 * Everything here runs under the interpreter's lock unless it says otherwise. */
#ifndef NESO_PYTHON_NATIVE_H
#define NESO_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <stddef.h>

#include "neso/background.h"
#include "neso/neso.h"

/* ---- host.c ---- */

/* Functions and types of the package, given once by native.setup(). */
typedef struct Host {
	PyObject *resolve;        /* (path, function, name) -> None, text, ("space", name), (path, source, name) */
	PyObject *fail;           /* (status, findings, text, kernel): raises */
	PyObject *expression;     /* value -> text of a Python expression */
	PyObject *import_array;   /* any array -> (address, begin, bytes, dtype, writable, keep, finish) */
	PyObject *print;          /* text */
	PyObject *nearest;        /* "; did you mean ...", of a word and a list of known ones */
	PyObject *warn;           /* text and JSON of what a compilation warns of */
	PyObject *differ; /* (name, dtype, wanted, got, atol, rtol) -> None, or (offset, text) */
	PyObject *different;      /* (text, findings): raises */
	PyObject *mappings;       /* () -> list of (address, bytes, writable): all memory of the process */
	PyObject *compiled;       /* CompiledKernel, a subclass of Variant */
	PyObject *descriptor;     /* TensorDescriptor */
	PyObject *constexpr_type; /* tl.constexpr */
	PyObject *slow;           /* a list; while it holds something, every launch tells launch hooks */
	PyObject *hooks;          /* (kernel, compiled, grid, stream, args) -> None, before a launch; then with None for args */
	PyObject *wrapper;        /* TensorWrapper */
	PyObject *lasting;        /* tuple of types, see TypeInfo */
	PyObject *environment;    /* dict of bytes behind os.environ, or None */
	PyObject *settings;       /* dict likewise, of what goes before it; None: as if not set */
	PyObject *mixed;          /* (name, value, name, value): raises for arrays on a GPU beside ones that are not */
	PyObject *stream;         /* (array or None, device) -> number of the current stream of the array's library, or a type
	                             whose table of C functions tells it */
	PyObject *kept;           /* ("active"), ("get", what, key, kernel), ("put", what, key, kernel, files), ("fetch", class, pairs),
	                             ("store", class, key, name, bytes): kept.py */
	PyObject *memory;         /* (element type, address) -> what stands for such an array */
	PyObject *allocate;       /* (bytes, align, stream) -> address of memory by set_allocator, or None: nobody set it */
} Host;
extern Host host;

/* The context, made at the first use in this process; NULL with an exception. */
neso_context *host_context(void);
/* Counts forks: what was made before the last one is another process's. */
extern unsigned host_generation;
/* Raises what a failed call said, and frees it. Always NULL. */
PyObject *host_fail(neso_status status, neso_diagnostics *diagnostics, PyObject *kernel);
/* What a call gave, and what it said, are freed: the text, or NULL where it failed, which is
 * raised. */
PyObject *host_text(neso_status status, char *text, neso_diagnostics *diagnostics,
		    PyObject *kernel);
/* Raises that results differ, with what tells who wrote them, and frees it. */
void host_raise_different(PyObject *text, neso_diagnostics *diagnostics);
/* To be called after a call of the library that may have run callbacks: an exception of theirs goes first. */
bool host_take_error(void);
/* stop_when(list or None): what this thread compiles stops when the list has items. */
PyObject *host_stop_when(PyObject *self, PyObject *list);
/* An exception of a callback is kept for host_take_error; none: nothing happens. */
void host_keep_error(void);
/* keeper.c */
extern const neso_keeper host_keeper;
/* remote.c */
bool remote_add(PyObject *module);
/* library.c */
bool library_add(PyObject *module);
/* declare.c */
bool declare_add(PyObject *module);
/* Kernel._declared(line, file, number, targets or None, most) -> list of (signature, options). */
PyObject *declare_variants(PyObject *self, PyObject *args);
/* Variant._load_gpu(), and ._declaration() -> its line or None. */
PyObject *declare_load(PyObject *self, PyObject *unused);
PyObject *declare_line(PyObject *self, PyObject *unused);
/* ir.c */
bool ir_add(PyObject *module);
/* tune.c */
bool tune_add(PyObject *module);
/* Kernel._content(): of one that is loaded. */
PyObject *tune_content(PyObject *self, PyObject *unused);
/* A launch's poll: lets signal handlers run, and stops where one, or the output, has raised. */
bool host_poll(void *unused);
bool host_add(PyObject *module);

/* ---- watch.c ---- */

/* They grow with each change of a watched dict: of settings (the environment's, the program's own),
 * and of any other. Never 0. */
extern uint64_t watch_settings, watch_globals;
/* Changes of the dict count from here on; false: this Python does not tell of them. */
bool watch_dict(PyObject *dict);

/* ---- read_type.c ---- */

/* What kind of value a type's are, found once per type and remembered. */
typedef enum Kind {
	KIND_NONE_YET,
	KIND_INT,
	KIND_FLOAT,
	KIND_BOOL,
	KIND_NUMPY,   /* __array_struct__ */
	KIND_TENSOR,  /* data_ptr() */
	KIND_WRAPPER, /* a TensorWrapper, which has data_ptr() too */
	KIND_ARRAY,   /* anything that import_array knows */
	KIND_INDEX,   /* a number of another library: int() or float() of it */
	KIND_REAL,
	KIND_TRUTH, /* NumPy's bool */
	KIND_DESCRIPTOR,
	KIND_CONSTEXPR,
	KIND_VALUE, /* a constant, as an expression */
	KIND_TUPLE,
} Kind;

struct Exchange; /* dlpack.h */

typedef struct TypeInfo {
	PyObject *type;
	Kind kind;
	bool lasting; /* a VALUE that is what it is as long as it lives: a dtype, a function, an enum's member */
	const struct Exchange *exchange; /* TENSOR: or NULL */
} TypeInfo;

/* Lives until the next call. */
const TypeInfo *array_type(PyObject *value);
/* A type's table of C functions; NULL without an exception: it has none. */
const struct Exchange *array_exchange(PyObject *type);
/* Does the memory hold the values of a tensor of torch as they are, without a sign that is kept
 * beside it? False with an exception. */
bool array_is_plain(PyObject *tensor);
/* Of an array library's dtype; NESO_DTYPE_NONE with an exception. */
neso_dtype array_dtype(PyObject *dtype);
/* Of the array's attribute; likewise. */
neso_dtype array_dtype_of(PyObject *array);

/* ---- read.c ---- */

/* What must live until the launch is over, or be done then. */
enum { HELD_FEW = 8 };
typedef struct Held {
	PyObject *objects; /* list of those that are not among the few, or NULL */
	PyObject *finish;  /* list of functions that copy results back, or NULL */
	bool has_tuple;    /* a run-time argument is a tuple: its items are arguments of their own */
	unsigned few_count;
	PyObject *few[HELD_FEW];
} Held;

/* All but what descriptors have, which is most of it. */
enum { ARG_HEAD = offsetof(neso_arg, rank) };

bool read_setup(void);
bool read_sizes(PyObject *sequence, int64_t *out, int *rank, int max);
/* False with an exception. */
bool read_value(PyObject *value, bool is_constexpr, bool is_const, const char *name, neso_arg *arg,
		Held *held);
/* Is it the same as long as it lives? */
bool value_lasts(PyObject *value);
/* What a launch concludes from an integer, or an address: (type, divisible, a constant). */
PyObject *read_rules(PyObject *unused, PyObject *value);
bool held_keep(Held *held, PyObject *object);
void held_free(Held *held);

/* ---- kernel.c: the types ---- */

typedef struct Module {
	PyObject_HEAD
	neso_module *module;
	unsigned generation;
} Module;

typedef struct Variant {
	PyObject_HEAD
	PyObject *module; /* keeps it alive */
	neso_variant *variant; /* held */
	bool looked; /* for the two that follow */
	bool makes_pointers; /* of integers: into memory that no argument names */
	bool stops; /* at a breakpoint() */
	bool on_gpu, simulated;
	struct GpuReady *ready; /* a list: one for each context it was launched in */
	/* records.c: of those that kernels have */
	struct Variant *newer, *older;
	struct Kernel *owner; /* borrowed; NULL: none has it */
} Variant;

/* ---- records.c: how many compiled kernels are remembered ---- */

/* The kernel has it from here on; others may go. */
void records_add(struct Kernel *owner, Variant *v);
void records_use(Variant *v);    /* it was looked up */
void records_remove(Variant *v); /* its kernel has it no more */
/* find.c: takes it out of its kernel. */
void find_drop(Variant *v);

typedef struct Param {
	PyObject *name, *value; /* value: default, or NULL */
	const char *text;       /* of the name */
	bool is_constexpr, is_const;
	bool is_typed; /* by its annotation: whether an integer fits matters */
	bool div8;     /* divisibility by 8 counts too */
	bool div8_int; /* of integers: as the library says, once it has the source */
} Param;

typedef struct Watch {
	PyObject *owner, *name, *value; /* owner: a dict, or what has the attribute */
	bool is_dict;
	bool is_plain; /* immutable: the same object has the same value */
	bool is_told;  /* a plain one of a dict that tells when it changes */
} Watch;

typedef struct Kernel {
	PyObject_HEAD
	Param *params;
	Py_ssize_t param_count;
	PyObject **variants; /* what was compiled, by address of its neso_variant */
	size_t variant_count;
	Watch *watches;
	size_t watch_count;
	uint64_t globals_seen; /* watch_globals at the last look at all watches; 0: not all are told */
	PyObject *module; /* Module, or NULL: not loaded */
	neso_kernel *kernel;
	PyObject *pre_hooks; /* list */
	struct Recent *recent[2]; /* the last launch on a GPU, and the last one that was not like it; or NULL */
	bool debug;
	neso_constexpr_policy policy; /* DEFAULT: as the environment says */
	neso_strict strict;           /* likewise */
	bool ignore_unknown; /* keywords that are neither parameter nor option are dropped */
} Kernel;

typedef PyObject *Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);

typedef struct Launcher {
	PyObject_HEAD
	Vectorcall *call;
	PyObject *kernel, *grid;
} Launcher;


/* Is it of this process? Otherwise an exception is set. */
bool variant_usable(const Variant *v);
bool kernel_add(PyObject *module);
bool intern(PyObject **at, const char *text);
typedef struct Word {
	PyObject **at;
	const char *text;
} Word;
bool intern_all(const Word *words, size_t count);

/* ---- call.c: what a call gives ---- */

/* Those before OPT_GRID are handed on with a launch of tuples. */
typedef enum {
	OPT_WARPS, OPT_STAGES, OPT_CTAS, OPT_MAXNREG, OPT_DEBUG, OPT_FUSION, OPT_COOPERATIVE, OPT_DEPENDENT, OPT_PTX,
	OPT_OVERFLOW, OPT_POLICY, OPT_TARGET, OPT_CHECK, OPT_SCHEDULES,
	OPT_WATCH, OPT_UNWRITTEN, OPT_AGAINST, OPT_ATOL, OPT_RTOL, OPT_TIMEOUT, OPT_OVERRIDE,
	OPT_FTZ, OPT_STRICT, OPT_MAPS, OPT_ARCH, OPT_GRID, OPT_WARMUP, OPT__COUNT
} Option;

typedef struct Call {
	PyObject *const *values; /* per parameter; borrowed */
	PyObject *options[OPT__COUNT];
	bool has_options;
} Call;

/* One call on its way. */
typedef struct Launch {
	Kernel *kernel;
	Call call;
	neso_arg *args;
	bool is_read; /* args are, but for memory, which was looked for on a GPU */
	neso_compile_options options;
	neso_launch launch;
	Held held;
	bool warmup;         /* compiled, and not launched */
	neso_turn turn;      /* of a tiered launch that was looked up; of others its truths are false */
	struct GpuCall *gpu; /* NULL: it is for the interpreter */
} Launch;

bool call_setup(void);
/* By the parameters' names and places; defaults filled in. room: for one value per parameter, where args is not all. */
bool call_bind(const Kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, PyObject **room, Call *call);
/* The arguments with the options given, as grids that are functions want them: a new dict. */
PyObject *call_meta(const Kernel *k, const Call *call);
/* Raises a KeyError: the grid's function asks the launch for what it does not have. */
void call_no_such_key(const Kernel *k, PyObject *key);
/* The options given, without grid and warmup, by name: a new dict. */
PyObject *call_option_words(const Call *call);
/* Options by name alone, of a call without arguments. */
bool call_keywords(PyObject *kwargs, Call *call);
/* Numbers that decide a variant; options->target is what the call or the environment names, or NULL. */
bool call_options(const Kernel *k, const Call *call, neso_compile_options *options);
/* Is a simulated launch to be checked? After call_options. */
/* Does the environment want checks? As call_options last saw it. */
void call_environment_checks(neso_launch *launch);
bool call_checks(const Call *call, const neso_compile_options *options, neso_launch *launch);
bool call_axis(PyObject *value, uint32_t *out);
bool call_grid(const Kernel *k, const Call *call, PyObject *grid, uint32_t out[3]);

/* ---- checks.c: what simulated launches are told to look for besides ---- */

bool checks_watch(PyObject *given, uint32_t *out);
/* Arguments that nobody has written, by name; they have been read. */
bool checks_unwritten(Launch *l);
bool checks_wants_against(const Launch *l);
/* The interpreter on the same memory, then execute, whose results must be the same. */
bool checks_against(Launch *l, PyObject *compiled, bool (*execute)(Launch *, PyObject *));

/* ---- find.c ---- */

bool find_setup(void);
/* Binding is done, but for l->args of a call that is not for a GPU. A new reference to what was
 * compiled for such a call, now or before; None: a hook did not want it to be compiled. */
PyObject *find_compiled(Launch *l);
/* The values of a call that is not for a GPU, into l->args and l->launch. */
bool find_read(Launch *l);
/* Kernel._compile(signature, source, **options): for a signature in upstream's notation. */
PyObject *find_for_signature(PyObject *self, PyObject *args, PyObject *kwargs);
/* Kernel._compile_value(value, device, context, module, values, **options): see _specialise. */
PyObject *find_for_value(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *find_value_failed(PyObject *self, PyObject *args);
/* Kernel._tiers() -> dict */
PyObject *find_tiers(PyObject *self, PyObject *unused);

/* ---- launch.c ---- */

bool launch_setup(void);
/* A new reference to the compiled kernel. kwnames: NULL or a tuple, as in a vectorcall. */
PyObject *launch(Kernel *k, PyObject *grid, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* The same of an ordinary call's arguments. */
PyObject *launch_unpacked(Kernel *k, PyObject *grid, PyObject *args, PyObject *kwargs);
/* To be called before anything is compiled or launched: what another process made is dropped, and globals are looked
 * at. False with an exception. */
bool launch_begin(Kernel *k);
/* Variant._launch(grid_0, grid_1, grid_2, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *args): what was
 * compiled, for exactly such arguments. */
PyObject *launch_variant(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
/* Drops all that was compiled. */
void launch_forget(Kernel *k);
/* What a compilation or a launch warns of. False with an exception. */
bool launch_warn(const neso_diagnostics *diagnostics);
bool launch_hooks(const Launch *l, PyObject *compiled, bool before);

/* ---- launches on a GPU (gpu.h) ---- */

/* What a call's values are for a GPU; its parts are gpu.h's. */
typedef struct GpuCall GpuCall;

bool gpu_setup(void);
/* Looks at the values of a call. 1: it is for a GPU, and l->gpu is set; 0: for the interpreter; -1: exception. */
int gpu_look(Launch *l);
void gpu_call_free(GpuCall *gpu); /* NULL is fine */
/* Launches what was compiled with the call's values, in l->launch.stream. */
bool gpu_launch_variant(Launch *l, PyObject *compiled);
/* The same as launch does with what is bound. */
PyObject *gpu_launch(Launch *l, PyObject *grid, bool warmup);
/* Its device, below 0: none is known; and context. */
int gpu_device(const Launch *l);
uint64_t gpu_context(const Launch *l);
/* Into that context, where it is the device's own. */
void gpu_load(const Variant *v, int device, uint64_t context);
void recent_drop(struct Recent *recent); /* NULL is fine */
void gpu_ready_free(struct GpuReady *ready, bool alive);

/* ---- device.c: what Python asks about GPUs ---- */

bool device_add(PyObject *module);
/* Is there a GPU? Found out once for each process. */
bool device_any(void);

#endif
