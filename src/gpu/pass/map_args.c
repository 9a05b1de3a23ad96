#include "gpu/pass/map_args.h"

#include "gpu/layout/boxes.h"

enum { MOST_MAPS = 16 };

void gpu_map_args_init(GpuMapArgs *args, PassCx *cx, IrOp *func, bool pointers)
{
	const IrBlock *body = ir_func_body(func);
	*args = (GpuMapArgs){.cx = cx, .func = func, .had = body->arg_count, .pointers = pointers};
	for (uint32_t i = 0; i < body->arg_count; i++)
		args->maps += gpu_is_map(body->args[i]->type);
}

IrValue *gpu_map_arg(GpuMapArgs *args, IrType tile, IrSign sign, IrAttr map, IrLoc loc)
{
	GpuCx *gpu = gpu_of(args->cx);
	const Layout *memory = gpu_box_best(gpu, tile);
	if (!map || !memory)
		return NULL;
	IrType held = ir_tensor(gpu->ir, tile->elem, tile->shape, tile->rank, gpu_encoding(gpu, memory));
	IrType type = ir_tensordesc_signed(gpu->ir, held, sign);
	for (uint32_t i = 0; i < args->made.len; i++)
		if (args->made.data[i].type == type && args->made.data[i].map == map)
			return args->made.data[i].arg;
	if (args->maps == MOST_MAPS)
		return NULL;
	args->maps++;
	IrValue *arg = ir_block_arg_add(args->cx->module, ir_func_body(args->func), type, loc);
	vec_push(args->cx->scratch, &args->made, (GpuMapArg){type, map, arg});
	return arg;
}

static IrAttr attributes_of(const GpuMapArgs *args, IrAttr map)
{
	IrCx *ir = gpu_of(args->cx)->ir;
	Sym names[] = {ir->names[ATTR_MAP], ir->names[ATTR_MAP_POINTERS]};
	IrAttr values[] = {map, ir_attr_unit(ir)};
	return ir_attr_dict(ir, names, values, args->pointers ? 2 : 1);
}

void gpu_map_args_describe(const GpuMapArgs *args)
{
	IrCx *ir = gpu_of(args->cx)->ir;
	Arena *arena = args->cx->scratch;
	const IrBlock *body = ir_func_body(args->func);
	IrType old = ir_func_type_of(args->func);
	uint32_t n = body->arg_count;
	IrType *types = ARENA_ARRAY(arena, IrType, n + 1);
	IrAttr *dicts = ARENA_ARRAY(arena, IrAttr, n + 1), given = ir_get(args->func, ir, ATTR_ARG_ATTRS);
	for (uint32_t i = 0; i < n; i++) {
		types[i] = body->args[i]->type;
		dicts[i] = given && i < given->len ? given->items[i] : ir_attr_dict(ir, NULL, NULL, 0);
	}
	for (uint32_t i = 0; i < args->made.len; i++)
		dicts[args->had + i] = attributes_of(args, args->made.data[i].map);
	IrType type = ir_func_type(ir, types, n, old->list + old->split, old->len - old->split);
	ir_set(args->cx->module, args->func, ATTR_FUNCTION_TYPE, ir_attr_type(ir, type));
	ir_set(args->cx->module, args->func, ATTR_ARG_ATTRS, ir_attr_array(ir, dicts, n));
}
