/* tt.gather and tt.histogram: accesses whose place depends on data.
 *
 * A gather within a warp shuffles every register that an index may choose and selects among them. Otherwise the
 * source lies row-major in shared memory, each element stored by one thread, and each index is one load. A
 * histogram counts by atomic additions in shared memory; a constant added, with the old value unused, is the form
 * that hardware merges. */
#include "gpu/reduce/combine_ops.h"
#include "llvm/machine.h"
#include "llvm/memory/shared.h"

/* ---- gather within the warp ---- */

static LLVMValueRef linear32(Lower *lw, const uint32_t *by, unsigned count, LLVMValueRef word)
{
	uint64_t bases[32];
	for (unsigned i = 0; i < count; i++)
		bases[i] = by[i];
	return lower_linear(lw, bases, count, word);
}

static LLVMValueRef shuffle_element(Lower *lw, LLVMValueRef v, LLVMValueRef lane, IrType elem)
{
	return lower_from_bits(lw, lower_shuffle(lw, lower_to_bits(lw, v, elem), lower_bits(elem), lane, 0), elem);
}

static LLVMValueRef index_of(Lower *lw, LLVMValueRef v)
{
	return LLVMBuildIntCast2(lw->b, v, lw->t.i32, true, "");
}

static void gather_in_warp(Lower *lw, IrOp *op, const GpuGatherPlan *plan)
{
	const IrValue *result = ir_result(op, 0);
	LowerValue source = lower_get(lw, ir_operand(op, 0)), indices = lower_get(lw, ir_operand(op, 1));
	IrType elem = result->type->elem;
	const Layout *own = gpu_layout(lw->gpu, ir_operand(op, 1)->type);
	unsigned axis = (unsigned)ir_get_int(op, lw->gpu->ir, ATTR_AXIS, 0);
	unsigned bits = base_log2((uint64_t)ir_operand(op, 0)->type->shape[axis]);
	LLVMValueRef *regs = lower_array(lw, indices.count);
	LLVMValueRef fixed = linear32(lw, plan->lane_lane, layout_in_bits(own, LAYOUT_LANE), lower_lane(lw));
	for (uint32_t r = 0; r < indices.count; r++) {
		LLVMValueRef index = index_of(lw, indices.regs[r]);
		LLVMValueRef lane = LLVMBuildXor(lw->b, linear32(lw, plan->index_lane, bits, index), fixed, "");
		lane = LLVMBuildXor(lw->b, lane, lower_i32(lw, plan->register_lane[r]), "");
		LLVMValueRef choice = linear32(lw, plan->index_pick, bits, index);
		for (uint32_t p = 0; p < UINT32_C(1) << plan->pick_bits; p++) {
			uint32_t from = plan->register_from[r];
			for (unsigned i = 0; i < plan->pick_bits; i++)
				from ^= p >> i & 1 ? plan->pick[i] : 0;
			LLVMValueRef v = shuffle_element(lw, source.regs[from], lane, elem);
			LLVMValueRef here = p ? LLVMBuildICmp(lw->b, LLVMIntEQ, choice, lower_i32(lw, p), "") : NULL;
			regs[r] = p ? LLVMBuildSelect(lw->b, here, v, regs[r], "") : v;
		}
	}
	lower_set(lw, result, regs, indices.count);
}

/* ---- a tile row-major in shared memory ---- */

/* The row-major number of an element with these coordinates; `along`, where it is not NULL, takes the axis's place. */
static LLVMValueRef row_major(Lower *lw, IrType type, const LLVMValueRef *at, unsigned axis, LLVMValueRef along)
{
	LLVMValueRef number = NULL;
	int64_t stride = 1;
	for (unsigned k = type->rank; k-- > 0; stride *= type->shape[k]) {
		if (type->shape[k] == 1)
			continue;
		LLVMValueRef part = along && k == axis ? along : at[k];
		part = stride == 1 ? part : LLVMBuildMul(lw->b, part, lower_i32(lw, stride), "");
		number = number ? LLVMBuildAdd(lw->b, number, part, "") : part;
	}
	return number ? number : lower_i32(lw, 0);
}

/* Of an access that the lowering does as it likes. */
static void set_alignment(Lower *lw, LLVMValueRef access, unsigned bits)
{
	LLVMSetAlignment(access, bits / 8);
	lower_elements(lw, access, NULL);
}

/* The whole tile is in each CTA's own memory, so stores are not shared among the CTAs of a cluster: `layout` holds
 * it all in each. */
