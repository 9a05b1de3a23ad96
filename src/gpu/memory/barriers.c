/* barriers: inserts gpu.barrier wherever threads must wait for one another.
 *
 * Needs: allocation.offset on every op that has shared memory. Keeps: everything; adds
 * gpu.barrier.
 *
 * A forward dataflow walk over the structured IR carries what is pending: the bytes written, and
 * the bytes read, since all threads of the region last synchronised. An op that reads pending
 * writes, or that writes pending bytes, gets a barrier in front; a barrier clears the state. Loops
 * are walked to a fixed point. Conditions are uniform scalars, so a barrier may stand in any
 * block. Afterwards the pass tries to drop each barrier again, as a later one may have made it
 * redundant (barrier_trials.c).
 *
 * Asynchronous copies (cp.async) write when they are waited for: ttg.async_wait turns them into
 * pending writes, and those that it may leave in flight stay so. A copy to a free slot
 * (neso.free_slot) needs a barrier behind the last wait, which the pending writes of that wait ask
 * for, and none for what was read since. Scratch follows the contract of memory.h: written first,
 * a barrier inside, read last; or each warp on its own, so that only other ops can conflict with
 * it.
 *
 * wgmma reads shared memory through the async proxy: what threads (and their cp.async copies)
 * wrote must be fenced by those threads before the barrier, or it may not be visible. Such bytes
 * stay unfenced until a barrier with a fence; a barrier gets a fence where bytes are unfenced that
 * some wgmma of the function reads, unless a later barrier has it. A wgmma in flight reads until
 * the wait, which turns that into a pending read; a free slot is never one that a wgmma in flight
 * reads.
 *
 * TMA copies need the same: bytes that they read or write must be fenced by the threads that
 * touched them before, scratch included, and so must stores to a tensor that the copy reads, which
 * takes a fence of global memory; in front of a barrier of the author's stores to any argument, as
 * two may be one tensor. What a TMA copy wrote needs no barrier, as every thread waits
 * for it (ttng.wait_barrier); nor do threads' copies whose arrival is counted at a barrier in
 * memory (neso.counted), as each thread fences its own.
 *
 * Global memory (GpuPendingGlobal): loads and stores are pending too. A store must not overtake
 * loads that other warps still have to do, nor a load overtake a store that one thread does for
 * all (global_order.c).
 *
 * Warp-specialised regions are walked separately: all threads meet where they begin and end. */
#include "gpu/analysis/late.h"
#include "gpu/memory/barriers_int.h"

/* ---- the walk ---- */

static bool meets_pending(const GpuPending *s, GpuBytes x, bool write)
{
	if (gpu_spans_touch(&s->written, x) || (write && gpu_spans_touch(&s->read, x)))
		return true;
	for (uint32_t i = 0; i < s->own.len; i++) {
		if (s->own.data[i].span.lo < x.hi && x.lo < s->own.data[i].span.hi)
			return true;
	}
	return false;
}

/* Warps that use their bytes alone do not disturb those of the same op, or of one with the same plan and place. */
static bool own_meets_pending(const GpuPending *s, const GpuEffects *e, const IrOp *op)
{
	GpuBytes x = e->scratch_span;
	if (gpu_spans_touch(&s->written, x) || gpu_spans_touch(&s->read, x))
		return true;
	for (uint32_t i = 0; i < s->own.len; i++) {
		const GpuOwnWarp *own = &s->own.data[i];
		bool same = own->op == op || (e->plan && own->plan == e->plan && own->span.lo == x.lo);
		if (!same && own->span.lo < x.hi && x.lo < own->span.hi)
			return true;
	}
	return false;
}

static bool overtakes(GpuBarriers *w, const GpuPending *s, const IrOp *op)
{
	bool looked_at = gpu_is_global(op) && !w->gpu->portable_order;
	for (uint32_t i = 0; looked_at && i < s->globals.len; i++) {
		if (gpu_overtakes(&w->order, s->globals.data[i].op, op, s->globals.data[i].carried))
			return true;
	}
	return false;
}

