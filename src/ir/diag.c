#include "ir/diag.h"

LineCol ir_loc_place(IrLoc position)
{
	return position ? (LineCol){position->line, position->col + 1} : (LineCol){0};
}

/* The notes alone. */
static void ir_diag_callers(DiagList *list, Diag *diag, IrLoc loc)
{
	for (IrLoc caller = loc ? ir_loc_caller(loc) : NULL; caller; caller = ir_loc_caller(caller)) {
		IrLoc at = ir_loc_position(caller);
		if (at)
			diag_note_at(list, diag, at->text, ir_loc_place(at), "called from here");
	}
}

Diag *ir_diag_v(DiagList *list, IrLoc loc, DiagCode code, va_list args)
{
	IrLoc at = ir_loc_position(loc);
	Diag *diag = diag_add_at_v(list, at ? at->text : NULL, ir_loc_place(at), code, args);
	ir_diag_callers(list, diag, loc);
	return diag;
}

Diag *ir_diag(DiagList *list, IrLoc loc, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	Diag *diag = ir_diag_v(list, loc, code, args);
	va_end(args);
	return diag;
}
