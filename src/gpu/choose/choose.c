/* The choice: starting from what is there, moves that lower the sum.
 *
 * A seed is a layout that somebody wants; carried along flows in both directions it proposes a
 * layout to every node it reaches. A move lets any of these nodes, all at once, change to its
 * proposal: which ones should is a smallest cut, as the sum has terms of one and of two nodes alone
 * ("alpha expansion"). Prices are nearly metric; where one is not, the cut's is rounded up and the
 * true sum decides whether the move is made. Moves are repeated until none helps. */
#include <stdlib.h>

#include "gpu/choose/choose.h"
#include "layout/f2.h"

enum {
	MOST_ROUNDS = 4,
	MOST_PROPOSALS = 64,
	MOST_OF_REDUCTIONS = 12,
	MOST_OF_STORES = 12,
	MOST_OF_STEPS = 8,
	MOST_OF_PAIRS = 32,
	WIDEST_STORE = 16, /* bytes */
};

typedef struct Proposals {
	VEC(const Layout **) list; /* by node: what a seed proposes, or NULL */
} Proposals;

uint32_t choose_number(Choose *c, const Layout *l)
{
	uint64_t number;
	if (map_get(&c->numbers, map_key(l), &number))
		return (uint32_t)number;
	number = c->numbers.len;
	map_put(&c->numbers, map_key(l), number);
	return (uint32_t)number;
}

unsigned choose_price(Choose *c, const Layout *from, const Layout *to, unsigned bits)
{
	uint64_t price;
	if (!from || !to || from == to)
		return 0;
	uint64_t key = (uint64_t)choose_number(c, from) << 32 | (uint64_t)choose_number(c, to) << 8 | bits;
	if (!map_get(&c->prices, key, &price)) {
		price = gpu_price_convert(c->gpu->plan_target.costs, from, to, bits);
		map_put(&c->prices, key, price);
	}
	return (unsigned)price;
}

static unsigned axis_of_op(const Choose *c, const IrOp *op)
{
	return (unsigned)ir_get_int(op, c->gpu->ir, ATTR_AXIS, 0);
}

unsigned choose_op_price(Choose *c, const ChooseNode *node, const Layout *layout)
{
	const IrOp *op = node->op;
	if (node->kind != CHOOSE_OP || node->fixed)
		return 0;
	if (node->access) {
		bool loads = op->kind == OP_LOAD || op->kind == OP_DESC_LOAD;
		bool stores = op->kind == OP_STORE || op->kind == OP_DESC_STORE;
		return gpu_price_access(c->gpu->plan_target.costs,
					loads	 ? OP_LOAD
					: stores ? OP_STORE
						 : op->kind,
					node->access, layout);
	}
	if (op->kind == OP_REDUCE || op->kind == OP_SCAN) {
		GpuReducePrice price =
			gpu_price_reduce(c->gpu->plan_target.costs, op, layout, axis_of_op(c, op));
		return price.within + price.across / (node->is_loop_sum ? CHOOSE_LOOP : 1);
	}
	return gpu_price_elementwise(op, layout, node->runs);
}

static const ChooseEdge *edge_at(const Choose *c, uint32_t i)
{
	return &c->edges.data[i];
}

static uint32_t next_edge(const ChooseEdge *edge, uint32_t node)
{
	return edge->from == node ? edge->next[0] : edge->next[1];
}

/* ---- proposals ---- */

/* What node proposes across the edge to the node at the other end. */
static const Layout *across(Choose *c, const ChooseEdge *edge, uint32_t node, const Layout *layout)
{
	const ChooseNode *from = &c->nodes.data[edge->from], *to = &c->nodes.data[edge->to];
	if (edge->from == node) {
		const Layout *given = choose_given(c, from, edge->value, layout);
		return given && !to->fixed ? choose_driver_of_wanted(c, to, edge->operand, given) : NULL;
	}
	const Layout *wanted = choose_wanted(c, to, edge->operand, layout);
	return wanted && !from->fixed ? choose_driver_of_given(c, from, wanted) : NULL;
}

