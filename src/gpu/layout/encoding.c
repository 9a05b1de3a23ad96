/* Encodings of types and the layouts that they denote, in both directions, memoised; and the
 * default layouts.
 *
 * The attribute of a layout lists, for each bit of a place, the coordinates that it stands for,
 * like upstream's #ttg.linear and #ttg.shared_linear. Sizes that are no powers of two repeat that
 * tile; the order of the repetitions is written only where it is not row-major. */
#include "base/map.h"
#include "gpu/layout/encoding_int.h"
#include "target/cost.h"
#include "ir/text/text.h"

typedef struct Memory {
	Map layouts;   /* IrType -> Layout */
	Map encodings; /* Layout -> IrAttr */
} Memory;

void gpu_cx_init(GpuCx *cx, IrCx *ir, const TargetGpu *target, unsigned num_warps, unsigned num_ctas,
		 unsigned num_stages)
{
	*cx = (GpuCx){.ir = ir, .arena = ir->arena, .target = target, .num_warps = num_warps, .num_ctas = num_ctas,
		      .num_stages = num_stages, .cluster = 1, .multicast = true};
	cx->maps = target_has(target, TARGET_TMA);
	layout_context_init(&cx->layouts, ir->arena);
	cx->plan_target = (LayoutTarget){.costs = target_costs_of(target->capability),
					 .ldmatrix = target_has(target, TARGET_LDMATRIX),
					 .stmatrix = target_has(target, TARGET_STMATRIX),
					 .shared_bytes = target->shared_cta};
	Memory *memory = ARENA_NEW(ir->arena, Memory);
	map_init(&memory->layouts, ir->arena);
	map_init(&memory->encodings, ir->arena);
	cx->cache = memory;
}

/* ---- from types ---- */

/* The dims of a memdesc that its encoding is about, and those before them: whole buffers, one after
 * the other. A part of larger memory has the layout of the whole. */
static void memdesc_shape(IrType type, const int64_t **shape, uint32_t *rank)
{
	uint32_t have = type->alloc_rank ? type->alloc_rank : type->rank;
	*rank = MIN(type->rank, have);
	*shape = (type->alloc_rank ? type->alloc : type->shape) + (have - *rank);
}

/* Buffers of `inner` one after the other, along leading dims. */
static const Layout *stack(GpuCx *cx, const Layout *inner, const int64_t *shape, unsigned rank)
{
	unsigned inner_rank = layout_rank(inner), lead = rank - inner_rank;
	if (lead == 0)
		return inner;
	LayoutSpace out = layout_space_of_shape(shape, rank), in = inner->in;
	uint64_t bases[64];
	unsigned at = layout_in_bits(inner, LAYOUT_OFFSET), more = layout_space_bits(&out) - inner->out_bits;
	for (unsigned i = 0; i < inner->in_bits; i++) {
		unsigned to = i < at ? i : i + more;
		bases[to] = 0;
		for (unsigned k = 0; k < inner_rank; k++)
			bases[to] |= layout_space_put(&out, LAYOUT_DIM0 + lead + k,
						      layout_coordinate(inner, inner->bases[i], k));
	}
	for (unsigned k = lead; k-- > 0;)
		for (unsigned b = 0; b < layout_space_find(&out, LAYOUT_DIM0 + k)->bits; b++)
			bases[at++] = layout_space_put(&out, LAYOUT_DIM0 + k, UINT64_C(1) << b);
	for (unsigned i = 0; i < in.count; i++) {
		if (in.dim[i].name != LAYOUT_OFFSET)
			continue;
		in.dim[i].bits = (uint8_t)(in.dim[i].bits + more);
		in.dim[i].reps = layout_space_reps(&out);
		in.dim[i].rep_order = in.dim[i].reps > 1;
	}
	return layout_make(&cx->layouts, &in, &out, bases);
}

/* How many dims of a memdesc type the encoding is about; 0: it does not say. ones: trailing dims of
 * size 1, which is all that a layout without bases can be about. */
