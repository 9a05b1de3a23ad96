/* What the commands share: options, messages, memory. The command uses the library through neso.h alone. */
#ifndef NESO_CLI_CLI_H
#define NESO_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <neso/neso.h>

/* Exit status: 0 done; 1 the input is at fault or the run failed; 2 the command line is wrong. */
enum { EXIT_DONE = 0, EXIT_INPUT = 1, EXIT_USAGE = 2 };

#if defined(__GNUC__)
#define CLI_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define CLI_PRINTF(fmt, first)
#endif

/* "neso: error: ..." on standard error; give back EXIT_USAGE and EXIT_INPUT. */
int usage_error(const char *format, ...) CLI_PRINTF(1, 2);
int input_error(const char *format, ...) CLI_PRINTF(1, 2);

/* Memory of the command lives until it ends; none left ends it with EXIT_INPUT. */
void *take(size_t bytes);
void *take_more(void *old, size_t bytes);
/* Some MB are going to be asked for in small pieces, as compiling does: they come in large pages, all at once. That saves 2500 page
 * faults, a twentieth of what compiling a kernel takes without its assembler. */
void expect_much_memory(void);
char *take_text(const char *text, size_t len);
char *take_printf(const char *format, ...) CLI_PRINTF(1, 2);
/* A whole file ("-": standard input), NUL-terminated; NULL after a message. */
char *read_file(const char *path, size_t *len);
/* From now on what is printed has no control characters but tabs and line ends (shown.c). */
void guard_output(void);
/* To standard output as it is, unless that is a terminal. */
bool print_raw(const char *bytes, size_t len);
/* "-" or NULL: standard output. False after a message. */
bool write_file(const char *path, const char *text, size_t len);

/* parent.c. To be called at the start; then whether the process that started the command still
 * runs, or the command is to outlive it. A neso_poll_fn. */
void follow_parent(void);
bool parent_lives(void *unused);

/* Text of diagnostics to standard error, in colour where that is a terminal (colour.c). */
void show_diagnostics(const char *text);

/* ---- options ---- */

/* A row of a command's table. Long options are --name VALUE or --name=VALUE. */
typedef struct Option {
	const char *name;
	char letter;       /* 0: none */
	const char *value; /* what the help calls its value; NULL: a flag */
	const char *help;
} Option;

typedef struct Given {
	const Option *option;
	const char *value; /* "" for a flag */
	size_t args_before; /* how many arguments stand before it */
} Given;

typedef struct Parsed {
	Given *given; /* in order */
	size_t given_count;
	const char **args; /* what is no option, in order */
	size_t arg_count;
	bool help;
} Parsed;

/* False after a usage error. Rows end with a NULL name. */
bool options_parse(const Option *table, int argc, char **argv, Parsed *out);
/* Value of the last one given, or NULL. */
const char *option_value(const Parsed *parsed, const char *name);
/* More than 0; 0 when not given. False after a usage error. */
bool option_seconds(const Parsed *parsed, const char *name, double *out);
/* Not negative; likewise. */
bool option_tolerance(const Parsed *parsed, const char *name, double *out);
/* As a number within limits; `otherwise` when not given. False after a usage error. */
bool option_number(const Parsed *parsed, const char *name, long low, long high, long otherwise, long *out);

/* ---- commands ---- */

typedef struct Command {
	const char *name;
	const char *arguments; /* for the usage line */
	const char *summary;   /* one line */
	const char *details;   /* below the options in --help */
	const Option *options;
	int (*run)(const Parsed *parsed);
} Command;

extern const Command command_run, command_compile, command_opt, command_layout, command_list, command_info,
	command_config, command_cache, command_bisect, command_check, command_lsp, command_view,
	command_completion, command_manual, command_aot, command_tune, command_record,
	command_explain;

/* ---- the library ---- */

/* Context with the command's log (output of kernels to standard output) and the options that all share
 * (--threads). NULL after a message. */
neso_context *open_context(const Parsed *parsed);
/* Waits for what is on its way to a remote cache, says what is wrong with it, frees the context. Gives `result`. */
int close_context(const Parsed *parsed, neso_context *context, int result);
/* Shows diagnostics on standard error, as text or with --json as one JSON array, and frees them; gives the exit
 * status that belongs to the library's. */
int report(const Parsed *parsed, neso_status status, neso_diagnostics *diagnostics);
/* FILE.py:KERNEL; without ":KERNEL" the only kernel of the file. */
int open_kernel(const Parsed *parsed, neso_context *context, const char *where, neso_module **module,
		neso_kernel **kernel);
/* How many kernels a module has, functions that others call not counted, and the first of them. */
size_t only_kernel(const neso_module *module, neso_kernel **kernel);
/* What the compiler remarks of a variant (why.c), to standard output. */
int show_remarks(const Parsed *parsed, const neso_variant *variant);
/* --num-warps, --num-stages, --target, --debug; false after a usage error. */
bool compile_options(const Parsed *parsed, neso_compile_options *options);

/* Rows that several commands have. */
#define OPTION_HELP {"help", 'h', NULL, "this text"}
#define OPTION_JSON {"json", 0, NULL, "diagnostics (and listings) as JSON"}
#define OPTION_SIGNATURE {"signature", 's', "TEXT", "types and constants of the parameters, in order"}
#define OPTIONS_COMPILE                                                                            \
	{"num-warps", 0, "N", "warps per program (4)"}, {"num-stages", 0, "N", "loop pipelining stages (3)"}, \
		{"num-ctas", 0, "N", "CTAs per cluster (1)"},                                      \
		{"constexpr", 0, "POLICY", "eager (compile for each value) or generic (numbers are arguments)"}, \
		{"target", 0, "NAME", "interp (the default), cuda (the GPU that is there), or sm_80, sm_90a, ..."},    \
		{"maxnreg", 0, "N", "registers of a thread at most"},                              \
		{"ptx-version", 0, "N", "PTX to write: 83 for 8.3 (the oldest that will do)"},     \
		{"no-fp-fusion", 0, NULL, "round products and sums one by one"},                   \
		{"ptxas", 0, "FILE", "the assembler; driver: the driver's own"},                   \
		{"debug", 0, NULL, "compile device_assert in"},                                    \
		{"compile-timeout", 0, "SECONDS", "end compiling with an error after this time (600)"}

/* nearest.c: the known word that is most like one that is not known, if it is like enough to be meant. */
typedef struct Nearest {
	const char *word, *known; /* known: the best so far, or NULL */
	size_t len;
	unsigned best;
} Nearest;
void nearest_begin(Nearest *nearest, const char *word, size_t len);
void nearest_look(Nearest *nearest, const char *known);
/* "; did you mean 'BEFORE...'?", or "". */
const char *nearest_text(const Nearest *nearest, const char *before);

/* A JSON string, or null for NULL, to standard output. */
void print_json_text(const char *text);

#endif
