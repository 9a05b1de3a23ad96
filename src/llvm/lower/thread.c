/* Who a thread is, and linear maps of that.
 *
 * Thread ids and all that follows from them alone are computed once, in the function's entry block,
 * and remembered: the same map of the same word is the same LLVM value wherever it is asked for. */
#include "llvm/lower/affine.h"
#include "llvm/lower_int.h"

/* A linear map that was built. */
typedef struct Built {
	struct Built *next;
	LLVMValueRef word, value;
	unsigned count;
	uint64_t hash;
	uint64_t bases[];
} Built;

enum { BUILT_BUCKETS = 64 };

struct LowerThread {
	LLVMBasicBlockRef entry; /* ids are built here, before the jump to the body */
	LLVMValueRef thread, lane, warp, cta;
	const Layout *word_layout; /* of the word below */
	LLVMValueRef word;
	unsigned warps, all; /* that hold tiles; with those that partitions run on */
	Built *built[BUILT_BUCKETS];
};

void lower_thread_begin(Lower *lw, LLVMBasicBlockRef entry)
{
	lw->thread = ARENA_NEW(lw->arena, struct LowerThread);
	lw->thread->entry = entry;
	lw->thread->warps = gpu_num_warps(lw->gpu, lw->func);
	lw->thread->all = gpu_all_warps(lw->gpu, lw->func);
}

/* ---- building in the entry block ---- */

typedef struct Place {
	LLVMBasicBlockRef block;
	LLVMMetadataRef line;
} Place;

/* Ids carry the function's own location. */
static Place to_entry(Lower *lw)
{
	Place back = {LLVMGetInsertBlock(lw->b), LLVMGetCurrentDebugLocation2(lw->b)};
	LLVMPositionBuilderAtEnd(lw->b, lw->thread->entry);
	lower_line(lw, lw->func->loc);
	return back;
}

static void from_entry(Lower *lw, Place back)
{
	LLVMPositionBuilderAtEnd(lw->b, back.block);
	LLVMSetCurrentDebugLocation2(lw->b, back.line);
}

/* ---- ids ---- */

LLVMValueRef lower_thread(Lower *lw)
{
	struct LowerThread *t = lw->thread;
	if (!t->thread) {
		Place back = to_entry(lw);
		t->thread = MACHINE0(lw, tid_x);
		LLVMAddCallSiteAttribute(t->thread, LLVMAttributeReturnIndex,
					 lower_range(lw, 32, 0, TARGET_WARP_SIZE * (uint64_t)t->all));
		from_entry(lw, back);
	}
	return t->thread;
}

LLVMValueRef lower_lane(Lower *lw)
{
	struct LowerThread *t = lw->thread;
	if (!t->lane) {
		LLVMValueRef thread = lower_thread(lw);
		Place back = to_entry(lw);
		t->lane = t->all == 1 ? thread :
			  LLVMBuildAnd(lw->b, thread, lower_i32(lw, TARGET_WARP_SIZE - 1), "");
		from_entry(lw, back);
	}
	return t->lane;
}

LLVMValueRef lower_warp(Lower *lw)
{
	struct LowerThread *t = lw->thread;
	if (!t->warp) {
		LLVMValueRef thread = lower_thread(lw);
		Place back = to_entry(lw);
		/* All lanes have the same: read from lane 0, it is known to ptxas, which keeps it
		 * in a uniform register. */
		t->warp = t->all == 1 ? lower_i32(lw, 0) :
			  MACHINE1(lw, warp_uniform, LLVMBuildLShr(lw->b, thread, lower_i32(lw, 5), ""));
		from_entry(lw, back);
	}
	return t->warp;
}

LLVMValueRef lower_cta_rank(Lower *lw)
{
	LLVMValueRef rank = MACHINE0(lw, cluster_rank);
	LLVMAddCallSiteAttribute(rank, LLVMAttributeReturnIndex,
				 lower_range(lw, 32, 0, lower_ctas_of_program(lw)));
	return rank;
}

LLVMValueRef lower_cta(Lower *lw)
{
	struct LowerThread *t = lw->thread;
	if (!t->cta) {
		Place back = to_entry(lw);
		t->cta = lw->gpu->num_ctas == 1 ? lower_i32(lw, 0) : lower_cta_rank(lw);
		from_entry(lw, back);
	}
	return t->cta;
}

