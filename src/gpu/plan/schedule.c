/* Decides what of a loop is started ahead of time.
 *
 * A loop is left as it is where something in it may write to what a load reads, or orders memory: stores, atomics, calls,
 * barriers, prints, asserts, assembly with effects; and where another loop is inside. Nothing is taken to be disjoint
 * because two arguments point to it; version-loops has the kernel look, where it can.
 * Of the others, loads count that reach a dot's operand through pure ops; without a dot, all tiles that are loaded, if
 * the loop asks for stages itself. A load can be ahead when what its address and mask come from can be computed ahead: pure
 * ops, divisions, what the loop carries, and other loads, up to SCHEDULE_DEEPEST of them one after another. */
#include "gpu/plan/schedule.h"

#include "gpu/analysis/prefix.h"
#include "gpu/analysis/pressure.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/plan/rotate.h"
#include "gpu/remark.h"
#include "ir/rewrite/fold.h"
#include "ir/text/text.h"

enum { DEEP = 2 /* iterations */, BOX_ALIGN = 128, MOST_BYTES = 16, LEAST_BYTES = 4, MOST_STAGES = 64, NARROW_STEP = 1 << 24 };

typedef struct Deciding {
	GpuCx *gpu;
	Arena *arena;
	const IrModule *m;
	const AxisMap *axes;
	Schedule *s;
	bool has_dot, has_store, stopped; /* stopped: by more than stores */
	uint8_t *seen[SCHEDULE_DEEPEST + 2]; /* by value id: looked at, that many loads on */
	uint32_t values;
	unsigned deepest;
	RemarkCode why;
} Deciding;

/* ---- the loop ---- */

static RemarkCode stops(const IrOp *op)
{
	switch (op->kind) {
	case OP_FOR:
	case OP_WHILE:
		return REMARK_LOOP_INNER;
	case OP_LOCAL_ALLOC:
	case OP_LOCAL_DEALLOC:
	case OP_LOCAL_LOAD:
	case OP_LOCAL_STORE:
	case OP_ASSUME:
		return REMARK_NONE;
	case OP_EXTERN:
	case OP_INLINE_ASM:
		return ir_is_pure(op) ? REMARK_NONE : REMARK_LOOP_EFFECTS;
	default:
		if (ir_has_trait(op, TRAIT_SYNC))
			return REMARK_LOOP_ORDER;
		return ir_has_trait(op, TRAIT_WRITE) ? REMARK_LOOP_STORE : REMARK_NONE;
	}
}

static bool visit_op(void *data, IrOp *op)
{
	Deciding *d = data;
	bool apart = op->kind == OP_STORE && ir_get_bool(d->s->loop, d->gpu->ir, ATTR_DISJOINT);
	RemarkCode why = apart ? REMARK_NONE : stops(op);
	d->has_dot |= schedule_is_dot(op);
	d->has_store |= op->kind == OP_STORE;
	d->stopped |= why && op->kind != OP_STORE;
	if (why && !d->s->rule)
		d->s->rule = why;
	return true;
}

/* The counter goes up by a known small step, or is narrow enough to be compared in 64 bits. */
static bool can_count(const IrOp *loop)
{
	int64_t step;
	if (ir_constant_int(ir_operand(loop, 2), &step))
		return step > 0 && step < NARROW_STEP && ir_operand(loop, 0)->type->bits >= 32;
	return ir_operand(loop, 0)->type->bits == 32;
}

/* ---- which loads ---- */

static bool reaches_dot(const IrValue *v, const IrOp *loop, uint8_t *met)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		if (!ir_is_inside(op, loop))
			continue;
		if (schedule_is_dot(op) && u != &op->operands[2])
			return true;
		if (op->region_count || !(ir_is_pure(op) || op->kind == OP_LOCAL_ALLOC) || schedule_is_dot(op))
			continue;
		for (uint32_t r = 0; r < op->result_count; r++) {
			if (met[op->results[r].id])
				continue;
			met[op->results[r].id] = 1;
			if (reaches_dot(&op->results[r], loop, met))
				return true;
		}
	}
	return false;
}

