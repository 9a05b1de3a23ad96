/* Semantics of tensors that need a target: which dtypes there are. */
#include "unit.h"

#include "front/front.h"

static const char text[] = "import triton\n"
			   "import triton.language as tl\n"
			   "@triton.jit\n"
			   "def kernel(p):\n"
			   "    x = tl.load(p).to(tl.float8e4nv)\n"
			   "    y = tl.load(p).to(tl.float8e5)\n";

/* The diagnostics of lowering the kernel for a target. */
static DiagList lower_for(Arena *arena, uint32_t arch)
{
	FrontSession *session = front_session_new(arena, NULL);
	DiagList diags;
	Str source = str_of(text);
	diag_init(&diags, arena, front_sources(session));
	FrontModule *module = front_load(session, "fp8.py", &source, &diags);
	assert_non_null(module);
	IrCx *cx = ARENA_NEW(arena, IrCx);
	ir_cx_init(cx, arena);
	FrontArg arg = {.kind = FRONT_TYPE, .text = "*fp32"};
	FrontOptions options = {.num_warps = 4, .num_stages = 3, .num_ctas = 1, .target_arch = arch};
	front_lower(front_find(module, "kernel"), &arg, 1, &options, cx, NULL, &diags);
	return diags;
}

static void dtypes_depend_on_the_target(void **state)
{
	Arena arena;
	arena_init(&arena, 0);
	assert_int_equal(lower_for(&arena, 0).errors, 0);
	assert_int_equal(lower_for(&arena, 90).errors, 0);
	DiagList old = lower_for(&arena, 80);
	assert_int_equal(old.errors, 1);
	assert_int_equal(old.first->code, DIAG_TILE_DTYPE_TARGET);
	assert_int_equal(old.first->from.line, 5);
	assert_int_equal(old.first->from.col, 9);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(dtypes_depend_on_the_target)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
