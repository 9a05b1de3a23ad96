/* Machine operations on memory: predicated words, atomics, matrices of 8x8, asynchronous copies.
 *
 * An asynchronous copy is made when it is issued; with checks when its thread waits for it, and it is poison that is there till then. */
#include <stdlib.h>

#include "sim/check/traffic.h"
#include "sim/ops/machine.h"
#include "sim/ops/memory.h"

#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};
#define DECODE_OP(name, fn) const SimMachine sim_machine_##name = {.decode = fn};
#define MATRIX_OP(name, fn, n)                                                                               \
	const SimMachine sim_machine_##name = {.effect = fn, .imm = n, .define = define_matrix};
#define COPY_OP(name, n)                                                                                     \
	const SimMachine sim_machine_##name = {                                                              \
		.effect = copy_async, .imm = n, .define = sim_define_copy, .condition = 3};
#define DEFINE_OP(name, fn, definer) const SimMachine sim_machine_##name = {.decode = fn, .define = definer};

/* ---- suffixes: words between points, then vNbM ---- */

typedef struct Access {
	bool always, policy, clear, cta;
	bool past_first; /* past the first-level cache */
	uint64_t fill;   /* where `clear`: a result's word before the load */
	unsigned n, bits;
	MemoryOp op;
	MemoryType type;
	bool pair;          /* two 16-bit floats in a word */
	SimOrder order;     /* among programs */
	unsigned operands;  /* before the words: address, condition, policy */
	unsigned word_bits; /* of what is operated on */
} Access;

static const char *next_word(const char *at, Str *word)
{
	size_t len = strcspn(at, ".");
	*word = (Str){at, len};
	return at[len] ? at + len + 1 : at + len;
}

static void read_operation(Access *a, Str word)
{
	static const struct {
		const char *name;
		MemoryOp op;
	} ops[] = {{"exch", MEMORY_EXCH}, {"and", MEMORY_AND}, {"or", MEMORY_OR},   {"xor", MEMORY_XOR},
		   {"add", MEMORY_ADD},   {"min", MEMORY_MIN}, {"max", MEMORY_MAX}, {"cas", MEMORY_CAS}};
	static const struct {
		const char *name;
		MemoryType type;
		bool pair;
	} types[] = {{"s32", MEMORY_SIGNED, false}, {"s64", MEMORY_SIGNED, false}, {"f16", MEMORY_F16, false}, {"bf16", MEMORY_BF16, false},
		     {"f32", MEMORY_F32, false},    {"f64", MEMORY_F64, false},    {"f16x2", MEMORY_F16, true}, {"bf16x2", MEMORY_BF16, true}};
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (str_is(word, ops[i].name))
			a->op = ops[i].op;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (str_is(word, types[i].name)) {
			a->type = types[i].type;
			a->pair = types[i].pair;
		}
	}
}

static bool read_access(const char *suffix, Access *a)
{
	static const struct {
		const char *name;
		SimOrder order;
	} orders[] = {{"relaxed", SIM_RELAXED}, {"acquire", SIM_ACQUIRE},   {"release", SIM_RELEASE},
		      {"acq_rel", SIM_ACQ_REL}, {"volatile", SIM_VOLATILE}};
	Str word = {0};
	*a = (Access){0};
	while (suffix && *suffix) {
		suffix = next_word(suffix, &word);
		for (size_t k = 0; k < ARRAY_LEN(orders); k++)
			if (str_is(word, orders[k].name))
				a->order = orders[k].order;
		a->cta |= str_is(word, "cta");
		a->past_first |= str_is(word, "cg") || str_is(word, "cv");
		a->always |= str_is(word, "always");
		if (word.len > 4 && !strncmp(word.ptr, "fill", 4)) {
			a->clear = true;
			a->fill = strtoull(word.ptr + 4, NULL, 16);
		}
		a->policy |= str_is(word, "first") || str_is(word, "last");
		read_operation(a, word);
	}
	if (a->cta) /* says nothing to other programs */
		a->order = SIM_RELAXED;
	if (word.len < 4 || word.ptr[0] != 'v')
		return false;
	char *end;
	a->n = (unsigned)strtoul(word.ptr + 1, &end, 10);
	a->bits = *end == 'b' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	a->operands = 1u + !a->always + a->policy;
	a->word_bits = a->pair ? 16 : a->bits;
	return a->n && a->n <= 8 && (a->bits == 8 || a->bits == 16 || a->bits == 32 || a->bits == 64);
}

