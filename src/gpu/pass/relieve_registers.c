/* relieve-registers: where threads would hold more tiles at once than they have registers for,
 * some of these wait in shared memory until they are needed. What the assembler stores and loads
 * instead goes through local memory, a word at a time, and often twice.
 *
 * Needs: TTGIR with its final layouts, behind `pipeline` and what moves products. Keeps: values,
 * and the order of effects on global memory but for loads, which may be there later.
 * Method: of what is held at the op where most is held and needed behind it, the largest tile is
 * taken that can be relieved in one of these ways; then all is looked at again.
 *
 *	again   it was read from shared memory, which is not written until its last use: it is
 *	        read again
 *	copied  it was loaded, once for the block it is in: cp.async brings it to memory of its
 *	        own, so that it takes no registers while it is under way either
 *	stored  all that needs it goes through shared memory anyway, to another layout: it is
 *	        stored once, and each of these reads it as it wants it
 *	kept    each thread stores its part, and reads it where it is needed: no thread waits for
 *	        another. So for what is made in front of a loop too
 *	carried what a loop carries and changes in one place stays there from iteration to
 *	        iteration: each thread reads its part, and stores it again
 *
 * The last four take memory: as long as no CTA on an SM is lost, or for a large part of what is
 * too much one of four. */
#include "base/vec.h"
#include "gpu/analysis/prefix.h"
#include "gpu/analysis/pressure.h"
#include "gpu/analysis/text_order.h"
#include "gpu/loop/schedule.h"
#include "gpu/pipeline/pipeline.h"

enum {
	MOST_STEPS = 96,
	LEAST_WORDS = 8, /* of a tile that is worth it */
	KEPT_OF_FOUR = 3, /* CTAs on an SM, for a tile that is */
	PART_OF_EXCESS = 4, /* at least this part of what is too much */
	LEAST_PART = 32, /* and any memory at all for at least this one */
	LEAST_KEPT = 16, /* words of a tile that is stored and read for nothing else */
	LEAST_EXCESS = 32, /* registers that are too many for that: what is held is an estimate */
	WIDEST_BITS = 128,
};

typedef enum Way { NOT_AT_ALL, AGAIN, COPIED, STORED, KEPT, CARRIED } Way;

typedef struct Relief {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	const AxisMap *axes;
	IrOp *func;
	TextOrder order;
	unsigned excess; /* registers that are too many, where most are held */
	bool stays; /* warps have roles, or say what they have read: nothing is moved */
	VEC(IrOp *)
	made, copied, commits; /* memory of this pass; that of copies; of loops that copy by themselves */
} Relief;

typedef struct Candidate {
	IrValue *v;
	const IrOp *around; /* the outermost loop around the peak that v is not in; NULL: none */
	Way way;
	unsigned words;
} Candidate;

static uint32_t number(const Relief *r, const IrOp *op)
{
	return r->order.start[op->id];
}

/* The op of the block that `op` is, or is inside of. */
static IrOp *within(IrOp *op, const IrBlock *block)
{
	while (op && op->block != block)
		op = ir_parent_op(op);
	return op;
}

/* ---- what there is ---- */

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

static unsigned ctas(const Relief *r, unsigned registers, uint64_t bytes)
{
	TargetOccupancy o;
	target_occupancy(r->gpu->target, registers, (unsigned)bytes, r->gpu->num_warps, &o);
	return o.ctas;
}

static unsigned registers_of_thread(const Relief *r)
{
	unsigned threads = r->gpu->num_warps * 32;
	return MIN((unsigned)TARGET_REGISTERS_THREAD, (unsigned)TARGET_REGISTERS_SM / threads / 8 * 8);
}

/* Bytes in use at each op, by its number. */
typedef struct Memory {
	const Relief *r;
	bool made; /* with what this pass took */
	const IrValue *but; /* without what conversions of this work in */
	int64_t *change, *work;
} Memory;

/* The number of the last op that needs the memory, views of it too; all of a loop that does and
 * is behind where it is made. */
