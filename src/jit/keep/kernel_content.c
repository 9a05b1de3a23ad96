/* What determines a kernel, apart from the arguments of a call. */
#include "jit/keep/cache.h"

const char *jit_kernel_content(JitKernel *kernel, Arena *arena)
{
	JitOptions options = {0};
	DiagList none;
	diag_init(&none, arena, NULL);
	if (!jit_options(kernel, &(JitOptions){0}, &options, &none))
		return NULL;
	const JitVariant asked = {.kernel = kernel, .options = options};
	CacheDigest digest;
	char hex[CACHE_HEX_SIZE];
	if (!jit_source_digest(&asked, arena, &digest))
		return NULL;
	cache_digest_hex(&digest, hex);
	return arena_strndup(arena, hex, 16);
}
