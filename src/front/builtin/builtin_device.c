/* Calls of device libraries by symbol, chosen by the arguments' types: libdevice, and what users name
 * themselves. */
#include "front/builtin/builtin.h"

enum { MAX_EXTERN = 16 };

static const Val *device_call(FrontLower *low, const BuiltinCall *call);

static const BuiltinInfo rows[] = {
#define DEVICE(name, count) {name, IN_DEVICE, PARAMS_##count, device_call, count, NULL, "a function of the CUDA device library"},
#define SYMBOL(name, args, result, symbol)
#define PARAMS_1 "arg0"
#define PARAMS_2 "arg0, arg1"
#define PARAMS_3 "arg0, arg1, arg2"
#define PARAMS_4 "arg0, arg1, arg2, arg3"
#include "front/builtin/libdevice.def"
#undef DEVICE
#undef SYMBOL
};

static const char *const names[] = {
#define DEVICE(name, count) name,
#define SYMBOL(name, args, result, symbol)
#include "front/builtin/libdevice.def"
#undef DEVICE
#undef SYMBOL
};

static const struct {
	const char *name, *args;
	char result;
	const char *symbol;
} symbols[] = {
#define DEVICE(name, count)
#define SYMBOL(name, args, result, symbol) {name, args, result, symbol},
#include "front/builtin/libdevice.def"
#undef DEVICE
#undef SYMBOL
};

const BuiltinInfo *builtin_device_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

const char *const *builtin_device_names(size_t *count)
{
	*count = ARRAY_LEN(names);
	return names;
}

static TlDtype letter_dtype(char letter)
{
	switch (letter) {
	case 'u':
		return DT_UINT32;
	case 'l':
		return DT_INT64;
	case 'U':
		return DT_UINT64;
	case 'f':
		return DT_FP32;
	case 'd':
		return DT_FP64;
	case 'h':
		return DT_FP16;
	default: /* i, b */
		return DT_INT32;
	}
}

typedef struct Library {
	const char *name, *path, *symbol;
	bool pure;
} Library;

static const Val *emit_call(FrontLower *low, const Library *lib, const Val *const *args, uint32_t count,
			    TlType type)
{
	IrValue *operands[MAX_EXTERN];
	for (uint32_t i = 0; i < count; i++)
		operands[i] = sem_ir(args[i]);
	IrOp *op = irb_op(&low->b, OP_EXTERN, operands, count, &type->ir, 1, 0);
	ir_set(low->m, op, ATTR_LIBNAME, ir_attr_string(low->cx, str_of(lib->name)));
	ir_set(low->m, op, ATTR_LIBPATH, ir_attr_string(low->cx, str_of(lib->path)));
	ir_set(low->m, op, ATTR_SYMBOL, ir_attr_string(low->cx, str_of(lib->symbol)));
	ir_set(low->m, op, ATTR_PURE, ir_attr_bool(low->cx, lib->pure));
	return sem_make(low, ir_result(op, 0), type);
}

static bool signature_fits(const char *letters, const Val *const *args, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!tl_is(sem_elem(args[i]), letter_dtype(letters[i])))
			return false;
	}
	return true;
}

static const Val *no_signature(FrontLower *low, const BuiltinCall *call, const Val *const *args,
			       uint32_t count)
{
	Text have, want;
	text_init(&have, low->arena);
	text_init(&want, low->arena);
	for (uint32_t i = 0; i < count; i++)
		text_printf(&have, "%s%s", i ? ", " : "", tl_describe(low, sem_elem(args[i])));
	for (size_t s = 0; s < ARRAY_LEN(symbols); s++) {
		if (strcmp(symbols[s].name, call->info->name) != 0)
			continue;
		text_str(&want, want.len ? " or (" : "(");
		for (uint32_t i = 0; i < count; i++)
			text_printf(&want, "%s%s", i ? ", " : "",
				    tl_describe(low, tl_scalar(low, letter_dtype(symbols[s].args[i]))));
		text_char(&want, ')');
	}
	return lower_error(low, DIAG_TILE_DEVICE_TYPES, call->what, want.data, have.data);
}