static uint32_t last_use(const Relief *r, const IrValue *memory, const IrBlock *block)
{
	uint32_t last = 0;
	for (const IrUse *u = memory->uses; u; u = u->next) {
		const IrOp *op = u->owner, *at = within(u->owner, block);
		last = MAX(last, r->order.end[at && at->region_count ? at->id : op->id]);
		for (uint32_t i = 0; i < op->result_count; i++)
			if (op->results[i].type->kind == TY_MEMDESC)
				last = MAX(last, last_use(r, &op->results[i], block));
	}
	return last;
}

static bool is_of(const IrOp *op, const IrValue *v)
{
	const IrValue *from = op->kind == OP_CONVERT_LAYOUT ? ir_operand(op, 0) : NULL;
	if (from && from->def && from->def->kind == OP_TRANS)
		from = ir_operand(from->def, 0);
	return from && from == v;
}

static bool is_made(const Relief *r, const IrOp *alloc)
{
	for (uint32_t i = 0; i < r->made.len; i++)
		if (r->made.data[i] == alloc)
			return true;
	return false;
}

static bool visit_memory(void *data, IrOp *op)
{
	Memory *m = data;
	if (op->kind != OP_LOCAL_ALLOC) {
		m->work[number(m->r, op)] = is_of(op, m->but) ? 0 : (int64_t)gpu_scratch(m->r->gpu, op).bytes;
		return true;
	}
	if (!m->made && is_made(m->r, op))
		return true;
	int64_t bytes = (int64_t)gpu_memdesc_bytes(m->r->gpu, op->results[0].type);
	m->change[number(m->r, op)] += bytes;
	m->change[MAX(last_use(m->r, &op->results[0], op->block), number(m->r, op)) + 1] -= bytes;
	return true;
}

static uint64_t most_of(const Memory *m, uint32_t count)
{
	int64_t held = 0, most = 0;
	for (uint32_t i = 0; i < count; i++) {
		held += m->change[i];
		most = MAX(most, held + m->work[i]);
	}
	return (uint64_t)most;
}

/* The memory of a CTA without this pass, and with what it took and now takes for `v` between two
 * ops. */
static void measure(const Relief *r, const IrValue *v, uint32_t from, uint32_t to, uint64_t *before,
		    uint64_t *after)
{
	uint32_t count = 2 * r->m->next_op + 2;
	Memory without = {.r = r}, with = {.r = r, .made = true, .but = v};
	without.change = ARENA_ARRAY(r->cx->scratch, int64_t, count + 2);
	without.work = ARENA_ARRAY(r->cx->scratch, int64_t, count + 2);
	with.change = ARENA_ARRAY(r->cx->scratch, int64_t, count + 2);
	with.work = ARENA_ARRAY(r->cx->scratch, int64_t, count + 2);
	ir_walk(r->func, false, visit_memory, &without);
	ir_walk(r->func, false, visit_memory, &with);
	int64_t bytes = ir_numel(v->type) * gpu_element_bits(v->type->elem) / 8;
	with.change[from] += bytes;
	with.change[to + 1] -= bytes;
	*before = most_of(&without, count);
	*after = most_of(&with, count);
}

static bool has_room_between(const Relief *r, const IrValue *v, uint32_t from, uint32_t to)
{
	uint64_t before, after;
	unsigned registers = registers_of_thread(r), words = gpu_words(r->gpu, v->type);
	bool large = PART_OF_EXCESS * words >= r->excess;
	if (LEAST_PART * words < r->excess)
		return false;
	measure(r, v, from, to, &before, &after);
	return after <= r->gpu->target->shared_cta &&
	       4 * ctas(r, registers, after) >= (large ? KEPT_OF_FOUR : 4) * ctas(r, registers, before);
}

static bool has_room(const Relief *r, const IrValue *v)
{
	uint32_t to = number(r, v->def);
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *at = within(u->owner, v->def->block);
		to = MAX(to, r->order.end[at ? at->id : u->owner->id]);
	}
	return has_room_between(r, v, number(r, v->def), to);
}

