/* The differential tester: random tile programs, run by two engines that must agree.
 *
 * A Program is a list of statements over earlier statements' values; program_check gives each value a type and a range, and refuses what has
 * no defined result or one that depends on the order of float sums. program_print makes of it a Case: Triton source and the arguments of a
 * launch. A Case is all that is run and kept; the Program behind it is what a difference is shrunk on.
 *
 *	generate.c, propose*.c  seed -> Program
 *	check*.c                types and ranges
 *	print*.c                Program -> Case
 *	products.c              seed -> Case: products tile by tile, which are not shrunk
 *	loops.c                 seed -> Case: loops of products and what stands beside them
 *	states.c                seed -> Case: loops that carry tiles from product to product
 *	rows.c                  seed -> Case: kernels that walk along rows
 *	memory.c                seed -> Case: loads and stores that passes join, hold, forward
 *	cycles.c                seed -> Case: loops with one counter over tiles and their parts
 *	forms.c                 seed -> Case: products in loops of every form of the language
 *	case.c                  Case <-> file
 *	run.c                   Case -> Outcome
 *	shrink.c                Program -> a smaller one with the same Outcome
 *	difftest.c              the command: workers, time, reports */
#ifndef NESO_TEST_DIFF_H
#define NESO_TEST_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <neso/neso.h>

typedef struct Random {
	uint64_t state;
} Random;

