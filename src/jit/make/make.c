/* A variant for a GPU: fetched from where such variants are kept (JitStorage), or compiled and put
 * there. The variant's key determines it completely; when it is compiled, its PTX determines the
 * cubin (cubin.c). */

#include "base/build.h"
#include "base/fault.h"
#include "base/option/option.h"
#include "base/os.h"
#include "jit/keep/cache.h"
#include "jit/codegen_load.h"

/* ---- the key ---- */

/* False: there is no key, as the sources do not say it. */
static bool make_key(JitMaking *m)
{
	Arena *arena = m->diags->arena;
	DiagList none;
	diag_init(&none, arena, NULL);
	cache_key_init(&m->key, arena);
	if (!jit_content(m->variant, arena, &m->content))
		return false;
	/* Without an assembler something may be there all the same; else compiling says what is missing. */
	jit_variant_rows(m->variant, &m->content, &m->key, &none);
	if (m->override.given) {
		char hex[CACHE_HEX_SIZE];
		CacheDigest digest = cache_hash_of(m->override.text.ptr, m->override.text.len);
		cache_digest_hex(&digest, hex);
		cache_key_printf(&m->key, "override", "%d %s", m->override.stage, hex);
		if (m->override.facts.ptr)
			cache_key_printf(&m->key, "launch", "%.*s", (int)m->override.facts.len - 1,
					 m->override.facts.ptr);
	}
	m->digest = cache_key_digest(&m->key);
	return true;
}

/* ---- making ---- */

/* Was the variant made by what its key names? Another build of the code generator's library or another assembler may have been put in the
 * place of what was there. */
static bool made_by_key(const JitMaking *m)
{
	const CodegenTable *table = codegen_load(m->diags);
	const JitGpu *gpu = m->variant->gpu;
	const char *assembler = cache_key_value(&m->key, "assembler"), *version = cache_key_value(&m->key, "llvm");
	bool assembled = gpu->assembler && (!m->override.given || m->override.stage != JIT_OVERRIDE_CUBIN);
	char llvm[32];
	if (!table || strcmp(table->source_hash, base_source_hash) != 0)
		return false;
	table->llvm_version(llvm);
	return strcmp(llvm, version) == 0 && (!assembled || (strcmp(assembler, gpu->assembler) == 0 && !gpu->assembler_changed));
}

/* reads: what is read is held against them; NULL: there is no key. */
static bool compile(JitMaking *m, bool keep, FrontReads *reads)
{
	const JitOverride *override = m->override.given ? &m->override : NULL;
	m->variant->reads = reads;
	bool good = jit_compile_ir(m->variant, m->diags);
	m->variant->reads = NULL;
	return good && jit_gpu_compile(m->variant, override, keep, m->diags);
}

/* False: something was read that the key lacks, so what was compiled is not to be found by it. */
static bool key_decides(const JitMaking *m)
{
	return !m->content.reads || !front_read_beyond(m->content.reads);
}

/* False after diagnosing: a launch may not compile. */
static bool may_compile(const JitMaking *m)
{
	if (jit_may_compile(m->variant))
		return true;
	m->variant->missed = true;
	jit_strict_miss(m->variant, m->diags);
	return false;
}

static bool compile_and_put(JitMaking *m)
{
	uint32_t before = jit_warnings_count(m->diags);
	if (!compile(m, !m->binary_only, m->content.reads))
		return false;
	JitGpu *gpu = m->variant->gpu;
	bool decided = key_decides(m);
	gpu->cache = decided ? "miss" : "off";
	if (decided && made_by_key(m)) {
		double began = os_now();
		const bool put = m->storage->put(m, jit_warnings_write(m->diags->arena, m->diags, before));
		if (put)
			cache_digest_hex(&m->digest, gpu->cache_key);
		m->is_kept = put && !m->binary_only && !m->variant->options.ptx_only && !m->override.given;
		gpu->store_seconds = os_now() - began;
	}
	jit_gpu_drop_code(gpu);
	return true;
}

static bool find_or_compile(JitMaking *m)
{
	if (!m->storage->find(m))
		return may_compile(m) && compile_and_put(m);
	cache_digest_hex(&m->digest, m->variant->gpu->cache_key);
	return true;
}

/* Gives back what others wait for, whatever happens. */
static bool make(JitMaking *m)
{
	volatile bool good = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		good = find_or_compile(m);
		fault_leave(&fault);
	}
	m->storage->release(m);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	m->storage->end(m, good);
	return good;
}

bool jit_gpu_make(JitVariant *variant, DiagList *diags)
{
	const JitHost *host = variant->kernel->module->host;
	JitMaking m = {.variant = variant, .diags = diags, .claim = {.fd = -1}};
	/* What ends with PTX the host is not asked for. */
	variant->kept = jit_keeper_active(host) && !variant->options.ptx_only;
	m.storage = variant->kept ? &jit_storage_keeper : &jit_storage_cache;
	m.binary_only = option_is_on(OPTION_BINARY_ONLY);
	/* With passes that are shown or checked there is to be something to see. */
	m.reads = !option_is_on(OPTION_ALWAYS_COMPILE) && !host->dump_passes && !host->verify_passes &&
		  !jit_dumps_before(variant) && !jit_dumps_passes(variant) &&
		  !jit_dumps(variant, OPTION_LLVM_DUMP) && !jit_dumps(variant, OPTION_NVPTX_DUMP);
	if (!jit_override_find(variant, &m.override, diags))
		return false;
	bool good =
		m.storage->begin(&m) && make_key(&m) ? make(&m) : may_compile(&m) && compile(&m, false, NULL);
	if (good)
		jit_dump(variant, diags);
	if (good && m.is_kept)
		jit_drop_work(variant);
	return good;
}
