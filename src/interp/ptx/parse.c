/* Text of inline PTX to instructions. Registers need no declaration: any name that is none of the special ones is a
 * register; .reg lines are skipped. */
#include <stdlib.h>

#include "interp/ptx/ptx.h"

static const PtxType types[] = {
	{"b8", 'b', 8, 1, -1}, {"b16", 'b', 16, 1, -1}, {"b32", 'b', 32, 1, -1}, {"b64", 'b', 64, 1, -1},
	{"u8", 'u', 8, 1, -1}, {"u16", 'u', 16, 1, -1}, {"u32", 'u', 32, 1, -1}, {"u64", 'u', 64, 1, -1},
	{"s8", 's', 8, 1, -1}, {"s16", 's', 16, 1, -1}, {"s32", 's', 32, 1, -1}, {"s64", 's', 64, 1, -1},
	{"f32", 'f', 32, 1, -1}, {"f64", 'f', 64, 1, -1}, {"pred", 'p', 1, 1, -1}, {"tf32", 'x', 32, 1, -1},
	{"f16", 'h', 16, 1, KF_F16}, {"f16x2", 'h', 16, 2, KF_F16}, {"bf16", 'H', 16, 1, KF_BF16},
	{"bf16x2", 'H', 16, 2, KF_BF16}, {"e4m3x2", 'x', 8, 2, KF_E4M3FN}, {"e5m2x2", 'x', 8, 2, KF_E5M2},
	{"e2m1x2", 'x', 4, 2, -1}, {"ue8m0x2", 'x', 8, 2, -1},
};

static const struct {
	const char *name;
	uint32_t number;
} specials[] = {
	{"%tid.x", PTX_TID}, {"%tid.y", PTX_TID}, {"%tid.z", PTX_TID}, {"%laneid", PTX_TID}, {"%warpid", PTX_TID},
	{"%smid", PTX_TID}, {"%ntid.x", PTX_NTID}, {"%ntid.y", PTX_NTID}, {"%ntid.z", PTX_NTID}, {"%nsmid", PTX_NTID},
	{"%nwarpid", PTX_NTID}, {"%ctaid.x", PTX_CTAID_X}, {"%ctaid.y", PTX_CTAID_Y}, {"%ctaid.z", PTX_CTAID_Z},
	{"%nctaid.x", PTX_NCTAID_X}, {"%nctaid.y", PTX_NCTAID_Y}, {"%nctaid.z", PTX_NCTAID_Z},
	{"%globaltimer", PTX_CLOCK}, {"%globaltimer_lo", PTX_CLOCK}, {"%clock", PTX_CLOCK}, {"%clock64", PTX_CLOCK},
};

typedef struct Name {
	const char *text;
	uint32_t reg;
} Name;

typedef struct Label {
	const char *text;
	uint32_t at;
} Label;

typedef struct Parser {
	Arena *arena, *scratch;
	const char *at, *end;
	const char *error;
	VEC(PtxInstr) code;
	VEC(PtxOperand) vectors;
	VEC(Name) names;
	VEC(Label) labels;
	VEC(Label) jumps; /* at: instruction */
	uint32_t regs, args;
} Parser;

static bool failed(Parser *p, const char *what, const char *name)
{
	if (!p->error)
		p->error = arena_printf(p->arena, "inline PTX: %s '%s'", what, name);
	return false;
}

static void skip_space(Parser *p)
{
	for (;;) {
		while (p->at < p->end && (unsigned char)*p->at <= ' ')
			p->at++;
		if (p->at + 1 < p->end && p->at[0] == '/' && p->at[1] == '/') {
			while (p->at < p->end && *p->at != '\n')
				p->at++;
		} else if (p->at + 1 < p->end && p->at[0] == '/' && p->at[1] == '*') {
			while (p->at + 1 < p->end && !(p->at[0] == '*' && p->at[1] == '/'))
				p->at++;
			p->at = p->at + 2 < p->end ? p->at + 2 : p->end;
		} else {
			return;
		}
	}
}

