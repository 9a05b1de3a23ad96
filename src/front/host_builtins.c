/* Functions and types of Python itself that kernels and the host code around them use, one row each in
 * host_python.def. */
#include "front/core.h"
#include "front/bigint.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define PY(owner, name, fn, type, min, max) static PyFn fn;
#include "front/host_python.def"
#undef PY

static const PyBuiltin table[] = {
#define PY(owner, name, fn, type, min, max) {name, fn, owner, type, min, max},
#include "front/host_python.def"
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

const Val *python_call(Lower *low, const PyBuiltin *fn, const Val *self, const CallArgs *args)
{
	for (uint32_t i = 0; i < args->arg_count; i++)
		if (args->args[i]->kind == VAL_OPAQUE)
			return low->frame->host ? args->args[i] : lower_error(low, DIAG_VALUE_OPAQUE, args->args[i]->opaque.why);
	if (args->arg_count < fn->min || (fn->max != 255 && args->arg_count > fn->max))
		return lower_error(low, DIAG_ARGUMENT_COUNT, fn->name, args->arg_count < fn->min ? fn->min : fn->max,
				   args->arg_count);
	return fn->fn(low, self, args);
}

/* ---- helpers ---- */

static const Val *keyword(const CallArgs *args, const char *name)
{
	for (uint32_t i = 0; i < args->keyword_count; i++)
		if (strcmp(args->names[i], name) == 0)
			return args->values[i];
	return NULL;
}

/* The host value of an argument; NULL after diagnosing a run-time one. */
static const Val *known(Lower *low, const Val *v, const char *what)
{
	const Val *h = val_host(v);
	if (!h)
		lower_error(low, DIAG_NOT_CONSTEXPR, arena_printf(low->arena, "the argument of %s()", what),
			    val_describe(low, v));
	return h;
}

static const Val *bad_argument(Lower *low, const char *what, const Val *v)
{
	return lower_error(low, DIAG_PYTHON_ARGUMENT, what, val_describe(low, v));
}

static const Val *text_val(Lower *low, Text *t)
{
	return val_str(low, (Str){t->data ? t->data : "", t->len});
}

/* ---- numbers ---- */

static Str stripped(Str s)
{
	while (s.len && isspace((unsigned char)s.ptr[0]))
		s.ptr++, s.len--;
	while (s.len && isspace((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static const Val *py_float(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_float(low, 0);
	if (args->args[0]->kind == VAL_TENSOR && !args->args[0]->origin && !low->frame->host)
		return sem_cast(low, args->args[0], tl_scalar(low, DT_FP32));
	const Val *v = known(low, args->args[0], "float");
	double d;
	if (!v)
		return low->poison;
	if (val_as_double(v, &d))
		return val_float(low, d);
	if (v->kind != VAL_STR)
		return bad_argument(low, "float", v);
	Str s = stripped(v->s);
	char buffer[64];
	char *end;
	if (!s.len || s.len >= sizeof buffer)
		return bad_argument(low, "float", v);
	memcpy(buffer, s.ptr, s.len);
	buffer[s.len] = '\0';
	/* strtod also takes hexadecimal, which Python does not. */
	d = strtod(buffer, &end);
	return *end || strpbrk(buffer, "xX(") ? bad_argument(low, "float", v) : val_float(low, d);
}

static const Val *int_of_str(Lower *low, const Val *v, unsigned base)
{
	Str s = stripped(v->s);
	bool negative = s.len && s.ptr[0] == '-';
	if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		s.ptr++, s.len--;
	if (s.len > 2 && s.ptr[0] == '0' && strchr("xXoObB", s.ptr[1])) {
		unsigned prefix = strchr("xX", s.ptr[1]) ? 16 : strchr("oO", s.ptr[1]) ? 8 : 2;
		if (base == 0 || base == prefix) {
			base = prefix;
			s.ptr += 2, s.len -= 2;
		}
	}
	const BigInt *big = big_parse(low->arena, s, base ? base : 10);
	if (!big)
		return bad_argument(low, "int", v);
	return val_big(low, negative ? big_neg(low->arena, big) : big);
}

static const Val *py_int(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_int(low, 0);
	const Val *v = known(low, args->args[0], "int");
	int64_t base = 10;
	if (!v)
		return low->poison;
	if (args->arg_count > 1 && (!val_as_int(args->args[1], &base) || base < 0 || base > 36))
		return bad_argument(low, "int", args->args[1]);
	if (v->kind == VAL_INT)
		return v;
	if (v->kind == VAL_BOOL)
		return val_int(low, v->b);
	if (v->kind == VAL_STR)
		return int_of_str(low, v, (unsigned)base);
	if (v->kind == VAL_OBJECT && v->object.klass->kind == CLASS_ENUM)
		return v->object.fields[1];
	const BigInt *big = v->kind == VAL_FLOAT ? big_of_double(low->arena, v->f) : NULL;
	return big ? val_big(low, big) : bad_argument(low, "int", v);
}

static const Val *py_bool(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return low->false_;
	const Val *v = args->args[0];
	if (v->kind == VAL_TENSOR && !v->origin && !low->frame->host)
		return sem_cast(low, v, tl_scalar(low, DT_INT1));
	bool ok, truth = eval_truth(low, v, &ok);
	return ok ? val_bool(low, truth) : low->poison;
}

static const Val *py_abs(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind == VAL_TENSOR && !low->frame->host)
		return sem_call(low, "abs", &v, 1);
	if (!val_is_number(v))
		return bad_argument(low, "abs", v);
	if (v->kind == VAL_FLOAT)
		return val_float(low, fabs(v->f));
	const BigInt *big = val_to_big(low, v);
	return val_big(low, big->negative ? big_neg(low->arena, big) : big);
}

static const Val *py_round(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = known(low, args->args[0], "round");
	double d;
	int64_t digits = 0;
	if (!v || !val_as_double(v, &d))
		return v ? bad_argument(low, "round", v) : low->poison;
	if (v->kind != VAL_FLOAT)
		return v;
	if (args->arg_count < 2 || args->args[1]->kind == VAL_NONE) {
		const BigInt *big = big_of_double(low->arena, nearbyint(d));
		return big ? val_big(low, big) : bad_argument(low, "round", v);
	}
	if (!val_as_int(args->args[1], &digits) || digits < 0 || digits > 300)
		return bad_argument(low, "round", args->args[1]);
	return val_float(low, strtod(arena_printf(low->arena, "%.*f", (int)digits, d), NULL));
}

static const Val *py_pow(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return eval_binary(low, BIN_POW, args->args[0], args->args[1]);
}

static const Val *py_divmod(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *parts[] = {eval_binary(low, BIN_FLOORDIV, args->args[0], args->args[1]),
			      eval_binary(low, BIN_MOD, args->args[0], args->args[1])};
	return parts[0]->kind == VAL_POISON ? low->poison : val_tuple(low, parts, 2);
}

static const Val *in_base(Lower *low, const Val *v, const char *what, const char *prefix, unsigned base)
{
	if (v->kind != VAL_INT && v->kind != VAL_BOOL)
		return bad_argument(low, what, v);
	const char *text = val_int_text(low, v, base);
	bool negative = *text == '-';
	return val_str(low, str_of(arena_printf(low->arena, "%s%s%s", negative ? "-" : "", prefix, text + negative)));
}

static const Val *py_hex(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return in_base(low, args->args[0], "hex", "0x", 16);
}

static const Val *py_bin(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return in_base(low, args->args[0], "bin", "0b", 2);
}

static const Val *bit_length(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_int(low, big_bits(val_to_big(low, self)));
}

static const Val *is_integer(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_bool(low, self->f == floor(self->f));
}

/* ---- min, max, sum, any, all ---- */

/* Over host values by Python's order; over run-time ones by tl.minimum and tl.maximum. */
static const Val *extreme(Lower *low, const CallArgs *args, bool max)
{
	ValVec items = {0};
	const char *name = max ? "max" : "min";
	if (args->arg_count == 1 && args->args[0]->kind != VAL_TENSOR) {
		if (!eval_items(low, args->args[0], &items))
			return low->poison;
	} else if (args->arg_count == 1) {
		return sem_call(low, name, args->args, 1);
	} else {
		for (uint32_t i = 0; i < args->arg_count; i++)
			vec_push(low->arena, &items, args->args[i]);
	}
	const Val *best = items.len ? items.data[0] : keyword(args, "default"), *key = keyword(args, "key");
	if (!best)
		return bad_argument(low, name, args->args[0]);
	for (uint32_t i = 1; i < items.len; i++) {
		const Val *v = items.data[i], *a = best, *b = v;
		if (a->kind == VAL_TENSOR || b->kind == VAL_TENSOR) {
			const Val *pair[] = {a, b};
			best = sem_call(low, max ? "maximum" : "minimum", pair, 2);
			if (best->kind == VAL_POISON)
				return best;
			continue;
		}
		if (key && key->kind != VAL_NONE) {
			a = lower_call(low, key, &(CallArgs){.args = &best, .arg_count = 1});
			b = lower_call(low, key, &(CallArgs){.args = &v, .arg_count = 1});
		}
		bool ok;
		int order = host_order(b, a, &ok);
		if (!ok)
			return lower_error(low, DIAG_OPERAND_TYPES, "<", val_describe(low, b), val_describe(low, a));
		if (max ? order > 0 : order < 0)
			best = v;
	}
	return best;
}

static const Val *py_min(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return extreme(low, args, false);
}

static const Val *py_max(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return extreme(low, args, true);
}

static const Val *fold(Lower *low, const CallArgs *args, AstBinOp op, const Val *total)
{
	ValVec items = {0};
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++)
		total = eval_binary(low, op, total, items.data[i]);
	return total;
}

static const Val *py_sum(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *start = args->arg_count > 1 ? args->args[1] : keyword(args, "start");
	return fold(low, args, BIN_ADD, start ? start : val_int(low, 0));
}

static const Val *math_prod(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return fold(low, args, BIN_MUL, val_int(low, 1));
}

static const Val *quantify(Lower *low, const CallArgs *args, bool any)
{
	ValVec items = {0};
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++) {
		bool ok, truth = eval_truth(low, items.data[i], &ok);
		if (!ok)
			return low->poison;
		if (truth == any)
			return val_bool(low, any);
	}
	return val_bool(low, !any);
}

static const Val *py_any(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return quantify(low, args, true);
}

static const Val *py_all(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return quantify(low, args, false);
}

/* ---- sequences ---- */

static const Val *py_len(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	ValVec items = {0};
	if (v->kind == VAL_TENSOR && v->tensor.type->kind == TL_BLOCK)
		return val_int(low, v->tensor.type->shape[0]);
	if (v->kind == VAL_STR || val_is_seq(v) || v->kind == VAL_DICT || v->kind == VAL_RANGE || v->kind == VAL_CLASS)
		return eval_items(low, v, &items) ? val_int(low, items.len) : low->poison;
	if (v->kind == VAL_OBJECT) {
		const Val *method = resolve_class_member(low, v->object.klass, lower_sym(low, STR("__len__")), NULL);
		if (method)
			return lower_call(low, val_method(low, method, v), &(CallArgs){0});
	}
	return bad_argument(low, "len", v);
}

static const Val *sequence(Lower *low, const CallArgs *args, ValKind kind)
{
	ValVec items = {0};
	if (args->arg_count && !eval_items(low, args->args[0], &items))
		return low->poison;
	return kind == VAL_TUPLE ? val_tuple(low, items.data, items.len) : val_list(low, items.data, items.len);
}

static const Val *py_tuple(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return sequence(low, args, VAL_TUPLE);
}

static const Val *py_list(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return sequence(low, args, low->frame->host ? VAL_LIST : VAL_TUPLE);
}

static const Val *py_set(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *all = sequence(low, args, VAL_LIST);
	if (all->kind == VAL_POISON)
		return all;
	const Val *d = val_dict(low, all->seq.items, all->seq.items, all->seq.len);
	return val_list(low, d->dict.keys, d->dict.len);
}

static const Val *py_dict(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec keys = {0}, values = {0}, items = {0};
	if (args->arg_count && args->args[0]->kind == VAL_DICT) {
		for (uint32_t i = 0; i < args->args[0]->dict.len; i++) {
			vec_push(low->arena, &keys, args->args[0]->dict.keys[i]);
			vec_push(low->arena, &values, args->args[0]->dict.values[i]);
		}
	} else if (args->arg_count) {
		if (!eval_items(low, args->args[0], &items))
			return low->poison;
		for (uint32_t i = 0; i < items.len; i++) {
			const Val *pair = items.data[i];
			if (!val_is_seq(pair) || pair->seq.len != 2)
				return bad_argument(low, "dict", pair);
			vec_push(low->arena, &keys, pair->seq.items[0]);
			vec_push(low->arena, &values, pair->seq.items[1]);
		}
	}
	for (uint32_t i = 0; i < args->keyword_count; i++) {
		vec_push(low->arena, &keys, val_str(low, str_of(args->names[i])));
		vec_push(low->arena, &values, args->values[i]);
	}
	return val_dict(low, keys.data, values.data, keys.len);
}

static const Val *py_range(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	Val *v = val_new(low, VAL_RANGE);
	v->range.range = low->frame->host ? RANGE_STATIC : RANGE_PLAIN;
	v->range.start = args->arg_count > 1 ? args->args[0] : val_int(low, 0);
	v->range.stop = args->args[args->arg_count > 1 ? 1 : 0];
	v->range.step = args->arg_count > 2 ? args->args[2] : val_int(low, 1);
	return v;
}

static const Val *py_zip(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec *lists = ARENA_ARRAY(low->arena, ValVec, MAX(args->arg_count, 1u)), out = {0};
	uint32_t shortest = UINT32_MAX;
	for (uint32_t i = 0; i < args->arg_count; i++) {
		if (!eval_items(low, args->args[i], &lists[i]))
			return low->poison;
		shortest = MIN(shortest, lists[i].len);
	}
	for (uint32_t k = 0; args->arg_count && k < shortest; k++) {
		const Val **row = ARENA_ARRAY(low->arena, const Val *, args->arg_count);
		for (uint32_t i = 0; i < args->arg_count; i++)
			row[i] = lists[i].data[k];
		vec_push(low->arena, &out, val_tuple(low, row, args->arg_count));
	}
	return val_list(low, out.data, out.len);
}

static const Val *py_enumerate(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec items = {0}, out = {0};
	int64_t start = 0;
	const Val *from = args->arg_count > 1 ? args->args[1] : keyword(args, "start");
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	if (from && !val_as_int(from, &start))
		return bad_argument(low, "enumerate", from);
	for (uint32_t i = 0; i < items.len; i++) {
		const Val *pair[] = {val_int(low, start + i), items.data[i]};
		vec_push(low->arena, &out, val_tuple(low, pair, 2));
	}
	return val_list(low, out.data, out.len);
}

static const Val *py_reversed(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec items = {0};
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len / 2; i++) {
		const Val *swap = items.data[i];
		items.data[i] = items.data[items.len - 1 - i];
		items.data[items.len - 1 - i] = swap;
	}
	return val_list(low, items.data, items.len);
}

static const Val *py_sorted(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec items = {0}, keys = {0};
	const Val *key = keyword(args, "key"), *reverse = keyword(args, "reverse");
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++) {
		const Val *k = key && key->kind != VAL_NONE
				       ? lower_call(low, key, &(CallArgs){.args = &items.data[i], .arg_count = 1})
				       : items.data[i];
		vec_push(low->arena, &keys, k);
	}
	bool down = reverse && val_truth(reverse);
	/* Insertion keeps the order of equals, as Python does. */
	for (uint32_t i = 1; i < items.len; i++) {
		const Val *v = items.data[i], *k = keys.data[i];
		uint32_t at = i;
		for (; at > 0; at--) {
			bool ok;
			int order = host_order(k, keys.data[at - 1], &ok);
			if (!ok || !lower_step(low))
				return lower_error(low, DIAG_OPERAND_TYPES, "<", val_describe(low, k),
						   val_describe(low, keys.data[at - 1]));
			if (down ? order <= 0 : order >= 0)
				break;
			items.data[at] = items.data[at - 1];
			keys.data[at] = keys.data[at - 1];
		}
		items.data[at] = v;
		keys.data[at] = k;
	}
	return val_list(low, items.data, items.len);
}