static const Layout **propose(Choose *c, const ChooseSeed *seed)
{
	const Layout **proposed = ARENA_ARRAY(c->arena, const Layout *, c->nodes.len);
	VEC(uint32_t) queue = {0};
	proposed[seed->node] = seed->layout;
	vec_push(c->arena, &queue, seed->node);
	for (uint32_t i = 0; i < queue.len; i++) {
		uint32_t node = queue.data[i];
		uint32_t e = c->nodes.data[node].first_edge;
		for (; e != CHOOSE_NONE; e = next_edge(edge_at(c, e), node)) {
			const ChooseEdge *edge = edge_at(c, e);
			uint32_t other = edge->from == node ? edge->to : edge->from;
			const Layout *layout = proposed[other] ? NULL : across(c, edge, node, proposed[node]);
			if (!layout)
				continue;
			proposed[other] = layout;
			vec_push(c->arena, &queue, other);
		}
	}
	return proposed;
}

static bool is_proposed(const Proposals *all, uint32_t node, const Layout *layout)
{
	for (uint32_t i = 0; i < all->list.len; i++)
		if (all->list.data[i][node] == layout)
			return true;
	return false;
}

static void add_proposals(Choose *c, Proposals *all, uint32_t most, uint32_t node, const Layout *layout)
{
	ChooseSeed seed = {node, layout};
	if (!is_proposed(all, node, layout) && all->list.len < most)
		vec_push(c->arena, &all->list, propose(c, &seed));
}

static void swap_bases(uint64_t *bases, unsigned i, unsigned j)
{
	uint64_t kept = bases[i];
	bases[i] = bases[j];
	bases[j] = kept;
}

/* The layout with its warps along other dims than the axis, in exchange for registers: what is
 * reduced stays in a warp. NULL: nothing to exchange. */
static const Layout *without_warps_along(Choose *c, const Layout *l, unsigned axis)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), warps = layout_in_bits(l, LAYOUT_WARP);
	unsigned first_warp = registers + layout_in_bits(l, LAYOUT_LANE), reg = registers;
	uint64_t bases[64], mask = layout_space_mask(&l->out, LAYOUT_DIM0 + axis);
	bool changed = false;
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	for (unsigned w = first_warp; w < first_warp + warps; w++) {
		if (!(bases[w] & mask))
			continue;
		while (reg > 0 && (!bases[reg - 1] || bases[reg - 1] & mask))
			reg--;
		if (reg == 0)
			break;
		swap_bases(bases, --reg, w);
		changed = true;
	}
	return changed ? layout_make(&c->gpu->layouts, &l->in, &l->out, bases) : NULL;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The layout with what its bits mean along the axis put in order, registers first: a scan then adds
 * up runs of a thread's own registers and goes through lanes and warps once, with the runs' totals,
 * where otherwise each register is a block of its own. NULL: it is so already, or a bit means more
 * than one of the axis. */
static const Layout *with_runs_along(Choose *c, const Layout *l, unsigned axis)
{
	uint64_t bases[64], along[64], mask = layout_space_mask(&l->out, LAYOUT_DIM0 + axis);
	unsigned count = 0, at = 0;
	for (unsigned i = 0; i < l->in_bits; i++) {
		if (!(l->bases[i] & mask))
			continue;
		if (l->bases[i] & (l->bases[i] - 1))
			return NULL;
		along[count++] = l->bases[i];
	}
	qsort(along, count, sizeof along[0], by_value);
	for (unsigned i = 0; i < l->in_bits; i++)
		bases[i] = l->bases[i] & mask ? along[at++] : l->bases[i];
	bool changed = memcmp(bases, l->bases, sizeof bases[0] * l->in_bits) != 0;
	return changed ? layout_make(&c->gpu->layouts, &l->in, &l->out, bases) : NULL;
}

