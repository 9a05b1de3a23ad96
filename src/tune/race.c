/* The race: preparing side by side, rounds, who leaves, who is chosen (race.h). */
#include "tune/race.h"

#include <math.h>
#include <pthread.h>

#include "base/fault.h"
#include "base/os.h"
#include "tune/stats.h"

typedef struct Race {
	const TuneHooks *hooks;
	TuneOptions options;
	TuneOutcome *out;
	Arena *arena;
	double began;
	double *times; /* of each candidate, rounds_max of them */
	double *work; /* as many, for medians */
	bool *left; /* still in the race */
	uint32_t next, done; /* preparing; under lock */
	pthread_mutex_t lock;
} Race;

const char *tune_state_text(TuneState state)
{
	static const char *const texts[TUNE__COUNT] = {"untried", "failed", "hopeless",
						       "slower",  "close",  "chosen"};
	return (unsigned)state < TUNE__COUNT ? texts[state] : "unknown";
}

static double now(const Race *race)
{
	return race->hooks->now ? race->hooks->now(race->hooks->data) : os_now();
}

static bool in_time(Race *race)
{
	if (race->options.budget > 0 && now(race) - race->began >= race->options.budget)
		race->out->out_of_time = true;
	return !race->out->out_of_time;
}

static void tell(const Race *race, uint32_t candidate, uint32_t done, uint32_t all)
{
	if (race->hooks->progress)
		race->hooks->progress(race->hooks->data, candidate, done, all);
}

static void fail(Race *race, uint32_t i, const char *why)
{
	TuneCandidate *c = &race->out->candidates[i];
	c->state = TUNE_FAILED;
	c->why = arena_strdup(race->arena, why[0] ? why : "it failed");
	race->left[i] = false;
}

/* ---- preparing ---- */

typedef struct Prepared {
	TuneAnswer answer;
	bool begun;
	char why[TUNE_WHY];
} Prepared;

typedef struct Preparing {
	Race *race;
	Prepared *of;
} Preparing;

/* The next candidate that nobody prepares; count: there is none, or time is over. */
static uint32_t take_next(Race *race)
{
	pthread_mutex_lock(&race->lock);
	uint32_t i = race->out->ended || !in_time(race) ? race->out->count : race->next;
	if (i < race->out->count)
		race->next++;
	pthread_mutex_unlock(&race->lock);
	return i;
}

static void *prepare_some(void *data)
{
	Preparing *p = data;
	Race *race = p->race;
	for (uint32_t i; (i = take_next(race)) < race->out->count;) {
		Prepared *made = &p->of[i];
		made->begun = true;
		made->answer = race->hooks->prepare(race->hooks->data, i, made->why);
		pthread_mutex_lock(&race->lock);
		race->out->ended |= made->answer == TUNE_END;
		tell(race, i, ++race->done, race->out->count);
		pthread_mutex_unlock(&race->lock);
	}
	return NULL;
}

static void prepare(Race *race)
{
	uint32_t count = race->out->count;
	Preparing p = {race, ARENA_ARRAY(race->arena, Prepared, count + 1)};
	uint32_t threads = race->options.threads ? race->options.threads : os_cpu_count();
	threads = MIN(MIN(threads, count), 256u);
	pthread_t *ids = ARENA_ARRAY(race->arena, pthread_t, threads + 1);
	uint32_t made = 0;
	while (made + 1 < threads && pthread_create(&ids[made], NULL, prepare_some, &p) == 0)
		made++;
	prepare_some(&p);
	for (uint32_t t = 0; t < made; t++)
		pthread_join(ids[t], NULL);
	for (uint32_t i = 0; i < count; i++) {
		race->left[i] = p.of[i].begun && p.of[i].answer == TUNE_GOOD;
		if (p.of[i].begun && !race->left[i])
			fail(race, i, p.of[i].why);
	}
}

/* ---- runs ---- */

static double *times_of(const Race *race, uint32_t i)
{
	return race->times + (size_t)i * race->options.rounds_max;
}

/* False: it does not count. */
static bool run(Race *race, uint32_t i, double *seconds)
{
	char why[TUNE_WHY] = "";
	TuneAnswer answer = race->hooks->measure(race->hooks->data, i, seconds, why);
	if (answer == TUNE_END)
		race->out->ended = true;
	if (answer == TUNE_PASS)
		fail(race, i, why);
	return answer == TUNE_GOOD;
}

