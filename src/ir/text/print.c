/* Printing ops: the formats of ops.def, the generic form, regions and blocks, whole modules. */
#include "ir/text/print_int.h"

/* ---- values ---- */

void print_newline(Printer *p)
{
	print_str(p, "\n");
	for (uint32_t i = 0; i < p->indent; i++)
		print_str(p, "  ");
}

static void print_name(Printer *p, const char *name)
{
	print_str(p, "%");
	print_str(p, name);
}

static void print_group(Printer *p, const char *name, const char *sign, uint32_t n)
{
	print_name(p, name);
	print_str(p, sign);
	print_i64(p, n);
}

void print_value(Printer *p, const IrValue *value)
{
	if (p->collecting)
		return;
	if (!value) {
		print_str(p, "<<no value>>");
		return;
	}
	const char *own = p->names->values[value->id];
	const char *first = value->def ? p->names->values[value->def->results[0].id] : NULL;
	if (own && !(value->def && value->def->result_count > 1 && value->def->kind != OP_SPLIT))
		print_name(p, own);
	else if (first)
		print_group(p, first, "#", value->index);
	else
		print_str(p, "<<unknown value>>");
}

void print_values(Printer *p, const IrOp *op, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		print_str(p, i > from ? ", " : "");
		print_value(p, ir_operand(op, i));
	}
}

static void print_results(Printer *p, const IrOp *op)
{
	if (op->result_count == 0 || p->collecting)
		return;
	const char *name = p->names->values[op->results[0].id];
	name = name ? name : "?";
	if (op->kind == OP_SPLIT && op->result_count == 2) {
		print_name(p, name);
		print_str(p, ", ");
		print_name(p, p->names->values[op->results[1].id]);
	} else if (op->result_count > 1) {
		print_group(p, name, ":", op->result_count);
	} else {
		print_name(p, name);
	}
	print_str(p, " = ");
}

/* ---- attributes ---- */

static bool is_skipped(const IrOp *op, IrNamedAttr attr, const char *const *skip)
{
	for (; skip && *skip; skip++)
		if (strcmp(*skip, attr.name) == 0)
			return true;
	const AsmAttr *row = asm_attr_find(op->kind, attr.name);
	return asm_attr_is_default(row, attr.value) || asm_format_has_attr(ir_op_info[op->kind].format, attr.name);
}

void print_attr_dict(Printer *p, const IrOp *op, const char *keyword, const char *const *skip)
{
	bool any = false;
	for (uint32_t i = 0; i < op->attr_count; i++) {
		if (is_skipped(op, op->attrs[i], skip))
			continue;
		if (!any && keyword)
			print_str(p, keyword);
		print_str(p, any ? ", " : " {");
		print_dict_item(p, op->attrs[i].name, op->attrs[i].value);
		any = true;
	}
	print_str(p, any ? "}" : "");
}

/* An attribute inside a format. */
static void print_format_attr(Printer *p, const IrOp *op, Str name)
{
	for (uint32_t i = 0; i < op->attr_count; i++) {
		IrAttr value = op->attrs[i].value;
		if (!str_is(name, op->attrs[i].name))
			continue;
		const AsmAttr *row = asm_attr_find(op->kind, op->attrs[i].name);
		if (row && row->kind > ASM_ENUM_ && value->kind == ATTR_KIND_INT) {
			if (!p->collecting)
				asm_enum_print(p->out, row->kind, value->i);
		} else if (value->kind != ATTR_KIND_UNIT) {
			print_attr(p, value, false);
		}
		return;
	}
	print_str(p, "?");
}

/* Is it there, and not at its default? */
static bool has_attr(const IrOp *op, Str name)
{
	for (uint32_t i = 0; i < op->attr_count; i++)
		if (str_is(name, op->attrs[i].name))
			return !asm_attr_is_default(asm_attr_find(op->kind, op->attrs[i].name), op->attrs[i].value);
	return false;
}

/* ---- formats ---- */

/* Is there what the option that starts here is about? Its first operand or attribute decides. */
static bool option_is_there(const IrOp *op, const char *format)
{
	for (;;) {
		AsmStep step = asm_step(&format);
		uint32_t from, to;
		switch (step.kind) {
		case STEP_OPERAND:
			asm_set_range(step.set, op->operand_count, &from, &to);
			return from < to;
		case STEP_ATTR:
			return has_attr(op, step.text);
		case STEP_END:
		case STEP_CLOSE:
			BUG("an option of %s names nothing", ir_op_info[op->kind].text);
		default:
			break;
		}
	}
}

static void skip_option(const char **format)
{
	while (asm_step(format).kind != STEP_CLOSE)
		;
}

void print_function_type_of(Printer *p, const IrOp *op)
{
	bool parens = op->result_count != 1;
	print_str(p, "(");
	print_types(p, op, false, 0, op->operand_count);
	print_str(p, parens ? ") -> (" : ") -> ");
	print_types(p, op, true, 0, op->result_count);
	print_str(p, parens ? ")" : "");
}

