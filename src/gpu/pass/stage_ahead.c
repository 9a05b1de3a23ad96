/* stage-ahead: wgmma operands that must be transposed in shared memory, or that threads compute of
 * what a slot holds (parts of tf32x3), are put there one iteration ahead.
 *
 * Where an operand does not lie in its ring buffer the way wgmma needs it, threads read the slot
 * and store it again, transposed. In source order this precedes the product, so the tensor cores
 * wait for it; moved behind the product it runs beside it. So do the parts of operands, which all
 * products of the loop wait for, and which end with the iteration.
 *
 * Needs: TTGIR behind `pipeline`, with rings that cp.async fills three or more iterations ahead;
 * for parts two.
 * Keeps: what is computed, bit by bit. Method: double-buffer the memory that the product reads.
 * The first iteration's tile is filled in front of the loop. Each iteration, behind its product,
 * waits for the copies of the next one and fills the other buffer. The last iteration fills a
 * buffer that nobody reads. */
#include "base/vec.h"
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"
#include "gpu/memory/memory.h"
#include "gpu/pipeline/carry.h"
#include "gpu/plan/wgmma.h"

enum { SHARED_SPACE = 0, TILES = 2, LEAST_PENDING = 2, MOST_OPERANDS = 6 };

typedef struct Operand {
	IrOp *slot, *read, *alloc; /* the slot, what it held, memory for the product */
} Operand;

/* A loop and what it turns. */
typedef struct Turned {
	IrOp *loop, *dot;
	IrOp *taker; /* the first product that takes what is filled */
	IrOp *arrived, *ended; /* waits: for the copies of an iteration, for the product */
	IrOp *spot; /* in front of which the next iteration's are filled */
	Operand operand[MOST_OPERANDS]; /* in the order of their ops */
	unsigned count;
} Turned;

typedef struct Find {
	PassCx *cx;
	GpuCx *gpu;
	VEC(Turned) found;
	uint64_t bytes; /* of all memory of the function */
	uint64_t work;  /* the most that an op of a loop works in */
} Find;

static IrOp *only_user(const IrValue *v)
{
	return ir_has_one_use(v) ? v->uses->owner : NULL;
}

static bool is_view_of_all(const IrOp *op)
{
	return ir_has_trait(op, TRAIT_VIEW) && op->kind != OP_MEMDESC_INDEX &&
	       op->kind != OP_MEMDESC_SUBSLICE;
}

/* The memory of a dot's operand, which nothing else takes; NULL: it is not made in the block. */
static IrOp *memory_of(const IrOp *dot, unsigned operand)
{
	IrOp *op = ir_operand(dot, operand)->def;
	while (op && is_view_of_all(op) && ir_has_one_use(&op->results[0]))
		op = ir_operand(op, 0)->def;
	bool made = op && op->kind == OP_LOCAL_ALLOC && op->block == dot->block;
	return made && ir_has_one_use(&op->results[0]) ? op : NULL;
}

/* The wait for it and for all else that is under way, behind it in its block. */
static IrOp *end_of(const Find *f, const IrOp *dot)
{
	IrOp *wait = only_user(&dot->results[0]);
	bool all = wait && wait->kind == OP_WARP_GROUP_DOT_WAIT && wait->block == dot->block &&
		   ir_get_int(wait, f->gpu->ir, ATTR_PENDINGS, 0) == 0;
	return all ? wait : NULL;
}

/* Is it the same in each iteration: from outside of the block, or a constant? */
static bool is_fixed(const IrValue *v, const IrBlock *block)
{
	return v->def ? v->def->block != block || ir_has_trait(v->def, TRAIT_CONST) : v->block != block;
}

static bool is_behind(const IrOp *op, const IrOp *spot)
{
	for (const IrOp *at = spot; at; at = at->next)
		if (at == op)
			return true;
	return false;
}

/* The only wait for copies of the block, in front of `op`, for all but so many of the youngest. */
static IrOp *arrival(const Find *f, const IrOp *op, int64_t least)
{
	IrOp *wait = NULL;
	for (IrOp *at = op->block->first; at; at = at->next) {
		if (at->kind != OP_ASYNC_WAIT)
			continue;
		if (wait)
			return NULL;
		wait = at;
	}
	bool in_front = wait && !is_behind(wait, op);
	return in_front && ir_get_int(wait, f->gpu->ir, ATTR_NUM, 0) >= least ? wait : NULL;
}

/* Can it be computed in front of `spot`? */
static bool can_come(const IrValue *v, const IrOp *spot)
{
	const IrOp *op = v->def;
	if (!op || op->block != spot->block || !is_behind(op, spot))
		return true;
	bool can = ir_is_pure(op) && !op->region_count;
	for (uint32_t i = 0; i < op->operand_count && can; i++)
		can = can_come(ir_operand(op, i), spot);
	return can;
}

