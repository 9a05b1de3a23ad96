/* Block pointers (make_block_ptr, advance) and tensor descriptors (TMA). */
#include "front/demote.h"
#include "front/tile/sem_desc.h"

/* One of shape, strides (64 bits) or offsets (32 bits) as an IR scalar; NULL after diagnosing. */
static IrValue *index_value(FrontLower *low, const char *what, const char *arg, const Val *v, bool wide)
{
	TlType type = tl_scalar(low, wide ? DT_INT64 : DT_INT32);
	int64_t i;
	if (val_demoted(v) && val_demoted(v)->value->kind == VAL_INT) {
		const Val *t = demoted_tensor(low, v, type, true);
		return sem_is_poison(t) ? NULL : sem_ir(t);
	}
	if (!sem_is_tensor(v)) {
		v = val_known(v);
		if (v->kind == VAL_BOOL || v->kind != VAL_INT || !val_as_int(v, &i) ||
		    (!wide && (i < INT32_MIN || i > INT32_MAX))) {
			lower_error(low, DIAG_TILE_INDEX_VALUE, what, arg, wide ? "64-bit" : "32-bit",
				    sem_describe(low, v));
			return NULL;
		}
		return irb_int(&low->b, type->ir, i);
	}
	bool is_int = sem_is_tile(v) && tl_is_int(sem_elem(v)) && tl_numel(sem_type(v)) == 1;
	if (!is_int || (!wide && tl_bits(sem_elem(v)) == 64)) {
		lower_error(low, DIAG_TILE_INDEX_VALUE, what, arg, wide ? "64-bit" : "32-bit",
			    sem_describe(low, v));
		return NULL;
	}
	return sem_ir(sem_cast(low, sem_unsplat(low, what, v), type));
}

/* A list of `len` of them into out. */
static bool index_values(FrontLower *low, const char *what, const char *arg, const Val *list, uint32_t len,
			 bool wide,
			 IrValue **out)
{
	const Val *const *items = sem_is_seq(list) ? list->seq.items : &list;
	uint32_t count = sem_is_seq(list) ? list->seq.len : 1;
	if (count != len) {
		lower_error(low, DIAG_TILE_LENGTHS, what, arg, count, len);
		return false;
	}
	for (uint32_t i = 0; i < len; i++) {
		out[i] = index_value(low, what, arg, items[i], wide);
		if (!out[i])
			return false;
	}
	return true;
}

static bool pointer_base(FrontLower *low, const char *what, const Val *base)
{
	if (sem_is_tile(base) && tl_is_ptr(sem_type(base)) && !tl_is_block_ptr(sem_type(base)))
		return true;
	lower_error(low, DIAG_TILE_POINTER_EXPECTED, what, sem_describe(low, base));
	return false;
}

const Val *sem_make_block_ptr(FrontLower *low, const Val *base, const Val *shape, const Val *strides,
			      const Val *offsets,
			      const Val *block_shape, const Val *order)
{
	static const char what[] = "tl.make_block_ptr";
	SemInts block, dims;
	if (!pointer_base(low, what, base) || !sem_arg_shape(low, what, block_shape, &block) ||
	    !sem_check_pow2(low, what, block.at, block.len) || !sem_arg_ints(low, what, "order", order,
	    		&dims))
		return low->poison;
	uint32_t rank = block.len, seen = 0;
	for (uint32_t i = 0; i < dims.len; i++)
		seen |= dims.at[i] >= 0 && dims.at[i] < (int64_t)rank ? 1u << dims.at[i] : 0;
	if (dims.len != rank || seen != (1u << rank) - 1)
		return lower_error(low, DIAG_TILE_PERMUTE, what, tl_shape_text(low, dims.at, dims.len), rank);
	IrValue *operands[1 + 3 * IR_MAX_RANK];
	TlType p = sem_type(base);
	if (tl_is(p->elem, DT_INT1))
		base = sem_cast(low, base, tl_ptr(low, tl_scalar(low, DT_INT8), p->is_const, p->space));
	p = sem_type(base);
	operands[0] = sem_ir(base);
	if (!index_values(low, what, "shape", shape, rank, true, operands + 1) ||
	    !index_values(low, what, "strides", strides, rank, true, operands + 1 + rank) ||
	    !index_values(low, what, "offsets", offsets, rank, false, operands + 1 + 2 * rank))
		return low->poison;
	TlType type = tl_ptr(low, tl_block(low, p->elem, block.at, rank), p->is_const, p->space);
	IrOp *op = irb_op(&low->b, OP_MAKE_TENSOR_PTR, operands, 1 + 3 * rank, &type->ir, 1, 0);
	ir_set(low->m, op, ATTR_ORDER, ir_attr_ints(low->cx, ir_scalar(low->cx, TY_I32), dims.at, rank));
	return sem_make(low, ir_result(op, 0), type);
}

