/* Inside relieve-registers (relieve_registers.c): what the pass knows of a function, the ways in
 * which a tile can leave its registers, and the rewrites that do so. */
#ifndef NESO_GPU_PASS_RELIEVE_H
#define NESO_GPU_PASS_RELIEVE_H

#include "base/vec.h"
#include "gpu/analysis/text_order.h"
#include "gpu/loop/schedule.h"

enum { PART_OF_EXCESS = 4 /* a tile is large if it is at least this part of the excess */ };

typedef enum Way { NOT_AT_ALL, AGAIN, COPIED, STORED, KEPT, CARRIED } Way;

typedef struct Relief {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	const AxisMap *axes;
	IrOp *func;
	TextOrder order;
	unsigned excess; /* registers over the limit at the peak */
	bool stays; /* warps are specialised or free slots themselves: nothing is moved */
	/* What is known until the next rewrite. */
	struct Memory *memory; /* of a CTA; NULL: not looked at yet (relieve_ways.c) */
	uint32_t *whole; /* by place in the text, that of the next op that takes whole tiles */
	struct Known *known; /* by the number of a value, how it can be relieved */
	/* Allocations of this pass; those that copies fill; commits of loops that are pipelined. */
	VEC(IrOp *) made, copied, commits;
} Relief;

typedef struct Candidate {
	IrValue *v;
	const IrOp *around; /* the outermost loop around the peak that v is not in; NULL: none */
	Way way;
	unsigned words;
} Candidate;

/* relieve_ways.c */

/* What a thread may hold: the CTA's share of the SM's registers. */
unsigned relieve_limit(const Relief *r);

/* How `v` can be relieved; `around` as in Candidate. In front of a loop that needs the value only
 * KEPT is worth its loads there. */
Way relieve_way(Relief *r, const IrValue *v, const IrOp *around);

/* Can the loop's carried value `i` live in shared memory? It must be used in the body only, be
 * replaced behind its last use, and be live at `peak` without `peak` using it. */
bool relieve_can_carry(Relief *r, const IrOp *loop, uint32_t i, const IrOp *peak);

/* The memory in which each thread keeps its registers in a row, as vectors; NULL where some
 * threads hold copies of others' elements. */
const Layout *relieve_own_memory(GpuCx *gpu, IrType tile);

/* Does the op convert the tile (transposed first, if it is a transpose) through shared memory? */
bool relieve_is_conversion(const Relief *r, const IrOp *op);

/* The loop around the op, branches skipped. */
const IrOp *relieve_loop_of(const IrOp *op);

/* relieve_rewrite.c */

void relieve_rewrite(Relief *r, const Candidate *c, const IrOp *peak);

/* Waits for the copy into `alloc` in front of its first reader. */
void relieve_await(Relief *r, IrOp *alloc);

/* The op of the block that `op` is, or is inside of. */
static inline IrOp *relieve_within(IrOp *op, const IrBlock *block)
{
	while (op && op->block != block)
		op = ir_parent_op(op);
	return op;
}

/* The op's place in the text. */
static inline uint32_t relieve_place(const Relief *r, const IrOp *op)
{
	return r->order.start[op->id];
}

#endif
