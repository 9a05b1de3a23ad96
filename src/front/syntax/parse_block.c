/* Compound statements: those with blocks. */
#include "front/syntax/parser.h"

static bool loop_body(Parser *p, Ast *node, AstList *body, const char *what, uint32_t start)
{
	bool outer = p->in_loop;
	p->in_loop = true;
	bool ok = parse_block(p, node, body, what, start);
	p->in_loop = outer;
	return ok;
}

static bool else_block(Parser *p, Ast *node, AstList *body)
{
	uint32_t start = tok_start(p);
	return !accept(p, TOK_ELSE) || parse_block(p, node, body, "'else' statement", start);
}

/* 'if' named_expression ':' block ('elif' ...)* ['else' ...]: each elif is an IF, alone in the orelse of the
 * one before. The nodes wait on the stack, so that heights can be counted from the last one. */
static Ast *if_statement(Parser *p)
{
	uint32_t base = p->stack.len;
	bool ok = true;
	for (bool first = true; ok && (first || at(p, TOK_ELIF)); first = false) {
		Ast *node = node_new(p, AST_IF, tok_start(p));
		push(p, node);
		advance(p);
		const char *what = first ? "'if' statement" : "'elif' statement";
		node->if_stmt.test = own(node, parse_named(p));
		ok = node->if_stmt.test && parse_block(p, node, &node->if_stmt.body, what, node->span.start);
	}
	Ast *node = vec_last(&p->stack);
	if (!ok || !else_block(p, node, &node->if_stmt.orelse))
		return NULL;
	node_end(p, node);
	for (uint32_t i = p->stack.len - 1; i > base; i--) {
		Ast *outer = p->stack.data[i - 1];
		outer->if_stmt.orelse = (AstList){ARENA_ARRAY(p->arena, Ast *, 1), 1};
		outer->if_stmt.orelse.items[0] = own(outer, p->stack.data[i]);
		node_end(p, outer);
	}
	node = p->stack.data[base];
	p->stack.len = base;
	return node;
}

static Ast *while_statement(Parser *p)
{
	Ast *node = node_new(p, AST_WHILE, tok_start(p));
	advance(p);
	if (!(node->if_stmt.test = own(node, parse_named(p))) ||
	    !loop_body(p, node, &node->if_stmt.body, "'while' statement", node->span.start) ||
	    !else_block(p, node, &node->if_stmt.orelse))
		return NULL;
	return node_end(p, node);
}

/* 'for' star_targets 'in' star_expressions ':' block ['else' ...] */
static Ast *for_statement(Parser *p, uint32_t start, bool is_async)
{
	Ast *node = node_new(p, AST_FOR, start);
	advance(p);
	node->for_stmt.is_async = is_async;
	if (!(node->for_stmt.target = own(node, parse_target_list(p))) || !parse_expect(p, TOK_IN) ||
	    !(node->for_stmt.iter = own(node, parse_tests(p, false))) ||
	    !loop_body(p, node, &node->for_stmt.body, "'for' statement", start) ||
	    !else_block(p, node, &node->for_stmt.orelse))
		return NULL;
	return node_end(p, node);
}

/* ---- with ---- */

/* Whether '(' begins a list of with-items, and not an expression: what can be in an item decides, and that a
 * ':' follows the matching ')'. */
static bool is_item_list(const Parser *p)
{
	uint32_t depth = 0;
	const Token *t = p->tok;
	if (t[1].kind == TOK_RPAREN)
		return false;
	for (;; t++) {
		switch ((TokenKind)t->kind) {
		case TOK_LPAREN: case TOK_LBRACKET: case TOK_LBRACE:
			depth++;
			break;
		case TOK_RPAREN: case TOK_RBRACKET: case TOK_RBRACE:
			if (--depth == 0)
				return t[1].kind == TOK_COLON;
			break;
		case TOK_FOR: case TOK_YIELD: case TOK_WALRUS:
			if (depth == 1)
				return false;
			break;
		case TOK_STAR:
			if (depth == 1 && (t[-1].kind == TOK_LPAREN || t[-1].kind == TOK_COMMA))
				return false;
			break;
		case TOK_NEWLINE: case TOK_END: case TOK_ERROR:
			return false;
		default:
			break;
		}
	}
}

/* expression ['as' star_target] */
static bool with_item(Parser *p)
{
	Ast *node = node_new(p, AST_WITH_ITEM, tok_start(p));
	if (!(node->with_item.value = own(node, parse_test(p))))
		return false;
	if (accept(p, TOK_AS)) {
		Ast *target = parse_binary(p, PREC_BIT_OR);
		if (!target || !parse_check_target(p, target, false))
			return false;
		node->with_item.target = own(node, target);
	}
	push(p, node_end(p, node));
	return true;
}

