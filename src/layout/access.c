/* Loads and stores between registers and shared memory: the widest instruction that fits, and what it costs.
 *
 * Input is the linear map from hardware bits to addresses. 2^v elements can be one vector when the unit
 * offsets 1, 2, ... 2^(v-1) are made by registers alone; other bits that touch those low offsets only change
 * the order of a thread's registers (swap). ldmatrix and stmatrix hand a row of 16 bytes to four lanes, so
 * they fit when lanes 0-1 (with .trans: lanes 2-4) make exactly the low offsets that the figures of the PTX
 * ISA say.
 *
 * Wavefronts are ranks: over the span of what a group of lanes reads, words / different banks = 2^(rank of
 * the word addresses - rank of their bank parts), and since the map is linear every bank has equally many. */
#include "layout/plan_parts.h"

enum { BANK_BITS = 5, WORD_BITS = 32, WIDEST_BITS = 128, ALL_IN_ONE = 64, BLOCK_SHIFT = 40 };

/* The map taken apart. */
typedef struct Map {
	unsigned registers, lanes, blocks, threads, offset_bits, pass_shift;
	uint64_t reg[32], thread[LAYOUT_MAX_THREAD_BITS]; /* addresses: offset, above it the block */
	F2Span span; /* of the registers, in order */
	uint32_t pivots;
	uint32_t copies; /* thread bits that choose among copies */
} Map;

static Map map_of(const Layout *address, unsigned pass_shift)
{
	Map m = {0};
	unsigned warps = layout_in_bits(address, LAYOUT_WARP);
	m.registers = layout_in_bits(address, LAYOUT_REGISTER);
	m.lanes = layout_in_bits(address, LAYOUT_LANE);
	m.blocks = layout_in_bits(address, LAYOUT_BLOCK);
	m.threads = m.lanes + warps + m.blocks;
	m.offset_bits = layout_out_bits(address, LAYOUT_OFFSET);
	m.pass_shift = MIN(pass_shift, m.offset_bits);
	ASSERT(m.registers < 32 && m.threads <= LAYOUT_MAX_THREAD_BITS);
	/* Packed, a point has the offset lowest and the block above, and the inputs stand in this order. */
	layout_bases(address, LAYOUT_REGISTER, m.reg);
	memcpy(m.thread, address->bases + m.registers, sizeof m.thread[0] * m.threads);
	m.span = f2_span_of(m.reg, m.registers);
	m.pivots = (uint32_t)m.span.pivots;
	/* Copies within a block; each block stores to its own memory. */
	F2Span all = m.span;
	for (unsigned i = 0; i < m.lanes + warps; i++) {
		if (!f2_span_add(&all, m.thread[i]))
			m.copies |= 1u << i;
	}
	return m;
}

void layout_access_copies(const Layout *address, uint32_t *out)
{
	Map m = map_of(address, ALL_IN_ONE);
	uint64_t copy_of[32];
	for (unsigned i = 0; i < m.registers; i++) {
		copy_of[i] = UINT64_C(1) << i;
		if (!(m.pivots >> i & 1))
			f2_span_reduce(&m.span, m.reg[i], &copy_of[i]);
	}
	for (uint32_t r = 0; r < UINT32_C(1) << m.registers; r++)
		out[r] = (uint32_t)f2_apply(copy_of, m.registers, r);
}

unsigned layout_access_instructions(const LayoutAccess *access)
{
	return 1u << access->repeat_bits;
}

/* The registers that make this offset; it must be in their span. */
static uint32_t registers_of(const Map *m, uint64_t offset)
{
	uint64_t combo;
	uint64_t rest = f2_span_reduce(&m->span, offset, &combo);
	ASSERT(rest == 0);
	return (uint32_t)combo;
}

/* ---- wavefronts ---- */

/* What a group of lanes reads: the span of these words, and of their banks. Each block has banks of its own. */
typedef struct Wavefront {
	F2Span words, banks;
} Wavefront;

