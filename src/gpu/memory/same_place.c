/* Are the elements of two tiles of pointers the same, whatever their layouts and however their
 * addresses were summed?
 *
 * An address is evaluated as a number modulo 2^64: what a kernel is given, or computes in other
 * ways than by sums and products, stands for a number at random, the same for the same. So
 * p + (a + b) and (b + p) + a, or (i + j) * n and i * n + j * n, are one number, and two that are
 * not equal for all inputs are hardly ever one. A range is a number for the dim of the tile that it
 * runs along, and begins at its start. Widths of integers are not looked at: indices do not
 * overflow. What a loop carries or counts is what it begins with, or has some iterations later. */
#include "gpu/memory/memory_int.h"

enum {
	MOST_VALUES = 2000, /* that are looked at for one tile */
	DEEPEST = 64,
	MOST_PASSED = 2
};

typedef struct Place {
	const IrCx *cx;
	const IrOp *loop; /* of which that many iterations have passed */
	unsigned passed;
	unsigned values;
	bool unknown; /* there are too many */
} Place;

/* Which dims of the tile of pointers a value's dims are. */
typedef struct Dims {
	uint8_t of[IR_MAX_RANK];
} Dims;

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

enum { SEED_VALUE = 1, SEED_RANGE, SEED_OP, SEED_DIM };

static uint64_t of_itself(const IrValue *v)
{
	return mix(mix(SEED_VALUE, v->id), v->index);
}

static uint64_t place_of(Place *p, const IrValue *v, const Dims *dims, unsigned deep);

static uint64_t of_operand(Place *p, const IrOp *op, uint32_t i, const Dims *dims, unsigned deep)
{
	return place_of(p, ir_operand(op, i), dims, deep - 1);
}

/* What the test of a while hands on. */
static uint64_t of_while(Place *p, const IrOp *loop, uint32_t i, const Dims *dims, unsigned deep)
{
	return of_operand(p, ir_terminator(loop->regions[0].first), i + 1, dims, deep);
}

/* One of two values, by the same condition in both tiles. */
static uint64_t of_branch(Place *p, const IrOp *op, uint32_t i, const Dims *dims, unsigned deep)
{
	uint64_t number = mix(SEED_VALUE, op->id);
	for (uint32_t side = 0; side < op->region_count; side++)
		number = mix(number, of_operand(p, ir_terminator(op->regions[side].first), i, dims, deep));
	return number;
}

static uint64_t of_argument(Place *p, const IrValue *v, const Dims *dims, unsigned deep)
{
	const IrOp *loop = v->block->region->op;
	unsigned passed = p->passed;
	if (loop && loop->kind == OP_WHILE)
		return v->block == loop->regions[0].first ? of_operand(p, loop, v->index, dims, deep)
							  : of_while(p, loop, v->index, dims, deep);
	if (!loop || loop->kind != OP_FOR)
		return of_itself(v);
	if (loop != p->loop || !passed)
		return of_operand(p, loop, v->index ? 3 + v->index - 1 : 0, dims, deep);
	if (!v->index)
		return of_operand(p, loop, 0, dims, deep) + passed * of_operand(p, loop, 2, dims, deep);
	p->passed--;
	uint64_t number = of_operand(p, ir_terminator(v->block), v->index - 1, dims, deep);
	p->passed = passed;
	return number;
}

static uint64_t of_expanded(Place *p, const IrOp *op, const Dims *dims, unsigned deep)
{
	uint32_t axis = (uint32_t)ir_get_int(op, p->cx, ATTR_AXIS, 0);
	Dims fewer = *dims;
	for (uint32_t i = axis; i + 1 < IR_MAX_RANK; i++)
		fewer.of[i] = dims->of[i + 1];
	return of_operand(p, op, 0, &fewer, deep);
}

static uint64_t of_turned(Place *p, const IrOp *op, const Dims *dims, unsigned deep)
{
	IrAttr order = ir_get(op, p->cx, ATTR_ORDER);
	Dims turned = *dims;
	for (uint32_t i = 0; i < order->len && i < IR_MAX_RANK; i++)
		turned.of[order->ints[i] % IR_MAX_RANK] = dims->of[i];
	return of_operand(p, op, 0, &turned, deep);
}

/* By what it is and what it takes. Of ops that move elements between dims those stand for
 * themselves. */
static uint64_t of_other(Place *p, const IrOp *op, const IrValue *v, const Dims *dims, unsigned deep)
{
	bool same = ir_has_trait(op, TRAIT_PURE | TRAIT_NOFX | TRAIT_CONST) || op->kind == OP_LOAD;
	if (!same || op->region_count)
		return of_itself(v);
	Dims own;
	uint64_t number = mix(mix(SEED_OP, op->kind), v->index), sum = 0;
	for (uint32_t i = 0; i < op->attr_count; i++)
		number = mix(number, op->attrs[i].value->id);
	bool by_element = ir_has_trait(op, TRAIT_ELEM) || op->kind == OP_LOAD;
	for (uint32_t i = 0; i < IR_MAX_RANK; i++)
		own.of[i] = (uint8_t)i;
	for (uint32_t i = 0; !by_element && ir_is_tensor(v->type) && i < v->type->rank; i++)
		number = mix(mix(number, dims->of[i]), (uint64_t)v->type->shape[i]);
	/* What masks let through of a load is the same. */
	uint32_t count = op->kind == OP_LOAD ? 1 : op->operand_count;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t one = of_operand(p, op, i, by_element ? dims : &own, deep);
		if (ir_has_trait(op, TRAIT_COMM))
			sum += mix(SEED_OP, one);
		else
			number = mix(number, one);
	}
	return mix(number, sum);
}

