/* Plans of ops that move data while they compute, and the shared memory that they take. */
#include "gpu/reduce/combine_ops.h"

#include "gpu/plan/price.h"
#include "layout/f2.h"

/* ---- combining functions ---- */

IrOpKind gpu_region_op(const IrRegion *region)
{
	CONTRACT(region->first);
	const IrBlock *block = region->first;
	const IrOp *op = block->first, *end = ir_terminator(block);
	if (block->arg_count != 2 || !op || op->next != end || end->operand_count != 1 ||
	    op->operand_count != 2 || ir_operand(end, 0) != ir_result(op, 0))
		return OP__COUNT;
	const IrValue *a = ir_operand(op, 0), *b = ir_operand(op, 1);
	bool straight = a == block->args[0] && b == block->args[1];
	return straight || (a == block->args[1] && b == block->args[0] && ir_has_trait(op, TRAIT_COMM))
		       ? op->kind
		       : OP__COUNT;
}

/* Values of the body as expressions, numbered so that equal ones are equal; each as it stands, and
 * with the two halves of arguments exchanged. */
typedef struct Expression {
	const IrOp *op; /* for kind, attributes, types */
	bool swapped;
	uint32_t result, operands[4];
} Expression;

typedef struct Numbers {
	Expression *all;
	uint32_t count, first;
	const IrValue **values;
	uint32_t (*number)[2]; /* plain, exchanged */
	uint32_t value_count;
} Numbers;

static uint32_t *number_of(Numbers *n, const IrValue *v)
{
	for (uint32_t i = 0; i < n->value_count; i++) {
		if (n->values[i] == v)
			return n->number[i];
	}
	/* From outside: the same either way. */
	n->values[n->value_count] = v;
	n->number[n->value_count][0] = n->number[n->value_count][1] = n->first++;
	return n->number[n->value_count++];
}

/* cmp(a, b) as cmp'(b, a). */
static int64_t mirrored(const IrOp *op, int64_t predicate)
{
	static const uint8_t ints[] = {CMPI_EQ,	 CMPI_NE,  CMPI_SGT, CMPI_SGE, CMPI_SLT,
				       CMPI_SLE, CMPI_UGT, CMPI_UGE, CMPI_ULT, CMPI_ULE};
	static const uint8_t floats[] = {CMPF_FALSE, CMPF_OEQ, CMPF_OLT, CMPF_OLE, CMPF_OGT, CMPF_OGE,
					 CMPF_ONE, CMPF_ORD, CMPF_UEQ, CMPF_ULT, CMPF_ULE, CMPF_UGT,
					 CMPF_UGE, CMPF_UNE, CMPF_UNO, CMPF_TRUE};
	return op->kind == OP_CMPI ? ints[predicate] : floats[predicate];
}

static int64_t predicate_of(const Expression *e)
{
	for (uint32_t i = 0; i < e->op->attr_count; i++) {
		if (strcmp(e->op->attrs[i].name, "predicate") == 0)
			return e->swapped ? mirrored(e->op, e->op->attrs[i].value->i)
					  : e->op->attrs[i].value->i;
	}
	return 0;
}

static bool same_expression(const Expression *a, const Expression *b)
{
	const IrOp *x = a->op, *y = b->op;
	bool compares = x->kind == OP_CMPI || x->kind == OP_CMPF;
	if (x->kind != y->kind || a->result != b->result || x->operand_count != y->operand_count ||
	    x->attr_count != y->attr_count ||
	    ir_result(x, a->result)->type != ir_result(y, b->result)->type ||
	    memcmp(a->operands, b->operands, sizeof a->operands) != 0 || predicate_of(a) != predicate_of(b))
		return false;
	for (uint32_t i = 0; i < x->attr_count; i++) {
		bool predicate = compares && strcmp(x->attrs[i].name, "predicate") == 0;
		if (x->attrs[i].name != y->attrs[i].name ||
		    (!predicate && x->attrs[i].value != y->attrs[i].value))
			return false;
	}
	return true;
}

static uint32_t number_expression(Numbers *n, const IrOp *op, uint32_t result, const uint32_t *operands)
{
	Expression e = {.op = op, .result = result};
	memcpy(e.operands, operands, sizeof e.operands);
	bool compares = op->kind == OP_CMPI || op->kind == OP_CMPF;
	if ((ir_has_trait(op, TRAIT_COMM) || compares) && e.operands[0] > e.operands[1]) {
		e.operands[0] = operands[1];
		e.operands[1] = operands[0];
		e.swapped = compares;
	}
	for (uint32_t i = 0; i < n->count; i++) {
		if (same_expression(&n->all[i], &e))
			return i;
	}
	n->all[n->count] = e;
	return n->count++;
}

