/* persist-programs: a CTA runs several programs of the kernel, one after the other
 * (gpu/loop/persist.h).
 *
 * Needs: TTIR with its loads mapped. Keeps: what each program computes; a kernel whose programs
 * meet stays as it is. The order in which programs run is as little known as before.
 * Method: the body goes into a loop over the programs of this CTA: along axis 0, or, where programs
 * read other axes too, along all of them, the first one fastest. What the kernel computes of scalar
 * arguments alone stays in front of the loop; the first program would compute it anyway. */
#include "gpu/gpu.h"
#include "gpu/loop/persist.h"
#include "gpu/remark.h"

typedef struct Persist {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	IrOp *func, *loop;
	IrType i32;
	bool axes;               /* programs read other axes than 0 */
	bool varies;             /* they take differently long */
	VEC(IrOp *) ids, counts; /* what reads axis 0 of the grid */
	VEC(IrOp *) others;      /* ids along the other axes, where that matters */
} Persist;

/* The loop's numbers. Along all axes they are those of programs counted along axis 0 first, or, in
 * a grid whose CTAs are programs, of axis 0; `at`: what is added along axes 1 and 2 then. */
typedef struct Programs {
	IrValue *from, *to, *step;
	IrValue *along, *beside, *at[2]; /* programs along axes 0 and 1 */
} Programs;

static bool reads_axis_0(const Persist *p, const IrOp *op, IrOpKind kind)
{
	return op->kind == kind && ir_get_int(op, p->gpu->ir, ATTR_AXIS, 0) == 0;
}

static bool find_reads(void *data, IrOp *op)
{
	Persist *p = data;
	if (reads_axis_0(p, op, OP_PROGRAM_ID))
		vec_push(p->cx->scratch, &p->ids, op);
	else if (op->kind == OP_PROGRAM_ID && p->axes)
		vec_push(p->cx->scratch, &p->others, op);
	if (reads_axis_0(p, op, OP_NUM_PROGRAMS))
		vec_push(p->cx->scratch, &p->counts, op);
	return true;
}

