/* From the layouts of a ttng.warp_group_dot to its wgmma instructions.
 *
 * The fragments are those of the PTX ISA ("Asynchronous Warpgroup Level Matrix Instructions"): the
 * two lowest bits of the warp are rows 16 and 32; lanes are as in mma.sync; the lowest register
 * bit is the neighbouring column, the next one row 8, those above columns 8, 16, ... N / 2. Every
 * other register bit selects an instruction.
 *
 * Where operand 1 is in registers, the product is computed transposed: operand 1 becomes A, and
 * operand 0 becomes B. */
#include "gpu/plan/wgmma.h"

#include "gpu/analysis/late.h"
#include "gpu/plan/chain.h"
#include "gpu/plan/dot.h"
#include "ir/rewrite/fold.h"
#include "layout/f2.h"

enum {
	ROWS = 64,
	ROW_BITS = 6 /* of them */,
	MOST_N_BITS = 5 /* above the 8 columns of lanes and registers */,
	PATTERN_ROWS = 8,
	PART = 16,
	LATE_PARTS = 4, /* of a product, at least where it has as many instructions */
	LINE = 128
};

typedef struct Product {
	GpuCx *cx;
	const IrOp *op;
	const TargetMma *mma;
	bool swapped;
	const Layout *c, *a; /* a: NULL where it is in memory */
	F2Span registers[2]; /* of a, of c */
	/* what the bits of the instruction's rows stand for: lanes, the register of row 8, warps */
	uint64_t rows[ROW_BITS];
	unsigned n;
	const char *why;
} Product;

static bool refuse(Product *p, const char *why)
{
	p->why = p->why ? p->why : why;
	return false;
}

static uint64_t at(const Layout *l, unsigned dim, uint64_t value)
{
	return layout_space_put(&l->out, LAYOUT_DIM0 + dim, value);
}

/* A layout of the op's, as the product sees it. */
static const Layout *as_seen(const Product *p, IrType type)
{
	const Layout *l = gpu_layout(p->cx, type);
	return p->swapped ? layout_transpose(&p->cx->layouts, l, (const unsigned[]){1, 0}) : l;
}

/* ---- operands in memory ---- */

typedef struct Matrix {
	const Layout *memory, *back; /* back: tile -> offset */
	unsigned row, k;             /* dims */
	unsigned bytes, rows, depth; /* of an element; of an instruction */
} Matrix;

static uint64_t offset_of(const Matrix *m, unsigned dim, uint64_t value)
{
	uint64_t point = layout_apply(m->back, at(m->memory, dim, value));
	return layout_space_get(&m->back->out, point, LAYOUT_OFFSET) * m->bytes;
}

/* What hardware makes of an address: parts are XORed with the line. */
static uint64_t swizzled(uint64_t byte, unsigned swizzle)
{
	return swizzle ? byte ^ (byte / LINE & (swizzle / PART - 1)) * PART : byte;
}

/* Where the descriptor puts row `v` (of K: element v), for powers of two. */
static uint64_t described_row(const Matrix *m, const GpuWgmmaMemory *d, uint64_t v)
{
	unsigned span = d->swizzle ? d->swizzle : PART, elements = span / m->bytes;
	if (!d->rows_first)
		return v < PATTERN_ROWS ? v * span : v / PATTERN_ROWS * d->stride;
	return v < elements ? v * m->bytes : v / elements * (d->swizzle ? d->leading : d->stride);
}

static uint64_t described_k(const Matrix *m, const GpuWgmmaMemory *d, uint64_t v)
{
	unsigned span = d->swizzle ? d->swizzle : PART;
	if (d->rows_first)
		return v < PATTERN_ROWS ? v * span : v / PATTERN_ROWS * (d->swizzle ? d->stride : d->leading);
	return d->swizzle || v * m->bytes < PART ? v * m->bytes : v * m->bytes / PART * d->leading;
}

/* Do the elements that an instruction takes lie as
 * described, and begin others where the pattern does? */
