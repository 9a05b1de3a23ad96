/* Shapes: broadcasting, reshape, transposition, join and split. */
#include "front/tile/sem.h"
#include "ir/rewrite/fold.h"

bool sem_check_shape(FrontLower *low, const char *what, const int64_t *shape, uint32_t rank)
{
	int64_t numel = 1;
	bool large = false;
	for (uint32_t i = 0; i < rank; i++) {
		if (shape[i] <= 0 || (low->options->strict && !base_is_pow2((uint64_t)shape[i]))) {
			lower_error(low, DIAG_TILE_SHAPE_POW2, what, i, (long long)shape[i]);
			return false;
		}
		int64_t size = shape[i] > SEM_MAX_NUMEL ? SEM_MAX_NUMEL + 1 : tl_padded_size(shape[i]);
		large |= size > SEM_MAX_NUMEL || numel * size > SEM_MAX_NUMEL;
		numel = large ? SEM_MAX_NUMEL + 1 : numel * size;
	}
	if (large) {
		double need = 1;
		for (uint32_t i = 0; i < rank; i++)
			need *= (double)shape[i];
		lower_error(low, DIAG_TILE_TILE_TOO_LARGE, tl_shape_text(low, shape, rank), need,
			    SEM_MAX_NUMEL);
		return false;
	}
	return true;
}

const Val *sem_splat(FrontLower *low, const Val *scalar, const int64_t *shape, uint32_t rank)
{
	ASSERT(!tl_is_block(sem_type(scalar)));
	if (rank == 0)
		return scalar;
	TlType type = tl_block(low, sem_type(scalar), shape, rank);
	IrAttr constant = ir_constant_of(sem_ir(scalar));
	if (constant) {
		IrAttr tile = fold_splat(low->cx, type->ir, fold_word(constant, 0));
		return sem_make(low, irb_constant(&low->b, tile), type);
	}
	return sem_make(low, irb_1(&low->b, OP_SPLAT, type->ir, sem_ir(scalar)), type);
}

const Val *sem_expand_dims(FrontLower *low, const Val *v, uint32_t axis)
{
	CONTRACT(v->kind == VAL_TENSOR);
	TlType from = sem_type(v);
	uint32_t rank = tl_is_block(from) ? from->rank : 0;
	if (rank == IR_MAX_RANK)
		return lower_error(low, DIAG_TILE_RANK_LIMIT, IR_MAX_RANK);
	ASSERT(axis <= rank);
	int64_t shape[IR_MAX_RANK];
	for (uint32_t i = 0, j = 0; i <= rank; i++)
		shape[i] = i == axis ? 1 : from->shape[j++];
	if (!rank)
		return sem_splat(low, v, shape, 1);
	TlType type = tl_block(low, tl_elem(from), shape, rank + 1);
	IrValue *ir = irb_1(&low->b, OP_EXPAND_DIMS, type->ir, sem_ir(v));
	ir_set(low->m, ir->def, ATTR_AXIS, ir_attr_i32(low->cx, axis));
	return sem_make(low, ir, type);
}

/* v, a block of the rank of `shape`, with its dimensions of size 1 repeated. */
static const Val *repeat(FrontLower *low, const Val *v, const int64_t *shape)
{
	TlType from = sem_type(v);
	TlType type = tl_block(low, from->elem, shape, from->rank);
	return type == from ? v : sem_make(low, irb_1(&low->b, OP_BROADCAST, type->ir, sem_ir(v)), type);
}

const Val *sem_broadcast_to(FrontLower *low, const char *what, const Val *v, const int64_t *shape,
			    uint32_t rank)
{
	TlType from = sem_type(v);
	if (!tl_is_block(from))
		return sem_splat(low, v, shape, rank);
	bool fits = from->rank == rank;
	for (uint32_t i = 0; fits && i < rank; i++)
		fits = from->shape[i] == shape[i] || from->shape[i] == 1;
	if (!fits)
		return lower_error(low, DIAG_TILE_BROADCAST_TO, what,
				   from->rank != rank ? "rank mismatch"
						      : "only dimensions of size 1 are repeated",
				   tl_shape_text(low, from->shape, from->rank),
				   tl_shape_text(low, shape, rank));
	return repeat(low, v, shape);
}