static void print_set_types(Printer *p, const IrOp *op, AsmStep step)
{
	uint32_t from, to;
	asm_set_range(step.set, step.set.results ? op->result_count : op->operand_count, &from, &to);
	if (step.brief && from < to)
		print_type_brief(p, step.set.results ? op->results[from].type : ir_operand(op, from)->type);
	else
		print_types(p, op, step.set.results, from, to);
}

static void print_format(Printer *p, const IrOp *op, const char *format)
{
	uint32_t from, to;
	bool inside = false;
	for (;;) {
		AsmStep step = asm_step(&format);
		switch (step.kind) {
		case STEP_END:
			return;
		case STEP_TEXT:
			print_bytes(p, step.text);
			break;
		case STEP_OPERAND:
			asm_set_range(step.set, op->operand_count, &from, &to);
			print_values(p, op, from, to);
			break;
		case STEP_TYPE:
			print_set_types(p, op, step);
			break;
		case STEP_FUNCTION_TYPE:
			print_function_type_of(p, op);
			break;
		case STEP_ATTR:
			print_format_attr(p, op, step.text);
			break;
		case STEP_DICT:
			print_attr_dict(p, op, NULL, NULL);
			break;
		case STEP_OPTION:
			inside = option_is_there(op, format);
			if (!inside)
				skip_option(&format);
			break;
		case STEP_CLOSE:
			if (!inside)
				print_str(p, ")");
			inside = false;
			break;
		}
	}
}

/* ---- the generic form ---- */

/* Sizes of the operand groups of ops that have several of variable size, or none. */
static uint32_t segments(const IrModule *m, const IrOp *op, uint32_t *sizes)
{
	uint32_t n = op->operand_count;
	switch (op->kind) {
	case OP_LOAD:
		sizes[0] = 1;
		sizes[1] = n > 1;
		sizes[2] = n > 2;
		return 3;
	case OP_MAKE_TENSOR_PTR:
		sizes[0] = 1;
		sizes[1] = sizes[2] = sizes[3] = (n - 1) / 3;
		return 4;
	case OP_MAKE_TENSOR_DESC:
		sizes[0] = 1;
		sizes[1] = sizes[2] = (n - 1) / 2;
		return 3;
	case OP_ASYNC_COPY:
		sizes[0] = sizes[1] = 1;
		sizes[2] = n > 2;
		sizes[3] = n > 3;
		sizes[4] = n > 4;
		return n > 4 ? 5 : 4;
	case OP_DOT_SCALED:
		sizes[0] = sizes[1] = sizes[2] = 1;
		sizes[3] = ir_get_bool(op, m->cx, ATTR_HAS_LHS_SCALE);
		sizes[4] = ir_get_bool(op, m->cx, ATTR_HAS_RHS_SCALE);
		return 5;
	case OP_COND_BR:
		sizes[0] = 1;
		sizes[1] = op->succ_split;
		sizes[2] = n - 1 - op->succ_split;
		return 3;
	default:
		return 0;
	}
}

static void print_property(Printer *p, const AsmAttr *row, Sym name, IrAttr value)
{
	const char *type = row->kind > ASM_ENUM_ ? asm_enum_type(row->kind) : NULL;
	if (!type || p->collecting || value->kind != ATTR_KIND_INT || strcmp(type, "i32") == 0) {
		print_dict_item(p, name, value);
		return;
	}
	print_attr_name(p, name);
	if (*type == '#') {
		text_printf(p->out, " = %s<", type);
		asm_enum_print(p->out, row->kind, value->i);
		text_str(p->out, ">");
	} else {
		text_printf(p->out, " = %lld : %s", (long long)value->i, type);
	}
}

static bool is_internal(const char *name)
{
	return strcmp(name, "has_a_scale") == 0 || strcmp(name, "has_b_scale") == 0;
}

static void print_properties(Printer *p, const IrOp *op)
{
	uint32_t sizes[8], n = segments(p->names->module, op, sizes);
	bool any = false;
	for (uint32_t i = 0; i < op->attr_count; i++) {
		const AsmAttr *row = asm_attr_find(op->kind, op->attrs[i].name);
		if (!row || asm_attr_is_default(row, op->attrs[i].value))
			continue;
		print_str(p, any ? ", " : " <{");
		print_property(p, row, op->attrs[i].name, op->attrs[i].value);
		any = true;
	}
	if (op->kind == OP_ASSUME) {
		print_str(p, any ? ", op_bundle_sizes = array<i32>" : " <{op_bundle_sizes = array<i32>");
		any = true;
	}
	if (n) {
		print_str(p, any ? ", operandSegmentSizes = array<i32" : " <{operandSegmentSizes = array<i32");
		for (uint32_t i = 0; i < n; i++) {
			print_str(p, i ? ", " : ": ");
			print_i64(p, sizes[i]);
		}
		print_str(p, ">");
		any = true;
	}
	print_str(p, any ? "}>" : "");
}

static void print_other_attrs(Printer *p, const IrOp *op)
{
	bool any = false;
	for (uint32_t i = 0; i < op->attr_count; i++) {
		if (asm_attr_find(op->kind, op->attrs[i].name) || is_internal(op->attrs[i].name))
			continue;
		print_str(p, any ? ", " : " {");
		print_dict_item(p, op->attrs[i].name, op->attrs[i].value);
		any = true;
	}
	print_str(p, any ? "}" : "");
}