static Ast *with_statement(Parser *p, uint32_t start, bool is_async)
{
	Ast *node = node_new(p, AST_WITH, start);
	uint32_t base = p->stack.len;
	advance(p);
	node->with_stmt.is_async = is_async;
	bool parens = at(p, TOK_LPAREN) && is_item_list(p);
	if (parens)
		advance(p);
	do {
		if (parens && at(p, TOK_RPAREN))
			break;
		if (!with_item(p))
			return NULL;
	} while (accept(p, TOK_COMMA));
	if (parens && !accept(p, TOK_RPAREN))
		return parse_unexpected(p, "',' or ')'");
	node->with_stmt.items = parse_take_list(p, node, base);
	bool ok = parse_block(p, node, &node->with_stmt.body, "'with' statement", start);
	return ok ? node_end(p, node) : NULL;
}

/* ---- try ---- */

/* 'except' ['*'] [expression ['as' NAME]] ':' block */
static Ast *except_clause(Parser *p)
{
	Ast *node = node_new(p, AST_EXCEPT, tok_start(p));
	advance(p);
	accept(p, TOK_STAR);
	if (!at(p, TOK_COLON)) {
		if (!(node->except.type = own(node, parse_test(p))))
			return NULL;
		if (at(p, TOK_COMMA))
			return parse_error(p, node->except.type->span, DIAG_SYNTAX_EXCEPT_TUPLE, NULL, NULL);
		if (accept(p, TOK_AS) && !(node->except.name = parse_take_name(p, "a name after 'as'")))
			return NULL;
	}
	bool ok = parse_block(p, node, &node->except.body, "'except' statement", node->span.start);
	return ok ? node_end(p, node) : NULL;
}

static Ast *try_statement(Parser *p)
{
	Ast *node = node_new(p, AST_TRY, tok_start(p));
	uint32_t base = p->stack.len, failures = p->failures;
	advance(p);
	if (!parse_block(p, node, &node->try_stmt.body, "'try' statement", node->span.start))
		return NULL;
	while (at(p, TOK_EXCEPT)) {
		Ast *handler = except_clause(p);
		if (!handler)
			return NULL;
		push(p, handler);
	}
	node->try_stmt.handlers = parse_take_list(p, node, base);
	if (node->try_stmt.handlers.len && !else_block(p, node, &node->try_stmt.orelse))
		return NULL;
	uint32_t start = tok_start(p);
	bool finally = accept(p, TOK_FINALLY);
	if (finally && !parse_block(p, node, &node->try_stmt.finalbody, "'finally' statement", start))
		return NULL;
	if (!finally && !node->try_stmt.handlers.len && p->failures == failures) {
		if (at(p, TOK_ERROR))
			return parse_unexpected(p, "'except' or 'finally'");
		parse_error_here(p, DIAG_SYNTAX_TRY, NULL, NULL);
	}
	return node_end(p, node);
}

/* ---- definitions ---- */

/* '[' NAME [':' bound] ['=' default] | '*' NAME | '**' NAME ... ']': read and forgotten */
static bool type_params(Parser *p)
{
	if (!accept(p, TOK_LBRACKET))
		return true;
	while (!at(p, TOK_RBRACKET)) {
		if (!accept(p, TOK_STAR))
			accept(p, TOK_STAR_STAR);
		if (!parse_take_name(p, "a type parameter") || (accept(p, TOK_COLON) && !parse_test(p)))
			return false;
		if (accept(p, TOK_EQUAL) && !parse_star_or_named(p))
			return false;
		if (!accept(p, TOK_COMMA))
			break;
	}
	if (accept(p, TOK_RBRACKET))
		return true;
	parse_unexpected(p, "',' or ']'");
	return false;
}

/* 'def' NAME [type_params] '(' parameters ')' ['->' expression] ':' block */
static Ast *function_def(Parser *p, uint32_t start, bool is_async, uint32_t decorators)
{
	Ast *node = node_new(p, AST_FUNCTION_DEF, start);
	AstFunction *f = node->function = ARENA_NEW(p->arena, AstFunction);
	f->decorators = parse_take_list(p, node, decorators);
	f->is_async = is_async;
	f->def_offset = tok_start(p);
	advance(p);
	f->name_span = parse_here(p);
	if (!(f->name = parse_take_name(p, "a function name")) || !type_params(p) ||
	    !parse_expect(p, TOK_LPAREN) || !parse_params(p, node, f, TOK_RPAREN))
		return NULL;
	advance(p);
	if (accept(p, TOK_ARROW) && !(f->returns = own(node, parse_test(p))))
		return NULL;
	if (!parse_skip_body(p, f, start))
		return NULL;
	node_end(p, node);
	f->def_span = node->span;
	return node;
}

