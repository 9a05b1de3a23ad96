/* neso view: one HTML page of a kernel. The command collects what the library tells as JSON;
 * cli/view/page.js draws it.
 *
 * The page asks nothing of the network. In its data "<" is written as an escape, so no text ends
 * the script that it stands in. */
#define _GNU_SOURCE /* open_memstream */
#include "cli/view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

static const Option options[] = {
	OPTION_SIGNATURE,
	{"output", 'o', "FILE", "the page (KERNEL.html)"},
	OPTIONS_COMPILE,
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

enum { MOST_LAYOUTS = 40, DEEPEST = 4 };

typedef struct PutLayout {
	const char *name, *linear;
} PutLayout;

typedef struct View {
	const Parsed *parsed;
	neso_context *context;
	neso_variant *variant;
	neso_variant_info info;
	neso_kernel_info kernel;
	FILE *to;
	size_t count; /* of what is being listed */
	PutLayout put[MOST_LAYOUTS];
} View;

/* ---- JSON ---- */

static void put_text(FILE *to, const char *text)
{
	if (!text) {
		fputs("null", to);
		return;
	}
	fputc('"', to);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(to, "\\%c", *c);
		else if (*c < 0x20 || *c == '<' || *c == 0x7f)
			fprintf(to, "\\u%04x", *c);
		else
			fputc(*c, to);
	}
	fputc('"', to);
}

static void put_member(FILE *to, const char *name, const char *text)
{
	fprintf(to, "\"%s\": ", name);
	put_text(to, text);
	fputs(", ", to);
}

/* ---- stages ---- */

static void put_stage(View *v, const char *stage)
{
	char *text = NULL;
	neso_diagnostics *diagnostics;
	neso_status status = neso_variant_text(v->variant, stage, &text, &diagnostics);
	const neso_diagnostic *first = neso_diagnostics_get(diagnostics, 0);
	fputs(v->count++ ? ",\n{" : "\n{", v->to);
	put_member(v->to, "name", stage);
	put_member(v->to, "why", status == NESO_OK ? NULL : first ? first->text : neso_status_text(status));
	fputs("\"text\": ", v->to);
	put_text(v->to, status == NESO_OK ? text : NULL);
	fputc('}', v->to);
	neso_text_free(text);
	neso_diagnostics_free(diagnostics);
}

static void put_stages(View *v)
{
	static const char *const stages[] = {"ttir", "ttgir", "llir", "ptx", "sass"};
	fputs("\"stages\": [", v->to);
	v->count = 0;
	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
		put_stage(v, stages[i]);
	fputs("],\n", v->to);
}

/* ---- remarks ---- */

static void put_remark(void *data, const neso_remark *r)
{
	static const char *const outcomes[] = {"done", "missed", "fact"};
	View *v = data;
	fputs(v->count++ ? ",\n{" : "\n{", v->to);
	put_member(v->to, "kind", r->kind);
	put_member(v->to, "rule", r->rule);
	put_member(v->to, "outcome", outcomes[r->outcome]);
	put_member(v->to, "path", r->path);
	put_member(v->to, "text", r->text);
	put_member(v->to, "advice", r->advice);
	fprintf(v->to, "\"line\": %u, \"column\": %u, \"times\": %u, \"figures\": {", (unsigned)r->line,
		(unsigned)r->column, (unsigned)r->times);
	for (size_t i = 0; i < r->figure_count; i++)
		fprintf(v->to, "%s\"%s\": %lld", i ? ", " : "", r->figures[i].name,
			(long long)r->figures[i].value);
	fputs("}}", v->to);
}

static neso_status put_remarks(View *v, neso_diagnostics **diagnostics)
{
	fputs("\"remarks\": [", v->to);
	v->count = 0;
	neso_status status = neso_variant_remarks(v->variant, put_remark, v, diagnostics);
	fputs("],\n", v->to);
	return status;
}

/* ---- layouts ---- */

/* A layout of the module, by its name there. */
typedef struct Layout {
	char *name, *type; /* "#blocked", "128x64xf16" */
} Layout;

