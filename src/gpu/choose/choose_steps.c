/* Candidate layouts for sorts: tiles that are reduced along one dim of size 2 after the other,
 * some index bits far more often than others. Where a candidate reaches such steps, a variant is
 * tried that has the most frequently reduced bits in registers, where a reduction moves nothing,
 * and the next ones in lanes. */
#include "gpu/choose/choose.h"

enum { LEAST_STEPS = 3 };

static unsigned axis_of_op(const Choose *c, const IrOp *op)
{
	return (unsigned)ir_get_int(op, c->gpu->ir, ATTR_AXIS, 0);
}

static bool is_step(const Choose *c, const ChooseNode *node)
{
	bool reduces = node->kind == CHOOSE_OP && !node->fixed &&
		       (node->op->kind == OP_REDUCE || node->op->kind == OP_SCAN);
	return reduces && ir_operand(node->op, 0)->type->shape[axis_of_op(c, node->op)] == 2;
}

/* How often the tile is reduced along each place. What is proposed at one step comes from another
 * by reshapes, which keep places. */
static unsigned count_places(const Choose *c, const Layout *const *proposed, const Layout *l,
			     uint64_t *counts)
{
	unsigned steps = 0;
	for (uint32_t n = 0; n < c->nodes.len; n++) {
		const ChooseNode *node = &c->nodes.data[n];
		const Layout *there = proposed[n];
		if (!there || !is_step(c, node) || !layout_space_equal(&there->in, &l->in))
			continue;
		for (unsigned i = 0; i < l->in_bits; i++)
			if (layout_coordinate(there, there->bases[i], axis_of_op(c, node->op)))
				counts[i] += node->weight;
		steps++;
	}
	return steps;
}

static void swap(uint64_t *all, unsigned i, unsigned j)
{
	uint64_t kept = all[i];
	all[i] = all[j];
	all[j] = kept;
}

const Layout *choose_for_steps(Choose *c, const Layout *const *proposed, uint32_t n)
{
	const Layout *l = proposed[n];
	uint64_t counts[64] = {0}, bases[64];
	if (!l || !is_step(c, &c->nodes.data[n]) || count_places(c, proposed, l, counts) < LEAST_STEPS)
		return NULL;
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	unsigned places = l->in_bits - layout_in_bits(l, LAYOUT_BLOCK);
	/* By insertion, so that what is reduced as often keeps its order; copies stay. */
	for (unsigned i = 1; i < places; i++) {
		for (unsigned at = i, before = i; bases[at] && before-- > 0;) {
			if (!bases[before])
				continue;
			if (counts[before] >= counts[at])
				break;
			swap(bases, before, at);
			swap(counts, before, at);
			at = before;
		}
	}
	return layout_make(&c->gpu->layouts, &l->in, &l->out, bases);
}
