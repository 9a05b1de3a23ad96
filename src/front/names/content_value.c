/* Values as text for keys: what is not the same does not read the same. Functions, classes and modules stand by name, with a number where
 * several have one name, and are looked at later. */
#include "front/builtin/builtin.h"
#include "front/names/content.h"

static const char *name_of(const Found *found)
{
	return found->function ? found->function->qualified
	     : found->klass ? (found->klass->qualified ? found->klass->qualified : found->klass->name) : found->module->name;
}

const char *content_reference(Content *c, const void *what, Found found)
{
	uint64_t at, count = 0;
	if (map_get(&c->seen, map_key(what), &at))
		return c->queue.data[at].name;
	Sym name = lower_sym(&c->low, str_of(name_of(&found)));
	map_get(&c->names, map_key(name), &count);
	map_put(&c->names, map_key(name), ++count);
	found.name = count == 1 ? name : arena_printf(c->arena, "%s (%u)", name, (unsigned)count);
	map_put(&c->seen, map_key(what), c->queue.len);
	vec_push(c->arena, &c->queue, found);
	return found.name;
}

static void items_text(Content *c, Text *out, const Val *const *items, uint32_t len, unsigned depth)
{
	text_char(out, '(');
	for (uint32_t i = 0; i < len; i++) {
		if (i)
			text_str(out, ", ");
		if (items[i])
			content_value(c, out, items[i], depth + 1);
		else
			text_char(out, '-');
	}
	text_char(out, ')');
}

static void class_text(Content *c, Text *out, FrontClass *klass)
{
	if (klass->ast && !module_in_lib(klass->module)) {
		text_printf(out, "class %s", content_reference(c, klass, (Found){.klass = klass}));
		return;
	}
	text_printf(out, "class neso:%s", klass->qualified ? klass->qualified : klass->name);
	for (uint32_t i = 0; i < klass->field_count; i++)
		text_printf(out, " %s", klass->fields[i].name);
}

static void function_text(Content *c, Text *out, FrontFunction *f)
{
	if (module_in_lib(f->module) && !f->env)
		text_printf(out, "function neso:%s", f->qualified);
	else
		text_printf(out, "function %s", content_reference(c, f->env ? (const void *)f : f->ast, (Found){.function = f}));
}

/* An object of the host's that is handed on: what will be asked of it cannot be seen here. */
static void module_text(Content *c, Text *out, const Val *v)
{
	CONTRACT(v->kind == VAL_MODULE);
	FrontModule *m = v->module.module;
	if (v->module.builtin_path)
		text_printf(out, "module %s", v->module.builtin_path);
	else if (m->kind == MODULE_FILE && !module_in_lib(m))
		text_printf(out, "module %s", content_reference(c, m, (Found){.module = m}));
	else
		text_printf(out, "module neso:%s", m->name);
	c->failed = c->failed || (!v->module.builtin_path && m->kind == MODULE_EXTERNAL);
}

static void range_text(Content *c, Text *out, const Val *v, unsigned depth)
{
	CONTRACT(v->kind == VAL_RANGE);
	const Val *parts[] = {v->range.start, v->range.stop, v->range.step, v->range.num_stages, v->range.loop_unroll_factor,
			      v->range.disallow_acc_multi_buffer, v->range.flatten, v->range.warp_specialize,
			      v->range.disable_licm};
	text_printf(out, "range %d", (int)v->range.range);
	items_text(c, out, parts, ARRAY_LEN(parts), depth);
}

static void type_text(Text *out, TlType t)
{
	text_printf(out, " %d.%d.%d.%u", (int)t->kind, (int)t->dtype, t->is_const, t->space);
	for (uint32_t i = 0; t->kind == TL_BLOCK && i < t->rank; i++)
		text_printf(out, " %lld", (long long)t->shape[i]);
	if (t->elem)
		type_text(out, t->elem);
}

static void sequence_text(Content *c, Text *out, const Val *v, unsigned depth)
{
	text_str(out, v->kind == VAL_LIST ? "list" : "");
	if (v->seq.klass)
		class_text(c, out, v->seq.klass);
	items_text(c, out, v->seq.items, v->seq.len, depth);
}

void content_value(Content *c, Text *out, const Val *v, unsigned depth)
{
	if (depth > 50) {
		c->failed = true;
		return;
	}
	switch (v->kind) {
	case VAL_NONE: case VAL_BOOL: case VAL_INT: case VAL_FLOAT: case VAL_STR: case VAL_ELLIPSIS:
		text_str(out, val_repr(&c->low, v));
		break;
	case VAL_TUPLE: case VAL_LIST:
		sequence_text(c, out, v, depth);
		break;
	case VAL_DICT:
		text_str(out, "dict");
		items_text(c, out, v->dict.keys, v->dict.len, depth);
		items_text(c, out, v->dict.values, v->dict.len, depth);
		break;
	case VAL_SLICE: {
		const Val *parts[] = {v->slice.lower, v->slice.upper, v->slice.step};
		text_str(out, "slice");
		items_text(c, out, parts, ARRAY_LEN(parts), depth);
		break;
	}
	case VAL_RANGE:
		range_text(c, out, v, depth);
		break;
	case VAL_DTYPE:
		text_str(out, tl_type_text(&c->low, v->type));
		if (v->type->kind != TL_SCALAR)
			type_text(out, v->type);
		break;
	case VAL_CONST_TYPE:
		text_str(out, "type of ");
		content_value(c, out, v->typed, depth + 1);
		break;
	case VAL_FUNCTION:
		function_text(c, out, v->function);
		break;
	case VAL_CLASS:
		class_text(c, out, v->klass);
		break;
	case VAL_OBJECT:
		class_text(c, out, v->object.klass);
		items_text(c, out, v->object.fields, v->object.klass->field_count, depth);
		break;
	case VAL_METHOD:
		content_value(c, out, v->method.callee, depth + 1);
		text_str(out, " of ");
		content_value(c, out, v->method.self, depth + 1);
		break;
	case VAL_BUILTIN:
		text_printf(out, "builtin %s %u %d", v->builtin->name, v->builtin->where, v->builtin->data);
		break;
	case VAL_PYTHON:
		text_printf(out, "python %s %s", v->python->owner ? v->python->owner : "-", v->python->name);
		break;
	case VAL_MODULE:
		module_text(c, out, v);
		break;
	case VAL_OPAQUE:
		text_str(out, "unknown");
		break;
	case VAL_TENSOR: case VAL_DEMOTED: case VAL_POISON:
		c->failed = true;
		break;
	}
}
