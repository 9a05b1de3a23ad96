/* tensor-copies: lowers loads, stores and reductions through tensor maps to TMA copies from and to
 * shared memory.
 *
 * Needs: TTGIR with its final layouts, loops pipelined. Keeps: what is computed. No
 * tt.descriptor_load, _store or _reduce is left.
 *
 * A load: one thread announces the bytes at an mbarrier and issues the copies; all threads wait
 * there where the tile is first needed, and each reads it in the layout that its user wants.
 * Barriers of loads that run once are initialised at the start of the function, so that their
 * copies can be issued together. In a loop the barrier is initialised in front, and its parity is
 * that of the iteration. Elsewhere it lives as long as the load. A store: threads write the tile
 * to shared memory, one thread issues the copy and waits until the memory is read, or, where
 * something later may read the tensor, or release it to other programs, or another iteration may
 * write the same place, until it is written. Fences and thread barriers are left to `barriers`. */
#include "base/vec.h"
#include "gpu/analysis/rewritten.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory_int.h"
#include "gpu/memory/pieces.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/plan/wgmma.h"

enum { TMA_ALIGN = 128, SHARED_SPACE = 0 };

/* ---- loads ---- */

/* Memory that a loop has for pieces of what it stores. All stores with such pieces take turns in
 * it: a copy waits for the one of `slots` before it, whoever issued that. */
typedef struct Kept {
	const IrOp *loop;
	IrType piece;
	unsigned slots;
	bool by_groups, reduces;
	IrValue *memory[GPU_MOST_PIECES];
} Kept;

typedef struct Copies {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	IrOp *func;
	VEC(IrOp *) list;
	VEC(Kept) kept;
} Copies;

static IrBuilder behind(const Copies *c, IrOp *op)
{
	IrBuilder b = ir_at_end(c->m, op->block, op->loc);
	b.before = op->next;
	return b;
}

/* May assembly, or a function of a library, reach memory, or tell others that it is written? */
static bool hides_effects(const IrOp *op)
{
	return ir_has_trait(op, TRAIT_SAYS) && !ir_is_pure(op);
}

/* Does a product that may be under way read its operand there part by part? With a wait in between
 * it would be read at once, and the pipeline has not said how long it stays. */
static bool is_read_late(const Copies *c, const IrOp *op)
{
	if (op->kind != OP_LOCAL_LOAD || !ir_has_one_use(&op->results[0]))
		return false;
	const IrOp *user = op->results[0].uses->owner;
	return user->kind == OP_WARP_GROUP_DOT && gpu_wgmma_late_read(c->gpu, user) == op;
}

/* Where all wait: in front of what needs the tile, or may write to where it comes from. */
static IrOp *place_of_wait(const Copies *c, const IrOp *load)
{
	IrOp *op = load->next;
	for (; op->next; op = op->next) {
		bool meets = op->kind == OP_CLUSTER_BARRIER || op->kind == OP_FENCE_ASYNC;
		bool needs = op->region_count || hides_effects(op) ||
			     (!meets && ir_has_trait(op, TRAIT_SYNC | TRAIT_TERM)) || is_read_late(c, op);
		bool writes = ir_has_trait(op, TRAIT_WRITE) && op->kind != OP_TMA_LOAD && op->kind != OP_BARRIER_EXPECT &&
			      op->kind != OP_LOCAL_ALLOC && op->kind != OP_INIT_BARRIER;
		for (uint32_t i = 0; i < op->operand_count; i++)
			needs |= ir_operand(op, i) == &load->results[0];
		if (needs || writes)
			break;
	}
	return op;
}

/* Products of warp groups take the memory that the copy fills, where it is as they want it. */
static bool read_in_place(const Copies *c, IrOp *user, IrValue *memory)
{
	bool same = user->kind == OP_LOCAL_ALLOC && gpu_layout(c->gpu, user->results[0].type) == gpu_layout(c->gpu, memory->type);
	if (same)
		gpu_read_as_it_lies(c->gpu, user, memory);
	return same;
}

/* Products take it in place, and threads meet before they do: they wait behind that. */
static IrOp *place_behind_meeting(const Copies *c, const IrOp *load, IrOp *place, const IrValue *memory)
{
	bool alone = ir_has_one_use(&load->results[0]) && load->results[0].uses->owner == place;
	bool meets = alone && place->kind == OP_LOCAL_ALLOC && place->next->kind == OP_BARRIER &&
		     gpu_layout(c->gpu, place->results[0].type) == gpu_layout(c->gpu, memory->type);
	return meets ? place->next->next : place;
}

