/* Variants for a GPU: TTIR goes through the code generator's library to PTX, and through an
 * assembler to a cubin.
 *
 * Intermediate texts are kept until the variant is in the cache, PTX longer. Any other text that
 * is asked for comes from the cache or is generated again: the pipeline is deterministic. */
#include "jit/keep/cache.h"

#include <stdlib.h>

#include "base/fault.h"
#include "base/option/option.h"
#include "base/os.h"
#include "base/stop.h"
#include "codegen/codegen.h"
#include "ir/text/text.h"
#include "jit/codegen_load.h"

const char *const jit_step_names[JIT_STEP__COUNT] = {
	[JIT_STEP_FRONT] = "front", [JIT_STEP_TTIR] = "ttir", [JIT_STEP_TTGIR] = "ttgir",
	[JIT_STEP_LLIR] = "llir",   [JIT_STEP_PTX] = "ptx",   [JIT_STEP_CUBIN] = "cubin",
};

/* ---- targets ---- */

static const JitHost *host_of(const JitVariant *variant)
{
	return variant->kernel->module->host;
}

static bool current_gpu(const JitHost *host, const TargetGpu **gpu, DiagList *diags)
{
	const NvDevice *device = nv_context(host->driver, diags) ? nv_context_device(host->driver, diags) : NULL;
	if (!device)
		return false;
	*gpu = device->target;
	if (!device->target)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_GPU_TOO_OLD, device->name, device->capability / 10,
			    device->capability % 10);
	return device->target != NULL;
}

bool jit_target(const JitKernel *kernel, const char *name, const TargetGpu **gpu, bool *sim, DiagList *diags)
{
	static const char simulated[] = "sim:";
	*gpu = NULL;
	*sim = name && strncmp(name, simulated, sizeof simulated - 1) == 0;
	if (*sim)
		name += sizeof simulated - 1;
	if (!*sim && (!name || strcmp(name, "interp") == 0))
		return true;
	if (!*sim && strcmp(name, "cuda") == 0)
		return current_gpu(kernel->module->host, gpu, diags);
	*gpu = target_find(name);
	if (*gpu)
		return true;
	const char *nearest = target_nearest(name);
	jit_diag(diags, kernel, DIAG_TARGET_UNKNOWN, name,
		 nearest ? arena_printf(diags->arena, " (did you mean '%s'?)", nearest) : "",
		 arena_printf(diags->arena, "interp, cuda (the current GPU), sim:TARGET (any of these, simulated), %s",
			      target_names(diags->arena, ", ")));
	return false;
}

/* ---- the code generator ---- */

CodegenRequest jit_gpu_request(const JitVariant *variant, Text *ttir)
{
	CONTRACT(variant->options.gpu);
	const JitHost *host = host_of(variant);
	const JitOptions *options = &variant->options;
	ir_print(ttir, variant->ir, (IrPrintOptions){0});
	return (CodegenRequest){
		.from = CODEGEN_TTIR,
		.to = CODEGEN_PTX,
		.text = ttir->data,
		.len = ttir->len,
		.path = variant->kernel->info->path,
		.kernel = jit_symbol(variant),
		.target = options->gpu->name,
		.num_warps = options->num_warps,
		.num_ctas = options->num_ctas,
		.num_stages = options->num_stages,
		.maxnreg = options->maxnreg,
		.ptx_version = options->ptx_version,
		.fp_fusion = !options->no_fp_fusion,
		.no_reflect_ftz = options->no_reflect_ftz,
		.line_info = !options->no_line_info,
		.no_maps = options->no_maps,
		.debug = options->debug,
		.dump_before = jit_dumps_before(variant),
		.dump_llvm = jit_dumps(variant, OPTION_LLVM_DUMP),
		.dump_ptx = jit_dumps(variant, OPTION_NVPTX_DUMP),
		.dump_passes = host->dump_passes,
		.verify_passes = host->verify_passes,
		.log = host->dump,
		.log_data = host->data,
		.portable_order = option_is_on(OPTION_PORTABLE_ORDER),
		.roles = option_text(OPTION_ROLES),
		.persist = option_text(OPTION_PERSIST),
		.many = options->many,
		.turns = option_text(OPTION_TURNS),
		.multicast = option_text(OPTION_MULTICAST),
		.skip_passes = option_given(OPTION_SKIP_PASSES, NULL),
		.seconds = stop_left(),
		.ask = stop_goes_on,
		.after_pass = variant->pass_dump.folder ? jit_pass_dump : NULL,
		.after_pass_data = (void *)(uintptr_t)variant,
	};
}

