/* Tiles: buffers, forms, views, runs over several views. */
#include "base/fault.h"
#include "interp/exec.h"

#include <stdlib.h>

/* ---- buffers ---- */

void *exec_buf(Exec *x, size_t bytes, Buf **buf)
{
	CONTRACT(bytes);
	unsigned size_class = bytes <= 64 ? 6 : base_log2(bytes - 1) + 1;
	ASSERT(size_class < BUF_CLASSES);
	Buf *b = x->free_bufs[size_class];
	if (b) {
		x->free_bufs[size_class] = b->next;
	} else {
		b = aligned_alloc(64, BUF_HEAD + ((size_t)1 << size_class));
		if (!b)
			fault_raise(FAULT_MEMORY, "no memory for a tile of %zu bytes", bytes);
		*b = (Buf){.size_class = size_class, .owner = x, .all = x->all_bufs};
		x->all_bufs = b;
	}
	b->refs = 1;
	*buf = b;
	return (char *)b + BUF_HEAD;
}

void buf_unref(Buf *b)
{
	ASSERT(!b || b->refs);
	if (--b->refs)
		return;
	b->next = b->owner->free_bufs[b->size_class];
	b->owner->free_bufs[b->size_class] = b;
}

void tile_release(Tile *t)
{
	if (t->buf)
		buf_unref(t->buf);
	t->buf = NULL;
	t->form = FORM_NONE;
}

void tile_drop(Tile *t)
{
	tile_release(t);
}

void tile_borrow(Tile *to, const Tile *from)
{
	memcpy(to, from, offsetof(Tile, stride));
	uint32_t rank = from->shape ? from->shape->rank : 0;
	if (from->form == FORM_AFFINE || from->form == FORM_BOX || from->form == FORM_SUM)
		memcpy(to->step, from->step, rank * sizeof *to->step);
	if (from->form == FORM_VIEW || from->form == FORM_BOX || from->form == FORM_SUM)
		memcpy(to->stride, from->stride, rank * sizeof *to->stride);
	to->buf = NULL;
}

void tile_copy(Tile *to, const Tile *from)
{
	CONTRACT(from->form != FORM_NONE);
	CONTRACT(to != from);
	tile_borrow(to, from);
	to->buf = from->buf;
	if (to->buf)
		to->buf->refs++;
}

/* ---- shapes ---- */

Shape shape_make(uint32_t rank, const int64_t *dim)
{
	CONTRACT(rank <= IR_MAX_RANK);
	Shape s = {.rank = rank, .numel = 1};
	for (uint32_t d = 0; d < rank; d++) {
		s.dim[d] = dim[d];
		s.numel *= dim[d];
	}
	return s;
}

const Shape *shape_of(Arena *arena, IrType type)
{
	Shape *s = ARENA_NEW(arena, Shape);
	*s = ir_is_tensor(type) ? shape_make(type->rank, type->shape) : shape_make(0, NULL);
	return s;
}

static void canonical_strides(Tile *t)
{
	int64_t at = t->size;
	for (uint32_t d = t->shape->rank; d-- > 0;) {
		t->stride[d] = at;
		at *= t->shape->dim[d];
	}
}

void tile_set_dense(Tile *t)
{
	int64_t at = t->size;
	t->dense = true;
	for (uint32_t d = t->shape->rank; d-- > 0;) {
		if (t->stride[d] != at && t->shape->dim[d] != 1)
			t->dense = false;
		at *= t->shape->dim[d];
	}
}

/* ---- making tiles ---- */

void tile_init(Tile *t, const SlotType *type, const Shape *shape)
{
	CONTRACT(type->size && type->bits <= 8 * type->size);
	t->form = FORM_NONE;
	t->kind = type->kind;
	t->size = type->size;
	t->bits = type->bits;
	t->pointee_size = type->pointee_size;
	t->pointee = type->pointee;
	t->dense = false;
	t->origin = ORIGIN_ANY;
	t->shape = shape;
	t->buf = NULL;
}

Tile *tile_out(Exec *x, const Instr *i, unsigned k)
{
	uint32_t slot = i->slots[i->in + k];
	Tile *t = &x->slots[slot];
	if (t->buf)
		tile_release(t);
	const SlotType *type = &x->kernel->slots[slot];
	tile_init(t, type, type->shape ? type->shape : x->lift);
	return t;
}

