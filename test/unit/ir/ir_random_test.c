/* Random programs keep their meaning through every pass: what they print and store is compared before and after.
 * Scalars, tiles, floats with NaN and -0.0, nested loops and branches, carried values that are used or not. */
#include "ir_mini.h"

#include <math.h>

typedef struct Gen {
	Kit *k;
	IrBuilder *b;
	uint64_t random;
	unsigned depth, left;
	VEC(IrValue *) pool; /* what may be used here */
} Gen;

static uint64_t next(Gen *g)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return g->random;
}

static uint32_t below(Gen *g, uint32_t n) { return (uint32_t)(next(g) >> 20) % n; }

static void keep(Gen *g, IrValue *v) { vec_push(&g->k->arena, &g->pool, v); }

static IrValue *constant(Gen *g, IrType type)
{
	static const int64_t ints[] = {0, 1, -1, 2, 3, 7, 8, INT32_MIN, INT32_MAX, -128, 127};
	static const double floats[] = {0.0, -0.0, 1.0, -1.0, 0.5, INFINITY, -INFINITY, NAN, 1e-40, 3e38};
	IrType elem = ir_elem(type);
	if (ir_is_float(elem))
		return irb_float(g->b, type, floats[below(g, ARRAY_LEN(floats))]);
	return irb_int(g->b, type, ints[below(g, ARRAY_LEN(ints))]);
}

/* Some value of this type: one of the last that there are, or a new constant or splat. */
static IrValue *pick(Gen *g, IrType type)
{
	for (int tries = 0; tries < 6; tries++) {
		IrValue *v = g->pool.data[below(g, g->pool.len)];
		if (v->type == type)
			return v;
	}
	if (ir_is_tensor(type) && below(g, 2))
		return irb_splat(g->b, pick(g, type->elem), type);
	return constant(g, type);
}

static IrType some_type(Gen *g)
{
	static const IrTypeKind kinds[] = {TY_I32, TY_I32, TY_I32, TY_I8, TY_I64, TY_I1, TY_F32, TY_F32, TY_F16};
	IrType elem = kit_type(g->k, kinds[below(g, ARRAY_LEN(kinds))]);
	switch (below(g, 4)) {
	case 0:
		return ir_tensor(&g->k->cx, elem, (int64_t[]){4}, 1, NULL);
	case 1:
		return ir_tensor(&g->k->cx, elem, (int64_t[]){4, 2}, 2, NULL);
	default:
		return elem;
	}
}

static void arithmetic(Gen *g)
{
	static const IrOpKind ints[] = {OP_ADDI, OP_ADDI, OP_SUBI, OP_SUBI, OP_MULI, OP_ANDI, OP_ORI, OP_XORI,
					OP_XORI, OP_MINSI, OP_MAXUI, OP_MAXSI, OP_MINUI, OP_ABSI};
	static const IrOpKind divisions[] = {OP_DIVSI, OP_REMSI, OP_DIVUI, OP_REMUI};
	static const IrOpKind floats[] = {OP_ADDF, OP_SUBF, OP_MULF, OP_DIVF, OP_MINIMUMF, OP_MAXIMUMF, OP_MINNUMF,
					  OP_MAXNUMF, OP_NEGF, OP_ABSF, OP_FLOOR, OP_CEIL};
	IrType type = some_type(g), elem = ir_elem(type);
	IrValue *x = pick(g, type), *y = pick(g, type);
	if (elem->kind == TY_I32 && below(g, 6) == 0) {
		IrValue *by = irb_int(g->b, type, 1 + below(g, 3));
		keep(g, irb_2(g->b, divisions[below(g, 4)], NULL, x, by));
		return;
	}
	if (elem->kind == TY_I32 && below(g, 8) == 0) {
		IrOpKind shifts[] = {OP_SHLI, OP_SHRSI, OP_SHRUI};
		keep(g, irb_2(g->b, shifts[below(g, 3)], NULL, x, irb_int(g->b, type, below(g, 3))));
		return;
	}
	IrOpKind kind = ir_is_float(elem) ? floats[below(g, ARRAY_LEN(floats))] : ints[below(g, ARRAY_LEN(ints))];
	keep(g, ir_op_info[kind].operands_min == 1 ? irb_1(g->b, kind, NULL, x) : irb_2(g->b, kind, NULL, x, y));
}

