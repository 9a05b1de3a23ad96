/* Launches: converts argument values to the bits that the interpreter expects, and buffers to the
 * ranges that it checks. */
#include <math.h>
#include <stdlib.h>

#include "jit/inner.h"

#include "base/float/fp.h"
#include "base/os.h"

typedef struct Marshal {
	Arena *arena;
	const JitVariant *variant;
	const JitArg **given; /* per parameter */
	DiagList *diags;
} Marshal;

static const struct {
	enum { IS_INT, IS_UINT, IS_FLOAT } cls;
	unsigned bits;
} dtypes[DT__COUNT] = {
#define INT IS_INT
#define UINT IS_UINT
#define FLOAT IS_FLOAT
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) [DT_##kind] = {cls, bits},
#include "front/dtypes.def"
#undef DTYPE
#undef INT
#undef UINT
#undef FLOAT
};

static FpFormat float_format(TlDtype dtype)
{
	switch (dtype) {
	case DT_FP8E4B15: return FP_E4M3B11FNUZ;
	case DT_FP8E4NV: return FP_E4M3FN;
	case DT_FP8E4B8: return FP_E4M3FNUZ;
	case DT_FP8E5: return FP_E5M2;
	case DT_FP8E5B16: return FP_E5M2FNUZ;
	case DT_FP16: return FP_F16;
	case DT_BF16: return FP_BF16;
	case DT_FP64: return FP_F64;
	default: return FP_F32;
	}
}

uint64_t jit_float_bits(TlDtype dtype, double value)
{
	union {
		float f;
		uint32_t bits;
	} single = {(float)value};
	return dtype == DT_FP32 ? single.bits
				: fp_from_double(float_format(dtype), value, FP_NEAREST_EVEN, false);
}

static const FrontParam *param_at(const Marshal *m, uint32_t i)
{
	return &m->variant->kernel->info->params[i];
}

static const char *describe(const Marshal *m, const JitArg *arg)
{
	switch (arg->kind) {
	case JIT_INT: return arena_printf(m->arena, "the integer %lld", (long long)arg->i);
	case JIT_FLOAT: return arena_printf(m->arena, "the float %g", arg->f);
	case JIT_BOOL: return arg->i ? "True" : "False";
	case JIT_EXPR: return arg->expr;
	case JIT_POINTER: return arena_printf(m->arena, "a *%s", jit_dtype_text(arg->dtype));
	default: return arena_printf(m->arena, "a tensor descriptor of %s", jit_dtype_text(arg->dtype));
	}
}

static void wrong_type(const Marshal *m, uint32_t i, const char *wanted)
{
	jit_diag_param(m->diags, m->variant->kernel, param_at(m, i), DIAG_ARG_TYPE, wanted, param_at(m, i)->name, describe(m, m->given[i]));
}

/* IR text has no signs: its i8 stands for uint8 too. */
static bool is_signed(const Marshal *m, TlDtype dtype)
{
	return dtypes[dtype].cls == IS_INT && !m->variant->kernel->module->ir_text;
}

/* Does an integer fit the type? Negative numbers fit unsigned types of their width, as bits. */
static bool int_fits(const Marshal *m, const JitArg *arg, TlDtype dtype)
{
	unsigned bits = dtypes[dtype].bits;
	bool huge = arg->is_unsigned && arg->i < 0;
	if (bits == 64)
		return !huge || !is_signed(m, dtype);
	if (huge)
		return false;
	if (bits == 1)
		return arg->i == 0 || arg->i == 1;
	int64_t low = -((int64_t)1 << (bits - 1)), high = ((int64_t)1 << (bits - is_signed(m, dtype))) - 1;
	return arg->i >= low && arg->i <= high;
}

