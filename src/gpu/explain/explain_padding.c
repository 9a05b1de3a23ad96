/* What padding costs: accesses and products whose tiles have sizes that are no powers of two
 * (front/tile/sem_pad.c) take the time and registers of the next powers of two. Read before the
 * passes, which replace these ops. */
#include "gpu/explain/explain.h"

/* "24x40": its product, and that of the sizes rounded up, as text too. */
static double counts(const char *sizes, Text *rounded, double *all)
{
	double own = 1;
	*all = 1;
	for (const char *at = sizes; *at; at += *at == 'x') {
		unsigned long long n = 0, whole = 1;
		for (; *at >= '0' && *at <= '9'; at++)
			n = n * 10 + (unsigned)(*at - '0');
		while (whole < n)
			whole *= 2;
		text_printf(rounded, "%s%llu", rounded->len ? "x" : "", whole);
		own *= (double)n;
		*all *= (double)whole;
	}
	return own;
}

static bool explain_op(void *data, IrOp *op)
{
	GpuCx *cx = data;
	IrAttr sizes = ir_get(op, cx->ir, ATTR_PADDED);
	if (!sizes)
		return true;
	CONTRACT(sizes->kind == ATTR_KIND_STRING);
	Text rounded;
	double all;
	text_init(&rounded, cx->remarks->arena);
	unsigned percent = (unsigned)(100 - 100 * counts(sizes->text, &rounded, &all) / all + 0.5);
	Remark *r = gpu_remark_of(cx, op, NULL, REMARK_TILE_PADDED, sizes->text, rounded.data,
				  percent, op->kind == OP_DOT ? "multiplications" : "elements");
	remark_figure(r, "percent", percent);
	return true;
}

void gpu_explain_padding(GpuCx *cx, const IrModule *module)
{
	if (cx->remarks)
		ir_walk(module->op, false, explain_op, cx);
}