/* Lanes whose condition is true. */
static uint32_t wanted(const SimWarp *w, const SimInstr *i, unsigned operand, uint32_t mask)
{
	const uint8_t *condition = sim_operand(w, i, operand);
	uint32_t out = 0;
	EACH_LANE(lane, mask)
		out |= (uint32_t)(condition[lane] & 1) << lane;
	return out;
}

static SimInstr *access_instr(SimDecoder *d, LLVMValueRef call, SimEffect *effect, const char *suffix)
{
	Access *a = ARENA_NEW(d->arena, Access);
	if (!read_access(suffix, a)) {
		sim_refuse(d, "an access of memory written '%s'", suffix ? suffix : "");
		return NULL;
	}
	SimInstr *i = machine_effect(d, call, effect, 0);
	if (!i)
		return NULL;
	i->data = a;
	i->bytes = (uint8_t)(a->bits / 8);
	i->size = a->bits == 8 ? 2 : i->bytes;
	i->parts = (uint8_t)a->n;
	i->align = a->n * a->bits / 8;
	i->order = (uint8_t)a->order;
	i->condition = a->always ? 0 : 2;
	i->clears = a->clear;
	i->cta_scope = a->cta;
	return i;
}

/* ---- global memory ---- */

static bool load_global(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Access *a = i->data;
	uint32_t lanes = a->always ? mask : wanted(w, i, 1, mask);
	/* Nothing is loaded, and whoever takes it drops it: what was there before may be tokens (wgmma.c). */
	bool drops = UNLIKELY(w->tokens) && !lanes;
	for (unsigned k = 0; k < i->results && drops && mask == SIM_ALL; k++)
		memset(sim_result(w, i, k), 0, SIM_SLOT);
	for (unsigned k = 0; k < i->results && (i->clears || drops); k++)
		EACH_LANE(off, mask & ~lanes)
			memcpy((uint8_t *)sim_result(w, i, k) + off * i->size, &a->fill, i->size);
	return sim_load(w, i, lanes);
}

static bool store_global(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Access *a = i->data;
	const uint64_t *address = sim_operand(w, i, 0);
	EACH_LANE(lane, a->always ? mask : wanted(w, i, 1, mask)) {
		uint8_t *to = sim_global(w, i, lane, address[lane], i->align, i->align, true);
		if (!to)
			return false;
		memory_put(w, i, a->operands, lane, to, i->align);
	}
	return true;
}

static bool decode_load(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	SimInstr *i = access_instr(d, call, load_global, suffix);
	if (!i)
		return false;
	i->loads = true;
	i->cached = i->order == SIM_PLAIN && !((const Access *)i->data)->past_first;
	d->ordered |= i->order != SIM_PLAIN;
	return true;
}

static bool decode_store(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	SimInstr *i = access_instr(d, call, store_global, suffix);
	if (!i)
		return false;
	unsigned n = LLVMGetNumArgOperands(call);
	for (unsigned k = ((const Access *)i->data)->operands; k < n; k++)
		i->updates |= sim_updates(LLVMGetOperand(call, k), LLVMGetOperand(call, 0));
	return true;
}
DEFINE_OP(ld_global, decode_load, sim_define_load)
DEFINE_OP(ld_fresh, decode_load, sim_define_load)
DEFINE_OP(st_global, decode_store, sim_define_store)

