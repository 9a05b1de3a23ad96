/* Cutting a function's products among the CTAs of a cluster (parts.h). */
#include "gpu/plan/parts.h"

#include "gpu/plan/parts_ops.h"

enum { ROUNDS = 16 /* of propagation: loops in loops hand on one step a round */, ROOT_STEPS = 16 };

typedef struct Search {
	GpuParts *p;
	bool changed;
	VEC(const IrOp *) sinks, dots;
	VEC(struct Want {
		const IrValue *value;
		GpuPart part;
	}) list;
} Search;

static bool refuse(Search *s, const char *why)
{
	s->p->why = s->p->why ? s->p->why : why;
	return false;
}

static const char meet[] = "tiles that are cut along different dims meet";
static const char across[] = "what is computed of a product needs what several CTAs have of it";

/* ---- the natural part ---- */

static bool add_natural(Search *s, const IrValue *v, GpuPart part)
{
	GpuPart *own = &s->p->natural[v->id], all;
	if (!gpu_part_is_tile(v->type))
		return !part || refuse(s, across);
	if (!gpu_part_merge(s->p, *own, part, &all))
		return refuse(s, meet);
	s->changed |= all != *own;
	*own = all;
	return true;
}

static GpuPart natural(const Search *s, const IrValue *v)
{
	return gpu_part_is_tile(v->type) ? s->p->natural[v->id] : 0;
}

static bool is_dot(const IrOp *op)
{
	return op->kind == OP_DOT || op->kind == OP_DOT_SCALED;
}

/* Bits that nothing says cut the product where the search says. */
static GpuPart seed_of(const Search *s, const IrOp *dot, GpuPart part)
{
	unsigned rank = dot->results[0].type->rank;
	for (unsigned bit = 0; bit < s->p->bits; bit++)
		if (gpu_part_dim(part, bit) < 0)
			part |= gpu_part_of_bit(bit, rank - (bit < s->p->m_bits ? 2 : 1));
	return part;
}

/* From operands to results; of a dot first what its operands say, else the seed. */
static bool flow_op(Search *s, const IrOp *op)
{
	GpuPart all = 0, part;
	bool knows = gpu_part_knows(s->p, op);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		GpuPart own = natural(s, ir_operand(op, i));
		if (!own)
			continue;
		if (!knows)
			return refuse(s, "an op takes the whole of it");
		if (!gpu_part_result(s->p, op, i, own, &part))
			return refuse(s, across);
		if (!gpu_part_merge(s->p, all, part, &all))
			return refuse(s, meet);
	}
	all = is_dot(op) ? seed_of(s, op, all) : all;
	for (uint32_t i = 0; i < op->result_count && all; i++)
		if (!add_natural(s, &op->results[i], all))
			return false;
	return true;
}

static const IrOp *last_of(const IrOp *op, unsigned region)
{
	const IrBlock *block = op->regions[region].first;
	return block ? ir_terminator(block) : NULL;
}

/* What a loop carries in one place, and what a branch gives, is cut one way. */
static bool flow_region(Search *s, const IrOp *op)
{
	for (uint32_t i = 0; i < op->result_count; i++) {
		const IrValue *result = &op->results[i];
		bool good = true;
		if (op->kind == OP_IF) {
			for (unsigned r = 0; r < 2 && good; r++)
				good = add_natural(s, result, natural(s, ir_operand(last_of(op, r), i)));
		} else if (op->kind == OP_FOR) {
			const IrValue *arg = op->regions[0].first->args[i + 1];
			good = add_natural(s, arg, natural(s, ir_operand(op, i + 3))) &&
			       add_natural(s, arg, natural(s, ir_operand(last_of(op, 0), i))) &&
			       add_natural(s, result, natural(s, arg));
		} else {
			const IrValue *arg = op->regions[1].first->args[i];
			good = add_natural(s, arg, natural(s, ir_operand(last_of(op, 0), i + 1))) &&
			       add_natural(s, result, natural(s, arg));
		}
		if (!good)
			return false;
	}
	for (uint32_t i = 0; op->kind == OP_WHILE && i < op->operand_count; i++) {
		const IrValue *arg = op->regions[0].first->args[i];
		if (!add_natural(s, arg, natural(s, ir_operand(op, i))) ||
		    !add_natural(s, arg, natural(s, ir_operand(last_of(op, 1), i))))
			return false;
	}
	return true;
}

