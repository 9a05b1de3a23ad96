/* Axis analysis: what it claims of random index expressions holds in every group of elements when they are evaluated,
 * in loops at every round; and it claims what vector widths need in the patterns that kernels are made of. */
#include "gpu/analysis/axis.h"
#include "gpu_kit.h"

enum { MOST = 512, OPS = 14 };

typedef struct Eval {
	const IrModule *m;
	AxisMap *map;
	int64_t *values[4096]; /* by value id */
	Arena *arena;
	bool undefined; /* a division by zero, an index that overflows: nothing is claimed */
	uint64_t claims; /* groups of more than one element that were checked */
} Eval;

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static unsigned below(uint32_t *state, unsigned n)
{
	return next_random(state) % n;
}

/* ---- evaluation ---- */

static int64_t wrap(int64_t x, unsigned bits)
{
	return bits == 64 ? x : bits == 1 ? (x & 1) : (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits);
}

static int64_t to_unsigned(int64_t x, unsigned bits)
{
	return bits == 64 ? x : x & ((INT64_C(1) << bits) - 1);
}

static int64_t compute(Eval *e, const IrOp *op, int64_t a, int64_t b, int64_t c)
{
	unsigned bits = ir_elem(op->results[0].type)->bits, from = ir_elem(ir_operand(op, 0)->type)->bits;
	int64_t ua = to_unsigned(a, from), ub = to_unsigned(b, from);
	bool divides = op->kind == OP_DIVSI || op->kind == OP_REMSI || op->kind == OP_DIVUI || op->kind == OP_REMUI;
	/* Divisors are taken to be positive. */
	if (divides && (b == 0 || (b < 0 && !ir_constant_of(ir_operand(op, 1))))) {
		e->undefined = true;
		return 0;
	}
	switch (op->kind) {
	case OP_ADDI: return a + b;
	case OP_SUBI: return a - b;
	case OP_MULI: return a * b;
	case OP_DIVSI: return a / b;
	case OP_REMSI: return a % b;
	case OP_DIVUI: return wrap(ua / ub, bits);
	case OP_REMUI: return wrap(ua % ub, bits);
	case OP_ANDI: return a & b;
	case OP_ORI: return a | b;
	case OP_XORI: return a ^ b;
	case OP_SHLI: return a * (INT64_C(1) << b);
	case OP_SHRSI: return a >> b;
	case OP_SHRUI: return wrap(ua >> b, bits);
	case OP_MINSI: return MIN(a, b);
	case OP_MAXSI: return MAX(a, b);
	case OP_MINUI: return ua < ub ? a : b;
	case OP_MAXUI: return ua > ub ? a : b;
	case OP_EXTSI: return a;
	case OP_EXTUI: return ua;
	case OP_TRUNCI: return wrap(a, bits);
	case OP_SELECT: return a ? b : c;
	case OP_ADDPTR: return a + b * 4;
	case OP_CMPI:
		switch (ir_get_int(op, e->m->cx, ATTR_PREDICATE, 0)) {
		case CMPI_EQ: return a == b;
		case CMPI_NE: return a != b;
		case CMPI_SLT: return a < b;
		case CMPI_SLE: return a <= b;
		case CMPI_SGT: return a > b;
		case CMPI_SGE: return a >= b;
		case CMPI_ULT: return ua < ub;
		case CMPI_ULE: return ua <= ub;
		case CMPI_UGT: return ua > ub;
		default: return ua >= ub;
		}
	default:
		fail_msg("%s is not evaluated", ir_op_info[op->kind].text);
		return 0;
	}
}

/* Where element i of the result comes from. */
static int64_t source_index(Eval *e, const IrOp *op, int64_t i)
{
	IrType to = op->results[0].type, from = ir_operand(op, 0)->type;
	int64_t at[IR_MAX_RANK], index = 0;
	if (op->kind == OP_SPLAT)
		return 0;
	if (op->kind == OP_EXPAND_DIMS || op->kind == OP_RESHAPE)
		return i;
	for (unsigned d = to->rank; d-- > 0; i /= to->shape[d])
		at[d] = i % to->shape[d];
	IrAttr order = ir_get(op, e->m->cx, ATTR_ORDER);
	for (unsigned d = 0; d < from->rank; d++) {
		int64_t x = 0;
		if (op->kind == OP_BROADCAST)
			x = from->shape[d] == 1 ? 0 : at[d];
		for (unsigned k = 0; op->kind == OP_TRANS && k < to->rank; k++)
			if (order->ints[k] == d)
				x = at[k];
		index = index * from->shape[d] + x;
	}
	return index;
}

