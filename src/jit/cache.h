/* Inside jit: the compile cache's part in making a variant. */
#ifndef NESO_JIT_CACHE_H
#define NESO_JIT_CACHE_H

#include "cache/key.h"
#include "cache/store.h"
#include "jit/inner.h"

/* What the environment says now, as it is when a variant is made. */
typedef struct JitCacheMode {
	CacheStore *store;  /* NULL: nothing is read or written */
	bool read;          /* not TRITON_ALWAYS_COMPILE */
	bool binary_only;   /* TRITON_STORE_BINARY_ONLY */
} JitCacheMode;
void jit_cache_mode(JitCache *cache, JitCacheMode *mode, DiagList *diags);
/* Tells as warnings what the store could not do. */
void jit_cache_tell(JitCacheMode *mode, DiagList *diags);

/* ---- versions and contents of files, remembered ---- */

/* what: a text that names a file as it is now. In the arena; NULL: nothing is known. */
const char *jit_cache_recall(JitCache *cache, const char *what, Arena *arena);
void jit_cache_remember(JitCache *cache, const char *what, const char *said);

/* ---- toolchain.c ---- */

/* Of the LLVM that the code generator's library works with, as it would be loaded now: "22.1.0". In the arena. */
const char *jit_llvm_version(JitCache *cache, Arena *arena);

/* Libraries of bitcode that a compilation took functions from: a line for each, the digest of its content, a blank, and its path, or
 * nothing for libdevice. Length 0: none. */
Str jit_libraries_text(const CodegenResult *code, Arena *arena);
/* The same with what these files hold now, "none" for one that is not there; lenient: that one as it was. ptr NULL: no such text. */
Str jit_libraries_now(JitCache *cache, Str libraries, bool lenient, Arena *arena);
/* The key with a row for each. */
void jit_libraries_rows(const CacheKey *from, Str libraries, CacheKey *key);

/* ---- cache_key.c: what decides a variant ---- */

typedef struct JitContent {
	CacheKey rows;        /* functions, classes, globals */
	Str source;           /* the functions' text */
} JitContent;
/* False: the sources do not say it (they do not compile). */
bool jit_content(const JitVariant *variant, Arena *arena, JitContent *content);
/* All rows of a variant for a GPU. False after diagnosing: there is no assembler; the rows are there, with "none" for it. */
bool jit_variant_rows(const JitVariant *variant, const JitContent *content, CacheKey *key, DiagList *diags);
/* The same rows whoever assembles: what a variant is found by where there is no ptxas. */
void jit_any_assembler_rows(const JitVariant *variant, const CacheKey *key, CacheKey *any);

/* What decides which constexprs of a call under JIT_POLICY_GENERIC are arguments. False as for jit_content. */
bool jit_demotion_key(JitKernel *kernel, const FrontArg *args, const JitOptions *options, Arena *arena, CacheDigest *digest);

/* The hash of the kernel's sources alone, without what the arguments' constants lead to. False as for jit_content. */
bool jit_source_digest(const JitVariant *variant, Arena *arena, CacheDigest *digest);

/* ---- override.c ---- */

bool jit_dump_wanted(void);
void jit_dump(const JitVariant *variant, DiagList *diags); /* when it is wanted; a failure is a warning */

/* The folder's name, 64 digits; false: the sources do not say it. */
bool jit_source_key(const JitVariant *variant, Arena *arena, char hex[CACHE_HEX_SIZE]);
/* The stages of an override, the first that stands for the least; NULL past the end. */
const char *jit_override_stage(int stage);

/* ---- cache.c ---- */

/* A variant for a GPU, its key, and what the key is made of. */
typedef struct JitKeyed {
	JitVariant *variant;
	JitOverride override; /* filled in before */
	JitContent content;
	CacheKey key;
	CacheDigest digest;
} JitKeyed;
/* False: there is no key, as sources or assembler do not say it. */
bool jit_keyed(JitKeyed *keyed, Arena *arena);
/* NULL where none is given. */
const JitOverride *jit_keyed_override(const JitKeyed *keyed);
/* Was the variant made by what its key names? Another build of the code generator's library or another assembler may have been put in the
 * place of what was there. */
bool jit_made_by_key(const JitKeyed *keyed, DiagList *diags);

/* ---- keeper.c: variants that the host keeps ---- */

bool jit_keeper_active(const JitHost *host);
/* What jit_gpu_make does, through the keeper. */
bool jit_kept_make(JitVariant *variant, DiagList *diags);
void jit_kept_dump(const JitVariant *variant, const CacheSection *sections, size_t count, Arena *arena);
void jit_kept_override(const JitVariant *variant, Arena *arena, JitOverride *out);

/* ---- stored.c: variants as entries ---- */

/* JSON about a variant, in one line. */
void jit_metadata(Text *out, const JitVariant *variant);

/* Fills slots, numbers and gpu of a variant from an entry. False, with a reason, when the entry does not hold together. */
bool jit_stored_load(JitVariant *variant, const CacheEntry *entry, const char **why, DiagList *diags);
/* The sections of a variant that was compiled; how many. said: the section that jit_said_write gives. */
size_t jit_stored_sections(const JitVariant *variant, const CacheKey *key, const JitContent *content, Str said, bool binary_only,
			   Arena *arena, CacheSection sections[CACHE_SECTIONS]);
/* Its entry. */
Str jit_stored_write(const JitVariant *variant, const CacheDigest *digest, const CacheKey *key, const JitContent *content,
		     Str said, bool binary_only, Arena *arena);

/* ---- stored_said.c: what a compilation warned of ---- */

/* The warnings behind the first `skip` diagnostics of the list, as text; "" for none. */
Str jit_said_write(Arena *arena, const DiagList *diags, uint32_t skip);
/* Says them again. What is no such text says nothing. */
void jit_said_again(Str said, DiagList *diags);
uint32_t jit_said_count(const DiagList *diags); /* diagnostics in the list */

#endif