static uint32_t left_count(const Race *race)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < race->out->count; i++)
		n += race->left[i];
	return n;
}

static void leave(Race *race, uint32_t i, TuneState state)
{
	race->left[i] = false;
	race->out->candidates[i].state = state;
}

/* First runs, which load code and fill caches: only what is far behind the others leaves. */
static void warm_up(Race *race)
{
	TuneOutcome *out = race->out;
	enum { FAR = 5 }; /* a first run is slower by what it loads */
	double *first = ARENA_ARRAY(race->arena, double, out->count + 1), best = INFINITY;
	for (uint32_t n = 0; n < race->options.warmups; n++)
		for (uint32_t i = 0; i < out->count && !out->ended; i++)
			/* Though time be over, something is chosen. */
			if (race->left[i] && (isinf(best) || in_time(race)) &&
			    run(race, i, &first[i])) {
				best = fmin(best, first[i]);
				tell(race, i, i + 1, out->count);
			}
	for (uint32_t i = 0; i < out->count; i++)
		if (race->left[i] && first[i] > 0 &&
		    first[i] > FAR * race->options.hopeless * best) {
			out->candidates[i].median = first[i];
			leave(race, i, TUNE_HOPELESS);
		}
}

static void run_round(Race *race, uint32_t round)
{
	TuneOutcome *out = race->out;
	bool any = false;
	for (uint32_t k = 0; k < out->count && !out->ended; k++) {
		/* Other neighbours in each round, and both directions. */
		uint32_t at = (k + round / 2) % out->count,
			 i = round % 2 ? out->count - 1 - at : at;
		double seconds = 0;
		if (!race->left[i] || ((round || any) && !in_time(race)))
			continue;
		if (run(race, i, &seconds)) {
			times_of(race, i)[out->candidates[i].runs++] = fmax(seconds, 1e-12);
			any = true;
		}
		tell(race, i, round + 1, race->options.rounds_max);
	}
}

/* ---- comparing ---- */

static double median_of(const Race *race, uint32_t i)
{
	uint32_t n = race->out->candidates[i].runs;
	memcpy(race->work, times_of(race, i), n * sizeof *race->work);
	return stats_median(race->work, n);
}

/* The lowest median of those left that ran; count: none did. */
static uint32_t leader(const Race *race)
{
	const TuneOutcome *out = race->out;
	uint32_t best = out->count;
	for (uint32_t i = 0; i < out->count; i++)
		if (race->left[i] && out->candidates[i].runs &&
		    (best == out->count ||
		     out->candidates[i].median < out->candidates[best].median))
			best = i;
	return best;
}

/* Of log(time of i / time of the other), over the rounds that both have. */
static StatsInterval against(const Race *race, uint32_t i, uint32_t other)
{
	const TuneOutcome *out = race->out;
	uint32_t n = MIN(out->candidates[i].runs, out->candidates[other].runs);
	const double *mine = times_of(race, i), *its = times_of(race, other);
	for (uint32_t r = 0; r < n; r++)
		race->work[r] = log(mine[r] / its[r]);
	double p = (1 - race->options.confidence) / out->count / n / (n + 1);
	/* Rounding to steps of the clock deviates by 1 / sqrt(12) of a step, twice. */
	double least = race->options.resolution / sqrt(6) / out->candidates[other].median;
	return stats_interval(race->work, n, p, least);
}

static void update_medians(Race *race)
{
	for (uint32_t i = 0; i < race->out->count; i++)
		if (race->left[i] && race->out->candidates[i].runs)
			race->out->candidates[i].median = median_of(race, i);
}

