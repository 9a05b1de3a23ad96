/* IR text, op by op. */
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "jit/inner.h"

typedef struct Walk {
	void (*each)(void *data, const JitIrOp *op);
	void *data;
	Arena *arena;
} Walk;

uint32_t jit_ir_region(const IrRegion *region)
{
	return region->first ? region->first->id : JIT_IR_NONE;
}

static bool visit(void *data, IrOp *op)
{
	const Walk *walk = data;
	const JitIrOp shown = {
		.op = op,
		.block = op->block ? op->block->id : JIT_IR_NONE,
		.region = op->block ? jit_ir_region(op->block->region) : JIT_IR_NONE,
		.parent = op->block ? ir_parent_op(op)->id : JIT_IR_NONE,
		.arena = walk->arena,
	};
	walk->each(walk->data, &shown);
	return true;
}

JitStatus jit_ir_walk(const JitHost *host, const char *path, Str text, void (*each)(void *data, const JitIrOp *op), void *data,
		      DiagList *diags)
{
	(void)host;
	Arena *arena = diags->arena;
	SourceSet *sources = ARENA_NEW(arena, SourceSet);
	IrCx *cx = ARENA_NEW(arena, IrCx);
	source_set_init(sources, arena);
	diags->sources = sources;
	ir_cx_init(cx, arena);
	const Source *source = source_add(sources, arena_strdup(arena, path), arena_strndup(arena, text.ptr, text.len), text.len, 1);
	const IrModule *ir = ir_read(cx, source, diags);
	if (!ir || !ir_verify(ir, ir_module_level(ir), diags))
		return JIT_SOURCE;
	Walk walk = {each, data, arena};
	ir_walk(ir->op, true, visit, &walk);
	visit(&walk, ir->op);
	return JIT_OK;
}