static void store_row_major(Lower *lw, const Layout *layout, IrType type, LLVMValueRef *regs, LLVMValueRef base)
{
	unsigned bits = lower_bits(type->elem);
	uint32_t count = layout_space_reps(&layout->in) << layout_in_bits(layout, LAYOUT_REGISTER);
	LLVMValueRef *at = lower_coordinates(lw, layout);
	uint32_t mask = (UINT32_C(1) << layout_in_bits(layout, LAYOUT_REGISTER)) - 1;
	uint32_t *copies = lower_register_copies(lw, layout);
	LowerIf part = lower_begin_if(lw, lower_owner(lw, gpu_holders(lw->gpu, layout)));
	for (uint32_t r = 0; r < count; r++) {
		if (copies[r & mask] != (r & mask))
			continue;
		LLVMValueRef number = row_major(lw, type, &at[r * type->rank], 0, NULL);
		LLVMValueRef place = lower_offset(lw, base, number, bits / 8);
		set_alignment(lw, LLVMBuildStore(lw->b, lower_to_bits(lw, regs[r], type->elem), place), bits);
	}
	lower_end_if(lw, part);
}

/* As store_row_major, by the widest accesses; layouts whose sizes are powers of two. */
static void store_vectors(Lower *lw, const Layout *layout, IrType type, LLVMValueRef *regs, uint64_t scratch)
{
	LayoutContext *lc = &lw->gpu->layouts;
	unsigned order[LAYOUT_MAX_RANK];
	for (unsigned k = 0; k < type->rank; k++)
		order[k] = type->rank - 1 - k;
	const Layout *shared = layout_shared_plain(lc, type->shape, type->rank, order);
	const Layout *address = layout_compose(lc, layout_invert(lc, shared), layout);
	LayoutAccess access;
	LayoutTarget plain = {.costs = lw->gpu->plan_target.costs};
	uint32_t count = 1u << layout_in_bits(layout, LAYOUT_REGISTER);
	LLVMValueRef *held = lower_array(lw, count), word = lower_thread_word(lw, layout);
	layout_plan_access(address, true, lower_bits(type->elem), &plain, &access);
	for (uint32_t r = 0; r < count; r++)
		held[r] = lower_to_bits(lw, regs[r], type->elem);
	SharedPlace place = {.base = lw->shared_base, .bytes = scratch, .pass_shift = 63};
	lower_access_swap(lw, &access, word, held, count);
	LowerIf part = lower_begin_if(lw, lower_access_active(lw, &access, word));
	lower_access_store(lw, &access, &place, word, held);
	lower_end_if(lw, part);
}

static void gather_through_shared(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0), *source = ir_operand(op, 0);
	IrType type = source->type, elem = type->elem;
	GpuSpread spread = gpu_spread(lw->gpu, type);
	LowerValue indices = lower_get(lw, ir_operand(op, 1));
	uint64_t scratch = gpu_shared_offset(lw->gpu, op);
	unsigned axis = (unsigned)ir_get_int(op, lw->gpu->ir, ATTR_AXIS, 0), bits = lower_bits(elem);
	LLVMValueRef base = lower_shared_at(lw, scratch);
	LLVMValueRef *regs = lower_convert(lw, gpu_layout(lw->gpu, type), spread.layout, lower_get(lw, source).regs,
					   elem, scratch + spread.offset);
	if (layout_space_reps(&spread.layout->out) > 1 || layout_in_bits(spread.layout, LAYOUT_BLOCK))
		store_row_major(lw, spread.layout, type, regs, base);
	else
		store_vectors(lw, spread.layout, type, regs, scratch);
	lower_barrier(lw);
	LLVMValueRef *at = lower_coordinates(lw, gpu_layout(lw->gpu, ir_operand(op, 1)->type));
	LLVMValueRef *out = lower_array(lw, indices.count);
	for (uint32_t r = 0; r < indices.count; r++) {
		LLVMValueRef along = index_of(lw, indices.regs[r]);
		LLVMValueRef number = row_major(lw, type, &at[r * type->rank], axis, along);
		LLVMValueRef place = lower_offset(lw, base, number, bits / 8);
		LLVMValueRef v = LLVMBuildLoad2(lw->b, lower_int_type(lw, bits), place, "");
		set_alignment(lw, v, bits);
		out[r] = lower_from_bits(lw, v, elem);
	}
	lower_set(lw, result, out, indices.count);
}

bool lower_GATHER(Lower *lw, IrOp *op)
{
	GpuGatherPlan plan = gpu_gather_plan(lw->gpu, op);
	if (plan.within_warp)
		gather_in_warp(lw, op, &plan);
	else
		gather_through_shared(lw, op);
	return true;
}

