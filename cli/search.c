/* Candidates beyond the list: sizes of tiles, warps, stages, clusters, and loops with warps of
 * their own for copies, around what is listed, without those that cannot be good.
 *
 * A parameter is searched when it decides the size of tiles: with another value the kernel's TTIR
 * has tiles of other shapes. Others keep the values that the list has for them. Nothing is compiled
 * for a GPU here; TTIR takes a few milliseconds. */
#include "cli/tune.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cost.h"
#include "cli/device.h"

enum { MOST_VALUES = 16, MOST_PARAMS = 8, MOST_SHAPES = 4000 };

typedef struct Param {
	const char *name;
	const char *values[MOST_VALUES];
	size_t count;
	bool searched;
} Param;

typedef struct Search {
	Tune *tune;
	CostGpu gpu;
	Param params[MOST_PARAMS];
	size_t param_count, shapes;
	double least_bytes; /* of all programs, of what is listed; 0: not known */
	Config base; /* names of params, with a value each */
	Tune made; /* candidates, those that are pruned too */
} Search;

/* ---- what a choice of values comes to ---- */

/* Values of the function's arguments: parameters that are no constexpr, in their order. */
static size_t function_args(const Tune *tune, int64_t *values, bool *known)
{
	size_t count = 0;
	for (size_t p = 0; p < tune->info.parameter_count; p++) {
		neso_parameter parameter = {.size = sizeof parameter};
		neso_kernel_get_parameter(tune->kernel, p, &parameter);
		if (parameter.is_constexpr)
			continue;
		known[count] = false;
		for (size_t i = 0; i < tune->arguments.count; i++) {
			const Argument *a = &tune->arguments.at[i];
			if (a->name && strcmp(a->name, parameter.name) == 0 &&
			    a->arg.kind == NESO_ARG_VALUE && a->arg.value.kind == NESO_VALUE_INT) {
				known[count] = true;
				values[count] = a->arg.value.i;
			}
		}
		count++;
	}
	return count;
}

/* False: it does not compile, and *why says what the first error is. */
static bool cost_of(const Search *s, const Candidate *c, Cost *cost, const char **why)
{
	const Tune *tune = s->tune;
	neso_launch launch =
		neso_launch_of(c->args, c->arg_count, c->grid[0], c->grid[1], c->grid[2]);
	neso_compile_options options = c->options;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	char *ttir = NULL;
	options.target = NULL;
	options.no_specialize = true; /* each argument stays one */
	launch.options = &options;
	neso_status status = neso_kernel_compile_for(tune->kernel, &launch, &variant, &diagnostics);
	if (status == NESO_OK)
		status = neso_variant_text(variant, "ttir", &ttir, NULL);
	if (status != NESO_OK) {
		const neso_diagnostic *first = neso_diagnostics_get(diagnostics, 0);
		*why = first ? take_printf("%.*s", (int)strcspn(first->text, "\n"), first->text)
			     : "it does not compile";
		neso_diagnostics_free(diagnostics);
		return false;
	}
	neso_diagnostics_free(diagnostics);
	int64_t *values = take(sizeof *values * (tune->info.parameter_count + 1));
	bool *known = take(sizeof *known * (tune->info.parameter_count + 1));
	size_t count = function_args(tune, values, known);
	bool good = cost_read(tune->context, ttir, values, known, count, cost);
	neso_text_free(ttir);
	*why = "its IR does not read back";
	return good;
}

static Config with(const Config *base, size_t i, const char *value)
{
	Config out = *base;
	out.values.at = take((base->values.count + 1) * sizeof *out.values.at);
	memcpy(out.values.at, base->values.at, base->values.count * sizeof *out.values.at);
	out.values.at[i] = value;
	return out;
}

/* ---- which parameters ---- */

static long number_of(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);
	return *text && !*end ? n : 0;
}

static bool is_power(long n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

/* False: it does not compile. */
static bool cost_of_config(Search *s, const Config *config, Cost *cost)
{
	Tune one = *s->tune;
	const char *why;
	one.at = NULL;
	one.count = 0;
	return tune_add(&one, config) == EXIT_DONE && one.count && cost_of(s, &one.at[0], cost, &why);
}

/* The shapes of a configuration's tiles; 0: it does not compile. */
static uint64_t shapes_of(Search *s, const Config *config)
{
	Cost cost;
	return cost_of_config(s, config, &cost) ? cost.shapes : 0;
}

/* Does a parameter that is True or False decide whether a loop has warps of its own for copies? */
static bool is_specialisation(Search *s, size_t i)
{
	Cost on, off;
	const char *value = s->base.values.at[i];
	if (strcmp(value, "True") != 0 && strcmp(value, "False") != 0)
		return false;
	const Config with_true = with(&s->base, i, "True"), with_false = with(&s->base, i, "False");
	return cost_of_config(s, &with_true, &on) && cost_of_config(s, &with_false, &off) &&
	       on.specialised != off.specialised;
}

static bool is_tile_size(Search *s, size_t i, uint64_t shapes)
{
	long value = number_of(s->base.values.at[i]);
	if (!is_power(value))
		return false;
	Config other = with(&s->base, i, take_printf("%ld", 2 * value));
	uint64_t twice = shapes_of(s, &other);
	other = with(&s->base, i, take_printf("%ld", value > 1 ? value / 2 : 1));
	uint64_t half = shapes_of(s, &other);
	return (twice && twice != shapes) || (half && half != shapes);
}

static void add_value(Param *p, const char *value)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->values[i], value) == 0)
			return;
	if (p->count < MOST_VALUES)
		p->values[p->count++] = value;
}