static const Val *mapped(Lower *low, const CallArgs *args, bool filter)
{
	ValVec items = {0}, out = {0};
	if (!eval_items(low, args->args[1], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++) {
		const Val *v = filter && args->args[0]->kind == VAL_NONE
				       ? items.data[i]
				       : lower_call(low, args->args[0], &(CallArgs){.args = &items.data[i], .arg_count = 1});
		bool ok = v->kind != VAL_POISON;
		bool take = !filter || (ok && eval_truth(low, v, &ok));
		if (!ok)
			return low->poison;
		if (take)
			vec_push(low->arena, &out, filter ? items.data[i] : v);
	}
	return val_list(low, out.data, out.len);
}

static const Val *py_map(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return mapped(low, args, false);
}

static const Val *py_filter(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return mapped(low, args, true);
}

/* ---- objects ---- */

static const Val *py_str(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_str(low, STR(""));
	const Val *v = known(low, args->args[0], "str");
	return v ? val_str(low, str_of(val_str_text(low, v))) : low->poison;
}

static const Val *py_repr(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = known(low, args->args[0], "repr");
	return v ? val_str(low, str_of(val_repr(low, v))) : low->poison;
}

static const Val *py_type(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind == VAL_OBJECT)
		return val_class(low, v->object.klass);
	const Val *type = resolve_python(low, lower_sym(low, str_of(val_type_name(v))));
	return type ? type : val_opaque(low, "it is the type of %s", val_describe(low, v));
}

