/* Variants for GPUs that the host keeps in the place of the cache on disk (JitKeeper): what stored.c makes of a variant goes there section
 * by section, as files.
 *
 * The section "digests" has a line for each other one, name and SHA-256. What comes back is held against it, so what was cut short or
 * changed on its way is a miss and not a launch. Nothing here fails but the compilation. */
#include "base/option/option.h"
#include "base/os.h"
#include "jit/cache.h"

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
static bool libraries_hold(const JitKeyed *keyed, const CacheEntry *entry, Arena *arena)
{
	Str libraries, now;
	const char *why;
	if (!cache_entry_has(entry, "libraries"))
		return true;
	if (!cache_entry_section(entry, "libraries", arena, &libraries, &why))
		return false;
	now = jit_libraries_now(host_of(keyed->variant)->cache, libraries, false, arena);
	return now.ptr && now.len == libraries.len && memcmp(now.ptr, libraries.ptr, libraries.len) == 0;
}

static bool load(JitKeyed *keyed, const char *hex, DiagList *diags)
{
	const JitHost *host = host_of(keyed->variant);
	CacheSection given[CACHE_SECTIONS];
	CacheEntry entry;
	const char *why;
	size_t count = host->keeper.get(host->data, JIT_KEPT_VARIANT, hex, keyed->variant->kernel->info->name, diags->arena, given,
					CACHE_SECTIONS);
	if (!count)
		return false;
	bool good = as_entry(diags->arena, &keyed->digest, given, count, &entry, &why);
	if (good && !libraries_hold(keyed, &entry, diags->arena))
		return false;
	if (good && jit_stored_load(keyed->variant, &entry, &why, diags))
		return true;
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CACHE_DAMAGED, hex, why);
	return false;
}

/* The source is kept with binaries too: it is what says of which kernel they are. */
static void put(const JitKeyed *keyed, const char *hex, Str said, bool binary_only, Arena *arena)
{
	const JitHost *host = host_of(keyed->variant);
	CacheSection sections[CACHE_SECTIONS + 3];
	Str libraries = jit_libraries_text(keyed->variant->gpu->code, arena);
	size_t n = jit_stored_sections(keyed->variant, &keyed->key, &keyed->content, said, binary_only, arena, sections);
	if (binary_only)
		sections[n++] = (CacheSection){"source", keyed->content.source};
	if (libraries.len)
		sections[n++] = (CacheSection){"libraries", libraries};
	sections[n] = digests_of(arena, sections, n);
	host->keeper.put(host->data, JIT_KEPT_VARIANT, hex, keyed->variant->kernel->info->name, sections, n + 1);
}

static bool compile_and_put(JitKeyed *keyed, const char *hex, DiagList *diags)
{
	JitVariant *variant = keyed->variant;
	const bool binary_only = option_is_on(OPTION_BINARY_ONLY);
	uint32_t before = jit_said_count(diags);
	if (!jit_compile_ir(variant, diags) || !jit_gpu_compile(variant, jit_keyed_override(keyed), !binary_only, diags))
		return false;
	variant->gpu->cache = "miss";
	if (jit_made_by_key(keyed, diags)) {
		double began = os_now();
		put(keyed, hex, jit_said_write(diags->arena, diags, before), binary_only, diags->arena);
		variant->gpu->store_seconds = os_now() - began;
		strcpy(variant->gpu->cache_key, hex);
	}
	jit_gpu_drop_code(variant->gpu);
	return true;
}

bool jit_kept_make(JitVariant *variant, DiagList *diags)
{
	const JitHost *host = host_of(variant);
	JitKeyed keyed = {.variant = variant};
	char hex[CACHE_HEX_SIZE];
	bool good;
	variant->kept = true;
	jit_override_find(variant, diags->arena, &keyed.override);
	if (!jit_keyed(&keyed, diags->arena)) {
		good = jit_compile_ir(variant, diags) && jit_gpu_compile(variant, jit_keyed_override(&keyed), false, diags);
	} else {
		bool read = !option_is_on(OPTION_ALWAYS_COMPILE) && !host->dump_passes && !host->verify_passes &&
			    !jit_dumps_before(variant) && !jit_dumps_passes(variant);
		cache_digest_hex(&keyed.digest, hex);
		good = read && load(&keyed, hex, diags);
		if (good)
			strcpy(variant->gpu->cache_key, hex);
		else
			good = compile_and_put(&keyed, hex, diags);
	}
	if (good)
		jit_dump(variant, diags);
	return good;
}

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
