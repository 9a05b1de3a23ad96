/* Operations with a function inside: reduce,
 * associative_scan, map_elementwise; and histogram, gather. */
#include "front/tile/sem_reduce.h"

enum { MAX_INPUTS = 32 };

typedef struct Inputs {
	const Val *v[MAX_INPUTS];
	uint32_t count;
	bool single; /* a tensor, not a tuple: so is the result */
} Inputs;

/* One tensor or a tuple of them, all of one shape. */
static bool gather_inputs(FrontLower *low, const char *what, const Val *input, Inputs *out)
{
	*out = (Inputs){.single = !sem_is_seq(input)};
	const Val *const *items = out->single ? &input : input->seq.items;
	out->count = out->single ? 1 : input->seq.len;
	if (out->count == 0 || out->count > MAX_INPUTS) {
		lower_error(low, DIAG_TILE_INPUT_COUNT, what, out->count, MAX_INPUTS);
		return false;
	}
	for (uint32_t i = 0; i < out->count; i++) {
		const Val *v = sem_arg_tensor(low, what, "input", items[i]);
		if (!v)
			return false;
		out->v[i] = v;
		TlType t = sem_type(v), first = sem_type(out->v[0]);
		if (!tl_is_block(t)) {
			lower_error(low, DIAG_TILE_TILE_EXPECTED, what, sem_describe(low, v));
			return false;
		}
		if (tl_with_elem(low, t, first->elem) != first) {
			lower_error(low, DIAG_TILE_INPUT_SHAPES, what, tl_describe(low, first),
				    tl_describe(low, t));
			return false;
		}
	}
	return true;
}

static const Val *results_of(FrontLower *low, const Inputs *in, const Val **results)
{
	return in->single ? results[0] : val_tuple(low, results, in->count);
}

/* The op with its body: fn on two groups of scalars, accumulated and new. NULL after diagnosing. */
static IrOp *combine(FrontLower *low, IrOpKind kind, IrOpKind terminator, const Inputs *in, uint32_t axis,
		     const Val *fn,
		     const IrType *results)
{
	IrValue *operands[MAX_INPUTS];
	TlType types[2 * MAX_INPUTS];
	for (uint32_t i = 0; i < in->count; i++) {
		operands[i] = sem_ir(in->v[i]);
		types[i] = types[in->count + i] = sem_elem(in->v[i]);
	}
	IrOp *op = irb_op(&low->b, kind, operands, in->count, results, in->count, 1);
	ir_set(low->m, op, ATTR_AXIS, ir_attr_i32(low->cx, axis));
	bool ok =
		lower_region_of(low, &op->regions[0], fn, types, 2 * in->count, terminator, types, in->count);
	return ok ? op : NULL;
}

/* The same where some elements are padding: each takes a flag along that says it is none. */
static IrOp *combine_valid(FrontLower *low, IrOpKind kind, IrOpKind terminator, const Inputs *in,
		const Val *valid,
			   uint32_t axis, const Val *fn, const IrType *results)
{
	Inputs flagged = {.count = in->count + 1};
	IrType types[MAX_INPUTS];
	if (flagged.count > MAX_INPUTS) {
		lower_error(low, DIAG_TILE_INPUT_COUNT, "tl.reduce", flagged.count, MAX_INPUTS);
		return NULL;
	}
	flagged.v[0] = sem_cast(low, valid, tl_scalar(low, DT_INT32));
	IrType i32 = tl_scalar(low, DT_INT32)->ir;
	types[0] = results[0]->rank ? ir_with_elem(low->cx, results[0], i32) : i32;
	for (uint32_t i = 0; i < in->count; i++) {
		flagged.v[i + 1] = in->v[i];
		types[i + 1] = results[i];
	}
	Val *method = ARENA_NEW(low->arena, Val);
	method->kind = VAL_METHOD;
	method->method.callee = lower_lib_name(low, "standard", "_combine_valid");
	method->method.self = fn;
	return combine(low, kind, terminator, &flagged, axis, method, types);
}

