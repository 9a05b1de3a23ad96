/* The lexer's main loop: lines and their indentation, brackets, punctuation.
 *
 * Inside brackets newlines mean nothing, so one open bracket would swallow the rest of a file. A word that
 * can only begin a statement (`def`, `return`, `import`, ...) at the start of a line inside brackets ends
 * them: the innermost bracket "was never closed", and its token becomes an ERROR, which makes the parser
 * drop just that statement. */
#include "front/lex.h"

static uint32_t offset_of(const Lexer *lx, const char *at)
{
	return (uint32_t)(at - lx->text);
}

void lex_emit(Lexer *lx, TokenKind kind, const char *start, const char *end)
{
	size_t len = (size_t)(end - start);
	if (UNLIKELY(len > LEX_MAX_TOKEN)) {
		lex_error(lx, DIAG_SYNTAX_TOKEN_SIZE, start, start + 1);
		return;
	}
	vec_push(lx->arena, lx->out,
		 (Token){.start = offset_of(lx, start), .kind = (unsigned)kind & 0xff, .len = (uint32_t)len & 0xffffff});
}

static LexError *new_error(Lexer *lx, DiagCode code, const char *start, const char *end)
{
	if (lx->errors.len >= LEX_MAX_ERRORS) {
		lx->given_up = true;
		return NULL;
	}
	vec_push(lx->arena, &lx->errors,
		 (LexError){.code = code,
			    .start = offset_of(lx, start),
			    .end = offset_of(lx, MIN(end, lx->end)),
			    .a = "",
			    .b = "",
			    .opener = LEX_NO_OFFSET});
	return &vec_last(&lx->errors);
}

LexError *lex_error(Lexer *lx, DiagCode code, const char *start, const char *end)
{
	LexError *error = new_error(lx, code, start, end);
	vec_push(lx->arena, lx->out,
		 (Token){.start = offset_of(lx, start), .kind = TOK_ERROR, .len = (lx->errors.len - 1) & 0xffffff});
	return error;
}

void lex_report(Lexer *lx, DiagList *diags, const LexError *error)
{
	Span span = {lx->source->id, error->start, error->end};
	Diag *diag = diag_add(diags, span, error->code, error->a, error->b);
	if (error->opener != LEX_NO_OFFSET)
		diag_note(diags, diag, (Span){lx->source->id, error->opener, error->opener + 1}, "opened here");
}

void lex_report_damage(Lexer *lx)
{
	for (uint32_t i = 0; i < lx->errors.len && !diag_full(lx->diags); i++)
		if (lx->errors.data[i].damage)
			lex_report(lx, lx->diags, &lx->errors.data[i]);
}

static LexError *damage(LexError *error)
{
	if (error)
		error->damage = true;
	return error;
}

/* ---- brackets ---- */

