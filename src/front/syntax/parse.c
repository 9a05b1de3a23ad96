/* The parser's entry points, its errors, and what it does after one.
 *
 * After an error the statement is dropped: tokens are skipped to the end of the line, and the blocks that
 * belong to the statement (its own, and `else` and the like) are still parsed for their errors. */
#include "front/syntax/parser.h"

/* ---- tokens ---- */

Str parse_token_text(const Parser *p, const Token *token)
{
	return (Str){p->source->text + token->start, token->len};
}

bool parse_is_name(const Parser *p, const Token *token, const char *name)
{
	return token->kind == TOK_NAME && str_is(parse_token_text(p, token), name);
}

bool parse_expect(Parser *p, TokenKind kind)
{
	if (accept(p, kind))
		return true;
	parse_unexpected(p, arena_printf(p->arena, "'%s'", lex_token_text(kind)));
	return false;
}

Sym parse_take_name(Parser *p, const char *what)
{
	if (!at(p, TOK_NAME))
		return parse_unexpected(p, what);
	Sym name = intern(p->names, parse_token_text(p, p->tok));
	advance(p);
	return name;
}

/* ---- errors ---- */

Span parse_span(const Parser *p, uint32_t start, uint32_t end)
{
	return (Span){p->source->id, start, end};
}

Span parse_here(const Parser *p)
{
	return parse_span(p, p->tok->start, p->tok->start + p->tok->len);
}

void *parse_error_here(Parser *p, DiagCode code, const char *a, const char *b)
{
	return parse_error(p, parse_here(p), code, a, b);
}

void *parse_error(Parser *p, Span span, DiagCode code, const char *a, const char *b)
{
	p->failures++;
	if (!diag_full(p->diags))
		diag_add(p->diags, span, code, a, b);
	return NULL;
}

static const char *describe_token(const Parser *p, const Token *token)
{
	enum { LONGEST_NAME = 40 };
	if (token->kind == TOK_END && token != &vec_last(&p->tokens))
		return "the end of the field"; /* of an f-string, which has tokens of its own */
	if (token->kind != TOK_NAME && !lex_is_punct((TokenKind)token->kind))
		return lex_token_text((TokenKind)token->kind);
	Str text = parse_token_text(p, token);
	if (text.len > LONGEST_NAME)
		return "a name";
	return arena_printf(p->arena, "'%.*s'", STR_ARG(text));
}

void *parse_unexpected(Parser *p, const char *wanted)
{
	const Token *token = p->tok;
	p->failures++;
	if (diag_full(p->diags))
		return NULL;
	if (token->kind == TOK_ERROR) {
		if (token->len < p->lexer.errors.len)
			lex_report(&p->lexer, p->diags, &p->lexer.errors.data[token->len]);
		return NULL;
	}
	/* An INDENT has no place of its own: it is where its line's first token is. */
	const Token *place = token->kind == TOK_INDENT ? token + 1 : token;
	Span span = parse_span(p, place->start, place->start + token->len);
	return parse_error(p, span, DIAG_SYNTAX_EXPECTED, wanted, describe_token(p, token));
}

/* ---- nodes ---- */

#define SIZE(member) (offsetof(Ast, function) + sizeof(((Ast *)0)->member))
#define BARE offsetof(Ast, function)
const uint8_t parse_node_size[AST__COUNT] = {
	[AST_FUNCTION_DEF] = SIZE(function),
	[AST_CLASS_DEF] = SIZE(klass),
	[AST_RETURN] = SIZE(unary_stmt),
	[AST_ASSIGN] = SIZE(assign),
	[AST_ANN_ASSIGN] = SIZE(ann_assign),
	[AST_AUG_ASSIGN] = SIZE(aug_assign),
	[AST_FOR] = SIZE(for_stmt),
	[AST_WHILE] = SIZE(if_stmt),
	[AST_IF] = SIZE(if_stmt),
	[AST_WITH] = SIZE(with_stmt),
	[AST_WITH_ITEM] = SIZE(with_item),
	[AST_RAISE] = SIZE(raise),
	[AST_ASSERT] = SIZE(assert_stmt),
	[AST_IMPORT] = SIZE(import),
	[AST_IMPORT_FROM] = SIZE(import),
	[AST_GLOBAL] = SIZE(names),
	[AST_NONLOCAL] = SIZE(names),
	[AST_DELETE] = SIZE(del),
	[AST_TRY] = SIZE(try_stmt),
	[AST_EXCEPT] = SIZE(except),
	[AST_EXPR] = SIZE(unary_stmt),
	[AST_PASS] = BARE,
	[AST_BREAK] = BARE,
	[AST_CONTINUE] = BARE,
	[AST_SKIPPED] = BARE,
	[AST_BIN_OP] = SIZE(bin),
	[AST_UNARY_OP] = SIZE(un),
	[AST_BOOL_OP] = SIZE(bool_op),
	[AST_COMPARE] = SIZE(compare),
	[AST_CALL] = SIZE(call),
	[AST_ATTRIBUTE] = SIZE(attribute),
	[AST_SUBSCRIPT] = SIZE(subscript),
	[AST_SLICE] = SIZE(slice),
	[AST_IF_EXP] = SIZE(if_exp),
	[AST_LAMBDA] = SIZE(function),
	[AST_TUPLE] = SIZE(seq),
	[AST_LIST] = SIZE(seq),
	[AST_SET] = SIZE(seq),
	[AST_DICT] = SIZE(dict),
	[AST_STARRED] = SIZE(wrap),
	[AST_NAMED_EXPR] = SIZE(named),
	[AST_LIST_COMP] = SIZE(comp),
	[AST_SET_COMP] = SIZE(comp),
	[AST_DICT_COMP] = SIZE(comp),
	[AST_GENERATOR] = SIZE(comp),
	[AST_COMP_FOR] = SIZE(comp_for),
	[AST_AWAIT] = SIZE(wrap),
	[AST_YIELD] = SIZE(wrap),
	[AST_YIELD_FROM] = SIZE(wrap),
	[AST_JOINED_STR] = SIZE(joined),
	[AST_FORMATTED] = SIZE(formatted),
	[AST_NAME] = SIZE(name),
	[AST_INT] = SIZE(number),
	[AST_FLOAT] = SIZE(real),
	[AST_IMAGINARY] = SIZE(real),
	[AST_STRING] = SIZE(string),
	[AST_TRUE] = BARE,
	[AST_FALSE] = BARE,
	[AST_NONE] = BARE,
	[AST_ELLIPSIS] = BARE,
};
#undef SIZE
#undef BARE

