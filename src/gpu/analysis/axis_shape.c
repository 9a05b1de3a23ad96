/* What shape operations, changes of type and constants do to contiguity, divisibility and constancy (see axis_ops.c). */
#include "gpu/analysis/axis_int.h"

/* ---- shapes ---- */

AxisInfo axis_op_range(const AxisOp *x)
{
	IrType type = x->type;
	AxisInfo info = axis_nothing(type);
	int64_t start = ir_get_int(x->op, x->cx, ATTR_START, 0), n = axis_size(type, 0);
	info.contiguity[0] = n;
	info.divisibility[0] = n == type->shape[0] ? axis_low_bit(start) : MIN(axis_low_bit(start), n);
	info.nonneg = start >= 0;
	if (type->shape[0] == 1)
		return axis_all(type, start);
	return info;
}

/* The facts about all elements, of another value. */
static AxisInfo axis_keep_facts(AxisInfo info, const AxisInfo *from)
{
	info.known = from->known;
	info.value = from->value;
	info.nonneg = from->nonneg;
	return info;
}

AxisInfo axis_op_splat(const AxisOp *x)
{
	AxisInfo info = axis_keep_facts(axis_nothing(x->type), x->a);
	for (unsigned d = 0; d < info.rank; d++) {
		info.divisibility[d] = x->a->divisibility[0];
		info.constancy[d] = axis_size(x->type, d);
	}
	return info;
}

AxisInfo axis_op_unsplat(const AxisOp *x)
{
	AxisInfo info = axis_keep_facts(axis_nothing(x->type), x->a);
	info.divisibility[0] = axis_every(x->a, x->ta);
	return info;
}

AxisInfo axis_op_expand_dims(const AxisOp *x)
{
	const AxisInfo *a = x->a;
	unsigned axis = (unsigned)ir_get_int(x->op, x->cx, ATTR_AXIS, 0);
	AxisInfo info = axis_keep_facts(axis_nothing(x->type), a);
	CONTRACT(axis < x->type->rank);
	for (unsigned d = 0; d < info.rank; d++) {
		unsigned old = d < axis ? d : d - 1;
		info.divisibility[d] = d == axis ? axis_every(a, x->ta) : a->divisibility[old];
		if (d != axis) {
			info.contiguity[d] = a->contiguity[old];
			info.constancy[d] = a->constancy[old];
		}
	}
	return info;
}

AxisInfo axis_op_broadcast(const AxisOp *x)
{
	AxisInfo info = *x->a;
	CONTRACT(ir_is_tensor(x->type));
	for (unsigned d = 0; d < info.rank; d++)
		if (x->ta->shape[d] != x->type->shape[d])
			info.constancy[d] = axis_size(x->type, d);
	return info;
}

AxisInfo axis_op_trans(const AxisOp *x)
{
	const AxisInfo *a = x->a;
	IrAttr order = ir_get(x->op, x->cx, ATTR_ORDER);
	AxisInfo info = axis_keep_facts(axis_nothing(x->type), a);
	CONTRACT(ir_is_tensor(x->type));
	for (unsigned d = 0; d < info.rank; d++) {
		info.contiguity[d] = a->contiguity[order->ints[d]];
		info.divisibility[d] = a->divisibility[order->ints[d]];
		info.constancy[d] = a->constancy[order->ints[d]];
	}
	return info;
}

/* Elements that follow one another in row-major order stay neighbours: along the last dim that is longer than 1. */
AxisInfo axis_op_reshape(const AxisOp *x)
{
	const AxisInfo *a = x->a;
	IrType from = x->ta, type = x->type;
	CONTRACT(ir_is_tensor(x->type));
	int last = (int)from->rank - 1, to = (int)type->rank - 1;
	bool constant = true;
	while (last > 0 && from->shape[last] == 1)
		last--;
	while (to > 0 && type->shape[to] == 1)
		to--;
	for (unsigned d = 0; d < from->rank; d++)
		constant = constant && a->constancy[d] == from->shape[d];
	AxisInfo info = axis_keep_facts(axis_nothing(type), a);
	for (unsigned d = 0; d < info.rank; d++) {
		info.divisibility[d] = axis_every(a, from);
		info.constancy[d] = constant ? axis_size(type, d) : 1;
	}
	if (constant || last < 0 || to < 0)
		return info;
	unsigned l = (unsigned)last, t = (unsigned)to;
	info.contiguity[t] = MIN(a->contiguity[l], axis_size(type, t));
	info.constancy[t] = MIN(a->constancy[l], axis_size(type, t));
	info.divisibility[t] = MAX(axis_first(a, from, l, info.contiguity[t]), info.contiguity[t] == 1 ? axis_every(a, from) : 1);
	return info;
}