static bool is_described(const Matrix *m, const GpuWgmmaMemory *d)
{
	for (unsigned dim = 0; dim < 2; dim++) {
		uint64_t size = (uint64_t)layout_shape(m->memory, dim),
			 own = dim == m->k ? m->depth : m->rows;
		for (uint64_t v = 1; v < size; v *= 2) {
			uint64_t found = offset_of(m, dim, v);
			uint64_t plain = v >= own      ? found
					 : dim == m->k ? described_k(m, d, v)
						       : described_row(m, d, v);
			if (!base_is_pow2(plain) || swizzled(plain, d->swizzle) != found)
				return false;
		}
	}
	return true;
}

/* The distances of such a descriptor are where the patterns beside the first one are found. */
static GpuWgmmaMemory descriptor_of(const Matrix *m, unsigned swizzle, bool rows_first)
{
	GpuWgmmaMemory d = {.swizzle = swizzle, .rows_first = rows_first, .leading = PART, .stride = PART};
	unsigned elements = (swizzle ? swizzle : PART) / m->bytes;
	uint32_t across = 0, along = 0; /* to the next rows; to the next of K */
	unsigned next_row = rows_first ? elements : PATTERN_ROWS,
		 next_k = rows_first ? PATTERN_ROWS : elements;
	if (m->rows > next_row)
		across = (uint32_t)offset_of(m, m->row, next_row);
	if (m->depth > next_k)
		along = (uint32_t)offset_of(m, m->k, next_k);
	bool stride_is_across = !rows_first || !swizzle;
	d.stride = stride_is_across ? across : along;
	d.leading = stride_is_across ? along : across;
	d.stride = d.stride ? d.stride : PART;
	d.leading = d.leading ? d.leading : PART;
	return d;
}

static bool find_descriptor(const Matrix *m, bool both_orders, GpuWgmmaMemory *out)
{
	static const unsigned swizzles[] = {128, 64, 32, 0};
	if (layout_rank(m->memory) != 2 || layout_space_reps(&m->memory->out) > 1 ||
	    layout_in_bits(m->memory, LAYOUT_BLOCK) || layout_shape(m->memory, m->row) < m->rows ||
	    layout_shape(m->memory, m->k) < m->depth || !layout_is_one_to_one(m->memory))
		return false;
	for (unsigned i = 0; i < ARRAY_LEN(swizzles); i++) {
		for (unsigned first = 0; first <= both_orders; first++) {
			*out = descriptor_of(m, swizzles[i], first);
			if (is_described(m, out))
				return true;
		}
	}
	return false;
}

const Layout *gpu_wgmma_scattered(GpuCx *cx, const Layout *l, unsigned dim)
{
	/* Lanes 1, 4, 2, the register 0, warps 3, 5. */
	static const unsigned to[ROW_BITS] = {1, 4, 2, 0, 3, 5};
	uint64_t bases[64], mask = layout_space_mask(&l->out, LAYOUT_DIM0 + dim);
	for (unsigned i = 0; i < l->in_bits; i++) {
		uint64_t row = layout_coordinate(l, l->bases[i], dim), moved = row & ~(uint64_t)(ROWS - 1);
		for (unsigned k = 0; k < ROW_BITS; k++)
			moved |= (row >> k & 1) << to[k];
		bases[i] = (l->bases[i] & ~mask) | layout_space_put(&l->out, LAYOUT_DIM0 + dim, moved);
	}
	return layout_make(&cx->layouts, &l->in, &l->out, bases);
}

const Layout *gpu_wgmma_memory(GpuCx *cx, const int64_t *shape, unsigned bits, unsigned dim)
{
	CONTRACT(bits && dim < 2);
	unsigned swizzle = 128;
	while (swizzle > PART && shape[dim] * bits / 8 < swizzle)
		swizzle /= 2;
	return layout_shared_tma(&cx->layouts, shape, 2, bits, swizzle, dim == 0);
}

/* ---- accumulators ---- */

static bool has_bases(const Layout *l, unsigned name, const uint64_t *expected, unsigned n)
{
	if (layout_in_bits(l, name) < n)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (layout_basis(l, name, i) != expected[i])
			return false;
	return true;
}

static F2Span span_of_registers(const Layout *l)
{
	uint64_t reg[64];
	unsigned n = layout_bases(l, LAYOUT_REGISTER, reg);
	return f2_span_of(reg, n);
}

