/* hold-rows: what a loop inside of a loop loads, the same in each iteration of the outer one, is
 * loaded once, in front of both, and stays in registers (rows that bisection goes over again).
 *
 * Needs: TTIR. Keeps: values; nothing writes between the loads that become one, and they would have
 * run, as the loops' counts are constants. Method: such an inner loop is unrolled, so that its
 * addresses no longer depend on what it counts; then loads of invariant addresses leave loops that
 * do not write. Kernels with products hold their operands in other ways. */
#include "gpu/gpu.h"
#include "ir/pass.h"

enum {
	MOST_WORDS = 64,  /* of a thread, for all that a loop holds */
	MOST_TRIPS = 64,  /* of an inner loop: it becomes so many times as long */
	MOST_OPS = 2048,  /* that it then has */
	MOST_DEPTH = 24,
	MOST_CARRIED = 32
};

typedef struct Hold {
	GpuCx *gpu;
	IrModule *m;
	bool any;
} Hold;

static int64_t trips_of(const IrOp *loop)
{
	int64_t lower, upper, step;
	bool known = ir_constant_int(ir_operand(loop, 0), &lower) &&
		     ir_constant_int(ir_operand(loop, 1), &upper) &&
		     ir_constant_int(ir_operand(loop, 2), &step) && step > 0 && upper > lower &&
		     lower >= INT32_MIN && upper <= INT32_MAX && upper - lower <= INT32_MAX;
	return known ? (upper - lower - 1) / step + 1 : 0;
}

static bool only_reads(void *data, IrOp *op)
{
	(void)data;
	return op->kind != OP_DOT && op->kind != OP_WHILE && (op->region_count || !ir_may_write(op)) &&
	       !ir_is_volatile(op);
}

/* Loops that run, and write nothing. */
static bool is_quiet(IrOp *loop)
{
	return loop->kind == OP_FOR && trips_of(loop) && ir_walk(loop, false, only_reads, NULL);
}

/* ---- loads that are the same in each iteration of the outer loop ---- */

typedef struct Same {
	const IrOp *outer, *inner;
	bool assumed[MOST_CARRIED]; /* what the inner loop carries */
} Same;

static bool is_same(Same *s, const IrValue *v, unsigned depth)
{
	if (ir_is_defined_outside(v, s->outer))
		return true;
	const IrBlock *body = s->inner->regions[0].first;
	if (!depth)
		return false;
	if (!v->def) {
		if (v->block != body)
			return false;
		if (!v->index)
			return true;
		if (v->index > MOST_CARRIED)
			return false;
		if (s->assumed[v->index - 1])
			return true;
		s->assumed[v->index - 1] = true;
		return is_same(s, ir_operand(s->inner, 2 + v->index), depth - 1) &&
		       is_same(s, ir_operand(ir_terminator(body), v->index - 1), depth - 1);
	}
	if (!ir_is_pure(v->def) || v->def->region_count)
		return false;
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		if (!is_same(s, ir_operand(v->def, i), depth - 1))
			return false;
	return true;
}

/* Words of a thread, of a tile that is loaded: a half takes one where it is alone in a thread. */
static uint64_t words_of(const Hold *h, IrType type)
{
	uint64_t threads = (uint64_t)TARGET_WARP_SIZE * h->gpu->num_warps;
	uint64_t elems = ir_is_tensor(type) ? (uint64_t)ir_numel(type) : 1;
	IrType elem = ir_elem(type);
	uint64_t bits = elem->kind == TY_PTR ? 64 : elem->bits;
	uint64_t of_thread = (elems + threads - 1) / threads;
	return (of_thread * bits + 31) / 32;
}

static uint64_t words_of_loads(const Hold *h, const IrOp *outer, const IrOp *inner)
{
	uint64_t words = 0;
	for (const IrOp *op = inner->regions[0].first->first; op; op = op->next) {
		Same s = {.outer = outer, .inner = inner};
		bool same = op->kind == OP_LOAD && ir_is_tensor(op->results[0].type);
		for (uint32_t i = 0; i < op->operand_count && same; i++)
			same = is_same(&s, ir_operand(op, i), MOST_DEPTH);
		if (same)
			words += words_of(h, op->results[0].type);
	}
	return words;
}

static bool count_op(void *data, IrOp *op)
{
	(void)op;
	++*(uint64_t *)data;
	return true;
}

static bool stays_short(IrOp *loop, int64_t trips)
{
	uint64_t ops = 0;
	ir_walk(loop, false, count_op, &ops);
	return trips && trips <= MOST_TRIPS && ops * (uint64_t)trips <= MOST_OPS;
}

static bool mark(void *data, IrOp *outer)
{
	Hold *h = data;
	if (outer->kind != OP_FOR || trips_of(outer) < 2 || !is_quiet(outer))
		return true;
	uint64_t words = 0;
	for (int found = 0; found < 2; found++) {
		if (found && (!words || words > MOST_WORDS))
			break;
		for (IrOp *op = outer->regions[0].first->first; op; op = op->next) {
			int64_t trips = op->kind == OP_FOR ? trips_of(op) : 0;
			uint64_t once = stays_short(op, trips) ? words_of_loads(h, outer, op) : 0;
			if (!once)
				continue;
			words += once * (uint64_t)trips;
			if (found) {
				ir_set(h->m, op, ATTR_LOOP_UNROLL, ir_attr_i32(h->m->cx, (int32_t)trips));
				h->any = true;
			}
		}
	}
	return true;
}

/* ---- loads in front of loops ---- */

static bool is_invariant(const Hold *h, const IrOp *op, const IrOp *loop, uint64_t *words)
{
	bool load = op->kind == OP_LOAD && !ir_is_volatile(op);
	if ((!load && !ir_is_pure(op)) || op->region_count || ir_has_trait(op, TRAIT_TERM))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!ir_is_defined_outside(ir_operand(op, i), loop))
			return false;
	if (load)
		*words += words_of(h, op->results[0].type);
	return !load || *words <= MOST_WORDS;
}

static bool hoist(void *data, IrOp *loop)
{
	Hold *h = data;
	uint64_t words = 0;
	if (!is_quiet(loop))
		return true;
	for (IrOp *op = loop->regions[0].first->first, *next; op; op = next) {
		next = op->next;
		if (!is_invariant(h, op, loop, &words))
			continue;
		ir_op_unlink(op);
		ir_op_insert_before(op, loop);
		h->any = true;
	}
	return true;
}

bool pass_hold_rows(PassCx *cx, bool *changed)
{
	Hold h = {.gpu = gpu_of(cx), .m = cx->module};
	bool unrolled = false;
	ir_walk(cx->module->op, false, mark, &h);
	if (h.any && !pass_loop_unroll(cx, &unrolled))
		return false;
	ir_walk(cx->module->op, true, hoist, &h);
	*changed = h.any;
	return true;
}
