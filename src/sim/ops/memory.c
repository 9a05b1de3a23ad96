/* Memory: who may touch what, loads and stores, atomic operations.
 *
 * Global memory is the host's. Each access is held against the launch's buffers before it is made; what a kernel has itself
 * (its constant data, a thread's own memory, its scratch) is allowed as well. Atomics are atomic among host threads. */
#include "sim/ops/memory.h"

#include "sim/check/promised.h"
#include "sim/half.h"
#include "sim/ops.h"

/* ---- what is allowed ---- */

static bool inside(uint64_t base, uint64_t size, uint64_t address, uint64_t bytes)
{
	return address >= base && address - base <= size && bytes <= size - (address - base);
}

static bool is_own(const SimWarp *w, uint64_t address, uint32_t size, bool write)
{
	const SimKernel *k = w->cta->run->kernel;
	if (k->local && inside((uint64_t)(uintptr_t)w->local, (uint64_t)k->local * SIM_LANES, address, size))
		return true;
	if (w->cta->scratch && inside((uint64_t)(uintptr_t)w->cta->scratch, ((uint64_t)w->cta->run->scratch_bytes + 255) / 128 * 128 * k->ctas, address, size))
		return true;
	for (uint32_t i = 0; i < k->text_count && !write; i++)
		if (inside(k->texts[i].base, k->texts[i].size, address, size))
			return true;
	return false;
}

/* Bytes between the access and the buffer. */
static uint64_t distance(const SimArray *b, uint64_t address, uint64_t size)
{
	if (address >= b->base + b->size)
		return address - (b->base + b->size);
	return address + size <= b->base ? b->base - (address + size) : 0;
}

/* By where the address comes from. */
static inline bool may_access(const SimRun *run, const SimInstr *i, unsigned buffer)
{
	return !i->arguments || !run->allowed || run->allowed[i->site - 1] >> sim_buffer_bit(buffer) & 1;
}

static void *refuse(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t address, uint32_t size, bool write)
{
	const SimRun *run = w->cta->run;
	const SimArray *near = NULL;
	const char *verb = write ? "store" : "load";
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		const SimArray *b = &run->buffers[k];
		if (!may_access(run, i, k))
			continue;
		if (!near || distance(b, address, size) < distance(near, address, size))
			near = b;
		if (!inside(b->base, b->size, address, size))
			continue;
		sim_fault_at(w, i, lane, 0, DIAG_RUN_READ_ONLY, "%s of %u bytes at 0x%llx: '%s' is read-only", verb, size,
			  (unsigned long long)address, b->name);
		return NULL;
	}
	uint64_t end = near ? near->base + near->size : 0;
	uint32_t outside = address < end ? (uint32_t)(end - address) : 0; /* the first byte that is */
	if (!near)
		sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS, "%s of %u bytes at 0x%llx: no buffer was declared", verb, size,
			  (unsigned long long)address);
	else if (address < near->base)
		sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS, "%s of %u bytes at 0x%llx: %llu bytes before the start of '%s' (%llu bytes)",
			  verb, size, (unsigned long long)address, (unsigned long long)(near->base - address), near->name,
			  (unsigned long long)near->size);
	else
		sim_fault_at(w, i, lane, outside, DIAG_RUN_OUT_OF_BOUNDS, "%s of %u bytes at 0x%llx: it passes the end of '%s' (%llu bytes) by %llu bytes",
			  verb, size, (unsigned long long)address, near->name, (unsigned long long)near->size,
			  (unsigned long long)(address + size - near->base - near->size));
	return NULL;
}

void *sim_global(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t address, uint32_t size, uint32_t align, bool write)
{
	SimCta *cta = w->cta;
	const SimRun *run = cta->run;
	if (UNLIKELY(address & (align - 1))) {
		sim_fault(w, i, (int)lane, DIAG_RUN_MISALIGNED, "%s of %u bytes at 0x%llx, which is no multiple of %u",
			  write ? "store" : "load", size, (unsigned long long)address, align);
		return NULL;
	}
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		unsigned at = cta->hint + k < run->buffer_count ? cta->hint + k : cta->hint + k - run->buffer_count;
		const SimArray *b = &run->buffers[at];
		if (inside(b->base, b->size, address, size) && (b->writable || !write) &&
		    may_access(run, i, at)) {
			cta->hint = at;
			return (void *)(uintptr_t)address;
		}
	}
	if (is_own(w, address, size, write))
		return (void *)(uintptr_t)address;
	return refuse(w, i, lane, address, size, write);
}