bool gpu_region_commutes(const IrRegion *region, Arena *arena)
{
	const IrBlock *block = region->first;
	uint32_t half = block->arg_count / 2, size = block->arg_count;
	for (const IrOp *op = block->first; op; op = op->next) {
		size += op->result_count + op->operand_count;
		if (op->operand_count > 4 && !ir_has_trait(op, TRAIT_TERM))
			return false;
		if (op->region_count || (!ir_has_trait(op, TRAIT_TERM) && !ir_is_pure(op)))
			return false;
	}
	Numbers n = {.first = 1u << 30};
	n.all = ARENA_ARRAY(arena, Expression, 2 * size);
	n.values = ARENA_ARRAY(arena, const IrValue *, size);
	n.number = arena_alloc(arena, sizeof *n.number * size);
	for (uint32_t i = 0; i < block->arg_count; i++) {
		n.values[n.value_count] = block->args[i];
		n.number[n.value_count][0] = n.first + i;
		n.number[n.value_count++][1] = n.first + (i + half) % (2 * half);
	}
	n.first += block->arg_count;
	const IrOp *end = ir_terminator(block);
	for (const IrOp *op = block->first; op != end; op = op->next) {
		uint32_t operands[2][4] = {{0}};
		for (uint32_t i = 0; i < op->operand_count; i++) {
			const uint32_t *number = number_of(&n, ir_operand(op, i));
			operands[0][i] = number[0];
			operands[1][i] = number[1];
		}
		for (uint32_t i = 0; i < op->result_count; i++) {
			uint32_t plain = number_expression(&n, op, i, operands[0]);
			uint32_t exchanged = number_expression(&n, op, i, operands[1]);
			n.values[n.value_count] = ir_result(op, i);
			n.number[n.value_count][0] = plain;
			n.number[n.value_count++][1] = exchanged;
		}
	}
	for (uint32_t i = 0; i < end->operand_count; i++) {
		const uint32_t *number = number_of(&n, ir_operand(end, i));
		if (number[0] != number[1])
			return false;
	}
	return true;
}

bool gpu_reduces_in_hardware(const GpuCx *cx, const IrOp *reduce)
{
	IrType elem = ir_operand(reduce, 0)->type->elem;
	if (reduce->operand_count != 1 || !ir_is_int(elem) || elem->bits > 32 || cx->target->capability < 80)
		return false;
	switch (gpu_region_op(&reduce->regions[0])) {
	case OP_ADDI:
	case OP_MINSI:
	case OP_MAXSI:
		return elem->bits > 1; /* of an i1 these are not what they are of a wider 0 or 1 */
	case OP_MINUI:
	case OP_MAXUI:
	case OP_ANDI:
	case OP_ORI:
	case OP_XORI:
		return true;
	default:
		return false;
	}
}

bool gpu_reduces_pairs(const GpuCx *cx, const IrOp *op)
{
	IrTypeKind kind = ir_operand(op, 0)->type->elem->kind;
	if (op->kind != OP_REDUCE || op->operand_count != 1 || (kind != TY_F16 && kind != TY_BF16) ||
	    !target_has(cx->target, TARGET_BF16))
		return false;
	switch (gpu_region_op(&op->regions[0])) {
	case OP_MAXNUMF:
	case OP_MINNUMF:
	case OP_MAXIMUMF:
	case OP_MINIMUMF: return true;
	default: return false;
	}
}

/* ---- reductions and scans ---- */

/* The type that an operand has in a conversion of the plan. */
static IrType elem_of_trip(GpuCx *cx, const IrOp *op, unsigned operand, unsigned trip)
{
	bool wide = trip && gpu_reduces_pairs(cx, op);
	return wide ? ir_scalar(cx->ir, TY_F32) : ir_operand(op, operand)->type->elem;
}

static unsigned widest_bytes(const GpuCx *cx, const IrOp *op)
{
	unsigned bytes = gpu_reduces_pairs(cx, op) ? 4 : 1;
	for (uint32_t i = 0; i < op->operand_count; i++)
		bytes = MAX(bytes, gpu_element_bits(ir_operand(op, i)->type->elem) / 8);
	return bytes;
}

/* What shuffles of all operands take: twice what they keep the SM busy for, as a round waits
 * for them, and little else is left to do beside it. */
