/* See launch_ways.h. The raw way has entry points of its own, found as any program would find them. */
#define _GNU_SOURCE /* dladdr */
#include "launch_ways.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../python/ext/dlpack.h"
#include "base/os.h"
#include "neso/neso.h"
#include "nv/cuda.h"
#include "nv/nv.h"

const char *const way_names[WAY__COUNT] = {"raw", "nv", "nv_with_lookup", "neso"};

struct Ways {
	Arena arena;
	DiagList diags;
	NvDriver *driver;
	NvTools *tools;
	const NvDevice *device;
	const char *shown;
	CudaApi raw;
	neso_context *neso;
	WaysSubject *subjects;
	uint64_t values[WAYS_MOST_ARGS];
	void *params[WAYS_MOST_ARGS + 1];
};

struct WaysSubject {
	WaysSubject *next;
	void *raw;
	NvKernel *kernel;
	NvFunction *function;
	neso_module *module;
	neso_kernel *compiled; /* NULL: cannot be compiled here */
	neso_arg args[WAYS_MOST_ARGS];
	neso_compile_options options;
	neso_launch launch;
};

static void tell(Ways *w)
{
	Text text;
	text_init(&text, &w->arena);
	text_str(&text, "");
	diag_render_all(&text, &w->diags);
	fprintf(stderr, "%s", text.data);
}

static bool check(int result, const char *what)
{
	if (result != CUDA_SUCCESS)
		fprintf(stderr, "%s: error %d\n", what, result);
	return result == CUDA_SUCCESS;
}

/* ---- opening ---- */