static bool has_blocks(const IrOp *op)
{
	return op->kind == OP_FOR || op->kind == OP_IF || op->kind == OP_WHILE;
}

static bool flow_block(Search *s, const IrBlock *block)
{
	for (const IrOp *op = block->first; op; op = op->next) {
		for (uint32_t r = 0; has_blocks(op) && r < op->region_count; r++)
			if (op->regions[r].first && !flow_block(s, op->regions[r].first))
				return false;
		if (has_blocks(op) ? !flow_region(s, op) : !ir_has_trait(op, TRAIT_TERM) && !flow_op(s, op))
			return false;
	}
	return true;
}

static bool find_natural(Search *s)
{
	s->changed = true;
	for (unsigned round = 0; s->changed; round++) {
		s->changed = false;
		if (round == ROUNDS)
			return refuse(s, "loops hand tiles on in too many ways");
		if (!flow_block(s, ir_func_body(s->p->func)))
			return false;
	}
	return true;
}

/* ---- what is wanted ---- */

static bool fits(IrType type, GpuPart part)
{
	IrType tile = type->kind == TY_TENSORDESC ? type->elem : type;
	for (uint32_t d = 0; d < tile->rank; d++) {
		unsigned bits = gpu_part_bits_of(part, d);
		if (tile->shape[d] >> bits << bits != tile->shape[d] || !(tile->shape[d] >> bits))
			return false;
	}
	return true;
}

static bool want(Search *s, const IrValue *v, GpuPart part)
{
	if (!gpu_part_is_tile(v->type))
		return true;
	GpuPartList *list = &s->p->wanted[v->id];
	for (uint32_t i = 0; i < list->len; i++)
		if (list->data[i] == part)
			return true;
	if (!fits(v->type, part))
		return refuse(s, "a tile is too small for the CTAs of the cluster");
	vec_push(s->p->arena, list, part);
	vec_push(s->p->arena, &s->list, (struct Want){v, part});
	return true;
}

/* All values that stand for one that is carried have the same parts. */
static bool want_carried(Search *s, const IrOp *op, uint32_t slot, bool before, GpuPart part)
{
	if (op->kind == OP_FOR)
		return want(s, op->regions[0].first->args[slot + 1], part) &&
		       want(s, ir_operand(op, slot + 3), part) &&
		       want(s, ir_operand(last_of(op, 0), slot), part);
	if (op->kind == OP_IF)
		return want(s, ir_operand(last_of(op, 0), slot), part) &&
		       want(s, ir_operand(last_of(op, 1), slot), part);
	if (before)
		return want(s, op->regions[0].first->args[slot], part) &&
		       want(s, ir_operand(op, slot), part) && want(s, ir_operand(last_of(op, 1), slot), part);
	return want(s, op->regions[1].first->args[slot], part) &&
	       want(s, ir_operand(last_of(op, 0), slot + 1), part);
}

static bool want_operands(Search *s, const IrOp *op, GpuPart part)
{
	for (uint32_t i = 0; i < op->operand_count; i++) {
		GpuPart own;
		if (!gpu_part_operand(s->p, op, i, part, &own))
			return refuse(s, across);
		if (!want(s, ir_operand(op, i), own))
			return false;
	}
	return true;
}

bool gpu_part_is_sink(const IrOp *op)
{
	return ir_has_trait(op, TRAIT_WRITE);
}

GpuPart gpu_part_of_sink(const GpuParts *p, const IrOp *op)
{
	GpuPart all = 0, part;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *v = ir_operand(op, i);
		if (gpu_part_is_tile(v->type) && gpu_part_result(p, op, i, p->natural[v->id], &part))
			gpu_part_merge(p, all, part, &all);
	}
	return all;
}

