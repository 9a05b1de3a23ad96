/* A race on several GPUs of one kind: each has a share of the candidates, with copies of the
 * arrays, all at the same time; what its share does not leave behind by far runs once more on the
 * caller's GPU, where it is compared. So the choice is made by times of one GPU. */
#include "api/tune/tune.h"

#include <pthread.h>
#include <stdlib.h>

/* Slower by more in a share is not raced again: GPUs of one kind differ by less. */
static const double margin = 1.05;

typedef struct Share Share;
typedef struct Gpus {
	neso_kernel *kernel;
	neso_context *context;
	const neso_launch *launches;
	size_t count;
	neso_tune_options options; /* as the caller has them */
	const TuneSame *same; /* NULL: results are not looked at */
	Share *shares;
	uint32_t share_count;
	TuneCandidate *found; /* of each candidate */
	bool *final;
} Gpus;

/* A race among some of the candidates. */
struct Share {
	Gpus *gpus;
	uint32_t device;
	size_t *numbers, count; /* of its candidates */
	neso_launch *launches;
	bool reports; /* progress */
	neso_tuning *tuning;
	neso_status status;
	neso_diagnostics *diagnostics;
	pthread_t thread;
};

static double run_time(void *data, size_t candidate)
{
	const Share *share = data;
	const neso_tune_options *o = &share->gpus->options;
	return o->run_time(o->data, share->numbers[candidate]);
}

static double now(void *data)
{
	const Share *share = data;
	return share->gpus->options.now(share->gpus->options.data);
}

static void progress(void *data, size_t candidate, size_t done, size_t all)
{
	const Share *share = data;
	const neso_tune_options *o = &share->gpus->options;
	if (share->reports)
		o->progress(o->data, share->numbers[candidate], done, all);
}

static void race(Share *share, double part)
{
	neso_tune_options o = share->gpus->options;
	o.gpus = 0;
	o.budget *= part;
	o.threads = o.threads ? (o.threads + share->gpus->share_count - 1) / share->gpus->share_count : 0;
	o.run_time = o.run_time ? run_time : NULL;
	o.now = o.now ? now : NULL;
	o.progress = o.progress ? progress : NULL;
	o.data = share;
	share->status = api_tune_kernel(share->gpus->kernel, share->launches, share->count, &o,
					share->gpus->same, &share->tuning, &share->diagnostics);
}

/* ---- another GPU's arrays ---- */

typedef struct Copy {
	void *from, *to;
	size_t bytes;
} Copy;

static void *begin_of(const neso_arg *arg)
{
	return arg->buffer ? arg->buffer : arg->address;
}

static bool has_memory(const neso_arg *arg)
{
	return arg->kind != NESO_ARG_VALUE && arg->address;
}

static Copy *copy_of(Copy *copies, size_t count, const neso_arg *arg)
{
	for (size_t i = 0; i < count; i++)
		if (copies[i].from == begin_of(arg) && copies[i].bytes >= arg->bytes)
			return &copies[i];
	return NULL;
}

/* What a launch writes to must be its own; all that arguments name is copied. */
static neso_status copy_array(Share *share, Copy *copies, size_t *count, neso_arg *arg)
{
	neso_context *context = share->gpus->context;
	Copy *copy = copy_of(copies, *count, arg);
	neso_status status = NESO_OK;
	if (!copy) {
		copy = &copies[(*count)++];
		*copy = (Copy){.from = begin_of(arg), .bytes = arg->bytes};
		status = neso_gpu_alloc(context, copy->bytes, &copy->to, &share->diagnostics);
		if (status == NESO_OK)
			status = neso_gpu_copy(context, copy->to, copy->from, copy->bytes, NULL,
					       &share->diagnostics);
	}
	if (status != NESO_OK)
		return status;
	arg->address = (char *)copy->to + ((char *)arg->address - (char *)copy->from);
	arg->buffer = arg->buffer ? copy->to : NULL;
	return NESO_OK;
}

