/* neso run: launches a kernel on arguments made from the command line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/argument.h"
#include "cli/device.h"

static const Option options[] = {
	{"grid", 'g', "G", "programs: 16, 4,2 or cdiv(n,BLOCK),2 over integer arguments"},
	{"out", 'o', "ARG=FILE.npy", "write an argument's array after the run; may be given several times"},
	{"print", 'p', "ARG", "print all of an argument's array after the run; may be given several times"},
	{"expect", 0, "ARG=ARRAY", "compare with an array after the run; a difference is exit status 1"},
	{"atol", 0, "X", "absolute tolerance of --expect and --against (0)"},
	{"rtol", 0, "X", "relative tolerance of --expect and --against (0)"},
	{"quiet", 'q', NULL, "do not list the arrays that changed"},
	{"time", 0, NULL, "print how long compiling and running took"},
	{"repeat", 0, "N", "run N times (for --time; arrays keep what the runs before wrote)"},
	{"threads", 0, "N", "threads of the interpreter (one per processor)"},
	{"timeout", 0, "SECONDS", "end the run with an error after this time"},
	{"check", 0, NULL, "with --target sim:...: look for races, reads of unwritten shared memory, missing waits"},
	{"nan", 0, NULL, "with --target sim:...: check, and tell where NaN and infinities arise"},
	{"coverage", 0, NULL, "with --target sim:...: check, and tell what never ran or went one way alone"},
	{"traffic", 0, NULL, "with --target sim:...: check, and tell accesses that move too much"},
	{"against", 0, "interp", "with --target sim:...: compare with the interpreter, by line"},
	{"portable", 0, NULL, "with --target sim:...: check, without what Neso adds to Triton's promises"},
	{"schedules", 0, "N", "with --target sim:...: check, and run in N orders of warps and programs, whose results must be the same"},
	OPTIONS_COMPILE,
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static const char details[] =
	ARGUMENT_DETAILS
	"SHAPE is 1024 or 128x64; neso info lists the dtypes. Arrays that the kernel changed are listed after the run.\n"
	"--out ARG=FILE.npy writes one (with :DTYPE converted; bf16 and fp8 as unsigned integers of their size).\n\n"
	"  neso run add.py:add_kernel --grid \"cdiv(n,BLOCK)\" x_ptr=rand:1000:fp32 y_ptr=rand:1000:fp32:7 \\\n"
	"      out_ptr=zeros:1000:fp32 n=1000 BLOCK=256 --out out_ptr=sum.npy\n";

typedef struct Run {
	const Parsed *parsed;
	neso_context *context;
	neso_kernel *kernel;
	neso_kernel_info info;
	Arguments arguments;
	double atol, rtol, compile_seconds, run_seconds, mean_seconds;
	bool programs; /* does the grid have any */
} Run;

static Argument *find_array(const Run *run, const char *name)
{
	return arguments_array(&run->arguments, name);
}

/* Arguments that options name must be arrays: said before anything runs. */
static int check_options(const Run *run)
{
	for (size_t i = 0; i < run->parsed->given_count; i++) {
		const Given *given = &run->parsed->given[i];
		bool out = strcmp(given->option->name, "out") == 0, expect = strcmp(given->option->name, "expect") == 0;
		if (!out && !expect && strcmp(given->option->name, "print") != 0)
			continue;
		const char *name = given->value;
		if ((out || expect) && (!*argument_split(given->value, &name) || !name))
			return usage_error("--%s wants %s", given->option->name, given->option->value);
		if (!find_array(run, name))
			return usage_error("--%s: no argument '%s' is an array", given->option->name, name);
	}
	return EXIT_DONE;
}

static int read_grid(const Run *run, uint32_t grid[3])
{
	const char *text = option_value(run->parsed, "grid");
	if (!text)
		return usage_error("neso run wants --grid");
	return arguments_grid(&run->arguments, run->kernel, run->info.parameter_count, text, NULL, 0, grid);
}

/* ---- after the run ---- */