static void comparison(Gen *g)
{
	IrType type = some_type(g);
	IrValue *x = pick(g, type), *y = pick(g, type);
	IrValue *flag = ir_is_float(ir_elem(type)) ? irb_cmpf(g->b, (IrCmpF)below(g, 16), x, y)
						    : irb_cmpi(g->b, (IrCmpI)below(g, 10), x, y);
	keep(g, flag);
	if (below(g, 2))
		keep(g, irb_2(g->b, OP_XORI, NULL, flag, irb_int(g->b, flag->type, 1)));
	if (below(g, 2))
		keep(g, irb_3(g->b, OP_SELECT, NULL, flag, x, y));
	if (below(g, 2))
		keep(g, irb_3(g->b, OP_SELECT, NULL, pick(g, kit_type(g->k, TY_I1)), x, y));
}

static void conversion(Gen *g)
{
	IrType i32 = kit_type(g->k, TY_I32), like = some_type(g), i32s = ir_with_elem(&g->k->cx, like, i32);
	IrType to[] = {kit_type(g->k, TY_I64), kit_type(g->k, TY_I8), kit_type(g->k, TY_F32), kit_type(g->k, TY_I1)};
	uint32_t which = below(g, 4);
	IrType type = ir_with_elem(&g->k->cx, like, to[which]);
	IrValue *x = pick(g, i32s);
	IrOpKind kinds[] = {below(g, 2) ? OP_EXTSI : OP_EXTUI, OP_TRUNCI, below(g, 2) ? OP_SITOFP : OP_UITOFP,
			    OP_TRUNCI};
	IrValue *made = irb_1(g->b, kinds[which], type, x);
	keep(g, made);
	if (which == 0)
		keep(g, irb_1(g->b, OP_TRUNCI, i32s, made));
	else if (which == 2)
		keep(g, irb_1(g->b, OP_FPTOSI, i32s, made));
	else
		keep(g, irb_1(g->b, below(g, 2) ? OP_EXTSI : OP_EXTUI, i32s, made));
}

static void movement(Gen *g)
{
	IrCx *cx = &g->k->cx;
	IrType elem = ir_elem(some_type(g));
	IrType t4 = ir_tensor(cx, elem, (int64_t[]){4}, 1, NULL);
	IrType t41 = ir_tensor(cx, elem, (int64_t[]){4, 1}, 2, NULL);
	IrType t42 = ir_tensor(cx, elem, (int64_t[]){4, 2}, 2, NULL);
	IrType t24 = ir_tensor(cx, elem, (int64_t[]){2, 4}, 2, NULL);
	IrValue *v = irb_1(g->b, OP_EXPAND_DIMS, t41, pick(g, t4));
	ir_set(g->k->m, v->def, ATTR_AXIS, ir_attr_i32(cx, 1));
	v = irb_1(g->b, OP_BROADCAST, t42, v);
	keep(g, v);
	v = irb_1(g->b, OP_TRANS, t24, pick(g, t42));
	ir_set(g->k->m, v->def, ATTR_ORDER, ir_attr_ints(cx, kit_type(g->k, TY_I32), (int64_t[]){1, 0}, 2));
	if (below(g, 2)) {
		v = irb_1(g->b, OP_TRANS, t42, v);
		ir_set(g->k->m, v->def, ATTR_ORDER, ir_attr_ints(cx, kit_type(g->k, TY_I32), (int64_t[]){1, 0}, 2));
	} else {
		v = irb_1(g->b, OP_RESHAPE, t42, v);
	}
	keep(g, v);
}

