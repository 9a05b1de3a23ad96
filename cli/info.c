/* neso info: what this library and this machine are. */
#include "cli/cli.h"

#include <stdio.h>

static const Option options[] = {
	{"json", 0, NULL, "as JSON"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static int info(const Parsed *parsed)
{
	if (parsed->arg_count)
		return usage_error("neso info takes no arguments");
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	bool json = option_value(parsed, "json") != NULL;
	const char *name;
	for (size_t i = 0; (name = neso_context_info_name(context, i)); i++) {
		const char *value = neso_context_info(context, name);
		if (json) {
			printf("%s\"%s\": ", i ? ", " : "{", name);
			print_json_text(value);
		} else {
			printf("%-10s %s\n", name, value);
		}
	}
	if (json)
		puts("}");
	neso_context_free(context);
	return EXIT_DONE;
}

const Command command_info = {
	"info", "", "Show versions, engines, dtypes and this machine's facts", NULL, options, info,
};
