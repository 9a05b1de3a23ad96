/* Types, attributes and locations of the IR: immutable, hash-consed in an IrCx, so equality is pointer
 * equality. Everything lives in the IrCx's arena and dies with it. One IrCx belongs to one thread at a time. */
#ifndef NESO_IR_TYPE_H
#define NESO_IR_TYPE_H

#include "base/str.h"

/* Scalars first, integers by width, then floats: ORDER TY (ir_is_int, ir_is_float). */
typedef enum {
#define TYPE(kind, text, bits, cls, doc) TY_##kind,
#include "ir/types.def"
#undef TYPE
	TY_PTR,        /* !tt.ptr<elem, space>; elem may be a tensor (a block pointer) */
	TY_TENSOR,     /* tensor<shape x elem, encoding> */
	TY_TENSORDESC, /* !tt.tensordesc<tensor<...>>: elem is the tensor */
	TY_MEMDESC,    /* !ttg.memdesc<shape x elem, encoding, space, mutable> */
	TY_TOKEN,      /* !ttg.async.token */
	TY_FUNC,       /* (list[0..split)) -> (list[split..len)) */
	TY_NONE,       /* none */
	TY__COUNT
} IrTypeKind;

typedef struct IrTypeData IrTypeData;
typedef struct IrAttrData IrAttrData;
typedef struct IrLocData IrLocData;
typedef const IrTypeData *IrType;
typedef const IrAttrData *IrAttr;
typedef const IrLocData *IrLoc;

/* No tile has more dimensions than this. */
enum { IR_MAX_RANK = 16 };

struct IrTypeData {
	IrTypeKind kind;
	uint32_t id;         /* dense, in order of creation */
	uint32_t bits;       /* of a scalar; 64 for a pointer; 0 otherwise */
	uint32_t space;      /* PTR: address space, 1 is global; MEMDESC: memory space; TENSORDESC: IrSign */
	bool is_mutable;     /* MEMDESC */
	IrType elem;         /* PTR, TENSOR, TENSORDESC, MEMDESC */
	IrAttr encoding;     /* TENSOR, MEMDESC: layout, or NULL */
	uint32_t rank;       /* TENSOR, MEMDESC */
	int64_t *shape;
	uint32_t alloc_rank; /* MEMDESC: a part of a larger one; the encoding is that of the whole's last `rank` dims */
	int64_t *alloc;      /* its shape; alloc_rank is 0 where it is `shape` */
	uint32_t split, len; /* FUNC */
	IrType *list;
};

typedef enum {
	ATTR_KIND_UNIT,
	ATTR_KIND_BOOL,   /* i */
	ATTR_KIND_INT,    /* i, of integer type */
	ATTR_KIND_FLOAT,  /* bits in the format of type */
	ATTR_KIND_STRING, /* text */
	ATTR_KIND_SYMBOL, /* @text */
	ATTR_KIND_TYPE,   /* type */
	ATTR_KIND_ARRAY,  /* items */
	ATTR_KIND_INTS,   /* array<i32: 1, 0>: ints, of integer type (i1 for booleans) */
	ATTR_KIND_DENSE,  /* dense<...> : tensor: the bits of each element, or of all (splat) */
	ATTR_KIND_DICT,   /* names, items */
	ATTR_KIND_CUSTOM, /* #text<items>: layouts and other dialects' attributes */
} IrAttrKind;

struct IrAttrData {
	IrAttrKind kind;
	uint32_t id;
	IrType type;     /* INT, FLOAT, TYPE, INTS, DENSE */
	int64_t i;       /* BOOL, INT (sign-extended) */
	uint64_t bits;   /* FLOAT */
	Sym text;        /* STRING, SYMBOL, CUSTOM */
	size_t text_len; /* STRING may hold NULs; one without is interned, so `text` is a Sym */
	uint32_t len;    /* of items, ints, words, names */
	bool splat;      /* DENSE: words[0] stands for all */
	union {
		IrAttr *items;
		int64_t *ints;
		uint64_t *words; /* the low bits hold the element, the high bits are 0 */
	};
	Sym *names; /* DICT, sorted by strcmp */
};

typedef enum { LOC_UNKNOWN, LOC_FILE, LOC_NAME, LOC_CALLSITE, LOC_FUSED } IrLocKind;

struct IrLocData {
	IrLocKind kind;
	uint32_t id;
	Sym text;           /* FILE: path; NAME: name */
	uint32_t line, col; /* FILE: line from 1, column from 0, as the text form prints them */
	IrLoc child;        /* NAME: of what; CALLSITE: callee */
	IrLoc caller;       /* CALLSITE */
	IrLoc *list;        /* FUSED */
	uint32_t len;
};

/* Names of attributes that the compiler itself reads: cx->names[ATTR_AXIS]. */
typedef enum {
#define ATTR(name, text) ATTR_##name,
#include "ir/attrs.def"
#undef ATTR
	ATTR__COUNT
} IrAttrName;

typedef struct IrCons {
	const void **slots;
	uint64_t *hashes;
	uint32_t cap, len;
} IrCons;

typedef struct IrCx {
	Arena *arena;
	Interner syms;
	Sym names[ATTR__COUNT];
	IrType scalars[TY_PTR]; /* by kind */
	IrType none, token;
	IrLoc unknown;
	IrCons types, attrs, locs;
} IrCx;

