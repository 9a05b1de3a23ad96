/* neso compile: a kernel's text at a stage; many kernels into the compile cache (batch.h). */
#include "cli/batch.h"

#include <stdio.h>
#include <stdlib.h>

static const Option options[] = {
	OPTION_SIGNATURE,
	{"emit", 'e', "STAGE",
	 "source, ttir-raw (from the front end), ttir (the default); for a GPU ttgir, llir, ptx, cubin, "
	 "sass"},
	{"output", 'o', "FILE", "where to write (standard output)"},
	{"list", 'l', "FILE",
	 "kernels to compile: a line each as on this command line, or JSON; - for standard input"},
	{"declared", 'd', "FILE",
	 "declarations (docs/declare.md): all variants that they stand for; - for standard input"},
	{"shard", 0, "I/N", "of many: the I-th of N parts, for jobs that share the work"},
	{"count", 0, NULL, "of many: say which variants there are, and compile none"},
	{"most", 0, "N",
	 "of a declaration: more variants are an error that names what multiplies them (4096)"},
	{"pack", 0, "FILE", "of many: compile them into a new pack, and not into the cache"},
	{"jobs", 'j', "N", "of many kernels: how many at a time (one per processor)"},
	OPTIONS_COMPILE,
	{"why", 0, NULL,
	 "instead of a stage: what became of loops, loads, dots, conversions, accesses, and by which rule"},
	{"stats", 0, NULL, "registers, spills, memory and what the assembler said, on standard error"},
	{"time", 0, NULL, "how long each step took, on standard error"},
	{"stop-after", 0, "PASS[:N]",
	 "instead of a stage: the IR behind this pass of the pipeline, or behind its Nth run"},
	{"no-loc", 0, NULL, "leave out locations (of ttir and ttgir)"},
	{"verify-each", 0, NULL, "verify and re-read the IR after each pass"},
	{"dump-passes", 0, NULL, "IR after each pass on standard error"},
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static void print_facts(const Parsed *parsed, const neso_variant *variant)
{
	neso_variant_info info;
	info.size = sizeof info;
	if (neso_variant_get_info(variant, &info) != NESO_OK)
		return;
	if (option_value(parsed, "stats")) {
		fprintf(stderr, "%s: %s, %u warps, %u stages\n", neso_variant_key(variant), info.target, info.num_warps,
			info.num_stages);
		if (info.assembler)
			fprintf(stderr,
				"%u threads, %u registers, %u bytes spilled, %u loaded again, %u bytes of stack; shared memory %u, "
				"scratch %u bytes a CTA; %s\n%s",
				info.threads, info.registers, info.spill_stores, info.spill_loads, info.stack,
				info.shared, info.scratch, info.assembler, info.log);
	}
	for (size_t i = 0; option_value(parsed, "time") && neso_step_name(i); i++)
		if (info.seconds[i] > 0)
			fprintf(stderr, "%-6s %8.3f ms\n", neso_step_name(i), info.seconds[i] * 1e3);
}

/* What comes before the assembler needs none, and does not wait for it. */
static bool ends_with_ptx(const Parsed *parsed)
{
	const char *stage = option_value(parsed, "emit");
	bool assembled = stage && (strcmp(stage, "cubin") == 0 || strcmp(stage, "sass") == 0);
	return !assembled && !option_value(parsed, "stats") && !option_value(parsed, "why");
}

static bool is_ir(const char *stage)
{
	return !stage || strncmp(stage, "tt", 2) == 0;
}

/* The IR in the middle of the pipeline: what the front end made goes through the passes once more. */
static int emit_after(const Parsed *parsed, neso_context *context, const neso_variant *variant, const char *pass)
{
	neso_variant_info info = {.size = sizeof info};
	neso_ir_options ir = {.size = sizeof ir, .stop_after = pass, .no_locations = option_value(parsed, "no-loc") != NULL};
	neso_diagnostics *diagnostics;
	char *raw = NULL, *text = NULL;
	if (neso_variant_get_info(variant, &info) == NESO_OK && info.target) {
		static const char simulated[] = "sim:";
		bool sim = strncmp(info.target, simulated, sizeof simulated - 1) == 0;
		ir.target = info.target + (sim ? sizeof simulated - 1 : 0);
		ir.num_warps = info.num_warps;
		ir.num_ctas = info.num_ctas;
		ir.num_stages = info.num_stages;
	}
	neso_status status = neso_variant_text(variant, "ttir-raw", &raw, &diagnostics);
	int result = report(parsed, status, diagnostics);
	if (result == EXIT_DONE) {
		status = neso_ir_run(context, "ttir-raw", raw, strlen(raw), &ir, &text, &diagnostics);
		result = report(parsed, status, diagnostics);
	}
	if (result == EXIT_DONE && !write_file(option_value(parsed, "output"), text, strlen(text)))
		result = EXIT_INPUT;
	neso_text_free(raw);
	neso_text_free(text);
	return result;
}

/* A stage into the output. */
static int emit(const Parsed *parsed, neso_context *context, const neso_variant *variant)
{
	const char *stage = option_value(parsed, "emit");
	size_t size;
	const void *binary = stage ? neso_variant_binary(variant, stage, &size) : NULL;
	if (binary)
		return write_file(option_value(parsed, "output"), binary, size) ? EXIT_DONE : EXIT_INPUT;
	char *text = NULL;
	neso_diagnostics *diagnostics;
	neso_status status = neso_variant_text(variant, stage ? stage : "ttir", &text, &diagnostics);
	int result = report(parsed, status, diagnostics);
	if (result == EXIT_DONE && option_value(parsed, "no-loc") && is_ir(stage)) {
		neso_ir_options plain;
		memset(&plain, 0, sizeof plain);
		plain.size = sizeof plain;
		plain.no_locations = true;
		char *with = text;
		status = neso_ir_run(context, "ttir", with, strlen(with), &plain, &text, &diagnostics);
		neso_text_free(with);
		result = report(parsed, status, diagnostics);
	}
	if (result == EXIT_DONE && !write_file(option_value(parsed, "output"), text, strlen(text)))
		result = EXIT_INPUT;
	neso_text_free(text);
	return result;
}

static int compile(const Parsed *parsed)
{
	if (option_value(parsed, "most") && !option_value(parsed, "declared") &&
	    !option_value(parsed, "list"))
		return usage_error("--most is a limit of declarations: --declared FILE has some");
	if (is_batch(parsed))
		return compile_many(parsed);
	if (parsed->arg_count != 1)
		return usage_error("neso compile wants FILE.py:KERNEL");
	neso_compile_options compile;
	if (!compile_options(parsed, &compile))
		return EXIT_USAGE;
	expect_much_memory();
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	neso_module *module = NULL;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	int result = open_kernel(parsed, context, parsed->args[0], &module, &kernel);
	if (result == EXIT_DONE) {
		const char *signature = option_value(parsed, "signature");
		compile.ptx_only = ends_with_ptx(parsed);
		neso_status status = neso_kernel_compile(kernel, signature ? signature : "", &compile, &variant, &diagnostics);
		result = report(parsed, status, diagnostics);
		neso_kernel_info info = {.size = sizeof info};
		neso_kernel_get_info(kernel, &info);
		if (result != EXIT_DONE && !signature && info.parameter_count)
			fputs("note: --signature gives each parameter a type or a value: "
			      "--signature \"*fp32,i32,1024\"\n",
			      stderr);
	}
	if (result == EXIT_DONE) {
		print_facts(parsed, variant);
		const char *stop = option_value(parsed, "stop-after");
		result = option_value(parsed, "why") ? show_remarks(parsed, variant) :
			 stop		             ? emit_after(parsed, context, variant, stop) :
						       emit(parsed, context, variant);
	}
	neso_module_free(module);
	return close_context(parsed, context, result);
}

const Command command_compile = {
	"compile",
	"FILE.py:KERNEL...",
	"Compile a kernel and print it at a stage, or many into the compile cache",
	"The signature has an entry per parameter, separated by commas: a type (fp32, i64, *fp16), with \":16\" when the\n"
	"value is divisible by 16; or, for a constant, its value as a Python expression (1024, True, None, tl.float16,\n"
	"\"'relu'\"). Trailing parameters that have a default may be left out.\n\n"
	"  neso compile add.py:add_kernel --signature \"*fp32:16,*fp32:16,*fp32:16,i32,1024\" --emit ttir\n\n"
	"Several kernels, signatures or alternatives are compiled into the compile cache (docs/cache.md), for a GPU that need not be there.\n"
	"A signature belongs to the kernels before it. Of an entry {A, B} each is taken, T:* is all that launches tell apart of an\n"
	"argument of type T, and parameters that are left open get the values of the kernel's triton.autotune configurations. --target,\n"
	"--num-warps, --num-stages, --num-ctas, --maxnreg and --constexpr take lists.\n\n"
	"  neso compile add.py:add_kernel -s \"{*fp32, *fp16}:16, *fp32:*, *fp32:16, i32:*, 1024\" --target sm_80,sm_90a\n"
	"  neso compile --list kernels.txt --jobs 8 --json\n"
	"  neso compile --declared server.variants --target sm_80,sm_90a --pack server.pack\n\n"
	"--why wants a GPU as --target, or sim:GPU, where no assembler is needed. \"+\" marks what is as one would wish, \"-\"\n"
	"what is slower than it could be.\n",
	options,
	compile,
};
