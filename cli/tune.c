/* neso tune: the fastest of a kernel's configurations, and files of choices. */
#include "cli/tune.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/bar.h"
#include "cli/device.h"

static const Option options[] = {
	{"grid", 'g', "G",
	 "programs: 16, 4,2 or cdiv(n,BLOCK),2 over integer arguments and a configuration's "
	 "values"},
	{"config", 'c', "TEXT",
	 "a configuration to try, BLOCK=128, num_warps=8; may be given several times; else those "
	 "of the kernel's triton.autotune"},
	{"search", 0, "NAMES",
	 "try values beyond the list: of these parameters, with , between; auto: of those that are "
	 "sizes of tiles"},
	{"most", 0, "N", "candidates of a search that are compiled (24)"},
	{"any-results", 0, NULL,
	 "a search may choose what computes something else than the first listed configuration that "
	 "runs"},
	{"key", 0, "NAMES",
	 "parameters whose values the choice is for, with , between (those of the kernel's "
	 "triton.autotune)"},
	{"restore", 0, "ARG",
	 "an array that is put back before each run; may be given several times"},
	{"zero", 0, "ARG",
	 "an array that is filled with zeros before each run; may be given several times"},
	{"out", 'o', "FILE", "put the choice into a file of choices (docs/tuning.md)"},
	{"budget", 0, "SECONDS", "for compiling and measuring"},
	{"confidence", 0, "X", "that none left behind is faster (0.99)"},
	{"tie", 0, "X", "relative difference that does not count: the first one is chosen (0.005)"},
	{"spills", 0, NULL, "measure configurations that spill registers, too"},
	{"jobs", 'j', "N", "compile so many at once (one per processor)"},
	{"gpus", 0, "N",
	 "measure on so many GPUs of the current one's kind at the same time; the best of each are "
	 "compared on the current one (1)"},
	{"shard", 0, "I/N",
	 "of all candidates in their order each N-th, from the I-th on; --merge puts the files of "
	 "all together"},
	{"plot", 0, "FILE.svg", "draw what each gave"},
	{"merge", 0, NULL,
	 "the arguments are files of choices: write one with the entries of all to --out"},
	{"only", 0, "TEXT",
	 "with --merge: entries alone whose kernel or GPU has this in it; may be given several "
	 "times"},
	OPTIONS_COMPILE,
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static const char details[] = ARGUMENT_DETAILS
	"\n  neso tune matmul.py:matmul_kernel --grid \"cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)\" --target "
	"cuda a=rand:... M=4096 ... -o tuned.json\n"
	"  neso tune --merge a.json b.json -o tuned.json\n";

/* ---- candidates ---- */

static bool option_of_config(const Config *config, size_t i, uint32_t preset, uint32_t *out)
{
	const char *text = config->options[i];
	char *end;
	if (!text) {
		*out = *out ? *out : preset;
		return true;
	}
	unsigned long value = strtoul(text, &end, 10);
	*out = (uint32_t)value;
	if (*text && !*end && value < 100000)
		return true;
	usage_error("%s=%s: a configuration wants a number there", config_options[i], text);
	return false;
}

/* The config's values as Python writes them, in a line that a file of choices has. */
static const char *text_of(const Config *config, const neso_compile_options *o)
{
	const char *text = "";
	for (size_t i = 0; i < config->names.count; i++)
		text = take_printf("%s%s%s=%s", text, i ? ", " : "", config->names.at[i],
				   config->values.at[i]);
	text = take_printf("%s%snum_warps=%u, num_stages=%u", text, *text ? ", " : "", o->num_warps,
			   o->num_stages);
	if (o->num_ctas > 1)
		text = take_printf("%s, num_ctas=%u", text, o->num_ctas);
	return o->maxnreg ? take_printf("%s, maxnreg=%u", text, o->maxnreg) : text;
}

static int check_name(const Tune *tune, const char *name)
{
	for (size_t i = 0; i < tune->arguments.count; i++)
		if (tune->arguments.at[i].name && strcmp(tune->arguments.at[i].name, name) == 0)
			return usage_error("'%s' is given, and a configuration has a value for it",
					   name);
	for (size_t p = 0; p < tune->info.parameter_count; p++) {
		neso_parameter parameter = {.size = sizeof parameter};
		neso_kernel_get_parameter(tune->kernel, p, &parameter);
		if (strcmp(parameter.name, name) == 0)
			return EXIT_DONE;
	}
	return usage_error("%s has no parameter '%s', for which a configuration has a value",
			   tune->info.name, name);
}

int tune_add(Tune *tune, const Config *config)
{
	size_t given = tune->arguments.count, count = given + config->names.count;
	Candidate c = {.options = tune->options, .arg_count = count};
	uint32_t *const to[CONFIG_OPTIONS] = {&c.options.num_warps, &c.options.num_stages,
					      &c.options.num_ctas, &c.options.maxnreg};
	const uint32_t presets[CONFIG_OPTIONS] = {4, 3, 1, 0};
	for (size_t i = 0; i < CONFIG_OPTIONS; i++)
		if (!option_of_config(config, i, presets[i], to[i]))
			return EXIT_USAGE;
	c.args = take(sizeof *c.args * (count + 1));
	for (size_t i = 0; i < given; i++)
		c.args[i] = tune->arguments.at[i].arg;
	GridName *names = take(sizeof *names * (config->names.count + 1));
	size_t name_count = 0;
	for (size_t i = 0; i < config->names.count; i++) {
		const char *name = config->names.at[i], *value = config->values.at[i];
		neso_arg *arg = &c.args[given + i];
		int result = check_name(tune, name);
		if (result != EXIT_DONE)
			return result;
		*arg = neso_arg_expr(name, value);
		if (argument_number(value, arg) && arg->value.kind == NESO_VALUE_INT)
			names[name_count++] = (GridName){name, arg->value.i};
	}
	c.text = text_of(config, &c.options);
	for (size_t i = 0; i < tune->count; i++)
		if (strcmp(tune->at[i].text, c.text) == 0)
			return EXIT_DONE;
	const char *grid = option_value(tune->parsed, "grid");
	int result = arguments_grid(&tune->arguments, tune->kernel, tune->info.parameter_count,
				    grid, names, name_count, c.grid);
	tune->at = take_more(tune->at, (tune->count + 1) * sizeof *tune->at);
	tune->at[tune->count++] = c;
	return result;
}

/* "BLOCK=128, num_warps=8" */
static int read_config(const char *text, Config *out)
{
	Texts parts = {0};
	*out = (Config){0};
	texts_split(text, strlen(text), &parts);
	for (size_t i = 0; i < parts.count; i++) {
		const char *name;
		const char *value = argument_split(parts.at[i], &name);
		if (!name || !*value)
			return usage_error("--config wants NAME=VALUE with , between, not '%s'",
					   text);
		bool is_option = false;
		for (size_t k = 0; k < CONFIG_OPTIONS; k++)
			if (strcmp(name, config_options[k]) == 0) {
				out->options[k] = value;
				is_option = true;
			}
		if (is_option)
			continue;
		out->names.at =
			take_more(out->names.at, (out->names.count + 1) * sizeof *out->names.at);
		out->values.at =
			take_more(out->values.at, (out->values.count + 1) * sizeof *out->values.at);
		out->names.at[out->names.count++] = name;
		out->values.at[out->values.count++] = value;
	}
	return EXIT_DONE;
}

static int given_configs(const Parsed *parsed, Configs *out)
{
	for (size_t i = 0; i < parsed->given_count; i++) {
		if (strcmp(parsed->given[i].option->name, "config") != 0)
			continue;
		Config config;
		int result = read_config(parsed->given[i].value, &config);
		if (result != EXIT_DONE)
			return result;
		out->at = take_more(out->at, (out->count + 1) * sizeof *out->at);
		out->at[out->count++] = config;
	}
	return EXIT_DONE;
}

/* With copies of the candidates, as the array of these may be changed and moved. */
static neso_launch *launches_of(const Candidate *candidates, size_t count)
{
	Candidate *at = take(sizeof *at * (count + 1));
	neso_launch *launches = take(sizeof *launches * (count + 1));
	for (size_t i = 0; i < count; i++) {
		const Candidate *c = &at[i];
		at[i] = candidates[i];
		launches[i] =
			neso_launch_of(c->args, c->arg_count, c->grid[0], c->grid[1], c->grid[2]);
		launches[i].options = &c->options;
	}
	return launches;
}

/* Each N-th of those that are to be compiled. */
static int take_shard(Tune *tune)
{
	const char *text = option_value(tune->parsed, "shard");
	unsigned long i, n;
	char end;
	if (!text)
		return EXIT_DONE;
	if (sscanf(text, "%lu/%lu%c", &i, &n, &end) != 2 || !i || i > n)
		return usage_error("--shard wants I/N, from 1/N to N/N, not '%s'", text);
	size_t kept = 0, number = 0;
	for (size_t k = 0; k < tune->count; k++)
		if (!tune->at[k].pruned && number++ % n == i - 1)
			tune->at[kept++] = tune->at[k];
	tune->count = kept;
	tune->pruned = 0;
	return kept ? EXIT_DONE
		    : input_error("--shard %s: there are %zu candidates, and none for this one",
				  text, number);
}

static int add_candidates(Tune *tune)
{
	Configs given = {0};
	int result = given_configs(tune->parsed, &given);
	if (result != EXIT_DONE)
		return result;
	Configs listed = given.count ? given : configs_of(tune->kernel);
	for (size_t i = 0; i < listed.count && result == EXIT_DONE; i++)
		result = tune_add(tune, &listed.at[i]);
	if (result == EXIT_DONE && option_value(tune->parsed, "search")) {
		if (!option_value(tune->parsed, "any-results")) {
			tune->reference_count = tune->count;
			tune->references = launches_of(tune->at, tune->count);
		}
		result = tune_search(tune, &listed);
	}
	if (result == EXIT_DONE && !tune->count)
		return usage_error(
			"%s has no triton.Config that is written out: give --config or --search",
			tune->info.name);
	return result == EXIT_DONE ? take_shard(tune) : result;
}

/* ---- the key ---- */

/* What `key=[...]` of a decorator names. */
static void keys_of_kernel(const neso_kernel *kernel, Texts *out)
{
	const char *decorator;
	for (size_t i = 0; (decorator = neso_kernel_decorator(kernel, i)) != NULL; i++) {
		const char *key = strstr(decorator, "autotune") ? strstr(decorator, "key") : NULL;
		const char *open = key ? strpbrk(key, "[(") : NULL,
			   *close = open ? strpbrk(open, "])") : NULL;
		if (!close || strspn(key + 3, " =") != (size_t)(open - key - 3))
			continue;
		Texts quoted = {0};
		texts_split(open + 1, (size_t)(close - open - 1), &quoted);
		for (size_t k = 0; k < quoted.count; k++) {
			size_t len = strlen(quoted.at[k]);
			if (len < 3)
				continue;
			out->at = take_more(out->at, (out->count + 1) * sizeof *out->at);
			out->at[out->count++] = take_text(quoted.at[k] + 1, len - 2);
		}
	}
}

static const char *value_text(const neso_arg *arg)
{
	switch (arg->value.kind) {
	case NESO_VALUE_INT: return take_printf("%lld", (long long)arg->value.i);
	case NESO_VALUE_FLOAT: return take_printf("%.17g", arg->value.f);
	default: return arg->value.text ? arg->value.text : "None";
	}
}

/* As python/neso/runtime/tuned.py writes it: "M=4096, N=4096; a_ptr=fp16". */
static const char *key_text(const Tune *tune)
{
	const char *values = "", *types = "";
	for (size_t k = 0; k < tune->keys.count; k++)
		for (size_t i = 0; i < tune->arguments.count; i++) {
			const Argument *a = &tune->arguments.at[i];
			if (a->name && !a->array.data && strcmp(a->name, tune->keys.at[k]) == 0)
				values = take_printf("%s%s%s=%s", values, *values ? ", " : "",
						     a->name, value_text(&a->arg));
		}
	for (size_t p = 0; p < tune->info.parameter_count; p++) {
		neso_parameter parameter = {.size = sizeof parameter};
		neso_kernel_get_parameter(tune->kernel, p, &parameter);
		const Argument *a = arguments_array(&tune->arguments, parameter.name);
		if (a && a->arg.kind == NESO_ARG_POINTER)
			types = take_printf("%s%s%s=%s", types, *types ? ", " : "", parameter.name,
					    neso_dtype_name(a->arg.dtype));
	}
	return take_printf("%s%s%s", values, *values && *types ? "; " : "", types);
}

/* ---- the race ---- */

typedef struct Watched {
	Bar bar;
	const Tune *tune;
} Watched;

static void draw(void *data, size_t candidate, size_t done, size_t all)
{
	Watched *w = data;
	bar_draw(&w->bar, done, all, w->tune->at[candidate].text);
}

static size_t names_of(const Parsed *parsed, const char *option, const char **out)
{
	size_t count = 0;
	for (size_t i = 0; i < parsed->given_count; i++)
		if (strcmp(parsed->given[i].option->name, option) == 0)
			out[count++] = parsed->given[i].value;
	return count;
}

static bool read_race(const Tune *tune, neso_tune_options *o)
{
	const Parsed *parsed = tune->parsed;
	long jobs, gpus;
	const char **names = take(2 * (parsed->given_count + 1) * sizeof *names),
		   **restore = names + parsed->given_count + 1;
	neso_tune_options_init(o);
	if (!option_number(parsed, "jobs", 1, 1024, 0, &jobs) ||
	    !option_number(parsed, "gpus", 1, 64, 1, &gpus) ||
	    !option_seconds(parsed, "budget", &o->budget) ||
	    !option_tolerance(parsed, "confidence", &o->confidence) ||
	    !option_tolerance(parsed, "tie", &o->tie))
		return false;
	o->threads = (uint32_t)jobs;
	o->gpus = (uint32_t)gpus;
	o->spills = option_value(parsed, "spills") != NULL;
	o->zero = names;
	o->zero_count = names_of(parsed, "zero", names);
	o->restore = restore;
	o->restore_count = names_of(parsed, "restore", restore);
	o->references = tune->references;
	o->reference_count = tune->reference_count;
	return true;
}

static int race(Tune *tune)
{
	neso_tune_options o;
	neso_tuning *tuning = NULL;
	neso_diagnostics *diagnostics;
	size_t count = tune->count - tune->pruned;
	if (!read_race(tune, &o))
		return EXIT_USAGE;
	Watched watched = {bar_begin(), tune};
	o.progress = draw;
	o.data = &watched;
	neso_status status = neso_tune_kernel(tune->kernel, launches_of(tune->at, count), count, &o,
					      &tuning, &diagnostics);
	bar_clear(&watched.bar);
	int result = report(tune->parsed, status, diagnostics);
	if (result != EXIT_DONE)
		return result;
	tune->summary.size = sizeof tune->summary;
	neso_tuning_get_summary(tuning, &tune->summary);
	tune->chosen = tune->summary.chosen;
	for (size_t i = 0; i < count; i++) {
		neso_tune_candidate *found = &tune->at[i].found;
		found->size = sizeof *found;
		neso_tuning_get(tuning, i, found);
		found->why = found->why ? take_text(found->why, strlen(found->why)) : NULL;
	}
	neso_tuning_free(tuning);
	return EXIT_DONE;
}

/* ---- what is kept ---- */

static int make_entry(const Tune *tune, bool on_gpu, neso_tuned_entry *entry)
{
	char *content, *gpu, *driver;
	neso_diagnostics *diagnostics;
	neso_status status = neso_tune_content(tune->kernel, &content, &diagnostics);
	int result = report(tune->parsed, status, diagnostics);
	if (result != EXIT_DONE)
		return result;
	status = neso_tune_machine(tune->context, !on_gpu, &gpu, &driver, &diagnostics);
	result = report(tune->parsed, status, diagnostics);
	if (result != EXIT_DONE)
		return result;
	*entry = (neso_tuned_entry){
		.size = sizeof *entry,
		.kernel = tune->info.name,
		.content = content,
		.gpu = gpu,
		.driver = driver,
		.key = key_text(tune),
		.config = tune->at[tune->chosen].text,
		.seconds = tune->summary.best,
		.noise = tune->summary.noise,
		.tried = (uint32_t)tune->summary.count,
	};
	return EXIT_DONE;
}

static int keep(const Tune *tune, const neso_tuned_entry *entry)
{
	const char *path = option_value(tune->parsed, "out");
	neso_diagnostics *diagnostics;
	neso_tuned *tuned;
	neso_status status = neso_tuned_new(&tuned, &diagnostics);
	if (status == NESO_OK)
		status = neso_tuned_put(tuned, entry, NULL);
	if (status == NESO_OK)
		status = neso_tuned_keep(tuned, tune->context, false, &diagnostics);
	neso_tuned_free(tuned);
	if (status == NESO_OK && path) {
		neso_diagnostics_free(diagnostics);
		status = neso_tuned_record(path, entry, &diagnostics);
	}
	return report(tune->parsed, status, diagnostics);
}

static int finish(const Tune *tune, bool on_gpu)
{
	neso_tuned_entry entry = {0};
	bool json = option_value(tune->parsed, "json") != NULL,
	     any = tune->chosen < tune->summary.count;
	const char *plot = option_value(tune->parsed, "plot");
	int result = any ? make_entry(tune, on_gpu, &entry) : EXIT_DONE;
	if (json)
		tune_show_json(tune, any ? &entry : NULL);
	else
		tune_show_table(tune);
	if (result == EXIT_DONE && plot && !tune_plot(tune, plot))
		result = EXIT_INPUT;
	if (!any)
		return input_error("no configuration of %s runs", tune->info.name);
	return result == EXIT_DONE ? keep(tune, &entry) : result;
}

static int tune_open(Tune *tune)
{
	const Parsed *parsed = tune->parsed;
	int result = arguments_parse(parsed, &tune->arguments);
	if (result != EXIT_DONE)
		return result;
	tune->info.size = sizeof tune->info;
	neso_kernel_get_info(tune->kernel, &tune->info);
	arguments_name(&tune->arguments, tune->kernel, tune->info.parameter_count);
	for (size_t i = 0; i < tune->arguments.count; i++)
		tune->arguments.at[i].arg.name = tune->arguments.at[i].name;
	const char *keys = option_value(parsed, "key");
	if (keys)
		texts_split(keys, strlen(keys), &tune->keys);
	else
		keys_of_kernel(tune->kernel, &tune->keys);
	return EXIT_DONE;
}

static int tune_on(Tune *tune)
{
	bool on_gpu = device_is_target(tune->options.target);
	Device device;
	neso_arg *args = take(sizeof *args * (tune->arguments.count + 1));
	int result = EXIT_DONE;
	if (on_gpu) {
		for (size_t i = 0; i < tune->arguments.count; i++)
			args[i] = tune->arguments.at[i].arg;
		result = device_open(&device, tune->parsed, tune->context, args,
				     tune->arguments.count);
		for (size_t i = 0; i < tune->arguments.count; i++)
			tune->arguments.at[i].arg.address = args[i].address;
	}
	if (result == EXIT_DONE)
		result = add_candidates(tune);
	if (result == EXIT_DONE)
		result = race(tune);
	if (result == EXIT_DONE)
		result = finish(tune, on_gpu);
	if (on_gpu)
		device_close(&device);
	return result;
}

static int tune_command(const Parsed *parsed)
{
	Tune tune = {.parsed = parsed};
	if (option_value(parsed, "merge"))
		return tune_merge(parsed);
	if (!parsed->arg_count)
		return usage_error("neso tune wants FILE.py:KERNEL and its arguments");
	if (!option_value(parsed, "grid"))
		return usage_error("neso tune wants --grid");
	if (!compile_options(parsed, &tune.options))
		return EXIT_USAGE;
	if (tune.options.target && strncmp(tune.options.target, "sim:", 4) == 0)
		return usage_error("neso tune measures on a GPU (--target cuda) or by the "
				   "interpreter: the simulator's time says nothing");
	tune.context = open_context(parsed);
	if (!tune.context)
		return EXIT_INPUT;
	neso_module *module = NULL;
	int result = open_kernel(parsed, tune.context, parsed->args[0], &module, &tune.kernel);
	if (result == EXIT_DONE)
		result = tune_open(&tune);
	if (result == EXIT_DONE)
		result = tune_on(&tune);
	neso_module_free(module);
	return close_context(parsed, tune.context, result);
}

const Command command_tune = {
	"tune",
	"FILE.py:KERNEL ARG=VALUE...",
	"Find the fastest configuration of a kernel, and keep it in a file",
	details,
	options,
	tune_command,
};
