/* version-loops: a loop whose stores are all that prevents prefetching its loads is versioned,
 * with a run-time alias check that selects the version.
 *
 * Needs: TTIR, or TTGIR with its final layouts. Keeps: what is computed, bit by bit. Method: in
 * front of the loop, compute the address range of each load and store over all iterations
 * (range.h). If no store can reach what a load reads, a copy of the loop marked neso.disjoint
 * runs, which `pipeline` may take; otherwise the original. A loop with an access of unknown range
 * is left alone. */
#include "gpu/analysis/range.h"
#include "gpu/layout/boxes.h"
#include "gpu/loop/schedule.h"
#include "gpu/pass/batch_steps.h"
#include "gpu/pass/two_loops.h"
#include "gpu/plan/dot.h"
#include "gpu/remark.h"

typedef struct Reach {
	IrValue *low, *high; /* first byte, and the one behind the last */
} Reach;

typedef struct Versions {
	PassCx *cx;
	Ranges ranges;
	VEC(IrOp *) loops;
	VEC(Reach) loads, stores;
	bool known;
} Versions;

/* A tile through a tensor map may be any of the tensor. */
static bool visit_map(Versions *v, const IrOp *op)
{
	const IrValue *map = ir_operand(op, 0);
	const IrOp *func = map->block ? map->block->region->op : NULL;
	TensorMapPlan plan;
	Reach reach = {0};
	v->known = func && func->kind == OP_FUNC && gpu_map_recipe(gpu_of(v->cx), func, map->index, &plan) &&
		   ranges_tensor(&v->ranges, &plan, ir_func_body(func)->args, &reach.low, &reach.high);
	vec_push(v->cx->scratch, &v->loads, reach);
	return v->known;
}

static bool visit_access(void *data, IrOp *op)
{
	Versions *v = data;
	Reach reach;
	if (op->kind == OP_DESC_LOAD)
		return visit_map(v, op);
	unsigned mask = op->kind == OP_LOAD ? 1 : 2;
	if (op->kind != OP_LOAD && !schedule_only_writes(op))
		return true;
	v->known = ranges_access(&v->ranges, ir_operand(op, 0), op->operand_count > mask ? ir_operand(op, mask) : NULL, &reach.low,
				 &reach.high);
	if (op->kind == OP_LOAD)
		vec_push(v->cx->scratch, &v->loads, reach);
	else
		vec_push(v->cx->scratch, &v->stores, reach);
	return v->known;
}

/* i1: no store reaches what a load does. NULL: not known. */
static IrValue *disjoint(Versions *v, IrOp *loop)
{
	IrBuilder *b = &v->ranges.before;
	ranges_init(&v->ranges, v->cx->module, gpu_of(v->cx)->ir, v->cx->scratch, loop);
	v->loads.len = v->stores.len = 0;
	v->known = true;
	ir_walk(loop, false, visit_access, v);
	if (!v->known)
		return NULL;
	IrValue *all = v->ranges.sound;
	for (uint32_t i = 0; i < v->loads.len; i++)
		for (uint32_t k = 0; k < v->stores.len; k++) {
			Reach load = v->loads.data[i], store = v->stores.data[k];
			IrValue *below = irb_cmpi(b, CMPI_SLE, store.high, load.low);
			IrValue *apart = irb_2(b, OP_ORI, NULL, irb_cmpi(b, CMPI_SLE, load.high, store.low), below);
			all = all ? irb_2(b, OP_ANDI, NULL, all, apart) : apart;
		}
	return all;
}

static void split(PassCx *cx, IrOp *loop, IrValue *apart)
{
	IrCx *ir = gpu_of(cx)->ir;
	const char *text = arena_printf(cx->scratch, "as it is: %s", remark_clause(REMARK_LOOP_VERSIONED));
	IrAttr why = ir_attr_string(ir, str_of(arena_printf(cx->scratch, "loop: %s", text)));
	gpu_remark(gpu_of(cx), loop, REMARK_LOOP_VERSIONED, text);
	IrOp *fast = gpu_two_loops(cx, loop, apart);
	ir_set(cx->module, loop, ATTR_PIPELINE, ir_attr_array(ir, &why, 1));
	ir_set(cx->module, fast, ATTR_DISJOINT, ir_attr_unit(ir));
}

/* Before there are layouts: loops of products, for `map-loads`, where the target has TMA. */
static bool comes_now(const Versions *v, IrOp *loop)
{
	return ir_module_level(v->cx->module) == LEVEL_G ||
	       (gpu_may_map(gpu_of(v->cx)) && gpu_holds_dot(loop));
}

static bool visit_loop(void *data, IrOp *op)
{
	Versions *v = data;
	GpuCx *gpu = gpu_of(v->cx);
	bool looked_at = ir_get(op, gpu->ir, ATTR_PIPELINE) || ir_get(op, gpu->ir, ATTR_DISJOINT);
	if (op->kind == OP_FOR && !looked_at && comes_now(v, op) &&
	    (schedule_waits_for_stores(gpu, v->cx->module, v->cx->scratch, op) ||
	     (ir_module_level(v->cx->module) == LEVEL_G && gpu_has_steps(v->cx, op))))
		vec_push(v->cx->scratch, &v->loops, op);
	return true;
}

bool pass_version_loops(PassCx *cx, bool *changed)
{
	Versions v = {.cx = cx};
	ir_walk(cx->module->op, true, visit_loop, &v);
	for (uint32_t i = 0; i < v.loops.len; i++) {
		IrOp *loop = v.loops.data[i];
		const IrOp *front = loop->prev;
		IrValue *apart = disjoint(&v, loop);
		if (apart) {
			split(cx, loop, apart);
			*changed = true;
		}
		/* What was computed until one was met whose reach is not known. */
		while (!apart && loop->prev != front)
			ir_op_erase(loop->prev);
	}
	return true;
}
