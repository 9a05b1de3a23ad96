/* Which loops are warp-specialised, what of memory that takes, and whether it pays. */
#include "gpu/analysis/pressure.h"
#include "gpu/loop/roles_int.h"
#include "gpu/loop/rotate.h"
#include "gpu/memory/pieces.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/plan/chain.h"
#include "gpu/plan/wgmma.h"
#include "gpu/remark.h"

enum {
	LEAST_SLOTS = 2,
	BYTES_A_CYCLE = 64, /* that an SM takes of the L2 */
	HAND_OVER = 30, /* cycles of an arrival and a wait */
	MORE_BYTES = 4096, /* of shared memory, for barriers */
	MOST_STORES = 8, /* that are held against one another */
};

/* ---- who asks ---- */

static bool asks(const GpuCx *gpu, const IrOp *loop)
{
	return loop->kind == OP_FOR && ir_get_bool(loop, gpu->ir, ATTR_WARP_SPECIALIZE);
}

/* Tiles of a persistent kernel, one after the other. */
static bool goes_on(const GpuCx *gpu, const IrOp *loop)
{
	return loop->kind == OP_FOR && (asks(gpu, loop) || ir_get_bool(loop, gpu->ir, ATTR_FLATTEN));
}

typedef struct Inner {
	const IrOp *loop;
	bool other;
} Inner;

static bool visit_inner(void *data, IrOp *op)
{
	Inner *in = data;
	in->other |= (op->kind == OP_FOR || op->kind == OP_WHILE) && !ir_is_inside(in->loop, op);
	in->other |= op->kind == OP_CALL || op->kind == OP_BARRIER || op->kind == OP_WARP_SPECIALIZE;
	return !in->other;
}

typedef struct Reach {
	const GpuCx *gpu;
	const IrOp *loop;
	const IrValue *stored; /* NULL: anywhere */
	bool found;
} Reach;

static bool visit_load(void *data, IrOp *op)
{
	Reach *r = data;
	if (op->kind == OP_DESC_LOAD || op->kind == OP_LOAD) {
		const IrValue *loaded = gpu_access_base(r->gpu, op);
		r->found |= !loaded || !r->stored || loaded == r->stored;
	}
	return !r->found;
}

static bool visit_store(void *data, IrOp *op)
{
	Reach *r = data;
	IrType to = op->operand_count ? ir_operand(op, 0)->type : NULL;
	bool pointers = to && (to->kind == TY_TENSORDESC || ir_is_ptr(to) ||
			       (ir_is_tensor(to) && ir_is_ptr(to->elem)));
	if (ir_has_trait(op, TRAIT_SAYS) && !ir_is_pure(op))
		r->found = true;
	if (!ir_has_trait(op, TRAIT_WRITE) || !pointers)
		return !r->found;
	r->stored = gpu_access_base(r->gpu, op);
	ir_walk((IrOp *)(uintptr_t)r->loop, false, visit_load, r);
	return !r->found;
}

bool gpu_stores_reach(const GpuCx *gpu, const IrOp *around, const IrOp *loop)
{
	Reach r = {.gpu = gpu, .loop = loop};
	CONTRACT(around->region_count && loop->region_count);
	if (!ir_get_bool(around, gpu->ir, ATTR_PROGRAMS))
		ir_walk((IrOp *)(uintptr_t)around, false, visit_store, &r);
	return r.found;
}

/* The outermost loop around it that asks for tiles that go on, with nothing between but loops, and
 * no other loop. */
static IrOp *root_of(const GpuCx *gpu, IrOp *loop)
{
	IrOp *root = loop;
	for (IrOp *op = ir_parent_op(loop); op && op->kind == OP_FOR; op = ir_parent_op(op)) {
		Inner in = {loop, false};
		ir_walk(op, false, visit_inner, &in);
		if (in.other || gpu_stores_reach(gpu, op, loop))
			break;
		root = goes_on(gpu, op) ? op : root;
	}
	return root;
}

static bool has_one_product(const IrOp *loop)
{
	unsigned count = 0;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		count += schedule_is_dot(op);
	return count == 1;
}

