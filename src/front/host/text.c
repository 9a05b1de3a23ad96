/* Methods of str, list, tuple and dict. */
#include "front/host/host.h"

#include <ctype.h>

static const Val *text_val(Lower *low, Text *t)
{
	return val_str(low, (Str){t->data ? t->data : "", t->len});
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

const Val *host_str_lower(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	return str_case(low, self, tolower);
}

const Val *host_str_upper(Lower *low, const Val *self, const CallArgs *args)
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
	return what->kind == VAL_TUPLE ? val_bool(low, any) : host_bad_argument(low, "startswith", what);
}

const Val *host_str_startswith(Lower *low, const Val *self, const CallArgs *args)
{
	return affix(low, self, args, false);
}

const Val *host_str_endswith(Lower *low, const Val *self, const CallArgs *args)
{
	return affix(low, self, args, true);
}

static const Val *remove_affix(Lower *low, const Val *self, const CallArgs *args, bool at_end)
{
	const Val *part = args->args[0];
	if (part->kind != VAL_STR)
		return host_bad_argument(low, "removeprefix", part);
	if (!has_affix(self->s, part->s, at_end))
		return self;
	return val_str(low, (Str){self->s.ptr + (at_end ? 0 : part->s.len), self->s.len - part->s.len});
}

const Val *host_str_removeprefix(Lower *low, const Val *self, const CallArgs *args)
{
	return remove_affix(low, self, args, false);
}

const Val *host_str_removesuffix(Lower *low, const Val *self, const CallArgs *args)
{
	return remove_affix(low, self, args, true);
}

const Val *host_str_strip(Lower *low, const Val *self, const CallArgs *args)
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

const Val *host_str_split(Lower *low, const Val *self, const CallArgs *args)
{
	ValVec parts = {0};
	Str s = self->s;
	int64_t most = -1;
	if (args->arg_count > 1 && !val_as_int(args->args[1], &most))
		return host_bad_argument(low, "split", args->args[1]);
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
		return host_bad_argument(low, "split", by);
	for (size_t start = 0;;) {
		size_t at = most < 0 || (int64_t)parts.len < most ? find_in(s, by->s, start) : SIZE_MAX;
		vec_push(low->arena, &parts,
			 val_str(low, (Str){s.ptr + start, (at == SIZE_MAX ? s.len : at) - start}));
		if (at == SIZE_MAX)
			return val_list(low, parts.data, parts.len);
		start = at + by->s.len;
	}
}

const Val *host_str_join(Lower *low, const Val *self, const CallArgs *args)
{
	ValVec items = {0};
	Text t;
	text_init(&t, low->arena);
	if (!eval_items(low, args->args[0], &items))
		return low->poison;
	for (uint32_t i = 0; i < items.len; i++) {
		if (items.data[i]->kind != VAL_STR)
			return host_bad_argument(low, "join", items.data[i]);
		if (i)
			text_add(&t, self->s.ptr, self->s.len);
		text_add(&t, items.data[i]->s.ptr, items.data[i]->s.len);
	}
	return text_val(low, &t);
}