static void add_offset(Wavefront *w, uint64_t offset, uint64_t block, unsigned element_bits)
{
	uint64_t word = offset * element_bits / WORD_BITS;
	ASSERT(word >> BLOCK_SHIFT == 0);
	f2_span_add(&w->words, word | block << BLOCK_SHIFT);
	f2_span_add(&w->banks, (word & ((1u << BANK_BITS) - 1)) | block << BLOCK_SHIFT);
}

static void add_address(Wavefront *w, const LayoutAccess *a, uint64_t address)
{
	uint64_t offset = address & ((UINT64_C(1) << a->offset_bits) - 1);
	add_offset(w, offset, address >> a->offset_bits, a->element_bits);
}

/* A whole vector of 2^bits elements is a part of what each lane reads. */
static Wavefront wavefront_of_vector(const LayoutAccess *a, unsigned bits)
{
	Wavefront w = {f2_span_none(), f2_span_none()};
	for (unsigned i = 0; i < bits; i++)
		add_offset(&w, UINT64_C(1) << i, 0, a->element_bits);
	if (a->element_bits > WORD_BITS)
		add_offset(&w, 1, 0, WORD_BITS); /* the second half of an element */
	return w;
}

static unsigned wavefronts_of(const Wavefront *w)
{
	return 1u << (f2_span_rank(&w->words) - f2_span_rank(&w->banks));
}

static void count_vector_wavefronts(LayoutAccess *a, const Map *m)
{
	unsigned bits = a->element_bits << a->vector_bits;
	unsigned group = bits <= 32 ? 5 : bits == 64 ? 4 : 3;
	Wavefront w = wavefront_of_vector(a, a->vector_bits);
	a->least = 1;
	for (unsigned i = 0; i < m->lanes; i++) {
		if (a->idle >> i & 1)
			continue;
		if (i < group)
			add_address(&w, a, a->thread_address[i]);
		else
			a->least *= 2;
	}
	a->wavefronts = a->least * wavefronts_of(&w);
}

static void count_matrix_wavefronts(LayoutAccess *a)
{
	Wavefront w = wavefront_of_vector(a, base_log2(WIDEST_BITS / a->element_bits));
	for (unsigned i = 0; i < 3; i++)
		add_address(&w, a, a->thread_address[i]);
	a->least = 1u << a->matrix_bits;
	a->wavefronts = a->least * wavefronts_of(&w);
}

/* ---- the kinds ---- */

static uint64_t pass_of(const Map *m, uint64_t address)
{
	return (address & ((UINT64_C(1) << m->offset_bits) - 1)) >> m->pass_shift;
}

/* Leaves each pass bit to one repeat, the last ones: what stands before is the same in every pass. The number
 * before. */
static unsigned part_passes(LayoutAccess *a, const Map *m)
{
	unsigned end = a->repeat_bits;
	for (unsigned bit = m->pass_shift; bit < m->offset_bits; bit++) {
		unsigned at = end;
		for (unsigned i = 0; i < end; i++) {
			if (!(a->repeat[i].address >> bit & 1))
				continue;
			if (at == end) {
				at = i;
				continue;
			}
			a->repeat[i].address ^= a->repeat[at].address;
			a->repeat[i].registers ^= a->repeat[at].registers;
		}
		if (at < end) {
			end--;
			LayoutRepeat pass = a->repeat[at];
			memmove(a->repeat + at, a->repeat + at + 1, sizeof pass * (end - at));
			a->repeat[end] = pass;
		}
	}
	return end;
}

/* Fills repeat[] with registers that complete what an instruction takes; their offsets are free of its `low`
 * bits. */
