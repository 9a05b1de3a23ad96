/* Python's functions on numbers, and those that fold a sequence to one value. */
#include "front/host/bigint.h"
#include "front/host/host.h"
#include "front/tile/sem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- numbers ---- */

static Str stripped(Str s)
{
	while (s.len && isspace((unsigned char)s.ptr[0]))
		s.ptr++, s.len--;
	while (s.len && isspace((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	return s;
}

const Val *host_py_float(FrontLower *low, const Val *self, const CallArgs *args)
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

static const Val *int_of_str(FrontLower *low, const Val *v, unsigned base)
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

const Val *host_py_int(FrontLower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_bool(FrontLower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_abs(FrontLower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_round(FrontLower *low, const Val *self, const CallArgs *args)
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

const Val *host_py_pow(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return eval_binary(low, BIN_POW, args->args[0], args->args[1]);
}

const Val *host_py_divmod(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *parts[] = {eval_binary(low, BIN_FLOORDIV, args->args[0], args->args[1]),
			      eval_binary(low, BIN_MOD, args->args[0], args->args[1])};
	return parts[0]->kind == VAL_POISON ? low->poison : val_tuple(low, parts, 2);
}

static const Val *in_base(FrontLower *low, const Val *v, const char *what, const char *prefix, unsigned base)
{
	if (v->kind != VAL_INT && v->kind != VAL_BOOL)
		return host_bad_argument(low, what, v);
	const char *text = val_int_text(low, v, base);
	bool negative = *text == '-';
	return val_str(low, str_of(arena_printf(low->arena, "%s%s%s", negative ? "-" : "", prefix, text + negative)));
}

const Val *host_py_hex(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return in_base(low, args->args[0], "hex", "0x", 16);
}

const Val *host_py_bin(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return in_base(low, args->args[0], "bin", "0b", 2);
}

const Val *host_bit_length(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_int(low, big_bits(val_to_big(low, self)));
}

const Val *host_is_integer(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return val_bool(low, self->f == floor(self->f));
}

/* ---- min, max, sum, any, all ---- */

/* Triton takes no -0.0 beside a constant, as it is neither less nor more than 0.0. */
static bool may_be_compared(FrontLower *low, const char *name, const Val *v)
{
	bool negative_zero = v->kind == VAL_FLOAT && v->f == 0 && signbit(v->f);
	return !negative_zero || low->frame->host ||
	       lower_extension(low, arena_printf(low->arena, "%s of -0.0", name));
}

/* Over host values by Python's order; over run-time ones by tl.minimum and tl.maximum. */
static const Val *extreme(FrontLower *low, const CallArgs *args, bool max)
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
			if (best->tensor.type->kind == TL_BLOCK)
				lower_warning(low, DIAG_BUILTIN_EXTREME, name, max ? "maximum" : "minimum");
			continue;
		}
		if (key && key->kind != VAL_NONE) {
			a = lower_call(low, key, &(CallArgs){.args = &best, .arg_count = 1});
			b = lower_call(low, key, &(CallArgs){.args = &v, .arg_count = 1});
		}
		bool ok;
		if (!may_be_compared(low, name, a) || !may_be_compared(low, name, b))
			return low->poison;
		int order = host_order(b, a, &ok);
		if (!ok)
			return lower_error(low, DIAG_OPERAND_TYPES, "<", val_describe(low, b), val_describe(low, a));
		if (max ? order > 0 : order < 0)
			best = v;
	}
	return best;
}

const Val *host_py_min(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return extreme(low, args, false);
}

const Val *host_py_max(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return extreme(low, args, true);
}

static const Val *fold(FrontLower *low, const CallArgs *args, AstBinOp op, const Val *total)
{
	ValVec items = {0};
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++)
		total = eval_binary(low, op, total, items.data[i]);
	return total;
}

const Val *host_py_sum(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	const Val *start = args->arg_count > 1 ? args->args[1] : host_keyword(args, "start");
	return fold(low, args, BIN_ADD, start ? start : val_int(low, 0));
}

const Val *host_math_prod(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return fold(low, args, BIN_MUL, val_int(low, 1));
}

static const Val *quantify(FrontLower *low, const CallArgs *args, bool any)
{
	ValVec items = {0};
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	const Val *running = NULL; /* of those that run so far */
	for (uint32_t i = 0; i < items.len; i++) {
		const Val *v = items.data[i];
		if (v->kind == VAL_TENSOR && !low->frame->host) {
			v = sem_condition(low, v);
			running = running ? sem_logical(low, any, running, v) : v;
			continue;
		}
		bool ok, truth = eval_truth(low, v, &ok);
		if (!ok)
			return low->poison;
		if (truth == any)
			return val_bool(low, any);
	}
	return running ? running : val_bool(low, !any);
}

const Val *host_py_any(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return quantify(low, args, true);
}

const Val *host_py_all(FrontLower *low, const Val *self, const CallArgs *args)
{
	(void)self;
	return quantify(low, args, false);
}
