/* How far ahead loads are prefetched: what fits into shared memory, an SM's occupancy and
 * registers. */
#include "gpu/analysis/pressure.h"
#include "gpu/analysis/text_order.h"
#include "gpu/loop/persist.h"
#include "gpu/loop/rotate.h"
#include "gpu/loop/schedule_int.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/plan/dot.h"
#include "gpu/remark.h"

enum {
	DEEP = 2, /* iterations */
	DEEP_OF_FEW = 6, /* where no other CTA comes to the SM */
	DEEP_SCALED = 3, /* where warp groups scale a product, and add it to sums beside it */
	DEEP_TURNED = 4, /* where warps turn tiles between copies and products */
	LEAST_OF_ONE = 2, /* that copies of one product's operands are ahead in any case */
	LEAST_OF_SEVERAL = 1,
	QUARTER = 4,
	LEAST_TURNED = 2, /* iterations, where what is turned earlier is worth one more */
	PLENTY = 1 << 16, /* bytes of a slot: more on the way to an SM than memory brings while it answers */
	WARPS_OF_A_GROUP = 4,
	BESIDE_BOXES = 2048, /* bytes: mbarriers, and what alignment leaves between rings */
	BARRIERS = 256, /* bytes, where they are not among what rings leave anyway */
};

typedef struct Need {
	ScheduleCx *d;
	uint64_t most, held;
	TextOrder order;
	const IrOp *func;
} Need;

/* Is it read from the ring as it is wanted? What is put in for masked elements is put in first. */
static bool is_scheduled_conversion(const ScheduleCx *d, const IrOp *op)
{
	const IrOp *from = op->kind == OP_CONVERT_LAYOUT ? ir_operand(op, 0)->def : NULL;
	while (from && from->kind == OP_TRANS)
		from = ir_operand(from, 0)->def;
	for (uint32_t i = 0; i < d->s->loads.len; i++)
		if (d->s->loads.data[i].load == from)
			return d->s->loads.data[i].kind == SCHEDULE_COPIED && !schedule_fills(from);
	return false;
}

static bool is_ring(const ScheduleCx *d, const IrOp *alloc)
{
	return alloc->operand_count && (schedule_load_of(d->gpu, d->s, &alloc->results[0]) ||
					schedule_is_turned(d->s, &alloc->results[0]));
}

/* The number of the last op that uses the memory, views of it too; what goes round a loop, or out
 * of a branch, is taken to be used to the end. */
static uint32_t last_use(const Need *n, const IrValue *memory)
{
	uint32_t last = 0;
	for (const IrUse *u = memory->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		if (op->region_count || ir_has_trait(op, TRAIT_TERM))
			return UINT32_MAX;
		last = MAX(last, n->order.end[op->id]);
		for (uint32_t r = 0; r < op->result_count; r++)
			if (op->results[r].type->kind == TY_MEMDESC)
				last = MAX(last, last_use(n, &op->results[r]));
	}
	return last;
}

/* Is the memory live while the loop runs? What a loop around both uses, and does not define, is. */
static bool is_live(const Need *n, const IrOp *alloc)
{
	const IrOp *whole = n->d->s->loop;
	for (const IrOp *outer = ir_parent_op(whole); outer != n->func; outer = ir_parent_op(outer))
		if (outer->kind != OP_IF && !ir_is_inside(alloc, outer))
			whole = outer;
	return n->order.start[alloc->id] <= n->order.end[whole->id] &&
	       last_use(n, &alloc->results[0]) >= n->order.start[whole->id];
}

