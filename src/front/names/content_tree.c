/* Syntax trees as text for front_content: (KIND what the node says, children...), "_" for a child that is not there. Kinds are
 * written by name, so that the text stays the same when others are added. */
#include "front/names/content_int.h"

#include <stdio.h>

#include "front/syntax/parse.h"

static void tree_as(ContentWalk *t, const Ast *node, bool target);

void content_node(ContentWalk *t, const Ast *node)
{
	tree_as(t, node, false);
}

/* What is assigned to. */
static void target(ContentWalk *t, const Ast *node)
{
	tree_as(t, node, true);
}

/* ---- pieces ---- */

/* "-" is no name. */
static void word(ContentWalk *t, const char *text)
{
	text_char(t->out, ' ');
	text_str(t->out, text ? text : "-");
}

/* Hosts number their objects in the order in which they met them (_neso12). Here they are numbered by where they come in the tree, or another
 * process would not find it. */
static void name_word(ContentWalk *t, Sym name)
{
	uint64_t number;
	if (strncmp(name, "_neso", 5) != 0 || !name[5] || strspn(name + 5, "0123456789") != strlen(name + 5)) {
		word(t, name);
		return;
	}
	if (!map_get(&t->hosts, map_key(name), &number))
		map_put(&t->hosts, map_key(name), number = t->hosts.len);
	text_printf(t->out, " _neso#%u", (unsigned)number);
}

static void count(ContentWalk *t, uint32_t n)
{
	char text[16];
	snprintf(text, sizeof text, " %u", n);
	text_str(t->out, text);
}

/* Bytes of any kind: their number says where they end. */
static void bytes(ContentWalk *t, Str s)
{
	char text[32];
	snprintf(text, sizeof text, " %zu:", s.len);
	text_str(t->out, text);
	text_add(t->out, s.ptr, s.len);
}

static void list_as(ContentWalk *t, const AstList *items, bool targets)
{
	count(t, items->len);
	for (uint32_t i = 0; i < items->len; i++)
		tree_as(t, items->items[i], targets);
}

static void list(ContentWalk *t, const AstList *items)
{
	list_as(t, items, false);
}

/* Statements; strings that stand alone say nothing. */
void content_block(ContentWalk *t, const AstList *body)
{
	text_char(t->out, '{');
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *node = body->items[i];
		if (node->kind != AST_EXPR || node->unary_stmt.value->kind != AST_STRING)
			content_node(t, node);
	}
	text_char(t->out, '}');
}

static void keywords(ContentWalk *t, const AstKeyword *all, uint32_t n)
{
	count(t, n);
	for (uint32_t i = 0; i < n; i++) {
		word(t, all[i].name);
		content_node(t, all[i].value);
	}
}

/* As the name is meant where the annotation stands: renames of tl.constexpr show in no value. */
static void annotation(ContentWalk *t, const Ast *node)
{
	content_node(t, node);
	if (t->scope && is_constexpr_annotation(t->scope, node))
		text_char(t->out, 'c');
}

/* A decorator that is about launches: what kind of function it makes is told beside the tree
 * (content.c), and what it says of parameters by the call's arguments. Hosts that hand over a
 * function write it their own way. */
static bool is_about_launches(const Ast *decorator)
{
	const Ast *d = decorator->kind == AST_CALL ? decorator->call.func : decorator;
	const char *last = d->kind == AST_ATTRIBUTE ? d->attribute.attr
			   : d->kind == AST_NAME    ? d->name.id
						    : "";
	return strcmp(last, "jit") == 0 || strcmp(last, "autotune") == 0 || strcmp(last, "heuristics") == 0;
}

static void decorators(ContentWalk *t, const AstFunction *f)
{
	for (uint32_t i = 0; i < f->decorators.len; i++)
		if (f != t->root || !is_about_launches(f->decorators.items[i]))
			content_node(t, f->decorators.items[i]);
	text_char(t->out, '@');
}

