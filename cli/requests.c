/* What neso compile is to compile: arguments with signatures, and lists of them, as lines or as JSON. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/batch.h"
#include "cli/json.h"

#include <neso/declare.h>

const Option request_options[] = {
	OPTION_SIGNATURE,
	OPTIONS_COMPILE,
	{NULL, 0, NULL, NULL},
};

const char *const listed_options[LISTED_OPTIONS] = {"num-warps", "num-stages", "num-ctas", "maxnreg", "target", "constexpr"};

bool is_batch(const Parsed *parsed)
{
	size_t signatures = 0;
	for (size_t i = 0; i < parsed->given_count; i++) {
		const Given *g = &parsed->given[i];
		signatures += strcmp(g->option->name, "signature") == 0;
		static const char *const many[] = {"declared", "shard", "pack", "count"};
		for (size_t k = 0; k < sizeof many / sizeof *many; k++)
			if (strcmp(g->option->name, many[k]) == 0)
				return true;
		if (strcmp(g->option->name, "list") == 0 || strcmp(g->option->name, "jobs") == 0 || signatures > 1)
			return true;
		for (size_t k = 0; k < LISTED_OPTIONS; k++)
			if (strcmp(g->option->name, listed_options[k]) == 0 && strchr(g->value, ','))
				return true;
		/* Alternatives of a signature. */
		if (strcmp(g->option->name, "signature") == 0 && (strchr(g->value, '{') || strstr(g->value, ":*")))
			return true;
	}
	return parsed->arg_count > 1;
}

/* A path of a list is meant from the list's folder. */
static const char *path_from(const char *folder, const char *path)
{
	return folder && path[0] != '/' ? take_printf("%s%s", folder, path) : path;
}

static void add(Requests *out, const char *where, const char *folder, const char *signature, const Parsed *parsed, const char *from)
{
	const char *colon = strrchr(where, ':');
	char *path = take_text(where, colon ? (size_t)(colon - where) : strlen(where));
	out->at = take_more(out->at, (out->count + 1) * sizeof *out->at);
	out->at[out->count++] = (Request){
		.where = path_from(folder, where), .path = path_from(folder, path), .signature = signature, .parsed = *parsed, .from = from};
}

/* ---- arguments ---- */

static bool is_signature(const Given *given)
{
	return strcmp(given->option->name, "signature") == 0;
}

/* The arguments [from, to) with the signatures given at `at`, else with those before the first argument. */
static void add_group(const Parsed *parsed, size_t from, size_t to, size_t at, const char *folder, const char *source, Requests *out)
{
	for (size_t a = from; a < to; a++) {
		size_t before = out->count;
		for (size_t i = 0; i < parsed->given_count; i++)
			if (is_signature(&parsed->given[i]) && parsed->given[i].args_before == at)
				add(out, parsed->args[a], folder, parsed->given[i].value, parsed, source);
		if (out->count == before && at)
			add_group(parsed, a, a + 1, 0, folder, source, out);
		else if (out->count == before)
			add(out, parsed->args[a], folder, "", parsed, source);
	}
}

static void add_arguments(const Parsed *parsed, const char *folder, const char *source, Requests *out)
{
	size_t from = 0;
	for (size_t i = 0; i < parsed->given_count; i++)
		if (is_signature(&parsed->given[i]) && parsed->given[i].args_before > from) {
			add_group(parsed, from, parsed->given[i].args_before, parsed->given[i].args_before, folder, source, out);
			from = parsed->given[i].args_before;
		}
	add_group(parsed, from, parsed->arg_count, 0, folder, source, out);
}

/* Those of the command line that a list's own add to. */
static Given *inherited(const Parsed *parsed, size_t more, size_t *count)
{
	Given *given = take((parsed->given_count + more) * sizeof *given);
	*count = 0;
	for (size_t i = 0; i < parsed->given_count; i++)
		if (!is_signature(&parsed->given[i]))
			given[(*count)++] = parsed->given[i];
	return given;
}

/* ---- lists of lines ---- */

/* The words of a line as a shell takes them: quotes, backslashes, and # for a comment. NULL: a quote is not closed. */
static char **words_of(const char *line, size_t *count)
{
	char **words = take((strlen(line) + 1) * sizeof *words);
	*count = 0;
	for (const char *p = line;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (!*p || *p == '#')
			return words;
		char *word = take(strlen(p) + 1), quote = 0;
		size_t len = 0;
		for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
			if (*p == quote)
				quote = 0;
			else if (!quote && (*p == '\'' || *p == '"'))
				quote = *p;
			else if (*p == '\\' && quote != '\'' && p[1])
				word[len++] = *++p;
			else
				word[len++] = *p;
		}
		if (quote)
			return NULL;
		words[(*count)++] = word;
	}
}

