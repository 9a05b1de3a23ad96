/* The pipeline: from the syntax tree to TTIR, through the passes, to what the interpreter runs. */
#include "jit/keep/cache.h"

#include <strings.h>

#include "base/fault.h"
#include "base/option/option.h"
#include "base/os.h"
#include "ir/pass.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* ---- steps ---- */

FrontOptions jit_front_options(const JitOptions *options)
{
	return (FrontOptions){
		.num_warps = options->num_warps,
		.num_stages = options->num_stages,
		.num_ctas = options->num_ctas,
		.default_dot_precision = options->dot_precision ? options->dot_precision : "tf32",
		.debug = options->debug,
		.no_overflow_checks = options->no_overflow_checks,
		.no_gpu_limits = options->no_gpu_limits,
		.strict = options->strict,
		.wide_offsets = options->wide_offsets,
		.target_arch = options->gpu ? options->gpu->capability : 0,
	};
}

void jit_copy_sources(Arena *arena, const SourceSet *from, SourceSet *to)
{
	source_set_init(to, arena);
	for (uint32_t i = 0; i < from->files.len; i++)
		vec_push(arena, &to->files, from->files.data[i]);
}

/* NESO_CACHE_STRICT looks at each lowering, whatever it is for. */
static FrontReads *reads_of(const JitVariant *variant, Arena *arena)
{
	JitContent content;
	if (variant->reads || !option_is_on(OPTION_CACHE_STRICT))
		return variant->reads;
	return jit_content(variant, arena, &content) ? content.reads : NULL;
}

/* Lowering uses what the module has parsed and may parse more, so it holds the module's lock. */
IrModule *jit_lower(const JitVariant *variant, IrCx *cx, SourceSet *sources, FrontNumbers *numbers, DiagList *diags)
{
	const JitKernel *kernel = variant->kernel;
	if (!kernel->function)
		return jit_ir_read(variant, cx, sources, diags);
	JitModule *module = kernel->module;
	FrontOptions options = jit_front_options(&variant->options);
	options.reads = reads_of(variant, diags->arena);
	IrModule *volatile ir = NULL;
	Fault fault;
	pthread_mutex_lock(&module->front_lock);
	if (FAULT_TRY(&fault)) {
		diags->sources = front_sources(module->session);
		ir = front_lower(kernel->function, variant->args, kernel->info->param_count, &options, cx, numbers,
				 diags);
		jit_copy_sources(cx->arena, front_sources(module->session), sources);
		diags->sources = sources;
		fault_leave(&fault);
		pthread_mutex_unlock(&module->front_lock);
	} else {
		diags->sources = &module->sources;
		pthread_mutex_unlock(&module->front_lock);
		fault_raise(fault.kind, "%s", fault.text);
	}
	if (ir && options.reads && front_content_forgot(options.reads) && option_is_on(OPTION_CACHE_STRICT))
		BUG("the key of %s lacks %s, which its lowering reads", kernel->info->qualified_name, front_read_beyond(options.reads));
	return ir;
}

/* MLIR_ENABLE_DUMP: 1 for all kernels, else the name of one. When texts are made again there was something to see already. */
bool jit_dumps_before(const JitVariant *variant)
{
	if (variant->ready || !variant->kernel->module->host->dump)
		return false;
	const char *name = jit_dump_name();
	return option_is_on(OPTION_MLIR_DUMP) || (name && strcmp(name, variant->kernel->info->name) == 0);
}

bool jit_dumps(const JitVariant *variant, OptionId setting)
{
	return option_is_on(setting) && !variant->ready && variant->kernel->module->host->dump;
}

static void dump_pass(void *data, const PassInfo *pass, const IrModule *module, bool after, double seconds)
{
	JitVariant *variant = data;
	const JitHost *host = variant->kernel->module->host;
	bool shown = host->dump && (after ? host->dump_passes : jit_dumps_before(variant));
	bool written = after && variant->pass_dump.folder;
	if (!shown && !written)
		return;
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	size_t head = 0;
	if (after) {
		text_printf(&text, "// ---- after %s (%.3f ms)\n", pass->name, seconds * 1e3);
		head = text.len;
		ir_print(&text, module, (IrPrintOptions){0});
	} else {
		pass_dump_before(&text, pass, module);
	}
	if (written)
		jit_pass_dump(variant, pass->name, CODEGEN_TTIR, text.data + head, text.len - head);
	if (shown)
		host->dump(host->data, text.data, text.len);
	arena_free(&arena);
}