const Val *host_str_replace(Lower *low, const Val *self, const CallArgs *args)
{
	const Val *from = args->args[0], *to = args->args[1];
	if (from->kind != VAL_STR || to->kind != VAL_STR || !from->s.len)
		return host_bad_argument(low, "replace", from);
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

const Val *host_str_find(Lower *low, const Val *self, const CallArgs *args)
{
	if (args->args[0]->kind != VAL_STR)
		return host_bad_argument(low, "find", args->args[0]);
	size_t at = find_in(self->s, args->args[0]->s, 0);
	return val_int(low, at == SIZE_MAX ? -1 : (int64_t)at);
}

const Val *host_str_count(Lower *low, const Val *self, const CallArgs *args)
{
	if (args->args[0]->kind != VAL_STR || !args->args[0]->s.len)
		return host_bad_argument(low, "count", args->args[0]);
	int64_t n = 0;
	Str part = args->args[0]->s;
	for (size_t at = 0; (at = find_in(self->s, part, at)) != SIZE_MAX; at += part.len)
		n++;
	return val_int(low, n);
}

const Val *host_str_isdigit(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	bool all = self->s.len > 0;
	for (size_t i = 0; i < self->s.len; i++)
		all = all && isdigit((unsigned char)self->s.ptr[i]);
	return val_bool(low, all);
}

const Val *host_str_format(Lower *low, const Val *self, const CallArgs *args)
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
			return host_bad_argument(low, "format", self);
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
			v = host_keyword(args, arena_strndup(low->arena, name.ptr, name.len));
		const Val *part = v ? host_format(low, v, spec, 0) : host_bad_argument(low, "format", self);
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

/* A list that a kernel changes would be changed whatever branch or turn of a loop does it. */
static bool may_change(Lower *low)
{
	if (!low->frame->host)
		lower_error(low, DIAG_UNSUPPORTED, "a list that changes");
	return low->frame->host;
}

const Val *host_list_append(Lower *low, const Val *self, const CallArgs *args)
{
	if (!may_change(low))
		return low->poison;
	ValVec items = {0};
	vec_reserve(low->arena, &items, self->seq.len + 1);
	eval_items(low, self, &items);
	vec_push(low->arena, &items, args->args[0]);
	return changed(low, self, &items);
}

const Val *host_list_extend(Lower *low, const Val *self, const CallArgs *args)
{
	if (!may_change(low))
		return low->poison;
	ValVec items = {0};
	if (!eval_items(low, self, &items) || !eval_items(low, args->args[0], &items))
		return low->poison;
	return changed(low, self, &items);
}

const Val *host_list_pop(Lower *low, const Val *self, const CallArgs *args)
{
	if (!may_change(low))
		return low->poison;
	int64_t at = -1;
	if (args->arg_count && !val_as_int(args->args[0], &at))
		return host_bad_argument(low, "pop", args->args[0]);
	int64_t i = at < 0 ? at + self->seq.len : at;
	if (i < 0 || i >= self->seq.len)
		return lower_error(low, DIAG_INDEX, (long long)at, self->seq.len);
	const Val *v = self->seq.items[i];
	for (uint32_t k = (uint32_t)i; k + 1 < self->seq.len; k++)
		self->seq.items[k] = self->seq.items[k + 1];
	((Val *)self)->seq.len--;
	return v;
}

const Val *host_list_index(Lower *low, const Val *self, const CallArgs *args)
{
	bool ok = true;
	for (uint32_t i = 0; i < self->seq.len && ok; i++)
		if (val_equal_now(low, self->seq.items[i], args->args[0], "what index() looks at", &ok))
			return val_int(low, i);
	return !ok ? low->poison : host_bad_argument(low, "index", args->args[0]);
}

const Val *host_list_count(Lower *low, const Val *self, const CallArgs *args)
{
	int64_t n = 0;
	bool ok = true;
	for (uint32_t i = 0; i < self->seq.len && ok; i++)
		n += val_equal_now(low, self->seq.items[i], args->args[0], "what count() looks at", &ok);
	return ok ? val_int(low, n) : low->poison;
}

const Val *host_dict_get(Lower *low, const Val *self, const CallArgs *args)
{
	const Val *v = val_dict_find(self, args->args[0]);
	return v ? v : args->arg_count > 1 ? args->args[1] : low->none;
}

const Val *host_dict_keys(Lower *low, const Val *self, const CallArgs *args)
{
	CONTRACT(self->kind == VAL_DICT);
	(void)args;
	return val_list(low, self->dict.keys, self->dict.len);
}

const Val *host_dict_values(Lower *low, const Val *self, const CallArgs *args)
{
	CONTRACT(self->kind == VAL_DICT);
	(void)args;
	return val_list(low, self->dict.values, self->dict.len);
}

const Val *host_dict_items(Lower *low, const Val *self, const CallArgs *args)
{
	(void)args;
	ValVec out = {0};
	for (uint32_t i = 0; i < self->dict.len; i++) {
		const Val *pair[] = {self->dict.keys[i], self->dict.values[i]};
		vec_push(low->arena, &out, val_tuple(low, pair, 2));
	}
	return val_list(low, out.data, out.len);
}