/* Each user gets the tile in its layout; reads stay in the load's block, where the memory is alive. */
static void read_tile(const Copies *c, IrOp *load, IrBuilder *b, IrValue *memory)
{
	IrType tile = load->results[0].type;
	VEC(IrOp *) users = {0};
	for (const IrUse *u = load->results[0].uses; u; u = u->next) {
		bool again = u->owner->block != load->block;
		for (uint32_t i = 0; i < users.len; i++)
			again |= users.data[i] == u->owner;
		if (!again)
			vec_push(c->cx->scratch, &users, u->owner);
	}
	if (!load->results[0].uses) {
		irb_op(b, OP_LOCAL_DEALLOC, &memory, 1, NULL, 0, 0); /* it is written all the same */
		return;
	}
	/* Made first: the op that `b` stands before may be one of the users that go. */
	IrValue *read = irb_1(b, OP_LOCAL_LOAD, tile, memory);
	for (uint32_t i = 0; i < users.len; i++)
		if (!read_in_place(c, users.data[i], memory) && schedule_wanted(c->gpu, users.data[i]))
			pipeline_read_converted(c->m, c->gpu, users.data[i], tile, memory);
	if (load->results[0].uses)
		ir_replace_uses(&load->results[0], read);
	else
		ir_op_erase(read->def);
}

static void drop_at_end(const Copies *c, IrBlock *block, IrValue *barriers)
{
	IrBuilder b = ir_at(c->m, block->last);
	irb_op(&b, OP_LOCAL_DEALLOC, &barriers, 1, NULL, 0, 0);
}

/* The parity of an iteration: (counter - lower) / step. */
static IrValue *parity_of(const Copies *c, IrBuilder *b, IrOp *loop)
{
	CONTRACT(loop->region_count);
	IrType i32 = ir_scalar(c->gpu->ir, TY_I32);
	IrValue *counter = loop->regions[0].first->args[0], *step = ir_operand(loop, 2);
	IrValue *past = irb_2(b, OP_SUBI, NULL, counter, ir_operand(loop, 0));
	int64_t known;
	if (!ir_constant_int(step, &known) || known != 1)
		past = irb_2(b, OP_DIVUI, NULL, past, step);
	if (past->type->bits != 32)
		past = irb_1(b, past->type->bits > 32 ? OP_TRUNCI : OP_EXTUI, i32, past);
	return irb_2(b, OP_ANDI, NULL, past, irb_int(b, i32, 1));
}

/* The first op of a kind between a load and its wait; NULL: there is none. */
static IrOp *first_before_wait(const Copies *c, const IrOp *load, IrOpKind kind)
{
	const IrOp *end = place_of_wait(c, load);
	IrOp *op = load->next;
	while (op != end && op->kind != kind)
		op = op->next;
	return op != end ? op : NULL;
}

/* Where it is issued: beside the first copies of a loop that follows, whose barriers are made
 * together with its own. */
static IrOp *place_of_copy(const Copies *c, const IrOp *load)
{
	IrOp *copies = first_before_wait(c, load, OP_BARRIER_EXPECT);
	bool loop = ir_parent_op(load)->kind == OP_FUNC && copies &&
		    first_before_wait(c, load, OP_INIT_BARRIER);
	return loop ? copies : (IrOp *)(uintptr_t)load;
}

typedef struct Barrier {
	IrValue *word, *parity;
	IrValue *made; /* to be dropped behind the wait; NULL: somewhere else */
} Barrier;

