/* The shared-memory layout of TMA boxes.
 *
 * A box lies row by row, with its last dim dense. With a swizzle, a row is as long as the swizzle,
 * and 16-byte chunks of a row are permuted by the address: bits 4 and up are XORed with bits 7 and
 * up, as many as the swizzle has chunks. The pattern repeats every 8 rows, and boxes begin where
 * it does. Boxes along the last dim follow one another, then those along the dims before. Source:
 * CUDA Driver API, "Tensor Map Object Management"; PTX ISA 8.8, "Swizzling modes". */
#include "gpu/layout/boxes.h"

enum { PART = 16, LINE_BITS = 7, PATTERN_ROWS = 8, SHARED_SPACE = 0 };

typedef struct Laying {
	LayoutSpace tile;
	uint64_t bases[64];
	unsigned count;
} Laying;

static void lay(Laying *l, unsigned dim, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		l->bases[l->count++] = layout_space_put(&l->tile, LAYOUT_DIM0 + dim, UINT64_C(1) << i);
}

static unsigned bits_of(const Laying *l, unsigned dim)
{
	return layout_space_find(&l->tile, LAYOUT_DIM0 + dim)->bits;
}

/* Sides of a box; false: there is none. */
static bool sides(IrType tile, unsigned swizzle, GpuBox *box)
{
	unsigned bytes = tile->elem->bits / 8, last = tile->rank - 1;
	*box = (GpuBox){.swizzle = swizzle, .rank = tile->rank, .count = 1, .bytes = bytes};
	if (tile->rank < 1 || tile->rank > TENSOR_MAP_RANK || !ir_is_scalar(tile->elem) ||
	    tile->elem->bits < 8 || tile->elem->bits > 64)
		return false;
	for (unsigned d = 0; d < tile->rank; d++) {
		int64_t side = MIN(tile->shape[d], (int64_t)TENSOR_MAP_BOX);
		if (!base_is_pow2((uint64_t)tile->shape[d]))
			return false;
		if (d == last && swizzle) {
			if (side * bytes < swizzle)
				return false;
			side = swizzle / bytes;
		}
		box->side[d] = (unsigned)side;
		box->count *= (unsigned)(tile->shape[d] / side);
		box->bytes *= (uint64_t)side;
	}
	uint64_t row = (uint64_t)box->side[last] * bytes;
	return row % PART == 0 && (!swizzle || box->bytes / row >= PATTERN_ROWS);
}

const Layout *gpu_box_memory(GpuCx *cx, IrType tile, unsigned swizzle)
{
	GpuBox box;
	if (!sides(tile, swizzle, &box))
		return NULL;
	Laying l = {.tile = layout_space_of_shape(tile->shape, tile->rank)};
	unsigned last = tile->rank - 1, bytes = tile->elem->bits / 8,
		 parts = swizzle ? base_log2(swizzle / PART) : 0;
	lay(&l, last, 0, base_log2(box.side[last]));
	for (unsigned d = last; d-- > 0;)
		lay(&l, d, 0, base_log2(box.side[d]));
	for (unsigned i = 0; i < parts; i++)
		l.bases[LINE_BITS - base_log2(bytes) + i] |=
			layout_space_put(&l.tile, LAYOUT_DIM0 + last, (uint64_t)(PART / bytes) << i);
	lay(&l, last, base_log2(box.side[last]), bits_of(&l, last));
	for (unsigned d = last; d-- > 0;)
		lay(&l, d, base_log2(box.side[d]), bits_of(&l, d));
	LayoutSpace in = layout_space_none();
	layout_space_add(&in, LAYOUT_OFFSET, l.count, 1);
	return layout_make(&cx->layouts, &in, &l.tile, l.bases);
}

static const unsigned swizzles[] = {128, 64, 32, 0};

const Layout *gpu_box_best(GpuCx *cx, IrType tile)
{
	const Layout *l = NULL;
	for (size_t i = 0; i < ARRAY_LEN(swizzles) && !l; i++)
		l = gpu_box_memory(cx, tile, swizzles[i]);
	return l;
}

