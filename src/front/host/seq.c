/* Indexing, membership and iteration of values known while compiling. */
#include "front/host/host.h"

/* ---- iteration ---- */

/* More turns than this end a compilation anyway (LOWER_MAX_WORK); said before the memory is taken. */
enum { MAX_ITEMS = LOWER_MAX_WORK };

static bool range_items(FrontLower *low, const Val *v, ValVec *out)
{
	int64_t start, stop, step;
	if (!val_as_int(v->range.start, &start) || !val_as_int(v->range.stop, &stop) ||
	    !val_as_int(v->range.step, &step)) {
		const Val *bad = !val_as_int(v->range.start, &start) ? v->range.start :
				 !val_as_int(v->range.stop, &stop)   ? v->range.stop : v->range.step;
		lower_error(low, DIAG_NOT_CONSTEXPR, "a bound of an unrolled loop", val_describe(low, bad));
		lower_note_constexpr(low, bad);
		return false;
	}
	if (!step) {
		lower_error(low, DIAG_RANGE_STEP);
		return false;
	}
	uint64_t span = step > 0 ? (start < stop ? (uint64_t)stop - (uint64_t)start : 0)
				 : (start > stop ? (uint64_t)start - (uint64_t)stop : 0);
	uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
	uint64_t count = span / by + (span % by != 0);
	if (count > MAX_ITEMS) {
		lower_stop(low, DIAG_LIMIT_UNROLL, (unsigned long long)count, MAX_ITEMS);
		return false;
	}
	for (uint64_t i = 0; i < count; i++)
		vec_push(low->arena, out, val_int(low, (int64_t)((uint64_t)start + i * (uint64_t)step)));
	return true;
}

static bool enum_items(FrontLower *low, FrontClass *c, ValVec *out)
{
	for (uint32_t i = 0; i < c->ns.order.len; i++)
		if (c->ns.order.data[i]->kind == BIND_VALUE)
			vec_push(low->arena, out, resolve_class_member(low, c, c->ns.order.data[i]->name, NULL));
	return true;
}

bool eval_items(FrontLower *low, const Val *v, ValVec *out)
{
	switch (v->kind) {
	case VAL_TUPLE:
	case VAL_LIST:
		for (uint32_t i = 0; i < v->seq.len; i++)
			vec_push(low->arena, out, v->seq.items[i]);
		return true;
	case VAL_RANGE:
		return range_items(low, v, out);
	case VAL_STR:
		for (size_t i = 0; i < v->s.len;) {
			size_t n = 1;
			while (i + n < v->s.len && ((unsigned char)v->s.ptr[i + n] & 0xc0) == 0x80)
				n++;
			vec_push(low->arena, out, val_str(low, (Str){v->s.ptr + i, n}));
			i += n;
		}
		return true;
	case VAL_DICT:
		for (uint32_t i = 0; i < v->dict.len; i++)
			vec_push(low->arena, out, v->dict.keys[i]);
		return true;
	case VAL_CLASS:
		if (v->klass->kind == CLASS_ENUM)
			return enum_items(low, v->klass, out);
		break;
	case VAL_POISON:
		return false;
	case VAL_OPAQUE:
		lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
		return false;
	default:
		break;
	}
	lower_error(low, DIAG_NOT_ITERABLE, val_describe(low, v));
	hint_not_iterable(low, v);
	return false;
}

/* ---- membership ---- */

static bool str_holds(Str text, Str part)
{
	for (size_t i = 0; i + part.len <= text.len; i++)
		if (memcmp(text.ptr + i, part.ptr, part.len) == 0)
			return true;
	return false;
}

const Val *host_contains(FrontLower *low, const Val *item, const Val *container)
{
	if (container->kind == VAL_OPAQUE || item->kind == VAL_OPAQUE) {
		const Val *v = item->kind == VAL_OPAQUE ? item : container;
		return low->frame->host ? v : lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
	}
	if (host_is_environment(container))
		return val_bool(low, host_environment(low, item) != NULL);
	if (container->kind == VAL_STR && item->kind == VAL_STR)
		return val_bool(low, str_holds(container->s, item->s));
	if (item->kind == VAL_TENSOR && !item->origin) {
		lower_error(low, DIAG_NOT_CONSTEXPR, "the left side of `in`", val_describe(low, item));
		lower_note(low, "in a kernel: (x == a) | (x == b)");
		return low->poison;
	}
	if (container->kind == VAL_DICT)
		return val_bool(low, val_dict_find(container, item) != NULL);
	ValVec items = {0};
	if (!eval_items(low, container, &items))
		return low->poison;
	bool ok = true;
	for (uint32_t i = 0; i < items.len && ok; i++)
		if (val_equal_now(low, items.data[i], item, "what `in` looks at", &ok))
			return low->true_;
	return ok ? low->false_ : low->poison;
}