/* A barrier for a load, its parity and where it ends. */
static Barrier barrier_for(const Copies *c, IrOp *load, IrBuilder *b)
{
	IrType i32 = ir_scalar(c->gpu->ir, TY_I32);
	IrOp *parent = ir_parent_op(load);
	bool loop = parent->kind == OP_FOR, once = parent->kind == OP_FUNC;
	IrOp *start = once && place_of_copy(c, load) != load ? first_before_wait(c, load, OP_INIT_BARRIER)
							   : ir_func_body(c->func)->first;
	IrBuilder front = once ? ir_at(c->m, start) : loop ? ir_at(c->m, parent) : *b;
	front.loc = load->loc;
	IrValue *barriers = gpu_barriers_alloc(c->gpu, &front, 1, 1);
	Barrier made = {.made = once || loop ? NULL : barriers};
	if (once)
		drop_at_end(c, ir_func_body(parent), barriers);
	if (loop) {
		IrBuilder end = behind(c, parent);
		gpu_barriers_drop(c->gpu, &end, barriers);
	}
	made.parity = loop ? parity_of(c, b, parent) : irb_int(b, i32, 0);
	made.word = gpu_barrier_at(c->gpu, b, barriers, irb_int(b, i32, 0));
	return made;
}

static void lower_load(const Copies *c, IrOp *load)
{
	GpuCx *gpu = c->gpu;
	IrBuilder b = ir_at(c->m, place_of_copy(c, load));
	b.loc = load->loc;
	IrValue *map = ir_operand(load, 0), *yes = irb_int(&b, ir_scalar(gpu->ir, TY_I1), 1);
	Barrier barrier = barrier_for(c, load, &b);
	IrValue *memory = gpu_map_alloc(gpu, &b, map->type, 0);
	IrValue *args[4 + TENSOR_MAP_RANK] = {map, memory, barrier.word, yes};
	IrOp *expect = irb_op(&b, OP_BARRIER_EXPECT, (IrValue *[]){barrier.word, yes}, 2, NULL, 0, 0);
	ir_set(c->m, expect, ATTR_SIZE, ir_attr_i32(gpu->ir, (int64_t)gpu_map_bytes(gpu, map->type)));
	for (uint32_t i = 1; i < load->operand_count; i++)
		args[3 + i] = ir_operand(load, i);
	irb_op(&b, OP_TMA_LOAD, args, 3 + load->operand_count, NULL, 0, 0);
	IrBuilder wait = ir_at(c->m, place_behind_meeting(c, load, place_of_wait(c, load), memory));
	wait.loc = load->loc;
	irb_op(&wait, OP_WAIT_BARRIER, (IrValue *[]){barrier.word, barrier.parity}, 2, NULL, 0, 0);
	if (barrier.made)
		gpu_barriers_drop(gpu, &wait, barrier.made);
	read_tile(c, load, &wait, memory);
	ir_op_erase(load);
}

/* ---- stores ---- */

/* The loop that a store is in, with nothing but conditions between. */
static IrOp *loop_of(const IrOp *store)
{
	IrOp *op = ir_parent_op(store);
	while (op->kind == OP_IF)
		op = ir_parent_op(op);
	return op->kind == OP_FOR || op->kind == OP_WHILE ? op : NULL;
}

typedef struct Looks {
	const Copies *c;
	IrOp *store, *loop;
	const IrValue *root; /* NULL: anywhere */
	bool disjoint; /* the loop loads nothing that it stores */
	bool behind; /* the walk is */
	bool found, later; /* before the loop has ended; behind it */
	bool rows;   /* warp groups may store by themselves */
	bool before, beside; /* in front of it, or anywhere beside, the tensor's other part is stored */
} Looks;

/* Iterations that are programs do not look at each other's stores (gpu/loop/persist.h). */
static bool share_loop(const Copies *c, const IrOp *a, const IrOp *b)
{
	for (const IrOp *op = ir_parent_op(a); op; op = op->block ? ir_parent_op(op) : NULL)
		if ((op->kind == OP_FOR || op->kind == OP_WHILE) && ir_is_inside(b, op) &&
		    !ir_get_bool(op, c->gpu->ir, ATTR_PROGRAMS))
			return true;
	return false;
}

/* Of a role beside the store's: it copies what no store of the loops reaches (loop/roles.h), or
 * it would not run beside them. */
static bool is_beside(const IrOp *op, const IrOp *store)
{
	for (; op->block; op = ir_parent_op(op))
		if (op->kind == OP_WARP_PARTITIONS)
			return ir_is_inside(store, ir_parent_op(op)) && !ir_is_inside(store, op);
	return false;
}

/* Another part of the same tile, in a sense: it goes by the same copies, one after the other. */
static bool is_other_part(Looks *l, const IrOp *op)
{
	if (!l->loop || !gpu_stores_apart(op, l->store) || !gpu_stores_share(l->c->gpu, op, l->store))
		return false;
	l->before |= !l->behind;
	l->beside = true;
	return true;
}

