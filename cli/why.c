/* neso compile --why: the remarks of a variant, by source line with the line's text, or as JSON. */
#include "cli/cli.h"

#include <stdio.h>

typedef struct Shown {
	bool json;
	size_t count, missed;
	char *path, *text; /* of the file that was last looked at; text NULL: it cannot be read */
	uint32_t line;     /* whose text stands above; 0: none */
} Shown;

/* Line `number` of a text without its indentation; NULL: there is none. */
static char *line_of(const char *text, uint32_t number)
{
	for (uint32_t n = 1; text && n < number; n++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || !number)
		return NULL;
	text += strspn(text, " \t");
	return take_text(text, strcspn(text, "\r\n"));
}

/* The file is read again where it changes; one that is not there is shown without its lines. */
static void show_line(Shown *shown, const neso_remark *r)
{
	bool new_file = !shown->path || strcmp(shown->path, r->path) != 0;
	if (new_file) {
		FILE *there = fopen(r->path, "rb");
		size_t len;
		if (there)
			fclose(there);
		shown->path = take_text(r->path, strlen(r->path));
		shown->text = there ? read_file(r->path, &len) : NULL;
	} else if (shown->line == r->line) {
		return;
	}
	shown->line = r->line;
	char *text = line_of(shown->text, r->line);
	printf("%s%s:%u:%s%s\n", shown->count ? "\n" : "", r->path, r->line, text ? " " : "", text ? text : "");
}

static void show_text(Shown *shown, const neso_remark *r)
{
	static const char marks[] = {'+', '-', ' '};
	if (r->path)
		show_line(shown, r);
	printf("  %c %s %s: %s", marks[r->outcome], r->kind, r->rule, r->text);
	if (r->times > 1)
		printf(" (%u times)", r->times);
	putchar('\n');
	if (r->outcome != NESO_OUTCOME_DONE && r->advice)
		printf("      %s\n", r->advice);
}

static void show_json(const Shown *shown, const neso_remark *r)
{
	static const char *const outcomes[] = {"done", "missed", "fact"};
	printf("%s\n{\"kind\": \"%s\", \"rule\": \"%s\", \"outcome\": \"%s\", \"path\": ", shown->count ? "," : "", r->kind,
	       r->rule, outcomes[r->outcome]);
	print_json_text(r->path);
	printf(", \"line\": %u, \"column\": %u, \"times\": %u, \"text\": ", r->line, r->column, r->times);
	print_json_text(r->text);
	fputs(", \"advice\": ", stdout);
	print_json_text(r->advice);
	fputs(", \"figures\": {", stdout);
	for (size_t i = 0; i < r->figure_count; i++)
		printf("%s\"%s\": %lld", i ? ", " : "", r->figures[i].name, (long long)r->figures[i].value);
	fputs("}}", stdout);
}

static void show(void *data, const neso_remark *r)
{
	Shown *shown = data;
	if (shown->json)
		show_json(shown, r);
	else
		show_text(shown, r);
	shown->count++;
	shown->missed += r->outcome == NESO_OUTCOME_MISSED;
}

int show_remarks(const Parsed *parsed, const neso_variant *variant)
{
	Shown shown = {.json = option_value(parsed, "json") != NULL};
	neso_diagnostics *diagnostics;
	if (shown.json)
		putchar('[');
	neso_status status = neso_variant_remarks(variant, show, &shown, &diagnostics);
	if (shown.json)
		puts("\n]");
	else if (status == NESO_OK)
		printf("%s%zu remarks, %zu of them (-) about what could be faster\n", shown.count ? "\n" : "", shown.count,
		       shown.missed);
	return report(parsed, status, diagnostics);
}
