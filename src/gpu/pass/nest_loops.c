/* nest-loops: a loop of products over the steps of all tiles, which counts the steps of each tile
 * itself, becomes a loop over tiles around one over a tile's steps.
 *
 * Needs: TTIR. Keeps: what is stored, bit by bit, and in which order.
 * Persistent products are written so:
 *
 *	for _ in range(steps * tiles):
 *		ki = where(ki == steps - 1, 0, ki + 1)
 *		if ki == 0: the next tile's place
 *		acc = dot(load, load, acc)
 *		if ki == steps - 1: store acc; acc = 0
 *
 * There each step may store, so that no load of a later step may start early. Nested, the loop
 * inside stores nothing:
 *
 *	for tile in range(all // steps):
 *		the next tile's place
 *		for ki in range(steps): acc = dot(load, load, acc)
 *		store acc; acc = 0
 *
 * Why it is the same: a loop may be cut into runs of `steps` iterations wherever one likes. The
 * counter is 0 in a run's first iteration and steps - 1 in its last: its start says so of the first
 * run, and it begins anew behind each. Iterations that are left over form no whole run. They never
 * reach the last step, and only there is something written: nothing is seen of them where nobody
 * takes the loop's results. The same holds of all iterations where `steps` is not positive, as the
 * counter never gets there.
 *
 * Method: the new loops are built of copies. Values are needed at two places outside of the loop
 * inside: in front of it those of a tile's first step that the branch `ki == 0` reads, and behind
 * it those of its last step that the branch `ki == steps - 1` and the next tile read. What is
 * computed of what is carried is computed there once more; what is not is a result of the loop. */
#include "gpu/gpu.h"
#include "gpu/remark.h"

enum { DEEP = 8 };

/* base + off; base NULL: a constant. Sums wrap, as the program's do. */
typedef struct Line {
	const IrValue *base;
	int64_t off;
} Line;

typedef VEC(IrValue *) Values;

typedef struct Nest {
	PassCx *cx;
	IrModule *m;
	IrOp *loop;
	IrBlock *body;
	IrOp *yield;
	IrValue *step;		 /* the number of a tile's step */
	const IrValue *counter;	 /* what the loop carries for it, where that is another one; or NULL */
	const IrOp *quotient;	 /* the number of the tile; or NULL */
	Line steps;		 /* of a tile */
	VEC(IrOp *) first, last; /* branches and selects of the first and the last step, in order */
	IrValue **fresh;	 /* by what is carried: what the first step takes in its place; or NULL */
	bool *varies;		 /* by value: computed of what the last step decides */
	uint32_t values;
	Values more; /* of the last step, which nobody carries */
	IrOp *inner;
	IrValue *tile, *end; /* of the new loops: the tile's number; steps - 1 */
	const char *why;
} Nest;

static bool is_outside(const Nest *n, const IrValue *v) { return ir_is_defined_outside(v, n->loop); }

static bool is_product(const IrOp *op) { return op->kind == OP_DOT || op->kind == OP_DOT_SCALED; }

/* May be computed elsewhere as well, where no condition stands between: quotients too. */
static bool only_computes(const IrOp *op)
{
	return (ir_is_pure(op) || ir_has_trait(op, TRAIT_NOFX)) && !op->region_count && !is_product(op);
}

static bool is_choice(const IrOp *op) { return op->kind == OP_IF || op->kind == OP_SELECT; }

static bool in_body(const Nest *n, const IrOp *op) { return op && op->block == n->body; }

/* ---- the counter ---- */

/* The same in every iteration: defined in front of the loop, or computed of such values. */
static bool is_invariant(const Nest *n, const IrValue *v, unsigned deep)
{
	if (is_outside(n, v))
		return true;
	bool same = v->def && deep && ir_is_pure(v->def) && !v->def->region_count;
	for (uint32_t i = 0; same && i < v->def->operand_count; i++)
		same = is_invariant(n, ir_operand(v->def, i), deep - 1);
	return same;
}

