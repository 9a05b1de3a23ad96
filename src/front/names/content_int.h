/* The walk of a syntax tree: content_tree.c writes its text, content_given.c keeps what is known of
 * names meanwhile, content_names.c asks for names alone. */
#ifndef NESO_FRONT_NAMES_CONTENT_INT_H
#define NESO_FRONT_NAMES_CONTENT_INT_H

#include "front/names/content.h"

typedef struct ContentWalk {
	AstModule *ast;
	Interner *interner;
	Arena *arena;
	Text *out;
	ContentNames *names;
	Map seen;            /* of names */
	ContentTree *found;  /* may be NULL: */
	Namespace *scope;    /* where annotations are looked up; may be NULL */
	ContentNames given;  /* names that have a value wherever control comes by: a stack, as blocks end */
	ContentNames coming; /* targets, until their value was read */
	Map place;           /* name -> where it is in `given` */
	uint32_t base;       /* what lies below it in `given` another function was given */
	bool deletes, all;   /* all: no name is held to have a value */
	const AstFunction *root; /* whose defaults count by what they are worth */
	bool valued;         /* in one of them: names are not collected */
	Map hosts;           /* _neso12 -> its number in this tree */
	ContentNames *bound; /* what is assigned to; may be NULL */
	ContentNames *early; /* what is read while it is not among `bound`; may be NULL */
	Map seen_bound;
	bool failed; /* a body does not parse */
} ContentWalk;

ContentWalk content_walk(AstModule *ast, Interner *interner, Arena *arena, Text *out, ContentNames *names);
void content_node(ContentWalk *t, const Ast *node);
/* Statements. */
void content_block(ContentWalk *t, const AstList *body);
void content_def(ContentWalk *t, AstFunction *f);

/* ---- content_given.c ---- */

/* The name has a value from here to the end of the block. */
void content_give(ContentWalk *t, Sym name);
/* Targets that were read, those of `coming` behind the first `from`, have their value from here on. */
void content_give_coming(ContentWalk *t, uint32_t from);
/* The name is assigned to; it has its value once that was read. */
void content_bind(ContentWalk *t, Sym name);
/* All parameters, before what their defaults read. */
void content_bind_params(ContentWalk *t, const AstFunction *f);
/* The name is read. */
void content_read(ContentWalk *t, Sym name);
/* The text depends on what the name stands for. */
void content_collect(ContentWalk *t, Sym name);
/* Is the name one of the function's own, whatever was run of it? */
bool content_is_own(const ContentWalk *t, Sym name);

#endif
