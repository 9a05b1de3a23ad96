/* Tuning: which of several configurations of a kernel is the fastest, and a file of what was found.
 *
 * The conventions are those of neso.h. docs/tuning.md has the method and the file. */
#ifndef NESO_TUNE_H
#define NESO_TUNE_H

#include <neso/neso.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- a
 * race */

typedef enum neso_tune_state {
	NESO_TUNE_UNTRIED = 0, /* the budget ended before it ran */
	NESO_TUNE_FAILED, /* it does not compile, does not fit, spills, does not run, or computes
			     something else */
	NESO_TUNE_HOPELESS, /* several times slower: it ran a few times */
	NESO_TUNE_SLOWER, /* slower, with the confidence asked for */
	NESO_TUNE_CLOSE, /* not told apart from the one that was chosen */
	NESO_TUNE_CHOSEN
} neso_tune_state;
/* "slower"; of any number. */
NESO_API const char *neso_tune_state_text(neso_tune_state state);

typedef enum neso_tune_answer {
	NESO_TUNE_GOOD = 0,
	NESO_TUNE_PASS, /* this candidate is out */
	NESO_TUNE_END /* so is the race */
} neso_tune_answer;

enum { NESO_TUNE_WHY = 256 };

/* What is raced, for neso_tune_race. */
typedef struct neso_tune_hooks {
	size_t size;
	void *data;
	/* Compiles a candidate, on any of several threads; NULL: nothing is to be compiled. A PASS
	 * writes a clause. */
	neso_tune_answer (*prepare)(void *data, size_t candidate, char why[NESO_TUNE_WHY]);
	/* Runs it once, on the calling thread. */
	neso_tune_answer (*measure)(void *data, size_t candidate, double *seconds,
				    char why[NESO_TUNE_WHY]);
} neso_tune_hooks;

typedef struct neso_tune_options {
	size_t size;
	double budget; /* seconds for compiling and measuring; 0: none */
	double confidence; /* that none left behind is faster by more than `tie`; 0: 0.99 */
	double tie; /* relative difference that does not count: the first of the list is chosen; 0:
		       0.005 */
	double hopeless; /* so many times slower than the best leaves after a run or two; 0: 2 */
	double resolution; /* of the clock, in seconds; 0: not known, of neso_tune_kernel the
			      clock's own */
	uint32_t rounds_min, rounds_max; /* runs of each; 0: 5, 100 */
	uint32_t warmups; /* runs before those that count; UINT32_MAX: none; 0: 1 */
	uint32_t threads; /* for compiling; 0: one per processor */
	/* The clock of the budget; NULL: the system's. */
	double (*now)(void *data);
	/* After each step: the candidate, and how many of how many are compiled, or rounds done.
	 * May be called from other threads. */
	void (*progress)(void *data, size_t candidate, size_t done, size_t all);
	void *data; /* of these two */
	/* neso_tune_kernel */
	bool spills; /* those that spill registers are measured too, and not passed over */
	const char *const *zero; /* arguments that are filled with zero bytes before each run */
	size_t zero_count;
	const char *const
		*restore; /* arguments that are put back before each run, and at the end */
	size_t restore_count;
	/* A run's time, asked behind the launch in the place of the events or the clock: for tests.
	 * NULL: none. */
	double (*run_time)(void *data, size_t candidate);
	/* Above 1: candidates are shared out among so many GPUs of the current one's kind, which
	 * race at the same time with copies of the arrays; those that are not left behind by far
	 * are compared on the current one. run_time and now are asked from several threads. */
	uint32_t gpus;
	/* Launches of the same kernel with the same arrays in the same order. The first of these
	 * that runs says what candidates compute: one that leaves something else in an array, by
	 * more than rounding in another order makes, is passed over, and so are all where none
	 * of these runs. It takes two copies of the arrays in host memory. NULL: results are not
	 * looked at. */
	const neso_launch *references;
	size_t reference_count;
} neso_tune_options;

static inline void neso_tune_options_init(neso_tune_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}

typedef struct neso_tuning neso_tuning;

typedef struct neso_tune_summary {
	size_t size;
	size_t count, chosen; /* chosen == count: none ran */
	bool settled; /* all others are slower or as fast, with the confidence asked for */
	bool out_of_time;
	bool ended; /* NESO_TUNE_END */
	uint32_t rounds;
	double seconds; /* that it took */
	double best, noise; /* the chosen one's median, and the relative deviation of its runs */
	double confidence, tie; /* as they were used */
} neso_tune_summary;

typedef struct neso_tune_candidate {
	size_t size;
	neso_tune_state state;
	const char *why; /* FAILED; lives as long as the tuning */
	uint32_t runs;
	double seconds, noise; /* median of a run; relative deviation */
	double low, high; /* interval of its time relative to the chosen one's */
} neso_tune_candidate;

