/* Inline assembly over tiles: `packed_element` elements at a time go into registers, as many of a type narrower
 * than 32 bits into one as fit; the results come out the same way. Elements of a group are neighbours in this
 * thread's registers. Where the thread has fewer than a group, the last one stands in for the missing.
 *
 * The constraint of each operand says what register it takes; bits are extended with zeros, or cut, to its
 * width. One of `n` or `i` takes none: the operand is a number known when compiling, which
 * stands in the text. */
#include "llvm/lower_int.h"
#include "llvm/math/math.h"

#include <ctype.h>
#include <stdlib.h>

enum { MAX_REGISTERS = 256 };

/* The constraints of one op: those of registers in order, results first. */
typedef struct Constraints {
	char out[MAX_REGISTERS], in[MAX_REGISTERS]; /* letters; of a tied operand its result's */
	unsigned outs, ins;
} Constraints;

static bool add_constraint(Constraints *c, const char *at, size_t len)
{
	bool result = at[0] == '=' || at[0] == '+';
	for (; len && (*at == '=' || *at == '+' || *at == '&'); len--)
		at++;
	if (!len)
		return false;
	if (*at == '~')
		return true;
	char letter = *at;
	if (isdigit((unsigned char)letter)) {
		unsigned tied = (unsigned)strtoul(at, NULL, 10);
		if (tied >= c->outs)
			return false;
		letter = c->out[tied];
	}
	unsigned *count = result ? &c->outs : &c->ins;
	if (*count == MAX_REGISTERS || (result && c->ins))
		return false;
	(result ? c->out : c->in)[(*count)++] = letter;
	return true;
}

static bool read_constraints(Constraints *c, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ",");
		while (len && isspace((unsigned char)*text))
			text++, len--;
		if (len && !add_constraint(c, text, len))
			return false;
		text += len;
		text += *text == ',';
	}
	return true;
}

/* Bits of a register; 0: not a register. */
static unsigned register_bits(char letter)
{
	static const char letters[] = "bchrlqfd";
	static const unsigned bits[] = {1, 8, 16, 32, 64, 128, 32, 64};
	const char *at = strchr(letters, letter);
	return letter && at ? bits[at - letters] : 0;
}

static bool is_immediate(char letter)
{
	return letter == 'n' || letter == 'i';
}

static LLVMTypeRef register_type(Lower *lw, char letter)
{
	return letter == 'f' ? lw->t.f32 : letter == 'd' ? lw->t.f64 : lower_int_type(lw, register_bits(letter));
}

/* ---- groups ---- */

typedef struct Asm {
	Constraints constraints;
	uint32_t pack, count; /* elements of a group, registers of a tile */
	LLVMTypeRef *types;   /* of the inputs */
	LLVMTypeRef type;
	LLVMValueRef call;
} Asm;

/* Elements of a type in one register. */
static uint32_t per_register(IrType elem, uint32_t pack)
{
	return lower_bits(elem) < 32 ? MIN(pack, 32 / lower_bits(elem)) : 1;
}

static uint32_t registers_of(IrType type, uint32_t pack)
{
	uint32_t each = per_register(ir_elem(type), pack);
	return (pack + each - 1) / each;
}

static LLVMValueRef resize(Lower *lw, LLVMValueRef v, unsigned from, unsigned to)
{
	LLVMTypeRef type = lower_int_type(lw, to);
	return from == to ? v : from < to ? LLVMBuildZExt(lw->b, v, type, "") : LLVMBuildTrunc(lw->b, v, type, "");
}

/* Elements [first, first + each) of regs in one register. */
static LLVMValueRef load_register(Lower *lw, const Asm *a, IrType elem, const LLVMValueRef *regs, uint32_t first, char letter)
{
	unsigned bits = lower_bits(elem), each = per_register(elem, a->pack);
	LLVMValueRef word;
	if (each == 1) {
		word = lower_to_bits(lw, regs[MIN(first, a->count - 1)], elem);
	} else {
		word = LLVMGetUndef(LLVMVectorType(lower_int_type(lw, bits), each));
		for (uint32_t i = 0; i < each; i++) {
			LLVMValueRef v = lower_to_bits(lw, regs[MIN(first + i, a->count - 1)], elem);
			word = LLVMBuildInsertElement(lw->b, word, v, lower_i32(lw, i), "");
		}
		word = LLVMBuildBitCast(lw->b, word, lower_int_type(lw, bits * each), "");
	}
	if (is_immediate(letter))
		return word;
	word = resize(lw, word, bits * each, register_bits(letter));
	return LLVMBuildBitCast(lw->b, word, register_type(lw, letter), "");
}