static Ast *class_def(Parser *p, uint32_t start, uint32_t decorators)
{
	Ast *node = node_new(p, AST_CLASS_DEF, start);
	AstClass *c = node->klass = ARENA_NEW(p->arena, AstClass);
	bool in_function = p->in_function, in_loop = p->in_loop;
	c->decorators = parse_take_list(p, node, decorators);
	advance(p);
	c->name_span = parse_here(p);
	if (!(c->name = parse_take_name(p, "a class name")) || !type_params(p))
		return NULL;
	if (at(p, TOK_LPAREN) && !parse_arguments(p, node, &c->bases, &c->keywords, &c->keyword_count))
		return NULL;
	p->in_function = p->in_loop = false;
	if (!parse_block(p, node, &c->body, "class definition", start))
		return NULL;
	p->in_function = in_function;
	p->in_loop = in_loop;
	return node_end(p, node);
}

/* ('@' named_expression NEWLINE)+ (class_def | function_def) */
static Ast *decorated(Parser *p)
{
	uint32_t base = p->stack.len, first = tok_start(p);
	while (accept(p, TOK_AT)) {
		Ast *decorator = parse_named(p);
		if (!decorator)
			return NULL;
		push(p, decorator);
		if (!at(p, TOK_NEWLINE))
			return parse_unexpected(p, "end of line");
		p->tok++;
	}
	uint32_t start = tok_start(p);
	if (at(p, TOK_CLASS))
		return class_def(p, start, base);
	bool is_async = at(p, TOK_ASYNC) && p->tok[1].kind == TOK_DEF;
	if (is_async)
		advance(p);
	if (!at(p, TOK_DEF))
		return parse_unexpected(p, "'def' or 'class' after a decorator");
	Ast *node = function_def(p, start, is_async, base);
	if (node)
		node->function->def_span.start = first;
	return node;
}

static Ast *async_statement(Parser *p)
{
	uint32_t start = tok_start(p);
	advance(p);
	switch (peek(p)) {
	case TOK_DEF: return function_def(p, start, true, p->stack.len);
	case TOK_FOR: return for_statement(p, start, true);
	case TOK_WITH: return with_statement(p, start, true);
	default: return parse_unexpected(p, "'def', 'for' or 'with' after 'async'");
	}
}

/* ---- match ---- */

/* `match` is a name too: it begins a statement when its line ends in ':' and the block below in `case`. */
static bool is_match(const Parser *p)
{
	const Token *t = p->tok + 1;
	if (!parse_is_name(p, p->tok, "match") || t->kind == TOK_EQUAL || t->kind == TOK_DOT)
		return false;
	while (t->kind != TOK_NEWLINE && t->kind != TOK_END)
		t++;
	return t[-1].kind == TOK_COLON && t->kind == TOK_NEWLINE && t[1].kind == TOK_INDENT &&
	       parse_is_name(p, &t[2], "case");
}

static Ast *skip_match(Parser *p)
{
	Ast *node = node_new(p, AST_SKIPPED, tok_start(p));
	AstFunction nowhere = {0};
	if (p->in_function)
		return parse_match(p);
	while (p->tok[1].kind != TOK_NEWLINE)
		p->tok++;
	return parse_skip_body(p, &nowhere, node->span.start) ? node_end(p, node) : NULL;
}

bool parse_compound(Parser *p)
{
	Ast *node;
	switch (peek(p)) {
	case TOK_IF: node = if_statement(p); break;
	case TOK_WHILE: node = while_statement(p); break;
	case TOK_FOR: node = for_statement(p, tok_start(p), false); break;
	case TOK_WITH: node = with_statement(p, tok_start(p), false); break;
	case TOK_TRY: node = try_statement(p); break;
	case TOK_DEF: node = function_def(p, tok_start(p), false, p->stack.len); break;
	case TOK_CLASS: node = class_def(p, tok_start(p), p->stack.len); break;
	case TOK_AT: node = decorated(p); break;
	case TOK_ASYNC: node = async_statement(p); break;
	case TOK_NAME:
		if (is_match(p)) {
			node = skip_match(p);
			break;
		}
		/* fall through */
	default: return parse_simple_line(p);
	}
	if (node)
		parse_push_checked(p, node);
	return node != NULL;
}
