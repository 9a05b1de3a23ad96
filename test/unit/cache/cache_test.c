/* Digests, keys, entries: what they hold, and that no damage goes unnoticed. */
#include "unit.h"

#include "cache/entry/entry.h"
#include "cache/entry/key.h"
#include "base/option/option.h"
#include "cache/store.h"

static int setup(void **state)
{
	static Arena arena;
	arena_init(&arena, 0);
	*state = &arena;
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

/* FIPS 180-4's examples; RFC 4648's alphabet. */
static void digests_are_sha256(void **state)
{
	char hex[CACHE_HEX_SIZE], text[CACHE_BASE32_SIZE];
	CacheDigest digest = cache_hash_of("abc", 3), again;
	cache_digest_hex(&digest, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_true(cache_digest_read(hex, 64, &again));
	assert_true(cache_digest_eq(&digest, &again));
	hex[3] = 'G';
	assert_false(cache_digest_read(hex, 64, &again));
	assert_false(cache_digest_read(hex, 63, &again));
	digest = cache_hash_of("", 0);
	cache_digest_base32(&digest, text);
	assert_string_equal(text, "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ");
	CacheHash hash;
	cache_hash_init(&hash);
	cache_hash_add(&hash, "a", 1);
	cache_hash_add(&hash, "bc", 2);
	digest = cache_hash_done(&hash);
	again = cache_hash_of("abc", 3);
	assert_true(cache_digest_eq(&digest, &again));
}

static void a_key_reads_back(void **state)
{
	Arena *arena = *state;
	CacheKey key, back;
	cache_key_init(&key, arena);
	cache_key_add(&key, "function", "a\tb\nc\\d\r");
	cache_key_printf(&key, "num_warps", "%d", 4);
	cache_key_add(&key, "function", "");
	Str text = cache_key_text(&key);
	assert_string_equal(text.ptr, "function\ta\\tb\\nc\\\\d\\r\nnum_warps\t4\nfunction\t\n");
	cache_key_read(&back, arena, text);
	assert_int_equal(back.rows.len, 3);
	assert_string_equal(back.rows.data[0].value, "a\tb\nc\\d\r");
	CacheDigest a = cache_key_digest(&key), b = cache_key_digest(&back);
	assert_true(cache_digest_eq(&a, &b));
	assert_string_equal(cache_key_value(&back, "num_warps"), "4");
	assert_null(cache_key_value(&back, "num_stages"));
	cache_key_read(&back, arena, STR("no tab\n\\\t\\"));
	assert_int_equal(back.rows.len, 1);
	assert_string_equal(back.rows.data[0].name, "\\");
}

static void differences_of_keys_are_rows(void **state)
{
	Arena *arena = *state;
	CacheKey a, b;
	CacheDifferences found = {0};
	cache_key_init(&a, arena);
	cache_key_init(&b, arena);
	cache_key_add(&a, "arg x", "*fp32");
	cache_key_add(&a, "function f", "1");
	cache_key_add(&a, "global N", "8");
	cache_key_add(&b, "arg x", "*fp16");
	cache_key_add(&b, "function f", "1");
	cache_key_add(&b, "global M", "8");
	cache_key_compare(arena, &a, &b, &found);
	assert_int_equal(found.len, 3);
	assert_string_equal(found.data[0].name, "arg x");
	assert_string_equal(found.data[0].a, "*fp32");
	assert_string_equal(found.data[0].b, "*fp16");
	assert_string_equal(found.data[1].name, "global N");
	assert_null(found.data[1].b);
	assert_string_equal(found.data[2].name, "global M");
	assert_null(found.data[2].a);
	found.len = 0;
	cache_key_compare(arena, &a, &a, &found);
	assert_int_equal(found.len, 0);
}

static void sizes_are_read(void **state)
{
	uint64_t n;
	assert_true(option_read_size("10", &n) && n == 10);
	assert_true(option_read_size("2.5k", &n) && n == 2560);
	assert_true(option_read_size("3MiB", &n) && n == 3 << 20);
	assert_true(option_read_size("5G", &n) && n == UINT64_C(5) << 30);
	assert_false(option_read_size("", &n));
	assert_false(option_read_size("-1", &n));
	assert_false(option_read_size("1X", &n));
	assert_false(option_read_size("1Gx", &n));
	assert_false(option_read_size("nan", &n));
}

/* ---- entries ---- */

static Str sample(Arena *arena, CacheDigest *key)
{
	char *cubin = arena_alloc_raw(arena, 5000, 1);
	for (size_t i = 0; i < 5000; i++)
		cubin[i] = (char)(i * i >> 3);
	Text ptx;
	text_init(&ptx, arena);
	for (int i = 0; i < 300; i++)
		text_printf(&ptx, "mov.u32 %%r%d, 0;\n", i);
	CacheSection sections[] = {{"ptx", {ptx.data, ptx.len}}, {"cubin", {cubin, 5000}}, {"empty", {"", 0}}, {"small", STR("xyz")}};
	*key = cache_hash_of("key", 3);
	return cache_entry_write(arena, key, sections, ARRAY_LEN(sections));
}

static void an_entry_reads_back(void **state)
{
	Arena *arena = *state;
	CacheDigest key;
	CacheEntry entry;
	const char *why;
	Str out, file = sample(arena, &key);
	assert_true(cache_entry_open(&entry, file, &key, &why));
	assert_int_equal(entry.count, 4);
	assert_true(cache_entry_section(&entry, "ptx", arena, &out, &why));
	assert_true(file.len < out.len + 5000);
	assert_memory_equal(out.ptr, "mov.u32 %r0, 0;\n", 16);
	assert_int_equal(out.ptr[out.len], 0);
	assert_true(cache_entry_section(&entry, "cubin", arena, &out, &why));
	assert_int_equal(out.len, 5000);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(out.ptr[i], (char)(i * i >> 3));
	assert_true(cache_entry_section(&entry, "empty", arena, &out, &why));
	assert_int_equal(out.len, 0);
	assert_true(cache_entry_section(&entry, "small", arena, &out, &why));
	assert_true(str_is(out, "xyz"));
	assert_false(cache_entry_section(&entry, "sass", arena, &out, &why));
	assert_null(why);
	assert_true(cache_entry_has(&entry, "cubin"));
	assert_false(cache_entry_has(&entry, "sass"));
	assert_true(cache_entry_verify(&entry, &why));
	CacheDigest other = cache_hash_of("other", 5);
	assert_false(cache_entry_open(&entry, file, &other, &why));
	assert_string_equal(why, "it is of another key");
	CacheDigest digest_a = cache_hash_of(file.ptr, file.len);
	Str twice = sample(arena, &key);
	CacheDigest digest_b = cache_hash_of(twice.ptr, twice.len);
	assert_true(cache_digest_eq(&digest_a, &digest_b));
}

static bool is_whole(Str file, const CacheDigest *key)
{
	CacheEntry entry;
	const char *why = NULL;
	bool whole = cache_entry_open(&entry, file, key, &why) && cache_entry_verify(&entry, &why);
	assert_true(whole || why);
	return whole;
}

static void every_flipped_bit_is_noticed(void **state)
{
	Arena *arena = *state;
	CacheDigest key;
	Str file = sample(arena, &key);
	char *copy = arena_copy(arena, file.ptr, file.len);
	assert_true(is_whole((Str){copy, file.len}, &key));
	for (size_t i = 0; i < file.len; i++) {
		copy[i] = (char)(copy[i] ^ 1 << i % 8);
		assert_false(is_whole((Str){copy, file.len}, &key));
		copy[i] = file.ptr[i];
	}
}

static void every_other_length_is_noticed(void **state)
{
	Arena *arena = *state;
	CacheDigest key;
	Str file = sample(arena, &key);
	for (size_t len = 0; len < file.len; len++)
		assert_false(is_whole((Str){file.ptr, len}, &key));
	char *longer = arena_alloc(arena, file.len + 1);
	memcpy(longer, file.ptr, file.len);
	assert_false(is_whole((Str){longer, file.len + 1}, &key));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(digests_are_sha256, setup, teardown),
		cmocka_unit_test_setup_teardown(a_key_reads_back, setup, teardown),
		cmocka_unit_test_setup_teardown(differences_of_keys_are_rows, setup, teardown),
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test_setup_teardown(an_entry_reads_back, setup, teardown),
		cmocka_unit_test_setup_teardown(every_flipped_bit_is_noticed, setup, teardown),
		cmocka_unit_test_setup_teardown(every_other_length_is_noticed, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
