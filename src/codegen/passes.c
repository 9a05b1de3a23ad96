/* From TTIR to TTGIR, and lists of passes by name. */
#include "codegen/job.h"

#include <stdlib.h>

#include "gpu/analysis/pressure.h"
#include "gpu/explain/explain.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* ---- passes ---- */

static void tell_pass(const Job *job, const PassInfo *pass, const IrModule *module)
{
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	ir_print(&text, module, (IrPrintOptions){0});
	job->request->after_pass(job->request->after_pass_data, pass->name,
				 ir_module_level(module) == LEVEL_T ? CODEGEN_TTIR : CODEGEN_TTGIR, text.data,
				 text.len);
	arena_free(&arena);
}

static void log_pass(void *data, const PassInfo *pass, const IrModule *module, bool after, double seconds)
{
	const Job *job = data;
	if (after && job->request->after_pass)
		tell_pass(job, pass, module);
	if (!job->request->log || (after ? !job->request->dump_passes : !job->request->dump_before))
		return;
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	if (after) {
		text_printf(&text, "// ---- after %s (%.3f ms)\n", pass->name, seconds * 1e3);
		ir_print(&text, module, (IrPrintOptions){0});
	} else {
		pass_dump_before(&text, pass, module);
	}
	job->request->log(job->request->log_data, text.data, text.len);
	arena_free(&arena);
}

static bool run_list(Job *job, const char *const *names, size_t count)
{
	const CodegenRequest *r = job->request;
	PassOptions options = {
		.level = ir_module_level(job->module),
		.verify = r->verify_passes,
		.stress = r->verify_passes,
		.host = &job->gpu,
		.analyses = &job->analyses,
		.check = gpu_check,
		.find = gpu_pass_by_name,
		.skip = r->skip_passes,
		.stop_after = r->stop_after,
		.hook = ((r->dump_passes || r->dump_before) && r->log) || r->after_pass ? log_pass : NULL,
		.hook_data = job,
	};
	return pass_run_list(job->module, names, count, &options, &job->diags);
}

static void keep_ir(Job *job, CodegenStage stage)
{
	if (!job_keeps(job, stage))
		return;
	Text text;
	text_init(&text, &job->arena);
	ir_print(&text, job->module, (IrPrintOptions){.no_locations = job->request->no_locations});
	result_text(job->out, stage, text.data, text.len);
}

/* ---- the pipeline ---- */

static bool find_descriptor(void *data, IrOp *op)
{
	bool *found = data;
	IrType type = op->kind == OP_FUNC ? ir_func_type_of(op) : NULL;
	for (uint32_t i = 0; type && i < type->split; i++)
		*found |= type->list[i]->kind == TY_TENSORDESC;
	*found |= op->kind == OP_MAKE_TENSOR_DESC;
	return !*found;
}

/* Descriptors become tensor maps or pointers; what pointers are computed from is tidied up as the
 * TTIR passes do. */
static bool lower_descriptors(Job *job)
{
	static const char *const names[] = {"map-descriptors", "lower-descriptors", "canonicalize", "combine",
					    "reorder-broadcast", "cse", "dce"};
	bool found = false;
	ir_walk(job->module->op, false, find_descriptor, &found);
	return !found || run_list(job, names, ARRAY_LEN(names));
}

/* The assembler's time grows fast with what it cannot keep in registers: who has to wait for it
 * hears why. */
static void warn_crowded(Job *job)
{
	enum { TIMES = 3, MOST = 255, OF_SM = 65536 };
	unsigned threads = TARGET_WARP_SIZE * job->gpu.num_warps;
	unsigned limit = job->request->maxnreg ? job->request->maxnreg : MIN((unsigned)MOST, OF_SM / threads);
	for (const IrOp *func = ir_module_block(job->module)->first; func; func = func->next) {
		unsigned words;
		const IrOp *peak = func->kind == OP_FUNC && ir_func_body(func) ?
					   gpu_peak(&job->gpu, &job->arena, job->module, func, &words) : NULL;
		if (peak && words > TIMES * limit)
			ir_diag(&job->diags, peak->loc, DIAG_TILES_CROWDED, words, limit);
	}
}

