/* What a request names, found: the GPU, the module that its text holds, the function that becomes
 * the kernel. */
#include "codegen/job.h"

#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* An older PTX than the target has is raised, as later assemblers read it all the same; a newer one
 * than LLVM writes is not there to be had. */
static bool find_ptx(Job *job)
{
	EmitPtxRange range = emit_ptx_range(job->target, &job->arena);
	unsigned asked = job->request->ptx_version;
	if (range.error) {
		job_fault(job, DIAG_CODEGEN_TEXT, range.error);
		return false;
	}
	job->ptx = MAX(asked, range.least);
	if (asked > range.most || !emit_ptx_exists(asked)) {
		job_fault(job, DIAG_PTX_VERSION, asked, job->target->name, range.least, range.most);
		return false;
	}
	if (asked && asked < range.least)
		job_fault(job, DIAG_PTX_RAISED, asked, job->target->name, range.least);
	return true;
}

bool job_find_target(Job *job)
{
	const char *name = job->request->target ? job->request->target : "";
	job->target = target_find(name);
	if (!job->target) {
		const char *near = target_nearest(name);
		job_fault(job, DIAG_CODEGEN_TARGET, name,
		      near ? arena_printf(&job->arena, " (did you mean '%s'?)", near) : "",
		      target_names(&job->arena, ", "));
		return false;
	}
	return find_ptx(job);
}

static unsigned module_number(const Job *job, IrAttrName name, unsigned otherwise)
{
	return (unsigned)ir_get_int(job->module->op, &job->ir, name, otherwise);
}

bool job_read_ir(Job *job)
{
	const CodegenRequest *r = job->request;
	const char *path = r->path ? r->path : job_stage_names[r->from];
	ir_cx_init(&job->ir, &job->arena);
	job->module = ir_read(&job->ir, source_add(&job->sources, path, r->text, r->len, 1), &job->diags);
	if (!job->module)
		return false;
	/* TTGIR says itself for how many warps it was made. */
	unsigned warps = module_number(job, ATTR_MODULE_WARPS, r->num_warps ? r->num_warps : 4);
	unsigned cluster = module_number(job, ATTR_MODULE_CLUSTER, 1);
	unsigned asked = r->num_ctas && cluster == 1 ? r->num_ctas : 1;
	unsigned ctas = module_number(job, ATTR_MODULE_CTAS, asked);
	gpu_cx_init(&job->gpu, &job->ir, job->target, warps, ctas, r->num_stages ? r->num_stages : 3);
	job->gpu.cluster = cluster;
	gpu_analyses_open(&job->analyses, job->arena.limit);
	job->gpu.maps = job->gpu.maps && !r->no_maps;
	job->gpu.portable_order = r->portable_order;
	if (r->roles && strcmp(r->roles, "1") == 0)
		job->gpu.roles = GPU_ROLES_ALL;
	else if (r->roles && strcmp(r->roles, "0") == 0)
		job->gpu.roles = GPU_ROLES_NONE;
	if (r->persist && strcmp(r->persist, "1") == 0)
		job->gpu.persist = GPU_PERSIST_ALL;
	else if (r->persist && strcmp(r->persist, "many") == 0)
		job->gpu.persist = GPU_PERSIST_PAYING;
	job->gpu.by_number = r->persist && strcmp(r->persist, "auto") == 0;
	if (job->gpu.by_number)
		job->gpu.persist = r->many ? GPU_PERSIST_PAYING : GPU_PERSIST_TELLING;
	job->gpu.multicast = !r->multicast || strcmp(r->multicast, "0") != 0;
	if (r->turns && strcmp(r->turns, "1") == 0)
		job->gpu.turns = GPU_TURNS_ALL;
	else if (r->turns && strcmp(r->turns, "0") == 0)
		job->gpu.turns = GPU_TURNS_NONE;
	remark_init(&job->remarks, &job->arena);
	job->gpu.remarks = r->remarks ? &job->remarks : NULL;
	job->gpu.plan_target.shared_bytes = (uint64_t)ir_get_int(
		job->module->op, &job->ir, ATTR_CONVERSION_BYTES, (int64_t)job->gpu.plan_target.shared_bytes);
	IrLevel level = ir_module_level(job->module);
	return ir_verify(job->module, level, &job->diags) &&
	       (level == LEVEL_T || gpu_verify(&job->gpu, job->module, &job->diags));
}

bool job_find_kernel(Job *job)
{
	unsigned count = 0;
	for (IrOp *op = ir_module_block(job->module)->first; op; op = op->next) {
		if (op->kind != OP_FUNC || !ir_func_body(op) || !ir_func_is_public(op, &job->ir))
			continue;
		if (job->request->kernel && strcmp(ir_func_name(op), job->request->kernel) != 0)
			continue;
		job->kernel = op;
		count++;
	}
	if (count == 1)
		return true;
	if (job->request->kernel)
		job_fault(job, DIAG_CODEGEN_KERNEL, job->request->kernel);
	else
		job_fault(job, DIAG_CODEGEN_NO_KERNEL, count);
	return false;
}
