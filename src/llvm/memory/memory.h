/* Tiles of pointers to global memory: which registers one access takes, and its address. What loads, stores, atomics and
 * asynchronous copies share. */
#ifndef NESO_LLVM_MEMORY_MEMORY_H
#define NESO_LLVM_MEMORY_MEMORY_H

#include "llvm/lower.h"
#include "llvm/machine.h"

/* A scalar is one register of one group. Within a repetition, groups of 2^vector_bits registers lie in a row in memory,
 * aligned; starts[] has the first register of each, copies left out. */
typedef struct GlobalTile {
	const Layout *layout; /* NULL: a scalar */
	LLVMValueRef *pointers;
	unsigned element_bits, vector_bits, register_bits;
	uint32_t vector[5];
	uint32_t reps, group_count;
	const uint32_t *starts;
	const uint32_t *copies; /* for each register the one that stands for it */
	/* Register bits that only add `step` elements to an address. */
	uint32_t folded;
	int64_t step[32];
} GlobalTile;

/* widest: bits of an access at most; 0: single elements. */
GlobalTile lower_global_tile(Lower *lw, const IrValue *pointers, const IrValue *mask, unsigned widest);
LLVMValueRef lower_global_address(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start);
/* Index of element `e` of a group. */
static inline uint32_t lower_global_register(const GlobalTile *tile, uint32_t rep, uint32_t start, uint32_t e)
{
	uint32_t r = start;
	for (unsigned i = 0; i < tile->vector_bits; i++)
		r ^= e >> i & 1 ? tile->vector[i] : 0;
	return (rep << tile->register_bits) + r;
}
/* What an instruction moves that takes a group, said on it (lower_elements). */
/* promise.c: where predictions are asked for and a hint promises runs, that the access moves
 * one. */
void lower_promised_run(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start, LLVMValueRef access);
void lower_global_elements(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start, LLVMValueRef instruction);
/* Copies in registers get what the first one has. */
void lower_global_spread(const GlobalTile *tile, LLVMValueRef *regs);
/* i1: this thread is the one that does it, and the mask (may be NULL) says so; NULL: always. `owner`: lower_global_owner. */
LLVMValueRef lower_global_owner(Lower *lw, const GlobalTile *tile);
/* Behind what tells that other programs have stored: copies through tensor maps see that behind a
 * fence alone. Of global memory: one of all memory waits for the whole GPU as well (MEMBAR.ALL.GPU
 * in SASS), and what is shared has fences of its own (gpu/memory/barriers.c). */
void lower_fence_copies(Lower *lw);
LLVMValueRef lower_global_condition(Lower *lw, LLVMValueRef owner, const LowerValue *mask, uint32_t index);

/* The words of one access: 32 bits each, or one shorter, or 64. Words of 8 bits travel as i16. */
typedef struct GlobalWords {
	unsigned bits, per_word, count;
} GlobalWords;

GlobalWords lower_global_words(unsigned element_bits, unsigned vector_bits);
const char *lower_words_suffix(Lower *lw, const char *modifiers, const GlobalWords *words); /* "cg.v4b32" */
LLVMTypeRef lower_words_result(Lower *lw, const GlobalWords *words);
/* Elements of type elem to words and back; regs are indexed by lower_global_register. */
void lower_words_pack(Lower *lw, const GlobalTile *tile, const GlobalWords *words, uint32_t rep, uint32_t start,
		      const LLVMValueRef *regs, IrType elem, LLVMValueRef *out);
void lower_words_unpack(Lower *lw, const GlobalTile *tile, const GlobalWords *words, uint32_t rep, uint32_t start,
			const LLVMValueRef *got, IrType elem, LLVMValueRef *regs);

/* All elements of a tile or scalar; cache and volatile as the op's attributes say. mask, other may be NULL. */
LLVMValueRef *lower_global_load(Lower *lw, const IrOp *op, const IrValue *pointers, const IrValue *mask,
				const IrValue *other, IrType elem);

/* What the first thread of the program has stored at `place`, the scratch of an op: all threads
 * meet, and each takes it. */
LLVMValueRef lower_take_first(Lower *lw, unsigned bits, LLVMValueRef place);
/* The elements of a tile, of an op with scratch, as the threads that own them hold them: others
 * take theirs. */
LLVMValueRef *lower_share_copies(Lower *lw, const IrOp *op, const GlobalTile *tile,
				 LLVMValueRef *regs);

#endif
