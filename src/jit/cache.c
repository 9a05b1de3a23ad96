/* A variant for a GPU: from the compile cache, or compiled and put there.
 *
 * Two levels: the key of the variant gives the whole of it; where it is compiled, the hash of its PTX, the assembler and its flags
 * give the cubin, which is most of the time. One process compiles a key while others wait for it. Nothing here can
 * fail but the compilation: what the store could not do is a warning.
 *
 * Beside a variant that ptxas made lies a reference to it under the key that it has whoever assembles: a machine without ptxas finds
 * by that what another one made (a pack, a layer, a server). */
#include <stdlib.h>

#include "base/option/option.h"
#include "base/build.h"
#include "base/fault.h"
#include "base/os.h"
#include "cache/log.h"
#include "jit/cache.h"
#include "jit/codegen_load.h"

typedef struct StoreOf {
	char *settings;
	CacheStore *store;
} StoreOf;

struct JitCache {
	char *dir; /* NULL: the environment's; "": none */
	CacheRemote *remote; /* NULL: the environment's */
	pthread_mutex_t lock;
	pthread_mutex_t setting; /* taken first: `remote` comes into all stores before another does */
	/* One for each setting met so far, as tests and programs change the environment: a test suite may have a folder for each test. A
	 * store is a few hundred bytes, and lives as long as the cache, since calls may still use it. */
	StoreOf *stores;
	uint32_t count, cap;
	bool told; /* a variable that is no number */
};

JitCache *jit_cache_new(const char *dir)
{
	JitCache *cache = calloc(1, sizeof *cache);
	char *copy = dir ? strdup(dir) : NULL;
	if (!cache || (dir && !copy)) {
		free(cache);
		free(copy);
		fault_raise(FAULT_MEMORY, "out of memory");
	}
	cache->dir = copy;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_mutex_init(&cache->setting, NULL);
	return cache;
}

void jit_cache_free(JitCache *cache)
{
	if (!cache)
		return;
	CacheRemoteCounts rest;
	cache_remote_drop(cache->remote, &rest); /* stores that it was given to hold it too, and count */
	for (uint32_t i = 0; i < cache->count; i++) {
		cache_store_free(cache->stores[i].store);
		free(cache->stores[i].settings);
	}
	pthread_mutex_destroy(&cache->setting);
	pthread_mutex_destroy(&cache->lock);
	free(cache->stores);
	free(cache->dir);
	free(cache);
}

/* ---- the environment ---- */

static const char *settings_of(Arena *arena, const CacheOptions *o)
{
	Text text;
	text_init(&text, arena);
	text_printf(&text, "%s\n%s\n%llu %llu %g", o->dir ? o->dir : "", o->dir_why ? o->dir_why : "", (unsigned long long)o->max_bytes,
		    (unsigned long long)o->max_files, o->wait);
	for (uint32_t i = 0; i < o->layer_count; i++)
		text_printf(&text, "\n%s", o->layers[i]);
	const CacheRemoteOptions *r = &o->remote;
	if (r->place)
		text_printf(&text, "\n%s\n%s\n%s\n%s\n%llu %llu %llu %llu %llu %d %d", r->place, r->key_format, r->host,
			    r->certificates ? r->certificates : "", (unsigned long long)r->port, (unsigned long long)r->connect_ms,
			    (unsigned long long)r->request_ms, (unsigned long long)r->flush_ms, (unsigned long long)r->largest,
			    r->no_reads, r->no_writes);
	return text.data;
}

static bool has_room(JitCache *cache)
{
	if (cache->count < cache->cap)
		return true;
	uint32_t cap = cache->cap ? 2 * cache->cap : 8;
	StoreOf *grown = realloc(cache->stores, cap * sizeof *grown);
	if (!grown)
		return false;
	cache->stores = grown;
	cache->cap = cap;
	return true;
}

/* Under the cache's lock. NULL when there is no memory. */
static CacheStore *find_store(JitCache *cache, const CacheOptions *options, const char *settings)
{
	for (uint32_t i = 0; i < cache->count; i++)
		if (strcmp(cache->stores[i].settings, settings) == 0)
			return cache->stores[i].store;
	if (!has_room(cache))
		return NULL;
	char *copy = strdup(settings);
	if (!copy)
		return NULL;
	CacheStore *store = NULL;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		store = cache_store_new(options);
		fault_leave(&fault);
	} else {
		free(copy);
		return NULL;
	}
	cache_store_set_remote(store, cache->remote);
	cache->stores[cache->count].settings = copy;
	cache->stores[cache->count++].store = store;
	return store;
}

