/* Inside front_content: syntax trees as text, and the names in them. */
#ifndef NESO_FRONT_NAMES_CONTENT_H
#define NESO_FRONT_NAMES_CONTENT_H

#include "front/core.h"

typedef VEC(Sym) ContentNames;

/* What stands in a tree besides. */
typedef struct ContentTree {
	VEC(AstFunction *) functions; /* the function itself, inner ones, lambdas */
	VEC(Ast *) imports;
} ContentTree;

/* Appends a tree as text, in which position, comments, docstrings and layout leave no trace, and to `names` each name that is read
 * and may be another's than the function's own, with the attributes asked of it: "tl.float16", "x"; each once. Names that have a value
 * wherever control comes by are the function's own. Bodies of functions are parsed: false at a syntax error. */
bool content_tree(Namespace *scope, const Ast *node, Arena *arena, Text *out, ContentNames *names, ContentTree *found);
bool content_function(Namespace *scope, AstFunction *f, Arena *arena, Text *out, ContentNames *names, ContentTree *found);

/* ---- the graph ---- */

typedef struct Found {
	FrontFunction *function; /* or: */
	FrontClass *klass;       /* or: */
	FrontModule *module;
	const char *name;        /* with a number where another one has it too */
	uint32_t part;           /* of its row, once it has one */
} Found;

typedef struct Content {
	Arena *arena;
	FrontLower low;
	VEC(Found) queue;
	VEC(FrontPart) parts;
	Map seen;  /* functions, classes, modules, by address -> place in the queue */
	Map names; /* how many have a name */
	Text source;
	FrontFunction *kernel;
	const FrontArg *args;
	uint32_t arg_count;
	bool failed;
} Content;

/* A thing's name in values; it is put into the queue when it is new. */
const char *content_reference(Content *c, const void *what, Found found);
void content_value(Content *c, Text *out, const Val *v, unsigned depth);

#endif
