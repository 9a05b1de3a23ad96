/* Ops whose syntax is their own: module, functions, structured control flow, branches, constants. */
#include "ir/text/print_int.h"

static const IrCx *cx_of(const Printer *p)
{
	return p->names->module->cx;
}

static void print_module(Printer *p, const IrOp *op)
{
	static const char *const skip[] = {"sym_name", NULL};
	IrAttr name = ir_get(op, cx_of(p), ATTR_SYM_NAME);
	if (name) {
		print_str(p, " ");
		print_symbol(p, name->text);
	}
	print_attr_dict(p, op, " attributes", skip);
	print_str(p, " ");
	print_region(p, &op->regions[0], false, true);
}

/* ---- tt.func ---- */

static void print_dict_of(Printer *p, IrAttr dicts, uint32_t i)
{
	if (!dicts || i >= dicts->len || dicts->items[i]->len == 0)
		return;
	print_str(p, " ");
	print_attr(p, dicts->items[i], false);
}

static void print_parameters(Printer *p, const IrOp *op, IrType type)
{
	const IrBlock *body = ir_func_body(op);
	IrAttr dicts = ir_get(op, cx_of(p), ATTR_ARG_ATTRS);
	print_str(p, "(");
	for (uint32_t i = 0; i < type->split; i++) {
		print_str(p, i ? ", " : "");
		if (body && i < body->arg_count) {
			print_value(p, body->args[i]);
			print_str(p, ": ");
		}
		print_type(p, body && i < body->arg_count ? body->args[i]->type : type->list[i]);
		print_dict_of(p, dicts, i);
		if (body && i < body->arg_count)
			print_trailing_loc(p, body->args[i]->loc, false);
	}
	print_str(p, ")");
}

static void print_func_results(Printer *p, const IrOp *op, IrType type)
{
	IrAttr dicts = ir_get(op, cx_of(p), ATTR_RES_ATTRS);
	uint32_t n = type->len - type->split;
	if (n == 0)
		return;
	bool parens = n > 1 || (dicts && dicts->len && dicts->items[0]->len);
	print_str(p, parens ? " -> (" : " -> ");
	for (uint32_t i = 0; i < n; i++) {
		print_str(p, i ? ", " : "");
		print_type(p, type->list[type->split + i]);
		print_dict_of(p, dicts, i);
	}
	print_str(p, parens ? ")" : "");
}

static void print_func(Printer *p, const IrOp *op)
{
	static const char *const skip[] = {"sym_name",	"sym_visibility", "function_type",
					   "arg_attrs", "res_attrs",	  NULL};
	IrAttr visibility = ir_get(op, cx_of(p), ATTR_SYM_VISIBILITY);
	IrType type = ir_func_type_of(op);
	print_str(p, " ");
	if (visibility) {
		print_str(p, visibility->text);
		print_str(p, " ");
	}
	print_symbol(p, ir_func_name(op) ? ir_func_name(op) : "?");
	if (type) {
		print_parameters(p, op, type);
		print_func_results(p, op, type);
	}
	print_attr_dict(p, op, " attributes", skip);
	if (ir_func_body(op)) {
		print_str(p, " ");
		print_region(p, &op->regions[0], false, true);
	}
}

/* ---- control flow ---- */

/* (%arg = %init, ...) */
static void print_assignments(Printer *p, const IrOp *op, const IrBlock *block, uint32_t first_arg,
			      uint32_t first_operand)
{
	print_str(p, "(");
	for (uint32_t i = 0; first_operand + i < op->operand_count; i++) {
		print_str(p, i ? ", " : "");
		print_value(p, block && first_arg + i < block->arg_count ? block->args[first_arg + i] : NULL);
		print_str(p, " = ");
		print_value(p, ir_operand(op, first_operand + i));
	}
	print_str(p, ")");
}