static const Val *py_isinstance(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	int is = host_is_instance(low, args->args[0], args->args[1]);
	return is < 0 ? low->poison : val_bool(low, is);
}

static const Val *attribute_arg(Lower *low, const CallArgs *args, const char *what, bool *ok)
{
	*ok = args->args[1]->kind == VAL_STR;
	if (!*ok)
		return bad_argument(low, what, args->args[1]);
	const Val *v = eval_attribute(low, args->args[0], lower_sym(low, args->args[1]->s), low->span);
	return v && v->kind == VAL_OPAQUE && args->args[0]->kind == VAL_MODULE && args->args[0]->module.builtin_path &&
		       !low->frame->host
		       ? NULL : v;
}

static const Val *py_getattr(Lower *low, const Val *self, const CallArgs *args)
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

static const Val *py_hasattr(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	bool ok;
	const Val *v = attribute_arg(low, args, "hasattr", &ok);
	if (v && v->kind == VAL_OPAQUE)
		return v;
	return ok ? val_bool(low, v != NULL) : v;
}

static const Val *py_callable(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValKind k = args->args[0]->kind;
	return val_bool(low, k == VAL_FUNCTION || k == VAL_BUILTIN || k == VAL_METHOD || k == VAL_PYTHON ||
				     k == VAL_CLASS);
}

