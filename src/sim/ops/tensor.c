/* Copies of boxes by tensor maps, both ways.
 *
 * The map is ours (SimTensorMap), where a GPU has the driver's. A box lies in shared memory row by row, the fastest dim without
 * gaps; with a swizzle 16-byte parts of a row change places by the address: of 128 bytes bits 4-6 are XORed with 7-9, of 64 bits 4-5 with
 * 7-8, of 32 bit 4 with 7. A load completes on a barrier (mbarrier.c) by its whole bytes, those outside of the tensor too. A store
 * is of its thread's group, and made when it is issued; with checks when the thread waits for it, and what it reads must stay till
 * then. A box that does not begin at a multiple of 16 bytes of its rows ends a kernel on an H200 (illegal instruction). Source: PTX ISA 8.8, "Tensors", "cp.async.bulk.tensor"; CUDA Driver API, "Tensor Map Object Management". */
#include <stdlib.h>

#include "sim/check/define.h"
#include "sim/ops/async.h"
#include "sim/ops/machine.h"
#include "sim/ops/memory.h"
#include "target/tensor_map.h"

#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};
#define DECODE_OP(name, fn) const SimMachine sim_machine_##name = {.decode = fn};
#define DEFINE_OP(name, fn, definer) const SimMachine sim_machine_##name = {.decode = fn, .define = definer};

enum {
	MOST_READ = 256,
	READ_WAIT = 1 << 16,
	MOST_STEP = 8,
	REDUCE_SHIFT = 8,    /* in an instruction's imm: the reduction's MemoryOp + 1 */
	MULTICAST = 1 << 16, /* likewise: of a load */
};

static unsigned rank_of(const SimInstr *i)
{
	return (unsigned)i->imm & ((1u << REDUCE_SHIFT) - 1);
}

static unsigned reduction_of(const SimInstr *i)
{
	return (unsigned)(i->imm >> REDUCE_SHIFT & 0xff);
}

/* ---- what is allowed ---- */

static const char *wrong_map(const SimTensorMap *m)
{
	if (m->magic != SIM_TENSOR_MAP)
		return "it is none";
	if (!m->rank || m->rank > 5)
		return "its rank is not 1 to 5";
	if (m->element != 1 && m->element != 2 && m->element != 4 && m->element != 8)
		return "its elements have no 1, 2, 4 or 8 bytes";
	if (m->swizzle && m->swizzle != 32 && m->swizzle != 64 && m->swizzle != 128)
		return "its swizzle is not 32, 64 or 128 bytes";
	if (m->fill > 2 || (m->fill == 1 && m->element == 1) || (m->fill == 2 && m->element != 2))
		return "its filling is not known";
	if (m->address % 16)
		return "its address is no multiple of 16";
	for (unsigned d = 0; d < m->rank; d++) {
		if (!m->dims[d] || m->dims[d] > UINT64_C(1) << 32)
			return "a size is not 1 to 2^32";
		if (d && (m->strides[d - 1] % 16 || m->strides[d - 1] >= UINT64_C(1) << 40))
			return "a stride is no multiple of 16 below 2^40";
		if (!m->box[d] || m->box[d] > SIM_MOST_BOX)
			return "a side of its box is not 1 to 256";
		if (!m->steps[d] || m->steps[d] > MOST_STEP)
			return "an element stride is not 1 to 8";
	}
	if (m->box[0] * m->element % 16)
		return "rows of its box are no multiple of 16 bytes";
	if (m->swizzle && m->box[0] * m->element > m->swizzle)
		return "rows of its box are longer than its swizzle";
	return NULL;
}

static bool is_argument(const SimWarp *w, uint64_t map)
{
	const SimKernel *k = w->cta->run->kernel;
	const SimLaunch *l = w->cta->run->launch;
	for (size_t a = 0; a < k->arg_count && a < l->arg_count; a++)
		if (k->arg_maps[a] && l->args[a] == map)
			return true;
	return false;
}

