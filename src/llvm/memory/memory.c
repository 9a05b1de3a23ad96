/* Loads from and stores to global memory.
 *
 * One access takes as many elements as the axis analysis allows and the layout holds in a row. What nothing masks is a plain
 * LLVM load or store of a vector, which LLVM and ptxas schedule as they like; a masked one is a predicated instruction. What a
 * load was masked from is selected afterwards: `other`, or 0 without one, as upstream; nothing where only stores of the
 * same mask see it. No element is loaded or stored twice by a thread, nor loaded twice
 * where two of them are known to have one address; of threads that hold copies, all load, one stores.
 * Scalars are loaded by every thread and stored by the first.
 *
 * Addresses: where pointers are known to go up by one element, registers that differ in such bits alone share the
 * address of the lowest, and the difference ends up in the instruction. */
#include "llvm/memory/memory.h"

#include "base/map.h"
#include "gpu/analysis/apart.h"
#include "gpu/analysis/pressure.h"
#include "ir/enums.h"
#include "layout/f2.h"
#include "llvm/memory/shared.h"

enum { WIDEST_ACCESS = 128, MOST_USES = 200 };

/* ---- which registers one access takes ---- */

static void choose_vector(Lower *lw, GlobalTile *tile, const IrValue *pointers, const IrValue *mask, unsigned widest,
			  unsigned *dim)
{
	*dim = 0;
	if (widest < 2 * tile->element_bits)
		return;
	for (unsigned d = 0; d < layout_rank(tile->layout); d++) {
		uint32_t registers[5];
		int64_t most = MIN(axis_vector(lw->axis, pointers, mask, d), (int64_t)(widest / tile->element_bits));
		unsigned n = layout_vector(tile->layout, d, base_log2((uint64_t)MAX(most, 1)), registers);
		if (n <= tile->vector_bits)
			continue;
		tile->vector_bits = n;
		memcpy(tile->vector, registers, sizeof registers);
		*dim = d;
	}
}

/* The bits of all images but that of register bit `except`. */
static uint64_t others(const Layout *l, unsigned except)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < l->in_bits; i++)
		bits |= i == except ? 0 : l->bases[i];
	return bits;
}

/* A register bit whose image is apart from all others, and within a group of pointers that go up by one: as a layout's
 * registers come first in its input, bit i is register bit i. */
static void fold_addresses(Lower *lw, GlobalTile *tile, const IrValue *pointers)
{
	const AxisInfo *info = axis_of(lw->axis, pointers);
	const Layout *l = tile->layout;
	for (unsigned i = 0; info && i < tile->register_bits; i++) {
		uint64_t image = l->bases[i];
		if (!image || image & others(l, i))
			continue;
		for (unsigned d = 0; d < layout_rank(l); d++) {
			uint64_t at = layout_coordinate(l, image, d);
			if (layout_space_put(&l->out, LAYOUT_DIM0 + d, at) != image || (int64_t)at >= info->contiguity[d])
				continue;
			tile->folded |= UINT32_C(1) << i;
			tile->step[i] = (int64_t)at;
			break;
		}
	}
}

static void list_groups(Lower *lw, GlobalTile *tile, unsigned dim)
{
	const Layout *l = tile->layout;
	uint32_t count = UINT32_C(1) << tile->register_bits, mask = (UINT32_C(1) << tile->vector_bits) - 1;
	uint32_t *starts = ARENA_ARRAY(lw->arena, uint32_t, count);
	tile->copies = lower_register_copies(lw, l);
	for (uint32_t r = 0; r < count; r++) {
		uint32_t low = (uint32_t)layout_coordinate(l, layout_apply(l, r), dim) & mask;
		if (tile->copies[r] == r && !low)
			starts[tile->group_count++] = r;
	}
	tile->starts = starts;
}

