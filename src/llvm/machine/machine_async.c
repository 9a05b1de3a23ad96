/* The PTX of families of sm_90's asynchronous operations.
 *
 *	tensor_load, tensor_store   1d ... 5d
 *	bulk_wait                   N, read.N
 *	wgmma                       m64nNkK.D.A.B, then `ta`, `tb` where A or B in shared memory has its rows (columns) first; whether A is
 *	                            a descriptor (i64) or four words (i32) is in the function's type
 *	wgmma_wait, setmaxnreg      N; inc.N, dec.N
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

bool machine_tensor_store(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	unsigned rank = rank_of(suffix);
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	if (!rank || LLVMCountParamTypes(function) != rank + 2)
		return false;
	text_printf(&text, "cp.async.bulk.tensor.%s.global.shared::cta.tile.bulk_group [$0, ", suffix);
	add_list(&text, 1, rank);
	text_printf(&text, "], [$%u];", rank + 1);
	text_str(&constraints, "l");
	for (unsigned i = 0; i < rank + 1; i++)
		text_str(&constraints, ",r");
	return finish(form, &text, &constraints);
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

static char letter_of(LLVMTypeRef result)
{
	LLVMTypeRef part = LLVMGetTypeKind(result) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(result, 0) : result;
	return LLVMGetTypeKind(part) == LLVMFloatTypeKind ? 'f' : 'r';
}

/* "=f,=f, ..., " and, for the operands, "0,1, ..." */
static void add_accumulators(Text *t, char letter, unsigned n, bool results)
{
	for (unsigned i = 0; i < n; i++) {
		text_str(t, t->len ? "," : "");
		if (results)
			text_printf(t, "=%c", letter);
		else
			text_printf(t, "%u", i);
	}
}

bool machine_wgmma(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	unsigned m, n, k;
	char d[8], a[8], b[8];
	int len = 0;
	if (sscanf(suffix, "m%un%uk%u.%7[a-z0-9].%7[a-z0-9].%7[a-z0-9]%n", &m, &n, &k, d, a, b, &len) != 6)
		return false;
	LLVMTypeRef result = LLVMGetReturnType(function), types[256];
	unsigned count = parts_of(result), params = LLVMCountParamTypes(function);
	if (m != 64 || params > ARRAY_LEN(types) || params < count + 3)
		return false;
	LLVMGetParamTypes(function, types);
	bool words = LLVMGetIntTypeWidth(types[count]) == 32, wide = strcmp(a, "f16") == 0 || strcmp(a, "bf16") == 0;
	unsigned operand = 2 * count; /* results, then accumulators */
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	text_printf(&text, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", n, k, d, a, b);
	add_list(&text, 0, count);
	text_str(&text, ", ");
	if (words)
		add_list(&text, operand, 4);
	else
		text_printf(&text, "$%u", operand);
	operand += words ? 4 : 1;
	text_printf(&text, ", $%u, $%u", operand, operand + 1);
	if (a[0] != 's' && a[0] != 'u')
		text_str(&text, ", 1, 1");
	if (wide && !words)
		text_str(&text, strstr(suffix + len, ".ta") ? ", 1" : ", 0");
	if (wide)
		text_str(&text, strstr(suffix + len, ".tb") ? ", 1" : ", 0");
	text_str(&text, ";");
	add_accumulators(&constraints, letter_of(result), count, true);
	add_accumulators(&constraints, 0, count, false);
	text_str(&constraints, words ? ",r,r,r,r,l,b" : ",l,l,b");
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
	text_printf(&text, "wgmma.wait_group.sync.aligned %s;", suffix);
	add_accumulators(&constraints, count ? letter_of(result) : 'r', count, true);
	add_accumulators(&constraints, 0, count, false);
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