/* Is it in the type's range? Where a constant that is not is an error. */
static bool number_fits(const JitArg *arg, TlDtype dtype)
{
	bool huge = arg->is_unsigned && arg->i < 0, has_sign = dtypes[dtype].cls == IS_INT;
	unsigned bits = dtypes[dtype].bits;
	if (arg->kind != JIT_INT)
		return arg->kind == JIT_BOOL;
	if (huge)
		return !has_sign && bits == 64;
	if (!has_sign)
		return arg->i >= 0 && (bits == 64 || (uint64_t)arg->i < UINT64_C(1) << bits);
	return bits == 64 || (arg->i >= -(INT64_C(1) << (bits - 1)) && arg->i < INT64_C(1) << (bits - 1));
}

static uint64_t scalar_bits(const Marshal *m, uint32_t i, const JitParam *param)
{
	const JitArg *arg = m->given[i];
	bool is_int = arg->kind == JIT_INT || arg->kind == JIT_BOOL;
	if (dtypes[param->dtype].cls == IS_FLOAT && (is_int || arg->kind == JIT_FLOAT)) {
		double value = !is_int ? arg->f : arg->is_unsigned ? (double)(uint64_t)arg->i : (double)arg->i;
		return jit_float_bits(param->dtype, value);
	}
	if (!is_int) {
		wrong_type(m, i, param->text);
		return 0;
	}
	if (!int_fits(m, arg, param->dtype))
		jit_diag_param(m->diags, m->variant->kernel, param_at(m, i), DIAG_ARG_RANGE, param_at(m, i)->name,
			 arg->is_unsigned ? arena_printf(m->arena, "%llu", (unsigned long long)arg->i)
					  : arena_printf(m->arena, "%lld", (long long)arg->i),
			 param->text);
	unsigned bits = dtypes[param->dtype].bits;
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	if (param->divisibility > 1 && arg->i % param->divisibility)
		wrong_type(m, i, arena_printf(m->arena, "%s divisible by %u", param->text, param->divisibility));
	return (uint64_t)arg->i & mask;
}

/* Are elements of the given type what the parameter's type says? For IR text the size decides, as
 * when a variant is made of it (ir_module.c). */
static bool element_fits(const Marshal *m, const JitArg *arg, const JitParam *param)
{
	if (param->dtype == DT__COUNT || arg->dtype == param->dtype)
		return true;
	return param->kind == JIT_PARAM_POINTER && arg->dtype != DT__COUNT && m->variant->kernel->module->ir_text &&
	       dtypes[arg->dtype].bits == dtypes[param->dtype].bits;
}

static InterpArg value_of(const Marshal *m, uint32_t i, const JitParam *param)
{
	InterpArg out = {0};
	const JitArg *arg = m->given[i];
	if (!arg) {
		jit_diag_param(m->diags, m->variant->kernel, param_at(m, i), DIAG_ARG_MISSING, param_at(m, i)->name,
			 m->variant->kernel->info->qualified_name);
		return out;
	}
	if (param->kind == JIT_PARAM_SCALAR) {
		out.bits = scalar_bits(m, i, param);
		return out;
	}
	int wanted = param->kind == JIT_PARAM_POINTER ? JIT_POINTER : JIT_DESCRIPTOR;
	if ((int)arg->kind != wanted || !element_fits(m, arg, param)) {
		wrong_type(m, i, param->text);
		return out;
	}
	out.bits = (uint64_t)(uintptr_t)arg->address;
	if (param->divisibility > 1 && out.bits % param->divisibility)
		wrong_type(m, i, arena_printf(m->arena, "an address divisible by %u", param->divisibility));
	if (param->kind == JIT_PARAM_DESC) {
		out.rank = arg->rank;
		out.pad_nan = arg->pad_nan;
		memcpy(out.shape, arg->shape, sizeof *arg->shape * arg->rank);
		memcpy(out.strides, arg->strides, sizeof *arg->strides * arg->rank);
	}
	return out;
}

