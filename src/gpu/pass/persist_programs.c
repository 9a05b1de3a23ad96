/* persist-programs: a CTA runs several programs of the kernel, one after the other
 * (gpu/loop/persist.h).
 *
 * Needs: TTIR with its loads mapped. Keeps: what each program computes; a kernel whose programs
 * meet stays as it is. The order in which programs run is as little known as before.
 * Method: the body goes into a loop over the programs of this CTA, along axis 0; where programs
 * read other axes, along all of them, in the order of their numbers. What the kernel computes of
 * scalar arguments alone stays in front of the loop; the first program would compute it anyway. */
#include "gpu/gpu.h"
#include "gpu/loop/persist.h"
#include "gpu/remark.h"

typedef struct Persist {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	IrOp *func, *loop;
	IrType i32;
	bool axes;   /* the loop is along all axes */
	bool varies; /* programs take differently long */
	VEC(IrOp *) ids, counts; /* what reads the axes that the loop is along; of counts axis 0 */
} Persist;

enum { AXES = 3 };

static int64_t axis_of(const Persist *p, const IrOp *op)
{
	return ir_get_int(op, p->gpu->ir, ATTR_AXIS, 0);
}

/* Is it the number of a program along an axis that the loop is along? */
static bool is_number(const Persist *p, const IrOp *op)
{
	return op->kind == OP_PROGRAM_ID && (p->axes || axis_of(p, op) == 0);
}

static bool find_reads(void *data, IrOp *op)
{
	Persist *p = data;
	if (is_number(p, op))
		vec_push(p->cx->scratch, &p->ids, op);
	if (op->kind == OP_NUM_PROGRAMS && axis_of(p, op) == 0)
		vec_push(p->cx->scratch, &p->counts, op);
	return true;
}

static IrValue *along(const Persist *p, IrBuilder *b, IrOpKind kind, int64_t axis)
{
	IrValue *v = irb_0(b, kind, p->i32);
	ir_set(p->m, v->def, ATTR_AXIS, ir_attr_i32(p->gpu->ir, axis));
	return v;
}

/* What the loop goes through: from this CTA's number to that of all programs, by that of CTAs. */
typedef struct Round {
	IrValue *cta, *ctas, *programs;
	IrValue *count[AXES]; /* of programs along an axis */
} Round;

static Round round_of(const Persist *p, IrBuilder *b, IrValue *along_0)
{
	Round r = {along(p, b, OP_PROGRAM_ID, 0), along(p, b, OP_NUM_PROGRAMS, 0), along_0, {along_0}};
	IrValue *beside = NULL;
	for (int64_t axis = 1; axis < AXES && p->axes; axis++) {
		IrValue *count = r.count[axis] = along(p, b, OP_NUM_PROGRAMS, axis);
		IrValue *past = irb_2(b, OP_MULI, NULL, r.ctas, along(p, b, OP_PROGRAM_ID, axis));
		r.cta = irb_2(b, OP_ADDI, NULL, r.cta, past);
		r.ctas = irb_2(b, OP_MULI, NULL, r.ctas, count);
		beside = beside ? irb_2(b, OP_MULI, NULL, beside, count) : count;
	}
	if (beside)
		r.programs = irb_2(b, OP_MULI, NULL, along_0, beside);
	return r;
}

/* The argument behind the others, and the function's type with it. */
static IrValue *add_argument(const Persist *p)
{
	IrCx *ir = p->gpu->ir;
	IrBlock *body = ir_func_body(p->func);
	IrType old = ir_func_type_of(p->func);
	IrAttr given = ir_get(p->func, ir, ATTR_ARG_ATTRS);
	IrValue *arg = ir_block_arg_add(p->m, body, p->i32, p->func->loc);
	uint32_t n = body->arg_count;
	IrType *types = ARENA_ARRAY(p->cx->scratch, IrType, n);
	IrAttr *dicts = ARENA_ARRAY(p->cx->scratch, IrAttr, n), mark = ir_attr_unit(ir);
	for (uint32_t i = 0; i < n; i++) {
		types[i] = body->args[i]->type;
		dicts[i] = given && i < given->len ? given->items[i] : ir_attr_dict(ir, NULL, NULL, 0);
	}
	dicts[n - 1] = ir_attr_dict(ir, &ir->names[ATTR_PROGRAMS], &mark, 1);
	IrType type = ir_func_type(ir, types, n, old->list + old->split, old->len - old->split);
	ir_set(p->m, p->func, ATTR_FUNCTION_TYPE, ir_attr_type(ir, type));
	ir_set(p->m, p->func, ATTR_ARG_ATTRS, ir_attr_array(ir, dicts, n));
	return arg;
}

/* No step past the end from the first program: a grid near 2^31 does not make it overflow. */
static IrValue *step_of(IrBuilder *b, const Round *r)
{
	IrValue *left = irb_2(b, OP_SUBI, NULL, r->programs, r->cta);
	return irb_2(b, OP_MINSI, NULL, r->ctas, left);
}

/* Every second round of all CTAs goes backwards: who had a long program has a short one then. */
static IrValue *there_and_back(const Persist *p, IrBuilder *b, const Round *r, IrValue *at)
{
	IrValue *one = irb_int(b, p->i32, 1), *first = irb_2(b, OP_SUBI, NULL, at, r->cta);
	IrValue *next = irb_2(b, OP_ADDI, NULL, first, r->ctas);
	IrValue *odd = irb_2(b, OP_ANDI, NULL, irb_2(b, OP_DIVUI, NULL, first, r->ctas), one);
	IrValue *back = irb_2(b, OP_ANDI, NULL, irb_cmpi(b, CMPI_NE, odd, irb_int(b, p->i32, 0)),
			      irb_cmpi(b, CMPI_ULE, next, r->programs));
	IrValue *mirrored = irb_2(b, OP_SUBI, NULL, irb_2(b, OP_SUBI, NULL, next, one), r->cta);
	IrValue *args[] = {back, mirrored, at};
	return irb_op(b, OP_SELECT, args, 3, &p->i32, 1, 0)->results;
}

