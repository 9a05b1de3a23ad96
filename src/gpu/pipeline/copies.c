/* Ring buffers, the copies that fill them, and the waits for their data. */
#include "gpu/analysis/prefix.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/pipeline.h"

IrValue *pipeline_slot(Pipeline *p, IrBuilder *b, const PipelineRing *ring, IrValue *number)
{
	CONTRACT(ring->memory->type->rank == ring->load->load->results[0].type->rank + 1);
	IrType tile = ring->load->load->results[0].type, memory = ring->memory->type;
	IrType one = ir_memdesc(p->gpu->ir, tile->elem, tile->shape, tile->rank, memory->encoding,
				PIPELINE_SHARED_SPACE, true);
	return irb_2(b, OP_MEMDESC_INDEX, one, ring->memory, number);
}

/* The same ring as its tiles lie when they are turned; NULL: the load's are not. */
static IrValue *turned_ring(Pipeline *p, const ScheduledLoad *l, IrValue *memory)
{
	int64_t shape[IR_MAX_RANK] = {p->s->slots};
	IrType one = l->turned ? l->turned->results[0].type : NULL;
	for (uint32_t k = 0; one && k < one->rank; k++)
		shape[k + 1] = one->shape[k];
	return one ? irb_1(&p->before, OP_MEMDESC_REINTERPRET,
			   ir_memdesc(p->gpu->ir, one->elem, shape, one->rank + 1, one->encoding,
				      PIPELINE_SHARED_SPACE, true),
			   memory)
		   : NULL;
}

static void add_ring(Pipeline *p, const ScheduledLoad *l)
{
	IrType tile = l->load->results[0].type;
	int64_t shape[IR_MAX_RANK] = {p->s->slots};
	if (l->boxes) {
		p->before.loc = l->load->loc;
		IrValue *memory =
			gpu_map_alloc(p->gpu, &p->before, ir_operand(l->load, 0)->type, p->s->slots);
		vec_push(p->cx->scratch, &p->rings,
			 (PipelineRing){.load = l,
					.memory = memory,
					.turned = turned_ring(p, l, memory),
					.late = l->late});
		return;
	}
	for (uint32_t k = 0; k < tile->rank; k++)
		shape[k + 1] = tile->shape[k];
	IrAttr encoding = gpu_encoding(p->gpu, l->memory);
	IrType type = ir_memdesc(p->gpu->ir, tile->elem, shape, tile->rank + 1, encoding,
				 PIPELINE_SHARED_SPACE, true);
	p->before.loc = l->load->loc;
	PipelineRing ring = {.load = l, .memory = irb_0(&p->before, OP_LOCAL_ALLOC, type)};
	vec_push(p->cx->scratch, &p->rings, ring);
}

typedef struct At {
	Pipeline *p;
	bool first;
	unsigned k;
} At;

static IrValue *at(void *data, IrValue *v)
{
	const At *a = data;
	return pipeline_value(a->p, a->first, v, a->k);
}

/* How many elements of each copy the mask lets through; NULL: all or none. */
static IrValue *count_at(Pipeline *p, bool first, const PipelineRing *ring, unsigned k, int64_t n)
{
	const IrOp *load = ring->load->load;
	At where = {p, first, k};
	Prefix prefix = {p->axes, p->gpu, pipeline_builder(p, first), ring->load->dim, n, at, &where};
	return load->operand_count > 1 ? prefix_count(&prefix, ir_operand(load, 1)) : NULL;
}

/* The copy of iteration k into slot `number`. */
static void copy_tile(Pipeline *p, bool first, const PipelineRing *ring, unsigned k, IrValue *number)
{
	IrBuilder *b = pipeline_builder(p, first);
	IrOp *load = ring->load->load;
	b->loc = load->loc;
	IrType token = p->gpu->ir->token, tile = load->results[0].type;
	unsigned n = ring->load->width * 8 / gpu_element_bits(tile->elem);
	IrValue *args[5] = {pipeline_value(p, first, ir_operand(load, 0), k), NULL,
			    pipeline_mask(p, first, load, k)};
	args[4] = count_at(p, first, ring, k, n);
	if (args[4])
		args[3] = ir_is_float(tile->elem) ? irb_float(b, tile, 0) : irb_int(b, tile, 0);
	args[1] = pipeline_slot(p, b, ring, number);
	IrOp *copy = irb_op(b, OP_ASYNC_COPY, args, args[4] ? 5 : 3, &token, 1, 0);
	static const IrAttrName names[] = {ATTR_CACHE, ATTR_EVICT};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (ir_get(load, p->gpu->ir, names[i]))
			ir_set(p->m, copy, names[i], ir_get(load, p->gpu->ir, names[i]));
	ir_set(p->m, copy, ATTR_COPY_CONTIGUITY, ir_attr_i32(p->gpu->ir, n));
	if (p->s->counted)
		ir_set(p->m, copy, ATTR_COUNTED, ir_attr_unit(p->gpu->ir));
	if (first)
		return;
	if (!p->s->reused)
		ir_set(p->m, copy, ATTR_FREE_SLOT, ir_attr_unit(p->gpu->ir));
	vec_push(p->cx->scratch, &p->issued, copy);
}