uint64_t jit_number_bits(const JitArg *number, TlDtype dtype)
{
	bool is_float = number->kind == JIT_FLOAT;
	if (dtypes[dtype].cls == IS_FLOAT) {
		double value = is_float ? number->f : number->is_unsigned ? (double)(uint64_t)number->i : (double)number->i;
		return jit_float_bits(dtype, value);
	}
	unsigned bits = dtypes[dtype].bits;
	if (bits == 1)
		return is_float ? number->f != 0 : number->i != 0;
	return is_float ? 0 : (uint64_t)number->i & (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1);
}

bool jit_numbers_fit(const JitVariant *variant, const JitBinding *binding, JitSet *set)
{
	bool all = true;
	for (uint32_t i = 0; i < variant->numbers.count; i++) {
		const FrontNumber *number = &variant->numbers.at[i];
		const JitArg *arg = binding->given[number->param];
		if (!number->must_fit || dtypes[number->dtype].cls == IS_FLOAT || number_fits(arg, number->dtype))
			continue;
		all = false;
		set->words[number->param / 64] &= ~((uint64_t)1 << number->param % 64);
	}
	return all;
}

/* A demoted constexpr of a variant that was chosen before the call: it must be of the kind and size that the variant is for. */
static uint64_t number_of(const Marshal *m, const JitSlot *slot)
{
	uint32_t i = slot->param;
	JitArg literal;
	const JitArg *arg = m->given[i];
	const JitParam *param = &m->variant->params[i];
	const char *text = !arg ? param_at(m, i)->value : arg->kind == JIT_EXPR ? arg->expr : NULL;
	if (!arg && !text) {
		jit_diag_param(m->diags, m->variant->kernel, param_at(m, i), DIAG_ARG_MISSING_CONSTEXPR, param_at(m, i)->name,
			       m->variant->kernel->info->qualified_name);
		return 0;
	}
	if (text && jit_literal(text, &literal))
		arg = &literal;
	FrontArg number;
	bool fits = arg && jit_demote(arg, "", &number) && number.dtype == param->dtype;
	for (uint32_t k = 0; fits && k < m->variant->numbers.count; k++) {
		const FrontNumber *n = &m->variant->numbers.at[k];
		fits = n->param != i || !n->must_fit || dtypes[n->dtype].cls == IS_FLOAT || number_fits(arg, n->dtype);
	}
	if (fits)
		return jit_number_bits(arg, slot->dtype);
	wrong_type(m, i, arena_printf(m->arena, "constexpr %s", jit_dtype_text(param->dtype)));
	return 0;
}

/* One InterpArg per argument of the TTIR function. */
static InterpArg *marshal_args(const Marshal *m)
{
	const JitVariant *v = m->variant;
	InterpArg *out = ARENA_ARRAY(m->arena, InterpArg, v->slot_count + 1);
	for (uint32_t s = 0; s < v->slot_count; s++) {
		const JitSlot *slot = &v->slots[s];
		if (slot->part == SLOT_VALUE) {
			out[s] = value_of(m, slot->param, &v->params[slot->param]);
			continue;
		}
		if (slot->part == SLOT_NUMBER) {
			out[s].bits = number_of(m, slot);
			continue;
		}
		const JitArg *arg = m->given[slot->param];
		if (!arg || arg->kind != JIT_DESCRIPTOR || slot->axis >= arg->rank)
			continue; /* diagnosed with the descriptor itself */
		if (slot->part == SLOT_PAD) {
			out[s].bits = arg->pad_nan;
			continue;
		}
		int64_t value = slot->part == SLOT_SHAPE ? arg->shape[slot->axis] : arg->strides[slot->axis];
		out[s].bits = slot->kind == TY_I32 ? (uint32_t)value : (uint64_t)value;
	}
	return out;
}

/* ---- buffers ---- */

static int by_base(const void *a, const void *b)
{
	uintptr_t l = (uintptr_t)((const InterpBuffer *)a)->base, r = (uintptr_t)((const InterpBuffer *)b)->base;
	return l < r ? -1 : l > r;
}

