/* optimize-thread-locality: a loop that accumulates reductions of tiles accumulates in each thread
 * instead, and reduces across threads once behind the loop.
 *
 *	for ... (s = init) { s = s + reduce(x) }    becomes
 *	for ... (p = neutral) { p = p + (x reduced within each thread) }    s = init + reduce(p)
 *	for ... (s = init) { s = s * f + reduce(x) }    becomes        -- init: split among threads
 *	for ... (p = init / threads) { p = p * f + (x reduced within each thread) }    s = reduce(p)
 *
 * Needs: TTGIR with its final layouts. Keeps: effects; values up to the order of a reduction,
 * which is free: integers, and floating sums, products, minima, maxima. The tile's dim is split
 * into [high, threads, low] bits, where the layout has threads for the middle ones and registers
 * for the others; layouts that mix them are left alone. */
#include "gpu/choose/choose.h"
#include "ir/rewrite/fold.h"

#include <math.h>

typedef struct Sum {
	IrOp *reduce, *combine, *loop;
	IrOp *scale; /* of a sum whose carried value is multiplied first; NULL: it is not */
	uint32_t carried; /* number of the loop's result */
	unsigned axis;
	const Layout *layout; /* of the tile */
	unsigned low, threads, high; /* bits of the axis */
} Sum;

typedef struct Sums {
	PassCx *cx;
	GpuCx *gpu;
	VEC(Sum) list;
} Sums;

/* ---- what can be taken apart ---- */

static IrValue *neutral(IrBuilder *b, IrOpKind kind, IrType type)
{
	unsigned bits = ir_elem(type)->bits;
	bool floats = ir_is_float(ir_elem(type));
	switch ((IrNeutral)ir_op_info[kind].neutral) {
	case NEUTRAL_ZERO:
		return floats ? irb_float(b, type, -0.0) : irb_int(b, type, 0);
	case NEUTRAL_ONE:
		return floats ? irb_float(b, type, 1) : irb_int(b, type, 1);
	case NEUTRAL_ONES:
		return irb_int(b, type, -1);
	case NEUTRAL_LEAST:
		return floats ? irb_float(b, type, -INFINITY) : irb_int(b, type, (int64_t)(UINT64_MAX << (bits - 1)));
	case NEUTRAL_GREATEST:
		return floats ? irb_float(b, type, INFINITY)
			      : irb_int(b, type, (int64_t)((UINT64_C(1) << (bits - 1)) - 1));
	case NEUTRAL_NONE:
		break;
	}
	BUG("%s has no neutral value", ir_op_info[kind].text);
}

/* The one op of a reduction's body, of both its arguments. */
static const IrOp *body_op(const IrOp *reduce)
{
	CONTRACT(reduce->region_count);
	const IrBlock *body = reduce->regions[0].first;
	const IrOp *op = body->first;
	if (reduce->operand_count != 1 || !op || op->next != body->last || op->operand_count != 2 ||
	    ir_operand(body->last, 0) != &op->results[0])
		return NULL;
	const IrValue *x = ir_operand(op, 0), *y = ir_operand(op, 1), *a = body->args[0], *b = body->args[1];
	return ((x == a && y == b) || (x == b && y == a)) && ir_op_info[op->kind].neutral ? op : NULL;
}

/* Which bits of the axis threads stand for; false where they are no run apart from those of the registers. */
static bool cut_axis(Sum *s)
{
	const LayoutDim *dim = layout_space_find(&s->layout->out, LAYOUT_DIM0 + s->axis);
	uint64_t threads = 0, registers = 0;
	for (unsigned name = LAYOUT_LANE; name <= LAYOUT_BLOCK; name++)
		for (unsigned i = 0; i < layout_in_bits(s->layout, name); i++)
			threads |= layout_space_get(&s->layout->out, layout_basis(s->layout, name, i), dim->name);
	for (unsigned i = 0; i < layout_in_bits(s->layout, LAYOUT_REGISTER); i++) {
		uint64_t basis = layout_basis(s->layout, LAYOUT_REGISTER, i);
		uint64_t bit = layout_space_get(&s->layout->out, basis, dim->name);
		if (bit && (!base_is_pow2(bit) || basis != layout_space_put(&s->layout->out, dim->name, bit)))
			return false;
		registers |= bit;
	}
	if (!threads || threads & registers || layout_space_reps(&s->layout->out) > 1)
		return false;
	s->low = (unsigned)__builtin_ctzll(threads);
	s->threads = (unsigned)__builtin_popcountll(threads);
	s->high = dim->bits - s->low - s->threads;
	return threads == ((UINT64_C(1) << s->threads) - 1) << s->low;
}

