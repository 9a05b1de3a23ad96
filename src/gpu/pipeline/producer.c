/* The loops of a producer warp: address computation, waits for free slots, copies.
 *
 * Inputs from outside are recomputed where they are scalars without effects; others become
 * operands of the op and arguments of the partition. */
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/pipeline.h"

typedef struct Producer {
	Pipeline *p;
	IrModule *m;
	Arena *arena;
	IrOp *root, *specialize;
	IrBlock *block;
	IrOp *front; /* the outermost loop, once it is made: what comes from outside stands before it */
	uint8_t *needed; /* by op id */
	uint8_t *carried; /* by id of an argument of a loop's body */
	IrMapping map;
	IrValue *slot, *parity; /* of the next copies */
	const Layout *const *layouts; /* it turns tiles, and reads them in these; NULL: it copies */
	bool early, late; /* it copies what early products read, and tiles; what late ones alone do */
} Producer;

static bool is_its(const Producer *d, const PipelineRing *ring)
{
	return ring->late && d->p->late.there ? d->late : d->early;
}

static uint32_t tiles_of(const Producer *d)
{
	return d->early ? d->p->tiles.len : 0;
}

/* ---- what is needed ---- */

static void need(Producer *d, IrValue *v);

static void need_loop(Producer *d, IrOp *loop)
{
	d->needed[loop->id] = 1;
	for (uint32_t i = 0; i < 3; i++)
		need(d, ir_operand(loop, i));
}

/* Value `at` of those that the loop carries: argument and result at once. */
static void need_carried(Producer *d, IrOp *loop, uint32_t at)
{
	const IrBlock *body = loop->regions[0].first;
	need_loop(d, loop);
	if (!at || d->carried[body->args[at]->id])
		return;
	d->carried[body->args[at]->id] = 1;
	need(d, ir_operand(loop, at + 2));
	need(d, ir_operand(body->last, at - 1));
}

static void need(Producer *d, IrValue *v)
{
	if (ir_is_defined_outside(v, d->root))
		return;
	IrOp *op = v->def ? v->def : v->block->region->op;
	if (op->kind == OP_FOR) {
		need_carried(d, op, v->def ? (uint32_t)(v - op->results) + 1 : v->index);
		return;
	}
	CONTRACT(v->def && !op->region_count);
	if (d->needed[op->id])
		return;
	d->needed[op->id] = 1;
	for (uint32_t i = 0; i < op->operand_count; i++)
		need(d, ir_operand(op, i));
}

static void need_all(Producer *d)
{
	for (IrOp *op = d->p->loop; op != d->root; op = ir_parent_op(op))
		need_loop(d, op);
	need_loop(d, d->root);
	for (uint32_t i = 0; i < d->p->rings.len && !d->layouts; i++) {
		const IrOp *load = d->p->rings.data[i].load->load;
		for (uint32_t k = 1; k < load->operand_count && is_its(d, &d->p->rings.data[i]); k++)
			need(d, ir_operand(load, k));
	}
	for (uint32_t i = 0; i < tiles_of(d); i++)
		for (uint32_t k = 1; k < d->p->tiles.data[i].load->operand_count; k++)
			need(d, ir_operand(d->p->tiles.data[i].load, k));
}

/* ---- what comes from outside ---- */

static bool is_cheap(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op || depth == 0 || !ir_is_pure(op) || op->region_count || op->result_count != 1 ||
	    ir_is_tensor(v->type) || v->type->kind == TY_MEMDESC)
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *from = ir_operand(op, i);
		bool argument = !from->def && ir_parent_op(from->block->first)->kind == OP_FUNC;
		if (!argument && !is_cheap(from, depth - 1))
			return false;
	}
	return true;
}

static IrBuilder in_front(const Producer *d)
{
	IrBuilder b = ir_at_end(d->m, d->block, d->root->loc);
	b.before = d->front;
	return b;
}

