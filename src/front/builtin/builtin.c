/* The names of triton.* and what they mean: modules, dtypes, constants, builtins, functions of lib/. */
#include "front/builtin/builtin.h"

static const BuiltinInfo table[] = {
#define BUILTIN(name, where, params, handler, data, doc) {name, where, params, builtin_##handler, data, NULL, doc},
#define METHOD(name, where, params, handler, data, doc) BUILTIN(name, where, params, handler, data, doc)
#define LIB(name, where, file, doc) {name, where, NULL, NULL, 0, file, doc},
#include "front/builtin/builtins.def"
#undef BUILTIN
#undef METHOD
#undef LIB
};

/* Names of tl, for "did you mean". */
static const char *const tl_names[] = {
#define BUILTIN(name, where, params, handler, data, doc) name,
#define METHOD(name, where, params, handler, data, doc)
#define LIB(name, where, file, doc) name,
#include "front/builtin/builtins.def"
#undef BUILTIN
#undef METHOD
#undef LIB
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) name,
#include "front/dtypes.def"
#undef DTYPE
	"math", "extra", "core", "PropagateNan", "void", "TRITON_MAX_TENSOR_NUMEL",
};

static const struct {
	const char *path;
	uint32_t where;      /* rows found there */
	const char *modules; /* sub-modules, each between spaces */
	bool dtypes;
} modules[] = {
	{"triton", IN_TRITON, " language ", false},
	{"triton.language", IN_TL, " math core standard random extra target_info libdevice PropagateNan ", true},
	{"triton.language.core", IN_TL | IN_CORE, " math extra PropagateNan ", true},
	{"triton.language.standard", IN_TL | IN_CORE, " math core ", true},
	{"triton.language.random", IN_TL, " ", true},
	{"triton.language.math", IN_MATH | IN_DEVICE, " ", false},
	{"triton.language.libdevice", IN_DEVICE, " ", false},
	{"triton.language.target_info", IN_TARGET, " ", false},
	{"triton.language.extra", 0, " libdevice cuda hip intel ", false},
	{"triton.language.extra.libdevice", IN_DEVICE, " ", false},
	{"triton.language.extra.cuda", IN_CUDA, " libdevice utils ", false},
	{"triton.language.extra.cuda.utils", IN_CUDA, " ", false},
	{"triton.language.extra.cuda.libdevice", IN_DEVICE, " ", false},
	{"triton.language.extra.hip", 0, " libdevice ", false},
	{"triton.language.extra.hip.libdevice", IN_DEVICE, " ", false},
	{"triton.language.extra.intel", 0, " libdevice ", false},
	{"triton.language.extra.intel.libdevice", IN_DEVICE, " ", false},
	{"triton.language.PropagateNan", 0, " ", false},
	{"triton.language.core.PropagateNan", 0, " ", false},
	{"triton.language.dtype", 0, " SIGNEDNESS KIND ", false},
	{"triton.language.dtype.SIGNEDNESS", 0, " ", false},
	{"triton.language.dtype.KIND", 0, " ", false},
};

/* Numbers behind names, by the last part of the module's path. */
static const struct {
	const char *module, *name;
	int64_t value;
} constants[] = {
	{"PropagateNan", "NONE", NAN_NONE}, {"PropagateNan", "ALL", NAN_ALL},     {"SIGNEDNESS", "SIGNED", 0},
	{"SIGNEDNESS", "UNSIGNED", 1},      {"KIND", "BOOLEAN", 0},               {"KIND", "INTEGRAL", 1},
	{"KIND", "FLOATING", 2},            {"language", "TRITON_MAX_TENSOR_NUMEL", SEM_MAX_NUMEL},
	{"core", "TRITON_MAX_TENSOR_NUMEL", SEM_MAX_NUMEL}, {"core", "CONSTEXPR_0", 0},
	{"random", "N_ROUNDS_DEFAULT", 10},
};

/* What files that ask are told: all names of this version's language are here. */
static const char version[] = "3.7.1";

const BuiltinInfo *builtin_find(uint32_t where, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if ((table[i].where & where) && strcmp(table[i].name, name) == 0)
			return &table[i];
	}
	return NULL;
}

const Val *builtin_value(FrontLower *low, const BuiltinInfo *info)
{
	if (!info->run)
		return lower_lib_name(low, info->lib, info->name);
	Val *v = ARENA_NEW(low->arena, Val);
	v->kind = VAL_BUILTIN;
	v->builtin = info;
	return v;
}

static const Val *device_function(FrontLower *low, const char *name)
{
	const Val *ours = lower_lib_name(low, "libdevice", name);
	const BuiltinInfo *row = ours ? NULL : builtin_device_find(name);
	return row ? builtin_value(low, row) : ours;
}

