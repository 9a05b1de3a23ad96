/* Barriers in shared memory (mbarrier), and bulk copies that complete on them.
 *
 * The word of a barrier, ours alone to read: threads expected in bits 0-19, threads that are still to come in 20-39, bytes that are
 * still to come in 40-62 (they may come before they are announced), and the phase in 63. A phase ends when neither threads
 * nor bytes are to come. Who waits tries again at each turn.
 *
 * A bulk copy is made when it is issued. With checks it is made when a thread waits for its barrier and finds it open, and
 * it is poison that is there till then; what one thread did before it arrived is ordered before what another does when it has waited.
 * Boxes of tensor maps (tensor.c) complete on barriers likewise. Source: PTX ISA 8.8, "mbarrier", "cp.async.bulk". */
#include <stdlib.h>

#include "sim/check/traffic.h"
#include "sim/ops/async.h"
#include "sim/ops/machine.h"

#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};

enum { COUNT_BITS = 20, BYTES_SHIFT = 40, MOST_BYTES = 1 << 20, POISON = 0xff };

typedef struct Word {
	uint32_t expected, pending;
	int32_t bytes;
	bool phase;
} Word;

/* What is known of a barrier besides, with checks. */
typedef struct Known {
	uint32_t offset; /* likewise */
	SimPast past, over; /* of who has come; of who had when the last phase was over */
	bool phase;         /* that `over` is not of */
	uint32_t landed, seen[SIM_MOST_WARPS]; /* copies that it has counted; when a warp last waited */
} Known;

typedef struct Bulk {
	uint32_t to, size, barrier; /* in the program's shared memory */
	const SimInstr *by;
	const uint8_t *from; /* NULL: a box */
	SimBox box;
	unsigned warp, lane;
	uint32_t base;   /* of the CTA's shared memory that it comes to */
	uint32_t issued; /* time of order.c */
} Bulk;

struct SimBarriers {
	Known *known;
	Bulk *bulk; /* under way */
	uint32_t count, cap, bulks, bulk_cap;
};

static Word read_word(const uint8_t *at)
{
	uint64_t bits;
	memcpy(&bits, at, 8);
	uint32_t mask = (1u << COUNT_BITS) - 1;
	int32_t bytes = (int32_t)(bits >> BYTES_SHIFT & 0x7fffff);
	return (Word){(uint32_t)bits & mask, (uint32_t)(bits >> COUNT_BITS) & mask, bytes >= 1 << 22 ? bytes - (1 << 23) : bytes,
		      bits >> 63 & 1};
}

static void write_word(uint8_t *at, Word w)
{
	if (!w.pending && !w.bytes) {
		w.phase = !w.phase;
		w.pending = w.expected;
	}
	uint64_t bits = w.expected | (uint64_t)w.pending << COUNT_BITS | (uint64_t)((uint32_t)w.bytes & 0x7fffff) << BYTES_SHIFT |
			(uint64_t)w.phase << 63;
	memcpy(at, &bits, 8);
}

/* ---- what is known with checks ---- */

static struct SimBarriers *barriers_of(SimCta *cta)
{
	if (!cta->barriers && !(cta->barriers = heap_zeroed(sizeof *cta->barriers)))
		sim_no_memory(cta->run);
	return cta->barriers;
}

void sim_barriers_free(SimCta *cta)
{
	if (!cta->barriers)
		return;
	free(cta->barriers->known);
	free(cta->barriers->bulk);
	free(cta->barriers);
	cta->barriers = NULL;
}

static Known *known_of(SimCta *cta, uint32_t offset)
{
	struct SimBarriers *b = cta->barriers;
	for (uint32_t k = 0; b && k < b->count; k++)
		if (b->known[k].offset == offset)
			return &b->known[k];
	return NULL;
}

static void add_known(SimCta *cta, uint32_t offset)
{
	struct SimBarriers *b = barriers_of(cta);
	if (!b || known_of(cta, offset))
		return;
	if (b->count == b->cap) {
		uint32_t cap = MAX(2 * b->cap, 8u);
		Known *grown = heap_grow(b->known, sizeof *grown * cap);
		if (!grown) {
			sim_no_memory(cta->run);
			return;
		}
		b->known = grown;
		b->cap = cap;
	}
	b->known[b->count++] = (Known){.offset = offset};
}

/* Who comes before the others have waited for this phase is of the next one. */
static void end_phase(const SimCta *cta, Known *k)
{
	bool phase = read_word(cta->shared + k->offset).phase;
	if (phase != k->phase)
		k->over = k->past;
	k->phase = phase;
}

