/* Hash-consing of types, attributes and locations: each constructor fills a candidate, hashes its
 * fields, and returns the equal one that exists or a copy of the candidate. Ids count creations, so
 * an order by id is deterministic. */
#include "ir/type.h"

#include "base/float/fp.h"

_Static_assert(TY_I1 == 0 && TY_I64 + 1 == TY_F8E4M3FN && TY_F64 + 1 == TY_PTR, "ORDER TY");

static const struct {
	const char *text;
	unsigned bits;
} scalar_info[TY_PTR] = {
#define TYPE(kind, text, bits, cls, doc) [TY_##kind] = {text, bits},
#include "ir/types.def"
#undef TYPE
};

static const char *const attr_names[ATTR__COUNT] = {
#define ATTR(name, text) [ATTR_##name] = text,
#include "ir/attrs.def"
#undef ATTR
};

/* ---- the consing table ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const void *bytes, size_t len)
{
	return mix(h, len ? str_hash(bytes, len) : 0);
}

static void cons_grow(IrCx *cx, IrCons *table)
{
	uint32_t cap = table->cap ? table->cap * 2 : 128;
	const void **slots = ARENA_ARRAY(cx->arena, const void *, cap);
	uint64_t *hashes = ARENA_ARRAY(cx->arena, uint64_t, cap);
	for (uint32_t i = 0; i < table->cap; i++) {
		if (!table->slots[i])
			continue;
		uint32_t at = (uint32_t)table->hashes[i] & (cap - 1);
		while (slots[at])
			at = (at + 1) & (cap - 1);
		slots[at] = table->slots[i];
		hashes[at] = table->hashes[i];
	}
	table->slots = slots;
	table->hashes = hashes;
	table->cap = cap;
}

/* The slot that holds an object equal to `key`, or the free slot where it belongs. */
static const void **cons_find(IrCx *cx, IrCons *table, uint64_t hash, const void *key,
			      bool (*equal)(const void *, const void *))
{
	if (table->len * 2 >= table->cap)
		cons_grow(cx, table);
	uint32_t at = (uint32_t)hash & (table->cap - 1);
	while (table->slots[at] && !(table->hashes[at] == hash && equal(table->slots[at], key)))
		at = (at + 1) & (table->cap - 1);
	if (!table->slots[at]) {
		table->hashes[at] = hash;
		table->len++;
	}
	return &table->slots[at];
}

static bool same_bytes(const void *a, const void *b, size_t len)
{
	return len == 0 || memcmp(a, b, len) == 0;
}

/* ---- types ---- */

static bool type_equal(const void *pa, const void *pb)
{
	IrType a = pa, b = pb;
	return a->kind == b->kind && a->bits == b->bits && a->space == b->space &&
	       a->is_mutable == b->is_mutable && a->elem == b->elem && a->encoding == b->encoding &&
	       a->rank == b->rank && a->split == b->split && a->len == b->len &&
	       a->alloc_rank == b->alloc_rank &&
	       same_bytes(a->alloc, b->alloc, a->alloc_rank * sizeof *a->alloc) &&
	       same_bytes(a->shape, b->shape, a->rank * sizeof *a->shape) &&
	       same_bytes(a->list, b->list, a->len * sizeof *a->list);
}

static IrType cons_type(IrCx *cx, IrTypeData key)
{
	uint64_t h = mix(key.kind, key.bits ^ (uint64_t)key.space << 32);
	h = mix(h, key.elem ? key.elem->id + 1 : 0);
	h = mix(h, key.encoding ? key.encoding->id + 1 : 0);
	h = mix(h, key.is_mutable | (uint64_t)key.split << 32);
	h = mix_bytes(h, key.shape, key.rank * sizeof *key.shape);
	h = mix_bytes(h, key.alloc, key.alloc_rank * sizeof *key.alloc);
	for (uint32_t i = 0; i < key.len; i++)
		h = mix(h, key.list[i]->id);
	uint32_t id = cx->types.len;
	const void **slot = cons_find(cx, &cx->types, h, &key, type_equal);
	if (!*slot) {
		IrTypeData *made = arena_copy(cx->arena, &key, sizeof key);
		made->id = id;
		made->shape = arena_copy(cx->arena, key.shape, key.rank * sizeof *key.shape);
		made->alloc = arena_copy(cx->arena, key.alloc, key.alloc_rank * sizeof *key.alloc);
		made->list = arena_copy(cx->arena, key.list, key.len * sizeof *key.list);
		*slot = made;
	}
	return *slot;
}