static void evaluate(Eval *e, const IrOp *op)
{
	IrType type = op->results[0].type;
	int64_t n = ir_numel(type), *out = ARENA_ARRAY(e->arena, int64_t, n);
	unsigned bits = ir_elem(type)->bits;
	e->values[op->results[0].id] = out;
	for (int64_t i = 0; i < n; i++) {
		int64_t in[3] = {0};
		if (op->kind == OP_CONSTANT) {
			IrAttr attr = ir_constant_of(&op->results[0]);
			out[i] = attr->kind != ATTR_KIND_DENSE ? attr->i : wrap((int64_t)attr->words[attr->splat ? 0 : i], bits);
			continue;
		}
		if (op->kind == OP_MAKE_RANGE) {
			out[i] = ir_get_int(op, e->m->cx, ATTR_START, 0) + i;
			continue;
		}
		if (!ir_has_trait(op, TRAIT_ELEM)) {
			out[i] = e->values[ir_operand(op, 0)->id][source_index(e, op, i)];
			continue;
		}
		for (uint32_t k = 0; k < op->operand_count; k++)
			in[k] = e->values[ir_operand(op, k)->id][ir_is_tensor(ir_operand(op, k)->type) ? i : 0];
		out[i] = compute(e, op, in[0], in[1], in[2]);
		if (bits >= 32 && out[i] != wrap(out[i], 32))
			e->undefined = true;
	}
}

/* ---- checking ---- */

static bool is_multiple(int64_t x, int64_t of, unsigned bits)
{
	if (bits < 40 && of > INT64_C(1) << bits)
		of = INT64_C(1) << bits;
	return x % of == 0;
}

static bool holds(Eval *e, const AxisInfo *info, IrType type, const int64_t *v)
{
	int64_t n = ir_numel(type), inner = 1;
	unsigned bits = ir_elem(type)->bits;
	int64_t step = ir_is_ptr(ir_elem(type)) ? 4 : 1;
	for (int64_t i = 0; i < n; i++)
		if ((info->known && v[i] != info->value) || (info->nonneg && v[i] < 0 && bits >= 32))
			return false;
	for (unsigned d = info->rank; d-- > 0;) {
		int64_t size = ir_is_tensor(type) ? type->shape[d] : 1;
		for (int64_t i = 0; i < n; i++) {
			int64_t at = i / inner % size, run = at % info->contiguity[d], same = at % info->constancy[d];
			int64_t first = v[i - run * inner];
			if (wrap(first + run * step, bits) != v[i] || !is_multiple(first, info->divisibility[d], bits) ||
			    v[i - same * inner] != v[i])
				return false;
			e->claims += run > 0 || same > 0;
		}
		inner *= size;
	}
	return true;
}

static void check(Eval *e, const IrValue *value)
{
	const AxisInfo *info = axis_of(e->map, value);
	if (e->undefined || !(ir_is_int(ir_elem(value->type)) || ir_is_ptr(ir_elem(value->type))))
		return;
	assert_non_null(info);
	if (holds(e, info, value->type, e->values[value->id]))
		return;
	Text text;
	text_init(&text, e->arena);
	ir_print(&text, e->m, (IrPrintOptions){.no_locations = true});
	print_message("%s\n", text.data);
	Text op;
	text_init(&op, e->arena);
	if (value->def)
		ir_print_op(&op, e->m, value->def, (IrPrintOptions){.no_locations = true});
	for (unsigned d = 0; d < info->rank; d++)
		print_message("dim %u: contiguity %lld divisibility %lld constancy %lld nonneg %d\n", d,
			      (long long)info->contiguity[d], (long long)info->divisibility[d],
			      (long long)info->constancy[d], info->nonneg);
	for (int64_t i = 0; i < MIN(ir_numel(value->type), 32); i++)
		print_message(" %lld", (long long)e->values[value->id][i]);
	fail_msg("a claim does not hold: %s", op.data ? op.data : "an argument");
}

static void run_block(Eval *e, const IrBlock *block);

