/* Integer and pointer operations on lazy forms: affine functions of the indices and boxes of true elements. An
 * affine form is a value modulo 2^bits, so sums and products with a constant are exact; comparisons, extensions and
 * quotients first prove that no element wraps (tile_range). What does not fit goes to the vector kernels. */
#include "interp/elem.h"

static bool keeps_sums(const Tile *t)
{
	return t->kind == TY_I32 || t->kind == TY_I64 || t->kind == TY_PTR;
}

/* A view that repeats along some dimension is worth adding to lazily. */
static bool repeats(const Tile *t)
{
	for (uint32_t d = 0; d < t->shape->rank; d++)
		if (t->stride[d] == 0 && t->shape->dim[d] > 1)
			return true;
	return false;
}

/* out = a + sign * b for affine parts; out->form is set by the caller. */
static void add_affine(Tile *out, const Tile *a, const Tile *b, int64_t sign)
{
	out->base = a->base + (uint64_t)sign * b->base;
	for (uint32_t d = 0; d < out->shape->rank; d++)
		out->step[d] = (int64_t)((uint64_t)tile_step(a, d) + (uint64_t)sign * (uint64_t)tile_step(b, d));
}

static void affine_result(Tile *out)
{
	out->form = FORM_AFFINE;
	tile_simplify(out);
}

/* out = a (view or sum) + sign * b (affine). */
static bool add_to_view(Tile *out, const Tile *a, const Tile *b, int64_t sign)
{
	if (!keeps_sums(a) || (a->form != FORM_SUM && (a->form != FORM_VIEW || !repeats(a))) || !tile_is_affine(b))
		return false;
	bool moving = b->form == FORM_AFFINE || a->form == FORM_SUM;
	if (!moving)
		return false;
	out->data = a->data;
	out->buf = a->buf;
	if (out->buf)
		out->buf->refs++;
	for (uint32_t d = 0; d < out->shape->rank; d++) {
		out->stride[d] = a->stride[d];
		int64_t step = a->form == FORM_SUM ? a->step[d] : 0;
		out->step[d] = (int64_t)((uint64_t)step + (uint64_t)sign * (uint64_t)tile_step(b, d));
	}
	out->base = (a->form == FORM_SUM ? a->base : 0) + (uint64_t)sign * b->base;
	out->form = FORM_SUM;
	tile_simplify(out);
	return true;
}

static bool lazy_allowed(const Exec *x)
{
	return !interp_is_plain(x);
}

static const Instr *run_sum(Exec *x, const Instr *i, int64_t sign)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	if (!lazy_allowed(x))
		return elem_plain(x, i);
	if (tile_is_affine(a) && tile_is_affine(b)) {
		Tile *out = tile_out(x, i, 0);
		add_affine(out, a, b, sign);
		affine_result(out);
		return i + 1;
	}
	if (a->form >= FORM_VIEW || (sign > 0 && b->form >= FORM_VIEW)) {
		Tile *out = tile_out(x, i, 0);
		if (add_to_view(out, a, b, sign) || (sign > 0 && add_to_view(out, b, a, sign)))
			return i + 1;
	}
	return elem_plain(x, i);
}

static const Instr *run_add(Exec *x, const Instr *i)
{
	return run_sum(x, i, 1);
}

static const Instr *run_sub(Exec *x, const Instr *i)
{
	return run_sum(x, i, -1);
}

static const Instr *run_mul(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	if (a->form == FORM_SPLAT) {
		const Tile *swap = a;
		a = b;
		b = swap;
	}
	if (!lazy_allowed(x) || b->form != FORM_SPLAT || !tile_is_affine(a))
		return elem_plain(x, i);
	Tile *out = tile_out(x, i, 0);
	out->base = a->base * b->base;
	for (uint32_t d = 0; d < out->shape->rank; d++)
		out->step[d] = (int64_t)((uint64_t)tile_step(a, d) * b->base);
	affine_result(out);
	return i + 1;
}

/* Bools: boxes intersect. */
static void box_of(const Tile *t, int64_t *low, int64_t *high)
{
	for (uint32_t d = 0; d < t->shape->rank; d++) {
		low[d] = t->form == FORM_BOX ? t->stride[d] : 0;
		high[d] = t->form == FORM_BOX ? t->step[d] : t->base ? t->shape->dim[d] : 0;
	}
}

