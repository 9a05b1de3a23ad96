/* Copies by tensor maps (TMA), and the barriers in shared memory that count their bytes.
 *
 * One thread of the first warp issues: it is elected, which ptxas knows, so that addresses are in uniform registers. What one
 * thread announces and the copies behind it share a branch. A tile is moved by as many boxes as its memory has (gpu/boxes.h). */
#include "gpu/memory/pieces.h"
#include "ir/enums.h"
#include "ir/text/text.h"
#include "llvm/lower.h"
#include "llvm/machine.h"
#include "llvm/memory/local.h"

/* ---- one thread ---- */

typedef struct OneThread {
	LowerIf warp, lane;
} OneThread;

/* cond: i1, the same in all threads; NULL: true. In the first warp of the group that op names. */
static OneThread begin_one_for(Lower *lw, LLVMValueRef cond, const IrOp *op)
{
	enum { WARPS_OF_A_GROUP = 4 };
	OneThread one;
	int64_t group = op ? ir_get_int(op, lw->gpu->ir, ATTR_ISSUER, 0) : 0;
	int64_t warp = (lw->roles ? lw->roles->first : 0) + group * WARPS_OF_A_GROUP;
	LLVMValueRef first = LLVMBuildICmp(lw->b, LLVMIntEQ, lower_warp(lw), lower_i32(lw, warp), "");
	if (cond && !(LLVMIsConstant(cond) && LLVMConstIntGetZExtValue(cond)))
		first = LLVMBuildAnd(lw->b, first, cond, "");
	one.warp = lower_begin_if(lw, first);
	one.lane = lower_begin_if(lw, MACHINE1(lw, elect, lower_i32(lw, -1)));
	return one;
}

static OneThread begin_one(Lower *lw, LLVMValueRef cond)
{
	return begin_one_for(lw, cond, NULL);
}

static void end_one(Lower *lw, OneThread one)
{
	lower_end_if(lw, one.lane);
	lower_end_if(lw, one.warp);
}

/* ---- barriers ---- */

/* What stands between ops that one branch does together: it says where barriers are. */
static bool is_place(const IrOp *op)
{
	bool memory = op->kind == OP_LOCAL_DEALLOC || (op->kind == OP_LOCAL_ALLOC && !op->operand_count);
	return memory || op->kind == OP_MEMDESC_INDEX || ir_has_trait(op, TRAIT_CONST);
}

/* The next op of the kind that goes together with this one; NULL: there is none. */
static IrOp *together(const IrOp *op, IrOpKind kind)
{
	IrOp *next = op->next;
	while (next && is_place(next))
		next = next->next;
	return next && next->kind == kind ? next : NULL;
}

/* The first op of those that this one, the last, goes together with. */
static IrOp *first_together(IrOp *op)
{
	IrOp *first = op;
	for (IrOp *at = op->prev; at && (at->kind == op->kind || is_place(at)); at = at->prev)
		first = at->kind == op->kind ? at : first;
	return first;
}

bool lower_INIT_BARRIER(Lower *lw, IrOp *op)
{
	if (together(op, OP_INIT_BARRIER))
		return true;
	OneThread one = begin_one(lw, NULL);
	for (IrOp *at = first_together(op); at; at = together(at, OP_INIT_BARRIER))
		MACHINE2(lw, mbarrier_init, lower_scalar(lw, ir_operand(at, 0)),
			 lower_i32(lw, ir_get_int(at, lw->gpu->ir, ATTR_COUNT, 1)));
	/* The unit that counts bytes there finds them made. */
	MACHINE0(lw, fence_async);
	end_one(lw, one);
	return true;
}

bool lower_INVAL_BARRIER(Lower *lw, IrOp *op)
{
	if (together(op, OP_INVAL_BARRIER))
		return true;
	OneThread one = begin_one(lw, NULL);
	for (IrOp *at = first_together(op); at; at = together(at, OP_INVAL_BARRIER))
		MACHINE1(lw, mbarrier_inval, lower_scalar(lw, ir_operand(at, 0)));
	end_one(lw, one);
	return true;
}

bool lower_WAIT_BARRIER(Lower *lw, IrOp *op)
{
	MACHINE2(lw, mbarrier_wait, lower_scalar(lw, ir_operand(op, 0)), lower_scalar(lw, ir_operand(op, 1)));
	return true;
}

/* ---- boxes ---- */

