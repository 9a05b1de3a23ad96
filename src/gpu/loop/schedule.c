/* Decides what of a loop is started ahead of time.
 *
 * A loop is left as it is where something in it may write to what a load reads, or orders memory:
 * stores, atomics, calls, barriers, prints, asserts, assembly with effects; and where another loop
 * is inside. (An atomic operation whose result nobody looks at writes, and orders no later load: a
 * program cannot tell what it has synchronised with.) Nothing is taken to be disjoint because two
 * arguments point to it; version-loops has the kernel look, where it can. Of the others, loads
 * count that reach a dot's operand through pure ops; without a dot, all tiles that are loaded, if
 * the loop asks for stages itself. A load can be ahead when what its address and mask come from can
 * be computed ahead: pure ops, divisions, what the loop carries, and other loads, up to
 * SCHEDULE_DEEPEST of them one after another. */
#include "gpu/loop/schedule_int.h"

#include "gpu/analysis/prefix.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/plan/wgmma.h"
#include "gpu/remark.h"
#include "ir/rewrite/fold.h"

enum { BOX_ALIGN = 128, MOST_BYTES = 16, LEAST_BYTES = 4, MOST_STAGES = 64, NARROW_STEP = 1 << 24 };

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

bool schedule_only_writes(const IrOp *op)
{
	return op->kind == OP_STORE || (op->kind == OP_ATOMIC_RMW && !op->results[0].uses);
}

static bool visit_op(void *data, IrOp *op)
{
	ScheduleCx *d = data;
	bool writes = schedule_only_writes(op);
	bool adds = op->kind == OP_DESC_REDUCE;
	bool apart = (writes || adds) && ir_get_bool(d->s->loop, d->gpu->ir, ATTR_DISJOINT);
	RemarkCode why = apart ? REMARK_NONE : stops(op);
	d->has_dot |= schedule_is_dot(op);
	d->has_store |= writes;
	d->stopped |= why && !writes;
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

static bool reaches_dot(const IrValue *v, const IrOp *loop, uint8_t *met);

/* What a branch gives goes on behind it. */
static bool reaches_through(const IrUse *use, const IrOp *loop, uint8_t *met)
{
	const IrOp *branch = ir_parent_op(use->owner);
	if (use->owner->kind != OP_YIELD || branch == loop || branch->kind != OP_IF)
		return false;
	const IrValue *result = &branch->results[use - use->owner->operands];
	bool again = met[result->id];
	met[result->id] = 1;
	return !again && reaches_dot(result, loop, met);
}

static bool reaches_dot(const IrValue *v, const IrOp *loop, uint8_t *met)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		if (!ir_is_inside(op, loop))
			continue;
		if (reaches_through(u, loop, met))
			return true;
		if (schedule_is_dot(op) && u != &op->operands[2])
			return true;
		if (op->region_count || !(ir_is_pure(op) || op->kind == OP_LOCAL_ALLOC) ||
		    schedule_is_dot(op))
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
	CONTRACT(load->result_count == 1 && ir_parent_op(load));
	return reaches_dot(&load->results[0], ir_parent_op(load), ARENA_ARRAY(arena, uint8_t, m->next_value));
}

/* ---- what an address comes from ---- */

static bool can_be_ahead(ScheduleCx *d, const IrValue *v, unsigned loads);

