/* The compile matrix: every matmul of a set, compiled and simulated. matrix.c chooses cases and reports, group.c does them. */
#ifndef NESO_TEST_MATRIX_H
#define NESO_TEST_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MATRIX_DIMS = 7, MATRIX_TARGETS = 4, MATRIX_STAGES = 8 };

typedef enum MatrixDim { DIM_KIND, DIM_ORDER, DIM_ACCESS, DIM_MASK, DIM_M, DIM_N, DIM_K } MatrixDim;

/* A group is a program: what is left of a case are the target and the stage count. */
typedef struct MatrixGroup {
	unsigned at[MATRIX_DIMS]; /* index of the value along each dim */
	uint64_t hash;            /* decides what the dims leave open: warps, sizes, strides */
	bool target[MATRIX_TARGETS], stages[MATRIX_STAGES + 1];
	unsigned warps;           /* 0: the hash decides */
} MatrixGroup;

typedef struct MatrixDimInfo {
	const char *name;
	unsigned count;
	const char *values[10];
} MatrixDimInfo;

extern const MatrixDimInfo matrix_dims[MATRIX_DIMS];
extern const char *const matrix_targets[MATRIX_TARGETS];

typedef enum MatrixResult {
	MATRIX_OK,
	MATRIX_REFUSED,  /* the target cannot; says why */
	MATRIX_COMPILE,
	MATRIX_RUN,      /* the simulator found something */
	MATRIX_WRONG,
	MATRIX_PTXAS,
	MATRIX_CRASHED,
	MATRIX__COUNT
} MatrixResult;

/* Takes a line for each case that is not OK, and the counts. */
typedef struct MatrixReport {
	char key[160];
	unsigned warps, count[MATRIX__COUNT], simulated, assembled;
	unsigned spilled; /* of those assembled */
	size_t len;
	char text[1 << 16];
} MatrixReport;

typedef struct MatrixOptions {
	const char *kernels;
	unsigned ptxas; /* every so many of the cases also go through ptxas; 0: none */
	unsigned each;  /* cases of a group; 0: all */
	bool check;     /* races, in the simulator */
} MatrixOptions;

void matrix_key(const MatrixGroup *g, char *out, size_t room);
void matrix_run(const MatrixOptions *options, const MatrixGroup *g, MatrixReport *report);

#endif