void *sim_shared(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size, uint32_t align)
{
	const SimKernel *k = w->cta->run->kernel;
	if (UNLIKELY(offset & (align - 1))) {
		sim_fault(w, i, (int)lane, DIAG_RUN_MISALIGNED, "access of %u bytes at %u of shared memory, which is no multiple of %u",
			  size, offset, align);
		return NULL;
	}
	if (UNLIKELY(offset > k->shared || size > k->shared - offset)) {
		sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS, "access of %u bytes at %u of the %u bytes of shared memory", size,
			  offset, k->shared);
		return NULL;
	}
	if (UNLIKELY(i->buffer_end && (offset < i->buffer || offset + size > i->buffer_end))) {
		sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS,
			  "access of %u bytes at %u of shared memory: its buffer is bytes %u to %u", size,
			  offset, i->buffer, i->buffer_end - 1);
		return NULL;
	}
	return w->shared + offset;
}

/* ---- lanes ---- */

static inline void put_lane(void *slot, unsigned lane, unsigned bytes, const void *from)
{
	switch (bytes) {
	case 1: ((uint8_t *)slot)[lane] = *(const uint8_t *)from; break;
	case 2: memcpy((uint8_t *)slot + lane * 2, from, 2); break;
	case 4: memcpy((uint8_t *)slot + lane * 4, from, 4); break;
	default: memcpy((uint8_t *)slot + lane * 8, from, 8);
	}
}

static inline void get_lane(void *to, const void *slot, unsigned lane, unsigned bytes)
{
	switch (bytes) {
	case 1: *(uint8_t *)to = ((const uint8_t *)slot)[lane]; break;
	case 2: memcpy(to, (const uint8_t *)slot + lane * 2, 2); break;
	case 4: memcpy(to, (const uint8_t *)slot + lane * 4, 4); break;
	default: memcpy(to, (const uint8_t *)slot + lane * 8, 8);
	}
}

void memory_to_slots(SimWarp *w, const SimInstr *i, unsigned lane, const uint8_t *from)
{
	for (unsigned p = 0; p < i->parts; p++) {
		uint16_t wide = from[p];
		if (i->size != i->bytes)
			put_lane(sim_result(w, i, p), lane, 2, &wide);
		else
			put_lane(sim_result(w, i, p), lane, i->bytes, from + p * i->bytes);
	}
}

void memory_from_slots(SimWarp *w, const SimInstr *i, unsigned first, unsigned lane, uint8_t *to)
{
	for (unsigned p = 0; p < i->parts; p++) {
		if (i->size != i->bytes)
			to[p] = ((const uint8_t *)sim_operand(w, i, first + p))[2 * lane];
		else
			get_lane(to + p * i->bytes, sim_operand(w, i, first + p), lane, i->bytes);
	}
}

static void note_told(SimCta *cta, const SimInstr *i, const void *at)
{
	SimTold *t = &cta->told;
	uint64_t address = (uint64_t)(uintptr_t)at;
	t->waits = false;
	for (unsigned k = 0; k < SIM_TOLD; k++)
		t->waits |= t->site[k] == i->site && t->at[k] == address;
	t->site[t->count % SIM_TOLD] = i->site;
	t->at[t->count++ % SIM_TOLD] = address;
}

void memory_note_read(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size)
{
	if (w->cta->run->races)
		sim_race_read(w, i, lane, at, size, (SimOrder)i->order);
	if (UNLIKELY(w->cta->run->promised != NULL))
		sim_promised_access(w, i, lane, (uint64_t)(uintptr_t)at, size, false);
	if (i->order != SIM_PLAIN)
		note_told(w->cta, i, at);
	w->cta->read_loc = i->loc;
	w->cta->read_at = (uint64_t)(uintptr_t)at;
}