/* From program to program, where a CTA has an SM to itself (gpu_persist_loses): the next one's
 * copies start under this one's stores (H200, fp16 with K of 512, 1024, 4096: 8, 5 and 1 %). */
static bool is_from_program_to_program(const GpuCx *gpu, const Schedule *s)
{
	const IrOp *around = ir_parent_op(s->loop);
	return gpu->persist == GPU_PERSIST_PAYING && around->kind == OP_FOR &&
	       ir_get_bool(around, gpu->ir, ATTR_PROGRAMS);
}

/* From tile to tile of a loop that is asked to run as one with that inside (flatten), as from
 * program to program. Such kernels are launched with a CTA for each SM, even where one would hold
 * more (H200, fp16 128x128x64 with K of 512, 1024, 4096, a CTA for each SM: 22, 19 and 8 %). */
static bool is_flattened(const GpuCx *gpu, const Schedule *s)
{
	const IrOp *around = ir_parent_op(s->loop);
	return around->kind == OP_FOR && ir_get_bool(around, gpu->ir, ATTR_FLATTEN) &&
	       s->products.len == 1 && has_one_product(s->loop);
}

/* Do tiles go on unasked where threads hold far more than the registers that warps with roles have?
 * (H200, fp8 128x256x128, 8 warps, scales of rows and columns behind the steps, K of 512: of 256
 * words in 168 registers 380 bytes are spilled, and it took 62 us where Triton took 34; 176, of
 * tiles that are only stored, are no spills.) */
static bool is_crowded(GpuCx *gpu, const IrModule *m, Arena *arena, const GpuRoles *r)
{
	unsigned words = 0, warps = gpu_num_warps(gpu, r->s.loop) + GPU_ROLE_WARPS;
	unsigned own = r->own ? r->own : TARGET_REGISTERS_SM / (TARGET_WARP_SIZE * warps);
	return ir_get_bool(ir_parent_op(r->s.loop), gpu->ir, ATTR_TILES) &&
	       gpu_peak(gpu, arena, m, ir_func_of(r->root), &words) &&
	       words > own + own / 8;
}

static bool is_asked(const GpuCx *gpu, const IrOp *loop)
{
	bool asked = gpu->roles == GPU_ROLES_ALL;
	for (const IrOp *op = loop; op && op->kind == OP_FOR; op = ir_parent_op(op))
		asked |= asks(gpu, op);
	return asked && gpu->roles != GPU_ROLES_NONE;
}

/* ---- may it be done ---- */

/* What late products read has slots of its own where it is paired; else it stays in those of all
 * for an iteration more. What is turned is so an iteration before products take it: with two slots
 * they waited for that (H200, fp8 256x128x128: 632 TFLOP/s, with three 994). */
static unsigned least_slots(const Schedule *s)
{
	return LEAST_SLOTS + ((schedule_is_rotated(s) && !s->paired) || s->turned ? 1u : 0u);
}

static bool is_scalar(const IrOp *op)
{
	bool good = true;
	for (uint32_t i = 0; i < op->operand_count; i++)
		good &= !ir_is_tensor(ir_operand(op, i)->type);
	for (uint32_t i = 0; i < op->result_count; i++)
		good &= !ir_is_tensor(op->results[i].type);
	return good;
}

typedef struct Address {
	const IrOp *root;
	uint8_t *seen;
} Address;

/* Is it computed in the loops by scalars without effects? Loops around it come along. */
static bool is_computed(Address *a, const IrValue *v)
{
	if (ir_is_defined_outside(v, a->root) || a->seen[v->id])
		return true;
	a->seen[v->id] = 1;
	const IrOp *op = v->def ? v->def : v->block->region->op;
	if (op->kind == OP_FOR) {
		bool good = true;
		uint32_t at = v->def ? (uint32_t)(v - op->results) + 1 : v->index;
		const IrBlock *body = op->regions[0].first;
		for (uint32_t i = 0; i < 3 && good; i++)
			good = is_computed(a, ir_operand(op, i));
		return good && (!at || (is_computed(a, ir_operand(op, at + 2)) &&
					is_computed(a, ir_operand(body->last, at - 1))));
	}
	bool pure = ir_is_pure(op) || (ir_has_trait(op, TRAIT_NOFX) && op->operand_count == 2);
	if (!v->def || op->region_count || !pure || !is_scalar(op) || ir_parent_op(op)->kind != OP_FOR)
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!is_computed(a, ir_operand(op, i)))
			return false;
	return true;
}