/* A power of two on both sides of what is listed, twice. */
static void widen(Param *p)
{
	enum { LEAST = 16, MOST = 65536, STEPS = 4 };
	long low = MOST, high = 1;
	for (size_t i = 0; i < p->count; i++) {
		long n = number_of(p->values[i]);
		low = n < low ? n : low;
		high = n > high ? n : high;
	}
	/* What is less than sizes of tiles mostly are is a number of rows or the like. */
	const long least = low < LEAST ? 1 : LEAST;
	for (long n = low / STEPS < least ? least : low / STEPS; n <= high * STEPS && n <= MOST; n *= 2)
		add_value(p, take_printf("%ld", n));
}

static bool is_named(const char *names, const char *name)
{
	Texts parts = {0};
	texts_split(names, strlen(names), &parts);
	for (size_t i = 0; i < parts.count; i++)
		if (strcmp(parts.at[i], name) == 0)
			return true;
	return false;
}

/* Constexprs that the call leaves open, with 64 for each, where no configuration is listed. */
static void open_constexprs(Search *s)
{
	for (size_t p = 0; p < s->tune->info.parameter_count; p++) {
		neso_parameter parameter = {.size = sizeof parameter};
		neso_kernel_get_parameter(s->tune->kernel, p, &parameter);
		bool given = parameter.default_value || !parameter.is_constexpr;
		for (size_t i = 0; i < s->tune->arguments.count; i++)
			given |= s->tune->arguments.at[i].name &&
				 strcmp(s->tune->arguments.at[i].name, parameter.name) == 0;
		if (!given && s->param_count < MOST_PARAMS)
			s->params[s->param_count++] =
				(Param){.name = parameter.name, .values = {"64"}, .count = 1};
	}
}

static void listed_params(Search *s, const Configs *listed)
{
	const Config *first = &listed->at[0];
	for (size_t i = 0; i < first->names.count && i < MOST_PARAMS; i++) {
		Param *p = &s->params[s->param_count++];
		*p = (Param){.name = first->names.at[i]};
		for (size_t c = 0; c < listed->count; c++)
			for (size_t k = 0; k < listed->at[c].names.count; k++)
				if (strcmp(listed->at[c].names.at[k], p->name) == 0)
					add_value(p, listed->at[c].values.at[k]);
	}
	memcpy(s->base.options, first->options, sizeof s->base.options);
}

static int choose_params(Search *s, const Configs *listed)
{
	const char *names = option_value(s->tune->parsed, "search");
	if (listed->count)
		listed_params(s, listed);
	else
		open_constexprs(s);
	s->base.names.at = take((s->param_count + 1) * sizeof(char *));
	s->base.values.at = take((s->param_count + 1) * sizeof(char *));
	s->base.names.count = s->base.values.count = s->param_count;
	for (size_t i = 0; i < s->param_count; i++) {
		s->base.names.at[i] = s->params[i].name;
		s->base.values.at[i] = s->params[i].values[0];
	}
	uint64_t shapes = shapes_of(s, &s->base);
	size_t searched = 0;
	for (size_t i = 0; i < s->param_count; i++) {
		Param *p = &s->params[i];
		const bool is_auto = strcmp(names, "auto") == 0;
		if ((is_auto || is_named(names, p->name)) && is_specialisation(s, i)) {
			add_value(p, "True");
			add_value(p, "False");
			searched++;
			continue;
		}
		p->searched = is_auto ? is_tile_size(s, i, shapes) : is_named(names, p->name);
		searched += p->searched;
		if (p->searched)
			widen(p);
	}
	if (!searched)
		return input_error(
			"--search %s: no parameter that is open decides the size of tiles", names);
	return EXIT_DONE;
}

/* ---- all of them ---- */

static double programs(const Candidate *c)
{
	return (double)c->grid[0] * c->grid[1] * c->grid[2];
}

/* Tiles of other sizes load and store what others do, or more; a block that was to cover a row,
 * and does not, half of it or less. */
static const double far_less = 0.6;

