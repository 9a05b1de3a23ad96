/* The line table of a source is built when the source is added: one pass, memchr. */
#include "base/source.h"

void source_set_init(SourceSet *set, Arena *arena)
{
	*set = (SourceSet){.arena = arena};
}

Source *source_add(SourceSet *set, const char *path, const char *text, size_t len, uint32_t first_line)
{
	Source *source = ARENA_NEW(set->arena, Source);
	source->path = arena_strdup(set->arena, path);
	source->text = text;
	source->len = len;
	source->first_line = first_line;
	VEC(uint32_t) lines = {0};
	vec_push(set->arena, &lines, 0);
	for (const char *p = text; (p = memchr(p, '\n', len - (size_t)(p - text))) != NULL;) {
		p++;
		vec_push(set->arena, &lines, (uint32_t)(p - text));
	}
	source->lines = lines.data;
	source->line_count = lines.len;
	vec_push(set->arena, &set->files, source);
	source->id = set->files.len;
	return source;
}

Source *source_get(const SourceSet *set, uint32_t file)
{
	return file && file <= set->files.len ? set->files.data[file - 1] : NULL;
}

LineCol source_line_col(const Source *source, uint32_t offset)
{
	uint32_t low = 0, high = source->line_count;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (source->lines[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	uint32_t col = 1;
	for (uint32_t at = source->lines[low]; at < offset && at < source->len; at++)
		col += ((unsigned char)source->text[at] & 0xc0) != 0x80;
	return (LineCol){low + source->first_line, col};
}

Str source_line(const Source *source, uint32_t line)
{
	if (line < source->first_line || line - source->first_line >= source->line_count)
		return (Str){"", 0};
	uint32_t index = line - source->first_line;
	size_t start = source->lines[index];
	size_t end = index + 1 < source->line_count ? source->lines[index + 1] - 1 : source->len;
	if (end > start && source->text[end - 1] == '\r')
		end--;
	return (Str){source->text + start, end - start};
}
