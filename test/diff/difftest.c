/* Random tile programs, run by the interpreter and by other engines that must agree with it.
 *
 *	difftest [--seconds N | --count N] [--seed N] [--jobs N] [--target T]... [--keep FOLDER]
 *	         [--no-check] [--findings N] [--hang SECONDS] [--verify]
 *	difftest --products ...         whole programs, which are not shrunk: products.c; --loops,
 *	                                --states, --rows, --memory, --cycles, --forms: the
 *	                                files of these names
 *	difftest --print SEED           the program of a seed
 *	difftest [--target T]... FILE   a program that was kept
 *
 * Programs are made of consecutive seeds. Workers are processes that take the next one; a worker that crashes or hangs is replaced, and what it
 * was doing is a finding like a difference, an error of one engine or a finding of the simulator's checks. Each is shrunk and written to FOLDER
 * (not written without one) and to standard output. A target such as sm_90a is compiled for, to a
 * cubin, and not run. --verify: the IR is verified and read again behind each pass, and such a
 * target is compiled for to PTX. --as-written: the interpreter runs kernels that no optional pass
 * has changed, so that faults of these passes are seen too.
 * Who ends it early (SIGTERM) is told what each worker was doing.
 * Exit status: 0 no finding, 1 findings, 2 wrong use. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/bar.h"
#include "diff.h"

enum { MAX_JOBS = 64 };

typedef struct Options {
	double seconds;
	uint64_t seed, count;
	int jobs, findings;
	const char *keep, *file;
	bool print;
	void (*whole)(Case *c, uint64_t seed); /* programs that are not shrunk; NULL: others */
	Engines engines;
} Options;

/* What a worker tells its parent. */
typedef struct Worker {
	pid_t pid;
	bool busy; /* with `seed`, since `since` */
	bool told; /* that it hangs */
	uint64_t seed;
	double since;
	Outcome outcome;
} Worker;

typedef struct Shared {
	_Atomic uint64_t next, done, refused;
	double until; /* shrinking does not count */
	Worker workers[MAX_JOBS];
} Shared;

static void make_case(const Options *o, uint64_t seed, Case *c)
{
	static Program p;
	if (o->whole) {
		o->whole(c, seed);
		return;
	}
	program_generate(&p, seed);
	program_print(&p, c);
}

/* ---- workers ---- */

/* Of one that hangs: where. Calls nothing that allocates (backtrace was called before). */
static void tell_stack(int signal)
{
	void *frames[48];
	(void)signal;
	backtrace_symbols_fd(frames, backtrace(frames, 48), STDERR_FILENO);
	raise(SIGKILL);
}

static void work(const Options *o, Shared *shared, Worker *w)
{
	neso_context *context;
	neso_context_options options = {.size = sizeof options, .threads = 1};
	void *frame;
	options.verify_passes = o->engines.verify;
	backtrace(&frame, 1); /* loads what it needs */
	signal(SIGQUIT, tell_stack);
	signal(SIGTERM, SIG_DFL);
	if (neso_context_new(&options, &context, NULL) != NESO_OK)
		_exit(2);
	while (seconds_now() < shared->until) {
		uint64_t n = atomic_fetch_add(&shared->next, 1);
		if (n >= o->count)
			break;
		Case c;
		w->seed = o->seed + n;
		w->since = seconds_now();
		w->busy = true;
		make_case(o, w->seed, &c);
		case_run(&c, &o->engines, context, &w->outcome);
		case_free(&c);
		atomic_fetch_add(&shared->done, 1);
		if (w->outcome.kind == REFUSED)
			atomic_fetch_add(&shared->refused, 1);
		else if (w->outcome.kind != SAME)
			_exit(1); /* still busy: the parent reads what it was */
		w->busy = false;
	}
	_exit(0);
}

static void start_worker(const Options *o, Shared *shared, Worker *w)
{
	fflush(NULL);
	w->busy = w->told = false;
	w->outcome.kind = SAME;
	w->since = seconds_now();
	pid_t pid = fork();
	if (pid == 0)
		work(o, shared, w);
	w->pid = pid; /* by the parent alone: it is in shared memory */
}

/* ---- findings ---- */

static const char *kind_text(OutcomeKind kind)
{
	static const char *const texts[] = {"the same", "refused", "results differ", "an error", "a crash", "a hang"};
	return texts[kind];
}

static void write_head(const Outcome *outcome, uint64_t seed, char *head, size_t size)
{
	snprintf(head, size, "# %c%s of %s%s%s, by difftest from seed %llu.\n",
		 kind_text(outcome->kind)[0] - 'a' + 'A', kind_text(outcome->kind) + 1, outcome->target,
		 outcome->code[0] ? ": " : "", outcome->code, (unsigned long long)seed);
}

