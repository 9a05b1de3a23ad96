/* Lookups in the tables of GPUs and of their matrix instructions. Linear: the tables are short. */
#include "target/target.h"

#include "base/str.h"

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

static const TargetGpu gpus[] = {
#define TARGET(name, capability, suffix, base, ptx, warps, ctas, shared_sm, shared_cta, features) \
	{#name, capability, suffix, #base, ptx, warps, ctas, (shared_sm) * 1024, (shared_cta) * 1024, features},
#include "target/nvidia/targets.def"
#undef TARGET
};

#define CC(capability) capability, 0
#define HAS(feature) 0, TARGET_##feature

static const TargetMma mmas[] = {
#define MMA(family, operand, accumulator, m, n, k, needs) \
	{TARGET_MMA_##family, TARGET_ELEMENT_##operand, TARGET_ELEMENT_##accumulator, m, n, k, needs},
#include "target/nvidia/mma.def"
#undef MMA
};

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

bool target_loads_ptx(const TargetGpu *gpu, unsigned capability)
{
	return gpu->suffix ? gpu->capability == capability : gpu->capability <= capability;
}

const TargetMma *target_mma(const TargetGpu *gpu, TargetMmaFamily family, TargetElement operand,
			    TargetElement accumulator)
{
	return target_mma_up_to(gpu, family, operand, accumulator, UINT32_MAX);
}

const TargetMma *target_mma_up_to(const TargetGpu *gpu, TargetMmaFamily family, TargetElement operand,
				  TargetElement accumulator, unsigned k)
{
	const TargetMma *best = NULL;
	for (size_t i = 0; i < ARRAY_LEN(mmas); i++) {
		const TargetMma *mma = &mmas[i];
		if (mma->family == family && mma->operand == operand && mma->accumulator == accumulator &&
		    mma->k <= k && mma->capability <= gpu->capability && target_has(gpu, mma->features) &&
		    (!best || mma->k > best->k || (mma->k == best->k && mma->m > best->m)))
			best = mma;
	}
	return best;
}

void target_occupancy(const TargetGpu *gpu, unsigned registers, unsigned shared, unsigned warps, TargetOccupancy *out)
{
	enum { QUARTERS = 4, UNIT = 256, SHARED_UNIT = 128 };
	unsigned each = (MAX(registers, 1u) * TARGET_WARP_SIZE + UNIT - 1) / UNIT * UNIT;
	unsigned held = TARGET_REGISTERS_SM / QUARTERS / each * QUARTERS;
	unsigned bytes = (shared + TARGET_SHARED_RESERVED + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
	const TargetOccupancy limits[] = {
		{gpu->ctas, "CTAs"}, {gpu->warps / warps, "warps"}, {held / warps, "registers"}, {gpu->shared_sm / bytes, "shared memory"},
	};
	*out = limits[0];
	for (size_t i = 1; i < ARRAY_LEN(limits); i++)
		*out = limits[i].ctas < out->ctas ? limits[i] : *out;
}

bool target_mma_takes_n(const TargetMma *mma, unsigned n)
{
	if (mma->family == TARGET_MMA_SYNC)
		return n == mma->n;
	bool integer = mma->operand == TARGET_ELEMENT_S8 || mma->operand == TARGET_ELEMENT_U8;
	return n >= 8 && n <= 256 && n % (integer && n > 32 ? 16 : 8) == 0;
}
