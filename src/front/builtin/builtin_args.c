/* Arguments of builtins: binding them to parameters, and reading single ones. */
#include "front/builtin/builtin.h"
#include "front/demote.h"

#include <stdlib.h>

/* ---- reading one argument ---- */

static bool bad_arg(FrontLower *low, const char *what, const char *arg, const char *want, const Val *v)
{
	if (sem_is_poison(v))
		return false;
	lower_error(low, DIAG_TILE_ARG_KIND, what, arg, want, sem_describe(low, v));
	if (sem_is_tensor(v))
		lower_note_constexpr(low, v);
	return false;
}

/* sem_host, with the reason that a demoted number gets. */
static const Val *host_arg(FrontLower *low, const char *what, const char *arg, const Val *v)
{
	const Val *number = sem_is_tensor(v) && v->origin ? v->origin : v;
	if (val_demoted(number))
		return val_known_for(number, arena_printf(low->arena, "%s wants '%s' when compiling", what, arg));
	return sem_host(v);
}

bool sem_arg_int(FrontLower *low, const char *what, const char *arg, const Val *v, int64_t *out)
{
	const Val *host = host_arg(low, what, arg, v);
	bool ok = host && (host->kind == VAL_INT || host->kind == VAL_BOOL);
	if (ok && host->kind == VAL_BOOL)
		*out = host->b;
	else if (!ok || !val_as_int(host, out))
		return bad_arg(low, what, arg, "an integer known when compiling", v);
	return true;
}

bool sem_arg_bool(FrontLower *low, const char *what, const char *arg, const Val *v, bool *out)
{
	const Val *host = host_arg(low, what, arg, v);
	if (!host || !(host->kind == VAL_BOOL || host->kind == VAL_INT || host->kind == VAL_NONE))
		return bad_arg(low, what, arg, "True or False", v);
	*out = val_truth(host);
	return true;
}

bool sem_arg_str(FrontLower *low, const char *what, const char *arg, const Val *v, const char **out)
{
	*out = "";
	v = val_demoted(v) ? host_arg(low, what, arg, v) : v;
	if (v->kind == VAL_NONE || (v->kind == VAL_BOOL && !v->b))
		return true;
	if (v->kind != VAL_STR)
		return bad_arg(low, what, arg, "a string", v);
	*out = arena_strndup(low->arena, v->s.ptr, v->s.len);
	return true;
}

bool sem_arg_dtype(FrontLower *low, const char *what, const char *arg, const Val *v, TlType *out)
{
	if (v->kind != VAL_DTYPE) {
		bad_arg(low, what, arg, "a dtype", v);
		lower_note(low, "dtypes are names of the tile language: tl.float32");
		return false;
	}
	*out = v->type;
	return true;
}

const Val *sem_arg_tensor(FrontLower *low, const char *what, const char *arg, const Val *v)
{
	if (val_is_host_number(v)) {
		v = sem_to_tensor(low, v);
		return sem_is_poison(v) ? NULL : v;
	}
	if (sem_is_tile(v))
		return v;
	bad_arg(low, what, arg, "a tensor", v);
	return NULL;
}

bool sem_arg_ints(FrontLower *low, const char *what, const char *arg, const Val *v, SemInts *out)
{
	out->len = 0;
	if (!sem_is_seq(v)) {
		out->len = 1;
		return sem_arg_int(low, what, arg, v, &out->at[0]);
	}
	if (v->seq.len > IR_MAX_RANK) {
		lower_error(low, DIAG_TILE_RANK_LIMIT, IR_MAX_RANK);
		return false;
	}
	for (uint32_t i = 0; i < v->seq.len; i++) {
		if (!sem_arg_int(low, what, arg, v->seq.items[i], &out->at[i]))
			return false;
	}
	out->len = v->seq.len;
	return true;
}

bool sem_arg_shape(FrontLower *low, const char *what, const Val *v, SemInts *out)
{
	return sem_arg_ints(low, what, "shape", v, out) && sem_check_shape(low, what, out->at, out->len);
}

bool sem_arg_axis(FrontLower *low, const char *what, const Val *v, uint32_t rank, uint32_t *out)
{
	int64_t axis;
	if (!sem_arg_int(low, what, "axis", v, &axis)) {
		if (!sem_is_poison(v))
			lower_note(low, "of two values tl.maximum(a, b) and tl.minimum(a, b) take one");
		return false;
	}
	if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
		lower_error(low, DIAG_TILE_AXIS, what, (long long)axis, rank);
		return false;
	}
	*out = (uint32_t)(axis < 0 ? axis + rank : axis);
	return true;
}

/* ---- parameters ---- */

typedef struct Param {
	Str name;
	Str value; /* default's text; ptr NULL: none */
	bool star, keyword_only;
} Param;

typedef struct Params {
	Param at[BUILTIN_MAX_PARAMS];
	uint32_t len;
	bool any_keyword; /* **kwargs: left to who reads them as given */
} Params;

static void add_param(Params *params, Str text)
{
	while (text.len && text.ptr[0] == ' ')
		text.ptr++, text.len--;
	if (text.len >= 2 && text.ptr[0] == '*' && text.ptr[1] == '*') {
		params->any_keyword = true;
		return;
	}
	ASSERT(params->len < BUILTIN_MAX_PARAMS);
	Param *p = &params->at[params->len++];
	*p = (Param){.star = text.ptr[0] == '*'};
	p->keyword_only = params->len > 1 && (p[-1].star || p[-1].keyword_only);
	if (p->star)
		text.ptr++, text.len--;
	const char *equals = memchr(text.ptr, '=', text.len);
	p->name = (Str){text.ptr, equals ? (size_t)(equals - text.ptr) : text.len};
	if (equals)
		p->value = (Str){equals + 1, text.len - p->name.len - 1};
}