typedef struct Boxes {
	Lower *lw;
	const IrOp *op;
	GpuBox box;
	IrType tile;
	unsigned more; /* dims of the tensor in front of the tile's */
	LLVMValueRef map, memory, at[TENSOR_MAP_RANK]; /* at: dim 0 of the tensor first */
} Boxes;

/* Memory of a part of the tile holds as many of its boxes, laid out as the whole's are; of a part of
 * its rows, boxes of as many rows (gpu_map_recipe). */
static bool take_part(Lower *lw, Boxes *boxes, IrType memory)
{
	GpuBox part;
	if (!gpu_box_of(lw->gpu, memory, gpu_layout(lw->gpu, memory), &part) ||
	    part.swizzle != boxes->box.swizzle)
		return false;
	uint64_t row = boxes->box.bytes / boxes->box.side[0];
	bool rows = boxes->op->kind == OP_TMA_STORE && part.bytes == row * part.side[0];
	if (part.bytes != boxes->box.bytes && !rows)
		return false;
	boxes->tile = memory;
	boxes->box = part;
	return true;
}

/* Indices are operands from `first` on. False after diagnosing. */
static bool find_boxes(Lower *lw, const IrOp *op, uint32_t first, Boxes *out)
{
	const IrValue *map = ir_operand(op, 0), *memory = ir_operand(op, 1);
	*out = (Boxes){.lw = lw, .op = op, .tile = map->type->elem, .map = lower_scalar(lw, map), .memory = lower_scalar(lw, memory)};
	if (!gpu_is_map(map->type) ||
	    !gpu_box_of(lw->gpu, out->tile, gpu_map_layout(lw->gpu, map->type), &out->box) ||
	    !take_part(lw, out, memory->type))
		return lower_diag(lw, op->loc, DIAG_LOWER_BOX, ir_op_info[op->kind].text, ir_type_text(lw->arena, map->type));
	ASSERT(op->operand_count >= first + out->box.rank && op->operand_count <= first + TENSOR_MAP_RANK);
	out->more = op->operand_count - first - out->box.rank;
	for (uint32_t d = 0; d < out->more + out->box.rank; d++)
		out->at[d] = lower_scalar(lw, ir_operand(op, first + d));
	return true;
}

/* args: filled from n on with the coordinates of a box, the fastest first; *memory: where it lies. */
static unsigned box_args(const Boxes *boxes, unsigned number, LLVMValueRef *args, unsigned n, LLVMValueRef *memory)
{
	Lower *lw = boxes->lw;
	int64_t at[TENSOR_MAP_RANK];
	uint64_t offset = gpu_box_place(&boxes->box, boxes->tile, number, at);
	for (unsigned d = boxes->more + boxes->box.rank; d-- > 0;) {
		int64_t past = d < boxes->more ? 0 : at[d - boxes->more];
		args[n++] = past ? LLVMBuildAdd(lw->b, boxes->at[d], lower_i32(lw, past), "") : boxes->at[d];
	}
	LLVMValueRef index = lower_i32(lw, (int64_t)offset);
	*memory = offset ? LLVMBuildInBoundsGEP2(lw->b, lw->t.i8, boxes->memory, &index, 1, "") : boxes->memory;
	return n;
}

/* ---- tiles that CTAs of a cluster share ---- */

/* The CTA's number among those that share a tile: the bits of its own that `mask` has, side by
 * side. */
static LLVMValueRef number_among(Lower *lw, LLVMValueRef rank, unsigned mask)
{
	LLVMValueRef number = lower_i32(lw, 0);
	for (unsigned bit = 0, below = 0; mask >> bit; bit++) {
		if (!(mask >> bit & 1))
			continue;
		LLVMValueRef one = LLVMBuildAnd(lw->b, LLVMBuildLShr(lw->b, rank, lower_i32(lw, bit), ""),
						lower_i32(lw, 1), "");
		one = LLVMBuildShl(lw->b, one, lower_i32(lw, below++), "");
		number = LLVMBuildOr(lw->b, number, one, "");
	}
	return number;
}

/* Those CTAs, a bit for each: their numbers differ in the bits of `mask` alone. */
static LLVMValueRef sharing_ctas(Lower *lw, LLVMValueRef rank, unsigned mask)
{
	int64_t ctas = 0;
	for (unsigned k = 0; k <= mask; k++)
		ctas |= (k & ~mask) == 0 ? INT64_C(1) << k : 0;
	LLVMValueRef first = LLVMBuildAnd(lw->b, rank, lower_i32(lw, ~(int64_t)mask & 0xf), "");
	return LLVMBuildTrunc(lw->b, LLVMBuildShl(lw->b, lower_i32(lw, ctas), first, ""),
			      LLVMInt16TypeInContext(lw->cx), "");
}