static Line line_of(const IrValue *v)
{
	Line line = {v, 0};
	for (unsigned i = 0; i < DEEP; i++) {
		const IrOp *op = line.base->def;
		int64_t k;
		if (ir_constant_int(line.base, &k)) {
			line.off = (int32_t)((uint64_t)line.off + (uint64_t)k);
			line.base = NULL;
			break;
		}
		if (!op || (op->kind != OP_ADDI && op->kind != OP_SUBI) || !ir_constant_int(ir_operand(op, 1), &k))
			break;
		line.off = (int32_t)((uint64_t)line.off + (op->kind == OP_ADDI ? (uint64_t)k : -(uint64_t)k));
		line.base = ir_operand(op, 0);
	}
	return line;
}

static bool same_line(Line a, Line b) { return a.base == b.base && a.off == b.off; }

static Line plus(Line a, int64_t off)
{
	return (Line){a.base, (int32_t)((uint64_t)a.off + (uint64_t)off)};
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
static bool is_asked(const Nest *n, const IrValue *v, const IrValue *of, Line *when)
{
	bool negated;
	const IrOp *op = comparison(n, v, &negated);
	for (uint32_t side = 0; op && side < 2; side++) {
		Line left = line_of(ir_operand(op, side)), right = line_of(ir_operand(op, 1 - side));
		if (left.base == of && is_invariant(n, ir_operand(op, 1 - side), DEEP)) {
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

/* The values of a branch or a select where the step is that one, and where it is not. */
static IrValue *value_of(const Nest *n, const IrOp *op, uint32_t result, bool taken)
{
	uint32_t side = taken ? taken_side(n, op) : 1 - taken_side(n, op);
	return op->kind == OP_SELECT ? ir_operand(op, 1 + side) :
				       ir_operand(ir_terminator(op->regions[side].first), result);
}

/* where(counter == last, 0, counter + 1), or a branch that does so, which is carried as `counter`. */
static bool counts_in_turns(Nest *n, IrValue *counter, IrValue *next, const IrValue *start)
{
	const IrOp *op = next->def;
	Line last;
	if (!in_body(n, op) || !is_choice(op) || !is_asked(n, ir_operand(op, 0), counter, &last))
		return false;
	Line up = line_of(value_of(n, op, next->index, false));
	if (!is_number(value_of(n, op, next->index, true), 0) || up.base != counter || up.off != 1)
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
		       is_invariant(n, ir_operand(op, 1), DEEP);
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
	if (!is_number(ir_operand(loop, 0), 0) || !is_number(ir_operand(loop, 2), 1) || index->type->kind != TY_I32 ||
	    ir_get(loop, ir, ATTR_UNSIGNED_CMP) || ir_get(loop, ir, ATTR_LOOP_UNROLL))
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

static bool is_first(const Nest *n, const IrOp *op)
{
	return op && is_listed((const IrOp *const *)n->first.data, n->first.len, op);
}

static bool is_last(const Nest *n, const IrOp *op)
{
	return op && is_listed((const IrOp *const *)n->last.data, n->last.len, op);
}

/* Where the step is another one it does no more than compute. */
static bool is_one_sided(const Nest *n, const IrOp *op)
{
	if (op->kind == OP_SELECT)
		return true;
	const IrBlock *other = op->regions[1 - taken_side(n, op)].first;
	bool only = op->regions[taken_side(n, op)].first != NULL;
	for (const IrOp *inside = other ? other->first : NULL; inside && only; inside = inside->next)
		only = inside == ir_terminator(other) || (ir_is_pure(inside) && !is_product(inside));
	return only;
}

static void find_branches(Nest *n)
{
	Line none = {NULL, 0}, end = plus(n->steps, -1);
	for (IrOp *op = n->body->first; op; op = op->next) {
		Line when;
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

static bool varies(const Nest *n, const IrValue *v) { return v->id < n->values && n->varies[v->id]; }

static bool look_at_operands(void *data, IrOp *op)
{
	Uses *u = data;
	for (uint32_t i = 0; i < op->operand_count; i++)
		u->found |= varies(u->nest, ir_operand(op, i));
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
	bool behind = false, product = false;
	for (IrOp *op = n->body->first; op != n->yield; op = op->next) {
		bool last = is_last(n, op), taken = last || takes_what_varies(n, op);
		if (!(last && op->kind == OP_IF) && !ir_is_droppable(op))
			return "a step that is not the last one of its tile may write, or wait";
		if (behind && !last && loads(op))
			return "something is loaded behind what the last step of a tile does";
		if (taken && !last && (is_first(n, op) || op->region_count || !ir_is_pure(op) || is_product(op)))
			return "what the last step of a tile leaves is used in that step";
		for (uint32_t i = 0; taken && i < op->result_count; i++)
			n->varies[op->results[i].id] = true;
		behind |= last && op->kind == OP_IF;
		product |= is_product(op);
	}
	return behind && product ? NULL : "no branch of a tile's last step, or no product";
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
	return in_body(n, op) && only_computes(op) && op->result_count == 1 &&
	       is_for_first(n, &op->results[0], deep - 1);
}

static const char *find_fresh(Nest *n)
{
	for (uint32_t i = 0; i < n->first.len; i++) {
		const IrOp *op = n->first.data[i];
		for (uint32_t r = 0; r < op->result_count; r++) {
			IrValue *old = value_of(n, op, r, false), *new = value_of(n, op, r, true);
			if (old->block != n->body || old->index == 0 || old == n->step || old == n->counter)
				return "what the first step of a tile decides is not carried to the others";
			IrValue **fresh = &n->fresh[old->index - 1];
			if (*fresh && *fresh != new)
				return "what the first step of a tile decides is not carried to the others";
			*fresh = new;
			if (!is_for_first(n, old, DEEP))
				return "a step takes what the tile before it left";
		}
	}
	return NULL;
}

/* What a step hands on to the next one of its tile. */
static const IrValue *carried_on(const Nest *n, uint32_t number)
{
	const IrValue *v = ir_operand(n->yield, number);
	for (unsigned i = 0; i < DEEP && is_last(n, v->def); i++)
		v = value_of(n, v->def, v->index, false);
	return v;
}

/* What the loop inside carries for it is the same in all of its steps. */
static bool is_held(const Nest *n, const IrValue *arg)
{
	const IrValue *next = carried_on(n, arg->index - 1);
	if (is_first(n, next->def))
		next = value_of(n, next->def, next->index, false);
	return next == arg;
}

/* ---- values of a tile's first and last step, outside of the loop inside ---- */

typedef struct Place {
	Nest *nest;
	bool last;    /* else the first step */
	IrBuilder *b; /* NULL: may it be had there? */
	IrMapping map;
	bool *seen; /* by value, where b is NULL */
} Place;

static IrValue *take(Place *p, IrValue *v);

typedef struct Operands {
	Place *place;
	const IrOp *root;
	bool good;
} Operands;

static bool take_operands(void *data, IrOp *op)
{
	Operands *o = data;
	for (uint32_t i = 0; i < op->operand_count && o->good; i++) {
		IrValue *v = ir_operand(op, i);
		if (op == o->root || ir_is_defined_outside(v, o->root))
			o->good = take(o->place, v) != NULL;
	}
	return o->good;
}

/* The op, with regions that it has, at that place. */
static bool take_op(Place *p, IrOp *op)
{
	Operands o = {p, op, true};
	if (!take_operands(&o, op) || !ir_walk(op, false, take_operands, &o))
		return false;
	if (p->b) {
		IrOp *copy = ir_clone(p->nest->m, op, &p->map, NULL, NULL);
		if (p->b->before)
			ir_op_insert_before(copy, p->b->before);
		else
			ir_op_append(p->b->block, copy);
	}
	return true;
}

static bool take_branch(Place *p, const IrOp *branch)
{
	const IrBlock *taken = branch->regions[taken_side(p->nest, branch)].first;
	bool good = true;
	for (IrOp *op = taken->first; op != taken->last && good; op = op->next) {
		for (uint32_t i = 0; i < op->result_count && !p->b; i++)
			p->seen[op->results[i].id] = true;
		good = take_op(p, op);
	}
	return good;
}

/* Of the last step, as a result of the loop inside. */
static IrValue *result_of_inner(Place *p, IrValue *v)
{
	const Nest *n = p->nest;
	for (uint32_t i = 0; i < n->yield->operand_count; i++)
		if (carried_on(n, i) == v)
			return p->b ? &n->inner->results[i] : v;
	for (uint32_t i = 0; i < n->more.len; i++)
		if (n->more.data[i] == v)
			return p->b ? &n->inner->results[n->yield->operand_count + i] : v;
	return NULL;
}

/* Likewise, of what nobody carries yet. */
static IrValue *one_more_result(Place *p, IrValue *v)
{
	if (p->b || !ir_is_scalar(v->type))
		return NULL;
	vec_push(p->nest->cx->scratch, &p->nest->more, v);
	return v;
}

static IrValue *take_carried(Place *p, IrValue *v)
{
	const Nest *n = p->nest;
	if (v->index == 0 || v == n->counter)
		return NULL;
	if (!p->last)
		return p->b ? NULL : v; /* they are in the map */
	if (is_held(n, v))
		return p->b ? ir_operand(n->inner, 2 + v->index) : v;
	IrValue *result = result_of_inner(p, v);
	return result ? result : one_more_result(p, v);
}

static IrValue *take_anew(Place *p, IrValue *v)
{
	Nest *n = p->nest;
	IrOp *op = v->def;
	if (v == n->step)
		return p->b ? n->end : v; /* of the first step it is in the map */
	if (v->block)
		return take_carried(p, v);
	if (op == n->quotient)
		return p->b ? n->tile : v;
	if (p->last ? is_last(n, op) : is_first(n, op))
		return take(p, value_of(n, op, v->index, true));
	if (p->last && is_first(n, op))
		return take(p, value_of(n, op, v->index, false));
	IrValue *result = p->last && !varies(n, v) ? result_of_inner(p, v) : NULL;
	if (result)
		return result;
	if (only_computes(op))
		return !take_op(p, op) ? NULL : p->b ? ir_mapping_get(&p->map, v) : v;
	return p->last && !varies(n, v) ? one_more_result(p, v) : NULL;
}

/* NULL: it is not to be had there. */
static IrValue *take(Place *p, IrValue *v)
{
	if (is_outside(p->nest, v) || (!p->b && p->seen[v->id]))
		return v;
	IrValue *known = ir_mapping_get(&p->map, v);
	if (known != v)
		return known;
	IrValue *made = take_anew(p, v);
	if (made && p->b)
		ir_mapping_put(&p->map, v, made);
	else if (made)
		p->seen[v->id] = true;
	return made;
}

static Place place_of(Nest *n, bool last, IrBuilder *b)
{
	Place p = {.nest = n, .last = last, .b = b};
	ir_mapping_init(&p.map, n->cx->scratch);
	if (!b)
		p.seen = ARENA_ARRAY(n->cx->scratch, bool, n->values + 1);
	return p;
}

/* All that the first step decides, and all that its branches do: they only load. */
static bool take_first(Place *p)
{
	const Nest *n = p->nest;
	bool good = true;
	for (uint32_t i = 0; i < n->first.len && good; i++)
		if (n->first.data[i]->kind == OP_IF)
			good = take_branch(p, n->first.data[i]);
	for (uint32_t i = 0; i < n->loop->result_count && good; i++)
		good = !n->fresh[i] || take(p, n->fresh[i]);
	return good;
}

static bool take_last(Place *p)
{
	const Nest *n = p->nest;
	bool good = true;
	for (uint32_t i = 0; i < n->last.len && good; i++)
		if (n->last.data[i]->kind == OP_IF)
			good = take_branch(p, n->last.data[i]);
	for (uint32_t i = 0; i < n->loop->result_count && good; i++)
		good = take(p, ir_operand(n->yield, i)) != NULL;
	return good;
}

/* ---- the new loops ---- */

/* In front of the loop; what is computed in it of invariant values is computed there once more. */
static IrValue *in_front(Nest *n, IrBuilder *b, IrMapping *map, IrValue *v)
{
	IrValue *known = ir_mapping_get(map, v);
	if (is_outside(n, v) || known != v)
		return known;
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		in_front(n, b, map, ir_operand(v->def, i));
	ir_op_insert_before(ir_clone(n->m, v->def, map, NULL, NULL), b->before);
	return ir_mapping_get(map, v);
}

/* base + off */
static IrValue *sum_of(IrBuilder *b, IrValue *base, IrType type, int64_t off)
{
	IrValue *number = base && !off ? base : irb_int(b, type, off);
	return base && off ? irb_2(b, OP_ADDI, NULL, base, number) : number;
}

/* The runs of `steps` iterations that the loop has. */
static IrValue *runs_of(IrBuilder *b, IrValue *steps, IrValue *all)
{
	IrValue *one = irb_int(b, all->type, 1);
	IrValue *runs = irb_2(b, OP_DIVSI, NULL, all, irb_2(b, OP_MAXSI, NULL, steps, one));
	return irb_3(b, OP_SELECT, NULL, irb_cmpi(b, CMPI_SGE, steps, one), runs, irb_int(b, all->type, 0));
}

/* A loop from 0 by 1; its body has the counter and what is carried. */
static IrOp *counted_loop(Nest *n, IrBuilder *b, IrValue *to, IrValue *const *inits, uint32_t count)
{
	IrValue **operands = ARENA_ARRAY(n->cx->scratch, IrValue *, count + 3);
	IrType *types = ARENA_ARRAY(n->cx->scratch, IrType, count + 1);
	operands[0] = irb_int(b, to->type, 0);
	operands[1] = to;
	operands[2] = irb_int(b, to->type, 1);
	for (uint32_t i = 0; i < count; i++) {
		operands[3 + i] = inits[i];
		types[i] = inits[i]->type;
	}
	IrOp *loop = irb_op(b, OP_FOR, operands, count + 3, types, count, 1);
	IrBlock *body = ir_block_new(n->m, &loop->regions[0]);
	ir_block_arg_add(n->m, body, to->type, ir_value_loc(n->body->args[0]));
	for (uint32_t i = 0; i < count; i++)
		ir_block_arg_add(n->m, body, types[i], b->loc);
	return loop;
}

static void copy_other_side(Nest *n, IrBlock *to, IrMapping *map, const IrOp *branch)
{
	const IrBlock *other = branch->regions[1 - taken_side(n, branch)].first;
	for (IrOp *op = other ? other->first : NULL; op && op != other->last; op = op->next)
		ir_op_append(to, ir_clone(n->m, op, map, NULL, NULL));
}

/* All steps of a tile; they know that they are neither the first nor the last one where the
 * branches ask. */
static void fill_inner(Nest *n)
{
	IrBlock *body = n->inner->regions[0].first;
	IrMapping map;
	ir_mapping_init(&map, n->cx->scratch);
	for (uint32_t i = 0; i < n->loop->result_count; i++) {
		body->args[1 + i]->loc = n->body->args[1 + i]->loc;
		ir_mapping_put(&map, n->body->args[1 + i], body->args[1 + i]);
	}
	ir_mapping_put(&map, n->step, body->args[0]);
	for (IrOp *op = n->body->first; op != n->yield; op = op->next) {
		bool decides = is_first(n, op) || is_last(n, op);
		if (op == n->quotient)
			ir_mapping_put(&map, &op->results[0], n->tile);
		if (decides && op->kind == OP_IF)
			copy_other_side(n, body, &map, op);
		for (uint32_t i = 0; decides && i < op->result_count; i++)
			ir_mapping_put(&map, &op->results[i], ir_mapping_get(&map, value_of(n, op, i, false)));
		if (!decides && op != n->quotient && op != n->step->def)
			ir_op_append(body, ir_clone(n->m, op, &map, NULL, NULL));
	}
	IrBuilder b = ir_at_end(n->m, body, n->yield->loc);
	IrOp *yield = irb_op(&b, OP_YIELD, NULL, 0, NULL, 0, 0);
	for (uint32_t i = 0; i < n->yield->operand_count; i++)
		ir_operand_add(n->m, yield, ir_mapping_get(&map, ir_operand(n->yield, i)));
	for (uint32_t i = 0; i < n->more.len; i++)
		ir_operand_add(n->m, yield, ir_mapping_get(&map, n->more.data[i]));
}

/* What nobody reads before it is set: steps set what is `more`. */
static IrValue *anything(IrBuilder *b, IrType type)
{
	return ir_is_int(type) ? irb_int(b, type, 0) : irb_float(b, type, 0);
}

static void move_attrs(const Nest *n, IrOp *outer)
{
	static const IrAttrName around[] = {ATTR_FLATTEN, ATTR_WARP_SPECIALIZE};
	for (uint32_t i = 0; i < n->loop->attr_count; i++)
		ir_set_named(n->m, n->inner, n->loop->attrs[i].name, n->loop->attrs[i].value);
	for (size_t i = 0; i < ARRAY_LEN(around); i++) {
		ir_set(n->m, outer, around[i], ir_get(n->loop, n->m->cx, around[i]));
		ir_set(n->m, n->inner, around[i], NULL);
	}
}

static IrOp *build(Nest *n)
{
	uint32_t count = n->loop->result_count;
	IrValue **inits = ARENA_ARRAY(n->cx->scratch, IrValue *, count + n->more.len + 1);
	IrBuilder front = ir_at(n->m, n->loop);
	IrMapping map;
	ir_mapping_init(&map, n->cx->scratch);
	IrValue *all = ir_operand(n->loop, 1);
	IrValue *base = n->steps.base ? in_front(n, &front, &map, (IrValue *)(uintptr_t)n->steps.base) : NULL;
	IrValue *steps = sum_of(&front, base, all->type, n->steps.off);
	n->end = sum_of(&front, base, all->type, plus(n->steps, -1).off);
	for (uint32_t i = 0; i < count; i++)
		inits[i] = ir_operand(n->loop, 3 + i);
	IrOp *outer = counted_loop(n, &front, runs_of(&front, steps, all), inits, count);
	IrBlock *body = outer->regions[0].first;
	n->tile = body->args[0];
	IrBuilder b = ir_at_end(n->m, body, n->loop->loc);
	Place first = place_of(n, false, &b), last = place_of(n, true, &b);
	for (uint32_t i = 0; i < count; i++)
		ir_mapping_put(&first.map, n->body->args[1 + i], body->args[1 + i]);
	ir_mapping_put(&first.map, n->step, irb_int(&b, all->type, 0));
	bool good = take_first(&first);
	for (uint32_t i = 0; i < count && good; i++)
		inits[i] = n->fresh[i] ? take(&first, n->fresh[i]) : body->args[1 + i];
	for (uint32_t i = 0; i < n->more.len; i++)
		inits[count + i] = anything(&b, n->more.data[i]->type);
	n->inner = counted_loop(n, &b, steps, inits, count + n->more.len);
	fill_inner(n);
	move_attrs(n, outer);
	good = good && take_last(&last);
	CONTRACT(good); /* it was asked before */
	for (uint32_t i = 0; i < count; i++)
		inits[i] = take(&last, ir_operand(n->yield, i));
	irb_op(&b, OP_YIELD, inits, count, NULL, 0, 0);
	return outer;
}

/* ---- what goes from tile to tile ---- */

typedef struct Outer {
	const Nest *nest;
	IrOp *loop;
	IrBlock *body;
	const IrOp *yield;
} Outer;

static IrValue *start_of(const Outer *o, uint32_t i) { return ir_operand(o->loop, 3 + i); }
static IrValue *next_of(const Outer *o, uint32_t i) { return ir_operand(o->yield, i); }

/* What is added to it for each tile, always the same; NULL: it is no such number. */
static IrValue *added_to(const Outer *o, uint32_t i)
{
	const IrValue *arg = o->body->args[1 + i];
	const IrOp *add = next_of(o, i)->def;
	if (arg->type != o->body->args[0]->type || !add || add->kind != OP_ADDI ||
	    (ir_operand(add, 0) != arg && ir_operand(add, 1) != arg))
		return NULL;
	IrValue *by = ir_operand(add, ir_operand(add, 0) == arg ? 1 : 0);
	return ir_is_defined_outside(by, o->loop) ? by : NULL;
}

typedef struct Twin {
	const Outer *outer;
	uint32_t number; /* of what is carried and goes up */
	IrMapping starts; /* what is computed in the loop -> the same of the first tile */
	unsigned left;	  /* ops that are looked at */
} Twin;

/* Are both computed in the same way: of the first tile's number one, of the next one's the other? */
static bool are_twins(Twin *t, IrValue *start, IrValue *next)
{
	if (start == next || (start == start_of(t->outer, t->number) && next == next_of(t->outer, t->number)))
		return true;
	const IrOp *a = start->def, *b = next->def;
	IrValue *known = ir_mapping_get(&t->starts, next);
	if (known != next)
		return known == start;
	bool same = a && b && t->left && a->kind == b->kind && start->index == next->index &&
		    only_computes(a) && a->operand_count == b->operand_count && start->type == next->type &&
		    ir_same_attrs(a, b);
	t->left -= t->left > 0;
	for (uint32_t i = 0; same && i < a->operand_count; i++)
		same = are_twins(t, ir_operand(a, i), ir_operand(b, i));
	if (same)
		ir_mapping_put(&t->starts, next, start);
	return same;
}

static IrValue *copied(const Outer *o, IrBuilder *b, IrMapping *map, IrValue *v)
{
	IrValue *known = ir_mapping_get(map, v);
	if (known != v || ir_is_defined_outside(v, o->loop))
		return known;
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		copied(o, b, map, ir_operand(v->def, i));
	ir_op_insert_before(ir_clone(o->nest->m, v->def, map, NULL, NULL), b->before);
	return ir_mapping_get(map, v);
}

/* Carried, and computed of the number alone, as a place is that the last step of the tile before
 * computes: computed of it in front of the tile's steps, where loads' addresses are seen to be
 * tiles of a tensor, and no thread holds it meanwhile. */
static void compute_of_number(const Outer *o, uint32_t number)
{
	enum { MOST = 256 };
	IrBuilder b = ir_at(o->nest->m, o->body->first);
	IrMapping map;
	ir_mapping_init(&map, o->nest->cx->scratch);
	ir_mapping_put(&map, next_of(o, number), o->body->args[1 + number]);
	for (uint32_t i = 0; i < o->loop->result_count; i++) {
		Twin t = {.outer = o, .number = number, .left = MOST};
		ir_mapping_init(&t.starts, o->nest->cx->scratch);
		if (i != number && are_twins(&t, start_of(o, i), next_of(o, i)))
			ir_replace_uses(o->body->args[1 + i], copied(o, &b, &map, next_of(o, i)));
	}
}

/* The number of the tile, which the loop counts, tells it: a sum of what is not negative, where it
 * is none. */
static void tell_by_tile(const Outer *o, uint32_t number, IrValue *by)
{
	IrValue *arg = o->body->args[1 + number], *next = next_of(o, number), *start = start_of(o, number);
	IrBuilder b = ir_at(o->nest->m, o->body->first), front = ir_at(o->nest->m, o->loop);
	IrValue *way = irb_2(&b, OP_MULI, NULL, o->body->args[0], by);
	const IrOp *less = start->def;
	bool begins = less && less->kind == OP_SUBI && ir_operand(less, 1) == by;
	IrValue *second = begins ? ir_operand(less, 0) : irb_2(&front, OP_ADDI, NULL, start, by);
	ir_replace_uses(next, irb_2(&b, OP_ADDI, NULL, second, way));
	ir_replace_uses(arg, irb_2(&b, OP_ADDI, NULL, start, way));
}

static void tell_by_numbers(const Nest *n, IrOp *loop)
{
	IrBlock *body = loop->regions[0].first;
	Outer o = {n, loop, body, ir_terminator(body)};
	for (uint32_t i = 0; i < loop->result_count; i++)
		if (added_to(&o, i))
			compute_of_number(&o, i);
	for (uint32_t i = 0; i < loop->result_count; i++) {
		IrValue *by = added_to(&o, i);
		if (by)
			tell_by_tile(&o, i, by);
	}
}

/* ---- the pass ---- */

/* Why not; n->why NULL: it is no such loop. */
static bool can_be_nested(Nest *n)
{
	if (!find_counter(n))
		return false;
	find_branches(n);
	if (!n->last.len)
		return false;
	for (uint32_t i = 0; i < n->loop->result_count && !n->why; i++)
		if (n->loop->results[i].uses)
			n->why = "what it leaves is used behind it";
	n->why = n->why ? n->why : check_order(n);
	n->why = n->why ? n->why : find_fresh(n);
	Place first = place_of(n, false, NULL), last = place_of(n, true, NULL);
	if (!n->why && !take_first(&first))
		n->why = "what the first step of a tile decides is computed of what is loaded";
	if (!n->why && !take_last(&last))
		n->why = "what the last step of a tile takes is computed in that step alone";
	return !n->why;
}

static bool nest(PassCx *cx, IrOp *loop)
{
	Nest n = {.cx = cx, .m = cx->module, .loop = loop, .body = loop->regions[0].first};
	GpuCx *gpu = gpu_of(cx);
	n.yield = ir_terminator(n.body);
	n.values = n.m->next_value;
	n.fresh = ARENA_ARRAY(cx->scratch, IrValue *, loop->result_count + 1);
	n.varies = ARENA_ARRAY(cx->scratch, bool, n.values + 1);
	if (!can_be_nested(&n)) {
		if (n.why)
			gpu_remark_of(gpu, loop, NULL, REMARK_LOOP_NESTED_NOT, n.why);
		return false;
	}
	gpu_remark_of(gpu, loop, NULL, REMARK_LOOP_NESTED);
	IrOp *outer = build(&n);
	ir_op_erase(loop);
	tell_by_numbers(&n, outer);
	return true;
}

bool pass_nest_loops(PassCx *cx, bool *changed)
{
	IrOpVec loops = ir_collect(cx->scratch, cx->module->op, true, OP_FOR, OP_FOR);
	for (uint32_t i = 0; i < loops.len; i++)
		*changed = nest(cx, loops.data[i]) || *changed;
	bool more;
	return !*changed || (pass_canonicalize(cx, &more) && pass_cse(cx, &more) && pass_dce(cx, &more));
}
