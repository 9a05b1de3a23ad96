/* peel-loops: an scf.for that tests in each iteration whether it is the first one gets that
 * iteration peeled. What is then known (running means that start with the first values) needs
 * neither a branch nor selects, and the loop has no branch in it that its loads would have to wait
 * behind.
 *
 * Needs: any verified module. Keeps: the order of all effects. A loop that is known to run gets
 * straight-line code in front of it, any other an scf.if. Loops that contain loops or dots are
 * left alone: they are large, and prefetch. Where something was peeled, canonicalize and cse run
 * at once. */
#include "ir/pass.h"

enum { PEEL_MAX_OPS = 256 };

typedef struct Peel {
	PassCx *cx;
	IrModule *m;
	VEC(IrOp *) loops;
} Peel;

static IrBlock *body_of(const IrOp *loop) { return loop->regions[0].first; }

/* ---- which loops ---- */

/* A comparison of the loop's index with its lower bound that a branch or a select asks; *first:
 * what it is in the first iteration, and is in no other. */
static bool asks_for_first(const Peel *p, const IrOp *loop, const IrOp *op, bool *first)
{
	int64_t lower, with;
	if (op->kind != OP_CMPI || ir_operand(op, 0) != body_of(loop)->args[0] ||
	    !ir_constant_int(ir_operand(loop, 0), &lower) || !ir_constant_int(ir_operand(op, 1), &with) ||
	    with != lower)
		return false;
	int64_t predicate = ir_get_int(op, p->m->cx, ATTR_PREDICATE, CMPI_EQ);
	*first = predicate == CMPI_EQ || predicate == CMPI_SLE;
	return *first || predicate == CMPI_NE || predicate == CMPI_SGT;
}

typedef struct Look {
	const Peel *peel;
	const IrOp *loop;
	unsigned ops;
	bool large, asked;
} Look;

static bool look_at(void *data, IrOp *op)
{
	Look *look = data;
	bool first;
	if (op == look->loop)
		return true;
	look->ops++;
	look->large |= op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_DOT ||
		       op->kind == OP_DOT_SCALED;
	if (!asks_for_first(look->peel, look->loop, op, &first))
		return true;
	for (const IrUse *use = op->results[0].uses; use; use = use->next)
		look->asked |= use->owner->kind == OP_IF ||
			       (use->owner->kind == OP_SELECT && use == use->owner->operands);
	return true;
}

/* With a first iteration of its own, and an index that does not wrap behind it. */
static bool is_wanted(const Peel *p, IrOp *loop)
{
	int64_t lower, step;
	if (ir_get(loop, p->m->cx, ATTR_UNSIGNED_CMP) || ir_get(loop, p->m->cx, ATTR_LOOP_UNROLL) ||
	    !ir_constant_int(ir_operand(loop, 0), &lower) ||
	    !ir_constant_int(ir_operand(loop, 2), &step) || step <= 0)
		return false;
	int64_t greatest = ir_operand(loop, 0)->type->bits >= 64 ? INT64_MAX : INT32_MAX;
	if (lower > 0 && step > greatest - lower)
		return false;
	Look look = {.peel = p, .loop = loop};
	ir_walk(loop, false, look_at, &look);
	return look.asked && !look.large && look.ops <= PEEL_MAX_OPS;
}

static bool collect(void *data, IrOp *op)
{
	Peel *p = data;
	if (op->kind == OP_FOR && is_wanted(p, op))
		vec_push(p->cx->scratch, &p->loops, op);
	return true;
}

/* ---- the iterations ---- */

/* What body asks of its index becomes what is known of the first iteration, or of the others. */
static void answer(const Peel *p, IrOp *loop, bool is_first)
{
	IrValue *index = body_of(loop)->args[0];
	for (IrUse *use = index->uses, *next; use; use = next) {
		IrOp *op = use->owner;
		bool first;
		next = use->next;
		if (!asks_for_first(p, loop, op, &first))
			continue;
		IrBuilder b = ir_at(p->m, op);
		IrValue *known = irb_int(&b, op->results[0].type, first == is_first);
		ir_replace_uses(&op->results[0], known);
		ir_op_erase(op);
	}
}

/* The body of `once` goes before `place`; its results become the operands of its yield, which
 * goes. */
static void put_body(IrOp *once, IrOp *place, IrValue **results)
{
	IrBlock *body = body_of(once);
	IrOp *yield = ir_terminator(body);
	for (uint32_t i = 0; i < body->arg_count; i++)
		if (body->args[i]->uses)
			ir_replace_uses(body->args[i], ir_operand(once, i ? 2 + i : 0));
	while (body->first != yield) {
		IrOp *op = body->first;
		ir_op_unlink(op);
		ir_op_insert_before(op, place);
	}
	for (uint32_t i = 0; i < once->result_count; i++)
		results[i] = ir_operand(yield, i);
}

static IrOp *end_region(Peel *p, const IrBuilder *b, IrRegion *region, IrValue *const *values, uint32_t count)
{
	IrBuilder end = ir_at_end(p->m, ir_block_new(p->m, region), b->loc);
	return irb_op(&end, OP_YIELD, values, count, NULL, 0, 0);
}

static void peel(Peel *p, IrOp *loop)
{
	IrMapping map;
	ir_mapping_init(&map, p->cx->scratch);
	IrOp *once = ir_clone(p->m, loop, &map, NULL, NULL);
	ir_op_insert_before(once, loop);
	answer(p, once, true);
	answer(p, loop, false);
	uint32_t count = loop->result_count;
	int64_t lower = 0, upper, step = 0;
	ir_constant_int(ir_operand(loop, 0), &lower);
	ir_constant_int(ir_operand(loop, 2), &step);
	IrBuilder b = ir_at(p->m, loop);
	IrValue **results = ARENA_ARRAY(p->cx->scratch, IrValue *, count + 1);
	if (ir_constant_int(ir_operand(loop, 1), &upper) && lower < upper) {
		put_body(once, loop, results);
	} else {
		IrType *types = ARENA_ARRAY(p->cx->scratch, IrType, count + 1);
		IrValue **inits = ARENA_ARRAY(p->cx->scratch, IrValue *, count + 1);
		for (uint32_t i = 0; i < count; i++) {
			types[i] = loop->results[i].type;
			inits[i] = ir_operand(loop, 3 + i);
		}
		IrValue *some = irb_cmpi(&b, CMPI_SLT, ir_operand(loop, 0), ir_operand(loop, 1));
		IrOp *choice = irb_op(&b, OP_IF, &some, 1, types, count, 2);
		IrOp *yield = end_region(p, &b, &choice->regions[0], inits, count);
		end_region(p, &b, &choice->regions[1], inits, count);
		put_body(once, yield, results);
		for (uint32_t i = 0; i < count; i++) {
			ir_operand_set(yield, i, results[i]);
			results[i] = &choice->results[i];
		}
	}
	for (uint32_t i = 0; i < count; i++)
		ir_operand_set(loop, 3 + i, results[i]);
	ir_operand_set(loop, 0, irb_int(&b, ir_operand(loop, 0)->type, lower + step));
	ir_op_erase(once);
}

bool pass_peel_loops(PassCx *cx, bool *changed)
{
	Peel p = {.cx = cx, .m = cx->module};
	ir_walk(p.m->op, true, collect, &p);
	*changed = p.loops.len != 0;
	for (uint32_t i = 0; i < p.loops.len; i++)
		peel(&p, p.loops.data[i]);
	bool more;
	return !*changed || (pass_canonicalize(cx, &more) && pass_cse(cx, &more));
}
