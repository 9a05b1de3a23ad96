/* Instructions of PTX on registers, by name: an operation, words between points, types at the end.
 *
 * Rounding modes are the host's while it computes. Approximations give the nearest value. Source: PTX ISA 8.8. */
#include <fenv.h>

#include "sim/half.h"
#include "sim/ops/machine.h"
#include "sim/ops.h"

typedef enum {
	ALU_ADD, ALU_SUB, ALU_MUL, ALU_FMA, ALU_DIV, ALU_RCP, ALU_SQRT, ALU_RSQRT, ALU_CVT, ALU_MIN, ALU_MAX, ALU_ABS, ALU_SIN, ALU_COS,
	ALU_LG2, ALU_EX2, ALU_TANH, ALU_CLZ, ALU_POPC, ALU_BREV, ALU_MUL24, ALU_SAD, ALU_FNS, ALU_PRMT, ALU__COUNT
} AluOp;

static const char *const names[ALU__COUNT] = {
	"add", "sub", "mul", "fma", "div", "rcp", "sqrt", "rsqrt", "cvt", "min", "max", "abs",
	"sin", "cos", "lg2", "ex2", "tanh", "clz", "popc", "brev", "mul24", "sad", "fns", "prmt",
};

typedef struct Type {
	char cls; /* 'f', 's', 'u' (also of b) */
	unsigned bits;
} Type;

typedef struct Alu {
	AluOp op;
	int rounding;   /* of fesetround */
	bool integral;  /* of cvt: .rni, ... */
	bool high, ftz, sat;
	bool tf32;      /* of cvt: f32 to 19 bits, halves away from 0 */
	Type to, from;
	unsigned sizes[4]; /* bytes: of the result, then operands */
} Alu;

/* ---- parsing ---- */

static bool read_type(Str word, Type *t)
{
	static const struct {
		const char *name;
		Type type;
	} all[] = {{"f32", {'f', 32}}, {"f64", {'f', 64}}, {"s32", {'s', 32}}, {"s64", {'s', 64}},
		   {"u32", {'u', 32}}, {"u64", {'u', 64}}, {"b32", {'u', 32}}, {"b64", {'u', 64}}};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (str_is(word, all[i].name)) {
			*t = all[i].type;
			return true;
		}
	}
	return false;
}

static bool read_mode(Alu *a, Str word)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		bool integral = word.len == 3 && word.ptr[2] == 'i';
		if (!str_is((Str){word.ptr, integral ? 2 : word.len}, modes[i].name))
			continue;
		a->rounding = modes[i].mode;
		a->integral |= integral;
		return true;
	}
	a->high |= str_is(word, "hi");
	a->ftz |= str_is(word, "ftz");
	a->sat |= str_is(word, "sat");
	return str_is(word, "hi") || str_is(word, "lo") || str_is(word, "ftz") || str_is(word, "sat") || str_is(word, "approx") ||
	       str_is(word, "full");
}

static bool parse(Alu *a, const char *text)
{
	size_t len = strcspn(text, ".");
	unsigned types = 0;
	a->op = ALU__COUNT;
	a->rounding = FE_TONEAREST;
	for (unsigned k = 0; k < ALU__COUNT; k++)
		if (str_is((Str){text, len}, names[k]))
			a->op = (AluOp)k;
	for (text += len; *text; text += len) {
		text++;
		len = strcspn(text, ".");
		Type t;
		if (str_is((Str){text, len}, "rna"))
			continue;
		if (str_is((Str){text, len}, "tf32")) {
			a->tf32 = true;
			a->to = (Type){'u', 32};
			types++;
			continue;
		}
		if (!read_type((Str){text, len}, &t)) {
			if (types || !read_mode(a, (Str){text, len}))
				return false;
			continue;
		}
		if (types++)
			a->from = t;
		else
			a->to = a->from = t;
	}
	return a->op != ALU__COUNT && types == (a->op == ALU_CVT ? 2u : 1u);
}

/* ---- computing ---- */

/* The compiler's own rint takes the mode for that of magnitudes. */
static double whole_of(const Alu *a, double x)
{
	switch (a->rounding) {
	case FE_DOWNWARD: return floor(x);
	case FE_UPWARD: return ceil(x);
	case FE_TOWARDZERO: return trunc(x);
	default: return rint(x);
	}
}

static double real_in(const Alu *a, Type t, uint64_t bits)
{
	double x;
	if (t.cls == 'f' && t.bits == 32) {
		float f = half_float((uint32_t)bits);
		return (double)(a->ftz && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f);
	}
	if (t.cls == 'f') {
		memcpy(&x, &bits, 8);
		return x;
	}
	if (t.bits == 32)
		return t.cls == 's' ? (double)(int32_t)bits : (double)(uint32_t)bits;
	return t.cls == 's' ? (double)(int64_t)bits : (double)bits;
}