static inline uint64_t random_next(Random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline int random_below(Random *r, int n)
{
	return (int)(random_next(r) % (uint64_t)n);
}

/* ---- programs ---- */

enum { MAX_RANK = 4, MAX_ARGS = 5, MAX_STMTS = 160, MAX_ELEMENTS = 16384, MAX_TRIPS = 5 };

typedef struct Type {
	neso_dtype dtype; /* NONE: no value */
	uint8_t rank;     /* 0: a scalar */
	uint16_t dim[MAX_RANK];
} Type;

/* What is known of a value's elements. Infinite bounds: may be infinite. */
typedef struct Range {
	double lo, hi;
	bool whole; /* integers, and sums and products of them are exact as long as they are */
	bool nan;   /* may be NaN */
} Range;

#define OP(name, function, weight) OP_##name,
typedef enum Op {
#include "ops.def"
	OP__COUNT
} Op;
#undef OP

enum { BIN_ADD, BIN_SUB, BIN_MUL, BIN_MIN, BIN_MAX, BIN_MIN_NAN, BIN_MAX_NAN, BIN_DIV, BIN_MOD, BIN_AND, BIN_OR, BIN_XOR, BIN_SHL, BIN_SHR, BIN_HI, BIN__COUNT };
enum { UN_NEG, UN_ABS, UN_NOT, UN_FLOOR, UN_CEIL, UN_SQRT, UN_CLEAN, UN_LOW, UN__COUNT };
enum { RED_SUM, RED_MAX, RED_MIN, RED_XOR, RED_OR, RED_ARGMAX, RED_ARGMIN, RED_PRODUCT, RED_AND, RED_BEST, RED__COUNT };
enum { SCAN_SUM, SCAN_PRODUCT, SCAN_MAX, SCAN_THEN, SCAN__COUNT };
enum { ATOMIC_ADD, ATOMIC_MAX, ATOMIC_MIN, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_XCHG, ATOMIC_CAS, ATOMIC__COUNT };
/* How elements lie in memory. */
enum { AT_ROWS, AT_COLUMNS, AT_BACKWARDS, AT_PERMUTED, AT_PADDED, AT_STRIDED, AT_RUNTIME, AT_BLOCK, AT_DESCRIPTOR, AT_ODD, AT__COUNT };
/* Which part of memory an iteration of the innermost loop has: all the same, one by the loop's index, one by a pointer that is moved on. */
enum { BY_NOTHING, BY_INDEX, BY_POINTER, BY__COUNT };
enum {
	ORDER_ARGSORT,
	ORDER_VALUES,
	ORDER_POSITIONS,
	ORDER_LARGEST,
	ORDER_LARGEST_AT,
	ORDER_MEDIAN,
	ORDER__COUNT
};
/* Constructs that a value goes through unchanged. */
enum {
	WRAP_LIST,
	WRAP_DICT,
	WRAP_LAMBDA,
	WRAP_RECORD,
	WRAP_MATCH,
	WRAP_RECURSION,
	WRAP_SAID,
	WRAP_CHOICE,
	WRAP__COUNT
};
enum { MAP_BRANCH, MAP_PAIRS, MAP__COUNT };
enum { ASM_WORDS, ASM_BYTES, ASM_HALVES, ASM_TWO, ASM__COUNT };
enum { FORMAT_E2M1, FORMAT_E4M3, FORMAT_E5M2, FORMAT_BF16, FORMAT_FP16, FORMAT__COUNT };
enum { BRANCH_IF, BRANCH_MATCH, BRANCH_MATCH_AS, BRANCH__COUNT };
enum { MASK_NONE, MASK_LAST, MASK_BOTH, MASK_THIRD, MASK_VALUE, MASK__COUNT };
enum {
	LOOP_CONSTANT,
	LOOP_RUNTIME,
	LOOP_STEP,
	LOOP_DOWN,
	LOOP_WHILE,
	LOOP_STATIC,
	LOOP_STAGES,
	LOOP_UNROLLED,
	LOOP_FLAT,
	LOOP__COUNT
};

typedef struct Stmt {
	uint8_t op, sub, arg_count;
	uint16_t args[MAX_ARGS]; /* statements: values, or the region that a PHI, PARAM, RESULT, INDEX belongs to */
	int32_t imm[4];          /* the op's own numbers */
	Type type;               /* dtype of leaves and casts, shape of leaves and reshapes are given; the rest is inferred */
	Range range;
} Stmt;

typedef struct Program {
	uint64_t seed; /* of the data too */
	uint32_t grid, num_warps, num_stages, schedules, ctas;
	int count;
	Stmt stmts[MAX_STMTS];
	bool plain; /* nothing is concluded from the values of arguments */
	bool fused; /* found by program_check: all arithmetic is exact, so that fusing it changes nothing */
	bool new_floats; /* found: has fp8e4nv, which targets before sm_89 do not have */
} Program;

/* The open regions while statements are gone through in order. */
typedef struct Checker {
	Program *p;
	int depth;
	struct {
		int start;
		bool in_else;
	} open[8];
	int16_t scope[MAX_STMTS]; /* start of the region that a statement is in; -1: the kernel */
	int16_t end[MAX_STMTS];   /* of a region that is closed: its last statement */
	double work;              /* elements computed, loops counted */
} Checker;

void checker_start(Checker *c, Program *p);
/* Statement i, all before it having been checked. False: it has no defined result; nothing has changed then. */
bool check_stmt(Checker *c, int i);
bool program_check(Program *p);
/* Can a statement that comes next use the value? */
bool visible(const Checker *c, int value);
/* The innermost region of this op around what comes next, or -1; not beyond a function. */
int enclosing(const Checker *c, Op op);
/* Iterations of all loops around what comes next. */
int iterations(const Checker *c);

/* ---- types ---- */

static inline bool is_float(neso_dtype t)
{
	return t >= NESO_FP8E5;
}

static inline bool is_fp8(neso_dtype t)
{
	return t >= NESO_FP8E5 && t <= NESO_FP8E4B15;
}

static inline bool is_int(neso_dtype t) /* arithmetic's: no booleans */
{
	return t > NESO_INT1 && t < NESO_FP8E5;
}

static inline bool is_unsigned(neso_dtype t)
{
	return t >= NESO_UINT8 && t <= NESO_UINT64;
}

int type_elements(const Type *t);
bool same_shape(const Type *a, const Type *b);
bool same_type(const Type *a, const Type *b);
/* Are all dimensions powers of two? */
bool is_unpadded(const Type *t);
int dtype_digits(neso_dtype t);   /* p: whole numbers up to 2^p are exact */
Range dtype_range(neso_dtype t); /* of any element, wild ones included */
double range_largest(Range r);   /* |v| at most */

/* ---- cases ---- */

enum { MAX_CASE_ARGS = 1024 };

typedef struct CaseArg {
	char name[16];
	neso_dtype dtype;
	uint32_t count;  /* elements; 0: a number */
	bool small;      /* elements are whole numbers in [lo, hi]; otherwise anything */
	int32_t lo, hi;  /* lo of a number: its value */
	uint64_t seed;
} CaseArg;

typedef struct Case {
	char *text; /* Triton source; the kernel is named `kernel` */
	uint32_t grid, num_warps, num_stages;
	uint32_t grid_y; /* 0: 1 */
	uint32_t schedules; /* orders of warps that simulators run it in */
	uint32_t ctas;      /* of a program, where the target has clusters */
	bool fused, plain; /* as in Program */
	bool new_floats;
	int arg_count;
	CaseArg args[MAX_CASE_ARGS];
} Case;

void program_generate(Program *p, uint64_t seed);
/* Of a program that was checked. Free with case_free. */
void program_print(const Program *p, Case *c);
void product_make(Case *c, uint64_t seed); /* likewise */
void loop_make(Case *c, uint64_t seed);    /* likewise */
void state_make(Case *c, uint64_t seed);   /* likewise */
void row_make(Case *c, uint64_t seed);     /* likewise */
void memory_make(Case *c, uint64_t seed);  /* likewise */
void cycle_make(Case *c, uint64_t seed);   /* likewise */
void form_make(Case *c, uint64_t seed);    /* likewise */
/* One of so many ints. */
int random_pick(Random *r, int count, ...);
/* An argument more: aligned memory of whole numbers in [lo, hi], or an i32. */
void case_buffer(Case *c, Random *r, const char *name, neso_dtype type, int count, int lo, int hi);
void case_number(Case *c, const char *name, int value);
void case_free(Case *c);
/* A file that difftest and the runner of tests take. head: comment lines to begin with, or "". */
void case_write(const Case *c, FILE *file, const char *head);
/* False and a sentence on stderr when it is no such file. */
bool case_read(Case *c, const char *path);

typedef enum OutcomeKind { SAME, REFUSED, DIFFERENT, FINDING, CRASHED, HUNG } OutcomeKind;

/* Plain data, so that it can come from another process. */
typedef struct Outcome {
	OutcomeKind kind;
	char target[32]; /* that was run when it happened */
	char code[64];   /* FINDING: of the diagnostic */
	char text[3000]; /* for people; while it runs, what is being done */
} Outcome;

enum { MAX_TARGETS = 4 };

typedef struct Engines {
	int count;
	const char *targets[MAX_TARGETS];
	bool check, verify;
	bool as_written; /* the interpreter runs what no optional pass has changed */
	double timeout; /* seconds of one launch */
	double hang;    /* of one program, with its compilations */
} Engines;

/* In this process: a crash ends it. */
void case_run(const Case *c, const Engines *engines, neso_context *context, Outcome *outcome);
/* In a process of its own. */
void case_run_apart(const Case *c, const Engines *engines, Outcome *outcome);
bool same_outcome(const Outcome *a, const Outcome *b);
/* Makes p smaller while its outcome stays the same, for at most this many seconds. */
void program_shrink(Program *p, const Engines *engines, Outcome *outcome, double seconds);
double seconds_now(void);

#endif
