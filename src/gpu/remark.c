/* Remarks at an op's place. */
#include "gpu/remark.h"

#include <stdarg.h>

#include "ir/diag.h"

/* A caller's where the op stands in the library. */
static IrLoc place_of(IrLoc loc)
{
	IrLoc at = ir_loc_position(loc);
	for (IrLoc caller = ir_loc_caller(loc); caller && (!at || at->text[0] == '<');
	     caller = ir_loc_caller(caller))
		at = ir_loc_position(caller);
	return at;
}

Remark *gpu_remark(GpuCx *cx, const IrOp *op, RemarkCode code, const char *text)
{
	CONTRACT(op->loc);
	IrLoc at = place_of(op->loc);
	return remark_add_text(cx->remarks, at ? at->text : NULL, ir_loc_place(at), code, text);
}

Remark *gpu_remark_of(GpuCx *cx, const IrOp *op, const char *before, RemarkCode code, ...)
{
	va_list args;
	if (!cx->remarks)
		return NULL;
	va_start(args, code);
	const char *text = arena_vprintf(cx->remarks->arena, remark_clause(code), args);
	va_end(args);
	return gpu_remark(cx, op, code,
			  before ? arena_printf(cx->remarks->arena, "%s%s", before, text) : text);
}
