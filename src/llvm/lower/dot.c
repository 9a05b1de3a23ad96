/* tt.dot: multiply-adds of each thread, or mma.sync of its warp; gpu/plan/dot.h says which registers go into each.
 *
 * Multiply-adds are in f32 for operands of f32 and below, in f64 for f64, in 32 bits for integers, and go up K in
 * order; an fp16 result is rounded once, at the end. Four int8 products are one dp4a. A tf32 operand is passed as
 * it is: the instruction reads its high 19 bits.
 *
 * With operands in shared memory it is a loop along K whose round is a block of straight code: loads of both
 * fragments, and multiply-adds as above; a few rounds make a turn. The loop stays one, as unrolling it is
 * what costs registers. */
#include "gpu/plan/dot.h"
#include "llvm/math/math.h"
#include "llvm/memory/shared.h"

/* ---- mma.sync ---- */

/* Elements of the thread as the instruction takes them: words of 32 bits, or f64. */
static uint32_t fragment(Lower *lw, LLVMValueRef *regs, const uint32_t *which, uint32_t count, IrType elem,
			 LLVMValueRef *out)
{
	unsigned bits = elem->bits, per_word = bits < 32 ? 32 / bits : 1;
	for (uint32_t i = 0; i < count; i += per_word) {
		LLVMValueRef part[4];
		for (unsigned k = 0; k < per_word; k++)
			part[k] = lower_to_bits(lw, regs[which[i + k]], elem);
		out[i / per_word] = bits == 64 ? regs[which[i]] : lower_pack(lw, part, per_word, bits);
	}
	return count / per_word;
}

typedef struct Mma {
	Lower *lw;
	const GpuDotPlan *plan;
	const char *suffix;
	IrType elem[3];
	LLVMValueRef *regs[3]; /* of a, b, and of what is added to */
	LLVMTypeRef result;
	uint32_t words; /* of c */
	LLVMValueRef *rows; /* of words of c that stand twice the second, by register and place in the step */
} Mma;

/* Where the tile has fewer rows than the instruction, words of c stand twice. Both get the same
 * result; the second is handed on to the next step as it is, as a copy of the first would wait for
 * it. */
static LLVMValueRef *second_of(const Mma *m, const uint32_t *c, uint32_t word)
{
	for (uint32_t i = 0; i < word; i++)
		if (c[i] == c[word])
			return &m->rows[c[word] * m->words + word];
	return NULL;
}

/* An fp16 accumulator is two to a word; all others are as they are. */
static void mma_step(const Mma *m, uint32_t step)
{
	Lower *lw = m->lw;
	const GpuDotPlan *plan = m->plan;
	LLVMValueRef args[64];
	const uint32_t *c = plan->c + step * plan->c_count;
	uint32_t n = fragment(lw, m->regs[0], plan->a + step * plan->a_count, plan->a_count, m->elem[0], args);
	n += fragment(lw, m->regs[1], plan->b + step * plan->b_count, plan->b_count, m->elem[1], args + n);
	bool halves = m->elem[2]->bits == 16;
	for (uint32_t i = 0; i < plan->c_count && !halves; i++) {
		LLVMValueRef *second = second_of(m, c, i);
		args[n++] = second && *second ? *second : m->regs[2][c[i]];
	}
	if (halves)
		n += fragment(lw, m->regs[2], c, plan->c_count, m->elem[2], args + n);
	LLVMValueRef made = machine_family(lw, MACHINE_mma_sync, m->suffix, m->result, args, n);
	for (uint32_t w = 0; w < m->words; w++) {
		LLVMValueRef word = LLVMBuildExtractValue(lw->b, made, w, ""), part[2];
		if (!halves) {
			LLVMValueRef *second = second_of(m, c, w);
			*(second ? second : &m->regs[2][c[w]]) = word;
			continue;
		}
		lower_unpack(lw, word, part, 2, 16);
		for (unsigned k = 0; k < 2; k++)
			m->regs[2][c[2 * w + k]] = lower_from_bits(lw, part[k], m->elem[2]);
	}
}

