/* Writes the line that declares exactly one variant. */
#include "jit/declare/declare.h"
#include "jit/declare/options.h"
#include "jit/inner.h"

static void write_param(Text *out, const FrontParam *param, const FrontArg *arg)
{
	text_str(out, param->name);
	switch (arg->kind) {
	case FRONT_CONST: text_printf(out, "=%s", arg->text); return;
	case FRONT_DEMOTED: text_printf(out, ": constexpr %s", jit_dtype_text(arg->dtype)); return;
	default: text_printf(out, ": %s", arg->text);
	}
	if (arg->divisibility > 1)
		text_printf(out, ":%u", arg->divisibility);
}

/* `path` as seen from `folder`, where it lies in it. */
static const char *relative(const char *path, const char *folder)
{
	const size_t len = folder ? strlen(folder) : 0;
	return len && strncmp(path, folder, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

const char *jit_declaration(Arena *arena, const JitVariant *variant, const char *folder)
{
	const FrontInfo *info = variant->kernel->info;
	Text out;
	/* One that falls back is made with that which it falls back from; one that goes on from a
	 * file is no variant of the source. */
	if (variant->options.no_maps || variant->options.override || variant->options.ptx_only)
		return NULL;
	text_init(&out, arena);
	const char *path = front_shown_path(arena, info->path);
	text_printf(&out, "%s:%s(", relative(path, folder), info->qualified_name);
	for (uint32_t i = 0, shown = 0; i < info->param_count; i++) {
		if (variant->args[i].kind == FRONT_DEFAULT)
			continue;
		text_str(&out, shown++ ? ", " : "");
		write_param(&out, &info->params[i], &variant->args[i]);
	}
	text_char(&out, ')');
	jit_options_write(&out, &variant->options);
	return strpbrk(out.data, "\n\r#") ? NULL : out.data;
}
