/* Values of the function around a function: each becomes an argument that calls pass. */
#include "front/core.h"
#include "front/demote.h"

/* Is the frame's function one of those that the current one is called from? Only then its values
 * can be passed. */
static bool is_running(const FrontLower *low, const Frame *frame)
{
	for (const Frame *f = low->frame; f; f = f->caller)
		if (f->root == frame->root)
			return true;
	return false;
}

static bool takes_tiles(const FrontLower *low)
{
	const FrontFunction *f = low->frame->root->function;
	return !f || !f->noinline;
}

IrValue *captured_argument(FrontLower *low, const Frame *frame, IrValue *outer)
{
	if (frame->root == low->frame->root)
		return outer;
	DemotedArgs *args = low->demoted_args;
	for (uint32_t i = 0; i < args->list.len; i++)
		if (!args->list.data[i].number && args->list.data[i].outer == outer)
			return args->list.data[i].ir;
	IrValue *ir = ir_block_arg_add(low->m, ir_func_body(args->func), outer->type, low->b.loc);
	vec_push(low->arena, &args->list, (DemotedArg){.ir = ir, .outer = outer, .frame = frame});
	return ir;
}

const Val *eval_captured(FrontLower *low, const Frame *frame, const char *name, const Val *v)
{
	if (frame->root == low->frame->root || !val_has_tensor(v))
		return v;
	/* What combines elements is a region, which has its operands alone. */
	if (low->regions || !is_running(low, frame) || !takes_tiles(low)) {
		const FrontFunction *f = low->frame->root->function;
		const char *user = f ? f->ast->name : "<module>";
		return lower_error(low, DIAG_CLOSURE_VALUE, name, val_describe(low, v), user);
	}
	if (!lower_extension(low, "functions that use values of the kernel around them"))
		return low->poison;
	ValueVec outside = {0}, inside = {0};
	val_flatten(low, v, &outside);
	for (uint32_t i = 0; i < outside.len; i++)
		vec_push(low->arena, &inside, captured_argument(low, frame, outside.data[i]));
	uint32_t cursor = 0;
	return val_rebuild(low, v, inside.data, &cursor);
}
