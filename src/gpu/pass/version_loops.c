/* version-loops: a loop whose loads could start ahead of time but for its stores becomes two, and a look at the addresses chooses.
 *
 * Needs: TTIR, or TTGIR with its final layouts. Keeps: what is computed, bit by bit.
 * Method: in front of the loop it is computed from where to where each of its loads and stores can reach, all iterations
 * together (range.h). If no store can reach what a load does, the loop marked neso.disjoint runs, for `pipeline` to take; else the
 * loop as it was. A loop with an access whose reach is not known stays as it is. */
#include "gpu/analysis/range.h"
#include "gpu/layout/boxes.h"
#include "gpu/loop/schedule.h"
#include "gpu/pass/batch_steps.h"
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

static void yield(PassCx *cx, IrRegion *region, IrOp *loop)
{
	IrModule *m = cx->module;
	IrBlock *block = ir_block_new(m, region);
	ir_op_append(block, loop);
	IrValue **results = ARENA_ARRAY(cx->scratch, IrValue *, loop->result_count + 1);
	for (uint32_t i = 0; i < loop->result_count; i++)
		results[i] = &loop->results[i];
	IrBuilder b = ir_at_end(m, block, loop->loc);
	irb_op(&b, OP_YIELD, results, loop->result_count, NULL, 0, 0);
}

static void split(PassCx *cx, IrOp *loop, IrValue *apart)
{
	IrModule *m = cx->module;
	IrCx *ir = gpu_of(cx)->ir;
	IrMapping map;
	ir_mapping_init(&map, cx->scratch);
	IrOp *fast = ir_clone(m, loop, &map, NULL, NULL);
	const char *text = arena_printf(cx->scratch, "as it is: %s", remark_clause(REMARK_LOOP_VERSIONED));
	IrAttr why = ir_attr_string(ir, str_of(arena_printf(cx->scratch, "loop: %s", text)));
	gpu_remark(gpu_of(cx), loop, REMARK_LOOP_VERSIONED, text);
	ir_set(m, loop, ATTR_PIPELINE, ir_attr_array(ir, &why, 1));
	ir_set(m, fast, ATTR_DISJOINT, ir_attr_unit(ir));
	IrType *types = ARENA_ARRAY(cx->scratch, IrType, loop->result_count + 1);
	for (uint32_t i = 0; i < loop->result_count; i++)
		types[i] = loop->results[i].type;
	IrBuilder b = ir_at(m, loop);
	IrOp *choice = irb_op(&b, OP_IF, &apart, 1, types, loop->result_count, 2);
	for (uint32_t i = 0; i < loop->result_count; i++)
		ir_replace_uses(&loop->results[i], &choice->results[i]);
	ir_op_unlink(loop);
	yield(cx, &choice->regions[0], fast);
	yield(cx, &choice->regions[1], loop);
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
