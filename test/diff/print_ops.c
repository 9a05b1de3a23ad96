/* Single statements as Triton source, and the arguments that they need. */
#include <string.h>

#include "print.h"

static const Stmt *stmt(const Printer *pr, int i)
{
	return &pr->p->stmts[i];
}

static const Type *arg_type(const Printer *pr, int i, int k)
{
	return &stmt(pr, stmt(pr, i)->args[k])->type;
}

#define A(k) (arg_name(pr, i, k).s)

/* ---- memory ---- */

/* Numbers that belong to a statement, the same each time: how much of a tile a mask leaves. */
static int chosen(const Printer *pr, int i, int which, int n)
{
	Random r = {pr->p->seed + (uint64_t)i * 1000 + (uint64_t)which};
	return random_below(&r, n);
}

static CaseArg *add_arg(Printer *pr, char letter, int i, int which)
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

static Words index_text(Printer *pr, int i, const Type *t, int style)
{
	Words w = {""};
	int n = type_elements(t);
	Words flat = flat_index(pr, i, t, style);
	if (style == AT_BACKWARDS)
		append(&w, "%d - (%s)", n - 1, flat.s);
	else if (style == AT_PERMUTED)
		append(&w, "((%s) * 5 + 3) %% %d", flat.s, n);
	else
		append(&w, "%s%s", style == AT_PADDED ? "1 + " : "", flat.s);
	return w;
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
	case MASK_THIRD: append(&w, ", mask=(%s) %% 3 != 0", flat_index(pr, i, t, AT_ROWS).s); break;
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
					    ", volatile=True"};
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
		     hints[(unsigned)s->imm[3] < 6 ? s->imm[3] : 0]);
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

void print_exchange(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	Words base = base_text(pr, 'x', i, &s->type, AT_ROWS, BY_NOTHING, -1, 100);
	line(pr, "tl.store(%s + %s, %s)", base.s, index_text(pr, i, &s->type, s->imm[0]).s, A(0));
	line(pr, "tl.debug_barrier()");
	line(pr, "v%d = tl.load(%s + %s)", i, base.s, index_text(pr, i, &s->type, s->imm[1]).s);
	line(pr, "tl.debug_barrier()");
}

static const char *const atomics[] = {"add", "max", "min", "and", "or", "xor", "xchg", "cas"};

void print_old(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	Words base = base_text(pr, 'x', i, &s->type, AT_ROWS, BY_NOTHING, -1, 100);
	Words values = {""};
	append(&values, s->sub == ATOMIC_CAS ? "%s & 15, %s" : "%s", A(0), A(0));
	line(pr, s->type.rank ? "v%d = tl.atomic_%s(%s + %s, %s)" : "v%d = tl.atomic_%s(%s%s, %s)", i,
	     atomics[s->sub], base.s, s->type.rank ? index_text(pr, i, &s->type, AT_ROWS).s : "", values.s);
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
	if (t->rank == 0)
		line(pr, "tl.atomic_%s(%s + (pid & %d), %s)", atomics[s->sub], a->name, (1 << s->imm[0]) - 1, A(0));
	else
		line(pr, "tl.atomic_%s(%s + ((%s) & %d), %s%s)", atomics[s->sub], a->name,
		     flat_index(pr, i, t, AT_ROWS).s, (1 << s->imm[0]) - 1, A(0),
		     s->imm[1] ? mask_text(pr, i, t, 1).s : "");
}

/* ---- leaves ---- */

void print_full(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	line(pr, "v%d = tl.full(%s, %s, %s)", i, shape_of(&s->type).s, literal(s->type.dtype, s->imm[0]).s,
	     tl_name(s->type.dtype));
}

void print_arange(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	line(pr, "v%d = tl.arange(%d, %d)", i, (int)s->imm[0], (int)s->imm[0] + s->type.dim[0]);
}

void print_pid(Printer *pr, int i)
{
	line(pr, "v%d = pid", i);
}

void print_number(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	CaseArg *a = add_arg(pr, 'n', i, 0);
	a->dtype = s->type.dtype;
	a->lo = s->imm[0];
	line(pr, s->type.dtype == NESO_INT64 ? "v%d = %s.to(tl.int64)" : "v%d = %s", i, a->name);
}

/* ---- elementwise ---- */

