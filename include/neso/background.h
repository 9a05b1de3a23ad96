/* Neso, in the background: compiling while the program goes on, and what becomes of the values of
 * a kernel under the policy `tiered` (docs/variants.md).
 *
 * Conventions are those of neso.h. Threads belong to the context: they begin with the first work,
 * and end with neso_context_free. neso_module_free stops what is under way for its kernels, and
 * waits until it has stopped. A child of a fork has threads of its own; what its parent had begun
 * is stopped there. As with compilations on threads of the program's own, a child that is forked
 * while one is under way loads the module anew before it compiles more of it. */
#ifndef NESO_BACKGROUND_H
#define NESO_BACKGROUND_H

#include "neso/neso.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------- futures */

/* A compilation that somebody else does. */
typedef struct neso_future neso_future;

/* As neso_kernel_compile and neso_kernel_compile_for, which they return before. All that is given
 * is copied; buffers are not looked at. options->poll is called on another thread. What is wrong
 * with the arguments of the call itself is told here, all else by the future. "cuda" is the calling
 * thread's GPU. */
NESO_API neso_status neso_kernel_compile_async(neso_kernel *kernel, const char *signature,
					       const neso_compile_options *options, neso_future **future,
					       neso_diagnostics **diagnostics);
NESO_API neso_status neso_kernel_compile_for_async(neso_kernel *kernel, const neso_launch *launch,
						   neso_future **future, neso_diagnostics **diagnostics);
NESO_API bool neso_future_done(const neso_future *future);
/* For at most so many seconds, below 0 for ever: is it done? */
NESO_API bool neso_future_wait(neso_future *future, double seconds);
/* Waits; then as the compilation ended. NESO_ERROR_STOPPED: it was cancelled, or its module or
 * process went. variant lives as long as the module; diagnostics, which are NULL where there are
 * none, as long as the future. Either may be NULL. */
NESO_API neso_status neso_future_result(neso_future *future, neso_variant **variant,
					const neso_diagnostics **diagnostics);
/* What has not begun never does; what has stops soon, with nothing left of it. Does not wait.
 * False: it was done. */
NESO_API bool neso_future_cancel(neso_future *future);
/* NULL is fine. A compilation that is not done goes on, and is found by whoever asks for it next.
 * May be called after the module went. */
NESO_API void neso_future_free(neso_future *future);

/* --------------------------------------------------------------------------------------- tiers */

/* What NESO_POLICY_TIERED knows of the values of a kernel's numeric constexprs: each combination
 * with the types and options of its launches is a value. Values beyond some hundreds at a time take
 * the place of those that were not used for the longest. */
typedef struct neso_tiers {
	size_t size;
	uint64_t launches; /* that asked */
	uint32_t values; /* that are remembered */
	uint32_t compiling; /* in use often enough: their variant is being made */
	uint32_t tried; /* it is there, and launches of both are timed */
	uint32_t special; /* it was faster, and serves */
	uint32_t generic; /* it was not: the variant for all values serves */
	uint32_t failed; /* it could not be made, or strict mode forbids it: likewise */
	uint64_t compiled; /* variants made for single values so far */
} neso_tiers;
/* Set tiers->size before. */
NESO_API neso_status neso_kernel_tiers(const neso_kernel *kernel, neso_tiers *tiers);

/* For callers that launch by neso_ready: a launch's turn. To be zeroed, but for size. */
typedef struct neso_turn {
	size_t size;
	uint64_t value; /* which value of the kernel's it has; 0: none */
	bool due; /* its variant is to be made, by the caller, who then calls neso_kernel_tier_made */
	bool is_timed; /* neso_turn_begin and neso_turn_end are to surround the launch */
	bool is_special; /* the variant is for this value alone */
	bool is_settled; /* and so it stays: launches of this value need ask no more */
	bool on_gpu;
	double began;
	void *events[2];
} neso_turn;
/* As neso_kernel_find, under NESO_POLICY_TIERED: the variant that such a launch is to have now.
 * NULL: there is none yet; neso_kernel_compile_for gives the one for all values. */
NESO_API neso_variant *neso_kernel_find_tiered(neso_kernel *kernel, const neso_launch *launch,
					       neso_turn *turn);
/* variant: NULL where it could not be made. */
NESO_API void neso_kernel_tier_made(neso_kernel *kernel, uint64_t value, neso_variant *variant);
/* Nothing happens where the turn is not timed. done: false: the launch failed. */
NESO_API void neso_turn_begin(neso_kernel *kernel, neso_turn *turn, void *stream);
NESO_API void neso_turn_end(neso_kernel *kernel, neso_turn *turn, const neso_launch *launch, bool done);

#ifdef __cplusplus
}
#endif

#endif
