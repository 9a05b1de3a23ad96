/* Reading types, attributes, locations, and the definitions of aliases. Aliases may be used before their
 * definition, so all definitions are found first, by their lines, and read when they are first needed. */
#include "ir/read_int.h"

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

static IrLoc read_loc_body(Reader *r, uint32_t *depth);

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
static ReadAlias *find_alias(Reader *r, Str text, Span span)
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
		ok = find_alias(r, read_tok_text(r), read_tok_span(r)) != NULL;
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
	if (!read_expect(r, '<'))
		return NULL;
	const char *from = r->tok.start;
	IrType elem = read_type(r);
	if (!elem)
		return NULL;
	if (!ir_is_tensor(elem)) {
		READ_FAIL(r, read_span(r, from, r->tok.start), DIAG_IR_ELEMENT, ir_type_text(r->arena, elem),
			  "a descriptor");
		return NULL;
	}
	return read_expect(r, '>') ? ir_tensordesc(r->cx, elem) : NULL;
}

static IrType read_memdesc(Reader *r)
{
	int64_t dims[IR_MAX_RANK];
	uint32_t rank;
	IrAttr encoding = NULL, space = NULL;
	bool is_mutable = false;
	if (!read_expect(r, '<') || !read_dims(r, dims, &rank))
		return NULL;
	const char *from = r->tok.start;
	IrType elem = read_type(r);
	if (!elem || !element_fits(r, read_span(r, from, r->tok.start), elem, "a buffer", false))
		return NULL;
	if (!read_expect(r, ',') || !(encoding = read_attr(r)) || !read_expect(r, ',') || !(space = read_attr(r)))
		return NULL;
	if (read_take(r, ',')) {
		if (!read_expect_word(r, "mutable"))
			return NULL;
		is_mutable = true;
	}
	bool tensor_memory = space->kind == ATTR_KIND_CUSTOM && strncmp(space->text, "ttng.", 5) == 0;
	return read_expect(r, '>') ? ir_memdesc(r->cx, elem, dims, rank, encoding, tensor_memory, is_mutable) : NULL;
}

