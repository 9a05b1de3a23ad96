/* Dumps and overrides: the stages of a kernel as files that people read and edit.
 *
 * TRITON_KERNEL_DUMP=1 (or TRITON_DUMP_IR=1) writes them to TRITON_DUMP_DIR/SOURCE/NAME.STAGE,
 * where SOURCE hashes the kernel's sources alone, so it is the same for all signatures, options
 * and versions. TRITON_KERNEL_OVERRIDE=1 looks for such files in TRITON_OVERRIDE_DIR/SOURCE/: the
 * last stage found replaces the compiler's own output, and compilation goes on from it.
 * TRITON_KERNEL_OVERRIDE=FILE takes one file, for the kernel whose function it holds. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/option/option.h"
#include "base/os.h"
#include "jit/keep/cache.h"

static const char *const stage_names[JIT_OVERRIDE_CUBIN + 1] = {
	[CODEGEN_TTIR] = "ttir", [CODEGEN_TTGIR] = "ttgir", [CODEGEN_LLIR] = "llir", [CODEGEN_PTX] = "ptx",
	[JIT_OVERRIDE_CUBIN] = "cubin",
};

/* ---- folders ---- */

/* The kernel's folder below what the variable names, or below .triton/`preset` in the home folder; NULL: there is none. */
static const char *folder_of(const JitVariant *variant, OptionId option, const char *preset, Arena *arena)
{
	char name[CACHE_BASE32_SIZE];
	const char *root = option_given(option, NULL), *home = option_given(OPTION_CACHE_HOME, NULL);
	if (!home)
		home = getenv("HOME");
	if (!root)
		root = home && *home ? arena_printf(arena, "%s/.triton/%s", home, preset) : NULL;
	CacheDigest digest;
	if (!root || !jit_source_digest(variant, arena, &digest))
		return NULL;
	cache_digest_base32(&digest, name);
	return os_path_join(arena, root, name);
}

/* ---- overrides ---- */

static bool has_word(Str text, const char *before, const char *name, const char *after)
{
	size_t a = strlen(before), n = strlen(name);
	for (size_t at = 0; text.len >= a + n + 1 && at + a + n < text.len; at++)
		if (text.ptr[at] == before[0] && memcmp(text.ptr + at, before, a) == 0 &&
		    memcmp(text.ptr + at + a, name, n) == 0 && strchr(after, text.ptr[at + a + n]))
			return true;
	return false;
}

/* Does the text of this stage hold the function? */
static bool holds(Str text, int stage, const char *name)
{
	static const char nul[2] = "\0";
	switch (stage) {
	case CODEGEN_PTX:
		return has_word(text, ".entry ", name, "( \n\t");
	case JIT_OVERRIDE_CUBIN: /* in its table of names */
		for (size_t at = 0, n = strlen(name); at + n + 1 < text.len; at++)
			if (text.ptr[at] == nul[0] && memcmp(text.ptr + at + 1, name, n) == 0 &&
			    (at + n + 1 == text.len || text.ptr[at + n + 1] == nul[0]))
				return true;
		return false;
	default:
		return has_word(text, "@", name, "( ");
	}
}

const char *jit_override_stage(int stage)
{
	return stage >= CODEGEN_TTIR && stage <= JIT_OVERRIDE_CUBIN ? stage_names[stage] : NULL;
}

bool jit_source_key(const JitVariant *variant, Arena *arena, char hex[CACHE_HEX_SIZE])
{
	CacheDigest digest;
	if (!jit_source_digest(variant, arena, &digest))
		return false;
	cache_digest_hex(&digest, hex);
	return true;
}

static bool read_override(JitOverride *out, int stage, const char *path, Arena *arena)
{
	const char *error;
	Str text;
	if (!os_is_file(path) || !os_read_file(arena, path, &text, &error))
		return false;
	*out = (JitOverride){.given = true, .stage = stage, .path = path, .text = text};
	return true;
}

/* The line "launch" of the JSON beside a cubin (jit_metadata), as a line of PTX. */
static Str launch_facts(const char *path, Arena *arena)
{
	static const char key[] = "\"launch\": \"";
	const char *error, *json = arena_printf(arena, "%.*s.json", (int)(strrchr(path, '.') - path), path);
	Str text;
	if (!os_is_file(json) || !os_read_file(arena, json, &text, &error))
		return (Str){0};
	const char *all = arena_strndup(arena, text.ptr, text.len), *at = strstr(all, key);
	const char *from = at ? at + sizeof key - 1 : NULL, *end = from ? strchr(from, '"') : NULL;
	return end ? str_of(arena_printf(arena, "// neso: %.*s\n", (int)(end - from), from)) : (Str){0};
}

/* Which stage a file is of, by its name's end; -1: of none. */
static int stage_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	for (int stage = CODEGEN_TTIR; dot && stage <= JIT_OVERRIDE_CUBIN; stage++)
		if (strcmp(dot + 1, stage_names[stage]) == 0)
			return stage;
	return -1;
}

static bool holds_another(const JitVariant *variant, const JitOverride *found)
{
	const JitModule *module = variant->kernel->module;
	for (uint32_t i = 0; i < jit_module_kernels(module); i++)
		if (holds(found->text, found->stage, jit_kernel_info(jit_module_kernel(module, i))->name))
			return true;
	return false;
}

