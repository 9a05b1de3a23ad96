/* Types and ranges of leaves, memory and elementwise ops: each rule refuses what the tile language leaves undefined (casts out of range, NaN's bits) and what two engines may
 * do in another order with another result (sums of floats that are rounded). */
#include <math.h>
#include <string.h>

#include "check.h"

Range range_either(Range a, Range b)
{
	return (Range){fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.whole && b.whole, a.nan || b.nan};
}

Range range_fitted(Range r, neso_dtype t)
{
	Range all = dtype_range(t);
	if (!is_float(t))
		return isnan(r.lo) || isnan(r.hi) || r.lo < all.lo || r.hi > all.hi
			       ? all
			       : (Range){r.lo, r.hi, true, false};
	static const double largest[] = {[NESO_FP8E5] = 40000, [NESO_FP8E4NV] = 400, [NESO_FP16] = 60000,
					 [NESO_BF16] = 3e38,   [NESO_FP32] = 3e38,   [NESO_FP64] = 1e308};
	if (isnan(r.lo) || isnan(r.hi))
		return all;
	r.whole = r.whole && range_largest(r) <= ldexp(1, dtype_digits(t));
	if (!r.whole) {
		r.lo -= fabs(r.lo) / 4;
		r.hi += fabs(r.hi) / 4;
	}
	r.lo = r.lo < -largest[t] ? -INFINITY : r.lo;
	r.hi = r.hi > largest[t] ? INFINITY : r.hi;
	return r;
}

static bool range_infinite(Range r)
{
	return isinf(r.lo) || isinf(r.hi);
}

Range range_sum(Range a, Range b)
{
	return (Range){a.lo + b.lo, a.hi + b.hi, a.whole && b.whole,
		       a.nan || b.nan || (range_infinite(a) && range_infinite(b))};
}

static Range range_minus(Range a)
{
	return (Range){-a.hi, -a.lo, a.whole, a.nan};
}

static Range range_product(Range a, Range b)
{
	double l = range_largest(a) * range_largest(b);
	bool never_negative = a.lo >= 0 && b.lo >= 0;
	return (Range){never_negative ? 0 : -l, l, a.whole && b.whole,
		       a.nan || b.nan || range_infinite(a) || range_infinite(b)};
}

/* ---- leaves and memory ---- */

/* In one that does not see the kernel's arguments. */
static bool in_function(const Checker *c)
{
	for (int d = 0; d < c->depth; d++)
		if (stmt(c, c->open[d].start)->op == OP_FN && !stmt(c, c->open[d].start)->imm[1])
			return true;
	return false;
}

static bool in_any_function(const Checker *c)
{
	bool found = false;
	for (int d = 0; d < c->depth; d++)
		found = found || stmt(c, c->open[d].start)->op == OP_FN;
	return found;
}

/* imm[0]: how it lies; imm[1]: the mask, whose tile is args[mask]. */
static bool placed(const Checker *c, int i, const Type *t, int mask)
{
	const Stmt *s = stmt(c, i);
	if (in_function(c) || (s->imm[1] == MASK_VALUE) != (s->arg_count == mask + 1))
		return false;
	if (s->sub && enclosing(c, OP_FOR) < 0)
		return false;
	if (s->sub == BY_POINTER && (s->op != OP_LOAD || s->imm[0] == AT_DESCRIPTOR))
		return false;
	if (s->imm[1] == MASK_VALUE) {
		const Type *m = &arg(c, i, mask)->type;
		if (m->dtype != NESO_INT1 || !same_shape(m, t) || t->rank == 0)
			return false;
	}
	if (t->rank == 0)
		return s->imm[0] == AT_ROWS && (s->imm[1] == MASK_NONE || s->imm[1] == MASK_LAST);
	if (s->imm[1] == MASK_BOTH && t->rank < 2)
		return false;
	if (s->imm[0] == AT_BLOCK || s->imm[0] == AT_DESCRIPTOR) {
		if (s->imm[1] != MASK_NONE || t->dtype == NESO_INT1 || !is_unpadded(t))
			return false;
		if (s->imm[0] == AT_DESCRIPTOR)
			return t->rank == 2 && t->dim[1] * (int)neso_dtype_size(t->dtype) >= 16 && !is_fp8(t->dtype);
	}
	return true;
}

bool check_load(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	if (!placed(c, i, &s->type, 0) || (is_fp8(s->type.dtype) && s->imm[1] != MASK_NONE))
		return false;
	s->range = dtype_range(s->type.dtype);
	/* What a mask leaves out is 1, out of a block's bounds 0. */
	if (s->imm[2] > 0)
		s->range = range_fitted(
			(Range){is_unsigned(s->type.dtype) || s->type.dtype == NESO_INT1 ? 0 : -s->imm[2], s->imm[2],
				true, false},
			s->type.dtype);
	return true;
}

