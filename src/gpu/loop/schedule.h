/* Which loads of a loop are prefetched, how, and how many iterations ahead: the plan that
 * `pipeline` executes. It is data of its own, so it can be checked and printed without changing
 * the loop.
 *
 *	copied      ttg.async_copy_global_to_local into a ring of slots in shared memory, `ahead`
 *	            iterations ahead. The copies of an iteration are one group; at the start of
 *	            iteration i the groups of i + 1 ... i + ahead - 1 may be in flight, so ahead - 1
 *	            may stay pending. One slot more keeps what is being read: ahead + 1.
 *	            Where wgmma stay in flight into the next iteration (products), they read their
 *	            slots until the barrier of the iteration after that: ahead + 2; or, where that
 *	            slot would cost a CTA on each SM, a second barrier in the iteration frees it.
 *	            Where threads have read a slot before copies would be issued anyway, and
 *	            one less brings CTAs, these go there behind a barrier (reused): ahead.
 *	            A descriptor that is a tensor map (boxes): by TMA, issued by one thread. A slot
 *	            has an mbarrier that counts the bytes of all such tiles of an iteration.
 *	            Where only products read what TMA brings, warpgroups do not synchronise with
 *	            one another (apart): a slot has a second mbarrier, at which warps arrive when
 *	            they have read it, and where the thread that issues copies to it waits.
 *	            A loop that is rotated (rotate.h) reads the slots of this and the previous
 *	            iteration: a slot more too. Where TMA brings all of it, a slot holds what one
 *	            iteration of the rotated loop reads instead (paired): tiles for late products
 *	            share a slot with what other products read an iteration later
 *	registers   loaded into registers one iteration ahead of its use
 *	plain       where it stands
 *
 * The inputs of such a load's address are computed as far ahead as the load is issued. A load
 * among them (an address that comes from memory) goes through registers and is issued one
 * iteration earlier still. */
#ifndef NESO_GPU_LOOP_SCHEDULE_H
#define NESO_GPU_LOOP_SCHEDULE_H

#include "base/vec.h"
#include "gpu/analysis/axis.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory.h"

enum {
	SCHEDULE_DEEPEST = 3,       /* loads from which an address may come, one after another */
	SCHEDULE_MOST_PRODUCTS = 6, /* under way at once */
	SCHEDULE_TURNING_WARPS = 2, /* that turn tiles: half of the warp group that their role takes */
};

typedef enum ScheduleKind { SCHEDULE_PLAIN, SCHEDULE_REGISTERS, SCHEDULE_COPIED } ScheduleKind;

typedef struct ScheduledLoad {
	IrOp *load;
	ScheduleKind kind;
	unsigned ahead;       /* 0: plain */
	unsigned indirection; /* loads that its address comes from, one after another */
	bool boxes;           /* copied by TMA */
	/* bits of the CTA's number in which CTAs of a cluster have the same tile, of which each
	 * then brings a part to all of them (Schedule.shared); 0: it brings its own */
	unsigned shared_by;
	bool late;            /* late products alone read it (rotate.h), from the slot of an iteration later */
	/* memory into which warps of their own put the tile, turned round, for a product: a ring of
	 * as many slots (Schedule.turned); NULL: none do */
	IrOp *turned;
	const Layout *memory; /* of a slot; copied alone */
	uint64_t bytes;       /* likewise */
	unsigned width;       /* likewise: bytes of one copy at most */
	unsigned dim;         /* likewise: along which they lie */
	RemarkCode rule;      /* LOAD_COPIED, or the rule that says why not */
	const char *why;      /* not copied: what that rule says */
} ScheduledLoad;

/* A product of warp groups that is under way until the next iteration's (schedule_products.c). */
typedef struct ScheduledProduct {
	IrOp *dot;
	IrValue *carried; /* argument of the body: what the iteration before gave */
	bool used;        /* by other ops than the product, which need a wait before */
} ScheduledProduct;

