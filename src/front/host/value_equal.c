/* Equality of values, as Python's == has it on host values. Numbers that run are equal to nothing yet. */
#include "front/core.h"
#include "front/host/bigint.h"
#include "front/demote.h"

#include <math.h>

static bool equal_numbers(const Val *a, const Val *b)
{
	a = val_known(a);
	b = val_known(b);
	if (a->kind == VAL_FLOAT || b->kind == VAL_FLOAT) {
		double x = NAN, y = NAN;
		return val_as_double(a, &x) && val_as_double(b, &y) && x == y;
	}
	const BigInt *x = a->kind == VAL_INT ? a->i.big : NULL, *y = b->kind == VAL_INT ? b->i.big : NULL;
	if (x || y)
		return x && y && big_compare(x, y) == 0;
	int64_t i = 0, j = 1;
	return val_as_int(a, &i) && val_as_int(b, &j) && i == j;
}

static bool equal_items(const Val *a, const Val *b)
{
	if (a->seq.len != b->seq.len)
		return false;
	for (uint32_t i = 0; i < a->seq.len; i++)
		if (!val_equal(a->seq.items[i], b->seq.items[i]))
			return false;
	return true;
}

static bool equal_dicts(const Val *a, const Val *b)
{
	if (a->dict.len != b->dict.len)
		return false;
	for (uint32_t i = 0; i < a->dict.len; i++) {
		const Val *other = val_dict_find(b, a->dict.keys[i]);
		if (!other || !val_equal(a->dict.values[i], other))
			return false;
	}
	return true;
}

static bool equal_modules(const Val *a, const Val *b)
{
	const char *x = a->module.builtin_path, *y = b->module.builtin_path;
	return a->module.module == b->module.module && (x == y || (x && y && strcmp(x, y) == 0));
}

/* Records by their fields; objects of other classes are equal to themselves alone. */
static bool equal_objects(const Val *a, const Val *b)
{
	if (a->object.klass != b->object.klass || a->object.klass->kind == CLASS_PLAIN)
		return false;
	for (uint32_t i = 0; i < a->object.klass->field_count; i++) {
		const Val *x = a->object.fields[i], *y = b->object.fields[i];
		if ((x == NULL) != (y == NULL) || (x && !val_equal(x, y)))
			return false;
	}
	return true;
}

bool val_equal(const Val *a, const Val *b)
{
	if (a->kind == VAL_TENSOR && a->origin)
		a = a->origin;
	if (b->kind == VAL_TENSOR && b->origin)
		b = b->origin;
	if (a == b)
		return !(a->kind == VAL_FLOAT && isnan(a->f));
	if (val_is_number(a) && val_is_number(b))
		return equal_numbers(a, b);
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case VAL_NONE:
	case VAL_ELLIPSIS:
		return true;
	case VAL_STR:
		return str_eq(a->s, b->s);
	case VAL_TUPLE:
	case VAL_LIST:
		return equal_items(a, b);
	case VAL_DICT:
		return equal_dicts(a, b);
	case VAL_DTYPE:
		return a->type == b->type;
	case VAL_CONST_TYPE:
		return val_equal(a->typed, b->typed);
	case VAL_FUNCTION:
		return a->function == b->function;
	case VAL_BUILTIN:
		return a->builtin == b->builtin;
	case VAL_PYTHON:
		return a->python == b->python;
	case VAL_METHOD:
		return val_equal(a->method.callee, b->method.callee) && val_equal(a->method.self, b->method.self);
	case VAL_MODULE:
		return equal_modules(a, b);
	case VAL_CLASS:
		return a->klass == b->klass;
	case VAL_OBJECT:
		return equal_objects(a, b);
	case VAL_TENSOR:
		return a->tensor.ir == b->tensor.ir;
	default:
		return false;
	}
}

bool val_hash_equal(const Val *a, const Val *b)
{
	return val_equal(a, b);
}


/* ---- where what runs is compared ---- */

static bool runs(const Val *v)
{
	return v->kind == VAL_TENSOR && !v->origin;
}

static ValEquality worst(ValEquality a, ValEquality b)
{
	return a == VAL_DIFFERS || b == VAL_DIFFERS ? VAL_DIFFERS : MAX(a, b);
}

static ValEquality of_items(const Val *const *a, const Val *const *b, uint32_t n)
{
	ValEquality e = VAL_SAME;
	for (uint32_t i = 0; i < n && e != VAL_DIFFERS; i++)
		if (a[i] && b[i])
			e = worst(e, val_equality(a[i], b[i]));
	return e;
}

ValEquality val_equality(const Val *a, const Val *b)
{
	if (val_equal(a, b))
		return VAL_SAME;
	if (runs(a) || runs(b)) {
		const Val *other = runs(a) ? b : a;
		return runs(other) || val_is_host_number(other) ? VAL_RUNS : VAL_DIFFERS;
	}
	if (a->kind != b->kind)
		return VAL_DIFFERS;
	if (val_is_seq(a) && a->seq.len == b->seq.len)
		return of_items(a->seq.items, b->seq.items, a->seq.len);
	if (a->kind == VAL_OBJECT && a->object.klass == b->object.klass && a->object.klass->kind != CLASS_PLAIN)
		return of_items(a->object.fields, b->object.fields, a->object.klass->field_count);
	ValEquality e = a->kind == VAL_DICT && a->dict.len == b->dict.len ? VAL_SAME : VAL_DIFFERS;
	for (uint32_t i = 0; e != VAL_DIFFERS && i < a->dict.len; i++) {
		const Val *other = val_dict_find(b, a->dict.keys[i]);
		e = other ? worst(e, val_equality(a->dict.values[i], other)) : VAL_DIFFERS;
	}
	return e;
}

bool val_equal_now(FrontLower *low, const Val *a, const Val *b, const char *what, bool *ok)
{
	ValEquality e = val_equality(a, b);
	*ok = e != VAL_RUNS;
	if (!*ok)
		lower_error(low, DIAG_NOT_CONSTEXPR, what, val_describe(low, val_has_tensor(a) ? a : b));
	return e == VAL_SAME;
}
