/* Types of the tile language: hash-consed in FrontLower, each with its IR type, and their names. */
#include "front/tile/sem.h"

#include <stdlib.h>

const TlDtypeInfo tl_dtypes[DT__COUNT] = {
#define INT DTC_INT
#define UINT DTC_UINT
#define FLOAT DTC_FLOAT
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) [DT_##kind] = {name, short_name, bits, cls, TY_##ir},
#include "front/dtypes.def"
#undef DTYPE
#undef INT
#undef UINT
#undef FLOAT
};

/* ---- the consing table ---- */

static uint64_t type_hash(const TlTypeData *t)
{
	const uint64_t parts[] = {t->kind, t->dtype, t->is_const, t->space, map_key(t->elem), t->rank};
	uint64_t h = str_hash(parts, sizeof parts);
	return t->rank ? h ^ str_hash(t->shape, t->rank * sizeof *t->shape) * 3 : h;
}

static bool type_equal(const TlTypeData *a, const TlTypeData *b)
{
	return a->kind == b->kind && a->dtype == b->dtype && a->is_const == b->is_const &&
	       a->space == b->space && a->elem == b->elem && a->rank == b->rank &&
	       (!a->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

static void table_grow(Arena *arena, IrCons *table)
{
	IrCons old = *table;
	table->cap = old.cap ? old.cap * 2 : 64;
	table->slots = ARENA_ARRAY(arena, const void *, table->cap);
	table->hashes = ARENA_ARRAY(arena, uint64_t, table->cap);
	for (uint32_t i = 0; i < old.cap; i++) {
		if (!old.slots[i])
			continue;
		uint32_t at = (uint32_t)old.hashes[i] & (table->cap - 1);
		while (table->slots[at])
			at = (at + 1) & (table->cap - 1);
		table->slots[at] = old.slots[i];
		table->hashes[at] = old.hashes[i];
	}
}

/* Of a descriptor's integers. */
static IrSign sign_of(TlType elem)
{
	return elem->kind != TL_SCALAR || tl_is_float(elem) ? SIGN_NONE
	       : tl_is_signed(elem)			    ? SIGN_SIGNED
							    : SIGN_UNSIGNED;
}

static IrType ir_type_of(FrontLower *low, const TlTypeData *t)
{
	switch (t->kind) {
	case TL_SCALAR:
		return ir_scalar(low->cx, tl_dtypes[t->dtype].ir);
	case TL_PTR:
		return ir_ptr(low->cx, t->elem->ir, t->space);
	case TL_BLOCK:
	{
		int64_t shape[IR_MAX_RANK];
		for (uint32_t i = 0; i < t->rank; i++)
			shape[i] = tl_padded_size(t->shape[i]);
		return ir_tensor(low->cx, t->elem->ir, shape, t->rank, NULL);
	}
	case TL_DESC:
		return ir_tensordesc_signed(low->cx, t->elem->ir, sign_of(t->elem->elem));
	case TL_VOID:
		break;
	}
	return low->cx->none;
}

static TlType intern_type(FrontLower *low, const TlTypeData *key)
{
	IrCons *table = &low->tl_types;
	if (table->len * 2 >= table->cap)
		table_grow(low->arena, table);
	uint64_t hash = type_hash(key);
	uint32_t at = (uint32_t)hash & (table->cap - 1);
	while (table->slots[at]) {
		if (table->hashes[at] == hash && type_equal(table->slots[at], key))
			return table->slots[at];
		at = (at + 1) & (table->cap - 1);
	}
	TlTypeData *t = arena_copy(low->arena, key, sizeof *key);
	if (t->rank)
		t->shape = arena_copy(low->arena, key->shape, t->rank * sizeof *t->shape);
	t->ir = ir_type_of(low, t);
	table->slots[at] = t;
	table->hashes[at] = hash;
	table->len++;
	return t;
}

TlType tl_scalar(FrontLower *low, TlDtype dtype)
{
	CONTRACT(dtype < DT__COUNT);
	return intern_type(low, &(TlTypeData){.kind = TL_SCALAR, .dtype = dtype});
}

TlType tl_ptr(FrontLower *low, TlType elem, bool is_const, uint32_t space)
{
	CONTRACT(elem->kind != TL_VOID);
	return intern_type(low,
			   &(TlTypeData){.kind = TL_PTR, .elem = elem, .is_const = is_const, .space = space});
}

TlType tl_block(FrontLower *low, TlType elem, const int64_t *shape, uint32_t rank)
{
	if (rank == 0)
		return elem;
	ASSERT(rank <= IR_MAX_RANK && elem->kind != TL_BLOCK);
	int64_t copy[IR_MAX_RANK];
	memcpy(copy, shape, rank * sizeof *copy);
	return intern_type(low, &(TlTypeData){.kind = TL_BLOCK, .elem = elem, .rank = rank, .shape = copy});
}

TlType tl_desc(FrontLower *low, TlType block, bool is_const)
{
	CONTRACT(block->kind == TL_BLOCK);
	return intern_type(low, &(TlTypeData){.kind = TL_DESC, .elem = block, .is_const = is_const});
}

TlType tl_void(FrontLower *low)
{
	return intern_type(low, &(TlTypeData){.kind = TL_VOID});
}

TlType tl_elem(TlType t)
{
	return t->kind == TL_BLOCK ? t->elem : t;
}

TlType tl_with_elem(FrontLower *low, TlType like, TlType elem)
{
	CONTRACT(elem->kind != TL_BLOCK);
	return like->kind == TL_BLOCK ? tl_block(low, elem, like->shape, like->rank) : elem;
}

TlType tl_int(FrontLower *low, unsigned bits, bool is_signed)
{
	switch (bits) {
	case 1:
		return tl_scalar(low, DT_INT1);
	case 8:
		return tl_scalar(low, is_signed ? DT_INT8 : DT_UINT8);
	case 16:
		return tl_scalar(low, is_signed ? DT_INT16 : DT_UINT16);
	case 32:
		return tl_scalar(low, is_signed ? DT_INT32 : DT_UINT32);
	case 64:
		return tl_scalar(low, is_signed ? DT_INT64 : DT_UINT64);
	}
	BUG("no integer type of %u bits", bits);
}

int64_t tl_numel(TlType t)
{
	int64_t n = 1;
	for (uint32_t i = 0; t->kind == TL_BLOCK && i < t->rank; i++)
		n *= t->shape[i];
	return n;
}

/* ---- names ---- */

static const char *dtype_text(TlDtype dtype)
{
	const TlDtypeInfo *info = &tl_dtypes[dtype];
	return info->cls == DTC_FLOAT ? info->short_name : info->name;
}

static void type_text(Text *out, TlType t)
{
	switch (t->kind) {
	case TL_SCALAR:
		text_str(out, dtype_text(t->dtype));
		break;
	case TL_PTR:
		text_str(out, t->is_const ? "const_pointer<" : "pointer<");
		type_text(out, t->elem);
		text_char(out, '>');
		break;
	case TL_BLOCK:
		text_str(out, "<[");
		for (uint32_t i = 0; i < t->rank; i++)
			text_printf(out, "%s'%lld'", i ? ", " : "", (long long)t->shape[i]);
		text_str(out, "], ");
		type_text(out, t->elem);
		text_char(out, '>');
		break;
	case TL_DESC:
		text_str(out, t->is_const ? "const_tensor_descriptor<" : "tensor_descriptor<");
		type_text(out, t->elem);
		text_char(out, '>');
		break;
	case TL_VOID:
		text_str(out, "void");
		break;
	}
}

const char *tl_type_text(FrontLower *low, TlType t)
{
	Text out;
	text_init(&out, low->arena);
	type_text(&out, t);
	return out.data;
}

const char *tl_shape_text(FrontLower *low, const int64_t *shape, uint32_t rank)
{
	Text out;
	text_init(&out, low->arena);
	text_char(&out, '[');
	for (uint32_t i = 0; i < rank; i++)
		text_printf(&out, "%s%lld", i ? ", " : "", (long long)shape[i]);
	text_char(&out, ']');
	return out.data;
}

static void describe(FrontLower *low, Text *out, TlType t)
{
	if (t->kind == TL_BLOCK) {
		describe(low, out, t->elem);
		text_str(out, tl_shape_text(low, t->shape, t->rank));
	} else if (t->kind == TL_PTR || t->kind == TL_DESC) {
		text_str(out, t->is_const ? "const_" : "");
		text_str(out, t->kind == TL_DESC ? "tensor_descriptor<" : "pointer<");
		describe(low, out, t->elem);
		text_char(out, '>');
	} else {
		type_text(out, t);
	}
}

const char *tl_describe(FrontLower *low, TlType t)
{
	Text out;
	text_init(&out, low->arena);
	describe(low, &out, t);
	return out.data;
}

const char *sem_describe(FrontLower *low, const Val *v)
{
	return v->kind == VAL_TENSOR ? tl_describe(low, v->tensor.type) : val_describe(low, v);
}

static bool scalar_by_name(FrontLower *low, Str name, TlType *out)
{
	static const struct {
		const char *name;
		TlDtype dtype;
	} aliases[] = {{"u1", DT_INT1}, {"B", DT_INT1}, {"fp8e4", DT_FP8E4NV}, {"float8_e5m2", DT_FP8E5},
		{"float8_e4m3fn", DT_FP8E4NV}};
	for (int i = 0; i < DT__COUNT; i++) {
		if (str_is(name, tl_dtypes[i].name) || str_is(name, tl_dtypes[i].short_name)) {
			*out = tl_scalar(low, (TlDtype)i);
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		if (str_is(name, aliases[i].name)) {
			*out = tl_scalar(low, aliases[i].dtype);
			return true;
		}
	}
	if (str_is(name, "void")) {
		*out = tl_void(low);
		return true;
	}
	return false;
}

static Str str_trim(Str s)
{
	while (s.len && s.ptr[0] == ' ')
		s.ptr++, s.len--;
	while (s.len && s.ptr[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* "fp16[64, 64]" inside "tensordesc<...>"; what follows a
 * second comma-separated part (a layout) is left alone. */
static bool desc_by_name(FrontLower *low, Str body, TlType *out)
{
	const char *open = memchr(body.ptr, '[', body.len);
	const char *close = open ? memchr(open, ']', body.len - (size_t)(open - body.ptr)) : NULL;
	TlType elem;
	if (!close || !tl_type_by_name(low, str_trim((Str){body.ptr, (size_t)(open - body.ptr)}), &elem) ||
	    elem->kind != TL_SCALAR)
		return false;
	int64_t shape[IR_MAX_RANK];
	uint32_t rank = 0;
	for (const char *at = open + 1; at < close; at++) {
		char *end;
		long long n = strtoll(at, &end, 10);
		if (end == at || end > close || rank == 5 || n <= 0 || n > SEM_MAX_NUMEL)
			return false;
		shape[rank++] = n;
		while (*end == ' ')
			end++;
		if (*end != ',' && end != close)
			return false;
		at = end;
	}
	if (!rank)
		return false;
	*out = tl_desc(low, tl_block(low, elem, shape, rank), false);
	return true;
}

bool tl_type_by_name(FrontLower *low, Str name, TlType *out)
{
	static const char desc[] = "tensordesc<";
	name = str_trim(name);
	if (name.len && name.ptr[0] == '*') {
		bool is_const = name.len > 1 && name.ptr[1] == 'k';
		size_t skip = is_const ? 2 : 1;
		TlType elem;
		if (!tl_type_by_name(low, (Str){name.ptr + skip, name.len - skip}, &elem) ||
		    elem->kind == TL_VOID)
			return false;
		*out = tl_ptr(low, elem, is_const, 1);
		return true;
	}
	if (name.len > sizeof desc && memcmp(name.ptr, desc, sizeof desc - 1) == 0 &&
	    name.ptr[name.len - 1] == '>')
		return desc_by_name(low, (Str){name.ptr + sizeof desc - 1, name.len - sizeof desc}, out);
	return scalar_by_name(low, name, out);
}
