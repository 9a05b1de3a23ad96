/* Functions and control flow.
 *
 * A kernel takes what the TTIR function takes, in order, one LLVM value each; scratch in global memory follows where it is
 * used (codegen/to_ptx.c says so to whoever launches). Any other function takes and gives every register of its tiles. The
 * entry block holds what depends on the thread alone, the body follows.
 *
 * Loops are built as they leave loop rotation: a test whether there is a first round, then body and test. */
#include "gpu/layout/boxes.h"
#include "llvm/lower/affine.h"
#include "llvm/memory/shared.h"
#include "llvm/lower_int.h"

#include <llvm/Config/llvm-config.h>

/* ---- lists of registers ---- */

typedef struct Regs {
	LLVMValueRef *data;
	LLVMTypeRef *types;
	uint32_t count;
} Regs;

static Regs regs_of_types(Lower *lw, const IrValue *values, uint32_t count)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += lower_count(lw, values[i].type);
	Regs r = {lower_array(lw, total), ARENA_ARRAY(lw->arena, LLVMTypeRef, total + 1), total};
	for (uint32_t i = 0, at = 0; i < count; i++)
		for (uint32_t k = 0, n = lower_count(lw, values[i].type); k < n; k++)
			r.types[at++] = lower_type(lw, values[i].type);
	return r;
}

/* The operands of an op from `first` on. */
static Regs regs_of_operands(Lower *lw, const IrOp *op, uint32_t first)
{
	uint32_t total = 0;
	for (uint32_t i = first; i < op->operand_count; i++)
		total += lower_get(lw, ir_operand(op, i)).count;
	Regs r = {lower_array(lw, total), ARENA_ARRAY(lw->arena, LLVMTypeRef, total + 1), 0};
	for (uint32_t i = first; i < op->operand_count; i++) {
		LowerValue v = lower_get(lw, ir_operand(op, i));
		for (uint32_t k = 0; k < v.count; k++) {
			r.types[r.count] = LLVMTypeOf(v.regs[k]);
			r.data[r.count++] = v.regs[k];
		}
	}
	return r;
}

/* Gives values their part of a list; returns where it ended. */
static uint32_t set_value(Lower *lw, const IrValue *value, const Regs *r, uint32_t at)
{
	uint32_t count = lower_count(lw, value->type);
	ASSERT(at + count <= r->count);
	lower_set(lw, value, r->data + at, count);
	return at + count;
}

static void set_results(Lower *lw, const IrOp *op, const Regs *r)
{
	for (uint32_t i = 0, at = 0; i < op->result_count; i++)
		at = set_value(lw, ir_result(op, i), r, at);
}

static void set_args(Lower *lw, const IrBlock *block, uint32_t first, const Regs *r)
{
	for (uint32_t i = first, at = 0; i < block->arg_count; i++)
		at = set_value(lw, block->args[i], r, at);
}

static Regs phis_like(Lower *lw, const Regs *like)
{
	Regs r = {lower_array(lw, like->count), like->types, like->count};
	for (uint32_t i = 0; i < like->count; i++)
		r.data[i] = LLVMBuildPhi(lw->b, like->types[i], "");
	return r;
}

static void add_incoming(const Regs *phis, const Regs *values, LLVMBasicBlockRef from)
{
	ASSERT(phis->count == values->count);
	for (uint32_t i = 0; i < phis->count; i++)
		LLVMAddIncoming(phis->data[i], &values->data[i], &from, 1);
}

/* ---- scf.for ---- */

static LLVMValueRef is_below(Lower *lw, const IrOp *op, LLVMValueRef a, LLVMValueRef b)
{
	bool is_unsigned = ir_get_bool(op, lw->module->cx, ATTR_UNSIGNED_CMP);
	return LLVMBuildICmp(lw->b, is_unsigned ? LLVMIntULT : LLVMIntSLT, a, b, "");
}

/* What a product of warp groups does in an iteration hides everything else: ptxas unrolls such loops for no gain, and takes
 * several times as long. */
static bool has_products(const IrBlock *body)
{
	for (const IrOp *op = body->first; op; op = op->next)
		if (op->kind == OP_WARP_GROUP_DOT)
			return true;
	return false;
}

