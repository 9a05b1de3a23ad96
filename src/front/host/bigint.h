/* Integers of any size, for Python's arithmetic on values known while compiling. Immutable, in an arena;
 * normalised: no leading zero limb, zero has no limbs and is not negative. */
#ifndef NESO_FRONT_HOST_BIGINT_H
#define NESO_FRONT_HOST_BIGINT_H

#include "base/str.h"

typedef struct BigInt {
	bool negative;
	uint32_t len;
	uint32_t limb[]; /* least significant first */
} BigInt;

/* Numbers of more bits are refused by the operations that can make them (mul, shl, pow): they return NULL. */
enum { BIG_MAX_BITS = 1 << 17 };

const BigInt *big_of_int(Arena *arena, int64_t value);
const BigInt *big_of_uint(Arena *arena, uint64_t value);
/* The integer part; NULL for infinities and NaN. */
const BigInt *big_of_double(Arena *arena, double value);
/* Digits only, base 2 to 36; NULL when there are none or one does not fit. */
const BigInt *big_parse(Arena *arena, Str digits, unsigned base);
bool big_as_int(const BigInt *a, int64_t *out);
bool big_as_uint(const BigInt *a, uint64_t *out);
double big_as_double(const BigInt *a); /* nearest even; infinity past the range */
char *big_text(Arena *arena, const BigInt *a, unsigned base);
uint32_t big_bits(const BigInt *a); /* of the magnitude */

int big_compare(const BigInt *a, const BigInt *b); /* -1, 0, 1 */
const BigInt *big_neg(Arena *arena, const BigInt *a);
const BigInt *big_add(Arena *arena, const BigInt *a, const BigInt *b);
const BigInt *big_sub(Arena *arena, const BigInt *a, const BigInt *b);
const BigInt *big_mul(Arena *arena, const BigInt *a, const BigInt *b);
/* Rounded down, as Python's // and %; b must not be zero. */
void big_divmod(Arena *arena, const BigInt *a, const BigInt *b, const BigInt **quotient, const BigInt **rest);
const BigInt *big_shl(Arena *arena, const BigInt *a, uint64_t by);
const BigInt *big_shr(Arena *arena, const BigInt *a, uint64_t by);
const BigInt *big_pow(Arena *arena, const BigInt *a, uint64_t exponent);
/* '&', '|', '^' on two's complement of unlimited width. */
const BigInt *big_bitwise(Arena *arena, char op, const BigInt *a, const BigInt *b);

#endif
