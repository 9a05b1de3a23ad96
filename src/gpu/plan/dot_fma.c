/* Dots by multiply-adds in each thread.
 *
 * Where threads hold all of the K that they need, operands come from registers. Otherwise the
 * conversion from the operand's layout to that one is planned through shared memory, and only the
 * part that one round needs is loaded at once: as the conversion is linear, rounds differ in their
 * offsets alone. Operands that a loop reads from the slots of a ring buffer are taken from there
 * in the same way. */
#include "gpu/analysis/late.h"
#include "gpu/plan/dot_parts.h"

/* ---- FMA ---- */

const Layout *gpu_fma_operand(GpuCx *cx, const Layout *result, unsigned operand, int64_t k)
{
	CONTRACT(operand < 2);
	unsigned rank = layout_rank(result), dim = operand == 0 ? rank - 1 : rank - 2;
	LayoutContext *layouts = &cx->layouts;
	const Layout *line = layout_expand(layouts, layout_slice(layouts, result, dim), dim);
	return layout_broadcast(layouts, line, dim, k);
}

bool dot_is_in_registers(const Dot *d)
{
	uint32_t unused;
	if (!dot_threads_agree(d, LAYOUT_LANE))
		return false;
	for (unsigned o = A; o <= B; o++) {
		for (unsigned i = 0; i < d->side[C].registers; i++) {
			uint64_t c = layout_basis(d->side[C].l, LAYOUT_REGISTER, i);
			if (!dot_find_register(&d->side[o], dot_part_of_c(d, o, c), &unused))
				return false;
		}
		for (int64_t k = 1; k < d->k; k *= 2) {
			uint64_t point = dot_at(d->side[o].l, dot_k_dim(d, o), (uint64_t)k);
			if (!dot_find_register(&d->side[o], point, &unused))
				return false;
		}
	}
	return true;
}

GpuDotPlan *dot_plan_fma(const Dot *d, Arena *arena)
{
	uint32_t results = 1u << d->side[C].registers, *out[3];
	GpuDotPlan *plan = dot_new_plan(arena, GPU_DOT_FMA, (uint32_t)d->k * results, 1, 1, 1);
	plan->k_step = (uint32_t)d->k;
	out[A] = (uint32_t *)plan->a;
	out[B] = (uint32_t *)plan->b;
	out[C] = (uint32_t *)plan->c;
	for (uint32_t i = 0; i < plan->steps; i++) {
		uint64_t k = i / results, c = layout_apply(d->side[C].l, i % results);
		out[C][i] = i % results;
		for (unsigned o = A; o <= B; o++) {
			uint64_t point = dot_part_of_c(d, o, c) | dot_at(d->side[o].l, dot_k_dim(d, o), k);
			if (!dot_find_register(&d->side[o], point, &out[o][i]))
				return NULL;
		}
	}
	return plan;
}

/* ---- FMA from shared memory ---- */

static bool is_plain(const Layout *l)
{
	return layout_space_reps(&l->out) == 1 && layout_in_bits(l, LAYOUT_BLOCK) == 0;
}

bool gpu_dot_shared_fits(const Layout *c, const Layout *a, const Layout *b)
{
	CONTRACT(layout_rank(a) == layout_rank(c) && layout_rank(b) == layout_rank(c));
	return is_plain(c) && is_plain(a) && is_plain(b);
}

bool dot_fits_shared(const Dot *d)
{
	return gpu_dot_shared_fits(d->side[C].l, d->side[A].l, d->side[B].l);
}

static unsigned bits_of(const IrOp *op, unsigned operand)
{
	return gpu_element_bits(ir_operand(op, operand)->type->elem);
}

/* The longest vector of either operand, so that accesses along K are whole; four are enough to hide
 * a round's overhead. */
static uint32_t k_step_of(const Dot *d, const IrOp *op)
{
	unsigned bits = MIN(bits_of(op, A), bits_of(op, B));
	return (uint32_t)MIN((int64_t)MAX(128 / bits, 4u), d->k);
}

/* The whole trip of an operand: its destination has K in the highest registers. */
static const LayoutPlan *trip_of(const Dot *d, const IrOp *op, unsigned operand)
{
	const LayoutTarget any = {.costs = d->cx->plan_target.costs};
	const Layout *to = gpu_fma_operand(d->cx, d->side[C].l, operand, d->k);
	return layout_plan_shared(&d->cx->layouts, d->side[operand].l, to, bits_of(op, operand), &any);
}

uint64_t dot_shared_bytes(const Dot *d, const IrOp *op, unsigned operand)
{
	return trip_of(d, op, operand)->cost.shared_bytes;
}

/* Loads of the first round. A vector must not hold elements that a later round has elsewhere. */
static void plan_loads(const Layout *address, unsigned round_bits, unsigned bits, GpuDotMemory *out)
{
	const LayoutTarget vectors = {0};
	uint64_t moved = 0;
	for (unsigned i = 0; i < round_bits; i++)
		moved |= out->round_offset[i];
	layout_plan_access(address, false, bits, &vectors, &out->load);
	for (unsigned n = out->load.vector_bits; moved & ((UINT64_C(1) << n) - 1);) {
		bool fits = layout_plan_access_as(address, false, bits, LAYOUT_ACCESS_VECTOR, --n, 64,
						  &out->load);
		ASSERT(fits);
	}
}

