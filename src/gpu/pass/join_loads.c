/* join-loads: loads by masks of which at most one holds become one load of a selected address.
 *
 *	a = load(p, i < n)                      v = load(i < n ? p : q)
 *	b = load(q, i >= n)             ->      c = i < n ? f(v) : g(v)
 *	c = i < n ? f(a) : g(b)
 *
 * Needs: TTIR. Keeps: effects and values. Rotary embeddings by halves are written like this: half
 * of the lanes idle in each load, and all of its registers wait. Each result may only be seen where
 * no other mask of the group holds: in selects, stores and loads by a condition that excludes it,
 * behind arithmetic by element. Nothing may write in between, and neighbours that one access takes
 * must stay together. All point from one base, as halves of rows do: parts of several arrays were
 * slower so. Kernels with products keep their loads, whose copies in loops are planned otherwise.
 */
#include "gpu/analysis/axis.h"
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"

enum { MOST_LOADS = 64, MOST_JOINED = 8, MOST_PARTS = 8, MOST_STEPS = 256 };

typedef struct Join {
	PassCx *cx;
	IrModule *m;
	const AxisMap *axes;
	uint32_t *order, ordered; /* by op id: its place in its block, of what was there at first */
	IrOpVec loads;
} Join;

static IrValue *mask_of(const IrOp *load)
{
	return ir_operand(load, 1);
}

/* ---- conditions ---- */

typedef struct Parts {
	IrValue *of[MOST_PARTS];
	uint32_t count;
	bool more; /* than there is room for */
} Parts;

/* The conditions that all hold where this one does. */
static void parts_of(IrValue *mask, Parts *out)
{
	if (mask->def && mask->def->kind == OP_ANDI && out->count + 2 <= MOST_PARTS) {
		parts_of(ir_operand(mask->def, 0), out);
		parts_of(ir_operand(mask->def, 1), out);
	} else if (out->count < MOST_PARTS) {
		out->of[out->count++] = mask;
	} else {
		out->more = true;
	}
}

static bool has_part(const Parts *parts, const IrValue *v)
{
	for (uint32_t i = 0; i < parts->count; i++)
		if (parts->of[i] == v)
			return true;
	return false;
}

typedef struct Interval {
	const IrValue *of;
	int64_t from, to; /* both inclusive */
} Interval;

/* A comparison of signed integers with a constant; false: it is none. */
static bool interval_of(const Join *j, const IrOp *op, Interval *out)
{
	int64_t c;
	if (!op || op->kind != OP_CMPI || !ir_constant_int(ir_operand(op, 1), &c))
		return false;
	*out = (Interval){ir_operand(op, 0), INT64_MIN, INT64_MAX};
	switch ((IrCmpI)ir_get_int(op, j->m->cx, ATTR_PREDICATE, 0)) {
	case CMPI_SLT: out->to = c - 1; return c > INT64_MIN;
	case CMPI_SLE: out->to = c; return true;
	case CMPI_SGE: out->from = c; return true;
	case CMPI_SGT: out->from = c + 1; return c < INT64_MAX;
	default: return false;
	}
}

/* Same shape, made alike of something smaller. */
static bool both_spread(const IrOp *a, const IrOp *b)
{
	return a && b && a->kind == b->kind &&
	       (a->kind == OP_BROADCAST || a->kind == OP_EXPAND_DIMS || a->kind == OP_SPLAT) &&
	       ir_operand(a, 0)->type == ir_operand(b, 0)->type && a->results[0].type == b->results[0].type;
}

static bool parts_exclude(const Join *j, IrValue *a, IrValue *b);

/* Is the first one the other turned round? */
static bool is_opposite(const IrValue *a, const IrValue *b)
{
	int64_t one;
	const IrOp *p = a->def;
	return p->kind == OP_XORI && ir_operand(p, 0) == b && ir_constant_int(ir_operand(p, 1), &one) && one;
}