static const Val *device_call(FrontLower *low, const BuiltinCall *call)
{
	const Val *args[4];
	uint32_t count = (uint32_t)call->info->data;
	for (uint32_t i = 0; i < count; i++) {
		args[i] = sem_arg_tensor(low, call->what, "argument", call->a[i]);
		if (!args[i])
			return low->poison;
	}
	if (!sem_broadcast_all(low, args, count))
		return low->poison;
	for (size_t s = 0; s < ARRAY_LEN(symbols); s++) {
		if (strcmp(symbols[s].name, call->info->name) != 0 || !signature_fits(symbols[s].args, args, count))
			continue;
		TlType type = tl_with_elem(low, sem_type(args[0]), tl_scalar(low, letter_dtype(symbols[s].result)));
		Library lib = {.name = "", .path = "", .symbol = symbols[s].symbol, .pure = true};
		const Val *result = emit_call(low, &lib, args, count, type);
		return symbols[s].result == 'b' ? sem_cast(low, result, tl_scalar(low, DT_INT1)) : result;
	}
	return no_signature(low, call, args, count);
}

const Val *builtin_device(FrontLower *low, const BuiltinCall *call)
{
	const char *name;
	if (!sem_arg_str(low, call->what, "name", call->a[0], &name))
		return low->poison;
	const BuiltinInfo *row = builtin_device_find(name);
	if (!row)
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "name", "a libdevice function",
				   sem_describe(low, call->a[0]));
	CallArgs args = {.args = call->a[1]->seq.items, .arg_count = call->a[1]->seq.len};
	return builtin_call(low, row, NULL, &args);
}

/* ---- extern_elementwise: the user's own table of signatures ---- */

/* {(dtype, ...): ("symbol", dtype), ...}: is entry i the one for these arguments? */
static bool entry_fits(const Val *key, const Val *const *args, uint32_t count)
{
	if (!sem_is_seq(key) || key->seq.len != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (key->seq.items[i]->kind != VAL_DTYPE || key->seq.items[i]->type != sem_elem(args[i]))
			return false;
	}
	return true;
}

const Val *builtin_extern(FrontLower *low, const BuiltinCall *call)
{
	const Val *args[MAX_EXTERN], *list = call->a[2], *dict = call->a[3];
	Library lib;
	if (!sem_is_seq(list) || list->seq.len == 0 || list->seq.len > MAX_EXTERN || dict->kind != VAL_DICT)
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "args",
				   "a list of tensors with a dict of signatures",
				   sem_describe(low, list));
	uint32_t count = list->seq.len;
	for (uint32_t i = 0; i < count; i++) {
		args[i] = sem_arg_tensor(low, call->what, "args", list->seq.items[i]);
		if (!args[i])
			return low->poison;
	}
	if (!sem_arg_str(low, call->what, "lib_name", call->a[0], &lib.name) ||
	    !sem_arg_str(low, call->what, "lib_path", call->a[1], &lib.path) ||
	    !sem_arg_bool(low, call->what, "is_pure", call->a[4], &lib.pure) ||
			!sem_broadcast_all(low, args, count))
		return low->poison;
	Text have;
	text_init(&have, low->arena);
	for (uint32_t i = 0; i < count; i++)
		text_printf(&have, "%s%s", i ? ", " : "", tl_describe(low, sem_elem(args[i])));
	for (uint32_t i = 0; i < dict->dict.len; i++) {
		const Val *value = dict->dict.values[i];
		TlType type;
		if (!entry_fits(dict->dict.keys[i], args, count) || !sem_is_seq(value) || value->seq.len != 2)
			continue;
		if (!sem_arg_str(low, call->what, "symbol", value->seq.items[0], &lib.symbol) ||
		    !sem_arg_dtype(low, call->what, "result", value->seq.items[1], &type))
			return low->poison;
		return emit_call(low, &lib, args, count, tl_with_elem(low, sem_type(args[0]), type));
	}
	return lower_error(low, DIAG_TILE_DEVICE_TYPES, call->what, "what its dict names", have.data);
}
