/* warp-specialize: a producer warp issues the TMA copies of a loop whose products (wgmma) read
 * them.
 *
 * Needs: TTGIR with its final layouts. Keeps: what is computed, bit by bit. Loops that it took are
 * marked neso.pipeline, so that `pipeline` leaves them alone. Method: ring buffers and their
 * mbarriers are created in front of a ttg.warp_specialize. Its partition gets a copy of the loops
 * that only issues the copies (pipeline/producer.c). The loops themselves move to the default
 * region, where the consumers wait for slots and free them (loop/roles.h). */
#include "gpu/loop/roles.h"
#include "gpu/loop/rotate.h"
#include "gpu/memory/pieces.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pass/accelerate.h"
#include "gpu/pipeline/carry.h"
#include "gpu/pipeline/pipeline.h"

typedef struct Roles {
	Pipeline p;
	const GpuRoles *r;
	IrOp *specialize;
	IrValue *slot, *parity; /* of the loop */
	IrOp *wait; /* at its start */
	bool at_once; /* what early products read is free in the same iteration */
} Roles;

/* ---- the op ---- */

/* Around the root, with partitions of one warp: late products' tiles have a warp of their own, so
 * that those for early ones do not wait for it. The first one turns tiles, where some are. */
static IrOp *open_specialize(Roles *w)
{
	Pipeline *p = &w->p;
	IrCx *ir = p->gpu->ir;
	IrOp *root = w->r->root;
	IrType i32 = ir_scalar(ir, TY_I32),
	       *types = ARENA_ARRAY(p->cx->scratch, IrType, root->result_count + 1);
	IrValue **results = ARENA_ARRAY(p->cx->scratch, IrValue *, root->result_count + 1);
	for (uint32_t i = 0; i < root->result_count; i++)
		types[i] = root->results[i].type;
	IrBuilder b = ir_at(p->m, root);
	w->specialize = irb_op(&b, OP_WARP_SPECIALIZE, NULL, 0, types, root->result_count, 2);
	uint32_t partitions = p->s->paired || p->s->turned ? 2 : 1;
	const int64_t warps[] = {p->s->turned ? SCHEDULE_TURNING_WARPS : 1, 1};
	ir_set(p->m, w->specialize, ATTR_PARTITION_WARPS, ir_attr_ints(ir, i32, warps, partitions));
	if (w->r->own)
		ir_set(p->m, w->specialize, ATTR_ACTUAL_REGISTERS,
		       ir_attr_ints(ir, i32, (const int64_t[]){w->r->own, w->r->other, w->r->other},
				    1 + partitions));
	IrBlock *own = ir_block_new(p->m, &w->specialize->regions[0]),
		*others = ir_block_new(p->m, &w->specialize->regions[1]);
	for (uint32_t i = 0; i < root->result_count; i++) {
		ir_replace_uses(&root->results[i], &w->specialize->results[i]);
		results[i] = &root->results[i];
	}
	ir_op_unlink(root);
	ir_op_append(own, root);
	IrBuilder end = ir_at_end(p->m, own, root->loc), holder = ir_at_end(p->m, others, root->loc);
	irb_op(&end, OP_WARP_YIELD, results, root->result_count, NULL, 0, 0);
	IrOp *parts = irb_op(&holder, OP_WARP_PARTITIONS, NULL, 0, NULL, 0, partitions);
	for (uint32_t i = 0; i < partitions; i++)
		ir_block_new(p->m, &parts->regions[i]);
	return parts;
}

static const Layout *turning_layout(GpuCx *gpu, const ScheduledLoad *l)
{
	const IrOp *user = l->turned->results[0].uses->owner;
	return wgmma_turning(gpu, l->load->results[0].type, 0, SCHEDULE_TURNING_WARPS,
			     user->kind == OP_MEMDESC_REINTERPRET);
}

static void turn(Roles *w, IrBlock *block)
{
	Pipeline *p = &w->p;
	const Layout **layouts = ARENA_ARRAY(p->cx->scratch, const Layout *, p->rings.len);
	for (uint32_t i = 0; i < p->rings.len; i++)
		if (p->rings.data[i].turned)
			layouts[i] = turning_layout(p->gpu, p->rings.data[i].load);
	pipeline_produce_turned(p, w->r->root, w->specialize, block, layouts);
}

