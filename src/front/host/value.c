/* Making values, and asking what they are. */
#include "front/core.h"
#include "front/demote.h"
#include "front/host/bigint.h"
#include "front/tile/sem_desc.h"

#include <stdio.h>

/* ---- making ---- */

Val *val_new(FrontLower *low, ValKind kind)
{
	Val *v = ARENA_NEW(low->arena, Val);
	v->kind = kind;
	return v;
}

const Val *val_bool(FrontLower *low, bool b)
{
	return b ? low->true_ : low->false_;
}

const Val *val_int(FrontLower *low, int64_t i)
{
	Val *v = val_new(low, VAL_INT);
	v->i.small = i;
	return v;
}

const Val *val_big(FrontLower *low, const BigInt *big)
{
	int64_t small;
	if (big_as_int(big, &small))
		return val_int(low, small);
	Val *v = val_new(low, VAL_INT);
	v->i.big = big;
	return v;
}

const Val *val_uint(FrontLower *low, uint64_t i)
{
	return val_big(low, big_of_uint(low->arena, i));
}

const Val *val_float(FrontLower *low, double f)
{
	Val *v = val_new(low, VAL_FLOAT);
	v->f = f;
	return v;
}

const Val *val_str(FrontLower *low, Str s)
{
	Val *v = val_new(low, VAL_STR);
	v->s = s;
	return v;
}

static const Val *seq(FrontLower *low, ValKind kind, const Val *const *items, uint32_t len)
{
	Val *v = val_new(low, kind);
	v->seq.items = ARENA_ARRAY(low->arena, const Val *, MAX(len, 1u));
	if (len)
		memcpy(v->seq.items, items, len * sizeof *items);
	v->seq.len = len;
	return v;
}

const Val *val_tuple(FrontLower *low, const Val *const *items, uint32_t len)
{
	return seq(low, VAL_TUPLE, items, len);
}

const Val *val_list(FrontLower *low, const Val *const *items, uint32_t len)
{
	return seq(low, VAL_LIST, items, len);
}

const Val *val_dict(FrontLower *low, const Val *const *keys, const Val *const *values, uint32_t len)
{
	Val *v = val_new(low, VAL_DICT);
	v->dict.keys = ARENA_ARRAY(low->arena, const Val *, MAX(len, 1u));
	v->dict.values = ARENA_ARRAY(low->arena, const Val *, MAX(len, 1u));
	for (uint32_t i = 0; i < len; i++) {
		uint32_t at = 0;
		while (at < v->dict.len && !val_hash_equal(v->dict.keys[at], keys[i]))
			at++;
		v->dict.keys[at] = at < v->dict.len ? v->dict.keys[at] : keys[i];
		v->dict.values[at] = values[i];
		v->dict.len = MAX(v->dict.len, at + 1);
	}
	return v;
}

const Val *val_dict_find(const Val *dict, const Val *key)
{
	CONTRACT(dict->kind == VAL_DICT);
	for (uint32_t i = 0; i < dict->dict.len; i++)
		if (val_hash_equal(dict->dict.keys[i], key))
			return dict->dict.values[i];
	return NULL;
}

const Val *val_dtype(FrontLower *low, TlType type)
{
	Val *v = val_new(low, VAL_DTYPE);
	v->type = type;
	return v;
}

const Val *val_const_type(FrontLower *low, const Val *of)
{
	CONTRACT(of->kind != VAL_TENSOR);
	Val *v = val_new(low, VAL_CONST_TYPE);
	v->typed = val_known_for(of, "the type of a constexpr has its value");
	return v;
}

const Val *val_tensor(FrontLower *low, IrValue *ir, TlType type)
{
	CONTRACT(!ir || ir->type == type->ir);
	Val *v = val_new(low, VAL_TENSOR);
	v->tensor.ir = ir;
	v->tensor.type = type;
	return v;
}

