/* Questions about statements before they are lowered: how do they leave a loop, which names do
 * they assign or delete. */
#include "front/core.h"
#include "front/names/change.h"

static void find_exits(LoopExits *out, const AstList *body, bool inner)
{
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *n = body->items[i];
		switch (n->kind) {
		case AST_RETURN:
			out->returns = true;
			break;
		case AST_BREAK:
			out->breaks |= !inner;
			break;
		case AST_CONTINUE:
			out->continues |= !inner;
			break;
		case AST_IF:
			find_exits(out, &n->if_stmt.body, inner);
			find_exits(out, &n->if_stmt.orelse, inner);
			break;
		case AST_WHILE:
			find_exits(out, &n->if_stmt.body, true);
			find_exits(out, &n->if_stmt.orelse, inner);
			break;
		case AST_FOR:
			find_exits(out, &n->for_stmt.body, true);
			find_exits(out, &n->for_stmt.orelse, inner);
			break;
		default:
			break;
		}
	}
}

LoopExits loop_exits(const AstList *body)
{
	LoopExits exits = {0};
	find_exits(&exits, body, false);
	return exits;
}

typedef struct Scan {
	FrontLower *low;
	SymVec *out;
} Scan;

static void add(Scan *s, Sym name)
{
	for (uint32_t i = 0; i < s->out->len; i++)
		if (s->out->data[i] == name)
			return;
	vec_push(s->low->arena, s->out, name);
}

static void scan_target(Scan *s, const Ast *target)
{
	if (target->kind == AST_NAME)
		add(s, target->name.id);
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			scan_target(s, target->seq.items.items[i]);
	else if (target->kind == AST_STARRED)
		scan_target(s, target->wrap.value);
	else if (target->kind == AST_SUBSCRIPT) /* a tile is made anew */
		scan_target(s, target->subscript.value);
}

static void scan_expr(Scan *s, const Ast *e);

static void scan_exprs(Scan *s, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++)
		scan_expr(s, list->items[i]);
}

static void scan_child(void *data, Ast *e)
{
	scan_expr(data, e);
}

static void scan_comprehension(Scan *s, const Ast *e)
{
	for (uint32_t i = 0; i < e->comp.clauses.len; i++) {
		const Ast *clause = e->comp.clauses.items[i];
		scan_expr(s, clause->comp_for.iter);
		scan_exprs(s, &clause->comp_for.ifs);
	}
	scan_expr(s, e->comp.elt);
	scan_expr(s, e->comp.value);
}

static void scan_list(Scan *s, const Ast *base)
{
	const Val *v = base->kind == AST_NAME ? frame_get(s->low->frame, base->name.id) : NULL;
	if (v && val_is_seq(v))
		add(s, base->name.id);
}

/* Only := and append() assign inside an expression; what a comprehension's clauses name is its own, and so is a lambda's body. */
static void scan_expr(Scan *s, const Ast *e)
{
	if (!e)
		return;
	switch (e->kind) {
	case AST_NAMED_EXPR:
		scan_target(s, e->named.target);
		scan_expr(s, e->named.value);
		break;
	case AST_LAMBDA:
		for (uint32_t i = 0; i < e->function->param_count; i++)
			scan_expr(s, e->function->params[i].value);
		break;
	case AST_LIST_COMP:
	case AST_SET_COMP:
	case AST_DICT_COMP:
	case AST_GENERATOR:
		scan_comprehension(s, e);
		break;
	case AST_CALL: /* of a list: its name gets a longer one */
		if (e->call.func->kind == AST_ATTRIBUTE && (!strcmp(e->call.func->attribute.attr, "append") ||
							    !strcmp(e->call.func->attribute.attr, "extend")))
			scan_list(s, e->call.func->attribute.value);
		ast_each(e, scan_child, s);
		break;
	default:
		ast_each(e, scan_child, s);
	}
}

static void scan_import(Scan *s, const Ast *n)
{
	for (uint32_t i = 0; i < n->import.count; i++) {
		const AstAlias *a = &n->import.names[i];
		size_t first = strcspn(a->name, ".");
		add(s, a->asname ? a->asname : lower_sym(s->low, (Str){a->name, first}));
	}
}

/* What a function of this body may assign around it. */
static void scan_nonlocals(Scan *s, AstFunction *function)
{
	SymVec names = {0};
	if (function_parse(function_of_ast(s->low->frame->ns, function), s->low->diags))
		nonlocal_names(s->low, function, &names);
	for (uint32_t i = 0; i < names.len; i++)
		add(s, names.data[i]);
}

