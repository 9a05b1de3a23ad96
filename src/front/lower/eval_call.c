/* Calls: evaluating arguments, binding them to parameters, and what a call of each kind of value does. */
#include "front/builtin/builtin.h"
#include "front/core.h"
#include "front/reads.h"

/* ---- arguments ---- */

typedef struct Collected {
	ValVec args, values;
	SymVec names;
	TemplateVec templates;
	bool failed;
} Collected;

static void collect_double_star(FrontLower *low, Collected *c, const Val *v)
{
	if (v->kind != VAL_DICT) {
		c->failed = true;
		if (v->kind != VAL_POISON)
			lower_error(low, DIAG_NOT_MAPPING, val_describe(low, v));
		return;
	}
	for (uint32_t i = 0; i < v->dict.len; i++) {
		const Val *key = v->dict.keys[i];
		if (key->kind != VAL_STR) {
			lower_error(low, DIAG_NOT_MAPPING, "a dict whose keys are not all names");
			c->failed = true;
			return;
		}
		vec_push(low->arena, &c->names, lower_sym(low, key->s));
		vec_push(low->arena, &c->values, v->dict.values[i]);
	}
}

/* Does it take all items of its argument at once? */
static bool takes_all(const Val *callee)
{
	static const char *const names[] = {"list", "tuple", "set", "dict", "sum", "min", "max", "sorted"};
	for (uint32_t i = 0; callee->kind == VAL_PYTHON && !callee->python->owner && i < ARRAY_LEN(names); i++)
		if (strcmp(callee->python->name, names[i]) == 0)
			return true;
	return false;
}

static bool is_print(const Val *callee)
{
	if (callee->kind == VAL_PYTHON)
		return !callee->python->owner && strcmp(callee->python->name, "print") == 0;
	return callee->kind == VAL_BUILTIN && strcmp(callee->builtin->name, "device_print") == 0;
}

static bool is_assert(const Val *callee)
{
	return callee->kind == VAL_BUILTIN && strcmp(callee->builtin->name, "device_assert") == 0;
}

static const Val *eval_template(FrontLower *low, Collected *c, const Ast *arg)
{
	Template t;
	if (!template_read(low, arg, &t))
		return low->poison;
	if (t.runs)
		vec_push(low->arena, &c->templates, t);
	return t.shown;
}

static const Val *eval_argument(FrontLower *low, const Val *callee, Ast *arg, Collected *c)
{
	if (arg->kind == AST_JOINED_STR && !low->frame->host && (is_print(callee) || is_assert(callee)))
		return eval_template(low, c, arg);
	if (!eval_is_lazy(arg) || !takes_all(callee))
		return eval(low, arg);
	return arg->kind == AST_GENERATOR ? eval_comprehension(low, arg) : eval_call(low, arg);
}

static Collected collect_arguments(FrontLower *low, const Val *callee, const Ast *node)
{
	Collected c = {0};
	for (uint32_t i = 0; i < node->call.args.len; i++) {
		Ast *arg = node->call.args.items[i];
		bool star = arg->kind == AST_STARRED;
		const Val *v = star ? eval(low, arg->wrap.value) : eval_argument(low, callee, arg, &c);
		c.failed = c.failed || v->kind == VAL_POISON;
		Span old = lower_at(low, arg->span);
		if (!star)
			vec_push(low->arena, &c.args, v);
		else if (v->kind != VAL_POISON && !eval_items(low, v, &c.args))
			c.failed = true;
		lower_restore(low, old);
	}
	for (uint32_t i = 0; i < node->call.keyword_count; i++) {
		const AstKeyword *k = &node->call.keywords[i];
		const Val *v = eval_argument(low, callee, k->value, &c);
		if (!k->name) {
			Span old = lower_at(low, k->value->span);
			collect_double_star(low, &c, v);
			lower_restore(low, old);
			continue;
		}
		c.failed = c.failed || v->kind == VAL_POISON;
		vec_push(low->arena, &c.names, k->name);
		vec_push(low->arena, &c.values, v);
	}
	return c;
}

/* super().__init__(...): the base's method, bound to the first parameter of this one. */
static const Val *eval_super(FrontLower *low)
{
	const FrontFunction *f = low->frame->function;
	if (!f || !f->klass || !f->klass->base || !f->ast->param_count)
		return lower_error(low, DIAG_UNSUPPORTED, "super() here");
	const Val *self = frame_get(low->frame, f->ast->params[0].name);
	if (!self || self->kind != VAL_OBJECT)
		return lower_error(low, DIAG_UNSUPPORTED, "super() here");
	Val *v = arena_copy(low->arena, self, sizeof *self);
	v->object.klass = f->klass->base;
	return v;
}

