/* structure: branches between blocks become scf.if, so that every function is one block and all
 * later stages see structured control flow only. Upstream emits branches for `return` in the
 * middle of a function; they never go backward.
 *
 * Method: the function is emitted anew, path by path. The two sides of a conditional branch meet
 * again at a block M: they become the regions of an scf.if, which yields M's arguments, and M
 * follows it. If a side may return before M, the scf.if also yields a flag and the values to
 * return, and what follows goes into the else region of `scf.if flag`. Sides that never meet are
 * emitted to their end inside the regions: the rest of the function nests. A join block that this
 * cannot serve (paths cross) is emitted once for each path.
 *
 * Invariants: each value is emitted before its uses, because the region of a block's copy lies
 * inside, or after, that of every block that dominates it. Bounded: the size of the result is
 * limited, cycles are diagnosed. */
#include "ir/pass.h"

enum {
	MOST_BLOCKS = 2000,
	MOST_COPIES = 20, /* the result may be larger than the function by this factor... */
	FREE_OPS = 10000, /* ... and by this number of ops */
	MOST_NESTED = 150, /* regions: the text form reads back at most 200 */
	MOST_WORK = 100000000, /* steps of searches in the graph */
};

/* Where the paths of a region end: at `stop` (NULL: at a return only). Flagged: or at a return before it. */
typedef struct Context {
	const IrBlock *stop;
	bool flagged, function;
} Context;

typedef struct Lift {
	PassCx *cx;
	IrModule *m;
	IrOp *func;
	IrType type;
	IrMapping map;
	const IrBlock **order; /* blocks, each before those it branches to */
	uint32_t block_count;
	uint32_t *number; /* by block id: place in `order`, from 1; 0: not reached */
	uint64_t budget, work;
	uint32_t nested;
	bool failed;
} Lift;

static IrCx *cx_of(const Lift *l)
{
	return l->m->cx;
}

static bool fail(Lift *l, const IrOp *op, DiagCode code)
{
	l->failed = true;
	ir_diag(l->cx->diags, op->loc, code, ir_func_name(l->func));
	return false;
}

/* ---- the graph ---- */

typedef enum { UNSEEN, OPEN, DONE } Mark;

/* Blocks in topological order; false after diagnosing a cycle. */
static bool sort_blocks(Lift *l)
{
	const IrRegion *region = &l->func->regions[0];
	Arena *arena = l->cx->scratch;
	uint32_t n = 0, depth = 0;
	for (const IrBlock *b = region->first; b; b = b->next)
		n++;
	if (n > MOST_BLOCKS)
		return fail(l, l->func, DIAG_STRUCTURE_SIZE);
	Mark *marks = ARENA_ARRAY(arena, Mark, l->m->next_block);
	const IrBlock **stack = ARENA_ARRAY(arena, const IrBlock *, n);
	const IrBlock **order = ARENA_ARRAY(arena, const IrBlock *, n);
	uint32_t *next = ARENA_ARRAY(arena, uint32_t, n), at = n;
	l->number = ARENA_ARRAY(arena, uint32_t, l->m->next_block);
	stack[depth++] = region->first;
	marks[region->first->id] = OPEN;
	while (depth) {
		const IrBlock *b = stack[depth - 1];
		ASSERT(ir_terminator(b));
		if (next[depth - 1] == b->last->succ_count) {
			marks[b->id] = DONE;
			order[--at] = b;
			depth--;
			continue;
		}
		const IrBlock *to = b->last->succ[next[depth - 1]++];
		if (marks[to->id] == OPEN)
			return fail(l, b->last, DIAG_STRUCTURE_CYCLE);
		if (marks[to->id] == UNSEEN) {
			marks[to->id] = OPEN;
			next[depth] = 0;
			stack[depth++] = to;
		}
	}
	l->order = order + at;
	l->block_count = n - at;
	for (uint32_t i = 0; i < l->block_count; i++)
		l->number[l->order[i]->id] = i + 1;
	return true;
}