static bool is_hazard(const GpuPending *s, const GpuEffects *e, const IrOp *op)
{
	for (uint32_t i = 0; i < e->touches.len; i++) {
		const GpuTouch *t = &e->touches.data[i];
		bool unit = e->product || e->tensor;
		if (meets_pending(s, t->span, t->write && !t->free_slot) || (unit && gpu_spans_touch(&s->unfenced, t->span)))
			return true;
	}
	if (!e->scratch)
		return false;
	return e->own_warp ? own_meets_pending(s, e, op) : meets_pending(s, e->scratch_span, true);
}

/* Does a tensor map look at what threads have stored, and not fenced? */
static bool crosses_proxies(const GpuBarriers *w, const GpuPending *s, const IrOp *op)
{
	for (uint32_t i = 0; i < s->stores.len; i++) {
		if (gpu_crosses_proxies(&w->order, s->stores.data[i].op, op, s->stores.data[i].told))
			return true;
	}
	return false;
}

/* The barrier in front of an op, with a fence where products or tensor maps need it. */
static void meet_before(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	uint8_t *fenced = &w->fenced[op->id], was = *fenced;
	for (uint32_t i = 0; i < w->of_products.len && !*fenced && !w->fences_stay; i++)
		if (gpu_spans_touch(&s->unfenced, w->of_products.data[i]))
			*fenced = GPU_FENCE_SHARED;
	if (!w->fences_stay && crosses_proxies(w, s, op))
		*fenced |= GPU_FENCE_SHARED | GPU_FENCE_GLOBAL;
	if (*fenced != was)
		vec_push(w->arena, &w->changes, (GpuFenceChange){op->id, was});
	if (*fenced)
		s->unfenced.len = 0;
	if (*fenced & GPU_FENCE_GLOBAL)
		s->stores.len = 0;
	gpu_pending_meet(s);
}

/* Products have ended: their reads are what all threads have to wait for. */
static void end_products(GpuBarriers *w, GpuPending *s, bool all)
{
	gpu_spans_join(w->arena, &s->read, &s->products);
	if (all)
		s->products.len = 0;
}

/* Ops that do nothing but wait. */
static bool walk_wait(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	switch (op->kind) {
	case OP_BARRIER:
		for (uint32_t i = 0; i < s->stores.len; i++)
			s->stores.data[i].told |= ir_get(op, w->gpu->ir, ATTR_GLOBAL) != NULL;
		gpu_pending_meet(s);
		return true;
	case OP_CLUSTER_BARRIER:
		gpu_pending_meet(s);
		return true;
	case OP_FENCE_ASYNC: /* a barrier follows, as what was written is pending still */
		s->unfenced.len = 0;
		return true;
	case OP_COMPUTE_FIRST: return true;
	case OP_ASYNC_WAIT:
		gpu_spans_join(w->arena, &s->written, &s->under_way);
		gpu_spans_join(w->arena, &s->unfenced, &s->under_way);
		if (ir_get_int(op, w->gpu->ir, ATTR_NUM, 0) == 0)
			s->under_way.len = 0;
		return true;
	case OP_WARP_GROUP_DOT_WAIT:
		end_products(w, s, ir_get_int(op, w->gpu->ir, ATTR_PENDINGS, 0) == 0);
		return true;
	default:
		return false;
	}
}

static void add_touches(GpuBarriers *w, const GpuEffects *e, GpuPending *s)
{
	for (uint32_t i = 0; i < e->touches.len; i++) {
		const GpuTouch *t = &e->touches.data[i];
		if ((e->tensor && t->write) || e->counted)
			continue;
		gpu_spans_add(w->arena, e->async ? &s->products : t->under_way ? &s->under_way : t->write ? &s->written : &s->read, t->span);
		if (t->write && !t->under_way)
			gpu_spans_add(w->arena, &s->unfenced, t->span);
	}
}

