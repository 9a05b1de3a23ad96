/* Operators on values known while compiling, with Python's semantics. */
#include "front/core.h"
#include "front/demote.h"
#include "front/host/bigint.h"

#include <math.h>

static bool is_int(const Val *v)
{
	return v->kind == VAL_INT || v->kind == VAL_BOOL;
}

static const Val *bad_operands(Lower *low, AstBinOp op, const Val *l, const Val *r)
{
	return lower_error(low, DIAG_OPERAND_TYPES, ast_bin_op_text(op), val_describe(low, l), val_describe(low, r));
}

/* ---- floats ---- */

static double floor_mod(double a, double b)
{
	double m = fmod(a, b);
	if (m != 0 && (m < 0) != (b < 0))
		m += b;
	else if (m == 0)
		m = copysign(0, b);
	return m;
}

static const Val *float_binary(Lower *low, AstBinOp op, const Val *l, const Val *r)
{
	double a = 0, b = 0;
	val_as_double(l, &a);
	val_as_double(r, &b);
	if (b == 0 && (op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD))
		return lower_error(low, DIAG_DIVISION_BY_ZERO);
	switch (op) {
	case BIN_ADD:
		return val_float(low, a + b);
	case BIN_SUB:
		return val_float(low, a - b);
	case BIN_MUL:
		return val_float(low, a * b);
	case BIN_DIV:
		return val_float(low, a / b);
	case BIN_FLOORDIV:
		return val_float(low, floor((a - floor_mod(a, b)) / b + 0.5));
	case BIN_MOD:
		return val_float(low, floor_mod(a, b));
	case BIN_POW:
		if (a == 0 && b < 0)
			return lower_error(low, DIAG_DIVISION_BY_ZERO);
		if (a < 0 && b != floor(b))
			return lower_error(low, DIAG_UNSUPPORTED, "a complex number");
		return val_float(low, pow(a, b));
	default:
		return bad_operands(low, op, l, r);
	}
}

/* ---- integers ---- */

static const Val *big_result(Lower *low, const BigInt *big)
{
	return big ? val_big(low, big) : lower_error(low, DIAG_INT_SIZE);
}

static const Val *int_shift(Lower *low, AstBinOp op, const Val *l, const Val *r)
{
	int64_t by;
	if (!val_as_int(r, &by))
		return lower_error(low, DIAG_INT_SIZE);
	if (by < 0)
		return lower_error(low, DIAG_SHIFT_COUNT);
	const BigInt *a = val_to_big(low, l);
	return big_result(low, op == BIN_LSHIFT ? big_shl(low->arena, a, (uint64_t)by)
						: big_shr(low->arena, a, (uint64_t)by));
}

static const Val *int_pow(Lower *low, const Val *l, const Val *r)
{
	int64_t by;
	if (!val_as_int(r, &by))
		return lower_error(low, DIAG_INT_SIZE);
	if (by < 0)
		return float_binary(low, BIN_POW, l, r);
	return big_result(low, big_pow(low->arena, val_to_big(low, l), (uint64_t)by));
}

static const Val *big_binary(Lower *low, AstBinOp op, const Val *l, const Val *r)
{
	Arena *arena = low->arena;
	const BigInt *a = val_to_big(low, l), *b = val_to_big(low, r), *q, *rest;
	switch (op) {
	case BIN_ADD:
		return big_result(low, big_add(arena, a, b));
	case BIN_SUB:
		return big_result(low, big_sub(arena, a, b));
	case BIN_MUL:
		return big_result(low, big_mul(arena, a, b));
	case BIN_FLOORDIV:
	case BIN_MOD:
		big_divmod(arena, a, b, &q, &rest);
		return val_big(low, op == BIN_MOD ? rest : q);
	case BIN_AND:
		return val_big(low, big_bitwise(arena, '&', a, b));
	case BIN_OR:
		return val_big(low, big_bitwise(arena, '|', a, b));
	default:
		return val_big(low, big_bitwise(arena, '^', a, b));
	}
}

