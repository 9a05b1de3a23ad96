/* Modules of IR text: each function that is not private is a kernel, and its parameters have the
 * types in the text.
 *
 * There is no source to lower: a variant gets the text, read again into its own IrCx. Values are
 * not specialised on, because the text is the same for all; a launch checks what the text says of
 * its arguments (tt.divisibility). */
#include "base/fault.h"
#include "base/os.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "jit/inner.h"

static const struct {
	IrTypeKind ir;
	const char *text;
	unsigned bytes; /* of an element in memory */
} dtypes[DT__COUNT] = {
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) \
	[DT_##kind] = {TY_##ir, short_name, (bits + 7) / 8},
#include "front/dtypes.def"
#undef DTYPE
};

/* ---- types ---- */

/* The signed one of those that are held alike; NULL: no type of arguments. */
static const char *scalar_text(IrType type)
{
	for (TlDtype d = 0; d < DT__COUNT; d++)
		if (dtypes[d].ir == type->kind)
			return dtypes[d].text;
	return NULL;
}

/* As in signatures; NULL: a launch cannot give it. */
static const char *type_text(Arena *arena, IrType type)
{
	if (type->kind == TY_PTR) {
		const char *elem = scalar_text(type->elem);
		return elem ? arena_printf(arena, "*%s", elem) : NULL;
	}
	if (type->kind != TY_TENSORDESC)
		return scalar_text(type);
	const char *elem = scalar_text(type->elem->elem);
	if (!elem)
		return NULL;
	Text text;
	text_init(&text, arena);
	text_printf(&text, "tensordesc<%s[", elem);
	for (uint32_t i = 0; i < type->elem->rank; i++)
		text_printf(&text, i ? ", %lld" : "%lld", (long long)type->elem->shape[i]);
	text_str(&text, "]>");
	return text.data;
}

/* Does what is given go into a parameter of the type? The text says how memory is read: a pointer
 * may come as an address in 64 bits, or be one to other elements of the size, such as a tensor of
 * booleans for one of bytes. */
static bool fits_type(IrType type, const JitParam *param, const FrontArg *arg, Arena *arena)
{
	if (type->kind == TY_TENSORDESC) {
		const char *text = type_text(arena, type);
		return param->kind == JIT_PARAM_DESC && text && strcmp(text, arg->text) == 0;
	}
	if (param->dtype == DT__COUNT)
		return false;
	IrTypeKind given = dtypes[param->dtype].ir;
	bool pointer = type->kind == TY_PTR;
	if (pointer && param->kind == JIT_PARAM_POINTER)
		return given == type->elem->kind || dtypes[param->dtype].bytes == (type->elem->bits + 7) / 8;
	return param->kind == JIT_PARAM_SCALAR && given == (pointer ? TY_I64 : type->kind);
}

/* Arguments behind a descriptor that are its shape and strides. */
static uint32_t extents_after(const IrBlock *body, uint32_t at)
{
	if (body->args[at]->type->kind != TY_TENSORDESC)
		return 0;
	uint32_t rank = body->args[at]->type->elem->rank;
	if (at + 2 * rank >= body->arg_count)
		return 0;
	for (uint32_t i = 0; i < 2 * rank; i++)
		if (body->args[at + 1 + i]->type->kind != (i < rank ? TY_I32 : TY_I64))
			return 0;
	return 2 * rank;
}

/* ---- kernels ---- */

static bool add_kernel(JitModule *module, const IrCx *cx, const IrOp *func, DiagList *diags)
{
	Arena *arena = &module->arena;
	const IrBlock *body = ir_func_body(func);
	FrontInfo *info = ARENA_NEW(arena, FrontInfo);
	FrontParam *params = ARENA_ARRAY(arena, FrontParam, body->arg_count + 1);
	info->name = info->qualified_name = arena_strdup(arena, ir_get(func, cx, ATTR_SYM_NAME)->text);
	info->path = module->path;
	info->params = params;
	info->is_kernel = true;
	for (uint32_t at = 0; at < body->arg_count; at += 1 + extents_after(body, at)) {
		const IrValue *value = body->args[at];
		FrontParam *p = &params[info->param_count];
		const char *text = type_text(arena, value->type);
		p->name = value->loc && value->loc->kind == LOC_NAME ? arena_strdup(arena, value->loc->text)
								     : arena_printf(arena, "arg%u", info->param_count);
		if (!text) {
			IrLoc at_loc = ir_loc_position(value->loc);
			LineCol place = at_loc ? (LineCol){at_loc->line, at_loc->col + 1} : (LineCol){0, 0};
			diag_add_at(diags, at_loc ? at_loc->text : module->path, place, DIAG_IR_ARGUMENT, p->name, info->name,
				    ir_type_text(diags->arena, value->type));
			return false;
		}
		p->do_not_specialize = p->do_not_specialize_on_alignment = true;
		p->annotation = text;
		p->dtype = value->type->kind == TY_PTR || value->type->kind == TY_TENSORDESC ? NULL : text;
		info->param_count++;
	}
	module->kernels[module->kernel_count++] = (JitKernel){.module = module, .info = info};
	return true;
}

