/* Python source text to tokens: one array of 8-byte tokens for a whole file.
 *
 * Indentation becomes INDENT and DEDENT tokens; each INDENT knows its DEDENT, so that a block is skipped
 * in one step. Newlines inside brackets are gone. A string literal is one token whatever it holds, f-strings
 * included: the parser calls lex_fragment for what stands between their braces.
 *
 * Errors do not stop the lexer: they become ERROR tokens, which the parser reports when it meets them. What
 * may have swallowed other lines (an open bracket or triple quote, indentation) is "damage", an error of the
 * file even where nobody looks at the block it stands in: lex_report_damage. */
#ifndef NESO_FRONT_SYNTAX_LEX_H
#define NESO_FRONT_SYNTAX_LEX_H

#include "base/diag/diag.h"

typedef enum {
#define TOKEN(kind, text) TOK_##kind,
#include "front/syntax/token.def"
	TOK__COUNT
} TokenKind;

typedef struct Token {
	uint32_t start;    /* offset of the first byte; of an INDENT: index of its DEDENT */
	uint32_t kind : 8; /* TokenKind */
	uint32_t len : 24; /* bytes; of an ERROR: index into Lexer.errors; of layout tokens: 0 */
} Token;

typedef VEC(Token) TokenList;

typedef struct LexError {
	DiagCode code;
	uint32_t start, end;
	const char *a, *b; /* arguments of the row */
	uint32_t opener;   /* offset of the bracket that the message speaks of, or LEX_NO_OFFSET */
	bool damage;
} LexError;

enum {
	LEX_MAX_NESTING = 200,  /* brackets, as in CPython */
	LEX_MAX_INDENT = 100,   /* levels, as in CPython */
	LEX_MAX_FSTRING = 100,  /* f-strings inside f-strings */
	LEX_MAX_ERRORS = 10000, /* then it is no Python text */
	LEX_MAX_SOURCE = 64 << 20,
	LEX_MAX_TOKEN = (1 << 24) - 1,
};
#define LEX_NO_OFFSET UINT32_MAX

typedef struct LexBracket {
	uint32_t token, offset;
	char close;
} LexBracket;

typedef struct LexIndent {
	/* Width with tabs to multiples of 8, and with tabs of 1: the two must agree on what is deeper. */
	uint32_t col, alt;
	uint32_t token; /* its INDENT */
} LexIndent;

typedef struct Lexer {
	Arena *arena;
	const Source *source;
	DiagList *diags; /* of the call in progress */
	const char *text, *at, *end;
	TokenList *out;
	VEC(LexError) errors;
	LexBracket brackets[LEX_MAX_NESTING];
	uint32_t nesting, too_deep; /* too_deep: open brackets beyond the limit */
	uint32_t open_string; /* 1 + index of the first unterminated string inside the open brackets, or 0 */
	LexIndent indents[LEX_MAX_INDENT];
	uint32_t indent_count;
	size_t wasted;        /* bytes scanned in vain for the end of an f-string */
	const char *encoding; /* of the coding cookie when it is not UTF-8, or NULL */
	bool fragment, given_up;
} Lexer;

void lex_init(Lexer *lexer, Arena *arena, const Source *source, DiagList *diags);
/* All of the source. False when the text is hopeless (diagnosed). */
bool lex_module(Lexer *lexer, TokenList *out);
/* Diagnoses a source of more than LEX_MAX_SOURCE bytes. */
bool lex_is_too_large(const Lexer *lexer);
/* Reports all damage; what the list has already is not repeated. */
void lex_report_damage(Lexer *lexer);
/* The bytes [start, end) as if inside brackets. */
void lex_fragment(Lexer *lexer, uint32_t start, uint32_t end, TokenList *out);

const char *lex_token_text(TokenKind kind); /* the table's text */
bool lex_is_punct(TokenKind kind);          /* has a fixed spelling: punctuation or keyword */
void lex_report(Lexer *lexer, DiagList *diags, const LexError *error);

/* ---- parts of the lexer that the parser of literals shares ---- */

typedef struct LexPrefix {
	bool raw, bytes, format;
} LexPrefix;

/* Whether text[0..len) is a string prefix. */
bool lex_string_prefix(const char *text, size_t len, LexPrefix *prefix);
/* `at` is after the `{` of an f-string: the `}`, `:` or `!` that ends the expression, or NULL. */
const char *lex_field_end(const char *at, const char *end);
/* Length of the UTF-8 sequence at `at`, 0 when it is none; *code is its code point. */
unsigned lex_utf8(const char *at, const char *end, uint32_t *code);

/* ---- between the files of the lexer ---- */

/* `at` is at the opening quote: the byte after the closing one, NULL when there is none. */
const char *lex_string_end(Lexer *lexer, const char *at, LexPrefix prefix);
TokenKind lex_name_kind(const char *text, size_t len);
/* Whether a code point may stand in a name, as far as the lexer looks. */
bool lex_is_name_code(uint32_t code);
/* Lexes a number at lexer->at. */
void lex_number(Lexer *lexer);
void lex_emit(Lexer *lexer, TokenKind kind, const char *start, const char *end);
/* Records an error and emits its token. NULL when there are too many. */
LexError *lex_error(Lexer *lexer, DiagCode code, const char *start, const char *end);
/* The same without the token. */
LexError *lex_error_only(Lexer *lexer, DiagCode code, const char *start, const char *end);
static inline LexError *lex_damage(LexError *error)
{
	if (error)
		error->damage = true;
	return error;
}

void lex_open_bracket(Lexer *lexer, TokenKind kind, char close);
void lex_close_bracket(Lexer *lexer, TokenKind kind);
void lex_abandon_brackets(Lexer *lexer); /* those that are open end here, unclosed */
/* At the first byte of a line, outside brackets: skips lines without tokens, then does the indentation.
 * False at the end of the text. */
bool lex_start_line(Lexer *lexer);
/* At a newline inside brackets. True when the brackets ended: the next line begins a statement. */
bool lex_line_in_brackets(Lexer *lexer);
void lex_pop_indent(Lexer *lexer);
const char *lex_skip_newline(const char *at, const char *end); /* `at` is at one */
const char *lex_skip_comment(const char *at, const char *end); /* to the end of the line */

static inline uint32_t lex_offset(const Lexer *lexer, const char *at)
{
	return (uint32_t)(at - lexer->text);
}

extern const uint8_t lex_class[256]; /* immutable */
/* LEX_HIGH: a byte of a multi-byte sequence. */
enum {
	LEX_START = 1, LEX_DIGIT = 2, LEX_HIGH = 4, LEX_SPACE = 8,
	LEX_WORD = LEX_START | LEX_DIGIT | LEX_HIGH,
};

static inline bool lex_is_start(char c)
{
	return lex_class[(unsigned char)c] & (LEX_START | LEX_HIGH);
}

static inline bool lex_is_word(char c)
{
	return lex_class[(unsigned char)c] & LEX_WORD;
}

static inline bool lex_is_space(char c) /* and no newline */
{
	return lex_class[(unsigned char)c] & LEX_SPACE;
}

static inline bool lex_is_newline(char c)
{
	return c == '\n' || c == '\r';
}

static inline bool lex_is_digit(char c)
{
	return lex_class[(unsigned char)c] & LEX_DIGIT;
}

#endif