bool job_to_ttgir(Job *job)
{
	CONTRACT(job->module && job->kernel);
	/* Text that did not come through all TTIR passes may hold what has no layout; in what did
	 * they find nothing. */
	static const char *const first[] = {"structure", "rewrite-tensor-pointer", "nest-loops",
					    "split-clusters"};
	size_t count;
	const char *const *names = gpu_pipeline(&job->arena, &count);
	gpu_explain_padding(&job->gpu, job->module);
	if (ir_module_level(job->module) == LEVEL_T &&
	    (!run_list(job, first, ARRAY_LEN(first)) || !lower_descriptors(job) ||
	     !run_list(job, names, count)))
		return false;
	/* TTGIR that others wrote has no place in shared memory yet. */
	static const char *const last[] = {"allocate", "barriers"};
	if (!ir_get_named(job->module->op, ir_sym(&job->ir, "ttg.shared")) &&
	    !run_list(job, last, ARRAY_LEN(last)))
		return false;
	keep_ir(job, CODEGEN_TTGIR);
	job_made(job, CODEGEN_TTGIR);
	gpu_explain(&job->gpu, job->module);
	if (job->request->to == CODEGEN_PTX)
		warn_crowded(job);
	result_remarks(job->out, &job->remarks);
	return true;
}

/* The pipeline from the text's level on, for run_passes without names. */
static void take_pipeline(Job *job)
{
	size_t ttir = 0, gpu;
	const char *const *first = NULL;
	if (ir_module_level(job->module) == LEVEL_T)
		first = pass_ttir_pipeline(&job->arena, true, &ttir);
	const char *const *then = gpu_pipeline(&job->arena, &gpu);
	const char **names = ARENA_ARRAY(&job->arena, const char *, ttir + gpu + 2);
	for (size_t i = 0; i < ttir; i++)
		names[i] = first[i];
	if (first) {
		names[ttir++] = "nest-loops";
		names[ttir++] = "split-clusters";
	}
	for (size_t i = 0; i < gpu; i++)
		names[ttir + i] = then[i];
	job->passes = names;
	job->pass_count = ttir + gpu;
}

/* NAME or NAME:N. */
static bool will_stop(Job *job)
{
	const char *stop = job->request->stop_after;
	size_t len = strcspn(stop, ":");
	unsigned runs = 0;
	char *end = "";
	unsigned long last = stop[len] ? strtoul(stop + len + 1, &end, 10) : 1;
	for (size_t i = 0; i < job->pass_count; i++)
		runs += strlen(job->passes[i]) == len && strncmp(job->passes[i], stop, len) == 0;
	if (!*end && last >= 1 && last <= runs)
		return true;
	job_fault(job, DIAG_PASS_NEVER, stop, runs);
	return false;
}

bool job_run_passes(Job *job)
{
	if (!job_find_target(job) || !job_read_ir(job))
		return false;
	if (job->request->stop_after && !job->pass_count) {
		take_pipeline(job);
		if (!will_stop(job))
			return false;
	}
	for (size_t i = 0; i < job->pass_count; i++) {
		if (!gpu_pass_by_name(job->passes[i])) {
			job_fault(job, DIAG_PASS_UNKNOWN, job->passes[i], "");
			return false;
		}
	}
	if (!run_list(job, job->passes, job->pass_count) ||
	    !ir_verify(job->module, ir_module_level(job->module), &job->diags))
		return false;
	Text text;
	text_init(&text, &job->arena);
	ir_print(&text, job->module, (IrPrintOptions){.no_locations = job->request->no_locations});
	result_text(job->out, job->request->from, text.data, text.len);
	return true;
}

CodegenPassList job_pass_list(void)
{
	static const CodegenPass rows[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) \
	{name, doc, PASS_##when == PASS_OPTIONAL || PASS_##when == PASS_NAMED},
#define AGAIN(name, when)
#include "ir/passes.def"
#include "gpu/passes.def"
#undef AGAIN
#undef PASS
	};
	return (CodegenPassList){rows, ARRAY_LEN(rows)};
}
