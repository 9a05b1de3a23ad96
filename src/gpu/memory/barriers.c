/* barriers: gpu.barrier where threads must wait for one another.
 *
 * Needs: allocation.offset on every op that has shared memory. Keeps: everything; adds gpu.barrier.
 *
 * A forward walk through the structured IR carries what is pending: bytes written, and bytes read, since all threads of the
 * region last met. An op that reads pending writes, or writes what is pending at all, gets a barrier before it; a
 * barrier empties the state. Loops are walked until what goes round adds nothing. Conditions are scalars, the same in all
 * threads, so a barrier may stand in any block. Each barrier that was found is then tried to be left out again, as one
 * found later may make it needless.
 *
 * Copies under way (cp.async) write when they are waited for: ttg.async_wait turns them into pending writes; those that it
 * may leave under way stay so as well. A copy to a slot of its own (neso.free_slot) needs a barrier behind the last wait, which
 * the writes that wait has made pending ask for, and none behind what was read since. Scratch follows the contract of memory.h: written first, a barrier inside,
 * read last; or each warp by itself, which only other ops can disturb.
 *
 * Products of warp groups read through another proxy: what threads (and their copies) have written must be fenced by those
 * threads before the barrier, or it may not be seen. Such bytes stay unfenced until a barrier that comes with a fence; barriers
 * get one where bytes that some product of the function reads are unfenced. A product that is under way reads until
 * a wait, which makes that a pending read; a free slot is none that a product under way reads.
 *
 * Copies by tensor maps (TMA) are the same: what threads did to bytes that one reads or writes, scratch included, must be fenced, and
 * so must their stores to a tensor that it looks at, which takes a fence of global memory too. What such a copy wrote needs no
 * barrier, as each thread waits for it (ttng.wait_barrier).
 *
 * Global memory: loads and stores are pending as well, as a store must not overtake what other warps still have to load, nor
 * a load what one thread stores for all (global_order.c).
 *
 * Regions with warps of their own are walked apart: all threads meet where they begin and end. */
#include "base/vec.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory_int.h"

/* Bytes [lo, hi). */
typedef struct Bytes {
	uint64_t lo, hi;
} Bytes;

typedef VEC(Bytes) Spans; /* apart and in order */

/* An op whose warps use their bytes each alone. */
typedef struct OwnWarp {
	const IrOp *op;
	const LayoutPlan *plan;
	Bytes span;
} OwnWarp;

/* A load or store of global memory. */
typedef struct Global {
	const IrOp *op;
	bool carried; /* by a loop, from an iteration before */
} Global;

typedef struct State {
	Spans written, read, under_way;
	Spans unfenced; /* written, and not fenced for products */
	Spans products; /* read by products that are under way */
	VEC(OwnWarp) own;
	VEC(Global) globals;
	VEC(Global) stores; /* of threads, not fenced for tensor maps */
} State;

enum { FENCE_SHARED = 1, FENCE_GLOBAL = 2 };

typedef struct Walk {
	PassCx *cx;
	GpuCx *gpu;
	Arena *arena;
	const GpuAliases *aliases;
	struct Effects **effects; /* by op id; NULL: not asked for yet */
	bool *marked;  /* by op id: a barrier before it */
	uint8_t *fenced; /* likewise: with a fence in front of it */
	Spans of_products; /* bytes that products and copies by tensor maps touch, anywhere */
	bool tensors;      /* there are copies by tensor maps */
	GpuOrder order;
	bool checking; /* nothing is marked; a hazard is only seen */
	bool hazard, grew;
} Walk;

/* ---- sets of bytes ---- */

static bool spans_touch(const Spans *s, Bytes x)
{
	for (uint32_t i = 0; i < s->len; i++) {
		if (s->data[i].lo < x.hi && x.lo < s->data[i].hi)
			return true;
	}
	return false;
}

