/* Printing types and attributes; single things for messages. */
#include "ir/text/print_int.h"

void print_bytes(Printer *p, Str text)
{
	if (!p->collecting)
		text_add(p->out, text.ptr, text.len);
}

void print_str(Printer *p, const char *text)
{
	print_bytes(p, str_of(text));
}

/* Numbers are most of a text: printf would take a third of the time. */
void print_i64(Printer *p, int64_t value)
{
	char digits[24], *at = digits + sizeof digits;
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	if (p->collecting)
		return;
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--at = '-';
	text_add(p->out, at, (size_t)(digits + sizeof digits - at));
}

/* ---- types ---- */

/* `sign`: of the integers of a descriptor. */
static void print_dims(Printer *p, IrType type, uint32_t sign)
{
	for (uint32_t i = 0; i < type->rank; i++) {
		print_i64(p, type->shape[i]);
		print_str(p, "x");
	}
	print_str(p, sign == SIGN_SIGNED ? "s" : sign == SIGN_UNSIGNED ? "u" : "");
	print_type(p, type->elem);
	if (type->encoding) {
		print_str(p, ", ");
		print_attr(p, type->encoding, false);
	}
}

static void print_type_list(Printer *p, const IrType *list, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		print_str(p, i ? ", " : "");
		print_type(p, list[i]);
	}
}

static void print_func_type(Printer *p, IrType type)
{
	uint32_t results = type->len - type->split;
	bool parens = results != 1 || type->list[type->split]->kind == TY_FUNC;
	print_str(p, "(");
	print_type_list(p, type->list, type->split);
	print_str(p, parens ? ") -> (" : ") -> ");
	print_type_list(p, type->list + type->split, results);
	print_str(p, parens ? ")" : "");
}

static const char *kind_text(IrType type)
{
	static const char *const scalars[TY_PTR] = {
#define TYPE(kind, text, bits, cls, doc) [TY_##kind] = text,
#include "ir/types.def"
#undef TYPE
	};
	switch (type->kind) {
	case TY_PTR:
		return "!tt.ptr";
	case TY_TENSOR:
		return "tensor";
	case TY_TENSORDESC:
		return "!tt.tensordesc";
	case TY_MEMDESC:
		return "!ttg.memdesc";
	case TY_TOKEN:
		return "!ttg.async.token";
	case TY_NONE:
		return "none";
	case TY_FUNC:
	case TY__COUNT:
		return "";
	default:
		return scalars[type->kind];
	}
}

/* Within a module by its alias. */
static void print_memory_space(Printer *p, const char *name)
{
	if (p->names) {
		IrCx *cx = p->names->module->cx;
		print_attr(p, ir_attr_custom(cx, ir_sym(cx, name), NULL, 0), false);
	} else {
		print_str(p, "#");
		print_str(p, name);
	}
}

/* What stands between < and >. */
static void print_type_body(Printer *p, IrType type)
{
	print_str(p, "<");
	switch (type->kind) {
	case TY_PTR:
		print_type(p, type->elem);
		if (type->space != 1) {
			print_str(p, ", ");
			print_i64(p, type->space);
		}
		break;
	case TY_TENSORDESC:
		print_str(p, "tensor<");
		print_dims(p, type->elem, type->space);
		print_str(p, ">");
		break;
	case TY_TENSOR:
		print_dims(p, type, SIGN_NONE);
		break;
	default:
		print_dims(p, type, SIGN_NONE);
		print_str(p, ", ");
		print_memory_space(p, type->space ? "ttng.tensor_memory" : "ttg.shared_memory");
		print_str(p, type->is_mutable ? ", mutable" : "");
		for (uint32_t i = 0; i < type->alloc_rank; i++) {
			print_str(p, i ? "x" : ", ");
			print_i64(p, type->alloc[i]);
		}
		break;
	}
	print_str(p, ">");
}

static bool has_body(IrType type)
{
	return type->kind == TY_PTR || type->kind == TY_TENSOR || type->kind == TY_TENSORDESC ||
	       type->kind == TY_MEMDESC;
}

