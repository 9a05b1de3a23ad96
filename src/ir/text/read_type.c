/* Reading types and alias definitions. Aliases may be used before their definition, so all
 * definitions are located first, by their lines, and parsed on first use. */
#include "ir/text/read_int.h"

/* ---- aliases ---- */

void read_find_aliases(Reader *r)
{
	const char *p = r->source->text;
	while (p < r->end) {
		while (p < r->end && (*p == ' ' || *p == '\t'))
			p++;
		if (p < r->end && (*p == '#' || *p == '!')) {
			const char *name = p++;
			while (p < r->end && asm_is_suffix_char(*p))
				p++;
			Sym sym = intern(&r->cx->syms, (Str){name, (size_t)(p - name)});
			while (p < r->end && *p == ' ')
				p++;
			if (p < r->end && *p == '=' && !map_get_ptr(&r->aliases, sym)) {
				ReadAlias *alias = ARENA_NEW(r->arena, ReadAlias);
				alias->name = sym;
				alias->start = name;
				map_put_ptr(&r->aliases, sym, alias);
			}
		}
		const char *newline = memchr(p, '\n', (size_t)(r->end - p));
		p = newline ? newline + 1 : r->end;
	}
}

static bool read_definition(Reader *r, ReadAlias *alias)
{
	read_seek(r, alias->start);
	bool is_type = r->tok.kind == TOK_BANG, ok;
	read_next(r);
	ok = read_expect(r, '=');
	if (ok && is_type) {
		ok = (alias->type = read_type(r)) != NULL;
	} else if (ok && read_take_word(r, "loc")) {
		alias->loc = read_expect(r, '(') ? read_loc_body(r, &alias->depth) : NULL;
		ok = alias->loc && read_expect(r, ')');
	} else if (ok) {
		ok = (alias->attr = read_attr(r)) != NULL;
	}
	alias->end = r->tok.start;
	return ok;
}

/* The alias of that name, read; NULL after diagnosing. The current token stays what it was. */
ReadAlias *read_find_alias(Reader *r, Str text, Span span)
{
	ReadAlias *alias = map_get_ptr(&r->aliases, intern(&r->cx->syms, text));
	if (!alias) {
		READ_FAIL(r, span, DIAG_IR_ALIAS, arena_strndup(r->arena, text.ptr, text.len));
		return NULL;
	}
	if (alias->busy) {
		READ_FAIL(r, span, DIAG_IR_ALIAS_CYCLE, alias->name);
		return NULL;
	}
	if (!alias->end) {
		const char *at = r->at;
		Token tok = r->tok;
		alias->busy = true;
		alias->failed = !read_definition(r, alias);
		alias->busy = false;
		r->at = at;
		r->tok = tok;
	}
	return alias->failed ? NULL : alias;
}

bool read_alias_definition(Reader *r)
{
	ReadAlias *alias = map_get_ptr(&r->aliases, intern(&r->cx->syms, read_tok_text(r)));
	if (!alias) {
		read_expected(r, "an operation");
		read_next(r);
		return false;
	}
	const char *end = r->tok.end;
	bool ok = alias->start == r->tok.start || READ_FAIL(r, read_tok_span(r), DIAG_IR_ALIAS_TWICE, alias->name);
	if (ok) {
		ok = read_find_alias(r, read_tok_text(r), read_tok_span(r)) != NULL;
		end = alias->end;
	}
	/* After a fault, the next line is a new start. */
	const char *newline = memchr(end, '\n', (size_t)(r->end - end));
	read_seek(r, ok ? end : newline ? newline : r->end);
	return ok;
}

/* ---- types ---- */

/* `128x64x` before the element type. */
static bool read_dims(Reader *r, int64_t *dims, uint32_t *rank)
{
	uint64_t count = 1;
	const char *from = r->tok.start;
	bool good = true;
	*rank = 0;
	while (r->tok.kind == TOK_INT || read_is(r, '?')) {
		const char *p = r->tok.start;
		uint64_t dim = 0;
		if (*p == '?')
			p++;
		for (; p < r->end && *p >= '0' && *p <= '9'; p++)
			dim = dim < UINT32_MAX ? dim * 10 + (uint64_t)(*p - '0') : dim;
		if (p >= r->end || *p != 'x') {
			read_seek(r, p);
			return read_expected(r, "'x' and an element type");
		}
		count = count <= UINT32_MAX ? count * MIN(dim, (uint64_t)UINT32_MAX) : count;
		good = good && dim && *rank < IR_MAX_RANK && count <= INT32_MAX;
		if (good)
			dims[(*rank)++] = (int64_t)dim;
		read_seek(r, p + 1);
	}
	return good || READ_FAIL(r, read_span(r, from, r->tok.start), DIAG_IR_DIMENSION, (unsigned)IR_MAX_RANK);
}

