/* The library as the commands use it: context, kernel, diagnostics. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

static void log_to_streams(void *data, neso_log_level level, const char *text)
{
	(void)data;
	const char *path = level == NESO_LOG_DUMP ? getenv("MLIR_DUMP_PATH") : NULL;
	FILE *file = path && *path ? fopen(path, "a") : NULL;
	if (file) {
		fputs(text, file);
		fclose(file);
		return;
	}
	fputs(text, level == NESO_LOG_OUTPUT ? stdout : stderr);
}

int report(const Parsed *parsed, neso_status status, neso_diagnostics *diagnostics)
{
	if (option_value(parsed, "json")) {
		if (neso_diagnostics_count(diagnostics) || status != NESO_OK)
			fprintf(stderr, "%s\n", neso_diagnostics_json(diagnostics));
	} else {
		show_diagnostics(neso_diagnostics_text(diagnostics));
		if (status != NESO_OK && !neso_diagnostics_errors(diagnostics))
			input_error("%s", neso_status_text(status));
	}
	neso_diagnostics_free(diagnostics);
	return status == NESO_OK ? EXIT_DONE : status == NESO_ERROR_USAGE ? EXIT_USAGE : EXIT_INPUT;
}

neso_context *open_context(const Parsed *parsed)
{
	neso_context_options options;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.log = log_to_streams;
	options.ptxas = option_value(parsed, "ptxas");
	options.dump_passes = option_value(parsed, "dump-passes") != NULL;
	options.verify_passes = option_value(parsed, "verify-each") != NULL;
	neso_context *context;
	neso_diagnostics *diagnostics;
	neso_status status = neso_context_new(&options, &context, &diagnostics);
	report(parsed, status, diagnostics);
	return context;
}

int close_context(const Parsed *parsed, neso_context *context, int result)
{
	neso_diagnostics *diagnostics;
	neso_status status = neso_cache_flush(context, -1, NULL, &diagnostics);
	int flushed = report(parsed, status, diagnostics);
	neso_context_free(context);
	return result == EXIT_DONE ? flushed : result;
}

size_t only_kernel(const neso_module *module, neso_kernel **kernel)
{
	size_t found = 0;
	for (size_t i = 0; i < neso_module_kernel_count(module); i++) {
		neso_kernel *candidate = neso_module_kernel(module, i);
		neso_kernel_info info;
		info.size = sizeof info;
		if (neso_kernel_get_info(candidate, &info) == NESO_OK && !info.is_helper && !found++)
			*kernel = candidate;
	}
	return found;
}

static int the_only_kernel(const neso_module *module, const char *path, neso_kernel **kernel)
{
	size_t found = only_kernel(module, kernel);
	if (!found)
		return input_error("%s has no kernel: a function at module level that @triton.jit decorates",
				   path);
	return found == 1 ? EXIT_DONE : usage_error("%s has %zu kernels: say which with %s:KERNEL (neso list shows them)",
						    path, found, path);
}

int open_kernel(const Parsed *parsed, neso_context *context, const char *where, neso_module **module,
		neso_kernel **kernel)
{
	const char *colon = strrchr(where, ':');
	char *path = colon ? take_text(where, (size_t)(colon - where)) : take_text(where, strlen(where));
	neso_diagnostics *diagnostics;
	neso_status status = neso_module_load_file(context, path, module, &diagnostics);
	int result = report(parsed, status, diagnostics);
	if (result != EXIT_DONE)
		return result;
	if (!colon)
		return the_only_kernel(*module, path, kernel);
	status = neso_module_find(*module, colon + 1, kernel, &diagnostics);
	return report(parsed, status, diagnostics);
}

bool compile_options(const Parsed *parsed, neso_compile_options *options)
{
	long warps, stages, ctas, maxnreg, ptx;
	if (!option_number(parsed, "num-warps", 1, 64, 0, &warps) ||
	    !option_number(parsed, "num-stages", 1, 64, 0, &stages) ||
	    !option_number(parsed, "num-ctas", 1, 16, 0, &ctas) ||
	    !option_number(parsed, "maxnreg", 16, 255, 0, &maxnreg) ||
	    !option_number(parsed, "ptx-version", 10, 999, 0, &ptx))
		return false;
	memset(options, 0, sizeof *options);
	options->size = sizeof *options;
	options->poll = parent_lives;
	if (!option_seconds(parsed, "compile-timeout", &options->compile_timeout))
		return false;
	options->num_warps = (uint32_t)warps;
	options->num_stages = (uint32_t)stages;
	options->num_ctas = (uint32_t)ctas;
	options->target = option_value(parsed, "target");
	options->maxnreg = (uint32_t)maxnreg;
	options->ptx_version = (uint32_t)ptx;
	options->no_fp_fusion = option_value(parsed, "no-fp-fusion") != NULL;
	options->debug = option_value(parsed, "debug") != NULL;
	const char *policy = option_value(parsed, "constexpr");
	static const char *const policies[] = {
		[NESO_POLICY_EAGER] = "eager",
		[NESO_POLICY_GENERIC] = "generic",
		[NESO_POLICY_TIERED] = "tiered",
	};
	for (int i = NESO_POLICY_EAGER; policy && i <= NESO_POLICY_TIERED; i++)
		if (strcmp(policy, policies[i]) == 0)
			options->constexpr_policy = (neso_constexpr_policy)i;
	if (!policy || options->constexpr_policy)
		return true;
	usage_error("--constexpr wants eager, generic or tiered, not '%s'", policy);
	return false;
}
