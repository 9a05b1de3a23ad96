/* The second level of the cache: from the hash of a variant's PTX, the assembler and its flags to
 * the cubin, as assembling takes most of the time. */
#include <stdlib.h>

#include "base/os.h"
#include "jit/keep/cache.h"

/* The text of a cubin's key. */
static Str cubin_key(const JitVariant *variant, const NvAssemble *how, Arena *arena)
{
	CacheKey key;
	char hex[CACHE_HEX_SIZE];
	CacheDigest ptx = cache_hash_of(variant->gpu->ptx.ptr, variant->gpu->ptx.len);
	cache_digest_hex(&ptx, hex);
	cache_key_init(&key, arena);
	cache_key_add(&key, "assembler", variant->gpu->assembler);
	cache_key_add(&key, "target", how->target->name);
	cache_key_printf(&key, "flags", "%d %d %d", how->line_info, how->no_fusion, how->no_optimize);
	cache_key_printf(&key, "shared", "%u", how->shared);
	cache_key_add(&key, "products", "waits"); /* nv/serial.c: what was made without them may be wrong */
	cache_key_add(&key, "ptx", hex);
	return cache_key_text(&key);
}

static bool cubin_load(NvCubin *cubin, const CacheEntry *entry, Arena *arena)
{
	Str bytes, report, log;
	const char *why;
	unsigned n[5];
	if (!cache_entry_section(entry, "cubin", arena, &bytes, &why) || !cache_entry_section(entry, "report", arena, &report, &why) ||
	    !cache_entry_section(entry, "log", arena, &log, &why) || bytes.len < 64 || memcmp(bytes.ptr, "\177ELF", 4) != 0 ||
	    report.len != sizeof n)
		return false;
	memcpy(n, report.ptr, sizeof n);
	char *data = malloc(bytes.len), *text = malloc(log.len + 1);
	if (!data || !text) {
		free(data);
		free(text);
		return false;
	}
	memcpy(data, bytes.ptr, bytes.len);
	memcpy(text, log.ptr, log.len);
	text[log.len] = '\0';
	*cubin = (NvCubin){.data = data, .len = bytes.len, .log = text, .registers = n[0], .spill_stores = n[1], .spill_loads = n[2],
			   .stack = n[3], .shared = n[4]};
	return true;
}

bool jit_cubin_get(JitVariant *variant, const NvAssemble *how, DiagList *diags)
{
	CONTRACT(variant->gpu);
	const JitHost *host = variant->kernel->module->host;
	JitGpu *gpu = variant->gpu;
	JitCacheMode mode;
	jit_cache_mode(host->cache, &mode, diags);
	Str text = cubin_key(variant, how, diags->arena);
	CacheDigest key = cache_hash_of(text.ptr, text.len);
	CacheEntry entry;
	double began = os_now();
	if (variant->kept)
		mode.store = NULL;
	if (mode.store && mode.read && cache_get(mode.store, CACHE_CUBIN, &key, diags->arena, &entry, NULL) &&
	    cubin_load(&gpu->cubin, &entry, diags->arena)) {
		gpu->cubin.seconds = os_now() - began;
		gpu->assembled_before = true;
		return true;
	}
	uint32_t warnings = diags->warnings;
	if (!nv_assemble(host->tools, gpu->ptx, how, &gpu->cubin, diags))
		return false;
	const char *assembler = nv_assembler_identity(host->tools, how, diags->arena, diags);
	gpu->assembler_changed = !assembler || strcmp(assembler, gpu->assembler) != 0;
	/* What the assembler warned of is said each time, so it is asked each time. */
	if (!mode.store || gpu->assembler_changed || diags->warnings != warnings)
		return true;
	const NvCubin *c = &gpu->cubin;
	unsigned report[5] = {c->registers, c->spill_stores, c->spill_loads, c->stack, c->shared};
	CacheSection sections[] = {{"key", text},
				   {"cubin", {c->data, c->len}},
				   {"report", {(const char *)report, sizeof report}},
				   {"log", str_of(c->log ? c->log : "")}};
	cache_put(mode.store, CACHE_CUBIN, &key, cache_entry_write(diags->arena, &key, sections, ARRAY_LEN(sections)));
	return true;
}
