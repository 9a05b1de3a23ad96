/* Variants as C: a header and a source with the code of several GPUs, and a function for each kernel
 * that chooses the variant by its arguments (docs/aot.md).
 *
 * Variants of one kernel share a C function when their parameters have the same C types and their
 * options are equal; integers and truth values that are constants, and differ among them, are
 * parameters of that function. What is written depends on the variants and the options alone. */
#ifndef NESO_AOT_AOT_H
#define NESO_AOT_AOT_H

#include "jit/jit.h"

/* Number of the interface between a generated header and its source. */
enum { AOT_ABI = 1 };

typedef struct AotOptions {
	const char *name;   /* of header and source, without suffix; begins names of their functions */
	const char *prefix; /* of the kernels' functions; NULL: "" */
	bool no_ptx;        /* no PTX for GPUs that come later */
	bool compress;      /* cubins as fat binaries, which the driver unpacks */
} AotOptions;

/* Header and source into the texts. Variants are in the order of their cases' preference where guards
 * do not decide. JIT_OK, or another status after diagnosing. */
JitStatus aot_write(const JitVariant *const *variants, size_t count, const AotOptions *options, Text *header, Text *source,
		    DiagList *diags);

#endif
