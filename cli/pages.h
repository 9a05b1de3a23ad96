/* What is made of the tables of commands and options: manual pages and completions. */
#ifndef NESO_CLI_PAGES_H
#define NESO_CLI_PAGES_H

#include "cli/cli.h"

/* All commands, in the order of `neso --help` (main.c). */
const Command *const *all_commands(size_t *count);

/* What completes a value (words.c). */
typedef enum {
	WORDS_ANY,      /* no proposal */
	WORDS_LIST,     /* `list`, with blanks between */
	WORDS_FILES,    /* names of files; FILE.py:KERNEL too */
	WORDS_FOLDERS,
	WORDS_COMMANDS, /* names of commands */
} WordsKind;

typedef struct Words {
	WordsKind kind;
	const char *list;
} Words;

Words option_words(const neso_context *context, const Command *command, const Option *option);
Words argument_words(const neso_context *context, const Command *command);

#endif
