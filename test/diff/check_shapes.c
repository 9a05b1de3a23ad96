/* Types and ranges of ops that move elements, go along an axis or multiply tiles. */
#include <math.h>

#include "check.h"

/* ---- shapes ---- */

bool check_reshape(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type.dtype = a->type.dtype;
	s->range = a->range;
	return a->type.rank > 0 && s->type.rank > 0 && type_elements(&s->type) == type_elements(&a->type);
}

bool check_permute(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	int seen = 0;
	s->type = a->type;
	s->range = a->range;
	for (int d = 0; d < a->type.rank; d++) {
		if (s->imm[d] < 0 || s->imm[d] >= a->type.rank)
			return false;
		seen |= 1 << s->imm[d];
		s->type.dim[d] = a->type.dim[s->imm[d]];
	}
	return a->type.rank > 1 && seen == (1 << a->type.rank) - 1;
}

bool check_expand(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	int axis = s->imm[0];
	if (a->type.rank == 0 || a->type.rank == MAX_RANK || axis < 0 || axis > a->type.rank)
		return false;
	s->type = a->type;
	s->type.rank++;
	for (int d = s->type.rank - 1; d > axis; d--)
		s->type.dim[d] = a->type.dim[d - 1];
	s->type.dim[axis] = 1;
	s->range = a->range;
	return true;
}

bool check_broadcast(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type.dtype = a->type.dtype;
	s->range = a->range;
	if (s->type.rank == 0 || (a->type.rank && a->type.rank != s->type.rank))
		return false;
	for (int d = 0; d < a->type.rank; d++)
		if (a->type.dim[d] != s->type.dim[d] && a->type.dim[d] != 1)
			return false;
	return !is_fp8(a->type.dtype) || a->type.rank > 0;
}

bool check_join(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 1);
	if (!same_type(&a->type, &b->type) || a->type.rank == 0 || a->type.rank == MAX_RANK)
		return false;
	s->type = a->type;
	s->type.dim[s->type.rank++] = 2;
	s->range = range_either(a->range, b->range);
	return true;
}

bool check_split(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = a->range;
	return a->type.rank > 1 && a->type.dim[--s->type.rank] == 2;
}

bool check_interleave(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 1);
	s->type = a->type;
	s->range = range_either(a->range, b->range);
	if (!same_type(&a->type, &b->type) || a->type.rank == 0 || a->type.rank == MAX_RANK)
		return false;
	s->type.dim[s->type.rank - 1] *= 2;
	return true;
}

/* Are the elements that a slice takes there? */
static bool slice_fits(const Type *t, const int32_t *imm)
{
	int axis = imm[0], last = imm[1] + (imm[2] - 1) * imm[3];
	return t->rank > 0 && axis >= 0 && axis < t->rank && imm[2] > 0 && imm[3] != 0 && imm[1] >= 0 &&
	       imm[1] < t->dim[axis] && last >= 0 && last < t->dim[axis];
}

static void drop_axis(Type *t, int axis)
{
	t->rank--;
	for (int d = axis; d < t->rank; d++)
		t->dim[d] = t->dim[d + 1];
}

bool check_slice(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = a->range;
	if (!slice_fits(&a->type, s->imm) || is_fp8(a->type.dtype))
		return false;
	if (s->sub)
		drop_axis(&s->type, s->imm[0]);
	else
		s->type.dim[s->imm[0]] = (uint16_t)s->imm[2];
	return true;
}

bool check_part(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = a->range;
	neso_dtype t = a->type.dtype;
	if (!slice_fits(&a->type, s->imm) || is_fp8(t) || t == NESO_INT1 || t == NESO_BF16 || a->range.nan)
		return false;
	drop_axis(&s->type, s->imm[0]);
	return true;
}

bool check_put(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *v = arg(c, i, 1);
	s->type = a->type;
	s->range = range_either(a->range, v->range);
	return slice_fits(&a->type, s->imm) && !is_fp8(a->type.dtype) && v->type.rank == 0 &&
	       v->type.dtype == a->type.dtype;
}

bool check_flip(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = a->range;
	return a->type.rank > 0 && a->type.rank < MAX_RANK && s->imm[0] >= 0 && s->imm[0] < a->type.rank &&
	       a->type.dtype != NESO_INT1 && !is_fp8(a->type.dtype) && a->type.dim[s->imm[0]] > 1;
}

bool check_gather(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *at = arg(c, i, 1);
	int axis = s->imm[0];
	if (a->type.rank == 0 || at->type.rank != a->type.rank || axis < 0 || axis >= a->type.rank ||
	    at->type.dtype != NESO_INT32)
		return false;
	for (int d = 0; d < a->type.rank; d++)
		if (d != axis && a->type.dim[d] != at->type.dim[d])
			return false;
	s->type = at->type;
	s->type.dtype = a->type.dtype;
	s->range = a->range;
	return !is_fp8(a->type.dtype);
}