GlobalTile lower_global_tile(Lower *lw, const IrValue *pointers, const IrValue *mask, unsigned widest)
{
	static const uint32_t first = 0;
	IrType pointer = ir_elem(pointers->type);
	GlobalTile tile = {.pointers = lower_get(lw, pointers).regs, .reps = 1};
	unsigned dim;
	tile.element_bits = gpu_element_bits(pointer->elem);
	if (!ir_is_tensor(pointers->type)) {
		tile.group_count = 1;
		tile.starts = tile.copies = &first;
		return tile;
	}
	tile.layout = gpu_layout(lw->gpu, pointers->type);
	tile.register_bits = layout_in_bits(tile.layout, LAYOUT_REGISTER);
	tile.reps = layout_space_reps(&tile.layout->in);
	choose_vector(lw, &tile, pointers, mask, widest, &dim);
	fold_addresses(lw, &tile, pointers);
	list_groups(lw, &tile, dim);
	return tile;
}

LLVMValueRef lower_global_address(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start)
{
	CONTRACT(start < 1u << tile->register_bits);
	int64_t elements = 0;
	for (unsigned i = 0; i < tile->register_bits; i++)
		elements += start & tile->folded & (UINT32_C(1) << i) ? tile->step[i] : 0;
	LLVMValueRef base = tile->pointers[(rep << tile->register_bits) + (start & ~tile->folded)];
	if (!elements)
		return base;
	LLVMValueRef step = lower_i64(lw, elements * (int64_t)(tile->element_bits / 8));
	return LLVMBuildGEP2(lw->b, lw->t.i8, base, &step, 1, "");
}

void lower_global_elements(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start, LLVMValueRef instruction)
{
	LowerElements e = {LOWER_WORDS, tile->layout, (rep << tile->register_bits) + start, tile->vector, NULL, tile->vector_bits, 0};
	lower_elements(lw, instruction, &e);
	lower_promised_run(lw, tile, rep, start, instruction);
}

void lower_global_spread(const GlobalTile *tile, LLVMValueRef *regs)
{
	uint32_t count = UINT32_C(1) << tile->register_bits;
	for (uint32_t i = 0; i < tile->reps * count; i++)
		regs[i] = regs[i - i % count + tile->copies[i % count]];
}

/* ---- who does it ---- */

LLVMValueRef lower_global_owner(Lower *lw, const GlobalTile *tile)
{
	if (tile->layout)
		return lower_owner(lw, tile->layout);
	LLVMValueRef who = lower_thread(lw);
	if (lw->gpu->num_ctas > 1)
		who = LLVMBuildOr(lw->b, who, lower_cta(lw), "");
	return LLVMBuildICmp(lw->b, LLVMIntEQ, who, lower_i32(lw, 0), "");
}

static bool is_true(LLVMValueRef v)
{
	return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == 1;
}

LLVMValueRef lower_global_condition(Lower *lw, LLVMValueRef owner, const LowerValue *mask, uint32_t index)
{
	LLVMValueRef wanted = mask && mask->count ? mask->regs[index] : NULL;
	if (!wanted || is_true(wanted))
		return owner;
	return owner ? LLVMBuildAnd(lw->b, owner, wanted, "") : wanted;
}

/* ---- words ---- */

GlobalWords lower_global_words(unsigned element_bits, unsigned vector_bits)
{
	CONTRACT(element_bits);
	unsigned total = element_bits << vector_bits;
	GlobalWords w = {.bits = MAX(element_bits, MIN(total, 32u))};
	w.per_word = w.bits / element_bits;
	w.count = total / w.bits;
	return w;
}

static LLVMTypeRef word_type(Lower *lw, const GlobalWords *w)
{
	return lower_int_type(lw, MAX(w->bits, 16u));
}

LLVMTypeRef lower_words_result(Lower *lw, const GlobalWords *w)
{
	LLVMTypeRef word = word_type(lw, w), fields[4] = {word, word, word, word};
	ASSERT(w->count <= ARRAY_LEN(fields));
	return w->count > 1 ? LLVMStructTypeInContext(lw->cx, fields, w->count, false) : word;
}