AstList parse_take_list(Parser *p, Ast *node, uint32_t base)
{
	AstList list = {NULL, p->stack.len - base};
	if (list.len) {
		size_t size = list.len * sizeof(Ast *);
		list.items = arena_alloc_raw(p->arena, size, _Alignof(Ast *));
		memcpy(list.items, p->stack.data + base, size);
	}
	for (uint32_t i = 0; node && i < list.len; i++)
		own(node, list.items[i]);
	p->stack.len = base;
	return list;
}

void parse_push_checked(Parser *p, Ast *statement)
{
	uint32_t start = statement->span.start;
	if (statement->height <= AST_MAX_HEIGHT)
		push(p, statement);
	else
		parse_error(p, parse_span(p, start, start + 1), DIAG_SYNTAX_NESTED, NULL, NULL);
}

/* ---- statements and recovery ---- */

static void lines(Parser *p)
{
	while (!at(p, TOK_DEDENT) && !at(p, TOK_END))
		parse_statement(p);
}

/* At an INDENT: its lines, whose statements go to the stack. */
static void indented(Parser *p)
{
	p->tok++;
	lines(p);
	if (at(p, TOK_DEDENT))
		p->tok++;
}

static void skip_line(Parser *p)
{
	while (!at(p, TOK_NEWLINE) && !at(p, TOK_END) && !at(p, TOK_DEDENT) && !at(p, TOK_INDENT))
		p->tok++;
	if (at(p, TOK_NEWLINE))
		p->tok++;
}

/* At an INDENT: its lines, without errors that only follow from what was wrong before it. */
static void indented_anywhere(Parser *p)
{
	bool in_function = p->in_function, in_loop = p->in_loop;
	p->in_function = p->in_loop = true;
	indented(p);
	p->in_function = in_function;
	p->in_loop = in_loop;
}

/* The block of a dropped statement, if there is one. Bodies of functions are not looked into. */
static void skip_block(Parser *p, bool function)
{
	uint32_t base = p->stack.len;
	if (at(p, TOK_INDENT) && function)
		p->tok = p->tokens.data + p->tok->start + 1;
	else if (at(p, TOK_INDENT))
		indented_anywhere(p);
	p->stack.len = base;
}

static void recover(Parser *p, bool function)
{
	skip_line(p);
	skip_block(p, function);
	while (at(p, TOK_ELSE) || at(p, TOK_ELIF) || at(p, TOK_EXCEPT) || at(p, TOK_FINALLY)) {
		skip_line(p);
		skip_block(p, false);
	}
	if (diag_full(p->diags))
		p->tok = &vec_last(&p->tokens);
}

void parse_statement(Parser *p)
{
	if (UNLIKELY(at(p, TOK_NEWLINE))) {
		p->tok++;
		return;
	}
	if (UNLIKELY(at(p, TOK_INDENT))) {
		uint32_t start = p->tok[1].start;
		parse_error(p, parse_span(p, start, start), DIAG_SYNTAX_INDENT, NULL, NULL);
		indented_anywhere(p);
		return;
	}
	uint32_t base = p->stack.len, depth = p->depth;
	bool in_loop = p->in_loop, in_function = p->in_function;
	bool function = at(p, TOK_DEF) || (at(p, TOK_ASYNC) && p->tok[1].kind == TOK_DEF);
	if (parse_compound(p))
		return;
	p->stack.len = base;
	p->depth = depth;
	p->in_loop = in_loop;
	p->in_function = in_function;
	recover(p, function);
}

