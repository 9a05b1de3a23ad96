/* A lock-free table of earlier calls: from the bits of a call to its variant and, once it was
 * launched that way, what a GPU launch needs. A table for each kernel, open addressing, never more
 * than half full.
 *
 * Readers take no lock: they load the table's address once, and an entry's address once. A writer,
 * under the module's lock, fills an entry before it publishes it, and replaces a full table by one
 * twice as large. Old tables live as long as the module, as somebody may be reading them (together
 * they are no larger than the newest one). Entries never change; one that was only compiled is
 * replaced by one that was launched, and also lives as long as the module.
 *
 * Calls of variants that may be forgotten are in another table (records.c). */
#include "jit/inner.h"

#include "jit/rules.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct JitDispatchTable {
	struct JitDispatchTable *older;
	uint32_t mask, len;
	JitDispatch *_Atomic slots[];
} JitDispatchTable;

/* ---- lookup ---- */

/* Where the entry is, or where it would be. */
static inline uint32_t slot_of(const JitDispatchTable *table, const uint64_t *key, size_t count,
			       uint64_t hash)
{
	for (uint32_t at = (uint32_t)hash & table->mask;; at = (at + 1) & table->mask) {
		const JitDispatch *d = atomic_load_explicit(&table->slots[at], memory_order_acquire);
		if (!d || (d->hash == hash && d->key_count == count &&
			   memcmp(d->words, key, count * sizeof *key) == 0))
			return at;
	}
}

const JitDispatch *jit_find(JitKernel *kernel, const uint64_t *key, size_t count, uint64_t hash)
{
	CONTRACT(count);
	JitDispatchTable *table = atomic_load_explicit(&kernel->dispatch, memory_order_acquire);
	const JitDispatch *found = NULL;
	if (table)
		found = atomic_load_explicit(&table->slots[slot_of(table, key, count, hash)],
					     memory_order_acquire);
	return LIKELY(found != NULL) ? found : jit_find_passing(kernel, key, count, hash);
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

/* False when there is one that is as good, and when memory ran out: the call is found the slow way then. */
static bool publish(JitKernel *kernel, JitDispatch *d)
{
	JitDispatchTable *table = kernel->dispatch;
	uint32_t at = table ? slot_of(table, d->words, d->key_count, d->hash) : 0;
	JitDispatch *same = table ? table->slots[at] : NULL;
	if (same && (same->function || !d->function))
		return false;
	if (same) {
		same->next = kernel->replaced;
		kernel->replaced = same;
		atomic_store_explicit(&table->slots[at], d, memory_order_release);
		return true;
	}
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

void jit_dispatch_free(JitDispatch *d)
{
	free(d->made);
	free(d);
}

void jit_find_free(JitKernel *kernel)
{
	JitDispatchTable *table = kernel->dispatch;
	for (uint32_t i = 0; table && i <= table->mask; i++)
		if (table->slots[i])
			jit_dispatch_free(table->slots[i]);
	while (table) {
		JitDispatchTable *older = table->older;
		free(table);
		table = older;
	}
	for (JitDispatch *d = kernel->replaced, *next; d; d = next) {
		next = d->next;
		jit_dispatch_free(d);
	}
	kernel->dispatch = NULL;
	kernel->replaced = NULL;
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
	const JitPlaces *places = launch->key->places;
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
	CONTRACT(i < jit_gpu_arg_count(variant));
	JitFill fill = fill_of_slot(variant, &variant->slots[i]);
	fill.arg = variant->slots[i].param;
	return fill;
}

/* Does the key tell all? What it leaves out must be an argument of the variant; and for a launch
 * that looks at no argument any more: IR text may ask for a divisibility that keys do not tell of. */
static bool key_suffices(const JitVariant *variant, const JitSet *set, bool launched)
{
	for (uint32_t i = 0; i < variant->kernel->info->param_count; i++) {
		const JitParam *param = &variant->params[i];
		if (set && jit_set_has(set, i) && param->kind != JIT_PARAM_NUMBER)
			return false;
		const FrontParam *front = &variant->kernel->info->params[i];
		bool counts = front->div8 || (front->div8_int && param->kind == JIT_PARAM_SCALAR);
		bool told = param->divisibility == RULE_DIVISOR ||
			    (param->divisibility == RULE_SMALL_DIVISOR && counts);
		if (launched && param->divisibility > 1 && !told)
			return false;
	}
	return true;
}

static void add(const JitVariant *variant, const JitKey *key, NvFunction *function, const JitLaunch *launch,
		const JitArg *const *given, void *const *params)
{
	JitKernel *kernel = variant->kernel;
	if (!key_suffices(variant, key->set, function != NULL))
		return;
	enum { LINE = 64 }; /* of the cache: a launch reads it from the beginning */
	size_t row_words = function ? key->row_words : 0, words = key->count + row_words;
	size_t places = function ? variant->slot_count : 0;
	JitDispatch *d = heap_aligned(LINE, sizeof(JitDispatch) + words * sizeof(uint64_t) +
						    places * sizeof(uint32_t));
	if (!d)
		return;
	memset(d, 0, sizeof *d);
	d->places = (uint32_t *)(d->words + words);
	if (function && !make_fills(d, variant, launch, given, params)) {
		jit_dispatch_free(d);
		return;
	}
	d->hash = key->hash;
	d->variant = variant;
	d->function = function;
	d->driver = kernel->module->host->driver;
	d->has_events = jit_has_events(variant);
	d->passes = variant->passes;
	d->key_count = (uint32_t)key->count;
	d->row_words = (uint32_t)row_words;
	memcpy(d->words, key->words, key->count * sizeof *d->words);
	if (row_words)
		memcpy(d->words + key->count, key->rows, row_words * sizeof *d->words);
	pthread_mutex_lock(&kernel->module->table_lock);
	bool added = d->passes ? jit_publish_passing(kernel, d) : publish(kernel, d);
	pthread_mutex_unlock(&kernel->module->table_lock);
	if (!added)
		jit_dispatch_free(d);
}

void jit_find_add(const JitVariant *variant, const JitKey *key)
{
	CONTRACT(variant->ready);
	const JitDispatch *known = jit_find(variant->kernel, key->words, key->count, key->hash);
	if (!known)
		add(variant, key, NULL, NULL, NULL, NULL);
	else if (known->passes)
		jit_let_go(known->variant);
}

void jit_find_add_launch(const JitVariant *variant, NvFunction *function, const JitLaunch *launch,
			 const JitArg *const *given, void *const *params)
{
	CONTRACT(variant->ready && function);
	add(variant, launch->key, function, launch, given, params);
}