static void produce(Roles *w, IrOp *parts)
{
	Pipeline *p = &w->p;
	for (uint32_t i = 0; i < parts->region_count; i++) {
		IrBlock *block = parts->regions[i].first;
		bool only = p->s->turned, first = i == 0, last = i + 1 == parts->region_count;
		if (only && first)
			turn(w, block);
		else
			pipeline_produce(p, w->r->root, w->specialize, block, first || only, last);
		IrBuilder end = ir_at_end(p->m, block, p->loop->loc);
		irb_op(&end, OP_WARP_RETURN, NULL, 0, NULL, 0, 0);
	}
	for (uint32_t i = 0; i < parts->region_count; i++)
		pipeline_take_operands(p->m, w->specialize, parts->regions[i].first);
}

/* ---- the loop of the kernel's warps ---- */

static void await_slot(Roles *w)
{
	Pipeline *p = &w->p;
	IrBuilder *b = &p->top;
	IrType i32 = ir_scalar(p->gpu->ir, TY_I32);
	b->loc = p->loop->loc;
	w->slot = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	w->parity = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	IrValue *there = gpu_barrier_at(p->gpu, b, p->barriers, w->slot);
	w->wait = irb_op(b, OP_WAIT_BARRIER, (IrValue *[]){there, w->parity}, 2, NULL, 0, 0);
	if (!p->turning)
		return;
	there = gpu_barrier_at(p->gpu, b, p->turning, w->slot);
	w->wait = irb_op(b, OP_WAIT_BARRIER, (IrValue *[]){there, w->parity}, 2, NULL, 0, 0);
}

/* With what takes it: nothing comes of that. */
static void erase_unused(IrOp *op)
{
	while (op->results[0].uses)
		erase_unused(op->results[0].uses->owner);
	ir_op_erase(op);
}

/* Products take what others have turned: nobody else reads the tile. */
static void read_turned(Roles *w, const PipelineRing *ring)
{
	IrOp *alloc = ring->load->turned, *load = ring->load->load;
	IrBuilder b = ir_at(w->p.m, alloc);
	b.loc = alloc->loc;
	gpu_read_as_it_lies(w->p.gpu, alloc, gpu_slot_at(&b, ring->turned, w->slot));
	erase_unused(load);
}

/* What late products alone read is needed an iteration later than the rest, and is free later: its
 * slots have barriers of their own, so that both are filled as soon as they can be. */
static void part_late(Roles *w)
{
	Pipeline *p = &w->p;
	if (!p->s->paired)
		return;
	p->late.there = gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, 1);
	p->late.free = gpu_barriers_alloc(p->gpu, &p->before, p->s->slots, gpu_num_warps(p->gpu, p->loop));
}

/* What the loop around takes once for all iterations comes by the partition too. */
static void add_tiles(Roles *w)
{
	Pipeline *p = &w->p;
	unsigned warps = gpu_num_warps(p->gpu, p->loop);
	for (uint32_t i = 0; i < w->r->tile_count; i++) {
		PipelineTile t = {.load = w->r->tiles[i], .slots = w->r->tile_slots};
		IrType map = ir_operand(t.load, 0)->type;
		t.memory = gpu_map_alloc(p->gpu, &p->before, map, t.slots);
		t.barriers.there = gpu_barriers_alloc(p->gpu, &p->before, t.slots, 1);
		t.barriers.free = gpu_barriers_alloc(p->gpu, &p->before, t.slots, warps);
		vec_push(p->cx->scratch, &p->tiles, t);
	}
}