static int compare(const Run *run, const char *spec)
{
	const char *name, *value = argument_split(spec, &name);
	const Argument *a = find_array(run, name);
	Array wanted;
	int result = array_make(value, &wanted);
	if (result != EXIT_DONE)
		return result;
	if (wanted.count != a->array.count)
		return input_error("--expect %s: %zu elements, but the argument has %zu", spec, wanted.count,
				   a->array.count);
	Difference d = array_difference(&a->array, &wanted, run->atol, run->rtol);
	if (d.wrong)
		return input_error("%s differs in %zu of %zu elements; the first is %zu: %.9g, expected %.9g", name, d.wrong,
				   wanted.count, d.first, d.got, d.want);
	return EXIT_DONE;
}

static bool is_given(const Run *run, const char *option, const char *value)
{
	for (size_t i = 0; i < run->parsed->given_count; i++)
		if (strcmp(run->parsed->given[i].option->name, option) == 0 && strcmp(run->parsed->given[i].value, value) == 0)
			return true;
	return false;
}

/* Arrays that changed, unless nobody wants to hear of them, and those that are to be printed. */
static void print_arrays(const Run *run)
{
	bool quiet = option_value(run->parsed, "quiet") != NULL, changed = false;
	for (size_t i = 0; i < run->arguments.count && !quiet; i++) {
		const Argument *a = &run->arguments.at[i];
		if (!a->array.data || array_equal(&a->array, &a->before))
			continue;
		changed = true;
		array_print_summary(a->name, &a->array);
	}
	if (!quiet && !changed && run->arguments.count)
		printf("no array was changed%s\n", run->programs ? "" : ": the grid has no program");
	for (size_t i = 0; i < run->parsed->given_count; i++)
		if (strcmp(run->parsed->given[i].option->name, "print") == 0)
			array_print_all(run->parsed->given[i].value, &find_array(run, run->parsed->given[i].value)->array);
}

static void print_arrays_json(const Run *run)
{
	const char *between = "";
	bool quiet = option_value(run->parsed, "quiet") != NULL;
	printf("{\"kernel\": ");
	print_json_text(run->info.name);
	printf(", \"compile_seconds\": %.9g, \"run_seconds\": %.9g, \"arrays\": [", run->compile_seconds, run->run_seconds);
	for (size_t i = 0; i < run->arguments.count; i++) {
		const Argument *a = &run->arguments.at[i];
		bool all = a->array.data && is_given(run, "print", a->name);
		bool changed = a->array.data && !array_equal(&a->array, &a->before);
		if (!all && (quiet || !changed))
			continue;
		printf("%s", between);
		array_print_json(a->name, &a->array, changed, all);
		between = ", ";
	}
	puts("]}");
}

static int finish(const Run *run)
{
	int result = EXIT_DONE;
	(option_value(run->parsed, "json") ? print_arrays_json : print_arrays)(run);
	for (size_t i = 0; i < run->parsed->given_count; i++) {
		const Given *given = &run->parsed->given[i];
		const char *name = given->value;
		if (strcmp(given->option->name, "out") == 0) {
			const char *file = argument_split(given->value, &name);
			if (!array_write(file, &find_array(run, name)->array))
				result = EXIT_INPUT;
		} else if (strcmp(given->option->name, "expect") == 0) {
			int status = compare(run, given->value);
			result = status != EXIT_DONE ? status : result;
		}
	}
	return result;
}

/* ---- the run ---- */

/* How long making a variant took, by its own account. */
static double steps_seconds(const neso_variant *variant)
{
	double sum = 0;
	neso_variant_info info;
	info.size = sizeof info;
	if (neso_variant_get_info(variant, &info) == NESO_OK)
		for (size_t i = 0; i < NESO_STEPS; i++)
			sum += info.seconds[i];
	return sum;
}

/* On a GPU the time is the stream's, so what is launched is compiled before. */
static int launch_once(const Run *run, const neso_launch *l, Device *device, neso_launch_result *outcome)
{
	neso_diagnostics *diagnostics;
	neso_status status = NESO_OK;
	int result = EXIT_DONE;
	if (device) {
		neso_variant *variant;
		status = neso_kernel_compile_for(run->kernel, l, &variant, &diagnostics);
		result = report(run->parsed, status, diagnostics);
		result = result == EXIT_DONE ? device_begin(device) : result;
	}
	if (result != EXIT_DONE)
		return result;
	status = neso_kernel_launch(run->kernel, l, outcome, &diagnostics);
	result = report(run->parsed, status, diagnostics);
	if (device && result == EXIT_DONE) {
		outcome->compile_seconds = steps_seconds(outcome->variant);
		result = device_end(device, &outcome->run_seconds);
	}
	return result;
}

