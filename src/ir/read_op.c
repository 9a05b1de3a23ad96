/* Reading ops: values and their types, the formats of ops.def, the generic form, regions and blocks. */
#include "ir/read_int.h"

/* ---- values ---- */

bool read_ref(Reader *r, ReadRef *ref)
{
	if (r->tok.kind != TOK_VALUE)
		return read_expected(r, "a value");
	Str text = read_tok_text(r);
	ref->name = intern(&r->cx->syms, (Str){text.ptr + 1, text.len - 1});
	ref->index = 0;
	ref->span = read_tok_span(r);
	read_next(r);
	if (r->tok.kind == TOK_HASH && r->tok.start == text.ptr + text.len) {
		uint64_t index = 0;
		const char *p = r->tok.start + 1;
		for (; p < r->tok.end && *p >= '0' && *p <= '9'; p++)
			index = MIN(index * 10 + (uint64_t)(*p - '0'), (uint64_t)UINT32_MAX);
		if (p < r->tok.end)
			return read_expected(r, "the number of a value");
		ref->index = (uint32_t)index;
		ref->span.end = read_tok_span(r).end;
		read_next(r);
	}
	return true;
}

bool read_refs(Reader *r, ReadOp *op)
{
	if (r->tok.kind != TOK_VALUE)
		return true;
	do {
		ReadRef ref;
		if (!read_ref(r, &ref))
			return false;
		vec_push(r->arena, &op->refs, ref);
	} while (read_take(r, ','));
	return true;
}

static IrValue *stand_in(Reader *r, IrType type)
{
	IrValue *value = ARENA_NEW(r->arena, IrValue);
	*value = (IrValue){.type = type, .id = r->m->next_value++, .loc = r->cx->unknown};
	return value;
}

static bool check_type(Reader *r, ReadRef ref, IrType found, IrType type)
{
	return found == type || READ_FAIL(r, ref.span, DIAG_IR_VALUE_TYPE, ref.name, ir_type_text(r->arena, found),
					  ir_type_text(r->arena, type));
}

IrValue *read_resolve(Reader *r, ReadRef ref, IrType type)
{
	uint64_t poisoned;
	ReadBinding *binding = map_get_ptr(&r->values, ref.name);
	if (binding) {
		if (ref.index >= binding->count) {
			READ_FAIL(r, ref.span, DIAG_IR_VALUE_INDEX, ref.name, binding->count, ref.index);
			return NULL;
		}
		IrValue *value = binding->values[ref.index];
		return check_type(r, ref, value->type, type) ? value : NULL;
	}
	IrValue *value = stand_in(r, type);
	if (!map_get(&r->poisoned, map_key(ref.name), &poisoned))
		vec_push(r->arena, &r->forwards, (ReadForward){ref, value});
	return value;
}

bool read_define(Reader *r, Sym name, Span span, IrValue **values, uint32_t count)
{
	ReadBinding *before = map_get_ptr(&r->values, name);
	if (before) {
		Diag *diag = diag_add(r->diags, span, DIAG_IR_VALUE_TWICE, name);
		diag_note(r->diags, diag, before->span, "the first definition is here");
		r->failed = true;
		return false;
	}
	ReadBinding *binding = ARENA_NEW(r->arena, ReadBinding);
	*binding = (ReadBinding){arena_copy(r->arena, values, count * sizeof *values), count, span};
	map_put_ptr(&r->values, name, binding);
	vec_push(r->arena, &r->scope, name);
	bool ok = true;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < r->forwards.len; i++) {
		ReadForward forward = r->forwards.data[i];
		if (forward.ref.name != name) {
			r->forwards.data[kept++] = forward;
			continue;
		}
		if (forward.ref.index >= count)
			ok = READ_FAIL(r, forward.ref.span, DIAG_IR_VALUE_INDEX, name, count, forward.ref.index);
		else if (!check_type(r, forward.ref, values[forward.ref.index]->type, forward.value->type))
			ok = false;
		else if (forward.value->uses)
			ir_replace_uses(forward.value, values[forward.ref.index]);
	}
	r->forwards.len = kept;
	return ok;
}

