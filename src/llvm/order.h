/* The order of instructions in blocks that hold as much as a thread has registers for.
 *
 * Lowering writes what is done with a tile op by op, for all elements of a thread at a time. ptxas
 * keeps to that where it can, and spills more than it must where the elements alone take all
 * registers. Depth first, each element's chain stands together, in front of what needs it. */
#ifndef NESO_LLVM_ORDER_H
#define NESO_LLVM_ORDER_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "base/arena.h"

/* Blocks of the function whose values take more than `registers` less a few at a time are put in
 * order, unless more would be alive then. Returns how many were. */
unsigned order_crowded(Arena *arena, LLVMValueRef function, unsigned registers);

/* Comparisons stand in front of their first use where more of them wait in a block than a thread
 * has predicates: ptxas keeps what is left over as bits of registers, and takes three instructions
 * for each. What is compared is alive as long, so `registers` must suffice. Kernels with products
 * alone: others wait for memory, not for instructions. Returns how many blocks it put in order. */
unsigned order_comparisons(Arena *arena, LLVMValueRef function, unsigned registers);

#endif
