/* Compile caches behind a real nginx: WebDAV, passwords, TLS, limits; and Redis behind TLS. */
#define _GNU_SOURCE
#include "remote_kit.h"

static const char *nginx_program(RemoteKit *kit)
{
	const char *own = NESO_SOURCE_DIR "/build/tools/usr/sbin/nginx"; /* scripts/setup puts it there */
	if (access(own, X_OK) == 0)
		return own;
	return kit_program(kit, (const char *const[]){"nginx", NULL});
}

#define NEEDS_NGINX(kit)                                                                                                                   \
	do {                                                                                                                               \
		if (!nginx_program(kit) || !kit_has_library(kit))                                                                          \
			skip();                                                                                                            \
	} while (0)

/* A server of files below dav/, in which all but `more` says may be put; `listen`: "ssl" or nothing. */
static void start_with(RemoteKit *kit, const char *listen, const char *more)
{
	Arena *a = &kit->arena;
	const char *conf = os_path_join(a, kit->dir, "nginx.conf"), *dir = kit->dir, *error;
	mkdir(os_path_join(a, dir, "dav"), 0700);
	const char *text = arena_printf(
		a,
		"daemon off; master_process off; pid %s/pid; error_log %s/error.log;\nevents {}\n"
		"http {\n access_log %s/access.log; client_body_temp_path %s/body; proxy_temp_path %s/proxy; fastcgi_temp_path %s/fastcgi;\n"
		" uwsgi_temp_path %s/uwsgi; scgi_temp_path %s/scgi; client_max_body_size 8m;\n"
		" server {\n  listen 127.0.0.1:%d %s; root %s/dav;\n  location / { dav_methods PUT DELETE MKCOL; %s }\n"
		"  location /closed/ { auth_basic x; auth_basic_user_file %s/users; dav_methods PUT DELETE MKCOL; create_full_put_path on; }\n"
		"  location /small/ { client_max_body_size 2k; dav_methods PUT; create_full_put_path on; }\n"
		"  location /moved/ { rewrite ^/moved/(.*)$ /there/$1 redirect; }\n"
		"  location /broken/ { return 503; }\n  location /forbidden/ { return 403; }\n"
		" }\n}\n",
		dir, dir, dir, dir, dir, dir, dir, dir, kit->port, listen, dir, more, dir);
	assert_true(os_write_file(a, conf, str_of(text), &error));
	assert_true(os_write_file(a, os_path_join(a, dir, "users"), STR("me:{PLAIN}sec/ret@1\n"), &error));
	kit_start(kit, nginx_program(kit), (const char *const[]){"nginx", "-p", dir, "-c", conf, NULL});
}

static void start(RemoteKit *kit)
{
	start_with(kit, "", "");
}

static const char *url(RemoteKit *kit, const char *before, const char *behind)
{
	return arena_printf(&kit->arena, "http://%s127.0.0.1:%d%s", before, kit->port, behind);
}

static void test_common(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_NGINX(kit);
	start(kit);
	kit_common(kit, &(KitServer){url(kit, "", "/some/folder"), start});
}

static void test_processes(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_NGINX(kit);
	start(kit);
	kit_processes(kit, &(KitServer){url(kit, "", ""), start});
}

static const char *file_of(RemoteKit *kit, const char *folder, uint32_t i)
{
	char hex[CACHE_HEX_SIZE];
	CacheDigest key = kit_key(i);
	cache_digest_hex(&key, hex);
	return arena_printf(&kit->arena, "%s/dav%s/ac/%s", kit->dir, folder, hex);
}

