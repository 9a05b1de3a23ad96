/* What padding costs: accesses and products whose tiles have sizes that are no powers of two
 * (front/tile/sem_pad.c) take the time and registers of the next powers of two. Accesses are read
 * before the passes, which replace these ops; products behind them, as some skip the padding
 * (trim-products). */
#include "gpu/explain/explain.h"

/* "24x40": its product, and that of the sizes rounded up, as text too; at most to `most`, unless
 * NULL or 0. */
static double counts(const char *sizes, const unsigned *most, Text *rounded, double *all)
{
	double own = 1;
	unsigned dim = 0;
	*all = 1;
	for (const char *at = sizes; *at; at += *at == 'x', dim++) {
		unsigned long long n = 0, whole = 1;
		for (; *at >= '0' && *at <= '9'; at++)
			n = n * 10 + (unsigned)(*at - '0');
		while (whole < n)
			whole *= 2;
		if (most && most[dim])
			whole = MIN(whole, (unsigned long long)most[dim]);
		text_printf(rounded, "%s%llu", rounded->len ? "x" : "", whole);
		own *= (double)n;
		*all *= (double)whole;
	}
	return own;
}

void gpu_explain_padded(GpuCx *cx, const IrOp *op, const unsigned *most)
{
	IrAttr sizes = ir_get(op, cx->ir, ATTR_PADDED);
	if (!sizes)
		return;
	CONTRACT(sizes->kind == ATTR_KIND_STRING);
	Text rounded;
	double all;
	text_init(&rounded, cx->remarks->arena);
	unsigned percent = (unsigned)(100 - 100 * counts(sizes->text, most, &rounded, &all) / all + 0.5);
	bool product = op->kind == OP_DOT || op->kind == OP_WARP_GROUP_DOT;
	if (!percent)
		return;
	Remark *r = gpu_remark_of(cx, op, NULL, REMARK_TILE_PADDED, sizes->text, rounded.data,
				  percent, product ? "multiplications" : "elements");
	remark_figure(r, "percent", percent);
}

static bool explain_op(void *data, IrOp *op)
{
	if (op->kind != OP_DOT && op->kind != OP_PRINT)
		gpu_explain_padded(data, op, NULL);
	return true;
}

void gpu_explain_padding(GpuCx *cx, const IrModule *module)
{
	if (cx->remarks)
		ir_walk(module->op, false, explain_op, cx);
}