/* NULL after diagnosing; the caller frees it. */
static CodegenResult *generate(const JitVariant *variant, const JitOverride *override, CodegenStage to, bool keep, bool remarks,
			       const CodegenTable *table, DiagList *diags)
{
	Arena arena;
	Text ttir;
	arena_init(&arena, 0);
	text_init(&ttir, &arena);
	CodegenRequest request = jit_gpu_request(variant, &ttir);
	request.to = to;
	request.remarks = remarks;
	if (override)
		jit_override_apply(override, &request);
	for (int stage = CODEGEN_TTIR; keep && stage < CODEGEN_STAGE__COUNT; stage++)
		request.keep[stage] = true;
	CodegenResult *result = table->compile(&request);
	arena_free(&arena);
	codegen_ended(table, result);
	if (!result) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OUT_OF_MEMORY, "code generation");
		return NULL;
	}
	if (codegen_take_diags(result, diags) && result->ok)
		return result;
	table->free(result);
	return NULL;
}

CodegenResult *jit_gpu_remarks(const JitVariant *variant, const CodegenTable *table, DiagList *diags)
{
	return generate(variant, NULL, CODEGEN_TTGIR, false, true, table, diags);
}

/* ---- compiling ---- */

/* Names of the function's arguments, for messages. */
static const char *const *argument_names(JitVariant *variant)
{
	static const char *const parts[] = {
		[SLOT_SHAPE] = ".shape", [SLOT_STRIDE] = ".strides", [SLOT_PAD] = ".padding"};
	Arena *arena = &variant->arena;
	const char **names = ARENA_ARRAY(arena, const char *, strlen(variant->gpu->args) + 1);
	for (uint32_t s = 0; s < variant->slot_count; s++) {
		const JitSlot *slot = &variant->slots[s];
		const char *name = variant->kernel->info->params[slot->param].name;
		bool whole = slot->part == SLOT_VALUE || slot->part == SLOT_NUMBER;
		names[s] = whole ? name : arena_printf(arena, "%s%s", name, parts[slot->part]);
	}
	return names;
}

NvAssemble jit_gpu_assemble(const JitVariant *variant)
{
	const JitOptions *options = &variant->options;
	return (NvAssemble){
		.target = options->gpu,
		.kernel = jit_symbol(variant),
		.driver = host_of(variant)->driver,
		.line_info = !options->no_line_info,
		.no_fusion = options->no_fp_fusion,
	};
}

void jit_gpu_kernel(JitVariant *variant)
{
	CONTRACT(variant->gpu);
	JitGpu *gpu = variant->gpu;
	const FrontInfo *front = variant->kernel->info;
	ASSERT(jit_gpu_slots(gpu) == variant->slot_count);
	NvKernelInfo info = {
		.name = gpu->name,
		.shown = arena_printf(&variant->arena, "%s:%u %s", front->path, front->at.line, front->qualified_name),
		.threads = gpu->threads,
		.shared = gpu->shared,
		.cluster = gpu->cluster,
		.scratch_bytes = gpu->scratch,
		.scratch_align = gpu->scratch_align,
		.args = gpu->args,
		.arg_names = argument_names(variant),
		.maps = gpu->maps,
		.map_count = gpu->map_count,
		.cooperative = variant->options.cooperative,
		.dependent = variant->options.dependent,
		.borrows = true,
		.passing = variant->passes,
		.programs = !jit_has_counterpart(variant) ? NV_PROGRAMS_ANY :
			    variant->options.many	  ? NV_PROGRAMS_MANY :
							    NV_PROGRAMS_FEW,
		.uneven = variant->uneven,
	};
	gpu->kernel = nv_kernel_new(host_of(variant)->driver, gpu->cubin.data, gpu->cubin.len, &info);
}

static bool assemble(JitVariant *variant, NvBegun *begun, DiagList *diags)
{
	JitGpu *gpu = variant->gpu;
	const JitHost *host = host_of(variant);
	NvAssemble how = jit_gpu_assemble(variant);
	how.kernel = gpu->name;
	how.shared = gpu->shared;
	how.begun = begun;
	gpu->assembler = nv_assembler_identity(host->tools, &how, &variant->arena, diags);
	if (!gpu->assembler || !jit_cubin_get(variant, &how, diags)) {
		jit_tell_input(variant, diags);
		return false;
	}
	variant->seconds[JIT_STEP_CUBIN] = gpu->cubin.seconds;
	jit_gpu_kernel(variant);
	return true;
}

