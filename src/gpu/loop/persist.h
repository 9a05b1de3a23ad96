/* Persistent kernels, in which a CTA runs several programs: the plan that `persist-programs`
 * executes.
 *
 *	for p = CTA to programs step CTAs:      program_id(0) is p, num_programs(0) is programs
 *		the kernel's body
 *
 * `programs` is an argument that the launch adds (neso.programs): the grid's first number. Where
 * programs read other axes, all three numbers are added, and p counts all of the grid. The launch
 * starts as many CTAs as the GPU holds at once, along axis 0; any other number is correct too. The
 * loop is marked neso.programs: its iterations are programs, so none reads what another one
 * writes.
 *
 * Programs of different duration run in an order in which each CTA gets long and short ones
 * (pass/persist_programs.c). Where it is not known which are long, the kernel is marked
 * neso.uneven.
 *
 * It pays where CTAs get more than one program each, which the launch knows: a kernel compiled for
 * few programs stays as it is and is marked neso.programs itself, so that launches of many ask for
 * a variant of their own. So is a kernel of which several CTAs share an SM, in both its variants:
 * none is persistent, and in the one for few programs copies take the memory of an SM. */
#ifndef NESO_GPU_LOOP_PERSIST_H
#define NESO_GPU_LOOP_PERSIST_H

#include "gpu/layout/encoding.h"

/* Of the loop of products, per program. */
typedef struct GpuPersistPlan {
	IrOp *loop;         /* NULL: none comes near */
	const char *why;    /* NULL: it can be done; else what stands against it */
	uint64_t cycles;    /* of the tensor cores; 0: how often it runs is not known */
	unsigned ctas;      /* that an SM holds at once, as far as accumulators and copies say */
	unsigned dots;      /* in the loop */
	bool either;        /* there is another one in its place, where a condition does not hold */
	bool chained;       /* two, of which one takes what is made of the other, as attention's */
	bool varies;        /* programs run it differently often */
	int rises;          /* then: more often with their number along axis 0; -1: less; 0: not known */
	bool crowded;       /* a tile that is loaded beside the loop has no registers beside its sums */
	bool axes;          /* programs read other axes of the grid too */
} GpuPersistPlan;

/* Of a kernel at TTIR, its loads mapped (`map-loads`). */
GpuPersistPlan gpu_persist_plan(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *func);
/* Does it pay, for a launch of many programs? NULL: it does; else why not. */
const char *gpu_persist_loses(const GpuPersistPlan *plan);
/* Of one that would lose, or is there twice: do CTAs share an SM, which each has for itself where a
 * launch has few? */
bool gpu_persist_shares(const GpuPersistPlan *plan);
/* Is the kernel marked: do launches of few and of many programs have variants of their own? */
bool gpu_goes_by_number(const GpuCx *gpu, const IrOp *func);
/* And is it the one for few, of which each CTA has an SM for itself? */
bool gpu_is_for_few(const GpuCx *gpu, const IrOp *func);
/* Do programs take differently long, and it is not known which ones? Of such as can run in
 * turns. */
bool gpu_is_uneven(const GpuCx *gpu, const IrOp *func);
/* Is argument `number` of the kernel a count of programs? */
bool gpu_is_program_count(const GpuCx *gpu, const IrOp *func, uint32_t number);

#endif
