/* A program as Triton source: lines, names, regions, the head of the kernel. Single ops are in print_ops.c. */
#include <stdlib.h>
#include <string.h>

#include "print.h"

void append(Words *w, const char *format, ...)
{
	size_t at = strlen(w->s);
	va_list list;
	va_start(list, format);
	vsnprintf(w->s + at, sizeof w->s - at, format, list);
	va_end(list);
}

void line(Printer *pr, const char *format, ...)
{
	FILE *file = pr->function >= 0 ? pr->functions : pr->kernel;
	int depth = 1;
	va_list list;
	for (int d = pr->depth - 1; d >= 0 && pr->open[d] != pr->function; d--) {
		const Stmt *s = &pr->p->stmts[pr->open[d]];
		depth += s->op == OP_IF && s->sub != BRANCH_IF ? 2 : 1;
	}
	for (int d = 0; d < depth; d++)
		fputs("    ", file);
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	putc('\n', file);
}

Name name_of(const Program *p, int i)
{
	const Stmt *s = &p->stmts[i];
	Name n;
	if (s->op == OP_PHI || (s->op == OP_RESULT && p->stmts[s->args[0]].op != OP_FN))
		snprintf(n.s, sizeof n.s, "c%d_%d", s->args[0], (int)s->imm[0]);
	else
		snprintf(n.s, sizeof n.s, "v%d", i);
	return n;
}

Name arg_name(const Printer *pr, int i, int k)
{
	return name_of(pr->p, pr->p->stmts[i].args[k]);
}

const char *tl_name(neso_dtype t)
{
	static const char *const names[] = {
		[NESO_INT1] = "tl.int1",      [NESO_INT8] = "tl.int8",          [NESO_INT16] = "tl.int16",
		[NESO_INT32] = "tl.int32",    [NESO_INT64] = "tl.int64",        [NESO_UINT8] = "tl.uint8",
		[NESO_UINT16] = "tl.uint16",  [NESO_UINT32] = "tl.uint32",      [NESO_UINT64] = "tl.uint64",
		[NESO_FP8E5] = "tl.float8e5", [NESO_FP8E4NV] = "tl.float8e4nv", [NESO_FP16] = "tl.float16",
		[NESO_BF16] = "tl.bfloat16",  [NESO_FP32] = "tl.float32",       [NESO_FP64] = "tl.float64",
	};
	return names[t];
}

Words shape_of(const Type *t)
{
	Words w = {"("};
	for (int d = 0; d < t->rank; d++)
		append(&w, d || t->rank == 1 ? "%s%d%s" : "%s%d%s", d ? ", " : "", t->dim[d],
		       t->rank == 1 ? "," : "");
	append(&w, ")");
	return w;
}

Name literal(neso_dtype t, int value)
{
	Name n;
	snprintf(n.s, sizeof n.s, is_float(t) ? "%d.0" : "%d", value);
	return n;
}

/* ---- regions ---- */

static void assign(Printer *pr, int region, int i)
{
	const Stmt *s = &pr->p->stmts[i];
	Words left = {""}, right = {""};
	for (int k = 0; k < s->arg_count; k++) {
		append(&left, "%sc%d_%d", k ? ", " : "", region, k);
		append(&right, "%s%s", k ? ", " : "", arg_name(pr, i, k).s);
	}
	if (s->arg_count)
		line(pr, "%s = %s", left.s, right.s);
}

static CaseArg *number(Printer *pr, char letter, int i, int value)
{
	CaseArg *a = &pr->c->args[pr->c->arg_count++];
	*a = (CaseArg){.dtype = NESO_INT32, .lo = value};
	snprintf(a->name, sizeof a->name, "%c%d", letter, i);
	return a;
}

/* What loads of this loop, and of none in it, begin with. */
static void print_pointers(Printer *pr, int loop)
{
	int depth = 0;
	for (int i = loop; depth > 0 || i == loop; i++) {
		const Stmt *s = &pr->p->stmts[i];
		depth += (s->op == OP_FOR) - (s->op == OP_END_FOR);
		if (s->op == OP_LOAD && s->sub == BY_POINTER && depth == 1)
			print_pointer(pr, i, loop);
	}
}