static void run_loop(Eval *e, const IrOp *op)
{
	const IrBlock *body = op->regions[0].first;
	int64_t from = *e->values[ir_operand(op, 0)->id], to = *e->values[ir_operand(op, 1)->id];
	int64_t step = *e->values[ir_operand(op, 2)->id];
	for (uint32_t i = 1; i < body->arg_count; i++)
		e->values[body->args[i]->id] = e->values[ir_operand(op, i + 2)->id];
	for (int64_t at = from; at < to; at += step) {
		e->values[body->args[0]->id] = ARENA_ARRAY(e->arena, int64_t, 1);
		*e->values[body->args[0]->id] = at;
		for (uint32_t i = 0; i < body->arg_count; i++)
			check(e, body->args[i]);
		run_block(e, body);
		int64_t *next[4];
		for (uint32_t i = 1; i < body->arg_count; i++)
			next[i] = e->values[ir_operand(body->last, i - 1)->id];
		for (uint32_t i = 1; i < body->arg_count; i++)
			e->values[body->args[i]->id] = next[i];
	}
	for (uint32_t i = 0; i < op->result_count; i++) {
		e->values[op->results[i].id] = e->values[body->args[i + 1]->id];
		check(e, &op->results[i]);
	}
}

static void run_block(Eval *e, const IrBlock *block)
{
	for (const IrOp *op = block->first; op && !e->undefined; op = op->next) {
		if (op->kind == OP_FOR) {
			run_loop(e, op);
		} else if (op->result_count) {
			evaluate(e, op);
			check(e, &op->results[0]);
		}
	}
}

/* ---- generation ---- */

typedef struct Gen {
	GpuKit *k;
	IrModule *m;
	IrBuilder b;
	uint32_t state;
	IrValue *pool[64];
	unsigned count;
} Gen;

static IrValue *pick(Gen *g, IrType type)
{
	for (int tries = 0; tries < 40; tries++) {
		IrValue *v = g->pool[below(&g->state, g->count)];
		if (v->type == type)
			return v;
	}
	return NULL;
}

static IrValue *number(Gen *g, IrType type)
{
	static const int64_t numbers[] = {1, 2, 3, 4, 5, 7, 8, 16, 24, 32, 15, -1, -8, 64, 0};
	return irb_int(&g->b, type, numbers[below(&g->state, ARRAY_LEN(numbers))]);
}

static IrValue *binary(Gen *g, IrType type)
{
	static const IrOpKind kinds[] = {OP_ADDI, OP_ADDI, OP_ADDI, OP_SUBI, OP_MULI, OP_DIVSI, OP_DIVUI, OP_REMSI, OP_REMUI,
					 OP_ANDI, OP_ORI, OP_XORI, OP_MINSI, OP_MAXSI, OP_MINUI, OP_MAXUI};
	IrValue *a = pick(g, type), *b = below(&g->state, 2) ? pick(g, type) : number(g, type);
	return a && b ? irb_2(&g->b, kinds[below(&g->state, ARRAY_LEN(kinds))], NULL, a, b) : NULL;
}

static IrValue *shift(Gen *g, IrType type)
{
	static const IrOpKind kinds[] = {OP_SHLI, OP_SHRSI, OP_SHRUI};
	IrValue *a = pick(g, type);
	return a ? irb_2(&g->b, kinds[below(&g->state, 3)], NULL, a, irb_int(&g->b, type, below(&g->state, 5))) : NULL;
}

static IrValue *choice(Gen *g, IrType type)
{
	IrValue *a = pick(g, type), *b = pick(g, type), *x = pick(g, type), *y = pick(g, type);
	if (!a || !b || !x || !y)
		return NULL;
	IrValue *c = irb_cmpi(&g->b, (IrCmpI)below(&g->state, 10), a, b);
	return irb_3(&g->b, OP_SELECT, NULL, c, x, y);
}

static IrValue *narrow(Gen *g, IrType type)
{
	IrValue *a = pick(g, type);
	if (!a)
		return NULL;
	IrValue *small = irb_1(&g->b, OP_TRUNCI, ir_with_elem(&g->k->ir, type, ir_scalar(&g->k->ir, TY_I8)), a);
	return irb_1(&g->b, below(&g->state, 2) ? OP_EXTSI : OP_EXTUI, type, small);
}

static IrType shaped(Gen *g, int64_t a, int64_t b)
{
	return ir_tensor(&g->k->ir, ir_scalar(&g->k->ir, TY_I32), (int64_t[]){a, b}, 2, NULL);
}

