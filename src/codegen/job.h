/* Inside the driver: a call of the library's table while it runs, and the steps of the pipeline.
 * Steps return false after diagnosing. */
#ifndef NESO_CODEGEN_JOB_H
#define NESO_CODEGEN_JOB_H

#include "base/diag/remark.h"
#include "codegen/codegen.h"
#include "codegen/facts.h"
#include "codegen/result.h"
#include "codegen/take.h"
#include "gpu/gpu.h"
#include "llvm/emit.h"

typedef struct Job {
	Arena arena;
	CodegenOut *out;
	const CodegenRequest *request;
	const TargetGpu *target;
	unsigned ptx;
	SourceSet sources;
	DiagList diags;
	IrCx ir;
	IrModule *module;
	IrOp *kernel;
	GpuCx gpu;
	PassAnalyses analyses;
	RemarkList remarks;
	Facts facts;
	Emit *emit; /* open */
	double started;
	/* run_passes */
	const char *const *passes;
	size_t pass_count;
	struct {
		const char *layout, *to, *type;
	} layout;
	/* codegen_take, codegen_with_diags */
	CodegenTake *take;
	bool (*fn)(void *data, DiagList *diags);
	void *data;
} Job;

extern const char *const job_stage_names[CODEGEN_STAGE__COUNT];

void job_fault(Job *job, DiagCode code, ...);
/* Is the stage's text to be given out? Who takes the module in memory wants none of it. */
bool job_keeps(const Job *job, CodegenStage stage);
/* The stage is made; the next one's time begins. */
void job_made(Job *job, CodegenStage stage);

/* read.c */
bool job_find_target(Job *job);
bool job_read_ir(Job *job);
/* The function that was asked for becomes the only kernel. */
bool job_find_kernel(Job *job);

/* passes.c */
bool job_to_ttgir(Job *job);
bool job_run_passes(Job *job);
CodegenPassList job_pass_list(void);

/* to_ptx.c: to LLIR, and to PTX where it is asked for; what travels with a text that begins behind
 * them. */
bool job_with_llvm(Job *job);
bool job_take_facts(Job *job, const char *mark, const char *missing);

#endif
