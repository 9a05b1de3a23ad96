/* What a launch costs: cuLaunchKernel as a program would call it, nv_launch with a function at hand, and with the
 * lookup of context and function before it, and neso_kernel_launch; an empty kernel with 0, 8, 19 and 58 arguments.
 *
 *	launch_bench [--json] [--rounds N]
 *
 * Each figure is the median of 21 rounds of 500 launches, in microseconds of the calling thread; rounds of the ways
 * alternate, so that all see the same clock. Needs a GPU; exit status 77 where there is
 * none; without libneso-codegen.so the last column is left out. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "nv/cuda.h"
#include "nv/nv.h"
#include "neso/neso.h"

enum { ROUNDS = 21, LAUNCHES = 500, MOST_ARGS = 58, MOST_ROUNDS = 1001 };

typedef struct Bench {
	Arena arena;
	DiagList diags;
	NvDriver *driver;
	NvTools *tools;
	CudaApi raw; /* entry points found here, not through src/nv */
	int rounds;
	neso_context *neso;
	int ways; /* those that can be tried */
	uint64_t values[MOST_ARGS];
	void *params[MOST_ARGS + 1];
} Bench;

typedef enum Way { RAW, NV, NV_WITH_LOOKUP, NESO, WAYS } Way;
static const char *const way_names[WAYS] = {"raw", "nv", "nv_with_lookup", "neso"};

typedef struct Subject {
	void *raw;
	NvKernel *kernel;
	NvFunction *function;
	neso_module *module;
	neso_kernel *compiled;
	neso_arg args[MOST_ARGS];
	neso_compile_options options;
	neso_launch launch;
} Subject;

static _Noreturn void give_up(Bench *b, int status)
{
	Text text;
	text_init(&text, &b->arena);
	text_str(&text, "");
	diag_render_all(&text, &b->diags);
	fprintf(stderr, "%s", text.data);
	exit(status);
}

static int by_value(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;
	return (l > r) - (l < r);
}

static double median(double *times, int n)
{
	qsort(times, (size_t)n, sizeof *times, by_value);
	return times[n / 2];
}

