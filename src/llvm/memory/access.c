/* One side of a trip through shared memory: vectors, ldmatrix, stmatrix.
 *
 * An instruction's address is linear: the thread's part XOR a constant. Bits of the constant that
 * no thread touches are added instead, and end up in the instruction's immediate; one address
 * serves all instructions that differ in these. */
#include "layout/f2.h"
#include "llvm/machine.h"
#include "llvm/memory/shared.h"

/* ---- words ---- */

LLVMValueRef lower_pack(Lower *lw, const LLVMValueRef *elements, unsigned n, unsigned bits)
{
	CONTRACT(n && n * bits <= 64);
	if (n == 1)
		return elements[0];
	LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(lower_int_type(lw, bits), n));
	for (unsigned i = 0; i < n; i++)
		vector = LLVMBuildInsertElement(lw->b, vector, elements[i], lower_i32(lw, i), "");
	return LLVMBuildBitCast(lw->b, vector, lower_int_type(lw, n * bits), "");
}

void lower_unpack(Lower *lw, LLVMValueRef word, LLVMValueRef *elements, unsigned n, unsigned bits)
{
	CONTRACT(n && n * bits <= 64);
	if (n == 1) {
		elements[0] = word;
		return;
	}
	LLVMValueRef vector = LLVMBuildBitCast(lw->b, word, LLVMVectorType(lower_int_type(lw, bits), n), "");
	for (unsigned i = 0; i < n; i++)
		elements[i] = LLVMBuildExtractElement(lw->b, vector, lower_i32(lw, i), "");
}

/* Elements as the words of an instruction: 32 bits each,
 * one shorter word, or 64 bits for elements of 64. */
typedef struct Words {
	unsigned bits, per_word, count;
} Words;

static Words words_of(unsigned element_bits, unsigned vector_bits)
{
	unsigned total = element_bits << vector_bits;
	Words w = {.bits = MAX(element_bits, MIN(total, 32u))};
	w.per_word = w.bits / element_bits;
	w.count = total / w.bits;
	return w;
}

/* ---- addresses ---- */

static uint32_t sum(const uint32_t *by, unsigned bits)
{
	uint32_t result = 0;
	for (unsigned i = 0; bits >> i; i++)
		result ^= bits >> i & 1 ? by[i] : 0;
	return result;
}

/* Padding is additive over offsets that share no bits, so
 * the thread's part and the constant get theirs apart. */
static LLVMValueRef pad(Lower *lw, const LayoutPadded *padded, LLVMValueRef offset)
{
	LLVMValueRef moved = offset;
	for (unsigned i = 0; i < padded->count; i++) {
		LLVMValueRef n =
			LLVMBuildLShr(lw->b, offset, lower_i32(lw, base_log2(padded->pads[i].interval)), "");
		n = LLVMBuildMul(lw->b, n, lower_i32(lw, padded->pads[i].pad), "");
		moved = LLVMBuildAdd(lw->b, moved, n, "");
	}
	return moved;
}

LLVMValueRef lower_access_address(Lower *lw, const LayoutAccess *a, const SharedPlace *place,
				  LLVMValueRef word, uint64_t offset)
{
	uint64_t bases[LAYOUT_MAX_THREAD_BITS] = {0}, image = 0, size = a->element_bits / 8;
	uint64_t unit = place->padded ? 1 : size; /* of the bases: elements while they are to be padded */
	uint64_t mask = (UINT64_C(1) << MIN(a->offset_bits, place->pass_shift)) - 1;
	for (unsigned i = 0; i < a->thread_bits; i++) {
		bases[i] = (a->thread_address[i] & mask) * unit;
		image |= bases[i];
	}
	LLVMValueRef at = lower_linear(lw, bases, a->thread_bits, word);
	if (place->moved)
		at = LLVMBuildXor(lw->b, at, place->moved, "");
	image |= place->moved_image;
	uint64_t constant = ((offset ^ place->flip) & mask) * unit;
	if (constant & image)
		at = LLVMBuildXor(lw->b, at, lower_i32(lw, (int64_t)(constant & image)), "");
	uint64_t rest = (constant & ~image) + place->region * unit;
	if (place->padded) {
		at = LLVMBuildMul(lw->b, pad(lw, place->padded, at), lower_i32(lw, (int64_t)size), "");
		rest = layout_padded_offset(place->padded, rest) * size;
	}
	rest += place->bytes;
	LLVMValueRef address = LLVMBuildGEP2(lw->b, lw->t.i8, place->base, &at, 1, "");
	if (rest == 0)
		return address;
	LLVMValueRef step = lower_i32(lw, (int64_t)rest);
	return LLVMBuildGEP2(lw->b, lw->t.i8, address, &step, 1, "");
}

