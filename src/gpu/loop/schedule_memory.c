/* The layout of a ring's slots.
 *
 * Candidates: what a conversion from the load's layout to the users' would go through, and rows
 * whose chunks are XORed with the row, for several distances. Each is costed by the wavefronts of
 * the copies that write it and of the loads that read it, and by the moves behind them; the
 * cheapest wins, the first among equals.
 *
 * wgmma reads memory as it lies: where one uses the tile, its layout is the only candidate, unless
 * copies cannot write that (it is transposed relative to global memory); then threads read the
 * ring and store the tile again.
 *
 * Data of asynchronous copies arrives as lines of global memory, and each row of shared memory
 * (all banks once) that parts of a line go to is written separately: 32 lanes whose 16 bytes of 4
 * lines lie in 32 rows take 32 wavefronts, although no two lanes conflict in a bank. (Measured on
 * an H200: fp16 products of 128x128x64, 8 warps, 3 stages, ran at 152 TFLOP/s that way, and at 417
 * with each line in one row; bench/history.md.) */
#include "gpu/loop/schedule.h"
#include "gpu/plan/dot.h"
#include "layout/plan_parts.h"

enum {
	MOST_USERS = 4,
	LEAST_BYTES = 4,
	WHOLE = 64,
	MOST_COPIES = 2, /* of a chunk, log2 */
	MOVES_OF_A_WORD = 4,
	LINE_BITS = 128 * 8, /* a line of global memory; a row of shared memory */
};

typedef struct Search {
	GpuCx *gpu;
	const Layout *source, *users[MOST_USERS];
	unsigned user_count, bits;
	bool in_place;         /* its only user takes single elements (taken_in_place) */
	unsigned dim;          /* along which copies run */
	unsigned width;        /* log2 of the elements of one */
	uint32_t registers[8]; /* that hold its neighbours along dim */
	const Layout *best;
	unsigned best_width;
	uint64_t price;
} Search;

const Layout *schedule_wanted(GpuCx *gpu, const IrOp *user)
{
	if (user->kind == OP_CONVERT_LAYOUT)
		return gpu_layout(gpu, user->results[0].type);
	if (user->kind != OP_TRANS || !ir_has_one_use(&user->results[0]))
		return NULL;
	const IrOp *next = user->results[0].uses->owner;
	if (next->kind != OP_CONVERT_LAYOUT)
		return NULL;
	return gpu_infer_operand(gpu, user, 0, gpu_layout(gpu, next->results[0].type));
}

const IrOp *schedule_product_memory(const IrOp *load)
{
	for (const IrUse *u = load->results[0].uses; u && !schedule_fills(load); u = u->next)
		if (u->owner->kind == OP_LOCAL_ALLOC && ir_parent_op(u->owner) == ir_parent_op(load))
			return u->owner;
	return NULL;
}

/* Moves of words that a vector puts into registers which do not follow one another in the fragments
 * of matrix instructions: ptxas was seen to make three to four of each. */
static uint64_t moves(const LayoutAccess *a)
{
	unsigned words = (a->element_bits << a->vector_bits) / 32;
	if (a->kind != LAYOUT_ACCESS_VECTOR || words <= 1)
		return 0;
	for (unsigned i = 0; i < a->vector_bits; i++)
		if (a->vector[i] != UINT32_C(1) << i)
			return (uint64_t)words * layout_access_instructions(a) * MOVES_OF_A_WORD;
	return 0;
}

/* A copy takes neighbours in global memory, in their order. */
static bool is_copy(const Search *s, const LayoutAccess *a)
{
	for (unsigned i = 0; i < a->vector_bits; i++)
		if (a->vector[i] != s->registers[i])
			return false;
	return layout_access_swaps(a) == 0;
}

/* The wavefronts of an instruction of copies: the rows that the parts of a line go to, for each
 * line. Lanes that differ along the dim of the copies alone take parts of the same line. */
static unsigned copy_wavefronts(const Search *s, const LayoutAccess *a)
{
	const LayoutSpace *tile = &s->source->out;
	unsigned lanes = layout_in_bits(s->source, LAYOUT_LANE), parts = 0, lines = 1;
	unsigned shift = layout_space_shift(tile, LAYOUT_DIM0 + s->dim);
	uint64_t points[LAYOUT_MAX_THREAD_BITS], rows[LAYOUT_MAX_THREAD_BITS];
	uint64_t own = (UINT64_C(1) << a->offset_bits) - 1,
		 dim = layout_space_mask(tile, LAYOUT_DIM0 + s->dim);
	layout_bases(s->source, LAYOUT_LANE, points);
	for (unsigned i = 0; i < lanes; i++) {
		if (a->idle >> i & 1)
			continue;
		if (points[i] && !(points[i] & ~dim) && (points[i] >> shift) * s->bits < LINE_BITS)
			rows[parts++] = (a->thread_address[i] & own) * s->bits / LINE_BITS;
		else
			lines *= 2;
	}
	return lines << f2_rank(rows, parts);
}

