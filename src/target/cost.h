/* Costs of instructions in quarter cycles of an SM: rows of nvidia/costs.def. */
#ifndef NESO_TARGET_COST_H
#define NESO_TARGET_COST_H

enum {
#define COST(name, quarters, doc) COST_##name = (quarters),
#include "target/nvidia/costs.def"
#undef COST
};

#endif
