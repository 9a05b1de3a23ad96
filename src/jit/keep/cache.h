/* Inside jit: how a variant for a GPU is made, and where such variants are kept. */
#ifndef NESO_JIT_CACHE_H
#define NESO_JIT_CACHE_H

#include "cache/entry/key.h"
#include "cache/disk/log.h"
#include "cache/store.h"
#include "jit/inner.h"

/* ---- cache.c: the compile cache on disk ---- */

/* What the environment says now, as it is when a variant is made. */
typedef struct JitCacheMode {
	CacheStore *store; /* NULL: nothing is read or written */
	bool read;         /* not TRITON_ALWAYS_COMPILE */
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
	CacheKey arguments;   /* what constants of the call are worth, by parameter */
	FrontReads *reads;    /* NULL of IR text */
	Str source;           /* the functions' text */
} JitContent;
/* False: the sources do not say it (they do not compile). */
bool jit_content(const JitVariant *variant, Arena *arena, JitContent *content);
/* All rows of a variant for a GPU. False after diagnosing: there is no assembler; the rows are there, with "none" for it. */
bool jit_variant_rows(const JitVariant *variant, const JitContent *content, CacheKey *key, DiagList *diags);
/* The same rows whoever assembles: what a variant is found by where there is no ptxas. */
void jit_any_assembler_rows(const JitVariant *variant, const CacheKey *key, CacheKey *any);

/* The same rows for a variant that ends with PTX. */
void jit_no_assembler_rows(const CacheKey *key, CacheKey *none);

/* What decides which constexprs of a call under JIT_POLICY_GENERIC are arguments. False as for jit_content. */
bool jit_demotion_key(JitKernel *kernel, const FrontArg *args, const JitOptions *options, Arena *arena, CacheDigest *digest,
		      FrontReads **reads);

/* The hash of the kernel's sources alone, without what the arguments' constants lead to. False as for jit_content. */
bool jit_source_digest(const JitVariant *variant, Arena *arena, CacheDigest *digest);

/* ---- override.c ---- */

void jit_dump(const JitVariant *variant, DiagList *diags); /* when it is wanted; a failure is a warning */
/* Notes at the last error, which the assembler's failure is, where the PTX is to be had; what there is of
 * the variant is dumped when that is wanted. */
void jit_tell_input(const JitVariant *variant, DiagList *diags);

/* The folder's name, 64 digits; false: the sources do not say it. */
bool jit_source_key(const JitVariant *variant, Arena *arena, char hex[CACHE_HEX_SIZE]);
/* The stages of an override, the first that stands for the least; NULL past the end. */
const char *jit_override_stage(int stage);

/* ---- make.c: a variant for a GPU ---- */

struct JitStorage;
/* One on its way, with its key and what that is made of. */
typedef struct JitMaking {
	JitVariant *variant;
	DiagList *diags;
	const struct JitStorage *storage;
	bool reads;       /* what is there may be taken */
	bool binary_only; /* TRITON_STORE_BINARY_ONLY: of what is put */
	bool is_kept;     /* with all stages, by the storage: texts are found there again */
	JitOverride override;
	JitContent content;
	CacheKey key;
	CacheDigest digest;
	/* storage_cache.c's own */
	JitCacheMode mode;
	CacheClaim claim;
	CacheEventKind event;
} JitMaking;

/* Where variants are kept. */
typedef struct JitStorage {
	bool (*begin)(JitMaking *m); /* false: nothing is kept now */
	/* Fills the variant; false: it is not there, and is compiled and put. There is a key, as
	 * for those that follow. */
	bool (*find)(JitMaking *m);
	bool (*put)(JitMaking *m, Str warnings); /* warnings: as jit_warnings_write gives them */
	void (*release)(JitMaking *m);           /* also where a fault was raised */
	void (*end)(JitMaking *m, bool good);    /* good: the variant is there */
} JitStorage;
extern const JitStorage jit_storage_cache;  /* the compile cache on disk */
extern const JitStorage jit_storage_keeper; /* the host (JitKeeper) */

/* ---- storage_keeper.c: what the host keeps ---- */

bool jit_keeper_active(const JitHost *host);
void jit_kept_dump(const JitVariant *variant, const CacheSection *sections, size_t count, Arena *arena);
void jit_kept_override(const JitVariant *variant, Arena *arena, JitOverride *out);

/* ---- stored.c: variants as entries ---- */

/* What a launch needs besides the cubin: the section "facts". */
void jit_stored_facts(Text *out, const JitVariant *variant);
/* JSON about a variant, in one line. */
void jit_metadata(Text *out, const JitVariant *variant);

/* Fills slots, numbers and gpu of a variant from an entry. False, with a reason, when the entry does not hold together. */
bool jit_stored_load(JitVariant *variant, const CacheEntry *entry, const char **why, DiagList *diags);
/* The sections of a variant that was compiled; how many. */
size_t jit_stored_sections(const JitMaking *m, Str warnings, Arena *arena,
			   CacheSection sections[CACHE_SECTIONS]);
/* Its entry. */
Str jit_stored_write(const JitMaking *m, Str warnings, Arena *arena);

/* ---- stored_warnings.c: what a compilation warned of ---- */

/* The warnings behind the first `skip` diagnostics of the list, as text; "" for none. */
Str jit_warnings_write(Arena *arena, const DiagList *diags, uint32_t skip);
/* Adds them to the list. What is no such text adds nothing. */
void jit_warnings_read(Str text, DiagList *diags);
uint32_t jit_warnings_count(const DiagList *diags); /* diagnostics in the list */

#endif