static void spans_add(Arena *arena, Spans *s, Bytes x)
{
	uint32_t first = 0, past;
	if (x.lo >= x.hi)
		return;
	while (first < s->len && s->data[first].hi < x.lo)
		first++;
	for (past = first; past < s->len && s->data[past].lo <= x.hi; past++) {
		x.lo = MIN(x.lo, s->data[past].lo);
		x.hi = MAX(x.hi, s->data[past].hi);
	}
	if (past == first) {
		vec_push(arena, s, x);
		memmove(s->data + first + 1, s->data + first, (s->len - 1 - first) * sizeof x);
	} else {
		memmove(s->data + first + 1, s->data + past, (s->len - past) * sizeof x);
		s->len -= past - first - 1;
	}
	s->data[first] = x;
}

static bool spans_equal(const Spans *a, const Spans *b)
{
	return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len * sizeof *a->data) == 0);
}

static void spans_join(Arena *arena, Spans *to, const Spans *from)
{
	for (uint32_t i = 0; i < from->len; i++)
		spans_add(arena, to, from->data[i]);
}

/* ---- states ---- */

static void own_add(Arena *arena, State *s, OwnWarp own)
{
	for (uint32_t i = 0; i < s->own.len; i++) {
		if (s->own.data[i].op == own.op)
			return;
	}
	vec_push(arena, &s->own, own);
}

static void global_add(Arena *arena, State *s, Global global)
{
	for (uint32_t i = 0; i < s->globals.len; i++) {
		if (s->globals.data[i].op == global.op) {
			s->globals.data[i].carried |= global.carried;
			return;
		}
	}
	vec_push(arena, &s->globals, global);
}

static void store_add(Arena *arena, State *s, const IrOp *op)
{
	for (uint32_t i = 0; i < s->stores.len; i++) {
		if (s->stores.data[i].op == op)
			return;
	}
	vec_push(arena, &s->stores, (Global){op, false});
}

static void state_join(Arena *arena, State *to, const State *from)
{
	spans_join(arena, &to->written, &from->written);
	spans_join(arena, &to->read, &from->read);
	spans_join(arena, &to->under_way, &from->under_way);
	spans_join(arena, &to->unfenced, &from->unfenced);
	spans_join(arena, &to->products, &from->products);
	for (uint32_t i = 0; i < from->own.len; i++)
		own_add(arena, to, from->own.data[i]);
	for (uint32_t i = 0; i < from->globals.len; i++)
		global_add(arena, to, from->globals.data[i]);
	for (uint32_t i = 0; i < from->stores.len; i++)
		store_add(arena, to, from->stores.data[i].op);
}

static uint32_t carried(const State *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->globals.len; i++)
		n += s->globals.data[i].carried;
	return n;
}

static State state_copy(Arena *arena, const State *from)
{
	State s = {0};
	state_join(arena, &s, from);
	return s;
}

/* As sets: own ops and accesses of global memory are only ever added. */
static bool state_equal(const State *a, const State *b)
{
	return spans_equal(&a->written, &b->written) && spans_equal(&a->read, &b->read) &&
	       spans_equal(&a->under_way, &b->under_way) && spans_equal(&a->unfenced, &b->unfenced) &&
	       spans_equal(&a->products, &b->products) && a->own.len == b->own.len && a->globals.len == b->globals.len &&
	       carried(a) == carried(b) && a->stores.len == b->stores.len;
}

/* All threads meet. */
static void state_meet(State *s)
{
	s->written.len = s->read.len = s->own.len = s->globals.len = 0;
}

/* ---- what an op touches ---- */

typedef struct Touch {
	Bytes span;
	bool write, under_way;
	bool free_slot; /* of a buffer that nothing has read since the last wait: such reads are pending, but of other bytes */
} Touch;

typedef struct Effects {
	VEC(Touch) touches;
	bool scratch, own_warp;
	Bytes scratch_span;
	const LayoutPlan *plan;
	bool meets; /* all threads meet inside */
	bool product, async; /* async: goes on behind the op */
	bool tensor;         /* a copy by a tensor map */
} Effects;