/* For every layout that reaches a reduction also one that keeps it within warps; a scan, one that
 * keeps runs of it within threads. */
static void add_proposals_of_reductions(Choose *c, Proposals *all)
{
	uint32_t wanted = all->list.len, most = wanted + MOST_OF_REDUCTIONS;
	for (uint32_t n = 0; n < c->nodes.len && all->list.len < most; n++) {
		const ChooseNode *node = &c->nodes.data[n];
		if (node->kind != CHOOSE_OP || (node->op->kind != OP_REDUCE && node->op->kind != OP_SCAN))
			continue;
		for (uint32_t j = 0; j <= wanted; j++) {
			const Layout *layout = j < wanted ? all->list.data[j][n] : node->layout;
			unsigned axis = axis_of_op(c, node->op);
			const Layout *runs =
				layout && node->op->kind == OP_SCAN ? with_runs_along(c, layout, axis) : NULL;
			layout = layout ? without_warps_along(c, layout, axis) : NULL;
			if (layout)
				add_proposals(c, all, most, n, layout);
			if (runs)
				add_proposals(c, all, most, n, runs);
		}
	}
}

/* Of the registers that hold no part of a store's vector, the one with the next place along its
 * dim, so that lanes go on where others end; otherwise any. `count`: there is none. */
static unsigned register_to_swap(const uint64_t *bases, unsigned count, uint64_t row,
				 uint64_t vector)
{
	unsigned best = count;
	for (unsigned i = 0; i < count; i++) {
		bool along = !(bases[i] & ~row), best_along = best < count && !(bases[best] & ~row);
		if (!bases[i] || (along && bases[i] <= vector))
			continue;
		if (best == count || along > best_along || (along == best_along && bases[i] < bases[best]))
			best = i;
	}
	return best;
}

/* The layout with all of a store's vector in a thread, in exchange for other registers with lanes:
 * a product's threads hold two neighbours each, which they pass on by shuffles. NULL: it is so
 * already, lanes hold copies, or more than single neighbours. */
static const Layout *with_vector(Choose *c, const Layout *l, const GpuAccess *access)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), lanes = layout_in_bits(l, LAYOUT_LANE);
	unsigned place = LAYOUT_DIM0 + access->dim, bytes = MAX(access->element_bits / 8, 1);
	int64_t elements = MIN(access->vector, (int64_t)(WIDEST_STORE / bytes));
	uint64_t bases[64], row = layout_space_mask(&l->out, place);
	uint64_t last = elements > 1 ? layout_space_put(&l->out, place, (uint64_t)elements / 2) : 0;
	bool changed = false;
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	if (f2_rank(bases + registers, lanes) < lanes)
		return NULL;
	for (int64_t e = 1; e < elements; e *= 2) {
		uint64_t wanted = layout_space_put(&l->out, place, (uint64_t)e);
		unsigned at = 0;
		while (at < registers + lanes && bases[at] != wanted)
			at++;
		if (at < registers)
			continue;
		unsigned reg = register_to_swap(bases, registers, row, last);
		if (at == registers + lanes || reg == registers)
			return NULL;
		swap_bases(bases, at, reg);
		changed = true;
	}
	return changed ? layout_make(&c->gpu->layouts, &l->in, &l->out, bases) : NULL;
}

/* For every layout that reaches a store also one that stores vectors. */
static void add_proposals_of_stores(Choose *c, Proposals *all)
{
	uint32_t wanted = all->list.len, most = wanted + MOST_OF_STORES;
	for (uint32_t n = 0; n < c->nodes.len && all->list.len < most; n++) {
		const ChooseNode *node = &c->nodes.data[n];
		if (node->fixed || !node->access || node->op->kind != OP_STORE)
			continue;
		for (uint32_t j = 0; j < wanted && all->list.len < most; j++) {
			const Layout *layout = all->list.data[j][n];
			layout = layout ? with_vector(c, layout, node->access) : NULL;
			if (layout)
				add_proposals(c, all, most, n, layout);
		}
	}
}

