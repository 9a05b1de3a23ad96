/* Dots that become wgmma: which operand comes from registers, and how the others get into shared
 * memory (accelerate_matmul.c). */
#include "gpu/analysis/branches.h"
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pass/accelerate.h"
#include "gpu/plan/chain.h"
#include "gpu/plan/wgmma.h"

#include "layout/kinds.h"

enum { CHAIN = 10 /* ops between a tile and what is computed of it */, WORDS_AT_ONCE = 4,
       LEAST_STAGES = 3 /* with a ring that is turned an iteration ahead */, GROUP_WARPS = 4 };

/* Where an operand comes from: conversions and transpositions apart. */
static IrValue *origin_of(IrValue *v, bool *transposed)
{
	*transposed = false;
	while (v->def && (v->def->kind == OP_CONVERT_LAYOUT || v->def->kind == OP_TRANS)) {
		*transposed ^= v->def->kind == OP_TRANS;
		v = ir_operand(v->def, 0);
	}
	return v;
}

/* The dim along which a thread holds neighbours; where it holds none, the lanes beside it do. */
static unsigned neighbours_of(const Layout *l)
{
	uint32_t registers[8];
	unsigned n[2] = {layout_vector(l, 0, 4, registers), layout_vector(l, 1, 4, registers)};
	if (n[0] != n[1])
		return n[0] > n[1] ? 0 : 1;
	bool lanes = layout_in_bits(l, LAYOUT_LANE);
	return lanes && layout_coordinate(l, layout_basis(l, LAYOUT_LANE, 0), 0) == 1 ? 0 : 1;
}

/* The dim of a value along which threads will hold neighbours: what is computed of a loaded tile,
 * or of sums, stays as those lie, though it has the usual layout of its shape up to here. Of a
 * branch's, the side counts that more iterations take, or the other where that one is as good along
 * either dim: zeros where there is nothing to load. */
static bool comes_along(GpuCx *gpu, const IrValue *v, unsigned depth, unsigned *dim)
{
	const IrOp *op = v->def;
	if (!op || v->type->rank != 2)
		return false;
	bool trans = op->kind == OP_TRANS;
	if (op->kind == OP_IF) {
		unsigned side = branch_seldom(gpu->ir, op) == 0;
		for (unsigned i = 0; i < 2 && depth; i++) {
			const IrOp *yield = ir_terminator(op->regions[side ^ i].first);
			if (comes_along(gpu, ir_operand(yield, (uint32_t)(v - op->results)), depth - 1, dim))
				return true;
		}
		return false;
	}
	if (trans || gpu_keeps_elements(op)) {
		for (uint32_t i = 0; i < op->operand_count && depth; i++) {
			if (comes_along(gpu, ir_operand(op, i), depth - 1, dim)) {
				*dim = trans ? 1 - *dim : *dim;
				return true;
			}
		}
		return false;
	}
	*dim = neighbours_of(gpu_layout(gpu, v->type));
	return op->kind == OP_LOAD || op->kind == OP_DESC_LOAD || op->kind == OP_WARP_GROUP_DOT;
}

/* The dim along which neighbours lie in memory, or in threads. */
static unsigned neighbours(GpuCx *gpu, const IrValue *v)
{
	unsigned dim;
	return comes_along(gpu, v, CHAIN, &dim) ? dim : neighbours_of(gpu_layout(gpu, v->type));
}

/* In front of the loops that do not change the value. */
static IrOp *before_loops(const IrValue *v, IrOp *op)
{
	for (IrOp *loop = ir_parent_op(op); loop && loop->kind == OP_FOR && ir_is_defined_outside(v, loop);
	     loop = ir_parent_op(loop))
		op = loop;
	return op;
}

/* Memory of this type that holds the value already, in the block of `spot` and before it, converted
 * or not. */
static IrValue *stored_before(const IrValue *v, IrType type, const IrOp *spot)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		IrOp *op = u->owner;
		bool moved = op->kind == OP_CONVERT_LAYOUT && v->def && v->def->kind != OP_CONVERT_LAYOUT;
		IrValue *memory = moved ? stored_before(&op->results[0], type, spot) : NULL;
		if (memory)
			return memory;
		if (op->kind != OP_LOCAL_ALLOC || op->results[0].type != type || op->block != spot->block)
			continue;
		for (const IrOp *at = spot->prev; at; at = at->prev)
			if (at == op)
				return &op->results[0];
	}
	return NULL;
}