static bool box_of(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t map, unsigned first, SimBox *box)
{
	if (map % 64)
		return sim_fault(w, i, (int)lane, DIAG_RUN_MISALIGNED, "a tensor map at 0x%llx, which is no multiple of 64", (unsigned long long)map);
	if (!is_argument(w, map) && !sim_global(w, i, lane, map, sizeof box->map, 64, false))
		return false;
	memcpy(&box->map, (const void *)(uintptr_t)map, sizeof box->map);
	const char *wrong = wrong_map(&box->map);
	if (wrong)
		return sim_fault(w, i, (int)lane, DIAG_RUN_ARGUMENT, "the tensor map: %s", wrong);
	if (box->map.rank != rank_of(i))
		return sim_fault(w, i, (int)lane, DIAG_RUN_ARGUMENT, "the tensor map: it has %u dims, the copy %u", box->map.rank, rank_of(i));
	box->reduction = (uint8_t)reduction_of(i);
	for (unsigned d = 0; d < box->map.rank; d++) {
		box->counts[d] = (box->map.box[d] + box->map.steps[d] - 1u) / box->map.steps[d];
		box->at[d] = ((const int32_t *)sim_operand(w, i, first + d))[lane];
	}
	if ((int64_t)box->at[0] * box->map.element % 16)
		return sim_fault(w, i, (int)lane, DIAG_RUN_MISALIGNED, "a box that begins at element %d of its rows, which is no multiple of 16 bytes",
				 box->at[0]);
	return true;
}

/* What an H200 asks of boxes that are written; those that are read may begin before the tensor. */
static bool begins_inside(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box)
{
	for (unsigned d = 0; d < box->map.rank; d++)
		if (box->at[d] < 0)
			return sim_fault(w, i, (int)lane, DIAG_RUN_ARGUMENT, "a box is written from index %d of dim %u on: TMA has none below 0",
					 box->at[d], d);
	return true;
}

/* Swizzles need what they permute whole; without one 16 bytes would do, and TMA wants 128. */
static uint8_t *place_of(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, const SimBox *box)
{
	return sim_shared(w, i, lane, offset, sim_box_bytes(box), 128);
}

/* ---- loads: to, map, coordinates, barrier, and where several CTAs get it a mask of these ---- */

/* To the same place in each CTA's memory, and to the barrier there. */
static bool load_to_all(SimWarp *w, const SimInstr *i, unsigned lane, const SimBox *box, uint32_t to,
			uint32_t barrier, unsigned ctas)
{
	unsigned have = w->cta->run->kernel->ctas;
	if (!ctas || ctas >> have)
		return sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS,
				 "a copy to the CTAs of mask 0x%x of a cluster of %u", ctas, have);
	for (unsigned rank = 0; rank < have; rank++) {
		if (!(ctas >> rank & 1))
			continue;
		SimPlace own = sim_go_to(w, rank);
		bool good = sim_box_arrive(w, i, lane, box, to, barrier);
		sim_come_back(w, own);
		if (!good)
			return false;
	}
	return true;
}

static bool load(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *to = sim_operand(w, i, 0), *barrier = sim_operand(w, i, rank_of(i) + 2);
	const uint64_t *map = sim_operand(w, i, 1);
	const uint16_t *ctas = i->imm & MULTICAST ? sim_operand(w, i, rank_of(i) + 3) : NULL;
	EACH_LANE(lane, mask) {
		SimBox box = {0};
		if (!box_of(w, i, lane, map[lane], 2, &box) || !place_of(w, i, lane, to[lane], &box) ||
		    !sim_box_look(w, i, lane, &box, false, 0))
			return false;
		if (ctas ? !load_to_all(w, i, lane, &box, to[lane], barrier[lane], ctas[lane])
			 : !sim_box_arrive(w, i, lane, &box, to[lane], barrier[lane]))
			return false;
	}
	return true;
}

/* What comes into shared memory is as defined as what is loaded; what is filled in is. */
static void define_box(SimWarp *w, const SimInstr *i, const SimBox *box, uint32_t to)
{
	bool global = sim_hollow_global(w->cta->run, w->cta);
	for (uint32_t n = 0, size = box->map.element; n < sim_box_bytes(box) / size; n++) {
		static const uint8_t none[8];
		uint64_t from;
		const uint8_t *bits =
			global && sim_box_element(box, n, false, &from) ? sim_hollow_at(w, from, size) : NULL;
		sim_hollow_put(w, sim_box_swizzled(to + n * size, box->map.swizzle), bits ? bits : none, size,
			       SIM_ORIGIN(ORIGIN_MEMORY, i));
	}
}

static void define_load(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint16_t *ctas = i->imm & MULTICAST ? sim_operand(w, i, rank_of(i) + 3) : NULL;
	const uint32_t *to = sim_operand(w, i, 0);
	const uint64_t *map = sim_operand(w, i, 1);
	bool global = sim_hollow_global(w->cta->run, w->cta);
	if (!done) {
		sim_use_all(w, i, mask, "what a copy of a box is told");
		return;
	}
	EACH_LANE(lane, global || w->cta->hollow->in_shared ? mask : 0)
	{
		SimBox box = {0};
		if (!box_of(w, i, lane, map[lane], 2, &box))
			return;
		for (unsigned rank = 0; ctas && rank < w->cta->run->kernel->ctas; rank++) {
			if (!(ctas[lane] >> rank & 1))
				continue;
			SimPlace own = sim_go_to(w, rank);
			define_box(w, i, &box, to[lane]);
			sim_come_back(w, own);
		}
		if (!ctas)
			define_box(w, i, &box, to[lane]);
	}
}