void ir_cx_init(IrCx *cx, Arena *arena)
{
	*cx = (IrCx){.arena = arena};
	intern_init(&cx->syms, arena);
	for (int i = 0; i < ATTR__COUNT; i++)
		cx->names[i] = intern_text(&cx->syms, attr_names[i]);
	for (int i = 0; i < TY_PTR; i++)
		cx->scalars[i] =
			cons_type(cx, (IrTypeData){.kind = (IrTypeKind)i, .bits = scalar_info[i].bits});
	cx->none = cons_type(cx, (IrTypeData){.kind = TY_NONE});
	cx->token = cons_type(cx, (IrTypeData){.kind = TY_TOKEN});
	IrLocData *unknown = ARENA_NEW(arena, IrLocData);
	unknown->kind = LOC_UNKNOWN;
	cx->unknown = unknown;
}

IrType ir_int(const IrCx *cx, unsigned bits)
{
	for (int i = TY_I1; i <= TY_I64; i++)
		if (cx->scalars[i]->bits == bits)
			return cx->scalars[i];
	BUG("no integer type of %u bits", bits);
}

IrType ir_ptr(IrCx *cx, IrType elem, uint32_t space)
{
	CONTRACT(elem);
	return cons_type(cx, (IrTypeData){.kind = TY_PTR, .bits = 64, .elem = elem, .space = space});
}

IrType ir_tensor(IrCx *cx, IrType elem, const int64_t *shape, uint32_t rank, IrAttr encoding)
{
	ASSERT(rank <= IR_MAX_RANK && elem->kind != TY_TENSOR);
	return cons_type(cx, (IrTypeData){.kind = TY_TENSOR,
					  .elem = elem,
					  .shape = (int64_t *)(uintptr_t)shape,
					  .rank = rank,
					  .encoding = encoding});
}

IrType ir_tensordesc_signed(IrCx *cx, IrType tensor, IrSign sign)
{
	CONTRACT(tensor->kind == TY_TENSOR);
	return cons_type(cx, (IrTypeData){.kind = TY_TENSORDESC, .elem = tensor, .space = (uint32_t)sign});
}

IrType ir_memdesc(IrCx *cx, IrType elem, const int64_t *shape, uint32_t rank, IrAttr encoding, uint32_t space,
		  bool is_mutable)
{
	return ir_memdesc_part(cx, elem, shape, rank, encoding, space, is_mutable, NULL, 0);
}

IrType ir_memdesc_part(IrCx *cx, IrType elem, const int64_t *shape, uint32_t rank, IrAttr encoding,
		       uint32_t space, bool is_mutable, const int64_t *alloc, uint32_t alloc_rank)
{
	if (alloc_rank && alloc_rank == rank && same_bytes(shape, alloc, rank * sizeof *shape))
		alloc_rank = 0;
	return cons_type(cx, (IrTypeData){.kind = TY_MEMDESC,
					  .elem = elem,
					  .shape = (int64_t *)(uintptr_t)shape,
					  .rank = rank,
					  .alloc = (int64_t *)(uintptr_t)alloc,
					  .alloc_rank = alloc_rank,
					  .encoding = encoding,
					  .space = space,
					  .is_mutable = is_mutable});
}

IrType ir_with_encoding(IrCx *cx, IrType type, IrAttr encoding)
{
	CONTRACT(type->kind == TY_TENSOR || type->kind == TY_MEMDESC);
	if (type->kind != TY_TENSOR && type->kind != TY_MEMDESC)
		return type;
	IrTypeData key = *type;
	key.encoding = encoding;
	return cons_type(cx, key);
}