/* Shared memory of a CTA of the cluster: address, CTA. */
static bool load_cluster(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const SimKernel *k = w->cta->run->kernel;
	const uint32_t *address = sim_operand(w, i, 0), *rank = sim_operand(w, i, 1);
	EACH_LANE(lane, mask) {
		if (rank[lane] >= k->ctas)
			return sim_fault(w, i, (int)lane, DIAG_RUN_OUT_OF_BOUNDS, "shared memory of CTA %u of a cluster of %u", rank[lane], k->ctas);
		if (!sim_shared(w, i, lane, address[lane], i->align, i->align))
			return false;
		if (w->cta->shadow)
			sim_check_remote_read(w, i, lane, rank[lane], address[lane], i->align);
		memory_to_slots(w, i, lane, w->cta->shared + rank[lane] * k->shared_pitch + address[lane]);
	}
	return true;
}

static void define_cluster(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint32_t *rank = sim_operand(w, i, 1);
	uint32_t own = w->base;
	if (!done)
		sim_use(w, i, 1, mask, "the CTA of an address");
	EACH_LANE(lane, mask)
	{
		w->base = done ? rank[lane] * w->cta->run->kernel->shared_pitch : own;
		sim_define_load_shared(w, i, UINT32_C(1) << lane, done);
	}
	w->base = own;
}

static bool decode_cluster(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	return access_instr(d, call, load_cluster, suffix) != NULL;
}
DEFINE_OP(ld_cluster, decode_cluster, define_cluster)

/* One lane's words: each at once. A red has no results. */
static bool atomic_lane(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t address)
{
	const Access *a = i->data;
	unsigned bytes = a->word_bits / 8, pieces = a->bits / a->word_bits;
	uint8_t *at = sim_global(w, i, lane, address, i->align, i->align, true);
	if (!at)
		return false;
	if (UNLIKELY(w->cta->careful))
		memory_note_atomic(w, i, lane, at, i->align, a->order);
	uint8_t in[128] = {0}, out[64], more[64] = {0};
	bool written = false, changed = false;
	memory_from_slots(w, i, a->operands, lane, in);
	if (a->op == MEMORY_CAS)
		memory_from_slots(w, i, a->operands + a->n, lane, more);
	for (unsigned p = 0; p < a->n * pieces; p++) {
		uint64_t v = 0, second = 0, old;
		memcpy(&v, in + p * bytes, bytes);
		memcpy(&second, more + p * bytes, bytes);
		old = a->op == MEMORY_CAS ? memory_atomic(at, a->op, a->type, a->word_bits, second, v) :
					    memory_atomic(at + p * bytes, a->op, a->type, a->word_bits, v, 0);
		if (a->op == MEMORY_ADD)
			memory_note_sum(w, at + p * bytes, a->type, old, v);
		memcpy(out + p * bytes, &old, bytes);
		written |= a->op != MEMORY_CAS || old == v;
		changed |= memcmp(at + (a->op == MEMORY_CAS ? 0 : p * bytes), &old, bytes) != 0;
	}
	if (UNLIKELY(w->cta->careful) && written)
		memory_note_written(w, at, a->order, changed);
	if (i->results)
		memory_to_slots(w, i, lane, out);
	return true;
}

static bool atomic(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Access *a = i->data;
	const uint64_t *address = sim_operand(w, i, 0);
	uint32_t doing = a->always ? mask : wanted(w, i, 1, mask);
	/* Lanes come in any order, as warps do. */
	bool back = w->cta->run->schedule.ordering == SIM_REVERSED;
	for (uint32_t rest = doing, lane; rest; rest &= ~(UINT32_C(1) << lane)) {
		lane = back ? 31u - (uint32_t)__builtin_clz(rest) : (uint32_t)__builtin_ctz(rest);
		if (!atomic_lane(w, i, lane, address[lane]))
			return false;
	}
	if (!i->results)
		return true;
	/* The words given otherwise. */
	unsigned otherwise = a->operands + a->n * (a->op == MEMORY_CAS ? 2 : 1);
	EACH_LANE(left, mask & ~doing) {
		uint8_t words[64];
		memory_from_slots(w, i, otherwise, left, words);
		memory_to_slots(w, i, left, words);
	}
	return true;
}

