/* tt.reduce, tt.scan, tt.map_elementwise.
 *
 * Order of a reduction along an axis of n elements, on every machine and for every body: with h = ceil(n / 2),
 * element i is combined with element i + h (when there is one), and so on with the h results. The body runs on
 * whole slices. Order of a scan: element by element for bodies of one operation; otherwise in log2(n) steps,
 * step s combining element i - 2^s with element i (Kogge and Stone), which never swaps the operands. */
#include "interp/elem.h"

enum { MAX_OPERANDS = 16 };

typedef struct Fold {
	const Body *body;
	ElemOp single; /* when body->single >= 0 */
	uint32_t axis, count;
	bool reverse;
} Fold;

/* A view of `a` (three dimensions outer, axis, inner) from `from` on along the axis. */
static void slice(Tile *out, const Tile *a, const Shape *shape, int64_t from)
{
	tile_borrow(out, a);
	out->data = a->data + from * a->stride[1];
	out->shape = shape;
	tile_set_dense(out);
}

/* The operand as a dense tile of three dimensions that may be overwritten. */
static void fold_operand(Exec *x, const Tile *a, uint32_t axis, Shape *shape, Tile *out)
{
	int64_t outer = 1, inner = 1;
	for (uint32_t d = 0; d < axis; d++)
		outer *= a->shape->dim[d];
	for (uint32_t d = axis + 1; d < a->shape->rank; d++)
		inner *= a->shape->dim[d];
	*shape = shape_make(3, (const int64_t[]){outer, a->shape->dim[axis], inner});
	memcpy(out, a, offsetof(Tile, stride));
	out->buf = NULL;
	out->shape = shape;
	tile_alloc(x, out);
	tile_write(x, a, out->data);
}

/* Runs the body on tiles of one shape; the results (views, splats or lazy) are in the body's slots. */
static bool run_body(Exec *x, const Body *body, const Shape *shape, const Tile *args)
{
	for (uint32_t k = 0; k < body->arg_count; k++) {
		Tile *slot = &x->slots[body->args[k]];
		tile_release(slot);
		tile_copy(slot, &args[k]);
		slot->shape = shape;
	}
	return exec_body(x, body, shape) != NULL;
}

/* Copies elements of view `from` over those of view `to`. */
static void assign(Exec *x, Tile *to, const Tile *from)
{
	Tile room;
	const Tile *view = tile_view(x, from, &room);
	Walk w;
	walk_start(&w, to->shape, (const Tile *const[]){to, view}, 2);
	uint32_t last = w.rank - 1;
	do {
		if (w.stride[0][last] == to->size && w.stride[1][last] == to->size)
			memmove(w.at[0], w.at[1], (size_t)(w.inner * to->size));
		else
			for (int64_t k = 0; k < w.inner; k++)
				memcpy(w.at[0] + k * w.stride[0][last], w.at[1] + k * w.stride[1][last], to->size);
	} while (walk_next(&w));
	tile_drop(&room);
}