/* ---- ways ---- */

static IrOp *root_of(const IrValue *memory)
{
	IrOp *op = memory->def;
	while (op && op->kind != OP_LOCAL_ALLOC && op->operand_count &&
	       ir_operand(op, 0)->type->kind == TY_MEMDESC)
		op = ir_operand(op, 0)->def;
	return op && op->kind == OP_LOCAL_ALLOC ? op : NULL;
}

typedef struct Writes {
	const Relief *r;
	const IrOp *root;
	uint32_t from, to;
} Writes;

/* Goes on while nothing writes to the memory. Copies of a pipelined loop write another slot than
 * the one that is read. */
static bool visit_writes(void *data, IrOp *op)
{
	const Writes *w = data;
	uint32_t at = number(w->r, op);
	bool reads = op->kind == OP_LOCAL_LOAD || op->kind == OP_MEMDESC_INDEX ||
		     op->kind == OP_MEMDESC_TRANS || op->kind == OP_MEMDESC_RESHAPE ||
		     op->kind == OP_MEMDESC_SUBSLICE || op->kind == OP_WARP_GROUP_DOT;
	bool other = (op->kind == OP_ASYNC_COPY || op->kind == OP_TMA_LOAD) &&
		     ir_get_bool(op, w->r->gpu->ir, ATTR_FREE_SLOT);
	if (at <= w->from || at >= w->to || reads || other)
		return true;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (ir_operand(op, i)->type->kind == TY_MEMDESC && root_of(ir_operand(op, i)) == w->root)
			return false;
	return true;
}

static bool can_be_read_again(const Relief *r, const IrValue *v)
{
	const IrOp *read = v->def;
	if (read->kind != OP_LOCAL_LOAD || ir_get(read, r->gpu->ir, ATTR_ROUNDS))
		return false;
	Writes w = {r, root_of(ir_operand(read, 0)), number(r, read), 0};
	/* All of a loop that uses it: what is written behind the use comes before the next. */
	for (const IrUse *u = v->uses; u; u = u->next)
		w.to = MAX(w.to, r->order.end[within(u->owner, read->block)->id]);
	return w.root && ir_walk(r->func, false, visit_writes, &w);
}

static bool goes_through_memory(const Relief *r, const IrOp *convert)
{
	const IrValue *from = ir_operand(convert, 0);
	const LayoutPlan *plan =
		gpu_convert_plan(r->gpu, gpu_layout(r->gpu, from->type),
				 gpu_layout(r->gpu, convert->results[0].type), from->type->elem);
	return plan->kind == LAYOUT_PLAN_SHARED;
}

/* Does the op, or what stands behind its turn, take the tile to another layout by shared memory? */
static bool is_conversion(const Relief *r, const IrOp *op)
{
	if (!schedule_wanted(r->gpu, op))
		return false;
	return goes_through_memory(r, op->kind == OP_TRANS ? op->results[0].uses->owner : op);
}

static bool all_conversions(const Relief *r, const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if (!is_conversion(r, u->owner))
			return false;
	return v->uses != NULL;
}

/* Copies of a loop are counted in groups: another one among them would be taken for theirs. */
static bool is_in_pipelined_loop(const Relief *r, const IrOp *op)
{
	for (const IrOp *outer = ir_parent_op(op); outer != r->func; outer = ir_parent_op(outer))
		for (uint32_t i = 0; i < r->commits.len; i++)
			if (outer->kind != OP_IF && ir_is_inside(r->commits.data[i], outer))
				return true;
	return false;
}

/* Of threads' own memory, and the memory that they share. */
static bool is_of_shared_memory(const IrOp *op)
{
	return op->kind == OP_LOCAL_ALLOC || op->kind == OP_LOCAL_DEALLOC || op->kind == OP_LOCAL_LOAD ||
	       op->kind == OP_LOCAL_STORE || op->kind == OP_ASYNC_COPY || op->kind == OP_ASYNC_COMMIT ||
	       op->kind == OP_ASYNC_WAIT;
}

