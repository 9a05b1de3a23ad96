/* Options of the command line, by table. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const Option *find_long(const Option *table, const char *name, size_t len)
{
	for (const Option *o = table; o->name; o++)
		if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
			return o;
	return NULL;
}

static const Option *find_short(const Option *table, char letter)
{
	for (const Option *o = table; o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

static void unknown_option(const Option *table, const char *text, size_t len)
{
	Nearest nearest;
	nearest_begin(&nearest, text + (len > 2 ? 2 : 1), len > 2 ? len - 2 : len - 1);
	for (const Option *o = table; o->name; o++)
		nearest_look(&nearest, o->name);
	usage_error("unknown option '%.*s'%s (--help lists them)", (int)len, text, nearest_text(&nearest, "--"));
}

bool options_parse(const Option *table, int argc, char **argv, Parsed *out)
{
	*out = (Parsed){.given = take(sizeof(Given) * (size_t)(argc + 1)),
			.args = take(sizeof(char *) * (size_t)(argc + 1))};
	bool only_args = false;
	for (int i = 0; i < argc; i++) {
		const char *text = argv[i];
		if (only_args || text[0] != '-' || !text[1]) {
			out->args[out->arg_count++] = text;
			continue;
		}
		if (strcmp(text, "--") == 0) {
			only_args = true;
			continue;
		}
		bool is_long = text[1] == '-';
		size_t len = is_long ? strcspn(text + 2, "=") : 1;
		const Option *option = is_long ? find_long(table, text + 2, len) : find_short(table, text[1]);
		if (!option) {
			unknown_option(table, text, is_long ? len + 2 : strlen(text));
			return false;
		}
		const char *value = "";
		const char *rest = is_long ? text + 2 + len : text + 2;
		if (option->value) {
			if (*rest)
				value = is_long ? rest + 1 : rest;
			else if (i + 1 < argc)
				value = argv[++i];
			else {
				usage_error("--%s wants %s", option->name, option->value);
				return false;
			}
		} else if (*rest) {
			usage_error("--%s takes no value", option->name);
			return false;
		}
		out->given[out->given_count++] = (Given){option, value, out->arg_count};
		out->help |= strcmp(option->name, "help") == 0;
	}
	return true;
}

const char *option_value(const Parsed *parsed, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < parsed->given_count; i++)
		if (strcmp(parsed->given[i].option->name, name) == 0)
			value = parsed->given[i].value;
	return value;
}

/* `what` it wants; false after a usage error. */
static bool real_number(const Parsed *parsed, const char *name, const char *what, double low, double high, double *out)
{
	const char *text = option_value(parsed, name);
	*out = 0;
	if (!text)
		return true;
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !(value >= low && value <= high)) {
		usage_error("--%s wants %s, not '%s'", name, what, text);
		return false;
	}
	*out = value;
	return true;
}

bool option_seconds(const Parsed *parsed, const char *name, double *out)
{
	return real_number(parsed, name, "seconds", 1e-6, 1e9, out);
}

bool option_tolerance(const Parsed *parsed, const char *name, double *out)
{
	return real_number(parsed, name, "a number that is not negative", 0, INFINITY, out);
}

bool option_number(const Parsed *parsed, const char *name, long low, long high, long otherwise, long *out)
{
	const char *text = option_value(parsed, name);
	*out = otherwise;
	if (!text)
		return true;
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high) {
		usage_error("--%s wants a number from %ld to %ld, not '%s'", name, low, high, text);
		return false;
	}
	*out = value;
	return true;
}
