/* Linear algebra over F2: Gaussian elimination, one word a vector. See f2.h. */
#include "layout/f2.h"

bool f2_span_add(F2Span *span, uint64_t v)
{
	ASSERT(span->added < 64);
	uint64_t combo;
	uint64_t self = UINT64_C(1) << span->added++;
	uint64_t rest = f2_span_reduce(span, v, &combo);
	if (rest == 0)
		return false;
	unsigned lead = base_log2(rest);
	span->vec[lead] = rest;
	span->combo[lead] = combo ^ self;
	span->leads |= UINT64_C(1) << lead;
	span->pivots |= self;
	return true;
}

unsigned f2_span_add_all(F2Span *span, const uint64_t *vecs, unsigned n)
{
	unsigned independent = 0;
	for (unsigned i = 0; i < n; i++)
		independent += f2_span_add(span, vecs[i]);
	return independent;
}

F2Span f2_span_of(const uint64_t *vecs, unsigned n)
{
	F2Span span = f2_span_none();
	f2_span_add_all(&span, vecs, n);
	return span;
}

uint64_t f2_span_reduce(const F2Span *span, uint64_t v, uint64_t *combo)
{
	uint64_t made_of = 0, rest = 0;
	while (v) {
		unsigned lead = base_log2(v);
		if (span->leads >> lead & 1) {
			v ^= span->vec[lead];
			made_of ^= span->combo[lead];
		} else {
			rest |= UINT64_C(1) << lead;
			v ^= UINT64_C(1) << lead;
		}
	}
	if (combo)
		*combo = made_of;
	return rest;
}

unsigned f2_rank(const uint64_t *vecs, unsigned n)
{
	CONTRACT(n <= 64);
	F2Span span = f2_span_of(vecs, n);
	return f2_span_rank(&span);
}

uint64_t f2_apply(const uint64_t *columns, unsigned n, uint64_t v)
{
	uint64_t sum = 0;
	for (; v && n; v &= v - 1) {
		unsigned i = (unsigned)__builtin_ctzll(v);
		ASSERT(i < n);
		sum ^= columns[i];
	}
	return sum;
}

unsigned f2_kernel(const uint64_t *columns, unsigned n, uint64_t *out)
{
	CONTRACT(n <= 64);
	F2Span span = f2_span_none();
	unsigned count = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t combo;
		if (f2_span_reduce(&span, columns[i], &combo) == 0)
			out[count++] = combo ^ UINT64_C(1) << i;
		f2_span_add(&span, columns[i]);
	}
	return count;
}

unsigned f2_intersect(const uint64_t *a, unsigned na, const uint64_t *b, unsigned nb, uint64_t *out)
{
	CONTRACT(na <= 64 && nb <= 64);
	F2Span both = f2_span_of(a, na);
	uint64_t of_a = na == 64 ? ~UINT64_C(0) : (UINT64_C(1) << na) - 1;
	F2Span found = f2_span_none();
	unsigned count = 0;
	for (unsigned i = 0; i < nb; i++) {
		uint64_t combo;
		uint64_t rest = f2_span_reduce(&both, b[i], &combo);
		if (rest == 0) {
			uint64_t common = f2_apply(a, na, combo & of_a);
			if (common && f2_span_add(&found, common))
				out[count++] = common;
		}
		f2_span_add(&both, b[i]);
	}
	return count;
}

unsigned f2_extend(F2Span *span, const uint64_t *vecs, unsigned n, uint64_t *out, unsigned limit)
{
	CONTRACT(limit <= 64);
	unsigned count = 0;
	for (unsigned i = 0; i < n && count < limit; i++) {
		if (!f2_span_has(span, vecs[i])) {
			f2_span_add(span, vecs[i]);
			out[count++] = vecs[i];
		}
	}
	return count;
}
