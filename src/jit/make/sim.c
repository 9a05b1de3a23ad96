/* Variants for the simulator: TTIR becomes GPU code, which the code generator's library runs on
 * the CPU. */
#include "jit/inner.h"

#include "jit/codegen_load.h"

static bool take_result(const CodegenTable *table, CodegenResult *result, DiagList *diags)
{
	if (!result) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OUT_OF_MEMORY, "simulation");
		return false;
	}
	bool good = codegen_take_diags(result, diags) && result->ok;
	table->free(result);
	return good;
}

bool jit_sim_compile(JitVariant *variant, DiagList *diags)
{
	CONTRACT(variant->options.gpu);
	const CodegenTable *table = codegen_load(diags);
	if (!table)
		return false;
	Arena arena;
	Text ttir;
	arena_init(&arena, 0);
	text_init(&ttir, &arena);
	CodegenRequest request = jit_gpu_request(variant, &ttir);
	JitOverride override;
	if (!jit_override_find(variant, &override, diags)) {
		arena_free(&arena);
		return false;
	}
	if (override.given && override.stage <= CODEGEN_LLIR)
		jit_override_apply(&override, &request);
	else if (override.given)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OVERRIDE_STAGE, override.path, "the simulator runs LLIR");
	CodegenResult *result = table->sim_prepare(&request, &variant->sim);
	arena_free(&arena);
	codegen_ended(table, result);
	if (result && result->ok) {
		variant->sim_args = arena_strdup(&variant->arena, result->args);
		variant->by_number = result->by_number;
		variant->uneven = result->uneven;
		if (!tensor_map_read(&variant->arena, arena_strdup(&variant->arena, result->maps), &variant->sim_maps, &variant->sim_map_count))
			BUG("plans of tensor maps");
	}
	return take_result(table, result, diags);
}

/* As cuTensorMapEncodeTiled makes it of the same. */
static void encode(const TensorMapPlan *plan, const TensorMapValues *values, SimTensorMap *out)
{
	bool bf16 = plan->type == TENSOR_MAP_BF16;
	*out = (SimTensorMap){
		.magic = SIM_TENSOR_MAP,
		.rank = plan->rank,
		.element = (uint8_t)tensor_map_bytes((TensorMapType)plan->type),
		.swizzle = plan->swizzle,
		.fill = (uint8_t)(!values->nan ? 0 : bf16 ? 2 : 1),
		.address = values->address,
		.type = plan->type,
	};
	memcpy(out->dims, values->dims, sizeof values->dims);
	memcpy(out->strides, values->strides, sizeof values->strides);
	for (unsigned d = 0; d < plan->rank; d++) {
		out->box[d] = plan->box[plan->rank - 1 - d];
		out->steps[d] = 1;
	}
}

/* The arguments behind those of the slots; false: some map cannot be made. */
static bool add_maps(const JitVariant *variant, const InterpLaunch *run, uint64_t *args, Arena *arena)
{
	void **params = ARENA_ARRAY(arena, void *, run->arg_count + 1);
	SimTensorMap *maps = arena_alloc(arena, (variant->sim_map_count + 1) * sizeof *maps + 64);
	maps = (SimTensorMap *)(((uintptr_t)maps + 63) & ~(uintptr_t)63);
	for (uint32_t i = 0; i < run->arg_count; i++)
		params[i] = &args[i];
	for (size_t i = 0; i < variant->sim_map_count; i++) {
		TensorMapValues values;
		if (tensor_map_values(&variant->sim_maps[i], variant->sim_args, params, &values))
			return false;
		encode(&variant->sim_maps[i], &values, &maps[i]);
		args[run->arg_count + i] = (uint64_t)(uintptr_t)&maps[i];
	}
	return true;
}

/* Arrays that nothing has written, where no other argument has part of them. */
static void mark_unwritten(const JitLaunch *launch, const InterpLaunch *run, bool *out)
{
	for (uint32_t a = 0; a < launch->arg_count; a++) {
		const JitArg *arg = &launch->args[a];
		const void *base = arg->buffer ? arg->buffer : arg->address;
		bool pointer = arg->kind == JIT_POINTER || arg->kind == JIT_DESCRIPTOR;
		for (uint32_t k = 0; k < run->buffer_count && pointer && arg->unwritten; k++)
			out[k] |= run->buffers[k].base == base && run->buffers[k].size == arg->bytes;
	}
}

bool jit_sim_launch(const JitVariant *variant, const JitLaunch *launch, const InterpLaunch *run, DiagList *diags)
{
	CONTRACT(variant->sim);
	const CodegenTable *table = codegen_load(diags);
	if (!table)
		return false;
	uint64_t *args = ARENA_ARRAY(diags->arena, uint64_t, run->arg_count + variant->sim_map_count + 1);
	SimBuffer *buffers = ARENA_ARRAY(diags->arena, SimBuffer, run->buffer_count + 1);
	bool *unwritten = ARENA_ARRAY(diags->arena, bool, run->buffer_count + 1);
	bool *ambient = ARENA_ARRAY(diags->arena, bool, run->buffer_count + 1);
	for (uint32_t i = 0; i < run->arg_count; i++)
		args[i] = run->args[i].bits;
	if (!add_maps(variant, run, args, diags->arena)) {
		JitStatus status;
		const JitVariant *plain = jit_without_maps(variant, JIT_STRICT_DEFAULT, &status, diags);
		return plain && jit_sim_launch(plain, launch, run, diags);
	}
	for (uint32_t i = 0; i < run->buffer_count; i++) {
		buffers[i] = (SimBuffer){run->buffers[i].name, run->buffers[i].base, run->buffers[i].size, run->buffers[i].writable};
		ambient[i] = run->buffers[i].ambient;
	}
	mark_unwritten(launch, run, unwritten);
	SimLaunch sim = {
		.args = args,
		.arg_count = run->arg_count + variant->sim_map_count,
		.buffers = buffers,
		.buffer_count = run->buffer_count,
		.grid = {run->grid[0], run->grid[1], run->grid[2]},
		.threads = run->threads,
		.unwritten = unwritten,
		.ambient = ambient,
		.check = launch->check || launch->watch || launch->whose,
		.watch = launch->watch,
		.whose = (uint64_t)(uintptr_t)launch->whose,
		.schedules = launch->schedules,
		.timeout = run->timeout,
		.poll = run->poll,
		.poll_data = run->poll_data,
		.print = run->print,
		.print_data = run->print_data,
	};
	return take_result(table, table->sim_launch(variant->sim, &sim), diags);
}

void jit_sim_free(CodegenSim *sim)
{
	if (!sim)
		return;
	/* What made it is loaded, so this only finds it. */
	DiagList none;
	Arena arena;
	arena_init(&arena, 0);
	diag_init(&none, &arena, NULL);
	const CodegenTable *table = codegen_load(&none);
	if (table)
		table->sim_free(sim);
	arena_free(&arena);
}