static void dot_by_mma(Lower *lw, const IrOp *op, const GpuDotPlan *plan, LLVMValueRef *sums, uint32_t count)
{
	Mma m = {.lw = lw, .plan = plan};
	LLVMTypeRef part[8];
	for (unsigned i = 0; i < 3; i++) {
		m.elem[i] = ir_operand(op, i)->type->elem;
		m.regs[i] = i < 2 ? lower_get(lw, ir_operand(op, i)).regs : sums;
	}
	m.words = m.elem[2]->bits == 16 ? plan->c_count / 2 : plan->c_count;
	ASSERT(m.words <= ARRAY_LEN(part));
	m.rows = lower_array(lw, count * m.words);
	for (uint32_t w = 0; w < m.words; w++)
		part[w] = m.elem[2]->bits == 16 ? lw->t.i32 : lower_type(lw, m.elem[2]);
	m.result = LLVMStructTypeInContext(lw->cx, part, m.words, false);
	TargetProduct product = gpu_product_of(plan->mma, m.elem[1]);
	m.suffix = target_product_name(lw->arena, &product);
	for (uint32_t i = 0; i < plan->steps; i++)
		mma_step(&m, i);
	for (uint32_t i = 0; i < plan->unseen_count; i++)
		sums[plan->unseen[i]] = LLVMConstNull(lower_type(lw, m.elem[2]));
}

/* ---- multiply-adds ---- */

/* Between an element's type and that in which products are computed. */
static LLVMValueRef *resize_all(Lower *lw, LLVMValueRef *regs, uint32_t count, IrType from, IrType to)
{
	LLVMValueRef *out = lower_array(lw, count);
	if (ir_is_float(from) && from != to) {
		cast_floats(lw, from, to, ROUND_RTNE, regs, out, count);
		return out;
	}
	for (uint32_t i = 0; i < count; i++)
		out[i] = from == to ? regs[i] : LLVMBuildIntCast2(lw->b, regs[i], lower_type(lw, to), true, "");
	return out;
}

static LLVMValueRef multiply_add(Lower *lw, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c, IrType wide)
{
	if (ir_is_float(wide))
		return lower_fma(lw, a, b, c);
	return LLVMBuildAdd(lw->b, LLVMBuildMul(lw->b, a, b, ""), c, "");
}

/* Neighbours along K of one sum are `results` steps apart. */
static bool takes_dp4a(const IrOp *op, const GpuDotPlan *plan, uint32_t results)
{
	IrType a = ir_operand(op, 0)->type, b = ir_operand(op, 1)->type, c = ir_operand(op, 2)->type;
	return a->elem->kind == TY_I8 && b->elem->kind == TY_I8 && c->elem->kind == TY_I32 &&
	       plan->steps % (4 * results) == 0;
}

static void dot_by_dp4a(Lower *lw, const GpuDotPlan *plan, uint32_t results, const LowerValue *operands,
			LLVMValueRef *sums)
{
	LLVMValueRef *regs[2] = {operands[0].regs, operands[1].regs};
	for (uint32_t first = 0; first < plan->steps; first += 4 * results) {
		for (uint32_t r = first; r < first + results; r++) {
			LLVMValueRef word[2];
			for (unsigned o = 0; o < 2; o++) {
				LLVMValueRef part[4];
				for (uint32_t j = 0; j < 4; j++)
					part[j] = regs[o][(o ? plan->b : plan->a)[r + j * results]];
				word[o] = lower_pack(lw, part, 4, 8);
			}
			sums[plan->c[r]] = MACHINE3(lw, dp4a, word[0], word[1], sums[plan->c[r]]);
		}
	}
}

/* sums += the products of the plan's steps, of operands in registers. */
static void multiply(Lower *lw, const IrOp *op, const GpuDotPlan *plan, const LowerValue *operands, IrType wide,
		     LLVMValueRef *sums)
{
	uint32_t results = plan->steps / plan->k_step;
	if (takes_dp4a(op, plan, results)) {
		dot_by_dp4a(lw, plan, results, operands, sums);
		return;
	}
	LLVMValueRef *a = resize_all(lw, operands[0].regs, operands[0].count, operands[0].type->elem, wide);
	LLVMValueRef *b = resize_all(lw, operands[1].regs, operands[1].count, operands[1].type->elem, wide);
	for (uint32_t i = 0; i < plan->steps; i++) {
		uint32_t c = plan->c[i];
		sums[c] = multiply_add(lw, a[plan->a[i]], b[plan->b[i]], sums[c], wide);
	}
}

static void dot_by_fma(Lower *lw, const IrOp *op, const GpuDotPlan *plan, IrType wide, LLVMValueRef *sums)
{
	LowerValue operands[2] = {lower_get(lw, ir_operand(op, 0)), lower_get(lw, ir_operand(op, 1))};
	multiply(lw, op, plan, operands, wide, sums);
}

/* ---- multiply-adds from shared memory ---- */