bool gpu_box_of(GpuCx *cx, IrType tile, const Layout *memory, GpuBox *out)
{
	CONTRACT(tile->kind == TY_TENSOR || tile->kind == TY_MEMDESC);
	uint64_t used, all;
	for (size_t i = 0; i < ARRAY_LEN(swizzles); i++) {
		if (gpu_box_memory(cx, tile, swizzles[i]) != memory)
			continue;
		bool found = sides(tile, swizzles[i], out);
		if (found && gpu_is_cut(tile->encoding, &used, &all))
			out->count = (unsigned)((uint64_t)out->count * used / all);
		return found;
	}
	return false;
}

uint64_t gpu_box_place(const GpuBox *box, IrType tile, unsigned number, int64_t *at)
{
	unsigned left = number, last = box->rank - 1;
	for (unsigned k = 0; k < box->rank; k++) {
		unsigned d = last - k, boxes = (unsigned)(tile->shape[d] / box->side[d]);
		at[d] = (int64_t)(left % boxes) * box->side[d];
		left /= boxes;
	}
	return number * box->bytes;
}

bool gpu_box_may_share(const GpuBox *box, unsigned ctas)
{
	CONTRACT(base_is_pow2(ctas));
	bool one = box->count == 1 && box->rank == 2 && box->side[0] >= ctas * PATTERN_ROWS;
	return box->count >= ctas || one;
}

void gpu_box_share(GpuBox *box, unsigned ctas)
{
	CONTRACT(gpu_box_may_share(box, ctas));
	if (box->count >= ctas)
		return;
	box->side[0] /= ctas;
	box->bytes /= ctas;
	box->count = ctas;
}

/* ---- maps ---- */

IrType gpu_map_memdesc(GpuCx *cx, IrType map)
{
	CONTRACT(gpu_is_map(map));
	IrType tile = map->elem;
	return ir_memdesc(cx->ir, tile->elem, tile->shape, tile->rank, tile->encoding, SHARED_SPACE, true);
}

const Layout *gpu_map_layout(GpuCx *cx, IrType map)
{
	CONTRACT(gpu_is_map(map));
	return gpu_layout(cx, gpu_map_memdesc(cx, map));
}

static TensorMapType type_of(IrType map)
{
	IrType elem = map->elem->elem;
	bool is_signed = map->space != SIGN_UNSIGNED;
	switch (elem->kind) {
	case TY_F16: return TENSOR_MAP_F16;
	case TY_BF16: return TENSOR_MAP_BF16;
	case TY_F32: return TENSOR_MAP_F32;
	case TY_F64: return TENSOR_MAP_F64;
	default: break;
	}
	switch (elem->bits) {
	case 8: return TENSOR_MAP_U8;
	case 16: return TENSOR_MAP_U16;
	case 32: return is_signed ? TENSOR_MAP_S32 : TENSOR_MAP_U32;
	default: return is_signed ? TENSOR_MAP_S64 : TENSOR_MAP_U64;
	}
}

static IrAttr attribute(const GpuCx *cx, const IrOp *func, uint32_t number, IrAttrName name)
{
	IrAttr dicts = ir_get(func, cx->ir, ATTR_ARG_ATTRS);
	for (uint32_t k = 0; dicts && number < dicts->len && k < dicts->items[number]->len; k++)
		if (dicts->items[number]->names[k] == cx->ir->names[name])
			return dicts->items[number]->items[k];
	return NULL;
}

bool gpu_map_is_of_pointers(const GpuCx *cx, const IrOp *func, uint32_t number)
{
	return attribute(cx, func, number, ATTR_MAP_POINTERS) != NULL;
}

/* By all that is no load. */
static bool is_written(const IrValue *map)
{
	for (const IrUse *u = map->uses; u; u = u->next)
		if (u->owner->kind != OP_TMA_LOAD && u->owner->kind != OP_DESC_LOAD &&
		    u->owner->kind != OP_DESC_GATHER)
			return true;
	return false;
}