static void take_code(JitVariant *variant, const CodegenTable *table, CodegenResult *code)
{
	static const JitStep steps[CODEGEN_STAGE__COUNT] = {
		[CODEGEN_TTIR] = JIT_STEP_TTIR, [CODEGEN_TTGIR] = JIT_STEP_TTGIR, [CODEGEN_LLIR] = JIT_STEP_LLIR,
		[CODEGEN_PTX] = JIT_STEP_PTX,
	};
	Arena *arena = &variant->arena;
	JitGpu *gpu = ARENA_NEW(arena, JitGpu);
	variant->gpu = gpu; /* frees what is in it from now on */
	gpu->code = code;
	gpu->table = table;
	for (int stage = CODEGEN_TTGIR; stage < CODEGEN_STAGE__COUNT; stage++)
		variant->seconds[steps[stage]] = code->seconds[stage];
	const CodegenText *ptx = &code->stage[CODEGEN_PTX];
	gpu->ptx = (Str){arena_strndup(&variant->work, ptx->data, ptx->len), ptx->len};
	gpu->name = arena_strdup(arena, code->kernel);
	gpu->args = arena_strdup(arena, code->args);
	if (!tensor_map_read(arena, code->maps, &gpu->maps, &gpu->map_count))
		BUG("plans of tensor maps");
	gpu->threads = code->threads;
	gpu->shared = code->shared;
	gpu->cluster = code->cluster;
	gpu->scratch = code->scratch_bytes;
	gpu->scratch_align = code->scratch_align;
	gpu->cache = "off";
	variant->by_number = code->by_number;
	variant->uneven = code->uneven;
}

void jit_gpu_drop_code(JitGpu *gpu)
{
	if (gpu->code)
		gpu->table->free(gpu->code);
	gpu->code = NULL;
}

/* Takes over the user's PTX, or cubin, of which the compiler says how it is launched. */
static bool take_override(JitVariant *variant, const JitOverride *override, DiagList *diags)
{
	JitGpu *gpu = variant->gpu;
	if (override->stage == CODEGEN_PTX) {
		gpu->ptx = (Str){arena_strndup(&variant->work, override->text.ptr, override->text.len), override->text.len};
		return variant->options.ptx_only || assemble(variant, NULL, diags);
	}
	char *data = override->text.len > 64 && memcmp(override->text.ptr, "\177ELF", 4) == 0 ? malloc(override->text.len) : NULL;
	if (!data) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OVERRIDE_CUBIN, override->path, variant->kernel->info->name);
		return false;
	}
	memcpy(data, override->text.ptr, override->text.len);
	gpu->cubin = (NvCubin){.data = data, .len = override->text.len};
	gpu->assembler = arena_strdup(&variant->arena, override->path);
	jit_gpu_kernel(variant);
	return true;
}

static bool fits(const JitVariant *variant, const JitOverride *override, DiagList *diags)
{
	const JitGpu *gpu = variant->gpu;
	unsigned takes = (unsigned)jit_gpu_slots(gpu);
	if (!override || takes == variant->slot_count)
		return true;
	diag_add_at(diags, override->path, (LineCol){0, 0}, DIAG_OVERRIDE_ARGUMENTS, override->path, variant->kernel->info->name, takes,
		    variant->slot_count);
	return false;
}

/* What explains the wait is said before it: out of the list, where somebody listens. */
static void warn_at_once(const JitVariant *variant, DiagList *diags)
{
	const JitHost *host = host_of(variant);
	Diag **at = &diags->first, *last = NULL;
	while (host->warn && *at) {
		Diag *diag = *at;
		if (diag->code != DIAG_TILES_CROWDED) {
			last = diag;
			at = &diag->next;
			continue;
		}
		Text text;
		text_init(&text, diags->arena);
		diag_render(&text, diag);
		host->warn(host->data, text.data, text.len);
		*at = diag->next;
		diags->warnings--;
	}
	if (host->warn)
		diags->last = last;
}

