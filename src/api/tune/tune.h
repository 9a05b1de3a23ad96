/* Inside the API: what the files of tuning share. */
#ifndef NESO_API_TUNE_H
#define NESO_API_TUNE_H

#include "api/inner.h"
#include "neso/tune.h"
#include "tune/race.h"
#include "tune/results.h"

TuneResults *api_tuned_results(neso_tuned *tuned);
/* False after api_usage. */
bool api_read_tune_options(ApiCall *call, const neso_tune_options *given, neso_tune_options *out);
/* Runs the race and makes the handle; the caller's hooks raise no faults. */
neso_status api_tune(ApiCall *call, size_t count, const TuneHooks *hooks,
		     const neso_tune_options *options, neso_tuning **out);

#endif
