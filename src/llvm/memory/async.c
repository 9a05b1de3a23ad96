/* Asynchronous copies from global to shared memory (cp.async): 4, 8 or 16 bytes each.
 *
 * A copy takes as many elements as lie in a row on both sides. Where these are fewer than 4 bytes, or the GPU has no cp.async,
 * the tile is loaded and stored instead: the same result, and the waits find nothing under way. Elements that the mask leaves
 * out are zero-filled by the copy itself; another `other` is stored beside it. Where a mask may end within a copy, counts say
 * how many of its bytes are read. */
#include "ir/enums.h"
#include "llvm/memory/local.h"
#include "llvm/memory/memory.h"

typedef struct Copy {
	Lower *lw;
	const IrOp *op;
	const IrValue *mask, *other, *count;
	IrType elem;
	GlobalTile tile;
	LocalTile local;
	LayoutAccess access;
	LowerValue masks;
} Copy;

static bool starts_with(const GlobalTile *tile, uint32_t registers)
{
	for (uint32_t i = 0; i < tile->group_count; i++) {
		if (tile->starts[i] == registers)
			return true;
	}
	return false;
}

/* Do 2^n elements lie in a row on both sides, in the same registers of every thread? */
static bool agree(const Copy *c, unsigned n)
{
	const LayoutAccess *a = &c->access;
	if (c->tile.vector_bits != n || memcmp(c->tile.vector, a->vector, n * sizeof a->vector[0]) != 0)
		return false;
	for (unsigned i = 0; i < a->thread_bits; i++) {
		if (a->swap[i])
			return false;
	}
	for (unsigned i = 0; i < a->repeat_bits; i++) {
		if (!starts_with(&c->tile, a->repeat[i].registers))
			return false;
	}
	return true;
}

static bool fits_padding(const LayoutPadded *padded, unsigned n)
{
	for (unsigned i = 0; padded && i < padded->count; i++) {
		if (base_log2(MIN(padded->pads[i].interval, padded->pads[i].pad)) < n)
			return false;
	}
	return true;
}

/* The widest copy; false where there is none. */
static bool choose(Copy *c)
{
	Lower *lw = c->lw;
	unsigned bits = gpu_element_bits(c->elem);
	if (!target_has(lw->target, TARGET_CP_ASYNC) || c->local.place.cluster)
		return false;
	for (unsigned bytes = 16; bytes >= 4; bytes /= 2) {
		if (bytes * 8 < bits)
			return false;
		unsigned n = base_log2(bytes * 8 / bits);
		if (c->count && INT64_C(1) << n > ir_get_int(c->op, lw->gpu->ir, ATTR_COPY_CONTIGUITY, 1))
			continue;
		c->tile = lower_global_tile(lw, ir_operand(c->op, 0), c->count ? NULL : c->mask, bytes * 8);
		if (fits_padding(c->local.place.padded, n) &&
		    layout_plan_access_as(c->local.address, true, bits, LAYOUT_ACCESS_VECTOR, n, 64, &c->access) &&
		    agree(c, n))
			return true;
	}
	return false;
}

static bool is_zero(const Copy *c)
{
	if (!c->other || c->count)
		return true;
	const LLVMValueRef *regs = lower_get(c->lw, c->other).regs;
	uint32_t count = c->tile.reps << c->tile.register_bits;
	for (uint32_t i = 0; i < count; i++) {
		if (!LLVMIsConstant(regs[i]) || !LLVMIsNull(regs[i]))
			return false;
	}
	return true;
}

/* What the mask left out gets `other`, by a plain store. */
static void store_other(Copy *c, uint32_t rep, uint32_t start, LLVMValueRef address, LLVMValueRef active, LLVMValueRef wanted)
{
	Lower *lw = c->lw;
	GlobalWords w = lower_global_words(c->tile.element_bits, c->tile.vector_bits);
	LLVMValueRef words[4], left_out = LLVMBuildNot(lw->b, wanted, "");
	lower_words_pack(lw, &c->tile, &w, rep, start, lower_get(lw, c->other).regs, c->elem, words);
	LowerIf part = lower_begin_if(lw, active ? LLVMBuildAnd(lw->b, active, left_out, "") : left_out);
	LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(words[0]), w.count));
	for (unsigned i = 0; i < w.count; i++)
		v = LLVMBuildInsertElement(lw->b, v, words[i], lower_i32(lw, i), "");
	LLVMValueRef store = LLVMBuildStore(lw->b, v, address);
	LLVMSetAlignment(store, w.bits * w.count / 8);
	lower_global_elements(lw, &c->tile, rep, start, store);
	lower_end_if(lw, part);
}

