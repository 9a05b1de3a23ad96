/* Pairs of halves that ptxas gets wrong.
 *
 * An instruction on two halves of a word (f16x2, bf16x2) takes each operand with a sign: negated,
 * or without its sign. Where the halves of an operand come with different signs, as {-x, y} or
 * {-6.0, y}, and such a word is an operand twice, or two such words are, ptxas loses a sign:
 * fma.rn.f16x2 of {-6, y} three times gave -42 for 30. Seen of ptxas 12.8 (sums, products,
 * fma, extremes) and 13.0 (fma) and of the compiler in driver 580, at -O1 and -O3; never where
 * halves of one sign meet, nor with one such operand (bench/NOTES.md, "Halves with signs"). */
#ifndef NESO_LLVM_HALVES_H
#define NESO_LLVM_HALVES_H

#include <llvm-c/Core.h>

/* Instructions on pairs of halves that have two such operands are done one half at a time. After
 * LLVM's passes. */
void halves_apart(LLVMModuleRef module);

#endif
