/* The pending state: sets of bytes, and accesses since all threads last synchronised. */
#include "gpu/memory/barriers_int.h"

/* ---- sets of bytes ---- */

bool gpu_spans_touch(const GpuSpans *s, GpuBytes x)
{
	for (uint32_t i = 0; i < s->len; i++) {
		if (s->data[i].lo < x.hi && x.lo < s->data[i].hi)
			return true;
	}
	return false;
}

void gpu_spans_add(Arena *arena, GpuSpans *s, GpuBytes x)
{
	uint32_t first = 0, past;
	if (x.lo >= x.hi)
		return;
	if (s->len && s->data[s->len - 1].hi < x.lo)
		first = s->len;
	while (first < s->len && s->data[first].hi < x.lo)
		first++;
	for (past = first; past < s->len && s->data[past].lo <= x.hi; past++) {
		x.lo = MIN(x.lo, s->data[past].lo);
		x.hi = MAX(x.hi, s->data[past].hi);
	}
	if (past == first) {
		vec_push(arena, s, x);
		memmove(s->data + first + 1, s->data + first, (s->len - 1 - first) * sizeof x);
	} else {
		memmove(s->data + first + 1, s->data + past, (s->len - past) * sizeof x);
		s->len -= past - first - 1;
	}
	s->data[first] = x;
}

static bool spans_equal(const GpuSpans *a, const GpuSpans *b)
{
	return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len * sizeof *a->data) == 0);
}

void gpu_spans_join(Arena *arena, GpuSpans *to, const GpuSpans *from)
{
	CONTRACT(to != from);
	for (uint32_t i = 0; i < from->len; i++)
		gpu_spans_add(arena, to, from->data[i]);
}

/* ---- states ---- */

/* States that are joined mostly begin alike, as both come from the one before: `at` is where the
 * same op is looked for first. A place that none has: len. */
#define FIND_OP(ops, wanted, at, found) \
	do { \
		found = (at) < (ops)->len && (ops)->data[at].op == (wanted) ? (at) : 0; \
		while (found < (ops)->len && (ops)->data[found].op != (wanted)) \
			found++; \
	} while (0)

static void add_own(Arena *arena, GpuPending *s, GpuOwnWarp own, uint32_t at)
{
	uint32_t found;
	FIND_OP(&s->own, own.op, at, found);
	if (found == s->own.len)
		vec_push(arena, &s->own, own);
}

static void add_global(Arena *arena, GpuPending *s, GpuPendingGlobal global, uint32_t at)
{
	uint32_t found;
	FIND_OP(&s->globals, global.op, at, found);
	if (found == s->globals.len)
		vec_push(arena, &s->globals, global);
	else
		s->globals.data[found].carried |= global.carried;
}

static void add_store(Arena *arena, GpuPending *s, const IrOp *op, uint32_t at)
{
	uint32_t found;
	CONTRACT(op->block);
	FIND_OP(&s->stores, op, at, found);
	if (found == s->stores.len)
		vec_push(arena, &s->stores, (GpuPendingGlobal){op, false});
}

void gpu_pending_add_own(Arena *arena, GpuPending *s, GpuOwnWarp own)
{
	add_own(arena, s, own, 0);
}

void gpu_pending_add_global(Arena *arena, GpuPending *s, GpuPendingGlobal global)
{
	add_global(arena, s, global, 0);
}

void gpu_pending_add_store(Arena *arena, GpuPending *s, const IrOp *op)
{
	add_store(arena, s, op, 0);
}

void gpu_pending_join(Arena *arena, GpuPending *to, const GpuPending *from)
{
	CONTRACT(to != from);
	gpu_spans_join(arena, &to->written, &from->written);
	gpu_spans_join(arena, &to->read, &from->read);
	gpu_spans_join(arena, &to->under_way, &from->under_way);
	gpu_spans_join(arena, &to->unfenced, &from->unfenced);
	gpu_spans_join(arena, &to->products, &from->products);
	for (uint32_t i = 0; i < from->own.len; i++)
		add_own(arena, to, from->own.data[i], i);
	for (uint32_t i = 0; i < from->globals.len; i++)
		add_global(arena, to, from->globals.data[i], i);
	for (uint32_t i = 0; i < from->stores.len; i++)
		add_store(arena, to, from->stores.data[i].op, i);
}

static uint32_t carried(const GpuPending *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->globals.len; i++)
		n += s->globals.data[i].carried;
	return n;
}

/* Sets are sets already: nothing is looked for. */
#define COPY_ALL(arena, to, from) \
	do { \
		if ((from)->len) { \
			vec_reserve(arena, to, (from)->len); \
			memcpy((to)->data, (from)->data, (from)->len * sizeof *(from)->data); \
			(to)->len = (from)->len; \
		} \
	} while (0)

GpuPending gpu_pending_copy(Arena *arena, const GpuPending *from)
{
	GpuPending s = {0};
	COPY_ALL(arena, &s.written, &from->written);
	COPY_ALL(arena, &s.read, &from->read);
	COPY_ALL(arena, &s.under_way, &from->under_way);
	COPY_ALL(arena, &s.unfenced, &from->unfenced);
	COPY_ALL(arena, &s.products, &from->products);
	COPY_ALL(arena, &s.own, &from->own);
	COPY_ALL(arena, &s.globals, &from->globals);
	COPY_ALL(arena, &s.stores, &from->stores);
	return s;
}

bool gpu_pending_equal(const GpuPending *a, const GpuPending *b)
{
	return spans_equal(&a->written, &b->written) && spans_equal(&a->read, &b->read) &&
	       spans_equal(&a->under_way, &b->under_way) && spans_equal(&a->unfenced, &b->unfenced) &&
	       spans_equal(&a->products, &b->products) && a->own.len == b->own.len &&
	       a->globals.len == b->globals.len && carried(a) == carried(b) && a->stores.len == b->stores.len;
}

static bool globals_same(const GpuPendingGlobal *a, const GpuPendingGlobal *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].op != b[i].op || a[i].carried != b[i].carried)
			return false;
	return true;
}

bool gpu_pending_same(const GpuPending *a, const GpuPending *b)
{
	if (a->own.len != b->own.len || a->globals.len != b->globals.len || a->stores.len != b->stores.len ||
	    !spans_equal(&a->written, &b->written) || !spans_equal(&a->read, &b->read) ||
	    !spans_equal(&a->under_way, &b->under_way) || !spans_equal(&a->unfenced, &b->unfenced) ||
	    !spans_equal(&a->products, &b->products))
		return false;
	for (uint32_t i = 0; i < a->own.len; i++)
		if (a->own.data[i].op != b->own.data[i].op)
			return false;
	return globals_same(a->globals.data, b->globals.data, a->globals.len) &&
	       globals_same(a->stores.data, b->stores.data, a->stores.len);
}

void gpu_pending_meet(GpuPending *s)
{
	s->written.len = s->read.len = s->own.len = s->globals.len = 0;
}