static void head(ContentWalk *t, AstFunction *f)
{
	word(t, f->is_lambda ? "lambda" : f->name);
	decorators(t, f);
	count(t, f->param_count);
	uint32_t coming = t->coming.len;
	content_bind_params(t, f);
	t->coming.len = coming;
	for (uint32_t i = 0; i < f->param_count; i++) {
		const AstParam *p = &f->params[i];
		count(t, (uint32_t)p->kind);
		word(t, p->name);
		annotation(t, p->annotation);
		t->valued = f == t->root;
		content_node(t, p->value);
		t->valued = false;
	}
	content_node(t, f->returns);
}

static bool parsed(ContentWalk *t, AstFunction *f)
{
	DiagList none;
	if (f->body_parsed || f->is_lambda)
		return true;
	diag_init(&none, t->arena, NULL);
	if (!ast_function_body(t->ast, f, &none))
		t->failed = true;
	return !t->failed;
}

/* What is around a function has run, or not, when the function does; but for a lambda, which sees the values that it was made among. */
void content_def(ContentWalk *t, AstFunction *f)
{
	uint32_t coming = t->coming.len, given = t->given.len, base = t->base;
	head(t, f);
	if (!f->is_lambda)
		t->base = given;
	for (uint32_t i = 0; t->found && i < f->param_count; i++)
		content_give(t, f->params[i].name);
	if (parsed(t, f)) {
		if (f->is_lambda)
			content_node(t, f->body.items[0]->unary_stmt.value);
		else
			content_block(t, &f->body);
	}
	t->coming.len = coming;
	t->given.len = given;
	t->base = base;
	if (t->found)
		vec_push(t->arena, &t->found->functions, f);
}

static void klass(ContentWalk *t, const AstClass *c)
{
	word(t, c->name);
	list(t, &c->decorators);
	list(t, &c->bases);
	keywords(t, c->keywords, c->keyword_count);
	content_block(t, &c->body);
}

static void import(ContentWalk *t, const Ast *node)
{
	CONTRACT(node->kind == AST_IMPORT || node->kind == AST_IMPORT_FROM);
	count(t, node->import.level);
	word(t, node->import.module);
	for (uint32_t i = 0; i < node->import.count; i++) {
		word(t, node->import.names[i].name);
		word(t, node->import.names[i].asname);
	}
}

/* a.b.c as one name; the tree of what the attributes are asked of, when that is something else. */
static void attribute(ContentWalk *t, const Ast *node)
{
	const Ast *parts[32];
	uint32_t n = 0;
	for (; node->kind == AST_ATTRIBUTE && n < ARRAY_LEN(parts); node = node->attribute.value)
		parts[n++] = node;
	for (uint32_t i = 0; i < n; i++)
		word(t, parts[i]->attribute.attr);
	if (node->kind != AST_NAME) {
		content_node(t, node);
		return;
	}
	name_word(t, node->name.id);
	content_read(t, node->name.id);
	if (content_is_own(t, node->name.id))
		return;
	Text name;
	text_init(&name, t->arena);
	text_str(&name, node->name.id);
	while (n-- > 0) {
		text_char(&name, '.');
		text_str(&name, parts[n]->attribute.attr);
	}
	content_collect(t, intern(t->interner, (Str){name.data, name.len}));
}

/* ---- nodes ---- */

/* A block of a statement that may not run. */
static void branch(ContentWalk *t, const AstList *body)
{
	uint32_t given = t->given.len;
	content_block(t, body);
	t->given.len = given;
}

static void loop(ContentWalk *t, const Ast *node, uint32_t coming)
{
	CONTRACT(node->kind == AST_FOR);
	uint32_t given = t->given.len;
	target(t, node->for_stmt.target);
	content_node(t, node->for_stmt.iter);
	content_give_coming(t, coming);
	content_block(t, &node->for_stmt.body);
	t->given.len = given;
	branch(t, &node->for_stmt.orelse);
}

static void attempt(ContentWalk *t, const Ast *node)
{
	CONTRACT(node->kind == AST_TRY);
	uint32_t given = t->given.len;
	branch(t, &node->try_stmt.body);
	list(t, &node->try_stmt.handlers);
	branch(t, &node->try_stmt.orelse);
	branch(t, &node->try_stmt.finalbody);
	t->given.len = given;
}

