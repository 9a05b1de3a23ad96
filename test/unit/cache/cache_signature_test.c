/* Entries that do not match their keys, signatures, and descriptors and folders that change under an open cache. */
#define _GNU_SOURCE
#include "trust_kit.h"

/* ---- keys ---- */

static void an_entry_s_text_is_held_against_its_key(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	const char *dir = below(kit, "own");
	CacheStore *store = open_store(dir, NULL, NULL), *above = open_store(below(kit, "above"), dir, NULL);
	Str text, other;
	CacheDigest key = key_of(arena, 1, &text);
	CacheEntry entry;
	key_of(arena, 2, &other);
	CacheSection wrong[] = {{"key", other}, {"value", STR("x")}}, none[] = {{"value", STR("x")}};
	for (CacheKind kind = CACHE_VARIANT; kind <= CACHE_FILE; kind++) {
		assert_true(cache_put(store, kind, &key, cache_entry_write(arena, &key, wrong, 2)));
		assert_false(cache_get(above, kind, &key, arena, &entry, NULL));
		expect_fault(above, CACHE_FAULT_DAMAGED, "its key is not that of the text that it carries");
		assert_false(cache_get(store, kind, &key, arena, &entry, NULL));
		expect_fault(store, CACHE_FAULT_DAMAGED, "its key is not that of the text that it carries");
		assert_true(cache_put(store, kind, &key, cache_entry_write(arena, &key, none, 1)));
		assert_false(cache_get(store, kind, &key, arena, &entry, NULL));
	}
	/* Under another's name. */
	assert_true(put(store, 5, "five"));
	assert_int_equal(rename(place_of(kit, dir, 5), place_of(kit, dir, 6)), 0);
	assert_string_equal(get(store, 6), "");
	expect_fault(store, CACHE_FAULT_DAMAGED, "it is of another key");
	/* Another version's is no damage. */
	char *bytes = arena_copy(arena, entry_of(arena, 7, "x").ptr, 200);
	bytes[8] = 1;
	write_file(place_of(kit, dir, 7), (Str){bytes, 200}, 0600);
	assert_string_equal(get(store, 7), "");
	expect_fault(store, CACHE_FAULT_NONE, NULL);
	assert_true(os_is_file(place_of(kit, dir, 7)));
	assert_true(put(store, 7, "y"));
	assert_string_equal(get(store, 7), "y");
	cache_store_free(store);
	cache_store_free(above);
}

static void names_in_groups_are_names(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	CacheNameds found;
	static const char *const bad[] = {"../../x", "/etc/x", "a/b", ".", "..", "", "a\nb", "\x1b[2J"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CacheNamed file = {bad[i], STR("x")};
		assert_false(cache_name_is_plain(bad[i]));
		assert_false(cache_group_put(store, arena, "key", "name", &file, 1));
	}
	/* As somebody else writes it. */
	CacheNamed file = {"good name.so", STR("x")};
	assert_true(cache_group_put(store, arena, "key", "name", &file, 1));
	assert_true(cache_group_get(store, arena, "key", "name", &found));
	Str text = STR("kind\tgroup\nkey\tkey\nname\tname\n");
	CacheDigest key = cache_hash_of(text.ptr, text.len);
	CacheSection sections[] = {{"key", text}, {"names", STR("0\t../../x\n")}, {"0", STR("x")}};
	assert_true(cache_put(store, CACHE_FILE, &key, cache_entry_write(arena, &key, sections, 3)));
	assert_false(cache_group_get(store, arena, "key", "name", &found));
	expect_fault(store, CACHE_FAULT_DAMAGED, "the name of a file in it is none");
	cache_store_free(store);
}

/* ---- signatures ---- */

static const char *secret_file(Kit *kit, const char *name, const char *text)
{
	const char *path = below(kit, name);
	write_file(path, str_of(text), 0600);
	return path;
}

