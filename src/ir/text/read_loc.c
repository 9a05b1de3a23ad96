/* Reading locations. */
#include "ir/text/read_int.h"

IrLoc read_loc_at(Reader *r, Span span)
{
	LineCol at = source_line_col(r->source, span.start);
	return ir_loc_file(r->cx, r->source->path, at.line, at.col - 1);
}

static IrLoc read_loc_string(Reader *r, uint32_t *depth)
{
	Str text;
	if (!read_string(r, &text))
		return NULL;
	if (read_take(r, ':')) {
		uint64_t line, col;
		Span span = read_tok_span(r);
		if (!read_u64(r, &line) || !read_expect(r, ':') || !read_u64(r, &col))
			return NULL;
		if (line > UINT32_MAX || col > UINT32_MAX) {
			READ_FAIL(r, span, DIAG_IR_RANGE, "32 bits");
			return NULL;
		}
		return ir_loc_file(r->cx, text.ptr, (uint32_t)line, (uint32_t)col);
	}
	IrLoc child = r->cx->unknown;
	if (read_take(r, '(')) {
		child = read_loc_body(r, depth);
		if (!child || !read_expect(r, ')'))
			return NULL;
	}
	return ir_loc_name(r->cx, intern(&r->cx->syms, text), child);
}

static IrLoc read_callsite(Reader *r, uint32_t *depth)
{
	uint32_t other = 0;
	if (!read_expect(r, '('))
		return NULL;
	IrLoc callee = read_loc_body(r, depth);
	if (!callee || !read_expect_word(r, "at"))
		return NULL;
	IrLoc caller = read_loc_body(r, &other);
	*depth = MAX(*depth, other);
	return caller && read_expect(r, ')') ? ir_loc_callsite(r->cx, callee, caller) : NULL;
}

static IrLoc read_fused(Reader *r, uint32_t *depth)
{
	VEC(IrLoc) list = {0};
	if (read_take(r, '<') && (!read_attr(r) || !read_expect(r, '>')))
		return NULL;
	if (!read_expect(r, '['))
		return NULL;
	do {
		uint32_t other = 0;
		IrLoc loc = read_loc_body(r, &other);
		if (!loc)
			return NULL;
		*depth = MAX(*depth, other);
		vec_push(r->arena, &list, loc);
	} while (read_take(r, ','));
	return read_expect(r, ']') ? ir_loc_fused(r->cx, list.data, list.len) : NULL;
}

static IrLoc read_loc_inner(Reader *r, uint32_t *depth)
{
	if (r->tok.kind == TOK_HASH) {
		Str text = read_tok_text(r);
		Span span = read_tok_span(r);
		read_next(r);
		ReadAlias *alias = read_find_alias(r, text, span);
		if (alias && !alias->loc)
			READ_FAIL(r, span, DIAG_IR_ALIAS_KIND, alias->name, "a location");
		*depth = alias ? alias->depth : 0;
		return alias ? alias->loc : NULL;
	}
	if (r->tok.kind == TOK_STRING)
		return read_loc_string(r, depth);
	if (read_take_word(r, "unknown"))
		return r->cx->unknown;
	if (read_take_word(r, "callsite"))
		return read_callsite(r, depth);
	if (read_take_word(r, "fused"))
		return read_fused(r, depth);
	read_expected(r, "a location");
	return NULL;
}

/* `depth` becomes the number of levels of the location. */
IrLoc read_loc_body(Reader *r, uint32_t *depth)
{
	Span span = read_tok_span(r);
	*depth = 0;
	IrLoc loc = NULL;
	if (r->loc_depth < READ_MAX_LOC_DEPTH) {
		r->loc_depth++;
		loc = read_loc_inner(r, depth);
		r->loc_depth--;
		if (!loc)
			return NULL;
		++*depth;
	}
	if (!loc || *depth > READ_MAX_LOC_DEPTH) {
		READ_FAIL(r, span, DIAG_IR_DEPTH, (unsigned)READ_MAX_LOC_DEPTH);
		return NULL;
	}
	return loc;
}

bool read_trailing_loc(Reader *r, IrLoc *loc)
{
	uint32_t depth;
	if (!read_is_word(r, "loc"))
		return true;
	read_next(r);
	if (!read_expect(r, '('))
		return false;
	*loc = read_loc_body(r, &depth);
	return *loc && read_expect(r, ')');
}
