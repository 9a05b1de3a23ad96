/* A socket at which a running process says what it compiled (NESO_EXPLAIN). A thread of the
 * context's waits there; it answers one question after another: a line with a format ("json"), or
 * an HTTP request, which gets Prometheus text. Only this user can connect. Without the setting
 * there is no thread. */
#define _GNU_SOURCE /* accept4, pipe2 */
#include "api/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct ApiServer {
	neso_context *context;
	struct sockaddr_un address;
	int listening, end[2]; /* end: a pipe that is closed when the thread is to end */
	pid_t pid;
	pthread_t thread;
	struct Leaving *leaving;
} ApiServer;

/* What the end of the process looks at, which may come without the context's. It stays so long. */
typedef struct Leaving {
	atomic_bool removed;
	pid_t pid;
	struct sockaddr_un address;
} Leaving;

/* ---- one question ---- */

enum { PATIENCE_MS = 2000, QUESTION = 4096 };

static bool wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	int ready;
	while ((ready = poll(&p, 1, PATIENCE_MS)) < 0 && errno == EINTR)
		;
	return ready > 0;
}

/* The first line; false: none came. */
static bool read_question(int fd, char *line)
{
	size_t len = 0;
	while (len < QUESTION - 1 && !memchr(line, '\n', len) && wait_for(fd, POLLIN)) {
		const ssize_t n = recv(fd, line + len, QUESTION - 1 - len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	line[len] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return len > 0;
}

static void send_all(int fd, const char *bytes, size_t len)
{
	while (len && wait_for(fd, POLLOUT)) {
		const ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

static void answer(ApiServer *s, int fd)
{
	char line[QUESTION];
	Arena arena;
	Fault fault;
	if (!read_question(fd, line))
		return;
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		const bool http = strncmp(line, "GET ", 4) == 0;
		Text text, head;
		text_init(&text, &arena);
		text_init(&head, &arena);
		if (!api_explain(s->context, http ? "prometheus" : line, &text))
			text_printf(&text, "error: known are text, json and prometheus, not '%.40s'\n", line);
		if (http)
			text_printf(&head, "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
					   "Content-Length: %zu\r\nConnection: close\r\n\r\n", text.len);
		send_all(fd, head.data, head.len);
		send_all(fd, text.data, text.len);
		fault_leave(&fault);
	}
	arena_free(&arena);
}

static void *serve(void *data)
{
	ApiServer *s = data;
	for (;;) {
		struct pollfd p[2] = {{.fd = s->listening, .events = POLLIN},
				      {.fd = s->end[0], .events = POLLIN}};
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (p[1].revents)
			return NULL;
		const int fd = p[0].revents ? accept4(s->listening, NULL, NULL, SOCK_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		answer(s, fd);
		close(fd);
	}
}

/* ---- life ---- */

static const char *expand_pid(Arena *arena, const char *path)
{
	static const char mark[] = "{pid}";
	const char *at = strstr(path, mark);
	if (!at)
		return path;
	return arena_printf(arena, "%.*s%ld%s", (int)(at - path), path, (long)getpid(), at + sizeof mark - 1);
}

/* A socket that nobody listens at any more is what a process left that was killed. */
static void remove_dead(const struct sockaddr_un *address)
{
	struct stat st;
	if (lstat(address->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
	    errno == ECONNREFUSED)
		unlink(address->sun_path);
	if (fd >= 0)
		close(fd);
}

static bool listen_at(ApiServer *s)
{
	remove_dead(&s->address);
	s->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode that the socket has when it is bound: nobody else can connect in between. */
	return s->listening >= 0 && fchmod(s->listening, 0600) == 0 &&
	       bind(s->listening, (const struct sockaddr *)&s->address, sizeof s->address) == 0 &&
	       listen(s->listening, 8) == 0;
}

extern int __cxa_atexit(void (*handler)(void *), void *data, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void on_exit_of_process(void *data)
{
	Leaving *leaving = data;
	if (!leaving->removed && leaving->pid == getpid())
		unlink(leaving->address.sun_path);
	free(leaving);
}

static void remove_at_exit(ApiServer *s)
{
	Leaving *leaving = malloc(sizeof *leaving);
	if (!leaving)
		return;
	*leaving = (Leaving){.pid = s->pid, .address = s->address};
	if (__cxa_atexit(on_exit_of_process, leaving, &__dso_handle) == 0)
		s->leaving = leaving;
	else
		free(leaving);
}

/* Signals are for the program's own threads. */
static bool start(ApiServer *s)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int failed = pthread_create(&s->thread, NULL, serve, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = failed;
	return !failed;
}

static void close_all(ApiServer *s)
{
	const int fds[] = {s->listening, s->end[0], s->end[1]};
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(s);
}

void api_explain_begin(neso_context *context, const char *path, DiagList *diags)
{
	if (!path || !*path)
		return;
	path = expand_pid(diags->arena, path);
	ApiServer *s = calloc(1, sizeof *s);
	if (!s)
		return;
	*s = (ApiServer){.context = context,
			 .address = {.sun_family = AF_UNIX},
			 .listening = -1,
			 .end = {-1, -1},
			 .pid = getpid()};
	const size_t len = strlen(path);
	if (len < sizeof s->address.sun_path)
		memcpy(s->address.sun_path, path, len + 1);
	errno = ENAMETOOLONG;
	if (len < sizeof s->address.sun_path && pipe2(s->end, O_CLOEXEC) == 0 && listen_at(s) && start(s)) {
		remove_at_exit(s);
		context->server = s;
		return;
	}
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_EXPLAIN_SOCKET, path, strerror(errno));
	close_all(s);
}

/* A child of a fork has the socket, and no thread. */
void api_explain_end(neso_context *context)
{
	ApiServer *s = context->server;
	if (!s)
		return;
	context->server = NULL;
	if (s->pid == getpid()) {
		close(s->end[1]);
		s->end[1] = -1;
		pthread_join(s->thread, NULL);
		unlink(s->address.sun_path);
		if (s->leaving)
			s->leaving->removed = true;
	}
	close_all(s);
}