AxisInfo axis_op_join(const AxisOp *x)
{
	AxisInfo both = axis_join(x->a, x->b, x->ta), info = axis_nothing(x->type);
	CONTRACT(ir_is_tensor(x->type));
	info.nonneg = both.nonneg;
	for (unsigned d = 0; d < both.rank; d++) {
		info.contiguity[d] = both.contiguity[d];
		info.divisibility[d] = both.divisibility[d];
		info.constancy[d] = both.constancy[d];
	}
	info.divisibility[both.rank] = axis_every(&both, x->ta);
	return info;
}

AxisInfo axis_op_split(const AxisOp *x)
{
	const AxisInfo *a = x->a;
	AxisInfo info = axis_keep_facts(axis_nothing(x->type), a);
	for (unsigned d = 0; d < info.rank && d < a->rank; d++) {
		info.contiguity[d] = a->contiguity[d];
		info.divisibility[d] = a->divisibility[d];
		info.constancy[d] = a->constancy[d];
	}
	return info;
}

/* ---- types ---- */

/* The same numbers; where the step changes, only runs of 1 remain. */
AxisInfo axis_op_retype(const AxisOp *x)
{
	AxisInfo info = axis_keep_facts(*x->a, x->a);
	if (axis_step(x->ta) == axis_step(x->type))
		return info;
	for (unsigned d = 0; d < info.rank; d++) {
		info.contiguity[d] = 1;
		info.divisibility[d] = axis_every(x->a, x->ta);
	}
	return info;
}

/* How often a loop over integers of 32 bits runs, as the front end has it: 0, or n + 1, wider. */
static bool is_count_of_words(const IrValue *v)
{
	const IrOp *op = v->def;
	int64_t number;
	while (op && (op->kind == OP_SELECT || op->kind == OP_ADDI)) {
		uint32_t first = op->kind == OP_SELECT;
		bool select = first && ir_constant_int(ir_operand(op, 2), &number) && number == 0;
		bool add = !first && ir_constant_int(ir_operand(op, 1), &number) && number == 1;
		if (!select && !add)
			return false;
		op = ir_operand(op, first)->def;
	}
	return op && op->kind == OP_EXTUI && ir_operand(op, 0)->type->bits <= 32;
}

/* Does a loop count it from 0, as often as that? There are fewer than 2^31 such iterations, as
 * sums of indices do not overflow. */
static bool counts_words(const IrValue *v)
{
	const IrOp *loop = v->def ? NULL : v->block->region->op;
	int64_t from, step;
	return loop && loop->kind == OP_FOR && v->index == 0 &&
	       ir_constant_int(ir_operand(loop, 0), &from) && from == 0 &&
	       ir_constant_int(ir_operand(loop, 2), &step) && step == 1 &&
	       is_count_of_words(ir_operand(loop, 1));
}

AxisInfo axis_op_truncate(const AxisOp *x)
{
	const AxisInfo *a = x->a;
	IrType type = x->type;
	AxisInfo info = *a;
	unsigned bits = ir_elem(type)->bits;
	int64_t most = bits < AXIS_MOST_BITS ? INT64_C(1) << bits : AXIS_MOST;
	info.nonneg = a->nonneg && bits >= 32 && counts_words(ir_operand(x->op, 0));
	for (unsigned d = 0; d < info.rank; d++) {
		info.contiguity[d] = MIN(info.contiguity[d], most);
		info.divisibility[d] = axis_first(a, x->ta, d, info.contiguity[d]);
		if (info.divisibility[d] >= most)
			info.divisibility[d] = AXIS_MOST;
	}
	if (info.known) {
		IrType elem = ir_elem(type);
		unsigned unused = 64 - elem->bits;
		return axis_all(type, (int64_t)((uint64_t)a->value << unused) >> unused);
	}
	return info;
}

