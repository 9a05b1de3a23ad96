/* Block pointers and descriptors taken apart: the same addresses, masks and padding as through the handle itself,
 * through loops, branches, selects and calls. */
#include "ir_mini.h"

typedef struct Tile {
	Kit k;
	IrType tile, handle, i64, i32;
} Tile;

enum { ARG_BASE, ARG_OTHER, ARG_ROWS, ARG_COLS, ARG_PITCH, ARG_N, ARG_FLAG, ARG_I64_ROWS, ARG_I64_PITCH };

static void start(Tile *t, bool descriptor)
{
	Kit *k = &t->k;
	kit_init(k);
	t->i64 = kit_type(k, TY_I64);
	t->i32 = kit_type(k, TY_I32);
	t->tile = ir_tensor(&k->cx, kit_type(k, TY_F32), (int64_t[]){4, 8}, 2, NULL);
	t->handle = descriptor ? ir_tensordesc_signed(&k->cx, t->tile, SIGN_NONE)
			       : ir_ptr(&k->cx, t->tile, 1);
	IrType p = ir_ptr(&k->cx, kit_type(k, TY_F32), 1);
	IrType args[] = {p, p, t->i32, t->i32, t->i32, t->i32, kit_type(k, TY_I1), t->i64, t->i64};
	kit_func(k, "f", false, args, ARRAY_LEN(args), NULL, 0);
}

static const uint64_t inputs[][9] = {
	{1000, 5000, 6, 20, 32, 3, 1, 6, 32},
	{1000, 5000, 3, 5, 7, 0, 0, 3, 7},
	{77, 99, 9, 8, 100, 5, 1, 2, 11},
	{77, 99, 0, 8, 100, 1, 0, 0, 1},
};

static IrValue *i32(Tile *t, IrBuilder *b, int64_t v) { return irb_int(b, t->i32, v); }

static IrValue *block_ptr(Tile *t, IrBuilder *b, IrValue *base, IrValue *row, IrValue *col)
{
	Kit *k = &t->k;
	IrValue *operands[] = {base,
			       kit_arg(k, ARG_I64_ROWS),
			       irb_1(b, OP_EXTSI, t->i64, kit_arg(k, ARG_COLS)),
			       kit_arg(k, ARG_I64_PITCH),
			       irb_int(b, t->i64, 1),
			       row,
			       col};
	IrOp *op = irb_op(b, OP_MAKE_TENSOR_PTR, operands, 7, &t->handle, 1, 0);
	ir_set(k->m, op, ATTR_ORDER, ir_attr_ints(&k->cx, t->i32, (int64_t[]){1, 0}, 2));
	return &op->results[0];
}

static IrValue *descriptor(Tile *t, IrBuilder *b, IrValue *base, int64_t padding)
{
	Kit *k = &t->k;
	IrValue *operands[] = {base, kit_arg(k, ARG_ROWS), kit_arg(k, ARG_COLS), kit_arg(k, ARG_I64_PITCH),
			       irb_int(b, t->i64, 1)};
	IrOp *op = irb_op(b, OP_MAKE_TENSOR_DESC, operands, 5, &t->handle, 1, 0);
	ir_set(k->m, op, ATTR_PADDING, ir_attr_i32(&k->cx, padding));
	return &op->results[0];
}

static IrValue *advance(Tile *t, IrBuilder *b, IrValue *p, IrValue *rows, IrValue *cols)
{
	(void)t;
	return irb_3(b, OP_ADVANCE, NULL, p, rows, cols);
}

static IrValue *load(Tile *t, IrBuilder *b, IrValue *p, const int64_t *dims, uint32_t n, int64_t padding)
{
	IrValue *v = irb_1(b, OP_LOAD, t->tile, p);
	ir_set(t->k.m, v->def, ATTR_BOUNDARY_CHECK, ir_attr_ints(&t->k.cx, t->i32, dims, n));
	if (padding)
		ir_set(t->k.m, v->def, ATTR_PADDING, ir_attr_i32(&t->k.cx, padding));
	return v;
}

static void show(Tile *t, IrBuilder *b, IrValue *v) { kit_print(&t->k, b, v); }

static const int64_t both[] = {0, 1};

