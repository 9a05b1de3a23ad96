/* scf.for, built as loop rotation leaves it: a test whether there is a first round, then body
 * and test. What the loop carries is phis, one for all registers that keep their distances, or
 * are equal. */
#include "llvm/lower/affine.h"
#include "llvm/lower/regs.h"
#include "llvm/memory/shared.h"

static LLVMValueRef is_below(Lower *lw, const IrOp *op, LLVMValueRef a, LLVMValueRef b)
{
	bool is_unsigned = ir_get_bool(op, lw->module->cx, ATTR_UNSIGNED_CMP);
	return LLVMBuildICmp(lw->b, is_unsigned ? LLVMIntULT : LLVMIntSLT, a, b, "");
}

/* What a product of warp groups does in an iteration hides everything else: ptxas unrolls such
 * loops for no gain, and takes several times as long. */
static bool has_products(const IrBlock *body)
{
	for (const IrOp *op = body->first; op; op = op->next)
		if (op->kind == OP_WARP_GROUP_DOT)
			return true;
	return false;
}

/* Where products take them, narrow floats are carried as words of 32 bits, as what makes and takes
 * them in pairs does. */
static unsigned per_word(Lower *lw, IrType type, bool packs)
{
	IrType elem = ir_elem(type);
	unsigned n =
		packs && ir_is_tensor(type) && ir_is_float(elem) && elem->bits < 32 ? 32 / elem->bits : 1;
	return lower_count(lw, type) % n ? 1 : n;
}

/* Of known parts it is known: as a cast of a constant vector it would stay one, which not all that
 * read LLIR take in a phi. */
static LLVMValueRef word_of(Lower *lw, const LLVMValueRef *part, unsigned n)
{
	uint32_t word = 0;
	for (unsigned e = 0; e < n; e++) {
		if (!LLVMIsAConstantInt(part[e]))
			return lower_pack(lw, part, n, 32 / n);
		word |= (uint32_t)LLVMConstIntGetZExtValue(part[e]) << (32 / n * e);
	}
	return lower_i32(lw, (int32_t)word);
}

static Regs words_of_operands(Lower *lw, const IrOp *op, uint32_t first, bool packs)
{
	Regs all = regs_of_operands(lw, op, first);
	uint32_t from = 0, to = 0;
	for (uint32_t i = first; i < op->operand_count; i++) {
		IrType type = ir_operand(op, i)->type;
		unsigned n = per_word(lw, type, packs);
		for (uint32_t k = 0; k < lower_count(lw, type); k += n, from += n, to++) {
			LLVMValueRef part[4];
			for (unsigned e = 0; e < n && n > 1; e++)
				part[e] = lower_to_bits(lw, all.data[from + e], ir_elem(type));
			all.data[to] = n > 1 ? word_of(lw, part, n) : all.data[from];
		}
	}
	return (Regs){all.data, NULL, to};
}

/* The registers of a value from words [at, ...); returns where its words ended. */
static uint32_t set_from_words(Lower *lw, const IrValue *value, const Regs *words, uint32_t at, bool packs)
{
	CONTRACT(at <= words->count);
	unsigned n = per_word(lw, value->type, packs);
	uint32_t count = lower_count(lw, value->type);
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t k = 0; k < count; k += n, at++) {
		lower_unpack(lw, words->data[at], regs + k, n, 32 / n);
		for (unsigned e = 0; e < n && n > 1; e++)
			regs[k + e] = lower_from_bits(lw, regs[k + e], ir_elem(value->type));
	}
	lower_set(lw, value, regs, count);
	return at;
}

/* What a loop carries: a list of phis. Registers that keep their distances share one: register i is
 * phi[of[i]] plus a constant. */
typedef struct LoopCarried {
	uint32_t count, phi_count;
	LLVMValueRef *init;    /* of each register */
	uint32_t *of, *first;  /* register -> phi; phi -> its first register */
	int64_t *offset;       /* register - phi */
	/* of each phi: before the loop, in it, at its end, after it */
	LLVMValueRef *start, *phi, *next, *out;
} LoopCarried;

static LoopCarried carried_new(Lower *lw, const Regs *inits)
{
	uint32_t n = inits->count;
	return (LoopCarried){
		.count = n,
		.init = inits->data,
		.of = ARENA_ARRAY(lw->arena, uint32_t, n + 1),
		.first = ARENA_ARRAY(lw->arena, uint32_t, n + 1),
		.offset = ARENA_ARRAY(lw->arena, int64_t, n + 1),
		.start = lower_array(lw, n),
		.phi = lower_array(lw, n),
		.next = lower_array(lw, n),
		.out = lower_array(lw, n),
	};
}

/* Phis for registers [at, at + count): one for each base when they keep their distances, and for
 * those that are known to be equal (`first`, or NULL: none is). */
static void carry(Lower *lw, LoopCarried *c, uint32_t at, uint32_t count, bool steps, const uint32_t *first)
{
	CONTRACT(at + count <= c->count);
	Map bases;
	map_init(&bases, lw->arena);
	for (uint32_t i = at; i < at + count; i++) {
		LowerAffine a = steps ? lower_affine(lw, c->init[i]) : (LowerAffine){.base = c->init[i]};
		uint64_t phi;
		if (steps && map_get(&bases, map_key(a.base), &phi)) {
			c->of[i] = (uint32_t)phi;
			c->offset[i] = a.offset;
			continue;
		}
		if (first && first[i - at] < i - at) {
			c->of[i] = c->of[at + first[i - at]];
			continue;
		}
		c->of[i] = c->phi_count;
		c->offset[i] = a.offset;
		c->first[c->phi_count] = i;
		c->start[c->phi_count] = a.base;
		map_put(&bases, map_key(a.base), c->phi_count++);
	}
}

