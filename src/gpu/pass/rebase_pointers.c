/* rebase-pointers: tiles of pointers that a loop under register pressure carries become one
 * carried pointer and invariant offsets; those that only copies use become one offset.
 *
 * Needs: TTGIR with its final layouts, behind `pipeline`, which analyses the pointers. Keeps:
 * every address. Method: a tile of pointers built from one pointer and tiles of offsets, and
 * advanced by a uniform distance, is rebuilt in each iteration from that pointer. A thread then
 * holds 32-bit offsets, one a row, instead of 64-bit pointers, one an element. The largest offsets
 * are added last and marked neso.wide: they are widened where they are added, not in front of the
 * loop, where the sums would take registers again.
 *
 * In other loops with wgmma, tiles of pointers that copies use stay, and a 64-bit offset advances
 * for each. */
#include "gpu/analysis/axis.h"
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"
#include "gpu/pipeline/carry.h"
#include "gpu/remark.h"

enum { MOST_TERMS = 8, MOST_SHAPES = 8, MOST_STEPS = 8 };

/* A tile of offsets, and the ops that give it the shape of the pointers, innermost last. */
typedef struct Term {
	IrValue *offset;
	const IrOp *shapes[MOST_SHAPES];
	unsigned shape_count, words;
} Term;

/* root + terms at first, and steps further in each iteration. */
typedef struct Moving {
	IrValue *arg, *root;
	IrLoc loc;
	Term terms[MOST_TERMS];
	unsigned term_count;
	IrValue *steps[MOST_STEPS];
	unsigned step_count;
	uint32_t index; /* of the loop's results */
} Moving;

typedef struct Rebase {
	PassCx *cx;
	GpuCx *gpu;
	VEC(IrOp *) loops, others;
} Rebase;

/* ---- what moves ---- */

/* The scalar of a splat; NULL: none. */
static IrValue *scalar_of(const IrValue *v)
{
	return v->def && v->def->kind == OP_SPLAT ? ir_operand(v->def, 0) : NULL;
}

static bool find_steps(Moving *m, const IrValue *yielded, const IrBlock *body)
{
	for (const IrValue *v = yielded; v != m->arg; v = ir_operand(v->def, 0)) {
		bool moves = v->def && v->def->kind == OP_ADDPTR && v->def->block == body;
		if (!moves || m->step_count == MOST_STEPS)
			return false;
		IrValue *distance = ir_operand(v->def, 1);
		int64_t number;
		if (!scalar_of(distance) && !ir_constant_int(distance, &number))
			return false;
		m->steps[m->step_count++] = distance;
	}
	return m->step_count > 0;
}

/* Registers of a tile, of those that a broadcast makes equal one. */
static unsigned distinct_words(GpuCx *gpu, const IrValue *v)
{
	const IrOp *op = v->def;
	bool copies = op && (op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_SPLAT);
	return copies ? distinct_words(gpu, ir_operand(op, 0)) : gpu_words(gpu, v->type);
}

static bool find_terms(GpuCx *gpu, Moving *m, IrValue *init)
{
	Term path = {0};
	for (IrValue *v = init;; v = ir_operand(v->def, 0)) {
		if (!v->def)
			return false;
		switch (v->def->kind) {
		case OP_SPLAT:
			m->root = ir_operand(v->def, 0);
			return m->term_count > 0;
		case OP_ADDPTR:
			if (m->term_count == MOST_TERMS)
				return false;
			path.offset = ir_operand(v->def, 1);
			path.words = distinct_words(gpu, path.offset);
			m->terms[m->term_count++] = path;
			break;
		case OP_BROADCAST:
		case OP_EXPAND_DIMS:
			if (path.shape_count == MOST_SHAPES)
				return false;
			path.shapes[path.shape_count++] = v->def;
			break;
		default: return false;
		}
	}
}

/* The fewest registers first: their sums are few. */
static void sort_terms(Moving *m)
{
	for (unsigned i = 1; i < m->term_count; i++)
		for (unsigned at = i; at && m->terms[at - 1].words > m->terms[at].words; at--) {
			Term t = m->terms[at];
			m->terms[at] = m->terms[at - 1];
			m->terms[at - 1] = t;
		}
}

/* Registers that the pointers take: of those that stand side by side one is held. */
static unsigned pointer_words(const Rebase *r, const IrValue *pointers)
{
	int64_t side_by_side = 1;
	for (unsigned d = 0; d < pointers->type->rank; d++)
		side_by_side = MAX(side_by_side, axis_vector(gpu_axis(r->cx), pointers, NULL, d));
	return MAX(gpu_words(r->gpu, pointers->type) / (unsigned)side_by_side, 2u);
}

