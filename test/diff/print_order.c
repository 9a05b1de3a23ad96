/* Ops that order, count or scan, and constructs around a value, as Triton source. */
#include "print.h"

Words index_below(const char *value, int n)
{
	Words w = {""};
	if ((n & (n - 1)) == 0)
		append(&w, "%s & %d", value, n - 1);
	else
		append(&w, "(%s & 32767) %% %d", value, n);
	return w;
}

void print_sort(Printer *pr, int i)
{
	if (stmt(pr, i)->imm[2])
		line(pr, "v%d = tl.topk(%s, %d).to(%s)", i, A(0), (int)stmt(pr, i)->imm[2],
		     tl_name(stmt(pr, i)->type.dtype));
	else
		line(pr, "v%d = tl.sort(%s%s)", i, A(0), stmt(pr, i)->imm[1] ? ", descending=True" : "");
}


void print_order(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	const char *down = s->imm[1] ? ", descending=True" : "";
	bool takes = s->sub == ORDER_LARGEST || s->sub == ORDER_LARGEST_AT;
	bool index = s->sub == ORDER_POSITIONS || s->sub == ORDER_LARGEST_AT;
	if (s->sub == ORDER_ARGSORT)
		line(pr, "v%d = tl.argsort(%s%s)", i, A(0), down);
	else if (s->sub == ORDER_MEDIAN)
		line(pr, "v%d = tl.median(%s)", i, A(0));
	else if (takes)
		line(pr, "%c%d, %c%d = tl.topk(%s, %d, return_indices=True)", index ? 'u' : 'v', i,
		     index ? 'v' : 'u', i, A(0), (int)s->imm[2]);
	else
		line(pr, "%c%d, %c%d = tl.sort(%s%s, return_indices=True)", index ? 'u' : 'v', i,
		     index ? 'v' : 'u', i, A(0), down);
}

void print_search(Printer *pr, int i)
{
	const char *type = tl_name(arg_type(pr, i, 0)->dtype);
	line(pr, "v%d = tl.searchsorted(tl.sort(%s).to(%s), %s%s)", i, A(0), type, A(1),
	     stmt(pr, i)->sub ? ", right=True" : "");
}

void print_histogram(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	int bins = s->type.dim[0];
	Words weights = {""};
	if (s->arg_count == 2)
		append(&weights, ", weights=%s", A(1));
	line(pr, "v%d = tl.histogram(%s, %d%s).to(%s)", i, index_below(A(0), bins).s, bins, weights.s,
	     tl_name(s->type.dtype));
}

void print_scan(Printer *pr, int i)
{
	const Stmt *s = stmt(pr, i);
	Words how = {""};
	append(&how, "%s%s", s->imm[1] ? ", reverse=True" : "", s->imm[2] ? ", exclusive=True" : "");
	static const char *const sums[] = {"cumsum", "cumprod"};
	const char *type = tl_name(s->type.dtype);
	int axis = (int)s->imm[0];
	if (s->sub <= SCAN_PRODUCT)
		line(pr, "v%d = tl.%s(%s, axis=%d%s).to(%s)", i, sums[s->sub], A(0), axis, how.s, type);
	else if (s->sub == SCAN_MAX)
		line(pr, "v%d = tl.associative_scan(%s, %d, larger%s)", i, A(0), axis, how.s);
	else
		line(pr, "u%d, v%d = tl.associative_scan((%s, %s), %d, then%s)", i, i, A(0), A(1), axis,
		     how.s);
	pr->helpers |= s->sub == SCAN_MAX ? 1u << HELPER_LARGER : s->sub == SCAN_THEN ? 1u << HELPER_THEN : 0;
}


/* ---- constructs ---- */

void print_wrap(Printer *pr, int i)
{
	Name name = arg_name(pr, i, 0);
	const char *a = name.s;
	switch (stmt(pr, i)->sub) {
	case WRAP_LIST: line(pr, "v%d = [(w, j) for j in range(2) for w in (%s, %s)][3][0]", i, a, a); break;
	case WRAP_DICT: line(pr, "v%d = {f\"k{j}\": %s for j in range(2)}[\"k1\"]", i, a); break;
	case WRAP_LAMBDA: line(pr, "v%d = (lambda f, w: f(w))(lambda w: (%s, w)[0], 0)", i, a); break;
	case WRAP_RECORD: line(pr, "v%d = Held(%s, 1).first()", i, a); break;
	case WRAP_MATCH:
		line(pr, "match len(%s.shape):", a);
		line(pr, "    case 0 | 1:");
		line(pr, "        v%d = %s", i, a);
		line(pr, "    case _:");
		line(pr, "        v%d = %s", i, a);
		break;
	case WRAP_RECURSION: line(pr, "v%d = same(%s, 3)", i, a); break;
	case WRAP_SAID:
		line(pr, "tl.device_assert(1 == 2, f\"{%s} of v%d\")", a, i);
		line(pr, "v%d = %s", i, a);
		break;
	default: line(pr, "v%d = %s if len(%s.shape) < 5 else None", i, a, a); break;
	}
	pr->helpers |= stmt(pr, i)->sub == WRAP_RECORD      ? 1u << HELPER_RECORD
		       : stmt(pr, i)->sub == WRAP_RECURSION ? 1u << HELPER_SAME
							    : 0;
}
