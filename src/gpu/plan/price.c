/* Costs of ops and conversions, in the unit of target/cost.h. Global memory is costed by its
 * 32-byte sectors. */
#include "gpu/plan/price.h"

#include "gpu/analysis/usual.h"
#include "layout/f2.h"
#include "target/cost.h"

enum {
	SECTOR_BYTES = 32,
	LINE_BYTES = 128,
	WIDEST_BYTES = 16,
	LARGE_WORDS = 128, /* stored and loaded by a thread */
};

static unsigned words_of(unsigned registers, unsigned element_bits)
{
	uint64_t elements = UINT64_C(1) << registers;
	return (unsigned)MAX((elements * element_bits + 31) / 32, 1);
}

/* ---- conversions ---- */

typedef struct Threads {
	uint64_t reg[64], thread[64];
	unsigned registers, lanes, warps, blocks;
	F2Span span; /* of the registers */
} Threads;

static Threads threads_of(const Layout *l)
{
	Threads t;
	t.registers = layout_bases(l, LAYOUT_REGISTER, t.reg);
	t.lanes = layout_in_bits(l, LAYOUT_LANE);
	t.warps = layout_in_bits(l, LAYOUT_WARP);
	t.blocks = layout_in_bits(l, LAYOUT_BLOCK);
	memcpy(t.thread, l->bases + t.registers, sizeof t.thread[0] * (t.lanes + t.warps + t.blocks));
	t.span = f2_span_of(t.reg, t.registers);
	return t;
}

static bool holds_all(const F2Span *span, const uint64_t *vecs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!f2_span_has(span, vecs[i]))
			return false;
	return true;
}

/* Of the threads' bits [from, to) those whose places differ by more than the span makes up for. */
static bool moves(const F2Span *span, const Threads *a, const Threads *b, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (!f2_span_has(span, a->thread[i] ^ b->thread[i]))
			return true;
	return false;
}

static unsigned price_within_thread(const Threads *a, const Threads *b, unsigned element_bits)
{
	uint64_t difference[64];
	unsigned n = a->lanes + a->warps + a->blocks;
	for (unsigned i = 0; i < n; i++)
		difference[i] = a->thread[i] ^ b->thread[i];
	return f2_rank(difference, n) * words_of(b->registers, element_bits);
}

/* One shuffle for each word that most lanes have from another one. */
static unsigned price_within_warp(const TargetCosts *costs, const Threads *b, unsigned element_bits)
{
	unsigned words = words_of(b->registers, element_bits);
	return words * (costs->shuffle + 1);
}

static unsigned price_through_shared(const TargetCosts *costs, const Threads *a, const Threads *b,
				     unsigned element_bits, bool across_blocks, bool within_warps)
{
	/* Of warps that hold copies one stores. */
	F2Span warp = a->span;
	f2_span_add_all(&warp, a->thread, a->lanes);
	unsigned copies = a->warps - f2_span_add_all(&warp, a->thread + a->lanes, a->warps);
	unsigned stored = MAX(words_of(f2_span_rank(&a->span), element_bits) >> copies, 1);
	unsigned loaded = words_of(f2_span_rank(&b->span), element_bits);
	unsigned barrier = across_blocks  ? costs->cluster_barrier
			   : within_warps ? costs->cta_barrier / 2
					  : costs->cta_barrier;
	/* The memory of more words another CTA cannot have: its loads no longer go on beside
	 * (fitted to products of fp32). */
	unsigned large = stored + loaded > LARGE_WORDS ? stored + loaded - LARGE_WORDS : 0;
	return barrier + (stored + loaded + large) * costs->wavefront + (stored + loaded) / 4 + 2;
}

