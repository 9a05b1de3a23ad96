/* The text order of a function's ops. */
#ifndef NESO_GPU_ANALYSIS_TEXT_ORDER_H
#define NESO_GPU_ANALYSIS_TEXT_ORDER_H

#include "ir/ir.h"

/* By op id: its number, and the one behind all that is inside it (the same where nothing is). */
typedef struct TextOrder {
	uint32_t *start, *end;
} TextOrder;

TextOrder text_order(Arena *arena, const IrModule *m, const IrOp *func);

#endif
