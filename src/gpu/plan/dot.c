/* From the layouts of a dot to its mma.sync instructions.
 *
 * Everything is linear. The fragments of mma.sync (PTX ISA, "Matrix Fragments for mma") fix the
 * lanes: in c two bits of columns and three of rows; in a and b two bits along K and three along
 * the other dim. Which two bits of K these are is free as long as a and b agree, as the sum does
 * not depend on it; which rows and columns of the tile are those of an instruction is free too
 * (stretch). The registers of one instruction are the lowest column bit and the row of 8 in c, and
 * the lowest bits of K that a thread holds in a and b; every other register bit iterates over
 * instructions. For each c the places in a and b are found by Gaussian elimination. */
#include "gpu/plan/dot_parts.h"

#include "gpu/memory/memory.h"

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

uint64_t dot_at(const Layout *l, unsigned dim, uint64_t value)
{
	return layout_space_put(&l->out, LAYOUT_DIM0 + dim, value);
}

/* The basis that stands for `bit` of a dim; beyond the tile's end a copy. */
static uint64_t step_of(const Layout *l, unsigned dim, uint64_t bit)
{
	return (int64_t)bit < layout_shape(l, dim) ? dot_at(l, dim, bit) : 0;
}

uint64_t dot_part_of_c(const Dot *d, unsigned operand, uint64_t point)
{
	const Layout *c = d->side[C].l, *l = d->side[operand].l;
	unsigned dim = operand == A ? d->m : d->n;
	uint64_t part = dot_at(l, dim, layout_coordinate(c, point, dim));
	if (d->rank == 3)
		part |= dot_at(l, 0, layout_coordinate(c, point, 0));
	return part;
}

unsigned dot_k_dim(const Dot *d, unsigned operand)
{
	return operand == A ? d->n : d->m;
}

bool dot_threads_agree(const Dot *d, unsigned first)
{
	for (unsigned name = first; name <= LAYOUT_BLOCK; name++) {
		for (unsigned i = 0; i < layout_in_bits(d->side[C].l, name); i++) {
			uint64_t c = layout_basis(d->side[C].l, name, i);
			for (unsigned o = A; o <= B; o++)
				if (layout_basis(d->side[o].l, name, i) != dot_part_of_c(d, o, c))
					return false;
		}
	}
	return true;
}

bool dot_find_register(const Side *s, uint64_t point, uint32_t *out)
{
	uint64_t combo;
	if (f2_span_reduce(&s->span, point, &combo) != 0)
		return false;
	*out = (uint32_t)combo;
	return true;
}

GpuDotPlan *dot_new_plan(Arena *arena, GpuDotKind kind, uint32_t steps, uint32_t a, uint32_t b,
			 uint32_t c)
{
	GpuDotPlan *plan = ARENA_NEW(arena, GpuDotPlan);
	*plan = (GpuDotPlan){.kind = kind, .steps = steps, .a_count = a, .b_count = b, .c_count = c};
	plan->a = ARENA_ARRAY(arena, uint32_t, steps * a);
	plan->b = ARENA_ARRAY(arena, uint32_t, steps * b);
	plan->c = ARENA_ARRAY(arena, uint32_t, steps * c);
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
					   : dot_at(l, dot_k_dim(d, operand), d->k_width << i);
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
		layout_coordinate(d->side[A].l, layout_basis(d->side[A].l, LAYOUT_LANE, 0), dot_k_dim(d, A));
	d->k_width = (unsigned)width;
	if (!base_is_pow2(width) || (int64_t)width * 4 > d->k)
		return false;
	return has_lanes(d, A) && has_lanes(d, B) && has_lanes(d, C) && dot_threads_agree(d, LAYOUT_WARP);
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
			out[n++] = dot_at(l, dot_k_dim(d, operand), k_bit(d, i));
	}
	return n;
}

