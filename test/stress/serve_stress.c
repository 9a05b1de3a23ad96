/* A server's process for as long as is asked: threads that launch with ever changing values on the
 * fake driver, in strict mode, while others forget variants; launches into graphs, whose modules
 * the fake driver does not let go; children of a fork that launch on the CPU; what the process has
 * is asked meanwhile. No launch may fail or compile, and in a minute or more memory must stay flat.
 *
 *	serve_stress [--threads N] [--seconds S] [--values N] [--forks 0|1] LIBCUDA FOLDER
 *
 * --forks 0: no children, for sanitizers whose allocator does not survive a fork among threads.
 * LIBCUDA is build/.../test/fake/libcuda.so.1, with FAKE_CUDA_QUIET=1 in the environment: it counts
 * without a lock otherwise. The compile cache lies in FOLDER. Exit status 1 when anything was
 * wrong, 77 where GPU code cannot be made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <neso/background.h>
#include <neso/declare.h>
#include <neso/neso.h>

#include "fake.h"

enum {
	MOST_THREADS = 256,
	SETTLES = 60, /* seconds, after which memory is looked at */
	GRAPHED = 24, /* values that launches into graphs have: their modules stay loaded */
};

/* TAG and START make variants, and no code: the assembler runs once. */
static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def eager(x, n, TAG: tl.constexpr, B: tl.constexpr):\n"
	"    i = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)\n"
	"\n"
	"@triton.jit\n"
	"def tiered(x, START: tl.constexpr, B: tl.constexpr):\n"
	"    i = START + tl.arange(0, B)\n"
	"    tl.store(x + i, tl.load(x + i) * 2)\n";

typedef struct Run {
	neso_context *context;
	neso_module *module;
	neso_kernel *eager, *tiered;
	unsigned values;
	bool forks;
	atomic_bool ends;
	void *graphs; /* a stream that captures */
	FakeCuda *fake;
	atomic_ulong launches, wrong, children, captured;
} Run;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void moment(double seconds)
{
	const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&t, NULL);
}

