/* The driver: found and started on first use, its devices, and the context of a launch.
 *
 * Creating a handle does not touch CUDA; nv_driver_start loads libcuda.so.1, fills the table of
 * entry points and calls cuInit. After cuInit the library stays loaded: its threads run its code
 * until the process ends. */
#define _GNU_SOURCE /* MADV_WIPEONFORK, MAP_ANONYMOUS */
#include "nv/inner.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/option/option.h"
#include "base/os.h"

typedef struct ApiRow {
	const char *name;
	unsigned short version;
	bool always;
	size_t offset;
} ApiRow;

enum { ALWAYS = 1, MAYBE = 0 };

static const ApiRow rows[] = {
#define CUDA(name, version, need, parameters) {#name, version, need, offsetof(CudaApi, name)},
#include "nv/cuda.def"
#undef CUDA
};

/* ---- memory, the lock ---- */

void *nv_new(size_t size)
{
	void *block = calloc(1, size);
	if (!block)
		fault_raise(FAULT_MEMORY, "out of memory: %zu bytes", size);
	return block;
}

void *nv_new_lines(size_t size)
{
	size_t whole = (size + NV_LINE - 1) / NV_LINE * NV_LINE;
	void *block = aligned_alloc(NV_LINE, whole);
	if (!block)
		fault_raise(FAULT_MEMORY, "out of memory: %zu bytes", size);
	return memset(block, 0, whole);
}

char *nv_text(const char *text)
{
	if (!text)
		return NULL;
	size_t len = strlen(text) + 1;
	return memcpy(nv_new(len), text, len);
}

/* The lock is made when it is first taken in a process, so a child does not wait for a thread of its parent. */
void nv_lock(NvDriver *driver)
{
	atomic_int *state = &driver->life->lock;
	while (atomic_load_explicit(state, memory_order_acquire) != 2) {
		int none = 0;
		if (atomic_compare_exchange_strong(state, &none, 1)) {
			pthread_mutexattr_t kind; /* recursive: an error under the lock lists launches under it */
			pthread_mutexattr_init(&kind);
			pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
			pthread_mutex_init(&driver->lock, &kind);
			pthread_mutexattr_destroy(&kind);
			atomic_store_explicit(state, 2, memory_order_release);
		} else {
			sched_yield();
		}
	}
	pthread_mutex_lock(&driver->lock);
}

void nv_unlock(NvDriver *driver)
{
	pthread_mutex_unlock(&driver->lock);
}

bool nv_locked(NvDriver *driver, bool (*work)(NvDriver *driver, void *data, DiagList *diags), void *data,
	       DiagList *diags)
{
	Fault fault;
	volatile bool ok = false;
	nv_lock(driver);
	if (FAULT_TRY(&fault)) {
		ok = work(driver, data, diags);
		fault_leave(&fault);
	}
	nv_unlock(driver);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return ok;
}

/* ---- life ---- */

static size_t page_size(void)
{
	long size = sysconf(_SC_PAGESIZE);
	return size > 0 ? (size_t)size : 4096;
}

NvDriver *nv_driver_new(const NvDriverOptions *options)
{
	NvLife *life = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (life == MAP_FAILED)
		fault_raise(FAULT_MEMORY, "out of memory: no page for the driver");
#ifdef MADV_WIPEONFORK
	/* Where the kernel is too old for it, a child learns of the fork by the driver's first error. */
	madvise(life, page_size(), MADV_WIPEONFORK);
#endif
	NvDriver *volatile driver = NULL;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		driver = nv_new_lines(sizeof *driver);
		driver->life = life;
		if (options)
			driver->options = *options;
		driver->options.library = nv_text(driver->options.library);
		nv_loaded_init(driver);
		fault_leave(&fault);
	} else {
		free(driver);
		munmap(life, page_size());
		fault_raise(fault.kind, "%s", fault.text);
	}
	atomic_init(&driver->users, 1);
	return driver;
}

void nv_driver_free(NvDriver *driver)
{
	if (!driver || atomic_fetch_sub(&driver->users, 1) != 1)
		return;
	if (nv_generation(driver) != 0) {
		nv_scratch_free(driver);
		for (unsigned i = 0; i < driver->device_count; i++)
			if (driver->primary[i])
				driver->cuda.cuDevicePrimaryCtxRelease(driver->handles[i]);
	}
	while (driver->scratch) {
		NvScratch *next = driver->scratch->next;
		free(driver->scratch);
		driver->scratch = next;
	}
	munmap(driver->life, page_size());
	free((char *)driver->options.library);
	free(driver->path);
	free(driver->text);
	free(driver->devices);
	free(driver->handles);
	free(driver->primary);
	free(driver);
}

