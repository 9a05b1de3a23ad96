/* The table of libneso-codegen.so, and the pipeline behind it: TTIR -> TTGIR -> LLIR -> PTX. compile() below reads as
 * this line.
 *
 * A call owns one arena, freed when it ends, and the result's, which holds copies of all that is given out. Faults land
 * here (fault.h), LLVM's fatal errors too (emit.h); both become diagnostics. */
#include "codegen/codegen.h"

#include "base/build.h"
#include "base/fault.h"
#include "base/os.h"
#include "base/stop.h"
#include "codegen/facts.h"
#include "codegen/layout_text.h"
#include "codegen/result.h"
#include "codegen/take.h"
#include "gpu/analysis/pressure.h"
#include "gpu/explain/explain.h"
#include "gpu/layout/boxes.h"
#include "gpu/gpu.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "llvm/emit.h"
#include "llvm/lines.h"
#include "llvm/lower_int.h"
#include "llvm/math/func.h"
#include "llvm/math/libdevice.h"

#define EXPORT __attribute__((visibility("default")))
extern EXPORT const CodegenTable neso_codegen_table;

/* Passes on LLIR, while machine operations are calls. */
static const char llir_passes[] = "always-inline,function(early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm))";

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

typedef bool JobFn(Job *job);

static const char *const stage_names[CODEGEN_STAGE__COUNT] = {"ttir", "ttgir", "llir", "ptx"};

/* ---- giving out ---- */

static void fault(Job *job, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	diag_add_at_v(&job->diags, NULL, (LineCol){0, 0}, code, args);
	va_end(args);
}

/* Who takes the module in memory wants no text of it. */
static bool is_kept(const Job *job, CodegenStage stage)
{
	return job->request->keep[stage] || (job->request->to == stage && !job->take);
}

/* The stage is made; the next one's time begins. */
static void made(Job *job, CodegenStage stage)
{
	double now = os_now();
	job->out->result.seconds[stage] = now - job->started;
	job->started = now;
}

/* ---- reading ---- */

static bool find_target(Job *job)
{
	const char *name = job->request->target ? job->request->target : "", *error;
	job->target = target_find(name);
	if (!job->target) {
		const char *near = target_nearest(name);
		fault(job, DIAG_CODEGEN_TARGET, name,
		      near ? arena_printf(&job->arena, " (did you mean '%s'?)", near) : "",
		      target_names(&job->arena, ", "));
		return false;
	}
	job->ptx = emit_ptx_version(job->target, job->request->ptx_version, &job->arena, &error);
	if (!job->ptx)
		fault(job, DIAG_CODEGEN_TEXT, error);
	return job->ptx != 0;
}

static unsigned module_number(const Job *job, IrAttrName name, unsigned otherwise)
{
	return (unsigned)ir_get_int(job->module->op, &job->ir, name, otherwise);
}

static bool read_ir(Job *job)
{
	const CodegenRequest *r = job->request;
	const char *path = r->path ? r->path : stage_names[r->from];
	ir_cx_init(&job->ir, &job->arena);
	job->module = ir_read(&job->ir, source_add(&job->sources, path, r->text, r->len, 1), &job->diags);
	if (!job->module)
		return false;
	/* TTGIR says itself for how many warps it was made. */
	unsigned warps = module_number(job, ATTR_MODULE_WARPS, r->num_warps ? r->num_warps : 4);
	unsigned ctas = module_number(job, ATTR_MODULE_CTAS, r->num_ctas ? r->num_ctas : 1);
	gpu_cx_init(&job->gpu, &job->ir, job->target, warps, ctas, r->num_stages ? r->num_stages : 3);
	gpu_analyses_open(&job->analyses, job->arena.limit);
	job->gpu.maps = job->gpu.maps && !r->no_maps;
	remark_init(&job->remarks, &job->arena);
	job->gpu.remarks = r->remarks ? &job->remarks : NULL;
	job->gpu.plan_target.shared_bytes = (uint64_t)ir_get_int(job->module->op, &job->ir, ATTR_CONVERSION_BYTES,
								 (int64_t)job->gpu.plan_target.shared_bytes);
	IrLevel level = ir_module_level(job->module);
	return ir_verify(job->module, level, &job->diags) &&
	       (level == LEVEL_T || gpu_verify(&job->gpu, job->module, &job->diags));
}

static bool is_public(const Job *job, const IrOp *func)
{
	IrAttr visibility = ir_get(func, &job->ir, ATTR_SYM_VISIBILITY);
	return ir_func_body(func) && (!visibility || strcmp(visibility->text, "private") != 0);
}

