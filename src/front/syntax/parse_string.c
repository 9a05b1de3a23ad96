/* String literals: escapes, adjacent literals, and the fields of f-strings.
 *
 * A run of adjacent literals is one node. When one of them is an f-string, the node is a JOINED_STR, and the
 * texts that touch, across literals too, are one STRING child. The expression in a field is lexed from the
 * source itself, so its spans are as exact as everywhere. */
#include "front/syntax/parser.h"

/* The text between two fields, as far as it was read. */
typedef struct Pieces {
	Text text;
	uint32_t start, end; /* where it stands; start LEX_NO_OFFSET: there is none */
} Pieces;

/* A byte that stands for itself in every literal. */
static bool is_plain_byte(char c)
{
	return c > 0 && (unsigned char)c < 0x80 && c != '\\' && c != '\r';
}

static uint32_t offset(const Parser *p, const char *at)
{
	return (uint32_t)(at - p->source->text);
}

static bool fail(Parser *p, const char *from, const char *to, DiagCode code, const char *a)
{
	parse_error(p, parse_span(p, offset(p, from), offset(p, to)), code, a, NULL);
	return false;
}

/* ---- escapes ---- */

static void add_code(Text *out, uint32_t code)
{
	if (code < 0x80) {
		text_char(out, (char)code);
	} else if (code < 0x800) {
		text_char(out, (char)(0xc0 | code >> 6));
		text_char(out, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) { /* lone surrogates too, as Python has them */
		text_char(out, (char)(0xe0 | code >> 12));
		text_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
		text_char(out, (char)(0x80 | (code & 0x3f)));
	} else {
		text_char(out, (char)(0xf0 | code >> 18));
		text_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
		text_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
		text_char(out, (char)(0x80 | (code & 0x3f)));
	}
}

static int hex_value(char c)
{
	if (lex_is_digit(c))
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xhh, \uhhhh, \Uhhhhhhhh: `at` is at the backslash. */
static const char *hex_escape(Parser *p, Text *out, const char *at, const char *end, unsigned digits,
			      bool bytes)
{
	uint32_t code = 0;
	const char *digit = at + 2;
	for (unsigned i = 0; i < digits; i++, digit++) {
		int value = digit < end ? hex_value(*digit) : -1;
		if (value < 0) {
			fail(p, at, digit, DIAG_SYNTAX_ESCAPE,
			     digits == 2 ? "\\xXX" : digits == 4 ? "\\uXXXX" : "\\UXXXXXXXX");
			return NULL;
		}
		code = code << 4 | (uint32_t)value;
	}
	if (code > 0x10ffff) {
		fail(p, at, digit, DIAG_SYNTAX_CODE_POINT, arena_strndup(p->arena, at, (size_t)(digit - at)));
		return NULL;
	}
	if (bytes)
		text_char(out, (char)code);
	else
		add_code(out, code);
	return digit;
}

/* \N{...}: kept as it is. */
static const char *named_escape(Parser *p, Text *out, const char *at, const char *end)
{
	const char *stop = end - at > 3 && at[2] == '{' ? memchr(at, '}', (size_t)(end - at)) : NULL;
	if (!stop) {
		fail(p, at, MIN(at + 3, end), DIAG_SYNTAX_ESCAPE, "\\N{...}");
		return NULL;
	}
	stop++;
	char *text = arena_strndup(p->arena, at, (size_t)(stop - at));
	Span span = parse_span(p, offset(p, at), offset(p, stop));
	if (!p->warned_names)
		diag_add(p->diags, span, DIAG_SYNTAX_NAMED_ESCAPE, text);
	p->warned_names = true;
	text_str(out, text);
	return stop;
}

/* `at` is at a backslash; after the escape, or NULL. */
static const char *escape(Parser *p, Text *out, const char *at, const char *end, bool bytes)
{
	static const char plain[128] = {
		['\\'] = '\\', ['\''] = '\'', ['"'] = '"',  ['a'] = '\a', ['b'] = '\b',
		['f'] = '\f',  ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t', ['v'] = '\v',
	};
	if (end - at < 2) {
		text_char(out, '\\');
		return at + 1;
	}
	char c = at[1];
	if ((unsigned char)c < 128 && plain[(unsigned char)c]) {
		text_char(out, plain[(unsigned char)c]);
		return at + 2;
	}
	if (c == '\n' || c == '\r')
		return at + (c == '\r' && end - at > 2 && at[2] == '\n' ? 3 : 2);
	if (c >= '0' && c <= '7') {
		uint32_t code = 0;
		const char *digit = at + 1;
		for (; digit < end && digit < at + 4 && *digit >= '0' && *digit <= '7'; digit++)
			code = code * 8 + (uint32_t)(*digit - '0');
		if (bytes)
			text_char(out, (char)code);
		else
			add_code(out, code);
		return digit;
	}
	if (c == 'x')
		return hex_escape(p, out, at, end, 2, bytes);
	if ((c == 'u' || c == 'U') && !bytes)
		return hex_escape(p, out, at, end, c == 'u' ? 4 : 8, bytes);
	if (c == 'N' && !bytes)
		return named_escape(p, out, at, end);
	text_char(out, '\\'); /* not an escape: both bytes stay */
	return at + 1;
}

static bool is_latin1(const char *name)
{
	static const char *const names[] = {
		"latin-1", "latin1", "latin_1", "iso-8859-1", "iso8859-1", "iso_8859_1",
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t k = 0;
		while (names[i][k] && (name[k] | 32) == (names[i][k] | 32))
			k++;
		if (!names[i][k] && !name[k])
			return true;
	}
	return false;
}

/* A byte beyond ASCII; after its sequence, or NULL. */
static const char *high_byte(Parser *p, Text *out, const char *at, const char *end, bool bytes)
{
	uint32_t code;
	if (bytes) {
		fail(p, at, at + MAX(lex_utf8(at, end, &code), 1u), DIAG_SYNTAX_BYTES_ASCII, NULL);
		return NULL;
	}
	const char *encoding = p->lexer.encoding;
	if (encoding && is_latin1(encoding)) {
		add_code(out, (unsigned char)*at);
		return at + 1;
	}
	unsigned len = lex_utf8(at, end, &code);
	if (encoding || !len) {
		fail(p, at, at + 1, encoding ? DIAG_SYNTAX_ENCODING : DIAG_SYNTAX_UTF8,
		     encoding ? encoding : arena_printf(p->arena, "0x%02x", (unsigned)(unsigned char)*at));
		return NULL;
	}
	text_add(out, at, len);
	return at + len;
}

/* Adds the value of source text without quotes and fields. */
static bool decode(Parser *p, Text *out, const char *at, const char *end, LexPrefix prefix)
{
	while (at && at < end) {
		const char *run = at;
		while (at < end && is_plain_byte(*at))
			at++;
		text_add(out, run, (size_t)(at - run));
		if (at == end)
			break;
		if (*at == '\\') {
			if (!prefix.raw) {
				at = escape(p, out, at, end, prefix.bytes);
				continue;
			}
			text_char(out, *at++);
		} else if (*at == '\r') {
			text_char(out, '\n');
			at += end - at > 1 && at[1] == '\n' ? 2 : 1;
		} else if (!*at) {
			return fail(p, at, at + 1, DIAG_SYNTAX_NUL, NULL);
		} else {
			at = high_byte(p, out, at, end, prefix.bytes);
		}
	}
	return at != NULL;
}

/* ---- f-strings ---- */

static void flush(Parser *p, Pieces *pieces)
{
	if (!pieces->text.len)
		return;
	Ast *node = node_new(p, AST_STRING, pieces->start);
	node->span.end = pieces->end;
	node->string.text = (Str){pieces->text.data, pieces->text.len};
	push(p, node);
	text_init(&pieces->text, p->arena);
	pieces->start = LEX_NO_OFFSET;
}

static bool add_text(Parser *p, Pieces *pieces, const char *from, const char *to, LexPrefix prefix)
{
	if (pieces->start == LEX_NO_OFFSET)
		pieces->start = offset(p, from);
	pieces->end = offset(p, to);
	return decode(p, &pieces->text, from, to, prefix);
}

static bool field(Parser *p, Pieces *pieces, const char **at, const char *end, LexPrefix prefix);

/* Literal text and fields up to `end`; of a format spec, up to its `}`. */
static bool format_text(Parser *p, Pieces *pieces, const char **at, const char *end, LexPrefix prefix,
			bool spec)
{
	LexPrefix raw = {.raw = true};
	while (*at < end) {
		const char *from = *at;
		if (*from == '{' && (spec || end - from < 2 || from[1] != '{')) {
			if (!field(p, pieces, at, end, prefix))
				return false;
			continue;
		}
		if (*from == '}' && spec)
			return true;
		if (*from == '{' || *from == '}') {
			if (end - from < 2 || from[1] != *from)
				return fail(p, from, from + 1, DIAG_SYNTAX_FSTRING,
					    "single '}' is not allowed");
			if (!add_text(p, pieces, from, from + 1, raw))
				return false;
			pieces->end++;
			*at += 2;
			continue;
		}
		const char *to = from;
		while (to < end && *to != '{' && *to != '}') {
			if (*to == '\\' && !prefix.raw && end - to > 3 && to[1] == 'N' && to[2] == '{') {
				const char *stop = memchr(to, '}', (size_t)(end - to));
				to = stop ? stop + 1 : end;
			} else {
				to += *to == '\\' && end - to > 1 && to[1] != '{' && to[1] != '}' ? 2 : 1;
			}
		}
		if (!add_text(p, pieces, from, to, prefix))
			return false;
		*at = to;
	}
	return true;
}

/* The text of "{x=}", [from, to) without comments: those stand between tokens only. */
static bool add_debug_text(Parser *p, Pieces *pieces, const TokenList *tokens, const char *from,
			   const char *to)
{
	const char *text = p->source->text;
	for (const Token *token = tokens->data; from < to; token++) {
		const char *next = token->kind == TOK_END ? to : text + token->start;
		while (from < next) {
			const char *comment = memchr(from, '#', (size_t)(next - from));
			if (!add_text(p, pieces, from, comment ? comment : next, (LexPrefix){.raw = true}))
				return false;
			for (from = comment ? comment : next; from < next && *from != '\n' && *from != '\r';)
				from++;
		}
		if (token->kind == TOK_END)
			break;
		from = next + token->len;
		if (!add_text(p, pieces, next, from, (LexPrefix){.raw = true}))
			return false;
	}
	return true;
}

/* The expression of a field, from its own tokens. */
static Ast *field_expression(Parser *p, const TokenList *tokens)
{
	const Token *outer = p->tok;
	p->tok = tokens->data;
	Ast *value = at(p, TOK_YIELD) ? parse_yield(p) : parse_tests(p, false);
	if (value && !at(p, TOK_END))
		value = parse_unexpected(p, "'}' of the f-string");
	p->tok = outer;
	return value;
}

/* '{' expression ['='] ['!' conversion] [':' format_spec] '}' */
static bool field(Parser *p, Pieces *pieces, const char **at, const char *end, LexPrefix prefix)
{
	const char *open = *at, *from = open + 1;
	const char *stop = lex_field_end(from, end);
	TokenList tokens = {0};
	if (!stop)
		return fail(p, open, open + 1, DIAG_SYNTAX_FSTRING, "'{' was never closed");
	if (++p->depth > PARSE_MAX_DEPTH)
		return fail(p, open, open + 1, DIAG_SYNTAX_NESTED, NULL);
	Ast *node = node_new(p, AST_FORMATTED, offset(p, open));
	lex_fragment(&p->lexer, offset(p, from), offset(p, stop), &tokens);
	Token *last = tokens.len > 1 ? &tokens.data[tokens.len - 2] : NULL;
	if (!last)
		return fail(p, open, stop + 1, DIAG_SYNTAX_FSTRING, "a field needs an expression");
	if (last->kind == TOK_EQUAL && last > tokens.data) {
		node->formatted.debug = true;
		if (!add_debug_text(p, pieces, &tokens, from, stop))
			return false;
		last->kind = TOK_END;
	}
	flush(p, pieces);
	if (!(node->formatted.value = own(node, field_expression(p, &tokens))))
		return false;
	if (*stop == '!') {
		char c = end - stop > 1 ? stop[1] : '\0';
		bool single = end - stop > 2 && !lex_is_word(stop[2]);
		if ((c != 's' && c != 'r' && c != 'a') || !single)
			return fail(p, stop, MIN(stop + 2, end), DIAG_SYNTAX_FSTRING,
				    "the conversion after '!' must be 's', 'r' or 'a'");
		node->formatted.conversion = c;
		for (stop += 2; stop < end && lex_is_space(*stop);)
			stop++;
	}
	if (stop < end && *stop == ':') {
		Pieces inner = {.start = LEX_NO_OFFSET};
		uint32_t base = p->stack.len;
		text_init(&inner.text, p->arena);
		Ast *spec = node_new(p, AST_JOINED_STR, offset(p, ++stop));
		if (!format_text(p, &inner, &stop, end, prefix, true))
			return false;
		flush(p, &inner);
		spec->joined.values = parse_take_list(p, spec, base);
		spec->span.end = offset(p, stop);
		node->formatted.format_spec = own(node, spec);
	}
	if (stop >= end || *stop != '}')
		return fail(p, open, open + 1, DIAG_SYNTAX_FSTRING, "expected '}' at the end of the field");
	if (node->formatted.debug && !node->formatted.conversion && !node->formatted.format_spec)
		node->formatted.conversion = 'r';
	*at = stop + 1;
	node->span.end = offset(p, *at);
	push(p, node);
	p->depth--;
	return true;
}

/* ---- literals ---- */

/* Splits a STRING token: its prefix, and what stands between its quotes. */
static Str literal(const Parser *p, const Token *token, LexPrefix *prefix)
{
	Str text = parse_token_text(p, token);
	size_t len = 0;
	while (lex_is_start(text.ptr[len]))
		len++;
	lex_string_prefix(text.ptr, len, prefix);
	const char *quote = text.ptr + len;
	size_t rest = text.len - len;
	size_t quotes = rest >= 6 && quote[1] == *quote && quote[2] == *quote ? 3 : 1;
	return (Str){quote + quotes, rest - 2 * quotes};
}

/* Literals that need no work stand in the source as they are. */
static bool is_plain(Str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_plain_byte(text.ptr[i]))
			return false;
	return true;
}

static bool add_literal(Parser *p, Pieces *pieces, LexPrefix first, bool *format)
{
	LexPrefix prefix;
	Str text = literal(p, p->tok, &prefix);
	const char *from = text.ptr, *end = text.ptr + text.len;
	if (prefix.bytes != first.bytes) {
		parse_error_here(p, DIAG_SYNTAX_BYTES_MIX, NULL, NULL);
		return false;
	}
	*format |= prefix.format;
	bool ok = prefix.format ? format_text(p, pieces, &from, end, prefix, false)
				: add_text(p, pieces, from, end, prefix);
	if (ok)
		advance(p);
	return ok;
}

Ast *parse_strings(Parser *p)
{
	LexPrefix prefix;
	uint32_t start = tok_start(p), base = p->stack.len;
	Str text = literal(p, p->tok, &prefix);
	if (p->tok[1].kind != TOK_STRING && !prefix.format && is_plain(text)) {
		Ast *node = node_new(p, AST_STRING, start);
		node->string.text = text;
		node->string.is_bytes = prefix.bytes;
		advance(p);
		return node_end(p, node);
	}
	Pieces pieces = {.start = LEX_NO_OFFSET};
	text_init(&pieces.text, p->arena);
	bool format = false;
	while (at(p, TOK_STRING))
		if (!add_literal(p, &pieces, prefix, &format))
			return NULL;
	Ast *node = node_new(p, format ? AST_JOINED_STR : AST_STRING, start);
	if (format) {
		flush(p, &pieces);
		node->joined.values = parse_take_list(p, node, base);
	} else {
		node->string.text = pieces.text.len ? (Str){pieces.text.data, pieces.text.len} : STR("");
		node->string.is_bytes = prefix.bytes;
	}
	return node_end(p, node);
}
