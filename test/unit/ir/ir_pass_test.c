/* The runner, inlining with its locations and limits, unrolling's limit, and that nothing is quadratic. */
#include "ir_pass_kit.h"

#include "base/os.h"
#include "ir/text/text.h"

/* ---- inlining ---- */

static IrValue *call(Kit *k, const char *name, IrValue *arg, uint32_t line)
{
	IrLoc loc = k->b.loc;
	IrType i32 = kit_type(k, TY_I32);
	k->b.loc = ir_loc_file(&k->cx, "k.py", line, 8);
	IrOp *op = irb_op(&k->b, OP_CALL, &arg, 1, &i32, 1, 0);
	ir_set(k->m, op, ATTR_CALLEE, ir_attr_symbol(&k->cx, ir_sym(&k->cx, name)));
	k->b.loc = loc;
	return &op->results[0];
}

static void give(Kit *k, IrValue *v)
{
	irb_op(&k->b, OP_RETURN, &v, 1, NULL, 0, 0);
}

/* f<n>(x): f<n-1>(f<n-1>(x)) ...; f0(x): x + x. */
static void chain(Kit *k, int n, int calls)
{
	IrType i32 = kit_type(k, TY_I32);
	for (int i = 0; i < n; i++) {
		char name[16], inner[16];
		snprintf(name, sizeof name, "f%d", i);
		snprintf(inner, sizeof inner, "f%d", i - 1);
		kit_func(k, name, true, &i32, 1, &i32, 1);
		IrValue *v = kit_arg(k, 0);
		k->b.loc = ir_loc_file(&k->cx, "lib.py", 100 + (uint32_t)i, 3);
		for (int c = 0; c < calls; c++)
			v = i ? call(k, inner, v, 10 * (uint32_t)i) : irb_2(&k->b, OP_ADDI, NULL, v, v);
		give(k, v);
	}
}

static void an_inlined_op_knows_its_callers(void **state)
{
	Kit k;
	kit_init(&k);
	chain(&k, 3, 1);
	IrType i32 = kit_type(&k, TY_I32);
	kit_func(&k, "kernel", false, &i32, 1, NULL, 0);
	IrOp *keep = kit_keep(&k, call(&k, "f2", kit_arg(&k, 0), 7));
	kit_return(&k);
	kit_verify(&k);
	assert_true(kit_run(&k, pass_inline));
	kit_verify(&k);
	assert_int_equal(kit_count(&k, OP_FUNC), 1);
	assert_int_equal(kit_count(&k, OP_CALL), 0);
	IrOp *add = ir_operand(keep, 0)->def;
	assert_int_equal(add->kind, OP_ADDI);
	/* lib.py:100, called at k.py:10, which is called at k.py:20, which is called at k.py:7. */
	static const uint32_t lines[] = {100, 10, 20, 7};
	IrLoc at = add->loc;
	for (uint32_t i = 0; i < 4; i++) {
		assert_non_null(at);
		assert_int_equal(ir_loc_position(at)->line, lines[i]);
		at = ir_loc_caller(at);
	}
	assert_null(at);
	kit_free(&k);
}

static void noinline_functions_stay(void **state)
{
	Kit k;
	kit_init(&k);
	chain(&k, 2, 1);
	ir_set(k.m, k.func, ATTR_NOINLINE, ir_attr_bool(&k.cx, true)); /* f1 */
	IrType i32 = kit_type(&k, TY_I32);
	kit_func(&k, "kernel", false, &i32, 1, NULL, 0);
	kit_keep(&k, call(&k, "f1", kit_arg(&k, 0), 7));
	kit_return(&k);
	kit_run(&k, pass_inline);
	kit_verify(&k);
	assert_int_equal(kit_count(&k, OP_FUNC), 2);
	assert_int_equal(kit_count(&k, OP_CALL), 1);
	assert_null(ir_find_func(k.m, ir_sym(&k.cx, "f0")));
	kit_free(&k);
}

static const Diag *refused(Kit *k, PassFn *pass)
{
	bool changed = false;
	PassCx cx = {.module = k->m, .diags = &k->diags, .scratch = &k->scratch};
	assert_false(pass(&cx, &changed));
	return k->diags.first;
}