void print_for(Printer *pr, int i)
{
	const Stmt *s = &pr->p->stmts[i];
	bool runtime = s->sub != LOOP_CONSTANT && s->sub != LOOP_STATIC;
	assign(pr, i, i);
	print_pointers(pr, i);
	if (runtime)
		number(pr, 'n', i, s->sub == LOOP_STEP ? 2 * s->imm[0] : s->imm[0]);
	switch (s->sub) {
	case LOOP_CONSTANT: line(pr, "for k%d in range(%d):", i, (int)s->imm[0]); break;
	case LOOP_RUNTIME: line(pr, "for k%d in range(n%d):", i, i); break;
	case LOOP_STEP: line(pr, "for k%d in range(0, n%d, 2):", i, i); break;
	case LOOP_DOWN: line(pr, "for k%d in range(n%d, 0, -1):", i, i); break;
	case LOOP_STATIC: line(pr, "for k%d in tl.static_range(%d):", i, (int)s->imm[0]); break;
	case LOOP_STAGES:
		line(pr, "for k%d in tl.range(0, n%d, num_stages=%d%s):", i, i, (int)s->imm[2],
		     s->imm[2] % 2 ? ", warp_specialize=True" : "");
		break;
	case LOOP_UNROLLED:
		line(pr, "for k%d in tl.range(n%d, loop_unroll_factor=%d):", i, i, 1 + (int)s->imm[2]);
		break;
	case LOOP_FLAT:
		line(pr, "for k%d in tl.range(0, n%d, num_stages=%d, flatten=True%s):", i, i, (int)s->imm[2],
		     s->imm[2] % 2 ? ", disallow_acc_multi_buffer=True" : "");
		break;
	default: line(pr, "k%d = 0", i); line(pr, "while k%d < n%d:", i, i);
	}
	pr->open[pr->depth++] = i;
}

void print_index(Printer *pr, int i)
{
	int loop = pr->p->stmts[i].args[0];
	line(pr, pr->p->stmts[loop].sub == LOOP_STATIC ? "v%d = tl.to_tensor(k%d)" : "v%d = k%d", i, loop);
}

void print_phi(Printer *pr, int i)
{
	(void)pr, (void)i;
}

void print_end_for(Printer *pr, int i)
{
	int start = pr->open[pr->depth - 1];
	assign(pr, start, i);
	if (pr->p->stmts[start].sub == LOOP_WHILE)
		line(pr, "k%d += 1", start);
	pr->depth--;
}

void print_if(Printer *pr, int i)
{
	const Stmt *s = &pr->p->stmts[i];
	if (s->sub == BRANCH_IF) {
		line(pr, "if %s:", arg_name(pr, i, 0).s);
	} else {
		line(pr, "match %s & 3:", arg_name(pr, i, 0).s);
		if (s->sub == BRANCH_MATCH)
			line(pr, "    case 0 | 2:");
		else
			line(pr, "    case (1 | 2 | 3) as w%d:", i);
	}
	pr->open[pr->depth++] = i;
}

void print_else(Printer *pr, int i)
{
	int start = pr->open[pr->depth - 1];
	assign(pr, start, i);
	line(pr, "pass");
	pr->depth--;
	line(pr, pr->p->stmts[start].sub == BRANCH_IF ? "else:" : "    case _:");
	pr->depth++;
}

void print_end_if(Printer *pr, int i)
{
	assign(pr, pr->open[pr->depth - 1], i);
	line(pr, "pass");
	pr->depth--;
}

void print_fn(Printer *pr, int i)
{
	const Stmt *s = &pr->p->stmts[i];
	Words parameters = {""};
	for (int k = 0; k < s->arg_count; k++)
		append(&parameters, "%sv%d", k ? ", " : "", i + 1 + k);
	if (s->imm[1]) {
		line(pr, "def f%d(%s):", i, s->imm[2] ? "w" : parameters.s);
	} else {
		fprintf(pr->functions, "@triton.jit%s\ndef f%d(%s):\n", s->imm[0] ? "(noinline=True)" : "", i,
			s->imm[2] ? "w" : parameters.s);
		pr->function = i;
	}
	pr->open[pr->depth++] = i;
	if (s->imm[2])
		line(pr, "%s, w = w", parameters.s);
}

void print_param(Printer *pr, int i)
{
	(void)pr, (void)i;
}

