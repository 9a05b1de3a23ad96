/* The PTX of matrix instructions: mma_sync and wgmma, whose calls target/mma.h reads, and
 *
 *	wgmma_wait   N, then how many accumulators of which type, so that each type has its name
 *
 * wgmma's accumulators are tied: the same registers go in and out. Source: PTX ISA 8.8, "mma", "wgmma". */
#include <stdlib.h>

#include "llvm/machine/machine_text.h"
#include "target/mma.h"

/* ---- of a warp ---- */

/* Words of one fragment in the text, "{$4, $5}"; and their constraints. */
static void write_fragment(Text *text, Text *constraints, unsigned *next, unsigned count, char letter, bool result)
{
	text_str(text, *next ? ", " : "");
	machine_list(text, *next, count);
	for (unsigned i = 0; i < count; i++)
		text_printf(constraints, "%s%s%c", *next + i ? "," : "", result ? "=" : "", letter);
	*next += count;
}

/* Of the registers that hold elements. */
static char letter_of_element(TargetElement e)
{
	return e == TARGET_ELEMENT_F64 ? 'd' : e == TARGET_ELEMENT_F32 ? 'f' : 'r';
}

bool machine_mma_sync(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	/* Of fp8 since 8.4 (PTX ISA, mma). */
	enum { PTX_OF_FP8 = 84 };
	TargetProduct p;
	unsigned words[3], next = 0;
	if (!target_product_read(TARGET_MMA_SYNC, suffix, &p))
		return false;
	for (unsigned i = 0; i < 3; i++)
		words[i] = target_product_words(&p, i);
	if (LLVMCountParamTypes(function) != words[0] + words[1] + words[2] ||
	    LLVMCountStructElementTypes(LLVMGetReturnType(function)) != words[2])
		return false;
	const TargetMma *mma = p.mma;
	const TargetElementInfo *a = &target_elements[mma->operand];
	char operand = letter_of_element(mma->operand), sum = letter_of_element(mma->accumulator);
	int shape = (int)strcspn(suffix, ".");
	Text text = {.arena = arena}, constraints = {.arena = arena};
	text_printf(&text, "mma.sync.aligned.%.*s.row.col%s ", shape, suffix, suffix + shape);
	write_fragment(&text, &constraints, &next, words[2], sum, true);
	write_fragment(&text, &constraints, &next, words[0], operand, false);
	write_fragment(&text, &constraints, &next, words[1], operand, false);
	write_fragment(&text, &constraints, &next, words[2], sum, false);
	text_str(&text, ";");
	form->text = text.data;
	form->constraints = constraints.data;
	form->ptx = a->is_real && a->bits == 8 ? PTX_OF_FP8 : 0;
	return true;
}

/* ---- of a warp group ---- */

static unsigned parts_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : LLVMGetTypeKind(type) == LLVMVoidTypeKind ? 0 : 1;
}

static char letter_of_part(LLVMTypeRef result, unsigned i)
{
	LLVMTypeRef part = LLVMGetTypeKind(result) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(result, i) : result;
	return LLVMGetTypeKind(part) == LLVMFloatTypeKind ? 'f' : 'r';
}

/* "=f,=f, ...", and for operands that go in there "0,1, ..." */
static void add_results(Text *t, LLVMTypeRef result, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s=%c", t->len ? "," : "", letter_of_part(result, i));
}

static void add_tied(Text *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s%u", t->len ? "," : "", i);
}

typedef struct Wgmma {
	TargetProduct product;
	unsigned count, first; /* count: accumulators; first: operand after them */
} Wgmma;

static bool read_wgmma(const char *suffix, LLVMTypeRef function, Wgmma *x)
{
	const TargetProduct *p = &x->product;
	if (!target_product_read(TARGET_MMA_WGMMA, suffix, &x->product))
		return false;
	x->count = target_product_words(p, 2);
	x->first = p->fresh ? 0 : x->count;
	return parts_of(LLVMGetReturnType(function)) == x->count &&
	       LLVMCountParamTypes(function) == x->first + p->steps * (p->a_in_registers ? 5 : 2) + !p->fresh;
}

/* One instruction; operands of A from `a` on, of B at `b`, and whether accumulators are added to. */
static void write_wgmma(Text *text, const Wgmma *x, unsigned a, unsigned b, const char *added)
{
	const TargetProduct *p = &x->product;
	const TargetElementInfo *element = &target_elements[p->mma->operand];
	bool wide = element->bits == 16;
	text_printf(text, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s ", p->mma->m, p->n, p->mma->k,
		    target_elements[p->mma->accumulator].name, element->name, target_elements[p->b].name);
	machine_list(text, 0, x->count);
	text_str(text, ", ");
	if (p->a_in_registers)
		machine_list(text, a, 4);
	else
		text_printf(text, "$%u", a);
	text_printf(text, ", $%u, %s", b, added);
	if (element->is_real)
		text_str(text, ", 1, 1");
	if (wide && !p->a_in_registers)
		text_str(text, p->rows_first[0] ? ", 1" : ", 0");
	if (wide)
		text_str(text, p->rows_first[1] ? ", 1" : ", 0");
	text_str(text, ";");
}

/* Steps stand in one text: what LLVM does for the accumulators is done once. */
bool machine_wgmma(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	Wgmma x;
	Text text, constraints;
	if (!read_wgmma(suffix, function, &x))
		return false;
	text_init(&text, arena);
	text_init(&constraints, arena);
	bool words = x.product.a_in_registers, fresh = x.product.fresh;
	unsigned steps = x.product.steps, each = words ? 4 : 1, a = x.count + x.first, b = a + each * steps;
	const char *added = fresh ? "p" : arena_printf(arena, "$%u", b + steps);
	bool predicates = fresh || steps > 1;
	if (predicates)
		text_str(&text, fresh ? "{.reg .pred p, q; setp.ne.b32 p, 0, 0; setp.eq.b32 q, 0, 0; " : "{.reg .pred q; setp.eq.b32 q, 0, 0; ");
	for (unsigned i = 0; i < steps; i++)
		write_wgmma(&text, &x, a + i * each, b + i, i ? "q" : added);
	text_str(&text, predicates ? "}" : "");
	add_results(&constraints, LLVMGetReturnType(function), x.count);
	add_tied(&constraints, x.first);
	for (unsigned i = 0; i < each * steps; i++)
		text_str(&constraints, words ? ",r" : ",l");
	for (unsigned i = 0; i < steps; i++)
		text_str(&constraints, ",l");
	text_str(&constraints, fresh ? "" : ",b");
	return machine_finish(form, &text, &constraints);
}

bool machine_wgmma_wait(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	LLVMTypeRef result = LLVMGetReturnType(function);
	unsigned count = parts_of(result);
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	if (count != LLVMCountParamTypes(function))
		return false;
	text_printf(&text, "wgmma.wait_group.sync.aligned %lu;", strtoul(suffix, NULL, 10));
	add_results(&constraints, result, count);
	add_tied(&constraints, count);
	return machine_finish(form, &text, &constraints);
}

unsigned machine_tied(const char *name, LLVMTypeRef function)
{
	static const char product[] = "neso.wgmma.", wait[] = "neso.wgmma_wait.";
	Wgmma x;
	if (!strncmp(name, wait, sizeof wait - 1))
		return LLVMCountParamTypes(function);
	if (strncmp(name, product, sizeof product - 1) != 0)
		return 0;
	return read_wgmma(name + sizeof product - 1, function, &x) ? x.first : 0;
}
