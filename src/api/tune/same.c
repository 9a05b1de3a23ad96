/* Do candidates compute what others do? A search tries sizes that the kernel may not be right
 * for: a block that must cover a row, a grid that must cover an array. A reference runs first;
 * what it leaves in each array is kept in host memory, and so is what was there before, which
 * each run that is looked at begins with. */
#include "api/tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sums in another order and products of another shape round otherwise: by a few units in the last
 * place of what is summed, which is of the size of the array's values. */
static const double near = 0.01;

enum { CHUNK = 4096 };

typedef struct Held {
	neso_dtype dtype;
	size_t bytes;
	char *before, *expected;
	double size; /* root mean square of the finite values that are expected */
} Held;

struct TuneSame {
	neso_kernel *kernel;
	bool on_gpu;
	Held *held; /* of each array in the order of arguments */
	size_t count;
};

static bool is_array(const neso_arg *arg)
{
	return arg->kind != NESO_ARG_VALUE && arg->bytes;
}

static void *begin_of(const neso_arg *arg)
{
	return arg->buffer ? arg->buffer : arg->address;
}

static neso_status copy(const TuneSame *s, void *to, const void *from, size_t bytes,
			neso_diagnostics **diagnostics)
{
	if (s->on_gpu)
		return neso_gpu_copy(s->kernel->module->context, to, from, bytes, NULL, diagnostics);
	memcpy(to, from, bytes);
	return NESO_OK;
}

static const neso_arg *array_of(const neso_launch *launch, size_t number)
{
	for (size_t i = 0; i < launch->arg_count; i++)
		if (is_array(&launch->args[i]) && !number--)
			return &launch->args[i];
	return NULL;
}

static neso_status put_back(const TuneSame *s, const neso_launch *launch, neso_diagnostics **diagnostics)
{
	neso_status status = NESO_OK;
	for (size_t k = 0; k < s->count && status == NESO_OK; k++)
		status = copy(s, begin_of(array_of(launch, k)), s->held[k].before, s->held[k].bytes,
			      diagnostics);
	return status;
}

static neso_status run(const TuneSame *s, const neso_launch *given, neso_diagnostics **diagnostics)
{
	neso_launch launch = *given;
	launch.stream = NULL; /* that of the copies */
	neso_status status = put_back(s, given, diagnostics);
	return status == NESO_OK ? neso_kernel_launch(s->kernel, &launch, NULL, diagnostics) : status;
}

/* ---- what is expected ---- */

static double size_of(const Held *held)
{
	double values[CHUNK], squares = 0;
	const size_t each = neso_dtype_size(held->dtype), all = held->bytes / each;
	size_t finite = 0;
	for (size_t at = 0; at < all; at += CHUNK) {
		const size_t count = MIN(all - at, (size_t)CHUNK);
		neso_dtype_convert(NESO_FP64, values, held->dtype, held->expected + at * each, count);
		for (size_t i = 0; i < count; i++)
			if (isfinite(values[i])) {
				squares += values[i] * values[i];
				finite++;
			}
	}
	return finite ? sqrt(squares / (double)finite) : 0;
}

static bool is_named(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] && strcmp(names[i], name) == 0)
			return true;
	return false;
}

static neso_status hold(TuneSame *s, ApiCall *call, const neso_launch *launch,
			const neso_tune_options *options)
{
	s->held = ARENA_ARRAY(&call->arena, Held, launch->arg_count + 1);
	for (size_t i = 0; i < launch->arg_count; i++) {
		const neso_arg *arg = &launch->args[i];
		if (!is_array(arg))
			continue;
		Held *held = &s->held[s->count++];
		*held = (Held){.dtype = arg->dtype, .bytes = arg->bytes};
		held->before = arena_alloc_raw(&call->arena, held->bytes, 16);
		held->expected = arena_alloc_raw(&call->arena, held->bytes, 16);
		neso_status status = copy(s, held->before, begin_of(arg), held->bytes, NULL);
		if (status != NESO_OK)
			return status;
		if (is_named(api_tune_param(s->kernel, launch, i), options->zero, options->zero_count))
			memset(held->before, 0, held->bytes);
	}
	return NESO_OK;
}