/* Sums come to the same in any order. */
static bool commutes(const Looks *l, const IrOp *op)
{
	const IrCx *ir = l->c->gpu->ir;
	return l->store->kind == OP_DESC_REDUCE && (op->kind == OP_DESC_REDUCE || op->kind == OP_TMA_REDUCE) &&
	       ir_get(op, ir, ATTR_REDUCE_KIND) == ir_get(l->store, ir, ATTR_REDUCE_KIND);
}

/* Behind a barrier of the author's what is stored may be looked at by another argument. (Programs
 * that add in turns have barriers as well, and wait for their sums where they tell of them.) */
static bool is_of_author(const Looks *l, const IrOp *op)
{
	return op->kind == OP_BARRIER && ir_get(op, l->c->gpu->ir, ATTR_GLOBAL) &&
	       l->store->kind != OP_DESC_REDUCE;
}

static bool look(void *data, IrOp *op)
{
	Looks *l = data;
	const IrValue *root = NULL;
	if (op == l->store) {
		l->behind = true;
		return true;
	}
	if (commutes(l, op) || is_beside(op, l->store) || is_other_part(l, op) ||
	    (!gpu_global_access(l->c->gpu, op, &root) && !hides_effects(op) &&
	     !is_of_author(l, op)) ||
	    (root && l->root && root != l->root && !gpu_releases(l->c->gpu, op)))
		return true;
	bool inside = !l->loop || ir_is_inside(op, l->loop);
	bool apart = l->disjoint && inside && op->kind == OP_TMA_LOAD;
	l->found |= !apart && (share_loop(l->c, op, l->store) || (l->behind && inside));
	l->later |= l->behind && !inside;
	return true;
}

/* May something later look at what is stored, or store there? Or tell another program that may? */
static Looks looks_at(const Copies *c, IrOp *store)
{
	Looks l = {.c = c, .store = store, .loop = loop_of(store)};
	l.rows = gpu_rows_are_of_groups(c->gpu, store);
	l.disjoint = l.loop && ir_get_bool(l.loop, c->gpu->ir, ATTR_DISJOINT);
	gpu_global_access(c->gpu, store, &l.root);
	ir_walk(c->func, false, look, &l);
	return l;
}

typedef struct Beside {
	GpuCx *gpu;
	const IrOp *loop;
	uint64_t most, in_loop; /* bytes live at once */
} Beside;

/* What a region allocates ends with it; of two branches one runs. */
static void add_memory(Beside *b, const IrRegion *region, uint64_t live, bool in_loop)
{
	for (const IrBlock *block = region->first; block; block = block->next)
		for (IrOp *op = block->first; op; op = op->next) {
			if (op->kind == OP_LOCAL_ALLOC)
				live += gpu_memdesc_bytes(b->gpu, op->results[0].type);
			if (op->kind == OP_LOCAL_DEALLOC)
				live -= MIN(live, gpu_memdesc_bytes(b->gpu, ir_operand(op, 0)->type));
			uint64_t bytes = live + gpu_scratch(b->gpu, op).bytes;
			b->most = MAX(b->most, bytes);
			b->in_loop = MAX(b->in_loop, in_loop || op == b->loop ? bytes : 0);
			for (uint32_t i = 0; i < op->region_count; i++)
				add_memory(b, &op->regions[i], live, in_loop || op == b->loop);
		}
}

static bool is_of_role(const IrOp *op)
{
	while (op && op->kind != OP_WARP_SPECIALIZE)
		op = op->block ? ir_parent_op(op) : NULL;
	return op != NULL;
}

/* On an SM, with as few registers as what stores tiles has. */
static unsigned ctas(const Copies *c, uint64_t bytes)
{
	enum { LEAST_REGISTERS = 64 };
	TargetOccupancy o;
	target_occupancy(c->gpu->target, LEAST_REGISTERS, (unsigned)bytes, gpu_all_warps(c->gpu, c->func),
			 &o);
	return o.ctas;
}

/* Is there memory for the store alone, beside all that the function has? It must cost no CTA of
 * an SM. Where warps have roles, their plan left room for it (loop/roles.c). */