/* The bytes of buffer `alloc` that a memdesc may be: all of it, or the one that constant indices choose. */
static Bytes bytes_of(const Walk *w, const IrValue *memory, const IrOp *alloc)
{
	uint64_t base = gpu_shared_offset(w->gpu, alloc), lo = base;
	Bytes whole = {base, base + gpu_memdesc_bytes(w->gpu, alloc->results[0].type)};
	for (const IrOp *view = memory->def; view != alloc; view = ir_operand(view, 0)->def) {
		int64_t index;
		if (!view)
			return whole;
		if (view->kind == OP_MEMDESC_INDEX && ir_constant_int(ir_operand(view, 1), &index))
			lo += (uint64_t)index * gpu_memdesc_bytes(w->gpu, view->results[0].type);
		else if (view->kind != OP_MEMDESC_TRANS && view->kind != OP_MEMDESC_RESHAPE)
			return whole;
	}
	return (Bytes){lo, lo + gpu_memdesc_bytes(w->gpu, memory->type)};
}

static void touch(const Walk *w, Effects *e, const IrValue *memory, bool write, bool under_way)
{
	for (uint32_t i = 0; i < w->aliases->count; i++) {
		if (gpu_may_be(w->aliases, memory, i))
			vec_push(w->arena, &e->touches,
				 (Touch){.span = bytes_of(w, memory, w->aliases->allocs[i]), .write = write, .under_way = under_way});
	}
}

static bool is_view(const IrOp *op)
{
	return op->kind == OP_MEMDESC_INDEX || op->kind == OP_MEMDESC_SUBSLICE || op->kind == OP_MEMDESC_TRANS ||
	       op->kind == OP_MEMDESC_RESHAPE || op->kind == OP_MEMDESC_REINTERPRET;
}

static void memory_effects(const Walk *w, const IrOp *op, Effects *e)
{
	switch (op->kind) {
	case OP_LOCAL_ALLOC:
		if (op->operand_count)
			touch(w, e, ir_result(op, 0), true, false);
		return;
	case OP_LOCAL_STORE:
		touch(w, e, ir_operand(op, 1), true, false);
		return;
	case OP_ASYNC_COPY:
		touch(w, e, ir_operand(op, 1), true, true);
		for (uint32_t i = 0; i < e->touches.len; i++)
			e->touches.data[i].free_slot = ir_get_bool(op, w->gpu->ir, ATTR_FREE_SLOT);
		return;
	case OP_TMA_LOAD:
	case OP_TMA_STORE:
	case OP_TMA_REDUCE:
		touch(w, e, ir_operand(op, 1), op->kind == OP_TMA_LOAD, false);
		for (uint32_t i = 0; i < e->touches.len; i++)
			e->touches.data[i].free_slot = ir_get_bool(op, w->gpu->ir, ATTR_FREE_SLOT);
		e->tensor = true;
		return;
	case OP_WAIT_BARRIER:
	case OP_WAIT_FREE:
	case OP_ARRIVE_BARRIER:
		touch(w, e, ir_operand(op, 0), false, false);
		return;
	case OP_INIT_BARRIER:
	case OP_INVAL_BARRIER:
		touch(w, e, ir_operand(op, 0), true, false);
		return;
	case OP_BARRIER_EXPECT: /* of the thread that made it */
	case OP_LOCAL_DEALLOC:
		return;
	case OP_WARP_GROUP_DOT:
		for (uint32_t i = 0; i < 2; i++)
			if (ir_operand(op, i)->type->kind == TY_MEMDESC)
				touch(w, e, ir_operand(op, i), false, false);
		e->product = true;
		e->async = ir_get_bool(op, w->gpu->ir, ATTR_IS_ASYNC);
		return;
	default:
		if (is_view(op) || ir_has_trait(op, TRAIT_TERM))
			return;
		for (uint32_t i = 0; i < op->operand_count; i++) {
			if (ir_operand(op, i)->type->kind != TY_MEMDESC)
				continue;
			touch(w, e, ir_operand(op, i), false, false);
			if (ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC))
				touch(w, e, ir_operand(op, i), true, false);
		}
	}
}