static void print_for(Printer *p, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *body = op->regions[0].first;
	bool carries = op->operand_count > 3;
	print_str(p, " ");
	print_value(p, body && body->arg_count ? body->args[0] : NULL);
	print_str(p, " = ");
	print_value(p, ir_operand(op, 0));
	print_str(p, " to ");
	print_value(p, ir_operand(op, 1));
	print_str(p, " step ");
	print_value(p, ir_operand(op, 2));
	if (carries) {
		print_str(p, " iter_args");
		print_assignments(p, op, body, 1, 3);
		print_str(p, " -> (");
		print_types(p, op, true, 0, op->result_count);
		print_str(p, ")");
	}
	print_str(p, "  : ");
	print_type(p, ir_operand(op, 0)->type);
	print_str(p, " ");
	print_region(p, &op->regions[0], false, carries);
	print_attr_dict(p, op, NULL, NULL);
}

static void print_while(Printer *p, const IrOp *op)
{
	print_str(p, " ");
	if (op->operand_count) {
		print_assignments(p, op, op->regions[0].first, 0, 0);
		print_str(p, " ");
	}
	print_str(p, ": ");
	print_function_type_of(p, op);
	print_str(p, " ");
	print_region(p, &op->regions[0], false, true);
	print_str(p, " do ");
	print_region(p, &op->regions[1], true, true);
	print_attr_dict(p, op, " attributes", NULL);
}

static void print_if(Printer *p, const IrOp *op)
{
	bool yields = op->result_count > 0;
	print_str(p, " ");
	print_value(p, ir_operand(op, 0));
	if (yields) {
		print_str(p, " -> (");
		print_types(p, op, true, 0, op->result_count);
		print_str(p, ")");
	}
	print_str(p, " ");
	print_region(p, &op->regions[0], false, yields);
	if (op->regions[1].first) {
		print_str(p, " else ");
		print_region(p, &op->regions[1], false, yields);
	}
	print_attr_dict(p, op, NULL, NULL);
}

static void print_successor(Printer *p, const IrOp *op, uint32_t i, uint32_t from, uint32_t to)
{
	if (!p->collecting)
		text_printf(p->out, "^bb%u", p->names->blocks[op->succ[i]->id]);
	if (from == to)
		return;
	print_str(p, "(");
	print_values(p, op, from, to);
	print_str(p, " : ");
	print_types(p, op, false, from, to);
	print_str(p, ")");
}

static void print_br(Printer *p, const IrOp *op)
{
	print_str(p, " ");
	print_successor(p, op, 0, 0, op->operand_count);
	print_attr_dict(p, op, NULL, NULL);
}

static void print_cond_br(Printer *p, const IrOp *op)
{
	print_str(p, " ");
	print_value(p, ir_operand(op, 0));
	print_str(p, ", ");
	print_successor(p, op, 0, 1, 1 + op->succ_split);
	print_str(p, ", ");
	print_successor(p, op, 1, 1 + op->succ_split, op->operand_count);
	print_attr_dict(p, op, NULL, NULL);
}

/* ---- values ---- */

static void print_constant(Printer *p, const IrOp *op)
{
	static const char *const skip[] = {"value", NULL};
	IrAttr value = ir_get(op, cx_of(p), ATTR_VALUE);
	print_attr_dict(p, op, NULL, skip);
	print_str(p, " ");
	if (value)
		print_attr(p, value, false);
}

static void print_select(Printer *p, const IrOp *op)
{
	print_str(p, " ");
	print_values(p, op, 0, op->operand_count);
	print_attr_dict(p, op, NULL, NULL);
	print_str(p, " : ");
	if (ir_operand(op, 0)->type->kind != TY_I1) {
		print_type(p, ir_operand(op, 0)->type);
		print_str(p, ", ");
	}
	print_type(p, op->results[0].type);
}

