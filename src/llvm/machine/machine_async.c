/* The PTX of families of sm_90's asynchronous operations.
 *
 *	tensor_load, tensor_store   1d ... 5d
 *	tensor_reduce               the same, then what is computed
 *	bulk_wait                   N, read.N
 *	wgmma                       m64nNkK.D.A.B, then `ra` where A comes in registers, `ta`, `tb` where A or B in shared memory has its rows (columns) first, `new` where
 *	                            there is nothing to add to (no accumulators, nor whether), `xS` where S steps of K follow one another (all of
 *	                            A, then all of B); whether A is a descriptor (i64) or four words (i32) is in the function's type
 *	wgmma_wait                  N, then how many accumulators of which type, so that each type has its name
 *	setmaxnreg                  inc.N, dec.N
 *
 * Accumulators are tied: the same registers go in and out. Source: PTX ISA 8.8, "cp.async.bulk.tensor", "wgmma", "setmaxnreg". */
#include <stdio.h>
#include <stdlib.h>

#include "llvm/machine.h"

static bool finish(MachineForm *form, const Text *text, const Text *constraints)
{
	form->text = text->data;
	form->constraints = constraints->data ? constraints->data : "";
	form->sideeffect = true;
	return true;
}

/* "1d" ... "5d"; 0: none. */
static unsigned rank_of(const char *suffix)
{
	return suffix[0] >= '1' && suffix[0] <= '5' && suffix[1] == 'd' && !suffix[2] ? (unsigned)(suffix[0] - '0') : 0;
}

/* "{$2, $3}" */
static void add_list(Text *t, unsigned first, unsigned n)
{
	text_str(t, "{");
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s$%u", i ? ", " : "", first + i);
	text_str(t, "}");
}

bool machine_tensor_load(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	unsigned rank = rank_of(suffix);
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	if (!rank || LLVMCountParamTypes(function) != rank + 3)
		return false;
	text_printf(&text, "cp.async.bulk.tensor.%s.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, ", suffix);
	add_list(&text, 2, rank);
	text_printf(&text, "], [$%u];", rank + 2);
	text_str(&constraints, "r,l");
	for (unsigned i = 0; i < rank + 1; i++)
		text_str(&constraints, ",r");
	return finish(form, &text, &constraints);
}

/* operation: "", or that of a reduction with its dot. */
static bool tensor_out(Arena *arena, unsigned rank, const char *operation, LLVMTypeRef function, MachineForm *form)
{
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	if (!rank || LLVMCountParamTypes(function) != rank + 2)
		return false;
	text_printf(&text, "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s.tile.bulk_group [$0, ", *operation ? "reduce." : "", rank, operation);
	add_list(&text, 1, rank);
	text_printf(&text, "], [$%u];", rank + 1);
	text_str(&constraints, "l");
	for (unsigned i = 0; i < rank + 1; i++)
		text_str(&constraints, ",r");
	return finish(form, &text, &constraints);
}

bool machine_tensor_store(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	return tensor_out(arena, rank_of(suffix), "", function, form);
}

/* "2d.add" */
bool machine_tensor_reduce(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	static const char *const kinds[] = {".add", ".min", ".max", ".and", ".or", ".xor"};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strlen(suffix) > 2 && strcmp(suffix + 2, kinds[i]) == 0)
			return tensor_out(arena, rank_of(arena_strndup(arena, suffix, 2)), kinds[i], function, form);
	return false;
}

bool machine_bulk_wait(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	bool read = strncmp(suffix, "read.", 5) == 0;
	(void)function;
	form->text = arena_printf(arena, "cp.async.bulk.wait_group%s %s;", read ? ".read" : "", suffix + (read ? 5 : 0));
	form->constraints = "";
	form->sideeffect = true;
	return true;
}

/* ---- products ---- */

static unsigned parts_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : LLVMGetTypeKind(type) == LLVMVoidTypeKind ? 0 : 1;
}

static char letter_of(LLVMTypeRef result, unsigned i)
{
	LLVMTypeRef part = LLVMGetTypeKind(result) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(result, i) : result;
	return LLVMGetTypeKind(part) == LLVMFloatTypeKind ? 'f' : 'r';
}

/* "=f,=f, ...", and for operands that go in there "0,1, ..." */
static void add_results(Text *t, LLVMTypeRef result, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s=%c", t->len ? "," : "", letter_of(result, i));
}

