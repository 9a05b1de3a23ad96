/* Lowering TTGIR to LLVM IR, op by op.
 *
 * A tile becomes one LLVM value for each register of its layout: repetition outermost, then the register bits, so
 * regs[(rep << register_bits) + r]. A scalar is one value. Every op kind has a hook (the table of lower.c is made from
 * ir/ops.def; a missing one fails at link). A hook reads its operands by lower_get, builds, and gives each result by
 * lower_set. Control flow is built by lower/control.c and loop.c, which lower the blocks inside.
 *
 * What the hardware does and LLVM IR has no instruction for is a machine operation (machine.h). Thread ids, addresses and
 * everything that depends on them are computed by the helpers below, so that equal things are equal values. */
#ifndef NESO_LLVM_LOWER_H
#define NESO_LLVM_LOWER_H

#include <llvm-c/Core.h>

#include "base/diag/diag.h"
#include "base/map.h"
#include "gpu/analysis/axis.h"
#include "gpu/layout/encoding.h"
#include "gpu/memory/memory.h"

/* LLVMAttributeFunctionIndex in the type that takes it. */
#define LOWER_ON_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

typedef enum LowerKind {
	LOWER_NONE,   /* not lowered yet */
	LOWER_SCALAR, /* one register, the same in all threads; a token too */
	LOWER_TILE,   /* a register for each element that the thread holds */
	LOWER_MEMORY, /* of a memdesc: where it begins in shared memory */
	LOWER_TENSOR, /* of a tensor descriptor: its map */
} LowerKind;

/* What an IR value of this type became. */
typedef struct LowerValue {
	LowerKind kind;
	IrType type;
	LLVMValueRef *regs;
	uint32_t count;
} LowerValue;

/* Who is asked what an access moves: see lower_elements. */
typedef struct LowerTileNode {
	const IrOp *op;
	const Layout *layout;
	LLVMMetadataRef node;
} LowerTileNode;

typedef struct LowerTypes {
	LLVMTypeRef i1, i8, i16, i32, i64, f16, bf16, f32, f64, void_;
	LLVMTypeRef global; /* ptr addrspace(1) */
	LLVMTypeRef shared; /* ptr addrspace(3) */
} LowerTypes;

typedef struct Lower {
	Arena *arena;
	GpuCx *gpu;
	IrModule *module;
	DiagList *diags;
	AxisMap *axis;
	const TargetGpu *target;
	bool fp_fusion, no_reflect_ftz, line_info, predictions;
	unsigned maxnreg; /* 0: no limit */
	const char *libdevice; /* path of libdevice.10.bc, or NULL */
	bool failed; /* a diagnostic was made: results no longer matter */

	LLVMContextRef cx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LowerTypes t;
	LLVMValueRef fn;           /* being built */
	IrOp *func;                /* what it is made of */
	const IrOp *op;            /* being lowered: the innermost */
	LowerTileNode tile;        /* made last */
	const IrOp *buffer_op; /* whose shared memory was looked for last: */
	LLVMMetadataRef buffer; /* NULL: not known */
	bool looked_for_copies, has_copies; /* through tensor maps: the module */
	bool looked_for_halves, has_f16, has_bf16; /* what the module's ops give (lower/cast.c) */
	bool hinted;            /* some op so far has tl.max_contiguous */
	unsigned tensor_loads;     /* ops from the next one on that are done (lower_tensor.c) */
	bool tensor_expects;       /* the next ttng.barrier_expect is done */
	bool tensor_waits;         /* so is the next one */
	LLVMValueRef shared_base;  /* ptr addrspace(3): the start of dynamic shared memory */
	LowerValue *values;        /* by IrValue id */
	bool uses_print, uses_assert;
	unsigned scratch_bytes;    /* global scratch of a CTA */
	struct LowerRoles *roles; /* NULL: all warps run the same code */
	struct LowerThread *thread; /* thread ids of the region being built (lower.c) */
	struct LowerDebug *debug;
	Map functions; /* IrOp -> LLVMValueRef */
	Map *affine; /* what is known of values (lower/affine.h) */
	struct LowerMachine *machine;
	struct LowerLibrary *libraries; /* that functions are taken from (libdevice.h) */
} Lower;

/* Builds the hook's op; false after diagnosing. */
typedef bool LowerFn(Lower *lw, IrOp *op);
#define OP(name, ...) LowerFn lower_##name;
#include "ir/ops.def"
#undef OP

/* Ops of a block up to its terminator, in order. */
bool lower_block(Lower *lw, IrBlock *block);