static void recursion_is_diagnosed(void **state)
{
	Kit k;
	kit_init(&k);
	IrType i32 = kit_type(&k, TY_I32);
	kit_func(&k, "even", true, &i32, 1, &i32, 1);
	give(&k, call(&k, "odd", kit_arg(&k, 0), 3));
	kit_func(&k, "odd", true, &i32, 1, &i32, 1);
	give(&k, call(&k, "even", kit_arg(&k, 0), 5));
	const Diag *d = refused(&k, pass_inline);
	assert_int_equal(d->code, DIAG_RECURSION);
	assert_int_equal(d->from.line, 5);
	assert_int_equal(d->from.col, 9);
	assert_string_equal(d->text, "recursive call of 'even'");
	kit_free(&k);
}

static void doubling_ends(void **state)
{
	Kit k;
	kit_init(&k);
	chain(&k, 64, 2);
	assert_int_equal(refused(&k, pass_inline)->code, DIAG_INLINE_LIMIT);
	kit_free(&k);
}

/* ---- unrolling ---- */

static IrOp *counted_loop(Kit *k, IrValue *upper, IrValue *init)
{
	IrType i32 = kit_type(k, TY_I32);
	IrValue *operands[] = {irb_int(&k->b, i32, 0), upper, irb_int(&k->b, i32, 1), init};
	IrOp *loop = irb_op(&k->b, OP_FOR, operands, 4, &i32, 1, 1);
	IrBlock *body = ir_block_new(k->m, &loop->regions[0]);
	ir_block_arg_add(k->m, body, i32, k->b.loc);
	ir_block_arg_add(k->m, body, i32, k->b.loc);
	IrBuilder in = ir_at_end(k->m, body, k->b.loc);
	IrValue *sum = irb_2(&in, OP_ADDI, NULL, body->args[0], body->args[1]);
	irb_op(&in, OP_YIELD, &sum, 1, NULL, 0, 0);
	return loop;
}

static void unrolling_has_a_limit(void **state)
{
	Kit k;
	kit_init(&k);
	IrType i32 = kit_type(&k, TY_I32);
	kit_func(&k, "kernel", false, &i32, 1, NULL, 0);
	IrOp *loop = counted_loop(&k, kit_arg(&k, 0), kit_arg(&k, 0));
	ir_set(k.m, loop, ATTR_LOOP_UNROLL, ir_attr_i32(&k.cx, 1000000000));
	kit_keep(&k, &loop->results[0]);
	kit_return(&k);
	const Diag *d = refused(&k, pass_loop_unroll);
	assert_int_equal(d->code, DIAG_UNROLL_LIMIT);
	assert_int_equal(d->from.line, 2);
	kit_free(&k);
}

/* 10 iterations by 4: one loop of two quadruple steps, one of what is left, which is not pipelined. */
static void unrolling_shape(void **state)
{
	Kit k;
	kit_init(&k);
	IrType i32 = kit_type(&k, TY_I32);
	kit_func(&k, "kernel", false, &i32, 1, NULL, 0);
	IrOp *loop = counted_loop(&k, irb_int(&k.b, i32, 10), kit_arg(&k, 0));
	ir_set(k.m, loop, ATTR_LOOP_UNROLL, ir_attr_i32(&k.cx, 4));
	kit_keep(&k, &loop->results[0]);
	kit_return(&k);
	assert_true(kit_run(&k, pass_loop_unroll));
	kit_verify(&k);
	assert_int_equal(kit_count(&k, OP_FOR), 2);
	int64_t upper = 0, step = 0;
	assert_true(ir_constant_int(ir_operand(loop, 1), &upper) && ir_constant_int(ir_operand(loop, 2), &step));
	assert_int_equal(upper, 8);
	assert_int_equal(step, 4);
	assert_null(ir_get(loop, &k.cx, ATTR_LOOP_UNROLL));
	IrOp *rest = loop->next;
	assert_int_equal(rest->kind, OP_FOR);
	assert_int_equal(ir_get_int(rest, &k.cx, ATTR_NUM_STAGES, 0), 1);
	assert_ptr_equal(ir_operand(rest, 0), ir_operand(loop, 1));
	assert_ptr_equal(ir_operand(rest, 3), &loop->results[0]);
	kit_free(&k);
}

/* ---- the runner ---- */

typedef struct Seen {
	unsigned before, after;
	bool harm_attr, harm_text, harm_trip;
} Seen;

