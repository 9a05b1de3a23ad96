/* Inside libneso-remote.so: servers, connections to them, and requests with a time by which they end.
 *
 * A server is a table of functions for its protocol, and connections that wait to be used again: each request has one for itself,
 * so threads do not wait for each other. Everything that a user could have wrong is a clause in `why`, without passwords. */
#ifndef NESO_REMOTE_INNER_H
#define NESO_REMOTE_INNER_H

#include "cache/remote/remote.h"
#include "remote/curl.h"

typedef struct Server Server;

/* Begins what its protocol has of a connection. */
typedef struct Connection {
	struct Connection *next;
	CURL *curl;
	bool lost; /* the server had closed it: another may do */
	char error[CURL_ERROR_SIZE];
} Connection;

/* One request: values to get, or the value to put. */
typedef struct Request {
	const char *const *keys, *const *names;
	size_t count;
	CacheGiveFn *give; /* NULL: to put */
	void *sink;
	const char *bytes;
	size_t size;
	double until; /* seconds of the monotonic clock */
	char *why;
	size_t why_size;
} Request;

typedef struct Protocol {
	/* Checks what the URL says beyond host and port. False with a clause. */
	bool (*open)(Server *server, char *why, size_t why_size);
	/* Zeroed but for `curl`; NULL: out of memory. Nothing is sent yet. */
	Connection *(*connection)(Server *server);
	int (*run)(Server *server, Connection *connection, const Request *request); /* CACHE_REMOTE_... */
	void (*close)(Connection *connection);
} Protocol;

struct Server {
	const Protocol *protocol;
	char *scheme, *user, *password, *host, *port, *path, *query; /* user, password, query: NULL when there is none */
	char *key_format, *certificates;
	long database; /* of Redis */
	/* Of S3: what requests are signed for, and a header; NULL: it is another server. */
	char *signing, *token;
	uint64_t connect_ms, request_ms;
	size_t largest;
	struct Pool *pool;
};

extern const Protocol redis_protocol, http_protocol, s3_protocol;

double remote_now(void);
/* Milliseconds until then, at least 1 and at most INT_MAX. */
long remote_left(double until);
/* Writes a clause and gives `result`. */
int remote_fail(const Request *request, int result, const char *format, ...) PRINTF_LIKE(3, 4);
/* What a transfer by curl ended with. */
int remote_fail_curl(Connection *connection, const Request *request, CURLcode code);
/* What all transfers to a server have in common: time-outs, certificates, no signals. */
void remote_set_up(const Server *server, Connection *connection, double until);

#endif
