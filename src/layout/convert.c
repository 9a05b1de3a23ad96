/* The conversion planner: the cheapest way from one distributed layout to another.
 *
 * Within warps (nothing, registers, shuffles) where the maps allow it and it costs less than a trip
 * through shared memory; both are planned and compared by their predicted cost. */
#include "layout/plan_parts.h"
#include "target/cost.h"

void layout_cost_finish(LayoutCost *cost, const LayoutTarget *target, uint32_t reps, LayoutBarrier barrier)
{
	const TargetCosts *each = target->costs;
	CONTRACT(each);
	CONTRACT(reps > 0);
	const unsigned barriers[] = {each->warp_barrier, each->cta_barrier, each->cluster_barrier};
	cost->shuffles *= reps;
	cost->selects *= reps;
	cost->packs *= reps;
	cost->stores *= reps;
	cost->loads *= reps;
	cost->store_wavefronts *= reps;
	cost->load_wavefronts *= reps;
	cost->excess_wavefronts *= reps;
	unsigned stores = cost->stores * each->issue + cost->store_wavefronts * each->wavefront;
	unsigned loads = cost->loads * each->issue + cost->load_wavefronts * each->wavefront;
	cost->total = cost->shuffles * each->shuffle + (cost->selects + cost->packs) * each->select +
		      (stores >> cost->idle_bits) + loads + cost->barriers * barriers[barrier];
}

unsigned layout_exchange_selects(uint32_t count, unsigned element_bits)
{
	return (unsigned)(((uint64_t)count * element_bits + 31) / 32);
}

unsigned layout_add_exchanges(LayoutConversion *c, uint32_t count, const uint32_t *by, unsigned thread_bits)
{
	F2Span span = f2_span_none();
	unsigned steps = 0;
	for (unsigned i = 0; i < thread_bits; i++)
		f2_span_add(&span, by[i]);
	for (unsigned i = 0; i < thread_bits; i++) {
		if (!(span.pivots >> i & 1))
			continue;
		uint32_t mask = 0;
		for (unsigned j = 0; j < thread_bits; j++) {
			uint64_t combo;
			f2_span_reduce(&span, by[j], &combo);
			mask |= (uint32_t)(combo >> i & 1) << j;
		}
		LayoutStep *step = layout_add_step(c, LAYOUT_STEP_EXCHANGE);
		step->count = count;
		step->distance = by[i];
		step->mask = mask;
		steps++;
	}
	return steps;
}

void layout_add_rename(LayoutConversion *c, const uint32_t *rename, uint32_t count, uint32_t old_count)
{
	bool same = count == old_count;
	for (uint32_t i = 0; i < count && same; i++)
		same = rename[i] == i;
	if (same)
		return;
	LayoutStep *step = layout_add_step(c, LAYOUT_STEP_RENAME);
	step->rename = rename;
	step->count = count;
}

static LayoutSide side_of(const Layout *l)
{
	LayoutSide side = {0};
	side.registers = layout_in_bits(l, LAYOUT_REGISTER);
	side.lanes = layout_in_bits(l, LAYOUT_LANE);
	side.warps = layout_in_bits(l, LAYOUT_WARP);
	side.blocks = layout_in_bits(l, LAYOUT_BLOCK);
	side.threads = side.lanes + side.warps + side.blocks;
	ASSERT(side.registers < 31 && side.threads <= LAYOUT_MAX_THREAD_BITS && side.lanes <= 6);
	ASSERT(l->in_bits == side.registers + side.threads && layout_is_onto(l));
	layout_bases(l, LAYOUT_REGISTER, side.reg);
	memcpy(side.thread, l->bases + side.registers, sizeof side.thread[0] * side.threads);
	side.span = f2_span_of(side.reg, side.registers);
	side.pivots = (uint32_t)side.span.pivots;
	return side;
}

static bool same_tile(const LayoutSpace *a, const LayoutSpace *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		const LayoutDim *x = &a->dim[i], *y = &b->dim[i];
		if (x->name != y->name || x->bits != y->bits || x->reps != y->reps)
			return false;
	}
	return true;
}