static Words binary_text(int sub, neso_dtype t, const char *a, const char *b)
{
	static const char *const forms[BIN__COUNT] = {
		"%s + %s",
		"%s - %s",
		"%s * %s",
		"tl.minimum(%s, %s)",
		"tl.maximum(%s, %s)",
		"tl.minimum(%s, %s, propagate_nan=tl.PropagateNan.ALL)",
		"tl.maximum(%s, %s, propagate_nan=tl.PropagateNan.ALL)",
		"%s // ((%s & 15) | 1)",
		"%s %% ((%s & 15) | 1)",
		"%s & %s",
		"%s | %s",
		"%s ^ %s",
		"%s << (%s & %d)",
		"%s >> (%s & %d)",
		"tl.umulhi(%s, %s)",
	};
	const char *form = forms[sub];
	if (is_float(t) && sub == BIN_DIV)
		form = t == NESO_FP32 ? "tl.div_rn(%s, %s)" : "%s / %s";
	if (is_float(t) && sub == BIN_MOD)
		form = "%s %% %s";
	Words w = {""};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	append(&w, form, a, b, 8 * (int)neso_dtype_size(t) - 1);
#pragma GCC diagnostic pop
	return w;
}

void print_binary(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	bool widened = s->type.dtype == NESO_BF16 && s->sub >= BIN_MIN && s->sub <= BIN_MAX_NAN;
	line(pr, "v%d = %s%s", i, binary_text(s->sub, s->type.dtype, A(0), A(1)).s,
	     widened ? ".to(tl.bfloat16)" : "");
}

void print_binary_imm(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	neso_dtype t = s->type.dtype;
	static const char *const plain[BIN__COUNT] = {
		[BIN_DIV] = "//", [BIN_MOD] = "%", [BIN_SHL] = "<<", [BIN_SHR] = ">>"};
	Name b = literal(t, s->imm[0]);
	if (plain[s->sub])
		line(pr, "v%d = %s %s %s", i, A(0), plain[s->sub], b.s);
	else
		line(pr, "v%d = %s", i, binary_text(s->sub, t, s->imm[1] ? b.s : A(0), s->imm[1] ? A(0) : b.s).s);
}

void print_mixed(Printer *pr, int i)
{
	static const char signs[] = "+-*";
	const Stmt *s = stmt(pr, i);
	line(pr, "v%d = (%s %c %s).to(%s)", i, A(0), signs[s->sub], A(1), tl_name(s->type.dtype));
}

void print_compare(Printer *pr, int i)
{
	static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
	line(pr, "v%d = %s %s %s", i, A(0), signs[stmt(pr, i)->sub % 6], A(1));
}

void print_unary(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	switch (s->sub) {
	case UN_NEG: line(pr, "v%d = -%s", i, A(0)); break;
	case UN_ABS: line(pr, "v%d = tl.abs(%s)", i, A(0)); break;
	case UN_NOT: line(pr, "v%d = ~%s", i, A(0)); break;
	case UN_FLOOR: line(pr, "v%d = tl.floor(%s)", i, A(0)); break;
	case UN_CEIL: line(pr, "v%d = tl.ceil(%s)", i, A(0)); break;
	case UN_SQRT: line(pr, "v%d = tl.sqrt_rn(tl.abs(%s))", i, A(0)); break;
	case UN_CLEAN: line(pr, "v%d = tl.where(%s == %s, %s, 0.0)", i, A(0), A(0), A(0)); break;
	default: line(pr, "v%d = %s & 7", i, A(0)); break;
	}
}

void print_where(Printer *pr, int i)
{
	line(pr, "v%d = tl.where(%s, %s, %s)", i, A(0), A(1), A(2));
}

void print_fma(Printer *pr, int i)
{
	line(pr, "v%d = tl.fma(%s, %s, %s)", i, A(0), A(1), A(2));
}

void print_clamp(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	line(pr, "v%d = tl.clamp(%s, %d.0, %d.0).to(%s)", i, A(0), (int)s->imm[0], (int)s->imm[1],
	     tl_name(s->type.dtype));
}

void print_cast(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	line(pr, "v%d = %s.to(%s%s)", i, A(0), tl_name(s->type.dtype),
	     s->imm[0] ? ", fp_downcast_rounding=\"rtz\"" : "");
}

void print_bitcast(Printer *pr, int i)
{
	line(pr, "v%d = %s.to(%s, bitcast=True)", i, A(0), tl_name(stmt(pr, i)->type.dtype));
}

/* ---- shapes ---- */

void print_reshape(Printer *pr, int i)
{
	line(pr, "v%d = tl.reshape(%s, %s)", i, A(0), shape_of(&stmt(pr, i)->type).s);
}

void print_permute(Printer *pr, int i)
{
	Words w = {""};
	for (int d = 0; d < stmt(pr, i)->type.rank; d++)
		append(&w, "%s%d", d ? ", " : "", (int)stmt(pr, i)->imm[d]);
	line(pr, "v%d = tl.permute(%s, (%s))", i, A(0), w.s);
}

void print_expand(Printer *pr, int i)
{
	line(pr, "v%d = tl.expand_dims(%s, %d)", i, A(0), (int)stmt(pr, i)->imm[0]);
}