static void statement(ContentWalk *t, const Ast *node)
{
	uint32_t coming = t->coming.len;
	switch (node->kind) {
	case AST_FUNCTION_DEF:
		content_def(t, node->function);
		break;
	case AST_CLASS_DEF:
		klass(t, node->klass);
		break;
	case AST_RETURN: case AST_EXPR:
		content_node(t, node->unary_stmt.value);
		break;
	case AST_ASSIGN:
		list_as(t, &node->assign.targets, true);
		content_node(t, node->assign.value);
		content_give_coming(t, coming);
		break;
	case AST_ANN_ASSIGN:
		target(t, node->ann_assign.target);
		annotation(t, node->ann_assign.annotation);
		content_node(t, node->ann_assign.value);
		if (node->ann_assign.value)
			content_give_coming(t, coming);
		break;
	case AST_AUG_ASSIGN:
		word(t, ast_bin_op_text(node->aug_assign.op));
		if (t->found)
			content_node(t, node->aug_assign.target); /* is read too */
		target(t, node->aug_assign.target);
		content_node(t, node->aug_assign.value);
		content_give_coming(t, coming);
		break;
	case AST_FOR:
		loop(t, node, coming);
		break;
	case AST_IF: case AST_WHILE:
		content_node(t, node->if_stmt.test);
		branch(t, &node->if_stmt.body);
		branch(t, &node->if_stmt.orelse);
		break;
	case AST_WITH:
		list(t, &node->with_stmt.items);
		branch(t, &node->with_stmt.body);
		break;
	case AST_WITH_ITEM:
		content_node(t, node->with_item.value);
		target(t, node->with_item.target);
		break;
	case AST_RAISE:
		content_node(t, node->raise.exc);
		content_node(t, node->raise.cause);
		break;
	case AST_ASSERT:
		content_node(t, node->assert_stmt.test);
		content_node(t, node->assert_stmt.msg);
		break;
	case AST_IMPORT: case AST_IMPORT_FROM:
		import(t, node);
		if (t->found)
			vec_push(t->arena, &t->found->imports, (Ast *)(uintptr_t)node);
		break;
	case AST_GLOBAL: case AST_NONLOCAL:
		for (uint32_t i = 0; i < node->names.count; i++)
			word(t, node->names.names[i]);
		break;
	case AST_DELETE:
		list(t, &node->del.targets);
		t->deletes = true;
		break;
	case AST_TRY:
		attempt(t, node);
		break;
	case AST_EXCEPT:
		word(t, node->except.name);
		content_node(t, node->except.type);
		branch(t, &node->except.body);
		break;
	default:
		break;
	}
	if (t->coming.len > coming)
		t->coming.len = coming;
}