static bool visit_memory(void *data, IrOp *op)
{
	Need *n = data;
	if (op->kind == OP_LOCAL_ALLOC && !is_ring(n->d, op))
		n->held += is_live(n, op) ? gpu_memdesc_bytes(n->d->gpu, op->results[0].type) : 0;
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

/* CTAs that fit on an SM. */
static unsigned ctas_on_sm(const GpuCx *gpu, unsigned registers, uint64_t bytes)
{
	const TargetGpu *target = gpu->target;
	TargetOccupancy o;
	target_occupancy(target, MIN(registers, (unsigned)TARGET_REGISTERS_THREAD),
			 (unsigned)MIN(bytes, (uint64_t)target->shared_cta), gpu->num_warps, &o);
	return o.ctas;
}

static unsigned products_of(const IrOp *loop)
{
	unsigned count = 0;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		count += op->kind == OP_WARP_GROUP_DOT;
	return count;
}

/* One product of a kernel whose launches of more programs than there are SMs take another variant:
 * each CTA has an SM for itself. */
static bool is_alone(const ScheduleCx *d)
{
	const IrOp *func = ir_func_of(d->s->loop);
	return gpu_is_for_few(d->gpu, func) && !gpu_is_uneven(d->gpu, func) && products_of(d->s->loop) == 1;
}

/* Does the value come from a tile that is loaded in the loop's body? */
static bool comes_from_tile(const IrBlock *body, const IrValue *v, uint8_t *seen)
{
	const IrOp *op = v->def;
	if (!op || op->block != body || seen[v->id])
		return false;
	seen[v->id] = 1;
	if (op->kind == OP_LOAD && ir_is_tensor(op->results[0].type))
		return true;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (comes_from_tile(body, ir_operand(op, i), seen))
			return true;
	return false;
}

/* Are rows copied whose places are loaded in the loop? */
static bool gathers(const ScheduleCx *d)
{
	uint8_t *seen = ARENA_ARRAY(d->arena, uint8_t, d->values);
	for (uint32_t i = 0; i < d->s->loads.len; i++) {
		const ScheduledLoad *l = &d->s->loads.data[i];
		if (l->kind == SCHEDULE_COPIED && !l->boxes && l->indirection &&
		    comes_from_tile(l->load->block, ir_operand(l->load, 0), seen))
			return true;
	}
	return false;
}

/* What the products add up, and some. */
static unsigned registers_of_products(GpuCx *gpu, const IrOp *loop)
{
	unsigned registers = gpu->target->budgets->beside_sums;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		registers += op->kind == OP_WARP_GROUP_DOT ? gpu_words(gpu, op->results[0].type) : 0;
	return registers;
}

/* Fewer slots than were asked for, where they let a second CTA of one warpgroup onto the SM: it
 * multiplies while the first computes, waits or stores, which no slot makes up for. Nor does one
 * for what threads do to gather rows, in kernels of more warps too. And where threads multiply
 * themselves, large slots are one iteration ahead: a second one brings nothing earlier. */
static void make_room(const ScheduleCx *d, uint64_t slot, uint64_t taken)
{
	Schedule *s = d->s;
	unsigned products = products_of(s->loop), ahead = ahead_within(s, slot);
	bool one = gpu_num_warps(d->gpu, s->loop) == WARPS_OF_A_GROUP;
	unsigned least = products == 1 && one ? LEAST_OF_ONE : LEAST_OF_SEVERAL;
	unsigned registers = one ? 0 : registers_of_products(d->gpu, s->loop);
	if (!products && d->has_dot && slot >= PLENTY)
		s->stages = MIN(s->stages, LEAST_OF_SEVERAL + 1u);
	if (!products || !(one || gathers(d)) || is_alone(d))
		return;
	while (ahead > least && ctas_on_sm(d->gpu, registers, taken + slot * (ahead + 1)) < 2)
		ahead--;
	if (ahead >= least && ctas_on_sm(d->gpu, registers, taken + slot * (ahead + 1)) >= 2)
		s->stages = MIN(s->stages, ahead + 1);
}

bool schedule_words_cost_ctas(GpuCx *gpu, unsigned words, uint64_t bytes, uint64_t more)
{
	unsigned registers = gpu->target->budgets->beside_sums + words;
	return ctas_on_sm(gpu, registers, more) < ctas_on_sm(gpu, registers, bytes);
}

bool schedule_costs_ctas(GpuCx *gpu, const IrOp *loop, uint64_t bytes, uint64_t more)
{
	CONTRACT(loop->region_count);
	unsigned registers = registers_of_products(gpu, loop);
	return ctas_on_sm(gpu, registers, more) < ctas_on_sm(gpu, registers, bytes);
}

static bool costs_ctas(const ScheduleCx *d, uint64_t bytes, uint64_t more)
{
	return !is_alone(d) && schedule_costs_ctas(d->gpu, d->s->loop, bytes, more);
}

/* The words of a product of several warp groups that is scaled and added to sums beside it, the
 * only one of the loop, and of those sums; 0: it is no such loop. */
static unsigned words_scaled(const ScheduleCx *d)
{
	const IrBlock *body = d->s->loop->regions[0].first;
	const IrOp *dot = body->first;
	while (dot && dot->kind != OP_WARP_GROUP_DOT)
		dot = dot->next;
	if (products_of(d->s->loop) != 1 || gpu_num_warps(d->gpu, d->s->loop) <= WARPS_OF_A_GROUP ||
	    ir_operand(dot, 2)->block == body)
		return 0;
	bool sums = false;
	for (uint32_t i = 1; i < body->arg_count; i++)
		sums |= body->args[i]->type == dot->results[0].type;
	return sums ? 2 * gpu_words(d->gpu, dot->results[0].type) : 0;
}

/* Slots that TMA fills cost nothing but memory. What is left of that holds more of them, up to DEEP
 * iterations ahead, as long as no CTA is lost: with two stages copies would be one iteration ahead,
 * which is less than memory takes to answer. Where a CTA has an SM for itself its slots alone are
 * what is on the way from memory. */
static void deepen(const ScheduleCx *d, uint64_t slot, uint64_t taken)
{
	Schedule *s = d->s;
	unsigned scaled = is_alone(d) ? 0 : words_scaled(d), deep = scaled ? DEEP_SCALED : DEEP;
	deep = is_alone(d) ? DEEP_OF_FEW : s->turned ? DEEP_TURNED : deep;
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_COPIED && !s->loads.data[i].boxes)
			return;
	while (s->ahead && s->ahead < deep) {
		uint64_t bytes = slot * (s->ahead + 1 + s->kept);
		uint64_t now = taken + bytes, then = now + slot;
		bool costs = scaled ? schedule_words_cost_ctas(d->gpu, scaled, now, then) :
				      costs_ctas(d, now, then);
		if (bytes + slot > s->limit || costs)
			return;
		s->deeper |= ++s->ahead >= s->stages;
	}
}

