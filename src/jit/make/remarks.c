/* What became of a variant, and why: the code generator's remarks, regenerated like texts, and the
 * assembler's messages. */
#include "jit/inner.h"

#include "codegen/codegen.h"
#include "jit/codegen_load.h"

/* From the code generator's library, whose memory goes. */
static void take(const CodegenResult *code, RemarkList *out)
{
	for (size_t i = 0; i < code->remark_count; i++) {
		const CodegenRemark *from = &code->remarks[i];
		Remark *r = remark_add_text(out, from->path, (LineCol){from->line, from->col}, (RemarkCode)from->code,
					    from->text);
		r->times = from->times;
		for (size_t k = 0; k < from->figure_count; k++)
			remark_figure(r, arena_strdup(out->arena, from->figures[k].name), from->figures[k].value);
	}
}

/* The assembler speaks of the kernel as a whole. */
static void say_occupancy(const JitVariant *variant, RemarkList *out)
{
	const FrontInfo *info = variant->kernel->info;
	const JitGpu *gpu = variant->gpu;
	TargetOccupancy fit;
	unsigned shared = gpu->shared + gpu->cubin.shared, warps = gpu->threads / TARGET_WARP_SIZE;
	target_occupancy(variant->options.gpu, gpu->cubin.registers, shared, warps, &fit);
	Remark *r = remark_add(out, info->path, info->at, REMARK_PTXAS_OCCUPANCY, gpu->cubin.registers, shared, fit.ctas, warps,
			       fit.limit);
	remark_figure(r, "registers", gpu->cubin.registers);
	remark_figure(r, "shared", shared);
	remark_figure(r, "ctas", fit.ctas);
	remark_figure(r, "warps", (int64_t)fit.ctas * warps);
}

/* Spills are of the whole function; where most registers are needed is the likeliest place. */
static void say_spills(const JitVariant *variant, RemarkList *out)
{
	const NvCubin *cubin = &variant->gpu->cubin;
	const char *path = variant->kernel->info->path;
	LineCol at = variant->kernel->info->at;
	if (!cubin->spill_stores && !cubin->spill_loads)
		return;
	for (uint32_t i = 0; i < out->all.len; i++) {
		const Remark *r = &out->all.data[i];
		if (r->code == REMARK_REGISTERS_PEAK && r->path) {
			path = r->path;
			at = r->at;
		}
	}
	Remark *r = remark_add(out, path, at, REMARK_PTXAS_SPILLS, cubin->spill_stores, cubin->spill_loads);
	remark_figure(r, "stored", cubin->spill_stores);
	remark_figure(r, "loaded", cubin->spill_loads);
}

JitStatus jit_variant_remarks(const JitVariant *variant, RemarkList *out, DiagList *diags)
{
	const JitGpu *gpu = variant->gpu;
	if (!variant->options.gpu) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_REMARKS_TARGET, variant->kernel->info->name);
		return JIT_ARGUMENT;
	}
	const CodegenTable *table = codegen_load(diags);
	JitVariant *again = table && !variant->ir ? jit_remake(variant, diags) : NULL; /* it came from the cache */
	const JitVariant *from = again ? again : variant;
	CodegenResult *code = table && from->ir ? jit_gpu_remarks(from, table, diags) : NULL;
	if (code)
		take(code, out);
	if (code)
		table->free(code);
	if (again)
		jit_remade_free(again);
	if (!code)
		return JIT_SOURCE;
	if (gpu && gpu->cubin.data) {
		const FrontInfo *info = variant->kernel->info;
		say_occupancy(variant, out);
		say_spills(variant, out);
		Text stored;
		text_init(&stored, out->arena);
		text_str(&stored, "");
		Str ptx = gpu->ptx.ptr || !jit_stored_text(variant, "ptx", &stored) ? gpu->ptx : (Str){stored.data, stored.len};
		nv_report_remarks(str_of(gpu->cubin.log), ptx, info->path, info->at, out);
	}
	remark_sort(out);
	return JIT_OK;
}
