/* Expressions: operators, conditional expressions, assignment targets. Rules are given in the notation of
 * Python's grammar. A node begins where its first token does, parentheses included. */
#include "front/syntax/parser.h"

static bool enter(Parser *p)
{
	if (LIKELY(++p->depth <= PARSE_MAX_DEPTH))
		return true;
	parse_error(p, parse_span(p, tok_start(p), tok_start(p) + 1), DIAG_SYNTAX_NESTED, NULL, NULL);
	return false;
}

/* Not needed on the way out of an error: parse_statement restores the depth. */
static void leave(Parser *p)
{
	p->depth--;
}

/* ---- operators ---- */

enum { PREC_BIT_XOR = PREC_BIT_OR + 1, PREC_BIT_AND, PREC_SHIFT, PREC_SUM, PREC_TERM };

static const struct {
	uint8_t prec, op; /* op: AstBinOp or AstCmpOp */
} operators[TOK__COUNT] = {
	[TOK_OR] = {PREC_OR, 0},
	[TOK_AND] = {PREC_AND, 0},
	[TOK_EQUAL_EQUAL] = {PREC_COMPARE, CMP_EQ},
	[TOK_NOT_EQUAL] = {PREC_COMPARE, CMP_NE},
	[TOK_LESS] = {PREC_COMPARE, CMP_LT},
	[TOK_LESS_EQUAL] = {PREC_COMPARE, CMP_LE},
	[TOK_GREATER] = {PREC_COMPARE, CMP_GT},
	[TOK_GREATER_EQUAL] = {PREC_COMPARE, CMP_GE},
	[TOK_IS] = {PREC_COMPARE, CMP_IS},
	[TOK_IN] = {PREC_COMPARE, CMP_IN},
	[TOK_NOT] = {PREC_COMPARE, CMP_NOT_IN}, /* only before `in` */
	[TOK_BAR] = {PREC_BIT_OR, BIN_OR},
	[TOK_CARET] = {PREC_BIT_XOR, BIN_XOR},
	[TOK_AMPER] = {PREC_BIT_AND, BIN_AND},
	[TOK_SHIFT_LEFT] = {PREC_SHIFT, BIN_LSHIFT},
	[TOK_SHIFT_RIGHT] = {PREC_SHIFT, BIN_RSHIFT},
	[TOK_PLUS] = {PREC_SUM, BIN_ADD},
	[TOK_MINUS] = {PREC_SUM, BIN_SUB},
	[TOK_STAR] = {PREC_TERM, BIN_MUL},
	[TOK_AT] = {PREC_TERM, BIN_MATMUL},
	[TOK_SLASH] = {PREC_TERM, BIN_DIV},
	[TOK_SLASH_SLASH] = {PREC_TERM, BIN_FLOORDIV},
	[TOK_PERCENT] = {PREC_TERM, BIN_MOD},
};

/* slices: (slice | starred | named_expression) (',' ...)* */
static Ast *slice_item(Parser *p)
{
	uint32_t start = tok_start(p);
	Ast *lower = NULL;
	if (!at(p, TOK_COLON)) {
		lower = parse_star_or_named(p);
		if (!lower || !at(p, TOK_COLON))
			return lower;
	}
	Ast *node = node_new(p, AST_SLICE, start);
	node->slice.lower = own(node, lower);
	advance(p);
	if (parse_begins_expression(peek(p)) && !(node->slice.upper = own(node, parse_test(p))))
		return NULL;
	if (accept(p, TOK_COLON) && parse_begins_expression(peek(p)) &&
	    !(node->slice.step = own(node, parse_test(p))))
		return NULL;
	return node_end(p, node);
}

static Ast *slices(Parser *p)
{
	uint32_t start = tok_start(p), base = p->stack.len;
	Ast *first = slice_item(p);
	if (!first || (!at(p, TOK_COMMA) && first->kind != AST_STARRED))
		return first;
	push(p, first);
	while (accept(p, TOK_COMMA) && !at(p, TOK_RBRACKET)) {
		Ast *item = slice_item(p);
		if (!item)
			return NULL;
		push(p, item);
	}
	Ast *tuple = node_new(p, AST_TUPLE, start);
	tuple->seq.items = parse_take_list(p, tuple, base);
	return node_end(p, tuple);
}