void print_broadcast(Printer *pr, int i)
{
	line(pr, "v%d = tl.broadcast_to(%s, %s)", i, A(0), shape_of(&stmt(pr, i)->type).s);
}

void print_join(Printer *pr, int i)
{
	line(pr, "v%d = tl.join(%s, %s)", i, A(0), A(1));
}

void print_split(Printer *pr, int i)
{
	line(pr, stmt(pr, i)->imm[0] ? "u%d, v%d = tl.split(%s)" : "v%d, u%d = tl.split(%s)", i, i, A(0));
}

void print_interleave(Printer *pr, int i)
{
	line(pr, "v%d = tl.interleave(%s, %s)", i, A(0), A(1));
}

void print_flip(Printer *pr, int i)
{
	line(pr, "v%d = tl.flip(%s, %d)", i, A(0), (int)stmt(pr, i)->imm[0]);
}

void print_sort(Printer *pr, int i)
{
	if (stmt(pr, i)->imm[2])
		line(pr, "v%d = tl.topk(%s, %d).to(%s)", i, A(0), (int)stmt(pr, i)->imm[2],
		     tl_name(stmt(pr, i)->type.dtype));
	else
		line(pr, stmt(pr, i)->imm[1] ? "v%d = tl.sort(%s, descending=True)" : "v%d = tl.sort(%s)", i, A(0));
}

void print_gather(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	line(pr, "v%d = tl.gather(%s, %s & %d, %d)", i, A(0), A(1), arg_type(pr, i, 0)->dim[s->imm[0]] - 1,
	     (int)s->imm[0]);
}

void print_histogram(Printer *pr, int i)
{
	int bins = stmt(pr, i)->type.dim[0];
	line(pr, "v%d = tl.histogram(%s & %d, %d)", i, A(0), bins - 1, bins);
}

void print_reduce(Printer *pr, int i)
{
	static const char *const functions[] = {"sum", "max", "min", "xor_sum", "reduce_or", "argmax", "argmin"};
	const Stmt *s = stmt(pr, i);
	Words axis = {"None"};
	const char *keep = s->imm[0] >= 0 && s->imm[1] ? ", keep_dims=True" : "";
	if (s->imm[0] >= 0) {
		axis.s[0] = '\0';
		append(&axis, "%d", (int)s->imm[0]);
	}
	if (s->sub < RED_ARGMAX)
		line(pr, "v%d = tl.%s(%s, axis=%s%s).to(%s)", i, functions[s->sub], A(0), axis.s, keep,
		     tl_name(s->type.dtype));
	else if (s->sub < RED_PRODUCT)
		line(pr, "v%d = tl.%s(%s, axis=%s%s)", i, functions[s->sub], A(0), axis.s, keep);
	else if (s->sub == RED_BEST)
		line(pr, "v%d, u%d = tl.reduce((%s, %s), %s, best%s)", i, i, A(0), A(1), axis.s, keep);
	else
		line(pr, "v%d = tl.reduce(%s, %s, %s%s)", i, A(0), axis.s, s->sub == RED_AND ? "both" : "product",
		     keep);
	pr->helpers |= s->sub == RED_BEST      ? 1u << HELPER_BEST
		       : s->sub == RED_AND     ? 1u << HELPER_AND
		       : s->sub == RED_PRODUCT ? 1u << HELPER_PRODUCT
					       : 0;
}

void print_scan(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	const char *reverse = s->imm[1] ? ", reverse=True" : "";
	const char *type = tl_name(s->type.dtype);
	int axis = (int)s->imm[0];
	switch (s->sub) {
	case SCAN_SUM: line(pr, "v%d = tl.cumsum(%s, axis=%d%s).to(%s)", i, A(0), axis, reverse, type); break;
	case SCAN_PRODUCT: line(pr, "v%d = tl.cumprod(%s, axis=%d%s).to(%s)", i, A(0), axis, reverse, type); break;
	case SCAN_MAX: line(pr, "v%d = tl.associative_scan(%s, %d, larger%s)", i, A(0), axis, reverse); break;
	default:
		line(pr, "u%d, v%d = tl.associative_scan((%s, %s), %d, then%s)", i, i, A(0), A(1), axis, reverse);
		break;
	}
	pr->helpers |= s->sub == SCAN_MAX ? 1u << HELPER_LARGER : s->sub == SCAN_THEN ? 1u << HELPER_THEN : 0;
}

void print_dot(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	Words acc = {""};
	if (s->arg_count == 3)
		append(&acc, ", %s", A(2));
	line(pr, "v%d = tl.dot(%s, %s%s, input_precision=\"%s\", out_dtype=%s)", i, A(0), A(1), acc.s,
	     s->sub ? "tf32" : "ieee", tl_name(s->type.dtype));
}
