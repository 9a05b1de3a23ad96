/* Candidate layouts for chains of splits and joins.
 *
 * A split takes pairs whose two elements lie in registers of one thread, and a join produces such.
 * A candidate that reaches one of them with its pairs across threads ends there: another layout of
 * the same tile is proposed, which swaps a register bit for the pairs' bit. The register bit is
 * one that the splits and joins passed so far do not need, or the fewest of them, so that one
 * conversion serves as many steps as a thread has register bits, as butterflies want. */
#include "gpu/choose/choose.h"

/* The place of the bit that tells a pair apart, where threads share it; else none. */
static unsigned shared_pairs(const Layout *l)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), rank = layout_rank(l);
	unsigned threads = registers + layout_in_bits(l, LAYOUT_LANE) + layout_in_bits(l, LAYOUT_WARP);
	uint64_t pair = rank ? layout_space_put(&l->out, LAYOUT_DIM0 + rank - 1, 1) : 0;
	unsigned place = CHOOSE_NONE;
	for (unsigned i = 0; i < l->in_bits; i++) {
		if (!(l->bases[i] & pair))
			continue;
		if (place != CHOOSE_NONE || l->bases[i] != pair || i < registers || i >= threads)
			return CHOOSE_NONE;
		place = i;
	}
	return place;
}

const Layout *choose_with_pairs(Choose *c, const Layout *l, unsigned reg)
{
	uint64_t bases[64];
	unsigned place = shared_pairs(l);
	if (place == CHOOSE_NONE || reg >= layout_in_bits(l, LAYOUT_REGISTER))
		return NULL;
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	bases[place] = l->bases[reg];
	bases[reg] = l->bases[place];
	return layout_make(&c->gpu->layouts, &l->in, &l->out, bases);
}

bool choose_is_pairs(const ChooseNode *node)
{
	return node->kind == CHOOSE_OP && (node->op->kind == OP_SPLIT || node->op->kind == OP_JOIN);
}

const Layout *choose_stopped(Choose *c, const Layout *const *proposed, uint32_t n)
{
	const ChooseNode *node = &c->nodes.data[n];
	if (!choose_is_pairs(node) || node->fixed || proposed[n])
		return NULL;
	bool splits = node->op->kind == OP_SPLIT;
	for (uint32_t e = node->first_edge; e != CHOOSE_NONE;) {
		const ChooseEdge *edge = &c->edges.data[e];
		uint32_t other = edge->from == n ? edge->to : edge->from;
		e = edge->from == n ? edge->next[0] : edge->next[1];
		if (!proposed[other] || (edge->to == n) != splits)
			continue;
		const ChooseNode *from = &c->nodes.data[other];
		const Layout *l = splits ? choose_given(c, from, edge->value, proposed[other])
					 : choose_wanted(c, from, edge->operand, proposed[other]);
		if (l && shared_pairs(l) != CHOOSE_NONE)
			return l;
	}
	return NULL;
}

const Layout *choose_driver_of_pairs(Choose *c, uint32_t n, const Layout *tile)
{
	const ChooseNode *node = &c->nodes.data[n];
	return node->op->kind == OP_SPLIT ? choose_driver_of_wanted(c, node, 0, tile)
					  : choose_driver_of_given(c, node, tile);
}
