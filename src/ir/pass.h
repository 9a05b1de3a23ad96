/* Passes and the runner. A pass is a row of passes.def; the runner verifies after it, times it, dumps when asked,
 * and in stress mode prints, reads and compares the module after every pass. */
#ifndef NESO_IR_PASS_H
#define NESO_IR_PASS_H

#include "base/diag/diag.h"
#include "base/str.h"
#include "ir/ir.h"

typedef struct PassCx {
	IrModule *module;
	DiagList *diags;
	Arena *scratch; /* emptied after each pass */
	void *host;     /* what the passes of a folder share (gpu: GpuCx) */
} PassCx;

/* Returns false after diagnosing a user's fault; *changed is set when the module was changed. */
typedef bool PassFn(PassCx *cx, bool *changed);

/* A fault of the user's at an op's location, with a note for each place that it was inlined at. */
Diag *pass_diag(PassCx *cx, IrLoc loc, DiagCode code, ...);

#define PASS(fn, name, in, out, doc) PassFn fn;
#include "ir/passes.def"
#undef PASS

typedef struct PassInfo {
	PassFn *run;
	const char *name;
	uint8_t level_in, level_out; /* IrLevel */
	const char *doc;
} PassInfo;

const PassInfo *pass_by_name(const char *name); /* of those in ir/passes.def; NULL when unknown */
const PassInfo *pass_table(size_t *count);

typedef struct PassOptions {
	IrLevel level; /* of the module before the first pass; 0: TTIR */
	bool verify;   /* after each pass; the entry point verifies at the end in any case */
	void *host;    /* PassCx.host */
	/* What ir_verify cannot know, asked after it at LEVEL_G (gpu_verify); may be NULL. */
	bool (*check)(void *host, const IrModule *module, DiagList *diags);
	const PassInfo *(*find)(const char *name); /* NULL: pass_by_name */
	bool stress; /* print -> read -> print after each pass must be the identity */
	/* Called before and after each pass when set (dumps, timing). */
	void (*hook)(void *data, const PassInfo *pass, const IrModule *module, bool after, double seconds);
	void *hook_data;
} PassOptions;

/* Runs the passes (names that options->find knows) in order. False after a diagnosed fault. */
bool pass_run_list(IrModule *module, const char *const *names, size_t count, const PassOptions *options,
		   DiagList *diags);

/* The module as it enters a pass, below the line that MLIR's own tools print, which scripts look for. */
void pass_dump_before(Text *out, const PassInfo *pass, const IrModule *module);

/* The passes that make the `.ttir` stage, in order. Descriptors become pointers for targets below sm_90 and
 * wherever no engine of descriptors is at hand. */
const char *const *pass_ttir_pipeline(bool lower_descriptors, size_t *count);

#endif
