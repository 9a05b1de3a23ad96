/* Rules of functions, regions, terminators, calls and branches. */
#include "ir/verify/verify_int.h"

/* ---- lists of types ---- */

/* Values that `give` hands to values that `take`: `what` names the givers. */
static bool types_match(Verifier *v, const IrOp *op, const char *what, const IrType *take, uint32_t take_len,
			const IrType *give, uint32_t give_len)
{
	if (!verify_number(v, op, verify_text(v, "the number of %ss", what), take_len, give_len))
		return false;
	bool ok = true;
	for (uint32_t i = 0; i < take_len; i++)
		ok = verify_type(v, op, verify_text(v, "%s %u", what, i), take[i], give[i]) && ok;
	return ok;
}

typedef struct Types {
	const IrType *list;
	uint32_t len;
} Types;

static Types operand_types(Verifier *v, const IrOp *op, uint32_t from, uint32_t to)
{
	IrType *list = ARENA_ARRAY(v->arena, IrType, to - from);
	for (uint32_t i = from; i < to; i++)
		list[i - from] = ir_operand(op, i)->type;
	return (Types){list, to - from};
}

static Types result_types(Verifier *v, const IrOp *op)
{
	IrType *list = ARENA_ARRAY(v->arena, IrType, op->result_count);
	for (uint32_t i = 0; i < op->result_count; i++)
		list[i] = op->results[i].type;
	return (Types){list, op->result_count};
}

static Types argument_types(Verifier *v, const IrBlock *block, uint32_t from)
{
	if (!block || block->arg_count <= from)
		return (Types){0};
	IrType *list = ARENA_ARRAY(v->arena, IrType, block->arg_count - from);
	for (uint32_t i = from; i < block->arg_count; i++)
		list[i - from] = block->args[i]->type;
	return (Types){list, block->arg_count - from};
}

/* ---- regions ---- */

/* What ends the blocks of a region: of a function also branches. */
static IrOpKind terminator_of(const IrOp *op, uint32_t region)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	return (IrOpKind)(region ? info->end_others : info->end_first);
}

static void check_block_end(Verifier *v, const IrOp *op, const IrBlock *block, IrOpKind expected)
{
	const char *text = ir_op_info[expected].text;
	for (const IrOp *inner = block->first; inner && inner->next; inner = inner->next)
		if (ir_has_trait(inner, TRAIT_TERM))
			verify_structure(v, inner, "only the last operation of a block may end it");
	if (!block->last || !ir_has_trait(block->last, TRAIT_TERM)) {
		verify_structure(v, block->last ? block->last : op, verify_text(v, "the block must end in %s", text));
		return;
	}
	bool branch = op->kind == OP_FUNC && (block->last->kind == OP_BR || block->last->kind == OP_COND_BR);
	if (block->last->kind != expected && !branch)
		verify_structure(v, block->last, verify_text(v, "the block must end in %s", text));
}

void verify_regions(Verifier *v, const IrOp *op)
{
	if (op->kind == OP_MODULE)
		return;
	for (uint32_t r = 0; r < op->region_count; r++) {
		const IrRegion *region = &op->regions[r];
		bool may_be_empty = op->kind == OP_FUNC || (op->kind == OP_IF && r == 1 && !op->result_count);
		if (!region->first && !may_be_empty)
			verify_structure(v, op, verify_text(v, "region %u is empty", r));
		if (region->first && region->first->next && op->kind != OP_FUNC)
			verify_structure(v, op, verify_text(v, "region %u must have one block", r));
		for (const IrBlock *b = region->first; b; b = b->next)
			check_block_end(v, op, b, terminator_of(op, r));
	}
}

/* The terminator of a region of one block, if it is of the right kind. */
static const IrOp *region_end(const IrOp *op, uint32_t r)
{
	const IrBlock *b = op->regions[r].first;
	return b && b->last && b->last->kind == terminator_of(op, r) ? b->last : NULL;
}

/* ---- functions ---- */

static void check_returns(Verifier *v, const IrOp *op, IrType type)
{
	CONTRACT(op->region_count);
	for (const IrBlock *b = op->regions[0].first; b; b = b->next) {
		const IrOp *end = b->last;
		if (!end || end->kind != OP_RETURN)
			continue;
		Types given = operand_types(v, end, 0, end->operand_count);
		types_match(v, end, "operand", type->list + type->split, type->len - type->split, given.list,
			    given.len);
	}
}

