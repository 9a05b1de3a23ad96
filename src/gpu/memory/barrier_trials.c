/* Barriers, and fences, that others make needless.
 *
 * Each is tried without, in the order of the text: it stays if the walk then meets a hazard. What
 * is in front of it is not walked again, and what is behind it only for as long as it makes a
 * difference: the states with it and without it are walked side by side, and where they are equal,
 * so is all that follows, which has no hazard. Mostly the next barrier does that, so the time is
 * that of a walk from each barrier to the next.
 *
 * The place that is tried is reached through the blocks around it (Level). Inside a loop it is
 * walked with all that may be pending at the loop's head. States that become equal in its body
 * leave that as it is: a removal can only add to what is pending, and what was there is still a
 * fixed point. States that are not equal where a body ends are followed from in front of the
 * loop. */
#include "gpu/memory/barriers_int.h"

typedef struct Level {
	const IrOp *at;
	GpuPending s; /* in front of it */
} Level;

typedef VEC(Level) Levels;

typedef struct Trial {
	GpuBarriers *w;
	bool of_fences;
	/* A walk meets a hazard even with all barriers: in front of roles that need a fence
	 * (fence_roles). So all is walked, in the function's block, and mostly nothing is left
	 * out. */
	bool has_hazard;
	/* And already in front of the place. */
	bool hazard;
	Levels levels; /* from the function's own block to that of the place */
} Trial;

static Trial trial_of(GpuBarriers *w, const IrOp *func, const GpuPending *entry, bool of_fences)
{
	const IrBlock *body = func->regions[0].first;
	CONTRACT(body && !body->next);
	Trial t = {.w = w, .of_fences = of_fences, .has_hazard = w->hazard};
	vec_push(w->arena, &t.levels, (Level){body->first, gpu_pending_copy(w->arena, entry)});
	return t;
}

/* ---- to the place ---- */

static const IrOp *around_in(const IrOp *op, const IrBlock *block)
{
	while (op && op->block != block)
		op = ir_parent_op(op);
	return op;
}

static bool can_enter(const Trial *t, const IrOp *op)
{
	if (t->has_hazard || (op->kind != OP_IF && op->kind != OP_FOR && op->kind != OP_WHILE))
		return false;
	for (uint32_t i = 0; i < op->region_count; i++)
		if (op->regions[i].first && op->regions[i].first->next)
			return false;
	return true;
}

/* What is pending where the region begins; `s` is in front of its op. */
static GpuPending at_region(GpuBarriers *w, const IrRegion *region, const GpuPending *s)
{
	const IrOp *op = region->op;
	GpuPending inside = gpu_pending_copy(w->arena, s);
	if (op->kind == OP_IF)
		return inside;
	inside = gpu_barriers_head(w, op, &inside);
	if (op->kind == OP_WHILE && region == &op->regions[1])
		gpu_barriers_walk_region(w, &op->regions[0], &inside);
	return inside;
}

static void go_to(Trial *t, const IrOp *op)
{
	GpuBarriers *w = t->w;
	w->hazard = t->hazard;
	while (!around_in(op, vec_last(&t->levels).at->block))
		t->levels.len--;
	for (;;) {
		Level *level = &vec_last(&t->levels);
		const IrOp *spot = around_in(op, level->at->block);
		for (; level->at != spot; level->at = level->at->next)
			gpu_barriers_walk_op(w, level->at, &level->s);
		t->hazard = w->hazard;
		if (spot == op || !can_enter(t, spot))
			return;
		const IrOp *inner = op;
		while (ir_parent_op(inner) != spot)
			inner = ir_parent_op(inner);
		Level inside = {inner->block->first, at_region(w, inner->block->region, &level->s)};
		vec_push(w->arena, &t->levels, inside);
	}
}

/* ---- with and without ---- */

typedef struct Sides {
	GpuPending with, without;
} Sides;

static Sides sides_at(GpuBarriers *w, const GpuPending *s)
{
	return (Sides){gpu_pending_copy(w->arena, s), gpu_pending_copy(w->arena, s)};
}