static bool take(Parser *p, char c)
{
	skip_space(p);
	if (p->at >= p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '%' || c == '$';
}

/* A word; `dots` takes the suffixes too. LLVM's ${:uid} is nothing. */
static const char *word(Parser *p, bool dots)
{
	Text t;
	skip_space(p);
	text_init(&t, p->arena);
	text_str(&t, "");
	while (p->at < p->end) {
		if (p->at + 6 <= p->end && memcmp(p->at, "${:uid}", 7) == 0)
			p->at += 7;
		else if (name_char(*p->at) || (dots && (*p->at == '.' || *p->at == ':')))
			text_char(&t, *p->at++);
		else
			break;
		/* A label's colon is not part of a mnemonic; :: is. */
		if (dots && p->at < p->end && *p->at == ':' && (p->at + 1 >= p->end || p->at[1] != ':'))
			break;
		if (dots && p->at + 1 < p->end && p->at[0] == ':' && p->at[1] == ':') {
			text_str(&t, "::");
			p->at += 2;
		}
	}
	return t.data;
}

static uint32_t reg_of(Parser *p, const char *name)
{
	for (uint32_t k = 0; k < p->names.len; k++)
		if (strcmp(p->names.data[k].text, name) == 0)
			return p->names.data[k].reg;
	vec_push(p->scratch, &p->names, (Name){name, p->regs});
	return p->regs++;
}

static bool number(const char *text, PtxOperand *o)
{
	char *end;
	if (text[0] == '0' && (text[1] == 'f' || text[1] == 'F') && strlen(text) == 10) {
		o->kind = PTX_INT;
		o->bits = strtoull(text + 2, &end, 16);
		return true;
	}
	if (text[0] == '0' && (text[1] == 'd' || text[1] == 'D') && strlen(text) == 18) {
		o->kind = PTX_INT;
		o->bits = strtoull(text + 2, &end, 16);
		return true;
	}
	o->kind = PTX_INT;
	o->bits = strtoull(text, &end, 0);
	return *end == 0 || ((*end == 'U' || *end == 'u') && end[1] == 0);
}

static bool operand(Parser *p, PtxOperand *o);

static bool vector(Parser *p, PtxOperand *o)
{
	PtxOperand items[8];
	uint32_t n = 0;
	do {
		if (n == ARRAY_LEN(items))
			return failed(p, "too many items in", "{...}");
		if (!operand(p, &items[n++]))
			return false;
	} while (take(p, ','));
	if (!take(p, '}'))
		return failed(p, "expected", "}");
	*o = (PtxOperand){.kind = PTX_VECTOR, .reg = p->vectors.len, .count = n};
	for (uint32_t k = 0; k < n; k++)
		vec_push(p->arena, &p->vectors, items[k]);
	return true;
}

static bool address(Parser *p, PtxOperand *o)
{
	PtxOperand base;
	if (!operand(p, &base))
		return false;
	*o = (PtxOperand){.kind = PTX_ADDRESS, .reg = base.kind == PTX_REG ? base.reg : PTX_NO_REG};
	o->bits = base.kind == PTX_INT ? base.bits : 0;
	if (take(p, '+')) {
		PtxOperand offset;
		if (!operand(p, &offset) || offset.kind != PTX_INT)
			return failed(p, "expected a number after", "+");
		o->bits += offset.bits;
	}
	return take(p, ']') || failed(p, "expected", "]");
}

static bool operand(Parser *p, PtxOperand *o)
{
	*o = (PtxOperand){.kind = PTX_REG};
	skip_space(p);
	if (take(p, '{'))
		return vector(p, o);
	if (take(p, '['))
		return address(p, o);
	bool minus = take(p, '-');
	const char *start = p->at;
	const char *text = word(p, false);
	if (!*text)
		return failed(p, "an operand is missing before",
			      p->at < p->end ? arena_strndup(p->arena, p->at, 1) : "end");
	if (text[0] >= '0' && text[0] <= '9') {
		if (p->at < p->end && *p->at == '.') { /* 1.5, 1.0e3 */
			char *end;
			o->kind = PTX_FLOAT;
			o->real = strtod(arena_strndup(p->scratch, start, (size_t)(p->end - start)), &end);
			while (p->at < p->end && (name_char(*p->at) || *p->at == '.'))
				p->at++;
		} else if (!number(text, o)) {
			return failed(p, "bad number", text);
		}
		if (minus) {
			o->bits = 0 - o->bits;
			o->real = -o->real;
		}
		return true;
	}
	if (minus)
		return failed(p, "a minus before", text);
	if (text[0] == '$' && text[1] >= '0' && text[1] <= '9') {
		unsigned long n = strtoul(text + 1, NULL, 10);
		if (n >= p->args)
			return failed(p, "there is no operand", text);
		o->reg = (uint32_t)n;
		return true;
	}
	if (text[0] == '%') {
		const char *full = text;
		if (p->at + 1 < p->end && p->at[0] == '.' && strchr("xyz", p->at[1])) {
			full = arena_printf(p->arena, "%s.%c", text, p->at[1]);
			p->at += 2;
		}
		for (size_t k = 0; k < ARRAY_LEN(specials); k++)
			if (strcmp(specials[k].name, full) == 0) {
				o->kind = PTX_SPECIAL;
				o->reg = specials[k].number;
				return true;
			}
		if (full != text)
			return failed(p, "unknown special register", full);
	}
	o->reg = reg_of(p, text);
	return true;
}

/* mnemonic.suffix.suffix: types are told from modifiers by name. */
static bool mnemonic(Parser *p, PtxInstr *i, const char *text)
{
	i->name = text;
	size_t n = strcspn(text, ".");
	const char *base = arena_strndup(p->arena, text, n);
	i->fn = ptx_function(base);
	if (!i->fn)
		return failed(p, "unknown instruction", text);
	const char *at = text + n;
	while (*at == '.') {
		size_t len = strcspn(at + 1, ".");
		const char *part = arena_strndup(p->arena, at + 1, len);
		const PtxType *type = NULL;
		for (size_t k = 0; k < ARRAY_LEN(types) && !type; k++)
			if (strcmp(types[k].name, part) == 0)
				type = &types[k];
		if (type && i->type_count < PTX_MAX_TYPES)
			i->types[i->type_count++] = type;
		else if (!type && i->mod_count < PTX_MAX_MODS)
			i->mods[i->mod_count++] = part;
		else
			return failed(p, "too many suffixes in", text);
		at += len + 1;
	}
	return true;
}

static bool instruction(Parser *p, const char *text, uint32_t guard, bool negated)
{
	PtxInstr i = {.guard = guard, .negated = negated};
	if (!mnemonic(p, &i, text))
		return false;
	if (strncmp(text, "bra", 3) == 0) {
		vec_push(p->scratch, &p->jumps, (Label){word(p, false), p->code.len});
	} else {
		skip_space(p);
		while (p->at < p->end && *p->at != ';') {
			if (i.count == PTX_MAX_OPERANDS)
				return failed(p, "too many operands of", text);
			if (!operand(p, &i.operands[i.count++]))
				return false;
			if (take(p, '|')) /* a second predicate */
				return failed(p, "a second result of", text);
			if (!take(p, ','))
				break;
		}
	}
	vec_push(p->scratch, &p->code, i);
	skip_space(p);
	return take(p, ';') || p->at >= p->end || failed(p, "expected ; after", text);
}

static bool statement(Parser *p)
{
	if (take(p, '{') || take(p, '}') || take(p, ';'))
		return true;
	if (take(p, '.')) {
		while (p->at < p->end && *p->at != ';')
			p->at++;
		return take(p, ';') || failed(p, "expected ; after", ".reg");
	}
	uint32_t guard = PTX_NO_REG;
	bool negated = false;
	if (take(p, '@')) {
		negated = take(p, '!');
		PtxOperand o;
		if (!operand(p, &o) || o.kind != PTX_REG)
			return failed(p, "expected a predicate after", "@");
		guard = o.reg;
	}
	const char *text = word(p, true);
	if (!*text)
		return failed(p, "unexpected", arena_strndup(p->arena, p->at, 1));
	if (take(p, ':')) {
		vec_push(p->scratch, &p->labels, (Label){text, p->code.len});
		return true;
	}
	return instruction(p, text, guard, negated);
}

const PtxProgram *ptx_parse(Arena *arena, Arena *scratch, const char *text, size_t len, uint32_t args,
			    const char **error)
{
	Parser p = {.arena = arena, .scratch = scratch, .at = text, .end = text + len, .regs = args, .args = args};
	PtxProgram *program = ARENA_NEW(arena, PtxProgram);
	for (skip_space(&p); p.at < p.end && !p.error; skip_space(&p))
		if (!statement(&p))
			break;
	for (uint32_t k = 0; k < p.jumps.len && !p.error; k++) {
		bool found = false;
		for (uint32_t l = 0; l < p.labels.len && !found; l++) {
			found = strcmp(p.labels.data[l].text, p.jumps.data[k].text) == 0;
			if (found)
				p.code.data[p.jumps.data[k].at].target = p.labels.data[l].at;
		}
		if (!found)
			failed(&p, "unknown label", p.jumps.data[k].text);
	}
	program->vectors = p.vectors.data;
	for (uint32_t k = 0; k < p.code.len && !p.error; k++)
		if (!ptx_check(&p.code.data[k], program, &p.error, arena))
			break;
	*error = p.error;
	if (p.error)
		return NULL;
	program->code = arena_copy(arena, p.code.data, p.code.len * sizeof *p.code.data);
	program->len = p.code.len;
	program->regs = p.regs;
	return program;
}
