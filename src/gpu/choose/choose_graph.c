/* The graph of layout choices of a module: its nodes with what drives them, its edges, and the
 * candidate layouts.
 *
 * Conversions in the input are removed, as finding where they are needed is the task. What they
 * converted to is kept where an op requires it (dots), and as the initial assignment. Candidates
 * are the layouts of global accesses, which `coalesce` made for memory, and those of dots and
 * other ops with a fixed layout. */
#include "gpu/analysis/branches.h"
#include "gpu/analysis/late.h"
#include "gpu/analysis/prefix.h"
#include "gpu/choose/choose.h"
#include "gpu/loop/schedule.h"
#include "gpu/memory/memory.h"
#include "gpu/plan/dot.h"

enum { SELDOM_PART = 64 /* of a loop's iterations */, STAGED_PART = 4, COPY_ADDRESS = 3 /* quarter cycles: a pointer is carried for each copy */, ROW_COPY = 32 /* likewise, with the branch around each */, WEIGHT_ONCE = 16, WEIGHT_MOST = 16 * 8 * 8 * 8 };

/* ---- what an op's driving layout means for its values ---- */

/* The layout of each operand follows from the one that drives the op. */
static bool is_shape_op(const IrOp *op)
{
	const GpuTie *tie = gpu_tie(op);
	return tie->operand && !tie->by_operand;
}

static bool is_access(const IrOp *op)
{
	return op->kind == OP_LOAD || op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
}

const Layout *choose_op_wanted(GpuCx *gpu, const IrOp *op, uint32_t operand, const Layout *layout)
{
	if (gpu_takes_any(op, operand))
		return NULL;
	return is_shape_op(op) ? gpu_infer_operand(gpu, op, operand, layout) : layout;
}

static const Layout *captured(Choose *c, IrType type)
{
	return type && ir_is_tensor(type) ? gpu_layout(c->gpu, type) : NULL;
}

/* ---- the same, remembered ---- */

enum { GIVEN, DRIVER_OF_GIVEN, WANTED, DRIVER_OF_WANTED = WANTED + 4 }; /* the last two: of operand 0, 1, ... */

/* Do they differ in the order of registers alone? */
static bool same_but_order(const Layout *a, const Layout *b)
{
	unsigned registers = layout_in_bits(a, LAYOUT_REGISTER);
	if (a->in_bits != b->in_bits || registers != layout_in_bits(b, LAYOUT_REGISTER))
		return false;
	for (unsigned i = registers; i < a->in_bits; i++)
		if (a->bases[i] != b->bases[i])
			return false;
	for (unsigned i = 0; i < registers; i++) {
		bool found = false;
		for (unsigned j = 0; j < registers; j++)
			found = found || a->bases[i] == b->bases[j];
		if (!found)
			return false;
	}
	return true;
}

static const Layout *infer(Choose *c, const IrOp *op, unsigned what, const Layout *layout)
{
	if (what >= DRIVER_OF_WANTED)
		return gpu_infer_result(c->gpu, op, 0, what - DRIVER_OF_WANTED, layout);
	if (what >= WANTED)
		return gpu_infer_operand(c->gpu, op, what - WANTED, layout);
	if (what == GIVEN)
		return gpu_infer_result(c->gpu, op, 0, 0, layout);
	const Layout *driver = gpu_infer_operand(c->gpu, op, 0, layout);
	const Layout *given = driver ? gpu_infer_result(c->gpu, op, 0, 0, driver) : NULL;
	return given && (given == layout || same_but_order(given, layout)) ? driver : NULL;
}

static const Layout *inferred(Choose *c, const IrOp *op, unsigned what, const Layout *layout)
{
	uint64_t key = (uint64_t)op->id << 32 | (uint64_t)what << 24 | choose_number(c, layout), found;
	if (!map_get(&c->inferred, key, &found)) {
		found = map_key(infer(c, op, what, layout));
		map_put(&c->inferred, key, found);
	}
	return (const Layout *)(uintptr_t)found;
}

const Layout *choose_given(Choose *c, const ChooseNode *node, const IrValue *value, const Layout *layout)
{
	if (node->kind != CHOOSE_OP)
		return layout;
	const GpuTie *tie = gpu_tie(node->op);
	if (node->fixed || (tie->by_operand && !tie->result))
		return captured(c, c->type_of[value->id]);
	return tie->by_operand ? inferred(c, node->op, GIVEN, layout) : layout;
}

