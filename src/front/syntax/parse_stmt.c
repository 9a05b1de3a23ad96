/* Simple statements: those that fit on a line. */
#include "front/syntax/parser.h"

static Ast *value_or_yield(Parser *p)
{
	return at(p, TOK_YIELD) ? parse_yield(p) : parse_tests(p, false);
}

/* (star_targets '=')+ (yield_expr | star_expressions), after the first target */
static Ast *assignment(Parser *p, Ast *first)
{
	uint32_t base = p->stack.len;
	Ast *node = node_new(p, AST_ASSIGN, first->span.start), *value = first;
	while (accept(p, TOK_EQUAL)) {
		if (!parse_check_target(p, value, false))
			return NULL;
		push(p, value);
		value = at(p, TOK_YIELD) ? parse_yield(p) : parse_tests(p, true);
		if (!value)
			return NULL;
	}
	if (value->kind == AST_STARRED)
		return parse_error(p, value->span, DIAG_SYNTAX_STARRED, NULL, NULL);
	node->assign.targets = parse_take_list(p, node, base);
	node->assign.value = own(node, value);
	return node_end(p, node);
}

static bool is_single_target(const Ast *node)
{
	return node->kind == AST_NAME || node->kind == AST_ATTRIBUTE || node->kind == AST_SUBSCRIPT;
}

/* ORDER BIN: the tokens of augmented assignment. */
_Static_assert(TOK_STAR_STAR_EQUAL - TOK_PLUS_EQUAL == (int)BIN_POW, "token.def and AstBinOp");
_Static_assert(TOK_CARET_EQUAL - TOK_PLUS_EQUAL == (int)BIN_XOR, "token.def and AstBinOp");

static Ast *aug_assignment(Parser *p, Ast *target)
{
	if (!is_single_target(target))
		return parse_error(p, target->span, DIAG_SYNTAX_AUG_TARGET, parse_describe(target), NULL);
	Ast *node = node_new(p, AST_AUG_ASSIGN, target->span.start);
	node->aug_assign.op = (AstBinOp)(peek(p) - TOK_PLUS_EQUAL);
	node->aug_assign.target = own(node, target);
	advance(p);
	node->aug_assign.value = own(node, value_or_yield(p));
	return node->aug_assign.value ? node_end(p, node) : NULL;
}

/* target ':' expression ['=' (yield_expr | star_expressions)] */
static Ast *annotation(Parser *p, Ast *target)
{
	if (!is_single_target(target))
		return parse_error(p, target->span, DIAG_SYNTAX_ANN_TARGET, parse_describe(target), NULL);
	Ast *node = node_new(p, AST_ANN_ASSIGN, target->span.start);
	advance(p);
	node->ann_assign.target = own(node, target);
	if (!(node->ann_assign.annotation = own(node, parse_test(p))))
		return NULL;
	if (accept(p, TOK_EQUAL) && !(node->ann_assign.value = own(node, value_or_yield(p))))
		return NULL;
	return node_end(p, node);
}

static Ast *expression_statement(Parser *p)
{
	uint32_t start = tok_start(p);
	if (!at(p, TOK_YIELD) && !at(p, TOK_STAR) && !parse_begins_expression(peek(p)))
		return parse_unexpected(p, "a statement");
	Ast *first = at(p, TOK_YIELD) ? parse_yield(p) : parse_tests(p, true);
	if (!first)
		return NULL;
	Ast *node;
	if (at(p, TOK_EQUAL)) {
		node = assignment(p, first);
	} else if (peek(p) >= TOK_PLUS_EQUAL && peek(p) <= TOK_CARET_EQUAL) {
		node = aug_assignment(p, first);
	} else if (at(p, TOK_COLON)) {
		node = annotation(p, first);
	} else {
		if (first->kind == AST_STARRED)
			return parse_error(p, first->span, DIAG_SYNTAX_STARRED, NULL, NULL);
		node = node_new(p, AST_EXPR, start);
		node->unary_stmt.value = own(node, first);
		node_end(p, node);
	}
	if (node)
		node->span.start = start; /* a parenthesis before the first target belongs to the statement */
	return node;
}

/* ---- statements with a keyword ---- */

