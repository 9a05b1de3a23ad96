/* Diagnostics on a terminal: what they are stands out, and so does the place. NO_COLOR is
 * obeyed.
 *
 * The library has taken control characters out of their text; what is added here goes around the
 * command's streams, which would do so, too. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char plain[] = "\033[0m";

static bool has_colour(void)
{
	const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");
	return isatty(STDERR_FILENO) && !(none && *none) && kind && strcmp(kind, "dumb") != 0;
}

/* "path:3:4: error: text": where the word is; NULL: the line has none. */
static const char *word_of(const char *line, size_t len, const char **colour)
{
	static const char *const words[][2] = {
		{"error: ", "\033[1;31m"}, {"warning: ", "\033[1;35m"}, {"note: ", "\033[1;36m"},
	};
	const char *first = NULL;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *at = strstr(line, words[i][0]);
		bool begins = at && at < line + len &&
			      (at == line || (at > line + 1 && at[-1] == ' ' && at[-2] == ':'));
		if (!begins || (first && at >= first))
			continue;
		first = at;
		*colour = words[i][1];
	}
	return first;
}

static void show_line(FILE *to, const char *line, size_t len)
{
	const char *colour = "\033[1;32m", *word = NULL;
	bool indented = strncmp(line, "    ", 4) == 0;
	bool caret = indented && strspn(line, " \t^~") >= len;
	if (!indented)
		word = word_of(line, len, &colour);
	if (word) {
		size_t before = (size_t)(word - line), name = strcspn(word, ":") + 1;
		fprintf(to, "\033[1m%.*s%s%.*s%s%.*s", (int)before, line, colour, (int)name, word, plain,
			(int)(len - before - name), word + name);
	} else {
		fprintf(to, "%s%.*s%s", caret ? colour : "", (int)len, line, caret ? plain : "");
	}
	fputc('\n', to);
}

void show_diagnostics(const char *text)
{
	FILE *to = has_colour() ? fdopen(dup(STDERR_FILENO), "w") : NULL;
	if (!to) {
		fputs(text, stderr);
		return;
	}
	fflush(stderr);
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		show_line(to, text, len);
	}
	fclose(to);
}
