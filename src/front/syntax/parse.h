/* Python source text to syntax tree.
 *
 * All of a file is tokenised. At module level, and in classes and functions that enclose kernels, imports,
 * assignments, decorators, `def` and `class` lines, `if`/`try` blocks around them are parsed; the body of a
 * function is parsed when it is first asked for, so a file of 10,000 lines of host code costs its tokens.
 * Errors inside a block that nobody asks for are not errors. */
#ifndef NESO_FRONT_SYNTAX_PARSE_H
#define NESO_FRONT_SYNTAX_PARSE_H

#include "base/diag/diag.h"
#include "front/syntax/ast.h"

/* Parses the module level. Returns NULL after diagnosing an error that leaves nothing usable (text that is
 * no Python at all); otherwise the module with what could be parsed. */
AstModule *ast_parse_module(Arena *arena, Interner *names, const Source *source, DiagList *diags);

/* Parses the body of a function of this module, once; false if it holds a syntax error (diagnosed).
 * Not thread-safe for one module: callers hold the module's lock or parse all bodies first. */
bool ast_function_body(AstModule *module, AstFunction *function, DiagList *diags);

/* One expression from text (for `neso run X=EXPR`, Config values given by hosts). */
Ast *ast_parse_expression(Arena *arena, Interner *names, const Source *source, DiagList *diags);

#endif
