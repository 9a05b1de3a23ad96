/* The engine of explode.h, in two steps.
 *
 * 1. Tokens: for each handle and part, the one value that it is, or VARIES. A fixpoint over the ops that touch
 *    handles, in program order: loops join what enters with what comes round; a part can fall twice (unknown,
 *    one value, VARIES), so it ends soon.
 * 2. Rewriting, in program order: each handle gets its parts. Parts with a token are made where they are needed
 *    (the token dominates); the others become carried values, results or arguments in the handle's place. */
#include "ir/rewrite/explode.h"

typedef struct Tokens {
	uint32_t count;
	IrValue *at[EXPLODE_MAX_PARTS]; /* NULL: not known yet */
} Tokens;

static const IrValue varies_value; /* only its address matters */
#define VARIES ((IrValue *)(uintptr_t)&varies_value)

static bool is_handle(const Explode *e, const IrValue *v)
{
	return e->hooks->is_handle(v->type);
}

static Tokens *tokens_of(Explode *e, IrValue *v)
{
	Tokens *t = map_get_ptr(&e->known, v);
	if (!t) {
		IrType types[EXPLODE_MAX_PARTS];
		t = ARENA_NEW(e->cx->scratch, Tokens);
		t->count = e->hooks->part_types(e, v->type, types);
		map_put_ptr(&e->known, v, t);
	}
	return t;
}

/* ---- which ops ---- */

static bool find(void *data, IrOp *op)
{
	Explode *e = data;
	bool touches = false;
	for (uint32_t i = 0; i < op->operand_count && !touches; i++)
		touches = is_handle(e, ir_operand(op, i));
	for (uint32_t i = 0; i < op->result_count && !touches; i++)
		touches = is_handle(e, &op->results[i]);
	if (op->kind == OP_FUNC) {
		IrType type = ir_func_type_of(op);
		for (uint32_t i = 0; i < type->len && !touches; i++)
			touches = e->hooks->is_handle(type->list[i]);
	}
	for (uint32_t r = 0; r < op->region_count && !touches; r++)
		for (IrBlock *b = op->regions[r].first; b && !touches; b = b->next)
			for (uint32_t i = 0; i < b->arg_count && !touches; i++)
				touches = is_handle(e, b->args[i]);
	if (touches)
		vec_push(e->cx->scratch, &e->touched, op);
	return true;
}

/* ---- step 1: tokens ---- */

/* Returns whether `to` fell. A token that is only visible inside `scope` (not NULL) cannot leave it. */
static bool join(Explode *e, IrValue *to, IrValue *from, const IrOp *scope)
{
	if (!is_handle(e, to))
		return false;
	bool changed = false;
	Tokens *t = tokens_of(e, to), *f = tokens_of(e, from);
	for (uint32_t i = 0; i < t->count; i++) {
		IrValue *token = f->at[i];
		if (!token || t->at[i] == VARIES || token == t->at[i])
			continue;
		if (token != VARIES && scope && !ir_is_defined_outside(token, scope))
			token = VARIES;
		t->at[i] = t->at[i] ? VARIES : token;
		changed = true;
	}
	return changed;
}

static IrOp *terminator_of(const IrOp *op, uint32_t region)
{
	IrBlock *block = op->regions[region].first;
	return block ? ir_terminator(block) : NULL;
}

static bool own_tokens(Explode *e, IrValue *v)
{
	bool changed = false;
	Tokens *t = tokens_of(e, v);
	for (uint32_t i = 0; i < t->count; i++) {
		changed |= t->at[i] != VARIES;
		t->at[i] = VARIES;
	}
	return changed;
}

static bool make_tokens(Explode *e, IrOp *op)
{
	bool changed = false;
	Tokens *t = tokens_of(e, &op->results[0]);
	bool derived = is_handle(e, ir_operand(op, 0));
	for (uint32_t i = 0; i < t->count; i++) {
		IrValue *token = e->hooks->token(op, i);
		if (!token && derived)
			token = tokens_of(e, ir_operand(op, 0))->at[i];
		else if (!token)
			token = VARIES;
		changed |= token != t->at[i];
		t->at[i] = token;
	}
	return changed;
}

static bool flow_loop(Explode *e, IrOp *op)
{
	bool changed = false;
	if (op->kind == OP_FOR) {
		IrBlock *body = op->regions[0].first;
		for (uint32_t i = 0; i < op->result_count; i++) {
			changed |= join(e, body->args[1 + i], ir_operand(op, 3 + i), NULL);
			changed |= join(e, body->args[1 + i], ir_operand(ir_terminator(body), i), op);
			changed |= join(e, &op->results[i], body->args[1 + i], NULL);
		}
		return changed;
	}
	IrBlock *before = op->regions[0].first, *after = op->regions[1].first;
	for (uint32_t i = 0; i < before->arg_count; i++) {
		changed |= join(e, before->args[i], ir_operand(op, i), NULL);
		changed |= join(e, before->args[i], ir_operand(ir_terminator(after), i), op);
	}
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrValue *handed = ir_operand(ir_terminator(before), 1 + i);
		changed |= join(e, after->args[i], handed, op);
		changed |= join(e, &op->results[i], handed, op);
	}
	return changed;
}