static const Val *py_id(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return args->arg_count ? args->args[0] : low->none;
}

static const Val *py_print(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!low->frame->host)
		return sem_call(low, "device_print", args->args, args->arg_count);
	Text t;
	text_init(&t, low->arena);
	for (uint32_t i = 0; i < args->arg_count; i++)
		text_printf(&t, "%s%s", i ? " " : "", val_str_text(low, args->args[i]));
	text_char(&t, '\n');
	lower_print(low, (Str){t.data, t.len});
	return low->none;
}

static const Val *py_object(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	(void)args;
	return val_opaque(low, "it is a plain object");
}

/* ---- methods of str ---- */

static const Val *str_case(Lower *low, const Val *self, int (*to)(int))
{
	char *copy = arena_strndup(low->arena, self->s.ptr, self->s.len);
	for (size_t i = 0; i < self->s.len; i++)
		if (!((unsigned char)copy[i] & 0x80))
			copy[i] = (char)to((unsigned char)copy[i]);
	return val_str(low, (Str){copy, self->s.len});
}

static const Val *str_lower(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return str_case(low, self, tolower);
}

static const Val *str_upper(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return str_case(low, self, toupper);
}

static bool has_affix(Str s, Str part, bool at_end)
{
	return part.len <= s.len && memcmp(at_end ? s.ptr + s.len - part.len : s.ptr, part.ptr, part.len) == 0;
}

