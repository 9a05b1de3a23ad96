/* The table of settings, and the environment. */
#include "base/option/option.h"

#include <stdlib.h>

static const OptionInfo info[OPTION__COUNT] = {
#define KEY true
#define NOKEY false
#define USED OPTION_USED
#define PYTHON OPTION_PYTHON
#define KNOWN OPTION_KNOWN
#define OPTION(id, name, type, preset, variable, other, key, state, doc) \
	[OPTION_##id] = {name, preset, variable, other, doc, OPTION_##type, key, state},
#define OPTION_OTHER(variable)
#include "base/option/option.def"
#undef OPTION
#undef OPTION_OTHER
};

/* All names that are known: each option's first and, where there is one, second; and those of others. */
static const char *const names[] = {
#define OPTION(id, name, type, preset, variable, other, key, state, doc) variable, other,
#define OPTION_OTHER(variable) variable,
#include "base/option/option.def"
#undef OPTION
#undef OPTION_OTHER
};

/* Of each option's first name and second: a look at the environment compares no other texts. */
static const uint8_t lengths[2 * OPTION__COUNT] = {
#define OPTION(id, name, type, preset, variable, other, key, state, doc) \
	[2 * OPTION_##id] = sizeof(variable) - 1, [2 * OPTION_##id + 1] = sizeof(other) - 1,
#define OPTION_OTHER(variable)
#include "base/option/option.def"
#undef OPTION
#undef OPTION_OTHER
};

extern char **environ;

const OptionInfo *option_info(OptionId id)
{
	return &info[id];
}

const char *option_type_name(OptionType type)
{
	static const char *const types[OPTION_TYPE__COUNT] = {
		[OPTION_BOOL] = "bool", [OPTION_INT] = "int",	  [OPTION_SIZE] = "size",   [OPTION_TEXT] = "text",
		[OPTION_PATH] = "path", [OPTION_PATHS] = "paths", [OPTION_CLASS] = "class", [OPTION_CHOICE] = "choice",
	};
	return types[type];
}

/* ---- values ---- */

bool option_read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGTP";
	char *end;
	double value = strtod(text, &end);
	if (end == text || !(value >= 0) || value > 1e18)
		return false;
	const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
	if (unit) {
		for (const char *u = units; u <= unit; u++)
			value *= 1024;
		end++;
		end += *end == 'i';
		end += *end == 'B' || *end == 'b';
	}
	if (*end || value > 1e18)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

static bool read_int(const char *text, uint64_t *value)
{
	char *end;
	text += strspn(text, " \t");
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !end[strspn(end, " \t\n")];
}

/* Is it among "a|b: ..."? */
static bool is_choice(const char *doc, const char *text)
{
	size_t len = strlen(text);
	for (;;) {
		size_t n = strcspn(doc, "|:");
		if (n == len && memcmp(doc, text, n) == 0)
			return true;
		if (doc[n] != '|')
			return false;
		doc += n + 1;
	}
}

static bool has_type(OptionId id, const char *text)
{
	uint64_t value;
	switch (info[id].type) {
	case OPTION_INT: return read_int(text, &value);
	case OPTION_SIZE: return option_read_size(text, &value);
	case OPTION_CHOICE: return is_choice(info[id].doc, text);
	case OPTION_CLASS: return strchr(text, ':') != NULL;
	default: return true;
	}
}

static const char *variable_of(OptionId id, const char **variable)
{
	const char *const both[] = {info[id].variable, info[id].other};
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		const char *text = *both[i] ? getenv(both[i]) : NULL;
		if (!text || !*text)
			continue;
		*variable = both[i];
		return text;
	}
	return NULL;
}

const char *option_given(OptionId id, const char **variable)
{
	const char *from, *text = variable_of(id, &from);
	if (!text || !has_type(id, text))
		return NULL;
	if (variable)
		*variable = from;
	return text;
}

const char *option_wrong(OptionId id, const char **variable)
{
	const char *text = variable_of(id, variable);
	return text && !has_type(id, text) ? text : NULL;
}

const char *option_text(OptionId id)
{
	const char *text = option_given(id, NULL);
	return text ? text : info[id].preset[0] ? info[id].preset : NULL;
}

/* In capitals too. */
static bool is_one_of(const char *text, const char *const words[5])
{
	for (size_t i = 0; i < 5 && text; i++) {
		size_t n = 0;
		while (words[i][n] && (text[n] | 0x20) == (words[i][n] | 0x20))
			n++;
		if (!words[i][n] && !text[n])
			return true;
	}
	return false;
}

static const char *const on[5] = {"1", "true", "on", "yes", "y"};
static const char *const off[5] = {"0", "false", "off", "no", "n"};

bool option_is_on(OptionId id)
{
	return is_one_of(option_text(id), on);
}

uint64_t option_number(OptionId id)
{
	uint64_t value = 0;
	const char *text = option_text(id);
	if (text && info[id].type == OPTION_SIZE)
		option_read_size(text, &value);
	else if (text)
		read_int(text, &value);
	return value;
}

/* ---- names ---- */

static bool is_ours(const char *entry)
{
	return strncmp(entry, "TRITON_", 7) == 0 || strncmp(entry, "NESO_", 5) == 0;
}

/* By letters; the same behind the other prefix; the shortest that goes on where this one ends. */
static const char *nearest_of(const char *variable)
{
	const char *best = str_nearest(str_of(variable), names, ARRAY_LEN(names)), *rest = strchr(variable, '_');
	for (size_t i = 0; i < ARRAY_LEN(names) && rest && !best; i++)
		if (is_ours(names[i]) && strcmp(strchr(names[i], '_'), rest) == 0)
			best = names[i];
	if (best || !rest || strlen(rest) < 4)
		return best;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncmp(names[i], variable, strlen(variable)) == 0 && (!best || strlen(names[i]) < strlen(best)))
			best = names[i];
	return best;
}