bool check_store(Checker *c, int i)
{
	const Type t = *arg_type(c, i, 0);
	Stmt *s = stmt(c, i);
	s->type = (Type){.dtype = NESO_DTYPE_NONE};
	return placed(c, i, &t, 1) && s->imm[0] != AT_STRIDED && s->imm[0] != AT_ODD;
}

bool check_full(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	Range all = dtype_range(s->type.dtype);
	(void)c;
	s->range = (Range){s->imm[0], s->imm[0], true, false};
	return !is_fp8(s->type.dtype) && s->imm[0] >= all.lo && s->imm[0] <= all.hi && s->imm[0] < 128;
}

bool check_arange(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	s->range = (Range){s->imm[0], s->imm[0] + s->type.dim[0] - 1, true, false};
	s->type.dtype = NESO_INT32;
	return s->type.rank == 1;
}

bool check_pid(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	s->type = (Type){.dtype = NESO_INT32};
	s->range = (Range){0, c->p->grid - 1, true, false};
	return !in_function(c);
}

bool check_number(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	s->type = (Type){.dtype = s->type.dtype};
	s->range = (Range){s->imm[0], s->imm[0], true, false};
	return !in_function(c) &&
	       (s->type.dtype == NESO_INT32 || s->type.dtype == NESO_FP32 || s->type.dtype == NESO_INT64);
}

bool check_lookup(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Type *at = arg_type(c, i, 0);
	neso_dtype dtype = s->type.dtype;
	if (in_function(c) || (at->dtype != NESO_INT32 && at->dtype != NESO_INT64) || s->imm[0] < 0 || s->imm[0] > 10)
		return false;
	s->type = *at;
	s->type.dtype = dtype;
	s->range = dtype_range(dtype);
	if (s->imm[1] > 0)
		s->range = range_fitted((Range){dtype_range(dtype).lo >= 0 ? 0 : -s->imm[1], s->imm[1], true, false},
					dtype);
	return true;
}

bool check_exchange(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	s->type = *arg_type(c, i, 0);
	s->range = arg(c, i, 0)->range;
	return !in_function(c) && s->type.rank > 0 && s->imm[0] <= AT_PERMUTED && s->imm[1] <= AT_PERMUTED;
}

static bool atomic_type(neso_dtype t)
{
	return is_int(t) && neso_dtype_size(t) > 1;
}

bool check_old(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	s->type = *arg_type(c, i, 0);
	s->range = dtype_range(s->type.dtype);
	if (is_float(s->type.dtype) && !is_fp8(s->type.dtype) && s->sub == ATOMIC_ADD)
		return !in_function(c);
	if (s->sub == ATOMIC_CAS && !is_unpadded(&s->type))
		return false;
	if (is_float(s->type.dtype) && !is_fp8(s->type.dtype) && s->type.dtype != NESO_FP64 &&
	    (s->sub == ATOMIC_MAX || s->sub == ATOMIC_MIN))
		return !in_function(c) && !arg(c, i, 0)->range.nan;
	return !in_function(c) && atomic_type(s->type.dtype);
}

bool check_return(Checker *c, int i)
{
	const Type *t = arg_type(c, i, 0);
	bool placed = c->depth == 0 || (enclosing(c, OP_FOR) >= 0 && !in_any_function(c));
	return placed && t->dtype == NESO_INT1 && t->rank == 0;
}

bool check_leave(Checker *c, int i)
{
	const Type *t = arg_type(c, i, 0);
	int loop = enclosing(c, OP_FOR);
	/* The last statement of a `while` counts its turns. */
	bool goes_on = loop >= 0 && (!stmt(c, i)->sub || stmt(c, loop)->sub != LOOP_WHILE);
	return goes_on && t->dtype == NESO_INT1 && t->rank == 0;
}

bool check_atomic(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *v = arg(c, i, 0);
	s->type = (Type){.dtype = NESO_DTYPE_NONE};
	if (in_function(c) || s->imm[0] < 0 || s->imm[0] > 8 || s->sub >= ATOMIC_XCHG)
		return false;
	if (is_float(v->type.dtype)) {
		double most = range_largest(v->range) * type_elements(&v->type) * iterations(c) * c->p->grid;
		return s->sub == ATOMIC_ADD && v->range.whole && !v->range.nan &&
		       !is_fp8(v->type.dtype) && most < ldexp(1, dtype_digits(v->type.dtype) - 1);
	}
	return atomic_type(v->type.dtype);
}

/* ---- elementwise ---- */