static Ast *return_statement(Parser *p)
{
	Ast *node = node_new(p, AST_RETURN, tok_start(p));
	if (!p->in_function)
		return parse_error_here(p, DIAG_SYNTAX_OUTSIDE, "return", "function");
	advance(p);
	if (at(p, TOK_STAR) || parse_begins_expression(peek(p))) {
		node->unary_stmt.value = own(node, parse_tests(p, false));
		if (!node->unary_stmt.value)
			return NULL;
	}
	return node_end(p, node);
}

static Ast *jump(Parser *p)
{
	bool is_break = at(p, TOK_BREAK);
	Ast *node = node_new(p, is_break ? AST_BREAK : AST_CONTINUE, tok_start(p));
	if (!p->in_loop)
		return parse_error_here(p, DIAG_SYNTAX_OUTSIDE, is_break ? "break" : "continue", "loop");
	advance(p);
	return node_end(p, node);
}

static Ast *pass(Parser *p)
{
	Ast *node = node_new(p, AST_PASS, tok_start(p));
	advance(p);
	return node_end(p, node);
}

static Ast *raise(Parser *p)
{
	Ast *node = node_new(p, AST_RAISE, tok_start(p));
	advance(p);
	if (parse_begins_expression(peek(p))) {
		if (!(node->raise.exc = own(node, parse_test(p))))
			return NULL;
		if (accept(p, TOK_FROM) && !(node->raise.cause = own(node, parse_test(p))))
			return NULL;
	}
	return node_end(p, node);
}

static Ast *assert_statement(Parser *p)
{
	Ast *node = node_new(p, AST_ASSERT, tok_start(p));
	advance(p);
	if (!(node->assert_stmt.test = own(node, parse_test(p))))
		return NULL;
	if (accept(p, TOK_COMMA) && !(node->assert_stmt.msg = own(node, parse_test(p))))
		return NULL;
	return node_end(p, node);
}

static Ast *delete(Parser *p)
{
	Ast *node = node_new(p, AST_DELETE, tok_start(p));
	uint32_t base = p->stack.len;
	advance(p);
	do {
		Ast *target = parse_binary(p, PREC_BIT_OR);
		if (!target || !parse_check_target(p, target, true))
			return NULL;
		push(p, target);
	} while (accept(p, TOK_COMMA) && parse_begins_expression(peek(p)));
	node->del.targets = parse_take_list(p, node, base);
	return node_end(p, node);
}

/* global a, b; nonlocal a, b */
static Ast *scope(Parser *p)
{
	Ast *node = node_new(p, at(p, TOK_GLOBAL) ? AST_GLOBAL : AST_NONLOCAL, tok_start(p));
	VEC(Sym) names = {0};
	advance(p);
	do {
		Sym name = parse_take_name(p, "a name");
		if (!name)
			return NULL;
		vec_push(p->arena, &names, name);
	} while (accept(p, TOK_COMMA));
	node->names.names = names.data;
	node->names.count = names.len;
	return node_end(p, node);
}

/* ---- imports ---- */

typedef VEC(AstAlias) AliasList;

/* NAME ('.' NAME)*; NULL after a report */
static Sym dotted_name(Parser *p)
{
	Text text;
	Sym name = parse_take_name(p, "a module name");
	if (!name || !at(p, TOK_DOT))
		return name;
	text_init(&text, p->arena);
	text_str(&text, name);
	while (accept(p, TOK_DOT)) {
		if (!(name = parse_take_name(p, "a name after '.'")))
			return NULL;
		text_char(&text, '.');
		text_str(&text, name);
	}
	return intern(p->names, (Str){text.data, text.len});
}

static bool alias(Parser *p, AliasList *list, bool dotted)
{
	uint32_t start = tok_start(p);
	AstAlias it = {.name = dotted ? dotted_name(p) : parse_take_name(p, "a name to import")};
	if (!it.name || (accept(p, TOK_AS) && !(it.asname = parse_take_name(p, "a name after 'as'"))))
		return false;
	it.span = parse_span(p, start, p->prev_end);
	vec_push(p->arena, list, it);
	return true;
}

static Ast *finish_import(Parser *p, Ast *node, const AliasList *list)
{
	CONTRACT(node->kind == AST_IMPORT || node->kind == AST_IMPORT_FROM);
	node->import.names = list->data;
	node->import.count = list->len;
	return node_end(p, node);
}