static uint64_t of_op(Place *p, const IrValue *v, const Dims *dims, unsigned deep)
{
	const IrOp *op = v->def;
	int64_t by;
	switch (op->kind) {
	case OP_SPLAT:
	case OP_UNSPLAT:
	case OP_BROADCAST:
	case OP_CONVERT_LAYOUT:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI:
	case OP_BITCAST: return of_operand(p, op, 0, dims, deep);
	case OP_EXPAND_DIMS: return of_expanded(p, op, dims, deep);
	case OP_TRANS: return of_turned(p, op, dims, deep);
	case OP_FOR: return of_operand(p, op, 3 + v->index, dims, deep);
	case OP_WHILE: return of_while(p, op, v->index, dims, deep);
	case OP_IF: return of_branch(p, op, v->index, dims, deep);
	case OP_MAKE_RANGE:
		return mix(SEED_RANGE, dims->of[0]) + (uint64_t)ir_get_int(op, p->cx, ATTR_START, 0);
	case OP_ADDPTR: {
		uint64_t bytes = MAX(gpu_element_bits(ir_elem(ir_elem(v->type))), 8u) / 8;
		return of_operand(p, op, 0, dims, deep) + bytes * of_operand(p, op, 1, dims, deep);
	}
	case OP_ADDI: return of_operand(p, op, 0, dims, deep) + of_operand(p, op, 1, dims, deep);
	case OP_SUBI: return of_operand(p, op, 0, dims, deep) - of_operand(p, op, 1, dims, deep);
	case OP_MULI: return of_operand(p, op, 0, dims, deep) * of_operand(p, op, 1, dims, deep);
	case OP_SHLI:
		if (ir_constant_int(ir_operand(op, 1), &by) && by >= 0 && by < 64)
			return of_operand(p, op, 0, dims, deep) << by;
		return of_other(p, op, v, dims, deep);
	default: return of_other(p, op, v, dims, deep);
	}
}

static uint64_t place_of(Place *p, const IrValue *v, const Dims *dims, unsigned deep)
{
	int64_t number;
	if (!deep || ++p->values > MOST_VALUES) {
		p->unknown = true;
		return 0;
	}
	if (ir_constant_int(v, &number))
		return (uint64_t)number;
	return v->def ? of_op(p, v, dims, deep) : of_argument(p, v, dims, deep);
}

/* The sizes of a tile's dims but for those of one element, and which of these each dim is. */
static uint32_t long_dims(IrType tile, int64_t *sizes, Dims *dims)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < IR_MAX_RANK; i++) {
		dims->of[i] = (uint8_t)n;
		if (i < tile->rank && tile->shape[i] > 1)
			sizes[n++] = tile->shape[i];
	}
	return n;
}

bool gpu_same_elements(IrType a, IrType b)
{
	CONTRACT(ir_is_tensor(a) && ir_is_tensor(b));
	int64_t sizes[2][IR_MAX_RANK];
	Dims dims;
	uint32_t n = long_dims(a, sizes[0], &dims);
	return n == long_dims(b, sizes[1], &dims) && memcmp(sizes[0], sizes[1], n * sizeof *sizes[0]) == 0;
}

typedef struct Found {
	uint64_t number;
	bool unknown;
} Found;

/* Of pointers, as many iterations of the loop later. Each is compared with many. */
static Found place_after(GpuOrder *o, const IrValue *v, const IrOp *loop, unsigned passed)
{
	uint64_t when = loop ? loop->id * (uint64_t)(MOST_PASSED + 1) + passed : 0;
	uint64_t key = (uint64_t)v->id << 32 | when, known;
	if (map_get(&o->places, key, &known))
		return *(const Found *)(uintptr_t)known;
	int64_t sizes[IR_MAX_RANK];
	Dims dims;
	Place p = {.cx = o->gpu->ir, .loop = loop, .passed = passed};
	Found *found = ARENA_NEW(o->cx->scratch, Found);
	long_dims(v->type, sizes, &dims);
	*found = (Found){place_of(&p, v, &dims, DEEPEST), false};
	found->unknown = p.unknown;
	map_put(&o->places, key, map_key(found));
	return *found;
}

bool gpu_may_be_same_place(GpuOrder *o, const IrValue *a, const IrValue *b, const IrOp *loop)
{
	Found first = place_after(o, a, NULL, 0), then = place_after(o, b, NULL, 0);
	bool same = first.number == then.number, unknown = first.unknown || then.unknown;
	for (unsigned passed = 1; loop && passed <= MOST_PASSED && !same; passed++) {
		then = place_after(o, b, loop, passed);
		same = first.number == then.number;
		unknown |= then.unknown;
	}
	return same || unknown;
}
