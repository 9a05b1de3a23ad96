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

void gpu_pending_add_own(Arena *arena, GpuPending *s, GpuOwnWarp own)
{
	for (uint32_t i = 0; i < s->own.len; i++) {
		if (s->own.data[i].op == own.op)
			return;
	}
	vec_push(arena, &s->own, own);
}

void gpu_pending_add_global(Arena *arena, GpuPending *s, GpuPendingGlobal global)
{
	for (uint32_t i = 0; i < s->globals.len; i++) {
		if (s->globals.data[i].op == global.op) {
			s->globals.data[i].carried |= global.carried;
			return;
		}
	}
	vec_push(arena, &s->globals, global);
}

void gpu_pending_add_store(Arena *arena, GpuPending *s, const IrOp *op)
{
	CONTRACT(op->block);
	for (uint32_t i = 0; i < s->stores.len; i++) {
		if (s->stores.data[i].op == op)
			return;
	}
	vec_push(arena, &s->stores, (GpuPendingGlobal){op, false});
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
		gpu_pending_add_own(arena, to, from->own.data[i]);
	for (uint32_t i = 0; i < from->globals.len; i++)
		gpu_pending_add_global(arena, to, from->globals.data[i]);
	for (uint32_t i = 0; i < from->stores.len; i++)
		gpu_pending_add_store(arena, to, from->stores.data[i].op);
}

static uint32_t carried(const GpuPending *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->globals.len; i++)
		n += s->globals.data[i].carried;
	return n;
}

GpuPending gpu_pending_copy(Arena *arena, const GpuPending *from)
{
	GpuPending s = {0};
	gpu_pending_join(arena, &s, from);
	return s;
}

bool gpu_pending_equal(const GpuPending *a, const GpuPending *b)
{
	return spans_equal(&a->written, &b->written) && spans_equal(&a->read, &b->read) &&
	       spans_equal(&a->under_way, &b->under_way) && spans_equal(&a->unfenced, &b->unfenced) &&
	       spans_equal(&a->products, &b->products) && a->own.len == b->own.len &&
	       a->globals.len == b->globals.len && carried(a) == carried(b) && a->stores.len == b->stores.len;
}

void gpu_pending_meet(GpuPending *s)
{
	s->written.len = s->read.len = s->own.len = s->globals.len = 0;
}
