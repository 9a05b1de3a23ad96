/* Between the lowerings that go through shared memory: words, and one side of a trip (layout/plan.h). */
#ifndef NESO_LLVM_MEMORY_SHARED_H
#define NESO_LLVM_MEMORY_SHARED_H

#include "llvm/lower.h"

/* Elements here are integers of element_bits (lower_to_bits). */

/* n elements, the first one lowest, as one integer of n * bits; n * bits is at most 64. */
LLVMValueRef lower_pack(Lower *lw, const LLVMValueRef *elements, unsigned n, unsigned bits);
void lower_unpack(Lower *lw, LLVMValueRef word, LLVMValueRef *elements, unsigned n, unsigned bits);

/* The value, an integer of up to 64 bits, of another lane: of `lane`, or where that is NULL of the own one ^ own_xor. */
LLVMValueRef lower_shuffle(Lower *lw, LLVMValueRef v, unsigned bits, LLVMValueRef lane, uint32_t own_xor);

/* Where `swaps` (i1) is true, element i trades places with i ^ distance. */
void lower_exchange(Lower *lw, LLVMValueRef *held, uint32_t count, uint32_t distance, LLVMValueRef swaps, unsigned bits);

/* Where an access goes: offset -> base + bytes + (region + (offset ^ flip) within one pass) elements, with the padding. */
typedef struct SharedPlace {
	LLVMValueRef base; /* ptr addrspace(3) */
	uint64_t bytes;
	uint64_t flip, region; /* in elements; region: above all offset bits */
	const LayoutPadded *padded; /* NULL: without */
	unsigned pass, pass_shift; /* instructions of this pass alone; 0, 64: all */
	bool cluster;      /* offsets say whose memory it is */
	/* An i32 that is XORed to offsets besides, in bytes, and all bits that it may have; NULL, 0: nothing. Without
	 * padding and in the own memory alone. */
	LLVMValueRef moved;
	uint64_t moved_image;
	/* The layout whose registers are moved, from number `first` on: for lower_elements. NULL: not known. */
	const Layout *tile;
	uint32_t first;
} SharedPlace;

/* Where predictions are asked for: the wavefronts of the access, on the instruction that does it. */
void lower_access_predict(Lower *lw, const LayoutAccess *a, const SharedPlace *place, LLVMValueRef instruction);
/* i1: this thread takes part in a store; NULL: all do. The caller builds the branch, once for all repetitions. */
LLVMValueRef lower_access_active(Lower *lw, const LayoutAccess *a, LLVMValueRef word);
/* One repetition. `word` is the thread word. Stores and loads touch the registers that the access names alone. */
void lower_access_store(Lower *lw, const LayoutAccess *a, const SharedPlace *place, LLVMValueRef word,
			const LLVMValueRef *held);
void lower_access_load(Lower *lw, const LayoutAccess *a, const SharedPlace *place, LLVMValueRef word,
		       LLVMValueRef *held);
/* The exchanges that an access asks for by `swap`, before a store or after a load, on 2^registers elements. */
void lower_access_swap(Lower *lw, const LayoutAccess *a, LLVMValueRef word, LLVMValueRef *held, uint32_t count);
/* The address of one instruction of a vector access. */
LLVMValueRef lower_access_address(Lower *lw, const LayoutAccess *a, const SharedPlace *place, LLVMValueRef word,
				  uint64_t offset);

/* As lower_convert, but always through shared memory: also between equal layouts, where it gives every copy what the
 * first one holds. */
LLVMValueRef *lower_convert_shared(Lower *lw, const Layout *from, const Layout *to, LLVMValueRef *regs, IrType elem,
				   uint64_t scratch);

/* For each register the lowest one that holds the same element: 2^(register bits) places. */
uint32_t *lower_register_copies(Lower *lw, const Layout *layout);

#endif
