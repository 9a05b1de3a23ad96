/* The lexer's main loop: names, strings and punctuation. Lines and brackets are in lex_layout.c. */
#include "front/syntax/lex.h"

void lex_emit(Lexer *lx, TokenKind kind, const char *start, const char *end)
{
	size_t len = (size_t)(end - start);
	if (UNLIKELY(len > LEX_MAX_TOKEN)) {
		lex_error(lx, DIAG_SYNTAX_TOKEN_SIZE, start, start + 1);
		return;
	}
	uint32_t offset = lex_offset(lx, start);
	vec_push(lx->arena, lx->out,
		 (Token){.start = offset, .kind = (unsigned)kind & 0xff, .len = len & 0xffffff});
}

LexError *lex_error_only(Lexer *lx, DiagCode code, const char *start, const char *end)
{
	if (lx->errors.len >= LEX_MAX_ERRORS) {
		lx->given_up = true;
		return NULL;
	}
	vec_push(lx->arena, &lx->errors,
		 (LexError){.code = code,
			    .start = lex_offset(lx, start),
			    .end = lex_offset(lx, MIN(end, lx->end)),
			    .a = "",
			    .b = "",
			    .opener = LEX_NO_OFFSET});
	return &vec_last(&lx->errors);
}

LexError *lex_error(Lexer *lx, DiagCode code, const char *start, const char *end)
{
	LexError *error = lex_error_only(lx, code, start, end);
	uint32_t offset = lex_offset(lx, start), index = lx->errors.len - 1;
	vec_push(lx->arena, lx->out, (Token){.start = offset, .kind = TOK_ERROR, .len = index & 0xffffff});
	return error;
}

void lex_report(Lexer *lx, DiagList *diags, const LexError *error)
{
	Span span = {lx->source->id, error->start, error->end};
	Diag *diag = diag_add(diags, span, error->code, error->a, error->b);
	Span opener = {lx->source->id, error->opener, error->opener + 1};
	if (error->opener != LEX_NO_OFFSET)
		diag_note(diags, diag, opener, "opened here");
}

void lex_report_damage(Lexer *lx)
{
	for (uint32_t i = 0; i < lx->errors.len && !diag_full(lx->diags); i++)
		if (lx->errors.data[i].damage)
			lex_report(lx, lx->diags, &lx->errors.data[i]);
}

/* ---- names and strings ---- */