/* Behind the making of the partition, which copies the loads' operands. */
static void read_tiles(Roles *w)
{
	Pipeline *p = &w->p;
	const IrOp *around = ir_parent_op(p->loop);
	for (uint32_t i = 0; i < p->tiles.len; i++) {
		PipelineTile *t = &p->tiles.data[i];
		IrBuilder b = ir_at(p->m, t->load);
		IrValue *parity;
		b.loc = t->load->loc;
		pipeline_tile_slot(&b, around, t->load->block->args[0], t->slots, &t->slot,
				   &parity);
		IrValue *there = gpu_barrier_at(p->gpu, &b, t->barriers.there, t->slot);
		irb_op(&b, OP_WAIT_BARRIER, (IrValue *[]){there, parity}, 2, NULL, 0, 0);
		IrOp *alloc = t->load->results[0].uses->owner;
		gpu_read_as_it_lies(p->gpu, alloc, gpu_slot_at(&b, t->memory, t->slot));
		ir_op_erase(t->load);
	}
}

static void set_late(const Roles *w, IrOp *op)
{
	ir_set(w->p.m, op, ATTR_LATE, ir_attr_unit(w->p.gpu->ir));
}

/* What late products alone read is awaited in front of the first of them and free behind the last,
 * and put off with them by rotate-products: where it came late already when the iteration's own
 * products began, nothing else of the iteration waits for it. */
static void part_off(Roles *w)
{
	Pipeline *p = &w->p;
	IrOp *first = NULL, *last = NULL;
	if (!p->late.there)
		return;
	for (IrOp *op = p->body->first; op; op = op->next)
		if (ir_get_bool(op, p->gpu->ir, ATTR_LATE)) {
			first = first ? first : op;
			last = op;
		}
	IrBuilder b = ir_at(p->m, first), behind = ir_at(p->m, last->next);
	b.loc = behind.loc = p->loop->loc;
	IrValue *there = gpu_barrier_at(p->gpu, &b, p->late.there, w->slot);
	IrValue *free = gpu_barrier_at(p->gpu, &behind, p->late.free, w->slot);
	set_late(w, irb_op(&b, OP_WAIT_BARRIER, (IrValue *[]){there, w->parity}, 2, NULL, 0, 0));
	set_late(w, irb_op(&behind, OP_ARRIVE_BARRIER, &free, 1, NULL, 0, 0));
}

/* The number that came `behind` before. */
static IrValue *slot_before(Roles *w, IrBuilder *b, IrValue *slot, unsigned behind)
{
	IrType i32 = slot->type;
	if (!behind)
		return slot;
	IrValue *back = irb_2(b, OP_SUBI, NULL, slot, irb_int(b, i32, behind));
	IrValue *round = irb_2(b, OP_ADDI, NULL, slot, irb_int(b, i32, (int64_t)w->p.s->slots - behind));
	IrValue *args[] = {irb_cmpi(b, CMPI_SLT, back, irb_int(b, i32, 0)), round, back};
	return irb_op(b, OP_SELECT, args, 3, &i32, 1, 0)->results;
}

static void free_slot(Roles *w, IrBuilder *b, IrValue *free, IrValue *slot, IrValue *there)
{
	IrValue *args[] = {gpu_barrier_at(w->p.gpu, b, free, slot), there};
	IrOp *op = irb_op(b, OP_ARRIVE_BARRIER, args, there ? 2 : 1, NULL, 0, 0);
	if (w->p.s->shared && free == w->p.free)
		ir_set(w->p.m, op, ATTR_BY_CLUSTER, ir_attr_unit(w->p.gpu->ir));
}

/* i1: were there so many iterations before this one? NULL: there were. */
static IrValue *came_before(Roles *w, IrBuilder *b, unsigned behind)
{
	IrValue *counter = w->p.body->args[0], *step = ir_operand(w->p.loop, 2);
	if (!behind)
		return NULL;
	IrValue *past = irb_2(b, OP_SUBI, NULL, counter, ir_operand(w->p.loop, 0));
	IrValue *least = irb_2(b, OP_MULI, NULL, step, irb_int(b, step->type, behind));
	return irb_cmpi(b, CMPI_UGE, past, least);
}

/* The slot that came `behind` before, where there was one. */
static void free_before(Roles *w, IrBuilder *b, IrValue *free, unsigned behind)
{
	IrValue *there = came_before(w, b, behind), *slot = slot_before(w, b, w->slot, behind);
	free_slot(w, b, free, slot, there);
}

