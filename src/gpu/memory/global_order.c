/* May two accesses of global memory, in this order in the text, be reordered?
 *
 * To its author a program is one thread: what it loads before it stores is the old value. The
 * lanes of a warp load together, but another warp may still have to load when this one stores. A
 * value that one thread stores for all (a scalar, or an element that several threads hold copies
 * of) is loaded by all of them afterwards. A tile stored twice in two layouts is stored by
 * different threads, and so is one stored in one layout and loaded in another: authors know nothing
 * of layouts. What one thread stores and another one accesses as a different element is for the
 * author to order (tl.debug_barrier). Two accesses do not conflict where
 *
 *	- their pointers begin at different arguments, or at different loaded pointers. Arrays
 *	  that a kernel reads and writes under two names are not looked for: nearly every
 *	  kernel would pay;
 *	- the same warp loads and stores each element: the pointers are equal, no two elements
 *	  share an address as far as indices are sums and products of ranges and scalars, and
 *	  no two warps hold copies in the layout. An access of the previous iteration has the
 *	  same element in the same warp if it moves by whole blocks: consecutive indices from a
 *	  multiple of their number.
 *
 * A called function may load and store anywhere that it does. Asynchronous copies are loads: a loop
 * whose stores may reach what it loads has none (schedule.h), but what is stored before it may, and
 * nothing is stored while one that was made of a load is under way (relieve_ways.c). */
#include "gpu/analysis/text_order.h"
#include "gpu/gpu.h"
#include "gpu/layout/boxes.h"
#include "gpu/memory/memory_int.h"
#include "ir/enums.h"

enum { DEEP = 24, OPERANDS = 12 /* as deep where each op has several: what is shared is looked at more than once */ };

static bool is_store(const IrOp *op)
{
	return op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
}

/* Through a tensor map: by the one thread that issues it, and done when that has waited. */
static bool is_tensor_access(const IrOp *op)
{
	return op->kind == OP_TMA_LOAD || op->kind == OP_TMA_STORE || op->kind == OP_TMA_STORE_ROWS ||
	       op->kind == OP_TMA_REDUCE;
}

/* By threads. */
static bool is_load(const IrOp *op)
{
	return op->kind == OP_LOAD || op->kind == OP_ASYNC_COPY;
}

bool gpu_is_global(const IrOp *op)
{
	return is_load(op) || op->kind == OP_CALL || is_store(op) || is_tensor_access(op);
}

typedef struct Accesses {
	bool loads, stores;
} Accesses;

static bool add_access(void *data, IrOp *op)
{
	Accesses *a = data;
	a->loads |= is_load(op) || op->kind == OP_CALL;
	a->stores |= is_store(op) || op->kind == OP_CALL;
	return true;
}

/* A function that calls others is not looked into. */
static Accesses accesses_of(const GpuOrder *o, const IrOp *op)
{
	Accesses a = {is_load(op), is_store(op)};
	if (op->kind == OP_CALL)
		ir_walk(ir_find_func(o->cx->module, ir_get(op, o->gpu->ir, ATTR_CALLEE)->text), false, add_access, &a);
	return a;
}

/* ---- where a pointer begins ---- */

static const IrValue *in_loop(const IrValue *v, const IrOp **loop, const IrValue **around)
{
	const IrBlock *block = v->block;
	const IrOp *op = block ? block->region->op : NULL;
	*loop = op;
	if (!op || op->kind != OP_FOR || !v->index)
		return NULL;
	*around = ir_operand(ir_terminator(block), v->index - 1);
	return ir_operand(op, 3 + v->index - 1);
}

/* NULL: at several places, or not known. A value that is being looked at (`seen`, in loops) adds nothing. */
static const IrValue *root_of(const IrValue *v, const IrValue *seen, unsigned deep)
{
	const IrOp *op = v->def, *loop;
	const IrValue *around = NULL, *init;
	if (v == seen)
		return v;
	if (!deep)
		return NULL;
	if (!op) {
		if (!(init = in_loop(v, &loop, &around)))
			return loop && loop->kind == OP_FUNC ? v : NULL;
		const IrValue *root = root_of(init, seen, deep - 1);
		if (around == v || around == init)
			return root;
		const IrValue *other = root_of(around, v, deep - 1);
		return other == v || other == root ? root : NULL;
	}
	if (ir_has_trait(op, TRAIT_MOVE) || op->kind == OP_ADDPTR || op->kind == OP_BITCAST)
		return root_of(ir_operand(op, 0), seen, deep - 1);
	return op->kind == OP_LOAD || op->kind == OP_INT_TO_PTR ? v : NULL;
}

/* ---- the same element in the same warp ---- */

