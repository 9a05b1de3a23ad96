/* relieve-registers: spills tiles to shared memory where a thread would hold more than its
 * registers. The assembler would spill to local memory instead, a word at a time and often twice.
 *
 * Needs: TTGIR with its final layouts, behind `pipeline` and the passes that move products. Keeps:
 * values, and the order of effects on global memory except that loads may run later. Method: at
 * the op with the highest register pressure, take the largest tile that is live across it and can
 * be relieved in one of the ways below; then start again.
 *
 *	again   the tile was read from shared memory that is not overwritten before its last use:
 *	        read it again
 *	copied  it was loaded, once in its block: cp.async brings it to shared memory, so it takes
 *	        no registers while in flight either
 *	stored  all its users convert it through shared memory anyway: store it once, and let each
 *	        user read it in its own layout
 *	kept    each thread stores its own part and reads it back where it is needed, without a
 *	        barrier. Also for values from in front of a loop
 *	carried a loop-carried value that is used and updated in one place stays in shared memory
 *	        across iterations: each thread reads its own part and stores it back
 *
 * The last four take shared memory. They may not cost a resident CTA on an SM, except that a tile
 * that is a large part of the excess may cost one in four. */
#include "gpu/analysis/pressure.h"
#include "gpu/pass/move_early.h"
#include "gpu/pass/relieve.h"

enum {
	MOST_STEPS = 96,
	LEAST_WORDS = 8, /* of a tile that is worth it */
};

static bool look(void *data, IrOp *op)
{
	Relief *r = data;
	switch (op->kind) {
	case OP_WARP_SPECIALIZE:
	case OP_ARRIVE_BARRIER:
	case OP_WAIT_FREE: r->stays = true; return true;
	case OP_ASYNC_COMMIT: vec_push(r->cx->scratch, &r->commits, op); return true;
	default: return true;
	}
}

/* ---- what is held ---- */

/* Is a tile as a whole made, moved or tested here? Ops that take element by element are done so:
 * what stands between two of them holds no whole tiles. */
static bool takes_whole_tiles(const IrOp *op)
{
	return schedule_is_dot(op) || op->kind == OP_CONVERT_LAYOUT || op->kind == OP_REDUCE ||
	       op->kind == OP_SCAN || op->kind == OP_LOCAL_ALLOC || op->region_count;
}

/* Those ops by their places. */
static void look_for_whole(Relief *r, const GpuHeld *held)
{
	uint32_t count = 2 * r->m->next_op + 2, next = UINT32_MAX;
	r->whole = ARENA_ARRAY(r->cx->scratch, uint32_t, count);
	memset(r->whole, 0xff, count * sizeof *r->whole);
	for (uint32_t i = 0; i < held->count; i++)
		if (takes_whole_tiles(held->ops[i]))
			r->whole[relieve_place(r, held->ops[i])] = relieve_place(r, held->ops[i]);
	for (uint32_t i = count; i-- > 0;)
		r->whole[i] = next = MIN(next, r->whole[i]);
}

/* Is the value needed behind `peak`, and not by it, nor soon? What goes through a wait for products
 * stays in its registers: they read it, or add to it. */
static bool waits(const Relief *r, const IrValue *v, const IrOp *peak)
{
	uint32_t at = relieve_place(r, peak), next = UINT32_MAX;
	for (const IrUse *u = v->uses; u; u = u->next) {
		uint32_t n = relieve_place(r, u->owner);
		if (u->owner == peak || u->owner->kind == OP_WARP_GROUP_DOT_WAIT)
			return false;
		next = n > at ? MIN(next, n) : next;
	}
	return next != UINT32_MAX && r->whole[at] < next;
}

/* Is the value, which is there before the loop, needed in or behind it, but neither by `peak`
 * nor in loops that run more often? */
static bool waits_around(const Relief *r, const IrValue *v, const IrOp *around, const IrOp *peak)
{
	bool any = false;
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *loop = relieve_loop_of(u->owner);
		if (u->owner == peak || u->owner == around ||
		    (ir_is_inside(u->owner, around) && !ir_is_inside(peak, loop)))
			return false;
		any |= relieve_place(r, u->owner) > relieve_place(r, around);
	}
	return any;
}

