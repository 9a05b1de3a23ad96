/* Signatures in upstream's notation: one entry per parameter, separated by commas outside brackets and
 * quotes. An entry is a type, with a hint after ':', or a constant. */
#include "jit/inner.h"

static Str trim(Str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[0] == '\n'))
		s.ptr++, s.len--;
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t' || s.ptr[s.len - 1] == '\n'))
		s.len--;
	return s;
}

void jit_split(Arena *arena, const char *text, JitEntries *out)
{
	const char *start = text;
	int depth = 0;
	char quote = 0;
	for (const char *p = text;; p++) {
		if (*p == 0 || (*p == ',' && depth <= 0 && !quote)) {
			vec_push(arena, out, trim((Str){start, (size_t)(p - start)}));
			start = p + 1;
			if (*p == 0)
				return;
		} else if (quote) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '\'' || *p == '"') {
			quote = *p;
		} else if (strchr("([{<", *p)) {
			depth++;
		} else if (strchr(")]}>", *p)) {
			depth--;
		}
	}
}

/* Is the text a type, hint apart? "*fp32", "**fp16", "*kfp32", "i32", "tensordesc<...>". */
bool jit_is_type(Str text)
{
	if (text.len > 11 && memcmp(text.ptr, "tensordesc<", 11) == 0)
		return true;
	if (text.len && text.ptr[0] == '*')
		return true;
	return jit_dtype_of(text) != DT__COUNT;
}

static FrontArg parse_entry(Arena *arena, const JitKernel *kernel, const FrontParam *param, Str entry, DiagList *diags)
{
	Str type = entry, hint = {0};
	for (size_t i = 0; i < entry.len; i++)
		if (entry.ptr[i] == ':') {
			type = trim((Str){entry.ptr, i});
			hint = trim((Str){entry.ptr + i + 1, entry.len - i - 1});
			break;
		}
	if (!jit_is_type(type))
		return (FrontArg){.kind = FRONT_CONST, .text = arena_strndup(arena, entry.ptr, entry.len)};
	if (hint.ptr && !str_is(hint, "1") && !str_is(hint, "8") && !str_is(hint, "16"))
		jit_diag_param(diags, kernel, param, DIAG_SIGNATURE_HINT, arena_strndup(arena, entry.ptr, entry.len));
	if (param->is_constexpr)
		jit_diag_param(diags, kernel, param, DIAG_SIGNATURE_TYPE, param->name, arena_strndup(arena, type.ptr, type.len));
	if (str_is(hint, "1"))
		return (FrontArg){.kind = FRONT_CONST, .text = "1"};
	TlDtype dtype = jit_dtype_of(type);
	return (FrontArg){
		.kind = FRONT_TYPE,
		.text = dtype != DT__COUNT ? jit_dtype_text(dtype) : arena_strndup(arena, type.ptr, type.len),
		.divisibility = str_is(hint, "16") ? 16 : str_is(hint, "8") ? 8 : 0,
	};
}

/* A constant of a constexpr parameter becomes a number that may be demoted. */
static void demote(const FrontParam *param, JitArg *literal, FrontArg *arg, const JitArg **given)
{
	const char *text = arg->kind == FRONT_CONST ? arg->text : arg->kind == FRONT_DEFAULT ? param->value : NULL;
	if (param->is_constexpr && text && jit_literal(text, literal) && jit_demote(literal, text, arg))
		*given = literal;
}

bool jit_bind_signature(Arena *arena, const JitKernel *kernel, const char *signature, const JitOptions *options,
			JitBinding *binding, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	uint32_t before = diags->errors;
	binding->launched = false;
	JitEntries entries = {0};
	if (trim(str_of(signature)).len)
		jit_split(arena, signature, &entries);
	if (entries.len > info->param_count) {
		jit_diag(diags, kernel, DIAG_SIGNATURE_LENGTH, entries.len, info->qualified_name, info->param_count);
		return false;
	}
	binding->args = ARENA_ARRAY(arena, FrontArg, info->param_count + 1);
	binding->given = ARENA_ARRAY(arena, const JitArg *, info->param_count + 1);
	JitArg *literals = ARENA_ARRAY(arena, JitArg, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++) {
		const FrontParam *param = &info->params[i];
		if (i < entries.len && !entries.data[i].len)
			jit_diag_param(diags, kernel, param, DIAG_SIGNATURE_EMPTY, i + 1);
		else if (i < entries.len)
			binding->args[i] = parse_entry(arena, kernel, param, entries.data[i], diags);
		else if (param->value)
			binding->args[i] = jit_bind_default(param);
		else if (param->is_constexpr)
			jit_diag_param(diags, kernel, param, DIAG_ARG_MISSING_CONSTEXPR, param->name, info->qualified_name);
		else
			jit_diag_param(diags, kernel, param, DIAG_ARG_MISSING, param->name, info->qualified_name);
	}
	if (diags->errors != before)
		return false;
	for (uint32_t i = 0; options->policy == JIT_POLICY_GENERIC && i < info->param_count; i++)
		demote(&info->params[i], &literals[i], &binding->args[i], &binding->given[i]);
	jit_binding_done(binding, info->param_count);
	binding->key = jit_key(arena, kernel, binding->args, options);
	return true;
}