static bool find_register(const F2Span *span, uint64_t point, uint32_t *out)
{
	uint64_t combo;
	if (f2_span_reduce(span, point, &combo) != 0)
		return false;
	*out = (uint32_t)combo;
	return true;
}

/* Rows of A in registers may be any, as long as the result has the same: sets rows. In memory they
 * are those of the instruction. */
static bool read_rows(Product *p)
{
	const Layout *c = p->c;
	uint64_t reg[64], all = 0;
	unsigned n = p->a ? layout_bases(p->a, LAYOUT_REGISTER, reg) : 0;
	if (layout_rank(c) != 2 || layout_in_bits(c, LAYOUT_LANE) != 5 || layout_in_bits(c, LAYOUT_WARP) < 2)
		return false;
	for (unsigned i = 0; i < 3; i++)
		p->rows[i] = layout_coordinate(c, layout_basis(c, LAYOUT_LANE, 2 + i), 0);
	p->rows[3] = 8;
	for (unsigned i = n; i-- > 0;)
		if (layout_coordinate(p->a, reg[i], 0))
			p->rows[3] = layout_coordinate(p->a, reg[i], 0);
	for (unsigned i = 0; i < 2; i++)
		p->rows[4 + i] = layout_coordinate(c, layout_basis(c, LAYOUT_WARP, i), 0);
	for (unsigned i = 0; i < ROW_BITS; i++) {
		if (!base_is_pow2(p->rows[i]) || all & p->rows[i] ||
		    (!p->a && p->rows[i] != UINT64_C(1) << i))
			return false;
		all |= p->rows[i];
	}
	return true;
}

/* Lanes and the first warps hold what the instruction's do; sets n. */
static bool read_accumulator(Product *p)
{
	const Layout *c = p->c;
	static const char *const why = "the result's layout is not that of the instruction's accumulators";
	unsigned bits = 0;
	uint32_t unused;
	p->registers[1] = span_of_registers(c);
	if (!read_rows(p))
		return refuse(p, why);
	const uint64_t lanes[] = {at(c, 1, 2), at(c, 1, 4), at(c, 0, p->rows[0]), at(c, 0, p->rows[1]),
				  at(c, 0, p->rows[2])};
	const uint64_t warps[] = {at(c, 0, p->rows[4]), at(c, 0, p->rows[5])};
	if (layout_space_reps(&c->out) > 1 || layout_in_bits(c, LAYOUT_BLOCK) || layout_shape(c, 0) < ROWS ||
	    layout_shape(c, 1) < 8 || !has_bases(c, LAYOUT_LANE, lanes, 5) ||
	    !has_bases(c, LAYOUT_WARP, warps, 2))
		return refuse(p, why);
	while (bits < MOST_N_BITS && (INT64_C(8) << bits) < layout_shape(c, 1) &&
	       find_register(&p->registers[1], at(c, 1, UINT64_C(8) << bits), &unused))
		bits++;
	p->n = 8u << bits;
	return target_mma_takes_n(p->mma, p->n) || refuse(p, "no instruction has so many columns");
}

/* As many columns as somebody sees (neso.used_n), where an instruction has all of the tile's. Half
 * of them and more: those above are a bit of the registers. */
static void trim_columns(Product *p)
{
	int64_t all = layout_shape(p->c, 1), used = ir_get_int(p->op, p->cx->ir, ATTR_USED_N, all);
	unsigned n = MAX((unsigned)(used + 7) / 8 * 8, p->n / 2 + 8);
	if (p->swapped || all != p->n)
		return;
	while (n < p->n && !target_mma_takes_n(p->mma, n))
		n += 8;
	p->n = MIN(n, p->n);
}

/* What each bit of an accumulator's number stands for. */
static unsigned accumulator_bits(const Product *p, uint64_t *out)
{
	unsigned n = 0;
	out[n++] = at(p->c, 1, 1);
	out[n++] = at(p->c, 0, p->rows[3]);
	for (uint64_t column = 8; column < p->n; column *= 2)
		out[n++] = at(p->c, 1, column);
	return n;
}

