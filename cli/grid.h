/* Grids of the command line. */
#ifndef NESO_CLI_GRID_H
#define NESO_CLI_GRID_H

#include "cli/cli.h"

typedef struct GridName {
	const char *name;
	int64_t value;
} GridName;

/* "4", "4,2", "4x2x1", "(cdiv(n, BLOCK),)"; False after a usage error. */
bool grid_parse(const char *text, const GridName *names, size_t name_count, uint32_t grid[3]);

#endif