static const Val *affix(Lower *low, const Val *self, const CallArgs *args, bool at_end)
{
	const Val *what = args->args[0];
	if (what->kind == VAL_STR)
		return val_bool(low, has_affix(self->s, what->s, at_end));
	bool any = false;
	for (uint32_t i = 0; what->kind == VAL_TUPLE && i < what->seq.len; i++)
		any = any || (what->seq.items[i]->kind == VAL_STR && has_affix(self->s, what->seq.items[i]->s, at_end));
	return what->kind == VAL_TUPLE ? val_bool(low, any) : bad_argument(low, "startswith", what);
}

static const Val *str_startswith(Lower *low, const Val *self, const CallArgs *args)
{
	return affix(low, self, args, false);
}

static const Val *str_endswith(Lower *low, const Val *self, const CallArgs *args)
{
	return affix(low, self, args, true);
}

static const Val *remove_affix(Lower *low, const Val *self, const CallArgs *args, bool at_end)
{
	const Val *part = args->args[0];
	if (part->kind != VAL_STR)
		return bad_argument(low, "removeprefix", part);
	if (!has_affix(self->s, part->s, at_end))
		return self;
	return val_str(low, (Str){self->s.ptr + (at_end ? 0 : part->s.len), self->s.len - part->s.len});
}

static const Val *str_removeprefix(Lower *low, const Val *self, const CallArgs *args)
{
	return remove_affix(low, self, args, false);
}

static const Val *str_removesuffix(Lower *low, const Val *self, const CallArgs *args)
{
	return remove_affix(low, self, args, true);
}

static const Val *str_strip(Lower *low, const Val *self, const CallArgs *args)
{
	Str s = self->s, set = args->arg_count && args->args[0]->kind == VAL_STR ? args->args[0]->s : STR(" \t\n\r\f\v");
	while (s.len && memchr(set.ptr, s.ptr[0], set.len))
		s.ptr++, s.len--;
	while (s.len && memchr(set.ptr, s.ptr[s.len - 1], set.len))
		s.len--;
	return val_str(low, s);
}

static size_t find_in(Str s, Str part, size_t from)
{
	for (size_t i = from; i + part.len <= s.len; i++)
		if (memcmp(s.ptr + i, part.ptr, part.len) == 0)
			return i;
	return SIZE_MAX;
}

static const Val *str_split(Lower *low, const Val *self, const CallArgs *args)
{
	ValVec parts = {0};
	Str s = self->s;
	int64_t most = -1;
	if (args->arg_count > 1 && !val_as_int(args->args[1], &most))
		return bad_argument(low, "split", args->args[1]);
	if (!args->arg_count || args->args[0]->kind == VAL_NONE) {
		for (size_t i = 0; i < s.len;) {
			while (i < s.len && isspace((unsigned char)s.ptr[i]))
				i++;
			size_t start = i;
			while (i < s.len && !isspace((unsigned char)s.ptr[i]))
				i++;
			if (i > start)
				vec_push(low->arena, &parts, val_str(low, (Str){s.ptr + start, i - start}));
		}
		return val_list(low, parts.data, parts.len);
	}
	const Val *by = args->args[0];
	if (by->kind != VAL_STR || !by->s.len)
		return bad_argument(low, "split", by);
	for (size_t start = 0;;) {
		size_t at = most < 0 || (int64_t)parts.len < most ? find_in(s, by->s, start) : SIZE_MAX;
		vec_push(low->arena, &parts,
			 val_str(low, (Str){s.ptr + start, (at == SIZE_MAX ? s.len : at) - start}));
		if (at == SIZE_MAX)
			return val_list(low, parts.data, parts.len);
		start = at + by->s.len;
	}
}

static const Val *str_join(Lower *low, const Val *self, const CallArgs *args)
{
	ValVec items = {0};
	Text t;
	text_init(&t, low->arena);
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++) {
		if (items.data[i]->kind != VAL_STR)
			return bad_argument(low, "join", items.data[i]);
		if (i)
			text_add(&t, self->s.ptr, self->s.len);
		text_add(&t, items.data[i]->s.ptr, items.data[i]->s.len);
	}
	return text_val(low, &t);
}

static const Val *str_replace(Lower *low, const Val *self, const CallArgs *args)
{
	const Val *from = args->args[0], *to = args->args[1];
	if (from->kind != VAL_STR || to->kind != VAL_STR || !from->s.len)
		return bad_argument(low, "replace", from);
	Text t;
	text_init(&t, low->arena);
	for (size_t start = 0;;) {
		size_t at = find_in(self->s, from->s, start);
		text_add(&t, self->s.ptr + start, (at == SIZE_MAX ? self->s.len : at) - start);
		if (at == SIZE_MAX)
			return text_val(low, &t);
		text_add(&t, to->s.ptr, to->s.len);
		start = at + from->s.len;
	}
}

