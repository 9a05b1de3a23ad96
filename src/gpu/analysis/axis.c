/* Axis analysis: the dataflow over structured control flow.
 *
 * Optimistic: a value not yet visited is the neutral element of the join; loops are iterated to a
 * fixed point. Facts only get weaker and have few levels; a loop that still changes after some
 * rounds gives up on what changes. Single operations are in axis_ops.c. */
#include "gpu/analysis/axis_int.h"

enum { ROUNDS = 6 };

struct AxisMap {
	const IrModule *module;
	Arena *arena;
	AxisInfo **infos; /* by value id */
	uint32_t count;
	bool changed, give_up;
	AxisSuppose suppose;
};

const AxisInfo *axis_of(const AxisMap *map, const IrValue *value)
{
	return value->id < map->count ? map->infos[value->id] : NULL;
}

static bool same_info(const AxisInfo *a, const AxisInfo *b)
{
	if (!a || !b)
		return a == b;
	bool same = a->rank == b->rank && a->known == b->known && a->value == b->value && a->nonneg == b->nonneg;
	for (unsigned d = 0; same && d < a->rank; d++)
		same = a->contiguity[d] == b->contiguity[d] && a->divisibility[d] == b->divisibility[d] &&
		       a->constancy[d] == b->constancy[d];
	return same;
}

bool axis_same(const IrModule *module, const AxisMap *a, const AxisMap *b)
{
	for (uint32_t id = 0; id < module->next_value; id++)
		if (!same_info(id < a->count ? a->infos[id] : NULL, id < b->count ? b->infos[id] : NULL))
			return false;
	return true;
}

static bool is_indexed(IrType type)
{
	IrType elem = ir_elem(type);
	return ir_is_int(elem) || ir_is_ptr(elem);
}

/* ---- hints ---- */

int64_t axis_hint(IrAttr attr, unsigned dim)
{
	int64_t value = 1;
	if (attr->kind == ATTR_KIND_INT)
		value = attr->i;
	else if (attr->kind == ATTR_KIND_DENSE && attr->splat)
		value = (int64_t)attr->words[0];
	else if (attr->kind == ATTR_KIND_DENSE && dim < attr->len)
		value = (int64_t)attr->words[dim];
	return value > 0 ? value & -value : 1;
}

static void apply_hints(AxisInfo *info, IrType type, IrAttr divisibility, IrAttr contiguity, IrAttr constancy)
{
	for (unsigned d = 0; d < info->rank; d++) {
		int64_t size = axis_size(type, d);
		if (contiguity)
			info->contiguity[d] = MAX(info->contiguity[d], MIN(axis_hint(contiguity, d), size));
		if (constancy)
			info->constancy[d] = MAX(info->constancy[d], MIN(axis_hint(constancy, d), size));
		if (divisibility)
			info->divisibility[d] = MAX(info->divisibility[d], MIN(axis_hint(divisibility, d), AXIS_MOST));
	}
}

static IrAttr dict_get(IrAttr dict, Sym name)
{
	for (uint32_t i = 0; dict && i < dict->len; i++)
		if (dict->names[i] == name)
			return dict->items[i];
	return NULL;
}

/* ---- assumptions ---- */

/* Does the assumption hold wherever the value is there? They stand in one block, or it is an argument of the function. */
static bool holds_always(const IrOp *assume, const IrValue *value)
{
	return assume->block == (value->def ? value->def->block : value->block);
}

