/* neso manual: the manual pages, from the tables of commands, options and settings. */
#include "cli/pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const Option options[] = {
	{"format", 'f', "FORMAT", "man (the default) or markdown"},
	{"folder", 0, "FOLDER", "write every page into this folder, which is there: neso.1, neso-run.1, ..."},
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

/* A format: its functions write to the file that they are given. No command: `neso` itself. */
typedef struct Format {
	const char *name, *suffix;
	void (*head)(FILE *to, const Command *command);
	void (*section)(FILE *to, const char *title);
	void (*text)(FILE *to, const char *text);     /* a paragraph */
	void (*verbatim)(FILE *to, const char *text); /* lines as they are */
	void (*item)(FILE *to, const char *term, const char *text);
	void (*items_end)(FILE *to);
	void (*see)(FILE *to, const Command *command);
} Format;

/* ---- roff ---- */

/* With the characters that roff takes for its own escaped. */
static void roff_put(FILE *to, const char *text, bool line_start)
{
	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", to);
		if (*text == '\\')
			fputs("\\e", to);
		else if (*text == '-')
			fputs("\\-", to);
		else if (*text == '\'')
			fputs("\\(aq", to);
		else if (*text == '`')
			fputs("\\(ga", to);
		else if (*text == '^')
			fputs("\\(ha", to);
		else if (*text == '~')
			fputs("\\(ti", to);
		else
			fputc(*text, to);
		line_start = *text == '\n';
	}
}

static void roff_head(FILE *to, const Command *command)
{
	fputs(".\\\" Made by `neso manual` from the tables of the command.\n", to);
	fprintf(to, ".TH NESO%s", command ? "\\-" : "");
	for (const char *c = command ? command->name : ""; *c; c++)
		fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, to);
	fprintf(to, " 1 \"\" \"neso %s\" \"Neso\"\n.SH NAME\n", neso_version());
	if (command)
		fprintf(to, "neso\\-%s \\- ", command->name);
	else
		fputs("neso \\- ", to);
	const char *summary = "Compile and run kernels written in the Triton tile language";
	roff_put(to, command ? command->summary : summary, false);
	fputs("\n.SH SYNOPSIS\n.B neso", to);
	if (!command) {
		fputs("\n.I COMMAND\n.RI [ OPTION ]...\n.RI [ ARGUMENT ]...\n", to);
		return;
	}
	fprintf(to, " %s\n.RI [ OPTION ]...\n", command->name);
	if (*command->arguments) {
		roff_put(to, command->arguments, true);
		fputc('\n', to);
	}
}

static void roff_section(FILE *to, const char *title)
{
	fputs(".SH ", to);
	for (; *title; title++)
		fputc(*title >= 'a' && *title <= 'z' ? *title - 'a' + 'A' : *title, to);
	fputc('\n', to);
}

static void roff_text(FILE *to, const char *text)
{
	fputs(".PP\n", to);
	roff_put(to, text, true);
	fputc('\n', to);
}

static void roff_verbatim(FILE *to, const char *text)
{
	fputs(".PP\n.nf\n", to);
	roff_put(to, text, true);
	fputs(".fi\n", to);
}

static void roff_item(FILE *to, const char *term, const char *text)
{
	fputs(".TP\n.B ", to);
	roff_put(to, term, true);
	fputc('\n', to);
	roff_put(to, text, true);
	fputc('\n', to);
}

static void roff_items_end(FILE *to)
{
	(void)to;
}

static void roff_see(FILE *to, const Command *command)
{
	fputs(".SH SEE ALSO\n", to);
	if (command) {
		fputs(".BR neso (1)\n", to);
		return;
	}
	size_t count;
	const Command *const *commands = all_commands(&count);
	for (size_t i = 0; i < count; i++)
		fprintf(to, ".BR neso\\-%s (1)%s\n", commands[i]->name, i + 1 < count ? "," : "");
}

/* ---- Markdown: sections of one page ---- */

static void markdown_head(FILE *to, const Command *command)
{
	if (!command) {
		fputs("# neso\n\n", to);
		fputs("```text\nneso COMMAND [OPTION]... [ARGUMENT]...\n```\n\n", to);
		return;
	}
	fprintf(to, "## neso %s\n\n%s.\n\n", command->name, command->summary);
	fprintf(to, "```text\nneso %s [OPTION]... %s\n```\n\n", command->name, command->arguments);
}

static void markdown_section(FILE *to, const char *title)
{
	if (strcmp(title, "Options") == 0 || strcmp(title, "Commands") == 0)
		fprintf(to, "| %s | |\n|---|---|\n", strcmp(title, "Options") == 0 ? "option" : "command");
	else if (strcmp(title, "Environment") == 0 || strcmp(title, "Exit status") == 0)
		fprintf(to, "%s:\n\n| | |\n|---|---|\n", title);
}

static void markdown_text(FILE *to, const char *text)
{
	fprintf(to, "%s\n\n", text);
}

