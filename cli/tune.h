/* neso tune: candidates (tune.c, search.c), and how what came of them is shown (tune_show.c). */
#ifndef NESO_CLI_TUNE_H
#define NESO_CLI_TUNE_H

#include <neso/tune.h>

#include "cli/argument.h"
#include "cli/configs.h"

typedef struct Candidate {
	const char *text; /* "BLOCK=128, num_warps=8, num_stages=3" */
	neso_compile_options options;
	neso_arg *args;
	size_t arg_count;
	uint32_t grid[3];
	const char *pruned; /* why it is not compiled; NULL: it is */
	double model; /* seconds that the model of cost has for it; 0: none */
	bool less; /* it moves fewer bytes than anything listed, so it may leave something out */
	neso_tune_candidate found;
} Candidate;

typedef struct Tune {
	const Parsed *parsed;
	neso_context *context;
	neso_kernel *kernel;
	neso_kernel_info info;
	Arguments arguments;
	neso_compile_options options;
	Texts keys; /* parameters that the choice depends on */
	Candidate *at;
	size_t count, pruned; /* pruned ones are the last */
	const neso_launch *references; /* what is listed, where a search must compute the same */
	size_t reference_count;
	neso_tune_summary summary;
	size_t chosen; /* count: none */
} Tune;

/* Adds a configuration. Not EXIT_DONE after a message. */
int tune_add(Tune *tune, const Config *config);
/* Those of --search; what cannot be good is pruned. */
int tune_search(Tune *tune, const Configs *listed);

void tune_show_table(const Tune *tune);
void tune_show_json(const Tune *tune, const neso_tuned_entry *entry);
/* What each gave, as SVG. False after a message. */
bool tune_plot(const Tune *tune, const char *path);

/* --merge and --export: files of choices. */
int tune_merge(const Parsed *parsed);

#endif