/* Sums and the like of integers whose old values nobody takes come out the same in any order. */
static bool decode_atomic(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	SimInstr *i = access_instr(d, call, atomic, suffix);
	if (!i)
		return false;
	const Access *a = i->data;
	d->ordered |= i->results || a->type >= MEMORY_F16 || a->op == MEMORY_EXCH || a->op == MEMORY_CAS;
	return true;
}
DEFINE_OP(atom_global, decode_atomic, sim_define_atomic)
DEFINE_OP(red_global, decode_atomic, sim_define_atomic)

/* ---- matrices ---- */

enum { TRANSPOSED = 8 };

/* Row r of matrix m is at the address of lane 8 m + r. */
static bool matrix_rows(SimWarp *w, const SimInstr *i, unsigned count, uint8_t *rows[4][8], bool write)
{
	const uint32_t *address = sim_operand(w, i, 0);
	if (sim_counts_banks(w, i))
		sim_count_banks(w, i, count == 4 ? SIM_ALL : (UINT32_C(1) << 8 * count) - 1, address, 16);
	for (unsigned lane = 0; lane < 8 * count; lane++) {
		rows[lane / 8][lane % 8] = sim_shared(w, i, lane, address[lane], 16, 16);
		if (!rows[lane / 8][lane % 8])
			return false;
		if (w->cta->shadow && write)
			sim_check_write(w, i, lane, address[lane], 16);
		else if (w->cta->shadow)
			sim_check_read(w, i, lane, address[lane], 16);
	}
	return true;
}

static bool ldmatrix(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	unsigned count = i->imm & 7;
	uint8_t *rows[4][8];
	if (!machine_whole(w, i, mask, "ldmatrix") || !matrix_rows(w, i, count, rows, false))
		return false;
	for (unsigned m = 0; m < count; m++) {
		uint32_t *to = sim_result(w, i, m);
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			unsigned row = lane / 4, column = lane % 4 * 2;
			uint8_t word[4];
			if (i->imm & TRANSPOSED) {
				memcpy(word, rows[m][column] + 2 * row, 2);
				memcpy(word + 2, rows[m][column + 1] + 2 * row, 2);
			} else {
				memcpy(word, rows[m][row] + 2 * column, 4);
			}
			memcpy(&to[lane], word, 4);
		}
	}
	return true;
}

static bool stmatrix(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	unsigned count = i->imm & 7;
	uint8_t *rows[4][8];
	if (!machine_whole(w, i, mask, "stmatrix") || !matrix_rows(w, i, count, rows, true))
		return false;
	for (unsigned m = 0; m < count; m++) {
		const uint32_t *from = sim_operand(w, i, 1 + m);
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			unsigned row = lane / 4, column = lane % 4 * 2;
			uint8_t word[4];
			memcpy(word, &from[lane], 4);
			if (i->imm & TRANSPOSED) {
				memcpy(rows[m][column] + 2 * row, word, 2);
				memcpy(rows[m][column + 1] + 2 * row, word + 2, 2);
			} else {
				memcpy(rows[m][row] + 2 * column, word, 4);
			}
		}
	}
	return true;
}

/* As the matrices themselves, of bits: in a world in which registers and shared memory are the
 * bits. */