bool schedule_reaches_dot(const IrModule *m, Arena *arena, const IrOp *load)
{
	return reaches_dot(&load->results[0], ir_parent_op(load), ARENA_ARRAY(arena, uint8_t, m->next_value));
}

/* ---- what an address comes from ---- */

static bool can_be_ahead(Deciding *d, const IrValue *v, unsigned loads);

typedef struct Inside {
	Deciding *d;
	const IrOp *op;
	unsigned loads;
	bool ok;
} Inside;

static bool visit_captured(void *data, IrOp *inner)
{
	Inside *in = data;
	for (uint32_t i = 0; i < inner->operand_count && in->ok; i++)
		if (ir_is_defined_outside(ir_operand(inner, i), in->op))
			in->ok = can_be_ahead(in->d, ir_operand(inner, i), in->loads);
	return in->ok;
}

static bool op_can_be_ahead(Deciding *d, IrOp *op, unsigned loads)
{
	Inside in = {d, op, loads, true};
	if (op->kind == OP_LOAD) {
		if (ir_get_bool(op, d->gpu->ir, ATTR_IS_VOLATILE) || loads == SCHEDULE_DEEPEST) {
			d->why = loads == SCHEDULE_DEEPEST ? REMARK_LOAD_DEEP : REMARK_LOAD_FROM_VOLATILE;
			return false;
		}
		in.loads++;
		d->deepest = MAX(d->deepest, in.loads);
	} else if (!ir_is_pure(op) && !(ir_has_trait(op, TRAIT_NOFX) && op->operand_count == 2)) {
		d->why = REMARK_LOAD_FIXED;
		return false;
	}
	for (uint32_t i = 0; i < op->operand_count && in.ok; i++)
		in.ok = can_be_ahead(d, ir_operand(op, i), in.loads);
	if (in.ok && op->region_count)
		ir_walk(op, false, visit_captured, &in);
	return in.ok;
}

static bool can_be_ahead(Deciding *d, const IrValue *v, unsigned loads)
{
	const IrBlock *body = d->s->loop->regions[0].first;
	if (ir_is_defined_outside(v, d->s->loop))
		return true;
	if (d->seen[loads][v->id])
		return true;
	d->seen[loads][v->id] = 1;
	if (v->block == body)
		return v->index == 0 || can_be_ahead(d, ir_operand(body->last, v->index - 1), loads);
	if (!v->def || v->def->block != body) {
		d->why = REMARK_LOAD_FIXED;
		return false;
	}
	return op_can_be_ahead(d, v->def, loads);
}

/* ---- how ---- */

bool schedule_fills(const IrOp *load)
{
	if (load->kind != OP_LOAD)
		return false;
	IrAttr a = load->operand_count > 2 ? ir_constant_of(ir_operand(load, 2)) : NULL;
	return load->operand_count > 2 && !(a && fold_is_constant(a) && fold_is_splat(a) && fold_word(a, 0) == 0);
}

/* Why cp.async does not do it, in whatever layout. */
static RemarkCode why_never_copied(const GpuCx *gpu, const IrOp *load)
{
	IrType type = load->results[0].type;
	int64_t cache = ir_get_int(load, gpu->ir, ATTR_CACHE, CACHE_NONE);
	if (!target_has(gpu->target, TARGET_CP_ASYNC) || gpu->num_ctas > 1)
		return REMARK_LOAD_TARGET;
	if (!ir_is_scalar(type->elem) || type->elem->bits < 8 || !base_is_pow2((uint64_t)ir_numel(type)))
		return REMARK_LOAD_TILE;
	return cache != CACHE_NONE && cache != CACHE_CA && cache != CACHE_CG ? REMARK_LOAD_CACHE : REMARK_NONE;
}