static TlType without_axis(FrontLower *low, TlType t, uint32_t axis)
{
	int64_t shape[IR_MAX_RANK];
	uint32_t rank = 0;
	for (uint32_t i = 0; i < t->rank; i++) {
		if (i != axis)
			shape[rank++] = t->shape[i];
	}
	return tl_block(low, t->elem, shape, rank);
}

static bool callable(FrontLower *low, const char *what, const Val *fn)
{
	if (fn->kind == VAL_FUNCTION || fn->kind == VAL_BUILTIN || fn->kind == VAL_METHOD)
		return true;
	lower_error(low, DIAG_TILE_FUNCTION_EXPECTED, what, sem_describe(low, fn));
	return false;
}

const Val *sem_reduce(FrontLower *low, const Val *input, const Val *axis, const Val *fn, bool keep_dims)
{
	CONTRACT(!sem_is_poison(input));
	Inputs in;
	uint32_t dim = 0;
	if (!gather_inputs(low, "tl.reduce", input, &in) || !callable(low, "tl.reduce", fn))
		return low->poison;
	uint32_t rank = sem_type(in.v[0])->rank;
	bool all = axis->kind == VAL_NONE;
	if (!all && !sem_arg_axis(low, "tl.reduce", axis, rank, &dim))
		return low->poison;
	const Val *valid = sem_valid(low, sem_type(in.v[0]), all ? -1 : (int)dim);
	if (all) {
		for (uint32_t i = 0; valid && i < in.count; i++)
			in.v[i] = sem_whole(low, in.v[i]);
		int64_t numel = tl_numel(sem_type(in.v[0]));
		if (valid)
			valid = sem_reshape(low, "tl.reduce", sem_whole(low, valid), &numel, 1, true);
		for (uint32_t i = 0; i < in.count; i++)
			in.v[i] = sem_reshape(low, "tl.reduce", in.v[i], &numel, 1, true);
	}
	IrType ir[MAX_INPUTS];
	TlType types[MAX_INPUTS];
	for (uint32_t i = 0; i < in.count; i++) {
		types[i] = without_axis(low, sem_type(in.v[i]), dim);
		ir[i] = types[i]->ir;
	}
	IrOp *op = combine(low, OP_REDUCE, OP_REDUCE_RETURN, &in, dim, fn, ir);
	uint32_t first = 0;
	if (op && valid && !sem_fill_neutral(low, op, sem_type(in.v[0]), valid)) {
		ir_op_erase(op);
		op = combine_valid(low, OP_REDUCE, OP_REDUCE_RETURN, &in, valid, dim, fn, ir);
		first = 1;
	}
	if (!op)
		return low->poison;
	const Val *results[MAX_INPUTS];
	for (uint32_t i = 0; i < in.count; i++) {
		results[i] = sem_make(low, ir_result(op, first + i), types[i]);
		uint32_t dims = !keep_dims ? 0 : all ? rank : 1;
		for (uint32_t d = 0; d < dims; d++)
			results[i] = sem_expand_dims(low, results[i], all ? 0 : dim);
	}
	return results_of(low, &in, results);
}

const Val *sem_scan(FrontLower *low, const Val *input, const Val *axis, const Val *fn, bool reverse)
{
	CONTRACT(!sem_is_poison(input));
	Inputs in;
	uint32_t dim;
	if (!gather_inputs(low, "tl.associative_scan", input, &in) ||
	    !callable(low, "tl.associative_scan", fn) ||
	    !sem_arg_axis(low, "tl.associative_scan", axis, sem_type(in.v[0])->rank, &dim))
		return low->poison;
	IrType ir[MAX_INPUTS];
	for (uint32_t i = 0; i < in.count; i++)
		ir[i] = sem_type(in.v[i])->ir;
	/* What is behind the last element counts when the scan begins there. */
	const Val *valid = reverse ? sem_valid(low, sem_type(in.v[0]), (int)dim) : NULL;
	IrOp *op = combine(low, OP_SCAN, OP_SCAN_RETURN, &in, dim, fn, ir);
	uint32_t first = 0;
	if (op && valid && !sem_fill_neutral(low, op, sem_type(in.v[0]), valid)) {
		ir_op_erase(op);
		op = combine_valid(low, OP_SCAN, OP_SCAN_RETURN, &in, valid, dim, fn, ir);
		first = 1;
	}
	if (!op)
		return low->poison;
	ir_set(low->m, op, ATTR_REVERSE, ir_attr_bool(low->cx, reverse));
	const Val *results[MAX_INPUTS];
	for (uint32_t i = 0; i < in.count; i++)
		results[i] = sem_make(low, ir_result(op, first + i), sem_type(in.v[i]));
	return results_of(low, &in, results);
}

