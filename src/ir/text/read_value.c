/* Reading uses and definitions of values, and lists of types. */
#include "ir/text/read_int.h"

bool read_ref(Reader *r, ReadRef *ref)
{
	if (r->tok.kind != TOK_VALUE)
		return read_expected(r, "a value");
	Str text = read_tok_text(r);
	ref->name = intern(&r->cx->syms, (Str){text.ptr + 1, text.len - 1});
	ref->index = 0;
	ref->span = read_tok_span(r);
	read_next(r);
	if (r->tok.kind == TOK_HASH && r->tok.start == text.ptr + text.len) {
		uint64_t index = 0;
		const char *p = r->tok.start + 1;
		for (; p < r->tok.end && *p >= '0' && *p <= '9'; p++)
			index = MIN(index * 10 + (uint64_t)(*p - '0'), (uint64_t)UINT32_MAX);
		if (p < r->tok.end)
			return read_expected(r, "the number of a value");
		ref->index = (uint32_t)index;
		ref->span.end = read_tok_span(r).end;
		read_next(r);
	}
	return true;
}

bool read_refs(Reader *r, ReadOp *op)
{
	if (r->tok.kind != TOK_VALUE)
		return true;
	do {
		ReadRef ref;
		if (!read_ref(r, &ref))
			return false;
		vec_push(r->arena, &op->refs, ref);
	} while (read_take(r, ','));
	return true;
}

static IrValue *stand_in(Reader *r, IrType type)
{
	IrValue *value = ARENA_NEW(r->arena, IrValue);
	*value = (IrValue){.type = type, .id = r->m->next_value++, .loc = r->cx->unknown};
	return value;
}

static bool check_type(Reader *r, ReadRef ref, IrType found, IrType type)
{
	return found == type || READ_FAIL(r, ref.span, DIAG_IR_VALUE_TYPE, ref.name, ir_type_text(r->arena, found),
					  ir_type_text(r->arena, type));
}

IrValue *read_resolve(Reader *r, ReadRef ref, IrType type)
{
	uint64_t poisoned;
	ReadBinding *binding = map_get_ptr(&r->values, ref.name);
	if (binding) {
		if (ref.index >= binding->count) {
			READ_FAIL(r, ref.span, DIAG_IR_VALUE_INDEX, ref.name, binding->count, ref.index);
			return NULL;
		}
		IrValue *value = binding->values[ref.index];
		return check_type(r, ref, value->type, type) ? value : NULL;
	}
	IrValue *value = stand_in(r, type);
	if (!map_get(&r->poisoned, map_key(ref.name), &poisoned))
		vec_push(r->arena, &r->forwards, (ReadForward){ref, value});
	return value;
}

bool read_define(Reader *r, Sym name, Span span, IrValue **values, uint32_t count)
{
	ReadBinding *before = map_get_ptr(&r->values, name);
	if (before) {
		Diag *diag = diag_add(r->diags, span, DIAG_IR_VALUE_TWICE, name);
		diag_note(r->diags, diag, before->span, "the first definition is here");
		r->failed = true;
		return false;
	}
	ReadBinding *binding = ARENA_NEW(r->arena, ReadBinding);
	*binding = (ReadBinding){arena_copy(r->arena, values, count * sizeof *values), count, span};
	map_put_ptr(&r->values, name, binding);
	vec_push(r->arena, &r->scope, name);
	bool ok = true;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < r->forwards.len; i++) {
		ReadForward forward = r->forwards.data[i];
		if (forward.ref.name != name) {
			r->forwards.data[kept++] = forward;
			continue;
		}
		if (forward.ref.index >= count)
			ok = READ_FAIL(r, forward.ref.span, DIAG_IR_VALUE_INDEX, name, count, forward.ref.index);
		else if (!check_type(r, forward.ref, values[forward.ref.index]->type, forward.value->type))
			ok = false;
		else if (forward.value->uses)
			ir_replace_uses(forward.value, values[forward.ref.index]);
	}
	r->forwards.len = kept;
	return ok;
}

void read_close_scope(Reader *r, uint32_t mark)
{
	for (; r->scope.len > mark; r->scope.len--)
		map_put(&r->values, map_key(vec_last(&r->scope)), 0);
}

/* ---- types of ops ---- */

bool read_types(Reader *r, ReadOp *op, bool results)
{
	do {
		IrType type = read_type(r);
		if (!type)
			return false;
		if (results)
			vec_push(r->arena, &op->results, type);
		else
			vec_push(r->arena, &op->types, type);
	} while (read_take(r, ','));
	return true;
}

bool read_colon_types(Reader *r, ReadOp *op)
{
	return read_expect(r, ':') && read_types(r, op, false);
}

bool read_function_type(Reader *r, ReadOp *op)
{
	if (!read_expect(r, '('))
		return false;
	if (!read_take(r, ')') && !(read_types(r, op, false) && read_expect(r, ')')))
		return false;
	if (!read_expect_arrow(r))
		return false;
	if (!read_take(r, '(')) {
		IrType type = read_type(r);
		if (!type)
			return false;
		vec_push(r->arena, &op->results, type);
		return true;
	}
	return read_take(r, ')') || (read_types(r, op, true) && read_expect(r, ')'));
}