/* Is a slot of these rings read by a product that is put off? */
static bool is_read_late(const Roles *w)
{
	const GpuRotation *r = w->p.s->rotation;
	for (uint32_t i = 0; i < r->late.len; i++)
		for (uint32_t k = 0; k < r->late.data[i]->operand_count; k++) {
			const IrOp *from = ir_operand(r->late.data[i], k)->def;
			while (from && (from->kind == OP_MEMDESC_TRANS || from->kind == OP_MEMDESC_INDEX)) {
				const IrValue *memory = ir_operand(from, 0);
				for (uint32_t n = 0; n < w->p.rings.len; n++)
					if (w->p.rings.data[n].memory == memory && !w->p.rings.data[n].late)
						return true;
				from = memory->def;
			}
		}
	return false;
}

/* The first op of the body that takes a value, perhaps inside. */
static IrOp *first_to_take(const Roles *w, const IrValue *v)
{
	for (IrOp *op = w->p.body->first; op; op = op->next)
		for (const IrUse *u = v->uses; u; u = u->next)
			if (u->owner == op || ir_is_inside(u->owner, op))
				return op;
	return NULL;
}

/* The op behind which all early products of the iteration have ended, as each of their results has
 * been taken; NULL: none, or late products read these slots too. */
static IrOp *behind_early(const Roles *w)
{
	const IrCx *ir = w->p.gpu->ir;
	IrOp *spot = NULL;
	bool passed = false;
	if (!w->p.late.free || is_read_late(w))
		return NULL;
	for (IrOp *op = w->p.body->first; op; op = op->next) {
		if (op->kind != OP_WARP_GROUP_DOT || ir_get_bool(op, ir, ATTR_LATE))
			continue;
		IrOp *taker = first_to_take(w, &op->results[0]);
		if (!taker || taker == w->p.body->last)
			return NULL;
		passed = !spot;
		for (const IrOp *at = spot; at && !passed; at = at->next)
			passed = at == taker;
		spot = passed ? taker : spot;
	}
	return spot;
}

/* Behind the last wait, which is for all products but those of this iteration; where products are
 * late, at the start of the iteration, when none is under way, but for what early ones read. */
static void free_in_loop(Roles *w)
{
	Pipeline *p = &w->p;
	IrOp *early = w->r->behind < 2 ? NULL : behind_early(w);
	w->at_once = early != NULL;
	IrBuilder b = ir_at(p->m, w->wait->next);
	for (IrOp *op = p->body->first; op && w->r->behind < 2; op = op->next)
		if (op->kind == OP_WARP_GROUP_DOT || op->kind == OP_WARP_GROUP_DOT_WAIT)
			b = ir_at(p->m, op->next);
	b.loc = p->loop->loc;
	unsigned behind = w->r->behind, first = p->late.free ? behind - 1 : behind;
	if (early) {
		IrBuilder behind_them = ir_at(p->m, early->next);
		behind_them.loc = p->loop->loc;
		free_slot(w, &behind_them, p->free, w->slot, NULL);
	} else {
		free_before(w, &b, p->free, first);
	}
}

/* What the next run of the loop would wait for. */
static void free_behind(Roles *w, IrOp *loop, IrValue *slot)
{
	bool is_unsigned = ir_get_bool(loop, w->p.gpu->ir, ATTR_UNSIGNED_CMP);
	IrOp *spot = loop;
	while (spot->next->kind == OP_WARP_GROUP_DOT_WAIT)
		spot = spot->next;
	IrBuilder b = ir_at(w->p.m, spot->next);
	b.loc = loop->loc;
	for (unsigned k = 1; k <= w->r->behind; k++) {
		IrValue *last = ir_operand(loop, 0), *step = ir_operand(loop, 2);
		if (k > 1)
			last = irb_2(&b, OP_ADDI, NULL, last,
				     irb_2(&b, OP_MULI, NULL, step, irb_int(&b, step->type, k - 1)));
		IrValue *there = irb_cmpi(&b, is_unsigned ? CMPI_ULT : CMPI_SLT, last, ir_operand(loop, 1));
		IrValue *before = slot_before(w, &b, slot, k);
		if (!w->at_once && (!w->p.late.free || k < w->r->behind))
			free_slot(w, &b, w->p.free, before, there);
	}
	for (uint32_t i = 0; i < w->p.tiles.len; i++)
		free_slot(w, &b, w->p.tiles.data[i].barriers.free, w->p.tiles.data[i].slot, NULL);
}