/* The function that was asked for becomes the only kernel. */
static bool find_kernel(Job *job)
{
	unsigned count = 0;
	for (IrOp *op = ir_module_block(job->module)->first; op; op = op->next) {
		if (op->kind != OP_FUNC || !is_public(job, op))
			continue;
		if (job->request->kernel && strcmp(ir_func_name(op), job->request->kernel) != 0)
			continue;
		job->kernel = op;
		count++;
	}
	if (count == 1)
		return true;
	if (job->request->kernel)
		fault(job, DIAG_CODEGEN_KERNEL, job->request->kernel);
	else
		fault(job, DIAG_CODEGEN_NO_KERNEL, count);
	return false;
}

/* ---- passes ---- */

static void tell_pass(const Job *job, const PassInfo *pass, const IrModule *module)
{
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	ir_print(&text, module, (IrPrintOptions){0});
	job->request->after_pass(job->request->after_pass_data, pass->name,
				 ir_module_level(module) == LEVEL_T ? CODEGEN_TTIR : CODEGEN_TTGIR, text.data, text.len);
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
	if (!is_kept(job, stage))
		return;
	Text text;
	text_init(&text, &job->arena);
	ir_print(&text, job->module, (IrPrintOptions){.no_locations = job->request->no_locations});
	result_text(job->out, stage, text.data, text.len);
}

/* ---- facts ---- */

static char argument_letter(IrType type)
{
	switch (type->kind) {
	case TY_I1:
	case TY_I8: return '1';
	case TY_I16: return '2';
	case TY_I32: return '4';
	case TY_I64: return '8';
	case TY_F16:
	case TY_BF16: return 'h';
	case TY_F32: return 'f';
	case TY_F64: return 'd';
	case TY_PTR: return 'p';
	case TY_TENSORDESC: return 't';
	default: return ir_is_float(type) && type->bits == 8 ? '1' : '?';
	}
}

static void find_facts(Job *job, const Lower *lw)
{
	const IrBlock *body = ir_func_body(job->kernel);
	char *args = ARENA_ARRAY(&job->arena, char, body->arg_count + 2);
	for (uint32_t i = 0; i < body->arg_count; i++)
		args[i] = argument_letter(body->args[i]->type);
	if (lw->scratch_bytes)
		args[body->arg_count] = 's';
	Text maps;
	text_init(&maps, &job->arena);
	for (uint32_t i = 0; i < body->arg_count; i++) {
		TensorMapPlan plan;
		if (!gpu_map_recipe(&job->gpu, job->kernel, i, &plan))
			continue;
		text_str(&maps, maps.len ? ";" : "");
		tensor_map_write(&maps, &plan, 1);
	}
	IrAttr shared = ir_get_named(job->module->op, ir_sym(&job->ir, "ttg.shared"));
	job->facts = (Facts){
		.kernel = ir_func_name(job->kernel),
		.args = args,
		.maps = maps.len ? maps.data : "",
		.threads = TARGET_WARP_SIZE * job->gpu.num_warps,
		.shared = shared ? (unsigned)shared->i : 0,
		.cluster = job->gpu.num_ctas,
		.scratch_bytes = lw->scratch_bytes,
		.scratch_align = lw->scratch_bytes ? 16 : 0,
		.uses_print = lw->uses_print,
		.uses_assert = lw->uses_assert,
	};
}

/* ---- LLVM ---- */

static bool llvm_fault(Job *job)
{
	fault(job, DIAG_CODEGEN_LLVM, job->emit->error);
	return false;
}

/* What the last passes kept, or computed now. */
static AxisMap *axis_now(Job *job)
{
	PassCx cx = {.module = job->module, .analyses = &job->analyses};
	return gpu_axis(&cx);
}

/* The libraries of bitcode that functions were taken from. */
static void keep_files(Job *job, const Lower *lw)
{
	for (const struct LowerLibrary *l = lw->libraries; l; l = l->next) {
		if (l->is_libdevice)
			result_file(job->out, NULL, l->bytes);
		if (l->is_named)
			result_file(job->out, l->path, l->bytes);
	}
}

static bool lower(Job *job)
{
	const CodegenRequest *r = job->request;
	emit_new_module(job->emit, job->kernel ? ir_func_name(job->kernel) : "neso");
	Lower lw = {
		.arena = &job->arena,
		.gpu = &job->gpu,
		.module = job->module,
		.diags = &job->diags,
		.axis = axis_now(job),
		.target = job->target,
		.fp_fusion = r->fp_fusion,
		.line_info = r->line_info,
		.predictions = r->predictions,
		.maxnreg = r->maxnreg,
		.libdevice = r->libdevice,
		.cx = job->emit->cx,
		.mod = job->emit->mod,
		.b = job->emit->builder,
	};
	lower_init(&lw);
	lower_line_begin(&lw);
	bool good = lower_module(&lw);
	lower_line_end(&lw);
	stop_point();
	if (!good)
		return false;
	const char *error;
	func_finish(&lw);
	if (!libdevice_link(&lw, &error)) {
		fault(job, DIAG_CODEGEN_TEXT, error);
		return false;
	}
	keep_files(job, &lw);
	find_facts(job, &lw);
	LLVMValueRef fn = LLVMGetNamedFunction(job->emit->mod, job->facts.kernel);
	const char *text = facts_text(&job->arena, &job->facts);
	LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION,
				LLVMCreateStringAttribute(lw.cx, "neso", 4, text, (unsigned)strlen(text)));
	return (!r->verify_passes || emit_verify(job->emit)) && emit_passes(job->emit, llir_passes) ? true :
	       llvm_fault(job);
}

