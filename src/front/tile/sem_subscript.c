/* x[...] and x[...] = y of a tile. An index or a slice along an axis is a gather by one row of
 * numbers; an assignment makes another tile: elements that the target names come from the value,
 * which is spread by a gather the other way, the rest from the tile as it was. */
#include "front/demote.h"
#include "front/tile/sem.h"
#include "front/tile/sem_reduce.h"

/* What an item of the subscript takes of one axis of the tile. */
typedef struct Pick {
	enum { PICK_ALL, PICK_ONE, PICK_SLICE } kind;
	const Val *at;      /* ONE: the index, a number or a scalar of int32, from 0 on */
	int64_t start, len, step;
} Pick;

typedef struct Subscript {
	Pick picks[IR_MAX_RANK]; /* by axis of the tile */
	uint32_t rank;
	bool fresh[2 * IR_MAX_RANK]; /* by item: a new axis */
	uint32_t items;
} Subscript;

/* ---- reading the items ---- */

static const Val *op2(FrontLower *low, AstBinOp op, const Val *l, const Val *r)
{
	return sem_arith(low, op, l, r, false);
}

static bool slice_part(FrontLower *low, const Val *v, const char *part, int64_t *out)
{
	if (!v || v->kind == VAL_NONE)
		return true;
	const Val *host = val_host(v);
	if (host && val_as_int(val_known_for(host, "a slice's bounds decide a shape"), out))
		return true;
	lower_error(low, DIAG_TILE_SLICE_BOUND, part, sem_describe(low, v));
	return false;
}

