/* Errors of the driver as diagnostics, and the ring of recent launches.
 *
 * A kernel fails after its launch has returned; then every later call in its context gives the
 * same error. So a launch leaves a record in a ring, without lock or allocation: a slot is taken
 * by counting up, and its seq is 0 while it is written, so a reader can tell which records are
 * complete. An error of that kind lists the records of its context. */
#include "nv/inner.h"

#include <stdio.h>
#include <unistd.h>

typedef struct ResultRow {
	int number;
	CudaResultKind kind;
	const char *name;
} ResultRow;

static const ResultRow results[] = {
#define CUDA_RESULT(name, number, kind) {number, CUDA_KIND_##kind, "CUDA_ERROR_" #name},
#include "nv/cuda_result.def"
#undef CUDA_RESULT
};

static const ResultRow *find_result(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(results); i++)
		if (results[i].number == number)
			return &results[i];
	return NULL;
}

static CudaResultKind result_kind(int result)
{
	const ResultRow *row = find_result(result);
	return row ? row->kind : CUDA_KIND_OTHER;
}

const char *nv_result_text(const NvDriver *driver, int result, char *buffer)
{
	const ResultRow *row = find_result(result);
	const char *name = NULL, *text = NULL;
	if (driver->cuda.cuGetErrorName && driver->cuda.cuGetErrorName(result, &name) != CUDA_SUCCESS)
		name = NULL;
	if (driver->cuda.cuGetErrorString && driver->cuda.cuGetErrorString(result, &text) != CUDA_SUCCESS)
		text = NULL;
	if (!name && row)
		name = row->name;
	if (name)
		snprintf(buffer, NV_RESULT_TEXT, "%s%s%s", name, text ? ": " : "", text ? text : "");
	else
		snprintf(buffer, NV_RESULT_TEXT, "error %d", result);
	return buffer;
}

static void recent_notes(NvDriver *driver, NvContext context, Diag *diag, DiagList *diags);

bool nv_failed_before(NvDriver *driver, int result, DiagList *diags)
{
	char text[NV_RESULT_TEXT];
	if (result_kind(result) == CUDA_KIND_KERNEL) {
		Diag *diag = diag_add(diags, (Span){0}, DIAG_NV_FAULT, nv_result_text(driver, result, text));
		recent_notes(driver, nv_context_number(driver, NULL), diag, diags);
		return true;
	}
	if (driver->generation && driver->pid != getpid()) {
		diag_add(diags, (Span){0}, DIAG_NV_FORKED, nv_result_text(driver, result, text));
		return true;
	}
	return false;
}

bool nv_failed(NvDriver *driver, int result, const char *call, DiagList *diags)
{
	char text[NV_RESULT_TEXT];
	if (!nv_failed_before(driver, result, diags))
		diag_add(diags, (Span){0}, DIAG_NV_CALL, call, nv_result_text(driver, result, text));
	return false;
}

/* ---- the ring ---- */

#define RELAXED memory_order_relaxed

static uint64_t read_arg(const void *from, unsigned size)
{
	union {
		uint8_t b1;
		uint16_t b2;
		uint32_t b4;
		uint64_t b8;
	} v;
	switch (size) {
	case 1: memcpy(&v.b1, from, 1); return v.b1;
	case 2: memcpy(&v.b2, from, 2); return v.b2;
	case 4: memcpy(&v.b4, from, 4); return v.b4;
	case 8: memcpy(&v.b8, from, 8); return v.b8;
	default: return 0;
	}
}

unsigned nv_recent_add(NvFunction *function, const uint32_t grid[3], NvStream stream, void *const *params)
{
	NvDriver *driver = function->driver;
	unsigned at = atomic_fetch_add_explicit(&driver->recent_at, 1, RELAXED);
	NvRecent *r = &driver->recent[at % NV_RECENT];
	atomic_store_explicit(&r->seq, 0, RELAXED);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&r->function, function, RELAXED);
	atomic_store_explicit(&r->stream, stream, RELAXED);
	for (unsigned k = 0; k < 3; k++)
		atomic_store_explicit(&r->grid[k], grid[k], RELAXED);
	for (unsigned k = 0; k < function->recorded; k++)
		atomic_store_explicit(&r->args[k], read_arg(params[k], function->arg_size[k]), RELAXED);
	unsigned seq = at + 1 ? at + 1 : 1;
	atomic_store_explicit(&r->seq, seq, memory_order_release);
	/* The driver waits for our writes, so the next are not to wait for the memory. */
	NvRecent *next = &driver->recent[(at + 1) % NV_RECENT];
	__builtin_prefetch(next, 1);
	__builtin_prefetch((char *)next + NV_LINE, 1);
	return seq;
}

void nv_recent_drop(NvDriver *driver, unsigned seq)
{
	for (unsigned i = 0; i < NV_RECENT; i++) {
		unsigned expected = seq;
		atomic_compare_exchange_strong(&driver->recent[i].seq, &expected, 0);
	}
}

/* A whole record, copied; false: empty, or being written. */
static bool read_record(NvRecent *r, NvRecent *copy)
{
	unsigned seq = atomic_load_explicit(&r->seq, memory_order_acquire);
	if (!seq)
		return false;
	atomic_init(&copy->seq, seq);
	atomic_init(&copy->function, atomic_load_explicit(&r->function, RELAXED));
	atomic_init(&copy->stream, atomic_load_explicit(&r->stream, RELAXED));
	for (unsigned k = 0; k < 3; k++)
		atomic_init(&copy->grid[k], atomic_load_explicit(&r->grid[k], RELAXED));
	for (unsigned k = 0; k < NV_RECENT_ARGS; k++)
		atomic_init(&copy->args[k], atomic_load_explicit(&r->args[k], RELAXED));
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&r->seq, RELAXED) == seq;
}