/* For every layout that reaches the steps of a sort also one that suits them. */
static void add_proposals_of_steps(Choose *c, Proposals *all)
{
	uint32_t wanted = all->list.len, most = wanted + MOST_OF_STEPS;
	for (uint32_t i = 0; i < wanted; i++) {
		const Layout *layout = NULL;
		for (uint32_t n = 0; n < c->nodes.len && !layout; n++) {
			layout = choose_for_steps(c, all->list.data[i], n);
			if (layout)
				add_proposals(c, all, most, n, layout);
		}
	}
}

/* How many splits and joins a proposal passes. */
static unsigned pairs_passed(const Choose *c, const Layout *const *proposed)
{
	unsigned count = 0;
	for (uint32_t n = 0; n < c->nodes.len; n++)
		count += proposed[n] && choose_is_pairs(&c->nodes.data[n]);
	return count;
}

/* Where proposals stop at splits and joins also what passes these, and as many others as can be. */
static void add_proposals_of_pairs(Choose *c, Proposals *all)
{
	uint32_t most = all->list.len + MOST_OF_PAIRS;
	for (uint32_t i = 0; i < all->list.len; i++) {
		for (uint32_t n = 0; n < c->nodes.len && all->list.len < most; n++) {
			const Layout *tile = choose_stopped(c, all->list.data[i], n), **best = NULL;
			unsigned registers = tile ? layout_in_bits(tile, LAYOUT_REGISTER) : 0, passed = 0;
			for (unsigned r = 0; r < registers; r++) {
				ChooseSeed seed = {n, choose_with_pairs(c, tile, r)};
				seed.layout = choose_driver_of_pairs(c, n, seed.layout);
				const Layout **proposed = seed.layout ? propose(c, &seed) : NULL;
				unsigned count = proposed ? pairs_passed(c, proposed) : 0;
				if (count > passed) {
					best = proposed;
					passed = count;
				}
			}
			if (best && !is_proposed(all, n, best[n]))
				vec_push(c->arena, &all->list, best);
		}
	}
}

static Proposals propose_all(Choose *c)
{
	Proposals all = {0};
	for (uint32_t i = 0; i < c->seeds.len; i++)
		add_proposals(c, &all, MOST_PROPOSALS, c->seeds.data[i].node, c->seeds.data[i].layout);
	add_proposals_of_reductions(c, &all);
	add_proposals_of_steps(c, &all);
	add_proposals_of_pairs(c, &all);
	add_proposals_of_stores(c, &all);
	return all;
}

/* ---- moves ---- */

typedef struct Move {
	Choose *c;
	const Layout **proposed;
	VEC(uint32_t) nodes; /* that may change */
	int64_t *near, *far; /* by number */
	Cut *cut;
} Move;

static bool may_change(const Move *move, uint32_t node)
{
	const ChooseNode *n = &move->c->nodes.data[node];
	return !n->fixed && move->proposed[node] && move->proposed[node] != n->layout;
}

static int64_t flow_price(Choose *c, const ChooseEdge *edge, const Layout *from, const Layout *to)
{
	const Layout *given = choose_given(c, &c->nodes.data[edge->from], edge->value, from);
	const Layout *wanted = choose_wanted(c, &c->nodes.data[edge->to], edge->operand, to);
	return (int64_t)choose_price(c, given, wanted, edge->bits) * edge->weight;
}

