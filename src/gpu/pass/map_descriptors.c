/* map-descriptors: descriptors that are made of kernel arguments become tensor maps, which the
 * launch creates.
 *
 * Needs: TTIR with all possible inlining done. Keeps: what is computed. A tile that is loaded,
 * stored or reduced through such a descriptor goes through an extra argument behind the others:
 * !tt.tensordesc<tensor<..., #memory>> with neso.map (gpu/layout/boxes.h). The rest is for
 * lower-descriptors: descriptors selected by control flow, computed parts, gathered rows (which
 * TMA has from Blackwell on), tiles that fit no box, and tiles not known to begin where a box may:
 * at a multiple of 16 bytes along the last dim and, where they are written, at no negative index
 * (an op of each kind, if the sign is not known until the kernel runs). An H200 ends a kernel with
 * CUDA_ERROR_ILLEGAL_INSTRUCTION where one begins elsewhere (bench/history.md).
 *
 * Numbers in neso.map are those of the arguments as lower-descriptors leaves them: a descriptor is
 * pointer, sizes, strides and padding. Values that no map can express are found by the launch,
 * which then uses a kernel without maps. */
#include "gpu/analysis/axis.h"
#include "gpu/gpu.h"
#include "gpu/layout/boxes.h"
#include "gpu/pass/map_args.h"
#include "ir/enums.h"

enum { BOX_BEGIN = 16 /* bytes */, MOST_ARGUMENTS = 200, MOST_MAPS = 16, DEEP = 4 };

typedef struct Mapping {
	PassCx *cx;
	GpuCx *gpu;
	const AxisMap *axes;
	IrOp *func;
	IrBlock *body;
	int64_t *place; /* of each: its first number once descriptors are parts */
	VEC(IrOp *) uses;
	GpuMapArgs args;
} Mapping;

/* ---- parts ---- */

typedef struct Term {
	int64_t arg, scale;
} Term;

/* An argument times a constant, or a constant. */
static bool term_of(const Mapping *m, const IrValue *v, unsigned deep, Term *out)
{
	const IrOp *op = v->def;
	Term t;
	if (ir_constant_int(v, &out->scale)) {
		out->arg = -1;
		return true;
	}
	if (v->block) {
		*out = (Term){v->block == m->body ? m->place[v->index] : -1, 1};
		return v->block == m->body && ir_is_int(v->type);
	}
	if (!op || !deep)
		return false;
	if (op->kind == OP_EXTSI)
		return term_of(m, ir_operand(op, 0), deep - 1, out);
	if (op->kind != OP_MULI || v->type->bits != 64)
		return false;
	/* A product of 64 bits; the launch refuses one that does not fit. */
	for (uint32_t k = 0; k < 2; k++)
		if (ir_constant_int(ir_operand(op, k), &t.scale) && term_of(m, ir_operand(op, 1 - k), deep - 1, out))
			return !__builtin_mul_overflow(out->scale, t.scale, &out->scale);
	return false;
}

static bool is_kernel_pointer(const Mapping *m, const IrValue *v)
{
	return v->block == m->body && ir_is_ptr(v->type);
}

/* neso.map of a descriptor; NULL: it is none that the launch can make. */
static IrAttr map_of(const Mapping *m, const IrValue *descriptor)
{
	int64_t numbers[2 + 4 * TENSOR_MAP_RANK];
	uint32_t rank = descriptor->type->elem->rank, n = 2;
	const IrOp *op = descriptor->def;
	if (rank > TENSOR_MAP_RANK)
		return NULL;
	if (descriptor->block == m->body) {
		numbers[0] = m->place[descriptor->index];
		numbers[1] = ir_is_float(descriptor->type->elem->elem) ? numbers[0] + 1 + 2 * rank : TENSOR_MAP_ZERO;
		for (uint32_t k = 0; k < 2 * rank; k++) {
			numbers[n++] = numbers[0] + 1 + k;
			numbers[n++] = 1;
		}
	} else {
		if (!op || op->kind != OP_MAKE_TENSOR_DESC || !is_kernel_pointer(m, ir_operand(op, 0)))
			return NULL;
		bool nan = ir_get_int(op, m->gpu->ir, ATTR_PADDING, PAD_ZERO) == PAD_NAN && ir_is_float(descriptor->type->elem->elem);
		numbers[0] = m->place[ir_operand(op, 0)->index];
		numbers[1] = nan ? TENSOR_MAP_NAN : TENSOR_MAP_ZERO;
		for (uint32_t k = 0; k < 2 * rank; k++, n += 2) {
			Term t = {-1, 1};
			/* The last dim is contiguous, whatever is said of its stride. */
			if (k + 1 < 2 * rank && !term_of(m, ir_operand(op, 1 + k), DEEP, &t))
				return NULL;
			numbers[n] = t.arg;
			numbers[n + 1] = t.scale;
		}
	}
	return ir_attr_ints(m->gpu->ir, ir_scalar(m->gpu->ir, TY_I64), numbers, n);
}