static void assume_about(AxisInfo *info, const IrCx *cx, const IrOp *cmp, const IrValue *value)
{
	int64_t predicate = ir_get_int(cmp, cx, ATTR_PREDICATE, CMPI_EQ), bound;
	const IrValue *left = ir_operand(cmp, 0), *right = ir_operand(cmp, 1);
	const IrOp *rem = left->def;
	bool zero = ir_constant_int(right, &bound);
	if (predicate == CMPI_EQ && zero && bound == 0 && rem && (rem->kind == OP_REMSI || rem->kind == OP_REMUI) &&
	    ir_operand(rem, 0) == value && ir_constant_int(ir_operand(rem, 1), &bound) && bound > 0)
		info->divisibility[0] = MAX(info->divisibility[0], MIN(bound & -bound, AXIS_MOST));
	if (predicate == CMPI_EQ && zero && bound == 0 && rem && rem->kind == OP_ANDI && ir_operand(rem, 0) == value &&
	    ir_constant_int(ir_operand(rem, 1), &bound) && bound > 0 && base_is_pow2((uint64_t)bound + 1))
		info->divisibility[0] = MAX(info->divisibility[0], MIN(bound + 1, AXIS_MOST));
	if (!ir_constant_int(left, &bound) && ir_constant_int(right, &bound) && left == value)
		info->nonneg |= (predicate == CMPI_SGE && bound >= 0) || (predicate == CMPI_SGT && bound >= -1);
	if (ir_constant_int(left, &bound) && right == value)
		info->nonneg |= (predicate == CMPI_SLE && bound >= 0) || (predicate == CMPI_SLT && bound >= -1);
}

/* Conditions may be joined by and. */
static void assume_condition(AxisInfo *info, const IrCx *cx, const IrValue *condition, const IrValue *value, int depth)
{
	const IrOp *def = condition->def;
	if (!def || depth > 8)
		return;
	if (def->kind == OP_CMPI) {
		assume_about(info, cx, def, value);
	} else if (def->kind == OP_ANDI) {
		assume_condition(info, cx, ir_operand(def, 0), value, depth + 1);
		assume_condition(info, cx, ir_operand(def, 1), value, depth + 1);
	}
}

/* Assumptions are found from the value: through its uses, and those of remainders of it. */
static void apply_assumptions(AxisInfo *info, const IrCx *cx, const IrValue *value, const IrValue *through, int depth)
{
	for (const IrUse *use = through->uses; use; use = use->next) {
		const IrOp *op = use->owner;
		if (op->kind == OP_ASSUME && holds_always(op, value))
			assume_condition(info, cx, ir_operand(op, 0), value, 0);
		else if (depth < 4 && (op->kind == OP_CMPI || op->kind == OP_REMSI || op->kind == OP_REMUI || op->kind == OP_ANDI))
			apply_assumptions(info, cx, value, ir_result(op, 0), depth + 1);
	}
}

/* ---- setting ---- */

static bool equal(const AxisInfo *a, const AxisInfo *b)
{
	bool same = a->known == b->known && a->value == b->value && a->nonneg == b->nonneg;
	for (unsigned d = 0; d < a->rank && same; d++)
		same = a->contiguity[d] == b->contiguity[d] && a->divisibility[d] == b->divisibility[d] &&
		       a->constancy[d] == b->constancy[d];
	return same;
}

static void set(AxisMap *map, const IrValue *value, AxisInfo info)
{
	AxisInfo **slot = &map->infos[value->id];
	if (!ir_is_tensor(value->type) && ir_is_int(value->type) && value->uses)
		apply_assumptions(&info, map->module->cx, value, value, 0);
	if (*slot && equal(*slot, &info))
		return;
	if (!*slot)
		*slot = ARENA_NEW(map->arena, AxisInfo);
	**slot = info;
	map->changed = true;
}

/* What flows into `value` besides what did so far. */
static void join(AxisMap *map, const IrValue *value, const IrValue *from)
{
	const AxisInfo *old = axis_of(map, value), *new = axis_of(map, from);
	if (!is_indexed(value->type) || !new)
		return;
	if (!old) {
		set(map, value, *new);
		return;
	}
	AxisInfo both = axis_join(old, new, value->type);
	if (map->give_up && !equal(old, &both))
		both = axis_nothing(value->type);
	set(map, value, both);
}

/* ---- walking ---- */

static void visit_block(AxisMap *map, const IrBlock *block);

static void join_operands(AxisMap *map, const IrOp *end, uint32_t first, IrValue *const *to, uint32_t count)
{
	for (uint32_t i = 0; i < count && first + i < end->operand_count; i++)
		join(map, to[i], ir_operand(end, first + i));
}