static bool has_memory(const Copies *c, const IrOp *store)
{
	const TargetGpu *target = c->gpu->target;
	uint64_t bytes = gpu_store_beside(c->gpu, store, GPU_PIECES_AHEAD);
	Beside b = {.gpu = c->gpu, .loop = loop_of(store)};
	if (is_of_role(store))
		return true;
	add_memory(&b, &c->func->regions[0], 0, false);
	uint64_t before = b.most + TMA_ALIGN, after = MAX(before, b.in_loop + bytes + TMA_ALIGN);
	return after <= target->shared_cta && ctas(c, before) == ctas(c, after);
}

typedef struct Store {
	IrOp *op;
	GpuStorePlan plan;
	IrValue *parts[GPU_MOST_PIECES], *memory[GPU_MOST_PIECES];
	bool written; /* something looks at the tensor next: waited for until it is there */
	bool later;   /* something does so behind the loop */
	bool again;   /* another iteration may store there: it waits for that */
	bool by_groups; /* each warp group writes and copies rows */
} Store;

/* memory: what is free then. */
static IrOp *wait_for(const Copies *c, IrBuilder *b, unsigned pendings, IrValue **memory, uint32_t count)
{
	IrOp *wait = irb_op(b, OP_TMA_STORE_WAIT, memory, count, NULL, 0, 0);
	ir_set(c->m, wait, ATTR_PENDINGS, ir_attr_i32(c->gpu->ir, pendings));
	return wait;
}

/* In front of a part's copy, in a loop: for the memory's last one, or for all that are to be there
 * before. The op says how many copies are left then. */
static void say_pendings(const Copies *c, const Store *s, IrOp *op, unsigned part, unsigned slots)
{
	bool all = s->again && part == 0;
	ir_set(c->m, op, ATTR_PENDINGS, ir_attr_i32(c->gpu->ir, all ? 0 : slots - 1));
	if (all)
		ir_set(c->m, op, ATTR_WRITTEN, ir_attr_unit(c->gpu->ir));
}

static void wait_for_all(const Copies *c, IrBuilder *b, Store *s, uint32_t memory)
{
	IrOp *wait = wait_for(c, b, 0, s->memory, memory);
	if (s->written)
		ir_set(c->m, wait, ATTR_WRITTEN, ir_attr_unit(c->gpu->ir));
}

static IrValue *part_memory(const Copies *c, IrBuilder *b, const Store *s, IrValue *tile, bool changes)
{
	IrType t = s->plan.memory;
	t = ir_memdesc(c->gpu->ir, t->elem, t->shape, t->rank, t->encoding, SHARED_SPACE, changes);
	IrValue *memory = tile ? irb_1(b, OP_LOCAL_ALLOC, t, tile) : irb_0(b, OP_LOCAL_ALLOC, t);
	if (s->plan.bytes < TMA_ALIGN)
		ir_set(c->m, memory->def, ATTR_ALIGNMENT, ir_attr_i32(c->gpu->ir, TMA_ALIGN));
	return memory;
}

/* The operand that says where the tile begins along the dim of its parts; dims of the tensor that the tile
 * does not have come first. */
static uint32_t place_of_index(const Store *s)
{
	return s->op->operand_count - s->plan.memory->rank + s->plan.dim;
}

/* Where it begins along that dim. */
static IrValue *index_of_part(IrBuilder *b, const Store *s, unsigned number)
{
	IrValue *first = ir_operand(s->op, place_of_index(s));
	int64_t past = (int64_t)number * s->plan.memory->shape[s->plan.dim];
	return past ? irb_2(b, OP_ADDI, NULL, first, irb_int(b, first->type, past)) : first;
}

static void copy_part(const Copies *c, IrBuilder *b, const Store *s, unsigned number, IrValue *memory)
{
	IrOp *store = s->op;
	IrValue *args[2 + TENSOR_MAP_RANK] = {ir_operand(store, 0), memory};
	bool reduces = store->kind == OP_DESC_REDUCE;
	for (uint32_t i = 2; i < store->operand_count; i++)
		args[i] = ir_operand(store, i);
	args[place_of_index(s)] = index_of_part(b, s, number);
	IrOp *copy =
		irb_op(b, reduces ? OP_TMA_REDUCE : OP_TMA_STORE, args, store->operand_count, NULL, 0, 0);
	if (reduces)
		ir_set(c->m, copy, ATTR_REDUCE_KIND, ir_get(store, c->gpu->ir, ATTR_REDUCE_KIND));
}

