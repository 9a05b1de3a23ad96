/* Fuzzing the IR's reader: any bytes are a module or are diagnosed. A module that is read is verified, printed and
 * read again, which must give the same text; one that verifies also goes through `structure`.
 *
 * driver.h says how to build it; its sources are src/base/?.c and src/ir/?.c. */
#include "ir/pass.h"
#include "module.h"

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

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	static const char *const passes[] = {"structure"};
	FuzzModule f;
	fuzz_module(&f, arena, "fuzz.ttir", data, size);
	IrModule *m = f.m;
	if (m) { /* as --no-verify prints it */
		Text unverified;
		text_init(&unverified, arena);
		ir_print(&unverified, m, (IrPrintOptions){0});
	}
	if (m && ir_verify(m, LEVEL_TG, &f.diags)) {
		ir_print(&f.out, m, (IrPrintOptions){0});
		print_again(arena, &f.set, &f.out);
		PassOptions options = {.verify = true, .stress = true};
		ASSERT(pass_run_list(m, passes, 1, &options, &f.diags) || f.diags.errors);
	}
	diag_render_all(&f.out, &f.diags);
}

#ifndef NESO_FUZZER
static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"(", ")", "{", "}", "<", ">", "%0", "^bb0", "loc(", "tensor<", "\"", ":", "-",
					    "0x", "99999999999999999999", "#loc", "f32", "i1", "scf.if", "->", ","};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("tt.func @f(%a: !tt.ptr<f32>) {\n  %0 = tt.load %a : !tt.ptr<f32>\n  tt.return\n}\n");
}
#endif
