/* What, besides the assembler, determines a variant: the LLVM that the code generator's library
 * uses, and the bitcode libraries that a compilation took functions from. Files are read once; the
 * result is cached under their stamps (cache/entry/stamp.h). */
#include <stdlib.h>

#include "base/option/library.h"
#include "base/os.h"
#include "base/option/toolkit.h"
#include "cache/entry/stamp.h"
#include "jit/keep/cache.h"
#include "jit/codegen_load.h"

#ifndef NESO_LLVM_VERSION
#define NESO_LLVM_VERSION "none"
#endif

/* ---- LLVM ---- */

/* A file's stamp, and what decides which libraries it is linked with. */
static const char *loaded_as(const char *stamp, Arena *arena)
{
	const char *path = getenv("LD_LIBRARY_PATH"), *before = getenv("LD_PRELOAD");
	return arena_printf(arena, "llvm of %s\n%s\n%s", stamp, path ? path : "", before ? before : "");
}

/* "VERSION\nSTAMP of the file that LLVM is in", if that is the file still. */
static const char *recalled(JitCache *cache, const char *what, Arena *arena)
{
	const char *said = jit_cache_recall(cache, what, arena), *stamp = said ? strchr(said, '\n') : NULL;
	bool settled;
	if (!stamp)
		return NULL;
	const char *path = arena_strndup(arena, stamp + 1, strcspn(stamp + 1, " "));
	const char *now = cache_stamp(path, arena, &settled);
	return now && settled && strcmp(now, stamp + 1) == 0
		       ? arena_strndup(arena, said, (size_t)(stamp - said))
		       : NULL;
}

static const char *asked(JitCache *cache, const char *what, Arena *arena)
{
	DiagList none;
	bool settled = false;
	char version[32];
	diag_init(&none, arena, NULL);
	const CodegenTable *table = codegen_load(&none);
	if (!table)
		return NESO_LLVM_VERSION; /* what is found was made elsewhere */
	table->llvm_version(version);
	const char *file = table->llvm_file(),
		   *stamp = file && !strchr(file, ' ') ? cache_stamp(file, arena, &settled) : NULL;
	if (what && stamp && settled)
		jit_cache_remember(cache, what, arena_printf(arena, "%s\n%s", version, stamp));
	return arena_strdup(arena, version);
}

const char *jit_llvm_version(JitCache *cache, Arena *arena)
{
	bool settled = false;
	const char *path = library_file(arena, CODEGEN_LIBRARY, OPTION_CODEGEN);
	const char *stamp = path ? cache_stamp(path, arena, &settled) : NULL;
	const char *what = stamp && settled ? loaded_as(stamp, arena) : NULL;
	const char *version = what ? recalled(cache, what, arena) : NULL;
	return version ? version : asked(cache, what, arena);
}

/* ---- libraries of bitcode ---- */

Str jit_libraries_text(const CodegenResult *code, Arena *arena)
{
	Text text;
	text_init(&text, arena);
	text_str(&text, "");
	for (size_t i = 0; code && i < code->file_count; i++) {
		const CodegenFile *file = &code->files[i];
		char hex[CACHE_HEX_SIZE];
		CacheDigest digest = cache_hash_of(file->bytes.data, file->bytes.len);
		cache_digest_hex(&digest, hex);
		text_printf(&text, "%s %s\n", hex, file->path ? file->path : "");
	}
	return (Str){text.data, text.len};
}

static const char *digest_of(JitCache *cache, const char *path, Arena *arena)
{
	bool settled;
	const char *stamp = cache_stamp(path, arena, &settled);
	if (!stamp)
		return NULL;
	const char *what = arena_printf(arena, "content of %s", stamp),
		   *known = settled ? jit_cache_recall(cache, what, arena) : NULL;
	if (known && strlen(known) == CACHE_HEX_SIZE - 1)
		return known;
	const char *hex = cache_file_hex(path, arena);
	if (hex && settled)
		jit_cache_remember(cache, what, hex);
	return hex;
}

Str jit_libraries_now(JitCache *cache, Str libraries, bool lenient, Arena *arena)
{
	Text text;
	text_init(&text, arena);
	text_str(&text, "");
	char *line = arena_strndup(arena, libraries.ptr, libraries.len);
	for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		if (strcspn(line, " ") != CACHE_HEX_SIZE - 1 || !line[CACHE_HEX_SIZE - 1])
			return (Str){0};
		const char *named = line + CACHE_HEX_SIZE, *path = *named ? named : toolkit_libdevice(arena);
		const char *hex = path ? digest_of(cache, path, arena) : NULL;
		if (!hex && lenient)
			hex = arena_strndup(arena, line, CACHE_HEX_SIZE - 1);
		text_printf(&text, "%s %s\n", hex ? hex : "none", named);
	}
	return (Str){text.data, text.len};
}

void jit_libraries_rows(const CacheKey *from, Str libraries, CacheKey *key)
{
	cache_key_init(key, from->arena);
	for (uint32_t i = 0; i < from->rows.len; i++)
		cache_key_add(key, from->rows.data[i].name, from->rows.data[i].value);
	char *line = arena_strndup(from->arena, libraries.ptr, libraries.len);
	for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		char *path = strchr(line, ' ');
		if (!path)
			continue; /* of a path with a line's end: jit_libraries_now takes it for no such text
				   */
		*path++ = '\0';
		cache_key_add(key, *path ? arena_printf(key->arena, "library %s", path) : "libdevice", line);
	}
}