bool schedule_is_rotated(const Schedule *s)
{
	return s->rotation && s->rotation->rule == REMARK_LOOP_ROTATED;
}

typedef struct OtherLoops {
	const ScheduleCx *d;
	unsigned registers;
} OtherLoops;

static bool visit_other_loop(void *data, IrOp *op)
{
	OtherLoops *o = data;
	if (op->kind != OP_FOR || ir_is_inside(o->d->s->loop, op))
		return true;
	unsigned beside = o->d->gpu->target->budgets->beside_sums;
	o->registers = MAX(o->registers, beside + gpu_carried_words(o->d->gpu, op));
	return true;
}

/* Registers that the kernel takes whatever becomes of this loop: what other loops carry. */
static unsigned registers_of_others(const ScheduleCx *d)
{
	OtherLoops others = {.d = d};
	ir_walk(ir_func_of(d->s->loop), false, visit_other_loop, &others);
	return others.registers;
}

/* Of a thread, estimated. */
static unsigned registers_of(const ScheduleCx *d)
{
	const GpuRotation *r = d->s->rotation;
	if (!r)
		return MAX(registers_of_products(d->gpu, d->s->loop), registers_of_others(d));
	unsigned own = schedule_is_rotated(d->s) ? r->registers : r->in_order;
	return MAX(own, registers_of_others(d));
}

/* Do late products alone read what the load brings? */
static bool is_late(const ScheduleCx *d, const ScheduledLoad *l)
{
	const GpuRotation *r = d->s->rotation;
	bool any = false;
	for (const IrOp *op = d->s->loop->regions[0].first->first; op; op = op->next)
		for (uint32_t i = 0; i < 2 && op->kind == OP_WARP_GROUP_DOT; i++) {
			const IrValue *v = ir_operand(op, i);
			bool late = false;
			if (v->type->kind != TY_MEMDESC || schedule_load_of(d->gpu, d->s, v) != l)
				continue;
			for (uint32_t k = 0; k < r->late.len; k++)
				late |= r->late.data[k] == op;
			if (!late)
				return false;
			any = true;
		}
	return any && !l->load->results[0].uses->next;
}

static void unpair(Schedule *s)
{
	s->paired = false;
	for (uint32_t i = 0; i < s->loads.len; i++)
		s->loads.data[i].late = false;
}

/* What late products alone read may come with what the others read an iteration later, where TMA
 * brings all of it: a slot is read in one iteration of the rotated loop, and free behind it. */