/* Moves there what it is computed by. */
static void bring(IrValue *v, IrOp *spot)
{
	IrOp *op = v->def;
	if (!op || op->block != spot->block || !is_behind(op, spot))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++)
		bring(ir_operand(op, i), spot);
	ir_op_unlink(op);
	ir_op_insert_before(op, spot);
}

static IrValue *next_number(const IrOp *loop, const IrOp *slot)
{
	return ir_operand(loop->regions[0].first->last, ir_operand(slot, 1)->index - 1);
}

/* Is the slot one of a ring that cp.async fills, by a number that the loop carries and that can be
 * known for the next iteration in front of `spot`? */
static bool is_carried_slot(const IrOp *loop, const IrOp *slot, const IrOp *spot)
{
	if (!slot || slot->kind != OP_MEMDESC_INDEX ||
	    !ir_is_defined_outside(ir_operand(slot, 0), loop))
		return false;
	const IrValue *number = ir_operand(slot, 1);
	bool copied = false;
	for (const IrUse *u = ir_operand(slot, 0)->uses; u; u = u->next)
		if (u->owner->kind == OP_MEMDESC_INDEX)
			for (const IrUse *v = u->owner->results[0].uses; v; v = v->next)
				copied |= v->owner->kind == OP_ASYNC_COPY;
	return copied && number->block == loop->regions[0].first && number->index &&
	       can_come(next_number(loop, slot), spot);
}

static bool add_work(void *data, IrOp *op)
{
	Find *f = data;
	f->work = MAX(f->work, gpu_scratch(f->gpu, op).bytes);
	return true;
}

/* Is there room for so many bytes more, without a CTA less on an SM? */
static bool fits(Find *f, IrOp *loop, uint64_t more)
{
	f->work = 0;
	ir_walk(loop, false, add_work, f);
	uint64_t before = f->bytes + f->work, all = before + more;
	return all <= f->gpu->target->shared_cta && !schedule_costs_ctas(f->gpu, loop, before, all);
}

/* Of operand `i`, where it is read and stored again. False: it is, and cannot be done ahead. */
static bool find_operand(const Find *f, Turned *t, unsigned i)
{
	IrOp *alloc = memory_of(t->dot, i);
	if (!alloc)
		return true;
	IrOp *read = alloc->operand_count ? ir_operand(alloc, 0)->def : NULL;
	if (!read || read->kind != OP_LOCAL_LOAD || read->block != alloc->block ||
	    only_user(&read->results[0]) != alloc)
		return false;
	IrOp *slot = ir_operand(read, 0)->def, *arrived = arrival(f, read, LEAST_PENDING);
	if (!arrived || !is_carried_slot(t->loop, slot, t->dot))
		return false;
	t->arrived = arrived;
	t->operand[t->count++] = (Operand){slot, read, alloc};
	return true;
}

static bool visit(void *data, IrOp *op)
{
	Find *f = data;
	IrOp *loop = op->kind == OP_WARP_GROUP_DOT ? ir_parent_op(op) : NULL;
	if (!loop || loop->kind != OP_FOR)
		return true;
	Turned t = {.loop = loop, .dot = op, .taker = op, .ended = end_of(f, op), .spot = op->next};
	bool first = !f->found.len || f->found.data[f->found.len - 1].loop != loop;
	if (!t.ended || !first || !find_operand(f, &t, 0) || !find_operand(f, &t, 1) || !t.count)
		return true;
	uint64_t more = 0;
	for (unsigned i = 0; i < t.count; i++)
		more += gpu_memdesc_bytes(f->gpu, t.operand[i].alloc->results[0].type);
	if (fits(f, loop, more))
		vec_push(f->cx->scratch, &f->found, t);
	return true;
}

/* ---- parts that threads compute ---- */

/* The read that the tile is computed of, in its block; NULL: it is computed of more than that. */
static IrOp *read_for(const IrValue *v, const IrBlock *block, unsigned depth)
{
	IrOp *op = v->def, *found = NULL;
	if (!op || op->block != block || op->kind == OP_LOCAL_LOAD)
		return op && op->block == block ? op : NULL;
	if (!depth || !ir_is_pure(op) || op->region_count)
		return NULL;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *x = ir_operand(op, i);
		if (is_fixed(x, block))
			continue;
		IrOp *read = read_for(x, block, depth - 1);
		if (!read || (found && found != read))
			return NULL;
		found = read;
	}
	return found;
}