static void add_flow(Move *move, const ChooseEdge *edge)
{
	Choose *c = move->c;
	const ChooseNode *from = &c->nodes.data[edge->from], *to = &c->nodes.data[edge->to];
	const Layout *new_from = move->proposed[edge->from], *new_to = move->proposed[edge->to];
	bool u = may_change(move, edge->from), v = may_change(move, edge->to);
	int64_t stay = flow_price(c, edge, from->layout, to->layout);
	int64_t to_moves = v ? flow_price(c, edge, from->layout, new_to) : stay;
	int64_t from_moves = u ? flow_price(c, edge, new_from, to->layout) : stay;
	if (u && v) {
		int64_t both = flow_price(c, edge, new_from, new_to);
		move->far[from->number] += from_moves - stay;
		move->far[to->number] += both - from_moves;
		cut_add_edge(move->cut, from->number, to->number,
			     MAX(to_moves + from_moves - stay - both, 0));
	} else if (u) {
		move->far[from->number] += from_moves - stay;
	} else {
		move->far[to->number] += to_moves - stay;
	}
}

/* What would change in the sum if these nodes took their proposals. */
static int64_t true_change(const Move *move)
{
	Choose *c = move->c;
	int64_t change = 0;
	for (uint32_t i = 0; i < move->nodes.len; i++) {
		uint32_t n = move->nodes.data[i];
		const ChooseNode *node = &c->nodes.data[n];
		if (!cut_is_far(move->cut, i))
			continue;
		int64_t dearer = choose_op_price(c, node, move->proposed[n]);
		change += (dearer - choose_op_price(c, node, node->layout)) * node->weight;
		for (uint32_t e = node->first_edge; e != CHOOSE_NONE; e = next_edge(edge_at(c, e), n)) {
			const ChooseEdge *edge = edge_at(c, e);
			const ChooseNode *from = &c->nodes.data[edge->from], *to = &c->nodes.data[edge->to];
			bool u = may_change(move, edge->from) && cut_is_far(move->cut, from->number);
			bool v = may_change(move, edge->to) && cut_is_far(move->cut, to->number);
			if (u && v && n == edge->to)
				continue; /* counted from the other end */
			change += flow_price(c, edge, u ? move->proposed[edge->from] : from->layout,
					     v ? move->proposed[edge->to] : to->layout) -
				  flow_price(c, edge, from->layout, to->layout);
		}
	}
	return change;
}

static void build_cut(Move *move)
{
	Choose *c = move->c;
	uint32_t count = move->nodes.len;
	move->near = ARENA_ARRAY(c->arena, int64_t, count);
	move->far = ARENA_ARRAY(c->arena, int64_t, count);
	move->cut = cut_new(c->arena, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t n = move->nodes.data[i];
		const ChooseNode *node = &c->nodes.data[n];
		move->near[i] += (int64_t)choose_op_price(c, node, node->layout) * node->weight;
		move->far[i] += (int64_t)choose_op_price(c, node, move->proposed[n]) * node->weight;
		for (uint32_t e = node->first_edge; e != CHOOSE_NONE; e = next_edge(edge_at(c, e), n)) {
			const ChooseEdge *edge = edge_at(c, e);
			if (edge->from == n || !may_change(move, edge->from))
				add_flow(move, edge);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		cut_add_node(move->cut, i, move->near[i], move->far[i]);
}

static bool try_move(Choose *c, const Layout **proposed)
{
	Move move = {.c = c, .proposed = proposed};
	for (uint32_t n = 0; n < c->nodes.len; n++) {
		if (!may_change(&move, n))
			continue;
		c->nodes.data[n].number = move.nodes.len;
		vec_push(c->arena, &move.nodes, n);
	}
	if (move.nodes.len == 0)
		return false;
	build_cut(&move);
	cut_solve(move.cut);
	if (true_change(&move) >= 0)
		return false;
	for (uint32_t i = 0; i < move.nodes.len; i++) {
		uint32_t n = move.nodes.data[i];
		if (cut_is_far(move.cut, i))
			c->nodes.data[n].layout = proposed[n];
	}
	return true;
}

void choose_solve(Choose *c)
{
	Proposals all = propose_all(c);
	bool moved = true;
	for (unsigned round = 0; moved && round < MOST_ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < all.list.len; i++)
			moved = try_move(c, all.list.data[i]) || moved;
	}
}
