/* Which layouts an op ties together, and that they agree.
 *
 * Shape operations move no data: what a thread holds of the result is what it holds of the operand. So the layout of
 * one side gives that of the other, but where a side has more elements (a reduction's operand, a broadcast's result): that is
 * open. Elementwise operations have one layout. Registers that only hold copies make no difference. */
#include "gpu/gpu.h"
#include "ir/text.h"

/* ---- what follows from what ---- */

static unsigned axis_of_op(const GpuCx *cx, const IrOp *op)
{
	return (unsigned)ir_get_int(op, cx->ir, ATTR_AXIS, 0);
}

/* All tiles of these have one layout. */
static bool has_one_layout(const IrOp *op)
{
	switch (op->kind) {
	case OP_SCAN:
	case OP_MAP_ELEMENTWISE:
	case OP_EXTERN:
	case OP_INLINE_ASM:
	case OP_LOAD:
	case OP_STORE:
	case OP_ATOMIC_RMW:
	case OP_ATOMIC_CAS:
		return true;
	default:
		return ir_has_trait(op, TRAIT_ELEM);
	}
}

/* The operand of a broadcast holds what its threads need of the result. */
static const Layout *narrow(GpuCx *cx, const Layout *wide, IrType from, IrType to)
{
	for (uint32_t k = 0; k < from->rank; k++)
		if (from->shape[k] != to->shape[k])
			wide = layout_expand(&cx->layouts, layout_slice(&cx->layouts, wide, k), k);
	return wide;
}

/* The operand of tt.cat: the result without its highest register, where that chooses the half. */
static const Layout *half(GpuCx *cx, const Layout *whole, IrType part)
{
	unsigned top = layout_in_bits(whole, LAYOUT_REGISTER);
	LayoutSpace out = layout_space_of_shape(part->shape, part->rank), in = whole->in;
	uint64_t bases[64];
	unsigned n = 0;
	if (!top || layout_space_reps(&whole->out) > 1 || !layout_space_find(&whole->out, LAYOUT_DIM0)->bits)
		return NULL;
	for (unsigned i = 0; i < whole->in_bits; i++) {
		if (i == top - 1)
			continue;
		bases[n] = 0;
		for (unsigned k = 0; k < part->rank; k++) {
			uint64_t at = layout_space_get(&whole->out, whole->bases[i], LAYOUT_DIM0 + k);
			if (at >> layout_space_find(&out, LAYOUT_DIM0 + k)->bits)
				return NULL;
			bases[n] |= layout_space_put(&out, LAYOUT_DIM0 + k, at);
		}
		n++;
	}
	in.dim[0].bits--;
	const Layout *made = layout_make(&cx->layouts, &in, &out, bases);
	return layout_concat(&cx->layouts, made, 0) == whole ? made : NULL;
}

static const Layout *permuted(GpuCx *cx, const IrOp *op, const Layout *layout, bool back)
{
	IrAttr order = ir_get(op, cx->ir, ATTR_ORDER);
	unsigned by[LAYOUT_MAX_RANK];
	for (uint32_t k = 0; k < order->len; k++) {
		if (back)
			by[order->ints[k]] = k;
		else
			by[k] = (unsigned)order->ints[k];
	}
	return layout_transpose(&cx->layouts, layout, by);
}

const Layout *gpu_infer_operand(GpuCx *cx, const IrOp *op, unsigned operand, const Layout *result)
{
	LayoutContext *lc = &cx->layouts;
	IrType type = ir_operand(op, operand)->type;
	unsigned bit;
	if (!ir_is_tensor(type))
		return NULL;
	if (has_one_layout(op))
		return result;
	switch (op->kind) {
	case OP_EXPAND_DIMS:
		return layout_slice(lc, result, axis_of_op(cx, op));
	case OP_BROADCAST:
		return narrow(cx, result, type, op->results[0].type);
	case OP_RESHAPE:
		return layout_reshape(lc, result, type->shape, type->rank);
	case OP_TRANS:
		return permuted(cx, op, result, true);
	case OP_JOIN:
		return layout_split(lc, result, &bit);
	case OP_SPLIT:
		return layout_join(lc, result);
	case OP_CAT:
		return half(cx, result, type);
	case OP_DOT:
	case OP_DOT_SCALED:
		return operand == 2 ? result : NULL;
	case OP_GATHER:
		return operand == 1 ? result : NULL;
	default:
		return NULL;
	}
}

