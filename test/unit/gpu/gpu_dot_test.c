/* Dots as lists of instructions: each plan is run lane by lane with the fragments of the PTX ISA, written here
 * from its figures (groupID = lane / 4, threadID_in_group = lane % 4), and compared with the product. Operands
 * in shared memory are stored and loaded by the accesses of the plan. The layouts are those that
 * accelerate-matmul chooses. */
#include "gpu/plan/dot.h"
#include "gpu_kit.h"
#include "layout/f2.h"

typedef struct Problem {
	const char *a, *b, *c, *target, *precision;
	int64_t batch, m, n, k;
	unsigned warps;
	GpuDotKind kind;
	unsigned vector; /* operands come with so many elements in a row, 0: one */
	bool columns;    /* and those along the first dim of a matrix */
} Problem;

static const char *tile_text(GpuKit *kit, const Problem *p, int64_t rows, int64_t columns, const char *elem)
{
	const char *batch = p->batch ? arena_printf(&kit->arena, "%lldx", (long long)p->batch) : "";
	return arena_printf(&kit->arena, "tensor<%s%lldx%lldx%s>", batch, (long long)rows, (long long)columns, elem);
}

static bool find_dot(void *data, IrOp *op)
{
	IrOp **found = data;
	if (op->kind == OP_DOT)
		*found = op;
	return true;
}

static const Layout *given_layout(GpuKit *kit, const Problem *p, IrType type)
{
	unsigned rank = type->rank, order[] = {rank - 1, rank - 2, 0};
	if (p->columns) {
		order[0] = rank - 2;
		order[1] = rank - 1;
	}
	return gpu_blocked_layout(&kit->cx, type->shape, rank, order, MAX(p->vector, 1u), p->warps);
}

/* The dot of a problem, laid out. */
static IrOp *make_dot(GpuKit *kit, const Problem *p)
{
	const char *a = tile_text(kit, p, p->m, p->k, p->a), *b = tile_text(kit, p, p->k, p->n, p->b);
	const char *c = tile_text(kit, p, p->m, p->n, p->c);
	IrOp *dot = NULL;
	gpu_cx_init(&kit->cx, &kit->ir, target_find(p->target), p->warps, 1, 3);
	IrModule *m = gpu_kit_read(
		kit, arena_printf(&kit->arena,
				  "tt.func private @f(%%a: %s, %%b: %s, %%c: %s) -> %s {\n%%d = tt.dot %%a, %%b, %%c%s : "
				  "%s * %s -> %s\ntt.return %%d : %s\n}\n",
				  a, b, c, c, p->precision, a, b, c, c));
	ir_walk(m->op, false, find_dot, &dot);
	IrBlock *body = ir_func_body(ir_module_block(m)->first);
	for (uint32_t i = 0; i < 3; i++) {
		IrValue *v = body->args[i];
		v->type = gpu_with_layout(&kit->cx, v->type, given_layout(kit, p, v->type));
	}
	dot->results[0].type = body->args[2]->type;
	Arena scratch;
	arena_init(&scratch, 0);
	PassCx cx = {.module = m, .diags = &kit->diags, .scratch = &scratch, .host = &kit->cx};
	bool changed = false;
	assert_true(pass_accelerate_matmul(&cx, &changed));
	arena_free(&scratch);
	return dot;
}

/* ---- machine ---- */

typedef struct Machine {
	const Problem *p;
	const Layout *l[3];
	int64_t *tile[3]; /* row-major; c as sums */
	int64_t *memory[2], *held[2]; /* of operands in shared memory; of a thread: its fragments */
	unsigned registers[3];
} Machine;

