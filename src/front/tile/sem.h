/* Inside the semantics: what its files share. Nothing outside sem_*.c, builtin*.c and types*.c includes this.
 *
 * Conventions: a function that makes a value takes tensors that are no poison (callers check once, at the border:
 * builtin_call and the sem_* functions of lower.h) and returns the poison value after diagnosing. `what` is the
 * name that a message puts in front: an operator in quotes or a builtin's name. */
#ifndef NESO_FRONT_TILE_SEM_H
#define NESO_FRONT_TILE_SEM_H

#include "front/lower.h"

enum { SEM_MAX_NUMEL = 1 << 20 };

/* ---- types ---- */

typedef enum { DTC_INT, DTC_UINT, DTC_FLOAT } TlClass;

typedef struct TlDtypeInfo {
	const char *name, *short_name;
	uint8_t bits, cls;
	IrTypeKind ir;
} TlDtypeInfo;

extern const TlDtypeInfo tl_dtypes[DT__COUNT];

static inline bool tl_is(TlType t, TlDtype dtype) { return t->kind == TL_SCALAR && t->dtype == dtype; }
static inline bool tl_is_block(TlType t) { return t->kind == TL_BLOCK; }
static inline bool tl_is_ptr(TlType t) { return t->kind == TL_PTR; }
static inline bool tl_is_block_ptr(TlType t) { return t->kind == TL_PTR && t->elem->kind == TL_BLOCK; }
static inline bool tl_is_float(TlType t) { return t->kind == TL_SCALAR && tl_dtypes[t->dtype].cls == DTC_FLOAT; }
static inline bool tl_is_int(TlType t) { return t->kind == TL_SCALAR && tl_dtypes[t->dtype].cls != DTC_FLOAT; }
static inline bool tl_is_fp8(TlType t) { return tl_is_float(t) && tl_dtypes[t->dtype].bits == 8; }
/* int1 counts as unsigned, as upstream has it. */
static inline bool tl_is_signed(TlType t)
{
	return t->kind == TL_SCALAR && tl_dtypes[t->dtype].cls == DTC_INT && t->dtype != DT_INT1;
}
static inline unsigned tl_bits(TlType t) { return t->kind == TL_SCALAR ? tl_dtypes[t->dtype].bits : 64; }

/* `like` with another element type: a block keeps its shape, anything else becomes elem. */
TlType tl_with_elem(FrontLower *low, TlType like, TlType elem);
TlType tl_int(FrontLower *low, unsigned bits, bool is_signed);
int64_t tl_numel(TlType t); /* 1 for a scalar */
/* For messages: "int32", "fp16[64, 32]", "pointer<fp32>[64]". */
const char *tl_describe(FrontLower *low, TlType t);
const char *tl_shape_text(FrontLower *low, const int64_t *shape, uint32_t rank);
/* Does the target have the dtype? Diagnoses. */
bool sem_check_dtype(FrontLower *low, TlType t);

/* ---- values ---- */

static inline bool sem_is_tensor(const Val *v) { return v->kind == VAL_TENSOR; }
static inline bool sem_is_poison(const Val *v) { return v->kind == VAL_POISON; }
static inline TlType sem_type(const Val *v) { return v->tensor.type; }
static inline IrValue *sem_ir(const Val *v) { return v->tensor.ir; }
static inline TlType sem_elem(const Val *v) { return tl_elem(v->tensor.type); }
static inline bool sem_is_desc(const Val *v) { return sem_is_tensor(v) && sem_type(v)->kind == TL_DESC; }
/* The host value that v is or came from; NULL when it is known only at run time. */
const Val *sem_host(const Val *v);
/* What a value is, for messages: a tensor by its type ("fp32[64, 32]"), others as val_describe has it. */
const char *sem_describe(FrontLower *low, const Val *v);
/* A tensor of the program, no host value and no descriptor. */
static inline bool sem_is_tile(const Val *v)
{
	return sem_is_tensor(v) && sem_type(v)->kind != TL_DESC && sem_type(v)->kind != TL_VOID;
}

/* A list of dimensions or axes: a sequence of host integers, or one. False after diagnosing; what: "tl.zeros". */
typedef struct SemInts {
	int64_t at[IR_MAX_RANK];
	uint32_t len;
} SemInts;

/* ---- constants (sem_const.c) ---- */

