/* Types and ranges of functions by element, inline assembly, products of small formats, and what
 * descriptors do besides loads and stores of boxes. */
#include <math.h>

#include "check.h"

bool check_map(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = dtype_range(a->type.dtype);
	return is_int(a->type.dtype) && same_type(&a->type, arg_type(c, i, 1)) && is_unpadded(&a->type) &&
	       a->type.rank > 0 && (s->sub == MAP_BRANCH || a->type.dim[a->type.rank - 1] > 1);
}

bool check_asm(Checker *c, int i)
{
	static const unsigned bytes[ASM__COUNT] = {4, 1, 2, 4}, packed[ASM__COUNT] = {1, 4, 2, 1};
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0);
	s->type = a->type;
	s->range = dtype_range(a->type.dtype);
	return s->sub < ASM__COUNT && is_int(a->type.dtype) && same_type(&a->type, arg_type(c, i, 1)) &&
	       a->type.rank > 0 && is_unpadded(&a->type) && neso_dtype_size(a->type.dtype) == bytes[s->sub] &&
	       type_elements(&a->type) >= (int)packed[s->sub];
}

/* ---- products of small formats ---- */

enum { SCALED_BLOCK = 32, LARGEST_SCALE = 4, LARGEST_E2M1 = 6 };

static bool has_format(const Stmt *v, int format)
{
	static const neso_dtype types[FORMAT__COUNT] = {NESO_UINT8, NESO_FP8E4NV, NESO_FP8E5, NESO_BF16,
							NESO_FP16};
	bool small = v->range.whole && !v->range.nan && range_largest(v->range) <= 64;
	bool exact = format == FORMAT_E2M1 || small;
	return format >= 0 && format < FORMAT__COUNT && v->type.dtype == types[format] && exact;
}

static double largest_of(const Stmt *v, int format)
{
	return LARGEST_SCALE * (format == FORMAT_E2M1 ? LARGEST_E2M1 : range_largest(v->range));
}

static bool is_scale(const Type *t, int rows, int k)
{
	return t->dtype == NESO_UINT8 && t->rank == 2 && t->dim[0] == rows && t->dim[1] == k / SCALED_BLOCK;
}

bool check_scaled(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *a = arg(c, i, 0), *b = arg(c, i, 2);
	int fa = s->imm[0], fb = s->imm[1];
	if (!has_format(a, fa) || !has_format(b, fb) || a->type.rank != 2 || b->type.rank != 2)
		return false;
	int m = a->type.dim[0], n = b->type.dim[1], k = a->type.dim[1] * (fa == FORMAT_E2M1 ? 2 : 1);
	if (k != b->type.dim[0] * (fb == FORMAT_E2M1 ? 2 : 1) || m < 16 || n < 16 || k < 64)
		return false;
	if (!is_unpadded(&a->type) || !is_unpadded(&b->type) || !is_scale(arg_type(c, i, 1), m, k) ||
	    !is_scale(arg_type(c, i, 3), n, k))
		return false;
	/* The two of 16 bits do not mix. */
	if ((fa == FORMAT_BF16 && fb == FORMAT_FP16) || (fa == FORMAT_FP16 && fb == FORMAT_BF16))
		return false;
	s->type = (Type){.dtype = NESO_FP32, .rank = 2, .dim = {(uint16_t)m, (uint16_t)n}};
	double most = largest_of(a, fa) * largest_of(b, fb) * k;
	s->range = (Range){-most, most, true, false};
	if (s->arg_count == 5) {
		const Stmt *acc = arg(c, i, 4);
		if (!same_type(&acc->type, &s->type) || !acc->range.whole || acc->range.nan)
			return false;
		s->range = range_sum(s->range, acc->range);
	}
	c->work += (double)m * n * k / 2 * iterations(c);
	return range_largest(s->range) <= ldexp(1, dtype_digits(NESO_FP32));
}

/* ---- descriptors ---- */

static bool in_function(const Checker *c)
{
	for (int d = 0; d < c->depth; d++)
		if (stmt(c, c->open[d].start)->op == OP_FN && !stmt(c, c->open[d].start)->imm[1])
			return true;
	return false;
}

enum { LEAST_ROWS = 8, LEAST_ROW_BYTES = 32 };

bool check_rows(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Type *a = arg_type(c, i, 0);
	Type t = s->sub ? *a : s->type;
	if (in_function(c) || s->imm[0] < 3 || s->imm[0] > 7 || (s->sub && a->rank != 2))
		return false;
	if (!s->sub) {
		if (a->dtype != NESO_INT32 || a->rank != 1)
			return false;
		t = (Type){.dtype = t.dtype, .rank = 2, .dim = {a->dim[0], t.dim[1]}};
		s->range = dtype_range(t.dtype);
		double most = s->imm[1], least = is_unsigned(t.dtype) ? 0 : -most;
		if (most > 0)
			s->range = range_fitted((Range){least, most, true, false}, t.dtype);
	}
	s->type = s->sub ? (Type){.dtype = NESO_DTYPE_NONE} : t;
	if (s->sub && t.dim[0] > 1 << s->imm[0])
		return false;
	return t.dtype != NESO_INT1 && !is_fp8(t.dtype) && t.dim[0] >= LEAST_ROWS && is_unpadded(&t) &&
	       t.dim[1] * (int)neso_dtype_size(t.dtype) >= LEAST_ROW_BYTES;
}

static bool bulk_type(neso_dtype t, int sub)
{
	bool words = t == NESO_INT32 || t == NESO_UINT32;
	switch (sub) {
	case ATOMIC_ADD:
		return words || t == NESO_UINT64 || t == NESO_FP32 || t == NESO_FP16 || t == NESO_BF16;
	case ATOMIC_MIN:
	case ATOMIC_MAX: return words || t == NESO_INT64 || t == NESO_UINT64;
	case ATOMIC_AND:
	case ATOMIC_OR:
	case ATOMIC_XOR: return words || t == NESO_INT64 || t == NESO_UINT64;
	default: return false;
	}
}

bool check_bulk(Checker *c, int i)
{
	Stmt *s = stmt(c, i);
	const Stmt *v = arg(c, i, 0);
	const Type t = v->type;
	s->type = (Type){.dtype = NESO_DTYPE_NONE};
	if (in_function(c) || t.rank != 2 || !is_unpadded(&t) || !bulk_type(t.dtype, s->sub) ||
	    t.dim[1] * (int)neso_dtype_size(t.dtype) < 16)
		return false;
	double most = range_largest(v->range) * iterations(c) * c->p->grid + 10;
	bool exact = v->range.whole && !v->range.nan && most < ldexp(1, dtype_digits(t.dtype));
	return !is_float(t.dtype) || exact;
}