static int64_t index_of(const Layout *l, unsigned warp, unsigned lane, uint32_t reg)
{
	int64_t at[3] = {0}, index = 0;
	uint64_t in = layout_space_put(&l->in, LAYOUT_REGISTER, reg) | layout_space_put(&l->in, LAYOUT_LANE, lane) |
		      layout_space_put(&l->in, LAYOUT_WARP, warp);
	layout_coordinates(l, 0, in, at);
	for (unsigned k = 0; k < layout_rank(l); k++)
		index = index * layout_shape(l, k) + at[k];
	return index;
}

typedef struct Place {
	int row, column;
} Place;

static Place place_of(const TargetMma *mma, unsigned bits, unsigned operand, int i, int lane)
{
	int g = lane / 4, t = lane % 4, pack = bits < 32 ? 32 / (int)bits : 1, rows = mma->m == 16 ? 2 : 1;
	if (operand == 2)
		return (Place){g + 8 * (i / 2), 2 * t + i % 2};
	if (operand == 1)
		return (Place){t * pack + i % pack + i / pack * 4 * pack, g};
	int half = i / pack % rows, block = i / (pack * rows);
	return (Place){g + 8 * half, t * pack + i % pack + block * 4 * pack};
}

/* One instruction of a warp: fragments from the lanes' registers, the product, sums back to the lanes. */
static void run_mma(Machine *m, const GpuDotPlan *plan, uint32_t step, unsigned warp, unsigned bits, int64_t *sums)
{
	static int64_t a[16][64], b[64][8], c[16][8];
	for (int lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < plan->a_count; i++) {
			Place at = place_of(plan->mma, bits, 0, (int)i, lane);
			a[at.row][at.column] = m->tile[0][index_of(m->l[0], warp, (unsigned)lane, plan->a[step * plan->a_count + i])];
		}
		for (unsigned i = 0; i < plan->b_count; i++) {
			Place at = place_of(plan->mma, bits, 1, (int)i, lane);
			b[at.row][at.column] = m->tile[1][index_of(m->l[1], warp, (unsigned)lane, plan->b[step * plan->b_count + i])];
		}
	}
	for (unsigned r = 0; r < plan->mma->m; r++) {
		for (unsigned n = 0; n < 8; n++) {
			c[r][n] = 0;
			for (unsigned k = 0; k < plan->mma->k; k++)
				c[r][n] += a[r][k] * b[k][n];
		}
	}
	int64_t before[32][4];
	for (int pass = 0; pass < 2; pass++) {
		for (int lane = 0; lane < 32; lane++) {
			for (unsigned i = 0; i < plan->c_count; i++) {
				Place at = place_of(plan->mma, bits, 2, (int)i, lane);
				int64_t *sum = &sums[(unsigned)lane << m->registers[2] | plan->c[step * plan->c_count + i]];
				if (pass == 0)
					before[lane][i] = *sum;
				else
					*sum = before[lane][i] + c[at.row][at.column];
			}
		}
	}
}

static void run_fma(Machine *m, const GpuDotPlan *plan, uint32_t step, unsigned warp, int64_t *sums)
{
	for (unsigned lane = 0; lane < 32; lane++)
		sums[lane << m->registers[2] | plan->c[step]] += m->tile[0][index_of(m->l[0], warp, lane, plan->a[step])] *
								 m->tile[1][index_of(m->l[1], warp, lane, plan->b[step])];
}

/* ---- operands in shared memory ---- */

static uint32_t chosen(const uint32_t *by, uint32_t bits)
{
	uint32_t result = 0;
	for (unsigned i = 0; bits >> i; i++)
		result ^= bits >> i & 1 ? by[i] : 0;
	return result;
}

/* Where an instruction of a thread has its vector; *registers are those of element 0. */
static uint64_t vector_at(const LayoutAccess *a, unsigned thread, uint32_t instruction, uint32_t *registers)
{
	uint64_t address = f2_apply(a->thread_address, a->thread_bits, thread);
	*registers = 0;
	for (unsigned i = 0; i < a->repeat_bits; i++) {
		if (instruction >> i & 1) {
			address ^= a->repeat[i].address;
			*registers ^= a->repeat[i].registers;
		}
	}
	return address;
}

