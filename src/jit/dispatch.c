/* Launches that were made before, by the bits of the call: a table for each kernel, open addressing, never more than
 * half full.
 *
 * Readers take no lock: they load the table's address once, and an entry's address once. A writer, under the
 * module's lock, fills an entry before it publishes it, and replaces a table that is full by one twice as large; old
 * tables stay until the module goes, because somebody may be reading them (together they are no larger than the
 * newest one). Entries are never changed or removed. */
#include "jit/inner.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct JitDispatchTable {
	struct JitDispatchTable *older;
	uint32_t mask, len;
	JitDispatch *_Atomic slots[];
} JitDispatchTable;

/* ---- lookup ---- */

const JitDispatch *jit_dispatch_find(const JitKernel *kernel, const uint64_t *key, size_t count, uint64_t hash)
{
	JitDispatchTable *table = atomic_load_explicit(&kernel->dispatch, memory_order_acquire);
	if (!table)
		return NULL;
	for (uint32_t at = (uint32_t)hash & table->mask;; at = (at + 1) & table->mask) {
		const JitDispatch *d = atomic_load_explicit(&table->slots[at], memory_order_acquire);
		if (!d)
			return NULL;
		if (d->hash == hash && d->key_count == count && memcmp(d->words, key, count * sizeof *key) == 0)
			return d;
	}
}

/* ---- adding ---- */

static void put(JitDispatchTable *table, JitDispatch *d)
{
	uint32_t at = (uint32_t)d->hash & table->mask;
	while (atomic_load_explicit(&table->slots[at], memory_order_relaxed))
		at = (at + 1) & table->mask;
	atomic_store_explicit(&table->slots[at], d, memory_order_release);
	table->len++;
}

static JitDispatchTable *grown(JitDispatchTable *old)
{
	uint32_t size = old ? 2 * (old->mask + 1) : 16;
	JitDispatchTable *table = calloc(1, sizeof *table + size * sizeof table->slots[0]);
	if (!table)
		return NULL;
	table->older = old;
	table->mask = size - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->slots[i])
			put(table, old->slots[i]);
	return table;
}

/* False when memory ran out: the call is found the slow way then. */
static bool publish(JitKernel *kernel, JitDispatch *d)
{
	JitDispatchTable *table = kernel->dispatch;
	if (!table || 2 * (table->len + 1) > table->mask) {
		table = grown(table);
		if (!table)
			return false;
		put(table, d);
		atomic_store_explicit(&kernel->dispatch, table, memory_order_release);
		return true;
	}
	put(table, d);
	return true;
}

static void entry_free(JitDispatch *d)
{
	free(d->made);
	free(d);
}

void jit_dispatch_free(JitKernel *kernel)
{
	JitDispatchTable *table = kernel->dispatch;
	for (uint32_t i = 0; table && i <= table->mask; i++)
		if (table->slots[i])
			entry_free(table->slots[i]);
	while (table) {
		JitDispatchTable *older = table->older;
		free(table);
		table = older;
	}
	kernel->dispatch = NULL;
}

/* ---- how arguments are made ---- */

/* Short names: fp32, bf16; i32, u8. */
static bool is_float_dtype(TlDtype dtype)
{
	const char *text = jit_dtype_text(dtype);
	return text[0] == 'f' || text[0] == 'b';
}

/* What a slot takes of the argument of its parameter; `arg` is left out. */
static JitFill fill_of_slot(const JitVariant *variant, const JitSlot *slot)
{
	const JitParam *param = &variant->params[slot->param];
	JitFill fill = {.axis = (uint8_t)slot->axis, .dtype = (uint8_t)param->dtype};
	if (slot->part == SLOT_NUMBER) {
		fill.what = JIT_FILL_NUMBER;
		fill.dtype = (uint8_t)slot->dtype;
		return fill;
	}
	if (slot->part == SLOT_SHAPE)
		fill.what = JIT_FILL_SHAPE;
	else if (slot->part == SLOT_STRIDE)
		fill.what = JIT_FILL_STRIDE;
	else if (slot->part == SLOT_PAD)
		fill.what = JIT_FILL_PAD;
	else if (param->kind != JIT_PARAM_SCALAR)
		fill.what = JIT_FILL_ADDRESS;
	else
		fill.what = is_float_dtype(param->dtype) ? JIT_FILL_FLOAT : JIT_FILL_INT;
	return fill;
}