static int64_t clamp_to(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* As Python's slice.indices. */
static bool read_slice(FrontLower *low, const Val *v, int64_t n, Pick *out)
{
	CONTRACT(v->kind == VAL_SLICE);
	int64_t step = 1;
	if (!slice_part(low, v->slice.step, "step", &step))
		return false;
	if (step == 0 || step < INT32_MIN || step > INT32_MAX) {
		lower_error(low, DIAG_TILE_SLICE_STEP, (long long)step);
		return false;
	}
	int64_t start = step > 0 ? 0 : n - 1, stop = step > 0 ? n : -1 - n;
	if (!slice_part(low, v->slice.lower, "start", &start) || !slice_part(low, v->slice.upper, "stop",
			&stop))
		return false;
	start += start < 0 ? n : 0;
	stop += stop < 0 ? n : 0;
	start = step > 0 ? clamp_to(start, 0, n) : clamp_to(start, -1, n - 1);
	stop = step > 0 ? clamp_to(stop, 0, n) : clamp_to(stop, -1, n - 1);
	int64_t len = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
	if (len <= 0) {
		lower_error(low, DIAG_TILE_SLICE_EMPTY, (long long)n);
		return false;
	}
	bool all = step == 1 && len == n;
	out->kind = all ? PICK_ALL : PICK_SLICE;
	out->start = start;
	out->len = len;
	out->step = step;
	return true;
}

static const Val *into_range(FrontLower *low, const Val *index, int64_t n)
{
	TlType i32 = tl_scalar(low, DT_INT32);
	index = sem_minmax(low, true, index, sem_const_int(low, 0, i32), false);
	return sem_minmax(low, false, index, sem_const_int(low, n - 1, i32), false);
}

/* An index that the run decides counts from the end when it is negative. Debug builds check that
 * the axis has it. */
static const Val *run_index(FrontLower *low, const Val *v, int64_t n)
{
	TlType i32 = tl_scalar(low, DT_INT32);
	const Val *index = sem_unsplat(low, "an index", v), *size = val_int(low, n), *zero = val_int(low, 0);
	if (sem_is_poison(index))
		return index;
	if (low->options->debug) {
		const Val *fits = sem_compare(low, CMP_LT, index, size);
		if (tl_is_signed(sem_type(index)))
			fits = sem_logical(low, false, fits, sem_compare(low, CMP_GE, index, val_int(low,
					-n)));
		IrValue *cond = sem_ir(fits);
		IrOp *check = irb_op(&low->b, OP_ASSERT, &cond, 1, NULL, 0, 0);
		const char *text = arena_printf(low->arena, "an index is out of range for %lld elements",
				(long long)n);
		ir_set(low->m, check, ATTR_MESSAGE, ir_attr_string(low->cx, str_of(text)));
	}
	index = sem_cast(low, index, i32);
	if (base_is_pow2((uint64_t)n))
		return sem_binary(low, BIN_AND, index, val_int(low, n - 1));
	index = sem_select(low, sem_compare(low, CMP_LT, index, zero), op2(low, BIN_ADD, index, size), index);
	return into_range(low, index, n);
}

static bool read_index(FrontLower *low, const Val *tile, const Val *v, int64_t n, Pick *out)
{
	const Val *host = val_host(v);
	int64_t i;
	if (host && host->kind == VAL_DEMOTED)
		host = val_known_for(host, "an index of a tile");
	if (host && host->kind == VAL_INT && val_as_int(host, &i)) {
		if (i < -n || i >= n) {
			lower_error(low, DIAG_INDEX, (long long)i, (uint32_t)n);
			return false;
		}
		*out = (Pick){.kind = PICK_ONE, .at = val_int(low, i < 0 ? i + n : i)};
		return true;
	}
	if (!sem_is_tile(v) || tl_numel(sem_type(v)) != 1 || !tl_is_int(sem_elem(v)) || tl_is(sem_elem(v),
			DT_INT1)) {
		lower_error(low, DIAG_TILE_SUBSCRIPT, sem_describe(low, tile),
			    sem_is_tensor(v) ? sem_describe(low, v) : val_brief(low, v));
		if (sem_is_tile(v) && tl_is(sem_elem(v), DT_INT1))
			lower_note(low, "tl.where(mask, x, 0) keeps what a mask takes, in its place");
		return false;
	}
	*out = (Pick){.kind = PICK_ONE, .at = run_index(low, v, n)};
	return !sem_is_poison(out->at);
}

/* How many axes of the tile the items name. */
static uint32_t named_axes(const Val *const *items, uint32_t count)
{
	uint32_t axes = 0;
	for (uint32_t i = 0; i < count; i++)
		axes += items[i]->kind != VAL_NONE && items[i]->kind != VAL_ELLIPSIS;
	return axes;
}

static bool read_item(FrontLower *low, const Val *tile, const Val *item, Subscript *out, uint32_t *axis)
{
	TlType type = sem_type(tile);
	if (*axis >= type->rank) {
		lower_error(low, DIAG_TILE_SUBSCRIPT, sem_describe(low, tile), val_brief(low, item));
		return false;
	}
	int64_t n = type->shape[*axis];
	Pick *pick = &out->picks[(*axis)++];
	out->fresh[out->items++] = false;
	return item->kind == VAL_SLICE ? read_slice(low, item, n, pick) : read_index(low, tile, item, n,
			pick);
}

static bool read_items(FrontLower *low, const Val *tile, const Val *index, Subscript *out)
{
	const Val *const *items = index->kind == VAL_TUPLE ? index->seq.items : &index;
	uint32_t count = index->kind == VAL_TUPLE ? index->seq.len : 1, axis = 0;
	*out = (Subscript){.rank = sem_type(tile)->rank};
	uint32_t named = named_axes(items, count);
	for (uint32_t i = 0; i < count; i++) {
		if (sem_is_poison(items[i]))
			return false;
		if (out->items + out->rank >= ARRAY_LEN(out->fresh)) {
			lower_error(low, DIAG_TILE_RANK_LIMIT, IR_MAX_RANK);
			return false;
		}
		if (items[i]->kind == VAL_NONE)
			out->fresh[out->items++] = true;
		else if (items[i]->kind == VAL_ELLIPSIS &&
			 !lower_extension(low, "`...` in subscripts of tiles"))
			return false;
		else if (items[i]->kind == VAL_ELLIPSIS)
			for (; axis + named < out->rank; axis++)
				out->fresh[out->items++] = false;
		else if (!read_item(low, tile, items[i], out, &axis))
			return false;
	}
	return true;
}

/* ---- pieces ---- */

/* A tile of rank 1 laid along one axis, repeated along the others. */
static const Val *along(FrontLower *low, const Val *row, uint32_t axis, const int64_t *shape, uint32_t rank)
{
	for (uint32_t i = 0; i < axis; i++)
		row = sem_expand_dims(low, row, 0);
	for (uint32_t i = axis + 1; i < rank; i++)
		row = sem_expand_dims(low, row, i);
	return sem_is_poison(row) ? row : sem_broadcast_to(low, "a subscript", row, shape, rank);
}

static const Val *iota(FrontLower *low, int64_t n)
{
	return sem_arange(low, val_int(low, 0), val_int(low, n));
}

static const Val *gather_row(FrontLower *low, const Val *tile, uint32_t axis, const Val *row, int64_t len)
{
	TlType type = sem_type(tile), elem = type->elem;
	int64_t shape[IR_MAX_RANK];
	if (sem_is_poison(row))
		return row;
	memcpy(shape, type->shape, type->rank * sizeof *shape);
	shape[axis] = len;
	if (!sem_check_shape(low, "a slice", shape, type->rank))
		return low->poison;
	bool is_pointer = elem->kind == TL_PTR;
	if (is_pointer)
		tile = sem_bitcast(low, tile, tl_scalar(low, DT_INT64));
	const Val *picked = sem_gather(low, tile, along(low, row, axis, shape, type->rank), val_int(low,
			axis));
	return is_pointer && !sem_is_poison(picked) ? sem_bitcast(low, picked, elem) : picked;
}

static const Val *pick_axis(FrontLower *low, const Val *tile, uint32_t axis, const Pick *pick)
{
	if (pick->kind == PICK_ALL)
		return tile;
	const int64_t one = 1;
	if (pick->kind == PICK_ONE)
		return gather_row(low, tile, axis, sem_splat(low, sem_to_tensor(low, pick->at), &one, 1), 1);
	if (!sem_check_shape(low, "a slice", &pick->len, 1))
		return low->poison;
	const Val *row = iota(low, pick->len);
	if (pick->step != 1)
		row = op2(low, BIN_MUL, row, val_int(low, pick->step));
	return gather_row(low, tile, axis, op2(low, BIN_ADD, row, val_int(low, pick->start)), pick->len);
}

/* ---- reading ---- */

/* The axes that indices took are gone, and new ones stand where None is. */
static const Val *arrange(FrontLower *low, const Val *tile, const Subscript *s)
{
	TlType type = sem_type(tile);
	int64_t shape[IR_MAX_RANK];
	uint32_t rank = 0;
	for (uint32_t i = 0; i < s->rank; i++)
		if (s->picks[i].kind != PICK_ONE)
			shape[rank++] = type->shape[i];
	if (rank != s->rank)
		tile = sem_reshape(low, "a subscript", tile, shape, rank, false);
	for (uint32_t i = 0, axis = 0, from = 0; i < s->items && !sem_is_poison(tile); i++) {
		if (s->fresh[i])
			tile = sem_expand_dims(low, tile, axis++);
		else
			axis += s->picks[from++].kind != PICK_ONE;
	}
	return tile;
}

static bool is_full_slice(const Val *v)
{
	const Val *parts[] = {v->slice.lower, v->slice.upper, v->slice.step};
	for (int i = 0; i < 3; i++)
		if (parts[i] && parts[i]->kind != VAL_NONE)
			return false;
	return true;
}

/* ':' passes over a dimension whether it is there or not: x[:, None] of a scalar has shape [1]. */
static const Val *bad_index(FrontLower *low, const Val *v, const Val *index)
{
	bool pointer = sem_is_tile(v) && tl_is_ptr(sem_elem(v)) && !tl_is_block_ptr(sem_elem(v));
	return lower_error(low, pointer ? DIAG_TILE_SUBSCRIPT_POINTER : DIAG_TILE_SUBSCRIPT,
			   sem_describe(low, v),
			   sem_is_tensor(index) ? sem_describe(low, index) : val_brief(low, index));
}

static const Val *expand_scalar(FrontLower *low, const Val *v, const Val *index)
{
	const Val *const *items = index->kind == VAL_TUPLE ? index->seq.items : &index;
	uint32_t count = index->kind == VAL_TUPLE ? index->seq.len : 1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t rank = tl_is_block(sem_type(v)) ? sem_type(v)->rank : 0;
		if (items[i]->kind == VAL_NONE && (i <= rank || rank == 0))
			v = sem_expand_dims(low, v, rank ? i : 0);
		else if (items[i]->kind != VAL_SLICE || !is_full_slice(items[i]))
			return bad_index(low, v, items[i]);
		if (sem_is_poison(v))
			return v;
	}
	return v;
}