/* A tile of rank 1 as rows or columns of one of rank 2. */
static IrValue *spread(Gen *g, IrType line, IrType plane)
{
	IrValue *a = pick(g, line);
	if (!a)
		return NULL;
	unsigned axis = below(&g->state, 2);
	if (line->shape[0] != plane->shape[1 - axis])
		axis = 1 - axis;
	if (line->shape[0] != plane->shape[1 - axis])
		return NULL;
	IrType thin = axis == 0 ? shaped(g, 1, line->shape[0]) : shaped(g, line->shape[0], 1);
	IrValue *e = irb_1(&g->b, OP_EXPAND_DIMS, thin, a);
	ir_set(g->m, e->def, ATTR_AXIS, ir_attr_i32(&g->k->ir, axis));
	return irb_1(&g->b, OP_BROADCAST, plane, e);
}

static IrValue *reshape(Gen *g, IrType plane)
{
	IrValue *a = pick(g, plane);
	if (!a)
		return NULL;
	IrType other = below(&g->state, 2) ? shaped(g, plane->shape[0] / 2, plane->shape[1] * 2)
					   : shaped(g, plane->shape[0] * plane->shape[1], 1);
	return irb_1(&g->b, OP_RESHAPE, plane, irb_1(&g->b, OP_RESHAPE, other, a));
}

static IrValue *turn(Gen *g, IrType plane)
{
	IrValue *a = pick(g, plane);
	if (!a)
		return NULL;
	IrValue *t = irb_1(&g->b, OP_TRANS, shaped(g, plane->shape[1], plane->shape[0]), a);
	ir_set(g->m, t->def, ATTR_ORDER, ir_attr_ints(&g->k->ir, ir_scalar(&g->k->ir, TY_I32), (int64_t[]){1, 0}, 2));
	IrValue *s = irb_int(&g->b, t->type, 8);
	t = irb_2(&g->b, OP_DIVSI, NULL, t, s);
	IrValue *u = irb_1(&g->b, OP_TRANS, plane, t);
	ir_set(g->m, u->def, ATTR_ORDER, ir_attr_ints(&g->k->ir, ir_scalar(&g->k->ir, TY_I32), (int64_t[]){1, 0}, 2));
	return u;
}

static void add(Gen *g, IrValue *v)
{
	if (v && g->count < ARRAY_LEN(g->pool))
		g->pool[g->count++] = v;
}

static void grow(Gen *g, IrType line, IrType plane, IrType scalar, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		IrType type = below(&g->state, 4) == 0 ? scalar : below(&g->state, 2) ? line : plane;
		switch (below(&g->state, 12)) {
		case 0: add(g, shift(g, type)); break;
		case 1: add(g, choice(g, type)); break;
		case 2: add(g, narrow(g, type)); break;
		case 3:
		case 4: add(g, spread(g, line, plane)); break;
		case 5: add(g, reshape(g, plane)); break;
		case 6: add(g, turn(g, plane)); break;
		case 7: {
			IrValue *s = pick(g, scalar);
			add(g, s ? irb_1(&g->b, OP_SPLAT, type == scalar ? line : type, s) : NULL);
			break;
		}
		default: add(g, binary(g, type)); break;
		}
	}
}

static void loop(Gen *g, IrType line, IrType plane, IrType scalar)
{
	IrCx *cx = &g->k->ir;
	IrValue *init[2] = {pick(g, line), pick(g, plane)};
	if (!init[0] || !init[1])
		return;
	IrValue *operands[5] = {irb_int(&g->b, scalar, below(&g->state, 3) * 8), irb_int(&g->b, scalar, 40),
				irb_int(&g->b, scalar, below(&g->state, 2) ? 8 : 12), init[0], init[1]};
	IrOp *op = irb_op(&g->b, OP_FOR, operands, 5, (IrType[]){line, plane}, 2, 1);
	IrBlock *body = ir_block_new(g->m, &op->regions[0]);
	unsigned before = g->count;
	add(g, ir_block_arg_add(g->m, body, scalar, cx->unknown));
	add(g, ir_block_arg_add(g->m, body, line, cx->unknown));
	add(g, ir_block_arg_add(g->m, body, plane, cx->unknown));
	IrBuilder outer = g->b;
	g->b = ir_at_end(g->m, body, cx->unknown);
	grow(g, line, plane, scalar, 8);
	IrValue *ends[2] = {NULL, NULL};
	while (!ends[0])
		ends[0] = pick(g, line);
	while (!ends[1])
		ends[1] = pick(g, plane);
	irb_op(&g->b, OP_YIELD, ends, 2, NULL, 0, 0);
	g->b = outer;
	g->count = before;
	add(g, ir_result(op, 0));
	add(g, ir_result(op, 1));
}

