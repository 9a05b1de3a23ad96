/* Races of the caller's own, and what came of a race. */
#include "api/tune/tune.h"

struct neso_tuning {
	Arena arena; /* holds this struct */
	TuneOutcome outcome;
	double confidence, tie;
};

const char *neso_tune_state_text(neso_tune_state state)
{
	return tune_state_text((TuneState)state);
}

_Static_assert((int)NESO_TUNE_CHOSEN == (int)TUNE_CHOSEN && (int)NESO_TUNE_CLOSE == (int)TUNE_CLOSE,
	       "the same states");
_Static_assert((int)NESO_TUNE_WHY == (int)TUNE_WHY && (int)NESO_TUNE_END == (int)TUNE_END,
	       "the same answers");

bool api_read_tune_options(ApiCall *call, const neso_tune_options *given, neso_tune_options *out)
{
	neso_tune_options_init(out);
	if (given && !api_read_struct(call, out, sizeof *out, given, "neso_tune_options"))
		return false;
	if (out->reference_count && !out->references)
		api_usage(call, "neso_tune_options.references is NULL");
	else if ((out->zero_count && !out->zero) || (out->restore_count && !out->restore))
		api_usage(call, "neso_tune_options.%s is NULL",
			  out->zero_count && !out->zero ? "zero" : "restore");
	else if (!(out->confidence >= 0 && out->confidence < 1))
		api_usage(call, "neso_tune_options.confidence is %g, and is less than 1", out->confidence);
	else if (!(out->budget >= 0 && out->tie >= 0 && out->hopeless >= 0 && out->resolution >= 0))
		api_usage(call, "budget, tie, hopeless and resolution of neso_tune_options are 0 or more");
	else
		return true;
	return false;
}

static neso_tuning *tuning_new(void)
{
	Arena arena;
	arena_init(&arena, 0);
	neso_tuning *tuning = ARENA_NEW(&arena, neso_tuning);
	tuning->arena = arena;
	return tuning;
}

static void set_confidence(neso_tuning *tuning, double confidence, double tie)
{
	tuning->confidence = confidence > 0 && confidence < 1 ? confidence : TUNE_CONFIDENCE;
	tuning->tie = tie > 0 ? tie : TUNE_TIE;
}

neso_tuning *api_tuning_new(const neso_tune_options *options, Arena **arena)
{
	neso_tuning *tuning = tuning_new();
	set_confidence(tuning, options->confidence, options->tie);
	*arena = &tuning->arena;
	return tuning;
}

TuneOutcome *api_tuning_outcome(neso_tuning *tuning)
{
	return &tuning->outcome;
}

neso_status api_tune(ApiCall *call, size_t count, const TuneHooks *hooks,
		     const neso_tune_options *options, neso_tuning **out)
{
	enum { MOST = 1 << 20 };
	if (!count || count > MOST)
		return api_usage(call, "tuning wants 1 to %d candidates, not %zu", MOST, count);
	const TuneOptions race = {
		.budget = options->budget,
		.confidence = options->confidence,
		.tie = options->tie,
		.hopeless = options->hopeless,
		.resolution = options->resolution,
		.rounds_min = options->rounds_min,
		.rounds_max = MIN(options->rounds_max, 100000u),
		.warmups = options->warmups,
		.threads = options->threads,
	};
	neso_tuning *tuning = tuning_new();
	Fault fault;
	if (FAULT_TRY(&fault)) {
		tune_race(&tuning->arena, (uint32_t)count, hooks, &race, &tuning->outcome);
		fault_leave(&fault);
	} else {
		neso_tuning_free(tuning);
		fault_raise(fault.kind, "%s", fault.text);
	}
	set_confidence(tuning, race.confidence, race.tie);
	*out = tuning;
	return NESO_OK;
}

/* ---- the caller's hooks ---- */

