/* Launches of few and of many programs. A kernel with one loop of products may be faster when it
 * is persistent (gpu/loop/persist.h), if a launch has more programs than the GPU has SMs. Such a
 * kernel has a variant for few and one for many, and the grid chooses. Each is right for any grid:
 * where one of them is not available, the launch uses the other. */
#include <string.h>

#include "base/option/option.h"
#include "jit/inner.h"

static bool is_persistent(const JitVariant *variant)
{
	return variant->gpu ? jit_gpu_program_counts(variant->gpu) != 0 :
	       variant->sim ? strchr(variant->sim_args, 'n') != NULL :
			      false;
}

bool jit_has_counterpart(const JitVariant *variant)
{
	return variant->by_number || (variant->options.many && is_persistent(variant));
}

/* Of the GPU that such a launch is for; 0: not known. */
static unsigned sm_count(const JitKernel *kernel, const JitOptions *options)
{
	DiagList none;
	Arena arena;
	if (options->sim)
		return target_processors(options->gpu)->sms;
	NvDriver *driver = kernel->module->host->driver;
	arena_init(&arena, 0);
	diag_init(&none, &arena, NULL);
	const NvDevice *device = nv_context(driver, &none) ? nv_context_device(driver, &none) : NULL;
	unsigned sms = device ? device->sms : 0;
	arena_free(&arena);
	return sms;
}

/* What the grid says; `otherwise` where it is not known (an axis is 0), or the GPU. */
static bool is_many(const JitKernel *kernel, const JitOptions *options, const uint32_t grid[3],
		    bool uneven, bool otherwise)
{
	const bool known = grid[0] && grid[1] && grid[2];
	const unsigned sms = known ? sm_count(kernel, options) : 0;
	return sms ? target_is_many(grid, sms, uneven) : otherwise;
}

bool jit_launches_many(const JitKernel *kernel, const JitOptions *options, const uint32_t grid[3])
{
	bool may = kernel->module->has_products && options->gpu && target_has(options->gpu, TARGET_WGMMA) &&
		   options->num_ctas == 1 && !options->no_maps && !options->cooperative &&
		   !options->ptx_only && strcmp(option_text(OPTION_PERSIST), "auto") == 0;
	return may && jit_launch_strict(kernel, options) != JIT_STRICT_ON &&
	       is_many(kernel, options, grid, false, false);
}

static JitStatus get_other(const JitVariant *variant, bool many, JitStrict strict, const JitVariant **other,
			   DiagList *diags)
{
	JitKernel *kernel = variant->kernel;
	JitOptions options = variant->options;
	bool compiled;
	options.many = many;
	options.no_compile = strict;
	options.no_compile = jit_launch_strict(kernel, &options);
	JitBinding binding = {
		.args = variant->args,
		.given = ARENA_ARRAY(diags->arena, const JitArg *, kernel->info->param_count + 1),
		.key = jit_key(diags->arena, kernel, variant->args, &options),
	};
	return jit_get(kernel, &binding, &options, other, &compiled, diags);
}

const JitVariant *jit_counterpart(const JitVariant *variant, const uint32_t grid[3])
{
	const bool many = variant->options.many;
	if (!jit_has_counterpart(variant) || variant->alone ||
	    is_many(variant->kernel, &variant->options, grid, variant->uneven, many) == many)
		return NULL;
	JitVariant *own = (JitVariant *)(uintptr_t)variant;
	const JitVariant *other = atomic_load_explicit(&own->other, memory_order_acquire);
	if (other)
		return other;
	DiagList none;
	Arena arena;
	arena_init(&arena, 0);
	diag_init(&none, &arena, NULL);
	if (get_other(variant, !many, JIT_STRICT_DEFAULT, &other, &none) != JIT_OK) {
		own->alone = true;
		other = NULL;
	}
	arena_free(&arena);
	if (other && !other->passes && !variant->passes)
		atomic_store_explicit(&own->other, other, memory_order_release);
	return other;
}

JitStatus jit_make_counterpart(const JitVariant *variant, const JitVariant **other, DiagList *diags)
{
	*other = NULL;
	return jit_has_counterpart(variant) ?
		       get_other(variant, !variant->options.many, JIT_STRICT_OFF, other, diags) :
		       JIT_OK;
}

const JitVariant *jit_serves_both(JitKernel *kernel, const JitBinding *binding, const JitOptions *options,
				  Arena *arena)
{
	JitOptions turned = *options;
	if (!kernel->module->has_products || binding->demotes)
		return NULL;
	turned.many = !options->many;
	const JitVariant *found = jit_find_ready(kernel, jit_key(arena, kernel, binding->args, &turned));
	if (found && jit_has_counterpart(found)) {
		jit_let_go(found);
		return NULL;
	}
	return found;
}