/* left[k] = body(left, right), element by element of the views. */
static bool combine(Exec *x, const Fold *f, const Shape *shape, Tile *left, const Tile *right)
{
	uint32_t n = f->count;
	if (f->body->single >= 0 && !x->plain) {
		elem_runs(x, &f->single, &left[0], (const Tile *const[]){&left[0], &right[0]});
		return true;
	}
	Tile args[2 * MAX_OPERANDS];
	args[0].buf = NULL;
	ASSERT(n > 0 && n <= MAX_OPERANDS);
	if (!f->body->control) {
		for (uint32_t k = 0; k < n; k++) {
			tile_borrow(&args[k], &left[k]);
			tile_borrow(&args[n + k], &right[k]);
		}
		if (!run_body(x, f->body, shape, args))
			return false;
		/* All results before any is written: a result may be a view of an operand. */
		Tile dense[MAX_OPERANDS];
		for (uint32_t k = 0; k < n; k++) {
			Tile *r = &x->slots[f->body->results[k]];
			Tile from;
			tile_borrow(&from, r);
			from.shape = shape;
			memcpy(&dense[k], &from, offsetof(Tile, stride));
			tile_alloc(x, &dense[k]);
			tile_write(x, &from, dense[k].data);
		}
		for (uint32_t k = 0; k < n; k++) {
			assign(x, &left[k], &dense[k]);
			tile_drop(&dense[k]);
		}
		return true;
	}
	/* Bodies with control flow: one element at a time. */
	Shape scalar = shape_make(0, NULL);
	int64_t index[IR_MAX_RANK] = {0};
	for (int64_t e = 0; e < shape->numel; e++) {
		for (uint32_t k = 0; k < n; k++) {
			memcpy(&args[k], &left[k], offsetof(Tile, stride));
			memcpy(&args[n + k], &right[k], offsetof(Tile, stride));
			args[k].buf = args[n + k].buf = NULL;
			args[k].shape = args[n + k].shape = &scalar;
			tile_splat(&args[k], tile_element(&left[k], index));
			tile_splat(&args[n + k], tile_element(&right[k], index));
		}
		if (!run_body(x, f->body, &scalar, args))
			return false;
		for (uint32_t k = 0; k < n; k++) {
			uint64_t bits = tile_element_at(&x->slots[f->body->results[k]], 0);
			char *at = left[k].data;
			for (uint32_t d = 0; d < shape->rank; d++)
				at += left[k].stride[d] * index[d];
			memcpy(at, &bits, left[k].size);
		}
		for (uint32_t d = shape->rank; d-- > 0 && ++index[d] == shape->dim[d];)
			index[d] = 0;
	}
	return true;
}

/* ---- reduce ---- */

/* Rows folded in place; `row` elements of f32, f64 or an integer class. */
static void fold_rows(const Fold *f, char *data, int64_t outer, int64_t n, unsigned size)
{
	KernBinary *kernel = f->single.binary->vv;
	for (int64_t r = 0; r < outer; r++) {
		char *row = data + r * n * size;
		for (int64_t len = n; len > 1;) {
			int64_t half = (len + 1) / 2;
			kernel(row, row, row + half * size, (size_t)(len - half));
			len = half;
		}
	}
}

static void take_first(Exec *x, const Tile *work, Tile *out)
{
	int64_t outer = work->shape->dim[0], inner = work->shape->dim[2];
	if (out->shape->rank == 0) {
		uint64_t bits = 0;
		memcpy(&bits, work->data, out->size);
		tile_splat(out, bits);
		return;
	}
	tile_alloc(x, out);
	for (int64_t r = 0; r < outer; r++)
		memcpy(out->data + r * inner * out->size, work->data + r * work->stride[0],
		       (size_t)(inner * out->size));
}

static const Instr *run_reduce(Exec *x, const Instr *i)
{
	const Fold *f = i->aux;
	Shape shapes[MAX_OPERANDS];
	Tile work[MAX_OPERANDS], left[MAX_OPERANDS], right[MAX_OPERANDS];
	for (uint32_t k = 0; k < f->count; k++)
		fold_operand(x, instr_in(x, i, k), f->axis, &shapes[k], &work[k]);
	int64_t n = shapes[0].dim[1];
	bool ok = true;
	bool rows = f->body->single >= 0 && f->single.out_format < 0 && shapes[0].dim[2] == 1 && !x->plain;
	if (rows)
		fold_rows(f, work[0].data, shapes[0].dim[0], n, work[0].size);
	for (int64_t len = n; len > 1 && ok && !rows;) {
		int64_t half = (len + 1) / 2;
		Shape part = shape_make(3, (const int64_t[]){shapes[0].dim[0], len - half, shapes[0].dim[2]});
		for (uint32_t k = 0; k < f->count; k++) {
			slice(&left[k], &work[k], &part, 0);
			slice(&right[k], &work[k], &part, half);
		}
		ok = combine(x, f, &part, left, right);
		len = half;
	}
	for (uint32_t k = 0; k < f->count; k++) {
		if (ok)
			take_first(x, &work[k], tile_out(x, i, k));
		tile_drop(&work[k]);
	}
	return ok ? i->target : NULL;
}

