/* pipeline: loads of a loop are started iterations before the one that uses them (num_stages), so that the loop computes while
 * memory answers.
 *
 * Needs: TTGIR with its final layouts. Keeps: what is computed, bit by bit; adds neso.pipeline to the loops it looked at (schedule.h).
 * Method: what a schedule's loads need (addresses, masks) is computed a second time, as for the iteration `ahead`, from
 * carried values of its own that run ahead. In front of the loop the first iterations are begun; in the loop each iteration
 * begins one more. What would be of an iteration that never comes is masked: a loop may run any number of times, none too.
 * There is no code behind the loop but the wait for (empty) groups.
 *
 *	for k < ahead: copy k to slot k; commit                 -- masked by lower + k * step < upper
 *	loop i:  wait(ahead - 1); load slot i % slots; copy i + ahead to the slot that was read before; commit; ...
 *
 * The wait is the first op of the body: one barrier behind it covers both that all threads' copies of this iteration are there
 * and that all have read what is written over, so the copies may stand anywhere behind it (neso.free_slot). */
#include "gpu/analysis/prefix.h"
#include "gpu/analysis/pressure.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pass/carry.h"
#include "gpu/plan/rotate.h"
#include "gpu/plan/schedule.h"

enum {
	MOST_AHEAD = 64 + SCHEDULE_DEEPEST + 1,
	SHARED_SPACE = 0,
};

/* The loop's values as of another iteration, and where ops that compute them go. */
typedef struct Point {
	IrMapping map;
	uint8_t *done;    /* by id of values of the loop as it was */
	IrValue *exists;  /* i1: there is such an iteration; NULL: not computed yet */
	IrValue *counter; /* likewise */
} Point;

/* A carried value that was added: the loop's `of`, as of `ahead` iterations later. */
typedef struct Carried {
	IrValue *of, *init, *arg, *next;
	unsigned ahead;
} Carried;

typedef struct Ring {
	const ScheduledLoad *load;
	IrValue *memory;
} Ring;

typedef struct Pipeline {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	const Schedule *s;
	const AxisMap *axes;
	IrOp *loop;
	IrBlock *body;
	IrBuilder before, top; /* in front of the loop; at the start of its body */
	uint32_t values;
	Point *first[MOST_AHEAD], *ahead[MOST_AHEAD]; /* iteration k; k iterations later */
	IrValue *distance; /* upper - lower */
	VEC(Carried) carried;
	VEC(Ring) rings;
	IrValue *barriers; /* of the slots that TMA fills; NULL: it fills none */
	IrValue *free, *freed, *parity; /* of the same slots: where warps arrive that have read them; NULL: they meet. The one to be filled */
	bool copies;       /* there are rings that cp.async fills */
	VEC(IrOp *) issued; /* the copies and the commit of an iteration */
	bool met; /* they stand behind a barrier of their own */
} Pipeline;

static Point *new_point(Pipeline *p)
{
	Point *point = ARENA_NEW(p->cx->scratch, Point);
	ir_mapping_init(&point->map, p->cx->scratch);
	point->done = ARENA_ARRAY(p->cx->scratch, uint8_t, p->values);
	return point;
}

static Point *point_of(Pipeline *p, Point **points, unsigned k)
{
	ASSERT(k < MOST_AHEAD);
	points[k] = points[k] ? points[k] : new_point(p);
	return points[k];
}

/* ---- the iteration k after another ---- */

static IrValue *counter_plus(Pipeline *p, IrBuilder *b, IrValue *counter, unsigned k)
{
	IrValue *step = ir_operand(p->loop, 2);
	int64_t known;
	if (!k)
		return counter;
	if (ir_constant_int(step, &known))
		return irb_2(b, OP_ADDI, NULL, counter, irb_int(b, step->type, known * k));
	return irb_2(b, OP_ADDI, NULL, counter, irb_2(b, OP_MULI, NULL, step, irb_int(b, step->type, k)));
}

/* Is what is left, as an unsigned number, more than k steps? */
static IrValue *more_than(Pipeline *p, IrBuilder *b, IrValue *left, unsigned k)
{
	IrValue *step = ir_operand(p->loop, 2);
	int64_t known;
	if (ir_constant_int(step, &known))
		return irb_cmpi(b, CMPI_UGT, left, irb_int(b, left->type, known * k));
	IrType wide = ir_scalar(p->gpu->ir, TY_I64);
	IrValue *count = irb_int(b, wide, k);
	IrValue *steps = irb_2(b, OP_MULI, NULL, irb_1(b, OP_EXTUI, wide, step), count);
	return irb_cmpi(b, CMPI_UGT, irb_1(b, OP_EXTUI, wide, left), steps);
}

