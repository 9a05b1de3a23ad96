/* Definedness of memory, and of what moves to and from it (define.h).
 *
 * A CTA's shared memory begins as defined: that nothing has written it is check.c's to say, byte
 * by byte. A thread's own memory, a program's scratch and the arrays that the launch says
 * nothing has written begin as not defined. What is stored in global memory must be defined;
 * that is a finding, and it counts as defined from then on. */
#include <stdlib.h>

#include "sim/check/define.h"

enum { WORD = 4 };

static uint32_t shared_bytes(const SimKernel *k)
{
	return k->shared_pitch * k->ctas;
}

static size_t scratch_bytes(const SimRun *run)
{
	return run->scratch_bytes ? sim_scratch_pitch(run) * run->kernel->ctas : 0;
}

static size_t local_bytes(const SimKernel *k)
{
	return (size_t)k->local * SIM_LANES * k->warps;
}

SimHollow *sim_hollow_new(const SimRun *run)
{
	SimHollow *h = heap_zeroed(sizeof *h);
	size_t scratch = scratch_bytes(run), local = local_bytes(run->kernel);
	if (!h)
		return NULL;
	h->scratch = scratch ? heap_grow(NULL, scratch) : NULL;
	h->local = local ? heap_grow(NULL, local) : NULL;
	if ((h->scratch || !scratch) && (h->local || !local))
		return h;
	sim_hollow_free(h);
	return NULL;
}

void sim_hollow_free(SimHollow *h)
{
	if (!h)
		return;
	free(h->shared);
	free(h->origin);
	free(h->scratch);
	free(h->local);
	free(h);
}

void sim_hollow_start(SimCta *cta)
{
	SimHollow *h = cta->hollow;
	if (h->shared)
		memset(h->shared, 0, shared_bytes(cta->run->kernel));
	h->in_shared = false;
	if (h->scratch)
		memset(h->scratch, 0xff, scratch_bytes(cta->run));
	if (h->local)
		memset(h->local, 0xff, local_bytes(cta->run->kernel));
}

bool sim_hollow_buffers(SimRun *run)
{
	bool good = true;
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		SimArray *b = &run->buffers[k];
		b->hollow = b->unwritten && b->size ? heap_grow(NULL, b->size) : NULL;
		if (b->hollow)
			memset(b->hollow, 0xff, b->size);
		good &= b->hollow || !b->unwritten || !b->size;
	}
	return good;
}

void sim_hollow_buffers_free(SimRun *run)
{
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		free(run->buffers[k].hollow);
		run->buffers[k].hollow = NULL;
	}
}

bool sim_hollow_global(const SimRun *run, const SimCta *cta)
{
	for (uint32_t k = 0; k < run->buffer_count; k++)
		if (run->buffers[k].hollow)
			return true;
	return cta->hollow->scratch || cta->hollow->local;
}

static bool inside(uint64_t base, uint64_t size, uint64_t address, uint64_t bytes)
{
	return address >= base && address - base <= size && bytes <= size - (address - base);
}

uint8_t *sim_hollow_at(SimWarp *w, uint64_t address, uint32_t size)
{
	const SimRun *run = w->cta->run;
	SimHollow *h = w->cta->hollow;
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		const SimArray *b = &run->buffers[k];
		if (inside(b->base, b->size, address, size))
			return b->hollow ? b->hollow + (address - b->base) : NULL;
	}
	uint64_t local = (uint64_t)run->kernel->local * SIM_LANES, own = (uint64_t)(uintptr_t)w->local;
	if (h->local && inside(own, local, address, size))
		return h->local + w->index * local + (address - own);
	uint64_t scratch = (uint64_t)(uintptr_t)w->cta->scratch;
	if (h->scratch && inside(scratch, scratch_bytes(run), address, size))
		return h->scratch + (address - scratch);
	return NULL;
}

static bool is_buffer(const SimRun *run, uint64_t address)
{
	for (uint32_t k = 0; k < run->buffer_count; k++)
		if (inside(run->buffers[k].base, run->buffers[k].size, address, 1))
			return true;
	return false;
}

