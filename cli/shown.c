/* What the command prints, without what steers terminals: names, keys and texts that it read may hold anything.
 *
 * Standard output and error are streams that pass bytes on, but for control characters other than tabs and line ends and for bytes that are no
 * UTF-8: of these comes a sign of one column each. What is printed as it is (a section, a stage) goes around it where it goes to no terminal. */
#define _GNU_SOURCE /* fopencookie */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#ifdef __GLIBC__

typedef struct Shown {
	int fd;
	unsigned char rest[4]; /* the beginning of a character whose end was not printed yet */
	size_t have;
} Shown;

typedef struct Pieces {
	char bytes[4096];
	size_t len;
	int fd;
	bool failed;
} Pieces;

static void send(Pieces *p)
{
	for (size_t at = 0; at < p->len && !p->failed;) {
		ssize_t put = write(p->fd, p->bytes + at, p->len - at);
		p->failed = put < 0 ? errno != EINTR : put == 0;
		at += put > 0 ? (size_t)put : 0;
	}
	p->len = 0;
}

static void add(Pieces *p, const void *bytes, size_t len)
{
	if (p->len + len > sizeof p->bytes)
		send(p);
	memcpy(p->bytes + p->len, bytes, len);
	p->len += len;
}

/* Bytes of a character that begins so; 0: none does. */
static size_t length_of(unsigned char first)
{
	return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

static bool is_plain(const unsigned char *c, size_t len)
{
	if (len == 1)
		return (*c >= 32 && *c != 127) || *c == '\n' || *c == '\t';
	return len != 2 || c[0] != 0xc2 || c[1] >= 0xa0;
}

static void add_sign(Pieces *p, unsigned char c)
{
	/* Unicode has pictures of the characters below 32, and of 127. */
	const unsigned char picture[] = {0xe2, 0x90, (unsigned char)(c == 127 ? 0xa1 : 0x80 + c)};
	if (c < 32 || c == 127)
		add(p, picture, sizeof picture);
	else
		add(p, "\xef\xbf\xbd", 3);
}

/* The characters of `rest`, as far as they are whole. */
static void take_rest(Shown *s, Pieces *p)
{
	while (s->have) {
		size_t want = length_of(s->rest[0]), good = 1;
		while (good < s->have && good < want && (s->rest[good] & 0xc0) == 0x80)
			good++;
		if (good == s->have && good < want)
			return;
		if (want && good == want && is_plain(s->rest, want))
			add(p, s->rest, want);
		else
			add_sign(p, want > 1 ? 0x80 : s->rest[0]);
		s->have -= good;
		memmove(s->rest, s->rest + good, s->have);
	}
}

static ssize_t on_write(void *data, const char *bytes, size_t size)
{
	Shown *s = data;
	Pieces p = {.fd = s->fd};
	for (size_t i = 0; i < size && !p.failed; i++) {
		s->rest[s->have++] = (unsigned char)bytes[i];
		take_rest(s, &p);
	}
	send(&p);
	return p.failed ? 0 : (ssize_t)size;
}

static FILE *shown_stream(Shown *s, int fd, int buffering)
{
	static const cookie_io_functions_t functions = {.write = on_write};
	s->fd = fd;
	FILE *file = fopencookie(s, "w", functions);
	if (file)
		setvbuf(file, NULL, buffering, BUFSIZ);
	return file;
}

void guard_output(void)
{
	static Shown out, err;
	FILE *to_out = shown_stream(&out, STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	FILE *to_err = shown_stream(&err, STDERR_FILENO, _IONBF);
	if (to_out)
		stdout = to_out;
	if (to_err)
		stderr = to_err;
}

#else

void guard_output(void)
{
}

#endif

bool print_raw(const char *bytes, size_t len)
{
	if (isatty(STDOUT_FILENO))
		return fwrite(bytes, 1, len, stdout) == len && fflush(stdout) == 0;
	bool good = fflush(stdout) == 0;
	while (good && len) {
		ssize_t put = write(STDOUT_FILENO, bytes, len);
		good = put > 0 || (put < 0 && errno == EINTR);
		bytes += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
	return good;
}
