/* Decoding of control: functions, blocks, edges. Calls of functions with bodies are decoded in
 * their place. Phis are copies on the edges, through slots of their own where one phi's source is
 * another's result. */
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>

#include "sim/decode/decode.h"
#include "sim/ops/machine.h"

static uint32_t loc_of(SimDecoder *d, LLVMMetadataRef place)
{
	uint64_t known;
	if (!place)
		return 0;
	if (map_get(&d->loc_of, map_key(place), &known))
		return (uint32_t)known;
	unsigned len;
	LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(place));
	const char *path = file ? LLVMDIFileGetFilename(file, &len) : NULL;
	SimLoc loc = {
		.path = path ? arena_strndup(d->arena, path, len) : NULL,
		.line = LLVMDILocationGetLine(place),
		.col = LLVMDILocationGetColumn(place),
		.caller = loc_of(d, LLVMDILocationGetInlinedAt(place)),
	};
	if (!loc.line)
		return 0;
	uint32_t at = d->locs.len;
	vec_push(d->arena, &d->locs, loc);
	map_put(&d->loc_of, map_key(place), at);
	return at;
}

static LLVMValueRef metadata(SimDecoder *d, LLVMValueRef v, const char *name)
{
	return LLVMGetMetadata(
		v, LLVMGetMDKindIDInContext(LLVMGetModuleContext(d->mod), name, (unsigned)strlen(name)));
}

static void set_place(SimDecoder *d, LLVMValueRef instr)
{
	uint32_t loc = loc_of(d, LLVMInstructionGetDebugLoc(instr));
	LLVMValueRef kept = !loc && LLVMHasMetadata(instr) ? metadata(d, instr, "neso.at") : NULL;
	loc = kept ? loc_of(d, LLVMValueAsMetadata(kept)) : loc;
	d->at = instr;
	if (loc)
		d->loc = loc;
}

static void copy(SimDecoder *d, unsigned bytes, uint32_t to, uint32_t from)
{
	sim_pure(d, d->ops->copy[base_log2(bytes)], bytes, to, from, SIM_NONE, SIM_NONE, 0);
	vec_last(&d->code).takes_tokens = true;
}

typedef struct Jump {
	uint32_t instr;
	int which; /* of to[]; < 0: of cases */
	LLVMBasicBlockRef block; /* NULL: the end of the function */
} Jump;

typedef struct Function {
	SimDecoder *d;
	LLVMValueRef fn;
	VEC(Jump) jumps;
	Map starts; /* block -> pc + 1 */
	SimValue result;
	bool called;
} Function;

static void add_jump(Function *f, uint32_t instr, int which, LLVMBasicBlockRef block)
{
	vec_push(f->d->scratch, &f->jumps, (Jump){instr, which, block});
}

static bool has_phi(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	return first && LLVMIsAPHINode(first);
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
	unsigned n = LLVMCountIncoming(phi);
	for (unsigned i = 0; i < n; i++)
		if (LLVMGetIncomingBlock(phi, i) == from)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

typedef struct Move {
	uint32_t to, from;
	unsigned bytes;
} Move;

/* What an edge does: all copies at once, then the jump. */
static bool edge(Function *f, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	SimDecoder *d = f->d;
	VEC(Move) moves = {0};
	for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi)) {
		SimShape shape;
		if (!sim_shape(d, LLVMTypeOf(phi), &shape))
			return false;
		LLVMValueRef value = incoming(phi, from);
		if (!value)
			continue;
		SimValue in = sim_value(d, value), out = sim_value(d, phi);
		for (uint32_t k = 0; k < shape.count && !d->failed; k++)
			if (in.slots[k] != out.slots[k])
				vec_push(d->scratch, &moves,
					 (Move){out.slots[k], in.slots[k], sim_bytes(shape.part[k])});
	}
	/* Sources that an earlier copy overwrites are saved first. */
	Map written;
	map_init(&written, d->scratch);
	for (uint32_t i = 0; i < moves.len; i++)
		map_put(&written, moves.data[i].to, 1);
	for (uint32_t i = 0; i < moves.len; i++) {
		uint64_t one;
		if (!map_get(&written, moves.data[i].from, &one))
			continue;
		uint32_t saved = d->slots++;
		copy(d, moves.data[i].bytes, saved, moves.data[i].from);
		moves.data[i].from = saved;
	}
	for (uint32_t i = 0; i < moves.len; i++)
		copy(d, moves.data[i].bytes, moves.data[i].to, moves.data[i].from);
	sim_emit(d, SIM_JUMP, 0, 0);
	add_jump(f, d->code.len - 1, 0, to);
	return !d->failed;
}

