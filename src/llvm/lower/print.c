/* tt.print and tt.assert, by the functions of the driver: vprintf and __assertfail.
 *
 * A line of tt.print is what upstream writes: pid (x, y, z) idx (i, j)PREFIX[(operand k) ]VALUE, indices padded
 * to the width of the largest. Of a tile each element is printed once; a scalar, and a print of nothing, by
 * every thread. */
#include "ir/shown.h"
#include "llvm/math/math.h"

/* ---- data ---- */

/* A generic pointer to a text. */
static LLVMValueRef text_pointer(Lower *lw, const char *text, size_t len)
{
	LLVMValueRef value = LLVMConstStringInContext2(lw->cx, text, len, false);
	LLVMValueRef global = LLVMAddGlobalInAddressSpace(lw->mod, LLVMTypeOf(value), "neso_text", 1);
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, 1);
	return LLVMConstAddrSpaceCast(global, LLVMPointerTypeInContext(lw->cx, 0));
}

static LLVMValueRef declared(Lower *lw, const char *name, LLVMTypeRef type)
{
	LLVMValueRef fn = LLVMGetNamedFunction(lw->mod, name);
	return fn ? fn : LLVMAddFunction(lw->mod, name, type);
}

/* What a format may hold beside its fixed text: no `%` of the user's counts. */
static void add_escaped(Text *t, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '%')
			text_add(t, "%", 1);
		text_add(t, &text[i], 1);
	}
}

/* ---- values as vprintf takes them ---- */

typedef struct Shown {
	const char *format; /* of the value */
	LLVMTypeRef type;   /* i32, i64, f64 or a pointer */
	bool hex, is_signed;
} Shown;

/* Indices of widths that hold the largest: as many digits as the logarithm of the size has, rounded up. */
static unsigned digits(int64_t size)
{
	unsigned n = 0;
	for (int64_t reach = 1; reach < size; reach *= 10)
		n++;
	return n;
}

static Shown shown_as(Lower *lw, IrType elem, bool hex, bool is_signed)
{
	if (ir_is_ptr(elem))
		return (Shown){"%p", LLVMPointerTypeInContext(lw->cx, 0), false, false};
	LLVMTypeRef integer = elem->bits == 64 ? lw->t.i64 : lw->t.i32;
	if (hex) {
		unsigned nibbles = elem->bits < 4 ? 1 : elem->bits / 4;
		return (Shown){arena_printf(lw->arena, elem->bits == 64 ? "0x%%0%ullx" : "0x%%0%ux", nibbles), integer, true, false};
	}
	if (ir_is_float(elem))
		return (Shown){"%f", lw->t.f64, false, true};
	is_signed &= elem->bits > 1;
	const char *format = elem->bits == 64 ? (is_signed ? "%lli" : "%llu") : is_signed ? "%i" : "%u";
	return (Shown){format, integer, false, is_signed};
}

/* Of each register. */
static void widen(Lower *lw, IrType elem, const Shown *shown, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	if (ir_is_float(elem) && !shown->hex) {
		cast_floats(lw, elem, ir_scalar(lw->module->cx, TY_F64), 1, in, out, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (ir_is_ptr(elem)) {
			out[i] = LLVMBuildAddrSpaceCast(lw->b, in[i], shown->type, "");
			continue;
		}
		LLVMValueRef v = ir_is_float(elem) ? lower_to_bits(lw, in[i], elem) : in[i];
		out[i] = LLVMTypeOf(v) == shown->type ? v :
			 shown->is_signed	      ? LLVMBuildSExt(lw->b, v, shown->type, "") :
							LLVMBuildZExt(lw->b, v, shown->type, "");
	}
}

/* ---- one line ---- */

enum { MAX_ARGS = 3 + IR_MAX_RANK + 1 };

typedef struct Line {
	LLVMValueRef format, buffer;
	LLVMTypeRef layout; /* of the buffer: a C struct of the arguments */
	unsigned count;
} Line;

/* A buffer in the function's first block, so that loops do not grow the stack. */
static LLVMValueRef stack_buffer(Lower *lw, LLVMTypeRef type)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(lw->b), entry = LLVMGetEntryBasicBlock(lw->fn);
	LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(lw->b);
	LLVMValueRef first = LLVMGetFirstInstruction(entry);
	if (first)
		LLVMPositionBuilderBefore(lw->b, first);
	else
		LLVMPositionBuilderAtEnd(lw->b, entry);
	LLVMSetCurrentDebugLocation2(lw->b, NULL);
	LLVMValueRef buffer = LLVMBuildAlloca(lw->b, type, "");
	LLVMSetAlignment(buffer, 8);
	LLVMPositionBuilderAtEnd(lw->b, here);
	LLVMSetCurrentDebugLocation2(lw->b, line);
	return buffer;
}

