/* Loads, stores and atomics as Triton source: buffers, addresses, masks. */
#include <string.h>

#include "print.h"

/* Numbers that belong to a statement, the same each time: how much of a tile a mask leaves. */
static int chosen(const Printer *pr, int i, int which, int n)
{
	Random r = {pr->p->seed + (uint64_t)i * 1000 + (uint64_t)which};
	return random_below(&r, n);
}

CaseArg *add_arg(Printer *pr, char letter, int i, int which)
{
	CaseArg *a = &pr->c->args[pr->c->arg_count++];
	*a = (CaseArg){.dtype = NESO_INT32, .seed = pr->p->seed + 77 * (uint64_t)i};
	if (which)
		snprintf(a->name, sizeof a->name, "%c%d_%d", letter, i, which);
	else
		snprintf(a->name, sizeof a->name, "%c%d", letter, i);
	return a;
}

/* largest: 0: anything. */
static CaseArg *add_buffer(Printer *pr, char letter, int i, neso_dtype dtype, int elements, int largest)
{
	CaseArg *a = add_arg(pr, letter, i, 0);
	a->dtype = dtype;
	a->count = (uint32_t)elements;
	a->small = largest > 0;
	a->hi = largest;
	a->lo = is_unsigned(dtype) || dtype == NESO_INT1 ? 0 : -largest;
	return a;
}

static Name subscript(int rank, int d)
{
	Name n = {""};
	size_t at = 0;
	for (int k = 0; k < rank && rank > 1; k++)
		at += (size_t)snprintf(n.s + at, sizeof n.s - at, "%s%s%s", k ? "," : "[", k == d ? ":" : "None",
				       k == rank - 1 ? "]" : "");
	return n;
}

static Words range_along(const Type *t, int d)
{
	Words w = {""};
	append(&w, "tl.arange(0, %d)%s", t->dim[d], subscript(t->rank, d).s);
	return w;
}

/* Elements in memory for each element along a dim. */
static int stride_of(const Type *t, int style, int d)
{
	int stride = style == AT_STRIDED ? 2 : 1;
	if (style == AT_COLUMNS) {
		for (int k = 0; k < d; k++)
			stride *= t->dim[k];
	} else {
		for (int k = t->rank - 1; k > d; k--)
			stride = stride * t->dim[k] + (style == AT_PADDED && k == t->rank - 1 ? 3 : 0);
	}
	return stride;
}

/* Elements from the first to behind the last. */
static int span_of(const Type *t, int style)
{
	int last = style == AT_PADDED ? 1 : 0;
	for (int d = 0; d < t->rank; d++)
		last += (t->dim[d] - 1) * stride_of(t, style, d);
	return last + 1;
}

static Words flat_index(Printer *pr, int i, const Type *t, int style)
{
	Words w = {""};
	for (int d = 0; d < t->rank; d++) {
		append(&w, "%s%s", d ? " + " : "", range_along(t, d).s);
		int stride = stride_of(t, style, d);
		if (style == AT_RUNTIME) {
			CaseArg *a = add_arg(pr, 's', i, d + 1);
			a->lo = stride;
			append(&w, " * %s", a->name);
		} else if (stride != 1) {
			append(&w, " * %d", stride);
		}
	}
	return w;
}

/* Two operations on an index, with constants. */
static Words odd_text(const Printer *pr, int i, int which, const char *flat)
{
	static const char *const forms[] = {"(%s + %d)",  "(%s * %d)",          "(%s // %d)", "(%s %% %d)",
					    "(%s ^ %d)",  "(%s | %d)",          "(%s & %d)",  "(%s << %d)",
					    "(%s >> %d)", "tl.minimum(%s, %d)", "(%s - %d)",  "tl.maximum(%s, %d)"};
	static const int constants[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 32, 15, 63};
	Words w = {""}, first = {""};
	int ops[2] = {chosen(pr, i, which, 12), chosen(pr, i, which + 1, 12)}, with[2];
	for (int k = 0; k < 2; k++)
		with[k] = constants[chosen(pr, i, which + 2 + k, ops[k] == 7 || ops[k] == 8 ? 4 : 12)];
	append(&first, "(%s)", flat);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	Words inner = {""};
	append(&inner, forms[ops[0]], first.s, with[0]);
	append(&w, forms[ops[1]], inner.s, with[1]);
#pragma GCC diagnostic pop
	return w;
}

/* A factor that makes a permutation of the numbers below n. */
static int coprime(int n)
{
	static const int primes[] = {5, 7, 11, 13, 17, 19};
	int k = 0;
	while (k < 5 && n % primes[k] == 0)
		k++;
	return primes[k];
}

