/* The table of libneso-remote.so: opening a URL, and a pool of connections for its requests. */
#define _GNU_SOURCE
#include "remote/inner.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { IDLE = 16 }; /* connections that are kept */

typedef struct Pool {
	pthread_mutex_t lock;
	Connection *idle;
	unsigned count;
} Pool;

double remote_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

long remote_left(double until)
{
	double left = (until - remote_now()) * 1e3;
	return left < 1 ? 1 : left > INT_MAX ? INT_MAX : (long)left;
}

int remote_fail(const Request *request, int result, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(request->why, request->why_size, format, args);
	va_end(args);
	return result;
}

int remote_fail_curl(Connection *connection, const Request *request, CURLcode code)
{
	if (code == CURLE_OPERATION_TIMEDOUT)
		return remote_fail(request, CACHE_REMOTE_AWAY, "it does not answer in time");
	return remote_fail(request, CACHE_REMOTE_AWAY, "%s", connection->error[0] ? connection->error : curl_easy_strerror(code));
}

void remote_set_up(const Server *server, Connection *connection, double until)
{
	CURL *curl = connection->curl;
	long left = remote_left(until);
	connection->error[0] = '\0';
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, connection->error);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, left);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)MIN(server->connect_ms, (uint64_t)left));
	curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
	if (server->certificates)
		curl_easy_setopt(curl, CURLOPT_CAINFO, server->certificates);
}

/* ---- connections ---- */

static Connection *take(Server *server, bool *used)
{
	Pool *pool = server->pool;
	pthread_mutex_lock(&pool->lock);
	Connection *c = pool->idle;
	if (c) {
		pool->idle = c->next;
		pool->count--;
	}
	pthread_mutex_unlock(&pool->lock);
	*used = c != NULL;
	return c ? c : server->protocol->connection(server);
}

static void give_back(Server *server, Connection *c)
{
	Pool *pool = server->pool;
	pthread_mutex_lock(&pool->lock);
	bool keep = pool->count < IDLE;
	if (keep) {
		c->next = pool->idle;
		pool->idle = c;
		pool->count++;
	}
	pthread_mutex_unlock(&pool->lock);
	if (!keep)
		server->protocol->close(c);
}

/* A server that went away must not raise SIGPIPE in the program: it is blocked meanwhile, and one that came is taken. */
typedef struct Guard {
	sigset_t pipe, before;
	bool pending;
} Guard;

static void guard_begin(Guard *guard)
{
	sigset_t pending;
	sigemptyset(&guard->pipe);
	sigaddset(&guard->pipe, SIGPIPE);
	sigpending(&pending);
	guard->pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &guard->pipe, &guard->before);
}

