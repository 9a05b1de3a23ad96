/* cse: replaces an op by an equal one that dominates it.
 *
 * Needs: any verified module. Keeps: effects; of equal ops the first, with its location. Equal:
 * same kind, operands (in any order if commutative), attributes, result types, and regions that
 * are equal op by op. Pure ops and ops without effect (division) are merged over the whole region
 * below the first; non-volatile loads only within a block, and only with no write in between. A
 * load of what the last write stored to the same elements is what was stored.
 * Method: a hash table whose entries are chained per slot, newest first; leaving a region removes
 * its entries. In a function with jumps each block is done by itself, below the first one. Linear.
 */
#include "ir/pass.h"

typedef struct Entry {
	struct Entry *next; /* of the slot */
	IrOp *op;
	uint64_t hash;
	uint32_t memory; /* of a load: the state of memory that it saw */
} Entry;

typedef struct Cse {
	PassCx *cx;
	Entry **slots;
	uint32_t cap;
	VEC(uint32_t) entered; /* slots, in order of entering */
	uint32_t memory, next_memory; /* counts the states of memory; each block begins a new one */
	IrOp *store;                  /* made the state `stored` */
	uint32_t stored;
	uint64_t *numbers;            /* of values defined inside the region that is hashed, by id; 0: none */
	IrValue **partner;            /* of values of the region that is compared, by id */
	bool changed;
} Cse;

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* ---- hashing ---- */

static uint64_t hash_op(Cse *c, const IrOp *op, uint64_t *number);

static uint64_t hash_regions(Cse *c, const IrOp *op, uint64_t *number)
{
	uint64_t h = op->region_count;
	for (uint32_t r = 0; r < op->region_count; r++) {
		for (const IrBlock *b = op->regions[r].first; b; b = b->next) {
			h = mix(h, b->arg_count);
			for (uint32_t i = 0; i < b->arg_count; i++) {
				c->numbers[b->args[i]->id] = ++*number;
				h = mix(h, b->args[i]->type->id);
			}
			for (const IrOp *inner = b->first; inner; inner = inner->next)
				h = mix(h, hash_op(c, inner, number));
		}
	}
	return h;
}

static uint64_t hash_value(const Cse *c, const IrValue *v)
{
	return c->numbers[v->id] ? c->numbers[v->id] << 32 : v->id;
}

static uint64_t hash_op(Cse *c, const IrOp *op, uint64_t *number)
{
	uint64_t h = op->kind;
	uint32_t i = 0;
	if (ir_has_trait(op, TRAIT_COMM)) {
		uint64_t a = hash_value(c, ir_operand(op, 0)), b = hash_value(c, ir_operand(op, 1));
		h = mix(mix(h, MIN(a, b)), MAX(a, b));
		i = 2;
	}
	for (; i < op->operand_count; i++)
		h = mix(h, hash_value(c, ir_operand(op, i)));
	for (i = 0; i < op->attr_count; i++)
		h = mix(h, op->attrs[i].value->id);
	for (i = 0; i < op->result_count; i++) {
		h = mix(h, op->results[i].type->id);
		if (number)
			c->numbers[op->results[i].id] = ++*number;
	}
	if (op->region_count) {
		uint64_t own = 0;
		h = mix(h, hash_regions(c, op, number ? number : &own));
	}
	return h;
}

/* ---- comparing ---- */

static bool same_value(const Cse *c, const IrValue *a, const IrValue *b)
{
	return a == b || c->partner[a->id] == b;
}

static void pair(Cse *c, IrValue *a, IrValue *b)
{
	c->partner[a->id] = b;
}

static bool same_op(Cse *c, IrOp *a, IrOp *b);

static bool same_regions(Cse *c, IrOp *a, IrOp *b)
{
	for (uint32_t r = 0; r < a->region_count; r++) {
		IrBlock *x = a->regions[r].first, *y = b->regions[r].first;
		for (; x && y; x = x->next, y = y->next) {
			if (x->arg_count != y->arg_count)
				return false;
			for (uint32_t i = 0; i < x->arg_count; i++) {
				if (x->args[i]->type != y->args[i]->type)
					return false;
				pair(c, x->args[i], y->args[i]);
			}
			IrOp *p = x->first, *q = y->first;
			for (; p && q; p = p->next, q = q->next) {
				if (!same_op(c, p, q))
					return false;
				for (uint32_t i = 0; i < p->result_count; i++)
					pair(c, &p->results[i], &q->results[i]);
			}
			if (p || q)
				return false;
		}
		if (x || y)
			return false;
	}
	return true;
}

