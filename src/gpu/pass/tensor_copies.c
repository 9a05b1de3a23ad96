/* tensor-copies: what goes through tensor maps is copied by TMA, from and to shared memory.
 *
 * Needs: TTGIR with its final layouts, loops pipelined. Keeps: what is computed. No tt.descriptor_load, _store or _reduce is left.
 *
 * A load: one thread announces the bytes at a barrier in shared memory and issues the copies, all wait for the barrier where the tile is
 * first needed, and each reads it in the layout that its user takes. Barriers of loads that run once are made at the start of the
 * function, so that copies can stand together; in a loop the barrier is made in front of it, and its parity is that of the
 * iteration; elsewhere it lives as long as the load.
 * A store: the tile goes to shared memory, one thread issues the copy and waits till the memory is read, or till the tensor is
 * written where something later may look at it. Fences and barriers of threads are for `barriers`. */
#include "base/vec.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory_int.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/pipeline.h"

enum { TMA_ALIGN = 128, SHARED_SPACE = 0 };

/* ---- loads ---- */

typedef struct Copies {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	IrOp *func;
	VEC(IrOp *) list;
} Copies;

static IrBuilder behind(const Copies *c, IrOp *op)
{
	IrBuilder b = ir_at_end(c->m, op->block, op->loc);
	b.before = op->next;
	return b;
}

/* Where all wait: in front of what needs the tile, or may write to where it comes from. */
static IrOp *place_of_wait(const IrOp *load)
{
	IrOp *op = load->next;
	for (; op->next; op = op->next) {
		bool needs = op->region_count || ir_has_trait(op, TRAIT_SYNC | TRAIT_TERM);
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
	IrBuilder front = once ? ir_at(c->m, ir_func_body(parent)->first) : loop ? ir_at(c->m, parent) : *b;
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
	IrBuilder b = ir_at(c->m, load);
	IrValue *map = ir_operand(load, 0), *yes = irb_int(&b, ir_scalar(gpu->ir, TY_I1), 1);
	Barrier barrier = barrier_for(c, load, &b);
	IrValue *memory = gpu_map_alloc(gpu, &b, map->type, 0);
	IrValue *args[4 + TENSOR_MAP_RANK] = {map, memory, barrier.word, yes};
	IrOp *expect = irb_op(&b, OP_BARRIER_EXPECT, (IrValue *[]){barrier.word, yes}, 2, NULL, 0, 0);
	ir_set(c->m, expect, ATTR_SIZE, ir_attr_i32(gpu->ir, (int64_t)gpu_map_bytes(gpu, map->type)));
	for (uint32_t i = 1; i < load->operand_count; i++)
		args[3 + i] = ir_operand(load, i);
	irb_op(&b, OP_TMA_LOAD, args, 3 + load->operand_count, NULL, 0, 0);
	IrBuilder wait = ir_at(c->m, place_of_wait(load));
	wait.loc = load->loc;
	irb_op(&wait, OP_WAIT_BARRIER, (IrValue *[]){barrier.word, barrier.parity}, 2, NULL, 0, 0);
	if (barrier.made)
		gpu_barriers_drop(gpu, &wait, barrier.made);
	read_tile(c, load, &wait, memory);
	ir_op_erase(load);
}

/* ---- stores ---- */

typedef struct Looks {
	const Copies *c;
	const IrOp *store;
	const IrValue *root; /* NULL: anywhere */
	bool behind, found;
} Looks;

/* Iterations that are programs do not look at each other's stores (gpu/plan/persist.h). */
static bool share_loop(const Copies *c, const IrOp *a, const IrOp *b)
{
	for (const IrOp *op = ir_parent_op(a); op; op = op->block ? ir_parent_op(op) : NULL)
		if ((op->kind == OP_FOR || op->kind == OP_WHILE) && ir_is_inside(b, op) &&
		    !ir_get_bool(op, c->gpu->ir, ATTR_PROGRAMS))
			return true;
	return false;
}

static bool look(void *data, IrOp *op)
{
	Looks *l = data;
	const IrValue *root;
	if (op == l->store) {
		l->behind = true;
	} else if (gpu_global_access(l->c->gpu, op, &root) && (l->behind || share_loop(l->c, op, l->store))) {
		l->found |= !root || !l->root || root == l->root;
	}
	return true;
}

/* May something later look at what is stored, or store there? */
static bool is_looked_at(const Copies *c, const IrOp *store)
{
	Looks l = {.c = c, .store = store};
	gpu_global_access(c->gpu, store, &l.root);
	ir_walk(c->func, false, look, &l);
	return l.found;
}

/* The tile in the layout that it comes in: any will do. */
static IrValue *as_it_comes(IrValue *tile)
{
	while (tile->def && tile->def->kind == OP_CONVERT_LAYOUT && ir_has_one_use(tile))
		tile = ir_operand(tile->def, 0);
	return tile;
}

static void lower_store(const Copies *c, IrOp *store)
{
	GpuCx *gpu = c->gpu;
	IrBuilder b = ir_at(c->m, store);
	IrValue *map = ir_operand(store, 0), *args[2 + TENSOR_MAP_RANK] = {map};
	bool reduces = store->kind == OP_DESC_REDUCE, looked_at = is_looked_at(c, store);
	IrType memory = gpu_map_memdesc(gpu, map->type);
	memory = ir_memdesc(gpu->ir, memory->elem, memory->shape, memory->rank, memory->encoding, SHARED_SPACE, false);
	args[1] = irb_1(&b, OP_LOCAL_ALLOC, memory, as_it_comes(ir_operand(store, 1)));
	if (gpu_memdesc_bytes(gpu, memory) < TMA_ALIGN)
		ir_set(c->m, args[1]->def, ATTR_ALIGNMENT, ir_attr_i32(gpu->ir, TMA_ALIGN));
	for (uint32_t i = 2; i < store->operand_count; i++)
		args[i] = ir_operand(store, i);
	IrOp *copy = irb_op(&b, reduces ? OP_TMA_REDUCE : OP_TMA_STORE, args, store->operand_count, NULL, 0, 0);
	if (reduces)
		ir_set(c->m, copy, ATTR_REDUCE_KIND, ir_get(store, gpu->ir, ATTR_REDUCE_KIND));
	IrOp *wait = irb_op(&b, OP_TMA_STORE_WAIT, NULL, 0, NULL, 0, 0);
	ir_set(c->m, wait, ATTR_PENDINGS, ir_attr_i32(gpu->ir, 0));
	if (looked_at)
		ir_set(c->m, wait, ATTR_WRITTEN, ir_attr_unit(gpu->ir));
	irb_op(&b, OP_LOCAL_DEALLOC, &args[1], 1, NULL, 0, 0);
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
		for (uint32_t i = 0; i < c.list.len; i++) {
			if (c.list.data[i]->kind == OP_DESC_LOAD)
				lower_load(&c, c.list.data[i]);
			else
				lower_store(&c, c.list.data[i]);
		}
		*changed = *changed || c.list.len > 0;
	}
	return true;
}
