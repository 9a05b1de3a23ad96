/* Reading ops: their attributes, the generic form, names of results and locations. */
#include "ir/text/read_int.h"

/* ---- attributes of ops ---- */

static const char *const kind_words[] = {
	[ASM_BOOL] = "a boolean",    [ASM_I32] = "an integer", [ASM_STRING] = "a string",
	[ASM_SYMBOL] = "a symbol",   [ASM_UNIT] = "a unit",    [ASM_I32S] = "an array of integers",
	[ASM_TYPE] = "a type",       [ASM_VALUE] = "a value",  [ASM_DICTS] = "an array of dictionaries",
	[ASM_ENUM_] = "",
};

/* An enumeration may come as a number of any type, as its word in quotes, or as flags like
 * #arith.fastmath<...>. */
static IrAttr enum_attr(Reader *r, AsmKind kind, IrAttr value)
{
	int64_t named;
	if (value->kind == ATTR_KIND_INT)
		return ir_attr_i32(r->cx, value->i);
	if (value->kind == ATTR_KIND_STRING && asm_enum_value(kind, str_of(value->text), &named))
		return ir_attr_i32(r->cx, named);
	if (value->kind != ATTR_KIND_CUSTOM || !asm_enum_is_flags(kind))
		return NULL;
	int64_t bits = 0;
	for (uint32_t i = 0; i < value->len; i++) {
		int64_t bit;
		if (value->items[i]->kind != ATTR_KIND_CUSTOM ||
		    !asm_enum_value(kind, str_of(value->items[i]->text), &bit))
			return NULL;
		bits |= bit;
	}
	return ir_attr_i32(r->cx, bits);
}

static bool kind_fits(AsmKind kind, IrAttr value)
{
	static const IrAttrKind kinds[] = {
		[ASM_BOOL] = ATTR_KIND_BOOL,   [ASM_I32] = ATTR_KIND_INT,   [ASM_STRING] = ATTR_KIND_STRING,
		[ASM_SYMBOL] = ATTR_KIND_SYMBOL, [ASM_UNIT] = ATTR_KIND_UNIT, [ASM_I32S] = ATTR_KIND_INTS,
		[ASM_TYPE] = ATTR_KIND_TYPE,   [ASM_DICTS] = ATTR_KIND_ARRAY,
	};
	if (kind == ASM_VALUE)
		return value->kind == ATTR_KIND_BOOL || value->kind == ATTR_KIND_INT ||
		       value->kind == ATTR_KIND_FLOAT || value->kind == ATTR_KIND_DENSE;
	if (kind == ASM_DICTS && value->kind == ATTR_KIND_ARRAY)
		for (uint32_t i = 0; i < value->len; i++)
			if (value->items[i]->kind != ATTR_KIND_DICT)
				return false;
	return value->kind == kinds[kind];
}

/* Attributes that belong to the op get their one form; those at their default are left out. */
bool read_add_attr(Reader *r, ReadOp *op, Sym name, IrAttr value)
{
	const AsmAttr *row = asm_attr_find(op->kind, name);
	if (row && row->kind > ASM_ENUM_) {
		IrAttr found = enum_attr(r, row->kind, value);
		if (!found)
			return READ_FAIL(r, op->span, DIAG_IR_ATTRIBUTE, name, ir_op_info[op->kind].text,
					 "a number or its flags");
		value = found;
	} else if (row && !kind_fits(row->kind, value)) {
		return READ_FAIL(r, op->span, DIAG_IR_ATTRIBUTE, name, ir_op_info[op->kind].text,
				 kind_words[row->kind]);
	}
	if (asm_attr_is_default(row, value))
		return true;
	vec_push(r->arena, &op->attrs, (IrNamedAttr){name, value});
	return true;
}

bool read_op_attrs(Reader *r, ReadOp *op)
{
	ReadAttrs attrs = {0};
	if (!read_is(r, '{'))
		return true;
	if (!read_dict(r, &attrs))
		return false;
	for (uint32_t i = 0; i < attrs.list.len; i++)
		if (!read_add_attr(r, op, attrs.list.data[i].name, attrs.list.data[i].value))
			return false;
	return true;
}

/* ---- making ---- */

bool read_wrong_operands(Reader *r, const ReadOp *op, uint32_t found)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	const char *takes = info->operands_max == IR_ANY_NUMBER
				    ? arena_printf(r->arena, "%u or more", info->operands_min)
			    : info->operands_min == info->operands_max
				    ? arena_printf(r->arena, "%u", info->operands_min)
				    : arena_printf(r->arena, "%u to %u", info->operands_min, info->operands_max);
	return READ_FAIL(r, op->span, DIAG_IR_OPERANDS, info->text, takes, found);
}

