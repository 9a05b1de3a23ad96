/* The table of passes that code generation can run, and the order in which it does. */
#include "gpu/gpu.h"

static const PassInfo passes[] = {
#define PASS(fn, name, in, out, doc) {fn, name, LEVEL_##in, LEVEL_##out, doc},
#include "gpu/passes.def"
#include "ir/passes.def"
#undef PASS
};

const PassInfo *gpu_pass_table(size_t *count)
{
	*count = ARRAY_LEN(passes);
	return passes;
}

const PassInfo *gpu_pass_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(passes); i++)
		if (strcmp(passes[i].name, name) == 0)
			return &passes[i];
	return NULL;
}

/* Layouts as memory and matrix instructions want them, then all others to go with these, then what was left over. */
const char *const *gpu_pipeline(const GpuCx *cx, size_t *count)
{
	static const char *const names[] = {
		"decompose-dots", "narrow-loads", "convert-ttir-to-ttgir", "coalesce", "accelerate-matmul", "remove-layout-conversions",
		"cse",		  "optimize-thread-locality", "licm",	  "stage-operands", "version-loops", "pipeline", "cse",	"dce",
		"reorder-instructions", "detour-conversions", "batch-conversions",
		"allocate",	  "barriers",
	};
	(void)cx;
	*count = ARRAY_LEN(names);
	return names;
}
