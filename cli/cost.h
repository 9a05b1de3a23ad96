/* What a configuration costs, read off its TTIR before anything is compiled for a GPU: bytes,
 * products, what must be held in registers and shared memory. Estimates, to leave out what cannot
 * be good and to order the rest. */
#ifndef NESO_CLI_COST_H
#define NESO_CLI_COST_H

#include "cli/cli.h"

/* Of a GPU; what is not known is that of an A100. */
typedef struct CostGpu {
	double sms, shared, bandwidth,
		products; /* of all; bytes per CTA; bytes and products per second */
	bool clusters; /* it has them, and loops with warps of their own for copies */
} CostGpu;

typedef struct Cost {
	double bytes,
		products; /* of one program: what it loads and stores, multiplications in dots */
	double staged; /* bytes of loads that feed dots in a loop's iteration: shared memory of one
			  stage */
	double carried; /* bytes that the largest loop carries: accumulators, in registers */
	double fresh; /* bytes of products in loops that are added to nothing: in registers, too */
	double largest; /* elements of the largest tile */
	double trips; /* of the loop that runs longest */
	uint64_t shapes; /* a hash of all tiles' shapes */
	bool specialised; /* a loop asks for warps of its own for copies */
} Cost;

/* What a configuration has besides its tiles. */
typedef struct CostOptions {
	uint32_t warps, stages, ctas;
} CostOptions;

CostGpu cost_gpu(neso_context *context, bool on_gpu);
/* args: values of the function's arguments, in order; known: which of them are. False after a
 * message. */
bool cost_read(neso_context *context, const char *ttir, const int64_t *args, const bool *known,
	       size_t arg_count, Cost *out);
/* Why the GPU cannot run it well with these options; NULL: it can. */
const char *cost_refuses(const Cost *cost, const CostGpu *gpu, CostOptions options);
/* Seconds of a run. */
double cost_seconds(const Cost *cost, const CostGpu *gpu, double programs, CostOptions options);

#endif