/* A product that is added to, and nothing else; of a tile of rows. */
static IrOp *scale_of(const IrOp *combine, const IrValue *v)
{
	IrOp *op = v->def;
	bool product = op && op->kind == OP_MULF && combine->kind == OP_ADDF && op->block == combine->block && ir_has_one_use(v);
	return product && ir_is_tensor(v->type) && ir_operand(op, 0) != ir_operand(op, 1) ? op : NULL;
}

/* Is it s = s + reduce(x), or s = s * f + reduce(x), of a loop's carried value that nothing else looks at? */
static bool find_sum(IrOp *reduce, Sum *s)
{
	const IrOp *body = body_op(reduce);
	const IrValue *result = &reduce->results[0];
	if (!body || !ir_has_one_use(result))
		return false;
	IrOp *combine = result->uses->owner, *loop = ir_parent_op(reduce);
	if (combine->kind != body->kind || combine->block != reduce->block || loop->kind != OP_FOR ||
	    !ir_has_one_use(&combine->results[0]))
		return false;
	const IrUse *out = combine->results[0].uses;
	const IrValue *other = ir_operand(combine, ir_operand(combine, 0) == result);
	IrOp *scale = scale_of(combine, other);
	other = scale ? ir_operand(scale, ir_operand(scale, 0)->def != NULL) : other;
	bool carried = !other->def && other->block == reduce->block;
	if (out->owner != reduce->block->last || !carried || !ir_has_one_use(other))
		return false;
	*s = (Sum){.reduce = reduce, .combine = combine, .loop = loop, .scale = scale};
	s->carried = (uint32_t)(out - out->owner->operands);
	return other->index == s->carried + 1 && (!scale || ir_constant_of(ir_operand(loop, s->carried + 3)));
}

bool gpu_is_loop_sum(const IrOp *reduce)
{
	Sum s;
	return find_sum((IrOp *)reduce, &s);
}

static bool is_one_number(const Sum *s)
{
	IrAttr init = s->scale ? ir_constant_of(ir_operand(s->loop, s->carried + 3)) : NULL;
	return !s->scale || (fold_is_constant(init) && fold_is_splat(init));
}

static bool is_divisible(Sums *sums, Sum *s)
{
	s->axis = (unsigned)ir_get_int(s->reduce, sums->gpu->ir, ATTR_AXIS, 0);
	s->layout = gpu_layout(sums->gpu, ir_operand(s->reduce, 0)->type);
	return is_one_number(s) && cut_axis(s);
}

static bool visit(void *data, IrOp *op)
{
	Sums *sums = data;
	Sum s;
	if (op->kind == OP_REDUCE && find_sum(op, &s) && is_divisible(sums, &s))
		vec_push(sums->cx->scratch, &sums->list, s);
	return true;
}

/* ---- rewriting ---- */

static IrType tile_type(Sums *sums, IrType like, const int64_t *shape, unsigned rank, const Layout *layout)
{
	return gpu_with_layout(sums->gpu, ir_tensor(sums->gpu->ir, like->elem, shape, rank, NULL), layout);
}