static void report(const Options *o, uint64_t seed, const Outcome *seen)
{
	static Program p;
	Case c;
	Outcome outcome;
	char head[200], path[400];
	program_generate(&p, seed);
	make_case(o, seed, &c);
	/* Running it again and shrinking it take a while, and may be what hangs. */
	printf("difftest: seed %llu: %s%s%s on %s\n", (unsigned long long)seed, kind_text(seen->kind),
	       seen->code[0] ? " " : "", seen->code, seen->target);
	fflush(stdout);
	case_run_apart(&c, &o->engines, &outcome);
	case_free(&c);
	if (outcome.kind == SAME || outcome.kind == REFUSED) {
		printf("difftest: seed %llu: %s in a process that ran others before, not in one of its own\n%s\n",
		       (unsigned long long)seed, kind_text(seen->kind), seen->text);
		outcome = *seen;
	} else if (!o->whole) {
		program_shrink(&p, &o->engines, &outcome, 40);
	}
	if (o->whole) {
		make_case(o, seed, &c);
	} else {
		program_check(&p);
		program_print(&p, &c);
	}
	write_head(&outcome, seed, head, sizeof head);
	printf("difftest: seed %llu, %s%s%s on %s:\n%s\n", (unsigned long long)seed, kind_text(outcome.kind),
	       outcome.code[0] ? " " : "", outcome.code, outcome.target, outcome.text);
	case_write(&c, stdout, head);
	if (o->keep) {
		mkdir(o->keep, 0777); /* it may be there */
		snprintf(path, sizeof path, "%s/found_%llu.py", o->keep, (unsigned long long)seed);
		FILE *file = fopen(path, "w");
		if (file) {
			case_write(&c, file, head);
			fclose(file);
			printf("difftest: kept as %s\n", path);
		}
	}
	case_free(&c);
	fflush(stdout);
}

/* What a worker is at, and what the system knows of it: its call and those of its children. */
static void tell_worker(const Worker *w)
{
	char path[64], text[200] = "";
	printf("difftest: seed %llu: %.1f s, on %s, %s\n", (unsigned long long)w->seed,
	       seconds_now() - w->since, w->outcome.target, w->outcome.text);
	snprintf(path, sizeof path, "/proc/%d/wchan", (int)w->pid);
	FILE *file = fopen(path, "r");
	if (file && fgets(text, sizeof text, file))
		printf("difftest: process %d waits in %s\n", (int)w->pid, text);
	if (file)
		fclose(file);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)w->pid, (int)w->pid);
	file = fopen(path, "r");
	if (file && fgets(text, sizeof text, file))
		printf("difftest: its children: %s\n", text);
	if (file)
		fclose(file);
	fflush(stdout);
}

/* A program takes too long: its worker tells where it is and ends; one that cannot is ended. */
static void end_hung(const Options *o, Worker *w)
{
	double late = seconds_now() - w->since - o->engines.hang;
	if (!w->busy || late <= 0)
		return;
	if (!w->told) {
		w->told = true;
		tell_worker(w);
		kill(w->pid, SIGQUIT);
	} else if (late > 2) {
		kill(w->pid, SIGKILL);
	}
}

/* A worker ended, or is stuck. Returns whether there was a finding. */
static bool settle(const Options *o, Worker *w, int status)
{
	if (!w->busy)
		return false;
	if (WIFSIGNALED(status)) {
		w->outcome.kind = WTERMSIG(status) == SIGKILL ? HUNG : CRASHED;
		snprintf(w->outcome.text, sizeof w->outcome.text, "the process ended by signal %d", WTERMSIG(status));
	}
	report(o, w->seed, &w->outcome);
	return true;
}

/* Programs where their number is given, else seconds. */
static void draw(Bar *bar, const Options *o, Shared *shared, double began, int findings)
{
	char text[96];
	unsigned long long done = atomic_load(&shared->done);
	snprintf(text, sizeof text, "%llu programs, %d findings", done, findings);
	if (o->count != UINT64_MAX)
		bar_draw(bar, (size_t)done, (size_t)o->count, text);
	else
		bar_draw(bar, (size_t)(seconds_now() - began), (size_t)(shared->until - began), text);
}

static volatile sig_atomic_t stopped;

static void take_stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* Asked to end: whoever is at work tells of it, and ends too. */
static void stop_workers(const Options *o, Shared *shared)
{
	for (int j = 0; j < o->jobs; j++) {
		Worker *w = &shared->workers[j];
		if (w->pid == 0)
			continue;
		if (w->busy)
			tell_worker(w);
		kill(w->pid, seconds_now() - w->since > 5 ? SIGQUIT : SIGKILL);
	}
}

