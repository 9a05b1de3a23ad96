/* Conversions within warps: renames, selects and shuffles.
 *
 * Let H be the span of both layouts' registers. Modulo H a lane of the destination needs what some lane of
 * the source has: a linear map M from lanes to lanes with source lane (M l) = destination lane (l) modulo H.
 * What is left of the difference lies in H: destination register X(l) plus source register Y(l). So in round
 * k a thread t receives
 *
 *	its register k ^ X(t)   from lane M(t) ^ m(k), register y(k) ^ Y(t)
 *
 * where y(k), m(k) are source register and lane of destination register k. Seen from the sender, the register
 * is base(k) ^ F(lane): the same F in each round. Hence: exchange the source's registers by F, shuffle once
 * per round with fixed registers, exchange the result by X. Lanes that want different registers should not
 * read from one lane: where no M avoids it, there is a round for each of the registers, and the last exchange
 * picks. With M the identity, rounds with m(k) = 0 stay in the lane and cost nothing; their number, that of the
 * destination's registers that the source's make too, is the most that any thread can keep, so the number of
 * rounds is minimal. Rounds with equal m(k) share a 32-bit word.
 *
 * With H the span of the source's registers alone X is 0: each thread reads its register k from
 * the lane that has it, wherever that is. That takes no exchange of the result, and never fewer
 * rounds; what costs less is taken. */
#include "layout/plan_parts.h"

typedef struct Shuffle {
	LayoutConversion *c;
	bool direct;           /* X is 0 */
	F2Span common;         /* H: source registers, then destination registers unless direct */
	uint64_t a[32], b[32]; /* destination's and source's lanes modulo H */
	uint32_t to_lane[LAYOUT_MAX_THREAD_BITS]; /* M, over the thread word */
	uint32_t receive[LAYOUT_MAX_THREAD_BITS]; /* X: destination registers */
	uint32_t want[LAYOUT_MAX_THREAD_BITS];    /* Y: source registers, by receiver */
	uint32_t publish[LAYOUT_MAX_THREAD_BITS]; /* F: source registers, by sender */
	uint32_t base[32], lane_xor[32];          /* of destination register bits */
	bool own_lane;
	/* Lanes that have to share a lane to read from, though they want another register of it. */
	unsigned shared;
	uint32_t shared_want[8]; /* that register */
	uint32_t shared_mask[8]; /* the parity of thread & this says whether a thread is one of them */
} Shuffle;

/* Splits a difference in H into source registers (preferred) and destination registers. */
static void split_difference(Shuffle *s, uint64_t difference, uint32_t *receive, uint32_t *want)
{
	uint64_t combo;
	uint64_t rest = f2_span_reduce(&s->common, difference, &combo);
	ASSERT(rest == 0);
	*want = (uint32_t)(combo & ((UINT64_C(1) << s->c->src.registers) - 1));
	*receive = (uint32_t)(combo >> s->c->src.registers);
}

/* A source lane with this value modulo H. */
static bool lane_with(const Shuffle *s, uint64_t value, uint32_t *lane)
{
	F2Span lanes = f2_span_of(s->b, s->c->src.lanes);
	uint64_t combo;
	if (f2_span_reduce(&lanes, value, &combo))
		return false;
	*lane = (uint32_t)combo;
	return true;
}

/* One lane of a basis of the lane space and what the maps do to it. */
typedef struct LanePlace {
	uint64_t lane;
	uint32_t to_lane, receive, want;
	int shared; /* index in Shuffle's shared_*, or -1 */
} LanePlace;

static uint64_t lanes_at(const LayoutSide *side, uint64_t lane)
{
	return f2_apply(side->thread, side->lanes, lane);
}

static LanePlace place_lane(Shuffle *s, uint64_t lane, uint32_t to_lane)
{
	LanePlace p = {.lane = lane, .to_lane = to_lane, .shared = -1};
	split_difference(s, lanes_at(&s->c->dst, lane) ^ lanes_at(&s->c->src, to_lane), &p.receive, &p.want);
	return p;
}

/* Lanes whose value is 0 modulo H: those whose data is not merely another register of the destination first;
 * `copies` counts the others, at the end. */
