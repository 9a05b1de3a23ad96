/* Strict mode: a launch that would compile is an error. Loading a variant from where variants are
 * kept is no compilation; ahead-of-time compilation (jit_compile_signature) is always allowed. */
#include "base/option/option.h"
#include "jit/declare/declare.h"
#include "jit/inner.h"

JitStrict jit_launch_strict(const JitKernel *kernel, const JitOptions *options)
{
	if (options->no_compile)
		return options->no_compile;
	const JitStrict of_kernel = kernel->no_compile, of_host = kernel->module->host->no_compile;
	if (of_kernel || of_host)
		return of_kernel ? of_kernel : of_host;
	return option_is_on(OPTION_NO_COMPILE) ? JIT_STRICT_ON : JIT_STRICT_OFF;
}

bool jit_may_compile(const JitVariant *variant)
{
	return variant->options.no_compile != JIT_STRICT_ON;
}

void jit_strict_miss(const JitVariant *variant, DiagList *diags)
{
	const FrontInfo *info = variant->kernel->info;
	const JitVariant *nearest = jit_nearest_variant(variant);
	variant->kernel->missed++;
	Diag *diag = diag_add_at(diags, info->path, info->at, DIAG_STRICT_MISS, info->qualified_name,
				 variant->reason);
	if (nearest)
		diag_note_at(diags, diag, NULL, (LineCol){0, 0}, "the nearest variant is %s", nearest->key);
	jit_let_go(nearest);
	const char *line = jit_declaration(diags->arena, variant, NULL);
	if (line)
		diag_note_at(diags, diag, NULL, (LineCol){0, 0}, "this line declares it: %s", line);
}