static bool is_in_loop(const IrValue *v)
{
	const IrBlock *block = v->def ? v->def->block : v->block;
	for (const IrOp *op = block ? block->region->op : NULL; op; op = op->block ? ir_parent_op(op) : NULL)
		if (op->kind == OP_FOR || op->kind == OP_WHILE)
			return true;
	return false;
}

static bool same_value(const IrValue *a, const IrValue *b, unsigned deep)
{
	const IrOp *p = a->def, *q = b->def;
	if (a == b)
		return true;
	if (!deep || !p || !q || p->kind != q->kind || !ir_has_trait(p, TRAIT_PURE) || p->region_count || a->type != b->type ||
	    p->operand_count != q->operand_count || p->result_count != 1 || !ir_same_attrs(p, q))
		return false;
	for (uint32_t i = 0; i < p->operand_count; i++)
		if (!same_value(ir_operand(p, i), ir_operand(q, i), deep - 1))
			return false;
	return true;
}

/* Are elements with different places different, as far as one can tell: sums and products of ranges and scalars? */
static bool is_sum(const IrValue *v, unsigned deep)
{
	const IrOp *op = v->def;
	if (!ir_is_tensor(v->type) || ir_constant_of(v))
		return true;
	if (!op || !deep)
		return false;
	if (op->kind == OP_MAKE_RANGE || op->kind == OP_SPLAT)
		return true;
	switch (op->kind) {
	case OP_ADDPTR:
	case OP_ADDI:
	case OP_SUBI:
	case OP_MULI:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI: break;
	default:
		if (!ir_has_trait(op, TRAIT_MOVE))
			return false;
	}
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!is_sum(ir_operand(op, i), deep - 1))
			return false;
	return true;
}

/* Elements in a row from a multiple of their number on, counted from what no loop changes. */
static bool is_block(const AxisMap *axis, const IrValue *pointers, int64_t size)
{
	const IrValue *v = pointers;
	for (unsigned deep = 0; deep < DEEP && is_in_loop(v); deep++) {
		const IrOp *op = v->def;
		if (op && (op->kind == OP_SPLAT || op->kind == OP_CONVERT_LAYOUT)) {
			v = ir_operand(op, 0);
			continue;
		}
		const AxisInfo *step = op && op->kind == OP_ADDPTR ? axis_of(axis, ir_operand(op, 1)) : NULL;
		if (!step || step->divisibility[0] < size)
			return false;
		v = ir_operand(op, 0);
	}
	return !is_in_loop(v);
}

static const AxisInfo *axis_info(GpuOrder *o, const IrValue *v)
{
	return axis_of(gpu_axis(o->cx), v);
}

enum { COPIES_OF_WARPS = 1, COPIES_OF_LANES = 2 };

/* Do several warps hold an element, or several CTAs? Or several lanes? A scalar all do. */
static uint64_t has_copies(GpuOrder *o, IrType pointers)
{
	uint64_t copies;
	if (!ir_is_tensor(pointers))
		return COPIES_OF_WARPS | COPIES_OF_LANES;
	if (map_get(&o->copies, map_key(pointers), &copies))
		return copies;
	const Layout *l = gpu_layout(o->gpu, pointers);
	copies = layout_free_bits(l, LAYOUT_WARP) || layout_free_bits(l, LAYOUT_BLOCK) ? COPIES_OF_WARPS : 0;
	copies |= layout_free_bits(l, LAYOUT_LANE) ? COPIES_OF_LANES : 0;
	map_put(&o->copies, map_key(pointers), copies);
	return copies;
}

static bool overtakes_load(GpuOrder *o, const IrValue *from, const IrValue *to, bool carried)
{
	if (has_copies(o, from->type) & COPIES_OF_WARPS || from->type != to->type || !same_value(from, to, OPERANDS) || !is_sum(from, OPERANDS))
		return true;
	const AxisInfo *info = axis_info(o, from);
	for (unsigned d = 0; info && d < info->rank; d++)
		if (info->constancy[d] > 1)
			return true;
	int64_t size = from->type->shape[0];
	return carried && is_in_loop(from) &&
	       !(from->type->rank == 1 && info && info->contiguity[0] >= size && is_block(gpu_axis(o->cx), from, size));
}

/* In an iteration of the loop around both, or in the next ones? */
static bool may_be_same(GpuOrder *o, const IrOp *first, const IrOp *then, bool carried)
{
	const IrValue *p = ir_operand(first, 0), *q = ir_operand(then, 0);
	bool same = gpu_may_be_same_place(o, p, q, NULL);
	for (const IrOp *loop = ir_parent_op(first); carried && !same && loop && loop->kind != OP_FUNC;
	     loop = ir_parent_op(loop))
		if (loop->kind == OP_FOR && ir_is_inside(then, loop))
			same = gpu_may_be_same_place(o, p, q, loop);
	return same;
}

