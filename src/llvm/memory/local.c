/* Memory of the CTA: ttg.local_alloc, local_load, local_store, and views of it.
 *
 * A memdesc is the address of its first byte. A part (ttg.memdesc_subslice) keeps the address of
 * the whole, as its elements lie where the whole's layout puts them: offsets of parts are multiples
 * of their size, so an element's offset is that of the part's first one XOR its own. That constant
 * is found from the ops that made the value. */
#include "gpu/plan/dot.h"
#include "gpu/plan/wgmma.h"
#include "layout/f2.h"
#include "llvm/memory/local.h"

/* ---- where ---- */

/* Offset of these coordinates; they are within the F2 tile or repetitions of the layout. */
static uint64_t offset_of(Lower *lw, const Layout *memory, const int64_t *coordinates, unsigned rank)
{
	const Layout *back = layout_pseudo_invert(&lw->gpu->layouts, memory);
	uint64_t point = 0;
	uint32_t digits[LAYOUT_MAX_RANK] = {0};
	for (unsigned i = 0; i < memory->out.count; i++) {
		const LayoutDim *dim = &memory->out.dim[i];
		unsigned d = dim->name - LAYOUT_DIM0;
		ASSERT(d < rank);
		uint64_t low = (uint64_t)coordinates[d] & ((UINT64_C(1) << dim->bits) - 1);
		point |= layout_space_put(&memory->out, dim->name, low);
		digits[i] = (uint32_t)(coordinates[d] >> dim->bits);
	}
	uint64_t offset = layout_space_get(&back->out, layout_apply(back, point), LAYOUT_OFFSET);
	return offset | (uint64_t)layout_space_rep_number(&memory->out, digits)
				<< layout_in_bits(memory, LAYOUT_OFFSET);
}

/* The offset of a part's first element, in elements. Values that go through control flow are
 * whole. */
static bool flip_of(Lower *lw, const IrValue *memory, uint64_t *flip)
{
	*flip = 0;
	for (const IrOp *op = memory->def; op; op = ir_operand(op, 0)->def) {
		if (op->kind == OP_MEMDESC_SUBSLICE) {
			IrAttr offsets = ir_get(op, lw->gpu->ir, ATTR_OFFSETS);
			*flip ^= offset_of(lw, gpu_layout(lw->gpu, ir_operand(op, 0)->type), offsets->ints, offsets->len);
		} else if (op->kind != OP_MEMDESC_INDEX && op->kind != OP_MEMDESC_TRANS &&
			   op->kind != OP_MEMDESC_RESHAPE) {
			break;
		}
		memory = ir_operand(op, 0);
	}
	return memory->type->alloc_rank == 0;
}

/* The layout of a tile in the tile space of the memory that it is a part of. */
static const Layout *within(Lower *lw, const Layout *tile, const Layout *memory)
{
	uint64_t bases[64];
	if (layout_space_equal(&tile->out, &memory->out))
		return tile;
	for (unsigned i = 0; i < tile->in_bits; i++) {
		bases[i] = 0;
		for (unsigned d = 0; d < layout_rank(tile); d++)
			bases[i] |= layout_space_put(&memory->out, LAYOUT_DIM0 + d,
						     layout_coordinate(tile, tile->bases[i], d));
	}
	return layout_make(&lw->gpu->layouts, &tile->in, &memory->out, bases);
}

static bool same_repetitions(const Layout *a, const Layout *b)
{
	for (unsigned d = 0; d < layout_rank(a); d++) {
		if (layout_space_find(&a->out, LAYOUT_DIM0 + d)->reps !=
		    layout_space_find(&b->out, LAYOUT_DIM0 + d)->reps)
			return false;
	}
	return true;
}