/* Narrow integers wrap soon: runs must not cross a multiple of their length. */
AxisInfo axis_op_extend(const AxisOp *x)
{
	const AxisInfo *a = x->a;
	bool unsign = x->op->kind == OP_EXTUI;
	AxisInfo info = *a;
	unsigned bits = ir_elem(x->ta)->bits;
	if (info.known && unsign && bits < 64 && info.value < 0)
		info.value &= (INT64_C(1) << bits) - 1;
	info.nonneg = info.nonneg || unsign;
	for (unsigned d = 0; d < info.rank && bits < 32; d++) {
		info.contiguity[d] = MIN(a->contiguity[d], a->divisibility[d]);
		info.divisibility[d] = axis_first(a, x->ta, d, info.contiguity[d]);
	}
	/* Past the width there were no bits to know of. */
	for (unsigned d = 0; d < info.rank && bits < AXIS_MOST_BITS; d++)
		if (info.divisibility[d] > INT64_C(1) << bits)
			info.divisibility[d] = AXIS_MOST;
	return info;
}

/* Elementwise ops of which only this is known: equal operands give equal results. */
AxisInfo axis_op_equal(const AxisOp *x)
{
	const AxisInfo *operands[] = {x->a, x->b, x->c};
	AxisInfo info = axis_nothing(x->type);
	if (!ir_is_tensor(x->type))
		return info;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = axis_size(x->type, d);
		for (uint32_t i = 0; i < x->op->operand_count && i < ARRAY_LEN(operands); i++)
			if (ir_is_tensor(ir_operand(x->op, i)->type))
				info.constancy[d] = MIN(info.constancy[d], operands[i]->constancy[d]);
	}
	return info;
}

/* ---- constants ---- */

static int64_t word_value(IrType elem, uint64_t word)
{
	unsigned unused = 64 - elem->bits;
	return elem->bits == 1 ? (int64_t)(word & 1) : (int64_t)(word << unused) >> unused;
}

typedef struct Words {
	IrAttr attr;
	uint32_t inner; /* elements between neighbours of the dim */
	int64_t size;   /* of the dim */
} Words;

/* Does element i of an aligned group of n lie at step * i from the first, and the first at a multiple of `of`? */
static bool groups_fit(const Words *w, int64_t n, int64_t step, int64_t of)
{
	IrType elem = w->attr->type->elem;
	for (uint32_t i = 0; i < w->attr->len; i++) {
		int64_t at = i / w->inner % w->size, offset = at % n;
		int64_t first = word_value(elem, w->attr->words[i - (uint32_t)offset * w->inner]);
		int64_t value = word_value(elem, w->attr->words[i]);
		if ((int64_t)((uint64_t)first + (uint64_t)(step * offset)) != value || first % of != 0)
			return false;
	}
	return true;
}

AxisInfo axis_op_constant(const AxisOp *x)
{
	IrType type = x->type;
	AxisInfo info = axis_nothing(type);
	IrAttr attr = ir_constant_of(&x->op->results[0]);
	if (!attr || !ir_is_int(ir_elem(type)))
		return info;
	if (attr->kind != ATTR_KIND_DENSE)
		return axis_all(type, attr->i);
	if (attr->splat)
		return axis_all(type, word_value(type->elem, attr->words[0]));
	info.nonneg = true;
	for (uint32_t i = 0; i < attr->len; i++)
		info.nonneg = info.nonneg && word_value(type->elem, attr->words[i]) >= 0;
	Words w = {.attr = attr, .inner = 1};
	for (unsigned d = info.rank; d-- > 0; w.inner *= (uint32_t)w.size) {
		w.size = type->shape[d];
		int64_t n = axis_size(type, d);
		for (int64_t k = 2; k <= n && groups_fit(&w, k, 0, 1); k *= 2)
			info.constancy[d] = k;
		for (int64_t k = 2; k <= n && groups_fit(&w, k, 1, 1); k *= 2)
			info.contiguity[d] = k;
		for (int64_t k = 2; k <= 1024 && groups_fit(&w, info.contiguity[d], 1, k); k *= 2)
			info.divisibility[d] = k;
	}
	return info;
}