static bool load(JitModule *module, const Str *text, DiagList *diags)
{
	Arena *arena = &module->arena;
	module->path = arena_strdup(arena, module->path);
	source_set_init(&module->sources, arena);
	Str bytes;
	const char *error;
	if (text)
		bytes = (Str){arena_strndup(arena, text->ptr, text->len), text->len};
	else if (!os_read_file(arena, module->path, &bytes, &error)) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_FILE_UNREADABLE, module->path, error);
		return false;
	}
	module->ir_text = source_add(&module->sources, module->path, bytes.ptr, bytes.len, 1);
	module->has_products = strstr(module->ir_text->text, "tt.dot") != NULL;
	diags->sources = &module->sources;
	IrCx cx;
	ir_cx_init(&cx, arena);
	const IrModule *ir = ir_read(&cx, module->ir_text, diags);
	if (!ir || !ir_verify(ir, LEVEL_T, diags))
		return false;
	uint32_t count = 0;
	for (const IrOp *op = ir_module_block(ir)->first; op; op = op->next)
		count++;
	module->kernels = ARENA_ARRAY(arena, JitKernel, count + 1);
	for (const IrOp *op = ir_module_block(ir)->first; op; op = op->next)
		if (op->kind == OP_FUNC && ir_func_body(op) && ir_func_is_public(op, &cx) && !add_kernel(module, &cx, op, diags))
			return false;
	return true;
}

JitModule *jit_module_load_ir(const JitHost *host, const char *path, const Str *text, DiagList *diags)
{
	return jit_module_make(host, path, text, load, diags);
}

/* ---- variants ---- */

static uint32_t divisibility(const IrCx *cx, const IrOp *func, uint32_t at)
{
	IrAttr dicts = ir_get(func, cx, ATTR_ARG_ATTRS);
	IrAttr dict = dicts && at < dicts->len ? dicts->items[at] : NULL;
	for (uint32_t i = 0; dict && i < dict->len; i++)
		if (dict->names[i] == cx->names[ATTR_DIVISIBILITY])
			return (uint32_t)dict->items[i]->i;
	return 0;
}

IrModule *jit_ir_read(const JitVariant *variant, IrCx *cx, SourceSet *sources, DiagList *diags)
{
	const JitKernel *kernel = variant->kernel;
	jit_copy_sources(cx->arena, &kernel->module->sources, sources);
	diags->sources = sources;
	IrModule *ir = ir_read(cx, kernel->module->ir_text, diags);
	if (!ir || !ir_verify(ir, LEVEL_T, diags))
		return NULL;
	const IrBlock *body = ir_func_body(ir_find_func(ir, ir_sym(cx, kernel->info->name)));
	uint32_t before = diags->errors;
	for (uint32_t i = 0, at = 0; i < kernel->info->param_count; i++, at += 1 + extents_after(body, at))
		if (!fits_type(body->args[at]->type, &variant->params[i], &variant->args[i], diags->arena))
			jit_diag_param(diags, kernel, &kernel->info->params[i], DIAG_ARG_TYPE, kernel->info->params[i].annotation,
				       kernel->info->params[i].name, variant->args[i].text);
	return diags->errors == before ? ir : NULL;
}

void jit_ir_hints(JitVariant *variant)
{
	const FrontInfo *info = variant->kernel->info;
	const IrOp *func = ir_find_func(variant->ir, ir_sym(&variant->cx, info->name));
	const IrBlock *body = ir_func_body(func);
	for (uint32_t i = 0, at = 0; i < info->param_count; i++, at += 1 + extents_after(body, at))
		variant->params[i].divisibility = divisibility(&variant->cx, func, at);
}
