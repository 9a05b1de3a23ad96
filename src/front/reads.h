/* What a lowering reads, held against what the kernel's key has.
 *
 * front_content notes each value that it puts into the key, by whose name it is: of a scope, a module, a class, a parameter's default, an
 * import. While a kernel is lowered each read is looked up here: one that is not there, or that gives another value, shows that
 * the key does not decide the code, and what is compiled is not kept. So the key may be found by another walk than the lowering's: what that
 * walk forgets costs a compilation, and never gives wrong code.
 *
 * What is read while a value is evaluated is part of that value, and not looked at by itself. */
#ifndef NESO_FRONT_READS_H
#define NESO_FRONT_READS_H

#include "front/core.h"

typedef struct FrontRead FrontRead;

struct FrontReads {
	Arena *arena;
	Map values;  /* hash of owner and name -> FrontRead, chained */
	Map known;   /* functions whose text is in the key; classes and modules of which all names are: by address */
	Map answers; /* hash of a question to the host -> FrontRead */
	bool open;   /* front_content is at work: reads are noted */
	const char *beyond; /* what was read that the key lacks or has otherwise; NULL: nothing */
	bool forgotten;     /* it is something that front_content should have found */
};

FrontReads *reads_new(Arena *arena);
void reads_know(FrontReads *reads, const void *what);

/* The same for all that a lowering does with it. */
bool reads_same(const Val *a, const Val *b);

/* Each gives what it is given. The owner is a Namespace, FrontModule, FrontClass, Ast or AstParam; v NULL: there is no such name. */
const Val *lower_read(FrontLower *low, const void *owner, Sym name, const Val *v);
/* A function is about to run or to be lowered. */
void lower_enter(FrontLower *low, const FrontFunction *f);
/* An answer of the host; text: all that it says. */
void lower_answer(FrontLower *low, const char *question, const char *text);
/* Something that no key can have was read. */
void lower_beyond(FrontLower *low, const char *what);

#endif
