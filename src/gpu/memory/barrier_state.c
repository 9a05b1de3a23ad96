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

/* Where the op is in a set of them, or belongs. */
#define FIND_OP(ops, wanted, found) \
	do { \
		uint32_t past_ = (ops)->len; \
		for (found = 0; found < past_;) { \
			uint32_t middle_ = found + (past_ - found) / 2; \
			if ((ops)->data[middle_].op->id < (wanted)->id) \
				found = middle_ + 1; \
			else \
				past_ = middle_; \
		} \
	} while (0)

#define INSERT(arena, ops, at, item) \
	do { \
		vec_push(arena, ops, item); \
		memmove((ops)->data + (at) + 1, (ops)->data + (at), \
			((ops)->len - 1 - (at)) * sizeof(item)); \
		(ops)->data[at] = item; \
	} while (0)

void gpu_pending_add_own(Arena *arena, GpuPending *s, GpuOwnWarp own)
{
	uint32_t at;
	FIND_OP(&s->own, own.op, at);
	if (at == s->own.len || s->own.data[at].op != own.op)
		INSERT(arena, &s->own, at, own);
}

#define CARRY(to, from) ((to)->carried |= (from)->carried, (to)->told |= (from)->told)

static void add_global(Arena *arena, GpuPendingGlobals *s, GpuPendingGlobal global)
{
	uint32_t at;
	FIND_OP(s, global.op, at);
	if (at == s->len || s->data[at].op != global.op)
		INSERT(arena, s, at, global);
	else
		CARRY(&s->data[at], &global);
}

void gpu_pending_add_global(Arena *arena, GpuPending *s, GpuPendingGlobal global)
{
	add_global(arena, &s->globals, global);
}

void gpu_pending_add_store(Arena *arena, GpuPending *s, const IrOp *op, bool told)
{
	CONTRACT(op->block);
	add_global(arena, &s->stores, (GpuPendingGlobal){op, false, told});
}

/* The union of two sets, in one's place: of items of one op the first is updated by UPDATE. Nothing
 * is moved where one has all. */
#define JOIN(arena, to, from, UPDATE) \
	do { \
		uint32_t i_ = 0, k_ = 0, missing_ = 0, n_; \
		for (; k_ < (from)->len; k_++) { \
			while (i_ < (to)->len && (to)->data[i_].op->id < (from)->data[k_].op->id) \
				i_++; \
			if (i_ < (to)->len && (to)->data[i_].op == (from)->data[k_].op) \
				UPDATE(&(to)->data[i_], &(from)->data[k_]); \
			else \
				missing_++; \
		} \
		if (!missing_) \
			break; \
		vec_reserve(arena, to, missing_); \
		i_ = (to)->len; \
		n_ = (to)->len += missing_; \
		for (k_ = (from)->len; k_-- > 0;) { \
			while (i_ && (to)->data[i_ - 1].op->id > (from)->data[k_].op->id) \
				(to)->data[--n_] = (to)->data[--i_]; \
			if (!i_ || (to)->data[i_ - 1].op != (from)->data[k_].op) \
				(to)->data[--n_] = (from)->data[k_]; \
		} \
	} while (0)

#define KEEP(to, from) ((void)(to), (void)(from))

void gpu_pending_join(Arena *arena, GpuPending *to, const GpuPending *from)
{
	CONTRACT(to != from);
	gpu_spans_join(arena, &to->written, &from->written);
	gpu_spans_join(arena, &to->read, &from->read);
	gpu_spans_join(arena, &to->under_way, &from->under_way);
	gpu_spans_join(arena, &to->unfenced, &from->unfenced);
	gpu_spans_join(arena, &to->products, &from->products);
	JOIN(arena, &to->own, &from->own, KEEP);
	JOIN(arena, &to->globals, &from->globals, CARRY);
	JOIN(arena, &to->stores, &from->stores, CARRY);
}

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

static bool globals_equal(const GpuPendingGlobal *a, const GpuPendingGlobal *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].op != b[i].op || a[i].carried != b[i].carried || a[i].told != b[i].told)
			return false;
	return true;
}

bool gpu_pending_equal(const GpuPending *a, const GpuPending *b)
{
	if (a->own.len != b->own.len || a->globals.len != b->globals.len || a->stores.len != b->stores.len ||
	    !spans_equal(&a->written, &b->written) || !spans_equal(&a->read, &b->read) ||
	    !spans_equal(&a->under_way, &b->under_way) || !spans_equal(&a->unfenced, &b->unfenced) ||
	    !spans_equal(&a->products, &b->products))
		return false;
	for (uint32_t i = 0; i < a->own.len; i++)
		if (a->own.data[i].op != b->own.data[i].op)
			return false;
	return globals_equal(a->globals.data, b->globals.data, a->globals.len) &&
	       globals_equal(a->stores.data, b->stores.data, a->stores.len);
}

void gpu_pending_meet(GpuPending *s)
{
	s->written.len = s->read.len = s->own.len = s->globals.len = 0;
}
