/* Rules of single ops: shapes, element types and attributes that depend on each other. The letters of ops.def, the
 * kinds of attributes and the counts hold when a rule runs. */
#include "ir/verify/verify_int.h"

static IrType in(const IrOp *op, uint32_t i)
{
	return ir_operand(op, i)->type;
}

static IrType out(const IrOp *op)
{
	return op->results[0].type;
}

static const char *type_text(Verifier *v, IrType type)
{
	return ir_type_text(v->arena, type);
}

static bool check_elem(Verifier *v, const IrOp *op, const char *what, IrType expected, IrType found)
{
	return verify_type(v, op, verify_text(v, "the element of %s", what), ir_elem(expected), ir_elem(found));
}

static bool check_shape(Verifier *v, const IrOp *op, const char *what, IrType like, IrType found)
{
	return ir_same_shape(like, found) ||
	       verify_must(v, op, verify_text(v, "the shape of %s", what),
			   verify_text(v, "that of %s", type_text(v, like)), type_text(v, found));
}

/* A tile with given dimensions; layouts are free. */
static bool check_dims(Verifier *v, const IrOp *op, const char *what, IrType elem, const int64_t *dims, uint32_t rank,
		       IrType found)
{
	IrAttr encoding = ir_is_tensor(found) ? found->encoding : NULL;
	IrType expected = rank ? ir_tensor(v->cx, elem, dims, rank, encoding) : elem;
	return verify_type(v, op, what, expected, found);
}

static bool check_rank(Verifier *v, const IrOp *op, const char *what, uint32_t expected, IrType found)
{
	return verify_number(v, op, verify_text(v, "the rank of %s", what), expected,
			     ir_is_tensor(found) ? found->rank : 0);
}

static bool check_axis(Verifier *v, const IrOp *op, int64_t axis, uint32_t rank)
{
	return (axis >= 0 && axis < rank) ||
	       verify_must(v, op, "attribute 'axis'", verify_text(v, "from 0 to %u", rank - 1),
			   verify_text(v, "%lld", (long long)axis));
}

/* Each number from 0 to rank - 1 once. */
static bool check_permutation(Verifier *v, const IrOp *op, IrAttr order, uint32_t rank)
{
	uint32_t seen = 0;
	bool ok = order->len == rank;
	for (uint32_t i = 0; ok && i < rank; i++) {
		ok = order->ints[i] >= 0 && order->ints[i] < rank && !(seen >> order->ints[i] & 1);
		if (ok)
			seen |= 1u << order->ints[i];
	}
	if (ok)
		return true;
	Text text;
	text_init(&text, v->arena);
	ir_print_attr(&text, order);
	return verify_must(v, op, "attribute 'order'", verify_text(v, "an order of %u dimensions", rank), text.data);
}

/* ---- constants and conversions ---- */

void verify_constant(Verifier *v, const IrOp *op)
{
	IrAttr value = ir_get(op, v->cx, ATTR_VALUE);
	IrType type = value->kind == ATTR_KIND_BOOL ? ir_scalar(v->cx, TY_I1) : value->type;
	if (!ir_constant_of(&op->results[0]) || !type) {
		verify_must(v, op, "attribute 'value'", "a number or a tile of numbers", "another attribute");
		return;
	}
	verify_type(v, op, "the result", type, out(op));
}

static void check_width(Verifier *v, const IrOp *op, bool wider)
{
	uint32_t from = ir_elem(in(op, 0))->bits, to = ir_elem(out(op))->bits;
	if (wider ? to <= from : to >= from)
		verify_must(v, op, "the element of the result",
			    verify_text(v, wider ? "wider than %s" : "narrower than %s",
					type_text(v, ir_elem(in(op, 0)))),
			    type_text(v, ir_elem(out(op))));
}

void verify_widen(Verifier *v, const IrOp *op)
{
	check_width(v, op, true);
}

void verify_narrow(Verifier *v, const IrOp *op)
{
	check_width(v, op, false);
}

void verify_same_bits(Verifier *v, const IrOp *op)
{
	IrType from = ir_elem(in(op, 0)), to = ir_elem(out(op));
	if (ir_is_ptr(from) != ir_is_ptr(to) && op->kind == OP_BITCAST)
		verify_must(v, op, "the result", "a pointer exactly when the operand is", type_text(v, out(op)));
	else
		verify_number(v, op, "the bits of the result", from->bits, to->bits);
}

