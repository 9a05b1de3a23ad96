/* Between the files of the reader: tokens (read_lex.c), types and aliases (read_type.c), attributes (read_attr.c,
 * read_dense.c), locations (read_loc.c), values and their types (read_value.c), formats (read_format.c), ops
 * (read_op.c, read_custom.c), regions and blocks (read_region.c), modules (read.c).
 *
 * Each read_* function returns false, or NULL, after diagnosing; the caller gives up its own construct, and the
 * loop over the ops of a block goes on with the next one. Recursion is bounded by `depth`. */
#ifndef NESO_IR_TEXT_READ_INT_H
#define NESO_IR_TEXT_READ_INT_H

#include "ir/text/asm.h"
#include "ir/text/text.h"

typedef enum {
	TOK_EOF,
	TOK_ID,     /* words, with points */
	TOK_VALUE,  /* %name */
	TOK_SYMBOL, /* @name, @"name" */
	TOK_BLOCK,  /* ^name */
	TOK_HASH,   /* #name, #1 */
	TOK_BANG,   /* !name */
	TOK_INT,
	TOK_FLOAT,
	TOK_STRING,
	TOK_ARROW,
	TOK_PUNCT, /* one character */
	TOK_BAD,   /* was diagnosed */
} TokenKind;

typedef struct Token {
	TokenKind kind;
	const char *start, *end;
} Token;

/* A use of a value: %name or %name#index. */
typedef struct ReadRef {
	Sym name;
	uint32_t index;
	Span span;
} ReadRef;

/* What a name stands for. */
typedef struct ReadBinding {
	IrValue **values;
	uint32_t count;
	Span span;
} ReadBinding;

/* A use before the definition: `value` stands in for it. */
typedef struct ReadForward {
	ReadRef ref;
	IrValue *value;
} ReadForward;

typedef struct ReadAlias {
	Sym name;
	const char *start; /* of the definition, at the # or ! */
	const char *end;   /* after it; NULL: not read yet */
	bool busy, failed;
	IrAttr attr;
	IrLoc loc;
	uint32_t depth; /* of loc */
	IrType type;
} ReadAlias;

typedef struct ReadBlock {
	Sym name;
	IrBlock *block;
	bool defined;
	Span span; /* of the first use, or of the definition */
} ReadBlock;

/* The blocks of the region that is being read. */
typedef struct ReadBlocks {
	VEC(ReadBlock) list;
	struct ReadBlocks *outer;
	IrRegion *region;
} ReadBlocks;

typedef struct Reader {
	IrCx *cx;
	Arena *arena;
	const Source *source;
	DiagList *diags;
	IrModule *m;
	const char *at, *end; /* what follows the current token */
	Token tok;
	Map ops;      /* Sym -> kind + 1 */
	Map values;   /* Sym -> ReadBinding */
	Map poisoned; /* Sym: results of ops that could not be read */
	VEC(Sym) scope;
	VEC(ReadForward) forwards;
	Map aliases; /* Sym of the text with its sigil -> ReadAlias */
	ReadBlocks *blocks;
	Map wanted; /* IrValue -> Sym: names for values without a location of their own */
	uint32_t depth, loc_depth;
	IrSign *sign; /* in the type of a descriptor: si32 and ui32 may stand for i32, and set this */
	bool failed, have_module;
} Reader;

/* An op in the making. */
typedef struct ReadOp {
	IrOpKind kind;
	Span span; /* of its name */
	VEC(ReadRef) refs;
	VEC(IrType) types; /* of refs, as far as known (NULL) */
	VEC(IrType) results;
	VEC(IrNamedAttr) attrs;
} ReadOp;

enum {
	READ_MAX_DEPTH = 200,     /* of types, attributes and regions */
	READ_MAX_PARTITIONS = 16, /* of ttg.warp_specialize: more than the warps of a CTA can be split into */
	READ_MAX_LOC_DEPTH = 1000, /* of locations: inlining chains, and one level per carried value of a loop */
};

/* ---- tokens ---- */