static void close_scope(Reader *r, uint32_t mark)
{
	for (; r->scope.len > mark; r->scope.len--)
		map_put(&r->values, map_key(vec_last(&r->scope)), 0);
}

/* ---- types of ops ---- */

bool read_types(Reader *r, ReadOp *op, bool results)
{
	do {
		IrType type = read_type(r);
		if (!type)
			return false;
		if (results)
			vec_push(r->arena, &op->results, type);
		else
			vec_push(r->arena, &op->types, type);
	} while (read_take(r, ','));
	return true;
}

bool read_colon_types(Reader *r, ReadOp *op)
{
	return read_expect(r, ':') && read_types(r, op, false);
}

bool read_function_type(Reader *r, ReadOp *op)
{
	if (!read_expect(r, '('))
		return false;
	if (!read_take(r, ')') && !(read_types(r, op, false) && read_expect(r, ')')))
		return false;
	if (!read_expect_arrow(r))
		return false;
	if (!read_take(r, '(')) {
		IrType type = read_type(r);
		if (!type)
			return false;
		vec_push(r->arena, &op->results, type);
		return true;
	}
	return read_take(r, ')') || (read_types(r, op, true) && read_expect(r, ')'));
}

/* ---- attributes of ops ---- */

static const char *const kind_words[] = {
	[ASM_BOOL] = "a boolean",    [ASM_I32] = "an integer", [ASM_STRING] = "a string",
	[ASM_SYMBOL] = "a symbol",   [ASM_UNIT] = "a unit",    [ASM_I32S] = "an array of integers",
	[ASM_TYPE] = "a type",       [ASM_VALUE] = "a value",  [ASM_DICTS] = "an array of dictionaries",
	[ASM_ENUM_] = "",
};

/* An enumeration may come as a number of any type, or as flags #arith.fastmath<...>. */
static IrAttr enum_attr(Reader *r, AsmKind kind, IrAttr value)
{
	if (value->kind == ATTR_KIND_INT)
		return ir_attr_i32(r->cx, value->i);
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

static bool read_enum_words(Reader *r, AsmKind kind, const char *name, int64_t *value)
{
	*value = 0;
	do {
		Str word = read_tok_text(r);
		int64_t bit;
		if (r->tok.kind != TOK_ID)
			return read_expected(r, "a word");
		if (!asm_enum_value(kind, word, &bit))
			return READ_FAIL(r, read_tok_span(r), DIAG_IR_WORD,
					 arena_strndup(r->arena, word.ptr, MIN(word.len, 60u)), name);
		*value |= bit;
		read_next(r);
	} while (asm_enum_is_flags(kind) && read_take(r, ','));
	return true;
}

static bool read_format_attr(Reader *r, ReadOp *op, Str text)
{
	Sym name = intern(&r->cx->syms, text);
	const AsmAttr *row = asm_attr_find(op->kind, name);
	IrAttr value;
	if (row && row->kind > ASM_ENUM_ && r->tok.kind == TOK_ID) {
		int64_t number;
		if (!read_enum_words(r, row->kind, name, &number))
			return false;
		value = ir_attr_i32(r->cx, number);
	} else if (row && row->kind == ASM_UNIT) {
		value = ir_attr_unit(r->cx);
	} else {
		value = read_attr(r);
	}
	return value && read_add_attr(r, op, name, value);
}

/* ---- formats ---- */

typedef struct Group {
	AsmSet set;
	uint32_t from, to; /* in the order of the text */
} Group;

typedef struct FormatReader {
	Reader *r;
	ReadOp *op;
	Group groups[8];
	uint32_t group_count;
	bool assembled;
} FormatReader;

static uint32_t group_rank(AsmSet set)
{
	return set.from * 16u + set.part;
}

/* Operands from the order of the text into the op's. */
static bool assemble(FormatReader *f)
{
	Reader *r = f->r;
	ReadOp *op = f->op;
	if (f->assembled)
		return true;
	f->assembled = true;
	for (uint32_t i = 1; i < f->group_count; i++) {
		for (uint32_t j = i; j > 0 && group_rank(f->groups[j - 1].set) > group_rank(f->groups[j].set); j--) {
			Group g = f->groups[j];
			f->groups[j] = f->groups[j - 1];
			f->groups[j - 1] = g;
		}
	}
	ReadRef *text_order = arena_copy(r->arena, op->refs.data, op->refs.len * sizeof *text_order);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->group_count; i++) {
		const Group *g = &f->groups[i], *last = i ? &f->groups[i - 1] : g;
		if (g->set.parts && last->set.parts && g->to - g->from != last->to - last->from)
			return READ_FAIL(r, op->span, DIAG_IR_LISTS, ir_op_info[op->kind].text, last->to - last->from,
					 g->to - g->from);
		for (uint32_t k = g->from; k < g->to; k++)
			op->refs.data[n++] = text_order[k];
	}
	for (uint32_t i = 0; i < n; i++)
		vec_push(r->arena, &op->types, NULL);
	for (uint32_t i = 0; i < ir_op_info[op->kind].results_min; i++)
		vec_push(r->arena, &op->results, NULL);
	return true;
}