/* Why cp.async does not do it; NONE: it does, `width` bytes at once along `dim`. */
static RemarkCode why_not_copied(const Deciding *d, const IrOp *load, unsigned *width, unsigned *dim)
{
	IrType type = load->results[0].type;
	const IrValue *mask = load->operand_count > 1 ? ir_operand(load, 1) : NULL;
	const Layout *l = gpu_layout(d->gpu, type);
	unsigned bits = gpu_element_bits(type->elem), best = 0;
	RemarkCode never = why_never_copied(d->gpu, load);
	uint32_t registers[8];
	if (never)
		return never;
	for (unsigned k = 0; k < type->rank; k++) {
		int64_t n = prefix_vector(d->axes, d->gpu->ir, ir_operand(load, 0), mask, k);
		n = MIN(n, (int64_t)(MOST_BYTES * 8 / bits));
		unsigned found = layout_vector(l, k, base_log2((uint64_t)MAX(n, 1)), registers);
		*dim = k == 0 || found > best ? k : *dim;
		best = MAX(best, found);
	}
	*width = (bits << best) / 8;
	return *width < LEAST_BYTES ? REMARK_LOAD_NARROW : REMARK_NONE;
}

static bool operands_can_be_ahead(Deciding *d, const IrOp *load)
{
	bool ok = !ir_get_bool(load, d->gpu->ir, ATTR_IS_VOLATILE);
	d->why = REMARK_LOAD_VOLATILE;
	d->deepest = 0;
	for (unsigned i = 0; i < ARRAY_LEN(d->seen); i++)
		d->seen[i] = ARENA_ARRAY(d->arena, uint8_t, d->values);
	for (uint32_t i = 0; i < load->operand_count && ok; i++)
		ok = can_be_ahead(d, ir_operand(load, i), 0);
	return ok;
}

static uint64_t tile_bytes(const IrOp *load)
{
	IrType type = load->results[0].type;
	return (uint64_t)ir_numel(type) * gpu_element_bits(type->elem) / 8;
}

/* Slots begin where TMA can put a box. */
static void add_boxes(Deciding *d, ScheduledLoad *s)
{
	IrType map = ir_operand(s->load, 0)->type;
	s->bytes = gpu_map_bytes(d->gpu, map);
	s->memory = gpu_map_layout(d->gpu, map);
	s->boxes = s->bytes % BOX_ALIGN == 0;
	s->kind = s->boxes ? SCHEDULE_COPIED : SCHEDULE_PLAIN;
	s->ahead = s->boxes;
	s->rule = s->boxes ? REMARK_LOAD_BOXES : REMARK_LOAD_MEMORY;
}

static void add_load(Deciding *d, IrOp *load)
{
	ScheduledLoad s = {.load = load, .kind = SCHEDULE_REGISTERS, .ahead = 1};
	bool ok = operands_can_be_ahead(d, load);
	s.indirection = d->deepest;
	if (!ok) {
		s.kind = SCHEDULE_PLAIN;
		s.ahead = 0;
		s.rule = d->why;
	} else if (load->kind == OP_DESC_LOAD) {
		add_boxes(d, &s);
	} else if (!(s.rule = why_not_copied(d, load, &s.width, &s.dim))) {
		s.memory = schedule_memory(d->gpu, load, &s.width);
		s.kind = s.memory ? SCHEDULE_COPIED : SCHEDULE_REGISTERS;
		s.rule = s.memory ? REMARK_LOAD_COPIED : REMARK_LOAD_MEMORY;
		s.bytes = tile_bytes(load);
	}
	s.why = remark_clause(s.rule);
	vec_push(d->arena, &d->s->loads, s);
}

/* ---- how far ---- */

typedef struct Need {
	Deciding *d;
	uint64_t most, held;
} Need;

static bool is_scheduled_conversion(const Deciding *d, const IrOp *op)
{
	const IrOp *from = op->kind == OP_CONVERT_LAYOUT ? ir_operand(op, 0)->def : NULL;
	while (from && from->kind == OP_TRANS)
		from = ir_operand(from, 0)->def;
	for (uint32_t i = 0; i < d->s->loads.len; i++)
		if (d->s->loads.data[i].load == from)
			return d->s->loads.data[i].kind == SCHEDULE_COPIED;
	return false;
}

static bool is_ring(const Deciding *d, const IrOp *alloc)
{
	return alloc->operand_count && schedule_load_of(d->gpu, d->s, &alloc->results[0]);
}

