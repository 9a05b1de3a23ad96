/* align-loops: a loop of products whose rows may begin at multiples of 4 bytes becomes two,
 * and a look at the arguments chooses.
 *
 * Needs: TTIR. Keeps: what is computed, bit by bit.
 * Asynchronous copies take 4 bytes at least. Rows of narrower elements whose stride is not
 * known to be a multiple of that are loaded an element at a time, by the threads. A class of
 * arguments for so little would be a variant more of each kernel for each of them; so it is
 * found out where the kernel runs.
 * Method: the analysis of addresses runs again as if all integer arguments were multiples of
 * what a word holds (axis_suppose). Where more of the loop's operands of products then take 4
 * bytes at once, those arguments that make no difference are taken back, and the loop is there
 * twice: where all others are such multiples, what it takes of them is computed again from
 * arguments whose low bits are cleared, which the analysis sees and which changes no value;
 * else it runs as it was. */
#include "gpu/analysis/prefix.h"
#include "gpu/pass/two_loops.h"
#include "gpu/plan/dot.h"
#include "gpu/remark.h"

enum { WORD = 4 /* bytes */, MOST_ARGUMENTS = 64, MOST_LOADS = 32, DEEP = 8 };

/* What is known of values where arguments are such multiples. */
typedef struct Supposed {
	const bool *divisible; /* by argument; NULL: none */
	int64_t by;
	const AxisMap *map;
} Supposed;

typedef struct Aligner {
	PassCx *cx;
	GpuCx *gpu;
	IrBlock *body;	 /* of the function */
	IrOp *loop;	 /* looked at */
	uint32_t loops;	 /* inside it */
	int64_t by;	 /* elements of a word, of the narrowest tile */
	const IrOp *loads[MOST_LOADS];
	uint32_t load_count;
	bool *divisible; /* by argument: it has to be a multiple of `by` */
	IrValue **even;	 /* by argument: what stands for it in the copy */
	VEC(IrOp *) list;
	VEC(Supposed) supposed; /* for as long as the module is as it was: for all of its loops */
} Aligner;

/* ---- what the loop loads ---- */

/* Does a product take it, or what is made of it? Nothing else is worth a second loop. */
static bool is_multiplied(const IrValue *v, unsigned deep)
{
	bool found = false;
	for (const IrUse *u = v->uses; u && !found; u = u->next) {
		const IrOp *op = u->owner;
		if (op->kind == OP_DOT || op->kind == OP_DOT_SCALED)
			found = op->operand_count > 2 && ir_operand(op, 2) != v;
		else if (deep && op->result_count == 1 && !op->region_count && ir_is_pure(op))
			found = is_multiplied(&op->results[0], deep - 1);
	}
	return found;
}

static bool visit_inner(void *data, IrOp *op)
{
	Aligner *a = data;
	a->loops += op->kind == OP_FOR || op->kind == OP_WHILE;
	bool tile = op->kind == OP_LOAD && ir_is_tensor(op->results[0].type);
	if (!tile || !is_multiplied(&op->results[0], DEEP))
		return true;
	IrType elem = op->results[0].type->elem;
	bool narrow = ir_is_scalar(elem) && (elem->bits == 8 || elem->bits == 16);
	if (narrow && a->load_count < MOST_LOADS && !ir_is_volatile(op)) {
		a->loads[a->load_count++] = op;
		a->by = MAX(a->by, (int64_t)(8 * WORD / elem->bits));
	}
	return true;
}

/* How many of the loads take a word at once. */
static uint32_t words(const Aligner *a, const AxisMap *map)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->load_count; i++) {
		const IrOp *load = a->loads[i];
		IrType type = load->results[0].type;
		const IrValue *mask = load->operand_count > 1 ? ir_operand(load, 1) : NULL;
		int64_t best = 1;
		for (unsigned d = 0; d < type->rank; d++)
			best = MAX(best, prefix_vector(map, a->gpu->ir, ir_operand(load, 0), mask, d));
		n += best * type->elem->bits >= 8 * WORD;
	}
	return n;
}

