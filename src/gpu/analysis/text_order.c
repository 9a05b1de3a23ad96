/* Numbers ops in text order, from 0. */
#include "gpu/analysis/text_order.h"

static uint32_t number_region(const TextOrder *o, const IrRegion *region, uint32_t next)
{
	for (const IrBlock *block = region->first; block; block = block->next)
		for (const IrOp *op = block->first; op; op = op->next) {
			o->start[op->id] = o->end[op->id] = next++;
			for (uint32_t r = 0; r < op->region_count; r++)
				next = number_region(o, &op->regions[r], next);
			if (op->region_count)
				o->end[op->id] = next++;
		}
	return next;
}

TextOrder text_order(Arena *arena, const IrModule *m, const IrOp *func)
{
	CONTRACT(func->region_count);
	TextOrder o = {ARENA_ARRAY(arena, uint32_t, m->next_op), ARENA_ARRAY(arena, uint32_t, m->next_op)};
	number_region(&o, &func->regions[0], 0);
	return o;
}