static Ast *import(Parser *p)
{
	Ast *node = node_new(p, AST_IMPORT, tok_start(p));
	AliasList list = {0};
	advance(p);
	do
		if (!alias(p, &list, true))
			return NULL;
	while (accept(p, TOK_COMMA));
	return finish_import(p, node, &list);
}

/* 'from' ('.' | '...')* [dotted_name] 'import' ('*' | '(' aliases [','] ')' | aliases) */
static Ast *import_from(Parser *p)
{
	Ast *node = node_new(p, AST_IMPORT_FROM, tok_start(p));
	AliasList list = {0};
	advance(p);
	for (; at(p, TOK_DOT) || at(p, TOK_ELLIPSIS); advance(p))
		node->import.level += at(p, TOK_DOT) ? 1 : 3;
	if ((!node->import.level || at(p, TOK_NAME)) && !(node->import.module = dotted_name(p)))
		return NULL;
	if (!parse_expect(p, TOK_IMPORT))
		return NULL;
	if (at(p, TOK_STAR)) {
		vec_push(p->arena, &list, (AstAlias){intern(p->names, STR("*")), NULL, parse_here(p)});
		advance(p);
		return finish_import(p, node, &list);
	}
	bool parens = accept(p, TOK_LPAREN);
	do {
		if (parens && list.len && at(p, TOK_RPAREN))
			break;
		if (!parens && list.len && at(p, TOK_NEWLINE)) {
			Span comma = parse_span(p, p->prev_end - 1, p->prev_end);
			return parse_error(p, comma, DIAG_SYNTAX_COMMA, NULL, NULL);
		}
		if (!alias(p, &list, false))
			return NULL;
	} while (accept(p, TOK_COMMA));
	if (parens && !accept(p, TOK_RPAREN))
		return parse_unexpected(p, "',' or ')'");
	return finish_import(p, node, &list);
}

/* ---- the line ---- */

/* type NAME [type_params] '=' expression: no node keeps it */
static Ast *type_alias(Parser *p)
{
	Ast *node = node_new(p, AST_SKIPPED, tok_start(p));
	if (p->in_function)
		parse_error_here(p, DIAG_SYNTAX_STATEMENT, "type", NULL);
	while (!at(p, TOK_NEWLINE) && !at(p, TOK_SEMICOLON) && !at(p, TOK_END)) {
		if (at(p, TOK_ERROR))
			return parse_unexpected(p, "a type");
		advance(p);
	}
	return node_end(p, node);
}

static Ast *simple(Parser *p)
{
	switch (peek(p)) {
	case TOK_RETURN: return return_statement(p);
	case TOK_PASS: return pass(p);
	case TOK_BREAK: case TOK_CONTINUE: return jump(p);
	case TOK_RAISE: return raise(p);
	case TOK_ASSERT: return assert_statement(p);
	case TOK_DEL: return delete(p);
	case TOK_GLOBAL: case TOK_NONLOCAL: return scope(p);
	case TOK_IMPORT: return import(p);
	case TOK_FROM: return import_from(p);
	case TOK_NAME:
		if (p->tok[1].kind == TOK_NAME && parse_is_name(p, p->tok, "type"))
			return type_alias(p);
		/* fall through */
	default: return expression_statement(p);
	}
}

/* The name `print` alone, as the print statement of Python 2 begins. */
static bool is_print(const Ast *node)
{
	return node->kind == AST_EXPR && node->unary_stmt.value->kind == AST_NAME &&
	       strcmp(node->unary_stmt.value->name.id, "print") == 0;
}

bool parse_simple_line(Parser *p)
{
	for (;;) {
		Ast *node = simple(p);
		if (!node)
			return false;
		if (is_print(node) && parse_begins_expression(peek(p)) && !at(p, TOK_ERROR)) {
			parse_error(p, node->span, DIAG_SYNTAX_PRINT, NULL, NULL);
			return false;
		}
		parse_push_checked(p, node);
		if (!accept(p, TOK_SEMICOLON) || at(p, TOK_NEWLINE))
			break;
	}
	if (!at(p, TOK_NEWLINE)) {
		parse_unexpected(p, "end of line");
		return false;
	}
	p->tok++;
	return true;
}