/* The block whose memory an instruction reads. */
static LLVMValueRef block_of(Lower *lw, const LayoutAccess *a, LLVMValueRef word, uint64_t address)
{
	uint64_t bases[LAYOUT_MAX_THREAD_BITS] = {0};
	for (unsigned i = 0; i < a->thread_bits; i++)
		bases[i] = a->thread_address[i] >> a->offset_bits;
	LLVMValueRef block = lower_linear(lw, bases, a->thread_bits, word);
	uint64_t constant = address >> a->offset_bits;
	return constant ? LLVMBuildXor(lw->b, block, lower_i32(lw, (int64_t)constant), "") : block;
}

typedef struct Instruction {
	uint32_t registers;
	uint64_t address;
} Instruction;

/* False where it belongs to another pass. */
static bool instruction_of(const LayoutAccess *a, const SharedPlace *place, unsigned number, Instruction *out)
{
	*out = (Instruction){0, 0};
	for (unsigned i = 0; i < a->repeat_bits; i++) {
		if (number >> i & 1) {
			out->registers ^= a->repeat[i].registers;
			out->address ^= a->repeat[i].address;
		}
	}
	uint64_t offset = out->address & ((UINT64_C(1) << a->offset_bits) - 1);
	return place->pass_shift >= a->offset_bits || offset >> place->pass_shift == place->pass;
}

LLVMValueRef lower_access_active(Lower *lw, const LayoutAccess *a, LLVMValueRef word)
{
	if (!a->idle)
		return NULL;
	LLVMValueRef bits = LLVMBuildAnd(lw->b, word, lower_i32(lw, a->idle), "");
	return LLVMBuildICmp(lw->b, LLVMIntEQ, bits, lower_i32(lw, 0), "");
}

enum { BYTES = 4 /* of a word */, PAIR = 2 * BYTES };

/* The bytes of two words that trade places, as memory has them by words and as registers follow one
 * another: element e of each list is `first` XOR its number. */
typedef struct BytePair {
	uint32_t by_words[PAIR], in_order[PAIR];
} BytePair;

/* False where registers that follow one another are not bytes of the same two words. */
static bool pair_of_words(const LayoutAccess *a, uint32_t distance, BytePair *out)
{
	uint32_t n = 0, all = 0;
	if (a->element_bits != 8 || a->vector_bits < 2)
		return false;
	for (uint32_t e = 0; e < PAIR; e++) {
		out->by_words[e] = (e & 1 ? a->vector[0] : 0) ^ (e & 2 ? a->vector[1] : 0) ^
				   (e & 4 ? distance : 0);
		all |= out->by_words[e];
	}
	for (uint32_t i = 0; i <= all && n < PAIR; i++)
		for (uint32_t e = 0; e < PAIR; e++)
			if (out->by_words[e] == i)
				out->in_order[n++] = i;
	return n == PAIR && out->in_order[3] == 3 && out->in_order[7] - out->in_order[4] == 3;
}

/* Where element `number` stands among the bytes of both words, for a permutation of bytes. */
static uint32_t place_in(const uint32_t *list, uint32_t number)
{
	uint32_t e = 0;
	while (list[e] != number)
		e++;
	return e;
}