void jit_cache_mode(JitCache *cache, JitCacheMode *mode, DiagList *diags)
{
	*mode = (JitCacheMode){0};
	if (!cache || option_is_on(OPTION_CACHE_DISABLE) || (cache->dir && !*cache->dir))
		return;
	CacheOptions options;
	const char *wrong;
	cache_options_env(diags->arena, &options, &wrong);
	if (cache->dir) {
		options.dir = cache->dir;
		options.dir_why = NULL;
	}
	const char *settings = settings_of(diags->arena, &options);
	pthread_mutex_lock(&cache->lock);
	bool tell = wrong && !cache->told;
	cache->told = cache->told || wrong;
	mode->store = find_store(cache, &options, settings);
	pthread_mutex_unlock(&cache->lock);
	if (tell)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CACHE_VARIABLE, wrong);
	mode->read = !option_is_on(OPTION_ALWAYS_COMPILE);
	mode->binary_only = option_is_on(OPTION_BINARY_ONLY);
}

static CacheRemote *remote_of(const CacheBackend *backend, const char *name, bool synchronous, Arena *arena)
{
	CacheOptions options;
	const char *wrong;
	char shown[CACHE_REMOTE_WHY];
	cache_options_env(arena, &options, &wrong);
	if (!backend) {
		options.remote.place = name;
		cache_place_text(name, shown, sizeof shown);
		name = shown;
	}
	CacheRemote *remote = cache_remote_new(backend, name, synchronous, &options.remote);
	if (!remote)
		fault_raise(FAULT_MEMORY, "out of memory");
	return remote;
}

void jit_cache_set_remote(JitCache *cache, const CacheBackend *backend, const char *name, bool synchronous, Arena *arena)
{
	CacheRemote *remote = name ? remote_of(backend, name, synchronous, arena) : NULL;
	CacheRemoteCounts rest;
	pthread_mutex_lock(&cache->setting);
	pthread_mutex_lock(&cache->lock);
	CacheRemote *before = cache->remote;
	cache->remote = remote;
	pthread_mutex_unlock(&cache->lock);
	for (uint32_t i = 0;; i++) {
		pthread_mutex_lock(&cache->lock);
		CacheStore *store = i < cache->count ? cache->stores[i].store : NULL;
		pthread_mutex_unlock(&cache->lock);
		if (!store)
			break;
		cache_store_set_remote(store, remote);
	}
	pthread_mutex_unlock(&cache->setting);
	cache_remote_drop(before, &rest); /* may wait for what was on its way to it */
}

CacheStore *jit_cache_store(JitCache *cache, DiagList *diags)
{
	JitCacheMode mode;
	jit_cache_mode(cache, &mode, diags);
	return mode.store;
}

static void tell(CacheStore *store, DiagList *diags)
{
	static const DiagCode codes[] = {
		[CACHE_FAULT_UNUSABLE] = DIAG_CACHE_UNUSABLE,
		[CACHE_FAULT_OPEN] = DIAG_CACHE_OPEN,
		[CACHE_FAULT_DAMAGED] = DIAG_CACHE_DAMAGED,
		[CACHE_FAULT_REMOTE] = DIAG_CACHE_REMOTE,
	};
	for (CacheFault fault; (fault = cache_fault(store)).kind != CACHE_FAULT_NONE;)
		diag_add_at(diags, NULL, (LineCol){0, 0}, codes[fault.kind], fault.path, fault.why);
}

void jit_cache_tell(JitCacheMode *mode, DiagList *diags)
{
	if (mode->store)
		tell(mode->store, diags);
}

size_t jit_cache_flush(JitCache *cache, double seconds, DiagList *diags)
{
	size_t left = 0;
	double until = os_now() + seconds;
	for (uint32_t i = 0;; i++) {
		pthread_mutex_lock(&cache->lock);
		CacheStore *store = i < cache->count ? cache->stores[i].store : NULL;
		bool shared = cache->remote != NULL; /* one for all stores */
		pthread_mutex_unlock(&cache->lock);
		if (!store)
			return left;
		if (i == 0 || !shared)
			left += cache_store_flush(store, MAX(0, until - os_now()));
		tell(store, diags);
	}
}

/* ---- versions and contents of files ---- */

