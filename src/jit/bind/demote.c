/* Constexprs as run-time arguments (policy `generic`): which numbers may be, which are, and what
 * is known of a kernel.
 *
 * Which constexprs are structural is found by lowering. It may depend on the types of arguments
 * and on the values of other structural parameters, but not on the values of numeric ones, since
 * the lowering never saw them. So the sets of demoted parameters that calls of a kernel end in
 * form a tree by structural values: with a set that another call ended in, either the key names a
 * variant, which then is the right one, or the set is not this call's. */
#include "jit/inner.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/fault.h"
#include "jit/keep/cache.h"

/* ---- bindings ---- */

bool jit_demote(const JitArg *arg, const char *text, FrontArg *out)
{
	TlDtype dtype;
	switch (arg->kind) {
	case JIT_BOOL: dtype = DT_INT1; break;
	case JIT_INT: dtype = arg->is_unsigned && arg->i < 0 ? DT_UINT64 : tl_dtype_of_int(arg->i); break;
	case JIT_FLOAT: dtype = tl_dtype_of_float(arg->f); break;
	default: return false;
	}
	*out = (FrontArg){.kind = FRONT_DEMOTED, .text = text, .dtype = dtype};
	return true;
}

void jit_binding_done(JitBinding *binding, uint32_t param_count)
{
	binding->demotes = false;
	for (uint32_t i = 0; i < param_count; i++) {
		if (binding->args[i].kind == FRONT_DEMOTED && i >= JIT_SET_MAX)
			binding->args[i].kind = FRONT_CONST;
		binding->demotes |= binding->args[i].kind == FRONT_DEMOTED;
	}
}

void jit_settle(Arena *arena, const JitKernel *kernel, const JitBinding *binding, const JitSet *set,
		const JitOptions *options, JitBinding *out)
{
	uint32_t count = kernel->info->param_count;
	*out = *binding;
	out->args = ARENA_ARRAY(arena, FrontArg, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		out->args[i] = binding->args[i];
		if (out->args[i].kind == FRONT_DEMOTED && !jit_set_has(set, i))
			out->args[i].kind = FRONT_CONST;
	}
	out->key = jit_key(arena, kernel, out->args, options);
}

/* ---- what is known of a kernel ---- */

JitDemotion *jit_demotions(const JitKernel *kernel)
{
	return atomic_load_explicit(&kernel->demotions, memory_order_acquire);
}

const JitSet *jit_kernel_demoted(const JitKernel *kernel)
{
	const JitDemotion *newest = jit_demotions(kernel);
	return newest ? &newest->common : NULL;
}

void jit_demotions_free(JitKernel *kernel)
{
	for (JitDemotion *d = kernel->demotions, *next; d; d = next) {
		next = d->next;
		free(d);
	}
	kernel->demotions = NULL;
}

static void remember(JitKernel *kernel, const JitSet *set)
{
	JitDemotion *fresh = calloc(1, sizeof *fresh);
	if (!fresh)
		fault_raise(FAULT_MEMORY, "out of memory: %zu bytes", sizeof *fresh);
	pthread_mutex_lock(&kernel->module->table_lock);
	JitDemotion *newest = kernel->demotions, *same = newest;
	while (same && memcmp(&same->set, set, sizeof *set) != 0)
		same = same->next;
	if (!same) {
		*fresh = (JitDemotion){.next = newest, .set = *set, .common = *set};
		for (size_t w = 0; newest && w < ARRAY_LEN(set->words); w++)
			fresh->common.words[w] &= newest->common.words[w];
		atomic_store_explicit(&kernel->demotions, fresh, memory_order_release);
		fresh = NULL;
	}
	pthread_mutex_unlock(&kernel->module->table_lock);
	free(fresh);
}

/* ---- asking the front end ---- */

void jit_front_classify(JitKernel *kernel, FrontArg *args, const JitOptions *options, Arena *arena, FrontClassed *classed,
			FrontFailure *failure, FrontReads *reads)
{
	JitModule *module = kernel->module;
	FrontOptions front = jit_front_options(options);
	front.reads = reads;
	Fault fault;
	pthread_mutex_lock(&module->front_lock);
	if (FAULT_TRY(&fault)) {
		front_classify(kernel->function, args, kernel->info->param_count, &front, arena, classed, failure);
		fault_leave(&fault);
		pthread_mutex_unlock(&module->front_lock);
	} else {
		pthread_mutex_unlock(&module->front_lock);
		fault_raise(fault.kind, "%s", fault.text);
	}
}

/* ---- what other processes found out ---- */

/* A set as it is kept: its words as digits. */
static bool recall(CacheStore *store, const CacheDigest *key, Arena *arena, JitSet *set)
{
	CacheEntry entry;
	Str text;
	const char *why;
	if (!cache_get(store, CACHE_FACT, key, arena, &entry, NULL) ||
	    !cache_entry_section(&entry, "demoted", arena, &text, &why) ||
	    text.len != 16 * ARRAY_LEN(set->words) ||
	    strspn(arena_strndup(arena, text.ptr, text.len), "0123456789abcdef") != text.len)
		return false;
	for (size_t w = 0; w < ARRAY_LEN(set->words); w++)
		set->words[w] = strtoull(arena_strndup(arena, text.ptr + 16 * w, 16), NULL, 16);
	return true;
}

static void keep(CacheStore *store, const CacheDigest *key, Arena *arena, const JitSet *set)
{
	Text text;
	text_init(&text, arena);
	for (size_t w = 0; w < ARRAY_LEN(set->words); w++)
		text_printf(&text, "%016llx", (unsigned long long)set->words[w]);
	CacheSection section = {"demoted", {text.data, text.len}};
	cache_put(store, CACHE_FACT, key, cache_entry_write(arena, key, &section, 1));
}

JitSet jit_classify(JitKernel *kernel, const JitBinding *binding, const JitOptions *options, Arena *arena)
{
	uint32_t count = kernel->info->param_count;
	FrontArg *args = ARENA_ARRAY(arena, FrontArg, count + 1);
	memcpy(args, binding->args, count * sizeof *args);
	JitSet set = {{0}};
	JitCacheMode mode = {0};
	DiagList none;
	CacheDigest key;
	FrontReads *reads = NULL;
	diag_init(&none, arena, NULL);
	if (options->gpu && !options->sim)
		jit_cache_mode(kernel->module->host->cache, &mode, &none);
	if (mode.store && !jit_demotion_key(kernel, args, options, arena, &key, &reads))
		mode.store = NULL;
	if (mode.store && mode.read && recall(mode.store, &key, arena, &set)) {
		remember(kernel, &set);
		return set;
	}
	jit_front_classify(kernel, args, options, arena, ARENA_ARRAY(arena, FrontClassed, count + 1), NULL,
			   reads);
	for (uint32_t i = 0; i < count && i < JIT_SET_MAX; i++)
		if (args[i].kind == FRONT_DEMOTED)
			set.words[i / 64] |= (uint64_t)1 << i % 64;
	if (mode.store && !(reads && front_read_beyond(reads)))
		keep(mode.store, &key, arena, &set);
	remember(kernel, &set);
	return set;
}
