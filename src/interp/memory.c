/* Loads, stores, atomics, block pointers, descriptors. Rows of the last dimension are the unit: a
 * row's addresses are affine or listed, its active elements an interval or listed. Each stretch of
 * memory is checked against the declared buffers before it is touched. Masked-off elements touch
 * nothing and read `other` (0 without one). */
#include "interp/memory.h"

#include "interp/control.h"
#include "interp/elem.h"

/* ---- rows ---- */

static void rows_locate(Rows *r)
{
	const Tile *p = r->ptr, *m = r->mask;
	uint32_t last = r->rank ? r->rank - 1 : 0;
	r->base = p->form == FORM_VIEW ? 0 : p->base;
	r->step = r->rank && (p->form == FORM_AFFINE || p->form == FORM_SUM) ? p->step[last] : 0;
	r->list = NULL;
	r->list_stride = 0;
	int64_t offset = 0;
	for (uint32_t d = 0; d < last; d++) {
		if (p->form == FORM_AFFINE || p->form == FORM_SUM)
			r->base += (uint64_t)p->step[d] * (uint64_t)r->index[d];
		if (p->form == FORM_VIEW || p->form == FORM_SUM)
			offset += p->stride[d] * r->index[d];
	}
	if (p->form == FORM_VIEW || p->form == FORM_SUM) {
		r->list = p->data + offset;
		r->list_stride = r->rank ? p->stride[last] : 0;
		if (r->list_stride == 0) {
			uint64_t address;
			memcpy(&address, r->list, 8);
			r->base += address;
			r->list = NULL;
		}
	}
	r->low = 0;
	r->high = r->n;
	r->bits = NULL;
	if (!m)
		return;
	if (m->form == FORM_SPLAT) {
		r->high = m->base & 1 ? r->n : 0;
	} else if (m->form == FORM_BOX) {
		for (uint32_t d = 0; d < last; d++)
			if (r->index[d] < m->stride[d] || r->index[d] >= m->step[d])
				r->high = 0;
		r->low = r->high ? m->stride[last] : 0;
		r->high = r->high ? m->step[last] : 0;
	} else {
		offset = 0;
		for (uint32_t d = 0; d < last; d++)
			offset += m->stride[d] * r->index[d];
		r->bits = (const uint8_t *)m->data + offset;
		r->bits_stride = r->rank ? m->stride[last] : 0;
		if (r->bits_stride == 0) {
			r->high = r->bits[0] ? r->n : 0;
			r->bits = NULL;
		}
	}
}

static void rows_start(Rows *r, const Shape *shape, const Tile *ptr, const Tile *mask)
{
	CONTRACT(ptr->kind == TY_PTR);
	r->shape = shape;
	r->rank = shape->rank;
	r->ptr = ptr;
	r->mask = mask;
	r->n = r->rank ? shape->dim[r->rank - 1] : 1;
	r->linear = 0;
	memset(r->index, 0, sizeof r->index);
	rows_locate(r);
}

static bool rows_next(Rows *r)
{
	r->linear += r->n;
	if (r->linear >= r->shape->numel)
		return false;
	for (uint32_t d = r->rank - 1; d-- > 0;) {
		if (++r->index[d] < r->shape->dim[d])
			break;
		r->index[d] = 0;
	}
	rows_locate(r);
	return true;
}

/* The next stretch of active elements from `from` on: [*low, *high), or false. */
static bool rows_stretch(const Rows *r, int64_t from, int64_t *low, int64_t *high)
{
	int64_t k = MAX(from, r->low);
	if (!r->bits) {
		*low = k;
		*high = r->high;
		return k < r->high;
	}
	while (k < r->high && !r->bits[k * r->bits_stride])
		k++;
	*low = k;
	while (k < r->high && r->bits[k * r->bits_stride])
		k++;
	*high = k;
	return *low < *high;
}

static inline uint64_t rows_address(const Rows *r, int64_t k)
{
	uint64_t address = r->base + (uint64_t)r->step * (uint64_t)k;
	if (r->list) {
		uint64_t listed;
		memcpy(&listed, r->list + k * r->list_stride, 8);
		address += listed;
	}
	return address;
}