static void box_simplify(Tile *t)
{
	bool all = true;
	for (uint32_t d = 0; d < t->shape->rank; d++) {
		if (t->stride[d] >= t->step[d]) {
			tile_splat(t, 0);
			return;
		}
		all = all && t->stride[d] == 0 && t->step[d] == t->shape->dim[d];
	}
	if (all)
		tile_splat(t, 1);
}

const Instr *elem_copy(Exec *x, const Instr *i, unsigned k)
{
	const Tile *a = instr_in(x, i, k);
	Tile *out = tile_out(x, i, 0);
	const Shape *shape = out->shape;
	tile_copy(out, a);
	if (out->form == FORM_SPLAT)
		out->shape = shape;
	return i + 1;
}

static const Instr *run_and_bool(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	if (!lazy_allowed(x))
		return elem_plain(x, i);
	if (a->form == FORM_SPLAT)
		return elem_copy(x, i, a->base ? 1 : 0);
	if (b->form == FORM_SPLAT)
		return elem_copy(x, i, b->base ? 0 : 1);
	if (a->form != FORM_BOX || b->form != FORM_BOX)
		return elem_plain(x, i);
	int64_t al[IR_MAX_RANK], ah[IR_MAX_RANK], bl[IR_MAX_RANK], bh[IR_MAX_RANK];
	box_of(a, al, ah);
	box_of(b, bl, bh);
	Tile *out = tile_out(x, i, 0);
	out->form = FORM_BOX;
	for (uint32_t d = 0; d < out->shape->rank; d++) {
		out->stride[d] = MAX(al[d], bl[d]);
		out->step[d] = MIN(ah[d], bh[d]);
	}
	box_simplify(out);
	return i + 1;
}

static const Instr *run_or_bool(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	if (lazy_allowed(x) && a->form == FORM_SPLAT)
		return elem_copy(x, i, a->base ? 0 : 1);
	if (lazy_allowed(x) && b->form == FORM_SPLAT)
		return elem_copy(x, i, b->base ? 1 : 0);
	return elem_plain(x, i);
}

/* Quotients and remainders by a positive constant: nothing to do where all elements are in [0, c). */
static bool below_divisor(const Tile *a, const Tile *b)
{
	int64_t low, high;
	return b->form == FORM_SPLAT && (int64_t)b->base > 0 && tile_range(a, &low, &high) && low >= 0 &&
	       high < (int64_t)b->base;
}

static const Instr *run_rem(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	return lazy_allowed(x) && a->form == FORM_AFFINE && below_divisor(a, b) ? elem_copy(x, i, 0)
										: elem_plain(x, i);
}

static const Instr *run_div(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	if (!lazy_allowed(x) || a->form != FORM_AFFINE || !below_divisor(a, b))
		return elem_plain(x, i);
	tile_splat(tile_out(x, i, 0), 0);
	return i + 1;
}

/* ---- comparisons ---- */

/* Where a + b * index has the wanted relation to 0, for index in [0, n): an interval. */
static void solve(int64_t a, int64_t b, IrCmpI p, int64_t n, int64_t *low, int64_t *high)
{
	*low = 0;
	*high = n;
	if (p == CMPI_EQ) {
		bool hit = -a % b == 0 && -a / b >= 0 && -a / b < n;
		*low = hit ? -a / b : 0;
		*high = hit ? *low + 1 : 0;
		return;
	}
	/* All others as a + b * index < 0. */
	if (p == CMPI_SGT || p == CMPI_SGE) {
		a = -a;
		b = -b;
	}
	if (p == CMPI_SLE || p == CMPI_SGE)
		a -= 1;
	if (b > 0) { /* index < -a / b, rounded up */
		int64_t bound = a >= 0 ? 0 : (-a + b - 1) / b;
		*high = MIN(n, bound);
	} else { /* index > a / -b, rounded down */
		int64_t bound = a < 0 ? 0 : a / -b + 1;
		*low = MIN(n, bound);
	}
}

