/* The PTX of families of sm_90's asynchronous operations.
 *
 *	tensor_load                 1d ... 5d, 1d.multicast ...
 *	tensor_store                1d ... 5d
 *	tensor_reduce               the same, then what is computed
 *	bulk_wait                   N, read.N
 *	setmaxnreg                  inc.N, dec.N
 *
 * Source: PTX ISA 8.8, "cp.async.bulk.tensor", "setmaxnreg". */
#include <stdio.h>

#include "llvm/machine/machine_text.h"

/* "1d" ... "5d"; 0: none. */
static unsigned rank_of(const char *suffix)
{
	return suffix[0] >= '1' && suffix[0] <= '5' && suffix[1] == 'd' && !suffix[2] ? (unsigned)(suffix[0] - '0') : 0;
}

bool machine_tensor_load(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	bool multicast = strlen(suffix) > 2 && strcmp(suffix + 2, ".multicast") == 0;
	unsigned rank = rank_of(multicast ? arena_strndup(arena, suffix, 2) : suffix);
	Text text, constraints;
	text_init(&text, arena);
	text_init(&constraints, arena);
	if (!rank || LLVMCountParamTypes(function) != rank + 3 + multicast)
		return false;
	text_printf(&text,
		    "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes%s "
		    "[$0], [$1, ",
		    rank, multicast ? ".multicast::cluster" : "");
	machine_list(&text, 2, rank);
	text_printf(&text, multicast ? "], [$%u], $%u;" : "], [$%u];", rank + 2, rank + 3);
	text_str(&constraints, "r,l");
	for (unsigned i = 0; i < rank + 1; i++)
		text_str(&constraints, ",r");
	if (multicast)
		text_str(&constraints, ",h");
	return machine_finish(form, &text, &constraints);
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
	machine_list(&text, 1, rank);
	text_printf(&text, "], [$%u];", rank + 1);
	text_str(&constraints, "l");
	for (unsigned i = 0; i < rank + 1; i++)
		text_str(&constraints, ",r");
	return machine_finish(form, &text, &constraints);
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