static IrValue *capture(Producer *d, IrValue *v)
{
	enum { DEEPEST = 12 };
	IrValue *here = ir_mapping_get(&d->map, v);
	if (here != v && here)
		return here;
	if (is_cheap(v, DEEPEST)) {
		for (uint32_t i = 0; i < v->def->operand_count; i++)
			capture(d, ir_operand(v->def, i));
		IrBuilder b = in_front(d);
		IrOp *copy = ir_clone(d->m, v->def, &d->map, NULL, NULL);
		if (b.before)
			ir_op_insert_before(copy, b.before);
		else
			ir_op_append(d->block, copy);
		return &copy->results[0];
	}
	here = ir_block_arg_add(d->m, d->block, v->type, ir_value_loc(v));
	ir_operand_add(d->m, d->specialize, v);
	ir_mapping_put(&d->map, v, here);
	return here;
}

static IrValue *value_of(Producer *d, IrValue *v)
{
	return ir_is_defined_outside(v, d->root) ? capture(d, v) : ir_mapping_get(&d->map, v);
}

/* ---- the loops ---- */

/* The copies of an iteration to rings whose slots have these barriers. */
static void put_copies_to(Producer *d, IrBuilder b, const PipelineSlots *to, bool late)
{
	Pipeline *p = d->p;
	GpuCx *gpu = p->gpu;
	IrValue *args[4 + TENSOR_MAP_RANK], *yes = irb_int(&b, ir_scalar(gpu->ir, TY_I1), 1);
	IrValue *there = capture(d, to->there), *free = capture(d, to->free);
	IrValue **slots = ARENA_ARRAY(d->arena, IrValue *, p->rings.len);
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < p->rings.len; i++) {
		if (p->rings.data[i].late != late)
			continue;
		slots[i] = gpu_slot_at(&b, capture(d, p->rings.data[i].memory), d->slot);
		bytes += p->rings.data[i].load->bytes;
	}
	there = gpu_barrier_at(gpu, &b, there, d->slot);
	free = gpu_barrier_at(gpu, &b, free, d->slot);
	irb_op(&b, OP_WAIT_FREE, (IrValue *[]){free, d->parity, yes}, 3, NULL, 0, 0);
	IrOp *op = irb_op(&b, OP_BARRIER_EXPECT, (IrValue *[]){there, yes}, 2, NULL, 0, 0);
	ir_set(d->m, op, ATTR_SIZE, ir_attr_i32(gpu->ir, (int64_t)bytes));
	for (uint32_t i = 0; i < p->rings.len; i++) {
		const IrOp *load = p->rings.data[i].load->load;
		if (p->rings.data[i].late != late)
			continue;
		args[0] = value_of(d, ir_operand(load, 0));
		args[1] = slots[i];
		args[2] = there;
		args[3] = yes;
		for (uint32_t k = 1; k < load->operand_count; k++)
			args[3 + k] = value_of(d, ir_operand(load, k));
		b.loc = load->loc;
		op = irb_op(&b, OP_TMA_LOAD, args, 3 + load->operand_count, NULL, 0, 0);
		ir_set(d->m, op, ATTR_FREE_SLOT, ir_attr_unit(gpu->ir));
		if (p->rings.data[i].load->shared_by)
			ir_set(d->m, op, ATTR_SHARED_BY,
			       ir_attr_i32(gpu->ir, p->rings.data[i].load->shared_by));
	}
}

/* Where CTAs share tiles, all of them have freed all slots before the role ends: nobody arrives at
 * this CTA's barriers any more. */
static void await_all_free(Producer *d)
{
	Pipeline *p = d->p;
	IrBuilder b = ir_at_end(d->m, d->block, p->loop->loc);
	IrValue *yes = irb_int(&b, ir_scalar(p->gpu->ir, TY_I1), 1), *free = capture(d, p->free);
	IrValue *zero = irb_int(&b, d->slot->type, 0);
	for (unsigned i = 0; i < p->s->slots; i++) {
		IrValue *one = gpu_barrier_at(p->gpu, &b, free, d->slot);
		irb_op(&b, OP_WAIT_FREE, (IrValue *[]){one, d->parity, yes}, 3, NULL, 0, 0);
		IrValue *next = pipeline_next_slot(p, &b, d->slot, zero);
		d->parity = pipeline_next_parity(&b, d->parity, next, zero);
		d->slot = next;
	}
}

