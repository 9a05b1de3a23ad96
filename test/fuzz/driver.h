/* What the fuzzers share: where faults land, libFuzzer's entry point, and without libFuzzer a program that replays the files that it is
 * given, and with `-m N` also N mutations of each (of the fuzzer's own sample when there are no files).
 *
 * With libFuzzer:  clang -std=c17 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined -DNESO_FUZZER -Isrc
 *                  test/fuzz/fuzz_NAME.c, with the sources that its head names
 *
 * A fuzzer includes this file and defines what is declared here. */
#ifndef NESO_TEST_FUZZ_DRIVER_H
#define NESO_TEST_FUZZ_DRIVER_H

#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/os.h"

/* Raises FAULT_BUG, or aborts, where something is wrong. */
static void fuzz_one(Arena *arena, const uint8_t *data, size_t size);
#ifndef NESO_FUZZER
static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state);
static Str fuzz_sample(Arena *arena); /* what is mutated when no file is given */
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LIMIT = 1 << 30 };
	Arena arena;
	Fault fault;
	arena_init(&arena, LIMIT);
	if (FAULT_TRY(&fault)) {
		fuzz_one(&arena, data, size);
		fault_leave(&fault);
	} else if (fault.kind == FAULT_BUG) {
		fprintf(stderr, "%s\n", fault.text);
		abort();
	}
	arena_free(&arena);
	return 0;
}

#ifndef NESO_FUZZER
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A text with a few edits: other bytes, cuts, pieces moved from elsewhere in it, words put in. */
static inline Str edit_text(Arena *arena, Str text, const char *const *words, size_t word_count, uint64_t *state)
{
	Text out;
	text_init(&out, arena);
	text_add(&out, text.ptr, text.len);
	for (uint64_t edits = 1 + next_random(state) % 4; edits > 0 && out.len > 8; edits--) {
		size_t at = next_random(state) % out.len, len = next_random(state) % 40, from = next_random(state) % out.len;
		len = MIN(len, out.len - MAX(at, from));
		uint64_t kind = next_random(state) % 5;
		Text next;
		text_init(&next, arena);
		text_add(&next, out.data, at);
		if (kind == 0)
			text_char(&next, (char)(next_random(state) % 256));
		else if (kind == 2 || kind == 3)
			text_add(&next, out.data + from, len);
		else if (kind == 4)
			text_str(&next, words[next_random(state) % word_count]);
		size_t rest = at + (kind == 0 ? 1 : kind == 1 || kind == 3 ? len : 0);
		text_add(&next, out.data + rest, out.len - rest);
		out = next;
	}
	return (Str){out.data, out.len};
}

static void replay(Str bytes, uint64_t mutations, uint64_t *state)
{
	LLVMFuzzerTestOneInput((const uint8_t *)bytes.ptr, bytes.len);
	for (uint64_t n = 0; n < mutations; n++) {
		Arena arena;
		arena_init(&arena, 0);
		Str changed = fuzz_mutate(&arena, bytes, state);
		LLVMFuzzerTestOneInput((const uint8_t *)changed.ptr, changed.len);
		arena_free(&arena);
	}
}

int main(int argc, char **argv)
{
	uint64_t mutations = 0, state = 88172645463325252u;
	int first = 1;
	Arena arena;
	arena_init(&arena, 0);
	if (argc > 2 && strcmp(argv[1], "-m") == 0) {
		mutations = strtoull(argv[2], NULL, 10);
		first = 3;
	}
	if (first == argc)
		replay(fuzz_sample(&arena), mutations, &state);
	for (int i = first; i < argc; i++) {
		Str bytes;
		const char *error;
		if (!os_read_file(&arena, argv[i], &bytes, &error)) {
			fprintf(stderr, "%s: %s\n", argv[i], error);
			return 2;
		}
		replay(bytes, mutations, &state);
	}
	arena_free(&arena);
	return 0;
}
#endif

#endif
