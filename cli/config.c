/* neso config: every setting of the environment, its value, and where that came from. */
#include "cli/cli.h"

#include <stdio.h>

static const Option options[] = {
	{"set", 0, NULL, "only those that a variable sets"},
	{"json", 0, NULL, "as JSON"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

typedef struct Shown {
	const Parsed *parsed;
	size_t count;
	char group[32];
} Shown;

static void show_json(const Shown *shown, const neso_setting *s)
{
	const char *const texts[][2] = {{"name", s->name},	 {"type", s->type},	{"variable", s->variable},
					{"other_variable", s->other_variable}, {"preset", s->preset}, {"value", s->value},
					{"source", s->source}, {"doc", s->doc}};
	printf("%s\n{", shown->count ? "," : "");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		printf("\"%s\": ", texts[i][0]);
		print_json_text(texts[i][1]);
		fputs(", ", stdout);
	}
	printf("\"in_key\": %s, \"used\": %s, \"python\": %s}", s->in_key ? "true" : "false", s->used ? "true" : "false",
	       s->python ? "true" : "false");
}

/* A blank line between groups. */
static void show_text(Shown *shown, const neso_setting *s)
{
	size_t len = strcspn(s->name, ".");
	if (len >= sizeof shown->group)
		len = sizeof shown->group - 1;
	if (shown->count && (strncmp(shown->group, s->name, len) != 0 || shown->group[len]))
		putchar('\n');
	memcpy(shown->group, s->name, len);
	shown->group[len] = '\0';
	printf("%s = %s  (%s%s)\n", s->name, s->value ? s->value : "none", s->source ? "from " : "preset",
	       s->source ? s->source : "");
	printf("    %s%s%s: %s%s%s. %s\n", s->variable, s->other_variable ? ", " : "", s->other_variable ? s->other_variable : "",
	       s->type, s->in_key ? ", tells variants apart" : "", s->python ? ", in Python" : "", s->doc);
}

static void show(void *data, const neso_setting *s)
{
	Shown *shown = data;
	if (option_value(shown->parsed, "set") && !s->source)
		return;
	if (option_value(shown->parsed, "json"))
		show_json(shown, s);
	else
		show_text(shown, s);
	shown->count++;
}

static int config(const Parsed *parsed)
{
	Shown shown = {.parsed = parsed};
	if (parsed->arg_count)
		return usage_error("neso config takes no arguments");
	/* For what it says of variables that mean nothing. */
	neso_context *context = open_context(parsed);
	bool json = option_value(parsed, "json") != NULL;
	if (json)
		putchar('[');
	neso_settings(show, &shown);
	if (json)
		puts("\n]");
	neso_context_free(context);
	return context ? EXIT_DONE : EXIT_INPUT;
}

const Command command_config = {
	"config", "", "Show every setting of the environment, its value, and where that came from", NULL, options, config,
};
