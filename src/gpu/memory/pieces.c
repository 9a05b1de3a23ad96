/* Pieces of tiles that are stored through tensor maps (pieces.h). A half is what a thread holds
 * where one bit of a coordinate is 0 or 1; no element moves. */
#include "gpu/memory/pieces.h"

#include "gpu/analysis/rewritten.h"

enum { SHARED_SPACE = 0 };

IrValue *gpu_stored_tile(const IrOp *store)
{
	IrValue *tile = ir_operand(store, 1);
	while (tile->def && tile->def->kind == OP_CONVERT_LAYOUT && ir_has_one_use(tile))
		tile = ir_operand(tile->def, 0);
	return tile;
}

typedef struct Halving {
	int64_t shape[LAYOUT_MAX_RANK]; /* the dim as 2 and its half */
	unsigned order[LAYOUT_MAX_RANK]; /* that puts the 2 behind */
	unsigned rank;
	const Layout *apart, *turned, *half;
} Halving;

/* False: threads do not hold both halves in registers of their own. */
static bool halve(GpuCx *cx, IrType tile, unsigned dim, const Layout *l, Halving *h)
{
	unsigned bit;
	*h = (Halving){.rank = tile->rank + 1};
	if (h->rank > LAYOUT_MAX_RANK || tile->shape[dim] % 2)
		return false;
	for (unsigned k = 0; k < tile->rank; k++)
		h->shape[k + (k > dim)] = tile->shape[k];
	h->shape[dim] = 2;
	h->shape[dim + 1] = tile->shape[dim] / 2;
	for (unsigned k = 0; k < tile->rank; k++)
		h->order[k] = k < dim ? k : k + 1;
	h->order[tile->rank] = dim;
	h->apart = layout_reshape(&cx->layouts, l, h->shape, h->rank);
	h->turned = h->apart ? layout_transpose(&cx->layouts, h->apart, h->order) : NULL;
	h->half = h->turned ? layout_split(&cx->layouts, h->turned, &bit) : NULL;
	return h->half != NULL;
}

static IrType half_type(GpuCx *cx, const Halving *h, IrType tile)
{
	int64_t shape[LAYOUT_MAX_RANK];
	for (unsigned k = 0; k < tile->rank; k++)
		shape[k] = h->shape[h->order[k]];
	return ir_tensor(cx->ir, tile->elem, shape, tile->rank, gpu_encoding(cx, h->half));
}

static bool can_be_halved(GpuCx *cx, IrType tile, unsigned dim, unsigned pieces)
{
	Halving h;
	for (; pieces > 1; pieces /= 2, tile = half_type(cx, &h, tile))
		if (!halve(cx, tile, dim, gpu_layout(cx, tile), &h))
			return false;
	return true;
}

/* All that is done with a map is this store. */
static bool has_map_alone(const IrOp *store)
{
	const IrValue *map = ir_operand(store, 0);
	return ir_has_one_use(map) && store->kind == OP_DESC_STORE;
}

/* The same, or all of it is stores of one block to places apart. */
static bool has_map_of_parts(const IrOp *store)
{
	const IrValue *map = ir_operand(store, 0);
	if (has_map_alone(store))
		return true;
	for (const IrUse *u = map->uses; u; u = u->next)
		for (const IrUse *other = u->next; other; other = other->next)
			if (!gpu_stores_apart(u->owner, other->owner))
				return false;
	return true;
}

/* Boxes side by side along the last dim, as pieces. */
static bool plan_columns(GpuCx *cx, const IrOp *store, const GpuBox *box, GpuStorePlan *plan)
{
	IrType tile = ir_operand(store, 0)->type->elem;
	unsigned last = tile->rank - 1;
	plan->dim = last;
	plan->pieces = box->count;
	return box->count > 1 && box->count <= GPU_MOST_PIECES && base_is_pow2(box->count) &&
	       tile->shape[last] / box->side[last] == (int64_t)box->count &&
	       can_be_halved(cx, gpu_stored_tile(store)->type, last, box->count);
}

/* Rows of the tile: the boxes that its map has then are as high as a piece. */
static bool plan_rows(GpuCx *cx, const IrOp *store, const GpuBox *box, GpuStorePlan *plan)
{
	IrType tile = ir_operand(store, 0)->type->elem;
	uint64_t all = box->bytes * box->count;
	unsigned pieces = 1;
	while (pieces < GPU_MOST_PIECES && all / (2 * pieces) >= GPU_PIECE_BYTES)
		pieces *= 2;
	plan->dim = 0;
	plan->pieces = pieces;
	int64_t rows = tile->shape[0] / pieces;
	return pieces > 1 && tile->rank == 2 && cx->num_ctas == 1 && has_map_alone(store) &&
	       rows >= GPU_PATTERN_ROWS && rows <= TENSOR_MAP_BOX &&
	       can_be_halved(cx, gpu_stored_tile(store)->type, 0, pieces);
}

GpuStorePlan gpu_plan_store(GpuCx *cx, const IrOp *store)
{
	IrType map = ir_operand(store, 0)->type, tile = map->elem, memory = gpu_map_memdesc(cx, map);
	CONTRACT(gpu_is_map(map));
	int64_t shape[LAYOUT_MAX_RANK];
	GpuBox box;
	GpuStorePlan plan = {.pieces = 1, .dim = tile->rank - 1}, whole = plan;
	whole.memory = ir_memdesc(cx->ir, memory->elem, memory->shape, memory->rank, memory->encoding,
				  SHARED_SPACE, true);
	whole.bytes = gpu_memdesc_bytes(cx, whole.memory);
	if (!gpu_box_of(cx, tile, gpu_map_layout(cx, map), &box) ||
	    (!plan_columns(cx, store, &box, &plan) && !plan_rows(cx, store, &box, &plan)))
		return whole;
	for (unsigned k = 0; k < tile->rank; k++)
		shape[k] = tile->shape[k] / (k == plan.dim ? plan.pieces : 1);
	IrType part = ir_tensor(cx->ir, tile->elem, shape, tile->rank, NULL);
	IrAttr encoding = gpu_encoding(cx, gpu_box_memory(cx, part, box.swizzle));
	plan.memory = ir_memdesc(cx->ir, tile->elem, shape, tile->rank, encoding, SHARED_SPACE, true);
	plan.bytes = gpu_memdesc_bytes(cx, plan.memory);
	return plan;
}