/* Where products take them, narrow floats are carried as words of 32 bits, as what makes and takes them in pairs does. */
static unsigned per_word(Lower *lw, IrType type, bool packs)
{
	IrType elem = ir_elem(type);
	unsigned n = packs && ir_is_tensor(type) && ir_is_float(elem) && elem->bits < 32 ? 32 / elem->bits : 1;
	return lower_count(lw, type) % n ? 1 : n;
}

/* Of known parts it is known: as a cast of a constant vector it would stay one, which not all that read LLIR take in a phi. */
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

/* What a loop carries: a list of phis. Registers that keep their distances share one: register i is phi[of[i]] plus a
 * constant. */
typedef struct Carried {
	uint32_t count, phi_count;
	LLVMValueRef *init;    /* of each register */
	uint32_t *of, *first;  /* register -> phi; phi -> its first register */
	int64_t *offset;       /* register - phi */
	LLVMValueRef *start, *phi, *next, *out; /* of each phi: before the loop, in it, at its end, after it */
} Carried;

static Carried carried_new(Lower *lw, const Regs *inits)
{
	uint32_t n = inits->count;
	return (Carried){
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

/* Phis for registers [at, at + count): one for each base when they keep their distances. */
static void carry(Lower *lw, Carried *c, uint32_t at, uint32_t count, bool steps)
{
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
		c->of[i] = c->phi_count;
		c->offset[i] = a.offset;
		c->first[c->phi_count] = i;
		c->start[c->phi_count] = a.base;
		map_put(&bases, map_key(a.base), c->phi_count++);
	}
}

/* Registers from the values of the phis. */
static Regs carried_regs(Lower *lw, const Carried *c, const LLVMValueRef *phis)
{
	Regs r = {lower_array(lw, c->count), NULL, c->count};
	for (uint32_t i = 0; i < c->count; i++)
		r.data[i] = c->offset[i] == 0 ? phis[c->of[i]] :
			    lower_affine_value(lw, (LowerAffine){.base = phis[c->of[i]], .offset = c->offset[i]});
	return r;
}

/* The phi's next value, from the first register that it stands for. */
static void carried_next(Lower *lw, Carried *c, const Regs *yields)
{
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

static Carried carry_all(Lower *lw, const IrOp *op, const Regs *inits)
{
	CONTRACT(op->region_count);
	const IrBlock *block = op->regions[0].first;
	const IrOp *end = ir_terminator(block);
	Carried c = carried_new(lw, inits);
	for (uint32_t i = 0, at = 0; i < op->result_count; i++) {
		const IrValue *arg = block->args[i + 1];
		uint32_t count = lower_count(lw, arg->type) / per_word(lw, arg->type, has_products(block));
		carry(lw, &c, at, count, lower_affine_steps(arg, ir_operand(end, i)));
		at += count;
	}
	return c;
}

static void incoming(LLVMValueRef *phis, LLVMValueRef *values, uint32_t count, LLVMBasicBlockRef from)
{
	for (uint32_t i = 0; i < count; i++)
		LLVMAddIncoming(phis[i], &values[i], &from, 1);
}

static void build_phis(Lower *lw, const Carried *c, LLVMValueRef *out)
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
	Carried c = carry_all(lw, op, &inits);
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
	if (packs)
		lower_keep_rolled(lw, back);
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

/* ---- scf.while, scf.if ---- */

bool lower_WHILE(Lower *lw, IrOp *op)
{
	CONTRACT(op->region_count);
	IrBlock *test = op->regions[0].first, *body = op->regions[1].first;
	Regs inits = regs_of_operands(lw, op, 0);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b), head = lower_new_block(lw, "while");
	LLVMBuildBr(lw->b, head);
	LLVMPositionBuilderAtEnd(lw->b, head);
	Regs carried = phis_like(lw, &inits);
	add_incoming(&carried, &inits, before);
	set_args(lw, test, 0, &carried);
	if (!lower_block(lw, test))
		return false;
	const IrOp *condition = ir_terminator(test);
	Regs passed = regs_of_operands(lw, condition, 1);
	lower_line(lw, condition->loc);
	LLVMBasicBlockRef inside = lower_new_block(lw, "do"), exit = lower_new_block(lw, "done");
	LLVMBuildCondBr(lw->b, lower_scalar(lw, ir_operand(condition, 0)), inside, exit);

	LLVMPositionBuilderAtEnd(lw->b, inside);
	set_args(lw, body, 0, &passed);
	if (!lower_block(lw, body))
		return false;
	Regs yields = regs_of_operands(lw, ir_terminator(body), 0);
	LLVMBasicBlockRef end = LLVMGetInsertBlock(lw->b);
	lower_line(lw, op->loc);
	LLVMBuildBr(lw->b, head);
	add_incoming(&carried, &yields, end);

	LLVMMoveBasicBlockAfter(exit, end);
	LLVMPositionBuilderAtEnd(lw->b, exit);
	set_results(lw, op, &passed);
	return true;
}

bool lower_IF(Lower *lw, IrOp *op)
{
	CONTRACT(op->region_count);
	IrBlock *sides[2] = {op->regions[0].first, op->regions[1].first};
	LLVMBasicBlockRef then = lower_new_block(lw, "then"), after = lower_new_block(lw, "endif");
	LLVMBasicBlockRef other = sides[1] ? lower_new_block(lw, "else") : after;
	LLVMBuildCondBr(lw->b, lower_scalar(lw, ir_operand(op, 0)), then, other);
	Regs yields[2];
	LLVMBasicBlockRef ends[2] = {NULL, NULL};
	for (int i = 0; i < 2; i++) {
		if (!sides[i])
			continue;
		LLVMBasicBlockRef start = i ? other : then;
		LLVMMoveBasicBlockAfter(start, i ? ends[0] : LLVMGetInsertBlock(lw->b));
		LLVMPositionBuilderAtEnd(lw->b, start);
		if (!lower_block(lw, sides[i]))
			return false;
		const IrOp *end = ir_terminator(sides[i]);
		yields[i] = end ? regs_of_operands(lw, end, 0) : (Regs){0};
		ends[i] = LLVMGetInsertBlock(lw->b);
		lower_line(lw, op->loc);
		LLVMBuildBr(lw->b, after);
	}
	LLVMMoveBasicBlockAfter(after, ends[1] ? ends[1] : ends[0]);
	LLVMPositionBuilderAtEnd(lw->b, after);
	if (!op->result_count)
		return true;
	Regs results = phis_like(lw, &yields[0]);
	for (int i = 0; i < 2; i++)
		add_incoming(&results, &yields[i], ends[i]);
	set_results(lw, op, &results);
	return true;
}

/* Terminators are read by the ops that they end. */
#define TERMINATOR(name)                         \
	bool lower_##name(Lower *lw, IrOp *op)   \
	{                                        \
		(void)lw;                        \
		(void)op;                        \
		BUG("a terminator in a block");  \
	}
TERMINATOR(YIELD)
TERMINATOR(CONDITION)
TERMINATOR(RETURN)

/* TTIR has them before `structure` alone. */
TERMINATOR(BR)
TERMINATOR(COND_BR)

bool lower_POISON(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t i = 0; i < count; i++)
		regs[i] = LLVMGetUndef(lower_type(lw, result->type));
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_ASSUME(Lower *lw, IrOp *op)
{
	lower_intrinsic1(lw, "llvm.assume", lw->t.void_, lower_scalar(lw, ir_operand(op, 0)));
	return true;
}

/* ---- functions ---- */

static bool is_public(const Lower *lw, const IrOp *func)
{
	IrAttr visibility = ir_get(func, lw->module->cx, ATTR_SYM_VISIBILITY);
	return !visibility || strcmp(visibility->text, "private") != 0;
}

bool lower_is_kernel(const Lower *lw, const IrOp *func)
{
	return ir_func_body(func) && is_public(lw, func) && ir_func_type_of(func)->len == ir_func_type_of(func)->split;
}

static void set_attribute(Lower *lw, LLVMValueRef fn, const char *name, const char *value)
{
	LLVMAttributeRef attribute = LLVMCreateStringAttribute(lw->cx, name, (unsigned)strlen(name), value,
							       (unsigned)strlen(value));
	LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, attribute);
}

