/* tt.extern_elementwise: functions of a device library, element by element.
 *
 * Those of lower_extern.def are built here; any other is called, and comes from the library that holds it: the
 * op's own bitcode file (libpath), else libdevice.10.bc (libdevice.c). Floats narrower than f32 occur in no
 * symbol of either. */
#include "llvm/math/func.h"
#include "llvm/math/libdevice.h"

typedef LLVMValueRef V;

/* ---- a machine operation for each instruction ---- */

/* The instruction is the suffix, its operands are those of the call. */
bool machine_alu(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	LLVMTypeRef types[1 + MATH_MAX_OPERANDS];
	unsigned count = LLVMCountParamTypes(function);
	ASSERT(count <= MATH_MAX_OPERANDS);
	types[0] = LLVMGetReturnType(function);
	LLVMGetParamTypes(function, types + 1);
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	text_printf(&text, "%s ", suffix);
	for (unsigned i = 0; i <= count; i++) {
		bool real = LLVMGetTypeKind(types[i]) != LLVMIntegerTypeKind;
		bool wide = LLVMGetTypeKind(types[i]) == LLVMDoubleTypeKind || (!real && LLVMGetIntTypeWidth(types[i]) == 64);
		text_printf(&text, "%s$%u", i ? ", " : "", i);
		text_printf(&constraints, "%s%c", i ? "," : "=", real ? (wide ? 'd' : 'f') : wide ? 'l' : 'r');
	}
	text_printf(&text, ";");
	*form = (MachineForm){.text = text.data, .constraints = constraints.data};
	return true;
}

static V alu(Lower *lw, const char *instruction, LLVMTypeRef result, const V *args, unsigned count)
{
	return machine_family(lw, MACHINE_alu, instruction, result, args, count);
}

/* ---- what rows of CODE are written with ---- */

static V real(Lower *lw, LLVMTypeRef t, double value)
{
	(void)lw;
	return LLVMConstReal(t, value);
}

static V mul(Lower *lw, V a, V b)
{
	return LLVMBuildFMul(lw->b, a, b, "");
}

static V widen(Lower *lw, V a)
{
	return LLVMBuildFPExt(lw->b, a, lw->t.f64, "");
}

static V narrow(Lower *lw, V a)
{
	return LLVMBuildFPTrunc(lw->b, a, lw->t.f32, "");
}

static V trig(Lower *lw, V a, bool cosine)
{
	func_trig(lw, &a, 1, cosine);
	return a;
}

static V truth(Lower *lw, LLVMTypeRef t, V condition)
{
	return t == lw->t.i1 ? condition : LLVMBuildZExt(lw->b, condition, t, "");
}

/* Is |a| the infinity (OEQ), or a number and not it (ONE)? */
static V infinite(Lower *lw, V a, LLVMRealPredicate predicate)
{
	V size = math_intrinsic(lw, "llvm.fabs", &a, 1);
	return math_cmp(lw, predicate, size, LLVMConstRealOfString(LLVMTypeOf(a), "inf"));
}

static V sign(Lower *lw, V a, LLVMTypeRef bits)
{
	return LLVMBuildICmp(lw->b, LLVMIntSLT, LLVMBuildBitCast(lw->b, a, bits, ""), LLVMConstNull(bits), "");
}

static V word(Lower *lw, V a, unsigned which)
{
	V pair = LLVMBuildBitCast(lw->b, a, LLVMVectorType(lw->t.i32, 2), "");
	return LLVMBuildExtractElement(lw->b, pair, lower_i32(lw, which), "");
}

static V join(Lower *lw, V high, V low)
{
	V pair = LLVMGetPoison(LLVMVectorType(lw->t.i32, 2));
	pair = LLVMBuildInsertElement(lw->b, pair, low, lower_i32(lw, 0), "");
	pair = LLVMBuildInsertElement(lw->b, pair, high, lower_i32(lw, 1), "");
	return LLVMBuildBitCast(lw->b, pair, lw->t.f64, "");
}

/* Half the sum without overflow, rounded down or up: what both have, and half of what one has. */
static V average(Lower *lw, V a, V b, bool up, bool is_signed)
{
	V one = lower_i32(lw, 1), differ = LLVMBuildXor(lw->b, a, b, "");
	V half = is_signed ? LLVMBuildAShr(lw->b, differ, one, "") : LLVMBuildLShr(lw->b, differ, one, "");
	return up ? LLVMBuildSub(lw->b, LLVMBuildOr(lw->b, a, b, ""), half, "") :
		    LLVMBuildAdd(lw->b, LLVMBuildAnd(lw->b, a, b, ""), half, "");
}

/* Number of the lowest bit that is set, from 1; 0 without one. */
static V first_set(Lower *lw, V a)
{
	LLVMTypeRef t = LLVMTypeOf(a);
	const char *name = t == lw->t.i64 ? "llvm.cttz.i64" : "llvm.cttz.i32";
	V zeros = lower_intrinsic2(lw, name, t, a, lower_i1(lw, true));
	V at = LLVMBuildAdd(lw->b, zeros, LLVMConstInt(t, 1, false), "");
	V some = LLVMBuildICmp(lw->b, LLVMIntNE, a, LLVMConstNull(t), "");
	at = math_select(lw, some, at, LLVMConstNull(t));
	return t == lw->t.i64 ? LLVMBuildTrunc(lw->b, at, lw->t.i32, "") : at;
}

