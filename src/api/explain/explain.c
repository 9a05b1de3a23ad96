/* What a process compiled and launched: as text, as JSON, and for Prometheus. */
#include "api/inner.h"
#include "neso/background.h"
#include "neso/declare.h"

#include <stdlib.h>

/* A kernel's variants, summed up. */
typedef struct Summary {
	const JitVariant *const *all;
	uint32_t count, compiled, hits, values;
	uint32_t gone; /* that were forgotten */
	uint64_t launches;
	bool counted; /* all launches were */
	double seconds;
	const char *multiplier;
} Summary;

static double seconds_of(const JitVariantInfo *info)
{
	double sum = 0;
	for (int i = 0; i < JIT_STEP__COUNT; i++)
		sum += info->seconds[i];
	return sum;
}

static bool is_hit(const JitVariantInfo *info)
{
	return info->cache && strcmp(info->cache, "hit") == 0;
}

static bool is_counted(const neso_context *context, const JitVariantInfo *info)
{
	return context->counts_launches || !info->options.gpu || info->options.sim;
}

static Summary summary_of(const neso_context *context, const JitKernel *kernel, Arena *arena)
{
	Summary s = {.counted = true};
	s.all = jit_ready_variants(kernel, arena, &s.count);
	s.multiplier = jit_multiplier(kernel, arena, &s.values);
	for (uint32_t i = 0; i < s.count; i++) {
		JitVariantInfo info;
		jit_variant_info(s.all[i], &info);
		s.hits += is_hit(&info);
		s.compiled += !is_hit(&info);
		s.seconds += is_hit(&info) ? 0 : seconds_of(&info);
		s.launches += info.launches;
		s.counted &= is_counted(context, &info);
	}
	const JitGone gone = jit_kernel_gone(kernel);
	s.gone = gone.count;
	s.hits += gone.hits;
	s.compiled += gone.compiled;
	s.seconds += gone.seconds;
	s.launches += gone.launches;
	return s;
}

/* ---- text ---- */

/* What the policy `tiered` knows of it, if a launch asked. */
static void text_tiers(Text *out, const neso_kernel *kernel, bool json)
{
	neso_tiers t = {.size = sizeof t};
	neso_kernel_tiers(kernel, &t);
	if (t.launches && json)
		text_printf(out,
			    ", \"tiers\": {\"values\": %u, \"compiling\": %u, \"tried\": %u, "
			    "\"special\": %u, \"generic\": %u, \"failed\": %u, \"compiled\": %llu}",
			    t.values, t.compiling, t.tried, t.special, t.generic, t.failed,
			    (unsigned long long)t.compiled);
	else if (t.launches)
		text_printf(out,
			    "\n    tiers: %u values, of which %u have a variant of their own, and of %u it "
			    "was not faster",
			    t.values, t.special, t.generic);
}

static void text_kernel(Text *out, const neso_context *context, const neso_kernel *kernel, const Summary *s)
{
	const FrontInfo *info = jit_kernel_info(kernel->jit);
	const uint64_t missed = jit_kernel_missed(kernel->jit);
	text_printf(out, "%s  %s:%u\n    %u variant%s: %u compiled in %.3f s, %u from the cache",
		    info->qualified_name, info->path, info->at.line, s->count, s->count == 1 ? "" : "s",
		    s->compiled, s->seconds, s->hits);
	if (s->gone)
		text_printf(out, "; %u forgotten again", s->gone);
	if (s->counted)
		text_printf(out, "; %llu launches", (unsigned long long)s->launches);
	if (missed)
		text_printf(out, "; %llu refused by strict mode", (unsigned long long)missed);
	text_tiers(out, kernel, false);
	if (s->values > 1)
		text_printf(out, "\n    '%s' multiplies them: %u values", s->multiplier, s->values);
	text_str(out, "\n");
	for (uint32_t i = 0; i < s->count; i++) {
		JitVariantInfo v;
		jit_variant_info(s->all[i], &v);
		text_printf(out, "    %s\n        %s in %.1f ms: %s", jit_variant_key(s->all[i]),
			    is_hit(&v) ? "from the cache, compiled" : "compiled", seconds_of(&v) * 1e3,
			    v.reason);
		if (is_counted(context, &v))
			text_printf(out, "; %llu launches", (unsigned long long)v.launches);
		text_str(out, "\n");
	}
}

/* ---- JSON ---- */

static void json_member(Text *out, const char *before, const char *name, const char *value)
{
	text_printf(out, "%s\"%s\": ", before, name);
	text_json(out, value);
}

static void json_launches(Text *out, bool counted, uint64_t launches)
{
	if (counted)
		text_printf(out, ", \"launches\": %llu", (unsigned long long)launches);
}

