/* loop-unroll: an scf.for with tt.loop_unroll_factor = F > 1 becomes a loop that does F iterations
 * at once, and a remainder loop (not pipelined: tt.num_stages = 1). The attribute is dropped.
 *
 * Needs: any verified module. Keeps: the order of all effects. Inner loops first, so an outer loop
 * copies the unrolled inner one. Where something was unrolled, canonicalize and cse run at once:
 * the copies share most of their addresses. With constant bounds the factor is at most the trip
 * count, the remainder loop exists only if something remains, and a loop of one iteration becomes
 * straight-line code. Growth is bounded: UNROLL_MAX_OPS. */
#include "ir/pass.h"

enum { UNROLL_MAX_OPS = 500000 };

typedef struct Unroll {
	PassCx *cx;
	IrModule *m;
	VEC(IrOp *) loops;
} Unroll;

static bool collect(void *data, IrOp *op)
{
	Unroll *u = data;
	if (op->kind == OP_FOR && ir_get(op, u->m->cx, ATTR_LOOP_UNROLL))
		vec_push(u->cx->scratch, &u->loops, op);
	return true;
}

static bool count_op(void *data, IrOp *op)
{
	(void)op;
	++*(uint64_t *)data;
	return true;
}

static IrBlock *body_of(const IrOp *loop) { return loop->regions[0].first; }

/* ---- bounds ---- */

typedef struct Bounds {
	bool constant;
	int64_t lower, upper, step, trips;
	int64_t factor;
} Bounds;

static Bounds bounds_of(const Unroll *u, const IrOp *loop)
{
	Bounds b = {.factor = ir_get_int(loop, u->m->cx, ATTR_LOOP_UNROLL, 1)};
	b.constant = ir_constant_int(ir_operand(loop, 0), &b.lower) &&
		     ir_constant_int(ir_operand(loop, 1), &b.upper) &&
		     ir_constant_int(ir_operand(loop, 2), &b.step) && b.step > 0 && b.upper > b.lower &&
		     (uint64_t)b.upper - (uint64_t)b.lower <= INT64_MAX;
	if (b.constant) {
		b.trips = (b.upper - b.lower - 1) / b.step + 1;
		b.factor = MIN(b.factor, b.trips);
	}
	return b;
}

/* Where the unrolled loop ends: lower + (trips - trips % factor) * step. */
static IrValue *middle_bound(IrBuilder *b, const IrOp *loop, const Bounds *bounds)
{
	IrValue *lower = ir_operand(loop, 0), *upper = ir_operand(loop, 1), *step = ir_operand(loop, 2);
	IrType type = lower->type;
	if (bounds->constant)
		return irb_int(b, type, bounds->lower + bounds->trips / bounds->factor * bounds->factor * bounds->step);
	IrValue *span = irb_2(b, OP_SUBI, NULL, upper, lower);
	int64_t by = 0;
	IrValue *trips = span;
	if (!ir_constant_int(step, &by) || by != 1) {
		IrValue *less = irb_2(b, OP_SUBI, NULL, step, irb_int(b, type, 1));
		trips = irb_2(b, OP_DIVSI, NULL, irb_2(b, OP_ADDI, NULL, span, less), step);
	}
	IrValue *left = irb_2(b, OP_REMSI, NULL, trips, irb_int(b, type, bounds->factor));
	IrValue *even = irb_2(b, OP_SUBI, NULL, trips, left);
	return irb_2(b, OP_ADDI, NULL, lower, by == 1 ? even : irb_2(b, OP_MULI, NULL, even, step));
}

static IrValue *times(IrBuilder *b, IrValue *step, int64_t n)
{
	int64_t by;
	if (ir_constant_int(step, &by))
		return irb_int(b, step->type, (int64_t)((uint64_t)by * (uint64_t)n));
	return irb_2(b, OP_MULI, NULL, step, irb_int(b, step->type, n));
}

/* ---- the loops ---- */

/* The iterations left over, after the loop; what used the loop's results uses its. */
static void add_leftover(Unroll *u, IrOp *loop, IrValue *from)
{
	IrMapping map;
	ir_mapping_init(&map, u->cx->scratch);
	IrOp *rest = ir_clone(u->m, loop, &map, NULL, NULL);
	ir_op_insert_after(rest, loop);
	ir_operand_set(rest, 0, from);
	for (uint32_t i = 0; i < loop->result_count; i++) {
		if (loop->results[i].uses)
			ir_replace_uses(&loop->results[i], &rest->results[i]);
		ir_operand_set(rest, 3 + i, &loop->results[i]);
	}
	ir_set(u->m, rest, ATTR_NUM_STAGES, ir_attr_i32(u->m->cx, 1));
}

