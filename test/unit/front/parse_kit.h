/* What the tests of the parser share: one source text, its module, its diagnostics and its tree as text. */
#ifndef NESO_TEST_PARSE_KIT_H
#define NESO_TEST_PARSE_KIT_H
#include "unit.h"

#include "base/fault.h"
#include "front/syntax/parser.h"

typedef struct Run {
	Arena arena;
	SourceSet set;
	Interner names;
	DiagList diags;
	Source *source;
	AstModule *module;
	Text out;
} Run;

static UNUSED void start_bytes(Run *r, const char *text, size_t len)
{
	arena_init(&r->arena, 0);
	source_set_init(&r->set, &r->arena);
	intern_init(&r->names, &r->arena);
	diag_init(&r->diags, &r->arena, &r->set);
	text_init(&r->out, &r->arena);
	text_str(&r->out, "");
	r->source = source_add(&r->set, "t.py", text, len, 1);
	r->module = ast_parse_module(&r->arena, &r->names, r->source, &r->diags);
}

static UNUSED void bodies(Run *r, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++) {
		Ast *node = list->items[i];
		if (node->kind == AST_FUNCTION_DEF) {
			ast_function_body(r->module, node->function, &r->diags);
			bodies(r, &node->function->body);
		} else if (node->kind == AST_CLASS_DEF) {
			bodies(r, &node->klass->body);
		} else if (node->kind == AST_IF) {
			bodies(r, &node->if_stmt.body);
			bodies(r, &node->if_stmt.orelse);
		}
	}
}

/* "line:col-endcol text" of each diagnostic, and of its notes that have a place, a line each. */
static UNUSED const char *errors_of(Run *r)
{
	for (const Diag *d = r->diags.first; d; d = d->next) {
		text_printf(&r->out, "%u:%u-", d->from.line, d->from.col);
		if (d->to.line != d->from.line)
			text_printf(&r->out, "%u:", d->to.line);
		text_printf(&r->out, "%u %s\n", d->to.col, d->text);
		for (const Diag *note = d->notes; note; note = note->next)
			if (note->from.line)
				text_printf(&r->out, "  %u:%u %s\n", note->from.line,
					    note->from.col, note->text);
	}
	return r->out.data;
}

static UNUSED const char *tree_of(Run *r, bool spans)
{
	for (uint32_t i = 0; r->module && i < r->module->body.len; i++)
		(spans ? ast_dump_spans : ast_dump)(&r->out, r->module->body.items[i]);
	return r->out.data;
}

/* The same, of a text and all its functions. */
static UNUSED const char *all_errors(Run *r, const char *text, size_t len)
{
	start_bytes(r, text, len);
	if (r->module)
		bodies(r, &r->module->body);
	return errors_of(r);
}

/* head, count times unit, tail; in the arena of r. */
static UNUSED char *repeat(Run *r, const char *head, const char *unit, size_t count, const char *tail)
{
	size_t h = strlen(head), u = strlen(unit), t = strlen(tail);
	char *text = arena_alloc_raw(&r->arena, h + u * count + t + 1, 1), *at = text;
	memcpy(at, head, h);
	at += h;
	for (size_t i = 0; i < count; i++, at += u)
		memcpy(at, unit, u);
	memcpy(at, tail, t + 1);
	return text;
}

#endif
