/* Runs plans of conversions element by element. Not a test.
 *
 * A machine keeps an array of element numbers for every thread of every repetition and does each step as the
 * hardware would: a shuffled word is what the sending lane has in its registers, ldmatrix takes row addresses
 * from lanes and hands out words as the figures of the PTX ISA say, shared memory refuses to be written twice.
 * Banks are counted on the way and compared with what was predicted. */
#ifndef NESO_TEST_LAYOUT_MACHINE_H
#define NESO_TEST_LAYOUT_MACHINE_H
#include "unit.h"

#include <stdlib.h>

#include "layout/f2.h"
#include "layout/plan.h"

enum { POISON = 0xffffffff, MAX_WARP = 32 };

typedef struct Machine {
	Arena *arena;
	const LayoutPlan *plan;
	unsigned lanes, warps, blocks, threads; /* numbers of, not bits */
	uint32_t reps;
	uint32_t count;    /* elements of each thread now */
	uint32_t *held;    /* [rep][thread][element] */
	uint32_t *memory;  /* [block][rep][offset] */
	uint64_t memory_size; /* of a block */
	uint32_t loaded_count;
	uint32_t *loaded;
	unsigned shuffles, moved; /* 32-bit words; elements that changed lanes */
} Machine;

static inline uint32_t *element(Machine *m, uint32_t *array, uint32_t count, uint32_t rep, unsigned thread, uint32_t i)
{
	(void)m;
	return &array[((size_t)rep * m->threads + thread) * count + i];
}

static inline uint32_t *new_elements(Machine *m, uint32_t count)
{
	size_t n = (size_t)m->reps * m->threads * count;
	uint32_t *array = arena_alloc_raw(m->arena, sizeof *array * n, 16);
	memset(array, 0xff, sizeof *array * n);
	return array;
}

static inline uint32_t sum(const uint32_t *by, uint32_t bits)
{
	uint32_t result = 0;
	for (unsigned i = 0; bits >> i; i++)
		result ^= bits >> i & 1 ? by[i] : 0;
	return result;
}

static inline uint64_t sum_wide(const uint64_t *by, uint32_t bits)
{
	uint64_t result = 0;
	for (unsigned i = 0; bits >> i; i++)
		result ^= bits >> i & 1 ? by[i] : 0;
	return result;
}

/* ---- steps within threads and warps ---- */

static inline void run_rename(Machine *m, const LayoutStep *step)
{
	uint32_t *next = new_elements(m, step->count);
	for (uint32_t rep = 0; rep < m->reps; rep++) {
		for (unsigned t = 0; t < m->threads; t++) {
			for (uint32_t i = 0; i < step->count; i++)
				*element(m, next, step->count, rep, t, i) =
					*element(m, m->held, m->count, rep, t, step->rename[i]);
		}
	}
	m->held = next;
	m->count = step->count;
}

static inline void run_exchange(Machine *m, const LayoutStep *step)
{
	assert_int_equal(step->count, m->count);
	assert_true(step->distance != 0 && step->distance < m->count);
	uint32_t *next = new_elements(m, m->count);
	for (uint32_t rep = 0; rep < m->reps; rep++) {
		for (unsigned t = 0; t < m->threads; t++) {
			uint32_t distance = f2_parity(t & step->mask) ? step->distance : 0;
			for (uint32_t i = 0; i < m->count; i++)
				*element(m, next, m->count, rep, t, i) =
					*element(m, m->held, m->count, rep, t, i ^ distance);
		}
	}
	m->held = next;
}

static inline void run_shuffle(Machine *m, const LayoutStep *step)
{
	uint32_t *next = new_elements(m, step->count);
	unsigned bits = m->plan->element_bits;
	assert_true(step->per_word == 1 || step->per_word * bits <= 32);
	for (uint32_t i = 0; i < step->move_count; i++) {
		const LayoutMove *move = &step->moves[i];
		bool stays = step->own_lane && move->lane == 0;
		assert_int_equal(move->lane, step->moves[i / step->per_word * step->per_word].lane);
		m->shuffles += (i % step->per_word == 0 && !stays ? (bits == 64 ? 2 : 1) : 0) * m->reps;
		m->moved += !stays;
		for (unsigned t = 0; t < m->threads; t++) {
			unsigned lane = (step->own_lane ? t % m->lanes : sum(step->lane_map, t)) ^ move->lane;
			unsigned sender = t / m->lanes * m->lanes + lane;
			assert_true(lane < m->lanes);
			for (uint32_t rep = 0; rep < m->reps; rep++)
				*element(m, next, step->count, rep, t, move->to) =
					*element(m, m->held, m->count, rep, sender, move->from);
		}
	}
	m->held = next;
	m->count = step->count;
}