/* What the warp did is ordered before whoever waits. */
static void give(SimWarp *w, uint32_t offset, const SimInstr *at)
{
	Known *k = known_of(w->cta, w->base + offset);
	if (!k)
		return;
	sim_past_give(w, &k->past, at);
	end_phase(w->cta, k);
}

/* Who sees a copy come needs the wait, whoever reads what has come: here nobody knows who does. */
static void take(SimWarp *w, const uint32_t *offset, uint32_t mask, const SimInstr *at)
{
	bool orders = false;
	EACH_LANE(lane, mask) {
		Known *k = known_of(w->cta, w->base + offset[lane]);
		sim_past_take(w, k ? &k->over : NULL, at);
		orders |= !k || k->landed != k->seen[w->index];
		if (k)
			k->seen[w->index] = k->landed;
	}
	if (mask)
		sim_count_meeting(w, at, SIM_SHARED_BARRIER, 1, orders);
}

/* ---- operations ---- */

static uint8_t *place(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, SimBarrierUse use)
{
	uint8_t *at = sim_shared(w, i, lane, offset, 8, 8);
	if (!at || !w->cta->shadow)
		return at;
	if (use != SIM_BARRIER_MAKE && !known_of(w->cta, w->base + offset))
		sim_finding(w->cta->run, sim_party(w, i, lane, 0), NULL, DIAG_SIM_UNWRITTEN,
			    "the barrier at byte %u of shared memory, which was not made", offset);
	else
		sim_check_barrier(w, i, lane, offset, use);
	add_known(w->cta, w->base + offset);
	return at;
}

static bool init(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *offset = sim_operand(w, i, 0), *count = sim_operand(w, i, 1);
	EACH_LANE(lane, mask) {
		uint8_t *at = place(w, i, lane, offset[lane], SIM_BARRIER_MAKE);
		if (!at)
			return false;
		if (!count[lane] || count[lane] >> COUNT_BITS)
			return sim_fault(w, i, (int)lane, DIAG_SIM_MBARRIER, "a barrier for %u threads",
					 count[lane]);
		write_word(at, (Word){count[lane], count[lane], 0, false});
	}
	return true;
}

/* What is there is no barrier any more; nothing may be under way for it. */
static bool inval(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *offset = sim_operand(w, i, 0);
	EACH_LANE(lane, mask) {
		uint8_t *at = place(w, i, lane, offset[lane], SIM_BARRIER_DROP);
		if (!at)
			return false;
		struct SimBarriers *b = w->cta->barriers;
		for (uint32_t k = 0; b && k < b->bulks; k++)
			if (b->bulk[k].barrier == w->base + offset[lane])
				sim_finding(w->cta->run, sim_party(w, i, lane, 0), NULL, DIAG_SIM_WAIT,
					    "the barrier at byte %u of shared memory ends while a copy that it counts is under way", offset[lane]);
		Known *k = known_of(w->cta, w->base + offset[lane]);
		if (k)
			*k = b->known[--b->count];
	}
	return true;
}

static bool arrive_at(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t bytes)
{
	uint8_t *at = place(w, i, lane, offset, SIM_BARRIER_USE);
	if (!at)
		return false;
	Word word = read_word(at);
	if (!word.pending)
		return sim_fault(w, i, (int)lane, DIAG_SIM_MBARRIER,
				 "more threads arrive at byte %u of shared memory than the %u that it is for",
				 offset, word.expected);
	word.pending--;
	word.bytes += (int32_t)bytes;
	if (word.bytes >= MOST_BYTES)
		return sim_fault(w, i, (int)lane, DIAG_SIM_MBARRIER, "more than %d bytes are announced",
				 MOST_BYTES - 1);
	write_word(at, word);
	give(w, offset, i);
	return true;
}

/* imm: with bytes that are announced; else where the condition is true. */
static bool arrive(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *offset = sim_operand(w, i, 0), *bytes = i->imm ? sim_operand(w, i, 1) : NULL;
	const uint8_t *comes = i->imm ? NULL : sim_operand(w, i, 1);
	EACH_LANE(lane, mask)
		if ((!comes || comes[lane] & 1) &&
		    !arrive_at(w, i, lane, offset[lane], bytes ? bytes[lane] : 0))
			return false;
	return true;
}