/* The type of two operands of one dtype, one repeated along the dims in which it has 1, or a scalar. */
static bool broadcast_types(const Type *a, const Type *b, Type *out)
{
	if (a->rank && b->rank && a->rank != b->rank)
		return false;
	*out = a->rank >= b->rank ? *a : *b;
	for (int d = 0; a->rank && b->rank && d < out->rank; d++) {
		if (a->dim[d] != b->dim[d] && a->dim[d] != 1 && b->dim[d] != 1)
			return false;
		out->dim[d] = a->dim[d] > b->dim[d] ? a->dim[d] : b->dim[d];
	}
	return true;
}

static bool binary_range(int sub, neso_dtype t, Range a, Range b, Range *out)
{
	Range all = dtype_range(t);
	if (is_fp8(t) || (t == NESO_INT1 && sub != BIN_AND && sub != BIN_OR && sub != BIN_XOR))
		return false;
	if (sub >= BIN_AND && is_float(t))
		return false;
	switch (sub) {
	case BIN_ADD: *out = range_fitted(range_sum(a, b), t); return true;
	case BIN_SUB: *out = range_fitted(range_sum(a, range_minus(b)), t); return true;
	case BIN_MUL: *out = range_fitted(range_product(a, b), t); return true;
	case BIN_MIN_NAN:
	case BIN_MAX_NAN: *out = range_either(a, b); return is_float(t);
	case BIN_MIN:
	case BIN_MAX: *out = range_either(a, b); return true;
	case BIN_DIV: *out = all; return !is_float(t) || t == NESO_FP32 || t == NESO_FP64;
	case BIN_MOD: *out = all; return !is_float(t) || t == NESO_FP32 || t == NESO_FP64;
	case BIN_HI: *out = all; return t == NESO_UINT32 || t == NESO_UINT64 || t == NESO_INT32 || t == NESO_INT64;
	case BIN_AND:
		*out = a.lo >= 0 && b.lo >= 0 ? (Range){0, fmin(a.hi, b.hi), true, false}
		       : b.lo >= 0            ? (Range){0, b.hi, true, false}
					      : all;
		return true;
	default: *out = all; return true;
	}
}

/* What is added to a product may become what the product is added to: a sum in another order, which only whole numbers stand. */
static bool may_be_product(const Checker *c, const Stmt *s)
{
	/* Moves of everything to where it is go away. */
	while (s->op == OP_BROADCAST || s->op == OP_RESHAPE || s->op == OP_PERMUTE || s->op == OP_CAST)
		s = stmt(c, s->args[0]);
	return is_float(s->type.dtype) && s->type.rank > 1 &&
	       (s->op == OP_DOT || s->op == OP_PHI || s->op == OP_RESULT || s->op == OP_PARAM);
}

static bool adds_to_product(const Checker *c, int i)
{
	const Stmt *s = stmt(c, i);
	return s->sub <= BIN_SUB && is_float(s->type.dtype) && !s->range.whole &&
	       (may_be_product(c, arg(c, i, 0)) || may_be_product(c, arg(c, i, 1)));
}

bool check_binary(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 1);
	return a->type.dtype == b->type.dtype && broadcast_types(&a->type, &b->type, &s->type) &&
	       binary_range(s->sub, a->type.dtype, a->range, b->range, &s->range) && !adds_to_product(c, i);
}

bool check_binary_imm(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	neso_dtype t = a->type.dtype;
	Range all = dtype_range(t), b = {s->imm[0], s->imm[0], true, false};
	s->type = a->type;
	if (t == NESO_INT1 || s->imm[0] < all.lo || s->imm[0] > fmin(all.hi, 127))
		return false;
	if ((s->sub == BIN_SHL || s->sub == BIN_SHR) &&
	    (s->imm[1] || s->imm[0] < 0 || s->imm[0] >= 8 * (int)neso_dtype_size(t)))
		return false;
	if ((s->sub == BIN_DIV || s->sub == BIN_MOD) && (s->imm[1] || s->imm[0] <= 0 || is_float(t)))
		return false;
	if (s->sub == BIN_HI || s->sub == BIN_MIN_NAN || s->sub == BIN_MAX_NAN)
		return false;
	/* Functions take a number as a 32-bit one, operators as one of the tile's type. */
	if ((s->sub == BIN_MIN || s->sub == BIN_MAX) && t != NESO_INT32 && t != NESO_INT64 && t != NESO_FP32 &&
	    t != NESO_FP64)
		return false;
	if (!binary_range(s->sub, t, s->imm[1] ? b : a->range, s->imm[1] ? a->range : b, &s->range))
		return false;
	if (s->sub == BIN_MOD)
		s->range = (Range){a->range.lo >= 0 ? 0 : 1 - s->imm[0], s->imm[0] - 1, true, false};
	return true;
}

