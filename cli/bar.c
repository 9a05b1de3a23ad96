/* A line that is drawn over itself. It goes to the descriptor itself: the command's streams let
 * no control characters through. */
#include "cli/bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 24, LONGEST = 512 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void put(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(STDERR_FILENO, text, len);
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

Bar bar_begin(void)
{
	const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");
	Bar bar = {.began = now()};
	bar.terminal = isatty(STDERR_FILENO) && !(kind && strcmp(kind, "dumb") == 0);
	bar.colour = bar.terminal && !(none && *none);
	return bar;
}

static size_t columns(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static int write_left(char *out, size_t room, const Bar *bar, size_t done, size_t all)
{
	double past = now() - bar->began;
	if (!done || done >= all || past < 1)
		return 0;
	unsigned left = (unsigned)(past / (double)done * (double)(all - done));
	return snprintf(out, room, "  %u:%02u left", left / 60, left % 60);
}

void bar_draw(Bar *bar, size_t done, size_t all, const char *text)
{
	char line[LONGEST], head[WIDTH + 3] = "[", out[LONGEST + 64];
	if (!bar->terminal || (bar->shown && done < all && now() - bar->drawn < 0.1))
		return;
	size_t full = all ? (done < all ? done : all) * WIDTH / all : 0;
	memset(head + 1, '#', full);
	memset(head + 1 + full, '-', WIDTH - full);
	head[WIDTH + 1] = ']';
	int len = all ? snprintf(line, sizeof line, " %zu/%zu", done, all)
		      : snprintf(line, sizeof line, " %zu", done);
	len += write_left(line + len, sizeof line - (size_t)len, bar, done, all);
	if (*text)
		snprintf(line + len, sizeof line - (size_t)len, "  %.300s", text);
	size_t room = columns() - 1, bar_room = room < WIDTH + 2 ? room : WIDTH + 2;
	int n = snprintf(out, sizeof out, "\r\033[K%s%.*s%s%.*s", bar->colour ? "\033[32m" : "",
			 (int)bar_room, head, bar->colour ? "\033[0m" : "", (int)(room - bar_room), line);
	put(out, (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
	bar->shown = true;
	bar->drawn = now();
}

void bar_clear(Bar *bar)
{
	if (bar->shown)
		put("\r\033[K", 4);
	bar->shown = false;
}
