/* pipeline: software pipelining of a loop's loads: they are issued iterations before their use
 * (num_stages), so that the loop computes while memory answers.
 *
 * Needs: TTGIR with its final layouts. Keeps: what is computed, bit by bit; adds neso.pipeline to
 * the loops it looked at (schedule.h). Method: the inputs of a schedule's loads (addresses, masks)
 * are computed a second time, for the iteration `ahead`, from carried values of their own that run
 * ahead. A prologue issues the first iterations; in the loop each iteration issues one more.
 * Copies are predicated on the trip count, so a loop may run any number of times, including zero.
 * The only epilogue is a wait for (empty) groups.
 *
 *	for k < ahead: copy k to slot k; commit       -- masked by lower + k * step < upper
 *	loop i:  wait(ahead - 1); load slot i % slots;
 *	         copy i + ahead to the slot that was read before; commit; ...
 *
 * The wait is the first op of the body: one barrier behind it ensures both that all threads'
 * copies of this iteration have arrived and that all have read what is overwritten, so the copies
 * may stand anywhere behind it (neso.free_slot). */
#include "gpu/loop/rotate.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/carry.h"
#include "gpu/pipeline/left.h"
#include "gpu/pipeline/pipeline.h"

/* The same loop with the carried values that were added. */
static IrOp *with_carried(Pipeline *p)
{
	GpuCarried *more = ARENA_ARRAY(p->cx->scratch, GpuCarried, p->carried.len + 1);
	for (uint32_t i = 0; i < p->carried.len; i++) {
		const PipelineCarried *c = &p->carried.data[i];
		more[i] = (GpuCarried){c->arg, c->init, c->next};
	}
	return gpu_carry(p->m, p->cx->scratch, p->loop, more, p->carried.len);
}

/* In front of the first late product: behind the rotated loop, what the last ones read is waited
 * for; in it, that has come with what the other products read. */
static void await_late(Pipeline *p)
{
	IrOp *spot = p->body->first;
	while (!ir_get_bool(spot, p->gpu->ir, ATTR_LATE))
		spot = spot->next;
	/* So far nothing but the next iteration asked for the parity: it is at the end. */
	ir_op_unlink(p->turned->def);
	ir_op_insert_before(p->turned->def, spot);
	IrBuilder b = ir_at(p->m, spot);
	b.loc = p->loop->loc;
	IrValue *args[] = {gpu_barrier_at(p->gpu, &b, p->barriers, p->next), p->turned};
	IrOp *wait = irb_op(&b, OP_WAIT_BARRIER, args, 2, NULL, 0, 0);
	ir_set(p->m, wait, ATTR_LATE, ir_attr_unit(p->gpu->ir));
}

/* rotate-products goes on from here. */
static void mark_late(Pipeline *p)
{
	for (uint32_t i = 0; i < p->s->rotation->late.len; i++)
		ir_set(p->m, p->s->rotation->late.data[i], ATTR_LATE, ir_attr_unit(p->gpu->ir));
	if (p->s->paired)
		await_late(p);
}

static void behind(Pipeline *p, IrOp *loop)
{
	IrBuilder b = ir_at_end(p->m, loop->block, loop->loc);
	b.before = loop->next;
	if (p->copies)
		pipeline_await(p, &b, 0);
	left_await(p, &b, loop);
	if (p->barriers)
		gpu_barriers_drop(p->gpu, &b, p->barriers);
	if (p->free)
		gpu_barriers_drop(p->gpu, &b, p->free);
	if (p->there)
		gpu_barriers_drop(p->gpu, &b, p->there);
	for (uint32_t i = 0; i < p->rings.len; i++)
		irb_op(&b, OP_LOCAL_DEALLOC, &p->rings.data[i].memory, 1, NULL, 0, 0);
}