const Layout *choose_wanted(Choose *c, const ChooseNode *node, uint32_t operand, const Layout *layout)
{
	if (node->kind != CHOOSE_OP)
		return layout;
	if (node->takes_any && operand < 2)
		return NULL;
	if (node->fixed)
		return captured(c, node->operand_types[operand]);
	if (gpu_takes_any(node->op, operand))
		return NULL;
	return is_shape_op(node->op) ? inferred(c, node->op, WANTED + operand, layout) : layout;
}

/* Can the op be done so? */
static const Layout *checked(Choose *c, const ChooseNode *node, const Layout *layout)
{
	if (!layout || node->kind != CHOOSE_OP)
		return layout;
	const GpuTie *tie = gpu_tie(node->op);
	if (tie->by_operand)
		return !tie->operand || inferred(c, node->op, GIVEN, layout) ? layout : NULL;
	if (!tie->operand)
		return layout;
	for (uint32_t i = 0; i < node->op->operand_count; i++)
		if (!inferred(c, node->op, WANTED + i, layout))
			return NULL;
	return layout;
}

const Layout *choose_driver_of_given(Choose *c, const ChooseNode *node, const Layout *given)
{
	if (node->fixed)
		return NULL;
	if (node->kind == CHOOSE_OP && gpu_tie(node->op)->by_operand)
		given = inferred(c, node->op, DRIVER_OF_GIVEN, given);
	return checked(c, node, given);
}

const Layout *choose_driver_of_wanted(Choose *c, const ChooseNode *node, uint32_t operand, const Layout *wanted)
{
	if (node->fixed)
		return NULL;
	if (node->kind == CHOOSE_OP && is_shape_op(node->op))
		wanted = inferred(c, node->op, DRIVER_OF_WANTED + operand, wanted);
	return checked(c, node, wanted);
}

/* ---- which tiles are cheap anywhere ---- */

static bool has_tile(const IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (ir_is_tensor(ir_operand(op, i)->type))
			return true;
	for (uint32_t i = 0; i < op->result_count; i++)
		if (ir_is_tensor(op->results[i].type))
			return true;
	return false;
}

static bool is_free_op(const Choose *c, const IrOp *op)
{
	if (!ir_has_trait(op, TRAIT_REMAT) || op->result_count != 1)
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *v = ir_operand(op, i);
		if (ir_is_tensor(v->type) && !c->is_free[v->id])
			return false;
	}
	return true;
}

/* ---- nodes ---- */

static uint32_t add_node(Choose *c, ChooseKind kind, IrOp *op, uint32_t weight, const Layout *layout)
{
	ChooseNode node = {.kind = kind, .op = op, .weight = weight, .layout = layout, .first_edge = CHOOSE_NONE};
	vec_push(c->arena, &c->nodes, node);
	return c->nodes.len - 1;
}

/* A value carried by control flow; `other` may be NULL. */
static void add_carried(Choose *c, IrOp *op, const IrValue *v, const IrValue *other)
{
	if (!ir_is_tensor(v->type))
		return;
	uint32_t node = add_node(c, CHOOSE_CARRIED, op, WEIGHT_ONCE, gpu_layout(c->gpu, v->type));
	c->node_of[v->id] = node;
	if (other)
		c->node_of[other->id] = node;
}

static void add_carried_values(Choose *c, IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *first = op->regions[0].first;
	if (op->kind == OP_FOR) {
		for (uint32_t i = 0; i < op->result_count; i++)
			add_carried(c, op, first->args[i + 1], &op->results[i]);
	} else if (op->kind == OP_WHILE) {
		for (uint32_t i = 0; i < first->arg_count; i++)
			add_carried(c, op, first->args[i], NULL);
		for (uint32_t i = 0; i < op->result_count; i++)
			add_carried(c, op, op->regions[1].first->args[i], &op->results[i]);
	} else {
		for (uint32_t i = 0; i < op->result_count; i++)
			add_carried(c, op, &op->results[i], NULL);
	}
}

/* The value whose layout drives the op at first. */
static const IrValue *driving_value(const IrOp *op)
{
	if (op->result_count && ir_is_tensor(op->results[0].type) && !gpu_tie(op)->by_operand)
		return &op->results[0];
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (ir_is_tensor(ir_operand(op, i)->type))
			return ir_operand(op, i);
	return NULL;
}