static bool writes_nothing(void *data, IrOp *op)
{
	(void)data;
	return is_of_shared_memory(op) ||
	       !(ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC) || op->kind == OP_CALL);
}

/* A copy is under way until the first op that needs it: what is stored meanwhile might be there
 * before. */
static bool is_undisturbed(const Relief *r, const IrValue *v)
{
	const IrOp *end = NULL;
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *at = within(u->owner, v->def->block);
		end = !end || number(r, at) < number(r, end) ? at : end;
	}
	for (IrOp *op = v->def->next; op && op != end; op = op->next)
		if (!writes_nothing(NULL, op) || !ir_walk(op, false, writes_nothing, NULL))
			return false;
	return end != NULL;
}

static bool can_be_copied(const Relief *r, const IrValue *v)
{
	unsigned width, dim;
	IrOp *load = v->def;
	return load->kind == OP_LOAD && is_undisturbed(r, v) && has_room(r, v) &&
	       schedule_is_copied(r->gpu, r->axes, load, &width, &dim) &&
	       schedule_memory(r->gpu, load, &width) && !is_in_pipelined_loop(r, load);
}

static bool can_be_stored(const Relief *r, const IrValue *v)
{
	unsigned width = 16;
	return v->def->result_count == 1 && !v->def->region_count && v->def->kind != OP_LOCAL_LOAD &&
	       v->type->elem->bits >= 8 && has_room(r, v) && all_conversions(r, v) &&
	       schedule_memory(r->gpu, v->def, &width);
}

/* Memory in which each thread has its registers in a row, in vectors; NULL: some threads hold what
 * others hold. */
static const Layout *own_memory(GpuCx *gpu, IrType tile)
{
	const Layout *l = layout_strip_registers(&gpu->layouts, gpu_layout(gpu, tile));
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), first = 0, n = 0;
	uint64_t bases[64];
	LayoutSpace in = layout_space_none();
	if (layout_space_reps(&l->in) > 1 || layout_in_bits(l, LAYOUT_BLOCK) || !layout_is_one_to_one(l))
		return NULL;
	while (first < registers && gpu_element_bits(tile->elem) << first < WIDEST_BITS)
		first++;
	for (; n < first; n++)
		bases[n] = layout_basis(l, LAYOUT_REGISTER, n);
	n += layout_bases(l, LAYOUT_LANE, bases + n);
	n += layout_bases(l, LAYOUT_WARP, bases + n);
	for (; first < registers; first++)
		bases[n++] = layout_basis(l, LAYOUT_REGISTER, first);
	layout_space_add(&in, LAYOUT_OFFSET, n, 1);
	return layout_make(&gpu->layouts, &in, &l->out, bases);
}

static bool is_worth_keeping(const Relief *r, IrType tile)
{
	return ir_is_tensor(tile) && ir_is_float(tile->elem) && gpu_element_bits(tile->elem) >= 16 &&
	       r->excess >= LEAST_EXCESS && gpu_words(r->gpu, tile) >= LEAST_KEPT &&
	       own_memory(r->gpu, tile);
}

/* What a product of warp groups that is under way adds up is not there yet. */
static bool can_be_kept(const Relief *r, const IrValue *v)
{
	const IrOp *def = v->def;
	bool cheap = ir_has_trait(def, TRAIT_CONST) || def->kind == OP_SPLAT || def->kind == OP_BROADCAST ||
		     def->kind == OP_EXPAND_DIMS || def->kind == OP_LOCAL_LOAD;
	bool late = def->kind == OP_WARP_GROUP_DOT && ir_get_bool(def, r->gpu->ir, ATTR_IS_ASYNC);
	return !cheap && !late && is_worth_keeping(r, v->type) && has_room(r, v);
}

/* Is what the loop carries there needed in its body alone, and changed behind that, and neither by
 * `peak`, which is not in between? */
