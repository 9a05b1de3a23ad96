/* The second step of explode.h, in program order: each handle is replaced by its parts. Parts with
 * a token (explode_tokens.c) are created where they are needed, as the token dominates. The others
 * become carried values, results or arguments in the handle's place. */
#include "ir/rewrite/explode.h"

/* ---- parts ---- */

IrValue *explode_as(Explode *e, IrValue *v, IrType type)
{
	return v->type == type ? v : irb_1(&e->b, OP_EXTSI, type, v);
}

const Parts *explode_parts(Explode *e, IrValue *handle)
{
	Parts *p = map_get_ptr(&e->parts, handle);
	ASSERT(p != NULL);
	return p;
}

/* Tokens name values as they were before this step. */
static IrValue *moved(Explode *e, IrValue *v)
{
	for (IrValue *to; (to = map_get_ptr(&e->moved, v)) != NULL;)
		v = to;
	return v;
}

static void move(Explode *e, IrValue *from, IrValue *to)
{
	map_put_ptr(&e->moved, from, to);
	if (from->uses)
		ir_replace_uses(from, to);
}

/* Parts of `handle` that are known by their tokens, made at e->b; the others NULL. */
static Parts *fixed_parts(Explode *e, IrValue *handle)
{
	IrType types[EXPLODE_MAX_PARTS];
	Parts *p = ARENA_NEW(e->cx->scratch, Parts);
	p->count = e->hooks->part_types(e, handle->type, types);
	for (uint32_t i = 0; i < p->count; i++) {
		IrValue *token = explode_token(e, handle, i);
		p->at[i] = token ? explode_as(e, moved(e, token), types[i]) : NULL;
	}
	map_put_ptr(&e->parts, handle, p);
	return p;
}

typedef VEC(IrValue *) ValueList;
typedef VEC(IrType) TypeList;

static void add_type(Explode *e, TypeList *list, IrType type)
{
	vec_push(e->cx->scratch, list, type);
}

/* The types that carry a value: its own, or those of the parts that vary. */
static void add_carried_types(Explode *e, TypeList *list, IrValue *v)
{
	IrType types[EXPLODE_MAX_PARTS];
	if (!explode_is_handle(e, v)) {
		add_type(e, list, v->type);
		return;
	}
	uint32_t n = e->hooks->part_types(e, v->type, types);
	for (uint32_t i = 0; i < n; i++)
		if (explode_varies(e, v, i))
			add_type(e, list, types[i]);
}

/* The values that carry `v` to a place where it is called `as`. */
static void add_carried(Explode *e, ValueList *list, IrValue *v, IrValue *as)
{
	if (!explode_is_handle(e, v)) {
		vec_push(e->cx->scratch, list, v);
		return;
	}
	const Parts *p = explode_parts(e, v);
	for (uint32_t i = 0; i < p->count; i++) {
		CONTRACT(p->at[i]);
		if (explode_varies(e, as, i))
			vec_push(e->cx->scratch, list, p->at[i]);
	}
}

static void set_operands(Explode *e, IrOp *op, const ValueList *list)
{
	while (op->operand_count)
		ir_operand_erase(op, op->operand_count - 1);
	for (uint32_t i = 0; i < list->len; i++)
		ir_operand_add(e->m, op, list->data[i]);
}

/* What hands values on: the operands from `first` on are called as[0], as[1], ... at their
 * destination. */
static void carry_operands(Explode *e, IrOp *op, uint32_t first, IrValue *const *as)
{
	ValueList list = {0};
	for (uint32_t i = 0; i < op->operand_count; i++) {
		if (i < first)
			vec_push(e->cx->scratch, &list, ir_operand(op, i));
		else
			add_carried(e, &list, ir_operand(op, i), as[i - first]);
	}
	set_operands(e, op, &list);
}

/* Arguments that are handles become arguments for the parts that vary; e->b is where the others are
 * made. */
