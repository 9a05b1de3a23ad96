/* Arrays by words ("rand:128x64:fp16") and from files; showing and comparing them. */
#include "cli/array.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *array_alloc(size_t bytes)
{
	void *p = NULL;
	if (posix_memalign(&p, 64, bytes ? bytes : 64) != 0)
		exit(input_error("no memory for %zu bytes", bytes));
	memset(p, 0, bytes);
	return p;
}

/* ---- making ---- */

/* Uniform in [0, 1), the same on every machine: splitmix64. */
static double random_unit(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

typedef double Maker(size_t index, double value, uint64_t *state, bool is_float);

static double make_rand(size_t index, double value, uint64_t *state, bool is_float)
{
	(void)index, (void)value;
	double unit = random_unit(state);
	return is_float ? unit : floor(unit * 100);
}

static double make_randn(size_t index, double value, uint64_t *state, bool is_float)
{
	(void)index, (void)value;
	double radius = sqrt(-2 * log(1 - random_unit(state)));
	double normal = radius * cos(2 * 3.14159265358979323846 * random_unit(state));
	return is_float ? normal : nearbyint(normal * 10);
}

static double make_arange(size_t index, double value, uint64_t *state, bool is_float)
{
	(void)value, (void)state, (void)is_float;
	return (double)index;
}

static double make_full(size_t index, double value, uint64_t *state, bool is_float)
{
	(void)index, (void)state, (void)is_float;
	return value;
}

static const struct {
	const char *word;
	Maker *make;
	const char *extra; /* what a fourth part means; NULL: there is none */
	bool extra_needed;
	double value;
} makers[] = {
	{"rand", make_rand, "seed", false, 0},   {"randn", make_randn, "seed", false, 0},
	{"arange", make_arange, NULL, false, 0}, {"zeros", make_full, NULL, false, 0},
	{"ones", make_full, NULL, false, 1},     {"full", make_full, "value", true, 0},
	{"uninit", make_full, NULL, false, 0},
};
enum { MAKER_COUNT = sizeof makers / sizeof *makers };

static int find_maker(const char *text)
{
	size_t len = strcspn(text, ":");
	for (int i = 0; i < MAKER_COUNT; i++)
		if (text[len] == ':' && strlen(makers[i].word) == len && memcmp(makers[i].word, text, len) == 0)
			return i;
	return -1;
}

/* Where ".npy" ends in FILE.npy or FILE.npy:DTYPE; NULL when the text is neither. */
static const char *npy_end(const char *text)
{
	for (const char *at = text; (at = strstr(at, ".npy")); at++)
		if (at[4] == 0 || (at[4] == ':' && neso_dtype_of(at + 5)))
			return at + 4;
	return NULL;
}

bool array_is(const char *text)
{
	return find_maker(text) >= 0 || npy_end(text);
}

int array_meant(const char *text)
{
	size_t len = strcspn(text, ":"), all = strlen(text);
	Nearest nearest;
	nearest_begin(&nearest, text, len);
	for (int i = 0; i < MAKER_COUNT; i++)
		nearest_look(&nearest, makers[i].word);
	if (all > 4 && strcmp(text + all - 4, ".npz") == 0)
		return usage_error("'%s': arrays are read from .npy files, one each (numpy.save)", text);
	if (strpbrk(text, "./") && access(text, F_OK) == 0)
		return usage_error("'%s' is there, and arrays are read from .npy files (numpy.save)", text);
	if (text[len] != ':' || !nearest.known)
		return EXIT_DONE;
	return usage_error("'%s': no way to make an array is called '%.*s'%s", text, (int)len, text, nearest_text(&nearest, ""));
}

bool shape_parse(const char *text, size_t len, int *rank, int64_t *shape)
{
	*rank = 0;
	for (const char *at = text, *stop = text + len; at < stop;) {
		char *end;
		errno = 0;
		long long size = strtoll(at, &end, 10);
		if (end == at || errno || size < 0 || *rank == ARRAY_MAX_RANK ||
		    (end < stop && *end != 'x' && *end != ',') || end > stop)
			return false;
		shape[(*rank)++] = size;
		at = end + 1;
	}
	return true;
}

static bool is_float(neso_dtype dtype)
{
	return dtype >= NESO_FP8E5;
}

static void fill(Array *out, Maker *make, double value, uint64_t seed)
{
	size_t size = neso_dtype_size(out->dtype);
	uint64_t state = seed;
	for (size_t i = 0; i < out->count; i++) {
		double element = make(i, value, &state, is_float(out->dtype));
		if (out->dtype == NESO_INT1)
			element = fmod(element, 2);
		neso_dtype_convert(out->dtype, (char *)out->data + i * size, NESO_FP64, &element, 1);
	}
}

/* A seed that differs by text, so that two arrays of one command line differ. */
static uint64_t seed_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static int make_by_word(int which, const char *text, Array *out)
{
	const char *shape = strchr(text, ':') + 1, *dtype = strchr(shape, ':');
	const char *extra = dtype ? strchr(dtype + 1, ':') : NULL;
	memset(out, 0, sizeof *out);
	out->dtype = NESO_FP32;
	if (dtype) {
		char *name = take_text(dtype + 1, extra ? (size_t)(extra - dtype - 1) : strlen(dtype + 1));
		out->dtype = neso_dtype_of(name);
		if (!out->dtype)
			return usage_error("'%s': no dtype '%s' (neso info lists them)", text, name);
	}
	if (!shape_parse(shape, dtype ? (size_t)(dtype - shape) : strlen(shape), &out->rank, out->shape))
		return usage_error("'%s': a shape is 1024 or 128x64", text);
	out->count = 1;
	for (int i = 0; i < out->rank; i++) {
		if (out->shape[i] && out->count > ((size_t)1 << 40) / (size_t)out->shape[i])
			return usage_error("'%s' is too large", text);
		out->count *= (size_t)out->shape[i];
	}
	char *end = NULL;
	double value = extra ? strtod(extra + 1, &end) : makers[which].value;
	if ((extra && (!makers[which].extra || end == extra + 1 || *end)) || (!extra && makers[which].extra_needed))
		return usage_error("'%s': %s is %s:SHAPE:DTYPE%s%s", text, makers[which].word, makers[which].word,
			    makers[which].extra ? ":" : "", makers[which].extra ? makers[which].extra : "");
	out->bytes = out->count * neso_dtype_size(out->dtype);
	out->data = array_alloc(out->bytes);
	out->unwritten = strcmp(makers[which].word, "uninit") == 0;
	if (out->unwritten) {
		memset(out->data, 0xff, out->bytes); /* NaN, -1 */
		return EXIT_DONE;
	}
	fill(out, makers[which].make, value, extra ? (uint64_t)value : seed_of(text));
	return EXIT_DONE;
}

/* The bits of integers, or the values of anything else, as `dtype`. */
static void read_as(Array *array, neso_dtype dtype)
{
	bool raw = array->dtype >= NESO_UINT8 && array->dtype <= NESO_UINT64 && is_float(dtype) &&
		   neso_dtype_size(dtype) == neso_dtype_size(array->dtype);
	if (!raw) {
		void *converted = array_alloc(array->count * neso_dtype_size(dtype));
		neso_dtype_convert(dtype, converted, array->dtype, array->data, array->count);
		array->data = converted;
		array->bytes = array->count * neso_dtype_size(dtype);
	}
	array->dtype = dtype;
}

int array_make(const char *text, Array *out)
{
	int which = find_maker(text);
	if (which >= 0)
		return make_by_word(which, text, out);
	const char *end = npy_end(text);
	if (!end)
		return usage_error("'%s' is no array: FILE.npy, rand:SHAPE:DTYPE, zeros:SHAPE:DTYPE, ... (--help)", text);
	if (!npy_read(take_text(text, (size_t)(end - text)), out))
		return EXIT_INPUT;
	if (*end)
		read_as(out, neso_dtype_of(end + 1));
	return EXIT_DONE;
}

Array array_copy(const Array *array)
{
	Array copy = *array;
	copy.data = array_alloc(array->bytes);
	memcpy(copy.data, array->data, array->bytes);
	return copy;
}

bool array_write(const char *where, const Array *array)
{
	const char *end = npy_end(where);
	Array out = *array;
	if (end && *end) {
		out.dtype = neso_dtype_of(end + 1);
		out.bytes = out.count * neso_dtype_size(out.dtype);
		out.data = array_alloc(out.bytes);
		neso_dtype_convert(out.dtype, out.data, array->dtype, array->data, array->count);
	}
	return npy_write(end ? take_text(where, (size_t)(end - where)) : where, &out);
}

/* ---- looking ---- */

bool array_equal(const Array *a, const Array *b)
{
	return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

double *array_doubles(const Array *array)
{
	double *out = take(array->count * sizeof *out);
	neso_dtype_convert(NESO_FP64, out, array->dtype, array->data, array->count);
	return out;
}

Difference array_difference(const Array *got_array, const Array *want_array, double atol, double rtol)
{
	Difference d = {0};
	double *want = array_doubles(want_array), *got = array_doubles(got_array);
	for (size_t i = 0; i < want_array->count; i++) {
		bool same = want[i] == got[i] || (isnan(want[i]) && isnan(got[i])) ||
			    fabs(want[i] - got[i]) <= atol + rtol * fabs(want[i]);
		if (!same && !d.wrong++)
			d = (Difference){1, i, got[i], want[i]};
	}
	free(want);
	free(got);
	return d;
}

static void print_head(const char *name, const Array *array)
{
	printf("%s: %s[", name, neso_dtype_name(array->dtype));
	for (int i = 0; i < array->rank; i++)
		printf(i ? ", %lld" : "%lld", (long long)array->shape[i]);
	printf("]");
}

enum { SHOWN = 6 }; /* elements of a summary */

typedef struct Summary {
	double low, high, mean;
} Summary;

static Summary summarize(const double *v, size_t count)
{
	Summary s = {INFINITY, -INFINITY, 0};
	for (size_t i = 0; i < count; i++) {
		s.low = v[i] < s.low ? v[i] : s.low;
		s.high = v[i] > s.high ? v[i] : s.high;
		s.mean += v[i];
	}
	s.mean /= (double)count;
	return s;
}

void array_print_summary(const char *name, const Array *array)
{
	double *v = array_doubles(array);
	Summary s = summarize(v, array->count);
	print_head(name, array);
	if (array->count)
		printf("  min %.6g  max %.6g  mean %.6g ", s.low, s.high, s.mean);
	for (size_t i = 0; i < array->count && i < SHOWN; i++)
		printf(" %.6g", v[i]);
	puts(array->count > SHOWN ? " ..." : "");
	free(v);
}

static void print_number(double v)
{
	if (isfinite(v))
		printf("%.17g", v);
	else
		printf("\"%s\"", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static void print_member(const char *name, double v)
{
	printf(", \"%s\": ", name);
	print_number(v);
}

void array_print_json(const char *name, const Array *array, bool changed, bool all)
{
	double *v = array_doubles(array);
	Summary s = summarize(v, array->count);
	printf("{\"name\": ");
	print_json_text(name);
	printf(", \"dtype\": \"%s\", \"shape\": [", neso_dtype_name(array->dtype));
	for (int i = 0; i < array->rank; i++)
		printf(i ? ", %lld" : "%lld", (long long)array->shape[i]);
	printf("], \"changed\": %s", changed ? "true" : "false");
	if (array->count) {
		print_member("min", s.low);
		print_member("max", s.high);
		print_member("mean", s.mean);
	}
	printf(", \"%s\": [", all ? "values" : "first");
	for (size_t i = 0; i < array->count && (all || i < SHOWN); i++) {
		printf(i ? ", " : "");
		print_number(v[i]);
	}
	printf("]}");
	free(v);
}

void array_print_all(const char *name, const Array *array)
{
	double *v = array_doubles(array);
	size_t row = array->rank ? (size_t)array->shape[array->rank - 1] : 1;
	print_head(name, array);
	putchar('\n');
	for (size_t i = 0; i < array->count; i++)
		printf(is_float(array->dtype) ? "%.9g%c" : "%.0f%c", v[i], (i + 1) % row ? ' ' : '\n');
	free(v);
}