/* The longest run of elements one after the other in memory, from k on. */
static int64_t rows_run(const Rows *r, int64_t k, int64_t high, int64_t size)
{
	if (!r->list)
		return r->step == size ? high - k : 1;
	uint64_t at = rows_address(r, k);
	int64_t n = 1;
	while (k + n < high && rows_address(r, k + n) == at + (uint64_t)(n * size))
		n++;
	return n;
}

/* ---- checks ---- */

int32_t exec_find_buffer(Exec *x, uint64_t address, uint64_t size, int32_t origin, bool write)
{
	CONTRACT(size);
	const LaunchBuffer *all = x->launch->buffers;
	if (origin >= 0) {
		const LaunchBuffer *b = &all[origin];
		bool in = b->size >= size && address - b->base <= b->size - size;
		return in && (!write || b->writable) ? origin : -1;
	}
	uint32_t count = x->launch->buffer_count;
	if (x->hit < count) {
		const LaunchBuffer *b = &all[x->hit];
		if (b->size >= size && address - b->base <= b->size - size && (!write || b->writable))
			return (int32_t)x->hit;
	}
	uint32_t low = 0, high = count; /* the last buffer that starts at or before the address */
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (all[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0) {
		const LaunchBuffer *b = &all[low];
		if (b->size >= size && address - b->base <= b->size - size && (!write || b->writable)) {
			x->hit = low;
			return (int32_t)low;
		}
		if (b->size)
			break;
	}
	return -1;
}

/* All of [address, address + size) is in one buffer. */
static inline bool allowed(Exec *x, uint64_t address, uint64_t size, int32_t origin, bool write)
{
	return exec_find_buffer(x, address, size, origin, write) >= 0;
}

/* ---- loads ---- */

/* Elements [low, high) of a row into `to`. The element that is not allowed, or -1. */
static int64_t load_stretch(Exec *x, const Rows *r, char *to, int64_t low, int64_t high, int32_t origin)
{
	int64_t size = r->size;
	if (!r->list && r->step != size && high - low > 1) {
		uint64_t first = rows_address(r, low), last = rows_address(r, high - 1);
		uint64_t least = r->step < 0 ? last : first, most = r->step < 0 ? first : last;
		if (most >= least && allowed(x, least, most - least + (uint64_t)size, origin, false)) {
			if (r->step == 0) {
				uint64_t bits = 0;
				memcpy(&bits, (const char *)(uintptr_t)first, (size_t)size);
				x->k->fill(to + low * size, bits, (unsigned)size, (size_t)(high - low));
			} else {
				x->k->gather(to + low * size, (const char *)(uintptr_t)first, r->step,
					     (unsigned)size, (size_t)(high - low));
			}
			return -1;
		}
	}
	for (int64_t k = low; k < high;) {
		int64_t n = rows_run(r, k, high, size);
		uint64_t address = rows_address(r, k);
		if (!allowed(x, address, (uint64_t)(n * size), origin, false)) {
			if (n == 1 || !allowed(x, address, (uint64_t)size, origin, false))
				return k;
			n = 1;
		}
		if (n == 1 && size == 4)
			memcpy(to + k * 4, (const char *)(uintptr_t)address, 4);
		else if (n == 1 && size == 2)
			memcpy(to + k * 2, (const char *)(uintptr_t)address, 2);
		else
			memcpy(to + k * size, (const char *)(uintptr_t)address, (size_t)(n * size));
		k += n;
	}
	return -1;
}

/* Where a row is not fully active: `other` everywhere. */
static void load_other(Exec *x, char *to, const Tile *other, int64_t linear, int64_t n, unsigned size)
{
	if (!other || other->form == FORM_SPLAT)
		x->k->fill(to, other ? other->base : 0, size, (size_t)n);
	else
		memcpy(to, other->data + linear * size, (size_t)n * size);
}

/* out (with type and shape) = the elements at ptr. `other` is NULL, a splat or dense. */
const Instr *memory_load(Exec *x, const Instr *i, Tile *out, const Tile *ptr, const Tile *mask,
			 const Tile *other)
{
	CONTRACT(out->shape->numel == ptr->shape->numel);
	Rows r;
	r.size = out->size;
	if (ptr->form == FORM_SPLAT && (!mask || (mask->form == FORM_SPLAT && mask->base))) {
		if (!allowed(x, ptr->base, out->size, ptr->origin, false))
			return exec_fault_access(x, i, "load", ptr->base, out->size, false, ptr->origin,
						 out->shape, 0);
		uint64_t bits = 0;
		memcpy(&bits, (const char *)(uintptr_t)ptr->base, out->size);
		tile_splat(out, bits);
		return i + 1;
	}
	tile_alloc(x, out);
	rows_start(&r, out->shape, ptr, mask);
	do {
		char *to = out->data + r.linear * out->size;
		if (r.bits || r.low > 0 || r.high < r.n)
			load_other(x, to, other, r.linear, r.n, out->size);
		int64_t low, high = 0;
		while (rows_stretch(&r, high, &low, &high)) {
			int64_t bad = load_stretch(x, &r, to, low, high, ptr->origin);
			if (bad >= 0)
				return exec_fault_access(x, i, "load", rows_address(&r, bad), out->size,
							 false, ptr->origin, out->shape, r.linear + bad);
		}
	} while (rows_next(&r));
	if (out->kind == TY_I1)
		x->k->binary[KB_ANDI][KT_8].vs(out->data, out->data, &(uint8_t){1},
					       (size_t)out->shape->numel);
	if (out->shape->rank == 0)
		tile_rank0(out);
	return i + 1;
}

/* Bytes from the first to past the last of an affine tile's elements. */
static void affine_extent(const Tile *ptr, const Shape *shape, unsigned size, uint64_t *low, uint64_t *bytes)
{
	uint64_t least = ptr->base, most = ptr->base;
	for (uint32_t d = 0; d < shape->rank; d++) {
		int64_t reach = tile_step(ptr, d) * (shape->dim[d] - 1);
		*(reach < 0 ? &least : &most) += (uint64_t)reach;
	}
	*low = least;
	*bytes = most >= least ? most - least + size : UINT64_MAX;
}

static bool all_active(const Tile *mask)
{
	return !mask || (mask->form == FORM_SPLAT && mask->base);
}

/* The memory itself as the loaded tile. */
static bool alias_memory(Exec *x, Tile *out, const Tile *ptr, const Tile *mask)
{
	uint64_t low, bytes;
	if (x->plain || ptr->form != FORM_AFFINE || !all_active(mask))
		return false;
	affine_extent(ptr, out->shape, out->size, &low, &bytes);
	uint64_t misaligned = ptr->base;
	for (uint32_t d = 0; d < out->shape->rank; d++)
		misaligned |= (uint64_t)ptr->step[d];
	if (misaligned % out->size || !allowed(x, low, bytes, ptr->origin, false))
		return false;
	out->form = FORM_VIEW;
	out->data = (char *)(uintptr_t)ptr->base;
	memcpy(out->stride, ptr->step, out->shape->rank * sizeof *out->stride);
	tile_set_dense(out);
	return true;
}

/* A mask in a form that rows understand. */
static const Tile *memory_mask(Exec *x, const Tile *mask, Tile *room)
{
	room->buf = NULL;
	if (!mask || mask->form == FORM_BOX)
		return mask;
	return tile_view(x, mask, room);
}

static const Instr *load_from(Exec *x, const Instr *i, Tile *out, const Tile *ptr, const Tile *mask,
			      const Tile *other)
{
	Tile mask_room, other_room = {.buf = NULL};
	mask = memory_mask(x, mask, &mask_room);
	if (other && other->form != FORM_SPLAT)
		other = tile_dense(x, other, &other_room);
	const Instr *next = memory_load(x, i, out, ptr, mask, other);
	tile_drop(&mask_room);
	tile_drop(&other_room);
	return next;
}

static const Instr *run_load(Exec *x, const Instr *i)
{
	const Tile *ptr = instr_in(x, i, 0);
	const Tile *mask = i->in > 1 ? instr_in(x, i, 1) : NULL,
		   *other = i->in > 2 ? instr_in(x, i, 2) : NULL;
	Tile *out = tile_out(x, i, 0);
	if (ptr->form == FORM_OBJECT)
		return object_load(x, i, out, ptr);
	if (i->imm && alias_memory(x, out, ptr, mask))
		return i + 1;
	return load_from(x, i, out, ptr, mask, other);
}

/* ---- stores ---- */

static void write_bytes(Exec *x, uint64_t address, const char *from, size_t size)
{
	char *to = (char *)(uintptr_t)address;
	if (x->kernel->may_wait && memcmp(to, from, size) == 0)
		return;
	memcpy(to, from, size);
	x->writes++;
}

static int64_t store_stretch(Exec *x, const Rows *r, const char *from, int64_t low, int64_t high,
			     int32_t origin)
{
	int64_t size = r->size;
	if (!r->list && r->step != size && r->step != 0 && high - low > 1 && !x->kernel->may_wait) {
		uint64_t first = rows_address(r, low), last = rows_address(r, high - 1);
		uint64_t least = r->step < 0 ? last : first, most = r->step < 0 ? first : last;
		if (most >= least && allowed(x, least, most - least + (uint64_t)size, origin, true)) {
			x->k->scatter((char *)(uintptr_t)first, r->step, from + low * size, (unsigned)size,
				      (size_t)(high - low));
			x->writes++;
			return -1;
		}
	}
	for (int64_t k = low; k < high;) {
		int64_t n = rows_run(r, k, high, size);
		uint64_t address = rows_address(r, k);
		if (!allowed(x, address, (uint64_t)(n * size), origin, true)) {
			if (n == 1 || !allowed(x, address, (uint64_t)size, origin, true))
				return k;
			n = 1;
		}
		write_bytes(x, address, from + k * size, (size_t)(n * size));
		k += n;
	}
	return -1;
}

const Instr *memory_store(Exec *x, const Instr *i, const Tile *ptr, const Tile *value, const Tile *mask)
{
	CONTRACT(value->shape->numel == ptr->shape->numel);
	Tile mask_room, value_room;
	Rows r;
	const Instr *next = i + 1;
	r.size = value->size;
	mask = memory_mask(x, mask, &mask_room);
	value = tile_dense(x, value, &value_room);
	rows_start(&r, value->shape, ptr, mask);
	do {
		int64_t low, high = 0, bad = -1;
		while (bad < 0 && rows_stretch(&r, high, &low, &high))
			bad = store_stretch(x, &r, value->data + r.linear * r.size, low, high, ptr->origin);
		if (bad >= 0) {
			next = exec_fault_access(x, i, "store", rows_address(&r, bad), (uint32_t)r.size, true,
						 ptr->origin, value->shape, r.linear + bad);
			break;
		}
	} while (rows_next(&r));
	tile_drop(&mask_room);
	tile_drop(&value_room);
	return next;
}

static const Instr *run_store(Exec *x, const Instr *i)
{
	const Tile *ptr = instr_in(x, i, 0), *value = instr_in(x, i, 1);
	const Tile *mask = i->in > 2 ? instr_in(x, i, 2) : NULL;
	if (ptr->form == FORM_OBJECT)
		return object_store(x, i, ptr, value);
	return memory_store(x, i, ptr, value, mask);
}

bool interp_LOAD(Decoder *d, const IrOp *op)
{
	d->reads++;
	Instr *i = decode_instr(d, op, run_load);
	i->imm = decode_may_alias(op) && !ir_is_volatile(op);
	if (ir_is_block_ptr(ir_operand(op, 0)->type))
		i->aux = object_access(d, op);
	return true;
}

/* ---- stores of what an elementwise op computes ---- */

typedef struct FusedStore {
	const ElemOp *elem;
	unsigned first; /* its first operand among the instruction's */
} FusedStore;

/* Is the destination one dense piece that no operand overlaps but exactly? */
static bool direct(Exec *x, const Tile *out, const Tile *ptr, const Tile *mask, const Tile *const *in,
		   unsigned count)
{
	if (x->plain || x->kernel->may_wait || ptr->form != FORM_AFFINE || !all_active(mask))
		return false;
	uint64_t bytes = (uint64_t)(out->shape->numel * out->size);
	int64_t at = out->size;
	for (uint32_t d = out->shape->rank; d-- > 0;) {
		if (ptr->step[d] != at && out->shape->dim[d] != 1)
			return false;
		at *= out->shape->dim[d];
	}
	if (ptr->base % out->size || !allowed(x, ptr->base, bytes, ptr->origin, true))
		return false;
	bool flat = true;
	for (unsigned k = 0; k < count; k++) {
		flat = flat && in[k]->form == FORM_SPLAT;
		if (in[k]->form != FORM_VIEW)
			continue;
		Tile address = {.base = (uint64_t)(uintptr_t)in[k]->data, .form = FORM_AFFINE};
		memcpy(address.step, in[k]->stride, out->shape->rank * sizeof *address.step);
		uint64_t low, length;
		affine_extent(&address, out->shape, in[k]->size, &low, &length);
		bool same = in[k]->dense && low == ptr->base && length == bytes;
		if (!same && low < ptr->base + bytes && ptr->base < low + length)
			return false;
	}
	return !flat;
}

static const Instr *run_fused_store(Exec *x, const Instr *i)
{
	const FusedStore *f = i->aux;
	const Tile *ptr = instr_in(x, i, 0), *mask = f->first > 1 ? instr_in(x, i, 1) : NULL,
		   *in[ELEM_MAX_IN];
	for (unsigned k = 0; k < f->elem->count; k++)
		in[k] = instr_in(x, i, f->first + k);
	Tile *out = tile_out(x, i, 0);
	if (!direct(x, out, ptr, mask, in, f->elem->count)) {
		elem_run(x, NULL, f->elem, out, in);
		const Instr *next = memory_store(x, i, ptr, out, mask);
		tile_release(out);
		return next;
	}
	Tile room[ELEM_MAX_IN];
	for (unsigned k = 0; k < f->elem->count; k++)
		in[k] = tile_view(x, in[k], &room[k]);
	out->form = FORM_VIEW;
	out->data = (char *)(uintptr_t)ptr->base;
	memcpy(out->stride, ptr->step, out->shape->rank * sizeof *out->stride);
	tile_set_dense(out);
	elem_runs(x, f->elem, out, in);
	x->writes++;
	out->form = FORM_NONE;
	for (unsigned k = 0; k < f->elem->count; k++)
		tile_drop(&room[k]);
	return i + 1;
}

static bool decode_fused_store(Decoder *d, const IrOp *op, const IrOp *value)
{
	uint32_t at = d->code.len;
	if (!interp_tab[value->kind](d, value))
		return false;
	Instr elem = vec_last(&d->code);
	ASSERT(d->code.len == at + 1 && elem.fn == elem_plain);
	d->code.len = at;
	FusedStore *f = ARENA_NEW(d->arena, FusedStore);
	f->elem = elem.aux;
	f->first = op->operand_count - 1;
	uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, f->first + elem.in + 1u);
	slots[0] = decode_slot(d, ir_operand(op, 0));
	if (f->first > 1)
		slots[1] = decode_slot(d, ir_operand(op, 2));
	memcpy(slots + f->first, elem.slots, (elem.in + 1u) * sizeof *slots);
	Instr *i = decode_emit(d, op, run_fused_store, slots, f->first + elem.in, 1);
	i->aux = f;
	decode_kill_operands(d, i, op);
	return true;
}

bool interp_STORE(Decoder *d, const IrOp *op)
{
	const IrOp *value = ir_operand(op, 1)->def;
	if (value && decode_fused(value) == op)
		return decode_fused_store(d, op, value);
	Instr *i = decode_instr(d, op, run_store);
	if (ir_is_block_ptr(ir_operand(op, 0)->type))
		i->aux = object_access(d, op);
	return true;
}