static unsigned zero_lanes(const Shuffle *s, uint64_t *lanes, unsigned *copies)
{
	const LayoutSide *dst = &s->c->dst;
	uint64_t kernel[32], modulo_dst[32], same[32];
	unsigned n = f2_kernel(s->a, dst->lanes, kernel);
	for (unsigned i = 0; i < dst->lanes; i++)
		modulo_dst[i] = s->direct ? dst->thread[i] : f2_span_reduce(&dst->span, dst->thread[i], NULL);
	*copies = f2_kernel(modulo_dst, dst->lanes, same);
	F2Span span = f2_span_of(same, *copies);
	unsigned others = f2_extend(&span, kernel, n, lanes, 32);
	memcpy(lanes + others, same, sizeof same[0] * *copies);
	return others + *copies;
}

/* A lane for which there is no lane of its own to read from: it reads from lane 0's. */
static LanePlace place_shared(Shuffle *s, uint64_t lane, bool copy)
{
	const LayoutSide *dst = &s->c->dst;
	LanePlace p = place_lane(s, lane, 0);
	if (copy && !s->direct) {
		uint64_t combo;
		f2_span_reduce(&dst->span, lanes_at(dst, lane), &combo);
		p.receive = (uint32_t)combo;
	} else if (!copy) {
		p.shared = (int)s->shared;
		s->shared_want[s->shared++] = p.want;
	}
	p.want = 0;
	return p;
}

/* Chooses M where it cannot be the identity. Lanes that are 0 modulo H go to different such lanes of the source,
 * so that each reads from a lane of its own, as long as there are any. The number of places, 0 when there is no
 * such map. */
static unsigned choose_lanes(Shuffle *s, LanePlace *places)
{
	const LayoutSide *dst = &s->c->dst;
	uint64_t zeros[32], room[32], units[32], others[32];
	unsigned copies, n = 0, taken = 0;
	unsigned zero_count = zero_lanes(s, zeros, &copies);
	unsigned room_count = f2_kernel(s->b, s->c->src.lanes, room);
	for (unsigned i = 0; i < zero_count; i++) {
		if (taken < room_count)
			places[n++] = place_lane(s, zeros[i], (uint32_t)room[taken++]);
		else
			places[n++] = place_shared(s, zeros[i], i >= zero_count - copies);
	}
	F2Span span = f2_span_of(zeros, zero_count);
	for (unsigned i = 0; i < dst->lanes; i++)
		units[i] = UINT64_C(1) << i;
	unsigned count = f2_extend(&span, units, dst->lanes, others, 32);
	for (unsigned i = 0; i < count; i++) {
		uint32_t lane;
		if (!lane_with(s, f2_apply(s->a, dst->lanes, others[i]), &lane))
			return 0;
		places[n++] = place_lane(s, others[i], lane);
	}
	return n;
}

/* From the places of a basis to the maps over single lane bits. */
static void spread_places(Shuffle *s, const LanePlace *places, unsigned n)
{
	unsigned lanes = s->c->dst.lanes;
	F2Span span = f2_span_none(), targets = f2_span_none();
	for (unsigned i = 0; i < n; i++) {
		f2_span_add(&span, places[i].lane);
		f2_span_add(&targets, places[i].to_lane);
	}
	/* F(M l) = Y(l); lanes that no one reads from do not matter. */
	for (unsigned i = 0; i < lanes; i++)
		f2_span_add(&targets, UINT64_C(1) << i);
	for (unsigned i = 0; i < lanes; i++) {
		uint64_t from, to;
		f2_span_reduce(&span, UINT64_C(1) << i, &from);
		f2_span_reduce(&targets, UINT64_C(1) << i, &to);
		for (unsigned j = 0; j < n; j++) {
			if (from >> j & 1) {
				s->to_lane[i] ^= places[j].to_lane;
				s->receive[i] ^= places[j].receive;
				s->want[i] ^= places[j].want;
				if (places[j].shared >= 0)
					s->shared_mask[places[j].shared] |= 1u << i;
			}
			s->publish[i] ^= to >> j & 1 ? places[j].want : 0;
		}
	}
}

static bool map_lanes(Shuffle *s)
{
	LanePlace places[32];
	unsigned lanes = s->c->dst.lanes, n = 0;
	s->own_lane = true;
	for (unsigned i = 0; i < lanes; i++)
		s->own_lane = s->own_lane && s->a[i] == s->b[i];
	if (s->own_lane) {
		for (; n < lanes; n++)
			places[n] = place_lane(s, UINT64_C(1) << n, 1u << n);
	} else {
		n = choose_lanes(s, places);
	}
	if (n != lanes)
		return false;
	spread_places(s, places, n);
	return true;
}

static uint32_t sum_of(const uint32_t *by, uint32_t bits)
{
	uint32_t sum = 0;
	for (; bits; bits &= bits - 1)
		sum ^= by[__builtin_ctz(bits)];
	return sum;
}