static Words index_text(Printer *pr, int i, const Type *t, int style)
{
	Words w = {""}, wide = {""};
	int n = type_elements(t);
	Words flat = flat_index(pr, i, t, style);
	if (style == AT_BACKWARDS)
		append(&w, "%d - (%s)", n - 1, flat.s);
	else if (style == AT_ODD)
		append(&w, "(%s)", index_below(odd_text(pr, i, 20, flat.s).s, n).s);
	else if (style == AT_PERMUTED)
		append(&w, "((%s) * %d + 3) %% %d", flat.s, coprime(n), n);
	else
		append(&w, "%s%s", style == AT_PADDED ? "1 + " : "", flat.s);
	if (chosen(pr, i, 40, 8))
		return w;
	append(&wide, "(%s).to(tl.int64)", w.s);
	return wide;
}

/* The buffer of a statement, and where this program (and iteration) has its part. loop: of BY_POINTER. */
static Words base_text(Printer *pr, char letter, int i, const Type *t, int style, int by, int loop, int largest)
{
	Words w = {""};
	int span = t->rank ? span_of(t, style) : 1, copies = 1;
	for (int d = pr->depth - 1; d >= 0 && by == BY_INDEX && loop < 0; d--)
		if (stmt(pr, pr->open[d])->op == OP_FOR)
			loop = pr->open[d];
	if (style == AT_DESCRIPTOR)
		span = (span + 15) / 16 * 16;
	if (loop >= 0)
		copies = 2 * stmt(pr, loop)->imm[0] + 1;
	CaseArg *a = add_buffer(pr, letter, i, t->dtype, span * copies * (int)pr->p->grid, largest);
	append(&w, "%s", a->name);
	if (pr->p->grid > 1)
		append(&w, " + pid * %d", span * copies);
	if (by == BY_INDEX)
		append(&w, " + k%d * %d", loop, span);
	return w;
}

/* ", mask=..."; "" without one. */
static Words mask_text(Printer *pr, int i, const Type *t, int mask_arg)
{
	const Stmt *s = stmt(pr, i);
	Words w = {""};
	int last = t->rank - 1;
	switch (s->imm[1]) {
	case MASK_LAST:
	case MASK_BOTH: {
		CaseArg *n = add_arg(pr, 'n', i, 0);
		n->lo = t->rank ? chosen(pr, i, 1, t->dim[last] + 1) : chosen(pr, i, 1, 2) * 5;
		if (t->rank == 0) {
			append(&w, ", mask=%s > 2", n->name);
		} else if (s->imm[1] == MASK_LAST) {
			append(&w, ", mask=%s < %s", range_along(t, last).s, n->name);
		} else {
			CaseArg *m = add_arg(pr, 'm', i, 0);
			m->lo = chosen(pr, i, 2, t->dim[0] + 1);
			append(&w, ", mask=(%s < %s) & (%s < %s)", range_along(t, 0).s, m->name,
			       range_along(t, last).s, n->name);
		}
		break;
	}
	case MASK_THIRD:
		if (chosen(pr, i, 30, 2))
			append(&w, ", mask=%s %% %d < %d", odd_text(pr, i, 31, flat_index(pr, i, t, AT_ROWS).s).s,
			       1 << chosen(pr, i, 35, 6), chosen(pr, i, 36, 8));
		else
			append(&w, ", mask=(%s) %% 3 != 0", flat_index(pr, i, t, AT_ROWS).s);
		break;
	case MASK_VALUE: append(&w, ", mask=%s", arg_name(pr, i, mask_arg).s); break;
	default: break;
	}
	return w;
}

/* make_block_ptr(...), whose tensor may end before the block does. */
static Words block_text(Printer *pr, int i, const Type *t, const char *base, int copies)
{
	Words w = {""}, shape = {""}, strides = {""}, zeros = {""}, order = {""};
	const char *comma = t->rank == 1 ? "," : "";
	for (int d = 0; d < t->rank; d++) {
		const char *sep = d ? ", " : "";
		append(&shape, "%s%d%s", sep,
		       t->dim[d] * (d ? 1 : copies) - chosen(pr, i, 3 + d, t->dim[d] < 3 ? 1 : 3), comma);
		append(&strides, "%s%d%s", sep, stride_of(t, AT_ROWS, d), comma);
		append(&zeros, "%s0%s", sep, comma);
		append(&order, "%s%d%s", sep, t->rank - 1 - d, comma);
	}
	append(&w, "tl.make_block_ptr(%s, (%s), (%s), (%s), %s, (%s))", base, shape.s, strides.s, zeros.s,
	       shape_of(t).s, order.s);
	return w;
}

