/* The identity of a program, by content: its file, and the files of the programs that it runs as
 * far as its text shows.
 *
 * A program of machine code is its file; a small one that only starts another names that one by
 * its path, which is searched for. In a script each word may be a program: an absolute path, a
 * name in the script's own folder, an environment variable followed by a path, a folder that has a
 * ptxas, a name with "ptxas" that PATH has. What a script computes cannot be followed; for that
 * reason its answer when asked for its version is part of its identity, and it is asked in each
 * process. */
#include "nv/inner.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/os.h"
#include "cache/entry/stamp.h"

enum {
	LARGEST_SCRIPT = 256 << 10, /* bytes in which names are looked for */
	MOST_PARTS = 32,
	LONGEST_PATH = 4096,
	LARGEST_PIECE = 16384,
};

typedef VEC(const char *) Names;

/* One file, looked at. */
typedef struct Content {
	const char *hex, *stamp;
	bool settled, script, recalled;
	Names words;      /* that may be programs */
	const char *said; /* remembered; NULL: to be asked */
} Content;

/* ---- words ---- */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("/._-+${}@", c));
}

static void script_words(Str text, Arena *arena, Names *out)
{
	size_t len = MIN(text.len, (size_t)LARGEST_SCRIPT);
	for (size_t i = 0, end; i < len; i = end + 1) {
		for (end = i; end < len && is_word_char(text.ptr[end]);)
			end++;
		if (end > i)
			vec_push(arena, out, arena_strndup(arena, text.ptr + i, end - i));
	}
}

/* A program's bytes on their way by: a window on the end of what came, so that a path that lies in
 * two pieces is seen whole. */
typedef struct Window {
	Arena *arena;
	Names words;
	bool binary;
	size_t len;
	char bytes[LONGEST_PATH + LARGEST_PIECE];
} Window;

/* Absolute paths with "ptxas" in them. One that ends where the window does waits for what comes
 * next, unless that was the last. Gives how many bytes are done with. */
static size_t binary_words(Window *w, bool last)
{
	static const char mark[] = "ptxas";
	size_t done = 0;
	for (size_t i = 0; i + sizeof mark - 1 <= w->len; i++) {
		const char *found = memchr(w->bytes + i, mark[0], w->len - i - (sizeof mark - 2));
		if (!found)
			break;
		i = (size_t)(found - w->bytes);
		if (memcmp(found, mark, sizeof mark - 1) != 0)
			continue;
		size_t from = i, to = i + sizeof mark - 1;
		while (from > done && is_word_char(w->bytes[from - 1]))
			from--;
		while (to < w->len && is_word_char(w->bytes[to]))
			to++;
		if (to == w->len && !last)
			break; /* it may go on */
		if (w->bytes[from] == '/' && w->words.len < MOST_PARTS)
			vec_push(w->arena, &w->words, arena_strndup(w->arena, w->bytes + from, to - from));
		done = to;
		i = to - 1;
	}
	return done;
}

static void look_at_piece(void *data, uint64_t at, Str piece)
{
	Window *w = data;
	if (at == 0) {
		w->binary = piece.len >= 4 && memcmp(piece.ptr, "\177ELF", 4) == 0;
		w->words = (Names){0};
		w->len = 0;
	}
	for (size_t len; w->binary && piece.len; piece.ptr += len, piece.len -= len) {
		len = MIN(piece.len, (size_t)LARGEST_PIECE);
		memcpy(w->bytes + w->len, piece.ptr, len);
		w->len += len;
		const size_t done = binary_words(w, false),
			     kept = MIN(w->len - done, (size_t)LONGEST_PATH);
		memmove(w->bytes, w->bytes + w->len - kept, kept);
		w->len = kept;
	}
}

/* "$NAME/rest" and "${NAME}/rest" with the variable's value; of what else begins so, what stands behind the
 * first slash. */