uint8_t *sim_hollow_shared(SimWarp *w, uint32_t offset, bool write)
{
	SimHollow *h = w->cta->hollow;
	uint32_t bytes = shared_bytes(w->cta->run->kernel);
	if (!h->in_shared && !write)
		return NULL;
	if (!h->shared) {
		h->shared = heap_zeroed(bytes);
		h->origin = heap_zeroed(sizeof *h->origin * (bytes / WORD + 1));
	}
	if (!h->shared || !h->origin) {
		sim_no_memory(w->cta->run);
		return NULL;
	}
	return h->shared + w->base + offset;
}

/* ---- parts of a lane ---- */

/* `size`: there are none. */
static uint32_t first_of(const uint8_t *bits, uint32_t size)
{
	uint32_t k = 0;
	while (k < size && !bits[k])
		k++;
	return k;
}

static bool any(const uint8_t *bits, uint32_t size)
{
	return first_of(bits, size) < size;
}

/* Bits of memory to a lane's results: in slots a part takes i->size, as memory_to_slots has it. */
static void to_results(SimWarp *w, const SimInstr *i, unsigned lane, const uint8_t *bits, uint32_t origin)
{
	for (unsigned p = 0; p < i->parts; p++) {
		uint8_t part[SIM_SLOT] = {0};
		memcpy(part + lane * i->size, bits + p * i->bytes, i->bytes);
		sim_put_undefined(w, i->slots[p], i->size, UINT32_C(1) << lane, part, origin);
	}
}

/* Of a lane's operands from the first one on, as they go to memory. False: all are defined. */
static bool from_operands(SimWarp *w, const SimInstr *i, unsigned first, unsigned lane, uint8_t *bits,
			  uint32_t *origin)
{
	bool found = false;
	for (unsigned p = 0; p < i->parts; p++) {
		uint32_t slot = i->slots[i->results + first + p];
		memset(bits + p * i->bytes, 0, i->bytes);
		if (!(w->defined->lanes[slot] >> lane & 1))
			continue;
		memcpy(bits + p * i->bytes, sim_undefined_bits(w, slot, i->size) + lane * i->size, i->bytes);
		*origin = w->defined->origin[slot];
		found = true;
	}
	return found && any(bits, (uint32_t)i->parts * i->bytes);
}

/* Lanes whose access is done; the rest of `mask` is masked off. */
static uint32_t lanes_of(const SimWarp *w, const SimInstr *i, uint32_t mask)
{
	uint32_t out = 0;
	if (!i->condition)
		return mask;
	const uint8_t *condition = sim_operand(w, i, i->condition - 1u);
	EACH_LANE(lane, mask)
	out |= (uint32_t)(condition[lane] & 1) << lane;
	return out;
}

/* Its mask, and its address where that is true. */
static uint32_t use_place(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	if (i->condition)
		sim_use(w, i, i->condition - 1u, mask, "the mask of an access");
	uint32_t lanes = lanes_of(w, i, mask);
	sim_use(w, i, 0, lanes, "an address");
	return lanes;
}

/* ---- global memory ---- */

/* Lanes that are masked off take the last words of an access. */
static void put_given(SimWarp *w, const SimInstr *i, unsigned result, uint32_t lanes)
{
	uint32_t from = i->slots[(uint32_t)i->results + i->operands - i->parts + result % i->parts];
	sim_put_undefined(w, i->slots[result], i->size, lanes, sim_undefined_bits(w, from, i->size),
			  w->defined->origin[from]);
}

void sim_define_load(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint64_t *address = sim_operand(w, i, 0);
	uint32_t lanes = lanes_of(w, i, mask), size = (uint32_t)i->bytes * i->parts;
	if (!done) {
		use_place(w, i, mask);
		return;
	}
	for (unsigned k = 0; k < i->results; k++) {
		w->defined->lanes[i->slots[k]] &= ~mask;
		if (i->given) {
			put_given(w, i, k, mask & ~lanes);
			continue;
		}
		sim_set_undefined(w, i->slots[k], i->size, i->clears ? 0 : mask & ~lanes,
				  SIM_ORIGIN(ORIGIN_MASK, i));
	}
	if (!sim_hollow_global(w->cta->run, w->cta))
		return;
	EACH_LANE(lane, lanes)
	{
		const uint8_t *bits = sim_hollow_at(w, address[lane], size);
		if (bits && any(bits, size))
			to_results(w, i, lane, bits, SIM_ORIGIN(ORIGIN_MEMORY, i));
	}
}