static void json_kernel(Text *out, const neso_context *context, const neso_kernel *kernel, const Summary *s)
{
	const FrontInfo *info = jit_kernel_info(kernel->jit);
	json_member(out, "{", "kernel", info->qualified_name);
	json_member(out, ", ", "path", info->path);
	text_printf(out,
		    ", \"line\": %u, \"compiled\": %u, \"hits\": %u, \"seconds\": %.6f, \"missed\": %llu",
		    info->at.line, s->compiled, s->hits, s->seconds,
		    (unsigned long long)jit_kernel_missed(kernel->jit));
	json_launches(out, s->counted, s->launches);
	if (s->gone)
		text_printf(out, ", \"forgotten\": %u", s->gone);
	if (s->values > 1) {
		json_member(out, ", ", "multiplier", s->multiplier);
		text_printf(out, ", \"values\": %u", s->values);
	}
	text_tiers(out, kernel, true);
	text_str(out, ", \"variants\": [");
	for (uint32_t i = 0; i < s->count; i++) {
		JitVariantInfo v;
		jit_variant_info(s->all[i], &v);
		json_member(out, i ? ",\n  {" : "\n  {", "key", jit_variant_key(s->all[i]));
		json_member(out, ", ", "target", v.target);
		json_member(out, ", ", "cache", v.cache);
		text_printf(out, ", \"seconds\": %.6f", seconds_of(&v));
		json_launches(out, is_counted(context, &v), v.launches);
		json_member(out, ", ", "reason", v.reason);
		text_str(out, "}");
	}
	text_str(out, "]}");
}

/* ---- Prometheus ---- */

static void label(Text *out, const char *name, const char *value)
{
	text_printf(out, "%s=\"", name);
	for (const char *p = value; *p; p++) {
		if (*p == '\\' || *p == '"')
			text_char(out, '\\');
		text_str(out, *p == '\n' ? "\\n" : "");
		if (*p != '\n')
			text_char(out, *p);
	}
	text_char(out, '"');
}

typedef enum Series {
	VARIANTS,
	COMPILED,
	HITS,
	SECONDS,
	FORGOTTEN,
	MISSED,
	LAUNCHES,
	MULTIPLIER,
	TIER_COMPILED,
	TIER_VALUES,
	SERIES
} Series;

static const struct {
	const char *name, *kind, *help;
} series[SERIES] = {
	{"neso_variants", "gauge", "variants that are there"},
	{"neso_compiled_total", "counter", "variants that were compiled"},
	{"neso_cache_hits_total", "counter", "variants that came from the compile cache"},
	{"neso_compile_seconds_total", "counter", "time that compiling took"},
	{"neso_forgotten_total", "counter", "variants that were forgotten again"},
	{"neso_strict_misses_total", "counter", "launches that strict mode refused"},
	{"neso_launches_total", "counter", "launches, where they are counted"},
	{"neso_multiplier_values", "gauge", "values of the parameter or option that multiplies the variants"},
	{"neso_tier_compiled_total", "counter", "variants that policy tiered made for single values"},
	{"neso_tier_values", "gauge", "values that policy tiered remembers, by what became of them"},
};

/* Kernels with the same labels, which may be written once: what a factory makes is summed up. */
typedef struct Group {
	const FrontInfo *info;
	double values[SERIES];
	bool counted;
	const char *multiplier;
	neso_tiers tiers;
} Group;

typedef VEC(Group) Groups;

static void add_tiers(Group *group, const neso_kernel *kernel)
{
	neso_tiers t = {.size = sizeof t}, *sum = &group->tiers;
	neso_kernel_tiers(kernel, &t);
	sum->launches += t.launches;
	sum->values += t.values;
	sum->compiling += t.compiling;
	sum->tried += t.tried;
	sum->special += t.special;
	sum->generic += t.generic;
	sum->failed += t.failed;
	group->values[TIER_COMPILED] += (double)t.compiled;
}

static void add_to_group(Group *group, const neso_kernel *kernel, const Summary *s)
{
	const double values[SERIES] = {
		[VARIANTS] = s->count,	  [COMPILED] = s->compiled,
		[HITS] = s->hits,	  [SECONDS] = s->seconds,
		[FORGOTTEN] = s->gone,	  [MISSED] = (double)jit_kernel_missed(kernel->jit),
		[LAUNCHES] = (double)s->launches,
	};
	for (int i = 0; i < SERIES; i++)
		group->values[i] += values[i];
	group->counted = group->counted && s->counted;
	if (s->values > group->values[MULTIPLIER]) {
		group->values[MULTIPLIER] = s->values;
		group->multiplier = s->multiplier;
	}
	add_tiers(group, kernel);
}

static void begin_sample(Text *out, Series which, const Group *group)
{
	text_printf(out, "%s{", series[which].name);
	label(out, "kernel", group->info->qualified_name);
	text_char(out, ',');
	label(out, "path", group->info->path);
}

static void tier_samples(Text *out, const Group *group)
{
	const neso_tiers *t = &group->tiers;
	const uint32_t decided = t->compiling + t->tried + t->special + t->generic + t->failed;
	const struct {
		const char *name;
		uint32_t count;
	} states[] = {
		{"counted", t->values - decided},
		{"compiling", t->compiling},
		{"tried", t->tried},
		{"special", t->special},
		{"generic", t->generic},
		{"failed", t->failed},
	};
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		begin_sample(out, TIER_VALUES, group);
		text_printf(out, ",state=\"%s\"} %u\n", states[i].name, states[i].count);
	}
}

