/* Compile caches behind a real Redis server. */
#define _GNU_SOURCE
#include "remote_kit.h"

static const char *redis_program(RemoteKit *kit)
{
	/* The second is the same program; some systems have it without the first. */
	return kit_program(kit, (const char *const[]){"redis-server", "redis-check-rdb", NULL});
}

static void start_with(RemoteKit *kit, const char *const *more, size_t count)
{
	const char *args[40] = {"redis-server", "--port", arena_printf(&kit->arena, "%d", kit->port), "--bind", "127.0.0.1", "--save", "",
				"--appendonly", "no", "--dir", kit->dir};
	size_t n = 11;
	for (size_t i = 0; i < count; i++)
		args[n++] = more[i];
	kit_start(kit, redis_program(kit), args);
}

static void start(RemoteKit *kit)
{
	start_with(kit, NULL, 0);
}

/* False after skipping: there is no server, or no library. */
#define NEEDS_REDIS(kit)                                                                                                                   \
	do {                                                                                                                               \
		if (!redis_program(kit) || !kit_has_library(kit))                                                                          \
			skip();                                                                                                            \
	} while (0)

static const char *url(RemoteKit *kit, const char *before, const char *behind)
{
	return arena_printf(&kit->arena, "redis://%s127.0.0.1:%d%s", before, kit->port, behind);
}

/* What a server says to a line, without its end. */
static const char *ask(RemoteKit *kit, const char *line)
{
	static char answer[512];
	int fd = kit_connect(kit->port);
	assert_true(os_write_all(fd, str_of(arena_printf(&kit->arena, "%s\r\n", line))));
	ssize_t got = read(fd, answer, sizeof answer - 1);
	close(fd);
	answer[got > 0 ? got : 0] = '\0';
	answer[strcspn(answer, "\r")] = '\0';
	return answer;
}

static void test_common(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_REDIS(kit);
	start(kit);
	kit_common(kit, &(KitServer){url(kit, "", ""), start});
}

static void test_processes(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_REDIS(kit);
	start(kit);
	kit_processes(kit, &(KitServer){url(kit, "", ""), start});
}

static void test_class_and_names(void **state)
{
	RemoteKit *kit = *state;
	char hex[CACHE_HEX_SIZE];
	CacheDigest key = kit_key(1);
	NEEDS_REDIS(kit);
	start(kit);
	cache_digest_hex(&key, hex);
	/* Upstream's class, with upstream's variables (here as options). */
	CacheStore *a = kit_machine(kit, "a", "triton.runtime.cache:RedisRemoteCacheBackend");
	kit_put(a, CACHE_VARIANT, 1, 1000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
	assert_string_equal(ask(kit, arena_printf(&kit->arena, "EXISTS triton:%s:variant", hex)), ":1");
	assert_string_equal(ask(kit, arena_printf(&kit->arena, "STRLEN triton:%s:variant", hex)),
			    arena_printf(&kit->arena, ":%zu", kit_entry(&kit->arena, 1, 1000).len));
	kit->options.key_format = "our{{team}}/{filename}/{key}.x";
	CacheStore *b = kit_machine(kit, "b", url(kit, "", "/"));
	assert_false(kit_get(b, CACHE_VARIANT, 1, 1000));
	kit_put(b, CACHE_CUBIN, 1, 1000);
	assert_int_equal(cache_store_flush(b, 60), 0);
	assert_string_equal(ask(kit, arena_printf(&kit->arena, "EXISTS our{team}/cubin/%s.x", hex)), ":1");
	cache_store_free(a);
	cache_store_free(b);
	static const char *const wrong[] = {"{key}", "{filename}", "", "{key}{filename}{other}", "{key}{filename}{", "{key:>80}{filename}"};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		kit->options.key_format = wrong[i];
		CacheStore *c = kit_machine(kit, "c", url(kit, "", ""));
		assert_false(kit_get(c, CACHE_VARIANT, 1, 1000));
		kit_says(c, "wants {key} and {filename}");
		cache_store_free(c);
	}
}

