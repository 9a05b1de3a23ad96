/* What the hooks of floats share: building blocks, and conversions. */
#ifndef NESO_LLVM_MATH_MATH_H
#define NESO_LLVM_MATH_MATH_H

#include "llvm/lower.h"
#include "llvm/machine.h"

enum { MATH_MAX_OPERANDS = 3 };

/* An intrinsic that is overloaded on one type: name without suffix ("llvm.fma"), all operands and the result of
 * that type. */
LLVMValueRef math_intrinsic(Lower *lw, const char *name, const LLVMValueRef *args, unsigned count);
LLVMValueRef math_f32(Lower *lw, double value);
LLVMValueRef math_f64(Lower *lw, double value);
/* Horner: c[0] + x (c[1] + x (c[2] + ...)), with fma, in the type of x. */
LLVMValueRef math_poly(Lower *lw, LLVMValueRef x, const double *c, unsigned count);
static inline LLVMValueRef math_select(Lower *lw, LLVMValueRef cond, LLVMValueRef yes, LLVMValueRef no)
{
	return LLVMBuildSelect(lw->b, cond, yes, no, "");
}
static inline LLVMValueRef math_cmp(Lower *lw, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFCmp(lw->b, predicate, a, b, "");
}

/* ---- conversions of floats (lower/cast.c, fp8.c) ---- */

/* regs of `from` to floats of type `to`; rounding is an IrRounding. In groups of two and four, as the hardware
 * packs them. */
void cast_floats(Lower *lw, IrType from, IrType to, int rounding, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count);
/* Four integers of 8 bits to f16, bf16 or f32. */
void cast_bytes(Lower *lw, LLVMTypeRef to, bool is_signed, const LLVMValueRef *in, LLVMValueRef *out);
/* An fp8 type to f16 (e4m3fn, e5m2) or f32 (the others), exact; fp8_wide says which. */
LLVMTypeRef fp8_wide(Lower *lw, IrType from);
void fp8_decode(Lower *lw, IrType from, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count);
/* f16 or f32 to an fp8 type: to nearest even or towards zero; what is too large becomes the largest finite
 * value. */
void fp8_encode(Lower *lw, IrType to, bool nearest, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count);

/* Values of less than 32 bits side by side in an i32, the first lowest; absent ones are 0. */
LLVMValueRef math_pack(Lower *lw, const LLVMValueRef *in, uint32_t count, LLVMTypeRef elem, unsigned bits);
void math_unpack(Lower *lw, LLVMValueRef word, LLVMValueRef *out, uint32_t count, LLVMTypeRef elem, unsigned bits);

#endif