static bool write_elements(const Side *s, uint64_t point, const uint64_t *bits, unsigned n, uint32_t *out)
{
	for (uint32_t e = 0; e < UINT32_C(1) << n; e++)
		if (!dot_find_register(s, point ^ f2_apply(bits, n, e), &out[e]))
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

/* Does each bit of the layout stand for one bit of the dim, or none? Then what an instruction takes
 * begins at the index of its first element. */
static bool is_plain(const Layout *l, unsigned dim)
{
	for (unsigned i = 0; i < l->in_bits; i++) {
		uint64_t at = layout_coordinate(l, l->bases[i], dim);
		if (at & (at - 1))
			return false;
	}
	return true;
}

/* Where padding begins that need not be multiplied (trim-products). */
typedef struct Used {
	uint64_t k, n;
} Used;

static Used used_of(const Dot *d, const IrOp *op)
{
	const IrCx *ir = d->cx->ir;
	Used used = {UINT64_MAX, UINT64_MAX};
	if (is_plain(d->side[A].l, dot_k_dim(d, A)) && is_plain(d->side[B].l, dot_k_dim(d, B)))
		used.k = (uint64_t)ir_get_int(op, ir, ATTR_USED_K, INT64_MAX);
	if (is_plain(d->side[C].l, d->n))
		used.n = (uint64_t)ir_get_int(op, ir, ATTR_USED_N, INT64_MAX);
	return used;
}

static const GpuDotPlan *plan_mma(const Dot *d, Arena *arena, const IrOp *op)
{
	uint64_t bits[3][16], outer[64];
	unsigned n[3];
	Used used = used_of(d, op);
	for (unsigned i = A; i <= C; i++)
		n[i] = fragment(d, i, ir_operand(op, i)->type->elem, bits[i]);
	unsigned outer_bits = outer_registers(d, bits[C], n[C], outer);
	uint32_t tiles = UINT32_C(1) << outer_bits, k_steps = (uint32_t)d->k / d->mma->k;
	unsigned k_first = base_log2(d->mma->k / 4);
	GpuDotPlan *plan =
		dot_new_plan(arena, GPU_DOT_MMA, tiles * k_steps, 1u << n[A], 1u << n[B], 1u << n[C]);
	plan->mma = d->mma;
	plan->k_step = (uint32_t)d->k;
	uint32_t *unseen = ARENA_ARRAY(arena, uint32_t, tiles << n[C]), all = plan->steps, i = 0;
	plan->unseen = unseen;
	for (uint32_t s = 0; s < all; s++) {
		uint64_t c = f2_apply(outer, outer_bits, s % tiles), k = 0;
		for (uint32_t rest = s / tiles, bit = k_first; rest; rest >>= 1, bit++)
			k |= rest & 1 ? k_bit(d, bit) : 0;
		bool seen = layout_coordinate(d->side[C].l, c, d->n) < used.n;
		if (!seen && !k) {
			if (!write_elements(&d->side[C], c, bits[C], n[C], unseen + plan->unseen_count))
				return NULL;
			plan->unseen_count += 1u << n[C];
		}
		if (!seen || k >= used.k)
			continue;
		uint64_t a = dot_part_of_c(d, A, c) | dot_at(d->side[A].l, dot_k_dim(d, A), k);
		uint64_t b = dot_part_of_c(d, B, c) | dot_at(d->side[B].l, dot_k_dim(d, B), k);
		if (!write_elements(&d->side[A], a, bits[A], n[A], (uint32_t *)plan->a + i * plan->a_count) ||
		    !write_elements(&d->side[B], b, bits[B], n[B], (uint32_t *)plan->b + i * plan->b_count) ||
		    !write_elements(&d->side[C], c, bits[C], n[C], (uint32_t *)plan->c + i * plan->c_count))
			return NULL;
		i++;
	}
	plan->steps = i;
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
	if (dot_is_in_registers(&d))
		return dot_is_in_place(&d, dot) ? dot_plan_in_place(&d, arena, dot)
						: dot_plan_fma(&d, arena);
	return dot_fits_shared(&d) ? dot_plan_shared(&d, arena, dot) : NULL;
}

bool gpu_dot_reads_in_place(GpuCx *cx, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	Dot d = dot_of(cx, dot);
	return !choose_mma(&d, dot) && dot_is_in_registers(&d) && dot_is_in_place(&d, dot);
}

/* Does it put operands into shared memory? */
static bool is_shared(Dot *d, const IrOp *dot)
{
	return !choose_mma(d, dot) && !dot_is_in_registers(d) && dot_fits_shared(d);
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
	return (dot_shared_bytes(&d, dot, A) + 15) / 16 * 16 + dot_shared_bytes(&d, dot, B);
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