const char *lower_words_suffix(Lower *lw, const char *modifiers, const GlobalWords *w)
{
	return arena_printf(lw->arena, "%s%sv%ub%u", modifiers, *modifiers ? "." : "", w->count, w->bits);
}

void lower_words_pack(Lower *lw, const GlobalTile *tile, const GlobalWords *w, uint32_t rep, uint32_t start,
		      const LLVMValueRef *regs, IrType elem, LLVMValueRef *out)
{
	for (unsigned i = 0; i < w->count; i++) {
		LLVMValueRef elements[4];
		for (unsigned e = 0; e < w->per_word; e++) {
			uint32_t at = lower_global_register(tile, rep, start, i * w->per_word + e);
			elements[e] = lower_to_bits(lw, regs[at], elem);
		}
		out[i] = lower_pack(lw, elements, w->per_word, tile->element_bits);
		if (w->bits < 16)
			out[i] = LLVMBuildZExt(lw->b, out[i], lw->t.i16, "");
	}
}

void lower_words_unpack(Lower *lw, const GlobalTile *tile, const GlobalWords *w, uint32_t rep, uint32_t start,
			const LLVMValueRef *got, IrType elem, LLVMValueRef *regs)
{
	for (unsigned i = 0; i < w->count; i++) {
		LLVMValueRef elements[4], word = got[i];
		if (w->bits < 16)
			word = LLVMBuildTrunc(lw->b, word, lw->t.i8, "");
		lower_unpack(lw, word, elements, w->per_word, tile->element_bits);
		for (unsigned e = 0; e < w->per_word; e++)
			regs[lower_global_register(tile, rep, start, i * w->per_word + e)] =
				lower_from_bits(lw, elements[e], elem);
	}
}

/* ---- how ---- */

/* Modifiers as the suffixes of ld_global and st_global write them. */
typedef struct How {
	const char *modifiers;
	LLVMValueRef policy; /* of the second-level cache, or NULL */
	bool is_volatile;
	bool clear;       /* registers are set before a masked load: to 0 */
	bool given;       /* to what its masked elements become */
	bool is_fresh; /* others may write meanwhile, and the program looks again: no load is merged or moved */
} How;

static How how_of(Lower *lw, const IrOp *op)
{
	static const char *const caches[] = {"", "", "ca", "cg", "wb", "cs", "wt", "cv"};
	const IrCx *cx = lw->gpu->ir;
	int64_t cache = ir_get_int(op, cx, ATTR_CACHE, CACHE_NONE), evict = ir_get_int(op, cx, ATTR_EVICT, EVICT_NORMAL);
	bool load = op->kind != OP_STORE;
	/* To ptxas .cv is a hint for a plain load; the instruction is that of volatile ones. */
	How how = {.is_volatile = ir_is_volatile(op)};
	const char *c = how.is_volatile ? "volatile" : cache > 0 && cache <= CACHE_CV ? caches[cache] : "";
	/* Loads have no write modes, and stores have no ca. */
	if (load ? cache == CACHE_WB || cache == CACHE_WT : cache == CACHE_CA || cache == CACHE_CV)
		c = "";
	if (evict == EVICT_FIRST || evict == EVICT_LAST) {
		how.policy = evict == EVICT_FIRST ? MACHINE0(lw, policy_evict_first) : MACHINE0(lw, policy_evict_last);
		c = arena_printf(lw->arena, "%s%s%s", evict == EVICT_FIRST ? "first" : "last", *c ? "." : "", c);
	}
	how.modifiers = c;
	how.is_fresh = how.is_volatile || cache == CACHE_CG;
	return how;
}

static bool is_plain(const How *how)
{
	return !how->policy && (!*how->modifiers || how->is_volatile);
}

/* The type that plain accesses give their vectors: the elements' own where LLVM has vectors of it in memory. */
static LLVMTypeRef plain_type(Lower *lw, const GlobalTile *tile, IrType elem)
{
	LLVMTypeRef one = elem->kind == TY_PTR || elem->kind == TY_I1 ? lower_int_type(lw, tile->element_bits) :
			  lower_type(lw, elem);
	return tile->vector_bits ? LLVMVectorType(one, 1u << tile->vector_bits) : one;
}

