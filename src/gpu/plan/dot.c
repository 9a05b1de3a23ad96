/* From the layouts of a dot to its instructions.
 *
 * All is linear. The fragments of mma.sync (PTX ISA, "Matrix Fragments for mma") fix the lanes: of
 * c two bits of columns and three of rows; of a and b two bits along K and three along the other
 * dim. Which two bits of K these are is free as long as a and b agree: the sum does not depend on
 * it; which rows and columns of the tile the instruction's are is free too (stretch). The registers
 * that make up one instruction are the lowest bit of the columns and the row of 8 in c, and the
 * lowest bits of K that a thread holds in a and b; every other register bit is a loop of
 * instructions. For each c the places in a and b are found by elimination.
 *
 * Multiply-adds whose threads hold all of K that they need take it from
 * registers. For any other operands the trip from their layout to that one
 * is planned through shared memory, and only the part of a round is loaded
 * at once: as the trip is linear, the rounds differ in their offsets alone. */
#include "gpu/plan/dot.h"

#include "gpu/memory/memory.h"
#include "layout/plan_parts.h"

enum { A, B, C };

typedef struct Side {
	const Layout *l;
	unsigned registers, row, column; /* tile dims */
	F2Span span;                     /* of the registers, in order */
} Side;

typedef struct Dot {
	GpuCx *cx;
	Side side[3];
	unsigned rank, m, n, batch; /* dims of c */
	int64_t k;
	const TargetMma *mma;
	unsigned k_width; /* neighbours along K of a thread, of mma */
	/* Rows (A) or columns (B) that lanes 4, 8 and 16 tell apart: 1, 2 and 4 of the instruction.
	 * They are these of the tile, or twice these, and the instruction's 8 is then the tile's
	 * 1. */
	unsigned stretch[2];
} Dot;

static const Layout *layout_of(GpuCx *cx, const IrOp *op, unsigned i)
{
	return gpu_layout(cx, ir_operand(op, i)->type);
}

static Dot dot_of(GpuCx *cx, const IrOp *op)
{
	Dot d = {.cx = cx};
	d.rank = ir_operand(op, 2)->type->rank;
	d.m = d.rank - 2;
	d.n = d.rank - 1;
	d.k = ir_operand(op, 0)->type->shape[d.n];
	for (unsigned i = 0; i < 3; i++) {
		Side *s = &d.side[i];
		uint64_t reg[64];
		s->l = layout_of(cx, op, i);
		s->registers = layout_bases(s->l, LAYOUT_REGISTER, reg);
		s->row = d.m;
		s->column = d.n;
		s->span = f2_span_of(reg, s->registers);
	}
	return d;
}

static uint64_t at(const Layout *l, unsigned dim, uint64_t value)
{
	return layout_space_put(&l->out, LAYOUT_DIM0 + dim, value);
}

/* The basis that stands for `bit` of a dim; beyond the tile's end a copy. */
static uint64_t step_of(const Layout *l, unsigned dim, uint64_t bit)
{
	return (int64_t)bit < layout_shape(l, dim) ? at(l, dim, bit) : 0;
}

/* A point of c as rows of a (K 0) or columns of b. */
static uint64_t part_of_c(const Dot *d, unsigned operand, uint64_t point)
{
	const Layout *c = d->side[C].l, *l = d->side[operand].l;
	unsigned dim = operand == A ? d->m : d->n;
	uint64_t part = at(l, dim, layout_coordinate(c, point, dim));
	if (d->rank == 3)
		part |= at(l, 0, layout_coordinate(c, point, 0));
	return part;
}

static unsigned k_dim(const Dot *d, unsigned operand)
{
	return operand == A ? d->n : d->m;
}

/* Do warps and blocks (for FMA lanes too) hold in a and b what their part of c needs, and all of
 * K? */
static bool threads_agree(const Dot *d, unsigned first)
{
	for (unsigned name = first; name <= LAYOUT_BLOCK; name++) {
		for (unsigned i = 0; i < layout_in_bits(d->side[C].l, name); i++) {
			uint64_t c = layout_basis(d->side[C].l, name, i);
			for (unsigned o = A; o <= B; o++)
				if (layout_basis(d->side[o].l, name, i) != part_of_c(d, o, c))
					return false;
		}
	}
	return true;
}

/* The register that holds a point, given that the rest of the thread's bits are 0. */
static bool find_register(const Side *s, uint64_t point, uint32_t *out)
{
	uint64_t combo;
	if (f2_span_reduce(&s->span, point, &combo) != 0)
		return false;
	*out = (uint32_t)combo;
	return true;
}

/* ---- FMA ---- */