static void join_results(AxisMap *map, const IrOp *op, const IrOp *end, uint32_t first)
{
	for (uint32_t i = 0; end && i < op->result_count && first + i < end->operand_count; i++)
		join(map, &op->results[i], ir_operand(end, first + i));
}

/* Goes over a loop until what it carries stands. */
static void settle(AxisMap *map, void (*round)(AxisMap *map, const IrOp *op), const IrOp *op)
{
	bool changed = map->changed, give_up = map->give_up;
	for (int i = 0;; i++) {
		map->changed = false;
		map->give_up = give_up || i >= ROUNDS;
		round(map, op);
		if (!map->changed)
			break;
		changed = true;
	}
	map->changed = changed;
	map->give_up = give_up;
}

static void for_round(AxisMap *map, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *body = op->regions[0].first;
	const AxisInfo *lower = axis_of(map, ir_operand(op, 0)), *step = axis_of(map, ir_operand(op, 2));
	AxisInfo counter = axis_nothing(body->args[0]->type);
	if (lower && step) {
		counter.divisibility[0] = MIN(lower->divisibility[0], step->divisibility[0]);
		counter.nonneg = lower->nonneg;
	}
	set(map, body->args[0], counter);
	for (uint32_t i = 3; i < op->operand_count; i++)
		join(map, body->args[i - 2], ir_operand(op, i));
	visit_block(map, body);
	const IrOp *end = ir_terminator(body);
	join_operands(map, end, 0, body->args + 1, body->arg_count - 1);
	/* No round at all is possible. */
	for (uint32_t i = 0; i < op->result_count; i++)
		join(map, &op->results[i], body->args[i + 1]);
}

static void while_round(AxisMap *map, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *before = op->regions[0].first, *after = op->regions[1].first;
	for (uint32_t i = 0; i < op->operand_count; i++)
		join(map, before->args[i], ir_operand(op, i));
	visit_block(map, before);
	const IrOp *condition = ir_terminator(before), *end = ir_terminator(after);
	join_operands(map, condition, 1, after->args, after->arg_count);
	join_results(map, op, condition, 1);
	visit_block(map, after);
	join_operands(map, end, 0, before->args, before->arg_count);
}

static void visit_partitions(AxisMap *map, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrOp *holder = op->regions[1].first ? op->regions[1].first->last : NULL;
	visit_block(map, op->regions[0].first);
	join_results(map, op, ir_terminator(op->regions[0].first), 0);
	for (uint32_t r = 0; holder && r < holder->region_count; r++) {
		const IrBlock *block = holder->regions[r].first;
		for (uint32_t i = 0; i < op->operand_count && i < block->arg_count; i++)
			join(map, block->args[i], ir_operand(op, i));
		visit_block(map, block);
	}
}

static void visit_plain(AxisMap *map, const IrOp *op)
{
	const IrCx *cx = map->module->cx;
	AxisArgs args = {0};
	bool ready = true;
	for (uint32_t i = 0; i < op->operand_count && i < ARRAY_LEN(args.a); i++) {
		const IrValue *v = ir_operand(op, i);
		args.a[i] = axis_of(map, v);
		if (!args.a[i]) {
			/* Floats; or a loop has not come round to it yet. */
			AxisInfo *nothing = ARENA_NEW(map->arena, AxisInfo);
			*nothing = axis_nothing(v->type);
			args.a[i] = nothing;
			ready = ready && !is_indexed(v->type);
		}
	}
	for (uint32_t i = 0; i < op->result_count && ready; i++) {
		const IrValue *v = &op->results[i];
		if (!is_indexed(v->type))
			continue;
		bool one = op->result_count == 1 || op->kind == OP_SPLIT;
		AxisInfo info = one ? axis_transfer(op, cx, &args) : axis_nothing(v->type);
		apply_hints(&info, v->type, ir_get(op, cx, ATTR_DIVISIBILITY), ir_get(op, cx, ATTR_CONTIGUITY),
			    ir_get(op, cx, ATTR_CONSTANCY));
		set(map, v, info);
	}
}