static bool decode_branch(Function *f, LLVMValueRef v, LLVMBasicBlockRef block)
{
	SimDecoder *d = f->d;
	if (!LLVMIsConditional(v))
		return edge(f, block, LLVMGetSuccessor(v, 0));
	SimValue c = sim_value(d, LLVMGetCondition(v));
	SimInstr *i = sim_emit(d, SIM_BRANCH, 0, 1);
	i->slots[0] = c.slots[0];
	uint32_t at = d->code.len - 1;
	for (unsigned k = 0; k < 2; k++) {
		LLVMBasicBlockRef to = LLVMGetSuccessor(v, k);
		if (!has_phi(to)) {
			add_jump(f, at, (int)k, to);
			continue;
		}
		d->code.data[at].to[k] = d->code.len;
		if (!edge(f, block, to))
			return false;
	}
	return true;
}

/* Of the k-th successor; the first one is the default. */
static LLVMValueRef case_value(LLVMValueRef v, unsigned k)
{
#if LLVM_VERSION_MAJOR >= 22
	return LLVMGetSwitchCaseValue(v, k);
#else
	return LLVMGetOperand(v, 2 * k); /* the value, the default, then pairs */
#endif
}

static bool decode_switch(Function *f, LLVMValueRef v, LLVMBasicBlockRef block)
{
	SimDecoder *d = f->d;
	LLVMValueRef on = LLVMGetOperand(v, 0);
	unsigned n = LLVMGetNumSuccessors(v);
	uint64_t *cases = ARENA_ARRAY(d->arena, uint64_t, 2 * n + 1);
	SimValue c = sim_value(d, on);
	SimInstr *i = sim_emit(d, SIM_SWITCH, 0, 1);
	uint32_t at = d->code.len - 1;
	i->slots[0] = c.slots[0];
	i->size = (uint8_t)sim_bytes(LLVMTypeOf(on));
	i->cases = cases;
	i->imm = n - 1;
	for (unsigned k = 0; k < n; k++) {
		if (k && !sim_constant_bits(d, case_value(v, k), &cases[2 * (k - 1)]))
			return false;
		if (k)
			cases[2 * (k - 1) + 1] = d->code.len;
		else
			d->code.data[at].to[0] = d->code.len;
		if (!edge(f, block, LLVMGetSuccessor(v, k)))
			return false;
	}
	return true;
}

static bool decode_return(Function *f, LLVMValueRef v)
{
	SimDecoder *d = f->d;
	if (!f->called) {
		sim_emit(d, SIM_RETURN, 0, 0);
		return true;
	}
	SimShape shape;
	if (LLVMGetNumOperands(v)) {
		LLVMValueRef value = LLVMGetOperand(v, 0);
		SimValue in = sim_value(d, value);
		if (d->failed || !sim_shape(d, LLVMTypeOf(value), &shape))
			return false;
		CONTRACT(shape.count == f->result.count);
		for (uint32_t k = 0; k < shape.count; k++)
			copy(d, sim_bytes(shape.part[k]), f->result.slots[k], in.slots[k]);
	}
	sim_emit(d, SIM_JUMP, 0, 0);
	add_jump(f, d->code.len - 1, 0, NULL);
	return true;
}

