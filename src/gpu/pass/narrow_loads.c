/* narrow-loads: a tile that a loop loads for a dot with repeated elements along a dim is loaded
 * once and broadcast in registers (words of eight 4-bit weights indexed by k // 8, scales of row
 * groups).
 *
 * Needs: TTIR. Keeps: effects and values. Method: where pointers, mask and `other` of a load are
 * known to be equal in groups of elements (axis.h), they are recomputed for the first element of
 * each group, back to ranges and splats (with exact quotients, such as of 8, 16, ... by 8, visible
 * there, as later passes recognise lines of memory by them). The load takes these, and
 * expand_dims, broadcast and reshape rebuild the tile. Loop-carried inputs are carried a second
 * time; what is then dead is dropped. A load whose address has another source is left alone. The
 * copies that `pipeline` makes, and their slots, shrink by the repetition; in dot layouts
 * repetitions are registers and lanes that read the same word. */
#include "gpu/analysis/axis.h"
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"
#include "gpu/pipeline/carry.h"
#include "ir/rewrite/fold.h"

enum { MOST_RANK = 3, MOST_DEPTH = 64 };

/* Every steps[d]-th element along each dim d. */
typedef struct Steps {
	int64_t of[MOST_RANK];
} Steps;

typedef struct Sample {
	IrValue *from, *to; /* to: NULL while it is only asked whether it can be */
	Steps steps;
} Sample;

typedef struct Narrow {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	const AxisMap *axes;
	IrOp *loop; /* that holds the load */
	VEC(Sample) asked, made;
	VEC(GpuCarried) carried;
	VEC(IrOp *) loads;
} Narrow;

/* ---- which loads ---- */

static int64_t constancy(const Narrow *n, const IrValue *v, unsigned d)
{
	IrAttr constant = ir_constant_of(v);
	const AxisInfo *info = axis_of(n->axes, v);
	if (!ir_is_tensor(v->type) || (constant && fold_is_splat(constant)))
		return INT64_MAX;
	return info && d < info->rank ? info->constancy[d] : 1;
}

/* How often each element is there along each dim; false: once. */
static bool repetitions(const Narrow *n, const IrOp *load, Steps *out)
{
	IrType type = load->results[0].type;
	bool any = false;
	for (unsigned d = 0; d < type->rank; d++) {
		int64_t c = type->shape[d];
		for (uint32_t i = 0; i < load->operand_count; i++)
			c = MIN(c, constancy(n, ir_operand(load, i), d));
		out->of[d] = type->shape[d] % c ? 1 : c;
		any |= out->of[d] > 1;
	}
	return any;
}

/* ---- samples ---- */

static IrType sampled_type(const Narrow *n, IrType type, const Steps *s)
{
	int64_t shape[MOST_RANK];
	if (!ir_is_tensor(type))
		return type;
	for (unsigned d = 0; d < type->rank; d++)
		shape[d] = type->shape[d] / s->of[d];
	return ir_tensor(n->gpu->ir, type->elem, shape, type->rank, type->encoding);
}

static bool same_steps(const Steps *a, const Steps *b, IrType type)
{
	return memcmp(a->of, b->of, type->rank * sizeof a->of[0]) == 0;
}

/* Steps along the dims of the operand that give those of the result. */
static Steps steps_of_operand(const Narrow *n, const IrOp *op, const Steps *s)
{
	IrType from = ir_operand(op, 0)->type;
	Steps out = *s;
	unsigned axis = op->kind == OP_EXPAND_DIMS ? (unsigned)ir_get_int(op, n->gpu->ir, ATTR_AXIS, 0) : MOST_RANK;
	for (unsigned d = 0; d < from->rank; d++) {
		out.of[d] = s->of[d + (d >= axis)];
		if (op->kind == OP_BROADCAST && from->shape[d] == 1)
			out.of[d] = 1;
	}
	return out;
}

static bool is_by_element(const IrOp *op)
{
	return ir_has_trait(op, TRAIT_ELEM) && ir_has_trait(op, TRAIT_PURE | TRAIT_NOFX) && op->result_count == 1 && !op->region_count;
}

static bool passes_dims_on(const IrOp *op)
{
	return op->kind == OP_EXPAND_DIMS || op->kind == OP_BROADCAST;
}

/* All of its elements are wanted. */
static bool is_whole(IrType type, const Steps *s)
{
	bool whole = true;
	for (unsigned d = 0; ir_is_tensor(type) && d < type->rank && whole; d++)
		whole = s->of[d] == 1;
	return whole;
}

