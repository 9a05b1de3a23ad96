/* Inside aot: the functions that are written, and what they are made of. */
#ifndef NESO_AOT_INNER_H
#define NESO_AOT_INNER_H

#include "aot/aot.h"
#include "jit/inner.h"

enum { AOT_GUARDS = 64, AOT_NO_CASE = -1 };

typedef enum AotKind {
	AOT_POINTER,
	AOT_TENSOR,
	AOT_INTEGER,
	AOT_FLOAT,
	AOT_BITS,
	AOT_BOOL,
	AOT_ABSENT
} AotKind;

/* A parameter of the kernel, and of the function unless it is ABSENT: a constant. */
typedef struct AotParam {
	AotKind kind;
	const char *name; /* in C */
	const char *type; /* in C */
	const char *what; /* for the comment: its type as in a signature; of a constant its value */
	uint32_t bits; /* of an INTEGER */
	bool is_signed;
	uint32_t rank; /* of a TENSOR */
	uint32_t value; /* the number of its first value */
} AotParam;

typedef enum AotTest { AOT_DIVISIBLE, AOT_FITS, AOT_EQUAL } AotTest;

/* What must hold of a parameter. */
typedef struct AotGuard {
	AotTest test;
	uint32_t param;
	int64_t value; /* DIVISIBLE, EQUAL */
	uint32_t bits; /* FITS */
	bool is_signed; /* FITS */
} AotGuard;

/* A number that a launch makes of a demoted constexpr: one more value. */
typedef struct AotNumber {
	uint32_t param;
	TlDtype dtype;
	uint32_t value;
} AotNumber;

typedef struct AotImage {
	const JitVariant *variant;
	bool ptx;
	Str code;
	uint32_t array; /* number of the array that holds it */
	uint32_t many; /* 1 + its place in AotCase.many; 0: it runs launches of any size */
} AotImage;

typedef VEC(AotImage) AotImages;

typedef struct AotCase {
	uint64_t guards; /* bits: numbers of the function's guards */
	uint32_t number; /* among all of the file */
	AotImages images;
	AotImages plain; /* those without tensor maps, of images that have some */
	uint32_t plain_number; /* when there are some */
	AotImages many; /* what launches of more programs than the GPU has SMs run in an image's place */
	uint32_t many_slot, first_many; /* when there are some */
} AotCase;

typedef VEC(const JitVariant *) AotVariants;

typedef struct AotFunction {
	const JitKernel *kernel;
	const char **classes; /* of each parameter: what is equal among the variants of a function */
	const char *options;
	AotVariants variants;
	const char *name;
	AotParam *params;
	uint32_t param_count, value_count;
	VEC(AotGuard) guards;
	VEC(AotNumber) numbers;
	VEC(AotCase) cases;
} AotFunction;

typedef struct Aot {
	Arena *arena;
	const AotOptions *options;
	DiagList *diags;
	VEC(AotFunction) functions;
	VEC(Str) arrays;
	uint32_t case_count, first_plain; /* plain ones come last */
	uint32_t image_count, many_count, slot_count; /* a slot for each case, and for each with `many` */
	uint32_t most_maps, most_params;
	bool special;
	bool persistent; /* a CTA of some kernel runs several programs */
} Aot;

/* collect.c. False after diagnosing. */
bool aot_collect(Aot *aot, const JitVariant *const *variants, size_t count);
/* images.c. Fills in the cases' images and their code; false after diagnosing, with *status. */
bool aot_images(Aot *aot, JitStatus *status);
/* The variants that aot_images made. */
void aot_let_go(const Aot *aot);
/* write.c */
void aot_header(const Aot *aot, Text *out);
void aot_source(const Aot *aot, const Text *header, Text *out);
/* tables.c: what lies between the two parts of the support code. */
void aot_tables(const Aot *aot, Text *out);
/* names.c. A C identifier like `name`, and none of C's, C++'s and our own words. */
const char *aot_identifier(Arena *arena, const char *name);
bool aot_is_identifier(const char *name);

/* The text of support.inc, which cmake/embed_text.cmake makes an array of. */
extern const char aot_support[];

#endif
