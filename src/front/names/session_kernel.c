/* Finding the kernels of a module. */
#include "front/core.h"
#include "front/session.h"

#include <stdlib.h>

enum { MOST_WRAPPERS = 20 };

/* May something inside the function be decorated? Said
 * by its text, so that other bodies stay unparsed. */
static bool has_decorators(const FrontFunction *f)
{
	Span body = f->ast->def_span;
	body.start = f->ast->def_offset;
	return is_in_text(f->module, body, "@");
}

FrontFunction *jitted_function(const Binding *made)
{
	Namespace *ns = made->scope ? made->scope : made->ns;
	const Ast *value = made->value;
	for (unsigned depth = 0;
	     value->kind == AST_CALL && value->call.args.len == 1 && depth < MOST_WRAPPERS; depth++) {
		const Ast *head = value->call.func, *argument = value->call.args.items[0];
		if (argument->kind != AST_NAME) {
			value = argument;
			continue;
		}
		if (!is_tile_name(dotted_name(ns, head->kind == AST_CALL ? head->call.func : head), "jit"))
			return NULL;
		Binding *b = namespace_find(ns, argument->name.id);
		while (b && b->at >= made->at)
			b = b->prev;
		if (!b || b->kind != BIND_FUNCTION)
			return NULL;
		function_decorate(b->function);
		return b->function;
	}
	return NULL;
}

static void collect(Namespace *ns, FrontModule *m, DiagList *diags, unsigned depth)
{
	Arena *arena = m->session->arena;
	for (uint32_t i = 0; i < ns->order.len; i++) {
		Binding *b = ns->order.data[i];
		if (b->kind == BIND_CLASS)
			collect(&b->klass->ns, m, diags, depth + 1);
		if (b->kind == BIND_VALUE && b->value) {
			FrontFunction *plain = jitted_function(b);
			if (plain && plain->kind == FN_HOST) {
				plain->kind = FN_JIT;
				vec_push(arena, &m->kernels, plain);
			}
		}
		if (b->kind != BIND_FUNCTION)
			continue;
		FrontFunction *f = b->function;
		function_decorate(f);
		if (f->kind == FN_JIT) {
			vec_push(arena, &m->kernels, f);
		} else if (depth < 20 && has_decorators(f)) {
			DiagList quiet;
			diag_init(&quiet, arena, NULL);
			Namespace *body = function_namespace(f, &quiet);
			if (body)
				collect(body, m, diags, depth + 1);
		}
	}
}

static int by_place(const void *a, const void *b)
{
	uint32_t x = (*(FrontFunction *const *)a)->ast->def_offset,
		 y = (*(FrontFunction *const *)b)->ast->def_offset;
	return x < y ? -1 : x > y;
}

void module_find_kernels(FrontModule *m, DiagList *diags)
{
	if (m->kernels_found)
		return;
	m->kernels_found = true;
	collect(&m->ns, m, diags, 0);
	if (m->kernels.len)
		qsort(m->kernels.data, m->kernels.len, sizeof *m->kernels.data, by_place);
}