/* The literal parts of a format, word for word. With `probe`, only whether the first word is there. */
static bool match_text(Reader *r, Str text, bool probe)
{
	const char *p = text.ptr, *end = p + text.len;
	while (p < end) {
		if (*p == ' ') {
			p++;
			continue;
		}
		const char *from = p++;
		bool word = asm_is_suffix_char(*from) && *from != '-';
		if (word)
			while (p < end && asm_is_suffix_char(*p))
				p++;
		else if (*from == '-' && p < end && *p == '>')
			p++;
		Str part = {from, (size_t)(p - from)};
		bool there = r->tok.kind != TOK_EOF && r->tok.kind != TOK_STRING && str_eq(read_tok_text(r), part);
		if (probe)
			return there;
		if (!there)
			return read_expected(r, arena_printf(r->arena, "'%.*s'", STR_ARG(part)));
		read_next(r);
	}
	return true;
}

static bool option_begins(FormatReader *f, const char *format)
{
	Reader *r = f->r;
	AsmStep step = asm_step(&format);
	if (step.kind == STEP_TEXT && step.text.len == 1 && *step.text.ptr == ' ')
		step = asm_step(&format);
	if (step.kind == STEP_TEXT)
		return match_text(r, step.text, true);
	if (step.kind == STEP_OPERAND)
		return r->tok.kind == TOK_VALUE;
	ASSERT(step.kind == STEP_ATTR);
	const AsmAttr *row = asm_attr_find(f->op->kind, intern(&r->cx->syms, step.text));
	int64_t value;
	return row && row->kind > ASM_ENUM_ && r->tok.kind == TOK_ID &&
	       asm_enum_value(row->kind, read_tok_text(r), &value);
}

static bool read_operand_step(FormatReader *f, AsmSet set)
{
	Group g = {.set = set, .from = f->op->refs.len};
	if (set.many) {
		if (!read_refs(f->r, f->op))
			return false;
	} else {
		ReadRef ref;
		if (!read_ref(f->r, &ref))
			return false;
		vec_push(f->r->arena, &f->op->refs, ref);
	}
	g.to = f->op->refs.len;
	f->groups[f->group_count++] = g;
	return true;
}

static bool wrong_operands(Reader *r, const ReadOp *op, uint32_t found)
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

static bool read_type_step(FormatReader *f, AsmStep step)
{
	Reader *r = f->r;
	ReadOp *op = f->op;
	if (!assemble(f))
		return false;
	if (step.set.results && step.set.many) {
		op->results.len = 0;
		return read_types(r, op, true);
	}
	uint32_t from, to;
	asm_set_range(step.set, step.set.results ? op->results.len : op->types.len, &from, &to);
	IrType *types = step.set.results ? op->results.data : op->types.data;
	for (uint32_t i = from; i < to; i++) {
		if (i > from && !read_expect(r, ','))
			return false;
		IrType type = step.brief ? read_type_brief(r, step.brief) : read_type(r);
		if (!type)
			return false;
		types[i] = type;
	}
	return from < to || wrong_operands(r, op, op->types.len);
}

static bool read_function_step(FormatReader *f)
{
	if (!assemble(f))
		return false;
	uint32_t n = f->op->types.len;
	f->op->types.len = f->op->results.len = 0;
	return read_function_type(f->r, f->op) &&
	       (f->op->types.len == n || wrong_operands(f->r, f->op, f->op->types.len));
}