void verify_func(Verifier *v, const IrOp *op)
{
	IrType type = ir_func_type_of(op);
	const IrBlock *body = ir_func_body(op);
	IrAttr dicts = ir_get(op, v->cx, ATTR_ARG_ATTRS);
	if (op->block != ir_module_block(v->m)) {
		verify_structure(v, op, "a function must stand in the module");
		return;
	}
	if (type->kind != TY_FUNC) {
		verify_must(v, op, "attribute 'function_type'", "a function's type", ir_type_text(v->arena, type));
		return;
	}
	if (dicts)
		verify_number(v, op, "the number of 'arg_attrs'", type->split, dicts->len);
	if (!body)
		return;
	Types args = argument_types(v, body, 0);
	types_match(v, op, "argument", type->list, type->split, args.list, args.len);
	check_returns(v, op, type);
}

void verify_call(Verifier *v, const IrOp *op)
{
	IrAttr callee = ir_get(op, v->cx, ATTR_CALLEE);
	const IrOp *func = map_get_ptr(&v->funcs, callee->text);
	IrType type = func ? ir_func_type_of(func) : NULL;
	if (!type || type->kind != TY_FUNC) {
		verify_structure(v, op, verify_text(v, "there is no function '%s'", callee->text));
		return;
	}
	Types given = operand_types(v, op, 0, op->operand_count), results = result_types(v, op);
	types_match(v, op, "operand", type->list, type->split, given.list, given.len);
	types_match(v, op, "result", type->list + type->split, type->len - type->split, results.list, results.len);
}

/* ---- structured control flow ---- */

void verify_loop(Verifier *v, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *body = op->regions[0].first;
	IrType counter = ir_operand(op, 0)->type;
	Types init = operand_types(v, op, 3, op->operand_count), results = result_types(v, op);
	if (!ir_is_int(counter))
		verify_must(v, op, "the counter", "an integer", ir_type_text(v->arena, counter));
	for (uint32_t i = 1; i < 3; i++)
		verify_type(v, op, verify_text(v, "operand %u", i), counter, ir_operand(op, i)->type);
	types_match(v, op, "result", init.list, init.len, results.list, results.len);
	if (!body)
		return;
	if (body->arg_count == 0) {
		verify_number(v, op, "the number of body arguments", init.len + 1, 0);
		return;
	}
	Types args = argument_types(v, body, 1);
	verify_type(v, op, "body argument 0", counter, body->args[0]->type);
	types_match(v, op, "carried argument", init.list, init.len, args.list, args.len);
	const IrOp *end = region_end(op, 0);
	if (end) {
		Types given = operand_types(v, end, 0, end->operand_count);
		types_match(v, end, "operand", results.list, results.len, given.list, given.len);
	}
}

void verify_while_loop(Verifier *v, const IrOp *op)
{
	CONTRACT(op->region_count);
	Types init = operand_types(v, op, 0, op->operand_count), results = result_types(v, op);
	Types before = argument_types(v, op->regions[0].first, 0), after = argument_types(v, op->regions[1].first, 0);
	types_match(v, op, "'before' argument", init.list, init.len, before.list, before.len);
	types_match(v, op, "'after' argument", results.list, results.len, after.list, after.len);
	const IrOp *condition = region_end(op, 0), *yield = region_end(op, 1);
	if (condition) {
		Types given = operand_types(v, condition, 1, MAX(condition->operand_count, 1u));
		types_match(v, condition, "value", results.list, results.len, given.list, given.len);
	}
	if (yield) {
		Types given = operand_types(v, yield, 0, yield->operand_count);
		types_match(v, yield, "operand", init.list, init.len, given.list, given.len);
	}
}

void verify_if_else(Verifier *v, const IrOp *op)
{
	Types results = result_types(v, op);
	for (uint32_t r = 0; r < 2; r++) {
		const IrOp *end = region_end(op, r);
		const IrBlock *block = op->regions[r].first;
		if (block)
			verify_number(v, op, verify_text(v, "the number of arguments of region %u", r), 0,
				      block->arg_count);
		if (!end)
			continue;
		Types given = operand_types(v, end, 0, end->operand_count);
		types_match(v, end, "operand", results.list, results.len, given.list, given.len);
	}
}

void verify_branch(Verifier *v, const IrOp *op)
{
	uint32_t wants = op->kind == OP_BR ? 1 : 2, from = op->kind == OP_COND_BR;
	if (!verify_number(v, op, "the number of successors", wants, op->succ_count))
		return;
	if (from + op->succ_split > op->operand_count) {
		verify_structure(v, op, "operands of successor 0 are missing");
		return;
	}
	for (uint32_t i = 0; i < wants; i++) {
		uint32_t to = i + 1 < wants ? from + op->succ_split : op->operand_count;
		if (!op->succ[i] || op->succ[i]->region != op->block->region) {
			verify_structure(v, op, verify_text(v, "successor %u is not in the same region", i));
			return;
		}
		if (op->succ[i] == op->succ[i]->region->first)
			verify_structure(v, op, "the entry block has no predecessors");
		Types given = operand_types(v, op, from, to), args = argument_types(v, op->succ[i], 0);
		types_match(v, op, verify_text(v, "successor %u's argument", i), args.list, args.len, given.list,
			    given.len);
		from = to;
	}
}

