/* Tiles that CTAs of a cluster share (pass/split_clusters.c says which): TMA copies a part of them
 * for each CTA to the memory of all (multicast).
 *
 * What comes to a CTA's slot is issued by others too, so all must have read a slot before one of
 * them fills it: warps arrive at the barriers of all CTAs. That takes loops whose slots have such
 * barriers (apart), and which all CTAs run in step: as often, under the same conditions. */
#include "gpu/layout/boxes.h"
#include "gpu/loop/schedule.h"
#include "gpu/remark.h"

typedef struct Slice {
	Arena *arena;
	uint8_t *seen; /* by value id */
	VEC(const IrValue *) list;
} Slice;

static void add(Slice *s, const IrValue *v)
{
	if (s->seen[v->id])
		return;
	s->seen[v->id] = true;
	vec_push(s->arena, &s->list, v);
}

static void add_yielded(Slice *s, const IrOp *op, uint32_t number)
{
	for (uint32_t r = 0; r < op->region_count; r++) {
		const IrOp *last = op->regions[r].first ? ir_terminator(op->regions[r].first) : NULL;
		uint32_t at = number + (last && last->kind == OP_CONDITION);
		for (uint32_t i = 0; last && last->kind == OP_CONDITION && i < last->operand_count; i++)
			add(s, ir_operand(last, i));
		if (last && at < last->operand_count)
			add(s, ir_operand(last, at));
	}
}

/* What the value comes from; false: it may differ between CTAs. */
static bool follow(Slice *s, const IrValue *v)
{
	const IrOp *op = v->def ? v->def : v->block->region->op;
	bool loop = op->kind == OP_FOR || op->kind == OP_WHILE;
	if (v->def && (op->kind == OP_CTA_RANK || ir_has_trait(op, TRAIT_WRITE) || op->kind == OP_CALL))
		return false;
	if (!v->def && op->kind == OP_FUNC)
		return true;
	for (uint32_t i = 0; i < op->operand_count && (v->def || loop); i++)
		add(s, ir_operand(op, i));
	if (loop || op->kind == OP_IF)
		add_yielded(s, op, v->def ? v->index : v->index - (op->kind == OP_FOR && v->index));
	return loop || v->def;
}

static bool is_same(Slice *s)
{
	for (uint32_t i = 0; i < s->list.len; i++)
		if (!follow(s, s->list.data[i]))
			return false;
	return true;
}

/* Do all CTAs run the loop as often, and come to it under the same conditions? */
static bool runs_in_step(Arena *arena, const IrModule *m, const IrOp *loop)
{
	Slice s = {.arena = arena, .seen = ARENA_ARRAY(arena, uint8_t, m->next_value)};
	for (const IrOp *op = loop; op->kind != OP_FUNC; op = ir_parent_op(op)) {
		if (op->kind != OP_FOR && op->kind != OP_IF)
			return false;
		for (uint32_t i = 0; i < MIN(op->operand_count, op->kind == OP_FOR ? 3u : 1u); i++)
			add(&s, ir_operand(op, i));
	}
	return is_same(&s);
}

static bool find_roles(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_WARP_SPECIALIZE;
	return !*found;
}

/* Warps of other roles do not come where all threads of the cluster meet. */
static bool has_roles(const IrOp *loop)
{
	bool found = false;
	ir_walk(ir_func_of((IrOp *)(uintptr_t)loop), false, find_roles, &found);
	return found;
}

/* Boxes of which each CTA brings as many, or one whose rows they share; its map is then this load's
 * alone. */
static bool can_be_shared(GpuCx *gpu, const ScheduledLoad *l, unsigned mask)
{
	GpuBox box;
	unsigned ctas = 1u << __builtin_popcount(mask);
	const IrValue *map = ir_operand(l->load, 0);
	return l->boxes && mask && gpu_box_of(gpu, map->type->elem, gpu_map_layout(gpu, map->type), &box) &&
	       gpu_box_may_share(&box, ctas) && (box.count >= ctas || ir_has_one_use(map));
}

void schedule_share(GpuCx *gpu, Arena *arena, const IrModule *m, Schedule *s)
{
	bool apart = s->apart || (s->for_products && (s->kept || s->meets) && !schedule_is_rotated(s));
	bool other = s->left || s->whole || s->counted || !s->slots;
	if (gpu->cluster == 1 || !gpu->multicast || other || !apart || !runs_in_step(arena, m, s->loop) ||
	    has_roles(s->loop))
		return;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		ScheduledLoad *l = &s->loads.data[i];
		unsigned mask = (unsigned)ir_get_int(l->load, gpu->ir, ATTR_SHARED_BY, 0);
		if (l->kind != SCHEDULE_COPIED || !can_be_shared(gpu, l, mask))
			continue;
		l->shared_by = mask;
		s->shared = s->apart = true;
		gpu_remark_of(gpu, l->load, NULL, REMARK_LOAD_SHARED, 1u << __builtin_popcount(mask));
	}
}