/* ---- scan ---- */

/* One operation, element by element along the axis: row of `inner` elements with the row before. */
static void scan_rows(Exec *x, const Fold *f, const Tile *work)
{
	const Shape *s = work->shape;
	int64_t n = s->dim[1], inner = s->dim[2], step = f->reverse ? -1 : 1;
	Shape part = shape_make(1, &inner);
	for (int64_t r = 0; r < s->dim[0]; r++) {
		for (int64_t k = 1; k < n; k++) {
			int64_t at = f->reverse ? n - 1 - k : k;
			Tile to, before;
			slice(&to, work, work->shape, at);
			slice(&before, work, work->shape, at - step);
			to.data += r * work->stride[0];
			before.data += r * work->stride[0];
			to.shape = before.shape = &part;
			to.stride[0] = before.stride[0] = work->size;
			if (inner == 1 && f->single.out_format < 0)
				f->single.binary->vv(to.data, before.data, to.data, 1);
			else
				elem_runs(x, &f->single, &to, (const Tile *const[]){&before, &to});
		}
	}
}

static bool scan_steps(Exec *x, const Fold *f, const Shape *shape, Tile *work)
{
	Tile left[MAX_OPERANDS], right[MAX_OPERANDS];
	for (int64_t d = 1; d < shape->dim[1]; d *= 2) {
		Shape part = shape_make(3, (const int64_t[]){shape->dim[0], shape->dim[1] - d, shape->dim[2]});
		/* left: the earlier elements, copied since they are overwritten too. */
		for (uint32_t k = 0; k < f->count; k++) {
			Tile early;
			slice(&early, &work[k], &part, f->reverse ? d : 0);
			memcpy(&left[k], &early, offsetof(Tile, stride));
			tile_alloc(x, &left[k]);
			tile_write(x, &early, left[k].data);
			slice(&right[k], &work[k], &part, f->reverse ? 0 : d);
		}
		bool ok = combine(x, f, &part, left, right);
		for (uint32_t k = 0; k < f->count; k++) {
			if (ok)
				assign(x, &right[k], &left[k]);
			tile_drop(&left[k]);
		}
		if (!ok)
			return false;
	}
	return true;
}

static const Instr *run_scan(Exec *x, const Instr *i)
{
	const Fold *f = i->aux;
	Shape shapes[MAX_OPERANDS];
	Tile work[MAX_OPERANDS];
	for (uint32_t k = 0; k < f->count; k++)
		fold_operand(x, instr_in(x, i, k), f->axis, &shapes[k], &work[k]);
	bool ok = true;
	if (f->body->single >= 0)
		scan_rows(x, f, &work[0]);
	else
		ok = scan_steps(x, f, &shapes[0], work);
	for (uint32_t k = 0; k < f->count; k++) {
		if (ok) {
			Tile *out = tile_out(x, i, k);
			const Shape *shape = out->shape;
			tile_alloc(x, out);
			memcpy(out->data, work[k].data, (size_t)(shape->numel * out->size));
		}
		tile_drop(&work[k]);
	}
	return ok ? i->target : NULL;
}

static bool decode_fold(Decoder *d, const IrOp *op, InstrFn *fn)
{
	if (op->operand_count > MAX_OPERANDS)
		return decode_refuse(d, op, "a reduction of more than %d tiles", MAX_OPERANDS);
	Fold *f = ARENA_NEW(d->arena, Fold);
	f->axis = (uint32_t)ir_get_int(op, d->cx, ATTR_AXIS, 0);
	f->reverse = ir_get_bool(op, d->cx, ATTR_REVERSE);
	f->count = op->operand_count;
	uint32_t at = d->code.len;
	decode_instr(d, op, fn)->aux = f;
	f->body = decode_body(d, op, &op->regions[0]);
	d->code.data[at].target = (const Instr *)((uintptr_t)d->code.len + 1);
	if (f->body->single >= 0) {
		unsigned kind = (unsigned)ir_elem(ir_operand(op, 0)->type)->kind;
		f->single = *elem_new(d, ELEM_BINARY, 2);
		f->single.binary = &d->kernel->k->binary[f->body->single][kern_type(kind)];
		f->single.in_format[0] = f->single.in_format[1] = f->single.out_format = (int8_t)kern_format(kind);
	}
	return !d->failed;
}