static bool take_facts(Job *job, const char *mark, const char *missing)
{
	const char *why;
	if (facts_read(&job->arena, (Str){job->request->text, job->request->len}, mark, &job->facts, &why))
		return true;
	if (why)
		missing = arena_printf(&job->arena, "what says how the kernel is launched is wrong: %s", why);
	fault(job, DIAG_CODEGEN_TEXT, missing);
	return false;
}

static bool read_llir(Job *job)
{
	const CodegenRequest *r = job->request;
	if (!emit_read_module(job->emit, r->text, r->len) || !emit_verify(job->emit))
		return llvm_fault(job);
	if (!take_facts(job, "\"neso\"=\"",
			"this LLVM IR has no kernel with attribute \"neso\", which says how it is launched"))
		return false;
	LLVMValueRef fn = LLVMGetNamedFunction(job->emit->mod, job->facts.kernel);
	if (fn && !LLVMIsDeclaration(fn) && LLVMCountParams(fn) == strlen(job->facts.args))
		return true;
	fault(job, DIAG_CODEGEN_TEXT,
	      "this LLVM IR defines no function with the name and the arguments that attribute \"neso\" says");
	return false;
}

static bool to_llir(Job *job)
{
	if (!(job->request->from == CODEGEN_LLIR ? read_llir(job) : lower(job)))
		return false;
	if (is_kept(job, CODEGEN_LLIR)) {
		Text text;
		text_init(&text, &job->arena);
		emit_module_text(job->emit, &text);
		result_text(job->out, CODEGEN_LLIR, text.data, text.len);
	}
	made(job, CODEGEN_LLIR);
	return true;
}

static bool to_ptx(Job *job)
{
	unsigned ptx = job->ptx;
	const char *unknown = machine_replace(job->emit->mod, &job->arena, &ptx);
	if (unknown) {
		fault(job, DIAG_CODEGEN_OPERATION, unknown);
		return false;
	}
	if (ptx > job->ptx && !emit_raise_ptx(job->emit, job->target, ptx, job->request->line_info))
		return llvm_fault(job);
	job->ptx = ptx;
	Text code, text;
	text_init(&code, &job->arena);
	text_init(&text, &job->arena);
	if (job->request->verify_passes && !emit_verify(job->emit))
		return llvm_fault(job);
	stop_point();
	if (!emit_ptx(job->emit, &code))
		return llvm_fault(job);
	text_printf(&text, "// neso: %s\n", facts_text(&job->arena, &job->facts));
	lines_rewrite(&job->arena, (Str){code.data, code.len}, &text);
	result_text(job->out, CODEGEN_PTX, text.data, text.len);
	made(job, CODEGEN_PTX);
	return true;
}