static void open_bracket(Lexer *lx, TokenKind kind, char close)
{
	if (lx->nesting == LEX_MAX_NESTING) {
		if (lx->too_deep++ == 0)
			lex_error(lx, DIAG_SYNTAX_NESTED, lx->at, lx->at + 1);
		lx->at++;
		return;
	}
	if (!lx->nesting)
		lx->open_string = 0;
	lx->brackets[lx->nesting++] = (LexBracket){lx->out->len, offset_of(lx, lx->at), close};
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

static void close_bracket(Lexer *lx, TokenKind kind)
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

/* The open brackets end here, unclosed; perhaps because a string without end has swallowed what closes them. */
static void abandon_brackets(Lexer *lx)
{
	if (lx->nesting && !lx->too_deep) {
		const LexBracket *top = &lx->brackets[lx->nesting - 1];
		const char *at = lx->text + top->offset;
		uint32_t error = lx->open_string ? lx->open_string - 1 : 0;
		if (!lx->open_string || lx->errors.data[error].start < top->offset) {
			LexError *open = damage(new_error(lx, DIAG_SYNTAX_NEVER_CLOSED, at, at + 1));
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
	if (stop < end && lex_class[(unsigned char)*stop] & (LEX_START | LEX_DIGIT | LEX_HIGH))
		return false;
	switch (lex_name_kind(at, (size_t)(stop - at))) {
	case TOK_ASSERT: case TOK_BREAK: case TOK_CLASS: case TOK_CONTINUE: case TOK_DEF: case TOK_DEL: case TOK_EXCEPT:
	case TOK_FINALLY: case TOK_GLOBAL: case TOK_IMPORT: case TOK_NONLOCAL: case TOK_PASS: case TOK_RAISE:
	case TOK_RETURN: case TOK_TRY: case TOK_WHILE: case TOK_WITH:
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
		while (lex_class[(unsigned char)*word] & LEX_SPACE)
			word++;
		if (above <= floor || *word != '@')
			break;
		line = above;
	}
	return line;
}

/* ---- lines ---- */

/* `at` is at a newline; after it. */
static const char *skip_newline(const char *at, const char *end)
{
	return at + (*at == '\r' && end - at > 1 && at[1] == '\n' ? 2 : 1);
}

static const char *skip_comment(const char *at, const char *end)
{
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	return at;
}

/* A newline inside brackets, at lx->at. */
static void line_in_brackets(Lexer *lx, bool *line_start)
{
	const char *line = skip_newline(lx->at, lx->end), *word = line;
	while (word < lx->end && lex_class[(unsigned char)*word] & LEX_SPACE)
		word++;
	lx->at = word;
	if (lx->fragment || word >= lx->end)
		return;
	/* After a string without end, a line that is not indented is taken for the next statement. */
	bool outside = lx->open_string && (uint32_t)(word - line) <= lx->indents[lx->indent_count - 1].col &&
		       (lex_is_start(*word) || *word == '@');
	if (!outside && (*word < 'a' || *word > 'z' || !begins_statement(word, lx->end)))
		return;
	line = statement_start(lx, line);
	while (lx->out->len && vec_last(lx->out).start >= offset_of(lx, line))
		lx->out->len--;
	while (lx->nesting && lx->brackets[lx->nesting - 1].offset >= offset_of(lx, line))
		lx->nesting--;
	abandon_brackets(lx);
	lex_emit(lx, TOK_NEWLINE, line - 1, line - 1);
	lx->at = line;
	*line_start = true;
}

static void layout_error(Lexer *lx, DiagCode code)
{
	damage(lex_error(lx, code, lx->at, lx->at + 1));
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

static void pop_indent(Lexer *lx)
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
			/* It belongs to the block that it is nearest to, whose indentation is its from here. */
			top->col = col;
			top->alt = alt;
			layout_error(lx, DIAG_SYNTAX_DEDENT);
			return;
		}
		pop_indent(lx);
		top--;
	}
	if (alt != top->alt)
		layout_error(lx, DIAG_SYNTAX_TABS);
}

/* At the first byte of a line, outside brackets: skips lines without tokens, then does the indentation.
 * False at the end of the text. */
static bool start_line(Lexer *lx)
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
				at = skip_newline(at + 1, lx->end) - 1;
				col = alt = 0;
			} else {
				break;
			}
		}
		if (continued)
			col = alt = continued;
		if (*at == '#')
			at = skip_comment(at, lx->end);
		lx->at = at;
		if (at >= lx->end)
			return false;
		if (*at == '\n' || *at == '\r') {
			lx->at = skip_newline(at, lx->end);
			continue;
		}
		indent_line(lx, col, alt);
		return true;
	}
}

/* ---- names and strings ---- */

static void bad_character(Lexer *lx, const char *start)
{
	uint32_t code;
	unsigned len = lex_utf8(start, lx->end, &code);
	if (!len) {
		const char *stop = start + 1; /* a run of such bytes is one error */
		while (stop < lx->end && lex_class[(unsigned char)*stop] & LEX_HIGH && !lex_utf8(stop, lx->end, &code))
			stop++;
		lx->at = stop;
		LexError *error = lex_error(lx, DIAG_SYNTAX_UTF8, start, stop);
		if (error)
			error->a = arena_printf(lx->arena, "0x%02x", (unsigned)(unsigned char)*start);
		return;
	}
	bool visible = code > 0x20 && code != 0x7f && !(code >= 0x80 && code <= 0xa0) && code != 0xad &&
		       !(code >= 0x2000 && code <= 0x200f) && !(code >= 0x2028 && code <= 0x202f) &&
		       !(code >= 0x205f && code <= 0x206f) && code != 0x3000 && code != 0xfeff;
	lx->at = start + len;
	LexError *error = lex_error(lx, visible ? DIAG_SYNTAX_CHARACTER : DIAG_SYNTAX_INVISIBLE, start, lx->at);
	if (!error)
		return;
	const char *number = arena_printf(lx->arena, "U+%04X", code);
	error->a = visible ? arena_strndup(lx->arena, start, len) : number;
	error->b = number;
}