static bool takes_parts(const Subscript *s)
{
	for (uint32_t i = 0; i < s->rank; i++)
		if (s->picks[i].kind != PICK_ALL)
			return true;
	return false;
}

const Val *sem_subscript(FrontLower *low, const Val *v, const Val *index)
{
	if (sem_is_poison(v) || sem_is_poison(index))
		return low->poison;
	if (!sem_is_tile(v))
		return bad_index(low, v, index);
	if (!tl_is_block(sem_type(v)))
		return expand_scalar(low, v, index);
	Subscript s;
	if (!read_items(low, v, index, &s))
		return low->poison;
	if (takes_parts(&s) && !lower_extension(low,
			"indices and slices of tiles (unsupported tensor index)"))
		return low->poison;
	/* What takes least is taken first. */
	for (int ones = 1; ones >= 0; ones--)
		for (uint32_t i = 0; i < s.rank && !sem_is_poison(v); i++)
			if ((s.picks[i].kind == PICK_ONE) == (ones == 1))
				v = pick_axis(low, v, i, &s.picks[i]);
	return sem_is_poison(v) ? v : arrange(low, v, &s);
}

/* ---- assignment ---- */

static const Val *both(FrontLower *low, const Val *l, const Val *r)
{
	return !l ? r : sem_binary(low, BIN_AND, l, r);
}

