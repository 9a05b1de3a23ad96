/* convert-ttir-to-ttgir: every tile gets a layout.
 *
 * Needs: a verified module without layouts. Keeps: what each op computes. Gives: a module of
 * LEVEL_G that says its warps, CTAs and target. Method: all tiles of a shape get the default
 * layout of that shape, so elementwise ops, control flow and calls agree by themselves. Ops that
 * tie layouts of different shapes together (reductions, expand_dims, ...) work in the layout that
 * follows, with conversions before or after. Later passes find better ones. */
#include "gpu/gpu.h"

typedef struct Converter {
	PassCx *cx;
	GpuCx *gpu;
} Converter;

IrValue *gpu_convert(GpuCx *cx, IrBuilder *b, IrValue *value, const Layout *layout)
{
	IrType type = gpu_with_layout(cx, value->type, layout);
	return type == value->type ? value : irb_1(b, OP_CONVERT_LAYOUT, type, value);
}

bool gpu_convert_result(GpuCx *cx, IrModule *module, IrOp *op, IrValue *result, const Layout *layout)
{
	IrType old = result->type, type = gpu_with_layout(cx, old, layout);
	if (type == old)
		return false;
	result->type = type;
	if (!result->uses)
		return true;
	IrBuilder b = ir_at_end(module, op->block, op->loc);
	b.before = op->next;
	IrOp *convert = irb_op(&b, OP_CONVERT_LAYOUT, (IrValue *[]){NULL}, 1, &old, 1, 0);
	ir_replace_uses(result, &convert->results[0]);
	ir_operand_set(convert, 0, result);
	return true;
}

static IrType usual_type(Converter *c, IrType type)
{
	if (!ir_is_tensor(type) || type->encoding)
		return type;
	return gpu_with_layout(c->gpu, type,
			       gpu_default_layout(c->gpu, type->shape, type->rank, c->gpu->num_warps));
}

/* ---- types ---- */

static void type_func(Converter *c, IrOp *func)
{
	IrCx *ir = c->gpu->ir;
	IrType old = ir_func_type_of(func);
	IrType *list = ARENA_ARRAY(c->cx->scratch, IrType, old->len + 1);
	for (uint32_t i = 0; i < old->len; i++)
		list[i] = usual_type(c, old->list[i]);
	IrType type = ir_func_type(ir, list, old->split, list + old->split, old->len - old->split);
	ir_set(c->cx->module, func, ATTR_FUNCTION_TYPE, ir_attr_type(ir, type));
}

/* Dense constants carry their type in the attribute. */
static void type_constant(Converter *c, IrOp *op)
{
	IrCx *ir = c->gpu->ir;
	IrAttr value = ir_get(op, ir, ATTR_VALUE);
	if (!value || value->kind != ATTR_KIND_DENSE)
		return;
	IrType type = op->results[0].type;
	value = value->splat ? ir_attr_splat(ir, type, value->words[0])
			     : ir_attr_dense(ir, type, value->words, value->len);
	ir_set(c->cx->module, op, ATTR_VALUE, value);
}

static bool type_op(void *data, IrOp *op)
{
	Converter *c = data;
	for (uint32_t i = 0; i < op->result_count; i++)
		op->results[i].type = usual_type(c, op->results[i].type);
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			for (uint32_t i = 0; i < b->arg_count; i++)
				b->args[i]->type = usual_type(c, b->args[i]->type);
	if (op->kind == OP_FUNC)
		type_func(c, op);
	else if (op->kind == OP_CONSTANT)
		type_constant(c, op);
	return true;
}

/* ---- ties ---- */

static void want_operand(Converter *c, IrOp *op, uint32_t i, const Layout *layout)
{
	IrBuilder b = ir_at(c->cx->module, op);
	if (layout)
		ir_operand_set(op, i, gpu_convert(c->gpu, &b, ir_operand(op, i), layout));
}

static bool tie_op(void *data, IrOp *op)
{
	Converter *c = data;
	GpuCx *gpu = c->gpu;
	const GpuTie *tie = gpu_tie(op);
	if (tie->follows)
		want_operand(c, op, 0, gpu_infer_operand(gpu, op, 0, gpu_layout(gpu, op->results[0].type)));
	for (uint32_t i = 0; i < op->result_count && tie->result && !tie->follows; i++)
		if (ir_is_tensor(op->results[i].type))
			gpu_convert_result(
				gpu, c->cx->module, op, &op->results[i],
				gpu_infer_result(gpu, op, i, 0, gpu_layout(gpu, ir_operand(op, 0)->type)));
	return true;
}

/* ---- the module ---- */

static void describe_module(Converter *c)
{
	IrModule *m = c->cx->module;
	GpuCx *gpu = c->gpu;
	ir_set(m, m->op, ATTR_MODULE_WARPS, ir_attr_i32(gpu->ir, gpu->num_warps));
	ir_set(m, m->op, ATTR_MODULE_CTAS, ir_attr_i32(gpu->ir, gpu->num_ctas));
	if (gpu->cluster > 1)
		ir_set(m, m->op, ATTR_MODULE_CLUSTER, ir_attr_i32(gpu->ir, gpu->cluster));
	ir_set(m, m->op, ATTR_MODULE_THREADS, ir_attr_i32(gpu->ir, TARGET_WARP_SIZE));
	const char *target = arena_printf(c->cx->scratch, "cuda:%u", gpu->target->capability);
	ir_set(m, m->op, ATTR_MODULE_TARGET, ir_attr_string(gpu->ir, str_of(target)));
}

/* Those of the source, before passes add others. */
static bool mark_barrier(void *data, IrOp *op)
{
	Converter *c = data;
	if (op->kind == OP_BARRIER)
		ir_set(c->cx->module, op, ATTR_GLOBAL, ir_attr_unit(c->gpu->ir));
	return true;
}

bool pass_convert_ttir_to_ttgir(PassCx *cx, bool *changed)
{
	Converter c = {.cx = cx, .gpu = gpu_of(cx)};
	if (!gpu_check_counts(c.gpu, cx->module, cx->diags))
		return false;
	ir_walk(cx->module->op, false, type_op, &c);
	ir_walk(cx->module->op, false, tie_op, &c);
	ir_walk(cx->module->op, false, mark_barrier, &c);
	describe_module(&c);
	*changed = true;
	return true;
}
