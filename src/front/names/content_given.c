/* What the walk of a syntax tree knows of names: which have a value wherever control comes by,
 * which are bound, which are read before that, and which its text depends on. */
#include "front/names/content_int.h"

static bool is_given(const ContentWalk *t, Sym name)
{
	uint64_t at;
	return map_get(&t->place, map_key(name), &at) && at >= t->base && at < t->given.len &&
	       t->given.data[at] == name;
}

void content_give(ContentWalk *t, Sym name)
{
	if (!t->found || is_given(t, name))
		return;
	map_put(&t->place, map_key(name), t->given.len);
	vec_push(t->arena, &t->given, name);
}

void content_give_coming(ContentWalk *t, uint32_t from)
{
	for (uint32_t i = from; i < t->coming.len; i++)
		content_give(t, t->coming.data[i]);
	t->coming.len = from;
}

void content_bind(ContentWalk *t, Sym name)
{
	uint64_t known;
	if (t->found)
		vec_push(t->arena, &t->coming, name);
	if (!t->bound || map_get(&t->seen_bound, map_key(name), &known))
		return;
	map_put(&t->seen_bound, map_key(name), 1);
	vec_push(t->arena, t->bound, name);
}

void content_bind_params(ContentWalk *t, const AstFunction *f)
{
	for (uint32_t i = 0; i < f->param_count; i++)
		content_bind(t, f->params[i].name);
}

void content_read(ContentWalk *t, Sym name)
{
	uint64_t known;
	if (t->early && !map_get(&t->seen_bound, map_key(name), &known))
		vec_push(t->arena, t->early, name);
}

void content_collect(ContentWalk *t, Sym name)
{
	uint64_t known;
	if (t->valued || map_get(&t->seen, map_key(name), &known))
		return;
	map_put(&t->seen, map_key(name), 1);
	vec_push(t->arena, t->names, name);
}

bool content_is_own(const ContentWalk *t, Sym name)
{
	return t->found && !t->all && is_given(t, name);
}
