/* ttg.warp_specialize: warps with code of their own.
 *
 * The kernel is launched with more warps than its tiles are for. These other warps go to a block
 * of their own first of all, and wait there for all threads of the CTA to meet. Where the kernel's
 * warps come to a ttg.warp_specialize, one thread writes the number of the op and the values of
 * its operands to shared memory (allocation.offset; what every thread knows, constants and
 * parameters, is not written), all meet, each warp runs its region, and all meet again. The number
 * is 0 where the kernel returns; so ops may stand in loops and branches.
 *
 * Who meets does so at a named barrier. Registers move once, at the start: partitions need few,
 * and those of the kernel's warps get what they leave (actualRegisters, setmaxnreg). */
#include "base/vec.h"
#include "llvm/lower/regs.h"
#include "llvm/memory/shared.h"

enum { ALL_BARRIER = 1, OWN_BARRIER = 2, FIRST_BARRIER = 3, REGISTER_STEP = 8 };

static bool find_first(void *data, IrOp *op)
{
	IrOp **first = data;
	if (op->kind == OP_WARP_SPECIALIZE && !*first)
		*first = op;
	return !*first;
}

static IrOp *first_of(const IrOp *func)
{
	IrOp *first = NULL;
	ir_walk((IrOp *)(uintptr_t)func, false, find_first, &first);
	return first;
}

/* Those of the kernel's warps, and the most of other warps; 0: they stay as they are. */
static void find_registers(const Lower *lw, const IrOp *func, unsigned *own, unsigned *others)
{
	const IrOp *first = first_of(func);
	IrAttr actual = first && !lw->maxnreg && target_has(lw->target, TARGET_SETMAXNREG)
				? ir_get(first, lw->gpu->ir, ATTR_ACTUAL_REGISTERS)
				: NULL;
	*own = *others = 0;
	if (!actual || actual->len < 2)
		return;
	*own = (unsigned)actual->ints[0];
	for (uint32_t i = 1; i < actual->len; i++)
		*others = MAX(*others, (unsigned)actual->ints[i]);
}

unsigned lower_roles_registers(const Lower *lw, const IrOp *func)
{
	CONTRACT(func->kind == OP_FUNC);
	unsigned own, others, all = gpu_all_warps(lw->gpu, func), warps = lw->gpu->num_warps;
	find_registers(lw, func, &own, &others);
	/* Rounded up: who asks for more waits until so many are free. */
	unsigned sum = own * warps + others * (all - warps);
	return (sum + all * REGISTER_STEP - 1) / (all * REGISTER_STEP) * REGISTER_STEP;
}

/* ---- the function ---- */

static void set_registers(Lower *lw, unsigned count, const char *which)
{
	if (count)
		machine_family(lw, MACHINE_setmaxnreg, arena_printf(lw->arena, "%s.%u", which, count),
			       lw->t.void_, NULL, 0);
}

/* All threads of the CTA. */
static void meet_all(Lower *lw)
{
	MACHINE2(lw, named_barrier, lower_i32(lw, ALL_BARRIER),
		 lower_i32(lw, TARGET_WARP_SIZE * (int64_t)lw->roles->all));
}

/* The kernel's warps begin a role or end, and the others wait for that. Where CTAs of a cluster
 * copy to each other's memory it is all of theirs: none copies before all have made their
 * barriers. */
static void meet_to_begin(Lower *lw)
{
	if (lw->roles->shared)
		MACHINE0(lw, cluster_barrier_roles);
	else
		meet_all(lw);
}

static LLVMValueRef place_of(Lower *lw, unsigned number)
{
	return lower_shared_at(lw, lw->roles->memory + (uint64_t)number * GPU_CAPTURE_BYTES);
}

static void build_wait(Lower *lw)
{
	LowerRoles *r = lw->roles;
	LLVMBasicBlockRef ended = lower_new_block(lw, "ended"), back = LLVMGetInsertBlock(lw->b);
	LLVMPositionBuilderAtEnd(lw->b, r->begin);
	set_registers(lw, r->others, "dec");
	LLVMBuildBr(lw->b, r->wait);
	LLVMPositionBuilderAtEnd(lw->b, r->wait);
	meet_to_begin(lw);
	LLVMValueRef number = LLVMBuildLoad2(lw->b, lw->t.i32, place_of(lw, 0), "");
	LLVMSetVolatile(number, true);
	r->choice = LLVMBuildSwitch(lw->b, number, ended, 1);
	LLVMPositionBuilderAtEnd(lw->b, ended);
	LLVMBuildRetVoid(lw->b);
	LLVMPositionBuilderAtEnd(lw->b, back);
}

