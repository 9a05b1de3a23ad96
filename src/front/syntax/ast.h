/* The syntax tree of Python, after CPython's `ast` module: same node kinds, same field names.
 *
 * Nodes live in the arena of the parse, are never changed after it, and may be shared by compilations
 * and threads. A node has the memory of its own kind's member only: never copy a whole Ast. No tree is
 * higher than AST_MAX_HEIGHT nodes, whatever the source says: walks may recurse. Lists are AstList; an
 * absent optional child is NULL. Names and attribute names are interned in the FrontLib's or compilation's Interner (front.h says which). */
#ifndef NESO_FRONT_SYNTAX_AST_H
#define NESO_FRONT_SYNTAX_AST_H

#include "base/source.h"

typedef enum {
#define AST(kind, group, doc) AST_##kind,
#include "front/syntax/ast.def"
#undef AST
	AST__COUNT
} AstKind;

typedef enum {
	/* binary: ORDER BIN of ast_op_text */
	BIN_ADD, BIN_SUB, BIN_MUL, BIN_MATMUL, BIN_DIV, BIN_FLOORDIV, BIN_MOD, BIN_POW,
	BIN_LSHIFT, BIN_RSHIFT, BIN_AND, BIN_OR, BIN_XOR, BIN__COUNT
} AstBinOp;
typedef enum { UN_NOT, UN_NEG, UN_POS, UN_INVERT, UN__COUNT } AstUnOp;
typedef enum {
	CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_IS, CMP_IS_NOT, CMP_IN, CMP_NOT_IN, CMP__COUNT
} AstCmpOp;

typedef struct Ast Ast;

typedef struct AstList {
	Ast **items;
	uint32_t len;
} AstList;

/* One parameter of a function. */
typedef struct AstParam {
	Sym name;
	Span span;
	Ast *annotation; /* or NULL */
	Ast *value;      /* default, or NULL */
	enum { PARAM_PLAIN, PARAM_POS_ONLY, PARAM_KW_ONLY, PARAM_STAR, PARAM_STAR_STAR } kind;
} AstParam;

/* name=value of a call, a class or a decorator; name NULL: **value. */
typedef struct AstKeyword {
	Sym name;
	Span span;
	Ast *value;
} AstKeyword;

typedef struct AstFunction {
	Sym name;
	Span name_span;
	Span def_span; /* from the first decorator, or `def`, to the end of the body */
	uint32_t def_offset; /* of the keyword `def` */
	AstList decorators;  /* expressions, top one first */
	AstParam *params;
	uint32_t param_count;
	Ast *returns;   /* annotation, or NULL */
	/* The body is parsed only when asked for: ast_function_body() (parse.h). */
	AstList body;
	bool body_parsed;
	uint32_t body_token; /* parser's own */
	bool is_async, is_lambda;
} AstFunction;

typedef struct AstClass {
	Sym name;
	Span name_span;
	AstList decorators, bases;
	AstKeyword *keywords;
	uint32_t keyword_count;
	AstList body; /* methods are FUNCTION_DEF, fields ANN_ASSIGN or ASSIGN */
} AstClass;

/* One `a.b as c` of an import, one `b as c` of a from-import. */
typedef struct AstAlias {
	Sym name;   /* dotted for `import`; "*" for a star import */
	Sym asname; /* or NULL */
	Span span;
} AstAlias;

enum { AST_MAX_HEIGHT = 1000 };