bool option_known(const char *variable, const char **nearest)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], variable) == 0)
			return true;
	*nearest = nearest_of(variable);
	return false;
}

/* False: no option is called so. */
static bool note_given(const char *name, size_t len, bool given[OPTION__COUNT])
{
	bool any = false;
	for (size_t at = 0; at < 2 * OPTION__COUNT; at++) {
		if (lengths[at] != len)
			continue;
		const OptionInfo *option = &info[at / 2];
		if (memcmp(at % 2 ? option->other : option->variable, name, len) == 0)
			any = given[at / 2] = true;
	}
	return any;
}

enum { PLACES = 4096 };

/* A place in a set by a name's ends and length: most of an environment is no option's name. */
static unsigned place_of(const char *name, size_t len)
{
	unsigned first = (unsigned char)name[0], last = len ? (unsigned char)name[len - 1] : 0;
	return ((first * 31 + last) * 67 + (unsigned)len) % PLACES;
}

void option_check(DiagList *diags)
{
	bool given[OPTION__COUNT] = {false}, some[PLACES] = {false};
	for (size_t at = 0; at < 2 * OPTION__COUNT; at++) {
		const OptionInfo *option = &info[at / 2];
		if (lengths[at])
			some[place_of(at % 2 ? option->other : option->variable, lengths[at])] = true;
	}
	for (char **e = environ; e && *e; e++) {
		const char *end = strchr(*e, '=');
		const size_t len = end ? (size_t)(end - *e) : strlen(*e);
		if ((some[place_of(*e, len)] && note_given(*e, len, given)) || !is_ours(*e))
			continue;
		const char *near = NULL, *name = arena_strndup(diags->arena, *e, len);
		if (!option_known(name, &near))
			diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_SETTING_UNKNOWN, name,
				    near ? arena_printf(diags->arena, "; did you mean %s?", near) : "");
	}
	for (int id = 0; id < OPTION__COUNT; id++) {
		if (!given[id])
			continue;
		const char *from, *text = variable_of((OptionId)id, &from);
		/* Of two of one kind: a switch, or a file. */
		bool file = id == OPTION_OVERRIDE && text && (strchr(text, '.') || strchr(text, '/'));
		bool is_switch = info[id].type == OPTION_BOOL || (id == OPTION_OVERRIDE && !file);
		if (text && is_switch && info[id].state != OPTION_KNOWN && !is_one_of(text, on) &&
		    !is_one_of(text, off))
			diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_SETTING_SWITCH, from, text);
		text = option_wrong((OptionId)id, &from);
		bool number = info[id].type == OPTION_INT || info[id].type == OPTION_SIZE;
		if (text && info[id].state != OPTION_KNOWN && !(number && strncmp(info[id].name, "cache.", 6) == 0))
			diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_SETTING_VALUE, from, text,
				    option_type_name(info[id].type), info[id].doc, info[id].preset);
	}
}