static void test_databases(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_REDIS(kit);
	start(kit);
	CacheStore *zero = kit_machine(kit, "zero", url(kit, "", "")), *two = kit_machine(kit, "two", url(kit, "", "/2")),
		   *also = kit_machine(kit, "also", url(kit, "", "/2"));
	kit_put(two, CACHE_VARIANT, 1, 1000);
	assert_int_equal(cache_store_flush(two, 60), 0);
	assert_false(kit_get(zero, CACHE_VARIANT, 1, 1000));
	assert_true(kit_get(also, CACHE_VARIANT, 1, 1000));
	cache_store_free(zero);
	cache_store_free(two);
	cache_store_free(also);
	CacheStore *far = kit_machine(kit, "far", url(kit, "", "/99")), *odd = kit_machine(kit, "odd", url(kit, "", "/two"));
	assert_false(kit_get(far, CACHE_VARIANT, 1, 1000));
	kit_says(far, "it says ERR DB index is out of range");
	assert_false(kit_get(odd, CACHE_VARIANT, 1, 1000));
	kit_says(odd, "'two' is no number of a database");
	cache_store_free(far);
	cache_store_free(odd);
}

static void test_passwords(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_REDIS(kit);
	start_with(kit, (const char *const[]){"--requirepass", "sec/ret@1", "--user", "me", "on", ">secret2", "~*", "+@all"}, 8);
	static const char *const good[] = {":sec%2Fret%401@", "default:sec%2Fret%401@", "me:secret2@"};
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		CacheStore *a = kit_machine(kit, arena_printf(&kit->arena, "a%zu", i), url(kit, good[i], ""));
		if (i == 0)
			kit_put(a, CACHE_VARIANT, 1, 1000);
		assert_int_equal(cache_store_flush(a, 60), 0);
		assert_true(kit_get(a, CACHE_VARIANT, 1, 1000));
		assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
		cache_store_free(a);
	}
	static const struct {
		const char *before, *says;
	} bad[] = {{":secret@", "it says WRONGPASS"}, {"me:secret@", "it says WRONGPASS"}, {"", "it says NOAUTH"}};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CacheStore *b = kit_machine(kit, arena_printf(&kit->arena, "b%zu", i), url(kit, bad[i].before, ""));
		assert_false(kit_get(b, CACHE_VARIANT, 1, 1000));
		kit_put(b, CACHE_VARIANT, 2, 1000);
		kit_says(b, bad[i].says);
		cache_store_free(b);
	}
	CacheStore *c = kit_machine(kit, "c", url(kit, "me:secret2@", ""));
	assert_false(kit_get(c, CACHE_VARIANT, 2, 1000)); /* it never came there */
	cache_store_free(c);
}

