/* persist-programs: makes a kernel persistent: a CTA runs several programs, one after the other
 * (gpu/loop/persist.h).
 *
 * Needs: TTIR with its loads mapped. Keeps: what each program computes; a kernel whose programs
 * communicate is left alone. The order in which programs run is unspecified, as before. Method:
 * wrap the body in a loop over the programs of this CTA: along axis 0, or, where programs read
 * other axes too, along all of them with the first one fastest. What depends on scalar arguments
 * alone is hoisted in front of the loop; the first program would compute it anyway.
 *
 * Programs of different duration are dealt in rounds over all CTAs, every second round backwards.
 * This balances the load where neighbours in the order take similar time. So where programs are
 * known to take longer along axis 0, they are ordered along it, within groups of lines (programs
 * that differ in axis 0 alone): of two groups one ascends and one descends, and the last one ends
 * with the short programs, as its last round may be partial. Some programs of a line run at the
 * same time, because they read the same data. */
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
	int rises;               /* GpuPersistPlan.rises */
	VEC(IrOp *) ids, counts; /* what reads the grid along axis 0, or along all */
} Persist;

/* The loop's numbers. Along all axes they are those of programs counted along axis 0 first, or, in
 * a grid whose CTAs are programs, of axis 0; `at`: what is added along axes 1 and 2 then. */
typedef struct Programs {
	IrValue *from, *to, *step;
	IrValue *along, *beside, *at[2]; /* programs along axes 0 and 1 */
	IrValue *lines;                  /* programs along the other axes: of the order, at least 1 */
	IrValue *counts[3];              /* programs along each axis, as the launch tells them */
	IrValue *last, *lines_each, *each, *lines_last; /* the last group; lines and programs of a group */
} Programs;

static int64_t axis_of(const Persist *p, const IrOp *op)
{
	return ir_get_int(op, p->gpu->ir, ATTR_AXIS, 0);
}

/* Does it read the grid where its CTAs are no programs? */
static bool reads_grid(const Persist *p, const IrOp *op, IrOpKind kind)
{
	return op->kind == kind && (p->axes || axis_of(p, op) == 0);
}

static bool find_reads(void *data, IrOp *op)
{
	Persist *p = data;
	if (reads_grid(p, op, OP_PROGRAM_ID))
		vec_push(p->cx->scratch, &p->ids, op);
	if (reads_grid(p, op, OP_NUM_PROGRAMS))
		vec_push(p->cx->scratch, &p->counts, op);
	return true;
}

static IrValue *along_axis(const Persist *p, IrBuilder *b, IrOpKind kind, int axis)
{
	IrValue *v = irb_0(b, kind, p->i32);
	ir_set(p->m, v->def, ATTR_AXIS, ir_attr_i32(p->gpu->ir, axis));
	return v;
}

/* Arguments behind the others, and the function's type with them. */
static void add_arguments(const Persist *p, unsigned count, IrValue **out)
{
	IrCx *ir = p->gpu->ir;
	IrBlock *body = ir_func_body(p->func);
	IrType old = ir_func_type_of(p->func);
	IrAttr given = ir_get(p->func, ir, ATTR_ARG_ATTRS);
	for (unsigned i = 0; i < count; i++)
		out[i] = ir_block_arg_add(p->m, body, p->i32, p->func->loc);
	uint32_t n = body->arg_count;
	IrType *types = ARENA_ARRAY(p->cx->scratch, IrType, n);
	IrAttr *dicts = ARENA_ARRAY(p->cx->scratch, IrAttr, n), mark = ir_attr_unit(ir);
	for (uint32_t i = 0; i < n; i++) {
		types[i] = body->args[i]->type;
		dicts[i] = given && i < given->len ? given->items[i] : ir_attr_dict(ir, NULL, NULL, 0);
	}
	for (unsigned i = 0; i < count; i++)
		dicts[n - 1 - i] = ir_attr_dict(ir, &ir->names[ATTR_PROGRAMS], &mark, 1);
	IrType type = ir_func_type(ir, types, n, old->list + old->split, old->len - old->split);
	ir_set(p->m, p->func, ATTR_FUNCTION_TYPE, ir_attr_type(ir, type));
	ir_set(p->m, p->func, ATTR_ARG_ATTRS, ir_attr_array(ir, dicts, n));
}

static IrValue *either(const Persist *p, IrBuilder *b, IrValue *cond, IrValue *yes, IrValue *no)
{
	return irb_op(b, OP_SELECT, (IrValue *[]){cond, yes, no}, 3, &p->i32, 1, 0)->results;
}