const Val *sem_advance(FrontLower *low, const Val *ptr, const Val *offsets)
{
	if (!sem_is_tile(ptr) || !tl_is_block_ptr(sem_type(ptr)))
		return lower_error(low, DIAG_TILE_BLOCK_PTR_EXPECTED, "tl.advance", sem_describe(low, ptr));
	IrValue *operands[1 + IR_MAX_RANK] = {sem_ir(ptr)};
	uint32_t rank = sem_type(ptr)->elem->rank;
	if (!index_values(low, "tl.advance", "offsets", offsets, rank, false, operands + 1))
		return low->poison;
	IrOp *op = irb_op(&low->b, OP_ADVANCE, operands, 1 + rank, &sem_type(ptr)->ir, 1, 0);
	return sem_make(low, ir_result(op, 0), sem_type(ptr));
}

/* ---- descriptors ---- */

static bool contiguous(const Val *strides)
{
	CONTRACT(strides->kind == VAL_TUPLE || strides->kind == VAL_LIST);
	const Val *last = strides->seq.items[strides->seq.len - 1];
	int64_t one;
	return val_as_int(last, &one) && one == 1;
}

static bool desc_block(FrontLower *low, const char *what, const Val *base, const Val *block_shape,
		       SemInts *block)
{
	if (!sem_arg_shape(low, what, block_shape, block) || !sem_check_pow2(low, what, block->at,
			block->len))
		return false;
	unsigned bytes = tl_bits(sem_type(base)->elem) / 8;
	if (block->len < 1 || block->len > 5) {
		lower_error(low, DIAG_TILE_DESC_RANK, what, block->len);
		return false;
	}
	int64_t last = block->at[block->len - 1] * (bytes ? bytes : 1);
	if (last < 16) {
		lower_error(low, DIAG_TILE_DESC_BYTES, what, (long long)last);
		return false;
	}
	return true;
}

const Val *sem_make_desc(FrontLower *low, const Val *base, const Val *shape, const Val *strides,
			 const Val *block_shape,
			 const char *padding)
{
	static const char what[] = "tl.make_tensor_descriptor";
	static const char *const words[] = {"", "zero", "nan", NULL};
	static const int values[] = {PAD_ZERO, PAD_ZERO, PAD_NAN};
	SemInts block;
	if (!pointer_base(low, what, base) || !desc_block(low, what, base, block_shape, &block))
		return low->poison;
	uint32_t rank = block.len;
	TlType elem = sem_type(base)->elem;
	int pad = sem_option(low, what, "padding_option", padding, words, values);
	if (!pad)
		return low->poison;
	if (pad == PAD_NAN && tl_is_int(elem))
		return lower_error(low, DIAG_TILE_PADDING_NAN, what,
				   tl_describe(low, tl_block(low, elem, block.at, rank)));
	const Val *const lists[] = {shape, strides};
	static const char *const names[] = {"shape", "strides"};
	IrValue *operands[1 + 2 * 5] = {sem_ir(base)};
	for (uint32_t l = 0; l < 2; l++) {
		if (!sem_is_seq(lists[l]) || lists[l]->seq.len != rank)
			return lower_error(low, DIAG_TILE_LENGTHS, what, names[l],
					   sem_is_seq(lists[l]) ? lists[l]->seq.len : 1, rank);
		if (l && !contiguous(strides))
			return lower_error(low, DIAG_TILE_DESC_STRIDE, what,
					   sem_describe(low, strides->seq.items[rank - 1]));
		for (uint32_t i = 0; i < rank; i++) {
			const Val *v = sem_scalar_of(low, what, lists[l]->seq.items[i],
						     tl_scalar(low, l ? DT_INT64 : DT_INT32));
			if (sem_is_poison(v))
				return v;
			operands[1 + l * rank + i] = sem_ir(v);
		}
	}
	TlType type = tl_desc(low, tl_block(low, elem, block.at, rank), sem_type(base)->is_const);
	IrOp *op = irb_op(&low->b, OP_MAKE_TENSOR_DESC, operands, 1 + 2 * rank, &type->ir, 1, 0);
	if (pad == PAD_NAN)
		ir_set(low->m, op, ATTR_PADDING, ir_attr_i32(low->cx, pad));
	return sem_make(low, ir_result(op, 0), type);
}

