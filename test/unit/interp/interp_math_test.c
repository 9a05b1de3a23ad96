/* The vector kernels of each instruction set that this machine has: elementary functions against libm's double ones
 * over all exponents, conversions of floats exhaustively, and all sets against each other bit by bit. */
#include "unit.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "base/float/fp.h"
#include "interp/kern/kern.h"

enum { BLOCK = 1000 };

static unsigned sets(const Kernels **out)
{
	static const char *const names[] = {"plain", "avx2", "avx512"};
	unsigned n = 0;
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		const Kernels *s = kernels_choose(names[k]);
		if (n == 0 || out[n - 1] != s)
			out[n++] = s;
	}
	return n;
}

/* What .ftz makes of a float. */
static double flushed(double x)
{
	return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static double reference_sqrt(double x)
{
	return sqrt(flushed(x));
}

static double reference_rsqrt(double x)
{
	return 1 / sqrt(flushed(x));
}

static double reference_exp2(double x)
{
	return flushed(exp2(x));
}

static const struct {
	KernUnaryOp op;
	double (*reference)(double);
	const char *name;
	double ulps; /* of f32, about the exact value: half of one is the rounding itself */
} functions[] = {
	{KU_EXP, exp, "exp", 0.501}, {KU_EXP2, reference_exp2, "exp2", 0.501},
	{KU_LOG, log, "log", 0.501},
	{KU_LOG2, log2, "log2", 0.501}, {KU_SIN, sin, "sin", 0.501},	 {KU_COS, cos, "cos", 0.501},
	{KU_ERF, erf, "erf", 0.501}, {KU_TANH, tanh, "tanh", 0.501},
	{KU_SQRT, reference_sqrt, "sqrt", 0.5},
	{KU_PRECISE_SQRT, sqrt, "precise sqrt", 0.5}, {KU_RSQRT, reference_rsqrt, "rsqrt", 0.501},
};

/* How far `got` is from `want` in units of the last place of an f32 near `want`. */
static double ulps(float got, double want)
{
	if (isnan(want))
		return isnan(got) ? 0 : INFINITY;
	if ((float)want == got)
		return fabs(want) > 0x1p128 || isinf(got) ? 0 : fabs((double)got - want) / ldexp(1, MAX(ilogb(want), -126) - 23);
	if (isinf(got) && fabs(want) >= 0x1.ffffffp127)
		return 0;
	int e = want == 0 ? -126 : MAX(ilogb(want), -126);
	return fabs((double)got - want) / ldexp(1, e - 23);
}

static void elementary_functions(void **state)
{
	const Kernels *all[3];
	unsigned n = sets(all);
	for (size_t f = 0; f < ARRAY_LEN(functions); f++) {
		double worst = 0;
		float worst_at = 0;
		/* Every 3989th float, of both signs, all exponents, infinities and NaN among them. */
		for (uint64_t start = 0; start < UINT64_C(1) << 32; start += 3989 * BLOCK) {
			float x[BLOCK], y[3][BLOCK];
			for (unsigned i = 0; i < BLOCK; i++) {
				uint32_t u = (uint32_t)(start + i * 3989);
				memcpy(&x[i], &u, 4);
			}
			for (unsigned s = 0; s < n; s++)
				all[s]->unary[functions[f].op][KT_F32](y[s], x, BLOCK);
			for (unsigned i = 0; i < BLOCK; i++) {
				for (unsigned s = 1; s < n; s++)
					if (memcmp(&y[0][i], &y[s][i], 4) != 0 && !(isnan(y[0][i]) && isnan(y[s][i])))
						fail_msg("%s(%a): %a in %s, %a in %s", functions[f].name, (double)x[i],
							 (double)y[0][i], all[0]->name, (double)y[s][i], all[s]->name);
				double off = ulps(y[0][i], functions[f].reference((double)x[i]));
				if (off > worst) {
					worst = off;
					worst_at = x[i];
				}
			}
		}
		if (worst > functions[f].ulps)
			fail_msg("%s is %g ulps off at %a", functions[f].name, worst, (double)worst_at);
	}
}

static void narrow_floats_are_exact(void **state)
{
	static const FpFormat formats[KF__COUNT] = {FP_F16, FP_BF16, FP_E4M3FN, FP_E5M2, FP_E4M3B11FNUZ, FP_E4M3FNUZ, FP_E5M2FNUZ};
	const Kernels *all[3];
	unsigned n = sets(all);
	for (unsigned s = 0; s < n; s++)
		for (unsigned f = 0; f < KF__COUNT; f++) {
			bool wide = f <= KF_BF16;
			for (uint32_t v = 0; v < (wide ? 65536u : 256u); v++) {
				uint16_t in[17];
				float out[17];
				for (unsigned i = 0; i < 17; i++) { /* the vector part and the tail */
					if (wide)
						in[i] = (uint16_t)v;
					else
						((uint8_t *)in)[i] = (uint8_t)v;
				}
				all[s]->to_f32[f](out, in, 17);
				double want = fp_to_double(formats[f], v);
				for (unsigned i = 0; i < 17; i += 16)
					if ((double)out[i] != want && !(isnan(out[i]) && isnan(want)))
						fail_msg("%s: format %u, %x: %a, want %a", all[s]->name, f, v, (double)out[i], want);
			}
			/* Every 9973rd float, and the neighbourhood of every value of the format and of every tie. */
			for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 9973) {
				float x[17];
				uint16_t out[17] = {0};
				for (unsigned i = 0; i < 17; i++) {
					uint32_t bits = (uint32_t)u;
					if (i)
						bits = (bits & 0xfffff000) + (i & 1 ? 0u : 0x800u) + (i > 8) - (i == 16 ? 2u : 0u);
					memcpy(&x[i], &bits, 4);
				}
				all[s]->from_f32[f](out, x, 17);
				for (unsigned i = 0; i < 17; i++) {
					uint64_t got = wide ? out[i] : ((uint8_t *)out)[i];
					uint64_t want = fp_from_double(formats[f], (double)x[i], FP_NEAREST_EVEN, !wide);
					if (got != want && !isnan(x[i]))
						fail_msg("%s: %a to format %u: %llx, want %llx", all[s]->name, (double)x[i], f,
							 (unsigned long long)got, (unsigned long long)want);
					assert_true(!isnan(x[i]) || isnan(fp_to_double(formats[f], got)));
				}
			}
		}
}