static bool are_computed(const IrModule *m, Arena *arena, const GpuRoles *r)
{
	Address a = {r->root, ARENA_ARRAY(arena, uint8_t, m->next_value)};
	for (const IrOp *op = r->s.loop;; op = ir_parent_op(op)) {
		for (uint32_t i = 0; i < 3; i++)
			if (!is_computed(&a, ir_operand(op, i)))
				return false;
		if (op == r->root)
			break;
	}
	for (uint32_t i = 0; i < r->s.loads.len; i++) {
		const ScheduledLoad *l = &r->s.loads.data[i];
		for (uint32_t k = 0; l->kind == SCHEDULE_COPIED && k < l->load->operand_count; k++)
			if (!is_computed(&a, ir_operand(l->load, k)))
				return false;
	}
	return true;
}

/* Where a loop stands for its own: loads that wait in registers are `pipeline`'s alone. */
static bool has_registers(const Schedule *s)
{
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_REGISTERS)
			return true;
	return false;
}

static bool visit_call(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_CALL;
	return !*found;
}

/* Do products read all that copies bring? Threads may read some for products that go on: a slot is
 * freed in the next iteration, when they have. */
static bool is_for_products(const GpuRoles *r)
{
	const Schedule *s = &r->s;
	bool read = s->by_boxes && s->products.len && !schedule_is_rotated(s);
	return s->slots && (s->for_products || read) && !has_registers(s);
}

static const char *why_not(GpuCx *gpu, const IrModule *m, Arena *arena, const GpuRoles *r)
{
	const Schedule *s = &r->s;
	unsigned warps = gpu_num_warps(gpu, s->loop);
	IrOp *func = ir_func_of(r->root);
	bool calls = false;
	ir_walk(func, false, visit_call, &calls);
	if (!target_has(gpu->target, TARGET_SETMAXNREG) || gpu->num_ctas > 1)
		return "the target, or a cluster, has no such warps";
	if (s->rule)
		return "its loads are not started ahead";
	if (calls || !ir_func_is_public(func, gpu->ir))
		return "functions are called";
	if (!is_for_products(r))
		return "products take what does not come by TMA, or others take what does";
	if (warps % GPU_ROLE_WARPS || warps + GPU_ROLE_WARPS > TARGET_MAX_THREADS / TARGET_WARP_SIZE)
		return "warps come in whole groups, and there is no room for one more";
	if (s->slots < least_slots(s))
		return "two of its slots do not fit into shared memory";
	if (!are_computed(m, arena, r))
		return "an address comes from more than scalars that the loops compute";
	return NULL;
}

/* ---- memory ---- */

typedef struct Beside {
	GpuCx *gpu;
	const GpuRoles *r;
	unsigned pieces; /* of a stored tile at once */
	uint64_t scratch, loaded, stored;
	const IrOp *stores[MOST_STORES]; /* counted in `stored` */
	unsigned store_count;
} Beside;

static bool is_by_map(const IrOp *op)
{
	return op->kind == OP_DESC_STORE || op->kind == OP_DESC_REDUCE || op->kind == OP_DESC_LOAD;
}

/* Does the tile come to memory that products take it from, which is counted among what is held? */
static bool is_read_as_it_lies(GpuCx *gpu, const IrOp *op)
{
	if (op->kind != OP_DESC_LOAD || !ir_has_one_use(&op->results[0]))
		return false;
	const IrOp *alloc = op->results[0].uses->owner;
	return alloc->kind == OP_LOCAL_ALLOC &&
	       gpu_layout(gpu, alloc->results[0].type) == gpu_map_layout(gpu, ir_operand(op, 0)->type);
}

