/* The interpreter inside: tiles, the decoded program, and the state of a running program.
 *
 * A decoded program is a list of instructions on slots; a slot holds one tile. A scalar is a tile of rank 0. Tiles
 * are kept in lazy forms as long as that is cheaper: a value in every element, an affine function of the
 * indices, a box of true elements, a strided view of a buffer. Whoever needs elements asks for a view.
 *
 * Buffers are counted references on memory of the running program; a buffer that dies with an operand is taken
 * over by the result. Code is structured into jumps; where a program stands is one instruction pointer, so a
 * program can be left at any loop and taken up again. */
#ifndef NESO_INTERP_EXEC_H
#define NESO_INTERP_EXEC_H

#include <setjmp.h>
#include <stdatomic.h>

#include "base/diag/diag.h"
#include "base/map.h"
#include "interp/interp.h"
#include "interp/kern/kern.h"
#include "ir/ir.h"

typedef struct Instr Instr;
typedef struct Exec Exec;
typedef struct Decoder Decoder;

typedef struct Shape {
	uint32_t rank;
	int64_t numel;
	int64_t dim[IR_MAX_RANK];
} Shape;

/* What a value is, known when decoding. */
typedef struct SlotType {
	uint8_t kind; /* IrTypeKind of the element: a scalar type, TY_PTR, or TY_TENSORDESC, TY_TENSOR for block
			 pointers */
	uint8_t size;         /* bytes of an element in memory */
	uint8_t bits;
	uint8_t pointee_size; /* TY_PTR: bytes of what it points to */
	uint8_t pointee;      /* TY_PTR: its IrTypeKind */
	const Shape *shape;   /* NULL: that of the running body (a scalar inside tt.reduce and the like) */
} SlotType;

typedef enum {
	FORM_NONE,   /* no value */
	FORM_SPLAT,  /* base everywhere; integers sign-extended, floats zero-extended bits */
	FORM_AFFINE, /* integers, pointers: base + sum of step[d] * index[d], wrapped to the type */
	FORM_BOX,    /* i1: true where stride[d] <= index[d] < step[d] in all dimensions */
	FORM_VIEW,   /* the element at data + sum of stride[d] * index[d] bytes */
	FORM_SUM,    /* i32, i64, pointers: the view's element plus the affine part */
	FORM_OBJECT, /* a block pointer or descriptor, in data */
} Form;

typedef struct Buf {
	uint32_t refs;
	uint32_t size_class;
	struct Buf *next; /* in a free list */
	struct Buf *all;  /* every buffer of the owner */
	Exec *owner;
} Buf;
enum { BUF_HEAD = 64 };

typedef struct Tile {
	uint8_t form;
	uint8_t kind, size, bits;
	uint8_t pointee_size, pointee;
	bool dense;     /* VIEW: row-major without gaps */
	int32_t origin; /* pointers: index of the buffer they were made from; ORIGIN_ANY */
	const Shape *shape;
	Buf *buf; /* VIEW, SUM, OBJECT: what data is in; NULL for memory that outlives the program */
	char *data;
	uint64_t base;
	int64_t stride[IR_MAX_RANK];
	int64_t step[IR_MAX_RANK];
} Tile;
enum { ORIGIN_ANY = -1 };

typedef struct InterpLoc {
	const char *path;
	uint32_t line, col; /* col from 0 */
	const struct InterpLoc *caller;
} InterpLoc;

/* Runs one instruction and returns the next, or NULL after setting x->state. */
typedef const Instr *InstrFn(Exec *x, const Instr *i);

struct Instr {
	InstrFn *fn;
	const uint32_t *slots; /* operands, then results */
	const uint32_t *dead;  /* slots to release afterwards */
	uint16_t in, out, dead_count;
	uint16_t op;           /* IrOpKind */
	uint64_t kill;         /* bit k: operand k (of the first 64) dies here */
	const Instr *target;   /* jumps */
	const void *aux;       /* by fn */
	int64_t imm;
	const InterpLoc *loc;
};

/* A region run as a function of tiles: bodies of reductions, scans, element maps. */
typedef struct Body {
	const Instr *code;
	const uint32_t *args;
	uint32_t arg_count;
	const uint32_t *results; /* slots */
	uint32_t result_count;
	bool control;  /* has branches or memory accesses: one element at a time */
	int single;    /* KB_... when the body is one operation on (accumulated, new); else -1 */
} Body;

struct InterpKernel {
	Arena arena;
	const char *name;
	const Kernels *k;
	const Instr *code;
	const Instr *prologue; /* run once per context and launch: what depends on the arguments alone */
	uint32_t slot_count;
	const SlotType *slots;
	const uint32_t *params; /* slots of the arguments */
	uint32_t param_count;
	const Tile *constants; /* tiles put into slots before each program's first instruction */
	const uint32_t *constant_slots;
	uint32_t constant_count;
	uint32_t loop_count;
	uint32_t ctas; /* that run a program, each a part of it, one after the other; 0 is 1 */
	bool may_wait; /* has loops that read memory: programs may wait for one another */
	_Atomic(Exec *) spare[16]; /* contexts between launches */
	InterpPool *_Atomic pool;
};