bool lower_local_tile(Lower *lw, const IrOp *op, const IrValue *memory, const Layout *tile, LocalTile *out)
{
	CONTRACT(memory->type->kind == TY_MEMDESC);
	*out = (LocalTile){.tile = tile, .memory = gpu_layout(lw->gpu, memory->type)};
	if (!same_repetitions(tile, out->memory))
		return lower_diag(lw, op->loc, DIAG_LOCAL_PART, ir_op_info[op->kind].text,
				  "a part of memory whose sizes are no powers of two");
	if (!flip_of(lw, memory, &out->place.flip))
		return lower_diag(lw, op->loc, DIAG_LOCAL_PART, ir_op_info[op->kind].text,
				  "a part of memory that control flow chooses");
	const Layout *back = layout_pseudo_invert(&lw->gpu->layouts, out->memory);
	out->address = layout_compose(&lw->gpu->layouts, back, within(lw, tile, out->memory));
	out->word = lower_thread_word(lw, tile);
	out->place.base = lower_scalar(lw, memory);
	out->place.pass_shift = 64;
	out->place.cluster = layout_in_bits(out->memory, LAYOUT_BLOCK) > 0 && lw->gpu->num_ctas > 1;
	LayoutPadded *padded = ARENA_NEW(lw->arena, LayoutPadded);
	if (gpu_padded(lw->gpu, memory->type, padded))
		out->place.padded = padded;
	return true;
}

SharedPlace lower_local_place(const LocalTile *local, uint32_t rep)
{
	SharedPlace place = local->place;
	uint64_t region = layout_plan_source_rep(local->memory, local->tile, rep);
	place.tile = local->tile;
	place.first = rep << layout_in_bits(local->tile, LAYOUT_REGISTER);
	place.region = region << layout_in_bits(local->memory, LAYOUT_OFFSET);
	return place;
}

/* ---- tiles in and out ---- */

/* A padded layout has vectors no longer than its intervals. */
static void plan(Lower *lw, const LocalTile *local, bool store, unsigned bits, LayoutAccess *access)
{
	const LayoutPadded *padded = local->place.padded;
	layout_plan_access(local->address, store, bits, &lw->gpu->plan_target, access);
	unsigned shortest = 64;
	for (unsigned i = 0; padded && i < padded->count; i++)
		shortest = MIN(shortest, base_log2(MIN(padded->pads[i].interval, padded->pads[i].pad)));
	bool too_long =
		access->kind == LAYOUT_ACCESS_VECTOR ? access->vector_bits > shortest : padded != NULL;
	for (unsigned n = MIN(access->vector_bits, shortest); too_long; n--) {
		if (layout_plan_access_as(local->address, store, bits, LAYOUT_ACCESS_VECTOR, n, 64, access))
			return;
		ASSERT(n);
	}
}

void lower_local_store(Lower *lw, const LocalTile *local, LLVMValueRef *regs, IrType elem)
{
	CONTRACT(ir_is_scalar(elem) || ir_is_ptr(elem));
	uint32_t count = 1u << layout_in_bits(local->tile, LAYOUT_REGISTER),
		 reps = layout_space_reps(&local->tile->in);
	LayoutAccess access;
	plan(lw, local, true, gpu_element_bits(elem), &access);
	LLVMValueRef *held = lower_array(lw, reps * count);
	for (uint32_t i = 0; i < reps * count; i++)
		held[i] = lower_to_bits(lw, regs[i], elem);
	for (uint32_t rep = 0; rep < reps; rep++)
		lower_access_swap(lw, &access, local->word, held + rep * count, count);
	LLVMValueRef active = lower_access_active(lw, &access, local->word);
	LowerIf part = {0};
	if (active)
		part = lower_begin_if(lw, active);
	for (uint32_t rep = 0; rep < reps; rep++) {
		SharedPlace place = lower_local_place(local, rep);
		lower_access_store(lw, &access, &place, local->word, held + rep * count);
	}
	if (active)
		lower_end_if(lw, part);
}

static LLVMValueRef *load(Lower *lw, const LocalTile *local, IrType elem)
{
	uint32_t count = 1u << layout_in_bits(local->tile, LAYOUT_REGISTER),
		 reps = layout_space_reps(&local->tile->in);
	LayoutAccess access;
	plan(lw, local, false, gpu_element_bits(elem), &access);
	uint32_t *copies = ARENA_ARRAY(lw->arena, uint32_t, count);
	layout_access_copies(local->address, copies);
	LLVMValueRef *regs = lower_array(lw, reps * count);
	for (uint32_t rep = 0; rep < reps; rep++) {
		SharedPlace place = lower_local_place(local, rep);
		LLVMValueRef *held = lower_array(lw, count);
		lower_access_load(lw, &access, &place, local->word, held);
		/* Copies first: an exchange takes what stands in the registers of both. */
		for (uint32_t i = 0; i < count; i++)
			held[i] = held[copies[i]];
		lower_access_swap(lw, &access, local->word, held, count);
		for (uint32_t i = 0; i < count; i++)
			regs[rep * count + i] = lower_from_bits(lw, held[i], elem);
	}
	return regs;
}

