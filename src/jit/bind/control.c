/* Specialisation rules of single parameters beyond do_not_specialize, set by a kernel's source or
 * by its user:
 *
 *	never_one    1 is a number like any other
 *	always_one   it is 1: a constant, and another value is an error
 *	div8         divisibility by 8 counts, besides that by 16; integers that are strides or
 *	             bounds of tiles have this without asking (FrontParam.div8_int)
 *	unaligned    divisibility is ignored
 *	i64, fp32    the type, whatever the value would choose
 *
 * Several are separated by ",". They are in jit(specialize={"n": "i64, div8"}), in an annotation
 * that is a string (n: "i64, div8"), or set from outside (jit_kernel_control) before anything was
 * compiled. All of it becomes part of FrontParam, which binding, keys and declarations read. */
#include "jit/inner.h"

static Str trimmed(Str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
		s.ptr++, s.len--;
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

static const char *const words[] = {"never_one", "always_one", "div8", "unaligned"};

static bool take_word(FrontParam *param, Str word)
{
	bool *const fields[] = {&param->never_one, &param->always_one, &param->div8,
				&param->do_not_specialize_on_alignment};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(word, words[i])) {
			*fields[i] = true;
			param->div8_int &= !param->do_not_specialize_on_alignment;
			return true;
		}
	return false;
}

/* own: an annotation may say other things, and has had its type read. False after diagnosing. */
static bool take_words(const JitKernel *kernel, FrontParam *param, const char *text, bool own,
		       DiagList *diags)
{
	bool good = true;
	for (const char *at = text; *at;) {
		const size_t len = strcspn(at, ",");
		const Str word = trimmed((Str){at, len});
		at += len + (at[len] == ',');
		if (!word.len || take_word(param, word) || own)
			continue;
		const TlDtype dtype = jit_dtype_of(word);
		if (dtype != DT__COUNT) {
			param->dtype = jit_dtype_text(dtype);
			continue;
		}
		const char *name = arena_strndup(diags->arena, word.ptr, word.len);
		jit_diag_param(diags, kernel, param, DIAG_CONTROL_WORD, name,
			       jit_nearest(diags->arena, name, words, ARRAY_LEN(words)));
		good = false;
	}
	return good;
}

/* The kernel's own copy of what the front end says of it. */
static FrontParam *own_params(JitKernel *kernel, Arena *arena)
{
	FrontInfo *info = arena_copy(arena, kernel->info, sizeof *kernel->info);
	FrontParam *params = ARENA_ARRAY(arena, FrontParam, info->param_count + 1);
	if (info->param_count)
		memcpy(params, kernel->info->params, info->param_count * sizeof *params);
	info->params = params;
	kernel->info = info;
	return params;
}

bool jit_control_source(JitKernel *kernel, DiagList *diags)
{
	FrontParam *params = NULL;
	bool good = true;
	for (uint32_t i = 0; i < kernel->info->param_count; i++) {
		const FrontParam *p = &kernel->info->params[i];
		Arena *arena = &kernel->module->arena;
		if (!p->control && !p->annotation_control)
			continue;
		params = params ? params : own_params(kernel, arena);
		if (params[i].annotation_control)
			take_words(kernel, &params[i], params[i].annotation_control, true, diags);
		if (params[i].control)
			good &= take_words(kernel, &params[i], params[i].control, false, diags);
	}
	return good;
}

static bool same_control(const FrontParam *a, const FrontParam *b)
{
	const char *x = a->dtype ? a->dtype : "", *y = b->dtype ? b->dtype : "";
	return strcmp(x, y) == 0 && a->never_one == b->never_one && a->always_one == b->always_one &&
	       a->div8 == b->div8 && a->do_not_specialize_on_alignment == b->do_not_specialize_on_alignment;
}

static bool is_used(JitKernel *kernel)
{
	pthread_mutex_lock(&kernel->module->table_lock);
	const bool used = kernel->variants || kernel->dispatch;
	pthread_mutex_unlock(&kernel->module->table_lock);
	return used;
}

JitStatus jit_kernel_control(JitKernel *kernel, const char *param, const char *text, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	const char **names = ARENA_ARRAY(diags->arena, const char *, info->param_count + 1);
	uint32_t at = info->param_count;
	diags->sources = &kernel->module->sources;
	for (uint32_t i = 0; i < info->param_count; i++) {
		names[i] = info->params[i].name;
		at = strcmp(names[i], param) == 0 ? i : at;
	}
	if (at == info->param_count) {
		jit_diag(diags, kernel, DIAG_ARG_UNKNOWN, info->qualified_name, param,
			 jit_nearest(diags->arena, param, names, info->param_count));
		return JIT_ARGUMENT;
	}
	FrontParam changed = info->params[at];
	if (!take_words(kernel, &changed, text, false, diags))
		return JIT_ARGUMENT;
	if (same_control(&changed, &info->params[at]))
		return JIT_OK;
	if (is_used(kernel)) {
		jit_diag(diags, kernel, DIAG_CONTROL_LATE, info->qualified_name);
		return JIT_ARGUMENT;
	}
	pthread_mutex_lock(&kernel->module->front_lock);
	own_params(kernel, &kernel->module->arena)[at] = changed;
	pthread_mutex_unlock(&kernel->module->front_lock);
	return JIT_OK;
}