const Instr *elem_cmpi(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	int64_t al, ah, bl, bh;
	if (!lazy_allowed(x) || (a->form == FORM_SPLAT && b->form == FORM_SPLAT) || !tile_range(a, &al, &ah) ||
	    !tile_range(b, &bl, &bh) || i->imm == CMPI_NE)
		return elem_plain(x, i);
	IrCmpI p = (IrCmpI)i->imm;
	if (p >= CMPI_ULT) {
		if (al < 0 || bl < 0)
			return elem_plain(x, i);
		p = p - CMPI_ULT + CMPI_SLT;
	}
	const int64_t limit = INT64_MAX / 4;
	if (al < -limit || ah > limit || bl < -limit || bh > limit)
		return elem_plain(x, i);
	uint32_t moving = 0, dim = 0, rank = MAX(a->shape->rank, b->shape->rank);
	const Shape *shape = a->form == FORM_AFFINE ? a->shape : b->shape;
	for (uint32_t d = 0; d < rank; d++) {
		if (tile_step(a, d) != tile_step(b, d)) {
			moving++;
			dim = d;
		}
	}
	int64_t low = (int64_t)(a->base - b->base), high = low;
	for (uint32_t d = 0; d < rank; d++) {
		int64_t reach = (tile_step(a, d) - tile_step(b, d)) * (shape->dim[d] - 1);
		low += MIN(reach, 0);
		high += MAX(reach, 0);
	}
	bool always = p == CMPI_SLT ? high < 0 : p == CMPI_SLE ? high <= 0 : p == CMPI_SGT ? low > 0
		      : p == CMPI_SGE ? low >= 0 : low == 0 && high == 0;
	bool never = p == CMPI_SLT ? low >= 0 : p == CMPI_SLE ? low > 0 : p == CMPI_SGT ? high <= 0
		     : p == CMPI_SGE ? high < 0 : low > 0 || high < 0;
	if (!always && !never && moving != 1)
		return elem_plain(x, i);
	Tile *out = tile_out(x, i, 0);
	if (always || never) {
		tile_splat(out, always);
		return i + 1;
	}
	out->form = FORM_BOX;
	for (uint32_t d = 0; d < rank; d++) {
		out->stride[d] = 0;
		out->step[d] = shape->dim[d];
	}
	solve((int64_t)(a->base - b->base), tile_step(a, dim) - tile_step(b, dim), p, shape->dim[dim],
	      &out->stride[dim], &out->step[dim]);
	box_simplify(out);
	return i + 1;
}

/* Minimum and maximum of affine tiles of which one is nowhere greater. */
static const Instr *run_minmax(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1);
	int64_t al, ah, bl, bh;
	if (!lazy_allowed(x) || a->form == b->form || !tile_range(a, &al, &ah) || !tile_range(b, &bl, &bh))
		return elem_plain(x, i);
	bool least = i->op == OP_MINSI || i->op == OP_MINUI, is_signed = i->op == OP_MINSI || i->op == OP_MAXSI;
	if (!is_signed && (al < 0 || bl < 0))
		return elem_plain(x, i);
	if (ah <= bl)
		return elem_copy(x, i, least ? 0 : 1);
	if (bh <= al)
		return elem_copy(x, i, least ? 1 : 0);
	return elem_plain(x, i);
}

InstrFn *elem_lazy_of(IrOpKind op, unsigned kind)
{
	bool is_bool = kind == TY_I1;
	switch (op) {
	case OP_ADDI:
		return is_bool ? NULL : run_add;
	case OP_SUBI:
		return is_bool ? NULL : run_sub;
	case OP_MULI:
		return is_bool ? run_and_bool : run_mul;
	case OP_ANDI:
		return is_bool ? run_and_bool : NULL;
	case OP_ORI:
		return is_bool ? run_or_bool : NULL;
	case OP_REMSI:
	case OP_REMUI:
		return is_bool ? NULL : run_rem;
	case OP_DIVSI:
	case OP_DIVUI:
		return is_bool ? NULL : run_div;
	case OP_MINSI:
	case OP_MAXSI:
	case OP_MINUI:
	case OP_MAXUI:
		return is_bool ? NULL : run_minmax;
	default:
		return NULL;
	}
}

/* ---- extension, truncation ---- */