static const AxisMap *suppose(Aligner *a, const bool *divisible)
{
	uint32_t count = a->body->arg_count;
	for (uint32_t i = 0; i < a->supposed.len; i++) {
		const Supposed *s = &a->supposed.data[i];
		if (!divisible && !s->divisible)
			return s->map;
		if (divisible && s->divisible && s->by == a->by && !memcmp(s->divisible, divisible, count))
			return s->map;
	}
	Arena *arena = a->cx->scratch;
	Supposed s = {.by = a->by};
	if (divisible) {
		bool *copy = ARENA_ARRAY(arena, bool, count + 1);
		memcpy(copy, divisible, count);
		s.divisible = copy;
		s.map = axis_suppose(a->cx->module, arena, &(AxisSuppose){copy, count, UINT32_MAX, a->by});
	} else {
		s.map = axis_analyse(a->cx->module, arena);
	}
	vec_push(arena, &a->supposed, s);
	return s.map;
}

/* Which arguments would have to be multiples; false: none make a difference. */
static bool find_arguments(Aligner *a, uint32_t known, uint32_t *found)
{
	a->divisible = ARENA_ARRAY(a->cx->scratch, bool, a->body->arg_count + 1);
	for (uint32_t i = 0; i < a->body->arg_count; i++) {
		const IrValue *arg = a->body->args[i];
		a->divisible[i] = arg->uses && ir_is_int(arg->type) && arg->type->bits >= 32;
	}
	*found = words(a, suppose(a, a->divisible));
	if (*found <= known)
		return false;
	for (uint32_t i = 0; i < a->body->arg_count; i++) {
		if (!a->divisible[i])
			continue;
		a->divisible[i] = false;
		a->divisible[i] = words(a, suppose(a, a->divisible)) < *found;
	}
	return true;
}

/* ---- the condition, and what is computed again ---- */

/* i1: all of them are multiples. */
static IrValue *all_divide(Aligner *a, IrBuilder *b)
{
	IrType i32 = ir_scalar(a->gpu->ir, TY_I32);
	IrValue *bits = NULL;
	for (uint32_t i = 0; i < a->body->arg_count; i++) {
		if (!a->divisible[i])
			continue;
		IrValue *arg = a->body->args[i];
		arg = arg->type->bits > 32 ? irb_1(b, OP_TRUNCI, i32, arg) : arg;
		bits = bits ? irb_2(b, OP_ORI, NULL, bits, arg) : arg;
	}
	CONTRACT(bits);
	IrValue *low = irb_2(b, OP_ANDI, NULL, bits, irb_int(b, i32, a->by - 1));
	return irb_cmpi(b, CMPI_EQ, low, irb_int(b, i32, 0));
}

typedef struct Again {
	Aligner *a;
	IrOp *copy; /* of the loop */
	IrBuilder b;
	IrMapping map;
	bool *stays;	/* by value: nothing in it changes */
} Again;

/* An argument with its low bits cleared. */
static IrValue *cleared(Again *g, uint32_t number)
{
	Aligner *a = g->a;
	IrValue *arg = a->body->args[number];
	if (!a->even[number]) {
		IrValue *v = irb_2(&g->b, OP_ANDI, NULL, arg, irb_int(&g->b, arg->type, -a->by));
		ir_set(a->cx->module, v->def, ATTR_DIVISIBILITY, ir_attr_i32(a->gpu->ir, (int32_t)a->by));
		a->even[number] = v;
	}
	return a->even[number];
}

/* The same value, computed of cleared arguments in front of the copy; itself where none is in it,
 * or where it cannot be computed again. */