enum { MOST_TOGETHER = 4, MOST_STEPS = 1024 };

static SharedPlace place_of(Lower *lw, const IrOp *op, const GpuDotMemory *memory)
{
	if (memory->read)
		return (SharedPlace){.base = lower_scalar(lw, ir_operand(memory->read, 0)), .pass_shift = 64};
	return (SharedPlace){.base = lw->shared_base,
			     .bytes = gpu_shared_offset(lw->gpu, op) + memory->place,
			     .pass_shift = 64};
}

static void store_operand(Lower *lw, const IrOp *op, unsigned operand, const GpuDotMemory *memory)
{
	const IrValue *v = ir_operand(op, operand);
	LowerValue from = lower_get(lw, v);
	LLVMValueRef *held = lower_array(lw, from.count), word = lower_thread_word(lw, gpu_layout(lw->gpu, v->type));
	SharedPlace place = place_of(lw, op, memory);
	for (uint32_t i = 0; i < from.count; i++)
		held[i] = lower_to_bits(lw, from.regs[i], v->type->elem);
	lower_access_swap(lw, &memory->store, word, held, from.count);
	LLVMValueRef active = lower_access_active(lw, &memory->store, word);
	LowerIf part = {0};
	if (active)
		part = lower_begin_if(lw, active);
	lower_access_store(lw, &memory->store, &place, word, held);
	if (active)
		lower_end_if(lw, part);
}

/* Adds to a place what a round moves it by. Bits that nothing else has are added to the base, each run of neighbours
 * by itself: in one XOR some of them would be taken for a reversal of bits, which costs more. */
static void move_place(Lower *lw, const GpuDotPlan *plan, const GpuDotMemory *memory, LLVMValueRef round, SharedPlace *place)
{
	uint64_t own[32] = {0}, shared[32] = {0}, size = memory->load.element_bits / 8, touched = 0;
	for (unsigned i = 0; i < memory->load.thread_bits; i++)
		touched |= memory->load.thread_address[i];
	for (unsigned i = 0; i < memory->load.repeat_bits; i++)
		touched |= memory->load.repeat[i].address;
	for (unsigned i = 0; i < plan->round_bits; i++) {
		uint64_t others = touched;
		for (unsigned j = 0; j < plan->round_bits; j++)
			others |= j != i ? memory->round_offset[j] : 0;
		shared[i] = (memory->round_offset[i] & others) * size;
		own[i] = (memory->round_offset[i] & ~others) * size;
		place->moved_image |= shared[i];
	}
	if (place->moved_image)
		place->moved = lower_linear(lw, shared, plan->round_bits, round);
	for (unsigned first = 0, next; first < plan->round_bits; first = next) {
		uint64_t run[32] = {0};
		run[first] = own[first];
		for (next = first + 1; next < plan->round_bits && own[next] && own[next] == 2 * own[next - 1]; next++)
			run[next] = own[next];
		if (own[first])
			place->base = lower_offset(lw, place->base, lower_linear(lw, run, plan->round_bits, round), 1);
	}
}

/* The fragment of a round; NULL: of the only one. */
static LowerValue load_fragment(Lower *lw, const IrOp *op, unsigned operand, const GpuDotPlan *plan, LLVMValueRef round)
{
	const GpuDotMemory *memory = &plan->memory[operand];
	IrType elem = ir_operand(op, operand)->type->elem;
	uint32_t count = 1u << layout_in_bits(memory->fragment, LAYOUT_REGISTER);
	LLVMValueRef *held = lower_array(lw, count), *regs = lower_array(lw, count);
	LLVMValueRef word = lower_thread_word(lw, memory->fragment);
	SharedPlace place = place_of(lw, op, memory);
	if (round)
		move_place(lw, plan, memory, round, &place);
	lower_access_load(lw, &memory->load, &place, word, held);
	for (uint32_t i = 0; i < count; i++)
		regs[i] = held[memory->copies[i]];
	lower_access_swap(lw, &memory->load, word, regs, count);
	for (uint32_t i = 0; i < count; i++)
		regs[i] = lower_from_bits(lw, regs[i], elem);
	return (LowerValue){LOWER_TILE, ir_operand(op, operand)->type, regs, count};
}

static void multiply_round(Lower *lw, const IrOp *op, const GpuDotPlan *plan, IrType wide, LLVMValueRef round,
			   LLVMValueRef *sums)
{
	LowerValue operands[2];
	for (unsigned o = 0; o < 2; o++)
		operands[o] = load_fragment(lw, op, o, plan, round);
	multiply(lw, op, plan, operands, wide, sums);
}

