/* Running a CTA: fragments of warps, barriers, turns. */
#include <stdio.h>

#include "sim/check/define.h"
#include "sim/check/traffic.h"

/* Instructions of a turn: by turns, until the warp waits (or has spun for long), and at most by chance. */
enum { TURN = 4, LONG_TURN = 1 << 14, RANDOM_TURN = 64, ROTATE = SIM_ROTATE };

/* ---- fragments ---- */

static void drop_fragment(SimWarp *w, unsigned n)
{
	w->fragments[n] = w->fragments[--w->fragment_count];
}

/* Another fragment at the same pc takes this one's lanes. */
static bool merge(SimWarp *w, unsigned n)
{
	SimFragment *f = &w->fragments[n];
	for (unsigned k = 0; k < w->fragment_count; k++) {
		SimFragment *g = &w->fragments[k];
		if (k == n || g->pc != f->pc || g->wait != f->wait)
			continue;
		g->lanes |= f->lanes;
		drop_fragment(w, n);
		return true;
	}
	return false;
}

/* The lowest pc that can run; now and then the next one, as lanes may wait for others of their warp. */
static int choose(SimWarp *w)
{
	int best = -1, second = -1;
	for (unsigned k = 0; k < w->fragment_count; k++) {
		if (w->fragments[k].wait != WAIT_NOTHING)
			continue;
		if (best < 0 || w->fragments[k].pc < w->fragments[best].pc) {
			second = best;
			best = (int)k;
		} else if (second < 0 || w->fragments[k].pc < w->fragments[second].pc) {
			second = (int)k;
		}
	}
	return second >= 0 && w->turns % ROTATE == ROTATE - 1 ? second : best;
}

/* Nobody can run: the lowest pc at which lanes wait to meet others tries once more with those who came. */
static int choose_last(SimWarp *w)
{
	int best = -1;
	for (unsigned k = 0; k < w->fragment_count; k++)
		if (w->fragments[k].wait == WAIT_MEET && (best < 0 || w->fragments[k].pc < w->fragments[best].pc))
			best = (int)k;
	if (best >= 0)
		w->fragments[best].wait = WAIT_NOTHING;
	return best;
}

static uint32_t live_lanes(const SimWarp *w)
{
	uint32_t lanes = 0;
	for (unsigned k = 0; k < w->fragment_count; k++)
		lanes |= w->fragments[k].lanes;
	return lanes;
}

static uint32_t true_lanes(const uint8_t *condition)
{
	uint32_t mask = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint64_t eight;
		memcpy(&eight, condition + 8 * k, 8);
		mask |= (uint32_t)((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * k);
	}
	return mask;
}

static void blend(void *to, const void *from, unsigned size, uint32_t mask)
{
	EACH_LANE(lane, mask)
		memcpy((uint8_t *)to + lane * size, (const uint8_t *)from + lane * size, size);
}

static uint64_t switch_value(const uint8_t *slot, unsigned lane, unsigned size)
{
	uint64_t v = 0;
	memcpy(&v, slot + (size_t)lane * size, size);
	return v;
}

/* Lanes part by value; those of one target stay together. */
static void do_switch(SimWarp *w, const SimInstr *i, unsigned n)
{
	uint32_t rest = w->fragments[n].lanes;
	const uint8_t *slot = sim_slot(w, i->slots[0]);
	drop_fragment(w, n);
	while (rest) {
		uint32_t pc = i->to[0], same = 0;
		bool first = true;
		EACH_LANE(lane, rest) {
			uint64_t v = switch_value(slot, lane, i->size);
			uint32_t to = i->to[0];
			for (uint64_t k = 0; k < i->imm; k++)
				if (i->cases[2 * k] == v)
					to = (uint32_t)i->cases[2 * k + 1];
			pc = first ? to : pc;
			first = false;
			same |= to == pc ? UINT32_C(1) << lane : 0;
		}
		rest &= ~same;
		w->fragments[w->fragment_count++] = (SimFragment){pc, same, WAIT_NOTHING};
		merge(w, w->fragment_count - 1);
	}
}

static void define(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	(i->define ? i->define : sim_define_lanes)(w, i, mask, done);
}

static void count_traffic(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	bool copies = i->define == sim_define_copy;
	uint32_t size = copies ? (uint32_t)i->imm : (uint32_t)i->bytes * i->parts;
	if (i->condition)
		mask &= true_lanes(sim_operand(w, i, i->condition - 1u));
	if (copies || i->define == sim_define_load || i->define == sim_define_store)
		sim_count_sectors(w, i, mask, sim_operand(w, i, copies ? 1 : 0), size);
}

