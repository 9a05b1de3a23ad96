/* The GPUs that code is made for: one row each (nvidia/targets.def).
 *
 * A target with suffix `a` may use what exactly one capability has; its code runs nowhere else. A
 * GPU that is not in the table takes PTX of the highest target without suffix that is not above
 * it. */
#ifndef NESO_TARGET_TARGET_H
#define NESO_TARGET_TARGET_H

#include "base/arena.h"

enum {
	TARGET_LDMATRIX = 1 << 0,
	TARGET_CP_ASYNC = 1 << 1, /* copies of 4, 8, 16 bytes from global to shared memory */
	TARGET_BF16 = 1 << 2, /* bf16 arithmetic and mma */
	TARGET_TF32 = 1 << 3,
	TARGET_MMA_F64 = 1 << 4, /* f64 mma faster than plain f64 */
	TARGET_FP8 = 1 << 5, /* conversions of e4m3 and e5m2 */
	TARGET_STMATRIX = 1 << 6,
	TARGET_TMA = 1 << 7, /* cp.async.bulk(.tensor), and mbarrier transactions */
	/* CTAs of a cluster reach each other's shared memory; up to 8 on every part */
	TARGET_CLUSTER = 1 << 8,
	TARGET_WGMMA = 1 << 9,
	TARGET_SETMAXNREG = 1 << 10,
	TARGET_TCGEN05 = 1 << 11,
	TARGET_MMA_SCALED = 1 << 12, /* mma.sync with block scales, fp4 and fp6 */
	/* mma.sync of e4m3 and e5m2 in one instruction; on the other GPUs that have conversions
	 * ptxas makes conversions, products of fp16 and additions of it, for each instruction
	 * anew. */
	TARGET_MMA_FP8 = 1 << 13,
	TARGET_AMPERE = TARGET_LDMATRIX | TARGET_CP_ASYNC | TARGET_BF16 | TARGET_TF32,
	TARGET_HOPPER =
		TARGET_AMPERE | TARGET_MMA_F64 | TARGET_FP8 | TARGET_STMATRIX | TARGET_TMA | TARGET_CLUSTER,
};

enum {
	TARGET_WARP_SIZE = 32,
	TARGET_MAX_THREADS = 1024, /* of a CTA */
	TARGET_REGISTERS_SM = 65536,
	TARGET_REGISTERS_THREAD = 255,
	TARGET_CLUSTER_CTAS = 8, /* that every GPU with clusters can run */
	TARGET_SHARED_DEFAULT = 48 * 1024, /* bytes of a CTA without opting in */
	TARGET_SHARED_RESERVED = 1024,     /* bytes that the system takes of each CTA */
};

/* What plans may take: nvidia/budgets.def says of each field what it bounds. */
typedef struct TargetBudgets {
#define BUDGET(field, value, unit, doc) unsigned field;
#include "target/nvidia/budgets.def"
#undef BUDGET
} TargetBudgets;

typedef struct TargetGpu {
	const char *name;
	unsigned capability; /* 90 for 9.0 */
	char suffix;         /* 0 or 'a' */
	const char *base;
	unsigned ptx;        /* 80 for 8.0 */
	unsigned llvm;       /* first major version that knows it; 0: all */
	unsigned warps, ctas; /* of an SM */
	unsigned shared_sm, shared_cta; /* bytes */
	unsigned features;
	const TargetBudgets *budgets;
} TargetGpu; /* its costs: cost.h */

/* All rows, ascending. */
const TargetGpu *target_all(size_t *count);
/* Their names. */
const char *target_names(Arena *arena, const char *separator);
/* NULL where there is none of this name. */
const TargetGpu *target_find(const char *name);
/* The known name that is nearest, NULL where none is near. */
const char *target_nearest(const char *name);
/* What code for a device of this capability is compiled for: with suffix where there is one. For a
 * device that is not known the highest target without suffix that is not above it; NULL below
 * all. */
const TargetGpu *target_for_device(unsigned capability);
/* The target without suffix of the same capability. */
const TargetGpu *target_base(const TargetGpu *gpu);
/* Can a device of this capability load a cubin of the target, or its PTX? */
bool target_runs_cubin(const TargetGpu *gpu, unsigned capability);

static inline bool target_has(const TargetGpu *gpu, unsigned features)
{
	return (gpu->features & features) == features;
}

typedef struct TargetOccupancy {
	unsigned ctas;     /* that an SM holds at once */
	/* what keeps it from holding more: "registers", "shared memory", "warps", "CTAs" */
	const char *limit;
} TargetOccupancy;
/* Of CTAs of so many warps, with so many registers a thread and bytes of shared memory a CTA.
 * Registers are given to a warp by 256 at a time, from the quarter of the SM's that it runs on
 * (CUDA's occupancy calculator). */
void target_occupancy(const TargetGpu *gpu, unsigned registers, unsigned shared, unsigned warps,
		      TargetOccupancy *out);

/* SMs of a GPU of this capability, and its name. */
typedef struct TargetProcessors {
	unsigned capability, sms;
	const char *name;
} TargetProcessors;
const TargetProcessors *target_processors(const TargetGpu *gpu);

/* The grid of CTAs for one of programs, no axis of which is 0, of a kernel whose CTAs take
 * several programs each where `most` CTAs are there at once. all: it counts programs along all
 * axes, and has all its CTAs along axis 0 then; else each other axis has a CTA for each program.
 * The grid itself where there is a CTA for each, or the last program's number plus a step is no
 * int32. */
static inline void target_persistent_grid(const uint32_t grid[3], uint32_t most, bool all, uint32_t ctas[3])
{
	uint64_t beside = (uint64_t)grid[1] * grid[2];
	uint64_t programs = beside > INT32_MAX ? UINT64_MAX / 2 : grid[0] * (all ? beside : 1);
	uint64_t along = MAX(all ? most : most / beside, 1u);
	bool several = along < programs && programs + along <= INT32_MAX;
	ctas[0] = several ? (uint32_t)along : grid[0];
	ctas[1] = several && all ? 1 : grid[1];
	ctas[2] = several && all ? 1 : grid[2];
}

/* Is a launch for such a kernel? Its CTAs, one on each SM, take several programs each. uneven:
 * these take differently long, and it is not known which ones: a GPU gives CTAs to SMs as they
 * come, which evens out better than several turns in a fixed order where there are few. */
static inline bool target_is_many(const uint32_t grid[3], uint32_t sms, bool uneven)
{
	uint32_t ctas[3], turns = uneven ? 4 : 1;
	target_persistent_grid(grid, sms, true, ctas);
	return (uint64_t)ctas[0] * ctas[1] * ctas[2] <= sms &&
	       (uint64_t)grid[0] * grid[1] * grid[2] > (uint64_t)turns * sms;
}

#endif