/* Functions with `nonlocal` may be called by any name, from everywhere in the statements. */
static void scan_given_back(Scan *s)
{
	for (uint32_t i = 0; i < s->low->frame->given_back.len; i++)
		add(s, s->low->frame->given_back.data[i]);
}

static void scan_body(Scan *s, const AstList *body)
{
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *n = body->items[i];
		switch (n->kind) {
		case AST_ASSIGN:
			for (uint32_t k = 0; k < n->assign.targets.len; k++)
				scan_target(s, n->assign.targets.items[k]);
			scan_expr(s, n->assign.value);
			break;
		case AST_ANN_ASSIGN:
			if (n->ann_assign.value)
				scan_target(s, n->ann_assign.target);
			scan_expr(s, n->ann_assign.value);
			break;
		case AST_AUG_ASSIGN:
			scan_target(s, n->aug_assign.target);
			scan_expr(s, n->aug_assign.value);
			break;
		case AST_EXPR:
		case AST_RETURN:
			scan_expr(s, n->unary_stmt.value);
			break;
		case AST_ASSERT:
			scan_expr(s, n->assert_stmt.test);
			scan_expr(s, n->assert_stmt.msg);
			break;
		case AST_RAISE:
			scan_expr(s, n->raise.exc);
			break;
		case AST_DELETE:
			for (uint32_t k = 0; k < n->del.targets.len; k++)
				scan_target(s, n->del.targets.items[k]);
			break;
		case AST_IMPORT:
		case AST_IMPORT_FROM:
			scan_import(s, n);
			break;
		case AST_FUNCTION_DEF:
			add(s, n->function->name);
			scan_nonlocals(s, n->function);
			break;
		case AST_FOR:
			scan_target(s, n->for_stmt.target);
			scan_expr(s, n->for_stmt.iter);
			scan_body(s, &n->for_stmt.body);
			scan_body(s, &n->for_stmt.orelse);
			break;
		case AST_IF:
		case AST_WHILE:
			scan_expr(s, n->if_stmt.test);
			scan_body(s, &n->if_stmt.body);
			scan_body(s, &n->if_stmt.orelse);
			break;
		default:
			break;
		}
	}
}

void assigned_names(FrontLower *low, const AstList *body, SymVec *out)
{
	Scan s = {low, out};
	scan_body(&s, body);
	scan_given_back(&s);
}

void assigned_in_expressions(FrontLower *low, const AstList *list, SymVec *out)
{
	Scan s = {low, out};
	scan_exprs(&s, list);
	scan_given_back(&s);
}

/* ---- objects that change ---- */

static bool is_shared(const FrontLower *low, const Val *object)
{
	unsigned holders = 0;
	for (const Frame *f = low->frame; f; f = f->caller)
		for (uint32_t i = 0; i < f->slots.len; i++)
			holders += f->slots.data[i].val && val_holds(f->slots.data[i].val, object);
	return holders > 1;
}

/* method: that it is called by; NULL: its field is assigned. */
static void add_object(Scan *s, const Ast *base, Sym method)
{
	FrontLower *low = s->low;
	uint64_t slot;
	if (base->kind != AST_NAME || !map_get(&low->frame->slot_of, map_key(base->name.id), &slot))
		return;
	const Val *v = low->frame->slots.data[slot].val;
	if (!v || v->kind != VAL_OBJECT || v->object.klass->kind != CLASS_AGGREGATE || is_shared(low, v))
		return;
	const Val *member = method ? resolve_class_member(low, v->object.klass, method, NULL) : NULL;
	if (!method || (member && member->kind == VAL_FUNCTION && effect_changes_arguments(member->function)))
		add(s, base->name.id);
}

static void scan_changes(void *data, Ast *n)
{
	if (n->kind == AST_ASSIGN)
		for (uint32_t k = 0; k < n->assign.targets.len; k++) {
			const Ast *target = n->assign.targets.items[k];
			if (target->kind == AST_ATTRIBUTE)
				add_object(data, target->attribute.value, NULL);
		}
	else if (n->kind == AST_AUG_ASSIGN && n->aug_assign.target->kind == AST_ATTRIBUTE)
		add_object(data, n->aug_assign.target->attribute.value, NULL);
	else if (n->kind == AST_CALL && n->call.func->kind == AST_ATTRIBUTE)
		add_object(data, n->call.func->attribute.value, n->call.func->attribute.attr);
	ast_each(n, scan_changes, data);
}

void changed_objects(FrontLower *low, const AstList *body, SymVec *out)
{
	Scan s = {low, out};
	for (uint32_t i = 0; i < body->len; i++)
		scan_changes(&s, body->items[i]);
}