/* Its pieces have memory as long as the loop around runs, but what another store of that has. */
static void add_store(Beside *b, const IrOp *store)
{
	for (unsigned i = 0; i < b->store_count; i++)
		if (gpu_stores_share(b->gpu, b->stores[i], store))
			return;
	if (b->store_count < MOST_STORES)
		b->stores[b->store_count++] = store;
	b->stored += gpu_store_beside(b->gpu, store, b->pieces);
}

static bool visit_memory(void *data, IrOp *op)
{
	Beside *b = data;
	/* A tile that is stored by a map is taken in the layout that it has. */
	bool dropped = op->kind == OP_CONVERT_LAYOUT && ir_has_one_use(&op->results[0]) &&
		       is_by_map(op->results[0].uses->owner);
	if (ir_is_inside(op, b->r->s.loop) || dropped)
		return true;
	b->scratch = MAX(b->scratch, gpu_scratch(b->gpu, op).bytes);
	if (!is_by_map(op) || !gpu_is_map(ir_operand(op, 0)->type) || is_read_as_it_lies(b->gpu, op))
		return true;
	if (op->kind == OP_DESC_LOAD)
		b->loaded = MAX(b->loaded, gpu_map_bytes(b->gpu, ir_operand(op, 0)->type));
	else
		add_store(b, op);
	return true;
}

/* Bytes of what is done with a tile that is stored by so many pieces at once; the slots beside. */
static uint64_t bytes_beside(GpuCx *gpu, const GpuRoles *r, unsigned pieces, unsigned *slots)
{
	Beside b = {.gpu = gpu, .r = r, .pieces = pieces};
	ir_walk(r->root, false, visit_memory, &b);
	uint64_t beside = b.scratch + b.loaded + b.stored;
	for (*slots = r->s.slots; *slots > least_slots(&r->s);) {
		if (r->s.bytes / r->s.slots * *slots + beside <= r->s.limit)
			break;
		--*slots;
	}
	return beside;
}

/* Copies of the next tile run beside what is done with this one, which has memory of its own then:
 * as many slots fewer; where too few are left, tiles do not go on. Where tiles are turned a fourth
 * slot is worth more than that threads write one piece of a tile under the copy of another (H100,
 * fp8 128x256x128 and 256x128x128 with both operands across K: 1171 TFLOP/s, with three 1008). */
static void find_memory(GpuCx *gpu, GpuRoles *r)
{
	enum { TURNED_SLOTS = 4 };
	Schedule *s = &r->s;
	unsigned slots, more;
	r->pieces_ahead = GPU_PIECES_AHEAD;
	if (r->root == s->loop || !s->slots)
		return;
	uint64_t slot = s->bytes / s->slots, beside = bytes_beside(gpu, r, GPU_PIECES_AHEAD, &slots);
	uint64_t less = s->turned && slots < TURNED_SLOTS ? bytes_beside(gpu, r, 1, &more) : beside;
	if (less < beside && more > slots) {
		r->pieces_ahead = 1;
		beside = less;
		slots = more;
	}
	if (slot * slots + beside > s->limit)
		r->root = s->loop;
	else if (slots < s->slots)
		roles_set_slots(s, slots);
	r->beside = r->root == s->loop ? 0 : beside;
}

/* ---- tiles of an outer iteration ---- */

/* Is the memory read in the loop alone? */
static bool is_read_in(const IrValue *memory, const IrOp *loop)
{
	for (const IrUse *u = memory->uses; u; u = u->next) {
		bool view = u->owner->kind == OP_MEMDESC_TRANS && is_read_in(&u->owner->results[0], loop);
		if (!view && !ir_is_inside(u->owner, loop))
			return false;
	}
	return memory->uses != NULL;
}

