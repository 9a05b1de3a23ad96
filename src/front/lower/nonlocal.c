/* `nonlocal` in a function of a kernel. The function has a copy of the name, which it gets as all
 * that it captures, and returns it beside its result; the call assigns it around. So the call
 * stands in the function that has the name, or in one that declares it nonlocal too: what a loop or
 * a branch assigns is looked for there (assigned_names). */
#include "front/core.h"

static bool has_name(const SymVec *names, Sym name)
{
	for (uint32_t i = 0; i < names->len; i++)
		if (names->data[i] == name)
			return true;
	return false;
}

static void add_name(FrontLower *low, SymVec *names, Sym name)
{
	if (!has_name(names, name))
		vec_push(low->arena, names, name);
}

bool nonlocal_is_declared(const FrontLower *low, Sym name)
{
	return has_name(&low->frame->own_nonlocals, name);
}

void nonlocal_names(FrontLower *low, const AstFunction *f, SymVec *out)
{
	for (uint32_t i = 0; i < f->body.len; i++) {
		const Ast *node = f->body.items[i];
		for (uint32_t k = 0; node->kind == AST_NONLOCAL && k < node->names.count; k++)
			add_name(low, out, node->names.names[k]);
	}
}

void nonlocal_defined(FrontLower *low, FrontFunction *f)
{
	if (function_parse(f, low->diags))
		nonlocal_names(low, f->ast, &low->frame->given_back);
}

static const Frame *owner_of(const Frame *from, Sym name)
{
	while (from && !frame_get(from, name))
		from = from->env;
	return from;
}

const Frame *nonlocal_holder(const FrontLower *low, const Frame *owner, Sym name)
{
	for (const Frame *f = low->frame == owner ? NULL : low->frame->caller; f && f != owner; f = f->caller)
		if (has_name(&f->own_nonlocals, name) && owner_of(f->env, name) == owner)
			return f;
	return owner;
}

/* Is the name one that functions which are called from here may assign? */
static bool is_own(const FrontLower *low, const FrontFunction *f, Sym name)
{
	const Frame *owner = owner_of(f->env, name);
	bool copied = nonlocal_is_declared(low, name) && owner_of(low->frame->env, name) == owner;
	return owner && !low->regions && (copied || owner == low->frame);
}

bool nonlocal_may_call(FrontLower *low, const FrontFunction *f)
{
	SymVec names = {0};
	nonlocal_names(low, f->ast, &names);
	for (uint32_t i = 0; i < names.len; i++)
		if (!is_own(low, f, names.data[i])) {
			lower_error(low, DIAG_NONLOCAL_CALL, f->ast->name, names.data[i]);
			return false;
		}
	return true;
}

void nonlocal_enter(FrontLower *low, const FrontFunction *f)
{
	SymVec *names = &low->frame->own_nonlocals;
	if (!f->env || f->env->host)
		return;
	nonlocal_names(low, f->ast, names);
	for (uint32_t i = 0; i < names->len; i++) {
		frame_set(low, low->frame, names->data[i], sanitize(low, eval_name(low, names->data[i])));
		add_name(low, &low->frame->given_back, names->data[i]);
	}
}

const Val *nonlocal_returned(FrontLower *low, const Val *v)
{
	const SymVec *names = &low->frame->own_nonlocals;
	if (!names->len || v->kind == VAL_POISON)
		return v;
	bool nothing = v->kind == VAL_NONE;
	const Val **items = ARENA_ARRAY(low->arena, const Val *, names->len + 1);
	uint32_t len = 0;
	if (!nothing)
		items[len++] = v;
	for (uint32_t i = 0; i < names->len; i++) {
		items[len++] = eval_name(low, names->data[i]);
		if (items[len - 1]->kind == VAL_POISON)
			return low->poison;
	}
	return val_tuple(low, items, len);
}

const Val *nonlocal_assigned(FrontLower *low, const FrontFunction *f, const Val *result)
{
	SymVec names = {0};
	nonlocal_names(low, f->ast, &names);
	if (!names.len || result->kind == VAL_POISON)
		return result;
	CONTRACT(result->kind == VAL_TUPLE);
	CONTRACT(result->seq.len == names.len || result->seq.len == names.len + 1);
	uint32_t first = result->seq.len - names.len;
	for (uint32_t i = 0; i < names.len; i++)
		frame_set(low, low->frame, names.data[i], result->seq.items[first + i]);
	return first ? result->seq.items[0] : low->none;
}