/* ---- against the interpreter ---- */

static bool is_simulated(const char *target)
{
	return target && strncmp(target, "sim:", 4) == 0;
}

/* The launch on copies of the arrays as they were, which are in `out` by argument; `whose`: a
 * byte of which argument, told of its copy. */
static int launch_copies(const Run *run, neso_launch l, size_t whose, size_t byte, Array *out)
{
	neso_diagnostics *diagnostics;
	neso_launch_result outcome;
	neso_arg *args = take(sizeof *args * (run->arguments.count + 1));
	for (size_t i = 0; i < run->arguments.count; i++) {
		args[i] = run->arguments.at[i].arg;
		if (!run->arguments.at[i].array.data)
			continue;
		out[i] = array_copy(&run->arguments.at[i].before);
		args[i].address = out[i].data;
	}
	if (whose < run->arguments.count)
		l.whose = (const char *)out[whose].data + byte;
	l.args = args;
	neso_launch_result_init(&outcome);
	neso_status status = neso_kernel_launch(run->kernel, &l, &outcome, &diagnostics);
	return report(run->parsed, status, diagnostics);
}

/* Says how an argument differs, and which line wrote its first wrong element. */
static int tell_difference(const Run *run, neso_launch l, size_t i, const Difference *d, Array *copies)
{
	const Array *array = &run->arguments.at[i].array;
	char place[256] = "";
	size_t at = 0, rest = d->first, below = array->count;
	l.watch = 0;
	launch_copies(run, l, i, d->first * neso_dtype_size(array->dtype), copies);
	for (int k = 0; k < array->rank && at < sizeof place; k++) {
		below /= (size_t)array->shape[k];
		at += (size_t)snprintf(place + at, sizeof place - at, k ? ", %zu" : "%zu", rest / below);
		rest %= below;
	}
	return input_error("%s differs from the interpreter's in %zu of %zu elements; the first is [%s]: "
			   "%.9g, expected %.9g",
			   run->arguments.at[i].name, d->wrong, array->count, place, d->got, d->want);
}

static int compare_engines(const Run *run, const neso_launch *l, const neso_compile_options *compile)
{
	neso_compile_options plain = *compile;
	neso_launch interp = *l;
	Array *copies = take(sizeof *copies * (run->arguments.count + 1));
	plain.target = NULL;
	interp.options = &plain;
	interp.check = false;
	interp.watch = interp.schedules = 0;
	int result = launch_copies(run, interp, run->arguments.count, 0, copies);
	for (size_t i = 0; i < run->arguments.count && result == EXIT_DONE; i++) {
		if (!run->arguments.at[i].array.data)
			continue;
		Difference d = array_difference(&run->arguments.at[i].array, &copies[i], run->atol, run->rtol);
		if (d.wrong)
			result = tell_difference(run, *l, i, &d, copies);
	}
	return result;
}

/* The launch that the options ask for, without its arguments. */
static int read_launch(Run *run, const neso_compile_options *compile, neso_launch *l, long *repeat)
{
	long threads, schedules;
	if (!option_number(run->parsed, "repeat", 1, 1000000, 1, repeat) ||
	    !option_number(run->parsed, "schedules", 1, 1000, 1, &schedules) ||
	    !option_number(run->parsed, "threads", 1, 1024, 0, &threads) ||
	    !option_seconds(run->parsed, "timeout", &l->timeout) ||
	    !option_tolerance(run->parsed, "atol", &run->atol) ||
	    !option_tolerance(run->parsed, "rtol", &run->rtol))
		return EXIT_USAGE;
	const char *against = option_value(run->parsed, "against");
	if (against && (strcmp(against, "interp") != 0 || *repeat > 1 || !is_simulated(compile->target)))
		return usage_error("--against interp is for one run with --target sim:...");
	int result = read_grid(run, l->grid);
	if (result == EXIT_DONE && device_is_target(compile->target))
		result = target_check(run->context, compile->target);
	l->options = compile;
	l->threads = (uint32_t)threads;
	l->check = option_value(run->parsed, "check") || option_value(run->parsed, "portable");
	l->schedules = (uint32_t)schedules;
	l->watch |= option_value(run->parsed, "nan") ? NESO_WATCH_NAN : 0u;
	l->watch |= option_value(run->parsed, "coverage") ? NESO_WATCH_COVERAGE : 0u;
	l->watch |= option_value(run->parsed, "traffic") ? NESO_WATCH_TRAFFIC : 0u;
	l->poll = parent_lives;
	return result;
}