static void memory(Gen *g)
{
	IrCx *cx = &g->k->cx;
	IrType like = below(g, 2) ? kit_tile(g->k, TY_I32, 4) : kit_type(g->k, TY_I32);
	IrType f32 = ir_with_elem(cx, like, kit_type(g->k, TY_F32));
	IrValue *p = kit_arg(g->k, 0);
	if (ir_is_tensor(like))
		p = irb_splat(g->b, p, like);
	p = irb_2(g->b, OP_ADDPTR, NULL, p, pick(g, below(g, 2) ? like : ir_with_elem(cx, like, kit_type(g->k, TY_I64))));
	if (below(g, 2)) {
		IrType wide = ir_with_elem(cx, like, kit_type(g->k, TY_I64));
		p = irb_2(g->b, OP_ADDPTR, NULL, p, pick(g, wide));
	}
	IrValue *mask = pick(g, ir_with_elem(cx, like, kit_type(g->k, TY_I1)));
	keep(g, irb_3(g->b, OP_LOAD, f32, p, mask, pick(g, f32)));
	if (below(g, 2))
		irb_op(g->b, OP_STORE, (IrValue *[]){p, pick(g, f32), mask}, 3, NULL, 0, 0);
}

static void some_ops(Gen *g, unsigned n);

static void yield(Gen *g, const IrType *types, uint32_t n)
{
	IrValue *values[4];
	for (uint32_t i = 0; i < n; i++)
		values[i] = pick(g, types[i]);
	irb_op(g->b, OP_YIELD, values, n, NULL, 0, 0);
}

static void branch(Gen *g)
{
	IrType types[3] = {some_type(g), some_type(g), some_type(g)};
	uint32_t n = below(g, 4);
	IrValue *flag = pick(g, kit_type(g->k, TY_I1));
	IrOp *op = irb_op(g->b, OP_IF, &flag, 1, types, n, 2);
	IrBuilder *outer = g->b;
	uint32_t mark = g->pool.len;
	for (uint32_t r = 0; r < (n || below(g, 2) ? 2u : 1u); r++) {
		IrBuilder b = ir_at_end(g->k->m, ir_block_new(g->k->m, &op->regions[r]), outer->loc);
		g->b = &b;
		some_ops(g, below(g, 5));
		if (r == 0 && below(g, 3) == 0)
			branch(g);
		yield(g, types, n);
		g->pool.len = mark;
	}
	g->b = outer;
	for (uint32_t i = 0; i < n; i++)
		keep(g, &op->results[i]);
}

static void loop(Gen *g)
{
	IrType types[3] = {some_type(g), some_type(g), some_type(g)}, i32 = kit_type(g->k, TY_I32);
	uint32_t n = below(g, 4);
	IrValue *operands[6];
	for (int i = 0; i < 3; i++)
		operands[i] = irb_int(g->b, i32, i == 2 ? 1 + below(g, 2) : below(g, 5));
	if (below(g, 2)) /* a bound that is not known, below 8 */
		operands[1] = irb_2(g->b, OP_ANDI, NULL, pick(g, i32), irb_int(g->b, i32, 7));
	for (uint32_t i = 0; i < n; i++)
		operands[3 + i] = pick(g, types[i]);
	IrOp *op = irb_op(g->b, OP_FOR, operands, 3 + n, types, n, 1);
	if (below(g, 3) == 0)
		ir_set(g->k->m, op, ATTR_LOOP_UNROLL, ir_attr_i32(&g->k->cx, 2 + below(g, 3)));
	IrBuilder *outer = g->b;
	IrBlock *body = ir_block_new(g->k->m, &op->regions[0]);
	IrBuilder b = ir_at_end(g->k->m, body, outer->loc);
	uint32_t mark = g->pool.len;
	keep(g, ir_block_arg_add(g->k->m, body, i32, outer->loc));
	for (uint32_t i = 0; i < n; i++)
		keep(g, ir_block_arg_add(g->k->m, body, types[i], outer->loc));
	g->b = &b;
	some_ops(g, 1 + below(g, 6));
	yield(g, types, n);
	g->pool.len = mark;
	g->b = outer;
	for (uint32_t i = 0; i < n; i++)
		keep(g, &op->results[i]);
}