static void set(Trial *t, const IrOp *op, bool there)
{
	if (t->of_fences)
		t->w->fenced[op->id] = there ? GPU_FENCE_SHARED : 0;
	else
		t->w->marked[op->id] = there;
}

/* What is tried to be left out is there for the one, which is first: it does not see fences that
 * the other one finds missing. */
static void walk_sides(Trial *t, const IrOp *tried, const IrOp *op, Sides *sides)
{
	if (!t->has_hazard) {
		set(t, tried, true);
		gpu_barriers_walk_op(t->w, op, &sides->with);
		set(t, tried, false);
	}
	gpu_barriers_walk_op(t->w, op, &sides->without);
}

/* Behind an `if`, of which one region was walked. */
static void join_other_region(GpuBarriers *w, const Level *branch, const IrRegion *walked, Sides *sides)
{
	const IrRegion *regions = branch->at->regions;
	GpuPending other = gpu_pending_copy(w->arena, &branch->s);
	gpu_barriers_walk_region(w, walked == &regions[0] ? &regions[1] : &regions[0], &other);
	gpu_pending_join(w->arena, &sides->with, &other);
	gpu_pending_join(w->arena, &sides->without, &other);
}

/* Is there a hazard without it, from the place on? *last: the level up to which both differed. */
static bool is_missed(Trial *t, const IrOp *tried, uint32_t *last)
{
	GpuBarriers *w = t->w;
	uint32_t at = t->levels.len - 1;
	Sides sides = sides_at(w, &t->levels.data[at].s);
	w->hazard = t->hazard;
	for (const IrOp *op = t->levels.data[at].at;;) {
		for (; op && !w->hazard; op = op->next) {
			walk_sides(t, tried, op, &sides);
			*last = at;
			bool walked = !w->hazard && !t->has_hazard;
			if (walked && gpu_pending_equal(&sides.with, &sides.without))
				return false;
		}
		if (w->hazard || !at)
			return w->hazard;
		const IrRegion *region = t->levels.data[at].at->block->region;
		const Level *around = &t->levels.data[--at];
		if (around->at->kind == OP_IF) {
			join_other_region(w, around, region, &sides);
			op = around->at->next;
		} else {
			sides = sides_at(w, &around->s);
			op = around->at;
		}
	}
}

/* It is left out, and made a difference up to level `last`: what is pending at the head of loops
 * that end there is more than it was. */
static void leave_loops(Trial *t, uint32_t last)
{
	for (uint32_t i = last; i + 1 < t->levels.len; i++)
		if (t->levels.data[i].at->kind != OP_IF)
			t->levels.len = i + 1;
}

/* While one is tried to be left out, others may seem to need a fence that its own was for: where it
 * stays, they do not. */
static void try_without(Trial *t, const IrOp *op)
{
	GpuBarriers *w = t->w;
	uint32_t last = 0;
	go_to(t, op);
	w->changes.len = 0;
	set(t, op, false);
	if (!is_missed(t, op, &last)) {
		leave_loops(t, last);
		return;
	}
	set(t, op, true);
	for (uint32_t i = w->changes.len; i-- > 0;)
		w->fenced[w->changes.data[i].op] = w->changes.data[i].was;
}

void gpu_barriers_leave_out(GpuBarriers *w, const IrOp *func, const GpuPending *entry, IrOp *const *ops,
			    uint32_t count)
{
	Trial t = trial_of(w, func, entry, false);
	w->checking = true;
	for (uint32_t i = 0; i < count; i++)
		try_without(&t, ops[i]);
}

void gpu_barriers_leave_out_fences(GpuBarriers *w, const IrOp *func, const GpuPending *entry,
				   IrOp *const *ops, uint32_t count)
{
	Trial t = trial_of(w, func, entry, true);
	w->checking = w->fences_stay = true;
	for (uint32_t i = 0; i < count; i++)
		if (w->fenced[ops[i]->id] == GPU_FENCE_SHARED)
			try_without(&t, ops[i]);
}
