/* Copies of ops with their regions, values renamed through an IrMapping. */
#include "ir/ir.h"

void ir_mapping_init(IrMapping *map, Arena *arena)
{
	*map = (IrMapping){.arena = arena};
}

/* Both tables hold pairs (key, value) in slots 2 i, 2 i + 1; a key is never NULL. */
static void **slot_of(void **pairs, uint32_t cap, const void *key, uint32_t id)
{
	uint32_t at = id * 0x9e3779b1u & (cap - 1);
	while (pairs[2 * at] && pairs[2 * at] != key)
		at = (at + 1) & (cap - 1);
	return &pairs[2 * at];
}

void ir_mapping_put(IrMapping *map, IrValue *from, IrValue *to)
{
	if (map->len * 2 >= map->cap) {
		uint32_t cap = map->cap ? map->cap * 2 : 32;
		IrValue **pairs = ARENA_ARRAY(map->arena, IrValue *, 2 * cap);
		for (uint32_t i = 0; i < map->cap; i++) {
			if (!map->pairs[2 * i])
				continue;
			void **slot = slot_of((void **)pairs, cap, map->pairs[2 * i], map->pairs[2 * i]->id);
			slot[0] = map->pairs[2 * i];
			slot[1] = map->pairs[2 * i + 1];
		}
		map->pairs = pairs;
		map->cap = cap;
	}
	void **slot = slot_of((void **)map->pairs, map->cap, from, from->id);
	map->len += !slot[0];
	slot[0] = from;
	slot[1] = to;
}

IrValue *ir_mapping_get(const IrMapping *map, IrValue *from)
{
	if (!from || !map->cap)
		return from;
	void **slot = slot_of((void **)map->pairs, map->cap, from, from->id);
	return slot[0] ? slot[1] : from;
}

static void put_block(IrMapping *map, IrBlock *from, IrBlock *to)
{
	if (map->block_len * 2 >= map->block_cap) {
		uint32_t cap = map->block_cap ? map->block_cap * 2 : 16;
		IrBlock **pairs = ARENA_ARRAY(map->arena, IrBlock *, 2 * cap);
		for (uint32_t i = 0; i < map->block_cap; i++) {
			if (!map->blocks[2 * i])
				continue;
			void **slot = slot_of((void **)pairs, cap, map->blocks[2 * i], map->blocks[2 * i]->id);
			slot[0] = map->blocks[2 * i];
			slot[1] = map->blocks[2 * i + 1];
		}
		map->blocks = pairs;
		map->block_cap = cap;
	}
	void **slot = slot_of((void **)map->blocks, map->block_cap, from, from->id);
	map->block_len += !slot[0];
	slot[0] = from;
	slot[1] = to;
}

static IrBlock *get_block(const IrMapping *map, IrBlock *from)
{
	if (!from || !map->block_cap)
		return from;
	void **slot = slot_of((void **)map->blocks, map->block_cap, from, from->id);
	return slot[0] ? slot[1] : from;
}

static IrLoc moved(IrRelocate *relocate, void *data, IrLoc loc)
{
	return relocate ? relocate(data, loc) : loc;
}

IrOp *ir_clone(IrModule *m, const IrOp *op, IrMapping *map, IrRelocate *relocate, void *data)
{
	CONTRACT(op->kind < OP__COUNT);
	IrOp *copy = ir_op_new(m, op->kind, moved(relocate, data, op->loc), NULL, op->operand_count, NULL, 0,
			       op->region_count);
	copy->result_count = op->result_count;
	copy->results = op->result_count ? ARENA_ARRAY(m->cx->arena, IrValue, op->result_count) : NULL;
	for (uint32_t i = 0; i < op->result_count; i++) {
		copy->results[i] = (IrValue){
			.type = op->results[i].type, .id = m->next_value++, .index = i, .def = copy};
		ir_mapping_put(map, &op->results[i], &copy->results[i]);
	}
	for (uint32_t i = 0; i < op->operand_count; i++)
		ir_operand_set(copy, i, ir_mapping_get(map, ir_operand(op, i)));
	copy->attr_count = op->attr_count;
	copy->attrs = arena_copy(m->cx->arena, op->attrs, op->attr_count * sizeof *op->attrs);
	copy->succ_count = op->succ_count;
	copy->succ_split = op->succ_split;
	for (uint32_t i = 0; i < op->succ_count; i++)
		copy->succ[i] = get_block(map, op->succ[i]);
	for (uint32_t r = 0; r < op->region_count; r++) {
		/* All blocks first: branches go forward and backward. */
		for (IrBlock *b = op->regions[r].first; b; b = b->next) {
			IrBlock *block = ir_block_new(m, &copy->regions[r]);
			put_block(map, b, block);
			for (uint32_t i = 0; i < b->arg_count; i++)
				ir_mapping_put(map, b->args[i],
					       ir_block_arg_add(m, block, b->args[i]->type,
								moved(relocate, data, b->args[i]->loc)));
		}
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			for (IrOp *inner = b->first; inner; inner = inner->next)
				ir_op_append(get_block(map, b), ir_clone(m, inner, map, relocate, data));
	}
	return copy;
}
