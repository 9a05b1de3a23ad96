/* Conversions between element types: .to(), tl.cast, and what promotion asks for.
 *
 * One step where the IR has an op for it; through fp32 where upstream goes through fp32 (fp16, bf16 to anything
 * else), so that the rounding is the same. fp8e4b15 is held as its bits and converted by integer operations. */
#include "front/tile/sem.h"

bool sem_check_dtype(FrontLower *low, TlType t)
{
	t = tl_elem(t);
	uint32_t arch = low->options->target_arch;
	if (!tl_is_fp8(t) || !arch || t->dtype == DT_FP8E5 || t->dtype == DT_FP8E4B15 ||
	    (t->dtype == DT_FP8E4NV && arch >= 89))
		return true;
	lower_error(low, DIAG_TILE_DTYPE_TARGET, tl_describe(low, t), (unsigned)arch,
		    arch >= 89 ? "fp8e4nv, fp8e5, fp8e4b15" : "fp8e5, fp8e4b15");
	return false;
}

static const Val *convert(FrontLower *low, const Val *v, TlType dst, IrOpKind op)
{
	if (sem_ir(v)->type == dst->ir)
		return sem_make(low, sem_ir(v), dst);
	return sem_make(low, irb_1(&low->b, op, dst->ir, sem_ir(v)), dst);
}

static const Val *fp_to_fp(FrontLower *low, const Val *v, TlType dst, int rounding)
{
	IrValue *ir = irb_1(&low->b, OP_FP_TO_FP, dst->ir, sem_ir(v));
	if (rounding >= 0)
		ir_set(low->m, ir->def, ATTR_ROUNDING, ir_attr_i32(low->cx, rounding));
	return sem_make(low, ir, dst);
}

/* A constant in the shape of v's type. */
static IrValue *like(FrontLower *low, TlType type, int64_t bits)
{
	IrType scalar = tl_elem(type)->ir;
	IrValue *c = irb_int(&low->b, scalar, bits);
	return tl_is_block(type) ? irb_splat(&low->b, c, type->ir) : c;
}

/* The layout of fp8e4b15 is that of fp16 with seven mantissa bits less. */
static const Val *from_e4b15(FrontLower *low, const Val *v)
{
	TlType word = tl_with_elem(low, sem_type(v), tl_scalar(low, DT_INT16));
	TlType half = tl_with_elem(low, sem_type(v), tl_scalar(low, DT_FP16));
	IrBuilder *b = &low->b;
	IrValue *bits = irb_1(b, OP_EXTUI, word->ir, sem_ir(v));
	IrValue *sign = irb_2(b, OP_SHLI, NULL, irb_2(b, OP_ANDI, NULL, bits, like(low, word, 0x80)),
			      like(low, word, 8));
	IrValue *rest = irb_2(b, OP_SHLI, NULL, irb_2(b, OP_ANDI, NULL, bits, like(low, word, 0x7f)),
			      like(low, word, 7));
	return sem_make(low, irb_1(b, OP_BITCAST, half->ir, irb_2(b, OP_ORI, NULL, sign, rest)), half);
}

/* Half away from zero, as upstream's conversion; above 1.75 * 2^0 and NaN: the largest value. */
static const Val *to_e4b15(FrontLower *low, const Val *half, TlType dst)
{
	TlType word = tl_with_elem(low, sem_type(half), tl_scalar(low, DT_INT16));
	IrBuilder *b = &low->b;
	IrValue *bits = irb_1(b, OP_BITCAST, word->ir, sem_ir(half));
	IrValue *mag = irb_2(b, OP_ANDI, NULL, bits, like(low, word, 0x7fff));
	mag = irb_2(b, OP_MINUI, NULL, mag, like(low, word, 0x3f00));
	mag = irb_2(b, OP_SHRUI, NULL, irb_2(b, OP_ADDI, NULL, mag, like(low, word, 0x40)), like(low, word, 7));
	IrValue *sign = irb_2(b, OP_SHRUI, NULL, bits, like(low, word, 8));
	sign = irb_2(b, OP_ANDI, NULL, sign, like(low, word, 0x80));
	return sem_make(low, irb_1(b, OP_TRUNCI, dst->ir, irb_2(b, OP_ORI, NULL, mag, sign)), dst);
}