bool interp_REDUCE(Decoder *d, const IrOp *op) { return decode_fold(d, op, run_reduce); }
bool interp_SCAN(Decoder *d, const IrOp *op) { return decode_fold(d, op, run_scan); }

/* ---- map_elementwise ---- */

typedef struct MapBody {
	const Body *body;
	uint32_t pack;
} MapBody;

/* The body takes `pack` elements of each operand in turn, and gives as many of each result. */
static const Instr *run_map(Exec *x, const Instr *i)
{
	const MapBody *m = i->aux;
	const Shape *shape = instr_in(x, i, 0)->shape;
	int64_t groups = shape->numel / m->pack;
	Shape lift = m->body->control ? shape_make(0, NULL) : shape_make(1, &groups);
	Tile rooms[MAX_OPERANDS];
	const Tile *in[MAX_OPERANDS];
	for (unsigned k = 0; k < i->in; k++)
		in[k] = tile_dense(x, instr_in(x, i, k), &rooms[k]);
	for (unsigned k = 0; k < i->out; k++)
		tile_alloc(x, tile_out(x, i, k));
	bool ok = true;
	int64_t steps = m->body->control ? groups : 1;
	for (int64_t s = 0; s < steps && ok; s++) {
		for (uint32_t k = 0; k < m->body->arg_count; k++) {
			const Tile *from = in[k / m->pack];
			Tile *slot = &x->slots[m->body->args[k]];
			tile_release(slot);
			memcpy(slot, from, offsetof(Tile, stride));
			slot->buf = NULL;
			slot->shape = &lift;
			slot->dense = false;
			slot->data = from->data + ((int64_t)(k % m->pack) + s * m->pack) * from->size;
			slot->stride[0] = (int64_t)m->pack * from->size;
			slot->form = FORM_VIEW;
			if (m->body->control)
				tile_rank0(slot);
			else
				tile_set_dense(slot);
		}
		ok = exec_body(x, m->body, &lift) != NULL;
		for (uint32_t k = 0; k < m->body->result_count && ok; k++) {
			Tile *out = &x->slots[i->slots[i->in + k / m->pack]], part, from;
			tile_borrow(&from, &x->slots[m->body->results[k]]);
			from.shape = &lift;
			tile_borrow(&part, out);
			part.shape = &lift;
			part.data = out->data + ((int64_t)(k % m->pack) + s * m->pack) * out->size;
			part.stride[0] = (int64_t)m->pack * out->size;
			part.dense = false;
			assign(x, &part, &from);
		}
	}
	for (unsigned k = 0; k < i->in; k++)
		tile_drop(&rooms[k]);
	return ok ? i->target : NULL;
}

bool interp_MAP_ELEMENTWISE(Decoder *d, const IrOp *op)
{
	if (op->operand_count > MAX_OPERANDS)
		return decode_refuse(d, op, "an element map of more than %d tiles", MAX_OPERANDS);
	MapBody *m = ARENA_NEW(d->arena, MapBody);
	m->pack = (uint32_t)ir_get_int(op, d->cx, ATTR_PACK, 1);
	uint32_t at = d->code.len;
	decode_instr(d, op, run_map)->aux = m;
	m->body = decode_body(d, op, &op->regions[0]);
	d->code.data[at].target = (const Instr *)((uintptr_t)d->code.len + 1);
	return !d->failed;
}
