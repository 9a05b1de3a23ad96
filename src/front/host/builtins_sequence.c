/* Python's functions that make or walk sequences. */
#include "front/host/host.h"

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
