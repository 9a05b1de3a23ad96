/* Values of another iteration: the inputs of prefetched loads (addresses, masks) are computed a
 * second time, for an iteration that is ahead, from carried values of their own that run ahead. */
#include "gpu/pipeline/left.h"

static PipelinePoint *new_point(Pipeline *p)
{
	PipelinePoint *point = ARENA_NEW(p->cx->scratch, PipelinePoint);
	ir_mapping_init(&point->map, p->cx->scratch);
	point->done = ARENA_ARRAY(p->cx->scratch, uint8_t, p->values);
	return point;
}

static PipelinePoint *point_of(Pipeline *p, PipelinePoint **points, unsigned k)
{
	ASSERT(k < PIPELINE_MOST_AHEAD);
	points[k] = points[k] ? points[k] : new_point(p);
	return points[k];
}

/* ---- the iteration k after another ---- */

static IrValue *counter_plus(Pipeline *p, IrBuilder *b, IrValue *counter, unsigned k)
{
	IrValue *step = ir_operand(p->loop, 2);
	int64_t known;
	if (!k)
		return counter;
	if (ir_constant_int(step, &known))
		return irb_2(b, OP_ADDI, NULL, counter, irb_int(b, step->type, known * k));
	return irb_2(b, OP_ADDI, NULL, counter, irb_2(b, OP_MULI, NULL, step, irb_int(b, step->type, k)));
}

/* Is what is left, as an unsigned number, more than k steps? */
static IrValue *more_than(Pipeline *p, IrBuilder *b, IrValue *left, unsigned k)
{
	IrValue *step = ir_operand(p->loop, 2);
	int64_t known;
	if (ir_constant_int(step, &known))
		return irb_cmpi(b, CMPI_UGT, left, irb_int(b, left->type, known * k));
	IrType wide = ir_scalar(p->gpu->ir, TY_I64);
	IrValue *count = irb_int(b, wide, k);
	IrValue *steps = irb_2(b, OP_MULI, NULL, irb_1(b, OP_EXTUI, wide, step), count);
	return irb_cmpi(b, CMPI_UGT, irb_1(b, OP_EXTUI, wide, left), steps);
}

IrValue *pipeline_exists(Pipeline *p, bool first, unsigned k)
{
	PipelinePoint *point = point_of(p, first ? p->first : p->ahead, k);
	IrBuilder *b = pipeline_builder(p, first);
	IrValue *lower = ir_operand(p->loop, 0), *upper = ir_operand(p->loop, 1);
	if (point->exists)
		return point->exists;
	if (p->s->left)
		return point->exists = left_exists(p, first, k);
	if (!first)
		return point->exists = more_than(p, b, irb_2(b, OP_SUBI, NULL, upper, p->body->args[0]), k);
	if (k == 0) {
		bool is_unsigned = ir_get_bool(p->loop, p->gpu->ir, ATTR_UNSIGNED_CMP);
		return point->exists = irb_cmpi(b, is_unsigned ? CMPI_ULT : CMPI_SLT, lower, upper);
	}
	IrValue *some = pipeline_exists(p, true, 0);
	p->distance = p->distance ? p->distance : irb_2(b, OP_SUBI, NULL, upper, lower);
	return point->exists = irb_2(b, OP_ANDI, NULL, some, more_than(p, b, p->distance, k));
}

/* ---- values of another iteration ---- */

typedef struct Captured {
	Pipeline *p;
	const IrOp *op;
	bool first;
	unsigned k;
} Captured;

static bool compute_captured(void *data, IrOp *inner)
{
	Captured *c = data;
	for (uint32_t i = 0; i < inner->operand_count; i++)
		if (ir_is_defined_outside(ir_operand(inner, i), c->op))
			pipeline_value(c->p, c->first, ir_operand(inner, i), c->k);
	return true;
}

static IrOp *copy_op(Pipeline *p, bool first, IrOp *op, unsigned k)
{
	Captured c = {p, op, first, k};
	if (ir_has_trait(op, TRAIT_NOFX))
		pipeline_exists(p, first, k);
	for (uint32_t i = 0; i < op->operand_count; i++)
		pipeline_value(p, first, ir_operand(op, i), k);
	ir_walk(op, false, compute_captured, &c);
	PipelinePoint *point = point_of(p, first ? p->first : p->ahead, k);
	IrOp *copy = ir_clone(p->m, op, &point->map, NULL, NULL);
	IrBuilder *b = pipeline_builder(p, first);
	if (b->before)
		ir_op_insert_before(copy, b->before);
	else
		ir_op_append(b->block, copy);
	return copy;
}

