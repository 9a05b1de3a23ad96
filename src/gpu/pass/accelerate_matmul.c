/* accelerate-matmul: assigns each dot its instruction: wgmma where target, types and tile allow
 * it, else mma.sync where it has the types, else multiply-adds in each thread, with operands from
 * registers where all of K takes few of them, else from shared memory.
 *
 * Needs: TTGIR; dots as `decompose-dots` leaves them. Keeps: effects; values up to the order of
 * sums. Operands and results are converted around the dot; remove-layout-conversions optimises the
 * conversions. Warps: the split of the result that loads least of both operands for the same
 * number of instructions. Where a dot's result is the first operand of another (attention), warps
 * stay along M, so that rows stay in their warp and the accumulator is an operand as it is. A dot
 * for wgmma becomes ttng.warp_group_dot. Its operands are put into shared memory in the order of
 * global memory, with a transposed view where needed, so that `pipeline` can copy them there; an A
 * that is computed in the loop comes from registers. */
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"
#include "gpu/plan/chain.h"
#include "gpu/plan/dot.h"
#include "gpu/pass/accelerate.h"
#include "gpu/plan/wgmma.h"

#include "layout/kinds.h"

typedef struct Dots {
	PassCx *cx;
	VEC(IrOp *) list;
	WgmmaStored stored;
} Dots;

typedef struct Shape {
	unsigned rank;
	const int64_t *c;
	int64_t m, n, k;
} Shape;

static Shape shape_of(const IrOp *dot)
{
	IrType a = ir_operand(dot, 0)->type, c = dot->results[0].type;
	return (Shape){c->rank, c->shape, c->shape[c->rank - 2], c->shape[c->rank - 1],
		       a->shape[c->rank - 1]};
}

/* ---- what operands are made of ---- */

enum { MOST_STEPS = 12, BITS_FOR_WORK = 16, MOST_WORK = 2 };

static bool is_uniform(const IrOp *op)
{
	return op->kind == OP_CONSTANT || op->kind == OP_SPLAT;
}

/* Bits of the narrowest elements that it is made of and that come by words along `dim`; `all` where
 * there are none. */
static unsigned word_elements(GpuCx *gpu, const IrValue *v, unsigned dim, unsigned depth, unsigned all)
{
	const IrOp *op = v->def;
	uint32_t registers[8];
	if (!ir_is_tensor(v->type) || (op && is_uniform(op)))
		return all;
	if (op && op->kind == OP_LOAD && !layout_vector(gpu_layout(gpu, v->type), dim, 1, registers))
		return all;
	if (!op || depth == 0 || !gpu_keeps_elements(op))
		return v->type->elem->bits >= 8 ? MIN(all, v->type->elem->bits) : all;
	unsigned least = all;
	for (uint32_t i = 0; i < op->operand_count; i++)
		least = MIN(least, word_elements(gpu, ir_operand(op, i), dim, depth - 1, all));
	return least;
}

/* Does it come from bytes that lie along `dim`? */
static bool is_of_bytes_along(GpuCx *gpu, const IrValue *v, unsigned dim, unsigned depth)
{
	const IrOp *op = v->def;
	uint32_t registers[8];
	if (!op || !ir_is_tensor(v->type))
		return false;
	if (op->kind == OP_LOAD)
		return v->type->elem->bits == 8 && layout_vector(gpu_layout(gpu, v->type), dim, 1, registers);
	for (uint32_t i = 0; i < op->operand_count && depth && gpu_keeps_elements(op); i++)
		if (is_of_bytes_along(gpu, ir_operand(op, i), dim, depth - 1))
			return true;
	return false;
}

/* What is done to each element between where it comes from and the dot. */
static unsigned work_on(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	unsigned work = 0;
	if (!op || depth == 0 || !gpu_keeps_elements(op))
		return 0;
	for (uint32_t i = 0; i < op->operand_count; i++)
		work = MAX(work, work_on(ir_operand(op, i), depth - 1));
	return work + (op->kind != OP_CONVERT_LAYOUT);
}

/* ---- warps ---- */

static int64_t over(int64_t size, unsigned parts, unsigned least)
{
	return MAX(size / parts, least);
}