const Layout *gpu_infer_result(GpuCx *cx, const IrOp *op, unsigned result, unsigned operand, const Layout *layout)
{
	LayoutContext *lc = &cx->layouts;
	IrType type = op->results[result].type;
	unsigned bit;
	if (!ir_is_tensor(type))
		return NULL;
	if (has_one_layout(op))
		return layout;
	switch (op->kind) {
	case OP_EXPAND_DIMS:
		return layout_expand(lc, layout, axis_of_op(cx, op));
	case OP_REDUCE:
		return layout_slice(lc, layout, axis_of_op(cx, op));
	case OP_RESHAPE:
		return layout_reshape(lc, layout, type->shape, type->rank);
	case OP_TRANS:
		return permuted(cx, op, layout, false);
	case OP_JOIN:
		return layout_join(lc, layout);
	case OP_SPLIT:
		return layout_split(lc, layout, &bit);
	case OP_CAT:
		return layout_concat(lc, layout, 0);
	case OP_DOT:
	case OP_DOT_SCALED:
		return operand == 2 ? layout : NULL;
	case OP_GATHER:
		return operand == 1 ? layout : NULL;
	default:
		return NULL;
	}
}

bool gpu_same_layout(GpuCx *cx, const Layout *a, const Layout *b)
{
	return a == b || (a && b && layout_strip_registers(&cx->layouts, a) == layout_strip_registers(&cx->layouts, b));
}

bool gpu_is_reordering(GpuCx *cx, const IrOp *op, const Layout *from, const Layout *to)
{
	const Layout *same = op->kind == OP_RESHAPE && ir_get_bool(op, cx->ir, ATTR_ALLOW_REORDER)
				     ? gpu_infer_result(cx, op, 0, 0, from)
				     : to;
	return same && !gpu_same_layout(cx, same, to) && layout_is_one_to_one(from) && layout_is_one_to_one(to) &&
	       layout_in_bits(from, LAYOUT_REGISTER) == layout_in_bits(to, LAYOUT_REGISTER);
}

/* ---- verifying ---- */

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
		pass_diag(&c->pass, op->loc, DIAG_GPU_ENCODING, ir_op_info[op->kind].text, what,
			  ir_type_text(cx->arena, type), error);
		return !(c->failed = true);
	}
	if (!ir_is_tensor(type))
		return true;
	unsigned lanes = 1u << layout_in_bits(l, LAYOUT_LANE), have = 1u << layout_in_bits(l, LAYOUT_WARP);
	unsigned ctas = 1u << layout_in_bits(l, LAYOUT_BLOCK);
	if (lanes == TARGET_WARP_SIZE && have == warps && ctas == cx->num_ctas)
		return true;
	pass_diag(&c->pass, op->loc, DIAG_GPU_THREADS, ir_op_info[op->kind].text, what, lanes, have, ctas, warps,
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
	pass_diag(&c->pass, op->loc, DIAG_GPU_AGREE, ir_op_info[op->kind].text, what, with);
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
	if (has_one_layout(op)) {
		if (like < op->operand_count && ir_is_tensor(ir_operand(op, like)->type)) {
			check_equal(c, op, like, false);
			check_equal(c, op, like, true);
		}
		return;
	}
	if (op->kind == OP_REDUCE || op->kind == OP_CAT || op->kind == OP_JOIN)
		check_equal(c, op, 0, false);
	if (op->kind == OP_HISTOGRAM)
		check_equal(c, op, 0, false);
	uint32_t operand = op->kind == OP_GATHER ? 1 : op->kind == OP_DOT || op->kind == OP_DOT_SCALED ? 2 : 0;
	for (uint32_t r = 0; r < op->result_count && operand < op->operand_count; r++) {
		const Layout *from = layout_of(c, op, operand, false), *to = layout_of(c, op, r, true);
		if (!from || !to)
			continue;
		const Layout *want = gpu_infer_result(c->cx, op, r, operand, from);
		bool back = !want;
		if (back)
			want = gpu_infer_operand(c->cx, op, operand, to);
		bool tied = op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_REDUCE ||
			    op->kind == OP_RESHAPE || op->kind == OP_TRANS || op->kind == OP_JOIN ||
			    op->kind == OP_SPLIT || op->kind == OP_CAT || operand;
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
	pass_diag(pass, module->op->loc, DIAG_GPU_COUNT, what, count, most);
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
		pass_diag(&c.pass, module->op->loc, DIAG_GPU_MODULE, cx->num_warps);
		return false;
	}
	ir_walk(module->op, false, check_op, &c);
	return !c.failed;
}

bool gpu_check(void *host, const IrModule *module, DiagList *diags)
{
	return gpu_verify(host, module, diags);
}
