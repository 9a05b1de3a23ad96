/* Elements of lists and dicts that are assigned. Both are values here, as tiles are: the name gets
 * another one. That is what Python does as long as nothing else holds the list, so it must be seen
 * from the text of the function that nothing can. */
#include "front/core.h"
#include "front/syntax/parse.h"

typedef struct Held {
	FrontLower *low;
	FrontModule *module;
	Sym name;
	bool dict;
	bool made;    /* it is bound to a new list */
	bool shared; /* something else may hold what it holds */
	bool changed; /* an element is assigned (finds_change alone) */
} Held;

static bool is_it(const Held *h, const Ast *n)
{
	return n && n->kind == AST_NAME && n->name.id == h->name;
}

static bool is_one_of(const Ast *call, const char *const *names)
{
	for (; call->kind == AST_CALL && call->call.func->kind == AST_NAME && *names; names++)
		if (!strcmp(call->call.func->name.id, *names))
			return true;
	return false;
}

/* Does the expression make a list or dict that nothing else has? */
static bool makes_new(const Held *h, const Ast *n)
{
	static const char *const makers[] = {"list", "%list", "dict", "sorted", NULL};
	switch (n->kind) {
	case AST_LIST:
	case AST_LIST_COMP:
	case AST_DICT:
	case AST_DICT_COMP:
		return true;
	case AST_BIN_OP:
		return makes_new(h, n->bin.left) || makes_new(h, n->bin.right) || is_it(h, n->bin.left);
	default:
		return is_one_of(n, makers);
	}
}

static bool is_append(const Ast *n)
{
	const Ast *f = n->kind == AST_CALL && n->call.args.len == 1 ? n->call.func : NULL;
	return f && f->kind == AST_ATTRIBUTE && !n->call.keyword_count &&
	       n->call.args.items[0]->kind != AST_STARRED &&
	       (!strcmp(f->attribute.attr, "append") || !strcmp(f->attribute.attr, "extend"));
}

static bool changes(const Held *h, const Ast *target)
{
	bool several = target->kind == AST_TUPLE || target->kind == AST_LIST;
	for (uint32_t i = 0; several && i < target->seq.items.len; i++)
		if (changes(h, target->seq.items.items[i]))
			return true;
	bool element = target->kind == AST_SUBSCRIPT;
	while (target->kind == AST_SUBSCRIPT)
		target = target->subscript.value;
	return element && is_it(h, target);
}

static void finds_change(void *data, Ast *n)
{
	Held *h = data;
	for (uint32_t i = 0; n->kind == AST_ASSIGN && i < n->assign.targets.len; i++)
		h->changed |= changes(h, n->assign.targets.items[i]);
	h->changed |= n->kind == AST_AUG_ASSIGN && changes(h, n->aug_assign.target);
	h->changed |= is_append(n) && is_it(h, n->call.func->attribute.value);
	ast_each(n, finds_change, data);
}

static void look(void *data, Ast *n);
static void look_comprehension(Held *h, const Ast *n);

static const char *const walkers[] = {"enumerate", "zip", "reversed", NULL};

/* What hands its items on and keeps nothing: the name itself, and some calls with it. */
static void look_iterated(Held *h, Ast *iter)
{
	if (is_it(h, iter))
		return;
	if (!is_one_of(iter, walkers)) {
		look(h, iter);
		return;
	}
	for (uint32_t i = 0; i < iter->call.args.len; i++)
		look_iterated(h, iter->call.args.items[i]);
}

/* Keys of a dict stay; its values come as they are by then. */
static bool iterates(const Held *h, const Ast *iter)
{
	const Ast *f = iter->kind == AST_CALL ? iter->call.func : NULL;
	if (f && f->kind == AST_ATTRIBUTE && is_it(h, f->attribute.value))
		return strcmp(f->attribute.attr, "keys") != 0;
	if (!is_one_of(iter, walkers))
		return !h->dict && is_it(h, iter);
	for (uint32_t i = 0; i < iter->call.args.len; i++)
		if (iterates(h, iter->call.args.items[i]))
			return true;
	return false;
}