/* Ranges in order of address; those that overlap become one with both names, writable when one of them is. */
static uint32_t merge(Arena *arena, InterpBuffer *buffers, uint32_t count)
{
	/* An insertion sort keeps the order of equal bases, which names of merged ranges show. */
	for (uint32_t i = 1; i < count; i++) {
		InterpBuffer moved = buffers[i];
		uint32_t at = i;
		while (at && by_base(&buffers[at - 1], &moved) > 0) {
			buffers[at] = buffers[at - 1];
			at--;
		}
		buffers[at] = moved;
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		InterpBuffer *last = kept ? &buffers[kept - 1] : NULL;
		uint64_t offset = last ? (uint64_t)((char *)buffers[i].base - (char *)last->base) : 0;
		if (!last || offset >= last->size) {
			buffers[kept++] = buffers[i];
			continue;
		}
		last->size = MAX(last->size, offset + buffers[i].size);
		last->writable |= buffers[i].writable;
		if (strcmp(last->name, buffers[i].name) != 0)
			last->name = arena_printf(arena, "%s, %s", last->name, buffers[i].name);
	}
	return kept;
}

/* Behind the declared buffers, which are in order: what of ambient memory none of them has. Returns
 * how many. */
static uint32_t add_ambient(const JitLaunch *launch, InterpBuffer *buffers, uint32_t declared)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < launch->buffer_count; i++) {
		InterpBuffer rest = launch->buffers[i];
		if (!rest.ambient)
			continue;
		uintptr_t at = (uintptr_t)rest.base, end = at + rest.size;
		for (uint32_t k = 0; k <= declared && at < end; k++) {
			uintptr_t base = k < declared ? (uintptr_t)buffers[k].base : end;
			if (k < declared && (base >= end || base + buffers[k].size <= at))
				continue;
			rest.base = (void *)at;
			rest.size = base > at ? base - at : 0;
			if (rest.size)
				buffers[declared + count++] = rest;
			at = k < declared ? base + buffers[k].size : end;
		}
	}
	return count;
}

static InterpBuffer *marshal_buffers(const Marshal *m, const JitLaunch *launch, uint32_t *count)
{
	uint32_t params = m->variant->kernel->info->param_count;
	/* A declared buffer cuts at most one piece more out of an ambient one. */
	InterpBuffer *out = ARENA_ARRAY(m->arena, InterpBuffer, 2 * (params + launch->buffer_count) + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < params; i++) {
		const JitArg *arg = m->given[i];
		if (arg && (arg->kind == JIT_POINTER || arg->kind == JIT_DESCRIPTOR) && arg->bytes)
			out[n++] = (InterpBuffer){param_at(m, i)->name, arg->buffer ? arg->buffer : arg->address, arg->bytes,
						  arg->writable, false};
	}
	for (uint32_t i = 0; i < launch->buffer_count; i++)
		if (launch->buffers[i].size && !launch->buffers[i].ambient)
			out[n++] = launch->buffers[i];
	n = merge(m->arena, out, n);
	*count = n + add_ambient(launch, out, n);
	return out;
}

/* ---- running ---- */

bool jit_tell_launch(const JitVariant *variant, JitEvent event)
{
	CONTRACT(variant->ready);
	const JitHost *host = variant->kernel->module->host;
	event.kernel = variant->kernel;
	event.variant = variant;
	event.key = variant->key;
	if (event.kind == JIT_LAUNCH_END)
		((JitVariant *)(uintptr_t)variant)->launches++;
	return !host->event || host->event(host->data, &event);
}

