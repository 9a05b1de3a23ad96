/* neso lsp: a language server on standard input and output. What neso check finds is published
 * when a file is opened and when it is saved.
 *
 * Messages are JSON-RPC behind a head with Content-Length. Only whole files are taken, so
 * nothing is kept of them. */
#define _GNU_SOURCE /* open_memstream */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/check.h"
#include "cli/json.h"

enum { MOST_BYTES = 64 << 20, MOST_SHOWN = 200 };

static const Option options[] = {
	{"target", 0, "NAME", "check for this: interp (the default), or a GPU: sm_80, sm_90a, ..."},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

/* ---- messages ---- */

/* NULL at the end of the input, or where it is no message. */
static char *read_message(void)
{
	char line[256];
	size_t len = 0;
	for (;;) {
		if (!fgets(line, sizeof line, stdin))
			return NULL;
		static const char head[] = "Content-Length:";
		if (strncmp(line, head, sizeof head - 1) == 0)
			len = (size_t)strtoul(line + sizeof head - 1, NULL, 10);
		else if (line[strspn(line, "\r\n")] == '\0')
			break;
	}
	if (!len || len > MOST_BYTES)
		return NULL;
	char *text = take(len + 1);
	if (fread(text, 1, len, stdin) == len)
		return text;
	free(text);
	return NULL;
}

static void put_text(FILE *to, const char *text, size_t len)
{
	fputc('"', to);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20)
			fprintf(to, "\\u%04x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

typedef struct Message {
	char *text;
	size_t len;
	FILE *to;
} Message;

static void begin(Message *m)
{
	*m = (Message){0};
	m->to = open_memstream(&m->text, &m->len);
	if (!m->to)
		exit(input_error("no memory"));
	fputs("{\"jsonrpc\": \"2.0\", ", m->to);
}

static void end(Message *m)
{
	fputc('}', m->to);
	fclose(m->to);
	char *head = take_printf("Content-Length: %zu\r\n\r\n", m->len);
	if (!print_raw(head, strlen(head)) || !print_raw(m->text, m->len))
		exit(EXIT_INPUT);
	free(head);
	free(m->text);
}

/* ids are numbers or texts. */
static void put_id(FILE *to, const Json *id)
{
	fputs("\"id\": ", to);
	if (id && id->kind == JSON_TEXT)
		put_text(to, id->text, strlen(id->text));
	else
		fputs(id && id->kind == JSON_NUMBER ? id->text : "null", to);
}

static void answer(const Json *id, const char *result)
{
	Message m;
	begin(&m);
	put_id(m.to, id);
	fprintf(m.to, ", \"result\": %s", result);
	end(&m);
}

static void refuse(const Json *id, int code, const char *why)
{
	Message m;
	begin(&m);
	put_id(m.to, id);
	fprintf(m.to, ", \"error\": {\"code\": %d, \"message\": ", code);
	put_text(m.to, why, strlen(why));
	fputc('}', m.to);
	end(&m);
}

/* ---- places ---- */

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

/* "file:///a%20b.py"; NULL: of no file. */
static char *path_of(const char *uri)
{
	static const char scheme[] = "file://";
	if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
		return NULL;
	const char *at = uri + sizeof scheme - 1;
	char *path = take(strlen(at) + 1), *to = path;
	for (; *at; at++) {
		int high = *at == '%' ? hex_digit(at[1]) : -1, low = high >= 0 ? hex_digit(at[2]) : -1;
		*to++ = low >= 0 ? (char)(high * 16 + low) : *at;
		at += low >= 0 ? 2 : 0;
	}
	return path;
}

/* The number of UTF-16 units before a column, which counts code points from 1. */
static unsigned units_before(const char *line, unsigned column)
{
	unsigned units = 0, at = 1;
	for (const unsigned char *c = (const unsigned char *)line; line && *c && at < column; c++) {
		if ((*c & 0xc0) == 0x80)
			continue;
		units += *c >= 0xf0 ? 2 : 1;
		at++;
	}
	return line ? units : column ? column - 1 : 0;
}

/* ---- diagnostics ---- */

typedef struct Shown {
	FILE *to;
	const char *path;
	const neso_diagnostic *seen[MOST_SHOWN]; /* those of a helper come with each of its callers */
	size_t count;
} Shown;

static bool was_shown(const Shown *s, const neso_diagnostic *d)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->seen[i]->line == d->line && s->seen[i]->column == d->column &&
		    strcmp(s->seen[i]->text, d->text) == 0)
			return true;
	return s->count == MOST_SHOWN;
}