static Words descriptor_text(Printer *pr, int i, const Type *t, const char *base)
{
	Words w = {""};
	append(&w, "tl.make_tensor_descriptor(%s, shape=[%d, %d], strides=[%d, 1], block_shape=[%d, %d])", base,
	       t->dim[0] - chosen(pr, i, 3, 2), t->dim[1], t->dim[1], t->dim[0], t->dim[1]);
	return w;
}

static const char *all_axes(const Type *t)
{
	static const char *const axes[] = {"()", "(0,)", "(0, 1)", "(0, 1, 2)", "(0, 1, 2, 3)"};
	return axes[t->rank];
}

void print_load(Printer *pr, int i)
{
	static const char *const hints[] = {"",
					    ", cache_modifier=\".ca\"",
					    ", cache_modifier=\".cg\"",
					    ", eviction_policy=\"evict_first\"",
					    ", eviction_policy=\"evict_last\"",
					    ", volatile=True",
					    ", cache_modifier=\".cv\"",
					    ", volatile=True, eviction_policy=\"evict_first\""};
	static const char *const zeros[] = {"", "", " 0", " 0, 0", " 0, 0, 0"};
	const Stmt *s = stmt(pr, i);
	const Type *t = &s->type;
	bool moved = s->sub == BY_POINTER;
	Words base = {""}, at = {""};
	if (!moved)
		base = base_text(pr, 'p', i, t, s->imm[0], s->sub, -1, s->imm[2]);
	if (moved)
		append(&at, "q%d", i);
	else if (s->imm[0] == AT_BLOCK)
		at = block_text(pr, i, t, base.s, 1);
	else
		append(&at, t->rank ? "%s + %s" : "%s%s", base.s, t->rank ? index_text(pr, i, t, s->imm[0]).s : "");
	if (s->imm[0] == AT_BLOCK) {
		line(pr, "v%d = tl.load(%s, boundary_check=%s, padding_option=\"zero\")", i, at.s, all_axes(t));
	} else if (s->imm[0] == AT_DESCRIPTOR) {
		line(pr, "v%d = %s.load([0, 0])", i, descriptor_text(pr, i, t, base.s).s);
	} else {
		Words mask = mask_text(pr, i, t, 0);
		line(pr, "v%d = tl.load(%s%s%s%s)", i, at.s, mask.s, mask.s[0] ? ", other=1" : "",
		     hints[(unsigned)s->imm[3] < 8 ? s->imm[3] : 0]);
	}
	if (moved && s->imm[0] == AT_BLOCK)
		line(pr, "q%d = tl.advance(q%d, (%d,%s))", i, i, t->dim[0], zeros[t->rank]);
	else if (moved)
		line(pr, "q%d += %d", i, t->rank ? span_of(t, s->imm[0]) : 1);
}

void print_pointer(Printer *pr, int i, int loop)
{
	const Stmt *s = stmt(pr, i);
	const Type *t = &s->type;
	Words base = base_text(pr, 'p', i, t, s->imm[0], BY_POINTER, loop, s->imm[2]);
	if (s->imm[0] == AT_BLOCK)
		line(pr, "q%d = %s", i, block_text(pr, i, t, base.s, 1 + stmt(pr, loop)->imm[0]).s);
	else
		line(pr, t->rank ? "q%d = %s + %s" : "q%d = %s%s", i, base.s,
		     t->rank ? index_text(pr, i, t, s->imm[0]).s : "");
}

void print_store(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	const Type *t = arg_type(pr, i, 0);
	Words base = base_text(pr, 'o', i, t, s->imm[0], s->sub, -1, 100);
	if (s->imm[0] == AT_BLOCK) {
		line(pr, "tl.store(%s, %s, boundary_check=%s)", block_text(pr, i, t, base.s, 1).s, A(0), all_axes(t));
	} else if (s->imm[0] == AT_DESCRIPTOR) {
		line(pr, "%s.store([0, 0], %s)", descriptor_text(pr, i, t, base.s).s, A(0));
	} else {
		Words mask = mask_text(pr, i, t, 1);
		line(pr, t->rank ? "tl.store(%s + %s, %s%s)" : "tl.store(%s%s, %s%s)", base.s,
		     t->rank ? index_text(pr, i, t, s->imm[0]).s : "", A(0), mask.s);
	}
}

void print_lookup(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	int n = 1 << s->imm[0];
	CaseArg *a = add_buffer(pr, 't', i, s->type.dtype, n, s->imm[1]);
	line(pr, "v%d = tl.load(%s + (%s & %d))", i, a->name, A(0), n - 1);
}

/* Where each element is read as the one that it was written as, threads need not meet, in whatever
 * order the addresses are summed. */