static bool run_passes(JitVariant *variant, DiagList *diags)
{
	const JitHost *host = variant->kernel->module->host;
	const char *skip = jit_skipped_passes(diags);
	if (!skip)
		return false;
	variant->pass_dump.diags = diags;
	jit_pass_dump_open(variant);
	PassOptions options = {
		.skip = skip,
		.verify = host->verify_passes,
		.stress = host->verify_passes,
		.hook = host->dump_passes || jit_dumps_before(variant) || variant->pass_dump.folder ? dump_pass : NULL,
		.hook_data = variant,
	};
	size_t count;
	/* The interpreter runs descriptors as they are. GPU code reaches them through pointers; where the GPU has TMA, the code generator
	 * chooses which of them. */
	const TargetGpu *gpu = variant->options.gpu;
	const char *const *names = pass_ttir_pipeline(diags->arena, gpu && !target_has(gpu, TARGET_TMA), &count);
	return pass_run_list(variant->ir, names, count, &options, diags);
}

static void add_slot(JitVariant *variant, uint32_t param, JitPart part, uint32_t axis, IrTypeKind kind)
{
	variant->slots[variant->slot_count++] = (JitSlot){.param = param, .part = part, .axis = axis, .kind = kind};
}

/* What lower-descriptors makes of an argument. */
static void add_descriptor_parts(JitVariant *variant, uint32_t param, uint32_t rank)
{
	add_slot(variant, param, SLOT_VALUE, 0, TY_PTR);
	for (uint32_t k = 0; k < 2 * rank; k++)
		add_slot(variant, param, k < rank ? SLOT_SHAPE : SLOT_STRIDE, k % rank, TY_I64);
	add_slot(variant, param, SLOT_PAD, 0, TY_I1);
}

static bool is_argument(const JitParam *param)
{
	return param->kind != JIT_PARAM_CONST && param->kind != JIT_PARAM_NUMBER;
}

/* Which parameter each argument of the function comes from, as it leaves the front end: constants have none, a
 * host's descriptor is followed by its shape and strides where the front end declares them, and demoted constexprs come last. */
static void plan_arguments(JitVariant *variant)
{
	const FrontInfo *info = variant->kernel->info;
	IrOp *func = ir_find_func(variant->ir, ir_sym(&variant->cx, jit_symbol(variant)));
	ASSERT(func && ir_func_body(func));
	const IrBlock *body = ir_func_body(func);
	uint32_t at = 0, wanted = 0, descriptors_rank = 0;
	for (uint32_t i = 0; i < info->param_count; i++)
		wanted += is_argument(&variant->params[i]);
	for (uint32_t i = 0; i < body->arg_count; i++)
		if (body->args[i]->type->kind == TY_TENSORDESC)
			descriptors_rank += body->args[i]->type->elem->rank;
	uint32_t numbers = variant->numbers.count, others = body->arg_count - numbers;
	bool expanded = descriptors_rank && others == wanted + 2 * descriptors_rank;
	ASSERT(expanded || others == wanted);
	variant->slots = ARENA_ARRAY(&variant->arena, JitSlot, body->arg_count + 2 * descriptors_rank + wanted + 1);
	for (uint32_t i = 0; i < info->param_count; i++) {
		if (!is_argument(&variant->params[i]))
			continue;
		IrType type = body->args[at++]->type;
		bool is_descriptor = type->kind == TY_TENSORDESC;
		if (is_descriptor && variant->options.gpu)
			add_descriptor_parts(variant, i, type->elem->rank);
		else
			add_slot(variant, i, SLOT_VALUE, 0, type->kind);
		for (uint32_t k = 0; is_descriptor && expanded && k < 2 * type->elem->rank; k++)
			add_slot(variant, i, k < type->elem->rank ? SLOT_SHAPE : SLOT_STRIDE, k % type->elem->rank,
				 body->args[at++]->type->kind);
	}
	for (uint32_t i = 0; i < numbers; i++) {
		add_slot(variant, variant->numbers.at[i].param, SLOT_NUMBER, 0, body->args[at++]->type->kind);
		variant->slots[variant->slot_count - 1].dtype = variant->numbers.at[i].dtype;
	}
}

