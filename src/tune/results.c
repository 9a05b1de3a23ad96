/* The file of tuning results: reading, writing, merging, finding. */
#include "tune/results.h"

#include <ctype.h>
#include <stdlib.h>

enum { FORMAT = 1, FIELD_LONGEST = 4096 };

void tune_results_init(TuneResults *results, Arena *arena)
{
	*results = (TuneResults){.arena = arena};
}

/* ---- order ---- */

static int compare_but_driver(const TuneKey *a, const TuneKey *b)
{
	int order = strcmp(a->kernel, b->kernel);
	order = order ? order : strcmp(a->content, b->content);
	order = order ? order : strcmp(a->gpu, b->gpu);
	return order ? order : strcmp(a->key, b->key);
}

static int compare(const TuneKey *a, const TuneKey *b)
{
	int order = compare_but_driver(a, b);
	return order ? order : strcmp(a->driver, b->driver);
}

/* The first entry that is not before the key. */
static uint32_t place_of(const TuneResults *results, const TuneKey *key)
{
	uint32_t low = 0, high = results->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (compare(&results->at[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static TuneEntry copy_of(Arena *arena, const TuneEntry *entry)
{
	TuneEntry copy = *entry;
	copy.key.kernel = arena_strdup(arena, entry->key.kernel);
	copy.key.content = arena_strdup(arena, entry->key.content);
	copy.key.gpu = arena_strdup(arena, entry->key.gpu);
	copy.key.driver = arena_strdup(arena, entry->key.driver);
	copy.key.key = arena_strdup(arena, entry->key.key);
	copy.config = arena_strdup(arena, entry->config);
	return copy;
}

static bool is_better(const TuneEntry *entry, const TuneEntry *than)
{
	if (entry->seconds > 0 && than->seconds > 0 &&
	    (entry->seconds < than->seconds || entry->seconds > than->seconds))
		return entry->seconds < than->seconds;
	return strcmp(entry->config, than->config) < 0;
}

static void add(TuneResults *results, const TuneEntry *entry, bool replace)
{
	uint32_t at = place_of(results, &entry->key);
	bool same = at < results->count && compare(&results->at[at].key, &entry->key) == 0;
	if (same && (replace || is_better(entry, &results->at[at])))
		results->at[at] = copy_of(results->arena, entry);
	if (same)
		return;
	if (results->count == results->room) {
		uint32_t room = results->room ? 2 * results->room : 64;
		results->at =
			arena_grow(results->arena, results->at, results->room * sizeof *results->at,
				   room * sizeof *results->at);
		results->room = room;
	}
	memmove(results->at + at + 1, results->at + at,
		(results->count - at) * sizeof *results->at);
	results->at[at] = copy_of(results->arena, entry);
	results->count++;
}

void tune_results_put(TuneResults *results, const TuneEntry *entry)
{
	add(results, entry, true);
}

void tune_results_merge(TuneResults *results, const TuneEntry *entry)
{
	add(results, entry, false);
}

const TuneEntry *tune_results_find(const TuneResults *results, const TuneKey *key, bool any_driver)
{
	uint32_t at = place_of(results, key);
	if (at < results->count && compare(&results->at[at].key, key) == 0)
		return &results->at[at];
	const TuneEntry *found = NULL;
	TuneKey first = *key;
	first.driver = "";
	for (at = place_of(results, &first); any_driver && at < results->count; at++) {
		if (compare_but_driver(&results->at[at].key, key) != 0)
			break;
		found = &results->at[at]; /* the last is that of the newest: drivers sort by their
					     numbers */
	}
	return found;
}

/* ---- writing ---- */

static void write_field(Text *out, const char *name, const char *value)
{
	text_printf(out, "\"%s\": ", name);
	text_json(out, value);
	text_str(out, ", ");
}

void tune_results_write(const TuneResults *results, Text *out)
{
	text_printf(out, "{\"neso-tuned\": %d, \"entries\": [", FORMAT);
	for (uint32_t i = 0; i < results->count; i++) {
		const TuneEntry *e = &results->at[i];
		text_str(out, i ? ",\n{" : "\n{");
		write_field(out, "kernel", e->key.kernel);
		write_field(out, "content", e->key.content);
		write_field(out, "gpu", e->key.gpu);
		write_field(out, "driver", e->key.driver);
		write_field(out, "key", e->key.key);
		write_field(out, "config", e->config);
		text_printf(out, "\"us\": %.6g, \"noise\": %.3g, \"tried\": %u}", e->seconds * 1e6,
			    e->noise, e->tried);
	}
	text_str(out, "\n]}\n");
}

/* ---- reading: the JSON that is above, with any blanks and in any order of fields ---- */

typedef struct Reader {
	Arena *arena;
	const char *at, *end;
	const char *why; /* NULL: no error */
	uint32_t line;
} Reader;

static bool wrong(Reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

static char peek(Reader *r)
{
	for (; r->at < r->end && isspace((unsigned char)*r->at); r->at++)
		r->line += *r->at == '\n';
	return r->at < r->end ? *r->at : '\0';
}

static bool take(Reader *r, char c)
{
	if (peek(r) != c)
		return wrong(r, arena_printf(r->arena, "'%c' is missing", c));
	r->at++;
	return true;
}

static void put_utf8(Text *out, unsigned code)
{
	if (code < 0x80) {
		text_char(out, (char)code);
	} else if (code < 0x800) {
		text_char(out, (char)(0xc0 | code >> 6));
		text_char(out, (char)(0x80 | (code & 63)));
	} else {
		text_char(out, (char)(0xe0 | code >> 12));
		text_char(out, (char)(0x80 | (code >> 6 & 63)));
		text_char(out, (char)(0x80 | (code & 63)));
	}
}

static bool read_escape(Reader *r, Text *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	if (r->at == r->end)
		return wrong(r, "a text does not end");
	char c = *r->at++;
	const char *known = c ? strchr(from, c) : NULL;
	if (known) {
		text_char(out, to[known - from]);
		return true;
	}
	unsigned code = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		if (c != 'u' || r->at == r->end || !isxdigit((unsigned char)*r->at))
			return wrong(r, "this escape is none of JSON's");
		char digit[2] = {*r->at, '\0'};
		code = code * 16 + (unsigned)strtoul(digit, NULL, 16);
	}
	if (!code || (code >= 0xd800 && code < 0xe000))
		return wrong(r, "this character cannot stand here");
	put_utf8(out, code);
	return true;
}

static const char *read_text(Reader *r)
{
	Text out;
	text_init(&out, r->arena);
	text_str(&out, "");
	if (!take(r, '"'))
		return NULL;
	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;
		if ((unsigned char)c < 0x20 || out.len > FIELD_LONGEST) {
			wrong(r, out.len > FIELD_LONGEST ? "a text is too long"
							 : "a text does not end in its line");
			return NULL;
		}
		if (c != '\\')
			text_char(&out, c);
		else if (!read_escape(r, &out))
			return NULL;
	}
	return take(r, '"') ? out.data : NULL;
}

static bool read_number(Reader *r, double *out)
{
	char text[64];
	size_t len = 0;
	peek(r);
	while (r->at < r->end && len + 1 < sizeof text && strchr("+-.0123456789eE", *r->at) &&
	       *r->at)
		text[len++] = *r->at++;
	text[len] = '\0';
	char *end = text;
	*out = len ? strtod(text, &end) : 0;
	return (len && !*end && *out >= 0 && *out < 1e15) ||
	       wrong(r, "a number that is not negative is wanted");
}

static bool read_member(Reader *r, TuneEntry *entry)
{
	const char *name = read_text(r);
	if (!name || !take(r, ':'))
		return false;
	const struct {
		const char *name, **to;
	} texts[] = {{"kernel", &entry->key.kernel}, {"content", &entry->key.content},
		     {"gpu", &entry->key.gpu},	     {"driver", &entry->key.driver},
		     {"key", &entry->key.key},	     {"config", &entry->config}};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (strcmp(name, texts[i].name) == 0)
			return (*texts[i].to = read_text(r)) != NULL;
	double number = 0;
	const char *unused = NULL;
	/* What a later version adds is passed over. */
	if (peek(r) == '"' ? !(unused = read_text(r)) : !read_number(r, &number))
		return false;
	if (strcmp(name, "us") == 0)
		entry->seconds = number * 1e-6;
	else if (strcmp(name, "noise") == 0)
		entry->noise = number;
	else if (strcmp(name, "tried") == 0)
		entry->tried = number < 1e9 ? (uint32_t)number : 0;
	return true;
}

static bool read_entry(Reader *r, TuneEntry *entry)
{
	*entry = (TuneEntry){0};
	if (!take(r, '{'))
		return false;
	do {
		if (!read_member(r, entry))
			return false;
	} while (peek(r) == ',' && r->at++);
	if (!take(r, '}'))
		return false;
	return (entry->key.kernel && entry->key.content && entry->key.gpu && entry->key.driver &&
		entry->key.key && entry->config) ||
	       wrong(r, "an entry wants kernel, content, gpu, driver, key and config");
}

static bool read_head(Reader *r)
{
	double version = 0;
	const char *name = take(r, '{') ? read_text(r) : NULL;
	if (!name || strcmp(name, "neso-tuned") != 0)
		return wrong(r, "this is no file of tuning results: it does not begin with "
				"{\"neso-tuned\": 1");
	if (!take(r, ':') || !read_number(r, &version))
		return false;
	if (version > FORMAT)
		return wrong(r, "a newer version of Neso wrote it");
	name = take(r, ',') ? read_text(r) : NULL;
	return (name && strcmp(name, "entries") == 0 && take(r, ':') && take(r, '[')) ||
	       wrong(r, "\"entries\" is missing");
}

static bool read_all(Reader *r, TuneResults *results)
{
	if (!read_head(r))
		return false;
	while (peek(r) == '{') {
		TuneEntry entry;
		if (!read_entry(r, &entry))
			return false;
		tune_results_merge(results, &entry);
		if (peek(r) != ',')
			break;
		r->at++;
	}
	return take(r, ']') && take(r, '}') &&
	       (!peek(r) || wrong(r, "there is more behind its end"));
}

bool tune_results_read(TuneResults *results, Str text, const char **why, uint32_t *line)
{
	Reader r = {.arena = results->arena, .at = text.ptr, .end = text.ptr + text.len, .line = 1};
	bool good = read_all(&r, results);
	*why = r.why;
	*line = r.line;
	return good;
}
