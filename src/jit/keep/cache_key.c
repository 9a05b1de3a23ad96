/* The cache key of a GPU variant, as rows. Defaults make no row, and neither do paths and line
 * numbers, unless NESO_CACHE_POSITION asks for them. */
#include "base/option/option.h"
#include "base/build.h"
#include "base/fault.h"
#include "jit/keep/cache.h"

/* ---- the sources ---- */

static const char *short_digest(Arena *arena, Str text)
{
	char hex[CACHE_HEX_SIZE];
	CacheDigest digest = cache_hash_of(text.ptr, text.len);
	cache_digest_hex(&digest, hex);
	return arena_strdup(arena, hex);
}

/* A module of IR text has the text, and no other source. */
static bool ir_content(const JitVariant *variant, Arena *arena, JitContent *content)
{
	const Source *text = variant->kernel->module->ir_text;
	content->source = (Str){text->text, text->len};
	cache_key_add(&content->rows, "ir", short_digest(arena, content->source));
	return true;
}

static bool front_rows(const JitVariant *variant, bool arguments, Arena *arena, JitContent *content)
{
	static const char *const kinds[] = {
		[FRONT_PART_FUNCTION] = "function", [FRONT_PART_CLASS] = "class", [FRONT_PART_MODULE] = "module",
		[FRONT_PART_GLOBAL] = "global", [FRONT_PART_ARGUMENT] = "argument",
	};
	const JitKernel *kernel = variant->kernel;
	FrontOptions options = jit_front_options(&variant->options);
	FrontContent found;
	if (!front_content(kernel->function, variant->args, arguments ? kernel->info->param_count : 0, &options, arena,
			   &found))
		return false;
	content->source = found.source;
	content->reads = found.reads;
	for (uint32_t i = 0; i < found.count; i++) {
		const FrontPart *part = &found.parts[i];
		bool is_value = part->kind == FRONT_PART_GLOBAL || part->kind == FRONT_PART_ARGUMENT;
		const char *value = is_value ? part->value.ptr : short_digest(arena, part->value);
		cache_key_add(part->kind == FRONT_PART_ARGUMENT ? &content->arguments : &content->rows,
			      arena_printf(arena, "%s %s", kinds[part->kind], part->name), value ? value : "");
	}
	return true;
}

static bool read_content(const JitVariant *variant, bool arguments, Arena *arena, JitContent *content)
{
	*content = (JitContent){0};
	cache_key_init(&content->rows, arena);
	cache_key_init(&content->arguments, arena);
	JitModule *module = variant->kernel->module;
	volatile bool good = false;
	Fault fault;
	if (!variant->kernel->function) {
		good = ir_content(variant, arena, content);
	} else {
		pthread_mutex_lock(&module->front_lock);
		if (FAULT_TRY(&fault)) {
			good = front_rows(variant, arguments, arena, content);
			fault_leave(&fault);
			pthread_mutex_unlock(&module->front_lock);
		} else {
			pthread_mutex_unlock(&module->front_lock);
			fault_raise(fault.kind, "%s", fault.text);
		}
	}
	return good;
}

bool jit_content(const JitVariant *variant, Arena *arena, JitContent *content)
{
	return read_content(variant, true, arena, content);
}

bool jit_source_digest(const JitVariant *variant, Arena *arena, CacheDigest *digest)
{
	JitContent content;
	if (!read_content(variant, false, arena, &content))
		return false;
	*digest = cache_key_digest(&content.rows);
	return true;
}

/* ---- the call ---- */

static void argument_rows(const JitVariant *variant, const JitContent *content, CacheKey *key)
{
	const FrontInfo *info = variant->kernel->info;
	for (uint32_t i = 0; i < info->param_count; i++) {
		const FrontArg *arg = &variant->args[i];
		const char *name = arena_printf(key->arena, "argument %s", info->params[i].name);
		const char *worth = cache_key_value(&content->arguments, name);
		if (arg->kind == FRONT_DEFAULT && worth)
			cache_key_printf(key, name, "= %s", worth);
		else if (arg->kind == FRONT_DEMOTED)
			cache_key_printf(key, name, "%s, given by the launch", jit_dtype_text(arg->dtype));
		else if (arg->kind == FRONT_CONST)
			cache_key_printf(key, name, "= %s", worth ? worth : arg->text);
		else if (arg->kind == FRONT_TYPE && arg->divisibility > 1)
			cache_key_printf(key, name, "%s, divisible by %u", arg->text, arg->divisibility);
		else if (arg->kind == FRONT_TYPE)
			cache_key_add(key, name, arg->text);
	}
}

static void flag_row(CacheKey *key, const char *name, bool on)
{
	if (on)
		cache_key_add(key, name, "1");
}

static void number_row(CacheKey *key, const char *name, unsigned value, unsigned preset)
{
	if (value != preset)
		cache_key_printf(key, name, "%u", value);
}

