/* Runs the compile matrix: matrix --kernels FILE [OPTION...] [DIM=VALUE,VALUE...]
 *
 *	--count N     groups to run; without it all. A group is a program for every target at every stage count
 *	--seed N      which come first: the order is a permutation that the seed decides
 *	--seconds S   no group is begun later
 *	--each N      cases of each group, chosen by chance; without it all
 *	--jobs N      processes; as many as processors when not said
 *	--log FILE    results are added to it, and groups that it holds are not run again
 *	--ptxas N     of N cases one also goes through ptxas
 *	--check       with the simulator's checks for races
 *	--verbose     a line for each group
 *	DIM=...       kind, order (of A and B: r rows, c columns), access, mask, m, n, k, target, stages, warps
 *
 * Prints progress, what failed, and a summary by kind of failure. Exit status 1 when anything failed. Each group runs in a
 * child that takes one after the other; one that ends with a signal, or takes too long, is a failure like others. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/map.h"
#include "base/os.h"
#include "base/str.h"
#include "cli/bar.h"

enum { MOST_JOBS = 256, LONGEST = 600 /* seconds of a group */ };

const char *const matrix_targets[MATRIX_TARGETS] = {"sm_80", "sm_86", "sm_89", "sm_90a"};

const MatrixDimInfo matrix_dims[MATRIX_DIMS] = {
	{"kind", 9, {"fp16", "bf16", "tf32", "tf32x3", "ieee", "fp8e4nv", "fp8e5", "int8", "fp64"}},
	{"order", 4, {"rr", "cr", "rc", "cc"}},
	{"access", 3, {"contiguous", "stride2", "indirect"}},
	{"mask", 2, {"no", "yes"}},
	{"m", 5, {"16", "32", "64", "128", "256"}},
	{"n", 5, {"16", "32", "64", "128", "256"}},
	{"k", 5, {"16", "32", "64", "128", "256"}},
};

typedef struct Options {
	MatrixOptions run;
	uint64_t count, seed;
	double seconds;
	unsigned jobs;
	const char *log;
	bool verbose, deeper;
	uint32_t allowed[MATRIX_DIMS];
	bool target[MATRIX_TARGETS], stages[MATRIX_STAGES + 1];
	unsigned warps;
} Options;

/* What the processes share. */
typedef struct Shared {
	_Atomic uint64_t next;
	uint64_t doing[MOST_JOBS]; /* the group that each is at */
} Shared;

typedef struct Kinds {
	char text[64][200];
	unsigned count[64], len;
} Kinds;

typedef struct Driver {
	Options o;
	Shared *shared;
	uint64_t groups; /* that the slice holds */
	Arena arena;
	Map done; /* hashes of keys */
	unsigned count[MATRIX__COUNT], simulated, assembled, spilled, finished;
	Kinds kinds;
	double began;
	FILE *log;
	Bar bar;
} Driver;

/* ---- groups ---- */

