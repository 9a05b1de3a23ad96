/* What a caller gives with a launch, as jit takes it: options, arguments, buffers. */
#include <math.h>
#include <stddef.h>
#include "api/inner.h"

bool api_read_options(ApiCall *call, const neso_compile_options *given, JitOptions *out)
{
	neso_compile_options options;
	if (!api_read_struct(call, &options, sizeof options, given, "neso_compile_options"))
		return false;
	*out = (JitOptions){
		.num_warps = options.num_warps,
		.num_stages = options.num_stages,
		.num_ctas = options.num_ctas,
		.maxnreg = options.maxnreg,
		.target = options.target,
		.debug = options.debug,
		.no_overflow_checks = options.debug && options.no_overflow_checks,
		.no_specialize = options.no_specialize,
		.no_gpu_limits = options.no_gpu_limits,
		.dot_precision = options.dot_precision,
		.symbol = options.symbol,
		.override = options.override,
		.no_fp_fusion = options.no_fp_fusion,
		.no_reflect_ftz = options.no_reflect_ftz,
		.strict = options.strict_triton,
		.wide_offsets = options.wide_offsets,
		.no_maps = options.no_tensor_maps,
		.no_line_info = options.no_line_info,
		.ptx_only = options.ptx_only,
		.ptx_version = options.ptx_version,
		.cooperative = options.cooperative,
		.dependent = options.dependent_launch,
		.policy = (JitPolicy)options.constexpr_policy,
		.seconds = options.compile_timeout,
		.ask = options.poll,
		.ask_data = options.poll_data,
		.no_compile = (JitStrict)options.strict,
	};
	if (isnan(options.compile_timeout)) {
		api_usage(call, "neso_compile_options.compile_timeout is no number");
		return false;
	}
	if ((unsigned)options.strict > NESO_STRICT_OFF) {
		api_usage(call, "neso_compile_options.strict is %d", (int)options.strict);
		return false;
	}
	if ((unsigned)options.constexpr_policy <= NESO_POLICY_TIERED)
		return true;
	api_usage(call, "neso_compile_options.constexpr_policy is %d", (int)options.constexpr_policy);
	return false;
}

static bool read_value(ApiCall *call, const neso_arg *arg, JitArg *out)
{
	const neso_value *v = &arg->value;
	switch (v->kind) {
	case NESO_VALUE_INT:
		out->kind = JIT_INT;
		out->i = v->i;
		out->is_unsigned = v->is_unsigned;
		return true;
	case NESO_VALUE_BOOL:
		out->kind = JIT_BOOL;
		out->i = v->i != 0;
		return true;
	case NESO_VALUE_FLOAT:
		out->kind = JIT_FLOAT;
		out->f = v->f;
		return true;
	default:
		out->kind = JIT_EXPR;
		out->expr = api_value_text(&call->arena, v);
		if (!out->expr)
			api_usage(call, "the value of argument '%s' is of no known kind", arg->name ? arg->name : "?");
		return out->expr != NULL;
	}
}

static bool read_memory(ApiCall *call, const neso_arg *arg, JitArg *out)
{
	const char *name = arg->name ? arg->name : "?";
	if (out->dtype == DT__COUNT) {
		api_usage(call, "argument '%s' has no dtype", name);
		return false;
	}
	uintptr_t begin = (uintptr_t)(arg->buffer ? arg->buffer : arg->address), at = (uintptr_t)arg->address;
	if (at < begin || at - begin > arg->bytes || arg->bytes > UINTPTR_MAX - begin) {
		api_usage(call, "the address of argument '%s' is not in its buffer", name);
		return false;
	}
	if (arg->access != NESO_READ && arg->access != NESO_READ_WRITE && arg->access != NESO_UNWRITTEN) {
		api_usage(call, "argument '%s' has no access: NESO_READ, NESO_READ_WRITE or NESO_UNWRITTEN",
			  name);
		return false;
	}
	out->kind = arg->kind == NESO_ARG_POINTER ? JIT_POINTER : JIT_DESCRIPTOR;
	out->address = arg->address;
	out->buffer = arg->buffer;
	out->bytes = arg->bytes;
	out->writable = arg->access != NESO_READ;
	out->unwritten = arg->access == NESO_UNWRITTEN;
	if (arg->kind == NESO_ARG_POINTER)
		return true;
	if (arg->rank > NESO_MAX_RANK) {
		api_usage(call, "the descriptor '%s' has rank %u; the largest is %d", name, (unsigned)arg->rank,
			  NESO_MAX_RANK);
		return false;
	}
	out->rank = arg->rank;
	out->shape = arena_copy(&call->arena, arg->shape, sizeof arg->shape);
	out->strides = arena_copy(&call->arena, arg->strides, sizeof arg->strides);
	out->block_shape = arena_copy(&call->arena, arg->block_shape, sizeof arg->block_shape);
	out->pad_nan = arg->pad_nan;
	return true;
}

