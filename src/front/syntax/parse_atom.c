/* Atoms: names, constants, parentheses, displays and comprehensions. */
#include "front/syntax/parser.h"

/* for_if_clause: ['async'] 'for' star_targets 'in' disjunction ('if' disjunction)* */
static Ast *clause(Parser *p)
{
	Ast *node = node_new(p, AST_COMP_FOR, tok_start(p));
	uint32_t base = p->stack.len;
	node->comp_for.is_async = accept(p, TOK_ASYNC);
	if (!parse_expect(p, TOK_FOR))
		return NULL;
	if (!(node->comp_for.target = own(node, parse_target_list(p))) || !parse_expect(p, TOK_IN) ||
	    !(node->comp_for.iter = own(node, parse_binary(p, PREC_OR))))
		return NULL;
	while (accept(p, TOK_IF)) {
		Ast *test = parse_binary(p, PREC_OR);
		if (!test)
			return NULL;
		push(p, test);
	}
	node->comp_for.ifs = parse_take_list(p, node, base);
	return node_end(p, node);
}

static bool at_clause(const Parser *p)
{
	return at(p, TOK_FOR) || (at(p, TOK_ASYNC) && p->tok[1].kind == TOK_FOR);
}

bool parse_clauses(Parser *p, Ast *comp)
{
	uint32_t base = p->stack.len;
	while (at_clause(p)) {
		Ast *node = clause(p);
		if (!node)
			return false;
		push(p, node);
	}
	comp->comp.clauses = parse_take_list(p, comp, base);
	return true;
}

/* The rest of a comprehension whose element was read, with its closing bracket. */
static Ast *comprehension(Parser *p, AstKind kind, uint32_t start, Ast *elt, Ast *value, TokenKind close)
{
	Ast *node = node_new(p, kind, start);
	if (elt->kind == AST_STARRED)
		return parse_error(p, elt->span, DIAG_SYNTAX_STARRED, NULL, NULL);
	node->comp.elt = own(node, elt);
	node->comp.value = own(node, value);
	return parse_clauses(p, node) && parse_expect(p, close) ? node_end(p, node) : NULL;
}

/* What a list lacks where neither a comma nor its end follows. */
static void *want_comma(Parser *p, TokenKind close)
{
	return parse_unexpected(p, close == TOK_RPAREN     ? "',' or ')'"
				   : close == TOK_RBRACKET ? "',' or ']'"
							   : "',' or '}'");
}

/* The items of a list, the first of which was read, with its closing bracket. */
static Ast *items(Parser *p, AstKind kind, uint32_t start, Ast *first, TokenKind close)
{
	uint32_t base = p->stack.len;
	push(p, first);
	while (accept(p, TOK_COMMA)) {
		if (at(p, close))
			break;
		Ast *item = parse_star_or_named(p);
		if (!item)
			return NULL;
		push(p, item);
	}
	if (!accept(p, close))
		return want_comma(p, close);
	Ast *node = node_new(p, kind, start);
	node->seq.items = parse_take_list(p, node, base);
	return node_end(p, node);
}

/* tuple: '(' [star_named (',' star_named)* [',']] ')'
 * group: '(' (yield_expr | named_expression) ')'
 * genexp: '(' named_expression for_if_clauses ')' */
static Ast *parentheses(Parser *p)
{
	uint32_t start = tok_start(p);
	advance(p);
	if (at(p, TOK_RPAREN)) {
		advance(p);
		return node_end(p, node_new(p, AST_TUPLE, start));
	}
	if (at(p, TOK_YIELD)) {
		Ast *node = parse_yield(p);
		return node && parse_expect(p, TOK_RPAREN) ? node : NULL;
	}
	Ast *first = parse_star_or_named(p);
	if (!first)
		return NULL;
	if (at_clause(p))
		return comprehension(p, AST_GENERATOR, start, first, NULL, TOK_RPAREN);
	if (at(p, TOK_RPAREN)) {
		if (first->kind == AST_STARRED)
			return parse_error(p, first->span, DIAG_SYNTAX_STARRED, NULL, NULL);
		advance(p);
		return first;
	}
	if (at(p, TOK_EQUAL))
		return parse_error_here(p, DIAG_SYNTAX_EQUALS, NULL, NULL);
	if (!at(p, TOK_COMMA))
		return want_comma(p, TOK_RPAREN);
	return items(p, AST_TUPLE, start, first, TOK_RPAREN);
}

