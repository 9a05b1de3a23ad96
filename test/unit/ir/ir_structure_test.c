/* structure: random acyclic graphs of blocks compute and print the same before and after, in the same order; what it
 * makes of an early return; what it refuses. */
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "ir_pass_kit.h"

PassFn pass_structure;

/* ---- a small machine ---- */

typedef struct Machine {
	int32_t *values; /* by value id */
	int32_t trace[4096], result;
	uint32_t trace_len;
	bool returned;
} Machine;

static int32_t get(const Machine *m, const IrOp *op, uint32_t i)
{
	return m->values[ir_operand(op, i)->id];
}

static const IrOp *run_block(Machine *m, const IrBlock *block);

static void run_op(Machine *m, const IrOp *op)
{
	switch (op->kind) {
	case OP_CONSTANT: {
		int64_t value;
		assert_true(ir_constant_int(&op->results[0], &value));
		m->values[op->results[0].id] = (int32_t)value;
		break;
	}
	case OP_POISON:
		m->values[op->results[0].id] = 12345;
		break;
	case OP_ADDI:
		m->values[op->results[0].id] = (int32_t)((uint32_t)get(m, op, 0) + (uint32_t)get(m, op, 1));
		break;
	case OP_MULI:
		m->values[op->results[0].id] = (int32_t)((uint32_t)get(m, op, 0) * (uint32_t)get(m, op, 1));
		break;
	case OP_CMPI:
		m->values[op->results[0].id] = get(m, op, 0) < get(m, op, 1);
		break;
	case OP_PRINT:
		assert_true(m->trace_len < ARRAY_LEN(m->trace));
		m->trace[m->trace_len++] = get(m, op, 0);
		break;
	case OP_IF: {
		const IrOp *end = run_block(m, op->regions[get(m, op, 0) ? 0 : 1].first);
		for (uint32_t i = 0; i < op->result_count; i++)
			m->values[op->results[i].id] = get(m, end, i);
		break;
	}
	default:
		fail_msg("%s in the machine", ir_op_info[op->kind].text);
	}
}

/* Returns the terminator. */
static const IrOp *run_block(Machine *m, const IrBlock *block)
{
	const IrOp *op = block->first;
	for (; op != block->last; op = op->next)
		run_op(m, op);
	return op;
}

static void run(Machine *m, Kit *k, int32_t a, int32_t b)
{
	const IrBlock *block = ir_func_body(k->func);
	*m = (Machine){.values = ARENA_ARRAY(&k->arena, int32_t, k->m->next_value)};
	m->values[block->args[0]->id] = a;
	m->values[block->args[1]->id] = b;
	for (;;) {
		const IrOp *end = run_block(m, block);
		if (end->kind == OP_RETURN) {
			m->result = get(m, end, 0);
			return;
		}
		uint32_t s = end->kind == OP_COND_BR && !get(m, end, 0);
		uint32_t first = end->kind == OP_COND_BR ? (s ? 1 + end->succ_split : 1) : 0;
		int32_t args[8];
		block = end->succ[s];
		for (uint32_t i = 0; i < block->arg_count; i++)
			args[i] = get(m, end, first + i);
		for (uint32_t i = 0; i < block->arg_count; i++)
			m->values[block->args[i]->id] = args[i];
	}
}

/* ---- random graphs ---- */

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

enum { MOST_BLOCKS = 12, MOST_VALUES = 64 };

typedef struct Graph {
	IrBlock *blocks[MOST_BLOCKS];
	IrValue *visible[MOST_BLOCKS][MOST_VALUES]; /* values that the block may use */
	uint32_t visible_len[MOST_BLOCKS], preds[MOST_BLOCKS], n;
} Graph;

static IrValue *pick(Graph *g, uint32_t b, uint64_t *state)
{
	return g->visible[b][random_below(state, g->visible_len[b])];
}