static bool is_plain_name(const Ast *func, const char *name)
{
	return func->kind == AST_NAME && strcmp(func->name.id, name) == 0;
}

/* Generators given to any(), all(), sum(), ... are plain lists here: see eval_comprehension. */
const Val *eval_call(FrontLower *low, Ast *node)
{
	if (is_plain_name(node->call.func, "super") && !node->call.args.len)
		return eval_super(low);
	if (is_plain_name(node->call.func, "locals"))
		return lower_error(low, DIAG_UNSUPPORTED, "locals()");
	const Val *callee = eval(low, node->call.func);
	Collected c = collect_arguments(low, callee, node);
	if (c.failed || callee->kind == VAL_POISON)
		return low->poison;
	CallArgs args = {c.args.data, c.args.len, c.names.data, c.values.data, c.values.len};
	if (c.templates.len && is_print(callee))
		return template_print(low, &args, &c.templates);
	if (c.templates.len && args.arg_count && !template_assert(low, args.args[0], &c.templates.data[0]))
		return low->poison;
	return lower_call(low, callee, &args);
}

/* ---- binding ---- */

static int param_index(const AstFunction *ast, Sym name)
{
	for (uint32_t i = 0; i < ast->param_count; i++)
		if (ast->params[i].name == name && ast->params[i].kind != PARAM_STAR &&
		    ast->params[i].kind != PARAM_STAR_STAR && ast->params[i].kind != PARAM_POS_ONLY)
			return (int)i;
	return -1;
}

static bool unknown_keyword(FrontLower *low, const AstFunction *ast, Sym name)
{
	VEC(const char *) names = {0};
	for (uint32_t i = 0; i < ast->param_count; i++)
		vec_push(low->arena, &names, ast->params[i].name);
	const char *near = names.len ? str_nearest(str_of(name), names.data, names.len) : NULL;
	const char *fn = ast->name ? ast->name : "<lambda>";
	if (near)
		lower_error(low, DIAG_ARGUMENT_UNKNOWN_NEAR, fn, name, near);
	else
		lower_error(low, DIAG_ARGUMENT_UNKNOWN, fn, name);
	hint_foreign(low, name);
	return false;
}

static bool bind_positional(FrontLower *low, const AstFunction *ast, const CallArgs *args, const Val **values)
{
	uint32_t used = 0, plain = 0;
	for (uint32_t i = 0; i < ast->param_count; i++) {
		const AstParam *p = &ast->params[i];
		if (p->kind == PARAM_PLAIN || p->kind == PARAM_POS_ONLY) {
			plain++;
			if (used < args->arg_count)
				values[i] = args->args[used++];
		} else if (p->kind == PARAM_STAR) {
			values[i] = val_tuple(low, args->args + used, args->arg_count - used);
			used = args->arg_count;
		}
	}
	if (used == args->arg_count)
		return true;
	lower_error(low, DIAG_ARGUMENT_COUNT, ast->name ? ast->name : "<lambda>", plain, args->arg_count);
	return false;
}

static bool bind_keywords(FrontLower *low, const AstFunction *ast, const CallArgs *args, const Val **values)
{
	ValVec keys = {0}, rest = {0};
	int star = -1;
	for (uint32_t i = 0; i < ast->param_count; i++)
		if (ast->params[i].kind == PARAM_STAR_STAR)
			star = (int)i;
	for (uint32_t k = 0; k < args->keyword_count; k++) {
		int i = param_index(ast, args->names[k]);
		if (i < 0 && star < 0)
			return unknown_keyword(low, ast, args->names[k]);
		if (i < 0) {
			vec_push(low->arena, &keys, val_str(low, str_of(args->names[k])));
			vec_push(low->arena, &rest, args->values[k]);
			continue;
		}
		if (values[i]) {
			lower_error(low, DIAG_ARGUMENT_TWICE, ast->name ? ast->name : "<lambda>", args->names[k]);
			return false;
		}
		values[i] = args->values[k];
	}
	if (star >= 0)
		values[star] = val_dict(low, keys.data, rest.data, keys.len);
	return true;
}

/* Beyond Triton in functions that kernels call. */
static bool may_take_any(FrontLower *low, const FrontFunction *f)
{
	for (uint32_t i = 0; f->kind == FN_JIT && i < f->ast->param_count; i++)
		if (f->ast->params[i].kind == PARAM_STAR_STAR)
			return lower_extension_words(low, "JIT functions do not support **kwargs");
	return true;
}