typedef struct Inside {
	ScheduleCx *d;
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

/* In an iteration that may not come, by what is no 0 in the first one. */
static bool can_divide(const ScheduleCx *d, const IrOp *op)
{
	if (!ir_has_trait(op, TRAIT_NOFX) || op->operand_count != 2)
		return false;
	return d->s->left != SCHEDULE_GUESSED || ir_is_defined_outside(ir_operand(op, 1), d->s->loop);
}

static bool op_can_be_ahead(ScheduleCx *d, IrOp *op, unsigned loads)
{
	Inside in = {d, op, loads, true};
	if (op->kind == OP_LOAD) {
		if (d->s->left == SCHEDULE_GUESSED && loads < SCHEDULE_DEEPEST &&
		    !schedule_is_harmless(d, op)) {
			d->why = REMARK_LOAD_LEFT;
			return false;
		}
		if (ir_is_volatile(op) || loads == SCHEDULE_DEEPEST) {
			d->why = loads == SCHEDULE_DEEPEST ? REMARK_LOAD_DEEP : REMARK_LOAD_FROM_VOLATILE;
			return false;
		}
		in.loads++;
		d->deepest = MAX(d->deepest, in.loads);
	} else if (!ir_is_pure(op) && !can_divide(d, op)) {
		d->why = REMARK_LOAD_FIXED;
		return false;
	}
	for (uint32_t i = 0; i < op->operand_count && in.ok; i++)
		in.ok = can_be_ahead(d, ir_operand(op, i), in.loads);
	if (in.ok && op->region_count)
		ir_walk(op, false, visit_captured, &in);
	return in.ok;
}

static bool can_be_ahead(ScheduleCx *d, const IrValue *v, unsigned loads)
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
	return load->operand_count > 2 &&
	       !(a && fold_is_constant(a) && fold_is_splat(a) && fold_word(a, 0) == 0);
}

/* Why cp.async does not do it, in whatever layout. */
static RemarkCode why_never_copied(const GpuCx *gpu, const IrOp *load)
{
	IrType type = load->results[0].type;
	if (!target_has(gpu->target, TARGET_CP_ASYNC) || gpu->num_ctas > 1)
		return REMARK_LOAD_TARGET;
	if (!ir_is_scalar(type->elem) || type->elem->bits < 8 || !base_is_pow2((uint64_t)ir_numel(type)))
		return REMARK_LOAD_TILE;
	return REMARK_NONE;
}

/* Why cp.async does not do it; NONE: it does, `width` bytes at once along `dim`. */
static RemarkCode why_not_copied(const ScheduleCx *d, const IrOp *load, unsigned *width, unsigned *dim)
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

bool schedule_is_copied(GpuCx *gpu, const AxisMap *axes, const IrOp *load, unsigned *width, unsigned *dim)
{
	CONTRACT(load->kind == OP_LOAD);
	ScheduleCx d = {.gpu = gpu, .axes = axes};
	return !ir_is_volatile(load) && !schedule_fills(load) && !why_not_copied(&d, load, width, dim);
}

static void forget_seen(ScheduleCx *d)
{
	d->deepest = 0;
	for (unsigned i = 0; i < ARRAY_LEN(d->seen); i++)
		d->seen[i] = ARENA_ARRAY(d->arena, uint8_t, d->values);
}

bool schedule_can_be_ahead(ScheduleCx *d, const IrValue *v)
{
	CONTRACT(v->id < d->values);
	forget_seen(d);
	return can_be_ahead(d, v, 0);
}

bool schedule_operands_can_be_ahead(ScheduleCx *d, const IrOp *load)
{
	bool ok = !ir_is_volatile(load);
	d->why = REMARK_LOAD_VOLATILE;
	if (ok && d->s->left == SCHEDULE_GUESSED && !schedule_is_harmless(d, load)) {
		d->why = REMARK_LOAD_LEFT;
		return false;
	}
	forget_seen(d);
	for (uint32_t i = 0; i < load->operand_count && ok; i++)
		ok = can_be_ahead(d, ir_operand(load, i), 0);
	return ok;
}

static uint64_t tile_bytes(const IrOp *load)
{
	IrType type = load->results[0].type;
	return (uint64_t)ir_numel(type) * gpu_element_bits(type->elem) / 8;
}

/* The only op that takes it; NULL: none, or several. */
static IrOp *taker_of(const IrValue *tile)
{
	IrOp *taker = NULL;
	for (const IrUse *u = tile->uses; u; u = u->next) {
		if (schedule_is_unused(u->owner))
			continue;
		if (taker)
			return NULL;
		taker = u->owner;
	}
	return taker;
}

/* The memory that holds a tile of bytes turned round, which nothing else takes; NULL: none does. */
static IrOp *turned_memory(const ScheduleCx *d, const ScheduledLoad *s)
{
	const IrValue *tile = &s->load->results[0];
	IrOp *user = taker_of(tile);
	if (!d->turns || tile->type->elem->bits != 8 || tile->type->rank != 2 || !user)
		return NULL;
	if (user->kind == OP_CONVERT_LAYOUT)
		user = taker_of(&user->results[0]);
	bool turned = user && user->kind == OP_LOCAL_ALLOC && user->block == s->load->block &&
		      gpu_layout(d->gpu, user->results[0].type) != s->memory;
	return turned ? user : NULL;
}