static void products_are_the_same_everywhere(void **state)
{
	const Kernels *all[3];
	unsigned n = sets(all);
	for (int columns = 1; columns <= 200; columns += 7) {
		enum { M = 7, K = 33, MOST = 256 };
		static float a[M * K], b[K * MOST], packed[K * MOST * 2], c[3][M * MOST];
		for (int i = 0; i < M * K; i++)
			a[i] = (float)(i * 37 % 101) / 7 - 3;
		for (int i = 0; i < K * columns; i++)
			b[i] = (float)(i * 53 % 97) / 11 - 2;
		for (unsigned s = 0; s < n; s++) {
			const KernGemmSet *g = &all[s]->gemm_f32;
			float *to = packed;
			for (int j = 0; j < columns; j += (int)g->panel) {
				int width = MIN(columns - j, (int)g->panel);
				int padded = (width + (int)g->vector - 1) / (int)g->vector * (int)g->vector;
				for (int p = 0; p < K; p++, to += padded)
					for (int q = 0; q < padded; q++)
						to[q] = q < width ? b[p * columns + j + q] : 0;
			}
			for (int i = 0; i < M * columns; i++)
				c[s][i] = 1;
			g->run(c[s], (size_t)columns, a, K, packed, M, (size_t)columns, K);
		}
		for (int i = 0; i < M * columns; i++) {
			float want = 1;
			for (int p = 0; p < K; p++)
				want = fmaf(a[i / columns * K + p], b[p * columns + i % columns], want);
			for (unsigned s = 0; s < n; s++)
				if (c[s][i] != want)
					fail_msg("%s, %d columns, element %d: %a, want %a", all[s]->name, columns, i, (double)c[s][i],
						 (double)want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elementary_functions),
		cmocka_unit_test(narrow_floats_are_exact),
		cmocka_unit_test(products_are_the_same_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