/* primary: atom ('.' NAME | '(' arguments ')' | '[' slices ']')* */
static Ast *primary(Parser *p)
{
	uint32_t start = tok_start(p);
	Ast *left = parse_atom(p);
	while (left) {
		Ast *node;
		if (at(p, TOK_DOT)) {
			advance(p);
			node = node_new(p, AST_ATTRIBUTE, start);
			node->attribute.value = own(node, left);
			node->attribute.attr_span = parse_here(p);
			node->attribute.attr = parse_take_name(p, "a name after '.'");
			if (!node->attribute.attr)
				return NULL;
		} else if (at(p, TOK_LPAREN)) {
			node = node_new(p, AST_CALL, start);
			node->call.func = own(node, left);
			if (!parse_arguments(p, node, &node->call.args, &node->call.keywords,
					     &node->call.keyword_count))
				return NULL;
		} else if (at(p, TOK_LBRACKET)) {
			advance(p);
			node = node_new(p, AST_SUBSCRIPT, start);
			node->subscript.value = own(node, left);
			node->subscript.index = own(node, slices(p));
			if (!node->subscript.index)
				return NULL;
			if (!accept(p, TOK_RBRACKET))
				return parse_unexpected(p, "',' or ']'");
		} else {
			return left;
		}
		left = node_end(p, node);
	}
	return NULL;
}

/* factor: ('+' | '-' | '~') factor | power
 * power: ['await'] primary ['**' factor] */
static Ast *factor(Parser *p)
{
	uint32_t start = tok_start(p);
	if (at(p, TOK_MINUS) || at(p, TOK_PLUS) || at(p, TOK_TILDE)) {
		Ast *node = node_new(p, AST_UNARY_OP, start);
		node->un.op = at(p, TOK_MINUS) ? UN_NEG : at(p, TOK_PLUS) ? UN_POS : UN_INVERT;
		advance(p);
		if (!enter(p) || !(node->un.operand = own(node, factor(p))))
			return NULL;
		leave(p);
		return node_end(p, node);
	}
	Ast *left;
	if (accept(p, TOK_AWAIT)) {
		left = node_new(p, AST_AWAIT, start);
		left->wrap.value = own(left, primary(p));
		if (!left->wrap.value)
			return NULL;
		node_end(p, left);
	} else {
		left = primary(p);
	}
	if (!left || !at(p, TOK_STAR_STAR))
		return left;
	advance(p);
	Ast *node = node_new(p, AST_BIN_OP, start);
	node->bin.op = BIN_POW;
	node->bin.left = own(node, left);
	if (!enter(p) || !(node->bin.right = own(node, factor(p))))
		return NULL;
	leave(p);
	return node_end(p, node);
}

/* a and b and c; a or b or c */
static Ast *bool_chain(Parser *p, Ast *left, uint32_t start, TokenKind kind)
{
	uint32_t base = p->stack.len;
	push(p, left);
	while (accept(p, kind)) {
		Ast *next = parse_binary(p, kind == TOK_OR ? PREC_AND : PREC_NOT);
		if (!next)
			return NULL;
		push(p, next);
	}
	Ast *node = node_new(p, AST_BOOL_OP, start);
	node->bool_op.is_or = kind == TOK_OR;
	node->bool_op.values = parse_take_list(p, node, base);
	return node_end(p, node);
}

/* Takes a comparison operator of one or two words. */
static bool compare_op(Parser *p, AstCmpOp *op)
{
	TokenKind kind = peek(p);
	if (operators[kind].prec != PREC_COMPARE || (kind == TOK_NOT && p->tok[1].kind != TOK_IN))
		return false;
	*op = (AstCmpOp)operators[kind].op;
	advance(p);
	if (kind == TOK_NOT)
		advance(p);
	else if (kind == TOK_IS && accept(p, TOK_NOT))
		*op = CMP_IS_NOT;
	return true;
}

static Ast *compare_chain(Parser *p, Ast *left, uint32_t start)
{
	uint32_t base = p->stack.len;
	VEC(AstCmpOp) ops = {0};
	AstCmpOp op;
	AstCmpOp few[4];
	uint32_t count = 0;
	while (compare_op(p, &op)) {
		if (count < ARRAY_LEN(few))
			few[count] = op;
		else
			vec_push(p->arena, &ops, op);
		count++;
		Ast *next = parse_binary(p, PREC_BIT_OR);
		if (!next)
			return NULL;
		push(p, next);
	}
	Ast *node = node_new(p, AST_COMPARE, start);
	node->compare.left = own(node, left);
	node->compare.rest = parse_take_list(p, node, base);
	node->compare.ops = arena_alloc_raw(p->arena, count * sizeof(AstCmpOp), _Alignof(AstCmpOp));
	memcpy(node->compare.ops, few, MIN(count, (uint32_t)ARRAY_LEN(few)) * sizeof few[0]);
	if (ops.len)
		memcpy(node->compare.ops + ARRAY_LEN(few), ops.data, ops.len * sizeof few[0]);
	return node_end(p, node);
}