static void print_generic(Printer *p, const IrOp *op)
{
	print_str(p, op->kind == OP_MODULE ? "\"builtin." : "\"");
	print_str(p, ir_op_info[op->kind].text);
	print_str(p, "\"(");
	print_values(p, op, 0, op->operand_count);
	print_str(p, ")");
	for (uint32_t i = 0; i < op->succ_count; i++) {
		print_str(p, i ? ", ^bb" : "[^bb");
		print_i64(p, p->names->blocks[op->succ[i]->id]);
	}
	print_str(p, op->succ_count ? "]" : "");
	print_properties(p, op);
	if (op->region_count) {
		print_str(p, " (");
		for (uint32_t i = 0; i < op->region_count; i++) {
			print_str(p, i ? ", " : "");
			print_region(p, &op->regions[i], true, true);
		}
		print_str(p, ")");
	}
	print_other_attrs(p, op);
	print_str(p, " : ");
	print_function_type_of(p, op);
}

/* ---- ops, blocks, regions ---- */

static void print_op(Printer *p, const IrOp *op)
{
	const char *format = ir_op_info[op->kind].format;
	if (p->collecting)
		print_trailing_loc(p, op->loc, true);
	print_results(p, op);
	if (p->options.generic || !*format || strcmp(format, "generic") == 0) {
		print_generic(p, op);
	} else {
		print_str(p, ir_op_info[op->kind].text);
		if (strcmp(format, "custom") == 0)
			print_hook(op->kind)(p, op);
		else
			print_format(p, op, format);
	}
	if (!p->collecting)
		print_trailing_loc(p, op->loc, true);
}

/* `  // pred: ^bb0`: a comment that MLIR writes, and that readers like. */
static void print_predecessors(Printer *p, const IrBlock *block)
{
	VEC(uint32_t) preds = {0};
	if (p->collecting)
		return;
	for (const IrBlock *b = block->region->first; b; b = b->next)
		for (uint32_t i = 0; b->last && i < b->last->succ_count; i++)
			if (b->last->succ[i] == block)
				vec_push(p->names->arena, &preds, p->names->blocks[b->id]);
	if (preds.len == 0)
		print_str(p, "  // no predecessors");
	else if (preds.len == 1)
		text_printf(p->out, "  // pred: ^bb%u", preds.data[0]);
	else
		text_printf(p->out, "  // %u preds: ", preds.len);
	for (uint32_t i = 0; preds.len > 1 && i < preds.len; i++)
		text_printf(p->out, i ? ", ^bb%u" : "^bb%u", preds.data[i]);
}

static void print_label(Printer *p, const IrBlock *block)
{
	p->indent--;
	print_newline(p);
	p->indent++;
	print_str(p, "^bb");
	print_i64(p, p->names->blocks[block->id]);
	for (uint32_t i = 0; i < block->arg_count; i++) {
		print_str(p, i ? ", " : "(");
		print_value(p, block->args[i]);
		print_str(p, ": ");
		print_type(p, block->args[i]->type);
		print_trailing_loc(p, block->args[i]->loc, false);
	}
	print_str(p, block->arg_count ? "):" : ":");
	if (block != block->region->first)
		print_predecessors(p, block);
}

static void print_block(Printer *p, const IrBlock *block, bool label, bool terminator)
{
	if (label)
		print_label(p, block);
	for (const IrOp *op = block->first; op; op = op->next) {
		if (op == block->last && !terminator && ir_has_trait(op, TRAIT_TERM))
			break;
		print_newline(p);
		print_op(p, op);
	}
}

void print_region(Printer *p, const IrRegion *region, bool entry_args, bool terminator)
{
	print_str(p, "{");
	p->indent++;
	for (const IrBlock *b = region->first; b; b = b->next) {
		bool entry = b == region->first;
		/* An empty entry block that has successors in the text would not be seen without its label. */
		print_block(p, b, !entry || (entry_args && b->arg_count), terminator);
	}
	p->indent--;
	print_newline(p);
	print_str(p, "}");
}

void ir_print(Text *out, const IrModule *module, IrPrintOptions options)
{
	AsmNames names;
	asm_names_init(&names, module, out->arena);
	asm_names_assign(&names, module->op);
	Printer p = {.out = out, .options = options, .names = &names, .collecting = true};
	map_init(&p.alias_of, out->arena);
	print_op(&p, module->op);
	print_order_aliases(&p);
	p.collecting = false;
	print_aliases(&p, false);
	print_op(&p, module->op);
	print_str(&p, "\n");
	print_aliases(&p, true);
}

void ir_print_op(Text *out, const IrModule *module, const IrOp *op, IrPrintOptions options)
{
	AsmNames names;
	const IrOp *root = op;
	while (ir_parent_op(root))
		root = ir_parent_op(root);
	asm_names_init(&names, module, out->arena);
	asm_names_assign(&names, root);
	Printer p = {.out = out, .options = options, .names = &names};
	map_init(&p.alias_of, out->arena);
	print_op(&p, op);
}
