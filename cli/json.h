/* JSON as the command reads it: a tree. */
#ifndef NESO_CLI_JSON_H
#define NESO_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum JsonKind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct Json {
	JsonKind kind;
	const char *name; /* of a member of an object */
	const char *text; /* TEXT: without escapes, as UTF-8; NUMBER: as it is written; NULL, FALSE, TRUE: Python's word */
	size_t line;
	struct Json *items; /* of a list or an object */
	size_t count;
} Json;

/* NULL for what is no JSON, with the line and what is wrong there. */
Json *json_read(const char *text, size_t *line, const char **why);
/* The member of an object; NULL: it has none of this name. */
const Json *json_member(const Json *object, const char *name);

#endif
