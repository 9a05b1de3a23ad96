/* neso explain: what a running process has compiled and launched (NESO_EXPLAIN). */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static const Option options[] = {
	{"format", 'f', "NAME", "text (the default), json or prometheus"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static int connected(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const size_t len = strlen(path);
	if (len >= sizeof address.sun_path) {
		input_error("%s: %s", path, strerror(ENAMETOOLONG));
		return -1;
	}
	memcpy(address.sun_path, path, len + 1);
	const struct timeval patience = {.tv_sec = 10};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
		return fd;
	if (fd >= 0 && errno == ECONNREFUSED)
		input_error("%s: the process that listened there has ended", path);
	else
		input_error("%s: %s (a process listens there that was started with NESO_EXPLAIN=%s)", path,
			    strerror(errno), path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static int explain(const Parsed *parsed)
{
	static const char *const formats[] = {"text", "json", "prometheus"};
	const char *format = option_value(parsed, "format");
	bool known = false;
	char bytes[1 << 14];
	ssize_t n;
	if (parsed->arg_count != 1)
		return usage_error("neso explain wants the socket of a process");
	format = format ? format : "text";
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		known = known || strcmp(format, formats[i]) == 0;
	if (!known)
		return usage_error("--format wants text, json or prometheus, not '%s'", format);
	const int fd = connected(parsed->args[0]);
	if (fd < 0)
		return EXIT_INPUT;
	const char *question = take_printf("%s\n", format);
	bool good = write(fd, question, strlen(question)) == (ssize_t)strlen(question);
	while (good && (n = read(fd, bytes, sizeof bytes)) != 0)
		good = n > 0 ? fwrite(bytes, 1, (size_t)n, stdout) == (size_t)n : errno == EINTR;
	if (!good && (errno == EAGAIN || errno == EWOULDBLOCK))
		errno = ETIMEDOUT; /* what a child of a process that ended holds open answers nothing */
	const int failed = errno;
	close(fd);
	errno = failed;
	return good ? EXIT_DONE : input_error("%s: %s", parsed->args[0], strerror(errno));
}

const Command command_explain = {
	"explain",
	"SOCKET",
	"Ask a running process which variants it has, and what multiplies them",
	"The process is one that was started with NESO_EXPLAIN=SOCKET in its environment. It answers HTTP at "
	"the socket as well, as\n"
	"Prometheus asks: curl --unix-socket SOCKET http://localhost/metrics.\n\n"
	"  NESO_EXPLAIN=/run/server.{pid} python server.py &\n"
	"  neso explain /run/server.4711 --format json\n",
	options,
	explain,
};