static bool decode_call(SimDecoder *d, LLVMValueRef v)
{
	LLVMValueRef fn = LLVMGetCalledValue(v);
	size_t len;
	if (LLVMIsAInlineAsm(fn)) {
		const char *text = LLVMGetInlineAsmAsmString(fn, &len);
		return sim_decode_asm(d, v, arena_strndup(d->scratch, text, len), len);
	}
	const char *name = LLVMGetValueName2(fn, &len);
	if (!LLVMIsAFunction(fn))
		return sim_refuse(d, "a call of an address");
	if (strncmp(name, "llvm.", 5) == 0)
		return sim_decode_intrinsic(d, v, name);
	if (LLVMIsDeclaration(fn))
		return sim_decode_machine(d, v, name);
	if (d->depth > 64)
		return sim_refuse(d, "functions that call one another without end");
	unsigned n = LLVMGetNumArgOperands(v);
	CONTRACT(n == LLVMCountParams(fn));
	SimValue *args = ARENA_ARRAY(d->scratch, SimValue, n + 1), result = {0};
	SimShape shape = {0};
	for (unsigned i = 0; i < n; i++)
		args[i] = sim_value(d, LLVMGetOperand(v, i));
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind) {
		if (!sim_shape(d, LLVMTypeOf(v), &shape))
			return false;
		result = sim_new(d, shape.count);
	}
	uint32_t loc = d->loc;
	Map outer = d->values;
	d->depth++;
	bool good = decode_function(d, fn, args, result, true);
	d->depth--;
	d->values = outer;
	d->loc = loc;
	if (shape.count)
		sim_define(d, v, result);
	return good;
}

static bool decode_instr(Function *f, LLVMValueRef v, LLVMBasicBlockRef block)
{
	SimDecoder *d = f->d;
	set_place(d, v);
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMPHI: return true;
	case LLVMBr: return decode_branch(f, v, block);
	case LLVMSwitch: return decode_switch(f, v, block);
	case LLVMRet: return decode_return(f, v);
	case LLVMUnreachable: sim_emit(d, SIM_RETURN, 0, 0); return true;
	case LLVMCall: return decode_call(d, v);
	default: break;
	}
	uint32_t first = d->code.len;
	bool good = sim_decode_value(d, v);
	if (good)
		decode_promise(d, v, first);
	return good;
}

/* What the lowering says of the access that was decoded last: the plan's wavefronts, the tile. */
static void take_predictions(SimDecoder *d, LLVMValueRef v)
{
	LLVMValueRef node, number;
	if (!LLVMHasMetadata(v) || !d->code.len || vec_last(&d->code).kind != SIM_EFFECT)
		return;
	if ((node = metadata(d, v, "neso.wavefronts")) && LLVMGetMDNodeNumOperands(node) == 1) {
		LLVMGetMDNodeOperands(node, &number);
		if (LLVMIsAConstantInt(number))
			vec_last(&d->code).wavefronts = (uint16_t)LLVMConstIntGetZExtValue(number);
	}
	if ((node = metadata(d, v, "neso.buffer")) && LLVMGetMDNodeNumOperands(node) == 2) {
		LLVMValueRef ends[2];
		LLVMGetMDNodeOperands(node, ends);
		vec_last(&d->code).buffer = (uint32_t)LLVMConstIntGetZExtValue(ends[0]);
		vec_last(&d->code).buffer_end = (uint32_t)LLVMConstIntGetZExtValue(ends[1]);
	}
	if ((node = metadata(d, v, "neso.tile")))
		vec_last(&d->code).elements = sim_take_elements(d, node);
}

static void resolve(Function *f)
{
	SimDecoder *d = f->d;
	for (uint32_t k = 0; k < f->jumps.len; k++) {
		const Jump *j = &f->jumps.data[k];
		uint64_t pc = d->code.len + 1;
		bool found = !j->block || map_get(&f->starts, map_key(j->block), &pc);
		ASSERT(found);
		d->code.data[j->instr].to[j->which] = (uint32_t)pc - 1;
	}
}

bool decode_function(SimDecoder *d, LLVMValueRef fn, const SimValue *args, SimValue result, bool called)
{
	Function f = {.d = d, .fn = fn, .result = result, .called = called};
	map_init(&f.starts, d->scratch);
	map_init(&d->values, d->scratch);
	for (unsigned i = 0; i < LLVMCountParams(fn); i++)
		sim_define(d, LLVMGetParam(fn, i), args[i]);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef v = LLVMGetFirstInstruction(b); v && LLVMIsAPHINode(v);
		     v = LLVMGetNextInstruction(v)) {
			SimShape shape;
			if (!sim_shape(d, LLVMTypeOf(v), &shape))
				return false;
			sim_define(d, v, sim_new(d, shape.count));
		}
	}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		map_put(&f.starts, map_key(b), d->code.len + 1);
		for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
			if (!decode_instr(&f, v, b) || d->failed)
				return false;
			take_predictions(d, v);
		}
	}
	resolve(&f);
	return true;
}