static bool read_args(ApiCall *call, const neso_launch *launch, JitArg **args)
{
	if (launch->arg_count && (!launch->args || launch->arg_count > 1 << 16)) {
		api_usage(call, "neso_launch.args and arg_count do not fit each other");
		return false;
	}
	size_t arg_size = launch->arg_size;
	if (launch->arg_count && (arg_size < offsetof(neso_arg, rank) || arg_size % _Alignof(neso_arg))) {
		api_usage(call, "neso_launch.arg_size is %zu: set it to sizeof(neso_arg)", arg_size);
		return false;
	}
	*args = ARENA_ARRAY(&call->arena, JitArg, launch->arg_count + 1);
	for (size_t i = 0; i < launch->arg_count; i++) {
		neso_arg arg;
		memset(&arg, 0, sizeof arg);
		memcpy(&arg, (const char *)launch->args + i * launch->arg_size, MIN(sizeof arg, launch->arg_size));
		JitArg *out = &(*args)[i];
		out->name = arg.name;
		out->dtype = api_dtype(arg.dtype);
		if ((unsigned)arg.kind > NESO_ARG_DESCRIPTOR) {
			api_usage(call, "the kind of argument '%s' is %d, which no argument has",
				  arg.name ? arg.name : "?", (int)arg.kind);
			return false;
		}
		if (arg.kind == NESO_ARG_VALUE ? !read_value(call, &arg, out) : !read_memory(call, &arg, out))
			return false;
	}
	return true;
}

static bool read_launch_numbers(ApiCall *call, const neso_launch *launch)
{
	enum { KNOWN = NESO_WATCH_NAN | NESO_WATCH_COVERAGE | NESO_WATCH_TRAFFIC };
	if (launch->size < offsetof(neso_launch, options))
		api_usage(call, "neso_launch.size is %zu: set it to sizeof(neso_launch)", launch->size);
	else if (launch->watch & ~(uint32_t)KNOWN)
		api_usage(call, "neso_launch.watch is %u, and its bits are those of neso_watch",
			  (unsigned)launch->watch);
	else if (isnan(launch->timeout))
		api_usage(call, "neso_launch.timeout is no number");
	else
		return true;
	return false;
}

bool api_has_memory(ApiCall *call, const JitLaunch *launch)
{
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		const JitArg *arg = &launch->args[i];
		if ((arg->kind != JIT_POINTER && arg->kind != JIT_DESCRIPTOR) || arg->address || !arg->bytes)
			continue;
		api_usage(call, "the address of argument '%s' is NULL, and %zu bytes are said to be there",
			  arg->name ? arg->name : "?", arg->bytes);
		return false;
	}
	return true;
}

bool api_read_launch(ApiCall *call, const neso_launch *launch, JitLaunch *out)
{
	JitArg *args;
	if (!read_launch_numbers(call, launch) || !read_args(call, launch, &args))
		return false;
	if (launch->buffer_count && !launch->buffers) {
		api_usage(call, "neso_launch.buffers is NULL");
		return false;
	}
	InterpBuffer *buffers = ARENA_ARRAY(&call->arena, InterpBuffer, launch->buffer_count + 1);
	for (size_t i = 0; i < launch->buffer_count; i++)
		buffers[i] = (InterpBuffer){"buffer", launch->buffers[i].address, launch->buffers[i].bytes,
					    (launch->buffers[i].access & NESO_READ_WRITE) != NESO_READ,
					    launch->buffers[i].access & NESO_AMBIENT};
	*out = (JitLaunch){
		.args = args,
		.arg_count = (uint32_t)launch->arg_count,
		.grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
		.buffers = buffers,
		.buffer_count = (uint32_t)launch->buffer_count,
		.threads = launch->threads,
		.timeout = launch->timeout,
		.poll = launch->poll,
		.poll_data = launch->poll_data,
		.stream = launch->stream,
		.check = launch->check,
		.schedules = launch->schedules,
		.watch = launch->watch,
		.whose = launch->whose,
	};
	return true;
}