/* The usual case: both fit 64 bits and so does the result. */
static bool small_binary(AstBinOp op, int64_t a, int64_t b, int64_t *out)
{
	switch (op) {
	case BIN_ADD:
		return !__builtin_add_overflow(a, b, out);
	case BIN_SUB:
		return !__builtin_sub_overflow(a, b, out);
	case BIN_MUL:
		return !__builtin_mul_overflow(a, b, out);
	case BIN_FLOORDIV:
		if (b == -1)
			return !__builtin_sub_overflow(0, a, out);
		*out = a / b - (a % b != 0 && (a < 0) != (b < 0));
		return true;
	case BIN_MOD:
		*out = b == -1 ? 0 : a % b;
		*out += *out && (*out < 0) != (b < 0) ? b : 0;
		return true;
	case BIN_AND:
		*out = a & b;
		return true;
	case BIN_OR:
		*out = a | b;
		return true;
	case BIN_XOR:
		*out = a ^ b;
		return true;
	case BIN_LSHIFT:
		if (b < 0 || b > 62 || a < 0 || a > INT64_MAX >> b)
			return false;
		*out = a << b;
		return true;
	case BIN_RSHIFT:
		if (b < 0)
			return false;
		*out = b > 63 ? (a < 0 ? -1 : 0) : a >> b;
		return true;
	default:
		return false;
	}
}

static const Val *int_binary(Lower *low, AstBinOp op, const Val *l, const Val *r)
{
	if ((op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD) && !val_truth(r))
		return lower_error(low, DIAG_DIVISION_BY_ZERO);
	int64_t a, b, small;
	if (op != BIN_DIV && val_as_int(l, &a) && val_as_int(r, &b) && small_binary(op, a, b, &small)) {
		bool logic = op == BIN_AND || op == BIN_OR || op == BIN_XOR;
		if (logic && l->kind == VAL_BOOL && r->kind == VAL_BOOL)
			return val_bool(low, small != 0);
		return val_int(low, small);
	}
	switch (op) {
	case BIN_DIV:
		return float_binary(low, op, l, r);
	case BIN_POW:
		return int_pow(low, l, r);
	case BIN_LSHIFT:
	case BIN_RSHIFT:
		return int_shift(low, op, l, r);
	case BIN_MATMUL:
		return bad_operands(low, op, l, r);
	default:
		return big_binary(low, op, l, r);
	}
}

/* ---- sequences ---- */

enum { MAX_REPEATED = 1 << 20 };

static const Val *concat(Lower *low, const Val *l, const Val *r)
{
	CONTRACT(l->kind == VAL_TUPLE || l->kind == VAL_LIST);
	CONTRACT(r->kind == VAL_TUPLE || r->kind == VAL_LIST);
	uint32_t n = l->seq.len + r->seq.len;
	const Val **items = ARENA_ARRAY(low->arena, const Val *, MAX(n, 1u));
	memcpy(items, l->seq.items, l->seq.len * sizeof *items);
	memcpy(items + l->seq.len, r->seq.items, r->seq.len * sizeof *items);
	return l->kind == VAL_TUPLE ? val_tuple(low, items, n) : val_list(low, items, n);
}

static const Val *repeat(Lower *low, const Val *v, const Val *times)
{
	int64_t n;
	if (!val_as_int(times, &n))
		return lower_error(low, DIAG_INT_SIZE);
	n = n < 0 ? 0 : n;
	size_t len = v->kind == VAL_STR ? v->s.len : v->seq.len;
	if (len && n > (int64_t)(MAX_REPEATED / len))
		return lower_error(low, DIAG_SEQUENCE_SIZE, MAX_REPEATED);
	if (!len)
		n = 0;
	if (v->kind == VAL_STR) {
		Text t;
		text_init(&t, low->arena);
		for (int64_t i = 0; i < n; i++)
			text_add(&t, v->s.ptr, len);
		return val_str(low, (Str){t.data ? t.data : "", t.len});
	}
	const Val **items = ARENA_ARRAY(low->arena, const Val *, MAX((size_t)n * len, 1u));
	for (size_t i = 0; i < (size_t)n; i++)
		memcpy(items + i * len, v->seq.items, len * sizeof *items);
	uint32_t total = (uint32_t)n * (uint32_t)len;
	return v->kind == VAL_TUPLE ? val_tuple(low, items, total) : val_list(low, items, total);
}

static bool is_repeatable(const Val *v)
{
	return v->kind == VAL_STR || val_is_seq(v);
}

static const Val *merge_dicts(Lower *low, const Val *l, const Val *r)
{
	ValVec keys = {0}, values = {0};
	for (uint32_t i = 0; i < l->dict.len + r->dict.len; i++) {
		const Val *d = i < l->dict.len ? l : r;
		uint32_t k = i < l->dict.len ? i : i - l->dict.len;
		vec_push(low->arena, &keys, d->dict.keys[k]);
		vec_push(low->arena, &values, d->dict.values[k]);
	}
	return val_dict(low, keys.data, values.data, keys.len);
}