/* Runs before and after the pass, on all inputs. */
static void check(Tile *t, PassFn *pass, IrOpKind gone)
{
	Kit *k = &t->k;
	kit_return(k);
	kit_verify(k);
	Mini before[ARRAY_LEN(inputs)];
	unsigned said = 0;
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
		before[i] = mini_run(k, &k->arena, inputs[i]);
	assert_true(kit_run(k, pass));
	kit_verify(k);
	assert_int_equal(kit_count(k, gone), 0);
	assert_false(kit_run(k, pass));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
			if (before[i].undefined)
				continue;
			Mini after = mini_run(k, &k->arena, inputs[i]);
			assert_true(after.trace.len > 0);
			mini_same(&before[i], &after, round ? "simplified" : "taken apart");
			said++;
		}
		kit_run(k, pass_canonicalize);
		kit_run(k, pass_cse);
	}
	assert_true(said >= 4);
	kit_free(k);
}

static void loads_and_stores(void **state)
{
	for (int64_t padding = PAD_ZERO; padding <= PAD_NAN; padding++) {
		for (uint32_t dims = 0; dims <= 2; dims++) {
			Tile t;
			start(&t, false);
			IrBuilder *b = &t.k.b;
			IrValue *p = block_ptr(&t, b, kit_arg(&t.k, ARG_BASE), kit_arg(&t.k, ARG_N), i32(&t, b, -2));
			IrValue *v = load(&t, b, p, both, dims, padding);
			show(&t, b, v);
			IrOp *store = irb_op(b, OP_STORE, (IrValue *[]){p, v}, 2, NULL, 0, 0);
			ir_set(t.k.m, store, ATTR_BOUNDARY_CHECK, ir_attr_ints(&t.k.cx, t.i32, both + 1, 1));
			check(&t, pass_rewrite_tensor_pointer, OP_MAKE_TENSOR_PTR);
		}
	}
}

/* for n: print(load p); p = advance(p): only the offsets are carried. */
static void carried_by_a_loop(void **state)
{
	Tile t;
	start(&t, false);
	Kit *k = &t.k;
	IrBuilder *b = &k->b;
	IrValue *p = block_ptr(&t, b, kit_arg(k, ARG_BASE), i32(&t, b, 0), i32(&t, b, -3));
	IrValue *operands[] = {i32(&t, b, 0), kit_arg(k, ARG_N), i32(&t, b, 1), p};
	IrOp *loop = irb_op(b, OP_FOR, operands, 4, &t.handle, 1, 1);
	IrBlock *body = ir_block_new(k->m, &loop->regions[0]);
	ir_block_arg_add(k->m, body, t.i32, b->loc);
	IrValue *q = ir_block_arg_add(k->m, body, t.handle, b->loc);
	IrBuilder in = ir_at_end(k->m, body, b->loc);
	show(&t, &in, load(&t, &in, q, both, 2, PAD_NAN));
	irb_op(&in, OP_YIELD, (IrValue *[]){advance(&t, &in, q, i32(&t, &in, 1), body->args[0])}, 1, NULL, 0, 0);
	show(&t, b, load(&t, b, &loop->results[0], both, 2, PAD_ZERO));
	kit_return(k);
	kit_run(k, pass_rewrite_tensor_pointer);
	for (IrOp *op = ir_func_body(k->func)->first; op; op = op->next)
		if (op->kind == OP_FOR)
			assert_int_equal(op->result_count, 2);
	kit_free(k);

	start(&t, false);
	b = &k->b;
	p = block_ptr(&t, b, kit_arg(k, ARG_BASE), i32(&t, b, 0), i32(&t, b, -3));
	/* The other base comes round: the base is carried too. */
	IrValue *other = block_ptr(&t, b, kit_arg(k, ARG_OTHER), i32(&t, b, 1), i32(&t, b, 0));
	IrValue *more[] = {i32(&t, b, 0), kit_arg(k, ARG_N), i32(&t, b, 1), p, other};
	loop = irb_op(b, OP_FOR, more, 5, (IrType[]){t.handle, t.handle}, 2, 1);
	body = ir_block_new(k->m, &loop->regions[0]);
	ir_block_arg_add(k->m, body, t.i32, b->loc);
	q = ir_block_arg_add(k->m, body, t.handle, b->loc);
	IrValue *r = ir_block_arg_add(k->m, body, t.handle, b->loc);
	in = ir_at_end(k->m, body, b->loc);
	show(&t, &in, load(&t, &in, q, both, 2, PAD_NAN));
	irb_op(&in, OP_YIELD, (IrValue *[]){advance(&t, &in, r, i32(&t, &in, 1), body->args[0]), q}, 2, NULL, 0, 0);
	show(&t, b, load(&t, b, &loop->results[1], both, 2, PAD_ZERO));
	check(&t, pass_rewrite_tensor_pointer, OP_ADVANCE);
}

