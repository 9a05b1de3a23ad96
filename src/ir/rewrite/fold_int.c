/* Integers on constants: two's complement of the type's width, wrapping. */
#include "ir/rewrite/fold.h"

#define SA fold_signed(f->a, f->width)
#define SB fold_signed(f->b, f->width)

/* An op of two operands whose value is always defined. */
#define TOTAL(name, expression)                                    \
	static bool name(const FoldCell *f, uint64_t *out)         \
	{                                                          \
		*out = fold_low((uint64_t)(expression), f->width); \
		return true;                                       \
	}
/* Defined only where the condition holds. */
#define PARTIAL(name, condition, expression)                       \
	static bool name(const FoldCell *f, uint64_t *out)         \
	{                                                          \
		if (!(condition))                                  \
			return false;                              \
		*out = fold_low((uint64_t)(expression), f->width); \
		return true;                                       \
	}

TOTAL(addi, f->a + f->b)
TOTAL(subi, f->a - f->b)
TOTAL(muli, f->a * f->b)
TOTAL(andi, f->a & f->b)
TOTAL(ori, f->a | f->b)
TOTAL(xori, f->a ^ f->b)
TOTAL(minsi, SA < SB ? f->a : f->b)
TOTAL(maxsi, SA > SB ? f->a : f->b)
TOTAL(minui, f->a < f->b ? f->a : f->b)
TOTAL(maxui, f->a > f->b ? f->a : f->b)
TOTAL(absi, SA < 0 ? 0 - f->a : f->a)

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

PARTIAL(divsi, division_is_defined(f), SA / SB)
PARTIAL(remsi, division_is_defined(f), SA % SB)
PARTIAL(floordivsi, division_is_defined(f), floor_div(SA, SB))
PARTIAL(ceildivsi, division_is_defined(f), ceil_div(SA, SB))
PARTIAL(divui, f->b != 0, f->a / f->b)
PARTIAL(remui, f->b != 0, f->a % f->b)
PARTIAL(shli, f->b < f->width, f->a << f->b)
PARTIAL(shrui, f->b < f->width, f->a >> f->b)
PARTIAL(shrsi, f->b < f->width, SA >> f->b)

static bool mulhiui(const FoldCell *f, uint64_t *out)
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

static bool cmpi(const FoldCell *f, uint64_t *out)
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

static bool select_fn(const FoldCell *f, uint64_t *out)
{
	*out = f->a ? f->b : f->c;
	return true;
}

static bool extsi(const FoldCell *f, uint64_t *out)
{
	*out = fold_low((uint64_t)SA, f->to->bits);
	return true;
}

static bool low_bits(const FoldCell *f, uint64_t *out)
{
	*out = fold_low(f->a, f->to->bits);
	return true;
}

static bool bitcast(const FoldCell *f, uint64_t *out)
{
	*out = f->a;
	return ir_is_scalar(f->from) && ir_is_scalar(f->to) && f->from->bits == f->to->bits;
}

FoldFn *fold_int_fn(IrOpKind kind)
{
	static FoldFn *const table[OP__COUNT] = {
		[OP_ADDI] = addi,
		[OP_SUBI] = subi,
		[OP_MULI] = muli,
		[OP_DIVSI] = divsi,
		[OP_DIVUI] = divui,
		[OP_REMSI] = remsi,
		[OP_REMUI] = remui,
		[OP_CEILDIVSI] = ceildivsi,
		[OP_FLOORDIVSI] = floordivsi,
		[OP_ANDI] = andi,
		[OP_ORI] = ori,
		[OP_XORI] = xori,
		[OP_SHLI] = shli,
		[OP_SHRSI] = shrsi,
		[OP_SHRUI] = shrui,
		[OP_MINSI] = minsi,
		[OP_MAXSI] = maxsi,
		[OP_MINUI] = minui,
		[OP_MAXUI] = maxui,
		[OP_CMPI] = cmpi,
		[OP_ABSI] = absi,
		[OP_MULHIUI] = mulhiui,
		[OP_SELECT] = select_fn,
		[OP_EXTSI] = extsi,
		[OP_EXTUI] = low_bits,
		[OP_TRUNCI] = low_bits,
		[OP_ARITH_BITCAST] = bitcast,
		[OP_BITCAST] = bitcast,
	};
	return table[kind];
}