/* Marks (by place in `order`) what is reached from `from`, itself too, going neither past `stop` nor into `without`. */
static bool *reach(Lift *l, const IrBlock *from, const IrBlock *stop, const IrBlock *without)
{
	bool *seen = ARENA_ARRAY(l->cx->scratch, bool, l->block_count);
	l->work += l->block_count;
	if (from == without || l->work > MOST_WORK)
		return seen;
	seen[l->number[from->id] - 1] = true;
	for (uint32_t i = l->number[from->id] - 1; i < l->block_count; i++) {
		const IrOp *end = l->order[i]->last;
		if (!seen[i] || l->order[i] == stop)
			continue;
		for (uint32_t s = 0; s < end->succ_count; s++)
			if (end->succ[s] != without)
				seen[l->number[end->succ[s]->id] - 1] = true;
	}
	return seen;
}

/* Does a path from the branch return without passing `merge`? */
static bool may_return(Lift *l, const IrOp *branch, const IrBlock *merge)
{
	for (uint32_t s = 0; s < 2; s++) {
		const bool *seen = reach(l, branch->succ[s], NULL, merge);
		for (uint32_t i = 0; i < l->block_count; i++)
			if (seen[i] && l->order[i]->last->kind == OP_RETURN)
				return true;
	}
	return false;
}

/* Where both ways of a branch go on together, or NULL. */
static const IrBlock *find_merge(Lift *l, const IrOp *branch, const IrBlock *stop)
{
	const bool *a = reach(l, branch->succ[0], stop, NULL), *b = reach(l, branch->succ[1], stop, NULL);
	for (uint32_t i = 0; i < l->block_count; i++) {
		const IrBlock *candidate = l->order[i];
		if (!a[i] || !b[i])
			continue;
		if (candidate == stop)
			return stop;
		const bool *c = reach(l, branch->succ[0], stop, candidate);
		const bool *d = reach(l, branch->succ[1], stop, candidate);
		bool all_pass = !stop || (!c[l->number[stop->id] - 1] && !d[l->number[stop->id] - 1]);
		for (uint32_t k = i + 1; k < l->block_count && all_pass; k++)
			all_pass = !(c[k] && d[k]);
		if (all_pass)
			return candidate;
	}
	return NULL;
}

/* ---- emission ---- */

typedef struct Values {
	VEC(IrValue *) list;
} Values;

static void add_value(Lift *l, Values *values, IrValue *value)
{
	vec_push(l->cx->scratch, &values->list, value);
}

static uint32_t return_count(const Lift *l)
{
	return l->type->len - l->type->split;
}

/* What a region in this context yields: flag, values to return, arguments of stop. */
static uint32_t layout(Lift *l, Context c, IrType *types)
{
	uint32_t n = 0;
	if (c.stop && c.flagged)
		types[n++] = ir_scalar(cx_of(l), TY_I1);
	for (uint32_t i = 0; (!c.stop || c.flagged) && i < return_count(l); i++)
		types[n++] = l->type->list[l->type->split + i];
	for (uint32_t i = 0; c.stop && i < c.stop->arg_count; i++)
		types[n++] = c.stop->args[i]->type;
	return n;
}

static uint32_t layout_len(const Lift *l, Context c)
{
	return 1 + return_count(l) + (c.stop ? c.stop->arg_count : 0);
}

static void end_path(Lift *l, IrBuilder *b, Context c, const Values *values)
{
	(void)l;
	irb_op(b, c.function ? OP_RETURN : OP_YIELD, values->list.data, values->list.len, NULL, 0, 0);
}

static IrValue *poison(IrBuilder *b, IrType type)
{
	return irb_0(b, OP_POISON, type);
}

static void end_at_return(Lift *l, IrBuilder *b, Context c, IrValue *const *returned)
{
	Values values = {0};
	ASSERT(!c.stop || c.flagged);
	if (c.stop)
		add_value(l, &values, irb_int(b, ir_scalar(cx_of(l), TY_I1), 1));
	for (uint32_t i = 0; i < return_count(l); i++)
		add_value(l, &values, returned[i]);
	for (uint32_t i = 0; c.stop && i < c.stop->arg_count; i++)
		add_value(l, &values, poison(b, c.stop->args[i]->type));
	end_path(l, b, c, &values);
}

