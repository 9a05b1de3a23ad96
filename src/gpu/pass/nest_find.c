/* Finds loops that count the steps of each tile themselves (nest_loops.c): the counter, the
 * branches of a tile's first and last step, and what keeps a loop from being nested. */
#include "gpu/pass/nest.h"

bool nest_is_outside(const Nest *n, const IrValue *v) { return ir_is_defined_outside(v, n->loop); }

static bool is_product(const IrOp *op) { return op->kind == OP_DOT || op->kind == OP_DOT_SCALED; }

bool nest_computes(const IrOp *op)
{
	return (ir_is_pure(op) || ir_has_trait(op, TRAIT_NOFX)) && !op->region_count && !is_product(op);
}

static bool is_choice(const IrOp *op) { return op->kind == OP_IF || op->kind == OP_SELECT; }

static bool in_body(const Nest *n, const IrOp *op) { return op && op->block == n->body; }

/* ---- the counter ---- */

/* The same in every iteration: defined in front of the loop, or computed of such values. */
static bool is_invariant(const Nest *n, const IrValue *v, unsigned deep)
{
	if (nest_is_outside(n, v))
		return true;
	bool same = v->def && deep && ir_is_pure(v->def) && !v->def->region_count;
	for (uint32_t i = 0; same && i < v->def->operand_count; i++)
		same = is_invariant(n, ir_operand(v->def, i), deep - 1);
	return same;
}

static NestLine line_of(const IrValue *v)
{
	NestLine line = {v, 0};
	for (unsigned i = 0; i < NEST_DEEP; i++) {
		const IrOp *op = line.base->def;
		int64_t k;
		if (ir_constant_int(line.base, &k)) {
			line.off = (int32_t)((uint64_t)line.off + (uint64_t)k);
			line.base = NULL;
			break;
		}
		if (!op || (op->kind != OP_ADDI && op->kind != OP_SUBI) ||
		    !ir_constant_int(ir_operand(op, 1), &k))
			break;
		line.off = (int32_t)((uint64_t)line.off + (op->kind == OP_ADDI ? (uint64_t)k : -(uint64_t)k));
		line.base = ir_operand(op, 0);
	}
	return line;
}

static bool same_line(NestLine a, NestLine b) { return a.base == b.base && a.off == b.off; }

static NestLine plus(NestLine a, int64_t off)
{
	return (NestLine){a.base, (int32_t)((uint64_t)a.off + (uint64_t)off)};
}

static bool is_number(const IrValue *v, int64_t number)
{
	int64_t k;
	return ir_constant_int(v, &k) && k == number;
}

/* a == b, of words; *negated: a != b. */
static const IrOp *comparison(const Nest *n, const IrValue *v, bool *negated)
{
	const IrOp *op = v->def;
	if (!op || op->kind != OP_CMPI || ir_operand(op, 0)->type->kind != TY_I32)
		return NULL;
	int64_t predicate = ir_get_int(op, n->m->cx, ATTR_PREDICATE, CMPI_SLT);
	*negated = predicate == CMPI_NE;
	return predicate == CMPI_EQ || *negated ? op : NULL;
}

/* What `v` is compared with to learn that it is `of`: of == result. */
static bool is_asked(const Nest *n, const IrValue *v, const IrValue *of, NestLine *when)
{
	bool negated;
	const IrOp *op = comparison(n, v, &negated);
	for (uint32_t side = 0; op && side < 2; side++) {
		NestLine left = line_of(ir_operand(op, side)), right = line_of(ir_operand(op, 1 - side));
		if (left.base == of && is_invariant(n, ir_operand(op, 1 - side), NEST_DEEP)) {
			*when = plus(right, -left.off);
			return true;
		}
	}
	return false;
}

static uint32_t taken_side(const Nest *n, const IrOp *op)
{
	bool negated = false;
	comparison(n, ir_operand(op, 0), &negated);
	return negated ? 1 : 0;
}

static uint32_t side_of(const Nest *n, const IrOp *op, bool taken)
{
	return taken ? taken_side(n, op) : 1 - taken_side(n, op);
}

IrBlock *nest_side(const Nest *n, const IrOp *branch, bool taken)
{
	return branch->regions[side_of(n, branch, taken)].first;
}

IrValue *nest_value(const Nest *n, const IrOp *op, uint32_t result, bool taken)
{
	return op->kind == OP_SELECT ? ir_operand(op, 1 + side_of(n, op, taken)) :
				       ir_operand(ir_terminator(nest_side(n, op, taken)), result);
}