static GpuAccess descriptor_access(const IrOp *op)
{
	IrType tile = op->kind == OP_DESC_LOAD ? op->results[0].type : ir_operand(op, 1)->type;
	GpuAccess access = {.element_bits = MAX(tile->elem->bits, 8), .dim = tile->rank - 1};
	access.vector = access.contiguity = tile->shape[tile->rank - 1];
	/* Elements have addresses of their own. */
	for (unsigned d = 0; d < tile->rank; d++)
		access.constancy[d] = access.shared[d] = 1;
	return access;
}

static void add_seed(Choose *c, uint32_t node, const Layout *layout)
{
	ChooseSeed seed = {node, layout};
	vec_push(c->arena, &c->seeds, seed);
}

static void add_access(Choose *c, ChooseNode *node, IrOp *op)
{
	uint32_t mask = op->kind == OP_LOAD ? 1 : 2;
	node->access = ARENA_NEW(c->arena, GpuAccess);
	if (!is_access(op))
		*node->access = descriptor_access(op);
	else
		*node->access = gpu_access_of(c->axes, c->gpu->ir, ir_operand(op, 0),
					      op->kind != OP_ATOMIC_CAS && op->operand_count > mask
						      ? ir_operand(op, mask)
						      : NULL);
	if (op->kind == OP_LOAD && op->operand_count > 1 && is_access(op) &&
	    schedule_may_copy(c->gpu, c->cx->module, c->arena, op, &c->seen))
		node->access->vector = prefix_vector(c->axes, c->gpu->ir, ir_operand(op, 0), ir_operand(op, 1), node->access->dim);
	if (op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS)
		node->access->widest = gpu_atomic_bytes(c->gpu, op);
}

/* Does its block store where it loads from? No iteration then loads ahead of another's stores. */
static bool is_stored_too(const Choose *c, const IrOp *load)
{
	const IrValue *base = gpu_access_base(c->gpu, load);
	for (const IrOp *op = load->block->first; op && base; op = op->next)
		if (op->kind == OP_STORE && gpu_access_base(c->gpu, op) == base)
			return true;
	return false;
}

static bool is_staged(const Choose *c, const IrOp *op)
{
	bool loads = op->kind == OP_LOAD || op->kind == OP_DESC_LOAD;
	IrOp *loop = ir_parent_op(op);
	return loads && loop->kind == OP_FOR && c->has_dot[op->block->id] &&
	       !gpu_is_carried_alone(&op->results[0]) &&
	       schedule_asks(c->gpu, c->cx->module, c->arena, loop) && !is_stored_too(c, op);
}

/* Memory whose tile was given a layout of its own, as it is stored the other way round than it was loaded. */
static bool insists(const IrOp *op)
{
	const IrOp *from = op->kind == OP_LOCAL_ALLOC && op->operand_count ? ir_operand(op, 0)->def : NULL;
	return from && from->kind == OP_CONVERT_LAYOUT;
}

/* A load for such memory alone, which threads turn round between a ring and there, or for what a
 * product takes from registers: copies to the ring are as wide as memory allows. */
static bool is_read_from_ring(const Choose *c, const IrOp *op)
{
	const IrOp *user = NULL;
	if (op->kind != OP_LOAD || c->gpu->num_stages <= 1 || ir_parent_op(op)->kind != OP_FOR)
		return false;
	for (const IrUse *u = op->results[0].uses; u; u = u->next) {
		const IrOp *at = u->owner;
		if (at->kind == OP_CONVERT_LAYOUT && !at->results[0].uses)
			continue;
		if (user || at->kind != OP_CONVERT_LAYOUT)
			return false;
		while (at->kind == OP_CONVERT_LAYOUT && ir_has_one_use(&at->results[0]))
			at = at->results[0].uses->owner;
		user = at;
	}
	return user && (insists(user) || user->kind == OP_WARP_GROUP_DOT);
}

/* Is it a part of addresses alone? Of such a vector's elements one is computed. */
static bool is_address(const IrValue *v, unsigned depth)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		bool memory = op->kind == OP_LOAD || op->kind == OP_STORE;
		bool address = memory	? ir_operand(op, 0) == v
			       : !depth ? false
					: (op->kind == OP_CONVERT_LAYOUT || op->kind == OP_ADDPTR || ir_has_trait(op, TRAIT_REMAT)) &&
					  op->result_count == 1 && is_address(&op->results[0], depth - 1);
		if (!address)
			return false;
	}
	return v->uses != NULL;
}