static bool can_sample(Narrow *n, IrValue *v, const Steps *s, unsigned depth);

static bool can_sample_op(Narrow *n, const IrOp *op, const Steps *s, unsigned depth)
{
	IrAttr constant = ir_constant_of(&op->results[0]);
	if (constant)
		return fold_is_splat(constant);
	if (op->kind == OP_SPLAT || op->kind == OP_MAKE_RANGE)
		return true;
	if (passes_dims_on(op)) {
		Steps inner = steps_of_operand(n, op, s);
		return can_sample(n, ir_operand(op, 0), &inner, depth);
	}
	bool ok = is_by_element(op);
	for (uint32_t i = 0; i < op->operand_count && ok; i++)
		ok = can_sample(n, ir_operand(op, i), s, depth);
	return ok;
}

static bool can_sample(Narrow *n, IrValue *v, const Steps *s, unsigned depth)
{
	IrBlock *body = n->loop->regions[0].first;
	if (is_whole(v->type, s))
		return true;
	if (depth == 0)
		return false;
	for (uint32_t i = 0; i < n->asked.len; i++)
		if (n->asked.data[i].from == v && same_steps(&n->asked.data[i].steps, s, v->type))
			return true;
	vec_push(n->cx->scratch, &n->asked, (Sample){v, NULL, *s});
	if (v->block)
		return v->block == body && v->index > 0 && can_sample(n, ir_operand(n->loop, v->index + 2), s, depth - 1) &&
		       can_sample(n, ir_operand(body->last, v->index - 1), s, depth - 1);
	return can_sample_op(n, v->def, s, depth - 1);
}

static IrValue *sampled(Narrow *n, IrValue *v, const Steps *s);

/* The attributes of an op, for samples of its result: along a dim with steps neighbours are not neighbours any more, and
 * are multiples of what both the first of a row and the steps are. */
static void sampled_attrs(const Narrow *n, const IrOp *op, IrOp *made, IrType type, const Steps *s)
{
	IrCx *ir = n->gpu->ir;
	for (uint32_t i = 0; i < op->attr_count; i++) {
		Sym name = op->attrs[i].name;
		IrAttr value = op->attrs[i].value;
		bool divides = name == ir->names[ATTR_DIVISIBILITY];
		if (divides || name == ir->names[ATTR_CONTIGUITY] || name == ir->names[ATTR_CONSTANCY]) {
			uint64_t words[MOST_RANK];
			int64_t rank = type->rank;
			for (unsigned d = 0; d < type->rank; d++) {
				int64_t hint = axis_hint(value, d);
				words[d] = (uint64_t)(s->of[d] == 1 ? hint : divides ? MIN(hint, s->of[d]) : 1);
			}
			value = ir_attr_dense(ir, ir_tensor(ir, ir_int(ir, 32), &rank, 1, NULL), words, type->rank);
		}
		ir_set_named(n->m, made, name, value);
	}
}

/* start, start + step, ... */
static IrValue *sampled_range(const Narrow *n, IrBuilder *b, IrType type, int64_t start, int64_t step)
{
	IrCx *ir = n->gpu->ir;
	IrValue *range = irb_0(b, OP_MAKE_RANGE, type);
	int64_t first = step == 1 ? start : 0;
	ir_set(n->m, range->def, ATTR_START, ir_attr_i32(ir, first));
	ir_set(n->m, range->def, ATTR_END, ir_attr_i32(ir, first + type->shape[0]));
	if (step == 1)
		return range;
	IrValue *scaled = irb_2(b, OP_MULI, NULL, range, irb_int(b, type, step));
	return start ? irb_2(b, OP_ADDI, NULL, scaled, irb_int(b, type, start)) : scaled;
}

/* What samples divide by, where it is a constant that integers above it are divided by exactly or not at all; 0: not so. */
static int64_t divisor_of(const Narrow *n, const IrOp *op)
{
	int64_t c;
	const AxisInfo *dividend = op->operand_count ? axis_of(n->axes, ir_operand(op, 0)) : NULL;
	bool is_unsigned = op->kind == OP_DIVUI || op->kind == OP_SHRUI, shifts = op->kind == OP_SHRSI || op->kind == OP_SHRUI;
	if (!is_unsigned && !shifts && op->kind != OP_DIVSI && op->kind != OP_FLOORDIVSI)
		return 0;
	if (!dividend || (is_unsigned && !dividend->nonneg) || !ir_constant_int(ir_operand(op, 1), &c) || c < 1 || (shifts && c > 30))
		return 0;
	return shifts ? INT64_C(1) << c : c;
}