Ast *parse_binary(Parser *p, unsigned prec)
{
	uint32_t start = tok_start(p);
	Ast *left;
	if (at(p, TOK_NOT) && prec <= PREC_NOT) {
		advance(p);
		left = node_new(p, AST_UNARY_OP, start);
		left->un.op = UN_NOT;
		if (!enter(p) || !(left->un.operand = own(left, parse_binary(p, PREC_NOT))))
			return NULL;
		leave(p);
		node_end(p, left);
	} else {
		left = factor(p);
	}
	while (left) {
		TokenKind kind = peek(p);
		unsigned level = operators[kind].prec;
		if (!level || level < prec || (kind == TOK_NOT && p->tok[1].kind != TOK_IN))
			return left;
		if (level <= PREC_AND) {
			left = bool_chain(p, left, start, kind);
		} else if (level == PREC_COMPARE) {
			left = compare_chain(p, left, start);
		} else {
			Ast *node = node_new(p, AST_BIN_OP, start);
			node->bin.op = (AstBinOp)operators[kind].op;
			node->bin.left = own(node, left);
			advance(p);
			node->bin.right = own(node, parse_binary(p, level + 1));
			left = node->bin.right ? node_end(p, node) : NULL;
		}
	}
	return NULL;
}

/* Part of a pattern: pattern 'as' NAME. Its name stands behind its value, which no `:=` has. */
static Ast *as_pattern(Parser *p, Ast *pattern, uint32_t start)
{
	Ast *node = node_new(p, AST_NAMED_EXPR, start);
	advance(p);
	if (!at(p, TOK_NAME))
		return parse_unexpected(p, "a name after 'as'");
	node->named.value = own(node, pattern);
	node->named.target = own(node, parse_atom(p));
	return node_end(p, node);
}

/* expression: disjunction ['if' disjunction 'else' expression] | lambdef */
Ast *parse_test(Parser *p)
{
	uint32_t start = tok_start(p);
	if (!enter(p))
		return NULL;
	bool lambda = at(p, TOK_LAMBDA);
	Ast *node = lambda ? parse_lambda(p) : parse_binary(p, PREC_OR);
	if (node && !lambda && at(p, TOK_IF)) {
		Ast *body = node;
		advance(p);
		node = node_new(p, AST_IF_EXP, start);
		node->if_exp.body = own(node, body);
		if (!(node->if_exp.test = own(node, parse_binary(p, PREC_OR))))
			return NULL;
		if (!at(p, TOK_ELSE))
			return parse_unexpected(p, "'else' of a conditional expression");
		advance(p);
		if (!(node->if_exp.orelse = own(node, parse_test(p))))
			return NULL;
		node_end(p, node);
	}
	if (node && p->in_pattern && at(p, TOK_AS))
		node = as_pattern(p, node, start);
	leave(p);
	return node;
}

/* named_expression: NAME ':=' expression | expression */
Ast *parse_named(Parser *p)
{
	if (!at(p, TOK_NAME) || p->tok[1].kind != TOK_WALRUS)
		return parse_test(p);
	Ast *node = node_new(p, AST_NAMED_EXPR, tok_start(p));
	node->named.target = own(node, parse_atom(p));
	advance(p);
	node->named.value = own(node, parse_test(p));
	return node->named.value ? node_end(p, node) : NULL;
}

static Ast *starred(Parser *p)
{
	Ast *node = node_new(p, AST_STARRED, tok_start(p));
	advance(p);
	node->wrap.value = own(node, parse_binary(p, PREC_BIT_OR));
	return node->wrap.value ? node_end(p, node) : NULL;
}

Ast *parse_star_or_named(Parser *p)
{
	return at(p, TOK_STAR) ? starred(p) : parse_named(p);
}

bool parse_begins_expression(TokenKind kind)
{
	switch (kind) {
	case TOK_NAME: case TOK_INT: case TOK_FLOAT: case TOK_IMAGINARY: case TOK_STRING: case TOK_LPAREN:
	case TOK_LBRACKET: case TOK_LBRACE: case TOK_MINUS: case TOK_PLUS: case TOK_TILDE: case TOK_NOT:
	case TOK_LAMBDA: case TOK_AWAIT: case TOK_NONE: case TOK_TRUE: case TOK_FALSE: case TOK_ELLIPSIS:
	case TOK_ERROR: /* so that it is reported */
		return true;
	default:
		return false;
	}
}

