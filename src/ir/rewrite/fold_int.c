/* Integers on constants: two's complement of the type's width, wrapping. */
#include "ir/rewrite/fold.h"

#define SA fold_signed(f->a, f->width)
#define SB fold_signed(f->b, f->width)

/* An op of two operands whose value is always defined. */
#define TOTAL(name, expression)                                    \
	bool fold_##name(const FoldCell *f, uint64_t *out)         \
	{                                                          \
		*out = fold_low((uint64_t)(expression), f->width); \
		return true;                                       \
	}
/* Defined only where the condition holds. */
#define PARTIAL(name, condition, expression)                       \
	bool fold_##name(const FoldCell *f, uint64_t *out)         \
	{                                                          \
		if (!(condition))                                  \
			return false;                              \
		*out = fold_low((uint64_t)(expression), f->width); \
		return true;                                       \
	}

TOTAL(ADDI, f->a + f->b)
TOTAL(SUBI, f->a - f->b)
TOTAL(MULI, f->a * f->b)
TOTAL(ANDI, f->a & f->b)
TOTAL(ORI, f->a | f->b)
TOTAL(XORI, f->a ^ f->b)
TOTAL(MINSI, SA < SB ? f->a : f->b)
TOTAL(MAXSI, SA > SB ? f->a : f->b)
TOTAL(MINUI, f->a < f->b ? f->a : f->b)
TOTAL(MAXUI, f->a > f->b ? f->a : f->b)
TOTAL(ABSI, SA < 0 ? 0 - f->a : f->a)

static bool division_is_defined(const FoldCell *f)
{
	bool least = f->a == UINT64_C(1) << (f->width - 1);
	return f->b != 0 && !(least && SB == -1);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

PARTIAL(DIVSI, division_is_defined(f), SA / SB)
PARTIAL(REMSI, division_is_defined(f), SA % SB)
PARTIAL(FLOORDIVSI, division_is_defined(f), floor_div(SA, SB))
PARTIAL(CEILDIVSI, division_is_defined(f), ceil_div(SA, SB))
PARTIAL(DIVUI, f->b != 0, f->a / f->b)
PARTIAL(REMUI, f->b != 0, f->a % f->b)
PARTIAL(SHLI, f->b < f->width, f->a << f->b)
PARTIAL(SHRUI, f->b < f->width, f->a >> f->b)
PARTIAL(SHRSI, f->b < f->width, SA >> f->b)

bool fold_MULHIUI(const FoldCell *f, uint64_t *out)
{
	if (f->width < 64) {
		/* At most 32 bits each: the product fits. */
		*out = fold_low(f->a * f->b >> f->width, f->width);
		return true;
	}
	uint64_t a0 = f->a & UINT32_MAX, a1 = f->a >> 32, b0 = f->b & UINT32_MAX, b1 = f->b >> 32;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t low_middle = (middle & UINT32_MAX) + a0 * b1;
	*out = a1 * b1 + (middle >> 32) + (low_middle >> 32);
	return true;
}

bool fold_CMPI(const FoldCell *f, uint64_t *out)
{
	switch ((IrCmpI)ir_get_int(f->op, f->cx, ATTR_PREDICATE, -1)) {
	case CMPI_EQ: *out = f->a == f->b; return true;
	case CMPI_NE: *out = f->a != f->b; return true;
	case CMPI_SLT: *out = SA < SB; return true;
	case CMPI_SLE: *out = SA <= SB; return true;
	case CMPI_SGT: *out = SA > SB; return true;
	case CMPI_SGE: *out = SA >= SB; return true;
	case CMPI_ULT: *out = f->a < f->b; return true;
	case CMPI_ULE: *out = f->a <= f->b; return true;
	case CMPI_UGT: *out = f->a > f->b; return true;
	case CMPI_UGE: *out = f->a >= f->b; return true;
	}
	return false;
}

bool fold_SELECT(const FoldCell *f, uint64_t *out)
{
	*out = f->a ? f->b : f->c;
	return true;
}

bool fold_EXTSI(const FoldCell *f, uint64_t *out)
{
	*out = fold_low((uint64_t)SA, f->to->bits);
	return true;
}

bool fold_TRUNCI(const FoldCell *f, uint64_t *out)
{
	*out = fold_low(f->a, f->to->bits);
	return true;
}

bool fold_EXTUI(const FoldCell *f, uint64_t *out) { return fold_TRUNCI(f, out); }

bool fold_BITCAST(const FoldCell *f, uint64_t *out)
{
	*out = f->a;
	return ir_is_scalar(f->from) && ir_is_scalar(f->to) && f->from->bits == f->to->bits;
}

bool fold_ARITH_BITCAST(const FoldCell *f, uint64_t *out) { return fold_BITCAST(f, out); }