unsigned gpu_price_convert(const TargetCosts *costs, const Layout *from, const Layout *to,
			   unsigned element_bits)
{
	CONTRACT(layout_space_equal(&from->out, &to->out));
	CONTRACT(element_bits);
	if (from == to)
		return 0;
	unsigned reps = layout_space_reps(&from->out);
	unsigned bits = MAX(element_bits, 8);
	Threads a = threads_of(from), b = threads_of(to);
	unsigned in_block = a.lanes + a.warps, all = in_block + a.blocks;
	/* A step for a rename, which is none: fewer conversions are better. */
	if (holds_all(&a.span, b.reg, b.registers) && !moves(&a.span, &a, &b, 0, all))
		return reps * price_within_thread(&a, &b, bits) + 1;
	F2Span warp = a.span;
	f2_span_add_all(&warp, a.thread, a.lanes);
	bool within_warps = holds_all(&warp, b.reg, b.registers) && holds_all(&warp, b.thread, b.lanes) &&
			    !moves(&warp, &a, &b, a.lanes, all);
	F2Span block = warp;
	f2_span_add_all(&block, a.thread + a.lanes, a.warps);
	bool across_blocks =
		!(holds_all(&block, b.reg, b.registers) && holds_all(&block, b.thread, in_block) &&
		  !moves(&block, &a, &b, in_block, all));
	unsigned shared = price_through_shared(costs, &a, &b, bits, across_blocks, within_warps);
	return reps * (within_warps ? MIN(shared, price_within_warp(costs, &b, bits)) : shared) + 1;
}

/* ---- memory ---- */

/* Of neighbours that are not known to lie side by side, those that usually do, or lie nearest. */
static void guess_row(GpuAccess *access, const AxisMap *map, const IrCx *ir, const IrValue *pointers)
{
	UsualRow row = usual_row(map, ir, pointers);
	if (!row.any)
		return;
	access->dim = row.dim;
	access->contiguity = row.step ? TARGET_WARP_SIZE : 2;
	access->step = row.step;
}

GpuAccess gpu_access_of(const AxisMap *map, const IrCx *ir, const IrValue *pointers, const IrValue *mask)
{
	CONTRACT(ir_is_ptr(ir_elem(pointers->type)));
	GpuAccess access = {.vector = 1, .contiguity = 1};
	const AxisInfo *info = axis_of(map, pointers);
	IrType elem = ir_elem(pointers->type)->elem;
	unsigned rank = pointers->type->rank;
	access.element_bits = MAX(elem->bits, 8);
	const AxisInfo *masks = mask ? axis_of(map, mask) : NULL;
	for (unsigned d = 0; d < IR_MAX_RANK; d++) {
		access.constancy[d] = info && d < rank ? info->constancy[d] : 1;
		access.shared[d] = !mask	       ? access.constancy[d]
				   : masks && d < rank ? MIN(access.constancy[d], masks->constancy[d])
						       : 1;
	}
	if (!info)
		return access;
	for (unsigned d = rank; d-- > 0;) {
		if (info->contiguity[d] > access.contiguity) {
			access.contiguity = info->contiguity[d];
			access.dim = d;
		}
	}
	if (access.contiguity == 1 && ir_is_tensor(pointers->type))
		guess_row(&access, map, ir, pointers);
	access.vector = axis_vector(map, pointers, mask, access.dim);
	return access;
}

/* Pieces of so many bytes that one instruction of a warp touches: lanes along the contiguous dim
 * share them, lanes along others do not. Whole vectors that are known to lie in a row are taken to
 * be followed by the next one: indices modulo a size (a tile's rows and columns, % M and % N) wrap
 * once at most. */
static unsigned pieces_of(const GpuAccess *access, const Layout *l, unsigned piece)
{
	unsigned bytes = access->element_bits / 8, pieces = 1;
	int64_t pitch = MAX(access->step, 1) * bytes; /* from one element to the next */
	int64_t row = access->contiguity * bytes >= WIDEST_BYTES ? INT64_MAX : access->contiguity;
	for (unsigned i = 0; i < layout_in_bits(l, LAYOUT_LANE); i++) {
		uint64_t basis = layout_basis(l, LAYOUT_LANE, i);
		bool apart = false;
		for (unsigned d = 0; d < layout_rank(l); d++) {
			int64_t c = (int64_t)layout_coordinate(l, basis, d);
			if (c == 0 || c < access->constancy[d])
				continue;
			apart = apart || d != access->dim || c >= row || c * pitch >= piece;
		}
		pieces *= apart ? 2 : 1;
	}
	return pieces;
}