static unsigned encoding_rank(IrAttr attr, unsigned ones)
{
	for (uint32_t i = 0; attr->kind == ATTR_KIND_CUSTOM && i < attr->len; i++) {
		IrAttr item = attr->items[i];
		if (item->kind == ATTR_KIND_CUSTOM && strcmp(item->text, " ") == 0)
			item = item->items[1];
		for (uint32_t k = 0; item->kind == ATTR_KIND_CUSTOM && k + 1 < item->len; k += 2) {
			IrAttr value = item->items[k + 1];
			if (item->items[k]->kind != ATTR_KIND_STRING || value->kind != ATTR_KIND_ARRAY)
				continue;
			if (strcmp(item->items[k]->text, "offset") == 0 && !value->len)
				return ones;
			if (!value->len)
				continue;
			if (strcmp(item->items[k]->text, "order") == 0)
				return value->len;
			if (strcmp(item->items[k]->text, "offset") == 0 &&
			    value->items[0]->kind == ATTR_KIND_ARRAY)
				return value->items[0]->len;
		}
	}
	return 0;
}

static const Layout *layout_of_memdesc(GpuCx *cx, IrType type, LayoutPadded *padded, const char **error)
{
	const int64_t *shape;
	uint32_t rank;
	memdesc_shape(type, &shape, &rank);
	unsigned ones = 0;
	while (ones < rank && shape[rank - 1 - ones] == 1)
		ones++;
	unsigned inner = encoding_rank(type->encoding, ones);
	inner = inner && inner < rank ? inner : inner == 0 ? MIN(rank, 2u) : rank;
	const Layout *l = encoding_shared(cx, type->encoding, shape + (rank - inner), inner, type->elem->bits,
					  padded, error);
	return l ? stack(cx, l, shape, rank) : NULL;
}

const Layout *gpu_layout_checked(GpuCx *cx, IrType type, const char **error)
{
	Memory *memory = cx->cache;
	const Layout *l = map_get_ptr(&memory->layouts, type);
	const char *ignored;
	error = error ? error : &ignored;
	if (l)
		return l;
	if ((type->kind != TY_TENSOR && type->kind != TY_MEMDESC) || !type->encoding) {
		*error = "it has no layout";
		return NULL;
	}
	l = type->kind == TY_TENSOR ? encoding_distributed(cx, type->encoding, type->shape, type->rank, error)
				    : layout_of_memdesc(cx, type, NULL, error);
	if (l)
		map_put_ptr(&memory->layouts, type, l);
	return l;
}

const Layout *gpu_layout(GpuCx *cx, IrType type)
{
	const char *error = "";
	const Layout *l = gpu_layout_checked(cx, type, &error);
	if (!l)
		BUG("%s: %s", ir_type_text(cx->arena, type), error);
	return l;
}

bool gpu_padded(GpuCx *cx, IrType memdesc, LayoutPadded *padded)
{
	CONTRACT(memdesc->kind == TY_MEMDESC);
	const char *error;
	*padded = (LayoutPadded){0};
	padded->linear = layout_of_memdesc(cx, memdesc, padded, &error);
	return padded->linear && padded->count;
}

/* ---- to attributes ---- */

static IrAttr number(GpuCx *cx, uint64_t value)
{
	return ir_attr_int(cx->ir, ir_scalar(cx->ir, TY_I64), (int64_t)value);
}

static IrAttr key(GpuCx *cx, const char *text)
{
	return ir_attr_string(cx->ir, str_of(text));
}

static IrAttr bases_of(GpuCx *cx, const Layout *l, unsigned name)
{
	unsigned rank = layout_rank(l), n = layout_in_bits(l, name);
	IrAttr bits[64], coordinates[LAYOUT_MAX_RANK];
	for (unsigned i = 0; i < n; i++) {
		uint64_t basis = layout_basis(l, name, i);
		for (unsigned k = 0; k < rank; k++)
			coordinates[k] = number(cx, layout_coordinate(l, basis, k));
		bits[i] = ir_attr_array(cx->ir, coordinates, rank);
	}
	return ir_attr_array(cx->ir, bits, n);
}

/* For each repeated dim, outermost first, its place among the digits; NULL where that is
 * row-major. */
