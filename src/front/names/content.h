/* Inside front_content: syntax trees as text, and the names in them. */
#ifndef NESO_FRONT_NAMES_CONTENT_H
#define NESO_FRONT_NAMES_CONTENT_H

#include "front/core.h"

typedef VEC(Sym) ContentNames;

/* Appends a tree as text, in which position, comments, docstrings and layout leave no trace, and to `names` each name that it
 * reads or writes, with the attributes asked of it: "tl.float16", "x"; each once. Bodies of functions are parsed: false at a syntax error. */
bool content_tree(FrontModule *module, const Ast *node, Arena *arena, Text *out, ContentNames *names);
bool content_function(FrontModule *module, AstFunction *f, Arena *arena, Text *out, ContentNames *names);

#endif
