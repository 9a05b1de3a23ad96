/* Arguments of calls, parameters of functions and lambdas. */
#include "base/map.h"
#include "front/syntax/parser.h"

/* Index of the first name that occurred before, or `count`; NULL names do not count. `stride` is the
 * distance of two names in bytes. */
static uint32_t first_repeated(Arena *arena, const void *names, size_t stride, uint32_t count)
{
	enum { FEW = 24 };
#define NAME(i) (*(const Sym *)((const char *)names + (i) * stride))
	if (count <= FEW) {
		for (uint32_t i = 1; i < count; i++)
			for (uint32_t j = 0; j < i; j++)
				if (NAME(i) && NAME(i) == NAME(j))
					return i;
		return count;
	}
	Map seen;
	map_init(&seen, arena);
	for (uint32_t i = 0; i < count; i++) {
		if (NAME(i) && map_get_ptr(&seen, NAME(i)))
			return i;
		if (NAME(i))
			map_put_ptr(&seen, NAME(i), NAME(i));
	}
	return count;
#undef NAME
}

typedef VEC(AstKeyword) KeywordList;

typedef struct Arguments {
	Ast *node; /* that owns them */
	KeywordList keywords;
	bool seen_keyword, seen_unpacking; /* name=value; **value */
} Arguments;

static bool misplaced(Parser *p, const Ast *argument, const Arguments *a)
{
	bool star = argument->kind == AST_STARRED;
	if (!a->seen_unpacking && (star || !a->seen_keyword))
		return false;
	parse_error(p, argument->span, DIAG_SYNTAX_ARGUMENT_ORDER,
		    star ? "iterable argument unpacking" : "positional argument",
		    a->seen_unpacking ? "keyword argument unpacking" : "keyword argument");
	return true;
}

/* '**' expression | NAME '=' expression */
static bool keyword(Parser *p, Arguments *a)
{
	uint32_t start = tok_start(p);
	Sym name = NULL;
	if (at(p, TOK_NAME)) {
		name = intern(p->names, parse_token_text(p, p->tok));
		advance(p);
	}
	advance(p);
	Ast *value = own(a->node, parse_test(p));
	if (!value)
		return false;
	*(name ? &a->seen_keyword : &a->seen_unpacking) = true;
	vec_push(p->arena, &a->keywords, (AstKeyword){name, parse_span(p, start, p->prev_end), value});
	return true;
}

/* '*' expression | named_expression [for_if_clauses] */
static bool positional(Parser *p, Arguments *a, uint32_t open, bool only)
{
	uint32_t start = tok_start(p);
	Ast *node;
	if (accept(p, TOK_STAR)) {
		node = node_new(p, AST_STARRED, start);
		node->wrap.value = own(node, parse_test(p));
		if (!node->wrap.value)
			return false;
		node_end(p, node);
	} else if (!(node = parse_named(p))) {
		return false;
	}
	if (at(p, TOK_EQUAL)) {
		parse_error(p, node->span, DIAG_SYNTAX_KEYWORD_NAME, NULL, NULL);
		return false;
	}
	if (at(p, TOK_FOR) || at(p, TOK_ASYNC)) {
		Ast *generator = node_new(p, AST_GENERATOR, open);
		generator->comp.elt = own(generator, node);
		if (!parse_clauses(p, generator))
			return false;
		if (!only || at(p, TOK_COMMA)) {
			parse_error(p, parse_span(p, start, p->prev_end), DIAG_SYNTAX_GENERATOR, NULL, NULL);
			return false;
		}
		generator->span.end = tok_start(p) + 1; /* the call's `)`, checked by the caller */
		node = generator;
	}
	if (misplaced(p, node, a))
		return false;
	push(p, node);
	return true;
}

/* At '('; takes the ')'. */
bool parse_arguments(Parser *p, Ast *node, AstList *args, AstKeyword **keywords, uint32_t *count)
{
	uint32_t open = tok_start(p), base = p->stack.len;
	Arguments a = {.node = node};
	advance(p);
	for (bool first = true; !at(p, TOK_RPAREN); first = false) {
		bool is_keyword = at(p, TOK_STAR_STAR) || (at(p, TOK_NAME) && p->tok[1].kind == TOK_EQUAL);
		if (!(is_keyword ? keyword(p, &a) : positional(p, &a, open, first)))
			return false;
		if (!accept(p, TOK_COMMA))
			break;
	}
	if (!accept(p, TOK_RPAREN)) {
		parse_unexpected(p, "',' or ')'");
		return false;
	}
	if (a.keywords.len) {
		const AstKeyword *k = a.keywords.data;
		uint32_t i = first_repeated(p->arena, &k->name, sizeof *k, a.keywords.len);
		if (i < a.keywords.len) {
			parse_error(p, k[i].span, DIAG_SYNTAX_KEYWORD_REPEATED, k[i].name, NULL);
			return false;
		}
	}
	*args = parse_take_list(p, node, base);
	*keywords = a.keywords.data;
	*count = a.keywords.len;
	return true;
}

/* ---- parameters ---- */

typedef struct Params {
	VEC(AstParam) list;
	bool seen_slash, seen_star, seen_star_star, seen_default;
	bool bare_star; /* a `*` that waits for a name */
} Params;