/* ---- the table ---- */

typedef V ExternFn(Lower *lw, LLVMTypeRef t, V a, V b, V c);

typedef struct Row {
	const char *name, *instruction;
	ExternFn *build; /* NULL: the instruction */
} Row;

#define PTX(name, instruction)
#define ROUNDED(name, before, after)
#define INTEGRAL(name, types)
#define CODE(name, ...)                                             \
	static V code_##name(Lower *lw, LLVMTypeRef t, V a, V b, V c) \
	{                                                           \
		(void)t;                                            \
		(void)a;                                            \
		(void)b;                                            \
		(void)c;                                            \
		return __VA_ARGS__;                                 \
	}
#include "llvm/math/extern.def"
#undef PTX
#undef ROUNDED
#undef INTEGRAL
#undef CODE

static const Row rows[] = {
#define PTX(name, instruction) {#name, instruction, NULL},
#define ROUNDED(name, before, after)                                                                   \
	{#name "_rn", before ".rn." after, NULL}, {#name "_rz", before ".rz." after, NULL},            \
		{#name "_rd", before ".rm." after, NULL}, {#name "_ru", before ".rp." after, NULL},
#define INTEGRAL(name, types)                                                                          \
	{#name "_rn", "cvt.rni." types, NULL}, {#name "_rz", "cvt.rzi." types, NULL},                  \
		{#name "_rd", "cvt.rmi." types, NULL}, {#name "_ru", "cvt.rpi." types, NULL},
#define CODE(name, ...) {#name, NULL, code_##name},
#include "llvm/math/extern.def"
#undef PTX
#undef ROUNDED
#undef INTEGRAL
#undef CODE
};

static const Row *find_row(const char *symbol)
{
	static const char prefix[] = "__nv_";
	if (strncmp(symbol, prefix, sizeof prefix - 1) != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, symbol + sizeof prefix - 1) == 0)
			return &rows[i];
	return NULL;
}

/* ---- the op ---- */

enum { MAX_OPERANDS = 16 };

/* A name that is not built here. */
static V declare(Lower *lw, const IrOp *op, const char *symbol, LLVMTypeRef type)
{
	V fn = LLVMGetNamedFunction(lw->mod, symbol);
	if (fn)
		return fn;
	fn = LLVMAddFunction(lw->mod, symbol, type);
	if (ir_get_bool(op, lw->module->cx, ATTR_PURE)) {
		static const char *const attributes[] = {"nounwind", "willreturn", "memory"};
		for (unsigned i = 0; i < ARRAY_LEN(attributes); i++) {
			unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
			LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, LLVMCreateEnumAttribute(lw->cx, kind, 0));
		}
	}
	return fn;
}

static V build_element(Lower *lw, const IrOp *op, const Row *row, const char *symbol, const V *args)
{
	LLVMTypeRef t = lower_type(lw, ir_elem(op->results[0].type)), types[MAX_OPERANDS];
	uint32_t n = op->operand_count;
	if (row && row->build)
		return row->build(lw, t, n > 0 ? args[0] : NULL, n > 1 ? args[1] : NULL, n > 2 ? args[2] : NULL);
	if (row)
		return alu(lw, row->instruction, t, args, n);
	for (uint32_t i = 0; i < n; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(t, types, n, false);
	return LLVMBuildCall2(lw->b, type, declare(lw, op, symbol, type), (V *)(uintptr_t)args, n, "");
}

static const char *text_attr(Lower *lw, const IrOp *op, IrAttrName name)
{
	IrAttr a = ir_get(op, lw->module->cx, name);
	return arena_strndup(lw->arena, a->text, a->text_len);
}

bool lower_EXTERN(Lower *lw, IrOp *op)
{
	const char *symbol = text_attr(lw, op, ATTR_SYMBOL), *path = text_attr(lw, op, ATTR_LIBPATH), *error;
	const Row *row = *path ? NULL : find_row(symbol);
	if (op->operand_count > (row ? MATH_MAX_OPERANDS : MAX_OPERANDS))
		return lower_diag(lw, op->loc, DIAG_LOWER_SYMBOL, symbol, "takes fewer operands");
	if (!row && !libdevice_has(lw, *path ? path : NULL, symbol, &error))
		return lower_diag(lw, op->loc, DIAG_LOWER_SYMBOL, symbol, error);
	LowerValue in[MAX_OPERANDS];
	for (uint32_t i = 0; i < op->operand_count; i++)
		in[i] = lower_get(lw, ir_operand(op, i));
	uint32_t count = lower_count(lw, op->results[0].type);
	V *out = lower_array(lw, count), args[MAX_OPERANDS];
	for (uint32_t r = 0; r < count; r++) {
		for (uint32_t i = 0; i < op->operand_count; i++)
			args[i] = in[i].regs[in[i].count == 1 ? 0 : r];
		out[r] = build_element(lw, op, row, symbol, args);
	}
	lower_set(lw, ir_result(op, 0), out, count);
	return true;
}