/* Where the barrier goes that an op needs. Products read operands part by part beside them (wgmma.h):
 * with a barrier in between, all would have to be in registers, which the next iteration fills again
 * while the product is under way. */
static const IrOp *barrier_spot(const GpuBarriers *w, const IrOp *op)
{
	for (uint32_t i = 0; op->kind == OP_WARP_GROUP_DOT && i < 2; i++) {
		const IrOp *read = gpu_late_read(op, ir_operand(op, i));
		if (read && !w->marked[read->id])
			return read;
	}
	return op;
}

static void walk_plain(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	if (walk_wait(w, op, s))
		return;
	const GpuEffects *e = gpu_effects_of(w, op);
	if (w->marked[op->id])
		meet_before(w, op, s);
	if (is_hazard(s, e, op) || overtakes(w, s, op) || crosses_proxies(w, s, op)) {
		w->hazard = true;
		if (!w->checking) {
			const IrOp *spot = barrier_spot(w, op);
			w->grew = w->marked[spot->id] = true;
			meet_before(w, spot, s);
		}
	}
	if (e->meets) {
		/* The threads of a CTA alone. */
		uint32_t globals = w->gpu->num_ctas > 1 ? s->globals.len : 0;
		gpu_pending_meet(s);
		s->globals.len = globals;
	}
	add_touches(w, e, s);
	if (e->product && !e->async)
		end_products(w, s, true);
	if (gpu_is_global(op))
		gpu_pending_add_global(w->arena, s, (GpuPendingGlobal){op, false, false});
	if (w->tensors && e->scratch)
		gpu_spans_add(w->arena, &s->unfenced, e->scratch_span);
	if (w->tensors && gpu_is_global(op) && op->kind != OP_LOAD && op->kind != OP_ASYNC_COPY)
		gpu_pending_add_store(w->arena, s, op, false);
	if (e->own_warp)
		gpu_pending_add_own(w->arena, s, (GpuOwnWarp){op, e->plan, e->scratch_span});
	else if (e->scratch)
		gpu_spans_add(w->arena, &s->read, e->scratch_span);
}

/* Nothing but whether there is a hazard is asked, and there is one. */
static bool is_settled(const GpuBarriers *w)
{
	return w->checking && w->hazard;
}

static bool is_tensor_copy(const IrOp *op)
{
	return op->kind == OP_TMA_LOAD || op->kind == OP_TMA_STORE || op->kind == OP_TMA_STORE_ROWS ||
	       op->kind == OP_TMA_REDUCE;
}

static bool reads_by_proxy(const IrOp *op)
{
	return is_tensor_copy(op) || op->kind == OP_WARP_GROUP_DOT;
}

typedef struct Unfenced {
	GpuBarriers *w;
	const GpuPending *s;
	bool found;
} Unfenced;

static bool visit_unfenced(void *data, IrOp *op)
{
	Unfenced *u = data;
	const GpuEffects *e = reads_by_proxy(op) ? gpu_effects_of(u->w, op) : NULL;
	for (uint32_t i = 0; e && i < e->touches.len; i++)
		u->found |= gpu_spans_touch(&u->s->unfenced, e->touches.data[i].span);
	return !u->found;
}

/* Records a hazard in front of the op; true if a barrier may be inserted there. */
static bool mark(GpuBarriers *w, const IrOp *op)
{
	w->hazard = true;
	if (w->checking)
		return false;
	w->grew |= !w->marked[op->id];
	w->marked[op->id] = true;
	return true;
}

/* What threads wrote in front of a loop for its products is fenced there, once, and not in each
 * iteration. */
static void fence_loop(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	Unfenced u = {w, s, false};
	if (w->marked[op->id])
		meet_before(w, op, s);
	ir_walk((IrOp *)(uintptr_t)op, false, visit_unfenced, &u);
	if (u.found && mark(w, op))
		meet_before(w, op, s);
}

