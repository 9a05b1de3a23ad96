/* Variants that may be evicted. A process that meets new values all the time makes new variants
 * all the time; what it keeps of them is bounded.
 *
 * The first half of the bound stays as long as the module: such variants are found without a lock
 * (find.c). Those after them are evictable (`passes`): above the bound, the least recently used
 * are evicted, several at a time, if the cache has them, nobody holds them, and no GPU has their
 * code loaded (nv/loaded.c unloads what has not been used for long, and never what a graph or a
 * running launch uses). A launch that asks for an evicted variant takes it from the cache again.
 *
 * Whoever finds an evictable variant holds it; `held` grows only under the module's table_lock, so
 * one that nobody holds under that lock can be removed. Its calls are in a table that is read
 * under the lock too.
 *
 * Lock order: the lock of the records, a module's table_lock, the driver's. The child of a fork
 * may find the first taken by a thread that it does not have: it begins with a list of its own,
 * and keeps what its parent had. */
#include "jit/inner.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct JitRecords {
	uint64_t most;
	pthread_mutex_t lock; /* of the list */
	_Atomic pid_t pid;    /* whose lock and list it is */
	unsigned generation;  /* one for each such process */
	JitVariant *newest;   /* of those that may go */
	_Atomic uint64_t count; /* of a GPU's variants, those that stay included */
	_Atomic uint64_t ticks;
} JitRecords;

typedef struct JitCalls {
	uint32_t mask, len;
	JitDispatch *heads[];
} JitCalls;

JitRecords *jit_records_new(uint64_t most)
{
	JitRecords *records = most ? calloc(1, sizeof *records) : NULL;
	if (!records)
		return NULL;
	records->most = MAX(most, (uint64_t)2);
	records->generation = 1;
	records->pid = getpid();
	pthread_mutex_init(&records->lock, NULL);
	return records;
}

void jit_records_free(JitRecords *records)
{
	if (!records)
		return;
	pthread_mutex_destroy(&records->lock);
	free(records);
}

static void lock(JitRecords *records)
{
	const pid_t self = getpid();
	pid_t owner = records->pid;
	if (owner != self && owner != 0 && atomic_compare_exchange_strong(&records->pid, &owner, 0)) {
		pthread_mutex_init(&records->lock, NULL);
		records->newest = NULL;
		records->generation++;
		records->pid = self;
	}
	while (records->pid != self)
		sched_yield();
	pthread_mutex_lock(&records->lock);
}

static JitRecords *records_of(const JitKernel *kernel)
{
	return kernel->module->host->records;
}

/* ---- holding ---- */

void jit_hold(const JitVariant *variant)
{
	if (variant && variant->passes)
		((JitVariant *)(uintptr_t)variant)->held++;
}

void jit_let_go(const JitVariant *variant)
{
	if (variant && variant->passes)
		((JitVariant *)(uintptr_t)variant)->held--;
}

void jit_let_all_go(const JitVariant *const *variants, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		jit_let_go(variants[i]);
}

bool jit_passes(const JitKernel *kernel, const JitOptions *options)
{
	const JitRecords *records = records_of(kernel);
	return records && options->gpu && !options->sim && !options->ptx_only &&
	       records->count >= records->most / 2;
}

/* ---- calls ---- */

static JitDispatch **place_of(const JitCalls *calls, const uint64_t *key, size_t count, uint64_t hash)
{
	JitDispatch **at = (JitDispatch **)(uintptr_t)&calls->heads[(uint32_t)hash & calls->mask];
	while (*at && ((*at)->hash != hash || (*at)->key_count != count ||
		       memcmp((*at)->words, key, count * sizeof *key) != 0))
		at = &(*at)->next;
	return at;
}

const JitDispatch *jit_find_passing(JitKernel *kernel, const uint64_t *key, size_t count, uint64_t hash)
{
	if (!atomic_load_explicit(&kernel->calls, memory_order_acquire))
		return NULL;
	pthread_mutex_lock(&kernel->module->table_lock);
	JitDispatch *found = *place_of(kernel->calls, key, count, hash);
	if (found) {
		JitVariant *variant = (JitVariant *)(uintptr_t)found->variant;
		variant->held++;
		variant->used = ++records_of(kernel)->ticks;
	}
	pthread_mutex_unlock(&kernel->module->table_lock);
	return found;
}

static JitCalls *calls_new(uint32_t size)
{
	JitCalls *calls = calloc(1, sizeof *calls + size * sizeof calls->heads[0]);
	if (calls)
		calls->mask = size - 1;
	return calls;
}

static void insert(JitCalls *calls, JitDispatch *dispatch)
{
	JitDispatch **head = &calls->heads[(uint32_t)dispatch->hash & calls->mask];
	dispatch->next = *head;
	*head = dispatch;
	calls->len++;
}

/* Room for one more, if there is memory. NULL: there is no table at all. */
static JitCalls *grown(JitKernel *kernel)
{
	JitCalls *old = kernel->calls;
	if (old && old->len <= old->mask)
		return old;
	JitCalls *calls = calls_new(old ? 2 * (old->mask + 1) : 16);
	if (!calls)
		return old;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		for (JitDispatch *d = old->heads[i], *next; d; d = next) {
			next = d->next;
			insert(calls, d);
		}
	atomic_store_explicit(&kernel->calls, calls, memory_order_release);
	free(old);
	return calls;
}

/* Out of the table; it is freed with its variant, as somebody may be launching by it. */
static void retire(JitCalls *calls, JitDispatch **at)
{
	JitDispatch *dispatch = *at;
	JitVariant *variant = (JitVariant *)(uintptr_t)dispatch->variant;
	*at = dispatch->next;
	calls->len--;
	dispatch->next = variant->old_calls;
	variant->old_calls = dispatch;
}