static int read_lines(const Parsed *parsed, const char *path, const char *folder, char *text, Requests *out)
{
	size_t number = 1;
	for (char *line = text; line; number++) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		size_t count;
		const char *source = take_printf("%s:%zu", path, number);
		char **words = words_of(line, &count);
		Parsed own;
		line = end ? end + 1 : NULL;
		if (!words)
			return input_error("%s: a quote is not closed", source);
		if (!count)
			continue;
		if (!options_parse(request_options, (int)count, words, &own))
			return input_error("%s: this is no kernel with options", source);
		if (!own.arg_count)
			return input_error("%s: a line wants FILE.py:KERNEL", source);
		size_t given;
		Given *all = inherited(parsed, own.given_count, &given);
		if (own.given_count)
			memcpy(all + given, own.given, own.given_count * sizeof *all);
		own.given = all;
		own.given_count += given;
		add_arguments(&own, folder, source, out);
	}
	return EXIT_DONE;
}

/* ---- JSON ---- */

static bool is_scalar(const Json *value)
{
	return value->kind != JSON_LIST && value->kind != JSON_OBJECT;
}

static bool all_scalars(const Json *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!is_scalar(&list->items[i]))
			return false;
	return list->count > 0;
}

static const char *joined(const Json *list, const char *open, const char *close)
{
	const char *text = open;
	for (size_t i = 0; i < list->count; i++)
		text = take_printf("%s%s%s", text, i ? "," : "", list->items[i].text);
	return take_printf("%s%s", text, close);
}

/* A text, or a list of an entry per parameter, of which each is a value or a list of alternatives. NULL: neither. */
static const char *signature_of(const Json *value)
{
	if (value->kind == JSON_TEXT)
		return value->text;
	if (value->kind != JSON_LIST)
		return NULL;
	const char *text = "";
	for (size_t i = 0; i < value->count; i++) {
		const Json *entry = &value->items[i];
		if (!is_scalar(entry) && (entry->kind != JSON_LIST || !all_scalars(entry)))
			return NULL;
		text = take_printf("%s%s%s", text, i ? "," : "", is_scalar(entry) ? entry->text : joined(entry, "{", "}"));
	}
	return text;
}

static const Option *option_of(const char *name)
{
	char *dashed = take_text(name, strlen(name));
	for (char *c = dashed; *c; c++)
		*c = *c == '_' ? '-' : *c;
	for (const Option *o = request_options; o->name; o++)
		if (strcmp(o->name, dashed) == 0 && strcmp(o->name, "signature") != 0)
			return o;
	return NULL;
}

/* Members of an object that are options. */
static int add_options(const Json *object, const char *path, Given *given, size_t *count)
{
	static const char *const others[] = {"kernel", "kernels", "file", "signature", "signatures"};
	for (size_t i = 0; i < object->count; i++) {
		const Json *m = &object->items[i];
		const Option *option = option_of(m->name);
		bool known = false;
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			known = known || strcmp(m->name, others[k]) == 0;
		if (known || (option && m->kind == JSON_FALSE && !option->value))
			continue;
		if (!option)
			return input_error("%s:%zu: no option '%s'", path, m->line, m->name);
		bool fits = option->value ? (m->kind == JSON_LIST ? all_scalars(m) : m->kind == JSON_TEXT || m->kind == JSON_NUMBER)
					  : m->kind == JSON_TRUE;
		if (!fits)
			return input_error("%s:%zu: '%s' wants %s", path, m->line, m->name,
					   option->value ? "a value or a list of values" : "true or false");
		given[(*count)++] = (Given){option, !option->value ? "" : m->kind == JSON_LIST ? joined(m, "", "") : m->text, 0};
	}
	return EXIT_DONE;
}

