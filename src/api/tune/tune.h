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
/* gpus.c: options->gpus at once. False: there are none beside the caller's that are like it, or it
 * did not come to an end there; nothing is said, as the caller races on its own GPU then. */
bool api_tune_on_gpus(ApiCall *call, neso_kernel *kernel, const neso_launch *launches, size_t count,
		      const neso_tune_options *options, neso_tuning **out);
/* False after api_usage. */
bool api_read_tune_options(ApiCall *call, const neso_tune_options *given, neso_tune_options *out);
/* Runs the race and makes the handle; the caller's hooks raise no faults. */
neso_status api_tune(ApiCall *call, size_t count, const TuneHooks *hooks,
		     const neso_tune_options *options, neso_tuning **out);

#endif
