/* Assignments of kernels: what a target takes, and what of a value is stored. */
#include "front/core.h"

const Val *sanitize(FrontLower *low, const Val *v)
{
	if (val_is_number(v))
		return val_add_origin(low, sem_to_tensor(low, v), v);
	return v->kind == VAL_TUPLE ? val_of_items(low, v, sanitize) : v;
}

static bool assign_items(FrontLower *low, const AstList *targets, const Val *value)
{
	ValVec items = {0};
	if (!eval_items(low, value, &items))
		return false;
	uint32_t star = targets->len;
	for (uint32_t i = 0; i < targets->len; i++)
		if (targets->items[i]->kind == AST_STARRED)
			star = i;
	if (star < targets->len && !low->frame->host &&
	    !lower_extension_words(low, "starred assignment targets are not supported"))
		return false;
	if (star == targets->len ? items.len != targets->len : items.len + 1 < targets->len) {
		lower_error(low, DIAG_UNPACK_COUNT, items.len < targets->len ? "not enough" : "too many",
			    targets->len - (star < targets->len), items.len);
		return false;
	}
	bool ok = true;
	uint32_t extra = star < targets->len ? items.len + 1 - targets->len : 0;
	for (uint32_t i = 0; i < targets->len; i++) {
		if (i == star)
			ok = assign_target(low, targets->items[i]->wrap.value,
					   val_list(low, items.data + i, extra)) && ok;
		else
			ok = assign_target(low, targets->items[i],
					   items.data[i > star ? i + extra - 1 : i]) && ok;
	}
	return ok;
}

/* After an error the names of the target are poison, so that nothing is said twice. */
void poison_target(FrontLower *low, const Ast *target)
{
	if (target->kind == AST_NAME)
		frame_set(low, low->frame, target->name.id, low->poison);
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			poison_target(low, target->seq.items.items[i]);
	else if (target->kind == AST_STARRED)
		poison_target(low, target->wrap.value);
	else if (target->kind == AST_SUBSCRIPT)
		poison_target(low, target->subscript.value);
}

static bool assign_attribute(FrontLower *low, Ast *target, const Val *value)
{
	CONTRACT(target->kind == AST_ATTRIBUTE);
	const Val *object = eval(low, target->attribute.value);
	if (object->kind == VAL_POISON)
		return false;
	if (object->kind == VAL_OBJECT && !low->frame->host &&
	    !lower_extension_words(low, "Attribute assignment is not supported in triton"))
		return false;
	if (object->kind == VAL_OBJECT) {
		FrontClass *c = object->object.klass;
		/* Elsewhere it would be assigned whatever the branch, in the first turn of a loop
		 * alone, or in a copy. */
		if (object->object.home != low->b.block) {
			lower_error(low, DIAG_FIELD_ELSEWHERE, target->attribute.attr,
				    val_describe(low, object));
			return false;
		}
		for (uint32_t i = 0; i < c->field_count; i++)
			if (c->fields[i].name == target->attribute.attr) {
				object->object.fields[i] = value;
				return true;
			}
		if (low->frame->host) {
			lower_error(low, DIAG_FIELD_UNKNOWN, c->name, target->attribute.attr);
			return false;
		}
	}
	lower_error(low, DIAG_UNSUPPORTED, "assignment to an attribute");
	lower_note(low, "a variable holds a value; instances of a class that is decorated with "
			"@triton.language.core._aggregate have attributes");
	return false;
}

/* An element of what the target's value is, `base`. Tiles are values: the target names another
 * one afterwards. */
static bool assign_element(FrontLower *low, Ast *target, const Val *base, const Val *index, const Val *value)
{
	CONTRACT(target->kind == AST_SUBSCRIPT);
	if (base->kind == VAL_POISON || index->kind == VAL_POISON)
		return false;
	if (base->kind == VAL_TENSOR) {
		const Val *tile = sem_assign(low, base, index, value);
		if (tile->kind == VAL_POISON && value->kind != VAL_POISON)
			hint_element(low, base);
		return tile->kind != VAL_POISON && assign_target(low, target->subscript.value, tile);
	}
	int64_t i;
	if (low->frame->host && base->kind == VAL_LIST && val_as_int(index, &i)) {
		i += i < 0 ? base->seq.len : 0;
		if (i < 0 || i >= base->seq.len) {
			lower_error(low, DIAG_INDEX, (long long)i, base->seq.len);
			return false;
		}
		base->seq.items[i] = value;
		return true;
	}
	if (low->frame->host && base->kind == VAL_DICT) {
		ValVec keys = {0}, values = {0};
		for (uint32_t k = 0; k < base->dict.len; k++) {
			vec_push(low->arena, &keys, base->dict.keys[k]);
			vec_push(low->arena, &values, base->dict.values[k]);
		}
		vec_push(low->arena, &keys, index);
		vec_push(low->arena, &values, value);
		((Val *)base)->dict = val_dict(low, keys.data, values.data, keys.len)->dict;
		return true;
	}
	if (!low->frame->host && target->subscript.value->kind == AST_NAME &&
	    ((val_is_seq(base) && !base->seq.klass) || base->kind == VAL_DICT)) {
		const Val *list = list_assigned(low, target->subscript.value->name.id, base, index, value);
		return list->kind != VAL_POISON && assign_target(low, target->subscript.value, list);
	}
	lower_error(low, DIAG_UNSUPPORTED, "assignment to an element of a tuple or list");
	hint_element(low, base);
	return false;
}

