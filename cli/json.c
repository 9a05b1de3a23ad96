/* Reading JSON (RFC 8259): recursive descent, nested to a bound. */
#include "cli/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { DEEPEST = 64 };

typedef struct Reader {
	const char *at;
	size_t line;
	unsigned depth;
	const char *why; /* the first fault */
} Reader;

static bool wrong(Reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

static void skip_space(Reader *r)
{
	for (; *r->at && strchr(" \t\r\n", *r->at); r->at++)
		r->line += *r->at == '\n';
}

static bool take_char(Reader *r, char c)
{
	skip_space(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

/* ---- strings ---- */

static size_t put_utf8(char *out, uint32_t c)
{
	static const struct {
		uint32_t below;
		unsigned mark;
	} lengths[] = {{0x80, 0}, {0x800, 0xc0}, {0x10000, 0xe0}, {0x110000, 0xf0}};
	size_t more = 0;
	while (c >= lengths[more].below)
		more++;
	out[0] = (char)(lengths[more].mark | c >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
	return more + 1;
}

static bool read_hex(Reader *r, uint32_t *out)
{
	char digits[5] = "";
	if (strspn(r->at, "0123456789abcdefABCDEF") < 4)
		return wrong(r, "\\u wants four hexadecimal digits");
	memcpy(digits, r->at, 4);
	*out = (uint32_t)strtoul(digits, NULL, 16);
	r->at += 4;
	return true;
}

/* Behind the backslash. */
static bool read_escape(Reader *r, char *out, size_t *len)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	uint32_t c, low;
	const char *found = *r->at ? strchr(letters, *r->at) : NULL;
	if (found) {
		out[(*len)++] = meanings[found - letters];
		r->at++;
		return true;
	}
	if (*r->at != 'u')
		return wrong(r, "there is no such escape");
	r->at++;
	if (!read_hex(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') {
		r->at += 2;
		if (!read_hex(r, &low))
			return false;
		c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
	}
	if (c == 0 || (c >= 0xd800 && c < 0xe000))
		return wrong(r, "there is no such character");
	*len += put_utf8(out + *len, c);
	return true;
}

/* Behind the opening quote. */
static const char *read_string(Reader *r)
{
	const char *end = r->at;
	while (*end && *end != '"')
		end += 1 + (*end == '\\' && end[1]);
	char *out = take((size_t)(end - r->at) + 8); /* escapes are longer than what they mean */
	size_t len = 0;
	while (*r->at && *r->at != '"') {
		if ((unsigned char)*r->at < 0x20) {
			wrong(r, "a string ends on its line");
			return NULL;
		}
		if (*r->at != '\\')
			out[len++] = *r->at++;
		else if (r->at++, !read_escape(r, out, &len))
			return NULL;
	}
	if (*r->at != '"') {
		wrong(r, "a string is not closed");
		return NULL;
	}
	r->at++;
	return out;
}

/* ---- values ---- */

static bool read_value(Reader *r, Json *out);

/* Behind the bracket that opens a list or an object. */
static bool read_items(Reader *r, Json *out, char close)
{
	if (take_char(r, close))
		return true;
	do {
		Json item = {0};
		const char *name = NULL;
		if (out->kind == JSON_OBJECT) {
			if (!take_char(r, '"') || !(name = read_string(r)) || !take_char(r, ':'))
				return wrong(r, "an object wants \"NAME\": VALUE");
		}
		if (!read_value(r, &item))
			return false;
		item.name = name;
		out->items = take_more(out->items, (out->count + 1) * sizeof *out->items);
		out->items[out->count++] = item;
	} while (take_char(r, ','));
	return take_char(r, close) || wrong(r, out->kind == JSON_OBJECT ? "'}' or ',' is missing" : "']' or ',' is missing");
}

static bool read_word(Reader *r, Json *out)
{
	static const struct {
		const char *word, *python;
		JsonKind kind;
	} words[] = {{"null", "None", JSON_NULL}, {"true", "True", JSON_TRUE}, {"false", "False", JSON_FALSE}};
	for (int i = 0; i < 3; i++)
		if (strncmp(r->at, words[i].word, strlen(words[i].word)) == 0) {
			r->at += strlen(words[i].word);
			out->kind = words[i].kind;
			out->text = words[i].python;
			return true;
		}
	size_t len = strspn(r->at, "+-.0123456789eE");
	if (!len || !(*r->at == '-' || (*r->at >= '0' && *r->at <= '9')))
		return wrong(r, *r->at ? "here is no value" : "it ends too early");
	char *end, *text = take_text(r->at, len);
	strtod(text, &end);
	if (*end)
		return wrong(r, "this is no number");
	out->kind = JSON_NUMBER;
	out->text = text;
	r->at += len;
	return true;
}

static bool read_value(Reader *r, Json *out)
{
	skip_space(r);
	out->line = r->line;
	char c = *r->at;
	if (c == '"') {
		r->at++;
		out->kind = JSON_TEXT;
		return (out->text = read_string(r)) != NULL;
	}
	if (c != '{' && c != '[')
		return read_word(r, out);
	if (r->depth == DEEPEST)
		return wrong(r, "it is nested too deeply");
	r->at++;
	r->depth++;
	out->kind = c == '{' ? JSON_OBJECT : JSON_LIST;
	bool good = read_items(r, out, c == '{' ? '}' : ']');
	r->depth--;
	return good;
}

Json *json_read(const char *text, size_t *line, const char **why)
{
	Reader r = {.at = text, .line = 1};
	Json *out = take(sizeof *out);
	bool good = read_value(&r, out);
	skip_space(&r);
	if (good && *r.at)
		good = wrong(&r, "something follows its end");
	*line = r.line;
	*why = r.why;
	return good ? out : NULL;
}

const Json *json_member(const Json *object, const char *name)
{
	for (size_t i = 0; object->kind == JSON_OBJECT && i < object->count; i++)
		if (strcmp(object->items[i].name, name) == 0)
			return &object->items[i];
	return NULL;
}
