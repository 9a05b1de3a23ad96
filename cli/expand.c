/* From requests to variants: modules are loaded, alternatives multiplied out. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include <neso/declare.h>

#include "cli/batch.h"
#include "cli/configs.h"

static void push(Texts *texts, const char *text)
{
	texts->at = take_more(texts->at, (texts->count + 1) * sizeof *texts->at);
	texts->at[texts->count++] = text;
}

static const char *trimmed(const char *text, size_t len)
{
	while (len && isspace((unsigned char)*text))
		text++, len--;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return take_text(text, len);
}

void texts_split(const char *text, size_t len, Texts *out)
{
	int depth = 0;
	char quote = 0;
	size_t start = 0;
	for (size_t i = 0; i <= len; i++) {
		char c = i < len ? text[i] : '\0';
		if (i == len || (c == ',' && depth <= 0 && !quote)) {
			push(out, trimmed(text + start, i - start));
			start = i + 1;
		} else if (quote) {
			i += c == '\\' && i + 1 < len;
			quote = c == quote ? '\0' : quote;
		} else if (c == '\'' || c == '"') {
			quote = c;
		} else {
			depth += strchr("([{<", c) != NULL;
			depth -= strchr(")]}>", c) != NULL;
		}
	}
}

/* The length of a bracketed text with its brackets; 0: they are not closed. */
static size_t bracketed(const char *text)
{
	int depth = 0;
	char quote = 0;
	for (size_t i = 0; text[i]; i++) {
		char c = text[i];
		if (quote) {
			i += c == '\\' && text[i + 1];
			quote = c == quote ? '\0' : quote;
		} else if (c == '\'' || c == '"') {
			quote = c;
		} else if (strchr("([{", c)) {
			depth++;
		} else if (strchr(")]}", c) && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

/* ---- an entry of a signature ---- */

/* "T:*": what launches tell apart of an argument of type T. */
static void add_specialised(const char *entry, const neso_parameter *p, Texts *out)
{
	size_t len = strlen(entry);
	if (len < 3 || strcmp(entry + len - 2, ":*") != 0) {
		push(out, entry);
		return;
	}
	const char *type = trimmed(entry, len - 2);
	bool pointer = type[0] == '*', integer = (type[0] == 'i' || type[0] == 'u') && isdigit((unsigned char)type[1]) && strcmp(type, "i1") != 0;
	push(out, type);
	if ((!pointer && !integer) || p->no_specialize)
		return;
	if (!p->no_alignment)
		push(out, take_printf("%s:16", type));
	if (integer)
		push(out, take_printf("%s:1", type));
}

/* "{A, B}", "{A, B}:16", and each as above. */
static void alternatives(const char *entry, const neso_parameter *p, Texts *out)
{
	size_t len = entry[0] == '{' ? bracketed(entry) : 0;
	const char *rest = entry + len;
	if (!len || (*rest && *rest != ':')) {
		add_specialised(entry, p, out);
		return;
	}
	Texts parts = {0};
	texts_split(entry + 1, len - 2, &parts);
	for (size_t i = 0; i < parts.count; i++)
		add_specialised(take_printf("%s%s", parts.at[i], rest), p, out);
}

/* ---- configurations of triton.autotune ---- */

/* The first of listed_options. */
const char *const config_options[CONFIG_OPTIONS] = {"num_warps", "num_stages", "num_ctas", "maxnreg"};

/* {"NAME": VALUE, ...} */
static void read_parameters(const char *text, Config *config)
{
	Texts pairs = {0};
	texts_split(text + 1, strlen(text) - 2, &pairs);
	for (size_t i = 0; i < pairs.count; i++) {
		const char *pair = pairs.at[i], *end = pair[0] ? strchr(pair + 1, pair[0]) : NULL;
		const char *colon = end ? strchr(end, ':') : NULL;
		if (!colon || (pair[0] != '\'' && pair[0] != '"'))
			continue;
		push(&config->names, take_text(pair + 1, (size_t)(end - pair) - 1));
		push(&config->values, trimmed(colon + 1, strlen(colon + 1)));
	}
}

static void read_config(const char *text, size_t len, Configs *out)
{
	Config config = {0};
	Texts parts = {0};
	texts_split(text, len, &parts);
	for (size_t i = 0; i < parts.count; i++) {
		const char *part = parts.at[i], *equals = part[0] == '{' ? NULL : strchr(part, '=');
		const char *value = equals ? trimmed(equals + 1, strlen(equals + 1)) : part;
		const char *name = equals ? trimmed(part, (size_t)(equals - part)) : "kwargs";
		if (value[0] == '{' && strcmp(name, "kwargs") == 0)
			read_parameters(value, &config);
		for (int k = 0; k < 4; k++)
			if (strcmp(name, config_options[k]) == 0 && strcmp(value, "None") != 0)
				config.options[k] = value;
	}
	out->at = take_more(out->at, (out->count + 1) * sizeof *out->at);
	out->at[out->count++] = config;
}

Configs configs_of(const neso_kernel *kernel)
{
	static const char mark[] = "Config";
	Configs out = {0};
	const char *decorator;
	for (size_t i = 0; (decorator = neso_kernel_decorator(kernel, i)) != NULL; i++) {
		const char *name = strstr(decorator, "autotune"), *call = strchr(decorator, '(');
		const char *at = name && call && name < call ? name : NULL;
		while (at && (at = strstr(at, mark)) != NULL) {
			at += sizeof mark - 1;
			at += strspn(at, " ");
			size_t len = *at == '(' ? bracketed(at) : 0;
			if (len)
				read_config(at + 1, len - 2, &out);
		}
	}
	return out;
}

/* ---- a request ---- */

typedef struct Expanding {
	const Request *request;
	neso_kernel *kernel;
	neso_parameter *params;
	size_t param_count;
	Jobs *jobs;
	bool counts; /* --json: what is counted is told there */
} Expanding;

static bool is_open(const Texts *entries, size_t i)
{
	return i >= entries->count || !entries->at[i][0];
}

/* The entries with a configuration's values in those that are open. NULL: it has a value for one that is not. */
static Texts *configured(const Expanding *x, const Texts *entries, const Config *config)
{
	Texts *out = take(sizeof *out);
	size_t last = entries->count;
	for (size_t i = 0; i < x->param_count || i < entries->count; i++)
		push(out, is_open(entries, i) ? "" : entries->at[i]);
	for (size_t k = 0; k < config->names.count; k++)
		for (size_t i = 0; i < x->param_count; i++)
			if (strcmp(x->params[i].name, config->names.at[k]) == 0) {
				if (!is_open(entries, i))
					return NULL;
				out->at[i] = config->values.at[k];
				last = i + 1 > last ? i + 1 : last;
			}
	out->count = last;
	return out;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_options(const neso_compile_options *a, const neso_compile_options *b)
{
	return a->num_warps == b->num_warps && a->num_stages == b->num_stages && a->num_ctas == b->num_ctas &&
	       a->maxnreg == b->maxnreg && a->no_fp_fusion == b->no_fp_fusion && a->debug == b->debug &&
	       a->constexpr_policy == b->constexpr_policy && a->no_reflect_ftz == b->no_reflect_ftz &&
	       a->no_specialize == b->no_specialize && a->strict_triton == b->strict_triton &&
	       a->wide_offsets == b->wide_offsets && a->no_tensor_maps == b->no_tensor_maps &&
	       a->no_gpu_limits == b->no_gpu_limits && a->no_line_info == b->no_line_info &&
	       a->no_overflow_checks == b->no_overflow_checks && a->ptx_version == b->ptx_version &&
	       a->cooperative == b->cooperative && a->dependent_launch == b->dependent_launch &&
	       same_text(a->target, b->target) && same_text(a->dot_precision, b->dot_precision) &&
	       same_text(a->symbol, b->symbol);
}

static void add_job(Expanding *x, const char *signature, const neso_compile_options *options)
{
	Jobs *jobs = x->jobs;
	for (size_t i = 0; i < jobs->count; i++) {
		const Job *job = &jobs->at[i];
		if (job->kernel == x->kernel && strcmp(job->signature, signature) == 0 &&
		    same_options(&job->options, options))
			return;
	}
	jobs->at = take_more(jobs->at, (jobs->count + 1) * sizeof *jobs->at);
	jobs->at[jobs->count++] = (Job){.request = x->request, .kernel = x->kernel, .signature = signature, .options = *options};
}

/* Every choice of alternatives in the entries from `i` on. */
static void multiply(Expanding *x, const Texts *entries, size_t i, const char *before, const neso_compile_options *options)
{
	if (i == entries->count) {
		add_job(x, before, options);
		return;
	}
	neso_parameter none = {.name = ""};
	const neso_parameter *p = i < x->param_count ? &x->params[i] : &none;
	const char *entry = entries->at[i];
	Texts choices = {0};
	/* What is left open between others has its default. */
	alternatives(!entry[0] && p->default_value ? p->default_value : entry, p, &choices);
	for (size_t k = 0; k < choices.count; k++)
		multiply(x, entries, i + 1, take_printf("%s%s%s", before, i ? "," : "", choices.at[k]), options);
}

/* Every choice of the options that are lists; `at` counts listed_options. */
static int each_option(Expanding *x, const Texts *entries, const Config *config, Parsed *chosen, size_t at)
{
	if (at == LISTED_OPTIONS) {
		neso_compile_options options;
		if (!compile_options(chosen, &options))
			return EXIT_USAGE;
		multiply(x, entries, 0, "", &options);
		return EXIT_DONE;
	}
	const char *value = config && at < 4 && config->options[at] ? config->options[at] : option_value(chosen, listed_options[at]);
	if (!value)
		return each_option(x, entries, config, chosen, at + 1);
	const Option *option = request_options;
	while (strcmp(option->name, listed_options[at]) != 0)
		option++;
	Texts values = {0};
	texts_split(value, strlen(value), &values);
	int result = EXIT_DONE;
	for (size_t i = 0; i < values.count && result == EXIT_DONE; i++) {
		chosen->given[chosen->given_count++] = (Given){option, values.at[i], 0};
		result = each_option(x, entries, config, chosen, at + 1);
		chosen->given_count--;
	}
	return result;
}

static int expand(Expanding *x)
{
	const Parsed *parsed = &x->request->parsed;
	Texts entries = {0};
	if (trimmed(x->request->signature, strlen(x->request->signature))[0])
		texts_split(x->request->signature, strlen(x->request->signature), &entries);
	Parsed chosen = *parsed;
	chosen.given = take((parsed->given_count + 16) * sizeof *chosen.given);
	if (parsed->given_count)
		memcpy(chosen.given, parsed->given, parsed->given_count * sizeof *chosen.given);
	Configs configs = configs_of(x->kernel);
	size_t used = 0;
	int result = EXIT_DONE;
	for (size_t i = 0; i < configs.count && result == EXIT_DONE; i++) {
		const Texts *with = configured(x, &entries, &configs.at[i]);
		used += with != NULL;
		if (with)
			result = each_option(x, with, &configs.at[i], &chosen, 0);
	}
	return used ? result : each_option(x, &entries, NULL, &chosen, 0);
}

/* ---- declarations ---- */

static void add_failed(Jobs *jobs, const Request *request, neso_diagnostics *diagnostics, const char *message)
{
	jobs->at = take_more(jobs->at, (jobs->count + 1) * sizeof *jobs->at);
	jobs->at[jobs->count++] = (Job){.request = request, .signature = request->signature, .state = JOB_FAILED, .message = message,
					.diagnostics = diagnostics};
}

static const char *take_or_null(const char *text)
{
	return text ? take_text(text, strlen(text)) : NULL;
}

static void add_declared(void *data, const neso_declared *variant)
{
	Expanding *x = data;
	neso_compile_options options = *variant->options;
	options.target = take_or_null(options.target);
	options.dot_precision = take_or_null(options.dot_precision);
	options.symbol = take_or_null(options.symbol);
	if (!x->counts && variant->index == 0)
		fprintf(stderr, "%s: %llu variant%s%s%s%s\n", x->request->where,
			(unsigned long long)variant->count, variant->count == 1 ? "" : "s",
			variant->axes[0] ? " (" : "", variant->axes, variant->axes[0] ? ")" : "");
	if (!x->counts && variant->index == 0 && variant->multiplier)
		fprintf(stderr, "    '%s' multiplies them by %llu\n", variant->multiplier,
			(unsigned long long)variant->multiplier_values);
	add_job(x, take_text(variant->signature, strlen(variant->signature)), &options);
}

/* The error's own diagnostics are the failed job's. */
static int expand_declared(Expanding *x)
{
	const Request *request = x->request;
	const char *target = option_value(&request->parsed, "target");
	neso_declare_options options;
	neso_compile_options base;
	neso_diagnostics *diagnostics;
	Texts targets = {0};
	long most;
	if (!compile_options(&request->parsed, &base) ||
	    !option_number(&request->parsed, "most", 1, 1000000, 4096, &most))
		return EXIT_USAGE;
	if (target)
		texts_split(target, strlen(target), &targets);
	neso_declare_options_init(&options);
	options.file = request->file;
	options.line = request->line;
	options.options = &base;
	options.targets = targets.at;
	options.target_count = targets.count;
	options.most = (uint64_t)most;
	if (neso_kernel_declared(x->kernel, request->declaration, &options, add_declared, x, &diagnostics) ==
	    NESO_OK)
		neso_diagnostics_free(diagnostics);
	else
		add_failed(x->jobs, request, diagnostics, NULL);
	return EXIT_DONE;
}

/* ---- modules and kernels ---- */

typedef struct Loaded {
	const char *path;
	neso_module *module; /* NULL: it does not load */
} Loaded;

/* NULL after adding a failed job. What the file itself is at fault for is told once. */
static neso_module *load(neso_context *context, const Request *request, Loaded *loaded, size_t *count, Jobs *jobs)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(loaded[i].path, request->path) == 0) {
			if (!loaded[i].module)
				add_failed(jobs, request, NULL, "its file does not load");
			return loaded[i].module;
		}
	neso_module *module = NULL;
	neso_diagnostics *diagnostics;
	neso_status status = neso_module_load_file(context, request->path, &module, &diagnostics);
	loaded[(*count)++] = (Loaded){request->path, status == NESO_OK ? module : NULL};
	if (status != NESO_OK) {
		add_failed(jobs, request, diagnostics, NULL);
		return NULL;
	}
	neso_diagnostics_free(diagnostics);
	jobs->modules = take_more(jobs->modules, (jobs->module_count + 1) * sizeof(neso_module *));
	jobs->modules[jobs->module_count++] = module;
	return module;
}

static neso_kernel *find(neso_module *module, const Request *request, Jobs *jobs)
{
	neso_kernel *kernel = NULL;
	neso_diagnostics *diagnostics = NULL;
	if (request->where[strlen(request->path)] == ':') {
		if (neso_module_find(module, request->where + strlen(request->path) + 1, &kernel, &diagnostics) == NESO_OK)
			neso_diagnostics_free(diagnostics);
		else
			add_failed(jobs, request, diagnostics, NULL);
		return kernel;
	}
	size_t found = only_kernel(module, &kernel);
	if (found != 1)
		add_failed(jobs, request, NULL,
			   found ? take_printf("it has %zu kernels: say which with %s:KERNEL", found, request->path) : "it has no kernel");
	return found == 1 ? kernel : NULL;
}

int jobs_expand(neso_context *context, const Requests *requests, Jobs *jobs)
{
	Loaded *loaded = take((requests->count + 1) * sizeof *loaded);
	size_t loaded_count = 0;
	*jobs = (Jobs){0};
	for (size_t i = 0; i < requests->count; i++) {
		const Request *request = &requests->at[i];
		neso_module *module = load(context, request, loaded, &loaded_count, jobs);
		neso_kernel_info info = {.size = sizeof info};
		Expanding x = {.request = request,
			       .kernel = module ? find(module, request, jobs) : NULL,
			       .jobs = jobs,
			       .counts = option_value(&request->parsed, "json") != NULL};
		if (!x.kernel || neso_kernel_get_info(x.kernel, &info) != NESO_OK)
			continue;
		x.param_count = info.parameter_count;
		x.params = take((x.param_count + 1) * sizeof *x.params);
		for (size_t p = 0; p < x.param_count; p++) {
			x.params[p].size = sizeof *x.params;
			neso_kernel_get_parameter(x.kernel, p, &x.params[p]);
		}
		int result = request->declaration ? expand_declared(&x) : expand(&x);
		if (result != EXIT_DONE)
			return result;
	}
	return EXIT_DONE;
}