static bool is_declared_constexpr(const Frame *frame, Sym name)
{
	for (uint32_t i = 0; i < frame->constexprs.len; i++)
		if (frame->constexprs.data[i] == name)
			return true;
	return false;
}

/* The value as it was before an assignment made tensors of its numbers; NULL after saying that it
 * was never known. */
static const Val *unsanitized(FrontLower *low, Sym name, const Val *v)
{
	if (v->kind == VAL_TENSOR) {
		if (!v->origin)
			lower_error(low, DIAG_NOT_CONSTEXPR, name, val_describe(low, v));
		return v->origin;
	}
	if (v->kind != VAL_TUPLE)
		return v;
	const Val **items = NULL;
	const Val *t = val_tuple_like(low, v, &items);
	for (uint32_t i = 0; i < v->seq.len; i++)
		if (!(items[i] = unsanitized(low, name, v->seq.items[i])))
			return NULL;
	return t;
}

static bool assign_name(FrontLower *low, Sym name, const Val *value)
{
	if (is_declared_constexpr(low->frame, name))
		value = unsanitized(low, name, value);
	frame_set(low, low->frame, name, value ? value : low->poison);
	return value != NULL;
}

bool assign_target(FrontLower *low, Ast *target, const Val *value)
{
	if (value->kind == VAL_POISON) {
		poison_target(low, target);
		return false;
	}
	Span old = lower_at(low, target->span);
	bool ok = true;
	switch (target->kind) {
	case AST_NAME:
		ok = assign_name(low, target->name.id, value);
		break;
	case AST_TUPLE:
	case AST_LIST:
		ok = assign_items(low, &target->seq.items, value);
		if (!ok)
			poison_target(low, target);
		break;
	case AST_ATTRIBUTE:
		ok = assign_attribute(low, target, value);
		break;
	case AST_SUBSCRIPT: {
		const Val *base = eval(low, target->subscript.value), *index = eval(low,
				target->subscript.index);
		ok = assign_element(low, target, base, index, value);
		break;
	}
	default:
		lower_error(low, DIAG_UNSUPPORTED, "this target of an assignment");
		ok = false;
	}
	lower_restore(low, old);
	return ok;
}

/* The value under the target's name as prefix of its locations. */
static const Val *eval_for(FrontLower *low, const Ast *target, Ast *value)
{
	Sym old = low->frame->prefix;
	low->frame->prefix = target->kind == AST_NAME ? target->name.id : NULL;
	lower_at(low, low->span);
	const Val *v = sanitize(low, eval(low, value));
	low->frame->prefix = old;
	lower_at(low, low->span);
	return v;
}

typedef struct Uses {
	Sym name;
	unsigned count; /* more than one where a loop is around it */
	unsigned each;
} Uses;

static void count_uses(void *data, Ast *n)
{
	Uses *u = data;
	u->count += n->kind == AST_NAME && n->name.id == u->name ? u->each : 0;
	if (n->kind != AST_FOR && n->kind != AST_WHILE) {
		ast_each(n, count_uses, u);
		return;
	}
	const AstList *body = n->kind == AST_FOR ? &n->for_stmt.body : &n->if_stmt.body;
	count_uses(u, n->kind == AST_FOR ? n->for_stmt.iter : n->if_stmt.test);
	Uses inside = {.name = u->name, .each = 2};
	for (uint32_t i = 0; i < body->len; i++)
		count_uses(&inside, body->items[i]);
	u->count += inside.count;
}

/* Host code has it from Python that a generator is used up; the name stands once where it gets it,
 * and once where it is used. */