static const Val *cast_e4b15(FrontLower *low, const Val *v, TlType dst)
{
	if (tl_is(sem_elem(v), DT_FP8E4B15))
		return sem_cast(low, from_e4b15(low, v), tl_elem(dst));
	const Val *half = v;
	if (!tl_is(sem_elem(v), DT_FP16)) {
		half = sem_cast(low, v, tl_scalar(low, DT_FP32));
		half = fp_to_fp(low, half, tl_with_elem(low, sem_type(v), tl_scalar(low, DT_FP16)), ROUND_RTZ);
	}
	return to_e4b15(low, half, dst);
}

static const Val *not_zero(FrontLower *low, const Val *v)
{
	IrValue *zero = sem_ir(sem_const_int(low, 0, sem_elem(v)));
	if (tl_is_block(sem_type(v)))
		zero = irb_splat(&low->b, zero, sem_type(v)->ir);
	TlType type = tl_with_elem(low, sem_type(v), tl_scalar(low, DT_INT1));
	bool is_float = tl_is_float(sem_elem(v));
	return sem_make(low, is_float ? irb_cmpf(&low->b, CMPF_UNE, sem_ir(v), zero)
				      : irb_cmpi(&low->b, CMPI_NE, sem_ir(v), zero), type);
}

static const Val *cast_float(FrontLower *low, const Val *v, TlType dst, int rounding, bool custom)
{
	TlType from = sem_elem(v), to = tl_elem(dst);
	if (tl_is(from, DT_FP8E4B15) || tl_is(to, DT_FP8E4B15))
		return cast_e4b15(low, v, dst);
	if (tl_is_fp8(from) || tl_is_fp8(to) || custom)
		return fp_to_fp(low, v, dst, rounding);
	bool narrow = tl_is(from, DT_FP16) || tl_is(from, DT_BF16);
	if (narrow && !tl_is(to, DT_FP32))
		return sem_cast(low, sem_cast(low, v, tl_scalar(low, DT_FP32)), to);
	return convert(low, v, dst, tl_bits(from) > tl_bits(to) ? OP_TRUNCF : OP_EXTF);
}

static const Val *cast_int(FrontLower *low, const Val *v, TlType dst)
{
	TlType from = sem_elem(v), to = tl_elem(dst);
	if (tl_is(to, DT_INT1))
		return not_zero(low, v);
	unsigned a = tl_bits(from), b = tl_bits(to);
	if (a == b)
		return sem_make(low, sem_ir(v), dst);
	return convert(low, v, dst, a > b ? OP_TRUNCI : tl_is_signed(from) ? OP_EXTSI : OP_EXTUI);
}

static const Val *cast_float_to_int(FrontLower *low, const Val *v, TlType dst)
{
	TlType from = sem_elem(v);
	if (tl_bits(from) < 32)
		return sem_cast(low, sem_cast(low, v, tl_scalar(low, DT_FP32)), tl_elem(dst));
	if (tl_is(tl_elem(dst), DT_INT1))
		return not_zero(low, v);
	return convert(low, v, dst, tl_is_signed(tl_elem(dst)) ? OP_FPTOSI : OP_FPTOUI);
}

static const Val *cast_int_to_float(FrontLower *low, const Val *v, TlType dst)
{
	if (tl_is_fp8(tl_elem(dst)))
		return sem_cast(low, sem_cast(low, v, tl_scalar(low, DT_FP32)), tl_elem(dst));
	return convert(low, v, dst, tl_is_signed(sem_elem(v)) ? OP_SITOFP : OP_UITOFP);
}

