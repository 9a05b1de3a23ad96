/* Reading attributes: numbers, strings, lists, those of other dialects; dictionaries of ops. */
#include "ir/text/read_int.h"

static bool read_attr_name(Reader *r, Sym *name)
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

IrAttr read_make_int(Reader *r, Span span, IrType type, uint64_t value, bool negative)
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

bool read_fits_bits(Reader *r, Span span, IrType type, uint64_t value)
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
		return read_fits_bits(r, span, type, value) ? ir_attr_float_bits(r->cx, type, value) : NULL;
	if (!ir_is_int(type)) {
		READ_FAIL(r, span, DIAG_IR_INFER, "an integer", ir_type_text(r->arena, type));
		return NULL;
	}
	return read_make_int(r, span, type, value, negative);
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
		Sym key = NULL;
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

/* [a, b], and [a, b] {key = value}: the latter is kept as an attribute named " " of two items. */
static IrAttr read_custom_list(Reader *r)
{
	Items items = {0};
	if (!read_custom_items(r, &items, ']'))
		return NULL;
	IrAttr pair[2] = {ir_attr_array(r->cx, items.list.data, items.list.len)};
	if (!read_is(r, '{'))
		return pair[0];
	pair[1] = read_keyed(r);
	return pair[1] ? ir_attr_custom(r->cx, ir_sym(r->cx, " "), pair, 2) : NULL;
}

/* 64:+8, the padding of shared memory: an attribute named ":+" of two numbers. */
static IrAttr read_padding(Reader *r)
{
	uint64_t numbers[2];
	if (!read_u64(r, &numbers[0]) || !read_expect(r, ':') || !read_expect(r, '+') || !read_u64(r, &numbers[1]))
		return NULL;
	IrAttr pair[2];
	for (int i = 0; i < 2; i++)
		pair[i] = ir_attr_int(r->cx, ir_scalar(r->cx, TY_I64), (int64_t)numbers[i]);
	return ir_attr_custom(r->cx, ir_sym(r->cx, ":+"), pair, 2);
}

static bool at_padding(const Reader *r)
{
	return r->tok.kind == TOK_INT && r->end - r->tok.end > 2 && r->tok.end[0] == ':' && r->tok.end[1] == '+';
}

static IrAttr read_custom_item_inner(Reader *r)
{
	if (read_is(r, '{'))
		return read_keyed(r);
	if (read_take(r, '['))
		return read_custom_list(r);
	if (at_padding(r))
		return read_padding(r);
	if (r->tok.kind == TOK_ID && !read_is_word(r, "true") && !read_is_word(r, "false") &&
	    !memchr(r->tok.start, '.', (size_t)(r->tok.end - r->tok.start))) {
		Sym word = intern(&r->cx->syms, read_tok_text(r));
		read_next(r);
		if (!read_take(r, '='))
			return ir_attr_custom(r->cx, word, NULL, 0);
		/* word = value: an attribute named "=" of both. */
		IrAttr pair[2] = {ir_attr_string(r->cx, str_of(word)), read_custom_item(r)};
		return pair[1] ? ir_attr_custom(r->cx, ir_sym(r->cx, "="), pair, 2) : NULL;
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
		ReadAlias *alias = read_find_alias(r, text, span);
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