/* Products take it, as it is or seen otherwise, and nothing else. */
static bool is_for_products(const IrValue *memory)
{
	for (const IrUse *u = memory->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		bool product = op->kind == OP_WARP_GROUP_DOT && op->block == memory->def->block;
		bool seen = is_view_of_all(op) && is_for_products(&op->results[0]);
		if (!product && !seen && op->kind != OP_LOCAL_DEALLOC)
			return false;
	}
	return true;
}

/* Do all products end in the body, and does none read a slot part by part? Finds the first one, and
 * the wait for the last: tiles are filled in front of that, as a product behind it would wait for a
 * barrier. */
static bool find_products(const Find *f, Turned *t)
{
	bool ended = true;
	for (IrOp *op = t->loop->regions[0].first->first; op; op = op->next) {
		if (op->kind == OP_WARP_GROUP_DOT) {
			if (gpu_wgmma_late_read(f->gpu, op))
				return false;
			t->dot = t->dot ? t->dot : op;
			t->spot = NULL;
			ended = false;
		} else if (op->kind == OP_WARP_GROUP_DOT_WAIT) {
			t->spot = t->spot ? t->spot : op;
			ended |= ir_get_int(op, f->gpu->ir, ATTR_PENDINGS, 0) == 0;
		}
	}
	t->ended = t->spot;
	return t->dot && t->spot && ended;
}

static bool takes_part(const Turned *t, const IrOp *dot)
{
	for (unsigned o = 0; o < 2; o++) {
		const IrOp *op = ir_operand(dot, o)->def;
		while (op && is_view_of_all(op))
			op = ir_operand(op, 0)->def;
		for (unsigned i = 0; i < t->count; i++)
			if (op == t->operand[i].alloc)
				return true;
	}
	return false;
}

static bool add_part(Turned *t, IrOp *alloc)
{
	enum { DEEPEST = 8 };
	IrOp *read = alloc->operand_count ? read_for(ir_operand(alloc, 0), alloc->block, DEEPEST) : NULL;
	if (!read || read->kind != OP_LOCAL_LOAD || !is_for_products(&alloc->results[0]))
		return false;
	IrOp *slot = ir_operand(read, 0)->def;
	if (!is_carried_slot(t->loop, slot, t->dot) || t->count == MOST_OPERANDS)
		return false;
	t->operand[t->count++] = (Operand){slot, read, alloc};
	return true;
}

/* Words of a thread: sums of products that nothing adds to, their operands in registers, and tiles
 * while they are filled. */
static bool has_registers(const Find *f, const Turned *t)
{
	unsigned words = f->gpu->target->budgets->beside_sums;
	for (const IrOp *op = t->dot; op; op = op->next) {
		if (op->kind != OP_WARP_GROUP_DOT)
			continue;
		const IrValue *a = ir_operand(op, 0);
		const IrOp *user = only_user(&op->results[0]);
		words += user && user->kind == OP_WARP_GROUP_DOT ? 0 : gpu_words(f->gpu, op->results[0].type);
		bool again = false;
		for (const IrOp *at = t->dot; at != op; at = at->next)
			again |= at->kind == OP_WARP_GROUP_DOT && ir_operand(at, 0) == a;
		words += again || !ir_is_tensor(a->type) ? 0 : gpu_words(f->gpu, a->type);
	}
	for (unsigned i = 0; i < t->count; i++)
		words += gpu_words(f->gpu, ir_operand(t->operand[i].alloc, 0)->type);
	return words <= TARGET_REGISTERS_THREAD;
}

/* The first iteration's tiles are filled in front of the loop, and those of one behind the last. */
static bool is_short(const IrOp *loop)
{
	enum { FEW_TRIPS = 4 };
	uint64_t trips = schedule_trips(loop);
	return trips && trips <= FEW_TRIPS;
}

static bool visit_parts(void *data, IrOp *op)
{
	Find *f = data;
	Turned t = {.loop = op};
	for (uint32_t i = 0; i < f->found.len; i++)
		if (f->found.data[i].loop == op)
			return true;
	if (op->kind != OP_FOR || is_short(op) || !find_products(f, &t))
		return true;
	uint64_t more = 0;
	for (IrOp *alloc = op->regions[0].first->first; alloc != t.dot; alloc = alloc->next) {
		if (alloc->kind != OP_LOCAL_ALLOC)
			continue;
		if (!add_part(&t, alloc))
			return true;
		more += gpu_memdesc_bytes(f->gpu, alloc->results[0].type);
	}
	t.taker = t.dot;
	while (t.taker && (t.taker->kind != OP_WARP_GROUP_DOT || !takes_part(&t, t.taker)))
		t.taker = t.taker->next;
	t.arrived = t.count && t.taker ? arrival(f, t.operand[0].read, 1) : NULL;
	if (t.arrived && has_registers(f, &t) && fits(f, op, more))
		vec_push(f->cx->scratch, &f->found, t);
	return true;
}

