/* Random programs keep their meaning through the passes that choose layouts. A program is run by the
 * interpreter; then the passes run on it, with verification and a round trip through text after each, its
 * layouts are erased again (a conversion, or a trip through memory, is the tile itself), and what is left must
 * store the same. All numbers are integers, so that no order of sums matters: tiles loaded along rows and
 * columns, arithmetic, transposed, reshaped, reduced, scanned, gathered and broadcast, products, loops that
 * carry tiles, sums and addresses, branches. */
#include "gpu_kit.h"
#include "interp_kit.h"

enum { INPUT = 4096, OUTPUTS = 6, TILE = 1024, MOST_DEPTH = 2 };

typedef struct Gen {
	Arena *arena;
	IrCx *cx;
	IrModule *m;
	IrBuilder *b;
	IrValue *in[2], *out, *n;
	uint64_t random;
	unsigned depth;
	VEC(IrValue *) pool;
} Gen;

static uint32_t below(Gen *g, uint32_t n)
{
	return (uint32_t)(kit_random(&g->random) >> 32) % n;
}

static IrType tile_of(Gen *g, IrTypeKind elem, const int64_t *shape, uint32_t rank)
{
	return ir_tensor(g->cx, ir_scalar(g->cx, elem), shape, rank, NULL);
}

static IrType like(Gen *g, IrValue *v, IrTypeKind elem)
{
	return ir_with_elem(g->cx, v->type, ir_scalar(g->cx, elem));
}

static IrValue *keep(Gen *g, IrValue *v)
{
	vec_push(g->arena, &g->pool, v);
	return v;
}

static IrValue *with_i32(Gen *g, IrValue *v, IrAttrName name, int64_t value)
{
	ir_set(g->m, v->def, name, ir_attr_i32(g->cx, value));
	return v;
}

/* ---- memory ---- */

static IrValue *range(Gen *g, int64_t n)
{
	IrValue *v = irb_0(g->b, OP_MAKE_RANGE, tile_of(g, TY_I32, &n, 1));
	with_i32(g, v, ATTR_START, 0);
	return with_i32(g, v, ATTR_END, n);
}

static IrValue *expanded(Gen *g, IrValue *v, unsigned axis)
{
	int64_t shape[2] = {axis ? v->type->shape[0] : 1, axis ? 1 : v->type->shape[0]};
	IrType type = ir_tensor(g->cx, v->type->elem, shape, 2, NULL);
	return with_i32(g, irb_1(g->b, OP_EXPAND_DIMS, type, v), ATTR_AXIS, axis);
}

static IrValue *broadcast(Gen *g, IrValue *v, IrType to)
{
	return irb_1(g->b, OP_BROADCAST, ir_with_elem(g->cx, to, v->type->elem), v);
}

/* Offsets of a tile: `stride` apart along rows, or along columns. */
static IrValue *offsets(Gen *g, IrType type, int64_t stride, bool by_columns)
{
	if (type->rank == 1)
		return range(g, type->shape[0]);
	IrValue *rows = expanded(g, range(g, type->shape[0]), 1), *columns = expanded(g, range(g, type->shape[1]), 0);
	IrValue **slow = by_columns ? &columns : &rows;
	*slow = irb_2(g->b, OP_MULI, NULL, *slow, irb_int(g->b, (*slow)->type, stride));
	return irb_2(g->b, OP_ADDI, NULL, broadcast(g, rows, type), broadcast(g, columns, type));
}

static IrValue *pointers(Gen *g, IrValue *base, IrType type, int64_t stride, bool by_columns)
{
	IrValue *splat = irb_1(g->b, OP_SPLAT, ir_with_elem(g->cx, type, base->type), base);
	return irb_2(g->b, OP_ADDPTR, NULL, splat, offsets(g, type, stride, by_columns));
}

static IrValue *load(Gen *g, IrType type)
{
	int64_t stride = below(g, 2) ? 32 : 64;
	bool by_columns = below(g, 2);
	IrValue *at[3] = {pointers(g, g->in[below(g, 2)], type, stride, by_columns)};
	uint32_t operands = 1;
	if (below(g, 3) == 0) {
		IrValue *limit = irb_1(g->b, OP_SPLAT, type, g->n);
		at[operands++] = irb_cmpi(g->b, CMPI_SLT, offsets(g, type, 1, below(g, 2)), limit);
		at[operands++] = irb_int(g->b, type, 7);
	}
	return irb_op(g->b, OP_LOAD, at, operands, &type, 1, 0)->results;
}