static IrAttr repetition_order(GpuCx *cx, const Layout *l)
{
	IrAttr places[LAYOUT_MAX_RANK];
	unsigned rank = layout_rank(l), n = 0;
	bool usual = true;
	for (unsigned k = rank; k-- > 0;)
		n += layout_space_find(&l->out, LAYOUT_DIM0 + k)->reps > 1;
	for (unsigned k = 0, at = 0; k < rank; k++) {
		const LayoutDim *dim = layout_space_find(&l->out, LAYOUT_DIM0 + k);
		if (dim->reps == 1)
			continue;
		usual = usual && dim->rep_order == n - at;
		places[at++] = number(cx, dim->rep_order);
	}
	return usual ? NULL : ir_attr_array(cx->ir, places, n);
}

static IrAttr make_encoding(GpuCx *cx, const Layout *l, uint64_t used)
{
	static const struct {
		LayoutName name;
		const char *text;
	} threads[] = {{LAYOUT_REGISTER, "register"},
		       {LAYOUT_LANE, "lane"},
		       {LAYOUT_WARP, "warp"},
		       {LAYOUT_BLOCK, "block"}},
	  memory[] = {{LAYOUT_OFFSET, "offset"}, {LAYOUT_BLOCK, "block"}};
	bool shared = layout_space_find(&l->in, LAYOUT_OFFSET) != NULL;
	IrAttr items[12], order = repetition_order(cx, l);
	uint32_t n = 0;
	for (size_t i = 0; i < (shared ? ARRAY_LEN(memory) : ARRAY_LEN(threads)); i++) {
		LayoutName name = shared ? memory[i].name : threads[i].name;
		if (shared && i && !layout_in_bits(l, name))
			continue;
		items[n++] = key(cx, shared ? memory[i].text : threads[i].text);
		items[n++] = bases_of(cx, l, name);
	}
	if (order) {
		items[n++] = key(cx, "repetitions");
		items[n++] = order;
	}
	if (used) {
		items[n++] = key(cx, "used");
		items[n++] = number(cx, used);
	}
	IrAttr body = ir_attr_custom(cx->ir, ir_sym(cx->ir, ""), items, n);
	if (!shared)
		return ir_attr_custom(cx->ir, ir_sym(cx->ir, "ttg.linear"), &body, 1);
	IrAttr alignment[2] = {key(cx, "alignment"), number(cx, 16)};
	IrAttr parts[2] = {body, ir_attr_custom(cx->ir, ir_sym(cx->ir, "="), alignment, 2)};
	return ir_attr_custom(cx->ir, ir_sym(cx->ir, "ttg.shared_linear"), parts, 2);
}

IrAttr gpu_encoding(GpuCx *cx, const Layout *layout)
{
	CONTRACT(layout && layout_rank(layout) <= IR_MAX_RANK);
	Memory *memory = cx->cache;
	IrAttr attr = map_get_ptr(&memory->encodings, layout);
	if (!attr) {
		attr = make_encoding(cx, layout, 0);
		map_put_ptr(&memory->encodings, layout, attr);
	}
	return attr;
}

IrAttr gpu_encoding_used(GpuCx *cx, const Layout *layout, uint64_t used)
{
	CONTRACT(layout_space_find(&layout->in, LAYOUT_OFFSET) && layout_space_reps(&layout->in) == 1);
	uint64_t all = UINT64_C(1) << layout_in_bits(layout, LAYOUT_OFFSET);
	return used && used < all ? make_encoding(cx, layout, used) : gpu_encoding(cx, layout);
}

IrType gpu_with_layout(GpuCx *cx, IrType tensor, const Layout *layout)
{
	CONTRACT(layout_rank(layout) == tensor->rank);
	Memory *memory = cx->cache;
	IrType type = ir_with_encoding(cx->ir, tensor, gpu_encoding(cx, layout));
	if (!map_get_ptr(&memory->layouts, type)) {
		CONTRACT(tensor->kind != TY_TENSOR || layout_is_onto(layout));
		map_put_ptr(&memory->layouts, type, layout);
	}
	return type;
}

/* ---- warps ---- */

unsigned gpu_num_warps(const GpuCx *cx, const IrOp *op)
{
	const IrRegion *region = op->block ? op->block->region : NULL;
	while (region && region->op) {
		const IrOp *holder = region->op;
		if (holder->kind == OP_WARP_PARTITIONS) {
			const IrOp *owner = ir_parent_op(holder);
			IrAttr warps = owner ? ir_get(owner, cx->ir, ATTR_PARTITION_WARPS) : NULL;
			size_t at = (size_t)(region - holder->regions);
			if (warps && at < warps->len)
				return (unsigned)warps->ints[at];
		}
		region = holder->block ? holder->block->region : NULL;
	}
	return cx->num_warps;
}