/* PTX ISA, "red" and "atom": vectors of f32, f16 and bf16 from sm_90 on, pairs of f16 before. */
unsigned gpu_atomic_bytes(const GpuCx *cx, const IrOp *op)
{
	IrType elem = ir_elem(ir_elem(ir_operand(op, 0)->type)->elem);
	unsigned bytes = MAX(elem->bits / 8, 1u);
	if (op->kind != OP_ATOMIC_RMW || ir_get_int(op, cx->ir, ATTR_RMW_OP, 0) != RMW_FADD || bytes == 8)
		return bytes;
	return target_has(cx->target, TARGET_CLUSTER) ? WIDEST_BYTES : elem->kind == TY_F16 ? 4 : bytes;
}

/* Bits of registers that tell elements apart, where those of a run along a dim count as one. */
static unsigned distinct_registers(const Layout *l, const int64_t *runs)
{
	uint64_t reg[64], equal = 0;
	unsigned n = layout_bases(l, LAYOUT_REGISTER, reg);
	for (unsigned d = 0; d < layout_rank(l) && runs; d++)
		equal |= layout_space_put(&l->out, LAYOUT_DIM0 + d,
					  (uint64_t)(runs[d] - 1) &
						  ((UINT64_C(1) << layout_out_bits(l, LAYOUT_DIM0 + d)) - 1));
	for (unsigned i = 0; i < n; i++)
		reg[i] &= ~equal;
	return f2_rank(reg, n);
}

/* Registers that are accessed one by one: copies are not, nor, in loads, what is known to have the
 * address of another. */
static unsigned registers_of(IrOpKind op, const GpuAccess *access, const Layout *l)
{
	return distinct_registers(l, op == OP_LOAD ? access->shared : NULL);
}

/* Loads that take the rest of the sectors of one before them, which the first-level cache has by
 * then: of neighbours that lie in one thread and are not known to be aligned. */
static unsigned instructions_of_sector(const GpuAccess *access, const Layout *l, unsigned vector)
{
	uint32_t elements[8];
	int64_t most = MIN(access->contiguity, (int64_t)(SECTOR_BYTES / (access->element_bits / 8)));
	unsigned run = most > 1 ? layout_vector(l, access->dim, base_log2((uint64_t)most), elements) : 0;
	return 1u << (run > vector ? run - vector : 0);
}

unsigned gpu_price_access(const TargetCosts *costs, IrOpKind op, const GpuAccess *access,
			  const Layout *layout)
{
	CONTRACT(layout_rank(layout) > 0);
	CONTRACT(access->element_bits >= 8);
	uint32_t elements[8];
	unsigned bytes = access->element_bits / 8, vector = 0, registers = registers_of(op, access, layout);
	unsigned most = access->widest			  ? access->widest
			: op == OP_LOAD || op == OP_STORE ? WIDEST_BYTES
							  : bytes;
	int64_t widest = MIN(access->vector, (int64_t)MAX(most / bytes, 1u));
	if (widest > 1)
		vector = layout_vector(layout, access->dim, base_log2((uint64_t)widest), elements);
	ASSERT(vector <= registers);
	unsigned instructions = (1u << (registers - vector)) * layout_space_reps(&layout->out);
	unsigned sector = op == OP_LOAD	   ? costs->load_sector
			  : op == OP_STORE ? costs->store_sector
					   : costs->atomic_sector;
	unsigned pieces = pieces_of(access, layout, SECTOR_BYTES), sectors = pieces * sector;
	if (op == OP_STORE) {
		/* A sector that is written in part takes its turn again for the rest. */
		uint64_t lanes[64];
		unsigned distinct = f2_rank(lanes, layout_bases(layout, LAYOUT_LANE, lanes));
		unsigned whole = (bytes << (distinct + vector)) / SECTOR_BYTES;
		unsigned pairs = pieces_of(access, layout, 2 * SECTOR_BYTES);
		sectors += pieces > whole ? (pieces - whole) * costs->store_part : 0;
		sectors += (2 * pairs - pieces) * costs->store_lone;
	}
	unsigned lines = pieces_of(access, layout, LINE_BYTES) * costs->line;
	if (op != OP_LOAD || !access->sets_pace)
		return instructions * (1 + access->more + MAX(sectors, lines));
	unsigned alike = instructions_of_sector(access, layout, vector);
	return instructions * (1 + access->more + costs->load_request) +
	       instructions / alike * MAX(sectors, alike * lines);
}

/* ---- arithmetic ---- */