static uint32_t swapped(const LayoutAccess *a, unsigned thread, uint32_t reg)
{
	return reg ^ chosen(a->swap, thread);
}

/* All threads store what they hold; each element of the memory is written, and once. */
static void store_operand(Machine *m, GpuKit *kit, const GpuDotMemory *memory, unsigned o)
{
	const LayoutAccess *a = &memory->store;
	uint64_t elements = memory->bytes / (a->element_bits / 8);
	bool *written = ARENA_ARRAY(&kit->arena, bool, elements);
	m->memory[o] = ARENA_ARRAY(&kit->arena, int64_t, elements);
	for (unsigned thread = 0; thread < 32 * m->p->warps; thread++) {
		for (uint32_t i = 0; i < layout_access_instructions(a) && !(thread & a->idle); i++) {
			uint32_t registers;
			uint64_t at = vector_at(a, thread, i, &registers);
			for (uint32_t e = 0; e < 1u << a->vector_bits; e++) {
				uint32_t reg = swapped(a, thread, registers ^ chosen(a->vector, e));
				assert_true(at + e < elements && !written[at + e]);
				written[at + e] = true;
				m->memory[o][at + e] = m->tile[o][index_of(m->l[o], thread / 32, thread % 32, reg)];
			}
		}
	}
	for (uint64_t i = 0; i < elements; i++)
		assert_true(written[i]);
}

/* The thread's fragment of a round, by aligned vectors. */
static void load_fragment(Machine *m, const GpuDotMemory *memory, unsigned o, unsigned thread, uint32_t round)
{
	const LayoutAccess *a = &memory->load;
	static int64_t loaded[1 << 12];
	uint32_t count = 1u << layout_in_bits(memory->fragment, LAYOUT_REGISTER);
	assert_true(count <= ARRAY_LEN(loaded));
	for (uint32_t i = 0; i < layout_access_instructions(a); i++) {
		uint32_t registers;
		uint64_t at = vector_at(a, thread, i, &registers);
		for (unsigned bit = 0; round >> bit; bit++)
			at ^= round >> bit & 1 ? memory->round_offset[bit] : 0;
		assert_int_equal(at & ((1u << a->vector_bits) - 1), 0);
		assert_true(at < memory->bytes / (a->element_bits / 8));
		for (uint32_t e = 0; e < 1u << a->vector_bits; e++)
			loaded[registers ^ chosen(a->vector, e)] = m->memory[o][at + e];
	}
	for (uint32_t r = 0; r < count; r++)
		m->held[o][r] = loaded[memory->copies[swapped(a, thread, r)]];
}

static void run_rounds(Machine *m, GpuKit *kit, const GpuDotPlan *plan, unsigned warp, int64_t *sums)
{
	for (unsigned o = 0; o < 2; o++)
		m->held[o] = ARENA_ARRAY(&kit->arena, int64_t, (size_t)1 << layout_in_bits(plan->memory[o].fragment,
											   LAYOUT_REGISTER));
	for (unsigned lane = 0; lane < 32; lane++) {
		for (uint32_t round = 0; round < 1u << plan->round_bits; round++) {
			for (unsigned o = 0; o < 2; o++)
				load_fragment(m, &plan->memory[o], o, warp * 32 + lane, round);
			for (uint32_t i = 0; i < plan->steps; i++)
				sums[lane << m->registers[2] | plan->c[i]] += m->held[0][plan->a[i]] * m->held[1][plan->b[i]];
		}
	}
}

static int64_t product_at(const Machine *m, int64_t index)
{
	const Problem *p = m->p;
	int64_t n = index % p->n, row = index / p->n, batch = row / p->m, sum = 0;
	for (int64_t k = 0; k < p->k; k++)
		sum += m->tile[0][row * p->k + k] * m->tile[1][(batch * p->k + k) * p->n + n];
	return sum;
}