void print_end_fn(Printer *pr, int i)
{
	const Stmt *s = &pr->p->stmts[i];
	int start = pr->open[pr->depth - 1];
	Words values = {""}, results = {""}, arguments = {""};
	for (int k = 0; k < s->arg_count; k++) {
		append(&values, "%s%s", k ? ", " : "", arg_name(pr, i, k).s);
		append(&results, "%sv%d", k ? ", " : "", i + 1 + k);
	}
	for (int k = 0; k < pr->p->stmts[start].arg_count; k++)
		append(&arguments, "%s%s", k ? ", " : "", arg_name(pr, start, k).s);
	line(pr, "return %s", values.s);
	if (pr->function == start)
		fputs("\n\n", pr->functions);
	pr->function = -1;
	pr->depth--;
	bool tuple = pr->p->stmts[start].imm[2];
	line(pr, "%s = f%d(%s%s%s)", results.s, start, tuple ? "(" : "", arguments.s, tuple ? ", 7)" : "");
}

void print_result(Printer *pr, int i)
{
	(void)pr, (void)i;
}

/* ---- the whole ---- */

typedef void PrintFn(Printer *pr, int i);
#define OP(name, function, weight) [OP_##name] = print_##function,
static PrintFn *const prints[OP__COUNT] = {
#include "ops.def"
};
#undef OP

static const char *const helpers[] = {
	[HELPER_RECORD] =
		"class Held:\n    a: object\n    b: object\n\n"
		"    @triton.jit\n    def first(self):\n        return self.a\n",
	[HELPER_SAME] =
		"def same(x, N: tl.constexpr):\n    if N == 0:\n        return x\n"
		"    return same(x, N - 1)\n",
	[HELPER_PRODUCT] = "def product(a, b):\n    return a * b\n",
	[HELPER_AND] = "def both(a, b):\n    return a & b\n",
	[HELPER_LARGER] = "def larger(a, b):\n    return tl.maximum(a, b)\n",
	[HELPER_BEST] =
		"def best(a, i, b, j):\n    first = (a > b) | ((a == b) & (i < j))\n    return tl.where(first, a, b), tl.where(first, i, j)\n",
	[HELPER_CHOSEN] = "def chosen(a, b):\n    if a > b:\n        return a - b\n    return b ^ a\n",
	[HELPER_PAIRS] =
		"def pairs(a0, a1, b0, b1):\n    if a0 > b1:\n        return a1, b0\n"
		"    return a0 + b1, a1 & b0\n",
	[HELPER_THEN] = "def then(a1, b1, a2, b2):\n    return a1 * a2, b1 * a2 + b2\n",
};

static void copy_text(FILE *to, FILE *from, char *const *text)
{
	fflush(from);
	fputs(*text, to);
}

void program_print(const Program *p, Case *c)
{
	char *kernel = NULL, *functions = NULL;
	size_t kernel_size, functions_size, size;
	memset(c, 0, sizeof *c);
	*c = (Case){.grid = p->grid,
		    .num_warps = p->num_warps,
		    .num_stages = p->num_stages,
		    .schedules = p->schedules,
		    .ctas = p->ctas,
		    .fused = p->fused,
		    .plain = p->plain,
		    .new_floats = p->new_floats};
	Printer pr = {.p = p,
		      .c = c,
		      .kernel = open_memstream(&kernel, &kernel_size),
		      .functions = open_memstream(&functions, &functions_size),
		      .function = -1};
	line(&pr, "pid = tl.program_id(0)");
	for (int i = 0; i < p->count; i++)
		prints[p->stmts[i].op](&pr, i);
	FILE *out = open_memstream(&c->text, &size);
	if (pr.helpers >> HELPER_RECORD & 1)
		fputs("from dataclasses import dataclass\n\n", out);
	fputs("import triton\nimport triton.language as tl\n\n\n", out);
	for (unsigned h = 0; h < sizeof helpers / sizeof helpers[0]; h++)
		if (pr.helpers >> h & 1)
			fprintf(out, "@%s\n%s\n\n", h == HELPER_RECORD ? "dataclass" : "triton.jit",
				helpers[h]);
	copy_text(out, pr.functions, &functions);
	fputs("@triton.jit\ndef kernel(", out);
	for (int k = 0; k < c->arg_count; k++)
		fprintf(out, "%s%s", k ? ", " : "", c->args[k].name);
	fputs("):\n", out);
	copy_text(out, pr.kernel, &kernel);
	fclose(out);
	fclose(pr.kernel);
	fclose(pr.functions);
	free(kernel);
	free(functions);
}
