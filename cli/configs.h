/* Configurations that a kernel's decorator writes out, as texts of its file (expand.c). */
#ifndef NESO_CLI_CONFIGS_H
#define NESO_CLI_CONFIGS_H

#include "cli/cli.h"

typedef struct Texts {
	const char **at;
	size_t count;
} Texts;

/* Splits at commas outside brackets and quotes; what is between them without blanks around it. */
void texts_split(const char *text, size_t len, Texts *out);

enum { CONFIG_OPTIONS = 4 };
extern const char *const config_options[CONFIG_OPTIONS]; /* "num_warps", ... */

typedef struct Config {
	Texts names, values; /* of parameters */
	const char *options[CONFIG_OPTIONS]; /* NULL: not given */
} Config;

typedef struct Configs {
	Config *at;
	size_t count;
} Configs;

/* Those of triton.autotune, as far as they are written out. */
Configs configs_of(const neso_kernel *kernel);

#endif