void verify_fp_to_fp(Verifier *v, const IrOp *op)
{
	if (ir_elem(out(op))->bits < ir_elem(in(op, 0))->bits && !ir_get(op, v->cx, ATTR_ROUNDING))
		VERIFY_FAIL(v, op, DIAG_VERIFY_MISSING, ir_op_info[op->kind].text, v->cx->names[ATTR_ROUNDING],
			    " where bits are lost");
}

void verify_address(Verifier *v, const IrOp *op)
{
	IrType number = op->kind == OP_INT_TO_PTR ? in(op, 0) : out(op);
	verify_type(v, op, "the element of the address", ir_scalar(v->cx, TY_I64), ir_elem(number));
}

void verify_select(Verifier *v, const IrOp *op)
{
	verify_type(v, op, "operand 2", in(op, 1), in(op, 2));
}

/* ---- shapes ---- */

void verify_make_range(Verifier *v, const IrOp *op)
{
	int64_t start = ir_get_int(op, v->cx, ATTR_START, 0), end = ir_get_int(op, v->cx, ATTR_END, 0);
	int64_t size = end - start;
	if (size <= 0) {
		verify_must(v, op, "attribute 'end'", verify_text(v, "above %lld, the start", (long long)start),
			    verify_text(v, "%lld", (long long)end));
		return;
	}
	check_dims(v, op, "the result", ir_scalar(v->cx, TY_I32), &size, 1, out(op));
}

void verify_splat(Verifier *v, const IrOp *op)
{
	check_elem(v, op, "the result", in(op, 0), out(op));
}

void verify_unsplat(Verifier *v, const IrOp *op)
{
	verify_number(v, op, "the number of elements of operand 0", 1, ir_numel(in(op, 0)));
	verify_type(v, op, "the result", in(op, 0)->elem, out(op));
}

void verify_expand_dims(Verifier *v, const IrOp *op)
{
	int64_t axis = ir_get_int(op, v->cx, ATTR_AXIS, 0), dims[IR_MAX_RANK];
	IrType from = in(op, 0);
	if (!check_axis(v, op, axis, from->rank + 1) || from->rank >= IR_MAX_RANK)
		return;
	for (uint32_t i = 0; i <= from->rank; i++)
		dims[i] = i < axis ? from->shape[i] : i == axis ? 1 : from->shape[i - 1];
	check_dims(v, op, "the result", from->elem, dims, from->rank + 1, out(op));
}

void verify_broadcast(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0), to = out(op);
	if (!check_elem(v, op, "the result", from, to) || !check_rank(v, op, "the result", from->rank, to))
		return;
	for (uint32_t i = 0; i < from->rank; i++)
		if (from->shape[i] != 1)
			verify_number(v, op, verify_text(v, "dimension %u of the result", i), from->shape[i],
				      to->shape[i]);
}

void verify_reshape(Verifier *v, const IrOp *op)
{
	check_elem(v, op, "the result", in(op, 0), out(op));
	verify_number(v, op, "the number of elements of the result", ir_numel(in(op, 0)), ir_numel(out(op)));
}

void verify_trans(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0);
	IrAttr order = ir_get(op, v->cx, ATTR_ORDER);
	int64_t dims[IR_MAX_RANK];
	if (!check_permutation(v, op, order, from->rank))
		return;
	for (uint32_t i = 0; i < from->rank; i++)
		dims[i] = from->shape[order->ints[i]];
	check_dims(v, op, "the result", from->elem, dims, from->rank, out(op));
}

void verify_cat(Verifier *v, const IrOp *op)
{
	verify_type(v, op, "operand 1", in(op, 0), in(op, 1));
	check_elem(v, op, "the result", in(op, 0), out(op));
	verify_number(v, op, "the number of elements of the result", 2 * ir_numel(in(op, 0)), ir_numel(out(op)));
}

void verify_join(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0);
	int64_t dims[IR_MAX_RANK];
	if (!verify_type(v, op, "operand 1", from, in(op, 1)) || from->rank >= IR_MAX_RANK)
		return;
	memcpy(dims, from->shape, from->rank * sizeof *dims);
	dims[from->rank] = 2;
	check_dims(v, op, "the result", from->elem, dims, from->rank + 1, out(op));
}

void verify_split(Verifier *v, const IrOp *op)
{
	IrType from = in(op, 0);
	if (!verify_number(v, op, "the last dimension of operand 0", 2, from->rank ? from->shape[from->rank - 1] : 0))
		return;
	for (uint32_t i = 0; i < 2; i++)
		check_dims(v, op, verify_text(v, "result %u", i), from->elem, from->shape, from->rank - 1,
			   op->results[i].type);
}