static void hook(void *data, const PassInfo *pass, const IrModule *module, bool after, double seconds)
{
	Seen *seen = data;
	assert_string_equal(pass->name, "dce");
	assert_true(seconds >= 0);
	*(after ? &seen->after : &seen->before) += 1;
	if (!after)
		return;
	IrModule *m = (IrModule *)(uintptr_t)module;
	IrOp *func = ir_module_block(m)->first;
	if (seen->harm_attr)
		ir_set(m, ir_func_body(func)->first, ATTR_VALUE, NULL);
	if (seen->harm_text)
		ir_set_named(m, func, ir_sym(m->cx, "tt.x"), ir_attr_custom(m->cx, ir_sym(m->cx, "?"), NULL, 0));
	if (seen->harm_trip) /* prints as 1 : i1, which reads as true */
		ir_set_named(m, func, ir_sym(m->cx, "tt.x"),
			     ir_attr_int(m->cx, ir_scalar(m->cx, TY_I1), 1));
}

static bool run(Kit *k, const char *name, PassOptions options)
{
	return pass_run_list(k->m, &name, 1, &options, &k->diags);
}

static void small(Kit *k)
{
	kit_init(k);
	kit_func(k, "kernel", false, NULL, 0, NULL, 0);
	kit_keep(k, irb_int(&k->b, kit_type(k, TY_I32), 1));
	kit_return(k);
}

static void the_runner_watches_each_pass(void **state)
{
	Kit k;
	Seen seen = {0};
	small(&k);
	PassOptions options = {.verify = true, .stress = true, .hook = hook, .hook_data = &seen};
	assert_true(run(&k, "dce", options));
	assert_int_equal(seen.before, 1);
	assert_int_equal(seen.after, 1);
	assert_false(run(&k, "inline", (PassOptions){.level = LEVEL_G}));
	assert_int_equal(k.diags.last->code, DIAG_PASS_LEVEL);
	seen.harm_attr = true;
	assert_false(run(&k, "dce", options));
	assert_int_equal(k.diags.last->code, DIAG_PASS_BROKE);
	kit_free(&k);
}

static void the_text_form_must_come_back(void **state)
{
	for (int how = 0; how < 2; how++) {
		Kit k;
		Seen seen = {.harm_text = how == 0, .harm_trip = how == 1};
		small(&k);
		assert_false(run(&k, "dce", (PassOptions){.stress = true, .hook = hook, .hook_data = &seen}));
		assert_int_equal(k.diags.last->code, how == 0 ? DIAG_PASS_UNREADABLE : DIAG_PASS_ROUND_TRIP);
		kit_free(&k);
	}
}

/* ---- what a pass says of itself ---- */

enum { NUMBER_OF_OPS };

static unsigned computed;

static bool count_op(void *data, IrOp *op)
{
	(void)op;
	*(unsigned *)data += 1;
	return true;
}

static void *count_ops(PassCx *cx, Arena *arena)
{
	unsigned *count = ARENA_NEW(arena, unsigned);
	computed++;
	ir_walk(cx->module->op, false, count_op, count);
	return count;
}

static bool same_count(const IrModule *module, const void *a, const void *b)
{
	(void)module;
	return *(const unsigned *)a == *(const unsigned *)b;
}

static void open_count(PassAnalyses *analyses, size_t limit)
{
	static const PassAnalysis rows[] = {[NUMBER_OF_OPS] = {"numbers of ops", count_ops, same_count}};
	pass_analyses_open(analyses, rows, 1, limit);
}

static bool add_op(PassCx *cx, bool *changed)
{
	IrBuilder b = ir_at(cx->module, ir_func_body(ir_module_block(cx->module)->first)->first);
	(void)*(unsigned *)pass_analysis(cx, NUMBER_OF_OPS);
	irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	*changed = true;
	return true;
}

static bool add_in_silence(PassCx *cx, bool *changed)
{
	bool unsaid;
	(void)changed;
	return add_op(cx, &unsaid);
}

static bool look(PassCx *cx, bool *changed)
{
	(void)changed;
	return *(unsigned *)pass_analysis(cx, NUMBER_OF_OPS) > 0;
}