/* A tile stored, and stored again or loaded in another layout: an element's accesses may be by two
 * threads, the first of which comes late. One layout gives each to the same thread. Atomic
 * operations do not disturb one another. */
static bool overtakes_in_layout(GpuOrder *o, const IrOp *first, const IrOp *then, bool carried)
{
	IrType a = ir_operand(first, 0)->type, b = ir_operand(then, 0)->type;
	bool both_atomic = first->kind != OP_STORE && is_store(then) && then->kind != OP_STORE;
	return !both_atomic && ir_is_tensor(a) && ir_is_tensor(b) && gpu_same_elements(a, b) &&
	       gpu_layout(o->gpu, a) != gpu_layout(o->gpu, b) && may_be_same(o, first, then, carried);
}

static bool overtakes_store(GpuOrder *o, const IrOp *store, const IrOp *load, bool carried)
{
	const IrValue *to = ir_operand(store, 0), *from = ir_operand(load, 0);
	if (!ir_is_tensor(to->type) || overtakes_in_layout(o, store, load, carried))
		return true;
	return has_copies(o, to->type) && from->type == to->type && may_be_same(o, store, load, carried);
}

static bool is_scalar_atomic(const IrOp *op)
{
	return op->kind != OP_LOAD && op->kind != OP_STORE && !ir_is_tensor(ir_operand(op, 0)->type);
}

bool gpu_releases(const GpuCx *gpu, const IrOp *op)
{
	bool atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
	int64_t sem = ir_get_int(op, gpu->ir, ATTR_SEM, SEM_ACQ_REL);
	return atomic && is_scalar_atomic(op) && (sem == SEM_RELEASE || sem == SEM_ACQ_REL);
}

/* They meet behind its acquire, and where all get the old value. */
static bool is_before_barrier(const GpuOrder *o, const IrOp *op)
{
	int64_t sem = ir_get_int(op, o->gpu->ir, ATTR_SEM, SEM_ACQ_REL);
	return is_scalar_atomic(op) && (op->results[0].uses || sem == SEM_ACQUIRE || sem == SEM_ACQ_REL);
}

/* ---- through tensor maps ---- */

/* The kernel's argument that a map's tensor begins at; NULL: not known. */
static const IrValue *base_of_map(const GpuCx *gpu, const IrValue *map, bool *of_pointers)
{
	/* What a role is given is what the op that starts it has. */
	while (map->block && map->block->region->op->kind == OP_WARP_PARTITIONS)
		map = ir_operand(ir_parent_op(map->block->region->op), map->index);
	const IrOp *func = map->block ? map->block->region->op : NULL;
	int64_t base = func && func->kind == OP_FUNC ? gpu_map_base(gpu, func, map->index) : -1;
	if (base < 0 || base >= map->block->arg_count)
		return NULL;
	*of_pointers = gpu_map_is_of_pointers(gpu, func, map->index);
	return map->block->args[base];
}

static bool is_by_map(const IrOp *op)
{
	return is_tensor_access(op) || op->kind == OP_DESC_LOAD || op->kind == OP_DESC_STORE ||
	       op->kind == OP_DESC_REDUCE;
}

const IrValue *gpu_access_base(const GpuCx *gpu, const IrOp *op)
{
	bool of_pointers;
	if (op->kind == OP_CALL)
		return NULL;
	return is_by_map(op) ? base_of_map(gpu, ir_operand(op, 0), &of_pointers)
			     : root_of(ir_operand(op, 0), NULL, DEEP);
}

/* NULL: it may be what any pointer reaches. */
static const IrValue *root_of_map(const GpuCx *gpu, const IrValue *map)
{
	bool of_pointers = false;
	const IrValue *base = base_of_map(gpu, map, &of_pointers);
	return of_pointers ? NULL : base;
}

bool gpu_global_access(const GpuCx *gpu, const IrOp *op, const IrValue **root)
{
	bool map = is_by_map(op);
	*root = NULL;
	if (!map && !gpu_is_global(op))
		return false;
	if (op->kind != OP_CALL)
		*root = map ? root_of_map(gpu, ir_operand(op, 0)) : root_of(ir_operand(op, 0), NULL, DEEP);
	return true;
}

static bool is_through_pointers(const IrOp *op)
{
	return op->kind != OP_CALL && !is_tensor_access(op);
}