static bool add_bytes(void *data, IrOp *op)
{
	Find *f = data;
	if (op->kind == OP_LOCAL_ALLOC)
		f->bytes += gpu_memdesc_bytes(f->gpu, op->results[0].type);
	return true;
}

/* Of one tile, or of so many. */
static IrType type_of(const Find *f, const Operand *o, unsigned tiles)
{
	IrType made = o->alloc->results[0].type;
	int64_t shape[IR_MAX_RANK] = {tiles};
	unsigned from = tiles > 0;
	for (uint32_t k = 0; k < made->rank; k++)
		shape[k + from] = made->shape[k];
	return ir_memdesc(f->gpu->ir, made->elem, shape, made->rank + from, made->encoding, SHARED_SPACE,
			  true);
}

/* Are the copies of an iteration issued in front of what fills the next one's tiles? */
static bool is_copied_first(const Turned *t)
{
	for (const IrOp *op = t->arrived; op != t->spot; op = op->next)
		if (op->kind == OP_ASYNC_COMMIT)
			return true;
	return false;
}

/* Reads slots and stores them to tiles, when the copies have come. in_next: the slots of the next
 * iteration; else of the first one. The fence stands here as well, where it has time: it waits for
 * loads under way. */
static void fill(const Find *f, IrBuilder *b, const Turned *t, bool in_next, IrValue *const *memory,
		 IrValue *tile)
{
	IrType token = f->gpu->ir->token;
	b->loc = t->arrived->loc;
	IrOp *wait = irb_op(b, OP_ASYNC_WAIT, NULL, 0, &token, 1, 0);
	int64_t pending = ir_get_int(t->arrived, f->gpu->ir, ATTR_NUM, 0);
	pending -= in_next && !is_copied_first(t);
	ir_set(b->m, wait, ATTR_NUM, ir_attr_i32(f->gpu->ir, pending));
	irb_op(b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	IrMapping map;
	ir_mapping_init(&map, f->cx->scratch);
	for (unsigned i = 0; i < t->count; i++) {
		const Operand *o = &t->operand[i];
		IrValue *number = in_next ? next_number(t->loop, o->slot)
					  : ir_operand(t->loop, ir_operand(o->slot, 1)->index + 2);
		b->loc = o->read->loc;
		IrValue *ring = ir_operand(o->slot, 0);
		IrValue *read = &o->read->results[0];
		if (ir_mapping_get(&map, read) == read) {
			IrValue *slot = irb_2(b, OP_MEMDESC_INDEX, o->slot->results[0].type, ring, number);
			ir_mapping_put(&map, read, irb_1(b, OP_LOCAL_LOAD, read->type, slot));
		}
		IrValue *held = ir_clone_value(b->m, ir_operand(o->alloc, 0), t->loop, &map, b->before);
		b->loc = o->alloc->loc;
		IrValue *to = irb_2(b, OP_MEMDESC_INDEX, type_of(f, o, 0), memory[i], tile);
		irb_op(b, OP_LOCAL_STORE, (IrValue *[]){held, to}, 2, NULL, 0, 0);
	}
	/* Where products have ended, if next: ptxas 12.8 crashes at some fences beside them. */
	IrBuilder at = in_next && t->spot == t->ended ? ir_at(b->m, t->ended->next) : *b;
	at.loc = b->loc;
	IrOp *fence = irb_op(&at, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(b->m, fence, ATTR_FENCE_CLUSTER, ir_attr_bool(f->gpu->ir, false));
}

static bool is_copy(const IrOp *op)
{
	return op->kind == OP_ASYNC_COPY || op->kind == OP_TMA_LOAD;
}

/* Threads met behind the wait that stood in front of the product. They meet between what fills its
 * memory and the first product that takes it in any case; so where copies are issued behind that,
 * it is enough. */
static void drop_barrier(const Turned *t)
{
	IrOp *barrier = NULL;
	for (IrOp *op = t->arrived; op != t->taker; op = op->next) {
		if (is_copy(op))
			return;
		barrier = op->kind == OP_BARRIER && !barrier ? op : barrier;
	}
	if (barrier)
		ir_op_erase(barrier);
}

/* Copies into free slots go behind the barrier that a wait in front of them asks for. That wait
 * goes away: without a barrier a warp would write what the product before still reads for
 * another. */
static void meet_before_copies(const Find *f, const Turned *t)
{
	if (t->arrived->kind != OP_ASYNC_WAIT)
		return;
	for (IrOp *op = t->arrived; op != t->taker; op = op->next) {
		if (op->kind == OP_BARRIER)
			return;
		if (!is_copy(op))
			continue;
		IrBuilder b = ir_at(f->cx->module, op);
		b.loc = op->loc;
		irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
		return;
	}
}

/* What comes from registers is read part by part, beside the product (wgmma.h), where threads have
 * met before. */
static void meet_before_read(const Find *f, const Turned *t)
{
	const IrOp *read = gpu_wgmma_late_read(f->gpu, t->dot);
	if (!read)
		return;
	IrBuilder b = ir_at(f->cx->module, (IrOp *)(uintptr_t)read);
	b.loc = read->loc;
	irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
}

static void drop_deallocs(IrValue *memory)
{
	for (IrUse *u = memory->uses, *next; u; u = next) {
		next = u->next;
		if (u->owner->kind == OP_LOCAL_DEALLOC)
			ir_op_erase(u->owner);
	}
}

/* What nothing takes any more, back to the slot that was read. A value may be met twice: as both
 * operands of an op, or behind one of them. */
static void erase_unused(IrValue *v)
{
	IrOp *op = v->def;
	if (v->uses || !op || !op->block || op->result_count != 1 ||
	    (!ir_is_pure(op) && op->kind != OP_LOCAL_LOAD))
		return;
	IrValue *operands[4];
	uint32_t count = MIN(op->operand_count, (uint32_t)ARRAY_LEN(operands));
	for (uint32_t i = 0; i < count; i++)
		operands[i] = ir_operand(op, i);
	ir_op_erase(op);
	for (uint32_t i = 0; i < count; i++)
		erase_unused(operands[i]);
}

static void turn_ahead(const Find *f, const Turned *t)
{
	IrModule *m = f->cx->module;
	IrBlock *body = t->loop->regions[0].first;
	IrType i32 = ir_scalar(f->gpu->ir, TY_I32);
	IrValue *memory[MOST_OPERANDS];
	IrBuilder before = ir_at(m, t->loop), at = ir_at(m, t->operand[0].alloc);
	for (unsigned i = 0; i < t->count; i++) {
		before.loc = t->operand[i].alloc->loc;
		memory[i] = irb_0(&before, OP_LOCAL_ALLOC, type_of(f, &t->operand[i], TILES));
	}
	at.loc = before.loc;
	IrValue *zero = irb_int(&before, i32, 0), *this = ir_block_arg_add(m, body, i32, before.loc);
	IrValue *other = irb_2(&at, OP_XORI, NULL, this, irb_int(&at, i32, 1));
	for (unsigned i = 0; i < t->count; i++)
		bring(next_number(t->loop, t->operand[i].slot), t->dot);
	fill(f, &before, t, false, memory, zero);
	IrBuilder behind = ir_at(m, t->spot);
	fill(f, &behind, t, true, memory, other);
	for (unsigned i = 0; i < t->count; i++) {
		const Operand *o = &t->operand[i];
		IrBuilder b = ir_at(m, o->alloc);
		b.loc = o->alloc->loc;
		drop_deallocs(&o->alloc->results[0]);
		ir_replace_uses(&o->alloc->results[0],
				irb_2(&b, OP_MEMDESC_INDEX, type_of(f, o, 0), memory[i], this));
		IrValue *held = ir_operand(o->alloc, 0);
		ir_op_erase(o->alloc);
		erase_unused(held);
	}
	meet_before_copies(f, t);
	drop_barrier(t);
	ir_op_erase(t->arrived);
	meet_before_read(f, t);
	GpuCarried more = {this, zero, other};
	IrOp *loop = gpu_carry(m, f->cx->scratch, t->loop, &more, 1);
	IrBuilder end = ir_at_end(m, loop->block, loop->loc);
	end.before = loop->next;
	for (unsigned i = 0; i < t->count; i++)
		irb_op(&end, OP_LOCAL_DEALLOC, &memory[i], 1, NULL, 0, 0);
}

bool pass_stage_ahead(PassCx *cx, bool *changed)
{
	Find f = {.cx = cx, .gpu = gpu_of(cx)};
	ir_walk(cx->module->op, false, add_bytes, &f);
	ir_walk(cx->module->op, false, visit, &f);
	ir_walk(cx->module->op, false, visit_parts, &f);
	for (uint32_t i = 0; i < f.found.len; i++)
		turn_ahead(&f, &f.found.data[i]);
	*changed = f.found.len > 0;
	return true;
}