static IrValue *exists(Pipeline *p, bool first, unsigned k)
{
	Point *point = point_of(p, first ? p->first : p->ahead, k);
	IrBuilder *b = first ? &p->before : &p->top;
	IrValue *lower = ir_operand(p->loop, 0), *upper = ir_operand(p->loop, 1);
	if (point->exists)
		return point->exists;
	if (!first)
		return point->exists = more_than(p, b, irb_2(b, OP_SUBI, NULL, upper, p->body->args[0]), k);
	if (k == 0) {
		bool is_unsigned = ir_get_bool(p->loop, p->gpu->ir, ATTR_UNSIGNED_CMP);
		return point->exists = irb_cmpi(b, is_unsigned ? CMPI_ULT : CMPI_SLT, lower, upper);
	}
	IrValue *some = exists(p, true, 0);
	p->distance = p->distance ? p->distance : irb_2(b, OP_SUBI, NULL, upper, lower);
	return point->exists = irb_2(b, OP_ANDI, NULL, some, more_than(p, b, p->distance, k));
}

/* ---- values of another iteration ---- */

static IrValue *value_at(Pipeline *p, bool first, IrValue *v, unsigned k);

typedef struct Captured {
	Pipeline *p;
	const IrOp *op;
	bool first;
	unsigned k;
} Captured;

static bool compute_captured(void *data, IrOp *inner)
{
	Captured *c = data;
	for (uint32_t i = 0; i < inner->operand_count; i++)
		if (ir_is_defined_outside(ir_operand(inner, i), c->op))
			value_at(c->p, c->first, ir_operand(inner, i), c->k);
	return true;
}

static IrOp *copy_op(Pipeline *p, bool first, IrOp *op, unsigned k)
{
	Captured c = {p, op, first, k};
	if (ir_has_trait(op, TRAIT_NOFX))
		exists(p, first, k);
	for (uint32_t i = 0; i < op->operand_count; i++)
		value_at(p, first, ir_operand(op, i), k);
	ir_walk(op, false, compute_captured, &c);
	Point *point = point_of(p, first ? p->first : p->ahead, k);
	IrOp *copy = ir_clone(p->m, op, &point->map, NULL, NULL);
	IrBuilder *b = first ? &p->before : &p->top;
	if (b->before)
		ir_op_insert_before(copy, b->before);
	else
		ir_op_append(b->block, copy);
	return copy;
}

/* Divisors of iterations that are not there may be 0. */
static void guard_divisor(Pipeline *p, bool first, IrOp *copy, unsigned k)
{
	IrBuilder b = ir_at(p->m, copy);
	IrValue *divisor = ir_operand(copy, 1), *there = exists(p, first, k);
	if (ir_constant_of(divisor))
		return;
	IrValue *args[] = {there, divisor, irb_int(&b, divisor->type, 1)};
	ir_operand_set(copy, 1, irb_op(&b, OP_SELECT, args, 3, &divisor->type, 1, 0)->results);
}

/* The mask of a load in an iteration that may not be there. */
static IrValue *mask_at(Pipeline *p, bool first, const IrOp *load, unsigned k)
{
	IrBuilder *b = first ? &p->before : &p->top;
	IrValue *there = exists(p, first, k);
	IrType type = load->results[0].type;
	if (ir_is_tensor(type))
		there = irb_splat(b, there, type);
	return load->operand_count > 1 ? irb_2(b, OP_ANDI, NULL, value_at(p, first, ir_operand(load, 1), k), there) : there;
}

/* The load as of iteration k. */
static IrValue *load_at(Pipeline *p, bool first, IrOp *load, unsigned k)
{
	IrOp *copy = copy_op(p, first, load, k);
	IrValue *mask = mask_at(p, first, load, k);
	/* The mask was computed after the copy. */
	ir_op_unlink(copy);
	IrBuilder *b = first ? &p->before : &p->top;
	if (b->before)
		ir_op_insert_before(copy, b->before);
	else
		ir_op_append(b->block, copy);
	if (copy->operand_count > 1)
		ir_operand_set(copy, 1, mask);
	else
		ir_operand_add(p->m, copy, mask);
	return &copy->results[0];
}

static IrValue *carry(Pipeline *p, IrValue *of, unsigned k, IrValue *init)
{
	IrValue *arg = ir_block_arg_add(p->m, p->body, of->type, ir_value_loc(of));
	vec_push(p->cx->scratch, &p->carried, (Carried){of, init, arg, NULL, k});
	return arg;
}

static IrValue *compute_first(Pipeline *p, IrValue *v, unsigned k)
{
	if (v->block)
		return v->index == 0 ? counter_plus(p, &p->before, ir_operand(p->loop, 0), k)
		       : k == 0	     ? ir_operand(p->loop, v->index + 2)
				     : value_at(p, true, ir_operand(p->body->last, v->index - 1), k - 1);
	if (v->def->kind == OP_LOAD)
		return load_at(p, true, v->def, k);
	IrOp *copy = copy_op(p, true, v->def, k);
	if (ir_has_trait(v->def, TRAIT_NOFX))
		guard_divisor(p, true, copy, k);
	return ir_mapping_get(&p->first[k]->map, v);
}

static IrValue *compute_ahead(Pipeline *p, IrValue *v, unsigned k)
{
	if (v->block && v->index == 0)
		return counter_plus(p, &p->top, v, k);
	if (v->block || v->def->kind == OP_LOAD)
		return carry(p, v, k, value_at(p, true, v, k));
	IrOp *copy = copy_op(p, false, v->def, k);
	if (ir_has_trait(v->def, TRAIT_NOFX))
		guard_divisor(p, false, copy, k);
	return ir_mapping_get(&p->ahead[k]->map, v);
}