static Effects find_effects(const Walk *w, const IrOp *op)
{
	Effects e = {0};
	memory_effects(w, op, &e);
	GpuScratch scratch = gpu_scratch(w->gpu, op);
	if (scratch.bytes) {
		uint64_t lo = gpu_shared_offset(w->gpu, op);
		e.scratch = true;
		e.scratch_span = (Bytes){lo, lo + scratch.bytes};
		e.own_warp = scratch.own_warp;
		e.meets = !scratch.own_warp;
		if (op->kind == OP_CONVERT_LAYOUT && scratch.own_warp) {
			IrType from = ir_operand(op, 0)->type;
			e.plan = gpu_convert_plan(w->gpu, gpu_layout(w->gpu, from),
						  gpu_layout(w->gpu, op->results[0].type), from->elem);
		}
	}
	return e;
}

static const Effects *effects_of(Walk *w, const IrOp *op)
{
	Effects **e = &w->effects[op->id];
	if (!*e) {
		*e = ARENA_NEW(w->arena, Effects);
		**e = find_effects(w, op);
	}
	return *e;
}

/* ---- the walk ---- */

static bool meets_pending(const State *s, Bytes x, bool write)
{
	if (spans_touch(&s->written, x) || (write && spans_touch(&s->read, x)))
		return true;
	for (uint32_t i = 0; i < s->own.len; i++) {
		if (s->own.data[i].span.lo < x.hi && x.lo < s->own.data[i].span.hi)
			return true;
	}
	return false;
}

/* Warps that use their bytes alone do not disturb those of the same op, or of one with the same plan and place. */
static bool own_meets_pending(const State *s, const Effects *e, const IrOp *op)
{
	Bytes x = e->scratch_span;
	if (spans_touch(&s->written, x) || spans_touch(&s->read, x))
		return true;
	for (uint32_t i = 0; i < s->own.len; i++) {
		const OwnWarp *own = &s->own.data[i];
		bool same = own->op == op || (e->plan && own->plan == e->plan && own->span.lo == x.lo);
		if (!same && own->span.lo < x.hi && x.lo < own->span.hi)
			return true;
	}
	return false;
}

static bool overtakes(Walk *w, const State *s, const IrOp *op)
{
	for (uint32_t i = 0; gpu_is_global(op) && i < s->globals.len; i++) {
		if (gpu_overtakes(&w->order, s->globals.data[i].op, op, s->globals.data[i].carried))
			return true;
	}
	return false;
}

static bool is_hazard(const State *s, const Effects *e, const IrOp *op)
{
	for (uint32_t i = 0; i < e->touches.len; i++) {
		const Touch *t = &e->touches.data[i];
		bool unit = e->product || e->tensor;
		if (meets_pending(s, t->span, t->write && !t->free_slot) || (unit && spans_touch(&s->unfenced, t->span)))
			return true;
	}
	if (!e->scratch)
		return false;
	return e->own_warp ? own_meets_pending(s, e, op) : meets_pending(s, e->scratch_span, true);
}

/* Does a tensor map look at what threads have stored, and not fenced? */
static bool crosses_proxies(const Walk *w, const State *s, const IrOp *op)
{
	for (uint32_t i = 0; i < s->stores.len; i++) {
		if (gpu_crosses_proxies(&w->order, s->stores.data[i].op, op))
			return true;
	}
	return false;
}

/* The barrier in front of an op, with a fence where products or tensor maps need it. */
static void meet_before(Walk *w, const IrOp *op, State *s)
{
	uint8_t *fenced = &w->fenced[op->id];
	for (uint32_t i = 0; i < w->of_products.len && !*fenced; i++)
		*fenced = spans_touch(&s->unfenced, w->of_products.data[i]) ? FENCE_SHARED : 0;
	if (crosses_proxies(w, s, op))
		*fenced |= FENCE_SHARED | FENCE_GLOBAL;
	if (*fenced)
		s->unfenced.len = 0;
	if (*fenced & FENCE_GLOBAL)
		s->stores.len = 0;
	state_meet(s);
}

/* Products have ended: their reads are what all threads have to wait for. */
static void end_products(Walk *w, State *s, bool all)
{
	spans_join(w->arena, &s->read, &s->products);
	if (all)
		s->products.len = 0;
}

