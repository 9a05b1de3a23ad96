/* Fuzzing the small readers: the line that says how a kernel is launched, JSON of the command. The first byte chooses.
 *
 * driver.h says how to build it; its sources are src/base, src/codegen/facts.c and cli/json.c. */
#include "driver.h"

#include "../../cli/json.h"
#include "codegen/facts.h"

/* The command's own memory, which ends the process where there is none. */
void *take(size_t bytes);
void *take_more(void *old, size_t bytes);
char *take_text(const char *text, size_t len);

void *take(size_t bytes)
{
	void *p = calloc(1, bytes + 1);
	ASSERT(p);
	return p;
}

void *take_more(void *old, size_t bytes)
{
	void *p = realloc(old, bytes + 1);
	ASSERT(p);
	return p;
}

char *take_text(const char *text, size_t len)
{
	char *copy = take(len + 1);
	memcpy(copy, text, len);
	return copy;
}

static size_t nodes(const Json *json, size_t deep)
{
	size_t n = 1;
	ASSERT(deep < 10000);
	for (size_t i = 0; i < json->count; i++)
		n += nodes(&json->items[i], deep + 1);
	ASSERT(json->kind != JSON_TEXT || json->text);
	return n;
}

static void read_facts(Arena *arena, Str text)
{
	Facts f, again;
	const char *why;
	if (!facts_read(arena, text, "// neso: ", &f, &why))
		return;
	ASSERT(f.threads && f.threads <= 1024 && f.threads % 32 == 0 && base_is_pow2(f.cluster));
	ASSERT(strlen(f.args) >= (f.scratch_bytes != 0));
	const char *line = arena_printf(arena, "// neso: %s\n", facts_text(arena, &f));
	ASSERT(facts_read(arena, str_of(line), "// neso: ", &again, &why));
	ASSERT(strcmp(facts_text(arena, &again), facts_text(arena, &f)) == 0);
}

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	if (!size)
		return;
	Str text = {arena_strndup(arena, (const char *)data + 1, size - 1), size - 1};
	if (data[0] & 1) {
		read_facts(arena, text);
		return;
	}
	const char *why = NULL;
	size_t line = 0;
	Json *json = json_read(text.ptr, &line, &why);
	ASSERT(json || why);
	if (json)
		ASSERT(nodes(json, 0) <= 2 * text.len + 2);
}

#ifndef NESO_FUZZER
static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"{", "}", "[", "]", "\"", ":", ",", "\\u", "d83d", "\\", "1e9999", "-", "null", "true", " threads=",
					    " args=", " scratch=", "16", "99999999999999999999", "// neso: ", "\n"};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("0{\"a\": [1, -2.5e3, \"x\\u00e9\\ud83d\\ude00\", null, true], \"kernel\": {\"signature\": \"*fp32:16, i32\"}}\n");
}
#endif