/* Moves what is copied on to the part that the CTA brings: the boxes whose numbers' highest bits
 * are its own number among those that share the tile. What it brings comes to these, a bit each. */
static LLVMValueRef take_share(Boxes *boxes, unsigned mask)
{
	Lower *lw = boxes->lw;
	LLVMValueRef rank = lower_cta_rank(lw), number = number_among(lw, rank, mask);
	gpu_box_share(&boxes->box, 1u << __builtin_popcount(mask));
	unsigned own = boxes->box.count >> __builtin_popcount(mask);
	for (unsigned bit = 0; own << bit < boxes->box.count; bit++) {
		int64_t at[TENSOR_MAP_RANK];
		uint64_t bytes = gpu_box_place(&boxes->box, boxes->tile, own << bit, at);
		LLVMValueRef has = LLVMBuildAnd(lw->b, LLVMBuildLShr(lw->b, number, lower_i32(lw, bit), ""),
						lower_i32(lw, 1), "");
		for (uint32_t d = 0; d < boxes->box.rank; d++) {
			LLVMValueRef *index = &boxes->at[boxes->more + d];
			LLVMValueRef past = LLVMBuildMul(lw->b, has, lower_i32(lw, at[d]), "");
			*index = at[d] ? LLVMBuildAdd(lw->b, *index, past, "") : *index;
		}
		LLVMValueRef offset = LLVMBuildMul(lw->b, has, lower_i32(lw, (int64_t)bytes), "");
		boxes->memory = LLVMBuildInBoundsGEP2(lw->b, lw->t.i8, boxes->memory, &offset, 1, "");
	}
	boxes->box.count = own;
	return sharing_ctas(lw, rank, mask);
}

static void load_boxes(Boxes *boxes, LLVMValueRef barrier)
{
	Lower *lw = boxes->lw;
	unsigned mask = (unsigned)ir_get_int(boxes->op, lw->gpu->ir, ATTR_SHARED_BY, 0);
	LLVMValueRef ctas = mask ? take_share(boxes, mask) : NULL;
	const char *suffix = arena_printf(lw->arena, "%ud%s", boxes->more + boxes->box.rank,
					  ctas ? ".multicast" : "");
	for (unsigned i = 0; i < boxes->box.count; i++) {
		LLVMValueRef args[4 + TENSOR_MAP_RANK] = {NULL, boxes->map};
		unsigned n = box_args(boxes, i, args, 2, &args[0]);
		args[n++] = barrier;
		if (ctas)
			args[n++] = ctas;
		machine_family(lw, MACHINE_tensor_load, suffix, lw->t.void_, args, n);
	}
}

static bool load(Lower *lw, const IrOp *op)
{
	Boxes boxes;
	if (!find_boxes(lw, op, 4, &boxes))
		return false;
	load_boxes(&boxes, lower_scalar(lw, ir_operand(op, 2)));
	return true;
}

/* Loads behind `op` that are issued under the same condition. */
static unsigned loads_behind(const IrOp *op, const IrValue *cond)
{
	unsigned n = 0;
	while ((op = op->next) != NULL && op->kind == OP_TMA_LOAD && ir_operand(op, 3) == cond)
		n++;
	return n;
}

/* In the thread that issues: the loads that follow too. */
static bool expect(Lower *lw, const IrOp *op)
{
	LLVMValueRef barrier = lower_scalar(lw, ir_operand(op, 0));
	MACHINE2(lw, mbarrier_expect_tx, barrier, lower_i32(lw, ir_get_int(op, lw->gpu->ir, ATTR_SIZE, 0)));
	lw->tensor_loads = loads_behind(op, ir_operand(op, 1));
	const IrOp *behind = op->next;
	for (unsigned i = 0; i < lw->tensor_loads; i++, behind = behind->next) {
		lower_line(lw, behind->loc);
		if (!load(lw, behind))
			return false;
	}
	return true;
}