static void store_register(Lower *lw, const Asm *a, IrType elem, LLVMValueRef *regs, uint32_t first, char letter,
			   LLVMValueRef word)
{
	unsigned bits = lower_bits(elem), each = per_register(elem, a->pack);
	word = LLVMBuildBitCast(lw->b, word, lower_int_type(lw, register_bits(letter)), "");
	word = resize(lw, word, register_bits(letter), bits * each);
	if (each > 1)
		word = LLVMBuildBitCast(lw->b, word, LLVMVectorType(lower_int_type(lw, bits), each), "");
	for (uint32_t i = 0; i < each && first + i < a->count; i++) {
		LLVMValueRef v = each == 1 ? word : LLVMBuildExtractElement(lw->b, word, lower_i32(lw, i), "");
		regs[first + i] = lower_from_bits(lw, v, elem);
	}
}

static bool run_group(Lower *lw, const IrOp *op, const Asm *a, const LowerValue *in, LLVMValueRef *const *out,
		      uint32_t first)
{
	static const char unknown[] =
		"operand %u has the constraint '%c', but its value is not known when compiling";
	LLVMValueRef args[MAX_REGISTERS];
	unsigned at = 0;
	for (uint32_t k = 0; k < op->operand_count; k++) {
		IrType elem = ir_elem(ir_operand(op, k)->type);
		for (uint32_t e = 0; e < a->pack; e += per_register(elem, a->pack), at++) {
			const LLVMValueRef *regs = in[k].regs;
			char letter = a->constraints.in[at];
			args[at] = load_register(lw, a, elem, regs, first + e, letter);
			if (is_immediate(letter) && !LLVMIsAConstantInt(args[at]))
				return lower_diag(lw, op->loc, DIAG_LOWER_ASM,
						  arena_printf(lw->arena, unknown, k, letter));
		}
	}
	LLVMValueRef v = LLVMBuildCall2(lw->b, a->type, a->call, args, at, "");
	at = 0;
	for (uint32_t k = 0; k < op->result_count; k++) {
		IrType elem = ir_elem(op->results[k].type);
		for (uint32_t e = 0; e < a->pack; e += per_register(elem, a->pack), at++) {
			LLVMValueRef word = a->constraints.outs == 1 ? v : LLVMBuildExtractValue(lw->b, v, at, "");
			store_register(lw, a, elem, out[k], first + e, a->constraints.out[at], word);
		}
	}
	return true;
}

/* ---- the op ---- */

static const char *text_attr(Lower *lw, const IrOp *op, IrAttrName name)
{
	IrAttr a = ir_get(op, lw->module->cx, name);
	return arena_strndup(lw->arena, a->text, a->text_len);
}

static bool check_registers(Lower *lw, const IrOp *op, const Constraints *c, uint32_t pack)
{
	uint32_t ins = 0, outs = 0;
	for (uint32_t k = 0; k < op->operand_count; k++)
		ins += registers_of(ir_operand(op, k)->type, pack);
	for (uint32_t k = 0; k < op->result_count; k++)
		outs += registers_of(op->results[k].type, pack);
	if (c->ins != ins || c->outs != outs)
		return lower_diag(lw, op->loc, DIAG_LOWER_ASM,
				  arena_printf(lw->arena, "the constraints name %u results and %u operands, but there are %u and %u "
					       "registers for %u elements at a time", c->outs, c->ins, outs, ins, pack));
	for (unsigned i = 0; i < ins + outs; i++) {
		char letter = i < outs ? c->out[i] : c->in[i - outs];
		if (!register_bits(letter) && (i < outs || !is_immediate(letter)))
			return lower_diag(lw, op->loc, DIAG_LOWER_ASM,
					  arena_printf(lw->arena, "no register has the constraint '%c'; there are b, h, r, l, q, f "
						       "and d, and n for numbers", letter));
	}
	return true;
}

/* Impure assembly stays where it is, in its order with memory; pure one has no effect that anyone could see,
 * also where it reads something, so two equal ones may become one. */