static unsigned exchange_price(const GpuCx *cx, const IrOp *op)
{
	unsigned words = 0;
	for (uint32_t i = 0; i < op->operand_count; i++)
		words += (gpu_element_bits(ir_operand(op, i)->type->elem) + 31) / 32;
	return 2 * words * cx->plan_target.costs->shuffle;
}

GpuReducePlan gpu_reduce_plan(GpuCx *cx, const IrOp *op)
{
	CONTRACT(op->kind == OP_REDUCE);
	IrType result = ir_result(op, 0)->type;
	const Layout *wanted = ir_is_tensor(result) ? gpu_layout(cx, result) : NULL;
	unsigned axis = (unsigned)ir_get_int(op, cx->ir, ATTR_AXIS, 0);
	GpuReduceBody body = {.element_bytes = widest_bytes(cx, op),
			      .combine = gpu_body_price(op),
			      .exchange = exchange_price(cx, op),
			      .warp_op = gpu_reduces_in_hardware(cx, op)};
	return gpu_plan_reduce(&cx->layouts, gpu_layout(cx, ir_operand(op, 0)->type), axis, wanted, &body);
}

GpuScanPlan gpu_scan_plan(GpuCx *cx, const IrOp *op)
{
	CONTRACT(op->kind == OP_SCAN);
	unsigned axis = (unsigned)ir_get_int(op, cx->ir, ATTR_AXIS, 0);
	return gpu_plan_scan(&cx->layouts, gpu_layout(cx, ir_operand(op, 0)->type), axis,
			     ir_get_bool(op, cx->ir, ATTR_REVERSE));
}

GpuTrips gpu_trips(GpuCx *cx, const IrOp *op)
{
	GpuTrips trips = {.operands = op->operand_count, .scratch = {.align = 16, .own_warp = true}};
	if (op->kind == OP_REDUCE) {
		GpuReducePlan plan = gpu_reduce_plan(cx, op);
		trips.count = gpu_reduce_trips(&plan, trips.from, trips.to);
	} else {
		GpuScanPlan plan = gpu_scan_plan(cx, op);
		trips.count = gpu_scan_trips(&plan, trips.from, trips.to);
	}
	trips.offset = ARENA_ARRAY(cx->arena, uint64_t, trips.count * trips.operands);
	for (unsigned i = 0; i < trips.count; i++) {
		for (unsigned k = 0; k < trips.operands; k++) {
			trips.offset[i * trips.operands + k] = trips.scratch.bytes;
			if (trips.from[i] == trips.to[i])
				continue;
			GpuScratch one = gpu_convert_scratch(cx, trips.from[i], trips.to[i],
							     elem_of_trip(cx, op, k, i));
			trips.scratch.bytes += (one.bytes + 15) / 16 * 16;
			trips.scratch.own_warp = trips.scratch.own_warp && (!one.bytes || one.own_warp);
		}
	}
	return trips;
}

/* ---- gather ---- */


/* A point of the indices' tile as one of the source's, at 0 along the axis: only that dim may
 * differ in size. */
static uint64_t to_source(const Layout *indices, const Layout *source, uint64_t point, unsigned axis)
{
	uint64_t out = 0;
	for (unsigned k = 0; k < layout_rank(source); k++) {
		if (k != axis)
			out |= layout_space_put(&source->out, LAYOUT_DIM0 + k,
						layout_coordinate(indices, point, k));
	}
	return out;
}

static bool same_other_dims(const Layout *a, const Layout *b, unsigned axis)
{
	for (unsigned k = 0; k < layout_rank(a); k++) {
		if (k != axis && layout_shape(a, k) != layout_shape(b, k))
			return false;
	}
	return true;
}

/* Each warp holds all along the axis that its indices may ask for. */
static bool warps_have_theirs(const Layout *source, const Layout *indices, unsigned axis)
{
	static const LayoutName names[] = {LAYOUT_WARP, LAYOUT_BLOCK};
	for (unsigned n = 0; n < ARRAY_LEN(names); n++) {
		for (unsigned i = 0; i < layout_in_bits(source, names[n]); i++) {
			uint64_t wanted =
				to_source(indices, source, layout_basis(indices, names[n], i), axis);
			if (layout_basis(source, names[n], i) != wanted)
				return false;
		}
	}
	return true;
}

enum { MOST_PICKS = 2 }; /* shuffles of one result: 2^2 cost as much as a trip through shared memory */

