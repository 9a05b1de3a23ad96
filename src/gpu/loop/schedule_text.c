/* Checks a schedule, and prints it as text and remarks. */
#include "gpu/loop/rotate.h"
#include "gpu/loop/schedule.h"
#include "gpu/remark.h"

const char *schedule_fault(Arena *arena, const Schedule *s)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		const ScheduledLoad *l = &s->loads.data[i];
		if ((l->kind == SCHEDULE_PLAIN) != (l->ahead == 0))
			return arena_printf(arena, "load %u: %u iterations ahead", i, l->ahead);
		if (l->kind != SCHEDULE_COPIED)
			continue;
		if (l->ahead + s->kept >= s->slots + s->whole + s->reused)
			return arena_printf(arena, "load %u: %u slots for %u iterations ahead", i, s->slots,
					    l->ahead);
		if (l->ahead <= s->pending)
			return arena_printf(arena, "load %u: %u groups may be pending, and it is %u ahead", i,
					    s->pending, l->ahead);
		bytes += l->bytes * s->slots;
	}
	if (s->ahead >= s->stages && !s->deeper && !s->whole)
		return arena_printf(arena, "%u iterations ahead in %u stages", s->ahead, s->stages);
	return bytes > s->limit ? arena_printf(arena, "%llu bytes of %llu", (unsigned long long)bytes,
					       (unsigned long long)s->limit)
				: NULL;
}

static const char *load_text(Arena *arena, const Schedule *s, const ScheduledLoad *l)
{
	Text t;
	text_init(&t, arena);
	if (l->kind == SCHEDULE_COPIED && l->boxes)
		text_printf(&t, "copied by TMA %u ahead, %u slots of %llu bytes", l->ahead, s->slots,
			    (unsigned long long)l->bytes);
	else if (l->kind == SCHEDULE_COPIED)
		text_printf(&t, "copied %u ahead, %u bytes at once, %u slots of %llu bytes", l->ahead,
			    l->width, s->slots, (unsigned long long)l->bytes);
	else if (l->kind == SCHEDULE_REGISTERS)
		text_printf(&t, "registers %u ahead: %s", l->ahead, l->why);
	else
		text_printf(&t, "plain: %s", l->why);
	if (l->indirection)
		text_printf(&t, "; addresses through %u load%s", l->indirection,
			    l->indirection > 1 ? "s" : "");
	return t.data;
}

static RemarkCode loop_rule(const Schedule *s)
{
	bool ahead = false;
	for (uint32_t i = 0; i < s->loads.len; i++)
		ahead |= s->loads.data[i].kind != SCHEDULE_PLAIN;
	return s->rule	  ? s->rule
	       : s->slots ? REMARK_LOOP_COPIES
	       : ahead	  ? REMARK_LOOP_REGISTERS
			  : REMARK_LOOP_PLAIN;
}

static const char *loop_text(Arena *arena, const Schedule *s)
{
	if (s->rule)
		return arena_printf(arena, "as it is: %s", remark_clause(s->rule));
	return s->slots ? arena_printf(arena, "%u stages, %u groups pending, %llu bytes%s",
				       s->ahead + !s->whole, s->pending, (unsigned long long)s->bytes,
				       s->whole ? ", all copies in front of the loop" : "")
			: "no copies";
}

IrAttr schedule_attr(GpuCx *gpu, Arena *arena, const Schedule *s)
{
	CONTRACT(s->loop->kind == OP_FOR);
	IrAttr *items = ARENA_ARRAY(arena, IrAttr, s->loads.len + 1);
	items[0] = ir_attr_string(gpu->ir, str_of(arena_printf(arena, "loop: %s", loop_text(arena, s))));
	for (uint32_t i = 0; i < s->loads.len; i++)
		items[i + 1] =
			ir_attr_string(gpu->ir, str_of(arena_printf(arena, "load %u: %s", i,
								    load_text(arena, s, &s->loads.data[i]))));
	return ir_attr_array(gpu->ir, items, s->loads.len + 1);
}

void schedule_remark(GpuCx *gpu, Arena *arena, const Schedule *s)
{
	if (!gpu->remarks)
		return;
	Remark *r = gpu_remark(gpu, s->loop, loop_rule(s), loop_text(arena, s));
	remark_figure(r, "stages", s->slots ? s->ahead + !s->whole : 1);
	remark_figure(r, "asked", s->stages);
	remark_figure(r, "pending", s->pending);
	remark_figure(r, "bytes", (int64_t)s->bytes);
	gpu_rotation_remark(gpu, s);
	gpu_cycles_remark(gpu, arena, s);
	for (uint32_t i = 0; i < s->loads.len; i++) {
		const ScheduledLoad *l = &s->loads.data[i];
		r = gpu_remark(gpu, l->load, l->rule, load_text(arena, s, l));
		remark_figure(r, "ahead", l->ahead);
		remark_figure(r, "indirection", l->indirection);
		if (l->kind != SCHEDULE_COPIED)
			continue;
		if (!l->boxes)
			remark_figure(r, "width", l->width);
		remark_figure(r, "slots", s->slots);
		remark_figure(r, "bytes", (int64_t)l->bytes);
	}
}