static bool visit_memory(void *data, IrOp *op)
{
	Need *n = data;
	if (op->kind == OP_LOCAL_ALLOC && !is_ring(n->d, op))
		n->held += gpu_memdesc_bytes(n->d->gpu, op->results[0].type);
	else if (ir_is_inside(op, n->d->s->loop) && !is_scheduled_conversion(n->d, op))
		n->most = MAX(n->most, gpu_scratch(n->d->gpu, op).bytes);
	return true;
}

/* Iterations that copies may be ahead with slots of so many bytes. */
static unsigned ahead_within(const Schedule *s, uint64_t slot)
{
	unsigned ahead = slot ? s->stages - 1 : 0;
	while (ahead && slot * (ahead + 1 + s->kept) > s->limit)
		ahead--;
	return ahead;
}

/* Do fewer CTAs fit on an SM with `more` bytes of shared memory than with `bytes`? Registers: what the products add up, and some. */
static bool costs_ctas(const Deciding *d, const Schedule *s, uint64_t bytes, uint64_t more)
{
	const TargetGpu *target = d->gpu->target;
	unsigned registers = target->budgets->beside_sums;
	TargetOccupancy with, without;
	for (const IrOp *op = s->loop->regions[0].first->first; op; op = op->next)
		registers += op->kind == OP_WARP_GROUP_DOT ? gpu_words(d->gpu, op->results[0].type) : 0;
	registers = MIN(registers, (unsigned)TARGET_REGISTERS_THREAD);
	target_occupancy(target, registers, (unsigned)MIN(bytes, (uint64_t)target->shared_cta), d->gpu->num_warps, &without);
	target_occupancy(target, registers, (unsigned)MIN(more, (uint64_t)target->shared_cta), d->gpu->num_warps, &with);
	return with.ctas < without.ctas;
}

/* Slots that TMA fills cost nothing but memory. What is left of that holds more of them, up to DEEP iterations ahead, as long as no CTA is lost: with two
 * stages copies would be one iteration ahead, which is less than memory takes to answer. */
static void deepen(const Deciding *d, uint64_t slot, uint64_t taken)
{
	Schedule *s = d->s;
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_COPIED && !s->loads.data[i].boxes)
			return;
	while (s->ahead && s->ahead < DEEP) {
		uint64_t bytes = slot * (s->ahead + 1 + s->kept);
		if (bytes + slot > s->limit || costs_ctas(d, s, taken + bytes, taken + bytes + slot))
			return;
		s->deeper |= ++s->ahead >= s->stages;
	}
}

bool schedule_is_rotated(const Schedule *s)
{
	return s->rotation && s->rotation->rule == REMARK_LOOP_ROTATED;
}

static unsigned ctas_on_sm(const Deciding *d, unsigned registers, uint64_t bytes)
{
	const TargetGpu *target = d->gpu->target;
	TargetOccupancy o;
	target_occupancy(target, MIN(registers, (unsigned)TARGET_REGISTERS_THREAD), (unsigned)MIN(bytes, (uint64_t)target->shared_cta), d->gpu->num_warps, &o);
	return o.ctas;
}

/* Rings keep a slot more where the loop is rotated; where there is no room for it, or where that would leave fewer CTAs on an SM, which
 * run beside each other's products as well, it is not. */
static void rotate(Deciding *d, uint64_t slot, uint64_t taken)
{
	Schedule *s = d->s;
	GpuRotation *r = ARENA_NEW(d->arena, GpuRotation);
	if (!slot)
		return;
	gpu_rotation(d->gpu, d->arena, d->m, s, r);
	s->rotation = r->rule ? r : NULL;
	if (!schedule_is_rotated(s))
		return;
	s->kept = 1;
	unsigned ahead = ahead_within(s, slot);
	bool fewer = ahead && ctas_on_sm(d, r->registers, taken + slot * (ahead + 2)) < ctas_on_sm(d, r->in_order, taken + slot * (ahead + 1));
	if (ahead && !fewer)
		return;
	s->kept = 0;
	r->rule = fewer ? REMARK_LOOP_ROTATION_CTAS : REMARK_LOOP_ROTATION_ROOM;
}

