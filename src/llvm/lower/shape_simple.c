/* Tiles made of scalars and of tiles with fewer elements, and which program this is: ops that only
 * choose among registers, or compute from the thread id. */
#include "base/map.h"
#include "gpu/memory/memory.h"
#include "llvm/lower/affine.h"
#include "llvm/machine.h"

bool lower_MAKE_RANGE(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LLVMValueRef *regs = lower_coordinates(lw, gpu_layout(lw->gpu, result->type));
	int64_t start = ir_get_int(op, lw->module->cx, ATTR_START, 0);
	for (uint32_t r = 0; start && r < count; r++) {
		LowerAffine at = lower_affine(lw, regs[r]);
		at.offset += start;
		regs[r] = lower_affine_value(lw, at);
	}
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_SPLAT(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LLVMValueRef *regs = lower_array(lw, count), v = lower_scalar(lw, ir_operand(op, 0));
	for (uint32_t r = 0; r < count; r++)
		regs[r] = v;
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_UNSPLAT(Lower *lw, IrOp *op)
{
	lower_set_scalar(lw, ir_result(op, 0), lower_scalar(lw, ir_operand(op, 0)));
	return true;
}

/* Which register of the operand holds what a register of the result wants: looked up by the coordinates that they
 * hold in thread 0, as the layouts agree in their lanes, warps and blocks. */
static void register_coordinates(const Layout *layout, uint32_t reg, int64_t *at)
{
	unsigned bits = layout_in_bits(layout, LAYOUT_REGISTER);
	layout_coordinates(layout, reg >> bits, reg & ((1u << bits) - 1), at);
}

static uint64_t row_major(IrType type, const int64_t *at)
{
	uint64_t index = 0;
	for (uint32_t d = 0; d < type->rank; d++)
		index = index * (uint64_t)type->shape[d] + (uint64_t)at[d];
	return index;
}

static Map registers_by_element(Lower *lw, const Layout *layout, IrType type, uint32_t count)
{
	Map map;
	map_init(&map, lw->arena);
	for (uint32_t r = count; r-- > 0;) {
		int64_t at[LAYOUT_MAX_RANK];
		register_coordinates(layout, r, at);
		map_put(&map, row_major(type, at), r);
	}
	return map;
}

/* What a register of the result holds, in coordinates of the operand. */
typedef void ToOperand(const IrOp *op, const IrCx *cx, IrType operand, const int64_t *result, int64_t *out);

static void broadcast_from(const IrOp *op, const IrCx *cx, IrType operand, const int64_t *result, int64_t *out)
{
	(void)op;
	(void)cx;
	for (uint32_t d = 0; d < operand->rank; d++)
		out[d] = operand->shape[d] == 1 ? 0 : result[d];
}

static void expand_from(const IrOp *op, const IrCx *cx, IrType operand, const int64_t *result, int64_t *out)
{
	uint32_t axis = (uint32_t)ir_get_int(op, cx, ATTR_AXIS, 0);
	for (uint32_t d = 0; d < operand->rank; d++)
		out[d] = result[d < axis ? d : d + 1];
}

static bool choose_registers(Lower *lw, IrOp *op, ToOperand *from)
{
	const IrValue *result = ir_result(op, 0), *operand = ir_operand(op, 0);
	const Layout *to_layout = gpu_layout(lw->gpu, result->type), *from_layout = gpu_layout(lw->gpu, operand->type);
	LowerValue v = lower_get(lw, operand);
	uint32_t count = lower_count(lw, result->type);
	LLVMValueRef *regs = lower_array(lw, count);
	Map by_element = registers_by_element(lw, from_layout, operand->type, v.count);
	for (uint32_t r = 0; r < count; r++) {
		int64_t at[LAYOUT_MAX_RANK], wanted[LAYOUT_MAX_RANK];
		uint64_t source;
		register_coordinates(to_layout, r, at);
		from(op, lw->module->cx, operand->type, at, wanted);
		bool found = map_get(&by_element, row_major(operand->type, wanted), &source);
		ASSERT(found);
		regs[r] = v.regs[source];
	}
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_EXPAND_DIMS(Lower *lw, IrOp *op) { return choose_registers(lw, op, expand_from); }
bool lower_BROADCAST(Lower *lw, IrOp *op) { return choose_registers(lw, op, broadcast_from); }

/* ---- programs ---- */

/* A program is a CTA, or a cluster of them; CUDA's limits of a grid are 2^31 - 1, 65535, 65535. */
static bool program_register(Lower *lw, IrOp *op, const MachineOp *ctas, const MachineOp *clusters, uint64_t from)
{
	int64_t axis = ir_get_int(op, lw->module->cx, ATTR_AXIS, 0);
	ASSERT(axis >= 0 && axis < 3);
	LLVMValueRef v = machine_call(lw, (lower_ctas_of_program(lw) > 1 ? clusters : ctas)[axis], NULL, 0);
	uint64_t limit = axis == 0 ? INT32_MAX : 65535;
	LLVMAddCallSiteAttribute(v, LLVMAttributeReturnIndex, lower_range(lw, 32, from, limit + from));
	lower_set_scalar(lw, ir_result(op, 0), v);
	return true;
}

bool lower_PROGRAM_ID(Lower *lw, IrOp *op)
{
	static const MachineOp ctas[] = {MACHINE_ctaid_x, MACHINE_ctaid_y, MACHINE_ctaid_z};
	static const MachineOp clusters[] = {MACHINE_clusterid_x, MACHINE_clusterid_y, MACHINE_clusterid_z};
	return program_register(lw, op, ctas, clusters, 0);
}

bool lower_NUM_PROGRAMS(Lower *lw, IrOp *op)
{
	static const MachineOp ctas[] = {MACHINE_nctaid_x, MACHINE_nctaid_y, MACHINE_nctaid_z};
	static const MachineOp clusters[] = {MACHINE_nclusterid_x, MACHINE_nclusterid_y, MACHINE_nclusterid_z};
	return program_register(lw, op, ctas, clusters, 1);
}

bool lower_CTA_RANK(Lower *lw, IrOp *op)
{
	lower_set_scalar(lw, ir_result(op, 0), lower_cta_rank(lw));
	return true;
}

/* Has the kernel done nothing to shared memory yet but to make barriers there? */
static bool is_first(Lower *lw, const IrOp *op)
{
	bool first = ir_parent_op(op)->kind == OP_FUNC;
	for (const IrOp *at = op->prev; at && first; at = at->prev) {
		bool makes = at->kind == OP_INIT_BARRIER || at->kind == OP_FENCE_ASYNC;
		bool plain = !ir_has_trait(at, TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC) ||
			     at->kind == OP_LOAD || at->kind == OP_STORE;
		bool memory = at->kind == OP_LOCAL_ALLOC && !at->operand_count;
		first = (makes || plain || memory) && !at->region_count && !gpu_scratch(lw->gpu, at).bytes;
	}
	return first;
}

bool lower_CLUSTER_BARRIER(Lower *lw, IrOp *op)
{
	if (is_first(lw, op))
		MACHINE0(lw, cluster_barrier_relaxed);
	else
		MACHINE0(lw, cluster_barrier);
	return true;
}

bool lower_BARRIER(Lower *lw, IrOp *op)
{
	(void)op;
	lower_program_barrier(lw); /* what is stored may be loaded by another CTA */
	return true;
}