GpuGatherPlan gpu_gather_plan(GpuCx *cx, const IrOp *op)
{
	CONTRACT(op->kind == OP_GATHER);
	const Layout *source = gpu_layout(cx, ir_operand(op, 0)->type);
	const Layout *indices = gpu_layout(cx, ir_operand(op, 1)->type);
	unsigned axis = (unsigned)ir_get_int(op, cx->ir, ATTR_AXIS, 0), name = LAYOUT_DIM0 + axis;
	unsigned registers = layout_in_bits(source, LAYOUT_REGISTER),
		 axis_bits = layout_out_bits(source, name);
	unsigned own = layout_in_bits(indices, LAYOUT_REGISTER);
	GpuGatherPlan plan = {0};
	if (layout_space_reps(&source->out) > 1 || layout_space_reps(&indices->out) > 1 ||
	    !same_other_dims(source, indices, axis) || !warps_have_theirs(source, indices, axis))
		return plan;
	F2Span span = f2_span_of(source->bases, registers + layout_in_bits(source, LAYOUT_LANE));
	uint32_t *from = ARENA_ARRAY(cx->arena, uint32_t, (size_t)1 << own);
	uint32_t *lane = ARENA_ARRAY(cx->arena, uint32_t, (size_t)1 << own),
		 mask = (UINT32_C(1) << registers) - 1;
	uint64_t combo;
	F2Span picks = f2_span_none();
	for (unsigned i = 0; i < axis_bits; i++) {
		if (f2_span_reduce(&span, layout_space_put(&source->out, name, UINT64_C(1) << i), &combo))
			return plan;
		plan.index_lane[i] = (uint32_t)(combo >> registers);
		if (f2_span_add(&picks, combo & mask)) {
			if (plan.pick_bits == MOST_PICKS)
				return plan;
			plan.pick[plan.pick_bits++] = (uint32_t)combo & mask;
			plan.index_pick[i] = 1u << (plan.pick_bits - 1);
		} else {
			uint64_t made;
			f2_span_reduce(&picks, combo & mask, &made);
			for (unsigned j = 0; j < i; j++)
				plan.index_pick[i] ^= made >> j & 1 ? plan.index_pick[j] : 0;
		}
	}
	for (unsigned i = 0; i < layout_in_bits(indices, LAYOUT_LANE); i++) {
		uint64_t wanted = to_source(indices, source, layout_basis(indices, LAYOUT_LANE, i), axis);
		if (f2_span_reduce(&span, wanted, &combo) || (combo & mask))
			return plan;
		plan.lane_lane[i] = (uint32_t)(combo >> registers);
	}
	for (uint32_t r = 0; r < UINT32_C(1) << own; r++) {
		uint64_t wanted = to_source(indices, source, layout_apply(indices, r), axis);
		if (f2_span_reduce(&span, wanted, &combo))
			return plan;
		from[r] = (uint32_t)combo & mask;
		lane[r] = (uint32_t)(combo >> registers);
	}
	plan.register_from = from;
	plan.register_lane = lane;
	plan.within_warp = true;
	return plan;
}

/* ---- clusters ---- */

/* New highest registers take the place of the block bits. */
static const Layout *in_every_block(GpuCx *cx, const Layout *l)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), blocks = layout_in_bits(l, LAYOUT_BLOCK),
		 more = 0;
	uint64_t bases[64], added[64];
	if (!blocks)
		return l;
	for (unsigned i = 0; i < blocks; i++) {
		if (layout_basis(l, LAYOUT_BLOCK, i))
			added[more++] = layout_basis(l, LAYOUT_BLOCK, i);
	}
	LayoutSpace in = l->in;
	((LayoutDim *)layout_space_find(&in, LAYOUT_REGISTER))->bits = (uint8_t)(registers + more);
	memcpy(bases, l->bases, sizeof bases[0] * registers);
	memcpy(bases + registers, added, sizeof bases[0] * more);
	memcpy(bases + registers + more, l->bases + registers,
	       sizeof bases[0] * (l->in_bits - registers - blocks));
	memset(bases + more + l->in_bits - blocks, 0, sizeof bases[0] * blocks);
	return layout_make(&cx->layouts, &in, &l->out, bases);
}

const Layout *gpu_holders(GpuCx *cx, const Layout *l)
{
	unsigned blocks = layout_in_bits(l, LAYOUT_BLOCK);
	if (!blocks)
		return l;
	LayoutSpace in = l->in;
	((LayoutDim *)layout_space_find(&in, LAYOUT_BLOCK))->bits = 0;
	return layout_make(&cx->layouts, &in, &l->out, l->bases);
}

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