typedef enum { EXEC_RUNNING, EXEC_DONE, EXEC_STUCK, EXEC_FAULT, EXEC_STOPPED } ExecState;

typedef struct Launch Launch;
enum { BUF_CLASSES = 40, SCRATCH_ELEMS = 1024, SCRATCH_COUNT = 6 };

/* A program that runs, with all that it owns. */
struct Exec {
	const InterpKernel *kernel;
	const Kernels *k;
	Launch *launch;
	Tile *slots;
	const Shape *lift; /* shape of lifted slots, in a body */
	Buf *free_bufs[BUF_CLASSES], *all_bufs;
	uint64_t pid;         /* linear, x fastest; times CTAs of a program */
	uint32_t rank;        /* of the CTA */
	uint32_t program[3];
	const Instr *at;      /* where to go on */
	ExecState state;
	uint64_t writes;      /* stores and atomics that may have changed memory, prints */
	uint64_t *loop_writes; /* by loop that may wait: `writes` at its last back edge */
	const Instr *waiting; /* the loop this program is stuck in */
	uint32_t ticks;       /* back edges so far */
	uint32_t tick_due, tick_step; /* at how many the clock is looked at, and how often now */
	double tick_time;     /* when it was looked at last */
	bool asks;            /* runs on the thread that asks the host whether to go on */
	uint32_t hit;         /* index of the buffer that the last access hit */
	int32_t depth;        /* of bodies */
	bool plain;
	struct Exec *next;    /* list of programs of a thread */
	/* Blocks of elements for conversions. */
	_Alignas(64) char scratch[SCRATCH_COUNT][SCRATCH_ELEMS * 8];
};

/* What stops a launch: the fault of the program with the least number. */
typedef struct FaultNote {
	DiagCode code;
	uint64_t pid;
	const InterpLoc *loc;
	char *text;  /* arguments of the row's format, formatted */
	char **more; /* notes */
	uint32_t more_count;
} FaultNote;

typedef struct LaunchBuffer {
	uint64_t base, size;
	bool writable;
	uint32_t index; /* in the caller's array */
} LaunchBuffer;

/* ---- tiles (tile.c) ---- */

void tile_release(Tile *t);
void tile_drop(Tile *t); /* release, and forget */
void tile_copy(Tile *to, const Tile *from); /* shares the buffer; `to` holds nothing */
void tile_borrow(Tile *to, const Tile *from); /* likewise without a share: `from` stays as long as it is used */
/* A value of slot type `type` without form. The slot's old value is released. */
Tile *tile_out(Exec *x, const Instr *i, unsigned k);
void tile_init(Tile *t, const SlotType *type, const Shape *shape);
void tile_splat(Tile *t, uint64_t base); /* normalises */
/* Gives `t` a fresh dense buffer for its shape. */
void tile_alloc(Exec *x, Tile *t);
/* As tile_alloc, or takes over the buffer of an operand that dies in this instruction. */
void tile_alloc_reuse(Exec *x, const Instr *i, Tile *t);
/* A dense view of t's elements: itself, or a copy in *room, which the caller drops. */
const Tile *tile_dense(Exec *x, const Tile *t, Tile *room);
/* A view of any strides. */
const Tile *tile_view(Exec *x, const Tile *t, Tile *room);
/* Writes the elements in row-major order. */
void tile_write(Exec *x, const Tile *t, void *out);
/* The bits of one element, as FORM_SPLAT keeps them. */
uint64_t tile_element(const Tile *t, const int64_t *index);
uint64_t tile_element_at(const Tile *t, int64_t linear);
uint64_t tile_normal(const Tile *t, uint64_t bits);
void tile_set_dense(Tile *t); /* recomputes t->dense */
/* Affine integers: the least and greatest value, if none wraps (as signed numbers). */
bool tile_range(const Tile *t, int64_t *low, int64_t *high);
bool tile_same(Exec *x, const Tile *a, const Tile *b); /* the same elements, certainly */
static inline bool tile_is_affine(const Tile *t)
{
	return t->form == FORM_SPLAT || t->form == FORM_AFFINE;
}
/* A splat or affine: step of dimension d. */
static inline int64_t tile_step(const Tile *t, uint32_t d)
{
	return t->form == FORM_SPLAT ? 0 : t->step[d];
}
void tile_rank0(Tile *t); /* a view of one element becomes a splat */
void tile_simplify(Tile *t); /* an AFFINE of no steps is a SPLAT; wraps base and steps */

void *exec_buf(Exec *x, size_t bytes, Buf **buf);
void buf_unref(Buf *buf);
const Shape *shape_of(Arena *arena, IrType type);
Shape shape_make(uint32_t rank, const int64_t *dim);

/* A switch of the tests: no lazy forms but splats, so that each fast path has a plain one to be compared with. */
static inline bool interp_is_plain(const Exec *x)
{
	return x->plain;
}

static inline Tile *instr_in(Exec *x, const Instr *i, unsigned k)
{
	return &x->slots[i->slots[k]];
}
static inline bool instr_kills(const Instr *i, unsigned k)
{
	return k < 64 && i->kill >> k & 1;
}