static void pair(ScheduleCx *d)
{
	Schedule *s = d->s;
	uint32_t late = 0, copied = 0;
	bool boxes = true;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		ScheduledLoad *l = &s->loads.data[i];
		if (l->kind != SCHEDULE_COPIED)
			continue;
		boxes &= l->boxes;
		copied++;
		late += l->late = is_late(d, l);
	}
	s->paired = boxes && late && late < copied;
	if (!s->paired)
		unpair(s);
}

/* Rings keep a slot more where the loop is rotated and not paired; where there is no room for it,
 * or where that would leave fewer CTAs on an SM, which run beside each other's products as well, it
 * is not. */
static void rotate(ScheduleCx *d, uint64_t slot, uint64_t taken)
{
	Schedule *s = d->s;
	GpuRotation *r = ARENA_NEW(d->arena, GpuRotation);
	if (!slot || s->left)
		return;
	gpu_rotation(d->gpu, d->arena, d->m, s, r);
	s->rotation = r->rule ? r : NULL;
	if (!schedule_is_rotated(s))
		return;
	pair(d);
	s->kept = s->paired ? 0 : 1;
	unsigned ahead = ahead_within(s, slot), others = registers_of_others(d);
	uint64_t with = taken + slot * (ahead + 1 + s->kept), without = taken + slot * (ahead + 1);
	bool fewer = ahead && ctas_on_sm(d->gpu, MAX(r->registers, others), with) <
				      ctas_on_sm(d->gpu, MAX(r->in_order, others), without);
	if (ahead && !fewer)
		return;
	s->kept = 0;
	unpair(s);
	r->rule = fewer ? REMARK_LOOP_ROTATION_CTAS : REMARK_LOOP_ROTATION_ROOM;
}

bool schedule_is_unused(const IrOp *op)
{
	bool unused = ir_is_pure(op) && op->result_count == 1;
	for (const IrUse *u = unused ? op->results[0].uses : NULL; u && unused; u = u->next)
		unused = schedule_is_unused(u->owner);
	return unused;
}

static bool meets(void *data, IrOp *op)
{
	const ScheduleCx *d = data;
	bool stored = op->kind == OP_LOCAL_ALLOC && op->operand_count && !is_ring(d, op);
	return !stored && (is_scheduled_conversion(d, op) || !gpu_scratch(d->gpu, op).bytes);
}

/* Does no op of the loop go through shared memory, where all threads meet? */
static bool never_meets(ScheduleCx *d)
{
	return ir_walk(d->s->loop, false, meets, d);
}

/* Do threads alone read the tile? */
static bool is_for_threads(const ScheduledLoad *l)
{
	for (const IrUse *u = l->load->results[0].uses; u; u = u->next)
		if (u->owner->kind == OP_LOCAL_ALLOC)
			return false;
	return true;
}

/* Does nothing but products read what copies bring, and all of it come by TMA, or none? `threads`:
 * what they alone read does not count, as they have done so when the next iteration begins. */
static bool is_for_products(const ScheduleCx *d, bool boxes, bool threads)
{
	bool any = false;
	for (uint32_t i = 0; i < d->s->loads.len; i++) {
		const ScheduledLoad *l = &d->s->loads.data[i];
		if (l->kind != SCHEDULE_COPIED)
			continue;
		if (l->boxes != boxes)
			return false;
		any |= l->turned != NULL;
		if (l->turned || (threads && is_for_threads(l)))
			continue;
		any = true;
		for (const IrUse *u = l->load->results[0].uses; u; u = u->next)
			if (!schedule_is_unused(u->owner) &&
			    (u->owner->kind != OP_LOCAL_ALLOC ||
			     schedule_load_of(d->gpu, d->s, &u->owner->results[0]) != l))
				return false;
	}
	return any;
}

/* A slot more lets products go on while copies for later iterations begin; without it all
 * threads meet first. It is taken where no CTA is lost, and where copies are not less than DEEP
 * iterations ahead for it. */
static bool keeps_slot(const ScheduleCx *d, uint64_t slot, uint64_t taken)
{
	const Schedule *s = d->s;
	uint64_t bytes = slot * (s->ahead + 1);
	return !costs_ctas(d, taken + bytes, taken + bytes + slot) &&
	       slot * (MIN(s->ahead, (unsigned)DEEP) + 2) <= s->limit;
}

