/* Variants in the compile cache. One process compiles a key while others wait for it. Only the
 * compilation can fail here: a failure of the store is a warning.
 *
 * A variant that ptxas assembled also has a reference under the key that does not depend on the
 * assembler: so a machine without ptxas finds what another one made (a pack, a layer, a server). */

#include "cache/disk/log.h"
#include "jit/keep/cache.h"

static bool begin(JitMaking *m)
{
	jit_cache_mode(m->variant->kernel->module->host->cache, &m->mode, m->diags);
	return m->mode.store != NULL;
}

/* ---- finding ---- */

/* An entry that holds together, and makes no sense. */
static void drop(JitMaking *m, const CacheDigest *key, uint32_t layer, const char *why)
{
	cache_drop(m->mode.store, CACHE_VARIANT, key, why);
	if (layer == CACHE_LAYER_REMOTE && why != cache_no_memory)
		cache_remote_distrust(m->mode.store, CACHE_VARIANT, key);
}

/* The key and entry behind one that says which libraries of bitcode the variant depends on: theirs has rows for what these hold now. */
static bool follow_libraries(const JitMaking *m, bool lenient, CacheEntry *entry, CacheKey *key, CacheDigest *digest, uint32_t *layer)
{
	Str libraries, now, text;
	const char *why;
	Arena *arena = m->diags->arena;
	CacheKey asked; /* with the assembler that made it, which need not be ours */
	if (!cache_entry_section(entry, "libraries", arena, &libraries, &why) || !cache_entry_section(entry, "key", arena, &text, &why))
		return false;
	cache_key_read(&asked, arena, text);
	CacheDigest held = cache_key_digest(&asked);
	if (!cache_digest_eq(&held, digest))
		return false;
	now = jit_libraries_now(m->variant->kernel->module->host->cache, libraries, lenient, arena);
	if (!now.ptr)
		return false;
	jit_libraries_rows(&asked, now, key);
	*digest = cache_key_digest(key);
	return cache_get(m->mode.store, CACHE_VARIANT, digest, arena, entry, layer);
}

/* lenient: a library that is not there is as it was when the variant was made, by whoever had it. */
static bool load(JitMaking *m, bool lenient)
{
	CacheEntry entry;
	CacheKey key = m->key;
	CacheDigest digest = m->digest;
	const char *why;
	uint32_t layer;
	if (!cache_get(m->mode.store, CACHE_VARIANT, &digest, m->diags->arena, &entry, &layer) ||
	    (cache_entry_has(&entry, "libraries") && !follow_libraries(m, lenient, &entry, &key, &digest, &layer)))
		return false;
	if (jit_stored_load(m->variant, &entry, &why, m->diags)) {
		m->key = key;
		m->digest = digest;
		m->event = layer == CACHE_LAYER_REMOTE ? CACHE_EVENT_REMOTE : layer ? CACHE_EVENT_LAYER : CACHE_EVENT_HIT;
		return true;
	}
	drop(m, &digest, layer, why);
	m->event = CACHE_EVENT_DAMAGED;
	return false;
}

/* Where there is no ptxas: what another machine's made. */
static bool load_foreign(JitMaking *m)
{
	NvTools *tools = m->variant->kernel->module->host->tools;
	NvAssemble how = jit_gpu_assemble(m->variant);
	Arena *arena = m->diags->arena;
	CacheDigest own = m->digest, named;
	CacheEntry entry;
	CacheKey any;
	Str made, assembler;
	const char *why = NULL;
	uint32_t layer;
	if (!nv_takes_cubin_of(tools, &how, "ptxas 0", arena))
		return false;
	jit_any_assembler_rows(m->variant, &m->key, &any);
	named = cache_key_digest(&any);
	if (!cache_get(m->mode.store, CACHE_VARIANT, &named, arena, &entry, &layer))
		return false;
	if (!cache_entry_section(&entry, "variant", arena, &made, &why) ||
	    !cache_entry_section(&entry, "assembler", arena, &assembler, &why) ||
	    !cache_digest_read(made.ptr, made.len, &m->digest)) {
		drop(m, &named, layer, why ? why : "it refers to nothing");
		m->digest = own;
		return false;
	}
	if (nv_takes_cubin_of(tools, &how, arena_strndup(arena, assembler.ptr, assembler.len), arena) && load(m, true))
		return true;
	m->digest = own;
	return false;
}

/* Nobody has assembled it: from here on it is the variant that ends with PTX. True: that one is there. */
static bool end_with_ptx(JitMaking *m)
{
	CacheKey none;
	jit_no_assembler_rows(&m->key, &none);
	m->key = none;
	m->digest = cache_key_digest(&none);
	return m->reads && load(m, false);
}