void read_next(Reader *r);
void read_seek(Reader *r, const char *at); /* the token at `at` becomes the current one */
Span read_span(const Reader *r, const char *from, const char *to);
Span read_tok_span(const Reader *r);
Str read_tok_text(const Reader *r);
bool read_is(const Reader *r, char punct);
bool read_is_word(const Reader *r, const char *word);
bool read_take(Reader *r, char punct);            /* if it is there */
bool read_take_word(Reader *r, const char *word); /* likewise */
bool read_expect(Reader *r, char punct);
bool read_expect_arrow(Reader *r);
bool read_expect_word(Reader *r, const char *word);
/* `expected WHAT; found TOKEN`, at the current token. Always false. */
bool read_expected(Reader *r, const char *what);
static inline bool read_failed(Reader *r, const Diag *diag)
{
	(void)diag;
	r->failed = true;
	return false;
}
#define READ_FAIL(r, span, ...) read_failed((r), diag_add((r)->diags, (span), __VA_ARGS__))
bool read_string(Reader *r, Str *out); /* the current token, unescaped */
bool read_u64(Reader *r, uint64_t *out);
bool read_deeper(Reader *r); /* false after diagnosing; else the caller takes it back: r->depth-- */

/* ---- types, attributes, locations ---- */

void read_find_aliases(Reader *r);
/* At a definition `#x = ...` or `!x = ...`: reads it and goes on after it. */
bool read_alias_definition(Reader *r);
/* The alias of that name, read; NULL after diagnosing. The current token stays what it was. */
ReadAlias *read_find_alias(Reader *r, Str text, Span span);
IrType read_type(Reader *r);
IrType read_type_brief(Reader *r, char brief); /* q: of a pointer, d: of a descriptor, m: of memory */
IrAttr read_attr(Reader *r);
IrAttr read_make_int(Reader *r, Span span, IrType type, uint64_t value, bool negative);
bool read_fits_bits(Reader *r, Span span, IrType type, uint64_t value);
IrAttr read_dense(Reader *r); /* after the word `dense` */
IrAttr read_ints(Reader *r);  /* after the word `array` */
/* `{a = 1, b}` at `{`: calls for each item. The attributes are put in order by their users. */
typedef struct ReadAttrs {
	VEC(IrNamedAttr) list;
} ReadAttrs;
bool read_dict(Reader *r, ReadAttrs *out);
/* What stands between the parentheses of loc(...); `depth` becomes its number of levels. */
IrLoc read_loc_body(Reader *r, uint32_t *depth);
/* `loc(...)`, if it is there. */
bool read_trailing_loc(Reader *r, IrLoc *loc);
IrLoc read_loc_at(Reader *r, Span span); /* the place in the text itself */

/* ---- values, ops, regions ---- */

bool read_ref(Reader *r, ReadRef *ref);
bool read_refs(Reader *r, ReadOp *op); /* %a, %b, ...; none is fine */
IrValue *read_resolve(Reader *r, ReadRef ref, IrType type); /* NULL after diagnosing */
bool read_define(Reader *r, Sym name, Span span, IrValue **values, uint32_t count);
void read_close_scope(Reader *r, uint32_t mark); /* forgets the names since then */
bool read_types(Reader *r, ReadOp *op, bool results); /* t, t, ... appended */
bool read_function_type(Reader *r, ReadOp *op);       /* (t, ...) -> t or (t, ...) */
bool read_op_attrs(Reader *r, ReadOp *op);            /* an optional dictionary */
bool read_add_attr(Reader *r, ReadOp *op, Sym name, IrAttr value);
bool read_colon_types(Reader *r, ReadOp *op);
bool read_format(Reader *r, ReadOp *op);
bool read_wrong_operands(Reader *r, const ReadOp *op, uint32_t found); /* false, after saying so */
/* The op with operands resolved, in the block; regions empty. */
IrOp *read_make(Reader *r, ReadOp *op, IrBlock *block);
/* Operands and results of an op that was made before its types were read. */
bool read_late_types(Reader *r, ReadOp *op, IrOp *made);
/* `{ ... }`. Entry arguments that the op's syntax names come in `args`; without `yields`, a missing terminator is
 * made of the kind `implied` (OP__COUNT: none). */
typedef struct ReadArg {
	Sym name;
	Span span;
	IrType type;
	IrLoc loc; /* NULL: none given */
} ReadArg;
typedef struct ReadArgs {
	VEC(ReadArg) list;
} ReadArgs;
bool read_region(Reader *r, IrRegion *region, const ReadArgs *args, IrOpKind implied);
/* Ops and blocks up to a closing brace or the end of the text. */
bool read_block_ref(Reader *r, IrBlock **block);
void read_ops_until_close(Reader *r, IrBlock *block);

/* One op, with names of results and location. */
bool read_one_op(Reader *r, IrBlock *block);
typedef IrOp *ReadHook(Reader *r, ReadOp *op, IrBlock *block);
ReadHook *read_hook(IrOpKind kind);

#endif