/* A copy of the reduction, of another tile. */
static IrOp *reduce_again(Sums *sums, const IrOp *reduce, IrValue *tile, unsigned axis)
{
	IrModule *m = sums->cx->module;
	IrMapping map;
	int64_t shape[IR_MAX_RANK];
	unsigned rank = 0;
	ir_mapping_init(&map, sums->cx->scratch);
	IrOp *copy = ir_clone(m, reduce, &map, NULL, NULL);
	ir_operand_set(copy, 0, tile);
	ir_set(m, copy, ATTR_AXIS, ir_attr_i32(sums->gpu->ir, axis));
	for (unsigned k = 0; k < tile->type->rank; k++)
		if (k != axis)
			shape[rank++] = tile->type->shape[k];
	const Layout *layout = layout_slice(&sums->gpu->layouts, gpu_layout(sums->gpu, tile->type), axis);
	copy->results[0].type = rank ? tile_type(sums, tile->type, shape, rank, layout) : tile->type->elem;
	return copy;
}

/* The tile reduced within each thread: its axis is as long as there are threads. */
static IrValue *reduce_in_threads(Sums *sums, const Sum *s)
{
	IrBuilder b = ir_at(sums->cx->module, s->reduce);
	IrValue *tile = ir_operand(s->reduce, 0);
	int64_t shape[IR_MAX_RANK];
	unsigned rank = 0;
	for (unsigned k = 0; k < tile->type->rank; k++) {
		if (k == s->axis && s->high)
			shape[rank++] = INT64_C(1) << s->high;
		shape[rank++] = k == s->axis ? INT64_C(1) << s->threads : tile->type->shape[k];
		if (k == s->axis && s->low)
			shape[rank++] = INT64_C(1) << s->low;
	}
	if (rank == tile->type->rank)
		return tile;
	const Layout *layout = layout_reshape(&sums->gpu->layouts, s->layout, shape, rank);
	tile = irb_1(&b, OP_RESHAPE, tile_type(sums, tile->type, shape, rank, layout), tile);
	const unsigned axes[] = {s->axis + (s->high > 0) + 1, s->axis};
	for (unsigned i = s->low ? 0 : 1; i < (s->high ? 2u : 1u); i++) {
		IrOp *reduce = reduce_again(sums, s->reduce, tile, axes[i]);
		ir_op_insert_before(reduce, s->reduce);
		tile = &reduce->results[0];
	}
	return tile;
}

/* The rows' factors for each of their parts. */
static IrValue *widen(Sums *sums, IrBuilder *b, const Sum *s, IrValue *rows, IrType type)
{
	IrOp *broadcast = irb_op(b, OP_BROADCAST, &rows, 1, &type, 1, 0);
	int64_t shape[IR_MAX_RANK];
	memcpy(shape, type->shape, sizeof shape);
	shape[s->axis] = 1;
	/* The layouts that it asks for, from the last one back. */
	IrValue none = {.type = ir_tensor(sums->gpu->ir, type->elem, shape, type->rank, NULL)};
	ir_operand_set(broadcast, 0, &none);
	const Layout *one = gpu_infer_operand(sums->gpu, broadcast, 0, gpu_layout(sums->gpu, type));
	IrBuilder before = ir_at(b->m, broadcast);
	rows = gpu_convert(sums->gpu, &before, rows, layout_slice(&sums->gpu->layouts, one, s->axis));
	IrValue *expanded = irb_1(&before, OP_EXPAND_DIMS, tile_type(sums, type, shape, type->rank, one), rows);
	ir_set(b->m, expanded->def, ATTR_AXIS, ir_attr_i32(sums->gpu->ir, s->axis));
	ir_operand_set(broadcast, 0, expanded);
	return &broadcast->results[0];
}

/* s * f + reduce(x): parts are scaled as the whole is, and begin as equal shares of what it begins with: exact, as their number is a
 * power of two. */
