/* hoist-loads: in a loop whose products wait for what is loaded where it stands, the loads for a
 * product stand in front of the product before, and begin beside it and what is computed of it.
 *
 *	k = load; s = q * k; p = f(s)     ->	n = load of the next rows' numbers; k = load; v = load
 *	v = load; o += p * v				s = q * k; p = f(s); o += p * v
 *
 * Needs: TTGIR with its final layouts, behind `pipeline`: what is loaded here was not started ahead.
 * Keeps: effects and values; nothing that is crossed writes global memory or orders it. A branch that
 * does nothing but load, as masked rows at an end have it, is as a load. What a load's address comes
 * from, if it is loaded as well, goes in front of one product more. Done as long as threads have the
 * registers. */
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"

enum {
	MOST_WORDS = 32,    /* of a tile */
	INDEX_WORDS = 4,    /* of a tile of indices */
	MOST_NEEDED = 96,   /* ops that a load takes with it */
	BESIDE_TILES = 24,  /* registers for addresses and what is not data */
	MOST_VIEWS = 6,     /* between a load and its product */
};

typedef struct Hoist {
	PassCx *cx;
	GpuCx *gpu;
	GpuHeld held; /* words grow as loads go up */
	bool *changed;
} Hoist;

/* ---- what may move, and over what ---- */

static bool is_quiet_load(const IrOp *op)
{
	return op->kind == OP_LOAD && !ir_is_volatile(op);
}

static bool loads_alone(const IrOp *op);

static bool region_loads_alone(const IrRegion *region)
{
	for (const IrOp *op = region->first ? region->first->first : NULL; op; op = op->next)
		if (!loads_alone(op))
			return false;
	return true;
}

/* Does it nothing but compute and load? Quotients too: it stays in its block. */
static bool loads_alone(const IrOp *op)
{
	if (op->kind != OP_IF)
		return is_quiet_load(op) || op->kind == OP_YIELD ||
		       (!op->region_count && ir_is_droppable(op) &&
			!ir_has_trait(op, TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC));
	for (uint32_t i = 0; i < op->region_count; i++)
		if (!region_loads_alone(&op->regions[i]))
			return false;
	return true;
}

static bool lets_pass(const IrOp *op)
{
	switch (op->kind) {
	case OP_LOCAL_ALLOC:
	case OP_LOCAL_STORE:
	case OP_LOCAL_DEALLOC:
	case OP_WARP_GROUP_DOT_WAIT:
		return true;
	default:
		return loads_alone(op) || ir_is_pure(op) ||
		       (!op->region_count && !ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC));
	}
}

/* ---- what moves ---- */

typedef struct Moved {
	Hoist *h;
	IrOp *to; /* in front of it */
	IrOp *ops[MOST_NEEDED]; /* each behind those that it needs */
	unsigned count;
} Moved;

static bool is_between(const IrOp *op, const IrOp *first, const IrOp *last)
{
	for (const IrOp *at = first; at && at != last; at = at->next)
		if (at == op)
			return true;
	return false;
}

static bool take(Moved *m, const IrOp *root, IrOp *op);

typedef struct Needs {
	Moved *m;
	const IrOp *root;
	bool good;
} Needs;

static bool need_operands(void *data, IrOp *op)
{
	Needs *n = data;
	for (uint32_t i = 0; i < op->operand_count && n->good; i++) {
		IrOp *def = ir_operand(op, i)->def;
		if (def && def->block == n->root->block && is_between(def, n->m->to, n->root))
			n->good = take(n->m, n->root, def);
	}
	return n->good;
}

/* The op, behind what it needs of what stands from `to` on. */
static bool take(Moved *m, const IrOp *root, IrOp *op)
{
	for (unsigned i = 0; i < m->count; i++)
		if (m->ops[i] == op)
			return true;
	Needs needs = {m, root, loads_alone(op) && op->kind != OP_YIELD};
	if (needs.good)
		need_operands(&needs, op);
	if (needs.good && op->region_count)
		ir_walk(op, false, need_operands, &needs);
	if (!needs.good || m->count == MOST_NEEDED)
		return false;
	m->ops[m->count++] = op;
	return true;
}

/* The last product of the block in front of the op; NULL: there is none. */
static IrOp *product_before(const IrOp *op)
{
	IrOp *at = op->prev;
	while (at && at->kind != OP_WARP_GROUP_DOT)
		at = at->prev;
	return at;
}

/* In front of the product, and of the stores of its tiles, which wait for their own loads. */
static IrOp *place_before(IrOp *product)
{
	IrOp *place = product;
	for (IrOp *at = product->prev; at && at->kind != OP_WARP_GROUP_DOT; at = at->prev) {
		bool own = at->kind == OP_LOCAL_ALLOC && at->operand_count;
		bool view = at->kind == OP_MEMDESC_TRANS || at->kind == OP_LOCAL_DEALLOC;
		if (own)
			place = at;
		else if (!view && !ir_is_pure(at))
			break;
	}
	return place;
}