static bool can_be_carried(const Relief *r, const IrOp *loop, uint32_t i, const IrOp *peak)
{
	const IrBlock *body = loop->regions[0].first;
	const IrValue *v = body->args[i], *next = ir_operand(body->last, i - 1);
	uint32_t first = UINT32_MAX, last = 0, at = number(r, peak), to = r->order.end[loop->id];
	if (!next->def || next->def->block != body || next->def->kind == OP_WARP_GROUP_DOT ||
	    next->def->region_count || !ir_has_one_use(next) || !is_worth_keeping(r, v->type))
		return false;
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *user = u->owner;
		if (user->block != body || user == peak || user == body->last || user->region_count)
			return false;
		first = MIN(first, number(r, user));
		last = MAX(last, number(r, user));
	}
	for (const IrUse *u = loop->results[i - 1].uses; u; u = u->next) {
		const IrOp *at_use = within(u->owner, loop->block);
		to = MAX(to, r->order.end[at_use ? at_use->id : u->owner->id]);
	}
	uint32_t changed = number(r, next->def);
	return last && last <= changed && next->def != peak && (at < first || at > changed) &&
	       has_room_between(r, v, number(r, loop), to);
}

static const IrOp *loop_of(const IrOp *op)
{
	do
		op = ir_parent_op(op);
	while (op && op->kind == OP_IF);
	return op;
}

/* In front of a loop that needs it, only what is kept is worth its loads there. */
static Way way_of(const Relief *r, const IrValue *v, const IrOp *around)
{
	return !around && can_be_read_again(r, v) ? AGAIN
	       : !around && can_be_copied(r, v)	  ? COPIED
	       : !around && can_be_stored(r, v)	  ? STORED
	       : (around || !loop_of(v->def)) && can_be_kept(r, v) ? KEPT
						  : NOT_AT_ALL;
}

/* ---- what is held ---- */

/* Is a tile as a whole made, moved or tested here? Ops that take element by element are done so:
 * what stands between two of them holds no whole tiles. */
static bool takes_whole_tiles(const IrOp *op)
{
	return schedule_is_dot(op) || op->kind == OP_CONVERT_LAYOUT || op->kind == OP_REDUCE ||
	       op->kind == OP_SCAN || op->kind == OP_LOCAL_ALLOC || op->region_count;
}

/* Is the value needed behind `peak`, and not by it, nor soon? */
static bool waits(const Relief *r, const GpuHeld *held, const IrValue *v, const IrOp *peak)
{
	uint32_t at = number(r, peak), next = UINT32_MAX;
	for (const IrUse *u = v->uses; u; u = u->next) {
		uint32_t n = number(r, u->owner);
		if (u->owner == peak)
			return false;
		next = n > at ? MIN(next, n) : next;
	}
	bool whole = false;
	for (uint32_t i = 0; i < held->count && next != UINT32_MAX && !whole; i++) {
		uint32_t n = number(r, held->ops[i]);
		whole = n >= at && n < next && takes_whole_tiles(held->ops[i]);
	}
	return whole;
}

/* Is the value, which is there before the loop, needed in or behind it, but neither by `peak`
 * nor in loops that run more often? */
static bool waits_around(const Relief *r, const IrValue *v, const IrOp *around, const IrOp *peak)
{
	bool any = false;
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *loop = loop_of(u->owner);
		if (u->owner == peak || u->owner == around ||
		    (ir_is_inside(u->owner, around) && !ir_is_inside(peak, loop)))
			return false;
		any |= number(r, u->owner) > number(r, around);
	}
	return any;
}

static void consider(const Relief *r, const GpuHeld *held, IrOp *op, const IrOp *around, const IrOp *peak,
		     Candidate *best)
{
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrValue *v = &op->results[i];
		if (!ir_is_tensor(v->type) || ir_is_ptr(v->type->elem) ||
		    !(around ? waits_around(r, v, around, peak) : waits(r, held, v, peak)))
			continue;
		unsigned words = gpu_words(r->gpu, v->type);
		if (words < LEAST_WORDS || words <= best->words)
			continue;
		Way way = way_of(r, v, around);
		if (way)
			*best = (Candidate){v, around, way, words};
	}
}