void print_exchange(Printer *pr, int i)
{
	static const char *const orders[] = {"%s + %s",
					     "%s + (%s).to(tl.int64)",
					     "%s + (%s + tl.num_programs(1)) - 1",
					     "%s - 1 + tl.num_programs(1) + (%s)"};
	const Stmt *s = stmt(pr, i);
	bool meet = s->imm[0] != s->imm[1];
	Words base = base_text(pr, 'x', i, &s->type, AT_ROWS, BY_NOTHING, -1, 100);
	Words written = {""}, read = {""};
	int sum = 2 * chosen(pr, i, 61, 2);
	int written_by = sum + chosen(pr, i, 62, 2), read_by = sum + chosen(pr, i, 63, 2);
	append(&written, orders[written_by], base.s, index_text(pr, i, &s->type, s->imm[0]).s);
	append(&read, orders[read_by], base.s, index_text(pr, i, &s->type, s->imm[1]).s);
	line(pr, "tl.store(%s, %s)", written.s, A(0));
	if (meet)
		line(pr, "tl.debug_barrier()");
	line(pr, "v%d = tl.load(%s)", i, read.s);
	if (meet)
		line(pr, "tl.debug_barrier()");
}

static const char *const atomics[] = {"add", "max", "min", "and", "or", "xor", "xchg", "cas"};

static const char *order_text(const Printer *pr, int i)
{
	static const char *const orders[] = {", sem=\"relaxed\"", ", sem=\"acquire\"",
					     ", sem=\"release\", scope=\"sys\"", ", scope=\"sys\""};
	int k = chosen(pr, i, 60, 8);
	return k < 4 ? orders[k] : "";
}

void print_old(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	Words base = base_text(pr, 'x', i, &s->type, AT_ROWS, BY_NOTHING, -1, 100);
	Words values = {""};
	append(&values, s->sub == ATOMIC_CAS ? "%s & 15, %s" : "%s", A(0), A(0));
	line(pr, s->type.rank ? "v%d = tl.atomic_%s(%s + %s, %s%s)" : "v%d = tl.atomic_%s(%s%s, %s%s)", i,
	     atomics[s->sub], base.s, s->type.rank ? index_text(pr, i, &s->type, AT_ROWS).s : "", values.s,
	     order_text(pr, i));
}

void print_return(Printer *pr, int i)
{
	line(pr, "if %s:", A(0));
	line(pr, "    return");
}

void print_atomic(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	const Type *t = arg_type(pr, i, 0);
	CaseArg *a = add_buffer(pr, 'a', i, t->dtype, 1 << s->imm[0], 10);
	const char *order = order_text(pr, i), *mask = "";
	Words masked = {""};
	if (t->rank && s->imm[1]) {
		masked = mask_text(pr, i, t, 1);
		mask = masked.s;
	}
	int last = (1 << s->imm[0]) - 1;
	if (t->rank == 0)
		line(pr, "tl.atomic_%s(%s + (pid & %d), %s%s)", atomics[s->sub], a->name, last, A(0), order);
	else
		line(pr, "tl.atomic_%s(%s + ((%s) & %d), %s%s%s)", atomics[s->sub], a->name,
		     flat_index(pr, i, t, AT_ROWS).s, last, A(0), mask, order);
}

/* ---- rows and reductions of descriptors ---- */

static Words rows_text(const char *buffer, int rows, int columns)
{
	Words w = {""};
	append(&w, "tl.make_tensor_descriptor(%s, [%d, %d], [%d, 1], [1, %d])", buffer, rows, columns,
	       columns, columns);
	return w;
}

void print_rows(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	const Type *t = s->sub ? arg_type(pr, i, 0) : &s->type;
	int rows = 1 << s->imm[0], part = rows * t->dim[1], largest = s->sub ? 100 : s->imm[1];
	CaseArg *a = add_buffer(pr, s->sub ? 'o' : 'p', i, t->dtype, part * (int)pr->p->grid, largest);
	Words base = {""};
	append(&base, "%s + pid * %d", a->name, part);
	Words all = rows_text(base.s, rows, t->dim[1]);
	if (s->sub)
		line(pr, "%s.scatter(%s, (tl.arange(0, %d) * 5 + 3) %% %d, 0)", all.s, A(0), t->dim[0], rows);
	else
		line(pr, "v%d = %s.gather(%s & %d, 0)", i, all.s, A(0), rows - 1);
}

void print_bulk(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	const Type *t = arg_type(pr, i, 0);
	CaseArg *a = add_buffer(pr, 'a', i, t->dtype, type_elements(t), 10);
	line(pr, "%s.atomic_%s([0, 0], %s)", descriptor_text(pr, i, t, a->name).s, atomics[s->sub], A(0));
}
