/* Fuzzing the IR's reader: any bytes are a module or are diagnosed. A module that is read is verified, printed and
 * read again, which must give the same text; one that verifies also goes through `structure`.
 *
 * With libFuzzer:  clang -std=c17 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined
 *                  -DNESO_FUZZER -Isrc test/fuzz/fuzz_ir.c, with src/base/?.c and src/ir/?.c
 * Without it the program replays the files that it is given; `-m N` also N mutations of each. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/os.h"
#include "ir/pass.h"
#include "ir/text.h"
#include "ir/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_again(Arena *arena, SourceSet *set, const Text *first)
{
	IrCx cx;
	DiagList diags;
	Text second;
	diag_init(&diags, arena, set);
	ir_cx_init(&cx, arena);
	IrModule *m = ir_read(&cx, source_add(set, "again.ttir", first->data, first->len, 1), &diags);
	ASSERT(m);
	text_init(&second, arena);
	ir_print(&second, m, (IrPrintOptions){0});
	ASSERT(second.len == first->len && memcmp(second.data, first->data, first->len) == 0);
}

static void one(Arena *arena, const uint8_t *data, size_t size)
{
	static const char *const passes[] = {"structure"};
	SourceSet set;
	DiagList diags;
	IrCx cx;
	Text out;
	source_set_init(&set, arena);
	diag_init(&diags, arena, &set);
	ir_cx_init(&cx, arena);
	const char *text = arena_strndup(arena, (const char *)data, size);
	IrModule *m = ir_read(&cx, source_add(&set, "fuzz.ttir", text, size, 1), &diags);
	text_init(&out, arena);
	ASSERT(m || diags.errors);
	if (m && ir_verify(m, LEVEL_TG, &diags)) {
		ir_print(&out, m, (IrPrintOptions){0});
		print_again(arena, &set, &out);
		PassOptions options = {.verify = true, .stress = true};
		ASSERT(pass_run_list(m, passes, 1, &options, &diags) || diags.errors);
	}
	diag_render_all(&out, &diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LIMIT = 1 << 30 };
	Arena arena;
	Fault fault;
	arena_init(&arena, LIMIT);
	if (FAULT_TRY(&fault)) {
		one(&arena, data, size);
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

/* A few edits: other bytes, cuts, pieces moved from elsewhere in the text. */
static Str mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"(", ")", "{", "}", "<", ">", "%0", "^bb0", "loc(", "tensor<", "\"", ":", "-",
					    "0x", "99999999999999999999", "#loc", "f32", "i1", "scf.if", "->", ","};
	Text out;
	text_init(&out, arena);
	text_add(&out, text.ptr, text.len);
	for (uint64_t edits = 1 + next_random(state) % 4; edits > 0 && out.len > 8; edits--) {
		size_t at = next_random(state) % out.len, len = next_random(state) % 40, from = next_random(state) % out.len;
		len = MIN(len, out.len - MAX(at, from));
		const char *word = words[next_random(state) % ARRAY_LEN(words)];
		Text next;
		text_init(&next, arena);
		text_add(&next, out.data, at);
		switch (next_random(state) % 5) {
		case 0:
			text_char(&next, (char)(next_random(state) % 256));
			text_add(&next, out.data + at + 1, out.len - at - 1);
			break;
		case 1:
			text_add(&next, out.data + at + len, out.len - at - len);
			break;
		case 2:
			text_add(&next, out.data + from, len);
			text_add(&next, out.data + at, out.len - at);
			break;
		case 3:
			text_add(&next, out.data + from, len);
			text_add(&next, out.data + at + len, out.len - at - len);
			break;
		default:
			text_str(&next, word);
			text_add(&next, out.data + at, out.len - at);
			break;
		}
		out = next;
	}
	return (Str){out.data, out.len};
}

int main(int argc, char **argv)
{
	uint64_t mutations = 0, state = 88172645463325252u;
	int first = 1;
	if (argc > 2 && strcmp(argv[1], "-m") == 0) {
		mutations = strtoull(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		Arena arena;
		Str bytes;
		const char *error;
		arena_init(&arena, 0);
		if (!os_read_file(&arena, argv[i], &bytes, &error)) {
			fprintf(stderr, "%s: %s\n", argv[i], error);
			return 2;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)bytes.ptr, bytes.len);
		for (uint64_t n = 0; n < mutations; n++) {
			ArenaMark mark = arena_mark(&arena);
			Str changed = mutate(&arena, bytes, &state);
			LLVMFuzzerTestOneInput((const uint8_t *)changed.ptr, changed.len);
			arena_reset(&arena, mark);
		}
		arena_free(&arena);
	}
	return 0;
}
#endif