static void sample(Text *out, Series which, const Group *group)
{
	if ((which == LAUNCHES && !group->counted) || (which >= TIER_COMPILED && !group->tiers.launches))
		return;
	if (which == TIER_VALUES) {
		tier_samples(out, group);
		return;
	}
	begin_sample(out, which, group);
	if (which == MULTIPLIER) {
		text_char(out, ',');
		label(out, "parameter", group->multiplier ? group->multiplier : "");
	}
	text_printf(out, "} %.17g\n", group->values[which]);
}

/* ---- all ---- */

typedef VEC(const neso_kernel *) Kernels;

static int by_place(const void *a, const void *b)
{
	const FrontInfo *x = jit_kernel_info((*(const neso_kernel *const *)a)->jit);
	const FrontInfo *y = jit_kernel_info((*(const neso_kernel *const *)b)->jit);
	const int order = strcmp(x->path, y->path);
	return order ? order : strcmp(x->qualified_name, y->qualified_name);
}

static bool has_something(const JitKernel *kernel)
{
	return jit_kernel_variants(kernel) || jit_kernel_missed(kernel) || jit_kernel_gone(kernel).count;
}

/* Those that have variants, or had, or were refused some. */
static Kernels kernels_of(const neso_context *context, Arena *arena)
{
	Kernels out = {0};
	for (const neso_module *m = context->modules; m; m = m->next)
		for (size_t k = 0; k < m->kernel_count; k++)
			if (has_something(m->kernels[k].jit))
				vec_push(arena, &out, &m->kernels[k]);
	if (out.len)
		qsort(out.data, out.len, sizeof(const neso_kernel *), by_place);
	return out;
}

/* The kernels are in order of their labels. */
static Groups groups_of(const neso_context *context, const Kernels *kernels, Arena *arena)
{
	Groups groups = {0};
	for (uint32_t k = 0; k < kernels->len; k++) {
		const neso_kernel *kernel = kernels->data[k];
		if (k == 0 || by_place(&kernels->data[k - 1], &kernels->data[k]) != 0)
			vec_push(arena, &groups,
				 ((Group){.info = jit_kernel_info(kernel->jit), .counted = true}));
		const Summary s = summary_of(context, kernel->jit, arena);
		add_to_group(&groups.data[groups.len - 1], kernel, &s);
		jit_let_all_go(s.all, s.count);
	}
	return groups;
}

static void write_prometheus(Text *out, const neso_context *context, const Kernels *kernels)
{
	const Groups groups = groups_of(context, kernels, out->arena);
	for (int i = 0; i < SERIES; i++) {
		text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", series[i].name, series[i].help,
			    series[i].name, series[i].kind);
		for (uint32_t k = 0; k < groups.len; k++)
			sample(out, (Series)i, &groups.data[k]);
	}
}

static void write_all(neso_context *context, bool json, bool prometheus, Text *out)
{
	const Kernels kernels = kernels_of(context, out->arena);
	text_str(out, json ? "[" : "");
	for (uint32_t i = 0; i < kernels.len && !prometheus; i++) {
		const Summary s = summary_of(context, kernels.data[i]->jit, out->arena);
		text_str(out, json && i ? ",\n " : "");
		(json ? json_kernel : text_kernel)(out, context, kernels.data[i], &s);
		jit_let_all_go(s.all, s.count);
	}
	if (prometheus)
		write_prometheus(out, context, &kernels);
	else if (!json && !kernels.len)
		text_str(out, "nothing was compiled\n");
	text_str(out, json ? "]\n" : "");
}

bool api_explain(neso_context *context, const char *format, Text *out)
{
	const bool json = strcmp(format, "json") == 0, prometheus = strcmp(format, "prometheus") == 0;
	Fault fault;
	if (!json && !prometheus && strcmp(format, "text") != 0)
		return false;
	pthread_mutex_lock(&context->modules_lock);
	if (FAULT_TRY(&fault)) {
		write_all(context, json, prometheus, out);
		fault_leave(&fault);
	}
	pthread_mutex_unlock(&context->modules_lock);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return true;
}

typedef struct ExplainArgs {
	neso_context *context;
	const char *format;
	char **text;
} ExplainArgs;

static neso_status explain(ApiCall *call, void *data)
{
	const ExplainArgs *args = data;
	Text text;
	if (!args->context || !args->format || !args->text)
		return api_usage(call,
				 "neso_context_explain wants a context, a format and a place for the text");
	text_init(&text, &call->arena);
	if (!api_explain(args->context, args->format, &text))
		return api_usage(call, "neso_context_explain knows text, json and prometheus, not '%s'",
				 args->format);
	*args->text = api_bytes(text.data, text.len);
	return NESO_OK;
}

neso_status neso_context_explain(neso_context *context, const char *format, char **text,
				 neso_diagnostics **diagnostics)
{
	ExplainArgs args = {context, format, text};
	if (text)
		*text = NULL;
	return api_run(context, diagnostics, explain, &args);
}
