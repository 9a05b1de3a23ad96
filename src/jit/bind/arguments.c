/* The first step of a launch: matches the arguments of the call with parameters, and parses
 * numbers written as text. */
#include "jit/inner.h"

#include <locale.h>
#include <stdlib.h>

/* ---- messages ---- */

void jit_diag(DiagList *diags, const JitKernel *kernel, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	diag_add_at_v(diags, kernel->info->path, kernel->info->at, code, args);
	va_end(args);
}

void jit_diag_param(DiagList *diags, const JitKernel *kernel, const FrontParam *param, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	diag_add_at_v(diags, kernel->info->path, param->at, code, args);
	va_end(args);
}

const char *jit_nearest(Arena *arena, const char *name, const char *const *candidates, size_t count)
{
	const char *nearest = str_nearest(str_of(name), candidates, count);
	return nearest ? arena_printf(arena, " (did you mean '%s'?)", nearest) : "";
}

/* ---- which argument goes where ---- */

static uint32_t find_param(const FrontInfo *info, const char *name)
{
	uint32_t i = 0;
	while (i < info->param_count && strcmp(info->params[i].name, name) != 0)
		i++;
	return i;
}

static void unknown_param(Arena *arena, const JitKernel *kernel, const char *name, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	const char **names = ARENA_ARRAY(arena, const char *, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++)
		names[i] = info->params[i].name;
	jit_diag(diags, kernel, DIAG_ARG_UNKNOWN, info->qualified_name, name,
		 jit_nearest(arena, name, names, info->param_count));
}

bool jit_match_args(Arena *arena, const JitKernel *kernel, const JitArg *args, uint32_t arg_count,
		    const JitArg **given, DiagList *diags)
{
	const FrontInfo *info = kernel->info;
	uint32_t before = diags->errors;
	for (uint32_t a = 0, next = 0; a < arg_count; a++) {
		uint32_t at;
		if (args[a].name) {
			at = find_param(info, args[a].name);
			if (at == info->param_count) {
				unknown_param(arena, kernel, args[a].name, diags);
				continue;
			}
		} else {
			while (next < info->param_count && given[next])
				next++;
			at = next;
			if (at == info->param_count) {
				jit_diag(diags, kernel, DIAG_ARG_TOO_MANY, info->qualified_name, info->param_count,
					 arg_count);
				break;
			}
		}
		if (given[at])
			jit_diag_param(diags, kernel, &info->params[at], DIAG_ARG_TWICE, info->params[at].name);
		given[at] = &args[a];
	}
	return diags->errors == before;
}

/* ---- numbers as text ---- */

bool jit_literal(const char *text, JitArg *out)
{
	char buffer[64], *end;
	size_t len = strlen(text);
	if (!len || len >= sizeof buffer)
		return false;
	if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
		*out = (JitArg){.kind = JIT_BOOL, .i = text[0] == 'T', .dtype = DT__COUNT};
		return true;
	}
	size_t digits = text[0] == '-' ? 1 : 0;
	if (strspn(text + digits, "0123456789") == len - digits && len > digits && len < 19) {
		*out = (JitArg){.kind = JIT_INT, .i = strtoll(text, NULL, 10), .dtype = DT__COUNT};
		return true;
	}
	if (strspn(text + digits, "0123456789.eE+-") != len - digits || !strpbrk(text, "0123456789"))
		return false;
	/* strtod wants the decimal point of the host's locale. */
	memcpy(buffer, text, len + 1);
	char *point = strchr(buffer, '.');
	if (point)
		*point = localeconv()->decimal_point[0];
	double value = strtod(buffer, &end);
	if (*end)
		return false;
	*out = (JitArg){.kind = JIT_FLOAT, .f = value, .dtype = DT__COUNT};
	return true;
}

const char *jit_float_text(Arena *arena, double value)
{
	if (value != value)
		return "float('nan')";
	if (value - value != 0)
		return value > 0 ? "float('inf')" : "float('-inf')";
	char *text = arena_printf(arena, "%.17g", value);
	char point = localeconv()->decimal_point[0];
	bool is_float = false;
	for (char *p = text; *p; p++) {
		if (*p == point)
			*p = '.';
		is_float |= *p == '.' || *p == 'e';
	}
	return is_float ? text : arena_printf(arena, "%s.0", text);
}