static bool infer_types(FormatReader *f, const char *format)
{
	Reader *r = f->r;
	ReadOp *op = f->op;
	AsmInference rule;
	while (asm_inference(&format, &rule)) {
		IrType of = NULL;
		uint32_t from, to;
		if (!strchr("BIL", rule.how)) {
			asm_set_range(rule.of, rule.of.results ? op->results.len : op->types.len, &from, &to);
			of = from == to ? NULL : rule.of.results ? op->results.data[from] : op->types.data[from];
			if (!of)
				continue;
		}
		IrType type = asm_infer(r->cx, rule.how, of);
		if (!type)
			return READ_FAIL(r, op->span, DIAG_IR_INFER, ir_op_info[op->kind].text,
					 ir_type_text(r->arena, of));
		asm_set_range(rule.to, rule.to.results ? op->results.len : op->types.len, &from, &to);
		for (; from < to; from++)
			*(rule.to.results ? &op->results.data[from] : &op->types.data[from]) = type;
	}
	return true;
}

static bool read_format(Reader *r, ReadOp *op)
{
	const char *format = ir_op_info[op->kind].format;
	FormatReader f = {.r = r, .op = op};
	bool inside = false, ok = true;
	for (;;) {
		AsmStep step = asm_step(&format);
		switch (step.kind) {
		case STEP_END:
			return assemble(&f) && infer_types(&f, format);
		case STEP_TEXT:
			ok = match_text(r, step.text, false);
			break;
		case STEP_OPERAND:
			ok = read_operand_step(&f, step.set);
			break;
		case STEP_TYPE:
			ok = read_type_step(&f, step);
			break;
		case STEP_FUNCTION_TYPE:
			ok = read_function_step(&f);
			break;
		case STEP_ATTR:
			ok = read_format_attr(r, op, step.text);
			break;
		case STEP_DICT:
			ok = read_op_attrs(r, op);
			break;
		case STEP_OPTION:
			inside = option_begins(&f, format);
			while (!inside && step.kind != STEP_CLOSE)
				step = asm_step(&format);
			break;
		case STEP_CLOSE:
			ok = inside || read_expect(r, ')');
			inside = false;
			break;
		}
		if (!ok)
			return false;
	}
}

/* ---- making ---- */

static bool counts_fit(Reader *r, const ReadOp *op)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	if (op->refs.len < info->operands_min || op->refs.len > info->operands_max)
		return wrong_operands(r, op, op->refs.len);
	if (op->types.len != op->refs.len)
		return wrong_operands(r, op, op->types.len);
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
			       ir_op_info[op->kind].regions);
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
		made = ir_op_new(r->m, op->kind, NULL, NULL, op->refs.len, NULL, 0, ir_op_info[op->kind].regions);
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
		for (IrBlock *b = made->regions[i].first; b; b = b->next)
			if (b->last && !b->last->loc)
				b->last->loc = made->loc;
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

/* ---- blocks and regions ---- */

static ReadBlock *find_block(Reader *r, Str text)
{
	Sym name = intern(&r->cx->syms, text);
	for (uint32_t i = 0; i < r->blocks->list.len; i++)
		if (r->blocks->list.data[i].name == name)
			return &r->blocks->list.data[i];
	ReadBlock block = {.name = name, .block = ir_block_new(r->m, NULL), .span = read_tok_span(r)};
	vec_push(r->arena, &r->blocks->list, block);
	return &vec_last(&r->blocks->list);
}

bool read_block_ref(Reader *r, IrBlock **block)
{
	if (r->tok.kind != TOK_BLOCK)
		return read_expected(r, "a block");
	*block = find_block(r, read_tok_text(r))->block;
	read_next(r);
	return true;
}

static void add_argument(Reader *r, IrBlock *block, ReadArg arg)
{
	IrValue *value = ir_block_arg_add(r->m, block, arg.type, arg.loc ? arg.loc : read_loc_at(r, arg.span));
	if (!arg.loc)
		map_put_ptr(&r->wanted, value, arg.name);
	read_define(r, arg.name, arg.span, &value, 1);
}