static void before_effect(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	if (i->condition)
		sim_see_condition(w, i, mask, true_lanes(sim_operand(w, i, i->condition - 1u)));
	else
		sim_see(w, i);
	if (UNLIKELY(w->cta->run->traffic) && i->define)
		count_traffic(w, i, mask);
	if (w->defined->live)
		define(w, i, mask, false);
}

static void before_branch(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	if (i->kind == SIM_BRANCH)
		sim_see_condition(w, i, mask, true_lanes(sim_slot(w, i->slots[0])));
	else
		sim_see(w, i);
	if (UNLIKELY(w->defined->lanes[i->slots[0]] & mask))
		sim_use_slot(w, i, i->slots[0], mask, "a branch");
}

/* At a jump back: has the loop done nothing since the last one but load, from the same places? */
static bool is_spinning(SimWarp *w, uint32_t pc)
{
	SimSpin now = w->spin;
	bool same = now.loaded && w->before.pc == pc && w->before.others == now.others &&
		    w->before.loaded == now.loaded;
	w->before = now;
	w->before.pc = pc;
	w->spin.loaded = 0;
	return same;
}

/* Runs one fragment until it waits, ends, parts, meets another or has used its instructions up. */
static void run_fragment(SimWarp *w, unsigned n, int *budget)
{
	const SimInstr *code = w->cta->run->kernel->code;
	uint32_t pc = w->fragments[n].pc, mask = w->fragments[n].lanes;
	uint8_t *regs = w->regs;
	for (;;) {
		const SimInstr *i = &code[pc];
		(*budget)--;
		if (UNLIKELY(w->tokens))
			sim_find_tokens(w, i);
		switch (i->kind) {
		case SIM_PURE: {
			const uint32_t *s = i->slots;
			void *to = regs + (size_t)s[0] * SIM_SLOT;
			i->pure(mask == SIM_ALL ? to : w->scratch, regs + (size_t)s[1] * SIM_SLOT, regs + (size_t)s[2] * SIM_SLOT,
				regs + (size_t)s[3] * SIM_SLOT, i->imm);
			if (mask != SIM_ALL)
				blend(to, w->scratch, i->size, mask);
			if (w->defined)
				sim_define_pure(w, i, mask);
			pc++;
			continue;
		}
		case SIM_EFFECT:
			w->wait = WAIT_NOTHING;
			w->fragments[n].pc = pc;
			if (w->defined)
				before_effect(w, i, mask);
			w->spin.others += !i->loads;
			if (i->effect(w, i, mask)) {
				if (w->defined && (w->defined->live || i->condition))
					define(w, i, mask, true);
				w->fragments[n].pc = ++pc;
				if (*budget > 0)
					continue;
				return;
			}
			w->fragments[n].wait = w->wait;
			if (!w->faulted)
				merge(w, n);
			return;
		case SIM_JUMP: pc = i->to[0]; break;
		case SIM_BRANCH: {
			if (w->defined)
				before_branch(w, i, mask);
			uint32_t yes = true_lanes(regs + (size_t)i->slots[0] * SIM_SLOT) & mask;
			if (yes == mask || !yes) {
				pc = i->to[yes ? 0 : 1];
				break;
			}
			w->fragments[n] = (SimFragment){i->to[0], yes, WAIT_NOTHING};
			w->fragments[w->fragment_count++] = (SimFragment){i->to[1], mask & ~yes, WAIT_NOTHING};
			if (!merge(w, w->fragment_count - 1))
				merge(w, n);
			return;
		}
		case SIM_SWITCH:
			if (w->defined)
				before_branch(w, i, mask);
			do_switch(w, i, n);
			return;
		case SIM_RETURN:
			drop_fragment(w, n);
			return;
		}
		/* After a jump. */
		w->fragments[n].pc = pc;
		if (pc <= (uint32_t)(i - code) && is_spinning(w, pc))
			*budget = 0;
		if (w->fragment_count > 1) {
			merge(w, n);
			return;
		}
		if (*budget <= 0)
			return;
	}
}

/* ---- barriers ---- */

static void release(SimWarp *w, SimWait wait)
{
	for (unsigned k = 0; k < w->fragment_count; k++) {
		SimFragment *f = &w->fragments[k];
		if (f->wait == wait) {
			f->wait = WAIT_NOTHING;
			f->pc++;
		}
	}
	for (unsigned k = w->fragment_count; k-- > 0;)
		merge(w, k);
	w->sync++;
	sim_race_meet(w);
}