/* Along all axes: the grid has CTAs along axis 0 alone. A grid with others is that of the programs,
 * which may be too many for a number of 32 bits; then each CTA has its own. */
static void over_all_axes(const Persist *p, IrBuilder *b, Programs *out)
{
	IrValue *x = along_axis(p, b, OP_PROGRAM_ID, 0), *ctas = along_axis(p, b, OP_NUM_PROGRAMS, 0);
	IrValue *y = along_axis(p, b, OP_PROGRAM_ID, 1), *z = along_axis(p, b, OP_PROGRAM_ID, 2);
	IrValue *one = irb_int(b, p->i32, 1), *zero = irb_int(b, p->i32, 0);
	IrValue *others = irb_2(b, OP_MULI, NULL, along_axis(p, b, OP_NUM_PROGRAMS, 1),
				along_axis(p, b, OP_NUM_PROGRAMS, 2));
	IrValue *own = irb_cmpi(b, CMPI_NE, others, one);
	IrValue *lines = irb_2(b, OP_MULI, NULL, out->counts[1], out->counts[2]);
	IrValue *all = irb_2(b, OP_MULI, NULL, out->along, lines);
	out->from = x;
	out->to = either(p, b, own, irb_2(b, OP_ADDI, NULL, x, one), all);
	out->step = either(p, b, own, one, ctas);
	out->lines = either(p, b, own, one, lines);
	out->beside = out->counts[1];
	out->at[0] = either(p, b, own, y, zero);
	out->at[1] = either(p, b, own, z, zero);
}

/* How lines are grouped (see above): as many programs as four rounds of an H200 have, or more. A
 * group's tiles fit into its L2, 64 KB each, or its programs share them. */
static void find_groups(const Persist *p, IrBuilder *b, Programs *out)
{
	enum { PROGRAMS_SHIFT = 9, LINES_SHIFT = 4 };
	IrValue *one = irb_int(b, p->i32, 1);
	IrValue *all = irb_2(b, OP_MULI, NULL, out->along, out->lines);
	IrValue *by_programs = irb_2(b, OP_SHRUI, NULL, all, irb_int(b, p->i32, PROGRAMS_SHIFT));
	IrValue *by_lines = irb_2(b, OP_SHRUI, NULL, out->lines, irb_int(b, p->i32, LINES_SHIFT));
	IrValue *count = irb_2(b, OP_MINSI, NULL, by_programs, by_lines);
	count = irb_2(b, OP_MAXSI, NULL, count, one);
	out->last = irb_2(b, OP_SUBI, NULL, count, one);
	out->lines_each = irb_2(b, OP_DIVUI, NULL, out->lines, count);
	out->each = irb_2(b, OP_MULI, NULL, out->along, out->lines_each);
	IrValue *before = irb_2(b, OP_MULI, NULL, out->last, out->lines_each);
	out->lines_last = irb_2(b, OP_SUBI, NULL, out->lines, before);
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
	if (p->axes && p->rises)
		find_groups(p, b, out);
}

/* Every second round of all CTAs goes backwards, the last one too, which may not be full: who had a
 * long program has a short one then. */
static IrValue *there_and_back(const Persist *p, IrBuilder *b, const Programs *all, IrValue *program)
{
	IrValue *one = irb_int(b, p->i32, 1), *zero = irb_int(b, p->i32, 0);
	IrValue *before = irb_2(b, OP_SUBI, NULL, program, all->from); /* those of earlier rounds */
	IrValue *behind = irb_2(b, OP_ADDI, NULL, before, all->step);
	IrValue *odd = irb_2(b, OP_ANDI, NULL, irb_2(b, OP_DIVUI, NULL, before, all->step), one);
	IrValue *last = irb_2(b, OP_SUBI, NULL, irb_2(b, OP_MINUI, NULL, behind, all->to), one);
	IrValue *back = irb_cmpi(b, CMPI_NE, odd, zero);
	return either(p, b, back, irb_2(b, OP_SUBI, NULL, last, all->from), program);
}