/* ---- histogram ---- */

/* This thread's part of the bins, and its place: bin i of round k is k * threads + thread. */
static void clear_bins(Lower *lw, LLVMValueRef base, int64_t bins, int64_t threads)
{
	for (int64_t first = 0; first < bins; first += threads) {
		LLVMValueRef i = LLVMBuildAdd(lw->b, lower_thread(lw), lower_i32(lw, first), "");
		LLVMValueRef inside = NULL;
		if (first + threads > bins)
			inside = LLVMBuildICmp(lw->b, LLVMIntULT, i, lower_i32(lw, bins), "");
		LowerIf part = lower_begin_if(lw, inside);
		set_alignment(lw, LLVMBuildStore(lw->b, lower_i32(lw, 0), lower_offset(lw, base, i, 4)), 32);
		lower_end_if(lw, part);
	}
}

/* 0 <= v < bins; a narrow type may have no value beyond. */
static LLVMValueRef is_bin(Lower *lw, LLVMValueRef v, int64_t bins)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned width = LLVMGetIntTypeWidth(type);
	if (width < 63 && bins > INT64_C(1) << (width - 1))
		return LLVMBuildICmp(lw->b, LLVMIntSGE, v, LLVMConstInt(type, 0, false), "");
	return LLVMBuildICmp(lw->b, LLVMIntULT, v, LLVMConstInt(type, (uint64_t)bins, false), "");
}

static void count_values(Lower *lw, IrOp *op, const GpuSpread *spread, LLVMValueRef base, int64_t bins)
{
	const IrValue *values = ir_operand(op, 0), *mask = op->operand_count > 1 ? ir_operand(op, 1) : NULL;
	const Layout *own = gpu_layout(lw->gpu, values->type), *layout = spread->layout;
	uint64_t scratch = gpu_shared_offset(lw->gpu, op);
	uint32_t bits = layout_in_bits(layout, LAYOUT_REGISTER), count = layout_space_reps(&layout->in) << bits;
	LLVMValueRef *regs = lower_convert(lw, own, layout, lower_get(lw, values).regs, values->type->elem,
					   scratch + spread->offset);
	LLVMValueRef *masks = NULL, owner = lower_owner(lw, gpu_holders(lw->gpu, layout));
	uint32_t *copies = lower_register_copies(lw, layout);
	if (mask)
		masks = lower_convert(lw, own, layout, lower_get(lw, mask).regs, mask->type->elem,
				      scratch + spread->mask_offset);
	for (uint32_t r = 0; r < count; r++) {
		if (copies[r & ((1u << bits) - 1)] != (r & ((1u << bits) - 1)))
			continue;
		LLVMValueRef in = is_bin(lw, regs[r], bins);
		if (masks)
			in = LLVMBuildAnd(lw->b, in, masks[r], "");
		if (owner)
			in = LLVMBuildAnd(lw->b, in, owner, "");
		LowerIf part = lower_begin_if(lw, in);
		LLVMValueRef bin = LLVMBuildIntCast2(lw->b, regs[r], lw->t.i32, false, "");
		LLVMValueRef old = LLVMBuildAtomicRMW(lw->b, LLVMAtomicRMWBinOpAdd, lower_offset(lw, base, bin, 4),
						      lower_i32(lw, 1), LLVMAtomicOrderingMonotonic, false);
		set_alignment(lw, old, 32);
		lower_end_if(lw, part);
	}
}

bool lower_HISTOGRAM(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	IrType type = result->type;
	const Layout *layout = gpu_layout(lw->gpu, type);
	int64_t bins = type->shape[0], threads = (int64_t)gpu_num_warps(lw->gpu, op) * TARGET_WARP_SIZE;
	GpuSpread spread = gpu_spread_histogram(lw->gpu, op);
	LLVMValueRef base = lower_shared_at(lw, gpu_shared_offset(lw->gpu, op));
	clear_bins(lw, base, bins, threads);
	lower_barrier(lw);
	count_values(lw, op, &spread, base, bins);
	lower_barrier(lw);
	uint32_t count = lower_count(lw, type);
	LLVMValueRef *at = lower_coordinates(lw, layout), *regs = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r++) {
		LLVMValueRef v = LLVMBuildLoad2(lw->b, lw->t.i32, lower_offset(lw, base, at[r], 4), "");
		set_alignment(lw, v, 32);
		regs[r] = LLVMBuildIntCast2(lw->b, v, lower_type(lw, type->elem), false, "");
	}
	lower_set(lw, result, regs, count);
	return true;
}