static bool is_unused(const IrOp *op)
{
	return ir_is_pure(op) && op->result_count == 1 && !op->results[0].uses;
}

/* Does nothing but products read what copies bring, and all of it come by TMA, to several warp groups? */
static bool can_be_apart(const Deciding *d)
{
	enum { WARPS_OF_A_GROUP = 4 };
	bool any = false;
	for (uint32_t i = 0; i < d->s->loads.len; i++) {
		const ScheduledLoad *l = &d->s->loads.data[i];
		if (l->kind != SCHEDULE_COPIED)
			continue;
		any = true;
		if (!l->boxes)
			return false;
		for (const IrUse *u = l->load->results[0].uses; u; u = u->next)
			if (!is_unused(u->owner) &&
			    (u->owner->kind != OP_LOCAL_ALLOC || schedule_load_of(d->gpu, d->s, &u->owner->results[0]) != l))
				return false;
	}
	return any && gpu_num_warps(d->gpu, d->s->loop) > WARPS_OF_A_GROUP;
}

static void fit(Deciding *d)
{
	Schedule *s = d->s;
	uint64_t slot = 0;
	IrOp *func = s->loop;
	while (func->kind != OP_FUNC)
		func = ir_parent_op(func);
	Need need = {.d = d};
	ir_walk(func, false, visit_memory, &need);
	uint64_t all = d->gpu->target->shared_cta, taken = need.held + (need.most + 127) / 128 * 128;
	s->limit = taken < all ? all - taken : 0;
	for (uint32_t i = 0; i < s->loads.len; i++)
		slot += s->loads.data[i].kind == SCHEDULE_COPIED ? (s->loads.data[i].bytes + 127) / 128 * 128 : 0;
	schedule_products(d->gpu, d->arena, s);
	rotate(d, slot, taken);
	s->ahead = ahead_within(s, slot);
	if (schedule_is_rotated(s)) {
		s->products.len = 0;
	} else if (s->products.len && s->ahead) {
		s->kept = !costs_ctas(d, s, taken + slot * (s->ahead + 1), taken + slot * (s->ahead + 2)) && slot * 3 <= s->limit;
		s->meets = !s->kept;
		s->ahead = ahead_within(s, slot);
	} else {
		s->products.len = 0;
	}
	deepen(d, slot, taken);
	s->slots = s->ahead ? s->ahead + 1 + s->kept : 0;
	s->apart = s->slots && can_be_apart(d);
	s->pending = s->ahead ? s->ahead - 1 : 0;
	s->bytes = slot * s->slots;
	CONTRACT(!s->slots || s->bytes <= s->limit);
	for (uint32_t i = 0; i < s->loads.len; i++) {
		ScheduledLoad *l = &s->loads.data[i];
		if (l->kind != SCHEDULE_COPIED)
			continue;
		l->ahead = MAX(s->ahead, 1u);
		if (!s->ahead) {
			l->kind = l->boxes ? SCHEDULE_PLAIN : SCHEDULE_REGISTERS;
			l->ahead = l->boxes ? 0 : l->ahead;
			l->rule = REMARK_LOAD_ROOM;
			l->why = remark_clause(l->rule);
		}
	}
}

/* ---- registers ---- */

/* Registers that a tile takes while it waits: elements narrower than a register have one each. */
static unsigned held_registers(GpuCx *gpu, IrType type)
{
	uint64_t bits = MAX(gpu_element_bits(type->elem), 32u);
	const Layout *l = gpu_layout(gpu, type);
	return (unsigned)((bits / 32 * layout_space_reps(&l->in)) << layout_in_bits(l, LAYOUT_REGISTER));
}

