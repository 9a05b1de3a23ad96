/* Options of a variant, checked and completed, and its key as a line of text: name, parameters, options. */
#include "base/option/option.h"
#include "jit/inner.h"

bool jit_options(const JitKernel *kernel, const JitOptions *given, JitOptions *out, DiagList *diags)
{
	*out = given ? *given : (JitOptions){0};
	out->num_warps = out->num_warps ? out->num_warps : 4;
	out->num_stages = out->num_stages ? out->num_stages : 3;
	out->num_ctas = out->num_ctas ? out->num_ctas : 1;
	out->policy = out->policy ? out->policy : kernel->module->host->policy;
	if (out->policy == JIT_POLICY_TIERED)
		out->policy = JIT_POLICY_GENERIC;
	out->strict = out->strict || option_is_on(OPTION_STRICT);
	out->wide_offsets = out->wide_offsets || option_is_on(OPTION_WIDE_OFFSETS);
	uint32_t before = diags->errors;
	if (!jit_target(kernel, out->target, &out->gpu, &out->sim, diags))
		return false;
	out->ptx_only = out->ptx_only && out->gpu && !out->sim;
	/* A GPU has its limits: so a launch that the CPU recorded declares one on a GPU. */
	out->no_gpu_limits = out->no_gpu_limits && !out->gpu;
	/* The CPU has no threads of a program to run out of. */
	if (!base_is_pow2(out->num_warps) || out->num_warps > UINT32_MAX / TARGET_WARP_SIZE)
		jit_diag(diags, kernel, DIAG_OPTION_VALUE, "num_warps", out->num_warps, "a power of 2");
	else if (out->gpu && out->num_warps > TARGET_MAX_THREADS / TARGET_WARP_SIZE)
		jit_diag(diags, kernel, DIAG_OPTION_THREADS, out->num_warps,
			 out->num_warps * TARGET_WARP_SIZE, TARGET_MAX_THREADS);
	if (!base_is_pow2(out->num_ctas) || out->num_ctas > 16)
		jit_diag(diags, kernel, DIAG_OPTION_VALUE, "num_ctas", out->num_ctas, "a power of two up to 16");
	else if (out->num_ctas > 1 && out->gpu && !target_has(out->gpu, TARGET_CLUSTER))
		jit_diag(diags, kernel, DIAG_OPTION_CLUSTER, out->num_ctas, out->gpu->name);
	if (out->maxnreg && (out->maxnreg < 16 || out->maxnreg > 256))
		jit_diag(diags, kernel, DIAG_OPTION_VALUE, "maxnreg", out->maxnreg, "0, or 16 to 256");
	if (out->dot_precision && !front_is_dot_precision(out->dot_precision))
		jit_diag(diags, kernel, DIAG_OPTION_PRECISION, out->dot_precision);
	return diags->errors == before;
}

bool jit_complete_options(const JitKernel *kernel, JitOptions *options, DiagList *diags)
{
	const JitOptions given = *options;
	return jit_options(kernel, &given, options, diags);
}

static void key_number(Text *key, const char *name, unsigned value, unsigned preset)
{
	if (value == preset)
		return;
	text_str(key, name);
	text_unsigned(key, value);
}

/* Made for each look-up, so nothing in it is formatted by printf that is there each time. */
const char *jit_key(Arena *arena, const JitKernel *kernel, const FrontArg *args, const JitOptions *options)
{
	Text key;
	text_init(&key, arena);
	text_str(&key, kernel->info->qualified_name);
	text_char(&key, '(');
	for (uint32_t i = 0, shown = 0; i < kernel->info->param_count; i++) {
		if (args[i].kind == FRONT_DEFAULT)
			continue;
		text_str(&key, shown++ ? ", " : "");
		text_str(&key, kernel->info->params[i].name);
		text_str(&key, args[i].kind == FRONT_DEMOTED ? ": constexpr " : args[i].kind == FRONT_CONST ? "=" : ": ");
		text_str(&key, args[i].kind == FRONT_DEMOTED ? jit_dtype_text(args[i].dtype) : args[i].text);
		if (args[i].divisibility > 1) {
			text_char(&key, ':');
			text_unsigned(&key, args[i].divisibility);
		}
	}
	text_char(&key, ')');
	key_number(&key, " num_warps=", options->num_warps, 4);
	key_number(&key, " num_stages=", options->num_stages, 3);
	key_number(&key, " num_ctas=", options->num_ctas, 1);
	key_number(&key, " maxnreg=", options->maxnreg, 0);
	if (options->gpu) {
		text_str(&key, options->sim ? " target=sim:" : " target=");
		text_str(&key, options->gpu->name);
	}
	if (options->no_fp_fusion)
		text_str(&key, " no_fp_fusion");
	if (options->no_reflect_ftz)
		text_str(&key, " no_reflect_ftz");
	if (options->cooperative)
		text_str(&key, " cooperative");
	if (options->dependent)
		text_str(&key, " dependent");
	if (options->no_line_info)
		text_str(&key, " no_line_info");
	if (options->ptx_only)
		text_str(&key, " ptx_only");
	key_number(&key, " ptx_version=", options->ptx_version, 0);
	if (options->no_maps)
		text_str(&key, " no_maps");
	if (options->many)
		text_str(&key, " many");
	if (options->debug)
		text_str(&key, " debug");
	if (options->no_overflow_checks)
		text_str(&key, " no_overflow_checks");
	if (options->no_gpu_limits)
		text_str(&key, " no_gpu_limits");
	if (options->strict)
		text_str(&key, " strict_triton");
	if (options->wide_offsets)
		text_str(&key, " wide_offsets");
	if (option_is_on(OPTION_PORTABLE_ORDER))
		text_str(&key, " portable_order");
	if (option_given(OPTION_ROLES, NULL))
		text_printf(&key, " warp_specialize=%s", option_text(OPTION_ROLES));
	if (option_given(OPTION_PERSIST, NULL))
		text_printf(&key, " persist=%s", option_text(OPTION_PERSIST));
	if (option_given(OPTION_TURNS, NULL))
		text_printf(&key, " turns=%s", option_text(OPTION_TURNS));
	if (option_given(OPTION_MULTICAST, NULL))
		text_printf(&key, " multicast=%s", option_text(OPTION_MULTICAST));
	if (options->dot_precision && strcmp(options->dot_precision, "tf32") != 0)
		text_printf(&key, " dot_precision=%s", options->dot_precision);
	if (options->override)
		text_printf(&key, " override=%s", options->override);
	return key.data;
}