void memory_put(SimWarp *w, const SimInstr *i, unsigned first, unsigned lane, uint8_t *to, uint32_t size)
{
	uint8_t value[1024]; /* SimShape: 128 parts of 8 bytes */
	if (LIKELY(!w->cta->careful)) {
		memory_from_slots(w, i, first, lane, to);
		return;
	}
	memory_from_slots(w, i, first, lane, value);
	if (w->cta->run->races)
		sim_race_write(w, i, lane, to, size, value);
	if (UNLIKELY(w->cta->run->promised != NULL))
		sim_promised_access(w, i, lane, (uint64_t)(uintptr_t)to, size, true);
	w->cta->changed |= memcmp(to, value, size) != 0;
	memcpy(to, value, size);
}

/* ---- LLVM's loads and stores ---- */

bool sim_load(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint64_t *address = sim_operand(w, i, 0);
	uint32_t size = (uint32_t)i->bytes * i->parts;
	w->spin.loaded += mask ? address[__builtin_ctz(mask)] * 3 + mask : 0;
	EACH_LANE(lane, mask) {
		const uint8_t *from = sim_global(w, i, lane, address[lane], size, i->align, false);
		if (!from)
			return false;
		if (UNLIKELY(w->cta->careful))
			memory_note_read(w, i, lane, from, size);
		memory_to_slots(w, i, lane, from);
	}
	return true;
}

bool sim_store(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint64_t *address = sim_operand(w, i, 0);
	uint32_t size = (uint32_t)i->bytes * i->parts;
	EACH_LANE(lane, mask) {
		uint8_t *to = sim_global(w, i, lane, address[lane], size, i->align, true);
		if (!to)
			return false;
		memory_put(w, i, 1, lane, to, size);
	}
	return true;
}

bool sim_load_shared(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *address = sim_operand(w, i, 0);
	uint32_t size = (uint32_t)i->bytes * i->parts;
	if (sim_counts_banks(w, i))
		sim_count_banks(w, i, mask, address, size);
	EACH_LANE(lane, mask) {
		const uint8_t *from = sim_shared(w, i, lane, address[lane], size, i->align);
		if (!from)
			return false;
		if (w->cta->shadow)
			sim_check_read(w, i, lane, address[lane], size);
		memory_to_slots(w, i, lane, from);
	}
	return true;
}

bool sim_store_shared(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *address = sim_operand(w, i, 0);
	uint32_t size = (uint32_t)i->bytes * i->parts;
	if (sim_counts_banks(w, i))
		sim_count_banks(w, i, mask, address, size);
	EACH_LANE(lane, mask) {
		uint8_t *to = sim_shared(w, i, lane, address[lane], size, i->align);
		if (!to)
			return false;
		if (w->cta->shadow)
			sim_check_write(w, i, lane, address[lane], size);
		memory_from_slots(w, i, 1, lane, to);
	}
	return true;
}

/* ---- atomic operations ---- */

static double to_real(MemoryType type, uint64_t bits)
{
	double x;
	switch (type) {
	case MEMORY_F16: return (double)half_from_f16((uint16_t)bits);
	case MEMORY_BF16: return (double)half_from_bf16((uint16_t)bits);
	case MEMORY_F32:
	case MEMORY_F32_KEPT: return (double)half_float((uint32_t)bits);
	default: memcpy(&x, &bits, 8); return x;
	}
}

/* Sums of fp32 are those in global memory, where subnormal numbers count as zeros and are none of
 * the results (PTX ISA 8.8, "atom", "red"). */
static uint64_t real_sum(MemoryType type, uint64_t a, uint64_t b)
{
	uint64_t out;
	double sum;
	switch (type) {
	case MEMORY_F16: return half_to_f16(half_from_f16((uint16_t)a) + half_from_f16((uint16_t)b));
	case MEMORY_BF16: return half_to_bf16(half_from_bf16((uint16_t)a) + half_from_bf16((uint16_t)b));
	case MEMORY_F32:
		sum = half_flush(half_float((uint32_t)a)) + half_flush(half_float((uint32_t)b));
		return half_bits(half_flush((float)sum));
	case MEMORY_F32_KEPT: return half_bits(half_float((uint32_t)a) + half_float((uint32_t)b));
	default:
		sum = to_real(type, a) + to_real(type, b);
		memcpy(&out, &sum, 8);
		return out;
	}
}

