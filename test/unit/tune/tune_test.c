/* Choosing among configurations, by a made-up clock with noise; and the file of choices. */
#include "unit.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "tune/race.h"
#include "tune/results.h"
#include "tune/stats.h"

enum { MOST = 64 };

/* A machine whose kernels take what the test says, with noise, drift and outliers. */
typedef struct Machine {
	double times[MOST]; /* seconds; 0: it does not compile, less: it compiles and does not run
			     */
	double noise; /* relative standard deviation */
	double outliers; /* how often a run takes three times as long */
	double drift; /* relative slowing down with each run */
	double step; /* of the clock */
	double compile, clock; /* seconds of each; now */
	uint32_t runs[MOST], all;
	uint64_t random;
	int end_after; /* runs; 0: never */
	atomic_int preparing, most_preparing, prepared;
} Machine;

static double uniform(Machine *m)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return ((double)(m->random >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(Machine *m)
{
	return sqrt(-2 * log(uniform(m))) * cos(2 * acos(-1) * uniform(m));
}

static TuneAnswer prepare(void *data, uint32_t i, char why[TUNE_WHY])
{
	Machine *m = data;
	int now = atomic_fetch_add(&m->preparing, 1) + 1, most = atomic_load(&m->most_preparing);
	while (now > most && !atomic_compare_exchange_weak(&m->most_preparing, &most, now))
		;
	struct timespec wait = {0, 1000000};
	nanosleep(&wait, NULL);
	atomic_fetch_sub(&m->preparing, 1);
	atomic_fetch_add(&m->prepared, 1);
	if (m->times[i] < 0 || m->times[i] > 0)
		return TUNE_GOOD;
	strcpy(why, "it does not compile");
	return TUNE_PASS;
}

static TuneAnswer measure(void *data, uint32_t i, double *seconds, char why[TUNE_WHY])
{
	Machine *m = data;
	m->runs[i]++;
	m->all++;
	if (m->end_after && (int)m->all > m->end_after)
		return TUNE_END;
	if (m->times[i] < 0) {
		strcpy(why, "it does not run");
		return TUNE_PASS;
	}
	double t = m->times[i] * (1 + m->noise * normal(m)) * (1 + m->drift * m->all);
	if (m->outliers > 0 && uniform(m) < m->outliers)
		t *= 3;
	if (m->step > 0)
		t = floor(t / m->step + 0.5) * m->step;
	m->clock += t;
	*seconds = t;
	return TUNE_GOOD;
}

static double now(void *data)
{
	return ((Machine *)data)->clock;
}

static TuneOutcome race(Arena *arena, Machine *m, uint32_t count, const TuneOptions *options)
{
	const TuneHooks hooks = {.data = m, .prepare = prepare, .measure = measure, .now = now};
	TuneOutcome out;
	tune_race(arena, count, &hooks, options, &out);
	return out;
}

static void students_points_are_those_of_tables(void **state)
{
	(void)state;
	assert_float_equal(stats_student(0.05, 1), 6.3138, 1e-3);
	assert_float_equal(stats_student(0.025, 2), 4.3027, 1e-3);
	assert_float_equal(stats_student(0.025, 4), 2.7764, 1e-3);
	assert_float_equal(stats_student(0.01, 10), 2.7638, 1e-3);
	assert_float_equal(stats_student(0.0005, 30), 3.6460, 2e-3);
	assert_float_equal(stats_student(0.005, 1000), 2.5808, 1e-3);
	double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2};
	assert_float_equal(stats_median(odd, 3), 5, 0);
	assert_float_equal(stats_median(even, 4), 2.5, 0);
}

/* The best is 3 % ahead, runs vary by 2 %, one in thirty takes three times as long. */
static void the_best_is_found_in_noise(void **state)
{
	(void)state;
	int right = 0, settled = 0;
	for (uint64_t seed = 0; seed < 200; seed++) {
		Arena arena;
		arena_init(&arena, 0);
		Machine m = {.noise = 0.02, .outliers = 0.03, .random = seed};
		for (int i = 0; i < 12; i++)
			m.times[i] = 1e-4 * (i == 7 ? 1 : 1.03 + 0.02 * i);
		TuneOutcome out = race(&arena, &m, 12, &(TuneOptions){0});
		right += out.chosen == 7;
		settled += out.settled;
		assert_int_equal(out.candidates[out.chosen].state, TUNE_CHOSEN);
		arena_free(&arena);
	}
	assert_true(right >= 198); /* 99 in 100 */
	assert_true(settled >= 190);
}

/* A clock that slows down by a tenth over the race does not favour who ran first. */
static void a_drifting_clock_is_fair(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		Arena arena;
		arena_init(&arena, 0);
		Machine m = {.noise = 0.005,
			     .drift = 1e-3,
			     .random = seed,
			     .times = {1.02e-4, 1.02e-4, 1.02e-4, 1e-4}};
		TuneOutcome out = race(&arena, &m, 4, &(TuneOptions){.tie = 0.01});
		assert_int_equal(out.chosen, 3);
		arena_free(&arena);
	}
}