Ast *parse_tests(Parser *p, bool star)
{
	uint32_t start = tok_start(p), base = p->stack.len;
	Ast *first = at(p, TOK_STAR) ? starred(p) : parse_test(p);
	if (!first)
		return NULL;
	if (!at(p, TOK_COMMA)) {
		if (first->kind == AST_STARRED && !star)
			return parse_error(p, first->span, DIAG_SYNTAX_STARRED, NULL, NULL);
		return first;
	}
	push(p, first);
	while (accept(p, TOK_COMMA) && (at(p, TOK_STAR) || parse_begins_expression(peek(p)))) {
		Ast *item = at(p, TOK_STAR) ? starred(p) : parse_test(p);
		if (!item)
			return NULL;
		push(p, item);
	}
	Ast *tuple = node_new(p, AST_TUPLE, start);
	tuple->seq.items = parse_take_list(p, tuple, base);
	return node_end(p, tuple);
}

/* yield_expr: 'yield' ['from' expression | star_expressions] */
Ast *parse_yield(Parser *p)
{
	Ast *node = node_new(p, AST_YIELD, tok_start(p));
	advance(p);
	if (accept(p, TOK_FROM)) {
		node->kind = AST_YIELD_FROM;
		node->wrap.value = own(node, parse_test(p));
	} else if (parse_begins_expression(peek(p)) || at(p, TOK_STAR)) {
		node->wrap.value = own(node, parse_tests(p, false));
	} else {
		return node_end(p, node);
	}
	return node->wrap.value ? node_end(p, node) : NULL;
}

/* ---- targets ---- */

const char *parse_describe(const Ast *node)
{
	switch (node->kind) {
	case AST_CALL: return "function call";
	case AST_BIN_OP: case AST_UNARY_OP: case AST_BOOL_OP: return "expression";
	case AST_COMPARE: return "comparison";
	case AST_IF_EXP: return "conditional expression";
	case AST_LAMBDA: return "lambda";
	case AST_TUPLE: return "tuple";
	case AST_LIST: return "list";
	case AST_SET: return "set display";
	case AST_DICT: return "dict literal";
	case AST_STARRED: return "starred";
	case AST_NAMED_EXPR: return "named expression";
	case AST_LIST_COMP: return "list comprehension";
	case AST_SET_COMP: return "set comprehension";
	case AST_DICT_COMP: return "dict comprehension";
	case AST_GENERATOR: return "generator expression";
	case AST_AWAIT: return "await expression";
	case AST_YIELD: case AST_YIELD_FROM: return "yield expression";
	case AST_JOINED_STR: return "f-string expression";
	case AST_TRUE: return "True";
	case AST_FALSE: return "False";
	case AST_NONE: return "None";
	case AST_ELLIPSIS: return "ellipsis";
	case AST_ATTRIBUTE: return "attribute";
	case AST_SUBSCRIPT: return "subscript";
	case AST_NAME: return "name";
	default: return "literal";
	}
}

bool parse_check_target(Parser *p, const Ast *node, bool delete)
{
	switch (node->kind) {
	case AST_NAME: case AST_ATTRIBUTE: case AST_SUBSCRIPT:
		return true;
	case AST_TUPLE: case AST_LIST: {
		bool seen_star = false;
		for (uint32_t i = 0; i < node->seq.items.len; i++) {
			const Ast *item = node->seq.items.items[i];
			if (item->kind == AST_STARRED && !delete) {
				if (seen_star) {
					parse_error(p, item->span, DIAG_SYNTAX_TWO_STARRED, NULL, NULL);
					return false;
				}
				seen_star = true;
				item = item->wrap.value;
			}
			if (!parse_check_target(p, item, delete))
				return false;
		}
		return true;
	}
	case AST_STARRED:
		if (!delete) {
			parse_error(p, node->span, DIAG_SYNTAX_STARRED_TARGET, NULL, NULL);
			return false;
		}
		/* fall through */
	default:
		parse_error(p, node->span, delete ? DIAG_SYNTAX_DELETE_TARGET : DIAG_SYNTAX_ASSIGN_TARGET,
			    parse_describe(node), NULL);
		return false;
	}
}

/* star_targets, up to `in` */
Ast *parse_target_list(Parser *p)
{
	uint32_t start = tok_start(p), base = p->stack.len;
	Ast *first = at(p, TOK_STAR) ? starred(p) : parse_binary(p, PREC_BIT_OR);
	if (first && at(p, TOK_COMMA)) {
		push(p, first);
		while (accept(p, TOK_COMMA) && !at(p, TOK_IN)) {
			Ast *item = at(p, TOK_STAR) ? starred(p) : parse_binary(p, PREC_BIT_OR);
			if (!item)
				return NULL;
			push(p, item);
		}
		Ast *tuple = node_new(p, AST_TUPLE, start);
		tuple->seq.items = parse_take_list(p, tuple, base);
		first = node_end(p, tuple);
	}
	return first && parse_check_target(p, first, false) ? first : NULL;
}
