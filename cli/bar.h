/* How far long work is, as one line of the terminal that standard error is; nothing where it is
 * none. The command, difftest and matrix use it. */
#ifndef NESO_CLI_BAR_H
#define NESO_CLI_BAR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Bar {
	bool terminal;
	bool colour; /* NO_COLOR says otherwise */
	bool shown;  /* it stands on the terminal's line */
	double began, drawn;
} Bar;

Bar bar_begin(void);
/* "[####----] 12/40  0:07 left  TEXT", as wide as the terminal, at most ten times a second. all:
 * 0 where it is not known. */
void bar_draw(Bar *bar, size_t done, size_t all, const char *text);
/* Before anything else is printed, and at the end. */
void bar_clear(Bar *bar);

#endif
