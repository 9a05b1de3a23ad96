/* neso list: the kernels of a file. */
#include "cli/cli.h"

#include <stdio.h>

static const Option options[] = {
	{"json", 0, NULL, "as JSON"},
	{"why", 0, NULL, "which constexprs are numeric (can be arguments), and what makes the others structural"},
	{"signature", 's', "TEXT", "for --why: types and constants of the parameters, as for neso compile"},
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
	putchar(']');
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
	printf(")    # line %u%s\n", (unsigned)info->line,
	       !info->is_helper	 ? ""
	       : info->is_called ? ", called by others"
				 : ", returns a value");
	if (info->doc[0])
		printf("    %.*s\n", (int)strcspn(info->doc, "\n"), info->doc);
}

/* ---- --why ---- */

typedef struct Why {
	const neso_kernel *kernel;
	bool json;
	size_t count;
} Why;

static void print_constexpr(void *data, const neso_constexpr *found)
{
	Why *why = data;
	neso_parameter p;
	p.size = sizeof p;
	if (neso_kernel_get_parameter(why->kernel, found->parameter, &p) != NESO_OK)
		return;
	if (!why->json) {
		if (!why->count++)
			printf("    # for %s\n", found->signature);
		printf("    %s: %s", p.name, found->numeric ? "numeric" : "structural");
		if (!found->numeric && found->path)
			printf(", %s:%u:%u", found->path, (unsigned)found->line, (unsigned)found->column);
		printf(found->numeric ? "\n" : ": %s\n", found->reason);
		return;
	}
	fputs(why->count++ ? ", {\"name\": " : ", \"signature\": ", stdout);
	if (why->count == 1) {
		print_json_text(found->signature);
		fputs(", \"constexprs\": [{\"name\": ", stdout);
	}
	print_json_text(p.name);
	printf(", \"class\": \"%s\", \"path\": ", found->numeric ? "numeric" : "structural");
	print_json_text(found->path);
	printf(", \"line\": %u, \"column\": %u, \"reason\": ", (unsigned)found->line, (unsigned)found->column);
	print_json_text(found->reason);
	putchar('}');
}

/* What its constexprs are, in the middle of the kernel's JSON or below its head. */
static int print_why(const Parsed *parsed, neso_kernel *kernel, bool json)
{
	Why why = {.kernel = kernel, .json = json};
	neso_diagnostics *diagnostics;
	neso_status status = neso_kernel_classify(kernel, option_value(parsed, "signature"), NULL, print_constexpr, &why,
						  &diagnostics);
	if (json)
		fputs(why.count ? "]" : "", stdout);
	fflush(stdout);
	return report(parsed, status, diagnostics);
}

/* ---- the command ---- */

static int print_one(const Parsed *parsed, neso_kernel *kernel, const neso_kernel_info *info, bool json)
{
	bool why = option_value(parsed, "why") != NULL;
	if (json)
		print_kernel_json(kernel, info);
	else
		print_kernel(kernel, info);
	int result = why && !info->is_helper ? print_why(parsed, kernel, json) : EXIT_DONE;
	puts(json ? "}" : "");
	return result;
}

/* FILE.py, or with --why also FILE.py:KERNEL. */
static int list(const Parsed *parsed)
{
	if (parsed->arg_count != 1)
		return usage_error("neso list wants one FILE.py");
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	neso_module *module;
	neso_diagnostics *diagnostics;
	const char *colon = strrchr(parsed->args[0], ':'), *name = colon && !strchr(colon, '/') ? colon + 1 : NULL;
	const char *path = name ? take_text(parsed->args[0], (size_t)(colon - parsed->args[0])) : parsed->args[0];
	neso_status status = neso_module_load_file(context, path, &module, &diagnostics);
	int result = report(parsed, status, diagnostics);
	neso_kernel *only = NULL;
	if (result == EXIT_DONE && name) {
		status = neso_module_find(module, name, &only, &diagnostics);
		result = report(parsed, status, diagnostics);
	}
	bool json = option_value(parsed, "json") != NULL;
	size_t count = result == EXIT_DONE ? neso_module_kernel_count(module) : 0;
	bool loaded = result == EXIT_DONE;
	if (json && loaded)
		putchar('[');
	for (size_t i = 0, shown = 0; i < count; i++) {
		neso_kernel *kernel = neso_module_kernel(module, i);
		neso_kernel_info info;
		info.size = sizeof info;
		if ((only && only != kernel) || neso_kernel_get_info(kernel, &info) != NESO_OK)
			continue;
		if (json && shown++)
			fputs(", ", stdout);
		int one = print_one(parsed, kernel, &info, json);
		result = result == EXIT_DONE ? one : result;
	}
	if (json && loaded)
		puts("]");
	else if (loaded && !count)
		printf("no kernels in %s\n", path);
	neso_module_free(module);
	neso_context_free(context);
	return result;
}

const Command command_list = {
	"list", "FILE.py[:KERNEL]", "List the kernels of a file with parameters and decorators", NULL, options, list,
};