/* ---- shared memory ---- */

/* One element goes between a register and memory. */
static inline void transfer(Machine *m, const LayoutAccess *a, uint32_t rep, unsigned thread, uint32_t reg,
			    uint64_t address)
{
	const LayoutPlan *plan = m->plan;
	uint64_t block = address >> a->offset_bits, offset = address & ((UINT64_C(1) << a->offset_bits) - 1);
	uint32_t region = plan->repetitions_take_turns ? 0 : rep;
	uint32_t *cell = &m->memory[(block * m->reps + region) << a->offset_bits | offset];
	if (a->store) {
		assert_int_equal(block, thread / (m->lanes * m->warps));
		assert_int_equal(*cell, POISON); /* nothing is stored twice */
		*cell = *element(m, m->held, m->count, rep, thread, reg);
		assert_int_not_equal(*cell, POISON);
	} else {
		uint32_t from = layout_plan_source_rep(plan->source, plan->destination, rep);
		if (!plan->repetitions_take_turns)
			cell = &m->memory[(block * m->reps + from) << a->offset_bits | offset];
		uint32_t *to = element(m, m->loaded, m->loaded_count, rep, thread, reg);
		assert_int_equal(*to, POISON);
		*to = *cell;
		assert_int_not_equal(*to, POISON);
	}
}

/* The passes through the banks that these lanes' accesses of `bytes` each need; addresses in bytes, and whose
 * memory. */
static inline unsigned count_wavefronts(const uint64_t *address, const uint64_t *block, const bool *active,
					unsigned lanes, unsigned bytes)
{
	unsigned group = bytes <= 4 ? 32 : 128 / bytes, total = 0;
	for (unsigned first = 0; first < lanes; first += group) {
		uint64_t words[64][128];
		unsigned count[64] = {0}, most = 0;
		for (unsigned l = first; l < first + group && l < lanes; l++) {
			for (unsigned b = 0; active[l] && b < bytes; b += 4) {
				uint64_t word = (address[l] + b) / 4;
				unsigned bank = (unsigned)(word % 32 + 32 * block[l]), i = 0;
				assert_true(bank < 64);
				while (i < count[bank] && words[bank][i] != word)
					i++;
				if (i == count[bank])
					words[bank][count[bank]++] = word;
				if (count[bank] > most)
					most = count[bank];
			}
		}
		total += most;
	}
	return total;
}

static inline uint64_t address_of(const LayoutAccess *a, unsigned thread, uint32_t instruction, uint32_t *registers)
{
	uint64_t address = sum_wide(a->thread_address, thread);
	*registers = 0;
	for (unsigned i = 0; i < a->repeat_bits; i++) {
		if (instruction >> i & 1) {
			address ^= a->repeat[i].address;
			*registers ^= a->repeat[i].registers;
		}
	}
	return address;
}

static inline void run_vector(Machine *m, const LayoutAccess *a, uint32_t rep, unsigned warp, uint32_t instruction)
{
	uint64_t address[MAX_WARP], block[MAX_WARP];
	bool active[MAX_WARP], any = false;
	uint32_t registers = 0;
	for (unsigned l = 0; l < m->lanes; l++) {
		unsigned t = warp * m->lanes + l;
		address[l] = address_of(a, t, instruction, &registers);
		active[l] = !(t & a->idle);
		any = any || active[l];
		assert_int_equal(address[l] & ((1u << a->vector_bits) - 1), 0);
		for (uint32_t e = 0; active[l] && e < 1u << a->vector_bits; e++)
			transfer(m, a, rep, t, registers ^ sum(a->vector, e), address[l] + e);
		block[l] = address[l] >> a->offset_bits;
		address[l] = (address[l] & ((UINT64_C(1) << a->offset_bits) - 1)) * a->element_bits / 8;
	}
	unsigned bytes = a->element_bits / 8 << a->vector_bits;
	assert_true(bytes <= 16);
	if (any)
		assert_int_equal(count_wavefronts(address, block, active, m->lanes, bytes), a->wavefronts);
}