/* The line and the place in it of what stands at `number` of the order of groups. */
static void find_in_groups(const Persist *p, IrBuilder *b, const Programs *all, IrValue *number,
			   IrValue **line, IrValue **place)
{
	IrValue *one = irb_int(b, p->i32, 1), *zero = irb_int(b, p->i32, 0);
	IrValue *group = irb_2(b, OP_MINSI, NULL, irb_2(b, OP_DIVUI, NULL, number, all->each), all->last);
	IrValue *in = irb_2(b, OP_SUBI, NULL, number, irb_2(b, OP_MULI, NULL, group, all->each));
	IrValue *is_last = irb_cmpi(b, CMPI_EQ, group, all->last);
	IrValue *lines = either(p, b, is_last, all->lines_last, all->lines_each);
	IrValue *from_end = irb_2(b, OP_SUBI, NULL, all->last, group);
	IrValue *odd = irb_cmpi(b, CMPI_NE, irb_2(b, OP_ANDI, NULL, from_end, one), zero);
	IrValue *up = irb_2(b, OP_DIVUI, NULL, in, lines);
	IrValue *down = irb_2(b, OP_SUBI, NULL, irb_2(b, OP_SUBI, NULL, all->along, one), up);
	*place = p->rises > 0 ? either(p, b, odd, up, down) : either(p, b, odd, down, up);
	*line = irb_2(b, OP_ADDI, NULL, irb_2(b, OP_MULI, NULL, group, all->lines_each),
		      irb_2(b, OP_REMUI, NULL, in, lines));
}

/* Where a program is along each axis. */
static void find_places(const Persist *p, IrBuilder *b, const Programs *all, IrValue *program,
			IrValue **out)
{
	if (p->varies)
		program = there_and_back(p, b, all, program);
	out[0] = program;
	if (!p->axes)
		return;
	IrValue *line = NULL;
	if (p->rises) {
		find_in_groups(p, b, all, program, &line, &out[0]);
	} else {
		line = irb_2(b, OP_DIVUI, NULL, program, all->along);
		out[0] = irb_2(b, OP_REMUI, NULL, program, all->along);
	}
	out[1] = irb_2(b, OP_ADDI, NULL, irb_2(b, OP_REMUI, NULL, line, all->beside), all->at[0]);
	out[2] = irb_2(b, OP_ADDI, NULL, irb_2(b, OP_DIVUI, NULL, line, all->beside), all->at[1]);
}

static bool stays_in_front(const Persist *p, const IrOp *op, const IrOp *loop)
{
	bool stays = op->result_count && ir_constant_of(&op->results[0]);
	unsigned effects = TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC | TRAIT_TERM;
	if (stays || op->region_count || ir_has_trait(op, effects))
		return stays;
	if (!op->result_count || !ir_is_scalar(op->results[0].type) || reads_grid(p, op, OP_PROGRAM_ID))
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
		IrOp *id = p->ids.data[i];
		ir_replace_uses(&id->results[0], at[axis_of(p, id)]);
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
	Programs all = {0};
	add_arguments(p, p->axes ? 3 : 1, all.counts);
	all.along = all.counts[0];
	for (uint32_t i = 0; i < p->counts.len; i++) {
		IrOp *count = p->counts.data[i];
		ir_replace_uses(&count->results[0], all.counts[axis_of(p, count)]);
		first = first == count ? first->next : first;
		ir_op_erase(count);
	}
	IrBuilder b = ir_at(p->m, end);
	b.loc = p->loop->loc;
	IrBuilder front = ir_at(p->m, first);
	front.loc = p->loop->loc;
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
	if (!why && plan.varies && !(plan.axes && plan.rises))
		ir_set(cx->module, func, ATTR_UNEVEN, ir_attr_unit(gpu->ir));
	if (!why && gpu->persist == GPU_PERSIST_TELLING) {
		gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_PERSISTENT_MANY);
		ir_set(cx->module, func, ATTR_PROGRAMS, ir_attr_unit(gpu->ir));
		return true;
	}
	bool shares = gpu->by_number && gpu_persist_shares(&plan);
	if (shares) {
		if (gpu->persist == GPU_PERSIST_TELLING)
			gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_ALONE);
		ir_set(cx->module, func, ATTR_PROGRAMS, ir_attr_unit(gpu->ir));
	}
	if (why) {
		if (gpu->persist != GPU_PERSIST_TELLING)
			gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_PERSISTENT_NOT, why);
		return shares;
	}
	gpu_remark_of(gpu, plan.loop, NULL, REMARK_LOOP_PERSISTENT);
	Persist p = {.cx = cx, .gpu = gpu, .m = cx->module, .func = func, .loop = plan.loop};
	p.axes = plan.axes;
	p.varies = plan.varies;
	p.rises = plan.rises;
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
