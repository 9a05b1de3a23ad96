/* Between content_tree.c, which writes a syntax tree as text, and content_names.c, which asks it for names alone. */
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
/* Its parameters have a value. */
void content_bind_params(ContentWalk *t, const AstFunction *f);

#endif
