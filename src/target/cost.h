/* Costs of instructions in quarter cycles of an SM: rows of nvidia/costs.def. */
#ifndef NESO_TARGET_COST_H
#define NESO_TARGET_COST_H

typedef struct TargetCosts {
#define COST(field, sm_75, sm_80, sm_90, sm_100, doc) unsigned field;
#include "target/nvidia/costs.def"
#undef COST
} TargetCosts;

/* Columns of the table: from which capability on they hold. */
enum { COSTS_SM_75, COSTS_SM_80, COSTS_SM_90, COSTS_SM_100, COSTS__COUNT };
extern const TargetCosts target_costs[COSTS__COUNT];

/* Of targets of this capability (90 for 9.0). */
const TargetCosts *target_costs_of(unsigned capability);

#endif