static bool find(JitMaking *m)
{
	m->event = m->reads ? CACHE_EVENT_MISS : CACHE_EVENT_FORCED;
	if (m->reads && (load(m, false) || load_foreign(m)))
		return true;
	if (m->variant->options.ptx_only && end_with_ptx(m))
		return true;
	return m->reads &&
	       (cache_claim(m->mode.store, CACHE_VARIANT, &m->digest, &m->claim) == CACHE_THERE && load(m, false));
}

/* ---- putting ---- */

static void put_reference(JitMaking *m, const CacheKey *key, const CacheDigest *variant, Arena *arena)
{
	const char *assembler = cache_key_value(key, "assembler");
	char hex[CACHE_HEX_SIZE];
	CacheKey any;
	if (strncmp(assembler, "ptxas ", 6) != 0)
		return;
	jit_any_assembler_rows(m->variant, key, &any);
	cache_digest_hex(variant, hex);
	CacheDigest digest = cache_key_digest(&any);
	const char *metadata =
		arena_printf(arena, "{\"variant\": \"where there is no ptxas: %.16s\"}\n", hex);
	CacheSection sections[] = {{"key", cache_key_text(&any)}, {"variant", str_of(hex)}, {"assembler", str_of(assembler)},
				   {"metadata", str_of(metadata)}};
	cache_put(m->mode.store, CACHE_VARIANT, &digest, cache_entry_write(arena, &digest, sections, ARRAY_LEN(sections)));
}

/* Before the row for what it read: who asks for the variant knows no more than that key. */
static void put_libraries(JitMaking *m, const CacheKey *key, const CacheDigest *digest, Str libraries, Arena *arena)
{
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(&m->digest, hex);
	const char *metadata = arena_printf(arena, "{\"variant\": \"by what its libraries hold, at last: %.16s\"}\n", hex);
	CacheSection sections[] = {{"key", cache_key_text(key)}, {"libraries", libraries}, {"metadata", str_of(metadata)}};
	cache_put(m->mode.store, CACHE_VARIANT, digest, cache_entry_write(arena, digest, sections, ARRAY_LEN(sections)));
}

static bool put(JitMaking *m, Str warnings)
{
	CacheKey key = m->key;
	CacheDigest digest = m->digest;
	Arena arena;
	arena_init(&arena, 0);
	Str libraries = jit_libraries_text(m->variant->gpu->code, m->diags->arena);
	if (libraries.len) {
		jit_libraries_rows(&key, libraries, &m->key);
		m->digest = cache_key_digest(&m->key);
	}
	Str file = jit_stored_write(m, warnings, &arena);
	bool done = cache_put(m->mode.store, CACHE_VARIANT, &m->digest, file);
	if (done && libraries.len)
		put_libraries(m, &key, &digest, libraries, &arena);
	if (done)
		put_reference(m, &key, &digest, &arena);
	arena_free(&arena);
	return done;
}

/* ---- the end ---- */

static void end(JitMaking *m, bool good)
{
	const JitVariant *variant = m->variant;
	double seconds = 0;
	for (int i = 0; i < JIT_STEP__COUNT; i++)
		seconds += variant->seconds[i];
	if (m->event == CACHE_EVENT_MISS && good && variant->gpu->assembled_before)
		m->event = CACHE_EVENT_HALF;
	if (good)
		cache_log(m->mode.store, m->event, &m->digest, seconds,
			  variant->kernel->info->qualified_name);
	jit_cache_tell(&m->mode, m->diags);
}

static void release(JitMaking *m)
{
	cache_release(&m->claim);
}

const JitStorage jit_storage_cache = {
	.begin = begin, .find = find, .put = put, .release = release, .end = end};

bool jit_stored_text(const JitVariant *variant, const char *stage, Text *out)
{
	CONTRACT(stage);
	JitCacheMode mode;
	DiagList none;
	CacheDigest key;
	CacheEntry entry;
	Str text;
	const char *why;
	if (!variant->gpu || variant->kept || !cache_digest_read(variant->gpu->cache_key, strlen(variant->gpu->cache_key), &key))
		return false;
	diag_init(&none, out->arena, NULL);
	jit_cache_mode(variant->kernel->module->host->cache, &mode, &none);
	if (!mode.store || !cache_get(mode.store, CACHE_VARIANT, &key, out->arena, &entry, NULL) ||
	    !cache_entry_section(&entry, stage, out->arena, &text, &why))
		return false;
	text_add(out, text.ptr, text.len);
	return true;
}