/* A descriptor that a kernel gets is followed by its shape and strides in the function's
 * arguments. */
static void argument_extents(const IrValue *desc, uint32_t rank, bool strides, IrValue **out)
{
	const IrBlock *block = desc->block;
	uint32_t from = desc->index + 1 + (strides ? rank : 0);
	ASSERT(block && from + rank <= block->arg_count);
	for (uint32_t i = 0; i < rank; i++) {
		out[i] = block->args[from + i];
		ASSERT(out[i]->type->kind == (strides ? TY_I64 : TY_I32));
	}
}

void sem_desc_parts(const Val *desc, bool strides, IrValue **parts)
{
	CONTRACT(desc->kind == VAL_TENSOR);
	IrValue *ir = sem_ir(desc);
	uint32_t rank = sem_type(desc)->elem->rank;
	if (desc->tensor.extents) {
		memcpy(parts, desc->tensor.extents + (strides ? rank : 0), rank * sizeof(IrValue *));
	} else if (ir->def && ir->def->kind == OP_MAKE_TENSOR_DESC) {
		for (uint32_t i = 0; i < rank; i++)
			parts[i] = ir_operand(ir->def, 1 + (strides ? rank : 0) + i);
	} else {
		argument_extents(ir, rank, strides, parts);
	}
}

const Val *sem_desc_extents(FrontLower *low, const Val *desc, bool strides)
{
	IrValue *parts[5];
	uint32_t rank = sem_type(desc)->elem->rank;
	sem_desc_parts(desc, strides, parts);
	const Val *items[5];
	for (uint32_t i = 0; i < rank; i++)
		items[i] = sem_make(low, parts[i], tl_scalar(low, strides ? DT_INT64 : DT_INT32));
	return val_tuple(low, items, rank);
}

static bool desc_expected(FrontLower *low, const char *what, const Val *desc)
{
	if (sem_is_desc(desc))
		return true;
	lower_error(low, DIAG_TILE_DESC_EXPECTED, what, sem_describe(low, desc));
	return false;
}

const Val *sem_desc_load(FrontLower *low, const char *what, const Val *desc, const Val *offsets)
{
	if (!desc_expected(low, what, desc))
		return low->poison;
	TlType block = sem_type(desc)->elem;
	IrValue *operands[1 + 5] = {sem_ir(desc)};
	if (!index_values(low, what, "offsets", offsets, block->rank, false, operands + 1))
		return low->poison;
	IrOp *op = irb_op(&low->b, OP_DESC_LOAD, operands, 1 + block->rank, &block->ir, 1, 0);
	return sem_make(low, ir_result(op, 0), block);
}

static bool can_store(FrontLower *low, const char *what, const Val *desc)
{
	if (!desc_expected(low, what, desc))
		return false;
	if (sem_type(desc)->is_const)
		lower_error(low, DIAG_TILE_STORE_CONST, what, sem_describe(low, desc));
	return !sem_type(desc)->is_const;
}

/* Operands of a store or reduction: descriptor, value, indices. NULL after diagnosing. */
static IrOp *store_like(FrontLower *low, const char *what, IrOpKind kind, const Val *desc, const Val *offsets,
			const Val *value)
{
	if (!can_store(low, what, desc))
		return NULL;
	TlType block = sem_type(desc)->elem;
	IrValue *operands[2 + 5] = {sem_ir(desc)};
	if (!index_values(low, what, "offsets", offsets, block->rank, false, operands + 2))
		return NULL;
	if (!sem_is_tile(value) || tl_with_elem(low, sem_type(value), block->elem) != block) {
		lower_error(low, DIAG_TILE_BLOCK_STORE, what, sem_describe(low, value),
			    tl_describe(low, block));
		return NULL;
	}
	value = sem_cast(low, value, block->elem);
	if (sem_is_poison(value))
		return NULL;
	operands[1] = sem_ir(value);
	return irb_op(&low->b, kind, operands, 2 + block->rank, NULL, 0, 0);
}

const Val *sem_desc_store(FrontLower *low, const char *what, const Val *desc, const Val *offsets,
			  const Val *value)
{
	return store_like(low, what, OP_DESC_STORE, desc, offsets, value) ? low->none : low->poison;
}