/* Warps and blocks keep to themselves: what differs must be lanes and registers. */
static bool map_warps(Shuffle *s)
{
	const LayoutSide *src = &s->c->src, *dst = &s->c->dst;
	for (unsigned i = dst->lanes; i < dst->threads; i++) {
		uint64_t difference = dst->thread[i] ^ src->thread[i];
		uint64_t residue = f2_span_reduce(&s->common, difference, NULL);
		if (!lane_with(s, residue, &s->to_lane[i]))
			return false;
		if (s->to_lane[i])
			s->own_lane = false;
		split_difference(s, difference ^ lanes_at(src, s->to_lane[i]), &s->receive[i], &s->want[i]);
		s->publish[i] = s->want[i] ^ sum_of(s->publish, s->to_lane[i]);
	}
	return true;
}

/* Where each register bit of the destination comes from. */
static bool map_registers(Shuffle *s)
{
	const LayoutSide *src = &s->c->src, *dst = &s->c->dst;
	F2Span span = f2_span_of(src->reg, src->registers);
	f2_span_add_all(&span, src->thread, src->lanes);
	for (unsigned i = 0; i < dst->registers; i++) {
		uint64_t combo;
		if (f2_span_reduce(&span, dst->reg[i], &combo))
			return false;
		uint32_t registers = (uint32_t)(combo & ((UINT64_C(1) << src->registers) - 1));
		s->lane_xor[i] = (uint32_t)(combo >> src->registers);
		s->base[i] = registers ^ sum_of(s->publish, s->lane_xor[i]);
	}
	return true;
}

static bool map_everything(Shuffle *s)
{
	const LayoutSide *src = &s->c->src, *dst = &s->c->dst;
	s->common = f2_span_of(src->reg, src->registers);
	if (!s->direct)
		f2_span_add_all(&s->common, dst->reg, dst->registers);
	for (unsigned i = 0; i < dst->lanes; i++) {
		s->a[i] = f2_span_reduce(&s->common, dst->thread[i], NULL);
		s->b[i] = f2_span_reduce(&s->common, src->thread[i], NULL);
	}
	return map_lanes(s) && map_warps(s) && map_registers(s);
}

/* ---- steps ---- */

/* A basis of the destination's register space, pivots alone: first those that come from the own
 * lane (m = 0). */
static unsigned round_basis(const Shuffle *s, uint32_t *basis, unsigned *same_lane)
{
	const LayoutSide *dst = &s->c->dst;
	uint64_t lanes[32], kernel[32];
	uint32_t pivot[32];
	unsigned n = 0, count = 0;
	for (unsigned i = 0; i < dst->registers; i++) {
		if (dst->pivots >> i & 1) {
			pivot[n] = 1u << i;
			lanes[n++] = s->lane_xor[i];
		}
	}
	F2Span span = f2_span_none();
	*same_lane = f2_kernel(lanes, n, kernel);
	for (; count < *same_lane; count++) {
		basis[count] = sum_of(pivot, (uint32_t)kernel[count]);
		f2_span_add(&span, basis[count]);
	}
	for (unsigned i = 0; i < n; i++) {
		if (f2_span_add(&span, pivot[i]))
			basis[count++] = pivot[i];
	}
	return count;
}

static void add_rounds(Shuffle *s, LayoutCost *cost)
{
	LayoutConversion *c = s->c;
	uint32_t basis[32];
	unsigned same_lane, n = round_basis(s, basis, &same_lane);
	unsigned word = c->element_bits >= 32 ? 0 : MIN(same_lane, base_log2(32 / c->element_bits));
	uint32_t rounds = 1u << (n + s->shared);
	LayoutMove *moves = ARENA_ARRAY(c->cx->arena, LayoutMove, rounds);
	unsigned words = 0;
	for (uint32_t k = 0; k < rounds; k++) {
		uint32_t to = sum_of(basis, k & ((1u << n) - 1)), shared = k >> n;
		moves[k] = (LayoutMove){to | shared << c->dst.registers,
					sum_of(s->base, to) ^ sum_of(s->shared_want, shared), sum_of(s->lane_xor, to)};
		if (k % (1u << word) == 0 && !(s->own_lane && moves[k].lane == 0))
			words++;
	}
	LayoutStep *step = layout_add_step(c, LAYOUT_STEP_SHUFFLE);
	step->count = 1u << (c->dst.registers + s->shared);
	step->moves = moves;
	step->move_count = rounds;
	step->per_word = 1u << word;
	step->own_lane = s->own_lane;
	memcpy(step->lane_map, s->to_lane, sizeof step->lane_map);
	cost->shuffles = words * (c->element_bits == 64 ? 2 : 1);
}

