/* The names of options in declarations: as in the key of a variant, and in Python. */
#include "jit/declare/options.h"

#include <stdlib.h>

#include "jit/inner.h"

typedef enum { NUMBER, FLAG, TEXT } Kind;

typedef struct Row {
	const char *name;
	Kind kind;
	size_t at;
	uint32_t preset; /* NUMBER */
} Row;

#define AT(field) offsetof(JitOptions, field)
static const Row rows[] = {
	{"num_warps", NUMBER, AT(num_warps), 4},
	{"num_stages", NUMBER, AT(num_stages), 3},
	{"num_ctas", NUMBER, AT(num_ctas), 1},
	{"maxnreg", NUMBER, AT(maxnreg), 0},
	{"ptx_version", NUMBER, AT(ptx_version), 0},
	{"debug", FLAG, AT(debug), 0},
	{"no_overflow_checks", FLAG, AT(no_overflow_checks), 0},
	{"no_specialize", FLAG, AT(no_specialize), 0},
	{"no_gpu_limits", FLAG, AT(no_gpu_limits), 0},
	{"no_fp_fusion", FLAG, AT(no_fp_fusion), 0},
	{"no_line_info", FLAG, AT(no_line_info), 0},
	{"no_reflect_ftz", FLAG, AT(no_reflect_ftz), 0},
	{"strict_triton", FLAG, AT(strict), 0},
	{"wide_offsets", FLAG, AT(wide_offsets), 0},
	{"cooperative", FLAG, AT(cooperative), 0},
	{"dependent_launch", FLAG, AT(dependent), 0},
	{"dot_precision", TEXT, AT(dot_precision), 0},
	{"symbol", TEXT, AT(symbol), 0},
	{"target", TEXT, AT(target), 0},
};
#undef AT

static void *field(const JitOptions *options, const Row *row)
{
	return (char *)(uintptr_t)options + row->at;
}

static const char *text_of(const JitOptions *options, const Row *row)
{
	if (row->at == offsetof(JitOptions, target))
		return options->sim ? options->target : options->gpu ? options->gpu->name : NULL;
	const char *text = *(const char **)field(options, row);
	bool preset = text && row->at == offsetof(JitOptions, dot_precision) && strcmp(text, "tf32") == 0;
	return preset ? NULL : text;
}

void jit_options_write(Text *out, const JitOptions *options)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const Row *row = &rows[i];
		if (row->kind == TEXT) {
			if (text_of(options, row))
				text_printf(out, " %s=%s", row->name, text_of(options, row));
		} else if (row->kind == FLAG) {
			if (*(bool *)field(options, row))
				text_printf(out, " %s", row->name);
		} else if (*(uint32_t *)field(options, row) != row->preset) {
			text_printf(out, " %s=%u", row->name, *(uint32_t *)field(options, row));
		}
	}
}

const char *jit_options_set(JitOptions *options, const char *name, const char *text, Arena *arena)
{
	const char *names[ARRAY_LEN(rows) + 1];
	if (strcmp(name, "constexpr") == 0) {
		options->policy = strcmp(text, "generic") == 0 ? JIT_POLICY_GENERIC : JIT_POLICY_EAGER;
		return options->policy == JIT_POLICY_GENERIC || strcmp(text, "eager") == 0
			       ? NULL
			       : "constexpr is eager or generic";
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const Row *row = &rows[i];
		char *end;
		names[i] = row->name;
		if (strcmp(row->name, name) != 0)
			continue;
		if ((row->kind == FLAG) != !*text)
			return arena_printf(
				arena, row->kind == FLAG ? "%s takes no value" : "%s wants a value", name);
		if (row->kind == TEXT)
			*(const char **)field(options, row) = text;
		else if (row->kind == FLAG)
			*(bool *)field(options, row) = true;
		else
			*(uint32_t *)field(options, row) = (uint32_t)strtoul(text, &end, 10);
		return row->kind == NUMBER && (*end || strlen(text) > 9)
			       ? arena_printf(arena, "%s wants a number, not '%s'", name, text)
			       : NULL;
	}
	names[ARRAY_LEN(rows)] = "constexpr";
	return arena_printf(arena, "no option '%s'%s", name,
			    jit_nearest(arena, name, names, ARRAY_LEN(names)));
}