bool sem_broadcast_pair(FrontLower *low, const Val **l, const Val **r)
{
	TlType a = sem_type(*l), b = sem_type(*r);
	if (!tl_is_block(a) && !tl_is_block(b))
		return true;
	if (!tl_is_block(a)) {
		*l = sem_splat(low, *l, b->shape, b->rank);
		return true;
	}
	if (!tl_is_block(b)) {
		*r = sem_splat(low, *r, a->shape, a->rank);
		return true;
	}
	for (uint32_t i = a->rank; i < b->rank; i++)
		*l = sem_expand_dims(low, *l, 0);
	for (uint32_t i = b->rank; i < a->rank; i++)
		*r = sem_expand_dims(low, *r, 0);
	TlType x = sem_type(*l), y = sem_type(*r);
	int64_t shape[IR_MAX_RANK];
	for (uint32_t i = 0; i < x->rank; i++) {
		if (x->shape[i] != y->shape[i] && x->shape[i] != 1 && y->shape[i] != 1) {
			lower_error(low, DIAG_TILE_BROADCAST, i, (long long)x->shape[i],
				    (long long)y->shape[i],
				    tl_shape_text(low, a->shape, a->rank),
				    tl_shape_text(low, b->shape, b->rank));
			return false;
		}
		shape[i] = x->shape[i] == 1 ? y->shape[i] : x->shape[i];
	}
	if (!sem_check_shape(low, "broadcast", shape, x->rank))
		return false;
	*l = repeat(low, *l, shape);
	*r = repeat(low, *r, shape);
	return true;
}

bool sem_broadcast_all(FrontLower *low, const Val **v, uint32_t count)
{
	/* Once forwards, so that the first has the common shape, then from the first to all
	 * others. */
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 1; i < count; i++) {
			if (!sem_broadcast_pair(low, &v[0], &v[i]))
				return false;
		}
	}
	return true;
}

const Val *sem_unsplat(FrontLower *low, const char *what, const Val *v)
{
	TlType type = sem_type(v);
	if (!tl_is_block(type))
		return v;
	if (tl_numel(type) != 1)
		return lower_error(low, DIAG_TILE_SCALAR_EXPECTED, what, sem_describe(low, v));
	return sem_make(low, irb_1(&low->b, OP_UNSPLAT, type->elem->ir, sem_ir(v)), type->elem);
}

const Val *sem_reshape(FrontLower *low, const char *what, const Val *v, const int64_t *shape, uint32_t rank,
		       bool reorder)
{
	TlType from = sem_type(v);
	if (!sem_check_shape(low, what, shape, rank))
		return low->poison;
	int64_t numel = 1;
	for (uint32_t i = 0; i < rank; i++)
		numel *= shape[i];
	if (numel != tl_numel(from))
		return lower_error(low, DIAG_TILE_RESHAPE, what,
				   tl_shape_text(low, from->shape, tl_is_block(from) ? from->rank : 0),
				   (long long)tl_numel(from), tl_shape_text(low, shape, rank),
				   (long long)numel);
	if (rank == 0)
		return sem_unsplat(low, what, v);
	if (!tl_is_block(from))
		return sem_splat(low, v, shape, rank);
	TlType type = tl_block(low, from->elem, shape, rank);
	if (tl_is_padded(from) || tl_is_padded(type))
		return sem_repack(low, v, type);
	IrValue *ir = irb_1(&low->b, OP_RESHAPE, type->ir, sem_ir(v));
	if (reorder)
		ir_set(low->m, ir->def, ATTR_ALLOW_REORDER, ir_attr_unit(low->cx));
	return sem_make(low, ir, type);
}

const Val *sem_permute(FrontLower *low, const char *what, const Val *v, const SemInts *dims)
{
	TlType from = sem_type(v);
	uint32_t rank = tl_is_block(from) ? from->rank : 0, seen = 0;
	for (uint32_t i = 0; i < dims->len; i++) {
		if (dims->at[i] >= 0 && dims->at[i] < (int64_t)rank)
			seen |= 1u << dims->at[i];
	}
	if (rank == 0 || dims->len != rank || seen != (1u << rank) - 1)
		return lower_error(low, DIAG_TILE_PERMUTE, what, tl_shape_text(low, dims->at, dims->len),
				   rank);
	int64_t shape[IR_MAX_RANK];
	for (uint32_t i = 0; i < rank; i++)
		shape[i] = from->shape[dims->at[i]];
	TlType type = tl_block(low, from->elem, shape, rank);
	IrValue *ir = irb_1(&low->b, OP_TRANS, type->ir, sem_ir(v));
	ir_set(low->m, ir->def, ATTR_ORDER,
	       ir_attr_ints(low->cx, ir_scalar(low->cx, TY_I32), dims->at, rank));
	return sem_make(low, ir, type);
}