static bool want_value(Search *s, const IrValue *v, GpuPart part)
{
	const IrOp *op = v->def;
	if (!op) {
		const IrOp *around = v->block->region->op;
		if (around->kind == OP_FUNC)
			return s->p->wanted[v->id].len == 1 ||
			       refuse(s, "a descriptor that is an argument is wanted in several parts");
		bool before = around->kind == OP_WHILE && v->block == around->regions[0].first;
		return want_carried(s, around, v->index - (around->kind == OP_FOR), before, part);
	}
	if (has_blocks(op))
		return want_carried(s, op, v->index, false, part);
	if (!gpu_part_knows(s->p, op))
		return refuse(s, "an op does not compute parts");
	bool fixed = is_dot(op) || gpu_part_is_sink(op);
	GpuPart own = is_dot(op) ? s->p->natural[v->id] : gpu_part_of_sink(s->p, op);
	if (fixed && part != own)
		return refuse(s, "a product is wanted in other parts than CTAs compute of it");
	return want_operands(s, op, part);
}

/* ---- what is done ---- */

/* Where an access begins, through pointers or a descriptor; NULL: not known. */
static const IrValue *root_of(const IrValue *v)
{
	for (unsigned steps = 0; v && steps < ROOT_STEPS; steps++) {
		const IrOp *op = v->def;
		if (!op) {
			const IrOp *around = v->block->region->op;
			if (around->kind != OP_FOR || !v->index)
				return around->kind == OP_FUNC ? v : NULL;
			v = ir_operand(around, v->index + 2);
		} else if (ir_has_trait(op, TRAIT_MOVE) || op->kind == OP_ADDPTR || op->kind == OP_BITCAST ||
			   op->kind == OP_MAKE_TENSOR_DESC) {
			v = ir_operand(op, 0);
		} else {
			return op->kind == OP_LOAD || op->kind == OP_INT_TO_PTR ? v : NULL;
		}
	}
	return NULL;
}

static bool is_access(const IrOp *op)
{
	return ir_has_trait(op, TRAIT_READ | TRAIT_WRITE) && op->operand_count;
}

typedef struct Order {
	Search *s;
	const IrOp *sink;
	bool good;
} Order;

/* Does it look at what is in memory? */
static bool looks(const IrOp *op)
{
	return !gpu_part_is_sink(op) || (op->result_count && op->results[0].uses);
}

/* CTAs do not wait for each other, so what one of them writes no other one may look at: loads of
 * what the sink writes are of the same part of the same elements. Who stores again where another
 * thread has stored has to order that in any case; where CTAs have the same parts each is alone. */
static bool keeps_order(void *data, IrOp *op)
{
	Order *o = data;
	GpuParts *p = o->s->p;
	if (!is_access(op) || op == o->sink)
		return true;
	const IrValue *a = ir_operand(o->sink, 0), *b = ir_operand(op, 0), *x = root_of(a), *y = root_of(b);
	if (x && y && x != y)
		return true;
	GpuPart part = gpu_part_of_sink(p, o->sink);
	bool same;
	if (gpu_part_is_sink(op)) {
		bool atomic = op->kind == OP_ATOMIC_RMW && o->sink->kind == OP_ATOMIC_RMW;
		same = (atomic && !looks(op) && !looks(o->sink)) || gpu_part_of_sink(p, op) == part;
	} else {
		const GpuPartList *wanted = &p->wanted[op->results[0].id];
		bool unused = gpu_part_is_tile(op->results[0].type) && !wanted->len;
		same = unused ||
		       (wanted->len == 1 && wanted->data[0] == part && !gpu_part_copies(p, part));
	}
	o->good = same && (a == b || !(looks(op) || looks(o->sink)));
	return o->good;
}

static bool add_sinks(Search *s, const IrOp *op)
{
	switch (op->kind) {
	case OP_PRINT:
	case OP_ASSERT:
	case OP_BARRIER:
	case OP_CALL:
	case OP_BR:
	case OP_COND_BR:
		return refuse(s, "it prints, asserts, calls, or its threads meet");
	case OP_INLINE_ASM:
	case OP_EXTERN:
	case OP_MAP_ELEMENTWISE:
	case OP_LOAD:
		return gpu_part_knows(s->p, op) || refuse(s, "volatile loads, or effects of assembly");
	default:
		break;
	}
	if (op->kind == OP_ATOMIC_CAS || op->kind == OP_ATOMIC_RMW || op->kind == OP_DESC_REDUCE) {
		if (gpu_part_copies(s->p, gpu_part_of_sink(s->p, op)))
			return refuse(s, "an atomic operation is done once for all CTAs");
	}
	if (gpu_part_is_sink(op))
		vec_push(s->p->arena, &s->sinks, op);
	if (is_dot(op))
		vec_push(s->p->arena, &s->dots, op);
	return true;
}