static const Instr *run_resize(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0);
	int64_t low, high;
	bool exact = i->op == OP_TRUNCI;
	if (!exact && lazy_allowed(x) && tile_is_affine(a) && a->kind != TY_I1)
		exact = tile_range(a, &low, &high) && (i->op == OP_EXTSI || low >= 0);
	const SlotType *to = &x->kernel->slots[i->slots[i->in]];
	if (!lazy_allowed(x) || !exact || to->kind == TY_I1 || a->kind == TY_I1 || a->form != FORM_AFFINE)
		return elem_plain(x, i);
	Tile *out = tile_out(x, i, 0);
	out->base = a->base;
	memcpy(out->step, a->step, out->shape->rank * sizeof *out->step);
	affine_result(out);
	return i + 1;
}

static bool decode_resize(Decoder *d, const IrOp *op)
{
	unsigned from = (unsigned)ir_elem(ir_operand(op, 0)->type)->kind;
	unsigned to = (unsigned)ir_elem(op->results[0].type)->kind;
	ElemOp *e = elem_new(d, ELEM_UNARY, 1);
	bool is_signed = op->kind == OP_EXTSI;
	if (from == TY_I1 && is_signed) { /* true is all ones: 0 - x after extension */
		e->shape = ELEM_SCALAR;
		e->scalar = elem_sext_bool;
		e->size_log = (uint8_t)kern_type(to);
	} else {
		e->unary = d->kernel->k->widen[kern_type(from)][kern_type(to)][is_signed];
		e->mask_bool = to == TY_I1;
	}
	decode_instr(d, op, run_resize)->aux = e;
	return true;
}

bool interp_EXTSI(Decoder *d, const IrOp *op) { return decode_resize(d, op); }
bool interp_EXTUI(Decoder *d, const IrOp *op) { return decode_resize(d, op); }
bool interp_TRUNCI(Decoder *d, const IrOp *op) { return decode_resize(d, op); }

/* ---- pointers ---- */

/* The offsets as i64 multiplied by the element's size: exact, since an offset wraps in its own width only. */
static bool scale_affine(const Tile *offset, int64_t size, Tile *scaled)
{
	int64_t low, high;
	if (!tile_is_affine(offset) || !tile_range(offset, &low, &high))
		return false;
	scaled->base = offset->base * (uint64_t)size;
	for (uint32_t d = 0; d < offset->shape->rank; d++)
		scaled->step[d] = (int64_t)((uint64_t)tile_step(offset, d) * (uint64_t)size);
	scaled->form = offset->form;
	return true;
}

/* View offsets as i64 byte offsets: each different element once. */
static void scale_view(Exec *x, const Tile *offset, int64_t size, Tile *scaled)
{
	Tile part, room;
	tile_borrow(&part, offset);
	Shape shape = *offset->shape;
	shape.numel = 1;
	for (uint32_t d = 0; d < shape.rank; d++) {
		if (part.stride[d] == 0)
			shape.dim[d] = 1;
		shape.numel *= shape.dim[d];
	}
	part.shape = &shape;
	const Tile *dense = tile_dense(x, &part, &room);
	tile_init(scaled, &(SlotType){.kind = TY_I64, .size = 8, .bits = 64}, &shape);
	tile_alloc(x, scaled);
	size_t n = (size_t)shape.numel;
	x->k->widen[kern_type(offset->kind)][KT_64][1](scaled->data, dense->data, n);
	if (size != 1)
		x->k->binary[KB_MULI][KT_64].vs(scaled->data, scaled->data, &size, n);
	for (uint32_t d = 0; d < shape.rank; d++)
		if (shape.dim[d] != offset->shape->dim[d])
			scaled->stride[d] = 0;
	scaled->shape = offset->shape;
	tile_set_dense(scaled);
	tile_drop(&room);
}

/* Least and greatest element of a view, each different one looked at once. */
static void view_range(Exec *x, const Tile *t, int64_t *low, int64_t *high)
{
	Tile scaled;
	scale_view(x, t, 1, &scaled);
	int64_t n = 1;
	for (uint32_t d = 0; d < t->shape->rank; d++)
		n *= scaled.stride[d] ? t->shape->dim[d] : 1;
	const int64_t *p = (const int64_t *)(const void *)scaled.data;
	*low = *high = p[0];
	for (int64_t k = 1; k < n; k++) {
		*low = MIN(*low, p[k]);
		*high = MAX(*high, p[k]);
	}
	tile_drop(&scaled);
}