static void guard_end(Guard *guard)
{
	const struct timespec now = {0};
	if (!guard->pending)
		(void)sigtimedwait(&guard->pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

static int run(Server *server, Request *request)
{
	int result = CACHE_REMOTE_AWAY;
	bool used = true;
	Guard guard;
	request->until = remote_now() + (double)server->request_ms * 1e-3;
	guard_begin(&guard);
	/* Connections that the server has closed since are found out one by one; a new one is the last try. */
	while (used) {
		Connection *c = take(server, &used);
		if (!c) {
			result = remote_fail(request, CACHE_REMOTE_REFUSED, "out of memory");
			break;
		}
		c->lost = false;
		result = server->protocol->run(server, c, request);
		if (result != CACHE_REMOTE_AWAY) {
			give_back(server, c);
			break;
		}
		used = used && c->lost;
		server->protocol->close(c);
	}
	guard_end(&guard);
	return result;
}

static int get_many(void *data, const char *const *keys, const char *const *names, size_t count, CacheGiveFn *give, void *sink, char *why,
		    size_t why_size)
{
	Request request = {.keys = keys, .names = names, .count = count, .give = give, .sink = sink, .why = why, .why_size = why_size};
	return run(data, &request);
}

static int put(void *data, const char *key, const char *name, const void *bytes, size_t size, char *why, size_t why_size)
{
	Request request = {.keys = &key, .names = &name, .count = 1, .bytes = bytes, .size = size, .why = why, .why_size = why_size};
	return run(data, &request);
}

/* ---- opening ---- */

static void server_free(void *data)
{
	Server *server = data;
	while (server->pool && server->pool->idle) {
		Connection *c = server->pool->idle;
		server->pool->idle = c->next;
		server->protocol->close(c);
	}
	if (server->pool)
		pthread_mutex_destroy(&server->pool->lock);
	free(server->pool);
	char *texts[] = {server->scheme,       server->user,	server->password, server->host,
			 server->port,	       server->path,	server->query,	  server->key_format,
			 server->certificates, server->signing, server->token};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		free(texts[i]);
	free(server);
}

/* A part of the URL in memory of malloc; NULL: there is none. */
static char *part(CURLU *url, CURLUPart what, unsigned flags)
{
	char *text, *copy = NULL;
	if (curl_url_get(url, what, &text, flags) == CURLUE_OK) {
		copy = strdup(text);
		curl_free(text);
	}
	return copy;
}

static bool read_url(Server *server, CURLU *url, const char *text)
{
	if (!url || curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
		return false;
	server->scheme = part(url, CURLUPART_SCHEME, 0);
	server->user = part(url, CURLUPART_USER, CURLU_URLDECODE);
	server->password = part(url, CURLUPART_PASSWORD, CURLU_URLDECODE);
	server->host = part(url, CURLUPART_HOST, 0); /* of IPv6 in brackets */
	server->port = part(url, CURLUPART_PORT, 0);
	server->path = part(url, CURLUPART_PATH, 0);
	server->query = part(url, CURLUPART_QUERY, 0);
	return server->scheme && server->host && server->path;
}

static const Protocol *protocol_of(const char *scheme)
{
	static const struct {
		const char *scheme;
		const Protocol *protocol;
	} known[] = {{"redis", &redis_protocol}, {"rediss", &redis_protocol}, {"http", &http_protocol},
		     {"https", &http_protocol},	 {"s3", &s3_protocol},	      {"s3+http", &s3_protocol}};
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].scheme, scheme) == 0)
			return known[i].protocol;
	return NULL;
}

static bool fill(Server *server, const CacheRemoteOptions *o, char *why, size_t why_size)
{
	CURLU *url = curl_url();
	bool good = read_url(server, url, o->place);
	curl_url_cleanup(url);
	server->protocol = good ? protocol_of(server->scheme) : NULL;
	if (!server->protocol) {
		snprintf(why, why_size, "%s",
			 good ? "its URL begins with none of redis://, rediss://, http://, https://, s3://"
			      : "it is no URL");
		return false;
	}
	server->pool = calloc(1, sizeof *server->pool);
	server->key_format = strdup(o->key_format ? o->key_format : "");
	server->certificates = o->certificates ? strdup(o->certificates) : NULL;
	if (!server->pool || !server->key_format || (o->certificates && !server->certificates)) {
		snprintf(why, why_size, "out of memory");
		return false;
	}
	pthread_mutex_init(&server->pool->lock, NULL);
	server->connect_ms = o->connect_ms;
	server->request_ms = o->request_ms;
	server->largest = (size_t)o->largest;
	return server->protocol->open(server, why, why_size);
}

static bool remote_open(const CacheRemoteOptions *options, CacheBackend *backend, char *why, size_t why_size)
{
	if (!curl_load()) {
		snprintf(why, why_size, "there is no libcurl.so.4 on this system");
		return false;
	}
	Server *server = calloc(1, sizeof *server);
	if (!server || !fill(server, options, why, why_size)) {
		if (server)
			server_free(server);
		else
			snprintf(why, why_size, "out of memory");
		return false;
	}
	*backend = (CacheBackend){server, get_many, put, server_free};
	return true;
}

extern const CacheRemoteTable neso_remote_table;
const CacheRemoteTable neso_remote_table __attribute__((visibility("default"))) = {
	.abi = CACHE_REMOTE_ABI,
	.version = NESO_VERSION,
	.open = remote_open,
};