static bool all_wait(const SimWarp *w, SimWait wait)
{
	for (unsigned k = 0; k < w->fragment_count; k++)
		if (w->fragments[k].wait != wait)
			return false;
	return true;
}

static SimParty at_barrier(const SimWarp *w, uint32_t pc, uint32_t lanes)
{
	SimParty party = sim_party(w, &w->cta->run->kernel->code[pc], 0, SIM_NO_BYTE);
	party.lanes = lanes;
	return party;
}

/* Where lanes of the CTA stand that have come to a barrier while others are at another, or have ended. */
static void check_barrier(SimCta *cta, unsigned from, unsigned to)
{
	const SimKernel *k = cta->run->kernel;
	uint32_t first = UINT32_MAX;
	char a[512], b[512];
	SimParty other = {0};
	for (unsigned n = from; n < to; n++) {
		SimWarp *w = &cta->warps[n];
		for (unsigned f = 0; f < w->fragment_count; f++) {
			uint32_t pc = w->fragments[f].pc, lanes = w->fragments[f].lanes;
			if (first == UINT32_MAX) {
				first = pc;
				other = at_barrier(w, pc, lanes);
			}
			bool same = pc == first || (k->code[pc].imm & k->code[first].imm & SIM_OF_ROLES);
			if (same && live_lanes(w) == SIM_ALL)
				continue;
			uint32_t l = k->code[first].loc, m = k->code[pc].loc;
			if (!same)
				sim_finding(cta->run, at_barrier(w, pc, lanes), &other, DIAG_SIM_BARRIER, "threads of a program meet at different barriers: at %s and at %s",
					    sim_place(k, l, a, sizeof a), sim_place(k, m, b, sizeof b));
			else
				sim_finding(cta->run, at_barrier(w, pc, lanes), NULL, DIAG_SIM_BARRIER, "lanes have ended and do not come to the barrier at %s: 0x%08x",
					    sim_place(k, m, a, sizeof a), ~live_lanes(w));
		}
	}
}

/* What one of the warps [from, to) knows to be ordered before it all know; accesses of theirs so far are. */
static void share_past(SimCta *cta, unsigned from, unsigned to)
{
	unsigned warps = cta->run->kernel->warps, known = sim_known_count(cta->run->kernel);
	bool all = to - from == warps;
	uint32_t time = cta->run->races && !all ? sim_race_tick(cta->run->races) : 0;
	for (unsigned n = from; n < to && time; n++)
		sim_race_spread(&cta->warps[n]);
	for (unsigned k = 0; k < known; k++) {
		bool inside = k >= from && k < to;
		uint32_t shared = inside ? cta->interval : 0, global = inside ? time : 0, fenced = 0;
		uint32_t proxied = 0;
		for (unsigned n = from; n < to && (cta->fenced || !inside); n++) {
			const SimPast *past = &cta->warps[n].past;
			shared = MAX(shared, past->shared[k]);
			fenced = MAX(fenced, past->fenced[k]);
			global = MAX(global, past->global[k]);
			proxied = MAX(proxied, past->proxied[k]);
		}
		for (unsigned n = from; n < to; n++) {
			SimPast *past = &cta->warps[n].past;
			if (!cta->warps[n].fragment_count)
				continue; /* it has ended, and waits for nobody */
			past->shared[k] = shared;
			if (cta->fenced) {
				past->fenced[k] = fenced;
				past->proxied[k] = proxied;
			}
			if (!all)
				past->global[k] = global;
		}
	}
}

/* All threads of the warps [from, to) that have not ended are there: on they go. */
static bool open_for(SimCta *cta, unsigned from, unsigned to, SimWait wait)
{
	unsigned live = 0;
	for (unsigned n = from; n < to; n++) {
		if (!all_wait(&cta->warps[n], wait))
			return false;
		live += cta->warps[n].fragment_count != 0;
	}
	if (!live)
		return false;
	if (cta->shadow)
		check_barrier(cta, from, to);
	if (cta->run->races && to - from == cta->run->kernel->warps)
		sim_race_barrier(cta);
	cta->interval++;
	for (unsigned n = from; n < to; n++)
		release(&cta->warps[n], wait);
	SimMeeting *meeting = sim_meeting(cta, cta->warps[from].rank, wait == WAIT_CLUSTER);
	if (cta->run->traffic)
		sim_ways_meet(cta, from, to, meeting->arriving);
	share_past(cta, from, to);
	if (cta->run->traffic)
		sim_count_barrier(cta, meeting);
	return true;
}