static void drop_parts(IrBuilder *b, Store *s, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		irb_op(b, OP_LOCAL_DEALLOC, &s->memory[i], 1, NULL, 0, 0);
}

/* Each part has memory of its own, which lives as long as the store. */
static void store_once(const Copies *c, IrBuilder *b, Store *s)
{
	for (unsigned i = 0; i < s->plan.pieces; i++) {
		s->memory[i] = part_memory(c, b, s, s->parts[i], false);
		copy_part(c, b, s, i, s->memory[i]);
	}
	wait_for_all(c, b, s, s->plan.pieces);
	drop_parts(b, s, s->plan.pieces);
}

/* NULL: no store with such pieces has made it. */
static const Kept *kept_for(const Copies *c, const Store *s, const IrOp *loop)
{
	bool reduces = s->op->kind == OP_DESC_REDUCE;
	for (uint32_t i = 0; i < c->kept.len; i++) {
		const Kept *k = &c->kept.data[i];
		if (k->loop == loop && k->piece == s->plan.memory && k->by_groups == s->by_groups &&
		    k->reduces == reduces && k->slots == gpu_pieces_ahead(c->gpu, s->op, &s->plan))
			return k;
	}
	return NULL;
}

/* In front of a loop; false: another store has made it. */
static bool keep_memory(Copies *c, IrBuilder *front, Store *s, const IrOp *loop, unsigned slots)
{
	const Kept *kept = kept_for(c, s, loop);
	Kept own = {.loop = loop, .piece = s->plan.memory, .slots = slots, .by_groups = s->by_groups,
		    .reduces = s->op->kind == OP_DESC_REDUCE};
	CONTRACT(s->plan.pieces % slots == 0);
	for (unsigned i = 0; i < slots; i++)
		s->memory[i] = own.memory[i] = kept ? kept->memory[i] : part_memory(c, front, s, NULL, true);
	if (!kept)
		vec_push(c->cx->scratch, &c->kept, own);
	return !kept;
}

/* The same where each warp group writes and copies its own rows: one may be at the next tile
 * when another still stores. */
static void store_rows_in_loop(Copies *c, IrBuilder *b, Store *s, IrOp *loop)
{
	unsigned slots = gpu_pieces_ahead(c->gpu, s->op, &s->plan);
	uint32_t last = s->op->operand_count;
	IrBuilder front = ir_at(c->m, loop), end = behind(c, loop);
	front.loc = end.loc = s->op->loc;
	bool own = keep_memory(c, &front, s, loop, slots);
	if (own) /* nobody else is there any more */
		irb_op(&front, OP_BARRIER, NULL, 0, NULL, 0, 0);
	for (unsigned i = 0; i < s->plan.pieces; i++) {
		IrValue *args[3 + TENSOR_MAP_RANK] = {ir_operand(s->op, 0), s->parts[i],
						      s->memory[i % slots]};
		for (uint32_t k = 2; k < last; k++)
			args[k + 1] = ir_operand(s->op, k);
		args[last] = index_of_part(b, s, i);
		IrOp *store = irb_op(b, OP_TMA_STORE_ROWS, args, last + 1, NULL, 0, 0);
		say_pendings(c, s, store, i, slots);
	}
	IrOp *wait = wait_for(c, &end, 0, s->memory, slots);
	ir_set(c->m, wait, ATTR_BY_GROUPS, ir_attr_unit(c->gpu->ir));
	if (own)
		drop_parts(&end, s, slots);
}

/* Parts take turns in memory that the loop keeps; a part waits for the copy that was there
 * before. */
static void store_in_loop(Copies *c, IrBuilder *b, Store *s, IrOp *loop)
{
	unsigned slots = gpu_pieces_ahead(c->gpu, s->op, &s->plan);
	IrBuilder front = ir_at(c->m, loop), end = behind(c, loop);
	front.loc = end.loc = s->op->loc;
	bool own = keep_memory(c, &front, s, loop, slots);
	for (unsigned i = 0; i < s->plan.pieces; i++) {
		IrValue *memory = s->memory[i % slots];
		say_pendings(c, s, wait_for(c, b, 0, &memory, 1), i, slots);
		irb_op(b, OP_LOCAL_STORE, (IrValue *[]){s->parts[i], memory}, 2, NULL, 0, 0);
		copy_part(c, b, s, i, memory);
	}
	wait_for_all(c, s->written ? b : &end, s, slots);
	if (own)
		drop_parts(&end, s, slots);
}