bool jit_publish_passing(JitKernel *kernel, JitDispatch *dispatch)
{
	JitCalls *calls = grown(kernel);
	if (!calls)
		return false;
	JitDispatch **at = place_of(calls, dispatch->words, dispatch->key_count, dispatch->hash);
	if (*at && ((*at)->function || !dispatch->function))
		return false;
	if (*at)
		retire(calls, at);
	insert(calls, dispatch);
	return true;
}

static void retire_all(JitKernel *kernel, const JitVariant *variant)
{
	JitCalls *calls = kernel->calls;
	for (uint32_t i = 0; calls && i <= calls->mask; i++)
		for (JitDispatch **at = &calls->heads[i]; *at;)
			if ((*at)->variant == variant)
				retire(calls, at);
			else
				at = &(*at)->next;
}

void jit_calls_free(JitKernel *kernel)
{
	JitCalls *calls = kernel->calls;
	for (uint32_t i = 0; calls && i <= calls->mask; i++)
		for (JitDispatch *d = calls->heads[i], *next; d; d = next) {
			next = d->next;
			jit_dispatch_free(d);
		}
	free(calls);
	kernel->calls = NULL;
}

/* ---- forgetting ---- */

static void list_add(JitRecords *records, JitVariant *variant)
{
	variant->generation = records->generation;
	variant->newer = NULL;
	variant->older = records->newest;
	if (records->newest)
		records->newest->newer = variant;
	records->newest = variant;
}

static void list_remove(JitRecords *records, JitVariant *variant)
{
	if (variant->generation != records->generation)
		return;
	if (variant->newer)
		variant->newer->older = variant->older;
	else
		records->newest = variant->older;
	if (variant->older)
		variant->older->newer = variant->newer;
	variant->generation = 0;
}

static bool may_go(const JitVariant *variant)
{
	return variant->held == 0 && !(variant->gpu->kernel && nv_kernel_is_loaded(variant->gpu->kernel));
}

enum { AT_ONCE = 64 };
typedef struct Victims {
	JitVariant *at[AT_ONCE];
	uint32_t count;
} Victims;

/* The oldest come first; at most `most`. */
static void find_victims(const JitRecords *records, uint32_t most, Victims *out)
{
	out->count = 0;
	for (JitVariant *v = records->newest; v; v = v->older) {
		uint32_t at = out->count;
		const uint64_t used = v->used;
		while (at > 0 && out->at[at - 1]->used > used)
			at--;
		if (at >= most || !may_go(v))
			continue;
		const uint32_t last = MIN(out->count, most - 1);
		memmove(out->at + at + 1, out->at + at, (last - at) * sizeof *out->at);
		out->at[at] = v;
		out->count = last + 1;
	}
}

static void add_to_gone(JitGone *gone, const JitVariant *variant)
{
	const bool hit = strcmp(variant->gpu->cache, "hit") == 0;
	gone->count++;
	gone->hits += hit;
	gone->compiled += !hit;
	gone->launches += variant->launches;
	for (int i = 0; i < JIT_STEP__COUNT && !hit; i++)
		gone->seconds += variant->seconds[i];
}

/* Takes it away from everybody who could find it; false: somebody has it by now. */
static bool take_away(JitVariant *variant)
{
	JitKernel *kernel = variant->kernel;
	pthread_mutex_lock(&kernel->module->table_lock);
	const bool goes = may_go(variant);
	if (goes) {
		JitVariant **at = &kernel->variants;
		while (*at != variant)
			at = &(*at)->next;
		*at = variant->next;
		kernel->variant_count--;
		add_to_gone(&kernel->gone, variant);
		retire_all(kernel, variant);
	}
	pthread_mutex_unlock(&kernel->module->table_lock);
	return goes;
}

static void make_room(JitRecords *records)
{
	Victims victims = {.count = 0};
	uint32_t gone = 0;
	if (records->count <= records->most)
		return;
	lock(records);
	if (records->count > records->most)
		find_victims(records, (uint32_t)MIN(MAX(records->most / 8, (uint64_t)1), (uint64_t)AT_ONCE),
			     &victims);
	for (uint32_t i = 0; i < victims.count; i++) {
		JitVariant *variant = victims.at[i];
		if (!take_away(variant))
			continue;
		list_remove(records, variant);
		records->count--;
		victims.at[gone++] = variant;
	}
	pthread_mutex_unlock(&records->lock);
	while (gone)
		jit_variant_free(victims.at[--gone]);
}

void jit_records_add(JitVariant *variant)
{
	JitRecords *records = records_of(variant->kernel);
	if (!records || !variant->gpu)
		return;
	variant->used = ++records->ticks;
	variant->counted = true;
	records->count++;
	if (!variant->passes || !(variant->kept || *variant->gpu->cache_key))
		return; /* it would have to be compiled again */
	lock(records);
	list_add(records, variant);
	pthread_mutex_unlock(&records->lock);
	make_room(records);
}

JitGone jit_kernel_gone(const JitKernel *kernel)
{
	pthread_mutex_lock(&kernel->module->table_lock);
	const JitGone gone = kernel->gone;
	pthread_mutex_unlock(&kernel->module->table_lock);
	return gone;
}

void jit_records_leave(JitModule *module)
{
	JitRecords *records = module->host->records;
	if (!records || !module->kernels)
		return;
	lock(records);
	for (uint32_t i = 0; i < module->kernel_count; i++)
		for (JitVariant *v = module->kernels[i].variants; v; v = v->next) {
			records->count -= v->counted;
			list_remove(records, v);
		}
	pthread_mutex_unlock(&records->lock);
}