/* ---- values ---- */

LowerValue lower_get(Lower *lw, const IrValue *value);
static inline LLVMValueRef lower_scalar(Lower *lw, const IrValue *value)
{
	LowerValue v = lower_get(lw, value);
	CONTRACT(v.kind != LOWER_TILE || v.count == 1);
	return v.regs[0];
}
void lower_set(Lower *lw, const IrValue *value, LLVMValueRef *regs, uint32_t count); /* keeps the array */
void lower_set_scalar(Lower *lw, const IrValue *value, LLVMValueRef v);
LLVMValueRef *lower_array(Lower *lw, uint32_t count); /* in the arena */
/* How many LLVM values a value of this type is. */
uint32_t lower_count(Lower *lw, IrType type);
/* Of an element: fp8 are i8, pointers ptr addrspace(1), i1 is i1. */
LLVMTypeRef lower_type(Lower *lw, IrType elem);
unsigned lower_bits(IrType elem); /* that an element takes in memory: i1 takes 8, a pointer 64 */
LLVMTypeRef lower_int_type(Lower *lw, unsigned bits);

LLVMValueRef lower_i32(Lower *lw, int64_t value);
LLVMValueRef lower_i64(Lower *lw, int64_t value);
LLVMValueRef lower_i1(Lower *lw, bool value);
/* Between an element's type and an integer of as many bits (i1 becomes i8 in memory). */
LLVMValueRef lower_to_bits(Lower *lw, LLVMValueRef v, IrType elem);
LLVMValueRef lower_from_bits(Lower *lw, LLVMValueRef v, IrType elem);

/* An op with one result, over registers: `element` builds one of them from one of each operand. A scalar operand goes with
 * every register. Registers whose operands are equal are built once where the op is pure. */
typedef LLVMValueRef LowerElement(Lower *lw, const IrOp *op, const LLVMValueRef *args);
bool lower_elementwise(Lower *lw, IrOp *op, LowerElement *element);
/* For each register of the value the first one that is known to hold the same: their elements
 * lie in one group of equal ones along every dim. Registers whose coordinates differ only below
 * the groups' size do so in every thread, whatever it adds to them. NULL: nothing is known. */
uint32_t *lower_first_of_equal(Lower *lw, const IrValue *v);
LLVMValueRef lower_widen(Lower *lw, LLVMValueRef x); /* a narrower float to f32 */
LLVMValueRef lower_fma(Lower *lw, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c); /* one rounding; any float type */

/* ---- who am I ---- */

LLVMValueRef lower_thread(Lower *lw); /* i32, of the region: 0 .. 32 * warps - 1 */
LLVMValueRef lower_lane(Lower *lw);   /* i32 */
LLVMValueRef lower_warp(Lower *lw);   /* i32, uniform over the warp, and known to be */
/* That run a program: those of the cluster. */
static inline unsigned lower_ctas_of_program(const Lower *lw)
{
	return lw->gpu->num_ctas * lw->gpu->cluster;
}
LLVMValueRef lower_cta_rank(Lower *lw); /* i32, of the cluster */
LLVMValueRef lower_cta(Lower *lw);    /* i32, of the cluster; 0 without */
/* The thread word of plans: lane bits lowest, then warp, then block bits. */
LLVMValueRef lower_thread_word(Lower *lw, const Layout *layout);
/* i32: XOR of bases[i] over the bits of a word, plus nothing: few ANDs, shifts and XORs; bases that are neighbouring powers
 * of two become one mask and one shift. */
LLVMValueRef lower_linear(Lower *lw, const uint64_t *bases, unsigned count, LLVMValueRef word);
/* An intrinsic or any function by its full name ("llvm.fabs.f32"); declared as the arguments' types ask. */
LLVMValueRef lower_intrinsic(Lower *lw, const char *name, LLVMTypeRef result, const LLVMValueRef *args, unsigned count);
static inline LLVMValueRef lower_intrinsic1(Lower *lw, const char *name, LLVMTypeRef result, LLVMValueRef a)
{
	return lower_intrinsic(lw, name, result, &a, 1);
}
static inline LLVMValueRef lower_intrinsic2(Lower *lw, const char *name, LLVMTypeRef result, LLVMValueRef a, LLVMValueRef b)
{
	return lower_intrinsic(lw, name, result, (LLVMValueRef[]){a, b}, 2);
}
/* "f32", "i16", ...: how an intrinsic's name spells a scalar type. */
const char *lower_type_suffix(Lower *lw, LLVMTypeRef type);
/* Attribute range(iBITS from, to). */
LLVMAttributeRef lower_range(Lower *lw, unsigned bits, uint64_t from, uint64_t to);
/* What is built from here on belongs to this place of the source; NULL: to none. lower_block does it for each op. */
void lower_line(Lower *lw, IrLoc loc);