/* where(counter == last, 0, counter + 1), or a branch that does so, carried as `counter`. */
static bool counts_in_turns(Nest *n, IrValue *counter, IrValue *next, const IrValue *start)
{
	const IrOp *op = next->def;
	NestLine last;
	if (!in_body(n, op) || !is_choice(op) || !is_asked(n, ir_operand(op, 0), counter, &last))
		return false;
	NestLine up = line_of(nest_value(n, op, next->index, false));
	if (!is_number(nest_value(n, op, next->index, true), 0) || up.base != counter || up.off != 1)
		return false;
	n->steps = plus(last, 1);
	if (is_number(start, 0)) {
		n->step = counter;
		n->counter = NULL;
		return true;
	}
	n->step = next;
	n->counter = counter;
	return op->result_count == 1 && ir_is_pure(op) &&
	       (is_number(start, -1) || same_line(line_of(start), last));
}

/* The loop's own counter, of which the rest by the steps is taken. */
static bool counts_by_rest(Nest *n)
{
	const IrValue *index = n->body->args[0];
	IrOp *rest = NULL, *quotient = NULL;
	bool good = index->uses != NULL;
	for (const IrUse *use = index->uses; use && good; use = use->next) {
		IrOp *op = use->owner, **which = NULL;
		if (op->kind == OP_REMSI || op->kind == OP_REMUI)
			which = &rest;
		else if (op->kind == OP_DIVSI || op->kind == OP_DIVUI)
			which = &quotient;
		good = which && !*which && in_body(n, op) && use == op->operands &&
		       is_invariant(n, ir_operand(op, 1), NEST_DEEP);
		if (good)
			*which = op;
	}
	if (!good || !rest || (quotient && ir_operand(quotient, 1) != ir_operand(rest, 1)))
		return false;
	n->step = &rest->results[0];
	n->quotient = quotient;
	n->steps = line_of(ir_operand(rest, 1));
	return true;
}

/* From 0 by 1, with a counter of steps. */
static bool find_counter(Nest *n)
{
	const IrOp *loop = n->loop;
	IrCx *ir = n->m->cx;
	const IrValue *index = n->body->args[0];
	if (!is_number(ir_operand(loop, 0), 0) || !is_number(ir_operand(loop, 2), 1) ||
	    index->type->kind != TY_I32 || ir_get(loop, ir, ATTR_UNSIGNED_CMP) ||
	    ir_get(loop, ir, ATTR_LOOP_UNROLL))
		return false;
	bool found = false;
	for (uint32_t i = 0; i < loop->result_count && !index->uses && !found; i++) {
		IrValue *arg = n->body->args[1 + i];
		found = arg->type == index->type &&
			counts_in_turns(n, arg, ir_operand(n->yield, i), ir_operand(loop, 3 + i));
	}
	found = found || counts_by_rest(n);
	return found && (n->steps.base || n->steps.off > 1);
}

/* ---- branches of the first and the last step ---- */

static bool is_listed(const IrOp *const *list, size_t len, const IrOp *op)
{
	bool found = false;
	for (size_t i = 0; i < len && !found; i++)
		found = list[i] == op;
	return found;
}

bool nest_is_first(const Nest *n, const IrOp *op)
{
	return op && is_listed((const IrOp *const *)n->first.data, n->first.len, op);
}

bool nest_is_last(const Nest *n, const IrOp *op)
{
	return op && is_listed((const IrOp *const *)n->last.data, n->last.len, op);
}

/* Where the step is another one it does no more than compute. */
static bool is_one_sided(const Nest *n, const IrOp *op)
{
	if (op->kind == OP_SELECT)
		return true;
	const IrBlock *other = nest_side(n, op, false);
	bool only = nest_side(n, op, true) != NULL;
	for (const IrOp *inside = other ? other->first : NULL; inside && only; inside = inside->next)
		only = inside == ir_terminator(other) || (ir_is_pure(inside) && !is_product(inside));
	return only;
}

static void find_branches(Nest *n)
{
	NestLine none = {NULL, 0}, end = plus(n->steps, -1);
	for (IrOp *op = n->body->first; op; op = op->next) {
		NestLine when;
		if (!is_choice(op) || op == n->step->def ||
		    !is_asked(n, ir_operand(op, 0), n->step, &when) || !is_one_sided(n, op))
			continue;
		if (same_line(when, none))
			vec_push(n->cx->scratch, &n->first, op);
		else if (same_line(when, end))
			vec_push(n->cx->scratch, &n->last, op);
	}
}

typedef struct Uses {
	const Nest *nest;
	bool found;
} Uses;

