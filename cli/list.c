/* neso list: the kernels of a file. */
#include "cli/cli.h"

#include <stdio.h>

static const Option options[] = {
	{"json", 0, NULL, "as JSON"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static void print_kernel_json(const neso_kernel *kernel, const neso_kernel_info *info)
{
	fputs("{\"name\": ", stdout);
	print_json_text(info->name);
	printf(", \"line\": %u, \"helper\": %s, \"decorators\": [", (unsigned)info->line,
	       info->is_helper ? "true" : "false");
	for (size_t i = 0; i < info->decorator_count; i++) {
		fputs(i ? ", " : "", stdout);
		print_json_text(neso_kernel_decorator(kernel, i));
	}
	fputs("], \"parameters\": [", stdout);
	for (size_t i = 0; i < info->parameter_count; i++) {
		neso_parameter p;
		p.size = sizeof p;
		if (neso_kernel_get_parameter(kernel, i, &p) != NESO_OK)
			break;
		printf("%s{\"name\": ", i ? ", " : "");
		print_json_text(p.name);
		fputs(", \"annotation\": ", stdout);
		print_json_text(p.annotation);
		fputs(", \"default\": ", stdout);
		print_json_text(p.default_value);
		printf(", \"constexpr\": %s, \"specialize\": %s, \"specialize_alignment\": %s}",
		       p.is_constexpr ? "true" : "false", p.no_specialize ? "false" : "true",
		       p.no_alignment ? "false" : "true");
	}
	fputs("]}", stdout);
}

static void print_kernel(const neso_kernel *kernel, const neso_kernel_info *info)
{
	for (size_t i = 0; i < info->decorator_count; i++)
		printf("@%s\n", neso_kernel_decorator(kernel, i));
	printf("%s(", info->name);
	for (size_t i = 0; i < info->parameter_count; i++) {
		neso_parameter p;
		p.size = sizeof p;
		if (neso_kernel_get_parameter(kernel, i, &p) != NESO_OK)
			break;
		printf("%s%s", i ? ", " : "", p.name);
		if (p.annotation)
			printf(": %s", p.annotation);
		if (p.default_value)
			printf(p.annotation ? " = %s" : "=%s", p.default_value);
	}
	printf(")    # line %u%s\n", (unsigned)info->line, info->is_helper ? ", called by others" : "");
	if (info->doc[0])
		printf("    %.*s\n", (int)strcspn(info->doc, "\n"), info->doc);
	putchar('\n');
}

static int list(const Parsed *parsed)
{
	if (parsed->arg_count != 1)
		return usage_error("neso list wants one FILE.py");
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	neso_module *module;
	neso_diagnostics *diagnostics;
	neso_status status = neso_module_load_file(context, parsed->args[0], &module, &diagnostics);
	int result = report(parsed, status, diagnostics);
	bool json = option_value(parsed, "json") != NULL;
	size_t count = result == EXIT_DONE ? neso_module_kernel_count(module) : 0;
	if (json && result == EXIT_DONE)
		putchar('[');
	for (size_t i = 0; i < count; i++) {
		const neso_kernel *kernel = neso_module_kernel(module, i);
		neso_kernel_info info;
		info.size = sizeof info;
		if (neso_kernel_get_info(kernel, &info) != NESO_OK)
			continue;
		if (json) {
			fputs(i ? ",\n " : "", stdout);
			print_kernel_json(kernel, &info);
		} else {
			print_kernel(kernel, &info);
		}
	}
	if (json && result == EXIT_DONE)
		puts("]");
	else if (result == EXIT_DONE && !count)
		printf("no kernels in %s\n", parsed->args[0]);
	neso_module_free(module);
	neso_context_free(context);
	return result;
}

const Command command_list = {
	"list", "FILE.py", "List the kernels of a file with parameters and decorators", NULL, options, list,
};