const Val *host_binary(Lower *low, AstBinOp op, const Val *l, const Val *r)
{
	if (l->kind == VAL_OPAQUE || r->kind == VAL_OPAQUE) {
		const Val *v = l->kind == VAL_OPAQUE ? l : r;
		return low->frame->host ? v : lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
	}
	if (val_is_number(l) && val_is_number(r))
		return is_int(l) && is_int(r) ? int_binary(low, op, l, r) : float_binary(low, op, l, r);
	if (op == BIN_ADD && l->kind == VAL_STR && r->kind == VAL_STR) {
		Text t;
		text_init(&t, low->arena);
		text_add(&t, l->s.ptr, l->s.len);
		text_add(&t, r->s.ptr, r->s.len);
		return val_str(low, (Str){t.data, t.len});
	}
	if (op == BIN_ADD && val_is_seq(l) && val_is_seq(r) && (l->kind == r->kind || !low->frame->host))
		return concat(low, l, r);
	if (op == BIN_MUL && is_repeatable(l) && is_int(r))
		return repeat(low, l, r);
	if (op == BIN_MUL && is_int(l) && is_repeatable(r))
		return repeat(low, r, l);
	if (op == BIN_MOD && l->kind == VAL_STR)
		return host_percent(low, l->s, r);
	if (op == BIN_OR && l->kind == VAL_DICT && r->kind == VAL_DICT)
		return merge_dicts(low, l, r);
	/* int | None, in annotations. */
	if (op == BIN_OR && low->frame->host)
		return val_opaque(low, "it is a type");
	return bad_operands(low, op, l, r);
}

const Val *host_unary(Lower *low, AstUnOp op, const Val *v)
{
	if (v->kind == VAL_OPAQUE)
		return low->frame->host ? v : lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
	if (op == UN_NOT) {
		bool ok, truth = eval_truth(low, v, &ok);
		return ok ? val_bool(low, !truth) : low->poison;
	}
	if (v->kind == VAL_FLOAT && op != UN_INVERT)
		return val_float(low, op == UN_NEG ? -v->f : v->f);
	if (!is_int(v))
		return lower_error(low, DIAG_OPERAND_TYPE, ast_un_op_text(op), val_describe(low, v));
	if (op == UN_POS)
		return v->kind == VAL_BOOL ? val_int(low, v->b) : v;
	const BigInt *big = big_neg(low->arena, val_to_big(low, v));
	if (op == UN_INVERT)
		big = big_sub(low->arena, big, big_of_int(low->arena, 1));
	return val_big(low, big);
}

/* ---- order ---- */

static int sign(double d)
{
	return d < 0 ? -1 : d > 0;
}

int host_order(const Val *a, const Val *b, bool *ok)
{
	*ok = true;
	if (val_is_number(a) && val_is_number(b)) {
		a = val_known(a);
		b = val_known(b);
		if (a->kind == VAL_FLOAT || b->kind == VAL_FLOAT) {
			double x = 0, y = 0;
			*ok = val_as_double(a, &x) && val_as_double(b, &y) && !isnan(x) && !isnan(y);
			return sign(x < y ? -1 : x > y);
		}
		const BigInt *x = a->kind == VAL_INT ? a->i.big : NULL, *y = b->kind == VAL_INT ? b->i.big : NULL;
		if (x && y)
			return big_compare(x, y);
		if (x || y)
			return x ? (x->negative ? -1 : 1) : y->negative ? 1 : -1;
		int64_t i = 0, j = 0;
		val_as_int(a, &i);
		val_as_int(b, &j);
		return i < j ? -1 : i > j;
	}
	if (a->kind == VAL_STR && b->kind == VAL_STR) {
		int c = memcmp(a->s.ptr, b->s.ptr, MIN(a->s.len, b->s.len));
		return c ? (c < 0 ? -1 : 1) : a->s.len < b->s.len ? -1 : a->s.len > b->s.len;
	}
	if (val_is_seq(a) && a->kind == b->kind) {
		for (uint32_t i = 0; i < a->seq.len && i < b->seq.len; i++)
			if (!val_equal(a->seq.items[i], b->seq.items[i]))
				return host_order(a->seq.items[i], b->seq.items[i], ok);
		return a->seq.len < b->seq.len ? -1 : a->seq.len > b->seq.len;
	}
	*ok = false;
	return 0;
}