/* Of the axis: which elements the pick takes (i1), and for each of them the place in what is
 * picked. */
static const Val *taken(FrontLower *low, const Pick *pick, int64_t n, const Val **place)
{
	const Val *at = iota(low, n), *zero = val_int(low, 0);
	if (pick->kind == PICK_ONE)
		return sem_compare(low, CMP_EQ, at, pick->at);
	int64_t step = pick->step > 0 ? pick->step : -pick->step;
	const Val *start = val_int(low, pick->start), *by = val_int(low, step);
	const Val *from = pick->step > 0 ? op2(low, BIN_SUB, at, start) : op2(low, BIN_SUB, start, at);
	const Val *in = both(low, sem_compare(low, CMP_GE, from, zero),
			     sem_compare(low, CMP_LT, from, val_int(low, pick->len * step)));
	if (step != 1)
		in = both(low, in, sem_compare(low, CMP_EQ, sem_binary(low, BIN_MOD, from, by), zero));
	*place = step == 1 ? from : sem_binary(low, BIN_FLOORDIV, from, by);
	*place = into_range(low, *place, pick->len);
	return in;
}

static const char *shape_of_target(FrontLower *low, const Subscript *s, const Val *tile)
{
	int64_t shape[IR_MAX_RANK];
	uint32_t rank = 0;
	for (uint32_t i = 0; i < s->rank; i++)
		if (s->picks[i].kind != PICK_ONE)
			shape[rank++] = s->picks[i].kind == PICK_SLICE ? s->picks[i].len
								       : sem_type(tile)->shape[i];
	return tl_shape_text(low, shape, rank);
}

/* The value with the axes of the tile: those that an index takes have size 1. */
static const Val *lift_value(FrontLower *low, const Val *value, const Subscript *s, const Val *shape_of)
{
	uint32_t rank = tl_is_block(sem_type(value)) ? sem_type(value)->rank : 0, kept = 0;
	for (uint32_t i = 0; i < s->rank; i++)
		kept += s->picks[i].kind != PICK_ONE;
	if (!rank)
		return value;
	bool fits = rank <= kept;
	for (uint32_t i = s->rank, axis = rank; fits && i-- > 0;) {
		const Pick *pick = &s->picks[i];
		int64_t n = pick->kind == PICK_SLICE ? pick->len : sem_type(shape_of)->shape[i];
		if (pick->kind == PICK_ONE || !axis)
			continue;
		int64_t have = sem_type(value)->shape[--axis];
		fits = have == 1 || have == n;
	}
	if (!fits)
		return lower_error(low, DIAG_TILE_ASSIGN_SHAPE, sem_describe(low, value),
				   shape_of_target(low, s, shape_of), sem_describe(low, shape_of));
	for (; rank < kept; rank++)
		value = sem_expand_dims(low, value, 0);
	for (uint32_t i = 0; i < s->rank; i++)
		if (s->picks[i].kind == PICK_ONE)
			value = sem_expand_dims(low, value, i);
	return value;
}