/* warps[] along each dim of the result. */
static void split_warps(const IrOp *dot, const Shape *s, const TargetMma *mma, unsigned num_warps,
			unsigned *warps)
{
	unsigned rest = num_warps, *w = warps + (s->rank - 2), price[2];
	/* Loading an element, and what all warps that hold
	 * it do to it, in bits that could be loaded instead. */
	for (unsigned i = 0; i < 2; i++)
		price[i] = ir_operand(dot, i)->type->elem->bits +
			   BITS_FOR_WORK * MIN(work_on(ir_operand(dot, i), MOST_STEPS), MOST_WORK);
	if (s->rank == 3) {
		warps[0] = (unsigned)MIN((int64_t)rest, s->c[0]);
		rest /= warps[0];
	}
	if (gpu_dot_is_chained(dot)) {
		w[0] = (unsigned)MIN((int64_t)rest, MAX(s->m / mma->m, 1));
		w[1] = rest / w[0];
		return;
	}
	int64_t least = INT64_MAX, least_work = INT64_MAX;
	for (unsigned m = rest; m >= 1; m /= 2) {
		int64_t rows = over(s->m, m, mma->m), columns = over(s->n, rest / m, mma->n);
		int64_t work = rows * columns, loads = rows * price[0] + columns * price[1];
		if (work > least_work || (work == least_work && loads >= least))
			continue;
		least_work = work;
		least = loads;
		w[0] = m;
		w[1] = rest / m;
	}
}

/* ---- mma.sync ---- */

/* Neighbours along K that a thread holds: a 32-bit word of what is loaded, so that operands that
 * are widened after the load are loaded by words too, if words lie along K. */
static unsigned k_width_of(GpuCx *gpu, const IrOp *dot, const Shape *s)
{
	unsigned elem = ir_operand(dot, 0)->type->elem->bits, bits = elem;
	if (elem >= 32)
		return 1;
	for (unsigned i = 0; i < 2; i++)
		bits = word_elements(gpu, ir_operand(dot, i), i == 0 ? s->rank - 1 : s->rank - 2, MOST_STEPS,
				     bits);
	if (gpu_comes_from_dot(ir_operand(dot, 0)) || gpu_comes_from_dot(ir_operand(dot, 1)))
		bits = elem;
	while (bits < elem && 4 * (32 / bits) > s->k)
		bits *= 2;
	return 32 / bits;
}

/* The operand's registers in the order in which instructions take them: those of one instruction,
 * then the other dim, then along K. Loads in this order can wait until their step comes, and need
 * no registers before. */
static const Layout *in_steps(GpuCx *gpu, const Layout *l, unsigned k_dim, unsigned k_width)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), fragment = 0, n = 0;
	uint64_t bases[64], k_mask = layout_space_mask(&l->out, LAYOUT_DIM0 + k_dim);
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	/* The neighbours of a word, and one bit of K more; between them A has its other eight
	 * rows. */
	for (unsigned k_bits = base_log2(k_width) + 1; fragment < registers && k_bits; fragment++)
		k_bits -= (l->bases[fragment] & k_mask) != 0;
	for (unsigned along_k = 0; along_k < 2; along_k++)
		for (unsigned i = fragment; i < registers; i++)
			if (((l->bases[i] & k_mask) != 0) == along_k)
				bases[fragment + n++] = l->bases[i];
	return layout_make(&gpu->layouts, &l->in, &l->out, bases);
}

/* Bytes whose words do not lie along K come by ldmatrix.trans in pairs of neighbours of the other
 * dim, so a thread must hold pairs: the coordinates of `dim` below `last` are doubled, and `last`,
 * which a register stands for, becomes 1 (gpu/plan/dot.c, stretch). */
const Layout *accelerate_stretched(GpuCx *gpu, const Layout *l, unsigned dim, uint64_t last)
{
	uint64_t bases[64], mask = layout_space_mask(&l->out, LAYOUT_DIM0 + dim);
	for (unsigned i = 0; i < l->in_bits; i++) {
		uint64_t at = layout_coordinate(l, l->bases[i], dim), low = at & (last - 1);
		uint64_t moved = (at & ~(2 * last - 1)) | low << 1 | ((at & last) != 0);
		bases[i] = (l->bases[i] & ~mask) | layout_space_put(&l->out, LAYOUT_DIM0 + dim, moved);
	}
	return layout_make(&gpu->layouts, &l->in, &l->out, bases);
}