static int add_object(const Parsed *parsed, const Json *top, const Json *object, const char *path, const char *folder, Requests *out)
{
	const Json *kernel = json_member(object, "kernel"), *file = json_member(object, "file");
	const Json *one = json_member(object, "signature"), *many = json_member(object, "signatures");
	const char *source = take_printf("%s:%zu", path, object->line);
	if (object->kind != JSON_OBJECT || (!kernel && !file) || (kernel && kernel->kind != JSON_TEXT) ||
	    (file && file->kind != JSON_TEXT))
		return input_error("%s: a kernel is an object with \"kernel\": \"FILE.py:KERNEL\"", source);
	Parsed own = {0};
	own.given = inherited(parsed, top->count + object->count, &own.given_count);
	int result = top->kind == JSON_OBJECT ? add_options(top, path, own.given, &own.given_count) : EXIT_DONE;
	if (result == EXIT_DONE)
		result = add_options(object, path, own.given, &own.given_count);
	if (result != EXIT_DONE)
		return result;
	const char *where = !file ? kernel->text : !kernel ? file->text : take_printf("%s:%s", file->text, kernel->text);
	const char *signature = one ? signature_of(one) : "";
	if (!signature || (many && many->kind != JSON_LIST))
		return input_error("%s: a signature is a text or a list with an entry per parameter, \"signatures\" a list of them", source);
	if (one || !many)
		add(out, where, folder, signature, &own, source);
	for (size_t i = 0; many && i < many->count; i++) {
		signature = signature_of(&many->items[i]);
		if (!signature)
			return input_error("%s:%zu: this is no signature", path, many->items[i].line);
		add(out, where, folder, signature, &own, take_printf("%s:%zu", path, many->items[i].line));
	}
	return EXIT_DONE;
}

static int read_json(const Parsed *parsed, const char *path, const char *folder, const char *text, Requests *out)
{
	size_t line;
	const char *why;
	const Json *top = json_read(text, &line, &why);
	if (!top)
		return input_error("%s:%zu: %s", path, line, why);
	const Json *kernels = top->kind == JSON_LIST ? top : json_member(top, "kernels");
	if (!kernels || kernels->kind != JSON_LIST)
		return input_error("%s: it has no list \"kernels\"", path);
	for (size_t i = 0; i < kernels->count; i++) {
		int result = add_object(parsed, top, &kernels->items[i], path, folder, out);
		if (result != EXIT_DONE)
			return result;
	}
	return EXIT_DONE;
}

/* ---- all ---- */

static int read_list(const Parsed *parsed, const char *path, Requests *out)
{
	size_t len;
	char *text = read_file(path, &len);
	if (!text)
		return EXIT_INPUT;
	const char *slash = strrchr(path, '/'), *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
	const char *folder = slash ? take_text(path, (size_t)(slash - path) + 1) : NULL;
	char first = text[strspn(text, " \t\r\n")];
	return first == '{' || first == '[' ? read_json(parsed, name, folder, text, out) : read_lines(parsed, name, folder, text, out);
}

/* ---- declarations ---- */

typedef struct Declared {
	const Parsed *parsed;
	Requests *out;
	bool controls; /* those, or the others */
} Declared;

static void add_declaration(void *data, const neso_declaration *d)
{
	const Declared *to = data;
	if (d->is_control != to->controls)
		return;
	const char *where = take_printf("%s:%s", d->path, d->kernel);
	add(to->out, where, NULL, "", to->parsed, take_printf("%s:%u", d->file, (unsigned)d->line));
	Request *request = &to->out->at[to->out->count - 1];
	request->declaration = take_text(d->text, strlen(d->text));
	request->file = take_text(d->file, strlen(d->file));
	request->line = d->line;
	request->is_control = d->is_control;
}

/* Lines that say what is concluded from arguments come before those that they matter to. */
static int read_declared(const Parsed *parsed, const char *path, Requests *out)
{
	size_t len;
	char *text = strcmp(path, "-") == 0 ? read_file(path, &len) : NULL;
	if (strcmp(path, "-") == 0 && !text)
		return EXIT_INPUT;
	for (int controls = 1; controls >= 0; controls--) {
		Declared to = {parsed, out, controls != 0};
		neso_diagnostics *diagnostics;
		neso_status status = neso_declarations_read(NULL, text ? "<stdin>" : path, text,
							    add_declaration, &to, &diagnostics);
		int result = report(parsed, status, diagnostics);
		if (result != EXIT_DONE)
			return result;
	}
	return EXIT_DONE;
}

int requests_read(const Parsed *parsed, Requests *out)
{
	*out = (Requests){0};
	for (size_t i = 0; i < parsed->given_count; i++) {
		int result = strcmp(parsed->given[i].option->name, "declared") == 0
				     ? read_declared(parsed, parsed->given[i].value, out)
				     : EXIT_DONE;
		if (result != EXIT_DONE)
			return result;
	}
	add_arguments(parsed, NULL, NULL, out);
	for (size_t i = 0; i < parsed->given_count; i++) {
		int result = strcmp(parsed->given[i].option->name, "list") == 0 ? read_list(parsed, parsed->given[i].value, out) : EXIT_DONE;
		if (result != EXIT_DONE)
			return result;
	}
	return out->count ? EXIT_DONE : usage_error("neso compile wants FILE.py:KERNEL, or lists that name some");
}