static void bad_character(Lexer *lx, const char *start)
{
	uint32_t code;
	unsigned len = lex_utf8(start, lx->end, &code);
	if (!len) {
		const char *stop = start + 1; /* a run of such bytes is one error */
		while (stop < lx->end && (unsigned char)*stop >= 0x80 && !lex_utf8(stop, lx->end, &code))
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
	DiagCode row = visible ? DIAG_SYNTAX_CHARACTER : DIAG_SYNTAX_INVISIBLE;
	LexError *error = lex_error(lx, row, start, lx->at);
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
		lex_damage(lex_error(lx, DIAG_SYNTAX_TRIPLE_OPEN, start, quote + 3));
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
	while (*at < lx->end && lex_is_word(**at)) {
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
		lx->at = lex_skip_newline(lx->at, lx->end);
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
	case '(': lex_open_bracket(lx, TOK_LPAREN, ')'); break;
	case '[': lex_open_bracket(lx, TOK_LBRACKET, ']'); break;
	case '{': lex_open_bracket(lx, TOK_LBRACE, '}'); break;
	case ')': lex_close_bracket(lx, TOK_RPAREN); break;
	case ']': lex_close_bracket(lx, TOK_RBRACKET); break;
	case '}': lex_close_bracket(lx, TOK_RBRACE); break;
	case '\'': case '"': lex_string(lx, lx->at, (LexPrefix){0}); break;
	case '#': lx->at = lex_skip_comment(lx->at, lx->end); break;
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

/* The name after "coding:" or "coding=" in a comment, NULL when there is none. */
static const char *cookie_of_line(Lexer *lx, const char *at, const char *stop)
{
	while (stop - at > 7 && !(memcmp(at, "coding", 6) == 0 && (at[6] == ':' || at[6] == '=')))
		at++;
	if (stop - at <= 7)
		return NULL;
	at += 7;
	while (*at == ' ' || *at == '\t')
		at++;
	const char *name = at;
	while (at < stop && (lex_is_word(*at) || *at == '-' || *at == '.'))
		at++;
	return at > name ? arena_strndup(lx->arena, name, (size_t)(at - name)) : NULL;
}

/* utf8, UTF-8, utf_8-sig, ... */
static bool is_utf8(const char *name)
{
	if ((name[0] | 32) != 'u' || (name[1] | 32) != 't' || (name[2] | 32) != 'f')
		return false;
	return name[3] == '8' || (name[3] && name[4] == '8');
}

/* The coding cookie of the first two lines when it is not UTF-8, or NULL. */
static const char *coding_cookie(Lexer *lx)
{
	const char *line = lx->at;
	for (int i = 0; i < 2 && line < lx->end; i++) {
		const char *stop = lex_skip_comment(line, lx->end), *at = line;
		while (lex_is_space(*at))
			at++;
		if (*at != '#' && at != stop)
			return NULL;
		const char *name = cookie_of_line(lx, at, stop);
		if (name)
			return is_utf8(name) ? NULL : name;
		line = stop < lx->end ? lex_skip_newline(stop, lx->end) : stop;
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
			if (!lex_start_line(lx))
				break;
			line_start = false;
		}
		while (lex_is_space(*lx->at))
			lx->at++;
		if (lx->at >= lx->end) {
			lex_abandon_brackets(lx);
			lx->at = lx->end;
			lex_emit(lx, TOK_NEWLINE, lx->end, lx->end);
			break;
		}
		if (*lx->at != '\n' && *lx->at != '\r') {
			lex_token(lx);
		} else if (lx->nesting + lx->too_deep) {
			line_start = lex_line_in_brackets(lx);
		} else {
			lex_emit(lx, TOK_NEWLINE, lx->at, lx->at);
			lx->at = lex_skip_newline(lx->at, lx->end);
			line_start = true;
		}
	}
}

bool lex_is_too_large(const Lexer *lx)
{
	if (lx->source->len <= LEX_MAX_SOURCE)
		return false;
	diag_add(lx->diags, (Span){lx->source->id, 0, 0}, DIAG_SYNTAX_SOURCE_SIZE, lx->source->len,
		 (size_t)LEX_MAX_SOURCE);
	return true;
}

bool lex_module(Lexer *lx, TokenList *out)
{
	enum { BYTES_PER_TOKEN = 4, SOME_TOKENS = 64 };
	if (lex_is_too_large(lx))
		return false;
	lx->out = out;
	vec_reserve(lx->arena, out, lx->source->len / BYTES_PER_TOKEN + SOME_TOKENS);
	lx->indents[0] = (LexIndent){0};
	lx->indent_count = 1;
	lex_lines(lx);
	if (lx->given_up) {
		lex_report_damage(lx);
		Span whole = {lx->source->id, 0, 0};
		if (lx->errors.len >= LEX_MAX_ERRORS)
			diag_add(lx->diags, whole, DIAG_SYNTAX_GARBAGE, (unsigned)LEX_MAX_ERRORS);
		return false;
	}
	while (lx->indent_count > 1)
		lex_pop_indent(lx);
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
		while (lx->at < lx->end && (lex_is_space(*lx->at) || lex_is_newline(*lx->at)))
			lx->at++;
		if (lx->at >= lx->end)
			break;
		lex_token(lx);
	}
	lex_abandon_brackets(lx);
	lx->at = lx->text + end;
	lex_emit(lx, TOK_END, lx->at, lx->at);
	lx->end = lx->text + lx->source->len;
}