static IrOp *commit(Pipeline *p, IrBuilder *b)
{
	IrType token = p->gpu->ir->token;
	b->loc = p->loop->loc;
	return irb_op(b, OP_ASYNC_COMMIT, NULL, 0, &token, 1, 0);
}

/* The copy of the ring's tile belongs to iteration k, but for late ones: those are of the iteration
 * before. */
static unsigned iteration_of(const PipelineRing *ring, unsigned k)
{
	CONTRACT(k || !ring->late);
	return ring->late ? k - 1 : k;
}

static void issue(Pipeline *p, bool first, IrOp *op)
{
	if (!first)
		vec_push(p->cx->scratch, &p->issued, op);
}

/* Operand n of the copy for iteration k. Where late tiles alone are there (`last`), the others are
 * those of the iteration before once more, which nobody reads: so one branch does for all, and no
 * address is beyond what the loop loads. */
static IrValue *copy_operand(Pipeline *p, bool first, const PipelineRing *ring, unsigned k, uint32_t n,
			     IrValue *last)
{
	IrValue *v = ir_operand(ring->load->load, n);
	IrValue *at = pipeline_value(p, first, v, iteration_of(ring, k));
	IrValue *before = last && !ring->late ? pipeline_value(p, first, v, k - 1) : at;
	IrValue *args[] = {last, before, at};
	if (before == at)
		return at;
	return irb_op(pipeline_builder(p, first), OP_SELECT, args, 3, &at->type, 1, 0)->results;
}

/* What one thread does for iteration k: says how many bytes come to slot `number`, and issues their
 * copies. Late tiles are there for one iteration more than the others: the first slot has none. */
static void copy_boxes(Pipeline *p, bool first, unsigned k, IrValue *number)
{
	IrBuilder *b = pipeline_builder(p, first);
	IrValue *there = pipeline_exists(p, first, k), *last = NULL;
	uint64_t bytes = 0;
	if (!p->barriers)
		return;
	bool late = p->s->paired && k;
	if (late) {
		IrValue *yes = irb_int(b, there->type, 1);
		last = irb_2(b, OP_XORI, NULL, there, yes);
		there = pipeline_exists(p, first, k - 1);
	}
	/* All that the copies need comes before the first of them. */
	IrValue ***args = ARENA_ARRAY(p->cx->scratch, IrValue **, p->rings.len);
	for (uint32_t i = 0; i < p->rings.len; i++) {
		const PipelineRing *ring = &p->rings.data[i];
		const ScheduledLoad *l = ring->load;
		if (!l->boxes || (ring->late && !late))
			continue;
		bytes += l->bytes;
		args[i] = ARENA_ARRAY(p->cx->scratch, IrValue *, 4 + TENSOR_MAP_RANK);
		for (uint32_t n = 1; n < l->load->operand_count; n++)
			args[i][3 + n] = copy_operand(p, first, ring, k, n, last);
	}
	b->loc = p->loop->loc;
	for (uint32_t i = 0; i < p->rings.len; i++)
		if (args[i])
			args[i][1] = pipeline_slot(p, b, &p->rings.data[i], number);
	IrValue *barrier = gpu_barrier_at(p->gpu, b, p->barriers, number);
	if (p->free && !first) {
		/* Arrivals of other CTAs are waited for in the last iterations too: behind the loop
		 * none comes any more. */
		IrValue *waits = p->s->shared ? irb_int(b, there->type, 1) : there;
		issue(p, first,
		      irb_op(b, OP_WAIT_FREE, (IrValue *[]){p->freed, p->parity, waits}, 3, NULL, 0, 0));
	}
	IrOp *expect = irb_op(b, OP_BARRIER_EXPECT, (IrValue *[]){barrier, there}, 2, NULL, 0, 0);
	ir_set(p->m, expect, ATTR_SIZE, ir_attr_i32(p->gpu->ir, (int64_t)bytes));
	issue(p, first, expect);
	for (uint32_t i = 0; i < p->rings.len; i++) {
		const IrOp *load = p->rings.data[i].load->load;
		if (!args[i])
			continue;
		args[i][0] = ir_operand(load, 0);
		args[i][2] = barrier;
		args[i][3] = there;
		b->loc = load->loc;
		IrOp *op = irb_op(b, OP_TMA_LOAD, args[i], 3 + load->operand_count, NULL, 0, 0);
		if (!first)
			ir_set(p->m, op, ATTR_FREE_SLOT, ir_attr_unit(p->gpu->ir));
		if (p->rings.data[i].load->shared_by)
			ir_set(p->m, op, ATTR_SHARED_BY,
			       ir_attr_i32(p->gpu->ir, p->rings.data[i].load->shared_by));
		issue(p, first, op);
	}
}

