/* Integers of any size: schoolbook arithmetic on 32-bit limbs, sign and magnitude. The numbers are those of
 * constants in kernels, so simple beats fast; BIG_MAX_BITS bounds time and memory. */
#include "front/host/bigint.h"

#include <math.h>

static BigInt *big_new(Arena *arena, uint32_t len)
{
	BigInt *a = arena_alloc(arena, sizeof(BigInt) + len * sizeof(uint32_t));
	a->len = len;
	return a;
}

static const BigInt *trim(BigInt *a)
{
	while (a->len && a->limb[a->len - 1] == 0)
		a->len--;
	if (!a->len)
		a->negative = false;
	return a;
}

const BigInt *big_of_uint(Arena *arena, uint64_t value)
{
	BigInt *a = big_new(arena, 2);
	a->limb[0] = (uint32_t)value;
	a->limb[1] = (uint32_t)(value >> 32);
	return trim(a);
}

const BigInt *big_of_int(Arena *arena, int64_t value)
{
	BigInt *a = (BigInt *)big_of_uint(arena, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	a->negative = value < 0;
	return a;
}

const BigInt *big_of_double(Arena *arena, double value)
{
	if (!isfinite(value))
		return NULL;
	int exponent;
	double fraction = frexp(fabs(trunc(value)), &exponent);
	const BigInt *a = big_of_uint(arena, (uint64_t)ldexp(fraction, 53));
	a = exponent >= 53 ? big_shl(arena, a, (uint64_t)(exponent - 53))
			   : big_shr(arena, a, (uint64_t)(53 - exponent));
	return value < 0 ? big_neg(arena, a) : a;
}

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10 : 99;
}

const BigInt *big_parse(Arena *arena, Str digits, unsigned base)
{
	if (!digits.len || digits.len > BIG_MAX_BITS / 4)
		return NULL;
	/* 36 < 2^6 */
	BigInt *a = big_new(arena, (uint32_t)(digits.len * 6 / 32 + 1));
	uint32_t used = 0;
	for (size_t i = 0; i < digits.len; i++) {
		uint64_t carry = digit_of(digits.ptr[i]);
		if (carry >= base)
			return NULL;
		for (uint32_t k = 0; k < used; k++) {
			carry += (uint64_t)a->limb[k] * base;
			a->limb[k] = (uint32_t)carry;
			carry >>= 32;
		}
		if (carry)
			a->limb[used++] = (uint32_t)carry;
	}
	return trim(a);
}

bool big_as_uint(const BigInt *a, uint64_t *out)
{
	if (a->negative || a->len > 2)
		return false;
	*out = (a->len > 1 ? (uint64_t)a->limb[1] << 32 : 0) | (a->len ? a->limb[0] : 0);
	return true;
}

bool big_as_int(const BigInt *a, int64_t *out)
{
	if (a->len > 2)
		return false;
	uint64_t m = (a->len > 1 ? (uint64_t)a->limb[1] << 32 : 0) | (a->len ? a->limb[0] : 0);
	if (m > (uint64_t)INT64_MAX + a->negative)
		return false;
	*out = a->negative ? (int64_t)(0 - m) : (int64_t)m;
	return true;
}

uint32_t big_bits(const BigInt *a)
{
	return a->len ? a->len * 32 - (uint32_t)__builtin_clz(a->limb[a->len - 1]) : 0;
}

/* The top 64 bits with a sticky bit for what is below, so that one rounding is made. */
double big_as_double(const BigInt *a)
{
	uint32_t bits = big_bits(a), drop = bits > 64 ? bits - 64 : 0;
	uint64_t top = 0;
	bool sticky = false;
	for (uint32_t i = bits; i-- > drop;)
		top = top << 1 | ((a->limb[i / 32] >> (i % 32)) & 1);
	for (uint32_t i = 0; i < drop && !sticky; i++)
		sticky = (a->limb[i / 32] >> (i % 32)) & 1;
	if (drop > 2000)
		return a->negative ? -INFINITY : INFINITY;
	double d = ldexp((double)(top | sticky), (int)drop);
	return a->negative ? -d : d;
}