/* Where values lie, and as what: a message with one field, stdout_raw, of an ActionResult. */
static void test_form(void **state)
{
	RemoteKit *kit = *state;
	Str file;
	const char *error;
	NEEDS_NGINX(kit);
	start(kit);
	static const struct {
		const char *behind, *folder;
	} places[] = {{"", ""}, {"/", ""}, {"/a/b", "/a/b"}, {"/a/b/", "/a/b"}, {"/x/ac", "/x"}, {"/y/ac/", "/y"}, {"/q?token=secret", "/q"}};
	for (uint32_t i = 0; i < ARRAY_LEN(places); i++) {
		CacheStore *a = kit_machine(kit, arena_printf(&kit->arena, "a%u", i), url(kit, "", places[i].behind));
		kit_put(a, CACHE_VARIANT, i, 300);
		assert_int_equal(cache_store_flush(a, 60), 0);
		assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
		if (!os_read_file(&kit->arena, file_of(kit, places[i].folder, i), &file, &error))
			fail_msg("%s", error);
		Str entry = kit_entry(&kit->arena, i, 300);
		assert_true(entry.len > 128 && entry.len < 1 << 14);
		assert_int_equal(file.len, entry.len + 3);
		assert_int_equal((uint8_t)file.ptr[0], 0x2a);
		assert_int_equal((uint8_t)file.ptr[1], (entry.len & 127) | 128);
		assert_int_equal((uint8_t)file.ptr[2], entry.len >> 7);
		assert_memory_equal(file.ptr + 3, entry.ptr, entry.len);
		cache_store_free(a);
	}
	/* A server may add fields: who made it, and so on. */
	Str entry = kit_entry(&kit->arena, 50, 1000);
	Text text;
	text_init(&text, &kit->arena);
	text_add(&text, "\x20\x00\x0a\x03" "abc\x4a\x00", 9);
	text_add(&text, (char[]){0x2a, (char)((entry.len & 127) | 128), (char)(entry.len >> 7)}, 3);
	text_add(&text, entry.ptr, entry.len);
	text_add(&text, "\x4a\x05" "12345\x55" "1234\x59" "12345678", 21);
	assert_true(os_write_file(&kit->arena, file_of(kit, "", 50), (Str){text.data, text.len}, &error));
	CacheStore *b = kit_machine(kit, "b", url(kit, "", ""));
	assert_true(kit_get(b, CACHE_VARIANT, 50, 1000));
	/* Cut anywhere, or with any byte changed: never another value. */
	for (size_t n = 0; n < 200; n++) {
		size_t at = n * text.len / 200;
		char *damaged = arena_copy(&kit->arena, text.data, text.len);
		damaged[at] = (char)(damaged[at] ^ (1 << n % 8));
		bool cut = n % 2;
		assert_true(os_write_file(&kit->arena, file_of(kit, "", 50), (Str){damaged, cut ? at : text.len}, &error));
		CacheStore *c = kit_machine(kit, arena_printf(&kit->arena, "c%zu", n), url(kit, "", ""));
		(void)kit_get(c, CACHE_VARIANT, 50, 1000); /* looks at what it finds: a byte of the other fields changes nothing */
		cache_store_free(c);
	}
	cache_store_free(b);
}