/* Of 16 neighbours along K: what a thread has of a product's sums, pairs of two eights, and what it
 * is to have of an operand of bytes, four in a row. */
enum { EIGHTS = 2, PAIRS = 4, OF_A_PAIR = 2, SUMS_APART = EIGHTS * PAIRS * OF_A_PAIR };

/* The tile's dim `k_dim` apart, in `shape` (two dims more each time), and the order that brings the
 * eights behind the pairs, or these back. */
static void order_of_sums(const int64_t *tile, unsigned k_dim, bool back, int64_t *shape, unsigned *order)
{
	unsigned n = 0;
	for (unsigned d = 0; d < 2; d++) {
		shape[n] = d == k_dim ? tile[d] / SUMS_APART : tile[d];
		order[n] = n;
		n++;
		if (d != k_dim)
			continue;
		shape[n] = back ? PAIRS : EIGHTS;
		shape[n + 1] = back ? EIGHTS : PAIRS;
		shape[n + 2] = OF_A_PAIR;
		order[n] = n + 1;
		order[n + 1] = n;
		order[n + 2] = n + 2;
		n += 3;
	}
}

enum { RANK_APART = 5 };

/* Of a tile whose elements along K come in the order of sums: how it lies in its own order. */
static const Layout *from_order_of_sums(GpuCx *gpu, const Layout *l, unsigned k_dim)
{
	int64_t tile[] = {layout_shape(l, 0), layout_shape(l, 1)}, shape[RANK_APART];
	unsigned order[RANK_APART];
	order_of_sums(tile, k_dim, true, shape, order);
	const Layout *apart = layout_reshape(&gpu->layouts, l, shape, RANK_APART);
	return layout_reshape(&gpu->layouts, layout_transpose(&gpu->layouts, apart, order), tile, 2);
}

/* A tile in registers with its elements along K in the order of sums: as they lie in threads. */
static IrValue *to_order_of_sums(GpuCx *gpu, IrBuilder *b, IrValue *v, unsigned k_dim)
{
	int64_t shape[RANK_APART], there[RANK_APART], numbers[RANK_APART];
	unsigned order[RANK_APART];
	IrType elem = v->type->elem;
	order_of_sums(v->type->shape, k_dim, false, shape, order);
	const Layout *apart = layout_reshape(&gpu->layouts, gpu_layout(gpu, v->type), shape, RANK_APART),
		     *moved = layout_transpose(&gpu->layouts, apart, order),
		     *tile = layout_reshape(&gpu->layouts, moved, v->type->shape, 2);
	for (unsigned i = 0; i < RANK_APART; i++) {
		there[i] = shape[order[i]];
		numbers[i] = order[i];
	}
	IrAttr apart_lies = gpu_encoding(gpu, apart), moved_lies = gpu_encoding(gpu, moved);
	v = irb_1(b, OP_RESHAPE, ir_tensor(gpu->ir, elem, shape, RANK_APART, apart_lies), v);
	v = irb_1(b, OP_TRANS, ir_tensor(gpu->ir, elem, there, RANK_APART, moved_lies), v);
	IrType i32 = ir_scalar(gpu->ir, TY_I32);
	ir_set(b->m, v->def, ATTR_ORDER, ir_attr_ints(gpu->ir, i32, numbers, RANK_APART));
	int64_t whole[] = {layout_shape(tile, 0), layout_shape(tile, 1)};
	return irb_1(b, OP_RESHAPE, ir_tensor(gpu->ir, elem, whole, 2, gpu_encoding(gpu, tile)), v);
}

const Layout *wgmma_turning(GpuCx *gpu, IrType type, unsigned k_dim, unsigned warps, bool reordered)
{
	CONTRACT(k_dim < 2 && type->rank == 2);
	unsigned other = 1 - k_dim, along[2] = {1, 1};
	along[other] = warps;
	const Layout *l =
		layout_mma_operand(&gpu->layouts, type->shape, 2, along, other, 16, 32 / type->elem->bits);
	uint64_t last = accelerate_last_to_stretch(l, other);
	l = last ? accelerate_stretched(gpu, l, other, last) : l;
	return reordered ? from_order_of_sums(gpu, l, k_dim) : l;
}

