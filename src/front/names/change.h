/* Inside names/: what host code changes without binding a name.
 *
 * Statements of a module are obeyed or remembered as they come (session_change.c). What functions
 * do when somebody calls them, and what is done to things that cannot be told from here, is a list
 * of effects that every read is held against (effect.c). */
#ifndef NESO_FRONT_NAMES_CHANGE_H
#define NESO_FRONT_NAMES_CHANGE_H

#include "front/session.h"

/* What a node changes: an attribute, items, or (`object` NULL) a name of the module by its text. */
typedef struct Change {
	const Ast *object;
	Sym attr;   /* NULL: its items */
	Ast *value; /* NULL where it is not known */
	Span span;
} Change;

typedef void ChangeFn(void *data, const Change *change);

/* Calls `each` for what the node itself changes; its children are the caller's to visit. */
void change_of_node(Namespace *ns, Ast *node, ChangeFn *each, void *data);
void change_of_target(Namespace *ns, Ast *target, Ast *value, Span span, ChangeFn *each, void *data);
/* globals(), vars(), locals(): of a module's own */
bool change_is_environment(Namespace *ns, const Ast *object); /* os.environ */
bool change_makes_other_code(Sym attribute); /* f.__defaults__ = ... */

bool change_is_one_of(Sym name, const char *const *names, size_t count);

/* Names in the expression that may stand for the same object as its value, or be part of it. */
void change_each_alias(Ast *value, AstVisit *visit, void *data);

/* ---- effect.c ---- */

void effect_add(FrontModule *m, Sym base, Sym attr, Span span);
/* os.environ[variable] = ...; NULL: any. */
void effect_add_environment(FrontModule *m, Sym variable, Span span);
/* A piece of text that binds names which no tree shows: exec("..."), match. */
void effect_add_text(FrontModule *m, Span span, bool any);
/* May the function change what it is handed? */
bool effect_changes_arguments(FrontFunction *f);
/* Does a function or method of this name, in any file that was loaded? */
bool effect_method_changes(FrontSession *s, Sym name);

/* The binding behind from-imports. */
Binding *change_definition(Binding *b);
const char *change_told(const FrontModule *m, Span span); /* "line 4 of a.py changes it" */

#endif