/* `v` as of iteration k (first), or k iterations after the one that runs. Computed once; loads of it are carried, and were
 * issued the iteration before. */
static IrValue *value_at(Pipeline *p, bool first, IrValue *v, unsigned k)
{
	Point *point = point_of(p, first ? p->first : p->ahead, k);
	if (ir_is_defined_outside(v, p->loop))
		return v;
	ASSERT(v->id < p->values);
	if (point->done[v->id])
		return ir_mapping_get(&point->map, v);
	IrValue *made = first ? compute_first(p, v, k) : compute_ahead(p, v, k);
	point->done[v->id] = 1;
	ir_mapping_put(&point->map, v, made);
	return made;
}

/* What the loop carries ahead goes on from iteration to iteration. */
static void go_on(Pipeline *p)
{
	for (uint32_t i = 0; i < p->carried.len; i++) {
		Carried c = p->carried.data[i];
		if (!c.next && c.of)
			c.next = c.of->block ? value_at(p, false, ir_operand(p->body->last, c.of->index - 1), c.ahead)
					     : load_at(p, false, c.of->def, c.ahead + 1);
		p->carried.data[i].next = c.next;
	}
}

/* ---- rings ---- */

static IrValue *slot_of(Pipeline *p, IrBuilder *b, const Ring *ring, IrValue *number)
{
	IrType tile = ring->load->load->results[0].type, memory = ring->memory->type;
	IrType one = ir_memdesc(p->gpu->ir, tile->elem, tile->shape, tile->rank, memory->encoding, SHARED_SPACE, true);
	return irb_2(b, OP_MEMDESC_INDEX, one, ring->memory, number);
}

static void add_ring(Pipeline *p, const ScheduledLoad *l)
{
	IrType tile = l->load->results[0].type;
	int64_t shape[IR_MAX_RANK] = {p->s->slots};
	if (l->boxes) {
		p->before.loc = l->load->loc;
		IrValue *memory = gpu_map_alloc(p->gpu, &p->before, ir_operand(l->load, 0)->type, p->s->slots);
		vec_push(p->cx->scratch, &p->rings, (Ring){l, memory});
		return;
	}
	for (uint32_t k = 0; k < tile->rank; k++)
		shape[k + 1] = tile->shape[k];
	IrAttr encoding = gpu_encoding(p->gpu, l->memory);
	IrType type = ir_memdesc(p->gpu->ir, tile->elem, shape, tile->rank + 1, encoding, SHARED_SPACE, true);
	p->before.loc = l->load->loc;
	vec_push(p->cx->scratch, &p->rings, (Ring){l, irb_0(&p->before, OP_LOCAL_ALLOC, type)});
}

typedef struct At {
	Pipeline *p;
	bool first;
	unsigned k;
} At;

static IrValue *at(void *data, IrValue *v)
{
	const At *a = data;
	return value_at(a->p, a->first, v, a->k);
}

/* How many elements of each copy the mask lets through; NULL: all or none. */
static IrValue *count_at(Pipeline *p, bool first, const Ring *ring, unsigned k, int64_t n)
{
	const IrOp *load = ring->load->load;
	At where = {p, first, k};
	Prefix prefix = {p->axes, p->gpu, first ? &p->before : &p->top, ring->load->dim, n, at, &where};
	return load->operand_count > 1 ? prefix_count(&prefix, ir_operand(load, 1)) : NULL;
}

/* The copy of iteration k into slot `number`. */
static void copy_tile(Pipeline *p, bool first, const Ring *ring, unsigned k, IrValue *number)
{
	IrBuilder *b = first ? &p->before : &p->top;
	IrOp *load = ring->load->load;
	b->loc = load->loc;
	IrType token = p->gpu->ir->token, tile = load->results[0].type;
	unsigned n = ring->load->width * 8 / gpu_element_bits(tile->elem);
	IrValue *args[5] = {value_at(p, first, ir_operand(load, 0), k), NULL, mask_at(p, first, load, k)};
	args[4] = count_at(p, first, ring, k, n);
	if (args[4])
		args[3] = ir_is_float(tile->elem) ? irb_float(b, tile, 0) : irb_int(b, tile, 0);
	args[1] = slot_of(p, b, ring, number);
	IrOp *copy = irb_op(b, OP_ASYNC_COPY, args, args[4] ? 5 : 3, &token, 1, 0);
	static const IrAttrName names[] = {ATTR_CACHE, ATTR_EVICT};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (ir_get(load, p->gpu->ir, names[i]))
			ir_set(p->m, copy, names[i], ir_get(load, p->gpu->ir, names[i]));
	ir_set(p->m, copy, ATTR_COPY_CONTIGUITY, ir_attr_i32(p->gpu->ir, n));
	if (first)
		return;
	ir_set(p->m, copy, ATTR_FREE_SLOT, ir_attr_unit(p->gpu->ir));
	vec_push(p->cx->scratch, &p->issued, copy);
}

