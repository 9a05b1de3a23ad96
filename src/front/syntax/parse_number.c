/* Values of number literals. */
#include <locale.h>
#include <stdlib.h>

#include "front/syntax/parser.h"

/* strtod of C's locale, whatever the process has set. */
static double to_double(const char *text)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t old = c ? uselocale(c) : (locale_t)0;
	double value = strtod(text, NULL);
	if (c) {
		uselocale(old);
		freelocale(c);
	}
	return value;
}

/* An integer below 2^53, times or over a power of ten up to 10^22: one correctly rounded operation on exact
 * operands. */
static bool small_decimal(const char *text, double *value)
{
	static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
				      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	enum { MAX_DIGITS = 15, MAX_TEN = ARRAY_LEN(tens) - 1 };
	int64_t mantissa = 0;
	int digits = 0, scale = 0;
	bool point = false;
	for (; lex_is_digit(*text) || *text == '.'; text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		mantissa = mantissa * 10 + (*text - '0');
		digits += mantissa != 0;
		scale -= point;
		if (digits > MAX_DIGITS)
			return false;
	}
	if (*text == 'e' || *text == 'E') {
		bool negative = text[1] == '-';
		text += 1 + (negative || text[1] == '+');
		int exponent = 0;
		for (; lex_is_digit(*text) && exponent < 1000; text++)
			exponent = exponent * 10 + (*text - '0');
		scale += negative ? -exponent : exponent;
	}
	if (scale < -MAX_TEN || scale > MAX_TEN)
		return false;
	*value = scale < 0 ? (double)mantissa / tens[-scale] : (double)mantissa * tens[scale];
	return true;
}

/* The digits alone: no prefix, no underscores, no leading zeros. */
static Str int_digits(Parser *p, Str text, int base)
{
	if (base != 10) {
		text.ptr += 2;
		text.len -= 2;
	}
	if (memchr(text.ptr, '_', text.len)) {
		char *clean = arena_alloc_raw(p->arena, text.len, 1);
		size_t len = 0;
		for (size_t i = 0; i < text.len; i++)
			if (text.ptr[i] != '_')
				clean[len++] = text.ptr[i];
		text = (Str){clean, len};
	}
	while (text.len > 1 && text.ptr[0] == '0') {
		text.ptr++;
		text.len--;
	}
	return text;
}

Ast *parse_number(Parser *p)
{
	Str text = parse_token_text(p, p->tok);
	Ast *node;
	if (at(p, TOK_INT)) {
		node = node_new(p, AST_INT, tok_start(p));
		char mark = text.len > 1 ? (char)(text.ptr[1] | 32) : '0';
		node->number.base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
		node->number.digits = int_digits(p, text, node->number.base);
	} else {
		bool imaginary = at(p, TOK_IMAGINARY);
		node = node_new(p, imaginary ? AST_IMAGINARY : AST_FLOAT, tok_start(p));
		char *clean = arena_alloc_raw(p->arena, text.len + 1, 1);
		size_t len = 0;
		for (size_t i = 0; i < text.len - imaginary; i++)
			if (text.ptr[i] != '_')
				clean[len++] = text.ptr[i];
		clean[len] = '\0';
		if (!small_decimal(clean, &node->real.value))
			node->real.value = to_double(clean);
	}
	advance(p);
	return node_end(p, node);
}