static void store(Gen *g, IrValue *v, unsigned place)
{
	IrValue *base = irb_2(g->b, OP_ADDPTR, NULL, g->out, irb_int(g->b, ir_scalar(g->cx, TY_I32), place * TILE));
	IrValue *operands[2] = {pointers(g, base, v->type, 32, below(g, 2)), v};
	irb_op(g->b, OP_STORE, operands, 2, NULL, 0, 0);
}

/* ---- operations ---- */

static IrType some_type(Gen *g)
{
	static const int64_t shapes[][2] = {{16, 32}, {32, 16}, {32, 32}, {16, 16}};
	if (below(g, 4) == 0)
		return tile_of(g, TY_I32, (int64_t[]){below(g, 2) ? 16 : 32}, 1);
	return tile_of(g, TY_I32, shapes[below(g, 4)], 2);
}

static IrValue *pick(Gen *g, IrType type)
{
	for (int tries = 0; tries < 8 && g->pool.len; tries++) {
		IrValue *v = g->pool.data[below(g, g->pool.len)];
		if (v->type == type)
			return v;
	}
	return keep(g, load(g, type));
}

static IrType plane(Gen *g)
{
	IrType type;
	do
		type = some_type(g);
	while (type->rank != 2);
	return type;
}

static void arithmetic(Gen *g)
{
	static const IrOpKind ops[] = {OP_ADDI, OP_SUBI, OP_MULI, OP_XORI, OP_MAXSI, OP_MINUI};
	IrType type = some_type(g);
	IrValue *x = pick(g, type), *y = pick(g, type);
	if (below(g, 4) == 0)
		keep(g, irb_3(g->b, OP_SELECT, NULL, irb_cmpi(g->b, CMPI_SLT, x, y), x, irb_int(g->b, type, 5)));
	else
		keep(g, irb_2(g->b, ops[below(g, ARRAY_LEN(ops))], NULL, x, y));
}

static void narrow_and_wide(Gen *g)
{
	IrValue *x = pick(g, some_type(g)), *narrow = irb_1(g->b, OP_TRUNCI, like(g, x, TY_I8), x);
	narrow = irb_2(g->b, OP_ADDI, NULL, narrow, narrow);
	keep(g, irb_1(g->b, below(g, 2) ? OP_EXTSI : OP_EXTUI, x->type, narrow));
}

static void transpose(Gen *g)
{
	IrValue *x = pick(g, plane(g));
	int64_t shape[2] = {x->type->shape[1], x->type->shape[0]}, order[2] = {1, 0};
	IrValue *v = irb_1(g->b, OP_TRANS, tile_of(g, TY_I32, shape, 2), x);
	ir_set(g->m, v->def, ATTR_ORDER, ir_attr_ints(g->cx, ir_scalar(g->cx, TY_I32), order, 2));
	keep(g, v);
}

static void reshape(Gen *g)
{
	IrValue *x = pick(g, tile_of(g, TY_I32, (int64_t[]){16, 32}, 2));
	IrValue *line = irb_1(g->b, OP_RESHAPE, tile_of(g, TY_I32, (int64_t[]){512}, 1), x);
	line = irb_2(g->b, OP_XORI, NULL, line, range(g, 512));
	keep(g, irb_1(g->b, OP_RESHAPE, tile_of(g, TY_I32, (int64_t[]){32, 16}, 2), line));
}

static void join_and_split(Gen *g)
{
	IrType type = tile_of(g, TY_I32, (int64_t[]){16, 16}, 2), wide = tile_of(g, TY_I32, (int64_t[]){16, 16, 2}, 3);
	IrValue *pair = irb_2(g->b, OP_JOIN, wide, pick(g, type), pick(g, type));
	keep(g, irb_1(g->b, OP_RESHAPE, tile_of(g, TY_I32, (int64_t[]){16, 32}, 2), pair));
	IrValue *cut = irb_1(g->b, OP_RESHAPE, wide, pick(g, tile_of(g, TY_I32, (int64_t[]){16, 32}, 2)));
	IrOp *split = irb_op(g->b, OP_SPLIT, &cut, 1, (IrType[]){type, type}, 2, 0);
	keep(g, &split->results[0]);
	keep(g, &split->results[1]);
}