/* What threads compute once: elements that are equal, and of addresses those of a vector. */
static const int64_t *runs_of(const Choose *c, const IrOp *op)
{
	enum { VECTOR = 8, DEPTH = 12 };
	const AxisInfo *info = op->result_count == 1 ? axis_of(c->axes, &op->results[0]) : NULL;
	if (!info || !ir_has_trait(op, TRAIT_ELEM) || is_shape_op(op))
		return NULL;
	int64_t *runs = ARENA_ARRAY(c->arena, int64_t, IR_MAX_RANK);
	bool address = is_address(&op->results[0], DEPTH);
	for (unsigned d = 0; d < IR_MAX_RANK; d++) {
		int64_t vector = address && d < info->rank ? MIN(info->contiguity[d], VECTOR) : 1;
		runs[d] = d < info->rank ? MAX(info->constancy[d], vector) : 1;
	}
	return runs;
}

static void add_op(Choose *c, IrOp *op, uint32_t weight)
{
	const IrValue *drives = driving_value(op);
	uint32_t at = add_node(c, CHOOSE_OP, op, weight, gpu_layout(c->gpu, drives->type));
	ChooseNode *node = &c->nodes.data[at];
	node->fixed = !gpu_tie(op)->driven || insists(op) || is_read_from_ring(c, op);
	node->takes_any = op->kind == OP_DOT && gpu_dot_takes_any(c->gpu, op);
	c->node_of_op[op->id] = at;
	c->has_dot[op->block->id] = c->has_dot[op->block->id] || schedule_is_dot(op);
	IrType *types = ARENA_ARRAY(c->arena, IrType, op->operand_count);
	for (uint32_t i = 0; i < op->operand_count; i++)
		types[i] = ir_operand(op, i)->type;
	node->operand_types = types;
	node->runs = runs_of(c, op);
	for (uint32_t i = 0; i < op->result_count; i++)
		c->node_of[op->results[i].id] = ir_is_tensor(op->results[i].type) ? at : CHOOSE_NONE;
	bool descriptor = op->kind == OP_DESC_LOAD || op->kind == OP_DESC_STORE;
	if (is_access(op) || descriptor) {
		add_access(c, node, op);
		add_seed(c, at, node->layout);
	}
}

static void visit_region(Choose *c, IrRegion *region, uint32_t weight);

static void visit_regions(Choose *c, IrOp *op, uint32_t weight)
{
	int seldom = op->kind == OP_IF ? branch_seldom(c->gpu->ir, op) : -1;
	for (uint32_t r = 0; r < op->region_count; r++) {
		uint32_t inner = weight;
		if (op->kind == OP_FOR || op->kind == OP_WHILE)
			inner = MIN(weight * CHOOSE_LOOP, WEIGHT_MOST);
		else if (op->kind == OP_IF && seldom < 0)
			inner = MAX(weight / 2, 1);
		else if (seldom == (int)r)
			inner = MAX(weight / SELDOM_PART, 1);
		visit_region(c, &op->regions[r], inner);
	}
}

static bool is_terminator_of_flow(const IrOp *op)
{
	return op->kind == OP_YIELD || op->kind == OP_CONDITION;
}

static void visit_op(Choose *c, IrOp *op, uint32_t weight)
{
	if (op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_IF) {
		add_carried_values(c, op);
	} else if (op->kind == OP_CONVERT_LAYOUT) {
		const IrValue *from = ir_operand(op, 0);
		c->node_of[op->results[0].id] = c->node_of[from->id];
		c->is_free[op->results[0].id] = c->is_free[from->id];
		return;
	} else if (has_tile(op) && !is_terminator_of_flow(op)) {
		if (is_free_op(c, op))
			c->is_free[op->results[0].id] = true;
		else
			add_op(c, op, weight);
	}
	if (op->kind != OP_REDUCE && op->kind != OP_SCAN && op->kind != OP_MAP_ELEMENTWISE)
		visit_regions(c, op, weight);
}