static bool prepare(JitVariant *variant, DiagList *diags)
{
	if (variant->options.sim)
		return jit_sim_compile(variant, diags);
	JitOverride override;
	if (!jit_override_find(variant, &override, diags))
		return false;
	if (override.given)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OVERRIDE_STAGE, override.path, "the interpreter runs what the source says");
	variant->interp = interp_prepare(variant->ir, ir_sym(&variant->cx, jit_symbol(variant)), diags);
	return variant->interp != NULL;
}

/* Since when; then now becomes that. */
static double lap(double *since)
{
	double now = os_now(), past = now - *since;
	*since = now;
	return past;
}

/* ---- the pipeline ---- */

/* What every stage down to PTX takes for a name. */
static bool is_symbol(const char *text)
{
	static const char all[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";
	return *text && !strchr("0123456789", *text) && !text[strspn(text, all)];
}

/* Gives the kernel the name that was asked for, which no function that it calls may have. */
static bool rename_kernel(JitVariant *variant, DiagList *diags)
{
	const FrontInfo *info = variant->kernel->info;
	Sym wanted = ir_sym(&variant->cx, jit_symbol(variant)), name = ir_sym(&variant->cx, info->name);
	if (wanted == name)
		return true;
	bool taken = ir_find_func(variant->ir, wanted) != NULL;
	if (taken || !is_symbol(wanted)) {
		jit_diag(diags, variant->kernel, taken ? DIAG_SYMBOL_TAKEN : DIAG_SYMBOL, wanted, info->qualified_name);
		return false;
	}
	IrOp *func = ir_find_func(variant->ir, name);
	ir_set(variant->ir, func, ATTR_SYM_NAME, ir_attr_string(&variant->cx, str_of(wanted)));
	return true;
}

/* What lowering found lives as long as the variant. */
static void take_over(JitVariant *variant)
{
	const SourceSet found = variant->sources;
	FrontNumbers *numbers = &variant->numbers;
	jit_copy_sources(&variant->arena, &found, &variant->sources);
	if (numbers->count)
		numbers->at = arena_copy(&variant->arena, numbers->at, numbers->count * sizeof *numbers->at);
}

void jit_drop_work(JitVariant *variant)
{
	variant->ir = NULL;
	if (variant->gpu)
		variant->gpu->ptx = (Str){0};
	arena_free(&variant->work);
}

bool jit_compile_ir(JitVariant *variant, DiagList *diags)
{
	double since = os_now();
	ir_cx_init(&variant->cx, &variant->work);
	variant->ir = jit_lower(variant, &variant->cx, &variant->sources, &variant->numbers, diags);
	take_over(variant);
	if (!variant->ir)
		return false;
	variant->seconds[JIT_STEP_FRONT] = lap(&since);
	if (!variant->kernel->function)
		jit_ir_hints(variant);
	if (!rename_kernel(variant, diags))
		return false;
	plan_arguments(variant);
	bool good = run_passes(variant, diags) && ir_verify(variant->ir, LEVEL_T, diags);
	variant->seconds[JIT_STEP_TTIR] = lap(&since);
	return good;
}

bool jit_compile(JitVariant *variant, DiagList *diags)
{
	jit_warn_dump_names(variant->kernel->module, diags);
	if (variant->options.gpu && !variant->options.sim)
		return jit_gpu_make(variant, diags);
	if (!jit_compile_ir(variant, diags) || !prepare(variant, diags))
		return false;
	jit_dump(variant, diags);
	return true;
}

/* ---- once more, for its texts ---- */

JitVariant *jit_remake(const JitVariant *variant, DiagList *diags)
{
	Arena arena;
	arena_init(&arena, variant->kernel->module->host->compile_memory);
	JitVariant *volatile again = ARENA_NEW(&arena, JitVariant);
	pthread_mutex_lock(&variant->kernel->module->table_lock); /* of its place in the list */
	*again = *variant;
	pthread_mutex_unlock(&variant->kernel->module->table_lock);
	again->arena = arena;
	arena_init(&again->work, again->kernel->module->host->compile_memory);
	volatile bool good = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		good = jit_compile_ir(again, diags);
		fault_leave(&fault);
	}
	if (good) {
		diags->sources = &variant->sources;
		return again;
	}
	diags->sources = &variant->kernel->module->sources;
	jit_remade_free(again);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return NULL;
}

void jit_remade_free(JitVariant *variant)
{
	Arena arena = variant->arena, work = variant->work;
	arena_free(&work);
	arena_free(&arena);
}