static uint64_t mixed(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A permutation of 0 ... groups - 1: one of the next power of two, walked until it is in range. */
static uint64_t shuffled(const Driver *d, uint64_t index)
{
	unsigned bits = 1;
	while (UINT64_C(1) << bits < d->groups)
		bits++;
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	do {
		for (unsigned round = 0; round < 4; round++) {
			index = (index * (mixed(d->o.seed * 4 + round + 1) | 1) + round) & mask;
			index ^= index >> (bits + 1) / 2;
		}
	} while (index >= d->groups);
	return index;
}

static unsigned allowed_count(uint32_t set)
{
	return (unsigned)__builtin_popcount(set);
}

static MatrixGroup group_at(const Driver *d, uint64_t index)
{
	MatrixGroup g = {.warps = d->o.warps};
	uint64_t rest = shuffled(d, index), name = 0;
	for (unsigned i = 0; i < MATRIX_DIMS; i++) {
		unsigned count = allowed_count(d->o.allowed[i]), wanted = (unsigned)(rest % count);
		rest /= count;
		while (!(d->o.allowed[i] >> g.at[i] & 1) || wanted)
			wanted -= d->o.allowed[i] >> g.at[i] & 1, g.at[i]++;
		name = name * matrix_dims[i].count + g.at[i];
	}
	/* Sizes and strides belong to the group, so that it is the same in every slice and order. */
	g.hash = mixed(name + UINT64_C(0x9e3779b97f4a7c15));
	memcpy(g.target, d->o.target, sizeof g.target);
	memcpy(g.stages, d->o.stages, sizeof g.stages);
	for (unsigned s = 7; d->o.deeper && s <= MATRIX_STAGES; s++)
		g.stages[s] = g.hash % 8 == 0;
	return g;
}

void matrix_key(const MatrixGroup *g, char *out, size_t room)
{
	size_t len = 0;
	for (unsigned i = 0; i < MATRIX_DIMS; i++)
		len += (size_t)snprintf(out + len, len < room ? room - len : 0, "%s%s=%s", i ? " " : "", matrix_dims[i].name,
					matrix_dims[i].values[g->at[i]]);
}

/* ---- options ---- */

static void usage(const char *what)
{
	fprintf(stderr, "matrix: %s\n", what);
	exit(2);
}

static bool take_numbers(bool *set, size_t count, const char *value)
{
	unsigned from = (unsigned)atoi(value), to = strchr(value, '-') ? (unsigned)atoi(strchr(value, '-') + 1) : from;
	for (unsigned i = from; i <= to && i < count; i++)
		set[i] = true;
	return from > 0 && from < count;
}

static bool take_value(Options *o, const char *dim, const char *value)
{
	if (strcmp(dim, "stages") == 0)
		return take_numbers(o->stages, MATRIX_STAGES + 1, value);
	if (strcmp(dim, "warps") == 0)
		return (o->warps = (unsigned)atoi(value)) > 0;
	for (unsigned t = 0; t < MATRIX_TARGETS && strcmp(dim, "target") == 0; t++)
		if (strcmp(value, matrix_targets[t]) == 0)
			return o->target[t] = true;
	for (unsigned i = 0; i < MATRIX_DIMS; i++)
		for (unsigned v = 0; v < matrix_dims[i].count; v++)
			if (strcmp(dim, matrix_dims[i].name) == 0 && strcmp(value, matrix_dims[i].values[v]) == 0)
				return o->allowed[i] |= 1u << v, true;
	return false;
}

static void take_slice(Options *o, char *text)
{
	char *value = strchr(text, '='), *dim = text;
	*value = '\0';
	for (value = strtok(value + 1, ","); value; value = strtok(NULL, ","))
		if (!take_value(o, dim, value))
			usage("no such dimension or value");
}

static void defaults(Options *o)
{
	bool any = false;
	for (unsigned i = 0; i < MATRIX_DIMS; i++)
		o->allowed[i] = o->allowed[i] ? o->allowed[i] : (1u << matrix_dims[i].count) - 1;
	for (unsigned t = 0; t < MATRIX_TARGETS; t++)
		any |= o->target[t];
	for (unsigned t = 0; t < MATRIX_TARGETS && !any; t++)
		o->target[t] = true;
	any = false;
	for (unsigned s = 1; s <= MATRIX_STAGES; s++)
		any |= o->stages[s];
	o->deeper = !any;
	for (unsigned s = 1; s <= 6 && !any; s++)
		o->stages[s] = true;
	o->jobs = o->jobs ? MIN(o->jobs, MOST_JOBS) : os_cpu_count();
	if (!o->run.kernels)
		usage("--kernels FILE says where the programs are");
}

static Options read_options(int argc, char **argv)
{
	Options o = {.count = UINT64_MAX, .seconds = 1e18};
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (strcmp(argv[i], "--check") == 0)
			o.run.check = true;
		else if (strcmp(argv[i], "--verbose") == 0)
			o.verbose = true;
		else if (argv[i][0] != '-' && strchr(argv[i], '='))
			take_slice(&o, argv[i]);
		else if (!value)
			usage("an option wants a value");
		else if (strcmp(argv[i], "--kernels") == 0)
			o.run.kernels = argv[++i];
		else if (strcmp(argv[i], "--count") == 0)
			o.count = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--each") == 0)
			o.run.each = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0)
			o.seed = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--seconds") == 0)
			o.seconds = strtod(argv[++i], NULL);
		else if (strcmp(argv[i], "--jobs") == 0)
			o.jobs = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--log") == 0)
			o.log = argv[++i];
		else if (strcmp(argv[i], "--ptxas") == 0)
			o.run.ptxas = (unsigned)atoi(argv[++i]);
		else
			usage("unknown option");
	}
	defaults(&o);
	return o;
}

/* ---- children ---- */

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

static uint64_t hash_of(const char *key)
{
	uint64_t h = UINT64_C(1469598103934665603);
	for (; *key; key++)
		h = (h ^ (uint8_t)*key) * UINT64_C(1099511628211);
	return h;
}