void nv_recent_done(NvDriver *driver, NvContext context, NvStream stream, bool all_streams)
{
	NvRecent copy;
	nv_lock(driver); /* a function that a record names is not freed meanwhile */
	for (unsigned i = 0; i < NV_RECENT; i++) {
		if (!read_record(&driver->recent[i], &copy) || copy.function->context != context ||
		    (!all_streams && copy.stream != stream))
			continue;
		unsigned seq = copy.seq;
		atomic_compare_exchange_strong(&driver->recent[i].seq, &seq, 0);
	}
	nv_unlock(driver);
}

void nv_recent_forget(NvDriver *driver, const NvFunction *function)
{
	for (unsigned i = 0; i < NV_RECENT; i++) {
		unsigned seq = atomic_load(&driver->recent[i].seq);
		if (seq && atomic_load(&driver->recent[i].function) == function)
			atomic_compare_exchange_strong(&driver->recent[i].seq, &seq, 0);
	}
}

/* ---- arguments and launches as text ---- */

unsigned nv_letter_bytes(char letter)
{
	switch (letter) {
	case '1': return 1;
	case '2': case 'h': return 2;
	case '4': case 'f': return 4;
	case '8': case 'd': case 'p': return 8;
	default: return 0;
	}
}

static void add_value(Text *t, char letter, uint64_t bits)
{
	float f;
	double d;
	uint32_t low = (uint32_t)bits;
	switch (letter) {
	case 'p': text_printf(t, "0x%llx", (unsigned long long)bits); break;
	case '1': text_printf(t, "%d", (int8_t)bits); break;
	case '2': text_printf(t, "%d", (int16_t)bits); break;
	case '4': text_printf(t, "%d", (int32_t)low); break;
	case '8': text_printf(t, "%lld", (long long)bits); break;
	case 'h': text_printf(t, "0x%04x", (unsigned)(bits & 0xffff)); break;
	case 'f':
		memcpy(&f, &low, sizeof f);
		text_printf(t, "%g", (double)f);
		break;
	case 'd':
		memcpy(&d, &bits, sizeof d);
		text_printf(t, "%g", d);
		break;
	case 't': text_str(t, "a tensor map"); break;
	case 'n': text_str(t, "the grid's programs"); break;
	default: text_str(t, "scratch"); break;
	}
}

/* values: `count` of them, of the kernel's first arguments. */
static const char *args_text(Arena *arena, const NvKernel *kernel, const uint64_t *values, size_t count)
{
	Text t;
	text_init(&t, arena);
	text_str(&t, "");
	for (size_t i = 0; i < count && kernel->info.args[i] != 's'; i++) {
		text_str(&t, i ? ", " : ", called with ");
		if (kernel->info.arg_names && kernel->info.arg_names[i])
			text_printf(&t, "%s = ", kernel->info.arg_names[i]);
		add_value(&t, kernel->info.args[i], values[i]);
	}
	if (count < kernel->arg_count && kernel->info.args[count] != 's')
		text_str(&t, ", ...");
	return t.data;
}

const char *nv_args_text(const NvKernel *kernel, void *const *params, DiagList *diags)
{
	uint64_t *values = ARENA_ARRAY(diags->arena, uint64_t, kernel->arg_count + 1);
	for (size_t i = 0; i < kernel->arg_count; i++) {
		unsigned size = nv_letter_bytes(kernel->info.args[i]);
		values[i] = size ? read_arg(params[i], size) : 0;
	}
	return args_text(diags->arena, kernel, values, kernel->arg_count);
}

typedef struct Shown {
	NvContext context;
	Diag *diag;
} Shown;

/* Newest first, each at most once; under the lock, so that no kernel that a record names is freed meanwhile. */
static bool add_notes(NvDriver *driver, void *data, DiagList *diags)
{
	const Shown *shown = data;
	NvRecent copy[NV_RECENT];
	unsigned count = 0, newest = atomic_load(&driver->recent_at);
	for (unsigned i = 0; i < NV_RECENT; i++) {
		NvRecent *r = &driver->recent[(newest - 1 - i) % NV_RECENT];
		const NvContext context = shown->context;
		if (read_record(r, &copy[count]) && (!context || copy[count].function->context == context))
			count++;
	}
	for (unsigned i = 0; i < MIN(count, NV_RECENT_SHOWN); i++) {
		const NvFunction *function = copy[i].function;
		const NvKernel *kernel = function->kernel;
		uint64_t values[NV_RECENT_ARGS];
		for (unsigned k = 0; k < function->recorded; k++)
			values[k] = copy[i].args[k];
		diag_note(diags, shown->diag, (Span){0}, "launched before: %s, grid (%u, %u, %u)%s", kernel->info.shown,
			  copy[i].grid[0], copy[i].grid[1], copy[i].grid[2],
			  args_text(diags->arena, kernel, values, function->recorded));
	}
	if (count > NV_RECENT_SHOWN)
		diag_note(diags, shown->diag, (Span){0}, "and %s%u more", count == NV_RECENT ? "at least " : "",
			  count - NV_RECENT_SHOWN);
	if (!count)
		diag_note(diags, shown->diag, (Span){0}, "no launch of Neso was pending: another part of the process "
							 "launched the kernel");
	return true;
}

static void recent_notes(NvDriver *driver, NvContext context, Diag *diag, DiagList *diags)
{
	Shown shown = {context, diag};
	if (nv_generation(driver) != 0)
		nv_locked(driver, add_notes, &shown, diags);
}