static const Val *str_find(Lower *low, const Val *self, const CallArgs *args)
{
	if (args->args[0]->kind != VAL_STR)
		return bad_argument(low, "find", args->args[0]);
	size_t at = find_in(self->s, args->args[0]->s, 0);
	return val_int(low, at == SIZE_MAX ? -1 : (int64_t)at);
}

static const Val *str_count(Lower *low, const Val *self, const CallArgs *args)
{
	if (args->args[0]->kind != VAL_STR || !args->args[0]->s.len)
		return bad_argument(low, "count", args->args[0]);
	int64_t n = 0;
	Str part = args->args[0]->s;
	for (size_t at = 0; (at = find_in(self->s, part, at)) != SIZE_MAX; at += part.len)
		n++;
	return val_int(low, n);
}

static const Val *str_isdigit(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	bool all = self->s.len > 0;
	for (size_t i = 0; i < self->s.len; i++)
		all = all && isdigit((unsigned char)self->s.ptr[i]);
	return val_bool(low, all);
}

static const Val *str_format(Lower *low, const Val *self, const CallArgs *args)
{
	Text t;
	text_init(&t, low->arena);
	uint32_t next = 0;
	Str s = self->s;
	for (size_t i = 0; i < s.len; i++) {
		if ((s.ptr[i] == '{' || s.ptr[i] == '}') && i + 1 < s.len && s.ptr[i + 1] == s.ptr[i]) {
			text_char(&t, s.ptr[i++]);
			continue;
		}
		if (s.ptr[i] != '{') {
			text_char(&t, s.ptr[i]);
			continue;
		}
		size_t close = find_in(s, STR("}"), i);
		if (close == SIZE_MAX)
			return bad_argument(low, "format", self);
		Str field = {s.ptr + i + 1, close - i - 1};
		size_t colon = find_in(field, STR(":"), 0);
		Str name = {field.ptr, colon == SIZE_MAX ? field.len : colon};
		Str spec = colon == SIZE_MAX ? (Str){"", 0} : (Str){field.ptr + colon + 1, field.len - colon - 1};
		const Val *v = NULL;
		if (!name.len && next < args->arg_count)
			v = args->args[next++];
		else if (name.len == 1 && isdigit((unsigned char)name.ptr[0]) &&
			 (uint32_t)(name.ptr[0] - '0') < args->arg_count)
			v = args->args[name.ptr[0] - '0'];
		else if (name.len)
			v = keyword(args, arena_strndup(low->arena, name.ptr, name.len));
		const Val *part = v ? host_format(low, v, spec, 0) : bad_argument(low, "format", self);
		if (part->kind != VAL_STR)
			return part;
		text_add(&t, part->s.ptr, part->s.len);
		i = close;
	}
	return text_val(low, &t);
}

/* ---- methods of list, tuple, dict ---- */

static const Val *changed(Lower *low, const Val *self, ValVec *items)
{
	((Val *)self)->seq.items = items->data;
	((Val *)self)->seq.len = items->len;
	return low->none;
}

static const Val *list_append(Lower *low, const Val *self, const CallArgs *args)
{
	ValVec items = {0};
	vec_reserve(low->arena, &items, self->seq.len + 1);
	eval_items(low, self, &items);
	vec_push(low->arena, &items, args->args[0]);
	return changed(low, self, &items);
}

static const Val *list_extend(Lower *low, const Val *self, const CallArgs *args)
{
	ValVec items = {0};
	if (!eval_items(low, self, &items) || !eval_items(low, args->args[0], &items))
		return low->poison;
	return changed(low, self, &items);
}

static const Val *list_pop(Lower *low, const Val *self, const CallArgs *args)
{
	int64_t at = -1;
	if (args->arg_count && !val_as_int(args->args[0], &at))
		return bad_argument(low, "pop", args->args[0]);
	int64_t i = at < 0 ? at + self->seq.len : at;
	if (i < 0 || i >= self->seq.len)
		return lower_error(low, DIAG_INDEX, (long long)at, self->seq.len);
	const Val *v = self->seq.items[i];
	for (uint32_t k = (uint32_t)i; k + 1 < self->seq.len; k++)
		self->seq.items[k] = self->seq.items[k + 1];
	((Val *)self)->seq.len--;
	return v;
}

static const Val *list_index(Lower *low, const Val *self, const CallArgs *args)
{
	for (uint32_t i = 0; i < self->seq.len; i++)
		if (val_equal(self->seq.items[i], args->args[0]))
			return val_int(low, i);
	return bad_argument(low, "index", args->args[0]);
}

static const Val *list_count(Lower *low, const Val *self, const CallArgs *args)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < self->seq.len; i++)
		n += val_equal(self->seq.items[i], args->args[0]);
	return val_int(low, n);
}

