/* Single statements as Triton source; those of memory are in print_memory.c. */
#include <string.h>

#include "print.h"

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

/* "x[:, 1:9:2]" */
static void print_picked(Printer *pr, int i, const char *before, const char *tile, const char *behind)
{
	const Stmt *s = stmt(pr, i);
	char text[64] = "", item[48];
	int last = s->imm[1] + s->imm[2] * s->imm[3];
	for (int d = 0; d < s->imm[0]; d++)
		snprintf(text + strlen(text), sizeof text - strlen(text), ":, ");
	if (s->op == OP_SLICE && s->sub)
		snprintf(item, sizeof item, "%d", (int)s->imm[1]);
	else if (last < 0)
		snprintf(item, sizeof item, "%d::%d", (int)s->imm[1], (int)s->imm[3]);
	else
		snprintf(item, sizeof item, "%d:%d:%d", (int)s->imm[1], last, (int)s->imm[3]);
	line(pr, "%s%s[%s%s]%s", before, tile, text, item, behind);
}

void print_slice(Printer *pr, int i)
{
	char name[16];
	snprintf(name, sizeof name, "v%d = ", i);
	print_picked(pr, i, name, A(0), "");
}

void print_part(Printer *pr, int i)
{
	char before[32], behind[32];
	snprintf(before, sizeof before, "v%d = tl.%s(", i, stmt(pr, i)->sub ? "min" : "max");
	snprintf(behind, sizeof behind, ", %d).to(%s)", (int)stmt(pr, i)->imm[0], tl_name(arg_type(pr, i,
			0)->dtype));
	print_picked(pr, i, before, A(0), behind);
}

void print_put(Printer *pr, int i)
{
	char name[16], behind[32];
	snprintf(name, sizeof name, "v%d", i);
	snprintf(behind, sizeof behind, " = %s", A(1));
	line(pr, "%s = %s", name, A(0));
	print_picked(pr, i, "", name, behind);
}

void print_leave(Printer *pr, int i)
{
	line(pr, "if %s:", A(0));
	line(pr, stmt(pr, i)->sub ? "    continue" : "    break");
}

void print_flip(Printer *pr, int i)
{
	line(pr, "v%d = tl.flip(%s, %d)", i, A(0), (int)stmt(pr, i)->imm[0]);
}

void print_gather(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	Words index = index_below(A(1), arg_type(pr, i, 0)->dim[s->imm[0]]);
	line(pr, "v%d = tl.gather(%s, %s, %d)", i, A(0), index.s, (int)s->imm[0]);
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

void print_dot(Printer *pr, int i)
{
	static const char *const precisions[] = {"ieee", "tf32", "tf32x3"};
	const Stmt *s = stmt(pr, i);
	Words acc = {""};
	if (s->arg_count == 3)
		append(&acc, ", %s", A(2));
	line(pr, "v%d = tl.dot(%s, %s%s, input_precision=\"%s\", out_dtype=%s)", i, A(0), A(1), acc.s,
	     precisions[s->sub % 3], tl_name(s->type.dtype));
}