/* Kinds of reductions and types that an H200 was seen to do right; it ends a kernel that ANDs 64-bit integers of a tensor map with
 * CUDA_ERROR_ILLEGAL_INSTRUCTION. The rest are atomics. */
static bool can_reduce(const IrOp *op, const GpuCx *gpu)
{
	IrType elem = ir_operand(op, 0)->type->elem->elem;
	bool half = elem->kind == TY_F16 || elem->kind == TY_BF16, word = ir_is_int(elem) && elem->bits == 32;
	switch ((IrDescReduce)ir_get_int(op, gpu->ir, ATTR_REDUCE_KIND, 0)) {
	case DESC_ADD: return half || elem->kind == TY_F32 || word;
	case DESC_MIN:
	case DESC_MAX: return half || (ir_is_int(elem) && elem->bits >= 32);
	case DESC_AND:
	case DESC_OR:
	case DESC_XOR: return word;
	default: return false;
	}
}

/* ---- uses ---- */

/* Dims of size 1 that the tile leaves out come back, or go. */
static IrValue *reshaped(IrBuilder *b, IrValue *v, IrType type)
{
	return v->type == type ? v : irb_1(b, OP_RESHAPE, type, v);
}

/* The block without dims of size 1 in front, where a load's tile is used in no other shape: a
 * box of a tensor that has more dims than the tile. Otherwise the block. */
static IrType block_of(const Mapping *m, const IrOp *op)
{
	IrType block = ir_operand(op, 0)->type->elem;
	uint32_t front = 0;
	while (front + 1 < block->rank && block->shape[front] == 1)
		front++;
	const IrUse *use = op->kind == OP_DESC_LOAD && front ? op->results[0].uses : NULL;
	if (!use)
		return block;
	IrType less = use->owner->kind == OP_RESHAPE ? use->owner->results[0].type : NULL;
	if (!less || less->rank != block->rank - front ||
	    memcmp(less->shape, block->shape + front, sizeof block->shape[0] * less->rank) != 0)
		return block;
	for (const IrUse *u = use; u; u = u->next)
		if (u->owner->kind != OP_RESHAPE || u->owner->results[0].type != less)
			return block;
	return ir_tensor(m->gpu->ir, block->elem, less->shape, less->rank, NULL);
}

/* What reshapes the load's tile to what it is now takes it as it is. */
static void drop_reshapes(IrOp *load)
{
	for (IrUse *u = load->results[0].uses, *next; u; u = next) {
		next = u->next;
		if (u->owner->kind == OP_RESHAPE && u->owner->results[0].type == load->results[0].type) {
			IrOp *same = u->owner;
			ir_replace_uses(&same->results[0], &load->results[0]);
			ir_op_erase(same);
			next = load->results[0].uses;
		}
	}
}

static void go_through(Mapping *m, IrOp *op, IrValue *arg)
{
	IrCx *ir = m->gpu->ir;
	IrType block = arg->type->elem, tile = ir_tensor(ir, block->elem, block->shape, block->rank, NULL);
	bool less = tile->rank < ir_operand(op, 0)->type->elem->rank;
	ir_operand_set(op, 0, arg);
	if (op->kind != OP_DESC_LOAD) {
		IrBuilder b = ir_at(m->cx->module, op);
		ir_operand_set(op, 1, reshaped(&b, ir_operand(op, 1), tile));
		return;
	}
	IrType type = op->results[0].type;
	if (type == tile)
		return;
	if (less) {
		op->results[0].type = tile;
		drop_reshapes(op);
		return;
	}
	IrBuilder b = ir_at_end(m->cx->module, op->block, op->loc);
	b.before = op->next;
	op->results[0].type = tile;
	IrOp *back = irb_op(&b, OP_RESHAPE, NULL, 0, &type, 1, 0);
	ir_replace_uses(&op->results[0], &back->results[0]);
	ir_operand_add(m->cx->module, back, &op->results[0]);
}

/* Does the box begin at a multiple of 16 bytes? */
static bool begins_well(const Mapping *m, const IrOp *op)
{
	const AxisInfo *last = axis_of(m->axes, ir_operand(op, op->operand_count - 1));
	unsigned bits = ir_operand(op, 0)->type->elem->elem->bits;
	return last && (last->known ? last->value * bits % (8 * BOX_BEGIN) == 0 :
			(uint64_t)last->divisibility[0] >= 8 * BOX_BEGIN / MIN(MAX(bits, 1u), 8u * BOX_BEGIN));
}

