/* Times the interpreter on the kernels beside it: least and median of many launches, after a warm-up, each result
 * checked against plain C. Build type Release. Usage: interp_bench [FOLDER of .mlir files] [threads] [NAME] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/float/fp.h"
#include "base/os.h"
#include "interp/interp.h"
#include "ir/text/text.h"

typedef struct Bench {
	Arena arena;
	SourceSet sources;
	DiagList diags;
	IrCx cx;
	IrModule *module;
	InterpKernel *kernel;
	InterpPool *pool;
	InterpArg args[16];
	InterpBuffer buffers[16];
	InterpLaunch launch;
	double prepare;
} Bench;

static const char *folder = "test/bench";
static const char *only;
static unsigned threads;

static void die(Bench *b, const char *what)
{
	Text out;
	text_init(&out, &b->arena);
	text_str(&out, "");
	diag_render_all(&out, &b->diags);
	fprintf(stderr, "%s: %s\n", what, out.data);
	exit(1);
}

static Bench *bench_new(const char *file, const char *name)
{
	Bench *b = calloc(1, sizeof *b);
	arena_init(&b->arena, 0);
	source_set_init(&b->sources, &b->arena);
	diag_init(&b->diags, &b->arena, &b->sources);
	ir_cx_init(&b->cx, &b->arena);
	Str bytes;
	const char *error, *path = arena_printf(&b->arena, "%s/%s.mlir", folder, file);
	if (!os_read_file(&b->arena, path, &bytes, &error)) {
		fprintf(stderr, "%s: %s\n", path, error);
		exit(1);
	}
	b->module = ir_read(&b->cx, source_add(&b->sources, path, bytes.ptr, bytes.len, 1), &b->diags);
	if (!b->module)
		die(b, path);
	double best = 1e9;
	for (int i = 0; i < 5; i++) {
		double t = os_now();
		interp_free(b->kernel);
		b->kernel = interp_prepare(b->module, ir_sym(&b->cx, name), &b->diags);
		best = MIN(best, os_now() - t);
	}
	if (!b->kernel)
		die(b, path);
	b->prepare = best;
	b->pool = interp_pool_new(threads);
	b->launch = (InterpLaunch){.args = b->args, .buffers = b->buffers, .grid = {1, 1, 1}, .pool = b->pool,
				   .threads = threads};
	return b;
}

static void bench_free(Bench *b)
{
	interp_free(b->kernel);
	interp_pool_free(b->pool);
	arena_free(&b->arena);
	free(b);
}

static void scalar(Bench *b, uint64_t bits)
{
	b->args[b->launch.arg_count++].bits = bits;
}

static void real(Bench *b, float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	scalar(b, u);
}

static void *buffer(Bench *b, const char *name, size_t bytes, bool writable)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	memset(p, 0, bytes);
	b->buffers[b->launch.buffer_count++] = (InterpBuffer){name, p, bytes, writable, false};
	scalar(b, (uint64_t)(uintptr_t)p);
	return p;
}

static uint64_t seed = 88172645463325252u;
static float uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (float)((double)(seed >> 40) * 0x1p-23 - 1);
}

static uint16_t half(float f)
{
	return (uint16_t)fp_from_double(FP_F16, (double)f, FP_NEAREST_EVEN, false);
}

static double full(uint16_t h)
{
	return fp_to_double(FP_F16, h);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Seconds of the least and of the median launch. */
static void measure(Bench *b, double *least, double *median)
{
	double times[2000], total = 0;
	size_t n = 0;
	for (int i = 0; i < 3; i++)
		if (!interp_launch(b->kernel, &b->launch, &b->diags))
			die(b, "launch");
	while (n < 20 || (n < 2000 && total < 0.5)) {
		double t = os_now();
		interp_launch(b->kernel, &b->launch, &b->diags);
		times[n] = os_now() - t;
		total += times[n++];
	}
	qsort(times, n, sizeof *times, by_value);
	*least = times[0];
	*median = times[n / 2];
}

static void report(Bench *b, const char *name, double work, const char *unit, double error)
{
	double least, median;
	measure(b, &least, &median);
	printf("%-34s %10.4f ms %10.4f ms %9.1f %-7s prepare %6.1f us  error %.2g\n", name, least * 1e3, median * 1e3,
	       work / median * 1e-9, unit, b->prepare * 1e6, error);
	bench_free(b);
}

static bool wanted(const char *name)
{
	return !only || strstr(name, only);
}

static void once(Bench *b)
{
	if (!interp_launch(b->kernel, &b->launch, &b->diags))
		die(b, "launch");
}

static void empty(void)
{
	Bench *b = bench_new("tiny", "tiny_kernel");
	static const char *const names[] = {"a", "b", "c", "d"};
	for (int i = 0; i < 4; i++)
		buffer(b, names[i], 64, true);
	for (uint64_t i = 0; i < 3; i++)
		scalar(b, i);
	real(b, 1);
	report(b, "empty, 8 arguments, grid 1", 0, "", 0);
}