/* Registers from the values of the phis. */
static Regs carried_regs(Lower *lw, const LoopCarried *c, const LLVMValueRef *phis)
{
	Regs r = {lower_array(lw, c->count), NULL, c->count};
	for (uint32_t i = 0; i < c->count; i++)
		r.data[i] = c->offset[i] == 0 ? phis[c->of[i]]
					      : lower_affine_value(lw, (LowerAffine){.base = phis[c->of[i]],
										     .offset = c->offset[i]});
	return r;
}

/* The phi's next value, from the first register that it stands for. */
static void carried_next(Lower *lw, LoopCarried *c, const Regs *yields)
{
	CONTRACT(yields->count == c->count);
	for (uint32_t p = 0; p < c->phi_count; p++) {
		uint32_t i = c->first[p];
		if (c->offset[i] == 0) {
			c->next[p] = yields->data[i];
			continue;
		}
		LowerAffine a = lower_affine(lw, yields->data[i]);
		a.offset -= c->offset[i];
		a.zero = 0;
		c->next[p] = lower_affine_value(lw, a);
	}
}

static LoopCarried carry_all(Lower *lw, const IrOp *op, const Regs *inits)
{
	CONTRACT(op->region_count);
	const IrBlock *block = op->regions[0].first;
	const IrOp *end = ir_terminator(block);
	LoopCarried c = carried_new(lw, inits);
	for (uint32_t i = 0, at = 0; i < op->result_count; i++) {
		const IrValue *arg = block->args[i + 1];
		uint32_t count = lower_count(lw, arg->type) / per_word(lw, arg->type, has_products(block));
		bool steps = lower_affine_steps(arg, ir_operand(end, i));
		bool looked_at = ir_is_int(ir_elem(arg->type)) && !steps;
		const uint32_t *first = looked_at ? lower_first_of_equal(lw, arg) : NULL;
		carry(lw, &c, at, count, steps, first);
		at += count;
	}
	return c;
}

static void incoming(LLVMValueRef *phis, LLVMValueRef *values, uint32_t count, LLVMBasicBlockRef from)
{
	for (uint32_t i = 0; i < count; i++)
		LLVMAddIncoming(phis[i], &values[i], &from, 1);
}

static void build_phis(Lower *lw, const LoopCarried *c, LLVMValueRef *out)
{
	for (uint32_t p = 0; p < c->phi_count; p++)
		out[p] = LLVMBuildPhi(lw->b, LLVMTypeOf(c->start[p]), "");
}

static LLVMValueRef next_counter(Lower *lw, const IrOp *op, LLVMValueRef counter, LLVMValueRef step)
{
	LLVMValueRef next = LLVMBuildAdd(lw->b, counter, step, "");
	int64_t one;
	/* The counter is below the bound, so one more cannot wrap; a longer step could. */
	if (ir_constant_int(ir_operand(op, 2), &one) && one == 1 && LLVMIsAInstruction(next)) {
		if (ir_get_bool(op, lw->module->cx, ATTR_UNSIGNED_CMP))
			LLVMSetNUW(next, true);
		else
			LLVMSetNSW(next, true);
	}
	return next;
}

bool lower_FOR(Lower *lw, IrOp *op)
{
	CONTRACT(op->region_count);
	IrBlock *block = op->regions[0].first;
	bool packs = has_products(block);
	LLVMValueRef low = lower_scalar(lw, ir_operand(op, 0)), high = lower_scalar(lw, ir_operand(op, 1)),
		     step = lower_scalar(lw, ir_operand(op, 2));
	Regs inits = words_of_operands(lw, op, 3, packs);
	LoopCarried c = carry_all(lw, op, &inits);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b);
	LLVMBasicBlockRef body = lower_new_block(lw, "loop"), exit = lower_new_block(lw, "exit");
	LLVMBuildCondBr(lw->b, is_below(lw, op, low, high), body, exit);

	LLVMPositionBuilderAtEnd(lw->b, body);
	LLVMValueRef counter = LLVMBuildPhi(lw->b, LLVMTypeOf(low), "");
	LLVMAddIncoming(counter, &low, &before, 1);
	build_phis(lw, &c, c.phi);
	incoming(c.phi, c.start, c.phi_count, before);
	Regs carried = carried_regs(lw, &c, c.phi);
	lower_set_scalar(lw, block->args[0], counter);
	for (uint32_t i = 1, at = 0; i < block->arg_count; i++)
		at = set_from_words(lw, block->args[i], &carried, at, packs);
	if (!lower_block(lw, block))
		return false;
	Regs yields = words_of_operands(lw, ir_terminator(block), 0, packs);
	lower_line(lw, op->loc);
	carried_next(lw, &c, &yields);
	LLVMValueRef next = next_counter(lw, op, counter, step);
	LLVMBasicBlockRef end = LLVMGetInsertBlock(lw->b);
	LLVMValueRef back = LLVMBuildCondBr(lw->b, is_below(lw, op, next, high), body, exit);
	lower_end_loop(lw, op, back, packs);
	LLVMAddIncoming(counter, &next, &end, 1);
	incoming(c.phi, c.next, c.phi_count, end);

	LLVMMoveBasicBlockAfter(exit, end);
	LLVMPositionBuilderAtEnd(lw->b, exit);
	build_phis(lw, &c, c.out);
	incoming(c.out, c.start, c.phi_count, before);
	incoming(c.out, c.next, c.phi_count, end);
	Regs results = carried_regs(lw, &c, c.out);
	for (uint32_t i = 0, at = 0; i < op->result_count; i++)
		at = set_from_words(lw, ir_result(op, i), &results, at, packs);
	return true;
}