void print_type(Printer *p, IrType type)
{
	if (type->kind == TY_FUNC) {
		print_func_type(p, type);
		return;
	}
	print_str(p, kind_text(type));
	if (has_body(type))
		print_type_body(p, type);
}

void print_type_brief(Printer *p, IrType type)
{
	if (has_body(type) && type->kind != TY_TENSOR)
		print_type_body(p, type);
	else
		print_type(p, type);
}

void print_types(Printer *p, const IrOp *op, bool results, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		print_str(p, i > from ? ", " : "");
		print_type(p, results ? op->results[i].type : ir_operand(op, i)->type);
	}
}

/* ---- attributes ---- */

void print_string(Printer *p, const char *text, size_t len)
{
	if (p->collecting)
		return;
	text_char(p->out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '\\')
			text_str(p->out, "\\\\");
		else if (c >= ' ' && c < 0x7f && c != '"')
			text_char(p->out, (char)c);
		else
			text_printf(p->out, "\\%02X", c);
	}
	text_char(p->out, '"');
}

void print_symbol(Printer *p, const char *name)
{
	print_str(p, "@");
	if (asm_is_bare_id(name))
		print_str(p, name);
	else
		print_string(p, name, strlen(name));
}

void print_attr_name(Printer *p, Sym name)
{
	if (asm_is_bare_id(name))
		print_str(p, name);
	else
		print_string(p, name, strlen(name));
}

void print_dict_item(Printer *p, Sym name, IrAttr value)
{
	print_attr_name(p, name);
	if (value->kind == ATTR_KIND_UNIT)
		return;
	print_str(p, " = ");
	print_attr(p, value, false);
}

static void print_element(Printer *p, IrType elem, uint64_t word)
{
	if (p->collecting)
		return;
	if (ir_is_float(elem))
		asm_float_print(p->out, elem, word);
	else if (elem->kind == TY_I1)
		print_str(p, word & 1 ? "true" : "false");
	else
		print_i64(p, (int64_t)(word << (64 - elem->bits)) >> (64 - elem->bits));
}

static void print_nested(Printer *p, IrAttr attr, uint32_t dim, uint32_t *at)
{
	if (dim == attr->type->rank) {
		print_element(p, attr->type->elem, attr->words[(*at)++]);
		return;
	}
	print_str(p, "[");
	for (int64_t i = 0; i < attr->type->shape[dim]; i++) {
		print_str(p, i ? ", " : "");
		print_nested(p, attr, dim + 1, at);
	}
	print_str(p, "]");
}

/* Many elements go as one string of their bytes; booleans eight to a byte. */
static void print_hex(Printer *p, IrAttr attr)
{
	uint32_t bits = attr->type->elem->bits;
	print_str(p, "\"0x");
	if (bits == 1) {
		for (uint32_t i = 0; i < attr->len; i += 8) {
			unsigned byte = 0;
			for (uint32_t j = 0; j < 8 && i + j < attr->len; j++)
				byte |= (unsigned)(attr->words[i + j] & 1) << j;
			text_printf(p->out, "%02X", byte);
		}
	} else {
		for (uint32_t i = 0; i < attr->len; i++)
			for (uint32_t b = 0; b < MAX(bits, 8u); b += 8)
				text_printf(p->out, "%02X", (unsigned)(attr->words[i] >> b & 0xff));
	}
	print_str(p, "\"");
}

static void print_dense(Printer *p, IrAttr attr)
{
	enum { MOST_AS_TEXT = 100 };
	uint32_t at = 0;
	print_str(p, "dense<");
	if (attr->splat)
		print_element(p, attr->type->elem, attr->words[0]);
	else if (p->collecting)
		;
	else if (attr->len > MOST_AS_TEXT)
		print_hex(p, attr);
	else
		print_nested(p, attr, 0, &at);
	print_str(p, "> : ");
	print_type(p, attr->type);
}

