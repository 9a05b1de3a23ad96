/* fp8 to and from f16 and f32, four at a time: they fill a register.
 *
 * e4m3fn and e5m2 are the hardware's from sm_89 on. Elsewhere, and for the formats without infinities and
 * negative zero (fnuz), the same results are computed; they do not depend on the GPU. All conversions to fp8
 * round once and saturate: what is too large, infinities with it, becomes the largest finite value, NaN stays
 * NaN. Towards zero infinity stays what it is in e5m2.
 *
 * Decoding moves exponent and mantissa to their place in the wide format and multiplies by a power of two,
 * which is exact for subnormal numbers too. Encoding works on the bits of an f32: a normal result is the cut
 * mantissa with half of the last place added; of a subnormal one the last place is that of a float that is
 * large enough, so adding such a float rounds. */
#include "llvm/math/math.h"

#include "base/float/fp.h"

typedef struct Fp8 {
	unsigned mantissa;
	int bias;
	uint32_t largest, nan; /* magnitude of the largest finite number; of NaN */
	uint32_t infinity;     /* where rounding towards zero keeps it, as of upstream; 0: nowhere */
	bool fnuz;             /* no negative zero: NaN stands there */
	MachineOp to_f16, from_f16, from_f32; /* sm_89; MACHINE__COUNT: none, as e5m2's first */
} Fp8;

#define SOFTWARE MACHINE__COUNT, MACHINE__COUNT, MACHINE__COUNT
static const Fp8 e4m3fn = {3, 7, 0x7e, 0x7f, 0, false, MACHINE_e4m3_to_f16, MACHINE_f16_to_e4m3, MACHINE_f32_to_e4m3};
static const Fp8 e5m2 = {2, 15, 0x7b, 0x7f, 0x7c, false, MACHINE__COUNT, MACHINE_f16_to_e5m2, MACHINE_f32_to_e5m2};
static const Fp8 e4m3b11 = {3, 11, 0x7f, 0x80, 0, true, SOFTWARE};
static const Fp8 e4m3fnuz = {3, 8, 0x7f, 0x80, 0, true, SOFTWARE};
static const Fp8 e5m2fnuz = {2, 16, 0x7f, 0x80, 0, true, SOFTWARE};

static const Fp8 *format_of(IrType t)
{
	switch (t->kind) {
	case TY_F8E4M3FN: return &e4m3fn;
	case TY_F8E5M2: return &e5m2;
	case TY_F8E4M3B11FNUZ: return &e4m3b11;
	case TY_F8E4M3FNUZ: return &e4m3fnuz;
	case TY_F8E5M2FNUZ: return &e5m2fnuz;
	default: BUG("not an fp8 type");
	}
}

static bool in_hardware(const Lower *lw, const Fp8 *f)
{
	return f->from_f16 != MACHINE__COUNT && (lw->target->features & TARGET_FP8);
}

static LLVMValueRef c32(Lower *lw, uint32_t value)
{
	return LLVMConstInt(lw->t.i32, value, false);
}

static LLVMValueRef and32(Lower *lw, LLVMValueRef a, uint32_t mask)
{
	return LLVMBuildAnd(lw->b, a, c32(lw, mask), "");
}

static LLVMValueRef shr32(Lower *lw, LLVMValueRef a, uint32_t by)
{
	return LLVMBuildLShr(lw->b, a, c32(lw, by), "");
}

static LLVMValueRef or32(Lower *lw, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildOr(lw->b, a, b, "");
}

/* ---- to a wider format ---- */

LLVMTypeRef fp8_wide(Lower *lw, IrType from)
{
	return format_of(from)->fnuz ? lw->t.f32 : lw->t.f16;
}

/* halves: two bytes in the high halves of 16-bit fields. */
static LLVMValueRef e4m3_halves(Lower *lw, LLVMValueRef halves)
{
	LLVMTypeRef pair = LLVMVectorType(lw->t.f16, 2);
	LLVMValueRef t = and32(lw, shr32(lw, halves, 1), 0x3f803f80);
	LLVMValueRef v = LLVMBuildBitCast(lw->b, t, pair, "");
	LLVMValueRef scale[2];
	scale[0] = scale[1] = LLVMConstReal(lw->t.f16, 256);
	v = LLVMBuildBitCast(lw->b, LLVMBuildFMul(lw->b, v, LLVMConstVector(scale, 2), ""), lw->t.i32, "");
	/* One more in the last place of the largest magnitude, which is NaN, reaches bit 14 of a field: 0x4000
	 * becomes 0x7fff. */
	LLVMValueRef nan = shr32(lw, and32(lw, LLVMBuildAdd(lw->b, t, c32(lw, 0x00800080), ""), 0x40004000), 14);
	nan = LLVMBuildSub(lw->b, LLVMBuildShl(lw->b, nan, c32(lw, 15), ""), nan, "");
	return or32(lw, or32(lw, v, nan), and32(lw, halves, 0x80008000));
}