/* Of two that may be NaN, as which the other one is taken; -0 is below 0. */
static bool is_less(double a, double b)
{
	return a < b || b != b || (a == b && signbit(a) > signbit(b));
}

/* What is written where `old` was. */
static uint64_t updated(MemoryOp op, MemoryType type, unsigned bits, uint64_t old, uint64_t v)
{
	bool real = type >= MEMORY_F16;
	unsigned rest = 64 - bits;
	int64_t so = (int64_t)(old << rest) >> rest, sv = (int64_t)(v << rest) >> rest;
	switch (op) {
	case MEMORY_AND: return old & v;
	case MEMORY_OR: return old | v;
	case MEMORY_XOR: return old ^ v;
	case MEMORY_ADD: return real ? real_sum(type, old, v) : old + v;
	case MEMORY_SUB: return old - v;
	case MEMORY_MIN:
		if (real)
			return is_less(to_real(type, v), to_real(type, old)) ? v : old;
		return type == MEMORY_SIGNED ? (sv < so ? v : old) : v < old ? v : old;
	case MEMORY_MAX:
		if (real)
			return is_less(-to_real(type, v), -to_real(type, old)) ? v : old;
		return type == MEMORY_SIGNED ? (sv > so ? v : old) : v > old ? v : old;
	default: return v;
	}
}

#define SIZED(bits, X) \
	switch (bits) { \
	case 8: X(uint8_t); \
	case 16: X(uint16_t); \
	case 32: X(uint32_t); \
	default: X(uint64_t); \
	}

static uint64_t read_now(void *at, unsigned bits)
{
#define READ(T) return __atomic_load_n((T *)at, __ATOMIC_SEQ_CST)
	SIZED(bits, READ)
}