void verify_gather(Verifier *v, const IrOp *op)
{
	IrType source = in(op, 0), indices = in(op, 1);
	int64_t axis = ir_get_int(op, v->cx, ATTR_AXIS, 0);
	if (!ir_is_int(indices->elem))
		verify_must(v, op, "the element of operand 1", "an integer", type_text(v, indices->elem));
	if (!check_rank(v, op, "operand 1", source->rank, indices) || !check_axis(v, op, axis, source->rank))
		return;
	for (uint32_t i = 0; i < source->rank; i++)
		if (i != axis)
			verify_number(v, op, verify_text(v, "dimension %u of operand 1", i), source->shape[i],
				      indices->shape[i]);
	check_dims(v, op, "the result", source->elem, indices->shape, indices->rank, out(op));
}

/* ---- products ---- */

static void same_size(Verifier *v, const IrOp *op, const char *what, int64_t expected, const char *of, int64_t found)
{
	if (expected != found)
		verify_must(v, op, what, verify_text(v, "%lld, as in %s", (long long)expected, of),
			    verify_text(v, "%lld", (long long)found));
}

void verify_dot(Verifier *v, const IrOp *op)
{
	IrType a = in(op, 0), b = in(op, 1), c = in(op, 2);
	if (a->rank != 2 && a->rank != 3) {
		verify_must(v, op, "the rank of operand 0", "2 or 3", verify_text(v, "%u", a->rank));
		return;
	}
	if (!check_rank(v, op, "operand 1", a->rank, b) || !check_rank(v, op, "operand 2", a->rank, c))
		return;
	uint32_t m = a->rank - 2, n = a->rank - 1;
	if (a->rank == 3) {
		same_size(v, op, "the batch of operand 1", a->shape[0], "operand 0", b->shape[0]);
		same_size(v, op, "the batch of operand 2", a->shape[0], "operand 0", c->shape[0]);
	}
	same_size(v, op, "K of operand 1", a->shape[n], "operand 0", b->shape[m]);
	same_size(v, op, "M of operand 2", a->shape[m], "operand 0", c->shape[m]);
	same_size(v, op, "N of operand 2", b->shape[n], "operand 1", c->shape[n]);
	verify_number(v, op, "the bits of the elements of operand 1", a->elem->bits, b->elem->bits);
	if (ir_is_float(a->elem) != ir_is_float(b->elem))
		verify_must(v, op, "the element of operand 1",
			    ir_is_float(a->elem) ? "a float, as that of operand 0" : "an integer, as that of operand 0",
			    type_text(v, b->elem));
}

/* Elements along K: two to a byte in the 4-bit format where K is packed. */
static int64_t scaled_k(int64_t dim, int64_t format, bool packed)
{
	return format == SCALE_E2M1 && packed ? 2 * dim : dim;
}

static void check_scale(Verifier *v, const IrOp *op, uint32_t at, const char *side, int64_t rows, int64_t k)
{
	IrType scale = in(op, at);
	if (!check_rank(v, op, verify_text(v, "the scale of %s", side), 2, scale))
		return;
	verify_number(v, op, verify_text(v, "dimension 0 of the scale of %s", side), rows, scale->shape[0]);
	if (k != scale->shape[1] * 32 && k != scale->shape[1] * 16)
		verify_must(v, op, verify_text(v, "dimension 1 of the scale of %s", side),
			    verify_text(v, "K / 32 or K / 16, K being %lld", (long long)k),
			    verify_text(v, "%lld", (long long)scale->shape[1]));
}

void verify_dot_scaled(Verifier *v, const IrOp *op)
{
	IrType a = in(op, 0), b = in(op, 1), c = in(op, 2);
	bool scale_a = ir_get_bool(op, v->cx, ATTR_HAS_LHS_SCALE);
	bool scale_b = ir_get_bool(op, v->cx, ATTR_HAS_RHS_SCALE);
	IrAttr pack_a = ir_get(op, v->cx, ATTR_LHS_K_PACK), pack_b = ir_get(op, v->cx, ATTR_RHS_K_PACK);
	int64_t format_a = ir_get_int(op, v->cx, ATTR_LHS_FORMAT, 0);
	int64_t format_b = ir_get_int(op, v->cx, ATTR_RHS_FORMAT, 0);
	if (!verify_number(v, op, "the number of operands", 3 + scale_a + scale_b, op->operand_count) ||
	    !check_rank(v, op, "operand 0", 2, a) || !check_rank(v, op, "operand 1", 2, b) ||
	    !check_rank(v, op, "operand 2", 2, c))
		return;
	bool k_packed_a = !pack_a || pack_a->i, k_packed_b = !pack_b || pack_b->i;
	int64_t m = a->shape[0], n = b->shape[1];
	int64_t k = scaled_k(a->shape[1], format_a, k_packed_a);
	if (format_a == SCALE_E2M1 && !k_packed_a)
		m *= 2;
	if (format_b == SCALE_E2M1 && !k_packed_b)
		n *= 2;
	same_size(v, op, "K of operand 1", k, "operand 0", scaled_k(b->shape[0], format_b, k_packed_b));
	same_size(v, op, "M of operand 2", m, "operand 0", c->shape[0]);
	same_size(v, op, "N of operand 2", n, "operand 1", c->shape[1]);
	verify_type(v, op, "the result", c, out(op));
	if (scale_a)
		check_scale(v, op, 3, "operand 0", m, k);
	if (scale_b)
		check_scale(v, op, scale_a ? 4 : 3, "operand 1", n, k);
}