IrType ir_func_type(IrCx *cx, const IrType *in, uint32_t in_len, const IrType *out, uint32_t out_len)
{
	IrType *list = ARENA_ARRAY(cx->arena, IrType, in_len + out_len);
	if (in_len)
		memcpy(list, in, in_len * sizeof *list);
	if (out_len)
		memcpy(list + in_len, out, out_len * sizeof *list);
	return cons_type(
		cx, (IrTypeData){.kind = TY_FUNC, .list = list, .split = in_len, .len = in_len + out_len});
}

IrType ir_with_elem(IrCx *cx, IrType like, IrType elem)
{
	if (like->kind != TY_TENSOR)
		return elem;
	return ir_tensor(cx, elem, like->shape, like->rank, like->encoding);
}

int64_t ir_numel(IrType t)
{
	int64_t n = 1;
	for (uint32_t i = 0; t->kind == TY_TENSOR && i < t->rank; i++)
		n *= t->shape[i];
	return n;
}

bool ir_same_shape(IrType a, IrType b)
{
	if (a->kind != TY_TENSOR || b->kind != TY_TENSOR)
		return a->kind != TY_TENSOR && b->kind != TY_TENSOR;
	return a->rank == b->rank && same_bytes(a->shape, b->shape, a->rank * sizeof *a->shape);
}

/* ---- attributes ---- */

static size_t item_size(IrAttrKind kind)
{
	switch (kind) {
	case ATTR_KIND_ARRAY:
	case ATTR_KIND_DICT:
	case ATTR_KIND_CUSTOM:
		return sizeof(IrAttr);
	case ATTR_KIND_INTS:
	case ATTR_KIND_DENSE:
		return 8;
	default:
		return 0;
	}
}

static uint32_t stored_len(const IrAttrData *a)
{
	return a->kind == ATTR_KIND_DENSE && a->splat ? 1 : a->len;
}

static bool attr_equal(const void *pa, const void *pb)
{
	IrAttr a = pa, b = pb;
	if (a->kind != b->kind || a->type != b->type || a->i != b->i || a->bits != b->bits ||
	    a->len != b->len || a->splat != b->splat || a->text_len != b->text_len)
		return false;
	/* Symbols and names are interned; string texts are compared as bytes. */
	if (a->kind == ATTR_KIND_STRING ? !same_bytes(a->text, b->text, a->text_len) : a->text != b->text)
		return false;
	if (a->kind == ATTR_KIND_DICT && !same_bytes(a->names, b->names, a->len * sizeof *a->names))
		return false;
	return same_bytes(a->words, b->words, stored_len(a) * item_size(a->kind));
}

static IrAttr cons_attr(IrCx *cx, IrAttrData key)
{
	uint64_t h = mix(key.kind, key.type ? key.type->id + 1 : 0);
	h = mix(mix(h, (uint64_t)key.i), key.bits);
	h = mix(h, key.len | (uint64_t)key.splat << 32);
	if (key.text)
		h = mix_bytes(h, key.text, key.text_len);
	for (uint32_t i = 0; item_size(key.kind) && i < stored_len(&key); i++)
		h = mix(h, item_size(key.kind) == 8 &&
					   (key.kind == ATTR_KIND_INTS || key.kind == ATTR_KIND_DENSE)
				   ? key.words[i]
				   : key.items[i]->id);
	uint32_t id = cx->attrs.len;
	const void **slot = cons_find(cx, &cx->attrs, h, &key, attr_equal);
	if (!*slot) {
		IrAttrData *made = arena_copy(cx->arena, &key, sizeof key);
		made->id = id;
		/* Names of functions are strings: interned, so that they compare as symbols do. */
		if (key.kind == ATTR_KIND_STRING)
			made->text = key.text_len == 0 || memchr(key.text, 0, key.text_len)
					     ? arena_strndup(cx->arena, key.text, key.text_len)
					     : intern(&cx->syms, (Str){key.text, key.text_len});
		if (item_size(key.kind))
			made->words =
				arena_copy(cx->arena, key.words, stored_len(&key) * item_size(key.kind));
		if (key.kind == ATTR_KIND_DICT)
			made->names = arena_copy(cx->arena, key.names, key.len * sizeof *key.names);
		*slot = made;
	}
	return *slot;
}