static void complete_repeats(LayoutAccess *a, const Map *m, unsigned low)
{
	F2Span taken = f2_span_none();
	uint64_t low_mask = (UINT64_C(1) << low) - 1;
	for (unsigned i = 0; i < a->vector_bits; i++)
		f2_span_add(&taken, a->vector[i]);
	for (unsigned i = 0; i < a->matrix_bits; i++)
		f2_span_add(&taken, a->matrix[i]);
	a->repeat_bits = 0;
	for (unsigned i = 0; i < m->registers; i++) {
		if (!(m->pivots >> i & 1) || !f2_span_add(&taken, UINT64_C(1) << i))
			continue;
		uint32_t order = registers_of(m, m->reg[i] & low_mask);
		a->repeat[a->repeat_bits].registers = (uint32_t)1 << i ^ order;
		a->repeat[a->repeat_bits++].address = m->reg[i] & ~low_mask;
	}
}

static void set_threads(LayoutAccess *a, const Map *m, unsigned low)
{
	uint64_t low_mask = (UINT64_C(1) << low) - 1;
	for (unsigned i = 0; i < m->threads; i++) {
		a->thread_address[i] = m->thread[i] & ~low_mask;
		/* What idle threads hold does not matter. */
		a->swap[i] = a->idle >> i & 1 ? 0 : registers_of(m, m->thread[i] & low_mask);
	}
}

static LayoutAccess new_access(const Map *m, LayoutAccessKind kind, bool store, unsigned element_bits)
{
	LayoutAccess a = {.kind = kind, .store = store, .element_bits = element_bits};
	a.thread_bits = m->threads;
	a.offset_bits = m->offset_bits;
	a.registers = m->pivots;
	a.idle = store ? m->copies : 0;
	return a;
}

static LayoutAccess vector_access(const Map *m, bool store, unsigned element_bits, unsigned vector_bits)
{
	LayoutAccess a = new_access(m, LAYOUT_ACCESS_VECTOR, store, element_bits);
	a.vector_bits = vector_bits;
	for (unsigned i = 0; i < vector_bits; i++)
		a.vector[i] = registers_of(m, UINT64_C(1) << i);
	complete_repeats(&a, m, vector_bits);
	set_threads(&a, m, vector_bits);
	count_vector_wavefronts(&a, m);
	return a;
}

/* The widest vector that registers alone make. */
static unsigned widest_vector(const Map *m, unsigned element_bits)
{
	unsigned bits = 0;
	while (element_bits << bits < WIDEST_BITS && f2_span_has(&m->span, UINT64_C(1) << bits))
		bits++;
	return bits;
}

/* Up to two repeats become the choice of matrix: x2, x4. Its rows are given by lanes 8-15, 16-31. */
static void take_matrices(LayoutAccess *a, unsigned count)
{
	a->matrix_bits = MIN(count, 2);
	for (unsigned i = 0; i < 2; i++)
		a->thread_address[3 + i] = 0;
	for (unsigned i = 0; i < a->matrix_bits; i++) {
		a->matrix[i] = a->repeat[i].registers;
		a->thread_address[3 + i] = a->repeat[i].address;
	}
	a->repeat_bits -= a->matrix_bits;
	memmove(a->repeat, a->repeat + a->matrix_bits, sizeof a->repeat[0] * a->repeat_bits);
}

/* No bit but those of `except` may reach into these offset bits; and these instructions read their
 * own block. */
static bool rows_are_aligned(const Map *m, uint64_t row_mask, uint32_t except)
{
	for (unsigned i = 0; i < m->registers; i++) {
		if (m->reg[i] & row_mask || m->reg[i] >> m->offset_bits)
			return false;
	}
	for (unsigned i = 0; i < m->threads; i++) {
		if (!(except >> i & 1) && m->thread[i] & row_mask)
			return false;
		uint64_t own = i < m->threads - m->blocks ? 0 : UINT64_C(1) << (i + m->blocks - m->threads);
		if (m->thread[i] >> m->offset_bits != own)
			return false;
	}
	return true;
}

/* Rows of a matrix that lie in the same banks: of those that the bit of the lanes from `lane` on
 * tells apart (the row's bits from `row` on) some come from another matrix, and threads exchange
 * the registers of both. */