/* Divisors of iterations that are not there may be 0; not those that no iteration changes, once one
 * is there. */
static void guard_divisor(Pipeline *p, bool first, IrOp *copy, unsigned k)
{
	IrBuilder b = ir_at(p->m, copy);
	IrValue *divisor = ir_operand(copy, 1), *there = pipeline_exists(p, first, k);
	if (ir_constant_of(divisor))
		return;
	IrValue *args[] = {there, divisor, irb_int(&b, divisor->type, 1)};
	ir_operand_set(copy, 1, irb_op(&b, OP_SELECT, args, 3, &divisor->type, 1, 0)->results);
}

IrValue *pipeline_mask(Pipeline *p, bool first, const IrOp *load, unsigned k)
{
	IrBuilder *b = pipeline_builder(p, first);
	IrValue *there = pipeline_exists(p, first, k);
	IrType type = load->results[0].type;
	if (ir_is_tensor(type))
		there = irb_splat(b, there, type);
	return load->operand_count > 1
		       ? irb_2(b, OP_ANDI, NULL, pipeline_value(p, first, ir_operand(load, 1), k), there)
		       : there;
}

/* The load as of iteration k. */
static IrValue *load_at(Pipeline *p, bool first, IrOp *load, unsigned k)
{
	IrOp *copy = copy_op(p, first, load, k);
	IrValue *mask = pipeline_mask(p, first, load, k);
	/* The mask was computed after the copy. */
	ir_op_unlink(copy);
	IrBuilder *b = pipeline_builder(p, first);
	if (b->before)
		ir_op_insert_before(copy, b->before);
	else
		ir_op_append(b->block, copy);
	if (copy->operand_count > 1)
		ir_operand_set(copy, 1, mask);
	else
		ir_operand_add(p->m, copy, mask);
	return &copy->results[0];
}

static IrValue *carry(Pipeline *p, IrValue *of, unsigned k, IrValue *init)
{
	IrValue *arg = ir_block_arg_add(p->m, p->body, of->type, ir_value_loc(of));
	vec_push(p->cx->scratch, &p->carried, (PipelineCarried){of, init, arg, NULL, k});
	return arg;
}

static IrValue *compute_first(Pipeline *p, IrValue *v, unsigned k)
{
	if (v->block)
		return v->index == 0 ? counter_plus(p, &p->before, ir_operand(p->loop, 0), k)
		       : k == 0	     ? ir_operand(p->loop, v->index + 2)
				: pipeline_value(p, true, ir_operand(p->body->last, v->index - 1), k - 1);
	if (v->def->kind == OP_LOAD)
		return load_at(p, true, v->def, k);
	IrOp *copy = copy_op(p, true, v->def, k);
	if (ir_has_trait(v->def, TRAIT_NOFX))
		guard_divisor(p, true, copy, k);
	return ir_mapping_get(&p->first[k]->map, v);
}

static IrValue *compute_ahead(Pipeline *p, IrValue *v, unsigned k)
{
	if (v->block && v->index == 0)
		return counter_plus(p, &p->top, v, k);
	if (v->block && !k)
		return v;
	if (v->block || v->def->kind == OP_LOAD)
		return carry(p, v, k, pipeline_value(p, true, v, k));
	IrOp *copy = copy_op(p, false, v->def, k);
	if (ir_has_trait(v->def, TRAIT_NOFX) && !ir_is_defined_outside(ir_operand(v->def, 1), p->loop))
		guard_divisor(p, false, copy, k);
	return ir_mapping_get(&p->ahead[k]->map, v);
}

IrValue *pipeline_value(Pipeline *p, bool first, IrValue *v, unsigned k)
{
	CONTRACT(v->type);
	PipelinePoint *point = point_of(p, first ? p->first : p->ahead, k);
	if (ir_is_defined_outside(v, p->loop))
		return v;
	ASSERT(v->id < p->values);
	if (point->done[v->id])
		return ir_mapping_get(&point->map, v);
	IrValue *made = first ? compute_first(p, v, k) : compute_ahead(p, v, k);
	point->done[v->id] = 1;
	ir_mapping_put(&point->map, v, made);
	return made;
}

void pipeline_go_on(Pipeline *p)
{
	for (uint32_t i = 0; i < p->carried.len; i++) {
		PipelineCarried c = p->carried.data[i];
		if (!c.next && c.of)
			c.next = c.of->block
					 ? pipeline_value(p, false,
							  ir_operand(p->body->last, c.of->index - 1), c.ahead)
					 : load_at(p, false, c.of->def, c.ahead + 1);
		p->carried.data[i].next = c.next;
	}
}