static void the_hopeless_run_twice_at_most(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	Machine m = {.noise = 0.02, .times = {5e-3, 1e-4, 1.05e-4, 4e-4, 1e-2}};
	TuneOutcome out = race(&arena, &m, 5, &(TuneOptions){0});
	assert_int_equal(out.chosen, 1);
	assert_int_equal(out.candidates[0].state, TUNE_HOPELESS);
	assert_int_equal(out.candidates[4].state, TUNE_HOPELESS);
	assert_int_equal(m.runs[0], 1); /* the first run tells */
	assert_int_equal(m.runs[4], 1);
	assert_int_equal(out.candidates[3].state, TUNE_HOPELESS);
	assert_int_equal(m.runs[3], 3);
	assert_int_equal(out.candidates[2].state, TUNE_SLOWER);
	assert_true(out.candidates[2].low > 1 && out.candidates[2].high < 1.2);
	arena_free(&arena);
}

static void those_that_fail_are_named(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	Machine m = {.times = {0, 1e-4, -1}};
	TuneOutcome out = race(&arena, &m, 3, &(TuneOptions){0});
	assert_int_equal(out.chosen, 1);
	assert_int_equal(out.candidates[0].state, TUNE_FAILED);
	assert_string_equal(out.candidates[0].why, "it does not compile");
	assert_string_equal(out.candidates[2].why, "it does not run");
	Machine none = {.times = {0, -1}};
	out = race(&arena, &none, 2, &(TuneOptions){0});
	assert_int_equal(out.chosen, 2);
	assert_string_equal(tune_state_text(out.candidates[1].state), "failed");
	arena_free(&arena);
}

/* Equal ones, on a clock of coarse steps: the first of the list, always. */
static void ties_go_to_the_first(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		Arena arena;
		arena_init(&arena, 0);
		Machine m = {.step = 1e-6, .random = seed, .times = {2e-5, 1e-5, 1e-5, 1e-5}};
		TuneOutcome out = race(&arena, &m, 4, &(TuneOptions){.resolution = 1e-6});
		assert_int_equal(out.chosen, 1);
		assert_int_equal(out.candidates[2].state, TUNE_CLOSE);
		arena_free(&arena);
	}
}

static void budgets_hold(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	Machine m = {.noise = 0.3};
	for (int i = 0; i < 40; i++)
		m.times[i] = 1.0 + 0.001 * i;
	TuneOutcome out = race(&arena, &m, 40, &(TuneOptions){.budget = 100});
	assert_true(out.out_of_time);
	assert_true(m.clock < 103); /* what ran when it ended comes to its end */
	assert_true(out.chosen < 40);
	/* Too little for one run of each: what ran is chosen from, the rest is told apart. */
	Machine few = {0};
	for (int i = 0; i < 10; i++)
		few.times[i] = 1;
	out = race(&arena, &few, 10, &(TuneOptions){.budget = 3.5});
	assert_true(out.out_of_time && out.chosen < 10);
	assert_int_equal(out.candidates[9].state, TUNE_UNTRIED);
	assert_true(few.clock < 7);
	arena_free(&arena);
}

static void the_caller_may_end_it(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	Machine m = {.times = {1e-4, 2e-4}, .end_after = 3};
	TuneOutcome out = race(&arena, &m, 2, &(TuneOptions){0});
	assert_true(out.ended);
	assert_int_equal(m.all, 4);
	arena_free(&arena);
}

static void preparing_is_bounded(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	Machine m = {0};
	for (int i = 0; i < 30; i++)
		m.times[i] = 1e-4;
	race(&arena, &m, 30, &(TuneOptions){.threads = 3});
	assert_int_equal(atomic_load(&m.prepared), 30);
	assert_in_range(atomic_load(&m.most_preparing), 1, 3);
	arena_free(&arena);
}

/* ---- the file ---- */

static TuneEntry entry(const char *kernel, const char *key, const char *driver, const char *config,
		       double us)
{
	return (TuneEntry){
		{kernel, "c0ffee", "GPU sm_90a", driver, key}, config, us * 1e-6, 0.01, 3};
}

static const char *written(const TuneResults *results)
{
	Text text;
	text_init(&text, results->arena);
	tune_results_write(results, &text);
	return text.data;
}