const char *jit_cache_recall(JitCache *cache, const char *what, Arena *arena)
{
	JitCacheMode mode;
	DiagList none;
	CacheEntry entry;
	Str said;
	const char *why;
	diag_init(&none, arena, NULL);
	jit_cache_mode(cache, &mode, &none);
	CacheDigest key = cache_hash_of(what, strlen(what));
	if (!mode.store || !cache_get(mode.store, CACHE_FACT, &key, arena, &entry, NULL) ||
	    !cache_entry_section(&entry, "said", arena, &said, &why))
		return NULL;
	return arena_strndup(arena, said.ptr, said.len);
}

void jit_cache_remember(JitCache *cache, const char *what, const char *said)
{
	Arena arena;
	arena_init(&arena, 0);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		JitCacheMode mode;
		DiagList none;
		diag_init(&none, &arena, NULL);
		jit_cache_mode(cache, &mode, &none);
		CacheDigest key = cache_hash_of(what, strlen(what));
		CacheSection sections[] = {{"what", str_of(what)}, {"said", str_of(said)}};
		if (mode.store)
			cache_put(mode.store, CACHE_FACT, &key, cache_entry_write(&arena, &key, sections, ARRAY_LEN(sections)));
		fault_leave(&fault);
	}
	arena_free(&arena);
}

static const char *recall(void *data, const char *what, Arena *arena)
{
	return jit_cache_recall(data, what, arena);
}

static void remember(void *data, const char *what, const char *said)
{
	jit_cache_remember(data, what, said);
}

void jit_cache_tools(JitCache *cache, NvToolsOptions *options)
{
	options->recall = recall;
	options->remember = remember;
	options->memory_data = cache;
}

/* ---- the second level: cubins by PTX ---- */

static CacheDigest cubin_key(const JitVariant *variant, const NvAssemble *how)
{
	CacheHash hash;
	Arena arena;
	arena_init(&arena, 0);
	const char *flags = arena_printf(&arena, "%s\n%s\n%d %d %d\n", variant->gpu->assembler, how->target->name, how->line_info,
					 how->no_fusion, how->no_optimize);
	cache_hash_init(&hash);
	cache_hash_add(&hash, flags, strlen(flags));
	cache_hash_add(&hash, variant->gpu->ptx.ptr, variant->gpu->ptx.len);
	arena_free(&arena);
	return cache_hash_done(&hash);
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
	const JitHost *host = variant->kernel->module->host;
	JitGpu *gpu = variant->gpu;
	JitCacheMode mode;
	jit_cache_mode(host->cache, &mode, diags);
	CacheDigest key = cubin_key(variant, how);
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
	CacheSection sections[] = {{"cubin", {c->data, c->len}},
				   {"report", {(const char *)report, sizeof report}},
				   {"log", str_of(c->log ? c->log : "")}};
	cache_put(mode.store, CACHE_CUBIN, &key, cache_entry_write(diags->arena, &key, sections, ARRAY_LEN(sections)));
	return true;
}

/* ---- the first level: variants ---- */

typedef struct Making {
	JitKeyed keyed;
	DiagList *diags;
	JitCacheMode mode;
	CacheClaim claim;
	CacheEventKind event;
} Making;

/* The key and entry behind one that says which libraries of bitcode the variant depends on: theirs has rows for what these hold now. */
static bool follow_libraries(const Making *m, bool lenient, CacheEntry *entry, CacheKey *key, CacheDigest *digest, uint32_t *layer)
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
	now = jit_libraries_now(m->keyed.variant->kernel->module->host->cache, libraries, lenient, arena);
	if (!now.ptr)
		return false;
	jit_libraries_rows(&asked, now, key);
	*digest = cache_key_digest(key);
	return cache_get(m->mode.store, CACHE_VARIANT, digest, arena, entry, layer);
}

/* lenient: a library that is not there is as it was when the variant was made, by whoever had it. */
static bool load(Making *m, bool lenient)
{
	CacheEntry entry;
	CacheKey key = m->keyed.key;
	CacheDigest digest = m->keyed.digest;
	const char *why;
	uint32_t layer;
	if (!cache_get(m->mode.store, CACHE_VARIANT, &digest, m->diags->arena, &entry, &layer) ||
	    (cache_entry_has(&entry, "libraries") && !follow_libraries(m, lenient, &entry, &key, &digest, &layer)))
		return false;
	if (jit_stored_load(m->keyed.variant, &entry, &why, m->diags)) {
		m->keyed.key = key;
		m->keyed.digest = digest;
		m->event = layer == CACHE_LAYER_REMOTE ? CACHE_EVENT_REMOTE : layer ? CACHE_EVENT_LAYER : CACHE_EVENT_HIT;
		return true;
	}
	cache_drop(m->mode.store, CACHE_VARIANT, &digest, why);
	m->event = CACHE_EVENT_DAMAGED;
	return false;
}