static bool swap_if(void *at, unsigned bits, uint64_t *expected, uint64_t v)
{
#define SWAP(T)                                                                                                          \
	{                                                                                                                \
		T was = (T)*expected;                                                                                    \
		bool done = __atomic_compare_exchange_n((T *)at, &was, (T)v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		*expected = was;                                                                                         \
		return done;                                                                                             \
	}
	SIZED(bits, SWAP)
}

uint64_t memory_atomic(void *at, MemoryOp op, MemoryType type, unsigned bits, uint64_t v, uint64_t expected)
{
	if (op == MEMORY_CAS) {
		swap_if(at, bits, &expected, v);
		return expected;
	}
	uint64_t old = read_now(at, bits);
	while (!swap_if(at, bits, &old, updated(op, type, bits, old, v)))
		;
	return old;
}

static uint64_t lane_bits(const void *slot, unsigned lane, unsigned bytes)
{
	uint64_t bits = 0;
	get_lane(&bits, slot, lane, bytes);
	return bits;
}

void memory_note_atomic(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size, SimOrder order)
{
	if (w->cta->run->races)
		sim_race_atomic(w, i, lane, at, size, order);
	note_told(w->cta, i, at);
	w->cta->read_loc = i->loc;
	w->cta->read_at = (uint64_t)(uintptr_t)at;
}

void memory_note_written(SimWarp *w, const void *at, SimOrder order, bool changed)
{
	if (w->cta->run->races)
		sim_race_release(w, at, order);
	w->cta->changed |= changed;
	if (changed)
		w->cta->told = (SimTold){.count = w->cta->told.count};
}

void memory_note_sum(SimWarp *w, const void *at, MemoryType type, uint64_t old, uint64_t v)
{
	static const SimFloatType types[] = {[MEMORY_F16] = {2, 11},
					     [MEMORY_BF16] = {2, 8},
					     [MEMORY_F32] = {4, 24},
					     [MEMORY_F32_KEPT] = {4, 24},
					     [MEMORY_F64] = {8, 53}};
	SimRun *run = w->cta->run;
	if (run->sums && type >= MEMORY_F16 &&
	    !sim_sums_add(run->sums, (uint64_t)(uintptr_t)at, types[type], to_real(type, old),
			  to_real(type, v)))
		sim_no_memory(run);
}

/* Of LLVM's instructions, whose bit 16 says that the memory is shared. */
static void *atomic_place(SimWarp *w, const SimInstr *i, unsigned lane)
{
	if (!(i->imm >> 16)) {
		void *place = sim_global(w, i, lane, ((const uint64_t *)sim_operand(w, i, 0))[lane], i->bytes, i->bytes, true);
		if (place && UNLIKELY(w->cta->careful))
			memory_note_atomic(w, i, lane, place, i->bytes, SIM_RELAXED);
		return place;
	}
	uint32_t offset = ((const uint32_t *)sim_operand(w, i, 0))[lane];
	void *at = sim_shared(w, i, lane, offset, i->bytes, i->bytes);
	if (at && w->cta->shadow)
		sim_check_atomic(w, i, lane, offset, i->bytes);
	return at;
}

bool sim_rmw(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	_Static_assert(MEMORY_F64 - MEMORY_F16 == FLOAT_F64 - FLOAT_F16, "kinds of floats are counted from F16");
	static const struct {
		MemoryOp op;
		MemoryType type;
	} ops[] = {
		[LLVMAtomicRMWBinOpXchg] = {MEMORY_EXCH, MEMORY_UNSIGNED}, [LLVMAtomicRMWBinOpAdd] = {MEMORY_ADD, MEMORY_UNSIGNED},
		[LLVMAtomicRMWBinOpSub] = {MEMORY_SUB, MEMORY_UNSIGNED},   [LLVMAtomicRMWBinOpAnd] = {MEMORY_AND, MEMORY_UNSIGNED},
		[LLVMAtomicRMWBinOpOr] = {MEMORY_OR, MEMORY_UNSIGNED},     [LLVMAtomicRMWBinOpXor] = {MEMORY_XOR, MEMORY_UNSIGNED},
		[LLVMAtomicRMWBinOpMax] = {MEMORY_MAX, MEMORY_SIGNED},     [LLVMAtomicRMWBinOpMin] = {MEMORY_MIN, MEMORY_SIGNED},
		[LLVMAtomicRMWBinOpUMax] = {MEMORY_MAX, MEMORY_UNSIGNED},  [LLVMAtomicRMWBinOpUMin] = {MEMORY_MIN, MEMORY_UNSIGNED},
		[LLVMAtomicRMWBinOpFAdd] = {MEMORY_ADD, MEMORY_F32},
	};
	unsigned op = i->imm & 255, kind = i->imm >> 8 & 255;
	if (op >= ARRAY_LEN(ops) || (op && ops[op].op == MEMORY_EXCH))
		return sim_fault(w, i, -1, DIAG_RUN_UNSUPPORTED, "an atomic operation that the simulator does not know");
	MemoryType type = kind ? (MemoryType)(MEMORY_F16 + kind - 1) : ops[op].type;
	EACH_LANE(lane, mask) {
		void *at = atomic_place(w, i, lane);
		if (!at)
			return false;
		uint64_t old = memory_atomic(at, ops[op].op, type, 8 * i->bytes, lane_bits(sim_operand(w, i, 1), lane, i->bytes), 0);
		if (UNLIKELY(w->cta->careful) && !(i->imm >> 16))
			memory_note_written(w, at, SIM_RELAXED, memcmp(at, &old, i->bytes) != 0);
		if (ops[op].op == MEMORY_ADD)
			memory_note_sum(w, at, type, old, lane_bits(sim_operand(w, i, 1), lane, i->bytes));
		put_lane(sim_result(w, i, 0), lane, i->bytes, &old);
	}
	return true;
}

bool sim_cmpxchg(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	EACH_LANE(lane, mask) {
		void *at = atomic_place(w, i, lane);
		if (!at)
			return false;
		uint64_t expected = lane_bits(sim_operand(w, i, 1), lane, i->bytes);
		uint64_t old = memory_atomic(at, MEMORY_CAS, MEMORY_UNSIGNED, 8 * i->bytes,
					     lane_bits(sim_operand(w, i, 2), lane, i->bytes), expected);
		if (UNLIKELY(w->cta->careful) && !(i->imm >> 16) && old == expected)
			memory_note_written(w, at, SIM_RELAXED, memcmp(at, &old, i->bytes) != 0);
		put_lane(sim_result(w, i, 0), lane, i->bytes, &old);
		((uint8_t *)sim_result(w, i, 1))[lane] = old == expected;
	}
	return true;
}
