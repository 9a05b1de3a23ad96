/* neso bisect: which optional pass makes a command fail. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const Option options[] = {
	{"quiet", 'q', NULL, "only the name of the pass"},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

/* Optional passes in the order of the pipeline. */
typedef struct Passes {
	const char **names;
	size_t count;
} Passes;

static Passes optional_passes(void)
{
	Passes p = {NULL, 0};
	for (size_t i = 0; neso_ir_pass_name(i); i++) {
		if (!neso_ir_pass_optional(i))
			continue;
		p.names = take_more(p.names, (p.count + 1) * sizeof *p.names);
		p.names[p.count++] = neso_ir_pass_name(i);
	}
	return p;
}

/* Names [first, end) as NESO_SKIP_PASSES takes them. */
static char *list_of(const Passes *p, size_t first, size_t end)
{
	size_t size = 1;
	for (size_t i = first; i < end; i++)
		size += strlen(p->names[i]) + 1;
	char *list = take_more(NULL, size);
	list[0] = '\0';
	for (size_t i = first; i < end; i++) {
		strcat(list, i > first ? "," : "");
		strcat(list, p->names[i]);
	}
	return list;
}

/* Does the command fail without these passes? -1: it cannot be run. */
static int fails(const Parsed *parsed, const Passes *p, size_t first, size_t end)
{
	char *skip = list_of(p, first, end);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		setenv("NESO_SKIP_PASSES", skip, 1);
		char **argv = take_more(NULL, (parsed->arg_count + 1) * sizeof *argv);
		for (size_t i = 0; i < parsed->arg_count; i++)
			argv[i] = (char *)(uintptr_t)parsed->args[i];
		argv[parsed->arg_count] = NULL;
		execvp(argv[0], argv);
		_exit(127);
	}
	free(skip);
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* With the first k passes the command fails, with k - 1 it does not: the least such k. */
static size_t search(const Parsed *parsed, const Passes *p, int *fault)
{
	size_t good = 0, bad = p->count;
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;
		int failed = fails(parsed, p, middle, p->count);
		*fault |= failed < 0;
		if (failed)
			bad = middle;
		else
			good = middle;
	}
	return bad;
}

static int bisect(const Parsed *parsed)
{
	if (!parsed->arg_count)
		return usage_error("neso bisect wants a command that fails: neso bisect -- python3 test.py");
	Passes p = optional_passes();
	int with = fails(parsed, &p, 0, 0), without = fails(parsed, &p, 0, p.count);
	if (with < 0 || without < 0)
		return input_error("'%s' cannot be run", parsed->args[0]);
	if (!with)
		return input_error("the command does not fail: there is nothing to look for");
	if (without)
		return input_error("the command fails without optional passes too: none of them is to blame");
	int fault = 0;
	const char *name = p.names[search(parsed, &p, &fault) - 1];
	free(p.names);
	if (fault)
		return input_error("'%s' could not be run each time", parsed->args[0]);
	printf(option_value(parsed, "quiet") ? "%s\n" : "the command fails from the pass '%s' on\n", name);
	return EXIT_DONE;
}

const Command command_bisect = {
	"bisect",
	"-- COMMAND [ARGUMENT]...",
	"Find the optional pass that makes a command fail",
	"The command runs with more and with fewer of the optional passes (NESO_SKIP_PASSES), and says by its exit status\n"
	"whether it fails. Compiled kernels of other runs are not taken for its own: what is left out is part of their keys.\n\n"
	"  neso bisect -- neso run matmul.py:kernel --target sim:sm_90a ...\n"
	"  neso bisect -- python3 test_kernel.py\n",
	options,
	bisect,
};