/* x[mask] = number: one bool for each element. NULL: another index. */
static const Val *assign_where(FrontLower *low, const Val *tile, const Val *mask, const Val *value)
{
	TlType type = sem_type(tile);
	if (!sem_is_tile(mask) || !tl_is_block(sem_type(mask)) || !tl_is(sem_elem(mask), DT_INT1))
		return NULL;
	bool fits = sem_type(mask)->rank == type->rank &&
		    !memcmp(sem_type(mask)->shape, type->shape, type->rank * sizeof *type->shape);
	if (!fits || (sem_is_tile(value) && tl_is_block(sem_type(value))))
		return lower_error(low, DIAG_TILE_ASSIGN_MASK, sem_describe(low, value),
				   sem_describe(low, mask), sem_describe(low, tile));
	value = sem_cast(low, sem_to_tensor(low, value), type->elem);
	return sem_is_poison(value)
		       ? value
		       : sem_select(low, mask,
				    sem_broadcast_to(low, "a subscript", value, type->shape, type->rank),
				    tile);
}

const Val *sem_assign(FrontLower *low, const Val *tile, const Val *index, const Val *value)
{
	Subscript s;
	if (sem_is_poison(tile) || sem_is_poison(index) || sem_is_poison(value))
		return low->poison;
	if (!sem_is_tile(tile) || !tl_is_block(sem_type(tile)))
		return bad_index(low, tile, index);
	if (!lower_extension(low, "assignment to elements of a tile"))
		return low->poison;
	const Val *by_mask = assign_where(low, tile, index, value);
	if (by_mask)
		return by_mask;
	if (!read_items(low, tile, index, &s))
		return low->poison;
	for (uint32_t i = 0; i < s.items; i++)
		if (s.fresh[i])
			return lower_error(low, DIAG_TILE_ASSIGN_NEW, sem_describe(low, tile));
	TlType type = sem_type(tile);
	value = sem_to_tensor(low, value);
	if (!sem_is_poison(value))
		value = sem_cast(low, value, type->elem);
	if (sem_is_poison(value))
		return value;
	value = lift_value(low, value, &s, tile);
	const Val *mask = NULL;
	for (uint32_t i = 0; i < s.rank && !sem_is_poison(value); i++) {
		const Val *place = NULL;
		if (s.picks[i].kind == PICK_ALL)
			continue;
		const Val *in = taken(low, &s.picks[i], type->shape[i], &place);
		mask = both(low, mask, along(low, in, i, type->shape, type->rank));
		if (place && tl_is_block(sem_type(value)) && sem_type(value)->shape[i] != 1)
			value = gather_row(low, value, i, place, type->shape[i]);
	}
	if (sem_is_poison(value))
		return value;
	value = sem_broadcast_to(low, "a subscript", value, type->shape, type->rank);
	return !mask || sem_is_poison(value) ? value : sem_select(low, mask, value, tile);
}

/* ---- tiles of unequal sizes, one behind the other ---- */

const Val *sem_cat_unequal(FrontLower *low, const Val *a, const Val *b, uint32_t dim)
{
	TlType x = sem_type(a), y = sem_type(b);
	int64_t first = x->shape[dim], second = y->shape[dim], shape[IR_MAX_RANK];
	memcpy(shape, x->shape, x->rank * sizeof *shape);
	shape[dim] = first + second;
	if (!sem_check_shape(low, "tl.cat", shape, x->rank))
		return low->poison;
	const Val *at = iota(low, first + second);
	const Val *behind = op2(low, BIN_SUB, at, val_int(low, first));
	a = gather_row(low, a, dim, into_range(low, at, first), first + second);
	b = gather_row(low, b, dim, into_range(low, behind, second), first + second);
	const Val *in_first = sem_compare(low, CMP_LT, at, val_int(low, first));
	in_first = along(low, in_first, dim, shape, x->rank);
	return sem_is_poison(a) || sem_is_poison(b) ? low->poison : sem_select(low, in_first, a, b);
}
