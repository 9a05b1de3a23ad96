/* What print.c, print_memory.c and print_ops.c share. */
#ifndef NESO_TEST_DIFF_PRINT_H
#define NESO_TEST_DIFF_PRINT_H

#include <stdarg.h>

#include "diff.h"

typedef struct Name {
	char s[20];
} Name;

typedef struct Words {
	char s[1200];
} Words;

typedef struct Printer {
	const Program *p;
	Case *c;
	FILE *kernel, *functions;
	int open[8], depth;
	int function; /* start of the one that is being written, or -1 */
	unsigned helpers; /* bits: see print.c */
} Printer;

enum {
	HELPER_PRODUCT,
	HELPER_AND,
	HELPER_LARGER,
	HELPER_BEST,
	HELPER_THEN,
	HELPER_RECORD,
	HELPER_SAME,
	HELPER_CHOSEN,
	HELPER_PAIRS
};

#define OP(name, function, weight) void print_##function(Printer *pr, int i);
#include "ops.def"
#undef OP

/* A line of the program, indented. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void line(Printer *pr, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void append(Words *w, const char *format, ...);
Name name_of(const Program *p, int i);
/* The pointer of a load that is moved on in the loop; before the loop. */
void print_pointer(Printer *pr, int i, int loop);
/* The name of an argument of statement i. */
Name arg_name(const Printer *pr, int i, int k);
const char *tl_name(neso_dtype t);
Words shape_of(const Type *t);
/* An index below n, of a value that may be any integer. */
Words index_below(const char *value, int n);
/* A constant of the type, as it is written. */
Name literal(neso_dtype t, int value);

static inline const Stmt *stmt(const Printer *pr, int i)
{
	return &pr->p->stmts[i];
}

static inline const Type *arg_type(const Printer *pr, int i, int k)
{
	return &stmt(pr, stmt(pr, i)->args[k])->type;
}

/* The name of argument k of statement i. */
#define A(k) (arg_name(pr, i, k).s)

/* Another argument of the kernel: a number, when nothing else is said. which: 0, or told apart by it. */
CaseArg *add_arg(Printer *pr, char letter, int i, int which);

#endif