/* Never both; *all: also always one of them. */
static bool single_exclude(const Join *j, const IrValue *a, const IrValue *b, bool *all)
{
	Interval x, y;
	while (both_spread(a->def, b->def)) {
		a = ir_operand(a->def, 0);
		b = ir_operand(b->def, 0);
	}
	const IrOp *p = a->def, *q = b->def;
	if (!p || !q)
		return false;
	if (is_opposite(a, b) || is_opposite(b, a))
		return *all = true;
	if (p->kind == OP_ANDI || q->kind == OP_ANDI)
		return parts_exclude(j, &p->results[0], &q->results[0]);
	if (!interval_of(j, p, &x) || !interval_of(j, q, &y) || x.of != y.of ||
	    (x.to >= y.from && y.to >= x.from))
		return false;
	Interval low = x.to < y.from ? x : y, high = x.to < y.from ? y : x;
	*all = low.from == INT64_MIN && high.to == INT64_MAX && low.to + 1 == high.from;
	return true;
}

/* first: the part of one mask that says that never both hold, where beside what is in both masks
 * only this part and its opposite are: so one of both holds wherever all of `common` does. */
typedef struct Exclusion {
	IrValue *first;
	Parts common;
} Exclusion;

static bool exclude(const Join *j, IrValue *a, IrValue *b, Exclusion *how)
{
	Parts x = {0}, y = {0};
	parts_of(a, &x);
	parts_of(b, &y);
	for (uint32_t i = 0; i < x.count; i++) {
		for (uint32_t k = 0; k < y.count; k++) {
			bool all = false;
			if (!single_exclude(j, x.of[i], y.of[k], &all))
				continue;
			how->first = all ? x.of[i] : NULL;
			for (uint32_t n = 0; n < x.count; n++)
				if (n != i && has_part(&y, x.of[n]))
					how->common.of[how->common.count++] = x.of[n];
			if (x.more || y.more || how->common.count + 1 != x.count ||
			    how->common.count + 1 != y.count)
				how->first = NULL;
			return true;
		}
	}
	return false;
}

static bool parts_exclude(const Join *j, IrValue *a, IrValue *b)
{
	Exclusion how = {0};
	return exclude(j, a, b, &how);
}

static bool implies(IrValue *mask, IrValue *condition)
{
	Parts parts = {0}, wanted = {0};
	parts_of(mask, &parts);
	parts_of(condition, &wanted);
	for (uint32_t i = 0; i < wanted.count; i++)
		if (!has_part(&parts, wanted.of[i]))
			return false;
	return !wanted.more;
}

/* ---- what is seen of a result ---- */

static bool is_unseen(const Join *j, const IrValue *v, IrValue *where, unsigned *steps);

static bool use_is_unseen(const Join *j, const IrUse *use, IrValue *where, unsigned *steps)
{
	const IrOp *op = use->owner;
	uint32_t at = (uint32_t)(use - op->operands);
	bool tile = op->operand_count &&
		    ir_is_tensor(op->kind == OP_SELECT ? ir_operand(op, 0)->type : use->value->type);
	if (op->kind == OP_SELECT && tile && at == 1 && parts_exclude(j, ir_operand(op, 0), where))
		return true;
	if (op->kind == OP_SELECT && tile && at == 2 && implies(where, ir_operand(op, 0)))
		return true;
	if (op->kind == OP_LOAD && op->operand_count > 1 && at == 0 &&
	    parts_exclude(j, ir_operand(op, 1), where))
		return true;
	if (op->kind == OP_STORE && op->operand_count > 2 && at < 2 &&
	    parts_exclude(j, ir_operand(op, 2), where))
		return true;
	bool by_element = ir_has_trait(op, TRAIT_ELEM) && ir_has_trait(op, TRAIT_PURE | TRAIT_NOFX) &&
			  op->result_count == 1 && !op->region_count &&
			  ir_same_shape(op->results[0].type, use->value->type);
	return by_element && is_unseen(j, &op->results[0], where, steps);
}

/* Does nothing depend on what the value is where the mask holds? */
static bool is_unseen(const Join *j, const IrValue *v, IrValue *where, unsigned *steps)
{
	for (const IrUse *use = v->uses; use; use = use->next)
		if (!*steps || !(--*steps, use_is_unseen(j, use, where, steps)))
			return false;
	return true;
}