/* Boxes that are read may begin outside of the tensor, those that are written at no negative
 * index. Which of a box's indices may be negative: -1, one is. */
static int negative_indices(const Mapping *m, const IrOp *op)
{
	int set = 0;
	for (uint32_t i = 2; op->kind != OP_DESC_LOAD && i < op->operand_count; i++) {
		const AxisInfo *index = axis_of(m->axes, ir_operand(op, i));
		if (!index || (index->known && index->value < 0))
			return -1;
		set |= index->nonneg ? 0 : 1 << i;
	}
	return set;
}

/* Of a box that is written from indices on of which those of `set` may be negative, as loaded ones
 * may: through the map where none is, else as it was. The op that goes through the map. */
static IrOp *guarded(Mapping *m, IrOp *op, int set)
{
	IrModule *module = m->cx->module;
	IrBuilder b = ir_at(module, op);
	IrValue *inside = NULL;
	for (uint32_t i = 2; i < op->operand_count; i++) {
		if (!(set & 1 << i))
			continue;
		IrValue *index = ir_operand(op, i), *zero = irb_int(&b, index->type, 0);
		IrValue *good = irb_cmpi(&b, CMPI_SGE, index, zero);
		inside = inside ? irb_2(&b, OP_ANDI, NULL, inside, good) : good;
	}
	IrOp *choice = irb_op(&b, OP_IF, &inside, 1, NULL, 0, 2), *both[2] = {NULL, op};
	IrMapping map;
	ir_mapping_init(&map, m->cx->scratch);
	both[0] = ir_clone(module, op, &map, NULL, NULL);
	ir_op_unlink(op);
	for (uint32_t k = 0; k < 2; k++) {
		IrBlock *block = ir_block_new(module, &choice->regions[k]);
		ir_op_append(block, both[k]);
		IrBuilder end = ir_at_end(module, block, op->loc);
		irb_op(&end, OP_YIELD, NULL, 0, NULL, 0, 0);
	}
	return both[0];
}

static bool find_use(void *data, IrOp *op)
{
	Mapping *m = data;
	bool counts = op->kind == OP_DESC_LOAD || op->kind == OP_DESC_STORE || (op->kind == OP_DESC_REDUCE && can_reduce(op, m->gpu));
	if (counts && !gpu_is_map(ir_operand(op, 0)->type) && begins_well(m, op) &&
	    negative_indices(m, op) >= 0)
		vec_push(m->cx->scratch, &m->uses, op);
	return true;
}

static uint32_t parts_of(IrType type)
{
	return type->kind == TY_TENSORDESC && !gpu_is_map(type) ? 2 + 2 * type->elem->rank : 1;
}

static bool map_function(PassCx *cx, IrOp *func)
{
	Mapping m = {.cx = cx, .gpu = gpu_of(cx), .axes = gpu_axis(cx), .func = func, .body = ir_func_body(func)};
	gpu_map_args_init(&m.args, cx, func, false);
	m.place = ARENA_ARRAY(cx->scratch, int64_t, m.args.had + 1);
	for (uint32_t i = 0; i < m.args.had; i++)
		m.place[i + 1] = m.place[i] + parts_of(m.body->args[i]->type);
	if (m.place[m.args.had] + MOST_MAPS > MOST_ARGUMENTS)
		return false;
	ir_walk(func, false, find_use, &m);
	for (uint32_t i = 0; i < m.uses.len; i++) {
		const IrValue *descriptor = ir_operand(m.uses.data[i], 0);
		IrType type = descriptor->type;
		IrAttr map = map_of(&m, descriptor);
		IrLoc loc = ir_value_loc(descriptor);
		IrType block = block_of(&m, m.uses.data[i]);
		IrValue *arg = map ? gpu_map_arg(&m.args, block, (IrSign)type->space, map, loc) : NULL;
		if (!arg)
			continue;
		int set = negative_indices(&m, m.uses.data[i]);
		go_through(&m, set ? guarded(&m, m.uses.data[i], set) : m.uses.data[i], arg);
	}
	if (m.args.made.len)
		gpu_map_args_describe(&m.args);
	return m.args.made.len > 0;
}

bool pass_map_descriptors(PassCx *cx, bool *changed)
{
	const GpuCx *gpu = gpu_of(cx);
	for (IrOp *func = ir_module_block(cx->module)->first; gpu_may_map(gpu) && func; func = func->next) {
		if (func->kind == OP_FUNC && ir_func_body(func) && ir_func_is_public(func, gpu->ir))
			*changed = map_function(cx, func) || *changed;
	}
	return true;
}
