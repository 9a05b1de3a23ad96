/* Small tiles that products do not use: rows of scales, sums or biases, of which threads hold a
 * word or two. They stand behind the products' wait, often one after another, and all warps wait
 * for each. So they are prefetched one iteration ahead too, where registers are left. */
#include "gpu/analysis/pressure.h"
#include "gpu/loop/rotate.h"
#include "gpu/loop/schedule_int.h"

enum { LARGEST = 4, ALL = 8 /* words of a thread */ };

/* Loads that nobody has compared with stores stay where they are: version-loops compares all of a
 * loop's with all of its stores. */
static bool lets_pass(void *data, IrOp *op)
{
	const bool *disjoint = data;
	return !ir_may_write(op) || op->kind == OP_LOCAL_ALLOC || op->kind == OP_LOCAL_STORE ||
	       op->kind == OP_LOCAL_DEALLOC || op->kind == OP_ASSUME ||
	       (*disjoint && schedule_only_writes(op));
}

static bool is_scheduled(const Schedule *s, const IrOp *load)
{
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].load == load)
			return true;
	return false;
}

void schedule_beside(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, Schedule *s)
{
	CONTRACT(!s->rule);
	ScheduleCx d = {.gpu = gpu, .arena = arena, .m = m, .axes = axes, .s = s, .values = m->next_value};
	unsigned words = gpu_carried_words(gpu, s->loop), all = 0;
	bool disjoint = ir_get_bool(s->loop, gpu->ir, ATTR_DISJOINT);
	if (!s->slots || s->left || schedule_is_rotated(s) || !ir_walk(s->loop, false, lets_pass, &disjoint))
		return;
	for (IrOp *op = s->loop->regions[0].first->first; op; op = op->next) {
		if (op->kind != OP_LOAD || is_scheduled(s, op))
			continue;
		unsigned more = gpu_words(gpu, op->results[0].type);
		if (more > LARGEST || all + more > ALL ||
		    words + all + more > gpu->target->budgets->tiles_ahead ||
		    !schedule_operands_can_be_ahead(&d, op))
			continue;
		all += more;
		ScheduledLoad l = {.load = op, .kind = SCHEDULE_REGISTERS, .ahead = 1,
				   .indirection = d.deepest, .rule = REMARK_LOAD_BESIDE};
		l.why = remark_clause(l.rule);
		vec_push(arena, &s->loads, l);
	}
}
