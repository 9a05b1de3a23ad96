/* allocate: assigns offsets in shared memory.
 *
 * Needs: TTGIR with layouts on all tiles. Keeps: everything; adds allocation.offset to ops and
 * ttg.shared to the module.
 *
 * A buffer is the memory of a ttg.local_alloc or the scratch of an op. Ops are numbered in text
 * order; a buffer is live from its first to its last op, where a value that a loop uses but does
 * not define is live throughout the loop, and so is a loop-carried one; what a product under way
 * reads is live until it is waited for. Two buffers interfere when
 * they are live at once, or belong to warps that run concurrently.
 *
 * Placement: largest first (if that does not fit, longest-lived first), each into the smallest gap
 * between interfering buffers that are already placed, else above them (best fit). Sharing bytes
 * costs barriers, so while it is cheap no two buffers share any; otherwise consecutive scratch
 * buffers are kept apart one pair after the other, innermost loops first. Cheap means no more than
 * a part of what the CTAs that may be resident leave to each, or than is needed anyway. Functions
 * that are called keep bytes of their own.
 *
 * If the total exceeds what a CTA can have, conversions get half as much and run in several
 * passes, then half of that, down to a few KB; neso.conversion-bytes tells those that plan them
 * again. */
#include <stdlib.h>

#include "base/vec.h"
#include "gpu/analysis/text_order.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory_int.h"
#include "ir/text/text.h"

enum { LEAST_ALIGN = 16, MOST_ALIGN = 1024, MOST_NOTES = 16, MOST_TRIES = 64 };

typedef struct Buffer {
	IrOp *op;
	uint64_t bytes, align, offset;
	uint32_t first, last;
	uint32_t next; /* where the scratch after this one is used; 0: none is */
	uint32_t number;
	unsigned depth; /* of loops */
	bool scratch, apart; /* apart: kept from the next one */
	bool long_first;     /* placed in the order of how long buffers live */
	bool placed;	     /* as of place_all */
	bool in_role;        /* inside of a ttg.warp_specialize */
} Buffer;

/* The numbers of buffers that interfere with one. */
typedef VEC(uint32_t) Others;

typedef struct Allocation {
	PassCx *cx;
	GpuCx *gpu;
	IrOp *func;
	uint32_t *start, *end; /* by op id, as text_order.h says */
	unsigned registers; /* that a thread needs at least */
	VEC(Buffer) buffers;
	Others *others; /* by buffer (find_others) */
} Allocation;

/* ---- what is to be placed ---- */

static bool goes_round(const IrOp *op)
{
	return op->kind == OP_FOR || op->kind == OP_WHILE || op->kind == OP_WARP_SPECIALIZE;
}

static uint64_t memory_align(const GpuCx *gpu, const IrOp *op, uint64_t bytes)
{
	int64_t asked = ir_get_int(op, gpu->ir, ATTR_ALIGNMENT, 0);
	if (asked > 0 && base_is_pow2((uint64_t)asked))
		return MAX((uint64_t)asked, (uint64_t)LEAST_ALIGN);
	/* The widest pattern of bytes that hardware swizzles repeats after 1 KB. */
	uint64_t align = LEAST_ALIGN;
	while (align < MOST_ALIGN && align * 2 <= bytes)
		align *= 2;
	return align;
}

static void add_buffer(Allocation *a, IrOp *op, uint64_t bytes, uint64_t align, bool scratch)
{
	CONTRACT(bytes && base_is_pow2(align));
	CONTRACT(a->start[op->id] <= a->end[op->id]);
	const IrOp *roles;
	Buffer b = {.op = op, .bytes = bytes, .align = MAX(align, (uint64_t)LEAST_ALIGN), .scratch = scratch,
		    .in_role = gpu_own_warps_region(op, &roles) != NULL};
	b.number = a->buffers.len;
	bool always = op->kind == OP_WARP_SPECIALIZE;
	b.first = always ? 0 : a->start[op->id];
	b.last = always ? UINT32_MAX : a->end[op->id];
	for (const IrOp *outer = ir_parent_op(op); outer && outer != a->func; outer = ir_parent_op(outer))
		b.depth += goes_round(outer);
	vec_push(a->cx->scratch, &a->buffers, b);
}