static void option_rows(const JitVariant *variant, CacheKey *key)
{
	const JitOptions *o = &variant->options;
	number_row(key, "num_warps", o->num_warps, 4);
	number_row(key, "num_stages", o->num_stages, 3);
	number_row(key, "num_ctas", o->num_ctas, 1);
	number_row(key, "maxnreg", o->maxnreg, 0);
	number_row(key, "ptx_version", o->ptx_version, 0);
	flag_row(key, "debug", o->debug);
	flag_row(key, "no_overflow_checks", o->no_overflow_checks);
	flag_row(key, "no_gpu_limits", o->no_gpu_limits);
	flag_row(key, "no_fp_fusion", o->no_fp_fusion);
	flag_row(key, "no_reflect_ftz", o->no_reflect_ftz);
	flag_row(key, "no_line_info", o->no_line_info);
	flag_row(key, "no_maps", o->no_maps);
	flag_row(key, "many", o->many);
	flag_row(key, "cooperative", o->cooperative);
	flag_row(key, "dependent", o->dependent);
	if (o->dot_precision && strcmp(o->dot_precision, "tf32") != 0)
		cache_key_add(key, "dot_precision", o->dot_precision);
	if (o->symbol)
		cache_key_add(key, "symbol", o->symbol);
}

/* What the environment decides that no option says. */
static void environment_rows(const JitVariant *variant, CacheKey *key)
{
	if (option_given(OPTION_SKIP_PASSES, NULL))
		cache_key_add(key, "skip_passes", option_given(OPTION_SKIP_PASSES, NULL));
	flag_row(key, "strict_triton", variant->options.strict);
	flag_row(key, "wide_offsets", variant->options.wide_offsets);
	flag_row(key, "portable_order", option_is_on(OPTION_PORTABLE_ORDER));
	if (option_given(OPTION_ROLES, NULL))
		cache_key_add(key, "warp_specialize", option_text(OPTION_ROLES));
	if (option_given(OPTION_PERSIST, NULL))
		cache_key_add(key, "persist", option_text(OPTION_PERSIST));
	if (option_given(OPTION_TURNS, NULL))
		cache_key_add(key, "turns", option_text(OPTION_TURNS));
	if (option_given(OPTION_MULTICAST, NULL))
		cache_key_add(key, "multicast", option_text(OPTION_MULTICAST));
	const FrontInfo *info = variant->kernel->info;
	if (option_is_on(OPTION_CACHE_POSITION))
		cache_key_printf(key, "position", "%s:%u", info->path, info->at.line);
}

static void add_content(CacheKey *key, const JitContent *content)
{
	for (uint32_t i = 0; i < content->rows.rows.len; i++)
		cache_key_add(key, content->rows.rows.data[i].name, content->rows.rows.data[i].value);
}

bool jit_demotion_key(JitKernel *kernel, const FrontArg *args, const JitOptions *options, Arena *arena, CacheDigest *digest,
		      FrontReads **reads)
{
	JitVariant asked = {.kernel = kernel, .args = (FrontArg *)(uintptr_t)args, .options = *options};
	JitContent content;
	CacheKey key;
	if (!jit_content(&asked, arena, &content))
		return false;
	cache_key_init(&key, arena);
	cache_key_add(&key, "fact", "constexprs that are arguments");
	cache_key_add(&key, "compiler", base_source_hash);
	cache_key_add(&key, "target", options->gpu->name);
	cache_key_add(&key, "kernel", kernel->info->qualified_name);
	argument_rows(&asked, &content, &key);
	/* The values too: where one turns out to be structural, others may follow from what it is. */
	for (uint32_t i = 0; i < kernel->info->param_count; i++)
		if (args[i].kind == FRONT_DEMOTED)
			cache_key_add(&key, "value", args[i].text);
	option_rows(&asked, &key);
	add_content(&key, &content);
	*reads = content.reads;
	*digest = cache_key_digest(&key);
	return true;
}

bool jit_variant_rows(const JitVariant *variant, const JitContent *content, CacheKey *key, DiagList *diags)
{
	NvAssemble how = jit_gpu_assemble(variant);
	const char *assembler = nv_assembler_identity(variant->kernel->module->host->tools, &how, key->arena, diags);
	cache_key_add(key, "neso", NESO_VERSION);
	cache_key_add(key, "compiler", base_source_hash);
	cache_key_add(key, "llvm", jit_llvm_version(variant->kernel->module->host->cache, key->arena));
	cache_key_add(key, "assembler", assembler ? assembler : "none");
	cache_key_add(key, "target", variant->options.gpu->name);
	cache_key_add(key, "kernel", variant->kernel->info->qualified_name);
	argument_rows(variant, content, key);
	option_rows(variant, key);
	environment_rows(variant, key);
	add_content(key, content);
	return assembler != NULL;
}

/* The rows with another assembler. */
static void replace_assembler(const CacheKey *key, const char *assembler, CacheKey *out)
{
	cache_key_init(out, key->arena);
	for (uint32_t i = 0; i < key->rows.len; i++) {
		const CacheRow *row = &key->rows.data[i];
		cache_key_add(out, row->name, strcmp(row->name, "assembler") == 0 ? assembler : row->value);
	}
}

void jit_any_assembler_rows(const JitVariant *variant, const CacheKey *key, CacheKey *any)
{
	NvAssemble how = jit_gpu_assemble(variant);
	const char *options = nv_assembler_options(variant->kernel->module->host->tools, &how, key->arena);
	replace_assembler(key, arena_printf(key->arena, "any%s", options), any);
}

void jit_no_assembler_rows(const CacheKey *key, CacheKey *none)
{
	replace_assembler(key, "not asked: PTX alone", none);
}