/* The lowest coordinate from 8 on that a register of the operand stands for; 0: none. */
uint64_t accelerate_last_to_stretch(const Layout *l, unsigned dim)
{
	for (unsigned bit = 3; bit < layout_out_bits(l, LAYOUT_DIM0 + dim); bit++)
		for (unsigned i = 0; i < layout_in_bits(l, LAYOUT_REGISTER); i++)
			if (layout_basis(l, LAYOUT_REGISTER, i) ==
			    layout_space_put(&l->out, LAYOUT_DIM0 + dim, UINT64_C(1) << bit))
				return UINT64_C(1) << bit;
	return 0;
}

static void stretch_for_bytes(GpuCx *gpu, const IrOp *dot, const Shape *s, const Layout **layouts)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned dim = s->rank - 2 + i;
		uint64_t last = is_of_bytes_along(gpu, ir_operand(dot, i), dim, MOST_STEPS)
					? accelerate_last_to_stretch(layouts[i], dim)
					: 0;
		if (!last)
			continue;
		layouts[i] = accelerate_stretched(gpu, layouts[i], dim, last);
		layouts[2] = accelerate_stretched(gpu, layouts[2], dim, last);
	}
}

/* The highest bits of the warps as CTAs of the cluster. */
static const Layout *of_cluster(GpuCx *gpu, const Layout *l)
{
	unsigned blocks = base_log2(gpu->num_ctas);
	if (!blocks)
		return l;
	LayoutSpace in = layout_space_of_threads(
		layout_in_bits(l, LAYOUT_REGISTER), layout_in_bits(l, LAYOUT_LANE),
		layout_in_bits(l, LAYOUT_WARP) - blocks, blocks, layout_space_reps(&l->in));
	return layout_make(&gpu->layouts, &in, &l->out, l->bases);
}

/* CTAs of a cluster are as warps more: a CTA has rows or columns of the result, and what it takes
 * of the operands. */
static void lay_out_mma(GpuCx *gpu, const IrOp *dot, const Shape *s, const TargetMma *mma,
			unsigned num_warps, const Layout **layouts)
{
	unsigned warps[3] = {1, 1, 1}, k_width = k_width_of(gpu, dot, s);
	split_warps(dot, s, mma, num_warps * gpu->num_ctas, warps);
	for (unsigned i = 0; i < 2; i++) {
		const int64_t *shape = ir_operand(dot, i)->type->shape;
		const Layout *l =
			layout_mma_operand(&gpu->layouts, shape, s->rank, warps, i, mma->m, k_width);
		layouts[i] = in_steps(gpu, l, i == 0 ? s->rank - 1 : s->rank - 2, k_width);
	}
	layouts[2] = layout_mma_accumulator(&gpu->layouts, s->c, s->rank, warps, mma->m);
	if (mma->m == 16 && !gpu_dot_is_chained(dot))
		stretch_for_bytes(gpu, dot, s, layouts);
	for (unsigned i = 0; i < 3; i++)
		layouts[i] = of_cluster(gpu, layouts[i]);
}

/* ---- FMA ---- */

/* Should multiply-adds take their operands, as they are, from shared memory?
 * layouts[] is for registers. A quarter of the memory is left to what waits
 * there meanwhile (stage_operands.c). Products of operands that are larger
 * stand one behind the other for all of K, which takes ptxas minutes. */
static bool through_shared(GpuCx *gpu, const IrOp *dot, const Layout *const *layouts)
{
	unsigned words = 0;
	uint64_t bits = 0;
	for (unsigned i = 0; i < 2; i++) {
		IrType type = ir_operand(dot, i)->type;
		words += gpu_words(gpu, gpu_with_layout(gpu, type, layouts[i]));
		bits += (uint64_t)ir_numel(type) * type->elem->bits;
	}
	return words > gpu->target->budgets->fma_operands && bits / 8 <= gpu->target->shared_cta / 4 * 3 &&
	       gpu_dot_shared_fits(layouts[2], gpu_layout(gpu, ir_operand(dot, 0)->type),
				   gpu_layout(gpu, ir_operand(dot, 1)->type));
}