static bool is_done(Driver *d, const MatrixGroup *g)
{
	char key[160];
	uint64_t unused;
	matrix_key(g, key, sizeof key);
	return map_get(&d->done, hash_of(key), &unused);
}

/* Groups until there are none; reports go to the parent whole. */
static void child(Driver *d, unsigned job, int out)
{
	MatrixReport *report = malloc(sizeof *report);
	for (;;) {
		uint64_t index = atomic_fetch_add(&d->shared->next, 1);
		if (!report || index >= d->groups || index >= d->o.count || os_now() - d->began > d->o.seconds)
			_exit(report ? 0 : 1);
		MatrixGroup g = group_at(d, index);
		if (is_done(d, &g))
			continue;
		d->shared->doing[job] = index + 1;
		alarm(LONGEST);
		double began = os_now();
		matrix_run(&d->o.run, &g, report);
		alarm(0);
		d->shared->doing[job] = 0;
		if (d->o.verbose)
			fprintf(stderr, "%6.2f s %s\n", os_now() - began, report->key);
		if (!write_all(out, (const char *)report, offsetof(MatrixReport, text) + report->len))
			_exit(1);
	}
}

typedef struct Child {
	pid_t pid;
	int in;
} Child;

static bool start(Driver *d, Child *c, unsigned job)
{
	int ends[2];
	fflush(NULL);
	if (pipe(ends) != 0)
		return false;
	c->pid = fork();
	if (c->pid == 0) {
		close(ends[0]);
		child(d, job, ends[1]);
	}
	close(ends[1]);
	c->in = ends[0];
	return c->pid > 0;
}

/* ---- the parent ---- */

static void add_kind(Driver *d, const char *line)
{
	char kind[200] = "";
	char what[32] = "";
	const char *text = strstr(line, ": ");
	sscanf(strncmp(line, "FAIL ", 5) == 0 ? line + 5 : line, "%31s", what);
	snprintf(kind, sizeof kind, "%s: %.150s", what, text ? text + 2 : "");
	/* Numbers tell cases of one kind apart. */
	size_t n = 0;
	for (const char *c = kind; *c; c++)
		if (*c < '0' || *c > '9')
			kind[n++] = *c;
		else if (!n || kind[n - 1] != '#')
			kind[n++] = '#';
	kind[n] = '\0';
	Kinds *k = &d->kinds;
	for (unsigned i = 0; i < k->len; i++)
		if (strcmp(k->text[i], kind) == 0) {
			k->count[i]++;
			return;
		}
	if (k->len < ARRAY_LEN(k->count)) {
		memcpy(k->text[k->len], kind, sizeof kind);
		k->count[k->len++] = 1;
	}
}

static unsigned failures(const Driver *d)
{
	unsigned bad = 0;
	for (unsigned i = MATRIX_REFUSED + 1; i < MATRIX__COUNT; i++)
		bad += d->count[i];
	return bad;
}

static void take_lines(Driver *d, char *text)
{
	if (*text)
		bar_clear(&d->bar);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		printf("%s\n", line);
		if (d->log)
			fprintf(d->log, "%s\n", line);
		if (strncmp(line, "FAIL", 4) == 0 || strncmp(line, "refused", 7) == 0)
			add_kind(d, line);
	}
}

static void take_report(Driver *d, MatrixReport *r)
{
	for (unsigned i = 0; i < MATRIX__COUNT; i++)
		d->count[i] += r->count[i];
	d->simulated += r->simulated;
	d->assembled += r->assembled;
	d->spilled += r->spilled;
	d->finished++;
	r->text[r->len] = '\0';
	take_lines(d, r->text);
	if (d->log) {
		fprintf(d->log, "done %s\n", r->key);
		fflush(d->log);
	}
	char text[64];
	snprintf(text, sizeof text, "%u wrong", failures(d));
	bar_draw(&d->bar, d->finished, (size_t)MIN(d->groups, d->o.count), text);
	if (!d->bar.terminal && d->finished % 100 == 0) {
		printf("%u groups, %.0f s\n", d->finished, os_now() - d->began);
		fflush(stdout);
	}
}