/* Exchanges bytes and changes their order at once. */
static void exchange_bytes(Lower *lw, const BytePair *pair, bool store, LLVMValueRef *held, uint32_t count,
			   uint32_t distance, LLVMValueRef swaps)
{
	const uint32_t *from = store ? pair->in_order : pair->by_words,
		       *to = store ? pair->by_words : pair->in_order;
	LLVMValueRef pick[2], words[2];
	for (uint32_t w = 0; w < 2; w++) {
		uint32_t kept = 0, traded = 0;
		for (uint32_t e = BYTES; e-- > 0;) {
			kept = kept << 4 | place_in(from, to[w * BYTES + e]);
			traded = traded << 4 | place_in(from, to[w * BYTES + e] ^ distance);
		}
		pick[w] = LLVMBuildSelect(lw->b, swaps, lower_i32(lw, traded), lower_i32(lw, kept), "");
	}
	for (uint32_t r = 0; r < count; r++) {
		if (r % BYTES || (r ^ pair->in_order[BYTES]) < r)
			continue;
		LLVMValueRef part[BYTES];
		for (uint32_t w = 0; w < 2; w++) {
			for (uint32_t e = 0; e < BYTES; e++)
				part[e] = held[r ^ from[w * BYTES + e]];
			words[w] = lower_pack(lw, part, BYTES, 8);
		}
		for (uint32_t w = 0; w < 2; w++) {
			lower_unpack(lw, MACHINE3(lw, prmt, words[0], words[1], pick[w]), part, BYTES, 8);
			for (uint32_t e = 0; e < BYTES; e++)
				held[r ^ to[w * BYTES + e]] = part[e];
		}
	}
}

void lower_access_swap(Lower *lw, const LayoutAccess *a, LLVMValueRef word, LLVMValueRef *held,
		       uint32_t count)
{
	F2Span span = f2_span_none();
	for (unsigned i = 0; i < a->thread_bits; i++)
		f2_span_add(&span, a->swap[i]);
	for (unsigned i = 0; i < a->thread_bits; i++) {
		if (!(span.pivots >> i & 1))
			continue;
		uint64_t mask = 0;
		for (unsigned j = 0; j < a->thread_bits; j++) {
			uint64_t combo;
			f2_span_reduce(&span, a->swap[j], &combo);
			mask |= (combo >> i & 1) << j;
		}
		BytePair pair;
		LLVMValueRef swaps = lower_parity(lw, word, mask);
		if (pair_of_words(a, a->swap[i], &pair))
			exchange_bytes(lw, &pair, a->store, held, count, a->swap[i], swaps);
		else
			lower_exchange(lw, held, count, a->swap[i], swaps, a->element_bits);
	}
}

/* Plans do not count what padding does. */
void lower_access_predict(Lower *lw, const LayoutAccess *a, const SharedPlace *place,
			  LLVMValueRef instruction)
{
	static const char name[] = "neso.wavefronts";
	if (!lw->predictions || place->padded || !LLVMIsAInstruction(instruction))
		return;
	LLVMMetadataRef number = LLVMValueAsMetadata(lower_i32(lw, a->wavefronts));
	LLVMMetadataRef node = LLVMMDNodeInContext2(lw->cx, &number, 1);
	LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(lw->cx, name, sizeof name - 1),
			LLVMMetadataAsValue(lw->cx, node));
}

/* The tile's layout on the registers that go through
 * memory: a thread's are exchanged before, or after. */
static const Layout *exchanged(Lower *lw, const LayoutAccess *a, const Layout *tile)
{
	unsigned registers = tile ? layout_in_bits(tile, LAYOUT_REGISTER) : 0;
	uint64_t bases[64];
	bool same = true;
	if (!tile || tile->in_bits != registers + a->thread_bits)
		return NULL;
	memcpy(bases, tile->bases, sizeof *bases * tile->in_bits);
	for (unsigned i = 0; i < a->thread_bits; i++) {
		bases[registers + i] ^= layout_apply(tile, a->swap[i]);
		same &= !a->swap[i];
	}
	return same ? tile : layout_make(&lw->gpu->layouts, &tile->in, &tile->out, bases);
}

