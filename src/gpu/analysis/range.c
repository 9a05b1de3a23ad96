/* The intervals of values: arguments, what a loop
 * carries, what masks say. Single ops are in range_ops.c. */
#include "gpu/analysis/range_int.h"

void ranges_init(Ranges *r, IrModule *m, IrCx *ir, Arena *arena, IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	*r = (Ranges){.ir = ir, .arena = arena, .loop = loop, .before = ir_at(m, loop), .values = m->next_value};
	for (unsigned i = 0; i < ARRAY_LEN(r->known); i++) {
		r->known[i] = ARENA_ARRAY(arena, Range, r->values);
		r->paths[i] = ARENA_ARRAY(arena, uint32_t, r->values);
	}
}

/* ---- values ---- */

static IrValue *widened(Ranges *r, IrValue *v)
{
	return v->type->bits == 64 ? v : irb_1(&r->before, OP_EXTSI, range_i64(r), v);
}

/* A scalar that is there in front of the loop. */
static bool leaf(Ranges *r, IrValue *v, Range *out)
{
	int64_t known;
	if (ir_is_ptr(v->type)) {
		IrValue *address = irb_1(&r->before, OP_PTR_TO_INT, range_i64(r), v);
		*out = (Range){address, address, ADDRESS, KNOWN};
		return true;
	}
	if (!range_is_number(v->type))
		return false;
	if (ir_constant_int(v, &known)) {
		*out = range_constant(r, known, known);
		return true;
	}
	IrValue *wide = widened(r, v);
	*out = (Range){wide, wide, v->type->bits - 1, KNOWN};
	return true;
}

/* Iterations but one, 0 when there is none. A step of
 * 0 or less does not count up: such loops do not end. */
static Range trips(Ranges *r)
{
	if (r->trips.low)
		return r->trips;
	IrValue *lower = widened(r, ir_operand(r->loop, 0)), *upper = widened(r, ir_operand(r->loop, 1));
	IrValue *step = widened(r, ir_operand(r->loop, 2)), *one = range_number(r, 1),
		*zero = range_number(r, 0);
	unsigned bits = ir_operand(r->loop, 0)->type->bits - 1;
	Range first = {lower, lower, bits, KNOWN}, last = {upper, upper, bits, KNOWN};
	Range span = range_subtract(r, last, first);
	IrValue *left = range_make(r, OP_MAXSI, range_make(r, OP_SUBI, span.high, one), zero);
	int64_t known;
	if (!ir_constant_int(step, &known) || known != 1)
		left = irb_2(&r->before, OP_DIVSI, NULL, left, range_make(r, OP_MAXSI, step, one));
	return r->trips = (Range){zero, left, span.bits, KNOWN};
}

/* As of iterations that have passed: masks of this one say nothing of it. */
static bool of_past(Ranges *r, const IrValue *v, Range *out)
{
	bool past = r->past;
	r->past = true;
	bool known = range_of(r, v, out);
	r->past = past;
	return known;
}

/* A value that the loop carries: to which each iteration adds, or which is another one behind the
 * first. */
static bool of_carried(Ranges *r, const IrValue *v, Range *out)
{
	const IrValue *next = ir_operand(v->block->last, v->index - 1);
	Range first, added;
	if (!range_of(r, ir_operand(r->loop, v->index + 2), &first))
		return false;
	if (next == v) {
		*out = first;
		return true;
	}
	IrOpKind kind = next->def ? next->def->kind : OP__COUNT;
	if (ir_is_defined_outside(next, r->loop) || (next->def && !next->def->operand_count)) {
		if (!of_past(r, next, &added))
			return false;
		*out = range_join(r, first, added);
		return true;
	}
	if (kind != OP_ADDI && kind != OP_SUBI && kind != OP_ADDPTR)
		return false;
	unsigned other = ir_operand(next->def, 0) == v ? 1 : 0;
	if (ir_operand(next->def, !other) != v || (other == 0 && kind != OP_ADDI))
		return false;
	if (!of_past(r, ir_operand(next->def, other), &added))
		return false;
	if (kind == OP_SUBI)
		added = range_subtract(r, range_constant(r, 0, 0), added);
	if (kind == OP_ADDPTR)
		added = range_in_bytes(r, v->type, added);
	Range none = range_constant(r, 0, 0);
	*out = range_add(r, first, range_join(r, none, range_multiply(r, added, trips(r))));
	return true;
}

static bool of_counter(Ranges *r, Range *out)
{
	IrValue *lower = ir_operand(r->loop, 0), *upper = ir_operand(r->loop, 1);
	IrValue *low = widened(r, lower), *one = range_number(r, 1);
	*out = (Range){low, range_make(r, OP_SUBI, widened(r, upper), one), lower->type->bits - 1, KNOWN};
	return !ir_get_bool(r->loop, r->ir, ATTR_UNSIGNED_CMP);
}

static bool compute(Ranges *r, IrValue *v, Range *out)
{
	const IrBlock *body = r->loop->regions[0].first;
	if (!ir_is_tensor(v->type) && ir_is_defined_outside(v, r->loop))
		return leaf(r, v, out);
	if (v->block)
		return v->block == body && (v->index ? of_carried(r, v, out) : of_counter(r, out));
	return range_transfer(r, v, out);
}

static void narrow(Ranges *r, const IrValue *v, Range *x)
{
	if (r->past && !ir_is_defined_outside(v, r->loop))
		return;
	for (uint32_t i = 0; i < r->clamps.len; i++) {
		RangeClamp c = r->clamps.data[i];
		if (c.of != v || (ir_is_tensor(v->type) && (c.path != r->path || r->path == NO_PATH)))
			continue;
		x->low = c.low ? range_make(r, OP_MAXSI, x->low, c.low) : x->low;
		x->high = c.high ? range_make(r, OP_MINSI, x->high, c.high) : x->high;
	}
}