/* options: NULL for the defaults. Free with neso_tuning_free. */
NESO_API neso_status neso_tune_race(size_t count, const neso_tune_hooks *hooks,
				    const neso_tune_options *options, neso_tuning **tuning,
				    neso_diagnostics **diagnostics);
/* Of one kernel: the candidates are launches that differ in constants, options and grid. They are
 * compiled side by side, then launched in interleaved rounds, on a GPU timed by events with the L2
 * cache emptied before each. Those that do not compile, need more than the GPU has, or spill, are
 * passed over, and `why` says so. Compiled variants stay with the kernel. */
NESO_API neso_status neso_tune_kernel(neso_kernel *kernel, const neso_launch *candidates,
				      size_t count, const neso_tune_options *options,
				      neso_tuning **tuning, neso_diagnostics **diagnostics);
/* Set the struct's size before. */
NESO_API neso_status neso_tuning_get_summary(const neso_tuning *tuning, neso_tune_summary *summary);
NESO_API neso_status neso_tuning_get(const neso_tuning *tuning, size_t index,
				     neso_tune_candidate *candidate);
NESO_API void neso_tuning_free(neso_tuning *tuning); /* NULL is fine */

/* ------------------------------------------------------------------------------------- a file of
 * choices */

typedef struct neso_tuned neso_tuned;

/* A choice: the first five texts are its key. */
typedef struct neso_tuned_entry {
	size_t size;
	const char *kernel;
	const char *content; /* neso_tune_content */
	const char *gpu, *driver; /* neso_tune_machine */
	const char *key; /* what the choice depends on: "M=4096, N=4096; a_ptr=fp16" */
	const char *config; /* "BLOCK=128, num_warps=8" */
	double seconds, noise;
	uint32_t tried; /* candidates */
} neso_tuned_entry;

/* Empty. Free with neso_tuned_free. */
NESO_API neso_status neso_tuned_new(neso_tuned **tuned, neso_diagnostics **diagnostics);
/* Adds what a file has; of two entries with one key the faster stays. A file that is not there is
 * an error. */
NESO_API neso_status neso_tuned_read(neso_tuned *tuned, const char *path,
				     neso_diagnostics **diagnostics);
/* Sorted: the same entries give the same bytes. "-" is standard output. */
NESO_API neso_status neso_tuned_write(const neso_tuned *tuned, const char *path,
				      neso_diagnostics **diagnostics);
/* Copies; replaces an entry with this key. */
NESO_API neso_status neso_tuned_put(neso_tuned *tuned, const neso_tuned_entry *entry,
				    neso_diagnostics **diagnostics);
/* Puts one entry into a file that others may be doing the same with; it is made where it is not
 * there. */
NESO_API neso_status neso_tuned_record(const char *path, const neso_tuned_entry *entry,
				       neso_diagnostics **diagnostics);
/* Puts all entries into the context's compile cache, where packs take them from; each replaces one
 * with its key there, with keep_faster unless that one is as fast. Without a cache nothing
 * happens. */
NESO_API neso_status neso_tuned_keep(const neso_tuned *tuned, neso_context *context,
				     bool keep_faster, neso_diagnostics **diagnostics);
/* Adds, as neso_tuned_read does, what the compile cache has by the key in *key; key NULL: all that
 * its own folder has. */
NESO_API neso_status neso_tuned_read_kept(neso_tuned *tuned, neso_context *context,
					  const neso_tuned_entry *key,
					  neso_diagnostics **diagnostics);
/* The index-th in order; NESO_ERROR_USAGE past the end. Texts live as long as `tuned`. */
NESO_API size_t neso_tuned_count(const neso_tuned *tuned);
NESO_API neso_status neso_tuned_get(const neso_tuned *tuned, size_t index, neso_tuned_entry *entry);
/* By the key in *entry, which is filled in. any_driver: else one of another driver, the newest.
 * False: there is none. */
NESO_API bool neso_tuned_find(const neso_tuned *tuned, neso_tuned_entry *entry, bool any_driver);
NESO_API void neso_tuned_free(neso_tuned *tuned); /* NULL is fine */

/* What a kernel is made of, as 16 digits: its code, and what it reads and calls. It changes neither
 * with lines, comments and paths nor with the arguments. Free with neso_text_free. */
NESO_API neso_status neso_tune_content(neso_kernel *kernel, char **content,
				       neso_diagnostics **diagnostics);
/* The current context's GPU and driver ("NVIDIA H200 sm_90a", "13.0 (580.95.05)"), or of a machine
 * without one, and with on_cpu, "cpu" and "none". Free both with neso_text_free. */
NESO_API neso_status neso_tune_machine(neso_context *context, bool on_cpu, char **gpu,
				       char **driver, neso_diagnostics **diagnostics);

#ifdef __cplusplus
}
#endif

#endif
