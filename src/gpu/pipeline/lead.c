/* The first warp group of a loop over tiles is some iterations ahead of the second one, which then
 * multiplies while the first one stores its part of a tile, and the other way round: tensor cores
 * have work all the time, where both would store at once.
 *
 *	tile:	the second group waits until the first one is `ahead` iterations into the tile
 *		loop i:  products;  the first group says so behind those of iteration `ahead`
 *		store
 *
 * Where the groups are apart as they should be nobody waits. The first one is never further ahead
 * than the ring has slots: a tile of fewer iterations does without, so no phase passes unseen. */
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/carry.h"
#include "gpu/pipeline/pipeline.h"

enum { WARPS_OF_A_GROUP = 4 };

typedef struct Lead {
	Pipeline *p;
	IrValue *barrier;
	IrValue *enough; /* i1: the tile has more iterations than the ring has slots */
	IrValue *at;	 /* the iteration behind which the first group says so */
} Lead;

static void set_group(const Lead *l, IrOp *op, int group)
{
	ir_set(l->p->m, op, ATTR_ISSUER, ir_attr_i32(l->p->gpu->ir, group));
}

/* In front of the loop: is it long enough, and where does the first group say so; the end is
 * nowhere. */
static void find(Lead *l, IrBuilder *b, const IrOp *loop, unsigned ahead)
{
	IrValue *from = ir_operand(loop, 0), *to = ir_operand(loop, 1), *step = ir_operand(loop, 2);
	IrType type = from->type;
	IrValue *least = irb_2(b, OP_MULI, NULL, step, irb_int(b, type, l->p->s->slots));
	IrValue *length = irb_2(b, OP_SUBI, NULL, to, from);
	IrValue *is_long = irb_cmpi(b, CMPI_SGE, length, least);
	l->enough = irb_2(b, OP_ANDI, NULL, is_long, irb_cmpi(b, CMPI_SLT, from, to));
	IrValue *there = irb_2(b, OP_ADDI, NULL, from, irb_2(b, OP_MULI, NULL, step, irb_int(b, type, ahead)));
	l->at = irb_op(b, OP_SELECT, (IrValue *[]){l->enough, there, to}, 3, &type, 1, 0)->results;
}

static void await_first(const Lead *l, IrBuilder *b, IrValue *parity)
{
	IrModule *m = l->p->m;
	IrValue *enough = l->enough;
	IrOp *branch = irb_op(b, OP_IF, &enough, 1, NULL, 0, 2);
	IrBuilder inside = ir_at_end(m, ir_block_new(m, &branch->regions[0]), branch->loc);
	set_group(l, irb_op(&inside, OP_WAIT_BARRIER, (IrValue *[]){l->barrier, parity}, 2, NULL, 0, 0), 1);
	irb_op(&inside, OP_YIELD, NULL, 0, NULL, 0, 0);
}

static void say(const Lead *l, IrBlock *body)
{
	IrOp *spot = NULL;
	for (IrOp *op = body->first; op; op = op->next)
		if (op->kind == OP_WARP_GROUP_DOT || op->kind == OP_WARP_GROUP_DOT_WAIT)
			spot = op;
	IrBuilder b = ir_at(l->p->m, spot->next);
	b.loc = l->p->loop->loc;
	IrValue *args[] = {l->barrier, irb_cmpi(&b, CMPI_EQ, body->args[0], l->at)};
	set_group(l, irb_op(&b, OP_ARRIVE_BARRIER, args, 2, NULL, 0, 0), 0);
}

IrValue *pipeline_lead(Pipeline *p, const IrOp *root, const IrOp *specialize, unsigned ahead)
{
	IrModule *m = p->m;
	IrType i32 = ir_scalar(p->gpu->ir, TY_I32);
	IrOp *inner = p->loop, *around = ir_parent_op(inner);
	Lead l = {.p = p};
	IrBuilder before = ir_at(m, (IrOp *)(uintptr_t)specialize);
	IrValue *barriers = gpu_barriers_alloc(p->gpu, &before, 1, WARPS_OF_A_GROUP);
	l.barrier = gpu_barrier_at(p->gpu, &before, barriers, irb_int(&before, i32, 0));
	IrBuilder b = ir_at(m, inner);
	find(&l, &b, inner, ahead);
	IrBlock *outer = around->regions[0].first;
	IrValue *parity = ir_block_arg_add(m, outer, i32, inner->loc);
	await_first(&l, &b, parity);
	say(&l, inner->regions[0].first);
	IrValue *turned = irb_2(&b, OP_XORI, NULL, parity, irb_int(&b, i32, 1));
	IrValue *next = irb_op(&b, OP_SELECT, (IrValue *[]){l.enough, turned, parity}, 3, &i32, 1, 0)->results;
	for (IrOp *loop = around;; loop = ir_parent_op(loop)) {
		bool last = ir_parent_op(loop) == specialize;
		IrBuilder front = ir_at(m, last ? (IrOp *)(uintptr_t)specialize : loop);
		IrValue *init = last ? irb_int(&front, i32, 0) : ir_block_arg_add(m, loop->block, i32, loop->loc);
		GpuCarried more = {outer->args[outer->arg_count - 1], init, next};
		outer = loop->block;
		loop = gpu_carry(m, p->cx->scratch, loop, &more, 1);
		next = &loop->results[loop->result_count - 1];
		if (last)
			break;
	}
	(void)root;
	return barriers;
}
