/* Crowded blocks in depth-first order, comparisons where they are used; see order.h.
 *
 * What has effects, reads memory or talks to other threads stays in order (fixed). In front of each
 * goes what it needs and nothing else does already, operand by operand; in front of the block's end
 * what other blocks need. */
#include "llvm/order.h"

#include <string.h>

#include "base/map.h"

enum {
	FEW = 4, /* registers that ptxas wants for itself */
	PREDICATES = 7, /* of a thread */
	REGISTER_BYTES = 4,
};

typedef struct Order {
	Arena *arena;
	LLVMValueRef fn;
	Map numbers; /* of arguments and instructions with a value, from 1 on */
	unsigned values, blocks;
	unsigned *weights;   /* bytes of each value in registers */
	uint64_t **live_out; /* of each block */
} Order;

typedef struct Block {
	LLVMValueRef *at;
	unsigned count;
} Block;

static unsigned words(const Order *o)
{
	return (o->values + 64) / 64;
}

static bool has(const uint64_t *set, unsigned i)
{
	return set[i / 64] >> i % 64 & 1;
}

static unsigned bytes_of(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 1 ? 0 : (LLVMGetIntTypeWidth(type) + 7) / 8;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return 2;
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return 8;
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type) * bytes_of(LLVMGetElementType(type));
	case LLVMStructTypeKind: {
		unsigned all = 0;
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			all += bytes_of(LLVMStructGetTypeAtIndex(type, i));
		return all;
	}
	default:
		return 4;
	}
}

/* An access takes a constant distance with its address. */
static bool is_offset(LLVMValueRef value)
{
	if (!LLVMIsAGetElementPtrInst(value))
		return false;
	for (int i = 1; i < LLVMGetNumOperands(value); i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(value, (unsigned)i)))
			return false;
	return true;
}

/* 0: a constant, a block, or the like. */
static unsigned number_of(const Order *o, LLVMValueRef value)
{
	uint64_t number = 0;
	map_get(&o->numbers, map_key(value), &number);
	return (unsigned)number;
}

static void count_value(Order *o, LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVoidTypeKind)
		map_put(&o->numbers, map_key(value), ++o->values);
}

static void weigh(Order *o, LLVMValueRef value)
{
	o->weights[number_of(o, value)] = is_offset(value) ? 0 : bytes_of(LLVMTypeOf(value));
}

#define EACH_INSTRUCTION(i, block)                                                                           \
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
#define EACH_BLOCK(b, fn)                                                                                    \
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))

static void number_values(Order *o)
{
	map_init(&o->numbers, o->arena);
	for (unsigned i = 0; i < LLVMCountParams(o->fn); i++)
		count_value(o, LLVMGetParam(o->fn, i));
	EACH_BLOCK(b, o->fn) {
		o->blocks++;
		EACH_INSTRUCTION(i, b)
			count_value(o, i);
	}
	o->weights = ARENA_ARRAY(o->arena, unsigned, o->values + 1);
	for (unsigned i = 0; i < LLVMCountParams(o->fn); i++)
		weigh(o, LLVMGetParam(o->fn, i));
	EACH_BLOCK(b, o->fn)
		EACH_INSTRUCTION(i, b)
			weigh(o, i);
	o->weights[0] = 0;
}

/* ---- what is alive ---- */

static void use(const Order *o, uint64_t *live, LLVMValueRef value)
{
	unsigned n = number_of(o, value);
	if (n)
		live[n / 64] |= UINT64_C(1) << n % 64;
}

/* Alive in front of the block, given what is behind it. Phis are written where they are read. */
static void step_back(const Order *o, LLVMBasicBlockRef block, uint64_t *live)
{
	for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = LLVMGetPreviousInstruction(i)) {
		unsigned n = number_of(o, i);
		if (n)
			live[n / 64] &= ~(UINT64_C(1) << n % 64);
		if (LLVMGetInstructionOpcode(i) == LLVMPHI)
			continue;
		for (int k = 0; k < LLVMGetNumOperands(i); k++)
			use(o, live, LLVMGetOperand(i, (unsigned)k));
	}
}

static void add_phis(const Order *o, LLVMBasicBlockRef from, LLVMBasicBlockRef to, uint64_t *live)
{
	EACH_INSTRUCTION(phi, to) {
		if (LLVMGetInstructionOpcode(phi) != LLVMPHI)
			return;
		for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
			if (LLVMGetIncomingBlock(phi, k) == from)
				use(o, live, LLVMGetIncomingValue(phi, k));
	}
}

