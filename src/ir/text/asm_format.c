/* Interprets the format strings of asm.h, one step at a time. */
#include "ir/text/asm.h"

bool asm_is_suffix_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
	       c == '.' || c == '-';
}

bool asm_is_bare_id(const char *text)
{
	if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_'))
		return false;
	for (; *text; text++)
		if (!asm_is_suffix_char(*text) || *text == '-')
			return false;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* n, n*, *, k/n, r, r* */
static AsmSet parse_set(const char **at)
{
	const char *p = *at;
	AsmSet set = {0};
	if (*p == 'r') {
		set.results = true;
		p++;
	} else if (is_digit(*p)) {
		set.from = (uint8_t)(*p++ - '0');
	} else {
		ASSERT(*p == '*');
	}
	if (*p == '*') {
		set.many = true;
		p++;
	} else if (*p == '/') {
		set.many = true;
		set.part = set.from;
		set.parts = (uint8_t)(p[1] - '0');
		set.from = 1;
		p += 2;
	}
	*at = p;
	return set;
}

static AsmStep text_step(const char **format)
{
	const char *p = *format;
	while (*p && *p != '$' && *p != '&' && *p != '@' && *p != '|' && *p != ')' && strncmp(p, "(?", 2) != 0 &&
	       strncmp(p, "{}", 2) != 0)
		p++;
	/* The bar of the inferences has a space before it that is not text. */
	size_t len = (size_t)(p - *format) - (*p == '|');
	AsmStep step = {.kind = STEP_TEXT, .text = {*format, len}};
	*format = p;
	return step;
}

AsmStep asm_step(const char **format)
{
	const char *p = *format;
	AsmStep step = {0};
	if (*p == '\0' || *p == '|')
		return step;
	if (strncmp(p, " |", 2) == 0) {
		(*format)++;
		return step;
	}
	if (strncmp(p, "(?", 2) == 0) {
		step.kind = STEP_OPTION;
		p += 2;
	} else if (strncmp(p, "{}", 2) == 0) {
		step.kind = STEP_DICT;
		p += 2;
	} else if (*p == '$') {
		p++;
		step.kind = STEP_OPERAND;
		step.set = parse_set(&p);
	} else if (*p == '&' && p[1] == 'f') {
		step.kind = STEP_FUNCTION_TYPE;
		p += 2;
	} else if (*p == '&') {
		p++;
		step.kind = STEP_TYPE;
		if (*p == 'q' || *p == 'd' || *p == 'm')
			step.brief = *p++;
		step.set = parse_set(&p);
	} else if (*p == '@') {
		step.kind = STEP_ATTR;
		step.text.ptr = ++p;
		while (asm_is_suffix_char(*p))
			p++;
		step.text.len = (size_t)(p - step.text.ptr);
	} else if (*p == ')') {
		step.kind = STEP_CLOSE;
		step.text = (Str){p++, 1};
	} else {
		return text_step(format);
	}
	*format = p;
	return step;
}

void asm_set_range(AsmSet set, uint32_t n, uint32_t *from, uint32_t *to)
{
	*from = MIN((uint32_t)set.from, n);
	*to = set.many ? n : MIN(*from + 1, n);
	if (set.parts) {
		uint32_t size = (n - *from) / set.parts;
		*from += size * (set.part - 1u);
		*to = *from + size;
	}
}

bool asm_inference(const char **format, AsmInference *out)
{
	const char *p = *format;
	p += *p == '|';
	p += strspn(p, " ");
	if (!*p)
		return false;
	*out = (AsmInference){.how = '='};
	out->to = parse_set(&p);
	ASSERT(*p == '=');
	p++;
	if (strchr("mcpebBILT", *p))
		out->how = *p++;
	if (*p && *p != ' ')
		out->of = parse_set(&p);
	*format = p;
	return true;
}

IrType asm_infer(IrCx *cx, char how, IrType of)
{
	switch (how) {
	case '=':
		return of;
	case 'B':
		return ir_scalar(cx, TY_I1);
	case 'I':
		return ir_scalar(cx, TY_I32);
	case 'L':
		return ir_scalar(cx, TY_I64);
	case 'T':
		return cx->token;
	case 'm':
		return ir_with_elem(cx, of, ir_scalar(cx, TY_I1));
	case 'c':
		return ir_with_elem(cx, of, ir_scalar(cx, TY_I32));
	case 'e':
		return ir_elem(of);
	case 'p':
		return ir_is_ptr(ir_elem(of)) ? ir_with_elem(cx, of, ir_elem(of)->elem) : NULL;
	case 'b':
		return ir_is_block_ptr(of) ? ir_ptr(cx, of->elem->elem, of->space) : NULL;
	default:
		BUG("inference '%c'", how);
	}
}