static inline void run_matrix(Machine *m, const LayoutAccess *a, uint32_t rep, unsigned warp, uint32_t instruction)
{
	unsigned matrices = 1u << a->matrix_bits, per_word = 32 / a->element_bits, wavefronts = 0;
	uint32_t registers;
	if (warp * m->lanes & a->idle)
		return;
	for (unsigned matrix = 0; matrix < matrices; matrix++) {
		uint64_t rows[8], bytes[8], block[8];
		bool active[8];
		for (unsigned r = 0; r < 8; r++) {
			unsigned t = warp * m->lanes + matrix * 8 + r;
			rows[r] = address_of(a, t, instruction, &registers);
			block[r] = rows[r] >> a->offset_bits;
			bytes[r] = (rows[r] & ((UINT64_C(1) << a->offset_bits) - 1)) * a->element_bits / 8;
			active[r] = true;
			assert_int_equal(bytes[r] % 16, 0);
			assert_int_equal(block[r], warp / m->warps);
		}
		wavefronts += count_wavefronts(bytes, block, active, 8, 16);
		for (unsigned l = 0; l < 32; l++) {
			for (unsigned e = 0; e < per_word; e++) {
				uint64_t at = rows[l / 4] + l % 4 * per_word + e;
				if (a->kind == LAYOUT_ACCESS_MATRIX_TRANS) {
					unsigned column = 16 / a->element_bits;
					at = rows[l % 4 * 2 + e / column] + l / 4 * column + e % column;
				}
				transfer(m, a, rep, warp * m->lanes + l,
					 registers ^ sum(a->matrix, matrix) ^ sum(a->vector, e), at);
			}
		}
	}
	assert_int_equal(wavefronts, a->wavefronts);
}

static inline void run_access(Machine *m, const LayoutAccess *a, unsigned pass, uint32_t rep)
{
	for (uint32_t i = 0; i < layout_access_instructions(a); i++) {
		for (unsigned warp = 0; warp < m->warps * m->blocks; warp++) {
			uint32_t registers;
			uint64_t offset = address_of(a, warp * m->lanes, i, &registers) &
					  ((UINT64_C(1) << a->offset_bits) - 1);
			if (offset >> m->plan->pass_shift != pass)
				continue;
			if (a->kind == LAYOUT_ACCESS_VECTOR)
				run_vector(m, a, rep, warp, i);
			else
				run_matrix(m, a, rep, warp, i);
		}
	}
}

static inline void clear_memory(Machine *m)
{
	memset(m->memory, 0xff, sizeof *m->memory * m->memory_size * m->blocks);
}

/* From the first store to the last load. Memory that a pass used is free for the next. */
static inline void run_shared(Machine *m, const LayoutStep *steps, uint32_t count)
{
	uint32_t turns = m->plan->repetitions_take_turns ? m->reps : 1;
	m->loaded = new_elements(m, m->loaded_count);
	for (uint32_t turn = 0; turn < turns; turn++) {
		for (uint32_t i = 0; i < count; i++) {
			const LayoutStep *step = &steps[i];
			if (step->kind == LAYOUT_STEP_STORE)
				clear_memory(m);
			for (uint32_t rep = 0; rep < m->reps && step->kind != LAYOUT_STEP_BARRIER; rep++) {
				uint32_t source = step->kind == LAYOUT_STEP_STORE ? rep :
					layout_plan_source_rep(m->plan->source, m->plan->destination, rep);
				if (turns > 1 && source != turn)
					continue;
				run_access(m, step->kind == LAYOUT_STEP_STORE ? &m->plan->store : &m->plan->load,
					   step->pass, rep);
			}
		}
	}
	m->held = m->loaded;
	m->count = m->loaded_count;
}

static inline uint32_t shared_steps(const LayoutPlan *plan, uint32_t from)
{
	uint32_t last = from;
	for (uint32_t i = from; i < plan->step_count; i++) {
		if (plan->steps[i].kind == LAYOUT_STEP_LOAD)
			last = i;
	}
	return last + 1 - from;
}

/* ---- whole plans ---- */

static inline uint32_t element_number(const Layout *l, uint32_t rep, uint64_t in)
{
	return (uint32_t)(layout_apply(l, in) | (uint64_t)rep << l->out_bits);
}

static inline void fill_source(Machine *m)
{
	const Layout *l = m->plan->source;
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER);
	m->count = 1u << registers;
	m->held = new_elements(m, m->count);
	for (uint32_t rep = 0; rep < m->reps; rep++) {
		for (unsigned t = 0; t < m->threads; t++) {
			for (uint32_t i = 0; i < m->count; i++)
				*element(m, m->held, m->count, rep, t, i) =
					element_number(l, rep, i | (uint64_t)t << registers);
		}
	}
}

