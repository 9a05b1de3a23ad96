/* neso compile of many kernels: what is asked for (requests.c), the variants that these are (expand.c), compiling them (batch.c). */
#ifndef NESO_CLI_BATCH_H
#define NESO_CLI_BATCH_H

#include "cli/cli.h"

/* A kernel with a signature and options that may hold alternatives. */
typedef struct Request {
	const char *where;     /* FILE.py:KERNEL, or FILE.py with one kernel */
	const char *path;      /* of FILE.py */
	const char *signature; /* "": of no parameter */
	Parsed parsed;         /* options: those of the command line, then its own */
	const char *from;      /* "LIST:LINE"; NULL: the command line */
	const char *declaration; /* a line of a file of declarations, in the signature's place; or NULL */
	const char *file;        /* that it is of, and its line */
	uint32_t line;
	bool is_control;
} Request;

typedef struct Requests {
	Request *at;
	size_t count;
} Requests;

/* Of the command line: its arguments with their signatures, and the lists that it names. A signature belongs to the kernels that stand before
 * it, back to the signature before those; signatures before the first kernel belong to all that have none. Not EXIT_DONE after a message. */
int requests_read(const Parsed *parsed, Requests *out);
/* Does the command line ask for more than one variant, or for what only many have? */
bool is_batch(const Parsed *parsed);

typedef enum JobState {
	JOB_WAITING,
	JOB_COMPILED,
	JOB_HIT,  /* the compile cache had it */
	JOB_SAME, /* its variant is that of another job */
	JOB_FAILED,
	JOB__COUNT
} JobState;

/* One variant. */
typedef struct Job {
	const Request *request;
	neso_kernel *kernel; /* NULL: it could not be found, and message or diagnostics say why */
	const char *signature;
	neso_compile_options options;
	JobState state;
	double seconds, saved; /* that it took here; that a hit saved */
	const neso_variant *variant;
	bool kept; /* it is in the compile cache now */
	neso_diagnostics *diagnostics;
	const char *message;
} Job;

typedef struct Jobs {
	Job *at;
	size_t count;
	neso_module **modules;
	size_t module_count;
} Jobs;

/* All variants of the requests, each once. Files that do not load are failed jobs. EXIT_USAGE after a message: options that
 * are none. */
int jobs_expand(neso_context *context, const Requests *requests, Jobs *jobs);

/* Compiles the jobs on `threads` threads; shows progress, and the result, on the standard streams. */
int jobs_run(const Parsed *parsed, Jobs *jobs, long threads);

/* The whole command. */
int compile_many(const Parsed *parsed);

/* Rows of a request's own options; the command has them too. */
extern const Option request_options[];
/* Those of them whose value may be several, with commas between. */
enum { LISTED_OPTIONS = 6 };
extern const char *const listed_options[LISTED_OPTIONS];

#endif