static bool compile(JitVariant *variant, const JitOverride *override, bool keep, NvBegun *begun,
		    DiagList *diags)
{
	/* PTX of ours says itself how it is launched. */
	bool whole = override && (override->stage < CODEGEN_PTX ||
				  (override->stage == CODEGEN_PTX && strstr(override->text.ptr, "// neso: ")));
	JitOverride launch = {.stage = CODEGEN_PTX, .path = override ? override->path : NULL};
	bool told = override && override->facts.ptr;
	if (told)
		launch.text = override->facts;
	const JitOverride *from = told ? &launch : whole ? override : NULL;
	const CodegenTable *table = codegen_load(diags);
	CodegenResult *code = table ? generate(variant, from, CODEGEN_PTX, keep, false, table, diags) : NULL;
	if (!code)
		return false;
	take_code(variant, table, code);
	warn_at_once(variant, diags);
	if (!keep)
		jit_gpu_drop_code(variant->gpu);
	if (override && !whole)
		return (!told || fits(variant, override, diags)) && take_override(variant, override, diags);
	return fits(variant, override, diags) &&
	       (variant->options.ptx_only || assemble(variant, begun, diags));
}

bool jit_gpu_compile(JitVariant *variant, const JitOverride *override, bool keep, DiagList *diags)
{
	CONTRACT(variant->options.gpu);
	Fault fault;
	volatile bool ok = false;
	NvBegun *begun = NULL;
	if (!variant->options.ptx_only && !override) {
		NvAssemble how = jit_gpu_assemble(variant);
		begun = nv_begin(host_of(variant)->tools, &how);
	}
	if (FAULT_TRY(&fault)) {
		ok = compile(variant, override, keep, begun, diags);
		fault_leave(&fault);
	}
	nv_begun_free(begun);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return ok;
}

void jit_gpu_free(JitGpu *gpu)
{
	if (!gpu)
		return;
	jit_gpu_drop_code(gpu);
	nv_kernel_free(gpu->kernel);
	nv_cubin_free(&gpu->cubin);
}

/* ---- launching ---- */

uint64_t jit_gpu_context(const JitKernel *kernel, bool make)
{
	NvDriver *driver = kernel->module->host->driver;
	NvContext context = nv_context_now(driver);
	if (context || !make)
		return context;
	DiagList none;
	Arena arena;
	arena_init(&arena, 0);
	diag_init(&none, &arena, NULL);
	context = nv_context(driver, &none);
	arena_free(&arena);
	return context;
}

uint64_t jit_find_context(const JitDispatch *dispatch)
{
	return nv_context_now(dispatch->driver);
}

NvFunction *jit_gpu_function(const JitVariant *variant, DiagList *diags)
{
	CONTRACT(variant->gpu);
	NvDriver *driver = host_of(variant)->driver;
	if (!variant->gpu->kernel) {
		jit_diag(diags, variant->kernel, DIAG_GPU_LAUNCH_PTX, variant->kernel->info->qualified_name);
		return NULL;
	}
	NvContext context = nv_context(driver, diags);
	const NvDevice *device = context ? nv_context_device(driver, diags) : NULL;
	if (!device)
		return NULL;
	if (target_runs_cubin(variant->options.gpu, device->capability))
		return nv_kernel_function(variant->gpu->kernel, context, diags);
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_GPU_LAUNCH_TARGET, variant->options.gpu->name, device->name,
		    device->capability / 10, device->capability % 10);
	return NULL;
}

/* Another variant in its place, with the same slots, which is held by this call alone. */
static JitStatus launch_other(const JitVariant *other, const JitLaunch *launch, void **params, DiagList *diags)
{
	NvFunction *function = jit_gpu_function(other, diags);
	JitStatus status = function ? jit_gpu_launch(other, function, NV_NOT_PLAIN, launch, params, diags) :
				      JIT_RUN;
	jit_let_go(other);
	return status;
}

/* What no tensor map can say is reached through pointers. */
static JitStatus launch_without_maps(const JitVariant *variant, const JitLaunch *launch, void **params, DiagList *diags)
{
	JitStatus status;
	const JitVariant *plain = jit_without_maps(variant, JIT_STRICT_DEFAULT, &status, diags);
	return plain ? launch_other(plain, launch, params, diags) : status;
}