static void end_at_stop(Lift *l, IrBuilder *b, Context c, IrValue *const *args)
{
	Values values = {0};
	if (c.flagged) {
		add_value(l, &values, irb_int(b, ir_scalar(cx_of(l), TY_I1), 0));
		for (uint32_t i = 0; i < return_count(l); i++)
			add_value(l, &values, poison(b, l->type->list[l->type->split + i]));
	}
	for (uint32_t i = 0; i < c.stop->arg_count; i++)
		add_value(l, &values, args[i]);
	end_path(l, b, c, &values);
}

static void emit(Lift *l, IrBuilder *b, Context c, const IrBlock *block, IrValue *const *args);

static IrValue **mapped_operands(Lift *l, const IrOp *op, uint32_t from, uint32_t to)
{
	IrValue **values = ARENA_ARRAY(l->cx->scratch, IrValue *, to - from + 1);
	for (uint32_t i = from; i < to; i++)
		values[i - from] = ir_mapping_get(&l->map, ir_operand(op, i));
	return values;
}

/* The arguments that successor `s` of a branch gets. */
static IrValue **successor_args(Lift *l, const IrOp *branch, uint32_t s)
{
	uint32_t first = branch->kind == OP_COND_BR;
	uint32_t split = branch->kind == OP_COND_BR ? 1 + branch->succ_split : branch->operand_count;
	return s == 0 ? mapped_operands(l, branch, first, split)
		      : mapped_operands(l, branch, split, branch->operand_count);
}

static IrOp *make_if(Lift *l, IrBuilder *b, IrValue *condition, Context inner)
{
	IrType *types = ARENA_ARRAY(l->cx->scratch, IrType, layout_len(l, inner));
	uint32_t n = layout(l, inner, types);
	IrOp *made = irb_op(b, OP_IF, &condition, 1, types, n, 2);
	for (uint32_t r = 0; r < 2; r++)
		ir_block_new(l->m, &made->regions[r]);
	return made;
}

static IrValue **results_from(Lift *l, IrOp *op, uint32_t from)
{
	IrValue **values = ARENA_ARRAY(l->cx->scratch, IrValue *, op->result_count - from + 1);
	for (uint32_t i = from; i < op->result_count; i++)
		values[i - from] = &op->results[i];
	return values;
}

/* A region of its own, from a block with these arguments on. */
static void emit_region(Lift *l, IrRegion *region, IrLoc loc, Context c, const IrBlock *block, IrValue *const *args)
{
	IrBuilder b = ir_at_end(l->m, region->first, loc);
	l->nested++;
	emit(l, &b, c, block, args);
	l->nested--;
}

static void end_with_results(Lift *l, IrBuilder *b, Context c, IrOp *made)
{
	Values values = {0};
	for (uint32_t i = 0; i < made->result_count; i++)
		add_value(l, &values, &made->results[i]);
	end_path(l, b, c, &values);
}

/* After an scf.if whose ways may have returned: return too, or go on at the block where they meet. */
static void emit_flagged(Lift *l, IrBuilder *b, Context c, IrOp *made, const IrBlock *merge)
{
	Context rest = {.stop = c.stop, .flagged = c.flagged};
	IrOp *check = make_if(l, b, &made->results[0], rest);
	IrBuilder returned = ir_at_end(l->m, check->regions[0].first, b->loc);
	end_at_return(l, &returned, rest, results_from(l, made, 1));
	emit_region(l, &check->regions[1], b->loc, rest, merge, results_from(l, made, 1 + return_count(l)));
	end_with_results(l, b, c, check);
}