static bool add_memory(void *data, IrOp *op)
{
	Allocation *a = data;
	if (op->kind == OP_LOCAL_ALLOC) {
		uint64_t bytes = gpu_memdesc_bytes(a->gpu, op->results[0].type);
		add_buffer(a, op, bytes, memory_align(a->gpu, op, bytes), false);
	}
	return true;
}

static bool add_scratch(void *data, IrOp *op)
{
	Allocation *a = data;
	GpuScratch scratch = gpu_scratch(a->gpu, op);
	if (!scratch.bytes)
		return true;
	uint32_t n = a->buffers.len;
	add_buffer(a, op, scratch.bytes, scratch.align, true);
	if (n && a->buffers.data[n - 1].scratch)
		a->buffers.data[n - 1].next = a->start[op->id];
	return true;
}

/* ---- liveness ---- */

static void live_at(Allocation *a, const GpuAliases *aliases, const IrValue *v, uint32_t first, uint32_t last)
{
	const uint64_t *set = aliases->sets[v->id];
	for (uint32_t i = 0; set && i < aliases->words; i++)
		for (uint64_t bits = set[i]; bits; bits &= bits - 1) {
			/* allocs come first, in order */
			Buffer *b = &a->buffers.data[i * 64 + (uint32_t)__builtin_ctzll(bits)];
			b->first = MIN(b->first, first);
			b->last = MAX(b->last, last);
		}
}

typedef struct Liveness {
	Allocation *a;
	const GpuAliases *aliases;
} Liveness;

/* Until when the op's operands are read: those of a product that is under way until the wait that
 * ends it, which may stand behind what is around; throughout the loop, if it comes in another
 * iteration. */
static uint32_t end_of_reading(const Allocation *a, const IrOp *op, uint32_t *first)
{
	*first = a->start[op->id];
	if (op->kind != OP_WARP_GROUP_DOT || !ir_get_bool(op, a->gpu->ir, ATTR_IS_ASYNC))
		return a->end[op->id];
	int64_t behind = 0;
	const IrOp *last = op;
	for (; op != a->func; last = op = ir_parent_op(op)) {
		if (goes_round(op))
			*first = a->start[op->id];
		for (const IrOp *at = op->next; at; at = at->next) {
			behind += at->kind == OP_WARP_GROUP_DOT;
			bool waits = at->kind == OP_WARP_GROUP_DOT_WAIT;
			if (waits && ir_get_int(at, a->gpu->ir, ATTR_PENDINGS, 0) <= behind)
				return a->end[at->id];
			last = at;
		}
	}
	return a->end[last->id];
}

static bool live_op(void *data, IrOp *op)
{
	const Liveness *l = data;
	Allocation *a = l->a;
	for (uint32_t r = 0; r < op->result_count; r++)
		live_at(a, l->aliases, &op->results[r], a->end[op->id], a->end[op->id]);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *v = ir_operand(op, i);
		if (!l->aliases->sets[v->id])
			continue;
		uint32_t first, last = end_of_reading(a, op, &first);
		for (const IrOp *outer = ir_parent_op(op); outer && outer != a->func;
		     outer = ir_parent_op(outer)) {
			if (goes_round(outer) && ir_is_defined_outside(v, outer))
				last = MAX(last, a->end[outer->id]);
		}
		live_at(a, l->aliases, v, first, last);
	}
	for (uint32_t r = 0; r < op->region_count; r++) {
		const IrBlock *block = op->regions[r].first;
		const IrOp *whole = op->kind == OP_WARP_PARTITIONS ? ir_parent_op(op) : op;
		for (uint32_t i = 0; block && i < block->arg_count; i++)
			live_at(a, l->aliases, block->args[i], a->start[whole->id], a->end[whole->id]);
	}
	return true;
}