static void consider_carried(const Relief *r, const IrOp *loop, const IrOp *peak, Candidate *best)
{
	const IrBlock *body = loop->regions[0].first;
	for (uint32_t i = 1; i < body->arg_count; i++) {
		IrType type = body->args[i]->type;
		unsigned words = ir_is_tensor(type) ? gpu_words(r->gpu, type) : 0;
		if (words > best->words && can_be_carried(r, loop, i, peak))
			*best = (Candidate){body->args[i], loop, CARRIED, words};
	}
}

/* What is made in a loop around stays there from iteration to iteration, and what is made in front
 * of one all the time that it runs. */
static Candidate find(const Relief *r, const GpuHeld *held, const IrOp *peak)
{
	Candidate best = {0};
	IrOp *at = (IrOp *)(uintptr_t)peak, *around = NULL;
	while (at && at->block && at->kind != OP_FUNC) {
		for (IrOp *op = at->block->first; op != at; op = op->next)
			consider(r, held, op, around, peak, &best);
		at = ir_parent_op(at);
		if (at && at->kind == OP_FOR && !around && !best.way)
			consider_carried(r, at, peak, &best);
		if (at && at->kind != OP_IF)
			around = at;
	}
	return best;
}

/* ---- relief ---- */

/* Users of the value behind `from`, and not behind `to`, read the memory, each block at its first
 * one. */
static void read_in_blocks(const Relief *r, IrValue *v, IrValue *memory, uint32_t from, uint32_t to)
{
	VEC(IrUse *) uses = {0};
	for (IrUse *u = v->uses; u; u = u->next)
		if (u->owner != memory->def && number(r, u->owner) > from && number(r, u->owner) <= to)
			vec_push(r->cx->scratch, &uses, u);
	for (uint32_t i = 0; i < uses.len; i++) {
		if (!uses.data[i])
			continue;
		IrOp *first = uses.data[i]->owner;
		const IrBlock *block = first->block;
		for (uint32_t k = i + 1; k < uses.len; k++)
			if (uses.data[k] && uses.data[k]->owner->block == block &&
			    number(r, uses.data[k]->owner) < number(r, first))
				first = uses.data[k]->owner;
		IrBuilder b = ir_at(r->m, first);
		IrValue *read = irb_1(&b, OP_LOCAL_LOAD, v->type, memory);
		for (uint32_t k = i; k < uses.len; k++) {
			if (!uses.data[k] || uses.data[k]->owner->block != block)
				continue;
			IrOp *owner = uses.data[k]->owner;
			ir_operand_set(owner, (uint32_t)(uses.data[k] - owner->operands), read);
			uses.data[k] = NULL;
		}
	}
}

static void read_all(const Relief *r, IrValue *v, IrValue *memory)
{
	VEC(IrOp *) users = {0};
	for (const IrUse *u = v->uses; u; u = u->next)
		if (u->owner != memory->def && is_conversion(r, u->owner))
			vec_push(r->cx->scratch, &users, u->owner);
	for (uint32_t i = 0; i < users.len; i++)
		pipeline_read_converted(r->m, r->gpu, users.data[i], v->type, memory);
}

static IrType memory_type(const Relief *r, IrType tile, const Layout *l, bool mutable)
{
	return ir_memdesc(r->gpu->ir, tile->elem, tile->shape, tile->rank, gpu_encoding(r->gpu, l),
			  PIPELINE_SHARED_SPACE, mutable);
}

static void store(Relief *r, IrValue *v)
{
	unsigned width = 16;
	const Layout *l = schedule_memory(r->gpu, v->def, &width);
	CONTRACT(l);
	IrBuilder b = ir_at(r->m, v->def->next);
	b.loc = v->def->loc;
	IrValue *memory = irb_1(&b, OP_LOCAL_ALLOC, memory_type(r, v->type, l, false), v);
	read_all(r, v, memory);
	vec_push(r->cx->scratch, &r->made, memory->def);
}