static neso_status copy_arrays(Share *share, Copy *copies, size_t *count)
{
	for (size_t i = 0; i < share->count; i++) {
		neso_arg *args = (neso_arg *)(uintptr_t)share->launches[i].args;
		for (size_t k = 0; k < share->launches[i].arg_count; k++) {
			const neso_status status =
				has_memory(&args[k]) ? copy_array(share, copies, count, &args[k]) : NESO_OK;
			if (status != NESO_OK)
				return status;
		}
	}
	return NESO_OK;
}

static void *work(void *data)
{
	Share *share = data;
	neso_context *context = share->gpus->context;
	size_t arrays = 0, count = 0;
	for (size_t i = 0; i < share->count; i++)
		arrays += share->launches[i].arg_count;
	Copy *copies = calloc(arrays + 1, sizeof *copies);
	share->status = NESO_ERROR_MEMORY;
	if (copies)
		share->status = neso_gpu_use(context, share->device, &share->diagnostics);
	if (copies && share->status == NESO_OK)
		share->status = copy_arrays(share, copies, &count);
	if (copies && share->status == NESO_OK)
		race(share, 0.6);
	for (size_t i = 0; i < count; i++)
		neso_gpu_free(context, copies[i].to);
	free(copies);
	return NULL;
}

/* ---- shares ---- */

static void share_out(Gpus *g, Arena *arena)
{
	for (uint32_t s = 0; s < g->share_count; s++) {
		Share *share = &g->shares[s];
		share->gpus = g;
		share->reports = s == 0;
		share->numbers = ARENA_ARRAY(arena, size_t, g->count + 1);
		share->launches = ARENA_ARRAY(arena, neso_launch, g->count + 1);
		for (size_t i = s; i < g->count; i += g->share_count) {
			neso_launch *launch = &share->launches[share->count];
			*launch = g->launches[i];
			launch->args = arena_copy(arena, launch->args,
						  launch->arg_count * sizeof *launch->args);
			share->numbers[share->count++] = i;
		}
	}
}

/* What a share found; of one that failed all race again. */
static void take_found(Gpus *g, const Share *share)
{
	for (size_t i = 0; i < share->count; i++) {
		const size_t number = share->numbers[i];
		TuneCandidate *c = &g->found[number];
		if (share->status != NESO_OK) {
			g->final[number] = true;
			continue;
		}
		*c = api_tuning_outcome(share->tuning)->candidates[i];
		const bool ran = c->state == TUNE_CHOSEN || c->state == TUNE_CLOSE ||
				 (c->state == TUNE_SLOWER && c->low < margin);
		g->final[number] = ran;
	}
}

static void run_shares(Gpus *g)
{
	for (uint32_t s = 1; s < g->share_count; s++) {
		Share *share = &g->shares[s];
		if (pthread_create(&share->thread, NULL, work, share) != 0)
			share->device = UINT32_MAX;
	}
	race(&g->shares[0], 0.6);
	for (uint32_t s = 1; s < g->share_count; s++) {
		Share *share = &g->shares[s];
		if (share->device == UINT32_MAX)
			share->status = NESO_ERROR_MEMORY;
		else
			pthread_join(share->thread, NULL);
	}
	for (uint32_t s = 0; s < g->share_count; s++)
		take_found(g, &g->shares[s]);
}

/* Those that are left, on the caller's GPU. */
static void run_final(Gpus *g, Share *final, Arena *arena)
{
	*final = (Share){.gpus = g, .reports = true};
	final->numbers = ARENA_ARRAY(arena, size_t, g->count + 1);
	final->launches = ARENA_ARRAY(arena, neso_launch, g->count + 1);
	for (size_t i = 0; i < g->count; i++)
		if (g->final[i]) {
			final->launches[final->count] = g->launches[i];
			final->numbers[final->count++] = i;
		}
	if (final->count)
		race(final, 0.4);
}

