/* HTTP: GET and PUT of URL/ac/KEY, where KEY has 64 digits.
 *
 * So lie the results of actions in caches that speak Bazel's protocol (bazel-remote and others),
 * which look at what they keep: an ActionResult of build.bazel.remote.execution.v2, a message of
 * protocol buffers. Ours has one field, stdout_raw (5), with the entry. To any other server that
 * takes PUT, as WebDAV's do, it is bytes as any; where a folder is missing it is made (MKCOL).
 *
 * S3 is the same with requests that libcurl signs (AWS Signature Version 4). The signature
 * covers no body: entries check themselves, and over TLS nobody changes them on their way. */
#include "remote/inner.h"

#include <stdio.h>
#include <stdlib.h>

/* CURLOPT_AWS_SIGV4 of libcurl 7.75, whose headers may be older. */
#define S3_SIGNING ((CURLoption)10305)

enum { STDOUT_RAW = 5 << 3 | 2, OVERHEAD = 4096 }; /* other fields that a server may add */

typedef struct Http {
	Connection connection;
	struct curl_slist *headers;
	char *url; /* with room for the key */
	size_t base; /* bytes of it before /ac */
	/* What comes. */
	char *body;
	size_t size, room, largest;
	bool too_large;
	/* What goes. */
	char head[12];
	size_t head_size, out_size, at;
	const char *out;
} Http;

static bool http_open(Server *server, char *why, size_t why_size)
{
	(void)why;
	(void)why_size;
	size_t len = strlen(server->path);
	while (len && server->path[len - 1] == '/')
		server->path[--len] = '\0';
	if (len >= 3 && strcmp(server->path + len - 3, "/ac") == 0)
		server->path[len - 3] = '\0';
	return true;
}

static void http_close(Connection *c)
{
	Http *h = (Http *)c;
	curl_easy_cleanup(c->curl);
	curl_slist_free_all(h->headers);
	free(h->url);
	free(h->body);
	free(h);
}

static Connection *http_connection(Server *server)
{
	Http *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	size_t room = strlen(server->scheme) + strlen(server->host) + strlen(server->path) + (server->query ? strlen(server->query) : 0) + 128;
	h->connection.curl = curl_easy_init();
	/* No wait for a "100 Continue": entries are small. (A header that is taken away libcurl
	 * would sign.) */
	h->headers = curl_slist_append(NULL, server->signing ? "x-amz-content-sha256: UNSIGNED-PAYLOAD"
							     : "Expect:");
	if (server->token)
		h->headers = curl_slist_append(h->headers, server->token);
	h->url = malloc(room);
	if (!h->connection.curl || !h->headers || !h->url) {
		http_close(&h->connection);
		return NULL;
	}
	h->base = (size_t)snprintf(h->url, room, "%s://%s%s%s%s", server->scheme, server->host, server->port ? ":" : "",
				   server->port ? server->port : "", server->path);
	return &h->connection;
}

/* ---- the message ---- */

static void wrap(Http *h, const char *bytes, size_t size)
{
	size_t n = 0;
	h->head[n++] = STDOUT_RAW;
	uint64_t rest = size;
	for (; rest >= 128; rest >>= 7)
		h->head[n++] = (char)((rest & 127) | 128);
	h->head[n++] = (char)rest;
	h->head_size = n;
	h->out = bytes;
	h->out_size = size;
	h->at = 0;
}

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

/* The last field stdout_raw of any bytes; false: there is none, or they are no message. */
static bool unwrap(const char *message, size_t size, const char **bytes, size_t *len)
{
	const uint8_t *at = (const uint8_t *)message, *end = at + size;
	bool found = false;
	while (at < end) {
		uint64_t tag, n;
		if (!read_varint(&at, end, &tag))
			return false;
		switch (tag & 7) {
		case 0:
			if (!read_varint(&at, end, &n))
				return false;
			continue;
		case 1: n = 8; break;
		case 5: n = 4; break;
		case 2:
			if (read_varint(&at, end, &n))
				break;
			return false;
		default: return false;
		}
		if (n > (uint64_t)(end - at))
			return false;
		if (tag == STDOUT_RAW) {
			*bytes = (const char *)at;
			*len = (size_t)n;
			found = true;
		}
		at += n;
	}
	return found;
}

/* ---- transfers ---- */

