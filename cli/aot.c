/* neso aot: kernels as C for programs that have neither Python nor Neso. Variants are compiled as neso compile does
 * many (batch.h), and written by the library. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch.h"

extern char **environ;

static const Option options[] = {
	OPTION_SIGNATURE,
	{"output", 'o', "DIR", "where to write (the current folder); it is made where it is not there"},
	{"name", 0, "NAME", "of header and source, and the beginning of their functions' names (the first file's)"},
	{"prefix", 0, "TEXT", "the beginning of the kernels' functions' names"},
	{"emit", 'e', "WHAT", "source (the default), object, library: the source, or what $CC (cc) makes of it"},
	{"ptx", 0, "TARGET", "whose PTX serves GPUs that come later (the newest target without 'a'), or none"},
	{"compress", 0, NULL, "cubins as fat binaries, which the driver unpacks (by NVIDIA's fatbinary)"},
	{"line-info", 0, NULL, "keep lines of the source in the code, for profilers"},
	{"list", 'l', "FILE", "more kernels with signatures and options, as for neso compile"},
	{"jobs", 'j', "N", "how many are compiled side by side (a processor each)"},
	OPTIONS_COMPILE,
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

/* ---- what is compiled ---- */

static bool has_job(const Jobs *jobs, const Job *like, const char *target)
{
	for (size_t i = 0; i < jobs->count; i++) {
		const Job *job = &jobs->at[i];
		const neso_compile_options *a = &job->options, *b = &like->options;
		if (job->kernel == like->kernel && strcmp(job->signature, like->signature) == 0 && a->num_warps == b->num_warps &&
		    a->num_stages == b->num_stages && a->num_ctas == b->num_ctas && a->maxnreg == b->maxnreg && a->ptx_only &&
		    strcmp(a->target, target) == 0)
			return true;
	}
	return false;
}

/* One for each variant of another target. */
static void add_ptx_jobs(Jobs *jobs, const char *target)
{
	size_t count = jobs->count;
	for (size_t i = 0; i < count; i++) {
		Job job = jobs->at[i];
		if (!job.kernel || has_job(jobs, &job, target))
			continue;
		job.options.target = target;
		job.options.ptx_only = true;
		jobs->at = take_more(jobs->at, (jobs->count + 1) * sizeof *jobs->at);
		jobs->at[jobs->count++] = job;
	}
}

static int compile_all(const Parsed *parsed, neso_context *context, Jobs *jobs)
{
	Requests requests;
	long threads;
	const char *ptx = option_value(parsed, "ptx");
	int result = requests_read(parsed, &requests);
	if (result == EXIT_DONE)
		result = jobs_expand(context, &requests, jobs);
	if (result != EXIT_DONE)
		return result;
	if (ptx && strcmp(ptx, "none") != 0)
		add_ptx_jobs(jobs, ptx);
	for (size_t i = 0; i < jobs->count; i++)
		jobs->at[i].options.no_line_info = option_value(parsed, "line-info") == NULL;
	const char *processors = neso_context_info(context, "threads");
	long most = processors ? strtol(processors, NULL, 10) : 1;
	if (!option_number(parsed, "jobs", 1, 1024, most > 0 ? most : 1, &threads))
		return EXIT_USAGE;
	threads = threads < (long)jobs->count ? threads : (long)jobs->count;
	return jobs_run(parsed, jobs, threads ? threads : 1);
}

/* ---- files ---- */

static bool make_folder(const char *path)
{
	for (char *p = take_text(path, strlen(path)), *c = p + 1;; c++) {
		char end = *c;
		if (end && end != '/')
			continue;
		*c = '\0';
		if (mkdir(p, 0777) != 0 && errno != EEXIST) {
			input_error("cannot make '%s': %s", p, strerror(errno));
			return false;
		}
		*c = end;
		if (!end)
			return true;
	}
}

/* Of the first file. */
static const char *preset_name(const Parsed *parsed)
{
	const char *path = parsed->arg_count ? parsed->args[0] : option_value(parsed, "list");
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *name = take_text(base, strcspn(base, ".:"));
	for (char *c = name; *c; c++)
		*c = *c == '-' || *c == ' ' ? '_' : *c;
	return name;
}

/* Runs a program to its end; false after a message. */
static bool run_tool(char **arguments)
{
	pid_t pid;
	int status = -1, error = posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ);
	while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		input_error("cannot run '%s': %s", arguments[0], strerror(error));
	else if (status)
		input_error("'%s' failed", arguments[0]);
	return !error && !status;
}