static void make_call(Lower *lw, const IrOp *op, Asm *a, const char *constraints)
{
	Constraints *c = &a->constraints;
	LLVMTypeRef in[MAX_REGISTERS], out[MAX_REGISTERS];
	unsigned at = 0;
	for (uint32_t k = 0; k < op->operand_count; k++) {
		IrType elem = ir_elem(ir_operand(op, k)->type);
		unsigned bits = lower_bits(elem) * per_register(elem, a->pack);
		for (uint32_t e = registers_of(ir_operand(op, k)->type, a->pack); e; e--, at++)
			in[at] = is_immediate(c->in[at]) ? lower_int_type(lw, bits)
							 : register_type(lw, c->in[at]);
	}
	for (unsigned i = 0; i < c->outs; i++)
		out[i] = register_type(lw, c->out[i]);
	LLVMTypeRef result = c->outs == 1 ? out[0] : LLVMStructTypeInContext(lw->cx, out, c->outs, false);
	const char *text = text_attr(lw, op, ATTR_ASM_STRING);
	bool pure = ir_get_bool(op, lw->module->cx, ATTR_PURE);
	if (!pure && !strstr(constraints, "~{memory}"))
		constraints = arena_printf(lw->arena, "%s%s~{memory}", constraints, *constraints ? "," : "");
	a->type = LLVMFunctionType(result, in, c->ins, false);
	a->call = LLVMGetInlineAsm(a->type, (char *)(uintptr_t)text, strlen(text), (char *)(uintptr_t)constraints,
				   strlen(constraints), !pure, false, LLVMInlineAsmDialectATT, false);
}

static bool is_by_element(const IrOp *op)
{
	return op->kind == OP_MAP_ELEMENTWISE || op->kind == OP_REDUCE || op->kind == OP_SCAN;
}

typedef struct Called {
	const Lower *lw;
	const char *name;
	bool by_element;
} Called;

static bool find_call(void *data, IrOp *op)
{
	Called *c = data;
	const IrOp *parent = op;
	if (op->kind != OP_CALL || ir_get(op, c->lw->module->cx, ATTR_CALLEE)->text != c->name)
		return true;
	while (parent->kind != OP_FUNC && !is_by_element(parent))
		parent = ir_parent_op(parent);
	c->by_element |= parent->kind != OP_FUNC;
	return !c->by_element;
}

/* May the lanes of a warp be at different places there, or absent? In a function that is called for
 * each element (by functions that are: not looked into), and behind branches of it. */
static bool is_apart(const Lower *lw, const IrOp *op)
{
	const IrOp *parent = op;
	while (parent->kind != OP_FUNC && !is_by_element(parent))
		parent = ir_parent_op(parent);
	if (parent->kind != OP_FUNC || lower_is_kernel(lw, parent))
		return parent->kind != OP_FUNC;
	Called c = {.lw = lw, .name = ir_func_name(parent)};
	ir_walk(lw->module->op, false, find_call, &c);
	return c.by_element;
}

/* Lanes that loops of the assembly let go at different times meet behind it, as behind those of
 * atomic operations (memory/atomic.c): where a loop touches memory, ptxas has lanes yield in it. */
static void meet(Lower *lw, const IrOp *op)
{
	if (strstr(text_attr(lw, op, ATTR_ASM_STRING), "bra") && !is_apart(lw, op))
		machine_call(lw, MACHINE_warp_barrier, NULL, 0);
}

bool lower_INLINE_ASM(Lower *lw, IrOp *op)
{
	Asm a = {.pack = (uint32_t)ir_get_int(op, lw->module->cx, ATTR_PACKED_ELEMENT, 1)};
	const char *constraints = text_attr(lw, op, ATTR_CONSTRAINTS);
	a.pack = a.pack ? a.pack : 1;
	if (!read_constraints(&a.constraints, constraints))
		return lower_diag(lw, op->loc, DIAG_LOWER_ASM,
				  arena_printf(lw->arena, "cannot read the constraints '%s'", constraints));
	if (!check_registers(lw, op, &a.constraints, a.pack))
		return false;
	make_call(lw, op, &a, constraints);
	a.count = lower_count(lw, op->result_count ? op->results[0].type : ir_operand(op, 0)->type);
	LowerValue *in = ARENA_ARRAY(lw->arena, LowerValue, op->operand_count + 1);
	LLVMValueRef **out = ARENA_ARRAY(lw->arena, LLVMValueRef *, op->result_count + 1);
	for (uint32_t k = 0; k < op->operand_count; k++)
		in[k] = lower_get(lw, ir_operand(op, k));
	for (uint32_t k = 0; k < op->result_count; k++)
		out[k] = lower_array(lw, a.count);
	for (uint32_t first = 0; first < a.count; first += a.pack)
		if (!run_group(lw, op, &a, in, out, first))
			return false;
	meet(lw, op);
	for (uint32_t k = 0; k < op->result_count; k++)
		lower_set(lw, ir_result(op, k), out[k], a.count);
	return true;
}