static void take_scaled_apart(Sums *sums, const Sum *s)
{
	IrModule *m = sums->cx->module;
	IrOp *loop = s->loop, *yield = loop->regions[0].first->last;
	IrValue *result = &loop->results[s->carried], *arg = loop->regions[0].first->args[s->carried + 1];
	IrAttr init = ir_constant_of(ir_operand(loop, s->carried + 3));
	IrValue *part = reduce_in_threads(sums, s);
	IrType type = part->type, whole = result->type;
	IrBuilder before = ir_at(m, loop), inside = ir_at(m, s->combine);
	IrValue *factor = ir_operand(s->scale, ir_operand(s->scale, 0) == arg);
	IrType number = ir_elem(whole);
	IrValue *share = irb_2(&before, OP_MULF, NULL, irb_constant(&before, fold_splat(sums->gpu->ir, number, fold_word(init, 0))),
			       irb_float(&before, number, ldexp(1, -(int)s->threads)));
	ir_operand_set(loop, s->carried + 3, irb_splat(&before, share, type));
	IrValue *scaled = irb_2(&inside, OP_MULF, type, part, widen(sums, &inside, s, factor, type));
	IrValue *sum = irb_2(&inside, OP_ADDF, type, scaled, part);
	arg->type = result->type = type;
	ir_operand_set(scaled->def, 0, arg);
	ir_operand_set(yield, s->carried, sum);
	IrOp *last = reduce_again(sums, s->reduce, part, s->axis);
	IrValue *across = &last->results[0];
	ir_op_insert_after(last, loop);
	if (across->type != whole) {
		IrOp *convert = ir_op_new(m, OP_CONVERT_LAYOUT, s->combine->loc, &across, 1, &whole, 1, 0);
		ir_op_insert_after(convert, last);
		across = &convert->results[0];
	}
	ir_replace_uses(result, across);
	ir_operand_set(last, 0, result);
	ir_op_erase(s->combine);
	ir_op_erase(s->scale);
	ir_op_erase(s->reduce);
}

static void take_apart(Sums *sums, const Sum *s)
{
	IrModule *m = sums->cx->module;
	IrOp *loop = s->loop, *yield = loop->regions[0].first->last;
	IrValue *result = &loop->results[s->carried], *arg = loop->regions[0].first->args[s->carried + 1];
	IrValue *init = ir_operand(loop, s->carried + 3), *part = reduce_in_threads(sums, s);
	IrType type = part->type, whole = result->type;
	IrBuilder before = ir_at(m, loop), inside = ir_at(m, s->combine);
	ir_operand_set(loop, s->carried + 3, neutral(&before, s->combine->kind, type));
	arg->type = result->type = type;
	IrValue *sum = irb_2(&inside, s->combine->kind, type, arg, part);
	ir_operand_set(yield, s->carried, sum);
	/* Behind the loop: across the threads, and what it began with. */
	IrOp *last = reduce_again(sums, s->reduce, result, s->axis);
	IrValue *both[] = {init, &last->results[0]};
	IrOp *final = ir_op_new(m, s->combine->kind, s->combine->loc, both, 2, &whole, 1, 0);
	ir_operand_set(last, 0, init); /* not the result, while its uses are replaced */
	ir_replace_uses(result, &final->results[0]);
	ir_operand_set(last, 0, result);
	ir_op_insert_after(last, loop);
	ir_op_insert_after(final, last);
	/* Layouts may differ in copies that registers hold. */
	IrValue *across = &last->results[0];
	if (ir_is_tensor(whole) && across->type != whole) {
		IrOp *convert = ir_op_new(m, OP_CONVERT_LAYOUT, s->combine->loc, &across, 1, &whole, 1, 0);
		ir_op_insert_before(convert, final);
		ir_operand_set(final, 1, &convert->results[0]);
	}
	ir_op_erase(s->combine);
	ir_op_erase(s->reduce);
}

bool pass_optimize_thread_locality(PassCx *cx, bool *changed)
{
	Sums sums = {.cx = cx, .gpu = gpu_of(cx)};
	ir_walk(cx->module->op, false, visit, &sums);
	for (uint32_t i = 0; i < sums.list.len; i++)
		if (sums.list.data[i].scale)
			take_scaled_apart(&sums, &sums.list.data[i]);
		else
			take_apart(&sums, &sums.list.data[i]);
	*changed = sums.list.len > 0;
	return true;
}
