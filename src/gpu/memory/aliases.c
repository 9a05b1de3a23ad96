/* Which shared memory a value may refer to: sets that only grow, propagated along views, tokens,
 * regions and results to a fixed point. A round is linear in the module, with one more for each
 * loop that swaps buffers. */
#include "gpu/memory/memory_int.h"

typedef struct Aliasing {
	GpuAliases *to;
	Arena *arena;
	bool changed;
} Aliasing;

static bool carries_memory(IrType t)
{
	return t->kind == TY_MEMDESC || t->kind == TY_TOKEN;
}

static uint64_t *set_of(Aliasing *a, const IrValue *v)
{
	uint64_t **set = &a->to->sets[v->id];
	if (!*set)
		*set = ARENA_ARRAY(a->arena, uint64_t, a->to->words);
	return *set;
}

/* `to` may be what `from` may be. */
static void flow(Aliasing *a, const IrValue *from, const IrValue *to)
{
	const uint64_t *source = a->to->sets[from->id];
	if (!source || !carries_memory(to->type))
		return;
	uint64_t *set = set_of(a, to);
	for (uint32_t i = 0; i < a->to->words; i++) {
		a->changed = a->changed || (source[i] & ~set[i]);
		set[i] |= source[i];
	}
}

static const IrOp *last_op(const IrRegion *region)
{
	return region->last ? region->last->last : NULL;
}

/* Operands from..n of the op that ends a region, one to one. */
static void flow_to_results(Aliasing *a, const IrOp *end, uint32_t from, const IrOp *op)
{
	for (uint32_t i = 0; end && i < op->result_count && from + i < end->operand_count; i++)
		flow(a, ir_operand(end, from + i), ir_result(op, i));
}

static void flow_to_args(Aliasing *a, const IrOp *op, uint32_t from, const IrRegion *region, uint32_t first)
{
	const IrBlock *block = region->first;
	for (uint32_t i = 0; op && block && first + i < block->arg_count && from + i < op->operand_count; i++)
		flow(a, ir_operand(op, from + i), block->args[first + i]);
}

static bool flow_op(void *data, IrOp *op)
{
	Aliasing *a = data;
	switch (op->kind) {
	case OP_FOR:
		flow_to_args(a, op, 3, &op->regions[0], 1);
		flow_to_args(a, last_op(&op->regions[0]), 0, &op->regions[0], 1);
		flow_to_results(a, last_op(&op->regions[0]), 0, op);
		for (uint32_t i = 0; i < op->result_count; i++)
			flow(a, ir_operand(op, 3 + i), ir_result(op, i));
		return true;
	case OP_WHILE:
		flow_to_args(a, op, 0, &op->regions[0], 0);
		flow_to_args(a, last_op(&op->regions[1]), 0, &op->regions[0], 0);
		flow_to_args(a, last_op(&op->regions[0]), 1, &op->regions[1], 0);
		flow_to_results(a, last_op(&op->regions[0]), 1, op);
		return true;
	case OP_IF:
		for (uint32_t r = 0; r < op->region_count; r++)
			flow_to_results(a, last_op(&op->regions[r]), 0, op);
		return true;
	case OP_WARP_SPECIALIZE: {
		const IrOp *holder = last_op(&op->regions[1]);
		flow_to_results(a, last_op(&op->regions[0]), 0, op);
		for (uint32_t r = 0; holder && r < holder->region_count; r++)
			flow_to_args(a, op, 0, &holder->regions[r], 0);
		return true;
	}
	case OP_LOCAL_ALLOC: {
		uint32_t i = 0;
		while (a->to->allocs[i] != op)
			i++;
		uint64_t *set = set_of(a, ir_result(op, 0)), bit = UINT64_C(1) << (i % 64);
		a->changed = a->changed || !(set[i / 64] & bit);
		set[i / 64] |= bit;
		return true;
	}
	default:
		/* Views, tokens, and whatever else hands memory on. */
		for (uint32_t r = 0; r < op->result_count; r++) {
			if (!carries_memory(op->results[r].type))
				continue;
			for (uint32_t i = 0; i < op->operand_count; i++)
				flow(a, ir_operand(op, i), ir_result(op, r));
		}
		return true;
	}
}

typedef struct Allocs {
	IrOp **list;
	uint32_t count;
} Allocs;

static bool collect(void *data, IrOp *op)
{
	Allocs *allocs = data;
	if (op->kind == OP_LOCAL_ALLOC) {
		if (allocs->list)
			allocs->list[allocs->count] = op;
		allocs->count++;
	}
	return true;
}

static GpuAliases of_func(const IrModule *module, const IrOp *func, Arena *arena)
{
	GpuAliases aliases = {.func = func};
	Allocs allocs = {NULL, 0};
	IrOp *root = (IrOp *)(uintptr_t)func; /* nothing is changed */
	ir_walk(root, false, collect, &allocs);
	aliases.allocs = allocs.list = ARENA_ARRAY(arena, IrOp *, allocs.count);
	aliases.count = allocs.count;
	aliases.words = (allocs.count + 63) / 64;
	aliases.sets = ARENA_ARRAY(arena, uint64_t *, module->next_value);
	allocs.count = 0;
	ir_walk(root, false, collect, &allocs);
	Aliasing a = {&aliases, arena, aliases.count > 0};
	while (a.changed) {
		a.changed = false;
		ir_walk(root, false, flow_op, &a);
	}
	return aliases;
}

GpuAliases *gpu_aliases(const IrModule *module, Arena *arena)
{
	GpuAliases *first = NULL, **end = &first;
	for (const IrOp *func = ir_module_block(module)->first; func; func = func->next) {
		if (func->kind != OP_FUNC || !ir_func_body(func))
			continue;
		*end = ARENA_NEW(arena, GpuAliases);
		**end = of_func(module, func, arena);
		end = &(*end)->next;
	}
	return first;
}

static bool same_set(const GpuAliases *a, const GpuAliases *b, uint32_t value)
{
	const uint64_t *of_a = a->sets[value], *of_b = b->sets[value];
	return !of_a || !of_b ? of_a == of_b : memcmp(of_a, of_b, a->words * sizeof *of_a) == 0;
}

bool gpu_same_aliases(const IrModule *module, const GpuAliases *a, const GpuAliases *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (a->func != b->func || a->count != b->count || memcmp(a->allocs, b->allocs, a->count * sizeof *a->allocs) != 0)
			return false;
		for (uint32_t value = 0; value < module->next_value; value++)
			if (!same_set(a, b, value))
				return false;
	}
	return a == b;
}

const IrRegion *gpu_own_warps_region(const IrOp *op, const IrOp **specialize)
{
	for (const IrOp *at = op; at && at->block; at = ir_parent_op(at)) {
		const IrOp *parent = ir_parent_op(at);
		if (!parent)
			break;
		if (parent->kind == OP_WARP_PARTITIONS)
			*specialize = ir_parent_op(parent);
		else if (parent->kind == OP_WARP_SPECIALIZE)
			*specialize = parent;
		else
			continue;
		return at->block->region;
	}
	*specialize = NULL;
	return NULL;
}