static void say_elements(Lower *lw, const LayoutAccess *a, const SharedPlace *place, const Layout *tile,
			 uint32_t registers, LLVMValueRef instruction)
{
	LowerElements e = {
		.kind = a->kind == LAYOUT_ACCESS_VECTOR		? LOWER_WORDS
			: a->kind == LAYOUT_ACCESS_MATRIX_TRANS ? LOWER_ROWS_TRANSPOSED
								: LOWER_ROWS,
		.layout = tile,
		.first = place->first ^ registers,
		.vector = a->vector,
		.vector_bits = a->vector_bits,
		.matrix = a->matrix,
		.matrix_bits = a->kind == LAYOUT_ACCESS_VECTOR ? 0 : a->matrix_bits,
	};
	lower_elements(lw, instruction, &e);
}

/* ---- vectors ---- */

static LLVMTypeRef words_type(Lower *lw, const Words *w)
{
	LLVMTypeRef word = lower_int_type(lw, w->bits);
	return w->count > 1 ? LLVMVectorType(word, w->count) : word;
}

static LLVMValueRef store_vector(Lower *lw, const LayoutAccess *a, const Instruction *in,
				 LLVMValueRef address, const LLVMValueRef *held)
{
	Words w = words_of(a->element_bits, a->vector_bits);
	LLVMValueRef value = LLVMGetPoison(words_type(lw, &w));
	for (unsigned i = 0; i < w.count; i++) {
		LLVMValueRef elements[4];
		for (unsigned e = 0; e < w.per_word; e++)
			elements[e] = held[in->registers ^ sum(a->vector, i * w.per_word + e)];
		LLVMValueRef word = lower_pack(lw, elements, w.per_word, a->element_bits);
		value = w.count == 1 ? word
				     : LLVMBuildInsertElement(lw->b, value, word, lower_i32(lw, i), "");
	}
	LLVMValueRef store = LLVMBuildStore(lw->b, value, address);
	LLVMSetAlignment(store, w.bits * w.count / 8);
	return store;
}

static void take_vector(Lower *lw, const LayoutAccess *a, const Instruction *in, LLVMValueRef value,
			LLVMValueRef *held)
{
	Words w = words_of(a->element_bits, a->vector_bits);
	for (unsigned i = 0; i < w.count; i++) {
		LLVMValueRef elements[4];
		LLVMValueRef word =
			w.count == 1 ? value : LLVMBuildExtractElement(lw->b, value, lower_i32(lw, i), "");
		lower_unpack(lw, word, elements, w.per_word, a->element_bits);
		for (unsigned e = 0; e < w.per_word; e++)
			held[in->registers ^ sum(a->vector, i * w.per_word + e)] = elements[e];
	}
}

/* *call: the instruction. */
static LLVMValueRef load_cluster(Lower *lw, const Words *w, LLVMValueRef address, LLVMValueRef block,
				 LLVMValueRef *call)
{
	LLVMTypeRef word = lower_int_type(lw, MAX(w->bits, 16u)), fields[4] = {word, word, word, word};
	LLVMTypeRef type = w->count > 1 ? LLVMStructTypeInContext(lw->cx, fields, w->count, false) : word;
	LLVMValueRef args[] = {address, block};
	LLVMValueRef got = machine_family(
		lw, MACHINE_ld_cluster, arena_printf(lw->arena, "v%ub%u", w->count, w->bits), type, args, 2);
	*call = got;
	if (w->count == 1)
		return w->bits < 16 ? LLVMBuildTrunc(lw->b, got, lower_int_type(lw, w->bits), "") : got;
	ASSERT(w->bits >= 16);
	LLVMValueRef value = LLVMGetPoison(words_type(lw, w));
	for (unsigned i = 0; i < w->count; i++)
		value = LLVMBuildInsertElement(lw->b, value, LLVMBuildExtractValue(lw->b, got, i, ""),
					       lower_i32(lw, i), "");
	return value;
}

/* ---- matrices ---- */

