/* neso completion: what a shell completes of a command line of neso, as a script for it. */
#include "cli/pages.h"

#include <stdio.h>

static const Option options[] = {
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

/* Text between single quotes of a shell. `special`: characters that a backslash goes before. */
static void put_quoted(const char *text, const char *special)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
}

static void put_command_names(void)
{
	size_t count;
	const Command *const *commands = all_commands(&count);
	for (size_t i = 0; i < count; i++)
		printf("%s%s", i ? " " : "", commands[i]->name);
}

/* ---- bash ---- */

static const char bash_head[] =
	"# bash completion of neso, made by `neso completion bash`.\n"
	"\n"
	"# Proposes words; of a list with commas, for its last entry.\n"
	"_neso_words()\n"
	"{\n"
	"\tlocal before=\n"
	"\t[[ $cur == *,* ]] && before=${cur%,*},\n"
	"\tCOMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\"))\n"
	"}\n"
	"\n"
	"_neso_kernels() { neso list \"$1\" 2>/dev/null | sed 's/[^A-Za-z0-9_].*//'; }\n"
	"\n"
	"# Files, and behind FILE.py: its kernels. Where a colon parts words, only what is behind it is\n"
	"# replaced.\n"
	"_neso_files()\n"
	"{\n"
	"\tlocal word=${COMP_LINE:0:COMP_POINT} before=\n"
	"\tword=${word##*[[:space:]]}\n"
	"\tif [[ $word == *.py:* ]]; then\n"
	"\t\t[[ $COMP_WORDBREAKS == *:* ]] || before=${word%%:*}:\n"
	"\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$(_neso_kernels \"${word%%:*}\")\" "
	"-- \"${word#*:}\"))\n"
	"\telse\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_neso()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tCOMPREPLY=()\n"
	"\tif [[ $cur == = ]]; then\n"
	"\t\tcur=\n"
	"\telif [[ $prev == = ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n";

static void bash_words(Words words)
{
	switch (words.kind) {
	case WORDS_ANY: fputs(":", stdout); break;
	case WORDS_LIST: printf("_neso_words '%s'", words.list); break;
	case WORDS_FILES: fputs("_neso_files", stdout); break;
	case WORDS_FOLDERS:
		fputs("compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$cur\"))", stdout);
		break;
	case WORDS_COMMANDS: fputs("_neso_words '", stdout), put_command_names(), fputs("'", stdout); break;
	}
}

static void bash_command(const neso_context *context, const Command *command)
{
	for (const Option *o = command->options; o->name; o++) {
		if (!o->value)
			continue;
		printf("\t%s:--%s", command->name, o->name);
		if (o->letter)
			printf(" | %s:-%c", command->name, o->letter);
		fputs(") ", stdout);
		bash_words(option_words(context, command, o));
		puts("; return ;;");
	}
}

static void bash_arguments(const neso_context *context, const Command *command)
{
	printf("\t%s)\n\t\tif [[ $cur == -* ]]; then\n\t\t\t_neso_words '", command->name);
	for (const Option *o = command->options; o->name; o++) {
		printf("%s--%s", o == command->options ? "" : " ", o->name);
		if (o->letter)
			printf(" -%c", o->letter);
	}
	fputs("'\n\t\telse\n\t\t\t", stdout);
	bash_words(argument_words(context, command));
	puts("\n\t\tfi ;;");
}

static void bash(const neso_context *context)
{
	size_t count;
	const Command *const *commands = all_commands(&count);
	fputs(bash_head, stdout);
	fputs("\tif ((COMP_CWORD == 1)); then\n\t\t_neso_words '", stdout);
	put_command_names();
	fputs(" help --help --version'\n\t\treturn\n\tfi\n", stdout);
	fputs("\tif [[ ${COMP_WORDS[1]} == help ]]; then\n\t\t_neso_words '", stdout);
	put_command_names();
	fputs("'\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]}:$prev in\n", stdout);
	for (size_t i = 0; i < count; i++)
		bash_command(context, commands[i]);
	fputs("\tesac\n\tcase ${COMP_WORDS[1]} in\n", stdout);
	for (size_t i = 0; i < count; i++)
		bash_arguments(context, commands[i]);
	puts("\tesac\n}\ncomplete -F _neso neso");
}

/* ---- zsh ---- */

static void zsh_words(Words words)
{
	switch (words.kind) {
	case WORDS_ANY: break;
	case WORDS_LIST: printf("_values -s , value %s", words.list); break;
	case WORDS_FILES: fputs("_neso_files", stdout); break;
	case WORDS_FOLDERS: fputs("_files -/", stdout); break;
	case WORDS_COMMANDS: fputs("(", stdout), put_command_names(), fputs(")", stdout); break;
	}
}

/* A spec of _arguments: '(-s --signature)'{-s,--signature}'[help]:TEXT:action'. */
static void zsh_option(const neso_context *context, const Command *command, const Option *o)
{
	fputs(" \\\n\t\t\t", stdout);
	if (o->letter)
		printf("'*'{-%c,--%s}'[", o->letter, o->name);
	else
		printf("'*--%s[", o->name);
	put_quoted(o->help, "[]:\\");
	fputs("]", stdout);
	if (o->value) {
		fputs(":", stdout);
		put_quoted(o->value, "[]:\\");
		fputs(":", stdout);
		zsh_words(option_words(context, command, o));
	}
	fputs("'", stdout);
}