static const GpuAccess *access_of(const GpuOrder *o, const IrOp *op)
{
	CONTRACT(op->id < o->cx->module->next_op);
	GpuAccess *a = &o->accesses[op->id];
	if (!a->is_there) {
		Accesses of_op = accesses_of(o, op);
		const IrValue *root = is_through_pointers(op) ? root_of(ir_operand(op, 0), NULL, DEEP) : NULL;
		const IrValue *base;
		gpu_global_access(o->gpu, op, &base);
		*a = (GpuAccess){root, base, true, is_tensor_access(op), of_op.loads, of_op.stores};
	}
	return a;
}

static bool same_root(const GpuOrder *o, const IrOp *first, const IrOp *then)
{
	const IrValue *a = access_of(o, first)->base, *b = access_of(o, then)->base;
	return !a || !b || a == b;
}

/* Has the kernel looked whether the loop around both stores what it loads (version_loops.c)? */
static bool are_disjoint(const GpuOrder *o, const IrOp *first, const IrOp *then)
{
	for (const IrOp *loop = ir_parent_op(first); loop && loop->kind != OP_FUNC; loop = ir_parent_op(loop))
		if (loop->kind == OP_FOR && ir_get_bool(loop, o->gpu->ir, ATTR_DISJOINT) &&
		    ir_is_inside(then, loop))
			return then->kind == OP_TMA_LOAD;
	return false;
}

/* The op itself or the one around it in this block; NULL: it is not there. */
static const IrOp *within(const IrOp *op, const IrBlock *block)
{
	while (op && op->block != block)
		op = ir_parent_op(op);
	return op;
}

/* Do they follow one another only as parts of different programs of one CTA, which do not see each
 * other's stores (gpu/loop/persist.h)? */
static bool are_of_two_programs(const GpuOrder *o, const IrOp *first, const IrOp *then)
{
	const IrOp *a = first, *b = NULL;
	while (a && a->block && !(b = within(then, a->block)))
		a = ir_parent_op(a);
	if (!b || (a == b && a != first && a->kind != OP_IF))
		return false;
	const IrOp *loop = ir_parent_op(a);
	while (loop && loop->kind == OP_IF)
		loop = ir_parent_op(loop);
	if (!loop || loop->kind != OP_FOR || !ir_get_bool(loop, o->gpu->ir, ATTR_PROGRAMS))
		return false;
	return a == b || o->start[a->id] > o->start[b->id];
}

bool gpu_crosses_proxies(const GpuOrder *o, const IrOp *first, const IrOp *then, bool told)
{
	return is_tensor_access(then) && !is_tensor_access(first) && !is_load(first) &&
	       (told || same_root(o, first, then)) && !are_disjoint(o, first, then) &&
	       !are_of_two_programs(o, first, then);
}

/* What one thread loads through a map is there for all that have waited, and stores wait for one another in that thread; a store and
 * what other threads do are apart only by their meeting. */
static bool tensor_overtakes(const GpuOrder *o, const IrOp *first, const IrOp *then)
{
	bool one_thread = is_tensor_access(first) && is_tensor_access(then);
	if (one_thread || first->kind == OP_TMA_LOAD || (is_load(first) && then->kind == OP_TMA_LOAD))
		return false;
	return same_root(o, first, then);
}

GpuOrder gpu_order_of(GpuCx *gpu, PassCx *cx, const IrOp *func)
{
	GpuOrder o = {.gpu = gpu, .cx = cx, .start = text_order(cx->scratch, cx->module, func).start,
		      .accesses = ARENA_ARRAY(cx->scratch, GpuAccess, cx->module->next_op)};
	map_init(&o.copies, cx->scratch);
	map_init(&o.places, cx->scratch);
	return o;
}

bool gpu_overtakes(GpuOrder *o, const IrOp *first, const IrOp *then, bool carried)
{
	const GpuAccess *x = access_of(o, first), *y = access_of(o, then);
	/* Their pointers begin at different places. */
	if (x->root && y->root && x->root != y->root)
		return false;
	bool tensor = x->tensor || y->tensor;
	if (!tensor && !(x->loads && y->stores) && !(x->stores && (y->loads || y->stores)))
		return false;
	if (are_of_two_programs(o, first, then))
		return false;
	if (tensor)
		return tensor_overtakes(o, first, then);
	if (!x->stores && gpu_num_warps(o->gpu, then) * o->gpu->num_ctas == 1)
		return false;
	if (first->kind == OP_CALL || then->kind == OP_CALL)
		return true;
	if (gpu_releases(o->gpu, then) || is_before_barrier(o, first))
		return false;
	const IrValue *p = ir_operand(first, 0), *q = ir_operand(then, 0);
	if (x->stores && y->stores)
		return overtakes_in_layout(o, first, then, carried);
	return is_store(then) ? overtakes_load(o, p, q, carried) : overtakes_store(o, first, then, carried);
}
