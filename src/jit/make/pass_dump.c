/* NESO_DUMP: writes the IR after each pass to FOLDER/KERNEL-HASH/NN-PASS.ttir or .ttgir, numbered
 * in the order in which passes ran. */
#include <errno.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/option/option.h"
#include "base/os.h"
#include "codegen/codegen.h"
#include "ir/pass.h"
#include "ir/text/text.h"
#include "jit/codegen_load.h"
#include "jit/inner.h"

bool jit_dumps_passes(const JitVariant *variant)
{
	const char *kernels = option_given(OPTION_DUMP_KERNEL, NULL);
	return !variant->ready && option_given(OPTION_DUMP_PASSES, NULL) &&
	       (!kernels || fnmatch(kernels, variant->kernel->info->name, 0) == 0);
}

const char *jit_dump_name(void)
{
	static const char *const words[] = {"0", "false", "off", "no", "n"};
	const char *given = option_given(OPTION_MLIR_DUMP, NULL);
	for (size_t i = 0; given && i < ARRAY_LEN(words); i++)
		if (strcasecmp(given, words[i]) == 0)
			return NULL;
	return option_is_on(OPTION_MLIR_DUMP) ? NULL : given;
}

static bool matches_some(const JitModule *module, const char *names)
{
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (fnmatch(names, module->kernels[i].info->name, 0) == 0)
			return true;
	return false;
}

static void warn_of_name(const JitModule *module, const char *variable, const char *name, DiagList *diags)
{
	LineCol none = {0, 0};
	const char *path = front_shown_path(diags->arena, module->path);
	diag_add_at(diags, NULL, none, DIAG_DUMP_NAME, variable, name, path);
}

void jit_warn_dump_names(JitModule *module, DiagList *diags)
{
	const char *name = jit_dump_name(), *names = option_given(OPTION_DUMP_KERNEL, NULL);
	const char *folder = option_given(OPTION_DUMP_PASSES, NULL);
	LineCol none = {0, 0};
	if ((!name && !names) || atomic_exchange(&module->dump_names_told, true))
		return;
	if (name && !matches_some(module, name))
		warn_of_name(module, "MLIR_ENABLE_DUMP", name, diags);
	if (names && !folder)
		diag_add_at(diags, NULL, none, DIAG_DUMP_FOLDER, names);
	else if (names && !matches_some(module, names))
		warn_of_name(module, "NESO_DUMP_KERNEL", names, diags);
}

void jit_pass_dump_open(JitVariant *variant)
{
	variant->pass_dump.folder = NULL;
	variant->pass_dump.count = 0;
	if (!jit_dumps_passes(variant))
		return;
	Text raw;
	text_init(&raw, &variant->arena);
	ir_print(&raw, variant->ir, (IrPrintOptions){.no_locations = true});
	variant->pass_dump.folder =
		arena_printf(&variant->arena, "%s/%s-%08x", option_given(OPTION_DUMP_PASSES, NULL), variant->kernel->info->name,
			     (unsigned)(str_hash(raw.data, raw.len) & UINT32_MAX));
}

static bool write_pass(const JitVariant *variant, Arena *arena, const char *pass, CodegenStage stage, Str text, const char **error)
{
	const JitPassDump *dump = &variant->pass_dump;
	if (!dump->count && !os_make_folders(arena, dump->folder)) {
		*error = strerror(errno);
		return false;
	}
	const char *path = arena_printf(arena, "%s/%02u-%s.%s", dump->folder, dump->count, pass,
					stage == CODEGEN_TTIR ? "ttir" : "ttgir");
	return os_write_file(arena, path, text, error);
}

void jit_pass_dump(void *data, const char *pass, CodegenStage stage, const char *text, size_t len)
{
	JitVariant *variant = data;
	JitPassDump *dump = &variant->pass_dump;
	Arena arena;
	const char *error = NULL;
	if (!dump->folder)
		return;
	arena_init(&arena, 0);
	if (!write_pass(variant, &arena, pass, stage, (Str){text, len}, &error)) {
		diag_add_at(dump->diags, NULL, (LineCol){0, 0}, DIAG_CACHE_DUMP, variant->kernel->info->qualified_name,
			    dump->folder, error ? error : "?");
		dump->folder = NULL;
	}
	dump->count++;
	arena_free(&arena);
}

/* ---- passes that are left out ---- */

static bool is_optional(const char *name, const CodegenTable *table)
{
	size_t count;
	const PassInfo *here = pass_table(&count);
	CodegenPassList there = table ? table->passes() : (CodegenPassList){0};
	for (size_t i = 0; i < count; i++)
		if (strcmp(here[i].name, name) == 0)
			return pass_may_be_skipped(&here[i]);
	for (size_t i = 0; i < there.count; i++)
		if (strcmp(there.rows[i].name, name) == 0)
			return there.rows[i].optional;
	return false;
}

const char *jit_skipped_passes(DiagList *diags)
{
	const char *list = option_given(OPTION_SKIP_PASSES, NULL);
	DiagList loading;
	if (!list)
		return "";
	diag_init(&loading, diags->arena, NULL);
	const CodegenTable *table = codegen_load(&loading); /* without it no pass of its own runs */
	for (const char *at = list; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		const char *name = arena_strndup(diags->arena, at, len);
		if (len && !is_optional(name, table)) {
			diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_PASS_SKIP, name);
			return NULL;
		}
		at += len;
	}
	return list;
}