static void check_problem(const Problem *p)
{
	GpuKit kit;
	gpu_kit_init(&kit, p->warps, 1);
	IrOp *dot = make_dot(&kit, p);
	const GpuDotPlan *plan = gpu_dot_plan(&kit.cx, &kit.arena, dot);
	Machine m = {.p = p};
	uint64_t random = 12345;
	assert_non_null(plan);
	assert_int_equal(plan->kind, p->kind);
	assert_int_equal(plan->k_step << plan->round_bits, p->k);
	assert_int_equal(gpu_dot_takes_any(&kit.cx, dot), p->kind == GPU_DOT_SHARED);
	assert_ptr_equal(gpu_dot_mma(&kit.cx, dot), plan->mma);
	for (unsigned i = 0; i < 3; i++) {
		int64_t numel = ir_numel(ir_operand(dot, i)->type);
		m.l[i] = gpu_layout(&kit.cx, ir_operand(dot, i)->type);
		m.registers[i] = layout_in_bits(m.l[i], LAYOUT_REGISTER);
		m.tile[i] = ARENA_ARRAY(&kit.arena, int64_t, numel);
		for (int64_t e = 0; e < numel && i < 2; e++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			m.tile[i][e] = (int64_t)(random >> 40) % 1000 - 500;
		}
	}
	for (unsigned o = 0; o < 2 && p->kind == GPU_DOT_SHARED; o++) {
		const LayoutAccess *a = &plan->memory[o].load;
		store_operand(&m, &kit, &plan->memory[o], o);
		/* Large tiles that come by vectors are loaded by whole ones, and without bank conflicts. */
		if (MIN(p->m, p->n) < 64 || p->vector != 4)
			continue;
		assert_int_equal(a->element_bits << a->vector_bits, 128);
		assert_int_equal(a->wavefronts, a->least);
	}
	if (p->kind == GPU_DOT_SHARED)
		assert_int_equal(gpu_dot_scratch(&kit.cx, dot), plan->memory[1].place + plan->memory[1].bytes);
	else
		assert_int_equal(gpu_dot_scratch(&kit.cx, dot), 0);
	for (unsigned warp = 0; warp < p->warps; warp++) {
		int64_t *sums = ARENA_ARRAY(&kit.arena, int64_t, (size_t)32 << m.registers[2]);
		if (p->kind == GPU_DOT_SHARED)
			run_rounds(&m, &kit, plan, warp, sums);
		for (uint32_t step = 0; step < plan->steps && p->kind != GPU_DOT_SHARED; step++) {
			if (p->kind == GPU_DOT_MMA)
				run_mma(&m, plan, step, warp, ir_operand(dot, 0)->type->elem->bits, sums);
			else
				run_fma(&m, plan, step, warp, sums);
		}
		for (unsigned at = 0; at < 32u << m.registers[2]; at++)
			assert_int_equal(sums[at], product_at(&m, index_of(m.l[2], warp, at >> m.registers[2],
									   at & ((1u << m.registers[2]) - 1))));
	}
	gpu_kit_free(&kit);
}