/* ---- placement ---- */

/* In different regions of one ttg.warp_specialize? */
static bool side_by_side(const IrOp *a, const IrOp *b)
{
	const IrOp *outer;
	for (const IrRegion *in = gpu_own_warps_region(a, &outer); in;
	     in = gpu_own_warps_region(outer, &outer)) {
		const IrOp *other;
		const IrRegion *there = gpu_own_warps_region(b, &other);
		while (there && other != outer)
			there = gpu_own_warps_region(other, &other);
		if (there && there != in)
			return true;
	}
	return false;
}

static uint32_t last_of(const Buffer *b)
{
	return b->apart ? MAX(b->last, b->next) : b->last;
}

static int by_first(const void *left, const void *right)
{
	const Buffer *a = *(Buffer *const *)left, *b = *(Buffer *const *)right;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void add_pair(Allocation *a, const Buffer *x, const Buffer *y)
{
	vec_push(a->cx->scratch, &a->others[x->number], y->number);
	vec_push(a->cx->scratch, &a->others[y->number], x->number);
}

static bool interfere(const Buffer *a, const Buffer *b)
{
	return a->first <= last_of(b) && b->first <= last_of(a);
}

/* Of each buffer those that interfere with it, as long as none is kept apart from the next one.
 * Those that are live at once are met where the later one begins. */
static void find_others(Allocation *a)
{
	uint32_t n = a->buffers.len, live = 0;
	Arena *arena = a->cx->scratch;
	Buffer **order = ARENA_ARRAY(arena, Buffer *, n), **now = ARENA_ARRAY(arena, Buffer *, n);
	a->others = ARENA_ARRAY(arena, Others, n);
	for (uint32_t i = 0; i < n; i++)
		order[i] = &a->buffers.data[i];
	if (n)
		qsort(order, n, sizeof *order, by_first);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t kept = 0;
		for (uint32_t k = 0; k < live; k++) {
			if (now[k]->last < order[i]->first)
				continue;
			now[kept++] = now[k];
			add_pair(a, now[k], order[i]);
		}
		live = kept;
		now[live++] = order[i];
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; order[i]->in_role && k < i; k++)
			if (order[k]->in_role && !interfere(order[i], order[k]) &&
			    side_by_side(order[i]->op, order[k]->op))
				add_pair(a, order[i], order[k]);
}

/* Its bytes are its own until the next one is used. */
static void keep_apart(Allocation *a, Buffer *b)
{
	uint32_t n = a->others[b->number].len;
	bool *met = ARENA_ARRAY(a->cx->scratch, bool, a->buffers.len);
	for (uint32_t i = 0; i < n; i++)
		met[a->others[b->number].data[i]] = true;
	b->apart = true;
	for (uint32_t i = 0; i < a->buffers.len; i++)
		if (i != b->number && !met[i] && interfere(b, &a->buffers.data[i]))
			add_pair(a, b, &a->buffers.data[i]);
}

/* As it was with `n` others, which were met first. */
static void let_share(Allocation *a, Buffer *b, uint32_t n)
{
	Others *others = &a->others[b->number];
	b->apart = false;
	while (others->len > n)
		a->others[others->data[--others->len]].len--;
}

