/* The table of passes that code generation can run, and their order. */
#include "gpu/gpu.h"

static const PassInfo passes[] = {
#define AXIS (1u << GPU_AXIS)
#define ALIASES (1u << GPU_ALIASES)
#define PASS(fn, name, in, out, when, needs, keeps, doc) {fn, name, LEVEL_##in, LEVEL_##out, PASS_##when, needs, keeps, doc},
#define AGAIN(name, when)
#include "ir/passes.def"
#include "gpu/passes.def"
#undef AGAIN
#undef PASS
};

const PassInfo *gpu_pass_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(passes); i++)
		if (strcmp(passes[i].name, name) == 0)
			return &passes[i];
	return NULL;
}

/* Layouts as memory and matrix instructions want them, then all others to go with these, then what was left over. */
const char *const *gpu_pipeline(Arena *arena, size_t *count)
{
	static const PassStep steps[] = {
#define PASS(fn, name, in, out, when, needs, keeps, doc) {name, PASS_##when},
#define AGAIN(name, when) {name, PASS_##when},
#include "gpu/passes.def"
#undef AGAIN
#undef PASS
	};
	return pass_names_of(arena, steps, ARRAY_LEN(steps), true, count);
}
