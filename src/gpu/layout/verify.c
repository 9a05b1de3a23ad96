/* Verifies that layouts fit the shapes of their tiles and the threads that run an op, and that
 * they go together as each op requires (infer.c). */
#include "gpu/layout/verify.h"

#include "ir/pass.h"
#include "ir/text/text.h"

typedef struct Check {
	GpuCx *cx;
	PassCx pass; /* for diagnostics */
	bool failed;
} Check;

static const char *value_text(Check *c, uint32_t i, bool result)
{
	return arena_printf(c->cx->arena, result ? "result %u" : "operand %u", i);
}

/* The type has a layout that fits its shape and the threads that run the op. */
static bool check_type(Check *c, const IrOp *op, const char *what, IrType type)
{
	GpuCx *cx = c->cx;
	const char *error = NULL;
	if (!ir_is_tensor(type) && type->kind != TY_MEMDESC)
		return true;
	const Layout *l = gpu_layout_checked(cx, type, &error);
	unsigned warps = gpu_num_warps(cx, op);
	if (!l) {
		ir_diag(c->pass.diags, op->loc, DIAG_GPU_ENCODING, ir_op_info[op->kind].text, what,
			  ir_type_text(cx->arena, type), error);
		return !(c->failed = true);
	}
	if (!ir_is_tensor(type))
		return true;
	unsigned lanes = 1u << layout_in_bits(l, LAYOUT_LANE), have = 1u << layout_in_bits(l, LAYOUT_WARP);
	unsigned ctas = 1u << layout_in_bits(l, LAYOUT_BLOCK);
	if (lanes == TARGET_WARP_SIZE && have == warps && ctas == cx->num_ctas)
		return true;
	ir_diag(c->pass.diags, op->loc, DIAG_GPU_THREADS, ir_op_info[op->kind].text, what, lanes, have, ctas, warps,
		  cx->num_ctas);
	return !(c->failed = true);
}

static const Layout *layout_of(Check *c, const IrOp *op, uint32_t i, bool result)
{
	IrType type = result ? op->results[i].type : ir_operand(op, i)->type;
	return ir_is_tensor(type) ? gpu_layout_checked(c->cx, type, NULL) : NULL;
}

static void disagree(Check *c, const IrOp *op, const char *what, const char *with)
{
	ir_diag(c->pass.diags, op->loc, DIAG_GPU_AGREE, ir_op_info[op->kind].text, what, with);
	c->failed = true;
}

/* Tiles `from` and later have the layout of operand `like`. */
static void check_equal(Check *c, const IrOp *op, uint32_t like, bool results)
{
	const Layout *first = layout_of(c, op, like, false);
	uint32_t n = results ? op->result_count : op->operand_count;
	for (uint32_t i = results ? 0 : like + 1; first && i < n; i++) {
		const Layout *other = layout_of(c, op, i, results);
		if (other && other != first)
			disagree(c, op, value_text(c, i, results), value_text(c, like, false));
	}
}

static void check_agreement(Check *c, const IrOp *op)
{
	uint32_t like = op->kind == OP_SELECT && !ir_is_tensor(ir_operand(op, 0)->type);
	const GpuTie *tie = gpu_tie(op);
	if (tie->one) {
		if (like < op->operand_count && ir_is_tensor(ir_operand(op, like)->type)) {
			check_equal(c, op, like, false);
			check_equal(c, op, like, true);
		}
		return;
	}
	if (tie->operands)
		check_equal(c, op, 0, false);
	uint32_t operand = tie->like;
	for (uint32_t r = 0; r < op->result_count && operand < op->operand_count; r++) {
		const Layout *from = layout_of(c, op, operand, false), *to = layout_of(c, op, r, true);
		if (!from || !to)
			continue;
		const Layout *want = gpu_infer_result(c->cx, op, r, operand, from);
		bool back = !want;
		if (back)
			want = gpu_infer_operand(c->cx, op, operand, to);
		bool tied = tie->operand || tie->result || operand;
		if (gpu_is_reordering(c->cx, op, from, to))
			continue;
		if (tied && !gpu_same_layout(c->cx, want, back ? from : to))
			disagree(c, op, value_text(c, r, true), value_text(c, operand, false));
	}
}

static bool check_op(void *data, IrOp *op)
{
	Check *c = data;
	bool ok = true;
	for (uint32_t i = 0; i < op->result_count; i++)
		ok = check_type(c, op, value_text(c, i, true), op->results[i].type) && ok;
	for (uint32_t r = 0; r < op->region_count; r++)
		for (const IrBlock *b = op->regions[r].first; b; b = b->next)
			for (uint32_t i = 0; i < b->arg_count && b->last; i++)
				ok = check_type(c, b->last, arena_printf(c->cx->arena, "block argument %u", i),
						b->args[i]->type) &&
				     ok;
	if (ok && op->kind != OP_FUNC)
		check_agreement(c, op);
	return true;
}

static bool check_count(PassCx *pass, const IrModule *module, const char *what, unsigned count, unsigned most)
{
	if (base_is_pow2(count) && count <= most)
		return true;
	ir_diag(pass->diags, module->op->loc, DIAG_GPU_COUNT, what, count, most);
	return false;
}

bool gpu_check_counts(const GpuCx *cx, const IrModule *module, DiagList *diags)
{
	PassCx pass = {.diags = diags};
	return check_count(&pass, module, "num_warps", cx->num_warps, TARGET_MAX_THREADS / TARGET_WARP_SIZE) &&
	       check_count(&pass, module, "num_ctas", cx->num_ctas, GPU_MOST_CTAS);
}

bool gpu_verify(GpuCx *cx, const IrModule *module, DiagList *diags)
{
	Check c = {.cx = cx, .pass = {.diags = diags}};
	if (!gpu_check_counts(cx, module, diags))
		return false;
	IrAttr warps = ir_get(module->op, cx->ir, ATTR_MODULE_WARPS);
	if (!warps || warps->kind != ATTR_KIND_INT || warps->i != cx->num_warps) {
		ir_diag(c.pass.diags, module->op->loc, DIAG_GPU_MODULE, cx->num_warps);
		return false;
	}
	ir_walk(module->op, false, check_op, &c);
	return !c.failed;
}

bool gpu_check(void *host, const IrModule *module, DiagList *diags)
{
	return gpu_verify(host, module, diags);
}