const Layout *gpu_fma_operand(GpuCx *cx, const Layout *result, unsigned operand, int64_t k)
{
	CONTRACT(operand < 2);
	unsigned rank = layout_rank(result), dim = operand == 0 ? rank - 1 : rank - 2;
	LayoutContext *layouts = &cx->layouts;
	const Layout *line = layout_expand(layouts, layout_slice(layouts, result, dim), dim);
	return layout_broadcast(layouts, line, dim, k);
}

/* Do threads hold all of K for their part of c? */
static bool is_in_registers(const Dot *d)
{
	uint32_t unused;
	if (!threads_agree(d, LAYOUT_LANE))
		return false;
	for (unsigned o = A; o <= B; o++) {
		for (unsigned i = 0; i < d->side[C].registers; i++)
			if (!find_register(&d->side[o],
					   part_of_c(d, o, layout_basis(d->side[C].l, LAYOUT_REGISTER, i)),
					   &unused))
				return false;
		for (int64_t k = 1; k < d->k; k *= 2)
			if (!find_register(&d->side[o], at(d->side[o].l, k_dim(d, o), (uint64_t)k), &unused))
				return false;
	}
	return true;
}

static GpuDotPlan *new_plan(Arena *arena, GpuDotKind kind, uint32_t steps, uint32_t a, uint32_t b, uint32_t c)
{
	GpuDotPlan *plan = ARENA_NEW(arena, GpuDotPlan);
	*plan = (GpuDotPlan){.kind = kind, .steps = steps, .a_count = a, .b_count = b, .c_count = c};
	plan->a = ARENA_ARRAY(arena, uint32_t, steps * a);
	plan->b = ARENA_ARRAY(arena, uint32_t, steps * b);
	plan->c = ARENA_ARRAY(arena, uint32_t, steps * c);
	return plan;
}

