/* neso check: all diagnostics of all kernels of files, without a launch.
 *
 * Each kernel is compiled for the signature that is given, or for one that is guessed: for the
 * interpreter, which takes the front end and the passes on TTIR, or for a GPU up to PTX. */
#include "cli/check.h"

#include <stdio.h>
#include <stdlib.h>

static const Option options[] = {
	OPTION_SIGNATURE,
	{"target", 0, "NAME", "interp (the default), or a GPU: sm_80, sm_90a, ..., up to PTX"},
	{"num-warps", 0, "N", "warps per program (4)"},
	{"num-stages", 0, "N", "loop pipelining stages (3)"},
	{"num-ctas", 0, "N", "CTAs per cluster (1)"},
	{"strict", 0, NULL, "warnings are faults, too"},
	{"quiet", 'q', NULL, "only what is wrong"},
	{"compile-timeout", 0, "SECONDS", "end the check of a kernel with an error after this time (600)"},
	{"json", 0, NULL, "one JSON object on standard output: files, their kernels, all diagnostics"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

/* ---- checking ---- */

/* What kernels print while they are compiled is not the command's output. */
static void log_warnings(void *data, neso_log_level level, const char *text)
{
	(void)data;
	if (level == NESO_LOG_WARNING)
		fputs(text, stderr);
}

neso_context *check_context(const Parsed *parsed)
{
	neso_context_options o;
	neso_context_options_init(&o);
	o.log = log_warnings;
	neso_context *context;
	neso_diagnostics *diagnostics;
	neso_status status = neso_context_new(&o, &context, &diagnostics);
	report(parsed, status, diagnostics);
	return context;
}

static void check_kernel(const Check *check, neso_kernel *kernel, CheckedKernel *out)
{
	neso_variant *variant;
	neso_compile_options compile = check->compile;
	compile.ptx_only = true;
	if (check->signature) {
		out->signature = take_text(check->signature, strlen(check->signature));
	} else {
		out->guessed = true;
		out->status =
			neso_kernel_guess_signature(kernel, &compile, &out->signature, &out->diagnostics);
		if (out->status != NESO_OK)
			return;
		neso_diagnostics_free(out->diagnostics);
	}
	out->status = neso_kernel_compile(kernel, out->signature, &compile, &variant, &out->diagnostics);
}

void check_file(const Check *check, const char *path, const char *text, size_t len, const char *kernel,
		Checked *out)
{
	memset(out, 0, sizeof *out);
	out->status =
		text ? neso_module_load_text(check->context, path, text, len, &out->module, &out->diagnostics)
		     : neso_module_load_file(check->context, path, &out->module, &out->diagnostics);
	size_t count = out->status == NESO_OK ? neso_module_kernel_count(out->module) : 0;
	out->kernels = take((count + 1) * sizeof *out->kernels);
	for (size_t i = 0; i < count; i++) {
		neso_kernel *one = neso_module_kernel(out->module, i);
		CheckedKernel *checked = &out->kernels[out->kernel_count];
		checked->info.size = sizeof checked->info;
		if (neso_kernel_get_info(one, &checked->info) != NESO_OK ||
		    (kernel ? strcmp(checked->info.name, kernel) != 0
			    : checked->info.is_helper && checked->info.is_called))
			continue;
		out->kernel_count++;
		if (!kernel && checked->info.is_helper) {
			checked->unchecked = true;
			continue;
		}
		check_kernel(check, one, checked);
	}
	if (kernel && out->status == NESO_OK && !out->kernel_count) {
		neso_kernel *none;
		neso_diagnostics_free(out->diagnostics);
		out->status = neso_module_find(out->module, kernel, &none, &out->diagnostics);
	}
}

void checked_free(Checked *checked)
{
	for (size_t i = 0; i < checked->kernel_count; i++) {
		neso_diagnostics_free(checked->kernels[i].diagnostics);
		if (checked->kernels[i].guessed)
			neso_text_free(checked->kernels[i].signature);
		else
			free(checked->kernels[i].signature);
	}
	neso_diagnostics_free(checked->diagnostics);
	free(checked->kernels);
	neso_module_free(checked->module);
}

/* ---- the command ---- */

typedef struct Sum {
	bool json, quiet;
	size_t files, kernels, errors, warnings;
} Sum;

static void count(Sum *sum, neso_status status, const neso_diagnostics *diagnostics)
{
	size_t all = neso_diagnostics_count(diagnostics), errors = neso_diagnostics_errors(diagnostics);
	sum->errors += errors + (status != NESO_OK && !errors);
	sum->warnings += all - errors;
}

static void show_text(const Sum *sum, const char *path, const Checked *checked)
{
	show_diagnostics(neso_diagnostics_text(checked->diagnostics));
	for (size_t i = 0; i < checked->kernel_count; i++) {
		const CheckedKernel *k = &checked->kernels[i];
		if (k->unchecked) {
			if (!sum->quiet)
				printf("%s:%u: %s: not checked: it returns a value, and no kernel of "
				       "the file calls it\n",
				       path, (unsigned)k->info.line, k->info.name);
			continue;
		}
		bool silent = k->status != NESO_OK && !neso_diagnostics_errors(k->diagnostics);
		show_diagnostics(neso_diagnostics_text(k->diagnostics));
		if (silent)
			input_error("%s:%s: %s", path, k->info.name, neso_status_text(k->status));
		if (!sum->quiet)
			printf("%s:%u: %s(%s): %s\n", path, (unsigned)k->info.line, k->info.name,
			       k->signature, k->status == NESO_OK ? "good" : "faulty");
	}
}

static void show_json(const Sum *sum, const char *path, const Checked *checked)
{
	fputs(sum->files ? ",\n {\"path\": " : "\n {\"path\": ", stdout);
	print_json_text(path);
	printf(", \"diagnostics\": %s, \"kernels\": [", neso_diagnostics_json(checked->diagnostics));
	for (size_t i = 0; i < checked->kernel_count; i++) {
		const CheckedKernel *k = &checked->kernels[i];
		fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", stdout);
		print_json_text(k->info.name);
		printf(", \"line\": %u, \"status\": ", (unsigned)k->info.line);
		if (k->unchecked) {
			fputs("\"not checked\"}", stdout);
			continue;
		}
		print_json_text(neso_status_text(k->status));
		fputs(", \"signature\": ", stdout);
		print_json_text(k->signature);
		printf(", \"guessed\": %s, \"diagnostics\": %s}", k->guessed ? "true" : "false",
		       neso_diagnostics_json(k->diagnostics));
	}
	fputs("]}", stdout);
}

/* FILE.py, or FILE.py:KERNEL. */
static void check_argument(const Check *check, Sum *sum, const char *where)
{
	const char *colon = strrchr(where, ':'), *kernel = colon && !strchr(colon, '/') ? colon + 1 : NULL;
	const char *path = kernel ? take_text(where, (size_t)(colon - where)) : where;
	Checked checked;
	check_file(check, path, NULL, 0, kernel, &checked);
	(sum->json ? show_json : show_text)(sum, path, &checked);
	sum->files++;
	for (size_t i = 0; i < checked.kernel_count; i++)
		sum->kernels += !checked.kernels[i].unchecked;
	count(sum, checked.status, checked.diagnostics);
	for (size_t i = 0; i < checked.kernel_count; i++)
		count(sum, checked.kernels[i].status, checked.kernels[i].diagnostics);
	checked_free(&checked);
}

static int check(const Parsed *parsed)
{
	Check what = {.signature = option_value(parsed, "signature")};
	Sum sum = {.json = option_value(parsed, "json") != NULL,
		   .quiet = option_value(parsed, "quiet") != NULL};
	if (!parsed->arg_count)
		return usage_error("neso check wants FILE.py...");
	if (what.signature && (parsed->arg_count > 1 || !strchr(parsed->args[0], ':')))
		return usage_error("--signature belongs to one FILE.py:KERNEL");
	if (!compile_options(parsed, &what.compile))
		return EXIT_USAGE;
	if (!(what.context = check_context(parsed)))
		return EXIT_INPUT;
	if (sum.json)
		fputs("{\"files\": [", stdout);
	for (size_t i = 0; i < parsed->arg_count; i++)
		check_argument(&what, &sum, parsed->args[i]);
	if (sum.json)
		printf("],\n \"kernels\": %zu, \"errors\": %zu, \"warnings\": %zu}\n", sum.kernels,
		       sum.errors, sum.warnings);
	else if (!sum.quiet)
		printf("%zu kernel%s, %zu error%s, %zu warning%s\n", sum.kernels, sum.kernels == 1 ? "" : "s",
		       sum.errors, sum.errors == 1 ? "" : "s", sum.warnings, sum.warnings == 1 ? "" : "s");
	neso_context_free(what.context);
	bool strict = option_value(parsed, "strict") != NULL;
	return sum.errors || (strict && sum.warnings) ? EXIT_INPUT : EXIT_DONE;
}

const Command command_check = {
	"check",
	"FILE.py[:KERNEL]...",
	"Find the mistakes in the kernels of files, without running them",
	"Kernels are checked for the signature that is given, else for one that is guessed from annotations, "
	"defaults and\n"
	"how they use their parameters; functions that others call are checked with their callers. The exit "
	"status is 1\n"
	"when something is wrong.\n\n"
	"  neso check *.py --json\n"
	"  neso check add.py:add_kernel -s \"*fp32,*fp32,i32,1024\" --target sm_90a\n",
	options,
	check,
};
