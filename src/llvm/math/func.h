/* Functions of floats that PTX has no instruction for. func_ takes f32, func64_ f64; errors are in ulps, over
 * all arguments. Those of f64 are functions of the module; f32 is built where it stands.
 *
 * Method: a reduction to a small range by what is exact (fma, the bits of the exponent), then a polynomial with
 * coefficients fitted for the least greatest error in 50 digits and rounded one after the other. */
#ifndef NESO_LLVM_MATH_FUNC_H
#define NESO_LLVM_MATH_FUNC_H

#include "llvm/math/math.h"

LLVMValueRef func_exp(Lower *lw, LLVMValueRef x);  /* 2 + |x| / 2: ex2.approx of a rounded product, as upstream */
LLVMValueRef func_exp2(Lower *lw, LLVMValueRef x); /* 2; denormal arguments and results are 1 and 0 */
LLVMValueRef func_log(Lower *lw, LLVMValueRef x);  /* 1 */
LLVMValueRef func_log2(Lower *lw, LLVMValueRef x); /* 2 */
LLVMValueRef func_erf(Lower *lw, LLVMValueRef x);  /* 2 */
LLVMValueRef func_atan(Lower *lw, LLVMValueRef x); /* 3 */
/* sin or cos of each of v, in place: 2, also of large arguments. */
void func_trig(Lower *lw, LLVMValueRef *v, uint32_t count, bool cosine);
/* x - y trunc(x / y), exact; f32 or f64. */
LLVMValueRef func_fmod(Lower *lw, LLVMValueRef x, LLVMValueRef y);

LLVMValueRef func64_exp(Lower *lw, LLVMValueRef x);   /* 1 */
LLVMValueRef func64_exp2(Lower *lw, LLVMValueRef x);  /* 1 */
LLVMValueRef func64_log(Lower *lw, LLVMValueRef x);   /* 1 */
LLVMValueRef func64_log2(Lower *lw, LLVMValueRef x);  /* 1 */
LLVMValueRef func64_log1p(Lower *lw, LLVMValueRef x); /* 2 */
LLVMValueRef func64_erf(Lower *lw, LLVMValueRef x);   /* 2 */
LLVMValueRef func64_tanh(Lower *lw, LLVMValueRef x);  /* 2 */
LLVMValueRef func64_atan(Lower *lw, LLVMValueRef x);  /* 2 */
LLVMValueRef func64_atan2(Lower *lw, LLVMValueRef y, LLVMValueRef x); /* 3 */
LLVMValueRef func64_rsqrt(Lower *lw, LLVMValueRef x); /* 1 */
LLVMValueRef func64_trig(Lower *lw, LLVMValueRef x, bool cosine); /* 3, also of large arguments */
LLVMValueRef func64_pow(Lower *lw, LLVMValueRef x, LLVMValueRef y); /* 2 */

/* A call of a function of the module, which `body` builds when it is first asked for; it returns the result.
 * The function has no effect and may be moved. */
typedef LLVMValueRef FuncBody(Lower *lw, LLVMValueRef fn);
LLVMValueRef func_outline(Lower *lw, const char *name, LLVMTypeRef result, const LLVMValueRef *args, unsigned count,
			  FuncBody *body);
/* Once everything is lowered: short functions without branches that are called a few times become part of their callers, where
 * their constants are shared. */
void func_finish(Lower *lw);

#endif
