/* Rules of the ops that exist once layouts are chosen: conversions, shared memory, asynchronous
 * copies, warp specialisation. Rules about layouts are checked where layouts are known
 * (gpu/layout/verify.c). */
#include "ir/verify/verify_int.h"

static IrType in(const IrOp *op, uint32_t i)
{
	return ir_operand(op, i)->type;
}

static IrType out(const IrOp *op)
{
	return op->results[0].type;
}

/* A type's element and dimensions are these. */
static bool check_dims(Verifier *v, const IrOp *op, const char *what, IrType elem, const int64_t *dims, uint32_t rank,
		       IrType found)
{
	bool ok = found->elem == elem && found->rank == rank &&
		  (rank == 0 || memcmp(found->shape, dims, rank * sizeof *dims) == 0);
	if (ok)
		return true;
	Text text;
	text_init(&text, v->arena);
	for (uint32_t i = 0; i < rank; i++)
		text_printf(&text, "%lldx", (long long)dims[i]);
	ir_print_type(&text, elem);
	return verify_must(v, op, verify_text(v, "the shape of %s", what), text.data, ir_type_text(v->arena, found));
}

static bool check_like(Verifier *v, const IrOp *op, const char *what, IrType like, IrType found)
{
	return check_dims(v, op, what, like->elem, like->shape, like->rank, found);
}

static int64_t elements(IrType type)
{
	int64_t n = 1;
	for (uint32_t i = 0; i < type->rank; i++)
		n *= type->shape[i];
	return n;
}

static bool is_order(IrAttr order, uint32_t rank)
{
	uint32_t seen = 0;
	for (uint32_t i = 0; i < order->len; i++)
		if (order->ints[i] >= 0 && order->ints[i] < rank)
			seen |= 1u << order->ints[i];
	return order->len == rank && seen == (1u << rank) - 1;
}

void verify_convert_layout(Verifier *v, const IrOp *op)
{
	check_like(v, op, "the result", in(op, 0), out(op));
}

/* ---- shared memory ---- */

static void check_mutable(Verifier *v, const IrOp *op, const char *what, IrType memory)
{
	if (!memory->is_mutable)
		verify_must(v, op, what, "mutable memory", ir_type_text(v->arena, memory));
}

void verify_local_alloc(Verifier *v, const IrOp *op)
{
	if (op->operand_count)
		check_like(v, op, "the result", in(op, 0), out(op));
	else
		check_mutable(v, op, "the result, which nothing fills,", out(op));
	if (out(op)->alloc_rank)
		verify_must(v, op, "the result", "no part of other memory", ir_type_text(v->arena, out(op)));
}

void verify_local_load(Verifier *v, const IrOp *op)
{
	check_like(v, op, "the result", in(op, 0), out(op));
}

void verify_local_store(Verifier *v, const IrOp *op)
{
	check_like(v, op, "operand 1", in(op, 0), in(op, 1));
	check_mutable(v, op, "operand 1", in(op, 1));
}

static void check_view(Verifier *v, const IrOp *op)
{
	if (in(op, 0)->is_mutable != out(op)->is_mutable)
		verify_must(v, op, "the result", in(op, 0)->is_mutable ? "mutable, as operand 0" : "immutable, as operand 0",
			    ir_type_text(v->arena, out(op)));
}

void verify_memdesc_index(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0);
	check_view(v, op);
	if (!from->rank) {
		verify_number(v, op, "the rank of operand 0", 1, 0);
		return;
	}
	check_dims(v, op, "the result", from->elem, from->shape + 1, from->rank - 1, out(op));
}

void verify_memdesc_subslice(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0), to = out(op);
	IrAttr offsets = ir_get(op, v->cx, ATTR_OFFSETS);
	check_view(v, op);
	if (!verify_type(v, op, "the element of the result", from->elem, to->elem) ||
	    !verify_number(v, op, "the rank of the result", from->rank, to->rank) ||
	    !verify_number(v, op, "the number of offsets", from->rank, offsets->len))
		return;
	for (uint32_t i = 0; i < from->rank; i++) {
		int64_t last = from->shape[i] - to->shape[i];
		if (offsets->ints[i] < 0 || offsets->ints[i] > last || offsets->ints[i] % to->shape[i])
			verify_must(v, op, verify_text(v, "offset %u", i),
				    verify_text(v, "a multiple of %lld, at most %lld", (long long)to->shape[i],
						(long long)last),
				    verify_text(v, "%lld", (long long)offsets->ints[i]));
	}
	uint32_t rank = from->alloc_rank ? from->alloc_rank : from->rank;
	const int64_t *alloc = from->alloc_rank ? from->alloc : from->shape;
	uint32_t have = to->alloc_rank ? to->alloc_rank : to->rank;
	const int64_t *whole = to->alloc_rank ? to->alloc : to->shape;
	if (have != rank || memcmp(whole, alloc, rank * sizeof *alloc) != 0 || from->encoding != to->encoding)
		verify_must(v, op, "the result", "a part of what operand 0 is, in its layout",
			    ir_type_text(v->arena, to));
}