/* False: the file cannot be what it is meant for. One that is for another kernel of the module is passed by. */
static bool one_file(const JitVariant *variant, const char *path, JitOverride *out, DiagList *diags)
{
	JitOverride found;
	int stage = stage_of(path);
	const char *name = jit_symbol(variant);
	const char *who = variant->options.override ? "the option ir_override" : "TRITON_KERNEL_OVERRIDE";
	if (stage < 0 || !read_override(&found, stage, arena_strdup(diags->arena, path), diags->arena)) {
		const char *why = stage < 0 ? "its name ends with no stage: .ttir, .ttgir, .llir, .ptx, .cubin" : "it cannot be read";
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OVERRIDE_FILE, who, path, why);
		return false;
	}
	if (stage == JIT_OVERRIDE_CUBIN)
		found.facts = launch_facts(found.path, diags->arena);
	if (holds(found.text, stage, name))
		*out = found;
	else if (!holds_another(variant, &found))
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OVERRIDE_UNUSED, who, path, name);
	return true;
}

bool jit_override_find(const JitVariant *variant, JitOverride *out, DiagList *diags)
{
	Arena *arena = diags->arena;
	const char *given = option_given(OPTION_OVERRIDE, NULL);
	*out = (JitOverride){0};
	if (variant->options.override)
		return one_file(variant, variant->options.override, out, diags);
	if (!given)
		return true;
	if (strchr(given, '.') || strchr(given, '/'))
		return one_file(variant, given, out, diags);
	if (!option_is_on(OPTION_OVERRIDE))
		return true;
	if (variant->kept) {
		jit_kept_override(variant, arena, out);
		return true;
	}
	const char *folder = folder_of(variant, OPTION_OVERRIDE_DIR, "override", arena);
	if (folder && !os_is_dir(os_path_dir(arena, folder)))
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OVERRIDE_FOLDER, os_path_dir(arena, folder));
	for (int stage = JIT_OVERRIDE_CUBIN; folder && stage >= CODEGEN_TTIR && !out->given; stage--)
		read_override(out, stage, arena_printf(arena, "%s/%s.%s", folder, variant->kernel->info->name, stage_names[stage]),
			      arena);
	return true;
}

void jit_override_apply(const JitOverride *override, CodegenRequest *request)
{
	CONTRACT(override && request);
	request->from = (CodegenStage)override->stage;
	request->text = override->text.ptr;
	request->len = override->text.len;
	request->path = override->path;
}

/* ---- dumps ---- */

static bool jit_dump_wanted(void)
{
	return option_is_on(OPTION_DUMP);
}

/* What there is of a variant: its stages, and JSON about it; how many. */
static size_t dumped(const JitVariant *variant, Arena *arena, CacheSection *out)
{
	static const char *const stages[] = {"source", "ttir", "ttgir", "llir", "ptx", "cubin", "sass"};
	size_t n = 0;
	Text metadata;
	for (size_t i = 0; i < ARRAY_LEN(stages); i++) {
		DiagList none;
		Text text;
		diag_init(&none, arena, NULL);
		text_init(&text, arena);
		text_str(&text, "");
		if (strcmp(stages[i], "cubin") == 0 && (!variant->gpu || !variant->gpu->cubin.data))
			continue;
		if (strcmp(stages[i], "cubin") == 0)
			text_add(&text, variant->gpu->cubin.data, variant->gpu->cubin.len);
		else if (jit_variant_text(variant, stages[i], &text, &none) != JIT_OK)
			continue; /* no disassembler, or no stage of this target */
		out[n++] = (CacheSection){stages[i], {text.data, text.len}};
	}
	text_init(&metadata, arena);
	jit_metadata(&metadata, variant);
	out[n++] = (CacheSection){"json", {metadata.data, metadata.len}};
	return n;
}

static Diag *last_error(const DiagList *diags)
{
	Diag *found = NULL;
	for (Diag *d = diags->first; d; d = d->next)
		found = d->severity == DIAG_ERROR ? d : found;
	return found;
}

void jit_tell_input(const JitVariant *variant, DiagList *diags)
{
	Diag *error = last_error(diags);
	const char *folder = NULL;
	if (jit_dump_wanted() && !variant->kept)
		folder = folder_of(variant, OPTION_DUMP_DIR, "dump", diags->arena);
	if (jit_dump_wanted())
		jit_dump(variant, diags);
	if (folder)
		diag_note(diags, error, (Span){0}, "its input is %s/%s.ptx", folder, variant->kernel->info->name);
	else
		diag_note(diags, error, (Span){0}, "its input: TRITON_KERNEL_DUMP=1 writes it; neso compile --emit ptx and "
			  ".asm[\"ptx\"] of compile() give it");
}

void jit_dump(const JitVariant *variant, DiagList *diags)
{
	CacheSection sections[CACHE_SECTIONS];
	if (!jit_dump_wanted())
		return;
	Arena *arena = diags->arena;
	const char *folder = variant->kept ? NULL : folder_of(variant, OPTION_DUMP_DIR, "dump", arena), *error = NULL;
	if (!folder && !variant->kept)
		return;
	size_t count = dumped(variant, arena, sections);
	if (variant->kept) {
		jit_kept_dump(variant, sections, count, arena);
		return;
	}
	bool good = os_make_folders(arena, folder);
	if (!good)
		error = strerror(errno);
	for (size_t i = 0; good && i < count; i++) {
		const char *path = arena_printf(arena, "%s/%s.%s", folder, variant->kernel->info->name, sections[i].name);
		good = os_write_file(arena, path, sections[i].bytes, &error);
	}
	if (!good)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CACHE_DUMP, variant->kernel->info->qualified_name, folder,
			    error ? error : "?");
}