static int by_size(const void *left, const void *right)
{
	const Buffer *a = *(Buffer *const *)left, *b = *(Buffer *const *)right;
	uint32_t longer = a->last - a->first, shorter = b->last - b->first;
	if (a->long_first && longer != shorter)
		return longer < shorter ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_offset(const void *left, const void *right)
{
	const Buffer *a = *(Buffer *const *)left, *b = *(Buffer *const *)right;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static uint64_t aligned(uint64_t offset, uint64_t align)
{
	return (offset + align - 1) & ~(align - 1);
}

/* The offset for b among the n that it interferes with, in order. */
static uint64_t best_gap(const Buffer *b, Buffer **taken, uint32_t n)
{
	uint64_t end = 0, best = UINT64_MAX, least = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = aligned(end, b->align);
		if (at + b->bytes <= taken[i]->offset && taken[i]->offset - end < least) {
			best = at;
			least = taken[i]->offset - end;
		}
		end = MAX(end, taken[i]->offset + taken[i]->bytes);
	}
	return best != UINT64_MAX ? best : aligned(end, b->align);
}

/* What is placed, by offset. */
typedef struct Placed {
	Buffer **data;
	uint32_t len;
	uint32_t *met; /* by number of a buffer: the last one that interferes with it */
} Placed;

static void add_placed(Placed *p, Buffer *b)
{
	uint32_t first = 0, past = p->len;
	while (first < past) {
		uint32_t middle = first + (past - first) / 2;
		if (by_offset(&p->data[middle], &b) < 0)
			first = middle + 1;
		else
			past = middle;
	}
	memmove(p->data + first + 1, p->data + first, (p->len++ - first) * sizeof *p->data);
	p->data[first] = b;
}

/* Those that b interferes with, by offset: few are sorted, many are picked from all. */
static uint32_t taken_by(const Allocation *a, const Placed *p, const Buffer *b, Buffer **taken)
{
	enum { FEW = 16 };
	const Others *others = &a->others[b->number];
	uint32_t count = 0, mark = b->number + 1;
	if (others->len * FEW > p->len) {
		for (uint32_t i = 0; i < others->len; i++)
			p->met[others->data[i]] = mark;
		for (uint32_t i = 0; i < p->len; i++)
			if (p->met[p->data[i]->number] == mark)
				taken[count++] = p->data[i];
		return count;
	}
	for (uint32_t i = 0; i < others->len; i++)
		if (a->buffers.data[others->data[i]].placed)
			taken[count++] = &a->buffers.data[others->data[i]];
	if (count)
		qsort(taken, count, sizeof *taken, by_offset);
	return count;
}

/* Sets all offsets; the bytes that they take. */
static uint64_t place_all(Allocation *a, bool share)
{
	uint32_t n = a->buffers.len;
	uint64_t total = 0;
	Arena *arena = a->cx->scratch;
	Buffer **order = ARENA_ARRAY(arena, Buffer *, n), **taken = ARENA_ARRAY(arena, Buffer *, n);
	Placed placed = {.data = ARENA_ARRAY(arena, Buffer *, n), .met = ARENA_ARRAY(arena, uint32_t, n)};
	for (uint32_t i = 0; i < n; i++) {
		order[i] = &a->buffers.data[i];
		order[i]->placed = false;
	}
	if (n)
		qsort(order, n, sizeof *order, by_size);
	for (uint32_t i = 0; i < n; i++) {
		Buffer *b = order[i];
		uint32_t count = share ? taken_by(a, &placed, b, taken) : placed.len;
		b->offset = best_gap(b, share ? taken : placed.data, count);
		b->placed = true;
		add_placed(&placed, b);
		total = MAX(total, b->offset + b->bytes);
	}
	return total;
}

static uint64_t sum_of_bytes(const Allocation *a)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < a->buffers.len; i++)
		sum += a->buffers.data[i].bytes;
	return sum;
}

static unsigned registers_of(GpuCx *gpu, IrType type)
{
	if (!ir_is_tensor(type))
		return 0;
	const Layout *l = gpu_layout(gpu, type);
	uint64_t elements = (uint64_t)layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_REGISTER);
	return (unsigned)((elements * gpu_element_bits(type->elem) + 31) / 32);
}

/* The most registers that the tiles of one op take in a thread. */
static bool count_registers(void *data, IrOp *op)
{
	Allocation *a = data;
	unsigned sum = 0;
	for (uint32_t i = 0; i < op->operand_count; i++)
		sum += registers_of(a->gpu, ir_operand(op, i)->type);
	for (uint32_t i = 0; i < op->result_count; i++)
		sum += registers_of(a->gpu, op->results[i].type);
	if (op->kind != OP_FOR && op->kind != OP_WHILE &&
	    op->kind != OP_YIELD) /* operands become results in place */
		a->registers = MAX(a->registers, sum);
	return true;
}