/* What goes to a thread's own memory, or to the scratch, may be anything. */
static void store_lane(SimWarp *w, const SimInstr *i, unsigned first, unsigned lane, uint64_t address)
{
	uint8_t bits[256];
	uint32_t origin = 0, size = (uint32_t)i->bytes * i->parts;
	bool mixed = from_operands(w, i, first, lane, bits, &origin);
	uint8_t *memory = sim_hollow_at(w, address, size);
	if (mixed && is_buffer(w->cta->run, address)) {
		for (unsigned p = 0; p < i->parts; p++)
			sim_use(w, i, first + p, UINT32_C(1) << lane, "what is stored");
		mixed = false;
	}
	if (memory && mixed)
		memcpy(memory, bits, size);
	else if (memory)
		memset(memory, 0, size);
}

/* Operands before the words are the address, the condition and a cache policy: the words are the
 * last ones. */
void sim_define_store(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint64_t *address = sim_operand(w, i, 0);
	unsigned first = (uint32_t)i->operands - i->parts;
	if (done)
		return;
	uint32_t lanes = use_place(w, i, mask), mixed = 0;
	for (unsigned p = 0; p < i->parts; p++)
		mixed |= w->defined->lanes[i->slots[i->results + first + p]];
	if (!sim_hollow_global(w->cta->run, w->cta))
		lanes &= mixed;
	EACH_LANE(lane, lanes)
	store_lane(w, i, first, lane, address[lane]);
}

/* Old words are what memory holds, which must be defined as what it becomes must be; lanes that
 * are masked off take others. */
void sim_define_atomic(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	uint32_t lanes = lanes_of(w, i, mask);
	const uint64_t *address = sim_operand(w, i, 0);
	if (done) {
		sim_define_nothing(w, i, mask, true);
		for (unsigned k = 0; k < i->results && i->condition && mask != lanes; k++)
			put_given(w, i, k, mask & ~lanes);
		return;
	}
	use_place(w, i, mask);
	/* The last words are those for lanes that are masked off, where there are results and a
	 * condition. */
	unsigned words = i->operands;
	if (i->results && i->condition)
		words -= i->parts;
	for (unsigned k = 1; k < words; k++)
		if (k + 1 != i->condition)
			sim_use(w, i, k, lanes, "what an atomic operation stores");
	if ((i->imm >> 16) || !sim_hollow_global(w->cta->run, w->cta))
		return; /* of shared memory */
	EACH_LANE(lane, lanes)
	{
		uint8_t *bits = sim_hollow_at(w, address[lane], i->align);
		if (!bits || !any(bits, i->align))
			continue;
		sim_finding(w->cta->run, sim_party(w, i, lane, 0), NULL, DIAG_SIM_UNDEFINED,
			    "what an atomic operation changes; nothing has written it");
		memset(bits, 0, i->align);
	}
}

/* ---- shared memory ---- */

static uint32_t origin_at(const SimWarp *w, uint32_t offset)
{
	return w->cta->hollow->origin[(w->base + offset) / WORD];
}

void sim_define_load_shared(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint32_t *address = sim_operand(w, i, 0);
	uint32_t size = (uint32_t)i->bytes * i->parts;
	if (!done) {
		sim_use(w, i, 0, mask, "an address");
		return;
	}
	sim_define_nothing(w, i, mask, true);
	if (!w->cta->hollow->in_shared)
		return;
	EACH_LANE(lane, mask)
	{
		const uint8_t *bits = sim_hollow_shared(w, address[lane], false);
		if (bits && any(bits, size))
			to_results(w, i, lane, bits, origin_at(w, address[lane] + first_of(bits, size)));
	}
}