static IrOp *commit(Pipeline *p, IrBuilder *b)
{
	IrType token = p->gpu->ir->token;
	b->loc = p->loop->loc;
	return irb_op(b, OP_ASYNC_COMMIT, NULL, 0, &token, 1, 0);
}

/* What one thread does for iteration k: says how many bytes come to slot `number`, and issues their copies. */
static void copy_boxes(Pipeline *p, bool first, unsigned k, IrValue *number)
{
	IrBuilder *b = first ? &p->before : &p->top;
	IrValue *args[4 + TENSOR_MAP_RANK], *there = exists(p, first, k);
	uint64_t bytes = 0;
	if (!p->barriers)
		return;
	/* All that the copies need comes before the first of them. */
	for (uint32_t i = 0; i < p->rings.len; i++) {
		const ScheduledLoad *l = p->rings.data[i].load;
		bytes += l->boxes ? l->bytes : 0;
		for (uint32_t n = 1; l->boxes && n < l->load->operand_count; n++)
			value_at(p, first, ir_operand(l->load, n), k);
	}
	b->loc = p->loop->loc;
	IrValue **slots = ARENA_ARRAY(p->cx->scratch, IrValue *, p->rings.len);
	for (uint32_t i = 0; i < p->rings.len; i++)
		slots[i] = p->rings.data[i].load->boxes ? slot_of(p, b, &p->rings.data[i], number) : NULL;
	IrValue *barrier = gpu_barrier_at(p->gpu, b, p->barriers, number);
	if (p->free && !first)
		vec_push(p->cx->scratch, &p->issued, irb_op(b, OP_WAIT_FREE, (IrValue *[]){p->freed, p->parity, there}, 3, NULL, 0, 0));
	IrOp *op = irb_op(b, OP_BARRIER_EXPECT, (IrValue *[]){barrier, there}, 2, NULL, 0, 0);
	ir_set(p->m, op, ATTR_SIZE, ir_attr_i32(p->gpu->ir, (int64_t)bytes));
	if (!first)
		vec_push(p->cx->scratch, &p->issued, op);
	for (uint32_t i = 0; i < p->rings.len; i++) {
		const IrOp *load = p->rings.data[i].load->load;
		if (!slots[i])
			continue;
		args[0] = ir_operand(load, 0);
		args[1] = slots[i];
		args[2] = barrier;
		args[3] = there;
		for (uint32_t n = 1; n < load->operand_count; n++)
			args[3 + n] = value_at(p, first, ir_operand(load, n), k);
		b->loc = load->loc;
		op = irb_op(b, OP_TMA_LOAD, args, 3 + load->operand_count, NULL, 0, 0);
		if (first)
			continue;
		ir_set(p->m, op, ATTR_FREE_SLOT, ir_attr_unit(p->gpu->ir));
		vec_push(p->cx->scratch, &p->issued, op);
	}
}

/* The copies of iteration k to slot `number`. */
static void copy_all(Pipeline *p, bool first, unsigned k, IrValue *number)
{
	for (uint32_t i = 0; i < p->rings.len; i++)
		if (!p->rings.data[i].load->boxes)
			copy_tile(p, first, &p->rings.data[i], k, number);
	if (p->copies) {
		IrOp *op = commit(p, first ? &p->before : &p->top);
		if (!first)
			vec_push(p->cx->scratch, &p->issued, op);
	}
	copy_boxes(p, first, k, number);
}

static void await(Pipeline *p, IrBuilder *b, unsigned pending)
{
	IrType token = p->gpu->ir->token;
	b->loc = p->loop->loc;
	IrOp *wait = irb_op(b, OP_ASYNC_WAIT, NULL, 0, &token, 1, 0);
	ir_set(p->m, wait, ATTR_NUM, ir_attr_i32(p->gpu->ir, pending));
}

/* The user gets the tile from the slot, in the layout that it converts to. */
static bool read_converted(Pipeline *p, const Ring *ring, IrValue *number, IrOp *user)
{
	const Layout *wanted = schedule_wanted(p->gpu, user);
	IrType tile = ring->load->load->results[0].type;
	if (!wanted)
		return false;
	IrOp *convert = user->kind == OP_TRANS ? user->results[0].uses->owner : user;
	IrBuilder b = ir_at(p->m, user);
	IrValue *read = irb_1(&b, OP_LOCAL_LOAD, gpu_with_layout(p->gpu, tile, wanted), slot_of(p, &b, ring, number));
	if (user->kind == OP_TRANS) {
		IrValue *trans = irb_1(&b, OP_TRANS, convert->results[0].type, read);
		ir_set(p->m, trans->def, ATTR_ORDER, ir_get(user, p->gpu->ir, ATTR_ORDER));
		read = trans;
	}
	ir_replace_uses(&convert->results[0], read);
	ir_op_erase(convert);
	if (user != convert)
		ir_op_erase(user);
	return true;
}

/* A view of memory that may change is one that may change. */
static void retype_views(GpuCx *gpu, IrValue *memory)
{
	for (const IrUse *u = memory->uses; u; u = u->next) {
		if (u->owner->kind != OP_MEMDESC_TRANS)
			continue;
		IrValue *view = &u->owner->results[0];
		IrType t = view->type;
		view->type = ir_memdesc(gpu->ir, t->elem, t->shape, t->rank, t->encoding, SHARED_SPACE, true);
		retype_views(gpu, view);
	}
}