static void visit_op(AxisMap *map, const IrOp *op)
{
	switch (op->kind) {
	case OP_FOR:
		settle(map, for_round, op);
		break;
	case OP_WHILE:
		settle(map, while_round, op);
		break;
	case OP_IF:
		for (uint32_t r = 0; r < op->region_count; r++) {
			const IrBlock *block = op->regions[r].first;
			if (!block)
				continue;
			visit_block(map, block);
			join_results(map, op, ir_terminator(block), 0);
		}
		break;
	case OP_WARP_SPECIALIZE:
		visit_partitions(map, op);
		break;
	default:
		visit_plain(map, op);
		for (uint32_t r = 0; r < op->region_count; r++) {
			const IrBlock *block = op->regions[r].first;
			for (uint32_t i = 0; block && i < block->arg_count; i++)
				if (is_indexed(block->args[i]->type))
					set(map, block->args[i], axis_nothing(block->args[i]->type));
			if (block)
				visit_block(map, block);
		}
		break;
	}
}

static void visit_block(AxisMap *map, const IrBlock *block)
{
	for (const IrOp *op = block->first; op; op = op->next)
		visit_op(map, op);
}

static void visit_func(AxisMap *map, const IrOp *func)
{
	const IrCx *cx = map->module->cx;
	IrAttr dicts = ir_get(func, cx, ATTR_ARG_ATTRS);
	const IrBlock *body = ir_func_body(func);
	for (uint32_t i = 0; body && i < body->arg_count; i++) {
		const IrValue *arg = body->args[i];
		IrAttr dict = dicts && i < dicts->len ? dicts->items[i] : NULL;
		if (!is_indexed(arg->type))
			continue;
		AxisInfo info = axis_nothing(arg->type);
		info.nonneg = true;
		apply_hints(&info, arg->type, dict_get(dict, cx->names[ATTR_DIVISIBILITY]),
			    dict_get(dict, cx->names[ATTR_CONTIGUITY]), dict_get(dict, cx->names[ATTR_CONSTANCY]));
		int64_t by = map->suppose.by ? map->suppose.by : 16;
		for (unsigned d = 0; i < map->suppose.count && map->suppose.divisible[i] && d < info.rank; d++)
			info.divisibility[d] = MAX(info.divisibility[d], by);
		set(map, arg, i == map->suppose.one ? axis_all(arg->type, 1) : info);
	}
	for (const IrBlock *b = body; b; b = b->next)
		visit_block(map, b);
}

AxisMap *axis_analyse(const IrModule *module, Arena *arena)
{
	return axis_suppose(module, arena, &(AxisSuppose){NULL, 0, UINT32_MAX, 0});
}

AxisMap *axis_suppose(const IrModule *module, Arena *arena, const AxisSuppose *suppose)
{
	AxisMap *map = ARENA_NEW(arena, AxisMap);
	map->suppose = *suppose;
	map->module = module;
	map->arena = arena;
	map->count = module->next_value;
	map->infos = ARENA_ARRAY(arena, AxisInfo *, map->count + 1);
	for (const IrOp *op = ir_module_block(module)->first; op; op = op->next)
		visit_func(map, op);
	return map;
}

int64_t axis_vector(const AxisMap *map, const IrValue *pointers, const IrValue *mask, unsigned dim)
{
	CONTRACT(dim < pointers->type->rank);
	const AxisInfo *p = axis_of(map, pointers), *m = mask ? axis_of(map, mask) : NULL;
	if (!p || dim >= p->rank)
		return 1;
	int64_t bytes = axis_step(pointers->type);
	int64_t n = MIN(p->contiguity[dim], MAX(p->divisibility[dim] / bytes, 1));
	if (mask)
		n = MIN(n, m && dim < m->rank ? m->constancy[dim] : 1);
	return n;
}