static const PassInfo *liars(const char *name)
{
	static const PassInfo rows[] = {
		{add_op, "honest", LEVEL_TG, LEVEL_TG, PASS_OPTIONAL, 1, 0, ""},
		{add_op, "keeps", LEVEL_TG, LEVEL_TG, PASS_NEEDED, 1, 1, ""},
		{add_in_silence, "silent", LEVEL_TG, LEVEL_TG, PASS_NEEDED, 1, 0, ""},
		{look, "look", LEVEL_TG, LEVEL_TG, PASS_NEEDED, 1, 0, ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

static void passes_are_held_to_what_they_say(void **state)
{
	static const struct {
		const char *pass;
		int code; /* -1: none */
	} cases[] = {{"honest", -1}, {"look", -1}, {"keeps", DIAG_PASS_KEEPS}, {"silent", DIAG_PASS_CHANGED}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Kit k;
		small(&k);
		PassOptions options = {.stress = true, .find = liars, .open_analyses = open_count};
		assert_int_equal(run(&k, cases[i].pass, options), cases[i].code < 0);
		assert_int_equal(k.diags.last ? (int)k.diags.last->code : -1, cases[i].code);
		kit_free(&k);
	}
}

/* Computed when asked for, again only after a change. */
static void analyses_are_shared(void **state)
{
	static const char *const names[] = {"look", "look", "honest", "look", "look"};
	Kit k;
	small(&k);
	PassOptions options = {.find = liars, .open_analyses = open_count};
	computed = 0;
	assert_true(pass_run_list(k.m, names, ARRAY_LEN(names), &options, &k.diags));
	assert_int_equal(computed, 2);
	kit_free(&k);
}

static unsigned barriers_in(const Kit *k)
{
	unsigned n = 0;
	for (const IrOp *op = ir_func_body(ir_module_block(k->m)->first)->first; op; op = op->next)
		n += op->kind == OP_BARRIER;
	return n;
}

static void passes_can_be_left_out(void **state)
{
	static const char *const names[] = {"honest", "keeps", "honest", "honest"};
	static const struct {
		const char *skip, *stop_after;
		unsigned barriers;
	} cases[] = {{NULL, NULL, 4},	       {"honest", NULL, 1}, {"look,honest", NULL, 1}, {"keeps", NULL, 4}, {"hon,honestly", NULL, 4},
		     {NULL, "honest", 1},      {NULL, "keeps", 2},  {NULL, "honest:2", 3},    {NULL, "honest:3", 4}, {NULL, "hon", 4}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Kit k;
		small(&k);
		PassOptions options = {.find = liars, .open_analyses = open_count, .skip = cases[i].skip, .stop_after = cases[i].stop_after};
		assert_true(pass_run_list(k.m, names, ARRAY_LEN(names), &options, &k.diags));
		assert_int_equal(barriers_in(&k), cases[i].barriers);
		kit_free(&k);
	}
}

static void the_pipeline_is_known(void **state)
{
	for (int descriptors = 0; descriptors < 2; descriptors++) {
		size_t count, all;
		Arena arena;
		arena_init(&arena, 0);
		const char *const *names = pass_ttir_pipeline(&arena, descriptors, &count);
		bool lowers = false;
		for (size_t i = 0; i < count; i++) {
			assert_non_null(pass_by_name(names[i]));
			lowers |= strcmp(names[i], "lower-descriptors") == 0;
		}
		assert_int_equal(lowers, descriptors);
		const PassInfo *table = pass_table(&all);
		for (size_t i = 0; i < all; i++)
			assert_ptr_equal(pass_by_name(table[i].name), &table[i]);
		arena_free(&arena);
	}
	assert_null(pass_by_name("nothing"));
}

/* ---- size ---- */

enum { MANY = 100000 };

/* Ops that keep every rule busy: constants on the left, sums of sums, dead code, equal ops, splats. */
static void build_large(Kit *k)
{
	kit_init(k);
	IrType i32 = kit_type(k, TY_I32), tile = kit_tile(k, TY_I32, 16), flag = kit_type(k, TY_I1);
	IrType args[] = {i32, tile, flag};
	kit_func(k, "kernel", false, args, 3, NULL, 0);
	IrValue *upper = kit_arg(k, 0), *init = kit_arg(k, 0);
	IrOp *loop = counted_loop(k, upper, init);
	IrBlock *body = loop->regions[0].first;
	IrBuilder in = ir_at(k->m, body->first);
	IrValue *x = body->args[0], *t = kit_arg(k, 1);
	for (int i = 0; i < MANY / 10; i++) {
		x = irb_2(&in, OP_ADDI, NULL, irb_int(&in, i32, i), x);
		x = irb_2(&in, OP_XORI, NULL, x, body->args[1]);
		IrValue *s = irb_splat(&in, x, tile);
		t = irb_2(&in, OP_ADDI, NULL, t, irb_2(&in, OP_MULI, NULL, s, irb_int(&in, tile, 3)));
		irb_2(&in, OP_MULI, NULL, x, x);
		if (i % 8)
			continue;
		IrOp *branch = irb_op(&in, OP_IF, (IrValue *[]){kit_arg(k, 2)}, 1, NULL, 0, 2);
		IrBuilder inner = ir_at_end(k->m, ir_block_new(k->m, &branch->regions[0]), in.loc);
		kit_print(k, &inner, t);
		irb_op(&inner, OP_YIELD, NULL, 0, NULL, 0, 0);
	}
	kit_print(k, &in, t);
	kit_keep(k, &loop->results[0]);
	kit_return(k);
}

static void a_large_module_takes_linear_time(void **state)
{
	Kit k;
	build_large(&k);
	kit_verify(&k);
	assert_true(kit_count(&k, OP__COUNT) > MANY * 7 / 10);
	size_t count;
	const char *const *names = pass_ttir_pipeline(&k.arena, true, &count);
	double start = os_now();
	assert_true(pass_run_list(k.m, names, count, NULL, &k.diags));
	/* Some 50 ms; quadratic behaviour would take minutes. */
	assert_true(os_now() - start < 5);
	kit_verify(&k);
	kit_free(&k);
}

static unsigned depth_of(const IrOp *op)
{
	unsigned n = 0;
	for (; op; op = ir_parent_op(op))
		n++;
	return n;
}

/* Branches inside branches, each with the same condition. */
static void deep_nesting(void **state)
{
	Kit k;
	kit_init(&k);
	IrType args[] = {kit_type(&k, TY_I32), kit_type(&k, TY_I1)};
	kit_func(&k, "kernel", false, args, 2, NULL, 0);
	IrBuilder b = k.b;
	enum { DEPTH = 500 };
	IrOp *ops[DEPTH];
	for (int i = 0; i < DEPTH; i++) {
		kit_print(&k, &b, kit_arg(&k, 0));
		IrValue *flag = i % 2 ? kit_arg(&k, 1) : irb_cmpi(&b, CMPI_SLT, kit_arg(&k, 0), irb_int(&b, args[0], i));
		ops[i] = irb_op(&b, OP_IF, &flag, 1, NULL, 0, 2);
		b = ir_at_end(k.m, ir_block_new(k.m, &ops[i]->regions[0]), b.loc);
	}
	for (int i = 0; i < DEPTH; i++) {
		IrBuilder end = ir_at_end(k.m, ops[i]->regions[0].first, b.loc);
		irb_op(&end, OP_YIELD, NULL, 0, NULL, 0, 0);
	}
	kit_return(&k);
	assert_int_equal(depth_of(ops[DEPTH - 1]), DEPTH + 2);
	size_t count;
	const char *const *names = pass_ttir_pipeline(&k.arena, true, &count);
	double start = os_now();
	assert_true(pass_run_list(k.m, names, count, NULL, &k.diags));
	assert_true(os_now() - start < 2);
	kit_verify(&k);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_inlined_op_knows_its_callers),
		cmocka_unit_test(noinline_functions_stay),
		cmocka_unit_test(recursion_is_diagnosed),
		cmocka_unit_test(doubling_ends),
		cmocka_unit_test(unrolling_has_a_limit),
		cmocka_unit_test(unrolling_shape),
		cmocka_unit_test(the_runner_watches_each_pass),
		cmocka_unit_test(the_text_form_must_come_back),
		cmocka_unit_test(passes_are_held_to_what_they_say),
		cmocka_unit_test(analyses_are_shared),
		cmocka_unit_test(passes_can_be_left_out),
		cmocka_unit_test(the_pipeline_is_known),
		cmocka_unit_test(a_large_module_takes_linear_time),
		cmocka_unit_test(deep_nesting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