static void find_least_bytes(Search *s)
{
	for (size_t i = 0; i < s->tune->count; i++) {
		const Candidate *c = &s->tune->at[i];
		Cost cost;
		const char *why;
		if (!cost_of(s, c, &cost, &why))
			continue;
		const double bytes = cost.bytes * programs(c);
		if (s->least_bytes <= 0 || bytes < s->least_bytes)
			s->least_bytes = bytes;
	}
}

/* why: it does not compile; NULL: it does. */
static void add_one(Search *s, const Config *config, const Candidate *like, const Cost *cost,
		    const char *why)
{
	const size_t before = s->made.count;
	if (tune_add(&s->made, config) != EXIT_DONE || s->made.count == before)
		return;
	Candidate *c = &s->made.at[before];
	const CostOptions options = {c->options.num_warps, c->options.num_stages,
				     c->options.num_ctas ? c->options.num_ctas : 1};
	c->pruned = why ? why : cost_refuses(cost, &s->gpu, options);
	c->less = cost->bytes * programs(like) < far_less * s->least_bytes;
	if (!c->pruned)
		c->model = cost_seconds(cost, &s->gpu, programs(like), options);
}

/* With each number of warps, of stages, and, where the GPU has clusters and there are products, of
 * CTAs. */
static void add_options(Search *s, const Config *config, const Candidate *like, const Cost *cost,
			const char *why)
{
	static const char *const warps[] = {"1", "2", "4", "8", "16"};
	static const char *const stages[] = {"1", "2", "3", "4", "5"}, *const ctas[] = {"1", "2"};
	const bool loops = cost->staged > 0 && cost->trips > 1;
	const size_t most_ctas = s->gpu.clusters && loops && !config->options[2] ? 2 : 1;
	if (why) {
		add_one(s, config, like, cost, why);
		return;
	}
	for (size_t w = 0; w < sizeof warps / sizeof *warps; w++)
		for (size_t t = loops ? 1 : 2; t < (loops ? 5u : 3u); t++)
			for (size_t c = 0; c < most_ctas; c++) {
				Config one = *config;
				one.options[0] = warps[w];
				one.options[1] = stages[t];
				one.options[2] = most_ctas > 1 ? ctas[c] : config->options[2];
				add_one(s, &one, like, cost, NULL);
			}
}

static void each(Search *s, const Config *config, size_t i)
{
	if (i < s->param_count) {
		for (size_t v = 0; v < s->params[i].count; v++) {
			Config one = with(config, i, s->params[i].values[v]);
			each(s, &one, i + 1);
		}
		return;
	}
	Tune one = *s->tune;
	Cost cost = {0};
	const char *why = NULL;
	one.at = NULL;
	one.count = 0;
	if (s->shapes++ >= MOST_SHAPES || tune_add(&one, config) != EXIT_DONE || !one.count)
		return;
	if (cost_of(s, &one.at[0], &cost, &why))
		why = NULL;
	add_options(s, config, &one.at[0], &cost, why);
}

static int by_model(const void *a, const void *b)
{
	const Candidate *x = a, *y = b;
	if (!x->pruned != !y->pruned)
		return x->pruned ? 1 : -1;
	if (x->less != y->less)
		return x->less ? 1 : -1;
	if (x->model < y->model || x->model > y->model)
		return x->model < y->model ? -1 : 1;
	return strcmp(x->text, y->text);
}

int tune_search(Tune *tune, const Configs *listed)
{
	Search s = {.tune = tune,
		    .gpu = cost_gpu(tune->context, device_is_target(tune->options.target))};
	long most;
	if (!option_number(tune->parsed, "most", 1, 100000, 24, &most))
		return EXIT_USAGE;
	int result = choose_params(&s, listed);
	if (result != EXIT_DONE)
		return result;
	find_least_bytes(&s);
	s.made = *tune;
	s.made.at = NULL;
	s.made.count = 0;
	each(&s, &s.base, 0);
	if (s.shapes > MOST_SHAPES)
		return input_error(
			"--search: %zu choices of values are too many: name fewer parameters",
			s.shapes);
	/* The model orders them; the list's own are measured in any case, and not twice. */
	if (s.made.count)
		qsort(s.made.at, s.made.count, sizeof *s.made.at, by_model);
	size_t own = tune->count;
	for (size_t i = 0; i < s.made.count; i++) {
		Candidate *c = &s.made.at[i];
		bool known = false;
		for (size_t k = 0; k < own; k++)
			known |= strcmp(tune->at[k].text, c->text) == 0;
		if (known)
			continue;
		if (!c->pruned && tune->count - tune->pruned >= (size_t)most)
			c->pruned = c->less ? "it moves fewer bytes than what is listed"
					    : take_printf("the model of cost gives it %.2f us",
							  c->model * 1e6);
		tune->at = take_more(tune->at, (tune->count + 1) * sizeof *tune->at);
		tune->at[tune->count++] = *c;
		tune->pruned += c->pruned != NULL;
	}
	return EXIT_DONE;
}
