/* Redis: its protocol by hiredis, over connections that libcurl makes (names, time-outs and TLS are the same for both protocols so).
 *
 * Values are got with GETRANGE up to the bound, so that none fills the memory, and no more is read of an answer than that; all of a
 * request go in one write, and the answers come in one go. */
#include "remote/inner.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <hiredis/hiredis.h>

typedef struct Redis {
	Connection connection;
	redisReader *reader;
	char *url; /* for curl */
	bool greeted; /* connected, AUTH and SELECT are done */
	size_t came, most; /* bytes since an answer is waited for; that it may have */
	char buffer[1 << 14]; /* what comes, on its way to the reader */
} Redis;

/* ---- names ---- */

/* Writes the name of a key by the format, "{key}" and "{filename}" as Python's str.format has them; its length, or -1 when the
 * format holds something else. */
static int write_name(char *out, size_t size, const char *format, const char *key, const char *name)
{
	size_t len = 0;
	for (const char *f = format; *f;) {
		const char *piece = f;
		size_t n = 1, skip = 1;
		if (strncmp(f, "{key}", 5) == 0)
			piece = key, n = strlen(key), skip = 5;
		else if (strncmp(f, "{filename}", 10) == 0)
			piece = name, n = strlen(name), skip = 10;
		else if ((*f == '{' || *f == '}') && f[1] == *f)
			skip = 2;
		else if (*f == '{' || *f == '}')
			return -1;
		if (len + n < size)
			memcpy(out + len, piece, n);
		len += n;
		f += skip;
	}
	return (int)len;
}

static bool redis_open(Server *server, char *why, size_t why_size)
{
	char a[8], b[8], c[8], *end;
	const char *format = server->key_format;
	/* Each must show, or entries take each other's place. */
	int n = write_name(a, sizeof a, format, "", ""), k = write_name(b, sizeof b, format, "x", ""),
	    f = write_name(c, sizeof c, format, "", "x");
	if (n < 0 || k == n || f == n) {
		snprintf(why, why_size, "TRITON_REDIS_KEY_FORMAT is '%s', and wants {key} and {filename} in it, and no other braces", format);
		return false;
	}
	const char *database = server->path + (*server->path == '/');
	server->database = strtol(database, &end, 10);
	if (*end || server->database < 0) {
		snprintf(why, why_size, "'%s' is no number of a database", database);
		return false;
	}
	return true;
}

/* ---- bytes ---- */

static Connection *redis_connection(Server *server)
{
	Redis *r = calloc(1, sizeof *r);
	size_t size = strlen(server->host) + 64;
	if (!r)
		return NULL;
	r->connection.curl = curl_easy_init();
	r->reader = redisReaderCreate();
	r->url = malloc(size);
	if (!r->connection.curl || !r->reader || !r->url) {
		curl_easy_cleanup(r->connection.curl);
		if (r->reader)
			redisReaderFree(r->reader);
		free(r->url);
		free(r);
		return NULL;
	}
	snprintf(r->url, size, "%s://%s:%s", strcmp(server->scheme, "rediss") == 0 ? "https" : "http", server->host,
		 server->port ? server->port : "6379");
	r->most = server->largest + 2 * sizeof r->buffer; /* around it, and behind it */
	return &r->connection;
}

static void redis_close(Connection *c)
{
	Redis *r = (Redis *)c;
	curl_easy_cleanup(c->curl);
	redisReaderFree(r->reader);
	free(r->url);
	free(r);
}