/* Ends by a counter of its own; the other values are handed round in any way. */
static void while_loop(Gen *g)
{
	IrType i32 = kit_type(g->k, TY_I32), types[3] = {i32, some_type(g), some_type(g)};
	IrValue *inits[3] = {irb_int(g->b, i32, 0), pick(g, types[1]), pick(g, types[2])};
	IrOp *op = irb_op(g->b, OP_WHILE, inits, 3, types, 3, 2);
	IrBuilder *outer = g->b;
	uint32_t mark = g->pool.len;
	for (uint32_t r = 0; r < 2; r++) {
		IrBlock *block = ir_block_new(g->k->m, &op->regions[r]);
		IrBuilder b = ir_at_end(g->k->m, block, outer->loc);
		g->b = &b;
		for (uint32_t i = 0; i < 3; i++)
			keep(g, ir_block_arg_add(g->k->m, block, types[i], outer->loc));
		some_ops(g, below(g, 4));
		IrValue *values[4] = {NULL, block->args[0], pick(g, types[1]), pick(g, types[2])};
		if (r == 0) {
			values[0] = irb_cmpi(&b, CMPI_SLT, block->args[0], irb_int(&b, i32, below(g, 4)));
			irb_op(&b, OP_CONDITION, values, 4, NULL, 0, 0);
		} else {
			values[1] = irb_2(&b, OP_ADDI, NULL, block->args[0], irb_int(&b, i32, 1));
			irb_op(&b, OP_YIELD, values + 1, 3, NULL, 0, 0);
		}
		g->pool.len = mark;
	}
	g->b = outer;
	for (uint32_t i = 1; i < 3; i++)
		keep(g, &op->results[i]);
}

static void reduction(Gen *g)
{
	IrType i32 = kit_type(g->k, TY_I32);
	IrValue *tile = pick(g, kit_tile(g->k, TY_I32, 4));
	IrOp *op = irb_op(g->b, OP_REDUCE, &tile, 1, &i32, 1, 1);
	ir_set(g->k->m, op, ATTR_AXIS, ir_attr_i32(&g->k->cx, 0));
	IrBlock *block = ir_block_new(g->k->m, &op->regions[0]);
	IrBuilder b = ir_at_end(g->k->m, block, g->b->loc);
	IrValue *x = ir_block_arg_add(g->k->m, block, i32, b.loc), *y = ir_block_arg_add(g->k->m, block, i32, b.loc);
	IrValue *sum = irb_2(&b, below(g, 2) ? OP_ADDI : OP_MAXSI, NULL, x, y);
	if (below(g, 2))
		sum = irb_2(&b, OP_XORI, NULL, irb_int(&b, i32, below(g, 3)), sum);
	irb_op(&b, OP_REDUCE_RETURN, &sum, 1, NULL, 0, 0);
	keep(g, &op->results[0]);
}

static void some_ops(Gen *g, unsigned n)
{
	g->depth++;
	for (unsigned i = 0; i < n && g->left; i++) {
		g->left--;
		switch (below(g, 16)) {
		case 0:
		case 1:
			if (g->depth < 4)
				branch(g);
			break;
		case 2:
			if (g->depth < 4)
				loop(g);
			break;
		case 14:
			if (g->depth < 3)
				while_loop(g);
			break;
		case 15:
			reduction(g);
			break;
		case 3:
		case 4:
			comparison(g);
			break;
		case 5:
			conversion(g);
			break;
		case 6:
			movement(g);
			break;
		case 7:
			memory(g);
			break;
		case 8: {
			IrValue *v = pick(g, some_type(g));
			kit_print(g->k, g->b, v);
			break;
		}
		default:
			arithmetic(g);
		}
	}
	g->depth--;
}