static bool reduce_dtype(IrDescReduce kind, TlType t)
{
	if (kind == DESC_ADD)
		return tl_is(t, DT_UINT32) || tl_is(t, DT_INT32) || tl_is(t, DT_UINT64) ||
		       tl_is(t, DT_FP32) || tl_is(t, DT_FP16) || tl_is(t, DT_BF16);
	bool is_int = tl_is_int(t) && tl_bits(t) >= 32;
	return is_int || ((kind == DESC_MIN || kind == DESC_MAX) && (tl_is(t, DT_FP16) || tl_is(t, DT_BF16)));
}

const Val *sem_desc_reduce(FrontLower *low, const char *what, IrDescReduce kind, const Val *desc,
			   const Val *offsets,
			   const Val *value)
{
	if (!desc_expected(low, what, desc))
		return low->poison;
	TlType elem = sem_type(desc)->elem->elem;
	if (!reduce_dtype(kind, elem))
		return lower_error(low, DIAG_TILE_ATOMIC_DTYPE, what, tl_describe(low, elem));
	IrOp *op = store_like(low, what, OP_DESC_REDUCE, desc, offsets, value);
	if (!op)
		return low->poison;
	ir_set(low->m, op, ATTR_REDUCE_KIND, ir_attr_i32(low->cx, kind));
	return low->none;
}

/* gather and scatter: a descriptor of one row, at
 * least 8 row numbers, at least 32 bytes of columns. */
static IrValue *rows_ok(FrontLower *low, const char *what, const Val *desc, const Val *rows,
			const Val *column)
{
	if (!desc_expected(low, what, desc))
		return NULL;
	TlType block = sem_type(desc)->elem;
	int64_t columns = 32 / tl_bits(block->elem) * 8;
	if (block->rank != 2 || block->shape[0] != 1 || block->shape[1] < columns) {
		lower_error(low, DIAG_TILE_DESC_ROWS, what, tl_describe(low, block), (long long)columns);
		return NULL;
	}
	if (!sem_is_tile(rows) || !tl_is_block(sem_type(rows)) || sem_type(rows)->rank != 1 ||
	    sem_type(rows)->shape[0] < 8 || !tl_is_int(sem_elem(rows))) {
		lower_error(low, DIAG_TILE_DESC_ROW_NUMBERS, what, sem_describe(low, rows));
		return NULL;
	}
	return index_value(low, what, "y_offset", column, false);
}

const Val *sem_desc_gather(FrontLower *low, const Val *desc, const Val *rows, const Val *column)
{
	IrValue *y = rows_ok(low, "descriptor.gather", desc, rows, column);
	if (!y)
		return low->poison;
	TlType block = sem_type(desc)->elem;
	int64_t shape[2] = {sem_type(rows)->shape[0], block->shape[1]};
	if (!sem_check_shape(low, "descriptor.gather", shape, 2))
		return low->poison;
	TlType type = tl_block(low, block->elem, shape, 2);
	rows = sem_cast(low, rows, tl_scalar(low, DT_INT32));
	return sem_make(low, irb_3(&low->b, OP_DESC_GATHER, type->ir, sem_ir(desc), sem_ir(rows), y), type);
}

const Val *sem_desc_scatter(FrontLower *low, const Val *desc, const Val *value, const Val *rows,
			    const Val *column)
{
	static const char what[] = "descriptor.scatter";
	IrValue *y = can_store(low, what, desc) ? rows_ok(low, what, desc, rows, column) : NULL;
	if (!y)
		return low->poison;
	TlType block = sem_type(desc)->elem;
	int64_t shape[2] = {sem_type(rows)->shape[0], block->shape[1]};
	TlType want = tl_block(low, block->elem, shape, 2);
	if (!sem_is_tile(value) || tl_with_elem(low, sem_type(value), block->elem) != want)
		return lower_error(low, DIAG_TILE_BLOCK_STORE, what, sem_describe(low, value),
				   tl_describe(low, want));
	value = sem_cast(low, value, block->elem);
	rows = sem_cast(low, rows, tl_scalar(low, DT_INT32));
	if (sem_is_poison(value))
		return value;
	IrValue *operands[4] = {sem_ir(desc), sem_ir(rows), y, sem_ir(value)};
	irb_op(&low->b, OP_DESC_SCATTER, operands, 4, NULL, 0, 0);
	return low->none;
}