JitStatus jit_gpu_launch(const JitVariant *variant, NvFunction *function, int result, const JitLaunch *launch,
			 void **params, DiagList *diags)
{
	const JitVariant *other = result == NV_NOT_PLAIN ? jit_counterpart(variant, launch->grid) : NULL;
	if (other)
		return launch_other(other, launch, params, diags);
	if (result == NV_NO_MAP || (result == NV_NOT_PLAIN && !nv_can_launch(function, params)))
		return launch_without_maps(variant, launch, params, diags);
	if (result != NV_NOT_PLAIN)
		return nv_launch_report(function, result, launch->grid, launch->stream, params, diags) ? JIT_OK : JIT_RUN;
	if (!jit_tell_launch(variant, (JitEvent){.kind = JIT_LAUNCH_BEGIN, .grid = launch->grid})) {
		jit_diag(diags, variant->kernel, DIAG_REFUSED);
		return JIT_REFUSED;
	}
	bool told = jit_has_events(variant);
	double began = told ? os_now() : 0;
	bool good = nv_launch(function, launch->grid, launch->stream, params, diags);
	jit_tell_launch(variant, (JitEvent){.kind = JIT_LAUNCH_END,
					    .grid = launch->grid,
					    .status = good ? JIT_OK : JIT_RUN,
					    .seconds = told ? os_now() - began : 0});
	return good ? JIT_OK : JIT_RUN;
}

bool jit_has_events(const JitVariant *variant)
{
	return host_of(variant)->event != NULL;
}

const char *jit_assembler_text(const JitHost *host, DiagList *diags)
{
	const NvAssemble how = {.target = target_find("sm_90a"), .kernel = ""};
	const char *path, *version;
	if (nv_tools_find(host->tools, "ptxas", diags->arena, &path, &version))
		return arena_printf(diags->arena, "%s at %s", version, path);
	nv_assembler_identity(host->tools, &how, diags->arena, diags); /* says why */
	return NULL;
}

/* ---- texts ---- */

/* Made again by the code generator: it gives the same bytes. */
static JitStatus generate_text(const JitVariant *variant, CodegenStage to, Text *out, DiagList *diags)
{
	const CodegenTable *table = codegen_load(diags);
	JitVariant *again = table && !variant->ir ? jit_remake(variant, diags) : NULL;
	const JitVariant *from = again ? again : variant;
	CodegenResult *code = table && from->ir ? generate(from, NULL, to, false, false, table, diags) : NULL;
	if (code)
		text_add(out, code->stage[to].data, code->stage[to].len);
	if (code)
		table->free(code);
	if (again)
		jit_remade_free(again);
	return code ? JIT_OK : JIT_SOURCE;
}

JitStatus jit_gpu_text(const JitVariant *variant, const char *stage, Text *out, DiagList *diags)
{
	CONTRACT(variant->options.gpu);
	const JitGpu *gpu = variant->gpu;
	if (strcmp(stage, "sass") == 0)
		return nv_disassemble(host_of(variant)->tools, gpu->cubin.data, gpu->cubin.len, out, diags) ? JIT_OK : JIT_RUN;
	CodegenStage to = strcmp(stage, "ttgir") == 0 ? CODEGEN_TTGIR : strcmp(stage, "llir") == 0 ? CODEGEN_LLIR : CODEGEN_PTX;
	if (to == CODEGEN_PTX && gpu && gpu->ptx.ptr) {
		text_add(out, gpu->ptx.ptr, gpu->ptx.len);
		return JIT_OK;
	}
	return jit_stored_text(variant, stage, out) ? JIT_OK : generate_text(variant, to, out, diags);
}

void jit_variant_info(const JitVariant *variant, JitVariantInfo *info)
{
	*info = (JitVariantInfo){.target = variant->options.sim ? variant->options.target :
					   variant->options.gpu ? variant->options.gpu->name : "interp",
				 .options = variant->options,
				 .reason = variant->reason,
				 .launches = variant->launches};
	memcpy(info->seconds, variant->seconds, sizeof info->seconds);
	const JitGpu *gpu = variant->gpu;
	if (!gpu)
		return;
	info->cubin = gpu->cubin.data;
	info->cubin_len = gpu->cubin.len;
	info->threads = gpu->threads;
	info->shared = gpu->shared;
	info->cluster = gpu->cluster;
	info->scratch = gpu->scratch;
	info->maps = (uint32_t)gpu->map_count;
	info->registers = gpu->cubin.registers;
	info->stack = gpu->cubin.stack;
	info->spill_stores = gpu->cubin.spill_stores;
	info->spill_loads = gpu->cubin.spill_loads;
	info->assembler = gpu->assembler;
	info->log = gpu->cubin.log;
	info->cache = gpu->cache;
	info->store_seconds = gpu->store_seconds;
	info->cache_key = *gpu->cache_key ? gpu->cache_key : NULL;
}