static bool order_error(Parser *p, uint32_t start, const char *text)
{
	Span span = parse_span(p, start, MAX(p->prev_end, start + 1));
	parse_error(p, span, DIAG_SYNTAX_PARAM_ORDER, text, NULL);
	return false;
}

static bool slash(Parser *p, Params *ps)
{
	uint32_t start = tok_start(p);
	advance(p);
	if (ps->seen_slash)
		return order_error(p, start, "'/' may appear only once");
	if (ps->seen_star)
		return order_error(p, start, "'/' must be ahead of '*'");
	if (!ps->list.len)
		return order_error(p, start, "at least one parameter must precede '/'");
	ps->seen_slash = true;
	for (uint32_t i = 0; i < ps->list.len; i++)
		ps->list.data[i].kind = PARAM_POS_ONLY;
	return true;
}

/* NAME [':' annotation] ['=' default], after its stars */
static bool param(Parser *p, Params *ps, Ast *node, AstParam it, bool annotated)
{
	uint32_t start = tok_start(p);
	if (!(it.name = parse_take_name(p, "a parameter name")))
		return false;
	if (annotated && accept(p, TOK_COLON)) {
		bool star = it.kind == PARAM_STAR && at(p, TOK_STAR);
		it.annotation = own(node, star ? parse_star_or_named(p) : parse_test(p));
		if (!it.annotation)
			return false;
	}
	it.span = parse_span(p, start, p->prev_end);
	if (at(p, TOK_EQUAL)) {
		if (it.kind == PARAM_STAR || it.kind == PARAM_STAR_STAR)
			return order_error(p, start, "a parameter with '*' or '**' cannot have a default");
		advance(p);
		if (!(it.value = own(node, parse_test(p))))
			return false;
		ps->seen_default |= it.kind == PARAM_PLAIN;
	} else if (ps->seen_default && it.kind == PARAM_PLAIN) {
		parse_error(p, it.span, DIAG_SYNTAX_PARAM_DEFAULT, NULL, NULL);
		return false;
	}
	if (it.kind == PARAM_KW_ONLY)
		ps->bare_star = false;
	vec_push(p->arena, &ps->list, it);
	return true;
}

static bool one_param(Parser *p, Params *ps, Ast *node, TokenKind close)
{
	bool annotated = close == TOK_RPAREN;
	uint32_t start = tok_start(p);
	if (ps->seen_star_star)
		return order_error(p, start, "no parameter can follow one with '**'");
	if (at(p, TOK_SLASH))
		return slash(p, ps);
	if (accept(p, TOK_STAR_STAR)) {
		if (ps->bare_star)
			return order_error(p, start, "named parameters must follow bare '*'");
		ps->seen_star_star = true;
		return param(p, ps, node, (AstParam){.kind = PARAM_STAR_STAR}, annotated);
	}
	if (!accept(p, TOK_STAR)) {
		AstParam it = {.kind = ps->seen_star ? PARAM_KW_ONLY : PARAM_PLAIN};
		return param(p, ps, node, it, annotated);
	}
	if (ps->seen_star)
		return order_error(p, start, "'*' may appear only once");
	ps->seen_star = true;
	if (at(p, TOK_COMMA) || at(p, close)) {
		ps->bare_star = true;
		return true;
	}
	return param(p, ps, node, (AstParam){.kind = PARAM_STAR}, annotated);
}

/* Up to `close`, which is not taken. */
bool parse_params(Parser *p, Ast *node, AstFunction *f, TokenKind close)
{
	Params ps = {0};
	while (!at(p, close)) {
		if (!one_param(p, &ps, node, close))
			return false;
		if (!accept(p, TOK_COMMA))
			break;
	}
	if (!at(p, close)) {
		parse_unexpected(p, close == TOK_RPAREN ? "',' or ')'" : "',' or ':'");
		return false;
	}
	if (ps.bare_star)
		return order_error(p, p->prev_end - 1, "named parameters must follow bare '*'");
	if (ps.list.len) {
		uint32_t i = first_repeated(p->arena, &ps.list.data[0].name, sizeof(AstParam), ps.list.len);
		if (i < ps.list.len) {
			const AstParam *again = &ps.list.data[i];
			parse_error(p, again->span, DIAG_SYNTAX_PARAM_REPEATED, again->name, NULL);
			return false;
		}
	}
	f->params = ps.list.data;
	f->param_count = ps.list.len;
	return true;
}

/* lambdef: 'lambda' [parameters] ':' expression */
Ast *parse_lambda(Parser *p)
{
	Ast *node = node_new(p, AST_LAMBDA, tok_start(p));
	AstFunction *f = node->function = ARENA_NEW(p->arena, AstFunction);
	f->is_lambda = f->body_parsed = true;
	f->def_offset = tok_start(p);
	f->name_span = parse_here(p);
	f->name = intern(p->names, STR("<lambda>"));
	advance(p);
	if (!parse_params(p, node, f, TOK_COLON))
		return NULL;
	advance(p);
	Ast *body = node_new(p, AST_RETURN, tok_start(p));
	if (!(body->unary_stmt.value = own(body, parse_test(p))))
		return NULL;
	body->span = body->unary_stmt.value->span;
	own(node, body);
	f->body = (AstList){ARENA_ARRAY(p->arena, Ast *, 1), 1};
	f->body.items[0] = body;
	node_end(p, node);
	f->def_span = node->span;
	return node;
}
