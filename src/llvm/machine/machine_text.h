/* Parts of inline PTX that several families write. */
#ifndef NESO_LLVM_MACHINE_MACHINE_TEXT_H
#define NESO_LLVM_MACHINE_MACHINE_TEXT_H

#include "llvm/machine.h"

static inline bool machine_finish(MachineForm *form, const Text *text, const Text *constraints)
{
	form->text = text->data;
	form->constraints = constraints->data ? constraints->data : "";
	form->sideeffect = true;
	return true;
}

/* "{$2, $3}" */
static inline void machine_list(Text *t, unsigned first, unsigned n)
{
	text_str(t, "{");
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s$%u", i ? ", " : "", first + i);
	text_str(t, "}");
}

#endif