static int run_workers(const Options *o)
{
	Shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double began = seconds_now(), shrinking = 0;
	shared->until = began + o->seconds;
	int findings = 0, running = o->jobs;
	Bar bar = bar_begin();
	for (int j = 0; j < o->jobs; j++)
		start_worker(o, shared, &shared->workers[j]);
	signal(SIGTERM, take_stop);
	while (running > 0 && !stopped) {
		struct timespec pause = {0, 20000000};
		nanosleep(&pause, NULL);
		draw(&bar, o, shared, began, findings);
		for (int j = 0; j < o->jobs; j++) {
			Worker *w = &shared->workers[j];
			int status;
			if (w->pid == 0)
				continue;
			end_hung(o, w);
			if (waitpid(w->pid, &status, WNOHANG) != w->pid)
				continue;
			w->pid = 0;
			double then = seconds_now();
			bar_clear(&bar);
			bool found = findings < o->findings && settle(o, w, status);
			findings += found;
			shrinking += seconds_now() - then;
			shared->until += seconds_now() - then;
			if (findings >= o->findings)
				shared->until = 0;
			if (found && seconds_now() < shared->until)
				start_worker(o, shared, w);
			else
				running--;
		}
	}
	bar_clear(&bar);
	if (stopped)
		stop_workers(o, shared);
	double seconds = seconds_now() - began - shrinking;
	unsigned long long done = atomic_load(&shared->done);
	printf("difftest: seeds from %llu: %llu programs in %.0f s (%.0f a second), %llu refused by a target, %d findings\n",
	       (unsigned long long)o->seed, done, seconds, (double)done / seconds,
	       (unsigned long long)atomic_load(&shared->refused), findings);
	munmap(shared, sizeof *shared);
	return findings > 0;
}

/* ---- the command ---- */

static int run_file(const Options *o)
{
	Case c;
	Outcome outcome;
	if (!case_read(&c, o->file))
		return 2;
	case_run_apart(&c, &o->engines, &outcome);
	if (outcome.kind != SAME && outcome.kind != REFUSED)
		fprintf(stderr, "difftest: %s: %s on %s\n%s", o->file, kind_text(outcome.kind), outcome.target,
			outcome.text);
	case_free(&c);
	return outcome.kind != SAME && outcome.kind != REFUSED;
}

static int print_program(const Options *o)
{
	Case c;
	make_case(o, o->seed, &c);
	case_write(&c, stdout, "");
	case_free(&c);
	return 0;
}

typedef void MakeWhole(Case *c, uint64_t seed);

static MakeWhole *whole_of(const char *name)
{
	static const struct {
		const char *name;
		MakeWhole *make;
	} kinds[] = {{"products", product_make},
		     {"loops", loop_make},
		     {"states", state_make},
		     {"rows", row_make},
		     {"memory", memory_make},
		     {"cycles", cycle_make},
		     {"forms", form_make}};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(name, kinds[i].name) == 0)
			return kinds[i].make;
	return NULL;
}

static bool read_options(Options *o, int argc, char **argv)
{
	*o = (Options){.seconds = 10,
		       .seed = 1,
		       .count = UINT64_MAX,
		       .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN),
		       .findings = 10,
		       .engines = {.check = true, .timeout = 20, .hang = 60}};
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(word, "--no-check") == 0) {
			o->engines.check = false;
			continue;
		}
		if (strcmp(word, "--verify") == 0) {
			o->engines.verify = true;
			continue;
		}
		if (strcmp(word, "--as-written") == 0) {
			o->engines.as_written = true;
			continue;
		}
		if (strncmp(word, "--", 2) == 0 && whole_of(word + 2)) {
			o->whole = whole_of(word + 2);
			continue;
		}
		if (word[0] != '-') {
			o->file = word;
			continue;
		}
		i++;
		if (strcmp(word, "--seconds") == 0)
			o->seconds = atof(value);
		else if (strcmp(word, "--count") == 0)
			o->count = strtoull(value, NULL, 0), o->seconds = 1e9;
		else if (strcmp(word, "--seed") == 0)
			o->seed = strtoull(value, NULL, 0);
		else if (strcmp(word, "--jobs") == 0)
			o->jobs = atoi(value);
		else if (strcmp(word, "--findings") == 0)
			o->findings = atoi(value);
		else if (strcmp(word, "--hang") == 0)
			o->engines.hang = atof(value);
		else if (strcmp(word, "--keep") == 0)
			o->keep = value;
		else if (strcmp(word, "--print") == 0)
			o->print = true, o->seed = strtoull(value, NULL, 0);
		else if (strcmp(word, "--target") == 0 && o->engines.count < MAX_TARGETS)
			o->engines.targets[o->engines.count++] = value;
		else
			return false;
		if (i >= argc)
			return false;
	}
	if (o->engines.count == 0)
		for (; o->engines.count < 2; o->engines.count++)
			o->engines.targets[o->engines.count] = o->engines.count ? "sim:sm_90a" : "sim:sm_80";
	return o->jobs > 0 && o->jobs <= MAX_JOBS;
}

int main(int argc, char **argv)
{
	Options o;
	if (!read_options(&o, argc, argv)) {
		fputs("usage: difftest [--seconds N | --count N] [--seed N] [--jobs N] [--target T]... [--keep FOLDER]\n"
		      "                [--no-check] [--findings N] [--hang SECONDS] [--verify]\n"
		      "                [--as-written]\n"
		      "       difftest --products|--loops|--states|--rows|--memory ...\n"
		      "       difftest --cycles|--forms ...\n"
		      "       difftest --print SEED\n"
		      "       difftest [--target T]... FILE\n",
		      stderr);
		return 2;
	}
	return o.print ? print_program(&o) : o.file ? run_file(&o) : run_workers(&o);
}
