/* Between the files of the parser: its state, and the grammar functions they call across.
 *
 * Recursive descent over the token array, precedence climbing for operators. A grammar function returns NULL
 * (or false) after it has reported an error; the statement in which that happens is dropped, and parsing
 * goes on at the next line. Every loop of the grammar consumes a token or ends, and tokens end with END. */
#ifndef NESO_FRONT_SYNTAX_PARSER_H
#define NESO_FRONT_SYNTAX_PARSER_H

#include "front/syntax/lex.h"
#include "front/syntax/parse.h"

typedef struct Parser {
	Arena *arena;
	Interner *names;
	const Source *source;
	DiagList *diags; /* of the call in progress */
	Lexer lexer;
	TokenList tokens; /* of the module */
	const Token *tok; /* the next one */
	uint32_t prev_end; /* end of the last token taken, layout not counted */
	VEC(Ast *) stack;  /* children of lists that are being read */
	uint32_t depth;    /* of expressions being parsed */
	uint32_t failures; /* errors of this call */
	bool in_function, in_loop;
	bool in_pattern; /* of a case, whose parts may have names by `as` */
	bool warned_names; /* once for all of a module: DIAG_SYNTAX_NAMED_ESCAPE */
} Parser;

enum { PARSE_MAX_DEPTH = 400 }; /* of recursion in expressions; brackets alone stop at LEX_MAX_NESTING */

/* ---- tokens ---- */

static inline TokenKind peek(const Parser *p)
{
	return (TokenKind)p->tok->kind;
}

static inline bool at(const Parser *p, TokenKind kind)
{
	return p->tok->kind == (unsigned)kind;
}

static inline uint32_t tok_start(const Parser *p)
{
	return p->tok->start;
}

/* Not for layout tokens. */
static inline void advance(Parser *p)
{
	p->prev_end = p->tok->start + p->tok->len;
	p->tok++;
}

static inline bool accept(Parser *p, TokenKind kind)
{
	if (!at(p, kind))
		return false;
	advance(p);
	return true;
}

/* False after "expected 'x', found ...". */
bool parse_expect(Parser *p, TokenKind kind);
Sym parse_take_name(Parser *p, const char *what); /* NULL after a report */
Str parse_token_text(const Parser *p, const Token *token);
bool parse_is_name(const Parser *p, const Token *token, const char *name);

/* ---- errors; the functions return NULL ---- */

Span parse_span(const Parser *p, uint32_t start, uint32_t end);
/* The next token is not what the grammar wants; reports the lexer's error if it is an ERROR. */
void *parse_unexpected(Parser *p, const char *wanted);
/* The row's arguments are at most two strings. */
void *parse_error(Parser *p, Span span, DiagCode code, const char *a, const char *b);
/* At the next token. */
void *parse_error_here(Parser *p, DiagCode code, const char *a, const char *b);
Span parse_here(const Parser *p); /* of the next token */

/* ---- nodes ---- */

/* Bytes that a node of each kind has: those of its member of Ast's union and no more. */
extern const uint8_t parse_node_size[AST__COUNT];

static inline Ast *node_new(Parser *p, AstKind kind, uint32_t start)
{
	size_t size = parse_node_size[kind];
	Ast *node = memset(arena_alloc_raw(p->arena, size, _Alignof(Ast)), 0, size);
	node->kind = kind;
	node->height = 1;
	node->span = (Span){p->source->id, start, start};
	return node;
}

/* The node ends with the last token taken. */
static inline Ast *node_end(const Parser *p, Ast *node)
{
	node->span.end = p->prev_end;
	return node;
}

/* Counts a child; returns it. */
static inline Ast *own(Ast *node, Ast *child)
{
	if (child && child->height >= node->height)
		node->height = (MIN(child->height, 0xfffeu) + 1) & 0xffff;
	return child;
}

static inline void push(Parser *p, Ast *node)
{
	vec_push(p->arena, &p->stack, node);
}

/* The nodes pushed since `base`, as children of `node`. */
AstList parse_take_list(Parser *p, Ast *node, uint32_t base);

/* ---- grammar: expressions (parse_expr.c, _atom, _call, _number, _string) ---- */

/* Operator precedences for parse_binary: everything from this one up. */
typedef enum { PREC_OR = 1, PREC_AND, PREC_NOT, PREC_COMPARE, PREC_BIT_OR } Precedence;

Ast *parse_test(Parser *p);                     /* expression */
Ast *parse_named(Parser *p);                    /* named_expression */
Ast *parse_binary(Parser *p, unsigned prec);    /* disjunction and below */
Ast *parse_atom(Parser *p);
/* At the `(` of a call or a class; takes the `)`. */
bool parse_arguments(Parser *p, Ast *node, AstList *args, AstKeyword **keywords, uint32_t *count);
Ast *parse_lambda(Parser *p);
Ast *parse_strings(Parser *p);                  /* adjacent literals */
Ast *parse_number(Parser *p);
Ast *parse_yield(Parser *p);
Ast *parse_star_or_named(Parser *p);            /* '*' bitwise_or | named_expression */
Ast *parse_tests(Parser *p, bool star);         /* star_expressions: a tuple where a comma follows; one alone
						   may be starred only with `star` */
Ast *parse_target_list(Parser *p);              /* targets of `for`: star_targets, checked */
bool parse_clauses(Parser *p, Ast *comp);       /* for_if_clauses, at `for` or `async` */
bool parse_params(Parser *p, Ast *node, AstFunction *f, TokenKind close);
bool parse_begins_expression(TokenKind kind);

/* What an expression is called in "cannot assign to ...". */
const char *parse_describe(const Ast *node);
/* Checks that the expression may be assigned to (or deleted). */
bool parse_check_target(Parser *p, const Ast *node, bool delete);

/* ---- grammar: statements (parse_stmt.c, parse_block.c) ---- */

/* One statement, or one line of simple ones: pushes them; after an error, goes on to the next. */
void parse_statement(Parser *p);
/* The same, but stops at an error. */
bool parse_compound(Parser *p);
/* simple_stmt (';' simple_stmt)* NEWLINE: pushes them. */
bool parse_simple_line(Parser *p);
Ast *parse_match(Parser *p); /* of a function's body (parse_match.c) */
/* ':' and the block; `what` and `start` (where it begins) are for the error when there is none. */
bool parse_block(Parser *p, Ast *node, AstList *body, const char *what, uint32_t start);
/* ':' and the block of a function, which is skipped; `f` keeps the place. */
bool parse_skip_body(Parser *p, AstFunction *f, uint32_t start);
/* Pushes a finished statement unless it is higher than AST_MAX_HEIGHT. */
void parse_push_checked(Parser *p, Ast *statement);

#endif