static void test_passwords(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_NGINX(kit);
	start(kit);
	CacheStore *a = kit_machine(kit, "a", url(kit, "me:sec%2Fret%401@", "/closed"));
	kit_put(a, CACHE_VARIANT, 1, 1000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
	assert_true(os_is_file(file_of(kit, "/closed", 1)));
	cache_store_free(a);
	static const char *const bad[] = {"", "me:secret@", "you:sec%2Fret%401@"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CacheStore *b = kit_machine(kit, arena_printf(&kit->arena, "b%zu", i), url(kit, bad[i], "/closed"));
		assert_false(kit_get(b, CACHE_VARIANT, 1, 1000));
		kit_says(b, "it answers GET with status 401");
		kit_put(b, CACHE_VARIANT, 2, 1000);
		cache_store_free(b);
	}
	assert_false(os_is_file(file_of(kit, "/closed", 2)));
}

static void test_statuses(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_NGINX(kit);
	start(kit);
	CacheStore *small = kit_machine(kit, "small", url(kit, "", "/small"));
	kit_put(small, CACHE_VARIANT, 1, 3000000);
	kit_put(small, CACHE_VARIANT, 2, 100);
	assert_int_equal(cache_store_flush(small, 60), 0);
	kit_says(small, "it answers PUT with status 413");
	assert_int_equal(cache_store_remote_counts(small).puts, 1);
	assert_int_equal(cache_store_remote_counts(small).dropped, 1);
	assert_true(os_is_file(file_of(kit, "/small", 2)));
	CacheStore *broken = kit_machine(kit, "broken", url(kit, "", "/broken"));
	assert_false(kit_get(broken, CACHE_VARIANT, 1, 100));
	kit_put(broken, CACHE_VARIANT, 1, 100);
	kit_says(broken, "it answers GET with status 503");
	CacheStore *forbidden = kit_machine(kit, "forbidden", url(kit, "", "/forbidden"));
	assert_false(kit_get(forbidden, CACHE_VARIANT, 1, 100));
	assert_false(kit_get(forbidden, CACHE_VARIANT, 2, 100));
	kit_says(forbidden, "it answers GET with status 403");
	assert_int_equal(cache_store_remote_counts(forbidden).errors, 2); /* the second was asked for too */
	CacheStore *there = kit_machine(kit, "there", url(kit, "", "/there")), *moved = kit_machine(kit, "moved", url(kit, "", "/moved"));
	kit_put(there, CACHE_VARIANT, 3, 5000);
	assert_int_equal(cache_store_flush(there, 60), 0);
	assert_true(kit_get(moved, CACHE_VARIANT, 3, 5000));
	cache_store_free(small);
	cache_store_free(broken);
	cache_store_free(forbidden);
	cache_store_free(there);
	cache_store_free(moved);
}

static void test_too_large(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_NGINX(kit);
	start(kit);
	CacheStore *a = kit_machine(kit, "a", url(kit, "", ""));
	kit_put(a, CACHE_VARIANT, 1, 100000);
	kit_put(a, CACHE_VARIANT, 2, 10);
	assert_int_equal(cache_store_flush(a, 60), 0);
	kit->options.largest = 50000;
	CacheStore *b = kit_machine(kit, "b", url(kit, "", ""));
	assert_false(kit_get(b, CACHE_VARIANT, 1, 100000));
	kit_says(b, "a value there has more than 50000 bytes");
	assert_true(kit_get(b, CACHE_VARIANT, 2, 10));
	cache_store_free(a);
	cache_store_free(b);
}

/* ---- TLS ---- */

/* A key and a certificate for localhost, signed by itself; false: there is no program that makes them. */
static bool make_certificate(RemoteKit *kit)
{
	return system(arena_printf(&kit->arena,
				   "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost "
				   "-keyout '%s/key.pem' -out '%s/cert.pem' >/dev/null 2>&1",
				   kit->dir, kit->dir)) == 0;
}

static void over_tls(RemoteKit *kit, const char *scheme)
{
	const char *right = arena_printf(&kit->arena, "%s://localhost:%d", scheme, kit->port),
		   *wrong = arena_printf(&kit->arena, "%s://127.0.0.1:%d", scheme, kit->port);
	CacheStore *stranger = kit_machine(kit, "stranger", right); /* nobody known has signed it */
	assert_false(kit_get(stranger, CACHE_VARIANT, 1, 1000));
	kit_says(stranger, "ertificate");
	cache_store_free(stranger);
	kit->options.certificates = os_path_join(&kit->arena, kit->dir, "cert.pem");
	CacheStore *other = kit_machine(kit, "other", wrong); /* it is another host's */
	assert_false(kit_get(other, CACHE_VARIANT, 1, 1000));
	kit_says(other, "ertificate");
	cache_store_free(other);
	kit_second_machine(kit, right);
}

static void test_https(void **state)
{
	RemoteKit *kit = *state;
	NEEDS_NGINX(kit);
	if (!make_certificate(kit))
		skip();
	start_with(kit, arena_printf(&kit->arena, "ssl; ssl_certificate %s/cert.pem; ssl_certificate_key %s/key.pem", kit->dir, kit->dir), "");
	over_tls(kit, "https");
}

static void test_rediss(void **state)
{
	RemoteKit *kit = *state;
	const char *redis = kit_program(kit, (const char *const[]){"redis-server", "redis-check-rdb", NULL});
	Arena *a = &kit->arena;
	if (!redis || !kit_has_library(kit) || !make_certificate(kit))
		skip();
	kit_start(kit, redis, (const char *const[]){"redis-server", "--port", "0", "--tls-port", arena_printf(a, "%d", kit->port), "--bind",
						    "127.0.0.1", "--save", "", "--dir", kit->dir, "--tls-auth-clients", "no",
						    "--tls-cert-file", os_path_join(a, kit->dir, "cert.pem"), "--tls-key-file",
						    os_path_join(a, kit->dir, "key.pem"), NULL});
	over_tls(kit, "rediss");
}

/* ---- servers that lie ---- */

typedef enum Then { CLOSE, HANG, DRIP, FLOOD } Then;

/* Answers any request with this text; then the connection is closed, or kept, or given bytes one by one, or as many as are taken. */
static void lie(RemoteKit *kit, const char *text, Then then)
{
	static const char line[] = "X-Filler: filler filler filler filler filler filler filler filler\r\n";
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)kit->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 8), 0);
	kit->server = fork();
	if (kit->server == 0) {
		signal(SIGPIPE, SIG_IGN);
		for (;;) {
			char request[4096];
			int to = accept(fd, NULL, NULL);
			bool taken = read(to, request, sizeof request) > 0 && os_write_all(to, str_of(text));
			while (taken && then == HANG)
				pause();
			while (taken && then == DRIP)
				taken = os_write_all(to, STR("x")) && usleep(10000) == 0;
			for (int i = 0; taken && then == FLOOD && i < 3000000; i++)
				taken = os_write_all(to, STR(line));
			close(to);
		}
	}
	close(fd);
}