static void carry_args(Explode *e, IrBlock *block)
{
	uint32_t n = block->arg_count;
	IrValue **old = arena_copy(e->cx->scratch, block->args, n * sizeof(IrValue *));
	block->args = NULL;
	block->arg_count = block->arg_cap = 0;
	for (uint32_t i = 0; i < n; i++) {
		TypeList types = {0};
		add_carried_types(e, &types, old[i]);
		Parts *parts = explode_is_handle(e, old[i]) ? fixed_parts(e, old[i]) : NULL;
		uint32_t part = 0;
		for (uint32_t j = 0; j < types.len; j++) {
			IrValue *made = ir_block_arg_add(e->m, block, types.data[j], old[i]->loc);
			if (!parts) {
				move(e, old[i], made);
				continue;
			}
			while (parts->at[part])
				part++;
			parts->at[part] = made;
		}
	}
}

/* A copy of op with results for the parts of handles, in its place; the old one only names values
 * any more. */
static IrOp *carry_results(Explode *e, IrOp *op)
{
	TypeList types = {0};
	for (uint32_t i = 0; i < op->result_count; i++)
		add_carried_types(e, &types, &op->results[i]);
	IrValue **operands = ARENA_ARRAY(e->cx->scratch, IrValue *, op->operand_count + 1);
	for (uint32_t i = 0; i < op->operand_count; i++)
		operands[i] = ir_operand(op, i);
	IrOp *made = ir_op_new(e->m, op->kind, op->loc, operands, op->operand_count, types.data, types.len,
			       op->region_count);
	made->attrs = op->attrs;
	made->attr_count = op->attr_count;
	for (uint32_t r = 0; r < op->region_count; r++) {
		for (IrBlock *b; (b = op->regions[r].first) != NULL;) {
			ir_block_unlink(b);
			ir_block_append(&made->regions[r], b);
		}
	}
	ir_op_insert_before(made, op);
	e->b = ir_at(e->m, op);
	uint32_t next = 0;
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrValue *old = &op->results[i];
		if (!explode_is_handle(e, old)) {
			move(e, old, &made->results[next++]);
			continue;
		}
		Parts *parts = fixed_parts(e, old);
		for (uint32_t p = 0; p < parts->count; p++)
			if (!parts->at[p])
				parts->at[p] = &made->results[next++];
	}
	vec_push(e->cx->scratch, &e->dead, op);
	return made;
}

/* ---- ops ---- */

static void rewrite_block(Explode *e, IrBlock *block);

static IrValue **results_of(Explode *e, const IrOp *op)
{
	IrValue **values = ARENA_ARRAY(e->cx->scratch, IrValue *, op->result_count + 1);
	for (uint32_t i = 0; i < op->result_count; i++)
		values[i] = &op->results[i];
	return values;
}

static void rewrite_for(Explode *e, IrOp *op)
{
	CONTRACT(op->region_count);
	IrBlock *body = op->regions[0].first;
	/* Called by the arguments' names: result i has the tokens of argument 1 + i. */
	IrValue **as = arena_copy(e->cx->scratch, body->args, body->arg_count * sizeof *as);
	carry_operands(e, op, 3, as + 1);
	e->b = ir_at(e->m, op);
	carry_args(e, body);
	rewrite_block(e, body);
	carry_operands(e, ir_terminator(body), 0, as + 1);
	carry_results(e, op);
}

static void rewrite_while(Explode *e, IrOp *op)
{
	CONTRACT(op->region_count);
	IrBlock *before = op->regions[0].first, *after = op->regions[1].first;
	IrValue **as = arena_copy(e->cx->scratch, before->args, (before->arg_count + 1) * sizeof *as);
	carry_operands(e, op, 0, as);
	e->b = ir_at(e->m, op);
	carry_args(e, before);
	IrValue **handed = results_of(e, op);
	rewrite_block(e, before);
	carry_operands(e, ir_terminator(before), 1, handed);
	e->b = ir_at(e->m, op);
	carry_args(e, after);
	rewrite_block(e, after);
	carry_operands(e, ir_terminator(after), 0, as);
	carry_results(e, op);
}