static bool read_all(int fd, void *out, size_t len)
{
	for (size_t got = 0; got < len;) {
		ssize_t n = read(fd, (char *)out + got, len - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

/* One report of a child; false: it is gone. */
static bool listen_to(Driver *d, Child *c, MatrixReport *r)
{
	if (!read_all(c->in, r, offsetof(MatrixReport, text)) || !read_all(c->in, r->text, r->len))
		return false;
	take_report(d, r);
	return true;
}

/* What a child was at when it died is a failure. */
static bool bury(Driver *d, Child *c, unsigned job, MatrixReport *r)
{
	int status = 0;
	close(c->in);
	waitpid(c->pid, &status, 0);
	uint64_t at = d->shared->doing[job];
	if (!at)
		return false;
	MatrixGroup g = group_at(d, at - 1);
	*r = (MatrixReport){.count[MATRIX_CRASHED] = 1};
	matrix_key(&g, r->key, sizeof r->key);
	r->len = (size_t)snprintf(r->text, sizeof r->text, "FAIL crashed %s: %s %d\n", r->key,
				  WIFSIGNALED(status) ? "signal" : "exit status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	d->shared->doing[job] = 0;
	take_report(d, r);
	return true;
}

static void run_all(Driver *d)
{
	Child children[MOST_JOBS];
	MatrixReport *r = malloc(sizeof *r);
	unsigned alive = 0;
	for (unsigned i = 0; i < d->o.jobs; i++) {
		if (!r || !start(d, &children[i], i))
			usage("no process can be started");
		alive++;
	}
	while (alive) {
		fd_set set;
		int top = 0;
		FD_ZERO(&set);
		for (unsigned i = 0; i < d->o.jobs; i++)
			if (children[i].pid) {
				FD_SET(children[i].in, &set);
				top = MAX(top, children[i].in);
			}
		if (select(top + 1, &set, NULL, NULL, NULL) < 0)
			continue;
		for (unsigned i = 0; i < d->o.jobs; i++) {
			if (!children[i].pid || !FD_ISSET(children[i].in, &set) || listen_to(d, &children[i], r))
				continue;
			if (bury(d, &children[i], i, r) && start(d, &children[i], i))
				continue;
			children[i].pid = 0;
			alive--;
		}
	}
	free(r);
}

static void read_log(Driver *d)
{
	Str text;
	const char *error;
	static const char mark[] = "done ";
	if (!d->o.log)
		return;
	if (os_read_file(&d->arena, d->o.log, &text, &error))
		for (char *at = strtok((char *)text.ptr, "\n"); at; at = strtok(NULL, "\n"))
			if (strncmp(at, mark, sizeof mark - 1) == 0)
				map_put(&d->done, hash_of(at + sizeof mark - 1), 1);
	d->log = fopen(d->o.log, "a");
	if (!d->log)
		usage("the log cannot be written");
}

static unsigned summary(const Driver *d)
{
	unsigned bad = failures(d), cases = 0;
	for (unsigned i = 0; i < MATRIX__COUNT; i++)
		cases += d->count[i];
	printf("%u programs, %u cases in %.0f s: %u right, %u refused, %u failed (%u to compile, %u in the simulator, %u wrong, %u by ptxas, "
	       "%u crashed); %u simulated, %u assembled, %u of them with spills\n",
	       d->finished, cases, os_now() - d->began, d->count[MATRIX_OK], d->count[MATRIX_REFUSED], bad, d->count[MATRIX_COMPILE],
	       d->count[MATRIX_RUN], d->count[MATRIX_WRONG], d->count[MATRIX_PTXAS], d->count[MATRIX_CRASHED], d->simulated, d->assembled,
	       d->spilled);
	for (unsigned i = 0; i < d->kinds.len; i++)
		printf("%6u  %s\n", d->kinds.count[i], d->kinds.text[i]);
	return bad;
}

int main(int argc, char **argv)
{
	Driver d = {.o = read_options(argc, argv), .groups = 1};
	arena_init(&d.arena, 0);
	map_init(&d.done, &d.arena);
	for (unsigned i = 0; i < MATRIX_DIMS; i++)
		d.groups *= allowed_count(d.o.allowed[i]);
	d.shared = mmap(NULL, sizeof *d.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (d.shared == MAP_FAILED)
		usage("no memory");
	d.began = os_now();
	read_log(&d);
	printf("%llu programs, seed %llu, %u processes\n", (unsigned long long)MIN(d.groups, d.o.count), (unsigned long long)d.o.seed, d.o.jobs);
	fflush(stdout);
	d.bar = bar_begin();
	run_all(&d);
	bar_clear(&d.bar);
	unsigned bad = summary(&d);
	if (d.log)
		fclose(d.log);
	arena_free(&d.arena);
	return bad != 0;
}