static void put_together(Gpus *g, const Share *final, neso_tuning **out)
{
	Arena *arena;
	neso_tuning *tuning = api_tuning_new(&g->options, &arena);
	TuneOutcome *to = api_tuning_outcome(tuning);
	if (final->tuning)
		*to = *api_tuning_outcome(final->tuning);
	to->candidates = ARENA_ARRAY(arena, TuneCandidate, g->count + 1);
	to->count = (uint32_t)g->count;
	to->chosen = to->count;
	for (size_t i = 0; i < g->count; i++)
		to->candidates[i] = g->found[i];
	for (size_t i = 0; final->tuning && i < final->count; i++) {
		to->candidates[final->numbers[i]] = api_tuning_outcome(final->tuning)->candidates[i];
		if (to->candidates[final->numbers[i]].state == TUNE_CHOSEN)
			to->chosen = (uint32_t)final->numbers[i];
	}
	for (size_t i = 0; i < g->count; i++)
		if (to->candidates[i].why)
			to->candidates[i].why = arena_strdup(arena, to->candidates[i].why);
	for (uint32_t s = 0; s < g->share_count; s++) {
		const TuneOutcome *o =
			g->shares[s].tuning ? api_tuning_outcome(g->shares[s].tuning) : NULL;
		to->seconds += o && s == 0 ? o->seconds : 0;
		to->out_of_time |= o && o->out_of_time;
	}
	*out = tuning;
}

/* ---- which GPUs ---- */

static bool is_like(neso_context *context, uint32_t index, const neso_gpu *own)
{
	neso_gpu gpu = {.size = sizeof gpu};
	return neso_gpu_get(context, index, &gpu, NULL) == NESO_OK && gpu.capability == own->capability &&
	       gpu.sms == own->sms && gpu.shared_cta == own->shared_cta;
}

/* Can all that launches reach be copied? */
static bool can_copy(const neso_launch *launches, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (launches[i].buffer_count)
			return false;
		for (size_t k = 0; k < launches[i].arg_count; k++)
			if (has_memory(&launches[i].args[k]) && !launches[i].args[k].bytes)
				return false;
	}
	return true;
}

static void find_gpus(Gpus *g, Arena *arena)
{
	uint32_t all = 0, current = 0;
	neso_gpu own = {.size = sizeof own};
	const size_t most = MIN((size_t)g->options.gpus, g->count);
	g->shares = ARENA_ARRAY(arena, Share, most + 1);
	if (neso_gpu_current(g->context, &current, NULL) != NESO_OK ||
	    neso_gpu_get(g->context, current, &own, NULL) != NESO_OK ||
	    neso_gpu_count(g->context, &all, NULL) != NESO_OK || !can_copy(g->launches, g->count))
		return;
	g->shares[g->share_count++].device = current;
	for (uint32_t i = 0; i < all && g->share_count < most; i++)
		if (i != current && is_like(g->context, i, &own))
			g->shares[g->share_count++].device = i;
}

static void free_share(Share *share)
{
	neso_tuning_free(share->tuning);
	neso_diagnostics_free(share->diagnostics);
}

bool api_tune_on_gpus(ApiCall *call, neso_kernel *kernel, const neso_launch *launches, size_t count,
		      const neso_tune_options *options, const TuneSame *same, neso_tuning **out)
{
	Gpus g = {.kernel = kernel,
		  .context = kernel->module->context,
		  .launches = launches,
		  .count = count,
		  .options = *options,
		  .same = same};
	Share final;
	find_gpus(&g, &call->arena);
	if (g.share_count < 2)
		return false;
	g.found = ARENA_ARRAY(&call->arena, TuneCandidate, count + 1);
	g.final = ARENA_ARRAY(&call->arena, bool, count + 1);
	share_out(&g, &call->arena);
	run_shares(&g);
	run_final(&g, &final, &call->arena);
	const bool good = final.status == NESO_OK;
	if (good)
		put_together(&g, &final, out);
	for (uint32_t s = 0; s < g.share_count; s++)
		free_share(&g.shares[s]);
	free_share(&final);
	return good;
}
