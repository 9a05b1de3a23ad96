/* Registers that differ by constants: what is known of integers and pointers as base + constant.
 *
 * A thread's registers of an index tile are mostly one value plus constants of the layout. Ops on addresses build the
 * base once, and each register is the base plus its constant, which addressing takes as an immediate; a loop carries
 * one base for all of them. The facts hang on LLVM values; a value without one is its own base. */
#ifndef NESO_LLVM_LOWER_AFFINE_H
#define NESO_LLVM_LOWER_AFFINE_H

#include "llvm/lower.h"

typedef struct LowerAffine {
	LLVMValueRef base; /* integer, or pointer: then offset is in bytes */
	int64_t offset;
	uint64_t zero;     /* bits that are 0 in the base; of pointers nothing */
} LowerAffine;

LowerAffine lower_affine(const Lower *lw, LLVMValueRef v);
/* base + offset, as a value that is known to be that. */
LLVMValueRef lower_affine_value(Lower *lw, LowerAffine a);
/* Is base + offset, as a signed integer, without wrap-around? */
static inline bool lower_affine_is_exact(LowerAffine a)
{
	return a.offset == 0 || (a.offset > 0 && ((uint64_t)a.offset & ~a.zero) == 0);
}

/* Sums, differences, products, addresses of one op; equal bases are combined once. divisible: a power of two that every value
 * of operand i is a multiple of (axis.h), 1 where nothing is known. */
typedef struct LowerAffineOp {
	const IrOp *op;
	int64_t divisible[2];
	unsigned bytes;  /* of a pointer's element */
	struct LowerAffineMade *made[64]; /* what was combined before, in lists by a hash */
} LowerAffineOp;

LowerAffineOp lower_affine_op(const Lower *lw, const IrOp *op);
LLVMValueRef lower_affine_add(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lower_affine_subtract(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lower_affine_multiply(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b);
/* Sign extension of a narrower integer. */
LLVMValueRef lower_affine_extend(Lower *lw, LowerAffineOp *op, LLVMValueRef v, LLVMTypeRef type);
LLVMValueRef lower_affine_address(Lower *lw, LowerAffineOp *op, LLVMValueRef pointer, LLVMValueRef index);

/* Does the loop-carried value step by the same amount in all elements each round, so that its registers keep their
 * distances? arg: of the body; yielded: by its end. */
bool lower_affine_steps(const IrValue *arg, const IrValue *yielded);

#endif