static void entries_are_signed(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	const char *a = secret_file(kit, "a.key", "0123456789abcdef\n"), *b = secret_file(kit, "b.key", "0123456789abcdeF\n");
	const char *dir = below(kit, "own");
	CacheStore *plain = open_store(dir, NULL, NULL);
	assert_true(put(plain, 1, "unsigned"));
	CacheStore *with_a = open_store(dir, NULL, a);
	assert_string_equal(get(with_a, 1), "");
	expect_fault(with_a, CACHE_FAULT_DAMAGED, "it is not signed");
	assert_true(put(with_a, 1, "by a"));
	assert_string_equal(get(with_a, 1), "by a");
	assert_string_equal(get(plain, 1), "by a"); /* who asks for no key takes what is whole */
	/* In a layer, even of anybody. */
	assert_int_equal(chmod(below(kit, "own/neso-1"), 0777), 0);
	CacheStore *above_a = open_store(below(kit, "above-a"), dir, a), *above_b = open_store(below(kit, "above-b"), dir, b),
		   *above = open_store(below(kit, "above"), dir, NULL);
	assert_string_equal(get(above_a, 1), "by a");
	assert_string_equal(get(above_b, 1), "");
	expect_fault(above_b, CACHE_FAULT_DAMAGED, "its signature is not that of the key");
	assert_string_equal(get(above, 1), "");
	expect_fault(above, CACHE_FAULT_OPEN, "others can write to it");
	plant(kit, dir, 2, "crafted");
	assert_string_equal(get(above_a, 2), "");
	expect_fault(above_a, CACHE_FAULT_DAMAGED, "it is not signed");
	/* A signature is of a kind. */
	CacheSecret secret;
	const char *why;
	CacheEntry entry;
	Str text;
	assert_true(cache_secret_read(&secret, a, &why));
	CacheDigest key = key_of(arena, 9, &text);
	Str other_kind;
	assert_true(cache_entry_sign(entry_of(arena, 9, "x"), "cubin", &secret, arena, &other_kind));
	write_file(place_of(kit, dir, 9), other_kind, 0644);
	assert_false(cache_get(above_a, CACHE_VARIANT, &key, arena, &entry, NULL));
	cache_store_free(plain);
	cache_store_free(with_a);
	cache_store_free(above_a);
	cache_store_free(above_b);
	cache_store_free(above);
}

static void packs_are_signed(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	const char *a = secret_file(kit, "a.key", "0123456789abcdef"), *b = secret_file(kit, "b.key", "another key, of b"), *why;
	const char *bare = below(kit, "bare.pack"), *by_a = below(kit, "a.pack");
	CacheSecret secret_a, secret_b;
	CachePacked packed;
	assert_true(cache_secret_read(&secret_a, a, &why) && cache_secret_read(&secret_b, b, &why));
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	for (unsigned n = 0; n < 5; n++)
		assert_true(put(store, n, "x"));
	assert_true(cache_pack(store, bare, NULL, NULL, NULL, &packed, &why, arena));
	assert_true(cache_pack(store, by_a, NULL, NULL, &secret_a, &packed, &why, arena));
	assert_int_equal(packed.entries, 5);
	const struct {
		const char *pack;
		const CacheSecret *secret;
		const char *own;
		unsigned good;
	} tries[] = {
		{bare, NULL, NULL, 5}, {bare, &secret_a, NULL, 0}, {bare, NULL, a, 0},      {by_a, NULL, NULL, 5},     {by_a, &secret_a, NULL, 5},
		{by_a, &secret_b, NULL, 0}, {by_a, NULL, a, 5},    {by_a, NULL, b, 0}, {by_a, &secret_a, b, 5},
	};
	for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
		CacheStore *other = open_store(arena_printf(arena, "%s/other-%zu", kit->dir, i), NULL, tries[i].own);
		assert_true(cache_unpack_file(other, tries[i].pack, tries[i].secret, &packed, &why, arena));
		assert_int_equal(packed.entries, tries[i].good);
		assert_int_equal(packed.refused, 5 - tries[i].good);
		assert_string_equal(get(other, 3), tries[i].good ? "x" : "");
		cache_store_free(other);
	}
	assert_false(cache_unpack_file(store, below(kit, "nowhere"), NULL, &packed, &why, arena));
	assert_string_equal(why, "No such file or directory");
	assert_false(cache_unpack_file(store, kit->dir, NULL, &packed, &why, arena));
	assert_string_equal(why, "Is a directory");
	cache_store_free(store);
}

static void keys_that_are_none(void **state)
{
	Kit *kit = *state;
	const char *open_key = secret_file(kit, "open.key", "0123456789abcdef"), *long_key = secret_file(kit, "long.key", "0123456789abcdef");
	assert_int_equal(chmod(open_key, 0644), 0);
	assert_int_equal(truncate(long_key, 5000), 0);
	const char *fifo = below(kit, "fifo.key");
	make_fifo(fifo);
	const struct {
		const char *path, *why;
	} bad[] = {
		{below(kit, "no.key"), "it is not there"},
		{secret_file(kit, "short.key", "0123456789abcde\n\n"), "it has fewer than 16 bytes"},
		{open_key, "others can read or write it"},
		{long_key, "it is larger than 4096 bytes"},
		{fifo, "it is no file"},
		{kit->dir, "it is no file"},
	};
	CacheStore *plain = open_store(below(kit, "own"), NULL, NULL);
	assert_true(put(plain, 1, "x"));
	cache_store_free(plain);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CacheStore *store = open_store(below(kit, "own"), below(kit, "own"), bad[i].path);
		expect_fault(store, CACHE_FAULT_SECRET, bad[i].why);
		assert_string_equal(get(store, 1), "");
		assert_false(put(store, 2, "y"));
		cache_store_free(store);
	}
}

