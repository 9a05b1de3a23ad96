/* Estimates of register pressure. */
#include "gpu/analysis/pressure.h"

#include "base/map.h"

unsigned gpu_words(GpuCx *cx, IrType type)
{
	unsigned bits = MAX(ir_elem(type)->bits, 8u);
	if (!ir_is_tensor(type))
		return bits > 32 ? 2 : 1;
	const Layout *l = layout_strip_registers(&cx->layouts, gpu_layout(cx, type));
	uint64_t elements = (uint64_t)layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_REGISTER);
	return (unsigned)((elements * bits + 31) / 32);
}

unsigned gpu_carried_words(GpuCx *cx, const IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	const IrBlock *body = loop->regions[0].first;
	unsigned words = 0;
	for (uint32_t i = 1; i < body->arg_count; i++)
		if (!ir_is_ptr(ir_elem(body->args[i]->type)))
			words += gpu_words(cx, body->args[i]->type);
	return words;
}

/* Is it what a program computes with, and not where it finds it? */
static bool is_data(const IrValue *v)
{
	IrType elem = ir_elem(v->type);
	bool cheap = v->def && (ir_has_trait(v->def, TRAIT_CONST) || v->def->kind == OP_SPLAT ||
				v->def->kind == OP_BROADCAST);
	return ir_is_tensor(v->type) && !cheap && (ir_is_float(elem) || (v->def && v->def->kind == OP_LOAD));
}

/* What loads are not moved over, by us or by who comes after. */
static bool parts(const IrOp *op)
{
	return op->region_count || op->kind == OP_CONVERT_LAYOUT || op->kind == OP_GATHER ||
	       op->kind == OP_HISTOGRAM ||
	       (op->kind != OP_LOAD && ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC | TRAIT_READ | TRAIT_TERM));
}

/* The op of the block that `user` is, or is inside of; NULL: it is outside. */
static const IrOp *within(const IrOp *user, const IrBlock *block)
{
	while (user && user->block != block)
		user = ir_parent_op(user);
	return user;
}

/* Is the value, which is there before `first`, used by it or behind it? Marked ops stand behind. */
static bool needed(const IrValue *v, const IrBlock *block, const bool *behind)
{
	for (const IrUse *use = v->uses; use; use = use->next) {
		const IrOp *at = within(use->owner, block);
		if (at && behind[at->id])
			return true;
	}
	return false;
}

typedef struct LoopWords {
	GpuCx *cx;
	const IrOp *loop;
	Map seen;
	unsigned words;
} LoopWords;

static unsigned masked_words(GpuCx *cx, const IrOp *op)
{
	bool masked = op->kind == OP_LOAD && op->operand_count > 1 && ir_is_tensor(op->results[0].type);
	return masked ? gpu_words(cx, op->results[0].type) : 0;
}

static bool visit_loop_words(void *data, IrOp *op)
{
	LoopWords *l = data;
	l->words += masked_words(l->cx, op);
	for (uint32_t i = 0; i < op->operand_count && op != l->loop; i++) {
		const IrValue *v = ir_operand(op, i);
		uint64_t found;
		uint64_t key = (uint64_t)(uintptr_t)v;
		if (!v->def || !is_data(v) || ir_is_inside(v->def, l->loop) ||
		    map_get(&l->seen, key, &found))
			continue;
		map_put(&l->seen, key, 1);
		l->words += gpu_words(l->cx, v->type);
	}
	return true;
}

/* What the innermost loop around the load holds all the time: registers of masked loads, and
 * data from outside that it uses. None: 0. */
static unsigned words_of_loop(GpuCx *cx, const IrOp *load)
{
	IrOp *loop = ir_parent_op(load);
	while (loop && loop->kind != OP_FOR && loop->kind != OP_WHILE)
		loop = ir_parent_op(loop);
	LoopWords l = {.cx = cx, .loop = loop};
	map_init(&l.seen, cx->arena);
	if (loop)
		ir_walk(loop, false, visit_loop_words, &l);
	return l.words;
}