GpuPending gpu_barriers_head(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	fence_loop(w, op, s);
	GpuPending enter = gpu_pending_copy(w->arena, s);
	while (!is_settled(w)) {
		GpuPending round = gpu_pending_copy(w->arena, &enter), joined;
		gpu_barriers_walk_region(w, &op->regions[0], &round);
		*s = op->kind == OP_FOR ? gpu_pending_copy(w->arena, &enter) : gpu_pending_copy(w->arena, &round);
		if (op->kind == OP_WHILE)
			gpu_barriers_walk_region(w, &op->regions[1], &round);
		for (uint32_t i = 0; i < round.globals.len; i++)
			round.globals.data[i].carried = true;
		joined = gpu_pending_copy(w->arena, &enter);
		gpu_pending_join(w->arena, &joined, &round);
		if (op->kind == OP_FOR)
			gpu_pending_join(w->arena, s, &round);
		if (gpu_pending_equal(&joined, &enter))
			return enter;
		enter = joined;
	}
	return enter;
}

/* One of the regions: what it wrote and did not fence is so behind the op too. */
static void walk_role(GpuBarriers *w, const IrRegion *region, GpuPending *s)
{
	GpuPending inside = {0};
	gpu_barriers_walk_region(w, region, &inside);
	gpu_spans_join(w->arena, &s->unfenced, &inside.unfenced);
	for (uint32_t i = 0; i < inside.stores.len; i++)
		gpu_pending_add_store(w->arena, s, inside.stores.data[i].op, inside.stores.data[i].told);
}

/* Copies of the regions may reach what threads wrote before: a fence in front of the op, with a
 * barrier. */
static void fence_roles(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	bool unfenced = s->stores.len > 0;
	for (uint32_t i = 0; i < w->of_products.len; i++)
		unfenced |= gpu_spans_touch(&s->unfenced, w->of_products.data[i]);
	if (w->marked[op->id])
		meet_before(w, op, s);
	if (!unfenced || !w->tensors || !mark(w, op))
		return;
	w->fenced[op->id] |= GPU_FENCE_SHARED | (s->stores.len ? GPU_FENCE_GLOBAL : 0);
	meet_before(w, op, s);
}

static void walk_specialize(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	CONTRACT(op->region_count);
	const IrOp *holder = op->regions[1].first ? op->regions[1].first->last : NULL;
	fence_roles(w, op, s);
	gpu_pending_meet(s);
	walk_role(w, &op->regions[0], s);
	for (uint32_t r = 0; holder && r < holder->region_count; r++)
		walk_role(w, &holder->regions[r], s);
}

void gpu_barriers_walk_op(GpuBarriers *w, const IrOp *op, GpuPending *s)
{
	GpuPending otherwise;
	switch (op->kind) {
	case OP_FOR:
	case OP_WHILE: gpu_barriers_head(w, op, s); return;
	case OP_IF:
		otherwise = gpu_pending_copy(w->arena, s);
		gpu_barriers_walk_region(w, &op->regions[0], s);
		gpu_barriers_walk_region(w, &op->regions[1], &otherwise);
		gpu_pending_join(w->arena, s, &otherwise);
		return;
	case OP_WARP_SPECIALIZE: walk_specialize(w, op, s); return;
	default: walk_plain(w, op, s);
	}
}

void gpu_barriers_walk_region(GpuBarriers *w, const IrRegion *region, GpuPending *s)
{
	for (const IrBlock *block = region->first; block; block = block->next)
		for (const IrOp *op = block->first; op && !is_settled(w); op = op->next)
			gpu_barriers_walk_op(w, op, s);
}

/* A kernel starts with nothing pending; a function that is called may follow itself. */
static GpuPending at_entry(GpuBarriers *w, const GpuSpans *before)
{
	GpuPending s = {0};
	gpu_spans_join(w->arena, &s.written, before);
	return s;
}

typedef struct Collect {
	GpuBarriers *w;
	GpuSpans bytes;
	VEC(IrOp *) ops;
} Collect;