/* The line of an operand (type NULL: of none). */
static Line line_of(Lower *lw, const IrOp *op, uint32_t operand, IrType type, const Shown *shown)
{
	IrAttr prefix = ir_get(op, lw->module->cx, ATTR_PREFIX);
	LLVMTypeRef fields[MAX_ARGS];
	Line line = {.count = 3};
	Text format;
	text_init(&format, lw->arena);
	text_printf(&format, "pid (%%u, %%u, %%u)");
	for (unsigned i = 0; i < 3; i++)
		fields[i] = lw->t.i32;
	if (type) {
		text_printf(&format, " idx (");
		for (uint32_t d = 0; ir_is_tensor(type) && d < type->rank; d++) {
			unsigned width = digits(ir_shown_size(op, lw->module->cx, operand, d));
			text_printf(&format, width ? "%s%%%uu" : "%s%%u", d ? ", " : "", width);
			fields[line.count++] = lw->t.i32;
		}
		text_printf(&format, ")");
	}
	add_escaped(&format, prefix->text, prefix->text_len);
	if (type) {
		if (op->operand_count > 1)
			text_printf(&format, "(operand %u) ", operand);
		text_str(&format, shown->format);
		fields[line.count++] = shown->type;
	}
	text_printf(&format, "\n");
	line.format = text_pointer(lw, format.data, format.len);
	line.layout = LLVMStructTypeInContext(lw->cx, fields, line.count, false);
	line.buffer = stack_buffer(lw, line.layout);
	return line;
}

static void print_line(Lower *lw, const Line *line, const LLVMValueRef *args)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(lw->cx, 0);
	LLVMTypeRef type = LLVMFunctionType(lw->t.i32, (LLVMTypeRef[]){pointer, pointer}, 2, false);
	for (unsigned i = 0; i < line->count; i++)
		LLVMBuildStore(lw->b, args[i], LLVMBuildStructGEP2(lw->b, line->layout, line->buffer, i, ""));
	LLVMBuildCall2(lw->b, type, declared(lw, "vprintf", type), (LLVMValueRef[]){line->format, line->buffer}, 2, "");
}

/* ---- tt.print ---- */

/* Is it an element, and no padding? NULL: always. */
static LLVMValueRef is_shown(Lower *lw, const IrOp *op, uint32_t operand, const LLVMValueRef *at)
{
	IrType type = ir_operand(op, operand)->type;
	LLVMValueRef shown = NULL;
	for (uint32_t d = 0; ir_is_tensor(type) && d < type->rank; d++) {
		int64_t size = ir_shown_size(op, lw->module->cx, operand, d);
		if (size == type->shape[d])
			continue;
		LLVMValueRef in = LLVMBuildICmp(lw->b, LLVMIntULT, at[d], lower_i32(lw, size), "");
		shown = shown ? LLVMBuildAnd(lw->b, shown, in, "") : in;
	}
	return shown;
}

