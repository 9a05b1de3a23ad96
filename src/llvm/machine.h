/* Machine operations: what the hardware does and LLVM IR has no instruction for. One row each in machine.def.
 *
 * LLIR calls them by name, as functions `neso.NAME`; the target step (machine.c) replaces each call by its NVPTX form, an
 * intrinsic or inline PTX, after the passes on LLIR. So the LLIR that a simulator reads has them all as calls, and
 * passes know their effects from attributes. A row with parameters (a width, a cache modifier, element types) is
 * a family: its functions are `neso.NAME.SUFFIX`, and the row's function makes PTX and constraints from the suffix. */
#ifndef NESO_LLVM_MACHINE_H
#define NESO_LLVM_MACHINE_H

#include "llvm/lower.h"

typedef enum MachineOp {
#define MACHINE(name, result, args, effects, nvptx, doc) MACHINE_##name,
#define FAMILY(name, effects, expand, doc) MACHINE_##name,
#include "target/nvidia/machine.def"
#undef MACHINE
#undef FAMILY
	MACHINE__COUNT
} MachineOp;

/* A call of a row without parameters. */
LLVMValueRef machine_call(Lower *lw, MachineOp op, const LLVMValueRef *args, unsigned count);
#define MACHINE0(lw, op) machine_call(lw, MACHINE_##op, NULL, 0)
#define MACHINE1(lw, op, a) machine_call(lw, MACHINE_##op, (LLVMValueRef[]){a}, 1)
#define MACHINE2(lw, op, a, b) machine_call(lw, MACHINE_##op, (LLVMValueRef[]){a, b}, 2)
#define MACHINE3(lw, op, a, b, c) machine_call(lw, MACHINE_##op, (LLVMValueRef[]){a, b, c}, 3)
/* A call of a family's function: its type (args' types, this result) goes with the suffix. Several results are one struct. */
LLVMValueRef machine_family(Lower *lw, MachineOp op, const char *suffix, LLVMTypeRef result, const LLVMValueRef *args,
			    unsigned count);

/* What a family's row makes of a suffix: inline PTX, or (text NULL) an intrinsic. Operands are $0 ... in LLVM's notation. */
typedef struct MachineForm {
	const char *text, *constraints;
	bool sideeffect; /* touches memory, or must stay where it is */
	const char *intrinsic;
	unsigned ptx; /* version of PTX that it needs, 84 for 8.4; 0: any that the target has */
} MachineForm;
typedef bool MachineExpand(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form);
#define MACHINE(name, result, args, effects, nvptx, doc)
#define FAMILY(name, effects, expand, doc) MachineExpand expand;
#include "target/nvidia/machine.def"
#undef MACHINE
#undef FAMILY

/* Of a call of a family of products of warp groups, or of a wait for them: how many operands go in
 * where results come out, the first of both (machine_mma.c). 0 for all others. */
unsigned machine_tied(const char *name, LLVMTypeRef function);

/* Families whose forms are made elsewhere. */
MachineExpand machine_alu; /* math/extern.c */

/* Accumulators of products of warp groups that nobody reads when the product is done need no sum to
 * add to: they get none. Those that others use as well are copied in front of the fence
 * (machine_sums.c). Before machine_replace. */
void machine_prepare_sums(LLVMModuleRef mod);

/* Replaces every call of a machine operation in the module by its NVPTX form. NULL, or the name of a function that is
 * none. *ptx is raised to what they need. No pass on LLIR may run afterwards: what the forms do stands in their rows alone. */
const char *machine_replace(LLVMModuleRef mod, Arena *arena, unsigned *ptx);

#endif