uint64_t tile_normal(const Tile *t, uint64_t bits)
{
	if (t->bits == 64)
		return bits;
	if (t->kind == TY_I1)
		return bits & 1;
	unsigned unused = 64u - t->bits;
	return t->kind < TY_F8E4M3FN ? (uint64_t)((int64_t)(bits << unused) >> unused)
				     : bits << unused >> unused;
}

void tile_splat(Tile *t, uint64_t base)
{
	t->form = FORM_SPLAT;
	t->base = tile_normal(t, base);
}

void tile_simplify(Tile *t)
{
	t->base = tile_normal(t, t->base);
	bool flat = true;
	for (uint32_t d = 0; d < t->shape->rank; d++) {
		t->step[d] = t->shape->dim[d] == 1 ? 0 : (int64_t)tile_normal(t, (uint64_t)t->step[d]);
		flat = flat && !t->step[d];
	}
	if (t->form == FORM_AFFINE && flat)
		t->form = FORM_SPLAT;
}

void tile_alloc(Exec *x, Tile *t)
{
	CONTRACT(t->shape);
	t->data = exec_buf(x, (size_t)(t->shape->numel * t->size), &t->buf);
	t->form = FORM_VIEW;
	t->dense = true;
	canonical_strides(t);
}

void tile_alloc_reuse(Exec *x, const Instr *i, Tile *t)
{
	for (unsigned k = 0; k < i->in; k++) {
		const Tile *a = instr_in(x, i, k);
		if (!instr_kills(i, k) || a->form != FORM_VIEW || !a->dense || !a->buf || a->buf->refs != 1)
			continue;
		if (a->size != t->size || a->shape->numel != t->shape->numel ||
		    a->data != (char *)a->buf + BUF_HEAD)
			continue;
		t->buf = a->buf;
		t->buf->refs++;
		t->data = a->data;
		t->form = FORM_VIEW;
		t->dense = true;
		canonical_strides(t);
		return;
	}
	tile_alloc(x, t);
}

/* ---- elements ---- */

static uint64_t load_bits(const Tile *t, const char *at)
{
	uint64_t bits = 0;
	memcpy(&bits, at, t->size);
	return tile_normal(t, bits);
}

uint64_t tile_element(const Tile *t, const int64_t *index)
{
	uint32_t rank = t->shape->rank;
	uint64_t affine = t->base;
	int64_t offset = 0;
	switch (t->form) {
	case FORM_SPLAT:
		return t->base;
	case FORM_BOX:
		for (uint32_t d = 0; d < rank; d++)
			if (index[d] < t->stride[d] || index[d] >= t->step[d])
				return 0;
		return 1;
	case FORM_AFFINE:
	case FORM_SUM:
		for (uint32_t d = 0; d < rank; d++)
			affine += (uint64_t)t->step[d] * (uint64_t)index[d];
		if (t->form == FORM_AFFINE)
			return tile_normal(t, affine);
		break;
	default:
		affine = 0;
	}
	ASSERT(t->form == FORM_VIEW || t->form == FORM_SUM);
	for (uint32_t d = 0; d < rank; d++)
		offset += t->stride[d] * index[d];
	return tile_normal(t, load_bits(t, t->data + offset) + affine);
}

uint64_t tile_element_at(const Tile *t, int64_t linear)
{
	CONTRACT(linear >= 0 && linear < t->shape->numel);
	int64_t index[IR_MAX_RANK];
	for (uint32_t d = t->shape->rank; d-- > 0;) {
		index[d] = linear % t->shape->dim[d];
		linear /= t->shape->dim[d];
	}
	return tile_element(t, index);
}

bool tile_range(const Tile *t, int64_t *low, int64_t *high)
{
	int64_t lo = (int64_t)t->base, hi = lo;
	if (t->form == FORM_AFFINE) {
		for (uint32_t d = 0; d < t->shape->rank; d++) {
			int64_t reach;
			if (__builtin_mul_overflow(t->step[d], t->shape->dim[d] - 1, &reach) ||
			    __builtin_add_overflow(reach < 0 ? lo : hi, reach, reach < 0 ? &lo : &hi))
				return false;
		}
	} else if (t->form != FORM_SPLAT) {
		return false;
	}
	*low = lo;
	*high = hi;
	if (t->bits == 64)
		return true;
	int64_t most = ((int64_t)1 << (t->bits - 1)) - 1;
	return lo >= -most - 1 && hi <= most;
}