static bool collect_bytes(void *data, IrOp *op)
{
	Collect *c = data;
	uint64_t lo = gpu_shared_offset(c->w->gpu, op), size = gpu_scratch(c->w->gpu, op).bytes;
	if (op->kind == OP_LOCAL_ALLOC)
		size = gpu_memdesc_bytes(c->w->gpu, op->results[0].type);
	gpu_spans_add(c->w->arena, &c->bytes, (GpuBytes){lo, lo + size});
	return true;
}

static bool collect_products(void *data, IrOp *op)
{
	GpuBarriers *w = data;
	const GpuEffects *e = reads_by_proxy(op) ? gpu_effects_of(w, op) : NULL;
	w->tensors |= is_tensor_copy(op);
	for (uint32_t i = 0; e && i < e->touches.len; i++)
		gpu_spans_add(w->arena, &w->of_products, e->touches.data[i].span);
	return true;
}

static bool collect_marked(void *data, IrOp *op)
{
	Collect *c = data;
	if (c->w->marked[op->id])
		vec_push(c->w->arena, &c->ops, op);
	return true;
}

static void fence(const GpuBarriers *w, IrBuilder *b, unsigned fences)
{
	IrOp *op = irb_op(b, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(b->m, op, ATTR_FENCE_CLUSTER, ir_attr_bool(w->gpu->ir, false));
	if (fences & GPU_FENCE_GLOBAL)
		ir_set(b->m, op, ATTR_GLOBAL, ir_attr_unit(w->gpu->ir));
}

/* Marks what needs a barrier before it, until nothing more does. */
static void mark_all(GpuBarriers *w, const IrOp *func, const GpuSpans *before)
{
	CONTRACT(func->region_count);
	w->checking = false;
	do {
		GpuPending s = at_entry(w, before);
		w->grew = w->hazard = false;
		gpu_barriers_walk_region(w, &func->regions[0], &s);
	} while (w->grew);
}

static bool insert_in(PassCx *cx, IrOp *func)
{
	GpuBarriers w = {.cx = cx, .gpu = gpu_of(cx), .arena = cx->scratch};
	w.order = gpu_order_of(w.gpu, cx, func);
	Collect c = {.w = &w};
	GpuSpans before = {0};
	w.aliases = gpu_aliases_in(cx, func);
	w.effects = ARENA_ARRAY(cx->scratch, GpuEffects *, cx->module->next_op);
	w.marked = ARENA_ARRAY(cx->scratch, bool, cx->module->next_op);
	w.fenced = ARENA_ARRAY(cx->scratch, uint8_t, cx->module->next_op);
	ir_walk(func, false, collect_products, &w);
	if (!ir_func_is_public(func, w.gpu->ir)) {
		ir_walk(func, false, collect_bytes, &c);
		before = c.bytes;
	}
	mark_all(&w, func, &before);
	ir_walk(func, false, collect_marked, &c);
	GpuPending entry = at_entry(&w, &before);
	gpu_barriers_leave_out(&w, func, &entry, c.ops.data, c.ops.len);
	/* Fences that only barriers asked for which are left out. */
	memset(w.fenced, 0, cx->module->next_op);
	mark_all(&w, func, &before);
	c.ops.len = 0;
	ir_walk(func, false, collect_marked, &c);
	gpu_barriers_leave_out_fences(&w, func, &entry, c.ops.data, c.ops.len);
	for (uint32_t i = 0; i < c.ops.len; i++) {
		IrBuilder b = ir_at(cx->module, c.ops.data[i]);
		if (w.fenced[c.ops.data[i]->id])
			fence(&w, &b, w.fenced[c.ops.data[i]->id]);
		irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	}
	return c.ops.len > 0;
}

bool pass_barriers(PassCx *cx, bool *changed)
{
	for (IrOp *func = ir_module_block(cx->module)->first; func; func = func->next) {
		if (func->kind == OP_FUNC && ir_func_body(func) && insert_in(cx, func))
			*changed = true;
	}
	return true;
}