static bool wrong_results(Reader *r, const ReadOp *op, uint32_t found)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	const char *has = info->results_max == IR_ANY_NUMBER
				  ? arena_printf(r->arena, "%u or more", info->results_min)
				  : arena_printf(r->arena, "%u", info->results_min);
	return READ_FAIL(r, op->span, DIAG_IR_RESULTS, info->text, has, found);
}

static bool counts_fit(Reader *r, const ReadOp *op)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	if (op->refs.len < info->operands_min || op->refs.len > info->operands_max)
		return read_wrong_operands(r, op, op->refs.len);
	if (op->types.len != op->refs.len)
		return read_wrong_operands(r, op, op->types.len);
	if (op->results.len < info->results_min || op->results.len > info->results_max)
		return wrong_results(r, op, op->results.len);
	return true;
}

IrOp *read_make(Reader *r, ReadOp *op, IrBlock *block)
{
	if (!counts_fit(r, op))
		return NULL;
	bool ok = true;
	IrValue **operands = ARENA_ARRAY(r->arena, IrValue *, op->refs.len);
	for (uint32_t i = 0; i < op->refs.len; i++) {
		operands[i] = read_resolve(r, op->refs.data[i], op->types.data[i]);
		ok = ok && operands[i];
	}
	if (!ok)
		return NULL;
	IrOp *made = ir_op_new(r->m, op->kind, NULL, operands, op->refs.len, op->results.data, op->results.len,
			       ir_op_info[op->kind].regions_min);
	for (uint32_t i = 0; i < op->attrs.len; i++)
		ir_set_named(r->m, made, op->attrs.data[i].name, op->attrs.data[i].value);
	ir_op_append(block, made);
	return made;
}

/* ---- the generic form ---- */

/* What operandSegmentSizes says that the operands' number does not. */
static bool take_segments(Reader *r, ReadOp *op, IrOp *made, IrAttr sizes)
{
	uint32_t n = made->operand_count;
	const int64_t *s = sizes ? sizes->ints : NULL;
	uint32_t len = sizes ? sizes->len : 0;
	bool ok = true;
	switch (op->kind) {
	case OP_LOAD:
		ok = !s || (len == 3 && s[0] == 1 && s[1] == (n > 1) && s[2] == (n > 2));
		break;
	case OP_MAKE_TENSOR_PTR:
		ok = (n - 1) % 3 == 0 && (!s || (len == 4 && s[1] == s[2] && s[2] == s[3] && s[3] == (n - 1) / 3));
		break;
	case OP_MAKE_TENSOR_DESC:
		ok = (n - 1) % 2 == 0 && (!s || (len == 3 && s[1] == s[2] && s[2] == (n - 1) / 2));
		break;
	case OP_ASYNC_COPY:
		ok = !s || ((len == 4 || (len == 5 && s[4] == (n > 4))) && s[0] == 1 && s[1] == 1 && s[2] == (n > 2) && s[3] == (n > 3));
		break;
	case OP_DOT_SCALED:
		ok = s && len == 5 && (s[3] | 1) == 1 && (s[4] | 1) == 1 && 3 + s[3] + s[4] == n;
		if (ok && s[3])
			ir_set(r->m, made, ATTR_HAS_LHS_SCALE, ir_attr_bool(r->cx, true));
		if (ok && s[4])
			ir_set(r->m, made, ATTR_HAS_RHS_SCALE, ir_attr_bool(r->cx, true));
		break;
	case OP_COND_BR:
		ok = s && len == 3 && s[0] == 1 && s[1] >= 0 && s[2] >= 0 && s[1] <= n && 1 + s[1] + s[2] == n;
		made->succ_split = ok ? (uint32_t)s[1] : 0;
		break;
	default:
		break;
	}
	return ok || READ_FAIL(r, op->span, DIAG_IR_SEGMENTS, ir_op_info[op->kind].text);
}

static bool read_successors(Reader *r, IrBlock **succ, uint32_t *count)
{
	if (!read_take(r, '['))
		return true;
	do {
		if (*count == 2)
			return read_expected(r, "']'");
		if (!read_block_ref(r, &succ[(*count)++]))
			return false;
	} while (read_take(r, ','));
	return read_expect(r, ']');
}

/* <{...}>: as an op's attributes, but for the sizes of segments. */
static bool read_properties(Reader *r, ReadOp *op, IrAttr *sizes)
{
	ReadAttrs attrs = {0};
	if (!read_take(r, '<'))
		return true;
	if (!read_dict(r, &attrs) || !read_expect(r, '>'))
		return false;
	for (uint32_t i = 0; i < attrs.list.len; i++) {
		IrNamedAttr item = attrs.list.data[i];
		if (strcmp(item.name, "operandSegmentSizes") == 0 && item.value->kind == ATTR_KIND_INTS)
			*sizes = item.value;
		else if (!read_add_attr(r, op, item.name, item.value))
			return false;
	}
	return true;
}