LLVMValueRef lower_thread_word(Lower *lw, const Layout *layout)
{
	struct LowerThread *t = lw->thread;
	unsigned blocks = layout_in_bits(layout, LAYOUT_BLOCK);
	unsigned threads = layout_in_bits(layout, LAYOUT_LANE) + layout_in_bits(layout, LAYOUT_WARP);
	if (!blocks)
		return lower_thread(lw);
	ASSERT(!t->word_layout || layout_in_bits(t->word_layout, LAYOUT_BLOCK) == blocks);
	if (!t->word) {
		LLVMValueRef thread = lower_thread(lw), cta = lower_cta(lw);
		Place back = to_entry(lw);
		t->word =
			LLVMBuildOr(lw->b, thread, LLVMBuildShl(lw->b, cta, lower_i32(lw, threads), ""), "");
		LLVMSetIsDisjoint(t->word, true);
		t->word_layout = layout;
		from_entry(lw, back);
	}
	return t->word;
}

/* ---- linear maps ---- */

static bool is_in_entry(const Lower *lw, LLVMValueRef v)
{
	return LLVMIsConstant(v) ||
	       (LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == lw->thread->entry);
}

/* Are all bits of the word from `bits` on 0? */
static bool is_bounded(const Lower *lw, LLVMValueRef word, unsigned bits)
{
	const struct LowerThread *t = lw->thread;
	return word == t->thread && (uint64_t)TARGET_WARP_SIZE * t->warps <= (uint64_t)1 << bits;
}

/* Bit j of an image comes from bit i of the word wherever bases[i] has bit j: all pairs of one
 * distance j - i are one mask and one shift. Parts that share no bit of the image are ORed, which
 * addresses can fold. */
static LLVMValueRef build_linear(Lower *lw, const uint64_t *bases, unsigned count, LLVMValueRef word)
{
	LLVMValueRef sum = NULL;
	uint64_t taken = 0;
	uint64_t known = count >= 32 ? UINT32_MAX : ((uint64_t)1 << count) - 1;
	for (int distance = -31; distance <= 31; distance++) {
		uint64_t mask = 0;
		for (unsigned i = 0; i < count; i++) {
			int to = (int)i + distance;
			if (to >= 0 && to < 32 && (bases[i] >> to & 1))
				mask |= (uint64_t)1 << i;
		}
		if (!mask)
			continue;
		uint64_t image = distance >= 0 ? mask << distance : mask >> -distance;
		LLVMValueRef part = mask == known && is_bounded(lw, word, count) ? word :
				    LLVMBuildAnd(lw->b, word, lower_i32(lw, (int64_t)mask), "");
		if (distance > 0)
			part = LLVMBuildShl(lw->b, part, lower_i32(lw, distance), "");
		else if (distance < 0)
			part = LLVMBuildLShr(lw->b, part, lower_i32(lw, -distance), "");
		if (!sum) {
			sum = part;
		} else if (taken & image) {
			sum = LLVMBuildXor(lw->b, sum, part, "");
		} else {
			sum = LLVMBuildOr(lw->b, sum, part, "");
			if (LLVMIsAInstruction(sum))
				LLVMSetIsDisjoint(sum, true);
		}
		taken |= image;
	}
	return sum ? sum : lower_i32(lw, 0);
}

LLVMValueRef lower_linear(Lower *lw, const uint64_t *bases, unsigned count, LLVMValueRef word)
{
	CONTRACT(LLVMTypeOf(word) == lw->t.i32);
	struct LowerThread *t = lw->thread;
	ASSERT(count <= 32);
	if (!is_in_entry(lw, word))
		return build_linear(lw, bases, count, word);
	size_t size = count * sizeof *bases;
	uint64_t hash = str_hash(bases, size) + count;
	Built **bucket = &t->built[hash % BUILT_BUCKETS];
	for (Built *b = *bucket; b; b = b->next)
		if (b->hash == hash && b->word == word && b->count == count &&
		    memcmp(b->bases, bases, size) == 0)
			return b->value;
	Built *b = arena_alloc(lw->arena, sizeof *b + size);
	b->word = word;
	b->count = count;
	b->hash = hash;
	memcpy(b->bases, bases, size);
	Place back = to_entry(lw);
	b->value = build_linear(lw, bases, count, word);
	from_entry(lw, back);
	b->next = *bucket;
	*bucket = b;
	return b->value;
}