static const char *expanded(const char *word, Arena *arena)
{
	const char *slash = strchr(word, '/');
	if (word[0] != '$')
		return word;
	size_t len = slash ? (size_t)(slash - word) : strlen(word);
	bool braces = word[1] == '{' && word[len - 1] == '}';
	const char *name = arena_strndup(arena, word + (braces ? 2 : 1), len - (braces ? 3 : 1));
	const char *value = getenv(name);
	if (value)
		return arena_printf(arena, "%s%s", value, slash ? slash : "");
	return slash ? slash : "";
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The program that a word of the program at `path` stands for; NULL: none. */
static const char *program_of(const char *path, const char *word, Arena *arena)
{
	word = expanded(word, arena);
	if (word[0] == '/' && nv_runs(word))
		return word;
	if (word[0] == '/' && os_is_dir(word)) {
		const char *inside = os_path_join(arena, word, "ptxas");
		return nv_runs(inside) ? inside : NULL;
	}
	const char *name = last_name(word);
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return NULL;
	const char *beside = os_path_join(arena, os_path_dir(arena, path), name);
	if (nv_runs(beside))
		return beside;
	return strstr(name, "ptxas") ? nv_in_path(name, arena) : NULL;
}

/* ---- one file ---- */

/* "HEX\nWORD\nWORD\n\nSAID" */
static bool recalled(const NvToolsOptions *o, const char *what, Arena *arena, Content *content)
{
	const char *text = o->recall ? o->recall(o->memory_data, what, arena) : NULL;
	if (!text || strcspn(text, "\n") != 64)
		return false;
	content->hex = arena_strndup(arena, text, 64);
	for (text += 65; *text && *text != '\n';) {
		size_t len = strcspn(text, "\n");
		vec_push(arena, &content->words, arena_strndup(arena, text, len));
		text += len + (text[len] == '\n');
	}
	content->said = *text && text[1] ? text + 1 : NULL;
	return content->recalled = true;
}

static const char *memory_name(const Content *content, Arena *arena)
{
	return arena_printf(arena, "program %s", content->stamp);
}

static void keep(const NvToolsOptions *o, const Content *content, const char *said, Arena *arena)
{
	Text text;
	if (!o->remember || content->script || content->recalled || !content->settled)
		return;
	text_init(&text, arena);
	text_printf(&text, "%s\n", content->hex);
	for (uint32_t i = 0; i < content->words.len; i++)
		text_printf(&text, "%s\n", content->words.data[i]);
	text_printf(&text, "\n%s", said ? said : "");
	o->remember(o->memory_data, memory_name(content, arena), text.data);
}

static bool read_script(const char *path, Arena *arena, Content *content)
{
	Arena bytes_arena;
	Str bytes;
	const char *error;
	arena_init(&bytes_arena, 0);
	const bool good = os_read_file(&bytes_arena, path, &bytes, &error);
	if (good)
		script_words(bytes, arena, &content->words);
	arena_free(&bytes_arena);
	return good;
}

/* An assembler has tens of megabytes: they are read once, and not held. */
static bool read_content(const char *path, Arena *arena, Content *content)
{
	Arena window_arena;
	arena_init(&window_arena, 0);
	Window *w = ARENA_NEW(&window_arena, Window);
	w->arena = arena;
	content->hex = cache_file_hex_read(path, arena, look_at_piece, w);
	if (w->binary)
		binary_words(w, true);
	content->words = w->words;
	content->script = !w->binary;
	arena_free(&window_arena);
	return content->hex && (!content->script || read_script(path, arena, content));
}

static bool look(const NvToolsOptions *o, const char *path, Arena *arena, Content *content)
{
	*content = (Content){0};
	content->stamp = cache_stamp(path, arena, &content->settled);
	if (!content->stamp)
		return false;
	return (content->settled && recalled(o, memory_name(content, arena), arena, content)) ||
	       read_content(path, arena, content);
}

/* ---- the whole ---- */

static bool has_part(const NvTool *tool, const char *path)
{
	for (const NvPart *p = tool->parts; p; p = p->next)
		if (strcmp(p->path, path) == 0)
			return true;
	return false;
}

static void add_part(NvTool *tool, const char *path, const Content *content)
{
	NvPart *part = nv_new(sizeof *part), **end = &tool->parts;
	while (*end)
		end = &(*end)->next;
	*end = part;
	part->path = nv_text(path);
	part->stamp = nv_text(content->stamp);
	part->hex = nv_text(content->hex);
	part->settled = content->settled;
}

/* Programs that the words of one stand for. */
static void follow(const char *path, const Content *content, Arena *arena, Names *queue)
{
	for (uint32_t i = 0; i < content->words.len && queue->len < MOST_PARTS; i++) {
		const char *found = program_of(path, content->words.data[i], arena);
		bool known = !found;
		for (uint32_t k = 0; found && k < queue->len; k++)
			known = known || strcmp(queue->data[k], found) == 0;
		if (!known)
			vec_push(arena, queue, found);
	}
}

static void identify(NvTool *tool, const char *said, Arena *arena)
{
	CacheHash hash;
	char hex[CACHE_HEX_SIZE];
	cache_hash_init(&hash);
	for (const NvPart *p = tool->parts; p; p = p->next)
		cache_hash_add(&hash, p->hex, strlen(p->hex));
	cache_hash_add(&hash, said, strlen(said));
	CacheDigest digest = cache_hash_done(&hash);
	cache_digest_hex(&digest, hex);
	tool->identity = nv_text(arena_strndup(arena, hex, 16));
}

const char *nv_program_read(const NvToolsOptions *options, NvTool *tool, NvAsk *ask, Arena *arena)
{
	Names queue = {0};
	Content first = {0};
	const char *said = NULL;
	vec_push(arena, &queue, tool->path);
	for (uint32_t i = 0; i < queue.len; i++) {
		Content content;
		const char *path = queue.data[i];
		if (has_part(tool, path) || !look(options, path, arena, &content))
			continue;
		add_part(tool, path, &content);
		follow(path, &content, arena, &queue);
		if (i == 0)
			first = content;
		else
			keep(options, &content, NULL, arena);
	}
	bool alone = first.hex && !first.script && queue.len == 1;
	if (alone)
		said = first.said;
	if (!said) {
		said = ask(tool, arena);
		first.recalled = first.recalled && !alone;
		keep(options, &first, alone && strstr(said, "release ") ? said : NULL, arena);
	}
	identify(tool, alone ? "" : said, arena);
	return said;
}

bool nv_program_unchanged(const NvToolsOptions *options, NvTool *tool, Arena *arena)
{
	for (NvPart *p = tool->parts; p; p = p->next) {
		bool settled;
		Content content;
		const char *stamp = cache_stamp(p->path, arena, &settled);
		if (stamp && p->settled && strcmp(stamp, p->stamp) == 0)
			continue;
		if (!stamp || !look(options, p->path, arena, &content) || strcmp(content.hex, p->hex) != 0)
			return false;
		char *now = nv_text(content.stamp);
		free(p->stamp);
		p->stamp = now;
		p->settled = content.settled;
	}
	return tool->parts != NULL;
}

void nv_program_free(NvTool *tool)
{
	for (NvPart *p = tool->parts, *next; p; p = next) {
		next = p->next;
		free(p->path);
		free(p->stamp);
		free(p->hex);
		free(p);
	}
	free(tool->identity);
	free(tool->path);
	free(tool->version);
	free(tool);
}
