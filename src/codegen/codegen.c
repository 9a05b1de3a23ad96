/* The table of libneso-codegen.so, and the pipeline behind it: TTIR -> TTGIR -> LLIR -> PTX.
 * compile() below reads as this line.
 *
 * A call owns one arena, freed when it ends, and the result's, which holds copies of all that is
 * given out. Faults land here (fault.h) and become diagnostics. */
#include "codegen/codegen.h"

#include "base/build.h"
#include "base/fault.h"
#include "base/os.h"
#include "base/stop.h"
#include "codegen/job.h"
#include "codegen/layout_text.h"

#define EXPORT __attribute__((visibility("default")))
extern EXPORT const CodegenTable neso_codegen_table;

typedef bool JobFn(Job *job);

const char *const job_stage_names[CODEGEN_STAGE__COUNT] = {"ttir", "ttgir", "llir", "ptx"};

/* ---- giving out ---- */

void job_fault(Job *job, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	diag_add_at_v(&job->diags, NULL, (LineCol){0, 0}, code, args);
	va_end(args);
}

bool job_keeps(const Job *job, CodegenStage stage)
{
	CONTRACT(stage < CODEGEN_STAGE__COUNT);
	return job->request->keep[stage] || (job->request->to == stage && !job->take);
}

void job_made(Job *job, CodegenStage stage)
{
	CONTRACT(stage < CODEGEN_STAGE__COUNT);
	double now = os_now();
	job->out->result.seconds[stage] = now - job->started;
	job->started = now;
}

/* ---- the pipeline ---- */

static bool from_ptx(Job *job)
{
	const CodegenRequest *r = job->request;
	if (!job_take_facts(job, "// neso: ",
			    "this PTX has no line '// neso: ...', which says how it is launched"))
		return false;
	result_text(job->out, CODEGEN_PTX, r->text, r->len);
	return true;
}

static bool compile(Job *job)
{
	const CodegenRequest *r = job->request;
	if (r->from > r->to || r->to >= CODEGEN_STAGE__COUNT) {
		job_fault(job, DIAG_CODEGEN_STAGE,
			  r->from < CODEGEN_STAGE__COUNT ? job_stage_names[r->from] : "?",
			  r->to < CODEGEN_STAGE__COUNT ? job_stage_names[r->to] : "?");
		return false;
	}
	if (!job_find_target(job))
		return false;
	bool good;
	if (r->from == CODEGEN_PTX)
		good = from_ptx(job);
	else if (r->from == CODEGEN_LLIR)
		good = job_with_llvm(job);
	else
		good = job_read_ir(job) && job_find_kernel(job) && job_to_ttgir(job) &&
		       (r->to < CODEGEN_LLIR || job_with_llvm(job));
	if (good && r->to >= CODEGEN_LLIR)
		result_facts(job->out, &job->facts, job->ptx);
	return good;
}

static bool show_layout(Job *job)
{
	Text text;
	text_init(&text, &job->arena);
	if ((job->request->target && !job_find_target(job)) ||
	    !codegen_layout(&job->arena, job->layout.layout, job->layout.to, job->layout.type, job->target,
			    &text, &job->diags))
		return false;
	result_text(job->out, CODEGEN_TTGIR, text.data, text.len);
	return true;
}

/* ---- entry points ---- */

/* What landed becomes a diagnostic; false when there is no memory for that either. */
static bool keep_fault(Job *job, const Fault *landed)
{
	Fault again;
	if (landed->kind == FAULT_MEMORY)
		return false;
	if (!FAULT_TRY(&again))
		return false;
	job_fault(job, DIAG_INTERNAL, landed->text);
	result_diags(job->out, &job->diags);
	fault_leave(&again);
	return true;
}

/* Does the work where faults land. False: out of memory. Both arenas are the only things owned, but
 * for LLVM's objects, which job->emit holds. */
static bool work_or_fault(Job *job, JobFn *work)
{
	Fault landed;
	Stop stop;
	if (FAULT_TRY(&landed)) {
		stop_enter(&stop, job->request->seconds, job->request->ask, job->request->ask_data);
		source_set_init(&job->sources, &job->arena);
		diag_init(&job->diags, &job->arena, &job->sources);
		job->started = os_now();
		job->out->result.ok = work(job);
		result_diags(job->out, &job->diags);
		stop_leave(&stop);
		fault_leave(&landed);
		return true;
	}
	job->out->result.ok = false;
	if (job->emit) {
		emit_close(job->emit);
		emit_leave(job->emit);
	}
	job->out->result.ended = landed.kind == FAULT_TIME || landed.kind == FAULT_STOPPED;
	return job->out->result.ended || keep_fault(job, &landed);
}

static CodegenResult *run_job(Job *job, JobFn *work)
{
	job->out = result_new();
	if (!job->out)
		return NULL;
	arena_init(&job->arena, 0);
	bool enough = work_or_fault(job, work);
	pass_analyses_free(&job->analyses);
	arena_free(&job->arena);
	if (enough)
		return &job->out->result;
	result_free(&job->out->result);
	return NULL;
}

static CodegenResult *table_compile(const CodegenRequest *request)
{
	Job job = {.request = request};
	return run_job(&job, compile);
}

static CodegenResult *table_run_passes(const CodegenRequest *request, const char *const *passes, size_t count)
{
	Job job = {.request = request, .passes = passes, .pass_count = count};
	return run_job(&job, job_run_passes);
}

CodegenResult *codegen_take(const CodegenRequest *request, CodegenTake *take, void *data)
{
	Job job = {.request = request, .take = take, .data = data};
	return run_job(&job, compile);
}

static bool call(Job *job)
{
	return job->fn(job->data, &job->diags);
}

CodegenResult *codegen_with_diags(bool (*fn)(void *data, DiagList *diags), void *data)
{
	static const CodegenRequest none;
	Job job = {.request = &none, .fn = fn, .data = data};
	return run_job(&job, call);
}

static CodegenResult *table_layout(const char *layout, const char *to, const char *type, const char *target)
{
	CodegenRequest request = {.target = target};
	Job job = {.request = &request, .layout = {layout, to, type}};
	return run_job(&job, show_layout);
}

const CodegenTable neso_codegen_table = {
	.abi = CODEGEN_ABI,
	.version = NESO_VERSION,
	.llvm_version = emit_llvm_version,
	.llvm_file = emit_llvm_file,
	.source_hash = base_source_hash,
	.compile = table_compile,
	.run_passes = table_run_passes,
	.passes = job_pass_list,
	.layout = table_layout,
	.free = result_free,
	.sim_prepare = codegen_sim_prepare,
	.sim_launch = codegen_sim_launch,
	.sim_free = codegen_sim_free,
};