static void define_matrix(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const SimInstr *real = i;
	unsigned count = i->imm & 7;
	if (!done) {
		sim_use(w, real, 0, count == 4 ? SIM_ALL : (UINT32_C(1) << 8 * count) - 1, "an address");
		return;
	}
	bool loads = i->results;
	const uint32_t *address = sim_operand(w, i, 0);
	if (loads)
		sim_define_nothing(w, i, mask, true);
	if (loads && !w->cta->hollow->in_shared)
		return;
	for (unsigned m = 0; m < count; m++) {
		uint32_t slot = i->slots[loads ? m : 1 + m], *origin = &w->defined->origin[slot];
		_Alignas(64) uint8_t words[SIM_SLOT] = {0}, row[16];
		if (!loads && !w->defined->lanes[slot] && !w->cta->hollow->in_shared)
			continue;
		if (!loads)
			memcpy(words, sim_undefined_bits(w, slot, 4), sizeof words);
		for (unsigned r = 0; r < 8; r++) {
			uint32_t at = address[8 * m + r];
			if (loads)
				memcpy(row, sim_hollow_shared(w, at, false), 16);
			for (unsigned column = 0; column < 8; column++) {
				unsigned lane = i->imm & TRANSPOSED ? column * 4 + r / 2 : r * 4 + column / 2;
				uint8_t *element =
					words + 4 * lane + 2 * (i->imm & TRANSPOSED ? r % 2 : column % 2);
				memcpy(loads ? element : row + 2 * column, loads ? row + 2 * column : element,
				       2);
			}
			if (loads)
				*origin = w->cta->hollow->origin[(w->base + at) / 4];
			else
				sim_hollow_put(w, at, row, 16, *origin);
		}
		if (loads)
			sim_put_undefined(w, slot, 4, SIM_ALL, words, *origin);
	}
}
MATRIX_OP(ldmatrix_x1, ldmatrix, 1)
MATRIX_OP(ldmatrix_x2, ldmatrix, 2)
MATRIX_OP(ldmatrix_x4, ldmatrix, 4)
MATRIX_OP(ldmatrix_trans_x1, ldmatrix, 1 | TRANSPOSED)
MATRIX_OP(ldmatrix_trans_x2, ldmatrix, 2 | TRANSPOSED)
MATRIX_OP(ldmatrix_trans_x4, ldmatrix, 4 | TRANSPOSED)
MATRIX_OP(stmatrix_x1, stmatrix, 1)
MATRIX_OP(stmatrix_x2, stmatrix, 2)
MATRIX_OP(stmatrix_x4, stmatrix, 4)
MATRIX_OP(stmatrix_trans_x1, stmatrix, 1 | TRANSPOSED)
MATRIX_OP(stmatrix_trans_x2, stmatrix, 2 | TRANSPOSED)
MATRIX_OP(stmatrix_trans_x4, stmatrix, 4 | TRANSPOSED)

/* ---- asynchronous copies: to, from, whether, bytes that are read ---- */

static bool copy_async(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *to = sim_operand(w, i, 0), *read = sim_operand(w, i, 3);
	const uint64_t *from = sim_operand(w, i, 1);
	uint32_t size = (uint32_t)i->imm;
	if (sim_counts_banks(w, i))
		sim_count_banks(w, i, wanted(w, i, 2, mask), to, size);
	EACH_LANE(lane, wanted(w, i, 2, mask)) {
		uint8_t *into = sim_shared(w, i, lane, to[lane], size, size);
		uint32_t bytes = MIN(read[lane], size);
		const uint8_t *source = into && bytes ? sim_global(w, i, lane, from[lane], bytes, 1, false) : NULL;
		if (!into || (bytes && !source))
			return false;
		if (bytes && from[lane] & (size - 1))
			return sim_fault(w, i, (int)lane, DIAG_RUN_MISALIGNED, "copy of %u bytes from 0x%llx, which is no multiple of them",
					 size, (unsigned long long)from[lane]);
		if (UNLIKELY(w->cta->careful) && bytes)
			memory_note_read(w, i, lane, source, bytes);
		if (w->cta->shadow) {
			if (!sim_check_copy(w, i, lane, to[lane], size, source, bytes))
				return false;
			continue;
		}
		if (bytes)
			memcpy(into, source, bytes);
		memset(into + bytes, 0, size - bytes);
	}
	return true;
}
COPY_OP(cp_async_4, 4)
COPY_OP(cp_async_8, 8)
COPY_OP(cp_async_16, 16)
COPY_OP(cp_async_16_ca, 16)

static bool commit(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)i;
	return !w->cta->shadow || sim_check_commit(w, mask);
}

static bool wait_groups(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	if (w->cta->shadow)
		sim_count_wait(w, i, sim_check_wait(w, mask, (uint32_t)i->imm));
	return true;
}

static bool decode_wait(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	return machine_effect(d, call, wait_groups, suffix ? strtoul(suffix, NULL, 10) : 0) != NULL;
}
EFFECT_OP(cp_async_commit, commit, 0)
DECODE_OP(cp_async_wait, decode_wait)