static const Val *dtype_value(FrontLower *low, const char *name)
{
	TlType type;
	for (int i = 0; i < DT__COUNT; i++) {
		if (strcmp(tl_dtypes[i].name, name) == 0)
			return val_dtype(low, tl_scalar(low, (TlDtype)i));
	}
	if (strcmp(name, "void") == 0)
		return val_dtype(low, tl_void(low));
	if (strcmp(name, "pi32_t") == 0 && tl_type_by_name(low, STR("*i32"), &type))
		return val_dtype(low, type);
	return NULL;
}

static const Val *sub_module(FrontLower *low, const char *path, const char *name)
{
	const char *full = arena_printf(low->arena, "%s.%s", path, name);
	for (size_t i = 0; i < ARRAY_LEN(modules); i++) {
		if (strcmp(modules[i].path, full) != 0)
			continue;
		Val *v = ARENA_NEW(low->arena, Val);
		v->kind = VAL_MODULE;
		v->module.builtin_path = modules[i].path;
		return v;
	}
	return NULL;
}

static const Val *constant_value(FrontLower *low, const char *path, const char *name)
{
	const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
	for (size_t i = 0; i < ARRAY_LEN(constants); i++) {
		if (strcmp(constants[i].module, last) == 0 && strcmp(constants[i].name, name) == 0)
			return val_int(low, constants[i].value);
	}
	if (strcmp(path, "triton") == 0 && strcmp(name, "__version__") == 0)
		return val_str(low, str_of(version));
	return NULL;
}

const Val *builtin_lookup(FrontLower *low, const char *module_path, Sym name)
{
	for (size_t i = 0; i < ARRAY_LEN(modules); i++) {
		if (strcmp(modules[i].path, module_path) != 0)
			continue;
		const BuiltinInfo *row = builtin_find(modules[i].where & ~(uint32_t)IN_DEVICE, name);
		const Val *v = row ? builtin_value(low, row) : NULL;
		if (!v && (modules[i].where & IN_DEVICE))
			v = device_function(low, name);
		if (!v && modules[i].dtypes)
			v = dtype_value(low, name);
		if (!v)
			v = constant_value(low, module_path, name);
		if (!v && strstr(modules[i].modules, arena_printf(low->arena, " %s ", name)))
			v = sub_module(low, strcmp(name, "PropagateNan") == 0 ? "triton.language" : module_path,
				       name);
		return v;
	}
	return NULL;
}

const char *const *builtin_names(const char *module_path, size_t *count)
{
	static const char device[] = "libdevice";
	size_t len = strlen(module_path), tail = sizeof device - 1;
	if (len >= tail && strcmp(module_path + len - tail, device) == 0)
		return builtin_device_names(count);
	bool known = strncmp(module_path, "triton.language", 15) == 0;
	*count = known ? ARRAY_LEN(tl_names) : 0;
	return tl_names;
}

/* Functions for which the padding of tiles would be seen. */
static bool sees_padding(const BuiltinInfo *builtin)
{
	static const char *const names[] = {"atomic_cas", "map_elementwise",
		"inline_asm_elementwise", "extern_elementwise", "dot_scaled", "assume",
		"_experimental_descriptor_store", "store_tensor_descriptor", "_experimental_descriptor_load",
		"load_tensor_descriptor"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], builtin->name) == 0)
			return true;
	return (builtin->where & OF_DESC) != 0;
}

const Val *builtin_call(FrontLower *low, const BuiltinInfo *builtin, const Val *self, const CallArgs *args)
{
	BuiltinCall call = {0};
	if (self && sem_is_poison(self))
		return low->poison;
	if (!builtin_bind(low, builtin, self, args, &call))
		return low->poison;
	if (sees_padding(builtin) && !sem_no_padding(low, call.what, call.a, BUILTIN_MAX_PARAMS))
		return low->poison;
	return builtin->run(low, &call);
}

const Val *sem_call_with(FrontLower *low, const char *name, const CallArgs *args)
{
	const BuiltinInfo *row = builtin_find(IN_TL, name);
	ASSERT(row);
	return lower_call(low, builtin_value(low, row), args);
}

const Val *sem_call(FrontLower *low, const char *name, const Val *const *args, uint32_t count)
{
	const Val **copy = ARENA_ARRAY(low->arena, const Val *, count);
	for (uint32_t i = 0; i < count; i++)
		copy[i] = args[i];
	CallArgs call = {.args = copy, .arg_count = count};
	return sem_call_with(low, name, &call);
}