/* ---- elementwise with many operands ---- */

void verify_one_shape(Verifier *v, const IrOp *op)
{
	for (uint32_t i = 1; i < op->operand_count; i++)
		check_shape(v, op, verify_text(v, "operand %u", i), in(op, 0), in(op, i));
	for (uint32_t i = 0; op->operand_count && i < op->result_count; i++)
		check_shape(v, op, verify_text(v, "result %u", i), in(op, 0), op->results[i].type);
}

void verify_inline_asm(Verifier *v, const IrOp *op)
{
	int64_t packed = ir_get_int(op, v->cx, ATTR_PACKED_ELEMENT, 1);
	if (packed < 1)
		verify_must(v, op, "attribute 'packed_element'", "at least 1",
			    verify_text(v, "%lld", (long long)packed));
	verify_one_shape(v, op);
}

void verify_histogram(Verifier *v, const IrOp *op)
{
	IrType source = in(op, 0), to = out(op);
	if (!ir_is_int(source->elem))
		verify_must(v, op, "the element of operand 0", "an integer", type_text(v, source->elem));
	if (!ir_is_int(to->elem))
		verify_must(v, op, "the element of the result", "an integer", type_text(v, to->elem));
	check_rank(v, op, "operand 0", 1, source);
	check_rank(v, op, "the result", 1, to);
	if (op->operand_count > 1)
		check_shape(v, op, "operand 1", source, in(op, 1));
}

/* ---- memory ---- */

/* The type of what the pointers point to: a scalar, or a tile. */
static IrType pointee(Verifier *v, const IrOp *op)
{
	IrType ptr = in(op, 0);
	if (!ir_is_ptr(ir_elem(ptr))) {
		verify_must(v, op, "operand 0", "pointers", type_text(v, ptr));
		return NULL;
	}
	return asm_infer(v->cx, 'p', ptr);
}

static void check_mask(Verifier *v, const IrOp *op, uint32_t at)
{
	if (at >= op->operand_count)
		return;
	if (ir_is_block_ptr(in(op, 0)))
		verify_must(v, op, "a block pointer's access", "without a mask", type_text(v, in(op, at)));
	else
		check_shape(v, op, verify_text(v, "the mask, operand %u,", at), in(op, 0), in(op, at));
}

static void check_boundary(Verifier *v, const IrOp *op)
{
	IrAttr check = ir_get(op, v->cx, ATTR_BOUNDARY_CHECK);
	if (!check || !check->len)
		return;
	if (!ir_is_block_ptr(in(op, 0))) {
		verify_must(v, op, "attribute 'boundaryCheck'", "empty but for block pointers",
			    verify_text(v, "%u dimensions", check->len));
		return;
	}
	uint32_t rank = in(op, 0)->elem->rank;
	for (uint32_t i = 0; i < check->len; i++)
		if (check->ints[i] < 0 || check->ints[i] >= rank)
			verify_must(v, op, "a dimension of 'boundaryCheck'", verify_text(v, "from 0 to %u", rank - 1),
				    verify_text(v, "%lld", (long long)check->ints[i]));
}

void verify_load(Verifier *v, const IrOp *op)
{
	IrType value = pointee(v, op);
	if (!value)
		return;
	verify_type(v, op, "the result", value, out(op));
	check_mask(v, op, 1);
	if (op->operand_count > 2)
		verify_type(v, op, "operand 2", value, in(op, 2));
	check_boundary(v, op);
}

void verify_store(Verifier *v, const IrOp *op)
{
	IrType value = pointee(v, op);
	if (!value)
		return;
	verify_type(v, op, "operand 1", value, in(op, 1));
	check_mask(v, op, 2);
	check_boundary(v, op);
}