/* The same of A in registers: words of neighbours along K, then row 8, then the other half of K. */
static unsigned operand_bits(const Product *p, uint64_t *out)
{
	unsigned n = 0, words = p->mma->k / 8;
	for (uint64_t k = 1; k < words; k *= 2)
		out[n++] = at(p->a, 1, k);
	out[n++] = at(p->a, 0, p->rows[3]);
	out[n++] = at(p->a, 1, p->mma->k / 2);
	return n;
}

static bool read_operand(Product *p)
{
	const Layout *a = p->a;
	unsigned words = p->mma->k / 8;
	const uint64_t lanes[] = {at(a, 1, words), at(a, 1, 2 * words), at(a, 0, p->rows[0]),
				  at(a, 0, p->rows[1]), at(a, 0, p->rows[2])};
	p->registers[0] = span_of_registers(a);
	if (layout_rank(a) != 2 || layout_space_reps(&a->out) > 1 || !has_bases(a, LAYOUT_LANE, lanes, 5) ||
	    layout_in_bits(a, LAYOUT_WARP) != layout_in_bits(p->c, LAYOUT_WARP))
		return refuse(p, "the layout of operand 0 is not that of the instruction's registers");
	for (unsigned i = 0; i < layout_in_bits(a, LAYOUT_WARP); i++)
		if (layout_basis(a, LAYOUT_WARP, i) !=
		    at(a, 0, layout_coordinate(p->c, layout_basis(p->c, LAYOUT_WARP, i), 0)))
			return refuse(p,
				      "warps do not hold the rows of operand 0 that they have of the result");
	return true;
}

static bool write_elements(const F2Span *span, uint64_t point, const uint64_t *bits, unsigned n,
			   uint32_t count, uint32_t *out)
{
	for (uint32_t e = 0; e < count; e++)
		if (!find_register(span, point ^ f2_apply(bits, n, e), &out[e]))
			return false;
	return true;
}

/* ---- the plan ---- */

static bool place_operand(Product *p, Arena *arena, GpuWgmmaPlan *plan, unsigned operand,
			  const uint64_t *tiles)
{
	IrType type = ir_operand(p->op, operand ^ p->swapped)->type;
	Matrix m = {
		.memory = as_seen(p, type), .row = operand, .k = 1 - operand, .bytes = type->elem->bits / 8};
	m.rows = operand == 0 ? ROWS : p->n;
	m.depth = p->mma->k;
	m.back = layout_pseudo_invert(&p->cx->layouts, m.memory);
	GpuWgmmaMemory *out = &plan->memory[operand];
	if (type->alloc_rank || !find_descriptor(&m, type->elem->bits == 16, out))
		return refuse(p, operand ? "operand 1 does not lie in memory as a descriptor can say" :
					   "operand 0 does not lie in memory as a descriptor can say");
	uint32_t *where = ARENA_ARRAY(arena, uint32_t, plan->tiles * plan->steps);
	for (uint32_t i = 0; i < plan->tiles; i++)
		for (uint32_t k = 0; k < plan->steps; k++)
			where[i * plan->steps + k] =
				(uint32_t)(offset_of(&m, operand,
						     layout_coordinate(p->c, tiles[i], operand)) +
					   offset_of(&m, m.k, k * p->mma->k));
	out->at = where;
	/* The two lowest bits choose rows within an instruction. */
	for (unsigned i = 2; i < plan->warp_bits; i++) {
		uint64_t part = layout_coordinate(p->c, layout_basis(p->c, LAYOUT_WARP, i), operand);
		out->warp[i] = part ? offset_of(&m, operand, part) : 0;
	}
	return true;
}

static bool place_registers(Product *p, Arena *arena, GpuWgmmaPlan *plan, const uint64_t *tiles)
{
	uint64_t bits[8];
	unsigned n = operand_bits(p, bits);
	plan->a_count = 1u << n;
	uint32_t *a = ARENA_ARRAY(arena, uint32_t, plan->tiles * plan->steps * plan->a_count);
	for (uint32_t i = 0; i < plan->tiles * plan->steps; i++) {
		uint64_t point = at(p->a, 0, layout_coordinate(p->c, tiles[i / plan->steps], 0)) |
				 at(p->a, 1, i % plan->steps * p->mma->k);
		if (!write_elements(&p->registers[0], point, bits, n, plan->a_count, a + i * plan->a_count))
			return refuse(p, "threads do not hold what the instruction takes of operand 0");
	}
	plan->a = a;
	return true;
}