/* Tiles that come from elsewhere: parameters of functions, what a region with warps of its own gets. */
static void add_parameters(Choose *c, const IrBlock *block, uint32_t weight)
{
	for (uint32_t i = 0; i < block->arg_count; i++) {
		const IrValue *v = block->args[i];
		c->type_of[v->id] = v->type;
		if (!ir_is_tensor(v->type) || c->node_of[v->id] != CHOOSE_NONE)
			continue;
		uint32_t at = add_node(c, CHOOSE_CARRIED, block->region->op, weight, gpu_layout(c->gpu, v->type));
		c->nodes.data[at].fixed = true;
		c->node_of[v->id] = at;
		add_seed(c, at, c->nodes.data[at].layout);
	}
}

static void visit_region(Choose *c, IrRegion *region, uint32_t weight)
{
	for (IrBlock *b = region->first; b; b = b->next) {
		c->weight_of[b->id] = weight;
		add_parameters(c, b, weight);
		for (IrOp *op = b->first; op; op = op->next) {
			for (uint32_t i = 0; i < op->result_count; i++)
				c->type_of[op->results[i].id] = op->results[i].type;
			visit_op(c, op, weight);
		}
	}
}

/* ---- conversions go ---- */

static bool strip(void *data, IrOp *op)
{
	(void)data;
	if (op->kind == OP_CONVERT_LAYOUT) {
		ir_replace_uses(&op->results[0], ir_operand(op, 0));
		ir_op_erase(op);
	}
	return true;
}

/* ---- edges ---- */

static const IrBlock *block_of(const IrValue *v)
{
	return v->def ? v->def->block : v->block;
}

static void add_edge(Choose *c, uint32_t from, uint32_t to, uint32_t operand, IrValue *value, uint32_t weight)
{
	ChooseEdge edge = {from, to, operand, weight, choose_bits(value->type), value, {0}};
	edge.next[0] = c->nodes.data[from].first_edge;
	edge.next[1] = c->nodes.data[to].first_edge;
	if (from == to)
		return;
	c->nodes.data[from].first_edge = c->nodes.data[to].first_edge = c->edges.len;
	vec_push(c->arena, &c->edges, edge);
}

/* The node that a use feeds, and as which operand; CHOOSE_NONE: none that asks for a layout. */
static uint32_t user_of(Choose *c, const IrUse *use, uint32_t *operand)
{
	IrOp *op = use->owner;
	uint32_t at = (uint32_t)(use - op->operands);
	IrOp *parent = ir_parent_op(op);
	*operand = at;
	if (op->kind == OP_FOR)
		return c->node_of[op->regions[0].first->args[at - 2]->id];
	if (op->kind == OP_WHILE)
		return c->node_of[op->regions[0].first->args[at]->id];
	if (op->kind == OP_CONDITION)
		return c->node_of[parent->results[at - 1].id];
	if (op->kind == OP_YIELD && parent->kind == OP_WHILE)
		return c->node_of[parent->regions[0].first->args[at]->id];
	if (op->kind == OP_YIELD)
		return c->node_of[parent->results[at].id];
	uint32_t node = c->node_of_op[op->id];
	return node == CHOOSE_NONE || gpu_takes_any(op, at) ? CHOOSE_NONE : node;
}

/* Loads of loops with dots are pipelined through shared memory: from there every layout costs but the loads. */
static uint32_t weight_of_flow(const Choose *c, const IrValue *v, uint32_t weight)
{
	return v->def && is_staged(c, v->def) ? MAX(weight / STAGED_PART, 1) : weight;
}

static void add_flows(Choose *c, IrValue *v)
{
	uint32_t from = c->node_of[v->id], operand, count = 0;
	uint32_t defined = c->weight_of[block_of(v)->id];
	if (from == CHOOSE_NONE || c->is_free[v->id])
		return;
	for (const IrUse *u = v->uses; u; u = u->next)
		count += user_of(c, u, &operand) != CHOOSE_NONE;
	if (count > 1) {
		uint32_t copy = add_node(c, CHOOSE_COPY, NULL, defined, c->nodes.data[from].layout);
		c->nodes.data[copy].layout = choose_given(c, &c->nodes.data[from], v, c->nodes.data[from].layout);
		add_edge(c, from, copy, 0, v, weight_of_flow(c, v, defined));
		from = copy;
	}
	for (const IrUse *u = v->uses; u; u = u->next) {
		uint32_t to = user_of(c, u, &operand);
		uint32_t weight = MIN(defined, c->weight_of[u->owner->block->id]);
		if (to != CHOOSE_NONE)
			add_edge(c, from, to, operand, v, count > 1 ? weight : weight_of_flow(c, v, weight));
	}
}

