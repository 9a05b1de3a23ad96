/* Which loads are ahead, how, and why not; and that a wrong schedule is found. */
#include "gpu/loop/schedule.h"
#include "gpu_kit.h"

static const char before[] =
	"tt.func public @f(%%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %%pi: !tt.ptr<i32> {tt.divisibility = 16 : i32},\n"
	"		%%po: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %%n: i32, %%step: i32, %%wide: i64, %%flag: i1) {\n"
	"  %%c0 = arith.constant 0 : i32\n"
	"  %%c1 = arith.constant 1 : i32\n"
	"  %%w0 = arith.constant 0 : i64\n"
	"  %%c1024 = arith.constant 1024 : i32\n"
	"  %%zero = arith.constant dense<0.0> : tensor<32x32xf32>\n"
	"  %%nothing = arith.constant dense<0.0> : tensor<32x32xf16>\n"
	"  %%one = arith.constant dense<1.0> : tensor<32x32xf16>\n"
	"  %%r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>\n"
	"  %%o = tt.reshape %%r : tensor<1024xi32> -> tensor<32x32xi32>\n"
	"  %%sa = tt.splat %%pa : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>\n"
	"  %%a0 = tt.addptr %%sa, %%o : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>\n"
	"  %%si = tt.splat %%pi : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>>\n"
	"  %%i0 = tt.addptr %%si, %%o : tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>\n"
	"  %%so = tt.splat %%po : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>\n"
	"  %%b = tt.load %%a0 : tensor<32x32x!tt.ptr<f16>>\n"
	"  %%m = tt.splat %%flag : i1 -> tensor<32x32xi1>\n"
	"  %%x = %s iter_args(%%acc = %%zero) -> (tensor<32x32xf32>) : %s {\n"
	"    %%size = arith.constant 1024 : %s\n"
	"    %%at = arith.muli %%i, %%size : %s\n"
	"    %%off = tt.splat %%at : %s -> tensor<32x32x%s>\n"
	"    %%p = tt.addptr %%a0, %%off : tensor<32x32x!tt.ptr<f16>>, tensor<32x32x%s>\n"
	"%s"
	"    scf.yield %%d : tensor<32x32xf32>\n"
	"  } {tt.num_stages = %d : i32}\n"
	"  tt.store %%so, %%x : tensor<32x32x!tt.ptr<f32>>\n"
	"  tt.return\n"
	"}\n";

#define LOOP "scf.for %i = %c0 to %n step %c1"
#define DOT "    %d = tt.dot %a, %b, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>\n"
#define LOAD "    %a = tt.load %p : tensor<32x32x!tt.ptr<f16>>\n"

typedef struct Row {
	const char *loop, *type, *body;
	int stages;
	const char *want; /* of the loop's neso.pipeline: its texts, ends of lines between; NULL: there is none */
} Row;

static bool find_text(void *data, IrOp *op)
{
	Text *text = data;
	for (uint32_t i = 0; op->kind == OP_FOR && i < op->attr_count; i++) {
		if (strcmp(op->attrs[i].name, "neso.pipeline") != 0)
			continue;
		for (uint32_t k = 0; k < op->attrs[i].value->len; k++)
			text_printf(text, "%s%s", text->len ? "\n" : "", op->attrs[i].value->items[k]->text);
	}
	return true;
}

static void check_row(const Row *row, const char *target)
{
	static const char *const names[] = {"convert-ttir-to-ttgir", "coalesce", "accelerate-matmul", "remove-layout-conversions", "cse", "pipeline"};
	GpuKit k;
	Text found;
	gpu_kit_init(&k, 4, 1);
	k.cx.target = target_find(target);
	text_init(&found, &k.arena);
	const char *t = row->type;
	IrModule *m = gpu_kit_read(&k, arena_printf(&k.arena, before, row->loop, t, t, t, t, t, t, row->body, row->stages));
	PassOptions options = {.verify = true, .stress = true, .host = &k.cx, .find = gpu_pass_by_name, .check = gpu_check,
			       .open_analyses = gpu_analyses_open};
	assert_true(pass_run_list(m, names, ARRAY_LEN(names), &options, &k.diags));
	ir_walk(m->op, false, find_text, &found);
	assert_string_equal(found.len ? found.data : "", row->want ? row->want : "");
	gpu_kit_free(&k);
}

