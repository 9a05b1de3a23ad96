/* Copies of ops with their regions, values renamed through an IrMapping. */
#include "ir/ir.h"

void ir_mapping_init(IrMapping *map, Arena *arena)
{
	*map = (IrMapping){.arena = arena};
}

struct IrMapEntry {
	const void *from; /* NULL: free */
	void *to;
	uint32_t id; /* of `from`, which is what is hashed */
};

static struct IrMapEntry *entry_of(const struct IrMapTable *table, const void *from, uint32_t id)
{
	uint32_t at = id * 0x9e3779b1u & (table->cap - 1);
	while (table->entries[at].from && table->entries[at].from != from)
		at = (at + 1) & (table->cap - 1);
	return &table->entries[at];
}

static void put(Arena *arena, struct IrMapTable *table, const void *from, uint32_t id, void *to)
{
	if (table->len * 2 >= table->cap) {
		struct IrMapTable old = *table;
		table->cap = old.cap ? old.cap * 2 : 32;
		table->entries = ARENA_ARRAY(arena, struct IrMapEntry, table->cap);
		for (uint32_t i = 0; i < old.cap; i++)
			if (old.entries[i].from)
				*entry_of(table, old.entries[i].from, old.entries[i].id) = old.entries[i];
	}
	struct IrMapEntry *entry = entry_of(table, from, id);
	table->len += !entry->from;
	*entry = (struct IrMapEntry){from, to, id};
}

static void *get(const struct IrMapTable *table, const void *from, uint32_t id)
{
	return table->cap ? entry_of(table, from, id)->to : NULL;
}

void ir_mapping_put(IrMapping *map, IrValue *from, IrValue *to)
{
	CONTRACT(from && to);
	put(map->arena, &map->values, from, from->id, to);
}

IrValue *ir_mapping_get(const IrMapping *map, IrValue *from)
{
	IrValue *to = from ? get(&map->values, from, from->id) : NULL;
	return to ? to : from;
}

static IrBlock *get_block(const IrMapping *map, IrBlock *from)
{
	IrBlock *to = from ? get(&map->blocks, from, from->id) : NULL;
	return to ? to : from;
}

static IrLoc moved(IrRelocate *relocate, void *data, IrLoc loc)
{
	return relocate ? relocate(data, loc) : loc;
}

IrOp *ir_clone(IrModule *m, const IrOp *op, IrMapping *map, IrRelocate *relocate, void *data)
{
	CONTRACT(map->arena);
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
			put(map->arena, &map->blocks, b, b->id, block);
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

IrValue *ir_clone_value(IrModule *m, IrValue *v, const IrOp *loop, IrMapping *map, IrOp *before)
{
	IrValue *known = ir_mapping_get(map, v);
	if (known != v || ir_is_defined_outside(v, loop))
		return known;
	CONTRACT(v->def);
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		ir_clone_value(m, ir_operand(v->def, i), loop, map, before);
	ir_op_insert_before(ir_clone(m, v->def, map, NULL, NULL), before);
	return ir_mapping_get(map, v);
}
