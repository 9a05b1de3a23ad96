/* Messages, memory and files of the command. */
#define _GNU_SOURCE /* sbrk, MADV_HUGEPAGE */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

static void say_error(const char *format, va_list args)
{
	fputs("neso: error: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int usage_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say_error(format, args);
	va_end(args);
	return EXIT_USAGE;
}

int input_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say_error(format, args);
	va_end(args);
	return EXIT_INPUT;
}

void expect_much_memory(void)
{
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
	enum { ROOM = 32 << 20, PAGE = 2 << 20 };
	/* What the user says of malloc stands. */
	if (getenv("GLIBC_TUNABLES") || !mallopt(M_MMAP_THRESHOLD, ROOM) || !mallopt(M_TRIM_THRESHOLD, 2 * ROOM) ||
	    !mallopt(M_TOP_PAD, ROOM))
		return;
	uintptr_t from = (uintptr_t)sbrk(0);
	free(malloc(ROOM / 16));
	uintptr_t to = (uintptr_t)sbrk(0);
	from = (from + PAGE - 1) / PAGE * PAGE;
	if (to > from)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#endif
}

void *take_more(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);
	if (!p)
		exit(input_error("no memory for %zu bytes", bytes));
	return p;
}

void *take(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);
	if (!p)
		exit(input_error("no memory for %zu bytes", bytes));
	return p;
}

char *take_text(const char *text, size_t len)
{
	char *copy = take(len + 1);
	memcpy(copy, text, len);
	return copy;
}

char *take_printf(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = take((size_t)len + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

char *read_file(const char *path, size_t *len)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	if (!file) {
		input_error("cannot read '%s': %s", path, strerror(errno));
		return NULL;
	}
	char *bytes = NULL;
	size_t used = 0, room = 0;
	for (;;) {
		if (used + 1 >= room)
			bytes = take_more(bytes, room = room ? room * 2 : 1 << 16);
		size_t got = fread(bytes + used, 1, room - used - 1, file);
		if (!got)
			break;
		used += got;
	}
	int failed = ferror(file) ? errno : 0;
	if (file != stdin)
		fclose(file);
	if (failed) {
		input_error("cannot read '%s': %s", path, strerror(failed));
		free(bytes);
		return NULL;
	}
	bytes[used] = 0;
	*len = used;
	return bytes;
}

bool write_file(const char *path, const char *text, size_t len)
{
	bool to_stdout = !path || strcmp(path, "-") == 0;
	FILE *file = to_stdout ? NULL : fopen(path, "wb");
	bool good = to_stdout ? print_raw(text, len) : file && fwrite(text, 1, len, file) == len && fflush(file) == 0;
	int code = errno;
	if (file && !to_stdout && fclose(file) != 0 && good) {
		good = false;
		code = errno;
	}
	struct stat st;
	if (!good && file && !to_stdout && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		remove(path); /* a part of it would be taken for all */
	if (!good)
		input_error("cannot write '%s': %s", to_stdout ? "standard output" : path, strerror(code));
	return good;
}

void print_json_text(const char *text)
{
	if (!text) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			printf("\\u%04x", *p);
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			printf("\\u%04x", *++p);
		else
			putchar(*p);
	}
	putchar('"');
}
