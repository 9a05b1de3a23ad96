/* neso cache: what its actions share. */
#ifndef NESO_CLI_CACHE_H
#define NESO_CLI_CACHE_H

#include "cli/cli.h"

typedef struct Cache {
	const Parsed *parsed;
	neso_context *context;
	bool json;
	size_t shown;
} Cache;

/* A word behind the action; NULL: not given. */
const char *cache_argument(const Cache *c, size_t i);
void cache_print_bytes(uint64_t bytes);

/* ---- cache_files.c ---- */

int cache_gc(Cache *c);
int cache_clear(Cache *c);
int cache_pack(Cache *c);
int cache_unpack(Cache *c);
int cache_sign_pack(Cache *c);
int cache_check_pack(Cache *c);
int cache_choices(Cache *c);

#endif