/* "expected an indented block after `what` on line (of `start`)" */
static void no_block(Parser *p, const char *what, uint32_t start)
{
	p->failures++;
	if (!diag_full(p->diags))
		diag_add(p->diags, parse_here(p), DIAG_SYNTAX_BLOCK, what,
			 source_line_col(p->source, start).line);
}

bool parse_block(Parser *p, Ast *node, AstList *body, const char *what, uint32_t start)
{
	uint32_t base = p->stack.len;
	if (at(p, TOK_EQUAL)) {
		parse_error_here(p, DIAG_SYNTAX_EQUALS, NULL, NULL);
		return false;
	}
	if (!parse_expect(p, TOK_COLON))
		return false;
	if (!at(p, TOK_NEWLINE)) {
		if (!parse_simple_line(p))
			return false;
	} else {
		p->tok++;
		if (at(p, TOK_INDENT))
			indented(p);
		else
			no_block(p, what, start);
	}
	*body = parse_take_list(p, node, base);
	return true;
}

/* End of the last token before token `index` that is not layout. */
static uint32_t end_before(const Parser *p, uint32_t index)
{
	const Token *token = &p->tokens.data[index - 1];
	while (token->kind == TOK_NEWLINE || token->kind == TOK_DEDENT)
		token--;
	if (token->kind == TOK_ERROR)
		return token->len < p->lexer.errors.len ? p->lexer.errors.data[token->len].end : token->start;
	return token->start + token->len;
}

bool parse_skip_body(Parser *p, AstFunction *f, uint32_t start)
{
	if (!parse_expect(p, TOK_COLON))
		return false;
	f->body_token = (uint32_t)(p->tok - p->tokens.data);
	if (at(p, TOK_NEWLINE)) {
		p->tok++;
		if (!at(p, TOK_INDENT)) {
			no_block(p, "function definition", start);
			f->body_parsed = true; /* there is none */
			return true;
		}
		p->tok = p->tokens.data + p->tok->start;
		p->prev_end = end_before(p, (uint32_t)(p->tok - p->tokens.data));
		if (at(p, TOK_DEDENT))
			p->tok++;
		return true;
	}
	while (!at(p, TOK_NEWLINE) && !at(p, TOK_END))
		p->tok++;
	p->prev_end = end_before(p, (uint32_t)(p->tok - p->tokens.data));
	if (at(p, TOK_NEWLINE))
		p->tok++;
	return true;
}

/* ---- entry points ---- */

static void init(Parser *p, Arena *arena, Interner *names, const Source *source, DiagList *diags)
{
	*p = (Parser){.arena = arena, .names = names, .source = source, .diags = diags};
	lex_init(&p->lexer, arena, source, diags);
	vec_reserve(arena, &p->stack, 64);
}

static Str docstring(const AstList *body)
{
	const Ast *first = body->len ? body->items[0] : NULL;
	if (!first || first->kind != AST_EXPR || first->unary_stmt.value->kind != AST_STRING ||
	    first->unary_stmt.value->string.is_bytes)
		return (Str){NULL, 0};
	return first->unary_stmt.value->string.text;
}

AstModule *ast_parse_module(Arena *arena, Interner *names, const Source *source, DiagList *diags)
{
	Parser *p = ARENA_NEW(arena, Parser);
	init(p, arena, names, source, diags);
	if (!lex_module(&p->lexer, &p->tokens))
		return NULL;
	p->tok = p->tokens.data;
	lines(p);
	lex_report_damage(&p->lexer);
	AstModule *module = ARENA_NEW(arena, AstModule);
	module->arena = arena;
	module->source = source;
	module->body = parse_take_list(p, NULL, 0);
	module->docstring = docstring(&module->body);
	module->parser = p;
	return module;
}

bool ast_function_body(AstModule *module, AstFunction *function, DiagList *diags)
{
	if (function->body_parsed)
		return true;
	Parser *p = module->parser;
	p->diags = p->lexer.diags = diags;
	p->failures = 0;
	p->in_loop = false;
	p->in_function = true;
	p->depth = 0;
	p->stack.len = 0;
	p->tok = p->tokens.data + function->body_token;
	if (at(p, TOK_NEWLINE)) {
		p->tok++;
		indented(p);
	} else if (!parse_simple_line(p)) {
		p->stack.len = 0;
	}
	function->body = parse_take_list(p, NULL, 0);
	function->body_parsed = !p->failures;
	return function->body_parsed;
}

Ast *ast_parse_expression(Arena *arena, Interner *names, const Source *source, DiagList *diags)
{
	Parser p;
	init(&p, arena, names, source, diags);
	if (lex_is_too_large(&p.lexer))
		return NULL;
	lex_fragment(&p.lexer, (uint32_t)(p.lexer.at - source->text), (uint32_t)source->len, &p.tokens);
	p.tok = p.tokens.data;
	Ast *node = parse_tests(&p, false);
	if (node && !at(&p, TOK_END))
		return parse_unexpected(&p, "end of the expression");
	if (node && node->height > AST_MAX_HEIGHT)
		return parse_error(&p, node->span, DIAG_SYNTAX_NESTED, NULL, NULL);
	return node;
}