static IrValue *same(void *data, IrValue *v)
{
	(void)data;
	return v;
}

static void copy(Relief *r, IrValue *v)
{
	IrOp *load = v->def;
	unsigned width = 0, dim = 0;
	IrType token = r->gpu->ir->token, tile = v->type;
	bool copied = schedule_is_copied(r->gpu, r->axes, load, &width, &dim);
	const Layout *l = copied ? schedule_memory(r->gpu, load, &width) : NULL;
	ASSERT(l);
	IrBuilder b = ir_at(r->m, load);
	IrValue *memory = irb_0(&b, OP_LOCAL_ALLOC, memory_type(r, tile, l, true)),
		*args[5] = {ir_operand(load, 0), memory};
	unsigned n = width * 8 / gpu_element_bits(tile->elem), count = 2;
	if (load->operand_count > 1) {
		Prefix prefix = {r->axes, r->gpu, &b, dim, n, same, NULL};
		args[count++] = ir_operand(load, 1);
		args[4] = prefix_count(&prefix, ir_operand(load, 1));
		args[3] = args[4] ? ir_is_float(tile->elem) ? irb_float(&b, tile, 0) : irb_int(&b, tile, 0)
				  : NULL;
		count = args[4] ? 5 : 3;
	}
	IrOp *op = irb_op(&b, OP_ASYNC_COPY, args, count, &token, 1, 0);
	static const IrAttrName names[] = {ATTR_CACHE, ATTR_EVICT};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (ir_get(load, r->gpu->ir, names[i]))
			ir_set(r->m, op, names[i], ir_get(load, r->gpu->ir, names[i]));
	ir_set(r->m, op, ATTR_COPY_CONTIGUITY, ir_attr_i32(r->gpu->ir, n));
	irb_op(&b, OP_ASYNC_COMMIT, NULL, 0, &token, 1, 0);
	read_all(r, v, memory);
	if (v->uses)
		read_in_blocks(r, v, memory, number(r, load), UINT32_MAX);
	ir_op_erase(load);
	vec_push(r->cx->scratch, &r->made, memory->def);
	vec_push(r->cx->scratch, &r->copied, memory->def);
}

/* What needs it in front of the peak, in the loop, reads it there as well. */
static void keep(Relief *r, const Candidate *c, const IrOp *peak)
{
	IrValue *v = c->v;
	IrBuilder b = ir_at(r->m, v->def->next);
	b.loc = v->def->loc;
	uint32_t at = number(r, peak);
	IrType type = memory_type(r, v->type, own_memory(r->gpu, v->type), false);
	IrValue *memory = irb_1(&b, OP_LOCAL_ALLOC, type, v);
	ir_set(r->m, memory->def, ATTR_OWN, ir_attr_unit(r->gpu->ir));
	if (c->around)
		read_in_blocks(r, v, memory, number(r, c->around), at);
	read_in_blocks(r, v, memory, at, UINT32_MAX);
	vec_push(r->cx->scratch, &r->made, memory->def);
}

/* The loop hands on what it began with, which nobody needs. */
static void carry(Relief *r, const Candidate *c)
{
	IrOp *loop = (IrOp *)(uintptr_t)c->around;
	IrBlock *body = loop->regions[0].first;
	IrValue *v = c->v;
	uint32_t i = 1;
	while (body->args[i] != v)
		i++;
	IrValue *next = ir_operand(body->last, i - 1);
	IrBuilder b = ir_at(r->m, loop);
	IrType type = memory_type(r, v->type, own_memory(r->gpu, v->type), true);
	IrValue *memory = irb_1(&b, OP_LOCAL_ALLOC, type, ir_operand(loop, i + 2));
	ir_set(r->m, memory->def, ATTR_OWN, ir_attr_unit(r->gpu->ir));
	read_in_blocks(r, v, memory, number(r, loop), UINT32_MAX);
	read_in_blocks(r, &loop->results[i - 1], memory, r->order.end[loop->id], UINT32_MAX);
	b = ir_at(r->m, next->def->next);
	irb_op(&b, OP_LOCAL_STORE, (IrValue *[]){next, memory}, 2, NULL, 0, 0);
	ir_operand_set(body->last, i - 1, v);
	vec_push(r->cx->scratch, &r->made, memory->def);
}