/* Whatever comes, it is a miss, said once, in the time that a request has. */
static void test_lies(void **state)
{
	RemoteKit *kit = *state;
	static const struct {
		const char *text;
		Then then;
		const char *says; /* NULL: an entry that is damaged */
	} lies[] = {
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", CLOSE, NULL},
		{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", CLOSE, ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nabc", CLOSE, ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\nabc", CLOSE, ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", HANG, "it does not answer in time"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", DRIP, "it does not answer in time"},
		{"HTTP/1.1 200 OK\r\n\r\n", DRIP, "it does not answer in time"},
		{"HTTP/1.1 200 OK\r\n\r\n", FLOOD, "a value there has more than 1048576 bytes"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", FLOOD, ""},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", CLOSE, ""},
		{"HTTP/1.1 200 OK\r\n", FLOOD, ""},
		{"HTTP/1.1 200 OK\r\nX: ", DRIP, "it does not answer in time"},
		{"", DRIP, ""},
		{"", CLOSE, ""},
		{"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", CLOSE, ""},
		{"HTTP/1.1 302 Found\r\nLocation: /ac/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", CLOSE, "redirect"},
		{"HTTP/1.1 302 Found\r\nLocation: redis://127.0.0.1/\r\nContent-Length: 0\r\n\r\n", CLOSE, ""},
		{"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde", CLOSE, NULL},
	};
	if (!kit_has_library(kit))
		skip();
	kit->options.largest = 1 << 20;
	for (uint32_t i = 0; i < ARRAY_LEN(lies); i++) {
		bool stays_away = lies[i].then == DRIP || lies[i].then == HANG;
		kit->options.request_ms = stays_away ? 400 : 20000;
		lie(kit, lies[i].text, lies[i].then);
		CacheStore *a = kit_machine(kit, "a", url(kit, "", ""));
		assert_false(kit_get(a, CACHE_VARIANT, i, 1000));
		if (lies[i].says)
			kit_says(a, lies[i].says);
		else
			assert_int_equal(cache_fault(a).kind, CACHE_FAULT_DAMAGED);
		cache_store_free(a);
		kit_stop(kit);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_set_up, kit_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_common),   TEST(test_processes), TEST(test_form),  TEST(test_passwords),
		TEST(test_statuses), TEST(test_too_large), TEST(test_https), TEST(test_rediss), TEST(test_lies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
