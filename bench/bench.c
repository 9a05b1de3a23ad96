/* Times of the compiler and the interpreter, in one run on this machine.
 *
 *	bench [ROOT]     ROOT: the folder that holds examples/ and bench/ (default ".")
 *
 * Front end: source text to verified, optimised TTIR, a fresh module each time, the median of 100. Interpreter: the
 * median of several launches of a variant that is there, beside the same work as a plain C loop where that is what
 * one would compare with. Results are checked. Exit status 1 when something fails. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <neso/neso.h>

enum { FRONT_RUNS = 100, LAUNCHES = 30 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;
	return l < r ? -1 : l > r;
}

static double median(double *times, int n)
{
	qsort(times, (size_t)n, sizeof *times, by_value);
	return times[n / 2];
}

static void need(neso_status status, neso_diagnostics *diagnostics)
{
	if (status == NESO_OK)
		return;
	fprintf(stderr, "bench: %s\n%s", neso_status_text(status), neso_diagnostics_text(diagnostics));
	exit(1);
}

static void *allocate(size_t bytes)
{
	void *p = NULL;
	if (posix_memalign(&p, 64, bytes) != 0)
		exit(1);
	return p;
}

static float *floats(size_t n, uint32_t seed)
{
	float *out = allocate(n * sizeof *out);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		out[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
	}
	return out;
}

/* ---- front end ---- */

static char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		fprintf(stderr, "bench: cannot read '%s'\n", path);
		exit(1);
	}
	char *text = allocate(1 << 20);
	*length = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

static void front_end(neso_context *context, const char *root, const char *file, const char *kernel_name,
		      const char *signature)
{
	char path[512];
	size_t length;
	double times[FRONT_RUNS];
	snprintf(path, sizeof path, "%s/examples/%s", root, file);
	char *text = read_text(path, &length);
	for (int i = 0; i < FRONT_RUNS; i++) {
		neso_module *module;
		neso_kernel *kernel;
		neso_variant *variant;
		neso_diagnostics *diagnostics;
		double began = now();
		need(neso_module_load_text(context, path, text, length, &module, &diagnostics), diagnostics);
		need(neso_module_find(module, kernel_name, &kernel, &diagnostics), diagnostics);
		need(neso_kernel_compile(kernel, signature, NULL, &variant, &diagnostics), diagnostics);
		times[i] = now() - began;
		neso_module_free(module);
	}
	free(text);
	printf("  %-20s %8.3f ms\n", kernel_name, median(times, FRONT_RUNS) * 1e3);
}

/* ---- interpreter ---- */

static double launches(neso_kernel *kernel, const neso_launch *launch)
{
	double times[LAUNCHES];
	neso_diagnostics *diagnostics;
	need(neso_kernel_launch(kernel, launch, NULL, &diagnostics), diagnostics);
	for (int i = 0; i < LAUNCHES; i++) {
		double began = now();
		need(neso_kernel_launch(kernel, launch, NULL, &diagnostics), diagnostics);
		times[i] = now() - began;
	}
	return median(times, LAUNCHES);
}

typedef struct Part {
	const float *x, *y;
	float *out;
	size_t n;
} Part;

static void *add_part(void *data)
{
	const Part *p = data;
	const float *restrict x = p->x, *restrict y = p->y;
	float *restrict out = p->out;
	for (size_t i = 0; i < p->n; i++)
		out[i] = x[i] + y[i];
	return NULL;
}

static double c_loop(const float *x, const float *y, float *out, size_t n, unsigned threads)
{
	double times[LAUNCHES];
	for (int round = 0; round < LAUNCHES; round++) {
		pthread_t ids[64];
		Part parts[64];
		double began = now();
		for (unsigned t = 0; t < threads; t++) {
			size_t from = n * t / threads, to = n * (t + 1) / threads;
			parts[t] = (Part){x + from, y + from, out + from, to - from};
			if (t && pthread_create(&ids[t], NULL, add_part, &parts[t]) != 0)
				exit(1);
		}
		add_part(&parts[0]);
		for (unsigned t = 1; t < threads; t++)
			pthread_join(ids[t], NULL);
		times[round] = now() - began;
	}
	return median(times, LAUNCHES);
}