/* Returns the block to go on with, and its arguments; or NULL when all paths have ended. */
static const IrBlock *emit_branch(Lift *l, IrBuilder *b, Context c, const IrOp *branch, IrValue ***args)
{
	const IrBlock *merge = find_merge(l, branch, c.stop);
	bool to_the_end = !merge || merge == c.stop;
	Context inner = {.stop = c.stop, .flagged = c.flagged};
	if (!to_the_end)
		inner = (Context){.stop = merge, .flagged = may_return(l, branch, merge)};
	IrOp *made = make_if(l, b, ir_mapping_get(&l->map, ir_operand(branch, 0)), inner);
	for (uint32_t s = 0; s < 2; s++)
		emit_region(l, &made->regions[s], branch->loc, inner, branch->succ[s], successor_args(l, branch, s));
	if (to_the_end) {
		end_with_results(l, b, c, made);
		return NULL;
	}
	if (inner.flagged) {
		emit_flagged(l, b, c, made, merge);
		return NULL;
	}
	*args = results_from(l, made, 0);
	return merge;
}

static bool may_grow(Lift *l, const IrOp *op)
{
	if (l->failed)
		return false;
	if (l->budget == 0 || l->work > MOST_WORK || l->nested > MOST_NESTED)
		return fail(l, op, DIAG_STRUCTURE_SIZE);
	l->budget--;
	return true;
}

/* A block and all that follows it, up to the ends of the paths. */
static void emit(Lift *l, IrBuilder *b, Context c, const IrBlock *block, IrValue *const *args)
{
	while (block) {
		if (block == c.stop) {
			end_at_stop(l, b, c, args);
			return;
		}
		for (uint32_t i = 0; args && i < block->arg_count; i++)
			ir_mapping_put(&l->map, block->args[i], args[i]);
		for (const IrOp *op = block->first; op != block->last; op = op->next) {
			if (!may_grow(l, op))
				return;
			ir_op_append(b->block, ir_clone(l->m, op, &l->map, NULL, NULL));
		}
		const IrOp *end = block->last;
		IrValue **next_args = NULL;
		if (!may_grow(l, end))
			return;
		b->loc = end->loc;
		if (end->kind == OP_RETURN) {
			end_at_return(l, b, c, mapped_operands(l, end, 0, end->operand_count));
			return;
		}
		if (end->kind == OP_BR) {
			next_args = successor_args(l, end, 0);
			block = end->succ[0];
		} else {
			block = emit_branch(l, b, c, end, &next_args);
		}
		args = next_args;
	}
}

/* ---- functions ---- */

static uint64_t op_count(const IrRegion *region)
{
	uint64_t n = 0;
	for (const IrBlock *b = region->first; b; b = b->next)
		for (const IrOp *op = b->first; op; op = op->next)
			n++;
	return n;
}

static void drop_blocks(IrRegion *region)
{
	for (IrBlock *b = region->first; b; b = b->next)
		for (IrOp *op = b->first; op; op = op->next)
			ir_drop_operands(op);
	while (region->first)
		ir_block_unlink(region->first);
}

static bool lift(PassCx *cx, IrOp *func)
{
	CONTRACT(func->region_count);
	Lift l = {.cx = cx, .m = cx->module, .func = func, .type = ir_func_type_of(func)};
	IrRegion *region = &func->regions[0];
	l.budget = FREE_OPS + MOST_COPIES * op_count(region);
	ir_mapping_init(&l.map, cx->scratch);
	if (!sort_blocks(&l))
		return false;
	const IrBlock *entry = region->first;
	IrBlock *body = ir_block_new(l.m, NULL);
	for (uint32_t i = 0; i < entry->arg_count; i++)
		ir_mapping_put(&l.map, entry->args[i],
			       ir_block_arg_add(l.m, body, entry->args[i]->type, entry->args[i]->loc));
	IrBuilder b = ir_at_end(l.m, body, func->loc);
	emit(&l, &b, (Context){.function = true}, entry, NULL);
	if (l.failed) {
		for (IrOp *op = body->first; op; op = op->next)
			ir_drop_operands(op);
		return false;
	}
	drop_blocks(region);
	ir_block_append(region, body);
	return true;
}

bool pass_structure(PassCx *cx, bool *changed)
{
	bool ok = true;
	for (IrOp *op = ir_module_block(cx->module)->first; op; op = op->next) {
		if (op->kind != OP_FUNC || !ir_func_body(op) || !ir_func_body(op)->next)
			continue;
		*changed = true;
		ok = lift(cx, op) && ok;
	}
	return ok;
}