/* ---- subscripts ---- */

static bool slice_part(FrontLower *low, const Val *v, int64_t otherwise, int64_t *out)
{
	*out = otherwise;
	if (!v || v->kind == VAL_NONE || val_as_int(v, out))
		return true;
	lower_error(low, DIAG_NOT_CONSTEXPR, "a bound of a slice", val_describe(low, v));
	lower_note_constexpr(low, v);
	return false;
}

static int64_t clip(int64_t i, int64_t len, int64_t lo, int64_t hi)
{
	if (i < 0)
		i += len;
	return i < lo ? lo : i > hi ? hi : i;
}

static const Val *slice_of(FrontLower *low, const Val *v, const Val *slice)
{
	int64_t len = v->kind == VAL_STR ? (int64_t)v->s.len : v->seq.len, step, from, to;
	if (!slice_part(low, slice->slice.step, 1, &step))
		return low->poison;
	if (!step)
		return lower_error(low, DIAG_RANGE_STEP);
	int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? len - 1 : len;
	bool has_from = slice->slice.lower && slice->slice.lower->kind != VAL_NONE;
	bool has_to = slice->slice.upper && slice->slice.upper->kind != VAL_NONE;
	if (!slice_part(low, slice->slice.lower, 0, &from) || !slice_part(low, slice->slice.upper, 0, &to))
		return low->poison;
	from = has_from ? clip(from, len, lo, hi) : step < 0 ? hi : lo;
	to = has_to ? clip(to, len, lo, hi) : step < 0 ? lo : hi;
	ValVec items = {0};
	Text t;
	text_init(&t, low->arena);
	for (int64_t i = from; step < 0 ? i > to : i < to; i += step) {
		if (v->kind == VAL_STR)
			text_char(&t, v->s.ptr[i]);
		else
			vec_push(low->arena, &items, v->seq.items[i]);
	}
	if (v->kind == VAL_STR)
		return val_str(low, (Str){t.data ? t.data : "", t.len});
	return v->kind == VAL_TUPLE ? val_tuple(low, items.data, items.len) : val_list(low, items.data, items.len);
}

const Val *host_index(FrontLower *low, const Val *v, const Val *index)
{
	if (v->kind == VAL_DICT) {
		if (index->kind == VAL_TENSOR && !index->origin)
			return lower_error(low, DIAG_NOT_CONSTEXPR, "a key of a dict",
					   val_describe(low, index));
		const Val *found = val_dict_find(v, index);
		return found ? found : lower_error(low, DIAG_KEY, val_brief(low, index));
	}
	if (host_is_environment(v)) {
		const Val *found = host_environment(low, index);
		return found ? found : lower_error(low, DIAG_KEY, val_brief(low, index));
	}
	if (v->kind != VAL_STR && !val_is_seq(v) && v->kind != VAL_RANGE)
		return lower_error(low, DIAG_NOT_SUBSCRIPTABLE, val_describe(low, v));
	if (index->kind == VAL_SLICE && v->kind != VAL_RANGE)
		return slice_of(low, v, index);
	int64_t i;
	if (!val_as_int(index, &i)) {
		lower_error(low, DIAG_NOT_CONSTEXPR, "an index", val_describe(low, index));
		lower_note_constexpr(low, index);
		return low->poison;
	}
	ValVec items = {0};
	if (!eval_items(low, v, &items))
		return low->poison;
	int64_t at = i < 0 ? i + items.len : i;
	if (at >= 0 && at < items.len)
		return items.data[at];
	lower_error(low, DIAG_INDEX, (long long)i, items.len);
	if (!items.len)
		lower_note(low, "the shape of a pointer or a scalar is (): the sizes of an array are "
				"arguments of their own");
	return low->poison;
}