static void add(size_t n, const char *name)
{
	Bench *b = bench_new("add", "add_kernel");
	float *x = buffer(b, "x", n * 4, false), *y = buffer(b, "y", n * 4, false), *o = buffer(b, "o", n * 4, true);
	for (size_t i = 0; i < n; i++) {
		x[i] = uniform();
		y[i] = uniform();
	}
	scalar(b, n);
	b->launch.grid[0] = (uint32_t)((n + 1023) / 1024);
	once(b);
	double error = 0;
	for (size_t i = 0; i < n; i++)
		error = fmax(error, fabs((double)(o[i] - (x[i] + y[i]))));
	report(b, name, 12.0 * (double)n, "GB/s", error);
}

static void matmul_f32(void)
{
	enum { N = 512 };
	Bench *b = bench_new("matmul_static_k", "matmul_static_k");
	float *x = buffer(b, "a", N * N * 4, false), *y = buffer(b, "b", N * N * 4, false), *o = buffer(b, "c", N * N * 4, true);
	for (size_t i = 0; i < N * N; i++) {
		x[i] = uniform();
		y[i] = uniform();
	}
	scalar(b, N);
	b->launch.grid[0] = b->launch.grid[1] = N / 64;
	once(b);
	double error = 0;
	for (size_t i = 0; i < N; i += 7)
		for (size_t j = 0; j < N; j++) {
			double v = 0;
			for (size_t k = 0; k < N; k++)
				v += (double)x[i * N + k] * (double)y[k * N + j];
			error = fmax(error, fabs((double)o[i * N + j] - v));
		}
	report(b, "matmul_static_k 512 fp32 64x64x32", 2.0 * N * N * N, "GFLOP/s", error);
}

static void matmul_f16(void)
{
	enum { N = 512 };
	Bench *b = bench_new("matmul", "matmul_kernel");
	uint16_t *x = buffer(b, "a", N * N * 2, false), *y = buffer(b, "b", N * N * 2, false), *o = buffer(b, "c", N * N * 2, true);
	for (size_t i = 0; i < N * N; i++) {
		x[i] = half(uniform());
		y[i] = half(uniform());
	}
	for (int i = 0; i < 3; i++)
		scalar(b, N);
	for (int i = 0; i < 6; i++)
		scalar(b, i & 1 ? 1 : N);
	b->launch.grid[0] = (N / 128) * (N / 128);
	once(b);
	double error = 0;
	for (size_t i = 0; i < N; i += 7)
		for (size_t j = 0; j < N; j++) {
			double v = 0;
			for (size_t k = 0; k < N; k++)
				v += full(x[i * N + k]) * full(y[k * N + j]);
			error = fmax(error, fabs(full(o[i * N + j]) - v));
		}
	report(b, "matmul 512 fp16 128x128x64", 2.0 * N * N * N, "GFLOP/s", error);
}

static void softmax(void)
{
	enum { R = 256, N = 4000 };
	Bench *b = bench_new("softmax", "softmax_kernel");
	float *o = buffer(b, "o", R * N * 4, true), *x = buffer(b, "i", R * N * 4, false);
	for (size_t i = 0; i < R * N; i++)
		x[i] = uniform() * 8;
	for (int i = 0; i < 3; i++)
		scalar(b, N);
	b->launch.grid[0] = R;
	once(b);
	double error = 0;
	for (size_t r = 0; r < R; r++) {
		double most = -1e30, sum = 0;
		for (size_t i = 0; i < N; i++)
			most = fmax(most, (double)x[r * N + i]);
		for (size_t i = 0; i < N; i++)
			sum += exp((double)x[r * N + i] - most);
		for (size_t i = 0; i < N; i++)
			error = fmax(error, fabs((double)o[r * N + i] - exp((double)x[r * N + i] - most) / sum));
	}
	report(b, "softmax 256x4000", 8.0 * R * N, "GB/s", error);
}