static bool same_operands(const Cse *c, const IrOp *a, const IrOp *b)
{
	uint32_t i = 0;
	if (ir_has_trait(a, TRAIT_COMM)) {
		bool straight = same_value(c, ir_operand(a, 0), ir_operand(b, 0)) &&
				same_value(c, ir_operand(a, 1), ir_operand(b, 1));
		bool crossed = same_value(c, ir_operand(a, 0), ir_operand(b, 1)) &&
			       same_value(c, ir_operand(a, 1), ir_operand(b, 0));
		if (!straight && !crossed)
			return false;
		i = 2;
	}
	for (; i < a->operand_count; i++)
		if (!same_value(c, ir_operand(a, i), ir_operand(b, i)))
			return false;
	return true;
}

static bool same_op(Cse *c, IrOp *a, IrOp *b)
{
	if (a->kind != b->kind || a->operand_count != b->operand_count || a->result_count != b->result_count ||
	    a->region_count != b->region_count || a->succ_count || b->succ_count || !ir_same_attrs(a, b))
		return false;
	for (uint32_t i = 0; i < a->result_count; i++)
		if (a->results[i].type != b->results[i].type)
			return false;
	return same_operands(c, a, b) && same_regions(c, a, b);
}

/* ---- the table ---- */

static Entry *find(Cse *c, IrOp *op, uint64_t hash, bool is_load)
{
	for (Entry *e = c->slots[hash & (c->cap - 1)]; e; e = e->next)
		if (e->hash == hash && (!is_load || e->memory == c->memory) && same_op(c, e->op, op))
			return e;
	return NULL;
}

static void enter(Cse *c, IrOp *op, uint64_t hash)
{
	Entry *e = ARENA_NEW(c->cx->scratch, Entry);
	uint32_t at = (uint32_t)hash & (c->cap - 1);
	*e = (Entry){c->slots[at], op, hash, c->memory};
	c->slots[at] = e;
	vec_push(c->cx->scratch, &c->entered, at);
}

static void leave(Cse *c, uint32_t entered)
{
	while (c->entered.len > entered) {
		uint32_t at = c->entered.data[--c->entered.len];
		c->slots[at] = c->slots[at]->next;
	}
}

/* ---- walking ---- */

static void visit_region(Cse *c, IrRegion *region);

static bool is_load(const IrOp *op)
{
	return op->kind == OP_DESC_LOAD || op->kind == OP_DESC_GATHER ||
	       (op->kind == OP_LOAD && !ir_is_volatile(op));
}

/* ---- loads of what was stored ---- */

static bool is_alike_everywhere(const IrValue *v)
{
	return v->def && (v->def->kind == OP_SPLAT || ir_constant_of(v));
}

/* Are its elements all different? */
static bool is_distinct(const IrValue *v, unsigned depth)
{
	enum { DEEPEST = 12 };
	const IrOp *op = v->def;
	if (!ir_is_tensor(v->type) || ir_numel(v->type) == 1)
		return true;
	if (!op || depth > DEEPEST)
		return false;
	switch (op->kind) {
	case OP_MAKE_RANGE:
		return true;
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_EXPAND_DIMS:
	case OP_RESHAPE:
	case OP_TRANS:
	case OP_CONVERT_LAYOUT:
		return is_distinct(ir_operand(op, 0), depth + 1);
	case OP_ADDI:
	case OP_SUBI:
	case OP_ADDPTR:
		for (uint32_t i = 0; i < 2; i++)
			if (is_alike_everywhere(ir_operand(op, i)))
				return is_distinct(ir_operand(op, 1 - i), depth + 1);
		return false;
	default:
		return false;
	}
}

/* Where the mask is off a load gives 0, and not what was not stored. */
static IrValue *masked(const Cse *c, IrOp *load, IrValue *value)
{
	if (load->operand_count == 1)
		return value;
	IrBuilder b = ir_at(c->cx->module, load);
	IrValue *zero = ir_is_float(ir_elem(value->type)) ? irb_float(&b, value->type, 0) : irb_int(&b, value->type, 0);
	return irb_3(&b, OP_SELECT, NULL, ir_operand(load, 1), value, zero);
}

