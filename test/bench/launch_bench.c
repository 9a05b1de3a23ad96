/* What a launch costs: cuLaunchKernel as a program would call it, nv_launch with a function at hand, and with the
 * lookup of context and function before it, and neso_kernel_launch; an empty kernel with 0, 8, 19 and 58 arguments.
 *
 *	launch_bench [--json] [--rounds N]
 *
 * Ways take turns in rounds of 100 launches, 401 unless told, so that whatever else the machine does meets all of them. Of each: the
 * median, in microseconds of the calling thread, and the median of what a round took more than the raw round beside
 * it. Needs a GPU; exit status 77 where there is none; without libneso-codegen.so the last column is left out.
 * bench/gpu/launches.py has launches from Python take turns with these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "launch_ways.h"

enum { ROUNDS = 401, LAUNCHES = 100, MOST_ROUNDS = 10001 };

static int by_value(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;
	return (l > r) - (l < r);
}

static double median(double *times, int n)
{
	qsort(times, (size_t)n, sizeof *times, by_value);
	return times[n / 2];
}

/* median[way] < 0: it cannot be launched so. False when a launch failed. */
static bool measure(Ways *ways, WaysSubject *s, int rounds, double medians[WAY__COUNT], double more[WAY__COUNT])
{
	static double times[WAY__COUNT][MOST_ROUNDS];
	for (int r = -1; r < rounds; r++) { /* the first warms */
		for (int k = 0; k < WAY__COUNT; k++) {
			int way = (k + MAX(r, 0)) % WAY__COUNT; /* each follows each other one */
			if (!ways_can(s, way))
				continue;
			double time = ways_round(ways, s, way, LAUNCHES);
			if (time < 0)
				return false;
			times[way][MAX(r, 0)] = time;
		}
	}
	static double differences[MOST_ROUNDS];
	for (int way = WAY__COUNT; way-- > 0;) {
		medians[way] = more[way] = -1;
		if (!ways_can(s, way))
			continue;
		for (int r = 0; r < rounds; r++)
			differences[r] = times[way][r] - times[WAY_RAW][r];
		more[way] = median(differences, rounds);
		if (way != WAY_RAW)
			medians[way] = median(times[way], rounds);
	}
	medians[WAY_RAW] = median(times[WAY_RAW], rounds);
	return true;
}

static void print_row(int arguments, const double medians[WAY__COUNT], const double more[WAY__COUNT], bool json, bool first)
{
	printf(json ? "%s{\"arguments\": %d" : "%s%9d", json && !first ? ", " : "", arguments);
	for (int way = 0; way < WAY__COUNT; way++) {
		if (medians[way] < 0)
			continue;
		printf(json ? ", \"%s\": %.3f" : "%.0s  %.3f", way_names[way], medians[way]);
		if (way != WAY_RAW)
			printf(json ? ", \"%s_more\": %.3f" : "%.0s (%+.3f)", way_names[way], more[way]);
	}
	printf(json ? "}" : "\n");
}

int main(int argc, char **argv)
{
	static const int counts[] = {0, 8, 19, WAYS_MOST_ARGS};
	int rounds = ROUNDS, status = 0;
	bool json = false;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
			rounds = atoi(argv[++i]);
		else
			return fprintf(stderr, "usage: launch_bench [--json] [--rounds N]\n"), 2;
	}
	rounds = MAX(1, MIN(rounds, MOST_ROUNDS));
	Ways *ways = ways_open();
	if (!ways)
		return 77;
	printf(json ? "{\"device\": \"%s\", \"launches\": [" : "%s; microseconds a launch (more than raw beside it)\narguments", ways_device(ways));
	for (int way = 0; !json && way < WAY__COUNT; way++)
		printf("  %s%s", way_names[way], way + 1 < WAY__COUNT ? "" : "\n");
	for (size_t i = 0; i < ARRAY_LEN(counts) && !status; i++) {
		double medians[WAY__COUNT], more[WAY__COUNT];
		WaysSubject *s = ways_subject(ways, counts[i]);
		if (s && measure(ways, s, rounds, medians, more))
			print_row(counts[i], medians, more, json, i == 0);
		else
			status = 1;
	}
	double current, id;
	ways_context(ways, &current, &id);
	printf(json ? "], \"cuCtxGetCurrent_ns\": %.1f, \"cuCtxGetId_ns\": %.1f}\n" : "cuCtxGetCurrent %.1f ns, cuCtxGetId %.1f ns\n", current,
	       id);
	ways_close(ways);
	return status;
}