/* Where the slot's value lies in the call; JIT_NO_PLACE: it is no argument of the call but a default or an expression's
 * value, or it is made of one. *arg: which argument. */
static uint32_t place_of(const JitFill *fill, const JitArg *given, const JitLaunch *launch, uint32_t *arg)
{
	const JitPlaces *places = launch->key_places;
	*arg = UINT32_MAX;
	if (given < launch->args || given >= launch->args + launch->arg_count)
		return JIT_NO_PLACE;
	*arg = (uint32_t)(given - launch->args);
	uint32_t of = places->of[fill->what];
	return of == JIT_NO_PLACE ? of : *arg * places->stride + of + fill->axis * (uint32_t)sizeof(int64_t);
}

/* False when memory ran out. */
static bool make_fills(JitDispatch *d, const JitVariant *variant, const JitLaunch *launch, const JitArg *const *given,
		       void *const *params)
{
	d->made = calloc(variant->slot_count + 1, sizeof *d->made);
	if (!d->made)
		return false;
	d->place_count = variant->slot_count;
	for (uint32_t s = 0; s < variant->slot_count; s++) {
		JitFill fill = fill_of_slot(variant, &variant->slots[s]);
		fill.slot = s;
		memcpy(&fill.bits, params[s], sizeof fill.bits);
		d->places[s] = place_of(&fill, given[variant->slots[s].param], launch, &fill.arg);
		if (d->places[s] == JIT_NO_PLACE)
			d->made[d->made_count++] = fill;
	}
	return true;
}

uint32_t jit_gpu_arg_count(const JitVariant *variant)
{
	return variant->slot_count;
}

JitFill jit_gpu_arg(const JitVariant *variant, uint32_t i)
{
	JitFill fill = fill_of_slot(variant, &variant->slots[i]);
	fill.arg = variant->slots[i].param;
	return fill;
}

/* Does a call with the key need no look at its arguments? Everything that the key leaves out must be an argument of the
 * variant, and IR text may ask for a divisibility that keys do not tell of. */
static bool key_suffices(const JitVariant *variant, const JitSet *set)
{
	for (uint32_t i = 0; i < variant->kernel->info->param_count; i++) {
		const JitParam *param = &variant->params[i];
		if (set && jit_set_has(set, i) && param->kind != JIT_PARAM_NUMBER)
			return false;
		if (param->divisibility > 1 && param->divisibility != 16)
			return false;
	}
	return true;
}

void jit_dispatch_add(const JitVariant *variant, NvFunction *function, const JitLaunch *launch,
		      const JitArg *const *given, void *const *params)
{
	JitKernel *kernel = variant->kernel;
	if (!key_suffices(variant, launch->key_set))
		return;
	enum { LINE = 64 }; /* of the cache: a launch reads it from the beginning */
	size_t words = launch->key_count + launch->key_row_words;
	size_t size = sizeof(JitDispatch) + words * sizeof(uint64_t) + variant->slot_count * sizeof(uint32_t);
	JitDispatch *d = heap_aligned(LINE, size);
	if (!d)
		return;
	memset(d, 0, size);
	d->places = (uint32_t *)(d->words + words);
	if (!make_fills(d, variant, launch, given, params)) {
		entry_free(d);
		return;
	}
	d->hash = launch->key_hash;
	d->variant = variant;
	d->function = function;
	d->driver = kernel->module->host->driver;
	d->has_events = jit_has_events(variant);
	d->key_count = (uint32_t)launch->key_count;
	d->row_words = (uint32_t)launch->key_row_words;
	memcpy(d->words, launch->key, d->key_count * sizeof *d->words);
	if (d->row_words)
		memcpy(d->words + d->key_count, launch->key_rows, d->row_words * sizeof *d->words);
	pthread_mutex_lock(&kernel->module->table_lock);
	bool added = !jit_dispatch_find(kernel, d->words, d->key_count, d->hash) && publish(kernel, d);
	pthread_mutex_unlock(&kernel->module->table_lock);
	if (!added)
		entry_free(d);
}