static IrValue *result_at(const IrOp *loop, uint32_t from_end)
{
	return &loop->results[loop->result_count - from_end];
}

/* Slot and parity go on through the loops around it up to the root. */
static void go_on(Roles *w, IrValue *next, IrValue *turned)
{
	Pipeline *p = &w->p;
	IrType i32 = next->type;
	IrOp *loop = p->loop, *root = w->r->root;
	bool inner = loop != root;
	for (bool done = false; !done;) {
		IrBlock *body = loop->regions[0].first, *outer = loop->block;
		IrBuilder b = ir_at(p->m, w->specialize);
		done = loop == root;
		IrValue *slot = done ? irb_int(&b, i32, 0) : ir_block_arg_add(p->m, outer, i32, loop->loc);
		IrValue *parity = done ? slot : ir_block_arg_add(p->m, outer, i32, loop->loc);
		GpuCarried more[] = {{body->args[body->arg_count - 2], slot, next},
				     {body->args[body->arg_count - 1], parity, turned}};
		loop = gpu_carry(p->m, p->cx->scratch, loop, more, 2);
		next = result_at(loop, 2);
		turned = result_at(loop, 1);
		if (body == p->body) {
			p->loop = loop;
			pipeline_end_products(p, loop);
			/* Where CTAs share tiles, the producer waits for all slots at its end. */
			if (inner || p->s->shared)
				free_behind(w, loop, next);
		}
		loop = done ? loop : ir_parent_op(loop);
	}
}

static void drop(Roles *w)
{
	Pipeline *p = &w->p;
	IrBuilder b = ir_at_end(p->m, w->specialize->block, w->specialize->loc);
	b.before = w->specialize->next;
	gpu_barriers_drop(p->gpu, &b, p->barriers);
	gpu_barriers_drop(p->gpu, &b, p->free);
	if (p->turning)
		gpu_barriers_drop(p->gpu, &b, p->turning);
	if (p->late.there) {
		gpu_barriers_drop(p->gpu, &b, p->late.there);
		gpu_barriers_drop(p->gpu, &b, p->late.free);
	}
	for (uint32_t i = 0; i < p->tiles.len; i++) {
		gpu_barriers_drop(p->gpu, &b, p->tiles.data[i].barriers.there);
		gpu_barriers_drop(p->gpu, &b, p->tiles.data[i].barriers.free);
		irb_op(&b, OP_LOCAL_DEALLOC, &p->tiles.data[i].memory, 1, NULL, 0, 0);
	}
	for (uint32_t i = 0; i < p->rings.len; i++)
		irb_op(&b, OP_LOCAL_DEALLOC, &p->rings.data[i].memory, 1, NULL, 0, 0);
}

static void mark_late(const Roles *w)
{
	for (uint32_t i = 0; i < w->p.s->rotation->late.len; i++)
		set_late(w, w->p.s->rotation->late.data[i]);
}

/* What threads did to shared memory before is seen by copies of other CTAs: the threads of all
 * CTAs meet where roles begin. */