/* Once rounded, in the host's mode, which stays set meanwhile. */
static uint64_t float_result(const Alu *a, const volatile float *x)
{
	volatile float f = 0;
	switch (a->op) {
	case ALU_ADD: f = x[0] + x[1]; break;
	case ALU_SUB: f = x[0] - x[1]; break;
	case ALU_MUL: f = x[0] * x[1]; break;
	case ALU_FMA: f = fmaf(x[0], x[1], x[2]); break;
	case ALU_DIV: f = x[0] / x[1]; break;
	case ALU_RCP: f = 1 / x[0]; break;
	default: f = sqrtf(x[0]); break;
	}
	float out = f;
	if (a->ftz && fabsf(out) < 0x1p-126f)
		out = copysignf(0, out);
	return out == out ? half_bits(out) : 0x7fffffff;
}

static double double_result(const Alu *a, const volatile double *x)
{
	volatile double d = 0;
	switch (a->op) {
	case ALU_ADD: d = x[0] + x[1]; break;
	case ALU_SUB: d = x[0] - x[1]; break;
	case ALU_MUL: d = x[0] * x[1]; break;
	case ALU_FMA: d = fma(x[0], x[1], x[2]); break;
	case ALU_DIV: d = x[0] / x[1]; break;
	case ALU_RCP: d = 1 / x[0]; break;
	default: d = sqrt(x[0]); break;
	}
	return d;
}

static uint64_t double_bits(double x)
{
	uint64_t u;
	memcpy(&u, &x, 8);
	return u;
}

static uint64_t any_float(const Alu *a, double x)
{
	float f = (float)x;
	if (a->to.bits == 64)
		return double_bits(x);
	if (a->ftz && fabsf(f) < 0x1p-126f)
		f = copysignf(0, f);
	return f == f ? half_bits(f) : 0x7fffffff;
}

/* NaN is the highest bit alone in 64-bit results, and in 32-bit ones from f64; else 0. */
static uint64_t to_integer(const Alu *a, double x)
{
	unsigned bits = a->to.bits;
	uint64_t top = UINT64_C(1) << (bits - 1);
	if (x != x)
		return bits == 64 || a->from.bits == 64 ? top : 0;
	double limit = bits == 64 ? (a->to.cls == 's' ? 0x1p63 : 0x1p64) : a->to.cls == 's' ? 0x1p31 : 0x1p32;
	if (a->to.cls == 's')
		return x >= limit ? top - 1 : x <= -limit ? top : (uint64_t)(int64_t)x;
	return x >= limit ? UINT64_MAX >> (64 - bits) : x <= 0 ? 0 : (uint64_t)x;
}

static uint64_t convert(const Alu *a, uint64_t bits)
{
	if (a->tf32)
		return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000;
	volatile double x = real_in(a, a->from, bits);
	if (a->to.cls != 'f')
		return to_integer(a, whole_of(a, x));
	if (a->from.cls == 'f') {
		double whole = a->integral ? whole_of(a, x) : x;
		if (a->sat)
			whole = whole >= 0 ? fmin(whole, 1) : 0;
		volatile float f = (float)whole;
		return a->to.bits == 64 ? double_bits(whole) : any_float(a, (double)f);
	}
	/* Integers of 64 bits are no doubles: by their own type. */
	volatile uint64_t u = bits;
	volatile int64_t s = (int64_t)bits;
	bool wide = a->from.bits == 64;
	if (a->to.bits == 64) {
		volatile double d = !wide ? x : a->from.cls == 's' ? (double)s : (double)u;
		return double_bits(d);
	}
	volatile float f = !wide ? (float)x : a->from.cls == 's' ? (float)s : (float)u;
	return half_bits(f);
}

static uint64_t on_reals(const Alu *a, const uint64_t *in)
{
	double x = real_in(a, a->to, in[0]), y = real_in(a, a->to, in[1]);
	switch (a->op) {
	case ALU_MIN: return any_float(a, x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y);
	case ALU_MAX: return any_float(a, x != x ? y : y != y ? x : x == y ? (signbit(x) ? y : x) : x > y ? x : y);
	case ALU_ABS: return any_float(a, fabs(x));
	case ALU_SIN: return any_float(a, sin(x));
	case ALU_COS: return any_float(a, cos(x));
	case ALU_LG2: return any_float(a, log2(x));
	case ALU_EX2: return any_float(a, exp2(x));
	case ALU_TANH: return any_float(a, tanh(x));
	case ALU_RSQRT: return any_float(a, 1 / sqrt(x));
	default: break;
	}
	if (a->to.bits == 64 && a->op == ALU_RCP && a->ftz) /* of the high word alone */
		return double_bits(1 / x) & ~UINT64_C(0xffffffff);
	if (a->to.bits == 64) {
		volatile double v[3] = {x, y, real_in(a, a->to, in[2])};
		return double_bits(double_result(a, v));
	}
	volatile float v[3] = {(float)x, (float)y, (float)real_in(a, a->to, in[2])};
	return float_result(a, v);
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

static uint64_t high_half(const Alu *a, uint64_t x, uint64_t y, int64_t sx, int64_t sy)
{
	return a->to.cls == 's' ? (uint64_t)((Wide)sx * sy >> a->to.bits) : (uint64_t)((UnsignedWide)x * y >> a->to.bits);
}

static uint64_t selected_bytes(uint64_t a, uint64_t b, uint64_t which)
{
	uint64_t bytes = b << 32 | a, out = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint64_t nibble = which >> (4 * k) & 15, byte = bytes >> 8 * (nibble & 7) & 255;
		out |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
	}
	return out;
}

