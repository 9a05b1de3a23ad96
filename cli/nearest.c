/* Which of the known words one that is not known was meant to be. */
#include <string.h>

#include "cli/cli.h"

enum { LONGEST = 40 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned d = a < b ? a : b;
	return d < c ? d : c;
}

/* Edit distance: insert, delete, replace, swap of neighbours (Damerau and Levenshtein). */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][LONGEST + 1];
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = rows[i % 3], *before = rows[(i - 1) % 3], *older = rows[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = least(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], now[j], older[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void nearest_begin(Nearest *nearest, const char *word, size_t len)
{
	*nearest = (Nearest){.word = word, .len = len, .best = len <= 3 ? 2 : 3};
}

void nearest_look(Nearest *nearest, const char *known)
{
	size_t len = strlen(known);
	if (len > LONGEST || nearest->len > LONGEST)
		return;
	unsigned d = distance(nearest->word, nearest->len, known, len);
	if (d >= nearest->best)
		return;
	nearest->best = d;
	nearest->known = known;
}

const char *nearest_text(const Nearest *nearest, const char *before)
{
	return nearest->known ? take_printf("; did you mean '%s%s'?", before, nearest->known) : "";
}