static bool has_own_type(IrType elem)
{
	return elem->kind != TY_PTR && elem->kind != TY_I1;
}

static const char *suffix_of(Lower *lw, const How *how, LLVMValueRef condition, const GlobalWords *w)
{
	const char *modifiers = how->modifiers;
	if (condition && (how->given || how->clear))
		modifiers = arena_printf(lw->arena, "%s%s%s", how->given ? "given" : "clear",
					 *modifiers ? "." : "", modifiers);
	if (!condition)
		modifiers = arena_printf(lw->arena, "always%s%s", *modifiers ? "." : "", modifiers);
	return lower_words_suffix(lw, modifiers, w);
}

/* Address, condition (NULL: always), policy; how many. */
static unsigned first_args(Lower *lw, const GlobalTile *tile, const How *how, uint32_t rep, uint32_t start,
			   LLVMValueRef condition, LLVMValueRef *args)
{
	unsigned n = 0;
	args[n++] = lower_global_address(lw, tile, rep, start);
	if (condition)
		args[n++] = condition;
	if (how->policy)
		args[n++] = how->policy;
	return n;
}

/* ---- loads ---- */

static void plain_load(Lower *lw, const GlobalTile *tile, const How *how, uint32_t rep, uint32_t start, IrType elem,
		       LLVMValueRef *regs)
{
	LLVMValueRef address = lower_global_address(lw, tile, rep, start);
	LLVMValueRef v = LLVMBuildLoad2(lw->b, plain_type(lw, tile, elem), address, "");
	LLVMSetAlignment(v, (tile->element_bits << tile->vector_bits) / 8);
	LLVMSetVolatile(v, how->is_volatile);
	lower_global_elements(lw, tile, rep, start, v);
	for (uint32_t e = 0; e < 1u << tile->vector_bits; e++) {
		LLVMValueRef one = tile->vector_bits ? LLVMBuildExtractElement(lw->b, v, lower_i32(lw, e), "") : v;
		regs[lower_global_register(tile, rep, start, e)] =
			has_own_type(elem) ? one : lower_from_bits(lw, one, elem);
	}
}

/* condition NULL: always. */
static void special_load(Lower *lw, const GlobalTile *tile, const How *how, uint32_t rep, uint32_t start, IrType elem,
			 LLVMValueRef condition, const LLVMValueRef *other, bool unseen, LLVMValueRef *regs)
{
	GlobalWords w = lower_global_words(tile->element_bits, tile->vector_bits);
	LLVMValueRef args[8], words[4], others[4];
	unsigned n = first_args(lw, tile, how, rep, start, condition, args);
	for (unsigned i = 0; i < w.count; i++)
		others[i] = LLVMConstNull(word_type(lw, &w));
	if (condition && !unseen && other)
		lower_words_pack(lw, tile, &w, rep, start, other, elem, others);
	for (unsigned i = 0; condition && how->given && i < w.count; i++)
		args[n++] = others[i];
	LLVMValueRef got = machine_family(lw, how->is_fresh ? MACHINE_ld_fresh : MACHINE_ld_global,
					  suffix_of(lw, how, condition, &w),
					  lower_words_result(lw, &w), args, n);
	lower_global_elements(lw, tile, rep, start, got);
	/* What was set before is there already. */
	bool set = unseen || how->given || ((how->clear || lw->gpu->portable_order) && !other);
	for (unsigned i = 0; i < w.count; i++) {
		words[i] = w.count > 1 ? LLVMBuildExtractValue(lw->b, got, i, "") : got;
		if (condition && !set)
			words[i] = LLVMBuildSelect(lw->b, condition, words[i], others[i], "");
	}
	lower_words_unpack(lw, tile, &w, rep, start, words, elem, regs);
}

/* Is the op lowered to code that branches on its operands? What a register held before may then
 * decide the way, and the slow one is long. */