static void carried_by_a_while_loop(void **state)
{
	Tile t;
	start(&t, false);
	Kit *k = &t.k;
	IrBuilder *b = &k->b;
	IrValue *p = block_ptr(&t, b, kit_arg(k, ARG_BASE), i32(&t, b, 0), i32(&t, b, 0));
	IrType types[] = {t.handle, t.i32};
	IrOp *loop = irb_op(b, OP_WHILE, (IrValue *[]){i32(&t, b, 0), p}, 2, types, 2, 2);
	IrBlock *before = ir_block_new(k->m, &loop->regions[0]), *after = ir_block_new(k->m, &loop->regions[1]);
	IrValue *i = ir_block_arg_add(k->m, before, t.i32, b->loc), *q = ir_block_arg_add(k->m, before, t.handle, b->loc);
	IrBuilder in = ir_at_end(k->m, before, b->loc);
	IrValue *go = irb_cmpi(&in, CMPI_SLT, i, kit_arg(k, ARG_N));
	irb_op(&in, OP_CONDITION, (IrValue *[]){go, advance(&t, &in, q, i, i32(&t, &in, 0)), i}, 3, NULL, 0, 0);
	q = ir_block_arg_add(k->m, after, t.handle, b->loc);
	i = ir_block_arg_add(k->m, after, t.i32, b->loc);
	in = ir_at_end(k->m, after, b->loc);
	show(&t, &in, load(&t, &in, q, both, 1, PAD_ZERO));
	irb_op(&in, OP_YIELD, (IrValue *[]){irb_2(&in, OP_ADDI, NULL, i, i32(&t, &in, 1)), q}, 2, NULL, 0, 0);
	show(&t, b, load(&t, b, &loop->results[0], both, 2, PAD_ZERO));
	show(&t, b, &loop->results[1]);
	check(&t, pass_rewrite_tensor_pointer, OP_ADVANCE);
}

static void chosen_by_a_branch(void **state)
{
	for (int other = 0; other < 2; other++) {
		Tile t;
		start(&t, false);
		Kit *k = &t.k;
		IrBuilder *b = &k->b;
		IrValue *p = block_ptr(&t, b, kit_arg(k, ARG_BASE), i32(&t, b, 0), i32(&t, b, 0));
		IrValue *flag = kit_arg(k, ARG_FLAG);
		IrType types[] = {t.i32, t.handle};
		IrOp *op = irb_op(b, OP_IF, &flag, 1, types, 2, 2);
		for (int side = 0; side < 2; side++) {
			IrBuilder in = ir_at_end(k->m, ir_block_new(k->m, &op->regions[side]), b->loc);
			/* One base in both, or another one made inside a branch. */
			IrValue *q = side && other ? block_ptr(&t, &in, kit_arg(k, ARG_OTHER), i32(&t, &in, 2), i32(&t, &in, 1))
						   : advance(&t, &in, p, i32(&t, &in, side), i32(&t, &in, 3));
			irb_op(&in, OP_YIELD, (IrValue *[]){i32(&t, &in, side), q}, 2, NULL, 0, 0);
		}
		IrValue *chosen = irb_3(b, OP_SELECT, NULL, flag, p, &op->results[1]);
		show(&t, b, load(&t, b, &op->results[1], both, 2, PAD_ZERO));
		show(&t, b, load(&t, b, chosen, both, 2, PAD_ZERO));
		show(&t, b, &op->results[0]);
		check(&t, pass_rewrite_tensor_pointer, OP_ADVANCE);
	}
}

static void descriptors(void **state)
{
	for (int64_t padding = PAD_ZERO; padding <= PAD_NAN; padding++) {
		Tile t;
		start(&t, true);
		Kit *k = &t.k;
		IrBuilder *b = &k->b;
		IrValue *d = descriptor(&t, b, kit_arg(k, ARG_BASE), padding);
		IrValue *e = descriptor(&t, b, kit_arg(k, ARG_OTHER), padding);
		IrValue *operands[] = {i32(&t, b, 0), kit_arg(k, ARG_N), i32(&t, b, 1), d, e};
		IrOp *loop = irb_op(b, OP_FOR, operands, 5, (IrType[]){t.handle, t.handle}, 2, 1);
		IrBlock *body = ir_block_new(k->m, &loop->regions[0]);
		IrValue *i = ir_block_arg_add(k->m, body, t.i32, b->loc);
		IrValue *q = ir_block_arg_add(k->m, body, t.handle, b->loc);
		IrValue *r = ir_block_arg_add(k->m, body, t.handle, b->loc);
		IrBuilder in = ir_at_end(k->m, body, b->loc);
		IrValue *v = irb_3(&in, OP_DESC_LOAD, t.tile, q, i, i32(&t, &in, -1));
		show(&t, &in, v);
		irb_op(&in, OP_DESC_STORE, (IrValue *[]){r, v, i32(&t, &in, 1), i}, 4, NULL, 0, 0);
		irb_op(&in, OP_YIELD, (IrValue *[]){r, q}, 2, NULL, 0, 0);
		show(&t, b, irb_3(b, OP_DESC_LOAD, t.tile, &loop->results[0], i32(&t, b, 0), i32(&t, b, 0)));
		check(&t, pass_lower_descriptors, OP_MAKE_TENSOR_DESC);
	}
}

