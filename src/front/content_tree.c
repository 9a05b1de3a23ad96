/* Syntax trees as text for front_content: (KIND what the node says, children...), "_" for a child that is not there. Kinds are
 * written by name, so that the text stays the same when others are added. */
#include "front/content.h"

#include <stdio.h>

#include "front/parse.h"

typedef struct Tree {
	FrontModule *module;
	Arena *arena;
	Text *out;
	ContentNames *names;
	Map seen;    /* of names */
	bool failed; /* a body does not parse */
} Tree;

static void tree(Tree *t, const Ast *node);

/* ---- pieces ---- */

static void word(Tree *t, const char *text)
{
	text_char(t->out, ' ');
	text_str(t->out, text ? text : "_");
}

static void count(Tree *t, uint32_t n)
{
	char text[16];
	snprintf(text, sizeof text, " %u", n);
	text_str(t->out, text);
}

/* Bytes of any kind: their number says where they end. */
static void bytes(Tree *t, Str s)
{
	char text[32];
	snprintf(text, sizeof text, " %zu:", s.len);
	text_str(t->out, text);
	text_add(t->out, s.ptr, s.len);
}

static void list(Tree *t, const AstList *items)
{
	count(t, items->len);
	for (uint32_t i = 0; i < items->len; i++)
		tree(t, items->items[i]);
}

/* Statements; strings that stand alone say nothing. */
static void block(Tree *t, const AstList *body)
{
	text_char(t->out, '{');
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *node = body->items[i];
		if (node->kind != AST_EXPR || node->unary_stmt.value->kind != AST_STRING)
			tree(t, node);
	}
	text_char(t->out, '}');
}

static void keywords(Tree *t, const AstKeyword *all, uint32_t n)
{
	count(t, n);
	for (uint32_t i = 0; i < n; i++) {
		word(t, all[i].name);
		tree(t, all[i].value);
	}
}

static void function(Tree *t, AstFunction *f)
{
	word(t, f->is_lambda ? "lambda" : f->name);
	list(t, &f->decorators);
	count(t, f->param_count);
	for (uint32_t i = 0; i < f->param_count; i++) {
		const AstParam *p = &f->params[i];
		count(t, (uint32_t)p->kind);
		word(t, p->name);
		tree(t, p->annotation);
		tree(t, p->value);
	}
	tree(t, f->returns);
	if (!f->body_parsed && !f->is_lambda) {
		DiagList none;
		diag_init(&none, t->arena, NULL);
		if (!ast_function_body(t->module->ast, f, &none)) {
			t->failed = true;
			return;
		}
	}
	block(t, &f->body);
}

static void klass(Tree *t, const AstClass *c)
{
	word(t, c->name);
	list(t, &c->decorators);
	list(t, &c->bases);
	keywords(t, c->keywords, c->keyword_count);
	block(t, &c->body);
}

static void import(Tree *t, const Ast *node)
{
	count(t, node->import.level);
	word(t, node->import.module);
	for (uint32_t i = 0; i < node->import.count; i++) {
		word(t, node->import.names[i].name);
		word(t, node->import.names[i].asname);
	}
}

/* ---- names ---- */

static void add_name(Tree *t, Sym name)
{
	uint64_t known;
	if (map_get(&t->seen, map_key(name), &known))
		return;
	map_put(&t->seen, map_key(name), 1);
	vec_push(t->arena, t->names, name);
}

/* a.b.c as one name; the tree of what the attributes are asked of, when that is something else. */
static void attribute(Tree *t, const Ast *node)
{
	const Ast *parts[32];
	uint32_t n = 0;
	for (; node->kind == AST_ATTRIBUTE && n < ARRAY_LEN(parts); node = node->attribute.value)
		parts[n++] = node;
	for (uint32_t i = 0; i < n; i++)
		word(t, parts[i]->attribute.attr);
	if (node->kind != AST_NAME) {
		tree(t, node);
		return;
	}
	word(t, node->name.id);
	Text name;
	text_init(&name, t->arena);
	text_str(&name, node->name.id);
	while (n-- > 0) {
		text_char(&name, '.');
		text_str(&name, parts[n]->attribute.attr);
	}
	add_name(t, intern(&t->module->session->names, (Str){name.data, name.len}));
}

/* ---- nodes ---- */

static void statement(Tree *t, const Ast *node)
{
	switch (node->kind) {
	case AST_FUNCTION_DEF:
		function(t, node->function);
		break;
	case AST_CLASS_DEF:
		klass(t, node->klass);
		break;
	case AST_RETURN: case AST_EXPR:
		tree(t, node->unary_stmt.value);
		break;
	case AST_ASSIGN:
		list(t, &node->assign.targets);
		tree(t, node->assign.value);
		break;
	case AST_ANN_ASSIGN:
		tree(t, node->ann_assign.target);
		tree(t, node->ann_assign.annotation);
		tree(t, node->ann_assign.value);
		break;
	case AST_AUG_ASSIGN:
		word(t, ast_bin_op_text(node->aug_assign.op));
		tree(t, node->aug_assign.target);
		tree(t, node->aug_assign.value);
		break;
	case AST_FOR:
		tree(t, node->for_stmt.target);
		tree(t, node->for_stmt.iter);
		block(t, &node->for_stmt.body);
		block(t, &node->for_stmt.orelse);
		break;
	case AST_IF: case AST_WHILE:
		tree(t, node->if_stmt.test);
		block(t, &node->if_stmt.body);
		block(t, &node->if_stmt.orelse);
		break;
	case AST_WITH:
		list(t, &node->with_stmt.items);
		block(t, &node->with_stmt.body);
		break;
	case AST_WITH_ITEM:
		tree(t, node->with_item.value);
		tree(t, node->with_item.target);
		break;
	case AST_RAISE:
		tree(t, node->raise.exc);
		tree(t, node->raise.cause);
		break;
	case AST_ASSERT:
		tree(t, node->assert_stmt.test);
		tree(t, node->assert_stmt.msg);
		break;
	case AST_IMPORT: case AST_IMPORT_FROM:
		import(t, node);
		break;
	case AST_GLOBAL: case AST_NONLOCAL:
		for (uint32_t i = 0; i < node->names.count; i++)
			word(t, node->names.names[i]);
		break;
	case AST_DELETE:
		list(t, &node->del.targets);
		break;
	case AST_TRY:
		block(t, &node->try_stmt.body);
		list(t, &node->try_stmt.handlers);
		block(t, &node->try_stmt.orelse);
		block(t, &node->try_stmt.finalbody);
		break;
	case AST_EXCEPT:
		word(t, node->except.name);
		tree(t, node->except.type);
		block(t, &node->except.body);
		break;
	default:
		break;
	}
}