/* ^bb1(%x: i32 loc(...)): */
static bool read_label(Reader *r, IrBlock **block)
{
	ReadBlock *found = find_block(r, read_tok_text(r));
	if (found->defined)
		return READ_FAIL(r, read_tok_span(r), DIAG_IR_BLOCK_TWICE, found->name);
	found->defined = true;
	/* An entry block that is still empty is the one that the label names. */
	IrRegion *region = r->blocks->region;
	if (region->first && region->first == region->last && !region->first->first && !region->first->arg_count &&
	    r->blocks->list.len == 1) {
		found->block = region->first;
	} else {
		ir_block_append(region, found->block);
	}
	*block = found->block;
	read_next(r);
	if (read_take(r, '(') && !read_take(r, ')')) {
		do {
			ReadArg arg = {0};
			ReadRef ref;
			if (!read_ref(r, &ref) || !read_expect(r, ':') || !(arg.type = read_type(r)) ||
			    !read_trailing_loc(r, &arg.loc))
				return false;
			arg.name = ref.name;
			arg.span = ref.span;
			add_argument(r, *block, arg);
		} while (read_take(r, ','));
		if (!read_expect(r, ')'))
			return false;
	}
	return read_expect(r, ':');
}

static bool at_line_start(const Reader *r)
{
	const char *p = r->tok.start;
	while (p > r->source->text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	return p == r->source->text || p[-1] == '\n';
}

/* After a fault: on to what looks like the next op of the same block, or its end. */
static void recover(Reader *r)
{
	uint32_t nested = 0;
	for (; r->tok.kind != TOK_EOF; read_next(r)) {
		if (read_is(r, '{'))
			nested++;
		else if (read_is(r, '}') && nested-- == 0)
			return;
		else if (nested == 0 && at_line_start(r) &&
			 (r->tok.kind == TOK_VALUE || r->tok.kind == TOK_STRING || r->tok.kind == TOK_BLOCK ||
			  r->tok.kind == TOK_HASH ||
			  (r->tok.kind == TOK_ID && memchr(r->tok.start, '.', (size_t)(r->tok.end - r->tok.start)))))
			return;
	}
}

void read_ops_until_close(Reader *r, IrBlock *block)
{
	while (r->tok.kind != TOK_EOF && !read_is(r, '}')) {
		/* Aliases are defined outside of all. */
		if (r->depth == 0 && (r->tok.kind == TOK_HASH || r->tok.kind == TOK_BANG))
			return;
		const char *before = r->tok.start;
		bool ok = r->tok.kind == TOK_BLOCK && r->blocks ? read_label(r, &block) : read_one_op(r, block);
		if (ok)
			continue;
		if (r->tok.start == before)
			read_next(r);
		recover(r);
	}
}

static void check_blocks(Reader *r)
{
	for (uint32_t i = 0; i < r->blocks->list.len; i++) {
		const ReadBlock *b = &r->blocks->list.data[i];
		if (!b->defined)
			READ_FAIL(r, b->span, DIAG_IR_BLOCK, b->name);
	}
}

static void imply_terminator(Reader *r, IrRegion *region, IrOpKind kind)
{
	IrBlock *last = region->last;
	if (kind == OP__COUNT || !last || ir_terminator(last))
		return;
	ir_op_append(last, ir_op_new(r->m, kind, NULL, NULL, 0, NULL, 0, 0));
}

bool read_region(Reader *r, IrRegion *region, const ReadArgs *args, IrOpKind implied)
{
	if (!read_deeper(r))
		return false;
	if (!read_expect(r, '{')) {
		r->depth--;
		return false;
	}
	ReadBlocks blocks = {.outer = r->blocks, .region = region};
	uint32_t mark = r->scope.len;
	r->blocks = &blocks;
	IrBlock *entry = region->first ? region->first : ir_block_new(r->m, region);
	for (uint32_t i = 0; args && i < args->list.len; i++)
		add_argument(r, entry, args->list.data[i]);
	read_ops_until_close(r, entry);
	check_blocks(r);
	imply_terminator(r, region, implied);
	close_scope(r, mark);
	r->blocks = blocks.outer;
	r->depth--;
	return read_expect(r, '}');
}
