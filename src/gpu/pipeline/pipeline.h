/* Inside the pass `pipeline` (pass/pipeline.c): a loop while it is pipelined, and the parts of the
 * work. */
#ifndef NESO_GPU_PIPELINE_PIPELINE_H
#define NESO_GPU_PIPELINE_PIPELINE_H

#include "gpu/loop/schedule.h"

enum {
	PIPELINE_MOST_AHEAD = 64 + SCHEDULE_DEEPEST + 1,
	PIPELINE_SHARED_SPACE = 0,
};

/* The loop's values as of another iteration, and where ops that compute them go. */
typedef struct PipelinePoint {
	IrMapping map;
	uint8_t *done;    /* by id of values of the loop as it was */
	IrValue *exists;  /* i1: there is such an iteration; NULL: not computed yet */
	IrValue *counter; /* likewise */
} PipelinePoint;

/* A carried value that was added: the loop's `of`, as of `ahead` iterations later. */
typedef struct PipelineCarried {
	IrValue *of, *init, *arg, *next;
	unsigned ahead;
} PipelineCarried;

typedef struct PipelineRing {
	const ScheduledLoad *load;
	IrValue *memory;
	IrValue *turned; /* a ring of what it is turned into; NULL: it is not */
	bool late; /* read by late products alone (ScheduledLoad); with roles filled, awaited and
	            * freed by itself, else in the slot of the next iteration */
} PipelineRing;

/* Barriers of the slots of rings: that copies have filled them, that warps have read them. */
typedef struct PipelineSlots {
	IrValue *there, *free;
} PipelineSlots;

/* A tile that an outer loop loads once in each iteration for the whole inner loop: with roles a
 * partition copies it, to one of two places in turns, or to one. */
typedef struct PipelineTile {
	IrOp *load;
	unsigned slots;
	IrValue *memory, *slot; /* slot: of this iteration, where the kernel's warps read it */
	PipelineSlots barriers;
} PipelineTile;

typedef struct Pipeline {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	const Schedule *s;
	const AxisMap *axes;
	IrOp *loop;
	IrBlock *body;
	IrBuilder before, top; /* in front of the loop; at the start of its body */
	uint32_t values;
	/* iteration k; k iterations later */
	PipelinePoint *first[PIPELINE_MOST_AHEAD], *ahead[PIPELINE_MOST_AHEAD];
	IrValue *distance; /* upper - lower */
	VEC(PipelineCarried) carried;
	VEC(PipelineRing) rings;
	VEC(PipelineTile) tiles;
	IrValue *barriers; /* of the slots that TMA fills; NULL: it fills none */
	IrValue *turning; /* that warps have filled the slots of what they turn; NULL: nobody turns */
	PipelineSlots late; /* of the slots that late products alone read, where these have their own */
	IrValue *there; /* where warps arrive whose copies are there (counted.c); NULL: they meet */
	IrValue *free, *freed, *parity; /* of the same slots: where warps arrive that have read
	                                 * them; NULL: they meet. The one to be filled */
	IrValue *read, *awaited; /* the slot that is read, and the parity of its barrier */
	IrValue *next, *turned;  /* those of the iteration after it */
	VEC(IrValue *) under_way; /* left.c: is there a copy of the iteration 1, 2 ... later? */
	bool copies;       /* there are rings that cp.async fills */
	VEC(IrOp *) issued; /* the copies and the commit of an iteration */
	VEC(IrOp *) early;  /* products that are issued in front of the wait for another one */
	VEC(IrOp *) chained; /* products that the next one adds to, without a wait between them */
	VEC(IrOp *) last;   /* products that are waited for at the end of the body */
	bool met; /* they stand behind a barrier of their own */
	IrOp *meet_before; /* the barrier in front of the loop behind which slots are read; NULL: none */
} Pipeline;

/* Where ops of the first iterations go, or of those ahead in the loop. */
static inline IrBuilder *pipeline_builder(Pipeline *p, bool first)
{
	return first ? &p->before : &p->top;
}

/* values.c: `first`: as of iteration k, in front of the loop; else of k iterations after the one
 * that runs, in it. */