static void take_rows_in_turn(LayoutAccess *a, unsigned lane, unsigned row)
{
	for (unsigned k = 0; row + k < 3; k++) {
		for (unsigned i = 0; i < a->matrix_bits; i++) {
			LayoutAccess other = *a;
			other.thread_address[row + k] ^= a->thread_address[3 + i];
			other.swap[lane + k] ^= a->matrix[i];
			count_matrix_wavefronts(&other);
			if (layout_access_cost(&other) < layout_access_cost(a))
				*a = other;
		}
	}
}

static void swap_repeats(LayoutAccess *a, unsigned i, unsigned j)
{
	LayoutRepeat r = a->repeat[i];
	a->repeat[i] = a->repeat[j];
	a->repeat[j] = r;
}

/* Matrices are the first repeats or, if rows still meet in banks, two that have rows elsewhere. */
static void choose_matrices(LayoutAccess *a, const Map *m, unsigned lane, unsigned row)
{
	unsigned count = part_passes(a, m);
	LayoutAccess start = *a;
	take_matrices(a, count);
	count_matrix_wavefronts(a);
	take_rows_in_turn(a, lane, row);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = MAX(i + 1, 2); j < count && a->wavefronts > a->least; j++) {
			LayoutAccess other = start;
			swap_repeats(&other, 0, i);
			swap_repeats(&other, 1, j);
			take_matrices(&other, count);
			count_matrix_wavefronts(&other);
			take_rows_in_turn(&other, lane, row);
			if (layout_access_cost(&other) < layout_access_cost(a))
				*a = other;
		}
	}
}

/* Lane t holds word t % 4 of row t / 4. */
static bool matrix_access(const Map *m, bool store, unsigned element_bits, LayoutAccess *a)
{
	if (m->lanes != 5 || element_bits > 32 || (store && m->copies & 31))
		return false;
	unsigned word = base_log2(WORD_BITS / element_bits);
	uint64_t low_mask = (UINT64_C(1) << word) - 1;
	for (unsigned i = 0; i < word; i++) {
		if (!f2_span_has(&m->span, UINT64_C(1) << i))
			return false;
	}
	if ((m->thread[0] & ~low_mask) != UINT64_C(1) << word || (m->thread[1] & ~low_mask) != UINT64_C(2) << word ||
	    !rows_are_aligned(m, UINT64_C(3) << word, 3))
		return false;
	*a = new_access(m, LAYOUT_ACCESS_MATRIX, store, element_bits);
	a->vector_bits = word;
	for (unsigned i = 0; i < word; i++)
		a->vector[i] = registers_of(m, UINT64_C(1) << i);
	complete_repeats(a, m, word);
	set_threads(a, m, word);
	for (unsigned i = 0; i < 3; i++)
		a->thread_address[i] = a->thread_address[2 + i];
	choose_matrices(a, m, 2, 0);
	return true;
}

/* Lane t holds column t / 4 of rows 2 (t % 4) and the next; which register tells the two rows
 * apart is free. A column is one element of 16 bits, or two neighbours of 8, which are one register bit of the thread. */
static bool transposed_access(const Map *m, bool store, unsigned element_bits, LayoutAccess *best)
{
	bool found = false;
	if (m->lanes != 5 || (element_bits != 16 && element_bits != 8) || (store && m->copies & 31))
		return false;
	unsigned low = base_log2(16 / element_bits);
	uint64_t low_mask = (UINT64_C(1) << low) - 1, row_mask = UINT64_C(7) << low;
	for (unsigned i = 0; i < 3; i++) {
		if ((m->thread[2 + i] & ~low_mask) != UINT64_C(1) << (low + i))
			return false;
	}
	if ((low && !f2_span_has(&m->span, 1)) || !rows_are_aligned(m, row_mask, 7u << 2))
		return false;
	uint32_t neighbour = low ? registers_of(m, 1) : 0;
	for (unsigned pair = 0; pair < m->registers; pair++) {
		if (!(m->pivots >> pair & 1) || m->reg[pair] & low_mask || pass_of(m, m->reg[pair]))
			continue;
		LayoutAccess a = new_access(m, LAYOUT_ACCESS_MATRIX_TRANS, store, element_bits);
		a.vector_bits = low + 1;
		a.vector[0] = neighbour;
		a.vector[low] = 1u << pair;
		complete_repeats(&a, m, low);
		set_threads(&a, m, low);
		a.thread_address[2] = m->thread[1] & ~low_mask;
		a.thread_address[1] = m->thread[0] & ~low_mask;
		a.thread_address[0] = m->reg[pair];
		choose_matrices(&a, m, 0, 1);
		if (!found || a.wavefronts < best->wavefronts)
			*best = a;
		found = true;
	}
	return found;
}

