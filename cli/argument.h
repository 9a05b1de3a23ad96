/* Arguments of kernels on the command line: arrays, numbers, expressions; and the grid over them.
 */
#ifndef NESO_CLI_ARGUMENT_H
#define NESO_CLI_ARGUMENT_H

#include "cli/array.h"
#include "cli/grid.h"

/* An argument of the command line. */
typedef struct Argument {
	const char *name; /* NULL until its parameter is known */
	neso_arg arg;
	Array array, before;
} Argument;

typedef struct Arguments {
	Argument *at;
	size_t count;
} Arguments;

/* What --help says of them. */
#define ARGUMENT_DETAILS                                                                           \
	"ARG=VALUE gives a parameter by name; VALUE alone the first parameter that is not given "  \
	"yet. A value is\n"                                                                        \
	"  FILE.npy[:DTYPE]              an array from a file; an unsigned integer file may hold " \
	"the bits of bf16 or fp8\n"                                                                \
	"  rand:SHAPE:DTYPE[:SEED]       uniform in [0, 1), integers in [0, 100); randn: normal\n" \
	"  zeros:SHAPE:DTYPE  ones:SHAPE:DTYPE  full:SHAPE:DTYPE:VALUE  arange:SHAPE:DTYPE\n"      \
	"  uninit:SHAPE:DTYPE            what nobody has written, as --check sees it: all bits "   \
	"set\n"                                                                                    \
	"  desc:BLOCK:ARRAY              a tensor descriptor with block shape BLOCK over any of "  \
	"these\n"                                                                                  \
	"  1024  0.5  1024:i64  0.5:fp64 a number, with its type when the usual one is not "       \
	"meant\n"                                                                                  \
	"  True  None  tl.float16  \"'relu'\"  (1, 2)   any other Python expression, for "         \
	"constexprs\n"

/* NAME=VALUE, where NAME is an identifier; else all is the value, and *name NULL. */
const char *argument_split(const char *text, const char **name);
/* "1024", "-3", "0x10", "1024:i64", "0.5", "1e-5:fp64"; false when the text is no number. */
bool argument_number(const char *text, neso_arg *arg);
/* The arguments behind the first. Not EXIT_DONE after a message. */
int arguments_parse(const Parsed *parsed, Arguments *out);
/* The names of arguments given by position, so that options can use them. */
void arguments_name(Arguments *arguments, const neso_kernel *kernel, size_t parameter_count);
/* NULL: no argument of this name is an array. */
Argument *arguments_array(const Arguments *arguments, const char *name);
/* --grid over integer arguments, and defaults of parameters that are integers; `more`: names that
 * go before. */
int arguments_grid(const Arguments *arguments, const neso_kernel *kernel, size_t parameter_count,
		   const char *text, const GridName *more, size_t more_count, uint32_t grid[3]);

#endif