IrOp *pipeline_say_free(Pipeline *p, IrBuilder *b)
{
	IrOp *op = irb_op(b, OP_ARRIVE_BARRIER, &p->freed, 1, NULL, 0, 0);
	if (p->s->shared)
		ir_set(p->m, op, ATTR_BY_CLUSTER, ir_attr_unit(p->gpu->ir));
	return op;
}

/* Before a CTA copies to another one's memory, that one has made its barriers, and has done with
 * what was there before, as copies see it. */
static void meet_cluster(Pipeline *p)
{
	IrBuilder *b = &p->before;
	IrOp *fence = irb_op(b, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(p->m, fence, ATTR_FENCE_CLUSTER, ir_attr_bool(p->gpu->ir, false));
	irb_op(b, OP_CLUSTER_BARRIER, NULL, 0, NULL, 0, 0);
}

/* The copies of iteration k to slot `number`. */
static void copy_all(Pipeline *p, bool first, unsigned k, IrValue *number)
{
	for (uint32_t i = 0; i < p->rings.len; i++)
		if (!p->rings.data[i].load->boxes)
			copy_tile(p, first, &p->rings.data[i], k, number);
	if (p->copies)
		issue(p, first, commit(p, pipeline_builder(p, first)));
	copy_boxes(p, first, k, number);
}

void pipeline_await(Pipeline *p, IrBuilder *b, unsigned pending)
{
	CONTRACT(p->copies);
	IrType token = p->gpu->ir->token;
	b->loc = p->loop->loc;
	IrOp *wait = irb_op(b, OP_ASYNC_WAIT, NULL, 0, &token, 1, 0);
	ir_set(p->m, wait, ATTR_NUM, ir_attr_i32(p->gpu->ir, pending));
}

static IrValue *next_of(IrBuilder *b, IrValue *number, IrValue *last, IrValue *zero)
{
	IrType i32 = number->type;
	IrValue *next = irb_2(b, OP_ADDI, NULL, number, irb_int(b, i32, 1));
	IrValue *args[] = {irb_cmpi(b, CMPI_EQ, number, last), zero, next};
	return irb_op(b, OP_SELECT, args, 3, &i32, 1, 0)->results;
}

static IrValue *next_slot(Pipeline *p, IrValue *number, IrValue *zero)
{
	return next_of(&p->top, number, irb_int(&p->before, number->type, p->s->slots - 1), zero);
}

IrValue *pipeline_next_slot(const Pipeline *p, IrBuilder *b, IrValue *number, IrValue *zero)
{
	CONTRACT(p->s->slots);
	return next_of(b, number, irb_int(b, number->type, p->s->slots - 1), zero);
}

IrValue *pipeline_next_parity(IrBuilder *b, IrValue *parity, IrValue *next, IrValue *first)
{
	CONTRACT(next->type == first->type);
	IrType i32 = parity->type;
	IrValue *one = irb_int(b, i32, 1);
	IrValue *args[] = {irb_cmpi(b, CMPI_EQ, next, first), irb_2(b, OP_XORI, NULL, parity, one), parity};
	return irb_op(b, OP_SELECT, args, 3, &i32, 1, 0)->results;
}

static void add_barriers(Pipeline *p, bool free)
{
	bool boxes = false;
	unsigned warps = gpu_num_warps(p->gpu, p->loop) + (p->s->turned ? SCHEDULE_TURNING_WARPS : 0);
	warps *= p->s->shared ? p->gpu->cluster : 1;
	for (uint32_t i = 0; i < p->rings.len; i++) {
		boxes |= p->rings.data[i].load->boxes;
		p->copies |= !p->rings.data[i].load->boxes;
	}
	p->before.loc = p->loop->loc;
	p->there = p->s->counted ? gpu_barriers_alloc(p->gpu, &p->before, 1, gpu_num_warps(p->gpu, p->loop))
				 : NULL;
	p->barriers = boxes ? gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, 1) : NULL;
	p->free = free ? gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, warps) : NULL;
	if (p->s->turned)
		p->turning =
			gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, SCHEDULE_TURNING_WARPS);
}