/* A SUM of i32 whose elements all stay in range: view and affine part may be extended apart. */
static bool sum_is_exact(Exec *x, const Tile *t)
{
	int64_t low, high, least, most;
	Tile affine;
	tile_borrow(&affine, t);
	affine.form = FORM_AFFINE;
	if (t->bits == 64)
		return true; /* addresses wrap at 64 bits too */
	if (!tile_range(&affine, &low, &high))
		return false;
	Tile view;
	tile_borrow(&view, t);
	view.form = FORM_VIEW;
	view_range(x, &view, &least, &most);
	return low + least >= INT32_MIN && high + most <= INT32_MAX;
}

/* out = pointers + scaled (i64 bytes): affine, or a view with affine part. */
static void add_scaled(Exec *x, Tile *out, const Tile *ptr, const Tile *scaled)
{
	if (tile_is_affine(ptr) && tile_is_affine(scaled)) {
		add_affine(out, ptr, scaled, 1);
		affine_result(out);
		return;
	}
	bool ptr_view = ptr->form == FORM_VIEW || ptr->form == FORM_SUM;
	bool off_view = scaled->form == FORM_VIEW || scaled->form == FORM_SUM;
	if (ptr_view && off_view) {
		Tile a, b;
		const Tile *p = tile_view(x, ptr, &a), *o = tile_view(x, scaled, &b);
		tile_alloc(x, out);
		ElemOp e = {.shape = ELEM_BINARY, .count = 2, .in_format = {-1, -1, -1, -1, -1}, .out_format = -1};
		e.binary = &x->k->binary[KB_ADDI][KT_64];
		elem_runs(x, &e, out, (const Tile *const[]){p, o});
		tile_drop(&a);
		tile_drop(&b);
		return;
	}
	const Tile *view = ptr_view ? ptr : scaled, *affine = ptr_view ? scaled : ptr;
	out->form = FORM_SUM;
	out->data = view->data;
	out->buf = view->buf;
	if (out->buf)
		out->buf->refs++;
	for (uint32_t d = 0; d < out->shape->rank; d++) {
		out->stride[d] = view->stride[d];
		out->step[d] = (view->form == FORM_SUM ? view->step[d] : 0) + tile_step(affine, d);
	}
	out->base = (view->form == FORM_SUM ? view->base : 0) + affine->base;
	tile_simplify(out);
}

static const Instr *run_addptr(Exec *x, const Instr *i)
{
	const Tile *ptr = instr_in(x, i, 0), *offset = instr_in(x, i, 1);
	Tile *out = tile_out(x, i, 0);
	out->origin = ptr->origin;
	Tile scaled = {.form = FORM_NONE};
	int64_t size = ptr->pointee_size;
	Tile room = {.buf = NULL};
	if (interp_is_plain(x) && offset->form != FORM_SPLAT)
		offset = tile_dense(x, offset, &room);
	if (!scale_affine(offset, size, &scaled)) {
		Tile inner = {.buf = NULL};
		if (offset->form == FORM_SUM && sum_is_exact(x, offset)) {
			Tile view;
			tile_borrow(&view, offset);
			view.form = FORM_VIEW;
			scale_view(x, &view, size, &scaled);
			scaled.form = FORM_SUM;
			scaled.base = offset->base * (uint64_t)size;
			for (uint32_t d = 0; d < offset->shape->rank; d++)
				scaled.step[d] = offset->step[d] * size;
		} else {
			scale_view(x, tile_view(x, offset, &inner), size, &scaled);
			tile_drop(&inner);
		}
	}
	scaled.shape = out->shape;
	add_scaled(x, out, ptr, &scaled);
	if (interp_is_plain(x) && out->form != FORM_SPLAT && !(out->form == FORM_VIEW && out->dense)) {
		Tile dense;
		tile_dense(x, out, &dense);
		tile_release(out);
		*out = dense;
	}
	tile_drop(&scaled);
	tile_drop(&room);
	return i + 1;
}

bool interp_ADDPTR(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_addptr); }