/* Runs of elements over several views of one shape (tile.c). Strides are in bytes; neighbouring dimensions that
 * all operands run through alike are merged. */
enum { WALK_MAX = 6 };
typedef struct Walk {
	uint32_t rank, count;
	int64_t dim[IR_MAX_RANK];
	int64_t stride[WALK_MAX][IR_MAX_RANK];
	int64_t index[IR_MAX_RANK];
	char *at[WALK_MAX];
	int64_t inner; /* elements of a run */
} Walk;
/* Each tile is a VIEW, or a SPLAT whose element is then read from its base. */
void walk_start(Walk *w, const Shape *shape, const Tile *const *tiles, uint32_t count);
bool walk_next(Walk *w); /* to the next run */

/* ---- running (run.c, report.c) ---- */

const Instr *exec_body(Exec *x, const Body *body, const Shape *lift); /* NULL after a fault */
const Instr *exec_fault(Exec *x, const Instr *i, DiagCode code, const char *format, ...) PRINTF_LIKE(4, 5);
/* An access of `size` bytes that no buffer allows. */
const Instr *exec_fault_access(Exec *x, const Instr *i, const char *verb, uint64_t address, uint32_t size,
			       bool write, int32_t origin, const Shape *shape, int64_t linear);
const char *exec_element_text(char *out, size_t size, const Shape *shape, int64_t linear);
/* The buffer that holds [address, address + size) and may be accessed so, or -1. */
int32_t exec_find_buffer(Exec *x, uint64_t address, uint64_t size, int32_t origin, bool write);
/* At the back edge of a loop: false when the program has to stop (time-out, a fault elsewhere). */
bool exec_tick(Exec *x, const Instr *i);
void exec_free(Exec *x);

/* ---- decoding (decode.c) ---- */

/* Values whose last use is in one op. */
typedef struct DeadList {
	const IrValue *value;
	struct DeadList *next;
} DeadList;

/* A function's static frame. */
typedef struct CallFrame {
	const IrOp *func;
	uint32_t entry; /* index of its first instruction */
	uint32_t *params, *results;
	uint32_t param_count;
	uint32_t back; /* slot of the instruction to return to */
	VEC(struct CallFrame *) callees;
	bool visiting;
} CallFrame;

typedef VEC(Instr) InstrList;

struct Decoder {
	InterpKernel *kernel;
	Arena *arena, *scratch; /* of the kernel; of decoding */
	const IrModule *module;
	const IrCx *cx;
	DiagList *diags;
	bool failed;
	int lifted; /* > 0 inside a body: scalars are tiles of the shape being worked on */
	InstrList code, prologue;
	bool *invariant; /* by value id: made by the prologue, or an argument of the kernel */
	VEC(SlotType) slots;
	VEC(Tile) constants;
	VEC(uint32_t) constant_slots;
	VEC(Body *) bodies;
	VEC(CallFrame *) frames; /* the kernel's first; the list grows while it is worked off */
	CallFrame *frame;
	uint32_t *slot_of; /* by value id: slot plus one */
	uint32_t *order;   /* by op id: position in its block */
	DeadList **dead;   /* by op id */
	Map locs;
	uint32_t reads; /* memory reads decoded so far: whether a loop holds one */
	uint32_t loop_count;
};

typedef bool DecodeFn(Decoder *d, const IrOp *op);
extern DecodeFn *const interp_tab[OP__COUNT];
/* Ops that exist only where layouts are chosen are refused, all alike. */
#define INTERP_T(name) interp_##name
#define INTERP_TG(name) interp_##name
#define INTERP_G(name) decode_refuse_level
#define OP(name, text, levels, ...) DecodeFn INTERP_##levels(name);
#include "ir/ops.def"
#undef OP

SlotType decode_type(Decoder *d, IrType type);
uint32_t decode_slot(Decoder *d, const IrValue *value); /* made on first sight */
uint32_t decode_new_slot(Decoder *d, SlotType type);
/* An instruction for `op`: its operands and results, last uses, location. */
Instr *decode_instr(Decoder *d, const IrOp *op, InstrFn *fn);
static inline bool decode_plain(Decoder *d, const IrOp *op, InstrFn *fn) /* nothing else belongs to it */
{
	decode_instr(d, op, fn);
	return true;
}
Body *decode_body(Decoder *d, const IrOp *op, const IrRegion *region);
bool decode_refuse(Decoder *d, const IrOp *op, const char *format, ...) PRINTF_LIKE(3, 4);
KernType kern_type(unsigned kind); /* of an element type; KT_F32 for the small floats */
/* The KF_... of a float that is computed as f32, or -1. */
int kern_format(unsigned kind);
/* The store that computes `op` itself, straight into memory where it can, or NULL. */
const IrOp *decode_fused(const IrOp *op);
/* May the result of a load be the memory itself? Nothing writes before its last use, and no use keeps a view. */
bool decode_may_alias(const IrOp *load);
/* KB_... of an elementwise IR op on elements of `kind`, or -1. */
int elem_binary_of(IrOpKind op, unsigned kind);

#endif