/* list: '[' [star_named (',' star_named)* [',']] ']'
 * listcomp: '[' named_expression for_if_clauses ']' */
static Ast *brackets(Parser *p)
{
	uint32_t start = tok_start(p);
	advance(p);
	if (at(p, TOK_RBRACKET)) {
		advance(p);
		return node_end(p, node_new(p, AST_LIST, start));
	}
	Ast *first = parse_star_or_named(p);
	if (!first)
		return NULL;
	if (at_clause(p))
		return comprehension(p, AST_LIST_COMP, start, first, NULL, TOK_RBRACKET);
	return items(p, AST_LIST, start, first, TOK_RBRACKET);
}

/* dict: '{' [('**' bitwise_or | expression ':' expression) (',' ...)* [',']] '}'
 * dictcomp: '{' expression ':' expression for_if_clauses '}' */
static Ast *dict(Parser *p, uint32_t start, Ast *key)
{
	uint32_t base = p->stack.len;
	for (bool first = true; first || !at(p, TOK_RBRACE); first = false) {
		Ast *value;
		if (at(p, TOK_STAR_STAR)) {
			advance(p);
			key = NULL;
			value = parse_binary(p, PREC_BIT_OR);
		} else {
			if (!first && !(key = parse_test(p)))
				return NULL;
			if (!parse_expect(p, TOK_COLON))
				return NULL;
			value = parse_test(p);
		}
		if (!value)
			return NULL;
		if (first && key && at_clause(p))
			return comprehension(p, AST_DICT_COMP, start, key, value, TOK_RBRACE);
		push(p, key);
		push(p, value);
		if (!accept(p, TOK_COMMA))
			break;
	}
	if (!accept(p, TOK_RBRACE))
		return want_comma(p, TOK_RBRACE);
	Ast *node = node_new(p, AST_DICT, start);
	AstList both = parse_take_list(p, node, base);
	uint32_t n = both.len / 2;
	node->dict.keys = (AstList){ARENA_ARRAY(p->arena, Ast *, n), n};
	node->dict.values = (AstList){ARENA_ARRAY(p->arena, Ast *, n), n};
	for (uint32_t i = 0; i < n; i++) {
		node->dict.keys.items[i] = both.items[2 * i];
		node->dict.values.items[i] = both.items[2 * i + 1];
	}
	return node_end(p, node);
}

/* A dict or a set: the first item tells. */
static Ast *braces(Parser *p)
{
	uint32_t start = tok_start(p);
	advance(p);
	if (at(p, TOK_RBRACE)) {
		advance(p);
		return node_end(p, node_new(p, AST_DICT, start));
	}
	if (at(p, TOK_STAR_STAR))
		return dict(p, start, NULL);
	bool key = !at(p, TOK_STAR) && p->tok[1].kind != TOK_WALRUS;
	Ast *first = parse_star_or_named(p);
	if (!first)
		return NULL;
	if (key && at(p, TOK_COLON))
		return dict(p, start, first);
	if (at_clause(p))
		return comprehension(p, AST_SET_COMP, start, first, NULL, TOK_RBRACE);
	return items(p, AST_SET, start, first, TOK_RBRACE);
}

static Ast *constant(Parser *p, AstKind kind)
{
	Ast *node = node_new(p, kind, tok_start(p));
	advance(p);
	return node_end(p, node);
}

Ast *parse_atom(Parser *p)
{
	switch (peek(p)) {
	case TOK_NAME: {
		Ast *node = node_new(p, AST_NAME, tok_start(p));
		node->name.id = intern(p->names, parse_token_text(p, p->tok));
		advance(p);
		return node_end(p, node);
	}
	case TOK_INT: case TOK_FLOAT: case TOK_IMAGINARY: return parse_number(p);
	case TOK_STRING: return parse_strings(p);
	case TOK_LPAREN: return parentheses(p);
	case TOK_LBRACKET: return brackets(p);
	case TOK_LBRACE: return braces(p);
	case TOK_TRUE: return constant(p, AST_TRUE);
	case TOK_FALSE: return constant(p, AST_FALSE);
	case TOK_NONE: return constant(p, AST_NONE);
	case TOK_ELLIPSIS: return constant(p, AST_ELLIPSIS);
	default: return parse_unexpected(p, "an expression");
	}
}