static LLVMValueRef store_matrix(Lower *lw, const LayoutAccess *a, const Instruction *in,
				 LLVMValueRef address, const LLVMValueRef *held)
{
	static const MachineOp ops[2][3] = {
		{MACHINE_stmatrix_x1, MACHINE_stmatrix_x2, MACHINE_stmatrix_x4},
		{MACHINE_stmatrix_trans_x1, MACHINE_stmatrix_trans_x2, MACHINE_stmatrix_trans_x4}};
	LLVMValueRef args[5] = {address};
	unsigned n = 1u << a->matrix_bits, per_word = 1u << a->vector_bits;
	for (unsigned m = 0; m < n; m++) {
		LLVMValueRef elements[4];
		for (unsigned e = 0; e < per_word; e++)
			elements[e] = held[in->registers ^ sum(a->matrix, m) ^ sum(a->vector, e)];
		args[1 + m] = lower_pack(lw, elements, per_word, a->element_bits);
	}
	return machine_call(lw, ops[a->kind == LAYOUT_ACCESS_MATRIX_TRANS][a->matrix_bits], args, 1 + n);
}

static LLVMValueRef load_matrix(Lower *lw, const LayoutAccess *a, const Instruction *in, LLVMValueRef address,
				LLVMValueRef *held)
{
	static const MachineOp ops[2][3] = {
		{MACHINE_ldmatrix_x1, MACHINE_ldmatrix_x2, MACHINE_ldmatrix_x4},
		{MACHINE_ldmatrix_trans_x1, MACHINE_ldmatrix_trans_x2, MACHINE_ldmatrix_trans_x4}};
	unsigned n = 1u << a->matrix_bits, per_word = 1u << a->vector_bits;
	LLVMValueRef got =
		machine_call(lw, ops[a->kind == LAYOUT_ACCESS_MATRIX_TRANS][a->matrix_bits], &address, 1);
	for (unsigned m = 0; m < n; m++) {
		LLVMValueRef elements[4], word = n == 1 ? got : LLVMBuildExtractValue(lw->b, got, m, "");
		lower_unpack(lw, word, elements, per_word, a->element_bits);
		for (unsigned e = 0; e < per_word; e++)
			held[in->registers ^ sum(a->matrix, m) ^ sum(a->vector, e)] = elements[e];
	}
	return got;
}

/* ---- both ---- */

void lower_access_store(Lower *lw, const LayoutAccess *a, const SharedPlace *place, LLVMValueRef word,
			const LLVMValueRef *held)
{
	CONTRACT(layout_access_instructions(a) > 0);
	const Layout *tile = lw->predictions ? exchanged(lw, a, place->tile) : NULL;
	for (unsigned i = 0; i < layout_access_instructions(a); i++) {
		Instruction in;
		if (!instruction_of(a, place, i, &in))
			continue;
		LLVMValueRef address = lower_access_address(lw, a, place, word, in.address), store;
		store = a->kind == LAYOUT_ACCESS_VECTOR ? store_vector(lw, a, &in, address, held)
							: store_matrix(lw, a, &in, address, held);
		lower_access_predict(lw, a, place, store);
		say_elements(lw, a, place, tile, in.registers, store);
	}
}

void lower_access_load(Lower *lw, const LayoutAccess *a, const SharedPlace *place, LLVMValueRef word,
		       LLVMValueRef *held)
{
	CONTRACT(layout_access_instructions(a) > 0);
	Words w = words_of(a->element_bits, a->vector_bits);
	const Layout *tile = lw->predictions ? exchanged(lw, a, place->tile) : NULL;
	for (unsigned i = 0; i < layout_access_instructions(a); i++) {
		Instruction in;
		if (!instruction_of(a, place, i, &in))
			continue;
		LLVMValueRef address = lower_access_address(lw, a, place, word, in.address), value, got;
		if (a->kind != LAYOUT_ACCESS_VECTOR) {
			value = load_matrix(lw, a, &in, address, held);
			lower_access_predict(lw, a, place, value);
			say_elements(lw, a, place, tile, in.registers, value);
			continue;
		}
		if (place->cluster) {
			value = load_cluster(lw, &w, address, block_of(lw, a, word, in.address), &got);
			say_elements(lw, a, place, tile, in.registers, got);
		} else {
			value = LLVMBuildLoad2(lw->b, words_type(lw, &w), address, "");
			LLVMSetAlignment(value, w.bits * w.count / 8);
			lower_access_predict(lw, a, place, value);
			say_elements(lw, a, place, tile, in.registers, value);
		}
		take_vector(lw, a, &in, value, held);
	}
}