/* all: addresses of the whole operand, whose registers are the fragment's and above them the
 * rounds'. */
static void plan_fragment(const Dot *d, const IrOp *op, unsigned operand, const Layout *all,
			  uint32_t k_step, Arena *arena, GpuDotMemory *out)
{
	LayoutContext *layouts = &d->cx->layouts;
	out->fragment = gpu_fma_operand(d->cx, d->side[C].l, operand, k_step);
	unsigned kept = layout_in_bits(out->fragment, LAYOUT_REGISTER),
		 registers = layout_in_bits(all, LAYOUT_REGISTER);
	unsigned lanes = layout_in_bits(all, LAYOUT_LANE), warps = layout_in_bits(all, LAYOUT_WARP), n = 0;
	uint64_t bases[64];
	for (unsigned i = 0; i < all->in_bits; i++) {
		if (i < kept || i >= registers)
			bases[n++] = all->bases[i];
		else
			out->round_offset[i - kept] = all->bases[i];
	}
	LayoutSpace in = layout_space_of_threads(kept, lanes, warps, 0, 1);
	const Layout *address = layout_make(layouts, &in, &all->out, bases);
	plan_loads(address, registers - kept, bits_of(op, operand), out);
	uint32_t *copies = ARENA_ARRAY(arena, uint32_t, (size_t)1 << kept);
	layout_access_copies(address, copies);
	out->copies = copies;
}

static void plan_memory(const Dot *d, const IrOp *op, unsigned operand, uint32_t k_step, Arena *arena,
			GpuDotMemory *out)
{
	const LayoutPlan *trip = trip_of(d, op, operand);
	out->bytes = trip->cost.shared_bytes;
	out->store = trip->store;
	plan_fragment(d, op, operand, trip->load_address, k_step, arena, out);
}

/* Steps of a round of fragments from memory. */
static const GpuDotPlan *plan_rounds(const Dot *d, Arena *arena, uint32_t k_step,
				     const GpuDotMemory *memory)
{
	Dot round = *d;
	for (unsigned o = A; o <= B; o++) {
		Side *s = &round.side[o];
		uint64_t reg[64];
		s->l = memory[o].fragment;
		s->registers = layout_bases(s->l, LAYOUT_REGISTER, reg);
		s->span = f2_span_of(reg, s->registers);
	}
	round.k = k_step;
	GpuDotPlan *plan = dot_plan_fma(&round, arena);
	plan->kind = GPU_DOT_SHARED;
	plan->round_bits = base_log2((uint64_t)d->k / k_step);
	plan->memory = memory;
	return plan;
}

const GpuDotPlan *dot_plan_shared(const Dot *d, Arena *arena, const IrOp *op)
{
	uint32_t k_step = k_step_of(d, op);
	GpuDotMemory *memory = ARENA_ARRAY(arena, GpuDotMemory, 2);
	for (unsigned o = A; o <= B; o++) {
		plan_memory(d, op, o, k_step, arena, &memory[o]);
		memory[o].place = o == A ? 0 : (memory[A].bytes + 15) / 16 * 16;
	}
	return plan_rounds(d, arena, k_step, memory);
}

/* ---- FMA from where operands lie ---- */

/* Offsets of the operand's elements in the slot of a ring that it is read from late; NULL: it is
 * not, or they are not linear. */
static const Layout *address_in_place(const Dot *d, const IrOp *op, unsigned operand)
{
	const IrOp *read = gpu_late_read(op, ir_operand(op, operand));
	const IrOp *slot = read ? ir_operand(read, 0)->def : NULL;
	LayoutPadded padded;
	if (!slot || slot->kind != OP_MEMDESC_INDEX || !ir_operand(slot, 0)->def ||
	    ir_operand(slot, 0)->def->kind != OP_LOCAL_ALLOC ||
	    gpu_padded(d->cx, slot->results[0].type, &padded))
		return NULL;
	const Layout *memory = gpu_layout(d->cx, slot->results[0].type), *l = d->side[operand].l;
	if (!layout_space_equal(&l->out, &memory->out) || layout_in_bits(memory, LAYOUT_BLOCK))
		return NULL;
	return layout_compose(&d->cx->layouts, layout_pseudo_invert(&d->cx->layouts, memory), l);
}

/* For operands whose registers are as rounds want them: K is in the highest. */
bool dot_is_in_place(const Dot *d, const IrOp *op)
{
	for (unsigned o = A; o <= B; o++)
		if (d->side[o].l != gpu_fma_operand(d->cx, d->side[C].l, o, d->k) ||
		    !address_in_place(d, op, o))
			return false;
	return dot_fits_shared(d) && d->k > k_step_of(d, op);
}

const GpuDotPlan *dot_plan_in_place(const Dot *d, Arena *arena, const IrOp *op)
{
	uint32_t k_step = k_step_of(d, op);
	GpuDotMemory *memory = ARENA_ARRAY(arena, GpuDotMemory, 2);
	for (unsigned o = A; o <= B; o++) {
		memory[o].read = gpu_late_read(op, ir_operand(op, o));
		plan_fragment(d, op, o, address_in_place(d, op, o), k_step, arena, &memory[o]);
	}
	return plan_rounds(d, arena, k_step, memory);
}