static void see(Graph *g, uint32_t b, IrValue *value)
{
	if (g->visible_len[b] < MOST_VALUES)
		g->visible[b][g->visible_len[b]++] = value;
}

/* What the only predecessor sees, its successor sees too. */
static void pass_on(Graph *g, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; g->preds[to] == 1 && i < g->visible_len[from]; i++)
		see(g, to, g->visible[from][i]);
}

static void fill_block(Kit *k, Graph *g, uint32_t i, const uint32_t *targets, uint32_t target_count, uint64_t *state)
{
	IrBuilder b = ir_at_end(k->m, g->blocks[i], k->b.loc);
	IrType i32 = kit_type(k, TY_I32);
	for (uint32_t n = random_below(state, 4); n > 0; n--) {
		IrOpKind kind = random_below(state, 2) ? OP_ADDI : OP_MULI;
		see(g, i, irb_2(&b, kind, i32, pick(g, i, state), pick(g, i, state)));
	}
	see(g, i, irb_int(&b, i32, (int64_t)i + 3));
	kit_print(k, &b, pick(g, i, state));
	IrValue *operands[16];
	uint32_t n = 0, split = 0;
	if (target_count == 0) {
		operands[0] = pick(g, i, state);
		irb_op(&b, OP_RETURN, operands, 1, NULL, 0, 0);
		return;
	}
	if (target_count == 2)
		operands[n++] = irb_cmpi(&b, CMPI_SLT, pick(g, i, state), pick(g, i, state));
	for (uint32_t t = 0; t < target_count; t++) {
		for (uint32_t a = 0; a < g->blocks[targets[t]]->arg_count; a++)
			operands[n++] = pick(g, i, state);
		split = t == 0 ? n - (target_count == 2) : split;
	}
	IrOp *end = irb_op(&b, target_count == 2 ? OP_COND_BR : OP_BR, operands, n, NULL, 0, 0);
	end->succ_count = target_count;
	end->succ_split = target_count == 2 ? split : 0;
	for (uint32_t t = 0; t < target_count; t++) {
		end->succ[t] = g->blocks[targets[t]];
		pass_on(g, i, targets[t]);
	}
}

static void random_function(Kit *k, uint64_t seed)
{
	uint64_t state = seed * 77777 + 1;
	Graph g = {.n = 2 + random_below(&state, MOST_BLOCKS - 1)};
	uint32_t targets[MOST_BLOCKS][2], counts[MOST_BLOCKS];
	IrType i32 = kit_type(k, TY_I32), args[] = {i32, i32};
	kit_func(k, "f", false, args, 2, &i32, 1);
	g.blocks[0] = ir_func_body(k->func);
	for (uint32_t i = 1; i < g.n; i++) {
		g.blocks[i] = ir_block_new(k->m, &k->func->regions[0]);
		for (uint32_t a = random_below(&state, 3); a > 0; a--)
			see(&g, i, ir_block_arg_add(k->m, g.blocks[i], i32, k->b.loc));
	}
	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t after = g.n - 1 - i, reach = MIN(after, 4u);
		counts[i] = after == 0 || (i && random_below(&state, 6) == 0) ? 0 : 1 + (random_below(&state, 3) > 0);
		for (uint32_t t = 0; t < counts[i]; t++) {
			targets[i][t] = i + 1 + random_below(&state, reach);
			g.preds[targets[i][t]]++;
		}
	}
	for (uint32_t i = 0; i < g.n; i++)
		for (uint32_t a = 0; a < 2; a++)
			see(&g, i, g.blocks[0]->args[a]);
	for (uint32_t i = 0; i < g.n; i++)
		fill_block(k, &g, i, targets[i], counts[i], &state);
}

