/* Ops on the shape of tiles. Most only rearrange steps and strides. */
#include "interp/elem.h"


static int64_t int_attr(Decoder *d, const IrOp *op, IrAttrName name)
{
	return ir_get_int(op, d->cx, name, 0);
}

static const Instr *run_range(Exec *x, const Instr *i)
{
	Tile *out = tile_out(x, i, 0);
	out->form = FORM_AFFINE;
	out->base = (uint64_t)i->imm;
	out->step[0] = 1;
	tile_simplify(out);
	if (interp_is_plain(x) && out->form == FORM_AFFINE) {
		Tile dense;
		tile_dense(x, out, &dense);
		*out = dense;
	}
	return i + 1;
}

bool interp_MAKE_RANGE(Decoder *d, const IrOp *op)
{
	decode_instr(d, op, run_range)->imm = int_attr(d, op, ATTR_START);
	return true;
}

static const Instr *run_splat(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0);
	Tile *out = tile_out(x, i, 0);
	out->form = FORM_SPLAT;
	out->origin = a->origin;
	out->base = tile_element_at(a, 0);
	return i + 1;
}

bool interp_SPLAT(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_splat); }
bool interp_UNSPLAT(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_splat); }

/* Makes out the same elements as `a` with dimension d of the result taken from a's dimension from[d] (or new, when
 * negative); sizes may grow from 1. */
static void remap(Tile *out, const Tile *a, const int32_t *from)
{
	const Shape *shape = out->shape;
	out->form = a->form;
	out->origin = a->origin;
	out->base = a->base;
	out->data = a->data;
	out->buf = a->buf;
	if (out->buf)
		out->buf->refs++;
	if (a->form == FORM_SPLAT)
		return;
	for (uint32_t d = 0; d < shape->rank; d++) {
		bool grown = from[d] < 0 || a->shape->dim[from[d]] != shape->dim[d];
		if (a->form == FORM_BOX) {
			bool inside = from[d] < 0 || (a->stride[from[d]] <= 0 && a->step[from[d]] >= 1);
			out->stride[d] = grown ? 0 : a->stride[from[d]];
			out->step[d] = grown ? (inside ? shape->dim[d] : 0) : a->step[from[d]];
			continue;
		}
		out->step[d] = grown || a->form == FORM_VIEW ? 0 : a->step[from[d]];
		out->stride[d] = grown || a->form == FORM_AFFINE ? 0 : a->stride[from[d]];
	}
	if (a->form == FORM_VIEW)
		tile_set_dense(out);
}

static void force_plain(Exec *x, Tile *out)
{
	if (interp_is_plain(x) && out->form != FORM_SPLAT && !(out->form == FORM_VIEW && out->dense)) {
		Tile dense;
		tile_dense(x, out, &dense);
		tile_release(out);
		*out = dense;
	}
}

/* aux: the source dimension of each result dimension. */
static const Instr *run_remap(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0);
	Tile *out = tile_out(x, i, 0);
	remap(out, a, i->aux);
	force_plain(x, out);
	return i + 1;
}

bool interp_EXPAND_DIMS(Decoder *d, const IrOp *op)
{
	uint32_t axis = (uint32_t)int_attr(d, op, ATTR_AXIS), rank = op->results[0].type->rank;
	int32_t *from = ARENA_ARRAY(d->arena, int32_t, rank);
	for (uint32_t k = 0; k < rank; k++)
		from[k] = k == axis ? -1 : (int32_t)(k < axis ? k : k - 1);
	decode_instr(d, op, run_remap)->aux = from;
	return true;
}

bool interp_BROADCAST(Decoder *d, const IrOp *op)
{
	uint32_t rank = op->results[0].type->rank;
	int32_t *from = ARENA_ARRAY(d->arena, int32_t, rank + 1);
	for (uint32_t k = 0; k < rank; k++)
		from[k] = (int32_t)k;
	decode_instr(d, op, run_remap)->aux = from;
	return true;
}

bool interp_TRANS(Decoder *d, const IrOp *op)
{
	IrAttr order = ir_get(op, d->cx, ATTR_ORDER);
	uint32_t rank = op->results[0].type->rank;
	int32_t *from = ARENA_ARRAY(d->arena, int32_t, rank + 1);
	for (uint32_t k = 0; k < rank; k++)
		from[k] = (int32_t)order->ints[k];
	decode_instr(d, op, run_remap)->aux = from;
	return true;
}