/* What is known of a value: its registers, and what relieve_way said of it. */
typedef struct Known {
	const IrOp *around;
	unsigned words;
	Way way;
	bool is_there, is_measured;
} Known;

static unsigned words_of(Relief *r, const IrValue *v)
{
	Known *known = &r->known[v->id];
	if (!known->is_measured)
		known->words = ir_is_tensor(v->type) ? gpu_words(r->gpu, v->type) : 0;
	known->is_measured = true;
	return known->words;
}

static Way way_of(Relief *r, const IrValue *v, const IrOp *around)
{
	Known *known = &r->known[v->id];
	if (!known->is_there || known->around != around)
		known->way = relieve_way(r, v, around);
	known->around = around;
	known->is_there = true;
	return known->way;
}

static void consider(Relief *r, IrOp *op, const IrOp *around, const IrOp *peak, Candidate *best)
{
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrValue *v = &op->results[i];
		unsigned words = words_of(r, v);
		if (words < LEAST_WORDS || words <= best->words || ir_is_ptr(v->type->elem) ||
		    !(around ? waits_around(r, v, around, peak) : waits(r, v, peak)))
			continue;
		Way way = way_of(r, v, around);
		if (way)
			*best = (Candidate){v, around, way, words};
	}
}

static void consider_carried(Relief *r, const IrOp *loop, const IrOp *peak, Candidate *best)
{
	const IrBlock *body = loop->regions[0].first;
	for (uint32_t i = 1; i < body->arg_count; i++) {
		unsigned words = words_of(r, body->args[i]);
		if (words > best->words && relieve_can_carry(r, loop, i, peak))
			*best = (Candidate){body->args[i], loop, CARRIED, words};
	}
}

/* What is made in a loop around stays there from iteration to iteration, and what is made in front
 * of one all the time that it runs. */
static Candidate find(Relief *r, const IrOp *peak)
{
	Candidate best = {0};
	IrOp *at = (IrOp *)(uintptr_t)peak, *around = NULL;
	while (at && at->block && at->kind != OP_FUNC) {
		for (IrOp *op = at->block->first; op != at; op = op->next)
			consider(r, op, around, peak, &best);
		at = ir_parent_op(at);
		if (at && at->kind == OP_FOR && !around && !best.way)
			consider_carried(r, at, peak, &best);
		if (at && at->kind != OP_IF)
			around = at;
	}
	return best;
}

/* ---- the pass ---- */

/* The first op, of those at which more is held than there is room for those with most first, of
 * which something can be relieved. */
static bool step(Relief *r)
{
	unsigned room = relieve_limit(r), below = UINT32_MAX;
	GpuHeld held = gpu_held(r->gpu, r->cx->scratch, r->m, r->func);
	r->order = text_order(r->cx->scratch, r->m, r->func);
	r->excess = 0;
	for (uint32_t i = 0; i < held.count; i++)
		r->excess = MAX(r->excess, held.words[i] > room ? held.words[i] - room : 0);
	if (!r->excess)
		return false;
	r->memory = NULL;
	r->known = ARENA_ARRAY(r->cx->scratch, Known, r->m->next_value);
	look_for_whole(r, &held);
	for (;;) {
		unsigned most = 0;
		for (uint32_t i = 0; i < held.count; i++)
			most = held.words[i] < below ? MAX(most, held.words[i]) : most;
		if (most <= room)
			return false;
		for (uint32_t i = 0; i < held.count; i++) {
			if (held.words[i] != most)
				continue;
			Candidate c = find(r, held.ops[i]);
			if (c.way) {
				relieve_rewrite(r, &c, held.ops[i]);
				return true;
			}
		}
		below = most;
	}
}

/* ---- operands of products ---- */

/* Do products outside of loops alone read the memory? */
static bool is_read_once(const Relief *r, const IrValue *memory)
{
	for (const IrUse *u = memory->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		bool once = ir_has_trait(op, TRAIT_VIEW)
				    ? is_read_once(r, &op->results[0])
				    : op->kind == OP_WARP_GROUP_DOT && relieve_loop_of(op) == r->func;
		if (!once)
			return false;
	}
	return true;
}