void sim_define_store_shared(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint32_t *address = sim_operand(w, i, 0);
	uint32_t size = (uint32_t)i->bytes * i->parts, origin = 0;
	uint8_t bits[256];
	if (!done) {
		sim_use(w, i, 0, mask, "an address");
		return;
	}
	EACH_LANE(lane, mask)
	{
		bool mixed = from_operands(w, i, 1, lane, bits, &origin);
		uint8_t *memory =
			mixed || w->cta->hollow->in_shared ? sim_hollow_shared(w, address[lane], true) : NULL;
		if (memory)
			sim_hollow_put(w, address[lane], bits, size, origin);
	}
}

void sim_hollow_put(SimWarp *w, uint32_t offset, const uint8_t *bits, uint32_t size, uint32_t origin)
{
	uint8_t *memory = sim_hollow_shared(w, offset, true);
	if (!memory)
		return;
	memcpy(memory, bits, size);
	if (!any(bits, size))
		return;
	for (unsigned n = 0; !w->cta->hollow->in_shared && n < w->cta->run->kernel->warps; n++)
		w->cta->warps[n].defined->live = true;
	w->cta->hollow->in_shared = true;
	for (uint32_t at = (w->base + offset) / WORD; at <= (w->base + offset + size - 1) / WORD; at++)
		w->cta->hollow->origin[at] = origin;
}

void sim_use_shared(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size,
		    const char *what)
{
	uint8_t *bits = sim_hollow_shared(w, offset, false);
	if (!bits || !any(bits, size))
		return;
	sim_use_origin(w, i, UINT32_C(1) << lane, origin_at(w, offset + first_of(bits, size)), what);
	memset(bits, 0, size);
}

/* To, from, whether, bytes that are read: the rest is 0. */
void sim_define_copy(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint32_t *to = sim_operand(w, i, 0), *read = sim_operand(w, i, 3);
	const uint64_t *from = sim_operand(w, i, 1);
	uint32_t size = (uint32_t)i->imm, lanes = lanes_of(w, i, mask);
	if (!done) {
		use_place(w, i, mask);
		sim_use(w, i, 3, lanes, "the size of a copy");
		EACH_LANE(reads, lanes)
		if (read[reads])
			sim_use(w, i, 1, UINT32_C(1) << reads, "an address");
		return;
	}
	bool global = sim_hollow_global(w->cta->run, w->cta);
	if (!global && !w->cta->hollow->in_shared)
		return;
	EACH_LANE(lane, lanes)
	{
		uint8_t bits[16] = {0};
		uint32_t bytes = MIN(read[lane], size);
		const uint8_t *source = global && bytes ? sim_hollow_at(w, from[lane], bytes) : NULL;
		if (source)
			memcpy(bits, source, bytes);
		if (any(bits, size) || w->cta->hollow->in_shared)
			sim_hollow_put(w, to[lane], bits, size, SIM_ORIGIN(ORIGIN_MEMORY, i));
	}
}

/* ---- effects that move bits ---- */

/* Done again in a world in which registers are the bits. */
void sim_define_moves(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	SimDefined *d = w->defined;
	uint32_t mixed = 0, origin = 0;
	if (!done)
		return;
	for (unsigned k = 0; k < i->operands; k++) {
		uint32_t slot = i->slots[i->results + k];
		origin = d->lanes[slot] & mask && !mixed ? d->origin[slot] : origin;
		mixed |= d->lanes[slot] & mask;
	}
	sim_define_nothing(w, i, mask, true);
	if (!mixed)
		return;
	uint8_t *registers = w->regs;
	for (unsigned k = 0; k < i->operands; k++) {
		uint32_t slot = i->slots[i->results + k];
		if (!d->lanes[slot])
			memset(d->bits + (size_t)slot * SIM_SLOT, 0, SIM_SLOT);
		else
			sim_undefined_bits(w, slot, i->from);
	}
	w->regs = d->bits;
	i->effect(w, i, mask);
	w->regs = registers;
	for (unsigned k = 0; k < i->results; k++)
		sim_put_undefined(w, i->slots[k], i->lane_bytes, mask,
				  d->bits + (size_t)i->slots[k] * SIM_SLOT, origin);
}