static IrOp *combine(Gen *g, IrOpKind kind, IrValue *x, unsigned axis, IrType result, IrOpKind body)
{
	IrOp *op = irb_op(g->b, kind, &x, 1, &result, 1, 1);
	IrType i32 = ir_scalar(g->cx, TY_I32);
	IrBlock *block = ir_block_new(g->m, &op->regions[0]);
	IrValue *a = ir_block_arg_add(g->m, block, i32, op->loc), *c = ir_block_arg_add(g->m, block, i32, op->loc);
	IrBuilder inner = ir_at_end(g->m, block, op->loc);
	IrValue *v = irb_2(&inner, body, NULL, a, c);
	irb_op(&inner, kind == OP_SCAN ? OP_SCAN_RETURN : OP_REDUCE_RETURN, &v, 1, NULL, 0, 0);
	ir_set(g->m, op, ATTR_AXIS, ir_attr_i32(g->cx, axis));
	if (kind == OP_SCAN)
		ir_set(g->m, op, ATTR_REVERSE, ir_attr_bool(g->cx, below(g, 2)));
	return op;
}

static IrValue *reduced(Gen *g, IrValue *x, unsigned axis, IrOpKind body)
{
	return combine(g, OP_REDUCE, x, axis, tile_of(g, TY_I32, &x->type->shape[1 - axis], 1), body)->results;
}

static void reduce(Gen *g)
{
	IrValue *x = pick(g, plane(g));
	unsigned axis = below(g, 2);
	IrValue *line = keep(g, reduced(g, x, axis, below(g, 2) ? OP_ADDI : OP_MAXSI));
	if (below(g, 2))
		keep(g, irb_2(g->b, OP_SUBI, NULL, x, broadcast(g, expanded(g, line, axis), x->type)));
}

static void scan(Gen *g)
{
	IrValue *x = pick(g, some_type(g));
	keep(g, combine(g, OP_SCAN, x, below(g, x->type->rank), x->type, OP_ADDI)->results);
}

static void spread(Gen *g)
{
	IrType type = plane(g);
	unsigned axis = below(g, 2);
	IrValue *line = pick(g, tile_of(g, TY_I32, &type->shape[1 - axis], 1));
	keep(g, broadcast(g, expanded(g, line, axis), type));
}

static void gather(Gen *g)
{
	IrType type = plane(g);
	unsigned axis = below(g, 2);
	IrValue *x = pick(g, type), *i = irb_2(g->b, OP_ANDI, NULL, pick(g, type), irb_int(g->b, type, 15));
	keep(g, with_i32(g, irb_2(g->b, OP_GATHER, type, x, i), ATTR_AXIS, axis));
}

static void product(Gen *g)
{
	IrValue *a = pick(g, tile_of(g, TY_I32, (int64_t[]){16, 32}, 2)), *b = pick(g, tile_of(g, TY_I32, (int64_t[]){32, 16}, 2));
	IrValue *c = pick(g, tile_of(g, TY_I32, (int64_t[]){16, 16}, 2));
	if (below(g, 3)) {
		a = irb_1(g->b, OP_TRUNCI, like(g, a, TY_I8), a);
		b = irb_1(g->b, OP_TRUNCI, like(g, b, TY_I8), b);
	}
	keep(g, irb_3(g->b, OP_DOT, c->type, a, b, c));
}

static void step(Gen *g);

/* A loop that carries a tile, a sum over an axis, and the addresses of what it loads. */
static void loop(Gen *g)
{
	IrType i32 = ir_scalar(g->cx, TY_I32), type = plane(g);
	unsigned axis = below(g, 2);
	IrValue *tile = pick(g, type), *sum = pick(g, tile_of(g, TY_I32, &type->shape[1 - axis], 1));
	IrValue *from = pointers(g, g->in[0], type, 32, below(g, 2));
	IrValue *operands[6] = {irb_int(g->b, i32, 0), irb_int(g->b, i32, below(g, 4)), irb_int(g->b, i32, 1), tile, sum, from};
	IrType types[3] = {type, sum->type, from->type};
	IrOp *op = irb_op(g->b, OP_FOR, operands, 6, types, 3, 1);
	IrBlock *body = ir_block_new(g->m, &op->regions[0]);
	IrBuilder inner = ir_at_end(g->m, body, op->loc), *outer = g->b;
	IrValue *counter = ir_block_arg_add(g->m, body, i32, op->loc), *args[3];
	uint32_t mark = g->pool.len;
	for (unsigned i = 0; i < 3; i++)
		args[i] = ir_block_arg_add(g->m, body, types[i], op->loc);
	g->b = &inner;
	g->depth++;
	keep(g, args[0]);
	IrValue *x = keep(g, irb_op(g->b, OP_LOAD, &args[2], 1, &type, 1, 0)->results);
	for (unsigned i = below(g, 4); i-- > 0;)
		step(g);
	x = irb_2(g->b, OP_ADDI, NULL, pick(g, type), irb_1(g->b, OP_SPLAT, type, counter));
	IrValue *part = reduced(g, x, axis, OP_ADDI), *next[3] = {pick(g, type)};
	next[1] = irb_2(g->b, OP_ADDI, NULL, below(g, 2) ? args[1] : part, part);
	if (next[1]->def->operands[0].value == part)
		next[1] = irb_2(g->b, OP_XORI, NULL, args[1], part);
	next[2] = irb_2(g->b, OP_ADDPTR, NULL, args[2], irb_int(g->b, type, 32));
	irb_op(g->b, OP_YIELD, next, 3, NULL, 0, 0);
	g->depth--;
	g->b = outer;
	g->pool.len = mark;
	keep(g, &op->results[0]);
	keep(g, &op->results[1]);
}