static void print_ints(Printer *p, IrAttr attr)
{
	print_str(p, "array<");
	print_type(p, attr->type);
	for (uint32_t i = 0; i < attr->len; i++) {
		print_str(p, i ? ", " : ": ");
		print_element(p, attr->type, (uint64_t)attr->ints[i]);
	}
	print_str(p, ">");
}

static void print_items(Printer *p, IrAttr attr)
{
	for (uint32_t i = 0; i < attr->len; i++) {
		print_str(p, i ? ", " : "");
		print_attr(p, attr->items[i], true);
	}
}

/* #name<items>; a name without a point is a word; one without a name is a list of keys and values; for those named
 * "=", " " and ":+" see read_attr.c. */
static void print_custom_attr(Printer *p, IrAttr attr)
{
	if (p->collecting) {
		print_meet_layouts(p, attr, UINT32_MAX);
		return;
	}
	if (print_alias(p, attr))
		return;
	if (!*attr->text) {
		print_str(p, "{");
		for (uint32_t i = 0; i + 1 < attr->len; i += 2) {
			print_str(p, i ? ", " : "");
			print_attr_name(p, attr->items[i]->text);
			print_str(p, " = ");
			print_attr(p, attr->items[i + 1], true);
		}
		print_str(p, "}");
		return;
	}
	if (attr->len == 2 && strchr("= :", *attr->text)) {
		if (*attr->text == '=')
			print_str(p, attr->items[0]->text);
		else
			print_attr(p, attr->items[0], true);
		print_str(p, *attr->text == '=' ? " = " : attr->text);
		print_attr(p, attr->items[1], true);
		return;
	}
	print_str(p, strchr(attr->text, '.') ? "#" : "");
	print_str(p, attr->text);
	if (attr->len) {
		print_str(p, "<");
		print_items(p, attr);
		print_str(p, ">");
	}
}

void print_attr(Printer *p, IrAttr attr, bool in_list)
{
	switch (attr->kind) {
	case ATTR_KIND_UNIT:
		print_str(p, "unit");
		break;
	case ATTR_KIND_BOOL:
		print_str(p, attr->i ? "true" : "false");
		break;
	case ATTR_KIND_INT:
	case ATTR_KIND_FLOAT:
		if (attr->kind == ATTR_KIND_INT)
			print_i64(p, attr->i);
		else
			print_element(p, attr->type, attr->bits);
		if (!in_list || (attr->type->kind != TY_I64 && attr->type->kind != TY_F64)) {
			print_str(p, " : ");
			print_type(p, attr->type);
		}
		break;
	case ATTR_KIND_STRING:
		print_string(p, attr->text, attr->text_len);
		break;
	case ATTR_KIND_SYMBOL:
		print_symbol(p, attr->text);
		break;
	case ATTR_KIND_TYPE:
		print_type(p, attr->type);
		break;
	case ATTR_KIND_ARRAY:
		print_str(p, "[");
		print_items(p, attr);
		print_str(p, "]");
		break;
	case ATTR_KIND_INTS:
		print_ints(p, attr);
		break;
	case ATTR_KIND_DENSE:
		print_dense(p, attr);
		break;
	case ATTR_KIND_DICT:
		print_str(p, "{");
		for (uint32_t i = 0; i < attr->len; i++) {
			print_str(p, i ? ", " : "");
			print_dict_item(p, attr->names[i], attr->items[i]);
		}
		print_str(p, "}");
		break;
	case ATTR_KIND_CUSTOM:
		print_custom_attr(p, attr);
		break;
	}
}

/* ---- single things, for messages ---- */

static Printer plain_printer(Text *out)
{
	Printer p = {.out = out};
	map_init(&p.alias_of, out->arena);
	return p;
}

void ir_print_type(Text *out, IrType type)
{
	Printer p = plain_printer(out);
	print_type(&p, type);
}

void ir_print_attr(Text *out, IrAttr attr)
{
	Printer p = plain_printer(out);
	print_attr(&p, attr, false);
}

const char *ir_type_text(Arena *arena, IrType type)
{
	Text out;
	text_init(&out, arena);
	ir_print_type(&out, type);
	return out.data;
}
