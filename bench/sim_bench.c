/* Times of the simulator: GPU code of a matrix product, lowered and run on the CPU.
 *
 *	sim_bench [ROOT [KERNELS [TARGET]]]     ROOT: the folder that holds examples/ (default "."); KERNELS: default 100
 *
 * The product is 128x128x128 in fp16, tiles 64x64x32, four programs. Medians of many launches with and without checks, and of
 * lowerings from source text, a fresh module each time. Then KERNELS of them, each lowered and run under all checks, on two
 * threads that share the work. Results are checked. Exit status 1 when something fails. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <neso/neso.h>

enum { N = 128, TILE = 64, DEPTH = 32, RUNS = 101, LOWERINGS = 31 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double processor_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;
	return l < r ? -1 : l > r;
}

static void need(neso_status status, neso_diagnostics *diagnostics)
{
	if (status == NESO_OK)
		return;
	fprintf(stderr, "sim_bench: %s\n%s", neso_status_text(status), neso_diagnostics_text(diagnostics));
	exit(1);
}

typedef struct Bench {
	neso_context *context;
	char path[512], text[16384];
	size_t length;
	const char *target;
	unsigned kernels;
	atomic_uint next;
} Bench;

/* fp16 of small integers: 0 to 3. */
static const uint16_t small[] = {0x0000, 0x3c00, 0x4000, 0x4200};

typedef struct Product {
	uint16_t a[N * N], b[N * N], c[N * N];
	neso_arg args[16];
	neso_compile_options options;
	neso_launch launch;
} Product;

static Product *product(const Bench *bench)
{
	static const char *const names[] = {"M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm", "stride_cn",
					    "BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP"};
	static const int64_t values[] = {N, N, N, N, 1, N, 1, N, 1, TILE, TILE, DEPTH, 8};
	Product *p = calloc(1, sizeof *p);
	if (!p)
		exit(1);
	for (unsigned i = 0; i < N * N; i++) {
		p->a[i] = small[i % 7 % 4];
		p->b[i] = small[i % 5 % 4];
	}
	p->args[0] = neso_arg_buffer("a_ptr", NESO_FP16, p->a, sizeof p->a, NESO_READ);
	p->args[1] = neso_arg_buffer("b_ptr", NESO_FP16, p->b, sizeof p->b, NESO_READ);
	p->args[2] = neso_arg_buffer("c_ptr", NESO_FP16, p->c, sizeof p->c, NESO_READ_WRITE);
	for (unsigned i = 0; i < 13; i++)
		p->args[3 + i] = neso_arg_int(names[i], values[i]);
	p->options = (neso_compile_options){.size = sizeof p->options, .target = bench->target};
	p->launch = neso_launch_of(p->args, 16, (N / TILE) * (N / TILE), 1, 1);
	p->launch.options = &p->options;
	p->launch.threads = 2;
	return p;
}

static void check(const Product *p)
{
	for (unsigned i = 0; i < N; i += 3) {
		for (unsigned j = 0; j < N; j++) {
			unsigned sum = 0;
			for (unsigned k = 0; k < N; k++)
				sum += (i * N + k) % 7 % 4 * ((k * N + j) % 5 % 4);
			/* Below 2048 an fp16 is 2^exponent times 1 and ten bits more. */
			unsigned bits = p->c[i * N + j], exponent = bits >> 10;
			unsigned got = bits ? (1024 + (bits & 1023)) >> (25 - exponent) : 0;
			if (got != sum) {
				fprintf(stderr, "sim_bench: element %u, %u of the product is %u, not %u\n", i, j, got, sum);
				exit(1);
			}
		}
	}
}

static neso_kernel *load(const Bench *bench, neso_module **module)
{
	neso_kernel *kernel;
	neso_diagnostics *diagnostics;
	need(neso_module_load_text(bench->context, bench->path, bench->text, bench->length, module, &diagnostics), diagnostics);
	need(neso_module_find(*module, "matmul_kernel", &kernel, &diagnostics), diagnostics);
	return kernel;
}