bool check_mixed(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Type *a = arg_type(c, i, 0), *b = arg_type(c, i, 1);
	neso_dtype to = s->type.dtype;
	bool floats = is_float(a->dtype) || is_float(b->dtype);
	if (!broadcast_types(a, b, &s->type))
		return false;
	s->type.dtype = to;
	s->range = dtype_range(to);
	if (adds_to_product(c, i))
		return false;
	return a->dtype != NESO_INT1 && b->dtype != NESO_INT1 && !is_fp8(a->dtype) && !is_fp8(b->dtype) &&
	       s->sub <= BIN_MUL && (floats ? to == NESO_FP32 || to == NESO_FP64 : is_int(to));
}

bool check_compare(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 1);
	if (a->type.dtype != b->type.dtype || a->type.dtype == NESO_INT1 || is_fp8(a->type.dtype) ||
	    !broadcast_types(&a->type, &b->type, &s->type))
		return false;
	s->type.dtype = NESO_INT1;
	s->range = dtype_range(NESO_INT1);
	return true;
}

bool check_unary(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	neso_dtype t = a->type.dtype;
	Range r = a->range;
	double l = range_largest(r);
	s->type = a->type;
	if (is_fp8(t) || (t == NESO_INT1 && s->sub != UN_NOT))
		return false;
	switch (s->sub) {
	case UN_NEG: s->range = range_fitted(range_minus(r), t); return !is_unsigned(t);
	case UN_ABS: s->range = range_fitted((Range){0, l, r.whole, r.nan}, t); return true;
	case UN_NOT: s->range = dtype_range(t); return !is_float(t);
	case UN_FLOOR:
	case UN_CEIL:
		s->range = range_fitted((Range){r.lo - 1, r.hi + 1, !range_infinite(r), r.nan}, t);
		return t == NESO_FP32 || t == NESO_FP64;
	case UN_SQRT: s->range = range_fitted((Range){0, l + 1, false, r.nan}, t); return t == NESO_FP32;
	case UN_CLEAN:
		s->range = r;
		s->range.nan = false;
		return is_float(t);
	case UN_LOW: s->range = (Range){0, 7, true, false}; return !is_float(t);
	default: return false;
	}
}

bool check_where(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *m = arg(c, i, 0), *a = arg(c, i, 1), *b = arg(c, i, 2);
	s->type = a->type;
	s->range = range_either(a->range, b->range);
	Type whole;
	return m->type.dtype == NESO_INT1 && same_type(&a->type, &b->type) &&
	       broadcast_types(&m->type, &a->type, &whole) && same_shape(&whole, &a->type) && !is_fp8(a->type.dtype);
}

bool check_fma(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *x = arg(c, i, 0), *y = arg(c, i, 1), *z = arg(c, i, 2);
	s->type = x->type;
	s->range = range_fitted(range_sum(range_product(x->range, y->range), z->range), x->type.dtype);
	return same_type(&x->type, &y->type) && same_type(&x->type, &z->type) && is_float(x->type.dtype) &&
	       !is_fp8(x->type.dtype);
}

bool check_clamp(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *x = arg(c, i, 0);
	s->type = x->type;
	s->range = (Range){s->imm[0], s->imm[1], x->range.whole, x->range.nan};
	return is_float(s->type.dtype) && !is_fp8(s->type.dtype) && s->imm[0] < s->imm[1];
}

bool check_cast(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	neso_dtype from = a->type.dtype, to = s->type.dtype;
	s->type = a->type;
	s->type.dtype = to;
	if (from == to || (is_fp8(from) && (!is_float(to) || is_fp8(to) || to == NESO_FP64)) ||
	    (is_fp8(to) && (!is_float(from) || is_fp8(from) || from == NESO_FP64)))
		return false;
	Range all = dtype_range(to);
	if (is_float(from) && !is_float(to) &&
	    (to == NESO_INT1 || a->range.nan || a->range.lo < all.lo || a->range.hi > all.hi ||
	     range_largest(a->range) > ldexp(1, 52)))
		return false;
	s->range = to == NESO_INT1 ? all : range_fitted(a->range, to);
	/* Towards zero only where that is asked for: from fp32 to 16 bits. */
	return !s->imm[0] || (from == NESO_FP32 && (to == NESO_FP16 || to == NESO_BF16));
}

bool check_bitcast(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	neso_dtype from = a->type.dtype, to = s->type.dtype;
	s->type = a->type;
	s->type.dtype = to;
	s->range = dtype_range(to);
	return from != to && from != NESO_INT1 && to != NESO_INT1 && neso_dtype_size(from) == neso_dtype_size(to) &&
	       !a->range.nan && !(is_float(from) && is_float(to));
}