/* A loop that may be left after any iteration (pipeline/left.h). */
typedef enum ScheduleLeft {
	SCHEDULE_COUNTED,   /* its bounds say how many iterations there are */
	SCHEDULE_PREDICTED, /* whether an iteration comes is computed as far ahead as its loads are */
	SCHEDULE_GUESSED    /* it is not; loads are ahead that may be done for nothing */
} ScheduleLeft;

typedef struct Schedule {
	IrOp *loop;
	ScheduleLeft left;
	VEC(IrValue *) comes; /* left: i1; another iteration comes only where all of them are true */
	unsigned stages;  /* as asked for */
	bool deeper;      /* there are more, as memory is left */
	unsigned ahead;   /* of what is copied; 0: nothing is */
	unsigned slots;   /* of each ring; 0: there is none */
	unsigned pending; /* groups that may be under way when an iteration starts */
	unsigned ctas;    /* that share an SM, estimated; 0: nothing is copied */
	bool whole;       /* a slot for each iteration: all copies begin in front of the loop */
	unsigned kept;    /* slots that products under way still read, besides the one of this iteration */
	/* warps do not meet: each arrives at the barrier of the slot that it has read, and who
	 * fills it waits there */
	bool apart;
	/* some tiles are brought once for several CTAs of a cluster: warps arrive at the barriers
	 * of all of them, as a slot may be filled again when all have read it */
	bool shared;
	/* neither do they where threads copy: each says when its copies are there, and that it has
	 * read a slot (pipeline/counted.c) */
	bool counted;
	/* TMA brings all that is copied, and nothing but products reads it */
	bool for_products;
	bool by_boxes; /* the same, but that threads may read some of it */
	bool turned; /* some loads are (ScheduledLoad) */
	bool paired; /* rotated: loads that are late are copied to the slot of the next iteration */
	/* instead: copies follow a barrier of their own, behind the wait for products of the
	 * iteration before */
	bool meets;
	/* copies go to the slot that the iteration has read, behind a barrier of their own */
	bool reused;
	VEC(ScheduledProduct) products;
	/* rotate.h; NULL: there is nothing to rotate. Rotated loops have no products that go on */
	struct GpuRotation *rotation;
	uint64_t bytes, limit; /* of all rings, and what there is for them */
	RemarkCode rule;  /* NONE, or the rule that leaves the loop as it is; then there are no loads */
	VEC(ScheduledLoad) loads;
} Schedule;

/* Of a loop that asks for stages (tt.num_stages, or the kernel's where it holds a dot); false: it
 * does not, or has no load that counts, as out->rule says. In the arena. */
bool schedule_loop(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop,
		   Schedule *out);
/* The same for a loop that has roles, of which one turns tiles of bytes that products want the
 * other way round (roles.h). */
bool schedule_loop_turned(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop,
			  Schedule *out);
/* How often a loop runs, where its bounds say; 0: they do not, or there are too many to count. */
uint64_t schedule_trips(const IrOp *loop);
/* A loop of no more iterations than its rings have slots, which its bounds say, gets all of them at
 * once. Of a schedule that `pipeline` carries out; others take what comes from iteration to
 * iteration. */
void schedule_whole(Schedule *s);
/* Tiles that several CTAs of a cluster load alike, in step, are brought once for all of them. Of a
 * schedule that `pipeline` carries out. */
void schedule_share(GpuCx *gpu, Arena *arena, const IrModule *m, Schedule *s);
/* The same of a loop that has roles. */
void schedule_share_roles(GpuCx *gpu, Arena *arena, const IrModule *m, Schedule *s);
/* Adds small tiles that no product takes to a schedule that has copies. */
void schedule_beside(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, Schedule *s);
/* Does what is loaded in a loop reach operand 0 or 1 of a dot there, directly or through pure
 * ops? */
bool schedule_reaches_dot(const IrModule *m, Arena *arena, const IrOp *load);
/* Are loads of this loop, which holds a dot, to be ahead, by the number of the kernel's stages? */
bool schedule_asks(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop);
/* What schedule_may_copy found of a loop, for its other loads: as long as nothing is changed. */
typedef struct ScheduleSeen {
	const IrOp *loop;
	bool none;	/* no load of it is */
	uint64_t bytes; /* two slots of each that would be */
} ScheduleSeen;

