/* The function that neso aot wrote chooses the variant that a launch of the library would: for all mixes of aligned
 * pointers, integers that are 1, divisible, wide, and constants. The library says which cubin it would run; the driver
 * that is not there says which one was loaded. */
#include <dlfcn.h>
#include <neso/neso.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"
#include "kernels.h"

static neso_kernel *kernel;
static FakeCuda *fake;
static unsigned calls;

static void fail(const char *text)
{
	fprintf(stderr, "%s\n", text);
	exit(1);
}

static void compare(uintptr_t x, uintptr_t out, int64_t n, int64_t block)
{
	neso_arg args[] = {
		neso_arg_buffer("x_ptr", NESO_FP32, (void *)x, 0, NESO_READ),
		neso_arg_buffer("out_ptr", NESO_FP32, (void *)out, 0, NESO_READ_WRITE),
		neso_arg_int("n", n),
		neso_arg_float("factor", 2),
		neso_arg_int("BLOCK", block),
	};
	neso_compile_options options;
	neso_diagnostics *diagnostics;
	neso_variant *variant;
	size_t size;
	neso_compile_options_init(&options);
	options.target = "sm_90a";
	options.no_line_info = true;
	neso_launch launch = neso_launch_of(args, 5, 1, 1, 1);
	launch.options = &options;
	if (neso_kernel_compile_for(kernel, &launch, &variant, &diagnostics) != NESO_OK)
		fail(neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	int status = scale(NULL, 1, 1, 1, (void *)x, (void *)out, n, 2, block);
	if (status)
		fail(kernels_error(status));
	const void *cubin = neso_variant_binary(variant, "cubin", &size);
	if (!fake->last.image || memcmp(cubin, fake->last.image, size) != 0) {
		fprintf(stderr, "x %zx, out %zx, n %lld, BLOCK %lld: not the variant %s\n", (size_t)x, (size_t)out, (long long)n,
			(long long)block, neso_variant_key(variant));
		exit(1);
	}
	calls++;
}

int main(int argc, char **argv)
{
	static const int64_t lengths[] = {1, 0, 16, 17, 2, 4096, -16, -1, INT32_MAX, INT32_MIN, INT64_C(1) << 31, INT64_C(1) << 40, -(INT64_C(1) << 40) + 1};
	static const uintptr_t addresses[] = {256, 264, 4096, 4097};
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol = library ? dlsym(library, "fake_cuda") : NULL;
	FakeCuda *(*get)(void);
	neso_context *context;
	neso_module *module;
	if (!symbol || argc < 2)
		fail("no driver");
	memcpy(&get, &symbol, sizeof get);
	fake = get();
	fake->context_new(0);
	if (neso_context_new(NULL, &context, NULL) != NESO_OK || neso_module_load_file(context, argv[1], &module, NULL) != NESO_OK ||
	    neso_module_find(module, "scale", &kernel, NULL) != NESO_OK)
		fail("no kernel");
	for (size_t x = 0; x < 4; x++)
		for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
			for (int64_t block = 128; block <= 256; block += 128)
				compare(addresses[x], 512, lengths[n], block);
	neso_module_free(module);
	neso_context_free(context);
	printf("%u calls\n", calls);
	return 0;
}