static bool with_llvm(Job *job)
{
	job->emit = ARENA_NEW(&job->arena, Emit);
	emit_enter(job->emit);
	if (setjmp(job->emit->landing) != 0) {
		/* A fatal error: LLVM's objects are in no state to be freed. */
		llvm_fault(job);
		job->emit = NULL;
		return false;
	}
	bool good = emit_open(job->emit, job->target, job->ptx, job->request->line_info) ?
		    to_llir(job) && (!job->take || job->take(job->data, job->emit->mod, &job->facts, &job->diags)) &&
			    (job->request->to < CODEGEN_PTX || to_ptx(job)) : llvm_fault(job);
	emit_close(job->emit);
	emit_leave(job->emit);
	job->emit = NULL;
	return good;
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

/* Descriptors become tensor maps or pointers; what pointers are computed from is tidied up as the TTIR passes do. */
static bool lower_descriptors(Job *job)
{
	static const char *const names[] = {"map-descriptors", "lower-descriptors", "canonicalize", "combine",
					    "reorder-broadcast", "cse", "dce"};
	bool found = false;
	ir_walk(job->module->op, false, find_descriptor, &found);
	return !found || run_list(job, names, ARRAY_LEN(names));
}

/* The assembler's time grows fast with what it cannot keep in registers: who has to wait for it hears why. */
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

static bool to_ttgir(Job *job)
{
	/* Text that did not come through all TTIR passes may hold what has no layout; in what did they find nothing. */
	static const char *const first[] = {"structure", "rewrite-tensor-pointer"};
	size_t count;
	const char *const *names = gpu_pipeline(&job->arena, &count);
	if (ir_module_level(job->module) == LEVEL_T &&
	    (!run_list(job, first, ARRAY_LEN(first)) || !lower_descriptors(job) || !run_list(job, names, count)))
		return false;
	/* TTGIR that others wrote has no place in shared memory yet. */
	static const char *const last[] = {"allocate", "barriers"};
	if (!ir_get_named(job->module->op, ir_sym(&job->ir, "ttg.shared")) && !run_list(job, last, ARRAY_LEN(last)))
		return false;
	keep_ir(job, CODEGEN_TTGIR);
	made(job, CODEGEN_TTGIR);
	gpu_explain(&job->gpu, job->module);
	if (job->request->to == CODEGEN_PTX)
		warn_crowded(job);
	result_remarks(job->out, &job->remarks);
	return true;
}

static bool from_ptx(Job *job)
{
	const CodegenRequest *r = job->request;
	if (!take_facts(job, "// neso: ", "this PTX has no line '// neso: ...', which says how it is launched"))
		return false;
	result_text(job->out, CODEGEN_PTX, r->text, r->len);
	return true;
}

static bool compile(Job *job)
{
	const CodegenRequest *r = job->request;
	if (r->from > r->to || r->to >= CODEGEN_STAGE__COUNT) {
		fault(job, DIAG_CODEGEN_STAGE, r->from < CODEGEN_STAGE__COUNT ? stage_names[r->from] : "?",
		      r->to < CODEGEN_STAGE__COUNT ? stage_names[r->to] : "?");
		return false;
	}
	if (!find_target(job))
		return false;
	bool good = r->from == CODEGEN_PTX ? from_ptx(job) :
		    r->from == CODEGEN_LLIR ? with_llvm(job) :
		    read_ir(job) && find_kernel(job) && to_ttgir(job) && (r->to < CODEGEN_LLIR || with_llvm(job));
	if (good && r->to >= CODEGEN_LLIR)
		result_facts(job->out, &job->facts, job->ptx);
	return good;
}

/* The pipeline from the text's level on, for run_passes without names. */
static void take_pipeline(Job *job)
{
	size_t ttir = 0, gpu;
	const char *const *first = NULL;
	if (ir_module_level(job->module) == LEVEL_T)
		first = pass_ttir_pipeline(&job->arena, true, &ttir);
	const char *const *then = gpu_pipeline(&job->arena, &gpu);
	const char **names = ARENA_ARRAY(&job->arena, const char *, ttir + gpu);
	for (size_t i = 0; i < ttir; i++)
		names[i] = first[i];
	for (size_t i = 0; i < gpu; i++)
		names[ttir + i] = then[i];
	job->passes = names;
	job->pass_count = ttir + gpu;
}

static bool run_passes(Job *job)
{
	if (!find_target(job) || !read_ir(job))
		return false;
	if (job->request->stop_after && !job->pass_count)
		take_pipeline(job);
	for (size_t i = 0; i < job->pass_count; i++) {
		if (!gpu_pass_by_name(job->passes[i])) {
			fault(job, DIAG_PASS_UNKNOWN, job->passes[i], "");
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

static bool show_layout(Job *job)
{
	Text text;
	text_init(&text, &job->arena);
	if ((job->request->target && !find_target(job)) ||
	    !codegen_layout(&job->arena, job->layout.layout, job->layout.to, job->layout.type, job->target, &text,
			    &job->diags))
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
	fault(job, DIAG_INTERNAL, landed->text);
	result_diags(job->out, &job->diags);
	fault_leave(&again);
	return true;
}

/* Does the work where faults land. False: out of memory. Both arenas are the only things owned, but for LLVM's
 * objects, which job->emit holds. */
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
	return run_job(&job, run_passes);
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

static const char *const pass_names[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) name,
#define AGAIN(name, when)
#include "ir/passes.def"
#include "gpu/passes.def"
#undef AGAIN
#undef PASS
};

static const char *const pass_docs[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) doc,
#define AGAIN(name, when)
#include "ir/passes.def"
#include "gpu/passes.def"
#undef AGAIN
#undef PASS
};

static const bool pass_optional[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) PASS_##when == PASS_OPTIONAL || PASS_##when == PASS_NAMED,
#define AGAIN(name, when)
#include "ir/passes.def"
#include "gpu/passes.def"
#undef AGAIN
#undef PASS
};

static CodegenPassList table_passes(void)
{
	return (CodegenPassList){pass_names, pass_docs, pass_optional, ARRAY_LEN(pass_names)};
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
	.passes = table_passes,
	.layout = table_layout,
	.free = result_free,
	.sim_prepare = codegen_sim_prepare,
	.sim_launch = codegen_sim_launch,
	.sim_free = codegen_sim_free,
};