static LayoutConversion conversion_of(LayoutContext *cx, const Layout *source, const Layout *destination,
				      unsigned element_bits, const LayoutTarget *target)
{
	LayoutConversion c = {.cx = cx, .source = source, .destination = destination, .target = target};
	ASSERT(same_tile(&source->out, &destination->out));
	ASSERT(base_is_pow2(element_bits) && element_bits >= 8 && element_bits <= 64);
	c.element_bits = element_bits;
	c.reps = layout_space_reps(&source->out);
	c.src = side_of(source);
	c.dst = side_of(destination);
	ASSERT(c.src.lanes == c.dst.lanes && c.src.warps == c.dst.warps && c.src.blocks == c.dst.blocks);
	return c;
}

static LayoutPlan *new_plan(const LayoutConversion *c)
{
	LayoutPlan *plan = ARENA_NEW(c->cx->arena, LayoutPlan);
	plan->source = c->source;
	plan->destination = c->destination;
	plan->element_bits = c->element_bits;
	return plan;
}

static LayoutPlan *with_steps(LayoutPlan *plan, const LayoutConversion *c)
{
	plan->steps = c->steps.data;
	plan->step_count = c->steps.len;
	return plan;
}

const LayoutPlan *layout_plan_shared(LayoutContext *cx, const Layout *source, const Layout *destination,
				     unsigned element_bits, const LayoutTarget *target)
{
	CONTRACT(layout_space_equal(&source->out, &destination->out));
	CONTRACT(element_bits && element_bits <= 64);
	LayoutConversion c = conversion_of(cx, source, destination, element_bits, target);
	LayoutPlan *plan = new_plan(&c);
	layout_plan_through_shared(&c, plan);
	return with_steps(plan, &c);
}

static const LayoutPlan *cheapest_plan(LayoutContext *cx, const Layout *source, const Layout *destination,
				       unsigned element_bits, const LayoutTarget *target)
{
	LayoutConversion c = conversion_of(cx, source, destination, element_bits, target);
	LayoutPlan *within = new_plan(&c);
	if (!layout_plan_within_warps(&c, within))
		return layout_plan_shared(cx, source, destination, element_bits, target);
	with_steps(within, &c);
	/* A trip through shared memory costs a barrier at
	 * least: below that there is nothing to compare. */
	if (within->kind != LAYOUT_PLAN_SHUFFLE || within->cost.total <= target->costs->warp_barrier)
		return within;
	const LayoutPlan *shared = layout_plan_shared(cx, source, destination, element_bits, target);
	return shared->cost.total < within->cost.total ? shared : within;
}

static bool same_target(const LayoutTarget *a, const LayoutTarget *b)
{
	return a->ldmatrix == b->ldmatrix && a->stmatrix == b->stmatrix && a->shared_bytes == b->shared_bytes;
}

const LayoutPlan *layout_plan(LayoutContext *cx, const Layout *source, const Layout *destination,
			      unsigned element_bits, const LayoutTarget *target)
{
	CONTRACT(layout_space_equal(&source->out, &destination->out));
	CONTRACT(element_bits && element_bits <= 64);
	LayoutPlan **bucket = &cx->plans[(source->hash * 31 + destination->hash) % ARRAY_LEN(cx->plans)];
	for (LayoutPlan *plan = *bucket; plan; plan = plan->next) {
		if (plan->source == source && plan->destination == destination &&
		    plan->element_bits == element_bits && same_target(&plan->target, target))
			return plan;
	}
	LayoutPlan *plan = ARENA_NEW(cx->arena, LayoutPlan);
	*plan = *cheapest_plan(cx, source, destination, element_bits, target);
	plan->target = *target;
	plan->next = *bucket;
	return *bucket = plan;
}

uint32_t layout_plan_source_rep(const Layout *source, const Layout *destination, uint32_t rep)
{
	uint32_t digits[LAYOUT_MAX_RANK];
	layout_space_rep_digits(&destination->out, rep, digits);
	return layout_space_rep_number(&source->out, digits);
}