static bool place_tiles(Product *p, Arena *arena, GpuWgmmaPlan *plan, uint64_t **tiles)
{
	uint64_t bits[16], outer[64], reg[64];
	unsigned n = accumulator_bits(p, bits), count = layout_bases(p->c, LAYOUT_REGISTER, reg);
	F2Span span = f2_span_of(bits, n);
	unsigned outer_bits = f2_extend(&span, reg, count, outer, 64);
	plan->tiles = UINT32_C(1) << outer_bits;
	plan->c_count = p->n / 2; /* of 2^n, the first ones: columns are the highest bits */
	uint32_t *c = ARENA_ARRAY(arena, uint32_t, plan->tiles * plan->c_count);
	*tiles = ARENA_ARRAY(arena, uint64_t, plan->tiles);
	for (uint32_t i = 0; i < plan->tiles; i++) {
		(*tiles)[i] = f2_apply(outer, outer_bits, i);
		if (!write_elements(&p->registers[1], (*tiles)[i], bits, n, plan->c_count,
				    c + i * plan->c_count))
			return refuse(p, "the result's layout is not that of the instruction's accumulators");
	}
	plan->c = c;
	return true;
}

/* Steps of K that add something (neso.used_k). Those of operands that are read in parts while the
 * product is under way stay a power of two. */
static uint32_t steps_of(const Product *p, int64_t depth)
{
	int64_t used = ir_get_int(p->op, p->cx->ir, ATTR_USED_K, depth), k = p->mma->k;
	const IrValue *held = ir_operand(p->op, p->swapped);
	bool in_parts = p->a && gpu_wgmma_may_read_late(p->cx, p->op, held->type->elem);
	return (uint32_t)((in_parts ? depth : MIN(used, depth)) + k - 1) / (uint32_t)k;
}

const GpuWgmmaPlan *gpu_wgmma_plan(GpuCx *cx, Arena *arena, const IrOp *dot, const char **why)
{
	CONTRACT(dot->kind == OP_WARP_GROUP_DOT);
	bool swapped = ir_is_tensor(ir_operand(dot, 1)->type);
	IrType a = ir_operand(dot, swapped)->type, b = ir_operand(dot, !swapped)->type,
	       c = dot->results[0].type;
	Product p = {.cx = cx, .op = dot, .swapped = swapped};
	int64_t depth = a->shape[!swapped];
	p.c = layout_rank(gpu_layout(cx, c)) == 2 ? as_seen(&p, c) : gpu_layout(cx, c);
	p.a = ir_is_tensor(a) ? as_seen(&p, a) : NULL;
	IrPrecision precision = (IrPrecision)ir_get_int(dot, cx->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	GpuWgmmaPlan *plan = ARENA_NEW(arena, GpuWgmmaPlan);
	uint64_t *tiles;
	p.mma = gpu_wgmma_of_types(cx->target, a->elem, b->elem, c->elem, precision);
	if (!p.mma)
		refuse(&p, "the target has no wgmma of these types");
	else if (depth < p.mma->k || depth % p.mma->k)
		refuse(&p, "K is not a multiple of the instruction's");
	bool placed = !p.why && read_accumulator(&p) && (!p.a || read_operand(&p));
	if (placed)
		trim_columns(&p);
	if (placed && place_tiles(&p, arena, plan, &tiles)) {
		plan->mma = p.mma;
		plan->n = p.n;
		plan->steps = steps_of(&p, depth);
		plan->swapped = swapped;
		plan->warp_bits = layout_in_bits(p.c, LAYOUT_WARP);
		if (p.a)
			place_registers(&p, arena, plan, tiles);
		else
			place_operand(&p, arena, plan, 0, tiles);
		place_operand(&p, arena, plan, 1, tiles);
	}
	*why = p.why;
	return p.why ? NULL : plan;
}

const IrOp *gpu_wgmma_late_read(GpuCx *cx, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_WARP_GROUP_DOT);
	const IrValue *held = ir_operand(dot, ir_is_tensor(ir_operand(dot, 1)->type));
	if (!ir_is_tensor(held->type) || !gpu_wgmma_may_read_late(cx, dot, held->type->elem))
		return NULL;
	const IrOp *read = gpu_late_read(dot, held);
	const IrOp *slot = read ? ir_operand(read, 0)->def : NULL;
	while (slot && (slot->kind == OP_MEMDESC_TRANS || slot->kind == OP_MEMDESC_RESHAPE))
		slot = ir_operand(slot, 0)->def;
	bool ring = slot && slot->kind == OP_MEMDESC_INDEX;
	return ring || held->type->elem->bits == 32 ? read : NULL;
}

