/* LLVM's intrinsics for NVIDIA (llvm.nvvm.*), as far as the CUDA device library has them: each is an instruction of PTX under
 * another name (alu.c), and where it rounds to the nearest and flushes nothing, the vector operation of ops.h.
 *
 * A name is words between points: what is done, `rn rz rm rp` (rounding), `ftz`, `approx`, letters for the type. Source: LLVM's
 * IntrinsicsNVVM. */
#include "sim/decode/decode.h"
#include "sim/half.h"
#include "sim/ops/machine.h"

typedef struct Name {
	Str what;
	const char *rounding; /* NULL: none is named */
	bool ftz, approx;
} Name;

static Name read_name(const char *name)
{
	static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
	Name out = {.what = {name, strcspn(name, ".")}};
	for (const char *at = name + out.what.len; *at;) {
		Str word = {at + 1, strcspn(at + 1, ".")};
		for (unsigned k = 0; k < ARRAY_LEN(roundings); k++)
			if (str_is(word, roundings[k]))
				out.rounding = roundings[k];
		out.ftz |= str_is(word, "ftz");
		out.approx |= str_is(word, "approx");
		at += 1 + word.len;
	}
	return out;
}

static uint32_t argument(SimDecoder *d, LLVMValueRef call, unsigned n)
{
	return n < LLVMGetNumArgOperands(call) ? sim_value(d, LLVMGetOperand(call, n)).slots[0] : SIM_NONE;
}

/* The call as one operation of its type. */
static bool emit(SimDecoder *d, LLVMValueRef call, SimPure *fn)
{
	SimValue out = sim_new(d, 1);
	sim_pure(d, fn, sim_bytes(LLVMTypeOf(call)), out.slots[0], argument(d, call, 0), argument(d, call, 1), argument(d, call, 2), 0);
	sim_define(d, call, out);
	return true;
}

static bool instruction(SimDecoder *d, LLVMValueRef call, const char *text)
{
	return sim_machine_alu.decode(d, call, text);
}

/* As in PTX; NULL where it is no number of 32 or 64 bits. */
static const char *type_text(LLVMTypeRef type, bool is_unsigned)
{
	switch (decode_float(type)) {
	case FLOAT_F32: return "f32";
	case FLOAT_F64: return "f64";
	default: break;
	}
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
		return NULL;
	unsigned bits = LLVMGetIntTypeWidth(type);
	return bits == 32 ? (is_unsigned ? "u32" : "s32") : bits == 64 ? (is_unsigned ? "u64" : "s64") : NULL;
}

/* ---- arithmetic ---- */

typedef struct Arithmetic {
	const char *name, *ptx;
	SimFloatOp op; /* OPS_FLOAT__COUNT: none */
} Arithmetic;

/* trunc and the like are conversions to whole numbers of the same type. */
static const Arithmetic all[] = {
	{"add", "add", OPS_fadd}, {"mul", "mul", OPS_fmul}, {"div", "div", OPS_fdiv}, {"fma", "fma", OPS_FLOAT__COUNT},
	{"rcp", "rcp", OPS_FLOAT__COUNT}, {"sqrt", "sqrt", OPS_sqrt}, {"rsqrt", "rsqrt", OPS_FLOAT__COUNT}, {"ex2", "ex2", OPS_exp2},
	{"lg2", "lg2", OPS_log2}, {"sin", "sin", OPS_sin}, {"cos", "cos", OPS_cos}, {"fabs", "abs", OPS_FLOAT__COUNT}, {"fmin", "min", OPS_minnum},
	{"fmax", "max", OPS_maxnum}, {"trunc", "cvt.rzi", OPS_trunc}, {"round", "cvt.rni", OPS_rint}, {"floor", "cvt.rmi", OPS_floor},
	{"ceil", "cvt.rpi", OPS_ceil}, {"saturate", "cvt.sat", OPS_FLOAT__COUNT},
};

static bool decode_arithmetic(SimDecoder *d, LLVMValueRef call, const Arithmetic *a, const Name *name)
{
	int kind = decode_float(LLVMTypeOf(call));
	const char *type = type_text(LLVMTypeOf(call), false);
	if (kind != FLOAT_F32 && kind != FLOAT_F64)
		return sim_refuse(d, "the intrinsic llvm.nvvm.%s", name->what.ptr);
	bool nearest = !name->rounding || strcmp(name->rounding, "rn") == 0;
	if (nearest && !name->ftz && a->op != OPS_FLOAT__COUNT)
		return emit(d, call, d->ops->floats[a->op][kind]);
	if (nearest && !name->ftz && strcmp(a->name, "fma") == 0)
		return emit(d, call, d->ops->fma[kind]);
	bool converts = strncmp(a->ptx, "cvt", 3) == 0;
	return instruction(d, call, arena_printf(d->scratch, "%s%s%s%s%s.%s%s%s", a->ptx, name->approx ? ".approx" : "", name->rounding ? "." : "",
						 name->rounding ? name->rounding : "", name->ftz ? ".ftz" : "", type, converts ? "." : "",
						 converts ? type : ""));
}