/* A tile for products of the loop alone, as it lies in their memory. */
static bool is_tile_of_root(GpuCx *gpu, Address *a, const GpuRoles *r, const IrOp *load)
{
	if (load->kind != OP_DESC_LOAD || !gpu_is_map(ir_operand(load, 0)->type) ||
	    !ir_has_one_use(&load->results[0]))
		return false;
	const IrOp *alloc = load->results[0].uses->owner;
	for (uint32_t i = 0; i < load->operand_count; i++)
		if (!is_computed(a, ir_operand(load, i)))
			return false;
	return alloc->kind == OP_LOCAL_ALLOC && alloc->block == load->block &&
	       gpu_layout(gpu, alloc->results[0].type) ==
		       gpu_layout(gpu, gpu_map_memdesc(gpu, ir_operand(load, 0)->type)) &&
	       is_read_in(&alloc->results[0], r->s.loop);
}

/* Each has two places in turns, where there is memory: the one that the kernel's warps have it in
 * is counted already, and is all that there is else. Where slots are needed
 * for an iteration alone (paired), a place is worth more than a slot more than the least. */
static void find_tiles(GpuCx *gpu, const IrModule *m, Arena *arena, GpuRoles *r)
{
	Schedule *s = &r->s;
	if (r->root == s->loop || !s->slots || s->loop->block != r->root->regions[0].first)
		return;
	Address a = {r->root, ARENA_ARRAY(arena, uint8_t, m->next_value)};
	uint64_t bytes = 0;
	uint32_t count = 0;
	r->tiles = ARENA_ARRAY(arena, IrOp *, m->next_op);
	for (IrOp *op = s->loop->block->first; op != s->loop; op = op->next)
		if (is_tile_of_root(gpu, &a, r, op)) {
			bytes += gpu_map_bytes(gpu, ir_operand(op, 0)->type);
			r->tiles[count++] = op;
		}
	uint64_t slot = s->bytes / s->slots, beside = r->beside + bytes;
	unsigned slots = s->slots, least = s->paired ? least_slots(s) : slots;
	while (count && slots > least && slot * slots + beside > s->limit)
		slots--;
	bool two = slot * slots + beside <= s->limit;
	if (two && slots < s->slots)
		roles_set_slots(s, slots);
	r->tile_count = count;
	r->tile_slots = two ? 2 : 1;
	r->beside += two ? bytes : 0;
}

/* ---- cycles ---- */

static void find_cycles(GpuRoles *r, const GpuLoopCycles *one)
{
	GpuRoleCycles *c = &r->cycles;
	uint64_t bytes = r->s.slots ? r->s.bytes / r->s.slots : 0;
	c->tensor = (one->early + one->late) * r->ctas;
	c->shared = one->shared * r->ctas;
	c->special = one->special * r->ctas;
	c->issue = one->issue * r->ctas;
	c->copies = (unsigned)(bytes / BYTES_A_CYCLE) * r->ctas;
	unsigned threads = MAX(c->special, c->issue), units = MAX(MAX(c->tensor, c->copies), c->shared);
	/* What the threads of one CTA compute runs beside products of the others; and of its own,
	 * where it is rotated. */
	bool hidden = r->ctas > 1 || schedule_is_rotated(&r->s);
	unsigned beside = hidden ? gpu_cycles_beside(units, threads) : units + threads;
	c->together = beside + (r->ctas > 1 ? 0 : HAND_OVER);
	c->roles = beside;
}

/* The warps that copy, and the slots that they fill ahead, may cost a CTA, whose products would run
 * beside what this one's threads compute (H100, attention's backward, 64x64 tiles of 128, one CTA
 * for two: 0.6 of the speed). From tile to tile they hide what stands around the loop besides. */
static const char *why_no_gain(GpuCx *gpu, Arena *arena, const GpuRoles *r, const GpuLoopCycles *one,
			       bool suffice)
{
	enum { WORTH_PERCENT = 105 };
	unsigned ctas = MAX(r->s.ctas, 1u);
	uint64_t alone = (uint64_t)gpu_cycles_of(one, schedule_is_rotated(&r->s), ctas) * r->ctas;
	uint64_t roles = (uint64_t)r->cycles.roles * ctas;
	if (gpu->roles == GPU_ROLES_ALL || r->root != r->s.loop || r->s.turned)
		return NULL;
	if (!suffice)
		return arena_printf(arena, "%u registers would be too few for threads that multiply", r->own);
	if (r->ctas >= ctas || roles * 100 <= alone * WORTH_PERCENT)
		return NULL;
	return arena_printf(arena,
			    "an iteration is to take %u cycles of an SM, and with roles %u, as %u CTAs "
			    "would share it for %u",
			    (unsigned)(alone / r->ctas / ctas), r->cycles.roles / r->ctas, r->ctas, ctas);
}