static void generate(Kit *k, uint64_t seed)
{
	kit_init(k);
	IrType args[] = {ir_ptr(&k->cx, kit_type(k, TY_F32), 1), kit_type(k, TY_I32),	kit_type(k, TY_I32),
			 kit_tile(k, TY_I32, 4),		 kit_type(k, TY_F32), kit_tile(k, TY_F32, 4)};
	kit_func(k, "f", false, args, ARRAY_LEN(args), NULL, 0);
	Gen g = {.k = k, .b = &k->b, .random = seed * 0x9e3779b97f4a7c15u + 1, .left = 60};
	for (uint32_t i = 1; i < ARRAY_LEN(args); i++)
		keep(&g, kit_arg(k, i));
	for (int i = 0; i < 5; i++)
		next(&g);
	some_ops(&g, 60);
	for (int i = 0; i < 6; i++) {
		IrValue *v = pick(&g, some_type(&g));
		kit_print(k, g.b, v);
	}
	kit_return(k);
}

static const uint64_t inputs[][6] = {
	{1000, 5, 0xfffffffd, 0, 0x3fc00000, 0x3f800000},
	{1000, 0, 0, 0x7ffffffe, 0x80000000, 0x7fc00000},
	{1000, 0x80000000, 1, 0xffffffff, 0x7f800000, 0x80000000},
};

static void through(const char *name, PassFn *const *passes, uint32_t pass_count, uint64_t seeds)
{
	unsigned compared = 0;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		Kit k;
		generate(&k, seed);
		kit_verify(&k);
		Mini before[ARRAY_LEN(inputs)];
		for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
			before[i] = mini_run(&k, &k.arena, inputs[i]);
		for (uint32_t p = 0; p < pass_count; p++)
			kit_run(&k, passes[p]);
		kit_verify(&k);
		for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
			if (before[i].undefined || before[i].steps >= 100000)
				continue;
			Mini after = mini_run(&k, &k.arena, inputs[i]);
			char what[64];
			snprintf(what, sizeof what, "%s, seed %u, input %zu", name, (unsigned)seed, i);
			mini_same(&before[i], &after, what);
			compared++;
		}
		kit_free(&k);
	}
	assert_true(compared > seeds);
}

#define SEEDS 400
#define ONE(name, pass)                                       \
	static void name(void **state)                        \
	{                                                     \
		(void)state;                                  \
		PassFn *const list[] = {pass};                \
		through(#pass, list, ARRAY_LEN(list), SEEDS); \
	}

ONE(fold, pass_fold)
ONE(canonicalize, pass_canonicalize)
ONE(combine, pass_combine)
ONE(reorder, pass_reorder_broadcast)
ONE(cse, pass_cse)
ONE(dce, pass_dce)
ONE(licm, pass_licm)
ONE(unroll, pass_loop_unroll)

static void all_passes(void **state)
{
	PassFn *const list[] = {pass_canonicalize, pass_combine,     pass_reorder_broadcast, pass_cse, pass_licm,
				pass_loop_unroll,  pass_canonicalize, pass_cse,		      pass_dce};
	through("all", list, ARRAY_LEN(list), SEEDS);
}

/* A second run finds nothing to do. */
static void canonicalize_reaches_its_end(void **state)
{
	unsigned again = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		Kit k;
		generate(&k, seed);
		kit_run(&k, pass_canonicalize);
		again += kit_run(&k, pass_canonicalize);
		kit_free(&k);
	}
	assert_int_equal(again, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fold),
		cmocka_unit_test(canonicalize),
		cmocka_unit_test(combine),
		cmocka_unit_test(reorder),
		cmocka_unit_test(cse),
		cmocka_unit_test(dce),
		cmocka_unit_test(licm),
		cmocka_unit_test(unroll),
		cmocka_unit_test(all_passes),
		cmocka_unit_test(canonicalize_reaches_its_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
