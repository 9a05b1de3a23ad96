/* Conversions and functions of floats as lowering builds them, evaluated on the CPU: fp8 and 16-bit formats by
 * all their values and by values around each midpoint, functions against the host's in more digits. */
#include <math.h>

#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include "ir/enums.h"
#include "llvm/math/func.h"
#include "llvm_eval.h"

/* ---- conversions ---- */

typedef struct Kind {
	IrTypeKind ir;
	FpFormat format;
	unsigned bits;
} Kind;

static const Kind fp8[] = {{TY_F8E4M3FN, FP_E4M3FN, 8}, {TY_F8E5M2, FP_E5M2, 8}, {TY_F8E4M3B11FNUZ, FP_E4M3B11FNUZ, 8},
			   {TY_F8E4M3FNUZ, FP_E4M3FNUZ, 8}, {TY_F8E5M2FNUZ, FP_E5M2FNUZ, 8}};
static const Kind wide[] = {{TY_F16, FP_F16, 16}, {TY_BF16, FP_BF16, 16}, {TY_F32, FP_F32, 32}, {TY_F64, FP_F64, 64}};
static const char *const targets[] = {"sm_80", "sm_90a"};

typedef struct Cast {
	Kind from, to;
	int rounding;
	uint32_t count; /* elements converted together, all the same value but for `lane`, which is tested */
	uint32_t lane;
} Cast;

static LLVMValueRef cast_body(Eval *e, LLVMValueRef fn, const void *data)
{
	const Cast *c = data;
	IrType from = ir_scalar(&e->ir, c->from.ir), to = ir_scalar(&e->ir, c->to.ir);
	LLVMValueRef in[8], out[8], other = LLVMConstNull(lower_type(&e->lw, from));
	for (uint32_t i = 0; i < c->count; i++)
		in[i] = i == c->lane ? lower_from_bits(&e->lw, LLVMGetParam(fn, 0), from) : other;
	cast_floats(&e->lw, from, to, c->rounding, in, out, c->count);
	return lower_to_bits(&e->lw, out[c->lane], to);
}

static EvalFunction *build_cast(Eval *e, const Cast *c)
{
	LLVMTypeRef in = lower_int_type(&e->lw, c->from.bits);
	return eval_build(e, lower_int_type(&e->lw, c->to.bits), &in, 1, cast_body, c);
}

static void check_cast(const EvalFunction *f, const Cast *c, uint64_t bits)
{
	Wide arg = bits;
	uint64_t got = (uint64_t)eval_run(f, &arg).lane[0];
	double value = fp_to_double(c->from.format, bits);
	bool stays = c->rounding == ROUND_RTZ && c->to.format == FP_E5M2 && isinf(value);
	uint64_t want = fp_from_double(c->to.format, value, c->rounding == ROUND_RTZ ? FP_TOWARD_ZERO : FP_NEAREST_EVEN,
				       c->to.bits == 8 && !stays);
	double a = fp_to_double(c->to.format, got), b = fp_to_double(c->to.format, want);
	if (value != value ? a == a : got != want && !(a == b && a != 0))
		fail_msg("%llx of format %d to %d, rounding %d: %llx, not %llx", (unsigned long long)bits, c->from.format,
			 c->to.format, c->rounding, (unsigned long long)got, (unsigned long long)want);
}

static uint64_t random_bits(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state ^ *state >> 31;
}

/* Of a type of 32 or 64 bits: each value of the result's format, the midpoints and their neighbours, and others. */
static void check_wide_cast(const EvalFunction *f, const Cast *c)
{
	uint64_t state = 1, values = UINT64_C(1) << (c->to.bits > 16 ? 0 : c->to.bits), sign = UINT64_C(1) << (c->from.bits - 1);
	for (uint64_t v = 0; v + 1 < values; v++) {
		double a = fp_to_double(c->to.format, v), b = fp_to_double(c->to.format, v + 1);
		if (a != a || b != b || isinf(a) || isinf(b))
			continue;
		uint64_t at[] = {fp_from_double(c->from.format, a, FP_NEAREST_EVEN, false),
				 fp_from_double(c->from.format, (a + b) / 2, FP_NEAREST_EVEN, false)};
		for (unsigned i = 0; i < 6; i++)
			check_cast(f, c, at[i / 3] + i % 3 - 1 > 2 * sign - 1 ? at[i / 3] : (at[i / 3] + i % 3 - 1) & (2 * sign - 1));
	}
	for (unsigned i = 0; i < 4000; i++) {
		uint64_t bits = random_bits(&state) & (2 * sign - 1);
		check_cast(f, c, bits);
		/* and one of a size that the result can hold */
		double x = ldexp((double)(bits & 0xfffff) / 0x80000, (int)(bits >> 24 & 63) - 40);
		check_cast(f, c, fp_from_double(c->from.format, x, FP_NEAREST_EVEN, false));
	}
	for (unsigned i = 0; i < 2; i++) {
		check_cast(f, c, fp_from_double(c->from.format, i ? -(double)INFINITY : (double)INFINITY, FP_NEAREST_EVEN, false));
		check_cast(f, c, fp_from_double(c->from.format, (double)NAN, FP_NEAREST_EVEN, false));
		check_cast(f, c, i ? 1 | sign : 1);
		check_cast(f, c, i ? sign : 0);
	}
}