static uint64_t tile_bytes(IrType type)
{
	return (uint64_t)ir_numel(type) * gpu_element_bits(type->elem) / 8;
}

static uint64_t convert_bytes(GpuCx *cx, const Layout *from, const Layout *to, IrType elem)
{
	return from == to ? 0 : aligned(gpu_convert_scratch(cx, from, to, elem).bytes);
}

GpuSpread gpu_spread(GpuCx *cx, IrType tile)
{
	CONTRACT(ir_is_tensor(tile));
	const Layout *own = gpu_layout(cx, tile);
	GpuSpread spread = {.layout = in_every_block(cx, own), .offset = aligned(tile_bytes(tile))};
	spread.mask_offset = spread.end = spread.offset + convert_bytes(cx, own, spread.layout, tile->elem);
	return spread;
}

GpuSpread gpu_spread_histogram(GpuCx *cx, const IrOp *op)
{
	CONTRACT(op->kind == OP_HISTOGRAM);
	IrType tile = ir_operand(op, 0)->type;
	const Layout *own = gpu_layout(cx, tile);
	GpuSpread spread = {.layout = in_every_block(cx, own)};
	spread.offset = aligned((uint64_t)ir_numel(ir_result(op, 0)->type) * 4);
	spread.mask_offset = spread.end = spread.offset + convert_bytes(cx, own, spread.layout, tile->elem);
	if (op->operand_count > 1)
		spread.end += convert_bytes(cx, own, spread.layout, ir_operand(op, 1)->type->elem);
	return spread;
}

/* ---- maps ---- */

static bool has_neighbours(const Layout *l, unsigned dim, uint32_t pack, uint32_t *bits)
{
	unsigned n = base_log2(pack);
	return layout_vector(l, dim, n, bits) == n;
}

GpuMapPlan gpu_map_plan(GpuCx *cx, const IrOp *op)
{
	CONTRACT(op->kind == OP_MAP_ELEMENTWISE);
	IrType type = ir_operand(op, 0)->type;
	const Layout *own = gpu_layout(cx, type);
	GpuMapPlan plan = {.layout = own, .pack = (uint32_t)ir_get_int(op, cx->ir, ATTR_PACK, 1)};
	unsigned order[LAYOUT_MAX_RANK];
	plan.scratch = (GpuScratch){.align = 16, .own_warp = true};
	plan.offset = ARENA_ARRAY(cx->arena, uint64_t, op->operand_count + op->result_count);
	for (unsigned k = 0; k < type->rank; k++)
		order[k] = type->rank - 1 - k;
	if (plan.pack > 1 && !has_neighbours(own, type->rank - 1, plan.pack, plan.bits)) {
		plan.layout = gpu_blocked_layout(cx, type->shape, type->rank, order, plan.pack,
						 gpu_num_warps(cx, op));
		bool found = has_neighbours(plan.layout, type->rank - 1, plan.pack, plan.bits);
		ASSERT(found);
	}
	for (uint32_t k = 0; k < op->operand_count + op->result_count && plan.layout != own; k++) {
		bool in = k < op->operand_count;
		IrType elem =
			in ? ir_operand(op, k)->type->elem : ir_result(op, k - op->operand_count)->type->elem;
		GpuScratch one =
			gpu_convert_scratch(cx, in ? own : plan.layout, in ? plan.layout : own, elem);
		plan.offset[k] = plan.scratch.bytes;
		plan.scratch.bytes += aligned(one.bytes);
		plan.scratch.own_warp = plan.scratch.own_warp && (!one.bytes || one.own_warp);
	}
	return plan;
}

/* ---- scratch ---- */

GpuScratch gpu_scratch_combine(GpuCx *cx, const IrOp *op)
{
	return gpu_trips(cx, op).scratch;
}

GpuScratch gpu_scratch_gather(GpuCx *cx, const IrOp *op)
{
	bool within_warp = gpu_gather_plan(cx, op).within_warp;
	return (GpuScratch){within_warp ? 0 : gpu_spread(cx, ir_operand(op, 0)->type).end, 16, false};
}

GpuScratch gpu_scratch_histogram(GpuCx *cx, const IrOp *op)
{
	return (GpuScratch){gpu_spread_histogram(cx, op).end, 16, false};
}

GpuScratch gpu_scratch_map(GpuCx *cx, const IrOp *op)
{
	return gpu_map_plan(cx, op).scratch;
}
