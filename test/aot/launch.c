/* Launches what neso aot wrote, through a driver that is not there: every parameter that arrives is looked at.
 * Built with the generated files alone; fake.h is the driver's own. */
#include "kernels.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static FakeCuda *fake;

#define SEE(condition)                                                                  \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

#define WORKS(call)                                                                          \
	do {                                                                                 \
		int status_ = (call);                                                        \
		if (status_) {                                                               \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, kernels_error(status_)); \
			exit(1);                                                             \
		}                                                                            \
	} while (0)

static const void *device(uintptr_t address)
{
	return (const void *)address;
}

/* Sizes of the arguments are set before the launch, as the driver cannot know them. */
static void sizes(int count, const unsigned char *bytes)
{
	memset(fake->arg_bytes, 0, sizeof fake->arg_bytes);
	memset(fake->last.args, 0, sizeof fake->last.args);
	if (count)
		memcpy(fake->arg_bytes, bytes, (size_t)count);
	fake->arg_count = count;
}

static void expect(unsigned count, ...)
{
	va_list list;
	va_start(list, count);
	for (unsigned i = 0; i < count; i++) {
		uint64_t wanted = va_arg(list, uint64_t);
		if (fake->last.args[i] != wanted) {
			fprintf(stderr, "argument %u is %llx, not %llx\n", i, (unsigned long long)fake->last.args[i], (unsigned long long)wanted);
			exit(1);
		}
	}
	va_end(list);
}

static uint64_t float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t double_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static void test_errors(void)
{
	SEE(kernels_load(NESO_AOT_ABI + 1) == NESO_AOT_OTHER_ABI);
	SEE(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 128) == NESO_AOT_NO_CONTEXT);
	SEE(strstr(kernels_error(NESO_AOT_NO_CONTEXT), "context"));
	SEE(strcmp(kernels_error(-1234), "an unknown status") == 0);
	SEE(strcmp(kernels_error(1), "as injected") == 0);
	fake->context_new(0);
	SEE(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 64) == NESO_AOT_NO_VARIANT);
	SEE(fake->loads == 0);
	fake->major = 7;
	fake->context_new(0);
	SEE(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 128) == NESO_AOT_NO_IMAGE);
	fake->major = 9;
}

/* An error of the driver comes back as its number, and the next launch loads. */
static void test_driver_errors(void)
{
	fake->context_new(0);
	int loads = fake->loads;
	fake->fail_call = "cuModuleLoadData";
	fake->fail_result = 2;
	SEE(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 128) == 2);
	SEE(fake->loads == loads);
	WORKS(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 128));
	SEE(fake->loads == loads + 1);
	fake->fail_call = "cuLaunchKernel";
	fake->fail_result = 701;
	SEE(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 128) == 701);
	/* What cannot load the cubin may load the PTX. */
	fake->context_new(0);
	fake->fail_call = "cuModuleLoadData";
	fake->fail_result = 209;
	WORKS(scale(NULL, 1, 1, 1, device(16), device(16), 16, 1, 128));
	SEE(memcmp(fake->last.image, "//", 2) == 0);
}

static void test_scalars(void)
{
	static const unsigned char bytes[] = {8, 8, 4, 4};
	int launches = fake->launches;
	sizes(4, bytes);
	WORKS(scale((void *)0x55, 3, 2, 1, device(0x1230), device(0x4560), 77, 2.5f, 128));
	expect(4, UINT64_C(0x1230), UINT64_C(0x4560), UINT64_C(77), float_bits(2.5f));
	SEE(fake->last.grid[0] == 3 && fake->last.grid[1] == 2 && fake->last.grid[2] == 1 && fake->last.block[0] == 128);
	SEE(fake->last.stream == (void *)0x55 && fake->launches == launches + 1);
	/* An i64: a variant of its own. */
	static const unsigned char wide[] = {8, 8, 8, 4};
	sizes(4, wide);
	WORKS(scale(NULL, 1, 1, 1, device(0x1230), device(0x4560), INT64_C(0x123456789), 2.5f, 128));
	expect(4, UINT64_C(0x1230), UINT64_C(0x4560), UINT64_C(0x123456789), float_bits(2.5f));
	/* 1 is compiled in. */
	static const unsigned char one[] = {8, 8, 4};
	sizes(3, one);
	WORKS(scale(NULL, 1, 1, 1, device(0x1230), device(0x4560), 1, -1.5f, 128));
	expect(3, UINT64_C(0x1230), UINT64_C(0x4560), float_bits(-1.5f));
	launches = fake->launches;
	WORKS(scale(NULL, 1, 0, 1, device(0x1230), device(0x4560), 1, -1.5f, 128));
	SEE(fake->launches == launches);
}