int nv_driver_version(const NvDriver *driver)
{
	return driver->version;
}

const char *nv_driver_path(const NvDriver *driver)
{
	return driver->path;
}

const char *nv_driver_text(const NvDriver *driver)
{
	return driver->text;
}

/* ---- starting ---- */

/* A folder means the library in it. */
static void *try_open(Arena *arena, const char *path, const char **opened, Text *why)
{
	if (os_is_dir(path))
		path = os_path_join(arena, path, "libcuda.so.1");
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library) {
		*opened = path;
		return library;
	}
	const char *error = dlerror();
	text_printf(why, "%s%s", why->len ? "; " : "", error ? error : path);
	return NULL;
}

static bool open_library(NvDriver *driver, DiagList *diags)
{
	/* The last is where the Windows Subsystem for Linux keeps it, outside the loader's search. */
	static const char *const names[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
	Text why;
	text_init(&why, diags->arena);
	const char *given = driver->options.library ? driver->options.library : option_given(OPTION_LIBCUDA, NULL);
	const char *path = NULL;
	if (given && *given) {
		driver->library = try_open(diags->arena, given, &path, &why);
	} else {
		for (size_t i = 0; i < ARRAY_LEN(names) && !driver->library; i++)
			if (i == 0 || os_is_file(names[i]))
				driver->library = try_open(diags->arena, names[i], &path, &why);
	}
	if (!driver->library) {
		diag_add(diags, (Span){0}, DIAG_NV_NO_DRIVER, why.data);
		return false;
	}
	free(driver->path);
	driver->path = nv_text(path);
	return true;
}

/* Entry points by cuGetProcAddress, which knows what each was like in the version asked for. */
static bool fill_table(NvDriver *driver, DiagList *diags)
{
	int (*get)(const char *, void **, int, uint64_t, int *);
	int (*get_old)(const char *, void **, int, uint64_t);
	void *found = dlsym(driver->library, "cuGetProcAddress_v2");
	memcpy(&get, &found, sizeof get);
	found = dlsym(driver->library, "cuGetProcAddress");
	memcpy(&get_old, &found, sizeof get_old);
	if (!get && !get_old) {
		diag_add(diags, (Span){0}, DIAG_NV_DRIVER_OLD, driver->path, "cuGetProcAddress", 11u, 3u);
		return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const ApiRow *row = &rows[i];
		int status;
		found = NULL;
		int result = get ? get(row->name, &found, row->version, CUDA_PROC_LEGACY_STREAM, &status)
				 : get_old(row->name, &found, row->version, CUDA_PROC_LEGACY_STREAM);
		if (result != CUDA_SUCCESS)
			found = NULL;
		if (!found && row->always) {
			diag_add(diags, (Span){0}, DIAG_NV_DRIVER_OLD, driver->path, row->name, row->version / 1000u,
				 row->version % 1000u / 10u);
			return false;
		}
		memcpy((char *)&driver->cuda + row->offset, &found, sizeof found);
	}
	driver->context_id = driver->cuda.cuCtxGetId;
	return true;
}

/* 0: the driver does not tell. */
static unsigned attribute(const CudaApi *cuda, int number, int handle)
{
	int value;
	return cuda->cuDeviceGetAttribute(&value, number, handle) == CUDA_SUCCESS && value > 0 ? (unsigned)value : 0;
}

static void read_device(NvDriver *driver, unsigned i)
{
	const CudaApi *cuda = &driver->cuda;
	NvDevice *device = &driver->devices[i];
	int handle = driver->handles[i];
	const struct {
		int attribute;
		unsigned *to;
	} numbers[] = {
		{CUDA_DEVICE_SMS, &device->sms},
		{CUDA_DEVICE_BUS, &device->bus_bits},
		{CUDA_DEVICE_SHARED_OPTIN, &device->shared_cta},
		{CUDA_DEVICE_MAX_GRID_X, &device->max_grid[0]},
		{CUDA_DEVICE_MAX_GRID_X + 1, &device->max_grid[1]},
		{CUDA_DEVICE_MAX_GRID_X + 2, &device->max_grid[2]},
	};
	int major = 0, minor = 0;
	size_t bytes = 0;
	device->ordinal = i;
	for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
		*numbers[k].to = attribute(cuda, numbers[k].attribute, handle);
	device->l2 = attribute(cuda, CUDA_DEVICE_L2, handle);
	cuda->cuDeviceGetAttribute(&major, CUDA_DEVICE_MAJOR, handle);
	cuda->cuDeviceGetAttribute(&minor, CUDA_DEVICE_MINOR, handle);
	device->capability = (unsigned)(major * 10 + minor);
	device->target = target_for_device(device->capability);
	if (cuda->cuDeviceTotalMem(&bytes, handle) == CUDA_SUCCESS)
		device->memory = bytes;
	cuda->cuDeviceGetName(device->name, sizeof device->name, handle);
}

static bool read_devices(NvDriver *driver, DiagList *diags)
{
	const CudaApi *cuda = &driver->cuda;
	int count = 0;
	int result = cuda->cuDeviceGetCount(&count);
	if (result != CUDA_SUCCESS && result != CUDA_NO_DEVICE)
		return nv_failed(driver, result, "cuDeviceGetCount", diags);
	if (result == CUDA_NO_DEVICE || count <= 0) {
		const char *visible = getenv("CUDA_VISIBLE_DEVICES");
		diag_add(diags, (Span){0}, DIAG_NV_NO_DEVICE,
			 visible ? arena_printf(diags->arena, " (CUDA_VISIBLE_DEVICES is '%s')", visible) : "");
		return false;
	}
	free(driver->devices);
	free(driver->handles);
	free(driver->primary);
	driver->devices = NULL, driver->handles = NULL, driver->primary = NULL, driver->device_count = 0;
	driver->devices = nv_new(sizeof *driver->devices * (size_t)count);
	driver->handles = nv_new(sizeof *driver->handles * (size_t)count);
	driver->primary = nv_new(sizeof *driver->primary * (size_t)count);
	for (int i = 0; i < count; i++) {
		if ((result = cuda->cuDeviceGet(&driver->handles[i], i)) != CUDA_SUCCESS)
			return nv_failed(driver, result, "cuDeviceGet", diags);
		read_device(driver, (unsigned)i);
	}
	driver->device_count = (unsigned)count;
	return true;
}

/* What the kernel module calls itself: 580.95.05. */
static void name_driver(NvDriver *driver, Arena *arena)
{
	Str bytes = {0};
	const char *error, *release = "";
	if (os_is_file("/sys/module/nvidia/version") &&
	    os_read_file(arena, "/sys/module/nvidia/version", &bytes, &error)) {
		while (bytes.len && (bytes.ptr[bytes.len - 1] == '\n' || bytes.ptr[bytes.len - 1] == ' '))
			bytes.len--;
		release = arena_printf(arena, " (%.*s)", STR_ARG(bytes));
	}
	free(driver->text);
	driver->text = nv_text(arena_printf(arena, "driver %d.%d%s", driver->version / 1000,
					    driver->version % 1000 / 10, release));
}

/* What a parent loaded belongs to it. */
static void forget_parent(NvDriver *driver)
{
	driver->forked = true;
	while (driver->scratch) {
		NvScratch *next = driver->scratch->next;
		free(driver->scratch);
		driver->scratch = next;
	}
	for (unsigned i = 0; i < driver->device_count; i++)
		driver->primary[i] = NULL;
	for (unsigned i = 0; i < NV_RECENT; i++)
		driver->recent[i].seq = 0;
}

static bool start(NvDriver *driver, void *data, DiagList *diags)
{
	(void)data;
	if (nv_generation(driver) != 0)
		return true;
	if (driver->generation && driver->pid != getpid())
		forget_parent(driver);
	if (!driver->library && !open_library(driver, diags))
		return false;
	char text[NV_RESULT_TEXT];
	int result = CUDA_SUCCESS;
	bool table = driver->generation || fill_table(driver, diags);
	if (!table) {
		dlclose(driver->library); /* nothing of it ran: another may be tried */
		driver->library = NULL;
	}
	if (table && (result = driver->cuda.cuInit(0)) == CUDA_SUCCESS) {
		driver->cuda.cuDriverGetVersion(&driver->version);
		name_driver(driver, diags->arena);
		if (!read_devices(driver, diags))
			return false;
		driver->pid = getpid();
		driver->direct_loaded = driver->evictable_loaded = 0;
		atomic_store_explicit(&driver->life->generation, ++driver->generation, memory_order_release);
		return true;
	}
	if (table && (result == CUDA_NOT_INITIALIZED || driver->forked))
		diag_add(diags, (Span){0}, DIAG_NV_FORKED, nv_result_text(driver, result, text));
	else if (table && result == CUDA_NO_DEVICE)
		return read_devices(driver, diags);
	else if (table)
		diag_add(diags, (Span){0}, DIAG_NV_DRIVER_START, nv_result_text(driver, result, text));
	return false;
}

bool nv_driver_start(NvDriver *driver, DiagList *diags)
{
	return LIKELY(nv_generation(driver) != 0) || nv_locked(driver, start, NULL, diags);
}

/* ---- devices and contexts ---- */

unsigned nv_device_count(const NvDriver *driver)
{
	return driver->device_count;
}

const NvDevice *nv_device(const NvDriver *driver, unsigned ordinal)
{
	return ordinal < driver->device_count ? &driver->devices[ordinal] : NULL;
}

NvClocks nv_device_clocks(const NvDriver *driver, const NvDevice *device)
{
	int handle = driver->handles[device->ordinal];
	return (NvClocks){
		.sm = attribute(&driver->cuda, CUDA_DEVICE_CLOCK, handle),
		.memory = attribute(&driver->cuda, CUDA_DEVICE_MEMORY_CLOCK, handle),
	};
}

NvContext nv_context_number(const NvDriver *driver, void *handle)
{
	if (LIKELY(driver->context_id != NULL)) {
		unsigned long long id;
		return driver->context_id(handle, &id) == CUDA_SUCCESS ? id + 1 : 0;
	}
	if (!handle && driver->cuda.cuCtxGetCurrent(&handle) != CUDA_SUCCESS)
		return 0;
	return (NvContext)(uintptr_t)handle;
}

bool nv_context_enter(NvDriver *driver, void *handle, NvContext number)
{
	CONTRACT(handle);
	return nv_context_number(driver, handle) == number && driver->cuda.cuCtxPushCurrent(handle) == CUDA_SUCCESS;
}

void nv_context_leave(NvDriver *driver)
{
	void *popped;
	driver->cuda.cuCtxPopCurrent(&popped);
}

typedef struct Retain {
	unsigned ordinal;
	void *context;
} Retain;

static bool retain(NvDriver *driver, void *data, DiagList *diags)
{
	Retain *r = data;
	r->context = driver->primary[r->ordinal];
	if (r->context)
		return true;
	int result = driver->cuda.cuDevicePrimaryCtxRetain(&r->context, driver->handles[r->ordinal]);
	if (result != CUDA_SUCCESS)
		return nv_failed(driver, result, "cuDevicePrimaryCtxRetain", diags);
	driver->primary[r->ordinal] = r->context;
	return true;
}

NvContext nv_device_use(NvDriver *driver, unsigned ordinal, DiagList *diags)
{
	if (!nv_driver_start(driver, diags))
		return 0;
	if (ordinal >= driver->device_count) {
		diag_add(diags, (Span){0}, DIAG_NV_DEVICE_UNKNOWN, ordinal, driver->device_count);
		return 0;
	}
	Retain r = {ordinal, driver->primary[ordinal]};
	if (!r.context && !nv_locked(driver, retain, &r, diags))
		return 0;
	void *current;
	int result = driver->cuda.cuCtxGetCurrent(&current);
	if (result != CUDA_SUCCESS || current != r.context)
		result = driver->cuda.cuCtxSetCurrent(r.context);
	NvContext number = result == CUDA_SUCCESS ? nv_context_number(driver, NULL) : 0;
	if (!number)
		nv_failed(driver, result ? result : CUDA_INVALID_CONTEXT, "cuCtxSetCurrent", diags);
	return number;
}

NvContext nv_context_now(const NvDriver *driver)
{
	return LIKELY(nv_generation(driver) != 0) ? nv_context_number(driver, NULL) : 0;
}

/* Is there a current context that a fault of a kernel made useless? Diagnoses with that fault. */
static bool is_lost(NvDriver *driver, DiagList *diags)
{
	void *handle = NULL;
	if (driver->cuda.cuCtxGetCurrent(&handle) != CUDA_SUCCESS || !handle)
		return false;
	int result = driver->cuda.cuCtxSynchronize();
	if (result == CUDA_SUCCESS)
		return false;
	nv_failed(driver, result, "cuCtxSynchronize", diags);
	return true;
}

NvContext nv_context(NvDriver *driver, DiagList *diags)
{
	if (UNLIKELY(nv_generation(driver) == 0) && !nv_driver_start(driver, diags))
		return 0;
	NvContext number = nv_context_number(driver, NULL);
	if (LIKELY(number != 0))
		return number;
	return is_lost(driver, diags) ? 0 : nv_device_use(driver, 0, diags);
}

const NvDevice *nv_context_device(NvDriver *driver, DiagList *diags)
{
	if (!nv_context(driver, diags))
		return NULL;
	int handle;
	int result = driver->cuda.cuCtxGetDevice(&handle);
	for (unsigned i = 0; result == CUDA_SUCCESS && i < driver->device_count; i++)
		if (driver->handles[i] == handle)
			return &driver->devices[i];
	nv_failed(driver, result ? result : CUDA_INVALID_CONTEXT, "cuCtxGetDevice", diags);
	return NULL;
}