static void plans_compute_the_product(void **state)
{
	static const Problem problems[] = {
		{"f16", "f16", "f32", "sm_80", "", 0, 16, 8, 16, 1, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f16", "sm_90", "", 0, 64, 64, 64, 4, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 0, 32, 128, 32, 8, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 0, 1, 1, 16, 4, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 0, 8, 32, 32, 2, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 0, 2, 4, 16, 1, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 0, 16, 16, 8, 4, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 0, 16, 16, 4, 4, GPU_DOT_FMA, 0, false},
		{"bf16", "bf16", "f32", "sm_80", "", 0, 64, 16, 32, 4, GPU_DOT_MMA, 0, false},
		{"f32", "f32", "f32", "sm_80", ", inputPrecision = tf32", 0, 32, 32, 32, 4, GPU_DOT_MMA, 0, false},
		{"f32", "f32", "f32", "sm_80", ", inputPrecision = tf32", 0, 16, 64, 4, 2, GPU_DOT_MMA, 0, false},
		{"f32", "f32", "f32", "sm_80", "", 0, 32, 64, 16, 4, GPU_DOT_SHARED, 0, false},
		{"f32", "f32", "f32", "sm_80", "", 0, 4, 2, 16, 4, GPU_DOT_FMA, 0, false},
		{"i8", "i8", "i32", "sm_80", "", 0, 64, 32, 64, 4, GPU_DOT_MMA, 0, false},
		{"i8", "i8", "i32", "sm_80", "", 0, 16, 32, 16, 4, GPU_DOT_MMA, 0, false},
		{"f8E4M3FN", "f8E4M3FN", "f32", "sm_89", "", 0, 32, 32, 64, 4, GPU_DOT_MMA, 0, false},
		{"f8E4M3FN", "f8E5M2", "f32", "sm_120", "", 0, 32, 32, 32, 4, GPU_DOT_MMA, 0, false},
		{"f64", "f64", "f64", "sm_80", "", 0, 32, 16, 16, 4, GPU_DOT_MMA, 0, false},
		{"f64", "f64", "f64", "sm_90a", "", 0, 32, 16, 16, 4, GPU_DOT_MMA, 0, false},
		{"f64", "f64", "f64", "sm_90a", "", 0, 32, 16, 8, 4, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 4, 32, 16, 32, 4, GPU_DOT_MMA, 0, false},
		{"f16", "f16", "f32", "sm_80", "", 2, 16, 16, 16, 8, GPU_DOT_MMA, 0, false},
		{"f32", "f32", "f32", "sm_80", "", 2, 16, 16, 16, 4, GPU_DOT_FMA, 0, false},
		{"i32", "i32", "i32", "sm_80", "", 0, 16, 16, 16, 4, GPU_DOT_FMA, 0, false},
		{"f32", "f32", "f32", "sm_80", "", 0, 128, 64, 32, 4, GPU_DOT_SHARED, 4, false},
		{"f32", "f32", "f32", "sm_80", "", 0, 64, 128, 64, 8, GPU_DOT_SHARED, 4, true},
		{"f32", "f32", "f32", "sm_80", "", 0, 16, 16, 64, 4, GPU_DOT_SHARED, 1, true},
		{"f32", "f32", "f32", "sm_80", "", 0, 128, 128, 2, 4, GPU_DOT_FMA, 1, false},
		{"f32", "f32", "f32", "sm_80", "", 0, 256, 128, 4, 4, GPU_DOT_SHARED, 1, false},
		{"f32", "f32", "f32", "sm_80", "", 0, 1, 128, 128, 4, GPU_DOT_SHARED, 2, false},
		{"f32", "f32", "f32", "sm_80", "", 4, 16, 32, 64, 8, GPU_DOT_SHARED, 4, false},
		{"f32", "f32", "f32", "sm_80", "", 8, 2, 4, 128, 4, GPU_DOT_SHARED, 2, true},
		{"i32", "i32", "i32", "sm_80", "", 0, 64, 64, 64, 4, GPU_DOT_SHARED, 4, false},
		{"f64", "f64", "f64", "sm_75", "", 0, 32, 32, 32, 4, GPU_DOT_SHARED, 2, false},
		{"bf16", "bf16", "f32", "sm_75", "", 0, 64, 64, 32, 4, GPU_DOT_SHARED, 8, false},
		{"i8", "i8", "i32", "sm_75", "", 0, 64, 32, 64, 4, GPU_DOT_SHARED, 16, true},
		{"i16", "i16", "i32", "sm_80", "", 0, 32, 32, 64, 1, GPU_DOT_SHARED, 4, true},
	};
	for (size_t i = 0; i < ARRAY_LEN(problems); i++) {
		print_message("%s %lldx%lldx%lld on %s\n", problems[i].a, (long long)problems[i].m,
			      (long long)problems[i].n, (long long)problems[i].k, problems[i].target);
		check_problem(&problems[i]);
	}
}

/* A widened operand comes by words of what it was: the K of a thread's neighbours is another, for both
 * operands. */
static void widened_operands_keep_their_words(void **state)
{
	GpuKit kit;
	IrOp *dot = NULL;
	gpu_kit_init(&kit, 4, 1);
#define TILE(elem) "tensor<32x32x" elem ", #b>"
	IrModule *m = gpu_kit_read(
		&kit, "#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>\n"
		      "tt.func private @f(%a: " TILE("i8") ", %b: " TILE("f16") ", %c: " TILE("f32") ") -> " TILE("f32") " {\n"
		      "%w = arith.sitofp %a : " TILE("i8") " to " TILE("f16") "\n%d = tt.dot %w, %b, %c : " TILE("f16") " * " TILE(
			      "f16") " -> " TILE("f32") "\ntt.return %d : " TILE("f32") "\n}\n");
	PassCx cx = {.module = m, .diags = &kit.diags, .scratch = &kit.arena, .host = &kit.cx};
	bool changed = false;
	assert_true(pass_accelerate_matmul(&cx, &changed));
	assert_true(changed);
	ir_walk(m->op, false, find_dot, &dot);
	for (uint32_t i = 0; i < 2; i++) {
		const Layout *l = gpu_layout(&kit.cx, ir_operand(dot, i)->type);
		uint64_t lane = layout_basis(l, LAYOUT_LANE, 0);
		assert_int_equal(layout_space_get(&l->out, lane, LAYOUT_DIM0 + 1 - i), 4);
	}
	assert_int_equal(gpu_dot_plan(&kit.cx, &kit.arena, dot)->kind, GPU_DOT_MMA);
	gpu_kit_free(&kit);
}

/* Of a chain, as in attention, both dots have their warps along M: the first's result is the second's operand. */
static void chained_dots_keep_rows_in_a_warp(void **state)
{
	GpuKit kit;
	gpu_kit_init(&kit, 4, 1);
	kit.cx.target = target_find("sm_90");
	IrModule *m = gpu_kit_read(
		&kit, "#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>\n"
		      "tt.func private @f(%a: tensor<64x32xf16, #b>, %b: tensor<32x64xf16, #b>, %v: tensor<64x128xf16, #b>, "
		      "%c: tensor<64x64xf32, #b>, %o: tensor<64x128xf32, #b>) -> tensor<64x128xf32, #b> {\n"
		      "%d = tt.dot %a, %b, %c : tensor<64x32xf16, #b> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #b>\n"
		      "%p = arith.truncf %d : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>\n"
		      "%r = tt.dot %p, %v, %o : tensor<64x64xf16, #b> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #b>\n"
		      "tt.return %r : tensor<64x128xf32, #b>\n}\n");
	PassCx cx = {.module = m, .diags = &kit.diags, .scratch = &kit.arena, .host = &kit.cx};
	bool changed = false;
	assert_true(pass_accelerate_matmul(&cx, &changed));
	unsigned dots = 0;
	for (IrOp *op = ir_func_body(ir_module_block(m)->first)->first; op; op = op->next) {
		if (op->kind != OP_DOT)
			continue;
		const Layout *c = gpu_layout(&kit.cx, op->results[0].type);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(layout_space_get(&c->out, layout_basis(c, LAYOUT_WARP, i), LAYOUT_DIM0), 16u << i);
		dots++;
	}
	assert_int_equal(dots, 2);
	gpu_kit_free(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_compute_the_product),
		cmocka_unit_test(widened_operands_keep_their_words),
		cmocka_unit_test(chained_dots_keep_rows_in_a_warp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