static void the_file_is_sorted_and_reads_back(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	TuneResults a, b, back;
	const TuneEntry some[] = {entry("softmax", "n=7", "13.0", "B=1", 5),
				  entry("matmul", "M=4, N=\"4\"", "13.0", "B=2, num_warps=8", 12.5),
				  entry("matmul", "M=4, N=\"4\"", "12.8", "B=3", 13),
				  entry("matmul", "M=10", "13.0", "B=\t\\", 1)};
	tune_results_init(&a, &arena);
	tune_results_init(&b, &arena);
	tune_results_init(&back, &arena);
	for (int i = 0; i < 4; i++) {
		tune_results_put(&a, &some[i]);
		tune_results_put(&b, &some[3 - i]);
	}
	const char *text = written(&a);
	assert_string_equal(text, written(&b));
	const char *why;
	uint32_t line;
	assert_true(tune_results_read(&back, str_of(text), &why, &line));
	assert_string_equal(text, written(&back));
	const TuneEntry *found = tune_results_find(&back, &some[1].key, false);
	assert_non_null(found);
	assert_string_equal(found->config, "B=2, num_warps=8");
	assert_float_equal(found->seconds, 12.5e-6, 1e-12);
	assert_int_equal(found->tried, 3);
	assert_non_null(strstr(text, "\n{\"kernel\": \"softmax\", \"content\": \"c0ffee\", "
				     "\"gpu\": \"GPU sm_90a\", \"driver\": "
				     "\"13.0\", \"key\": \"n=7\", \"config\": \"B=1\", \"us\": 5, "
				     "\"noise\": 0.01, \"tried\": 3}\n]}\n"));
	arena_free(&arena);
}

static void other_drivers_count_when_told_so(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	TuneResults r;
	tune_results_init(&r, &arena);
	TuneEntry old = entry("k", "n=1", "12.8", "B=1", 5),
		  new = entry("k", "n=1", "13.0", "B=2", 5),
		  other = entry("k", "n=2", "13.9", "B=3", 5);
	tune_results_put(&r, &old);
	tune_results_put(&r, &new);
	tune_results_put(&r, &other);
	TuneKey key = old.key;
	key.driver = "13.1";
	assert_null(tune_results_find(&r, &key, false));
	assert_string_equal(tune_results_find(&r, &key, true)->config, "B=2");
	key.key = "n=3";
	assert_null(tune_results_find(&r, &key, true));
	key = old.key;
	key.content = "another";
	assert_null(tune_results_find(&r, &key, true));
	arena_free(&arena);
}

static void of_two_the_faster_stays(void **state)
{
	(void)state;
	Arena arena;
	arena_init(&arena, 0);
	TuneResults ab, ba;
	tune_results_init(&ab, &arena);
	tune_results_init(&ba, &arena);
	TuneEntry a = entry("k", "n=1", "13.0", "B=1", 5), b = entry("k", "n=1", "13.0", "B=2", 4);
	tune_results_merge(&ab, &a);
	tune_results_merge(&ab, &b);
	tune_results_merge(&ba, &b);
	tune_results_merge(&ba, &a);
	assert_string_equal(ab.at[0].config, "B=2");
	assert_string_equal(written(&ab), written(&ba));
	tune_results_put(&ab, &a); /* tuned again */
	assert_string_equal(ab.at[0].config, "B=1");
	assert_int_equal(ab.count, 1);
	arena_free(&arena);
}

static void broken_files_are_refused_with_their_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
		uint32_t line;
	} bad[] = {
		{"", "'{' is missing", 1},
		{"{\"other\": 1}", "does not begin", 1},
		{"{\"neso-tuned\": 2, \"entries\": []}", "newer version", 1},
		{"{\"neso-tuned\": 1, \"entries\": [\n{\"kernel\": \"k\"}\n]}", "wants kernel", 2},
		{"{\"neso-tuned\": 1, \"entries\": [\n{\"kernel\": \"k\n\"}\n]}", "end in its line",
		 2},
		{"{\"neso-tuned\": 1, \"entries\": [\n{\"us\": -1}\n]}", "not negative", 2},
		{"{\"neso-tuned\": 1, \"entries\": []} x", "behind its end", 1},
		{"{\"neso-tuned\": 1, \"entries\": [{\"kernel\": \"\\u12\"}]}", "escape", 1},
		{"{\"neso-tuned\": 1, \"entries\": [\n\n{", "'\"' is missing", 3},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		Arena arena;
		arena_init(&arena, 0);
		TuneResults r;
		const char *why = NULL;
		uint32_t line = 0;
		tune_results_init(&r, &arena);
		assert_false(tune_results_read(&r, str_of(bad[i].text), &why, &line));
		assert_non_null(strstr(why, bad[i].why));
		assert_int_equal(line, bad[i].line);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_points_are_those_of_tables),
		cmocka_unit_test(the_best_is_found_in_noise),
		cmocka_unit_test(a_drifting_clock_is_fair),
		cmocka_unit_test(the_hopeless_run_twice_at_most),
		cmocka_unit_test(those_that_fail_are_named),
		cmocka_unit_test(ties_go_to_the_first),
		cmocka_unit_test(budgets_hold),
		cmocka_unit_test(the_caller_may_end_it),
		cmocka_unit_test(preparing_is_bounded),
		cmocka_unit_test(the_file_is_sorted_and_reads_back),
		cmocka_unit_test(other_drivers_count_when_told_so),
		cmocka_unit_test(of_two_the_faster_stays),
		cmocka_unit_test(broken_files_are_refused_with_their_line),
	};
	return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