/* Slots begin where TMA can put a box. */
static void add_boxes(ScheduleCx *d, ScheduledLoad *s)
{
	IrType map = ir_operand(s->load, 0)->type;
	s->bytes = gpu_map_bytes(d->gpu, map);
	s->memory = gpu_map_layout(d->gpu, map);
	s->boxes = s->bytes % BOX_ALIGN == 0;
	s->kind = s->boxes ? SCHEDULE_COPIED : SCHEDULE_PLAIN;
	s->ahead = s->boxes;
	s->rule = s->boxes ? REMARK_LOAD_BOXES : REMARK_LOAD_MEMORY;
	s->turned = s->boxes ? turned_memory(d, s) : NULL;
	d->s->turned |= s->turned != NULL;
}

static void add_load(ScheduleCx *d, IrOp *load)
{
	ScheduledLoad s = {.load = load, .kind = SCHEDULE_REGISTERS, .ahead = 1};
	bool ok = schedule_operands_can_be_ahead(d, load);
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

/* Do warp groups do the product, or will they? */
static bool is_of_groups(GpuCx *gpu, const IrOp *op)
{
	unsigned warps[2];
	const char *why;
	return op->kind == OP_WARP_GROUP_DOT ||
	       (op->kind == OP_DOT && gpu_wgmma_for(gpu, op, false, warps, &why));
}

/* What the loop's products of warp groups add up, in registers of a thread. 0: there are none. */
static unsigned words_of_groups(GpuCx *gpu, const IrOp *loop)
{
	uint64_t bits = 0;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		if (is_of_groups(gpu, op))
			bits += (uint64_t)ir_numel(op->results[0].type) * op->results[0].type->elem->bits;
	return (unsigned)(bits / 32 / (TARGET_WARP_SIZE * gpu_num_warps(gpu, loop)));
}

static bool counts(const ScheduleCx *d, const IrOp *op);

/* A kernel of one stage says that it needs no more memory than for one tile of each operand, as
 * those say that wait for others' CTAs. Where a second one costs no CTA that runs beside it, copies
 * are ahead all the same: warp groups would stand still while memory answers. It follows of types
 * alone, so that all passes agree. */
static bool has_room_for_two(ScheduleCx *d)
{
	const Schedule *s = d->s;
	unsigned words = words_of_groups(d->gpu, s->loop);
	uint64_t slot = 0;
	d->has_dot |= words != 0;
	for (const IrOp *op = s->loop->regions[0].first->first; op; op = op->next)
		slot += counts(d, op) ? (uint64_t)ir_numel(op->results[0].type) *
						gpu_element_bits(op->results[0].type->elem) / 8
				      : 0;
	return words && 2 * slot <= d->gpu->target->shared_cta &&
	       !schedule_words_cost_ctas(d->gpu, words, slot, 2 * slot);
}

/* What the loop asks for and what stops it; false: it asks for nothing. */
static bool look_at_loop(ScheduleCx *d)
{
	Schedule *s = d->s;
	IrAttr asked = ir_get(s->loop, d->gpu->ir, ATTR_NUM_STAGES);
	s->stages = asked ? (unsigned)MAX(asked->i, 0) : d->gpu->num_stages;
	if (s->stages < 2 && (asked || !has_room_for_two(d))) {
		s->rule = REMARK_LOOP_ONE_STAGE;
		return false;
	}
	s->deeper = s->stages < 2;
	s->stages = MIN(MAX(s->stages, 2u), (unsigned)MOST_STAGES);
	ir_walk(s->loop, false, visit_op, d);
	if (!s->rule && !can_count(s->loop))
		s->rule = REMARK_LOOP_STEP;
	if (!d->has_dot && !asked && s->rule != REMARK_LOOP_INNER)
		s->rule = REMARK_LOOP_NO_DOT;
	return d->has_dot || asked;
}

static bool counts(const ScheduleCx *d, const IrOp *op)
{
	bool loads = op->kind == OP_LOAD || (op->kind == OP_DESC_LOAD && gpu_is_map(ir_operand(op, 0)->type));
	return loads && ir_is_tensor(op->results[0].type) &&
	       (!d->has_dot ||
		reaches_dot(&op->results[0], d->s->loop, ARENA_ARRAY(d->arena, uint8_t, d->values)));
}

static bool find_schedule(ScheduleCx *d, IrOp *loop)
{
	Schedule *out = d->s;
	*out = (Schedule){.loop = loop};
	if (!look_at_loop(d))
		return false;
	if (!out->rule)
		schedule_leaving(d);
	bool any = false;
	for (IrOp *op = loop->regions[0].first->first; op; op = op->next) {
		if (!counts(d, op))
			continue;
		any = true;
		if (!out->rule)
			add_load(d, op);
	}
	if (!any && out->rule != REMARK_LOOP_INNER)
		out->rule = REMARK_LOOP_NO_LOAD;
	if (any && !out->rule) {
		schedule_fit(d);
		schedule_limit_registers(d);
	}
	return any;
}

bool schedule_loop(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop,
		   Schedule *out)
{
	CONTRACT(loop->kind == OP_FOR && loop->region_count);
	ScheduleCx d = {.gpu = gpu, .arena = arena, .m = m, .axes = axes, .s = out, .values = m->next_value};
	return find_schedule(&d, loop);
}

bool schedule_loop_turned(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop,
			  Schedule *out)
{
	CONTRACT(loop->kind == OP_FOR && loop->region_count);
	ScheduleCx d = {.gpu = gpu, .arena = arena, .m = m, .axes = axes, .s = out, .values = m->next_value,
			.turns = true};
	return find_schedule(&d, loop) && out->turned && !out->rule;
}

bool schedule_asks(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop)
{
	Schedule s = {.loop = loop};
	ScheduleCx d = {.gpu = gpu, .arena = arena, .s = &s, .values = m->next_value};
	return gpu->num_stages > 1 || has_room_for_two(&d);
}

/* Of the loop alone. */
static ScheduleSeen see_loop(ScheduleCx *d)
{
	IrOp *loop = d->s->loop;
	ScheduleSeen seen = {.loop = loop, .none = !look_at_loop(d) || d->s->rule};
	for (const IrOp *op = loop->regions[0].first->first; op && !seen.none; op = op->next)
		if (op->kind == OP_LOAD && counts(d, op))
			seen.bytes += 2 * tile_bytes(op);
	seen.none |= seen.bytes > d->gpu->target->shared_cta;
	return seen;
}

bool schedule_may_copy(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *load, ScheduleSeen *seen)
{
	IrOp *loop = ir_parent_op(load);
	Schedule s = {.loop = loop};
	ScheduleCx d = {.gpu = gpu, .arena = arena, .s = &s, .values = m->next_value};
	if (loop->kind != OP_FOR || !ir_is_tensor(load->results[0].type) || why_never_copied(gpu, load))
		return false;
	bool again = seen->loop == loop;
	if (!again)
		*seen = see_loop(&d);
	if (seen->none)
		return false;
	if (again)
		look_at_loop(&d);
	return counts(&d, load) && schedule_operands_can_be_ahead(&d, load);
}

bool schedule_waits_for_stores(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop)
{
	Schedule s = {.loop = loop};
	ScheduleCx d = {.gpu = gpu, .arena = arena, .s = &s, .values = m->next_value};
	bool any = false;
	if (ir_get_bool(loop, gpu->ir, ATTR_LEFT) || !look_at_loop(&d) || !d.has_store || d.stopped ||
	    !can_count(loop))
		return false;
	for (IrOp *op = loop->regions[0].first->first; op && !any; op = op->next)
		any = counts(&d, op);
	return any;
}

bool schedule_is_predicted(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop,
			   const IrValue *scalar, bool *dots)
{
	CONTRACT(loop->kind == OP_FOR);
	Schedule s = {.loop = loop};
	ScheduleCx d = {.gpu = gpu, .arena = arena, .s = &s, .values = m->next_value};
	if (!look_at_loop(&d) || s.rule)
		return false;
	*dots = d.has_dot;
	return schedule_is_scalar_ahead(&d, scalar);
}