/* Will the load be copied, as long as its layout has neighbours in one thread? Its mask may then
 * end within a copy (prefix.h). */
bool schedule_may_copy(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *load, ScheduleSeen *seen);
/* Can threads copy the load's tile into shared memory: so many bytes at once along `dim`? */
bool schedule_is_copied(GpuCx *gpu, const AxisMap *axes, const IrOp *load, unsigned *width, unsigned *dim);
/* A store, or an atomic operation whose result nobody uses. */
bool schedule_only_writes(const IrOp *op);
/* Does the loop ask for loads ahead, and can this scalar of it be computed ahead from scalars?
 * *dots: it holds products. */
bool schedule_is_predicted(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop,
			   const IrValue *scalar, bool *dots);
/* Would it be scheduled, but for the stores in it? */
bool schedule_waits_for_stores(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop);
/* Does the op multiply tiles by matrix instructions or multiply-adds, whatever of them? */
static inline bool schedule_is_dot(const IrOp *op)
{
	return op->kind == OP_DOT || op->kind == OP_WARP_GROUP_DOT;
}
/* Can the product be under way behind its op? Not where the threads add up parts of K, nor with
 * accumulators of 16 bits. */
bool schedule_can_go_on(GpuCx *gpu, const IrOp *dot);
/* The products of the loop that may go on while the next iteration begins, to out->products. */
void schedule_products(GpuCx *gpu, Arena *arena, Schedule *out);
/* Is the memory that a dot reads, through views, filled in the loop by one load, which is `copied`
 * in that layout? NULL: it is not. */
const ScheduledLoad *schedule_load_of(GpuCx *gpu, const Schedule *s, const IrValue *memory);
/* Does nothing come of it? What others have turned round may be left to be dropped. */
bool schedule_is_unused(const IrOp *op);
/* Is the memory, through views, a load's `turned`? */
bool schedule_is_turned(const Schedule *s, const IrValue *memory);
/* NULL, or what is wrong: slots that are overwritten while they are read, groups that are not
 * waited for, addresses that are not there yet, too many bytes. */
const char *schedule_fault(Arena *arena, const Schedule *s);
/* An array of texts: the loop, then each load. The same as remarks, to the context's list: of any
 * loop that schedule_loop looked at. */
IrAttr schedule_attr(GpuCx *gpu, Arena *arena, const Schedule *s);
void schedule_remark(GpuCx *gpu, Arena *arena, const Schedule *s);

/* Memory for a tile that loads from global memory write by `width` bytes at once, and the loop
 * reads in the layouts that the uses of `load` want: where both together cost least. NULL: none
 * takes copies of at least 4 bytes; *width is what it takes. */
const Layout *schedule_memory(GpuCx *gpu, const IrOp *load, unsigned *width);
/* Is the loop to be rotated? */
bool schedule_is_rotated(const Schedule *s);
/* The ttg.local_alloc that holds the loaded tile for products of warp groups, and alone says how it
 * lies there; NULL: none does. */
const IrOp *schedule_product_memory(const IrOp *load);
/* What the mask of the load leaves out is not zero, which is what copies put there: a select
 * follows the tile's reading. */
bool schedule_fills(const IrOp *load);
/* The layout in which a user of a loaded tile takes it: through a conversion, or a transposition
 * and a conversion; NULL: as it was loaded. */
const Layout *schedule_wanted(GpuCx *gpu, const IrOp *user);

/* Do fewer CTAs fit on an SM with `more` bytes of shared memory than with `bytes`, by the registers
 * that the loop's products take? */
bool schedule_costs_ctas(GpuCx *gpu, const IrOp *loop, uint64_t bytes, uint64_t more);
/* The same, where products add up so many words in a thread. */
bool schedule_words_cost_ctas(GpuCx *gpu, unsigned words, uint64_t bytes, uint64_t more);

#endif