/* The text behind "#name = ", with the aliases in it as texts, too; NULL: there is none. */
static char *alias_text(const char *ttgir, const char *name, int depth)
{
	char *head = take_printf("\n%s = ", name);
	const char *at = strncmp(ttgir, head + 1, strlen(head) - 1) == 0 ? ttgir - 1 : strstr(ttgir, head);
	if (!at || depth > DEEPEST)
		return NULL;
	at += strlen(head);
	char *text = take_text(at, strcspn(at, "\n"));
	for (char *hash = text; (hash = strchr(hash, '#'));) {
		size_t len = 1 + strspn(hash + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
		char *inner = hash[len] == '.' ? NULL : alias_text(ttgir, take_text(hash, len), depth + 1);
		size_t before = (size_t)(hash - text);
		if (inner)
			text = take_printf("%.*s%s%s", (int)before, text, inner, hash + len);
		hash = text + before + (inner ? strlen(inner) : len);
	}
	return text;
}

/* "{...} -> {...}", the first line of what neso layout prints; NULL: the encoding is of no such
 * tile. */
static char *linear_of(const View *v, const char *encoding, const char *type)
{
	char *out = NULL, *line = NULL;
	const char *target = strncmp(v->info.target, "sim:", 4) == 0 ? v->info.target + 4 : v->info.target;
	if (neso_layout_text(v->context, encoding, NULL, type, target, &out, NULL) == NESO_OK)
		line = take_text(out, strcspn(out, "\n"));
	neso_text_free(out);
	return line;
}

static unsigned bytes_of(const char *type)
{
	size_t len = strlen(type), digits = 0;
	while (digits < len && isdigit((unsigned char)type[len - 1 - digits]))
		digits++;
	unsigned bits = digits ? (unsigned)strtoul(type + len - digits, NULL, 10) : 8;
	const char *x = strrchr(type, 'x');
	bits = x && strncmp(x + 1, "f8", 2) == 0 ? 8 : bits;
	return bits < 8 ? 1 : bits / 8;
}

static bool was_put(const View *v, const char *name, const char *linear)
{
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->put[i].name, name) == 0 && strcmp(v->put[i].linear, linear) == 0)
			return true;
	return false;
}

static void put_layout(View *v, const char *ttgir, const Layout *layout)
{
	char *encoding = alias_text(ttgir, layout->name, 0);
	const char *type = layout->type;
	char *linear = encoding ? linear_of(v, encoding, type) : NULL;
	/* A ring of tiles has the layout of one. */
	while (encoding && (!linear || strstr(linear, "offset*")) && (type = strchr(type, 'x')) &&
	       isdigit((unsigned char)type[1]))
		linear = linear_of(v, encoding, ++type);
	if (!linear || !type || was_put(v, layout->name, linear))
		return;
	bool shared = strncmp(linear, "{offset", 7) == 0; /* a descriptor's tile is a tensor by its name */
	fputs(v->count ? ",\n{" : "\n{", v->to);
	v->put[v->count++] = (PutLayout){layout->name, linear};
	put_member(v->to, "name", layout->name);
	put_member(v->to, "type", layout->type);
	put_member(v->to, "linear", linear);
	fprintf(v->to, "\"bytes\": %u, \"shared\": %s}", bytes_of(type), shared ? "true" : "false");
}

/* What begins at "tensor<" or "memdesc<"; false: it has no layout. */
static bool read_layout(const char *at, Layout *out)
{
	at = strchr(at, '<') + 1;
	size_t len = strcspn(at, ",>\n");
	if (at[len] != ',' || at[len + 1] != ' ' || at[len + 2] != '#')
		return false;
	out->type = take_text(at, len);
	at += len + 2;
	out->name = take_text(at, strcspn(at, ",>\n"));
	return true;
}

static void put_layouts(View *v)
{
	char *ttgir = NULL;
	Layout seen[MOST_LAYOUTS];
	size_t count = 0;
	fputs("\"layouts\": [", v->to);
	v->count = 0;
	if (neso_variant_text(v->variant, "ttgir", &ttgir, NULL) == NESO_OK) {
		for (const char *at = ttgir; *at && count < MOST_LAYOUTS; at++) {
			Layout *new = &seen[count];
			bool begins = strncmp(at, "tensor<", 7) == 0 || strncmp(at, "memdesc<", 8) == 0;
			if (!begins || !read_layout(at, new))
				continue;
			bool known = false;
			for (size_t i = 0; i < count; i++)
				known |= strcmp(seen[i].name, new->name) == 0 &&
					 strcmp(seen[i].type, new->type) == 0;
			if (!known) {
				count++;
				put_layout(v, ttgir, new);
			}
		}
	}
	neso_text_free(ttgir);
	fputs("],\n", v->to);
}

/* ---- the page ---- */

static char *facts_of(const View *v)
{
	const neso_variant_info *i = &v->info;
	char *text = take_printf("%s, %u warps, %u stages", i->target, (unsigned)i->num_warps,
				 (unsigned)i->num_stages);
	if (i->assembler)
		text = take_printf("%s; %u registers, %u bytes spilled, %u bytes of shared memory; %s", text,
				   (unsigned)i->registers, (unsigned)i->spill_stores, (unsigned)i->shared,
				   i->assembler);
	return take_printf("%s; %s", text, neso_variant_key(v->variant));
}

