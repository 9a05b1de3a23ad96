/* neso compile: a kernel's text at a stage. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

static const Option options[] = {
	{"signature", 's', "TEXT", "types and constants of the parameters, in order"},
	{"emit", 'e', "STAGE", "source, ttir-raw (from the front end) or ttir (the default)"},
	{"output", 'o', "FILE", "where to write (standard output)"},
	OPTIONS_COMPILE,
	{"no-loc", 0, NULL, "leave out locations"},
	{"verify-each", 0, NULL, "verify and re-read the IR after each pass"},
	{"dump-passes", 0, NULL, "IR after each pass on standard error"},
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static int compile(const Parsed *parsed)
{
	if (parsed->arg_count != 1)
		return usage_error("neso compile wants one FILE.py:KERNEL");
	neso_compile_options compile;
	if (!compile_options(parsed, &compile))
		return EXIT_USAGE;
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	neso_module *module = NULL;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	char *text = NULL;
	int result = open_kernel(parsed, context, parsed->args[0], &module, &kernel);
	if (result == EXIT_DONE) {
		const char *signature = option_value(parsed, "signature");
		neso_status status = neso_kernel_compile(kernel, signature ? signature : "", &compile, &variant, &diagnostics);
		result = report(parsed, status, diagnostics);
	}
	if (result == EXIT_DONE) {
		const char *stage = option_value(parsed, "emit");
		neso_status status = neso_variant_text(variant, stage ? stage : "ttir", &text, &diagnostics);
		result = report(parsed, status, diagnostics);
	}
	if (result == EXIT_DONE && option_value(parsed, "no-loc")) {
		neso_ir_options plain;
		memset(&plain, 0, sizeof plain);
		plain.size = sizeof plain;
		plain.no_locations = true;
		char *with = text;
		neso_status status = neso_ir_run(context, "ttir", with, strlen(with), &plain, &text, &diagnostics);
		neso_text_free(with);
		result = report(parsed, status, diagnostics);
	}
	if (result == EXIT_DONE && !write_file(option_value(parsed, "output"), text, strlen(text)))
		result = EXIT_INPUT;
	neso_text_free(text);
	neso_module_free(module);
	neso_context_free(context);
	return result;
}

const Command command_compile = {
	"compile",
	"FILE.py:KERNEL",
	"Compile a kernel and print it at a stage",
	"The signature has an entry per parameter, separated by commas: a type (fp32, i64, *fp16), with \":16\" when the\n"
	"value is divisible by 16; or, for a constant, its value as a Python expression (1024, True, None, tl.float16,\n"
	"\"'relu'\"). Trailing parameters that have a default may be left out.\n\n"
	"  neso compile add.py:add_kernel --signature \"*fp32:16,*fp32:16,*fp32:16,i32,1024\" --emit ttir\n",
	options,
	compile,
};
