/* splat-scales: a loop of products that scales them by a row of blocks' scales becomes two, of
 * which one loads a single scale, and a look at the columns chooses.
 *
 * Needs: TTIR. Keeps: what is computed, bit by bit.
 * Kernels of 8-bit products by blocks find the scale of each column by its number over the size of
 * a block, an argument. So the row is loaded as if each column had its own: threads get their
 * columns' through shared memory in each iteration, where all warps meet. But a tile mostly lies
 * within one block.
 * Method: where columns are s, s + 1, ..., perhaps modulo a size, and are divided by one number,
 * all quotients are equal if those of the first and the last one are, and none is beyond that size.
 * Then the load's pointers are all the same, and it loads through one of them. */
#include "gpu/pass/two_loops.h"
#include "gpu/plan/dot.h"
#include "gpu/remark.h"

enum { DEEP = 8, MOST_LOADS = 4, LEAST_COLUMNS = 16 };

/* A row of quotients: (from + range) [% size] / by. */
typedef struct Row {
	IrOp *quotients;
	IrValue *first, *size, *by; /* rows of one value, or NULL */
	int64_t start, end;	    /* of the range */
	IrValue *quotient;	    /* scalar: that of the first one */
} Row;

typedef struct Splat {
	PassCx *cx;
	GpuCx *gpu;
	IrOp *loop;
	uint32_t at[MOST_LOADS]; /* numbers of loads in the loop's body */
	Row rows[MOST_LOADS];
	uint32_t count;
	IrBuilder b;
	VEC(IrOp *) list;
} Splat;

/* ---- which loads ---- */

static bool is_splat(const IrValue *v)
{
	int64_t value;
	return (v->def && v->def->kind == OP_SPLAT) || ir_constant_int(v, &value);
}

static bool is_range(const Splat *s, const IrValue *v, Row *out)
{
	const IrOp *op = v->def;
	if (op && op->kind == OP_EXTSI)
		op = ir_operand(op, 0)->def;
	if (!op || op->kind != OP_MAKE_RANGE)
		return false;
	out->start = ir_get_int(op, s->gpu->ir, ATTR_START, 0);
	out->end = ir_get_int(op, s->gpu->ir, ATTR_END, 0);
	return true;
}

static bool find_columns(const Splat *s, const IrValue *v, Row *out)
{
	const IrOp *op = v->def;
	if (op && op->kind == OP_REMSI && is_splat(ir_operand(op, 1)) && !out->size) {
		out->size = ir_operand(op, 1);
		return find_columns(s, ir_operand(op, 0), out);
	}
	if (!op || op->kind != OP_ADDI)
		return is_range(s, v, out);
	for (uint32_t i = 0; i < 2; i++)
		if (is_splat(ir_operand(op, i)) && is_range(s, ir_operand(op, 1 - i), out)) {
			out->first = ir_operand(op, i);
			return true;
		}
	return false;
}

static bool is_row(const Splat *s, IrOp *op, Row *out)
{
	if (op->kind != OP_DIVSI || !is_splat(ir_operand(op, 1)) || out->quotients)
		return false;
	out->quotients = op;
	out->by = ir_operand(op, 1);
	return ir_is_defined_outside(&op->results[0], s->loop) &&
	       find_columns(s, ir_operand(op, 0), out);
}

static bool is_address_op(const IrOp *op)
{
	switch (op->kind) {
	case OP_ADDI:
	case OP_SUBI:
	case OP_MULI:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_ADDPTR: return true;
	default: return false;
	}
}

/* Does it follow of one row of quotients, and of what is the same for all columns? */
static bool follows(const Splat *s, const IrValue *v, unsigned deep, Row *out)
{
	if (is_splat(v) || (out->quotients && v->def == out->quotients))
		return true;
	if (!v->def || !deep || v->type->rank != 1)
		return false;
	if (is_row(s, v->def, out))
		return true;
	bool good = is_address_op(v->def);
	for (uint32_t i = 0; i < v->def->operand_count && good; i++)
		good = follows(s, ir_operand(v->def, i), deep - 1, out);
	return good;
}

static bool is_scale(const Splat *s, const IrOp *op, Row *out)
{
	*out = (Row){0};
	if (op->kind != OP_LOAD || op->operand_count != 1 || ir_is_volatile(op))
		return false;
	IrType tile = op->results[0].type;
	if (!ir_is_tensor(tile) || tile->rank != 1 || !ir_is_float(tile->elem) ||
	    ir_numel(tile) < LEAST_COLUMNS)
		return false;
	for (const IrUse *u = op->results[0].uses; u; u = u->next)
		if (u->owner->kind != OP_EXPAND_DIMS)
			return false;
	return follows(s, ir_operand(op, 0), DEEP, out) && out->quotients;
}