static void check_casts(const char *target, Kind from, Kind to, int rounding)
{
	static const struct {
		uint32_t count, lane;
	} places[] = {{1, 0}, {4, 0}, {4, 1}, {4, 2}, {4, 3}, {6, 5}, {3, 2}};
	for (unsigned p = 0; p < ARRAY_LEN(places); p++) {
		Eval e;
		Cast c = {from, to, rounding, places[p].count, places[p].lane};
		eval_open(&e, target);
		EvalFunction *f = build_cast(&e, &c);
		/* All values where that is quick, in one place; elsewhere a sample. */
		uint64_t step = p == 1 || from.bits == 8 ? 1 : 61;
		if (from.bits <= 16)
			for (uint64_t bits = 0; bits < UINT64_C(1) << from.bits; bits += step)
				check_cast(f, &c, bits);
		else if (p < 2)
			check_wide_cast(f, &c);
		eval_close(&e);
	}
}

static void test_from_fp8(void **state)
{
	for (unsigned t = 0; t < ARRAY_LEN(targets); t++)
		for (unsigned i = 0; i < ARRAY_LEN(fp8); i++)
			for (unsigned k = 0; k < ARRAY_LEN(wide); k++)
				check_casts(targets[t], fp8[i], wide[k], ROUND_RTNE);
}

static void test_to_fp8(void **state)
{
	for (unsigned t = 0; t < ARRAY_LEN(targets); t++)
		for (unsigned i = 0; i < ARRAY_LEN(fp8); i++)
			for (unsigned k = 0; k < ARRAY_LEN(wide); k++)
				for (int rounding = ROUND_RTZ; rounding <= ROUND_RTNE; rounding++)
					check_casts(targets[t], wide[k], fp8[i], rounding);
}

static void test_between_fp8(void **state)
{
	for (unsigned t = 0; t < ARRAY_LEN(targets); t++)
		for (unsigned i = 0; i < ARRAY_LEN(fp8); i++)
			for (unsigned k = 0; k < ARRAY_LEN(fp8); k++)
				if (i != k)
					check_casts(targets[t], fp8[i], fp8[k], ROUND_RTNE);
}

static void test_wide_casts(void **state)
{
	for (unsigned i = 0; i < ARRAY_LEN(wide); i++)
		for (unsigned k = 0; k < ARRAY_LEN(wide); k++)
			for (int rounding = ROUND_RTZ; rounding <= ROUND_RTNE && i != k; rounding++)
				if (rounding == ROUND_RTNE || wide[k].bits < wide[i].bits)
					check_casts("sm_90a", wide[i], wide[k], rounding);
}

typedef struct Bytes {
	bool is_signed;
	uint32_t lane;
	const Kind *to;
} Bytes;

static LLVMValueRef bytes_body(Eval *e, LLVMValueRef fn, const void *data)
{
	const Bytes *c = data;
	Lower *lw = &e->lw;
	LLVMValueRef in[4], out[4];
	for (uint32_t i = 0; i < 4; i++)
		in[i] = i == c->lane ? LLVMGetParam(fn, 0) : LLVMConstInt(lw->t.i8, 85, false);
	IrType to = ir_scalar(&e->ir, c->to->ir);
	cast_bytes(lw, lower_type(lw, to), c->is_signed, in, out);
	return lower_to_bits(lw, out[c->lane], to);
}