/* ---- stores: map, coordinates, from ---- */

/* Under way: with checks. */
typedef struct Store {
	SimBox box;
	uint32_t from, group;
	unsigned lane;
	bool read; /* and may not be written yet */
	const SimInstr *by;
} Store;

struct SimStores {
	Store *list; /* of a warp, oldest first */
	uint32_t count, cap;
	uint32_t group[SIM_LANES]; /* being filled */
};

static struct SimStores *stores_of(SimWarp *w)
{
	if (!w->stores && !(w->stores = heap_zeroed(sizeof *w->stores)))
		sim_no_memory(w->cta->run);
	return w->stores;
}

static bool keep(SimWarp *w, Store store)
{
	struct SimStores *s = stores_of(w);
	if (!s)
		return false;
	if (s->count == s->cap) {
		uint32_t cap = MAX(2 * s->cap, 8u);
		Store *grown = heap_grow(s->list, sizeof *grown * cap);
		if (!grown)
			return sim_no_memory(w->cta->run);
		s->list = grown;
		s->cap = cap;
	}
	store.group = s->group[store.lane];
	s->list[s->count++] = store;
	return true;
}

static bool store(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *from = sim_operand(w, i, rank_of(i) + 1);
	const uint64_t *map = sim_operand(w, i, 0);
	EACH_LANE(lane, mask) {
		SimBox box = {0};
		if (!box_of(w, i, lane, map[lane], 1, &box) || !begins_inside(w, i, lane, &box) ||
		    !place_of(w, i, lane, from[lane], &box) ||
		    !sim_box_look(w, i, lane, &box, true, from[lane]))
			return false;
		for (unsigned d = 0; d < box.map.rank; d++)
			if (box.map.steps[d] != 1)
				return sim_fault(w, i, (int)lane, DIAG_RUN_UNSUPPORTED, "a store by a tensor map with element strides");
		if (!w->cta->shadow) {
			sim_box_store(&box, w->shared, from[lane]);
			continue;
		}
		sim_check_async_read(w, i, lane, from[lane], sim_box_bytes(&box));
		if (!keep(w, (Store){.box = box, .from = from[lane], .lane = lane, .by = i}))
			return false;
	}
	return true;
}

static void define_store(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint32_t *from = sim_operand(w, i, rank_of(i) + 1);
	const uint64_t *map = sim_operand(w, i, 0);
	if (!done) {
		sim_use_all(w, i, mask, "what a copy of a box is told");
		return;
	}
	EACH_LANE(lane, sim_hollow_global(w->cta->run, w->cta) || w->cta->hollow->in_shared ? mask : 0)
	{
		SimBox box = {0};
		if (!box_of(w, i, lane, map[lane], 1, &box))
			return;
		for (uint32_t n = 0, size = box.map.element; n < sim_box_bytes(&box) / size; n++) {
			uint64_t to;
			if (!sim_box_element(&box, n, true, &to))
				continue;
			sim_use_shared(w, i, lane, sim_box_swizzled(from[lane] + n * size, box.map.swizzle), size,
				       "what is stored");
			uint8_t *bits = sim_hollow_at(w, to, size);
			if (bits && i->imm >> REDUCE_SHIFT && bits[0])
				sim_finding(w->cta->run, sim_party(w, i, lane, 0), NULL, DIAG_SIM_UNDEFINED,
					    "what a reduction of a box changes; nothing has written it");
			if (bits)
				memset(bits, 0, size);
		}
	}
}

static void finish(SimWarp *w, Store *s, bool written)
{
	if (!s->read) {
		sim_box_store(&s->box, w->shared, s->from);
		sim_check_async_done(w, s->from, sim_box_bytes(&s->box));
		w->cta->changed = true;
	}
	if (written)
		sim_box_written(w, s->by, s->lane, &s->box, true);
	s->read = true;
}

static bool commit(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)i;
	if (!w->cta->shadow)
		return true;
	if (!stores_of(w))
		return false;
	EACH_LANE(lane, mask)
		w->stores->group[lane]++;
	return true;
}

/* Too many that nobody waits for until they are written: the oldest are taken to be. */
static uint32_t forget(SimWarp *w, uint32_t count)
{
	struct SimStores *s = w->stores;
	for (uint32_t k = 0; k < count; k++)
		sim_box_written(w, s->list[k].by, s->list[k].lane, &s->list[k].box, false);
	memmove(s->list, s->list + count, sizeof *s->list * (s->count - count));
	return s->count - count;
}