static void branch(Gen *g)
{
	IrType i32 = ir_scalar(g->cx, TY_I32), type = some_type(g);
	IrValue *first = pick(g, type), *taken = irb_cmpi(g->b, CMPI_SLT, g->n, irb_int(g->b, i32, below(g, 40)));
	IrOp *op = irb_op(g->b, OP_IF, &taken, 1, &type, 1, 2);
	IrBuilder *outer = g->b;
	uint32_t mark = g->pool.len;
	g->depth++;
	for (unsigned r = 0; r < 2; r++) {
		IrBuilder inner = ir_at_end(g->m, ir_block_new(g->m, &op->regions[r]), op->loc);
		g->b = &inner;
		for (unsigned i = below(g, 3); i-- > 0;)
			step(g);
		IrValue *v = r ? first : pick(g, type);
		irb_op(g->b, OP_YIELD, &v, 1, NULL, 0, 0);
		g->pool.len = mark;
	}
	g->depth--;
	g->b = outer;
	keep(g, op->results);
}

static void step(Gen *g)
{
	static void (*const steps[])(Gen *) = {arithmetic, arithmetic, arithmetic, narrow_and_wide, transpose, reshape,
					       join_and_split, reduce, reduce, scan, spread, gather, product, loop, branch};
	uint32_t n = ARRAY_LEN(steps) - (g->depth < MOST_DEPTH ? 0 : 2);
	steps[below(g, n)](g);
}

/* ---- a program, as text ---- */

static IrValue *parameter(IrModule *m, IrBlock *body, IrType type)
{
	return ir_block_arg_add(m, body, type, m->cx->unknown);
}

static const char *text_of(Arena *arena, const IrModule *m)
{
	Text text;
	text_init(&text, arena);
	ir_print(&text, m, (IrPrintOptions){.no_locations = true});
	return text.data;
}

static const char *random_program(Arena *arena, uint64_t seed)
{
	IrCx *cx = ARENA_NEW(arena, IrCx);
	ir_cx_init(cx, arena);
	IrModule *m = ir_module_new(cx);
	IrLoc loc = ir_loc_file(cx, "k.py", 1, 0);
	IrBuilder top = ir_at_end(m, ir_module_block(m), loc);
	IrType i32 = ir_scalar(cx, TY_I32), ptr = ir_ptr(cx, i32, 1), types[] = {ptr, ptr, ptr, i32};
	IrOp *func = irb_op(&top, OP_FUNC, NULL, 0, NULL, 0, 1);
	Sym divisible = cx->names[ATTR_DIVISIBILITY];
	IrAttr sixteen = ir_attr_i32(cx, 16), dict = ir_attr_dict(cx, &divisible, &sixteen, 1);
	ir_set(m, func, ATTR_SYM_NAME, ir_attr_string(cx, STR("kernel")));
	ir_set(m, func, ATTR_SYM_VISIBILITY, ir_attr_string(cx, STR("public")));
	ir_set(m, func, ATTR_FUNCTION_TYPE, ir_attr_type(cx, ir_func_type(cx, types, 4, NULL, 0)));
	ir_set(m, func, ATTR_ARG_ATTRS,
	       ir_attr_array(cx, (IrAttr[]){dict, dict, dict, ir_attr_dict(cx, NULL, NULL, 0)}, 4));
	IrBlock *body = ir_block_new(m, &func->regions[0]);
	IrBuilder b = ir_at_end(m, body, loc);
	Gen g = {.arena = arena, .cx = cx, .m = m, .b = &b, .random = seed * 2654435761u + 1};
	for (unsigned i = 0; i < 2; i++)
		g.in[i] = parameter(m, body, ptr);
	g.out = parameter(m, body, ptr);
	g.n = parameter(m, body, i32);
	for (unsigned i = 4 + below(&g, 14); i-- > 0;)
		step(&g);
	for (unsigned i = 0; i < OUTPUTS; i++)
		store(&g, g.pool.data[below(&g, g.pool.len)], i);
	irb_op(&b, OP_RETURN, NULL, 0, NULL, 0, 0);
	return text_of(arena, m);
}