/* True: it ran, and what it gave is what is expected. */
static bool take_expected(TuneSame *s, const neso_launch *launch)
{
	neso_status status = run(s, launch, NULL);
	for (size_t k = 0; k < s->count && status == NESO_OK; k++) {
		Held *held = &s->held[k];
		status = copy(s, held->expected, begin_of(array_of(launch, k)), held->bytes, NULL);
		held->size = held->dtype >= NESO_FP8E5 ? size_of(held) : 0;
	}
	return put_back(s, launch, NULL) == NESO_OK && status == NESO_OK;
}

const TuneSame *api_tune_same_new(ApiCall *call, neso_kernel *kernel, const neso_tune_options *options,
				  bool on_gpu)
{
	TuneSame *s = ARENA_NEW(&call->arena, TuneSame);
	*s = (TuneSame){.kernel = kernel, .on_gpu = on_gpu};
	if (hold(s, call, &options->references[0], options) == NESO_OK)
		for (size_t i = 0; i < options->reference_count; i++)
			if (take_expected(s, &options->references[i]))
				return s;
	s->held = NULL;
	return s;
}

/* ---- is it the same? ---- */

/* What a unit in the last place is at most, of a value's. */
static double unit_of(neso_dtype dtype)
{
	switch (dtype) {
	case NESO_FP8E5:
	case NESO_FP8E5B16: return 1.0 / 4;
	case NESO_FP8E4NV:
	case NESO_FP8E4B8:
	case NESO_FP8E4B15: return 1.0 / 8;
	case NESO_BF16: return 1.0 / 128;
	default: return 0;
	}
}

static bool is_near(double x, double expected, double unit, double size)
{
	if (isnan(x) || isnan(expected))
		return isnan(x) && isnan(expected);
	if (isinf(x) || isinf(expected))
		return x == expected;
	return fabs(x - expected) <= MAX(2 * unit, near) * fabs(expected) + near * size;
}

/* The first element that differs; SIZE_MAX: none. */
static size_t first_other(const Held *held, const char *found)
{
	double x[CHUNK], expected[CHUNK];
	const size_t each = neso_dtype_size(held->dtype), all = held->bytes / each;
	for (size_t at = 0; at < all; at += CHUNK) {
		const size_t count = MIN(all - at, (size_t)CHUNK);
		const char *a = found + at * each, *b = held->expected + at * each;
		if (memcmp(a, b, count * each) == 0)
			continue;
		neso_dtype_convert(NESO_FP64, x, held->dtype, a, count);
		neso_dtype_convert(NESO_FP64, expected, held->dtype, b, count);
		for (size_t i = 0; i < count; i++)
			if (held->dtype < NESO_FP8E5 ? memcmp(a + i * each, b + i * each, each) != 0
						     : !is_near(x[i], expected[i], unit_of(held->dtype),
								held->size))
				return at + i;
	}
	return SIZE_MAX;
}

static TuneAnswer compare(const TuneSame *s, const neso_launch *launch, char why[TUNE_WHY],
			  neso_diagnostics **diagnostics)
{
	for (size_t k = 0, i = 0; k < s->count; i++) {
		if (!is_array(&launch->args[i]))
			continue;
		const Held *held = &s->held[k++];
		char *found = heap_aligned(16, held->bytes);
		const bool read = found && copy(s, found, begin_of(&launch->args[i]), held->bytes,
						diagnostics) == NESO_OK;
		const size_t other = read ? first_other(held, found) : SIZE_MAX;
		free(found);
		if (!read)
			return TUNE_END;
		if (other == SIZE_MAX)
			continue;
		snprintf(why, TUNE_WHY, "its results are others: %s differs at element %zu",
			 api_tune_param(s->kernel, launch, i), other);
		return TUNE_PASS;
	}
	return TUNE_GOOD;
}

TuneAnswer api_tune_same(const TuneSame *s, const neso_launch *launch, char why[TUNE_WHY],
			 neso_diagnostics **diagnostics)
{
	if (!s->held) {
		snprintf(why, TUNE_WHY, "nothing that is listed runs, so its results cannot be compared");
		return TUNE_PASS;
	}
	neso_status status = run(s, launch, diagnostics);
	TuneAnswer answer = TUNE_PASS;
	if (status == NESO_OK)
		answer = compare(s, launch, why, diagnostics);
	else if (api_tune_ends(status))
		return TUNE_END;
	else {
		api_tune_clause(why, *diagnostics);
		*diagnostics = NULL;
	}
	if (answer == TUNE_END || put_back(s, launch, diagnostics) != NESO_OK)
		return TUNE_END;
	return answer;
}
