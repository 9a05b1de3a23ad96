/* Tensor maps that launches encode from their arguments.
 *
 * A kernel caches its last maps by their inputs: a launch like one before compares a few words and
 * copies 128 bytes, without lock or allocation. One thread at a time writes an entry; a reader
 * that meets an entry being written ignores it and encodes. Maps hold addresses but no context, so
 * they belong to the kernel. */
#include "nv/inner.h"

/* What a map is made of, as words. */
_Static_assert(sizeof(TensorMapValues) == 8 * NV_MAP_VALUES, "words");
_Static_assert(sizeof(NvMap) == TENSOR_MAP_BYTES, "the driver's");

static NvMapEntry *entry_of(const NvKernel *kernel, size_t map, const uint64_t *words)
{
	uint64_t hash = 0;
	for (unsigned i = 0; i < NV_MAP_VALUES; i++)
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return &kernel->map_entries[map * NV_MAP_WAYS + (hash >> 32) % NV_MAP_WAYS];
}

static bool recall(const NvMapEntry *entry, const uint64_t *words, NvMap *out)
{
	unsigned seq = atomic_load_explicit(&entry->seq, memory_order_acquire);
	bool same = seq && !(seq & 1);
	for (unsigned i = 0; same && i < NV_MAP_VALUES; i++)
		same = atomic_load_explicit(&entry->values[i], memory_order_relaxed) == words[i];
	for (unsigned i = 0; same && i < ARRAY_LEN(out->words); i++)
		out->words[i] = atomic_load_explicit(&entry->map[i], memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return same && atomic_load_explicit(&entry->seq, memory_order_relaxed) == seq;
}

static void remember(NvMapEntry *entry, const uint64_t *words, const NvMap *map)
{
	unsigned seq = atomic_load_explicit(&entry->seq, memory_order_relaxed);
	if (seq & 1 || !atomic_compare_exchange_strong_explicit(&entry->seq, &seq, seq + 1, memory_order_acquire, memory_order_relaxed))
		return;
	atomic_thread_fence(memory_order_release);
	for (unsigned i = 0; i < NV_MAP_VALUES; i++)
		atomic_store_explicit(&entry->values[i], words[i], memory_order_relaxed);
	for (unsigned i = 0; i < ARRAY_LEN(map->words); i++)
		atomic_store_explicit(&entry->map[i], map->words[i], memory_order_relaxed);
	atomic_store_explicit(&entry->seq, seq + 2, memory_order_release);
}

static bool encode(const NvFunction *f, const TensorMapPlan *plan, const TensorMapValues *values, NvMap *out)
{
	enum { INTERLEAVE_NONE = 0, PROMOTION_128 = 2 };
	const CudaApi *cuda = &f->driver->cuda;
	uint32_t box[TENSOR_MAP_RANK], steps[TENSOR_MAP_RANK];
	for (unsigned d = 0; d < plan->rank; d++) {
		box[d] = plan->box[plan->rank - 1 - d];
		steps[d] = 1;
	}
	int swizzle = plan->swizzle == 128 ? 3 : plan->swizzle == 64 ? 2 : plan->swizzle == 32 ? 1 : 0;
	return cuda->cuTensorMapEncodeTiled &&
	       cuda->cuTensorMapEncodeTiled(out, plan->type, plan->rank, (void *)(uintptr_t)values->address, values->dims, values->strides, box,
					    steps, INTERLEAVE_NONE, swizzle, PROMOTION_128, (int)values->nan) == CUDA_SUCCESS;
}

static bool make(const NvFunction *f, size_t number, void *const *params, NvMap *out)
{
	const NvKernel *kernel = f->kernel;
	const TensorMapPlan *plan = &kernel->info.maps[number];
	TensorMapValues values;
	uint64_t words[NV_MAP_VALUES];
	if (tensor_map_values(plan, kernel->info.args, params, &values))
		return false;
	memcpy(words, &values, sizeof words);
	NvMapEntry *entry = entry_of(kernel, number, words);
	if (LIKELY(recall(entry, words, out)))
		return true;
	if (!encode(f, plan, &values, out))
		return false;
	remember(entry, words, out);
	return true;
}

bool nv_arguments(const NvFunction *f, const uint32_t grid[3], void *const *params, NvArguments *out)
{
	const NvKernel *kernel = f->kernel;
	size_t maps = 0;
	for (size_t i = 0; i < kernel->given_count; i++) {
		bool map = kernel->info.args[i] == 't';
		if (map && !make(f, maps, params, &out->maps[maps]))
			return false;
		out->params[i] = map ? (void *)&out->maps[maps++] : params[i];
	}
	/* That of the scratch is filled in by who has it. */
	for (size_t i = 0; i < f->program_counts; i++) {
		out->programs[i] = grid[i];
		out->params[kernel->given_count + i] = &out->programs[i];
	}
	return true;
}

bool nv_can_launch(const NvFunction *f, void *const *params)
{
	NvArguments arguments;
	return !f->mapped || nv_arguments(f, (const uint32_t[3]){1, 1, 1}, params, &arguments);
}

bool nv_maps_allowed(const TensorMapPlan *plans, size_t count, const char *args)
{
	size_t letters = strlen(args), maps = 0;
	for (size_t i = 0; i < letters; i++)
		maps += args[i] == 't';
	bool made = count || strchr(args, 'n');
	bool ok = maps == count && count <= NV_MOST_MAPS && (!made || letters <= NV_MOST_ARGS);
	for (size_t i = 0; i < count && ok; i++) {
		const TensorMapPlan *p = &plans[i];
		ok = (size_t)p->base < letters && args[p->base] == 'p' && (p->fill < 0 || ((size_t)p->fill < letters && args[p->fill] == '1'));
		for (unsigned d = 0; d < p->rank && ok; d++) {
			const TensorMapTerm terms[] = {p->shape[d], p->strides[d]};
			for (unsigned k = 0; k < ARRAY_LEN(terms) && ok; k++)
				ok = terms[k].arg < 0 || ((size_t)terms[k].arg < letters && strchr("1248", args[terms[k].arg]));
		}
	}
	return ok;
}