/* Samples of `v` divided by c, part by part, where c divides each part: so that neighbours that are `c` apart become neighbours
 * to who looks at addresses. NULL: it is not known to. */
static IrValue *quotient(Narrow *n, IrValue *v, const Steps *s, int64_t c)
{
	IrOp *op = v->def;
	int64_t number;
	if (!op)
		return NULL;
	IrType type = sampled_type(n, v->type, s);
	IrBuilder b = ir_at(n->m, op);
	const AxisInfo *info = axis_of(n->axes, v);
	if (ir_constant_int(v, &number))
		return number % c ? NULL : irb_int(&b, type, number / c);
	if (op->kind == OP_MAKE_RANGE) {
		int64_t start = ir_get_int(op, n->gpu->ir, ATTR_START, 0);
		return start % c || s->of[0] % c ? NULL : sampled_range(n, &b, type, start / c, s->of[0] / c);
	}
	if (op->kind == OP_SPLAT) {
		IrValue *scalar = ir_operand(op, 0);
		if (!info || info->divisibility[0] % c)
			return NULL;
		return irb_splat(&b, irb_2(&b, OP_DIVSI, NULL, scalar, irb_int(&b, scalar->type, c)), type);
	}
	if (passes_dims_on(op)) {
		Steps inner = steps_of_operand(n, op, s);
		IrValue *part = quotient(n, ir_operand(op, 0), &inner, c);
		if (!part || part->type == type)
			return part;
		part = irb_1(&b, op->kind, type, part);
		if (op->kind == OP_EXPAND_DIMS)
			ir_set(n->m, part->def, ATTR_AXIS, ir_get(op, n->gpu->ir, ATTR_AXIS));
		return part;
	}
	if (op->kind != OP_ADDI)
		return NULL;
	IrValue *l = quotient(n, ir_operand(op, 0), s, c), *r = l ? quotient(n, ir_operand(op, 1), s, c) : NULL;
	return r ? irb_2(&b, OP_ADDI, NULL, l, r) : NULL;
}

/* In front of the op, where its operands are there. */
static IrValue *sampled_op(Narrow *n, IrOp *op, const Steps *s)
{
	IrType type = sampled_type(n, op->results[0].type, s);
	IrBuilder b = ir_at(n->m, op);
	IrAttr constant = ir_constant_of(&op->results[0]);
	if (constant)
		return irb_constant(&b, ir_attr_splat(n->gpu->ir, type, fold_word(constant, 0)));
	if (op->kind == OP_MAKE_RANGE)
		return sampled_range(n, &b, type, ir_get_int(op, n->gpu->ir, ATTR_START, 0), s->of[0]);
	int64_t divisor = divisor_of(n, op);
	IrValue *exact = divisor ? quotient(n, ir_operand(op, 0), s, divisor) : NULL;
	if (exact)
		return exact;
	Steps inner = passes_dims_on(op) ? steps_of_operand(n, op, s) : *s;
	IrValue **operands = ARENA_ARRAY(n->cx->scratch, IrValue *, op->operand_count);
	for (uint32_t i = 0; i < op->operand_count; i++)
		operands[i] = sampled(n, ir_operand(op, i), &inner);
	if (op->kind == OP_BROADCAST && operands[0]->type == type)
		return operands[0];
	IrOp *made = irb_op(&b, op->kind, operands, op->operand_count, &type, 1, 0);
	sampled_attrs(n, op, made, type, s);
	return made->results;
}

static IrValue *carry(Narrow *n, IrValue *arg, const Steps *s)
{
	IrBlock *body = n->loop->regions[0].first;
	IrValue *init = sampled(n, ir_operand(n->loop, arg->index + 2), s);
	IrValue *made = ir_block_arg_add(n->m, body, init->type, ir_value_loc(arg));
	uint32_t at = n->carried.len;
	vec_push(n->cx->scratch, &n->carried, (GpuCarried){made, init, NULL});
	vec_push(n->cx->scratch, &n->made, (Sample){arg, made, *s});
	IrValue *next = sampled(n, ir_operand(body->last, arg->index - 1), s);
	n->carried.data[at].next = next;
	return made;
}

