/* Launches by bare values: a variant's function in one context, and what each of its arguments is made from. */
#include "api/inner.h"

#include <stdlib.h>

struct neso_ready {
	const JitVariant *variant;
	NvFunction *function;
	bool has_events;
	size_t count;
	neso_slot slots[];
};

static neso_context *context_of(const JitVariant *variant)
{
	const neso_kernel *kernel = jit_kernel_tag(jit_variant_kernel(variant));
	return kernel->module->context;
}

/* ---- making ---- */

static neso_slot slot_of(JitFill fill)
{
	static const neso_part parts[] = {
		[JIT_FILL_INT] = NESO_PART_VALUE,   [JIT_FILL_FLOAT] = NESO_PART_VALUE,
		[JIT_FILL_NUMBER] = NESO_PART_VALUE,
		[JIT_FILL_ADDRESS] = NESO_PART_VALUE, [JIT_FILL_SHAPE] = NESO_PART_SHAPE,
		[JIT_FILL_STRIDE] = NESO_PART_STRIDE, [JIT_FILL_PAD] = NESO_PART_PAD,
	};
	bool scalar = fill.what == JIT_FILL_INT || fill.what == JIT_FILL_FLOAT || fill.what == JIT_FILL_NUMBER;
	return (neso_slot){
		.parameter = fill.arg,
		.part = parts[fill.what],
		.axis = fill.axis,
		.dtype = scalar ? api_neso_dtype((TlDtype)fill.dtype) : NESO_DTYPE_NONE,
	};
}

typedef struct Making {
	const JitVariant *variant;
	neso_ready **out;
} Making;

static neso_status make(ApiCall *call, void *data)
{
	const Making *m = data;
	JitVariantInfo info;
	if (!m->variant || !m->out)
		return api_usage(call, "neso_variant_ready wants a variant and a place for the result");
	jit_variant_info(m->variant, &info);
	if (!info.cubin)
		return api_usage(call, "the variant is for the interpreter, or ends with PTX");
	NvFunction *function = jit_gpu_function(m->variant, &call->diags);
	if (!function)
		return NESO_ERROR_RUN;
	uint32_t count = jit_gpu_arg_count(m->variant);
	neso_ready *ready = calloc(1, sizeof *ready + count * sizeof ready->slots[0]);
	if (!ready)
		fault_raise(FAULT_MEMORY, "out of memory: %u arguments", count);
	jit_launched(m->variant);
	jit_hold(m->variant);
	ready->variant = m->variant;
	ready->function = function;
	ready->has_events = jit_has_events(m->variant);
	ready->count = count;
	for (uint32_t i = 0; i < count; i++)
		ready->slots[i] = slot_of(jit_gpu_arg(m->variant, i));
	*m->out = ready;
	return NESO_OK;
}

neso_status neso_variant_ready(neso_variant *variant, neso_ready **ready, neso_diagnostics **diagnostics)
{
	Making making = {api_jit_variant(variant), ready};
	if (ready)
		*ready = NULL;
	return api_run(variant ? context_of(making.variant) : NULL, diagnostics, make, &making);
}

void neso_ready_free(neso_ready *ready)
{
	if (ready)
		jit_let_go(ready->variant);
	free(ready);
}

const neso_slot *neso_ready_slots(const neso_ready *ready, size_t *count)
{
	if (count)
		*count = ready ? ready->count : 0;
	return ready ? ready->slots : NULL;
}

/* ---- launching ---- */

typedef struct Launching {
	const neso_ready *ready;
	const uint32_t *grid;
	void *stream;
	void **values;
	int result;
} Launching;

static neso_status rest(ApiCall *call, void *data)
{
	const Launching *l = data;
	if (!l->ready || !l->grid || !l->values)
		return api_usage(call, "neso_ready_launch wants a neso_ready, a grid and values");
	const JitLaunch launch = {.grid = {l->grid[0], l->grid[1], l->grid[2]}, .stream = l->stream};
	return api_status(jit_gpu_launch(l->ready->variant, l->ready->function, l->result, &launch, l->values,
					 &call->diags));
}

neso_status neso_ready_launch(const neso_ready *ready, const uint32_t grid[3], void *stream, void **values,
			      neso_diagnostics **diagnostics)
{
	Launching launching = {ready, grid, stream, values, NV_NOT_PLAIN};
	if (LIKELY(ready && grid && values) && !ready->has_events)
		launching.result = nv_launch_plain(ready->function, grid, stream, values);
	if (LIKELY(launching.result == 0)) {
		if (diagnostics)
			*diagnostics = NULL;
		return NESO_OK;
	}
	return api_run(ready ? context_of(ready->variant) : NULL, diagnostics, rest, &launching);
}

uint64_t neso_gpu_context(const neso_context *context)
{
	return context ? nv_context_now(context->host.driver) : 0;
}