/* Full, read-only, of another type: values are refused, others go on. */
static void test_refusals(void **state)
{
	RemoteKit *kit = *state;
	char hex[CACHE_HEX_SIZE];
	CacheDigest key = kit_key(5);
	NEEDS_REDIS(kit);
	start_with(kit, (const char *const[]){"--maxmemory", "4mb", "--maxmemory-policy", "noeviction"}, 4);
	CacheStore *a = kit_machine(kit, "a", url(kit, "", "")), *b = kit_machine(kit, "b", url(kit, "", ""));
	kit_put(a, CACHE_VARIANT, 1, 1000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	for (uint32_t i = 10; i < 14; i++)
		kit_put(a, CACHE_VARIANT, i, 2000000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	kit_says(a, "it says OOM");
	assert_true(cache_store_remote_counts(a).dropped >= 2);
	assert_true(kit_get(b, CACHE_VARIANT, 1, 1000));
	cache_digest_hex(&key, hex);
	assert_string_equal(ask(kit, "FLUSHALL"), "+OK");
	assert_string_equal(ask(kit, arena_printf(&kit->arena, "LPUSH triton:%s:variant x", hex)), ":1");
	assert_false(kit_get(b, CACHE_VARIANT, 5, 1000));
	kit_says(b, "it says WRONGTYPE");
	kit_put(a, CACHE_VARIANT, 6, 1000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_true(kit_get(b, CACHE_VARIANT, 6, 1000));
	cache_store_free(a);
	cache_store_free(b);
}

static void test_too_large(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_REDIS(kit);
	start(kit);
	CacheStore *a = kit_machine(kit, "a", url(kit, "", ""));
	size_t size = kit_entry(&kit->arena, 1, 100000).len;
	kit_put(a, CACHE_VARIANT, 1, 100000);
	kit_put(a, CACHE_VARIANT, 2, 10);
	assert_int_equal(cache_store_flush(a, 60), 0);
	kit->options.largest = size - 1;
	CacheStore *b = kit_machine(kit, "b", url(kit, "", ""));
	assert_false(kit_get(b, CACHE_VARIANT, 1, 100000));
	kit_says(b, arena_printf(&kit->arena, "a value there has more than %zu bytes", size - 1));
	assert_true(kit_get(b, CACHE_VARIANT, 2, 10));
	kit->options.largest = size;
	CacheStore *c = kit_machine(kit, "c", url(kit, "", ""));
	assert_true(kit_get(c, CACHE_VARIANT, 1, 100000));
	cache_store_free(a);
	cache_store_free(b);
	cache_store_free(c);
}

/* What is no Redis server sends `head` and then zeros, as long as they are taken, up to a bound. */
static void flood(RemoteKit *kit, const char *head)
{
	static const char zeros[1 << 16];
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)kit->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 8), 0);
	kit->server = fork();
	if (kit->server == 0) {
		signal(SIGPIPE, SIG_IGN);
		for (;;) {
			int to = accept(fd, NULL, NULL);
			bool taken = os_write_all(to, str_of(head));
			for (int i = 0; taken && i < 1024; i++)
				taken = os_write_all(to, (Str){zeros, sizeof zeros});
			close(to);
		}
	}
	close(fd);
}

static void test_flood(void **state)
{
	RemoteKit *kit = *state;
	static const char *const heads[] = {"$60000000000\r\n", "$60000000\r\n", "+", "*1000000\r\n$60000000\r\n", "*2147483647\r\n", "-", "$"};
	if (!kit_has_library(kit))
		skip();
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		/* A line without end is not looked for an end as far as a value may go. */
		kit->options.largest = *heads[i] == '+' ? 1 << 26 : 1 << 20;
		flood(kit, heads[i]);
		CacheStore *a = kit_machine(kit, "a", url(kit, "", ""));
		assert_false(kit_get(a, CACHE_VARIANT, 1, 1000));
		kit_says(a, "it sends more than was asked for");
		cache_store_free(a);
		kit_stop(kit);
	}
}

/* Names that are no server's. */
static void test_places(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_REDIS(kit);
	start(kit);
	const struct {
		const char *place, *says;
	} wrong[] = {
		{"ftp://host/", "its URL begins with none of redis://"},
		{"redis://host:port", "is no port"},
		{"redis://nobody.invalid", "nobody.invalid"},
		{arena_printf(&kit->arena, "redis://127.0.0.1:%d", kit_free_port()), "onnect"},
		{arena_printf(&kit->arena, "http://127.0.0.1:%d", kit->port), ""}, /* another protocol */
		{"some.module:Class", "a class of Python's"},
	};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		CacheStore *a = kit_machine(kit, "a", wrong[i].place);
		assert_false(kit_get(a, CACHE_VARIANT, 1, 1000));
		kit_says(a, wrong[i].says);
		cache_store_free(a);
	}
	kit->options.host = "::1"; /* where nobody listens */
	CacheStore *a = kit_machine(kit, "a", "neso.runtime.cache:RedisRemoteCacheBackend");
	assert_false(kit_get(a, CACHE_VARIANT, 1, 1000));
	kit_says(a, "onnect");
	cache_store_free(a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_set_up, kit_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_common), TEST(test_processes), TEST(test_class_and_names), TEST(test_databases),
		TEST(test_passwords), TEST(test_refusals), TEST(test_too_large), TEST(test_flood),
		TEST(test_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