/* At the barrier of another CTA: address, CTA, condition. */
static bool arrive_there(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *offset = sim_operand(w, i, 0), *rank = sim_operand(w, i, 1);
	const uint8_t *comes = sim_operand(w, i, 2);
	EACH_LANE(lane, mask) {
		if (!(comes[lane] & 1))
			continue;
		if (rank[lane] >= w->cta->run->kernel->ctas)
			return sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS,
					 "shared memory of CTA %u of a cluster of %u", rank[lane],
					 w->cta->run->kernel->ctas);
		/* Who has waited for it knows of it. */
		sim_note_remote(w, i, lane, rank[lane]);
		SimPlace own = sim_go_to(w, rank[lane]);
		bool good = arrive_at(w, i, lane, offset[lane], 0);
		sim_come_back(w, own);
		if (!good)
			return false;
	}
	return true;
}

/* What has come is known to who waits: and what its issuer has done besides is not. */
static void give_landed(SimWarp *issuer, uint32_t barrier, const SimInstr *by)
{
	Known *k = known_of(issuer->cta, barrier);
	unsigned unit = sim_unit(issuer->cta->run->kernel, issuer->index);
	if (!k)
		return;
	k->landed++;
	if (unit == issuer->index) {
		sim_past_give(issuer, &k->past, by);
	} else {
		k->past.shared[unit] = k->past.sure[unit] = ++issuer->cta->interval;
		k->past.via[unit] = 0;
		k->past.by[unit] = by->site;
	}
	end_phase(issuer->cta, k);
}

static void complete(SimCta *cta, uint32_t barrier, uint32_t bytes)
{
	Word word = read_word(cta->shared + barrier);
	word.bytes -= (int32_t)bytes;
	write_word(cta->shared + barrier, word);
}

/* Makes copies that are under way for the barrier, until its phase is over: one that was not
 * announced may come later. */
static void land(SimCta *cta, uint32_t barrier)
{
	struct SimBarriers *b = cta->barriers;
	bool phase = read_word(cta->shared + barrier).phase;
	uint32_t kept = 0;
	for (uint32_t k = 0; b && k < b->bulks; k++) {
		Bulk *bulk = &b->bulk[k];
		if (bulk->barrier != barrier || read_word(cta->shared + barrier).phase != phase) {
			b->bulk[kept++] = *bulk;
			continue;
		}
		SimWarp *issuer = &cta->warps[bulk->warp];
		SimPlace own = sim_go_to(issuer, bulk->base / MAX(cta->run->kernel->shared_pitch, 1u));
		if (bulk->from)
			memcpy(cta->shared + bulk->to, bulk->from, bulk->size);
		else
			sim_box_load(&bulk->box, issuer->shared, bulk->to - issuer->base);
		if (bulk->from && cta->run->races)
			sim_race_source(issuer, bulk->by, bulk->lane, bulk->from, bulk->size, bulk->issued);
		else if (!bulk->from)
			sim_box_read(issuer, bulk->by, bulk->lane, &bulk->box, bulk->issued);
		sim_check_landed(issuer, bulk->by, bulk->lane, bulk->to - issuer->base, bulk->size, true);
		sim_come_back(issuer, own);
		complete(cta, barrier, bulk->size);
		give_landed(issuer, barrier, bulk->by);
	}
	if (b)
		b->bulks = kept;
}

void sim_barriers_end(SimCta *cta)
{
	const struct SimBarriers *b = cta->barriers;
	for (uint32_t k = 0; b && k < b->bulks; k++)
		sim_finding(cta->run,
			    sim_party(&cta->warps[b->bulk[k].warp], b->bulk[k].by, b->bulk[k].lane, 0), NULL,
			    DIAG_SIM_WAIT,
			    "the program ends while the copy to byte %u of shared memory is under way: "
			    "nobody has waited for it",
			    b->bulk[k].to - b->bulk[k].base);
}

static bool is_done(SimWarp *w, uint32_t offset, uint32_t parity)
{
	uint8_t *at = w->shared + offset;
	if (read_word(at).phase == (parity & 1))
		land(w->cta, w->base + offset);
	return read_word(at).phase != (parity & 1);
}

static bool test(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *offset = sim_operand(w, i, 0), *parity = sim_operand(w, i, 1);
	uint8_t *to = sim_result(w, i, 0);
	uint32_t done = 0;
	EACH_LANE(lane, mask) {
		if (!place(w, i, lane, offset[lane], SIM_BARRIER_USE))
			return false;
		to[lane] = is_done(w, offset[lane], parity[lane]);
		done |= (uint32_t)(to[lane] != 0) << lane;
	}
	take(w, offset, done, i);
	return true;
}