static void rewrite_if(Explode *e, IrOp *op)
{
	IrValue **as = results_of(e, op);
	for (uint32_t r = 0; r < 2; r++) {
		if (!op->regions[r].first)
			continue;
		rewrite_block(e, op->regions[r].first);
		carry_operands(e, ir_terminator(op->regions[r].first), 0, as);
	}
	carry_results(e, op);
}

static void rewrite_select(Explode *e, IrOp *op)
{
	const Parts *yes = explode_parts(e, ir_operand(op, 1)), *no = explode_parts(e, ir_operand(op, 2));
	e->b = ir_at(e->m, op);
	Parts *parts = fixed_parts(e, &op->results[0]);
	for (uint32_t i = 0; i < parts->count; i++)
		if (!parts->at[i])
			parts->at[i] = irb_3(&e->b, OP_SELECT, NULL, ir_operand(op, 0), yes->at[i],
					     no->at[i]);
	vec_push(e->cx->scratch, &e->dead, op);
}

static void rewrite_maker(Explode *e, IrOp *op)
{
	bool derived = explode_is_handle(e, ir_operand(op, 0));
	const Parts *from = derived ? explode_parts(e, ir_operand(op, 0)) : NULL;
	e->b = ir_at(e->m, op);
	IrType types[EXPLODE_MAX_PARTS];
	Parts *parts = ARENA_NEW(e->cx->scratch, Parts);
	parts->count = e->hooks->part_types(e, op->results[0].type, types);
	for (uint32_t i = 0; i < parts->count; i++) {
		IrValue *token = e->hooks->token(op, i);
		if (token)
			parts->at[i] = explode_as(e, token, types[i]);
		else if (!token && from)
			parts->at[i] = from->at[i];
	}
	e->hooks->make(e, op, from, parts);
	map_put_ptr(&e->parts, &op->results[0], parts);
	vec_push(e->cx->scratch, &e->dead, op);
}

/* A way on which there is no handle: what others say of it holds (explode_tokens.c). */
static void rewrite_poison(Explode *e, IrOp *op)
{
	IrType types[EXPLODE_MAX_PARTS];
	Parts *parts = ARENA_NEW(e->cx->scratch, Parts);
	e->b = ir_at(e->m, op);
	parts->count = e->hooks->part_types(e, op->results[0].type, types);
	for (uint32_t i = 0; i < parts->count; i++)
		parts->at[i] = irb_0(&e->b, OP_POISON, types[i]);
	map_put_ptr(&e->parts, &op->results[0], parts);
	vec_push(e->cx->scratch, &e->dead, op);
}

static IrAttr carried_arg_attrs(Explode *e, const IrOp *func, IrValue *const *old, uint32_t n)
{
	IrCx *cx = e->m->cx;
	IrAttr attrs = ir_get(func, cx, ATTR_ARG_ATTRS);
	if (!attrs)
		return NULL;
	VEC(IrAttr) list = {0};
	for (uint32_t i = 0; i < n; i++) {
		TypeList types = {0};
		add_carried_types(e, &types, old[i]);
		IrAttr own = !explode_is_handle(e, old[i]) && i < attrs->len ? attrs->items[i] : NULL;
		for (uint32_t j = 0; j < types.len; j++)
			vec_push(e->cx->scratch, &list, own ? own : ir_attr_dict(cx, NULL, NULL, 0));
	}
	return ir_attr_array(cx, list.data, list.len);
}

static void add_all_parts(Explode *e, TypeList *list, IrType type)
{
	IrType types[EXPLODE_MAX_PARTS];
	if (!e->hooks->is_handle(type)) {
		add_type(e, list, type);
		return;
	}
	uint32_t n = e->hooks->part_types(e, type, types);
	for (uint32_t i = 0; i < n; i++)
		add_type(e, list, types[i]);
}

