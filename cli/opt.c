/* neso opt: passes on IR text. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

static const Option options[] = {
	{"pass", 'p', "NAME,...", "passes to run, in order; may be given several times"},
	{"stop-after", 0, "NAME[:N]", "run the pipeline until this pass, or until its Nth run"},
	{"list-passes", 0, NULL, "names and what they do, in the order of the pipeline; * marks optional ones"},
	{"target", 0, "NAME", "GPU that the passes on layouts work for (sm_90a)"},
	{"num-warps", 0, "N", "warps per program (4; a module with layouts says its own)"},
	{"num-ctas", 0, "N", "CTAs per cluster (1)"},
	{"num-stages", 0, "N", "loop pipelining stages (3)"},
	{"output", 'o', "FILE", "where to write (standard output)"},
	{"no-loc", 0, NULL, "leave out locations"},
	{"no-verify", 0, NULL, "do not verify what was read, or what passes made of it"},
	{"verify-each", 0, NULL, "verify after each pass"},
	{"stress", 0, NULL, "after each pass, print, read and print again: the texts must be equal"},
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static int list_passes(void)
{
	for (size_t i = 0; neso_ir_pass_name(i); i++)
		printf("%c %-26s %s\n", neso_ir_pass_optional(i) ? '*' : ' ', neso_ir_pass_name(i), neso_ir_pass_doc(i));
	return EXIT_DONE;
}

/* All --pass values, split at commas. */
static const char **pass_names(const Parsed *parsed, size_t *count)
{
	const char **names = NULL;
	*count = 0;
	for (size_t i = 0; i < parsed->given_count; i++) {
		if (strcmp(parsed->given[i].option->name, "pass") != 0)
			continue;
		for (const char *at = parsed->given[i].value; *at;) {
			size_t len = strcspn(at, ",");
			names = take_more(names, (*count + 1) * sizeof *names);
			names[(*count)++] = take_text(at, len);
			at += len + (at[len] == ',');
		}
	}
	return names;
}

static int opt(const Parsed *parsed)
{
	if (option_value(parsed, "list-passes"))
		return list_passes();
	if (parsed->arg_count != 1)
		return usage_error("neso opt wants one FILE of IR text (- for standard input)");
	long warps, stages, ctas;
	if (!option_number(parsed, "num-warps", 1, 64, 0, &warps) ||
	    !option_number(parsed, "num-stages", 1, 64, 0, &stages) || !option_number(parsed, "num-ctas", 1, 16, 0, &ctas))
		return EXIT_USAGE;
	size_t len;
	char *text = read_file(parsed->args[0], &len);
	neso_context *context = text ? open_context(parsed) : NULL;
	if (!context)
		return EXIT_INPUT;
	neso_ir_options ir;
	memset(&ir, 0, sizeof ir);
	ir.size = sizeof ir;
	ir.passes = pass_names(parsed, &ir.pass_count);
	ir.stop_after = option_value(parsed, "stop-after");
	ir.no_locations = option_value(parsed, "no-loc") != NULL;
	ir.no_verify = option_value(parsed, "no-verify") != NULL;
	ir.verify_each = option_value(parsed, "verify-each") != NULL;
	ir.stress = option_value(parsed, "stress") != NULL;
	ir.target = option_value(parsed, "target");
	ir.num_warps = (uint32_t)warps;
	ir.num_stages = (uint32_t)stages;
	ir.num_ctas = (uint32_t)ctas;
	char *out = NULL;
	neso_diagnostics *diagnostics;
	const char *path = strcmp(parsed->args[0], "-") == 0 ? "<stdin>" : parsed->args[0];
	neso_status status = neso_ir_run(context, path, text, len, &ir, &out, &diagnostics);
	int result = report(parsed, status, diagnostics);
	if (result == EXIT_DONE && !write_file(option_value(parsed, "output"), out, strlen(out)))
		result = EXIT_INPUT;
	neso_text_free(out);
	neso_context_free(context);
	return result;
}

const Command command_opt = {
	"opt",
	"FILE",
	"Read IR text, run passes on it, print it",
	"Without --pass the text is read, verified and printed.\n\n"
	"  neso opt --pass=inline,canonicalize,cse kernel.ttir\n"
	"  neso opt --stop-after=remove-layout-conversions kernel.ttir\n"
	"  neso opt --pass=convert-ttir-to-ttgir,coalesce --num-warps 8 kernel.ttir\n",
	options,
	opt,
};
