/* The rewrites of relieve-registers: tiles are read again, copied, stored, kept or carried
 * (relieve_registers.c). */
#include "gpu/analysis/prefix.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pass/relieve.h"
#include "gpu/pipeline/pipeline.h"

/* ---- relief ---- */

/* Users of the value behind `from`, and not behind `to`, read the memory, each block at its first
 * one. */
static void read_in_blocks(const Relief *r, IrValue *v, IrValue *memory, uint32_t from, uint32_t to)
{
	VEC(IrUse *) uses = {0};
	for (IrUse *u = v->uses; u; u = u->next) {
		uint32_t at = relieve_place(r, u->owner);
		if (u->owner != memory->def && at > from && at <= to)
			vec_push(r->cx->scratch, &uses, u);
	}
	for (uint32_t i = 0; i < uses.len; i++) {
		if (!uses.data[i])
			continue;
		IrOp *first = uses.data[i]->owner;
		const IrBlock *block = first->block;
		for (uint32_t k = i + 1; k < uses.len; k++)
			if (uses.data[k] && uses.data[k]->owner->block == block &&
			    relieve_place(r, uses.data[k]->owner) < relieve_place(r, first))
				first = uses.data[k]->owner;
		IrBuilder b = ir_at(r->m, first);
		IrValue *read = irb_1(&b, OP_LOCAL_LOAD, v->type, memory);
		for (uint32_t k = i; k < uses.len; k++) {
			if (!uses.data[k] || uses.data[k]->owner->block != block)
				continue;
			IrOp *owner = uses.data[k]->owner;
			ir_operand_set(owner, (uint32_t)(uses.data[k] - owner->operands), read);
			uses.data[k] = NULL;
		}
	}
}

static void read_all(const Relief *r, IrValue *v, IrValue *memory)
{
	VEC(IrOp *) users = {0};
	for (const IrUse *u = v->uses; u; u = u->next)
		if (u->owner != memory->def && relieve_is_conversion(r, u->owner))
			vec_push(r->cx->scratch, &users, u->owner);
	for (uint32_t i = 0; i < users.len; i++)
		pipeline_read_converted(r->m, r->gpu, users.data[i], v->type, memory);
}

static IrType memory_type(const Relief *r, IrType tile, const Layout *l, bool mutable)
{
	return ir_memdesc(r->gpu->ir, tile->elem, tile->shape, tile->rank, gpu_encoding(r->gpu, l),
			  PIPELINE_SHARED_SPACE, mutable);
}

static void store(Relief *r, IrValue *v)
{
	unsigned width = 16;
	const Layout *l = schedule_memory(r->gpu, v->def, &width);
	CONTRACT(l);
	IrBuilder b = ir_at(r->m, v->def->next);
	b.loc = v->def->loc;
	IrValue *memory = irb_1(&b, OP_LOCAL_ALLOC, memory_type(r, v->type, l, false), v);
	read_all(r, v, memory);
	vec_push(r->cx->scratch, &r->made, memory->def);
}

static IrValue *same(void *data, IrValue *v)
{
	(void)data;
	return v;
}

/* Products take the memory that the copy fills. */
static void read_as_it_lies(const Relief *r, const IrOp *load, IrValue *memory)
{
	for (IrUse *u = load->results[0].uses, *next; u; u = next) {
		IrOp *alloc = u->owner;
		next = u->next;
		if (alloc->kind == OP_LOCAL_ALLOC && alloc->block == load->block &&
		    gpu_layout(r->gpu, alloc->results[0].type) == gpu_layout(r->gpu, memory->type))
			gpu_read_as_it_lies(r->gpu, alloc, memory);
	}
}

static void copy(Relief *r, IrValue *v)
{
	IrOp *load = v->def;
	unsigned width = 0, dim = 0;
	IrType token = r->gpu->ir->token, tile = v->type;
	bool copied = schedule_is_copied(r->gpu, r->axes, load, &width, &dim);
	const Layout *l = copied ? schedule_memory(r->gpu, load, &width) : NULL;
	ASSERT(l);
	IrBuilder b = ir_at(r->m, load);
	IrValue *memory = irb_0(&b, OP_LOCAL_ALLOC, memory_type(r, tile, l, true)),
		*args[5] = {ir_operand(load, 0), memory};
	unsigned n = width * 8 / gpu_element_bits(tile->elem), count = 2;
	if (load->operand_count > 1) {
		Prefix prefix = {r->axes, r->gpu, &b, dim, n, same, NULL};
		args[count++] = ir_operand(load, 1);
		args[4] = prefix_count(&prefix, ir_operand(load, 1));
		args[3] = args[4] ? ir_is_float(tile->elem) ? irb_float(&b, tile, 0) : irb_int(&b, tile, 0)
				  : NULL;
		count = args[4] ? 5 : 3;
	}
	IrOp *op = irb_op(&b, OP_ASYNC_COPY, args, count, &token, 1, 0);
	static const IrAttrName names[] = {ATTR_CACHE, ATTR_EVICT};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (ir_get(load, r->gpu->ir, names[i]))
			ir_set(r->m, op, names[i], ir_get(load, r->gpu->ir, names[i]));
	ir_set(r->m, op, ATTR_COPY_CONTIGUITY, ir_attr_i32(r->gpu->ir, n));
	irb_op(&b, OP_ASYNC_COMMIT, NULL, 0, &token, 1, 0);
	read_all(r, v, memory);
	read_as_it_lies(r, load, memory);
	if (v->uses)
		read_in_blocks(r, v, memory, relieve_place(r, load), UINT32_MAX);
	ir_op_erase(load);
	vec_push(r->cx->scratch, &r->made, memory->def);
	vec_push(r->cx->scratch, &r->copied, memory->def);
}