/* Launches `repeat` times, and keeps the compile time and the shortest run. */
static int launch_repeatedly(Run *run, const neso_launch *l, Device *device, long repeat)
{
	double total = 0;
	int result = EXIT_DONE;
	run->compile_seconds = 0;
	run->run_seconds = INFINITY;
	for (long i = 0; i < repeat && result == EXIT_DONE; i++) {
		neso_launch_result outcome;
		memset(&outcome, 0, sizeof outcome);
		outcome.size = sizeof outcome;
		result = launch_once(run, l, device, &outcome);
		run->compile_seconds = fmax(run->compile_seconds, outcome.compile_seconds);
		total += outcome.run_seconds;
		run->run_seconds = fmin(run->run_seconds, outcome.run_seconds);
	}
	run->mean_seconds = total / (double)repeat;
	return result;
}

static void print_times(const Run *run, long repeat)
{
	const double mean = run->mean_seconds * 1e3;
	const char *of = repeat > 1 ? take_printf(" (best of %ld, mean %.3f ms)", repeat, mean) : "";
	printf("compile %.3f ms, run %.3f ms%s\n", run->compile_seconds * 1e3, run->run_seconds * 1e3, of);
}

static int launch(Run *run, const neso_compile_options *compile)
{
	long repeat;
	neso_launch l = neso_launch_of(NULL, run->arguments.count, 1, 1, 1);
	int result = read_launch(run, compile, &l, &repeat);
	if (result != EXIT_DONE)
		return result;
	run->programs = l.grid[0] && l.grid[1] && l.grid[2];
	neso_arg *args = take(sizeof *args * (run->arguments.count + 1));
	for (size_t i = 0; i < run->arguments.count; i++)
		args[i] = run->arguments.at[i].arg;
	l.args = args;
	Device device;
	bool on_device = device_is_target(compile->target);
	if (on_device)
		result = device_open(&device, run->parsed, run->context, args, run->arguments.count);
	if (result == EXIT_DONE)
		result = launch_repeatedly(run, &l, on_device ? &device : NULL, repeat);
	if (on_device) {
		result = result == EXIT_DONE ? device_read_back(&device) : result;
		device_close(&device);
	}
	if (result == EXIT_DONE && option_value(run->parsed, "time") && !option_value(run->parsed, "json"))
		print_times(run, repeat);
	if (result != EXIT_DONE)
		return result;
	int same = option_value(run->parsed, "against") ? compare_engines(run, &l, compile) : EXIT_DONE;
	result = finish(run);
	return same != EXIT_DONE ? same : result;
}

static int run_kernel(const Parsed *parsed)
{
	Run run = {.parsed = parsed};
	neso_compile_options compile;
	if (!parsed->arg_count)
		return usage_error("neso run wants FILE.py:KERNEL and its arguments");
	if (!compile_options(parsed, &compile))
		return EXIT_USAGE;
	if (option_value(parsed, "portable"))
		setenv("NESO_PORTABLE_ORDER", "1", 1);
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	neso_module *module = NULL;
	run.context = context;
	int result = open_kernel(parsed, context, parsed->args[0], &module, &run.kernel);
	if (result == EXIT_DONE)
		result = arguments_parse(parsed, &run.arguments);
	if (result == EXIT_DONE) {
		run.info.size = sizeof run.info;
		neso_kernel_get_info(run.kernel, &run.info);
		arguments_name(&run.arguments, run.kernel, run.info.parameter_count);
		result = check_options(&run);
	}
	if (result == EXIT_DONE)
		result = launch(&run, &compile);
	neso_module_free(module);
	return close_context(parsed, context, result);
}

const Command command_run = {
	"run", "FILE.py:KERNEL ARG=VALUE...", "Run a kernel on arrays and numbers", details, options, run_kernel,
};
