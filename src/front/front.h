/* The front end: kernel files to TTIR.
 *
 * A FrontSession holds what is parsed: files, their imports, the tile language's own library. It outlives the
 * compilations that use it. front_lower makes one TTIR module from one kernel, the types of its arguments and the
 * values of its constexprs. Threads may share a session: its functions take its lock, so they run one at a time.
 *
 * Globals are evaluated when a kernel asks for them, with Python's semantics; os.environ is the process's. What host code alone can tell is asked of the FrontHost; what nobody tells
 * is an error where a kernel uses it. */
#ifndef NESO_FRONT_FRONT_H
#define NESO_FRONT_FRONT_H

#include "base/diag/diag.h"
#include "front/syntax/ast.h"
#include "front/value.h"
#include "ir/ir.h"

typedef struct FrontSession FrontSession;
typedef struct FrontModule FrontModule;
typedef struct FrontFunction FrontFunction;
typedef struct FrontReads FrontReads;

/* "tf32", "ieee", ...: as tl.dot's input_precision, in letters of either case. */
bool front_is_dot_precision(const char *name);

/* What depends on options and target while lowering. */
typedef struct FrontOptions {
	uint32_t num_warps, num_stages, num_ctas;
	uint32_t target_arch;         /* 80, 90, ...: dtypes and precisions allowed; 0: the interpreter, all allowed */
	const char *default_dot_precision; /* "tf32", or TRITON_F32_DEFAULT */
	bool debug;                   /* device_assert and sanitised overflow on */
	bool allow_non_constexpr_globals;
	bool no_overflow_checks;      /* debug adds none */
	bool no_gpu_limits;           /* what only GPUs cannot do is allowed */
	bool wide_offsets;            /* 32-bit offsets of pointers are computed in 64 bits */
	bool strict;                  /* what Triton does not have is refused */
	uint64_t max_work;            /* AST nodes lowered, static iterations included; 0: the default */
	FrontReads *reads;            /* of front_content with the same function and arguments: what is read is held against it; or NULL */
} FrontOptions;

/* A path as messages show it: a host tells texts of one file apart by "\x1f..." behind it. */
const char *front_shown_path(Arena *arena, const char *path);

/* What a host gives for a name: an expression, a function or class of a text, or something that only the host knows
 * and whose attributes it is asked for. The texts must live as long as the session. */
typedef struct FrontHostValue {
	const char *expr; /* Python expression, evaluated among the names of the asking file, `tl` known: "tl.float16"; or NULL: */
	const char *space; /* a name of the host's choice: attributes are asked for as "space.attribute"; or NULL: */
	const char *path; /* the file that holds the function; what follows a \x1f in it tells texts of one file apart, */
	Str text;         /* its text (ptr NULL: read from path), */
	const char *name; /* and the function's qualified name there */
} FrontHostValue;

/* How a host language adds what a file alone cannot tell. Every member may be NULL. */
typedef struct FrontHost {
	void *data;
	/* The value of a name that `function` (qualified; "" at module level) of file `path` uses and the file does not
	 * define: a global set by host code, a closure variable, something imported that is no file ("pkg.mod.name"). Of paths with a \x1f
	 * "a=" asks what the default of `function`'s parameter a is worth, and "Class.a=" what the member of a class is by now; false: what
	 * the text says. */
	bool (*find_name)(void *data, const char *path, const char *function, const char *name, FrontHostValue *value);
	/* Takes what static_print and print say while lowering: whole lines, with the newline. */
	void (*print)(void *data, const char *text, size_t len);
	/* Text of a module that a kernel's file imports ("pkg.mod", or relative to `importer`), or NULL. */
	bool (*find_module)(void *data, const char *importer, const char *module, const char **path, Str *text);
} FrontHost;

FrontSession *front_session_new(Arena *arena, const FrontHost *host);
SourceSet *front_sources(FrontSession *session);

/* Parses a file (text NULL: read from path) and finds its kernels. NULL after diagnosing. */
FrontModule *front_load(FrontSession *session, const char *path, const Str *text, DiagList *diags);

/* Functions decorated as jit, in order of their text, nested ones and methods included (dotted names). */
uint32_t front_function_count(const FrontModule *module);
FrontFunction *front_function(FrontModule *module, uint32_t i);
FrontFunction *front_find(FrontModule *module, const char *name); /* NULL when there is none */

typedef struct FrontParam {
	const char *name;
	LineCol at;
	bool is_constexpr;
	bool do_not_specialize, do_not_specialize_on_alignment;
	const char *annotation; /* source text, or NULL */
	const char *value;      /* default's source text, or NULL */
	const char *dtype;      /* dtype forced by the annotation ("i64", "fp32"), or NULL */
	/* What jit(specialize={...}) says of it, "never_one, div8", and an annotation that is a
	 * text, which may say other things as well; or NULL. */
	const char *control, *annotation_control;
	bool never_one, always_one, div8; /* for the caller, from these */
	bool div8_int; /* it strides or bounds tiles: integers divisible by 8 are told apart without being asked for */
} FrontParam;

typedef struct FrontInfo {
	const char *name, *qualified_name;
	const char *path;
	LineCol at; /* of `def` */
	const FrontParam *params;
	uint32_t param_count;
	const char *const *decorators; /* source text, top one first */
	uint32_t decorator_count;
	const char *docstring; /* or NULL */
	bool is_kernel; /* it returns nothing and is not called, or has an autotune/heuristics decorator */
	bool is_called; /* by another function of its file */
	bool noinline;
} FrontInfo;

const FrontInfo *front_info(FrontFunction *function);

