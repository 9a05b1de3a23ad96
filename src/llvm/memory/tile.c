/* What accesses of memory move, said in LLIR for those who run it: on the instruction
 *
 *	!neso.tile !{!tile, i32 kind, i32 register, i32 bits, i32 ...}
 *
 * the register that its first element is of, and how many of the numbers that follow are the registers of the bits of an element's
 * place in a lane's words; the others are those of a matrix's place. The kind: 0 words of a lane; 1, 2 rows of 8x8 matrices as
 * ldmatrix and stmatrix take them, plain and transposed; -1: who moves which element is not known, and nothing follows. A tile is
 *
 *	!{!"name", !"op", !"type", i32 bits, !"layout"}
 *
 * with the name in the source of what is moved ("": none), the op that moves it, bits of an element in memory, and the layout
 * whose registers these are ("": none). Source of the layout's text: layout_print. */
#include "gpu/memory/memory.h"
#include "ir/text/asm.h"
#include "ir/text/text.h"
#include "llvm/lower_int.h"

static LLVMMetadataRef string(Lower *lw, const char *text)
{
	return LLVMMDStringInContext2(lw->cx, text, strlen(text));
}

static LLVMMetadataRef number(Lower *lw, int64_t n)
{
	return LLVMValueAsMetadata(lower_i32(lw, n));
}

/* What an op moves. */
static const IrValue *value_of(const IrOp *op)
{
	switch (op->kind) {
	case OP_STORE:
	case OP_ATOMIC_RMW:
	case OP_ATOMIC_CAS: return ir_operand(op, 1);
	case OP_LOCAL_STORE:
	case OP_LOCAL_ALLOC: return op->operand_count ? ir_operand(op, 0) : NULL;
	default: return op->result_count ? ir_result(op, 0) : op->operand_count ? ir_operand(op, 0) : NULL;
	}
}

static const char *type_text(Lower *lw, IrType type)
{
	Text t;
	if (!ir_is_tensor(type) && type->kind != TY_MEMDESC)
		return ir_type_text(lw->arena, type);
	text_init(&t, lw->arena);
	text_str(&t, ir_is_tensor(type) ? "tensor<" : "memdesc<");
	for (unsigned d = 0; d < type->rank; d++)
		text_printf(&t, "%lldx", (long long)type->shape[d]);
	text_printf(&t, "%s>", ir_type_text(lw->arena, type->elem));
	return t.data;
}

static LLVMMetadataRef make_tile(Lower *lw, const IrOp *op, const Layout *layout)
{
	const IrValue *value = value_of(op);
	/* A copy's result is a token: what it moves is what its pointers point to. */
	bool copy = op->kind == OP_ASYNC_COPY;
	Sym name = copy ? asm_loc_name(op->loc) : value ? asm_loc_name(value->def ? value->def->loc : value->loc) : NULL;
	IrType type = copy ? ir_operand(op, 1)->type : value ? value->type : NULL, elem = !type ? NULL : type->kind == TY_MEMDESC ? type->elem : ir_elem(type);
	Text text;
	text_init(&text, lw->arena);
	text_str(&text, "");
	if (layout)
		layout_print(&text, layout);
	LLVMMetadataRef parts[] = {
		string(lw, name ? name : ""),
		string(lw, ir_op_info[op->kind].text),
		string(lw, type ? type_text(lw, type) : ""),
		number(lw, elem && (ir_is_scalar(elem) || elem->kind == TY_PTR) ? (int64_t)gpu_element_bits(elem) : 0),
		string(lw, text.data ? text.data : ""),
	};
	return LLVMMDNodeInContext2(lw->cx, parts, ARRAY_LEN(parts));
}

/* Ops come one after the other, most with one layout. */
static LLVMMetadataRef tile_of(Lower *lw, const Layout *layout)
{
	LowerTileNode *last = &lw->tile;
	if (last->op != lw->op || last->layout != layout || !last->node)
		*last = (LowerTileNode){lw->op, layout, make_tile(lw, lw->op, layout)};
	return last->node;
}