static double resident(void)
{
	unsigned long all = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file && fscanf(file, "%lu %lu", &all, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static unsigned next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static neso_arg pointer(unsigned offset)
{
	return (neso_arg){.kind = NESO_ARG_POINTER,
			  .dtype = NESO_FP32,
			  .address = (char *)0x100000 + offset,
			  .bytes = 4096,
			  .access = NESO_READ_WRITE};
}

static neso_status launch(neso_kernel *kernel, neso_arg *args, size_t count, neso_constexpr_policy policy,
			  void *stream)
{
	const neso_compile_options options = {
		.size = sizeof options, .target = "cuda", .constexpr_policy = policy};
	neso_diagnostics *diagnostics;
	neso_launch l = neso_launch_of(args, count, 1, 1, 1);
	l.options = &options;
	l.stream = stream;
	const neso_status status = neso_kernel_launch(kernel, &l, NULL, &diagnostics);
	if (status != NESO_OK)
		fprintf(stderr, "serve_stress: %s\n", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	return status;
}

static neso_status launch_eager(const Run *run, unsigned value, void *stream)
{
	neso_arg args[] = {pointer(value % 2 ? 4 : 0), neso_arg_int(NULL, value % 3 ? 64 : 7),
			   neso_arg_int(NULL, (int64_t)(value / 6)), neso_arg_int(NULL, 64)};
	return launch(run->eager, args, 4, NESO_POLICY_EAGER, stream);
}

static neso_status launch_tiered(const Run *run, unsigned value)
{
	neso_arg args[] = {pointer(0), neso_arg_int(NULL, (int64_t)value + 2), neso_arg_int(NULL, 64)};
	return launch(run->tiered, args, 3, NESO_POLICY_TIERED, NULL);
}

/* Now and then into a graph, with the last values: the modules of the first are never unloaded. */
static neso_status launch_some(Run *run, unsigned seed)
{
	const bool graph = seed % 61 == 0;
	const unsigned among = graph && run->values > GRAPHED ? GRAPHED : run->values;
	run->captured += graph;
	return launch_eager(run, run->values - 1 - seed / 61 % among, graph ? run->graphs : NULL);
}

static void *work(void *data)
{
	Run *run = data;
	unsigned seed = (unsigned)(uintptr_t)&run ^ (unsigned)(run->launches++ * 2654435761u);
	while (!run->ends) {
		const unsigned value = next(&seed);
		const unsigned rare = next(&seed) % 64 ? next(&seed) % 4096 : 1;
		neso_status status = value % 4 ? launch_some(run, next(&seed)) : launch_tiered(run, rare);
		run->wrong += status != NESO_OK;
		run->launches++;
		if (value % 5003 == 0) {
			char *explained = NULL;
			neso_context_explain(run->context, "json", &explained, NULL);
			neso_text_free(explained);
		}
	}
	return NULL;
}

/* A child has the memory of its parent, and none of its threads. */
static int child(void)
{
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	float x[64] = {1};
	neso_arg args[] = {neso_arg_buffer("x", NESO_FP32, x, sizeof x, NESO_READ_WRITE),
			   neso_arg_int("n", 64), neso_arg_int("TAG", 1), neso_arg_int("B", 64)};
	neso_launch l = neso_launch_of(args, 4, 1, 1, 1);
	const neso_context_options options = {.size = sizeof options, .cache_dir = ""};
	if (neso_context_new(&options, &context, NULL) != NESO_OK ||
	    neso_module_load_text(context, "s.py", text, sizeof text - 1, &module, NULL) != NESO_OK ||
	    neso_module_find(module, "eager", &kernel, NULL) != NESO_OK ||
	    neso_kernel_launch(kernel, &l, NULL, NULL) != NESO_OK || x[0] != 2)
		return 1;
	neso_module_free(module);
	neso_context_free(context);
	return 0;
}

static void fork_one(Run *run)
{
	int status = 0;
	const pid_t pid = fork();
	if (pid == 0) {
		alarm(30);
		_exit(child());
	}
	if (pid > 0 && (waitpid(pid, &status, 0) != pid || status != 0)) {
		fprintf(stderr, "serve_stress: a child ended with %x\n", (unsigned)status);
		run->wrong++;
	}
	run->children++;
}

/* What a build machine would do. False: it cannot be. */
static bool fill(Run *run)
{
	for (unsigned value = 0; value < run->values; value++)
		if (launch_eager(run, value, NULL) != NESO_OK)
			return false;
	return launch_tiered(run, 5) == NESO_OK;
}

/* The fake driver's stream that captures, while `on`. */
static bool set_graphs(Run *run, const char *libcuda, bool on)
{
	FakeCuda *(*fake_cuda_of)(void) = NULL;
	void *library = dlopen(libcuda, RTLD_NOW);
	void *symbol = library ? dlsym(library, "fake_cuda") : NULL;
	memcpy(&fake_cuda_of, &symbol, sizeof symbol);
	if (symbol) {
		run->fake = fake_cuda_of();
		run->fake->capturing_stream = on ? run : NULL;
	}
	run->graphs = symbol && on ? run : NULL;
	return symbol != NULL;
}

static bool open_run(Run *run, const char *libcuda, const char *folder)
{
	const neso_context_options options = {
		.size = sizeof options, .libcuda = libcuda, .cache_dir = folder};
	return neso_context_new(&options, &run->context, NULL) == NESO_OK &&
	       neso_module_load_text(run->context, "s.py", text, sizeof text - 1, &run->module, NULL) ==
		       NESO_OK &&
	       neso_module_find(run->module, "eager", &run->eager, NULL) == NESO_OK &&
	       neso_module_find(run->module, "tiered", &run->tiered, NULL) == NESO_OK;
}

/* Memory after a fourth of the time, and at the end. */
static bool serve(Run *run, unsigned threads, double seconds)
{
	pthread_t ids[MOST_THREADS];
	unsigned begun = 0;
	double early = 0, late = 0;
	const double began = now();
	while (begun < threads && pthread_create(&ids[begun], NULL, work, run) == 0)
		begun++;
	while (now() < began + seconds) {
		moment(0.2);
		if (run->forks)
			fork_one(run);
		late = resident();
		if (now() < began + seconds / 4)
			early = late > early ? late : early;
	}
	run->ends = true;
	for (unsigned i = 0; i < begun; i++)
		pthread_join(ids[i], NULL);
	if (run->fake->spoiled)
		fprintf(stderr, "serve_stress: %d calls made graphs invalid\n", run->fake->spoiled);
	run->wrong += (unsigned)run->fake->spoiled;
	const bool flat = seconds < SETTLES || late < early * 1.1 + 8;
	printf("%u threads, %.0f s: %lu launches of %u values, %lu into graphs, %lu children, %lu wrong; "
	       "%zu variants; "
	       "resident %.1f MB in the first fourth, %.1f MB at the end%s\n",
	       begun, seconds, run->launches, run->values, run->captured, run->children, run->wrong,
	       neso_kernel_variant_count(run->eager), early, late, flat ? "" : ": not flat");
	return flat && run->wrong == 0 && begun == threads;
}

int main(int argc, char **argv)
{
	unsigned threads = 16;
	double seconds = 10;
	Run run = {.values = 1200, .forks = true};
	int at = 1;
	for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
		if (strcmp(argv[at], "--threads") == 0)
			threads = (unsigned)strtoul(argv[at + 1], NULL, 10) % (MOST_THREADS + 1);
		else if (strcmp(argv[at], "--seconds") == 0)
			seconds = strtod(argv[at + 1], NULL);
		else if (strcmp(argv[at], "--values") == 0)
			run.values = (unsigned)strtoul(argv[at + 1], NULL, 10);
		else if (strcmp(argv[at], "--forks") == 0)
			run.forks = strcmp(argv[at + 1], "0") != 0;
	}
	if (at + 2 != argc) {
		fprintf(stderr, "usage: serve_stress [--threads N] [--seconds S] [--values N] "
				"[--forks 0|1] LIBCUDA FOLDER\n");
		return 2;
	}
	setenv("NESO_MAX_VARIANTS", "256", 1);
	setenv("NESO_MAX_MODULES", "64", 1);
	setenv("NESO_TIER_LAUNCHES", "20", 1);
	if (!set_graphs(&run, argv[at], true) || !open_run(&run, argv[at], argv[at + 1]) || !fill(&run))
		return 77;
	neso_context_set_strict(run.context, NESO_STRICT_ON);
	const bool good = serve(&run, threads, seconds);
	set_graphs(&run, argv[at], false);
	neso_module_free(run.module);
	neso_context_free(run.context);
	return good ? 0 : 1;
}