/* Strides of the same elements, in row-major order, under another shape; false when there are none. */
static bool restride(const Shape *from, const int64_t *stride, const Shape *to, int64_t *result)
{
	/* The source's dimensions merged where they run on, from the last. */
	int64_t dim[IR_MAX_RANK], step[IR_MAX_RANK];
	uint32_t n = 0;
	for (uint32_t d = from->rank; d-- > 0;) {
		if (from->dim[d] == 1)
			continue;
		if (n && stride[d] == step[n - 1] * dim[n - 1]) {
			dim[n - 1] *= from->dim[d];
		} else {
			dim[n] = from->dim[d];
			step[n++] = stride[d];
		}
	}
	uint32_t at = 0;
	int64_t left = n ? dim[0] : 1, by = n ? step[0] : 0;
	for (uint32_t d = to->rank; d-- > 0;) {
		result[d] = by;
		if (to->dim[d] == 1)
			continue;
		if (left == 1 && at + 1 < n) {
			at++;
			left = dim[at];
			by = step[at];
			result[d] = by;
		}
		if (left % to->dim[d] != 0)
			return false;
		left /= to->dim[d];
		by *= to->dim[d];
	}
	return true;
}

static const Instr *run_reshape(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0);
	Tile *out = tile_out(x, i, 0), room = {.buf = NULL};
	out->origin = a->origin;
	out->base = a->base;
	if (a->form == FORM_SPLAT) {
		out->form = FORM_SPLAT;
		return i + 1;
	}
	if (a->form == FORM_AFFINE && restride(a->shape, a->step, out->shape, out->step)) {
		out->form = FORM_AFFINE;
		tile_simplify(out);
		return i + 1;
	}
	if (a->form != FORM_VIEW || !restride(a->shape, a->stride, out->shape, out->stride)) {
		a = tile_dense(x, a, &room);
		bool fits = restride(a->shape, a->stride, out->shape, out->stride);
		ASSERT(fits);
	}
	out->form = FORM_VIEW;
	out->data = a->data;
	out->buf = a->buf;
	if (out->buf)
		out->buf->refs++;
	tile_set_dense(out);
	force_plain(x, out);
	tile_drop(&room);
	return i + 1;
}

bool interp_RESHAPE(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_reshape); }

/* Writes tile `a` to the elements of out at data offset `offset`, with out's strides. */
static void place(Exec *x, const Tile *a, Tile *out, int64_t offset, const int64_t *stride)
{
	Tile part, room;
	tile_borrow(&part, out);
	part.shape = a->shape;
	part.data = out->data + offset;
	memcpy(part.stride, stride, a->shape->rank * sizeof *stride);
	const Tile *view = tile_view(x, a, &room);
	Walk w;
	walk_start(&w, a->shape, (const Tile *const[]){&part, view}, 2);
	uint32_t last = w.rank - 1;
	do {
		int64_t to = w.stride[0][last], from = w.stride[1][last];
		if (to == a->size && from == a->size) {
			memcpy(w.at[0], w.at[1], (size_t)(w.inner * a->size));
		} else if (to == a->size) {
			x->k->gather(w.at[0], w.at[1], from, a->size, (size_t)w.inner);
		} else if (from == a->size) {
			x->k->scatter(w.at[0], to, w.at[1], a->size, (size_t)w.inner);
		} else {
			for (int64_t k = 0; k < w.inner; k++)
				memcpy(w.at[0] + k * to, w.at[1] + k * from, a->size);
		}
	} while (walk_next(&w));
	tile_drop(&room);
}

static const Instr *run_join(Exec *x, const Instr *i)
{
	Tile *out = tile_out(x, i, 0);
	tile_alloc(x, out);
	for (unsigned k = 0; k < 2; k++)
		place(x, instr_in(x, i, k), out, k * out->size, out->stride);
	return i + 1;
}

bool interp_JOIN(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_join); }

static const Instr *run_cat(Exec *x, const Instr *i)
{
	Tile *out = tile_out(x, i, 0);
	tile_alloc(x, out);
	int64_t half = out->shape->numel / 2 * out->size;
	for (unsigned k = 0; k < 2; k++)
		tile_write(x, instr_in(x, i, k), out->data + k * half);
	return i + 1;
}

bool interp_CAT(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_cat); }