static IrValue *along_axis(const Persist *p, IrBuilder *b, IrOpKind kind, int axis)
{
	IrValue *v = irb_0(b, kind, p->i32);
	ir_set(p->m, v->def, ATTR_AXIS, ir_attr_i32(p->gpu->ir, axis));
	return v;
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

static IrValue *either(const Persist *p, IrBuilder *b, IrValue *cond, IrValue *yes, IrValue *no)
{
	return irb_op(b, OP_SELECT, (IrValue *[]){cond, yes, no}, 3, &p->i32, 1, 0)->results;
}

/* Along all axes: the grid has CTAs along axis 0 and programs along the others. As many CTAs as
 * programs there may be too many for a number of 32 bits; then each has its own. */
static void over_all_axes(const Persist *p, IrBuilder *b, Programs *out)
{
	IrValue *x = along_axis(p, b, OP_PROGRAM_ID, 0), *ctas = along_axis(p, b, OP_NUM_PROGRAMS, 0);
	IrValue *y = along_axis(p, b, OP_PROGRAM_ID, 1), *z = along_axis(p, b, OP_PROGRAM_ID, 2);
	IrValue *rows = along_axis(p, b, OP_NUM_PROGRAMS, 1);
	IrValue *one = irb_int(b, p->i32, 1), *zero = irb_int(b, p->i32, 0);
	IrValue *own = irb_cmpi(b, CMPI_EQ, ctas, out->along);
	IrValue *beside = irb_2(b, OP_MULI, NULL, rows, along_axis(p, b, OP_NUM_PROGRAMS, 2));
	IrValue *line = irb_2(b, OP_ADDI, NULL, y, irb_2(b, OP_MULI, NULL, rows, z));
	IrValue *number = irb_2(b, OP_ADDI, NULL, x, irb_2(b, OP_MULI, NULL, ctas, line));
	out->from = either(p, b, own, x, number);
	IrValue *all = irb_2(b, OP_MULI, NULL, out->along, beside);
	out->to = either(p, b, own, irb_2(b, OP_ADDI, NULL, x, one), all);
	out->step = either(p, b, own, one, irb_2(b, OP_MULI, NULL, ctas, beside));
	out->beside = rows;
	out->at[0] = either(p, b, own, y, zero);
	out->at[1] = either(p, b, own, z, zero);
}

/* No step past the end from the first program: a grid near 2^31 does not make it overflow. */
static void find_programs(const Persist *p, IrBuilder *b, Programs *out)
{
	if (p->axes) {
		over_all_axes(p, b, out);
	} else {
		out->from = along_axis(p, b, OP_PROGRAM_ID, 0);
		out->to = out->along;
		out->step = along_axis(p, b, OP_NUM_PROGRAMS, 0);
	}
	out->step = irb_2(b, OP_MINSI, NULL, out->step, irb_2(b, OP_SUBI, NULL, out->to, out->from));
}

/* Every second round of all CTAs goes backwards: who had a long program has a short one then. */
static IrValue *there_and_back(const Persist *p, IrBuilder *b, const Programs *all, IrValue *program)
{
	IrValue *one = irb_int(b, p->i32, 1), *zero = irb_int(b, p->i32, 0);
	IrValue *before = irb_2(b, OP_SUBI, NULL, program, all->from); /* those of earlier rounds */
	IrValue *behind = irb_2(b, OP_ADDI, NULL, before, all->step);
	IrValue *odd = irb_2(b, OP_ANDI, NULL, irb_2(b, OP_DIVUI, NULL, before, all->step), one);
	IrValue *back = irb_2(b, OP_ANDI, NULL, irb_cmpi(b, CMPI_NE, odd, zero),
			      irb_cmpi(b, CMPI_ULE, behind, all->to));
	IrValue *last = irb_2(b, OP_SUBI, NULL, behind, one);
	return either(p, b, back, irb_2(b, OP_SUBI, NULL, last, all->from), program);
}

/* Where a program is along each axis. */
static void find_places(const Persist *p, IrBuilder *b, const Programs *all, IrValue *program,
			IrValue **out)
{
	out[0] = program;
	if (!p->axes)
		return;
	if (p->varies)
		program = there_and_back(p, b, all, program);
	IrValue *line = irb_2(b, OP_DIVUI, NULL, program, all->along);
	out[0] = irb_2(b, OP_REMUI, NULL, program, all->along);
	out[1] = irb_2(b, OP_ADDI, NULL, irb_2(b, OP_REMUI, NULL, line, all->beside), all->at[0]);
	out[2] = irb_2(b, OP_ADDI, NULL, irb_2(b, OP_DIVUI, NULL, line, all->beside), all->at[1]);
}

static bool stays_in_front(const Persist *p, const IrOp *op, const IrOp *loop)
{
	bool stays = op->result_count && ir_constant_of(&op->results[0]);
	unsigned effects = TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC | TRAIT_TERM;
	if (stays || op->region_count || ir_has_trait(op, effects))
		return stays;
	if (!op->result_count || !ir_is_scalar(op->results[0].type) || reads_axis_0(p, op, OP_PROGRAM_ID))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!ir_is_defined_outside(ir_operand(op, i), loop))
			return false;
	return true;
}

static void fill(const Persist *p, const Programs *all, IrOp *loop, IrOp *first)
{
	IrBlock *body = ir_block_new(p->m, &loop->regions[0]);
	IrValue *program = ir_block_arg_add(p->m, body, p->i32, p->func->loc);
	for (IrOp *op = first, *next; op != loop; op = next) {
		next = op->next;
		ir_op_unlink(op);
		ir_op_append(body, op);
	}
	IrValue *at[3];
	IrBuilder top = ir_at(p->m, body->first);
	top.loc = p->loop->loc;
	find_places(p, &top, all, program, at);
	for (uint32_t i = 0; i < p->ids.len; i++) {
		ir_replace_uses(&p->ids.data[i]->results[0], at[0]);
		ir_op_erase(p->ids.data[i]);
	}
	for (uint32_t i = 0; i < p->others.len; i++) {
		IrOp *id = p->others.data[i];
		ir_replace_uses(&id->results[0], at[ir_get_int(id, p->gpu->ir, ATTR_AXIS, 0)]);
		ir_op_erase(id);
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
	Programs all = {.along = programs};
	find_programs(p, &front, &all);
	IrOp *loop = irb_op(&b, OP_FOR, (IrValue *[]){all.from, all.to, all.step}, 3, NULL, 0, 1);
	ir_set(p->m, loop, ATTR_PROGRAMS, ir_attr_unit(ir));
	ir_set(p->m, loop, ATTR_FLATTEN, ir_attr_unit(ir));
	fill(p, &all, loop, first);
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