static void fence_for_others(const Pipeline *p)
{
	IrBuilder b = p->before;
	IrOp *fence = irb_op(&b, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(p->m, fence, ATTR_FENCE_CLUSTER, ir_attr_bool(p->gpu->ir, false));
}

static bool say_pieces(void *data, IrOp *op)
{
	const Roles *w = data;
	if (op->kind == OP_DESC_STORE || op->kind == OP_DESC_REDUCE)
		ir_set(w->p.m, op, ATTR_PIECES_AHEAD, ir_attr_i32(w->p.gpu->ir, w->r->pieces_ahead));
	return true;
}

/* alone: no other loop of the kernel may get roles. */
static void carry_out(PassCx *cx, const AxisMap *axes, const GpuRoles *r, bool alone)
{
	Schedule s = r->s;
	s.meets = false; /* slots are freed one by one */
	if (alone)
		schedule_share_roles(gpu_of(cx), cx->scratch, cx->module, &s);
	Roles w = {.r = r,
		   .p = {.cx = cx,
			 .gpu = gpu_of(cx),
			 .m = cx->module,
			 .s = &s,
			 .axes = axes,
			 .loop = s.loop,
			 .values = cx->module->next_value}};
	Pipeline *p = &w.p;
	if (r->pieces_ahead < GPU_PIECES_AHEAD)
		ir_walk(r->root, false, say_pieces, &w);
	IrOp *parts = open_specialize(&w);
	p->body = s.loop->regions[0].first;
	p->before = ir_at(p->m, w.specialize);
	p->top = ir_at(p->m, p->body->first);
	ir_set(p->m, s.loop, ATTR_PIPELINE, schedule_attr(p->gpu, cx->scratch, &s));
	pipeline_add_rings(p, true);
	if (s.shared)
		fence_for_others(p);
	part_late(&w);
	add_tiles(&w);
	produce(&w, parts);
	read_tiles(&w);
	await_slot(&w);
	for (uint32_t i = 0; i < p->rings.len; i++) {
		if (p->rings.data[i].turned)
			read_turned(&w, &p->rings.data[i]);
		else
			pipeline_read(p, &p->rings.data[i], w.slot);
	}
	if (schedule_is_rotated(&s)) {
		mark_late(&w);
		part_off(&w);
	} else {
		pipeline_products(p);
	}
	free_in_loop(&w);
	IrBuilder last = ir_at(p->m, p->body->last);
	last.loc = p->loop->loc;
	IrValue *zero = irb_int(&last, w.slot->type, 0), *next = pipeline_next_slot(p, &last, w.slot, zero);
	IrValue *turned = pipeline_next_parity(&last, w.parity, next, zero);
	go_on(&w, next, turned);
	drop(&w);
}

/* ---- the pass ---- */

typedef struct Loops {
	PassCx *cx;
	VEC(IrOp *) list;
} Loops;

static bool is_no_loop(void *data, IrOp *op)
{
	bool *good = data;
	*good &= op->kind != OP_FOR && op->kind != OP_WHILE;
	return *good;
}

/* Loops without another inside: those around them are made anew. */
static bool visit(void *data, IrOp *op)
{
	Loops *loops = data;
	const IrCx *ir = gpu_of(loops->cx)->ir;
	bool inner = op->kind == OP_FOR && !ir_get(op, ir, ATTR_PIPELINE) && !ir_get(op, ir, ATTR_LEFT);
	if (inner)
		ir_walk(op, false, is_no_loop, &inner);
	if (inner)
		vec_push(loops->cx->scratch, &loops->list, op);
	return true;
}

/* Does one of several that ask do better without? A kernel's threads have as many registers as its
 * warps with roles begin with, wherever no roles are: too few for such a loop. */
static bool one_loses(PassCx *cx, const Loops *loops)
{
	bool found = false;
	for (uint32_t i = 0; i < loops->list.len && loops->list.len > 1 && !found; i++) {
		GpuRoles r;
		gpu_roles(gpu_of(cx), cx->module, cx->scratch, gpu_axis(cx), loops->list.data[i], &r);
		found = r.loses;
	}
	return found;
}

bool pass_warp_specialize(PassCx *cx, bool *changed)
{
	GpuCx *gpu = gpu_of(cx);
	Loops loops = {.cx = cx};
	ir_walk(cx->module->op, true, visit, &loops);
	bool loses = one_loses(cx, &loops);
	for (uint32_t i = 0; i < loops.list.len; i++) {
		GpuRoles r;
		gpu_roles(gpu, cx->module, cx->scratch, gpu_axis(cx), loops.list.data[i], &r);
		if (loses && r.rule == REMARK_LOOP_ROLES && r.root == r.s.loop && !r.s.turned) {
			r.rule = REMARK_LOOP_ROLES_NOT;
			r.why = "another loop does better so, and would have too few registers";
		}
		if (r.rule)
			gpu_roles_remark(gpu, cx->scratch, &r);
		if (r.rule != REMARK_LOOP_ROLES)
			continue;
		carry_out(cx, gpu_axis(cx), &r, loops.list.len == 1);
		*changed = true;
	}
	return true;
}