static void each_load_says_how(void **state)
{
	static const char indirect[] =
		"    %q = tt.addptr %i0, %off : tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>\n"
		"    %j = tt.load %q : tensor<32x32x!tt.ptr<i32>>\n"
		"    %t = tt.addptr %a0, %j : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>\n"
		"    %a = tt.load %t : tensor<32x32x!tt.ptr<f16>>\n" DOT;
	static const Row rows[] = {
		{LOOP, "i32", LOAD DOT, 1, NULL},
		{LOOP, "i32", LOAD DOT, 2,
		 "loop: 2 stages, 0 groups pending, 4096 bytes\nload 0: copied 1 ahead, 16 bytes at once, 2 slots of 2048 bytes"},
		{LOOP, "i32", LOAD DOT, 5,
		 "loop: 5 stages, 3 groups pending, 10240 bytes\nload 0: copied 4 ahead, 16 bytes at once, 5 slots of 2048 bytes"},
		{LOOP, "i32", "    %a = tt.load %p, %m, %nothing : tensor<32x32x!tt.ptr<f16>>\n" DOT, 3,
		 "loop: 3 stages, 1 groups pending, 6144 bytes\nload 0: copied 2 ahead, 16 bytes at once, 3 slots of 2048 bytes"},
		{LOOP, "i32", "    %a = tt.load %p, %m, %one : tensor<32x32x!tt.ptr<f16>>\n" DOT, 3,
		 "loop: 3 stages, 1 groups pending, 6144 bytes\nload 0: copied 2 ahead, 16 bytes at once, 3 slots of 2048 bytes"},
		{LOOP, "i32", "    %a = tt.load %p cacheModifier = cs : tensor<32x32x!tt.ptr<f16>>\n" DOT, 3,
		 "loop: 3 stages, 1 groups pending, 6144 bytes\n"
		 "load 0: copied 2 ahead, 16 bytes at once, 3 slots of 2048 bytes"}, /* a hint */
		{LOOP, "i32", "    %a = tt.load %p {isVolatile = true} : tensor<32x32x!tt.ptr<f16>>\n" DOT, 3,
		 "loop: no copies\nload 0: plain: it is volatile"},
		{LOOP, "i32", LOAD DOT "    tt.store %so, %d : tensor<32x32x!tt.ptr<f32>>\n", 3,
		 "loop: as it is: what is stored may be what is loaded"},
		{LOOP, "i32", LOAD DOT "    gpu.barrier\n", 3,
		 "loop: as it is: an op that orders memory or prints is inside"},
		{LOOP, "i32", "    %d = arith.addf %acc, %acc : tensor<32x32xf32>\n", 3, NULL},
		{LOOP, "i32", indirect, 3,
		 "loop: no copies\nload 0: registers 1 ahead: fewer than 4 bytes are known to lie in a row under one mask; addresses through 1 load"},
		{"scf.for %i = %c0 to %n step %step", "i32", LOAD DOT, 3,
		 "loop: 3 stages, 1 groups pending, 6144 bytes\nload 0: copied 2 ahead, 16 bytes at once, 3 slots of 2048 bytes"},
		{LOOP, "i32", LOAD DOT, 60,
		 "loop: 49 stages, 47 groups pending, 100352 bytes\nload 0: copied 48 ahead, 16 bytes at once, 49 slots of 2048 bytes"},
		{"scf.for %i = %w0 to %wide step %wide", "i64", LOAD DOT, 3,
		 "loop: as it is: its steps are not known to be small"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(&rows[i], "sm_86");
}

/* The schedule that a loop gets is right, and each thing that could be wrong with it is found. */
static void faults_are_found(void **state)
{
	Arena arena;
	arena_init(&arena, 0);
	ScheduledLoad load = {.kind = SCHEDULE_COPIED, .ahead = 2, .bytes = 4096};
	const Schedule right = {.stages = 3, .ahead = 2, .slots = 3, .pending = 1, .bytes = 12288, .limit = 12288,
				.loads = {.data = &load, .len = 1, .cap = 1}};
	Schedule s = right;
	assert_null(schedule_fault(&arena, &s));
	s.slots = 2; /* the slot that is read is written */
	assert_string_equal(schedule_fault(&arena, &s), "load 0: 2 slots for 2 iterations ahead");
	s = right;
	s.pending = 2; /* the copy that is read is not waited for */
	assert_string_equal(schedule_fault(&arena, &s), "load 0: 2 groups may be pending, and it is 2 ahead");
	s = right;
	s.limit = 12287;
	assert_string_equal(schedule_fault(&arena, &s), "12288 bytes of 12287");
	s = right;
	s.stages = 2;
	assert_string_equal(schedule_fault(&arena, &s), "2 iterations ahead in 2 stages");
	load.ahead = 0;
	assert_string_equal(schedule_fault(&arena, &right), "load 0: 0 iterations ahead");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_load_says_how),
		cmocka_unit_test(faults_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