/* ---- runs ---- */

void walk_start(Walk *w, const Shape *shape, const Tile *const *tiles, uint32_t count)
{
	ASSERT(count <= WALK_MAX);
	CONTRACT(count);
	w->count = count;
	w->rank = 0;
	for (uint32_t k = 0; k < count; k++)
		w->at[k] = tiles[k]->form == FORM_SPLAT ? (char *)(uintptr_t)&tiles[k]->base : tiles[k]->data;
	for (uint32_t d = 0; d < shape->rank; d++) {
		if (shape->dim[d] == 1)
			continue;
		bool merge = w->rank > 0;
		for (uint32_t k = 0; k < count && merge; k++) {
			int64_t s = tiles[k]->form == FORM_SPLAT ? 0 : tiles[k]->stride[d];
			merge = w->stride[k][w->rank - 1] == s * shape->dim[d];
		}
		uint32_t at = merge ? w->rank - 1 : w->rank++;
		w->dim[at] = merge ? w->dim[at] * shape->dim[d] : shape->dim[d];
		w->index[at] = 0;
		for (uint32_t k = 0; k < count; k++)
			w->stride[k][at] = tiles[k]->form == FORM_SPLAT ? 0 : tiles[k]->stride[d];
	}
	if (!w->rank) {
		w->rank = 1;
		w->dim[0] = 1;
		w->index[0] = 0;
		for (uint32_t k = 0; k < count; k++)
			w->stride[k][0] = tiles[k]->form == FORM_SPLAT ? 0 : tiles[k]->size;
	}
	w->inner = w->dim[w->rank - 1];
}

bool walk_next(Walk *w)
{
	for (uint32_t d = w->rank - 1; d-- > 0;) {
		for (uint32_t k = 0; k < w->count; k++)
			w->at[k] += w->stride[k][d];
		if (++w->index[d] < w->dim[d])
			return true;
		for (uint32_t k = 0; k < w->count; k++)
			w->at[k] -= w->stride[k][d] * w->dim[d];
		w->index[d] = 0;
	}
	return false;
}

/* ---- elements of lazy forms ---- */

static void write_affine(Exec *x, const Tile *t, char *out)
{
	const Shape *s = t->shape;
	uint32_t last = s->rank - 1;
	int64_t n = s->dim[last], index[IR_MAX_RANK] = {0};
	for (int64_t row = 0; row < s->numel; row += n) {
		uint64_t base = t->base;
		for (uint32_t d = 0; d < last; d++)
			base += (uint64_t)t->step[d] * (uint64_t)index[d];
		x->k->iota(out + row * t->size, base, (uint64_t)t->step[last], t->size, (size_t)n);
		for (uint32_t d = last; d-- > 0 && ++index[d] == s->dim[d];)
			index[d] = 0;
	}
}

static void write_box(const Tile *t, char *out)
{
	const Shape *s = t->shape;
	uint32_t last = s->rank - 1;
	int64_t n = s->dim[last], index[IR_MAX_RANK] = {0};
	memset(out, 0, (size_t)s->numel);
	for (int64_t row = 0; row < s->numel; row += n) {
		bool in = true;
		for (uint32_t d = 0; d < last; d++)
			in = in && index[d] >= t->stride[d] && index[d] < t->step[d];
		if (in && t->step[last] > t->stride[last])
			memset(out + row + t->stride[last], 1, (size_t)(t->step[last] - t->stride[last]));
		for (uint32_t d = last; d-- > 0 && ++index[d] == s->dim[d];)
			index[d] = 0;
	}
}

static void write_sum(Exec *x, const Tile *t, char *out)
{
	Tile view = *t, affine = *t;
	view.form = FORM_VIEW;
	affine.form = FORM_AFFINE;
	tile_write(x, &view, out);
	Buf *buf;
	char *part = exec_buf(x, (size_t)(t->shape->numel * t->size), &buf);
	write_affine(x, &affine, part);
	x->k->binary[KB_ADDI][kern_type(t->kind)].vv(out, out, part, (size_t)t->shape->numel);
	buf_unref(buf);
}

