/* What a launch must know of a kernel, beside its code. It goes with the text of each stage: LLIR
 * has it as string attribute "neso" of the kernel, PTX as a comment, so that a text that was edited
 * compiles on. */
#ifndef NESO_CODEGEN_FACTS_H
#define NESO_CODEGEN_FACTS_H

#include "base/str.h"

typedef struct Facts {
	const char *kernel, *args; /* args: letters, codegen.h */
	/* plans of the arguments that are tensor maps, in their order (target/tensor_map.h) */
	const char *maps;
	unsigned threads, shared, cluster, scratch_bytes, scratch_align;
	bool uses_print, uses_assert;
	bool by_number; /* of few and of many programs: variants of their own (gpu/loop/persist.h) */
	bool uneven;  /* programs take differently long */
} Facts;

/* "kernel=add threads=128 ..." */
const char *facts_text(Arena *arena, const Facts *facts);
/* From a text that holds such a line somewhere after `mark`; false when it does not (*why is NULL),
 * or when no kernel can be launched as it says. */
bool facts_read(Arena *arena, Str text, const char *mark, Facts *facts, const char **why);

#endif
