/* The first step of explode.h: for each handle and part, the one value that it is, its token, or
 * VARIES. A fixed point over the ops that touch handles, in program order: loops join what enters
 * with what is carried; a part can change twice (unknown, one value, VARIES), so it ends soon. */
#include "ir/rewrite/explode.h"

typedef struct Tokens {
	uint32_t count;
	IrValue *at[EXPLODE_MAX_PARTS]; /* NULL: not known yet */
} Tokens;

static const IrValue varies_value; /* only its address matters */
#define VARIES ((IrValue *)(uintptr_t)&varies_value)

bool explode_is_handle(const Explode *e, const IrValue *v)
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

static bool find(void *data, IrOp *op)
{
	Explode *e = data;
	bool touches = false;
	for (uint32_t i = 0; i < op->operand_count && !touches; i++)
		touches = explode_is_handle(e, ir_operand(op, i));
	for (uint32_t i = 0; i < op->result_count && !touches; i++)
		touches = explode_is_handle(e, &op->results[i]);
	if (op->kind == OP_FUNC) {
		IrType type = ir_func_type_of(op);
		for (uint32_t i = 0; i < type->len && !touches; i++)
			touches = e->hooks->is_handle(type->list[i]);
	}
	for (uint32_t r = 0; r < op->region_count && !touches; r++)
		for (IrBlock *b = op->regions[r].first; b && !touches; b = b->next)
			for (uint32_t i = 0; i < b->arg_count && !touches; i++)
				touches = explode_is_handle(e, b->args[i]);
	if (touches)
		vec_push(e->cx->scratch, &e->touched, op);
	return true;
}

/* Returns whether `to` fell. A token that is only visible inside `scope` (not NULL) cannot leave
 * it. */
static bool join(Explode *e, IrValue *to, IrValue *from, const IrOp *scope)
{
	if (!explode_is_handle(e, to))
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
	bool derived = explode_is_handle(e, ir_operand(op, 0));
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
			changed |= explode_is_handle(e, &op->results[i]) && own_tokens(e, &op->results[i]);
		return changed;
	case OP_FUNC:
		for (uint32_t i = 0; ir_func_body(op) && i < ir_func_body(op)->arg_count; i++)
			if (explode_is_handle(e, ir_func_body(op)->args[i]))
				changed |= own_tokens(e, ir_func_body(op)->args[i]);
		return changed;
	default:
		return e->hooks->makes(op) && make_tokens(e, op);
	}
}

IrValue *explode_token(Explode *e, IrValue *handle, uint32_t part)
{
	CONTRACT(part < tokens_of(e, handle)->count);
	IrValue *token = tokens_of(e, handle)->at[part];
	return token == VARIES ? NULL : token;
}

bool explode_varies(Explode *e, IrValue *handle, uint32_t part)
{
	CONTRACT(part < tokens_of(e, handle)->count);
	/* What only comes of ub.poison has none, and may be anything. */
	IrValue *token = tokens_of(e, handle)->at[part];
	return !token || token == VARIES;
}

bool explode_find_tokens(Explode *e)
{
	ir_walk(e->m->op, false, find, e);
	for (bool again = e->touched.len != 0; again;) {
		again = false;
		for (uint32_t i = 0; i < e->touched.len; i++)
			again |= flow(e, e->touched.data[i]);
	}
	return e->touched.len != 0;
}
