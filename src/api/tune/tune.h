/* Inside the API: what the files of tuning share. */
#ifndef NESO_API_TUNE_H
#define NESO_API_TUNE_H

#include "api/inner.h"
#include "neso/tune.h"
#include "tune/race.h"
#include "tune/results.h"

TuneResults *api_tuned_results(neso_tuned *tuned);
/* An empty one, and the arena that its outcome lives in. */
neso_tuning *api_tuning_new(const neso_tune_options *options, Arena **arena);
TuneOutcome *api_tuning_outcome(neso_tuning *tuning);
/* What candidates must compute, from options->references, of which there is one at least: runs
 * them on the calling thread until one comes to its end. Lives as long as the call; may be read
 * by several threads. */
typedef struct TuneSame TuneSame;
const TuneSame *api_tune_same_new(ApiCall *call, neso_kernel *kernel, const neso_tune_options *options,
				  bool on_gpu);
/* Runs a launch and compares. Its arrays are those of the references in the same order, here or on
 * another GPU, and are as they were before. A PASS writes why, an END says in diagnostics. */
TuneAnswer api_tune_same(const TuneSame *same, const neso_launch *launch, char why[TUNE_WHY],
			 neso_diagnostics **diagnostics);

/* kernel.c: a race on the calling thread's GPU, or on the CPU. same: NULL where results are not
 * looked at. */
neso_status api_tune_kernel(neso_kernel *kernel, const neso_launch *launches, size_t count,
			    const neso_tune_options *options, const TuneSame *same,
			    neso_tuning **tuning, neso_diagnostics **diagnostics);
/* The name of the parameter that a launch's argument is for; "" where there is none. */
const char *api_tune_param(const neso_kernel *kernel, const neso_launch *launch, size_t arg);
/* The first error as a clause. Frees the diagnostics. */
void api_tune_clause(char why[TUNE_WHY], neso_diagnostics *diagnostics);
/* Does an error end the race, as it is not the candidate's? */
bool api_tune_ends(neso_status status);

/* gpus.c: options->gpus at once. False: there are none beside the caller's that are like it, or it
 * did not come to an end there; nothing is said, as the caller races on its own GPU then. */
bool api_tune_on_gpus(ApiCall *call, neso_kernel *kernel, const neso_launch *launches, size_t count,
		      const neso_tune_options *options, const TuneSame *same, neso_tuning **out);
/* False after api_usage. */
bool api_read_tune_options(ApiCall *call, const neso_tune_options *given, neso_tune_options *out);
/* Runs the race and makes the handle; the caller's hooks raise no faults. */
neso_status api_tune(ApiCall *call, size_t count, const TuneHooks *hooks,
		     const neso_tune_options *options, neso_tuning **out);

#endif