/* The whole of the data, or NULL after diagnosing. */
static char *collect(View *v, int *result)
{
	char *data = NULL, *source;
	size_t len = 0, source_len;
	neso_diagnostics *diagnostics;
	v->to = open_memstream(&data, &len);
	source = v->to ? read_file(v->kernel.path, &source_len) : NULL;
	if (!source) {
		*result = EXIT_INPUT;
		return NULL;
	}
	fputc('{', v->to);
	put_member(v->to, "title", v->kernel.name);
	put_member(v->to, "facts", facts_of(v));
	put_member(v->to, "path", v->kernel.path);
	put_member(v->to, "target", v->info.target);
	put_member(v->to, "source", source);
	fprintf(v->to, "\"warps\": %u,\n", (unsigned)v->info.num_warps);
	neso_status status = put_remarks(v, &diagnostics);
	put_layouts(v);
	put_stages(v);
	fputs("\"version\": ", v->to);
	put_text(v->to, neso_version());
	fputc('}', v->to);
	fclose(v->to);
	*result = report(v->parsed, status, diagnostics);
	return *result == EXIT_DONE ? data : NULL;
}

/* @NAME@ in the frame, by what stands for it. */
static char *fill(const char *data, const char *title)
{
	const char *const names[] = {"@TITLE@", "@STYLE@", "@DATA@", "@SCRIPT@"};
	const char *const texts[] = {title, view_page.css, data, view_page.js};
	char *page = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&page, &len);
	if (!to)
		return NULL;
	for (const char *at = view_page.html; *at;) {
		size_t i = 0;
		while (i < 4 && strncmp(at, names[i], strlen(names[i])) != 0)
			i++;
		if (i < 4)
			fputs(texts[i], to);
		else
			fputc(*at, to);
		at += i < 4 ? strlen(names[i]) : 1;
	}
	fclose(to);
	return page;
}

/* Where there is no assembler, up to PTX. */
static int compile(View *v, neso_kernel *kernel, neso_compile_options *how)
{
	neso_diagnostics *diagnostics;
	const char *given = option_value(v->parsed, "signature");
	char *guessed = NULL;
	neso_status status = NESO_OK;
	if (!given) {
		status = neso_kernel_guess_signature(kernel, how, &guessed, &diagnostics);
		if (status != NESO_OK)
			return report(v->parsed, status, diagnostics);
		neso_diagnostics_free(diagnostics);
	}
	const char *signature = given ? given : guessed;
	status = neso_kernel_compile(kernel, signature, how, &v->variant, &diagnostics);
	const neso_diagnostic *first = neso_diagnostics_get(diagnostics, 0);
	if (status != NESO_OK && first && strcmp(first->code, "PTXAS_MISSING") == 0) {
		neso_diagnostics_free(diagnostics);
		how->ptx_only = true;
		status = neso_kernel_compile(kernel, signature, how, &v->variant, &diagnostics);
	}
	neso_text_free(guessed);
	return report(v->parsed, status, diagnostics);
}

static int write_page(View *v)
{
	int result;
	char *data = collect(v, &result), *page = data ? fill(data, v->kernel.name) : NULL;
	if (!page)
		return result == EXIT_DONE ? input_error("no memory") : result;
	const char *path = option_value(v->parsed, "output");
	path = path ? path : take_printf("%s.html", v->kernel.name);
	if (!write_file(path, page, strlen(page)))
		result = EXIT_INPUT;
	else if (strcmp(path, "-") != 0)
		printf("%s\n", path);
	free(page);
	free(data);
	return result;
}

static int view(const Parsed *parsed)
{
	View v = {.parsed = parsed, .info = {.size = sizeof v.info}, .kernel = {.size = sizeof v.kernel}};
	neso_compile_options how;
	neso_module *module = NULL;
	neso_kernel *kernel;
	if (parsed->arg_count != 1)
		return usage_error("neso view wants FILE.py:KERNEL");
	if (!compile_options(parsed, &how))
		return EXIT_USAGE;
	how.target = how.target ? how.target : "sm_90a";
	if (!(v.context = open_context(parsed)))
		return EXIT_INPUT;
	int result = open_kernel(parsed, v.context, parsed->args[0], &module, &kernel);
	if (result == EXIT_DONE)
		result = compile(&v, kernel, &how);
	if (result == EXIT_DONE && (neso_variant_get_info(v.variant, &v.info) != NESO_OK ||
				    neso_kernel_get_info(kernel, &v.kernel) != NESO_OK))
		result = EXIT_INPUT;
	if (result == EXIT_DONE)
		result = write_page(&v);
	neso_module_free(module);
	return close_context(parsed, v.context, result);
}

const Command command_view = {
	"view",
	"FILE.py:KERNEL",
	"Write an HTML page of a kernel: source beside all stages, remarks, layouts, pipelines",
	"The page is one file and asks nothing of the network. Without a signature one is guessed, as neso "
	"check does; without\n"
	"--target it is for sm_90a. SASS is there where a disassembler of the CUDA toolkit is.\n\n"
	"  neso view examples/python/stages.py:matmul_kernel --target sm_90a -o matmul.html\n",
	options,
	view,
};
