/* Settings: one table (option.def) of everything that the environment decides, read through here and nowhere else.
 *
 * Values are read when they are asked for, as a program may set variables at any time; thread-safe as far as getenv is.
 * What callers give in structs (neso_context_options, ...) goes before all of this. */
#ifndef NESO_BASE_OPTION_H
#define NESO_BASE_OPTION_H

#include "base/diag/diag.h"

typedef enum OptionId {
#define OPTION(id, name, type, preset, variable, other, key, state, doc) OPTION_##id,
#define OPTION_OTHER(variable)
#include "base/option/option.def"
#undef OPTION
#undef OPTION_OTHER
	OPTION__COUNT
} OptionId;

typedef enum OptionType {
	OPTION_BOOL,
	OPTION_INT,
	OPTION_SIZE,
	OPTION_TEXT,
	OPTION_PATH,
	OPTION_PATHS,
	OPTION_CLASS,
	OPTION_CHOICE,
	OPTION_TYPE__COUNT
} OptionType;

typedef enum OptionState { OPTION_USED, OPTION_PYTHON, OPTION_KNOWN } OptionState;

typedef struct OptionInfo {
	const char *name, *preset, *variable, *other, *doc;
	OptionType type;
	bool in_key;
	OptionState state;
} OptionInfo;

const OptionInfo *option_info(OptionId id);
const char *option_type_name(OptionType type);

/* What the environment says; NULL: nothing, or nothing of the type. *variable (may be NULL): the one that says it. */
const char *option_given(OptionId id, const char **variable);
/* What the environment says that is not of the type; NULL: nothing wrong. */
const char *option_wrong(OptionId id, const char **variable);
/* The same as option_given, or the preset; NULL where that is none. */
const char *option_text(OptionId id);
bool option_is_on(OptionId id);    /* BOOL */
uint64_t option_number(OptionId id); /* INT, SIZE: of the environment, or of the preset */
/* "512M", "5GiB", "1e6", "12": bytes. */
bool option_read_size(const char *text, uint64_t *bytes);

/* Does a variable of this name mean something? Else *nearest is the known one that it looks like, or NULL. */
bool option_known(const char *variable, const char **nearest);
/* Warns of variables TRITON_... and NESO_... that mean nothing, and of values that are not of their type (numbers of the cache are told
 * where it is used). */
void option_check(DiagList *diags);

#endif