/* Products of warp groups take the slot instead of memory of their own. */
static void read_as_it_lies(Pipeline *p, const Ring *ring, IrValue *number)
{
	const IrOp *load = ring->load->load;
	IrOp *alloc;
	while ((alloc = (IrOp *)(uintptr_t)schedule_product_memory(load)) && gpu_layout(p->gpu, alloc->results[0].type) == ring->load->memory) {
		IrBuilder b = ir_at(p->m, alloc);
		IrValue *slot = slot_of(p, &b, ring, number);
		ir_replace_uses(&alloc->results[0], slot);
		retype_views(p->gpu, slot);
		ir_op_erase(alloc);
	}
}

/* Memory is seen turned round instead of the tile, where a product takes that from registers. */
static void read_turned(Pipeline *p, IrOp *read)
{
	static const int64_t order[] = {1, 0};
	const IrUse *use = read->results[0].uses;
	IrOp *trans = ir_has_one_use(&read->results[0]) && use->owner->kind == OP_TRANS ? use->owner : NULL;
	IrValue *tile = trans && ir_has_one_use(&trans->results[0]) ? &trans->results[0] : NULL;
	IrValue *slot = ir_operand(read, 0);
	IrType from = slot->type;
	if (!tile || tile->uses->owner->kind != OP_WARP_GROUP_DOT)
		return;
	IrCx *ir = p->gpu->ir;
	IrBuilder b = ir_at(p->m, trans);
	const Layout *l = layout_transpose(&p->gpu->layouts, gpu_layout(p->gpu, from), (const unsigned[]){1, 0});
	IrType type = ir_memdesc(ir, from->elem, tile->type->shape, 2, gpu_encoding(p->gpu, l), SHARED_SPACE, true);
	IrValue *view = irb_1(&b, OP_MEMDESC_TRANS, type, slot);
	ir_set(p->m, view->def, ATTR_ORDER, ir_attr_ints(ir, ir_scalar(ir, TY_I32), order, 2));
	ir_replace_uses(tile, irb_1(&b, OP_LOCAL_LOAD, tile->type, view));
	ir_op_erase(trans);
	ir_op_erase(read);
}

static void read_slot(Pipeline *p, const Ring *ring, IrValue *number)
{
	IrOp *load = ring->load->load;
	VEC(IrOp *) users = {0};
	for (const IrUse *u = load->results[0].uses; u && !schedule_fills(load); u = u->next)
		vec_push(p->cx->scratch, &users, u->owner);
	for (uint32_t i = 0; i < users.len; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= users.data[k] == users.data[i];
		if (!again)
			read_converted(p, ring, number, users.data[i]);
	}
	read_as_it_lies(p, ring, number);
	if (load->results[0].uses) {
		IrBuilder b = ir_at(p->m, load);
		IrValue *tile = irb_1(&b, OP_LOCAL_LOAD, load->results[0].type, slot_of(p, &b, ring, number));
		if (schedule_fills(load)) {
			IrValue *args[] = {ir_operand(load, 1), tile, ir_operand(load, 2)};
			tile = irb_op(&b, OP_SELECT, args, 3, &tile->type, 1, 0)->results;
		}
		ir_replace_uses(&load->results[0], tile);
		if (tile->def->kind == OP_LOCAL_LOAD)
			read_turned(p, tile->def);
	}
	ir_op_erase(load);
}

/* ---- the loop ---- */

/* The same loop with the carried values that were added. */
static IrOp *with_carried(Pipeline *p)
{
	GpuCarried *more = ARENA_ARRAY(p->cx->scratch, GpuCarried, p->carried.len + 1);
	for (uint32_t i = 0; i < p->carried.len; i++) {
		const Carried *c = &p->carried.data[i];
		more[i] = (GpuCarried){c->arg, c->init, c->next};
	}
	return gpu_carry(p->m, p->cx->scratch, p->loop, more, p->carried.len);
}

/* The number after this one, round the ring. */
static IrValue *next_slot(Pipeline *p, IrValue *number, IrValue *zero)
{
	IrBuilder *b = &p->top;
	IrType i32 = number->type;
	IrValue *next = irb_2(b, OP_ADDI, NULL, number, irb_int(b, i32, 1));
	IrValue *last = irb_int(&p->before, i32, p->s->slots - 1);
	IrValue *args[] = {irb_cmpi(b, CMPI_EQ, number, last), zero, next};
	return irb_op(b, OP_SELECT, args, 3, &i32, 1, 0)->results;
}

static void add_barriers(Pipeline *p)
{
	bool boxes = false;
	for (uint32_t i = 0; i < p->rings.len; i++) {
		boxes |= p->rings.data[i].load->boxes;
		p->copies |= !p->rings.data[i].load->boxes;
	}
	p->before.loc = p->loop->loc;
	p->barriers = boxes ? gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, 1) : NULL;
	p->free = p->s->apart ? gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, gpu_num_warps(p->gpu, p->loop)) : NULL;
}