static void read_params(const char *text, Params *out)
{
	*out = (Params){.len = 0};
	const char *start = text;
	char quote = 0;
	for (const char *at = text; *text; at++) {
		if (*at == '\'')
			quote = quote ? 0 : '\'';
		if ((*at == ',' && !quote) || !*at) {
			add_param(out, (Str){start, (size_t)(at - start)});
			start = at + 1;
		}
		if (!*at)
			break;
	}
}

static const Val *default_value(FrontLower *low, Str text)
{
	if (str_is(text, "None"))
		return low->none;
	if (str_is(text, "True"))
		return low->true_;
	if (str_is(text, "False"))
		return low->false_;
	if (str_is(text, "()"))
		return low->none; /* "nothing given", as for None */
	if (str_is(text, "float32"))
		return val_dtype(low, tl_scalar(low, DT_FP32));
	if (text.ptr[0] == '\'')
		return val_str(low, (Str){text.ptr + 1, text.len - 2});
	return val_int(low, strtoll(text.ptr, NULL, 10));
}

static bool has_poison(const Val *v)
{
	if (sem_is_poison(v))
		return true;
	for (uint32_t i = 0; sem_is_seq(v) && i < v->seq.len; i++) {
		if (has_poison(v->seq.items[i]))
			return true;
	}
	return false;
}

static const char *display_name(FrontLower *low, const BuiltinInfo *info)
{
	const char *prefix = info->where & IN_TL     ? "tl."
			     : info->where & IN_CUDA ? "tl.extra.cuda."
			     : info->where & IN_DEVICE ? "libdevice."
			     : info->where & OF_DESC ? "descriptor."
			     : info->where & IN_CORE ? "tl.core."
			     : info->where & IN_TARGET ? "tl.target_info."
							: "";
	return arena_printf(low->arena, "%s%s", prefix, info->name);
}

static bool bind_positional(FrontLower *low, const Params *params, const Val *self, const CallArgs *args,
			    BuiltinCall *call)
{
	uint32_t given = args->arg_count + (self ? 1 : 0);
	for (uint32_t i = 0; i < given; i++) {
		const Val *v = self && i == 0 ? self : args->args[i - (self ? 1 : 0)];
		if (i < params->len && params->at[i].star) {
			uint32_t rest = given - i;
			const Val **items = ARENA_ARRAY(low->arena, const Val *, rest);
			for (uint32_t j = 0; j < rest; j++)
				items[j] = args->args[i + j - (self ? 1 : 0)];
			call->a[i] = val_tuple(low, items, rest);
			return true;
		}
		if (i >= params->len || params->at[i].keyword_only) {
			uint32_t most = i;
			lower_error(low, DIAG_TILE_ARG_TOO_MANY, call->what, most, most == 1 ? "" : "s", given);
			return false;
		}
		call->a[i] = v;
	}
	return true;
}

static bool unknown_keyword(FrontLower *low, const Params *params, const char *name, const char *what)
{
	const char *names[BUILTIN_MAX_PARAMS];
	uint32_t n = 0;
	for (uint32_t i = 0; i < params->len; i++) {
		if (!params->at[i].star)
			names[n++] = arena_strndup(low->arena, params->at[i].name.ptr, params->at[i].name.len);
	}
	const char *near = str_nearest(str_of(name), names, n);
	const char *hint = near ? arena_printf(low->arena, "; did you mean '%s'?", near) : "";
	lower_error(low, DIAG_TILE_ARG_UNKNOWN, what, name, hint);
	return false;
}

static bool bind_keyword(FrontLower *low, const Params *params, const char *name, const Val *v,
			 BuiltinCall *call)
{
	for (uint32_t i = 0; i < params->len; i++) {
		const Param *p = &params->at[i];
		/* tl.reshape(x, shape=...): a *parameter may be given by name too, as one sequence. */
		if (!str_is(p->name, name))
			continue;
		if (call->a[i]) {
			lower_error(low, DIAG_TILE_ARG_TWICE, call->what, name);
			return false;
		}
		call->a[i] = p->star ? val_tuple(low, &v, 1) : v;
		return true;
	}
	/* What upstream passes from builtin to builtin. */
	bool internal = strcmp(name, "_semantic") == 0 || strcmp(name, "_generator") == 0 ||
			strcmp(name, "_builder") == 0;
	return internal || params->any_keyword || unknown_keyword(low, params, name, call->what);
}

bool builtin_bind(FrontLower *low, const BuiltinInfo *info, const Val *self, const CallArgs *args,
		  BuiltinCall *call)
{
	Params params;
	read_params(info->params, &params);
	*call = (BuiltinCall){.info = info, .what = display_name(low, info), .method = self != NULL,
			       .given = args};
	if (!bind_positional(low, &params, self, args, call))
		return false;
	for (uint32_t i = 0; i < args->keyword_count; i++) {
		if (!bind_keyword(low, &params, args->names[i], args->values[i], call))
			return false;
	}
	for (uint32_t i = 0; i < params.len; i++) {
		const Param *p = &params.at[i];
		if (call->a[i]) {
			if (has_poison(call->a[i]))
				return false;
		} else if (p->star) {
			call->a[i] = val_tuple(low, NULL, 0);
		} else if (p->value.ptr) {
			call->a[i] = default_value(low, p->value);
		} else {
			lower_error(low, DIAG_TILE_ARG_MISSING, call->what, STR_ARG(p->name));
			if (strcmp(call->what, "tl.arange") == 0)
				lower_note(low, "tl.arange(0, N) are the N numbers from 0 on");
			return false;
		}
	}
	return true;
}