static IrType read_scalar_type(Reader *r)
{
	static const char *const names[TY_PTR] = {
#define TYPE(kind, text, bits, cls, doc) [TY_##kind] = text,
#include "ir/types.def"
#undef TYPE
	};
	Str text = read_tok_text(r);
	for (int i = 0; i < TY_PTR; i++) {
		if (str_is(text, names[i])) {
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
	alias = find_alias(r, text, span);
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
	IrType type = brief == 'd' ? read_tensordesc(r) : read_ptr(r);
	r->depth--;
	return type;
}

/* ---- attributes ---- */

bool read_attr_name(Reader *r, Sym *name)
{
	Str text;
	if (r->tok.kind == TOK_STRING) {
		if (!read_string(r, &text))
			return false;
	} else if (r->tok.kind == TOK_ID) {
		text = read_tok_text(r);
		read_next(r);
	} else {
		return read_expected(r, "the name of an attribute");
	}
	*name = intern(&r->cx->syms, text);
	return true;
}

bool read_dict(Reader *r, ReadAttrs *out)
{
	if (!read_expect(r, '{'))
		return false;
	if (read_take(r, '}'))
		return true;
	do {
		IrNamedAttr item;
		if (!read_attr_name(r, &item.name))
			return false;
		item.value = read_take(r, '=') ? read_attr(r) : ir_attr_unit(r->cx);
		if (!item.value)
			return false;
		vec_push(r->arena, &out->list, item);
	} while (read_take(r, ','));
	return read_expect(r, '}');
}

/* `: type` after a number, or `otherwise`. */
static IrType number_type(Reader *r, IrType otherwise)
{
	return read_take(r, ':') ? read_type(r) : otherwise;
}

static IrAttr make_int(Reader *r, Span span, IrType type, uint64_t value, bool negative)
{
	uint64_t limit = type->bits == 64 ? UINT64_MAX : (UINT64_C(1) << type->bits) - 1;
	if (negative)
		limit = UINT64_C(1) << (type->bits - 1);
	if (value > limit) {
		READ_FAIL(r, span, DIAG_IR_RANGE, ir_type_text(r->arena, type));
		return NULL;
	}
	if (type->kind == TY_I1)
		return ir_attr_bool(r->cx, value & 1);
	return ir_attr_int(r->cx, type, (int64_t)(negative ? 0 - value : value));
}

static bool fits_bits(Reader *r, Span span, IrType type, uint64_t value)
{
	return type->bits == 64 || value >> type->bits == 0 ||
	       READ_FAIL(r, span, DIAG_IR_RANGE, ir_type_text(r->arena, type));
}

static IrAttr read_number(Reader *r)
{
	const char *from = r->tok.start;
	bool negative = read_take(r, '-');
	Str text = read_tok_text(r);
	if (r->tok.kind == TOK_FLOAT) {
		read_next(r);
		Span span = read_span(r, from, text.ptr + text.len);
		IrType type = number_type(r, ir_scalar(r->cx, TY_F64));
		if (!type)
			return NULL;
		if (!ir_is_float(type)) {
			READ_FAIL(r, span, DIAG_IR_INFER, "a float", ir_type_text(r->arena, type));
			return NULL;
		}
		return ir_attr_float_bits(r->cx, type,
					  asm_float_bits(type, (Str){from, (size_t)(text.ptr + text.len - from)}));
	}
	uint64_t value;
	bool hex = text.len > 1 && text.ptr[1] == 'x';
	if (!read_u64(r, &value))
		return NULL;
	Span span = read_span(r, from, text.ptr + text.len);
	IrType type = number_type(r, ir_scalar(r->cx, TY_I64));
	if (!type)
		return NULL;
	if (ir_is_float(type) && hex && !negative)
		return fits_bits(r, span, type, value) ? ir_attr_float_bits(r->cx, type, value) : NULL;
	if (!ir_is_int(type)) {
		READ_FAIL(r, span, DIAG_IR_INFER, "an integer", ir_type_text(r->arena, type));
		return NULL;
	}
	return make_int(r, span, type, value, negative);
}

/* The bits of one element of dense<...> or array<...>. */
typedef struct Elements {
	VEC(Token) tokens; /* a minus has its own */
	uint32_t lens[IR_MAX_RANK];
	uint32_t rank;
	bool ragged;
} Elements;

static bool read_nested_elements(Reader *r, Elements *e, uint32_t level)
{
	if (!read_is(r, '[')) {
		if (level != e->rank)
			e->ragged = true;
		if (read_is(r, '-')) {
			vec_push(r->arena, &e->tokens, r->tok);
			read_next(r);
		}
		if (r->tok.kind != TOK_INT && r->tok.kind != TOK_FLOAT && !read_is_word(r, "true") &&
		    !read_is_word(r, "false"))
			return read_expected(r, "a number");
		vec_push(r->arena, &e->tokens, r->tok);
		read_next(r);
		return true;
	}
	if (level == IR_MAX_RANK)
		return READ_FAIL(r, read_tok_span(r), DIAG_IR_DEPTH, (unsigned)IR_MAX_RANK);
	bool first = level == e->rank && e->tokens.len == 0;
	if (first)
		e->rank++;
	else if (level >= e->rank)
		e->ragged = true;
	uint32_t n = 0;
	read_next(r);
	if (!read_is(r, ']')) {
		do {
			n++;
			if (!read_nested_elements(r, e, level + 1))
				return false;
		} while (read_take(r, ','));
	}
	if (first)
		e->lens[level] = n;
	else if (level < IR_MAX_RANK && e->lens[level] != n)
		e->ragged = true;
	return read_expect(r, ']');
}

static bool element_word(Reader *r, Token tok, bool negative, IrType elem, uint64_t *word)
{
	Span span = read_span(r, tok.start, tok.end);
	Str text = {tok.start, (size_t)(tok.end - tok.start)};
	if (tok.kind == TOK_ID) {
		*word = str_is(text, "true");
		return elem->kind == TY_I1 ||
		       READ_FAIL(r, span, DIAG_IR_INFER, "a boolean", ir_type_text(r->arena, elem));
	}
	if (tok.kind == TOK_FLOAT) {
		if (!ir_is_float(elem))
			return READ_FAIL(r, span, DIAG_IR_INFER, "a float", ir_type_text(r->arena, elem));
		*word = asm_float_bits(elem, negative ? (Str){text.ptr - 1, text.len + 1} : text);
		if (negative && text.ptr[-1] != '-')
			*word |= UINT64_C(1) << (elem->bits - 1);
		return true;
	}
	const char *at = r->at;
	Token saved = r->tok;
	uint64_t value;
	bool hex = text.len > 1 && text.ptr[1] == 'x';
	read_seek(r, tok.start);
	bool ok = read_u64(r, &value);
	r->at = at;
	r->tok = saved;
	if (!ok)
		return false;
	if (ir_is_float(elem) && !hex)
		return READ_FAIL(r, span, DIAG_IR_INFER, "an integer", ir_type_text(r->arena, elem));
	if (ir_is_float(elem)) {
		*word = value;
		return fits_bits(r, span, elem, value);
	}
	IrAttr made = make_int(r, span, elem, value, negative);
	if (!made)
		return false;
	uint64_t mask = elem->bits == 64 ? UINT64_MAX : (UINT64_C(1) << elem->bits) - 1;
	*word = (uint64_t)made->i & mask;
	return true;
}

static IrAttr dense_of_bytes(Reader *r, Str bytes, Span span, IrType type)
{
	int64_t n = ir_numel(type);
	uint32_t bits = type->elem->bits, size = MAX(bits / 8, 1u);
	uint64_t given = bytes.len > 2 && bytes.ptr[0] == '0' && bytes.ptr[1] == 'x' ? (bytes.len - 2) / 2 : 0;
	uint64_t expected = bits == 1 ? ((uint64_t)n + 7) / 8 : (uint64_t)n * size;
	bool splat = given == (bits == 1 ? 1 : size) && given != expected;
	if (given != expected && !splat) {
		READ_FAIL(r, span, DIAG_IR_ELEMENT_COUNT, ir_type_text(r->arena, type), (long long)expected,
			  (unsigned long long)given);
		return NULL;
	}
	unsigned char *raw = arena_alloc_raw(r->arena, (size_t)given + 1, 1);
	for (uint64_t i = 0; i < given; i++) {
		unsigned byte = 0;
		for (int d = 0; d < 2; d++) {
			char c = bytes.ptr[2 + 2 * i + (uint64_t)d];
			int v = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
			if (v < 0 || v > 15) {
				READ_FAIL(r, span, DIAG_IR_EXPECTED, "hexadecimal digits", "other characters");
				return NULL;
			}
			byte = byte << 4 | (unsigned)v;
		}
		raw[i] = (unsigned char)byte;
	}
	uint64_t count = splat ? 1 : (uint64_t)n;
	uint64_t *words = ARENA_ARRAY(r->arena, uint64_t, count);
	for (uint64_t i = 0; i < count; i++) {
		if (bits == 1)
			words[i] = raw[i / 8] >> (i % 8) & 1;
		else
			for (uint32_t b = 0; b < size; b++)
				words[i] |= (uint64_t)raw[i * size + b] << (8 * b);
	}
	return splat ? ir_attr_splat(r->cx, type, words[0]) : ir_attr_dense(r->cx, type, words, (uint32_t)n);
}

/* The type after `dense<...> :`. */
static IrType dense_type(Reader *r)
{
	const char *from = r->tok.start;
	IrType type = read_type(r);
	if (type && (!ir_is_tensor(type) || !ir_is_scalar(type->elem))) {
		READ_FAIL(r, read_span(r, from, r->tok.start), DIAG_IR_INFER, "dense", ir_type_text(r->arena, type));
		return NULL;
	}
	return type;
}

static bool shape_matches(const Elements *e, IrType type)
{
	bool same = !e->ragged && e->rank == type->rank;
	for (uint32_t i = 0; same && i < e->rank; i++)
		same = e->lens[i] == type->shape[i];
	return same;
}

static IrAttr read_dense(Reader *r)
{
	const char *from = r->tok.start;
	Elements e = {0};
	Str bytes = {0};
	IrType type;
	if (!read_expect(r, '<'))
		return NULL;
	if (r->tok.kind == TOK_STRING ? !read_string(r, &bytes) : !read_nested_elements(r, &e, 0))
		return NULL;
	Span span = read_span(r, from, r->tok.end);
	if (!read_expect(r, '>') || !read_expect(r, ':') || !(type = dense_type(r)))
		return NULL;
	if (bytes.ptr)
		return dense_of_bytes(r, bytes, span, type);
	uint32_t n = 0;
	uint64_t *words = ARENA_ARRAY(r->arena, uint64_t, e.tokens.len);
	for (uint32_t i = 0; i < e.tokens.len; i++) {
		bool negative = e.tokens.data[i].kind == TOK_PUNCT;
		i += negative;
		if (!element_word(r, e.tokens.data[i], negative, type->elem, &words[n++]))
			return NULL;
	}
	if (e.rank == 0 && !e.ragged)
		return ir_attr_splat(r->cx, type, words[0]);
	if (!shape_matches(&e, type) || n != ir_numel(type)) {
		READ_FAIL(r, span, DIAG_IR_ELEMENT_COUNT, ir_type_text(r->arena, type), (long long)ir_numel(type),
			  (unsigned long long)n);
		return NULL;
	}
	return ir_attr_dense(r->cx, type, words, n);
}

/* array<i32: 1, 0> */
static IrAttr read_ints(Reader *r)
{
	Elements e = {.rank = 0};
	if (!read_expect(r, '<'))
		return NULL;
	const char *from = r->tok.start;
	IrType type = read_type(r);
	if (!type)
		return NULL;
	if (!ir_is_int(type)) {
		READ_FAIL(r, read_span(r, from, r->tok.start), DIAG_IR_ELEMENT, ir_type_text(r->arena, type), "array");
		return NULL;
	}
	if (read_take(r, ':'))
		do
			if (!read_nested_elements(r, &e, 0))
				return NULL;
		while (read_take(r, ','));
	if (!read_expect(r, '>'))
		return NULL;
	int64_t *ints = ARENA_ARRAY(r->arena, int64_t, e.tokens.len);
	uint32_t n = 0;
	for (uint32_t i = 0; i < e.tokens.len; i++) {
		bool negative = e.tokens.data[i].kind == TOK_PUNCT;
		uint64_t word;
		i += negative;
		if (!element_word(r, e.tokens.data[i], negative, type, &word))
			return NULL;
		unsigned unused = type->kind == TY_I1 ? 0 : 64 - type->bits;
		ints[n++] = (int64_t)(word << unused) >> unused;
	}
	return ir_attr_ints(r->cx, type, ints, n);
}

/* ---- attributes of other dialects: #name<...> ---- */

typedef struct Items {
	VEC(IrAttr) list;
} Items;

static IrAttr read_custom_item(Reader *r);

/* {key = value, ...}, in the order of the text. */
static IrAttr read_keyed(Reader *r)
{
	Items items = {0};
	if (!read_expect(r, '{'))
		return NULL;
	while (!read_is(r, '}')) {
		Sym key;
		if (!read_attr_name(r, &key) || !read_expect(r, '='))
			return NULL;
		IrAttr value = read_custom_item(r);
		if (!value)
			return NULL;
		vec_push(r->arena, &items.list, ir_attr_string(r->cx, str_of(key)));
		vec_push(r->arena, &items.list, value);
		if (!read_take(r, ','))
			break;
	}
	return read_expect(r, '}') ? ir_attr_custom(r->cx, ir_sym(r->cx, ""), items.list.data, items.list.len) : NULL;
}

static bool read_custom_items(Reader *r, Items *items, char close)
{
	while (!read_is(r, close)) {
		IrAttr item = read_custom_item(r);
		if (!item)
			return false;
		vec_push(r->arena, &items->list, item);
		if (!read_take(r, ','))
			break;
	}
	return read_expect(r, close);
}

static IrAttr read_custom_item_inner(Reader *r)
{
	if (read_is(r, '{'))
		return read_keyed(r);
	if (read_take(r, '[')) {
		Items items = {0};
		return read_custom_items(r, &items, ']') ? ir_attr_array(r->cx, items.list.data, items.list.len) : NULL;
	}
	if (r->tok.kind == TOK_ID && !read_is_word(r, "true") && !read_is_word(r, "false") &&
	    !memchr(r->tok.start, '.', (size_t)(r->tok.end - r->tok.start))) {
		Str word = read_tok_text(r);
		read_next(r);
		return ir_attr_custom(r->cx, intern(&r->cx->syms, word), NULL, 0);
	}
	return read_attr(r);
}

static IrAttr read_custom_item(Reader *r)
{
	if (!read_deeper(r))
		return NULL;
	IrAttr item = read_custom_item_inner(r);
	r->depth--;
	return item;
}

static IrAttr read_hash(Reader *r)
{
	Str text = read_tok_text(r);
	Span span = read_tok_span(r);
	read_next(r);
	if (!memchr(text.ptr, '.', text.len)) {
		ReadAlias *alias = find_alias(r, text, span);
		if (alias && !alias->attr)
			READ_FAIL(r, span, DIAG_IR_ALIAS_KIND, alias->name, "an attribute");
		return alias ? alias->attr : NULL;
	}
	Items items = {0};
	Sym name = intern(&r->cx->syms, (Str){text.ptr + 1, text.len - 1});
	if (read_take(r, '<') && !read_custom_items(r, &items, '>'))
		return NULL;
	return ir_attr_custom(r->cx, name, items.list.data, items.list.len);
}

static IrAttr read_array(Reader *r)
{
	Items items = {0};
	read_next(r);
	if (!read_is(r, ']')) {
		do {
			IrAttr item = read_attr(r);
			if (!item)
				return NULL;
			vec_push(r->arena, &items.list, item);
		} while (read_take(r, ','));
	}
	return read_expect(r, ']') ? ir_attr_array(r->cx, items.list.data, items.list.len) : NULL;
}

static IrAttr read_dict_attr(Reader *r)
{
	ReadAttrs items = {0};
	if (!read_dict(r, &items))
		return NULL;
	Sym *names = ARENA_ARRAY(r->arena, Sym, items.list.len);
	IrAttr *values = ARENA_ARRAY(r->arena, IrAttr, items.list.len);
	for (uint32_t i = 0; i < items.list.len; i++) {
		names[i] = items.list.data[i].name;
		values[i] = items.list.data[i].value;
	}
	return ir_attr_dict(r->cx, names, values, items.list.len);
}

static IrAttr read_attr_inner(Reader *r)
{
	Str text;
	switch (r->tok.kind) {
	case TOK_INT:
	case TOK_FLOAT:
		return read_number(r);
	case TOK_STRING:
		return read_string(r, &text) ? ir_attr_string(r->cx, text) : NULL;
	case TOK_SYMBOL:
		text = (Str){r->tok.start + 1, (size_t)(r->tok.end - r->tok.start) - 1};
		if (*text.ptr != '"')
			read_next(r);
		else if (!read_string(r, &text))
			return NULL;
		return ir_attr_symbol(r->cx, intern(&r->cx->syms, text));
	case TOK_HASH:
		return read_hash(r);
	case TOK_ID:
		if (read_is_word(r, "true") || read_is_word(r, "false")) {
			bool value = read_is_word(r, "true");
			read_next(r);
			if (read_take(r, ':') && !read_type(r))
				return NULL;
			return ir_attr_bool(r->cx, value);
		}
		if (read_take_word(r, "unit"))
			return ir_attr_unit(r->cx);
		if (read_take_word(r, "dense"))
			return read_dense(r);
		if (read_take_word(r, "array"))
			return read_ints(r);
		break;
	case TOK_PUNCT:
		if (read_is(r, '-'))
			return read_number(r);
		if (read_is(r, '['))
			return read_array(r);
		if (read_is(r, '{'))
			return read_dict_attr(r);
		break;
	default:
		break;
	}
	if (r->tok.kind != TOK_ID && r->tok.kind != TOK_BANG && !read_is(r, '(')) {
		read_expected(r, "an attribute");
		return NULL;
	}
	IrType type = read_type(r);
	return type ? ir_attr_type(r->cx, type) : NULL;
}

IrAttr read_attr(Reader *r)
{
	if (!read_deeper(r))
		return NULL;
	IrAttr attr = read_attr_inner(r);
	r->depth--;
	return attr;
}

/* ---- locations ---- */

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
		ReadAlias *alias = find_alias(r, text, span);
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
static IrLoc read_loc_body(Reader *r, uint32_t *depth)
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