static bool branches(const IrOp *op)
{
	return op->kind == OP_SIN || op->kind == OP_COS || op->kind == OP_REMF || op->kind == OP_EXTERN;
}

/* Does nothing depend on a value's elements where the mask is false? They may go through pure elementwise ops into what the same
 * mask keeps from being stored, chosen, or an address. *most more uses are looked at, then it is taken to be seen. */
static bool is_unseen(const IrValue *value, const IrValue *mask, unsigned *most)
{
	for (const IrUse *use = value->uses; use; use = use->next) {
		const IrOp *op = use->owner;
		if (!*most)
			return false;
		--*most;
		if ((op->kind == OP_STORE || op->kind == OP_ATOMIC_RMW) && op->operand_count > 2 &&
		    ir_operand(op, 2) == mask && value != mask)
			continue;
		if (op->kind == OP_LOAD && op->operand_count > 1 && ir_operand(op, 1) == mask && ir_operand(op, 0) == value)
			continue;
		if (op->kind == OP_SELECT && ir_operand(op, 0) == mask && ir_operand(op, 2) != value && value != mask)
			continue;
		if (!ir_has_trait(op, TRAIT_PURE) || !ir_has_trait(op, TRAIT_ELEM) || op->region_count ||
		    branches(op) || !is_unseen(ir_result(op, 0), mask, most))
			return false;
	}
	return true;
}

/* Is part of a register loaded? ptxas branches around such a load where nothing set the
 * register before. */
static bool is_narrow(const GlobalTile *tile)
{
	return tile->element_bits << tile->vector_bits < 32;
}

/* Is each element the same? */
static bool is_uniform(const IrValue *v)
{
	IrAttr constant = ir_constant_of(v);
	return (v->def && v->def->kind == OP_SPLAT) || (constant && (constant->kind != ATTR_KIND_DENSE || constant->splat));
}

/* Do masked elements become 0? */
static bool is_zero(const LLVMValueRef *others, uint32_t count)
{
	for (uint32_t i = 0; others && i < count; i++)
		if (!LLVMIsConstant(others[i]) || !LLVMIsNull(others[i]))
			return false;
	return true;
}

static bool is_in_loop(const IrOp *op)
{
	while ((op = ir_parent_op(op)))
		if (op->kind == OP_FOR || op->kind == OP_WHILE)
			return true;
	return false;
}

/* Registers that are known to have one address, and one mask, are copies: one load serves them. */
static void share_addresses(Lower *lw, GlobalTile *tile, const IrValue *pointers, const IrValue *mask, const IrValue *other)
{
	const AxisInfo *p = axis_of(lw->axis, pointers), *m = mask ? axis_of(lw->axis, mask) : NULL;
	uint32_t count = UINT32_C(1) << tile->register_bits, groups = 0;
	uint64_t equal = 0;
	if (!tile->layout || !p || (mask && !m) || (other && !is_uniform(other)))
		return;
	for (unsigned d = 0; d < layout_rank(tile->layout); d++) {
		uint64_t n = (uint64_t)(m ? MIN(p->constancy[d], m->constancy[d]) : p->constancy[d]);
		equal |= layout_space_put(&tile->layout->out, LAYOUT_DIM0 + d,
					  (n - 1) & ((UINT64_C(1) << layout_out_bits(tile->layout, LAYOUT_DIM0 + d)) - 1));
	}
	if (!equal)
		return;
	Map first;
	map_init(&first, lw->arena);
	uint32_t *copies = ARENA_ARRAY(lw->arena, uint32_t, count), *starts = ARENA_ARRAY(lw->arena, uint32_t, count);
	for (uint32_t r = 0; r < count; r++) {
		uint64_t key = layout_apply(tile->layout, r) & ~equal, found;
		if (!map_get(&first, key, &found))
			map_put(&first, key, found = r);
		copies[r] = (uint32_t)found;
	}
	for (uint32_t g = 0; g < tile->group_count; g++)
		if (copies[tile->starts[g]] == tile->starts[g])
			starts[groups++] = tile->starts[g];
	tile->copies = copies;
	tile->starts = starts;
	tile->group_count = groups;
}

