/* What Triton's front end has no syntax for, and what of Python's own it does not know, for
 * NESO_STRICT_TRITON. Host code (constexpr functions, defaults) is Python's there too, and what the
 * library is written in is nobody's program. */
#include "front/core.h"

static bool is_strict(const FrontLower *low)
{
	const Frame *f = low->frame;
	return low->options->strict && !f->host && !f->free_globals && !module_in_lib(f->ns->module);
}

static const char *comprehension_with(const Ast *node)
{
	const Ast *clause = node->comp.clauses.items[0];
	if (node->comp.clauses.len > 1)
		return "comprehensions of several loops";
	if (clause->comp_for.ifs.len)
		return "comprehensions with `if`";
	return clause->comp_for.target->kind == AST_NAME ? NULL : "comprehensions of several names";
}

static const char *missing_expression(const Ast *node)
{
	switch (node->kind) {
	case AST_DICT:
	case AST_DICT_COMP:
		return "dicts";
	case AST_SET:
	case AST_SET_COMP:
		return "sets";
	case AST_LAMBDA:
		return "lambdas";
	case AST_GENERATOR:
		return "generator expressions";
	case AST_LIST_COMP:
		return comprehension_with(node);
	case AST_COMPARE:
		return node->compare.ops[0] == CMP_IN ? "`in`"
		       : node->compare.ops[0] == CMP_NOT_IN ? "`not in`" : NULL;
	default:
		return NULL;
	}
}

bool strict_expression(FrontLower *low, const Ast *node)
{
	if (!is_strict(low))
		return true;
	if (node->kind == AST_COMPARE && node->compare.rest.len > 1)
		return lower_extension_words(low, "simultaneous multiple comparison is not supported");
	const char *what = missing_expression(node);
	return !what || lower_extension(low, what);
}

bool strict_statement(FrontLower *low, const Ast *node)
{
	if (!is_strict(low))
		return true;
	if (node->kind == AST_DELETE)
		return lower_extension(low, "`del`");
	if (node->kind != AST_ASSIGN)
		return true;
	if (node->assign.targets.len > 1)
		return lower_extension(low, "assignment to several targets");
	return node->assign.targets.items[0]->kind != AST_LIST || lower_extension(low, "list of targets");
}

bool strict_for(FrontLower *low, const Val *iter)
{
	return !is_strict(low) || iter->kind == VAL_RANGE || iter->kind == VAL_POISON ||
	       lower_extension(low, "`for` over anything but range() and tl.static_range()");
}

bool strict_comprehension(FrontLower *low, const Val *iter)
{
	return !is_strict(low) || iter->kind == VAL_TUPLE || iter->kind == VAL_POISON ||
	       lower_extension(low, "comprehensions over anything but a tuple");
}

bool strict_python(FrontLower *low, Sym name)
{
	static const char *const known[] = {"len", "list", "range", "float", "int", "isinstance",
					    "getattr", "hasattr", "print", "min", "max"};
	if (!is_strict(low))
		return true;
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(name, known[i]))
			return true;
	return lower_extension(low, arena_printf(low->arena, "Python's %s() in kernels", name));
}

bool strict_global(FrontLower *low, const Val *v)
{
	if (!is_strict(low) || low->options->allow_non_constexpr_globals)
		return true;
	FrontFunction *f = v->kind == VAL_FUNCTION ? v->function : NULL;
	if (f)
		function_decorate(f);
	if (f && (f->kind == FN_HOST || f->plain) && !module_in_lib(f->module))
		return lower_extension(low, "functions without a decorator in kernels");
	if (v->kind != VAL_CLASS || (v->klass->module && module_in_lib(v->klass->module)) ||
	    v->klass->kind == CLASS_AGGREGATE || v->klass->kind == CLASS_TUPLE)
		return true;
	return lower_extension(low, "classes but aggregates and named tuples in kernels");
}

bool strict_unary(FrontLower *low, AstUnOp op)
{
	return !is_strict(low) || op != UN_POS || lower_extension(low, "unary `+` of tensors");
}