static bool is_used_once(const FrontLower *low, const Ast *target)
{
	const FrontFunction *f = low->frame->function;
	if (!f || target->kind != AST_NAME)
		return true;
	Uses u = {.name = target->name.id, .each = 1};
	for (uint32_t i = 0; i < f->ast->body.len; i++)
		count_uses(&u, f->ast->body.items[i]);
	return u.count <= 2;
}

/* Generators are evaluated where they stand. Behind a name that would show: they would be gone
 * through twice, and not see what their names mean by then. */
bool refuse_named_generator(FrontLower *low, const Ast *target, const Ast *value)
{
	if (!eval_is_lazy(value) || (low->frame->host && is_used_once(low, target)) ||
	    (value->kind == AST_CALL && eval(low, value->call.func)->kind != VAL_PYTHON))
		return false;
	Span old = lower_at(low, value->span);
	bool is_expression = value->kind == AST_GENERATOR;
	lower_error(low, DIAG_UNSUPPORTED, is_expression ? "a generator that a name holds"
							 : "map() or filter() that a name holds");
	lower_note(low, "a list, [...] or list(...), has its items at once; a generator stands where it is "
			"used up: sum(... for ...)");
	lower_restore(low, old);
	return true;
}

static void assign(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ASSIGN);
	const AstList *targets = &node->assign.targets;
	const Ast *first = targets->items[0];
	/* The subject of a `match` stays what it is: a constant decides when compiling. */
	bool is_subject = first->kind == AST_NAME && strncmp(first->name.id, "%match", 6) == 0;
	if (is_subject)
		lower_extension(low, "`match`");
	bool unpacks = targets->len == 1 && (first->kind == AST_TUPLE || first->kind == AST_LIST);
	const Val *v = low->poison;
	if (is_subject)
		v = eval(low, node->assign.value);
	else if (unpacks || !refuse_named_generator(low, first, node->assign.value))
		v = eval_for(low, first, node->assign.value);
	for (uint32_t i = 0; i < targets->len; i++)
		assign_target(low, targets->items[i], v);
}

/* A value that is declared constexpr, with what is known of it as it was before it ran. */
static const Val *known_items(FrontLower *low, const Val *v)
{
	if (v->kind == VAL_TENSOR && v->origin)
		return v->origin;
	return v->kind == VAL_TUPLE ? val_of_items(low, v, known_items) : v;
}

static void assign_annotated(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ANN_ASSIGN);
	Ast *target = node->ann_assign.target;
	bool is_constexpr = is_constexpr_annotation(low->frame->ns, node->ann_assign.annotation);
	if (!node->ann_assign.value) {
		if (target->kind == AST_NAME && is_constexpr)
			vec_push(low->arena, &low->frame->constexprs, target->name.id);
		return;
	}
	if (!is_constexpr) {
		assign_target(low, target, eval_for(low, target, node->ann_assign.value));
		return;
	}
	const Val *v = eval(low, node->ann_assign.value);
	if (target->kind == AST_NAME) {
		uint64_t index;
		const Slot *slot = map_get(&low->frame->slot_of, map_key(target->name.id), &index)
					   ? &low->frame->slots.data[index] : NULL;
		/* The same statement again is a turn of an unrolled loop. */
		if (slot && slot->val && slot->val->kind != VAL_POISON &&
		    slot->at.start != target->span.start) {
			Span old = lower_at(low, target->span);
			lower_error(low, DIAG_CONSTEXPR_AGAIN, target->name.id);
			lower_restore(low, old);
			return;
		}
	}
	assign_target(low, target, known_items(low, v));
}

static void assign_augmented(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_AUG_ASSIGN);
	Ast *target = node->aug_assign.target;
	Sym old = low->frame->prefix;
	low->frame->prefix = target->kind == AST_NAME ? target->name.id : NULL;
	lower_at(low, low->span);
	const Val *base = NULL, *index = NULL; /* evaluated once */
	if (target->kind == AST_SUBSCRIPT) {
		base = eval(low, target->subscript.value);
		index = eval(low, target->subscript.index);
	}
	const Val *l = base ? eval_subscript(low, base, index) : eval(low, target);
	const Val *r = eval(low, node->aug_assign.value);
	lower_at(low, node->span);
	const Val *v = sanitize(low, eval_binary(low, node->aug_assign.op, l, r));
	low->frame->prefix = old;
	lower_at(low, node->span);
	if (base && v->kind != VAL_POISON)
		assign_element(low, target, base, index, v);
	else
		assign_target(low, target, v);
}

void lower_assignment(FrontLower *low, Ast *node)
{
	if (node->kind == AST_ASSIGN)
		assign(low, node);
	else if (node->kind == AST_ANN_ASSIGN)
		assign_annotated(low, node);
	else
		assign_augmented(low, node);
}
