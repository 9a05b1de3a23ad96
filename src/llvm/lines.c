/* A comment reads
 *
 *	.loc	2 170 27        // lib.py:170:27 @[ lib.py:191:40 @[ kern.py:32:19 ] ]
 *
 * innermost place first. Each place but the outermost lies in an inlined function; its caller must have a .loc of its own,
 * so the chain is written from the outside in:
 *
 *	.loc	1 32 19
 *	.loc	2 191 40, function_name $L__inlined0, inlined_at 1 32 19
 *	.loc	2 170 27, function_name $L__inlined0, inlined_at 2 191 40
 *
 * Other comments behind a .loc are dropped. Functions are called by their file's name: inlining keeps no other. Source: PTX ISA 8.8, ".loc", "Debugging
 * Directives". */
#include "llvm/lines.h"

#include "base/map.h"
#include "base/vec.h"

enum { MAX_CHAIN = 64 };

typedef struct Place {
	Str path;
	unsigned file, line, col;
} Place;

typedef struct Lines {
	Arena *arena;
	Interner names;
	Map files;           /* path -> number of .file */
	VEC(Sym) paths;      /* of files that something was inlined from: label $L__inlinedN */
	Map labels;          /* path -> N + 1 */
} Lines;

/* ---- reading a line ---- */

static bool skip(Str *at, const char *text)
{
	size_t len = strlen(text);
	if (at->len < len || memcmp(at->ptr, text, len) != 0)
		return false;
	at->ptr += len;
	at->len -= len;
	return true;
}

static void skip_blanks(Str *at)
{
	while (at->len && (*at->ptr == ' ' || *at->ptr == '\t')) {
		at->ptr++;
		at->len--;
	}
}

static bool number(Str *at, unsigned *out)
{
	size_t i = 0;
	*out = 0;
	for (; i < at->len && at->ptr[i] >= '0' && at->ptr[i] <= '9'; i++)
		*out = *out * 10 + (unsigned)(at->ptr[i] - '0');
	at->ptr += i;
	at->len -= i;
	return i > 0;
}

/* path:line:col, up to a blank or the end; a path may hold colons and blanks, so it is read from its end. */
static bool place(Lines *l, Str text, Place *out)
{
	size_t colon[2], n = 0, at = text.len;
	while (at > 0 && n < 2)
		if (text.ptr[--at] == ':')
			colon[n++] = at;
	if (n < 2)
		return false;
	Str line = {text.ptr + colon[1] + 1, colon[0] - colon[1] - 1};
	Str col = {text.ptr + colon[0] + 1, text.len - colon[0] - 1};
	out->path = (Str){text.ptr, colon[1]};
	uint64_t file;
	if (!number(&line, &out->line) || line.len || !number(&col, &out->col) || col.len ||
	    !map_get(&l->files, map_key(intern(&l->names, out->path)), &file))
		return false;
	out->file = (unsigned)file;
	return true;
}

/* `a @[ b @[ c ] ]`: a, b, c. 0 where it is no such chain. */
static unsigned chain(Lines *l, Str text, Place *out)
{
	unsigned n = 0;
	while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == ']'))
		text.len--;
	while (text.len && n < MAX_CHAIN) {
		size_t len = 0;
		while (len < text.len && !(text.len - len >= 4 && memcmp(text.ptr + len, " @[ ", 4) == 0))
			len++;
		if (!place(l, (Str){text.ptr, len}, &out[n++]))
			return 0;
		size_t step = MIN(len + 4, text.len);
		text.ptr += step;
		text.len -= step;
	}
	return n;
}

/* ---- writing ---- */

static unsigned label_of(Lines *l, Str path)
{
	Sym name = intern(&l->names, path);
	uint64_t found;
	if (map_get(&l->labels, map_key(name), &found))
		return (unsigned)found - 1;
	vec_push(l->arena, &l->paths, name);
	map_put(&l->labels, map_key(name), l->paths.len);
	return l->paths.len - 1;
}

static void write_chain(Lines *l, const Place *chain_, unsigned count, Text *out)
{
	for (unsigned i = count; i-- > 0;) {
		const Place *p = &chain_[i];
		text_printf(out, "\t.loc\t%u %u %u", p->file, p->line, p->col);
		if (i + 1 < count)
			text_printf(out, ", function_name $L__inlined%u, inlined_at %u %u %u", label_of(l, p->path),
				    p[1].file, p[1].line, p[1].col);
		text_char(out, '\n');
	}
}

/* The names as bytes, one label each. */
static void write_names(const Lines *l, Text *out)
{
	if (!l->paths.len)
		return;
	text_str(out, "\t.section\t.debug_str\n\t{\n");
	for (uint32_t i = 0; i < l->paths.len; i++) {
		const char *slash = strrchr(l->paths.data[i], '/');
		const char *name = slash ? slash + 1 : l->paths.data[i];
		text_printf(out, "$L__inlined%u:\n\t.b8 ", i);
		for (const char *c = name; *c; c++)
			text_printf(out, "%u,", (unsigned char)*c);
		text_str(out, "0\n");
	}
	text_str(out, "\t}\n");
}

/* .file statements stand at the end of LLVM's text. */
static void find_files(Lines *l, Str ptx)
{
	static const char mark[] = "\t.file\t";
	for (const char *at = ptx.ptr, *end = ptx.ptr + ptx.len; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		Str line = {at, (size_t)((stop ? stop : end) - at)};
		unsigned file;
		if (skip(&line, mark) && number(&line, &file)) {
			skip_blanks(&line);
			if (line.len >= 2 && line.ptr[0] == '"' && line.ptr[line.len - 1] == '"')
				map_put(&l->files, map_key(intern(&l->names, (Str){line.ptr + 1, line.len - 2})), file);
		}
		at = stop ? stop + 1 : end;
	}
}

void lines_rewrite(Arena *arena, Str ptx, Text *out)
{
	Lines l = {.arena = arena};
	intern_init(&l.names, arena);
	map_init(&l.files, arena);
	map_init(&l.labels, arena);
	find_files(&l, ptx);
	if (!l.files.len) {
		text_add(out, ptx.ptr, ptx.len);
		return;
	}
	for (const char *at = ptx.ptr, *end = ptx.ptr + ptx.len; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop + 1 : end;
		Str line = {at, (size_t)(stop - at)}, whole = line;
		at = stop;
		if (!skip(&line, "\t.loc\t")) {
			text_add(out, whole.ptr, whole.len);
			continue;
		}
		while (line.len && !skip(&line, "// ")) {
			line.ptr++;
			line.len--;
		}
		Str plain = {whole.ptr, line.len ? (size_t)(line.ptr - whole.ptr) - 3 : whole.len};
		if (line.len && line.ptr[line.len - 1] == '\n')
			line.len--;
		Place places[MAX_CHAIN];
		unsigned count = line.len ? chain(&l, line, places) : 0;
		if (count > 1) {
			write_chain(&l, places, count, out);
			continue;
		}
		while (plain.len && (plain.ptr[plain.len - 1] == ' ' || plain.ptr[plain.len - 1] == '\n'))
			plain.len--;
		text_add(out, plain.ptr, plain.len);
		text_char(out, '\n');
	}
	write_names(&l, out);
}