/* Rounds of one turn of the loop: so that what the next one takes is read while this one
 * multiplies, within what the assembler takes quickly (measured; bench/history.md). Two turns are
 * left, as straight code it would read all of first, in whatever registers there are. */
static unsigned rounds_together(const GpuDotPlan *plan)
{
	unsigned n = 1;
	while (n < MOST_TOGETHER && 4 * n <= 1u << plan->round_bits && plan->steps * n * 2 <= MOST_STEPS)
		n *= 2;
	return n;
}

static void dot_by_rounds(Lower *lw, const IrOp *op, const GpuDotPlan *plan, IrType wide, LLVMValueRef *sums,
			  uint32_t count)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b), body = lower_new_block(lw, "k");
	LLVMBasicBlockRef after = lower_new_block(lw, "k.end");
	LLVMValueRef *phis = lower_array(lw, count), zero = lower_i32(lw, 0);
	LLVMBuildBr(lw->b, body);
	LLVMPositionBuilderAtEnd(lw->b, body);
	LLVMValueRef round = LLVMBuildPhi(lw->b, lw->t.i32, "");
	for (uint32_t i = 0; i < count; i++) {
		phis[i] = LLVMBuildPhi(lw->b, LLVMTypeOf(sums[i]), "");
		LLVMAddIncoming(phis[i], &sums[i], &before, 1);
		sums[i] = phis[i];
	}
	unsigned together = rounds_together(plan);
	for (unsigned i = 0; i < together; i++)
		multiply_round(lw, op, plan, wide, LLVMBuildOr(lw->b, round, lower_i32(lw, i), ""), sums);
	LLVMValueRef next = LLVMBuildAdd(lw->b, round, lower_i32(lw, together), "");
	LLVMValueRef more = LLVMBuildICmp(lw->b, LLVMIntNE, next, lower_i32(lw, INT64_C(1) << plan->round_bits), "");
	LLVMBasicBlockRef end = LLVMGetInsertBlock(lw->b);
	LLVMAddIncoming(round, &zero, &before, 1);
	LLVMAddIncoming(round, &next, &end, 1);
	for (uint32_t i = 0; i < count; i++)
		LLVMAddIncoming(phis[i], &sums[i], &end, 1);
	lower_keep_rolled(lw, LLVMBuildCondBr(lw->b, more, body, after));
	LLVMMoveBasicBlockAfter(after, end);
	LLVMPositionBuilderAtEnd(lw->b, after);
}

static void dot_through_shared(Lower *lw, const IrOp *op, const GpuDotPlan *plan, IrType wide, LLVMValueRef *sums,
			       uint32_t count)
{
	for (unsigned o = 0; o < 2 && !plan->memory[o].read; o++)
		store_operand(lw, op, o, &plan->memory[o]);
	if (!plan->memory[0].read)
		lower_barrier(lw);
	if (plan->round_bits)
		dot_by_rounds(lw, op, plan, wide, sums, count);
	else
		multiply_round(lw, op, plan, wide, NULL, sums);
}

/* What sums are computed in. */
static IrType wide_type(Lower *lw, IrType elem)
{
	const IrCx *cx = lw->module->cx;
	if (ir_is_int(elem))
		return elem->bits < 32 ? ir_int(cx, 32) : elem;
	return elem->kind == TY_F64 ? elem : ir_scalar(cx, TY_F32);
}

bool lower_DOT(Lower *lw, IrOp *op)
{
	const GpuDotPlan *plan = gpu_dot_plan(lw->gpu, lw->arena, op);
	const IrValue *result = ir_result(op, 0), *c = ir_operand(op, 2);
	ASSERT(plan);
	IrType elem = c->type->elem, wide = plan->kind == GPU_DOT_MMA ? elem : wide_type(lw, elem);
	LowerValue added = lower_get(lw, c);
	LLVMValueRef *sums = resize_all(lw, added.regs, added.count, elem, wide);
	if (plan->kind == GPU_DOT_MMA)
		dot_by_mma(lw, op, plan, sums, added.count);
	else if (plan->kind == GPU_DOT_SHARED)
		dot_through_shared(lw, op, plan, wide, sums, added.count);
	else
		dot_by_fma(lw, op, plan, wide, sums);
	if (plan->kind != GPU_DOT_MMA)
		sums = resize_all(lw, sums, added.count, wide, elem);
	lower_set(lw, result, sums, added.count);
	return true;
}