/* ({...}, {...}) into the regions of `made`. */
static bool read_generic_regions(Reader *r, ReadOp *op, IrOp *made)
{
	uint32_t n = 0;
	if (read_take(r, '(')) {
		do {
			if (n == made->region_count)
				return read_expected(r, "')'");
			IrRegion *region = &made->regions[n++];
			if (!read_region(r, region, NULL, OP__COUNT))
				return false;
			/* {} is a region without blocks, but for the module. */
			IrBlock *only = region->first;
			if (op->kind != OP_MODULE && !only->next && !only->first && !only->arg_count)
				ir_block_unlink(only);
		} while (read_take(r, ','));
		if (!read_expect(r, ')'))
			return false;
	}
	if (ir_op_info[op->kind].regions_max == IR_ANY_NUMBER)
		made->region_count = n;
	/* The second region of scf.if may be left out, a function may have no body. */
	return n == made->region_count || op->kind == OP_FUNC || op->kind == OP_IF || read_expected(r, "a region");
}

static void set_results(Reader *r, IrOp *made, const ReadOp *op)
{
	made->result_count = op->results.len;
	made->results = op->results.len ? ARENA_ARRAY(r->cx->arena, IrValue, op->results.len) : NULL;
	for (uint32_t i = 0; i < op->results.len; i++)
		made->results[i] = (IrValue){
			.type = op->results.data[i], .id = r->m->next_value++, .index = i, .def = made};
}

static bool generic_operands(Reader *r, ReadOp *op, IrOp *made)
{
	if (!counts_fit(r, op))
		return false;
	for (uint32_t i = 0; i < op->refs.len; i++) {
		IrValue *value = read_resolve(r, op->refs.data[i], op->types.data[i]);
		if (!value)
			return false;
		ir_operand_set(made, i, value);
	}
	return true;
}

bool read_late_types(Reader *r, ReadOp *op, IrOp *made)
{
	if (op->types.len != op->refs.len)
		return read_wrong_operands(r, op, op->types.len);
	if (!generic_operands(r, op, made))
		return false;
	set_results(r, made, op);
	return true;
}

/* Types come last, so the op is made before them, for its regions to hang on. */
static IrOp *read_generic(Reader *r, ReadOp *op, IrBlock *block)
{
	IrAttr sizes = NULL;
	IrBlock *succ[2];
	uint32_t succ_count = 0;
	if (!read_expect(r, '(') || !read_refs(r, op) || !read_expect(r, ')') ||
	    !read_successors(r, succ, &succ_count) || !read_properties(r, op, &sizes))
		return NULL;
	IrOp *made = r->m->op;
	if (op->kind == OP_MODULE) {
		if (r->have_module) {
			READ_FAIL(r, op->span, DIAG_IR_MODULE);
			return NULL;
		}
		r->have_module = true;
	} else {
		const IrOpInfo *info = &ir_op_info[op->kind];
		bool open = info->regions_max == IR_ANY_NUMBER;
		made = ir_op_new(r->m, op->kind, NULL, NULL, op->refs.len, NULL, 0,
				 open ? READ_MAX_PARTITIONS : info->regions_min);
		ir_op_append(block, made);
	}
	bool ok = read_generic_regions(r, op, made) && read_op_attrs(r, op) && read_expect(r, ':') &&
		  read_function_type(r, op) && generic_operands(r, op, made) && take_segments(r, op, made, sizes);
	uint32_t wants = op->kind == OP_BR ? 1 : op->kind == OP_COND_BR ? 2 : 0;
	if (ok && succ_count != wants)
		ok = READ_FAIL(r, op->span, DIAG_IR_SEGMENTS, ir_op_info[op->kind].text);
	if (!ok) {
		if (made->block)
			ir_op_erase(made);
		return NULL;
	}
	set_results(r, made, op);
	made->succ_count = succ_count;
	memcpy(made->succ, succ, succ_count * sizeof *succ);
	for (uint32_t i = 0; i < op->attrs.len; i++)
		ir_set_named(r->m, made, op->attrs.data[i].name, op->attrs.data[i].value);
	return made;
}

/* ---- one op ---- */

typedef struct ResultNames {
	VEC(ReadRef) names; /* index: how many values it stands for */
	uint32_t total;
} ResultNames;

/* %a, %b:2 = */
static bool read_result_names(Reader *r, ResultNames *names)
{
	if (r->tok.kind != TOK_VALUE)
		return true;
	do {
		ReadRef ref;
		uint64_t count = 1;
		if (!read_ref(r, &ref))
			return false;
		if (read_take(r, ':')) {
			Span span = read_tok_span(r);
			if (!read_u64(r, &count))
				return false;
			if (count == 0 || count > 0xffff)
				return READ_FAIL(r, span, DIAG_IR_RANGE, "a number of results");
		}
		ref.index = (uint32_t)count;
		names->total += ref.index;
		vec_push(r->arena, &names->names, ref);
	} while (read_take(r, ','));
	return read_expect(r, '=');
}

