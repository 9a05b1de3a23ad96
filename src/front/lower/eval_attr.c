/* Attributes of values: of modules, classes and objects, of what Python and the semantics give the rest. */
#include "front/core.h"

static const Val *object_attribute(FrontLower *low, const Val *v, Sym name)
{
	CONTRACT(v->kind == VAL_OBJECT);
	FrontClass *c = v->object.klass;
	for (uint32_t i = 0; i < c->field_count; i++)
		if (c->fields[i].name == name && v->object.fields[i])
			return v->object.fields[i];
	const Val *member = resolve_class_member(low, c, name, NULL);
	if (!member || member->kind != VAL_FUNCTION)
		return member;
	if (member->function->is_static)
		return member;
	if (member->function->is_class_method)
		return val_method(low, member, val_class(low, c));
	const Val *method = val_method(low, member, v);
	return member->function->is_property ? lower_call(low, method, &(CallArgs){0}) : method;
}

static const Val *python_attribute(FrontLower *low, const Val *v, Sym name)
{
	const PyBuiltin *p = python_find(val_type_name(v), name);
	if (!p)
		return NULL;
	Val *method = val_new(low, VAL_PYTHON);
	method->python = p;
	return val_method(low, method, v);
}

static const Val *tuple_attribute(FrontLower *low, const Val *v, Sym name)
{
	for (uint32_t i = 0; v->seq.fields && i < v->seq.len; i++)
		if (v->seq.fields[i] == name)
			return v->seq.items[i];
	if (v->seq.klass) {
		const Val *member = resolve_class_member(low, v->seq.klass, name, NULL);
		if (member && member->kind == VAL_FUNCTION && member->function->is_property)
			return lower_call(low, val_method(low, member, v), &(CallArgs){0});
		if (member)
			return member->kind == VAL_FUNCTION && !member->function->is_static ? val_method(low, member, v)
											   : member;
	}
	const PyBuiltin *p = python_find(v->kind == VAL_TUPLE ? "tuple" : "list", name);
	if (!p)
		return NULL;
	Val *method = val_new(low, VAL_PYTHON);
	method->python = p;
	return val_method(low, method, v);
}

/* .type of what is known now: of a value its constexpr_type, of a tuple those of its parts; NULL
 * where there is none. */
static const Val *type_attribute(FrontLower *low, const Val *v)
{
	bool typed = v->kind == VAL_NONE || v->kind == VAL_FUNCTION || v->kind == VAL_STR || val_is_number(v);
	if (v->kind != VAL_TUPLE)
		return typed ? val_const_type(low, v) : NULL;
	const Val **types = ARENA_ARRAY(low->arena, const Val *, v->seq.len);
	for (uint32_t i = 0; i < v->seq.len; i++)
		if (!(types[i] = eval_attribute(low, v->seq.items[i], "type", (Span){0})))
			return NULL;
	return val_tuple(low, types, v->seq.len);
}

/* constexpr's own attribute: what a value known now wraps is itself. */
static bool is_value_attribute(const Val *v, Sym name)
{
	return strcmp(name, "value") == 0 && v->kind != VAL_OBJECT && v->kind != VAL_MODULE && v->kind != VAL_CLASS &&
	       v->kind != VAL_DICT;
}

const Val *eval_attribute(FrontLower *low, const Val *v, Sym name, Span span)
{
	(void)span;
	const Val *found = NULL;
	switch (v->kind) {
	case VAL_POISON:
		return v;
	case VAL_TENSOR:
		found = sem_attribute(low, v, name);
		if (!found && v->origin && is_value_attribute(v, name))
			found = v->origin;
		return found;
	case VAL_DTYPE:
		found = sem_attribute(low, v, name);
		break;
	case VAL_CONST_TYPE:
		return strcmp(name, "value") == 0 ? v->typed : NULL;
	case VAL_MODULE:
		return resolve_module_attribute(low, v, name);
	case VAL_CLASS:
		return resolve_class_attribute(low, v->klass, name);
	case VAL_OBJECT:
		return object_attribute(low, v, name);
	case VAL_TUPLE:
	case VAL_LIST:
		found = tuple_attribute(low, v, name);
		break;
	case VAL_FUNCTION:
		if (strcmp(name, "__name__") == 0)
			return val_str(low, str_of(v->function->ast->name ? v->function->ast->name : "<lambda>"));
		if (strcmp(name, "fn") == 0)
			return v;
		break;
	case VAL_OPAQUE:
		return val_opaque(low, "%s", v->opaque.why);
	default:
		found = python_attribute(low, v, name);
		break;
	}
	if (!found && strcmp(name, "type") == 0)
		return type_attribute(low, v);
	return found || !is_value_attribute(v, name) ? found : v;
}

static const Val *missing_attribute(FrontLower *low, const Val *v, Sym name)
{
	const char *near = NULL;
	if (v->kind == VAL_MODULE && v->module.builtin_path) {
		size_t count;
		const char *const *names = builtin_names(v->module.builtin_path, &count);
		near = names ? str_nearest(str_of(name), names, count) : NULL;
	} else if (v->kind == VAL_MODULE || v->kind == VAL_CLASS || v->kind == VAL_OBJECT) {
		const Namespace *ns = v->kind == VAL_MODULE ? &v->module.module->ns
				      : v->kind == VAL_CLASS ? &v->klass->ns : &v->object.klass->ns;
		VEC(const char *) names = {0};
		for (uint32_t i = 0; i < ns->order.len; i++)
			vec_push(low->arena, &names, ns->order.data[i]->name);
		for (uint32_t i = 0; v->kind == VAL_OBJECT && i < v->object.klass->field_count; i++)
			vec_push(low->arena, &names, v->object.klass->fields[i].name);
		near = names.len ? str_nearest(str_of(name), names.data, names.len) : NULL;
	}
	if (near) {
		lower_error(low, DIAG_ATTRIBUTE_NEAR, val_describe(low, v), name, near);
		if (v->kind == VAL_MODULE && v->module.builtin_path)
			hint_foreign(low, name);
		return low->poison;
	}
	lower_error(low, DIAG_ATTRIBUTE, val_describe(low, v), name);
	if (v->kind == VAL_TENSOR || (v->kind == VAL_MODULE && v->module.builtin_path))
		hint_foreign(low, name);
	if (v->kind == VAL_TUPLE && (strcmp(name, "insert") == 0 || strcmp(name, "pop") == 0))
		lower_note(low, "a list in a kernel grows by append() and extend(); others are made anew: "
				"a = a[:-1]");
	return low->poison;
}

const Val *eval_attribute_node(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ATTRIBUTE);
	const Val *base = eval(low, node->attribute.value);
	if (base->kind == VAL_POISON)
		return base;
	const Val *v = eval_attribute(low, base, node->attribute.attr, node->attribute.attr_span);
	if (!v || (v->kind == VAL_OPAQUE && !low->frame->host)) {
		Span old = lower_at(low, node->attribute.attr_span);
		v = v ? lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why)
		      : missing_attribute(low, base, node->attribute.attr);
		lower_restore(low, old);
	}
	return v;
}