/* $CC may have arguments of its own. */
static bool compile_c(const char *source, const char *object)
{
	const char *compiler = getenv("CC");
	char *words = take_printf("%s", compiler && *compiler ? compiler : "cc");
	char **arguments = take((strlen(words) + 10) * sizeof *arguments);
	size_t n = 0;
	for (char *word = strtok(words, " \t"); word; word = strtok(NULL, " \t"))
		arguments[n++] = word;
	char *rest[] = {"-c", "-O2", "-fPIC", "-o", (char *)object, (char *)source, NULL};
	memcpy(arguments + n, rest, sizeof rest);
	return run_tool(arguments);
}

typedef struct Output {
	const char *folder, *name, *emit;
} Output;

static bool write_object(const Output *o, const char *source)
{
	const char *object = take_printf("%s/%s.o", o->folder, o->name), *archive = take_printf("%s/lib%s.a", o->folder, o->name);
	if (!compile_c(source, object))
		return false;
	if (strcmp(o->emit, "object") == 0)
		return true;
	remove(archive);
	char *arguments[] = {"ar", "rcsD", (char *)archive, (char *)object, NULL};
	bool good = run_tool(arguments);
	remove(object);
	return good;
}

static int write_output(const Output *o, const char *header, const char *source)
{
	const char *path = take_printf("%s/%s.c", o->folder, o->name);
	bool keeps = strcmp(o->emit, "source") == 0;
	bool good = make_folder(o->folder) && write_file(take_printf("%s/%s.h", o->folder, o->name), header, strlen(header)) &&
		    write_file(path, source, strlen(source));
	if (good && !keeps) {
		good = write_object(o, path);
		remove(path);
	}
	return good ? EXIT_DONE : EXIT_INPUT;
}

static int write_jobs(const Parsed *parsed, neso_context *context, const Jobs *jobs, const Output *output)
{
	neso_aot_options how;
	neso_diagnostics *diagnostics;
	char *header, *source;
	const char *ptx = option_value(parsed, "ptx");
	neso_variant **variants = take((jobs->count + 1) * sizeof *variants);
	for (size_t i = 0; i < jobs->count; i++)
		variants[i] = (neso_variant *)jobs->at[i].variant;
	neso_aot_options_init(&how);
	how.name = output->name;
	how.prefix = option_value(parsed, "prefix");
	how.no_ptx = ptx && strcmp(ptx, "none") == 0;
	how.compress = option_value(parsed, "compress") != NULL;
	neso_status status = neso_aot_write(context, variants, jobs->count, &how, &header, &source, &diagnostics);
	int result = report(parsed, status, diagnostics);
	if (result == EXIT_DONE)
		result = write_output(output, header, source);
	neso_text_free(header);
	neso_text_free(source);
	return result;
}

/* ---- the command ---- */

static int aot(const Parsed *parsed)
{
	const char *folder = option_value(parsed, "output"), *emit = option_value(parsed, "emit");
	Jobs jobs = {0};
	if (!parsed->arg_count && !option_value(parsed, "list"))
		return usage_error("neso aot wants FILE.py:KERNEL..., --signature and --target");
	if (!option_value(parsed, "target") && !option_value(parsed, "list"))
		return usage_error("neso aot wants --target: GPUs to compile for, as sm_80,sm_90a");
	if (emit && strcmp(emit, "source") != 0 && strcmp(emit, "object") != 0 && strcmp(emit, "library") != 0)
		return usage_error("--emit is source, object or library, not '%s'", emit);
	Output output = {folder && *folder ? folder : ".", option_value(parsed, "name"), emit ? emit : "source"};
	output.name = output.name ? output.name : preset_name(parsed);
	expect_much_memory();
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	int result = compile_all(parsed, context, &jobs);
	if (result == EXIT_DONE)
		result = write_jobs(parsed, context, &jobs, &output);
	for (size_t i = 0; i < jobs.count; i++)
		neso_diagnostics_free(jobs.at[i].diagnostics);
	for (size_t i = 0; i < jobs.module_count; i++)
		neso_module_free(jobs.modules[i]);
	return close_context(parsed, context, result);
}

const Command command_aot = {
	"aot",
	"FILE.py:KERNEL...",
	"Compile kernels into C for programs that have neither Python nor Neso",
	"Writes NAME.h and NAME.c: a function for each kernel, the code of all targets, and what loads and launches it.\n"
	"Signatures may hold alternatives, and --target and other options lists, as for neso compile; the function\n"
	"chooses the variant by its arguments. docs/aot.md says how the files are used.\n",
	options,
	aot,
};
