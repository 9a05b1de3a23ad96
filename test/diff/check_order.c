/* Types and ranges of ops that order elements, count or scan them, and of constructs that change
 * nothing. */
#include <math.h>

#include "check.h"

/* Along the last axis, as sort and its like have it. */
static bool orders(Checker *c, const Stmt *a)
{
	const Type *t = &a->type;
	c->work += 2e5;
	return t->rank > 0 && t->rank <= 3 && t->dtype != NESO_INT1 && !is_fp8(t->dtype) &&
	       type_elements(t) <= 512 && t->dim[t->rank - 1] > 1;
}

bool check_sort(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = a->range;
	if (!orders(c, a) || a->range.nan)
		return false;
	int k = s->imm[2], n = a->type.dim[a->type.rank - 1];
	if (k)
		s->type.dim[s->type.rank - 1] = (uint16_t)k;
	return !k || (k > 0 && k < n);
}

bool check_order(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	int last = a->type.rank - 1;
	s->type = a->type;
	s->range = a->range;
	if (!orders(c, a))
		return false;
	if (s->sub == ORDER_ARGSORT || s->sub == ORDER_POSITIONS || s->sub == ORDER_LARGEST_AT) {
		s->type.dtype = NESO_INT32;
		s->range = (Range){0, a->type.dim[last] - 1, true, false};
	}
	if (s->sub == ORDER_MEDIAN)
		s->type.rank--;
	if (s->sub != ORDER_LARGEST && s->sub != ORDER_LARGEST_AT)
		return true;
	s->type.dim[last] = (uint16_t)s->imm[2];
	return s->imm[2] > 0 && s->imm[2] < a->type.dim[last];
}

bool check_search(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 1);
	s->type = b->type;
	s->type.dtype = NESO_INT32;
	s->range = (Range){0, a->type.dim[0], true, false};
	return orders(c, a) && a->type.rank == 1 && a->type.dtype == b->type.dtype && !a->range.nan &&
	       !b->range.nan && b->type.rank > 0 && type_elements(&b->type) <= 1024;
}

bool check_histogram(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	int bins = s->type.dim[0], n = type_elements(&a->type);
	s->type = (Type){.dtype = NESO_INT32, .rank = 1, .dim = {(uint16_t)bins}};
	s->range = (Range){0, n, true, false};
	if (s->arg_count == 2) {
		const Stmt *w = arg(c, i, 1);
		neso_dtype t = w->type.dtype;
		s->type.dtype = t;
		Range sums = {fmin(w->range.lo * n, 0), fmax(w->range.hi * n, 0), w->range.whole, false};
		s->range = range_fitted(sums, t);
		c->work += (double)n * bins;
		if (!same_shape(&w->type, &a->type) || t == NESO_INT1 || is_fp8(t) || w->range.nan ||
		    !sums_exactly(w, n))
			return false;
	}
	bool indices = a->type.dtype == NESO_INT32 || a->type.dtype == NESO_INT64;
	return a->type.rank == 1 && indices && bins >= 2 && bins <= 256;
}

bool check_scan(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	neso_dtype t = a->type.dtype;
	if (is_fp8(t) || t == NESO_INT1 || a->type.rank == 0 || s->imm[0] < 0 || s->imm[0] >= a->type.rank)
		return false;
	double n = a->type.dim[s->imm[0]];
	if (s->imm[2] && s->sub > SCAN_PRODUCT)
		return false;
	s->type = a->type;
	s->range = dtype_range(t);
	switch (s->sub) {
	case SCAN_SUM:
		s->range = range_fitted((Range){fmin(a->range.lo * n, fmin(a->range.lo, 0)),
						fmax(a->range.hi * n, fmax(a->range.hi, 0)), a->range.whole,
						a->range.nan},
					t);
		return sums_exactly(a, n);
	case SCAN_PRODUCT: return is_int(t);
	case SCAN_MAX: s->range = a->range; return t != NESO_BF16; /* maximum gives fp32 then */
	case SCAN_THEN: return is_int(t) && s->arg_count == 2 && same_type(&a->type, arg_type(c, i, 1));
	default: return false;
	}
}


bool check_wrap(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	s->type = arg(c, i, 0)->type;
	s->range = arg(c, i, 0)->range;
	/* An f-string takes no padded tile. */
	return s->sub < WRAP__COUNT && (s->sub != WRAP_SAID || is_unpadded(&s->type));
}