static void print_dot_scaled(Printer *p, const IrOp *op)
{
	static const char *const skip[] = {"a_elem_type", "b_elem_type", "has_a_scale", "has_b_scale", NULL};
	static const IrAttrName formats[] = {ATTR_LHS_FORMAT, ATTR_RHS_FORMAT};
	static const IrAttrName scales[] = {ATTR_HAS_LHS_SCALE, ATTR_HAS_RHS_SCALE};
	uint32_t scale_at[2] = {0}, next = 3;
	for (uint32_t side = 0; side < 2; side++) {
		if (ir_get_bool(op, cx_of(p), scales[side]) && next < op->operand_count)
			scale_at[side] = next++;
		print_str(p, side ? ", " : " ");
		print_value(p, ir_operand(op, side));
		if (scale_at[side]) {
			print_str(p, " scale ");
			print_value(p, ir_operand(op, scale_at[side]));
		}
	}
	print_str(p, ", ");
	print_value(p, ir_operand(op, 2));
	for (uint32_t side = 0; side < 2; side++) {
		print_str(p, side ? " rhs = " : " lhs = ");
		if (!p->collecting)
			asm_enum_print(p->out, ASM_ENUM_SCALE, ir_get_int(op, cx_of(p), formats[side], 0));
	}
	print_attr_dict(p, op, NULL, skip);
	for (uint32_t side = 0; side < 2; side++) {
		print_str(p, side ? " * " : " : ");
		print_type(p, ir_operand(op, side)->type);
		if (scale_at[side]) {
			print_str(p, ", ");
			print_type(p, ir_operand(op, scale_at[side])->type);
		}
	}
	print_str(p, " -> ");
	print_type(p, op->results[0].type);
}

/* ---- memory, warps of their own ---- */

static void print_memdesc_subslice(Printer *p, const IrOp *op)
{
	static const char *const skip[] = {"offsets", NULL};
	IrAttr offsets = ir_get(op, cx_of(p), ATTR_OFFSETS);
	print_str(p, " ");
	print_value(p, ir_operand(op, 0));
	print_str(p, "[");
	for (uint32_t i = 0; offsets && i < offsets->len; i++) {
		print_str(p, i ? ", " : "");
		print_i64(p, offsets->ints[i]);
	}
	print_str(p, "]");
	print_attr_dict(p, op, NULL, skip);
	print_str(p, " : ");
	print_type(p, ir_operand(op, 0)->type);
	print_str(p, " -> ");
	print_type(p, op->results[0].type);
}

static void print_partition(Printer *p, const IrRegion *region, uint32_t number, int64_t warps)
{
	const IrBlock *block = region->first;
	print_newline(p);
	print_str(p, "partition");
	print_i64(p, number);
	print_str(p, "(");
	for (uint32_t i = 0; block && i < block->arg_count; i++) {
		print_str(p, i ? ", " : "");
		print_value(p, block->args[i]);
		print_str(p, ": ");
		print_type(p, block->args[i]->type);
		print_trailing_loc(p, block->args[i]->loc, false);
	}
	print_str(p, ") num_warps(");
	print_i64(p, warps);
	print_str(p, ") ");
	print_region(p, region, false, true);
}

static void print_warp_specialize(Printer *p, const IrOp *op)
{
	CONTRACT(op->region_count);
	static const char *const skip[] = {"partitionNumWarps", NULL};
	IrAttr warps = ir_get(op, cx_of(p), ATTR_PARTITION_WARPS);
	const IrBlock *second = op->regions[1].first;
	const IrOp *holder = second && second->last && second->last->kind == OP_WARP_PARTITIONS ? second->last : NULL;
	print_str(p, "(");
	print_values(p, op, 0, op->operand_count);
	print_str(p, ")");
	print_attr_dict(p, op, " attributes", skip);
	print_newline(p);
	print_str(p, "default ");
	print_region(p, &op->regions[0], false, true);
	for (uint32_t r = 0; holder && r < holder->region_count; r++)
		print_partition(p, &holder->regions[r], r, warps && r < warps->len ? warps->ints[r] : 0);
	print_str(p, " : ");
	print_function_type_of(p, op);
}

PrintHook *print_hook(IrOpKind kind)
{
	static PrintHook *const hooks[OP__COUNT] = {
		[OP_MODULE] = print_module,     [OP_FUNC] = print_func,       [OP_FOR] = print_for,
		[OP_WHILE] = print_while,       [OP_IF] = print_if,           [OP_BR] = print_br,
		[OP_COND_BR] = print_cond_br,   [OP_CONSTANT] = print_constant, [OP_SELECT] = print_select,
		[OP_DOT_SCALED] = print_dot_scaled, [OP_MEMDESC_SUBSLICE] = print_memdesc_subslice,
		[OP_WARP_SPECIALIZE] = print_warp_specialize,
	};
	ASSERT(hooks[kind]);
	return hooks[kind];
}