/* All threads have read what this iteration's copies write over, and each waits for what it reads. The parity changes each time that the
 * numbers of slots start again. */
static void await_boxes(Pipeline *p, IrValue *read, IrValue *next)
{
	IrBuilder *b = &p->top;
	IrType i32 = read->type;
	IrValue *parity = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	b->loc = p->loop->loc;
	/* Where they meet in front of the copies, or not at all, once is enough for the barriers in the slots to be made. */
	irb_op(p->s->meets || p->free ? &p->before : b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	if (p->free && !p->s->meets)
		irb_op(b, OP_ARRIVE_BARRIER, &p->freed, 1, NULL, 0, 0);
	IrValue *args[] = {gpu_barrier_at(p->gpu, b, p->barriers, read), parity};
	irb_op(b, OP_WAIT_BARRIER, args, 2, NULL, 0, 0);
	IrValue *zero = irb_int(&p->before, i32, 0), *one = irb_int(b, i32, 1);
	IrValue *choice[] = {irb_cmpi(b, CMPI_EQ, next, zero), irb_2(b, OP_XORI, NULL, parity, one), parity};
	IrValue *turned = irb_op(b, OP_SELECT, choice, 3, &i32, 1, 0)->results;
	vec_push(p->cx->scratch, &p->carried, (Carried){NULL, zero, parity, turned, 0});
}

/* The slot that is filled next: warps arrive at its barrier when they have read what was there. The parity changes each time that the
 * numbers start again, at `first`. */
static void find_freed(Pipeline *p, IrValue *written, IrValue *next, IrValue *first)
{
	IrBuilder *b = &p->top;
	IrType i32 = written->type;
	if (!p->free)
		return;
	b->loc = p->loop->loc;
	p->freed = gpu_barrier_at(p->gpu, b, p->free, written);
	p->parity = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *one = irb_int(b, i32, 1), *zero = irb_int(&p->before, i32, 0);
	IrValue *choice[] = {irb_cmpi(b, CMPI_EQ, next, first), irb_2(b, OP_XORI, NULL, p->parity, one), p->parity};
	IrValue *turned = irb_op(b, OP_SELECT, choice, 3, &i32, 1, 0)->results;
	vec_push(p->cx->scratch, &p->carried, (Carried){NULL, zero, p->parity, turned, 0});
}

/* Numbers of the slots: of the tile that is read, and of the one that is written: it was read last, or where products
 * are under way the one before that. */
static IrValue *copy_ahead(Pipeline *p)
{
	const Schedule *s = p->s;
	IrType i32 = ir_scalar(p->gpu->ir, TY_I32);
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_COPIED)
			add_ring(p, &s->loads.data[i]);
	add_barriers(p);
	for (unsigned k = 0; k < s->ahead; k++)
		copy_all(p, true, k, irb_int(&p->before, i32, k));
	IrValue *read = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *written = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *zero = irb_int(&p->before, i32, 0), *first = irb_int(&p->before, i32, s->ahead);
	if (p->copies)
		await(p, &p->top, s->pending);
	IrValue *wrapped = next_slot(p, read, zero);
	vec_push(p->cx->scratch, &p->carried, (Carried){NULL, zero, read, wrapped, 0});
	IrValue *next = s->kept ? next_slot(p, written, zero) : read;
	vec_push(p->cx->scratch, &p->carried, (Carried){NULL, first, written, next, 0});
	find_freed(p, written, next, first);
	if (p->barriers)
		await_boxes(p, read, wrapped);
	copy_all(p, false, s->ahead, written);
	return read;
}

static bool reads_ring(const Pipeline *p, const IrOp *op)
{
	const IrOp *slot = op && op->kind == OP_LOCAL_LOAD ? ir_operand(op, 0)->def : NULL;
	for (uint32_t i = 0; i < p->rings.len; i++)
		if (slot && slot->kind == OP_MEMDESC_INDEX && ir_operand(slot, 0) == p->rings.data[i].memory)
			return true;
	return false;
}

