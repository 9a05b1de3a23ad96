/* Inside the front end: the state of one lowering (AST + argument types + constexprs -> TTIR), and what its
 * parts give each other.
 *
 *   resolve.c   names: modules, imports, globals, closures                (lower-core)
 *   eval*.c     expressions on host values, attribute access, calls       (lower-core)
 *   stmt*.c     statements, loops, branches, returns, loop-carried values (lower-core)
 *   instance.c  jit functions: argument binding, one tt.func per (function, types, constexprs)  (lower-core)
 *   sem_*.c     operations on tensors: promotion, broadcasting, casts, memory, dot, shape  (semantics)
 *   builtin*.c  the table of tl.* names, binding of their arguments       (semantics)
 *
 * After an error a function returns the poison value, never NULL; a poison operand makes a poison result
 * without another message. Every message is at the span of the AST node being lowered (low->span), with a note
 * for each call on the way there. */
#ifndef NESO_FRONT_LOWER_H
#define NESO_FRONT_LOWER_H

#include "base/diag/diag.h"
#include "base/map.h"
#include "front/front.h"
#include "front/value.h"

/* Ids of functions made while lowering are behind those of the source. */
#define FIRST_CLOSURE 0x80000000u

/* A value that a loop hands from turn to turn, and what goes in. */
typedef struct LoopArg {
	IrValue *arg, *init;
} LoopArg;

typedef struct FrontLower {
	Arena *arena;
	DiagList *diags;
	IrCx *cx;
	IrModule *m;
	IrBuilder b;        /* b.loc is kept in step with `span` by lower_at() */
	Span span;          /* of the AST node being lowered */
	const FrontOptions *options;
	const Val *poison, *none, *true_, *false_; /* shared values */
	IrCons tl_types;
	struct Frame *frame; /* function being lowered: lower-core's own (core.h) */
	struct FrontSession *session;
	Map instances;
	uint32_t depth;     /* of calls, bounded */
	uint64_t work;      /* AST nodes lowered, bounded: compile bombs end here */
	Diag *reported;     /* the last error; NULL: it was not taken */
	bool stopped;       /* a bound was passed (and diagnosed): everything is poison from here on */
	Map globals;        /* Binding -> Val: module-level names evaluated so far */
	Map told;           /* Binding -> is what the host told for it a constexpr? */
	uint32_t closures;  /* functions made while lowering */
	struct Demoted **demoted;         /* per parameter of the kernel, NULL: not demoted (demote.h) */
	struct DemotedArgs *demoted_args; /* of the function being lowered */
	uint32_t regions;   /* of reductions and the like around what is being lowered */
	uint64_t failed_work; /* `work` at the first error; 0: there was none */
	FrontReads *reads;  /* what is read is noted or held against it (reads.h); or NULL */
	uint32_t evaluating; /* what is read is part of a value, which is looked at as a whole */
	const struct AsOf *as_of; /* how far the statements of namespaces have run (core.h) */
	VEC(LoopArg) loop_args;
	bool licm_disabled; /* by the tl.condition() that was lowered last */
	bool quiet;         /* what the kernel prints while it is lowered is dropped */
} FrontLower;

/* ---- given by lower-core ---- */

/* Diagnoses at low->span and returns the poison value; adds notes for the calls on the way. */
const Val *lower_error(FrontLower *low, DiagCode code, ...);
/* Diagnoses a warning in the same way; lowering goes on. */
void lower_warning(FrontLower *low, DiagCode code, ...);
/* Diagnoses at low->span what Triton does not have, where the program shall do without; true: it
 * may be used. */