/* ---- tiles that are turned ---- */

/* A thread that turns a tile holds its part of it all at once. */
static bool can_be_held(uint64_t bytes)
{
	enum { MOST_WORDS = 64 };
	return bytes <= UINT64_C(4) * MOST_WORDS * TARGET_WARP_SIZE * SCHEDULE_TURNING_WARPS;
}

static uint64_t bytes_of_tile(IrType type)
{
	return (uint64_t)ir_numel(type) * type->elem->bits / 8;
}

/* Do its sums go round the loop alone? */
static bool adds_up(GpuCx *gpu, const IrOp *dot, const IrOp *loop)
{
	const IrBlock *body = loop->regions[0].first;
	const IrUse *use = dot->results[0].uses;
	if (!schedule_can_go_on(gpu, dot) || !ir_has_one_use(&dot->results[0]) || use->owner != body->last)
		return false;
	return ir_operand(dot, 2) == body->args[(uint32_t)(use - body->last->operands) + 1];
}

/* Of tiles that products of the loop take, of all of them. */
static uint64_t bytes_of_loop(const IrOp *loop)
{
	uint64_t bytes = 0;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next)
		for (uint32_t i = 0; op->kind == OP_DOT && i < 2; i++)
			if (!gpu_comes_from_dot(ir_operand(op, i)))
				bytes += bytes_of_tile(ir_operand(op, i)->type);
	return bytes;
}

bool gpu_may_turn_values(GpuCx *gpu, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	const IrOp *loop = ir_parent_op(dot);
	IrType v = ir_operand(dot, 1)->type, c = dot->results[0].type;
	if (c->rank != 2 || v->elem->bits != 8 || loop->kind != OP_FOR ||
	    gpu_num_warps(gpu, dot) <= GPU_ROLE_WARPS)
		return false;
	return gpu_may_map(gpu) && gpu->roles != GPU_ROLES_NONE &&
	       target_has(gpu->target, TARGET_SETMAXNREG) && gpu_comes_from_dot(ir_operand(dot, 0)) &&
	       schedule_can_go_on(gpu, dot) && can_be_held(bytes_of_tile(v)) &&
	       (LEAST_SLOTS + 1) * bytes_of_loop(loop) + MORE_BYTES <= gpu->target->shared_cta;
}

bool gpu_may_turn(GpuCx *gpu, const IrOp *dot)
{
	CONTRACT(dot->kind == OP_DOT);
	const IrOp *loop = ir_parent_op(dot);
	IrType a = ir_operand(dot, 0)->type, b = ir_operand(dot, 1)->type, c = dot->results[0].type;
	if (c->rank != 2 || a->elem->bits != 8 || b->elem->bits != 8 || loop->kind != OP_FOR)
		return false;
	if (gpu_num_warps(gpu, dot) <= GPU_ROLE_WARPS)
		return false;
	bool second = c->shape[1] > c->shape[0]; /* the larger one (wgmma_across_k) */
	uint64_t bytes[] = {bytes_of_tile(a), bytes_of_tile(b)}, other = bytes[!second];
	return gpu_may_map(gpu) && gpu->roles != GPU_ROLES_NONE &&
	       target_has(gpu->target, TARGET_SETMAXNREG) && has_one_product(loop) &&
	       adds_up(gpu, dot, loop) && can_be_held(other) &&
	       (LEAST_SLOTS + 1) * (bytes[0] + bytes[1]) + MORE_BYTES <= gpu->target->shared_cta &&
	       gpu_wgmma_reads_across(gpu, dot, second);
}

