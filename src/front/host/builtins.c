/* Functions and types of Python itself that kernels and the host code around them use, one row each in
 * python.def. Here: the table, and those on objects; numbers and sequences have files of their own. */
#include "front/demote.h"
#include "front/host/host.h"

static const PyBuiltin table[] = {
#define PY(owner, name, fn, type, min, max) {name, fn, owner, type, min, max},
#include "front/host/python.def"
#undef PY
};

const PyBuiltin *python_find(const char *owner, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		bool same = owner ? table[i].owner && strcmp(table[i].owner, owner) == 0 : !table[i].owner;
		if (same && strcmp(table[i].name, name) == 0)
			return &table[i];
	}
	return NULL;
}

/* The functions that hand numbers on, or ask for them themselves where they want their value. */
static bool takes_demoted(const char *name)
{
	static const char *const names[] = {"range", "isinstance", "min", "max", "tuple", "list",
					    "zip", "%field"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const Val *python_call(FrontLower *low, const PyBuiltin *fn, const Val *self, const CallArgs *args)
{
	bool as_it_is = !fn->owner && takes_demoted(fn->name);
	const char *why = "Python computes with it when compiling";
	for (uint32_t i = 0; i < args->arg_count && !as_it_is; i++)
		args->args[i] = val_known_for(args->args[i], why);
	for (uint32_t i = 0; i < args->keyword_count && !as_it_is; i++)
		args->values[i] = val_known_for(args->values[i], why);
	self = self ? val_known_for(self, why) : self;
	for (uint32_t i = 0; i < args->arg_count; i++)
		if (args->args[i]->kind == VAL_OPAQUE)
			return low->frame->host ? args->args[i] : lower_error(low, DIAG_VALUE_OPAQUE, args->args[i]->opaque.why);
	if (args->arg_count < fn->min || (fn->max != 255 && args->arg_count > fn->max))
		return lower_error(low, DIAG_ARGUMENT_COUNT, fn->name, args->arg_count < fn->min ? fn->min : fn->max,
				   args->arg_count);
	return fn->fn(low, self, args);
}

/* ---- helpers ---- */

const Val *host_keyword(const CallArgs *args, const char *name)
{
	for (uint32_t i = 0; i < args->keyword_count; i++)
		if (strcmp(args->names[i], name) == 0)
			return args->values[i];
	return NULL;
}

/* The host value of an argument; NULL after diagnosing a run-time one. */
const Val *host_known(FrontLower *low, const Val *v, const char *what)
{
	const Val *h = val_host(v);
	if (!h) {
		lower_error(low, DIAG_NOT_CONSTEXPR, arena_printf(low->arena, "the argument of %s()", what),
			    val_describe(low, v));
		hint_not_known(low, what, v);
	}
	return h;
}

const Val *host_bad_argument(FrontLower *low, const char *what, const Val *v)
{
	lower_error(low, DIAG_PYTHON_ARGUMENT, what, val_describe(low, v));
	if (v->kind == VAL_TENSOR && v->tensor.type->kind == TL_PTR)
		lower_note(low, "a pointer does not know its array's sizes: they are arguments of their own");
	return low->poison;
}

/* ---- objects ---- */

const Val *host_py_str(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_str(low, STR(""));
	const Val *v = host_known(low, args->args[0], "str");
	return v ? val_str(low, str_of(val_str_text(low, v))) : low->poison;
}

const Val *host_py_repr(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = host_known(low, args->args[0], "repr");
	return v ? val_str(low, str_of(val_repr(low, v))) : low->poison;
}

const Val *host_py_type(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind == VAL_OBJECT)
		return val_class(low, v->object.klass);
	const Val *type = resolve_python(low, lower_sym(low, str_of(val_type_name(v))));
	return type ? type : val_opaque(low, "it is the type of %s", val_describe(low, v));
}

const Val *host_py_isinstance(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	int is = host_is_instance(low, args->args[0], args->args[1]);
	return is < 0 ? low->poison : val_bool(low, is);
}

static const Val *attribute_arg(FrontLower *low, const CallArgs *args, const char *what, bool *ok)
{
	*ok = args->args[1]->kind == VAL_STR;
	if (!*ok)
		return host_bad_argument(low, what, args->args[1]);
	const Val *v = eval_attribute(low, args->args[0], lower_sym(low, args->args[1]->s), low->span);
	return v && v->kind == VAL_OPAQUE && args->args[0]->kind == VAL_MODULE && args->args[0]->module.builtin_path &&
		       !low->frame->host
		       ? NULL : v;
}

const Val *host_py_getattr(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	bool ok;
	const Val *v = attribute_arg(low, args, "getattr", &ok);
	if (v)
		return v;
	if (args->arg_count > 2)
		return args->args[2];
	return lower_error(low, DIAG_ATTRIBUTE, val_describe(low, args->args[0]),
			   arena_strndup(low->arena, args->args[1]->s.ptr, args->args[1]->s.len));
}

const Val *host_py_hasattr(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	bool ok;
	const Val *v = attribute_arg(low, args, "hasattr", &ok);
	if (v && v->kind == VAL_OPAQUE)
		return v;
	return ok ? val_bool(low, v != NULL) : v;
}

/* The name of a class's attribute by its position in a pattern; NULL: it has none there. *count:
 * how many it has. */
static Sym pattern_attribute(FrontLower *low, FrontClass *c, uint32_t position, uint32_t *count)
{
	const Val *named = resolve_class_attribute(low, c, lower_sym(low, STR("__match_args__")));
	if (named && named->kind == VAL_TUPLE) {
		const Val *name = position < named->seq.len ? val_host(named->seq.items[position]) : NULL;
		*count = named->seq.len;
		return name && name->kind == VAL_STR ? lower_sym(low, name->s) : NULL;
	}
	*count = c->kind == CLASS_RECORD || c->kind == CLASS_TUPLE ? c->field_count : 0;
	return position < *count ? c->fields[position].name : NULL;
}

/* Of a pattern `Class(first, second)`: the value, the class, a position. */
const Val *host_pattern_field(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0], *class = args->args[1];
	int64_t position;
	if (v->kind == VAL_POISON || class->kind == VAL_POISON)
		return low->poison;
	if (class->kind != VAL_CLASS || !val_as_int(args->args[2], &position))
		return host_bad_argument(low, "a pattern", class);
	uint32_t count;
	Sym name = pattern_attribute(low, class->klass, (uint32_t)position, &count);
	if (!name)
		return lower_error(low, DIAG_PATTERN_COUNT, class->klass->name, count);
	const Val *found = eval_attribute(low, v, name, low->span);
	return found ? found : lower_error(low, DIAG_ATTRIBUTE, val_describe(low, v), name);
}