static const Val *cast_ptr(FrontLower *low, const Val *v, TlType dst)
{
	TlType from = sem_elem(v), to = tl_elem(dst);
	if (tl_is_block_ptr(from) || tl_is_block_ptr(to))
		return NULL;
	if (tl_is_ptr(from) && tl_is_ptr(to))
		return convert(low, v, dst, OP_BITCAST);
	if (tl_is_int(from) && tl_is_ptr(to)) {
		const Val *wide = tl_bits(from) == 64 ? v : sem_cast(low, v, tl_scalar(low, DT_INT64));
		return convert(low, wide, dst, OP_INT_TO_PTR);
	}
	if (!tl_is_int(to) || (tl_bits(to) != 64 && tl_bits(to) != 1))
		return NULL;
	TlType wide = tl_scalar(low, DT_INT64);
	const Val *address = convert(low, v, tl_with_elem(low, dst, wide), OP_PTR_TO_INT);
	return tl_bits(to) == 1 ? not_zero(low, address) : sem_make(low, sem_ir(address), dst);
}

static bool rounding_mode(FrontLower *low, const char *name, TlType from, TlType to, int *mode, bool *custom)
{
	bool narrowing = tl_is_float(from) && tl_is_float(to) && tl_bits(to) < tl_bits(from);
	*mode = narrowing ? ROUND_RTNE : -1;
	*custom = false;
	if (!name || !*name)
		return true;
	bool rtz = strcmp(name, "rtz") == 0;
	if (!rtz && strcmp(name, "rtne") != 0) {
		lower_error(low, DIAG_TILE_ROUNDING_MODE, name);
		return false;
	}
	if (!narrowing) {
		lower_error(low, DIAG_TILE_ROUNDING_USE, tl_describe(low, from), tl_describe(low, to));
		return false;
	}
	*mode = rtz ? ROUND_RTZ : ROUND_RTNE;
	*custom = rtz;
	return true;
}

/* The type that a cast gives: a pointer stays constant. */
static TlType cast_to(FrontLower *low, TlType from, TlType to)
{
	bool keeps = tl_is_ptr(from) && tl_is_ptr(to) && from->is_const;
	return keeps ? tl_ptr(low, to->elem, true, to->space) : to;
}

const Val *sem_cast_rounded(FrontLower *low, const Val *v, TlType dtype, const char *rounding)
{
	v = sem_to_tensor(low, v);
	if (sem_is_poison(v))
		return v;
	TlType from = sem_elem(v), to = cast_to(low, sem_elem(v), tl_elem(dtype));
	if (from == to)
		return v;
	int mode;
	bool custom;
	if (!rounding_mode(low, rounding, from, to, &mode, &custom) || !sem_check_dtype(low, to))
		return low->poison;
	TlType dst = tl_with_elem(low, sem_type(v), to);
	const Val *result = NULL;
	if (tl_is_float(from) && tl_is_float(to))
		result = cast_float(low, v, dst, mode, custom);
	else if (tl_is_int(from) && tl_is_int(to))
		result = cast_int(low, v, dst);
	else if (tl_is_float(from) && tl_is_int(to))
		result = cast_float_to_int(low, v, dst);
	else if (tl_is_int(from) && tl_is_float(to))
		result = cast_int_to_float(low, v, dst);
	else if (tl_is_ptr(from) || tl_is_ptr(to))
		result = cast_ptr(low, v, dst);
	return result ? result : lower_error(low, DIAG_TILE_CAST, tl_describe(low, sem_type(v)),
					     tl_describe(low, to));
}

const Val *sem_cast(FrontLower *low, const Val *v, TlType dtype)
{
	return sem_cast_rounded(low, v, dtype, NULL);
}

const Val *sem_bitcast(FrontLower *low, const Val *v, TlType dtype)
{
	v = sem_to_tensor(low, v);
	if (sem_is_poison(v))
		return v;
	TlType from = sem_elem(v), to = tl_elem(dtype);
	if (from == to)
		return v;
	if (tl_is_ptr(from) || tl_is_ptr(to))
		return sem_cast(low, v, to);
	if (from->kind != TL_SCALAR || to->kind != TL_SCALAR)
		return lower_error(low, DIAG_TILE_CAST, tl_describe(low, sem_type(v)), tl_describe(low, to));
	if (!sem_check_dtype(low, to))
		return low->poison;
	if (tl_bits(from) != tl_bits(to))
		return lower_error(low, DIAG_TILE_BITCAST, tl_describe(low, from), tl_bits(from),
				   tl_describe(low, to), tl_bits(to));
	return convert(low, v, tl_with_elem(low, sem_type(v), to), OP_BITCAST);
}