void ir_cx_init(IrCx *cx, Arena *arena);

static inline Sym ir_sym(IrCx *cx, const char *text)
{
	return intern_text(&cx->syms, text);
}

/* ---- types ---- */

static inline IrType ir_scalar(const IrCx *cx, IrTypeKind kind)
{
	return cx->scalars[kind];
}
IrType ir_int(const IrCx *cx, unsigned bits); /* 1, 4, 8, 16, 32, 64 */
IrType ir_ptr(IrCx *cx, IrType elem, uint32_t space);
IrType ir_tensor(IrCx *cx, IrType elem, const int64_t *shape, uint32_t rank, IrAttr encoding);
/* Whether a descriptor's integers are signed: upstream says so in the type (tensor<4xui8>), and only there. */
typedef enum { SIGN_NONE, SIGN_SIGNED, SIGN_UNSIGNED } IrSign;
IrType ir_tensordesc_signed(IrCx *cx, IrType tensor, IrSign sign);
IrType ir_memdesc(IrCx *cx, IrType elem, const int64_t *shape, uint32_t rank, IrAttr encoding, uint32_t space,
		  bool is_mutable);
/* A part of memory of shape `alloc`; of what is no part when both shapes are equal. */
IrType ir_memdesc_part(IrCx *cx, IrType elem, const int64_t *shape, uint32_t rank, IrAttr encoding, uint32_t space,
		       bool is_mutable, const int64_t *alloc, uint32_t alloc_rank);
IrType ir_with_encoding(IrCx *cx, IrType type, IrAttr encoding); /* of a tensor or memdesc; any other type as it is */
IrType ir_func_type(IrCx *cx, const IrType *in, uint32_t in_len, const IrType *out, uint32_t out_len);
/* `like` with another element type: a tensor keeps shape and encoding; anything else becomes elem. */
IrType ir_with_elem(IrCx *cx, IrType like, IrType elem);

static inline bool ir_is_int(IrType t) { return t->kind <= TY_I64; }
static inline bool ir_is_float(IrType t) { return t->kind > TY_I64 && t->kind < TY_PTR; }
static inline bool ir_is_scalar(IrType t) { return t->kind < TY_PTR; }
static inline bool ir_is_tensor(IrType t) { return t->kind == TY_TENSOR; }
static inline bool ir_is_ptr(IrType t) { return t->kind == TY_PTR; }
static inline bool ir_is_block_ptr(IrType t) { return t->kind == TY_PTR && t->elem->kind == TY_TENSOR; }
/* The element type of a tensor; any other type itself. */
static inline IrType ir_elem(IrType t) { return t->kind == TY_TENSOR ? t->elem : t; }
int64_t ir_numel(IrType t);             /* of a tensor; 1 for all else */
bool ir_same_shape(IrType a, IrType b); /* two tensors of one shape, or no tensor at all */

/* ---- attributes ---- */

IrAttr ir_attr_unit(IrCx *cx);
IrAttr ir_attr_bool(IrCx *cx, bool value);
IrAttr ir_attr_int(IrCx *cx, IrType type, int64_t value); /* wrapped to the type's width, sign-extended */
IrAttr ir_attr_i32(IrCx *cx, int64_t value);
IrAttr ir_attr_float_bits(IrCx *cx, IrType type, uint64_t bits);
IrAttr ir_attr_float(IrCx *cx, IrType type, double value); /* rounded to nearest even */
/* Between a float type's bits and doubles (fp.h): to nearest even, overflow to infinity or NaN. */
uint64_t ir_float_bits(IrType type, double value);
double ir_float_value(IrType type, uint64_t bits);
IrAttr ir_attr_string(IrCx *cx, Str text);
IrAttr ir_attr_symbol(IrCx *cx, Sym name);
IrAttr ir_attr_type(IrCx *cx, IrType type);
IrAttr ir_attr_array(IrCx *cx, const IrAttr *items, uint32_t len);
IrAttr ir_attr_ints(IrCx *cx, IrType type, const int64_t *ints, uint32_t len);
IrAttr ir_attr_dense(IrCx *cx, IrType tensor, const uint64_t *words, uint32_t len); /* equal words: a splat */
IrAttr ir_attr_splat(IrCx *cx, IrType tensor, uint64_t word);
IrAttr ir_attr_dict(IrCx *cx, const Sym *names, const IrAttr *items, uint32_t len); /* sorts */
IrAttr ir_attr_custom(IrCx *cx, Sym name, const IrAttr *items, uint32_t len);

/* ---- locations ---- */

IrLoc ir_loc_file(IrCx *cx, const char *path, uint32_t line, uint32_t col);
IrLoc ir_loc_name(IrCx *cx, Sym name, IrLoc child);
IrLoc ir_loc_callsite(IrCx *cx, IrLoc callee, IrLoc caller);
IrLoc ir_loc_fused(IrCx *cx, const IrLoc *list, uint32_t len);
/* The innermost LOC_FILE of a location (through names, callees, the first of fused), or NULL. */
IrLoc ir_loc_position(IrLoc loc);
/* Where the function that holds `loc` was inlined, or NULL: position and caller walk an inlining chain. */
IrLoc ir_loc_caller(IrLoc loc);

#endif