/* Tiles wait in registers while the loop computes: no more of them than what it carries leaves. */
static void limit_registers(Deciding *d)
{
	const IrBlock *body = d->s->loop->regions[0].first;
	unsigned taken = 0;
	for (uint32_t i = 1; i < body->arg_count; i++)
		if (!ir_is_ptr(ir_elem(body->args[i]->type)))
			taken += gpu_words(d->gpu, body->args[i]->type);
	for (uint32_t i = 0; i < d->s->loads.len; i++) {
		ScheduledLoad *l = &d->s->loads.data[i];
		if (l->kind != SCHEDULE_REGISTERS)
			continue;
		unsigned more = held_registers(d->gpu, l->load->results[0].type);
		if (taken + more <= d->gpu->target->budgets->tiles_ahead) {
			taken += more;
			continue;
		}
		l->kind = SCHEDULE_PLAIN;
		l->ahead = 0;
		l->rule = REMARK_LOAD_CROWDED;
		l->why = arena_printf(d->arena, "%s, and it would hold %u registers of a thread that holds %u", l->why, more, taken);
	}
}

/* What the loop asks for and what stops it; false: it asks for nothing. */
static bool look_at_loop(Deciding *d)
{
	Schedule *s = d->s;
	IrAttr asked = ir_get(s->loop, d->gpu->ir, ATTR_NUM_STAGES);
	s->stages = asked ? (unsigned)MAX(asked->i, 0) : d->gpu->num_stages;
	if (s->stages < 2) {
		s->rule = REMARK_LOOP_ONE_STAGE;
		return false;
	}
	s->stages = MIN(s->stages, (unsigned)MOST_STAGES);
	ir_walk(s->loop, false, visit_op, d);
	if (!s->rule && !can_count(s->loop))
		s->rule = REMARK_LOOP_STEP;
	if (!d->has_dot && !asked && s->rule != REMARK_LOOP_INNER)
		s->rule = REMARK_LOOP_NO_DOT;
	return d->has_dot || asked;
}

static bool counts(const Deciding *d, const IrOp *op)
{
	bool loads = op->kind == OP_LOAD || (op->kind == OP_DESC_LOAD && gpu_is_map(ir_operand(op, 0)->type));
	return loads && ir_is_tensor(op->results[0].type) &&
	       (!d->has_dot || reaches_dot(&op->results[0], d->s->loop, ARENA_ARRAY(d->arena, uint8_t, d->values)));
}

bool schedule_loop(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop, Schedule *out)
{
	Deciding d = {.gpu = gpu, .arena = arena, .m = m, .axes = axes, .s = out, .values = m->next_value};
	*out = (Schedule){.loop = loop};
	if (!look_at_loop(&d))
		return false;
	bool any = false;
	for (IrOp *op = loop->regions[0].first->first; op; op = op->next) {
		if (!counts(&d, op))
			continue;
		any = true;
		if (!out->rule)
			add_load(&d, op);
	}
	if (!any && out->rule != REMARK_LOOP_INNER)
		out->rule = REMARK_LOOP_NO_LOAD;
	if (any && !out->rule) {
		fit(&d);
		limit_registers(&d);
	}
	return any;
}

bool schedule_may_copy(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *load)
{
	IrOp *loop = ir_parent_op(load);
	Schedule s = {.loop = loop};
	Deciding d = {.gpu = gpu, .arena = arena, .s = &s, .values = m->next_value};
	uint64_t bytes = 0;
	if (loop->kind != OP_FOR || !ir_is_tensor(load->results[0].type) || why_never_copied(gpu, load) || !look_at_loop(&d) || s.rule ||
	    !counts(&d, load) || !operands_can_be_ahead(&d, load))
		return false;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		if (op->kind == OP_LOAD && counts(&d, op))
			bytes += 2 * tile_bytes(op);
	return bytes <= gpu->target->shared_cta;
}

bool schedule_waits_for_stores(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop)
{
	Schedule s = {.loop = loop};
	Deciding d = {.gpu = gpu, .arena = arena, .s = &s, .values = m->next_value};
	bool any = false;
	if (!look_at_loop(&d) || !d.has_store || d.stopped || !can_count(loop))
		return false;
	for (IrOp *op = loop->regions[0].first->first; op && !any; op = op->next)
		any = counts(&d, op);
	return any;
}