/* The same for words: lanes read neighbours, and a thread stores four along K at once. */
static const Layout *turning_words(GpuCx *gpu, const IrOp *dot, IrType type, unsigned k_dim)
{
	unsigned other = 1 - k_dim, warps = gpu_num_warps(gpu, dot);
	LayoutBlocked b = {.rank = 2, .order = {k_dim, other}};
	b.size_per_thread[k_dim] = (unsigned)MIN(type->shape[k_dim], (int64_t)WORDS_AT_ONCE);
	b.size_per_thread[other] = b.threads_per_warp[k_dim] = 1;
	b.threads_per_warp[other] = TARGET_WARP_SIZE;
	b.warps_per_cta[other] =
		(unsigned)MIN((int64_t)warps, MAX(type->shape[other] / TARGET_WARP_SIZE, 1));
	b.warps_per_cta[k_dim] = warps / b.warps_per_cta[other];
	return layout_blocked(&gpu->layouts, type->shape, &b);
}

static bool is_loaded_beside(const IrOp *dot, const IrValue *v)
{
	return v->def && (v->def->kind == OP_LOAD || v->def->kind == OP_DESC_LOAD) &&
	       v->def->block == dot->block;
}

/* Is it loaded where the dot is, or computed there of the elements of what is? */
static bool is_made_beside(const IrOp *dot, const IrValue *v, unsigned depth)
{
	if (is_loaded_beside(dot, v))
		return true;
	bool made = depth && v->def && v->def->block == dot->block && gpu_keeps_elements(v->def);
	for (uint32_t i = 0; made && i < v->def->operand_count; i++)
		if (is_made_beside(dot, ir_operand(v->def, i), depth - 1))
			return true;
	return false;
}

/* Threads compute operand 0 of bytes of a product's sums, and turn operand 1: these go through
 * memory anyway, and their order along K is free. In the order of sums operand 0 stays where it is,
 * and two bytes of each of two rows, as `ldmatrix` gives them, are two words. */
static bool has_order_of_sums(GpuCx *gpu, const IrOp *dot)
{
	bool transposed;
	const IrValue *p = ir_operand(dot, 0), *v = origin_of(ir_operand(dot, 1), &transposed);
	return p->type->rank == 2 && p->type->elem->bits == 8 && gpu_comes_from_dot(p) && !transposed &&
	       is_loaded_beside(dot, v) && ir_has_one_use(v) && p->type->shape[1] % SUMS_APART == 0 &&
	       neighbours(gpu, v) != 0;
}

/* The operand in shared memory: as it lies in global
 * memory where the instruction takes that, else K first. */
static IrValue *in_memory(PassCx *cx, IrOp *dot, unsigned operand, bool reordered)
{
	GpuCx *gpu = gpu_of(cx);
	bool transposed;
	IrValue *v = origin_of(ir_operand(dot, operand), &transposed);
	unsigned dim = neighbours(gpu, v), k_dim = (operand == 0) != transposed ? 1 : 0;
	bool turned = gpu_wgmma_wants_k_first(v->type->elem) && dim != k_dim;
	dim = turned ? k_dim : dim;
	const Layout *l = gpu_wgmma_memory(gpu, v->type->shape, v->type->elem->bits, dim);
	IrType type = ir_memdesc(gpu->ir, v->type->elem, v->type->shape, 2, gpu_encoding(gpu, l), 0, false);
	IrOp *spot = before_loops(v, dot);
	IrValue *memory = stored_before(v, type, spot);
	IrBuilder b = ir_at(cx->module, spot);
	unsigned warps = gpu_num_warps(gpu, dot);
	if (reordered) {
		CONTRACT(turned && !memory && !transposed);
		IrAttr own = gpu_encoding(gpu, from_order_of_sums(gpu, l, k_dim));
		IrType lies = ir_memdesc(gpu->ir, v->type->elem, v->type->shape, 2, own, 0, false);
		v = gpu_convert(gpu, &b, v, wgmma_turning(gpu, v->type, k_dim, warps, true));
		return irb_1(&b, OP_MEMDESC_REINTERPRET, type, irb_1(&b, OP_LOCAL_ALLOC, lies, v));
	}
	if (!memory && turned && v->type->elem->bits == 8)
		v = gpu_convert(gpu, &b, v, wgmma_turning(gpu, v->type, k_dim, warps, false));
	else if (!memory && turned && v->type->elem->bits == 32 && is_made_beside(dot, v, CHAIN))
		v = gpu_convert(gpu, &b, v, turning_words(gpu, dot, v->type, k_dim));
	if (!memory)
		memory = irb_1(&b, OP_LOCAL_ALLOC, type, v);
	return transposed ? gpu_memory_transposed(gpu, &b, memory) : memory;
}