typedef struct MoreWarps {
	const GpuCx *cx;
	unsigned most;
} MoreWarps;

static bool visit_partitions(void *data, IrOp *op)
{
	MoreWarps *more = data;
	IrAttr warps = op->kind == OP_WARP_SPECIALIZE ? ir_get(op, more->cx->ir, ATTR_PARTITION_WARPS) : NULL;
	unsigned sum = 0;
	for (uint32_t i = 0; warps && i < warps->len; i++)
		sum += (unsigned)warps->ints[i];
	more->most = MAX(more->most, sum);
	return true;
}

unsigned gpu_all_warps(const GpuCx *cx, const IrOp *root)
{
	enum { WARPS_OF_A_GROUP = 4 };
	MoreWarps more = {.cx = cx};
	ir_walk((IrOp *)(uintptr_t)root, false, visit_partitions, &more);
	return cx->num_warps + (more.most + WARPS_OF_A_GROUP - 1) / WARPS_OF_A_GROUP * WARPS_OF_A_GROUP;
}

/* ---- usual layouts ---- */

static unsigned largest_power(int64_t size)
{
	unsigned bits = (unsigned)__builtin_ctzll((uint64_t)size);
	return 1u << MIN(bits, 30u);
}

const Layout *gpu_blocked_layout_by(GpuCx *cx, const int64_t *shape, unsigned rank, const unsigned *order,
				    const unsigned *warp_order, unsigned vector, unsigned num_warps)
{
	CONTRACT(vector && base_is_pow2(vector));
	LayoutBlocked b = {.rank = rank};
	unsigned lanes = TARGET_WARP_SIZE, warps = num_warps, rest[LAYOUT_MAX_RANK];
	for (unsigned i = 0; i < rank; i++) {
		unsigned k = order[i];
		rest[k] = largest_power(shape[k]);
		b.order[i] = k;
		b.size_per_thread[k] = i == 0 ? MIN(vector, rest[k]) : 1;
		rest[k] /= b.size_per_thread[k];
		b.threads_per_warp[k] = i + 1 == rank ? lanes : MIN(lanes, rest[k]);
		lanes /= b.threads_per_warp[k];
		rest[k] = MAX(rest[k] / b.threads_per_warp[k], 1u);
	}
	for (unsigned i = 0; i < rank; i++) {
		unsigned k = warp_order[i];
		b.warps_per_cta[k] = i + 1 == rank ? warps : MIN(warps, rest[k]);
		warps /= b.warps_per_cta[k];
	}
	/* A cluster shares the slowest dim; a thread's own elements stay together. */
	for (unsigned i = 0; i < rank && cx->num_ctas > 1; i++) {
		b.ctas[i] = b.cta_split[i] = 1;
		b.cta_order[i] = order[i];
	}
	if (cx->num_ctas > 1) {
		unsigned k = order[rank - 1];
		b.ctas[k] = cx->num_ctas;
		b.cta_split[k] = MIN(cx->num_ctas, largest_power(shape[k]) / b.size_per_thread[k]);
	}
	return layout_blocked(&cx->layouts, shape, &b);
}

const Layout *gpu_blocked_layout(GpuCx *cx, const int64_t *shape, unsigned rank, const unsigned *order,
				 unsigned vector, unsigned num_warps)
{
	return gpu_blocked_layout_by(cx, shape, rank, order, order, vector, num_warps);
}

const Layout *gpu_default_layout(GpuCx *cx, const int64_t *shape, unsigned rank, unsigned num_warps)
{
	CONTRACT(num_warps && base_is_pow2(num_warps));
	unsigned order[LAYOUT_MAX_RANK];
	for (unsigned i = 0; i < rank; i++)
		order[i] = rank - 1 - i;
	return gpu_blocked_layout(cx, shape, rank, order, 1, num_warps);
}

unsigned gpu_element_bits(IrType elem)
{
	CONTRACT(elem->kind != TY_TENSOR);
	elem = ir_elem(elem);
	return elem->kind == TY_PTR ? 64 : MAX(elem->bits, 8u);
}