static void find_loads(Splat *s)
{
	uint32_t number = 0;
	s->count = 0;
	for (const IrOp *op = s->loop->regions[0].first->first; op; op = op->next, number++)
		if (s->count < MOST_LOADS && is_scale(s, op, &s->rows[s->count]))
			s->at[s->count++] = number;
}

/* ---- the condition ---- */

static IrValue *scalar_of_splat(IrBuilder *b, const IrValue *v)
{
	int64_t value;
	if (ir_constant_int(v, &value))
		return irb_int(b, ir_elem(v->type), value);
	return ir_operand(v->def, 0);
}

/* i1: all of the row's quotients are that of its first column, which is found. */
static IrValue *all_alike(IrBuilder *b, Row *row)
{
	IrType type = ir_elem(row->quotients->results[0].type);
	IrValue *from = row->first ? scalar_of_splat(b, row->first) : irb_int(b, type, 0);
	IrValue *first = irb_2(b, OP_ADDI, NULL, from, irb_int(b, type, row->start));
	IrValue *last = irb_2(b, OP_ADDI, NULL, from, irb_int(b, type, row->end - 1));
	IrValue *by = scalar_of_splat(b, row->by);
	row->quotient = irb_2(b, OP_DIVSI, NULL, first, by);
	IrValue *alike = irb_cmpi(b, CMPI_EQ, row->quotient, irb_2(b, OP_DIVSI, NULL, last, by));
	alike = irb_2(b, OP_ANDI, NULL, alike, irb_cmpi(b, CMPI_SLE, first, last));
	if (!row->size)
		return alike;
	IrValue *size = scalar_of_splat(b, row->size);
	alike = irb_2(b, OP_ANDI, NULL, alike, irb_cmpi(b, CMPI_SGE, first, irb_int(b, type, 0)));
	return irb_2(b, OP_ANDI, NULL, alike, irb_cmpi(b, CMPI_SLT, last, size));
}

/* ---- the loop ---- */

/* What all columns have of it. */
static IrValue *alike(Splat *s, const Row *row, const IrValue *v)
{
	IrOp *op = v->def;
	if (is_splat(v))
		return scalar_of_splat(&s->b, v);
	if (op == row->quotients)
		return row->quotient;
	IrValue *args[2] = {0};
	CONTRACT(op->operand_count <= 2);
	for (uint32_t i = 0; i < op->operand_count; i++)
		args[i] = alike(s, row, ir_operand(op, i));
	IrType type = ir_elem(v->type);
	return irb_op(&s->b, op->kind, args, op->operand_count, &type, 1, 0)->results;
}

static void load_one(Splat *s, const Row *row, IrOp *load)
{
	IrType tile = load->results[0].type;
	s->b = ir_at(s->cx->module, load);
	IrValue *pointer = alike(s, row, ir_operand(load, 0));
	IrValue *scale = irb_1(&s->b, OP_LOAD, tile->elem, pointer);
	static const IrAttrName names[] = {ATTR_CACHE, ATTR_EVICT};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (ir_get(load, s->gpu->ir, names[i]))
			ir_set(s->cx->module, scale->def, names[i], ir_get(load, s->gpu->ir, names[i]));
	ir_replace_uses(&load->results[0], irb_splat(&s->b, scale, tile));
	ir_op_erase(load);
}

static IrOp *op_at(const IrOp *loop, uint32_t number)
{
	IrOp *op = loop->regions[0].first->first;
	while (number--)
		op = op->next;
	return op;
}

static bool split(Splat *s, IrOp *loop)
{
	s->loop = loop;
	find_loads(s);
	if (!s->count)
		return false;
	IrBuilder front = ir_at(s->cx->module, loop);
	IrValue *when = NULL;
	for (uint32_t i = 0; i < s->count; i++) {
		IrValue *one = all_alike(&front, &s->rows[i]);
		when = when ? irb_2(&front, OP_ANDI, NULL, when, one) : one;
	}
	IrOp *copy = gpu_two_loops(s->cx, loop, when), *loads[MOST_LOADS];
	for (uint32_t i = 0; i < s->count; i++)
		loads[i] = op_at(copy, s->at[i]);
	for (uint32_t i = 0; i < s->count; i++)
		load_one(s, &s->rows[i], loads[i]);
	gpu_remark_of(s->gpu, loop, NULL, REMARK_LOOP_SCALES);
	return true;
}

static bool visit_loop(void *data, IrOp *op)
{
	Splat *s = data;
	if (op->kind == OP_FOR && gpu_holds_dot(op))
		vec_push(s->cx->scratch, &s->list, op);
	return true;
}

bool pass_splat_scales(PassCx *cx, bool *changed)
{
	Splat s = {.cx = cx, .gpu = gpu_of(cx)};
	if (s.gpu->num_ctas > 1)
		return true;
	ir_walk(cx->module->op, false, visit_loop, &s);
	for (uint32_t i = 0; i < s.list.len; i++)
		*changed = split(&s, s.list.data[i]) || *changed;
	return true;
}