static void find_live(Order *o)
{
	Map numbers; /* of blocks */
	map_init(&numbers, o->arena);
	LLVMBasicBlockRef *blocks = ARENA_ARRAY(o->arena, LLVMBasicBlockRef, o->blocks);
	o->live_out = ARENA_ARRAY(o->arena, uint64_t *, o->blocks);
	uint64_t **in = ARENA_ARRAY(o->arena, uint64_t *, o->blocks);
	unsigned count = 0;
	EACH_BLOCK(b, o->fn) {
		o->live_out[count] = ARENA_ARRAY(o->arena, uint64_t, words(o));
		in[count] = ARENA_ARRAY(o->arena, uint64_t, words(o));
		memset(o->live_out[count], 0, sizeof(uint64_t) * words(o));
		memset(in[count], 0, sizeof(uint64_t) * words(o));
		map_put(&numbers, map_key(b), count);
		blocks[count++] = b;
	}
	uint64_t *live = ARENA_ARRAY(o->arena, uint64_t, words(o));
	for (bool changed = true; changed;) {
		changed = false;
		for (unsigned k = count; k-- > 0;) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[k]);
			for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
				uint64_t to = 0;
				map_get(&numbers, map_key(LLVMGetSuccessor(end, s)), &to);
				for (unsigned w = 0; w < words(o); w++)
					o->live_out[k][w] |= in[to][w];
				add_phis(o, blocks[k], blocks[to], o->live_out[k]);
			}
			memcpy(live, o->live_out[k], sizeof(uint64_t) * words(o));
			step_back(o, blocks[k], live);
			changed = changed || memcmp(live, in[k], sizeof(uint64_t) * words(o)) != 0;
			memcpy(in[k], live, sizeof(uint64_t) * words(o));
		}
	}
}

/* The most bytes that are alive at a time. */
static unsigned peak_of(const Order *o, const Block *block, const uint64_t *live_out, uint64_t *live)
{
	unsigned now = 0, most;
	memcpy(live, live_out, sizeof(uint64_t) * words(o));
	for (unsigned n = 1; n <= o->values; n++)
		now += has(live, n) ? o->weights[n] : 0;
	most = now;
	for (unsigned i = block->count; i-- > 0;) {
		LLVMValueRef op = block->at[i];
		unsigned n = number_of(o, op);
		if (n && has(live, n)) {
			live[n / 64] &= ~(UINT64_C(1) << n % 64);
			now -= o->weights[n];
		}
		if (LLVMGetInstructionOpcode(op) == LLVMPHI)
			continue;
		for (int k = 0; k < LLVMGetNumOperands(op); k++) {
			unsigned used = number_of(o, LLVMGetOperand(op, (unsigned)k));
			if (used && !has(live, used)) {
				live[used / 64] |= UINT64_C(1) << used % 64;
				now += o->weights[used];
			}
		}
		most = MAX(most, now);
	}
	return most;
}

/* ---- another order ---- */

static LLVMAttributeRef attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static bool call_may_move(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee)) {
		size_t len;
		const char *constraints = LLVMGetInlineAsmConstraintString(callee, &len);
		return !LLVMGetInlineAsmHasSideEffects(callee) && !strstr(constraints, "memory");
	}
	LLVMAttributeRef memory = LLVMIsAFunction(callee) ? attribute(callee, "memory") : NULL;
	return memory && LLVMGetEnumAttributeValue(memory) == 0 && !attribute(callee, "convergent");
}

static bool may_move(LLVMValueRef op)
{
	if (LLVMIsACallInst(op))
		return call_may_move(op);
	return LLVMIsABinaryOperator(op) || LLVMIsAUnaryOperator(op) || LLVMIsACastInst(op) ||
	       LLVMIsACmpInst(op) || LLVMIsASelectInst(op) || LLVMIsAGetElementPtrInst(op) ||
	       LLVMIsAInsertValueInst(op) || LLVMIsAExtractElementInst(op) ||
	       LLVMIsAInsertElementInst(op) || LLVMIsAShuffleVectorInst(op);
}

typedef struct Visit {
	LLVMValueRef op;
	int next; /* operand */
} Visit;