const Val *val_function(FrontLower *low, FrontFunction *f)
{
	Val *v = val_new(low, VAL_FUNCTION);
	v->function = f;
	return v;
}

const Val *val_method(FrontLower *low, const Val *callee, const Val *self)
{
	CONTRACT(callee);
	Val *v = val_new(low, VAL_METHOD);
	v->method.callee = callee;
	v->method.self = self;
	return v;
}

const Val *val_module(FrontLower *low, FrontModule *m)
{
	Val *v = val_new(low, VAL_MODULE);
	v->module.module = m;
	if (m->kind == MODULE_BUILTIN)
		v->module.builtin_path = m->name;
	return v;
}

const Val *val_class(FrontLower *low, FrontClass *c)
{
	Val *v = val_new(low, VAL_CLASS);
	v->klass = c;
	return v;
}

const Val *val_opaque(FrontLower *low, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	Val *v = val_new(low, VAL_OPAQUE);
	v->opaque.why = arena_vprintf(low->arena, format, args);
	va_end(args);
	return v;
}

const Val *val_add_origin(FrontLower *low, const Val *tensor, const Val *origin)
{
	if (tensor->kind != VAL_TENSOR || tensor->origin == origin)
		return tensor;
	Val *v = arena_copy(low->arena, tensor, sizeof *tensor);
	v->origin = origin;
	return v;
}

const Val *val_tuple_like(FrontLower *low, const Val *tuple, const Val ***items)
{
	Val *v = arena_copy(low->arena, tuple, sizeof *tuple);
	*items = v->seq.items = ARENA_ARRAY(low->arena, const Val *, MAX(v->seq.len, 1u));
	return v;
}

const Val *val_of_items(FrontLower *low, const Val *tuple,
			const Val *(*of)(FrontLower *low, const Val *item))
{
	const Val **items = NULL;
	const Val *made = val_tuple_like(low, tuple, &items);
	for (uint32_t i = 0; i < tuple->seq.len; i++)
		items[i] = of(low, tuple->seq.items[i]);
	return made;
}

/* ---- asking ---- */

const Val *val_host(const Val *v)
{
	if (v->kind == VAL_TENSOR)
		return v->origin ? val_known(v->origin) : NULL;
	return v->kind == VAL_POISON || v->kind == VAL_OPAQUE ? NULL : val_known(v);
}

bool val_is_host_number(const Val *v)
{
	return val_is_number(v);
}

bool val_is_constexpr(const Val *v)
{
	if (v->kind == VAL_TENSOR)
		return v->origin != NULL;
	if (v->kind == VAL_POISON || v->kind == VAL_OPAQUE)
		return false;
	if (val_is_seq(v))
		for (uint32_t i = 0; i < v->seq.len; i++)
			if (!val_is_constexpr(v->seq.items[i]))
				return false;
	return true;
}

bool val_has_tensor(const Val *v)
{
	if (v->kind == VAL_TENSOR)
		return true;
	if (val_is_seq(v))
		for (uint32_t i = 0; i < v->seq.len; i++)
			if (val_has_tensor(v->seq.items[i]))
				return true;
	if (v->kind == VAL_OBJECT)
		for (uint32_t i = 0; i < v->object.klass->field_count; i++)
			if (v->object.fields[i] && val_has_tensor(v->object.fields[i]))
				return true;
	if (v->kind == VAL_DICT)
		for (uint32_t i = 0; i < v->dict.len; i++)
			if (val_has_tensor(v->dict.values[i]))
				return true;
	return v->kind == VAL_METHOD && val_has_tensor(v->method.self);
}

bool val_as_int(const Val *v, int64_t *out)
{
	const Val *h = val_host(v);
	if (h && h->kind == VAL_BOOL)
		*out = h->b;
	else if (h && h->kind == VAL_INT && !h->i.big)
		*out = h->i.small;
	else
		return false;
	return true;
}

