/* Loops whose threads copy (cp.async) for wgmma without synchronising: an mbarrier counts the
 * warps whose copies have arrived. Warps arrive while products are in flight, and wait at the
 * start of the next iteration, so one warpgroup may be a stretch of arithmetic behind another. A
 * slot is written when all warps have arrived at its second mbarrier, having read it.
 *
 *	loop i:  arrive: slot i + ahead is free; wait: copies of i are there
 *	         s' = a * b[i];  acc = p * c[i - 1] + acc       -- issued (rotate.h)
 *	         wait: slot i + ahead is free; copy i + ahead
 *	         wait: s' is there;  the first op of it
 *	         the thread's copies of i + 1 are there: fence; arrive
 *	         p = f(s');  wait: acc is there */
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/pipeline.h"

static IrOp *fence(Pipeline *p, IrBuilder *b)
{
	IrOp *op = irb_op(b, OP_FENCE_ASYNC, NULL, 0, NULL, 0, 0);
	ir_set(p->m, op, ATTR_FENCE_CLUSTER, ir_attr_bool(p->gpu->ir, false));
	return op;
}

/* The parity goes round in each iteration; in the first one nobody has arrived: the phase before
 * the first counts as over. */
void pipeline_await_counted(Pipeline *p)
{
	CONTRACT(p->there && p->free && !p->barriers);
	IrBuilder *b = &p->top, *before = &p->before;
	IrType i32 = ir_scalar(p->gpu->ir, TY_I32);
	IrValue *parity = ir_block_arg_add(p->m, p->body, i32, p->loop->loc);
	pipeline_await(p, before, p->s->pending);
	fence(p, before);
	p->meet_before = irb_op(before, OP_BARRIER, NULL, 0, NULL, 0, 0);
	b->loc = p->loop->loc;
	irb_op(b, OP_ARRIVE_BARRIER, &p->freed, 1, NULL, 0, 0);
	IrValue *args[] = {gpu_barrier_at(p->gpu, b, p->there, irb_int(before, i32, 0)), parity};
	irb_op(b, OP_WAIT_BARRIER, args, 2, NULL, 0, 0);
	IrValue *turned = irb_2(b, OP_XORI, NULL, parity, irb_int(b, i32, 1));
	vec_push(p->cx->scratch, &p->carried,
		 (PipelineCarried){NULL, irb_int(before, i32, 1), parity, turned, 0});
}

/* The first op of the body that takes what the op gives. */
static IrOp *first_user(const IrOp *of)
{
	for (IrOp *op = of->next; op; op = op->next)
		for (const IrUse *u = of->results[0].uses; u; u = u->next)
			if (ir_is_inside(u->owner, op))
				return op;
	return NULL;
}

void pipeline_say_counted(Pipeline *p)
{
	const IrOp *dot = p->body->first;
	IrType i32 = ir_scalar(p->gpu->ir, TY_I32);
	while (dot->kind != OP_WARP_GROUP_DOT || ir_get_bool(dot, p->gpu->ir, ATTR_LATE))
		dot = dot->next;
	const IrOp *spot = first_user(dot);
	CONTRACT(spot && spot != p->body->last);
	IrBuilder b = ir_at(p->m, spot->next);
	pipeline_await(p, &b, p->s->pending);
	fence(p, &b);
	IrValue *there = gpu_barrier_at(p->gpu, &b, p->there, irb_int(&b, i32, 0));
	irb_op(&b, OP_ARRIVE_BARRIER, &there, 1, NULL, 0, 0);
}