/* Which elements of the op's tile an instruction moves: those of register `first` of `layout` (repetitions included) and what
 * `vector` adds for each bit of an element's place, `matrix` for each of a matrix's. */
typedef struct LowerElements {
	enum { LOWER_WORDS, LOWER_ROWS, LOWER_ROWS_TRANSPOSED } kind;
	const Layout *layout;
	uint32_t first;
	const uint32_t *vector, *matrix;
	unsigned vector_bits, matrix_bits;
} LowerElements;

/* Says so, where predictions are asked for (memory/tile.c); NULL: of the op's tile, which is not known. */
void lower_elements(Lower *lw, LLVMValueRef instruction, const LowerElements *elements);

/* i1: parity of (word & mask) is 1. */
LLVMValueRef lower_parity(Lower *lw, LLVMValueRef word, uint64_t mask);
/* Coordinates of each register: coords[reg * rank + dim], i32. The part of the thread is computed once a dim. */
LLVMValueRef *lower_coordinates(Lower *lw, const Layout *layout);
/* i1: this thread holds the first copy of what it holds (layout_free_bits of lanes, warps, blocks are 0); NULL: always. */
LLVMValueRef lower_owner(Lower *lw, const Layout *layout);

/* Fetches the tensor maps among the arguments, so that the first copies need not wait for them
 * (memory/tensor.c). */
void lower_fetch_maps(Lower *lw, const IrBlock *body);

/* Of a function with ttg.warp_specialize: who runs what is being built (lower/roles.c). */
typedef struct LowerRoles {
	unsigned first, warps; /* the warps, the first of them */
	unsigned barrier;      /* at which they meet */
	unsigned all, count;   /* warps of a CTA; ops so far */
	uint64_t memory;       /* where the number of the op that begins is written */
	/* of a thread of the kernel's warps and of others; 0: as they were at the start */
	unsigned registers, others;
	bool shared; /* CTAs of a cluster copy to each other: all of them meet where roles begin */
	LLVMBasicBlockRef begin, wait; /* of the other warps */
	LLVMValueRef choice;
} LowerRoles;

/* ---- building ---- */

void lower_barrier(Lower *lw); /* all threads of the region, in this CTA */
void lower_program_barrier(Lower *lw); /* in all CTAs of the cluster */
LLVMValueRef lower_shared_at(Lower *lw, uint64_t offset); /* ptr addrspace(3), a constant offset from the base */
/* base + index * bytes, as ptr of base's kind. */
LLVMValueRef lower_offset(Lower *lw, LLVMValueRef base, LLVMValueRef index, unsigned bytes);
/* From one distributed layout to another, registers in, registers out; scratch is where `allocate` put the op's bytes. Any
 * hook may use it for its own ends. */
LLVMValueRef *lower_convert(Lower *lw, const Layout *from, const Layout *to, LLVMValueRef *regs, IrType elem,
			    uint64_t scratch);
/* The body of a combining region (tt.reduce, tt.scan, ...) on scalars: args in, results out (as many as it returns). */
bool lower_inline_region(Lower *lw, IrRegion *region, const LLVMValueRef *args, uint32_t count, LLVMValueRef *results);
/* Blocks in the order of the text. */
LLVMBasicBlockRef lower_new_block(Lower *lw, const char *name);
/* Runs `then` only where cond is true: returns with the builder inside; lower_end_if goes on after. cond NULL: always. */
typedef struct LowerIf {
	LLVMBasicBlockRef then, after;
} LowerIf;
LowerIf lower_begin_if(Lower *lw, LLVMValueRef cond);
void lower_end_if(Lower *lw, LowerIf part);
/* The loop that this branch closes is not to be unrolled: by LLVM, nor by ptxas. */
void lower_keep_rolled(Lower *lw, LLVMValueRef branch);
/* The backward branch says what the loop's op asks for. */
void lower_end_loop(Lower *lw, const IrOp *loop, LLVMValueRef branch, bool rolled);

/* A user's fault at an op's place; sets lw->failed and returns false. */
bool lower_diag(Lower *lw, IrLoc loc, DiagCode code, ...);

#endif