static unsigned offset_words(const Moving *m)
{
	unsigned words = 2;
	for (unsigned t = 0; t < m->term_count; t++)
		words += m->terms[t].words;
	return words;
}

static bool find_moving(const Rebase *r, const IrOp *loop, uint32_t index, Moving *m)
{
	const IrBlock *body = loop->regions[0].first;
	*m = (Moving){.arg = body->args[index + 1], .index = index, .loc = loop->loc};
	IrValue *init = ir_operand(loop, index + 3);
	if (!ir_is_tensor(m->arg->type) || !ir_is_ptr(m->arg->type->elem) ||
	    !find_steps(m, ir_operand(body->last, index), body) || !find_terms(r->gpu, m, init))
		return false;
	if (init->def)
		m->loc = init->def->loc;
	sort_terms(m);
	return offset_words(m) < pointer_words(r, init);
}

/* ---- building ---- */

static IrType of_ints(const Rebase *r, IrType shape, IrType elem)
{
	return ir_tensor(r->gpu->ir, elem, shape->shape, shape->rank, shape->encoding);
}

/* The offsets in the shape of the pointers, in front of the loop. */
static void shape_terms(const Rebase *r, IrOp *loop, Moving *m)
{
	IrBuilder b = ir_at(r->cx->module, loop);
	b.loc = m->loc;
	for (unsigned t = 0; t < m->term_count; t++) {
		Term *term = &m->terms[t];
		for (unsigned k = term->shape_count; k-- > 0;) {
			const IrOp *op = term->shapes[k];
			IrType type = of_ints(r, op->results[0].type, ir_elem(term->offset->type));
			IrValue *shaped = irb_1(&b, op->kind, type, term->offset);
			for (uint32_t a = 0; a < op->attr_count; a++)
				ir_set_named(r->cx->module, shaped->def, op->attrs[a].name,
					     op->attrs[a].value);
			term->offset = shaped;
		}
	}
}

static IrValue *pointers_at(const Rebase *r, IrBuilder *b, const Moving *m, IrValue *root)
{
	IrValue *v = irb_splat(b, root, m->arg->type);
	for (unsigned t = 0; t < m->term_count; t++) {
		v = irb_2(b, OP_ADDPTR, v->type, v, m->terms[t].offset);
		bool last = t + 1 == m->term_count;
		if (last && ir_elem(m->terms[t].offset->type)->bits == 32)
			ir_set(r->cx->module, v->def, ATTR_WIDE, ir_attr_unit(r->gpu->ir));
	}
	return v;
}

static IrValue *step_of(IrBuilder *b, IrValue *distance)
{
	IrValue *scalar = scalar_of(distance);
	int64_t number = 0;
	if (scalar)
		return scalar;
	bool constant = ir_constant_int(distance, &number);
	CONTRACT(constant);
	return irb_int(b, ir_elem(distance->type), number);
}

/* The loop with the pointer it carries besides; what carried the tile is left to dce. */
static IrOp *rebase(const Rebase *r, IrOp *loop, Moving *m)
{
	IrModule *module = r->cx->module;
	IrBlock *body = loop->regions[0].first;
	shape_terms(r, loop, m);
	GpuCarried carried = {.init = m->root};
	carried.arg = ir_block_arg_add(module, body, m->root->type, m->loc);
	IrBuilder at = ir_at(module, body->last);
	carried.next = carried.arg;
	for (unsigned s = 0; s < m->step_count; s++)
		carried.next =
			irb_2(&at, OP_ADDPTR, m->root->type, carried.next, step_of(&at, m->steps[s]));
	at = ir_at(module, body->first);
	at.loc = m->loc;
	IrValue *pointers = pointers_at(r, &at, m, carried.arg);
	ir_replace_uses(m->arg, pointers);
	ir_operand_set(body->last, m->index, m->arg);
	IrOp *made = gpu_carry(module, r->cx->scratch, loop, &carried, 1);
	if (made->results[m->index].uses) {
		IrBuilder behind = ir_at(module, made->next); /* a block has a terminator */
		IrValue *last = pointers_at(r, &behind, m, &made->results[made->result_count - 1]);
		ir_replace_uses(&made->results[m->index], last);
	}
	return made;
}

/* ---- one offset for all ---- */

/* Where copies of a loop take a tile of pointers that moves, the tile stays and one offset moves:
 * of pointers that are moved in place ptxas makes a copy for each cp.async, and one that waits for
 * the copy before it. */

static bool is_copied(const IrValue *v, const IrBlock *body)
{
	for (const IrUse *use = v->uses; use; use = use->next) {
		const IrOp *op = use->owner;
		if (op->kind == OP_ASYNC_COPY && op->block == body && ir_operand(op, 0) == v)
			return true;
	}
	return false;
}