/* The buffer that a memdesc is all or part of; NULL: it may be one of several. */
static const IrOp *alloc_of(const IrValue *memory)
{
	const IrOp *op = memory->def;
	while (op && ir_has_trait(op, TRAIT_VIEW))
		op = ir_operand(op, 0)->def;
	return op && op->kind == OP_LOCAL_ALLOC ? op : NULL;
}

/* Does it access the buffer of its memdesc, and nothing else? */
static bool is_of_buffer(const IrOp *op)
{
	return op->kind == OP_LOCAL_ALLOC || op->kind == OP_LOCAL_LOAD || op->kind == OP_LOCAL_STORE ||
	       op->kind == OP_ASYNC_COPY;
}

/* Bytes of shared memory that are an op's: of the buffer that it accesses, or its own for a
 * while. */
static bool shared_of(Lower *lw, const IrOp *op, uint64_t *begin, uint64_t *end)
{
	const IrOp *alloc = op->kind == OP_LOCAL_ALLOC ? op : NULL;
	unsigned memories = 0;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		if (ir_operand(op, i)->type->kind != TY_MEMDESC)
			continue;
		alloc = alloc_of(ir_operand(op, i));
		memories++;
	}
	uint64_t scratch = gpu_scratch(lw->gpu, op).bytes;
	if (memories > 1 || (memories && (scratch || !is_of_buffer(op))))
		return false;
	if (!alloc && (memories || !scratch))
		return false;
	*begin = gpu_shared_offset(lw->gpu, alloc ? alloc : op);
	*end = *begin + (alloc ? gpu_memdesc_bytes(lw->gpu, alloc->results[0].type) : scratch);
	return true;
}

/* !neso.buffer !{i32 begin, i32 end}: shared memory that the access must keep to. */
static void set_buffer(Lower *lw, LLVMValueRef instruction)
{
	static const char name[] = "neso.buffer";
	uint64_t begin, end;
	if (lw->buffer_op != lw->op) {
		lw->buffer_op = lw->op;
		lw->buffer = NULL;
		if (shared_of(lw, lw->op, &begin, &end)) {
			LLVMMetadataRef parts[] = {number(lw, (int64_t)begin), number(lw, (int64_t)end)};
			lw->buffer = LLVMMDNodeInContext2(lw->cx, parts, 2);
		}
	}
	if (lw->buffer)
		LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(lw->cx, name, sizeof name - 1),
				LLVMMetadataAsValue(lw->cx, lw->buffer));
}

/* !neso.at: its place, which LLVM drops where it moves the access out of a loop. */
static void set_place(Lower *lw, LLVMValueRef instruction)
{
	static const char name[] = "neso.at";
	LLVMMetadataRef place = LLVMGetCurrentDebugLocation2(lw->b);
	if (place)
		LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(lw->cx, name, sizeof name - 1),
				LLVMMetadataAsValue(lw->cx, place));
}

void lower_elements(Lower *lw, LLVMValueRef instruction, const LowerElements *e)
{
	static const char name[] = "neso.tile";
	LLVMMetadataRef parts[4 + 16];
	unsigned n = 2;
	if (!lw->predictions || !lw->op || !LLVMIsAInstruction(instruction))
		return;
	ASSERT(!e || e->vector_bits + e->matrix_bits <= 16);
	set_buffer(lw, instruction);
	set_place(lw, instruction);
	parts[0] = tile_of(lw, e ? e->layout : NULL);
	parts[1] = number(lw, e && e->layout ? (int64_t)e->kind : -1);
	if (e && e->layout) {
		parts[n++] = number(lw, e->first);
		parts[n++] = number(lw, e->vector_bits);
		for (unsigned i = 0; i < e->vector_bits; i++)
			parts[n++] = number(lw, e->vector[i]);
		for (unsigned i = 0; i < e->matrix_bits; i++)
			parts[n++] = number(lw, e->matrix[i]);
	}
	LLVMMetadataRef node = LLVMMDNodeInContext2(lw->cx, parts, n);
	LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(lw->cx, name, sizeof name - 1), LLVMMetadataAsValue(lw->cx, node));
}