/* What needs it in front of the peak, in the loop, reads it there as well. */
static void keep(Relief *r, const Candidate *c, const IrOp *peak)
{
	IrValue *v = c->v;
	IrBuilder b = ir_at(r->m, v->def->next);
	b.loc = v->def->loc;
	uint32_t at = relieve_place(r, peak);
	IrType type = memory_type(r, v->type, relieve_own_memory(r->gpu, v->type), false);
	IrValue *memory = irb_1(&b, OP_LOCAL_ALLOC, type, v);
	ir_set(r->m, memory->def, ATTR_OWN, ir_attr_unit(r->gpu->ir));
	if (c->around)
		read_in_blocks(r, v, memory, relieve_place(r, c->around), at);
	read_in_blocks(r, v, memory, at, UINT32_MAX);
	vec_push(r->cx->scratch, &r->made, memory->def);
}

/* The loop hands on what it began with, which nobody needs. */
static void carry(Relief *r, const Candidate *c)
{
	IrOp *loop = (IrOp *)(uintptr_t)c->around;
	IrBlock *body = loop->regions[0].first;
	IrValue *v = c->v;
	uint32_t i = 1;
	while (body->args[i] != v)
		i++;
	IrValue *next = ir_operand(body->last, i - 1);
	IrBuilder b = ir_at(r->m, loop);
	IrType type = memory_type(r, v->type, relieve_own_memory(r->gpu, v->type), true);
	IrValue *memory = irb_1(&b, OP_LOCAL_ALLOC, type, ir_operand(loop, i + 2));
	ir_set(r->m, memory->def, ATTR_OWN, ir_attr_unit(r->gpu->ir));
	read_in_blocks(r, v, memory, relieve_place(r, loop), UINT32_MAX);
	read_in_blocks(r, &loop->results[i - 1], memory, r->order.end[loop->id], UINT32_MAX);
	b = ir_at(r->m, next->def->next);
	irb_op(&b, OP_LOCAL_STORE, (IrValue *[]){next, memory}, 2, NULL, 0, 0);
	ir_operand_set(body->last, i - 1, v);
	vec_push(r->cx->scratch, &r->made, memory->def);
}

void relieve_rewrite(Relief *r, const Candidate *c, const IrOp *peak)
{
	if (c->way == CARRIED)
		carry(r, c);
	else if (c->way == KEPT)
		keep(r, c, peak);
	else if (c->way == AGAIN)
		read_in_blocks(r, c->v, ir_operand(c->v->def, 0), relieve_place(r, peak), UINT32_MAX);
	else if (c->way == COPIED)
		copy(r, c->v);
	else
		store(r, c->v);
}

/* ---- waits ---- */

/* Groups that are begun behind the op, and in front of `end`, one after the other; 0 where
 * something else may begin some. */
static unsigned groups_between(const IrOp *op, const IrOp *end)
{
	unsigned n = 0;
	for (op = op->next; op != end; op = op->next) {
		if (op->region_count)
			return 0;
		n += op->kind == OP_ASYNC_COMMIT;
	}
	return n;
}

/* The first op of the block that reads the memory, or has an op inside that does. */
static IrOp *first_reader(const Relief *r, const IrValue *memory, const IrBlock *block)
{
	IrOp *first = NULL;
	for (const IrUse *u = memory->uses; u; u = u->next) {
		IrOp *op = u->owner, *at = NULL;
		if (ir_has_trait(op, TRAIT_VIEW))
			at = first_reader(r, &op->results[0], block);
		else if (op->kind == OP_LOCAL_LOAD || op->kind == OP_WARP_GROUP_DOT)
			at = relieve_within(op, block);
		if (at && (!first || relieve_place(r, at) < relieve_place(r, first)))
			first = at;
	}
	return first;
}

/* In front of the first that reads the memory. */
void relieve_await(Relief *r, IrOp *alloc)
{
	IrOp *commit = alloc, *first = first_reader(r, &alloc->results[0], alloc->block);
	while (commit->kind != OP_ASYNC_COMMIT)
		commit = commit->next;
	if (!first)
		return;
	unsigned pending = groups_between(commit, first);
	IrBuilder b = ir_at(r->m, first);
	IrOp *wait = irb_op(&b, OP_ASYNC_WAIT, NULL, 0, &r->gpu->ir->token, 1, 0);
	ir_set(r->m, wait, ATTR_NUM, ir_attr_i32(r->gpu->ir, pending));
}