static void carry_out(PassCx *cx, const AxisMap *axes, const Schedule *s)
{
	Pipeline p = {.cx = cx,
		      .gpu = gpu_of(cx),
		      .m = cx->module,
		      .s = s,
		      .axes = axes,
		      .loop = s->loop,
		      .values = cx->module->next_value};
	IrValue *number = NULL, **held = ARENA_ARRAY(cx->scratch, IrValue *, s->loads.len);
	p.body = s->loop->regions[0].first;
	p.before = ir_at(cx->module, s->loop);
	p.top = ir_at(cx->module, p.body->first);
	if (s->left)
		left_predict(&p);
	if (s->slots)
		number = pipeline_copy_ahead(&p);
	if (s->left == SCHEDULE_GUESSED)
		left_note_copies(&p);
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_REGISTERS)
			held[i] = pipeline_value(&p, false, &s->loads.data[i].load->results[0], 0);
	IrValue **words = s->left ? left_hold(&p) : NULL;
	pipeline_go_on(&p);
	for (uint32_t i = 0; i < p.rings.len; i++)
		pipeline_read(&p, &p.rings.data[i], p.rings.data[i].late ? p.next : number);
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (held[i]) {
			ir_replace_uses(&s->loads.data[i].load->results[0], held[i]);
			ir_op_erase(s->loads.data[i].load);
		}
	if (words)
		left_use_held(&p, words);
	if (s->slots)
		pipeline_place_copies(&p);
	pipeline_read_dots(&p);
	if (schedule_is_rotated(s))
		mark_late(&p);
	if (s->counted)
		pipeline_say_counted(&p);
	if (!schedule_is_rotated(s))
		pipeline_products(&p);
	if (s->slots)
		pipeline_wait_late(&p, p.meet_before ? p.meet_before : p.loop);
	IrOp *loop = with_carried(&p);
	if (s->slots)
		behind(&p, loop);
	pipeline_end_products(&p, loop);
}

typedef struct Loops {
	PassCx *cx;
	VEC(IrOp *) list;
} Loops;

static void remark_while(const Loops *loops, IrOp *loop)
{
	schedule_remark(gpu_of(loops->cx), loops->cx->scratch,
			&(Schedule){.loop = loop, .rule = REMARK_LOOP_WHILE});
}

static bool visit(void *data, IrOp *op)
{
	Loops *loops = data;
	if (op->kind == OP_FOR && !ir_get(op, gpu_of(loops->cx)->ir, ATTR_PIPELINE))
		vec_push(loops->cx->scratch, &loops->list, op);
	if (op->kind == OP_WHILE)
		remark_while(loops, op);
	return true;
}

/* Nothing in it asks for loads ahead. */
static bool asks_for_nothing(const Schedule *s)
{
	return s->rule == REMARK_LOOP_NO_DOT || s->rule == REMARK_LOOP_NO_LOAD;
}

static void pipeline_loop(Loops *loops, const AxisMap *axes, IrOp *loop, bool *changed)
{
	PassCx *cx = loops->cx;
	GpuCx *gpu = gpu_of(cx);
	Schedule s;
	bool is_left = ir_get_bool(loop, gpu->ir, ATTR_LEFT), ahead = false;
	bool has_loads = schedule_loop(gpu, cx->module, cx->scratch, axes, loop, &s);
	if (has_loads && !s.rule) {
		schedule_beside(gpu, cx->module, cx->scratch, axes, &s);
		schedule_whole(&s);
		schedule_share(gpu, cx->scratch, cx->module, &s);
	}
	if (is_left && asks_for_nothing(&s))
		remark_while(loops, loop);
	else
		schedule_remark(gpu, cx->scratch, &s);
	for (uint32_t k = 0; has_loads && k < s.loads.len; k++)
		ahead |= s.loads.data[k].kind != SCHEDULE_PLAIN;
	if (has_loads) {
		ASSERT(!schedule_fault(cx->scratch, &s));
		ir_set(cx->module, s.loop, ATTR_PIPELINE, schedule_attr(gpu, cx->scratch, &s));
		*changed = true;
	}
	if (ahead)
		carry_out(cx, axes, &s);
}

bool pass_pipeline(PassCx *cx, bool *changed)
{
	Loops loops = {.cx = cx};
	ir_walk(cx->module->op, true, visit, &loops);
	if (!loops.list.len)
		return true;
	AxisMap *axes = gpu_axis(cx);
	for (uint32_t i = 0; i < loops.list.len; i++)
		pipeline_loop(&loops, axes, loops.list.data[i], changed);
	return true;
}
