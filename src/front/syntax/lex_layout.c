/* Lines, indentation, brackets: the layout of Python.
 *
 * Inside brackets newlines mean nothing, so one open bracket would swallow the rest of a file. A word that
 * can only begin a statement (`def`, `return`, `import`, ...) at the start of a line inside brackets ends
 * them: the innermost bracket "was never closed", and its token becomes an ERROR, which makes the parser
 * drop just that statement. */
#include "front/syntax/lex.h"

/* ---- brackets ---- */

void lex_open_bracket(Lexer *lx, TokenKind kind, char close)
{
	if (lx->nesting == LEX_MAX_NESTING) {
		if (lx->too_deep++ == 0)
			lex_error(lx, DIAG_SYNTAX_NESTED, lx->at, lx->at + 1);
		lx->at++;
		return;
	}
	if (!lx->nesting)
		lx->open_string = 0;
	lx->brackets[lx->nesting++] = (LexBracket){lx->out->len, lex_offset(lx, lx->at), close};
	lex_emit(lx, kind, lx->at, lx->at + 1);
	lx->at++;
}

static const char *bracket_text(char c)
{
	switch (c) {
	case '(': return "(";
	case ')': return ")";
	case '[': return "[";
	case ']': return "]";
	case '{': return "{";
	default: return "}";
	}
}

void lex_close_bracket(Lexer *lx, TokenKind kind)
{
	const char *at = lx->at++;
	if (lx->too_deep) {
		lx->too_deep--;
		return;
	}
	if (!lx->nesting) {
		LexError *error = lex_error(lx, DIAG_SYNTAX_UNMATCHED, at, at + 1);
		if (error)
			error->a = bracket_text(*at);
		return;
	}
	const LexBracket *top = &lx->brackets[lx->nesting - 1];
	if (LIKELY(top->close == *at)) {
		lx->nesting--;
		lex_emit(lx, kind, at, at + 1);
		return;
	}
	LexError *error = lex_error(lx, DIAG_SYNTAX_MISMATCH, at, at + 1);
	if (error) {
		error->a = bracket_text(*at);
		error->b = bracket_text(lx->text[top->offset]);
		error->opener = top->offset;
	}
	/* It closes the nearest bracket that it fits, or else the innermost. */
	uint32_t level = lx->nesting;
	while (level && lx->brackets[level - 1].close != *at)
		level--;
	lx->nesting = level ? level - 1 : lx->nesting - 1;
}

/* The reason may be a string without end that has swallowed what closes them: then that is the error. */
void lex_abandon_brackets(Lexer *lx)
{
	if (lx->nesting && !lx->too_deep) {
		const LexBracket *top = &lx->brackets[lx->nesting - 1];
		const char *at = lx->text + top->offset;
		uint32_t error = lx->open_string ? lx->open_string - 1 : 0;
		if (!lx->open_string || lx->errors.data[error].start < top->offset) {
			LexError *open = lex_damage(lex_error_only(lx, DIAG_SYNTAX_NEVER_CLOSED, at, at + 1));
			if (open)
				open->a = bracket_text(*at);
			error = lx->errors.len - 1;
		}
		Token *token = &lx->out->data[top->token];
		*token = (Token){.start = token->start, .kind = TOK_ERROR, .len = error & 0xffffff};
	}
	lx->nesting = lx->too_deep = 0;
}

static bool begins_statement(const char *at, const char *end)
{
	const char *stop = at;
	while (stop < end && stop - at < 9 && *stop >= 'a' && *stop <= 'z')
		stop++;
	if (stop < end && lex_is_word(*stop))
		return false;
	switch (lex_name_kind(at, (size_t)(stop - at))) {
	case TOK_ASSERT: case TOK_BREAK: case TOK_CLASS: case TOK_CONTINUE: case TOK_DEF: case TOK_DEL:
	case TOK_EXCEPT: case TOK_FINALLY: case TOK_GLOBAL: case TOK_IMPORT: case TOK_NONLOCAL: case TOK_PASS:
	case TOK_RAISE: case TOK_RETURN: case TOK_TRY: case TOK_WHILE: case TOK_WITH:
		return true;
	default:
		return false;
	}
}