IrAttr ir_attr_unit(IrCx *cx)
{
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_UNIT});
}

IrAttr ir_attr_bool(IrCx *cx, bool value)
{
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_BOOL, .i = value});
}

IrAttr ir_attr_int(IrCx *cx, IrType type, int64_t value)
{
	ASSERT(ir_is_int(type));
	unsigned unused = 64 - type->bits;
	value = (int64_t)((uint64_t)value << unused) >> unused;
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_INT, .type = type, .i = value});
}

IrAttr ir_attr_i32(IrCx *cx, int64_t value)
{
	return ir_attr_int(cx, cx->scalars[TY_I32], value);
}

IrAttr ir_attr_float_bits(IrCx *cx, IrType type, uint64_t bits)
{
	ASSERT(ir_is_float(type));
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_FLOAT, .type = type, .bits = bits});
}

static FpFormat format_of(IrType type)
{
	static const FpFormat formats[TY_PTR] = {
		[TY_F8E4M3FN] = FP_E4M3FN,
		[TY_F8E5M2] = FP_E5M2,
		[TY_F8E4M3B11FNUZ] = FP_E4M3B11FNUZ,
		[TY_F8E4M3FNUZ] = FP_E4M3FNUZ,
		[TY_F8E5M2FNUZ] = FP_E5M2FNUZ,
		[TY_F16] = FP_F16,
		[TY_BF16] = FP_BF16,
		[TY_F32] = FP_F32,
		[TY_F64] = FP_F64,
	};
	ASSERT(ir_is_float(type));
	return formats[type->kind];
}

uint64_t ir_float_bits(IrType type, double value)
{
	return fp_from_double(format_of(type), value, FP_NEAREST_EVEN, false);
}

double ir_float_value(IrType type, uint64_t bits)
{
	return fp_to_double(format_of(type), bits);
}

IrAttr ir_attr_float(IrCx *cx, IrType type, double value)
{
	return ir_attr_float_bits(cx, type, ir_float_bits(type, value));
}

IrAttr ir_attr_string(IrCx *cx, Str text)
{
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_STRING, .text = text.ptr, .text_len = text.len});
}

IrAttr ir_attr_symbol(IrCx *cx, Sym name)
{
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_SYMBOL, .text = name, .text_len = strlen(name)});
}

IrAttr ir_attr_type(IrCx *cx, IrType type)
{
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_TYPE, .type = type});
}

IrAttr ir_attr_array(IrCx *cx, const IrAttr *items, uint32_t len)
{
	return cons_attr(
		cx, (IrAttrData){.kind = ATTR_KIND_ARRAY, .len = len, .items = (IrAttr *)(uintptr_t)items});
}

IrAttr ir_attr_ints(IrCx *cx, IrType type, const int64_t *ints, uint32_t len)
{
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_INTS,
					  .type = type,
					  .len = len,
					  .ints = (int64_t *)(uintptr_t)ints});
}

IrAttr ir_attr_dense(IrCx *cx, IrType tensor, const uint64_t *words, uint32_t len)
{
	CONTRACT(tensor->kind == TY_TENSOR);
	ASSERT(len > 0 && len == ir_numel(tensor));
	bool splat = true;
	for (uint32_t i = 1; i < len && splat; i++)
		splat = words[i] == words[0];
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_DENSE,
					  .type = tensor,
					  .len = len,
					  .splat = splat,
					  .words = (uint64_t *)(uintptr_t)words});
}

IrAttr ir_attr_splat(IrCx *cx, IrType tensor, uint64_t word)
{
	CONTRACT(tensor->kind == TY_TENSOR);
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_DENSE,
					  .type = tensor,
					  .len = (uint32_t)ir_numel(tensor),
					  .splat = true,
					  .words = &word});
}