static bool visit_flows(void *data, IrOp *op)
{
	Choose *c = data;
	for (uint32_t i = 0; i < op->result_count; i++)
		if (ir_is_tensor(op->results[i].type))
			add_flows(c, &op->results[i]);
	for (uint32_t r = 0; r < op->region_count; r++)
		for (const IrBlock *b = op->regions[r].first; b; b = b->next)
			for (uint32_t i = 0; i < b->arg_count; i++)
				if (ir_is_tensor(b->args[i]->type))
					add_flows(c, b->args[i]);
	return true;
}

static bool has_products(const Choose *c)
{
	for (uint32_t i = 0; i < c->blocks; i++)
		if (c->has_dot[i])
			return true;
	return false;
}

/* A copy to shared memory takes every element, also those that have the address of another. Where
 * no products set the pace, loads wait for memory side by side, for which there are few places. */
static void price_loads(Choose *c)
{
	bool products = has_products(c);
	for (uint32_t i = 0; i < c->nodes.len; i++) {
		const ChooseNode *node = &c->nodes.data[i];
		if (node->kind != CHOOSE_OP || node->op->kind != OP_LOAD)
			continue;
		node->access->sets_pace = !products;
		if (!is_staged(c, node->op) || node->access->vector * node->access->element_bits < 32)
			continue;
		for (unsigned d = 0; d < IR_MAX_RANK; d++)
			node->access->shared[d] = 1;
		node->access->more = node->op->results[0].type->rank == 1 ? ROW_COPY : COPY_ADDRESS;
	}
}

/* What fixed ops want of tiles that are computed is tried for these tiles, and what they give for their users. */
static void add_seeds_of_fixed(Choose *c)
{
	for (uint32_t i = 0; i < c->edges.len; i++) {
		const ChooseEdge *edge = &c->edges.data[i];
		ChooseNode *from = &c->nodes.data[edge->from], *to = &c->nodes.data[edge->to];
		const Layout *layout = NULL;
		if (to->fixed && !from->fixed) {
			const Layout *wanted = choose_wanted(c, to, edge->operand, to->layout);
			layout = wanted ? choose_driver_of_given(c, from, wanted) : NULL;
			if (layout)
				add_seed(c, edge->from, layout);
		} else if (from->fixed && !to->fixed) {
			const Layout *given = choose_given(c, from, edge->value, from->layout);
			layout = choose_driver_of_wanted(c, to, edge->operand, given);
			if (layout)
				add_seed(c, edge->to, layout);
		}
	}
}

static uint32_t *new_table(Arena *arena, uint32_t n)
{
	uint32_t *table = ARENA_ARRAY(arena, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		table[i] = CHOOSE_NONE;
	return table;
}

void choose_build(Choose *c, PassCx *cx)
{
	IrModule *m = cx->module;
	*c = (Choose){.cx = cx, .gpu = gpu_of(cx), .arena = cx->scratch};
	c->values = m->next_value;
	c->ops = m->next_op;
	c->blocks = m->next_block;
	c->axes = gpu_axis(cx);
	c->node_of = new_table(c->arena, c->values);
	c->node_of_op = new_table(c->arena, c->ops);
	c->weight_of = ARENA_ARRAY(c->arena, uint32_t, c->blocks);
	c->has_dot = ARENA_ARRAY(c->arena, bool, c->blocks);
	c->is_free = ARENA_ARRAY(c->arena, bool, c->values);
	c->type_of = ARENA_ARRAY(c->arena, IrType, c->values);
	map_init(&c->prices, c->arena);
	map_init(&c->numbers, c->arena);
	map_init(&c->inferred, c->arena);
	visit_region(c, &m->op->regions[0], WEIGHT_ONCE);
	price_loads(c);
	ir_walk(m->op, false, strip, NULL);
	ir_walk(m->op, false, visit_flows, c);
	for (uint32_t i = 0; i < c->nodes.len; i++) {
		ChooseNode *node = &c->nodes.data[i];
		bool reduces = node->kind == CHOOSE_OP && node->op->kind == OP_REDUCE;
		node->is_loop_sum = reduces && gpu_is_loop_sum(node->op);
	}
	add_seeds_of_fixed(c);
}