uint32_t gpu_wgmma_late_parts(const GpuWgmmaPlan *plan)
{
	uint32_t parts = plan->tiles;
	while (parts < LATE_PARTS && parts < plan->tiles * plan->steps)
		parts *= 2;
	return parts;
}

bool gpu_wgmma_may_read_late(GpuCx *cx, const IrOp *dot, IrType elem)
{
	return elem->bits == 32 || (elem->bits == 8 && !gpu_wgmma_adds_parts(cx, dot));
}

bool gpu_wgmma_adds_parts(GpuCx *cx, const IrOp *dot)
{
	IrType a = ir_operand(dot, 0)->type;
	int64_t most = ir_get_int(dot, cx->ir, ATTR_MAX_IMPRECISE, 0);
	/* Where all of K is one part, threads add it to what was there before, if anything. */
	return ir_is_float(a->elem) && a->elem->bits == 8 && dot->results[0].type->elem->bits == 32 &&
	       most > 0 &&
	       (most < a->shape[1] || (most == a->shape[1] && !fold_is_zero(ir_operand(dot, 2))));
}

/* ---- the choice ---- */

const TargetMma *gpu_wgmma_for(GpuCx *cx, const IrOp *dot, bool swapped, unsigned *warps, const char **why)
{
	CONTRACT(dot->kind == OP_DOT);
	IrType a = ir_operand(dot, swapped)->type, b = ir_operand(dot, !swapped)->type,
	       c = dot->results[0].type;
	IrPrecision precision = (IrPrecision)ir_get_int(dot, cx->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	const TargetMma *mma = gpu_wgmma_of_types(cx->target, a->elem, b->elem, c->elem, precision);
	unsigned all = gpu_num_warps(cx, dot);
	*why = NULL;
	if (!mma)
		return NULL;
	if (c->rank != 2) {
		*why = "it is a batch of products";
		return NULL;
	}
	int64_t rows = c->shape[swapped], columns = c->shape[!swapped], depth = a->shape[!swapped];
	if (cx->num_ctas > 1)
		*why = "the tile is split among CTAs";
	else if (all % 4)
		*why = "a warp group is four warps";
	else if (rows < ROWS)
		*why = "a warp group takes 64 rows";
	else if (!base_is_pow2((uint64_t)rows) || !base_is_pow2((uint64_t)columns) ||
		 !base_is_pow2((uint64_t)depth))
		*why = "a size of the tile is no power of two";
	else if (depth < mma->k)
		*why = "K is less than the instruction's";
	if (*why)
		return NULL;
	warps[0] = (unsigned)MIN((int64_t)all, rows / 16);
	warps[1] = all / warps[0];
	if (columns / warps[1] < 8)
		*why = "there are more warp groups than parts of the result";
	return *why ? NULL : mma;
}

bool gpu_wgmma_reads_across(GpuCx *cx, const IrOp *dot, bool swapped)
{
	unsigned warps[2];
	const char *why;
	IrType a = ir_operand(dot, swapped)->type;
	const TargetMma *mma = gpu_wgmma_for(cx, dot, swapped, warps, &why);
	if (!mma || a->elem->bits == 32)
		return mma != NULL;
	return a->elem->bits == 8 && a->shape[!swapped] > mma->k && !gpu_dot_is_chained(dot);
}
