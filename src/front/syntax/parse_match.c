/* `match`: a chain of `if`s on a hidden name that holds the subject. Patterns are literals, dotted
 * names, names to bind, `_`, alternatives and `as`; sequences, mappings and classes are refused.
 *
 *     match x:                      if True:
 *         case 1 | 2: A                 %match = x
 *         case y if c: B                if %match == 1 or %match == 2: A
 *         case _: C                     else:
 *                                           y = %match
 *                                           if c: B
 *                                           else: C */
#include "front/syntax/parser.h"

typedef struct Case {
	Ast *test;    /* NULL: every subject */
	Ast *binding; /* an assignment, or NULL */
	Ast *guard;   /* or NULL */
	AstList body;
} Case;

static Ast *name_node(Parser *p, Sym name, uint32_t start)
{
	Ast *node = node_new(p, AST_NAME, start);
	node->name.id = name;
	return node_end(p, node);
}

static Ast *assignment(Parser *p, Sym name, Ast *value, uint32_t start)
{
	Ast *node = node_new(p, AST_ASSIGN, start);
	node->assign.targets = (AstList){ARENA_ARRAY(p->arena, Ast *, 1), 1};
	node->assign.targets.items[0] = own(node, name_node(p, name, start));
	node->assign.value = own(node, value);
	return node_end(p, node);
}

static Ast *comparison(Parser *p, Sym subject, Ast *literal)
{
	uint32_t start = literal->span.start;
	Ast *node = node_new(p, AST_COMPARE, start);
	bool is = literal->kind == AST_NONE || literal->kind == AST_TRUE || literal->kind == AST_FALSE;
	node->compare.left = own(node, name_node(p, subject, start));
	node->compare.rest = (AstList){ARENA_ARRAY(p->arena, Ast *, 1), 1};
	node->compare.rest.items[0] = own(node, literal);
	node->compare.ops = ARENA_ARRAY(p->arena, AstCmpOp, 1);
	node->compare.ops[0] = is ? CMP_IS : CMP_EQ;
	node->span.end = literal->span.end;
	return node;
}

static Ast *either(Parser *p, Ast *l, Ast *r)
{
	Ast *node = node_new(p, AST_BOOL_OP, l->span.start);
	node->bool_op.is_or = true;
	node->bool_op.values = (AstList){ARENA_ARRAY(p->arena, Ast *, 2), 2};
	node->bool_op.values.items[0] = own(node, l);
	node->bool_op.values.items[1] = own(node, r);
	node->span.end = r->span.end;
	return node;
}

static bool is_literal(const Ast *e)
{
	switch (e->kind) {
	case AST_INT: case AST_FLOAT: case AST_STRING: case AST_TRUE: case AST_FALSE: case AST_NONE:
	case AST_ATTRIBUTE:
		return true;
	case AST_UNARY_OP:
		return e->un.op == UN_NEG && (e->un.operand->kind == AST_INT || e->un.operand->kind ==
				AST_FLOAT);
	default:
		return false;
	}
}

/* What the pattern asks of the subject. False after a report; *test NULL: nothing. */
static bool pattern_test(Parser *p, Sym subject, Ast *pattern, Case *out, Ast **test)
{
	if (pattern->kind == AST_BIN_OP && pattern->bin.op == BIN_OR) {
		Ast *l, *r;
		if (!pattern_test(p, subject, pattern->bin.left, out, &l) ||
		    !pattern_test(p, subject, pattern->bin.right, out, &r))
			return false;
		if (l && r) {
			*test = either(p, l, r);
			return true;
		}
	} else if (pattern->kind == AST_NAME) {
		if (strcmp(pattern->name.id, "_") != 0)
			out->binding = assignment(p, pattern->name.id, name_node(p, subject,
					pattern->span.start),
						  pattern->span.start);
		*test = NULL;
		return true;
	} else if (is_literal(pattern)) {
		*test = comparison(p, subject, pattern);
		return true;
	}
	parse_error(p, pattern->span, DIAG_SYNTAX_PATTERN, NULL, NULL);
	return false;
}

