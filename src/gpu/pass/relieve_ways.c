/* In which way a tile can leave its registers, and whether shared memory has room for it
 * (relieve_registers.c lists the ways). */
#include "gpu/analysis/pressure.h"
#include "gpu/pass/relieve.h"

enum {
	KEPT_OF_FOUR = 3, /* quarters of the CTAs on an SM that must be left, for a large tile */
	LEAST_PART = 32, /* a smaller part of the excess is worth no memory at all */
	LEAST_KEPT = 16, /* words of a tile that is stored and read for nothing else */
	LEAST_EXCESS = 32, /* registers of excess from which that pays: what is held is an estimate */
	WIDEST_BITS = 128,
};

/* ---- room ---- */

static unsigned ctas(const Relief *r, unsigned registers, uint64_t bytes)
{
	TargetOccupancy o;
	target_occupancy(r->gpu->target, registers, (unsigned)bytes, r->gpu->num_warps, &o);
	return o.ctas;
}

unsigned relieve_limit(const Relief *r)
{
	unsigned threads = r->gpu->num_warps * 32;
	return MIN((unsigned)TARGET_REGISTERS_THREAD, (unsigned)TARGET_REGISTERS_SM / threads / 8 * 8);
}

/* Bytes in use at each op, by its place in the text, with what this pass took; and the most that
 * were without. */
typedef struct Memory {
	const Relief *r;
	bool made;
	int64_t *change, *work;
	uint32_t count;
	uint64_t most_without;
} Memory;

/* The number of the last op that needs the memory, views of it too; all of a loop that does and
 * is behind where it is made. */
static uint32_t last_use(const Relief *r, const IrValue *memory, const IrBlock *block)
{
	uint32_t last = 0;
	for (const IrUse *u = memory->uses; u; u = u->next) {
		const IrOp *op = u->owner, *at = relieve_within(u->owner, block);
		last = MAX(last, r->order.end[at && at->region_count ? at->id : op->id]);
		for (uint32_t i = 0; i < op->result_count; i++)
			if (op->results[i].type->kind == TY_MEMDESC)
				last = MAX(last, last_use(r, &op->results[i], block));
	}
	return last;
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
		m->work[relieve_place(m->r, op)] = (int64_t)gpu_scratch(m->r->gpu, op).bytes;
		return true;
	}
	if (!m->made && is_made(m->r, op))
		return true;
	int64_t bytes = (int64_t)gpu_memdesc_bytes(m->r->gpu, op->results[0].type);
	m->change[relieve_place(m->r, op)] += bytes;
	m->change[MAX(last_use(m->r, &op->results[0], op->block), relieve_place(m->r, op)) + 1] -= bytes;
	return true;
}

static uint64_t most_of(const Memory *m)
{
	int64_t held = 0, most = 0;
	for (uint32_t i = 0; i < m->count; i++) {
		held += m->change[i];
		most = MAX(most, held + m->work[i]);
	}
	return (uint64_t)most;
}

static Memory memory_of(const Relief *r, bool made)
{
	Memory m = {.r = r, .made = made, .count = 2 * r->m->next_op + 2};
	m.change = ARENA_ARRAY(r->cx->scratch, int64_t, m.count + 2);
	m.work = ARENA_ARRAY(r->cx->scratch, int64_t, m.count + 2);
	ir_walk(r->func, false, visit_memory, &m);
	return m;
}

static Memory *memory_now(Relief *r)
{
	if (r->memory)
		return r->memory;
	r->memory = ARENA_NEW(r->cx->scratch, Memory);
	Memory without = memory_of(r, false);
	*r->memory = memory_of(r, true);
	r->memory->most_without = most_of(&without);
	return r->memory;
}

/* What a conversion works in, while it does without. */
typedef struct Conversion {
	int64_t *work, old;
} Conversion;
typedef VEC(Conversion) Conversions;

static void add_conversion(const Memory *m, const IrOp *op, Conversions *out)
{
	int64_t *work = &m->work[relieve_place(m->r, op)];
	if (op->kind == OP_CONVERT_LAYOUT)
		vec_push(m->r->cx->scratch, out, ((Conversion){work, *work}));
}