/* An e5m2 is the high byte of an f16: moving bytes costs what the conversion does. The operand
 * of e4m3's is 16 bits wide: ptxas (12.8, 13.0) takes the high half of a register with zero for
 * the constant 8 there. */
static void decode_four(Lower *lw, const Fp8 *f, LLVMValueRef word, LLVMValueRef *pair)
{
	if (in_hardware(lw, f) && f->to_f16 != MACHINE__COUNT) {
		LLVMValueRef half[2];
		math_unpack(lw, word, half, 2, lw->t.i16, 16);
		for (unsigned i = 0; i < 2; i++)
			pair[i] = machine_call(lw, f->to_f16, &half[i], 1);
		return;
	}
	pair[0] = MACHINE3(lw, prmt, c32(lw, 0), word, c32(lw, 0x5040));
	pair[1] = MACHINE3(lw, prmt, c32(lw, 0), word, c32(lw, 0x7060));
	for (unsigned i = 0; i < 2 && f == &e4m3fn; i++)
		pair[i] = e4m3_halves(lw, pair[i]);
}

/* A format with fewer exponent bits than f32, by way of f32. */
static LLVMValueRef decode_fnuz(Lower *lw, const Fp8 *f, LLVMValueRef byte)
{
	LLVMValueRef w = LLVMBuildZExt(lw->b, byte, lw->t.i32, "");
	LLVMValueRef size = LLVMBuildShl(lw->b, and32(lw, w, 0x7f), c32(lw, 23 - f->mantissa), "");
	/* 2^(127 - bias) */
	LLVMValueRef scale = LLVMBuildBitCast(lw->b, c32(lw, (uint32_t)(254 - f->bias) << 23), lw->t.f32, "");
	LLVMValueRef v = LLVMBuildFMul(lw->b, LLVMBuildBitCast(lw->b, size, lw->t.f32, ""), scale, "");
	LLVMValueRef bits = LLVMBuildBitCast(lw->b, v, lw->t.i32, "");
	bits = or32(lw, bits, LLVMBuildShl(lw->b, and32(lw, w, 0x80), c32(lw, 24), ""));
	LLVMValueRef nan = LLVMBuildICmp(lw->b, LLVMIntEQ, w, c32(lw, f->nan), "");
	bits = LLVMBuildSelect(lw->b, nan, c32(lw, 0x7fffffff), bits, "");
	return LLVMBuildBitCast(lw->b, bits, lw->t.f32, "");
}

void fp8_decode(Lower *lw, IrType from, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	CONTRACT(ir_is_float(from) && from->bits == 8);
	const Fp8 *f = format_of(from);
	for (uint32_t i = 0; i < count && f->fnuz; i++)
		out[i] = decode_fnuz(lw, f, in[i]);
	for (uint32_t i = 0; i < count && !f->fnuz; i += 4) {
		uint32_t some = MIN(4, count - i);
		LLVMValueRef pair[2];
		decode_four(lw, f, math_pack(lw, in + i, some, lw->t.i8, 8), pair);
		math_unpack(lw, pair[0], out + i, MIN(2, some), lw->t.f16, 16);
		if (some > 2)
			math_unpack(lw, pair[1], out + i + 2, some - 2, lw->t.f16, 16);
	}
}

/* ---- from a wider format ---- */

