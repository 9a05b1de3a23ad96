/* Looking for mistakes in kernels without running them: neso check, neso lsp. */
#ifndef NESO_CLI_CHECK_H
#define NESO_CLI_CHECK_H

#include "cli/cli.h"

typedef struct CheckedKernel {
	neso_kernel_info info;
	char *signature; /* freed with neso_text_free when guessed */
	bool guessed;
	bool unchecked; /* it takes what only a caller has, and no kernel of the file calls it */
	neso_status status;
	neso_diagnostics *diagnostics;
} CheckedKernel;

/* A file: what loading it found, then each of its kernels. */
typedef struct Checked {
	neso_module *module;
	neso_status status;
	neso_diagnostics *diagnostics;
	CheckedKernel *kernels;
	size_t kernel_count;
} Checked;

/* What a check asks for. */
typedef struct Check {
	neso_context *context;
	neso_compile_options compile;
	const char *signature; /* NULL: guessed for each kernel */
} Check;

/* A context whose kernels print nothing. NULL after a message. */
neso_context *check_context(const Parsed *parsed);
/* kernel: the only one that is looked at; NULL: all. text: of the file; NULL: it is read. */
void check_file(const Check *check, const char *path, const char *text, size_t len, const char *kernel,
		Checked *out);
void checked_free(Checked *checked);

#endif