/* Of the tile, turned or not. */
static Conversions conversions_of(const Memory *m, const IrValue *v)
{
	Conversions all = {0};
	bool is_turned = v->def && v->def->kind == OP_TRANS;
	for (const IrUse *u = v->uses; u; u = u->next) {
		if (!is_turned)
			add_conversion(m, u->owner, &all);
		const IrUse *turned = u->owner->kind == OP_TRANS ? u->owner->results[0].uses : NULL;
		for (; turned; turned = turned->next)
			add_conversion(m, turned->owner, &all);
	}
	return all;
}

/* The memory of a CTA without this pass, and with what it took and now takes for `v` between two
 * ops, whose conversions then need none. */
static void measure(Relief *r, const IrValue *v, uint32_t from, uint32_t to, uint64_t *before,
		    uint64_t *after)
{
	Memory *m = memory_now(r);
	Conversions all = conversions_of(m, v);
	int64_t bytes = ir_numel(v->type) * gpu_element_bits(v->type->elem) / 8;
	for (uint32_t i = 0; i < all.len; i++)
		*all.data[i].work = 0;
	m->change[from] += bytes;
	m->change[to + 1] -= bytes;
	*before = m->most_without;
	*after = most_of(m);
	m->change[from] -= bytes;
	m->change[to + 1] += bytes;
	for (uint32_t i = 0; i < all.len; i++)
		*all.data[i].work = all.data[i].old;
}

static bool has_room_between(Relief *r, const IrValue *v, uint32_t from, uint32_t to)
{
	uint64_t before, after;
	unsigned registers = relieve_limit(r), words = gpu_words(r->gpu, v->type);
	bool large = PART_OF_EXCESS * words >= r->excess;
	if (LEAST_PART * words < r->excess)
		return false;
	measure(r, v, from, to, &before, &after);
	return after <= r->gpu->target->shared_cta &&
	       4 * ctas(r, registers, after) >= (large ? KEPT_OF_FOUR : 4) * ctas(r, registers, before);
}

static bool has_room(Relief *r, const IrValue *v)
{
	uint32_t to = relieve_place(r, v->def);
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *at = relieve_within(u->owner, v->def->block);
		to = MAX(to, r->order.end[at ? at->id : u->owner->id]);
	}
	return has_room_between(r, v, relieve_place(r, v->def), to);
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
	uint32_t at = relieve_place(w->r, op);
	bool reads = op->kind == OP_LOCAL_LOAD || ir_has_trait(op, TRAIT_VIEW) ||
		     op->kind == OP_WARP_GROUP_DOT;
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
	Writes w = {r, root_of(ir_operand(read, 0)), relieve_place(r, read), 0};
	/* All of a loop that uses it: what is written behind the use comes before the next. */
	for (const IrUse *u = v->uses; u; u = u->next)
		w.to = MAX(w.to, r->order.end[relieve_within(u->owner, read->block)->id]);
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
bool relieve_is_conversion(const Relief *r, const IrOp *op)
{
	if (!schedule_wanted(r->gpu, op))
		return false;
	return goes_through_memory(r, op->kind == OP_TRANS ? op->results[0].uses->owner : op);
}

static bool all_conversions(const Relief *r, const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if (!relieve_is_conversion(r, u->owner))
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
	       !ir_may_write(op);
}

/* A copy is under way until the first op that needs it: what is stored meanwhile might be there
 * before. */
static bool is_undisturbed(const Relief *r, const IrValue *v)
{
	const IrOp *end = NULL;
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *at = relieve_within(u->owner, v->def->block);
		end = !end || relieve_place(r, at) < relieve_place(r, end) ? at : end;
	}
	for (IrOp *op = v->def->next; op && op != end; op = op->next)
		if (!writes_nothing(NULL, op) || !ir_walk(op, false, writes_nothing, NULL))
			return false;
	return end != NULL;
}

static bool can_be_copied(Relief *r, const IrValue *v)
{
	unsigned width, dim;
	IrOp *load = v->def;
	return load->kind == OP_LOAD && is_undisturbed(r, v) && has_room(r, v) &&
	       schedule_is_copied(r->gpu, r->axes, load, &width, &dim) &&
	       schedule_memory(r->gpu, load, &width) && !is_in_pipelined_loop(r, load);
}

