/* A plan in words, one line a step: for tests, `neso layout` and whoever asks why a conversion costs what it
 * costs. */
#include "layout/plan.h"

static const char *const kind_names[] = {"nothing", "registers", "shuffle", "shared"};
static const char *const barrier_names[] = {"warp", "cta", "cluster"};

static void print_rename(Text *t, const LayoutStep *step)
{
	text_str(t, "  rename");
	for (uint32_t i = 0; i < step->count && i < 32; i++)
		text_printf(t, " %u", step->rename[i]);
	text_str(t, step->count > 32 ? " ...\n" : "\n");
}

static void print_shuffle(Text *t, const LayoutStep *step)
{
	text_printf(t, "  shuffle %u elements, %u a word, lane map", step->move_count, step->per_word);
	if (step->own_lane)
		text_str(t, " own");
	for (unsigned i = 0; i < LAYOUT_MAX_THREAD_BITS && !step->own_lane; i++) {
		if (step->lane_map[i])
			text_printf(t, " %u:%u", 1u << i, step->lane_map[i]);
	}
	text_char(t, '\n');
	for (uint32_t i = 0; i < step->move_count; i += step->per_word) {
		const LayoutMove *move = &step->moves[i];
		text_printf(t, "    r%u <- r%u", move->to, move->from);
		if (!step->own_lane || move->lane)
			text_printf(t, " of lane ^ %u", move->lane);
		text_char(t, '\n');
	}
}

static void print_access(Text *t, const char *verb, const LayoutAccess *a, unsigned pass)
{
	static const char *const forms[] = {"", "matrix ", "matrix.trans "};
	unsigned elements = 1u << a->vector_bits, matrices = 1u << a->matrix_bits;
	text_printf(t, "  %s pass %u: %u x %s", verb, pass, layout_access_instructions(a), forms[a->kind]);
	if (a->kind == LAYOUT_ACCESS_VECTOR)
		text_printf(t, "v%u.b%u", elements, a->element_bits);
	else
		text_printf(t, "x%u", matrices);
	text_printf(t, ", %u wavefronts each (least %u)", a->wavefronts, a->least);
	if (a->idle)
		text_printf(t, ", only threads with (thread & %u) == 0", a->idle);
	text_char(t, '\n');
}

static void print_step(Text *t, const LayoutPlan *plan, const LayoutStep *step)
{
	switch (step->kind) {
	case LAYOUT_STEP_RENAME:
		print_rename(t, step);
		break;
	case LAYOUT_STEP_EXCHANGE:
		text_printf(t, "  exchange r with r ^ %u where parity(thread & %u)\n", step->distance, step->mask);
		break;
	case LAYOUT_STEP_SHUFFLE:
		print_shuffle(t, step);
		break;
	case LAYOUT_STEP_STORE:
		print_access(t, "store", &plan->store, step->pass);
		break;
	case LAYOUT_STEP_BARRIER:
		text_printf(t, "  barrier %s\n", barrier_names[step->barrier]);
		break;
	case LAYOUT_STEP_LOAD:
		print_access(t, "load", &plan->load, step->pass);
		break;
	}
}

void layout_plan_print(Text *t, const LayoutPlan *plan)
{
	const LayoutCost *cost = &plan->cost;
	text_printf(t, "%s", kind_names[plan->kind]);
	if (plan->kind == LAYOUT_PLAN_SHUFFLE)
		text_printf(t, ": %u shuffles", cost->shuffles);
	if (plan->kind == LAYOUT_PLAN_SHARED)
		text_printf(t, ": %llu bytes, %u stores, %u loads, %u wavefronts, %u of them conflicts",
			    (unsigned long long)cost->shared_bytes, cost->stores, cost->loads,
			    cost->store_wavefronts + cost->load_wavefronts, cost->excess_wavefronts);
	if (cost->selects)
		text_printf(t, "%s%u selects", plan->kind == LAYOUT_PLAN_REGISTERS ? ": " : ", ", cost->selects);
	if (cost->packs)
		text_printf(t, ", %u packs", cost->packs);
	text_char(t, '\n');
	for (uint32_t i = 0; i < plan->step_count; i++)
		print_step(t, plan, &plan->steps[i]);
}