/* Does the loop, in front of its first product, read all that copies bring? */
static bool reads_first(const ScheduleCx *d, const ScheduledLoad *l, const IrOp *dot)
{
	for (const IrUse *u = l->load->results[0].uses; u; u = u->next) {
		bool late = !schedule_fills(l->load) && schedule_wanted(d->gpu, u->owner);
		const IrOp *read = late ? u->owner : l->load, *op = dot;
		while (op && op != read)
			op = op->prev;
		if (!op)
			return false;
	}
	return true;
}

/* The loop's first product, where none is of warp groups or reads slots round by round; NULL: some
 * are, or there is none. */
static const IrOp *first_of_threads(const ScheduleCx *d)
{
	const IrOp *first = NULL;
	for (const IrOp *op = d->s->loop->regions[0].first->first; op; op = op->next) {
		if (op->kind == OP_WARP_GROUP_DOT || (op->kind == OP_DOT && gpu_dot_takes_any(d->gpu, op)))
			return NULL;
		first = op->kind == OP_DOT && !first ? op : first;
	}
	return first;
}

/* Of a thread where it multiplies itself, estimated: what the loop carries, and sums that it does
 * not. */
static unsigned registers_of_threads(const ScheduleCx *d)
{
	const IrOp *loop = d->s->loop;
	unsigned words = d->gpu->target->budgets->beside_sums + gpu_carried_words(d->gpu, loop);
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		if (op->kind == OP_DOT && ir_operand(op, 2)->block != loop->regions[0].first)
			words += gpu_words(d->gpu, op->results[0].type);
	return MAX(words, registers_of_others(d));
}

/* Where threads read slots in front of the first product, and copies follow that, these may as well
 * go to the slot that was read, behind a barrier: where the slot less brings CTAs, a QUARTER of
 * those that there are or more, and products decide. Where memory does, as many bytes are under way
 * without. (H200: late interaction, 2 CTAs and then 3, gained 13 %; experts of 16 rows, 2 and 3,
 * lost 9 %, grouped products of 32 rows, 3 and 4, 3 %; experts of 32 rows, 3 and 4, gained 18 %
 * where all programs then ran at once.) */
static bool reuses_slot(const ScheduleCx *d, uint64_t slot, uint64_t taken)
{
	const Schedule *s = d->s;
	const IrOp *dot = first_of_threads(d);
	unsigned large = d->gpu->target->budgets->large_dot;
	uint64_t trips = schedule_trips(s->loop); /* few: all copies may begin in front of the loop */
	if (trips && trips <= s->ahead + 1)
		return false;
	if (!dot || s->left || s->ahead < 2 || gpu_words(d->gpu, dot->results[0].type) < large)
		return false;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		const ScheduledLoad *l = &s->loads.data[i];
		if (l->kind == SCHEDULE_COPIED && (l->boxes || !reads_first(d, l, dot)))
			return false;
	}
	unsigned registers = registers_of_threads(d);
	uint64_t less = taken + slot * s->ahead;
	unsigned ctas = ctas_on_sm(d->gpu, registers, less + slot);
	return QUARTER * (ctas_on_sm(d->gpu, registers, less) - ctas) >= MAX(ctas, 1u);
}

/* The memory that threads put a copied tile into, turned round for a product; NULL: there is
 * none. */
static const IrOp *turned_memory(const ScheduleCx *d, const ScheduledLoad *l)
{
	const IrValue *tile = &l->load->results[0];
	if (l->kind != SCHEDULE_COPIED || l->boxes || schedule_fills(l->load) ||
	    !ir_has_one_use(tile))
		return NULL;
	const IrOp *user = tile->uses->owner;
	if (user->kind == OP_CONVERT_LAYOUT && ir_has_one_use(&user->results[0]))
		user = user->results[0].uses->owner;
	bool turned = user->kind == OP_LOCAL_ALLOC && user->block == l->load->block &&
		      gpu_layout(d->gpu, user->results[0].type) != l->memory;
	return turned ? user : NULL;
}

/* Bytes of all of them. */
static uint64_t turned_bytes(const ScheduleCx *d)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < d->s->loads.len; i++) {
		const IrOp *alloc = turned_memory(d, &d->s->loads.data[i]);
		bytes += alloc ? gpu_memdesc_bytes(d->gpu, alloc->results[0].type) : 0;
	}
	return bytes;
}

