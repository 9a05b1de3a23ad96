/* A fake libcuda.so.1: enough of the driver to test what is built on it without a GPU. Device memory is host memory.
 * */
#include "fake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nv/cuda.h"

enum { MAX_CONTEXTS = 64, MAX_MODULES = 256, MAX_BLOCKS = 256, MAX_DEVICES = 8 };

typedef struct Context {
	bool alive;
	int device;
	int fault;
	unsigned long long id;
} Context;

typedef struct Module {
	Context *context;
	bool alive;
	const void *image;
	atomic_bool in_graph; /* a graph that lives on launches it */
} Module;

typedef struct Block {
	char *at;
	size_t size;
} Block;

static FakeCuda fake;
static Context contexts[MAX_CONTEXTS];
static int context_count;
static Module modules[MAX_MODULES];
static Context *primary[MAX_DEVICES];
static Block blocks[MAX_BLOCKS];
static pid_t owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local Context *stack[16];
static _Thread_local int depth;

static Context *current(void)
{
	return depth ? stack[depth - 1] : NULL;
}

/* Notes the call; what it is to fail with. */
static int enter(const char *name)
{
	int result = CUDA_SUCCESS;
	if (fake.quiet)
		return result;
	pthread_mutex_lock(&lock);
	size_t len = strlen(fake.calls);
	if (len + strlen(name) + 2 < sizeof fake.calls) {
		strcat(fake.calls, name);
		strcat(fake.calls, " ");
	}
	if (owner && owner != getpid() && !fake.allow_fork)
		result = CUDA_NOT_INITIALIZED;
	else if (fake.fail_call && strcmp(fake.fail_call, name) == 0 && fake.fail_skip-- <= 0) {
		result = fake.fail_result;
		if (!fake.fail_always)
			fake.fail_call = NULL;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

#define ENTER(name)                        \
	do {                               \
		int result_ = enter(name); \
		if (result_)               \
			return result_;    \
	} while (0)

/* Calls that need a context, and meet what its kernels did. */
#define ENTER_CONTEXT(name)                           \
	do {                                          \
		ENTER(name);                          \
		if (!current())                       \
			return CUDA_INVALID_CONTEXT;  \
		if (!current()->alive)                \
			return CUDA_CONTEXT_IS_DESTROYED; \
		if (current()->fault)                 \
			return current()->fault;      \
	} while (0)

/* ---- start, devices ---- */

static int fake_cuInit(unsigned flags)
{
	(void)flags;
	ENTER("cuInit");
	owner = getpid();
	fake.inits++;
	return fake.devices ? CUDA_SUCCESS : CUDA_NO_DEVICE;
}

static int fake_cuDriverGetVersion(int *version)
{
	*version = fake.version;
	return CUDA_SUCCESS;
}

static int fake_cuGetErrorName(int result, const char **name)
{
	switch (result) {
#define CUDA_RESULT(n, number, kind) \
	case number: *name = "CUDA_ERROR_" #n; return CUDA_SUCCESS;
#include "nv/cuda_result.def"
#undef CUDA_RESULT
	}
	*name = NULL;
	return CUDA_INVALID_VALUE;
}

static int fake_cuGetErrorString(int result, const char **text)
{
	*text = result == CUDA_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "as injected";
	return result == 12345 ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}

static int fake_cuDeviceGetCount(int *count)
{
	ENTER("cuDeviceGetCount");
	*count = fake.devices;
	return CUDA_SUCCESS;
}

static int fake_cuDeviceGet(int *device, int ordinal)
{
	ENTER("cuDeviceGet");
	*device = ordinal + 100; /* a handle, and no ordinal */
	return CUDA_SUCCESS;
}

static int fake_cuDeviceGetName(char *name, int len, int device)
{
	snprintf(name, (size_t)len, "Fake GPU %d", device - 100);
	return CUDA_SUCCESS;
}

static int fake_cuDeviceTotalMem(size_t *bytes, int device)
{
	(void)device;
	*bytes = fake.capacity;
	return CUDA_SUCCESS;
}

static int fake_cuDeviceGetAttribute(int *value, int attribute, int device)
{
	const bool second = device == 101 && fake.second_major;
	switch (attribute) {
	case CUDA_DEVICE_MAX_GRID_X: *value = 2147483647; break;
	case CUDA_DEVICE_MAX_GRID_X + 1:
	case CUDA_DEVICE_MAX_GRID_X + 2: *value = 65535; break;
	case CUDA_DEVICE_CLOCK:
		ENTER("cuDeviceGetAttribute:clock");
		*value = 1980000;
		break;
	case CUDA_DEVICE_SMS: *value = fake.sms; break;
	case CUDA_DEVICE_MEMORY_CLOCK: *value = 3201000; break;
	case CUDA_DEVICE_BUS: *value = 6144; break;
	case CUDA_DEVICE_L2: *value = 60 << 20; break;
	case CUDA_DEVICE_MAJOR: *value = second ? fake.second_major : fake.major; break;
	case CUDA_DEVICE_MINOR: *value = second ? fake.second_minor : fake.minor; break;
	case CUDA_DEVICE_SHARED_OPTIN: *value = fake.shared_optin; break;
	default: return CUDA_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

/* ---- contexts ---- */

static Context *new_context(int device)
{
	Context *context = &contexts[context_count];
	*context = (Context){.alive = true, .device = device, .id = (unsigned long long)context_count};
	context_count++;
	return context;
}

static int fake_cuDevicePrimaryCtxRetain(void **context, int device)
{
	ENTER("cuDevicePrimaryCtxRetain");
	pthread_mutex_lock(&lock);
	if (!primary[device - 100])
		primary[device - 100] = new_context(device);
	fake.contexts_retained++;
	*context = primary[device - 100];
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

static int fake_cuDevicePrimaryCtxRelease(int device)
{
	(void)device;
	ENTER("cuDevicePrimaryCtxRelease");
	fake.contexts_retained--;
	return CUDA_SUCCESS;
}

static int fake_cuCtxGetCurrent(void **context)
{
	*context = current();
	return CUDA_SUCCESS;
}

static int fake_cuCtxSetCurrent(void *context)
{
	ENTER("cuCtxSetCurrent");
	if (!depth)
		depth = 1;
	stack[depth - 1] = context;
	return CUDA_SUCCESS;
}

static int fake_cuCtxPushCurrent(void *context)
{
	ENTER("cuCtxPushCurrent");
	fake.pushes++;
	stack[depth++] = context;
	return CUDA_SUCCESS;
}

static int fake_cuCtxPopCurrent(void **context)
{
	ENTER("cuCtxPopCurrent");
	*context = depth ? stack[--depth] : NULL;
	return CUDA_SUCCESS;
}

static int fake_cuCtxGetDevice(int *device)
{
	if (!current())
		return CUDA_INVALID_CONTEXT;
	*device = current()->device;
	return CUDA_SUCCESS;
}

static int fake_cuCtxGetId(void *context, unsigned long long *id)
{
	const Context *c = context ? context : current();
	if (!c)
		return CUDA_INVALID_CONTEXT;
	if (!c->alive)
		return CUDA_CONTEXT_IS_DESTROYED;
	if (c->fault)
		return c->fault; /* as drivers do: a context that a kernel's fault ended tells nothing */
	*id = c->id;
	return CUDA_SUCCESS;
}

/* Threads whose calls may disturb what another one captures: those in another mode than this. */
static _Thread_local int capture_mode;

static int captures_somewhere(void)
{
	return fake.capturing || fake.capturing_stream;
}

/* A call that may disturb captures; what the driver says of waiting for a context in any mode. */
static int disturb(int mode)
{
	const bool spoils = captures_somewhere() && mode != CUDA_CAPTURE_RELAXED;
	fake.spoiled += spoils;
	return spoils ? 900 /* CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED */ : CUDA_SUCCESS;
}

static int fake_cuCtxSynchronize(void)
{
	ENTER_CONTEXT("cuCtxSynchronize");
	return disturb(-1);
}

static void *host_context_new(int device)
{
	pthread_mutex_lock(&lock);
	Context *context = new_context(device + 100);
	pthread_mutex_unlock(&lock);
	stack[depth++] = context;
	return context;
}

static void host_context_destroy(void *context)
{
	((Context *)context)->alive = false;
	if (current() == context)
		depth--;
}

static void host_kernel_fault(int result)
{
	current()->fault = result;
}

/* ---- modules, launches ---- */

static int fake_cuModuleLoadData(void **module, const void *image)
{
	ENTER_CONTEXT("cuModuleLoadData");
	if (disturb(capture_mode))
		return 900;
	pthread_mutex_lock(&lock);
	unsigned at = (unsigned)fake.loads++ % MAX_MODULES; /* handles come back late */
	for (int i = 0; i < MAX_MODULES && modules[at].alive; i++)
		at = (at + 1) % MAX_MODULES;
	Module *m = &modules[at];
	*m = (Module){.context = current(), .alive = true, .image = image};
	pthread_mutex_unlock(&lock);
	*module = m;
	return CUDA_SUCCESS;
}

static int fake_cuModuleUnload(void *module)
{
	Module *m = module;
	ENTER("cuModuleUnload");
	if (!m->alive || m->context != current() || !m->context->alive ||
	    (fake.capturing_stream && m->in_graph))
		abort(); /* what a driver would not survive either */
	fake.unloads++;
	m->alive = false;
	return CUDA_SUCCESS;
}

static int fake_cuModuleGetFunction(void **function, void *module, const char *name)
{
	ENTER_CONTEXT("cuModuleGetFunction");
	if (strcmp(name, "other") == 0)
		return CUDA_NOT_FOUND;
	*function = module;
	return CUDA_SUCCESS;
}

static int fake_cuFuncGetAttribute(int *value, int attribute, void *function)
{
	(void)function;
	switch (attribute) {
	case CUDA_FUNCTION_MAX_THREADS: *value = fake.max_threads; break;
	case CUDA_FUNCTION_SHARED: *value = fake.static_shared; break;
	case CUDA_FUNCTION_LOCAL: *value = fake.local; break;
	case CUDA_FUNCTION_REGISTERS: *value = fake.registers; break;
	default: return CUDA_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static int fake_cuFuncSetAttribute(void *function, int attribute, int value)
{
	(void)function, (void)value;
	ENTER_CONTEXT(attribute == CUDA_FUNCTION_ANY_CLUSTER ? "cuFuncSetAttribute:cluster" : "cuFuncSetAttribute");
	return CUDA_SUCCESS;
}

static int fake_cuFuncSetCacheConfig(void *function, int config)
{
	(void)function, (void)config;
	ENTER_CONTEXT("cuFuncSetCacheConfig");
	return CUDA_SUCCESS;
}

static int fake_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *function, int threads, size_t shared)
{
	(void)function, (void)threads, (void)shared;
	ENTER_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");
	*count = fake.blocks_per_sm;
	return CUDA_SUCCESS;
}

static void note_launch(const FakeLaunch *launch)
{
	pthread_mutex_lock(&lock);
	fake.last = *launch;
	fake.last.image = ((const Module *)launch->function)->image;
	for (int i = 0; i < fake.arg_count && i < FAKE_ARGS; i++)
		memcpy(&fake.last.args[i], launch->params[i], fake.arg_bytes[i] ? fake.arg_bytes[i] : sizeof fake.last.args[i]);
	if (fake.map_at)
		memcpy(fake.last_map, launch->params[fake.map_at], sizeof fake.last_map);
	fake.last.context = current();
	fake.launches++;
	fake.clock += fake.cost ? (double)fake.cost(fake.last.image) : 0;
	pthread_mutex_unlock(&lock);
}

static int check_launch(const FakeLaunch *launch)
{
	const Module *m = launch->function;
	if (!m->alive || m->context != current())
		return CUDA_INVALID_HANDLE;
	return launch->grid[0] && launch->grid[1] && launch->grid[2] && launch->grid[1] <= 65535 ? CUDA_SUCCESS
												 : CUDA_INVALID_VALUE;
}

/* The map: what it was told, so that tests can look; 16 words. */
static int fake_cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
				       const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill)
{
	ENTER("cuTensorMapEncodeTiled");
	uint64_t *words = map;
	if ((uintptr_t)map % 64 || (uintptr_t)address % 16 || !rank || rank > 5 || interleave || steps[0] != 1)
		return CUDA_INVALID_VALUE;
	memset(words, 0, 128);
	words[0] = (uint64_t)(uintptr_t)address;
	words[1] = (uint64_t)type | (uint64_t)rank << 8 | (uint64_t)swizzle << 16 | (uint64_t)promotion << 24 | (uint64_t)fill << 32;
	for (unsigned d = 0; d < rank; d++) {
		words[2 + d] = dims[d];
		words[7 + d] = d ? strides[d - 1] : 0;
		words[12] = words[12] << 9 | box[d];
	}
	fake.encoded++;
	return CUDA_SUCCESS;
}

static bool captures(const void *stream)
{
	return fake.capturing_stream && stream == fake.capturing_stream;
}

static int fake_cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
			       unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
	(void)extra;
	ENTER_CONTEXT("cuLaunchKernel");
	if (captures(stream))
		((Module *)function)->in_graph = true;
	if (fake.quiet)
		return CUDA_SUCCESS;
	FakeLaunch launch = {.grid = {gx, gy, gz},
			     .block = {bx, by, bz},
			     .shared = shared,
			     .stream = stream,
			     .function = function,
			     .params = params};
	int result = check_launch(&launch);
	if (result == CUDA_SUCCESS)
		note_launch(&launch);
	return result;
}

static int fake_cuLaunchKernelEx(const CudaLaunchConfig *config, void *function, void **params, void **extra)
{
	(void)extra;
	ENTER_CONTEXT("cuLaunchKernelEx");
	FakeLaunch launch = {.shared = config->shared,
			     .stream = config->stream,
			     .function = function,
			     .params = params,
			     .attributes = config->attribute_count};
	memcpy(launch.grid, config->grid, sizeof launch.grid);
	memcpy(launch.block, config->block, sizeof launch.block);
	for (unsigned i = 0; i < config->attribute_count; i++) {
		const CudaLaunchAttribute *a = &config->attributes[i];
		if (a->id == CUDA_LAUNCH_CLUSTER)
			launch.cluster = a->value.cluster.x;
		else if (a->id == CUDA_LAUNCH_COOPERATIVE)
			launch.cooperative = (unsigned)a->value.number;
		else if (a->id == CUDA_LAUNCH_DEPENDENT)
			launch.dependent = (unsigned)a->value.number;
		else
			return CUDA_INVALID_VALUE;
	}
	int result = check_launch(&launch);
	if (result == CUDA_SUCCESS)
		note_launch(&launch);
	return result;
}

/* ---- the compiler ---- */

static char *info_log, *error_log;

static int fake_cuLinkCreate(unsigned count, int *options, void **values, void **state)
{
	ENTER_CONTEXT("cuLinkCreate");
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CUDA_JIT_INFO_LOG)
			info_log = values[i];
		if (options[i] == CUDA_JIT_ERROR_LOG)
			error_log = values[i];
		if (options[i] == CUDA_JIT_TARGET)
			fake.jit_options = (int)(intptr_t)values[i];
	}
	fake.link_states++;
	*state = &fake;
	return CUDA_SUCCESS;
}

static int fake_cuLinkAddData(void *state, int type, void *data, size_t size, const char *name, unsigned count,
			      int *options, void **values)
{
	(void)state, (void)name, (void)count, (void)options, (void)values;
	if (fake.jit_info)
		strcpy(info_log, fake.jit_info);
	if (fake.jit_error)
		strcpy(error_log, fake.jit_error);
	ENTER_CONTEXT("cuLinkAddData");
	return type == CUDA_JIT_INPUT_PTX && size && !((char *)data)[size - 1] ? CUDA_SUCCESS : CUDA_INVALID_PTX;
}

static int fake_cuLinkComplete(void *state, void **cubin, size_t *size)
{
	(void)state;
	ENTER_CONTEXT("cuLinkComplete");
	static char image[] = "\177ELF of the fake driver";
	*cubin = image;
	*size = sizeof image;
	return CUDA_SUCCESS;
}

static int fake_cuLinkDestroy(void *state)
{
	(void)state;
	fake.link_states--;
	return CUDA_SUCCESS;
}

/* ---- memory ---- */

static int allocate(uint64_t *ptr, size_t bytes)
{
	pthread_mutex_lock(&lock);
	int result = CUDA_OUT_OF_MEMORY;
	for (int i = 0; i < MAX_BLOCKS && bytes && fake.bytes + bytes <= fake.capacity; i++) {
		if (blocks[i].at)
			continue;
		blocks[i] = (Block){aligned_alloc(256, (bytes + 255) & ~(size_t)255), bytes};
		fake.bytes += bytes;
		fake.allocations++;
		*ptr = (uint64_t)(uintptr_t)blocks[i].at;
		result = CUDA_SUCCESS;
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

static int release(uint64_t ptr)
{
	pthread_mutex_lock(&lock);
	int result = CUDA_INVALID_VALUE;
	for (int i = 0; i < MAX_BLOCKS; i++) {
		if ((uint64_t)(uintptr_t)blocks[i].at != ptr)
			continue;
		fake.bytes -= blocks[i].size;
		fake.frees++;
		free(blocks[i].at);
		blocks[i].at = NULL;
		result = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

static int fake_cuMemAlloc(uint64_t *ptr, size_t bytes)
{
	ENTER_CONTEXT("cuMemAlloc");
	return allocate(ptr, bytes);
}

static int fake_cuMemFree(uint64_t ptr)
{
	ENTER_CONTEXT("cuMemFree");
	return release(ptr);
}

static int fake_cuMemGetInfo(size_t *available, size_t *total)
{
	pthread_mutex_lock(&lock);
	*available = fake.capacity - fake.bytes;
	*total = fake.capacity;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

static int fake_cuMemAllocAsync(uint64_t *ptr, size_t bytes, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuMemAllocAsync");
	return fake.pools ? allocate(ptr, bytes) : 801;
}

static int fake_cuMemFreeAsync(uint64_t ptr, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuMemFreeAsync");
	return release(ptr);
}

static int fake_cuMemcpyHtoDAsync(uint64_t to, const void *from, size_t bytes, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuMemcpyHtoDAsync");
	memcpy((void *)(uintptr_t)to, from, bytes);
	return CUDA_SUCCESS;
}

static int fake_cuMemcpyDtoHAsync(void *to, uint64_t from, size_t bytes, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuMemcpyDtoHAsync");
	memcpy(to, (void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

static int fake_cuMemcpyDtoDAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuMemcpyDtoDAsync");
	memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

static int fake_cuMemsetD8Async(uint64_t to, unsigned char byte, size_t count, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuMemsetD8Async");
	memset((void *)(uintptr_t)to, byte, count);
	return CUDA_SUCCESS;
}

static int fake_cuPointerGetAttribute(void *value, int attribute, uint64_t ptr)
{
	Block found = {0}; /* other threads may change the table */
	pthread_mutex_lock(&lock);
	for (int i = 0; i < MAX_BLOCKS; i++)
		if (blocks[i].at && ptr >= (uint64_t)(uintptr_t)blocks[i].at &&
		    ptr < (uint64_t)(uintptr_t)blocks[i].at + blocks[i].size)
			found = blocks[i];
	pthread_mutex_unlock(&lock);
	if (!found.at)
		return CUDA_INVALID_VALUE;
	switch (attribute) {
	case CUDA_POINTER_MEMORY_TYPE: *(unsigned *)value = CUDA_MEMORY_DEVICE; break;
	case CUDA_POINTER_MANAGED: *(unsigned *)value = 0; break;
	case CUDA_POINTER_ORDINAL: *(int *)value = 0; break;
	case CUDA_POINTER_START: *(uint64_t *)value = (uint64_t)(uintptr_t)found.at; break;
	case CUDA_POINTER_SIZE: *(size_t *)value = found.size; break;
	default: return CUDA_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

/* ---- streams and events ---- */

static int fake_cuStreamSynchronize(void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuStreamSynchronize");
	return CUDA_SUCCESS;
}

static int fake_cuStreamGetId(void *stream, unsigned long long *id)
{
	*id = (unsigned long long)(uintptr_t)stream + fake.stream_ids;
	return CUDA_SUCCESS;
}

static int fake_cuStreamIsCapturing(void *stream, int *status)
{
	*status = fake.capturing || captures(stream);
	return CUDA_SUCCESS;
}

static int fake_cuThreadExchangeStreamCaptureMode(int *mode)
{
	int before = capture_mode;
	ENTER("cuThreadExchangeStreamCaptureMode");
	capture_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

static int fake_cuEventCreate(void **event, unsigned flags)
{
	(void)flags;
	ENTER_CONTEXT("cuEventCreate");
	*event = calloc(1, sizeof(double));
	return CUDA_SUCCESS;
}

static int fake_cuEventDestroy(void *event)
{
	free(event);
	return CUDA_SUCCESS;
}

static int fake_cuEventRecord(void *event, void *stream)
{
	(void)stream;
	ENTER_CONTEXT("cuEventRecord");
	pthread_mutex_lock(&lock);
	*(double *)event = fake.clock;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

static int fake_cuEventQuery(void *event)
{
	(void)event;
	ENTER_CONTEXT("cuEventQuery");
	if (disturb(capture_mode))
		return 900;
	return fake.event_busy ? CUDA_NOT_READY : CUDA_SUCCESS;
}

static int fake_cuEventSynchronize(void *event)
{
	(void)event;
	ENTER_CONTEXT("cuEventSynchronize");
	return disturb(capture_mode);
}

static int fake_cuEventElapsedTime(float *milliseconds, void *from, void *to)
{
	ENTER_CONTEXT("cuEventElapsedTime");
	*milliseconds = fake.cost ? (float)(*(double *)to - *(double *)from) : 1.5f;
	return CUDA_SUCCESS;
}

/* For tests in Python: what is launched first from here on takes 2 ms, all else 1 ms. */
static const void *slow_image;

static float cost_of(const void *image)
{
	slow_image = slow_image ? slow_image : image;
	return image == slow_image ? 2.0f : 1.0f;
}

__attribute__((visibility("default"))) void fake_first_is_slower(void);

void fake_first_is_slower(void)
{
	slow_image = NULL;
	fake.cost = cost_of;
}

/* ---- the way in ---- */

enum { ALWAYS = 0, MAYBE = 1 };

__attribute__((visibility("default"))) int cuGetProcAddress_v2(const char *name, void **found, int version,
							       uint64_t flags, int *status);

int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *status)
{
	*found = NULL;
	*status = 1;
	if (flags != CUDA_PROC_LEGACY_STREAM || (fake.missing && strcmp(fake.missing, name) == 0))
		return CUDA_NOT_FOUND;
#define CUDA(row, since, need, parameters)                                                           \
	if (strcmp(name, #row) == 0 && since <= version && since <= fake.version && !(need && fake.without)) { \
		int(*function) parameters = fake_##row;                                                  \
		memcpy(found, &function, sizeof function);                                               \
		*status = 0;                                                                             \
		return CUDA_SUCCESS;                                                                     \
	}
#include "nv/cuda.def"
#undef CUDA
	return CUDA_NOT_FOUND;
}

static void reset(void)
{
	void (*reset_again)(void) = fake.reset;
	for (int i = 0; i < MAX_BLOCKS; i++) {
		free(blocks[i].at);
		blocks[i].at = NULL;
	}
	memset(primary, 0, sizeof primary);
	memset(contexts, 0, sizeof contexts);
	context_count = 0;
	depth = 0;
	owner = 0;
	fake = (FakeCuda){
		.reset = reset_again,
		.devices = 2,
		.version = 13000,
		.major = 9,
		.sms = 132,
		.shared_optin = 232448,
		.registers = 32,
		.max_threads = 1024,
		.blocks_per_sm = 4,
		.pools = 1,
		.capacity = 64 << 20,
		.quiet = getenv("FAKE_CUDA_QUIET") != NULL,
		.context_new = host_context_new,
		.context_destroy = host_context_destroy,
		.kernel_fault = host_kernel_fault,
	};
}

/* What is loaded without a test is like what a test begins with. */
__attribute__((constructor)) static void begin(void)
{
	fake.reset = reset;
	reset();
}

__attribute__((visibility("default"))) FakeCuda *fake_cuda(void)
{
	return &fake;
}