static bool take(Map *left, LLVMValueRef op)
{
	uint64_t waits;
	if (!map_get(left, map_key(op), &waits) || !waits)
		return false;
	map_put(left, map_key(op), 0);
	return true;
}

/* Puts what `root` needs of the block and is not there yet, then itself. */
static void put_with_operands(Map *left, LLVMValueRef root, Visit *stack, Block *out)
{
	unsigned depth = 0;
	stack[depth++] = (Visit){root, 0};
	while (depth) {
		Visit *top = &stack[depth - 1];
		if (top->next == LLVMGetNumOperands(top->op)) {
			out->at[out->count++] = top->op;
			depth--;
			continue;
		}
		LLVMValueRef operand = LLVMGetOperand(top->op, (unsigned)top->next++);
		if (take(left, operand))
			stack[depth++] = (Visit){operand, 0};
	}
}

/* What gives nothing: stores, barriers. */
static bool only_takes(LLVMValueRef op)
{
	return !may_move(op) && LLVMGetTypeKind(LLVMTypeOf(op)) == LLVMVoidTypeKind;
}

/* What a run of stores and barriers from `from` on needs, if they are to follow each other. */
static void put_operands_of_run(Map *left, const Block *before, unsigned from, Visit *stack, Block *out)
{
	for (unsigned i = from; i + 1 < before->count; i++) {
		LLVMValueRef op = before->at[i];
		if (may_move(op))
			continue;
		if (!only_takes(op))
			return;
		for (int k = 0; k < LLVMGetNumOperands(op); k++)
			if (take(left, LLVMGetOperand(op, (unsigned)k)))
				put_with_operands(left, LLVMGetOperand(op, (unsigned)k), stack, out);
	}
}

typedef enum Motion {
	MOVE_ALL,
	MOVE_ALL_STORES_LAST,
	MOVE_COMPARISONS, /* those that their block uses */
} Motion;

static bool is_used_here(LLVMValueRef op)
{
	for (LLVMUseRef u = LLVMGetFirstUse(op); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMGetInstructionParent(user) == LLVMGetInstructionParent(op) && !LLVMIsAPHINode(user))
			return true;
	}
	return false;
}

/* A bit of a comparison, or of several. */
static bool is_bit(LLVMValueRef op)
{
	LLVMTypeRef type = LLVMTypeOf(op);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1 &&
	       (LLVMIsACmpInst(op) || LLVMIsABinaryOperator(op));
}

static bool moves(LLVMValueRef op, Motion motion)
{
	return motion == MOVE_COMPARISONS ? is_bit(op) && is_used_here(op) : may_move(op);
}

static Block depth_first(Order *o, const Block *before, Motion motion)
{
	Map left; /* of what may move: 1 until it is put */
	Block out = {ARENA_ARRAY(o->arena, LLVMValueRef, before->count), 0};
	Visit *stack = ARENA_ARRAY(o->arena, Visit, before->count);
	LLVMValueRef end = before->at[before->count - 1];
	map_init(&left, o->arena);
	for (unsigned i = 0; i < before->count; i++)
		if (moves(before->at[i], motion))
			map_put(&left, map_key(before->at[i]), 1);
	for (unsigned i = 0; i + 1 < before->count; i++) {
		LLVMValueRef op = before->at[i];
		if (LLVMGetInstructionOpcode(op) == LLVMPHI) {
			out.at[out.count++] = op;
			continue;
		}
		if (motion == MOVE_ALL_STORES_LAST && only_takes(op))
			put_operands_of_run(&left, before, i, stack, &out);
		if (!moves(op, motion))
			put_with_operands(&left, op, stack, &out);
	}
	for (unsigned i = 0; i + 1 < before->count; i++)
		if (take(&left, before->at[i]))
			put_with_operands(&left, before->at[i], stack, &out);
	out.at[out.count++] = end;
	return out;
}

static bool is_product(LLVMValueRef op)
{
	size_t len;
	LLVMValueRef callee = LLVMIsACallInst(op) ? LLVMGetCalledValue(op) : NULL;
	return callee && LLVMIsAInlineAsm(callee) && strstr(LLVMGetInlineAsmAsmString(callee, &len), "mma");
}

/* Kernels with products stay: around matrix instructions ptxas orders by other rules, and spilled
 * more in some that had been put in order (224 bytes for 48), less in others (828 for 1096). */