static const Val *dict_get(Lower *low, const Val *self, const CallArgs *args)
{
	const Val *v = val_dict_find(self, args->args[0]);
	return v ? v : args->arg_count > 1 ? args->args[1] : low->none;
}

static const Val *dict_keys(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_list(low, self->dict.keys, self->dict.len);
}

static const Val *dict_values(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_list(low, self->dict.values, self->dict.len);
}

static const Val *dict_items(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	ValVec out = {0};
	for (uint32_t i = 0; i < self->dict.len; i++) {
		const Val *pair[] = {self->dict.keys[i], self->dict.values[i]};
		vec_push(low->arena, &out, val_tuple(low, pair, 2));
	}
	return val_list(low, out.data, out.len);
}

/* ---- math ---- */

static const Val *math_1(Lower *low, const CallArgs *args, const char *name, double (*fn)(double))
{
	const Val *v = known(low, args->args[0], name);
	double d;
	if (!v || !val_as_double(v, &d))
		return v ? bad_argument(low, name, v) : low->poison;
	double r = fn(d);
	return isnan(r) && !isnan(d) ? bad_argument(low, name, v) : val_float(low, r);
}

#define MATH(name)                                                                              \
	static const Val *math_##name(Lower *low, const Val *self, const CallArgs *args)        \
	{                                                                                       \
		(void)self;                                                                     \
		return math_1(low, args, "math." #name, name);                                  \
	}
MATH(sqrt)
MATH(exp)
MATH(log2)
MATH(log10)
MATH(sin)
MATH(cos)
MATH(tan)
MATH(tanh)
MATH(atan)
MATH(erf)
MATH(fabs)

static const Val *math_log(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *top = math_1(low, args, "math.log", log);
	if (args->arg_count < 2 || top->kind == VAL_POISON)
		return top;
	const Val *base = math_1(low, &(CallArgs){.args = args->args + 1, .arg_count = 1}, "math.log", log);
	return base->kind == VAL_POISON ? base : host_binary(low, BIN_DIV, top, base);
}

static const Val *to_int(Lower *low, const CallArgs *args, const char *name, double (*fn)(double))
{
	const Val *v = known(low, args->args[0], name);
	if (!v || v->kind == VAL_INT)
		return v ? v : low->poison;
	double d;
	const BigInt *big = val_as_double(v, &d) ? big_of_double(low->arena, fn(d)) : NULL;
	return big ? val_big(low, big) : bad_argument(low, name, v);
}

static const Val *math_ceil(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return to_int(low, args, "math.ceil", ceil);
}

static const Val *math_floor(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return to_int(low, args, "math.floor", floor);
}

static const Val *math_pow(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	double a, b;
	if (!val_as_double(args->args[0], &a) || !val_as_double(args->args[1], &b))
		return bad_argument(low, "math.pow", args->args[0]);
	return val_float(low, pow(a, b));
}

static const Val *math_gcd(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	int64_t a, b;
	if (!val_as_int(args->args[0], &a) || !val_as_int(args->args[1], &b))
		return bad_argument(low, "math.gcd", args->args[0]);
	while (b) {
		int64_t t = b == -1 ? 0 : a % b;
		a = b;
		b = t;
	}
	return val_int(low, a < 0 ? -a : a);
}

static const Val *math_isnan(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	double d = 0;
	return val_as_double(args->args[0], &d) ? val_bool(low, isnan(d)) : bad_argument(low, "math.isnan", args->args[0]);
}

static const Val *math_isinf(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	double d = 0;
	return val_as_double(args->args[0], &d) ? val_bool(low, isinf(d)) : bad_argument(low, "math.isinf", args->args[0]);
}

/* ---- what other packages give ---- */

typedef struct FloatLimits {
	TlDtype dtype;
	double min, max, eps, tiny;
} FloatLimits;

static const FloatLimits float_limits[] = {
	{DT_FP16, -65504, 65504, 0x1p-10, 0x1p-14},
	{DT_BF16, -0x1.fep127, 0x1.fep127, 0x1p-7, 0x1p-126},
	{DT_FP32, -0x1.fffffep127, 0x1.fffffep127, 0x1p-23, 0x1p-126},
	{DT_FP64, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1022},
	{DT_FP8E4NV, -448, 448, 0x1p-3, 0x1p-6},
	{DT_FP8E5, -57344, 57344, 0x1p-2, 0x1p-14},
};

static const char *const limit_names[] = {"min", "max", "eps", "tiny", "smallest_normal", "bits"};

static const Val *limits_object(Lower *low, const char *name, const Val *const *values)
{
	Val *v = val_new(low, VAL_OBJECT);
	uint32_t n = ARRAY_LEN(limit_names);
	v->object.klass = class_of_python(low, name, CLASS_RECORD, limit_names, n);
	v->object.fields = ARENA_ARRAY(low->arena, const Val *, n);
	memcpy(v->object.fields, values, n * sizeof *values);
	return v;
}

static const Val *torch_finfo(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *d = args->args[0];
	for (size_t i = 0; d->kind == VAL_DTYPE && d->type->kind == TL_SCALAR && i < ARRAY_LEN(float_limits); i++) {
		const FloatLimits *f = &float_limits[i];
		if (f->dtype != d->type->dtype)
			continue;
		const Val *values[] = {val_float(low, f->min), val_float(low, f->max), val_float(low, f->eps),
				       val_float(low, f->tiny), val_float(low, f->tiny), val_int(low, d->type->ir->bits)};
		return limits_object(low, "finfo", values);
	}
	return bad_argument(low, "finfo", d);
}

static const Val *torch_iinfo(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *d = args->args[0];
	if (d->kind != VAL_DTYPE || d->type->kind != TL_SCALAR || !ir_is_int(d->type->ir))
		return bad_argument(low, "iinfo", d);
	unsigned bits = d->type->ir->bits;
	bool is_unsigned = d->type->dtype == DT_UINT8 || d->type->dtype == DT_UINT16 || d->type->dtype == DT_UINT32 ||
			   d->type->dtype == DT_UINT64;
	uint64_t top = (is_unsigned ? UINT64_MAX : (uint64_t)INT64_MAX) >> (64 - bits);
	const Val *min = is_unsigned ? val_int(low, 0) : val_int(low, -(int64_t)top - 1), *none = low->none;
	const Val *values[] = {min, val_uint(low, top), none, none, none, val_int(low, bits)};
	return limits_object(low, "iinfo", values);
}

/* os.environ.get(name, default): a compilation sees an empty environment, so that it depends on its inputs alone. */
static const Val *env_get(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *by_name = keyword(args, "default");
	return args->arg_count > 1 ? args->args[1] : by_name ? by_name : low->none;
}

/* packaging.version: the numbers of the release, which compare as versions do. */
static const Val *version_parse(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind != VAL_STR)
		return bad_argument(low, "version.parse", v);
	int64_t parts[8];
	uint32_t n = 0;
	size_t i = v->s.len && v->s.ptr[0] == 'v';
	while (i < v->s.len && isdigit((unsigned char)v->s.ptr[i]) && n < ARRAY_LEN(parts)) {
		parts[n] = 0;
		for (; i < v->s.len && isdigit((unsigned char)v->s.ptr[i]) && parts[n] < 100000000; i++)
			parts[n] = parts[n] * 10 + (v->s.ptr[i] - '0');
		n++;
		i += i < v->s.len && v->s.ptr[i] == '.';
	}
	while (n && !parts[n - 1])
		n--;
	const Val *items[ARRAY_LEN(parts)];
	for (uint32_t k = 0; k < n; k++)
		items[k] = val_int(low, parts[k]);
	return val_tuple(low, items, n);
}