void verify_atomic_rmw(Verifier *v, const IrOp *op)
{
	IrType value = pointee(v, op);
	int64_t kind = ir_get_int(op, v->cx, ATTR_RMW_OP, 0);
	if (!value)
		return;
	verify_type(v, op, "operand 1", value, in(op, 1));
	verify_type(v, op, "the result", value, out(op));
	check_mask(v, op, 2);
	bool wants_float = kind == RMW_FADD;
	if (kind != RMW_XCHG && ir_is_float(ir_elem(value)) != wants_float)
		verify_must(v, op, "the element of operand 1", wants_float ? "a float" : "an integer",
			    type_text(v, ir_elem(value)));
}

void verify_atomic_cas(Verifier *v, const IrOp *op)
{
	IrType value = pointee(v, op);
	if (!value)
		return;
	verify_type(v, op, "operand 1", value, in(op, 1));
	verify_type(v, op, "operand 2", value, in(op, 2));
	verify_type(v, op, "the result", value, out(op));
}

/* Operands [from, to) of one scalar type. */
static void check_scalars(Verifier *v, const IrOp *op, uint32_t from, uint32_t to, IrTypeKind kind)
{
	for (uint32_t i = from; i < to; i++)
		verify_type(v, op, verify_text(v, "operand %u", i), ir_scalar(v->cx, kind), in(op, i));
}

void verify_make_tensor_ptr(Verifier *v, const IrOp *op)
{
	IrType tile = out(op)->elem;
	uint32_t rank = tile->rank;
	if (!verify_number(v, op, "the number of operands", 1 + 3 * (int64_t)rank, op->operand_count))
		return;
	verify_type(v, op, "what operand 0 points to", tile->elem, in(op, 0)->elem);
	check_scalars(v, op, 1, 1 + 2 * rank, TY_I64);
	check_scalars(v, op, 1 + 2 * rank, 1 + 3 * rank, TY_I32);
	check_permutation(v, op, ir_get(op, v->cx, ATTR_ORDER), rank);
}

void verify_advance(Verifier *v, const IrOp *op)
{
	verify_number(v, op, "the number of offsets", in(op, 0)->elem->rank, op->operand_count - 1);
}

void verify_make_tensor_desc(Verifier *v, const IrOp *op)
{
	IrType tile = out(op)->elem;
	uint32_t rank = tile->rank;
	if (!verify_number(v, op, "the number of operands", 1 + 2 * (int64_t)rank, op->operand_count))
		return;
	verify_type(v, op, "what operand 0 points to", tile->elem, in(op, 0)->elem);
	check_scalars(v, op, 1, 1 + rank, TY_I32);
	check_scalars(v, op, 1 + rank, 1 + 2 * rank, TY_I64);
}

/* The block of a descriptor and the tile that is moved: leading dimensions of size 1 may be left out. */
static void check_block(Verifier *v, const IrOp *op, const char *what, IrType block, IrType tile)
{
	check_elem(v, op, what, block, tile);
	verify_number(v, op, verify_text(v, "the number of elements of %s", what), ir_numel(block), ir_numel(tile));
}

void verify_desc_load(Verifier *v, const IrOp *op)
{
	IrType block = in(op, 0)->elem;
	check_block(v, op, "the result", block, out(op));
	verify_indices(v, op, block, op->operand_count - 1);
}

void verify_desc_store(Verifier *v, const IrOp *op)
{
	IrType block = in(op, 0)->elem;
	check_block(v, op, "operand 1", block, in(op, 1));
	verify_indices(v, op, block, op->operand_count - 2);
}

/* Gather and scatter: the block is one row, the row numbers are a tile of rank 1. */
void verify_desc_rows(Verifier *v, const IrOp *op)
{
	IrType block = in(op, 0)->elem, rows = in(op, 1);
	IrType tile = op->kind == OP_DESC_GATHER ? out(op) : in(op, 3);
	if (!verify_number(v, op, "the rank of the descriptor's block", 2, block->rank) ||
	    !check_rank(v, op, "operand 1", 1, rows))
		return;
	verify_number(v, op, "dimension 0 of the descriptor's block", 1, block->shape[0]);
	verify_type(v, op, "the element of operand 1", ir_scalar(v->cx, TY_I32), rows->elem);
	int64_t dims[2] = {rows->shape[0], block->shape[1]};
	check_dims(v, op, op->kind == OP_DESC_GATHER ? "the result" : "operand 3", block->elem, dims, 2, tile);
}

void verify_print(Verifier *v, const IrOp *op)
{
	verify_number(v, op, "the length of 'isSigned'", op->operand_count, ir_get(op, v->cx, ATTR_IS_SIGNED)->len);
}