/* Python's loop sees what its body assigns to elements that come later. */
static void look_for(Held *h, const Ast *n)
{
	Held body = {.name = h->name};
	for (uint32_t i = 0; i < n->for_stmt.body.len; i++)
		finds_change(&body, n->for_stmt.body.items[i]);
	h->shared |= body.changed && iterates(h, n->for_stmt.iter);
	look_iterated(h, n->for_stmt.iter);
	look(h, n->for_stmt.target);
	for (uint32_t i = 0; i < n->for_stmt.body.len; i++)
		look(h, n->for_stmt.body.items[i]);
}

static void look_assignment(Held *h, const Ast *n)
{
	for (uint32_t i = 0; i < n->assign.targets.len; i++) {
		Ast *target = n->assign.targets.items[i];
		if (!is_it(h, target)) {
			look(h, target);
			continue;
		}
		h->made = true;
		h->shared |= n->assign.targets.len > 1 || !makes_new(h, n->assign.value);
	}
	look(h, n->assign.value);
}

static void look_call(Held *h, Ast *n)
{
	static const char *const readers[] = {"len", "list", "tuple", "dict", "sum", "sorted",
					      "any", "all", "min", "max", NULL};
	static const char *const methods[] = {"append", "extend", "get", "keys", "values", "items", NULL};
	bool reads = is_one_of(n, readers);
	const Ast *f = n->call.func;
	bool of_it = f->kind == AST_ATTRIBUTE && is_it(h, f->attribute.value);
	for (const char *const *m = methods; of_it && !reads && *m; m++)
		reads = !strcmp(f->attribute.attr, *m);
	if (!of_it || !reads)
		look(h, n->call.func);
	for (uint32_t i = 0; i < n->call.args.len; i++) {
		Ast *arg = n->call.args.items[i];
		if (reads && !of_it && arg->kind == AST_GENERATOR)
			look_comprehension(h, arg); /* it is used up there */
		else if (!(reads && !of_it && is_it(h, arg)))
			look(h, arg);
	}
	for (uint32_t i = 0; i < n->call.keyword_count; i++)
		look(h, n->call.keywords[i].value);
}

static void look_function(Held *h, Ast *n)
{
	AstFunction *f = n->function;
	h->shared |= f->name == h->name || !ast_function_body(h->module->ast, f, h->low->diags);
	for (uint32_t i = 0; !h->shared && i < f->body.len; i++)
		look(h, f->body.items[i]);
}

static void look_comprehension(Held *h, const Ast *n)
{
	for (uint32_t i = 0; i < n->comp.clauses.len; i++) {
		const Ast *clause = n->comp.clauses.items[i];
		look_iterated(h, clause->comp_for.iter);
		look(h, clause->comp_for.target);
		for (uint32_t k = 0; k < clause->comp_for.ifs.len; k++)
			look(h, clause->comp_for.ifs.items[k]);
	}
	look(h, n->comp.elt);
	if (n->comp.value)
		look(h, n->comp.value);
}

/* Every use of the name that may make something else hold what it holds. */
static void look(void *data, Ast *n)
{
	Held *h = data;
	if (h->shared)
		return;
	switch (n->kind) {
	case AST_NAME:
		h->shared = n->name.id == h->name;
		return;
	case AST_SUBSCRIPT:
		if (!is_it(h, n->subscript.value))
			look(h, n->subscript.value);
		look(h, n->subscript.index);
		return;
	case AST_STARRED:
	case AST_RETURN: {
		Ast *value = n->kind == AST_RETURN ? n->unary_stmt.value : n->wrap.value;
		if (value && !is_it(h, value))
			look(h, value);
		return;
	}
	case AST_BIN_OP:
		if (!is_it(h, n->bin.left))
			look(h, n->bin.left);
		if (!is_it(h, n->bin.right))
			look(h, n->bin.right);
		return;
	case AST_ASSIGN:
		look_assignment(h, n);
		return;
	case AST_AUG_ASSIGN:
		if (!is_it(h, n->aug_assign.target))
			look(h, n->aug_assign.target);
		if (!is_it(h, n->aug_assign.value))
			look(h, n->aug_assign.value);
		return;
	case AST_FOR:
		look_for(h, n);
		return;
	case AST_CALL:
		look_call(h, n);
		return;
	case AST_FUNCTION_DEF:
		look_function(h, n);
		return;
	case AST_LIST_COMP:
	case AST_SET_COMP:
	case AST_DICT_COMP:
		look_comprehension(h, n);
		return;
	default:
		ast_each(n, look, h);
	}
}