/* ---- map_elementwise ---- */

/* Operands of the op, and the types of the scalars that the function takes: `pack` of each
 * operand. */
static bool map_operands(FrontLower *low, const Val *args, int64_t pack, const Val **in, IrValue **operands,
			 TlType *types)
{
	CONTRACT(args->kind == VAL_TUPLE || args->kind == VAL_LIST);
	uint32_t count = args->seq.len, n = 0;
	for (uint32_t i = 0; i < count; i++) {
		in[i] = sem_arg_tensor(low, "tl.map_elementwise", "args", args->seq.items[i]);
		if (!in[i])
			return false;
	}
	if (!sem_broadcast_all(low, in, count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		operands[i] = sem_ir(in[i]);
		for (int64_t j = 0; j < pack; j++)
			types[n++] = sem_elem(in[i]);
	}
	return true;
}

/* Elements that the function takes together follow one another in rows. Where a row has fewer, the
 * operands become rows of all their elements, and `shape` says of which shape they were. NULL:
 * they stay; false after diagnosing. */
static bool map_rows(FrontLower *low, const Val **in, IrValue **operands, uint32_t count, int64_t pack,
		     TlType *shape)
{
	TlType t = sem_type(in[0]);
	*shape = NULL;
	if (!tl_is_block(t)) {
		lower_error(low, DIAG_TILE_TILE_EXPECTED, "tl.map_elementwise", sem_describe(low, in[0]));
		return false;
	}
	int64_t numel = tl_numel(t);
	if (numel % pack) {
		lower_error(low, DIAG_TILE_MAP_GROUPS, (long long)pack, tl_describe(low, t));
		return false;
	}
	if (t->shape[t->rank - 1] % pack == 0)
		return true;
	*shape = t;
	for (uint32_t i = 0; i < count; i++) {
		in[i] = sem_reshape(low, "tl.map_elementwise", in[i], &numel, 1, false);
		operands[i] = sem_ir(in[i]);
	}
	return true;
}

/* The result types are known only when the body is there: it is lowered into the region of an op
 * without results, then the real op takes the region over. */
const Val *sem_map_elementwise(FrontLower *low, const Val *fn, const Val *args, int64_t pack)
{
	CONTRACT(args->kind == VAL_TUPLE || args->kind == VAL_LIST);
	static const char what[] = "tl.map_elementwise";
	const Val *in[MAX_INPUTS], *out[MAX_INPUTS];
	IrValue *operands[MAX_INPUTS];
	TlType types[MAX_INPUTS], returned[MAX_INPUTS];
	IrType ir[MAX_INPUTS];
	uint32_t count = args->seq.len, step = (uint32_t)pack, returned_count = MAX_INPUTS;
	if (!callable(low, what, fn))
		return low->poison;
	if (count == 0 || (uint64_t)count * step > MAX_INPUTS)
		return lower_error(low, DIAG_TILE_INPUT_COUNT, what, count, MAX_INPUTS);
	TlType shape;
	if (!map_operands(low, args, pack, in, operands, types) ||
	    !map_rows(low, in, operands, count, pack, &shape))
		return low->poison;
	IrOp *draft = irb_op(&low->b, OP_MAP_ELEMENTWISE, operands, count, NULL, 0, 1);
	if (!lower_region_results(low, &draft->regions[0], fn, types, count * step, OP_MAP_RETURN, returned,
				  &returned_count))
		return low->poison;
	if (returned_count % step)
		return lower_error(low, DIAG_TILE_MAP_PACK, returned_count, (long long)pack);
	uint32_t results = returned_count / step;
	for (uint32_t i = 0; i < results; i++)
		ir[i] = ir_with_elem(low->cx, sem_ir(in[0])->type, returned[i * step]->ir);
	IrOp *op = irb_op(&low->b, OP_MAP_ELEMENTWISE, operands, count, ir, results, 1);
	ir_set(low->m, op, ATTR_PACK, ir_attr_i32(low->cx, pack));
	while (draft->regions[0].first) {
		IrBlock *block = draft->regions[0].first;
		ir_block_unlink(block);
		ir_block_append(&op->regions[0], block);
	}
	ir_op_erase(draft);
	for (uint32_t i = 0; i < results; i++) {
		out[i] = sem_make(low, ir_result(op, i),
				  tl_with_elem(low, sem_type(in[0]), returned[i * step]));
		if (shape)
			out[i] = sem_reshape(low, what, out[i], shape->shape, shape->rank, false);
	}
	return results == 1 ? out[0] : val_tuple(low, out, results);
}

/* ---- histogram, gather ---- */

const Val *sem_histogram(FrontLower *low, const Val *v, int64_t bins, const Val *mask)
{
	TlType t = sem_type(v);
	if (!tl_is_block(t) || t->rank != 1 || !tl_is_int(t->elem))
		return lower_error(low, DIAG_TILE_HISTOGRAM, sem_describe(low, v));
	if (!sem_check_shape(low, "tl.histogram", &bins, 1))
		return low->poison;
	if (mask) {
		mask = sem_broadcast_to(low, "tl.histogram", mask, t->shape, 1);
		if (sem_is_poison(mask))
			return mask;
		if (!tl_is(sem_elem(mask), DT_INT1))
			return lower_error(low, DIAG_TILE_MASK_TYPE, "tl.histogram", sem_describe(low, mask));
	}
	mask = sem_mask_padding(low, t, mask);
	TlType type = tl_block(low, tl_scalar(low, DT_INT32), &bins, 1);
	IrValue *operands[2] = {sem_ir(v), mask ? sem_ir(mask) : NULL};
	IrOp *op = irb_op(&low->b, OP_HISTOGRAM, operands, mask ? 2 : 1, &type->ir, 1, 0);
	return sem_make(low, ir_result(op, 0), type);
}

const Val *sem_gather(FrontLower *low, const Val *src, const Val *index, const Val *axis)
{
	TlType s = sem_type(src), i = sem_type(index);
	uint32_t dim;
	if (tl_is_block(i) && !tl_is_int(i->elem))
		return lower_error(low, DIAG_TILE_ARG_KIND, "tl.gather", "index", "a tile of integers",
				   sem_describe(low, index));
	if (!tl_is_block(s) || !tl_is_block(i) || s->rank != i->rank)
		return lower_error(low, DIAG_TILE_GATHER, sem_describe(low, src), sem_describe(low, index));
	if (!sem_arg_axis(low, "tl.gather", axis, s->rank, &dim))
		return low->poison;
	for (uint32_t d = 0; d < s->rank; d++) {
		if (d != dim && s->shape[d] != i->shape[d])
			return lower_error(low, DIAG_TILE_GATHER, sem_describe(low, src),
					   sem_describe(low, index));
	}
	TlType type = tl_with_elem(low, i, s->elem);
	index = sem_fill_padding(low, index, -1, sem_const_int(low, 0, i->elem));
	IrValue *ir = irb_2(&low->b, OP_GATHER, type->ir, sem_ir(src), sem_ir(index));
	ir_set(low->m, ir->def, ATTR_AXIS, ir_attr_i32(low->cx, dim));
	return sem_make(low, ir, type);
}
