/* Which words an option or an argument can be completed with: for shells. */
#include "cli/pages.h"

#include <stdio.h>

/* "@NAME": the row NAME of `neso info`. */
static const struct {
	const char *command, *option, *words; /* command NULL: of every command; option NULL: its arguments */
} rows[] = {
	{NULL, "target", "@targets"},
	{NULL, "emit", "@stages"},
	{NULL, "pass", "@passes"},
	{NULL, "stop-after", "@passes"},
	{NULL, "constexpr", "eager generic tiered"},
	{"cache", "section", "source ttir ttgir llir ptx cubin log key metadata"},
	{"cache", NULL, "key stats ls show explain diff verify gc clear path pack unpack"},
	{"explain", "format", "text json prometheus"},
	{"completion", NULL, "bash zsh fish"},
	{"manual", "format", "man markdown"},
};

/* Words of `neso info` that no machine changes. */
static const char *info_words(const neso_context *context, const char *name)
{
	const char *words = neso_context_info(context, name);
	return words ? words : "";
}

static const char *row_words(const neso_context *context, const char *command, const char *option)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].command && strcmp(rows[i].command, command) != 0)
			continue;
		if (option ? !rows[i].option || strcmp(rows[i].option, option) != 0 : rows[i].option != NULL)
			continue;
		return *rows[i].words == '@' ? info_words(context, rows[i].words + 1) : rows[i].words;
	}
	return NULL;
}

Words option_words(const neso_context *context, const Command *command, const Option *option)
{
	const char *words = row_words(context, command->name, option->name);
	if (words)
		return (Words){WORDS_LIST, words};
	if (strncmp(option->value, "FILE", 4) == 0)
		return (Words){WORDS_FILES, ""};
	if (strncmp(option->value, "FOLDER", 6) == 0)
		return (Words){WORDS_FOLDERS, ""};
	return (Words){WORDS_ANY, ""};
}

Words argument_words(const neso_context *context, const Command *command)
{
	if (strcmp(command->name, "manual") == 0)
		return (Words){WORDS_COMMANDS, ""};
	const char *words = row_words(context, command->name, NULL);
	if (words)
		return (Words){WORDS_LIST, words};
	return (Words){strstr(command->arguments, "FILE") ? WORDS_FILES : WORDS_ANY, ""};
}
