/* Template of the kernels of integers, included once for each width BITS; a part of kern.c. */
#define INTS_JOIN_(a, b, c) a##b##c
#define INTS_JOIN(a, b, c) INTS_JOIN_(a, b, c)
#define INTS_FORMS(name, suffix, T, R, expr) BINARY_FORMS(name, suffix, T, R, expr)
#define SUFFIX INTS_JOIN(, _, BITS)
#define U INTS_JOIN(uint, BITS, _t)
#define S INTS_JOIN(int, BITS, _t)
#define ONES ((U)-1)
#if BITS == 64
#define W uint64_t
#define MULHI(x, y) mulhi_64(x, y)
#else
#define W uint32_t
#define MULHI(x, y) (U)(((uint64_t)(x) * (y)) >> BITS)
#endif

#define INT_BINARY(name, expr) INTS_FORMS(name, SUFFIX, U, U, expr)
#include "interp/kern/kern.def"
#define CMPI(name, expr) INTS_FORMS(name, SUFFIX, U, uint8_t, expr)
#include "interp/kern/cmp.def"
#define INT_UNARY(name, expr)                                                     \
	static void INTS_JOIN(name, _, BITS)(void *out, const void *a, size_t n)  \
	{                                                                         \
		U *o = out;                                                       \
		const U *p = a;                                                   \
		EACH { U x = p[i]; o[i] = expr; }                                 \
	}
#include "interp/kern/kern.def"

#undef INTS_JOIN_
#undef INTS_JOIN
#undef INTS_FORMS
#undef SUFFIX
#undef U
#undef S
#undef ONES
#undef W
#undef MULHI
#undef BITS