void pipeline_add_rings(Pipeline *p, bool free)
{
	CONTRACT(p->s->slots);
	for (uint32_t i = 0; i < p->s->loads.len; i++)
		if (p->s->loads.data[i].kind == SCHEDULE_COPIED)
			add_ring(p, &p->s->loads.data[i]);
	add_barriers(p, free);
}

/* All threads have read what this iteration's copies write over, and each waits for what it reads.
 * The parity changes each time that the numbers of slots start again. */
void pipeline_move_copies(Pipeline *p, IrOp *spot)
{
	CONTRACT(spot->block);
	for (uint32_t i = 0; i < p->issued.len; i++) {
		ir_op_unlink(p->issued.data[i]);
		ir_op_insert_after(p->issued.data[i], spot);
		spot = p->issued.data[i];
	}
}

static void await_boxes(Pipeline *p, IrValue *read, IrValue *next)
{
	IrBuilder *b = &p->top;
	IrType i32 = read->type;
	IrValue *parity = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	b->loc = p->loop->loc;
	/* Where they meet in front of the copies, or not at all, once is enough for the barriers in
	 * the slots to be made. */
	bool in_front = p->s->meets || p->free || p->s->whole;
	p->awaited = parity;
	if (!p->s->shared) { /* else the cluster has met */
		IrOp *meet = irb_op(in_front ? &p->before : b, OP_BARRIER, NULL, 0, NULL, 0, 0);
		p->meet_before = in_front ? meet : NULL;
	}
	if (p->free && !p->s->meets)
		pipeline_say_free(p, b);
	IrValue *args[] = {gpu_barrier_at(p->gpu, b, p->barriers, read), parity};
	irb_op(b, OP_WAIT_BARRIER, args, 2, NULL, 0, 0);
	IrValue *zero = irb_int(&p->before, i32, 0), *turned = pipeline_next_parity(b, parity, next, zero);
	vec_push(p->cx->scratch, &p->carried, (PipelineCarried){NULL, zero, parity, turned, 0});
	p->next = next;
	p->turned = turned;
}

/* The slot that is filled next: warps arrive at its barrier when they have read what was there. The
 * parity changes each time that the numbers start again, at `first`. */
static void find_freed(Pipeline *p, IrValue *written, IrValue *next, IrValue *first)
{
	IrBuilder *b = &p->top;
	if (!p->free)
		return;
	IrType i32 = written->type;
	b->loc = p->loop->loc;
	p->freed = gpu_barrier_at(p->gpu, b, p->free, written);
	p->parity = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *turned = pipeline_next_parity(b, p->parity, next, first);
	IrValue *zero = irb_int(&p->before, i32, 0);
	vec_push(p->cx->scratch, &p->carried, (PipelineCarried){NULL, zero, p->parity, turned, 0});
}

/* Numbers of the slots: of the tile that is read, and of the one that is written: it was read last,
 * or where products are under way the one before that; it is the same where it is reused. */
IrValue *pipeline_copy_ahead(Pipeline *p)
{
	CONTRACT(p->s->ahead < p->s->slots + p->s->whole + p->s->reused && p->s->pending < p->s->ahead);
	const Schedule *s = p->s;
	IrType i32 = ir_scalar(p->gpu->ir, TY_I32);
	pipeline_add_rings(p, s->apart || s->counted);
	if (s->shared)
		meet_cluster(p);
	for (unsigned k = 0; k < s->ahead; k++)
		copy_all(p, true, k, irb_int(&p->before, i32, k));
	IrValue *read = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *written = s->whole    ? NULL
			   : s->reused ? read
				       : ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *zero = irb_int(&p->before, i32, 0), *first = irb_int(&p->before, i32, s->ahead);
	if (p->copies && !s->counted)
		pipeline_await(p, &p->top, s->pending);
	IrValue *wrapped = next_slot(p, read, zero);
	vec_push(p->cx->scratch, &p->carried, (PipelineCarried){NULL, zero, read, wrapped, 0});
	IrValue *next = s->kept ? next_slot(p, written, zero) : read;
	if (written && !s->reused)
		vec_push(p->cx->scratch, &p->carried, (PipelineCarried){NULL, first, written, next, 0});
	find_freed(p, written, next, first);
	p->read = read;
	if (p->barriers)
		await_boxes(p, read, wrapped);
	if (s->counted) {
		pipeline_await_counted(p);
		vec_push(p->cx->scratch, &p->issued,
			 irb_op(&p->top, OP_WAIT_BARRIER, (IrValue *[]){p->freed, p->parity}, 2, NULL, 0, 0));
	}
	if (written)
		copy_all(p, false, s->ahead, written);
	else if (p->copies) /* a group of nothing: as many may be under way in each iteration */
		issue(p, false, commit(p, &p->top));
	return read;
}