/* The line at `line` ends open brackets; decorators just above it belong to it, and are lexed again. */
static const char *statement_start(const Lexer *lx, const char *line)
{
	enum { MAX_DECORATORS = 16 };
	const char *floor = lx->text + lx->brackets[lx->nesting - 1].offset;
	for (int i = 0; i < MAX_DECORATORS; i++) {
		const char *above = line;
		if (above > floor)
			above--;
		while (above > floor && above[-1] != '\n')
			above--;
		const char *word = above;
		while (lex_is_space(*word))
			word++;
		if (above <= floor || *word != '@')
			break;
		line = above;
	}
	return line;
}

/* ---- lines ---- */

const char *lex_skip_newline(const char *at, const char *end)
{
	return at + (*at == '\r' && end - at > 1 && at[1] == '\n' ? 2 : 1);
}

const char *lex_skip_comment(const char *at, const char *end)
{
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	return at;
}

bool lex_line_in_brackets(Lexer *lx)
{
	const char *line = lex_skip_newline(lx->at, lx->end), *word = line;
	while (word < lx->end && lex_is_space(*word))
		word++;
	lx->at = word;
	if (lx->fragment || word >= lx->end)
		return false;
	/* After a string without end, a line that is not indented is taken for the next statement. */
	bool outside = lx->open_string && (uint32_t)(word - line) <= lx->indents[lx->indent_count - 1].col &&
		       (lex_is_start(*word) || *word == '@');
	if (!outside && (*word < 'a' || *word > 'z' || !begins_statement(word, lx->end)))
		return false;
	line = statement_start(lx, line);
	while (lx->out->len && vec_last(lx->out).start >= lex_offset(lx, line))
		lx->out->len--;
	while (lx->nesting && lx->brackets[lx->nesting - 1].offset >= lex_offset(lx, line))
		lx->nesting--;
	lex_abandon_brackets(lx);
	lex_emit(lx, TOK_NEWLINE, line - 1, line - 1);
	lx->at = line;
	return true;
}

static void layout_error(Lexer *lx, DiagCode code)
{
	lex_damage(lex_error(lx, code, lx->at, lx->at + 1));
}

static void push_indent(Lexer *lx, uint32_t col, uint32_t alt)
{
	if (lx->indent_count == LEX_MAX_INDENT) {
		layout_error(lx, DIAG_SYNTAX_INDENT_LEVELS);
		lx->given_up = true;
		return;
	}
	lx->indents[lx->indent_count++] = (LexIndent){col, alt, lx->out->len};
	lex_emit(lx, TOK_INDENT, lx->at, lx->at);
}

void lex_pop_indent(Lexer *lx)
{
	lx->out->data[lx->indents[--lx->indent_count].token].start = lx->out->len;
	lex_emit(lx, TOK_DEDENT, lx->at, lx->at);
}

/* Emits what a line's indentation means. `col`, `alt`: as in LexIndent. */
static void indent_line(Lexer *lx, uint32_t col, uint32_t alt)
{
	LexIndent *top = &lx->indents[lx->indent_count - 1];
	if (col > top->col) {
		push_indent(lx, col, alt);
		if (alt <= top->alt)
			layout_error(lx, DIAG_SYNTAX_TABS);
		return;
	}
	while (col < top->col) {
		if (col > top[-1].col) {
			/* It is taken to belong to the block that it is nearest to. */
			top->col = col;
			top->alt = alt;
			layout_error(lx, DIAG_SYNTAX_DEDENT);
			return;
		}
		lex_pop_indent(lx);
		top--;
	}
	if (alt != top->alt)
		layout_error(lx, DIAG_SYNTAX_TABS);
}

bool lex_start_line(Lexer *lx)
{
	for (;;) {
		enum { TAB = 8 };
		uint32_t col = 0, alt = 0, continued = 0;
		const char *at = lx->at;
		for (;; at++) {
			if (*at == ' ') {
				col++, alt++;
			} else if (*at == '\t') {
				col = (col / TAB + 1) * TAB, alt++;
			} else if (*at == '\f') {
				col = alt = 0;
			} else if (*at == '\\' && lx->end - at > 1 && (at[1] == '\n' || at[1] == '\r')) {
				continued = continued ? continued : col;
				at = lex_skip_newline(at + 1, lx->end) - 1;
				col = alt = 0;
			} else {
				break;
			}
		}
		if (continued)
			col = alt = continued;
		if (*at == '#')
			at = lex_skip_comment(at, lx->end);
		lx->at = at;
		if (at >= lx->end)
			return false;
		if (*at == '\n' || *at == '\r') {
			lx->at = lex_skip_newline(at, lx->end);
			continue;
		}
		indent_line(lx, col, alt);
		return true;
	}
}