/* Do they alone take the tile, from memory in which copies can put it? */
static bool is_for_products(const Relief *r, const IrOp *load)
{
	unsigned width;
	const Layout *l = schedule_product_memory(load) ? schedule_memory(r->gpu, load, &width) : NULL;
	for (const IrUse *u = load->results[0].uses; u; u = u->next)
		if (u->owner->kind != OP_LOCAL_ALLOC || u->owner->block != load->block ||
		    gpu_layout(r->gpu, u->owner->results[0].type) != l ||
		    !is_read_once(r, &u->owner->results[0]))
			return false;
	return l;
}

typedef struct Operands {
	const Relief *r;
	VEC(IrOp *) loads;
} Operands;

static bool visit_operand(void *data, IrOp *op)
{
	Operands *o = data;
	if (op->kind == OP_LOAD && ir_is_tensor(op->results[0].type) &&
	    relieve_loop_of(op) == o->r->func && is_for_products(o->r, op))
		vec_push(o->r->cx->scratch, &o->loads, op);
	return true;
}

static bool copy_operand(Relief *r, IrOp *load)
{
	IrValue *v = &load->results[0];
	r->order = text_order(r->cx->scratch, r->m, r->func);
	r->memory = NULL;
	r->excess = 2 * PART_OF_EXCESS * gpu_words(r->gpu, v->type); /* worth no CTA */
	if (relieve_way(r, v, NULL) != COPIED)
		return false;
	relieve_rewrite(r, &(Candidate){.v = v, .way = COPIED}, NULL);
	return true;
}

/* The last op in front of the load that begins a copy, if nothing is written in between, nor
 * waited for what others write. */
static IrOp *copy_in_front(const IrOp *load)
{
	IrOp *op = load->prev;
	while (op && op->kind != OP_ASYNC_COMMIT && (!ir_may_order(op) || op->kind == OP_LOCAL_ALLOC))
		op = op->prev;
	return op && op->kind == OP_ASYNC_COMMIT ? op : NULL;
}

/* Beside the copy in front, where there is memory for it as early as that: so both are waited for
 * at once. */
static bool copy_early(Relief *r, IrOp *load)
{
	IrOp *front = copy_in_front(load), *next = load->next;
	if (!front || !gpu_move_behind(load, front))
		return false;
	if (copy_operand(r, load))
		return true;
	ir_op_unlink(load);
	ir_op_insert_before(load, next);
	return false;
}

/* Outside of loops no pipeline copies what products read from memory. ptxas puts all such loads in
 * front of the first barrier, where they take as many registers as the sums of the products do
 * later: so where a thread has few left, cp.async brings them. */
static bool copy_operands(Relief *r)
{
	unsigned words = 0;
	bool any = false;
	Operands o = {.r = r};
	gpu_peak(r->gpu, r->cx->scratch, r->m, r->func, &words);
	if (4 * words <= 3 * relieve_limit(r))
		return false;
	ir_walk(r->func, false, visit_operand, &o);
	for (uint32_t i = 0; i < o.loads.len; i++)
		any |= copy_early(r, o.loads.data[i]) || copy_operand(r, o.loads.data[i]);
	return any;
}

static void relieve_function(PassCx *cx, IrOp *func, bool *changed)
{
	Relief r = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module, .func = func};
	ir_walk(func, false, look, &r);
	if (r.stays)
		return;
	r.axes = gpu_axis(cx);
	unsigned steps = copy_operands(&r);
	while (steps < MOST_STEPS && step(&r))
		steps++;
	*changed = *changed || steps;
	for (uint32_t i = 0; i < r.copied.len; i++) {
		r.order = text_order(cx->scratch, r.m, func);
		relieve_await(&r, r.copied.data[i]);
	}
}

bool pass_relieve_registers(PassCx *cx, bool *changed)
{
	GpuCx *gpu = gpu_of(cx);
	if (gpu->num_ctas > 1) /* a tile may be in another CTA's registers */
		return true;
	IrBlock *top = cx->module->op->regions[0].first;
	for (IrOp *op = top->first; op; op = op->next)
		if (op->kind == OP_FUNC && ir_func_body(op))
			relieve_function(cx, op, changed);
	return true;
}