/* A fact of a launch: nvvm.NAME; LLVM before 21 reads it from metadata. */
static void set_number(Lower *lw, LLVMValueRef fn, const char *name, const char *old, unsigned value)
{
#if LLVM_VERSION_MAJOR >= 21
	(void)old;
	set_attribute(lw, fn, name, arena_printf(lw->arena, "%u", value));
#else
	(void)name;
	LLVMMetadataRef parts[] = {LLVMValueAsMetadata(fn), LLVMMDStringInContext2(lw->cx, old, strlen(old)),
				   LLVMValueAsMetadata(lower_i32(lw, value))};
	LLVMMetadataRef node = LLVMMDNodeInContext2(lw->cx, parts, ARRAY_LEN(parts));
	LLVMAddNamedMetadataOperand(lw->mod, "nvvm.annotations", LLVMMetadataAsValue(lw->cx, node));
#endif
}

static void set_launch_attributes(Lower *lw, LLVMValueRef fn)
{
	unsigned threads = TARGET_WARP_SIZE * lw->gpu->num_warps;
	LLVMSetFunctionCallConv(fn, LLVMPTXKernelCallConv);
	set_number(lw, fn, "nvvm.reqntid", "reqntidx", threads);
	if (lw->maxnreg)
		set_number(lw, fn, "nvvm.maxnreg", "maxnreg", lw->maxnreg);
	if (lw->gpu->num_ctas > 1)
		set_number(lw, fn, "nvvm.cluster_dim", "cluster_dim_x", lw->gpu->num_ctas);
}