IrAttr ir_attr_dict(IrCx *cx, const Sym *names, const IrAttr *items, uint32_t len)
{
	Sym *sorted_names = arena_copy(cx->arena, names, len * sizeof *names);
	IrAttr *sorted = arena_copy(cx->arena, items, len * sizeof(IrAttr));
	for (uint32_t i = 1; i < len; i++) {
		for (uint32_t j = i; j > 0 && strcmp(sorted_names[j - 1], sorted_names[j]) > 0; j--) {
			Sym name = sorted_names[j];
			IrAttr item = sorted[j];
			sorted_names[j] = sorted_names[j - 1];
			sorted[j] = sorted[j - 1];
			sorted_names[j - 1] = name;
			sorted[j - 1] = item;
		}
	}
	return cons_attr(
		cx, (IrAttrData){.kind = ATTR_KIND_DICT, .len = len, .names = sorted_names, .items = sorted});
}

IrAttr ir_attr_custom(IrCx *cx, Sym name, const IrAttr *items, uint32_t len)
{
	CONTRACT(name);
	return cons_attr(cx, (IrAttrData){.kind = ATTR_KIND_CUSTOM,
					  .text = name,
					  .text_len = strlen(name),
					  .len = len,
					  .items = (IrAttr *)(uintptr_t)items});
}

/* ---- locations ---- */

static bool loc_equal(const void *pa, const void *pb)
{
	IrLoc a = pa, b = pb;
	return a->kind == b->kind && a->text == b->text && a->line == b->line && a->col == b->col &&
	       a->child == b->child && a->caller == b->caller && a->len == b->len &&
	       same_bytes(a->list, b->list, a->len * sizeof(IrLoc));
}

static IrLoc cons_loc(IrCx *cx, IrLocData key)
{
	uint64_t h = mix(key.kind, key.line | (uint64_t)key.col << 32);
	h = mix(h, (key.child ? key.child->id : 0) | (uint64_t)(key.caller ? key.caller->id : 0) << 32);
	if (key.text)
		h = mix_bytes(h, key.text, strlen(key.text));
	for (uint32_t i = 0; i < key.len; i++)
		h = mix(h, key.list[i]->id);
	uint32_t id = cx->locs.len + 1; /* 0 is the unknown location */
	const void **slot = cons_find(cx, &cx->locs, h, &key, loc_equal);
	if (!*slot) {
		IrLocData *made = arena_copy(cx->arena, &key, sizeof key);
		made->id = id;
		made->list = arena_copy(cx->arena, key.list, key.len * sizeof(IrLoc));
		*slot = made;
	}
	return *slot;
}

IrLoc ir_loc_file(IrCx *cx, const char *path, uint32_t line, uint32_t col)
{
	return cons_loc(cx,
			(IrLocData){.kind = LOC_FILE, .text = ir_sym(cx, path), .line = line, .col = col});
}

IrLoc ir_loc_name(IrCx *cx, Sym name, IrLoc child)
{
	return cons_loc(cx, (IrLocData){.kind = LOC_NAME, .text = name, .child = child});
}

IrLoc ir_loc_callsite(IrCx *cx, IrLoc callee, IrLoc caller)
{
	CONTRACT(callee && caller);
	return cons_loc(cx, (IrLocData){.kind = LOC_CALLSITE, .child = callee, .caller = caller});
}

IrLoc ir_loc_fused(IrCx *cx, const IrLoc *list, uint32_t len)
{
	CONTRACT(len);
	return cons_loc(cx, (IrLocData){.kind = LOC_FUSED, .list = (IrLoc *)(uintptr_t)list, .len = len});
}

IrLoc ir_loc_position(IrLoc loc)
{
	while (loc && loc->kind != LOC_FILE) {
		switch (loc->kind) {
		case LOC_NAME:
		case LOC_CALLSITE:
			loc = loc->child;
			break;
		case LOC_FUSED:
			loc = loc->len ? loc->list[0] : NULL;
			break;
		default:
			return NULL;
		}
	}
	return loc;
}

IrLoc ir_loc_caller(IrLoc loc)
{
	while (loc && loc->kind != LOC_CALLSITE)
		loc = loc->kind == LOC_NAME		   ? loc->child
		      : loc->kind == LOC_FUSED && loc->len ? loc->list[0]
							   : NULL;
	return loc ? loc->caller : NULL;
}
