/* Reading an op by its format (asm.h): operands in the order of the text, then their types, then the rest. */
#include "ir/text/read_int.h"

/* ---- attributes ---- */

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

/* ---- operands and types ---- */

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
	return from < to || read_wrong_operands(r, op, op->types.len);
}

static bool read_function_step(FormatReader *f)
{
	if (!assemble(f))
		return false;
	uint32_t n = f->op->types.len;
	f->op->types.len = f->op->results.len = 0;
	return read_function_type(f->r, f->op) &&
	       (f->op->types.len == n || read_wrong_operands(f->r, f->op, f->op->types.len));
}

static bool infer_types(FormatReader *f, const char *format)
{
	Reader *r = f->r;
	ReadOp *op = f->op;
	AsmInference rule;
	while (asm_inference(&format, &rule)) {
		IrType of = NULL;
		uint32_t from, to;
		if (rule.how == '=' && rule.to.results && rule.to.many && rule.of.many && !rule.of.results) {
			while (op->results.len < op->types.len)
				vec_push(r->arena, &op->results, NULL);
			for (uint32_t i = 0; i < op->types.len; i++)
				op->results.data[i] = op->types.data[i];
			continue;
		}
		if (!strchr("BILT", rule.how)) {
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

bool read_format(Reader *r, ReadOp *op)
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