/* Words that a thread holds when the first dot begins, besides what it has read from rings. */
static unsigned held_at(const Pipeline *p, const IrOp *dot)
{
	unsigned words = ir_operand(dot, 2)->block == p->body ? 0 : gpu_words(p->gpu, dot->results[0].type);
	for (uint32_t i = 1; i < p->body->arg_count; i++) {
		IrType type = p->body->args[i]->type;
		words += ir_is_tensor(type) && !ir_is_ptr(type->elem) ? gpu_words(p->gpu, type) : 0;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (!reads_ring(p, ir_operand(dot, i)->def))
			words += gpu_words(p->gpu, ir_operand(dot, i)->type);
	return words;
}

/* No load of shared memory passes a copy, so where copies stand decides what is held. In pipelines of two stages they stay first of all: what
 * they bring is waited for at the start of the next iteration, so nothing is gained by any later place, and behind what the dot reads
 * all of that would be held at once (128x128x64 of fp16 with 8 warps: 165 registers, not 126, so one CTA on an SM, not two) and
 * would come first in the queue that loads and copies share. In deeper ones the first dot should wait for what it reads from the slots, not for copies to
 * be issued: where the dot is large enough to be what takes the time, they go behind it (the assembler then loads as the
 * products need it, and issues copies between products); where it is small memory decides, and they go behind what the dot reads, as
 * early as that. Products of warp groups take no registers and go on by themselves: copies are issued behind the first one. */
static void issue_behind_reads(Pipeline *p)
{
	const TargetBudgets *budgets = p->gpu->target->budgets;
	IrOp *spot = NULL, *op = p->body->first;
	unsigned words = 0;
	for (; op && !schedule_is_dot(op); op = op->next) {
		if (!reads_ring(p, op))
			continue;
		spot = op;
		words += gpu_words(p->gpu, op->results[0].type);
	}
	/* One thread issues boxes: that is soon done. */
	if (!op || (op->kind == OP_DOT && (!spot || p->s->ahead < 2 || !p->copies)))
		return;
	if (op->kind == OP_WARP_GROUP_DOT || gpu_words(p->gpu, op->results[0].type) >= budgets->large_dot)
		spot = op;
	else if (words + held_at(p, op) > budgets->first_dot)
		return;
	for (uint32_t i = 0; i < p->issued.len; i++) {
		ir_op_unlink(p->issued.data[i]);
		ir_op_insert_after(p->issued.data[i], spot);
		spot = p->issued.data[i];
	}
	/* A pointer goes on when the copies have taken it: both at once would be twice the registers. */
	for (uint32_t i = 0; i < p->carried.len; i++) {
		IrOp *next = p->carried.data[i].next->def;
		if (!next || next->block != p->body || !ir_is_pure(next) || next->results[0].uses)
			continue;
		ir_op_unlink(next);
		ir_op_insert_before(next, p->body->last);
	}
}

/* ---- products ---- */

static IrOp *await_products(Pipeline *p, IrBuilder *b, IrValue **values, uint32_t count, unsigned pending)
{
	IrType *types = ARENA_ARRAY(p->cx->scratch, IrType, count);
	for (uint32_t i = 0; i < count; i++)
		types[i] = values[i]->type;
	IrOp *wait = irb_op(b, OP_WARP_GROUP_DOT_WAIT, values, count, types, count, 0);
	ir_set(p->m, wait, ATTR_PENDINGS, ir_attr_i32(p->gpu->ir, pending));
	return wait;
}

/* From here on uses of values[i] are of what the wait gives. */
static void use_awaited(IrOp *wait, IrValue *const *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		ir_replace_uses(values[i], &wait->results[i]);
		ir_operand_set(wait, i, values[i]);
	}
}

static bool goes_on(const Pipeline *p, const IrOp *dot)
{
	for (uint32_t i = 0; i < p->s->products.len; i++)
		if (p->s->products.data[i].dot == dot)
			return true;
	return false;
}

static bool is_issued(const Pipeline *p, const IrOp *op)
{
	for (uint32_t i = 0; i < p->issued.len; i++)
		if (p->issued.data[i] == op)
			return true;
	return false;
}

/* Behind the product, and the copies that follow it. */
static IrBuilder behind_issued(Pipeline *p, IrOp *dot)
{
	const IrOp *spot = dot;
	while (is_issued(p, spot->next))
		spot = spot->next;
	IrBuilder b = ir_at(p->m, spot->next);
	b.loc = dot->loc;
	return b;
}

/* Copies go behind a wait that says that products of the iteration before have ended, and a barrier that says so of all threads. */
static void issue_behind_wait(Pipeline *p, IrOp *wait)
{
	IrOp *spot = wait;
	if (!p->s->meets || p->met)
		return;
	p->met = true;
	IrBuilder b = ir_at(p->m, wait->next);
	b.loc = wait->loc;
	spot = p->free ? irb_op(&b, OP_ARRIVE_BARRIER, &p->freed, 1, NULL, 0, 0) : irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	for (uint32_t i = 0; i < p->issued.len; i++) {
		ir_op_unlink(p->issued.data[i]);
		ir_op_insert_after(p->issued.data[i], spot);
		spot = p->issued.data[i];
	}
}

/* Waits for a product that ends in its iteration. The first one also gives what those of the iteration
 * before have added up, where that is used. */
static void end_product(Pipeline *p, IrOp *dot, bool first)
{
	IrValue *values[1 + SCHEDULE_MOST_PRODUCTS];
	uint32_t count = 0;
	values[count++] = &dot->results[0];
	for (uint32_t i = 0; i < p->s->products.len && first; i++)
		if (p->s->products.data[i].used)
			values[count++] = p->s->products.data[i].carried;
	IrBuilder b = behind_issued(p, dot);
	IrOp *wait = await_products(p, &b, values, count, 0);
	use_awaited(wait, values, count);
	issue_behind_wait(p, wait);
}

/* Products are issued, and waited for by ops of their own: those that go on when those of the next iteration have been issued,
 * and behind the loop. */