const Val *host_py_callable(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValKind k = args->args[0]->kind;
	return val_bool(low, k == VAL_FUNCTION || k == VAL_BUILTIN || k == VAL_METHOD || k == VAL_PYTHON ||
				     k == VAL_CLASS);
}

const Val *host_py_id(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return args->arg_count ? args->args[0] : low->none;
}

/* A text, then numbers and tiles: tl.device_print. */
static bool is_device_print(const CallArgs *args)
{
	if (!args->arg_count || args->args[0]->kind != VAL_STR)
		return false;
	for (uint32_t i = 1; i < args->arg_count; i++)
		if (args->args[i]->kind != VAL_TENSOR && !val_is_host_number(args->args[i]))
			return false;
	return true;
}

/* print() of a program: tl.device_print, as in Triton. Beyond Triton, other constants become the
 * text before the values that follow them. */
static const Val *print_at_run(FrontLower *low, const CallArgs *args)
{
	if (args->keyword_count || is_device_print(args))
		return sem_call_with(low, "device_print", args);
	if (!lower_extension(low, "print of anything but a text, and then numbers and tiles"))
		return low->poison;
	for (uint32_t i = 0; i < args->arg_count;) {
		Text prefix;
		ValVec parts = {0};
		text_init(&prefix, low->arena);
		text_str(&prefix, "");
		for (; i < args->arg_count && args->args[i]->kind != VAL_TENSOR; i++)
			text_printf(&prefix, "%s%s", prefix.len ? " " : "", val_str_text(low, args->args[i]));
		vec_push(low->arena, &parts, val_str(low, (Str){prefix.data, prefix.len}));
		for (; i < args->arg_count && args->args[i]->kind == VAL_TENSOR; i++)
			vec_push(low->arena, &parts, args->args[i]);
		const Val *done = sem_call(low, "device_print", parts.data, parts.len);
		if (done->kind == VAL_POISON)
			return done;
	}
	return low->none;
}

static void print_named(FrontLower *low, const char *prefix, const Val *v)
{
	const Val *parts[] = {val_str(low, str_of(prefix)), v};
	sem_call(low, "device_print", parts, v ? 2 : 1);
}

/* Prints every variable that holds a tile or scalar of the program, between two lines that hosts recognise. */
const Val *host_py_breakpoint(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	(void)args;
	const Frame *frame = low->frame;
	const Source *source = source_get(&low->session->sources, low->span.file);
	if (frame->host || !source)
		return low->none;
	print_named(low, arena_printf(low->arena, "breakpoint %s:%u", source->path,
				      source_line_col(source, low->span.start).line), NULL);
	for (uint32_t i = 0; i < frame->names.len; i++) {
		const Val *v = frame->slots.data[i].val;
		if (v && v->kind == VAL_TENSOR && v->tensor.type->kind != TL_DESC &&
		    !(v->tensor.type->kind == TL_PTR && v->tensor.type->elem->kind == TL_BLOCK))
			print_named(low, frame->names.data[i], v);
	}
	print_named(low, "breakpoint end", NULL);
	return low->none;
}

const Val *host_py_print(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!low->frame->host)
		return print_at_run(low, args);
	Text t;
	text_init(&t, low->arena);
	for (uint32_t i = 0; i < args->arg_count; i++)
		text_printf(&t, "%s%s", i ? " " : "", val_str_text(low, args->args[i]));
	text_char(&t, '\n');
	lower_print(low, (Str){t.data, t.len});
	return low->none;
}

const Val *host_py_object(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	(void)args;
	return val_opaque(low, "it is a plain object");
}