/* Is it computed where the dot is, from what is in registers anyway? */
static bool is_computed(const IrOp *dot, const IrValue *operand)
{
	bool transposed;
	const IrValue *v = origin_of((IrValue *)(uintptr_t)operand, &transposed);
	return v->def && v->def->block == dot->block && !transposed && gpu_keeps_elements(v->def);
}

/* Do vectors of words, or of several bytes, lie along the dim, and the lanes beside them? (A thread
 * that holds neighbours of a tile whose lines begin anywhere has loaded them one by one.) */
static bool has_vectors(const Layout *l, unsigned dim, unsigned bits)
{
	uint32_t registers[8];
	unsigned least = base_log2(32 / bits), n = layout_vector(l, dim, 4, registers);
	bool whole = INT64_C(1) << n == layout_shape(l, dim);
	bool lanes = layout_in_bits(l, LAYOUT_LANE) &&
		     layout_coordinate(l, layout_basis(l, LAYOUT_LANE, 0), dim);
	return n >= least && (bits == 32 || whole || lanes);
}

/* Operands of words or bytes that are loaded in the loop and lie across K, as bits. */
static unsigned loaded_across(GpuCx *gpu, const IrOp *dot, unsigned bits)
{
	unsigned across = 0;
	for (uint32_t i = 0; i < 2; i++) {
		bool transposed;
		const IrValue *v = origin_of(ir_operand(dot, i), &transposed);
		unsigned k_dim = (i == 0) != transposed ? 1 : 0;
		if (is_loaded_beside(dot, v) && v->type->elem->bits == bits &&
		    neighbours(gpu, v) != k_dim && has_vectors(gpu_layout(gpu, v->type), 1 - k_dim, bits))
			across |= 1u << i;
	}
	return across;
}

/* Will there be room to turn words of the operand round an iteration ahead (stage_ahead.c)? In
 * front of the product it takes longer than mma.sync, unless two CTAs of two warp groups share an
 * SM: one multiplies while the other turns. */
static bool is_turned_ahead(GpuCx *gpu, const IrOp *dot, unsigned operand)
{
	const IrOp *loop = ir_parent_op(dot);
	IrAttr asked = loop->kind == OP_FOR ? ir_get(loop, gpu->ir, ATTR_NUM_STAGES) : NULL;
	int64_t stages = asked ? asked->i : gpu->num_stages;
	uint64_t bytes[2], registers = gpu->target->budgets->beside_sums;
	if (loop->kind != OP_FOR || stages < LEAST_STAGES || dot->results[0].type->rank != 2)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		bool transposed;
		uint32_t neighbours[8];
		const IrValue *v = origin_of(ir_operand(dot, i), &transposed);
		unsigned dim = (i == 0) != transposed ? 0 : 1;
		if (layout_vector(gpu_layout(gpu, v->type), dim, 1, neighbours) < 1)
			return false;
		bytes[i] = (uint64_t)ir_numel(v->type) * v->type->elem->bits / 8;
	}
	registers += gpu_words(gpu, dot->results[0].type);
	uint64_t slot = bytes[0] + bytes[1], tile = bytes[operand];
	uint64_t own = slot * (uint64_t)stages + tile;
	uint64_t more = slot * (uint64_t)MAX(stages, LEAST_STAGES + 1) + 2 * tile;
	TargetOccupancy before, with;
	if (more > gpu->target->shared_cta)
		return false;
	unsigned held = (unsigned)MIN(registers, (uint64_t)TARGET_REGISTERS_THREAD);
	target_occupancy(gpu->target, held, (unsigned)own, gpu->num_warps, &before);
	target_occupancy(gpu->target, held, (unsigned)more, gpu->num_warps, &with);
	unsigned groups = gpu_num_warps(gpu, dot) / GROUP_WARPS;
	return with.ctas >= before.ctas || (before.ctas > 1 && groups > 1);
}