static void test_kinds(void)
{
	static const unsigned char bytes[] = {8, 1, 1, 2, 4, 8, 2, 8, 4};
	sizes(9, bytes);
	WORKS(kinds(NULL, 1, 1, 1, device(0x100), true, -2, 40000, 4000000000u, -5, 0x3c00, 1.25, 2.5f, false));
	expect(9, UINT64_C(0x100), UINT64_C(1), UINT64_C(0xfe), UINT64_C(40000), UINT64_C(4000000000), (uint64_t)INT64_C(-5), UINT64_C(0x3c00),
	       double_bits(1.25), float_bits(2.5f));
	const void *before = fake->last.image;
	WORKS(kinds(NULL, 1, 1, 1, device(0x100), true, -2, 40000, 4000000000u, -5, 0x3c00, 1.25, 2.5f, true));
	SEE(fake->last.image != before);
	sizes(0, bytes);
	WORKS(nothing(NULL, 1, 1, 1));
}

/* Contexts, unloading, loading ahead. */
static void test_contexts(void)
{
	void *first = fake->context_new(0);
	int loads = fake->loads, unloads = fake->unloads;
	static const unsigned char bytes[] = {8, 8, 4, 4};
	sizes(4, bytes);
	WORKS(scale(NULL, 1, 1, 1, device(16), device(16), 77, 1, 128));
	WORKS(scale(NULL, 1, 1, 1, device(32), device(48), 79, 1, 128));
	SEE(fake->loads == loads + 1 && fake->last.context == first);
	void *second = fake->context_new(0);
	WORKS(scale(NULL, 1, 1, 1, device(16), device(16), 77, 1, 128));
	SEE(fake->loads == loads + 2 && fake->last.context == second);
	WORKS(kernels_unload());
	SEE(fake->unloads == unloads + 1);
	WORKS(scale(NULL, 1, 1, 1, device(16), device(16), 77, 1, 128));
	SEE(fake->loads == loads + 3);
	fake->context_destroy(second);
	fake->context_new(0);
	loads = fake->loads;
	WORKS(kernels_load(NESO_AOT_ABI));
	int all = fake->loads - loads;
	SEE(all > 8);
	WORKS(kernels_load(NESO_AOT_ABI));
	WORKS(scale(NULL, 1, 1, 1, device(16), device(16), 77, 1, 128));
	SEE(fake->loads == loads + all);
	WORKS(kernels_unload());
	SEE(fake->unloads == unloads + 1 + all);
}

/* A descriptor of the host's, and one that the kernel makes of its arguments: both are tensor maps. */
static void test_maps(void)
{
	static const unsigned char bytes[] = {0, 0, 0, 0, 0, 0};
	neso_aot_tensor from = {device(0x10000), {100, 64}, {64, 1}, false}, to = {device(0x20000), {100, 64}, {64, 1}, false};
	fake->context_new(0);
	sizes(0, bytes);
	int encoded = fake->encoded;
	fake->map_at = MAP_OF_COPY;
	WORKS(copy(NULL, 7, 1, 1, &from, &to, 100));
	SEE(fake->encoded == encoded + 2);
	/* dims 64 and 100 of fp16, swizzled by 128 bytes; 128 bytes from row to row; boxes of 64 by 16 */
	SEE(fake->last_map[0] == 0x10000 && (fake->last_map[1] & 0xffff) == (6 | 2 << 8));
	SEE(fake->last_map[2] == 64 && fake->last_map[3] == 100 && fake->last_map[8] == 128);
	SEE(fake->last_map[12] == (64 << 9 | 16));
	WORKS(copy(NULL, 7, 1, 1, &from, &to, 100)); /* remembered */
	SEE(fake->encoded == encoded + 2);
	from.shape[0] = 99;
	WORKS(copy(NULL, 7, 1, 1, &from, &to, 100));
	SEE(fake->encoded == encoded + 3 && fake->last_map[3] == 99);
	/* No map has such a row: the variant with pointers is loaded, and its arguments are the descriptor's parts. */
	static const unsigned char parts[] = {8, 8, 8, 8, 8, 1, 4, 4, 8, 8, 8};
	int loads = fake->loads;
	fake->map_at = 0;
	from.strides[0] = 65;
	sizes(11, parts);
	WORKS(copy(NULL, 7, 1, 1, &from, &to, 100));
	SEE(fake->loads == loads + 1);
	expect(11, UINT64_C(0x10000), UINT64_C(99), UINT64_C(64), UINT64_C(65), UINT64_C(1), UINT64_C(0), UINT64_C(99), UINT64_C(64), UINT64_C(65),
	       UINT64_C(1), UINT64_C(0x20000));
	sizes(0, bytes);
	encoded = fake->encoded;
	fake->map_at = MAP_OF_COPY_MADE;
	WORKS(copy_made(NULL, 7, 1, 1, device(0x30000), device(0x40000), 50, 80));
	SEE(fake->encoded == encoded + 2 && fake->last_map[0] == 0x30000 && fake->last_map[3] == 50 && fake->last_map[8] == 160);
	fake->map_at = 0;
}