/* i1: there is such an iteration. */
IrValue *pipeline_exists(Pipeline *p, bool first, unsigned k);
/* The mask of a load in an iteration that may not be there. */
IrValue *pipeline_mask(Pipeline *p, bool first, const IrOp *load, unsigned k);
/* Computed once; loads of it are carried, and were issued the iteration before. */
IrValue *pipeline_value(Pipeline *p, bool first, IrValue *v, unsigned k);
/* What the loop carries ahead goes on from iteration to iteration. */
void pipeline_go_on(Pipeline *p);

/* copies.c */

/* Memory for the rings, and the barriers of their slots, in front of the loop. `free`: those at
 * which warps arrive that have read. */
void pipeline_add_rings(Pipeline *p, bool free);
/* The number after this one, round the ring; zero: the constant. */
IrValue *pipeline_next_slot(const Pipeline *p, IrBuilder *b, IrValue *number, IrValue *zero);
/* The parity turned round where `next` is `first`. */
IrValue *pipeline_next_parity(IrBuilder *b, IrValue *parity, IrValue *next, IrValue *first);
IrValue *pipeline_slot(Pipeline *p, IrBuilder *b, const PipelineRing *ring, IrValue *number);
/* Copies of the first iterations, in the loop those ahead, and a wait for the tile that is read:
 * the number of its slot. */
IrValue *pipeline_copy_ahead(Pipeline *p);
/* The warp has read the slot that is filled next. */
IrOp *pipeline_say_free(Pipeline *p, IrBuilder *b);
/* Waits until at most so many groups of copies are under way. */
void pipeline_await(Pipeline *p, IrBuilder *b, unsigned pending);
/* The copies and the commit of an iteration go behind `spot`, in their order. */
void pipeline_move_copies(Pipeline *p, IrOp *spot);

/* counted.c: of a schedule that is `counted`. The waits at the start of an iteration; that the
 * thread's copies for the next one are there, behind the first op of an early product's result. */
void pipeline_await_counted(Pipeline *p);
void pipeline_say_counted(Pipeline *p);

/* before.c: what waits in front of the loop for tiles that are loaded there goes in front of
 * `spot`, which is the loop or stands in front of it behind the first copies. */
void pipeline_wait_late(Pipeline *p, IrOp *spot);

/* reads.c */

/* A user of a tile that is loaded, in a layout that it converts to (schedule_wanted), takes it from
 * memory instead. */
void pipeline_read_converted(IrModule *m, GpuCx *gpu, IrOp *user, IrType tile, IrValue *memory);
/* Users of the ring's load take the tile from its slot; the load goes. */
void pipeline_read(Pipeline *p, const PipelineRing *ring, IrValue *number);
/* Dots by multiply-adds take both operands from their slots round by round, where nothing else
 * reads them: registers hold a round's part alone, and nothing is stored a second time. Behind
 * pipeline_place_copies. */
void pipeline_read_dots(Pipeline *p);
/* Chooses where in the iteration copies are issued. */
void pipeline_place_copies(Pipeline *p);

/* producer.c: the loops up to `root` once more, at the end of the block of a partition of
 * `specialize`, with the copies alone, those for early products, late ones or both; what they take
 * from outside becomes operands. */
void pipeline_produce(Pipeline *p, IrOp *root, IrOp *specialize, IrBlock *block, bool early, bool late);
/* The same loops in a partition that turns tiles: it waits for a slot, puts what it holds into that
 * of the other ring, read in layouts[number of the ring], and frees it. */
void pipeline_produce_turned(Pipeline *p, IrOp *root, IrOp *specialize, IrBlock *block,
			     const Layout *const *layouts);
/* The block gets arguments for operands that others have added since. */
void pipeline_take_operands(IrModule *m, IrOp *specialize, IrBlock *block);

/* Slot and parity of the tile of an iteration of the loop, whose counter is this. */
void pipeline_tile_slot(IrBuilder *b, const IrOp *loop, IrValue *counter, unsigned slots,
			IrValue **slot, IrValue **parity);

/* products.c */

/* Products are issued, and waited for: those that go on when those of the next iteration have been
 * issued. */
void pipeline_products(Pipeline *p);
/* The assembler takes waits for cheap and puts them early; where products are to run beside what
 * stands in front of their wait, `before`, it is told that this comes first. */
void pipeline_compute_first(IrModule *m, Arena *arena, IrOp *before);
/* Waits for results of the loop that are under way when it ends. */
void pipeline_end_products(Pipeline *p, IrOp *loop);

#endif