bool lower_BARRIER_EXPECT(Lower *lw, IrOp *op)
{
	if (lw->tensor_expects) {
		lw->tensor_expects = false;
		return true;
	}
	OneThread one = begin_one_for(lw, lower_scalar(lw, ir_operand(op, 1)), op);
	bool good = expect(lw, op);
	end_one(lw, one);
	return good;
}

static bool find_read_of_slot(void *data, IrOp *op)
{
	bool *found = data;
	const IrOp *from = op->kind == OP_LOCAL_LOAD ? ir_operand(op, 0)->def : NULL;
	while (from && (from->kind == OP_MEMDESC_TRANS || from->kind == OP_MEMDESC_RESHAPE))
		from = ir_operand(from, 0)->def;
	*found |= from && from->kind == OP_MEMDESC_INDEX;
	return !*found;
}

/* Do lanes read slots, each for itself? Products are the warp's. */
static bool lanes_read_slots(const Lower *lw)
{
	bool found = false;
	ir_walk((IrOp *)(uintptr_t)lw->func, false, find_read_of_slot, &found);
	return found;
}

/* At the barriers of all CTAs of the cluster: a lane for each. */
static void arrive_everywhere(Lower *lw, const IrOp *op, LLVMValueRef barrier)
{
	LLVMValueRef ctas = lower_i32(lw, lower_ctas_of_program(lw)), lane = lower_lane(lw);
	LLVMValueRef is_one = LLVMBuildICmp(lw->b, LLVMIntULT, lane, ctas, "");
	if (op->operand_count > 1)
		is_one = LLVMBuildAnd(lw->b, is_one, lower_scalar(lw, ir_operand(op, 1)), "");
	LLVMValueRef cta = LLVMBuildSelect(lw->b, is_one, lane, lower_i32(lw, 0), "");
	if (lanes_read_slots(lw))
		MACHINE0(lw, warp_barrier);
	MACHINE3(lw, mbarrier_arrive_there, barrier, cta, is_one);
}

/* One thread of each warp, when all of it have come. Without a branch: behind one in a loop, ptxas
 * 13.0 may take numbers of slots for different in each thread, and read descriptors of products
 * from a lane. */
bool lower_ARRIVE_BARRIER(Lower *lw, IrOp *op)
{
	LLVMValueRef barrier = lower_scalar(lw, ir_operand(op, 0));
	if (ir_get(op, lw->gpu->ir, ATTR_BY_CLUSTER)) {
		arrive_everywhere(lw, op, barrier);
		return true;
	}
	LLVMValueRef one = MACHINE1(lw, elect, lower_i32(lw, -1));
	if (op->operand_count > 1)
		one = LLVMBuildAnd(lw->b, one, lower_scalar(lw, ir_operand(op, 1)), "");
	MACHINE2(lw, mbarrier_arrive, barrier, one);
	return true;
}

static bool is_product(const IrOp *op)
{
	return op->kind == OP_WARP_GROUP_DOT || op->kind == OP_WARP_GROUP_DOT_WAIT;
}

/* Are all products of an iteration in front of this? One thread of the warp has waited in a loop
 * of its own. Where nothing behind it that whole warps do says that the others are with it, ptxas
 * 13.0 takes what the loop carries for different in each thread, and reads descriptors of
 * products from a lane: two shuffles in front of each product. */
static bool ends_products(const IrOp *op)
{
	bool before = false, behind = false;
	for (const IrOp *at = op->prev; at; at = at->prev)
		before |= is_product(at);
	for (const IrOp *at = op->next; at; at = at->next)
		behind |= is_product(at);
	return before && !behind && ir_parent_op(op)->kind == OP_FOR;
}

bool lower_WAIT_FREE(Lower *lw, IrOp *op)
{
	LLVMValueRef barrier = lower_scalar(lw, ir_operand(op, 0)), parity = lower_scalar(lw, ir_operand(op, 1));
	const IrValue *cond = ir_operand(op, 2);
	const IrOp *next = op->next->kind == OP_BARRIER_EXPECT ? op->next : NULL;
	int64_t always;
	/* It waits anyway, and announces copies where there are some. */
	bool inside = next && ir_operand(next, 1) != cond && ir_constant_int(cond, &always) && always;
	OneThread one = begin_one_for(lw, lower_scalar(lw, cond), op);
	LowerIf some = {0};
	bool good = true;
	MACHINE2(lw, mbarrier_wait, barrier, parity);
	lw->tensor_expects = next && (inside || ir_operand(next, 1) == cond);
	if (inside)
		some = lower_begin_if(lw, lower_scalar(lw, ir_operand(next, 1)));
	if (lw->tensor_expects)
		good = expect(lw, next);
	if (inside)
		lower_end_if(lw, some);
	end_one(lw, one);
	if (ends_products(op))
		MACHINE0(lw, warp_barrier);
	return good;
}

