/* Integers of any size: against 128-bit arithmetic, and by identities where numbers are longer. */
#include "unit.h"

#include "front/host/bigint.h"

static Arena arena;

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers of every length up to 64 bits. */
static int64_t pick(void)
{
	uint64_t r = next_random();
	return (int64_t)r >> (next_random() % 64);
}

static void check_same(const BigInt *a, int64_t expected)
{
	int64_t i;
	assert_true(big_as_int(a, &i));
	assert_int_equal(i, expected);
}

static void test_small(void **unused)
{
	(void)unused;
	for (int n = 0; n < 20000; n++) {
		int64_t a = pick() / 2, b = pick() / 2;
		const BigInt *x = big_of_int(&arena, a), *y = big_of_int(&arena, b);
		check_same(big_add(&arena, x, y), a + b);
		check_same(big_sub(&arena, x, y), a - b);
		check_same(big_bitwise(&arena, '&', x, y), a & b);
		check_same(big_bitwise(&arena, '|', x, y), a | b);
		check_same(big_bitwise(&arena, '^', x, y), a ^ b);
		check_same(big_shr(&arena, x, (uint64_t)n % 70), n % 70 > 63 ? (a < 0 ? -1 : 0) : a >> (n % 70));
		assert_int_equal(big_compare(x, y), a < b ? -1 : a > b);
		if (!b)
			continue;
		const BigInt *q, *r;
		big_divmod(&arena, x, y, &q, &r);
		int64_t floor_q = a / b - (a % b != 0 && (a < 0) != (b < 0));
		check_same(q, floor_q);
		check_same(r, a - floor_q * b);
	}
}

static void test_long(void **unused)
{
	(void)unused;
	for (int n = 0; n < 200; n++) {
		const BigInt *a = big_of_int(&arena, pick()), *b = big_of_int(&arena, pick() | 1);
		a = big_mul(&arena, big_shl(&arena, a, next_random() % 200), big_of_int(&arena, pick()));
		b = big_mul(&arena, b, big_of_int(&arena, pick() | 1));
		const BigInt *q, *r;
		big_divmod(&arena, a, b, &q, &r);
		assert_int_equal(big_compare(big_add(&arena, big_mul(&arena, q, b), r), a), 0);
		assert_true(!r->len || r->negative == b->negative);
		const char *text = big_text(&arena, a, 10);
		const BigInt *back = big_parse(&arena, str_of(text + a->negative), 10);
		assert_int_equal(big_compare(a->negative ? big_neg(&arena, back) : back, a), 0);
	}
}

static void test_text(void **unused)
{
	(void)unused;
	const BigInt *a = big_pow(&arena, big_of_int(&arena, 3), 100);
	assert_string_equal(big_text(&arena, a, 10), "515377520732011331036461129765621272702107522001");
	assert_string_equal(big_text(&arena, big_of_int(&arena, -255), 16), "-ff");
	assert_string_equal(big_text(&arena, big_of_int(&arena, 0), 10), "0");
	assert_string_equal(big_text(&arena, big_of_int(&arena, -1000000000), 10), "-1000000000");
	assert_string_equal(big_text(&arena, big_shl(&arena, big_of_int(&arena, 1), 64), 2),
			    "10000000000000000000000000000000000000000000000000000000000000000");
	assert_null(big_parse(&arena, STR("12x"), 10));
	assert_null(big_parse(&arena, STR(""), 10));
	assert_null(big_shl(&arena, a, 1u << 20));
	assert_null(big_pow(&arena, a, 1u << 20));
	uint64_t u;
	assert_true(big_as_uint(big_of_uint(&arena, UINT64_MAX), &u));
	assert_true(u == UINT64_MAX);
	int64_t i;
	assert_false(big_as_int(big_of_uint(&arena, (uint64_t)INT64_MAX + 1), &i));
	assert_true(big_as_int(big_neg(&arena, big_of_uint(&arena, (uint64_t)INT64_MAX + 1)), &i));
	assert_true(i == INT64_MIN);
}

static void test_double(void **unused)
{
	(void)unused;
	assert_true(big_as_double(big_of_double(&arena, 1e300)) == 1e300);
	assert_true(big_as_double(big_of_double(&arena, -123456.75)) == -123456);
	assert_true(big_as_double(big_of_double(&arena, 0.5)) == 0);
	assert_null(big_of_double(&arena, 1.0 / 0.0));
	/* 2^64 + 2^11 + 1 rounds up, 2^64 + 2^11 to even. */
	const BigInt *one = big_of_int(&arena, 1), *big = big_shl(&arena, one, 64);
	const BigInt *half = big_add(&arena, big, big_of_int(&arena, 2048));
	assert_true(big_as_double(half) == 0x1p64);
	assert_true(big_as_double(big_add(&arena, half, one)) == 0x1.0000000000001p64);
}

int main(void)
{
	arena_init(&arena, 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_double),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