/* ---- groups ---- */

static bool same_other(const IrOp *a, const IrOp *b)
{
	if (a->operand_count != b->operand_count)
		return false;
	if (a->operand_count < 3 || ir_operand(a, 2) == ir_operand(b, 2))
		return true;
	IrAttr x = ir_constant_of(ir_operand(a, 2)), y = ir_constant_of(ir_operand(b, 2));
	return x && x == y;
}

static bool nothing_written_between(const IrOp *a, const IrOp *b)
{
	while (a != b && !ir_may_order(a))
		a = a->next;
	return a == b;
}

/* What was made since stands in front of all that is asked about. */
static bool is_before(const Join *j, const IrOp *op, const IrOp *at)
{
	return !op || op->block != at->block || op->id >= j->ordered || j->order[op->id] < j->order[at->id];
}

/* Can it be computed in front of the op? `steps` ops are looked at. */
static bool is_ready(const Join *j, const IrValue *v, const IrOp *at, unsigned *steps)
{
	const IrOp *op = v->def;
	if (is_before(j, op, at))
		return true;
	if (!*steps || !ir_is_pure(op) || op->region_count)
		return false;
	--*steps;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!is_ready(j, ir_operand(op, i), at, steps))
			return false;
	return true;
}

static void make_ready(Join *j, const IrValue *v, IrOp *at)
{
	IrOp *op = v->def;
	if (is_before(j, op, at))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++)
		make_ready(j, ir_operand(op, i), at);
	ir_op_unlink(op);
	ir_op_insert_before(op, at);
	j->order[op->id] = 0;
}

/* Do both take the same number of neighbours, more than one, at once? */
static bool same_rows(const Join *j, const IrOp *a, const IrOp *b)
{
	IrType type = a->results[0].type;
	bool rows = false;
	for (unsigned d = 0; d < type->rank; d++) {
		int64_t n = axis_vector(j->axes, ir_operand(a, 0), mask_of(a), d);
		if (n != axis_vector(j->axes, ir_operand(b, 0), mask_of(b), d))
			return false;
		rows |= n > 1;
	}
	return rows;
}

static bool hide_each_other(const Join *j, const IrOp *a, const IrOp *b)
{
	unsigned steps = MOST_STEPS;
	return parts_exclude(j, mask_of(a), mask_of(b)) && is_unseen(j, &a->results[0], mask_of(b), &steps) &&
	       is_unseen(j, &b->results[0], mask_of(a), &steps);
}

static bool may_join(const Join *j, const IrOp *a, const IrOp *b)
{
	unsigned steps = MOST_STEPS;
	return a->block == b->block && a->results[0].type == b->results[0].type &&
	       ir_operand(a, 0)->type == ir_operand(b, 0)->type && ir_same_attrs(a, b) &&
	       same_other(a, b) && nothing_written_between(a, b) &&
	       is_ready(j, ir_operand(b, 0), a, &steps) && is_ready(j, mask_of(b), a, &steps) &&
	       same_rows(j, a, b) && hide_each_other(j, a, b);
}

/* ---- rewriting ---- */

/* Both point from one base: their offsets are selected. */
static IrValue *selected(IrBuilder *b, IrValue *condition, const IrValue *p, const IrValue *q)
{
	IrValue *base = ir_operand(p->def, 0);
	IrValue *offset = irb_3(b, OP_SELECT, NULL, condition, ir_operand(p->def, 1), ir_operand(q->def, 1));
	return irb_2(b, OP_ADDPTR, NULL, base, offset);
}

static IrValue *all_of(IrBuilder *b, const Parts *parts)
{
	IrValue *mask = parts->count ? parts->of[0] : NULL;
	for (uint32_t i = 1; i < parts->count; i++)
		mask = irb_2(b, OP_ANDI, NULL, mask, parts->of[i]);
	return mask;
}