/* On a GPU: the launch is under way when this returns. */
static JitStatus run_gpu(const Marshal *m, const JitLaunch *launch, JitResult *result)
{
	const JitVariant *variant = m->variant;
	uint32_t before = m->diags->errors;
	InterpArg *args = marshal_args(m);
	if (m->diags->errors != before)
		return JIT_ARGUMENT;
	void **params = ARENA_ARRAY(m->arena, void *, variant->slot_count + 1);
	for (uint32_t s = 0; s < variant->slot_count; s++)
		params[s] = &args[s].bits;
	NvFunction *function = jit_gpu_function(variant, m->diags);
	result->variant = variant;
	JitStatus status = function ? jit_gpu_launch(variant, function, NV_NOT_PLAIN, launch, params, m->diags) : JIT_RUN;
	if (status == JIT_OK && launch->key)
		jit_find_add_launch(variant, function, launch, m->given, params);
	return status;
}

/* Who asked for checks does not go without them. */
static bool can_check(const JitKernel *kernel, bool sim, const char *target, const JitLaunch *launch, DiagList *diags)
{
	bool wanted = launch->check || launch->schedules > 1 || launch->watch || launch->whose;
	if (wanted && !sim)
		jit_diag(diags, kernel, DIAG_CHECK_TARGET, launch->check ? "check" : launch->schedules > 1 ? "schedules" : "watch", target ? target : "interp");
	return !wanted || sim;
}

void jit_launched(const JitVariant *variant)
{
	const JitHost *host = variant->kernel->module->host;
	if (atomic_exchange(&((JitVariant *)(uintptr_t)variant)->launched, true) || !host->launched)
		return;
	host->launched(host->data, variant);
}

bool jit_was_launched(const JitVariant *variant)
{
	return variant->launched;
}

static JitStatus run(const Marshal *m, const JitLaunch *launch, JitResult *result);

/* The simulator runs what a GPU would. */
static JitStatus run_other(const Marshal *m, const JitVariant *other, const JitLaunch *launch,
			   JitResult *result)
{
	Marshal instead = *m;
	instead.variant = other;
	JitStatus status = run(&instead, launch, result);
	result->variant = m->variant;
	jit_let_go(other);
	return status;
}

static JitStatus run(const Marshal *m, const JitLaunch *launch, JitResult *result)
{
	jit_launched(m->variant);
	if (m->variant->gpu)
		return run_gpu(m, launch, result);
	const JitVariant *other = jit_counterpart(m->variant, launch->grid);
	if (other)
		return run_other(m, other, launch, result);
	const JitVariant *variant = m->variant;
	const JitHost *host = variant->kernel->module->host;
	uint32_t before = m->diags->errors;
	InterpLaunch run = {
		.args = marshal_args(m),
		.arg_count = variant->slot_count,
		.grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
		.threads = launch->threads ? launch->threads : host->threads,
		.timeout = launch->timeout,
		.print = host->print,
		.print_data = host->data,
		.poll = launch->poll,
		.poll_data = launch->poll_data,
	};
	bool alone = variant->sim || run.threads == 1 || (uint64_t)run.grid[0] * run.grid[1] * run.grid[2] == 1;
	run.pool = alone || !host->pool ? NULL : host->pool(host->data);
	run.buffers = marshal_buffers(m, launch, &run.buffer_count);
	if (m->diags->errors != before)
		return JIT_ARGUMENT;
	if (!jit_tell_launch(variant, (JitEvent){.kind = JIT_LAUNCH_BEGIN, .grid = launch->grid})) {
		jit_diag(m->diags, variant->kernel, DIAG_REFUSED);
		return JIT_REFUSED;
	}
	double began = os_now();
	bool empty = !launch->grid[0] || !launch->grid[1] || !launch->grid[2];
	bool good = empty || (variant->sim ? jit_sim_launch(variant, launch, &run, m->diags) :
					     interp_launch(variant->interp, &run, m->diags));
	JitStatus status = good ? JIT_OK : JIT_RUN;
	result->variant = variant;
	result->run_seconds = os_now() - began;
	jit_tell_launch(variant, (JitEvent){.kind = JIT_LAUNCH_END,
					    .grid = launch->grid,
					    .status = status,
					    .seconds = result->run_seconds});
	return status;
}