static bool add_block(Search *s, const IrBlock *block)
{
	for (const IrOp *op = block->first; op; op = op->next) {
		if (!add_sinks(s, op))
			return false;
		for (uint32_t r = 0; has_blocks(op) && r < op->region_count; r++)
			if (op->regions[r].first && !add_block(s, op->regions[r].first))
				return false;
		/* Scalars of tiles are computed everywhere, and of the whole. */
		bool scalar = !has_blocks(op) && !gpu_part_is_sink(op) && !ir_has_trait(op, TRAIT_TERM);
		for (uint32_t i = 0; i < op->result_count; i++)
			scalar &= !gpu_part_is_tile(op->results[i].type);
		if (scalar && !want_operands(s, op, 0))
			return false;
	}
	return true;
}

static bool find_wanted(Search *s)
{
	if (!add_block(s, ir_func_body(s->p->func)))
		return false;
	for (uint32_t i = 0; i < s->sinks.len; i++)
		if (!want_operands(s, s->sinks.data[i], gpu_part_of_sink(s->p, s->sinks.data[i])))
			return false;
	for (uint32_t i = 0; i < s->list.len; i++) {
		struct Want w = s->list.data[i];
		if (!want_value(s, w.value, w.part))
			return false;
	}
	for (uint32_t i = 0; i < s->sinks.len; i++) {
		Order o = {s, s->sinks.data[i], true};
		ir_walk((IrOp *)(uintptr_t)s->p->func, false, keeps_order, &o);
		if (!o.good)
			return refuse(s, "it reads what it stores");
	}
	return true;
}

/* ---- the best ---- */

/* Bytes of operands that each CTA brings for a step of K, and how much worse its instruction is. */
static int64_t cost_of(const Search *s, const IrOp *dot)
{
	enum { WGMMA_ROWS = 64, MMA_ROWS = 16, MMA_COLUMNS = 8, LOST = 8 };
	const IrValue *c = &dot->results[0];
	IrType whole = c->type, own = gpu_part_type(s->p->gpu, whole, s->p->natural[c->id]);
	IrType a = ir_operand(dot, 0)->type, b = ir_operand(dot, 1)->type;
	int64_t rows = own->shape[own->rank - 2], columns = own->shape[own->rank - 1];
	int64_t all = whole->shape[own->rank - 2];
	int64_t cost = a->shape[a->rank - 1] *
		       (rows * (int64_t)a->elem->bits + columns * (int64_t)b->elem->bits) / 8;
	bool lost = (all >= WGMMA_ROWS && rows < WGMMA_ROWS) || rows < MIN(all, (int64_t)MMA_ROWS) ||
		    columns < MIN(whole->shape[own->rank - 1], (int64_t)MMA_COLUMNS);
	return lost ? cost * LOST : cost;
}

static bool try_cut(GpuParts *p, uint32_t values)
{
	Search s = {.p = p};
	p->natural = ARENA_ARRAY(p->arena, GpuPart, values);
	p->wanted = ARENA_ARRAY(p->arena, GpuPartList, values);
	p->why = NULL;
	p->cost = 0;
	if (!find_natural(&s) || !find_wanted(&s))
		return false;
	for (uint32_t i = 0; i < s.dots.len; i++)
		p->cost += cost_of(&s, s.dots.data[i]);
	return s.dots.len > 0 || refuse(&s, "it holds no product");
}

bool gpu_parts_find(GpuCx *cx, Arena *arena, const IrOp *func, uint32_t values, unsigned bits, GpuParts *out)
{
	CONTRACT(bits && bits <= GPU_PART_BITS);
	bool found = false;
	const char *why = NULL;
	for (unsigned m = bits + 1; m-- > 0;) {
		GpuParts p = {.gpu = cx, .arena = arena, .func = func, .bits = bits, .m_bits = m};
		if (try_cut(&p, values) && (!found || p.cost < out->cost)) {
			*out = p;
			found = true;
		}
		why = why ? why : p.why;
	}
	if (!found)
		*out = (GpuParts){.gpu = cx, .func = func, .bits = bits, .why = why};
	return found;
}
