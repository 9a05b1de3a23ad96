/* What `neso layout` prints: a layout, who holds which element, the plan of a conversion. */
#ifndef NESO_CODEGEN_LAYOUT_TEXT_H
#define NESO_CODEGEN_LAYOUT_TEXT_H

#include "base/diag/diag.h"
#include "target/target.h"

/* As CodegenTable.layout says; target may be NULL. False after diagnosing. */
bool codegen_layout(Arena *arena, const char *layout, const char *to, const char *type,
		    const TargetGpu *target, Text *out, DiagList *diags);

#endif