JitStatus jit_launch(JitKernel *kernel, const JitLaunch *launch, const JitOptions *options, JitResult *result,
		     DiagList *diags)
{
	JitOptions complete;
	JitBinding binding;
	*result = (JitResult){0};
	diags->sources = &kernel->module->sources;
	if (!jit_options(kernel, options, &complete, diags))
		return JIT_ARGUMENT;
	if (!can_check(kernel, complete.sim, complete.target, launch, diags))
		return JIT_ARGUMENT;
	complete.ptx_only = false;
	complete.many = jit_launches_many(kernel, &complete, launch->grid);
	if (!jit_bind(diags->arena, kernel, launch->args, launch->arg_count, &complete, &binding, diags))
		return JIT_ARGUMENT;
	jit_launch_asks(launch, &complete);
	complete.no_compile = jit_launch_strict(kernel, &complete);
	double began = os_now();
	JitStatus status = jit_get(kernel, &binding, &complete, &result->variant, &result->compiled, diags);
	if (status != JIT_OK)
		return status;
	result->compile_seconds = result->compiled ? os_now() - began : 0;
	if (launch->key && !result->variant->gpu)
		jit_find_add(result->variant, launch->key);
	diags->sources = &result->variant->sources;
	Marshal m = {diags->arena, result->variant, binding.given, diags};
	return run(&m, launch, result);
}

/* An integer of 64 bits, signed or not: an argument has those bits. */
static bool is_long(const char *text)
{
	size_t digits = strspn(text + (*text == '-'), "0123456789");
	return digits >= 18 && digits <= 20 && !text[digits + (*text == '-')];
}

/* Is an argument for one of the variant's constants another number than it was compiled for? */
static bool other_constant(const JitArg *arg, const char *text)
{
	JitArg compiled;
	if (arg->kind == JIT_INT && text && is_long(text))
		return (uint64_t)arg->i != strtoull(text, NULL, 10);
	bool is_number = arg->kind == JIT_INT || arg->kind == JIT_FLOAT || arg->kind == JIT_BOOL;
	if (!is_number || !text || !jit_literal(text, &compiled))
		return false;
	if (arg->kind == JIT_FLOAT || compiled.kind == JIT_FLOAT) {
		double a = arg->kind == JIT_FLOAT ? arg->f : (double)arg->i;
		double b = compiled.kind == JIT_FLOAT ? compiled.f : (double)compiled.i;
		return a != b && !(isnan(a) && isnan(b));
	}
	return compiled.kind != JIT_EXPR && arg->i != compiled.i;
}

static bool constants_fit(const Marshal *m)
{
	uint32_t before = m->diags->errors;
	for (uint32_t i = 0; i < m->variant->kernel->info->param_count; i++) {
		const JitParam *param = &m->variant->params[i];
		if (param->kind == JIT_PARAM_CONST && m->given[i] && other_constant(m->given[i], param->text))
			wrong_type(m, i, arena_printf(m->arena, "the constant %s", param->text));
	}
	return m->diags->errors == before;
}

JitStatus jit_launch_variant(const JitVariant *variant, const JitLaunch *launch, JitResult *result, DiagList *diags)
{
	CONTRACT(variant->ready);
	const JitKernel *kernel = variant->kernel;
	*result = (JitResult){0};
	diags->sources = &variant->sources;
	if (!can_check(kernel, variant->sim != NULL, variant->options.gpu ? variant->options.gpu->name : NULL, launch, diags))
		return JIT_ARGUMENT;
	const JitArg **given = ARENA_ARRAY(diags->arena, const JitArg *, kernel->info->param_count + 1);
	Marshal m = {diags->arena, variant, given, diags};
	if (!jit_match_args(m.arena, kernel, launch->args, launch->arg_count, m.given, diags) ||
	    !constants_fit(&m))
		return JIT_ARGUMENT;
	return run(&m, launch, result);
}
