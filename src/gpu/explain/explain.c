/* Remarks derived from TTGIR: conversions, tiles in shared memory, registers. Each figure is that
 * of the plan which the lowering executes. */
#include "gpu/explain/explain.h"

#include "gpu/analysis/pressure.h"
#include "gpu/memory/memory.h"
#include "ir/text/text.h"
#include "layout/plan_parts.h"

/* ---- conversions ---- */

static void tile_text(Text *out, Arena *arena, IrType type)
{
	text_init(out, arena);
	for (uint32_t i = 0; i < type->rank; i++)
		text_printf(out, "%lldx", (long long)type->shape[i]);
	ir_print_type(out, type->elem);
}

/* "128x64xf16 from tt.load to tt.dot" */
static const char *trip_text(Arena *arena, const IrOp *op)
{
	const IrValue *from = ir_operand(op, 0);
	IrType type = op->results[0].type;
	Text t;
	tile_text(&t, arena, type);
	text_printf(&t, " from %s", from->def ? ir_op_info[from->def->kind].text : "what the loop carries");
	if (op->results[0].uses)
		text_printf(&t, " to %s", ir_op_info[op->results[0].uses->owner->kind].text);
	return t.data;
}

static void explain_conversion(GpuCx *cx, Arena *scratch, const IrOp *op)
{
	IrType from = ir_operand(op, 0)->type, to = op->results[0].type;
	const LayoutPlan *plan = gpu_convert_plan(cx, gpu_layout(cx, from), gpu_layout(cx, to), from->elem);
	const LayoutCost *cost = &plan->cost;
	const char *trip = trip_text(scratch, op);
	unsigned waves = cost->store_wavefronts + cost->load_wavefronts;
	Remark *r = NULL;
	switch (plan->kind) {
	case LAYOUT_PLAN_NOTHING:
		return;
	case LAYOUT_PLAN_REGISTERS:
		r = gpu_remark_of(cx, op, NULL, REMARK_CONVERT_REGISTERS, trip, cost->selects);
		break;
	case LAYOUT_PLAN_SHUFFLE:
		r = gpu_remark_of(cx, op, NULL, REMARK_CONVERT_SHUFFLES, trip, cost->shuffles, cost->selects);
		break;
	case LAYOUT_PLAN_SHARED:
		r = cost->excess_wavefronts ?
			    gpu_remark_of(cx, op, NULL, REMARK_CONVERT_CONFLICTS, trip, (unsigned long long)cost->shared_bytes,
					  cost->stores, cost->loads, waves, cost->excess_wavefronts) :
			    gpu_remark_of(cx, op, NULL, REMARK_CONVERT_SHARED, trip, (unsigned long long)cost->shared_bytes,
					  cost->stores, cost->loads, waves);
		remark_figure(r, "bytes", (int64_t)cost->shared_bytes);
		remark_figure(r, "stores", cost->stores);
		remark_figure(r, "loads", cost->loads);
		remark_figure(r, "wavefronts", waves);
		remark_figure(r, "conflicts", cost->excess_wavefronts);
		remark_figure(r, "barriers", cost->barriers);
		return;
	}
	remark_figure(r, "selects", cost->selects);
	remark_figure(r, "shuffles", cost->shuffles);
}

/* ---- tiles in shared memory ---- */

