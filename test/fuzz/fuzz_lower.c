/* Fuzzing the front end behind the parser: any bytes as a module, each jit function lowered for plain arguments. What is lowered without
 * an error must verify.
 *
 * driver.h says how to build it; its sources are src/base, src/ir, src/front and generated/lib_embed.c of a build folder. */
#include "driver.h"

#include "front/front.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

enum { FUNCTIONS = 6, PARAMS = 16, WORK = 20000 };

static void lower(Arena *arena, FrontSession *session, FrontFunction *f)
{
	static const char *const types[] = {"*fp32", "i32", "fp32", "*i32", "u64", "i1"};
	const FrontInfo *info = front_info(f);
	FrontOptions options = {.num_warps = 4, .num_stages = 3, .num_ctas = 1, .default_dot_precision = "tf32", .max_work = WORK};
	FrontArg args[PARAMS] = {0};
	if (info->param_count > PARAMS)
		return;
	for (uint32_t i = 0; i < info->param_count; i++) {
		bool known = info->params[i].is_constexpr;
		args[i] = (FrontArg){.kind = known ? FRONT_CONST : FRONT_TYPE, .text = known ? "16" : types[i % ARRAY_LEN(types)]};
	}
	IrCx *cx = ARENA_NEW(arena, IrCx);
	ir_cx_init(cx, arena);
	DiagList diags;
	Text out;
	diag_init(&diags, arena, front_sources(session));
	text_init(&out, arena);
	IrModule *m = front_lower(f, args, info->param_count, &options, cx, NULL, &diags);
	ASSERT(m || diags.errors);
	if (m) {
		ASSERT(ir_verify(m, LEVEL_T, &diags));
		ir_print(&out, m, (IrPrintOptions){0});
	}
	diag_render_all(&out, &diags);
}

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	Str text = {arena_strndup(arena, (const char *)data, size), size};
	FrontSession *session = front_session_new(arena, NULL);
	DiagList diags;
	diag_init(&diags, arena, front_sources(session));
	FrontModule *module = front_load(session, "fuzz.py", &text, &diags);
	uint32_t count = module ? front_function_count(module) : 0;
	for (uint32_t i = 0; i < MIN(count, FUNCTIONS); i++)
		lower(arena, session, front_function(module, i));
	Text out;
	text_init(&out, arena);
	diag_render_all(&out, &diags);
}

#ifndef NESO_FUZZER
static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"(", ")", "[", "]", ":", ",", "=", " if a else ", " and ", "not ", "(x := ", "tl.store(p, ", "tl.load(p)",
					    "tl.arange(0, 16)", "lambda v: ", "for i in range(n):", "*", "**", "-1", "1.5", "None", "x", "tl.sum(", "[None, :]",
					    ".to(tl.int8)", "tl.static_range(3)", "return", "@triton.jit\n", "f\"{x}\"", "<", "//", "0x80000000", "del x"};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("import triton\nimport triton.language as tl\n@triton.jit\ndef g(p, v):\n    tl.store(p, v)\n    return v\n"
		   "@triton.jit\ndef f(p, n, v, q, N: tl.constexpr):\n    x = tl.load(p + tl.arange(0, N), mask=n > 3)\n    s = 0.0\n"
		   "    for i in range(n):\n        s = s + tl.sum(x) if i > 2 else s\n    n > 2 and g(p, s)\n    tl.store(q, n)\n");
}
#endif