/* What is in another file stands at the first line, with its place. */
static void show(Shown *s, const neso_diagnostic *d)
{
	bool here = d->path && strcmp(d->path, s->path) == 0;
	if (was_shown(s, d))
		return;
	unsigned line = here && d->line ? d->line - 1 : 0,
		 end_line = here && d->end_line ? d->end_line - 1 : line;
	unsigned from = here ? units_before(d->source_line, d->column) : 0;
	unsigned to = here && end_line == line ? units_before(d->source_line, d->end_column) : from;
	Message m = {0};
	m.to = open_memstream(&m.text, &m.len);
	if (!m.to)
		exit(input_error("no memory"));
	if (!here && d->path)
		fprintf(m.to, "%s:%u:%u: ", d->path, (unsigned)d->line, (unsigned)d->column);
	fputs(d->text, m.to);
	for (size_t i = 0; i < d->note_count; i++)
		fprintf(m.to, "\n%s", d->notes[i]->text);
	fclose(m.to);
	fprintf(s->to,
		"%s{\"range\": {\"start\": {\"line\": %u, \"character\": %u}, \"end\": {\"line\": %u, "
		"\"character\": %u}}, "
		"\"severity\": %d, \"source\": \"neso\", \"code\": \"%s\", \"message\": ",
		s->count ? ", " : "", line, from, end_line, to > from || end_line > line ? to : from + 1,
		d->severity == NESO_ERROR ? 1 : 2, d->code);
	put_text(s->to, m.text, m.len);
	fputc('}', s->to);
	free(m.text);
	s->seen[s->count++] = d;
}

static void show_all(Shown *s, const neso_diagnostics *diagnostics)
{
	for (size_t i = 0; i < neso_diagnostics_count(diagnostics); i++)
		show(s, neso_diagnostics_get(diagnostics, i));
}

/* text: NULL: nothing is wrong any more. */
static void publish(const Check *check, const char *uri, const char *text)
{
	char *path = path_of(uri);
	Checked checked;
	Message m;
	begin(&m);
	fputs("\"method\": \"textDocument/publishDiagnostics\", \"params\": {\"uri\": ", m.to);
	put_text(m.to, uri, strlen(uri));
	fputs(", \"diagnostics\": [", m.to);
	if (path && text) {
		Shown shown = {.to = m.to, .path = path};
		check_file(check, path, text, strlen(text), NULL, &checked);
		show_all(&shown, checked.diagnostics);
		for (size_t i = 0; i < checked.kernel_count; i++)
			show_all(&shown, checked.kernels[i].diagnostics);
		checked_free(&checked);
	}
	fputs("]}", m.to);
	end(&m);
	free(path);
}

/* ---- the server ---- */

static const char capabilities[] = "{\"capabilities\": {\"textDocumentSync\": {\"openClose\": true, "
				   "\"change\": 0, \"save\": {\"includeText\": true}}}, "
				   "\"serverInfo\": {\"name\": \"neso\"}}";

static const char *text_at(const Json *from, const char *a, const char *b)
{
	const Json *v = from ? json_member(from, a) : NULL;
	v = v && b ? json_member(v, b) : v;
	return v && v->kind == JSON_TEXT ? v->text : NULL;
}

static void on_save(const Check *check, const char *uri, const Json *params)
{
	const char *text = text_at(params, "text", NULL);
	char *path = text ? NULL : path_of(uri), *read = NULL;
	size_t len;
	if (path && (read = read_file(path, &len)))
		text = read;
	if (text)
		publish(check, uri, text);
	free(read);
	free(path);
}

/* A request or a notification. */
static void handle(const Check *check, const char *method, const Json *id, const Json *params)
{
	const char *uri = text_at(params, "textDocument", "uri");
	if (strcmp(method, "initialize") == 0)
		answer(id, capabilities);
	else if (strcmp(method, "shutdown") == 0)
		answer(id, "null");
	else if (strcmp(method, "textDocument/didOpen") == 0 && uri &&
		 text_at(params, "textDocument", "text"))
		publish(check, uri, text_at(params, "textDocument", "text"));
	else if (strcmp(method, "textDocument/didSave") == 0 && uri)
		on_save(check, uri, params);
	else if (strcmp(method, "textDocument/didClose") == 0 && uri)
		publish(check, uri, NULL);
	else if (id)
		refuse(id, -32601, "this server has no such method");
}

static int serve(const Check *check)
{
	bool down = false;
	for (char *text; (text = read_message()); free(text)) {
		size_t line;
		const char *why;
		const Json *message = json_read(text, &line, &why);
		const Json *method = message ? json_member(message, "method") : NULL;
		if (!message)
			refuse(NULL, -32700, why);
		if (!method || method->kind != JSON_TEXT)
			continue;
		if (strcmp(method->text, "exit") == 0)
			return down ? EXIT_DONE : EXIT_INPUT;
		down |= strcmp(method->text, "shutdown") == 0;
		handle(check, method->text, json_member(message, "id"), json_member(message, "params"));
	}
	return down ? EXIT_DONE : EXIT_INPUT;
}

static int lsp(const Parsed *parsed)
{
	enum { LONGEST = 30 }; /* seconds of a kernel */
	Check check = {0};
	if (parsed->arg_count)
		return usage_error("neso lsp takes no arguments: it speaks with an editor");
	if (!compile_options(parsed, &check.compile))
		return EXIT_USAGE;
	check.compile.compile_timeout = LONGEST;
	if (!(check.context = check_context(parsed)))
		return EXIT_INPUT;
	int result = serve(&check);
	neso_context_free(check.context);
	return result;
}

const Command command_lsp = {
	"lsp",
	"",
	"Language server: what neso check finds, in an editor",
	"It speaks the language server protocol on standard input and output. Diagnostics are published when "
	"a file is opened\n"
	"and when it is saved. How editors start it: docs/tools.md.\n",
	options,
	lsp,
};