static void test_bytes(void **state)
{
	for (unsigned i = 0; i < 24; i++) {
		Bytes c = {.is_signed = i & 1, .lane = i >> 1 & 3, .to = &wide[i >> 3]}; /* not f64 */
		Eval e;
		eval_open(&e, "sm_90a");
		EvalFunction *f = eval_build(&e, lower_int_type(&e.lw, c.to->bits), &e.lw.t.i8, 1, bytes_body, &c);
		for (unsigned v = 0; v < 256; v++) {
			Wide arg = v;
			double got = fp_to_double(c.to->format, (uint64_t)eval_run(f, &arg).lane[0]);
			double want = c.is_signed ? (int8_t)v : (int)v;
			if (got != want)
				fail_msg("%u as %d: %g, not %g", v, c.is_signed, got, want);
		}
		eval_close(&e);
	}
}

/* ---- functions ---- */

typedef LLVMValueRef Unary(Lower *lw, LLVMValueRef x);

typedef struct Function {
	const char *name;
	Unary *build;
	long double (*exact)(long double x);
	double from, to; /* besides all magnitudes */
	double ulps;
	bool is_f64;
} Function;

static LLVMValueRef sine(Lower *lw, LLVMValueRef x)
{
	func_trig(lw, &x, 1, false);
	return x;
}

static LLVMValueRef cosine(Lower *lw, LLVMValueRef x)
{
	func_trig(lw, &x, 1, true);
	return x;
}

static LLVMValueRef sine64(Lower *lw, LLVMValueRef x)
{
	return func64_trig(lw, x, false);
}

static LLVMValueRef cosine64(Lower *lw, LLVMValueRef x)
{
	return func64_trig(lw, x, true);
}

static long double rsqrt_exact(long double x)
{
	return 1 / sqrtl(x);
}

static const Function functions[] = {
	{"log", func_log, logl, 0.2, 5, 1, false},
	{"log2", func_log2, log2l, 0.2, 5, 2, false},
	{"erf", func_erf, erfl, -5, 5, 2, false},
	{"atan", func_atan, atanl, -9, 9, 3, false},
	{"sin", sine, sinl, -40, 40, 2, false},
	{"cos", cosine, cosl, -40, 40, 2, false},
	{"exp64", func64_exp, expl, -750, 715, 1, true},
	{"exp2_64", func64_exp2, exp2l, -1080, 1030, 1, true},
	{"log64", func64_log, logl, 0.2, 5, 1, true},
	{"log2_64", func64_log2, log2l, 0.2, 5, 1, true},
	{"log1p64", func64_log1p, log1pl, -1, 3, 2, true},
	{"erf64", func64_erf, erfl, -7, 7, 2, true},
	{"tanh64", func64_tanh, tanhl, -22, 22, 2, true},
	{"atan64", func64_atan, atanl, -9, 9, 2, true},
	{"rsqrt64", func64_rsqrt, rsqrt_exact, 0, 9, 1, true},
	{"sin64", sine64, sinl, -40, 40, 3, true},
	{"cos64", cosine64, cosl, -40, 40, 3, true},
};

static LLVMValueRef function_body(Eval *e, LLVMValueRef fn, const void *data)
{
	const Function *f = data;
	return f->build(&e->lw, LLVMGetParam(fn, 0));
}

/* Distance of `got` from the exact value in units of the last place of a format with so many digits. */
static double distance(double got, long double want, bool is_f64)
{
	long double largest = is_f64 ? 0x1.fffffffffffffp1023L : 0x1.fffffep127L;
	if (want != want || got != got)
		return (want != want) == (got != got) ? 0 : (double)INFINITY;
	if (isinf(got))
		return fabsl(want) > largest && (want > 0) == (got > 0) ? 0 : (double)INFINITY;
	int exponent;
	frexpl(want, &exponent);
	int digits = is_f64 ? 53 : 24, least = is_f64 ? -1074 : -149;
	int unit = exponent - digits > least ? exponent - digits : least;
	return (double)(fabsl((long double)got - want) / ldexpl(1, unit));
}

/* A function's greatest error over arguments of all sizes and over the interval. */
static double greatest_error(const Function *f, const EvalFunction *code, double *where)
{
	FpFormat format = f->is_f64 ? FP_F64 : FP_F32;
	double worst = 0;
	uint64_t state = 7, mask = f->is_f64 ? ~UINT64_C(0) : 0xffffffff;
	for (unsigned i = 0; i < 40000; i++) {
		uint64_t bits = random_bits(&state) & mask;
		if (i & 1) {
			double u = (double)(random_bits(&state) >> 11) * 0x1p-53;
			bits = fp_from_double(format, f->from + (f->to - f->from) * u, FP_NEAREST_EVEN, false);
		}
		double x = fp_to_double(format, bits);
		Wide arg = bits;
		double got = fp_to_double(format, (uint64_t)eval_run(code, &arg).lane[0]);
		double d = distance(got, f->exact((long double)x), f->is_f64);
		if (d > worst)
			worst = d, *where = x;
	}
	return worst;
}