static const char *const head = "tt.func public @f(%a: i32, %b: i32 {tt.divisibility = 16 : i32}, %c: i32 {tt.divisibility = 8 : "
				"i32}, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {\n  tt.return\n}\n";

static uint64_t one_program(uint32_t seed)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	IrModule *m = gpu_kit_read(&k, head);
	IrBlock *body = ir_func_body(ir_module_block(m)->first);
	Gen g = {.k = &k, .m = m, .state = seed};
	g.b = ir_at(m, body->first);
	IrType scalar = ir_scalar(&k.ir, TY_I32);
	int64_t size = below(&g.state, 4) == 0 ? 24 : 16;
	IrType line = ir_tensor(&k.ir, scalar, &size, 1, NULL), plane = shaped(&g, 8, size);
	for (unsigned i = 0; i < 3; i++)
		add(&g, body->args[i]);
	IrOp *pid = irb_op(&g.b, OP_MAKE_RANGE, NULL, 0, &line, 1, 0);
	int64_t start = below(&g.state, 3) * 8;
	ir_set(m, pid, ATTR_START, ir_attr_i32(&k.ir, start));
	ir_set(m, pid, ATTR_END, ir_attr_i32(&k.ir, start + size));
	add(&g, ir_result(pid, 0));
	add(&g, irb_1(&g.b, OP_SPLAT, line, body->args[below(&g.state, 3)]));
	grow(&g, line, plane, scalar, OPS);
	if (below(&g.state, 2)) {
		loop(&g, line, plane, scalar);
		grow(&g, line, plane, scalar, 4);
	}
	IrValue *offset = pick(&g, line);
	if (offset) {
		IrType pointers = ir_tensor(&k.ir, body->args[3]->type, &size, 1, NULL);
		irb_2(&g.b, OP_ADDPTR, NULL, irb_1(&g.b, OP_SPLAT, pointers, body->args[3]), offset);
	}
	assert_true(ir_verify(m, LEVEL_T, &k.diags) || ir_numel(line) == 24);
	Eval e = {.m = m, .arena = &k.arena, .map = axis_analyse(m, &k.arena)};
	assert_true(m->next_value < ARRAY_LEN(e.values));
	for (int trial = 0; trial < 6; trial++) {
		int64_t args[4] = {(int64_t)below(&g.state, 300), (int64_t)below(&g.state, 20) * 16,
				   (int64_t)below(&g.state, 30) * 8, 4096 + 16 * (int64_t)below(&g.state, 9)};
		for (unsigned i = 0; i < 4; i++)
			e.values[body->args[i]->id] = arena_copy(&k.arena, &args[i], sizeof args[i]);
		e.undefined = false;
		run_block(&e, body);
	}
	gpu_kit_free(&k);
	return e.claims;
}

static void claims_hold(void **state)
{
	uint64_t claims = 0;
	for (uint32_t seed = 1; seed <= 3000; seed++)
		claims += one_program(seed);
	assert_true(claims > 1000000);
}

/* ---- what vectors need ---- */