typedef struct RaceArgs {
	size_t count;
	const neso_tune_hooks *given;
	const neso_tune_options *given_options;
	neso_tune_hooks hooks;
	neso_tune_options options;
	neso_tuning **out;
} RaceArgs;

static TuneAnswer prepare(void *data, uint32_t i, char why[TUNE_WHY])
{
	const RaceArgs *args = data;
	TuneAnswer answer = (TuneAnswer)args->hooks.prepare(args->hooks.data, i, why);
	why[TUNE_WHY - 1] = '\0';
	return answer;
}

static TuneAnswer measure(void *data, uint32_t i, double *seconds, char why[TUNE_WHY])
{
	const RaceArgs *args = data;
	TuneAnswer answer = (TuneAnswer)args->hooks.measure(args->hooks.data, i, seconds, why);
	why[TUNE_WHY - 1] = '\0';
	return answer;
}

static double now(void *data)
{
	const RaceArgs *args = data;
	return args->options.now(args->options.data);
}

static void progress(void *data, uint32_t candidate, uint32_t done, uint32_t all)
{
	const RaceArgs *args = data;
	args->options.progress(args->options.data, candidate, done, all);
}

static neso_status race(ApiCall *call, void *data)
{
	RaceArgs *args = data;
	if (!args->given || !args->out)
		return api_usage(call, "neso_tune_race wants hooks and a place for the tuning");
	if (!api_read_struct(call, &args->hooks, sizeof args->hooks, args->given,
			     "neso_tune_hooks") ||
	    !api_read_tune_options(call, args->given_options, &args->options))
		return NESO_ERROR_USAGE;
	if (!args->hooks.measure)
		return api_usage(call, "neso_tune_race wants a function that measures");
	const TuneHooks hooks = {
		.data = args,
		.prepare = args->hooks.prepare ? prepare : NULL,
		.measure = measure,
		.now = args->options.now ? now : NULL,
		.progress = args->options.progress ? progress : NULL,
	};
	return api_tune(call, args->count, &hooks, &args->options, args->out);
}

neso_status neso_tune_race(size_t count, const neso_tune_hooks *hooks,
			   const neso_tune_options *options, neso_tuning **tuning,
			   neso_diagnostics **diagnostics)
{
	RaceArgs args = {.count = count, .given = hooks, .given_options = options, .out = tuning};
	if (tuning)
		*tuning = NULL;
	return api_run(NULL, diagnostics, race, &args);
}

/* ---- what came of it ---- */

neso_status neso_tuning_get_summary(const neso_tuning *tuning, neso_tune_summary *summary)
{
	if (!tuning || !summary)
		return NESO_ERROR_USAGE;
	const TuneOutcome *o = &tuning->outcome;
	const neso_tune_summary out = {
		.size = sizeof out,
		.count = o->count,
		.chosen = o->chosen,
		.settled = o->settled,
		.out_of_time = o->out_of_time,
		.ended = o->ended,
		.rounds = o->rounds,
		.seconds = o->seconds,
		.best = o->chosen < o->count ? o->candidates[o->chosen].median : 0,
		.noise = o->noise,
		.confidence = tuning->confidence,
		.tie = tuning->tie,
	};
	return api_write_struct(summary, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}

neso_status neso_tuning_get(const neso_tuning *tuning, size_t index, neso_tune_candidate *candidate)
{
	if (!tuning || !candidate || index >= tuning->outcome.count)
		return NESO_ERROR_USAGE;
	const TuneCandidate *c = &tuning->outcome.candidates[index];
	const neso_tune_candidate out = {
		.size = sizeof out,
		.state = (neso_tune_state)c->state,
		.why = c->why,
		.runs = c->runs,
		.seconds = c->median,
		.noise = c->noise,
		.low = c->low,
		.high = c->high,
	};
	return api_write_struct(candidate, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}

void neso_tuning_free(neso_tuning *tuning)
{
	if (!tuning)
		return;
	Arena arena = tuning->arena;
	arena_free(&arena);
}