/* ---- conversions ---- */

static void to_half(void *d, const void *a, const void *b, const void *c, uint64_t imm)
{
	uint16_t *to = d;
	const float *from = a;
	(void)b;
	(void)c;
	(void)imm;
	for (unsigned lane = 0; lane < SIM_LANES; lane++)
		to[lane] = half_to_f16(from[lane]);
}

/* f2ull, i2d, d2f, ...: by the types, and whether a `u` is in it. */
static bool decode_conversion(SimDecoder *d, LLVMValueRef call, const Name *name)
{
	bool is_unsigned = memchr(name->what.ptr, 'u', name->what.len) != NULL;
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(call, 0)), to = LLVMTypeOf(call);
	const char *source = type_text(from, is_unsigned), *target = type_text(to, is_unsigned);
	/* An fp16 that is not 0 is far above what `ftz` flushes. */
	if (str_is(name->what, "f2h"))
		return emit(d, call, to_half);
	if (!source || !target || !name->rounding)
		return sim_refuse(d, "the intrinsic llvm.nvvm.%s", name->what.ptr);
	bool to_whole = LLVMGetTypeKind(to) == LLVMIntegerTypeKind;
	return instruction(d, call, arena_printf(d->scratch, "cvt.%s%s%s.%s.%s", name->rounding, to_whole ? "i" : "", name->ftz ? ".ftz" : "", target,
						 source));
}

/* The words of an f64, and an f64 of words. */
static bool decode_words(SimDecoder *d, LLVMValueRef call, const char *name)
{
	uint32_t in = argument(d, call, 0), moved = d->slots++;
	SimValue out = sim_new(d, 1);
	if (strcmp(name, "lohi.i2d") == 0) {
		uint32_t low = d->slots++, high = d->slots++;
		sim_pure(d, d->ops->zext[2][3], 8, low, in, SIM_NONE, SIM_NONE, 0);
		sim_pure(d, d->ops->zext[2][3], 8, high, argument(d, call, 1), SIM_NONE, SIM_NONE, 0);
		sim_pure(d, d->ops->ints[OPS_shl][3], 8, moved, high, sim_constant(d, 32, 8), SIM_NONE, 0);
		sim_pure(d, d->ops->ints[OPS_or][3], 8, out.slots[0], low, moved, SIM_NONE, 0);
	} else {
		sim_pure(d, d->ops->ints[OPS_lshr][3], 8, moved, in, sim_constant(d, strcmp(name, "d2i.hi") == 0 ? 32 : 0, 8), SIM_NONE, 0);
		sim_pure(d, d->ops->zext[3][2], 4, out.slots[0], moved, SIM_NONE, SIM_NONE, 0);
	}
	sim_define(d, call, out);
	return true;
}

bool nvvm_decode(SimDecoder *d, LLVMValueRef call, const char *name)
{
	static const struct {
		const char *name, *ptx;
	} integers[] = {{"mulhi.i", "mul.hi.s32"}, {"mulhi.ll", "mul.hi.s64"}, {"mulhi.ui", "mul.hi.u32"}, {"mulhi.ull", "mul.hi.u64"},
			{"sad.i", "sad.s32"}, {"sad.ui", "sad.u32"}, {"prmt", "prmt.b32"}};
	Name parts = read_name(name);
	if (strcmp(name, "d2i.hi") == 0 || strcmp(name, "d2i.lo") == 0 || strcmp(name, "lohi.i2d") == 0)
		return decode_words(d, call, name);
	for (size_t i = 0; i < ARRAY_LEN(integers); i++)
		if (strcmp(name, integers[i].name) == 0)
			return instruction(d, call, integers[i].ptx);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (str_is(parts.what, all[i].name))
			return decode_arithmetic(d, call, &all[i], &parts);
	if (memchr(parts.what.ptr, '2', parts.what.len) && LLVMGetNumArgOperands(call) == 1)
		return decode_conversion(d, call, &parts);
	return sim_refuse(d, "the intrinsic llvm.nvvm.%s", name);
}
