/* Lookups in the table of GPUs. Linear: the table is short. */
#include "target/target.h"

#include "base/str.h"
#include "target/cost.h"

/* The features of a row are written without their prefix. */
enum {
	LDMATRIX = TARGET_LDMATRIX,
	AMPERE = TARGET_AMPERE,
	HOPPER = TARGET_HOPPER,
	MMA_F64 = TARGET_MMA_F64,
	FP8 = TARGET_FP8,
	MMA_FP8 = TARGET_MMA_FP8,
	WGMMA = TARGET_WGMMA,
	SETMAXNREG = TARGET_SETMAXNREG,
	TCGEN05 = TARGET_TCGEN05,
	MMA_SCALED = TARGET_MMA_SCALED,
};

static const TargetBudgets nvidia = {
#define BUDGET(field, value, unit, doc) .field = (value),
#include "target/nvidia/budgets.def"
#undef BUDGET
};

static const TargetGpu gpus[] = {
#define TARGET(name, capability, suffix, base, ptx, llvm, warps, ctas, shared_sm, shared_cta, features)      \
	{#name,	   capability, suffix, #base, ptx, llvm, warps, ctas, (shared_sm)*1024, (shared_cta)*1024,   \
	 features, &nvidia},
#include "target/nvidia/targets.def"
#undef TARGET
};

const TargetCosts target_costs[COSTS__COUNT] = {
#define COST(field, sm_75, sm_80, sm_90, sm_100, doc) .field = (sm_75),
	[COSTS_SM_75] = {
#include "target/nvidia/costs.def"
	},
#undef COST
#define COST(field, sm_75, sm_80, sm_90, sm_100, doc) .field = (sm_80),
	[COSTS_SM_80] = {
#include "target/nvidia/costs.def"
	},
#undef COST
#define COST(field, sm_75, sm_80, sm_90, sm_100, doc) .field = (sm_90),
	[COSTS_SM_90] = {
#include "target/nvidia/costs.def"
	},
#undef COST
#define COST(field, sm_75, sm_80, sm_90, sm_100, doc) .field = (sm_100),
	[COSTS_SM_100] = {
#include "target/nvidia/costs.def"
	},
#undef COST
};

const TargetCosts *target_costs_of(unsigned capability)
{
	static const unsigned from[COSTS__COUNT] = {75, 80, 90, 100};
	unsigned column = COSTS__COUNT - 1;
	while (column && from[column] > capability)
		column--;
	return &target_costs[column];
}

const TargetGpu *target_all(size_t *count)
{
	*count = ARRAY_LEN(gpus);
	return gpus;
}

const TargetGpu *target_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		if (strcmp(gpus[i].name, name) == 0)
			return &gpus[i];
	}
	return NULL;
}

const char *target_names(Arena *arena, const char *separator)
{
	Text text;
	text_init(&text, arena);
	for (size_t i = 0; i < ARRAY_LEN(gpus); i++)
		text_printf(&text, "%s%s", i ? separator : "", gpus[i].name);
	return text.data;
}

const char *target_nearest(const char *name)
{
	const char *names[ARRAY_LEN(gpus)];
	for (size_t i = 0; i < ARRAY_LEN(gpus); i++)
		names[i] = gpus[i].name;
	return str_nearest(str_of(name), names, ARRAY_LEN(names));
}

const TargetGpu *target_for_device(unsigned capability)
{
	const TargetGpu *best = NULL;
	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		const TargetGpu *gpu = &gpus[i];
		if (gpu->capability > capability || (gpu->suffix && gpu->capability != capability))
			continue;
		best = gpu;
	}
	return best;
}

const TargetGpu *target_base(const TargetGpu *gpu)
{
	const TargetGpu *base = target_find(gpu->base);
	ASSERT(base);
	return base;
}

bool target_runs_cubin(const TargetGpu *gpu, unsigned capability)
{
	if (gpu->suffix)
		return gpu->capability == capability;
	return gpu->capability / 10 == capability / 10 && gpu->capability <= capability;
}

void target_occupancy(const TargetGpu *gpu, unsigned registers, unsigned shared, unsigned warps,
		      TargetOccupancy *out)
{
	CONTRACT(registers <= TARGET_REGISTERS_THREAD && shared <= gpu->shared_cta);
	CONTRACT(warps > 0);
	enum { QUARTERS = 4, UNIT = 256, SHARED_UNIT = 128 };
	unsigned each = (MAX(registers, 1u) * TARGET_WARP_SIZE + UNIT - 1) / UNIT * UNIT;
	unsigned held = TARGET_REGISTERS_SM / QUARTERS / each * QUARTERS;
	unsigned bytes = (shared + TARGET_SHARED_RESERVED + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
	const TargetOccupancy limits[] = {
		{gpu->ctas, "CTAs"},
		{gpu->warps / warps, "warps"},
		{held / warps, "registers"},
		{gpu->shared_sm / bytes, "shared memory"},
	};
	*out = limits[0];
	for (size_t i = 1; i < ARRAY_LEN(limits); i++)
		*out = limits[i].ctas < out->ctas ? limits[i] : *out;
}

const TargetProcessors *target_processors(const TargetGpu *gpu)
{
	static const TargetProcessors rows[] = {
#define PROCESSORS(capability, sms, name) {capability, sms, name},
#include "target/nvidia/processors.def"
#undef PROCESSORS
	};
	size_t k = 0;
	while (k + 1 < ARRAY_LEN(rows) && rows[k].capability != gpu->capability)
		k++;
	return &rows[k];
}