/* Is what the name holds, in the function that is being lowered, nobody else's? */
static bool is_own(FrontLower *low, Sym name, const Val *held)
{
	FrontFunction *f = low->frame->function;
	if (!f || !frame_get(low->frame, name))
		return false;
	Held h = {.low = low, .module = f->module, .name = name,
		  .dict = held->kind == VAL_DICT};
	for (uint32_t i = 0; i < f->ast->param_count; i++)
		h.shared |= f->ast->params[i].name == name;
	for (uint32_t i = 0; i < f->ast->body.len; i++)
		look(&h, f->ast->body.items[i]);
	return h.made && !h.shared;
}

static bool may_change(FrontLower *low, Sym name, const Val *held)
{
	if (!lower_extension_words(low, "__setitem__ is not supported in triton"))
		return false;
	if (is_own(low, name, held))
		return true;
	lower_error(low, DIAG_LIST_SHARED, name);
	if (val_is_seq(held))
		lower_note(low, "other names and functions get list(%s); a loop that changes it counts: "
				"for i in tl.static_range(len(%s))", name, name);
	return false;
}

static const Val *with_item(FrontLower *low, const Val *list, uint32_t at, const Val *value)
{
	Val *v = arena_copy(low->arena, list, sizeof *list);
	v->seq.len = MAX(list->seq.len, at + 1);
	v->seq.items = ARENA_ARRAY(low->arena, const Val *, v->seq.len);
	memcpy(v->seq.items, list->seq.items, list->seq.len * sizeof *v->seq.items);
	v->seq.items[at] = value;
	return v;
}

const Val *list_assigned(FrontLower *low, Sym name, const Val *list, const Val *index,
			 const Val *value)
{
	if (!may_change(low, name, list))
		return low->poison;
	index = index->kind == VAL_TENSOR && index->origin ? index->origin : index;
	if (list->kind == VAL_DICT) {
		ValVec keys = {0}, values = {0};
		if (index->kind == VAL_TENSOR)
			return lower_error(low, DIAG_NOT_CONSTEXPR, "a key of a dict",
					   val_describe(low, index));
		for (uint32_t k = 0; k < list->dict.len; k++) {
			vec_push(low->arena, &keys, list->dict.keys[k]);
			vec_push(low->arena, &values, list->dict.values[k]);
		}
		vec_push(low->arena, &keys, index);
		vec_push(low->arena, &values, value);
		return val_dict(low, keys.data, values.data, keys.len);
	}
	int64_t i;
	if (!val_as_int(index, &i))
		return lower_error(low, DIAG_NOT_CONSTEXPR, "an index of a list that is assigned to",
				   val_describe(low, index));
	i += i < 0 ? list->seq.len : 0;
	if (i < 0 || i >= list->seq.len)
		return lower_error(low, DIAG_INDEX, (long long)i, list->seq.len);
	return with_item(low, list, (uint32_t)i, value);
}

bool list_appended(FrontLower *low, const Ast *call)
{
	const Ast *base = is_append(call) && !low->frame->host ? call->call.func->attribute.value : NULL;
	const Val *list = base && base->kind == AST_NAME ? frame_get(low->frame, base->name.id) : NULL;
	if (!list || !val_is_seq(list) || list->seq.klass)
		return false;
	const Val *given = sanitize(low, eval(low, call->call.args.items[0]));
	ValVec items = {0};
	if (!strcmp(call->call.func->attribute.attr, "append"))
		vec_push(low->arena, &items, given);
	else if (given->kind != VAL_POISON && !eval_items(low, given, &items))
		given = low->poison;
	if (given->kind == VAL_POISON || !may_change(low, base->name.id, list))
		list = low->poison;
	for (uint32_t i = 0; list->kind != VAL_POISON && i < items.len; i++)
		list = with_item(low, list, list->seq.len, items.data[i]);
	frame_set(low, low->frame, base->name.id, list);
	return true;
}