/* A constant of a scalar type from a host number (bool, int, float); rounds, wraps as the type does. */
const Val *sem_const(FrontLower *low, const Val *number, TlType type);
const Val *sem_const_int(FrontLower *low, int64_t value, TlType type);
/* The type that a host number has as a tensor; false: none holds it. */
bool sem_number_type(FrontLower *low, const Val *v, TlType *out);
const Val *sem_full(FrontLower *low, const char *what, const SemInts *shape, const Val *value, TlType dtype);
const Val *sem_arange(FrontLower *low, const Val *start, const Val *end);
/* A tensor that is a scalar: from a host number by `type`, or a size-1 tensor cast to it. */
const Val *sem_scalar_of(FrontLower *low, const char *what, const Val *v, TlType type);

/* ---- arithmetic (sem_arith.c) ---- */

typedef struct SemRules {
	const char *what; /* for messages: "operator +" */
	bool ptr_left, ptr_right;
	bool arithmetic;  /* promote the element types */
	bool division;    /* of / // %: fp16 and bf16 compute in fp32, mixed signedness refused */
} SemRules;

/* Brings two operands (tensors or host numbers) to one element type and shape. False after diagnosing. */
bool sem_operands(FrontLower *low, const SemRules *rules, const Val **l, const Val **r);
/* Brings operands of one element type to one that there is arithmetic in: fp8 to fp16, of divisions
 * to fp32. r may be NULL. False after diagnosing: Triton has none, and what combines elements keeps
 * their type. */
bool sem_computes(FrontLower *low, const SemRules *rules, const Val **l, const Val **r);
const Val *sem_minmax(FrontLower *low, bool is_max, const Val *x, const Val *y, bool propagate_nan);
const Val *sem_clamp(FrontLower *low, const Val *x, const Val *lo, const Val *hi, bool propagate_nan);
const Val *sem_fdiv(FrontLower *low, const Val *x, const Val *y);
/* + - * with the overflow check of debug builds as an option. */
const Val *sem_arith(FrontLower *low, AstBinOp op, const Val *l, const Val *r, bool sanitize);

/* ---- conversions (sem_cast.c) ---- */

const Val *sem_cast_rounded(FrontLower *low, const Val *v, TlType dtype,
			    const char *rounding); /* rounding may be NULL */
const Val *sem_bitcast(FrontLower *low, const Val *v, TlType dtype);

/* ---- shapes (sem_shape.c) ---- */

bool sem_check_shape(FrontLower *low, const char *what, const int64_t *shape, uint32_t rank);
const Val *sem_splat(FrontLower *low, const Val *scalar, const int64_t *shape, uint32_t rank);
bool sem_broadcast_pair(FrontLower *low, const Val **l, const Val **r);
const Val *sem_broadcast_to(FrontLower *low, const char *what, const Val *v, const int64_t *shape,
			    uint32_t rank);
/* A signed 32-bit value in 64 bits, and so are the sums, products and shapes that made it
 * (sem_widen.c). */
const Val *sem_widen(FrontLower *low, const Val *v);
/* All tensors to the shape they broadcast to. */
bool sem_broadcast_all(FrontLower *low, const Val **v, uint32_t count);
const Val *sem_reshape(FrontLower *low, const char *what, const Val *v, const int64_t *shape, uint32_t rank,
		       bool reorder);
const Val *sem_expand_dims(FrontLower *low, const Val *v, uint32_t axis);
const Val *sem_permute(FrontLower *low, const char *what, const Val *v, const SemInts *dims);
const Val *sem_trans(FrontLower *low, const Val *v);
const Val *sem_join(FrontLower *low, const Val *a, const Val *b);
const Val *sem_split(FrontLower *low, const Val *v);
const Val *sem_cat(FrontLower *low, const Val *a, const Val *b, uint32_t dim, bool reorder);
const Val *sem_cat_unequal(FrontLower *low, const Val *a, const Val *b, uint32_t dim); /* sem_subscript.c */
const Val *sem_unsplat(FrontLower *low, const char *what, const Val *v);

/* ---- padding (sem_pad.c) ---- */

int64_t tl_padded_size(int64_t n);
bool tl_is_padded(TlType t); /* sizes that are no powers of two: the IR's tile is larger */
/* The tile with its padding as elements of its own. */
const Val *sem_whole(FrontLower *low, const Val *v);
bool sem_check_pow2(FrontLower *low, const char *what, const int64_t *shape, uint32_t rank);
/* False after diagnosing that `what` takes no padded tiles, where there is one. */
bool sem_no_padding(FrontLower *low, const char *what, const Val *const *args, uint32_t count);
/* Which elements of a tile of this type are none of the padding along the axis (-1: all axes);
 * NULL: there is none. */