void verify_memdesc_trans(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0);
	IrAttr order = ir_get(op, v->cx, ATTR_ORDER);
	int64_t dims[IR_MAX_RANK];
	check_view(v, op);
	if (!is_order(order, from->rank)) {
		Text text;
		text_init(&text, v->arena);
		ir_print_attr(&text, order);
		verify_must(v, op, "attribute 'order'", verify_text(v, "an order of %u dimensions", from->rank), text.data);
		return;
	}
	for (uint32_t i = 0; i < from->rank; i++)
		dims[i] = from->shape[order->ints[i]];
	check_dims(v, op, "the result", from->elem, dims, from->rank, out(op));
}

void verify_memdesc_reshape(Verifier *v, const IrOp *op)
{
	check_view(v, op);
	verify_type(v, op, "the element of the result", in(op, 0)->elem, out(op)->elem);
	verify_number(v, op, "the number of elements of the result", elements(in(op, 0)), elements(out(op)));
}

void verify_memdesc_reinterpret(Verifier *v, const IrOp *op)
{
	int64_t have = elements(in(op, 0)) * in(op, 0)->elem->bits, want = elements(out(op)) * out(op)->elem->bits;
	check_view(v, op);
	if (want > have)
		verify_must(v, op, "the bits of the result", verify_text(v, "at most %lld", (long long)have),
			    verify_text(v, "%lld", (long long)want));
}

/* ---- asynchronous copies ---- */

void verify_async_copy(Verifier *v, const IrOp *op)
{
	IrType pointers = in(op, 0), memory = in(op, 1);
	int64_t contiguity = ir_get_int(op, v->cx, ATTR_COPY_CONTIGUITY, 1);
	if (!ir_is_tensor(pointers)) {
		verify_must(v, op, "operand 0", "a tile of pointers", ir_type_text(v->arena, pointers));
		return;
	}
	check_dims(v, op, "operand 1", pointers->elem->elem, pointers->shape, pointers->rank, memory);
	check_mutable(v, op, "operand 1", memory);
	if (op->operand_count > 2)
		verify_type(v, op, "operand 2", asm_infer(v->cx, 'm', pointers), in(op, 2));
	if (op->operand_count > 3)
		verify_type(v, op, "operand 3", asm_infer(v->cx, 'p', pointers), in(op, 3));
	if (op->operand_count > 4)
		verify_type(v, op, "operand 4", asm_infer(v->cx, 'c', pointers), in(op, 4));
	if (contiguity < 1 || !base_is_pow2((uint64_t)contiguity))
		verify_must(v, op, "attribute 'contiguity'", "a power of two",
			    verify_text(v, "%lld", (long long)contiguity));
}

/* The word of a barrier, one element of i64. */
void verify_barrier(Verifier *v, const IrOp *op)
{
	int64_t one = 1;
	check_dims(v, op, "operand 0", ir_scalar(v->cx, TY_I64), &one, 1, in(op, 0));
	check_mutable(v, op, "operand 0", in(op, 0));
}

/* A map's tile and the memory that it goes to or comes from. */
static void check_tile_of_map(Verifier *v, const IrOp *op, uint32_t first)
{
	IrType tile = in(op, 0)->elem;
	check_like(v, op, "operand 1", tile, in(op, 1));
	verify_indices(v, op, tile, op->operand_count - first);
}

void verify_tma_load(Verifier *v, const IrOp *op)
{
	int64_t one = 1;
	check_tile_of_map(v, op, 4);
	check_mutable(v, op, "operand 1", in(op, 1));
	check_dims(v, op, "operand 2", ir_scalar(v->cx, TY_I64), &one, 1, in(op, 2));
}

static bool is_part_along(IrType tile, IrType memory, uint32_t dim)
{
	return memory->rank == tile->rank && tile->rank && memory->shape[dim] &&
	       tile->shape[dim] % memory->shape[dim] == 0;
}

/* The memory, operand `at`, may be that of a part of the tile along the last dim, or of its rows;
 * indices come behind it. */
static void check_part_of_map(Verifier *v, const IrOp *op, uint32_t at)
{
	IrType tile = in(op, 0)->elem, memory = in(op, at);
	int64_t shape[IR_MAX_RANK];
	uint32_t last = tile->rank - 1;
	for (uint32_t k = 0; k < tile->rank; k++)
		shape[k] = tile->shape[k];
	bool columns = is_part_along(tile, memory, last) && memory->shape[last] < tile->shape[last];
	if (columns)
		shape[last] = memory->shape[last];
	else if (op->kind == OP_TMA_STORE && is_part_along(tile, memory, 0))
		shape[0] = memory->shape[0];
	check_dims(v, op, arena_printf(v->arena, "operand %u", at), tile->elem, shape, tile->rank, memory);
	verify_indices(v, op, tile, op->operand_count - at - 1);
}

