/* Number literals: where they end, and which they are. Their values are made by the parser. */
#include "front/syntax/lex.h"

typedef struct Radix {
	const char *name;
	unsigned base;
} Radix;

static bool is_digit_of(char c, unsigned base)
{
	if (base == 16 && ((c | 32) >= 'a' && (c | 32) <= 'f'))
		return true;
	return lex_is_digit(c) && (unsigned)(c - '0') < base;
}

/* Digits with single underscores between them; NULL when an underscore has no digit after it. */
static const char *skip_digits(const char *at, unsigned base)
{
	for (;;) {
		while (is_digit_of(*at, base))
			at++;
		if (*at != '_')
			return at;
		if (!is_digit_of(at[1], base))
			return NULL;
		at++;
	}
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && lex_is_word(*at))
		at++;
	return at;
}

/* A keyword may follow a number without a space: `1if x else 2`. */
static bool is_word_allowed(const char *at, const char *end)
{
	const char *stop = skip_word(at, end);
	switch (lex_name_kind(at, (size_t)(stop - at))) {
	case TOK_AND: case TOK_ELSE: case TOK_FOR: case TOK_IF:
	case TOK_IN: case TOK_IS: case TOK_NOT: case TOK_OR:
		return true;
	default:
		return false;
	}
}

static void bad_number(Lexer *lx, Radix radix)
{
	const char *start = lx->at;
	while (lx->at < lx->end && (*lx->at == '.' || lex_is_start(*lx->at) || lex_is_digit(*lx->at)))
		lx->at++;
	LexError *error = lex_error(lx, DIAG_SYNTAX_NUMBER, start, lx->at);
	if (error)
		error->a = radix.name;
}

static void finish(Lexer *lx, TokenKind kind, const char *at, Radix radix)
{
	if (lex_is_start(*at) && at < lx->end && !is_word_allowed(at, lx->end)) {
		bad_number(lx, radix);
		return;
	}
	at = MIN(at, lx->end);
	lex_emit(lx, kind, lx->at, at);
	lx->at = at;
}

static void prefixed(Lexer *lx, Radix radix)
{
	const char *at = lx->at + 2;
	at += *at == '_';
	const char *stop = is_digit_of(*at, radix.base) ? skip_digits(at, radix.base) : NULL;
	if (stop && lex_is_digit(*stop)) {
		LexError *error = lex_error(lx, DIAG_SYNTAX_DIGIT, stop, stop + 1);
		if (error) {
			error->a = arena_strndup(lx->arena, stop, 1);
			error->b = radix.name;
		}
		lx->at = skip_word(stop, lx->end);
		return;
	}
	if (stop)
		finish(lx, TOK_INT, stop, radix);
	else
		bad_number(lx, radix);
}

void lex_number(Lexer *lx)
{
	static const Radix decimal = {"decimal", 10};
	const char *start = lx->at;
	if (start[0] == '0') {
		switch (start[1] | 32) {
		case 'x': prefixed(lx, (Radix){"hexadecimal", 16}); return;
		case 'o': prefixed(lx, (Radix){"octal", 8}); return;
		case 'b': prefixed(lx, (Radix){"binary", 2}); return;
		default: break;
		}
	}
	TokenKind kind = TOK_INT;
	const char *at = *start == '.' ? start : skip_digits(start, 10);
	if (at && *at == '.') {
		kind = TOK_FLOAT;
		at++;
		if (lex_is_digit(*at))
			at = skip_digits(at, 10);
	}
	if (at && (*at | 32) == 'e') {
		const char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
		if (lex_is_digit(*digits)) {
			kind = TOK_FLOAT;
			at = skip_digits(digits, 10);
		}
	}
	if (!at) {
		bad_number(lx, decimal);
		return;
	}
	if ((*at | 32) == 'j') {
		kind = TOK_IMAGINARY;
		at++;
	}
	if (kind == TOK_INT && *start == '0') {
		const char *p = start;
		while (p < at && (*p == '0' || *p == '_'))
			p++;
		if (p < at) {
			lex_error(lx, DIAG_SYNTAX_LEADING_ZERO, start, at);
			lx->at = at;
			return;
		}
	}
	finish(lx, kind, at, decimal);
}