/* ---- along an axis ---- */

bool sums_exactly(const Stmt *a, double n)
{
	return !is_float(a->type.dtype) || (a->range.whole && !a->range.nan &&
					    range_largest(a->range) * n <= ldexp(1, dtype_digits(a->type.dtype)));
}

static bool reduced_value(Checker *c, int i, double n)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	neso_dtype t = a->type.dtype;
	s->range = dtype_range(t);
	switch (s->sub) {
	case RED_SUM:
		s->range = range_fitted((Range){a->range.lo * n, a->range.hi * n, a->range.whole, a->range.nan}, t);
		return t != NESO_INT1 && sums_exactly(a, n);
	case RED_MAX:
	case RED_MIN: s->range = a->range; return t != NESO_INT1;
	case RED_XOR:
	case RED_OR:
	case RED_AND: return !is_float(t);
	case RED_PRODUCT: return is_int(t);
	case RED_BEST:
		s->range = a->range;
		return s->arg_count == 2 && is_int(t) && same_type(&a->type, arg_type(c, i, 1));
	case RED_ARGMAX:
	case RED_ARGMIN:
		s->type.dtype = NESO_INT32;
		s->range = (Range){0, n - 1, true, false};
		return t != NESO_INT1 && !a->range.nan && s->imm[0] >= 0;
	default: return false;
	}
}

bool check_reduce(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	int axis = s->imm[0];
	if (is_fp8(a->type.dtype) || a->type.rank == 0 || axis >= a->type.rank || (axis < 0 && s->sub == RED_BEST))
		return false;
	s->type = a->type;
	if (axis < 0) {
		s->type.rank = 0;
	} else if (s->imm[1]) {
		s->type.dim[axis] = 1;
	} else {
		s->type.rank--;
		for (int d = axis; d < s->type.rank; d++)
			s->type.dim[d] = a->type.dim[d + 1];
	}
	c->work += type_elements(&a->type);
	return reduced_value(c, i, (double)type_elements(&a->type) / type_elements(&s->type));
}

double dot_largest(const Stmt *a, const Stmt *b)
{
	return range_largest(a->range) * range_largest(b->range) * a->type.dim[a->type.rank - 1];
}

/* Operand and result types that dot takes, and how large whole numbers it holds exactly on the way. */
static bool dot_types(neso_dtype t, neso_dtype out, int precision, double largest)
{
	if (precision == 1 && t == NESO_FP32 && largest > 1024) /* tf32 */
		return false;
	switch (t) {
	case NESO_INT8: return out == NESO_INT32;
	case NESO_FP16: return out == NESO_FP32 || out == NESO_FP16;
	case NESO_BF16:
	case NESO_FP32:
	case NESO_FP8E5:
	case NESO_FP8E4NV: return out == NESO_FP32;
	case NESO_FP64: return out == NESO_FP64;
	default: return false;
	}
}

bool check_dot(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 1);
	int r = a->type.rank;
	neso_dtype t = a->type.dtype, out = s->type.dtype;
	if ((r != 2 && r != 3) || b->type.rank != r || b->type.dtype != t ||
	    a->type.dim[r - 1] != b->type.dim[r - 2] || (r == 3 && a->type.dim[0] != b->type.dim[0]))
		return false;
	int m = a->type.dim[r - 2], n = b->type.dim[r - 1], k = a->type.dim[r - 1];
	int least = neso_dtype_size(t) == 1 ? 32 : 16;
	if (m < 16 || n < 16 || k < least || a->range.nan || b->range.nan || !a->range.whole || !b->range.whole)
		return false;
	if (!dot_types(t, out, s->sub, fmax(range_largest(a->range), range_largest(b->range))))
		return false;
	s->type = a->type;
	s->type.dtype = out;
	s->type.dim[r - 1] = (uint16_t)n;
	double most = dot_largest(a, b);
	s->range = (Range){-most, most, true, false};
	if (s->arg_count == 3) {
		const Stmt *acc = arg(c, i, 2);
		if (!same_type(&acc->type, &s->type) || (is_float(out) && (!acc->range.whole || acc->range.nan)))
			return false;
		s->range = range_sum(s->range, acc->range);
	}
	if (is_float(out) && range_largest(s->range) > ldexp(1, dtype_digits(out)))
		return false;
	s->range = range_fitted(s->range, out);
	c->work += (double)type_elements(&s->type) * k / 4 * iterations(c);
	return true;
}