/* Tiles that are turned an iteration before products take them are copied an iteration earlier,
 * where that and the turned tiles cost no CTA. */
static void copy_turned_earlier(const ScheduleCx *d, uint64_t slot, uint64_t taken)
{
	Schedule *s = d->s;
	uint64_t turned = turned_bytes(d), bytes = slot * (s->ahead + 1);
	uint64_t more = bytes + slot + turned;
	bool fits = more <= s->limit && !costs_ctas(d, taken + bytes, taken + more);
	if (turned && fits && s->ahead == LEAST_TURNED && s->stages == LEAST_TURNED + 1) {
		s->ahead++;
		s->deeper = true;
	}
}

/* Rotated, and products take so long that barriers in memory are worth their instructions: on an
 * H200 attention of 128x128 tiles of 128 gained 2 to 8 % by them, of 128x64 lost 3 to 4 %. */
static bool has_long_products(const Schedule *s)
{
	enum { LONG = 2048 };
	return schedule_is_rotated(s) && s->rotation->cycles.early + s->rotation->cycles.late >= LONG;
}

/* Of a slot of its ring: a tile that warps turn stays where it came. */
static uint64_t slot_bytes(const ScheduledLoad *l)
{
	return l->kind == SCHEDULE_COPIED ? (l->bytes + 127) / 128 * 128 : 0;
}

/* Bytes of a slot of all rings; and what there is for them: mbarriers lie beside those that TMA
 * fills. */
static uint64_t slot_of_all(Schedule *s, uint64_t taken, uint64_t all)
{
	uint64_t slot = 0, beside = taken;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		const ScheduledLoad *l = &s->loads.data[i];
		slot += slot_bytes(l);
		if (l->kind == SCHEDULE_COPIED && l->boxes)
			beside = taken + BESIDE_BOXES;
	}
	s->limit = beside < all ? all - beside : 0;
	return slot;
}

void schedule_fit(ScheduleCx *d)
{
	CONTRACT(!d->s->rule && d->s->loads.len && d->s->stages > 1);
	Schedule *s = d->s;
	IrOp *func = ir_func_of(s->loop);
	Need need = {.d = d, .order = text_order(d->arena, d->m, func), .func = func};
	ir_walk(func, false, visit_memory, &need);
	uint64_t taken = need.held + (need.most + 127) / 128 * 128;
	uint64_t slot = slot_of_all(s, taken, d->gpu->target->shared_cta);
	schedule_products(d->gpu, d->arena, s);
	make_room(d, slot, taken);
	rotate(d, slot, taken);
	s->ahead = ahead_within(s, slot);
	if (schedule_is_rotated(s)) {
		s->products.len = 0;
	} else if (s->products.len && s->ahead) {
		s->kept = keeps_slot(d, slot, taken);
		s->meets = !s->kept;
		s->ahead = ahead_within(s, slot);
	} else {
		s->products.len = 0;
		copy_turned_earlier(d, slot, taken);
	}
	deepen(d, slot, taken);
	s->reused = reuses_slot(d, slot, taken);
	s->slots = s->ahead ? s->ahead + 1 + s->kept - s->reused : 0;
	s->for_products = s->slots && is_for_products(d, true, false);
	s->by_boxes = s->slots && is_for_products(d, true, true);
	bool apart = s->for_products || (s->by_boxes && never_meets(d));
	bool groups = gpu_num_warps(d->gpu, s->loop) > WARPS_OF_A_GROUP;
	s->apart = apart && groups;
	s->pending = s->ahead ? s->ahead - 1 : 0;
	s->bytes = slot * s->slots;
	s->counted = groups && s->slots && has_long_products(s) && is_for_products(d, false, false) &&
		     never_meets(d) && s->bytes + BARRIERS <= s->limit;
	s->ctas = s->slots ? ctas_on_sm(d->gpu, registers_of(d), taken + s->bytes) : 0;
	CONTRACT(!s->slots || s->bytes <= s->limit);
	CONTRACT(!s->apart || !s->products.len || s->kept || s->meets);
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

void schedule_limit_registers(ScheduleCx *d)
{
	unsigned taken = gpu_carried_words(d->gpu, d->s->loop);
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
		l->why =
			arena_printf(d->arena, "%s, and it would hold %u registers of a thread that holds %u",
				     l->why, more, taken);
	}
}
