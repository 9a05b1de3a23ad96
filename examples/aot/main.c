/* A C program with a kernel in it: no Python, no Neso, no CUDA toolkit. neso aot made kernels.h and kernels.c.
 *
 *	main [LENGTH]           adds two arrays on the GPU and checks the sum
 *	main --launches [N]     what a launch costs beside cuLaunchKernel itself
 *
 * The driver is loaded by name, so that the program builds where there is none. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

typedef unsigned long long Address;

static struct {
	int (*init)(unsigned flags);
	int (*retain)(void **context, int device);
	int (*set_current)(void *context);
	int (*alloc)(Address *address, size_t bytes);
	int (*copy_in)(Address to, const void *from, size_t bytes);
	int (*copy_out)(void *to, Address from, size_t bytes);
	int (*synchronize)(void);
	int (*load)(void **module, const void *image);
	int (*function)(void **function, void *module, const char *name);
	int (*launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared,
		      void *stream, void **params, void **extra);
} cuda;

static void check(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "%s: %s\n", what, kernels_error(status));
	exit(1);
}

static void open_driver(void)
{
	static const char *const names[] = {"cuInit", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuMemAlloc_v2", "cuMemcpyHtoD_v2",
					    "cuMemcpyDtoH_v2", "cuCtxSynchronize", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel"};
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *found[sizeof names / sizeof *names], *context;
	if (!library) {
		fprintf(stderr, "there is no NVIDIA driver\n");
		exit(2);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		found[i] = dlsym(library, names[i]);
	memcpy(&cuda, found, sizeof cuda);
	check(cuda.init(0), "cuInit");
	check(cuda.retain(&context, 0), "cuDevicePrimaryCtxRetain");
	check(cuda.set_current(context), "cuCtxSetCurrent");
}

static const void *device(Address address)
{
	return (const void *)(size_t)address;
}

static Address device_array(const float *from, size_t count)
{
	Address address;
	check(cuda.alloc(&address, count * sizeof *from + 16), "cuMemAlloc");
	check(cuda.copy_in(address, from, count * sizeof *from), "cuMemcpyHtoD");
	return address;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int add(int n)
{
	float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
	int wrong = 0;
	if (!x || !y)
		return 1;
	for (int i = 0; i < n; i++)
		x[i] = (float)i, y[i] = 0.5f;
	Address dx = device_array(x, (size_t)n), dy = device_array(y, (size_t)n), out = device_array(x, (size_t)n);
	check(add_kernel(NULL, (unsigned)(n + 1023) / 1024, 1, 1, device(dx), device(dy), device(out), n), "add_kernel");
	check(cuda.copy_out(y, out, (size_t)n * sizeof *y), "cuMemcpyDtoH");
	for (int i = 0; i < n; i++)
		wrong += y[i] != (float)i + 0.5f;
	printf("%d sums, %d wrong\n", n, wrong);
	free(x);
	free(y);
	return wrong != 0;
}

/* The best of ten rounds. Both launch the same code; no rounds of the two overlap. */
static int launches(int count)
{
	enum { N = 1024, ROUNDS = 10 };
	static float zeros[N];
	Address x = device_array(zeros, N), y = device_array(zeros, N), out = device_array(zeros, N);
	double best[2] = {1, 1};
	void *module, *function;
	int n = N;
	void *params[] = {&x, &y, &out, &n};
	/* The same cubin, as the build puts it beside the program. */
	FILE *file = fopen("add.cubin", "rb");
	char *cubin = calloc(1, 1 << 20);
	if (!file || !cubin || !fread(cubin, 1, 1 << 20, file)) {
		fprintf(stderr, "there is no add.cubin here\n");
		return 1;
	}
	check(cuda.load(&module, cubin), "cuModuleLoadData");
	check(cuda.function(&function, module, "add_kernel"), "cuModuleGetFunction");
	check(kernels_load(NESO_AOT_ABI), "kernels_load");
	for (int round = 0; round < 2 * ROUNDS; round++) {
		int raw = round % 2;
		check(cuda.synchronize(), "cuCtxSynchronize");
		double began = now();
		for (int i = 0; i < count; i++)
			check(raw ? cuda.launch(function, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL)
				  : add_kernel(NULL, 1, 1, 1, device(x), device(y), device(out), n),
			      "launch");
		double each = (now() - began) / count;
		best[raw] = each < best[raw] ? each : best[raw];
	}
	printf("raw %.3f us, neso aot %.3f us, difference %.3f us a launch\n", best[1] * 1e6, best[0] * 1e6, (best[0] - best[1]) * 1e6);
	fclose(file);
	free(cubin);
	return 0;
}

int main(int argc, char **argv)
{
	open_driver();
	if (argc > 1 && strcmp(argv[1], "--launches") == 0)
		return launches(argc > 2 ? atoi(argv[2]) : 500);
	return add(argc > 1 ? atoi(argv[1]) : 1000003);
}