static void relieve(Relief *r, const Candidate *c, const IrOp *peak)
{
	if (c->way == CARRIED)
		carry(r, c);
	else if (c->way == KEPT)
		keep(r, c, peak);
	else if (c->way == AGAIN)
		read_in_blocks(r, c->v, ir_operand(c->v->def, 0), number(r, peak), UINT32_MAX);
	else if (c->way == COPIED)
		copy(r, c->v);
	else
		store(r, c->v);
}

/* ---- waits ---- */

/* Groups that are begun behind the op, and in front of `end`, one after the other; 0 where
 * something else may wait or begin some. */
static unsigned groups_between(const IrOp *op, const IrOp *end)
{
	unsigned n = 0;
	for (op = op->next; op != end; op = op->next) {
		if (op->region_count || op->kind == OP_ASYNC_WAIT)
			return 0;
		n += op->kind == OP_ASYNC_COMMIT;
	}
	return n;
}

/* In front of the first that reads the memory. */
static void await(Relief *r, IrOp *alloc)
{
	IrOp *commit = alloc, *first = NULL;
	while (commit->kind != OP_ASYNC_COMMIT)
		commit = commit->next;
	for (const IrUse *u = alloc->results[0].uses; u; u = u->next) {
		IrOp *at = u->owner->kind == OP_LOCAL_LOAD ? within(u->owner, alloc->block) : NULL;
		if (at && (!first || r->order.start[at->id] < r->order.start[first->id]))
			first = at;
	}
	if (!first)
		return;
	unsigned pending = groups_between(commit, first);
	IrBuilder b = ir_at(r->m, first);
	IrOp *wait = irb_op(&b, OP_ASYNC_WAIT, NULL, 0, &r->gpu->ir->token, 1, 0);
	ir_set(r->m, wait, ATTR_NUM, ir_attr_i32(r->gpu->ir, pending));
}

/* ---- the pass ---- */

/* The first op, of those at which more is held than there is room for those with most first, of
 * which something can be relieved. */
static bool step(Relief *r)
{
	unsigned room = registers_of_thread(r), below = UINT32_MAX;
	GpuHeld held = gpu_held(r->gpu, r->cx->scratch, r->m, r->func);
	r->order = text_order(r->cx->scratch, r->m, r->func);
	r->excess = 0;
	for (uint32_t i = 0; i < held.count; i++)
		r->excess = MAX(r->excess, held.words[i] > room ? held.words[i] - room : 0);
	for (;;) {
		unsigned most = 0;
		for (uint32_t i = 0; i < held.count; i++)
			most = held.words[i] < below ? MAX(most, held.words[i]) : most;
		if (most <= room)
			return false;
		for (uint32_t i = 0; i < held.count; i++) {
			if (held.words[i] != most)
				continue;
			Candidate c = find(r, &held, held.ops[i]);
			if (c.way) {
				relieve(r, &c, held.ops[i]);
				return true;
			}
		}
		below = most;
	}
}

static void relieve_function(PassCx *cx, IrOp *func, bool *changed)
{
	Relief r = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module, .func = func};
	ir_walk(func, false, look, &r);
	if (r.stays)
		return;
	r.axes = gpu_axis(cx);
	unsigned steps = 0;
	while (steps < MOST_STEPS && step(&r))
		steps++;
	*changed = *changed || steps;
	for (uint32_t i = 0; i < r.copied.len; i++) {
		r.order = text_order(cx->scratch, r.m, func);
		await(&r, r.copied.data[i]);
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
