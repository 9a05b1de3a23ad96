/* Arrays of the command line: made by a word, read from and written to .npy files, shown, compared. */
#ifndef NESO_CLI_ARRAY_H
#define NESO_CLI_ARRAY_H

#include "cli/cli.h"

enum { ARRAY_MAX_RANK = 8 };

typedef struct Array {
	neso_dtype dtype;
	int rank;
	int64_t shape[ARRAY_MAX_RANK];
	size_t count, bytes; /* elements; bytes of data */
	void *data;          /* row-major; aligned to 64 */
	bool unwritten;      /* made as nothing that anybody has written */
} Array;

/* Is the text an array (a .npy file, or one of the words below) and no scalar? */
bool array_is(const char *text);
/* No array, and most likely meant as one ("rnd:5:fp32", "x.npz"): says so, and gives the exit status; else EXIT_DONE. */
int array_meant(const char *text);
/* FILE.npy[:DTYPE], rand:SHAPE:DTYPE[:SEED], randn:..., arange:..., zeros:SHAPE:DTYPE, ones:...,
 * full:SHAPE:DTYPE:VALUE, uninit:.... The exit status: not EXIT_DONE after a message. */
int array_make(const char *text, Array *out);
bool shape_parse(const char *text, size_t len, int *rank, int64_t *shape); /* "128x64" or "128,64" */
Array array_copy(const Array *array);
/* "FILE.npy[:DTYPE]": converted to DTYPE when it is given. False after a message. */
bool array_write(const char *where, const Array *array);
bool array_equal(const Array *a, const Array *b); /* bytes */
double *array_doubles(const Array *array);
/* How two arrays of one size differ: in so many elements, of which this is the first. */
typedef struct Difference {
	size_t wrong, first;
	double got, want;
} Difference;
Difference array_difference(const Array *got, const Array *want, double atol, double rtol);
/* "name  fp32[128, 64]  min .. max .. mean ..  first values" */
void array_print_summary(const char *name, const Array *array);
void array_print_all(const char *name, const Array *array);
/* An object: name, dtype, shape, changed, min, max, mean, and "values" where `all` of them are wanted, else the "first". What no JSON number is
 * (NaN, infinities) is text. */
void array_print_json(const char *name, const Array *array, bool changed, bool all);
void *array_alloc(size_t bytes); /* zeroed, aligned to 64 */
/* npy.c */
bool npy_read(const char *path, Array *out);
bool npy_write(const char *path, const Array *array);

#endif