/* The magnitude of `size`, the bits of a non-negative f32 that is no NaN, before saturation. */
static LLVMValueRef round_magnitude(Lower *lw, const Fp8 *f, bool nearest, LLVMValueRef size)
{
	unsigned cut = 23 - f->mantissa;
	uint32_t least_normal = (uint32_t)(128 - f->bias) << 23; /* 2^(1 - bias) */
	LLVMValueRef normal = LLVMBuildSub(lw->b, size, c32(lw, (uint32_t)(127 - f->bias) << 23), ""), small;
	LLVMValueRef value = LLVMBuildBitCast(lw->b, size, lw->t.f32, "");
	if (nearest) {
		LLVMValueRef odd = and32(lw, shr32(lw, size, cut), 1);
		normal = LLVMBuildAdd(lw->b, LLVMBuildAdd(lw->b, normal, c32(lw, (1u << (cut - 1)) - 1), ""), odd, "");
		/* A float whose last place is the least subnormal number, 2^(1 - bias - mantissa). */
		uint32_t large = (uint32_t)(128 - f->bias + (int)cut) << 23;
		LLVMValueRef sum = LLVMBuildFAdd(lw->b, value, LLVMBuildBitCast(lw->b, c32(lw, large), lw->t.f32, ""), "");
		small = LLVMBuildSub(lw->b, LLVMBuildBitCast(lw->b, sum, lw->t.i32, ""), c32(lw, large), "");
	} else {
		uint32_t scale = (uint32_t)(127 + f->bias - 1 + (int)f->mantissa) << 23;
		LLVMValueRef steps = LLVMBuildFMul(lw->b, value, LLVMBuildBitCast(lw->b, c32(lw, scale), lw->t.f32, ""), "");
		small = LLVMBuildFPToUI(lw->b, steps, lw->t.i32, "");
	}
	/* The other one has no meaning there, and is not looked at. */
	LLVMValueRef is_small = LLVMBuildICmp(lw->b, LLVMIntULT, size, c32(lw, least_normal), "");
	return math_select(lw, is_small, small, shr32(lw, normal, cut));
}

static LLVMValueRef encode_f32(Lower *lw, const Fp8 *f, bool nearest, LLVMValueRef x)
{
	LLVMValueRef bits = LLVMBuildBitCast(lw->b, x, lw->t.i32, "");
	LLVMValueRef size = and32(lw, bits, 0x7fffffff);
	LLVMValueRef is_nan = LLVMBuildICmp(lw->b, LLVMIntUGT, size, c32(lw, 0x7f800000), "");
	LLVMValueRef code = round_magnitude(lw, f, nearest, size);
	code = math_select(lw, LLVMBuildICmp(lw->b, LLVMIntULT, code, c32(lw, f->largest), ""), code, c32(lw, f->largest));
	if (f->infinity && !nearest) {
		LLVMValueRef is_infinite = LLVMBuildICmp(lw->b, LLVMIntEQ, size, c32(lw, 0x7f800000), "");
		code = math_select(lw, is_infinite, c32(lw, f->infinity), code);
	}
	LLVMValueRef sign = and32(lw, shr32(lw, bits, 24), 0x80);
	if (f->fnuz)
		sign = math_select(lw, LLVMBuildICmp(lw->b, LLVMIntEQ, code, c32(lw, 0), ""), c32(lw, 0), sign);
	code = math_select(lw, is_nan, c32(lw, f->nan), or32(lw, code, sign)); /* the hardware's NaN has no sign */
	return LLVMBuildTrunc(lw->b, code, lw->t.i8, "");
}

static void encode_four(Lower *lw, const Fp8 *f, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	LLVMValueRef args[4], word;
	if (LLVMTypeOf(in[0]) == lw->t.f16) {
		args[0] = math_pack(lw, in, MIN(2, count), lw->t.f16, 16);
		args[1] = count > 2 ? math_pack(lw, in + 2, count - 2, lw->t.f16, 16) : c32(lw, 0);
		word = machine_call(lw, f->from_f16, args, 2);
	} else {
		for (uint32_t i = 0; i < 4; i++)
			args[i] = i < count ? in[i] : LLVMConstNull(lw->t.f32);
		word = machine_call(lw, f->from_f32, args, 4);
	}
	math_unpack(lw, word, out, count, lw->t.i8, 8);
}

void fp8_encode(Lower *lw, IrType to, bool nearest, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	CONTRACT(ir_is_float(to) && to->bits == 8);
	const Fp8 *f = format_of(to);
	if (nearest && in_hardware(lw, f)) {
		for (uint32_t i = 0; i < count; i += 4)
			encode_four(lw, f, in + i, out + i, MIN(4, count - i));
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		LLVMValueRef x = LLVMTypeOf(in[i]) == lw->t.f16 ? LLVMBuildFPExt(lw->b, in[i], lw->t.f32, "") : in[i];
		out[i] = encode_f32(lw, f, nearest, x);
	}
}