static void rewrite_func(Explode *e, IrOp *func)
{
	IrType type = ir_func_type_of(func);
	TypeList in = {0}, out = {0};
	for (uint32_t i = 0; i < type->len; i++)
		add_all_parts(e, i < type->split ? &in : &out, type->list[i]);
	IrBlock *body = ir_func_body(func);
	if (body) {
		IrAttr attrs = carried_arg_attrs(e, func, body->args, body->arg_count);
		carry_args(e, body);
		ir_set(e->m, func, ATTR_ARG_ATTRS, attrs);
	}
	ir_set(e->m, func, ATTR_FUNCTION_TYPE,
	       ir_attr_type(e->m->cx, ir_func_type(e->m->cx, in.data, in.len, out.data, out.len)));
}

/* tt.call, tt.return: every part of every handle goes along. */
static void pass_all_parts(Explode *e, IrOp *op)
{
	ValueList list = {0};
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = ir_operand(op, i);
		const Parts *p = explode_is_handle(e, v) ? explode_parts(e, v) : NULL;
		for (uint32_t j = 0; p && j < p->count; j++)
			vec_push(e->cx->scratch, &list, p->at[j]);
		if (!p)
			vec_push(e->cx->scratch, &list, v);
	}
	set_operands(e, op, &list);
}

static void rewrite_op(Explode *e, IrOp *op)
{
	switch (op->kind) {
	case OP_FUNC: /* its arguments are done */
		if (ir_func_body(op))
			rewrite_block(e, ir_func_body(op));
		return;
	case OP_FOR:
		rewrite_for(e, op);
		return;
	case OP_WHILE:
		rewrite_while(e, op);
		return;
	case OP_IF:
		rewrite_if(e, op);
		return;
	case OP_SELECT:
		rewrite_select(e, op);
		return;
	case OP_POISON:
		rewrite_poison(e, op);
		return;
	case OP_CALL:
		pass_all_parts(e, op);
		carry_results(e, op);
		return;
	case OP_RETURN:
		pass_all_parts(e, op);
		return;
	case OP_YIELD:
	case OP_CONDITION:
		return; /* by the op that they belong to */
	default:
		break;
	}
	if (e->hooks->makes(op)) {
		rewrite_maker(e, op);
		return;
	}
	e->b = ir_at(e->m, op);
	if (!e->hooks->use(e, op)) {
		ir_diag(e->cx->diags, op->loc, DIAG_HANDLE_USE, ir_op_info[op->kind].text);
		e->failed = true;
	}
}

static void rewrite_block(Explode *e, IrBlock *block)
{
	for (IrOp *op = block->first, *next; op && !e->failed; op = next) {
		uint64_t unused;
		next = op->next;
		if (map_get(&e->known, map_key(op), &unused)) {
			rewrite_op(e, op);
			continue;
		}
		for (uint32_t r = 0; r < op->region_count; r++)
			for (IrBlock *b = op->regions[r].first; b; b = b->next)
				rewrite_block(e, b);
	}
}

static void drop(IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		ir_operand_set(op, i, NULL);
	ir_op_unlink(op);
}

bool explode_run(PassCx *cx, const ExplodeHooks *hooks, bool *changed)
{
	Explode e = {.cx = cx, .m = cx->module, .hooks = hooks};
	map_init(&e.known, cx->scratch);
	map_init(&e.parts, cx->scratch);
	map_init(&e.moved, cx->scratch);
	*changed = explode_find_tokens(&e);
	if (!*changed)
		return true;
	/* Op and handle addresses differ, so one map serves for "touched" too. */
	for (uint32_t i = 0; i < e.touched.len; i++)
		map_put(&e.known, map_key(e.touched.data[i]), 1);
	for (uint32_t i = 0; i < e.touched.len; i++)
		if (e.touched.data[i]->kind == OP_FUNC)
			rewrite_func(&e, e.touched.data[i]);
	rewrite_block(&e, ir_module_block(e.m));
	for (uint32_t i = 0; i < e.dead.len; i++)
		drop(e.dead.data[i]);
	return !e.failed;
}