/* ---- checked and printed ---- */

const char *schedule_fault(Arena *arena, const Schedule *s)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		const ScheduledLoad *l = &s->loads.data[i];
		if ((l->kind == SCHEDULE_PLAIN) != (l->ahead == 0))
			return arena_printf(arena, "load %u: %u iterations ahead", i, l->ahead);
		if (l->kind != SCHEDULE_COPIED)
			continue;
		if (l->ahead + s->kept >= s->slots)
			return arena_printf(arena, "load %u: %u slots for %u iterations ahead", i, s->slots, l->ahead);
		if (l->ahead <= s->pending)
			return arena_printf(arena, "load %u: %u groups may be pending, and it is %u ahead", i, s->pending,
					    l->ahead);
		bytes += l->bytes * s->slots;
	}
	if (s->ahead >= s->stages && !s->deeper)
		return arena_printf(arena, "%u iterations ahead in %u stages", s->ahead, s->stages);
	return bytes > s->limit ? arena_printf(arena, "%llu bytes of %llu", (unsigned long long)bytes, (unsigned long long)s->limit)
				: NULL;
}

static const char *load_text(Arena *arena, const Schedule *s, const ScheduledLoad *l)
{
	Text t;
	text_init(&t, arena);
	if (l->kind == SCHEDULE_COPIED && l->boxes)
		text_printf(&t, "copied by TMA %u ahead, %u slots of %llu bytes", l->ahead, s->slots, (unsigned long long)l->bytes);
	else if (l->kind == SCHEDULE_COPIED)
		text_printf(&t, "copied %u ahead, %u bytes at once, %u slots of %llu bytes", l->ahead, l->width, s->slots,
			    (unsigned long long)l->bytes);
	else if (l->kind == SCHEDULE_REGISTERS)
		text_printf(&t, "registers %u ahead: %s", l->ahead, l->why);
	else
		text_printf(&t, "plain: %s", l->why);
	if (l->indirection)
		text_printf(&t, "; addresses through %u load%s", l->indirection, l->indirection > 1 ? "s" : "");
	return t.data;
}

static RemarkCode loop_rule(const Schedule *s)
{
	bool ahead = false;
	for (uint32_t i = 0; i < s->loads.len; i++)
		ahead |= s->loads.data[i].kind != SCHEDULE_PLAIN;
	return s->rule ? s->rule : s->slots ? REMARK_LOOP_COPIES : ahead ? REMARK_LOOP_REGISTERS : REMARK_LOOP_PLAIN;
}

static const char *loop_text(Arena *arena, const Schedule *s)
{
	if (s->rule)
		return arena_printf(arena, "as it is: %s", remark_clause(s->rule));
	return s->slots ? arena_printf(arena, "%u stages, %u groups pending, %llu bytes", s->ahead + 1, s->pending,
				       (unsigned long long)s->bytes) : "no copies";
}

IrAttr schedule_attr(GpuCx *gpu, Arena *arena, const Schedule *s)
{
	IrAttr *items = ARENA_ARRAY(arena, IrAttr, s->loads.len + 1);
	items[0] = ir_attr_string(gpu->ir, str_of(arena_printf(arena, "loop: %s", loop_text(arena, s))));
	for (uint32_t i = 0; i < s->loads.len; i++)
		items[i + 1] = ir_attr_string(gpu->ir, str_of(arena_printf(arena, "load %u: %s", i,
									   load_text(arena, s, &s->loads.data[i]))));
	return ir_attr_array(gpu->ir, items, s->loads.len + 1);
}

void schedule_remark(GpuCx *gpu, Arena *arena, const Schedule *s)
{
	if (!gpu->remarks)
		return;
	Remark *r = gpu_remark(gpu, s->loop, loop_rule(s), loop_text(arena, s));
	remark_figure(r, "stages", s->slots ? s->ahead + 1 : 1);
	remark_figure(r, "asked", s->stages);
	remark_figure(r, "pending", s->pending);
	remark_figure(r, "bytes", (int64_t)s->bytes);
	gpu_rotation_remark(gpu, s);
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