/* Until there is something to read, or room to write. */
static int wait_for(Redis *r, const Request *q, short events)
{
	curl_socket_t fd;
	int ready = 0;
	if (curl_easy_getinfo(r->connection.curl, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK || fd == CURL_SOCKET_BAD)
		return remote_fail(q, CACHE_REMOTE_AWAY, "it closed the connection");
	while (ready == 0 && remote_now() < q->until) {
		struct pollfd p = {.fd = fd, .events = events};
		ready = poll(&p, 1, (int)MIN(remote_left(q->until), 60000L));
		if (ready < 0 && errno == EINTR)
			ready = 0;
	}
	return ready > 0 ? CACHE_REMOTE_OK : remote_fail(q, CACHE_REMOTE_AWAY, "it does not answer in time");
}

static int lost(Redis *r, const Request *q, CURLcode code)
{
	r->connection.lost = true;
	return remote_fail_curl(&r->connection, q, code);
}

static int send_all(Redis *r, const Request *q, const char *bytes, size_t size)
{
	int result = CACHE_REMOTE_OK;
	while (size && result == CACHE_REMOTE_OK) {
		size_t sent = 0;
		CURLcode code = curl_easy_send(r->connection.curl, bytes, size, &sent);
		if (code == CURLE_AGAIN)
			result = wait_for(r, q, POLLOUT);
		else if (code != CURLE_OK)
			result = lost(r, q, code);
		bytes += sent;
		size -= sent;
	}
	return result;
}

/* Answers here are texts and values: lists, and lines that do not end, are of somebody else. Looked at before the reader makes room for a list
 * or goes through a line again and again. */
static bool goes_on_too_long(const redisReader *reader)
{
	enum { LONGEST_LINE = 1 << 16 };
	const char *at = reader->buf + reader->pos;
	size_t len = reader->len - reader->pos;
	if (reader->ridx == -1 && len && *at == '*')
		return true;
	return len > LONGEST_LINE && !memchr(at, '\n', LONGEST_LINE);
}

/* More of what comes, for the reader. */
static int receive(Redis *r, const Request *q)
{
	size_t got = 0;
	if (remote_now() >= q->until)
		return remote_fail(q, CACHE_REMOTE_AWAY, "it does not answer in time");
	CURLcode code = curl_easy_recv(r->connection.curl, r->buffer, sizeof r->buffer, &got);
	if (code == CURLE_AGAIN)
		return wait_for(r, q, POLLIN);
	if (code != CURLE_OK)
		return lost(r, q, code);
	if (got == 0) {
		r->connection.lost = true;
		return remote_fail(q, CACHE_REMOTE_AWAY, "it closed the connection");
	}
	r->came += got;
	if (r->came > r->most)
		return remote_fail(q, CACHE_REMOTE_AWAY, "it sends more than was asked for");
	return redisReaderFeed(r->reader, r->buffer, got) == REDIS_OK ? CACHE_REMOTE_OK : remote_fail(q, CACHE_REMOTE_AWAY, "out of memory");
}

/* The next answer; freed by the caller. */
static int read_reply(Redis *r, const Request *q, redisReply **out)
{
	int result = CACHE_REMOTE_OK;
	r->came = 0;
	while (result == CACHE_REMOTE_OK) {
		void *reply = NULL;
		if (goes_on_too_long(r->reader))
			return remote_fail(q, CACHE_REMOTE_AWAY, "it sends more than was asked for");
		if (redisReaderGetReply(r->reader, &reply) != REDIS_OK)
			return remote_fail(q, CACHE_REMOTE_AWAY, "it does not speak Redis's protocol: %s", r->reader->errstr);
		*out = reply;
		if (reply)
			break;
		result = receive(r, q);
	}
	return result;
}

/* ---- commands ---- */

/* What an error of the server means: its first word says it. */
static int take_error(const Request *q, const redisReply *reply)
{
	static const char *const away[] = {"NOAUTH", "WRONGPASS", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "DENIED"};
	int result = CACHE_REMOTE_REFUSED;
	size_t len = strcspn(reply->str, " ");
	for (size_t i = 0; i < ARRAY_LEN(away); i++)
		if (len >= strlen(away[i]) && strncmp(reply->str, away[i], strlen(away[i])) == 0)
			result = CACHE_REMOTE_AWAY;
	return remote_fail(q, result, "it says %s", reply->str);
}

static int send_command(Redis *r, const Request *q, int count, const char *const *words, const size_t *sizes)
{
	char *text;
	int size = (int)redisFormatCommandArgv(&text, count, (const char **)(uintptr_t)words, sizes);
	if (size < 0)
		return remote_fail(q, CACHE_REMOTE_REFUSED, "out of memory");
	int result = send_all(r, q, text, (size_t)size);
	redisFreeCommand(text);
	return result;
}

static int send_words(Redis *r, const Request *q, int count, const char *const *words)
{
	size_t sizes[4];
	for (int i = 0; i < count; i++)
		sizes[i] = strlen(words[i]);
	return send_command(r, q, count, words, sizes);
}

/* An answer that is to be no error. */
static int expect_good(Redis *r, const Request *q)
{
	redisReply *reply;
	int result = read_reply(r, q, &reply);
	if (result != CACHE_REMOTE_OK)
		return result;
	if (reply->type == REDIS_REPLY_ERROR)
		result = take_error(q, reply);
	freeReplyObject(reply);
	return result;
}

/* Connects, and says who we are. Whatever goes wrong, the server is not to be used. */
static int greet(const Server *server, Redis *r, const Request *q)
{
	CURL *curl = r->connection.curl;
	char database[24];
	remote_set_up(server, &r->connection, q->until);
	curl_easy_setopt(curl, CURLOPT_URL, r->url);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_SSL_ENABLE_ALPN, 0L);
	CURLcode code = curl_easy_perform(curl);
	if (code != CURLE_OK)
		return remote_fail_curl(&r->connection, q, code);
	int result = CACHE_REMOTE_OK;
	if (server->password) {
		const char *words[] = {"AUTH", server->user, server->password};
		bool user = server->user && *server->user;
		if (!user)
			words[1] = server->password;
		result = send_words(r, q, user ? 3 : 2, words);
		result = result == CACHE_REMOTE_OK ? expect_good(r, q) : result;
	}
	if (result == CACHE_REMOTE_OK && server->database) {
		snprintf(database, sizeof database, "%ld", server->database);
		result = send_words(r, q, 2, (const char *const[]){"SELECT", database});
		result = result == CACHE_REMOTE_OK ? expect_good(r, q) : result;
	}
	r->greeted = result == CACHE_REMOTE_OK;
	return r->greeted ? result : CACHE_REMOTE_AWAY;
}