LLVMValueRef lower_parity(Lower *lw, LLVMValueRef word, uint64_t mask)
{
	CONTRACT(LLVMTypeOf(word) == lw->t.i32);
	LLVMValueRef bits = LLVMBuildAnd(lw->b, word, lower_i32(lw, (int64_t)mask), "");
	if (base_is_pow2(mask))
		return LLVMBuildICmp(lw->b, LLVMIntNE, bits, lower_i32(lw, 0), "");
	LLVMValueRef ones = lower_intrinsic1(lw, "llvm.ctpop.i32", lw->t.i32, bits);
	return LLVMBuildTrunc(lw->b, ones, lw->t.i1, "");
}

/* ---- coordinates ---- */

/* Bases of the bits of the thread word: the part of one dim of the tile. */
static unsigned thread_bases(const Layout *layout, unsigned dim, uint64_t *bases)
{
	static const LayoutName names[] = {LAYOUT_LANE, LAYOUT_WARP, LAYOUT_BLOCK};
	unsigned n = 0;
	for (unsigned k = 0; k < ARRAY_LEN(names); k++)
		for (unsigned i = 0; i < layout_in_bits(layout, names[k]); i++)
			bases[n++] = layout_space_get(&layout->out, layout_basis(layout, names[k], i),
						      LAYOUT_DIM0 + dim);
	return n;
}

/* base ^ value; image: the bits that base may have. */
static LLVMValueRef xor_const(Lower *lw, LLVMValueRef base, uint64_t image, uint64_t value)
{
	if (image & value)
		return LLVMBuildXor(lw->b, base, lower_i32(lw, (int64_t)value), "");
	return lower_affine_value(lw, (LowerAffine){.base = base, .offset = (int64_t)value, .zero = ~image});
}

LLVMValueRef *lower_coordinates(Lower *lw, const Layout *layout)
{
	unsigned rank = layout_rank(layout), bits = layout_in_bits(layout, LAYOUT_REGISTER);
	uint32_t reps = layout_space_reps(&layout->in), count = reps << bits;
	LLVMValueRef *coords = lower_array(lw, count * MAX(rank, 1u));
	LLVMValueRef word = lower_thread_word(lw, layout);
	LLVMValueRef base[LAYOUT_MAX_RANK];
	uint64_t image[LAYOUT_MAX_RANK];
	for (unsigned d = 0; d < rank; d++) {
		uint64_t bases[64];
		unsigned n = thread_bases(layout, d, bases);
		image[d] = 0;
		for (unsigned i = 0; i < n; i++)
			image[d] |= bases[i];
		base[d] = lower_linear(lw, bases, n, word);
	}
	for (uint32_t r = 0; r < count; r++) {
		int64_t at[LAYOUT_MAX_RANK];
		layout_coordinates(layout, r >> bits, r & ((1u << bits) - 1), at);
		for (unsigned d = 0; d < rank; d++)
			coords[r * rank + d] = xor_const(lw, base[d], image[d], (uint64_t)at[d]);
	}
	return coords;
}

LLVMValueRef lower_owner(Lower *lw, const Layout *layout)
{
	uint64_t mask = 0;
	unsigned shift = 0;
	static const LayoutName names[] = {LAYOUT_LANE, LAYOUT_WARP, LAYOUT_BLOCK};
	for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
		mask |= layout_free_bits(layout, names[k]) << shift;
		shift += layout_in_bits(layout, names[k]);
	}
	if (!mask)
		return NULL;
	LLVMValueRef word = lower_thread_word(lw, layout);
	Place back = to_entry(lw);
	LLVMValueRef free = LLVMBuildAnd(lw->b, word, lower_i32(lw, (int64_t)mask), "");
	LLVMValueRef owner = LLVMBuildICmp(lw->b, LLVMIntEQ, free, lower_i32(lw, 0), "");
	from_entry(lw, back);
	return owner;
}

void lower_barrier(Lower *lw)
{
	const LowerRoles *r = lw->roles;
	if (r)
		MACHINE2(lw, named_barrier, lower_i32(lw, r->barrier),
			 lower_i32(lw, TARGET_WARP_SIZE * (int64_t)r->warps));
	else
		MACHINE0(lw, barrier);
}

void lower_program_barrier(Lower *lw)
{
	if (lw->gpu->num_ctas > 1)
		MACHINE0(lw, cluster_barrier);
	else
		lower_barrier(lw);
}