static void pipeline_products(Pipeline *p)
{
	IrValue *values[SCHEDULE_MOST_PRODUCTS];
	uint32_t count = p->s->products.len;
	IrOp *last = NULL;
	bool first = true;
	for (IrOp *op = p->body->first, *next; op; op = next) {
		next = op->next;
		if (op->kind != OP_WARP_GROUP_DOT || !schedule_can_go_on(p->gpu, op))
			continue;
		ir_set(p->m, op, ATTR_IS_ASYNC, ir_attr_bool(p->gpu->ir, true));
		if (goes_on(p, op)) {
			last = op;
			continue;
		}
		end_product(p, op, first);
		first = false;
	}
	if (!last)
		return;
	IrBuilder b = behind_issued(p, last);
	for (uint32_t i = 0; i < count; i++)
		values[i] = &p->s->products.data[i].dot->results[0];
	IrOp *wait = await_products(p, &b, values, count, count);
	use_awaited(wait, values, count);
	issue_behind_wait(p, wait);
}

/* rotate-products goes on from here. */
static void mark_late(Pipeline *p)
{
	for (uint32_t i = 0; i < p->s->rotation->late.len; i++)
		ir_set(p->m, p->s->rotation->late.data[i], ATTR_LATE, ir_attr_unit(p->gpu->ir));
}

/* Results of the loop that are under way when it ends. */
static void end_products(Pipeline *p, IrOp *loop)
{
	IrValue *values[SCHEDULE_MOST_PRODUCTS];
	uint32_t count = p->s->products.len;
	if (!count)
		return;
	IrBuilder b = ir_at_end(p->m, loop->block, loop->loc);
	b.before = loop->next;
	for (uint32_t i = 0; i < count; i++)
		values[i] = &loop->results[p->s->products.data[i].carried->index - 1];
	use_awaited(await_products(p, &b, values, count, 0), values, count);
}

static void behind(Pipeline *p, IrOp *loop)
{
	IrBuilder b = ir_at_end(p->m, loop->block, loop->loc);
	b.before = loop->next;
	if (p->copies)
		await(p, &b, 0);
	if (p->barriers)
		gpu_barriers_drop(p->gpu, &b, p->barriers);
	if (p->free)
		gpu_barriers_drop(p->gpu, &b, p->free);
	for (uint32_t i = 0; i < p->rings.len; i++)
		irb_op(&b, OP_LOCAL_DEALLOC, &p->rings.data[i].memory, 1, NULL, 0, 0);
}

static void carry_out(PassCx *cx, const AxisMap *axes, const Schedule *s)
{
	Pipeline p = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module, .s = s, .axes = axes, .loop = s->loop, .values = cx->module->next_value};
	IrValue *number = NULL, **held = ARENA_ARRAY(cx->scratch, IrValue *, s->loads.len);
	p.body = s->loop->regions[0].first;
	p.before = ir_at(cx->module, s->loop);
	p.top = ir_at(cx->module, p.body->first);
	if (s->slots)
		number = copy_ahead(&p);
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_REGISTERS)
			held[i] = value_at(&p, false, &s->loads.data[i].load->results[0], 0);
	go_on(&p);
	for (uint32_t i = 0; i < p.rings.len; i++)
		read_slot(&p, &p.rings.data[i], number);
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (held[i]) {
			ir_replace_uses(&s->loads.data[i].load->results[0], held[i]);
			ir_op_erase(s->loads.data[i].load);
		}
	if (s->slots)
		issue_behind_reads(&p);
	if (schedule_is_rotated(s))
		mark_late(&p);
	else
		pipeline_products(&p);
	IrOp *loop = with_carried(&p);
	if (s->slots)
		behind(&p, loop);
	end_products(&p, loop);
}

typedef struct Loops {
	PassCx *cx;
	VEC(IrOp *) list;
} Loops;

static bool visit(void *data, IrOp *op)
{
	Loops *loops = data;
	if (op->kind == OP_FOR && !ir_get(op, gpu_of(loops->cx)->ir, ATTR_PIPELINE))
		vec_push(loops->cx->scratch, &loops->list, op);
	if (op->kind == OP_WHILE)
		schedule_remark(gpu_of(loops->cx), loops->cx->scratch, &(Schedule){.loop = op, .rule = REMARK_LOOP_WHILE});
	return true;
}

bool pass_pipeline(PassCx *cx, bool *changed)
{
	GpuCx *gpu = gpu_of(cx);
	Loops loops = {.cx = cx};
	ir_walk(cx->module->op, true, visit, &loops);
	if (!loops.list.len)
		return true;
	AxisMap *axes = gpu_axis(cx);
	for (uint32_t i = 0; i < loops.list.len; i++) {
		Schedule s;
		bool has_loads = schedule_loop(gpu, cx->module, cx->scratch, axes, loops.list.data[i], &s);
		schedule_remark(gpu, cx->scratch, &s);
		if (!has_loads)
			continue;
		ASSERT(!schedule_fault(cx->scratch, &s));
		ir_set(cx->module, s.loop, ATTR_PIPELINE, schedule_attr(gpu, cx->scratch, &s));
		*changed = true;
		bool ahead = false;
		for (uint32_t k = 0; k < s.loads.len; k++)
			ahead |= s.loads.data[k].kind != SCHEDULE_PLAIN;
		if (ahead)
			carry_out(cx, axes, &s);
	}
	return true;
}