/* What is added in a loop and looked at behind it is there when the loop has ended. */
static void wait_behind_loop(const Copies *c, const Store *s, IrOp *loop)
{
	if (!s->later || s->written)
		return;
	IrBuilder b = behind(c, loop);
	b.loc = s->op->loc;
	ir_set(c->m, wait_for(c, &b, 0, NULL, 0), ATTR_WRITTEN, ir_attr_unit(c->gpu->ir));
	irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
}

/* Conversions of the tile that nothing else takes go. */
static void take_as_it_comes(IrOp *store)
{
	IrValue *tile = gpu_stored_tile(store), *given = ir_operand(store, 1);
	ir_operand_set(store, 1, tile);
	while (given != tile) {
		IrOp *conversion = given->def;
		given = ir_operand(conversion, 0);
		ir_op_erase(conversion);
	}
}

/* By groups, and in memory of the loop's own, or not: as the part that is stored in front of it. */
static bool follow_other_part(const Copies *c, Store *s, const IrOp *loop)
{
	s->again = s->by_groups = false;
	if (kept_for(c, s, loop))
		return true;
	s->by_groups = true;
	if (kept_for(c, s, loop))
		return true;
	s->by_groups = false;
	return false;
}

static void lower_store(Copies *c, const Looks *looks)
{
	IrOp *store = looks->store, *loop = looks->loop;
	take_as_it_comes(store);
	IrBuilder b = ir_at(c->m, store);
	Store s = {.op = store, .plan = gpu_plan_store(c->gpu, store)};
	bool reduces = store->kind == OP_DESC_REDUCE;
	/* Sums come to the same in any order. */
	GpuRewritten rewritten = reduces ? GPU_REWRITTEN_NOT : gpu_rewritten(c->gpu, store, looks->beside);
	bool memory = looks->before ? follow_other_part(c, &s, loop) : loop && has_memory(c, store);
	s.later = looks->later && loop && reduces;
	s.written = looks->found || (looks->later && !s.later);
	s.again = rewritten && !s.written && !(looks->before && memory);
	s.written |= s.again && !memory;
	gpu_tile_pieces(c->gpu, &b, ir_operand(store, 1), s.plan.dim, s.plan.pieces, s.parts);
	bool columns = s.plan.pieces == 1 || place_of_index(&s) == store->operand_count - 1;
	if (!looks->before)
		s.by_groups = memory && columns && !s.written && !reduces &&
			      rewritten != GPU_REWRITTEN_ANYWHERE && looks->rows;
	wait_behind_loop(c, &s, loop);
	if (s.by_groups)
		store_rows_in_loop(c, &b, &s, loop);
	else if (memory)
		store_in_loop(c, &b, &s, loop);
	else
		store_once(c, &b, &s);
	ir_op_erase(store);
}

/* ---- the functions ---- */

static bool find(void *data, IrOp *op)
{
	Copies *c = data;
	bool counts = op->kind == OP_DESC_LOAD || op->kind == OP_DESC_STORE || op->kind == OP_DESC_REDUCE;
	if (counts && gpu_is_map(ir_operand(op, 0)->type))
		vec_push(c->cx->scratch, &c->list, op);
	return true;
}

bool pass_tensor_copies(PassCx *cx, bool *changed)
{
	for (IrOp *func = ir_module_block(cx->module)->first; func; func = func->next) {
		Copies c = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module, .func = func};
		if (func->kind != OP_FUNC || !ir_func_body(func))
			continue;
		ir_walk(func, false, find, &c);
		VEC(Looks) stores = {0};
		for (uint32_t i = 0; i < c.list.len; i++)
			if (c.list.data[i]->kind == OP_DESC_LOAD)
				lower_load(&c, c.list.data[i]);
		for (uint32_t i = 0; i < c.list.len; i++)
			if (c.list.data[i]->kind != OP_DESC_LOAD)
				vec_push(cx->scratch, &stores, looks_at(&c, c.list.data[i]));
		for (uint32_t i = 0; i < stores.len; i++)
			lower_store(&c, &stores.data[i]);
		*changed = *changed || c.list.len > 0;
	}
	return true;
}