LLVMValueRef *lower_global_load(Lower *lw, const IrOp *op, const IrValue *pointers, const IrValue *mask,
				const IrValue *other, IrType elem)
{
	GlobalTile tile = lower_global_tile(lw, pointers, mask, WIDEST_ACCESS);
	LowerValue masks = mask ? lower_get(lw, mask) : (LowerValue){0};
	LLVMValueRef *others = other ? lower_get(lw, other).regs : NULL;
	LLVMValueRef *regs = lower_array(lw, tile.reps << tile.register_bits);
	unsigned most = MOST_USES;
	bool unseen = mask && op->kind == OP_LOAD && is_unseen(ir_result(op, 0), mask, &most);
	How how = how_of(lw, op);
	bool zero = mask && is_zero(others, tile.reps << tile.register_bits);
	/* Two registers are cleared at once before a load, each is selected by itself behind it.
	 * Those that a masked load in a loop may leave as they were are those of the iteration
	 * before: where ptxas unrolls the loop, its loads are one after another. */
	if (mask && !lw->gpu->portable_order && op->kind == OP_LOAD)
		how.clear = (zero && !unseen) || is_in_loop(op) || is_narrow(&tile) ||
			    gpu_masked_apart(lw->axis, op) ||
			    gpu_crowd(lw->gpu, op) > lw->target->budgets->data_of_loads;
	if (zero && how.clear)
		others = NULL;
	/* A register that nothing has set where a mask is false is no value to ptxas, and may come to be
	 * any (test/llvm/apart.mlir). */
	how.given = mask && others && !unseen && !lw->gpu->portable_order && op->kind == OP_LOAD;
	if (!ir_is_volatile(op))
		share_addresses(lw, &tile, pointers, mask, other);
	for (uint32_t rep = 0; rep < tile.reps; rep++) {
		for (uint32_t g = 0; g < tile.group_count; g++) {
			uint32_t start = tile.starts[g];
			LLVMValueRef condition = lower_global_condition(lw, NULL, &masks,
									(rep << tile.register_bits) + start);
			if (!condition && is_plain(&how))
				plain_load(lw, &tile, &how, rep, start, elem, regs);
			else
				special_load(lw, &tile, &how, rep, start, elem, condition, others, unseen, regs);
		}
	}
	lower_global_spread(&tile, regs);
	return regs;
}

static bool look_for_copies(void *data, IrOp *op)
{
	Lower *lw = data;
	lw->has_copies = op->kind == OP_TMA_LOAD || op->kind == OP_TMA_STORE ||
			 op->kind == OP_TMA_STORE_ROWS || op->kind == OP_TMA_REDUCE;
	return !lw->has_copies;
}

void lower_fence_copies(Lower *lw)
{
	if (!lw->looked_for_copies)
		ir_walk(lw->module->op, false, look_for_copies, lw);
	lw->looked_for_copies = true;
	if (lw->has_copies)
		MACHINE0(lw, fence_async_global);
}

/* Once for all: what changes meanwhile is one value to the program, and decides one way. */
static void load_for_all(Lower *lw, const IrOp *op, const IrValue *mask, const IrValue *other)
{
	IrType elem = ir_elem(op->results[0].type);
	GlobalTile tile = lower_global_tile(lw, ir_operand(op, 0), mask, WIDEST_ACCESS);
	if (tile.layout) {
		LLVMValueRef *regs = lower_global_load(lw, op, ir_operand(op, 0), mask, other, elem);
		lower_fence_copies(lw);
		uint32_t count = tile.reps << tile.register_bits;
		lower_set(lw, ir_result(op, 0), lower_share_copies(lw, op, &tile, regs), count);
		return;
	}
	LLVMValueRef place = lower_shared_at(lw, gpu_shared_offset(lw->gpu, op));
	LowerIf first = lower_begin_if(lw, lower_global_owner(lw, &tile));
	LLVMValueRef *got = lower_global_load(lw, op, ir_operand(op, 0), mask, other, elem);
	lower_fence_copies(lw);
	lower_elements(lw, LLVMBuildStore(lw->b, lower_to_bits(lw, got[0], elem), place), NULL);
	lower_end_if(lw, first);
	LLVMValueRef v = lower_take_first(lw, tile.element_bits, place);
	lower_set_scalar(lw, ir_result(op, 0), lower_from_bits(lw, v, elem));
}