bool lower_extension(FrontLower *low, const char *what);
/* The same in words of Triton's own, on which programs match. */
bool lower_extension_words(FrontLower *low, const char *words);
/* What helps, behind the error just diagnosed. */
void lower_note(FrontLower *low, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same: that the parameter whose value this is can be a constexpr; nothing where it is another value. */
void lower_note_constexpr(FrontLower *low, const Val *v);
/* Makes low->span and the builder's location those of a node; returns the old span for lower_restore. */
Span lower_at(FrontLower *low, Span span);
void lower_restore(FrontLower *low, Span old);
/* Counts a step of work. False, diagnosed once, when the compilation has passed its bound or must end. */
bool lower_step(FrontLower *low);

typedef struct CallArgs {
	const Val **args;
	uint32_t arg_count;
	const Sym *names; /* keywords */
	const Val **values;
	uint32_t keyword_count;
} CallArgs;

/* Calls anything callable: jit function, host function, builtin, class, bound method. */
const Val *lower_call(FrontLower *low, const Val *callee, const CallArgs *args);
/* Fills an empty region with one block whose arguments have the given scalar types, lowers a call of `fn` on them
 * there, and ends it with `terminator` (OP_REDUCE_RETURN, ...) on the result or the items of the result tuple.
 * Returns false after diagnosing. result_types may be NULL (not checked). */
bool lower_region_of(FrontLower *low, IrRegion *region, const Val *fn, const TlType *arg_types,
		     uint32_t arg_count,
		     IrOpKind terminator, const TlType *result_types, uint32_t result_count);
/* The same where the results' types are what `fn` returns: *result_count is the room in result_types, then their number. */
bool lower_region_results(FrontLower *low, IrRegion *region, const Val *fn, const TlType *arg_types,
			  uint32_t arg_count,
			  IrOpKind terminator, TlType *result_types, uint32_t *result_count);

/* What a name at module level of a file of lib/ means ("standard", "cdiv"); NULL when there is none. */
const Val *lower_lib_name(FrontLower *low, const char *file, const char *name);
/* Gives text to the host's `print` (static_print). */
void lower_print(FrontLower *low, Str text);
/* Interned as names of the syntax tree are. */
Sym lower_sym(FrontLower *low, Str text);

/* Host values. */
const Val *val_bool(FrontLower *low, bool b);
const Val *val_int(FrontLower *low, int64_t i);
const Val *val_uint(FrontLower *low, uint64_t i);
const Val *val_float(FrontLower *low, double f);
const Val *val_str(FrontLower *low, Str s);
const Val *val_tuple(FrontLower *low, const Val *const *items, uint32_t len);
const Val *val_dtype(FrontLower *low, TlType type);
/* The type of a value that is known while compiling, and so not of a tensor. */
const Val *val_const_type(FrontLower *low, const Val *of);
const Val *val_tensor(FrontLower *low, IrValue *ir, TlType type);
/* What kind of thing a value is, for messages: "int32[64, 64] tensor", "str 'abc'", "None", "function foo". */
const char *val_describe(FrontLower *low, const Val *v);
const char *val_repr(FrontLower *low, const Val *v); /* as Python's repr */
const char *val_brief(FrontLower *low, const Val *v); /* val_repr for messages: the beginning of long ones */
bool val_is_host_number(const Val *v);           /* bool, int, float */
/* Is it known now? (everything but TENSOR without origin, and sequences that hold such) */
bool val_is_constexpr(const Val *v);
/* Host value as a C number; looks through `origin`. False when it is not one or does not fit. */
bool val_as_int(const Val *v, int64_t *out);
bool val_as_uint(const Val *v, uint64_t *out); /* as val_as_int, for 0 <= v < 2^64 */
bool val_as_double(const Val *v, double *out);
bool val_truth(const Val *v); /* Python's truth of a host value */
bool val_equal(const Val *a, const Val *b); /* Python's == on host values */
bool val_holds(const Val *whole, const Val *part); /* is it, or has it inside? */
/* The host value that v is or came from; NULL when it is known only at run time. */
const Val *val_host(const Val *v);

/* ---- given by semantics ---- */

/* Types. */
TlType tl_scalar(FrontLower *low, TlDtype dtype);
TlType tl_ptr(FrontLower *low, TlType elem, bool is_const, uint32_t space);
TlType tl_block(FrontLower *low, TlType elem, const int64_t *shape, uint32_t rank); /* rank 0: elem itself */
TlType tl_desc(FrontLower *low, TlType block, bool is_const);
TlType tl_void(FrontLower *low);
TlType tl_elem(TlType t); /* of a block; t itself otherwise */
const char *tl_type_text(FrontLower *low, TlType t); /* upstream's str(dtype): "fp32", "int32",
			 "pointer<fp16>", "<['64'], fp32>" */
bool tl_type_by_name(FrontLower *low, Str name, TlType *out); /* "float32" and "fp32", "*fp16", "*k..." */

/* A tensor from a host number (weakly typed: int32, int64 when it does not fit, uint64; float32; int1) or the tensor itself. */
const Val *sem_to_tensor(FrontLower *low, const Val *v);
/* Operators, either side may be a host number; both host values never come here. */
const Val *sem_binary(FrontLower *low, AstBinOp op, const Val *l, const Val *r);
const Val *sem_compare(FrontLower *low, AstCmpOp op, const Val *l, const Val *r);
const Val *sem_unary(FrontLower *low, AstUnOp op, const Val *v);
const Val *sem_logical(FrontLower *low, bool is_or, const Val *l, const Val *r); /* `and`, `or` on tensors */
bool sem_is_one(const Val *v); /* a tensor of one element */
const Val *sem_splat_like(FrontLower *low, const Val *v, const Val *like); /* v, of one element,
			  in the shape of like */
const Val *sem_select(FrontLower *low, const Val *cond, const Val *x, const Val *y); /* tl.where,
		      conditional expressions */
const Val *sem_cast(FrontLower *low, const Val *v, TlType dtype); /* .to(dtype) with defaults */
/* v as an i1 scalar for `if`, `while`, `assert`; diagnoses what has no truth. */
const Val *sem_condition(FrontLower *low, const Val *v);
/* v[...] of a tensor; index is a value: None, SLICE, a TUPLE of those, an int on a tuple never comes here. */
const Val *sem_subscript(FrontLower *low, const Val *v, const Val *index);
/* The tile that `tile[index] = value` makes of a tile. */
const Val *sem_assign(FrontLower *low, const Val *tile, const Val *index, const Val *value);
/* v.name of a tensor, dtype or descriptor value: dtype, shape, type, T, element_ty, ... or a bound method. NULL: no such attribute. */
const Val *sem_attribute(FrontLower *low, const Val *v, Sym name);
/* A call of tl.`name` with positional arguments: print and assert on tensors, min and max of run-time values. */
const Val *sem_call_with(FrontLower *low, const char *name, const CallArgs *args);
const Val *sem_call(FrontLower *low, const char *name, const Val *const *args, uint32_t count);
/* Prints values that run, each element behind the text. */
const Val *sem_print(FrontLower *low, const char *text, const Val *const *values, uint32_t count, bool hex);
/* isinstance(v, cls) for a class of the tile language (tl.tensor, tl.constexpr, tl.dtype, ...): 1 or 0; -1 when cls is none. */
int sem_is_instance(const Val *v, const Val *cls);
/* True when a loop may carry `next` in place of `init` (same type). */
bool sem_same_type(const Val *a, const Val *b);

/* The value of triton.*, tl.*, tl.math.*, libdevice.* and so on by dotted path ("triton.language.arange"): a BUILTIN,
 * FUNCTION of lib/, DTYPE, MODULE or constant. NULL when there is no such name. */
const Val *builtin_lookup(FrontLower *low, const char *module_path, Sym name);
/* Names of a module, for "did you mean". */
const char *const *builtin_names(const char *module_path, size_t *count);
const Val *builtin_call(FrontLower *low, const BuiltinInfo *builtin, const Val *self, const CallArgs *args);

#endif