/* Who is behind leaves; true: the others are within `tie`, or gone. */
static bool look(Race *race)
{
	TuneOutcome *out = race->out;
	update_medians(race);
	uint32_t best = leader(race);
	if (best == out->count)
		return left_count(race) == 0;
	bool settled = true;
	for (uint32_t i = 0; i < out->count; i++) {
		if (!race->left[i] || i == best)
			continue;
		if (!out->candidates[i].runs) {
			settled = false;
			continue;
		}
		const double *times = times_of(race, i);
		double least = times[0];
		for (uint32_t r = 1; r < out->candidates[i].runs; r++)
			least = fmin(least, times[r]);
		if (out->candidates[i].runs >= 2 &&
		    least > race->options.hopeless * out->candidates[best].median) {
			leave(race, i, TUNE_HOPELESS);
			continue;
		}
		if (out->candidates[i].runs < race->options.rounds_min) {
			settled = false;
			continue;
		}
		StatsInterval d = against(race, i, best);
		if (d.middle - d.half > 0)
			leave(race, i, TUNE_SLOWER);
		else if (d.middle + d.half > log1p(race->options.tie))
			settled = false;
	}
	return settled && out->candidates[best].runs >= race->options.rounds_min;
}

/* ---- the choice ---- */

static void choose(Race *race)
{
	TuneOutcome *out = race->out;
	uint32_t best = leader(race);
	out->chosen = best;
	for (uint32_t i = 0; i < best && best < out->count; i++)
		if (race->left[i] && out->candidates[i].runs &&
		    out->candidates[i].median <=
			    out->candidates[best].median * (1 + race->options.tie)) {
			out->chosen = i;
			break;
		}
	for (uint32_t i = 0; i < out->count; i++)
		if (race->left[i])
			out->candidates[i].state = i == out->chosen	     ? TUNE_CHOSEN
						   : out->candidates[i].runs ? TUNE_CLOSE
									     : TUNE_UNTRIED;
}

/* Noise, and each one's interval against the one that was chosen. */
static void describe(Race *race)
{
	TuneOutcome *out = race->out;
	for (uint32_t i = 0; i < out->count && out->chosen < out->count; i++) {
		TuneCandidate *c = &out->candidates[i];
		if (!c->runs)
			continue;
		StatsInterval d = against(race, i, out->chosen);
		c->low = i == out->chosen ? 1 : exp(d.middle - d.half);
		c->high = i == out->chosen ? 1 : exp(d.middle + d.half);
		memcpy(race->work, times_of(race, i), c->runs * sizeof *race->work);
		c->noise = stats_deviation(race->work, c->runs, c->median) / c->median;
	}
	out->noise = out->chosen < out->count ? out->candidates[out->chosen].noise : 0;
}

static TuneOptions completed(const TuneOptions *given)
{
	TuneOptions o = *given;
	o.confidence = o.confidence > 0 && o.confidence < 1 ? o.confidence : TUNE_CONFIDENCE;
	o.tie = o.tie > 0 ? o.tie : TUNE_TIE;
	o.hopeless = o.hopeless > 1 ? o.hopeless : 2;
	o.rounds_min = MAX(o.rounds_min ? o.rounds_min : 5, 2u);
	o.rounds_max = MAX(o.rounds_max ? o.rounds_max : 100, o.rounds_min);
	o.warmups = o.warmups == UINT32_MAX ? 0 : o.warmups ? o.warmups : 1;
	return o;
}

void tune_race(Arena *arena, uint32_t count, const TuneHooks *hooks, const TuneOptions *options,
	       TuneOutcome *out)
{
	*out = (TuneOutcome){.count = count, .chosen = count};
	Race race = {.hooks = hooks, .options = completed(options), .out = out, .arena = arena};
	size_t rounds = race.options.rounds_max;
	out->candidates = ARENA_ARRAY(arena, TuneCandidate, count + 1);
	race.times = ARENA_ARRAY(arena, double, (count + 1) * rounds);
	race.work = ARENA_ARRAY(arena, double, rounds + 1);
	race.left = ARENA_ARRAY(arena, bool, count + 1);
	race.began = now(&race);
	pthread_mutex_init(&race.lock, NULL);
	for (uint32_t i = 0; i < count; i++)
		race.left[i] = true;
	if (hooks->prepare)
		prepare(&race);
	warm_up(&race);
	while (!out->ended && out->rounds < rounds && left_count(&race)) {
		run_round(&race, out->rounds++);
		out->settled = look(&race);
		if (out->settled || !in_time(&race))
			break;
	}
	choose(&race);
	describe(&race);
	out->seconds = now(&race) - race.began;
	pthread_mutex_destroy(&race.lock);
}
