/* What whole programs (states.c, rows.c) are written by: chance, and lines of source. */
#ifndef NESO_TEST_DIFF_WRITER_H
#define NESO_TEST_DIFF_WRITER_H

#include <stdarg.h>

#include "diff.h"

typedef struct Writer {
	Random r;
	Case *c;
	FILE *out;
	int depth;
} Writer;

static inline bool chance(Writer *w, int of)
{
	return !random_below(&w->r, of);
}

static inline const char *word(Writer *w, int count, ...)
{
	va_list list;
	const char *value = "";
	va_start(list, count);
	for (int at = random_below(&w->r, count); at >= 0; at--)
		value = va_arg(list, const char *);
	va_end(list);
	return value;
}

__attribute__((format(printf, 2, 3))) static inline void line(Writer *w, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	for (int i = 0; i < w->depth; i++)
		fputs("    ", w->out);
	vfprintf(w->out, format, list);
	putc('\n', w->out);
	va_end(list);
}

#endif