static void print_operand(Lower *lw, const IrOp *op, uint32_t k, LLVMValueRef *args)
{
	IrType type = ir_operand(op, k)->type, elem = ir_elem(type);
	LowerValue v = lower_get(lw, ir_operand(op, k));
	IrAttr is_signed = ir_get(op, lw->module->cx, ATTR_IS_SIGNED);
	Shown shown = shown_as(lw, elem, ir_get_bool(op, lw->module->cx, ATTR_HEX),
			       is_signed && k < is_signed->len && is_signed->ints[k]);
	Line line = line_of(lw, op, k, type, &shown);
	LLVMValueRef *values = lower_array(lw, v.count), *at = NULL, owner = NULL;
	uint32_t rank = 0;
	uint64_t copies = 0; /* register bits that choose among copies */
	widen(lw, elem, &shown, v.regs, values, v.count);
	if (ir_is_tensor(type)) {
		const Layout *layout = gpu_layout(lw->gpu, type);
		rank = type->rank;
		at = lower_coordinates(lw, layout);
		owner = lower_owner(lw, layout);
		copies = layout_free_bits(layout, LAYOUT_REGISTER);
	}
	LowerIf part = lower_begin_if(lw, owner);
	for (uint32_t r = 0; r < v.count; r++) {
		if (r & copies)
			continue;
		for (uint32_t d = 0; d < rank; d++)
			args[3 + d] = at[r * rank + d];
		args[3 + rank] = values[r];
		LowerIf element = lower_begin_if(lw, is_shown(lw, op, k, args + 3));
		print_line(lw, &line, args);
		lower_end_if(lw, element);
	}
	lower_end_if(lw, part);
}

bool lower_PRINT(Lower *lw, IrOp *op)
{
	static const MachineOp ctas[] = {MACHINE_ctaid_x, MACHINE_ctaid_y, MACHINE_ctaid_z};
	static const MachineOp clusters[] = {MACHINE_clusterid_x, MACHINE_clusterid_y, MACHINE_clusterid_z};
	LLVMValueRef args[MAX_ARGS];
	for (unsigned axis = 0; axis < 3; axis++)
		args[axis] = machine_call(lw, (lower_ctas_of_program(lw) > 1 ? clusters : ctas)[axis],
					  NULL, 0);
	lw->uses_print = true;
	for (uint32_t k = 0; k < op->operand_count; k++)
		print_operand(lw, op, k, args);
	if (!op->operand_count) {
		Line line = line_of(lw, op, 0, NULL, NULL);
		print_line(lw, &line, args);
	}
	return true;
}

/* ---- tt.assert ---- */

static bool is_product(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_WARP_GROUP_DOT;
	return !*found;
}

/* Where a function calls another, ptxas waits for each wgmma before the next one (C7510), wherever
 * the call is. What the program did not ask for must not cost that: it ends the launch without a
 * message. */
static bool must_not_call(Lower *lw, const IrOp *op)
{
	bool found = false;
	if (ir_get_bool(op, lw->module->cx, ATTR_IMPLIED))
		ir_walk(lw->func, false, is_product, &found);
	return found;
}

bool lower_ASSERT(Lower *lw, IrOp *op)
{
	LowerValue v = lower_get(lw, ir_operand(op, 0));
	LLVMValueRef good = v.regs[0];
	for (uint32_t r = 1; r < v.count; r++)
		good = LLVMBuildAnd(lw->b, good, v.regs[r], "");
	IrLoc at = ir_loc_position(op->loc);
	IrAttr message = ir_get(op, lw->module->cx, ATTR_MESSAGE);
	const char *file = at ? at->text : "unknown", *name = ir_func_name(lw->func);
	LLVMTypeRef p = LLVMPointerTypeInContext(lw->cx, 0);
	LLVMTypeRef type = LLVMFunctionType(lw->t.void_, (LLVMTypeRef[]){p, p, lw->t.i32, p, lw->t.i64}, 5, false);
	LLVMValueRef args[] = {text_pointer(lw, message->text, message->text_len), text_pointer(lw, file, strlen(file)),
			       lower_i32(lw, at ? at->line : 0), text_pointer(lw, name, strlen(name)), lower_i64(lw, 1)};
	bool silent = must_not_call(lw, op);
	lw->uses_assert |= !silent;
	LowerIf part = lower_begin_if(lw, LLVMBuildNot(lw->b, good, ""));
	if (silent)
		machine_call(lw, MACHINE_fail, args, ARRAY_LEN(args));
	else
		LLVMBuildCall2(lw->b, type, declared(lw, "__assertfail", type), args, ARRAY_LEN(args), "");
	lower_end_if(lw, part);
	/* No thread goes on to what the assertion guards. */
	if (ir_is_tensor(ir_operand(op, 0)->type))
		lower_barrier(lw);
	return true;
}
