/* neso: the command. Each command is a row; its own file says what it does. */
#include "cli/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const Command *const commands[] = {
	&command_run,    &command_compile, &command_check, &command_lsp,    &command_list,       &command_opt,
	&command_layout, &command_view,    &command_info,  &command_config, &command_cache,      &command_bisect,
	&command_completion, &command_manual, &command_aot, &command_tune, &command_record, &command_explain,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const Command *const *all_commands(size_t *count)
{
	*count = COMMAND_COUNT;
	return commands;
}

static void print_usage(FILE *to)
{
	fputs("usage: neso COMMAND ...\n\n", to);
	for (int i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n  neso COMMAND --help says more. neso --version prints the version.\n"
	      "  Exit status: 0 done, 1 the input is at fault or the run failed, 2 the command line is wrong.\n",
	      to);
}

static void print_help(const Command *command)
{
	printf("usage: neso %s [OPTION]... %s\n\n", command->name, command->arguments);
	printf("%s.\n\nOptions:\n", command->summary);
	for (const Option *o = command->options; o->name; o++) {
		char left[64];
		snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->letter ? "-" : " ", o->letter ? o->letter : ' ',
			 o->letter ? ", " : "  ", o->name, o->value ? " " : "", o->value ? o->value : "");
		printf("  %-26s %s\n", left, o->help);
	}
	if (command->details)
		printf("\n%s", command->details);
}

static int run_command(const Command *command, int argc, char **argv)
{
	Parsed parsed;
	if (!options_parse(command->options, argc, argv, &parsed))
		return EXIT_USAGE;
	if (parsed.help) {
		print_help(command);
		return EXIT_DONE;
	}
	return command->run(&parsed);
}

/* No file that is opened later takes the number of a standard descriptor that is closed. What takes it is
 * opened the wrong way round, so that reads and writes fail as they would have. Beyond the limit of file
 * sizes writes fail too, and the command lives to tidy up. */
static void guard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			break;
	signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	guard_descriptors();
	guard_output();
	follow_parent();
	if (neso_abi_version() != NESO_ABI_VERSION)
		return input_error("this command was built for interface %d, the library has %u", NESO_ABI_VERSION,
				   (unsigned)neso_abi_version());
	const char *name = argc > 1 ? argv[1] : "";
	if (strcmp(name, "--version") == 0) {
		printf("neso %s\n", neso_version());
		return EXIT_DONE;
	}
	bool help = strcmp(name, "help") == 0;
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (help && argc == 2)) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	if (help)
		name = argv[2];
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(name, commands[i]->name) == 0) {
			if (help) {
				print_help(commands[i]);
				return EXIT_DONE;
			}
			int status = run_command(commands[i], argc - 2, argv + 2);
			if (fflush(stdout) != 0 && status == EXIT_DONE)
				status = input_error("cannot write to standard output");
			return status;
		}
	if (!*name) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	Nearest nearest;
	nearest_begin(&nearest, name, strlen(name));
	for (int i = 0; i < COMMAND_COUNT; i++)
		nearest_look(&nearest, commands[i]->name);
	return usage_error("no command '%s'%s (neso --help lists them)", name, nearest_text(&nearest, ""));
}