static bool op_kind(Reader *r, Str text, ReadOp *op)
{
	uint64_t kind;
	if (text.len > 8 && memcmp(text.ptr, "builtin.", 8) == 0)
		text = (Str){text.ptr + 8, text.len - 8};
	if (map_get(&r->ops, map_key(intern(&r->cx->syms, text)), &kind)) {
		op->kind = (IrOpKind)kind;
		return true;
	}
	const char *names[OP__COUNT];
	for (int i = 0; i < OP__COUNT; i++)
		names[i] = ir_op_info[i].text;
	const char *near = text.len < 60 ? str_nearest(text, names, OP__COUNT) : NULL;
	return READ_FAIL(r, op->span, DIAG_IR_OP_NAME, arena_strndup(r->arena, text.ptr, MIN(text.len, 60u)),
			 near ? arena_printf(r->arena, "; did you mean '%s'?", near) : "");
}

static bool define_results(Reader *r, IrOp *made, const ResultNames *names)
{
	uint32_t at = 0;
	bool ok = true;
	if (names->total != made->result_count && names->total)
		return READ_FAIL(r, names->names.data[0].span, DIAG_IR_RESULT_NAMES, ir_op_info[made->kind].text,
				 made->result_count, names->total);
	for (uint32_t i = 0; i < names->names.len; i++) {
		ReadRef name = names->names.data[i];
		IrValue **values = ARENA_ARRAY(r->arena, IrValue *, name.index);
		for (uint32_t k = 0; k < name.index; k++)
			values[k] = &made->results[at++];
		ok = read_define(r, name.name, name.span, values, name.index) && ok;
	}
	return ok;
}

/* Arguments of its blocks that have no location of their own stand where the op says it does, not in this text. */
static void place_arguments(Reader *r, IrBlock *block, IrLoc loc)
{
	while (loc->kind == LOC_NAME) /* of the op, not of its arguments */
		loc = loc->child;
	for (uint32_t i = 0; i < block->arg_count; i++)
		if (map_get_ptr(&r->wanted, block->args[i]))
			block->args[i]->loc = loc;
}

/* The location after the op, or its place in the text; terminators that were implied share it. */
static bool finish(Reader *r, IrOp *made, const ReadOp *op, const ResultNames *names)
{
	IrLoc loc = NULL;
	if (!read_trailing_loc(r, &loc))
		return false;
	if (!loc && names->total)
		map_put_ptr(&r->wanted, &made->results[0], names->names.data[0].name);
	made->loc = loc ? loc : read_loc_at(r, op->span);
	for (uint32_t i = 0; i < made->region_count; i++)
		for (IrBlock *b = made->regions[i].first; b; b = b->next) {
			if (b->last && !b->last->loc)
				b->last->loc = made->loc;
			if (loc)
				place_arguments(r, b, loc);
		}
	return true;
}

static IrOp *read_after_name(Reader *r, ReadOp *op, IrBlock *block, bool generic)
{
	const char *format = ir_op_info[op->kind].format;
	if (generic)
		return read_generic(r, op, block);
	if (strcmp(format, "custom") == 0)
		return read_hook(op->kind)(r, op, block);
	if (!*format || strcmp(format, "generic") == 0) {
		read_expected(r, "the generic form of this operation, with its name as a string");
		return NULL;
	}
	return read_format(r, op) ? read_make(r, op, block) : NULL;
}

bool read_one_op(Reader *r, IrBlock *block)
{
	ResultNames names = {0};
	ReadOp op = {0};
	Str text = {0};
	bool generic, ok = read_result_names(r, &names);
	IrOp *made = NULL;
	op.span = read_tok_span(r);
	generic = r->tok.kind == TOK_STRING;
	if (ok && generic) {
		ok = read_string(r, &text) && op_kind(r, text, &op);
	} else if (ok && r->tok.kind == TOK_ID) {
		text = read_tok_text(r);
		read_next(r);
		ok = op_kind(r, text, &op);
	} else if (ok) {
		ok = read_expected(r, "an operation");
	}
	if (ok)
		made = read_after_name(r, &op, block, generic);
	ok = made && define_results(r, made, &names) && finish(r, made, &op, &names);
	if (!ok) {
		for (uint32_t i = 0; i < names.names.len; i++)
			map_put(&r->poisoned, map_key(names.names.data[i].name), 1);
		if (made && !made->loc)
			made->loc = r->cx->unknown;
	}
	return ok;
}
