/* GPU variants that the host keeps instead of the disk cache (JitKeeper): the sections of stored.c
 * go there one by one, as files.
 *
 * The section "digests" has a line for each other one, name and SHA-256. What comes back is
 * checked against it, so a truncated or altered section is a miss and not a launch. Only the
 * compilation can fail here. */
#include "base/option/option.h"
#include "jit/keep/cache.h"

bool jit_keeper_active(const JitHost *host)
{
	const JitKeeper *keeper = &host->keeper;
	return keeper->active && !option_is_on(OPTION_CACHE_DISABLE) && keeper->active(host->data);
}

static const JitHost *host_of(const JitVariant *variant)
{
	return variant->kernel->module->host;
}

/* ---- digests ---- */

static CacheSection digests_of(Arena *arena, const CacheSection *sections, size_t count)
{
	Text text;
	char hex[CACHE_HEX_SIZE];
	text_init(&text, arena);
	text_str(&text, "");
	for (size_t i = 0; i < count; i++) {
		CacheDigest digest = cache_hash_of(sections[i].bytes.ptr, sections[i].bytes.len);
		cache_digest_hex(&digest, hex);
		text_printf(&text, "%s %s\n", sections[i].name, hex);
	}
	return (CacheSection){"digests", {text.data, text.len}};
}

static const CacheSection *find(const CacheSection *sections, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(sections[i].name, name) == 0)
			return &sections[i];
	return NULL;
}

/* Is the section what the list of digests says? */
static bool holds(Arena *arena, Str digests, const CacheSection *section)
{
	char hex[CACHE_HEX_SIZE];
	CacheDigest digest = cache_hash_of(section->bytes.ptr, section->bytes.len);
	cache_digest_hex(&digest, hex);
	const char *line = arena_printf(arena, "%s %s\n", section->name, hex);
	size_t len = strlen(line);
	for (size_t at = 0; at + len <= digests.len; at++)
		if ((at == 0 || digests.ptr[at - 1] == '\n') && memcmp(digests.ptr + at, line, len) == 0)
			return true;
	return false;
}

/* ---- variants ---- */

/* As jit_stored_load takes them; false where one is not what was put. */
static bool as_entry(Arena *arena, const CacheDigest *key, const CacheSection *given, size_t count, CacheEntry *entry, const char **why)
{
	static const char *const wanted[] = {"facts", "cubin", "log", "warnings", "libraries"};
	CacheSection sections[ARRAY_LEN(wanted)];
	const CacheSection *digests = find(given, count, "digests");
	size_t n = 0;
	*why = "it has no digests";
	if (!digests)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		const CacheSection *section = find(given, count, wanted[i]);
		if (section && !holds(arena, digests->bytes, section)) {
			*why = arena_printf(arena, "its %s are not those that were put", wanted[i]);
			return false;
		}
		if (section)
			sections[n++] = *section;
	}
	return cache_entry_open(entry, cache_entry_write(arena, key, sections, n), key, why);
}

/* Do the libraries that the variant took functions from hold what they held? */
static bool libraries_hold(const JitMaking *m, const CacheEntry *entry, Arena *arena)
{
	Str libraries, now;
	const char *why;
	if (!cache_entry_has(entry, "libraries"))
		return true;
	if (!cache_entry_section(entry, "libraries", arena, &libraries, &why))
		return false;
	now = jit_libraries_now(host_of(m->variant)->cache, libraries, false, arena);
	return now.ptr && now.len == libraries.len && memcmp(now.ptr, libraries.ptr, libraries.len) == 0;
}

static bool begin(JitMaking *m)
{
	(void)m;
	return true;
}

static bool find_kept(JitMaking *m)
{
	const JitHost *host = host_of(m->variant);
	CacheSection given[CACHE_SECTIONS];
	CacheEntry entry;
	char hex[CACHE_HEX_SIZE];
	const char *why;
	if (!m->reads)
		return false;
	cache_digest_hex(&m->digest, hex);
	size_t count = host->keeper.get(host->data, JIT_KEPT_VARIANT, hex, m->variant->kernel->info->name,
					m->diags->arena, given, CACHE_SECTIONS);
	if (!count)
		return false;
	bool good = as_entry(m->diags->arena, &m->digest, given, count, &entry, &why);
	if (good && !libraries_hold(m, &entry, m->diags->arena))
		return false;
	if (good && jit_stored_load(m->variant, &entry, &why, m->diags))
		return true;
	diag_add_at(m->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_DAMAGED, hex, why);
	return false;
}

/* The source is kept with binaries too: it is what says of which kernel they are. */
static bool put(JitMaking *m, Str warnings)
{
	const JitHost *host = host_of(m->variant);
	Arena *arena = m->diags->arena;
	CacheSection sections[CACHE_SECTIONS + 3];
	Str libraries = jit_libraries_text(m->variant->gpu->code, arena);
	char hex[CACHE_HEX_SIZE];
	size_t n = jit_stored_sections(m, warnings, arena, sections);
	if (m->binary_only)
		sections[n++] = (CacheSection){"source", m->content.source};
	if (libraries.len)
		sections[n++] = (CacheSection){"libraries", libraries};
	sections[n] = digests_of(arena, sections, n);
	cache_digest_hex(&m->digest, hex);
	host->keeper.put(host->data, JIT_KEPT_VARIANT, hex, m->variant->kernel->info->name, sections, n + 1);
	return true;
}

static void release(JitMaking *m)
{
	(void)m;
}

static void end(JitMaking *m, bool good)
{
	(void)m;
	(void)good;
}

const JitStorage jit_storage_keeper = {
	.begin = begin, .find = find_kept, .put = put, .release = release, .end = end};

/* ---- dumps and overrides ---- */

void jit_kept_dump(const JitVariant *variant, const CacheSection *sections, size_t count, Arena *arena)
{
	const JitHost *host = host_of(variant);
	char hex[CACHE_HEX_SIZE];
	if (jit_source_key(variant, arena, hex))
		host->keeper.put(host->data, JIT_KEPT_DUMP, hex, variant->kernel->info->name, sections, count);
}

void jit_kept_override(const JitVariant *variant, Arena *arena, JitOverride *out)
{
	const JitHost *host = host_of(variant);
	CacheSection given[CACHE_SECTIONS];
	char hex[CACHE_HEX_SIZE];
	if (!jit_source_key(variant, arena, hex))
		return;
	size_t count = host->keeper.get(host->data, JIT_KEPT_OVERRIDE, hex, variant->kernel->info->name, arena, given, CACHE_SECTIONS);
	for (int stage = JIT_OVERRIDE_CUBIN; stage >= CODEGEN_TTIR && !out->given; stage--) {
		const CacheSection *section = find(given, count, jit_override_stage(stage));
		if (section)
			*out = (JitOverride){.given = true, .stage = stage, .text = section->bytes,
					     .path = arena_printf(arena, "%s.%s", variant->kernel->info->name, jit_override_stage(stage))};
	}
}