static bool find_shared(void *data, IrOp *op)
{
	Lower *lw = data;
	lw->roles->shared |= op->kind == OP_TMA_LOAD && ir_get(op, lw->gpu->ir, ATTR_SHARED_BY);
	return true;
}

void lower_roles_begin(Lower *lw)
{
	const IrOp *first = first_of(lw->func);
	lw->roles = NULL;
	if (!first)
		return;
	LowerRoles *r = lw->roles = ARENA_NEW(lw->arena, LowerRoles);
	*r = (LowerRoles){.warps = lw->gpu->num_warps,
			  .barrier = OWN_BARRIER,
			  .memory = gpu_shared_offset(lw->gpu, first)};
	r->all = gpu_all_warps(lw->gpu, lw->func);
	ir_walk((IrOp *)(uintptr_t)first, false, find_shared, lw);
	find_registers(lw, lw->func, &r->registers, &r->others);
	r->begin = lower_new_block(lw, "others");
	r->wait = lower_new_block(lw, "wait");
	lower_warp(lw);
	build_wait(lw);
	set_registers(lw, r->registers, "inc");
}

/* One thread of the kernel's warps writes. */
static LowerIf begin_one(Lower *lw)
{
	return lower_begin_if(lw, LLVMBuildICmp(lw->b, LLVMIntEQ, lower_thread(lw), lower_i32(lw, 0), ""));
}

static void write_number(Lower *lw, unsigned number)
{
	LLVMSetVolatile(LLVMBuildStore(lw->b, lower_i32(lw, number), place_of(lw, 0)), true);
}

void lower_roles_return(Lower *lw)
{
	if (!lw->roles)
		return;
	LowerIf one = begin_one(lw);
	write_number(lw, 0);
	lower_end_if(lw, one);
	meet_to_begin(lw);
}

LLVMValueRef lower_roles_other(Lower *lw)
{
	if (!lw->roles)
		return NULL;
	LLVMValueRef warp = lower_warp(lw);
	LLVMPositionBuilderAtEnd(lw->b, LLVMGetInstructionParent(warp));
	return LLVMBuildICmp(lw->b, LLVMIntUGE, warp, lower_i32(lw, lw->gpu->num_warps), "");
}

/* ---- the op ---- */

/* Does every thread know it? Places in shared memory are written as well: what both sides compute
 * of its start stands in front of the branch between them, and ptxas (13.0) keeps nothing in
 * uniform registers there, so that descriptors of the kernel's products are not computed there
 * either. */
static bool is_known(const Lower *lw, LLVMValueRef v)
{
	return (LLVMIsConstant(v) && LLVMTypeOf(v) != lw->t.shared) || LLVMIsAArgument(v);
}

static void write_captures(Lower *lw, const IrOp *op)
{
	LowerIf one = begin_one(lw);
	write_number(lw, lw->roles->count);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		LLVMValueRef v = lower_scalar(lw, ir_operand(op, i));
		if (!is_known(lw, v))
			LLVMBuildStore(lw->b, v,
				       lower_shared_at(lw, gpu_shared_offset(lw->gpu, op) +
								   (uint64_t)(i + 1) * GPU_CAPTURE_BYTES));
	}
	lower_end_if(lw, one);
}

static void read_captures(Lower *lw, const IrOp *op, const IrBlock *block)
{
	CONTRACT(block->arg_count == op->operand_count);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		LLVMValueRef v = lower_scalar(lw, ir_operand(op, i)), at;
		if (!is_known(lw, v)) {
			at = lower_shared_at(lw, gpu_shared_offset(lw->gpu, op) +
							 (uint64_t)(i + 1) * GPU_CAPTURE_BYTES);
			v = LLVMBuildLoad2(lw->b, LLVMTypeOf(v), at, "");
		}
		lower_set_scalar(lw, block->args[i], v);
	}
}