static void try_memory(Search *s, const Layout *memory)
{
	LayoutContext *layouts = &s->gpu->layouts;
	const Layout *back = layout_pseudo_invert(layouts, memory),
		     *store = layout_compose(layouts, back, s->source);
	LayoutAccess access;
	unsigned width = s->width;
	while (!layout_plan_access_as(store, true, s->bits, LAYOUT_ACCESS_VECTOR, width, WHOLE, &access) ||
	       !is_copy(s, &access))
		if (!width-- || (s->bits << width) < 8 * LEAST_BYTES)
			return;
	access.wavefronts = MAX(access.wavefronts, copy_wavefronts(s, &access));
	uint64_t price = layout_access_cost(&access);
	for (unsigned i = 0; i < s->user_count; i++) {
		layout_plan_access(layout_compose(layouts, back, s->users[i]), false, s->bits,
				   &s->gpu->plan_target, &access);
		price += layout_access_cost(&access) + (s->in_place ? 0 : moves(&access));
	}
	if (s->best && price >= s->price)
		return;
	s->best = memory;
	s->best_width = width;
	s->price = price;
}

/* Chunks of 2^width elements, swizzled in all ways. */
static void try_chunks(Search *s, IrType type, const unsigned *order, unsigned width)
{
	int64_t chunks = type->shape[s->dim] >> width;
	for (unsigned most = 8; most > 1; most /= 2)
		for (unsigned each = 1; each <= 8 && chunks >= most; each *= 2)
			try_memory(s, layout_shared_swizzled(&s->gpu->layouts, type->shape, type->rank, order,
							     1u << width, each, most));
}

/* Chunks of a copy; of several where what reads takes single words of rows; of less. */
static void try_swizzles(Search *s, IrType type)
{
	unsigned order[LAYOUT_MAX_RANK], n = 0;
	order[n++] = s->dim;
	for (unsigned k = type->rank; k-- > 0;)
		if (k != s->dim)
			order[n++] = k;
	try_chunks(s, type, order, s->width);
	try_memory(s, layout_shared_plain(&s->gpu->layouts, type->shape, type->rank, order));
	for (unsigned more = 1; more <= MOST_COPIES; more++)
		try_chunks(s, type, order, s->width + more);
	for (unsigned width = s->width; width && (s->bits << (width - 1)) >= 8 * LEAST_BYTES;)
		try_chunks(s, type, order, --width);
}

static void add_user(Search *s, const Layout *l)
{
	for (unsigned i = 0; i < s->user_count; i++)
		if (s->users[i] == l)
			return;
	if (s->user_count < MOST_USERS)
		s->users[s->user_count++] = l;
}

/* What a dot by multiply-adds takes of the tile in the end (pipeline_read_dots); NULL: the user is
 * none. */
static const Layout *taken_in_place(GpuCx *gpu, const IrOp *load, const IrOp *user)
{
	const IrValue *tile = &load->results[0];
	if (user->kind != OP_DOT || !ir_has_one_use(tile) || schedule_fills(load) ||
	    !gpu_dot_takes_any(gpu, user))
		return NULL;
	unsigned operand = ir_operand(user, 1) == tile;
	int64_t k = tile->type->shape[tile->type->rank - 1 - operand];
	return gpu_fma_operand(gpu, gpu_layout(gpu, user->results[0].type), operand, k);
}

const Layout *schedule_memory(GpuCx *gpu, const IrOp *load, unsigned *width)
{
	CONTRACT(load->result_count == 1);
	IrType type = load->results[0].type;
	Search s = {.gpu = gpu, .source = gpu_layout(gpu, type), .bits = gpu_element_bits(type->elem)};
	if (layout_space_reps(&s.source->in) > 1)
		return NULL;
	s.width = base_log2(*width * 8 / s.bits);
	for (unsigned k = 0, best = 0; k < type->rank; k++) {
		unsigned n = layout_vector(s.source, k, s.width, s.registers);
		if (n >= best) {
			best = n;
			s.dim = k;
		}
	}
	s.width = layout_vector(s.source, s.dim, s.width, s.registers);
	const IrOp *alloc = schedule_product_memory(load);
	if (alloc) {
		add_user(&s, s.source);
		try_memory(&s, gpu_layout(gpu, alloc->results[0].type));
		*width = s.best ? (s.bits << s.best_width) / 8 : 0;
		if (s.best)
			return s.best;
		s.user_count = 0;
	}
	for (const IrUse *u = load->results[0].uses; u; u = u->next) {
		const Layout *wanted = schedule_fills(load) ? NULL : schedule_wanted(gpu, u->owner);
		if (!wanted) {
			wanted = taken_in_place(gpu, load, u->owner);
			s.in_place = wanted != NULL;
		}
		add_user(&s, wanted ? wanted : s.source);
	}
	for (unsigned i = 0; i < s.user_count; i++) {
		const LayoutPlan *plan =
			layout_plan_shared(&gpu->layouts, s.source, s.users[i], s.bits, &gpu->plan_target);
		if (plan->passes == 1 && !plan->repetitions_take_turns)
			try_memory(&s, layout_plan_memory(&gpu->layouts, plan));
	}
	if (type->rank == 1)
		try_memory(&s, layout_shared_plain(&gpu->layouts, type->shape, 1, (unsigned[]){0}));
	else
		try_swizzles(&s, type);
	*width = s.best ? (s.bits << s.best_width) / 8 : 0;
	return s.best;
}