bool nest_varies(const Nest *n, const IrValue *v) { return v->id < n->values && n->varies[v->id]; }

static bool look_at_operands(void *data, IrOp *op)
{
	Uses *u = data;
	for (uint32_t i = 0; i < op->operand_count; i++)
		u->found |= nest_varies(u->nest, ir_operand(op, i));
	return !u->found;
}

static bool takes_what_varies(const Nest *n, IrOp *op)
{
	Uses u = {n, false};
	look_at_operands(&u, op);
	ir_walk(op, false, look_at_operands, &u);
	return u.found;
}

static bool find_load(void *data, IrOp *op)
{
	bool *found = data;
	*found |= ir_has_trait(op, TRAIT_READ);
	return !*found;
}

static bool loads(IrOp *op)
{
	bool found = false;
	find_load(&found, op);
	ir_walk(op, false, find_load, &found);
	return found;
}

/* Only the last step writes, and what is behind that in an iteration loads nothing. What is
 * computed of what the last step decides is cheap: it is computed behind the loop once more. */
static const char *check_order(Nest *n)
{
	bool behind = false;
	for (IrOp *op = n->body->first; op != n->yield; op = op->next) {
		bool last = nest_is_last(n, op), taken = last || takes_what_varies(n, op);
		if (!(last && op->kind == OP_IF) && !ir_is_droppable(op))
			return "a step that is not the last one of its tile may write, or wait";
		if (behind && !last && loads(op))
			return "something is loaded behind what the last step of a tile does";
		if (taken && !last &&
		    (nest_is_first(n, op) || op->region_count || !ir_is_pure(op) || is_product(op)))
			return "what the last step of a tile leaves is used in that step";
		for (uint32_t i = 0; taken && i < op->result_count; i++)
			n->varies[op->results[i].id] = true;
		behind |= last && op->kind == OP_IF;
	}
	return NULL;
}

/* ---- what a first step takes in place of what is carried ---- */

static bool is_dead_between(const Nest *n, const IrUse *use, unsigned deep);

/* Not needed in any step but a tile's first one. */
static bool is_for_first(const Nest *n, const IrValue *v, unsigned deep)
{
	bool only = deep > 0;
	for (const IrUse *use = v->uses; use && only; use = use->next)
		only = is_dead_between(n, use, deep);
	return only;
}

static bool is_dead_between(const Nest *n, const IrUse *use, unsigned deep)
{
	IrOp *op = use->owner;
	uint32_t at = (uint32_t)(use - op->operands);
	for (uint32_t i = 0; i < n->first.len; i++) {
		const IrOp *branch = n->first.data[i];
		if (op == branch)
			return branch->kind == OP_SELECT && at > 0;
		if (branch->kind == OP_IF && ir_is_inside(op, branch))
			return true;
	}
	return in_body(n, op) && nest_computes(op) && op->result_count == 1 &&
	       is_for_first(n, &op->results[0], deep - 1);
}

static const char *find_fresh(Nest *n)
{
	for (uint32_t i = 0; i < n->first.len; i++) {
		const IrOp *op = n->first.data[i];
		for (uint32_t r = 0; r < op->result_count; r++) {
			IrValue *old = nest_value(n, op, r, false), *new = nest_value(n, op, r, true);
			if (old->block != n->body || old->index == 0 || old == n->step || old == n->counter)
				return "what the first step of a tile decides is not carried to the others";
			IrValue **fresh = &n->fresh[old->index - 1];
			if (*fresh && *fresh != new)
				return "what the first step of a tile decides is not carried to the others";
			*fresh = new;
			if (!is_for_first(n, old, NEST_DEEP))
				return "a step takes what the tile before it left";
		}
	}
	return NULL;
}

/* ---- the whole ---- */

static bool has_product(const Nest *n)
{
	bool found = false;
	for (const IrOp *op = n->body->first; op && !found; op = op->next)
		found = is_product(op);
	return found;
}

/* Is there something that the last step alone does? */
static bool has_results(const Nest *n)
{
	bool found = false;
	for (uint32_t i = 0; i < n->last.len && !found; i++)
		found = n->last.data[i]->kind == OP_IF;
	return found;
}

bool nest_find(Nest *n)
{
	if (!has_product(n) || !find_counter(n))
		return false;
	find_branches(n);
	if (!has_results(n))
		return false;
	for (uint32_t i = 0; i < n->loop->result_count && !n->why; i++)
		if (n->loop->results[i].uses)
			n->why = "what it leaves is used behind it";
	n->why = n->why ? n->why : check_order(n);
	n->why = n->why ? n->why : find_fresh(n);
	return true;
}