/* The n-th set bit from a base, upwards, or downwards for a negative n; n = 0 asks for the base. */
static uint32_t found_bit(uint32_t word, int32_t base, int32_t n)
{
	int64_t step = n < 0 ? -1 : 1, left = n ? n * step : 1;
	for (int64_t at = base; at >= 0 && at < 32; at += n ? step : 32)
		if ((word >> at & 1) && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

static uint64_t on_integers(const Alu *a, const uint64_t *in)
{
	unsigned bits = a->to.bits, rest = 64 - bits;
	uint64_t x = in[0], y = in[1];
	int64_t sx = (int64_t)(x << rest) >> rest, sy = (int64_t)(y << rest) >> rest;
	bool is_signed = a->to.cls == 's';
	switch (a->op) {
	case ALU_ADD: return x + y;
	case ALU_SUB: return x - y;
	case ALU_MUL: return a->high ? high_half(a, x, y, sx, sy) : x * y;
	case ALU_MIN: return is_signed ? (sx < sy ? x : y) : x < y ? x : y;
	case ALU_MAX: return is_signed ? (sx > sy ? x : y) : x > y ? x : y;
	case ALU_ABS: return sx < 0 ? 0 - x : x;
	case ALU_CLZ: return x ? (uint64_t)__builtin_clzll(x) - rest : bits;
	case ALU_POPC: return (uint64_t)__builtin_popcountll(x);
	case ALU_BREV: return ops_reverse(x) >> rest;
	case ALU_MUL24: return is_signed ? (uint64_t)(((int64_t)(x << 40) >> 40) * ((int64_t)(y << 40) >> 40)) : (x & 0xffffff) * (y & 0xffffff);
	case ALU_SAD: return in[2] + (is_signed ? (uint64_t)(sx < sy ? sy - sx : sx - sy) : x < y ? y - x : x - y);
	case ALU_FNS: return found_bit((uint32_t)x, (int32_t)y, (int32_t)in[2]);
	default: return selected_bytes(x, y, in[2]);
	}
}

static bool alu(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Alu *a = i->data;
	int before = fegetround();
	fesetround(a->rounding);
	EACH_LANE(lane, mask) {
		uint64_t in[3] = {0}, out;
		for (unsigned k = 0; k < i->operands; k++)
			memcpy(&in[k], (const uint8_t *)sim_operand(w, i, k) + lane * a->sizes[1 + k], a->sizes[1 + k]);
		out = a->op == ALU_CVT ? convert(a, in[0]) : a->to.cls == 'f' ? on_reals(a, in) : on_integers(a, in);
		memcpy((uint8_t *)sim_result(w, i, 0) + lane * a->sizes[0], &out, a->sizes[0]);
	}
	fesetround(before);
	return true;
}

static bool decode_alu(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	Alu *a = ARENA_NEW(d->arena, Alu);
	unsigned args = LLVMGetNumArgOperands(call);
	if (!suffix || args > 3 || !parse(a, suffix))
		return sim_refuse(d, "the instruction '%s'", suffix ? suffix : "");
	a->sizes[0] = sim_bytes(LLVMTypeOf(call));
	for (unsigned k = 0; k < args; k++)
		a->sizes[1 + k] = sim_bytes(LLVMTypeOf(LLVMGetOperand(call, k)));
	SimInstr *i = machine_effect(d, call, alu, 0);
	if (i)
		i->data = a;
	return i != NULL;
}

bool alu_emit(SimDecoder *d, const char *name, uint32_t result, unsigned result_bytes, const uint32_t *operands, const unsigned *bytes,
	      unsigned count)
{
	Alu *a = ARENA_NEW(d->arena, Alu);
	if (count > 3 || !parse(a, name))
		return false;
	SimInstr *i = sim_emit(d, SIM_EFFECT, 1, count);
	i->effect = alu;
	i->data = a;
	i->lane_bytes = (uint8_t)result_bytes;
	i->slots[0] = result;
	a->sizes[0] = result_bytes;
	for (unsigned k = 0; k < count; k++) {
		i->slots[1 + k] = operands[k];
		a->sizes[1 + k] = bytes[k];
	}
	return true;
}
const SimMachine sim_machine_alu = {.decode = decode_alu};