static void lex_string(Lexer *lx, const char *quote, LexPrefix prefix)
{
	const char *start = lx->at, *end = lx->end;
	const char *stop = lex_string_end(lx, quote, prefix);
	if (LIKELY(stop != NULL)) {
		lx->at = stop;
		lex_emit(lx, TOK_STRING, start, stop);
		return;
	}
	if (end - quote >= 3 && quote[1] == *quote && quote[2] == *quote) {
		damage(lex_error(lx, DIAG_SYNTAX_TRIPLE_OPEN, start, quote + 3));
		lx->at = end;
		lx->nesting = lx->too_deep = 0; /* whatever is open ends with the text: one error is enough */
		return;
	}
	stop = quote;
	while (stop < end && *stop != '\n' && *stop != '\r')
		stop = *stop == '\\' && end - stop > 1 ? stop + 2 : stop + 1;
	lex_error(lx, DIAG_SYNTAX_STRING_OPEN, start, MIN(stop, end));
	if (lx->nesting && !lx->open_string)
		lx->open_string = lx->errors.len;
	lx->at = MIN(stop, end);
}

/* Names with bytes beyond ASCII. False at a byte that cannot be in a name. */
static bool extend_name(Lexer *lx, const char **at)
{
	while (*at < lx->end && lex_class[(unsigned char)**at] & (LEX_START | LEX_DIGIT | LEX_HIGH)) {
		uint32_t code;
		unsigned len = lex_utf8(*at, lx->end, &code);
		if (!len || (code >= 0x80 && !lex_is_name_code(code)))
			return false;
		*at += len;
	}
	return true;
}

static void lex_name(Lexer *lx)
{
	const char *start = lx->at, *at = start;
	while (lex_class[(unsigned char)*at] & (LEX_START | LEX_DIGIT))
		at++;
	if (UNLIKELY(lex_class[(unsigned char)*at] & LEX_HIGH)) {
		if (lx->encoding) {
			for (lx->at = at; lx->at < lx->end && lex_class[(unsigned char)*lx->at] & LEX_HIGH;)
				lx->at++;
			LexError *error = lex_error(lx, DIAG_SYNTAX_ENCODING, at, lx->at);
			if (error)
				error->a = lx->encoding;
			return;
		}
		if (!extend_name(lx, &at) && at == start) {
			bad_character(lx, at);
			return;
		}
	} else if ((*at == '\'' || *at == '"') && at - start <= 2 && at < lx->end) {
		LexPrefix prefix;
		if (lex_string_prefix(start, (size_t)(at - start), &prefix)) {
			lex_string(lx, at, prefix);
			return;
		}
	}
	at = MIN(at, lx->end);
	lx->at = at;
	lex_emit(lx, lex_name_kind(start, (size_t)(at - start)), start, at);
}

/* ---- punctuation ---- */