static void join(Join *j, IrOp *const *group, uint32_t count)
{
	IrOp *at = group[0];
	Exclusion how = {0};
	for (uint32_t i = 1; i < count; i++) {
		make_ready(j, ir_operand(group[i], 0), at);
		make_ready(j, mask_of(group[i]), at);
	}
	IrBuilder b = ir_at(j->m, at);
	exclude(j, mask_of(at), mask_of(group[1]), &how);
	bool whole = count == 2 && how.first; /* one of two always holds, where what is in both does */
	IrValue *mask = whole ? all_of(&b, &how.common) : mask_of(group[count - 1]),
		*pointers = ir_operand(group[count - 1], 0);
	for (uint32_t i = count - 1; i-- > 0;) {
		pointers = selected(&b, whole ? how.first : mask_of(group[i]), ir_operand(group[i], 0),
				    pointers);
		mask = whole ? mask : irb_2(&b, OP_ORI, NULL, mask_of(group[i]), mask);
	}
	ir_operand_set(at, 0, pointers);
	if (mask)
		ir_operand_set(at, 1, mask);
	while (!mask && at->operand_count > 1)
		ir_operand_erase(at, at->operand_count - 1);
	for (uint32_t i = 1; i < count; i++) {
		ir_replace_uses(&group[i]->results[0], &at->results[0]);
		ir_op_erase(group[i]);
	}
}

/* Of two arrays pointers would have to be selected, and whole warps leave one of both loads out. */
static bool same_base(const IrOp *a, const IrOp *b)
{
	const IrOp *p = ir_operand(a, 0)->def, *q = ir_operand(b, 0)->def;
	return p && q && p->kind == OP_ADDPTR && q->kind == OP_ADDPTR &&
	       ir_operand(p, 0) == ir_operand(q, 0) && ir_operand(p, 1)->type == ir_operand(q, 1)->type;
}

typedef struct Group {
	IrOp *of[MOST_JOINED];
	uint32_t count;
} Group;

/* The loads behind `first` that may join the group, which are taken from the list. */
static void gather(Join *j, uint32_t first, Group *group)
{
	for (uint32_t i = first + 1; i < j->loads.len && group->count < MOST_JOINED; i++) {
		IrOp *load = j->loads.data[i];
		bool joins = load && same_base(group->of[0], load);
		for (uint32_t k = 0; k < group->count && joins; k++)
			joins = may_join(j, group->of[k], load);
		if (!joins)
			continue;
		group->of[group->count++] = load;
		j->loads.data[i] = NULL;
	}
}

static bool join_with(Join *j, uint32_t first)
{
	Group group = {.of = {j->loads.data[first]}, .count = 1};
	gather(j, first, &group);
	if (group.count > 1)
		join(j, group.of, group.count);
	return group.count > 1;
}

static void number_ops(Join *j)
{
	j->ordered = j->m->next_op;
	j->order = ARENA_ARRAY(j->cx->scratch, uint32_t, j->ordered + 1);
	for (uint32_t i = 0; i < j->loads.len; i++) {
		uint32_t place = 1;
		for (const IrOp *op = j->loads.data[i]->block->first; op; op = op->next)
			j->order[op->id] = place++;
	}
}

bool pass_join_loads(PassCx *cx, bool *changed)
{
	Join j = {.cx = cx, .m = cx->module};
	IrOpVec all = ir_collect(cx->scratch, cx->module->op, false, OP_LOAD, OP_LOAD);
	bool any = false,
	     products = ir_collect(cx->scratch, cx->module->op, false, OP_DOT, OP_DOT_SCALED).len > 0;
	for (uint32_t i = 0; i < all.len && !products && j.loads.len < MOST_LOADS; i++) {
		const IrOp *load = all.data[i];
		if (load->operand_count > 1 && ir_is_tensor(mask_of(load)->type) && !ir_is_volatile(load))
			vec_push(cx->scratch, &j.loads, all.data[i]);
	}
	if (j.loads.len < 2)
		return true;
	j.axes = gpu_axis(cx);
	number_ops(&j);
	for (uint32_t i = 0; i + 1 < j.loads.len; i++)
		any |= j.loads.data[i] && join_with(&j, i);
	*changed |= any;
	return !any || pass_dce(cx, changed);
}
