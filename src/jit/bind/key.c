/* Checks and completes the options of a variant, and writes its key, a line of text: name,
 * parameters, options. */
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

static void key_parameters(Text *key, const JitKernel *kernel, const FrontArg *args)
{
	text_char(key, '(');
	for (uint32_t i = 0, shown = 0; i < kernel->info->param_count; i++) {
		if (args[i].kind == FRONT_DEFAULT)
			continue;
		bool demoted = args[i].kind == FRONT_DEMOTED;
		text_str(key, shown++ ? ", " : "");
		text_str(key, kernel->info->params[i].name);
		text_str(key, demoted ? ": constexpr " : args[i].kind == FRONT_CONST ? "=" : ": ");
		text_str(key, demoted ? jit_dtype_text(args[i].dtype) : args[i].text);
		if (args[i].divisibility > 1) {
			text_char(key, ':');
			text_unsigned(key, args[i].divisibility);
		}
	}
	text_char(key, ')');
}

static void key_flag(Text *key, const char *name, bool on)
{
	if (on)
		text_str(key, name);
}

static void key_setting(Text *key, const char *name, OptionId option)
{
	if (option_given(option, NULL))
		text_printf(key, " %s=%s", name, option_text(option));
}

/* Computed at each look-up, so what every key has is written without printf. */
const char *jit_key(Arena *arena, const JitKernel *kernel, const FrontArg *args, const JitOptions *options)
{
	Text key;
	text_init(&key, arena);
	text_str(&key, kernel->info->qualified_name);
	key_parameters(&key, kernel, args);
	key_number(&key, " num_warps=", options->num_warps, 4);
	key_number(&key, " num_stages=", options->num_stages, 3);
	key_number(&key, " num_ctas=", options->num_ctas, 1);
	key_number(&key, " maxnreg=", options->maxnreg, 0);
	if (options->gpu) {
		text_str(&key, options->sim ? " target=sim:" : " target=");
		text_str(&key, options->gpu->name);
	}
	key_flag(&key, " no_fp_fusion", options->no_fp_fusion);
	key_flag(&key, " no_reflect_ftz", options->no_reflect_ftz);
	key_flag(&key, " cooperative", options->cooperative);
	key_flag(&key, " dependent", options->dependent);
	key_flag(&key, " no_line_info", options->no_line_info);
	key_flag(&key, " ptx_only", options->ptx_only);
	key_number(&key, " ptx_version=", options->ptx_version, 0);
	key_flag(&key, " no_maps", options->no_maps);
	key_flag(&key, " many", options->many);
	key_flag(&key, " debug", options->debug);
	key_flag(&key, " no_overflow_checks", options->no_overflow_checks);
	key_flag(&key, " no_gpu_limits", options->no_gpu_limits);
	key_flag(&key, " strict_triton", options->strict);
	key_flag(&key, " wide_offsets", options->wide_offsets);
	key_flag(&key, " portable_order", option_is_on(OPTION_PORTABLE_ORDER));
	key_setting(&key, "warp_specialize", OPTION_ROLES);
	key_setting(&key, "persist", OPTION_PERSIST);
	key_setting(&key, "turns", OPTION_TURNS);
	key_setting(&key, "multicast", OPTION_MULTICAST);
	if (options->dot_precision && strcmp(options->dot_precision, "tf32") != 0)
		text_printf(&key, " dot_precision=%s", options->dot_precision);
	if (options->override)
		text_printf(&key, " override=%s", options->override);
	return key.data;
}