static bool flow(Explode *e, IrOp *op)
{
	bool changed = false;
	switch (op->kind) {
	case OP_FOR:
	case OP_WHILE:
		return flow_loop(e, op);
	case OP_IF:
		for (uint32_t i = 0; i < op->result_count; i++) {
			changed |= join(e, &op->results[i], ir_operand(terminator_of(op, 0), i), op);
			changed |= join(e, &op->results[i], ir_operand(terminator_of(op, 1), i), op);
		}
		return changed;
	case OP_SELECT:
		changed |= join(e, &op->results[0], ir_operand(op, 1), NULL);
		return changed | join(e, &op->results[0], ir_operand(op, 2), NULL);
	case OP_CALL:
		for (uint32_t i = 0; i < op->result_count; i++)
			changed |= is_handle(e, &op->results[i]) && own_tokens(e, &op->results[i]);
		return changed;
	case OP_FUNC:
		for (uint32_t i = 0; ir_func_body(op) && i < ir_func_body(op)->arg_count; i++)
			if (is_handle(e, ir_func_body(op)->args[i]))
				changed |= own_tokens(e, ir_func_body(op)->args[i]);
		return changed;
	default:
		return e->hooks->makes(op) && make_tokens(e, op);
	}
}

/* ---- step 2: parts ---- */

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

/* Tokens name values as they were before step 2. */
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
	Tokens *t = tokens_of(e, handle);
	Parts *p = ARENA_NEW(e->cx->scratch, Parts);
	p->count = e->hooks->part_types(e, handle->type, types);
	for (uint32_t i = 0; i < p->count; i++)
		p->at[i] = t->at[i] && t->at[i] != VARIES ? explode_as(e, moved(e, t->at[i]), types[i]) : NULL;
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
	if (!is_handle(e, v)) {
		add_type(e, list, v->type);
		return;
	}
	Tokens *t = tokens_of(e, v);
	uint32_t n = e->hooks->part_types(e, v->type, types);
	for (uint32_t i = 0; i < n; i++)
		if (t->at[i] == VARIES)
			add_type(e, list, types[i]);
}

/* The values that carry `v` to a place where it is called `as`. */
static void add_carried(Explode *e, ValueList *list, IrValue *v, IrValue *as)
{
	if (!is_handle(e, v)) {
		vec_push(e->cx->scratch, list, v);
		return;
	}
	Tokens *t = tokens_of(e, as);
	const Parts *p = explode_parts(e, v);
	for (uint32_t i = 0; i < p->count; i++)
		if (t->at[i] == VARIES)
			vec_push(e->cx->scratch, list, p->at[i]);
}

static void set_operands(Explode *e, IrOp *op, const ValueList *list)
{
	while (op->operand_count)
		ir_operand_erase(op, op->operand_count - 1);
	for (uint32_t i = 0; i < list->len; i++)
		ir_operand_add(e->m, op, list->data[i]);
}

/* What hands values on: the operands from `first` on are called as[0], as[1], ... at their destination. */
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

/* Arguments that are handles become arguments for the parts that vary; e->b is where the others are made. */
static void carry_args(Explode *e, IrBlock *block)
{
	uint32_t n = block->arg_count;
	IrValue **old = arena_copy(e->cx->scratch, block->args, n * sizeof(IrValue *));
	block->args = NULL;
	block->arg_count = block->arg_cap = 0;
	for (uint32_t i = 0; i < n; i++) {
		TypeList types = {0};
		add_carried_types(e, &types, old[i]);
		Parts *parts = is_handle(e, old[i]) ? fixed_parts(e, old[i]) : NULL;
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

/* A copy of op with results for the parts of handles, in its place; the old one only names values any more. */
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
		if (!is_handle(e, old)) {
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

/* ---- step 2: ops ---- */

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
		carry_operands(e, terminator_of(op, r), 0, as);
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
			parts->at[i] = irb_3(&e->b, OP_SELECT, NULL, ir_operand(op, 0), yes->at[i], no->at[i]);
	vec_push(e->cx->scratch, &e->dead, op);
}

static void rewrite_maker(Explode *e, IrOp *op)
{
	bool derived = is_handle(e, ir_operand(op, 0));
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
		IrAttr own = !is_handle(e, old[i]) && i < attrs->len ? attrs->items[i] : NULL;
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
		const Parts *p = is_handle(e, v) ? explode_parts(e, v) : NULL;
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
	ir_walk(e.m->op, false, find, &e);
	*changed = e.touched.len != 0;
	if (!e.touched.len)
		return true;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < e.touched.len; i++)
			again |= flow(&e, e.touched.data[i]);
	}
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