enum { NAME = 512 };

static int name_of(const Server *server, const Request *q, size_t i, char out[NAME], size_t *size)
{
	int len = write_name(out, NAME, server->key_format, q->keys[i], q->names[i]);
	*size = (size_t)len;
	return len >= NAME ? remote_fail(q, CACHE_REMOTE_REFUSED, "TRITON_REDIS_KEY_FORMAT makes names that are too long") : CACHE_REMOTE_OK;
}

static int get(const Server *server, Redis *r, const Request *q)
{
	char name[NAME], last[24];
	int result = CACHE_REMOTE_OK;
	/* One byte more than may be: such a value is seen to be too large. */
	snprintf(last, sizeof last, "%zu", server->largest);
	for (size_t i = 0; i < q->count && result == CACHE_REMOTE_OK; i++) {
		size_t sizes[] = {8, 0, 1, strlen(last)};
		result = name_of(server, q, i, name, &sizes[1]);
		if (result == CACHE_REMOTE_OK)
			result = send_command(r, q, 4, (const char *const[]){"GETRANGE", name, "0", last}, sizes);
	}
	if (result != CACHE_REMOTE_OK)
		return CACHE_REMOTE_AWAY; /* some may be on their way: the connection is of no more use */
	for (size_t i = 0; i < q->count; i++) {
		redisReply *reply;
		int got = read_reply(r, q, &reply);
		if (got != CACHE_REMOTE_OK)
			return got;
		if (reply->type == REDIS_REPLY_ERROR)
			result = MAX(result, take_error(q, reply));
		else if (reply->type == REDIS_REPLY_STRING && reply->len > server->largest)
			result = MAX(result, remote_fail(q, CACHE_REMOTE_REFUSED, "a value there has more than %zu bytes", server->largest));
		else if (reply->type == REDIS_REPLY_STRING && reply->len)
			q->give(q->sink, i, reply->str, reply->len);
		freeReplyObject(reply);
	}
	return result;
}

static int set(const Server *server, Redis *r, const Request *q)
{
	char name[NAME];
	size_t sizes[] = {3, 0, q->size};
	int result = name_of(server, q, 0, name, &sizes[1]);
	if (result != CACHE_REMOTE_OK)
		return result;
	result = send_command(r, q, 3, (const char *const[]){"SET", name, q->bytes}, sizes);
	return result == CACHE_REMOTE_OK ? expect_good(r, q) : result;
}

static int redis_run(Server *server, Connection *c, const Request *q)
{
	Redis *r = (Redis *)c;
	int result = r->greeted ? CACHE_REMOTE_OK : greet(server, r, q);
	if (result != CACHE_REMOTE_OK)
		return result;
	return q->give ? get(server, r, q) : set(server, r, q);
}

const Protocol redis_protocol = {redis_open, redis_connection, redis_run, redis_close};