static TokenKind punct(const char *at, unsigned *len)
{
	/* One byte; with `=` after it; doubled; doubled with `=` after it. */
	static const struct {
		uint8_t one, equal, twice, twice_equal;
	} table[128] = {
		['+'] = {TOK_PLUS, TOK_PLUS_EQUAL, 0, 0},
		['-'] = {TOK_MINUS, TOK_MINUS_EQUAL, 0, 0},
		['*'] = {TOK_STAR, TOK_STAR_EQUAL, TOK_STAR_STAR, TOK_STAR_STAR_EQUAL},
		['/'] = {TOK_SLASH, TOK_SLASH_EQUAL, TOK_SLASH_SLASH, TOK_SLASH_SLASH_EQUAL},
		['%'] = {TOK_PERCENT, TOK_PERCENT_EQUAL, 0, 0},
		['@'] = {TOK_AT, TOK_AT_EQUAL, 0, 0},
		['&'] = {TOK_AMPER, TOK_AMPER_EQUAL, 0, 0},
		['|'] = {TOK_BAR, TOK_BAR_EQUAL, 0, 0},
		['^'] = {TOK_CARET, TOK_CARET_EQUAL, 0, 0},
		['~'] = {TOK_TILDE, 0, 0, 0},
		['<'] = {TOK_LESS, TOK_LESS_EQUAL, TOK_SHIFT_LEFT, TOK_SHIFT_LEFT_EQUAL},
		['>'] = {TOK_GREATER, TOK_GREATER_EQUAL, TOK_SHIFT_RIGHT, TOK_SHIFT_RIGHT_EQUAL},
		['='] = {TOK_EQUAL, TOK_EQUAL_EQUAL, 0, 0},
		['!'] = {TOK_BANG, TOK_NOT_EQUAL, 0, 0},
		[':'] = {TOK_COLON, TOK_WALRUS, 0, 0},
		[','] = {TOK_COMMA, 0, 0, 0},
		[';'] = {TOK_SEMICOLON, 0, 0, 0},
		['.'] = {TOK_DOT, 0, 0, 0},
	};
	unsigned char c = (unsigned char)at[0];
	if (c >= 128 || !table[c].one)
		return TOK_ERROR;
	*len = 1;
	if (at[1] == '=' && table[c].equal)
		return *len = 2, (TokenKind)table[c].equal;
	if (at[1] == at[0] && table[c].twice) {
		if (at[2] == '=')
			return *len = 3, (TokenKind)table[c].twice_equal;
		return *len = 2, (TokenKind)table[c].twice;
	}
	if (c == '-' && at[1] == '>')
		return *len = 2, TOK_ARROW;
	if (c == '.' && at[1] == '.' && at[2] == '.')
		return *len = 3, TOK_ELLIPSIS;
	return (TokenKind)table[c].one;
}

static void lex_backslash(Lexer *lx)
{
	const char *at = lx->at++;
	if (lx->at >= lx->end)
		lex_error(lx, DIAG_SYNTAX_CONTINUATION_END, at, at + 1);
	else if (*lx->at == '\n' || *lx->at == '\r')
		lx->at = skip_newline(lx->at, lx->end);
	else
		lex_error(lx, DIAG_SYNTAX_CONTINUATION, at, at + 1);
}

static void lex_other(Lexer *lx)
{
	unsigned len = 0;
	TokenKind kind = punct(lx->at, &len);
	if (LIKELY(kind != TOK_ERROR)) {
		const char *stop = MIN(lx->at + len, lx->end);
		lex_emit(lx, kind, lx->at, stop);
		lx->at = stop;
		return;
	}
	if (*lx->at) {
		bad_character(lx, lx->at);
		return;
	}
	const char *stop = lx->at;
	while (stop < lx->end && !*stop)
		stop++;
	lex_error(lx, DIAG_SYNTAX_NUL, lx->at, stop);
	lx->at = stop;
}

/* One token that is neither space nor newline. */
static void lex_token(Lexer *lx)
{
	char c = *lx->at;
	uint8_t class = lex_class[(unsigned char)c];
	if (class & (LEX_START | LEX_HIGH)) {
		lex_name(lx);
		return;
	}
	if (class & LEX_DIGIT) {
		lex_number(lx);
		return;
	}
	switch (c) {
	case '(': open_bracket(lx, TOK_LPAREN, ')'); break;
	case '[': open_bracket(lx, TOK_LBRACKET, ']'); break;
	case '{': open_bracket(lx, TOK_LBRACE, '}'); break;
	case ')': close_bracket(lx, TOK_RPAREN); break;
	case ']': close_bracket(lx, TOK_RBRACKET); break;
	case '}': close_bracket(lx, TOK_RBRACE); break;
	case '\'': case '"': lex_string(lx, lx->at, (LexPrefix){0}); break;
	case '#': lx->at = skip_comment(lx->at, lx->end); break;
	case '\\': lex_backslash(lx); break;
	case '.':
		if (lex_is_digit(lx->at[1])) {
			lex_number(lx);
			break;
		}
		/* fall through */
	default: lex_other(lx); break;
	}
}

/* ---- whole texts ---- */

