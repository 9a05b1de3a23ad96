/* Decoding: a kernel, and what all files of the decoder make instructions and values with.
 *
 * Values that only rename (casts of equal width, elements at constant places) are the slots of what
 * they name. Slots are virtual until all is decoded; then those that live within one block take
 * turns. */
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>

#include "sim/decode/decode.h"
#include "sim/ops/machine.h"
#include "sim/ops.h"

bool sim_refuse(SimDecoder *d, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	const SimLoc *loc = &d->locs.data[d->loc];
	if (!d->failed)
		diag_add_at(d->diags, loc->path, (LineCol){loc->line, loc->col}, DIAG_RUN_UNSUPPORTED,
			    arena_printf(d->diags->arena, "the simulator does not know %s", text));
	d->failed = true;
	return false;
}

/* ---- types ---- */

unsigned sim_bits(LLVMTypeRef part)
{
	switch (LLVMGetTypeKind(part)) {
	case LLVMIntegerTypeKind: {
		unsigned bits = LLVMGetIntTypeWidth(part);
		return bits <= 64 ? bits : 0;
	}
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind: return 16;
	case LLVMFloatTypeKind: return 32;
	case LLVMDoubleTypeKind: return 64;
	case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(part) == 3 ? 32 : 64;
	default: return 0;
	}
}

unsigned sim_bytes(LLVMTypeRef part)
{
	unsigned bits = sim_bits(part);
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

bool sim_shape(SimDecoder *d, LLVMTypeRef type, SimShape *out)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 128) {
		/* The low word, then the high one. */
		out->count = 2;
		out->part[0] = out->part[1] = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
		return true;
	}
	unsigned n = kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type) :
		     kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) :
		     kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type) : 1;
	out->count = n;
	if (n > ARRAY_LEN(out->part))
		return sim_refuse(d, "a value of %u parts", n);
	for (unsigned i = 0; i < n; i++) {
		out->part[i] = kind == LLVMVectorTypeKind || kind == LLVMArrayTypeKind ? LLVMGetElementType(type) :
			       kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : type;
		if (!sim_bits(out->part[i])) {
			char *text = LLVMPrintTypeToString(type);
			sim_refuse(d, "a value of type %s", text);
			LLVMDisposeMessage(text);
			return false;
		}
	}
	return true;
}

/* ---- values ---- */

SimValue sim_new(SimDecoder *d, uint32_t count)
{
	SimValue v = {ARENA_ARRAY(d->scratch, uint32_t, count + 1), count};
	for (uint32_t i = 0; i < count; i++)
		v.slots[i] = d->slots++;
	return v;
}

void sim_define(SimDecoder *d, LLVMValueRef v, SimValue value)
{
	SimValue *kept = ARENA_NEW(d->scratch, SimValue);
	CONTRACT(value.slots);
	*kept = value;
	map_put_ptr(&d->values, v, kept);
}

SimValue sim_value(SimDecoder *d, LLVMValueRef v)
{
	const SimValue *known = map_get_ptr(&d->values, v);
	if (known)
		return *known;
	SimValue none = {0};
	if (LLVMIsConstant(v))
		none = sim_constant_value(d, v);
	else
		sim_refuse(d, "a value that is used before the text of its definition");
	if (!none.count) {
		/* Diagnosed; any slots will do. */
		SimShape shape = {.count = ARRAY_LEN(shape.part)};
		none = sim_new(d, shape.count);
	}
	return none;
}

/* ---- instructions ---- */

SimInstr *sim_emit(SimDecoder *d, SimKind kind, unsigned results, unsigned operands)
{
	CONTRACT(results + operands < 1u << 16);
	SimInstr i = {
		.kind = kind,
		.results = (uint8_t)results,
		.operands = (uint8_t)operands,
		.loc = d->loc,
		.slots = ARENA_ARRAY(d->arena, uint32_t, results + operands + 1),
	};
	ASSERT(results < 256 && operands < 256);
	vec_push(d->arena, &d->code, i);
	return &vec_last(&d->code);
}

void sim_pure(SimDecoder *d, SimPure *fn, unsigned size, uint32_t result, uint32_t a, uint32_t b, uint32_t c, uint64_t imm)
{
	SimInstr *i = sim_emit(d, SIM_PURE, 1, 3);
	i->pure = fn;
	i->size = (uint8_t)size;
	i->imm = imm;
	i->slots[0] = result;
	i->slots[1] = a;
	i->slots[2] = b == SIM_NONE ? a : b;
	i->slots[3] = c == SIM_NONE ? a : c;
}

/* ---- a kernel ---- */