/* What each CTA may take of shared memory where as many are resident as registers and warps allow,
 * and never fewer because of it; a quarter of it: the rest is the first-level cache's. */
static uint64_t cheap_bytes(const Allocation *a)
{
	const TargetGpu *target = a->gpu->target;
	unsigned warps = MAX(a->gpu->num_warps, 1u),
		 registers = MIN(MAX(a->registers, 32u), (unsigned)TARGET_REGISTERS_THREAD);
	unsigned resident = MIN(target->ctas, target->warps / warps);
	resident = MIN(resident, TARGET_REGISTERS_SM / (TARGET_WARP_SIZE * warps * registers));
	return target->shared_sm / MAX(resident, 1u) / 4;
}

/* What lives long lies below then, and what follows one another in loops above it. */
static void place_long_first(Allocation *a)
{
	for (uint32_t i = 0; i < a->buffers.len; i++)
		a->buffers.data[i].long_first = true;
}

static uint64_t place(Allocation *a)
{
	find_others(a);
	uint64_t least = place_all(a, true), most = MIN(cheap_bytes(a), (uint64_t)a->gpu->target->shared_cta);
	if (least > a->gpu->target->shared_cta) {
		place_long_first(a);
		least = place_all(a, true);
	}
	unsigned deepest = 0;
	most = MAX(most, least);
	uint64_t apart = sum_of_bytes(a) <= most ? place_all(a, false) : UINT64_MAX;
	if (apart <= most)
		return apart;
	for (uint32_t i = 0; i < a->buffers.len; i++)
		deepest = MAX(deepest, a->buffers.data[i].depth);
	for (unsigned depth = deepest + 1, tries = MOST_TRIES; depth-- > 0;) {
		for (uint32_t i = 0; i < a->buffers.len && tries; i++) {
			Buffer *b = &a->buffers.data[i];
			if (b->depth != depth || !b->next)
				continue;
			uint32_t others = a->others[b->number].len;
			tries--;
			keep_apart(a, b);
			if (place_all(a, true) > most)
				let_share(a, b, others);
		}
	}
	return place_all(a, true);
}

/* ---- too much ---- */

static const char *tile_text(Arena *arena, IrType type)
{
	Text t;
	text_init(&t, arena);
	for (uint32_t d = 0; d < type->rank; d++)
		text_printf(&t, "%lldx", (long long)type->shape[d]);
	text_str(&t, ir_type_text(arena, type->elem));
	return t.data;
}

static const char *purpose(Allocation *a, const Buffer *b)
{
	Arena *arena = a->cx->scratch;
	IrType type = b->op->result_count ? b->op->results[0].type : NULL;
	if (!b->scratch)
		return arena_printf(arena, "a tile %s in shared memory", tile_text(arena, type));
	if (b->op->kind == OP_CONVERT_LAYOUT)
		return arena_printf(arena, "moving a tile %s between threads", tile_text(arena, type));
	return arena_printf(arena, "%s", ir_op_info[b->op->kind].text);
}

/* The number at which most bytes are live. */
static uint32_t peak_of(const Allocation *a)
{
	uint64_t most = 0;
	uint32_t peak = 0;
	for (uint32_t i = 0; i < a->buffers.len; i++) {
		uint64_t sum = 0;
		uint32_t at = a->buffers.data[i].first;
		for (uint32_t k = 0; k < a->buffers.len; k++) {
			const Buffer *b = &a->buffers.data[k];
			sum += b->first <= at && at <= b->last ? b->bytes : 0;
		}
		if (sum > most) {
			most = sum;
			peak = at;
		}
	}
	return peak;
}