/* ---- ops ---- */

bool lower_LOCAL_ALLOC(Lower *lw, IrOp *op)
{
	LocalTile local;
	lower_set_scalar(lw, ir_result(op, 0), lower_shared_at(lw, gpu_shared_offset(lw->gpu, op)));
	if (!op->operand_count)
		return true;
	const IrValue *tile = ir_operand(op, 0);
	if (!lower_local_tile(lw, op, ir_result(op, 0), gpu_layout(lw->gpu, tile->type), &local))
		return false;
	lower_local_store(lw, &local, lower_get(lw, tile).regs, tile->type->elem);
	return true;
}

bool lower_LOCAL_DEALLOC(Lower *lw, IrOp *op)
{
	(void)lw;
	(void)op;
	return true;
}

LLVMValueRef *lower_local_read(Lower *lw, const IrOp *op)
{
	LocalTile local;
	IrType type = op->results[0].type;
	if (!lower_local_tile(lw, op, ir_operand(op, 0), gpu_layout(lw->gpu, type), &local))
		return NULL;
	return load(lw, &local, type->elem);
}

bool lower_LOCAL_LOAD(Lower *lw, IrOp *op)
{
	const IrUse *use = op->results[0].uses;
	if (use && use->owner->kind == OP_WARP_GROUP_DOT && gpu_wgmma_late_read(lw->gpu, use->owner) == op)
		return true;
	bool sums = use && use->owner->kind == OP_DOT && ir_operand(use->owner, 2) == use->value;
	if (use && use->owner->kind == OP_DOT && !sums && gpu_dot_reads_in_place(lw->gpu, use->owner))
		return true;
	LLVMValueRef *regs = lower_local_read(lw, op);
	if (regs)
		lower_set(lw, ir_result(op, 0), regs, lower_count(lw, op->results[0].type));
	return regs != NULL;
}

bool lower_LOCAL_STORE(Lower *lw, IrOp *op)
{
	LocalTile local;
	const IrValue *tile = ir_operand(op, 0);
	if (!lower_local_tile(lw, op, ir_operand(op, 1), gpu_layout(lw->gpu, tile->type), &local))
		return false;
	lower_local_store(lw, &local, lower_get(lw, tile).regs, tile->type->elem);
	return true;
}

/* Elements from one buffer to the next along the first dim: those of a buffer, with its padding. */
bool lower_MEMDESC_INDEX(Lower *lw, IrOp *op)
{
	IrType type = op->results[0].type;
	const Layout *l = gpu_layout(lw->gpu, type);
	LayoutPadded padded;
	uint64_t elements = (uint64_t)layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_OFFSET);
	uint64_t used, all;
	if (gpu_padded(lw->gpu, type, &padded))
		elements = layout_padded_offset(&padded, elements);
	else if (gpu_is_cut(type->encoding, &used, &all))
		elements = elements / all * used;
	LLVMValueRef index = lower_scalar(lw, ir_operand(op, 1)), base = lower_scalar(lw, ir_operand(op, 0));
	unsigned bytes = (unsigned)(elements * gpu_element_bits(type->elem) / 8);
	lower_set_scalar(lw, ir_result(op, 0), lower_offset(lw, base, index, bytes));
	return true;
}

static bool same_address(Lower *lw, IrOp *op)
{
	lower_set_scalar(lw, ir_result(op, 0), lower_scalar(lw, ir_operand(op, 0)));
	return true;
}

bool lower_MEMDESC_SUBSLICE(Lower *lw, IrOp *op) { return same_address(lw, op); }
bool lower_MEMDESC_TRANS(Lower *lw, IrOp *op) { return same_address(lw, op); }
bool lower_MEMDESC_RESHAPE(Lower *lw, IrOp *op) { return same_address(lw, op); }
bool lower_MEMDESC_REINTERPRET(Lower *lw, IrOp *op) { return same_address(lw, op); }