bool lower_TMA_LOAD(Lower *lw, IrOp *op)
{
	/* Issued with what announces it. */
	if (lw->tensor_loads) {
		lw->tensor_loads--;
		return true;
	}
	OneThread one = begin_one_for(lw, lower_scalar(lw, ir_operand(op, 3)), op);
	bool good = load(lw, op);
	end_one(lw, one);
	return good;
}

/* ---- stores ---- */

static void wait_for_stores(Lower *lw, const IrOp *op)
{
	long long pending = ir_get_int(op, lw->gpu->ir, ATTR_PENDINGS, 0);
	const char *read = ir_get(op, lw->gpu->ir, ATTR_WRITTEN) ? "" : "read.";
	machine_family(lw, MACHINE_bulk_wait, arena_printf(lw->arena, "%s%lld", read, pending), lw->t.void_, NULL, 0);
}

static bool store(Lower *lw, const IrOp *op, MachineOp copy, const char *kind)
{
	Boxes boxes;
	if (!find_boxes(lw, op, 2, &boxes))
		return false;
	const char *suffix = arena_printf(lw->arena, "%ud%s%s", boxes.more + boxes.box.rank, *kind ? "." : "", kind);
	OneThread one = begin_one(lw, NULL);
	for (unsigned i = 0; i < boxes.box.count; i++) {
		LLVMValueRef args[2 + TENSOR_MAP_RANK] = {boxes.map}, memory;
		unsigned n = box_args(&boxes, i, args, 1, &memory);
		args[n++] = memory;
		machine_family(lw, copy, suffix, lw->t.void_, args, n);
	}
	MACHINE0(lw, bulk_commit);
	lw->tensor_waits = op->next && op->next->kind == OP_TMA_STORE_WAIT;
	if (lw->tensor_waits)
		wait_for_stores(lw, op->next);
	end_one(lw, one);
	return true;
}

/* ---- rows of warp groups ---- */

enum { FIRST_GROUP_BARRIER = 12 /* of the named ones; those before are for roles and turns */ };

static LLVMValueRef warp_here(Lower *lw)
{
	return LLVMBuildSub(lw->b, lower_warp(lw), lower_i32(lw, lw->roles ? lw->roles->first : 0), "");
}

static LLVMValueRef group_here(Lower *lw)
{
	return LLVMBuildLShr(lw->b, warp_here(lw), lower_i32(lw, base_log2(GPU_GROUP_WARPS)), "");
}

/* One thread of each group. */
static OneThread begin_one_of_group(Lower *lw)
{
	OneThread one;
	LLVMValueRef number = LLVMBuildAnd(lw->b, warp_here(lw), lower_i32(lw, GPU_GROUP_WARPS - 1), "");
	one.warp = lower_begin_if(lw, LLVMBuildICmp(lw->b, LLVMIntEQ, number, lower_i32(lw, 0), ""));
	one.lane = lower_begin_if(lw, MACHINE1(lw, elect, lower_i32(lw, -1)));
	return one;
}

static void meet_group(Lower *lw)
{
	LLVMValueRef number = LLVMBuildAdd(lw->b, group_here(lw), lower_i32(lw, FIRST_GROUP_BARRIER), "");
	MACHINE2(lw, named_barrier, number, lower_i32(lw, TARGET_WARP_SIZE * GPU_GROUP_WARPS));
}