/* The value that the load gives, as the last write stored it there; NULL: it is not known. */
static IrValue *stored_value(const Cse *c, IrOp *load)
{
	const IrOp *store = c->stored == c->memory ? c->store : NULL;
	if (!store || load->kind != OP_LOAD || ir_operand(load, 0) != ir_operand(store, 0) ||
	    load->operand_count != store->operand_count - 1)
		return NULL;
	if (ir_is_block_ptr(ir_operand(load, 0)->type)) /* bounds and padding are another matter */
		return NULL;
	bool same_mask = load->operand_count == 1 || ir_operand(load, 1) == ir_operand(store, 2);
	bool same_type = load->results[0].type == ir_operand(store, 1)->type;
	bool known = same_mask && same_type && !ir_is_ptr(ir_elem(load->results[0].type)) &&
		     is_distinct(ir_operand(load, 0), 0);
	return known ? masked(c, load, ir_operand(store, 1)) : NULL;
}

static void replace(Cse *c, IrOp *op, IrValue *by)
{
	if (op->results[0].uses)
		ir_replace_uses(&op->results[0], by);
	ir_op_erase(op);
	c->changed = true;
}

/* ---- regions ---- */

/* Regions that take nothing from outside see an empty table. */
static void visit_regions(Cse *c, IrOp *op)
{
	Entry **slots = c->slots;
	if (op->kind == OP_WARP_PARTITIONS)
		c->slots = ARENA_ARRAY(c->cx->scratch, Entry *, c->cap);
	for (uint32_t r = 0; r < op->region_count; r++)
		visit_region(c, &op->regions[r]);
	c->slots = slots;
}

static void visit_op(Cse *c, IrOp *op)
{
	/* What is inside first: its own redundancy must not hide that two regions are equal. */
	visit_regions(c, op);
	bool load = is_load(op);
	if (!load && !ir_is_pure(op) && !ir_has_trait(op, TRAIT_NOFX)) {
		if (!ir_is_droppable(op))
			c->memory = ++c->next_memory;
		if (op->kind == OP_STORE) {
			c->store = op;
			c->stored = c->memory;
		}
		return;
	}
	IrValue *stored = load ? stored_value(c, op) : NULL;
	if (stored) {
		replace(c, op, stored);
		return;
	}
	uint64_t hash = hash_op(c, op, NULL);
	Entry *e = find(c, op, hash, load);
	if (!e) {
		enter(c, op, hash);
		return;
	}
	for (uint32_t i = 0; i < op->result_count; i++)
		if (op->results[i].uses)
			ir_replace_uses(&op->results[i], &e->op->results[i]);
	ir_op_erase(op);
	c->changed = true;
}

static void visit_block(Cse *c, IrBlock *block)
{
	uint32_t outer = c->memory;
	c->memory = ++c->next_memory;
	for (IrOp *op = block->first, *next; op; op = next) {
		next = op->next;
		visit_op(c, op);
	}
	c->memory = outer;
}

static void visit_region(Cse *c, IrRegion *region)
{
	uint32_t mark = c->entered.len;
	/* The first block dominates all others; of those nothing is known here. */
	for (IrBlock *b = region->first, *next; b; b = next) {
		uint32_t own = c->entered.len;
		next = b->next;
		visit_block(c, b);
		if (b != region->first)
			leave(c, own);
	}
	leave(c, mark);
}

bool pass_cse(PassCx *cx, bool *changed)
{
	IrModule *m = cx->module;
	Cse c = {.cx = cx, .cap = 64};
	while (c.cap < m->next_op)
		c.cap *= 2;
	c.slots = ARENA_ARRAY(cx->scratch, Entry *, c.cap);
	uint32_t values = m->next_value + 2 * m->next_op; /* with those that loads may become */
	c.numbers = ARENA_ARRAY(cx->scratch, uint64_t, values);
	c.partner = ARENA_ARRAY(cx->scratch, IrValue *, values);
	visit_region(&c, &m->op->regions[0]);
	*changed = c.changed;
	return true;
}