/* A tensor map: 128 bytes of the kernel's parameters, where copies find it. */
static void set_map_attributes(Lower *lw, LLVMValueRef fn, uint32_t number)
{
	static const char constant[] = "nvvm.grid_constant";
	LLVMTypeRef bytes = LLVMArrayType2(lw->t.i8, TENSOR_MAP_BYTES);
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5), align = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAddAttributeAtIndex(fn, number + 1, LLVMCreateTypeAttribute(lw->cx, byval, bytes));
	LLVMAddAttributeAtIndex(fn, number + 1, LLVMCreateEnumAttribute(lw->cx, align, 64));
	LLVMAddAttributeAtIndex(fn, number + 1, LLVMCreateStringAttribute(lw->cx, constant, sizeof constant - 1, "", 0));
}

/* tt.divisibility of a pointer is its alignment. */
static void set_argument_attributes(Lower *lw, const IrOp *func, LLVMValueRef fn)
{
	const IrCx *cx = lw->module->cx;
	IrAttr attrs = ir_get(func, cx, ATTR_ARG_ATTRS);
	unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	const IrBlock *body = ir_func_body(func);
	for (uint32_t i = 0; i < body->arg_count; i++)
		if (gpu_is_map(body->args[i]->type))
			set_map_attributes(lw, fn, i);
	for (uint32_t i = 0; attrs && i < attrs->len && i < body->arg_count; i++) {
		IrAttr dict = attrs->items[i];
		for (uint32_t k = 0; k < dict->len; k++) {
			if (dict->names[k] != cx->names[ATTR_DIVISIBILITY] || dict->items[k]->kind != ATTR_KIND_INT ||
			    !ir_is_ptr(body->args[i]->type))
				continue;
			uint64_t bytes = (uint64_t)dict->items[k]->i;
			if (base_is_pow2(bytes))
				LLVMAddAttributeAtIndex(fn, i + 1, LLVMCreateEnumAttribute(lw->cx, align, bytes));
		}
	}
}

static LLVMTypeRef function_type(Lower *lw, const IrOp *func)
{
	IrType type = ir_func_type_of(func);
	uint32_t in = 0, out = 0;
	for (uint32_t i = 0; i < type->len; i++)
		*(i < type->split ? &in : &out) += lower_count(lw, type->list[i]);
	LLVMTypeRef *types = ARENA_ARRAY(lw->arena, LLVMTypeRef, in + out + 1);
	for (uint32_t i = 0, at = 0; i < type->len; i++)
		for (uint32_t k = 0, n = lower_count(lw, type->list[i]); k < n; k++)
			types[at++] = lower_type(lw, type->list[i]);
	LLVMTypeRef result = out == 0 ? lw->t.void_ :
			     out == 1 ? types[in] : LLVMStructTypeInContext(lw->cx, types + in, out, false);
	return LLVMFunctionType(result, types, in, false);
}