/* Rows of a group follow those of the group before. */
static bool groups_have_rows(GpuCx *cx, IrType tile, unsigned groups)
{
	const Layout *l = gpu_layout(cx, tile);
	int64_t rows = tile->shape[0] / groups;
	unsigned of_group = base_log2(GPU_GROUP_WARPS), warps = layout_in_bits(l, LAYOUT_WARP);
	if (layout_space_reps(&l->in) > 1 || layout_space_reps(&l->out) > 1 || warps < of_group ||
	    UINT32_C(1) << (warps - of_group) != groups)
		return false;
	for (unsigned name = LAYOUT_REGISTER; name <= LAYOUT_WARP; name++)
		for (unsigned i = 0; i < layout_in_bits(l, name); i++) {
			int64_t row = (int64_t)layout_coordinate(l, layout_basis(l, name, i), 0);
			bool chooses = name == LAYOUT_WARP && i >= of_group;
			if (chooses ? layout_basis(l, name, i) !=
					      layout_space_put(&l->out, LAYOUT_DIM0,
							       (uint64_t)rows << (i - of_group))
				    : row >= rows)
				return false;
		}
	return true;
}

bool gpu_rows_are_of_groups(GpuCx *cx, const IrOp *store)
{
	IrType map = ir_operand(store, 0)->type, tile = map->elem;
	unsigned warps = gpu_num_warps(cx, store), groups = warps / GPU_GROUP_WARPS;
	GpuBox box;
	return tile->rank == 2 && warps % GPU_GROUP_WARPS == 0 && groups && groups <= GPU_MOST_GROUPS &&
	       cx->num_ctas == 1 && has_map_of_parts(store) &&
	       gpu_box_of(cx, tile, gpu_map_layout(cx, map), &box) && box.side[0] == tile->shape[0] &&
	       tile->shape[0] / groups >= GPU_PATTERN_ROWS &&
	       groups_have_rows(cx, gpu_stored_tile(store)->type, groups);
}

unsigned gpu_pieces_ahead(const GpuCx *cx, const IrOp *store, const GpuStorePlan *plan)
{
	return MIN(plan->pieces, (unsigned)ir_get_int(store, cx->ir, ATTR_PIECES_AHEAD, GPU_PIECES_AHEAD));
}

uint64_t gpu_store_beside(GpuCx *cx, const IrOp *store, unsigned most_pieces)
{
	GpuStorePlan plan = gpu_plan_store(cx, store);
	return plan.bytes * MIN(gpu_pieces_ahead(cx, store, &plan), most_pieces);
}

static const IrOp *loop_around(const IrOp *op)
{
	const IrOp *loop = ir_parent_op(op);
	while (loop->kind == OP_IF)
		loop = ir_parent_op(loop);
	return loop;
}

bool gpu_stores_share(GpuCx *cx, const IrOp *one, const IrOp *other)
{
	GpuStorePlan a = gpu_plan_store(cx, one), b = gpu_plan_store(cx, other);
	return one->kind == other->kind && loop_around(one) == loop_around(other) && a.memory == b.memory &&
	       gpu_pieces_ahead(cx, one, &a) == gpu_pieces_ahead(cx, other, &b) &&
	       gpu_rows_are_of_groups(cx, one) == gpu_rows_are_of_groups(cx, other);
}

static IrOp *build_halves(GpuCx *cx, IrBuilder *b, IrValue *tile, unsigned dim)
{
	Halving h;
	bool good = halve(cx, tile->type, dim, gpu_layout(cx, tile->type), &h);
	CONTRACT(good);
	int64_t shape[LAYOUT_MAX_RANK], order[LAYOUT_MAX_RANK];
	for (unsigned k = 0; k < h.rank; k++) {
		order[k] = h.order[k];
		shape[k] = h.shape[h.order[k]];
	}
	IrType elem = tile->type->elem, half = half_type(cx, &h, tile->type);
	IrType apart = ir_tensor(cx->ir, elem, h.shape, h.rank, gpu_encoding(cx, h.apart)),
	       turned = ir_tensor(cx->ir, elem, shape, h.rank, gpu_encoding(cx, h.turned));
	IrValue *at = irb_1(b, OP_TRANS, turned, irb_1(b, OP_RESHAPE, apart, tile));
	ir_set(b->m, at->def, ATTR_ORDER, ir_attr_ints(cx->ir, ir_scalar(cx->ir, TY_I32), order, h.rank));
	return irb_op(b, OP_SPLIT, &at, 1, (IrType[]){half, half}, 2, 0);
}

void gpu_tile_pieces(GpuCx *cx, IrBuilder *b, IrValue *tile, unsigned dim, unsigned pieces, IrValue **out)
{
	if (pieces == 1) {
		out[0] = tile;
		return;
	}
	IrOp *halves = build_halves(cx, b, tile, dim);
	for (unsigned i = 0; i < 2; i++)
		gpu_tile_pieces(cx, b, &halves->results[i], dim, pieces / 2, out + i * (pieces / 2));
}