/* A group's rows of one of the memory's boxes, which lie side by side. */
static void copy_rows_of_box(const Boxes *boxes, const IrOp *op, unsigned number)
{
	Lower *lw = boxes->lw;
	const GpuBox *box = &boxes->box;
	unsigned groups = gpu_num_warps(lw->gpu, op) / GPU_GROUP_WARPS, n = 1;
	LLVMValueRef group = group_here(lw),
		     args[2 + TENSOR_MAP_RANK] = {lower_scalar(lw, ir_operand(op, 0))};
	LLVMValueRef row = LLVMBuildMul(lw->b, group, lower_i32(lw, (int64_t)(box->side[0] / groups)), "");
	uint32_t last = op->operand_count - 1;
	for (uint32_t i = last; i > 2; i--) {
		LLVMValueRef at = lower_scalar(lw, ir_operand(op, i));
		LLVMValueRef past = i == last	    ? lower_i32(lw, (int64_t)number * box->side[1])
				    : i == last - 1 ? row
						    : NULL;
		args[n++] = past ? LLVMBuildAdd(lw->b, at, past, "") : at;
	}
	LLVMValueRef offset = LLVMBuildMul(lw->b, group, lower_i32(lw, (int64_t)(box->bytes / groups)), "");
	offset = LLVMBuildAdd(lw->b, offset, lower_i32(lw, (int64_t)(number * box->bytes)), "");
	args[n++] =
		LLVMBuildInBoundsGEP2(lw->b, lw->t.i8, lower_scalar(lw, ir_operand(op, 2)), &offset, 1, "");
	machine_family(lw, MACHINE_tensor_store, arena_printf(lw->arena, "%ud", last - 2), lw->t.void_, args,
		       n);
}

static bool copy_rows(Lower *lw, const IrOp *op)
{
	IrType memory = ir_operand(op, 2)->type;
	Boxes boxes = {.lw = lw};
	if (!gpu_box_of(lw->gpu, memory, gpu_layout(lw->gpu, memory), &boxes.box))
		return lower_diag(lw, op->loc, DIAG_LOWER_BOX, ir_op_info[op->kind].text,
				  ir_type_text(lw->arena, memory));
	for (unsigned i = 0; i < boxes.box.count; i++)
		copy_rows_of_box(&boxes, op, i);
	MACHINE0(lw, bulk_commit);
	return true;
}

bool lower_TMA_STORE_ROWS(Lower *lw, IrOp *op)
{
	const IrValue *tile = ir_operand(op, 1);
	LocalTile local;
	if (!lower_local_tile(lw, op, ir_operand(op, 2), gpu_layout(lw->gpu, tile->type), &local))
		return false;
	OneThread one = begin_one_of_group(lw);
	wait_for_stores(lw, op);
	end_one(lw, one);
	meet_group(lw);
	lower_local_store(lw, &local, lower_get(lw, tile).regs, tile->type->elem);
	MACHINE0(lw, fence_async);
	meet_group(lw);
	one = begin_one_of_group(lw);
	bool good = copy_rows(lw, op);
	end_one(lw, one);
	return good;
}

bool lower_TMA_STORE(Lower *lw, IrOp *op)
{
	return store(lw, op, MACHINE_tensor_store, "");
}

bool lower_TMA_REDUCE(Lower *lw, IrOp *op)
{
	static const char *const words[] = {
		[DESC_ADD] = "add", [DESC_MIN] = "min", [DESC_MAX] = "max", [DESC_AND] = "and", [DESC_OR] = "or", [DESC_XOR] = "xor",
	};
	int64_t kind = ir_get_int(op, lw->gpu->ir, ATTR_REDUCE_KIND, DESC_ADD);
	if (kind < 0 || kind >= (int64_t)ARRAY_LEN(words) || !words[kind])
		return lower_diag(lw, op->loc, DIAG_LOWER_ABSENT, ir_op_info[op->kind].text, "a copy has no such reduction");
	return store(lw, op, MACHINE_tensor_reduce, words[kind]);
}

/* The thread that issued them waits: groups are a thread's own. */
bool lower_TMA_STORE_WAIT(Lower *lw, IrOp *op)
{
	/* Done with the stores before it. */
	if (lw->tensor_waits) {
		lw->tensor_waits = false;
		return true;
	}
	OneThread one =
		ir_get(op, lw->gpu->ir, ATTR_BY_GROUPS) ? begin_one_of_group(lw) : begin_one(lw, NULL);
	wait_for_stores(lw, op);
	end_one(lw, one);
	return true;
}

/* ---- maps ---- */

void lower_fetch_maps(Lower *lw, const IrBlock *body)
{
	bool any = false;
	for (uint32_t i = 0; i < body->arg_count; i++)
		any |= gpu_is_map(body->args[i]->type);
	if (!any)
		return;
	OneThread one = begin_one(lw, NULL);
	for (uint32_t i = 0; i < body->arg_count; i++)
		if (gpu_is_map(body->args[i]->type))
			MACHINE1(lw, tensor_prefetch, lower_scalar(lw, body->args[i]));
	end_one(lw, one);
}