static bool element_fits(Reader *r, Span span, IrType elem, const char *of, bool tile_of_pointers)
{
	bool good = ir_is_scalar(elem) || (tile_of_pointers && ir_is_ptr(elem));
	if (!good)
		READ_FAIL(r, span, DIAG_IR_ELEMENT, ir_type_text(r->arena, elem), of);
	return good;
}

static IrType read_tensor(Reader *r)
{
	int64_t dims[IR_MAX_RANK];
	uint32_t rank;
	IrAttr encoding = NULL;
	if (!read_expect(r, '<') || !read_dims(r, dims, &rank))
		return NULL;
	const char *from = r->tok.start;
	IrType elem = read_type(r);
	if (!elem || !element_fits(r, read_span(r, from, r->tok.start), elem, "a tile", true))
		return NULL;
	if (read_take(r, ',') && !(encoding = read_attr(r)))
		return NULL;
	return read_expect(r, '>') ? ir_tensor(r->cx, elem, dims, rank, encoding) : NULL;
}

static IrType read_ptr(Reader *r)
{
	uint64_t space = 1;
	if (!read_expect(r, '<'))
		return NULL;
	const char *from = r->tok.start;
	IrType elem = read_type(r);
	if (!elem)
		return NULL;
	if (!ir_is_tensor(elem) && !element_fits(r, read_span(r, from, r->tok.start), elem, "a pointer", true))
		return NULL;
	if (read_take(r, ',')) {
		Span span = read_tok_span(r);
		if (!read_u64(r, &space))
			return NULL;
		if (space > 0xffff) {
			READ_FAIL(r, span, DIAG_IR_RANGE, "an address space");
			return NULL;
		}
	}
	return read_expect(r, '>') ? ir_ptr(r->cx, elem, (uint32_t)space) : NULL;
}

static IrType read_tensordesc(Reader *r)
{
	IrSign sign = SIGN_NONE, *outer = r->sign;
	if (!read_expect(r, '<'))
		return NULL;
	const char *from = r->tok.start;
	r->sign = &sign;
	IrType elem = read_type(r);
	r->sign = outer;
	if (!elem)
		return NULL;
	if (!ir_is_tensor(elem)) {
		READ_FAIL(r, read_span(r, from, r->tok.start), DIAG_IR_ELEMENT, ir_type_text(r->arena, elem),
			  "a descriptor");
		return NULL;
	}
	return read_expect(r, '>') ? ir_tensordesc_signed(r->cx, elem, sign) : NULL;
}

/* `3x16x32`: the shape of what a memdesc is a part of. */
static bool read_alloc(Reader *r, int64_t *dims, uint32_t *rank)
{
	uint64_t count = 1;
	const char *from = r->tok.start, *p = from;
	bool good = r->tok.kind == TOK_INT;
	for (bool more = good; more; more = p < r->end && *p == 'x', p += more) {
		uint64_t dim = 0;
		for (; p < r->end && *p >= '0' && *p <= '9'; p++)
			dim = dim < UINT32_MAX ? dim * 10 + (uint64_t)(*p - '0') : dim;
		count = count <= UINT32_MAX ? count * MIN(dim, (uint64_t)UINT32_MAX) : count;
		good = good && dim && *rank < IR_MAX_RANK && count <= INT32_MAX;
		if (good)
			dims[(*rank)++] = (int64_t)dim;
	}
	read_seek(r, p);
	return good || READ_FAIL(r, read_span(r, from, p), DIAG_IR_DIMENSION, (unsigned)IR_MAX_RANK);
}