/* ---- registers ---- */

static uint32_t number_of(const GpuHeld *held, const IrOp *op)
{
	uint32_t i = 0;
	while (i < held->count && held->ops[i] != op)
		i++;
	return i;
}

static unsigned limit_of(const Hoist *h, const IrOp *op)
{
	unsigned threads = TARGET_WARP_SIZE * gpu_num_warps(h->gpu, op);
	unsigned each = MIN((unsigned)TARGET_REGISTERS_THREAD, TARGET_REGISTERS_SM / threads);
	return each - BESIDE_TILES;
}

/* Is there room for so many words more from `to` to the op? Takes them. */
static bool has_room(Hoist *h, const IrOp *to, const IrOp *op, unsigned words)
{
	uint32_t from = number_of(&h->held, to), end = number_of(&h->held, op);
	for (uint32_t i = from; i < end && i < h->held.count; i++)
		if (h->held.words[i] + words > limit_of(h, op))
			return false;
	for (uint32_t i = from; i < end && i < h->held.count; i++)
		h->held.words[i] += words;
	return from < end;
}

/* ---- all ---- */

/* Does a product of the block take the tile from memory that it is stored to? */
static bool goes_to_product(const IrValue *tile, unsigned depth)
{
	for (const IrUse *u = tile->uses; u && depth < MOST_VIEWS; u = u->next) {
		const IrOp *op = u->owner;
		bool view = op->kind == OP_LOCAL_ALLOC || op->kind == OP_MEMDESC_TRANS || op->kind == OP_TRANS ||
			    op->kind == OP_CONVERT_LAYOUT;
		if (op->kind == OP_WARP_GROUP_DOT || (view && goes_to_product(&op->results[0], depth + 1)))
			return true;
	}
	return false;
}

static bool hoist(Hoist *h, IrOp *load, Moved *m)
{
	IrOp *product = product_before(load);
	unsigned words = 0;
	if (!product)
		return false;
	*m = (Moved){.h = h, .to = place_before(product)};
	for (const IrOp *at = m->to; at != load; at = at->next)
		if (!lets_pass(at))
			return false;
	for (uint32_t i = 0; i < load->result_count; i++)
		words += gpu_words(h->gpu, load->results[i].type);
	if (!take(m, load, load) || words > MOST_WORDS || !has_room(h, m->to, load, words))
		return false;
	for (unsigned i = 0; i < m->count; i++) {
		ir_op_unlink(m->ops[i]);
		ir_op_insert_before(m->ops[i], m->to);
	}
	*h->changed = true;
	return true;
}

static bool is_tile_load(const IrOp *op)
{
	return (is_quiet_load(op) || (op->kind == OP_IF && loads_alone(op))) && op->result_count == 1 &&
	       ir_is_tensor(op->results[0].type) && op->results[0].type->rank == 2 &&
	       goes_to_product(&op->results[0], 0);
}

static void hoist_all(Hoist *h, IrBlock *body)
{
	Moved moved, indices;
	for (IrOp *op = body->first, *next; op; op = next) {
		next = op->next;
		if (!is_tile_load(op) || !hoist(h, op, &moved))
			continue;
		for (unsigned i = 0; i < moved.count; i++) {
			IrOp *index = moved.ops[i];
			if (index != op && is_quiet_load(index) &&
			    gpu_words(h->gpu, index->results[0].type) <= INDEX_WORDS)
				hoist(h, index, &indices);
		}
	}
}

typedef struct Loops {
	Arena *arena;
	VEC(IrOp *) list;
} Loops;

static bool visit(void *data, IrOp *op)
{
	Loops *l = data;
	if (op->kind == OP_FOR)
		vec_push(l->arena, &l->list, op);
	return true;
}

static bool any_load(const IrBlock *body)
{
	for (const IrOp *op = body->first; op; op = op->next)
		if (is_tile_load(op) && product_before(op))
			return true;
	return false;
}

bool pass_hoist_loads(PassCx *cx, bool *changed)
{
	Loops loops = {.arena = cx->scratch};
	Hoist h = {.cx = cx, .gpu = gpu_of(cx), .changed = changed};
	ir_walk(cx->module->op, false, visit, &loops);
	for (uint32_t i = 0; i < loops.list.len; i++) {
		IrOp *loop = loops.list.data[i];
		if (!any_load(loop->regions[0].first))
			continue;
		if (!h.held.ops)
			h.held = gpu_held(h.gpu, cx->scratch, cx->module, ir_func_of(loop));
		hoist_all(&h, loop->regions[0].first);
	}
	return true;
}