static void test_functions(void **state)
{
	for (unsigned i = 0; i < ARRAY_LEN(functions); i++) {
		const Function *f = &functions[i];
		Eval e;
		double where = 0;
		eval_open(&e, "sm_90a");
		LLVMTypeRef type = f->is_f64 ? e.lw.t.f64 : e.lw.t.f32;
		double worst = greatest_error(f, eval_build(&e, type, &type, 1, function_body, f), &where);
		print_message("%-8s %.3f ulps at %a\n", f->name, worst, where);
		if (worst > f->ulps)
			fail_msg("%s is wrong by %g ulps at %a", f->name, worst, where);
		eval_close(&e);
	}
}

/* Zeros, infinities, NaN, and arguments with a result that is exact. */
static void test_edges(void **state)
{
	static const struct {
		Unary *build;
		double x, y;
		bool is_f64;
	} rows[] = {
		{func_log, 0, -(double)INFINITY, false}, {func_log, -1, (double)NAN, false}, {func_log, (double)INFINITY, (double)INFINITY, false},
		{func_log, 1, 0, false}, {func_log2, 8, 3, false}, {func_log2, 0x1p-149, -149, false}, {func_log2, 0x1p-126, -126, false},
		{func_erf, (double)INFINITY, 1, false}, {func_erf, -(double)INFINITY, -1, false}, {func_erf, (double)NAN, (double)NAN, false},
		{sine, (double)INFINITY, (double)NAN, false}, {sine, -0.0, -0.0, false}, {sine, 0, 0, false}, {cosine, -0.0, 1, false}, {cosine, (double)NAN, (double)NAN, false},
		{func_atan, (double)INFINITY, 0x1.921fb6p0, false},
		{func64_exp, -(double)INFINITY, 0, true}, {func64_exp, (double)INFINITY, (double)INFINITY, true}, {func64_exp, 0, 1, true},
		{func64_exp, (double)NAN, (double)NAN, true}, {func64_exp2, -1074, 0x1p-1074, true}, {func64_exp2, 10, 1024, true},
		{func64_log, 0, -(double)INFINITY, true}, {func64_log, -2, (double)NAN, true}, {func64_log2, 0x1p-1074, -1074, true},
		{func64_log1p, -1, -(double)INFINITY, true}, {func64_log1p, (double)INFINITY, (double)INFINITY, true}, {func64_log1p, 0, 0, true},
		{func64_erf, -(double)INFINITY, -1, true}, {func64_tanh, (double)INFINITY, 1, true}, {func64_tanh, -0.0, -0.0, true}, {func64_tanh, (double)NAN, (double)NAN, true},
		{sine64, -(double)INFINITY, (double)NAN, true}, {sine64, -0.0, -0.0, true}, {sine64, 0, 0, true}, {cosine64, 0, 1, true}, {func64_rsqrt, 0, (double)INFINITY, true},
		{func64_rsqrt, (double)INFINITY, 0, true}, {func64_rsqrt, -1, (double)NAN, true}, {func64_atan, -(double)INFINITY, -0x1.921fb54442d18p0, true},
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		Eval e;
		eval_open(&e, "sm_90a");
		Function f = {.build = rows[i].build};
		LLVMTypeRef type = rows[i].is_f64 ? e.lw.t.f64 : e.lw.t.f32;
		FpFormat format = rows[i].is_f64 ? FP_F64 : FP_F32;
		EvalFunction *code = eval_build(&e, type, &type, 1, function_body, &f);
		Wide arg = fp_from_double(format, rows[i].x, FP_NEAREST_EVEN, false);
		double y = fp_to_double(format, (uint64_t)eval_run(code, &arg).lane[0]);
		if (rows[i].y != rows[i].y ? y == y : y != rows[i].y || signbit(y) != signbit(rows[i].y))
			fail_msg("row %u: f(%a) is %a, not %a", i, rows[i].x, y, rows[i].y);
		eval_close(&e);
	}
}