unsigned gpu_crowd(GpuCx *cx, const IrOp *load)
{
	const IrBlock *block = load->block;
	const IrOp *first = load;
	uint32_t most = 0;
	unsigned words = words_of_loop(cx, load);
	bool looped = words;
	while (first->prev && !parts(first->prev))
		first = first->prev;
	for (const IrOp *op = block->first; op; op = op->next)
		most = MAX(most, op->id + 1);
	bool *behind = ARENA_ARRAY(cx->arena, bool, most);
	for (const IrOp *op = first; op; op = op->next)
		behind[op->id] = true;
	for (const IrOp *op = first; op && !parts(op); op = op->next)
		if (op->kind == OP_LOAD && ir_is_tensor(op->results[0].type) &&
		    (!masked_words(cx, op) || !looped))
			words += gpu_words(cx, op->results[0].type);
	for (uint32_t i = 0; i < block->arg_count; i++)
		if (is_data(block->args[i]) && needed(block->args[i], block, behind))
			words += gpu_words(cx, block->args[i]->type);
	for (const IrOp *op = block->first; op != first; op = op->next)
		for (uint32_t i = 0; i < op->result_count; i++)
			if (is_data(&op->results[i]) && needed(&op->results[i], block, behind))
				words += gpu_words(cx, op->results[i].type);
	return words;
}

/* ---- where most is held ---- */

/* Ops in the order of the text: number i begins at
 * begin[i], and what is in its regions ends at end[i]. */
typedef struct Peak {
	GpuCx *cx;
	Arena *scratch;
	uint32_t *number, *end; /* by op id */
	int64_t *change;        /* of the registers that are held, by number */
	const IrOp **ops;       /* by number */
	uint32_t count;
} Peak;

static void number_ops(Peak *p, const IrBlock *block)
{
	for (const IrOp *op = block->first; op; op = op->next) {
		p->ops[p->count] = op;
		p->number[op->id] = p->count++;
		for (uint32_t r = 0; r < op->region_count; r++)
			for (const IrBlock *b = op->regions[r].first; b; b = b->next)
				number_ops(p, b);
		p->end[op->id] = p->count - 1;
	}
}

/* From behind op `from` to what needs the value last: an op takes its operands before it has
 * results, and a loop that uses what is outside needs it to its end. */
static void hold(Peak *p, const IrValue *v, const IrBlock *block, uint32_t from)
{
	uint32_t until = from;
	if (!is_data(v))
		return;
	for (const IrUse *use = v->uses; use; use = use->next) {
		const IrOp *at = within(use->owner, block);
		if (at)
			until = MAX(until, at == use->owner ? p->number[at->id] : p->end[at->id]);
	}
	unsigned rounds = v->def ? (unsigned)ir_get_int(v->def, p->cx->ir, ATTR_ROUNDS, 0) : 0;
	unsigned words = gpu_words(p->cx, v->type) >> rounds;
	p->change[from + 1] += words;
	p->change[until + 1] -= words;
}

/* Is what a loop carries handed on as it is, and not used? */
static bool is_idle(const IrValue *arg)
{
	return arg->uses && !arg->uses->next && arg->uses->owner->kind == OP_YIELD;
}

static void hold_all(Peak *p, const IrBlock *block, uint32_t first)
{
	for (uint32_t i = 0; i < block->arg_count; i++)
		if (!is_idle(block->args[i]))
			hold(p, block->args[i], block, first);
	for (const IrOp *op = block->first; op; op = op->next) {
		for (uint32_t i = 0; i < op->result_count; i++)
			hold(p, &op->results[i], block, p->end[op->id]);
		bool tiles = op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_IF ||
			     op->kind == OP_WARP_SPECIALIZE;
		for (uint32_t r = 0; r < op->region_count && tiles; r++)
			for (const IrBlock *b = op->regions[r].first; b; b = b->next)
				hold_all(p, b, p->number[op->id]);
	}
}

GpuHeld gpu_held(GpuCx *cx, Arena *scratch, const IrModule *module, const IrOp *func)
{
	CONTRACT(func->kind == OP_FUNC && ir_func_body(func));
	uint32_t ops = module->next_op;
	Peak p = {cx, scratch, ARENA_ARRAY(scratch, uint32_t, ops), ARENA_ARRAY(scratch, uint32_t, ops),
		  ARENA_ARRAY(scratch, int64_t, ops + 2), ARENA_ARRAY(scratch, const IrOp *, ops), 0};
	const IrBlock *body = ir_func_body(func);
	int64_t held = 0;
	number_ops(&p, body);
	hold_all(&p, body, 0);
	GpuHeld h = {p.ops, ARENA_ARRAY(scratch, unsigned, p.count + 1), p.count};
	for (uint32_t i = 0; i < p.count; i++) {
		held += p.change[i];
		h.words[i] = (unsigned)MAX(held, 0);
	}
	return h;
}

const IrOp *gpu_peak(GpuCx *cx, Arena *scratch, const IrModule *module, const IrOp *func, unsigned *words)
{
	GpuHeld h = gpu_held(cx, scratch, module, func);
	const IrOp *best = NULL;
	*words = 0;
	for (uint32_t i = 0; i < h.count; i++)
		if (h.words[i] > *words) {
			*words = h.words[i];
			best = h.ops[i];
		}
	return best;
}