/* The rounds give the pivots alone; other registers of the destination are copies of these. */
static void add_copies(Shuffle *s)
{
	const LayoutSide *dst = &s->c->dst;
	uint32_t count = 1u << dst->registers;
	uint32_t *rename = ARENA_ARRAY(s->c->cx->arena, uint32_t, count);
	uint64_t copy_of[32];
	for (unsigned i = 0; i < dst->registers; i++) {
		copy_of[i] = UINT64_C(1) << i;
		if (!(dst->pivots >> i & 1))
			f2_span_reduce(&dst->span, dst->reg[i], &copy_of[i]);
	}
	for (uint32_t r = 0; r < count; r++)
		rename[r] = (uint32_t)f2_apply(copy_of, dst->registers, r);
	layout_add_rename(s->c, rename, count, count << s->shared);
}

/* Everything stays in the thread: the rounds are a rename. */
static void add_register_moves(Shuffle *s)
{
	uint32_t count = 1u << s->c->dst.registers;
	uint32_t *rename = ARENA_ARRAY(s->c->cx->arena, uint32_t, count);
	for (uint32_t r = 0; r < count; r++)
		rename[r] = sum_of(s->base, r);
	layout_add_rename(s->c, rename, count, 1u << s->c->src.registers);
}

/* Elements below 32 bits whose neighbours in a word are others afterwards are put together anew; those that travel are
 * also taken apart. */
static unsigned packs_of(const LayoutConversion *c, bool moves)
{
	unsigned word = c->element_bits < 32 ? base_log2(32 / c->element_bits) : 0;
	unsigned words = layout_exchange_selects(1u << c->dst.registers, c->element_bits);
	for (unsigned i = 0; i < MIN(word, c->dst.registers); i++) {
		if (i >= c->src.registers || c->src.reg[i] != c->dst.reg[i])
			return words * (moves ? 2 : 1) * (c->element_bits < 16 ? 2 : 1);
	}
	return 0;
}

static bool plan_by(LayoutConversion *c, bool direct, LayoutPlan *plan)
{
	Shuffle s;
	memset(&s, 0, sizeof s);
	s.c = c;
	s.direct = direct;
	if (!map_everything(&s))
		return false;
	uint32_t src_count = 1u << c->src.registers, dst_count = 1u << c->dst.registers;
	bool moves = !s.own_lane;
	for (unsigned i = 0; i < c->dst.registers; i++)
		moves = moves || s.lane_xor[i];
	LayoutCost cost = {0};
	c->steps.len = 0;
	unsigned before = layout_add_exchanges(c, src_count, s.publish, c->src.threads);
	if (moves)
		add_rounds(&s, &cost);
	else
		add_register_moves(&s);
	/* Of the rounds for lanes that share, each thread takes its own. */
	for (unsigned i = 0; i < s.shared; i++) {
		for (unsigned j = 0; j < c->dst.lanes; j++)
			s.receive[j] |= (s.shared_mask[i] >> j & 1) << (c->dst.registers + i);
	}
	unsigned after = layout_add_exchanges(c, dst_count << s.shared, s.receive, c->dst.threads);
	if (moves)
		add_copies(&s);
	uint32_t received = 1u << (s.shared + (unsigned)__builtin_popcount(c->dst.pivots));
	cost.selects = before * layout_exchange_selects(src_count, c->element_bits) +
		       after * layout_exchange_selects(received, c->element_bits);
	cost.packs = packs_of(c, moves);
	plan->kind = LAYOUT_PLAN_SHUFFLE;
	if (!moves)
		plan->kind = c->steps.len == 0 ? LAYOUT_PLAN_NOTHING : LAYOUT_PLAN_REGISTERS;
	layout_cost_finish(&cost, c->target, c->reps, LAYOUT_BARRIER_WARP);
	plan->cost = cost;
	return true;
}

bool layout_plan_within_warps(LayoutConversion *c, LayoutPlan *plan)
{
	CONTRACT(c->source && c->destination);
	if (!plan_by(c, false, plan))
		return false;
	LayoutPlan direct = *plan;
	if (plan->kind != LAYOUT_PLAN_SHUFFLE || !plan->cost.selects)
		return true;
	if (plan_by(c, true, &direct) && direct.cost.total < plan->cost.total) {
		*plan = direct;
		return true;
	}
	return plan_by(c, false, plan);
}