static bool can_be_stored(Relief *r, const IrValue *v)
{
	unsigned width = 16;
	return v->def->result_count == 1 && !v->def->region_count && v->def->kind != OP_LOCAL_LOAD &&
	       v->type->elem->bits >= 8 && has_room(r, v) && all_conversions(r, v) &&
	       schedule_memory(r->gpu, v->def, &width);
}

/* Memory in which each thread has its registers in a row, in vectors; NULL: some threads hold what
 * others hold. */
const Layout *relieve_own_memory(GpuCx *gpu, IrType tile)
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
	       relieve_own_memory(r->gpu, tile);
}

/* Is it what a product of warp groups adds up that may still be under way? A wait hands on sums of
 * products that it leaves pending, too: those that were issued last. */
static bool is_late(const Relief *r, const IrValue *v)
{
	const IrOp *def = v->def;
	if (!def || def->kind != OP_WARP_GROUP_DOT_WAIT)
		return def && def->kind == OP_WARP_GROUP_DOT && ir_get_bool(def, r->gpu->ir, ATTR_IS_ASYNC);
	const IrValue *sum = ir_operand(def, (uint32_t)(v - def->results));
	int64_t pending = ir_get_int(def, r->gpu->ir, ATTR_PENDINGS, 0);
	for (const IrOp *op = def->prev; op && pending; op = op->prev) {
		if (op->kind != OP_WARP_GROUP_DOT || !ir_get_bool(op, r->gpu->ir, ATTR_IS_ASYNC))
			continue;
		if (&op->results[0] == sum)
			return true;
		pending--;
	}
	return pending;
}

static bool can_be_kept(Relief *r, const IrValue *v)
{
	const IrOp *def = v->def;
	bool cheap = ir_has_trait(def, TRAIT_CONST) || def->kind == OP_SPLAT || def->kind == OP_BROADCAST ||
		     def->kind == OP_EXPAND_DIMS || def->kind == OP_LOCAL_LOAD;
	return !cheap && !is_late(r, v) && is_worth_keeping(r, v->type) && has_room(r, v);
}

/* Is what the loop carries there needed in its body alone, and changed behind that, and neither by
 * `peak`, which is not in between? */
bool relieve_can_carry(Relief *r, const IrOp *loop, uint32_t i, const IrOp *peak)
{
	const IrBlock *body = loop->regions[0].first;
	const IrValue *v = body->args[i], *next = ir_operand(body->last, i - 1);
	uint32_t first = UINT32_MAX, last = 0, at = relieve_place(r, peak), to = r->order.end[loop->id];
	if (!next->def || next->def->block != body || next->def->kind == OP_WARP_GROUP_DOT ||
	    next->def->region_count || !ir_has_one_use(next) || !is_worth_keeping(r, v->type) ||
	    is_late(r, next) || is_late(r, ir_operand(loop, i + 2)))
		return false;
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *user = u->owner;
		if (user->block != body || user == peak || user == body->last || user->region_count)
			return false;
		first = MIN(first, relieve_place(r, user));
		last = MAX(last, relieve_place(r, user));
	}
	for (const IrUse *u = loop->results[i - 1].uses; u; u = u->next) {
		const IrOp *at_use = relieve_within(u->owner, loop->block);
		to = MAX(to, r->order.end[at_use ? at_use->id : u->owner->id]);
	}
	uint32_t changed = relieve_place(r, next->def);
	return last && last <= changed && next->def != peak && (at < first || at > changed) &&
	       has_room_between(r, v, relieve_place(r, loop), to);
}

const IrOp *relieve_loop_of(const IrOp *op)
{
	do
		op = ir_parent_op(op);
	while (op && op->kind == OP_IF);
	return op;
}

/* In front of a loop that needs it, only what is kept is worth its loads there. */
Way relieve_way(Relief *r, const IrValue *v, const IrOp *around)
{
	return !around && can_be_read_again(r, v) ? AGAIN
	       : !around && can_be_copied(r, v)	  ? COPIED
	       : !around && can_be_stored(r, v)	  ? STORED
	       : (around || !relieve_loop_of(v->def)) && can_be_kept(r, v) ? KEPT
						  : NOT_AT_ALL;
}