static void vector_add(neso_kernel *kernel, size_t n, unsigned threads)
{
	enum { BLOCK = 1024 };
	float *x = floats(n, 1), *y = floats(n, 2), *out = allocate(n * sizeof *out);
	neso_arg args[] = {
		neso_arg_buffer("x_ptr", NESO_FP32, x, n * 4, NESO_READ),
		neso_arg_buffer("y_ptr", NESO_FP32, y, n * 4, NESO_READ),
		neso_arg_buffer("out_ptr", NESO_FP32, out, n * 4, NESO_READ_WRITE),
		neso_arg_int("n", (int64_t)n),
		neso_arg_int("BLOCK", BLOCK),
	};
	neso_launch launch = neso_launch_of(args, 5, (uint32_t)((n + BLOCK - 1) / BLOCK), 1, 1);
	launch.threads = threads;
	memset(out, 0, n * sizeof *out);
	double ours = launches(kernel, &launch);
	for (size_t i = 0; i < n; i++)
		if (out[i] != x[i] + y[i]) {
			fprintf(stderr, "bench: element %zu of the sum is wrong\n", i);
			exit(1);
		}
	double plain = c_loop(x, y, out, n, threads);
	printf("  add %-16zu %8.3f ms   C loop %8.3f ms   ratio %.2f\n", n, ours * 1e3, plain * 1e3, ours / plain);
	free(x), free(y), free(out);
}

static void matmul(neso_kernel *kernel, size_t n, unsigned threads)
{
	enum { BM = 64, BN = 64, BK = 32 };
	float *a = floats(n * n, 3), *b = floats(n * n, 4), *c = allocate(n * n * sizeof *c);
	neso_arg args[] = {
		neso_arg_buffer("a_ptr", NESO_FP32, a, n * n * 4, NESO_READ),
		neso_arg_buffer("b_ptr", NESO_FP32, b, n * n * 4, NESO_READ),
		neso_arg_buffer("c_ptr", NESO_FP32, c, n * n * 4, NESO_READ_WRITE),
		neso_arg_int("N", (int64_t)n), neso_arg_int("K", (int64_t)n), neso_arg_int("BM", BM),
		neso_arg_int("BN", BN), neso_arg_int("BK", BK),
	};
	neso_launch launch = neso_launch_of(args, 8, (uint32_t)n / BM, (uint32_t)n / BN, 1);
	launch.threads = threads;
	double ours = launches(kernel, &launch);
	double flops = 2.0 * (double)n * (double)n * (double)n;
	for (size_t i = 0; i < n; i += 37)
		for (size_t j = 0; j < n; j += 41) {
			double sum = 0;
			for (size_t k = 0; k < n; k++)
				sum += (double)a[i * n + k] * b[k * n + j];
			if (!(fabs(sum - c[i * n + j]) < 1e-3)) {
				fprintf(stderr, "bench: element %zu, %zu of the product is wrong\n", i, j);
				exit(1);
			}
		}
	printf("  matmul %zu^3         %8.3f ms   %.1f GFLOP/s\n", n, ours * 1e3, flops / ours * 1e-9);
	free(a), free(b), free(c);
}

int main(int argc, char **argv)
{
	const char *root = argc > 1 ? argv[1] : ".";
	const unsigned threads = 2;
	char path[512];
	neso_context *context;
	neso_module *module;
	neso_kernel *add, *product;
	neso_diagnostics *diagnostics;
	need(neso_context_new(NULL, &context, &diagnostics), diagnostics);
	printf("Front end, source to verified TTIR (median of %d):\n", FRONT_RUNS);
	front_end(context, root, "vector_add.py", "add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024");
	front_end(context, root, "softmax.py", "softmax_kernel", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,1024");
	front_end(context, root, "layer_norm.py", "layer_norm_kernel",
		  "*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,fp32,1024");
	front_end(context, root, "matmul.py", "matmul_kernel",
		  "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,64,64,32,8");
	front_end(context, root, "attention.py", "attention_kernel",
		  "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,"
		  "64,64,64,True");
	printf("Interpreter, %u threads, %s (median of %d launches):\n", threads, neso_context_info(context, "simd"), LAUNCHES);
	snprintf(path, sizeof path, "%s/bench/kernels.py", root);
	need(neso_module_load_file(context, path, &module, &diagnostics), diagnostics);
	need(neso_module_find(module, "add", &add, &diagnostics), diagnostics);
	need(neso_module_find(module, "matmul", &product, &diagnostics), diagnostics);
	vector_add(add, 131072, threads);
	vector_add(add, (size_t)1 << 24, threads);
	matmul(product, 512, threads);
	neso_module_free(module);
	neso_context_free(context);
	return 0;
}