/* Where there is no ptxas: what another machine's made. */
static bool load_foreign(Making *m)
{
	NvTools *tools = m->keyed.variant->kernel->module->host->tools;
	NvAssemble how = jit_gpu_assemble(m->keyed.variant);
	Arena *arena = m->diags->arena;
	CacheDigest own = m->keyed.digest, named;
	CacheEntry entry;
	CacheKey any;
	Str made, assembler;
	const char *why = NULL;
	if (!nv_takes_cubin_of(tools, &how, "ptxas 0", arena))
		return false;
	jit_any_assembler_rows(m->keyed.variant, &m->keyed.key, &any);
	named = cache_key_digest(&any);
	if (!cache_get(m->mode.store, CACHE_VARIANT, &named, arena, &entry, NULL))
		return false;
	if (!cache_entry_section(&entry, "variant", arena, &made, &why) ||
	    !cache_entry_section(&entry, "assembler", arena, &assembler, &why) || !cache_digest_read(made.ptr, made.len, &m->keyed.digest)) {
		cache_drop(m->mode.store, CACHE_VARIANT, &named, why ? why : "it refers to nothing");
		m->keyed.digest = own;
		return false;
	}
	if (nv_takes_cubin_of(tools, &how, arena_strndup(arena, assembler.ptr, assembler.len), arena) && load(m, true))
		return true;
	m->keyed.digest = own;
	return false;
}

static void put_reference(Making *m, const CacheKey *key, const CacheDigest *variant, Arena *arena)
{
	const char *assembler = cache_key_value(key, "assembler");
	char hex[CACHE_HEX_SIZE];
	CacheKey any;
	if (strncmp(assembler, "ptxas ", 6) != 0)
		return;
	jit_any_assembler_rows(m->keyed.variant, key, &any);
	cache_digest_hex(variant, hex);
	CacheDigest digest = cache_key_digest(&any);
	const char *said = arena_printf(arena, "{\"variant\": \"where there is no ptxas: %.16s\"}\n", hex);
	CacheSection sections[] = {{"key", cache_key_text(&any)}, {"variant", str_of(hex)}, {"assembler", str_of(assembler)},
				   {"metadata", str_of(said)}};
	cache_put(m->mode.store, CACHE_VARIANT, &digest, cache_entry_write(arena, &digest, sections, ARRAY_LEN(sections)));
}

/* Before the row for what it read: who asks for the variant knows no more than that key. */
static void put_libraries(Making *m, const CacheKey *key, const CacheDigest *digest, Str libraries, Arena *arena)
{
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(&m->keyed.digest, hex);
	const char *said = arena_printf(arena, "{\"variant\": \"by what its libraries hold, at last: %.16s\"}\n", hex);
	CacheSection sections[] = {{"key", cache_key_text(key)}, {"libraries", libraries}, {"metadata", str_of(said)}};
	cache_put(m->mode.store, CACHE_VARIANT, digest, cache_entry_write(arena, digest, sections, ARRAY_LEN(sections)));
}

bool jit_made_by_key(const JitKeyed *keyed, DiagList *diags)
{
	const CodegenTable *table = codegen_load(diags);
	const JitGpu *gpu = keyed->variant->gpu;
	const char *assembler = cache_key_value(&keyed->key, "assembler"), *version = cache_key_value(&keyed->key, "llvm");
	bool assembled = !keyed->override.given || keyed->override.stage != JIT_OVERRIDE_CUBIN;
	char llvm[32];
	if (!table || strcmp(table->source_hash, base_source_hash) != 0)
		return false;
	table->llvm_version(llvm);
	return strcmp(llvm, version) == 0 && (!assembled || (strcmp(assembler, gpu->assembler) == 0 && !gpu->assembler_changed));
}

const JitOverride *jit_keyed_override(const JitKeyed *keyed)
{
	return keyed->override.given ? &keyed->override : NULL;
}