/* RFC 4231, test cases 1, 2, 6 and 7. */
static void codes_are_those_of_the_standard(void **state)
{
	static char a3[20], aa[131];
	memset(a3, 0x0b, sizeof a3);
	memset(aa, 0xaa, sizeof aa);
	const struct {
		Str key, data;
		const char *hex;
	} cases[] = {
		{{a3, 20}, STR("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{STR("Jefe"), STR("what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{{aa, 131}, STR("Test Using Larger Than Block-Size Key - Hash Key First"),
		 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
		{{aa, 131},
		 STR("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before "
		     "being used by the HMAC algorithm."),
		 "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CacheSecret secret;
		CacheHash mac;
		char hex[CACHE_HEX_SIZE];
		cache_secret_init(&secret, cases[i].key.ptr, cases[i].key.len);
		cache_mac_init(&mac, &secret);
		cache_hash_add(&mac, cases[i].data.ptr, cases[i].data.len);
		CacheDigest code = cache_mac_done(&mac, &secret);
		cache_digest_hex(&code, hex);
		assert_string_equal(hex, cases[i].hex);
		CacheDigest other = code;
		assert_true(cache_mac_eq(code.bytes, other.bytes));
		other.bytes[i * 9] ^= 1;
		assert_false(cache_mac_eq(code.bytes, other.bytes));
	}
}

/* ---- descriptors ---- */

/* Programs that become daemons close what they find; the numbers are others' then. */
static void descriptors_may_be_closed_under_it(void **state)
{
	Kit *kit = *state;
	int status;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
		WANT(put(store, 1, "x"));
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		WANT(strcmp(get(store, 1), "x") == 0);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		const char *elsewhere = below(kit, "elsewhere");
		WANT(mkdir(elsewhere, 0700) == 0);
		for (int fd = 3; fd < 20; fd++)
			WANT(open(elsewhere, O_RDONLY | O_DIRECTORY) >= 0);
		WANT(strcmp(get(store, 1), "x") == 0 && put(store, 2, "y") && strcmp(get(store, 2), "y") == 0);
		WANT(rmdir(elsewhere) == 0); /* nothing is in it */
		/* None is left. */
		const struct rlimit limit = {3, 3};
		CacheStore *late = open_store(below(kit, "own"), NULL, NULL);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		WANT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
		WANT(!*get(late, 1) && !put(late, 3, "z"));
		cache_store_free(store);
		cache_store_free(late);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_folder_that_opens_up_is_left(void **state)
{
	Kit *kit = *state;
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	assert_true(put(store, 1, "x"));
	assert_int_equal(chmod(below(kit, "own/neso-1"), 0777), 0);
	assert_string_equal(get(store, 1), "");
	expect_fault(store, CACHE_FAULT_OPEN, "others can write to it");
	cache_store_free(store);
}

/* Each removal opens the folder again, with the descriptor that it had. */
static void a_folder_may_vanish_often(void **state)
{
	Kit *kit = *state;
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	int before = dup(0);
	close(before);
	for (unsigned n = 0; n < 20; n++) {
		assert_true(put(store, n, "x"));
		assert_string_equal(get(store, n), "x");
		assert_int_equal(system(arena_printf(&kit->arena, "rm -rf '%s'", below(kit, "own"))), 0);
		assert_string_equal(get(store, n), "");
	}
	int after = dup(0);
	close(after);
	assert_in_range(after, before, before + 1);
	expect_fault(store, CACHE_FAULT_NONE, NULL);
	cache_store_free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_entry_s_text_is_held_against_its_key, setup, teardown),
		cmocka_unit_test_setup_teardown(names_in_groups_are_names, setup, teardown),
		cmocka_unit_test_setup_teardown(entries_are_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(packs_are_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(keys_that_are_none, setup, teardown),
		cmocka_unit_test(codes_are_those_of_the_standard),
		cmocka_unit_test_setup_teardown(descriptors_may_be_closed_under_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_that_opens_up_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_may_vanish_often, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
