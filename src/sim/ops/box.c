/* Boxes of tensors: where their elements are, in shared memory and in the tensor, and what is noted
 * of the tensor's memory when a copy is issued, has been made, and has been waited for. */
#include "sim/ops/async.h"
#include "sim/ops/memory.h"
#include "target/tensor_map.h"

uint32_t sim_box_bytes(const SimBox *box)
{
	uint32_t bytes = box->map.element;
	for (unsigned d = 0; d < box->map.rank; d++)
		bytes *= box->counts[d];
	return bytes;
}

uint32_t sim_box_swizzled(uint32_t at, unsigned swizzle)
{
	uint32_t bits = swizzle ? swizzle / 16 - 1 : 0;
	return at ^ (at >> 7 & bits) << 4;
}

/* Stores end where sixteen bytes do that begin in the tensor (seen on an H200: elements behind a
 * last size that is no multiple of them are written); loads end with the tensor. */
static uint64_t last_size(const SimTensorMap *m, bool stores)
{
	return stores ? (m->dims[0] * m->element + 15) / 16 * 16 / m->element : m->dims[0];
}

bool sim_box_element(const SimBox *box, uint32_t number, bool stores, uint64_t *address)
{
	const SimTensorMap *m = &box->map;
	bool inside = true;
	*address = m->address;
	for (unsigned d = 0; d < m->rank; d++) {
		int64_t at = box->at[d] + (int64_t)(number % box->counts[d]) * m->steps[d];
		number /= box->counts[d];
		inside &= at >= 0 && (uint64_t)at < (d ? m->dims[d] : last_size(m, stores));
		*address += (uint64_t)at * (d ? m->strides[d - 1] : m->element);
	}
	return inside;
}

static uint64_t filling(const SimTensorMap *m)
{
	if (!m->fill)
		return 0;
	return m->fill == 2 || m->element == 2 ? 0x7fff
	       : m->element == 4	       ? 0x7fffffff
					       : UINT64_C(0x7fffffffffffffff);
}

void sim_box_load(const SimBox *box, uint8_t *shared, uint32_t to)
{
	unsigned size = box->map.element;
	uint64_t fill = filling(&box->map), from, last;
	uint32_t row = box->counts[0], part = 16 / size;
	for (uint32_t n = 0; n < sim_box_bytes(box) / size; n++) {
		/* Whole rows by the sixteen bytes that stay together. */
		if (n % row == 0 && box->map.steps[0] == 1 && sim_box_element(box, n, false, &from) &&
		    sim_box_element(box, n + row - 1, false, &last)) {
			for (uint32_t k = 0; k < row; k += part)
				memcpy(shared + sim_box_swizzled(to + (n + k) * size, box->map.swizzle),
				       (const uint8_t *)(uintptr_t)from + k * size, 16);
			n += row - 1;
			continue;
		}
		bool inside = sim_box_element(box, n, false, &from);
		memcpy(shared + sim_box_swizzled(to + n * size, box->map.swizzle),
		       inside ? (const void *)(uintptr_t)from : &fill, size);
	}
}

static MemoryType type_of(const SimTensorMap *m)
{
	switch (m->type) {
	case TENSOR_MAP_S32:
	case TENSOR_MAP_S64: return MEMORY_SIGNED;
	case TENSOR_MAP_F16: return MEMORY_F16;
	case TENSOR_MAP_BF16: return MEMORY_BF16;
	case TENSOR_MAP_F32: return MEMORY_F32_KEPT; /* as an H200 adds */
	case TENSOR_MAP_F64: return MEMORY_F64;
	default: return MEMORY_UNSIGNED;
	}
}

void sim_box_store(const SimBox *box, const uint8_t *shared, uint32_t from)
{
	unsigned size = box->map.element;
	uint64_t to;
	for (uint32_t n = 0; n < sim_box_bytes(box) / size; n++) {
		uint64_t v = 0;
		if (!sim_box_element(box, n, true, &to))
			continue;
		const uint8_t *at = shared + sim_box_swizzled(from + n * size, box->map.swizzle);
		memcpy(&v, at, size);
		if (box->reduction)
			memory_atomic((void *)(uintptr_t)to, (MemoryOp)(box->reduction - 1),
				      type_of(&box->map), 8 * size, v, 0);
		else
			memcpy((void *)(uintptr_t)to, at, size);
	}
}

/* ---- what is noted of the tensor's memory ---- */

/* Elements from number *n on that lie in a row in the tensor; *n: behind them. False: no more. */
static bool next_row(const SimBox *box, bool write, uint32_t *n, uint32_t *first, uint64_t *begin)
{
	uint32_t count = sim_box_bytes(box) / box->map.element;
	while (*n < count && !sim_box_element(box, *n, write, begin))
		++*n;
	if (*n >= count)
		return false;
	*first = *n;
	const SimTensorMap *m = &box->map;
	uint32_t in_row = *first % box->counts[0], room = box->counts[0] - in_row;
	int64_t at = box->at[0] + (int64_t)in_row * m->steps[0];
	uint64_t inside = (write ? last_size(m, true) : m->dims[0]) - (uint64_t)at;
	*n = m->steps[0] == 1 ? *first + (uint32_t)MIN(inside, (uint64_t)room) : *first + 1;
	return true;
}