static const struct {
	const char *body;
	int64_t vector; /* of %ptr and %mask, along the last dim */
} patterns[] = {
	/* A block of a vector whose length is a multiple of 16. */
	{"%r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>\n%k = arith.constant 1024 : i32\n"
	 "%pid = tt.get_program_id x : i32\n%s = arith.muli %pid, %k : i32\n%t = tt.splat %s : i32 -> tensor<1024xi32>\n"
	 "%o = arith.addi %t, %r : tensor<1024xi32>\n%n = tt.splat %n16 : i32 -> tensor<1024xi32>\n"
	 "%mask = arith.cmpi slt, %o, %n : tensor<1024xi32>\n%q = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>\n", 4},
	/* The same with a length of which nothing is known: the mask may end anywhere. */
	{"%r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>\n%n = tt.splat %n1 : i32 -> tensor<1024xi32>\n"
	 "%mask = arith.cmpi slt, %r, %n : tensor<1024xi32>\n%q = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>\n", 1},
	/* Rows of a matrix whose stride is a multiple of 16, wrapped at a multiple of 16. */
	{"%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n%pid = tt.get_program_id x : i32\n"
	 "%k = arith.constant 64 : i32\n%s = arith.muli %pid, %k : i32\n%t = tt.splat %s : i32 -> tensor<64xi32>\n"
	 "%o0 = arith.addi %t, %r : tensor<64xi32>\n%n = tt.splat %n16 : i32 -> tensor<64xi32>\n"
	 "%o = arith.remsi %o0, %n : tensor<64xi32>\n%row = arith.muli %pid, %n16 : i32\n"
	 "%base = tt.addptr %p, %row : !tt.ptr<f32>, i32\n%q = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
	 "%mask = arith.constant dense<true> : tensor<64xi1>\n", 4},
	/* A stride of which only an assumption knows that it is a multiple of 4. */
	{"%c4 = arith.constant 4 : i32\n%z = arith.constant 0 : i32\n%m = arith.remsi %n1, %c4 : i32\n"
	 "%as = arith.cmpi eq, %m, %z : i32\nllvm.intr.assume %as : i1\n%pid = tt.get_program_id x : i32\n"
	 "%row = arith.muli %pid, %n1 : i32\n%base = tt.addptr %p, %row : !tt.ptr<f32>, i32\n"
	 "%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
	 "%q = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
	 "%mask = arith.constant dense<true> : tensor<64xi1>\n", 4},
	/* Rows of a table by an index that is read. */
	{"%k = arith.constant dense<16> : tensor<64xi32>\n%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
	 "%row = arith.divsi %r, %k : tensor<64xi32>\n%col = arith.remsi %r, %k : tensor<64xi32>\n%at = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
	 "%ip = tt.addptr %at, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n%j = tt.load %ip : tensor<64x!tt.ptr<i32>>\n"
	 "%jk = arith.muli %j, %k : tensor<64xi32>\n%o = arith.addi %jk, %col : tensor<64xi32>\n"
	 "%q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
	 "%mask = arith.constant dense<true> : tensor<64xi1>\n", 4},
	/* Rows of a table by an index that is read and may be another each time. */
	{"%k = arith.constant dense<16> : tensor<64xi32>\n%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
	 "%row = arith.divsi %r, %k : tensor<64xi32>\n%col = arith.remsi %r, %k : tensor<64xi32>\n%at = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
	 "%ip = tt.addptr %at, %row : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n%j = tt.load %ip {isVolatile = true} : tensor<64x!tt.ptr<i32>>\n"
	 "%jk = arith.muli %j, %k : tensor<64xi32>\n%o = arith.addi %jk, %col : tensor<64xi32>\n"
	 "%q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
	 "%mask = arith.constant dense<true> : tensor<64xi1>\n", 1},
	/* Hints outweigh what the expression says. */
	{"%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n%n = tt.splat %n1 : i32 -> tensor<64xi32>\n"
	 "%o = arith.muli %r, %n {tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<8> : tensor<1xi32>} : "
	 "tensor<64xi32>\n%q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
	 "%ptr = tt.addptr %q, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
	 "%mask = arith.constant dense<true> : tensor<64xi1>\n", 4},
};

static void patterns_have_vectors(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		GpuKit k;
		gpu_kit_init(&k, 4, 1);
		IrModule *m = gpu_kit_read(&k, arena_printf(&k.arena, "tt.func public @f(%%p: !tt.ptr<f32> {tt.divisibility = 16 : "
							   "i32}, %%n16: i32 {tt.divisibility = 16 : i32}, %%n1: i32, %%i: !tt.ptr<i32>) {\n%s"
							   "tt.store %%ptr, %%v, %%mask : tensor<%sx!tt.ptr<f32>>\ntt.return\n}\n",
							   arena_printf(&k.arena, "%s%%v = arith.constant dense<1.0> : "
										  "tensor<%sxf32>\n", patterns[i].body,
									i < 2 ? "1024" : "64"),
							   i < 2 ? "1024" : "64"));
		AxisMap *map = axis_analyse(m, &k.arena);
		const IrOp *store = ir_func_body(ir_module_block(m)->first)->last->prev;
		int64_t vector = axis_vector(map, ir_operand(store, 0), ir_operand(store, 2), 0);
		assert_int_equal(MIN(vector, patterns[i].vector), patterns[i].vector);
		if (patterns[i].vector == 1)
			assert_int_equal(vector, 1);
		gpu_kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(claims_hold), cmocka_unit_test(patterns_have_vectors)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