/* Bytes that a copy reads, where its first element is wanted. */
static LLVMValueRef read_bytes(Copy *c, uint32_t first, unsigned bytes)
{
	Lower *lw = c->lw;
	if (!c->count)
		return lower_i32(lw, bytes);
	LLVMValueRef count = lower_get(lw, c->count).regs[first], most = lower_i32(lw, 1u << c->tile.vector_bits);
	if (ir_get_int(c->op, lw->gpu->ir, ATTR_COPY_CONTIGUITY, 1) != 1 << c->tile.vector_bits)
		count = LLVMBuildSelect(lw->b, LLVMBuildICmp(lw->b, LLVMIntULT, count, most, ""), count, most, "");
	return LLVMBuildMul(lw->b, count, lower_i32(lw, c->tile.element_bits / 8), "");
}

static void copy_group(Copy *c, uint32_t rep, uint32_t start, LLVMValueRef address, LLVMValueRef active, bool zero)
{
	Lower *lw = c->lw;
	unsigned bytes = c->tile.element_bits << c->tile.vector_bits >> 3;
	bool through = ir_get_int(c->op, lw->gpu->ir, ATTR_CACHE, CACHE_NONE) == CACHE_CA;
	MachineOp copy = bytes == 4 ? MACHINE_cp_async_4 : bytes == 8 ? MACHINE_cp_async_8 :
			 through ? MACHINE_cp_async_16_ca : MACHINE_cp_async_16;
	LLVMValueRef wanted = lower_global_condition(lw, NULL, &c->masks, (rep << c->tile.register_bits) + start);
	LLVMValueRef size = read_bytes(c, (rep << c->tile.register_bits) + start, bytes), condition = active;
	if (wanted && zero)
		size = LLVMBuildSelect(lw->b, wanted, size, lower_i32(lw, 0), "");
	else if (wanted)
		condition = active ? LLVMBuildAnd(lw->b, active, wanted, "") : wanted;
	LLVMValueRef args[] = {address, lower_global_address(lw, &c->tile, rep, start),
			       condition ? condition : lower_i1(lw, true), size};
	LLVMValueRef call = machine_call(lw, copy, args, 4);
	lower_access_predict(lw, &c->access, &c->local.place, call);
	lower_global_elements(lw, &c->tile, rep, start, call);
	if (wanted && !zero)
		store_other(c, rep, start, address, active, wanted);
}

static void copy_all(Copy *c)
{
	Lower *lw = c->lw;
	const LayoutAccess *a = &c->access;
	LLVMValueRef active = lower_access_active(lw, a, c->local.word);
	bool zero = is_zero(c);
	for (uint32_t rep = 0; rep < c->tile.reps; rep++) {
		SharedPlace place = lower_local_place(&c->local, rep);
		for (uint32_t n = 0; n < layout_access_instructions(a); n++) {
			uint32_t registers = 0;
			uint64_t offset = 0;
			for (unsigned i = 0; i < a->repeat_bits; i++) {
				registers ^= n >> i & 1 ? a->repeat[i].registers : 0;
				offset ^= n >> i & 1 ? a->repeat[i].address : 0;
			}
			LLVMValueRef address = lower_access_address(lw, a, &place, c->local.word, offset);
			copy_group(c, rep, registers, address, active, zero);
		}
	}
}

bool lower_ASYNC_COPY(Lower *lw, IrOp *op)
{
	Copy c = {.lw = lw, .op = op, .elem = ir_operand(op, 1)->type->elem};
	IrType pointers = ir_operand(op, 0)->type;
	c.mask = op->operand_count > 2 ? ir_operand(op, 2) : NULL;
	c.other = op->operand_count > 3 ? ir_operand(op, 3) : NULL;
	c.count = op->operand_count > 4 ? ir_operand(op, 4) : NULL;
	if (!lower_local_tile(lw, op, ir_operand(op, 1), gpu_layout(lw->gpu, pointers), &c.local))
		return false;
	c.masks = c.mask ? lower_get(lw, c.mask) : (LowerValue){0};
	if (choose(&c)) {
		copy_all(&c);
	} else {
		LLVMValueRef *regs = lower_global_load(lw, op, ir_operand(op, 0), c.mask, c.other, c.elem);
		lower_local_store(lw, &c.local, regs, c.elem);
	}
	lower_set_scalar(lw, ir_result(op, 0), lower_i32(lw, 0)); /* a token: order alone */
	return true;
}

bool lower_ASYNC_COMMIT(Lower *lw, IrOp *op)
{
	if (target_has(lw->target, TARGET_CP_ASYNC))
		MACHINE0(lw, cp_async_commit);
	lower_set_scalar(lw, ir_result(op, 0), lower_i32(lw, 0));
	return true;
}

bool lower_ASYNC_WAIT(Lower *lw, IrOp *op)
{
	int64_t pending = ir_get_int(op, lw->gpu->ir, ATTR_NUM, 0);
	if (target_has(lw->target, TARGET_CP_ASYNC))
		machine_family(lw, MACHINE_cp_async_wait, arena_printf(lw->arena, "%lld", (long long)pending), lw->t.void_,
			       NULL, 0);
	lower_set_scalar(lw, ir_result(op, 0), lower_i32(lw, 0));
	return true;
}