static const Instr *run_split(Exec *x, const Instr *i)
{
	Tile room = {.buf = NULL};
	const Tile *a = instr_in(x, i, 0);
	if (a->form == FORM_BOX || a->form == FORM_SUM)
		a = tile_dense(x, a, &room);
	uint32_t last = a->shape->rank - 1;
	for (unsigned k = 0; k < 2; k++) {
		Tile *out = tile_out(x, i, k);
		out->form = a->form;
		out->origin = a->origin;
		out->base = a->base;
		if (a->form == FORM_AFFINE) {
			out->base += k ? (uint64_t)a->step[last] : 0;
			memcpy(out->step, a->step, last * sizeof *a->step);
			tile_simplify(out);
		} else if (a->form == FORM_VIEW) {
			out->data = a->data + (k ? a->stride[last] : 0);
			out->buf = a->buf;
			if (out->buf)
				out->buf->refs++;
			memcpy(out->stride, a->stride, last * sizeof *a->stride);
			tile_set_dense(out);
		}
		if (out->shape->rank == 0)
			tile_rank0(out);
		else
			force_plain(x, out);
	}
	tile_drop(&room);
	return i + 1;
}

bool interp_SPLIT(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_split); }

static const Instr *run_gather(Exec *x, const Instr *i)
{
	Tile source_room, index_room;
	const Tile *source = tile_dense(x, instr_in(x, i, 0), &source_room);
	const Tile *index = tile_dense(x, instr_in(x, i, 1), &index_room);
	Tile *out = tile_out(x, i, 0);
	tile_alloc(x, out);
	uint32_t axis = (uint32_t)i->imm;
	const Shape *shape = out->shape;
	int64_t at[IR_MAX_RANK] = {0}, size = source->size;
	const Instr *next = i + 1;
	for (int64_t k = 0; k < shape->numel; k++) {
		int64_t row = (int64_t)tile_element(index, at);
		if (row < 0 || row >= source->shape->dim[axis]) {
			char text[128];
			exec_element_text(text, sizeof text, shape, k);
			next = exec_fault(x, i, DIAG_RUN_INDEX,
					  "gather: index %lld is outside of [0, %lld) in %s", (long long)row,
					  (long long)source->shape->dim[axis], text);
			break;
		}
		int64_t offset = row * source->stride[axis];
		for (uint32_t d = 0; d < shape->rank; d++)
			offset += d == axis ? 0 : at[d] * source->stride[d];
		memcpy(out->data + k * size, source->data + offset, (size_t)size);
		for (uint32_t d = shape->rank; d-- > 0 && ++at[d] == shape->dim[d];)
			at[d] = 0;
	}
	tile_drop(&source_room);
	tile_drop(&index_room);
	return next;
}

bool interp_GATHER(Decoder *d, const IrOp *op)
{
	decode_instr(d, op, run_gather)->imm = int_attr(d, op, ATTR_AXIS);
	return true;
}

/* ---- constants ---- */

/* Constants are put into their slots once per context: a program never writes them. */
static Tile *constant_tile(Decoder *d, const IrOp *op)
{
	uint32_t slot = decode_slot(d, &op->results[0]);
	SlotType *type = &d->slots.data[slot];
	Tile t = {.form = FORM_NONE};
	tile_init(&t, type, type->shape ? type->shape : shape_of(d->arena, op->results[0].type));
	vec_push(d->arena, &d->constants, t);
	vec_push(d->arena, &d->constant_slots, slot);
	return &vec_last(&d->constants);
}

static void dense_constant(Decoder *d, Tile *t, IrAttr value)
{
	size_t n = (size_t)t->shape->numel;
	t->form = FORM_VIEW;
	t->data = arena_alloc_raw(d->arena, n * t->size + 64, 64);
	for (size_t k = 0; k < n; k++) {
		uint64_t word = value->words[value->splat ? 0 : k];
		memcpy(t->data + k * t->size, &word, t->size);
	}
	int64_t at = t->size;
	for (uint32_t k = t->shape->rank; k-- > 0;) {
		t->stride[k] = at;
		at *= t->shape->dim[k];
	}
	t->dense = true;
}

bool interp_CONSTANT(Decoder *d, const IrOp *op)
{
	IrAttr value = ir_get(op, d->cx, ATTR_VALUE);
	Tile *t = constant_tile(d, op);
	switch (value->kind) {
	case ATTR_KIND_BOOL:
	case ATTR_KIND_INT:
		tile_splat(t, (uint64_t)value->i);
		break;
	case ATTR_KIND_FLOAT:
		tile_splat(t, value->bits);
		break;
	case ATTR_KIND_DENSE:
		if (value->splat || t->shape->rank == 0)
			tile_splat(t, value->words[0]);
		else
			dense_constant(d, t, value);
		break;
	default:
		return decode_refuse(d, op, "a constant of this kind");
	}
	return true;
}

bool interp_POISON(Decoder *d, const IrOp *op)
{
	Tile *t = constant_tile(d, op);
	tile_splat(t, 0);
	return true;
}