/* One argument of a lowering. */
typedef struct FrontArg {
	enum {
		FRONT_TYPE,     /* run-time value of type `text`: "*fp32", "i32", "fp16", "tensordesc<fp16[64, 64]>" */
		FRONT_CONST,    /* constexpr: the Python expression `text`: "1024", "True", "None", "'ieee'", "tl.float16", "(1, 2)" */
		FRONT_DEFAULT,  /* not given: the parameter's default */
		FRONT_DEMOTED,  /* constexpr that the launch gives; `text`: a number that has its kind and size (demote.h) */
	} kind;
	const char *text;
	uint32_t divisibility; /* tt.divisibility; 0 or 1: not known */
	TlDtype dtype;         /* DEMOTED, for the caller: tl_dtype_of_int, tl_dtype_of_float, or int1 */
} FrontArg;

/* An argument that the kernel's function takes, behind those of its parameters, for a demoted constexpr: as `dtype`,
 * converted as a constant would be (to a float with one rounding, to int1 as "is it not 0", to an integer modulo its width). */
typedef struct FrontNumber {
	uint32_t param;
	TlDtype dtype;
	bool must_fit; /* where the dtype does not hold the value, the constant is an error */
} FrontNumber;

typedef struct FrontNumbers {
	FrontNumber *at; /* in the order of the function's arguments; in the arena of the IrCx */
	uint32_t count;
} FrontNumbers;

/* The module is verified TTIR, not yet through any pass; the kernel is its public function. NULL after diagnosing.
 * The IrCx lives in an arena of the caller. numbers: may be NULL when no argument is FRONT_DEMOTED. What is must be
 * numeric by front_classify with the same arguments and options. */
IrModule *front_lower(FrontFunction *function, const FrontArg *args, uint32_t arg_count, const FrontOptions *options,
		      IrCx *cx, FrontNumbers *numbers, DiagList *diags);

/* What of the sources decides what front_lower makes of a kernel: the kernel, all functions and classes that it can reach, and the
 * globals that each of these reads, in an order that the texts alone decide. Files, lines, comments, docstrings and layout of text are
 * not in it. */
typedef enum FrontPartKind {
	FRONT_PART_FUNCTION, /* value: its syntax tree; texts that mean the same are the same */
	FRONT_PART_CLASS,
	FRONT_PART_MODULE,   /* used as a value, so that any name in it may be asked for: its text */
	FRONT_PART_GLOBAL,   /* of the function, class or module before it; value: as an expression, or what it stands for */
	FRONT_PART_ARGUMENT, /* a constant of the call, likewise */
} FrontPartKind;

typedef struct FrontPart {
	FrontPartKind kind;
	const char *name;
	Str value;
} FrontPart;

typedef struct FrontContent {
	const FrontPart *parts; /* in the arena */
	uint32_t count;
	Str source; /* texts of the functions and classes, with their comments, one after the other */
	FrontReads *reads; /* in the arena */
} FrontContent;

/* Asks the host for names as front_lower does. False when a part has a syntax error (then it does not compile), or when the texts do not
 * tell all (an object of the host's is handed on). Nothing is diagnosed. */
bool front_content(FrontFunction *function, const FrontArg *args, uint32_t arg_count, const FrontOptions *options,
		   Arena *arena, FrontContent *content);

/* After lowerings that were given it: what one of them read that the content lacks, or has with another value; NULL: nothing. What is
 * made of such a lowering is not to be found by the content. */
const char *front_read_beyond(const FrontReads *reads);
/* It is nothing that changed meanwhile, and nothing that no key can have: front_content did not find it. */
bool front_content_forgot(const FrontReads *reads);

/* The names in a function's text, with the attributes asked of them ("tl.float16", "x"), in the order of the text. */
typedef enum FrontNameGroup {
	FRONT_NAMES_BOUND,    /* parameters and what is assigned to, of inner functions and comprehensions too; may repeat */
	FRONT_NAMES_EARLY,    /* those of BOUND, without the function's parameters, that the body reads before they are assigned to, in the order
			       * of the text; may repeat */
	FRONT_NAMES_BODY,
	FRONT_NAMES_HEAD,     /* decorators, annotations, defaults */
	FRONT_NAMES_DEFAULTS, /* those of HEAD that defaults have */
	FRONT_NAMES__COUNT
} FrontNameGroup;

typedef struct FrontNames {
	const char *const *names[FRONT_NAMES__COUNT]; /* in the arena */
	uint32_t count[FRONT_NAMES__COUNT];
} FrontNames;

/* Of the function with which the text begins. Needs no session; evaluates nothing. False when the text begins with none, or there is
 * something in it that cannot be parsed. */
bool front_names(Str text, Arena *arena, FrontNames *out);

/* What front_classify found out about a FRONT_DEMOTED argument. */
typedef struct FrontClassed {
	bool numeric;       /* the code is the same for all values of this kind and size */
	const char *path;   /* of a structural one: what decides; NULL: no place */
	LineCol at;
	const char *reason; /* a clause: "it decides which code there is" */
} FrontClassed;

/* Why a kernel does not compile for some arguments. */
typedef struct FrontFailure {
	bool failed;
	const char *path; /* NULL: no place */
	LineCol at;
	const char *text;
	uint64_t work;    /* done before the first error: more is further */
	uint32_t errors;
} FrontFailure;

/* Which of the FRONT_DEMOTED arguments can be: classed[i] is filled in for each, the others become FRONT_CONST in
 * `args`. Nothing is diagnosed or printed; where the kernel does not compile, none is numeric. `arena` gets the texts.
 * failure may be NULL. */
void front_classify(FrontFunction *function, FrontArg *args, uint32_t arg_count, const FrontOptions *options,
		    Arena *arena, FrontClassed *classed, FrontFailure *failure);

#endif