static bool wait(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *offset = sim_operand(w, i, 0), *parity = sim_operand(w, i, 1);
	EACH_LANE(lane, mask) {
		if (!place(w, i, lane, offset[lane], SIM_BARRIER_USE))
			return false;
		if (!is_done(w, offset[lane], parity[lane])) {
			w->cta->read_loc = i->loc;
			w->cta->read_at = 0; /* none of the launch's buffers */
			return false; /* once more at the next turn */
		}
	}
	take(w, offset, mask, i);
	return true;
}

static bool defer(SimWarp *w, Bulk bulk)
{
	struct SimBarriers *b = barriers_of(w->cta);
	if (b && b->bulks == b->bulk_cap) {
		uint32_t cap = MAX(2 * b->bulk_cap, 8u);
		Bulk *grown = heap_grow(b->bulk, sizeof *grown * cap);
		if (!grown)
			return sim_no_memory(w->cta->run);
		b->bulk = grown;
		b->bulk_cap = cap;
	}
	if (!b)
		return false;
	if (w->cta->run->races)
		bulk.issued = sim_race_tick(w->cta->run->races);
	bulk.base = w->base;
	b->bulk[b->bulks++] = bulk;
	memset(w->cta->shared + bulk.to, POISON, bulk.size);
	return true;
}

bool sim_box_arrive(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, uint32_t to, uint32_t barrier)
{
	uint32_t size = sim_box_bytes(box);
	if (!place(w, i, lane, barrier, SIM_BARRIER_ASYNC))
		return false;
	if (w->cta->shadow) {
		sim_check_async_write(w, i, lane, to, size);
		return defer(w, (Bulk){.to = w->base + to, .size = size, .barrier = w->base + barrier, .by = i, .box = *box, .warp = w->index, .lane = lane});
	}
	sim_box_load(box, w->shared, to);
	complete(w->cta, w->base + barrier, size);
	return true;
}

/* to, from, bytes, barrier */
static bool copy(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *to = sim_operand(w, i, 0), *size = sim_operand(w, i, 2), *barrier = sim_operand(w, i, 3);
	const uint64_t *from = sim_operand(w, i, 1);
	EACH_LANE(lane, mask) {
		uint8_t *into = sim_shared(w, i, lane, to[lane], size[lane], 16);
		const uint8_t *source = into ? sim_global(w, i, lane, from[lane], size[lane], 16, false) : NULL;
		if (!source || !place(w, i, lane, barrier[lane], SIM_BARRIER_ASYNC))
			return false;
		if (size[lane] % 16)
			return sim_fault(w, i, (int)lane, DIAG_RUN_MISALIGNED, "bulk copy of %u bytes, which is no multiple of 16", size[lane]);
		if (!w->cta->shadow) {
			memcpy(into, source, size[lane]);
			complete(w->cta, w->base + barrier[lane], size[lane]);
			continue;
		}
		sim_check_async_write(w, i, lane, to[lane], size[lane]);
		if (w->cta->run->races) {
			sim_race_fenced(w, i, lane, source, size[lane]);
			sim_race_read(w, i, lane, source, size[lane], SIM_PLAIN);
		}
		if (!defer(w, (Bulk){.to = w->base + to[lane], .size = size[lane], .barrier = w->base + barrier[lane], .by = i, .from = source, .warp = w->index, .lane = lane}))
			return false;
	}
	return true;
}

EFFECT_OP(mbarrier_init, init, 0)
EFFECT_OP(mbarrier_inval, inval, 0)
EFFECT_OP(mbarrier_arrive, arrive, 0)
EFFECT_OP(mbarrier_arrive_there, arrive_there, 0)
EFFECT_OP(mbarrier_expect_tx, arrive, 1)
EFFECT_OP(mbarrier_test, test, 0)
EFFECT_OP(mbarrier_wait, wait, 0)

/* What comes is as defined as what is copied. */
static void define_copy(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	static const uint8_t none[16];
	const uint32_t *to = sim_operand(w, i, 0), *size = sim_operand(w, i, 2);
	const uint64_t *from = sim_operand(w, i, 1);
	bool global = sim_hollow_global(w->cta->run, w->cta);
	if (!done) {
		sim_use_all(w, i, mask, "what a copy is told");
		return;
	}
	EACH_LANE(lane, global || w->cta->hollow->in_shared ? mask : 0)
	{
		for (uint32_t at = 0; at < size[lane]; at += sizeof none) {
			const uint8_t *bits = global ? sim_hollow_at(w, from[lane] + at, sizeof none) : NULL;
			sim_hollow_put(w, to[lane] + at, bits ? bits : none, sizeof none,
				       SIM_ORIGIN(ORIGIN_MEMORY, i));
		}
	}
}
const SimMachine sim_machine_bulk_copy = {.effect = copy, .define = define_copy};