void tile_write(Exec *x, const Tile *t, void *out)
{
	CONTRACT(t->form != FORM_NONE);
	size_t n = (size_t)t->shape->numel;
	if (t->form == FORM_SPLAT) {
		x->k->fill(out, t->base, t->size, n);
	} else if (t->form == FORM_AFFINE) {
		write_affine(x, t, out);
	} else if (t->form == FORM_BOX) {
		write_box(t, out);
	} else if (t->form == FORM_SUM) {
		write_sum(x, t, out);
	} else if (t->dense) {
		ASSERT(t->form == FORM_VIEW);
		memcpy(out, t->data, n * t->size);
	} else {
		ASSERT(t->form == FORM_VIEW);
		char *o = out;
		Walk w;
		walk_start(&w, t->shape, (const Tile *const[]){t}, 1);
		do {
			int64_t stride = w.stride[0][w.rank - 1];
			if (stride == t->size) {
				memcpy(o, w.at[0], (size_t)(w.inner * t->size));
			} else if (stride == 0) {
				uint64_t bits = 0;
				memcpy(&bits, w.at[0], t->size);
				x->k->fill(o, bits, t->size, (size_t)w.inner);
			} else {
				x->k->gather(o, w.at[0], stride, t->size, (size_t)w.inner);
			}
			o += w.inner * t->size;
		} while (walk_next(&w));
	}
}

const Tile *tile_dense(Exec *x, const Tile *t, Tile *room)
{
	CONTRACT(t->form != FORM_NONE);
	room->buf = NULL;
	if (t->form == FORM_VIEW && t->dense)
		return t;
	memcpy(room, t, offsetof(Tile, stride));
	room->buf = NULL;
	tile_alloc(x, room);
	tile_write(x, t, room->data);
	return room;
}

/* Dimensions along which t does not change are written once and viewed with stride 0. */
const Tile *tile_view(Exec *x, const Tile *t, Tile *room)
{
	CONTRACT(t->form != FORM_NONE);
	room->buf = NULL;
	if (t->form == FORM_VIEW || t->form == FORM_SPLAT)
		return t;
	Tile small;
	tile_borrow(&small, t);
	Shape shape = *t->shape;
	bool flat[IR_MAX_RANK];
	shape.numel = 1;
	for (uint32_t d = 0; d < shape.rank; d++) {
		flat[d] = t->form == FORM_BOX ? t->stride[d] == 0 && t->step[d] == shape.dim[d]
			  : t->form == FORM_SUM ? !t->step[d] && !t->stride[d] : !t->step[d];
		if (flat[d]) {
			shape.dim[d] = 1;
			small.stride[d] = 0;
			small.step[d] = t->form == FORM_BOX;
		}
		shape.numel *= shape.dim[d];
	}
	small.shape = &shape;
	memcpy(room, t, offsetof(Tile, stride));
	room->buf = NULL;
	room->shape = &shape;
	tile_alloc(x, room);
	tile_write(x, &small, room->data);
	room->shape = t->shape;
	for (uint32_t d = 0; d < shape.rank; d++)
		if (flat[d])
			room->stride[d] = 0;
	tile_set_dense(room);
	return room;
}

bool tile_same(Exec *x, const Tile *a, const Tile *b)
{
	if (a->form != b->form || a->shape->rank != b->shape->rank)
		return false;
	if (a->form == FORM_SPLAT)
		return a->base == b->base;
	if (a->form == FORM_VIEW && a->data == b->data && a->buf == b->buf && a->buf == NULL)
		return true;
	Tile ra, rb;
	const Tile *da = tile_dense(x, a, &ra), *db = tile_dense(x, b, &rb);
	bool same = a->form != FORM_OBJECT &&
		    memcmp(da->data, db->data, (size_t)(a->shape->numel * a->size)) == 0;
	tile_drop(&ra);
	tile_drop(&rb);
	return same;
}

void tile_rank0(Tile *t)
{
	if (t->form == FORM_SPLAT)
		return;
	uint64_t bits = tile_element_at(t, 0);
	tile_release(t);
	tile_splat(t, bits);
}
