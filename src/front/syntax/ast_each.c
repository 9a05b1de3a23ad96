/* The children of a node, for walks that look for a few kinds anywhere. */
#include "front/syntax/ast.h"

typedef struct Each {
	AstVisit *visit;
	void *data;
} Each;

static void one(const Each *e, Ast *child)
{
	if (child)
		e->visit(e->data, child);
}

static void all(const Each *e, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++)
		one(e, list->items[i]);
}

static void keywords(const Each *e, const AstKeyword *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		one(e, list[i].value);
}

static void function(const Each *e, const AstFunction *f)
{
	all(e, &f->decorators);
	for (uint32_t i = 0; i < f->param_count; i++)
		one(e, f->params[i].value);
	if (f->is_lambda)
		all(e, &f->body);
}

static void statement(const Each *e, const Ast *n)
{
	switch (n->kind) {
	case AST_FUNCTION_DEF: function(e, n->function); break;
	case AST_CLASS_DEF:
		all(e, &n->klass->decorators);
		all(e, &n->klass->bases);
		keywords(e, n->klass->keywords, n->klass->keyword_count);
		all(e, &n->klass->body);
		break;
	case AST_RETURN: case AST_EXPR: one(e, n->unary_stmt.value); break;
	case AST_ASSIGN:
		all(e, &n->assign.targets);
		one(e, n->assign.value);
		break;
	case AST_ANN_ASSIGN:
		one(e, n->ann_assign.target);
		one(e, n->ann_assign.value);
		break;
	case AST_AUG_ASSIGN:
		one(e, n->aug_assign.target);
		one(e, n->aug_assign.value);
		break;
	case AST_FOR:
		one(e, n->for_stmt.target);
		one(e, n->for_stmt.iter);
		all(e, &n->for_stmt.body);
		all(e, &n->for_stmt.orelse);
		break;
	case AST_IF: case AST_WHILE:
		one(e, n->if_stmt.test);
		all(e, &n->if_stmt.body);
		all(e, &n->if_stmt.orelse);
		break;
	case AST_WITH:
		all(e, &n->with_stmt.items);
		all(e, &n->with_stmt.body);
		break;
	case AST_WITH_ITEM:
		one(e, n->with_item.value);
		one(e, n->with_item.target);
		break;
	case AST_RAISE:
		one(e, n->raise.exc);
		one(e, n->raise.cause);
		break;
	case AST_ASSERT:
		one(e, n->assert_stmt.test);
		one(e, n->assert_stmt.msg);
		break;
	case AST_DELETE: all(e, &n->del.targets); break;
	case AST_TRY:
		all(e, &n->try_stmt.body);
		all(e, &n->try_stmt.handlers);
		all(e, &n->try_stmt.orelse);
		all(e, &n->try_stmt.finalbody);
		break;
	case AST_EXCEPT:
		one(e, n->except.type);
		all(e, &n->except.body);
		break;
	default: break;
	}
}

static void expression(const Each *e, const Ast *n)
{
	switch (n->kind) {
	case AST_BIN_OP:
		one(e, n->bin.left);
		one(e, n->bin.right);
		break;
	case AST_UNARY_OP: one(e, n->un.operand); break;
	case AST_BOOL_OP: all(e, &n->bool_op.values); break;
	case AST_COMPARE:
		one(e, n->compare.left);
		all(e, &n->compare.rest);
		break;
	case AST_CALL:
		one(e, n->call.func);
		all(e, &n->call.args);
		keywords(e, n->call.keywords, n->call.keyword_count);
		break;
	case AST_ATTRIBUTE: one(e, n->attribute.value); break;
	case AST_SUBSCRIPT:
		one(e, n->subscript.value);
		one(e, n->subscript.index);
		break;
	case AST_SLICE:
		one(e, n->slice.lower);
		one(e, n->slice.upper);
		one(e, n->slice.step);
		break;
	case AST_IF_EXP:
		one(e, n->if_exp.test);
		one(e, n->if_exp.body);
		one(e, n->if_exp.orelse);
		break;
	case AST_LAMBDA: function(e, n->function); break;
	case AST_TUPLE: case AST_LIST: case AST_SET: all(e, &n->seq.items); break;
	case AST_DICT:
		all(e, &n->dict.keys);
		all(e, &n->dict.values);
		break;
	case AST_STARRED: case AST_AWAIT: case AST_YIELD: case AST_YIELD_FROM: one(e, n->wrap.value); break;
	case AST_NAMED_EXPR:
		one(e, n->named.target);
		one(e, n->named.value);
		break;
	case AST_LIST_COMP: case AST_SET_COMP: case AST_DICT_COMP: case AST_GENERATOR:
		all(e, &n->comp.clauses);
		one(e, n->comp.elt);
		one(e, n->comp.value);
		break;
	case AST_COMP_FOR:
		one(e, n->comp_for.target);
		one(e, n->comp_for.iter);
		all(e, &n->comp_for.ifs);
		break;
	case AST_JOINED_STR: all(e, &n->joined.values); break;
	case AST_FORMATTED:
		one(e, n->formatted.value);
		one(e, n->formatted.format_spec);
		break;
	default: break;
	}
}

void ast_each(const Ast *node, AstVisit *visit, void *data)
{
	Each e = {visit, data};
	statement(&e, node);
	expression(&e, node);
}
