/* front_names: which names a function binds, reads before it binds them, and takes from outside. */
#include "front/names/content_int.h"
#include "front/syntax/parse.h"

/* Of what was read before it was bound, what never was is no local name. */
static void keep_bound(ContentWalk *t)
{
	uint64_t known;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < t->early->len; i++)
		if (map_get(&t->seen_bound, map_key(t->early->data[i]), &known))
			t->early->data[kept++] = t->early->data[i];
	t->early->len = kept;
}

/* Names of the parser's own are none of the text's. */
static void copy_names(FrontNames *out, FrontNameGroup group, ContentNames *names)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < names->len; i++)
		if (names->data[i][0] != '%')
			names->data[kept++] = names->data[i];
	out->names[group] = names->data;
	out->count[group] = kept;
}

bool front_names(Str text, Arena *arena, FrontNames *out)
{
	Interner interner;
	SourceSet sources;
	DiagList none;
	Text unread;
	ContentNames bound = {0}, early = {0}, body = {0}, head = {0}, defaults = {0};
	intern_init(&interner, arena);
	source_set_init(&sources, arena);
	diag_init(&none, arena, NULL);
	text_init(&unread, arena);
	const char *copy = arena_strndup(arena, text.ptr, text.len);
	AstModule *module = ast_parse_module(arena, &interner, source_add(&sources, "", copy, text.len, 1), &none);
	if (!module || none.errors || !module->body.len || module->body.items[0]->kind != AST_FUNCTION_DEF)
		return false;
	AstFunction *f = module->body.items[0]->function;
	if (!ast_function_body(module, f, &none))
		return false;
	ContentWalk t = content_walk(module, &interner, arena, &unread, &body);
	t.bound = &bound;
	t.early = &early;
	content_bind_params(&t, f);
	content_block(&t, &f->body);
	keep_bound(&t);
	ContentWalk of_head = content_walk(module, &interner, arena, &unread, &head);
	ContentWalk of_defaults = content_walk(module, &interner, arena, &unread, &defaults);
	of_head.bound = &bound;
	content_def(&of_head, &(AstFunction){.decorators = f->decorators, .params = f->params, .param_count = f->param_count,
					  .returns = f->returns, .body_parsed = true});
	for (uint32_t i = 0; i < f->param_count; i++)
		content_node(&of_defaults, f->params[i].value);
	copy_names(out, FRONT_NAMES_BOUND, &bound);
	copy_names(out, FRONT_NAMES_EARLY, &early);
	copy_names(out, FRONT_NAMES_BODY, &body);
	copy_names(out, FRONT_NAMES_HEAD, &head);
	copy_names(out, FRONT_NAMES_DEFAULTS, &defaults);
	return !t.failed && !of_head.failed && !of_defaults.failed;
}
