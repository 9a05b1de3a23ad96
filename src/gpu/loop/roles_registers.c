/* How registers are divided between roles, and how many CTAs share an SM: the producer warp needs
 * few, so those of its warpgroup go to the consumers. */
#include "gpu/analysis/pressure.h"
#include "gpu/loop/roles_int.h"
#include "gpu/plan/wgmma.h"

enum {
	REGISTER_STEP = 8,
	COPY_REGISTERS = 40,
	MOST_REGISTERS = 240,
};

void roles_set_slots(Schedule *s, unsigned slots)
{
	s->bytes = s->bytes / s->slots * slots;
	s->ahead -= s->slots - slots;
	s->slots = slots;
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_COPIED)
			s->loads.data[i].ahead = s->ahead;
	s->pending = s->ahead ? s->ahead - 1 : 0;
}

static unsigned rounded(unsigned registers)
{
	return registers / REGISTER_STEP * REGISTER_STEP;
}

/* Words that a thread of the kernel's warps holds in the loop: what products add up, and some;
 * little where nothing else computes tiles. */
static unsigned held(GpuCx *gpu, const GpuRoles *r, const GpuLoopCycles *one)
{
	enum { BESIDE_PRODUCTS = 32 };
	unsigned words = 0;
	for (const IrOp *op = r->s.loop->regions[0].first->first; op; op = op->next)
		words += op->kind == OP_WARP_GROUP_DOT ? gpu_words(gpu, op->results[0].type) : 0;
	return words + (one->issue ? gpu->target->budgets->beside_sums : BESIDE_PRODUCTS);
}

typedef struct Widest {
	GpuCx *gpu;
	Arena *arena;
	unsigned columns;
} Widest;

static bool visit_product(void *data, IrOp *op)
{
	Widest *w = data;
	const char *why;
	const GpuWgmmaPlan *plan =
		op->kind == OP_WARP_GROUP_DOT ? gpu_wgmma_plan(w->gpu, w->arena, op, &why) : NULL;
	w->columns = plan ? MAX(w->columns, plan->n) : w->columns;
	return true;
}

/* Registers that ptxas wants for the widest product of the function, whatever setmaxnreg says:
 * below that it ends with C7602 ("Insufficient registers"; seen with m64n64, n128, n256 and ptxas
 * 13.0). */
static unsigned least_registers(GpuCx *gpu, Arena *arena, const GpuRoles *r)
{
	enum { BESIDE_ONE = 26 };
	Widest w = {gpu, arena, 0};
	ir_walk(ir_func_of(r->root), false, visit_product, &w);
	return rounded(w.columns / 2 + BESIDE_ONE + REGISTER_STEP - 1);
}

/* Of a thread that copies, or turns a tile, of which it holds its part. */
static unsigned others_registers(const GpuRoles *r)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < r->s.loads.len; i++)
		bytes = MAX(bytes, r->s.loads.data[i].turned ? r->s.loads.data[i].bytes : 0);
	unsigned words = (unsigned)(bytes / 4 / (TARGET_WARP_SIZE * SCHEDULE_TURNING_WARPS));
	return rounded(COPY_REGISTERS + words + REGISTER_STEP - 1);
}

/* Moves registers so that `ctas` share an SM; false: the kernel's warps would have too few. Where
 * tiles are turned, products take others from registers, for which all that there are will do. */
static bool move_registers(GpuRoles *r, unsigned warps, unsigned need, unsigned least)
{
	unsigned all = warps + GPU_ROLE_WARPS, others = others_registers(r);
	unsigned start = rounded(TARGET_REGISTERS_SM / (TARGET_WARP_SIZE * all * r->ctas));
	r->own = r->other = 0;
	if (start >= MIN(need, (unsigned)MOST_REGISTERS) && !r->s.turned)
		return true;
	if (start < others)
		return false;
	r->other = others;
	r->own = MIN(rounded((start * all - others * GPU_ROLE_WARPS) / warps), (unsigned)MOST_REGISTERS);
	return start >= least && r->own >= MIN(need, (unsigned)MOST_REGISTERS);
}

/* Where registers leave fewer CTAs than memory would, or copies go on from tile to tile, slots take
 * what is left, up to MOST_SLOTS. */
static void use_memory(const TargetGpu *target, GpuRoles *r, uint64_t bytes, unsigned ctas,
		       bool flattened)
{
	enum { MOST_SLOTS = 6 };
	uint64_t slot = r->s.bytes / r->s.slots;
	unsigned slots = r->s.slots;
	if (r->ctas >= ctas && (r->root == r->s.loop || !flattened))
		return;
	while (slots < MOST_SLOTS && bytes + slot <= target->shared_cta &&
	       (bytes + slot) * r->ctas <= target->shared_sm) {
		bytes += slot;
		slots++;
	}
	r->s.deeper |= slots > r->s.slots;
	roles_set_slots(&r->s, slots);
}

bool roles_find_registers(GpuCx *gpu, Arena *arena, GpuRoles *r, const GpuLoopCycles *one,
			  bool flattened)
{
	const TargetGpu *target = gpu->target;
	unsigned warps = gpu_num_warps(gpu, r->s.loop), need = rounded(held(gpu, r, one) + REGISTER_STEP - 1);
	unsigned least = least_registers(gpu, arena, r);
	uint64_t bytes = target->shared_cta - r->s.limit + r->s.bytes + r->beside;
	TargetOccupancy o;
	target_occupancy(target, COPY_REGISTERS, (unsigned)MIN(bytes, (uint64_t)target->shared_cta),
			 warps + GPU_ROLE_WARPS, &o);
	r->ctas = MAX(o.ctas, 1u);
	bool suffice;
	while (!(suffice = move_registers(r, warps, need, least)) && r->ctas > 1)
		r->ctas--;
	use_memory(target, r, bytes, o.ctas, flattened);
	return suffice;
}