static SimKernel *finish(SimDecoder *d, uint32_t *arg_slots, const bool *arg_maps, uint32_t args,
			 unsigned threads, unsigned ctas, unsigned shared)
{
	SimKernel *k = ARENA_NEW(d->arena, SimKernel);
	/* Slot 0 is a constant, so that no place is 0. */
	uint32_t fixed = d->constants.len;
	*k = (SimKernel){
		.name = arena_strdup(d->arena, d->kernel_name),
		.ctas = ctas,
		.cta_warps = threads / SIM_LANES,
		.warps = ctas * threads / SIM_LANES,
		.shared = shared,
		.shared_pitch = (shared + 1023u) & ~1023u,
		.code = d->code.data,
		.code_count = d->code.len,
		.fixed = fixed,
		.constants = d->constants.data,
		.constant_bytes = d->constant_bytes.data,
		.constant_undefined = d->constant_undefined.data,
		.arg_slots = arg_slots,
		.arg_maps = arg_maps,
		.arg_count = args,
		.locs = d->locs.data,
		.texts = d->texts.data,
		.text_count = d->texts.len,
		.local = d->local,
		.ordered = d->ordered,
		.promises_memory = d->invariant,
	};
	for (uint32_t pc = 0; pc < d->code.len; pc++)
		d->code.data[pc].site = pc + 1;
	sim_decode_rules(d);
	sim_decode_origins(d, arg_slots, args);
	sim_decode_wraps(d);
	k->slot_count = sim_place_slots(d, fixed);
	return k;
}

static bool is_said(LLVMValueRef fn, unsigned arg, const char *attribute)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
	return LLVMGetEnumAttributeAtIndex(fn, arg + 1, kind) != NULL;
}

/* Tensor maps are the only arguments that a kernel has as bytes of its own. */
static bool is_map(LLVMValueRef fn, unsigned arg)
{
	return is_said(fn, arg, "byval");
}

static void take_noalias(SimKernel *k, LLVMValueRef fn)
{
	for (unsigned i = 0; i < k->arg_count && i < 63; i++)
		k->noalias |= (uint64_t)is_said(fn, i, "noalias") << i;
	k->promises_memory |= k->noalias != 0;
}

/* That each thread has at most; 0: nobody says. LLVM before 21 has it as metadata. */
static unsigned registers_of(LLVMModuleRef mod, LLVMValueRef fn)
{
#if LLVM_VERSION_MAJOR >= 21
	enum { NAME_BYTES = sizeof "nvvm.maxnreg" - 1 };
	const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	(void)mod;
	unsigned len;
	LLVMAttributeRef said = LLVMGetStringAttributeAtIndex(fn, on_function, "nvvm.maxnreg", NAME_BYTES);
	return said ? (unsigned)strtoul(LLVMGetStringAttributeValue(said, &len), NULL, 10) : 0;
#else
	enum { MOST = 1024 };
	LLVMValueRef nodes[MOST], parts[3];
	unsigned count = LLVMGetNamedMetadataNumOperands(mod, "nvvm.annotations"), out = 0, len;
	if (count > MOST)
		return 0;
	LLVMGetNamedMetadataOperands(mod, "nvvm.annotations", nodes);
	for (unsigned k = 0; k < count; k++) {
		if (LLVMGetMDNodeNumOperands(nodes[k]) != ARRAY_LEN(parts))
			continue;
		LLVMGetMDNodeOperands(nodes[k], parts);
		const char *name = LLVMGetMDString(parts[1], &len);
		if (parts[0] == fn && name && len == 7 && memcmp(name, "maxnreg", 7) == 0)
			out = (unsigned)LLVMConstIntGetZExtValue(parts[2]);
	}
	return out;
#endif
}

const SimKernel *sim_decode(Arena *arena, LLVMModuleRef mod, const char *kernel, unsigned threads,
			    unsigned ctas, unsigned shared, SimResidency resident, DiagList *diags)
{
	SimDecoder d = {.arena = arena, .scratch = diags->arena, .diags = diags, .mod = mod, .kernel_name = kernel,
			.ops = sim_ops_choose(NULL)};
	map_init(&d.loc_of, d.scratch);
	map_init(&d.data_of, d.scratch);
	map_init(&d.tiles, d.scratch);
	layout_context_init(&d.layouts, arena);
	map_init(&d.constant_of, d.scratch);
	vec_push(arena, &d.locs, (SimLoc){0});
	sim_constant(&d, 0, 8);
	LLVMValueRef fn = LLVMGetNamedFunction(mod, kernel);
	ASSERT(fn);
	unsigned n = LLVMCountParams(fn);
	uint32_t *arg_slots = ARENA_ARRAY(arena, uint32_t, n + 1);
	bool *arg_maps = ARENA_ARRAY(arena, bool, n + 1);
	SimValue *args = ARENA_ARRAY(d.scratch, SimValue, n + 1);
	for (unsigned i = 0; i < n; i++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(fn, i));
		if (!sim_bits(type)) {
			sim_refuse(&d, "argument %u, which is no number and no pointer", i);
			return NULL;
		}
		arg_slots[i] = d.constants.len;
		arg_maps[i] = is_map(fn, i);
		vec_push(arena, &d.constants, 0);
		vec_push(arena, &d.constant_bytes, (uint8_t)sim_bytes(type));
		vec_push(arena, &d.constant_undefined, 0);
		args[i] = sim_new(&d, 1);
		args[i].slots[0] = SIM_CONSTANT | arg_slots[i];
	}
	if (!decode_function(&d, fn, args, (SimValue){0}, false))
		return NULL;
	SimKernel *made = finish(&d, arg_slots, arg_maps, n, threads, ctas, shared);
	made->resident = resident;
	made->registers = registers_of(mod, fn);
	take_noalias(made, fn);
	return made;
}
