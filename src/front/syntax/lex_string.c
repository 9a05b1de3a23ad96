/* String literals: prefixes, and where a literal ends.
 *
 * The end of an f-string depends on what stands between its braces: since Python 3.12 that may hold strings
 * with the same quotes, comments and newlines. The scan follows it without making tokens. Where it finds no
 * end, the rule of older versions (the first closing quote ends the literal) is tried, so that a missing
 * brace costs one literal and not the rest of the file. */
#include "front/syntax/lex.h"

bool lex_string_prefix(const char *text, size_t len, LexPrefix *prefix)
{
	*prefix = (LexPrefix){0};
	bool unicode = false;
	if (len > 2)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool *flag;
		switch (text[i] | 32) {
		case 'r': flag = &prefix->raw; break;
		case 'b': flag = &prefix->bytes; break;
		case 'f': flag = &prefix->format; break;
		case 'u': flag = &unicode; break;
		default: return false;
		}
		if (*flag)
			return false;
		*flag = true;
	}
	return !(prefix->bytes && prefix->format) && !(unicode && len > 1);
}

typedef struct Quote {
	char c;
	bool triple;
} Quote;

static Quote quote_at(const char **at, const char *end)
{
	Quote quote = {**at, end - *at >= 3 && (*at)[1] == **at && (*at)[2] == **at};
	*at += quote.triple ? 3 : 1;
	return quote;
}

static bool closes(const char *at, const char *end, Quote quote)
{
	if (*at != quote.c)
		return false;
	return !quote.triple || (end - at >= 3 && at[1] == quote.c && at[2] == quote.c);
}

/* After a backslash: both bytes of an escaped CRLF go. */
static const char *skip_escape(const char *at, const char *end)
{
	if (end - at >= 3 && at[1] == '\r' && at[2] == '\n')
		return at + 3;
	return end - at >= 2 ? at + 2 : end;
}

static const char *plain_end(const char *at, const char *end, Quote quote)
{
	while (at < end) {
		if (closes(at, end, quote))
			return at + (quote.triple ? 3 : 1);
		if (*at == '\\')
			at = skip_escape(at, end);
		else if (!quote.triple && lex_is_newline(*at))
			return NULL;
		else
			at++;
	}
	return NULL;
}

static const char *format_end(const char *at, const char *end, Quote quote, bool raw, unsigned depth);

/* A string inside the braces of an f-string, its quote at `at`; its prefix, if any, stands before it. */
static const char *inner_string_end(const char *at, const char *from, const char *end, unsigned depth)
{
	const char *word = at;
	while (word > from && at - word < 3 && lex_is_start(word[-1]))
		word--;
	LexPrefix prefix;
	if (!lex_string_prefix(word, (size_t)(at - word), &prefix))
		prefix = (LexPrefix){0};
	Quote quote = quote_at(&at, end);
	return prefix.format ? format_end(at, end, quote, prefix.raw, depth + 1) : plain_end(at, end, quote);
}

static const char *expression_end(const char *at, const char *end, unsigned depth)
{
	const char *from = at;
	uint32_t open = 0;
	while (at < end) {
		switch (*at) {
		case '\'': case '"':
			at = inner_string_end(at, from, end, depth);
			if (!at)
				return NULL;
			continue;
		case '#':
			while (at < end && !lex_is_newline(*at))
				at++;
			continue;
		case '(': case '[': case '{':
			open++;
			break;
		case ')': case ']':
			open -= open > 0;
			break;
		case '}':
			if (!open)
				return at;
			open--;
			break;
		case ':':
			if (!open)
				return at;
			break;
		case '!':
			if (!open && end - at >= 2 && at[1] != '=')
				return at;
			at += end - at >= 2 && at[1] == '=';
			break;
		default:
			break;
		}
		at++;
	}
	return NULL;
}

const char *lex_field_end(const char *at, const char *end)
{
	return expression_end(at, end, 0);
}

/* After the `{` of a field: the byte after its `}`. */
static const char *field_end(const char *at, const char *end, Quote quote, unsigned depth)
{
	if (depth > LEX_MAX_FSTRING)
		return NULL;
	at = expression_end(at, end, depth);
	while (at && at < end && *at != ':' && *at != '}')
		at++;
	if (!at || at >= end)
		return NULL;
	if (*at == '}')
		return at + 1;
	for (at++; at < end;) {
		if (*at == '}')
			return at + 1;
		if (closes(at, end, quote) || (!quote.triple && lex_is_newline(*at)))
			return NULL;
		at = *at == '{' ? field_end(at + 1, end, quote, depth + 1) : at + 1;
		if (!at)
			return NULL;
	}
	return NULL;
}

static const char *format_end(const char *at, const char *end, Quote quote, bool raw, unsigned depth)
{
	if (depth > LEX_MAX_FSTRING)
		return NULL;
	while (at && at < end) {
		if (closes(at, end, quote))
			return at + (quote.triple ? 3 : 1);
		if (!quote.triple && lex_is_newline(*at))
			return NULL;
		if (*at == '\\') {
			bool named = !raw && end - at >= 3 && at[1] == 'N' && at[2] == '{';
			if (named)
				at += 3;
			else if (end - at >= 2 && (at[1] == '{' || at[1] == '}'))
				at++;
			else
				at = skip_escape(at, end);
			while (named && at < end && *at != '}' && !closes(at, end, quote) && !lex_is_newline(*at))
				at++;
			at += named && at < end && *at == '}';
		} else if (*at == '{') {
			if (end - at >= 2 && at[1] == '{')
				at += 2;
			else
				at = field_end(at + 1, end, quote, depth);
		} else {
			at++;
		}
	}
	return NULL;
}

const char *lex_string_end(Lexer *lx, const char *at, LexPrefix prefix)
{
	Quote quote = quote_at(&at, lx->end);
	/* Scans that found nothing are paid for only so often: many of them in a row would be quadratic. */
	if (prefix.format && lx->wasted <= 4 * lx->source->len + 65536) {
		const char *stop = format_end(at, lx->end, quote, prefix.raw, 0);
		if (stop)
			return stop;
		lx->wasted += (size_t)(lx->end - at);
	}
	return plain_end(at, lx->end, quote);
}
