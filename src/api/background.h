/* Work that the caller does not wait for: a queue with threads for each context (background.c), the
 * compilations in it (future.c), and what becomes of values under the policy `tiered` (tier.c). */
#ifndef NESO_API_BACKGROUND_H
#define NESO_API_BACKGROUND_H

#include "api/inner.h"
#include "neso/background.h"

/* ---- background.c ---- */

typedef struct ApiJob ApiJob;
struct ApiJob {
	ApiJob *next;
	const neso_module *module; /* whose end waits for it */
	void (*run)(ApiJob *job); /* on another thread */
	void (*drop)(ApiJob *job); /* in its place: it is not to be done any more */
	void (*free)(ApiJob *job); /* after either, when nobody here looks at it any more */
	atomic_bool stop; /* to be asked while it runs */
};

/* False: there is no thread for it, and nothing happened. */
bool api_background_add(neso_context *context, ApiJob *job);
/* Takes back one that waits; false: it does not wait any more. */
bool api_background_take(neso_context *context, ApiJob *job);
/* Drops what waits of a module, stops what runs, and waits for that. */
void api_background_forget(const neso_module *module);
void api_background_end(neso_context *context); /* of which no module is left */

/* ---- future.c ---- */

/* What is to be told when it is done, on the thread that did it, or where it was dropped. */
typedef void ApiFutureDone(void *data, neso_kernel *kernel, neso_variant *variant);
/* For the arguments of a launch; the variant is loaded into the GPU, too. False: it cannot be. */
bool api_future_begin(neso_kernel *kernel, const neso_launch *launch, ApiFutureDone *done, void *data);

/* ---- tier.c ---- */

/* Of neso_kernel.tier. */
void api_tier_free(neso_kernel *kernel);
/* The launch is of the policy `tiered`, and of structs of this version. */
bool api_is_tiered(const neso_kernel *kernel, const neso_launch *launch);
/* As neso_kernel_launch, for such. */
neso_status api_tiered_launch(neso_kernel *kernel, const neso_launch *launch, neso_launch_result *result,
			      neso_diagnostics **diagnostics);

/* ---- launch.c ---- */

/* dispatch: what the launch was found to be like, or NULL. by: the key by which it is remembered on
 * the CPU, or NULL. */
neso_status api_launch(neso_kernel *kernel, const neso_launch *launch, const JitDispatch *dispatch,
		       const ApiKey *by, neso_launch_result *result, neso_diagnostics **diagnostics);

#endif