static inline void check_destination(Machine *m)
{
	const Layout *l = m->plan->destination;
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER);
	assert_int_equal(m->count, 1u << registers);
	for (uint32_t rep = 0; rep < m->reps; rep++) {
		/* Element numbers are the source's: so is their repetition. Within a warp registers keep
		 * their place. */
		uint32_t from = layout_plan_source_rep(m->plan->source, l, rep);
		uint32_t held = m->plan->kind == LAYOUT_PLAN_SHARED ? rep : from;
		for (unsigned t = 0; t < m->threads; t++) {
			for (uint32_t i = 0; i < m->count; i++)
				assert_int_equal(*element(m, m->held, m->count, held, t, i),
						 element_number(l, from, i | (uint64_t)t << registers));
		}
	}
}

static inline Machine machine_of(Arena *arena, const LayoutPlan *plan)
{
	const Layout *l = plan->source;
	Machine m = {.arena = arena, .plan = plan};
	m.lanes = 1u << layout_in_bits(l, LAYOUT_LANE);
	m.warps = 1u << layout_in_bits(l, LAYOUT_WARP);
	m.blocks = 1u << layout_in_bits(l, LAYOUT_BLOCK);
	m.threads = m.lanes * m.warps * m.blocks;
	m.reps = layout_space_reps(&l->out);
	m.loaded_count = 1u << layout_in_bits(plan->destination, LAYOUT_REGISTER);
	m.memory_size = (uint64_t)m.reps << plan->offset_bits;
	m.memory = ARENA_ARRAY(arena, uint32_t, m.memory_size * m.blocks);
	return m;
}

static inline Machine run_plan(Arena *arena, const LayoutPlan *plan)
{
	Machine m = machine_of(arena, plan);
	fill_source(&m);
	for (uint32_t i = 0; i < plan->step_count; i++) {
		const LayoutStep *step = &plan->steps[i];
		if (step->kind == LAYOUT_STEP_RENAME)
			run_rename(&m, step);
		else if (step->kind == LAYOUT_STEP_EXCHANGE)
			run_exchange(&m, step);
		else if (step->kind == LAYOUT_STEP_SHUFFLE)
			run_shuffle(&m, step);
		else {
			uint32_t n = shared_steps(plan, i);
			run_shared(&m, step, n);
			i += n - 1;
		}
	}
	check_destination(&m);
	assert_int_equal(m.shuffles, plan->cost.shuffles);
	return m;
}

/* The most elements that any thread wants and does not have: no plan of shuffles moves fewer in lock step. */
static inline unsigned least_moves(const LayoutPlan *plan)
{
	const Layout *src = plan->source, *dst = plan->destination;
	unsigned registers = layout_in_bits(src, LAYOUT_REGISTER), wanted = layout_in_bits(dst, LAYOUT_REGISTER);
	unsigned most = 0;
	uint8_t *state = calloc(UINT64_C(1) << src->out_bits, 1);
	for (uint64_t t = 0; t < UINT64_C(1) << (src->in_bits - registers); t++) {
		unsigned missing = 0;
		for (uint64_t i = 0; i < UINT64_C(1) << registers; i++)
			state[layout_apply(src, i | t << registers)] = 1;
		for (uint64_t i = 0; i < UINT64_C(1) << wanted; i++) {
			uint8_t *s = &state[layout_apply(dst, i | t << wanted)];
			missing += *s == 0;
			*s |= 2;
		}
		for (uint64_t i = 0; i < UINT64_C(1) << registers; i++)
			state[layout_apply(src, i | t << registers)] = 0;
		for (uint64_t i = 0; i < UINT64_C(1) << wanted; i++)
			state[layout_apply(dst, i | t << wanted)] = 0;
		most = missing > most ? missing : most;
	}
	free(state);
	return most;
}

/* How often each round is done because lanes that read from one lane want different registers of it. */
static inline unsigned picks_of(const LayoutPlan *plan)
{
	unsigned registers = layout_in_bits(plan->destination, LAYOUT_REGISTER), picks = 0;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind == LAYOUT_STEP_SHUFFLE)
			picks = plan->steps[i].count >> registers;
	}
	return picks;
}

#endif
