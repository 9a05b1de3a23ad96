/* Functions and types of Python itself that kernels and the host code around them use, one row each in
 * host_python.def: numbers, folds, sequences, objects. */
#include "front/demote.h"
#include "front/host/bigint.h"
#include "front/host/host.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

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
	static const char *const names[] = {"range", "isinstance", "min", "max", "tuple", "list", "zip"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const Val *python_call(Lower *low, const PyBuiltin *fn, const Val *self, const CallArgs *args)
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
const Val *host_known(Lower *low, const Val *v, const char *what)
{
	const Val *h = val_host(v);
	if (!h)
		lower_error(low, DIAG_NOT_CONSTEXPR, arena_printf(low->arena, "the argument of %s()", what),
			    val_describe(low, v));
	return h;
}

const Val *host_bad_argument(Lower *low, const char *what, const Val *v)
{
	return lower_error(low, DIAG_PYTHON_ARGUMENT, what, val_describe(low, v));
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

const Val *host_py_float(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_float(low, 0);
	if (args->args[0]->kind == VAL_TENSOR && !args->args[0]->origin && !low->frame->host)
		return sem_cast(low, args->args[0], tl_scalar(low, DT_FP32));
	const Val *v = host_known(low, args->args[0], "float");
	double d;
	if (!v)
		return low->poison;
	if (val_as_double(v, &d))
		return val_float(low, d);
	if (v->kind != VAL_STR)
		return host_bad_argument(low, "float", v);
	Str s = stripped(v->s);
	char buffer[64];
	char *end;
	if (!s.len || s.len >= sizeof buffer)
		return host_bad_argument(low, "float", v);
	memcpy(buffer, s.ptr, s.len);
	buffer[s.len] = '\0';
	/* strtod also takes hexadecimal, which Python does not. */
	d = strtod(buffer, &end);
	return *end || strpbrk(buffer, "xX(") ? host_bad_argument(low, "float", v) : val_float(low, d);
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
		return host_bad_argument(low, "int", v);
	return val_big(low, negative ? big_neg(low->arena, big) : big);
}

const Val *host_py_int(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_int(low, 0);
	const Val *v = host_known(low, args->args[0], "int");
	int64_t base = 10;
	if (!v)
		return low->poison;
	if (args->arg_count > 1 && (!val_as_int(args->args[1], &base) || base < 0 || base > 36))
		return host_bad_argument(low, "int", args->args[1]);
	if (v->kind == VAL_INT)
		return v;
	if (v->kind == VAL_BOOL)
		return val_int(low, v->b);
	if (v->kind == VAL_STR)
		return int_of_str(low, v, (unsigned)base);
	if (v->kind == VAL_OBJECT && v->object.klass->kind == CLASS_ENUM)
		return v->object.fields[1];
	const BigInt *big = v->kind == VAL_FLOAT ? big_of_double(low->arena, v->f) : NULL;
	return big ? val_big(low, big) : host_bad_argument(low, "int", v);
}

const Val *host_py_bool(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_abs(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind == VAL_TENSOR && !low->frame->host)
		return sem_call(low, "abs", &v, 1);
	if (!val_is_number(v))
		return host_bad_argument(low, "abs", v);
	if (v->kind == VAL_FLOAT)
		return val_float(low, fabs(v->f));
	const BigInt *big = val_to_big(low, v);
	return val_big(low, big->negative ? big_neg(low->arena, big) : big);
}

const Val *host_py_round(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = host_known(low, args->args[0], "round");
	double d;
	int64_t digits = 0;
	if (!v || !val_as_double(v, &d))
		return v ? host_bad_argument(low, "round", v) : low->poison;
	if (v->kind != VAL_FLOAT)
		return v;
	if (args->arg_count < 2 || args->args[1]->kind == VAL_NONE) {
		const BigInt *big = big_of_double(low->arena, nearbyint(d));
		return big ? val_big(low, big) : host_bad_argument(low, "round", v);
	}
	if (!val_as_int(args->args[1], &digits) || digits < 0 || digits > 300)
		return host_bad_argument(low, "round", args->args[1]);
	return val_float(low, strtod(arena_printf(low->arena, "%.*f", (int)digits, d), NULL));
}

const Val *host_py_pow(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return eval_binary(low, BIN_POW, args->args[0], args->args[1]);
}

const Val *host_py_divmod(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *parts[] = {eval_binary(low, BIN_FLOORDIV, args->args[0], args->args[1]),
			      eval_binary(low, BIN_MOD, args->args[0], args->args[1])};
	return parts[0]->kind == VAL_POISON ? low->poison : val_tuple(low, parts, 2);
}

static const Val *in_base(Lower *low, const Val *v, const char *what, const char *prefix, unsigned base)
{
	if (v->kind != VAL_INT && v->kind != VAL_BOOL)
		return host_bad_argument(low, what, v);
	const char *text = val_int_text(low, v, base);
	bool negative = *text == '-';
	return val_str(low, str_of(arena_printf(low->arena, "%s%s%s", negative ? "-" : "", prefix, text + negative)));
}

const Val *host_py_hex(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return in_base(low, args->args[0], "hex", "0x", 16);
}

const Val *host_py_bin(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return in_base(low, args->args[0], "bin", "0b", 2);
}

const Val *host_bit_length(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_int(low, big_bits(val_to_big(low, self)));
}

const Val *host_is_integer(Lower *low, const Val *self, const CallArgs *args)
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
	const Val *best = items.len ? items.data[0] : host_keyword(args, "default"), *key = host_keyword(args, "key");
	if (!best)
		return host_bad_argument(low, name, args->args[0]);
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

const Val *host_py_min(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return extreme(low, args, false);
}

const Val *host_py_max(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_sum(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *start = args->arg_count > 1 ? args->args[1] : host_keyword(args, "start");
	return fold(low, args, BIN_ADD, start ? start : val_int(low, 0));
}

const Val *host_math_prod(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_any(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return quantify(low, args, true);
}

const Val *host_py_all(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return quantify(low, args, false);
}

/* ---- sequences ---- */

const Val *host_py_len(Lower *low, const Val *self, const CallArgs *args)
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
	return host_bad_argument(low, "len", v);
}

static const Val *sequence(Lower *low, const CallArgs *args, ValKind kind)
{
	ValVec items = {0};
	if (args->arg_count && !eval_items(low, args->args[0], &items))
		return low->poison;
	return kind == VAL_TUPLE ? val_tuple(low, items.data, items.len) : val_list(low, items.data, items.len);
}

const Val *host_py_tuple(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return sequence(low, args, VAL_TUPLE);
}

const Val *host_py_list(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return sequence(low, args, low->frame->host ? VAL_LIST : VAL_TUPLE);
}

const Val *host_py_set(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *all = sequence(low, args, VAL_LIST);
	if (all->kind == VAL_POISON)
		return all;
	const Val *d = val_dict(low, all->seq.items, all->seq.items, all->seq.len);
	return val_list(low, d->dict.keys, d->dict.len);
}

const Val *host_py_dict(Lower *low, const Val *self, const CallArgs *args)
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
				return host_bad_argument(low, "dict", pair);
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

const Val *host_py_range(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	Val *v = val_new(low, VAL_RANGE);
	v->range.range = low->frame->host ? RANGE_STATIC : RANGE_PLAIN;
	v->range.start = args->arg_count > 1 ? args->args[0] : val_int(low, 0);
	v->range.stop = args->args[args->arg_count > 1 ? 1 : 0];
	v->range.step = args->arg_count > 2 ? args->args[2] : val_int(low, 1);
	return v;
}

const Val *host_py_zip(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_enumerate(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec items = {0}, out = {0};
	int64_t start = 0;
	const Val *from = args->arg_count > 1 ? args->args[1] : host_keyword(args, "start");
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	if (from && !val_as_int(from, &start))
		return host_bad_argument(low, "enumerate", from);
	for (uint32_t i = 0; i < items.len; i++) {
		const Val *pair[] = {val_int(low, start + i), items.data[i]};
		vec_push(low->arena, &out, val_tuple(low, pair, 2));
	}
	return val_list(low, out.data, out.len);
}

const Val *host_py_reversed(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_sorted(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValVec items = {0}, keys = {0};
	const Val *key = host_keyword(args, "key"), *reverse = host_keyword(args, "reverse");
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

const Val *host_py_map(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return mapped(low, args, false);
}

const Val *host_py_filter(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return mapped(low, args, true);
}

/* ---- objects ---- */

const Val *host_py_str(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	if (!args->arg_count)
		return val_str(low, STR(""));
	const Val *v = host_known(low, args->args[0], "str");
	return v ? val_str(low, str_of(val_str_text(low, v))) : low->poison;
}

const Val *host_py_repr(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = host_known(low, args->args[0], "repr");
	return v ? val_str(low, str_of(val_repr(low, v))) : low->poison;
}

const Val *host_py_type(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *v = args->args[0];
	if (v->kind == VAL_OBJECT)
		return val_class(low, v->object.klass);
	const Val *type = resolve_python(low, lower_sym(low, str_of(val_type_name(v))));
	return type ? type : val_opaque(low, "it is the type of %s", val_describe(low, v));
}

const Val *host_py_isinstance(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	int is = host_is_instance(low, args->args[0], args->args[1]);
	return is < 0 ? low->poison : val_bool(low, is);
}

static const Val *attribute_arg(Lower *low, const CallArgs *args, const char *what, bool *ok)
{
	*ok = args->args[1]->kind == VAL_STR;
	if (!*ok)
		return host_bad_argument(low, what, args->args[1]);
	const Val *v = eval_attribute(low, args->args[0], lower_sym(low, args->args[1]->s), low->span);
	return v && v->kind == VAL_OPAQUE && args->args[0]->kind == VAL_MODULE && args->args[0]->module.builtin_path &&
		       !low->frame->host
		       ? NULL : v;
}

const Val *host_py_getattr(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_hasattr(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	bool ok;
	const Val *v = attribute_arg(low, args, "hasattr", &ok);
	if (v && v->kind == VAL_OPAQUE)
		return v;
	return ok ? val_bool(low, v != NULL) : v;
}

const Val *host_py_callable(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	ValKind k = args->args[0]->kind;
	return val_bool(low, k == VAL_FUNCTION || k == VAL_BUILTIN || k == VAL_METHOD || k == VAL_PYTHON ||
				     k == VAL_CLASS);
}

const Val *host_py_id(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return args->arg_count ? args->args[0] : low->none;
}

/* print() of a program: constants become the text before the values that follow them. */
static const Val *print_at_run(Lower *low, const CallArgs *args)
{
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

static void print_named(Lower *low, const char *prefix, const Val *v)
{
	const Val *parts[] = {val_str(low, str_of(prefix)), v};
	sem_call(low, "device_print", parts, v ? 2 : 1);
}

/* Prints every variable that holds a tile or scalar of the program, between two lines that hosts recognise. */
const Val *host_py_breakpoint(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_print(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_object(Lower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	(void)args;
	return val_opaque(low, "it is a plain object");
}