/* What the slot of an iteration holds is turned where it lies: all of it is read before any of it
 * is written. All its warps have fenced what they wrote when the first of them says that it is
 * there. */
static void put_turning(Producer *d, IrBuilder b)
{
	Pipeline *p = d->p;
	IrValue *there = gpu_barrier_at(p->gpu, &b, capture(d, p->barriers), d->slot);
	IrValue *turned = gpu_barrier_at(p->gpu, &b, capture(d, p->turning), d->slot);
	IrValue *free = gpu_barrier_at(p->gpu, &b, capture(d, p->free), d->slot);
	irb_op(&b, OP_WAIT_BARRIER, (IrValue *[]){there, d->parity}, 2, NULL, 0, 0);
	for (uint32_t i = 0; i < p->rings.len; i++) {
		const PipelineRing *ring = &p->rings.data[i];
		const IrOp *load = ring->load->load;
		if (!ring->turned)
			continue;
		b.loc = load->loc;
		IrValue *from = gpu_slot_at(&b, capture(d, ring->memory), d->slot);
		IrValue *to = gpu_slot_at(&b, capture(d, ring->turned), d->slot);
		IrType type = gpu_with_layout(p->gpu, load->results[0].type, d->layouts[i]);
		IrValue *held = irb_1(&b, OP_LOCAL_LOAD, type, from);
		irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
		irb_op(&b, OP_LOCAL_STORE, (IrValue *[]){held, to}, 2, NULL, 0, 0);
	}
	b.loc = p->loop->loc;
	IrOp *fence = irb_op(&b, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(d->m, fence, ATTR_FENCE_CLUSTER, ir_attr_bool(p->gpu->ir, false));
	irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	irb_op(&b, OP_ARRIVE_BARRIER, &turned, 1, NULL, 0, 0);
	irb_op(&b, OP_ARRIVE_BARRIER, &free, 1, NULL, 0, 0);
}

/* The copies of an iteration, or the turning, at the end of its block. */
static void put_copies(Producer *d, IrBlock *block)
{
	Pipeline *p = d->p;
	PipelineSlots all = {p->barriers, p->free};
	if (d->layouts)
		put_turning(d, ir_at_end(d->m, block, p->loop->loc));
	if (d->early)
		put_copies_to(d, ir_at_end(d->m, block, p->loop->loc), &all, false);
	if (p->late.there && d->late)
		put_copies_to(d, ir_at_end(d->m, block, p->loop->loc), &p->late, true);
	IrBuilder b = ir_at_end(d->m, block, p->loop->loc);
	IrValue *zero = irb_int(&b, d->slot->type, 0), *next = pipeline_next_slot(p, &b, d->slot, zero);
	d->parity = pipeline_next_parity(&b, d->parity, next, zero);
	d->slot = next;
}

/* t / slots, of iteration t of the loop. */
void pipeline_tile_slot(IrBuilder *b, const IrOp *loop, IrValue *counter, unsigned slots, IrValue **slot,
			IrValue **parity)
{
	CONTRACT(slots == 1 || slots == 2);
	IrType i32 = ir_scalar(b->m->cx, TY_I32);
	IrValue *one = irb_int(b, i32, 1), *step = ir_operand(loop, 2);
	IrValue *number = irb_2(b, OP_SUBI, NULL, counter, ir_operand(loop, 0));
	number = irb_2(b, OP_DIVUI, NULL, number, step);
	if (number->type->bits != 32)
		number = irb_1(b, number->type->bits > 32 ? OP_TRUNCI : OP_EXTUI, i32, number);
	*slot = slots == 1 ? irb_int(b, i32, 0) : irb_2(b, OP_ANDI, NULL, number, one);
	number = slots == 1 ? number : irb_2(b, OP_SHRUI, NULL, number, one);
	*parity = irb_2(b, OP_ANDI, NULL, number, one);
}

/* The tiles of an iteration of the root. */
static void put_tiles(Producer *d, IrBlock *block)
{
	GpuCx *gpu = d->p->gpu;
	for (uint32_t i = 0; i < tiles_of(d); i++) {
		const PipelineTile *t = &d->p->tiles.data[i];
		IrValue *args[4 + TENSOR_MAP_RANK], *slot, *parity, *map = ir_operand(t->load, 0);
		IrValue *memory = capture(d, t->memory), *there = capture(d, t->barriers.there),
			*free = capture(d, t->barriers.free);
		IrBuilder b = ir_at_end(d->m, block, t->load->loc);
		IrValue *yes = irb_int(&b, ir_scalar(gpu->ir, TY_I1), 1), *one;
		pipeline_tile_slot(&b, block->region->op, block->args[0], t->slots, &slot, &parity);
		one = irb_int(&b, parity->type, 1);
		there = gpu_barrier_at(gpu, &b, there, slot);
		free = gpu_barrier_at(gpu, &b, free, slot);
		IrValue *wait[] = {free, irb_2(&b, OP_XORI, NULL, parity, one), yes};
		irb_op(&b, OP_WAIT_FREE, wait, 3, NULL, 0, 0);
		IrOp *op = irb_op(&b, OP_BARRIER_EXPECT, (IrValue *[]){there, yes}, 2, NULL, 0, 0);
		ir_set(d->m, op, ATTR_SIZE, ir_attr_i32(gpu->ir, (int64_t)gpu_map_bytes(gpu, map->type)));
		args[0] = value_of(d, map);
		args[1] = gpu_slot_at(&b, memory, slot);
		args[2] = there;
		args[3] = yes;
		for (uint32_t k = 1; k < t->load->operand_count; k++)
			args[3 + k] = value_of(d, ir_operand(t->load, k));
		op = irb_op(&b, OP_TMA_LOAD, args, 3 + t->load->operand_count, NULL, 0, 0);
		ir_set(d->m, op, ATTR_FREE_SLOT, ir_attr_unit(gpu->ir));
	}
}

static void put_loop(Producer *d, IrOp *loop, IrBlock *block);

static void put_body(Producer *d, IrOp *loop, IrBlock *block)
{
	for (IrOp *op = loop->regions[0].first->first; op; op = op->next) {
		if (!d->needed[op->id])
			continue;
		if (op->kind == OP_FOR) {
			put_tiles(d, block); /* there are none but of the loop around p->loop */
			put_loop(d, op, block);
			continue;
		}
		for (uint32_t i = 0; i < op->operand_count; i++)
			if (ir_is_defined_outside(ir_operand(op, i), d->root))
				capture(d, ir_operand(op, i));
		ir_op_append(block, ir_clone(d->m, op, &d->map, NULL, NULL));
	}
	if (loop == d->p->loop)
		put_copies(d, block);
}

/* What goes round: values that addresses come from, slot and parity. */
static void put_loop(Producer *d, IrOp *loop, IrBlock *block)
{
	const IrBlock *body = loop->regions[0].first;
	uint32_t n = 0, count = body->arg_count + 1;
	IrValue **operands = ARENA_ARRAY(d->arena, IrValue *, 3 + count),
		**next = ARENA_ARRAY(d->arena, IrValue *, count);
	IrType *types = ARENA_ARRAY(d->arena, IrType, count);
	for (uint32_t i = 0; i < 3; i++)
		operands[i] = value_of(d, ir_operand(loop, i));
	for (uint32_t i = 1; i < body->arg_count; i++)
		if (d->carried[body->args[i]->id])
			operands[3 + n++] = value_of(d, ir_operand(loop, i + 2));
	operands[3 + n++] = d->slot;
	operands[3 + n++] = d->parity;
	for (uint32_t i = 0; i < n; i++)
		types[i] = operands[3 + i]->type;
	IrBuilder b = ir_at_end(d->m, block, loop->loc);
	IrOp *made = irb_op(&b, OP_FOR, operands, 3 + n, types, n, 1);
	ir_set(d->m, made, ATTR_UNSIGNED_CMP, ir_get(loop, d->p->gpu->ir, ATTR_UNSIGNED_CMP));
	ir_set(d->m, made, ATTR_PIPELINE, ir_attr_array(d->p->gpu->ir, NULL, 0));
	if (!d->front)
		d->front = made;
	IrBlock *inside = ir_block_new(d->m, &made->regions[0]);
	ir_mapping_put(&d->map, body->args[0], ir_block_arg_add(d->m, inside, operands[0]->type, loop->loc));
	for (uint32_t i = 1, k = 0; i < body->arg_count; i++)
		if (d->carried[body->args[i]->id])
			ir_mapping_put(&d->map, body->args[i],
				       ir_block_arg_add(d->m, inside, types[k++], loop->loc));
	d->slot = ir_block_arg_add(d->m, inside, d->slot->type, loop->loc);
	d->parity = ir_block_arg_add(d->m, inside, d->parity->type, loop->loc);
	put_body(d, loop, inside);
	uint32_t at = 0;
	for (uint32_t i = 1; i < body->arg_count; i++)
		if (d->carried[body->args[i]->id]) {
			ir_mapping_put(&d->map, &loop->results[i - 1], &made->results[at]);
			next[at++] = value_of(d, ir_operand(body->last, i - 1));
		}
	next[at++] = d->slot;
	next[at++] = d->parity;
	IrBuilder end = ir_at_end(d->m, inside, loop->loc);
	irb_op(&end, OP_YIELD, next, at, NULL, 0, 0);
	d->slot = &made->results[at - 2];
	d->parity = &made->results[at - 1];
}

/* What other partitions are given is given to this one too. */
static void take_operands(Producer *d)
{
	for (uint32_t i = d->block->arg_count; i < d->specialize->operand_count; i++) {
		IrValue *v = ir_operand(d->specialize, i);
		ir_mapping_put(&d->map, v, ir_block_arg_add(d->m, d->block, v->type, ir_value_loc(v)));
	}
}

void pipeline_take_operands(IrModule *m, IrOp *specialize, IrBlock *block)
{
	for (uint32_t i = block->arg_count; i < specialize->operand_count; i++) {
		IrValue *v = ir_operand(specialize, i);
		ir_block_arg_add(m, block, v->type, ir_value_loc(v));
	}
}

static void produce(Producer *d, int64_t parity)
{
	IrType i32 = ir_scalar(d->p->gpu->ir, TY_I32);
	d->m = d->p->m;
	d->arena = d->p->cx->scratch;
	d->needed = ARENA_ARRAY(d->arena, uint8_t, d->m->next_op);
	d->carried = ARENA_ARRAY(d->arena, uint8_t, d->m->next_value);
	ir_mapping_init(&d->map, d->arena);
	take_operands(d);
	need_all(d);
	IrBuilder b = ir_at_end(d->m, d->block, d->root->loc);
	d->slot = irb_int(&b, i32, 0);
	d->parity = irb_int(&b, i32, parity);
	put_loop(d, d->root, d->block);
}

void pipeline_produce(Pipeline *p, IrOp *root, IrOp *specialize, IrBlock *block, bool early, bool late)
{
	CONTRACT(p->barriers && p->free);
	Producer d = {.p = p,
		      .root = root,
		      .specialize = specialize,
		      .block = block,
		      .early = early,
		      .late = late};
	produce(&d, 1); /* all are free */
	if (p->s->shared)
		await_all_free(&d);
}

void pipeline_produce_turned(Pipeline *p, IrOp *root, IrOp *specialize, IrBlock *block,
			     const Layout *const *layouts)
{
	CONTRACT(p->barriers && p->free && p->turning && layouts);
	Producer d = {
		.p = p, .root = root, .specialize = specialize, .block = block, .layouts = layouts};
	produce(&d, 0);
}