/* Ops that do nothing but wait. */
static bool walk_wait(Walk *w, const IrOp *op, State *s)
{
	switch (op->kind) {
	case OP_BARRIER:
		state_meet(s);
		return true;
	case OP_COMPUTE_FIRST:
	case OP_FENCE_ASYNC: /* its barrier follows; what the pass puts in front of one is walked again */
		return true;
	case OP_ASYNC_WAIT:
		spans_join(w->arena, &s->written, &s->under_way);
		spans_join(w->arena, &s->unfenced, &s->under_way);
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

static void add_touches(Walk *w, const Effects *e, State *s)
{
	for (uint32_t i = 0; i < e->touches.len; i++) {
		const Touch *t = &e->touches.data[i];
		if (e->tensor && t->write)
			continue;
		spans_add(w->arena, e->async ? &s->products : t->under_way ? &s->under_way : t->write ? &s->written : &s->read, t->span);
		if (t->write && !t->under_way)
			spans_add(w->arena, &s->unfenced, t->span);
	}
}

static void walk_plain(Walk *w, const IrOp *op, State *s)
{
	if (walk_wait(w, op, s))
		return;
	const Effects *e = effects_of(w, op);
	if (w->marked[op->id])
		meet_before(w, op, s);
	if (is_hazard(s, e, op) || overtakes(w, s, op) || crosses_proxies(w, s, op)) {
		w->hazard = true;
		if (!w->checking) {
			w->grew = w->marked[op->id] = true;
			meet_before(w, op, s);
		}
	}
	if (e->meets) {
		/* The threads of a CTA alone. */
		uint32_t globals = w->gpu->num_ctas > 1 ? s->globals.len : 0;
		state_meet(s);
		s->globals.len = globals;
	}
	add_touches(w, e, s);
	if (e->product && !e->async)
		end_products(w, s, true);
	if (gpu_is_global(op))
		global_add(w->arena, s, (Global){op, false});
	if (w->tensors && e->scratch)
		spans_add(w->arena, &s->unfenced, e->scratch_span);
	if (w->tensors && gpu_is_global(op) && op->kind != OP_LOAD)
		store_add(w->arena, s, op);
	if (e->own_warp)
		own_add(w->arena, s, (OwnWarp){op, e->plan, e->scratch_span});
	else if (e->scratch)
		spans_add(w->arena, &s->read, e->scratch_span);
}

static void walk_region(Walk *w, const IrRegion *region, State *s);

/* `enter` is the state at the loop; on return *s is that where it ends. */
static void walk_loop(Walk *w, const IrOp *op, State *s)
{
	State enter = state_copy(w->arena, s);
	for (;;) {
		State round = state_copy(w->arena, &enter), joined;
		walk_region(w, &op->regions[0], &round);
		*s = op->kind == OP_FOR ? state_copy(w->arena, &enter) : state_copy(w->arena, &round);
		if (op->kind == OP_WHILE)
			walk_region(w, &op->regions[1], &round);
		for (uint32_t i = 0; i < round.globals.len; i++)
			round.globals.data[i].carried = true;
		joined = state_copy(w->arena, &enter);
		state_join(w->arena, &joined, &round);
		if (op->kind == OP_FOR)
			state_join(w->arena, s, &round);
		if (state_equal(&joined, &enter))
			return;
		enter = joined;
	}
}

static void walk_specialize(Walk *w, const IrOp *op, State *s)
{
	const IrOp *holder = op->regions[1].first ? op->regions[1].first->last : NULL;
	State inside = {0};
	state_meet(s);
	walk_region(w, &op->regions[0], &inside);
	for (uint32_t r = 0; holder && r < holder->region_count; r++) {
		inside = (State){0};
		walk_region(w, &holder->regions[r], &inside);
	}
}

static void walk_region(Walk *w, const IrRegion *region, State *s)
{
	for (const IrBlock *block = region->first; block; block = block->next) {
		for (const IrOp *op = block->first; op; op = op->next) {
			if (op->kind == OP_FOR || op->kind == OP_WHILE) {
				walk_loop(w, op, s);
			} else if (op->kind == OP_IF) {
				State otherwise = state_copy(w->arena, s);
				walk_region(w, &op->regions[0], s);
				walk_region(w, &op->regions[1], &otherwise);
				state_join(w->arena, s, &otherwise);
			} else if (op->kind == OP_WARP_SPECIALIZE) {
				walk_specialize(w, op, s);
			} else {
				walk_plain(w, op, s);
			}
		}
	}
}

/* A kernel starts with nothing pending; a function that is called may follow itself. */
static void walk_func(Walk *w, const IrOp *func, const Spans *before)
{
	State s = {0};
	spans_join(w->arena, &s.written, before);
	walk_region(w, &func->regions[0], &s);
}

typedef struct Collect {
	Walk *w;
	Spans bytes;
	VEC(IrOp *) ops;
} Collect;

static bool collect_bytes(void *data, IrOp *op)
{
	Collect *c = data;
	uint64_t lo = gpu_shared_offset(c->w->gpu, op), size = gpu_scratch(c->w->gpu, op).bytes;
	if (op->kind == OP_LOCAL_ALLOC)
		size = gpu_memdesc_bytes(c->w->gpu, op->results[0].type);
	spans_add(c->w->arena, &c->bytes, (Bytes){lo, lo + size});
	return true;
}

static bool collect_products(void *data, IrOp *op)
{
	Walk *w = data;
	bool tensor = op->kind == OP_TMA_LOAD || op->kind == OP_TMA_STORE || op->kind == OP_TMA_REDUCE;
	const Effects *e = tensor || op->kind == OP_WARP_GROUP_DOT ? effects_of(w, op) : NULL;
	w->tensors |= tensor;
	for (uint32_t i = 0; e && i < e->touches.len; i++)
		spans_add(w->arena, &w->of_products, e->touches.data[i].span);
	return true;
}

static bool collect_marked(void *data, IrOp *op)
{
	Collect *c = data;
	if (c->w->marked[op->id])
		vec_push(c->w->arena, &c->ops, op);
	return true;
}

static bool is_kernel(const Walk *w, const IrOp *func)
{
	IrAttr visibility = ir_get(func, w->gpu->ir, ATTR_SYM_VISIBILITY);
	return !visibility || strcmp(visibility->text, "private") != 0;
}

static void fence(const Walk *w, IrBuilder *b, unsigned fences)
{
	IrOp *op = irb_op(b, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(b->m, op, ATTR_FENCE_CLUSTER, ir_attr_bool(w->gpu->ir, false));
	if (fences & FENCE_GLOBAL)
		ir_set(b->m, op, ATTR_GLOBAL, ir_attr_unit(w->gpu->ir));
}

static bool insert_in(PassCx *cx, IrOp *func)
{
	Walk w = {.cx = cx, .gpu = gpu_of(cx), .arena = cx->scratch};
	w.order = (GpuOrder){.gpu = w.gpu, .cx = cx};
	Collect c = {.w = &w};
	Spans before = {0};
	w.aliases = gpu_aliases_in(cx, func);
	w.effects = ARENA_ARRAY(cx->scratch, Effects *, cx->module->next_op);
	w.marked = ARENA_ARRAY(cx->scratch, bool, cx->module->next_op);
	w.fenced = ARENA_ARRAY(cx->scratch, uint8_t, cx->module->next_op);
	ir_walk(func, false, collect_products, &w);
	if (!is_kernel(&w, func)) {
		ir_walk(func, false, collect_bytes, &c);
		before = c.bytes;
	}
	do {
		w.grew = false;
		walk_func(&w, func, &before);
	} while (w.grew);
	ir_walk(func, false, collect_marked, &c);
	w.checking = true;
	for (uint32_t i = 0; i < c.ops.len; i++) {
		bool *mark = &w.marked[c.ops.data[i]->id];
		*mark = w.hazard = false;
		walk_func(&w, func, &before);
		*mark = w.hazard;
		if (w.hazard) {
			IrBuilder b = ir_at(cx->module, c.ops.data[i]);
			if (w.fenced[c.ops.data[i]->id])
				fence(&w, &b, w.fenced[c.ops.data[i]->id]);
			irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
		}
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