/* Do products take bytes that lie across K from memory? Warps of their own turn them on the way,
 * whoever asks for roles. With one warp group that multiplies it lost 4 % (128x128, H200). */
static bool turns(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop,
		  Schedule *s)
{
	bool good = gpu_num_warps(gpu, loop) > GPU_ROLE_WARPS &&
		    schedule_loop_turned(gpu, m, arena, axes, loop, s) &&
		    s->slots && s->products.len && !s->paired && !schedule_is_rotated(s);
	for (uint32_t i = 0; i < s->loads.len && good; i++)
		good = !s->loads.data[i].turned || can_be_held(s->loads.data[i].bytes);
	return good;
}

/* ---- the whole ---- */

void gpu_roles(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop, GpuRoles *out)
{
	CONTRACT(loop->kind == OP_FOR && loop->region_count);
	*out = (GpuRoles){.root = loop};
	bool asked = is_asked(gpu, loop), may = asked || gpu->roles == GPU_ROLES_ASKED;
	bool turned = may && turns(gpu, m, arena, axes, loop, &out->s);
	if (!turned && (!may || !schedule_loop(gpu, m, arena, axes, loop, &out->s)))
		return;
	bool wanted = asked || turned || is_from_program_to_program(gpu, &out->s);
	if (!wanted && !is_flattened(gpu, &out->s))
		return;
	out->root = root_of(gpu, loop);
	find_memory(gpu, out);
	if (!wanted && out->root == loop)
		return;
	find_tiles(gpu, m, arena, out);
	out->behind = schedule_is_rotated(&out->s) ? 2 : out->s.products.len ? 1 : 0;
	out->why = why_not(gpu, m, arena, out);
	out->rule = !out->why ? REMARK_LOOP_ROLES : asked ? REMARK_LOOP_ROLES_NOT : REMARK_NONE;
	if (out->why)
		return;
	GpuLoopCycles one = gpu_loop_cycles(gpu, arena, &out->s);
	bool suffice = roles_find_registers(gpu, arena, out, &one, is_flattened(gpu, &out->s));
	if (!wanted && is_crowded(gpu, m, arena, out)) {
		out->rule = REMARK_NONE;
		return;
	}
	find_cycles(out, &one);
	out->why = why_no_gain(gpu, arena, out, &one, suffice);
	out->loses = out->why != NULL;
	out->rule = out->loses ? REMARK_LOOP_ROLES_NOT : out->rule;
}

void gpu_roles_remark(GpuCx *gpu, Arena *arena, const GpuRoles *r)
{
	const GpuRoleCycles *c = &r->cycles;
	if (r->rule == REMARK_LOOP_ROLES_NOT) {
		gpu_remark_of(gpu, r->s.loop, NULL, r->rule, r->why);
		return;
	}
	CONTRACT(r->rule == REMARK_LOOP_ROLES);
	schedule_remark(gpu, arena, &r->s);
	unsigned most = MAX(MAX(MAX(c->tensor, c->copies), c->shared), MAX(c->special, c->issue));
	const char *binds = most == c->tensor	 ? "tensor cores"
			    : most == c->copies	 ? "copies"
			    : most == c->shared	 ? "shared memory"
			    : most == c->special ? "special functions"
						 : "issue";
	Remark *remark =
		gpu_remark_of(gpu, r->s.loop, NULL, r->rule, gpu_num_warps(gpu, r->s.loop),
			      r->root == r->s.loop ? "" : " from tile to tile", r->s.slots, r->ctas, c->roles,
			      c->together, c->tensor, c->shared, c->special, c->issue, c->copies, binds);
	remark_figure(remark, "slots", r->s.slots);
	remark_figure(remark, "ctas", r->ctas);
	remark_figure(remark, "cycles", c->roles);
	remark_figure(remark, "tensor_cycles", c->tensor);
	remark_figure(remark, "shared_cycles", c->shared);
	remark_figure(remark, "special_cycles", c->special);
	remark_figure(remark, "issue_cycles", c->issue);
	remark_figure(remark, "copy_cycles", c->copies);
	remark_figure(remark, "registers", r->own);
}