static IrType read_memdesc(Reader *r)
{
	int64_t dims[IR_MAX_RANK];
	uint32_t rank;
	IrAttr encoding = NULL, space = NULL;
	int64_t alloc[IR_MAX_RANK];
	uint32_t alloc_rank = 0;
	bool is_mutable = false;
	if (!read_expect(r, '<') || !read_dims(r, dims, &rank))
		return NULL;
	const char *from = r->tok.start;
	IrType elem = read_type(r);
	if (!elem || !element_fits(r, read_span(r, from, r->tok.start), elem, "a buffer", false))
		return NULL;
	if (!read_expect(r, ',') || !(encoding = read_attr(r)) || !read_expect(r, ',') || !(space = read_attr(r)))
		return NULL;
	bool more = read_take(r, ',');
	if (more && r->tok.kind != TOK_INT) {
		if (!read_expect_word(r, "mutable"))
			return NULL;
		is_mutable = true;
		more = read_take(r, ',');
	}
	if (more && !read_alloc(r, alloc, &alloc_rank))
		return NULL;
	bool tensor_memory = space->kind == ATTR_KIND_CUSTOM && strncmp(space->text, "ttng.", 5) == 0;
	return read_expect(r, '>') ? ir_memdesc_part(r->cx, elem, dims, rank, encoding, tensor_memory, is_mutable, alloc,
						     alloc_rank)
				   : NULL;
}

static IrType read_scalar_type(Reader *r)
{
	static const char *const names[TY_PTR] = {
#define TYPE(kind, text, bits, cls, doc) [TY_##kind] = text,
#include "ir/types.def"
#undef TYPE
	};
	Str text = read_tok_text(r), name = text;
	bool has_sign = r->sign && name.len > 2 && (*name.ptr == 's' || *name.ptr == 'u') && name.ptr[1] == 'i';
	if (has_sign)
		name = (Str){text.ptr + 1, text.len - 1};
	for (int i = 0; i < TY_PTR; i++) {
		if (str_is(name, names[i])) {
			if (has_sign)
				*r->sign = *text.ptr == 's' ? SIGN_SIGNED : SIGN_UNSIGNED;
			read_next(r);
			return ir_scalar(r->cx, (IrTypeKind)i);
		}
	}
	READ_FAIL(r, read_tok_span(r), DIAG_IR_TYPE_NAME, arena_strndup(r->arena, text.ptr, MIN(text.len, 60u)));
	return NULL;
}

static IrType read_func_type_value(Reader *r)
{
	ReadOp op = {0};
	uint32_t in = 0;
	if (!read_function_type(r, &op))
		return NULL;
	in = op.types.len;
	return ir_func_type(r->cx, op.types.data, in, op.results.data, op.results.len);
}

static IrType read_dialect_type(Reader *r)
{
	Str text = read_tok_text(r);
	Span span = read_tok_span(r);
	ReadAlias *alias;
	read_next(r);
	if (str_is(text, "!tt.ptr"))
		return read_ptr(r);
	if (str_is(text, "!tt.tensordesc"))
		return read_tensordesc(r);
	if (str_is(text, "!ttg.memdesc"))
		return read_memdesc(r);
	if (str_is(text, "!ttg.async.token"))
		return r->cx->token;
	if (memchr(text.ptr, '.', text.len)) {
		READ_FAIL(r, span, DIAG_IR_TYPE_NAME, arena_strndup(r->arena, text.ptr, MIN(text.len, 60u)));
		return NULL;
	}
	alias = read_find_alias(r, text, span);
	return alias ? alias->type : NULL;
}

static IrType read_type_inner(Reader *r)
{
	if (r->tok.kind == TOK_BANG)
		return read_dialect_type(r);
	if (read_is(r, '('))
		return read_func_type_value(r);
	if (r->tok.kind != TOK_ID) {
		read_expected(r, "a type");
		return NULL;
	}
	if (read_take_word(r, "tensor"))
		return read_tensor(r);
	if (read_take_word(r, "none"))
		return r->cx->none;
	return read_scalar_type(r);
}

IrType read_type(Reader *r)
{
	if (!read_deeper(r))
		return NULL;
	IrType type = read_type_inner(r);
	r->depth--;
	return type;
}

IrType read_type_brief(Reader *r, char brief)
{
	if (!read_is(r, '<'))
		return read_type(r);
	if (!read_deeper(r))
		return NULL;
	IrType type = brief == 'd' ? read_tensordesc(r) : brief == 'm' ? read_memdesc(r) : read_ptr(r);
	r->depth--;
	return type;
}