static GpuDotPlan *plan_fma(const Dot *d, Arena *arena)
{
	uint32_t results = 1u << d->side[C].registers, *out[3];
	GpuDotPlan *plan = new_plan(arena, GPU_DOT_FMA, (uint32_t)d->k * results, 1, 1, 1);
	plan->k_step = (uint32_t)d->k;
	out[A] = (uint32_t *)plan->a;
	out[B] = (uint32_t *)plan->b;
	out[C] = (uint32_t *)plan->c;
	for (uint32_t i = 0; i < plan->steps; i++) {
		uint64_t k = i / results, c = layout_apply(d->side[C].l, i % results);
		out[C][i] = i % results;
		for (unsigned o = A; o <= B; o++) {
			uint64_t point = part_of_c(d, o, c) | at(d->side[o].l, k_dim(d, o), k);
			if (!find_register(&d->side[o], point, &out[o][i]))
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

static bool fits_shared(const Dot *d)
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

static void plan_memory(const Dot *d, const IrOp *op, unsigned operand, uint32_t k_step, Arena *arena,
			GpuDotMemory *out)
{
	LayoutContext *layouts = &d->cx->layouts;
	const LayoutPlan *trip = trip_of(d, op, operand);
	const Layout *all = trip->load_address;
	out->bytes = trip->cost.shared_bytes;
	out->store = trip->store;
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

static const GpuDotPlan *plan_shared(const Dot *d, Arena *arena, const IrOp *op)
{
	Dot round = *d;
	uint32_t k_step = k_step_of(d, op);
	GpuDotMemory *memory = ARENA_ARRAY(arena, GpuDotMemory, 2);
	for (unsigned o = A; o <= B; o++) {
		Side *s = &round.side[o];
		uint64_t reg[64];
		plan_memory(d, op, o, k_step, arena, &memory[o]);
		memory[o].place = o == A ? 0 : (memory[A].bytes + 15) / 16 * 16;
		s->l = memory[o].fragment;
		s->registers = layout_bases(s->l, LAYOUT_REGISTER, reg);
		s->span = f2_span_of(reg, s->registers);
	}
	round.k = k_step;
	GpuDotPlan *plan = plan_fma(&round, arena);
	plan->kind = GPU_DOT_SHARED;
	plan->round_bits = base_log2((uint64_t)d->k / k_step);
	plan->memory = memory;
	return plan;
}

/* ---- mma.sync ---- */

static bool element_of(IrType t, bool tf32, TargetElement *out)
{
	switch (t->kind) {
	case TY_I8:
		*out = TARGET_ELEMENT_S8;
		return true;
	case TY_I32:
		*out = TARGET_ELEMENT_S32;
		return true;
	case TY_F8E4M3FN:
		*out = TARGET_ELEMENT_E4M3;
		return true;
	case TY_F8E5M2:
		*out = TARGET_ELEMENT_E5M2;
		return true;
	case TY_F16:
		*out = TARGET_ELEMENT_F16;
		return true;
	case TY_BF16:
		*out = TARGET_ELEMENT_BF16;
		return true;
	case TY_F32:
		*out = tf32 ? TARGET_ELEMENT_TF32 : TARGET_ELEMENT_F32;
		return true;
	case TY_F64:
		*out = TARGET_ELEMENT_F64;
		return true;
	default:
		return false;
	}
}

/* What instructions are found by; false: there is none. */
static bool elements_of(IrType a, IrType b, IrType c, IrPrecision precision, TargetElement *operand,
			TargetElement *accumulator)
{
	TargetElement other;
	if (!element_of(a, true, operand) || !element_of(b, true, &other) ||
	    !element_of(c, false, accumulator))
		return false;
	bool fp8 = a->bits == 8 && ir_is_float(a) && b->bits == 8 && ir_is_float(b);
	return (*operand == other || fp8) && (*operand != TARGET_ELEMENT_TF32 || precision == PREC_TF32);
}

const TargetMma *gpu_mma_for(const TargetGpu *target, IrType a, IrType b, IrType c, int64_t k,
			     IrPrecision precision)
{
	TargetElement operand, accumulator;
	if (!elements_of(a, b, c, precision, &operand, &accumulator))
		return NULL;
	return target_mma_up_to(target, TARGET_MMA_SYNC, operand, accumulator, (unsigned)MIN(k, 1024));
}

const TargetMma *gpu_wgmma_of_types(const TargetGpu *target, IrType a, IrType b, IrType c,
				    IrPrecision precision)
{
	TargetElement operand, accumulator;
	if (!elements_of(a, b, c, precision, &operand, &accumulator))
		return NULL;
	return target_mma(target, TARGET_MMA_WGMMA, operand, accumulator);
}

static bool lanes_are(const Layout *l, const uint64_t *expected)
{
	if (layout_in_bits(l, LAYOUT_LANE) != 5)
		return false;
	for (unsigned i = 0; i < 5; i++)
		if (layout_basis(l, LAYOUT_LANE, i) != expected[i])
			return false;
	return true;
}

static bool has_lanes(const Dot *d, unsigned operand)
{
	const Layout *l = d->side[operand].l;
	unsigned other = operand == B ? d->n : d->m;
	uint64_t expected[5];
	for (unsigned i = 0; i < 2; i++)
		expected[i] = operand == C ? step_of(l, d->n, d->stretch[B] * 2u << i)
					   : at(l, k_dim(d, operand), d->k_width << i);
	for (unsigned i = 0; i < 3; i++)
		expected[2 + i] = step_of(l, other, d->stretch[operand == B ? B : A] << i);
	return lanes_are(l, expected);
}

static unsigned stretch_of(const Dot *d, unsigned operand)
{
	const Layout *l = d->side[operand].l;
	return layout_coordinate(l, layout_basis(l, LAYOUT_LANE, 2), operand == A ? d->m : d->n) == 2 ? 2 : 1;
}

/* Is it made for this instruction? Sets k_width and stretch. */
static bool fits_mma(Dot *d)
{
	if (layout_in_bits(d->side[A].l, LAYOUT_LANE) != 5 || layout_in_bits(d->side[B].l, LAYOUT_LANE) != 5)
		return false;
	d->stretch[A] = stretch_of(d, A);
	d->stretch[B] = stretch_of(d, B);
	uint64_t width =
		layout_coordinate(d->side[A].l, layout_basis(d->side[A].l, LAYOUT_LANE, 0), k_dim(d, A));
	d->k_width = (unsigned)width;
	if (!base_is_pow2(width) || (int64_t)width * 4 > d->k)
		return false;
	return has_lanes(d, A) && has_lanes(d, B) && has_lanes(d, C) && threads_agree(d, LAYOUT_WARP);
}

/* The i-th bit of K, from the lowest, that registers stand for: all but the two of the lanes. */
static uint64_t k_bit(const Dot *d, unsigned i)
{
	uint64_t bit = UINT64_C(1) << i;
	return bit < d->k_width ? bit : bit << 2;
}

/* What each bit of an element's number within an instruction stands for, as a point. */
static unsigned fragment(const Dot *d, unsigned operand, IrType elem, uint64_t *out)
{
	const Layout *l = d->side[operand].l;
	uint64_t other_rows = step_of(l, d->m, d->stretch[A] == 1 ? 8 : 1);
	unsigned n = 0, k_bits = base_log2(d->mma->k / 4),
		 packed = elem->bits < 32 ? base_log2(32 / elem->bits) : 0;
	if (operand == C) {
		out[n++] = step_of(l, d->n, d->stretch[B]);
		if (d->mma->m == 16)
			out[n++] = other_rows;
		return n;
	}
	for (unsigned i = 0; i <= k_bits; i++) {
		if (i == MIN(packed, k_bits) && operand == A && d->mma->m == 16)
			out[n++] = other_rows;
		if (i < k_bits)
			out[n++] = at(l, k_dim(d, operand), k_bit(d, i));
	}
	return n;
}

static bool write_elements(const Side *s, uint64_t point, const uint64_t *bits, unsigned n, uint32_t *out)
{
	for (uint32_t e = 0; e < UINT32_C(1) << n; e++)
		if (!find_register(s, point ^ f2_apply(bits, n, e), &out[e]))
			return false;
	return true;
}

/* Register bits of c that tell instructions apart: those independent of the fragment. */
static unsigned outer_registers(const Dot *d, const uint64_t *bits, unsigned n, uint64_t *out)
{
	uint64_t reg[64];
	F2Span span = f2_span_of(bits, n);
	unsigned count = layout_bases(d->side[C].l, LAYOUT_REGISTER, reg);
	return f2_extend(&span, reg, count, out, 64);
}

static const GpuDotPlan *plan_mma(const Dot *d, Arena *arena, const IrOp *op)
{
	uint64_t bits[3][16], outer[64];
	unsigned n[3];
	for (unsigned i = A; i <= C; i++)
		n[i] = fragment(d, i, ir_operand(op, i)->type->elem, bits[i]);
	unsigned outer_bits = outer_registers(d, bits[C], n[C], outer);
	uint32_t tiles = UINT32_C(1) << outer_bits, k_steps = (uint32_t)d->k / d->mma->k;
	unsigned k_first = base_log2(d->mma->k / 4);
	GpuDotPlan *plan = new_plan(arena, GPU_DOT_MMA, tiles * k_steps, 1u << n[A], 1u << n[B], 1u << n[C]);
	plan->mma = d->mma;
	plan->k_step = (uint32_t)d->k;
	for (uint32_t i = 0; i < plan->steps; i++) {
		uint64_t c = f2_apply(outer, outer_bits, i % tiles), k = 0;
		for (uint32_t rest = i / tiles, bit = k_first; rest; rest >>= 1, bit++)
			k |= rest & 1 ? k_bit(d, bit) : 0;
		uint64_t a = part_of_c(d, A, c) | at(d->side[A].l, k_dim(d, A), k);
		uint64_t b = part_of_c(d, B, c) | at(d->side[B].l, k_dim(d, B), k);
		if (!write_elements(&d->side[A], a, bits[A], n[A], (uint32_t *)plan->a + i * plan->a_count) ||
		    !write_elements(&d->side[B], b, bits[B], n[B], (uint32_t *)plan->b + i * plan->b_count) ||
		    !write_elements(&d->side[C], c, bits[C], n[C], (uint32_t *)plan->c + i * plan->c_count))
			return NULL;
	}
	return plan;
}

/* ---- the entry points ---- */

static bool choose_mma(Dot *d, const IrOp *op)
{
	IrPrecision precision = (IrPrecision)ir_get_int(op, d->cx->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	d->mma = gpu_mma_for(d->cx->target, ir_operand(op, 0)->type->elem, ir_operand(op, 1)->type->elem,
			     ir_operand(op, 2)->type->elem, d->k, precision);
	return d->mma && fits_mma(d);
}

TargetProduct gpu_product_of(const TargetMma *mma, IrType b)
{
	TargetProduct p = {.mma = mma, .n = mma->n, .steps = 1};
	bool found = element_of(b, true, &p.b);
	ASSERT(found);
	return p;
}

const TargetMma *gpu_dot_mma(GpuCx *cx, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	Dot d = dot_of(cx, dot);
	return choose_mma(&d, dot) ? d.mma : NULL;
}

const GpuDotPlan *gpu_dot_plan(GpuCx *cx, Arena *arena, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	Dot d = dot_of(cx, dot);
	if (choose_mma(&d, dot))
		return plan_mma(&d, arena, dot);
	if (is_in_registers(&d))
		return plan_fma(&d, arena);
	return fits_shared(&d) ? plan_shared(&d, arena, dot) : NULL;
}

static bool is_shared(Dot *d, const IrOp *dot)
{
	return !choose_mma(d, dot) && !is_in_registers(d) && fits_shared(d);
}

bool gpu_dot_takes_any(GpuCx *cx, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	Dot d = dot_of(cx, dot);
	return is_shared(&d, dot);
}

uint64_t gpu_dot_scratch(GpuCx *cx, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	Dot d = dot_of(cx, dot);
	if (!is_shared(&d, dot))
		return 0;
	return (trip_of(&d, dot, A)->cost.shared_bytes + 15) / 16 * 16 +
	       trip_of(&d, dot, B)->cost.shared_bytes;
}

static bool visit_dot(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_DOT;
	return !*found;
}

bool gpu_holds_dot(IrOp *op)
{
	bool found = false;
	CONTRACT(op->region_count);
	ir_walk(op, false, visit_dot, &found);
	return found;
}