static bool read_case(Parser *p, Sym subject, Case *out)
{
	uint32_t start = tok_start(p);
	*out = (Case){0};
	advance(p);
	Ast *pattern = parse_binary(p, PREC_BIT_OR);
	if (!pattern)
		return false;
	/* After an error the case is read on as one that takes all: what is below it is none. */
	bool read = !at(p, TOK_COMMA) && pattern_test(p, subject, pattern, out, &out->test);
	if (at(p, TOK_COMMA)) {
		parse_error(p, pattern->span, DIAG_SYNTAX_PATTERN, NULL, NULL);
		while (!at(p, TOK_COLON) && !at(p, TOK_NEWLINE) && !at(p, TOK_END))
			advance(p);
	}
	bool alternatives = pattern->kind == AST_BIN_OP && out->binding;
	if (at(p, TOK_AS)) {
		uint32_t at_name = tok_start(p);
		advance(p);
		Sym name = parse_take_name(p, "a name after 'as'");
		if (!name)
			return false;
		alternatives = alternatives || out->binding;
		out->binding = assignment(p, name, name_node(p, subject, at_name), at_name);
	}
	if (accept(p, TOK_IF) && !(out->guard = parse_named(p)))
		return false;
	/* Where the guard fails the name would have been bound all the same. */
	if (read && (alternatives || (out->guard && out->test && out->binding)))
		parse_error(p, pattern->span, DIAG_SYNTAX_PATTERN, NULL, NULL);
	Ast *holder = node_new(p, AST_IF, start);
	return parse_block(p, holder, &out->body, "'case' statement", start);
}

static void put(Parser *p, AstList *list, Ast *parent, Ast *first, Ast *second)
{
	*list = (AstList){ARENA_ARRAY(p->arena, Ast *, 2), 0};
	if (first)
		list->items[list->len++] = own(parent, first);
	if (second)
		list->items[list->len++] = own(parent, second);
}

static Ast *true_node(Parser *p, uint32_t start)
{
	return node_end(p, node_new(p, AST_TRUE, start));
}

/* The `if` of a case, with what other cases are in its `else`. */
static Ast *case_if(Parser *p, const Case *c, Ast *others, uint32_t start)
{
	Ast *test = !c->test ? c->guard : c->test, *node = node_new(p, AST_IF, start);
	if (c->test && c->guard) {
		test = either(p, c->test, c->guard);
		test->bool_op.is_or = false;
	}
	node->if_stmt.test = own(node, test ? test : true_node(p, start));
	node->if_stmt.of_match = true;
	bool first = c->binding && !c->guard; /* behind a guard the name is bound before it */
	uint32_t len = c->body.len + (first ? 1 : 0);
	node->if_stmt.body = (AstList){ARENA_ARRAY(p->arena, Ast *, len), len};
	if (first)
		node->if_stmt.body.items[0] = own(node, c->binding);
	for (uint32_t i = 0; i < c->body.len; i++)
		node->if_stmt.body.items[i + (first ? 1 : 0)] = own(node, c->body.items[i]);
	put(p, &node->if_stmt.orelse, node, others, NULL);
	node_end(p, node);
	if (!c->binding || first)
		return node;
	Ast *both = node_new(p, AST_IF, start);
	both->if_stmt.test = own(both, true_node(p, start));
	put(p, &both->if_stmt.body, both, c->binding, node);
	return node_end(p, both);
}

Ast *parse_match(Parser *p)
{
	uint32_t start = tok_start(p);
	Sym subject = intern(p->names, str_of(arena_printf(p->arena, "%%match%u", start)));
	advance(p);
	Ast *value = parse_tests(p, false);
	if (!value || !parse_expect(p, TOK_COLON) || !parse_expect(p, TOK_NEWLINE) || !parse_expect(p,
			TOK_INDENT))
		return NULL;
	VEC(Case) cases = {0};
	while (parse_is_name(p, p->tok, "case")) {
		Case c;
		if (!read_case(p, subject, &c))
			return NULL;
		vec_push(p->arena, &cases, c);
	}
	if (!parse_expect(p, TOK_DEDENT))
		return NULL;
	Ast *chain = NULL;
	for (uint32_t i = cases.len; i-- > 0;)
		chain = case_if(p, &cases.data[i], chain, start);
	Ast *node = node_new(p, AST_IF, start);
	node->if_stmt.test = own(node, true_node(p, start));
	put(p, &node->if_stmt.body, node, assignment(p, subject, value, start), chain);
	return node_end(p, node);
}
