/* Neso, declared variants: which variants of its kernels a program may ask for is written down, by
 * a person or by a run of the program, compiled and loaded ahead, and held to while it serves
 * (docs/declare.md has the language of declarations). And what a process compiled and launched so
 * far.
 *
 * Conventions are those of neso.h. */
#ifndef NESO_DECLARE_H
#define NESO_DECLARE_H

#include "neso/neso.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------
 * declarations */

/* A line of a file of declarations. Texts live as long as the callback runs. */
typedef struct neso_declaration {
	size_t size;
	const char *file; /* that it stands in */
	uint32_t line;
	const char *path; /* of the kernel's file, from where the library runs: a relative one is meant from
			     the file's folder */
	const char *kernel;
	const char *text; /* the line, for neso_kernel_declared */
	bool is_control;  /* it says what is concluded from arguments, and declares no variant */
} neso_declaration;
typedef void neso_declaration_fn(void *data, const neso_declaration *declaration);
/* Calls `each` for each line. text: NULL to read it from the file. */
NESO_API neso_status neso_declarations_read(neso_context *context, const char *file, const char *text,
					    neso_declaration_fn *each, void *data,
					    neso_diagnostics **diagnostics);

/* A variant that a declaration stands for. Lives as long as the callback runs. */
typedef struct neso_declared {
	size_t size;
	const char *signature; /* for neso_kernel_compile, as the options */
	const neso_compile_options *options;
	uint64_t index, count; /* which of how many */
	const char *axes;      /* what multiplies them: "x_ptr 2, n 3, num_warps 2"; "": there is one */
	const char *multiplier; /* what has the most values, and how many; NULL: there is one variant */
	uint64_t multiplier_values;
} neso_declared;
typedef void neso_declared_fn(void *data, const neso_declared *variant);

typedef struct neso_declare_options {
	size_t size;
	const char *file; /* for messages; NULL: "declaration" */
	uint32_t line;
	const neso_compile_options *options; /* of those that the declaration does not have; NULL: defaults */
	const char *const *targets; /* in place of the declaration's; NULL: those */
	size_t target_count;
	uint64_t most; /* variants; more are an error that names what multiplies them; 0: 4096 */
} neso_declare_options;
static inline void neso_declare_options_init(neso_declare_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}
/* Calls `each` (may be NULL) for each variant that a line stands for, once and in a fixed order. A
 * control line is obeyed (neso_kernel_control), and stands for none. */
NESO_API neso_status neso_kernel_declared(neso_kernel *kernel, const char *declaration,
					  const neso_declare_options *options, neso_declared_fn *each,
					  void *data, neso_diagnostics **diagnostics);

/* What is concluded from the arguments for a parameter, beside what the source says; words with ","
 * between: never_one (1 is a number as others), always_one (it is 1, and another value is an
 * error), div8 (divisibility by 8 counts too), unaligned (divisibility does not), a type ("i64":
 * whatever the value would choose). Before the kernel is compiled or launched. */
NESO_API neso_status neso_kernel_control(neso_kernel *kernel, const char *parameter, const char *words,
					 neso_diagnostics **diagnostics);

/* The line that declares what a variant is, and no more; NULL: there is none (it goes on from an
 * override, or ends with PTX). Free with neso_text_free. */
NESO_API neso_status neso_variant_declaration(const neso_variant *variant, char **text,
					      neso_diagnostics **diagnostics);

/* ---------------------------------------------------------------------------------------------
 * strict */

/* In strict mode a launch that would compile ends with NESO_ERROR_MISS, and the diagnostic names
 * what differs from the nearest variant, that variant, and the line that declares it. Variants are
 * taken from the compile cache, packs' entries in it, and a keeper all the same; calls that compile
 * ahead do. neso_compile_options.strict is for one launch, and goes before the kernel's, which goes
 * before the context's, which goes before NESO_STRICT. */
NESO_API neso_status neso_kernel_set_strict(neso_kernel *kernel, neso_strict strict);
NESO_API neso_status neso_context_set_strict(neso_context *context, neso_strict strict);

/* -----------------------------------------------------------------------------------------------
 * warm */

/* Loads the variant's code into the current GPU context, and compiles what launches fall back on
 * that cannot make tensor maps: so the first launch pays for neither. Nothing to do for the CPU. */
NESO_API neso_status neso_variant_load(neso_variant *variant, neso_diagnostics **diagnostics);

typedef struct neso_warm_options {
	size_t size;
	uint32_t threads;   /* that compile; 0: one per processor */
	const char *target; /* that launches will name, and of lines that name none; NULL: "interp" */
	bool no_load;       /* compiled, and not loaded into the GPU's context */
} neso_warm_options;
static inline void neso_warm_options_init(neso_warm_options *x)
{
	memset(x, 0, sizeof *x);
	x->size = sizeof *x;
}
typedef struct neso_warm_result {
	size_t size;
	uint64_t variants; /* of modules that are loaded, for this machine: */
	uint64_t compiled, hits, present,
		failed; /* hits: from the compile cache; present: were there already */
	uint64_t loaded;   /* into the GPU's context */
	uint64_t skipped;  /* for other targets, or of files that no module is loaded from */
	double seconds;
} neso_warm_result;
/* Makes ready all that a file of declarations (or `text`) says of the modules that the context has;
 * these must not be freed meanwhile. A variant that does not compile does not keep the others from
 * it: it is among the diagnostics, and the status is its. */
NESO_API neso_status neso_context_warm(neso_context *context, const char *file, const char *text,
				       const neso_warm_options *options, neso_warm_result *result,
				       neso_diagnostics **diagnostics);

/* ---------------------------------------------------------------------------------------------
 * record */

/* From now on, and with what was launched before, each variant that is launched for the first time
 * is added to a file of declarations, unless it is there. Several processes may add to one. NULL:
 * no more. NESO_RECORD does it from the beginning. */
NESO_API neso_status neso_context_record(neso_context *context, const char *file,
					 neso_diagnostics **diagnostics);

/* --------------------------------------------------------------------------------------------
 * explain */

/* What the context's modules have compiled and launched: "text", "json" or "prometheus". *text:
 * freed with neso_text_free. Launches are counted on the CPU always, on GPUs with
 * NESO_COUNT_LAUNCHES=1. */
NESO_API neso_status neso_context_explain(neso_context *context, const char *format, char **text,
					  neso_diagnostics **diagnostics);

#ifdef __cplusplus
}
#endif

#endif