unsigned gpu_body_price(const IrOp *op)
{
	CONTRACT(op->region_count);
	unsigned price = 0;
	for (const IrOp *inner = op->regions[0].first->first; inner; inner = inner->next)
		price++;
	return MAX(price, 2) - 1;
}

/* Register bits that are the lowest bits of the axis: a scan knows a total of each of their
 * blocks. */
static unsigned run_bits(const Layout *layout, unsigned axis)
{
	unsigned registers = layout_in_bits(layout, LAYOUT_REGISTER), bits = 0, i = 0;
	while (i < registers) {
		uint64_t basis = layout_basis(layout, LAYOUT_REGISTER, i);
		bool next = layout_coordinate(layout, basis, axis) == UINT64_C(1) << bits;
		bits += next;
		i = next ? 0 : i + 1;
	}
	return bits;
}

GpuReducePrice gpu_price_reduce(const TargetCosts *costs, const IrOp *op, const Layout *layout, unsigned axis)
{
	CONTRACT(axis < layout_rank(layout));
	unsigned count[LAYOUT_BLOCK + 1] = {0}, words = 0, body = gpu_body_price(op);
	for (unsigned name = 0; name <= LAYOUT_BLOCK; name++)
		for (unsigned i = 0; i < layout_in_bits(layout, name); i++)
			count[name] += layout_coordinate(layout, layout_basis(layout, name, i), axis) != 0;
	for (uint32_t i = 0; i < op->operand_count; i++)
		words += MAX(ir_elem(ir_operand(op, i)->type)->bits / 32, 1);
	unsigned registers = layout_in_bits(layout, LAYOUT_REGISTER), reps = layout_space_reps(&layout->out);
	bool scan = op->kind == OP_SCAN;
	unsigned kept = registers - (scan ? run_bits(layout, axis) : count[LAYOUT_REGISTER]);
	unsigned results = (1u << kept) * reps, all = (1u << registers) * reps;
	/* Rounds that halve the results shuffle as many as
	 * there are, and as many again to spread them out. */
	unsigned lanes = count[LAYOUT_LANE], rounds = MIN(results * lanes, 2 * results + lanes);
	/* A scan halves nothing: it shuffles all results in each round, and what precedes them. */
	if (scan)
		rounds = lanes ? results * (lanes + 1) : 0;
	GpuReducePrice price = {.within = all * body, .across = rounds * (words * costs->shuffle + body)};
	bool across = count[LAYOUT_LANE] || count[LAYOUT_WARP] || count[LAYOUT_BLOCK];
	/* What precedes goes in front of each element; each thread adds up, and chooses from, the
	 * totals of all warps. */
	if (scan && across)
		price.across += all * body;
	if (scan)
		price.across += (results << count[LAYOUT_WARP]) * (body + words);
	if (count[LAYOUT_WARP] || count[LAYOUT_BLOCK])
		price.across += costs->cta_barrier +
				(results + (results << count[LAYOUT_WARP])) * words * costs->wavefront;
	price.across += count[LAYOUT_BLOCK] ? costs->cluster_barrier : 0;
	return price;
}

/* Of an op on 32 bits, by the column `cost` of ops.def. */
enum {
	PRICE_FREE = 0,
	PRICE_PLAIN = 1,
	PRICE_HALF = 2,
	PRICE_SPECIAL = 10,
	PRICE_LONG = 16,
	PRICE_FOREIGN = 255, /* PRICE_LONG, also on 64 bits */
	PRICE_MEMORY = 1,    /* where its accesses have no price */
};

#define TILES(layout, cost, scratch, axis, range) PRICE_##cost
static const uint8_t prices[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) \
	[OP_##name] = tiles,
#include "ir/ops.def"
#undef OP
};

bool gpu_is_special(const IrOp *op)
{
	return prices[op->kind] == PRICE_SPECIAL;
}

static unsigned price_of_one(const IrOp *op)
{
	unsigned price = prices[op->kind], bits = op->result_count ? ir_elem(op->results[0].type)->bits : 32;
	return price == PRICE_FOREIGN ? PRICE_LONG : price * (bits > 32 ? 2 : 1);
}

unsigned gpu_price_elementwise(const IrOp *op, const Layout *layout, const int64_t *runs)
{
	return (price_of_one(op) << distinct_registers(layout, runs)) * layout_space_reps(&layout->out);
}