/* Stores are made when they have been waited for in either way. imm: pending, and whether until they
 * are read alone. */
static bool wait(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	struct SimStores *s = w->stores;
	uint32_t kept = 0, pending = (uint32_t)i->imm & (READ_WAIT - 1);
	bool written = !(i->imm & READ_WAIT);
	for (uint32_t k = 0; s && k < s->count; k++) {
		Store *one = &s->list[k];
		uint32_t filled = s->group[one->lane];
		bool done = mask >> one->lane & 1 && one->group < filled && filled - one->group > pending;
		if (done && (written || !one->read))
			finish(w, one, written);
		if (!done || !written)
			s->list[kept++] = *one;
	}
	if (s)
		s->count = kept;
	if (s && kept > MOST_READ && s->list[kept - MOST_READ].read)
		s->count = forget(w, kept - MOST_READ);
	return true;
}

void sim_stores_end(SimWarp *w)
{
	if (w->fragment_count) /* ended by a fault */
		return;
	for (uint32_t k = 0; w->stores && k < w->stores->count; k++) {
		Store *one = &w->stores->list[k];
		if (one->read)
			continue;
		sim_finding(w->cta->run, sim_party(w, one->by, one->lane, 0), NULL, DIAG_SIM_WAIT,
			    "the program ends while the store of byte %u of shared memory is under way: its thread has not waited for it", one->from);
		finish(w, one, false);
	}
	if (w->stores)
		w->stores->count = 0;
}

void sim_stores_free(SimWarp *w)
{
	if (w->stores)
		free(w->stores->list);
	free(w->stores);
	w->stores = NULL;
}

/* ---- decoding ---- */

static bool decode_copy(SimDecoder *d, LLVMValueRef call, const char *suffix, SimEffect *effect, unsigned besides)
{
	unsigned rank = suffix && suffix[0] >= '1' && suffix[0] <= '5' && strcmp(suffix + 1, "d") == 0 ? (unsigned)(suffix[0] - '0') : 0;
	if (!rank || LLVMGetNumArgOperands(call) != rank + besides)
		return sim_refuse(d, "a copy of a box written '%s'", suffix ? suffix : "");
	return machine_effect(d, call, effect, rank) != NULL;
}

static bool decode_load(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	unsigned rank = suffix && suffix[0] >= '1' && suffix[0] <= '5' ? (unsigned)(suffix[0] - '0') : 0;
	if (rank && strcmp(suffix + 1, "d.multicast") == 0 && LLVMGetNumArgOperands(call) == rank + 4)
		return machine_effect(d, call, load, rank | MULTICAST) != NULL;
	return decode_copy(d, call, suffix, load, 3);
}

static bool decode_store(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	return decode_copy(d, call, suffix, store, 2);
}

/* "2d.add" */
static bool decode_reduce(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	static const struct {
		const char *word;
		MemoryOp op;
	} kinds[] = {{".add", MEMORY_ADD}, {".min", MEMORY_MIN}, {".max", MEMORY_MAX}, {".and", MEMORY_AND}, {".or", MEMORY_OR}, {".xor", MEMORY_XOR}};
	unsigned rank = suffix && suffix[0] >= '1' && suffix[0] <= '5' && suffix[1] == 'd' ? (unsigned)(suffix[0] - '0') : 0;
	for (size_t k = 0; rank && LLVMGetNumArgOperands(call) == rank + 2 && k < ARRAY_LEN(kinds); k++)
		if (strcmp(suffix + 2, kinds[k].word) == 0)
			return machine_effect(d, call, store, rank | ((unsigned)kinds[k].op + 1) << REDUCE_SHIFT) != NULL;
	return sim_refuse(d, "a reduction of a box written '%s'", suffix ? suffix : "");
}

static bool decode_wait(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	bool read = suffix && strncmp(suffix, "read.", 5) == 0;
	const char *number = read ? suffix + 5 : suffix;
	return machine_effect(d, call, wait, (number ? strtoul(number, NULL, 10) : 0) | (read ? READ_WAIT : 0)) != NULL;
}

static bool prefetch(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)w;
	(void)i;
	(void)mask;
	return true;
}
DEFINE_OP(tensor_load, decode_load, define_load)
DEFINE_OP(tensor_store, decode_store, define_store)
DEFINE_OP(tensor_reduce, decode_reduce, define_store)
DECODE_OP(bulk_wait, decode_wait)
EFFECT_OP(bulk_commit, commit, 0)
EFFECT_OP(tensor_prefetch, prefetch, 0)