static size_t on_body(char *bytes, size_t one, size_t n, void *data)
{
	Http *h = data;
	size_t size = one * n;
	h->too_large = h->too_large || size > h->largest || h->size > h->largest - size;
	if (h->too_large)
		return 0;
	if (h->room - h->size < size) {
		size_t room = MAX(2 * h->room, h->size + size + 4096);
		char *more = realloc(h->body, room);
		if (!more)
			return 0;
		h->body = more;
		h->room = room;
	}
	memcpy(h->body + h->size, bytes, size);
	h->size += size;
	return size;
}

static size_t on_send(char *buffer, size_t one, size_t n, void *data)
{
	Http *h = data;
	size_t done = 0, room = one * n;
	while (done < room && h->at < h->head_size + h->out_size) {
		bool head = h->at < h->head_size;
		const char *from = head ? h->head + h->at : h->out + (h->at - h->head_size);
		size_t have = head ? h->head_size - h->at : h->head_size + h->out_size - h->at, take = MIN(have, room - done);
		memcpy(buffer + done, from, take);
		done += take;
		h->at += take;
	}
	return done;
}

/* Sending anew, on a connection that was lost or after a redirection. */
static int on_seek(void *data, curl_off_t offset, int origin)
{
	Http *h = data;
	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > h->head_size + h->out_size)
		return CURL_SEEKFUNC_CANTSEEK;
	h->at = (size_t)offset;
	return CURL_SEEKFUNC_OK;
}

/* One request; *status is the server's. `method` NULL: GET, or PUT of what wrap set. */
static CURLcode transfer(const Server *server, Http *h, const Request *q, const char *method, bool upload, long *status)
{
	CURL *curl = h->connection.curl;
	curl_easy_reset(curl); /* its connections and what it knows of names stay */
	remote_set_up(server, &h->connection, q->until);
	h->size = 0;
	h->too_large = false;
	curl_easy_setopt(curl, CURLOPT_URL, h->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "neso/" NESO_VERSION);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 4L);
	/* From https to no other. */
	bool safe = strcmp(server->scheme, "https") == 0;
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, safe ? "https" : "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, (long)(safe ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	if (server->signing)
		curl_easy_setopt(curl, S3_SIGNING, server->signing);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, h);
	if (server->user || server->password) {
		curl_easy_setopt(curl, CURLOPT_USERNAME, server->user ? server->user : "");
		curl_easy_setopt(curl, CURLOPT_PASSWORD, server->password ? server->password : "");
	}
	if (method)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	if (upload) {
		h->at = 0;
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_send);
		curl_easy_setopt(curl, CURLOPT_READDATA, h);
		curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, on_seek);
		curl_easy_setopt(curl, CURLOPT_SEEKDATA, h);
		curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)(h->head_size + h->out_size));
	}
	CURLcode code = curl_easy_perform(curl);
	*status = 0;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	return code;
}

static void set_url(const Server *server, Http *h, const char *key)
{
	char *at = h->url + h->base;
	at += sprintf(at, "/ac/%.64s", key);
	if (server->query)
		sprintf(at, "?%s", server->query);
}

/* What a status means that is no success: it lets nobody in, is busy or not there; else it is this value's. (500 too: nginx says so
 * when its disk is full, and goes on giving what it has.) */
static int take_status(const Request *q, long status)
{
	bool away = status == 401 || status == 407 || status == 408 || status == 429 || (status >= 502 && status <= 504);
	return remote_fail(q, away ? CACHE_REMOTE_AWAY : CACHE_REMOTE_REFUSED, "it answers %s with status %ld", q->give ? "GET" : "PUT", status);
}

static int get_one(const Server *server, Http *h, const Request *q, size_t i)
{
	const char *bytes;
	size_t size;
	long status;
	h->largest = server->largest + OVERHEAD;
	set_url(server, h, q->keys[i]);
	CURLcode code = transfer(server, h, q, NULL, false, &status);
	if (h->too_large)
		return remote_fail(q, CACHE_REMOTE_REFUSED, "a value there has more than %zu bytes", server->largest);
	if (code != CURLE_OK)
		return remote_fail_curl(&h->connection, q, code);
	if (status == 404 || status == 410)
		return CACHE_REMOTE_OK;
	if (status != 200)
		return take_status(q, status);
	/* What is no such message is damaged, and found so by who checks entries. */
	if (!unwrap(h->body, h->size, &bytes, &size))
		bytes = "", size = 0;
	q->give(q->sink, i, bytes, size);
	return CACHE_REMOTE_OK;
}

