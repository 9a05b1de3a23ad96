/* IR text as ops: numbers, types and attributes of each. */
#include "api/inner.h"

#include "ir/text/text.h"

static neso_ir_value value_of(Arena *arena, const IrValue *value)
{
	return (neso_ir_value){value->id, ir_type_text(arena, value->type)};
}

static const char *printed(Arena *arena, IrAttr attr)
{
	Text text;
	text_init(&text, arena);
	ir_print_attr(&text, attr);
	return text.data;
}

static neso_ir_attribute attribute_of(Arena *arena, const IrNamedAttr *named)
{
	IrAttr attr = named->value;
	neso_ir_attribute out = {.name = named->name, .kind = NESO_IR_OTHER};
	switch (attr->kind) {
	case ATTR_KIND_STRING:
	case ATTR_KIND_SYMBOL: out.kind = NESO_IR_TEXT; break;
	case ATTR_KIND_UNIT:
	case ATTR_KIND_BOOL: out.kind = NESO_IR_BOOL; break;
	case ATTR_KIND_INT: out.kind = NESO_IR_INT; break;
	default: break;
	}
	out.text = out.kind == NESO_IR_TEXT ? attr->text : printed(arena, attr);
	out.i = attr->kind == ATTR_KIND_UNIT ? 1 : out.kind == NESO_IR_BOOL || out.kind == NESO_IR_INT ? attr->i : 0;
	return out;
}

static uint32_t line_of(const IrOp *op)
{
	IrLoc place = ir_loc_position(op->loc);
	return place ? place->line : 0;
}

typedef struct WalkArgs {
	neso_context *context;
	const char *path, *text;
	size_t length;
	neso_ir_op_fn *each;
	void *data;
} WalkArgs;

static void show(void *data, const JitIrOp *shown)
{
	const WalkArgs *args = data;
	const IrOp *op = shown->op;
	Arena *arena = shown->arena;
	const IrBlock *block = op->block;
	uint32_t arguments = block ? block->arg_count : 0;
	neso_ir_value *operands = ARENA_ARRAY(arena, neso_ir_value, op->operand_count + 1);
	neso_ir_value *results = ARENA_ARRAY(arena, neso_ir_value, op->result_count + 1);
	neso_ir_value *of_block = ARENA_ARRAY(arena, neso_ir_value, arguments + 1);
	neso_ir_attribute *attributes = ARENA_ARRAY(arena, neso_ir_attribute, op->attr_count + 1);
	uint32_t *regions = ARENA_ARRAY(arena, uint32_t, op->region_count + 1);
	for (uint32_t i = 0; i < op->operand_count; i++)
		operands[i] = value_of(arena, ir_operand(op, i));
	for (uint32_t i = 0; i < op->result_count; i++)
		results[i] = value_of(arena, ir_result(op, i));
	for (uint32_t i = 0; i < arguments; i++)
		of_block[i] = value_of(arena, block->args[i]);
	for (uint32_t i = 0; i < op->attr_count; i++)
		attributes[i] = attribute_of(arena, &op->attrs[i]);
	for (uint32_t i = 0; i < op->region_count; i++)
		regions[i] = jit_ir_region(&op->regions[i]);
	const neso_ir_op given = {
		.size = sizeof given,
		.name = op->kind == OP_MODULE ? "builtin.module" : ir_op_info[op->kind].text,
		.number = op->id,
		.line = line_of(op),
		.operands = operands,
		.operand_count = op->operand_count,
		.results = results,
		.result_count = op->result_count,
		.regions = regions,
		.region_count = op->region_count,
		.block = shown->block,
		.region = shown->region,
		.parent = shown->parent,
		.block_arguments = of_block,
		.block_argument_count = arguments,
		.attributes = attributes,
		.attribute_count = op->attr_count,
	};
	args->each(args->data, &given);
}

static neso_status walk(ApiCall *call, void *data)
{
	const WalkArgs *args = data;
	if (!args->context || !args->path || !args->text || !args->each)
		return api_usage(call, "neso_ir_walk wants a context, a path, text, and a function");
	return api_status(jit_ir_walk(&args->context->host, args->path, (Str){args->text, args->length}, show, data, &call->diags));
}

neso_status neso_ir_walk(neso_context *context, const char *path, const char *text, size_t length, neso_ir_op_fn *each, void *data,
			 neso_diagnostics **diagnostics)
{
	WalkArgs args = {context, path, text, length, each, data};
	return api_run(context, diagnostics, walk, &args);
}