static void find_raw(Bench *b)
{
	void *library = dlopen(nv_driver_path(b->driver), RTLD_NOW | RTLD_LOCAL);
	void *found = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
	int (*get)(const char *, void **, int, uint64_t, int *);
	int status;
	memcpy(&get, &found, sizeof get);
	if (!found) {
		fprintf(stderr, "the driver has no cuGetProcAddress_v2\n");
		exit(1);
	}
#define CUDA(name, version, need, parameters)                                       \
	if (get(#name, &found, version, CUDA_PROC_LEGACY_STREAM, &status) == 0) \
		memcpy(&b->raw.name, &found, sizeof found);
#include "nv/cuda.def"
#undef CUDA
}

static void check(int result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", what, result);
	exit(1);
}

/* Parameters alternate between 8 and 4 bytes, as pointers and sizes do. */
static Subject make_kernel(Bench *b, int count, const NvDevice *device)
{
	Text ptx;
	char letters[MOST_ARGS + 1] = "";
	text_init(&ptx, &b->arena);
	text_printf(&ptx, ".version %u.%u\n.target %s\n.address_size 64\n.visible .entry k(", device->target->ptx / 10,
		    device->target->ptx % 10, device->target->name);
	for (int i = 0; i < count; i++) {
		text_printf(&ptx, "%s.param .u%d p%d", i ? ", " : "", i % 2 ? 32 : 64, i);
		letters[i] = i % 2 ? '4' : 'p';
	}
	text_str(&ptx, ")\n{\n\tret;\n}\n");
	NvAssemble how = {.target = device->target, .kernel = "k", .driver = b->driver};
	NvCubin cubin;
	if (!nv_assemble(b->tools, (Str){ptx.data, ptx.len}, &how, &cubin, &b->diags))
		give_up(b, 1);
	NvKernelInfo info = {.name = "k", .threads = 128, .args = letters};
	Subject s = {.kernel = nv_kernel_new(b->driver, cubin.data, cubin.len, &info)};
	s.function = nv_kernel_function(s.kernel, nv_context(b->driver, &b->diags), &b->diags);
	if (!s.function)
		give_up(b, 1);
	void *module;
	check(b->raw.cuModuleLoadData(&module, cubin.data), "cuModuleLoadData");
	check(b->raw.cuModuleGetFunction(&s.raw, module, "k"), "cuModuleGetFunction");
	nv_cubin_free(&cubin);
	return s;
}

/* The same kernel from source. False, said once, where kernels cannot be compiled. */
static bool make_neso(Bench *b, int count, Subject *s)
{
	Text text;
	NvPtr memory;
	neso_diagnostics *diagnostics = NULL;
	neso_variant *variant;
	text_init(&text, &b->arena);
	text_str(&text, "import triton\n\n@triton.jit\ndef k(");
	if (!nv_alloc(b->driver, 4096, &memory, &b->diags))
		give_up(b, 1);
	for (int i = 0; i < count; i++) {
		text_printf(&text, "%sa%d", i ? ", " : "", i);
		s->args[i] = i % 2 ? neso_arg_int(NULL, 7)
				   : neso_arg_buffer(NULL, NESO_FP32, (void *)(uintptr_t)memory, 4096, NESO_READ_WRITE);
	}
	text_str(&text, "):\n    pass\n");
	s->options = (neso_compile_options){.size = sizeof s->options, .target = "cuda"};
	s->launch = neso_launch_of(s->args, (size_t)count, 1, 1, 1);
	s->launch.options = &s->options;
	if (neso_module_load_text(b->neso, "k.py", text.data, text.len, &s->module, &diagnostics) == NESO_OK &&
	    neso_module_find(s->module, "k", &s->compiled, &diagnostics) == NESO_OK &&
	    neso_kernel_compile_for(s->compiled, &s->launch, &variant, &diagnostics) == NESO_OK)
		return true;
	fprintf(stderr, "%s", neso_diagnostics_text(diagnostics));
	return false;
}

/* Microseconds of one launch. */
static double one_round(Bench *b, const Subject *s, Way way)
{
	static const uint32_t grid[3] = {1, 1, 1};
	double began = os_now();
	bool ok = true;
	if (way == RAW) {
		for (int i = 0; i < LAUNCHES; i++)
			ok &= b->raw.cuLaunchKernel(s->raw, 1, 1, 1, 128, 1, 1, 0, NULL, b->params, NULL) == 0;
	} else if (way == NV) {
		for (int i = 0; i < LAUNCHES; i++)
			ok &= nv_launch(s->function, grid, NULL, b->params, &b->diags);
	} else if (way == NESO) {
		for (int i = 0; i < LAUNCHES; i++)
			ok &= neso_kernel_launch(s->compiled, &s->launch, NULL, NULL) == NESO_OK;
	} else {
		for (int i = 0; i < LAUNCHES; i++) {
			NvContext context = nv_context(b->driver, &b->diags);
			NvFunction *f = nv_kernel_function(s->kernel, context, &b->diags);
			ok &= f && nv_launch(f, grid, NULL, b->params, &b->diags);
		}
	}
	double time = (os_now() - began) * 1e6 / LAUNCHES;
	if (!ok || !nv_synchronize_all(b->driver, &b->diags))
		give_up(b, 1);
	return time;
}

static void measure(Bench *b, int count, const NvDevice *device, double out[WAYS])
{
	static double times[WAYS][MOST_ROUNDS];
	Subject s = make_kernel(b, count, device);
	if (b->ways > NESO && !make_neso(b, count, &s))
		b->ways = NESO;
	for (int way = 0; way < b->ways; way++)
		one_round(b, &s, (Way)way); /* warm */
	for (int r = 0; r < b->rounds; r++)
		for (int way = 0; way < b->ways; way++)
			times[way][r] = one_round(b, &s, (Way)way);
	for (int way = 0; way < b->ways; way++)
		out[way] = median(times[way], b->rounds);
	nv_kernel_free(s.kernel);
	neso_module_free(s.module);
}

/* Nanoseconds of the calls that find out which context is current. */
static void measure_context(Bench *b, bool json)
{
	enum { CALLS = 100000 };
	unsigned long long id;
	void *handle;
	double began = os_now();
	for (int i = 0; i < CALLS; i++)
		b->raw.cuCtxGetCurrent(&handle);
	double current = (os_now() - began) * 1e9 / CALLS, number = 0;
	if (b->raw.cuCtxGetId) {
		began = os_now();
		for (int i = 0; i < CALLS; i++)
			b->raw.cuCtxGetId(NULL, &id);
		number = (os_now() - began) * 1e9 / CALLS;
	}
	if (json)
		printf(", \"cuCtxGetCurrent_ns\": %.1f, \"cuCtxGetId_ns\": %.1f}\n", current, number);
	else
		printf("cuCtxGetCurrent %.1f ns, cuCtxGetId %.1f ns\n", current, number);
}

/* libneso-codegen.so lies in the build folder, one above this program. */
static void point_to_codegen(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 8);
	if (n <= 0)
		return;
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	strcat(path, "/..");
	setenv("NESO_CODEGEN_PATH", path, 0);
}

int main(int argc, char **argv)
{
	static const int counts[] = {0, 8, 19, MOST_ARGS};
	static Bench b = {.rounds = ROUNDS, .ways = WAYS};
	bool json = false;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
			b.rounds = atoi(argv[++i]);
		else
			return fprintf(stderr, "usage: launch_bench [--json] [--rounds N]\n"), 2;
	}
	b.rounds = MAX(1, MIN(b.rounds, MOST_ROUNDS));
	point_to_codegen();
	arena_init(&b.arena, 0);
	diag_init(&b.diags, &b.arena, NULL);
	b.driver = nv_driver_new(NULL);
	b.tools = nv_tools_new(NULL);
	if (neso_context_new(NULL, &b.neso, NULL) != NESO_OK)
		give_up(&b, 1);
	if (!nv_context(b.driver, &b.diags))
		give_up(&b, 77);
	const NvDevice *device = nv_context_device(b.driver, &b.diags);
	if (!device || !device->target)
		give_up(&b, 77);
	find_raw(&b);
	for (int i = 0; i < MOST_ARGS; i++)
		b.params[i] = &b.values[i];
	if (json)
		printf("{\"device\": \"%s\", \"driver\": \"%s\", \"launches\": [", device->name, nv_driver_text(b.driver));
	else
		printf("%s, %s; microseconds a launch\narguments", device->name, nv_driver_text(b.driver));
	for (int way = 0; !json && way < WAYS; way++)
		printf("  %s%s", way_names[way], way + 1 < WAYS ? "" : "\n");
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		double out[WAYS];
		measure(&b, counts[i], device, out);
		printf(json ? "%s{\"arguments\": %d" : "%s%9d", json && i ? ", " : "", counts[i]);
		for (int way = 0; way < b.ways; way++)
			json ? printf(", \"%s\": %.3f", way_names[way], out[way]) : printf("  %.3f", out[way]);
		printf(json ? "}" : "\n");
	}
	printf(json ? "]" : "");
	measure_context(&b, json);
	neso_context_free(b.neso);
	nv_tools_free(b.tools);
	nv_driver_free(b.driver);
	arena_free(&b.arena);
	return 0;
}