const Val *sem_valid(FrontLower *low, TlType t, int axis);
/* The mask (may be NULL) without the padding. */
const Val *sem_mask_padding(FrontLower *low, TlType t, const Val *mask);
/* The op says the sizes of its tile, for those that ask what padding costs; `columns` > 0: of a
 * product that it is an operand of. */
void sem_note_padding(FrontLower *low, IrOp *op, TlType t, int64_t columns);
const Val *sem_fill_padding(FrontLower *low, const Val *v, int axis, const Val *with);
/* Division by what the padding holds is not defined. */
const Val *sem_safe_divisor(FrontLower *low, const Val *v);
/* Gives the only operand of a reduction or scan its function's neutral value where it is not
 * valid. False: it is none that has one. */
bool sem_fill_neutral(FrontLower *low, IrOp *op, TlType input, const Val *valid);
/* The elements in another shape of as many. */
const Val *sem_repack(FrontLower *low, const Val *v, TlType to);

/* ---- memory (sem_memory.c, sem_atomic.c, sem_desc.c) ---- */

typedef struct SemAccess {
	const char *what;
	const Val *mask, *other, *boundary_check; /* NULL: not given */
	const char *padding, *cache, *evict;      /* "" when not given */
	bool is_volatile;
} SemAccess;

const Val *sem_load(FrontLower *low, const Val *ptr, const SemAccess *access);
const Val *sem_store(FrontLower *low, const Val *ptr, const Val *value, const SemAccess *access);
/* The number of a word in a list of option words, "" being the first's; 0 after diagnosing. */
int sem_option(FrontLower *low, const char *what, const char *arg, const char *word, const char *const *words,
	       const int *values);
extern const char *const sem_load_caches[], *const sem_store_caches[], *const sem_evictions[];
extern const int sem_load_cache_values[], sem_store_cache_values[], sem_eviction_values[];

typedef struct SemAtomic {
	const char *what;
	const Val *mask; /* or NULL */
	const char *sem, *scope;
	bool moves; /* a load or a store: of 8 bits too, and Triton has them */
} SemAtomic;

const Val *sem_atomic_rmw(FrontLower *low, IrRmw op, const Val *ptr, const Val *value,
			  const SemAtomic *atomic);
const Val *sem_atomic_cas(FrontLower *low, const Val *ptr, const Val *expected, const Val *value,
			  const SemAtomic *atomic);

/* ---- dot, reductions (sem_dot.c, sem_reduce.c) ---- */

typedef struct SemDot {
	const Val *acc; /* or NULL */
	const char *precision; /* NULL: the default */
	bool has_max_imprecise;
	int64_t max_imprecise;
	TlType out;
} SemDot;

const Val *sem_dot(FrontLower *low, const Val *a, const Val *b, const SemDot *dot);
const Val *sem_reduce(FrontLower *low, const Val *input, const Val *axis, const Val *fn, bool keep_dims);
const Val *sem_scan(FrontLower *low, const Val *input, const Val *axis, const Val *fn, bool reverse);

/* ---- arguments (builtin_args.c) ---- */

/* Each reads one argument of a builtin and diagnoses with the builtin's and the argument's name. */
bool sem_arg_ints(FrontLower *low, const char *what, const char *arg, const Val *v, SemInts *out);
bool sem_arg_shape(FrontLower *low, const char *what, const Val *v,
		   SemInts *out); /* checked as a tile's shape */
bool sem_arg_int(FrontLower *low, const char *what, const char *arg, const Val *v, int64_t *out);
bool sem_arg_bool(FrontLower *low, const char *what, const char *arg, const Val *v, bool *out);
bool sem_arg_str(FrontLower *low, const char *what, const char *arg, const Val *v,
		 const char **out); /* or None */
bool sem_arg_dtype(FrontLower *low, const char *what, const char *arg, const Val *v, TlType *out);
/* A tensor, made from a number where that is needed; NULL after diagnosing. */
const Val *sem_arg_tensor(FrontLower *low, const char *what, const char *arg, const Val *v);
/* -rank <= axis < rank, made non-negative. */
bool sem_arg_axis(FrontLower *low, const char *what, const Val *v, uint32_t rank, uint32_t *out);

static inline const Val *sem_make(FrontLower *low, IrValue *ir, TlType type) { return val_tensor(low, ir,
				  type); }

/* Items of a tuple or list. */
static inline bool sem_is_seq(const Val *v) { return v->kind == VAL_TUPLE || v->kind == VAL_LIST; }

#endif