static void add_tied(Text *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s%u", t->len ? "," : "", i);
}

/* What a suffix and a function's type say. */
typedef struct Wgmma {
	unsigned n, k, steps, count, first; /* count: accumulators; first: operand after them */
	char d[8], a[8], b[8];
	bool words, wide, fresh, rows_a, rows_b;
} Wgmma;

static bool read_wgmma(const char *suffix, LLVMTypeRef function, Wgmma *x)
{
	enum { MOST_PARAMS = 256, MOST_STEPS = 16 };
	unsigned m, params = LLVMCountParamTypes(function);
	LLVMTypeRef types[MOST_PARAMS];
	int len = 0;
	if (sscanf(suffix, "m%un%uk%u.%7[a-z0-9].%7[a-z0-9].%7[a-z0-9]%n", &m, &x->n, &x->k, x->d, x->a, x->b, &len) != 6)
		return false;
	const char *rest = suffix + len, *steps = strstr(rest, ".x");
	x->steps = steps ? (unsigned)strtoul(steps + 2, NULL, 10) : 1;
	x->count = parts_of(LLVMGetReturnType(function));
	x->fresh = strstr(rest, ".new") != NULL;
	x->first = x->fresh ? 0 : x->count;
	if (m != 64 || params > MOST_PARAMS || params < x->first + 2 || !x->steps || x->steps > MOST_STEPS)
		return false;
	LLVMGetParamTypes(function, types);
	x->words = LLVMGetIntTypeWidth(types[x->first]) == 32;
	x->wide = strcmp(x->a, "f16") == 0 || strcmp(x->a, "bf16") == 0;
	x->rows_a = strstr(rest, ".ta") != NULL;
	x->rows_b = strstr(rest, ".tb") != NULL;
	return params == x->first + x->steps * (x->words ? 5 : 2) + !x->fresh;
}

/* One instruction; operands of A from `a` on, of B at `b`, and whether accumulators are added to. */
static void write_wgmma(Text *text, const Wgmma *x, unsigned a, unsigned b, const char *added)
{
	text_printf(text, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", x->n, x->k, x->d, x->a, x->b);
	add_list(text, 0, x->count);
	text_str(text, ", ");
	if (x->words)
		add_list(text, a, 4);
	else
		text_printf(text, "$%u", a);
	text_printf(text, ", $%u, %s", b, added);
	if (x->a[0] != 's' && x->a[0] != 'u')
		text_str(text, ", 1, 1");
	if (x->wide && !x->words)
		text_str(text, x->rows_a ? ", 1" : ", 0");
	if (x->wide)
		text_str(text, x->rows_b ? ", 1" : ", 0");
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
	unsigned each = x.words ? 4 : 1, a = x.count + x.first, b = a + each * x.steps;
	const char *added = x.fresh ? "p" : arena_printf(arena, "$%u", b + x.steps);
	bool predicates = x.fresh || x.steps > 1;
	if (predicates)
		text_str(&text, x.fresh ? "{.reg .pred p, q; setp.ne.b32 p, 0, 0; setp.eq.b32 q, 0, 0; " : "{.reg .pred q; setp.eq.b32 q, 0, 0; ");
	for (unsigned i = 0; i < x.steps; i++)
		write_wgmma(&text, &x, a + i * each, b + i, i ? "q" : added);
	text_str(&text, predicates ? "}" : "");
	add_results(&constraints, LLVMGetReturnType(function), x.count);
	add_tied(&constraints, x.first);
	for (unsigned i = 0; i < each * x.steps; i++)
		text_str(&constraints, x.words ? ",r" : ",l");
	for (unsigned i = 0; i < x.steps; i++)
		text_str(&constraints, ",l");
	text_str(&constraints, x.fresh ? "" : ",b");
	return finish(form, &text, &constraints);
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
	return finish(form, &text, &constraints);
}

bool machine_setmaxnreg(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	char which[4];
	unsigned n;
	(void)function;
	if (sscanf(suffix, "%3[a-z].%u", which, &n) != 2)
		return false;
	form->text = arena_printf(arena, "setmaxnreg.%s.sync.aligned.u32 %u;", which, n);
	form->constraints = "";
	form->sideeffect = true;
	return true;
}