static IrValue *again(Again *g, IrValue *v)
{
	if (v->block)
		return v->block == g->a->body && g->a->divisible[v->index] ? cleared(g, v->index) : v;
	IrValue *known = ir_mapping_get(&g->map, v);
	IrOp *op = v->def;
	bool can = !op->region_count && (ir_is_pure(op) || ir_has_trait(op, TRAIT_NOFX));
	if (known != v || g->stays[v->id] || !can)
		return known;
	bool changes = false;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *of = ir_operand(op, i), *now = again(g, of);
		changes |= now != of;
		if (now != of)
			ir_mapping_put(&g->map, of, now);
	}
	if (changes)
		ir_op_insert_before(ir_clone(g->a->cx->module, op, &g->map, NULL, NULL), g->b.before);
	g->stays[v->id] = !changes;
	return ir_mapping_get(&g->map, v);
}

static bool visit_copy(void *data, IrOp *op)
{
	Again *g = data;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = ir_operand(op, i);
		if (!ir_is_defined_outside(v, g->copy))
			continue;
		IrValue *now = again(g, v);
		if (now != v)
			ir_operand_set(op, i, now);
	}
	return true;
}

/* ---- the loop ---- */

static const char *names_of(const Aligner *a)
{
	const char *text = "";
	for (uint32_t i = 0; i < a->body->arg_count; i++) {
		if (!a->divisible[i])
			continue;
		IrLoc loc = ir_value_loc(a->body->args[i]);
		bool named = loc && loc->kind == LOC_NAME;
		const char *name = named ? loc->text : arena_printf(a->cx->scratch, "argument %u", i);
		text = arena_printf(a->cx->scratch, "%s%s%s", text, *text ? ", " : "", name);
	}
	return text;
}

/* False: something that it loads cannot be computed again; all is as before. */
static bool split(Aligner *a, uint32_t wanted)
{
	IrModule *m = a->cx->module;
	a->supposed.len = 0;
	IrBuilder front = ir_at(m, a->loop);
	Again g = {.a = a, .stays = ARENA_ARRAY(a->cx->scratch, bool, m->next_value + 1)};
	g.copy = gpu_two_loops(a->cx, a->loop, all_divide(a, &front));
	g.b = ir_at(m, g.copy);
	ir_mapping_init(&g.map, a->cx->scratch);
	a->even = ARENA_ARRAY(a->cx->scratch, IrValue *, a->body->arg_count + 1);
	visit_copy(&g, g.copy);
	ir_walk(g.copy, false, visit_copy, &g);
	a->load_count = 0;
	ir_walk(g.copy, false, visit_inner, a);
	if (words(a, axis_analyse(m, a->cx->scratch)) < wanted) {
		gpu_one_loop(a->loop);
		return false;
	}
	gpu_remark_of(a->gpu, a->loop, NULL, REMARK_LOOP_ALIGNED, names_of(a), (unsigned)a->by);
	return true;
}

static bool align(Aligner *a, IrOp *loop)
{
	uint32_t known, found;
	a->loop = loop;
	a->loops = a->load_count = 0;
	a->by = 1;
	ir_walk(loop, false, visit_inner, a);
	if (a->loops || !a->load_count)
		return false;
	known = words(a, suppose(a, NULL));
	return known < a->load_count && find_arguments(a, known, &found) && split(a, found);
}

static bool visit_loop(void *data, IrOp *op)
{
	Aligner *a = data;
	if (op->kind == OP_FOR && gpu_holds_dot(op))
		vec_push(a->cx->scratch, &a->list, op);
	return true;
}

bool pass_align_loops(PassCx *cx, bool *changed)
{
	Aligner a = {.cx = cx, .gpu = gpu_of(cx)};
	if (!target_has(a.gpu->target, TARGET_CP_ASYNC) || a.gpu->num_ctas > 1)
		return true;
	for (IrOp *func = ir_module_block(cx->module)->first; func; func = func->next) {
		bool kernel = func->kind == OP_FUNC && ir_func_is_public(func, a.gpu->ir);
		a.body = kernel ? ir_func_body(func) : NULL;
		a.list.len = a.supposed.len = 0;
		if (!a.body || a.body->arg_count > MOST_ARGUMENTS)
			continue;
		ir_walk(func, false, visit_loop, &a);
		for (uint32_t i = 0; i < a.list.len; i++)
			*changed = align(&a, a.list.data[i]) || *changed;
	}
	return true;
}