bool val_as_uint(const Val *v, uint64_t *out)
{
	const Val *h = val_host(v);
	if (h && h->kind == VAL_INT && h->i.big)
		return big_as_uint(h->i.big, out);
	int64_t i;
	if (!val_as_int(v, &i) || i < 0)
		return false;
	*out = (uint64_t)i;
	return true;
}

bool val_as_double(const Val *v, double *out)
{
	const Val *h = val_host(v);
	int64_t i;
	if (h && h->kind == VAL_FLOAT)
		*out = h->f;
	else if (h && h->kind == VAL_INT && h->i.big)
		*out = big_as_double(h->i.big);
	else if (val_as_int(v, &i))
		*out = (double)i;
	else
		return false;
	return true;
}

const BigInt *val_to_big(FrontLower *low, const Val *v)
{
	v = val_known(v);
	if (v->kind == VAL_INT && v->i.big)
		return v->i.big;
	return big_of_int(low->arena, v->kind == VAL_BOOL ? v->b : v->i.small);
}

static int64_t range_part(const Val *v, int64_t otherwise)
{
	int64_t i;
	return v && val_as_int(v, &i) ? i : otherwise;
}

bool val_truth(const Val *v)
{
	if (v->kind == VAL_TENSOR && v->origin)
		v = v->origin;
	v = val_known(v);
	switch (v->kind) {
	case VAL_NONE:
		return false;
	case VAL_BOOL:
		return v->b;
	case VAL_INT:
		return v->i.big || v->i.small != 0;
	case VAL_FLOAT:
		return v->f != 0;
	case VAL_STR:
		return v->s.len != 0;
	case VAL_TUPLE:
	case VAL_LIST:
		return v->seq.len != 0;
	case VAL_DICT:
		return v->dict.len != 0;
	case VAL_RANGE: {
		int64_t start = range_part(v->range.start, 0), stop = range_part(v->range.stop, 0);
		return range_part(v->range.step, 1) < 0 ? start > stop : start < stop;
	}
	default:
		return true;
	}
}

/* ---- IR values inside values ---- */

/* A descriptor is its handle, then its shape and strides, wherever it is handed on. */
static void flatten_extents(FrontLower *low, const Val *v, ValueVec *out)
{
	IrValue *parts[5];
	for (int strides = 0; strides < 2; strides++) {
		sem_desc_parts(v, strides, parts);
		for (uint32_t i = 0; i < v->tensor.type->elem->rank; i++)
			vec_push(low->arena, out, parts[i]);
	}
}

static const Val *rebuild_tensor(FrontLower *low, const Val *like, IrValue *const *handles, uint32_t *cursor)
{
	IrValue *ir = handles[(*cursor)++];
	if (like->tensor.type->kind != TL_DESC)
		return ir == like->tensor.ir ? like : val_tensor(low, ir, like->tensor.type);
	uint32_t count = 2 * like->tensor.type->elem->rank;
	IrValue **extents = ARENA_ARRAY(low->arena, IrValue *, count);
	memcpy(extents, handles + *cursor, count * sizeof *extents);
	*cursor += count;
	Val *v = arena_copy(low->arena, like, sizeof *like);
	v->tensor.ir = ir;
	v->tensor.extents = extents;
	return v;
}

void val_flatten(FrontLower *low, const Val *v, ValueVec *out)
{
	if (v->kind == VAL_TENSOR) {
		vec_push(low->arena, out, v->tensor.ir);
		if (v->tensor.type->kind == TL_DESC)
			flatten_extents(low, v, out);
	} else if (val_is_seq(v))
		for (uint32_t i = 0; i < v->seq.len; i++)
			val_flatten(low, v->seq.items[i], out);
	else if (v->kind == VAL_OBJECT)
		for (uint32_t i = 0; i < v->object.klass->field_count; i++) {
			if (v->object.fields[i])
				val_flatten(low, v->object.fields[i], out);
		}
	else if (v->kind == VAL_DICT)
		for (uint32_t i = 0; i < v->dict.len; i++)
			val_flatten(low, v->dict.values[i], out);
	else if (v->kind == VAL_METHOD)
		val_flatten(low, v->method.self, out);
}