bool lower_LOAD(Lower *lw, IrOp *op)
{
	const IrValue *mask = op->operand_count > 1 ? ir_operand(op, 1) : NULL;
	const IrValue *other = op->operand_count > 2 ? ir_operand(op, 2) : NULL;
	IrType type = op->results[0].type;
	if (gpu_scratch(lw->gpu, op).bytes) {
		load_for_all(lw, op, mask, other);
		return true;
	}
	LLVMValueRef *regs = lower_global_load(lw, op, ir_operand(op, 0), mask, other, ir_elem(type));
	if (ir_is_volatile(op) && op->results[0].uses)
		lower_fence_copies(lw);
	lower_set(lw, ir_result(op, 0), regs, lower_count(lw, type));
	return true;
}

/* ---- stores ---- */

static void plain_store(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start, IrType elem,
			const LLVMValueRef *regs)
{
	LLVMTypeRef type = plain_type(lw, tile, elem);
	LLVMValueRef v = tile->vector_bits ? LLVMGetPoison(type) : NULL;
	for (uint32_t e = 0; e < 1u << tile->vector_bits; e++) {
		LLVMValueRef one = regs[lower_global_register(tile, rep, start, e)];
		if (!has_own_type(elem))
			one = lower_to_bits(lw, one, elem);
		v = v ? LLVMBuildInsertElement(lw->b, v, one, lower_i32(lw, e), "") : one;
	}
	LLVMValueRef store = LLVMBuildStore(lw->b, v, lower_global_address(lw, tile, rep, start));
	LLVMSetAlignment(store, (tile->element_bits << tile->vector_bits) / 8);
	lower_global_elements(lw, tile, rep, start, store);
}

static void special_store(Lower *lw, const GlobalTile *tile, const How *how, uint32_t rep, uint32_t start, IrType elem,
			 LLVMValueRef condition, const LLVMValueRef *regs)
{
	GlobalWords w = lower_global_words(tile->element_bits, tile->vector_bits);
	LLVMValueRef args[8];
	unsigned n = first_args(lw, tile, how, rep, start, condition, args);
	lower_words_pack(lw, tile, &w, rep, start, regs, elem, args + n);
	LLVMValueRef store = machine_family(lw, MACHINE_st_global, suffix_of(lw, how, condition, &w), lw->t.void_, args, n + w.count);
	lower_global_elements(lw, tile, rep, start, store);
}

bool lower_STORE(Lower *lw, IrOp *op)
{
	const IrValue *pointers = ir_operand(op, 0), *mask = op->operand_count > 2 ? ir_operand(op, 2) : NULL;
	IrType elem = ir_elem(ir_operand(op, 1)->type);
	GlobalTile tile = lower_global_tile(lw, pointers, mask, WIDEST_ACCESS);
	LowerValue masks = mask ? lower_get(lw, mask) : (LowerValue){0};
	LLVMValueRef *regs = lower_get(lw, ir_operand(op, 1)).regs, owner = lower_global_owner(lw, &tile);
	How how = how_of(lw, op);
	for (uint32_t rep = 0; rep < tile.reps; rep++) {
		for (uint32_t g = 0; g < tile.group_count; g++) {
			uint32_t start = tile.starts[g];
			LLVMValueRef condition = lower_global_condition(lw, owner, &masks,
									(rep << tile.register_bits) + start);
			if (!condition && is_plain(&how))
				plain_store(lw, &tile, rep, start, elem, regs);
			else
				special_store(lw, &tile, &how, rep, start, elem, condition, regs);
		}
	}
	return true;
}