/* The name in a comment "coding: NAME" of the first two lines, NULL when it is UTF-8 or there is none. */
static const char *coding_cookie(Lexer *lx)
{
	const char *line = lx->at;
	for (int i = 0; i < 2 && line < lx->end; i++) {
		const char *stop = skip_comment(line, lx->end), *at = line;
		while (lex_class[(unsigned char)*at] & LEX_SPACE)
			at++;
		if (*at != '#' && at != stop)
			return NULL;
		for (; stop - at > 7; at++)
			if (memcmp(at, "coding", 6) == 0 && (at[6] == ':' || at[6] == '='))
				break;
		if (stop - at > 7) {
			at += 7;
			while (*at == ' ' || *at == '\t')
				at++;
			const char *name = at;
			while (at < stop && (lex_class[(unsigned char)*at] & (LEX_START | LEX_DIGIT) || *at == '-' || *at == '.'))
				at++;
			size_t len = (size_t)(at - name);
			bool utf8 = len >= 4 && (name[0] | 32) == 'u' && (name[1] | 32) == 't' && (name[2] | 32) == 'f' &&
				    (name[3] == '8' || (len >= 5 && name[4] == '8'));
			return utf8 || !len ? NULL : arena_strndup(lx->arena, name, len);
		}
		if (stop < lx->end)
			line = skip_newline(stop, lx->end);
		else
			break;
	}
	return NULL;
}

void lex_init(Lexer *lx, Arena *arena, const Source *source, DiagList *diags)
{
	*lx = (Lexer){.arena = arena, .source = source, .diags = diags, .text = source->text};
	lx->at = lx->text;
	lx->end = lx->text + source->len;
	if (source->len >= 3 && memcmp(lx->text, "\xef\xbb\xbf", 3) == 0)
		lx->at += 3;
	else
		lx->encoding = coding_cookie(lx);
}

static void lex_lines(Lexer *lx)
{
	bool line_start = true;
	while (!lx->given_up) {
		if (line_start) {
			if (!start_line(lx))
				break;
			line_start = false;
		}
		while (lex_class[(unsigned char)*lx->at] & LEX_SPACE)
			lx->at++;
		if (lx->at >= lx->end) {
			abandon_brackets(lx);
			lx->at = lx->end;
			lex_emit(lx, TOK_NEWLINE, lx->end, lx->end);
			break;
		}
		if (*lx->at != '\n' && *lx->at != '\r') {
			lex_token(lx);
		} else if (lx->nesting + lx->too_deep) {
			line_in_brackets(lx, &line_start);
		} else {
			lex_emit(lx, TOK_NEWLINE, lx->at, lx->at);
			lx->at = skip_newline(lx->at, lx->end);
			line_start = true;
		}
	}
}

bool lex_module(Lexer *lx, TokenList *out)
{
	enum { BYTES_PER_TOKEN = 4, SOME_TOKENS = 64 };
	Span whole = {lx->source->id, 0, 0};
	if (lx->source->len > LEX_MAX_SOURCE) {
		diag_add(lx->diags, whole, DIAG_SYNTAX_SOURCE_SIZE, lx->source->len, (size_t)LEX_MAX_SOURCE);
		return false;
	}
	lx->out = out;
	vec_reserve(lx->arena, out, lx->source->len / BYTES_PER_TOKEN + SOME_TOKENS);
	lx->indents[0] = (LexIndent){0};
	lx->indent_count = 1;
	lex_lines(lx);
	if (lx->given_up) {
		lex_report_damage(lx);
		if (lx->errors.len >= LEX_MAX_ERRORS)
			diag_add(lx->diags, whole, DIAG_SYNTAX_GARBAGE, (unsigned)LEX_MAX_ERRORS);
		return false;
	}
	while (lx->indent_count > 1)
		pop_indent(lx);
	lex_emit(lx, TOK_END, lx->end, lx->end);
	return true;
}

void lex_fragment(Lexer *lx, uint32_t start, uint32_t end, TokenList *out)
{
	lx->out = out;
	lx->at = lx->text + start;
	lx->end = lx->text + end;
	lx->fragment = true;
	lx->given_up = false;
	lx->nesting = lx->too_deep = 0;
	while (!lx->given_up) {
		while (lx->at < lx->end && (lex_class[(unsigned char)*lx->at] & LEX_SPACE || *lx->at == '\n' || *lx->at == '\r'))
			lx->at++;
		if (lx->at >= lx->end)
			break;
		lex_token(lx);
	}
	abandon_brackets(lx);
	lx->at = lx->text + end;
	lex_emit(lx, TOK_END, lx->at, lx->at);
	lx->end = lx->text + lx->source->len;
}