void verify_tma_store(Verifier *v, const IrOp *op)
{
	check_part_of_map(v, op, 1);
}

void verify_tma_store_rows(Verifier *v, const IrOp *op)
{
	check_part_of_map(v, op, 2);
	check_like(v, op, "operand 1", in(op, 2), in(op, 1));
	check_mutable(v, op, "operand 2", in(op, 2));
}

void verify_async_wait(Verifier *v, const IrOp *op)
{
	int64_t num = ir_get_int(op, v->cx, ATTR_NUM, 0);
	if (num < 0)
		verify_must(v, op, "attribute 'num'", "at least 0", verify_text(v, "%lld", (long long)num));
}

/* ---- products of warp groups ---- */

void verify_warp_group_dot(Verifier *v, const IrOp *op)
{
	IrType a = in(op, 0), b = in(op, 1), c = in(op, 2);
	if (a->kind != TY_MEMDESC && !ir_is_tensor(a))
		verify_must(v, op, "operand 0", "memory or a tile", ir_type_text(v->arena, a));
	else if (b->kind != TY_MEMDESC && (!ir_is_tensor(b) || a->kind != TY_MEMDESC))
		verify_must(v, op, "operand 1", "memory, or a tile where operand 0 is memory", ir_type_text(v->arena, b));
	else if (verify_number(v, op, "the rank of operand 0", 2, a->rank) &&
		 verify_number(v, op, "the rank of operand 1", 2, b->rank) &&
		 verify_number(v, op, "the rank of operand 2", 2, c->rank) &&
		 verify_number(v, op, "K of operand 1", a->shape[1], b->shape[0]) &&
		 verify_number(v, op, "M of operand 2", a->shape[0], c->shape[0]) &&
		 verify_number(v, op, "N of operand 2", b->shape[1], c->shape[1]))
		verify_type(v, op, "the result", c, out(op));
}

void verify_warp_group_dot_wait(Verifier *v, const IrOp *op)
{
	int64_t pendings = ir_get_int(op, v->cx, ATTR_PENDINGS, 0);
	if (pendings < 0 || pendings > 7)
		verify_must(v, op, "attribute 'pendings'", "from 0 to 7", verify_text(v, "%lld", (long long)pendings));
	if (!verify_number(v, op, "the number of results", op->operand_count, op->result_count))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++)
		verify_type(v, op, verify_text(v, "result %u", i), in(op, i), op->results[i].type);
}

/* ---- warps of their own ---- */

/* The arguments of each partition are the operands. */
static void check_partition(Verifier *v, const IrOp *op, const IrOp *holder, uint32_t r)
{
	const IrBlock *block = holder->regions[r].first;
	if (!block || !verify_number(v, op, verify_text(v, "the number of arguments of partition %u", r),
				     op->operand_count, block->arg_count))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++)
		verify_type(v, op, verify_text(v, "argument %u of partition %u", i, r), in(op, i),
			    block->args[i]->type);
}

void verify_warp_specialize(Verifier *v, const IrOp *op)
{
	CONTRACT(op->region_count);
	IrAttr warps = ir_get(op, v->cx, ATTR_PARTITION_WARPS);
	IrAttr registers = ir_get(op, v->cx, ATTR_REQUESTED_REGISTERS);
	IrAttr actual = ir_get(op, v->cx, ATTR_ACTUAL_REGISTERS);
	const IrBlock *first = op->regions[0].first, *second = op->regions[1].first;
	const IrOp *yield = first ? ir_terminator(first) : NULL, *holder = second ? second->last : NULL;
	if (yield && yield->kind == OP_WARP_YIELD &&
	    verify_number(v, yield, "the number of operands", op->result_count, yield->operand_count))
		for (uint32_t i = 0; i < op->result_count; i++)
			verify_type(v, yield, verify_text(v, "operand %u", i), op->results[i].type, in(yield, i));
	if (!holder || holder->kind != OP_WARP_PARTITIONS)
		return;
	if (!verify_number(v, op, "the length of 'partitionNumWarps'", holder->region_count, warps->len))
		return;
	if (registers)
		verify_number(v, op, "the length of 'requestedRegisters'", warps->len, registers->len);
	if (actual)
		verify_number(v, op, "the length of 'actualRegisters'", warps->len + 1, actual->len);
	for (uint32_t r = 0; r < holder->region_count; r++) {
		if (warps->ints[r] < 1 || warps->ints[r] > 32 || !base_is_pow2((uint64_t)warps->ints[r]))
			verify_must(v, op, verify_text(v, "the warps of partition %u", r), "a power of two, at most 32",
				    verify_text(v, "%lld", (long long)warps->ints[r]));
		check_partition(v, op, holder, r);
	}
}

void verify_warp_partitions(Verifier *v, const IrOp *op)
{
	const IrOp *parent = ir_parent_op(op);
	if (!parent || parent->kind != OP_WARP_SPECIALIZE)
		verify_structure(v, op, "it must be in the second region of ttg.warp_specialize");
}
