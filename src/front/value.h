/* Values while a kernel is lowered: what Python would hold (constexpr values) and what runs (tensors).
 *
 * Everything that is known while compiling is a host value with Python's semantics; everything that runs is a
 * VAL_TENSOR: an IR value with its type in the tile language (IR types have no signedness). Values are immutable
 * but for lists and objects under construction, live in the arena of the compilation, and may be shared. */
#ifndef NESO_FRONT_VALUE_H
#define NESO_FRONT_VALUE_H

#include "front/syntax/ast.h"
#include "ir/ir.h"

/* ---- types of the tile language ---- */

/* ORDER DT: integers by width with signed before unsigned, then floats by rank in promotion. */
typedef enum {
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) DT_##kind,
#include "front/dtypes.def"
#undef DTYPE
	DT__COUNT
} TlDtype;

/* The dtype that a Python number has where nothing else says: int32, else uint32, int64, uint64 by what holds it; fp32, or fp64
 * for what fp32 would make subnormal or infinite. */
TlDtype tl_dtype_of_int(int64_t value);
TlDtype tl_dtype_of_float(double value);

typedef enum {
	TL_SCALAR, /* dtype */
	TL_PTR,    /* pointer to elem: a scalar, or a block (a block pointer) */
	TL_BLOCK,  /* shape, elem: scalar or pointer */
	TL_DESC,   /* tensor descriptor of block elem */
	TL_VOID,
} TlTypeKind;

typedef struct TlTypeData TlTypeData;
typedef const TlTypeData *TlType; /* hash-consed: equal types are equal pointers within one FrontLower */

struct TlTypeData {
	TlTypeKind kind;
	TlDtype dtype;  /* SCALAR */
	bool is_const;  /* PTR: *k; DESC: made of such */
	uint32_t space; /* PTR: address space */
	TlType elem;    /* PTR, BLOCK, DESC */
	uint32_t rank;  /* BLOCK */
	int64_t *shape;
	IrType ir;
};

/* ---- values ---- */

typedef enum {
	VAL_POISON,  /* stands for a value after an error; every use of it is silent */
	VAL_NONE,
	VAL_BOOL,
	VAL_INT,
	VAL_FLOAT,
	VAL_DEMOTED,  /* a number that the launch gives (demote.h) */
	VAL_STR,
	VAL_ELLIPSIS,
	VAL_SLICE,    /* a:b:c inside a subscript; parts are values, NULL when absent */
	VAL_TUPLE,
	VAL_LIST,
	VAL_DICT,
	VAL_RANGE,    /* range(), tl.range(), tl.static_range() as objects */
	VAL_DTYPE,    /* a TlType as a value: tl.float32, ptr.dtype, tl.pointer_type(...) */
	VAL_CONST_TYPE, /* the type of a value that is known while compiling: tl.constexpr_type(5), N.type */
	VAL_FUNCTION, /* a def: jit, constexpr_function, or plain host function; with its closure */
	VAL_BUILTIN,  /* a row of builtins.def */
	VAL_METHOD,   /* function, builtin or Python method with its first argument bound */
	VAL_MODULE,   /* a namespace: tl, tl.math, a user's module */
	VAL_CLASS,    /* aggregate, named tuple, enum, or plain class used as a namespace */
	VAL_OBJECT,   /* instance of one */
	VAL_TENSOR,   /* runs */
	VAL_PYTHON,   /* a function or type of Python: len, int, str.split, ValueError */
	VAL_OPAQUE,   /* a global that exists but cannot be evaluated here; using it is an error that says so */
} ValKind;

typedef struct Val Val;
typedef struct BigInt BigInt;           /* bigint.h */
typedef struct FrontFunction FrontFunction; /* a def with its module and closure: front.h */
typedef struct FrontModule FrontModule;
typedef struct FrontClass FrontClass;
typedef struct BuiltinInfo BuiltinInfo; /* builtin.h */

typedef enum { RANGE_PLAIN, RANGE_TL, RANGE_STATIC } RangeKind;

struct Val {
	ValKind kind;
	/* A number that a plain assignment turned into a tensor (`x = 5`): the host value it came from, so that
	 * it may still be used where a constexpr is wanted. Also the value that a constexpr had. */
	const Val *origin;
	union {
		bool b;
		struct { int64_t small; const BigInt *big; } i; /* big is NULL when small holds it */
		double f;
		struct Demoted *demoted;
		Str s;
		struct { const Val *lower, *upper, *step; } slice;
		struct { const Val **items; uint32_t len; FrontClass *klass; const Sym *fields; } seq; /* TUPLE, LIST; klass: named tuple */
		struct { const Val **keys, **values; uint32_t len; } dict;
		struct {
			RangeKind range;
			const Val *start, *stop, *step;
			const Val *num_stages, *loop_unroll_factor, *disallow_acc_multi_buffer, *flatten,
				*warp_specialize, *disable_licm; /* NULL when not given */
		} range;
		TlType type; /* DTYPE */
		const Val *typed; /* CONST_TYPE: the value */
		FrontFunction *function;
		const BuiltinInfo *builtin;
		struct { const Val *callee, *self; } method;
		struct { FrontModule *module; const char *builtin_path; } module; /* "triton.language.math" for ours */
		FrontClass *klass;
		/* Fields in the class's order; home: the block that was being filled when it was made, where alone its fields may
		 * be assigned. */
		struct { FrontClass *klass; const Val **fields; const IrBlock *home; } object;
		struct {
			IrValue *ir;
			TlType type;
			IrValue *const *extents; /* of a descriptor that was handed on: shape, strides; NULL: where it was made */
		} tensor;
		const struct PyBuiltin *python;
		struct { const char *why; } opaque;
	};
};

#endif
