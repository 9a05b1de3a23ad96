/* Names: byte classes, keywords, UTF-8, and which code points may stand in a name.
 *
 * A name is a run of letters, digits, underscores and non-ASCII code points. Of the latter only those are
 * refused that are certainly no letters (punctuation, symbols, spaces: what word processors leave in code);
 * the tables of Unicode's identifier classes are not here. */
#include "front/syntax/lex.h"

#define S LEX_START
#define D LEX_DIGIT
#define H LEX_HIGH
#define W LEX_SPACE
const uint8_t lex_class[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, W, 0, 0, W, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	W, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	D, D, D, D, D, D, D, D, D, D, 0, 0, 0, 0, 0, 0,
	0, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
	S, S, S, S, S, S, S, S, S, S, S, 0, 0, 0, 0, S,
	0, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
	S, S, S, S, S, S, S, S, S, S, S, 0, 0, 0, 0, 0,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
	H, H, H, H, H, H, H, H, H, H, H, H, H, H, H, H,
};
#undef S
#undef D
#undef H
#undef W

static const struct {
	const char *text;
	uint8_t len, is_punct;
} token_info[TOK__COUNT] = {
#define TOKEN(kind, text) [TOK_##kind] = {text, sizeof(text) - 1, 0},
#define PUNCT(kind, text) [TOK_##kind] = {text, sizeof(text) - 1, 1},
#define KEYWORD(kind, text) PUNCT(kind, text)
#include "front/syntax/token.def"
};

const char *lex_token_text(TokenKind kind)
{
	return token_info[kind].text;
}

bool lex_is_punct(TokenKind kind)
{
	return token_info[kind].is_punct;
}

/* ORDER KEYWORD: the keywords that begin with a letter stand together in token.def. */
static const struct {
	uint8_t first, last;
} keywords_by_letter[128] = {
	['F'] = {TOK_FALSE, TOK_FALSE},    ['N'] = {TOK_NONE, TOK_NONE},     ['T'] = {TOK_TRUE, TOK_TRUE},
	['a'] = {TOK_AND, TOK_AWAIT},      ['b'] = {TOK_BREAK, TOK_BREAK},   ['c'] = {TOK_CLASS, TOK_CONTINUE},
	['d'] = {TOK_DEF, TOK_DEL},        ['e'] = {TOK_ELIF, TOK_EXCEPT},   ['f'] = {TOK_FINALLY, TOK_FROM},
	['g'] = {TOK_GLOBAL, TOK_GLOBAL},  ['i'] = {TOK_IF, TOK_IS},         ['n'] = {TOK_NONLOCAL, TOK_NOT},
	['l'] = {TOK_LAMBDA, TOK_LAMBDA},  ['o'] = {TOK_OR, TOK_OR},         ['p'] = {TOK_PASS, TOK_PASS},
	['r'] = {TOK_RAISE, TOK_RETURN},   ['t'] = {TOK_TRY, TOK_TRY},       ['w'] = {TOK_WHILE, TOK_WITH},
	['y'] = {TOK_YIELD, TOK_YIELD},
};

TokenKind lex_name_kind(const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[0];
	if (c >= 128 || !keywords_by_letter[c].first)
		return TOK_NAME;
	for (unsigned k = keywords_by_letter[c].first; k <= keywords_by_letter[c].last; k++)
		if (token_info[k].len == len && memcmp(token_info[k].text, text, len) == 0)
			return (TokenKind)k;
	return TOK_NAME;
}

unsigned lex_utf8(const char *at, const char *end, uint32_t *code)
{
	const unsigned char *s = (const unsigned char *)at;
	size_t left = (size_t)(end - at);
	if (left >= 1 && s[0] < 0x80) {
		*code = s[0];
		return 1;
	}
	if (left >= 2 && s[0] >= 0xc2 && s[0] < 0xe0 && (s[1] & 0xc0) == 0x80) {
		*code = (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
		return 2;
	}
	if (left >= 3 && (s[0] & 0xf0) == 0xe0 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80) {
		*code = (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
		return *code >= 0x800 && (*code < 0xd800 || *code > 0xdfff) ? 3 : 0;
	}
	if (left >= 4 && s[0] >= 0xf0 && s[0] < 0xf5 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80 &&
	    (s[3] & 0xc0) == 0x80) {
		*code = (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3f) << 12 |
			(uint32_t)(s[2] & 0x3f) << 6 | (s[3] & 0x3f);
		return *code >= 0x10000 && *code <= 0x10ffff ? 4 : 0;
	}
	return 0;
}

bool lex_is_name_code(uint32_t code)
{
	/* Ranges without letters, ascending. */
	static const struct {
		uint32_t first, last;
	} no_names[] = {
		{0x80, 0xa9},     {0xab, 0xb4},     {0xb6, 0xb6},     {0xb8, 0xb9},       {0xbb, 0xbf},
		{0xd7, 0xd7},     {0xf7, 0xf7},     {0x37e, 0x37e},   {0x2000, 0x203e},   {0x2041, 0x2053},
		{0x2055, 0x2070}, {0x207a, 0x207e}, {0x208a, 0x208e}, {0x20a0, 0x20cf},   {0x2190, 0x2bff},
		{0x2e00, 0x2e2e}, {0x2e30, 0x2fff}, {0x3000, 0x3004}, {0x3008, 0x3020},   {0xe000, 0xf8ff},
		{0xfe10, 0xfe1f}, {0xfe30, 0xfe32}, {0xfe35, 0xfe4c}, {0xfe50, 0xfe6f},   {0xfeff, 0xff0f},
		{0xff1a, 0xff20}, {0xff3b, 0xff3e}, {0xff40, 0xff40}, {0xff5b, 0xff65},   {0xffe0, 0xffff},
		{0x1f000, 0x1fbef}, {0xe0000, 0xe00ff},
	};
	for (size_t i = 0; i < ARRAY_LEN(no_names) && no_names[i].first <= code; i++)
		if (code <= no_names[i].last)
			return false;
	return true;
}