/* ---- layouts erased ---- */

static void erase_value(GpuKit *k, IrValue *v)
{
	if (ir_is_tensor(v->type))
		v->type = ir_with_encoding(&k->ir, v->type, NULL);
}

static bool erase(void *data, IrOp *op)
{
	GpuKit *k = data;
	for (uint32_t i = 0; i < op->result_count; i++)
		erase_value(k, &op->results[i]);
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			for (uint32_t i = 0; i < b->arg_count; i++)
				erase_value(k, b->args[i]);
	if (op->kind == OP_CONSTANT && ir_is_tensor(op->results[0].type)) {
		IrAttr value = ir_get(op, &k->ir, ATTR_VALUE);
		assert_true(value->splat);
		ir_set((IrModule *)k->cx.cache, op, ATTR_VALUE, ir_attr_splat(&k->ir, op->results[0].type, value->words[0]));
	} else if (op->kind == OP_CONVERT_LAYOUT) {
		ir_replace_uses(&op->results[0], ir_operand(op, 0));
		ir_op_erase(op);
	} else if (op->kind == OP_LOCAL_LOAD) {
		/* What was stored as a whole. */
		IrOp *alloc = ir_operand(op, 0)->def;
		ir_replace_uses(&op->results[0], ir_operand(alloc, 0));
		ir_op_erase(op);
		ir_op_erase(alloc);
	}
	return true;
}

static const char *through_passes(GpuKit *k, const char *text)
{
	static const char *const names[] = {"decompose-dots", "convert-ttir-to-ttgir",     "coalesce",
					    "accelerate-matmul", "remove-layout-conversions", "optimize-thread-locality",
					    "cse", "remove-layout-conversions", "dce", "reorder-instructions",
					    "batch-conversions"};
	IrModule *m = gpu_kit_read(k, text);
	PassOptions options = {.verify = true, .stress = true, .host = &k->cx, .find = gpu_pass_by_name, .check = gpu_check,
			       .open_analyses = gpu_analyses_open};
	if (!pass_run_list(m, names, ARRAY_LEN(names), &options, &k->diags)) {
		Text out;
		text_init(&out, &k->arena);
		diag_render_all(&out, &k->diags);
		fail_msg("%s\n%s", out.data, text);
	}
	k->cx.cache = m; /* the context is not needed any more */
	ir_walk(m->op, false, erase, k);
	return text_of(&k->arena, m);
}

/* ---- running ---- */

static void run(const char *text, int32_t *out)
{
	static int32_t in[2][INPUT];
	uint64_t random = 99;
	for (unsigned i = 0; i < 2 * INPUT; i++)
		in[i / INPUT][i % INPUT] = (int32_t)(kit_random(&random) >> 40) % 1000 - 400;
	memset(out, 0, sizeof *out * OUTPUTS * TILE);
	Kit *k = kit_new(text);
	kit_buffer(k, "a", in[0], sizeof in[0], false);
	kit_buffer(k, "b", in[1], sizeof in[1], false);
	kit_buffer(k, "out", out, sizeof *out * OUTPUTS * TILE, true);
	kit_scalar(k, 20);
	kit_run(k, 1);
	kit_free(k);
}

static void programs_keep_their_meaning(void **state)
{
	static const char *const targets[] = {"sm_80", "sm_90a"};
	static int32_t before[OUTPUTS * TILE], after[OUTPUTS * TILE];
	for (unsigned seed = 1; seed <= 150; seed++) {
		GpuKit k;
		gpu_kit_init(&k, 1, 1);
		unsigned ctas = seed % 10 == 3 ? 2 : 1; /* on sm_90a */
		gpu_cx_init(&k.cx, &k.ir, target_find(targets[seed % 2]), 1u << seed % 4, ctas, 1 + seed % 3);
		const char *text = random_program(&k.arena, seed);
		run(text, before);
		run(through_passes(&k, text), after);
		for (unsigned i = 0; i < OUTPUTS * TILE; i++)
			if (before[i] != after[i])
				fail_msg("seed %u, element %u: %d, was %d\n%s", seed, i, after[i], before[i], text);
		gpu_kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_keep_their_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