/* The program of a number, along each axis. */
static void number_programs(const Persist *p, IrBuilder *b, const Round *r, IrValue *at,
			    IrValue *number[AXES])
{
	if (p->axes && p->varies)
		at = there_and_back(p, b, r, at);
	for (unsigned axis = 0; axis < AXES; axis++) {
		bool last = axis == AXES - 1;
		number[axis] = !p->axes || last ? at : irb_2(b, OP_REMUI, NULL, at, r->count[axis]);
		at = !p->axes || last ? at : irb_2(b, OP_DIVUI, NULL, at, r->count[axis]);
	}
}

static bool stays_in_front(const Persist *p, const IrOp *op, const IrOp *loop)
{
	bool stays = op->result_count && ir_constant_of(&op->results[0]);
	unsigned effects = TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC | TRAIT_TERM;
	if (stays || op->region_count || ir_has_trait(op, effects))
		return stays;
	if (!op->result_count || !ir_is_scalar(op->results[0].type) || is_number(p, op))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!ir_is_defined_outside(ir_operand(op, i), loop))
			return false;
	return true;
}

static void fill(const Persist *p, IrOp *loop, IrOp *first, const Round *r)
{
	IrBlock *body = ir_block_new(p->m, &loop->regions[0]);
	IrValue *program = ir_block_arg_add(p->m, body, p->i32, p->func->loc);
	for (IrOp *op = first, *next; op != loop; op = next) {
		next = op->next;
		ir_op_unlink(op);
		ir_op_append(body, op);
	}
	IrBuilder top = ir_at(p->m, body->first);
	IrValue *number[AXES];
	top.loc = loop->loc;
	number_programs(p, &top, r, program, number);
	for (uint32_t i = 0; i < p->ids.len; i++) {
		ir_replace_uses(&p->ids.data[i]->results[0], number[axis_of(p, p->ids.data[i])]);
		ir_op_erase(p->ids.data[i]);
	}
	for (IrOp *op = body->first, *next; op; op = next) {
		next = op->next;
		if (!stays_in_front(p, op, loop))
			continue;
		ir_op_unlink(op);
		ir_op_insert_before(op, loop);
	}
	IrBuilder b = ir_at_end(p->m, body, p->func->loc);
	irb_op(&b, OP_YIELD, NULL, 0, NULL, 0, 0);
}

static void wrap(Persist *p)
{
	IrCx *ir = p->gpu->ir;
	IrBlock *body = ir_func_body(p->func);
	IrOp *first = body->first, *end = ir_terminator(body);
	ir_walk(p->func, false, find_reads, p);
	IrValue *programs = add_argument(p);
	for (uint32_t i = 0; i < p->counts.len; i++) {
		ir_replace_uses(&p->counts.data[i]->results[0], programs);
		first = first == p->counts.data[i] ? first->next : first;
		ir_op_erase(p->counts.data[i]);
	}
	IrBuilder b = ir_at(p->m, end);
	b.loc = p->loop->loc;
	IrBuilder front = ir_at(p->m, first);
	front.loc = p->loop->loc;
	Round r = round_of(p, &front, programs);
	IrValue *bounds[] = {r.cta, r.programs, step_of(&front, &r)};
	IrOp *loop = irb_op(&b, OP_FOR, bounds, 3, NULL, 0, 1);
	ir_set(p->m, loop, ATTR_PROGRAMS, ir_attr_unit(ir));
	ir_set(p->m, loop, ATTR_FLATTEN, ir_attr_unit(ir));
	fill(p, loop, first, &r);
}

static bool persist_function(PassCx *cx, IrOp *func)
{
	GpuCx *gpu = gpu_of(cx);
	GpuPersistPlan plan = gpu_persist_plan(gpu, cx->module, cx->scratch, func);
	if (!plan.loop)
		return false;
	const char *why = plan.why;
	if (!why && gpu->persist != GPU_PERSIST_ALL)
		why = gpu_persist_loses(&plan);
	if (!why && gpu->persist == GPU_PERSIST_TELLING) {
		gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_PERSISTENT_MANY);
		ir_set(cx->module, func, ATTR_PROGRAMS, ir_attr_unit(gpu->ir));
		return true;
	}
	if (why) {
		if (gpu->persist != GPU_PERSIST_TELLING)
			gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_PERSISTENT_NOT, why);
		return false;
	}
	gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_PERSISTENT);
	Persist p = {.cx = cx, .gpu = gpu, .m = cx->module, .func = func, .loop = plan.loop};
	p.axes = plan.axes;
	p.varies = plan.varies;
	p.i32 = ir_scalar(gpu->ir, TY_I32);
	wrap(&p);
	return true;
}

bool pass_persist_programs(PassCx *cx, bool *changed)
{
	const GpuCx *gpu = gpu_of(cx);
	for (IrOp *func = ir_module_block(cx->module)->first; func && gpu->persist; func = func->next)
		if (func->kind == OP_FUNC && ir_func_body(func) && ir_func_is_public(func, gpu->ir))
			*changed = persist_function(cx, func) || *changed;
	return true;
}