/* The first copy from global memory, perhaps of a role; NULL: there is none. */
static const IrOp *load_through(const IrValue *map)
{
	const IrOp *load = NULL;
	for (const IrUse *u = map->uses; u && !load; u = u->next) {
		const IrOp *op = u->owner, *holder;
		if (op->kind == OP_TMA_LOAD)
			load = op;
		if (op->kind != OP_WARP_SPECIALIZE)
			continue;
		holder = op->regions[1].first->last;
		for (uint32_t r = 0; r < holder->region_count && !load; r++)
			load = load_through(holder->regions[r].first->args[u - op->operands]);
	}
	return load;
}

/* Rows of the boxes of a map: CTAs that share a tile bring some each; each warp group copies its
 * own, where a store says so (ttng.async_tma_store_rows); a store may take rows of its tile one
 * part after the other. */
static unsigned rows_of(GpuCx *cx, const IrValue *map, const GpuBox *box)
{
	enum { WARPS = 4 };
	const IrUse *u = map->uses;
	if (u && u->owner->kind == OP_TMA_STORE_ROWS)
		return box->side[0] * WARPS / gpu_num_warps(cx, u->owner);
	const IrOp *load = load_through(map);
	int64_t mask = load ? ir_get_int(load, cx->ir, ATTR_SHARED_BY, 0) : 0;
	if (mask) {
		GpuBox shared = *box;
		gpu_box_share(&shared, 1u << (unsigned)__builtin_popcount((unsigned)mask));
		return shared.side[0];
	}
	bool stored = u && u->owner->kind == OP_TMA_STORE && box->rank > 1;
	int64_t rows = stored ? ir_operand(u->owner, 1)->type->shape[0] : box->side[0];
	return (unsigned)MIN(rows, (int64_t)box->side[0]);
}

int64_t gpu_map_base(const GpuCx *cx, const IrOp *func, uint32_t number)
{
	IrAttr map = attribute(cx, func, number, ATTR_MAP);
	return map && map->kind == ATTR_KIND_INTS && map->len ? map->ints[0] : -1;
}

/* neso.map: base, fill, then argument and scale of each size and of each stride. Dims that the tile
 * does not have come first. */
bool gpu_map_recipe(GpuCx *cx, const IrOp *func, uint32_t number, TensorMapPlan *out)
{
	CONTRACT(func->kind == OP_FUNC && number < ir_func_body(func)->arg_count);
	const IrValue *arg = ir_func_body(func)->args[number];
	IrAttr map = attribute(cx, func, number, ATTR_MAP);
	GpuBox box;
	if (!map || map->kind != ATTR_KIND_INTS || map->len % 4 != 2 || !gpu_is_map(arg->type) ||
	    !gpu_box_of(cx, arg->type->elem, gpu_map_layout(cx, arg->type), &box))
		return false;
	unsigned rank = map->len / 4;
	box.side[0] = rows_of(cx, arg, &box);
	if (rank < box.rank || rank > TENSOR_MAP_RANK)
		return false;
	*out = (TensorMapPlan){
		.type = (uint8_t)type_of(arg->type),
		.rank = (uint8_t)rank,
		.swizzle = (uint8_t)box.swizzle,
		.written = is_written(arg),
		.base = (int32_t)map->ints[0],
		.fill = (int32_t)map->ints[1],
	};
	for (unsigned d = 0; d < rank; d++) {
		const int64_t *shape = map->ints + 2 + 2 * d, *stride = shape + 2 * rank;
		out->shape[d] = (TensorMapTerm){(int32_t)shape[0], shape[1]};
		out->strides[d] = (TensorMapTerm){(int32_t)stride[0], stride[1]};
		out->box[d] = (uint16_t)(d + box.rank < rank ? 1 : box.side[d + box.rank - rank]);
	}
	return true;
}