/* Makes the folders of the path, from the top; what is there already is refused by the server, and that is fine. */
static int make_folders(const Server *server, Http *h, const Request *q)
{
	char *root = strstr(h->url, "://");
	root += 3 + strcspn(root + 3, "/");
	char *last = h->url + h->base + 4; /* behind "/ac/" */
	for (char *at = strchr(root + 1, '/'); at && at < last; at = strchr(at + 1, '/')) {
		char behind = at[1];
		long status;
		at[1] = '\0';
		CURLcode code = transfer(server, h, q, "MKCOL", false, &status);
		at[1] = behind;
		if (code != CURLE_OK)
			return remote_fail_curl(&h->connection, q, code);
	}
	return CACHE_REMOTE_OK;
}

static int put_one(const Server *server, Http *h, const Request *q)
{
	int result = CACHE_REMOTE_OK;
	long status;
	h->largest = 1 << 20; /* of what it says about it */
	set_url(server, h, q->keys[0]);
	wrap(h, q->bytes, q->size);
	CURLcode code = transfer(server, h, q, NULL, true, &status);
	/* WebDAV says 409 where the folder is missing, others 404, and nginx 500. */
	bool folder = status == 404 || status == 409 || status == 500;
	if (code == CURLE_OK && folder && !server->signing) {
		result = make_folders(server, h, q);
		if (result != CACHE_REMOTE_OK)
			return result;
		code = transfer(server, h, q, NULL, true, &status);
	}
	/* A server that refuses what it has not read yet may close the connection under it. */
	if (code != CURLE_OK && !(status >= 400 && status < 500))
		return remote_fail_curl(&h->connection, q, code);
	return status >= 200 && status < 300 ? CACHE_REMOTE_OK : take_status(q, status);
}

static int http_run(Server *server, Connection *c, const Request *q)
{
	Http *h = (Http *)c;
	int result = CACHE_REMOTE_OK;
	if (!q->give)
		return put_one(server, h, q);
	for (size_t i = 0; i < q->count && result != CACHE_REMOTE_AWAY; i++)
		result = MAX(result, get_one(server, h, q, i));
	return result;
}

const Protocol http_protocol = {http_open, http_connection, http_run, http_close};

/* ---- S3 ---- */

static char *copy_or_environment(char *given, const char *variable)
{
	const char *text = given ? NULL : getenv(variable);
	return given ? given : text && *text ? strdup(text) : NULL;
}

/* A text with something before or behind it; NULL: out of memory. */
static char *joined(const char *before, const char *text)
{
	char *out = malloc(strlen(before) + strlen(text) + 4);
	if (out)
		sprintf(out, "%s%s", before, text);
	return out;
}

/* "region=eu-west-1" of the URL, else what programs of AWS go by. */
static const char *region_of(const Server *server)
{
	static const char *const variables[] = {"AWS_REGION", "AWS_DEFAULT_REGION"};
	if (server->query && strncmp(server->query, "region=", 7) == 0)
		return server->query + 7;
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (getenv(variables[i]) && *getenv(variables[i]))
			return getenv(variables[i]);
	return "us-east-1";
}

static bool s3_open(Server *server, char *why, size_t why_size)
{
	enum { FIRST = 0x075800 /* that signs the header for the body: 7.88 */ };
	const char *token = server->user ? NULL : getenv("AWS_SESSION_TOKEN");
	char *region = joined("aws:amz:", region_of(server));
	server->signing = region ? joined(region, ":s3") : NULL;
	free(region);
	server->user = copy_or_environment(server->user, "AWS_ACCESS_KEY_ID");
	server->password = copy_or_environment(server->password, "AWS_SECRET_ACCESS_KEY");
	server->token = token && *token ? joined("x-amz-security-token: ", token) : NULL;
	if (!server->signing)
		snprintf(why, why_size, "out of memory");
	else if (!server->user || !server->password)
		snprintf(why, why_size,
			 "neither its URL nor AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY say who we are");
	else if (!server->path[0] || !server->path[1])
		snprintf(why, why_size, "its URL names no bucket");
	else if (curl_version_info(CURLVERSION_NOW)->version_num < FIRST)
		snprintf(why, why_size, "libcurl is older than 7.88, which signs for S3");
	else {
		free(server->query);
		server->query = NULL;
		char *scheme = strdup(strcmp(server->scheme, "s3") == 0 ? "https" : "http");
		free(server->scheme);
		server->scheme = scheme;
		return scheme && http_open(server, why, why_size);
	}
	return false;
}

const Protocol s3_protocol = {s3_open, http_connection, http_run, http_close};