static void the_same_is_computed_in_the_same_order(void **state)
{
	enum { GRAPHS = 600, INPUTS = 6 };
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		static Machine before[INPUTS], after;
		Kit k;
		kit_init(&k);
		random_function(&k, seed);
		kit_verify(&k);
		for (int i = 0; i < INPUTS; i++)
			run(&before[i], &k, i * 7 - 15, 9 - i * i);
		kit_run(&k, pass_structure);
		kit_verify(&k);
		assert_null(ir_func_body(k.func)->next);
		assert_int_equal(kit_count(&k, OP_BR) + kit_count(&k, OP_COND_BR), 0);
		for (int i = 0; i < INPUTS; i++) {
			run(&after, &k, i * 7 - 15, 9 - i * i);
			assert_int_equal(after.result, before[i].result);
			assert_int_equal(after.trace_len, before[i].trace_len);
			assert_memory_equal(after.trace, before[i].trace, after.trace_len * sizeof after.trace[0]);
		}
		kit_free(&k);
	}
}

/* ---- by text ---- */

static IrModule *read_text(Kit *k, const char *text)
{
	IrModule *m = ir_read(&k->cx, source_add(&k->sources, "t.mlir", text, strlen(text), 1), &k->diags);
	assert_non_null(m);
	return m;
}

static bool structured(Kit *k, const char *text)
{
	bool changed = false;
	k->m = read_text(k, text);
	return pass_structure(&(PassCx){.module = k->m, .diags = &k->diags, .scratch = &k->scratch}, &changed);
}

static void an_early_return_nests_the_rest(void **state)
{
	Kit k;
	Text out;
	kit_init(&k);
	assert_true(structured(&k, "tt.func @f(%c: i1, %x: i32) -> i32 {\n"
				   "  cf.cond_br %c, ^bb1, ^bb2\n"
				   "^bb1:\n  tt.return %x : i32\n"
				   "^bb2:\n  %y = arith.addi %x, %x : i32\n  tt.return %y : i32\n}\n"));
	text_init(&out, &k.arena);
	ir_print(&out, k.m, (IrPrintOptions){.no_locations = true});
	assert_string_equal(out.data, "module {\n"
				      "  tt.func @f(%c: i1, %x: i32) -> i32 {\n"
				      "    %0 = scf.if %c -> (i32) {\n"
				      "      scf.yield %x : i32\n"
				      "    } else {\n"
				      "      %y = arith.addi %x, %x : i32\n"
				      "      scf.yield %y : i32\n"
				      "    }\n"
				      "    tt.return %0 : i32\n"
				      "  }\n"
				      "}\n");
	kit_free(&k);
}

static void refuses(const char *text, DiagCode code, uint32_t line, uint32_t col)
{
	Kit k;
	kit_init(&k);
	assert_false(structured(&k, text));
	assert_int_equal(k.diags.errors, 1);
	assert_int_equal(k.diags.first->code, code);
	assert_int_equal(k.diags.first->from.line, line);
	assert_int_equal(k.diags.first->from.col, col);
	kit_free(&k);
}

static void cycles_are_refused(void **state)
{
	refuses("tt.func @f(%c: i1) {\n  cf.br ^a\n^a:\n  cf.cond_br %c, ^a, ^b\n^b:\n  tt.return\n}\n",
		DIAG_STRUCTURE_CYCLE, 4, 3);
}

static void what_nests_too_deeply_is_refused(void **state)
{
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	text_str(&text, "tt.func @f(%c: i1) {\n  cf.cond_br %c, ^r0, ^b0\n");
	for (int i = 0; i < 400; i++)
		text_printf(&text, "^r%d:\n  tt.return\n^b%d:\n  cf.cond_br %%c, ^r%d, ^b%d\n", i, i, i + 1, i + 1);
	text_str(&text, "^r400:\n  tt.return\n^b400:\n  tt.return\n}\n");
	/* The return that would be the first beyond the limit. */
	refuses(text.data, DIAG_STRUCTURE_SIZE, 4 + 4 * 150, 3);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_computed_in_the_same_order),
		cmocka_unit_test(an_early_return_nests_the_rest),
		cmocka_unit_test(cycles_are_refused),
		cmocka_unit_test(what_nests_too_deeply_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