unsigned wgmma_across_k(GpuCx *gpu, const IrOp *dot)
{
	unsigned words = loaded_across(gpu, dot, 32), bytes = loaded_across(gpu, dot, 8);
	/* Of two the other one is turned; the larger one is read only once. */
	IrType c = dot->results[0].type;
	unsigned larger = c->rank == 2 && c->shape[1] > c->shape[0] ? 2 : 1;
	if (words)
		return words == 3 && is_turned_ahead(gpu, dot, larger == 1) ? larger : words;
	bytes = bytes == 3 ? larger : bytes;
	bool computed = bytes && is_computed(dot, ir_operand(dot, bytes == 1));
	return bytes && !computed && gpu_wgmma_reads_across(gpu, dot, bytes == 2) ? bytes : 0;
}

/* Does a dot take the value from memory, as operand 1 or turned round? */
static bool is_in_memory(const IrValue *v, bool transposed)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		bool first = u == &op->operands[0];
		bool dot = op->kind == OP_DOT && (u == &op->operands[1] || (transposed && first));
		bool moved = op->kind == OP_CONVERT_LAYOUT || op->kind == OP_TRANS;
		if (dot || op->kind == OP_LOCAL_ALLOC ||
		    (moved && is_in_memory(&op->results[0], transposed != (op->kind == OP_TRANS))))
			return true;
	}
	return false;
}

/* Would threads hold other rows of operand 0 than they compute, while memory has them anyway? So it
 * is where warps share the columns of the result. */
static bool comes_back(GpuCx *gpu, const IrOp *dot)
{
	unsigned warps[2];
	const char *why;
	bool transposed;
	const IrValue *v = origin_of(ir_operand(dot, 0), &transposed);
	return !transposed && v->type->elem->bits == 16 && gpu_wgmma_for(gpu, dot, false, warps, &why) &&
	       warps[1] > 1 && is_in_memory(v, false);
}

/* The operand that comes from registers; 2: none. */
static unsigned from_registers(GpuCx *gpu, const IrOp *dot)
{
	unsigned across = wgmma_across_k(gpu, dot);
	if (across == 2)
		return 1;
	return across || (is_computed(dot, ir_operand(dot, 0)) && !comes_back(gpu, dot)) ? 0 : 2;
}

static const Layout *turned_round(GpuCx *gpu, const Layout *l, bool turn)
{
	return turn ? layout_transpose(&gpu->layouts, l, (const unsigned[]){1, 0}) : l;
}

/* Words lie in different banks so; bytes come in pairs of rows. */
static const Layout *rows_as_read(GpuCx *gpu, const Layout *l, unsigned bits)
{
	return bits == 32 ? gpu_wgmma_scattered(gpu, l, 0) : accelerate_stretched(gpu, l, 0, 8);
}

/* warps: along the dims of what is multiplied. Where operand 1 comes from registers, that is both
 * operands turned round. */
void wgmma_take(PassCx *cx, IrOp *dot, const unsigned *warps)
{
	CONTRACT(dot->kind == OP_DOT);
	GpuCx *gpu = gpu_of(cx);
	LayoutContext *layouts = &gpu->layouts;
	IrBuilder b = ir_at(cx->module, dot);
	IrType old = dot->results[0].type;
	unsigned held = from_registers(gpu, dot);
	bool turn = held == 1;
	CONTRACT(held <= 2);
	bool scatter = held < 2 && wgmma_across_k(gpu, dot);
	bool reordered = held == 0 && !scatter && has_order_of_sums(gpu, dot);
	const int64_t shape[] = {old->shape[turn], old->shape[!turn]};
	unsigned n = (unsigned)MIN(shape[1] / warps[1], 256);
	const Layout *sums = layout_wgmma_accumulator(layouts, shape, warps, n);
	sums = scatter ? rows_as_read(gpu, sums, ir_operand(dot, held)->type->elem->bits) : sums;
	IrType type = gpu_with_layout(gpu, old, turned_round(gpu, sums, turn));
	IrValue *args[3];
	for (unsigned i = 0; i < 2; i++) {
		IrValue *v = ir_operand(dot, i);
		if (i != held) {
			args[i] = in_memory(cx, dot, i, i == 1 && reordered);
			continue;
		}
		const int64_t rows[] = {v->type->shape[turn], v->type->shape[!turn]};
		const Layout *l = layout_wgmma_operand(layouts, rows, warps, 32 / v->type->elem->bits);
		l = scatter ? rows_as_read(gpu, l, v->type->elem->bits) : l;
		if (reordered) {
			v = gpu_convert(gpu, &b, v, from_order_of_sums(gpu, l, 1));
			args[i] = to_order_of_sums(gpu, &b, v, 1);
			continue;
		}
		args[i] = gpu_convert(gpu, &b, v, turned_round(gpu, l, turn));
	}
	args[2] = gpu_convert(gpu, &b, ir_operand(dot, 2), gpu_layout(gpu, type));
	IrValue *made = irb_op(&b, OP_WARP_GROUP_DOT, args, 3, &type, 1, 0)->results;
	static const IrAttrName names[] = {ATTR_INPUT_PRECISION, ATTR_MAX_IMPRECISE, ATTR_USED_K, ATTR_USED_N,
					   ATTR_PADDED};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (ir_get(dot, gpu->ir, names[i]))
			ir_set(cx->module, made->def, names[i], ir_get(dot, gpu->ir, names[i]));
	ir_replace_uses(&dot->results[0], gpu_convert(gpu, &b, made, gpu_layout(gpu, old)));
	ir_op_erase(dot);
}

