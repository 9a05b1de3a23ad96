/* The kernels of this folder, launched from C and checked against plain C.
 *
 *	demo [FOLDER]     FOLDER: where the .py files are ("examples" when not given)
 *
 * Each case fills its arrays, launches its kernel (the best of three runs counts), computes the same in plain C in
 * double precision, and prints a row. Exit status 1 when a kernel cannot run or is wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <neso/neso.h>

/* ---- arrays ---- */

static void *allocate(size_t bytes)
{
	void *p = calloc(1, bytes);
	if (!p) {
		fprintf(stderr, "demo: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	return p;
}

/* Numbers in [-1, 1) that are the same in each run. */
static float *random_floats(size_t n, uint32_t seed)
{
	float *out = allocate(n * sizeof *out);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		out[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
	}
	return out;
}

/* The same numbers as fp16, and rounded to fp16 in place. */
static void *to_fp16(float *values, size_t n)
{
	void *out = allocate(n * 2);
	neso_dtype_convert(NESO_FP16, out, NESO_FP32, values, n);
	neso_dtype_convert(NESO_FP32, values, NESO_FP16, out, n);
	return out;
}

static neso_arg in(const char *name, neso_dtype dtype, const void *data, size_t n)
{
	return neso_arg_buffer(name, dtype, data, n * neso_dtype_size(dtype), NESO_READ);
}

static neso_arg out(const char *name, neso_dtype dtype, void *data, size_t n)
{
	return neso_arg_buffer(name, dtype, data, n * neso_dtype_size(dtype), NESO_READ_WRITE);
}

/* ---- running and reporting ---- */

typedef struct Demo {
	neso_context *context;
	const char *folder;
	bool failed;
} Demo;

typedef struct Case {
	const char *file, *kernel, *size;
	const neso_arg *args;
	size_t arg_count;
	uint32_t grid[3];
	double bytes, flops; /* moved, done; one of them is 0 */
} Case;

/* Loads and launches; false after showing what is wrong. Seconds of the best run and of the first compilation. */
static bool launch(Demo *demo, const Case *c, double *run, double *compile)
{
	char path[512];
	neso_module *module;
	neso_kernel *kernel;
	neso_diagnostics *diagnostics;
	neso_launch l = neso_launch_of(c->args, c->arg_count, c->grid[0], c->grid[1], c->grid[2]);
	snprintf(path, sizeof path, "%s/%s", demo->folder, c->file);
	neso_status status = neso_module_load_file(demo->context, path, &module, &diagnostics);
	if (status == NESO_OK)
		status = neso_module_find(module, c->kernel, &kernel, &diagnostics);
	*run = INFINITY;
	*compile = 0;
	for (int i = 0; i < 3 && status == NESO_OK; i++) {
		neso_launch_result result;
		result.size = sizeof result;
		status = neso_kernel_launch(kernel, &l, &result, &diagnostics);
		if (status == NESO_OK) {
			*run = result.run_seconds < *run ? result.run_seconds : *run;
			*compile += result.compile_seconds;
		}
	}
	if (status != NESO_OK)
		fprintf(stderr, "%s: %s\n%s", path, neso_status_text(status), neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	neso_module_free(module);
	return status == NESO_OK;
}

/* Runs a case; returns whether its result can be looked at. */
static bool begin(Demo *demo, const Case *c, char row[160])
{
	double run, compile;
	printf("%-18s %-24s ", c->kernel, c->size);
	fflush(stdout);
	if (!launch(demo, c, &run, &compile)) {
		puts("FAILED");
		demo->failed = true;
		return false;
	}
	if (c->bytes > 0)
		snprintf(row, 160, "%7.2f ms %9.3f ms %8.2f GB/s   ", compile * 1e3, run * 1e3, c->bytes / run * 1e-9);
	else
		snprintf(row, 160, "%7.2f ms %9.3f ms %8.2f GFLOP/s", compile * 1e3, run * 1e3, c->flops / run * 1e-9);
	return true;
}

static void finish(Demo *demo, const char *row, double error, double allowed)
{
	bool good = error <= allowed;
	demo->failed |= !good;
	printf("%s  %.1e %s\n", row, error, good ? "ok" : "WRONG");
}

static double larger(double error, double got, double expected)
{
	double difference = fabs(got - expected);
	return difference <= error ? error : difference; /* a NaN is taken over */
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the cases ---- */

static void vector_add(Demo *demo)
{
	enum { N = 1 << 24, BLOCK = 1024 };
	float *x = random_floats(N, 1), *y = random_floats(N, 2), *sum = allocate(N * sizeof *sum);
	neso_arg args[] = {
		in("x_ptr", NESO_FP32, x, N), in("y_ptr", NESO_FP32, y, N), out("out_ptr", NESO_FP32, sum, N),
		neso_arg_int("n", N), neso_arg_int("BLOCK", BLOCK),
	};
	Case c = {"vector_add.py", "add_kernel", "16777216 fp32", args, COUNT(args), {N / BLOCK, 1, 1}, 3.0 * 4 * N, 0};
	char row[160];
	if (begin(demo, &c, row)) {
		double error = 0;
		for (size_t i = 0; i < N; i++)
			error = larger(error, sum[i], x[i] + y[i]);
		finish(demo, row, error, 0);
	}
	free(x), free(y), free(sum);
}

static void softmax(Demo *demo)
{
	enum { ROWS = 1823, COLS = 781, BLOCK = 1024, N = ROWS * COLS };
	float *x = random_floats(N, 3), *y = allocate(N * sizeof *y);
	neso_arg args[] = {
		out("out_ptr", NESO_FP32, y, N), in("in_ptr", NESO_FP32, x, N), neso_arg_int("in_stride", COLS),
		neso_arg_int("out_stride", COLS), neso_arg_int("rows", ROWS), neso_arg_int("cols", COLS),
		neso_arg_int("BLOCK", BLOCK),
	};
	Case c = {"softmax.py", "softmax_kernel", "1823 x 781 fp32", args, COUNT(args), {256, 1, 1}, 2.0 * 4 * N, 0};
	char row[160];
	if (begin(demo, &c, row)) {
		double error = 0;
		for (size_t r = 0; r < ROWS; r++) {
			const float *xs = x + r * COLS, *ys = y + r * COLS;
			double top = -INFINITY, total = 0;
			for (size_t i = 0; i < COLS; i++)
				top = fmax(top, xs[i]);
			for (size_t i = 0; i < COLS; i++)
				total += exp(xs[i] - top);
			for (size_t i = 0; i < COLS; i++)
				error = larger(error, ys[i], exp(xs[i] - top) / total);
		}
		finish(demo, row, error, 1e-7);
	}
	free(x), free(y);
}

static void layer_norm(Demo *demo)
{
	enum { ROWS = 1151, COLS = 1000, BLOCK = 1024, N = ROWS * COLS };
	const double eps = 1e-5;
	float *x = random_floats(N, 4), *y = allocate(N * sizeof *y);
	float *weight = random_floats(COLS, 5), *bias = random_floats(COLS, 6);
	float *mean = allocate(ROWS * sizeof *mean), *rstd = allocate(ROWS * sizeof *rstd);
	neso_arg args[] = {
		in("x_ptr", NESO_FP32, x, N), out("y_ptr", NESO_FP32, y, N), in("weight_ptr", NESO_FP32, weight, COLS),
		in("bias_ptr", NESO_FP32, bias, COLS), out("mean_ptr", NESO_FP32, mean, ROWS),
		out("rstd_ptr", NESO_FP32, rstd, ROWS), neso_arg_int("stride", COLS), neso_arg_int("cols", COLS),
		neso_arg_float("eps", eps), neso_arg_int("BLOCK", BLOCK),
	};
	Case c = {"layer_norm.py", "layer_norm_kernel", "1151 x 1000 fp32", args, COUNT(args), {ROWS, 1, 1}, 4.0 * 4 * N, 0};
	char row[160];
	if (begin(demo, &c, row)) {
		double error = 0;
		for (size_t r = 0; r < ROWS; r++) {
			const float *xs = x + r * COLS, *ys = y + r * COLS;
			double sum = 0, squares = 0;
			for (size_t i = 0; i < COLS; i++)
				sum += xs[i];
			double m = sum / COLS;
			for (size_t i = 0; i < COLS; i++)
				squares += (xs[i] - m) * (xs[i] - m);
			double s = 1 / sqrt(squares / COLS + eps);
			error = larger(larger(error, mean[r], m), rstd[r], s);
			for (size_t i = 0; i < COLS; i++)
				error = larger(error, ys[i], (xs[i] - m) * s * weight[i] + bias[i]);
		}
		finish(demo, row, error, 1e-5);
	}
	free(x), free(y), free(weight), free(bias), free(mean), free(rstd);
}

static void matmul(Demo *demo)
{
	enum { M = 512, N = 512, K = 512, BLOCK_M = 64, BLOCK_N = 64, BLOCK_K = 32 };
	float *a = random_floats(M * K, 7), *b = random_floats(K * N, 8), *c32 = allocate(M * N * sizeof *c32);
	void *a16 = to_fp16(a, M * K), *b16 = to_fp16(b, K * N), *c16 = allocate(M * N * 2);
	neso_arg args[] = {
		in("a_ptr", NESO_FP16, a16, M * K), in("b_ptr", NESO_FP16, b16, K * N), out("c_ptr", NESO_FP16, c16, M * N),
		neso_arg_int("M", M), neso_arg_int("N", N), neso_arg_int("K", K),
		neso_arg_int("stride_am", K), neso_arg_int("stride_ak", 1), neso_arg_int("stride_bk", N),
		neso_arg_int("stride_bn", 1), neso_arg_int("stride_cm", N), neso_arg_int("stride_cn", 1),
		neso_arg_int("BLOCK_M", BLOCK_M), neso_arg_int("BLOCK_N", BLOCK_N), neso_arg_int("BLOCK_K", BLOCK_K),
		neso_arg_int("GROUP", 8),
	};
	Case c = {"matmul.py", "matmul_kernel", "512 x 512 x 512 fp16", args, COUNT(args),
		  {(M / BLOCK_M) * (N / BLOCK_N), 1, 1}, 0, 2.0 * M * N * K};
	char row[160];
	if (begin(demo, &c, row)) {
		double error = 0, *line = allocate(N * sizeof *line);
		neso_dtype_convert(NESO_FP32, c32, NESO_FP16, c16, M * N);
		for (size_t i = 0; i < M; i++) {
			for (size_t j = 0; j < N; j++)
				line[j] = 0;
			for (size_t k = 0; k < K; k++)
				for (size_t j = 0; j < N; j++)
					line[j] += (double)a[i * K + k] * b[k * N + j];
			for (size_t j = 0; j < N; j++)
				error = larger(error, c32[i * N + j], line[j]);
		}
		finish(demo, row, error, 0.02); /* half a unit of fp16 at 32 */
		free(line);
	}
	free(a), free(b), free(c32), free(a16), free(b16), free(c16);
}

/* One row of attention over `keys` keys, in double precision. */
static void attention_row(const float *q, const float *k, const float *v, size_t keys, size_t d, double scale,
			  double *scores, double *result)
{
	double top = -INFINITY, total = 0;
	for (size_t j = 0; j < keys; j++) {
		double dot = 0;
		for (size_t i = 0; i < d; i++)
			dot += (double)q[i] * k[j * d + i];
		scores[j] = dot * scale;
		top = fmax(top, scores[j]);
	}
	for (size_t i = 0; i < d; i++)
		result[i] = 0;
	for (size_t j = 0; j < keys; j++) {
		double weight = exp(scores[j] - top);
		total += weight;
		for (size_t i = 0; i < d; i++)
			result[i] += weight * v[j * d + i];
	}
	for (size_t i = 0; i < d; i++)
		result[i] /= total;
}

static void attention(Demo *demo)
{
	enum { HEADS = 4, LEN = 512, D = 64, BLOCK = 64, COUNT_ALL = HEADS * LEN * D, HEAD = LEN * D };
	const double scale = 1 / sqrt(D);
	float *q = random_floats(COUNT_ALL, 9), *k = random_floats(COUNT_ALL, 10), *v = random_floats(COUNT_ALL, 11);
	float *o = allocate(COUNT_ALL * sizeof *o);
	void *q16 = to_fp16(q, COUNT_ALL), *k16 = to_fp16(k, COUNT_ALL), *v16 = to_fp16(v, COUNT_ALL);
	void *o16 = allocate(COUNT_ALL * 2);
	neso_arg args[] = {
		in("q_ptr", NESO_FP16, q16, COUNT_ALL), in("k_ptr", NESO_FP16, k16, COUNT_ALL),
		in("v_ptr", NESO_FP16, v16, COUNT_ALL), out("out_ptr", NESO_FP16, o16, COUNT_ALL),
		neso_arg_float("scale", scale), neso_arg_int("stride_qh", HEAD), neso_arg_int("stride_qn", D),
		neso_arg_int("stride_kh", HEAD), neso_arg_int("stride_kn", D), neso_arg_int("stride_vh", HEAD),
		neso_arg_int("stride_vn", D), neso_arg_int("stride_oh", HEAD), neso_arg_int("stride_on", D),
		neso_arg_int("N", LEN), neso_arg_int("D", D), neso_arg_int("BLOCK_M", BLOCK),
		neso_arg_int("BLOCK_N", BLOCK), neso_arg_expr("CAUSAL", "True"),
	};
	/* Two products over the lower triangle. */
	Case c = {"attention.py", "attention_kernel", "4 x 512 x 64 fp16 causal", args, COUNT(args), {LEN / BLOCK, HEADS, 1},
		  0, 4.0 * HEADS * (LEN * (LEN + 1.0) / 2) * D};
	char row[160];
	if (begin(demo, &c, row)) {
		double error = 0, scores[LEN], result[D];
		neso_dtype_convert(NESO_FP32, o, NESO_FP16, o16, COUNT_ALL);
		for (size_t h = 0; h < HEADS; h++)
			for (size_t r = 0; r < LEN; r++) {
				size_t at = h * HEAD + r * D;
				attention_row(q + at, k + h * HEAD, v + h * HEAD, r + 1, D, scale, scores, result);
				for (size_t i = 0; i < D; i++)
					error = larger(error, o[at + i], result[i]);
			}
		finish(demo, row, error, 2e-3);
	}
	free(q), free(k), free(v), free(o), free(q16), free(k16), free(v16), free(o16);
}

int main(int argc, char **argv)
{
	Demo demo = {.folder = argc > 1 ? argv[1] : "examples"};
	neso_diagnostics *diagnostics;
	if (neso_context_new(NULL, &demo.context, &diagnostics) != NESO_OK) {
		fputs(neso_diagnostics_text(diagnostics), stderr);
		neso_diagnostics_free(diagnostics);
		return 1;
	}
	printf("Neso %s on the interpreter: %s threads, %s\n\n", neso_version(), neso_context_info(demo.context, "threads"),
	       neso_context_info(demo.context, "simd"));
	printf("%-18s %-24s %10s %12s %16s  %s\n", "kernel", "size", "compile", "run", "rate", "error");
	vector_add(&demo);
	softmax(&demo);
	layer_norm(&demo);
	matmul(&demo);
	attention(&demo);
	puts(demo.failed ? "\nSome kernels are wrong." : "\nEvery kernel agrees with plain C.");
	neso_context_free(demo.context);
	return demo.failed;
}
