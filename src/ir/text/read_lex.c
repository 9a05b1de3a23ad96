/* The tokens of the text form, and basic expectations on them. */
#include "ir/text/read_int.h"

Span read_span(const Reader *r, const char *from, const char *to)
{
	return (Span){r->source->id, (uint32_t)(from - r->source->text), (uint32_t)(to - r->source->text)};
}

Span read_tok_span(const Reader *r)
{
	return read_span(r, r->tok.start, r->tok.end);
}

Str read_tok_text(const Reader *r)
{
	return (Str){r->tok.start, (size_t)(r->tok.end - r->tok.start)};
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(Reader *r)
{
	while (r->at < r->end) {
		if (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
			r->at++;
		else if (*r->at == '/' && r->end - r->at > 1 && r->at[1] == '/')
			while (r->at < r->end && *r->at != '\n')
				r->at++;
		else
			break;
	}
}

static TokenKind lex_string(Reader *r)
{
	const char *p = r->at + 1;
	while (p < r->end && *p != '"' && *p != '\n')
		p += *p == '\\' && p + 1 < r->end && p[1] != '\n' ? 2 : 1;
	if (p >= r->end || *p != '"') {
		READ_FAIL(r, read_span(r, r->at, MIN(p, r->end)), DIAG_IR_STRING_END);
		r->at = MIN(p, r->end);
		return TOK_BAD;
	}
	r->at = p + 1;
	return TOK_STRING;
}

static TokenKind lex_number(Reader *r)
{
	const char *p = r->at;
	if (*p == '0' && r->end - p > 2 && p[1] == 'x' && is_hex(p[2])) {
		for (p += 2; p < r->end && is_hex(*p); p++)
			;
		r->at = p;
		return TOK_INT;
	}
	while (p < r->end && is_digit(*p))
		p++;
	if (p >= r->end || *p != '.') {
		r->at = p;
		return TOK_INT;
	}
	for (p++; p < r->end && is_digit(*p); p++)
		;
	if (p < r->end && (*p == 'e' || *p == 'E')) {
		const char *exp = p + 1;
		exp += exp < r->end && (*exp == '+' || *exp == '-');
		if (exp < r->end && is_digit(*exp)) {
			while (exp < r->end && is_digit(*exp))
				exp++;
			p = exp;
		}
	}
	r->at = p;
	return TOK_FLOAT;
}

/* After a sigil: digits, or a name. */
static TokenKind lex_suffix(Reader *r, TokenKind kind)
{
	const char *p = r->at + 1;
	if (p < r->end && is_digit(*p)) {
		while (p < r->end && is_digit(*p))
			p++;
	} else {
		while (p < r->end && asm_is_suffix_char(*p) && !(*p == '-' && p + 1 < r->end && p[1] == '>'))
			p++;
	}
	if (p == r->at + 1) {
		READ_FAIL(r, read_span(r, r->at, p), DIAG_IR_EXPECTED, "a name", "nothing behind the sign");
		kind = TOK_BAD;
	}
	r->at = p;
	return kind;
}

static TokenKind lex(Reader *r)
{
	char c = *r->at;
	if (is_letter(c)) {
		while (r->at < r->end && (is_letter(*r->at) || is_digit(*r->at) || *r->at == '$' || *r->at == '.'))
			r->at++;
		return TOK_ID;
	}
	if (is_digit(c))
		return lex_number(r);
	switch (c) {
	case '"':
		return lex_string(r);
	case '%':
		return lex_suffix(r, TOK_VALUE);
	case '^':
		return lex_suffix(r, TOK_BLOCK);
	case '#':
		return lex_suffix(r, TOK_HASH);
	case '!':
		return lex_suffix(r, TOK_BANG);
	case '@':
		if (r->end - r->at > 1 && r->at[1] == '"') {
			r->at++;
			return lex_string(r) == TOK_STRING ? TOK_SYMBOL : TOK_BAD;
		}
		return lex_suffix(r, TOK_SYMBOL);
	case '-':
		if (r->end - r->at > 1 && r->at[1] == '>') {
			r->at += 2;
			return TOK_ARROW;
		}
		break;
	default:
		break;
	}
	r->at++;
	if (c && strchr("(){}[]<>,:=-+*?|", c))
		return TOK_PUNCT;
	/* One message for a run of strange bytes. */
	const char *from = r->at - 1;
	while (r->at < r->end && ((unsigned char)*r->at >= 0x80 || (unsigned char)*r->at < ' ') && *r->at != '\n')
		r->at++;
	READ_FAIL(r, read_span(r, from, r->at), DIAG_IR_CHARACTER, (unsigned)(unsigned char)c);
	return TOK_BAD;
}

void read_next(Reader *r)
{
	skip_blanks(r);
	r->tok.start = r->at;
	r->tok.kind = r->at >= r->end || diag_full(r->diags) ? TOK_EOF : lex(r);
	r->tok.end = r->tok.kind == TOK_EOF ? r->tok.start : r->at;
}

void read_seek(Reader *r, const char *at)
{
	r->at = at;
	read_next(r);
}

bool read_is(const Reader *r, char punct)
{
	return r->tok.kind == TOK_PUNCT && *r->tok.start == punct;
}

bool read_is_word(const Reader *r, const char *word)
{
	return r->tok.kind == TOK_ID && str_is(read_tok_text(r), word);
}

bool read_take(Reader *r, char punct)
{
	if (!read_is(r, punct))
		return false;
	read_next(r);
	return true;
}

bool read_take_word(Reader *r, const char *word)
{
	if (!read_is_word(r, word))
		return false;
	read_next(r);
	return true;
}

bool read_expected(Reader *r, const char *what)
{
	enum { MOST = 40 };
	r->failed = true;
	if (r->tok.kind == TOK_BAD)
		return false; /* said already */
	Str text = read_tok_text(r);
	const char *found = "the end of the text";
	if (r->tok.kind != TOK_EOF)
		found = arena_printf(r->arena, text.len > MOST ? "'%.*s...'" : "'%.*s'",
				     (int)MIN(text.len, (size_t)MOST), text.ptr);
	return READ_FAIL(r, read_tok_span(r), DIAG_IR_EXPECTED, what, found);
}

bool read_expect(Reader *r, char punct)
{
	char what[] = {'\'', punct, '\'', '\0'};
	return read_take(r, punct) || read_expected(r, what);
}

bool read_expect_arrow(Reader *r)
{
	if (r->tok.kind != TOK_ARROW)
		return read_expected(r, "'->'");
	read_next(r);
	return true;
}

bool read_expect_word(Reader *r, const char *word)
{
	return read_take_word(r, word) || read_expected(r, arena_printf(r->arena, "'%s'", word));
}

static int hex_value(char c)
{
	return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

bool read_string(Reader *r, Str *out)
{
	if (r->tok.kind != TOK_STRING && !(r->tok.kind == TOK_SYMBOL && r->tok.start[1] == '"'))
		return read_expected(r, "a string");
	const char *p = strchr(r->tok.start, '"') + 1, *end = r->tok.end - 1;
	char *text = arena_alloc_raw(r->arena, (size_t)(end - p) + 1, 1), *to = text;
	while (p < end) {
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		if (end - p > 2 && is_hex(p[1]) && is_hex(p[2])) {
			*to++ = (char)(hex_value(p[1]) << 4 | hex_value(p[2]));
			p += 3;
		} else if (p[1] == '"' || p[1] == '\\' || p[1] == 'n' || p[1] == 't') {
			*to++ = p[1] == 'n' ? '\n' : p[1] == 't' ? '\t' : p[1];
			p += 2;
		} else {
			return READ_FAIL(r, read_span(r, p, p + 2), DIAG_IR_ESCAPE);
		}
	}
	*to = '\0';
	*out = (Str){text, (size_t)(to - text)};
	read_next(r);
	return true;
}

bool read_u64(Reader *r, uint64_t *out)
{
	if (r->tok.kind != TOK_INT)
		return read_expected(r, "an integer");
	const char *p = r->tok.start;
	bool hex = r->tok.end - p > 1 && p[1] == 'x';
	uint64_t value = 0;
	for (p += hex ? 2 : 0; p < r->tok.end; p++) {
		uint64_t digit = (uint64_t)hex_value(*p), base = hex ? 16 : 10;
		if (value > (UINT64_MAX - digit) / base)
			return READ_FAIL(r, read_tok_span(r), DIAG_IR_RANGE, "64 bits");
		value = value * base + digit;
	}
	*out = value;
	read_next(r);
	return true;
}

bool read_deeper(Reader *r)
{
	if (r->depth++ < READ_MAX_DEPTH)
		return true;
	r->depth--;
	return READ_FAIL(r, read_tok_span(r), DIAG_IR_DEPTH, (unsigned)READ_MAX_DEPTH);
}