char *big_text(Arena *arena, const BigInt *a, unsigned base)
{
	/* As many digits at a time as a limb holds. */
	uint32_t chunk = base;
	unsigned digits = 1;
	for (; (uint64_t)chunk * base <= UINT32_MAX; digits++)
		chunk *= base;
	size_t cap = (size_t)a->len * 32 + 3, at = cap - 1;
	char *text = arena_alloc(arena, cap + digits);
	at += digits;
	BigInt *rest = arena_copy(arena, a, sizeof *a + a->len * sizeof a->limb[0]);
	do {
		uint64_t carry = 0;
		for (uint32_t i = rest->len; i-- > 0;) {
			carry = carry << 32 | rest->limb[i];
			rest->limb[i] = (uint32_t)(carry / chunk);
			carry %= chunk;
		}
		trim(rest);
		for (unsigned i = 0; i < digits && (rest->len || carry || !i); i++, carry /= base)
			text[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[carry % base];
	} while (rest->len);
	if (a->negative)
		text[--at] = '-';
	return text + at;
}

static int compare_magnitude(const BigInt *a, const BigInt *b)
{
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	for (uint32_t i = a->len; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

int big_compare(const BigInt *a, const BigInt *b)
{
	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	return a->negative ? compare_magnitude(b, a) : compare_magnitude(a, b);
}

const BigInt *big_neg(Arena *arena, const BigInt *a)
{
	BigInt *r = arena_copy(arena, a, sizeof *a + a->len * sizeof a->limb[0]);
	r->negative = !a->negative;
	return trim(r);
}

static BigInt *add_magnitude(Arena *arena, const BigInt *a, const BigInt *b)
{
	uint32_t len = MAX(a->len, b->len) + 1;
	BigInt *r = big_new(arena, len);
	uint64_t carry = 0;
	for (uint32_t i = 0; i < len; i++) {
		carry += (uint64_t)(i < a->len ? a->limb[i] : 0) + (i < b->len ? b->limb[i] : 0);
		r->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return r;
}

/* |a| >= |b| */
static BigInt *sub_magnitude(Arena *arena, const BigInt *a, const BigInt *b)
{
	BigInt *r = big_new(arena, a->len);
	int64_t borrow = 0;
	for (uint32_t i = 0; i < a->len; i++) {
		int64_t d = (int64_t)a->limb[i] - (i < b->len ? b->limb[i] : 0) + borrow;
		r->limb[i] = (uint32_t)d;
		borrow = d < 0 ? -1 : 0;
	}
	return r;
}

static const BigInt *add_signed(Arena *arena, const BigInt *a, const BigInt *b, bool b_negative)
{
	BigInt *r;
	if (a->negative == b_negative) {
		r = add_magnitude(arena, a, b);
		r->negative = a->negative;
	} else if (compare_magnitude(a, b) >= 0) {
		r = sub_magnitude(arena, a, b);
		r->negative = a->negative;
	} else {
		r = sub_magnitude(arena, b, a);
		r->negative = b_negative;
	}
	return trim(r);
}

const BigInt *big_add(Arena *arena, const BigInt *a, const BigInt *b)
{
	return add_signed(arena, a, b, b->negative);
}

const BigInt *big_sub(Arena *arena, const BigInt *a, const BigInt *b)
{
	return add_signed(arena, a, b, !b->negative);
}

const BigInt *big_mul(Arena *arena, const BigInt *a, const BigInt *b)
{
	if (big_bits(a) + big_bits(b) > BIG_MAX_BITS)
		return NULL;
	BigInt *r = big_new(arena, a->len + b->len + 1);
	for (uint32_t i = 0; i < a->len; i++) {
		uint64_t carry = 0;
		for (uint32_t k = 0; k < b->len || carry; k++) {
			carry += r->limb[i + k] + (k < b->len ? (uint64_t)a->limb[i] * b->limb[k] : 0);
			r->limb[i + k] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	r->negative = a->negative != b->negative;
	return trim(r);
}

/* Bit by bit: quotient and rest of the magnitudes. */
static void divide_magnitude(Arena *arena, const BigInt *a, const BigInt *b, BigInt **quotient, BigInt **rest)
{
	BigInt *q = big_new(arena, a->len), *r = big_new(arena, b->len + 1);
	for (uint32_t i = big_bits(a); i-- > 0;) {
		uint32_t carry = (a->limb[i / 32] >> (i % 32)) & 1;
		r->len = b->len + 1;
		for (uint32_t k = 0; k < r->len; k++) {
			uint32_t next = r->limb[k] >> 31;
			r->limb[k] = r->limb[k] << 1 | carry;
			carry = next;
		}
		trim(r);
		if (compare_magnitude(r, b) < 0)
			continue;
		q->limb[i / 32] |= 1u << (i % 32);
		int64_t borrow = 0;
		for (uint32_t k = 0; k < r->len; k++) {
			int64_t d = (int64_t)r->limb[k] - (k < b->len ? b->limb[k] : 0) + borrow;
			r->limb[k] = (uint32_t)d;
			borrow = d < 0 ? -1 : 0;
		}
		trim(r);
	}
	*quotient = q;
	*rest = r;
}

void big_divmod(Arena *arena, const BigInt *a, const BigInt *b, const BigInt **quotient, const BigInt **rest)
{
	ASSERT(b->len);
	BigInt *q, *r;
	divide_magnitude(arena, a, b, &q, &r);
	q->negative = a->negative != b->negative;
	r->negative = a->negative;
	*quotient = trim(q);
	*rest = trim(r);
	if (r->len && r->negative != b->negative) {
		*quotient = big_sub(arena, *quotient, big_of_int(arena, 1));
		*rest = big_add(arena, *rest, b);
	}
}

const BigInt *big_shl(Arena *arena, const BigInt *a, uint64_t by)
{
	if (!a->len)
		return a;
	if (by > BIG_MAX_BITS || big_bits(a) + by > BIG_MAX_BITS)
		return NULL;
	uint32_t limbs = (uint32_t)(by / 32), bits = (uint32_t)(by % 32);
	BigInt *r = big_new(arena, a->len + limbs + 1);
	for (uint32_t i = 0; i < a->len; i++) {
		uint64_t wide = (uint64_t)a->limb[i] << bits;
		r->limb[i + limbs] |= (uint32_t)wide;
		r->limb[i + limbs + 1] = (uint32_t)(wide >> 32);
	}
	r->negative = a->negative;
	return trim(r);
}

/* Rounded down, as an arithmetic shift. */
const BigInt *big_shr(Arena *arena, const BigInt *a, uint64_t by)
{
	if (by >= big_bits(a))
		return big_of_int(arena, a->negative ? -1 : 0);
	uint32_t limbs = (uint32_t)(by / 32), bits = (uint32_t)(by % 32);
	bool lost = false;
	for (uint32_t i = 0; i < limbs; i++)
		lost = lost || a->limb[i];
	if (bits)
		lost = lost || a->limb[limbs] << (32 - bits);
	BigInt *r = big_new(arena, a->len - limbs);
	for (uint32_t i = 0; i < r->len; i++) {
		uint64_t wide = a->limb[i + limbs] | (i + limbs + 1 < a->len ? (uint64_t)a->limb[i + limbs + 1] << 32 : 0);
		r->limb[i] = (uint32_t)(wide >> bits);
	}
	r->negative = a->negative;
	trim(r);
	return a->negative && lost ? big_sub(arena, r, big_of_int(arena, 1)) : r;
}

const BigInt *big_pow(Arena *arena, const BigInt *a, uint64_t exponent)
{
	const BigInt *r = big_of_int(arena, 1);
	for (const BigInt *square = a; r && exponent; exponent >>= 1) {
		if (exponent & 1)
			r = big_mul(arena, r, square);
		if (exponent > 1 && !(square = big_mul(arena, square, square)))
			return NULL;
	}
	return r;
}

static uint32_t twos_limb(const BigInt *a, uint32_t i, uint64_t *carry)
{
	uint32_t limb = i < a->len ? a->limb[i] : 0;
	if (!a->negative)
		return limb;
	*carry += (uint32_t)~limb;
	uint32_t r = (uint32_t)*carry;
	*carry >>= 32;
	return r;
}

const BigInt *big_bitwise(Arena *arena, char op, const BigInt *a, const BigInt *b)
{
	uint32_t len = MAX(a->len, b->len) + 1;
	BigInt *r = big_new(arena, len);
	uint64_t carry_a = 1, carry_b = 1;
	for (uint32_t i = 0; i < len; i++) {
		uint32_t x = twos_limb(a, i, &carry_a), y = twos_limb(b, i, &carry_b);
		r->limb[i] = op == '&' ? x & y : op == '|' ? x | y : x ^ y;
	}
	if (r->limb[len - 1] >> 31) {
		uint64_t carry = 1;
		for (uint32_t i = 0; i < len; i++) {
			carry += (uint32_t)~r->limb[i];
			r->limb[i] = (uint32_t)carry;
			carry >>= 32;
		}
		r->negative = true;
	}
	return trim(r);
}