bool val_holds(const Val *whole, const Val *part)
{
	if (whole == part)
		return true;
	const Val *const *inside = val_is_seq(whole) ? whole->seq.items
				   : whole->kind == VAL_OBJECT ? whole->object.fields
				   : whole->kind == VAL_DICT ? whole->dict.values
							     : NULL;
	uint32_t n = val_is_seq(whole)		? whole->seq.len
		     : whole->kind == VAL_OBJECT ? whole->object.klass->field_count
		     : whole->kind == VAL_DICT	 ? whole->dict.len
						 : 0;
	for (uint32_t i = 0; i < n; i++)
		if (inside[i] && val_holds(inside[i], part))
			return true;
	return whole->kind == VAL_METHOD && val_holds(whole->method.self, part);
}

const Val *val_rebuild(FrontLower *low, const Val *like, IrValue *const *handles, uint32_t *cursor)
{
	if (like->kind == VAL_TENSOR)
		return rebuild_tensor(low, like, handles, cursor);
	if (!val_has_tensor(like))
		return like;
	Val *v = arena_copy(low->arena, like, sizeof *like);
	if (val_is_seq(like)) {
		v->seq.items = ARENA_ARRAY(low->arena, const Val *, like->seq.len);
		for (uint32_t i = 0; i < like->seq.len; i++)
			v->seq.items[i] = val_rebuild(low, like->seq.items[i], handles, cursor);
	} else if (like->kind == VAL_OBJECT) {
		uint32_t n = like->object.klass->field_count;
		v->object.fields = ARENA_ARRAY(low->arena, const Val *, n);
		v->object.home = NULL;
		for (uint32_t i = 0; i < n; i++)
			if (like->object.fields[i])
				v->object.fields[i] =
					val_rebuild(low, like->object.fields[i], handles, cursor);
	} else if (like->kind == VAL_DICT) {
		v->dict.values = ARENA_ARRAY(low->arena, const Val *, like->dict.len);
		for (uint32_t i = 0; i < like->dict.len; i++)
			v->dict.values[i] = val_rebuild(low, like->dict.values[i], handles, cursor);
	} else {
		v->method.self = val_rebuild(low, like->method.self, handles, cursor);
	}
	return v;
}

bool val_same_shape(const Val *a, const Val *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == VAL_TENSOR)
		return sem_same_type(a, b);
	if (val_is_seq(a)) {
		if (a->seq.len != b->seq.len || a->seq.klass != b->seq.klass)
			return false;
		for (uint32_t i = 0; i < a->seq.len; i++)
			if (!val_same_shape(a->seq.items[i], b->seq.items[i]))
				return false;
		return true;
	}
	if (a->kind == VAL_OBJECT) {
		if (a->object.klass != b->object.klass)
			return false;
		for (uint32_t i = 0; i < a->object.klass->field_count; i++) {
			const Val *x = a->object.fields[i], *y = b->object.fields[i];
			if ((x == NULL) != (y == NULL) || (x && !val_same_shape(x, y)))
				return false;
		}
		return true;
	}
	if (a->kind == VAL_DICT) {
		if (a->dict.len != b->dict.len)
			return false;
		for (uint32_t i = 0; i < a->dict.len; i++)
			if (!val_equal(a->dict.keys[i], b->dict.keys[i]) ||
			    !val_same_shape(a->dict.values[i], b->dict.values[i]))
				return false;
		return true;
	}
	if (a->kind == VAL_METHOD)
		return val_equal(a->method.callee, b->method.callee) &&
		       val_same_shape(a->method.self, b->method.self);
	return val_equal(a, b);
}