/* Fewer wavefronts and instructions, then fewer selects. The weights are those of convert.c. */
unsigned layout_access_cost(const LayoutAccess *a)
{
	uint32_t registers = 1u << __builtin_popcount(a->registers);
	return (4 * a->wavefronts + 1) * layout_access_instructions(a) + layout_access_packs(a) +
	       layout_access_swaps(a) * layout_exchange_selects(registers, a->element_bits);
}

unsigned layout_access_packs(const LayoutAccess *access)
{
	unsigned bits = access->element_bits, registers = (unsigned)__builtin_popcount(access->registers);
	if (bits >= WORD_BITS)
		return 0;
	unsigned word = MIN(base_log2(WORD_BITS / bits), registers);
	uint32_t neighbours = 0;
	uint64_t made[8];
	for (unsigned i = 0; i < 32 && (unsigned)__builtin_popcount(neighbours) < word; i++)
		neighbours |= access->registers & 1u << i;
	bool same = access->vector_bits >= word;
	for (unsigned i = 0; i < word && same; i++) {
		made[i] = access->vector[i];
		same = !(access->vector[i] & ~neighbours);
	}
	if (same && f2_rank(made, word) == word)
		return 0;
	return MAX((1u << registers) * bits / WORD_BITS, 1) * (bits < 16 ? 2 : 1);
}

unsigned layout_access_swaps(const LayoutAccess *access)
{
	uint64_t by[LAYOUT_MAX_THREAD_BITS];
	for (unsigned i = 0; i < access->thread_bits; i++)
		by[i] = access->swap[i];
	return f2_rank(by, access->thread_bits);
}

bool layout_plan_access_as(const Layout *address, bool store, unsigned element_bits, LayoutAccessKind kind,
			   unsigned vector_bits, unsigned pass_shift, LayoutAccess *access)
{
	Map m = map_of(address, pass_shift);
	if (kind == LAYOUT_ACCESS_MATRIX)
		return matrix_access(&m, store, element_bits, access);
	if (kind == LAYOUT_ACCESS_MATRIX_TRANS)
		return transposed_access(&m, store, element_bits, access);
	if (vector_bits > widest_vector(&m, element_bits))
		return false;
	*access = vector_access(&m, store, element_bits, vector_bits);
	return true;
}

void layout_plan_access(const Layout *address, bool store, unsigned element_bits, const LayoutTarget *target,
			LayoutAccess *access)
{
	CONTRACT(element_bits && element_bits <= 128);
	Map m = map_of(address, ALL_IN_ONE);
	LayoutAccess other;
	ASSERT(base_is_pow2(element_bits) && element_bits >= 8 && element_bits <= 64);
	unsigned widest = widest_vector(&m, element_bits);
	*access = vector_access(&m, store, element_bits, widest);
	for (unsigned bits = widest; bits-- > 0;) {
		other = vector_access(&m, store, element_bits, bits);
		if (layout_access_cost(&other) < layout_access_cost(access))
			*access = other;
	}
	if (store ? !target->stmatrix : !target->ldmatrix)
		return;
	if (matrix_access(&m, store, element_bits, &other) && layout_access_cost(&other) < layout_access_cost(access))
		*access = other;
	if (transposed_access(&m, store, element_bits, &other) && layout_access_cost(&other) < layout_access_cost(access))
		*access = other;
}
