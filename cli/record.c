/* neso record: runs a program, whose launches become declarations. */
#define _GNU_SOURCE /* realpath */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Option options[] = {
	{"output", 'o', "FILE", "where to (neso.variants)"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static int record(const Parsed *parsed)
{
	const char *file = option_value(parsed, "output");
	char here[PATH_MAX];
	if (!parsed->arg_count)
		return usage_error("neso record wants a program: neso record -- PROGRAM ARGUMENT...");
	file = file ? file : "neso.variants";
	/* The program may change its folder. */
	if (*file != '/' && !getcwd(here, sizeof here))
		return input_error("the working folder: %s", strerror(errno));
	if (setenv("NESO_RECORD", *file == '/' ? file : take_printf("%s/%s", here, file), 1) != 0)
		return input_error("%s", strerror(errno));
	char *folder = take_text(file, strlen(file));
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (access(slash ? folder : ".", W_OK | X_OK) != 0)
		return input_error("%s: %s", file, strerror(errno));
	char **argv = take((parsed->arg_count + 1) * sizeof *argv);
	for (size_t i = 0; i < parsed->arg_count; i++)
		argv[i] = take_text(parsed->args[i], strlen(parsed->args[i]));
	argv[parsed->arg_count] = NULL;
	execvp(argv[0], argv);
	return input_error("%s: %s", argv[0], strerror(errno));
}

const Command command_record = {
	"record",
	"-- PROGRAM ARGUMENT...",
	"Run a program and write down which variants it launches",
	"Each variant that is launched becomes a line of declarations (docs/declare.md), unless the file has "
	"it: of this program\n"
	"and all that it starts. The exit status is the program's.\n\n"
	"  neso record -o server.variants -- python server.py --requests 1000\n"
	"  neso compile --declared server.variants --target sm_90a --pack server.pack\n",
	options,
	record,
};