static void markdown_verbatim(FILE *to, const char *text)
{
	fprintf(to, "```text\n%s```\n\n", text);
}

static void markdown_item(FILE *to, const char *term, const char *text)
{
	fprintf(to, "| `%s` | ", term);
	for (; *text; text++)
		fprintf(to, "%s%c", strchr("|*<_", *text) ? "\\" : "", *text);
	fputs(" |\n", to);
}

static void markdown_items_end(FILE *to)
{
	fputc('\n', to);
}

static void markdown_see(FILE *to, const Command *command)
{
	(void)to, (void)command;
}

static const Format formats[] = {
	{"man", ".1", roff_head, roff_section, roff_text, roff_verbatim, roff_item, roff_items_end, roff_see},
	{"markdown", ".md", markdown_head, markdown_section, markdown_text, markdown_verbatim, markdown_item,
	 markdown_items_end, markdown_see},
};

/* ---- pages ---- */

static void put_options(FILE *to, const Format *format, const Command *command)
{
	format->section(to, "Options");
	for (const Option *o = command->options; o->name; o++) {
		char letter[8] = "";
		if (o->letter)
			snprintf(letter, sizeof letter, "-%c, ", o->letter);
		const char *value = o->value ? o->value : "";
		char *term = take_printf("%s--%s%s%s", letter, o->name, *value ? " " : "", value);
		format->item(to, term, o->help);
		free(term);
	}
	format->items_end(to);
}

static void command_page(FILE *to, const Format *format, const Command *command)
{
	format->head(to, command);
	put_options(to, format, command);
	if (command->details) {
		format->section(to, "Details");
		format->verbatim(to, command->details);
	}
	format->see(to, command);
}

typedef struct Environment {
	FILE *to;
	const Format *format;
} Environment;

static void put_setting(void *data, const neso_setting *setting)
{
	const Environment *e = data;
	if (setting->used)
		e->format->item(e->to, setting->variable, setting->doc);
}

static void main_page(FILE *to, const Format *format)
{
	size_t count;
	const Command *const *commands = all_commands(&count);
	format->head(to, NULL);
	format->section(to, "Description");
	format->text(to, "Each command has a page of its own, and --help.");
	format->section(to, "Commands");
	for (size_t i = 0; i < count; i++)
		format->item(to, commands[i]->name, commands[i]->summary);
	format->items_end(to);
	format->section(to, "Exit status");
	format->item(to, "0", "done");
	format->item(to, "1", "the input is at fault, or the run failed");
	format->item(to, "2", "the command line is wrong");
	format->items_end(to);
	format->section(to, "Environment");
	neso_settings(put_setting, &(Environment){to, format});
	format->items_end(to);
	format->see(to, NULL);
}

static void put_page(FILE *to, const Format *format, const Command *command)
{
	if (command)
		command_page(to, format, command);
	else
		main_page(to, format);
}

/* FOLDER/neso-NAME.1; false after a message. */
static bool write_page(const char *folder, const Format *format, const Command *command)
{
	const char *name = command ? command->name : "";
	char *path = take_printf("%s/neso%s%s%s", folder, command ? "-" : "", name, format->suffix);
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	if (!to) {
		input_error("cannot write '%s': %s", path, strerror(errno));
		return false;
	}
	put_page(to, format, command);
	if (fclose(to) != 0) {
		input_error("cannot write '%s': %s", path, strerror(errno));
		return false;
	}
	bool written = write_file(path, text, len);
	free(text);
	free(path);
	return written;
}

static int write_pages(const char *folder, const Format *format)
{
	size_t count;
	const Command *const *commands = all_commands(&count);
	bool written = write_page(folder, format, NULL);
	for (size_t i = 0; written && i < count; i++)
		written = write_page(folder, format, commands[i]);
	return written ? EXIT_DONE : EXIT_INPUT;
}

static int manual(const Parsed *parsed)
{
	const char *wanted = option_value(parsed, "format"), *folder = option_value(parsed, "folder");
	const Format *format = &formats[0];
	if (wanted && strcmp(wanted, "markdown") == 0)
		format = &formats[1];
	else if (wanted && strcmp(wanted, "man") != 0)
		return usage_error("--format wants man or markdown, not '%s'", wanted);
	if (folder && parsed->arg_count)
		return usage_error("--folder takes every page, and no command");
	if (parsed->arg_count > 1)
		return usage_error("neso manual takes one command");
	if (folder)
		return write_pages(folder, format);
	size_t count;
	const Command *const *commands = all_commands(&count);
	if (!parsed->arg_count) {
		put_page(stdout, format, NULL);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(parsed->args[0], commands[i]->name) == 0) {
			put_page(stdout, format, commands[i]);
			return EXIT_DONE;
		}
	return usage_error("no command '%s' (neso --help lists them)", parsed->args[0]);
}

const Command command_manual = {
	"manual", "[COMMAND]", "Print a manual page",
	"Installed versions of neso bring their pages along: man neso, man neso-run. Without installing:\n\n"
	"  neso manual run | man -l -\n",
	options, manual,
};