/* What can_sample said can be. */
static IrValue *sampled(Narrow *n, IrValue *v, const Steps *s)
{
	if (is_whole(v->type, s))
		return v;
	for (uint32_t i = 0; i < n->made.len; i++)
		if (n->made.data[i].from == v && same_steps(&n->made.data[i].steps, s, v->type))
			return n->made.data[i].to;
	if (v->block)
		return carry(n, v, s);
	IrValue *made = sampled_op(n, v->def, s);
	vec_push(n->cx->scratch, &n->made, (Sample){v, made, *s});
	return made;
}

/* ---- rewriting ---- */

/* Each element as often as it was: x[a, b] -> x[a, 1, b] -> x[a, repeated, b] -> x[a * repeated, b], for each dim; of a dim
 * that is all one element a broadcast does. */
static IrValue *repeated(const Narrow *n, IrBuilder *b, IrValue *v, IrType type, const Steps *s)
{
	IrCx *ir = n->gpu->ir;
	int64_t shape[2 * MOST_RANK];
	bool all = true;
	for (unsigned d = 0, at = 0; d < type->rank; d++, at++) {
		shape[at] = type->shape[d] / s->of[d];
		if (s->of[d] == 1 || shape[at] == 1) {
			shape[at] = type->shape[d];
			continue;
		}
		int64_t dims[2 * MOST_RANK];
		for (unsigned k = 0; k <= v->type->rank; k++)
			dims[k] = k <= at ? v->type->shape[k] : k == at + 1 ? 1 : v->type->shape[k - 1];
		v = irb_1(b, OP_EXPAND_DIMS, ir_tensor(ir, type->elem, dims, v->type->rank + 1, NULL), v);
		ir_set(n->m, v->def, ATTR_AXIS, ir_attr_i32(ir, ++at));
		shape[at] = s->of[d];
		all = false;
	}
	v = irb_1(b, OP_BROADCAST, ir_tensor(ir, type->elem, shape, v->type->rank, NULL), v);
	return all ? v : irb_1(b, OP_RESHAPE, type, v);
}

static bool narrow(Narrow *n, IrOp *load)
{
	Steps steps;
	n->loop = ir_parent_op(load);
	n->asked.len = n->made.len = n->carried.len = 0;
	if (!repetitions(n, load, &steps))
		return false;
	for (uint32_t i = 0; i < load->operand_count; i++)
		if (!can_sample(n, ir_operand(load, i), &steps, MOST_DEPTH))
			return false;
	for (uint32_t i = 0; i < load->operand_count; i++)
		ir_operand_set(load, i, sampled(n, ir_operand(load, i), &steps));
	IrValue *tile = &load->results[0];
	IrType type = tile->type;
	IrBuilder b = ir_at(n->m, load);
	b.before = load->next;
	VEC(IrUse *) uses = {0};
	for (IrUse *u = tile->uses; u; u = u->next)
		vec_push(n->cx->scratch, &uses, u);
	tile->type = sampled_type(n, type, &steps);
	sampled_attrs(n, load, load, type, &steps);
	IrValue *whole = repeated(n, &b, tile, type, &steps);
	for (uint32_t i = 0; i < uses.len; i++)
		ir_operand_set(uses.data[i]->owner, (uint32_t)(uses.data[i] - uses.data[i]->owner->operands), whole);
	if (n->carried.len)
		gpu_carry(n->m, n->cx->scratch, n->loop, n->carried.data, n->carried.len);
	return true;
}

static bool visit(void *data, IrOp *op)
{
	Narrow *n = data;
	IrOp *parent = ir_parent_op(op);
	if (op->kind == OP_LOAD && parent->kind == OP_FOR && ir_is_tensor(op->results[0].type) && op->results[0].type->rank <= MOST_RANK &&
	    !ir_is_volatile(op) && schedule_reaches_dot(n->m, n->cx->scratch, op))
		vec_push(n->cx->scratch, &n->loads, op);
	return true;
}

bool pass_narrow_loads(PassCx *cx, bool *changed)
{
	Narrow n = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module};
	bool any = false;
	ir_walk(cx->module->op, false, visit, &n);
	if (!n.loads.len)
		return true;
	n.axes = gpu_axis(cx);
	for (uint32_t i = 0; i < n.loads.len; i++)
		any |= narrow(&n, n.loads.data[i]);
	*changed |= any;
	return !any || pass_dce(cx, changed);
}
