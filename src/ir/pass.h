/* Passes and their runner. A pass is a row of passes.def. The runner verifies after it, times it,
 * dumps on request, and owns the analyses that passes share. In stress mode it prints, reads and
 * compares the module after every pass, and checks what the pass's row and result claim: that it
 * changed nothing, which analyses it preserves. */
#ifndef NESO_IR_PASS_H
#define NESO_IR_PASS_H

#include "base/str.h"
#include "ir/diag.h"
#include "ir/ir.h"

typedef struct PassInfo PassInfo;
typedef struct PassAnalyses PassAnalyses;

typedef struct PassCx {
	IrModule *module;
	DiagList *diags;
	Arena *scratch; /* emptied after each pass */
	void *host;     /* what the passes of a folder share (gpu: GpuCx) */
	PassAnalyses *analyses;
	const PassInfo *pass; /* that runs; NULL: none, and any analysis may be asked for */
} PassCx;

/* Returns false after diagnosing a user's fault; *changed is set when the module was changed. */
typedef bool PassFn(PassCx *cx, bool *changed);

#define PASS(fn, name, in, out, when, needs, keeps, doc) PassFn fn;
#define AGAIN(name, when)
#include "ir/passes.def"
#undef AGAIN
#undef PASS

/* ---- analyses ---- */

enum { PASS_MOST_ANALYSES = 4 };

/* Something that is computed of a whole module and that several passes ask for. */
typedef struct PassAnalysis {
	const char *name;
	/* In the arena, which is the result's own. */
	void *(*compute)(PassCx *cx, Arena *arena);
	/* Do both say the same of everything in the module? */
	bool (*equal)(const IrModule *module, const void *a, const void *b);
} PassAnalysis;

/* What is known of one module now. Bit i of a row's needs and keeps is rows[i]. */
struct PassAnalyses {
	const PassAnalysis *rows;
	unsigned count;
	Arena arenas[PASS_MOST_ANALYSES];
	void *values[PASS_MOST_ANALYSES]; /* NULL: not computed, or no longer right */
};

/* limit: of each arena (arena_init). What is open has to be freed. */
void pass_analyses_open(PassAnalyses *analyses, const PassAnalysis *rows, unsigned count, size_t limit);
void pass_analyses_free(PassAnalyses *analyses);

/* The analysis of row `which`: what is known, or computed now. It is right until the pass changes the module. */
void *pass_analysis(PassCx *cx, unsigned which);
/* Drops those whose bits are not in `keep`. */
void pass_analyses_drop(PassAnalyses *analyses, unsigned keep);

/* ---- the table ---- */

typedef enum PassWhen { PASS_NEEDED, PASS_OPTIONAL, PASS_POINTERS, PASS_NAMED } PassWhen;

struct PassInfo {
	PassFn *run;
	const char *name;
	uint8_t level_in, level_out; /* IrLevel */
	PassWhen when;
	unsigned needs, keeps; /* bits of analyses */
	const char *doc;
};

const PassInfo *pass_by_name(const char *name); /* of those in ir/passes.def; NULL when unknown */
const PassInfo *pass_table(size_t *count);

/* A place in the pipeline. */
typedef struct PassStep {
	const char *name;
	PassWhen when;
} PassStep;

typedef struct PassOptions {
	IrLevel level; /* of the module before the first pass; 0: TTIR */
	bool verify;   /* after each pass; the entry point verifies at the end in any case */
	void *host;    /* PassCx.host */
	/* What ir_verify cannot know, asked after it at LEVEL_G (gpu_verify); may be NULL. */
	bool (*check)(void *host, const IrModule *module, DiagList *diags);
	const PassInfo *(*find)(const char *name); /* NULL: pass_by_name */
	bool stress; /* print -> read -> print after each pass must be the identity, and its row must be true */
	PassAnalyses *analyses; /* that the caller goes on with afterwards; NULL: the run opens its own */
	void (*open_analyses)(PassAnalyses *analyses, size_t limit); /* how; NULL: there are none */
	const char *skip;       /* names of optional passes that do not run, with "," between; NULL: none */
	const char *stop_after; /* NAME or NAME:N: nothing runs behind the Nth run of this pass; NULL: all run */
	/* Called before and after each pass when set (dumps, timing). */
	void (*hook)(void *data, const PassInfo *pass, const IrModule *module, bool after, double seconds);
	void *hook_data;
} PassOptions;

/* Is the module right without it? Passes that only AGAIN names are such. */
static inline bool pass_may_be_skipped(const PassInfo *pass)
{
	return pass->when == PASS_OPTIONAL || pass->when == PASS_NAMED;
}

/* Runs the passes (names that options->find knows) in order. False after a diagnosed fault. */
bool pass_run_list(IrModule *module, const char *const *names, size_t count, const PassOptions *options,
		   DiagList *diags);

/* The module as it enters a pass, below the line that MLIR's own tools print, which scripts look for. */
void pass_dump_before(Text *out, const PassInfo *pass, const IrModule *module);

/* Of steps those that run: with `pointers` the ones that make descriptors pointers. In the arena. */
const char *const *pass_names_of(Arena *arena, const PassStep *steps, size_t count, bool pointers, size_t *out);
/* The passes that make the `.ttir` stage, in order. Descriptors become pointers for targets below sm_90 and
 * wherever no engine of descriptors is at hand. */
const char *const *pass_ttir_pipeline(Arena *arena, bool pointers, size_t *count);

#endif