static void rows_by_number(void **state)
{
	Tile t;
	start(&t, true);
	Kit *k = &t.k;
	IrBuilder *b = &k->b;
	IrType wide = ir_tensor(&k->cx, kit_type(k, TY_F32), (int64_t[]){1, 8}, 2, NULL);
	t.handle = ir_tensordesc_signed(&k->cx, wide, SIGN_NONE);
	IrValue *d = descriptor(&t, b, kit_arg(k, ARG_BASE), PAD_NAN), *e = descriptor(&t, b, kit_arg(k, ARG_OTHER), PAD_ZERO);
	uint64_t numbers[4] = {0, 5, 2, 0xffffffff};
	IrValue *rows = irb_constant(b, ir_attr_dense(&k->cx, kit_tile(k, TY_I32, 4), numbers, 4));
	IrValue *v = irb_3(b, OP_DESC_GATHER, t.tile, d, rows, kit_arg(k, ARG_N));
	show(&t, b, v);
	irb_op(b, OP_DESC_SCATTER, (IrValue *[]){e, rows, i32(&t, b, -1), v}, 4, NULL, 0, 0);
	check(&t, pass_lower_descriptors, OP_DESC_GATHER);
}

/* A descriptor argument becomes pointer, shape, strides and padding, in the function's type too. */
static void descriptor_arguments(void **state)
{
	Kit k;
	kit_init(&k);
	IrType f32 = kit_type(&k, TY_F32), i64 = kit_type(&k, TY_I64);
	IrType tile = ir_tensor(&k.cx, f32, (int64_t[]){4, 8}, 2, NULL);
	IrType in[] = {kit_type(&k, TY_I32), ir_tensordesc_signed(&k.cx, tile, SIGN_NONE)};
	kit_func(&k, "f", false, in, 2, NULL, 0);
	kit_keep(&k, irb_3(&k.b, OP_DESC_LOAD, tile, kit_arg(&k, 1), kit_arg(&k, 0), kit_arg(&k, 0)));
	kit_return(&k);
	assert_true(kit_run(&k, pass_lower_descriptors));
	kit_verify(&k);
	IrType want[] = {kit_type(&k, TY_I32), ir_ptr(&k.cx, f32, 1), i64, i64, i64, i64, kit_type(&k, TY_I1)};
	IrType type = ir_func_type_of(k.func);
	assert_int_equal(type->len, ARRAY_LEN(want));
	for (uint32_t i = 0; i < type->len; i++) {
		assert_ptr_equal(type->list[i], want[i]);
		assert_ptr_equal(kit_arg(&k, i)->type, want[i]);
	}
	kit_free(&k);
}

/* An op that cannot take a handle: said at its place. */
static void other_uses_are_refused(void **state)
{
	Tile t;
	start(&t, false);
	IrBuilder *b = &t.k.b;
	IrValue *p = block_ptr(&t, b, kit_arg(&t.k, ARG_BASE), i32(&t, b, 0), i32(&t, b, 0));
	show(&t, b, p);
	kit_return(&t.k);
	bool changed;
	PassCx cx = {.module = t.k.m, .diags = &t.k.diags, .scratch = &t.k.scratch};
	assert_false(pass_rewrite_tensor_pointer(&cx, &changed));
	assert_int_equal(t.k.diags.first->code, DIAG_HANDLE_USE);
	assert_int_equal(t.k.diags.first->from.line, 2);
	assert_int_equal(t.k.diags.first->from.col, 5);
	kit_free(&t.k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_stores),
		cmocka_unit_test(carried_by_a_loop),
		cmocka_unit_test(carried_by_a_while_loop),
		cmocka_unit_test(chosen_by_a_branch),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(rows_by_number),
		cmocka_unit_test(descriptor_arguments),
		cmocka_unit_test(other_uses_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