bool bind_arguments(FrontLower *low, FrontFunction *f, const CallArgs *args, const Val **values)
{
	const AstFunction *ast = f->ast;
	if (!may_take_any(low, f))
		return false;
	if (!module_in_lib(f->module))
		lower_enter(low, f);
	if (!bind_positional(low, ast, args, values) || !bind_keywords(low, ast, args, values))
		return false;
	Text missing;
	text_init(&missing, low->arena);
	for (uint32_t i = 0; i < ast->param_count; i++) {
		if (values[i])
			continue;
		if (ast->params[i].value) {
			values[i] = param_default(low, f, i);
			if (f->env)
				values[i] = eval_captured(low, f->env, ast->params[i].name, values[i]);
			if (values[i]->kind == VAL_POISON)
				return false;
		} else {
			text_printf(&missing, "%s'%s'", missing.len ? ", " : "", ast->params[i].name);
		}
	}
	if (missing.len) {
		lower_error(low, DIAG_ARGUMENT_MISSING, ast->name ? ast->name : "<lambda>", missing.data);
		return false;
	}
	return true;
}

/* ---- calling ---- */

static const Val *call_method(FrontLower *low, const Val *method, const CallArgs *args)
{
	CONTRACT(method->kind == VAL_METHOD);
	const Val *callee = method->method.callee, *self = method->method.self;
	if (callee->kind == VAL_BUILTIN)
		return builtin_call(low, callee->builtin, self, args);
	if (callee->kind == VAL_PYTHON)
		return python_call(low, callee->python, self, args);
	CallArgs with = *args;
	with.arg_count = args->arg_count + 1;
	with.args = ARENA_ARRAY(low->arena, const Val *, with.arg_count);
	with.args[0] = self;
	if (args->arg_count)
		memcpy(with.args + 1, args->args, args->arg_count * sizeof *args->args);
	return lower_call(low, callee, &with);
}

static const Val *call_function(FrontLower *low, const Val *callee, const CallArgs *args)
{
	CONTRACT(callee->kind == VAL_FUNCTION);
	FrontFunction *f = callee->function;
	function_decorate(f);
	bool lambda_on_tensors = f->ast->is_lambda && !low->frame->host;
	/* Host code that calls tl.cdiv(7, 2) wants the number. */
	bool on_numbers = low->frame->host;
	for (uint32_t i = 0; i < args->arg_count; i++)
		on_numbers = on_numbers && !val_has_tensor(args->args[i]);
	if ((f->kind == FN_JIT && !on_numbers) || lambda_on_tensors)
		return instance_call(low, f, args);
	return host_call(low, callee, f, args);
}

const Val *lower_call(FrontLower *low, const Val *callee, const CallArgs *args)
{
	if (!lower_step(low))
		return low->poison;
	for (uint32_t i = 0; i < args->arg_count; i++)
		if (args->args[i]->kind == VAL_POISON)
			return low->poison;
	for (uint32_t i = 0; i < args->keyword_count; i++)
		if (args->values[i]->kind == VAL_POISON)
			return low->poison;
	switch (callee->kind) {
	case VAL_POISON:
		return callee;
	case VAL_FUNCTION:
		return call_function(low, callee, args);
	case VAL_BUILTIN:
		return builtin_call(low, callee->builtin, NULL, args);
	case VAL_METHOD:
		return call_method(low, callee, args);
	case VAL_PYTHON:
		return python_call(low, callee->python, NULL, args);
	case VAL_CLASS:
		return class_call(low, callee->klass, args);
	case VAL_OBJECT: {
		const Val *call = resolve_class_member(low, callee->object.klass, lower_sym(low, STR("__call__")), NULL);
		if (call)
			return lower_call(low, val_method(low, call, callee), args);
		break;
	}
	case VAL_DTYPE:
		/* tl.float32(x): a scalar or tile of that type. */
		if (args->arg_count == 1 && !args->keyword_count && callee->type->kind == TL_SCALAR) {
			const Val *v = sem_to_tensor(low, args->args[0]);
			return v->kind == VAL_POISON ? v : sem_cast(low, v, callee->type);
		}
		break;
	case VAL_OPAQUE:
		return low->frame->host ? callee : lower_error(low, DIAG_VALUE_OPAQUE, callee->opaque.why);
	default:
		break;
	}
	lower_error(low, DIAG_NOT_CALLABLE, val_describe(low, callee));
	hint_not_callable(low, callee);
	return low->poison;
}