struct Ast {
	AstKind kind : 16;
	unsigned height : 16; /* 1: a leaf; bodies of nested functions do not count */
	Span span;
	union {
		/* statements */
		AstFunction *function; /* FUNCTION_DEF, LAMBDA (body: one RETURN) */
		AstClass *klass;       /* CLASS_DEF */
		struct { Ast *value; } unary_stmt;                   /* RETURN (or NULL), EXPR */
		struct { AstList targets; Ast *value; } assign;      /* ASSIGN: a = b = value */
		struct { Ast *target, *annotation, *value; } ann_assign; /* value or NULL */
		struct { Ast *target, *value; AstBinOp op; } aug_assign;
		struct { Ast *target, *iter; AstList body, orelse; bool is_async; } for_stmt;
		/* IF, WHILE; elif is an IF in orelse. of_match: a case; orelse: those below it. */
		struct { Ast *test; AstList body, orelse; bool of_match; } if_stmt;
		struct { AstList items; AstList body; bool is_async; } with_stmt; /* items: WITH_ITEM */
		struct { Ast *value, *target; } with_item;           /* target or NULL */
		struct { Ast *exc, *cause; } raise;
		struct { Ast *test, *msg; } assert_stmt;
		struct { AstAlias *names; uint32_t count; Sym module; uint32_t level; } import; /* IMPORT, IMPORT_FROM */
		struct { Sym *names; uint32_t count; } names;        /* GLOBAL, NONLOCAL */
		struct { AstList targets; } del;
		struct { AstList body, handlers, orelse, finalbody; } try_stmt; /* handlers: EXCEPT */
		struct { Ast *type; Sym name; AstList body; } except;
		/* expressions */
		struct { Ast *left, *right; AstBinOp op; } bin;
		struct { Ast *operand; AstUnOp op; } un;
		struct { AstList values; bool is_or; } bool_op;
		struct { Ast *left; AstList rest; AstCmpOp *ops; } compare; /* ops[i] before rest.items[i] */
		struct { Ast *func; AstList args; AstKeyword *keywords; uint32_t keyword_count; } call; /* args may hold STARRED */
		struct { Ast *value; Sym attr; Span attr_span; } attribute;
		struct { Ast *value, *index; } subscript; /* index: any expression, SLICE, or TUPLE of those */
		struct { Ast *lower, *upper, *step; } slice; /* each or NULL */
		struct { Ast *test, *body, *orelse; } if_exp;
		struct { AstList items; } seq;               /* TUPLE, LIST, SET */
		struct { AstList keys, values; } dict;       /* key NULL: **value */
		struct { Ast *value; } wrap;                 /* STARRED, AWAIT, YIELD, YIELD_FROM */
		struct { Ast *target, *value; } named;       /* NAMED_EXPR := */
		struct { Ast *elt, *value; AstList clauses; } comp; /* LIST_COMP, SET_COMP, DICT_COMP, GENERATOR */
		struct { Ast *target, *iter; AstList ifs; bool is_async; } comp_for; /* COMP_FOR */
		struct { AstList values; } joined;           /* JOINED_STR: STRING and FORMATTED */
		struct { Ast *value, *format_spec; char conversion; bool debug; } formatted; /* format_spec: JOINED_STR or NULL */
		struct { Sym id; } name;
		struct { Str digits; int base; bool imaginary; } number; /* INT: digits without prefix and '_', base 2, 8, 10, 16 */
		struct { double value; } real;               /* FLOAT; IMAGINARY */
		struct { Str text; bool is_bytes; } string;  /* escapes resolved, adjacent literals joined */
	};
};

typedef struct AstModule {
	Arena *arena;
	const Source *source;
	Str docstring;
	AstList body; /* module level: see parse.h for what is kept */
	void *parser; /* tokens, for bodies parsed later */
} AstModule;

const char *ast_kind_name(AstKind kind);
const char *ast_bin_op_text(AstBinOp op); /* "+" */
const char *ast_cmp_op_text(AstCmpOp op);
const char *ast_un_op_text(AstUnOp op);
/* A tree as text, one node a line, for tests and `neso list --ast`; with byte offsets when spans are
 * asked for. A function whose body was not parsed yet says so. */
void ast_dump(Text *out, const Ast *node);
void ast_dump_spans(Text *out, const Ast *node);

/* Visits the children of a node, in order: of a function its decorators and defaults, of a lambda its body too; annotations are none. */
typedef void AstVisit(void *data, Ast *child);
void ast_each(const Ast *node, AstVisit *visit, void *data);

#endif