static void explain_memory(GpuCx *cx, const IrOp *op, const IrValue *memory, IrType tile, bool store, unsigned width)
{
	LayoutPadded padded;
	const Layout *place = gpu_layout(cx, memory->type), *l = gpu_layout(cx, tile);
	if (!layout_space_equal(&l->out, &place->out) || gpu_padded(cx, memory->type, &padded))
		return;
	const Layout *address = layout_compose(&cx->layouts, layout_pseudo_invert(&cx->layouts, place), l);
	unsigned bits = gpu_element_bits(tile->elem);
	LayoutAccess a;
	if (!width)
		layout_plan_access(address, store, bits, &cx->plan_target, &a);
	else if (!layout_plan_access_as(address, store, bits, LAYOUT_ACCESS_VECTOR, base_log2(width), 64, &a))
		return;
	unsigned n = layout_access_instructions(&a) * layout_space_reps(&l->in), waves = n * a.wavefronts;
	unsigned excess = a.wavefronts > a.least ? n * (a.wavefronts - a.least) : 0;
	const char *what = width ? "written by copies" : store ? "written" : "read";
	Remark *r;
	if (excess)
		r = gpu_remark_of(cx, op, NULL, REMARK_MEMORY_CONFLICTS, what, n, waves, excess);
	else if (a.kind == LAYOUT_ACCESS_VECTOR)
		r = gpu_remark_of(cx, op, NULL, REMARK_MEMORY_VECTORS, what, n, (bits << a.vector_bits) / 8, waves);
	else
		r = gpu_remark_of(cx, op, NULL, REMARK_MEMORY_MATRIX, what, store ? "stmatrix" : "ldmatrix", n,
				  a.kind == LAYOUT_ACCESS_MATRIX_TRANS ? ", transposed" : "", waves);
	remark_figure(r, "instructions", n);
	remark_figure(r, "wavefronts", waves);
	remark_figure(r, "conflicts", excess);
}

/* ---- all of them ---- */

typedef struct Explain {
	GpuCx *cx;
	Arena *scratch;
} Explain;

static bool visit(void *data, IrOp *op)
{
	Explain *e = data;
	switch (op->kind) {
	case OP_DOT:
		gpu_explain_dot(e->cx, e->scratch, op);
		break;
	case OP_WARP_GROUP_DOT:
		gpu_explain_product(e->cx, e->scratch, op);
		break;
	case OP_CONVERT_LAYOUT:
		explain_conversion(e->cx, e->scratch, op);
		break;
	case OP_LOCAL_LOAD:
		explain_memory(e->cx, op, ir_operand(op, 0), op->results[0].type, false, 0);
		break;
	case OP_LOCAL_STORE:
		explain_memory(e->cx, op, ir_operand(op, 1), ir_operand(op, 0)->type, true, 0);
		break;
	case OP_LOCAL_ALLOC:
		if (op->operand_count)
			explain_memory(e->cx, op, &op->results[0], ir_operand(op, 0)->type, true, 0);
		break;
	case OP_ASYNC_COPY: {
		IrType pointers = ir_operand(op, 0)->type;
		IrType tile = ir_with_elem(e->cx->ir, pointers, pointers->elem->elem);
		int64_t width = ir_get_int(op, e->cx->ir, ATTR_COPY_CONTIGUITY, 1);
		explain_memory(e->cx, op, ir_operand(op, 1), tile, true, (unsigned)width);
		break;
	}
	case OP_TMA_STORE:
	case OP_TMA_STORE_ROWS: {
		Text tile;
		tile_text(&tile, e->scratch, ir_operand(op, 0)->type->elem);
		gpu_remark_of(e->cx, op, NULL, REMARK_ACCESS_MAP, tile.data);
		break;
	}
	default:
		break;
	}
	return true;
}

void gpu_explain(GpuCx *cx, const IrModule *module)
{
	if (!cx->remarks)
		return;
	Arena scratch;
	arena_init(&scratch, 0);
	Explain e = {cx, &scratch};
	gpu_explain_accesses(cx, &scratch, module);
	ir_walk(module->op, true, visit, &e);
	for (const IrOp *func = ir_module_block(module)->first; func; func = func->next) {
		if (func->kind != OP_FUNC || !ir_func_body(func))
			continue;
		unsigned words;
		const IrOp *peak = gpu_peak(cx, &scratch, module, func, &words);
		Remark *r = peak ? gpu_remark_of(cx, peak, NULL, REMARK_REGISTERS_PEAK, words) : NULL;
		remark_figure(r, "registers", words);
	}
	arena_free(&scratch);
}