static bool open_barrier(SimCta *cta)
{
	const SimKernel *k = cta->run->kernel;
	if (k->ctas == 1)
		return open_for(cta, 0, k->warps, WAIT_CTA);
	bool opened = false;
	for (unsigned from = 0; from < k->warps; from += k->cta_warps)
		opened |= open_for(cta, from, from + k->cta_warps, WAIT_CTA);
	return open_for(cta, 0, k->warps, WAIT_CLUSTER) || opened;
}

/* ---- a CTA ---- */

static void deadlock(SimCta *cta)
{
	const SimKernel *k = cta->run->kernel;
	char text[1024], place[512], warp[64];
	uint32_t loc = 0;
	size_t at = 0;
	for (unsigned n = 0; n < k->warps && at < sizeof text - 1; n++) {
		const SimWarp *w = &cta->warps[n];
		for (unsigned f = 0; f < w->fragment_count && at < sizeof text - 1; f++) {
			uint32_t here = k->code[w->fragments[f].pc].loc;
			loc = loc ? loc : here;
			int len = snprintf(text + at, sizeof text - at, "%s%s, lanes 0x%08x, waits for %s at %s", at ? "; " : "",
					   sim_warp_text(k, n, warp, sizeof warp), w->fragments[f].lanes,
					   w->fragments[f].wait == WAIT_WARP ? "its other lanes" : "the program's other threads",
					   sim_place(k, here, place, sizeof place));
			at += len > 0 ? (size_t)len : 0;
		}
	}
	at = MIN(at, sizeof text - 1);
	snprintf(text + at, sizeof text - at, "; kernel '%s', %s (%u, %u, %u)", k->name, sim_program_word(cta->run),
		 cta->program[0], cta->program[1], cta->program[2]);
	sim_keep_fault(cta->run, cta->pid, DIAG_RUN_DEADLOCK, loc, text);
}

/* A turn of a warp. False after a fault. */
static bool run_warp(SimWarp *w, int budget)
{
	int n;
	w->turns++;
	while (budget > 0) {
		n = choose(w);
		w->last_chance = n < 0;
		if (n < 0 && (n = choose_last(w)) < 0)
			break;
		run_fragment(w, (unsigned)n, &budget);
		if (w->faulted)
			return false;
		if (w->fragment_count && all_wait(w, WAIT_WARP))
			release(w, WAIT_WARP);
	}
	return true;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool can_run(const SimWarp *w)
{
	for (unsigned k = 0; k < w->fragment_count; k++)
		if (w->fragments[k].wait == WAIT_NOTHING || w->fragments[k].wait == WAIT_MEET)
			return true;
	return false;
}

bool sim_stopped(const SimCta *cta)
{
	return atomic_load_explicit(&cta->run->stop, memory_order_relaxed) <= cta->pid;
}

typedef struct Round {
	unsigned start, step; /* from this warp on, so many further each time */
	int turn;
} Round;

static Round next_round(SimCta *cta, SimOrdering ordering)
{
	unsigned warps = cta->run->kernel->warps;
	uint64_t chance;
	switch (ordering) {
	case SIM_BY_TURNS: break;
	case SIM_UNTIL_BLOCKED: return (Round){0, 1, LONG_TURN};
	case SIM_REVERSED: return (Round){warps - 1, warps - 1, TURN};
	case SIM_RANDOM:
		chance = next_random(&cta->random);
		return (Round){(unsigned)(chance % warps), chance >> 32 & 1 ? warps - 1 : 1, (int)(chance >> 40 & (RANDOM_TURN - 1)) + 1};
	}
	return (Round){0, 1, TURN};
}

bool sim_cta_round(SimCta *cta, SimOrdering ordering)
{
	unsigned warps = cta->run->kernel->warps, live = 0;
	bool moved = false;
	Round round = next_round(cta, ordering);
	for (unsigned k = 0; k < warps; k++) {
		SimWarp *w = &cta->warps[(round.start + k * round.step) % warps];
		if (!w->fragment_count)
			continue;
		moved |= can_run(w);
		if (!run_warp(w, round.turn) || sim_stopped(cta))
			return false;
		live += w->fragment_count != 0;
	}
	if (!live)
		return false;
	if (open_barrier(cta) || moved)
		return true;
	deadlock(cta);
	return false;
}