static void layernorm(void)
{
	enum { R = 256, N = 4000 };
	Bench *b = bench_new("layernorm", "layernorm_kernel");
	float *x = buffer(b, "x", R * N * 4, false), *y = buffer(b, "y", R * N * 4, true);
	float *w = buffer(b, "w", N * 4, false), *c = buffer(b, "b", N * 4, false);
	buffer(b, "mean", R * 4, true);
	buffer(b, "rstd", R * 4, true);
	for (size_t i = 0; i < R * N; i++)
		x[i] = uniform();
	for (size_t i = 0; i < N; i++) {
		w[i] = uniform();
		c[i] = uniform();
	}
	scalar(b, N);
	scalar(b, N);
	real(b, 1e-5f);
	b->launch.grid[0] = R;
	once(b);
	double error = 0;
	for (size_t r = 0; r < R; r++) {
		double mean = 0, var = 0;
		for (size_t i = 0; i < N; i++)
			mean += (double)x[r * N + i] / N;
		for (size_t i = 0; i < N; i++)
			var += ((double)x[r * N + i] - mean) * ((double)x[r * N + i] - mean) / N;
		for (size_t i = 0; i < N; i++) {
			double v = ((double)x[r * N + i] - mean) / sqrt(var + 1e-5) * (double)w[i] + (double)c[i];
			error = fmax(error, fabs((double)y[r * N + i] - v));
		}
	}
	report(b, "layer norm 256x4000", 8.0 * R * N, "GB/s", error);
}

static void attention(void)
{
	enum { H = 4, N = 512, D = 64 };
	Bench *b = bench_new("attention", "attn_kernel");
	uint16_t *in[4];
	static const char *const names[] = {"q", "k", "v", "o"};
	for (int t = 0; t < 4; t++)
		in[t] = buffer(b, names[t], (size_t)H * N * D * 2, t == 3);
	for (size_t i = 0; i < (size_t)H * N * D; i++)
		for (int t = 0; t < 3; t++)
			in[t][i] = half(uniform());
	real(b, 0.125f);
	scalar(b, N);
	scalar(b, H);
	scalar(b, (uint64_t)H * N * D);
	scalar(b, (uint64_t)N * D);
	scalar(b, D);
	b->launch.grid[0] = N / 128;
	b->launch.grid[1] = H;
	once(b);
	double error = 0, p[N];
	for (size_t h = 0; h < H; h++)
		for (size_t i = 0; i < N; i += 5) {
			const uint16_t *q = in[0] + (h * N + i) * D;
			double sum = 0;
			for (size_t j = 0; j <= i; j++) {
				p[j] = 0;
				for (size_t d = 0; d < D; d++)
					p[j] += full(q[d]) * full(in[1][(h * N + j) * D + d]);
				p[j] = exp(p[j] * 0.125);
				sum += p[j];
			}
			for (size_t d = 0; d < D; d++) {
				double v = 0;
				for (size_t j = 0; j <= i; j++)
					v += p[j] / sum * full(in[2][(h * N + j) * D + d]);
				error = fmax(error, fabs(full(in[3][(h * N + i) * D + d]) - v));
			}
		}
	report(b, "attention 4x512x64 fp16 causal", 2.0 * H * N * N * D, "GFLOP/s", error);
}

/* What the vector additions are measured against: a plain loop, as many threads, one pass over the same memory. */
typedef struct Part {
	const float *x, *y;
	float *o;
	size_t n;
} Part;

static void __attribute__((noinline)) add_loop(Part *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->o[i] = p->x[i] + p->y[i];
}

#include <pthread.h>
static void *add_thread(void *data)
{
	add_loop(data);
	return NULL;
}

static void plain_add(size_t n)
{
	float *x = aligned_alloc(64, n * 4), *y = aligned_alloc(64, n * 4), *o = aligned_alloc(64, n * 4);
	for (size_t i = 0; i < n; i++) {
		x[i] = uniform();
		y[i] = uniform();
		o[i] = 0;
	}
	unsigned t = threads ? threads : os_cpu_count();
	double best = 1e9;
	for (int r = 0; r < 10; r++) {
		pthread_t id[64];
		Part part[64];
		double start = os_now();
		for (unsigned k = 0; k < t; k++) {
			part[k] = (Part){x + n / t * k, y + n / t * k, o + n / t * k, n / t};
			pthread_create(&id[k], NULL, add_thread, &part[k]);
		}
		for (unsigned k = 0; k < t; k++)
			pthread_join(id[k], NULL);
		best = MIN(best, os_now() - start);
	}
	printf("%-34s %10.4f ms %13s %9.1f GB/s\n", "C loop, 2^24 floats", best * 1e3, "", 12.0 * (double)n / best * 1e-9);
	free(x);
	free(y);
	free(o);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		folder = argv[1];
	if (argc > 2)
		threads = (unsigned)atoi(argv[2]);
	if (argc > 3)
		only = argv[3];
	printf("%-34s %13s %13s\n", "", "least", "median");
	if (wanted("empty"))
		empty();
	if (wanted("add"))
		add(131072, "vector add 131072");
	if (wanted("add")) {
		plain_add((size_t)1 << 24);
		add((size_t)1 << 24, "vector add 2^24");
	}
	if (wanted("matmul")) {
		matmul_f32();
		matmul_f16();
	}
	if (wanted("softmax"))
		softmax();
	if (wanted("layernorm"))
		layernorm();
	if (wanted("attention"))
		attention();
	return 0;
}