/* ---- room ---- */

WgmmaStored wgmma_stored(PassCx *cx)
{
	TextOrder order = text_order(cx->scratch, cx->module, cx->module->op);
	return (WgmmaStored){.arena = cx->scratch, .order = order};
}

/* Memory that loops in front of which it is filled read stays as long as they run; what is loaded
 * in a loop has a ring there. */
static WgmmaTile tile_of(const WgmmaStored *stored, const IrOp *dot, uint32_t operand)
{
	bool transposed;
	IrValue *v = origin_of(ir_operand(dot, operand), &transposed);
	const IrOp *spot = before_loops(v, (IrOp *)(uintptr_t)dot);
	if (spot == dot && ir_parent_op(dot)->kind == OP_FOR)
		spot = ir_parent_op(dot);
	uint64_t bits = (uint64_t)ir_numel(v->type) * v->type->elem->bits;
	const TextOrder *order = &stored->order;
	return (WgmmaTile){v, bits / 8, 0, order->start[spot->id], order->end[spot->id]};
}

/* Its bytes come to those that are there where others begin. */
static void put_in(WgmmaTiles *tiles, WgmmaTile *tile)
{
	tile->there = 0;
	for (uint32_t i = 0; i < tiles->len; i++) {
		WgmmaTile *t = &tiles->data[i];
		if (t->first <= tile->first && tile->first <= t->last)
			tile->there += t->bytes;
		if (t != tile && tile->first <= t->first && t->first <= tile->last)
			t->there += tile->bytes;
	}
}

static void take_out(WgmmaTiles *tiles, const WgmmaTile *tile)
{
	for (uint32_t i = 0; i < tiles->len; i++) {
		WgmmaTile *t = &tiles->data[i];
		if (t != tile && tile->first <= t->first && t->first <= tile->last)
			t->there -= tile->bytes;
	}
}

/* A tile that is there already, as it lies in global memory, stays from the first op that reads it
 * to the last one. */
static void add_tile(Arena *arena, WgmmaTiles *tiles, WgmmaTile tile)
{
	bool lies_so = !gpu_wgmma_wants_k_first(tile.value->type->elem);
	for (uint32_t i = 0; i < tiles->len && lies_so; i++) {
		WgmmaTile *t = &tiles->data[i];
		if (t->value != tile.value)
			continue;
		take_out(tiles, t);
		t->first = MIN(t->first, tile.first);
		t->last = MAX(t->last, tile.last);
		put_in(tiles, t);
		return;
	}
	vec_push(arena, tiles, tile);
	put_in(tiles, &tiles->data[tiles->len - 1]);
}

/* The most bytes that are there at once: that is so where one begins. */
static uint64_t most_bytes(const WgmmaTiles *tiles)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < tiles->len; i++)
		most = MAX(most, tiles->data[i].there);
	return most;
}

bool wgmma_has_room(GpuCx *gpu, WgmmaStored *stored, const IrOp *dot)
{
	WgmmaTiles *with = &stored->with;
	unsigned held = from_registers(gpu, dot);
	with->len = 0;
	for (uint32_t i = 0; i < stored->tiles.len; i++)
		vec_push(stored->arena, with, stored->tiles.data[i]);
	for (uint32_t i = 0; i < 2; i++)
		if (i != held)
			add_tile(stored->arena, with, tile_of(stored, dot, i));
	if (most_bytes(with) > gpu->target->shared_cta)
		return false;
	WgmmaTiles before = stored->tiles;
	stored->tiles = *with;
	*with = before;
	return true;
}
