/* Reads files of declarations: a line each, comments from # on. */
#include "base/os.h"
#include "jit/declare/declare.h"
#include "jit/inner.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

typedef struct Reader {
	Arena *arena;
	const char *file, *line;
	uint32_t number;
	DiagList *diags;
} Reader;

static bool wrong(const Reader *r, const char *at, const char *why)
{
	diag_add_at(r->diags, r->file, (LineCol){r->number, (uint32_t)(at - r->line) + 1}, DIAG_DECLARATION,
		    why);
	return false;
}

/* The end of the bracketed text that begins here, behind its last bracket; NULL: it is not closed.
 */
static const char *behind_bracket(const char *at)
{
	int depth = 0;
	char quote = 0;
	for (; *at; at++) {
		if (quote) {
			at += *at == '\\' && at[1];
			quote = *at == quote ? 0 : quote;
		} else if (*at == '\'' || *at == '"') {
			quote = *at;
		} else if (strchr("([{", *at)) {
			depth++;
		} else if (strchr(")]}", *at) && --depth == 0) {
			return at + 1;
		}
	}
	return NULL;
}

static bool read_line(const Reader *r, JitDeclaration *out)
{
	static const char control[] = "control";
	const size_t word = sizeof control - 1;
	const char *at = r->line;
	while (is_blank(*at))
		at++;
	*out = (JitDeclaration){.file = r->file, .line = r->number, .text = r->line};
	if (strncmp(at, control, word) == 0 && is_blank(at[word])) {
		out->is_control = true;
		at += word;
		while (is_blank(*at))
			at++;
	}
	/* A path may have brackets; a kernel's name has none. */
	const char *colon = NULL, *open = NULL;
	for (const char *p = at; *p && !open; p++) {
		if (*p == ':' && p[1] != '\\' && p[1] != '/')
			colon = p;
		else if (*p == '(' && colon && memchr(colon, '/', (size_t)(p - colon)) == NULL)
			open = p;
	}
	if (!colon || !open || colon == at || open == colon + 1)
		return wrong(r, at, "a declaration begins with FILE.py:KERNEL(");
	const char *end = behind_bracket(open);
	if (!end)
		return wrong(r, open, "this bracket is not closed");
	out->path = arena_strndup(r->arena, at, (size_t)(colon - at));
	out->kernel = arena_strndup(r->arena, colon + 1, (size_t)(open - colon) - 1);
	out->params = arena_strndup(r->arena, open + 1, (size_t)(end - open) - 2);
	out->params_at = (size_t)(open - r->line) + 1;
	out->options = end;
	out->options_at = (size_t)(end - r->line);
	if (out->is_control && out->options[strspn(out->options, " \t\r")])
		return wrong(r, end, "nothing follows the parameters of a control line");
	return true;
}

/* Where a comment begins, or the line ends: a # in quotes is none. */
static size_t content_len(const char *line, size_t len)
{
	char quote = 0;
	for (size_t i = 0; i < len; i++) {
		if (quote)
			quote = line[i] == quote ? 0 : quote;
		else if (line[i] == '\'' || line[i] == '"')
			quote = line[i];
		else if (line[i] == '#')
			return i;
	}
	return len;
}

bool jit_declarations_read(Arena *arena, const char *file, const Str *given, JitDeclarations *out,
			   DiagList *diags)
{
	Reader r = {.arena = arena, .file = arena_strdup(arena, file), .diags = diags};
	Str text;
	const char *error;
	const uint32_t before = diags->errors;
	if (given) {
		text = *given;
	} else if (!os_read_file(arena, file, &text, &error)) {
		diag_add_at(diags, file, (LineCol){0, 0}, DIAG_DECLARATION,
			    arena_printf(arena, "it cannot be read: %s", error));
		return false;
	}
	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);
		const size_t len = end ? (size_t)(end - (text.ptr + at)) : text.len - at;
		const size_t content = content_len(text.ptr + at, len);
		r.line = arena_strndup(arena, text.ptr + at, content);
		r.number++;
		at += len + 1;
		JitDeclaration declaration;
		if (r.line[strspn(r.line, " \t\r")] && read_line(&r, &declaration))
			vec_push(arena, out, declaration);
	}
	return diags->errors == before;
}