static void repeat_body(Unroll *u, IrOp *loop, IrValue *step, int64_t factor)
{
	IrBlock *body = body_of(loop);
	IrOp *yield = ir_terminator(body), *last = yield->prev;
	uint32_t carried = loop->result_count;
	IrValue **from = ARENA_ARRAY(u->cx->scratch, IrValue *, carried + 1);
	for (uint32_t i = 0; i < carried; i++)
		from[i] = ir_operand(yield, i);
	IrValue **next = arena_copy(u->cx->scratch, from, (carried + 1) * sizeof *from);
	for (int64_t copy = 1; copy < factor; copy++) {
		ArenaMark mark = arena_mark(u->cx->scratch);
		IrMapping map;
		ir_mapping_init(&map, u->cx->scratch);
		IrBuilder at = ir_at(u->m, yield);
		at.loc = loop->loc;
		if (body->args[0]->uses)
			ir_mapping_put(&map, body->args[0],
				       irb_2(&at, OP_ADDI, NULL, body->args[0], times(&at, step, copy)));
		for (uint32_t i = 0; i < carried; i++)
			ir_mapping_put(&map, body->args[1 + i], next[i]);
		for (IrOp *op = last ? body->first : NULL; op; op = op == last ? NULL : op->next)
			ir_op_insert_before(ir_clone(u->m, op, &map, NULL, NULL), yield);
		for (uint32_t i = 0; i < carried; i++)
			next[i] = ir_mapping_get(&map, from[i]);
		arena_reset(u->cx->scratch, mark);
	}
	for (uint32_t i = 0; i < carried; i++)
		ir_operand_set(yield, i, next[i]);
}

/* A loop of one iteration: its body in its place. */
static void straighten(IrOp *loop)
{
	IrBlock *body = body_of(loop);
	IrOp *yield = ir_terminator(body);
	for (uint32_t i = 0; i < body->arg_count; i++)
		if (body->args[i]->uses)
			ir_replace_uses(body->args[i], ir_operand(loop, i ? 2 + i : 0));
	while (body->first != yield) {
		IrOp *op = body->first;
		ir_op_unlink(op);
		ir_op_insert_before(op, loop);
	}
	for (uint32_t i = 0; i < loop->result_count; i++)
		if (loop->results[i].uses)
			ir_replace_uses(&loop->results[i], ir_operand(yield, i));
	ir_op_erase(loop);
}

static bool unroll(Unroll *u, IrOp *loop)
{
	Bounds bounds = bounds_of(u, loop);
	ir_set(u->m, loop, ATTR_LOOP_UNROLL, NULL);
	if (bounds.factor <= 1)
		return true;
	uint64_t size = 0;
	ir_walk(loop, false, count_op, &size);
	if (size * (uint64_t)MIN(bounds.factor, UNROLL_MAX_OPS) > UNROLL_MAX_OPS) {
		ir_diag(u->cx->diags, loop->loc, DIAG_UNROLL_LIMIT, (long long)bounds.factor);
		return false;
	}
	IrBuilder b = ir_at(u->m, loop);
	IrValue *step = ir_operand(loop, 2);
	if (!bounds.constant || bounds.trips % bounds.factor != 0) {
		IrValue *middle = middle_bound(&b, loop, &bounds);
		add_leftover(u, loop, middle);
		ir_operand_set(loop, 1, middle);
	}
	ir_operand_set(loop, 2, times(&b, step, bounds.factor));
	repeat_body(u, loop, step, bounds.factor);
	if (bounds.constant && bounds.trips / bounds.factor == 1)
		straighten(loop);
	return true;
}

bool pass_loop_unroll(PassCx *cx, bool *changed)
{
	Unroll u = {.cx = cx, .m = cx->module};
	ir_walk(u.m->op, true, collect, &u);
	*changed = u.loops.len != 0;
	for (uint32_t i = 0; i < u.loops.len; i++)
		if (!unroll(&u, u.loops.data[i]))
			return false;
	bool more;
	return !*changed || (pass_canonicalize(cx, &more) && pass_cse(cx, &more));
}