static void note_reduction(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, const uint8_t *at,
			   const uint8_t *values, uint32_t count)
{
	unsigned size = box->map.element;
	for (uint32_t k = 0; k < count; k++) {
		uint64_t old = 0, v = 0;
		memcpy(&old, at + k * size, size);
		memcpy(&v, values + k * size, size);
		sim_race_atomic(w, i, lane, at + k * size, size, SIM_RELAXED);
		if (box->reduction == MEMORY_ADD + 1)
			memory_note_sum(w, at + k * size, type_of(&box->map), old, v);
	}
}

static void note_row(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, const uint8_t *at,
		     const uint8_t *row, uint32_t bytes)
{
	if (!row) {
		sim_race_fenced(w, i, lane, at, bytes);
		sim_race_read(w, i, lane, at, bytes, SIM_PLAIN);
		return;
	}
	sim_race_fenced(w, i, lane, at, bytes);
	if (box->reduction)
		note_reduction(w, i, lane, box, at, row, bytes / box->map.element);
	else
		sim_race_write(w, i, lane, at, bytes, row);
	sim_race_flies(w, i, lane, at, bytes);
}

/* Of its indices along a dim, those that are inside of the tensor; it does not begin before it. */
static uint64_t count_inside(const SimBox *box, unsigned d)
{
	uint64_t past = (uint64_t)MAX(box->at[d], 0), size = box->map.dims[d];
	return past < size ? MIN((uint64_t)box->counts[d], size - past) : 0;
}

/* Of the dims with several indices in the box but the fastest, the one with the least stride above
 * `least`, or of it and a later number; 0: none. */
static unsigned next_dim(const SimBox *box, uint64_t least, unsigned after)
{
	const SimTensorMap *m = &box->map;
	unsigned best = 0;
	for (unsigned d = 1; d < m->rank; d++) {
		uint64_t stride = m->strides[d - 1];
		bool later = stride > least || (stride == least && d > after);
		if (count_inside(box, d) > 1 && later && (!best || stride < m->strides[best - 1]))
			best = d;
	}
	return best;
}

/* Do two rows that are stored lie over one another? */
static bool overlaps(const SimBox *box)
{
	uint64_t span = count_inside(box, 0) * box->map.element, least = 0;
	for (unsigned d = 0; (d = next_dim(box, least, d)) != 0;) {
		least = box->map.strides[d - 1];
		if (least < span)
			return true;
		span += least * (count_inside(box, d) - 1);
	}
	return false;
}

/* Stores of boxes are written in any order, those of one thread too; reductions may be. */
static bool look_below(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box)
{
	uint32_t n = 0, first;
	uint64_t begin;
	while (next_row(box, true, &n, &first, &begin)) {
		uint32_t bytes = (n - first) * box->map.element;
		const void *at = sim_global(w, i, lane, begin, bytes, 1, true);
		if (!at)
			return false;
		sim_race_overtakes(w, i, lane, at, bytes);
	}
	return true;
}

bool sim_box_look(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, bool write, uint32_t from)
{
	unsigned size = box->map.element;
	uint32_t n = 0, first;
	uint64_t begin;
	uint8_t row[SIM_MOST_BOX * 8];
	SimRun *run = w->cta->run;
	if (run->races && write && !box->reduction && overlaps(box))
		sim_finding(
			run, sim_party(w, i, lane, 0), NULL, DIAG_SIM_RACE,
			"rows of the box that is stored lie over one another, and are stored in any order");
	if (run->races && write && !box->reduction && w->stores && !look_below(w, i, lane, box))
		return false;
	while (next_row(box, write, &n, &first, &begin)) {
		uint32_t bytes = (n - first) * size;
		const void *at = sim_global(w, i, lane, begin, bytes, 1, write);
		if (!at)
			return false;
		w->cta->changed |= write;
		for (uint32_t k = 0; write && k < n - first; k++)
			memcpy(row + k * size,
			       w->shared + sim_box_swizzled(from + (first + k) * size, box->map.swizzle),
			       size);
		if (run->races)
			note_row(w, i, lane, box, at, write ? row : NULL, bytes);
	}
	return true;
}

void sim_box_written(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, bool known)
{
	uint32_t n = 0, first;
	uint64_t begin;
	while (w->cta->run->races && next_row(box, true, &n, &first, &begin))
		sim_race_written(w, i, lane, (const void *)(uintptr_t)begin, (n - first) * box->map.element,
				 known);
}

void sim_box_read(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, uint32_t issued)
{
	uint32_t n = 0, first;
	uint64_t begin;
	while (w->cta->run->races && next_row(box, false, &n, &first, &begin))
		sim_race_source(w, i, lane, (const void *)(uintptr_t)begin, (n - first) * box->map.element,
				issued);
}