/* ---- of two operands ---- */

typedef LLVMValueRef Binary(Lower *lw, LLVMValueRef x, LLVMValueRef y);

static LLVMValueRef binary_body(Eval *e, LLVMValueRef fn, const void *data)
{
	Binary *const *build = data;
	return (*build)(&e->lw, LLVMGetParam(fn, 0), LLVMGetParam(fn, 1));
}

static const double corners[] = {0.0, -0.0, 1, -1, 0.5, -2, 3, -3, 2.5, 1e10, -1e30, 0x1p-149, 0x1p-126, 0x1p-1074, 7.25, (double)INFINITY,
				 -(double)INFINITY, (double)NAN};

static void test_fmod(void **state)
{
	static Binary *const build = func_fmod;
	for (unsigned wide_type = 0; wide_type < 2; wide_type++) {
		Eval e;
		eval_open(&e, "sm_80");
		LLVMTypeRef type = wide_type ? e.lw.t.f64 : e.lw.t.f32, types[] = {type, type};
		FpFormat format = wide_type ? FP_F64 : FP_F32;
		EvalFunction *code = eval_build(&e, type, types, 2, binary_body, &build);
		uint64_t state2 = 5, mask = wide_type ? ~UINT64_C(0) : 0xffffffff;
		enum { EDGES = ARRAY_LEN(corners) * ARRAY_LEN(corners) };
		for (unsigned i = 0; i < EDGES + 6000; i++) {
			uint64_t a = random_bits(&state2) & mask, b = random_bits(&state2) & mask;
			if (i < EDGES) {
				a = fp_from_double(format, corners[i / ARRAY_LEN(corners)], FP_NEAREST_EVEN, false);
				b = fp_from_double(format, corners[i % ARRAY_LEN(corners)], FP_NEAREST_EVEN, false);
			} else if (i & 1) {
				a = fp_from_double(format, (double)(a & 0xfffff) / 16, FP_NEAREST_EVEN, false);
				b = fp_from_double(format, (double)(b & 0xfff) / 10, FP_NEAREST_EVEN, false);
			}
			Wide args[] = {a, b};
			double x = fp_to_double(format, a), y = fp_to_double(format, b), want = fmod(x, y);
			double got = fp_to_double(format, (uint64_t)eval_run(code, args).lane[0]);
			if (want != want ? got == got : got != want || signbit(got) != signbit(want))
				fail_msg("fmod(%a, %a) is %a, not %a", x, y, got, want);
		}
		eval_close(&e);
	}
}

static void test_pow(void **state)
{
	static Binary *const build = func64_pow;
	Eval e;
	eval_open(&e, "sm_80");
	LLVMTypeRef types[] = {e.lw.t.f64, e.lw.t.f64};
	EvalFunction *code = eval_build(&e, e.lw.t.f64, types, 2, binary_body, &build);
	uint64_t random = 3;
	enum { EDGES = ARRAY_LEN(corners) * ARRAY_LEN(corners) };
	double worst = 0;
	for (unsigned i = 0; i < EDGES + 20000; i++) {
		double x = corners[i / ARRAY_LEN(corners) % ARRAY_LEN(corners)], y = corners[i % ARRAY_LEN(corners)];
		if (i >= EDGES) {
			x = ldexp((double)(random_bits(&random) >> 11) * 0x1p-53, (int)(random_bits(&random) & 15) - 8);
			y = ((double)(random_bits(&random) >> 11) * 0x1p-53 - 0.5) * (i & 1 ? 4 : 200);
		}
		Wide args[] = {fp_from_double(FP_F64, x, FP_NEAREST_EVEN, false), fp_from_double(FP_F64, y, FP_NEAREST_EVEN, false)};
		double got = fp_to_double(FP_F64, (uint64_t)eval_run(code, args).lane[0]);
		double d = i < EDGES ? distance(got, (long double)pow(x, y), true) : distance(got, powl((long double)x, (long double)y), true);
		if (d > 2)
			fail_msg("pow(%a, %a) is %a, not %a", x, y, got, pow(x, y));
		worst = d > worst ? d : worst;
	}
	print_message("pow      %.3f ulps\n", worst);
	eval_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_fp8), cmocka_unit_test(test_to_fp8), cmocka_unit_test(test_between_fp8),
		cmocka_unit_test(test_wide_casts), cmocka_unit_test(test_bytes), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_fmod), cmocka_unit_test(test_pow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