/* Squares in each thread, of lanes, and of warps: each element that is loaded is used most. */
static void lay_out_fma(GpuCx *gpu, const Shape *s, unsigned num_warps, const Layout **layouts)
{
	LayoutBlocked b = {.rank = s->rank};
	unsigned m = s->rank - 2, n = s->rank - 1, lanes = TARGET_WARP_SIZE, warps = num_warps;
	int64_t share = s->m * s->n / ((int64_t)lanes * warps);
	unsigned side = share >= 16 ? 4 : share >= 4 ? 2 : 1;
	b.order[0] = n;
	b.order[1] = m;
	b.order[s->rank - 1] = s->rank == 3 ? 0 : b.order[s->rank - 1];
	b.size_per_thread[0] = b.threads_per_warp[0] = b.warps_per_cta[0] = 1;
	b.size_per_thread[m] = (unsigned)MIN((int64_t)side, s->m);
	b.size_per_thread[n] = (unsigned)MIN((int64_t)side, s->n);
	int64_t rows = MAX(s->m / b.size_per_thread[m], 1), columns = MAX(s->n / b.size_per_thread[n], 1);
	b.threads_per_warp[n] = (unsigned)MIN(columns, MAX((int64_t)8, lanes / MIN(rows, (int64_t)lanes)));
	b.threads_per_warp[m] = lanes / b.threads_per_warp[n];
	rows = MAX(rows / b.threads_per_warp[m], 1);
	if (s->rank == 3) {
		b.warps_per_cta[0] = (unsigned)MIN((int64_t)warps, s->c[0]);
		warps /= b.warps_per_cta[0];
	}
	b.warps_per_cta[m] = (unsigned)MIN((int64_t)warps, rows);
	b.warps_per_cta[n] = warps / b.warps_per_cta[m];
	for (unsigned k = 0; k < s->rank && gpu->num_ctas > 1; k++) {
		b.ctas[k] = b.cta_split[k] = 1;
		b.cta_order[k] = b.order[k];
	}
	if (gpu->num_ctas > 1) {
		b.ctas[m] = gpu->num_ctas;
		b.cta_split[m] = (unsigned)MIN((int64_t)gpu->num_ctas, s->m);
	}
	layouts[2] = layout_blocked(&gpu->layouts, s->c, &b);
	layouts[0] = gpu_fma_operand(gpu, layouts[2], 0, s->k);
	layouts[1] = gpu_fma_operand(gpu, layouts[2], 1, s->k);
}

/* ---- all ---- */

static bool lay_out(Dots *dots, IrOp *dot)
{
	PassCx *cx = dots->cx;
	GpuCx *gpu = gpu_of(cx);
	unsigned warps[2];
	const char *why;
	unsigned across = wgmma_across_k(gpu, dot);
	if (gpu_wgmma_for(gpu, dot, across == 2, warps, &why) && across < 3 &&
	    wgmma_has_room(gpu, &dots->stored, dot)) {
		wgmma_take(cx, dot, warps);
		return true;
	}
	const Layout *layouts[3];
	Shape s = shape_of(dot);
	IrPrecision precision = (IrPrecision)ir_get_int(dot, gpu->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	IrType a = ir_operand(dot, 0)->type->elem, b_elem = ir_operand(dot, 1)->type->elem;
	const TargetMma *mma =
		gpu_mma_for(gpu->target, a, b_elem, dot->results[0].type->elem, s.k, precision);
	bool any = false;
	if (mma) {
		lay_out_mma(gpu, dot, &s, mma, gpu_num_warps(gpu, dot), layouts);
	} else {
		lay_out_fma(gpu, &s, gpu_num_warps(gpu, dot), layouts);
		any = through_shared(gpu, dot, layouts);
	}
	IrBuilder b = ir_at(cx->module, dot);
	for (uint32_t i = any ? 2 : 0; i < 3; i++)
		ir_operand_set(dot, i, gpu_convert(gpu, &b, ir_operand(dot, i), layouts[i]));
	return gpu_convert_result(gpu, cx->module, dot, &dot->results[0], layouts[2]);
}

static bool visit(void *data, IrOp *op)
{
	Dots *dots = data;
	if (op->kind == OP_DOT)
		vec_push(dots->cx->scratch, &dots->list, op);
	return true;
}

bool pass_accelerate_matmul(PassCx *cx, bool *changed)
{
	Dots dots = {.cx = cx, .stored = wgmma_stored(cx)};
	ir_walk(cx->module->op, false, visit, &dots);
	for (uint32_t i = 0; i < dots.list.len; i++)
		*changed = lay_out(&dots, dots.list.data[i]) || *changed;
	return true;
}
