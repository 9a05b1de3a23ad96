/* Reading lists of elements: dense<...> : tensor<...> and array<i32: ...>. */
#include "ir/text/read_int.h"

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
		return read_fits_bits(r, span, elem, value);
	}
	IrAttr made = read_make_int(r, span, elem, value, negative);
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

IrAttr read_dense(Reader *r)
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
IrAttr read_ints(Reader *r)
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