static void leaf(ContentWalk *t, const Ast *node, bool is_target)
{
	char text[40];
	switch (node->kind) {
	case AST_NAME:
		name_word(t, node->name.id);
		if (is_target)
			content_bind(t, node->name.id);
		else
			content_read(t, node->name.id);
		if (!(is_target && t->found) && !content_is_own(t, node->name.id))
			content_collect(t, node->name.id);
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

static void expression(ContentWalk *t, const Ast *node, bool is_target)
{
	uint32_t coming = t->coming.len, given = t->given.len;
	switch (node->kind) {
	case AST_BIN_OP:
		word(t, ast_bin_op_text(node->bin.op));
		content_node(t, node->bin.left);
		content_node(t, node->bin.right);
		break;
	case AST_UNARY_OP:
		word(t, ast_un_op_text(node->un.op));
		content_node(t, node->un.operand);
		break;
	case AST_BOOL_OP:
		word(t, node->bool_op.is_or ? "or" : "and");
		list(t, &node->bool_op.values);
		break;
	case AST_COMPARE:
		content_node(t, node->compare.left);
		for (uint32_t i = 0; i < node->compare.rest.len; i++)
			word(t, ast_cmp_op_text(node->compare.ops[i]));
		list(t, &node->compare.rest);
		break;
	case AST_CALL:
		content_node(t, node->call.func);
		list(t, &node->call.args);
		keywords(t, node->call.keywords, node->call.keyword_count);
		break;
	case AST_ATTRIBUTE:
		attribute(t, node);
		break;
	case AST_SUBSCRIPT:
		content_node(t, node->subscript.value);
		content_node(t, node->subscript.index);
		break;
	case AST_SLICE:
		content_node(t, node->slice.lower);
		content_node(t, node->slice.upper);
		content_node(t, node->slice.step);
		break;
	case AST_IF_EXP:
		content_node(t, node->if_exp.test);
		content_node(t, node->if_exp.body);
		content_node(t, node->if_exp.orelse);
		break;
	case AST_LAMBDA:
		content_def(t, node->function);
		break;
	case AST_TUPLE: case AST_LIST: case AST_SET:
		list_as(t, &node->seq.items, is_target);
		break;
	case AST_DICT:
		list(t, &node->dict.keys);
		list(t, &node->dict.values);
		break;
	case AST_STARRED: case AST_AWAIT: case AST_YIELD: case AST_YIELD_FROM:
		tree_as(t, node->wrap.value, is_target);
		break;
	case AST_NAMED_EXPR:
		target(t, node->named.target); /* its value comes with the statement, if at all */
		content_node(t, node->named.value);
		t->coming.len = coming;
		break;
	case AST_LIST_COMP: case AST_SET_COMP: case AST_DICT_COMP: case AST_GENERATOR:
		list(t, &node->comp.clauses); /* first, as they bind what the others read */
		content_node(t, node->comp.elt);
		content_node(t, node->comp.value);
		t->given.len = given;
		break;
	case AST_COMP_FOR:
		target(t, node->comp_for.target);
		content_node(t, node->comp_for.iter);
		content_give_coming(t, coming);
		list(t, &node->comp_for.ifs);
		break;
	case AST_JOINED_STR:
		list(t, &node->joined.values);
		break;
	case AST_FORMATTED:
		count(t, (uint32_t)node->formatted.conversion);
		word(t, node->formatted.debug ? "=" : "");
		content_node(t, node->formatted.value);
		content_node(t, node->formatted.format_spec);
		break;
	default:
		leaf(t, node, is_target);
		break;
	}
}

static void tree_as(ContentWalk *t, const Ast *node, bool is_target)
{
	if (!node) {
		text_char(t->out, '_');
		return;
	}
	text_char(t->out, '(');
	text_str(t->out, ast_kind_name(node->kind));
	statement(t, node);
	expression(t, node, is_target);
	text_char(t->out, ')');
}

/* ---- entry points ---- */

ContentWalk content_walk(AstModule *ast, Interner *interner, Arena *arena, Text *out, ContentNames *names)
{
	ContentWalk t = {.ast = ast, .interner = interner, .arena = arena, .out = out, .names = names};
	map_init(&t.seen, arena);
	map_init(&t.seen_bound, arena);
	map_init(&t.place, arena);
	map_init(&t.hosts, arena);
	return t;
}

bool content_tree(Namespace *scope, const Ast *node, Arena *arena, Text *out, ContentNames *names, ContentTree *found)
{
	ContentWalk t = content_walk(scope->module->ast, &scope->module->session->names, arena, out, names);
	t.scope = scope;
	t.found = found;
	t.all = true;
	content_node(&t, node);
	return !t.failed;
}

/* Where a name is deleted, none is held to have a value. */
bool content_function(Namespace *scope, AstFunction *f, Arena *arena, Text *out, ContentNames *names, ContentTree *found)
{
	ContentWalk t = content_walk(scope->module->ast, &scope->module->session->names, arena, out, names);
	t.scope = scope;
	t.found = found;
	t.root = f;
	content_def(&t, f);
	if (!t.deletes)
		return !t.failed;
	Text again;
	text_init(&again, arena);
	names->len = 0;
	*found = (ContentTree){0};
	ContentWalk all = content_walk(t.ast, t.interner, arena, &again, names);
	all.found = found;
	all.all = true;
	all.root = f;
	all.scope = scope;
	content_def(&all, f);
	return !all.failed;
}