/* said: how many diagnostics are not of this compilation. */
static void put_variant(Making *m, uint32_t said)
{
	JitVariant *variant = m->keyed.variant;
	CacheKey key = m->keyed.key;
	CacheDigest digest = m->keyed.digest;
	Arena arena;
	double began = os_now();
	arena_init(&arena, 0);
	Str warnings = jit_said_write(&arena, m->diags, said), libraries = jit_libraries_text(variant->gpu->code, &arena);
	if (libraries.len) {
		jit_libraries_rows(&key, libraries, &m->keyed.key);
		m->keyed.digest = cache_key_digest(&m->keyed.key);
	}
	Str file = jit_stored_write(variant, &m->keyed.digest, &m->keyed.key, &m->keyed.content, warnings, m->mode.binary_only, &arena);
	if (cache_put(m->mode.store, CACHE_VARIANT, &m->keyed.digest, file)) {
		cache_digest_hex(&m->keyed.digest, variant->gpu->cache_key);
		if (libraries.len)
			put_libraries(m, &key, &digest, libraries, &arena);
		put_reference(m, &key, &digest, &arena);
	}
	arena_free(&arena);
	variant->gpu->store_seconds = os_now() - began;
}

static bool compile_and_put(Making *m)
{
	JitVariant *variant = m->keyed.variant;
	uint32_t before = jit_said_count(m->diags);
	if (!jit_compile_ir(variant, m->diags) || !jit_gpu_compile(variant, jit_keyed_override(&m->keyed), !m->mode.binary_only, m->diags))
		return false;
	variant->gpu->cache = "miss";
	if (m->event == CACHE_EVENT_MISS && variant->gpu->assembled_before)
		m->event = CACHE_EVENT_HALF;
	if (jit_made_by_key(&m->keyed, m->diags))
		put_variant(m, before);
	jit_gpu_drop_code(variant->gpu);
	return true;
}

static bool make(Making *m)
{
	m->event = m->mode.read ? CACHE_EVENT_MISS : CACHE_EVENT_FORCED;
	if (m->mode.read && (load(m, false) || load_foreign(m)))
		return true;
	CacheClaimed claimed = m->mode.read ? cache_claim(m->mode.store, CACHE_VARIANT, &m->keyed.digest, &m->claim) : CACHE_MINE;
	if (claimed == CACHE_THERE && load(m, false))
		return true;
	return compile_and_put(m);
}

bool jit_keyed(JitKeyed *keyed, Arena *arena)
{
	DiagList none;
	diag_init(&none, arena, NULL);
	cache_key_init(&keyed->key, arena);
	if (!jit_content(keyed->variant, arena, &keyed->content))
		return false;
	/* Without an assembler something may be there all the same; else compiling says what is missing. */
	jit_variant_rows(keyed->variant, &keyed->content, &keyed->key, &none);
	if (keyed->override.given) {
		char hex[CACHE_HEX_SIZE];
		CacheDigest digest = cache_hash_of(keyed->override.text.ptr, keyed->override.text.len);
		cache_digest_hex(&digest, hex);
		cache_key_printf(&keyed->key, "override", "%d %s", keyed->override.stage, hex);
	}
	keyed->digest = cache_key_digest(&keyed->key);
	return true;
}

static bool prepare(Making *m)
{
	const JitHost *host = m->keyed.variant->kernel->module->host;
	jit_cache_mode(host->cache, &m->mode, m->diags);
	if (host->dump_passes || host->verify_passes || jit_dumps_before(m->keyed.variant) || jit_dumps_passes(m->keyed.variant))
		m->mode.read = false; /* there is to be something to see */
	return m->mode.store && jit_keyed(&m->keyed, m->diags->arena);
}

bool jit_gpu_make(JitVariant *variant, DiagList *diags)
{
	if (jit_keeper_active(variant->kernel->module->host))
		return jit_kept_make(variant, diags);
	Making m = {.keyed = {.variant = variant}, .diags = diags, .claim = {.fd = -1}};
	jit_override_find(variant, diags->arena, &m.keyed.override);
	if (!prepare(&m)) {
		bool made = jit_compile_ir(variant, diags) && jit_gpu_compile(variant, jit_keyed_override(&m.keyed), false, diags);
		if (made)
			jit_dump(variant, diags);
		return made;
	}
	volatile bool good = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		good = make(&m);
		fault_leave(&fault);
	}
	cache_release(m.mode.store, &m.claim);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	if (good && variant->gpu->cache[0] == 'h')
		cache_digest_hex(&m.keyed.digest, variant->gpu->cache_key);
	double seconds = 0;
	for (int i = 0; i < JIT_STEP__COUNT; i++)
		seconds += variant->seconds[i];
	if (good) {
		cache_log(m.mode.store, m.event, &m.keyed.digest, seconds, variant->kernel->info->qualified_name);
		jit_dump(variant, diags);
	}
	jit_cache_tell(&m.mode, diags);
	return good;
}

bool jit_stored_text(const JitVariant *variant, const char *stage, Text *out)
{
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