const Val *sem_trans(FrontLower *low, const Val *v)
{
	TlType type = sem_type(v);
	if (!tl_is_block(type) || type->rank < 2)
		return lower_error(low, DIAG_TILE_TRANS, tl_describe(low, type));
	SemInts dims = {.len = type->rank};
	for (uint32_t i = 0; i < dims.len; i++)
		dims.at[i] = i;
	dims.at[dims.len - 2] = dims.len - 1;
	dims.at[dims.len - 1] = dims.len - 2;
	return sem_permute(low, "tl.trans", v, &dims);
}

const Val *sem_join(FrontLower *low, const Val *a, const Val *b)
{
	if (!sem_broadcast_pair(low, &a, &b))
		return low->poison;
	if (sem_elem(a) != sem_elem(b))
		return lower_error(low, DIAG_TILE_JOIN, "tl.join", sem_describe(low, a),
				   sem_describe(low, b));
	bool scalar = !tl_is_block(sem_type(a));
	if (scalar) {
		a = sem_expand_dims(low, a, 0);
		b = sem_expand_dims(low, b, 0);
	}
	TlType from = sem_type(a);
	if (from->rank == IR_MAX_RANK)
		return lower_error(low, DIAG_TILE_RANK_LIMIT, IR_MAX_RANK);
	int64_t shape[IR_MAX_RANK];
	memcpy(shape, from->shape, from->rank * sizeof *shape);
	shape[from->rank] = 2;
	if (!sem_check_shape(low, "tl.join", shape, from->rank + 1))
		return low->poison;
	TlType type = tl_block(low, from->elem, shape, from->rank + 1);
	const Val *joined = sem_make(low, irb_2(&low->b, OP_JOIN, type->ir, sem_ir(a), sem_ir(b)), type);
	return scalar ? sem_reshape(low, "tl.join", joined, shape + 1, 1, false) : joined;
}

const Val *sem_split(FrontLower *low, const Val *v)
{
	TlType from = sem_type(v);
	if (!tl_is_block(from) || from->shape[from->rank - 1] != 2)
		return lower_error(low, DIAG_TILE_SPLIT, tl_describe(low, from));
	bool scalars = from->rank == 1;
	if (scalars) {
		v = sem_expand_dims(low, v, 0);
		from = sem_type(v);
	}
	TlType type = tl_block(low, from->elem, from->shape, from->rank - 1);
	IrValue *in = sem_ir(v);
	IrOp *op = irb_op(&low->b, OP_SPLIT, &in, 1, (IrType[]){type->ir, type->ir}, 2, 0);
	const Val *halves[2];
	for (uint32_t i = 0; i < 2; i++) {
		halves[i] = sem_make(low, ir_result(op, i), type);
		if (scalars)
			halves[i] = sem_unsplat(low, "tl.split", halves[i]);
	}
	return val_tuple(low, halves, 2);
}

/* One tile behind the other along a dimension. Where the order counts:
 * join, then bring the new dimension in front of that one. */
const Val *sem_cat(FrontLower *low, const Val *a, const Val *b, uint32_t dim, bool reorder)
{
	TlType x = sem_type(a), y = sem_type(b);
	bool alike = tl_is_block(x) && tl_is_block(y) && x->elem == y->elem && x->rank == y->rank;
	for (uint32_t k = 0; alike && k < x->rank; k++)
		alike = x->shape[k] == y->shape[k] || (k == dim && !low->options->strict);
	if (!alike || (reorder && x->rank != 1) || dim >= x->rank)
		return lower_error(low, DIAG_TILE_JOIN, "tl.cat", sem_describe(low, a), sem_describe(low, b));
	if (x->shape[dim] != y->shape[dim])
		return sem_cat_unequal(low, a, b, dim);
	SemInts order = {.len = x->rank + 1};
	int64_t shape[IR_MAX_RANK];
	for (uint32_t k = 0; k <= x->rank; k++)
		order.at[k] = k < dim ? k : k == dim ? x->rank : k - 1;
	for (uint32_t k = 0; k < x->rank; k++)
		shape[k] = x->shape[k] * (k == dim ? 2 : 1);
	if (!sem_check_shape(low, "tl.cat", shape, x->rank))
		return low->poison;
	if (reorder && !tl_is_padded(x) && base_is_pow2((uint64_t)shape[0])) {
		TlType type = tl_block(low, x->elem, shape, 1);
		return sem_make(low, irb_2(&low->b, OP_CAT, type->ir, sem_ir(a), sem_ir(b)), type);
	}
	const Val *pairs = sem_join(low, a, b);
	if (sem_is_poison(pairs))
		return pairs;
	return sem_reshape(low, "tl.cat", sem_permute(low, "tl.cat", pairs, &order), shape, x->rank, false);
}