static bool find_drifting(const IrOp *loop, uint32_t index, Moving *m)
{
	const IrBlock *body = loop->regions[0].first;
	*m = (Moving){.arg = body->args[index + 1], .index = index, .loc = loop->loc};
	return ir_is_tensor(m->arg->type) && ir_is_ptr(m->arg->type->elem) && is_copied(m->arg, body) &&
	       find_steps(m, ir_operand(body->last, index), body);
}

static IrValue *drifted(IrBuilder *b, IrValue *pointers, IrValue *offset)
{
	IrType t = pointers->type, like = ir_tensor(b->m->cx, offset->type, t->shape, t->rank, t->encoding);
	return irb_2(b, OP_ADDPTR, pointers->type, pointers, irb_splat(b, offset, like));
}

static IrOp *drift(const Rebase *r, IrOp *loop, const Moving *m)
{
	IrModule *module = r->cx->module;
	IrType i64 = ir_int(r->gpu->ir, 64);
	IrBlock *body = loop->regions[0].first;
	IrValue *init = ir_operand(loop, m->index + 3);
	IrBuilder at = ir_at(module, loop);
	GpuCarried carried = {.init = irb_int(&at, i64, 0)};
	carried.arg = ir_block_arg_add(module, body, i64, m->loc);
	at = ir_at(module, body->last);
	carried.next = carried.arg;
	for (unsigned s = 0; s < m->step_count; s++) {
		IrValue *step = step_of(&at, m->steps[s]);
		if (step->type != i64)
			step = irb_1(&at, OP_EXTSI, i64, step);
		carried.next = irb_2(&at, OP_ADDI, i64, carried.next, step);
	}
	at = ir_at(module, body->first);
	at.loc = m->loc;
	ir_replace_uses(m->arg, drifted(&at, init, carried.arg));
	ir_operand_set(body->last, m->index, m->arg);
	IrOp *made = gpu_carry(module, r->cx->scratch, loop, &carried, 1);
	if (made->results[m->index].uses) {
		IrBuilder behind = ir_at(module, made->next); /* a block has a terminator */
		IrValue *last = drifted(&behind, init, &made->results[made->result_count - 1]);
		ir_replace_uses(&made->results[m->index], last);
	}
	return made;
}

/* ---- which loops ---- */

static unsigned carried_words(const Rebase *r, const IrOp *loop)
{
	const IrBlock *body = loop->regions[0].first;
	unsigned words = 0;
	for (uint32_t i = 1; i < body->arg_count; i++) {
		IrType type = body->args[i]->type;
		if (ir_is_tensor(type))
			words += ir_is_ptr(type->elem) ? pointer_words(r, body->args[i])
						       : gpu_words(r->gpu, type);
	}
	return words;
}

static bool is_group_dot(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_WARP_GROUP_DOT;
	return !*found;
}

/* Loops of mma.sync hold operands, too: what the sums take costs them CTAs. */
static bool multiplies_by_groups(IrOp *loop)
{
	bool found = false;
	ir_walk(loop, false, is_group_dot, &found);
	return found;
}

static bool find_loop(void *data, IrOp *op)
{
	Rebase *r = data;
	if (op->kind == OP_FOR && carried_words(r, op) > r->gpu->target->budgets->loop_of_dots)
		vec_push(r->cx->scratch, &r->loops, op);
	else if (op->kind == OP_FOR && multiplies_by_groups(op))
		vec_push(r->cx->scratch, &r->others, op);
	return true;
}

bool pass_rebase_pointers(PassCx *cx, bool *changed)
{
	Rebase r = {.cx = cx, .gpu = gpu_of(cx)};
	ir_walk(cx->module->op, true, find_loop, &r);
	for (uint32_t k = 0; k < r.loops.len; k++) {
		IrOp *loop = r.loops.data[k];
		uint32_t count = loop->result_count;
		unsigned tiles = 0, offsets = 0, pointers = 0;
		for (uint32_t i = 0; i < count; i++) {
			Moving m;
			if (!find_moving(&r, loop, i, &m))
				continue;
			tiles++;
			offsets += offset_words(&m);
			pointers += pointer_words(&r, ir_operand(loop, i + 3));
			loop = rebase(&r, loop, &m);
			*changed = true;
		}
		if (tiles)
			gpu_remark_of(r.gpu, loop, NULL, REMARK_LOOP_REBASED, tiles, offsets, pointers);
	}
	for (uint32_t k = 0; k < r.others.len; k++) {
		IrOp *loop = r.others.data[k];
		uint32_t count = loop->result_count;
		for (uint32_t i = 0; i < count; i++) {
			Moving m;
			if (!find_drifting(loop, i, &m))
				continue;
			loop = drift(&r, loop, &m);
			*changed = true;
		}
	}
	return true;
}