static bool has_products(LLVMValueRef fn)
{
	EACH_BLOCK(b, fn)
		EACH_INSTRUCTION(i, b)
			if (is_product(i))
				return true;
	return false;
}

static void carry_out(const Block *order)
{
	LLVMValueRef end = order->at[order->count - 1];
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(end)));
	LLVMPositionBuilderBefore(builder, end);
	for (unsigned i = 0; i + 1 < order->count; i++) {
		if (LLVMGetInstructionOpcode(order->at[i]) == LLVMPHI)
			continue;
		LLVMInstructionRemoveFromParent(order->at[i]);
		LLVMInsertIntoBuilder(builder, order->at[i]);
	}
	LLVMDisposeBuilder(builder);
}

static Block block_of(Order *o, LLVMBasicBlockRef b)
{
	Block block = {NULL, 0};
	EACH_INSTRUCTION(i, b)
		block.count++;
	block.at = ARENA_ARRAY(o->arena, LLVMValueRef, block.count);
	block.count = 0;
	EACH_INSTRUCTION(i, b)
		block.at[block.count++] = i;
	return block;
}

/* The most bits of comparisons that wait for their uses in the block at a time. */
static unsigned waiting_bits(const Order *o, const Block *block, uint64_t *live)
{
	unsigned now = 0, most = 0;
	memset(live, 0, sizeof(uint64_t) * words(o));
	for (unsigned i = block->count; i-- > 0;) {
		LLVMValueRef op = block->at[i];
		unsigned n = number_of(o, op);
		if (n && has(live, n)) {
			live[n / 64] &= ~(UINT64_C(1) << n % 64);
			now--;
		}
		for (int k = 0; k < LLVMGetNumOperands(op) && !LLVMIsAPHINode(op); k++) {
			LLVMValueRef used = LLVMGetOperand(op, (unsigned)k);
			unsigned of = LLVMIsAInstruction(used) && is_bit(used) ? number_of(o, used) : 0;
			if (of && !has(live, of)) {
				live[of / 64] |= UINT64_C(1) << of % 64;
				now++;
			}
		}
		most = MAX(most, now);
	}
	return most;
}

unsigned order_comparisons(Arena *arena, LLVMValueRef function, unsigned registers)
{
	Order o = {.arena = arena, .fn = function};
	unsigned ordered = 0, n = 0;
	number_values(&o);
	if (!has_products(function))
		return 0;
	uint64_t *live = ARENA_ARRAY(arena, uint64_t, words(&o));
	unsigned room = (registers - MIN(registers, FEW)) * REGISTER_BYTES;
	EACH_BLOCK(b, function) {
		unsigned at = n++;
		Block before = block_of(&o, b);
		unsigned waiting = waiting_bits(&o, &before, live);
		if (waiting <= PREDICATES)
			continue;
		if (!o.live_out)
			find_live(&o);
		Block after = depth_first(&o, &before, MOVE_COMPARISONS);
		ASSERT(after.count == before.count);
		unsigned old = peak_of(&o, &before, o.live_out[at], live);
		unsigned most = peak_of(&o, &after, o.live_out[at], live);
		if (waiting_bits(&o, &after, live) >= waiting || most > MAX(old, room))
			continue;
		carry_out(&after);
		ordered++;
	}
	return ordered;
}

unsigned order_crowded(Arena *arena, LLVMValueRef function, unsigned registers)
{
	Order o = {.arena = arena, .fn = function};
	unsigned ordered = 0, n = 0;
	number_values(&o);
	if (o.values < registers || has_products(function))
		return 0;
	find_live(&o);
	uint64_t *live = ARENA_ARRAY(arena, uint64_t, words(&o));
	EACH_BLOCK(b, function) {
		const uint64_t *live_out = o.live_out[n++];
		Block before = block_of(&o, b);
		unsigned peak = peak_of(&o, &before, live_out, live);
		if (peak < (registers - MIN(registers, FEW)) * REGISTER_BYTES)
			continue;
		Block after = depth_first(&o, &before, MOVE_ALL);
		Block last = depth_first(&o, &before, MOVE_ALL_STORES_LAST);
		ASSERT(after.count == before.count && last.count == before.count);
		unsigned most = peak_of(&o, &after, live_out, live);
		if (most > peak)
			continue;
		carry_out(peak_of(&o, &last, live_out, live) <= most ? &last : &after);
		ordered++;
	}
	return ordered;
}