static void show(const char *what, double *wall, double *processor, unsigned n)
{
	qsort(wall, n, sizeof *wall, by_value);
	qsort(processor, n, sizeof *processor, by_value);
	printf("  %-28s %8.2f ms (least %.2f), processor %8.2f ms (least %.2f)\n", what, wall[n / 2] * 1e3, wall[0] * 1e3,
	       processor[n / 2] * 1e3, processor[0] * 1e3);
}

static void time_runs(const Bench *bench, bool checks)
{
	double wall[RUNS], processor[RUNS];
	neso_module *module;
	neso_diagnostics *diagnostics;
	neso_kernel *kernel = load(bench, &module);
	Product *p = product(bench);
	p->launch.check = checks;
	need(neso_kernel_launch(kernel, &p->launch, NULL, &diagnostics), diagnostics);
	check(p);
	for (unsigned i = 0; i < RUNS; i++) {
		double began = now(), used = processor_time();
		need(neso_kernel_launch(kernel, &p->launch, NULL, &diagnostics), diagnostics);
		wall[i] = now() - began;
		processor[i] = processor_time() - used;
	}
	show(checks ? "run, all checks" : "run", wall, processor, RUNS);
	neso_module_free(module);
	free(p);
}

static void time_lowering(const Bench *bench, const char *what, bool runs)
{
	double wall[LOWERINGS], processor[LOWERINGS];
	neso_diagnostics *diagnostics;
	Product *p = product(bench);
	p->launch.check = true;
	if (!runs)
		p->launch.grid[0] = 0;
	for (unsigned i = 0; i < LOWERINGS; i++) {
		neso_module *module;
		double began = now(), used = processor_time();
		neso_kernel *kernel = load(bench, &module);
		need(neso_kernel_launch(kernel, &p->launch, NULL, &diagnostics), diagnostics);
		neso_module_free(module);
		wall[i] = now() - began;
		processor[i] = processor_time() - used;
	}
	show(what, wall, processor, LOWERINGS);
	free(p);
}

static void *work(void *data)
{
	Bench *bench = data;
	Product *p = product(bench);
	p->launch.check = true;
	p->launch.threads = 1;
	while (atomic_fetch_add(&bench->next, 1) < bench->kernels) {
		neso_module *module;
		neso_diagnostics *diagnostics;
		neso_kernel *kernel = load(bench, &module);
		memset(p->c, 0, sizeof p->c);
		need(neso_kernel_launch(kernel, &p->launch, NULL, &diagnostics), diagnostics);
		check(p);
		neso_module_free(module);
	}
	free(p);
	return NULL;
}

int main(int argc, char **argv)
{
	static Bench bench;
	const char *root = argc > 1 ? argv[1] : ".";
	neso_diagnostics *diagnostics;
	pthread_t other;
	bench.kernels = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
	bench.target = argc > 3 ? argv[3] : "sim:sm_90a";
	snprintf(bench.path, sizeof bench.path, "%s/examples/matmul.py", root);
	FILE *file = fopen(bench.path, "rb");
	if (!file) {
		fprintf(stderr, "sim_bench: cannot read '%s'\n", bench.path);
		return 1;
	}
	bench.length = fread(bench.text, 1, sizeof bench.text, file);
	fclose(file);
	need(neso_context_new(NULL, &bench.context, &diagnostics), diagnostics);
	printf("%s, fp16 product %d^3, tiles %dx%dx%d:\n", bench.target, N, TILE, TILE, DEPTH);
	time_lowering(&bench, "source to bytecode", false);
	time_lowering(&bench, "the same and a checked run", true);
	time_runs(&bench, false);
	time_runs(&bench, true);
	double began = now(), used = processor_time();
	if (pthread_create(&other, NULL, work, &bench) != 0)
		return 1;
	work(&bench);
	pthread_join(other, NULL);
	double each = (now() - began) / (bench.kernels ? bench.kernels : 1);
	double cost = (processor_time() - used) / (bench.kernels ? bench.kernels : 1);
	printf("  %u kernels lowered and run, two threads: %.2f ms each, %.2f ms of processor time; 2000 take %.1f s\n", bench.kernels,
	       each * 1e3, cost * 1e3, each * 2000);
	neso_context_free(bench.context);
	return 0;
}