/* A partition on warps [first, first + warps): others pass by. */
static bool lower_partition(Lower *lw, const IrOp *op, IrBlock *block, unsigned number, unsigned first,
			    unsigned warps)
{
	LowerRoles *r = lw->roles, own = *r;
	CONTRACT(base_is_pow2(warps) && first % warps == 0);
	LLVMValueRef past = LLVMBuildSub(lw->b, lower_warp(lw), lower_i32(lw, first), "");
	LowerIf mine = lower_begin_if(lw, LLVMBuildICmp(lw->b, LLVMIntULT, past, lower_i32(lw, warps), ""));
	r->first = first;
	r->warps = warps;
	r->barrier = FIRST_BARRIER + number;
	read_captures(lw, op, block);
	bool good = lower_block(lw, block);
	lower_end_if(lw, mine);
	r->first = own.first;
	r->warps = own.warps;
	r->barrier = own.barrier;
	return good;
}

/* What the other warps do at this op. */
static bool lower_others(Lower *lw, const IrOp *op)
{
	LowerRoles *r = lw->roles;
	const IrOp *holder = op->regions[1].first->last;
	IrAttr warps = ir_get(op, lw->gpu->ir, ATTR_PARTITION_WARPS);
	unsigned first = lw->gpu->num_warps;
	LLVMBasicBlockRef back = LLVMGetInsertBlock(lw->b), start = lower_new_block(lw, "role");
	LLVMAddCase(r->choice, lower_i32(lw, r->count), start);
	LLVMPositionBuilderAtEnd(lw->b, start);
	for (uint32_t i = 0; i < holder->region_count; i++) {
		if (!lower_partition(lw, op, holder->regions[i].first, i, first, (unsigned)warps->ints[i]))
			return false;
		first += (unsigned)warps->ints[i];
	}
	meet_all(lw);
	LLVMBuildBr(lw->b, r->wait);
	LLVMPositionBuilderAtEnd(lw->b, back);
	return true;
}

static bool is_tile(const IrValue *v)
{
	return ir_is_tensor(v->type);
}

static bool is_copy(const IrOp *op)
{
	switch (op->kind) {
	case OP_WAIT_FREE:
	case OP_WAIT_BARRIER:
	case OP_ARRIVE_BARRIER:
	case OP_BARRIER_EXPECT:
	case OP_BARRIER:
	case OP_TMA_LOAD:
	case OP_TMA_STORE:
	case OP_TMA_REDUCE:
	case OP_TMA_STORE_WAIT: return true;
	default: return false;
	}
}

/* A tile that is moved in shared memory by as many warps as its layout has: the low bits of a
 * thread's number say which one it is, as a partition begins at a multiple of its warps. */
static bool is_turning(const IrOp *op)
{
	return op->kind == OP_LOCAL_LOAD || op->kind == OP_LOCAL_STORE || op->kind == OP_FENCE_ASYNC;
}

/* Layouts of other tiles are of the kernel's warps, and so is the thread that acts for all. */
static bool find_tile(void *data, IrOp *op)
{
	const IrOp **found = data;
	if (is_turning(op))
		return true;
	bool tile = op->kind == OP_CALL ||
		    (ir_has_trait(op, TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC) && !is_copy(op));
	for (uint32_t i = 0; i < op->operand_count; i++)
		tile |= is_tile(ir_operand(op, i));
	for (uint32_t i = 0; i < op->result_count; i++)
		tile |= is_tile(&op->results[i]);
	if (tile)
		*found = op;
	return !tile;
}

bool lower_WARP_SPECIALIZE(Lower *lw, IrOp *op)
{
	CONTRACT(op->region_count == 2);
	IrOp *holder = op->regions[1].first->last;
	const IrOp *tile = NULL;
	ir_walk(holder, false, find_tile, &tile);
	for (uint32_t i = 0; i < op->operand_count && !tile; i++)
		tile = is_tile(ir_operand(op, i)) ? op : NULL;
	if (tile)
		return lower_diag(lw, tile->loc, DIAG_LOWER_ABSENT, ir_op_info[tile->kind].text,
				  "a partition computes scalars and issues copies");
	if (!lower_is_kernel(lw, lw->func) || lw->gpu->num_ctas > 1 || lw->roles->first)
		return lower_diag(lw, op->loc, DIAG_LOWER_ABSENT, ir_op_info[op->kind].text,
				  "warps have code of their own in kernels alone, of one CTA");
	lw->roles->count++;
	write_captures(lw, op);
	meet_to_begin(lw);
	if (!lower_block(lw, op->regions[0].first))
		return false;
	lower_line(lw, op->loc);
	Regs yields = regs_of_operands(lw, ir_terminator(op->regions[0].first), 0);
	regs_give_results(lw, op, &yields);
	meet_all(lw);
	return lower_others(lw, op);
}