bool range_of(Ranges *r, const IrValue *v, Range *out)
{
	ASSERT(v->id < r->values);
	Range *known = &r->known[r->past][v->id];
	uint32_t *path = &r->paths[r->past][v->id];
	IrType elem = ir_elem(v->type);
	if (known->state == UNSEEN || (known->state != UNDER_WAY && *path != r->path)) {
		known->state = UNDER_WAY;
		Range x = {0};
		bool ok = (ir_is_ptr(elem) || range_is_number(elem)) && compute(r, (IrValue *)v, &x);
		if (ok && range_is_number(elem))
			range_hold_within(r, &x, elem->bits - 1);
		if (ok)
			narrow(r, v, &x);
		*known = x;
		known->state = ok ? KNOWN : UNKNOWN;
		*path = r->path;
	}
	*out = *known;
	return known->state == KNOWN;
}

/* ---- masks ---- */

static IrValue *plus(Ranges *r, IrValue *v, int64_t n)
{
	return v ? range_make(r, OP_ADDI, v, range_number(r, n)) : NULL;
}

/* x COMPARED WITH y: what x is narrowed to. */
static void clamp(Ranges *r, const IrValue *x, IrCmpI predicate, const IrValue *y)
{
	Range bound;
	RangeClamp c = {.of = x, .path = r->path};
	if (!range_of(r, y, &bound))
		return;
	switch (predicate) {
	case CMPI_SLT:
		c.high = plus(r, bound.high, -1);
		break;
	case CMPI_SLE:
		c.high = bound.high;
		break;
	case CMPI_SGT:
		c.low = plus(r, bound.low, 1);
		break;
	case CMPI_SGE:
		c.low = bound.low;
		break;
	case CMPI_EQ:
		c.low = bound.low;
		c.high = bound.high;
		break;
	default:
		return;
	}
	vec_push(r->arena, &r->clamps, c);
}

static void read_mask(Ranges *r, const IrValue *mask)
{
	static const IrCmpI turned[] = {[CMPI_EQ] = CMPI_EQ,
					[CMPI_SLT] = CMPI_SGT,
					[CMPI_SLE] = CMPI_SGE,
					[CMPI_SGT] = CMPI_SLT,
					[CMPI_SGE] = CMPI_SLE};
	const IrOp *op = mask->def;
	if (!op)
		return;
	switch (op->kind) {
	case OP_ANDI:
		read_mask(r, ir_operand(op, 0));
		read_mask(r, ir_operand(op, 1));
		return;
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_CONVERT_LAYOUT: {
		uint32_t path = r->path;
		r->path = range_path_through(r, op, path);
		read_mask(r, ir_operand(op, 0));
		r->path = path;
		return;
	}
	case OP_CMPI: {
		int64_t predicate = ir_get_int(op, r->ir, ATTR_PREDICATE, CMPI_NE);
		if (predicate == CMPI_NE || predicate > CMPI_SGE ||
		    !range_is_number(ir_elem(ir_operand(op, 0)->type)))
			return;
		clamp(r, ir_operand(op, 0), (IrCmpI)predicate, ir_operand(op, 1));
		clamp(r, ir_operand(op, 1), turned[predicate], ir_operand(op, 0));
		return;
	}
	default:
		return;
	}
}

static void forget(Ranges *r)
{
	for (unsigned i = 0; i < ARRAY_LEN(r->known); i++)
		memset(r->known[i], 0, r->values * sizeof *r->known[i]);
}

bool ranges_access(Ranges *r, const IrValue *pointers, const IrValue *mask, IrValue **low, IrValue **high)
{
	Range x;
	r->clamps.len = 0;
	r->path = 0;
	forget(r);
	if (mask)
		read_mask(r, mask);
	forget(r);
	if (!range_of(r, pointers, &x))
		return false;
	*low = x.low;
	*high = plus(r, x.high, MAX(gpu_element_bits(ir_elem(pointers->type)->elem) / 8, 1u));
	return true;
}

static bool of_term(Ranges *r, const TensorMapTerm *t, IrValue *const *args, Range *out)
{
	Range scale = range_constant(r, t->scale, t->scale);
	*out = scale;
	if (t->arg < 0)
		return true;
	if (!leaf(r, args[t->arg], out))
		return false;
	*out = range_multiply(r, *out, scale);
	return true;
}

/* The launch makes no map of sizes below 1 or strides below 0. */
bool ranges_tensor(Ranges *r, const TensorMapPlan *plan, IrValue *const *args, IrValue **low, IrValue **high)
{
	unsigned bytes = tensor_map_bytes((TensorMapType)plan->type);
	Range base, one = range_constant(r, 1, 1), past = range_constant(r, 0, 0), size, stride = one;
	if (!leaf(r, args[plan->base], &base))
		return false;
	for (unsigned k = 0; k < plan->rank; k++) {
		bool last = k + 1 == plan->rank;
		if (!of_term(r, &plan->shape[k], args, &size) ||
		    (!last && !of_term(r, &plan->strides[k], args, &stride)))
			return false;
		size = range_subtract(r, size, one);
		past = range_add(r, past, range_multiply(r, size, last ? one : stride));
	}
	past = range_multiply(r, past, range_constant(r, bytes, bytes));
	*low = base.low;
	*high = plus(r, range_add(r, base, past).high, bytes);
	return true;
}