static void leaf(Tree *t, const Ast *node)
{
	char text[40];
	switch (node->kind) {
	case AST_NAME:
		word(t, node->name.id);
		add_name(t, node->name.id);
		break;
	case AST_INT:
		count(t, (uint32_t)node->number.base);
		bytes(t, node->number.digits);
		word(t, node->number.imaginary ? "j" : "");
		break;
	case AST_FLOAT: case AST_IMAGINARY:
		snprintf(text, sizeof text, "%a", node->real.value);
		word(t, text);
		break;
	case AST_STRING:
		word(t, node->string.is_bytes ? "b" : "");
		bytes(t, node->string.text);
		break;
	default:
		break;
	}
}

static void expression(Tree *t, const Ast *node)
{
	switch (node->kind) {
	case AST_BIN_OP:
		word(t, ast_bin_op_text(node->bin.op));
		tree(t, node->bin.left);
		tree(t, node->bin.right);
		break;
	case AST_UNARY_OP:
		word(t, ast_un_op_text(node->un.op));
		tree(t, node->un.operand);
		break;
	case AST_BOOL_OP:
		word(t, node->bool_op.is_or ? "or" : "and");
		list(t, &node->bool_op.values);
		break;
	case AST_COMPARE:
		tree(t, node->compare.left);
		for (uint32_t i = 0; i < node->compare.rest.len; i++)
			word(t, ast_cmp_op_text(node->compare.ops[i]));
		list(t, &node->compare.rest);
		break;
	case AST_CALL:
		tree(t, node->call.func);
		list(t, &node->call.args);
		keywords(t, node->call.keywords, node->call.keyword_count);
		break;
	case AST_ATTRIBUTE:
		attribute(t, node);
		break;
	case AST_SUBSCRIPT:
		tree(t, node->subscript.value);
		tree(t, node->subscript.index);
		break;
	case AST_SLICE:
		tree(t, node->slice.lower);
		tree(t, node->slice.upper);
		tree(t, node->slice.step);
		break;
	case AST_IF_EXP:
		tree(t, node->if_exp.test);
		tree(t, node->if_exp.body);
		tree(t, node->if_exp.orelse);
		break;
	case AST_LAMBDA:
		function(t, node->function);
		break;
	case AST_TUPLE: case AST_LIST: case AST_SET:
		list(t, &node->seq.items);
		break;
	case AST_DICT:
		list(t, &node->dict.keys);
		list(t, &node->dict.values);
		break;
	case AST_STARRED: case AST_AWAIT: case AST_YIELD: case AST_YIELD_FROM:
		tree(t, node->wrap.value);
		break;
	case AST_NAMED_EXPR:
		tree(t, node->named.target);
		tree(t, node->named.value);
		break;
	case AST_LIST_COMP: case AST_SET_COMP: case AST_DICT_COMP: case AST_GENERATOR:
		tree(t, node->comp.elt);
		tree(t, node->comp.value);
		list(t, &node->comp.clauses);
		break;
	case AST_COMP_FOR:
		tree(t, node->comp_for.target);
		tree(t, node->comp_for.iter);
		list(t, &node->comp_for.ifs);
		break;
	case AST_JOINED_STR:
		list(t, &node->joined.values);
		break;
	case AST_FORMATTED:
		count(t, (uint32_t)node->formatted.conversion);
		word(t, node->formatted.debug ? "=" : "");
		tree(t, node->formatted.value);
		tree(t, node->formatted.format_spec);
		break;
	default:
		leaf(t, node);
		break;
	}
}

static void tree(Tree *t, const Ast *node)
{
	if (!node) {
		text_char(t->out, '_');
		return;
	}
	text_char(t->out, '(');
	text_str(t->out, ast_kind_name(node->kind));
	statement(t, node);
	expression(t, node);
	text_char(t->out, ')');
}

/* ---- entry points ---- */

bool content_tree(FrontModule *module, const Ast *node, Arena *arena, Text *out, ContentNames *names)
{
	Tree t = {.module = module, .arena = arena, .out = out, .names = names};
	map_init(&t.seen, arena);
	tree(&t, node);
	return !t.failed;
}

bool content_function(FrontModule *module, AstFunction *f, Arena *arena, Text *out, ContentNames *names)
{
	Tree t = {.module = module, .arena = arena, .out = out, .names = names};
	map_init(&t.seen, arena);
	function(&t, f);
	return !t.failed;
}