static LLVMValueRef declare(Lower *lw, const IrOp *func)
{
	Sym name = ir_func_name(func);
	LLVMValueRef fn = LLVMGetNamedFunction(lw->mod, name);
	if (fn)
		return fn;
	fn = LLVMAddFunction(lw->mod, name, function_type(lw, func));
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, LLVMCreateEnumAttribute(lw->cx, nounwind, 0));
	if (lower_is_kernel(lw, func)) {
		set_launch_attributes(lw, fn);
		set_argument_attributes(lw, func, fn);
	} else {
		/* It may hold barriers, so calls stay where all threads come by. */
		static const char *const names[] = {"noinline", "convergent"};
		for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
			unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
			LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, LLVMCreateEnumAttribute(lw->cx, kind, 0));
		}
		LLVMSetLinkage(fn, LLVMInternalLinkage);
	}
	return fn;
}

bool lower_CALL(Lower *lw, IrOp *op)
{
	const IrOp *callee = ir_find_func(lw->module, ir_get(op, lw->module->cx, ATTR_CALLEE)->text);
	ASSERT(callee);
	Regs args = regs_of_operands(lw, op, 0);
	LLVMValueRef v = LLVMBuildCall2(lw->b, function_type(lw, callee), declare(lw, callee), args.data, args.count, "");
	Regs results = regs_of_types(lw, op->results, op->result_count);
	for (uint32_t i = 0; i < results.count; i++)
		results.data[i] = results.count == 1 ? v : LLVMBuildExtractValue(lw->b, v, i, "");
	set_results(lw, op, &results);
	return true;
}

static void build_return(Lower *lw, const IrOp *end)
{
	Regs values = end ? regs_of_operands(lw, end, 0) : (Regs){0};
	if (values.count == 0)
		LLVMBuildRetVoid(lw->b);
	else if (values.count == 1)
		LLVMBuildRet(lw->b, values.data[0]);
	else
		LLVMBuildAggregateRet(lw->b, values.data, values.count);
}

static bool lower_function(Lower *lw, IrOp *func)
{
	IrBlock *block = ir_func_body(func);
	lw->fn = declare(lw, func);
	lw->func = func;
	lower_line_function(lw);
	Regs args = {lower_array(lw, LLVMCountParams(lw->fn)), NULL, LLVMCountParams(lw->fn)};
	LLVMGetParams(lw->fn, args.data);
	LLVMBasicBlockRef entry = lower_new_block(lw, "entry"), body = lower_new_block(lw, "body");
	lower_thread_begin(lw, entry);
	set_args(lw, block, 0, &args);
	LLVMPositionBuilderAtEnd(lw->b, body);
	if (!lower_block(lw, block))
		return false;
	const IrOp *end = ir_terminator(block);
	lower_line(lw, end ? end->loc : func->loc);
	build_return(lw, end);
	LLVMPositionBuilderAtEnd(lw->b, entry);
	lower_line(lw, func->loc);
	LLVMBuildBr(lw->b, body);
	return true;
}

bool lower_FUNC(Lower *lw, IrOp *op)
{
	return !ir_func_body(op) || lower_function(lw, op);
}

bool lower_MODULE(Lower *lw, IrOp *op)
{
	(void)lw;
	(void)op;
	BUG("a module in a module");
}

static bool find_map(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_TMA_LOAD || op->kind == OP_TMA_STORE || op->kind == OP_TMA_REDUCE;
	return !*found;
}

/* The start of dynamic shared memory; 16 bytes are what vectors need, 1024 what swizzled boxes do. */
static void declare_shared(Lower *lw)
{
	LLVMTypeRef type = LLVMArrayType2(lw->t.i8, 0);
	lw->shared_base = LLVMAddGlobalInAddressSpace(lw->mod, type, "global_smem", 3);
	bool maps = false;
	ir_walk(lw->module->op, false, find_map, &maps);
	LLVMSetAlignment(lw->shared_base, maps ? 1024 : 16);
}

bool lower_module(Lower *lw)
{
	declare_shared(lw);
	for (IrOp *op = ir_module_block(lw->module)->first; op; op = op->next)
		if (op->kind == OP_FUNC && !lower_FUNC(lw, op))
			return false;
	if (!LLVMGetFirstUse(lw->shared_base))
		LLVMDeleteGlobal(lw->shared_base);
	return !lw->failed;
}