/* Constants, dtypes and types of packages that are not read: math.pi, torch.float16, typing.Any. */
const Val *external_attribute(Lower *low, const char *module, const char *name)
{
	const char *root = strcmp(module, "numpy") == 0 || strcmp(module, "np") == 0 ? "math" : module;
	if (strcmp(root, "math") == 0) {
		if (strcmp(name, "pi") == 0)
			return val_float(low, 3.14159265358979323846);
		if (strcmp(name, "e") == 0)
			return val_float(low, 2.71828182845904523536);
		if (strcmp(name, "tau") == 0)
			return val_float(low, 6.28318530717958647692);
		if (strcmp(name, "inf") == 0)
			return val_float(low, INFINITY);
		if (strcmp(name, "nan") == 0)
			return val_float(low, NAN);
	}
	if ((strcmp(module, "os") == 0 && strcmp(name, "environ") == 0) ||
	    (strcmp(module, "packaging") == 0 && strcmp(name, "version") == 0))
		return val_module(low, session_module(low->session, MODULE_EXTERNAL,
						      arena_printf(low->arena, "%s.%s", module, name), NULL));
	const PyBuiltin *p = python_find(strcmp(module, "numpy") == 0 ? "torch" : module, name);
	if (p) {
		Val *v = val_new(low, VAL_PYTHON);
		v->python = p;
		return v;
	}
	if (strcmp(module, "torch") == 0 || strcmp(module, "numpy") == 0) {
		static const char *const renamed[][2] = {
			{"half", "fp16"}, {"float", "fp32"}, {"double", "fp64"}, {"int", "i32"}, {"long", "i64"},
			{"short", "i16"}, {"bool", "i1"}, {"float8_e4m3fn", "fp8e4nv"}, {"float8_e5m2", "fp8e5"},
		};
		TlType type;
		for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
			if (strcmp(name, renamed[i][0]) == 0 && tl_type_by_name(low, str_of(renamed[i][1]), &type))
				return val_dtype(low, type);
		static const char *const same[] = {
#define DTYPE(kind, dtype_name, bits, cls, ir, short_name, doc) dtype_name,
#include "front/dtypes.def"
#undef DTYPE
		};
		for (size_t i = 0; i < ARRAY_LEN(same); i++)
			if (strcmp(name, same[i]) == 0 && tl_type_by_name(low, str_of(name), &type))
				return val_dtype(low, type);
	}
	return NULL;
}
