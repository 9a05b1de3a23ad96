/* Source texts and positions in them. A Span is three numbers; line and column are found when asked for. */
#ifndef NESO_BASE_SOURCE_H
#define NESO_BASE_SOURCE_H

#include "base/str.h"
#include "base/vec.h"

/* Byte offsets [start, end) of a file of a SourceSet. file 0 is "nowhere". */
typedef struct Span {
	uint32_t file, start, end;
} Span;

typedef struct Source {
	uint32_t id;
	const char *path; /* as given by the user */
	const char *text; /* NUL-terminated, UTF-8 not checked */
	size_t len;
	uint32_t *lines; /* offset of each line's first byte */
	uint32_t line_count;
	uint32_t first_line; /* number of the first line: 1, or more when the text was cut out of a file */
} Source;

typedef struct SourceSet {
	Arena *arena;
	VEC(Source *) files; /* files.data[id - 1] */
} SourceSet;

void source_set_init(SourceSet *set, Arena *arena);
/* Copies path, keeps text (which must outlive the set). */
Source *source_add(SourceSet *set, const char *path, const char *text, size_t len, uint32_t first_line);
Source *source_get(const SourceSet *set, uint32_t file); /* NULL for file 0 */

/* Line and column of an offset, both counted from 1; a column counts Unicode code points. */
typedef struct LineCol {
	uint32_t line, col;
} LineCol;

LineCol source_line_col(const Source *source, uint32_t offset);
/* The text of a line, counted as in LineCol, without its newline. */
Str source_line(const Source *source, uint32_t line);

#endif