static bool find_raw(Ways *w)
{
	void *library = dlopen(nv_driver_path(w->driver), RTLD_NOW | RTLD_LOCAL);
	void *found = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
	int (*get)(const char *, void **, int, uint64_t, int *);
	int status;
	memcpy(&get, &found, sizeof get);
	if (!found) {
		fprintf(stderr, "the driver has no cuGetProcAddress_v2\n");
		return false;
	}
#define CUDA(name, version, need, parameters)                                       \
	if (get(#name, &found, version, CUDA_PROC_LEGACY_STREAM, &status) == 0) \
		memcpy(&w->raw.name, &found, sizeof found);
#include "nv/cuda.def"
#undef CUDA
	return true;
}

/* libneso-codegen.so lies in the build folder, one above what this is linked into. */
static void point_to_codegen(void)
{
	Dl_info info;
	if (!dladdr(way_names, &info) || !info.dli_fname)
		return;
	char *path = realpath(info.dli_fname, NULL), *slash = path ? strrchr(path, '/') : NULL;
	if (slash) {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	if (slash) {
		*slash = '\0';
		setenv("NESO_CODEGEN_PATH", path, 0);
	}
	free(path);
}

Ways *ways_open(void)
{
	Ways *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	point_to_codegen();
	arena_init(&w->arena, 0);
	diag_init(&w->diags, &w->arena, NULL);
	w->driver = nv_driver_new(NULL);
	w->tools = nv_tools_new(NULL);
	for (int i = 0; i < WAYS_MOST_ARGS; i++)
		w->params[i] = &w->values[i];
	if (neso_context_new(NULL, &w->neso, NULL) == NESO_OK && nv_context(w->driver, &w->diags))
		w->device = nv_context_device(w->driver, &w->diags);
	if (!w->device || !w->device->target || !find_raw(w)) {
		tell(w);
		ways_close(w);
		return NULL;
	}
	w->shown = arena_printf(&w->arena, "%s, %s", w->device->name, nv_driver_text(w->driver));
	return w;
}

void ways_close(Ways *w)
{
	if (!w)
		return;
	for (WaysSubject *s = w->subjects; s; s = s->next) {
		nv_kernel_free(s->kernel);
		neso_module_free(s->module);
	}
	neso_context_free(w->neso);
	nv_tools_free(w->tools);
	nv_driver_free(w->driver);
	arena_free(&w->arena);
	free(w);
}

const char *ways_device(const Ways *w)
{
	return w->shown;
}

/* ---- kernels ---- */

/* Parameters alternate between 8 and 4 bytes, as pointers and sizes do. */
static bool make_kernel(Ways *w, int count, WaysSubject *s)
{
	Text ptx;
	const TargetGpu *target = w->device->target;
	char letters[WAYS_MOST_ARGS + 1] = "";
	text_init(&ptx, &w->arena);
	text_printf(&ptx, ".version %u.%u\n.target %s\n.address_size 64\n.visible .entry k(", target->ptx / 10, target->ptx % 10,
		    target->name);
	for (int i = 0; i < count; i++) {
		text_printf(&ptx, "%s.param .u%d p%d", i ? ", " : "", i % 2 ? 32 : 64, i);
		letters[i] = i % 2 ? '4' : 'p';
	}
	text_str(&ptx, ")\n{\n\tret;\n}\n");
	NvAssemble how = {.target = target, .kernel = "k", .driver = w->driver};
	NvCubin cubin;
	if (!nv_assemble(w->tools, (Str){ptx.data, ptx.len}, &how, &cubin, &w->diags))
		return false;
	NvKernelInfo info = {.name = "k", .threads = 128, .args = letters};
	s->kernel = nv_kernel_new(w->driver, cubin.data, cubin.len, &info);
	s->function = nv_kernel_function(s->kernel, nv_context(w->driver, &w->diags), &w->diags);
	void *module;
	bool good = s->function && check(w->raw.cuModuleLoadData(&module, cubin.data), "cuModuleLoadData") &&
		    check(w->raw.cuModuleGetFunction(&s->raw, module, "k"), "cuModuleGetFunction");
	nv_cubin_free(&cubin);
	return good;
}

/* The same kernel from source. */
static bool make_neso(Ways *w, int count, WaysSubject *s)
{
	Text text;
	NvPtr memory;
	neso_diagnostics *diagnostics = NULL;
	neso_variant *variant;
	neso_kernel *kernel;
	text_init(&text, &w->arena);
	text_str(&text, "import triton\n\n@triton.jit\ndef k(");
	if (!nv_alloc(w->driver, 4096, &memory, &w->diags))
		return false;
	for (int i = 0; i < count; i++) {
		text_printf(&text, "%sa%d", i ? ", " : "", i);
		s->args[i] = i % 2 ? neso_arg_int(NULL, 7)
				   : neso_arg_buffer(NULL, NESO_FP32, (void *)(uintptr_t)memory, 4096, NESO_READ_WRITE);
	}
	text_str(&text, "):\n    pass\n");
	s->options = (neso_compile_options){.size = sizeof s->options, .target = "cuda"};
	s->launch = neso_launch_of(s->args, (size_t)count, 1, 1, 1);
	s->launch.options = &s->options;
	if (neso_module_load_text(w->neso, "k.py", text.data, text.len, &s->module, &diagnostics) == NESO_OK &&
	    neso_module_find(s->module, "k", &kernel, &diagnostics) == NESO_OK &&
	    neso_kernel_compile_for(kernel, &s->launch, &variant, &diagnostics) == NESO_OK)
		s->compiled = kernel;
	else
		fprintf(stderr, "%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	return true;
}

WaysSubject *ways_subject(Ways *w, int arguments)
{
	WaysSubject *s = ARENA_NEW(&w->arena, WaysSubject);
	s->next = w->subjects;
	w->subjects = s;
	if (arguments >= 0 && arguments <= WAYS_MOST_ARGS && make_kernel(w, arguments, s) && make_neso(w, arguments, s))
		return s;
	tell(w);
	return NULL;
}

int ways_can(const WaysSubject *s, int way)
{
	return way != WAY_NESO || s->compiled;
}

/* ---- launches ---- */

double ways_round(Ways *w, WaysSubject *s, int way, int launches)
{
	static const uint32_t grid[3] = {1, 1, 1};
	double began = os_now();
	bool ok = true;
	if (way == WAY_RAW) {
		for (int i = 0; i < launches; i++)
			ok &= w->raw.cuLaunchKernel(s->raw, 1, 1, 1, 128, 1, 1, 0, NULL, w->params, NULL) == 0;
	} else if (way == WAY_NV) {
		for (int i = 0; i < launches; i++)
			ok &= nv_launch(s->function, grid, NULL, w->params, &w->diags);
	} else if (way == WAY_NESO) {
		for (int i = 0; i < launches; i++)
			ok &= neso_kernel_launch(s->compiled, &s->launch, NULL, NULL) == NESO_OK;
	} else {
		for (int i = 0; i < launches; i++) {
			NvContext context = nv_context(w->driver, &w->diags);
			NvFunction *f = nv_kernel_function(s->kernel, context, &w->diags);
			ok &= f && nv_launch(f, grid, NULL, w->params, &w->diags);
		}
	}
	double time = (os_now() - began) * 1e6 / launches;
	if (ok && nv_synchronize_all(w->driver, &w->diags))
		return time;
	fprintf(stderr, "%s: a launch failed\n", way_names[way]);
	tell(w);
	return -1;
}

double ways_first(Ways *w, const void *cubin, const char *kernel, int threads, double *loading)
{
	void *module, *function;
	double began = os_now();
	bool ok = check(w->raw.cuModuleLoadData(&module, cubin), "cuModuleLoadData");
	*loading = (os_now() - began) * 1e6;
	ok = ok && check(w->raw.cuModuleGetFunction(&function, module, kernel), "cuModuleGetFunction") &&
	     check(w->raw.cuLaunchKernel(function, 1, 1, 1, (unsigned)threads, 1, 1, 0, NULL, w->params, NULL), "cuLaunchKernel") &&
	     check(w->raw.cuCtxSynchronize(), "cuCtxSynchronize");
	return ok ? (os_now() - began) * 1e6 : -1;
}

void ways_context(const Ways *w, double *current, double *id)
{
	enum { CALLS = 100000 };
	unsigned long long number;
	void *handle;
	double began = os_now();
	for (int i = 0; i < CALLS; i++)
		w->raw.cuCtxGetCurrent(&handle);
	*current = (os_now() - began) * 1e9 / CALLS;
	*id = 0;
	if (!w->raw.cuCtxGetId)
		return;
	began = os_now();
	for (int i = 0; i < CALLS; i++)
		w->raw.cuCtxGetId(NULL, &number);
	*id = (os_now() - began) * 1e9 / CALLS;
}

/* ---- stand-ins for tensors ---- */

static int stand_in(void *object, DlTensor *out)
{
	static int64_t shape = 4096, stride = 1;
	(void)object;
	*out = (DlTensor){.data = (void *)0x10000000, .device = {DL_CUDA, 0}, .ndim = 1, .dtype = {DL_FLOAT, 64, 1}, .shape = &shape,
			  .strides = &stride};
	return 0;
}

static int no_stream(int32_t type, int32_t device, void **out)
{
	(void)type;
	(void)device;
	*out = NULL;
	return 0;
}

const void *ways_exchange_table(void)
{
	static const Exchange table = {.major = 1, .minor = 3, .tensor = stand_in, .stream = no_stream};
	return &table;
}
