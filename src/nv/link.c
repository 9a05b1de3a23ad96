/* The driver's compiler: PTX to a cubin for a machine without ptxas (cuLink*). It compiles for a
 * named target, so the cubin is what ptxas would make for it, and needs a context only to run in.
 */
#include "nv/inner.h"

#include "base/fault.h"

enum { LOG_SIZE = 64 << 10 };

typedef struct Log {
	char info[LOG_SIZE], error[LOG_SIZE];
} Log;

static void *as_pointer(uintptr_t value)
{
	return (void *)value;
}

static uintptr_t target_number(const TargetGpu *target)
{
	return target->capability + (target->suffix == 'a' ? CUDA_JIT_TARGET_ACCELERATED : 0u);
}

/* What the options and values of cuLinkCreate are; returns how many. */
static unsigned fill_options(const NvAssemble *how, Log *log, int *names, void **values)
{
	const struct {
		int name;
		void *value;
	} rows[] = {
		{CUDA_JIT_INFO_LOG, log->info},
		{CUDA_JIT_INFO_LOG_SIZE, as_pointer(LOG_SIZE)},
		{CUDA_JIT_ERROR_LOG, log->error},
		{CUDA_JIT_ERROR_LOG_SIZE, as_pointer(LOG_SIZE)},
		{CUDA_JIT_VERBOSE, as_pointer(1)},
		{CUDA_JIT_TARGET, as_pointer(target_number(how->target))},
		{CUDA_JIT_OPT_LEVEL, as_pointer(nv_optimizes(how) ? 4 : 0)},
		{CUDA_JIT_LINE_INFO, as_pointer(how->line_info)},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		names[i] = rows[i].name;
		values[i] = rows[i].value;
	}
	return ARRAY_LEN(rows);
}

static bool link_failed(NvDriver *driver, int result, bool said, DiagList *diags)
{
	char text[NV_RESULT_TEXT];
	if (said || nv_failed_before(driver, result, diags))
		return false;
	diag_add(diags, (Span){0}, DIAG_PTXAS_FAILED, "the compiler of the NVIDIA driver",
		 nv_result_text(driver, result, text));
	return false;
}

/* `state` is destroyed by the caller: the cubin belongs to it. */
static bool link_state(void *state, Str ptx, const NvAssemble *how, Log *log, NvCubin *cubin, DiagList *diags)
{
	NvDriver *driver = how->driver;
	void *made = NULL;
	size_t len = 0;
	/* The driver wants PTX that ends with NUL, counted. */
	char *copy = arena_strndup(diags->arena, ptx.ptr, ptx.len);
	int result = driver->cuda.cuLinkAddData(state, CUDA_JIT_INPUT_PTX, copy, ptx.len + 1, how->kernel, 0, NULL,
						NULL);
	if (result == CUDA_SUCCESS)
		result = driver->cuda.cuLinkComplete(state, &made, &len);
	log->info[LOG_SIZE - 1] = log->error[LOG_SIZE - 1] = '\0';
	const char *said = arena_printf(diags->arena, "%s%s%s", log->info, *log->info && *log->error ? "\n" : "",
					log->error);
	bool error = nv_report_read(str_of(said), ptx, how->kernel, cubin, diags);
	if (result != CUDA_SUCCESS || error)
		return link_failed(driver, result, error, diags);
	cubin->data = memcpy(nv_new(len), made, len);
	cubin->len = len;
	cubin->log = nv_text(said);
	return true;
}

bool nv_link(Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	NvDriver *driver = how->driver;
	int names[16];
	void *values[16], *state = NULL;
	if (!nv_context(driver, diags))
		return false;
	Log *log = ARENA_NEW(diags->arena, Log);
	unsigned count = fill_options(how, log, names, values);
	int result = driver->cuda.cuLinkCreate(count, names, values, &state);
	if (result != CUDA_SUCCESS)
		return link_failed(driver, result, false, diags);
	Fault fault;
	volatile bool ok = false;
	if (FAULT_TRY(&fault)) {
		ok = link_state(state, ptx, how, log, cubin, diags);
		fault_leave(&fault);
	}
	driver->cuda.cuLinkDestroy(state);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return ok;
}