static void test_cluster(void)
{
	static const unsigned char bytes[] = {8, 8, 8, 4};
	fake->context_new(0);
	sizes(1, bytes);
	WORKS(clustered(NULL, 5, 2, 1, device(16)));
	SEE(fake->last.grid[0] == 10 && fake->last.grid[1] == 2 && fake->last.cluster == 2 && fake->last.block[0] == 256);
}

/* Constexprs that the policy generic makes arguments. */
static void test_numbers(void)
{
	static const unsigned char bytes[] = {8, 8, 4, 4};
	fake->context_new(0);
	sizes(4, bytes);
	WORKS(sized(NULL, 1, 1, 1, device(16), device(32), 77, 0.5));
	expect(4, UINT64_C(16), UINT64_C(32), UINT64_C(77), float_bits(0.5f));
}

/* ---- threads ---- */

static void *launch_often(void *context)
{
	(void)context;
	for (int i = 0; i < 2000; i++)
		if (scale(NULL, 1, 1, 1, device((uintptr_t)(16 + i % 2)), device(16), i, 1, 128))
			return (void *)1;
	return NULL;
}

static int set_current(void *context);

static void *launch_in(void *context)
{
	return set_current(context) ? (void *)1 : launch_often(context);
}

static int set_current(void *context)
{
	int (*get)(const char *, void **, int, uint64_t, int *);
	void *symbol = dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2"), *found = NULL;
	int (*set)(void *), status;
	memcpy(&get, &symbol, sizeof get);
	if (get("cuCtxSetCurrent", &found, 12000, 1, &status))
		return 1;
	memcpy(&set, &found, sizeof set);
	return set(context);
}

static void test_threads(void)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	void *contexts[2] = {fake->context_new(0), fake->context_new(1)};
	int loads = fake->loads, launches = fake->launches;
	sizes(0, NULL);
	for (int i = 0; i < THREADS; i++)
		SEE(pthread_create(&threads[i], NULL, launch_in, contexts[i % 2]) == 0);
	for (int i = 0; i < THREADS; i++) {
		void *result;
		pthread_join(threads[i], &result);
		SEE(!result);
	}
	SEE(fake->launches == launches + THREADS * 2000);
	SEE(fake->loads == loads + 2 * 4); /* in each context once: aligned, divisible by 16 or not; unaligned, 1 or not */
}

/* ---- who gives what ---- */

static int asked;

static void *symbol_of(void *data, const char *name)
{
	asked++;
	return dlsym(data, name);
}

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	void *symbol = library ? dlsym(library, "fake_cuda") : NULL;
	FakeCuda *(*get)(void);
	SEE(symbol);
	memcpy(&get, &symbol, sizeof get);
	fake = get();
	if (argc > 1)
		SEE(kernels_set_driver(symbol_of, library) == NESO_AOT_OK);
	test_errors();
	test_driver_errors();
	test_scalars();
	test_kinds();
	test_contexts();
	test_maps();
	test_cluster();
	test_numbers();
	test_threads();
	SEE((asked > 0) == (argc > 1));
	SEE(kernels_set_driver(symbol_of, library) == NESO_AOT_TOO_LATE);
	puts("launched");
	return 0;
}