static bool refuse(Allocation *a, uint64_t total)
{
	const TargetGpu *target = a->gpu->target;
	uint32_t peak = peak_of(a), n = a->buffers.len, noted = 0, left_out = 0;
	Buffer **order = ARENA_ARRAY(a->cx->scratch, Buffer *, n);
	Diag *diag = ir_diag(a->cx->diags, a->func->loc, DIAG_SHARED_MEMORY, ir_func_name(a->func),
			     (unsigned long long)total, target->name, (unsigned long long)target->shared_cta);
	for (uint32_t i = 0; i < n; i++)
		order[i] = &a->buffers.data[i];
	qsort(order, n, sizeof *order, by_size);
	for (uint32_t i = 0; i < n; i++) {
		const Buffer *b = order[i];
		IrLoc at = ir_loc_position(b->op->loc);
		if (b->first > peak || peak > b->last)
			continue;
		if (noted++ >= MOST_NOTES) {
			left_out++;
			continue;
		}
		diag_note_at(a->cx->diags, diag, at ? at->text : NULL, ir_loc_place(at), "%llu bytes for %s",
			     (unsigned long long)b->bytes, purpose(a, b));
	}
	if (left_out)
		diag_note_at(a->cx->diags, diag, NULL, (LineCol){0}, "and %u smaller ones", left_out);
	return false;
}

/* ---- the pass ---- */

/* Its buffers lie from `base` on; returns the first byte
 * after them. `told`: too much is diagnosed, and UINT64_MAX. */
static uint64_t allocate_func(PassCx *cx, IrOp *func, uint64_t base, bool told)
{
	CONTRACT(func->region_count);
	GpuCx *gpu = gpu_of(cx);
	Allocation a = {.cx = cx, .gpu = gpu, .func = func};
	TextOrder order = text_order(cx->scratch, cx->module, func);
	a.start = order.start;
	a.end = order.end;
	ir_walk(func, false, add_memory, &a);
	Liveness liveness = {&a, gpu_aliases_in(cx, func)};
	ir_walk(func, false, live_op, &liveness);
	ir_walk(func, false, add_scratch, &a);
	ir_walk(func, false, count_registers, &a);
	uint64_t end = base + place(&a);
	if (end > gpu->target->shared_cta && told) {
		refuse(&a, end);
		return UINT64_MAX;
	}
	for (uint32_t i = 0; i < a.buffers.len; i++) {
		const Buffer *b = &a.buffers.data[i];
		CONTRACT(base_is_pow2(b->align) && (base + b->offset) % b->align == 0);
		ir_set(cx->module, b->op, ATTR_SHARED_OFFSET,
		       ir_attr_i32(gpu->ir, (int64_t)(base + b->offset)));
	}
	return end;
}

static uint64_t allocate_all(PassCx *cx, bool told)
{
	uint64_t total = 0;
	for (IrOp *func = ir_module_block(cx->module)->first; func && total != UINT64_MAX;
	     func = func->next) {
		if (func->kind == OP_FUNC && ir_func_body(func))
			total = allocate_func(cx, func, aligned(total, MOST_ALIGN), told);
	}
	return total;
}

bool pass_allocate(PassCx *cx, bool *changed)
{
	GpuCx *gpu = gpu_of(cx);
	uint64_t *limit = &gpu->plan_target.shared_bytes, whole = *limit, total;
	while (total = allocate_all(cx, *limit && *limit / 2 < gpu->target->budgets->conversion_pass),
	       total > gpu->target->shared_cta) {
		if (total == UINT64_MAX)
			return false;
		*limit = (*limit ? *limit : gpu->target->shared_cta) / 2;
	}
	ir_set(cx->module, cx->module->op, ATTR_MODULE_SHARED, ir_attr_i32(gpu->ir, (int64_t)total));
	if (*limit != whole)
		ir_set(cx->module, cx->module->op, ATTR_CONVERSION_BYTES,
		       ir_attr_i32(gpu->ir, (int64_t)*limit));
	*changed = true;
	return true;
}