static void zsh(const neso_context *context)
{
	size_t count;
	const Command *const *commands = all_commands(&count);
	puts("#compdef neso\n# zsh completion of neso, made by `neso completion zsh`.\n\n"
	     "_neso_kernels() { neso list \"$1\" 2>/dev/null | sed 's/[^A-Za-z0-9_].*//'; }\n"
	"\n"
	"# Files, and behind FILE.py: its kernels.\n"
	     "_neso_files()\n{\n\tif compset -P '*.py:'; then\n"
	     "\t\tlocal -a kernels=(\n"
	     "\t\t\t${(f)\"$(neso list \"${IPREFIX%:}\" 2>/dev/null | sed 's/[^A-Za-z0-9_].*//')\"})\n"
	     "\t\tcompadd -a kernels\n\telse\n\t\t_files\n\tfi\n}\n\n_neso()\n{");
	puts("\tlocal -a commands=(");
	for (size_t i = 0; i < count; i++) {
		printf("\t\t'%s:", commands[i]->name);
		put_quoted(commands[i]->summary, ":\\");
		puts("'");
	}
	puts("\t\t'help:Show the help of a command')\n"
	     "\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	     "\tlocal name=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $name in");
	for (size_t i = 0; i < count; i++) {
		printf("\t%s)\n\t\t_arguments", commands[i]->name);
		for (const Option *o = commands[i]->options; o->name; o++)
			zsh_option(context, commands[i], o);
		fputs(" \\\n\t\t\t'*:argument:", stdout);
		zsh_words(argument_words(context, commands[i]));
		puts("' ;;");
	}
	puts("\thelp) _describe command commands ;;\n\tesac\n}\n\n"
	     "if [[ $funcstack[1] == _neso ]]; then\n\t_neso \"$@\"\nelse\n\tcompdef _neso neso\nfi");
}

/* ---- fish ---- */

static void fish_words(Words words)
{
	switch (words.kind) {
	case WORDS_ANY: fputs(" -x", stdout); break;
	case WORDS_LIST: printf(" -x -a '%s'", words.list); break;
	case WORDS_FILES: fputs(" -r -F", stdout); break;
	case WORDS_FOLDERS: fputs(" -x -a '(__fish_complete_directories)'", stdout); break;
	case WORDS_COMMANDS: fputs(" -x -a '", stdout), put_command_names(), fputs("'", stdout); break;
	}
}

static void fish_command(const neso_context *context, const Command *command)
{
	printf("complete -c neso -n __fish_use_subcommand -f -a %s -d '", command->name);
	put_quoted(command->summary, "");
	puts("'");
	for (const Option *o = command->options; o->name; o++) {
		printf("complete -c neso -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
		if (o->letter)
			printf(" -s %c", o->letter);
		if (o->value)
			fish_words(option_words(context, command, o));
		fputs(" -d '", stdout);
		put_quoted(o->help, "");
		puts("'");
	}
	Words words = argument_words(context, command);
	if (words.kind == WORDS_FILES)
		return;
	printf("complete -c neso -n '__fish_seen_subcommand_from %s'", command->name);
	if (words.kind == WORDS_ANY)
		fputs(" -f", stdout);
	else
		fish_words(words);
	putchar('\n');
}

static void fish(const neso_context *context)
{
	size_t count;
	const Command *const *commands = all_commands(&count);
	puts("# fish completion of neso, made by `neso completion fish`.");
	for (size_t i = 0; i < count; i++)
		fish_command(context, commands[i]);
	fputs("complete -c neso -n __fish_use_subcommand -f -a help -d 'Show the help of a command'\n"
	      "complete -c neso -n '__fish_seen_subcommand_from help' -x -a '", stdout);
	put_command_names();
	puts("'\ncomplete -c neso -n __fish_use_subcommand -l version -d 'Show the version'\n"
	     "complete -c neso -n __fish_use_subcommand -l help -s h -d 'Show the commands'");
}

static int completion(const Parsed *parsed)
{
	static const struct {
		const char *name;
		void (*print)(const neso_context *context);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
	if (parsed->arg_count != 1)
		return usage_error("neso completion wants a shell: bash, zsh or fish");
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(parsed->args[0], shells[i].name) != 0)
			continue;
		neso_context *context = open_context(parsed);
		if (!context)
			return EXIT_INPUT;
		shells[i].print(context);
		neso_context_free(context);
		return EXIT_DONE;
	}
	return usage_error("no completion for '%s'; there are bash, zsh and fish", parsed->args[0]);
}

const Command command_completion = {
	"completion", "SHELL", "Print a script that completes command lines of neso, for bash, zsh or fish",
	"Installed versions of neso bring these scripts along. Without installing:\n\n"
	"  source <(neso completion bash)\n"
	"  source <(neso completion zsh)\n"
	"  neso completion fish | source\n",
	options, completion,
};
