/* From TTGIR to LLIR and PTX. LLVM's fatal errors land here (emit.h) and become diagnostics. */
#include "base/stop.h"
#include "codegen/job.h"
#include "gpu/layout/boxes.h"
#include "gpu/loop/persist.h"
#include "llvm/halves.h"
#include "llvm/lines.h"
#include "llvm/lower_int.h"
#include "llvm/math/func.h"
#include "llvm/math/libdevice.h"
#include "llvm/order.h"

/* Passes on LLIR, while machine operations are calls. cmake/llvm.cmake names them too. */
static const char llir_passes[] =
	"always-inline,function(early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm))";

/* ---- dumps ---- */

static void log_text(const Job *job, bool wanted, const char *title, const Text *text)
{
	const CodegenRequest *r = job->request;
	if (!wanted || !r->log)
		return;
	Text all;
	text_init(&all, text->arena);
	text_printf(&all, "// -----// %s //----- //\n", title);
	text_add(&all, text->data, text->len);
	text_char(&all, '\n');
	r->log(r->log_data, all.data, all.len);
}

static void log_llvm(Job *job, const char *title)
{
	if (!job->request->dump_llvm)
		return;
	Text text;
	text_init(&text, &job->arena);
	emit_module_text(job->emit, &text);
	log_text(job, true, title, &text);
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
		args[i] = gpu_is_program_count(&job->gpu, job->kernel, i) ?
				  'n' :
				  argument_letter(body->args[i]->type);
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
		.threads = TARGET_WARP_SIZE * gpu_all_warps(&job->gpu, job->kernel),
		.shared = shared ? (unsigned)shared->i : 0,
		.cluster = job->gpu.num_ctas * job->gpu.cluster,
		.scratch_bytes = lw->scratch_bytes,
		.scratch_align = lw->scratch_bytes ? 16 : 0,
		.uses_print = lw->uses_print,
		.uses_assert = lw->uses_assert,
		.by_number = gpu_goes_by_number(&job->gpu, job->kernel),
		.uneven = gpu_is_uneven(&job->gpu, job->kernel),
	};
}

/* ---- LLVM ---- */

static bool llvm_fault(Job *job)
{
	job_fault(job, DIAG_CODEGEN_LLVM, job->emit->error);
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
	CONTRACT(ir_module_level(job->module) != LEVEL_T);
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
		.no_reflect_ftz = r->no_reflect_ftz,
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
		job_fault(job, DIAG_CODEGEN_TEXT, error);
		return false;
	}
	keep_files(job, &lw);
	find_facts(job, &lw);
	LLVMValueRef fn = LLVMGetNamedFunction(job->emit->mod, job->facts.kernel);
	const char *text = facts_text(&job->arena, &job->facts);
	LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION,
				LLVMCreateStringAttribute(lw.cx, "neso", 4, text, (unsigned)strlen(text)));
	log_llvm(job, "LLVM IR Dump Before passes");
	if ((r->verify_passes && !emit_verify(job->emit)) || !emit_passes(job->emit, llir_passes))
		return llvm_fault(job);
	log_llvm(job, "LLVM IR Dump After passes");
	return true;
}

bool job_take_facts(Job *job, const char *mark, const char *missing)
{
	const char *why;
	if (facts_read(&job->arena, (Str){job->request->text, job->request->len}, mark, &job->facts, &why))
		return true;
	if (why)
		missing = arena_printf(&job->arena, "what says how the kernel is launched is wrong: %s", why);
	job_fault(job, DIAG_CODEGEN_TEXT, missing);
	return false;
}

static bool read_llir(Job *job)
{
	const CodegenRequest *r = job->request;
	if (!emit_read_module(job->emit, r->text, r->len) || !emit_verify(job->emit))
		return llvm_fault(job);
	if (!job_take_facts(job, "\"neso\"=\"",
			"this LLVM IR has no kernel with attribute \"neso\", which says how it is launched"))
		return false;
	LLVMValueRef fn = LLVMGetNamedFunction(job->emit->mod, job->facts.kernel);
	if (fn && !LLVMIsDeclaration(fn) && LLVMCountParams(fn) == strlen(job->facts.args))
		return true;
	job_fault(job, DIAG_CODEGEN_TEXT,
		  "this LLVM IR defines no function with the name and the arguments that attribute \"neso\" "
		  "says");
	return false;
}

static bool to_llir(Job *job)
{
	if (!(job->request->from == CODEGEN_LLIR ? read_llir(job) : lower(job)))
		return false;
	if (job_keeps(job, CODEGEN_LLIR)) {
		Text text;
		text_init(&text, &job->arena);
		emit_module_text(job->emit, &text);
		result_text(job->out, CODEGEN_LLIR, text.data, text.len);
	}
	job_made(job, CODEGEN_LLIR);
	return true;
}

/* Registers that a thread of the kernel has. */
static unsigned registers_of_thread(const Job *job)
{
	unsigned share = TARGET_REGISTERS_SM / MAX(job->facts.threads, 1), most = job->request->maxnreg;
	return MIN(MIN(share, (unsigned)TARGET_REGISTERS_THREAD), most ? most : share);
}

static bool to_ptx(Job *job)
{
	unsigned ptx = job->ptx;
	machine_prepare_sums(job->emit->mod);
	const char *unknown = machine_replace(job->emit->mod, &job->arena, &ptx);
	if (unknown) {
		job_fault(job, DIAG_CODEGEN_OPERATION, unknown);
		return false;
	}
	if (ptx > job->ptx && !emit_raise_ptx(job->emit, job->target, ptx, job->request->line_info))
		return llvm_fault(job);
	job->ptx = ptx;
	halves_apart(job->emit->mod);
	LLVMValueRef kernel = LLVMGetNamedFunction(job->emit->mod, job->facts.kernel);
	order_crowded(&job->arena, kernel, registers_of_thread(job));
	order_comparisons(&job->arena, kernel, registers_of_thread(job));
	log_llvm(job, "LLVM IR Dump After machine operations");
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
	log_text(job, job->request->dump_ptx, "NVPTX Dump", &text);
	result_text(job->out, CODEGEN_PTX, text.data, text.len);
	job_made(job, CODEGEN_PTX);
	return true;
}

bool job_with_llvm(Job *job)
{
	CONTRACT(!job->emit);
	job->emit = ARENA_NEW(&job->arena, Emit);
	emit_enter(job->emit);
	if (setjmp(job->emit->landing) != 0) {
		/* A fatal error: LLVM's objects are in no state to be freed. */
		llvm_fault(job);
		job->emit = NULL;
		return false;
	}
	bool good = emit_open(job->emit, job->target, job->ptx, job->request->line_info)
			    ? to_llir(job) &&
				      (!job->take ||
				       job->take(job->data, job->emit->mod, &job->facts, &job->diags)) &&
				      (job->request->to < CODEGEN_PTX || to_ptx(job))
			    : llvm_fault(job);
	emit_close(job->emit);
	emit_leave(job->emit);
	job->emit = NULL;
	return good;
}