/* ---- bodies of reductions ---- */

static Types element_types(Verifier *v, const IrOp *op, bool results)
{
	uint32_t n = results ? op->result_count : op->operand_count;
	IrType *list = ARENA_ARRAY(v->arena, IrType, n);
	for (uint32_t i = 0; i < n; i++)
		list[i] = ir_elem(results ? op->results[i].type : ir_operand(op, i)->type);
	return (Types){list, n};
}

static Types repeated(Verifier *v, Types types, uint32_t times, bool grouped)
{
	IrType *list = ARENA_ARRAY(v->arena, IrType, (size_t)types.len * times);
	for (uint32_t i = 0; i < types.len; i++)
		for (uint32_t k = 0; k < times; k++)
			list[grouped ? i * times + k : k * types.len + i] = types.list[i];
	return (Types){list, types.len * times};
}

static void check_body(Verifier *v, const IrOp *op, Types args, Types returns)
{
	CONTRACT(op->region_count);
	Types found = argument_types(v, op->regions[0].first, 0);
	types_match(v, op, "body argument", args.list, args.len, found.list, found.len);
	const IrOp *end = region_end(op, 0);
	if (end) {
		Types given = operand_types(v, end, 0, end->operand_count);
		types_match(v, end, "operand", returns.list, returns.len, given.list, given.len);
	}
}

/* The axis, and tiles of one shape. */
static bool check_tiles(Verifier *v, const IrOp *op, int64_t axis)
{
	IrType first = ir_operand(op, 0)->type;
	bool ok = true;
	for (uint32_t i = 1; i < op->operand_count; i++)
		if (!ir_same_shape(first, ir_operand(op, i)->type))
			ok = verify_must(v, op, verify_text(v, "the shape of operand %u", i),
					 verify_text(v, "as that of operand 0, %s", ir_type_text(v->arena, first)),
					 ir_type_text(v->arena, ir_operand(op, i)->type));
	if (axis < 0 || axis >= first->rank)
		ok = verify_must(v, op, "attribute 'axis'", verify_text(v, "from 0 to %d", (int)first->rank - 1),
				 verify_text(v, "%lld", (long long)axis));
	return verify_number(v, op, "the number of results", op->operand_count, op->result_count) && ok;
}

void verify_reduce(Verifier *v, const IrOp *op)
{
	int64_t axis = ir_get_int(op, v->cx, ATTR_AXIS, 0), shape[IR_MAX_RANK];
	if (!check_tiles(v, op, axis))
		return;
	Types elems = element_types(v, op, false);
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrType source = ir_operand(op, i)->type, expected = source->elem;
		uint32_t rank = 0;
		for (uint32_t d = 0; d < source->rank; d++)
			if (d != axis)
				shape[rank++] = source->shape[d];
		IrAttr encoding = ir_is_tensor(op->results[i].type) ? op->results[i].type->encoding : NULL;
		if (rank)
			expected = ir_tensor(v->cx, source->elem, shape, rank, encoding);
		verify_type(v, op, verify_text(v, "result %u", i), expected, op->results[i].type);
	}
	check_body(v, op, repeated(v, elems, 2, false), elems);
}

void verify_scan(Verifier *v, const IrOp *op)
{
	if (!check_tiles(v, op, ir_get_int(op, v->cx, ATTR_AXIS, 0)))
		return;
	Types elems = element_types(v, op, false);
	for (uint32_t i = 0; i < op->result_count; i++)
		verify_type(v, op, verify_text(v, "result %u", i), ir_operand(op, i)->type, op->results[i].type);
	check_body(v, op, repeated(v, elems, 2, false), elems);
}

void verify_map(Verifier *v, const IrOp *op)
{
	int64_t pack = ir_get_int(op, v->cx, ATTR_PACK, 1);
	if (pack < 1 || pack > 1024) {
		verify_must(v, op, "attribute 'pack'", "from 1 to 1024", verify_text(v, "%lld", (long long)pack));
		return;
	}
	verify_one_shape(v, op);
	IrType tile = op->operand_count ? ir_operand(op, 0)->type : NULL;
	if (tile && ir_is_tensor(tile) && tile->shape[tile->rank - 1] % pack) {
		verify_must(v, op, "attribute 'pack'", "a divisor of the last dim",
			    verify_text(v, "%lld", (long long)pack));
		return;
	}
	check_body(v, op, repeated(v, element_types(v, op, false), (uint32_t)pack, true),
		   repeated(v, element_types(v, op, true), (uint32_t)pack, true));
}
