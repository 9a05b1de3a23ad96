/* Loops, branches, calls. Values move between slots all at once, since a loop may swap them.
 *
 * A loop that reads memory may be waiting for another program. It provably is when a whole
 * iteration changed neither the values it carries nor memory: the program then can go on only after
 * someone else writes. Such a program is left at its loop (EXEC_STUCK) and taken up again later. */
#include "interp/control.h"

#include "base/fault.h"

static void move(Exec *x, const uint32_t *from, const uint32_t *to, uint32_t count)
{
	if (count == 1) {
		Tile *t = &x->slots[to[0]], old = {.buf = NULL};
		if (from[0] == to[0])
			return;
		old.buf = t->buf;
		tile_copy(t, &x->slots[from[0]]);
		if (old.buf)
			buf_unref(old.buf);
		return;
	}
	Buf *buf;
	if (!count)
		return;
	Tile *room = exec_buf(x, count * sizeof(Tile), &buf);
	for (uint32_t k = 0; k < count; k++)
		tile_copy(&room[k], &x->slots[from[k]]);
	for (uint32_t k = 0; k < count; k++) {
		Tile *t = &x->slots[to[k]];
		if (t->buf)
			buf_unref(t->buf);
		tile_borrow(t, &room[k]);
		t->buf = room[k].buf;
	}
	buf_unref(buf);
}

static int64_t splat_int(const Exec *x, uint32_t slot)
{
	ASSERT(x->slots[slot].form == FORM_SPLAT);
	return (int64_t)x->slots[slot].base;
}

/* ---- for ---- */

typedef struct ForLoop {
	uint32_t counter, upper, step, count; /* counter: a slot of the loop's own; */
	uint32_t visible;                     /* the body's copy dies in the body */
	const uint32_t *args, *results, *inits, *yields;
	SlotType type;
	bool is_unsigned;
} ForLoop;

static bool before_end(const ForLoop *l, int64_t at, int64_t end)
{
	if (!l->is_unsigned)
		return at < end;
	unsigned unused = 64u - l->type.bits;
	return (uint64_t)at << unused < (uint64_t)end << unused;
}

static void set_counter(Exec *x, const ForLoop *l, int64_t value)
{
	Tile *t = &x->slots[l->counter], *copy = &x->slots[l->visible];
	tile_init(t, &l->type, l->type.shape);
	tile_splat(t, (uint64_t)value);
	tile_init(copy, &l->type, l->type.shape);
	tile_splat(copy, (uint64_t)value);
}

static const Instr *run_for(Exec *x, const Instr *i)
{
	const ForLoop *l = i->aux;
	int64_t lower = splat_int(x, i->slots[0]);
	if (!before_end(l, lower, splat_int(x, l->upper))) {
		move(x, l->inits, l->results, l->count);
		return i->target;
	}
	if (splat_int(x, l->step) == 0)
		return exec_fault(x, i, DIAG_RUN_STEP, "the step of a loop is zero");
	set_counter(x, l, lower);
	move(x, l->inits, l->args, l->count);
	return i + 1;
}

static const Instr *run_for_next(Exec *x, const Instr *i)
{
	const ForLoop *l = i->aux;
	int64_t at = splat_int(x, l->counter), next;
	bool wrapped = __builtin_add_overflow(at, splat_int(x, l->step), &next);
	if (!l->is_unsigned && l->type.bits == 32)
		wrapped = next != (int32_t)next;
	if (wrapped || !before_end(l, next, splat_int(x, l->upper))) {
		move(x, l->yields, l->results, l->count);
		return i + 1;
	}
	move(x, l->yields, l->args, l->count);
	set_counter(x, l, next);
	return exec_tick(x, i) ? i->target : NULL;
}

static uint32_t *slots_of(Decoder *d, const IrOp *op, uint32_t from)
{
	uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, op->operand_count - from + 1);
	for (uint32_t k = from; k < op->operand_count; k++)
		slots[k - from] = decode_slot(d, ir_operand(op, k));
	return slots;
}

static uint32_t *result_slots(Decoder *d, const IrOp *op)
{
	uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, op->result_count + 1);
	for (uint32_t k = 0; k < op->result_count; k++)
		slots[k] = decode_slot(d, &op->results[k]);
	return slots;
}

static uint32_t *arg_slots(Decoder *d, const IrBlock *block, uint32_t from)
{
	uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, block->arg_count - from + 1);
	for (uint32_t k = from; k < block->arg_count; k++)
		slots[k - from] = decode_slot(d, block->args[k]);
	return slots;
}

bool interp_FOR(Decoder *d, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *body = op->regions[0].first;
	const IrOp *yield = ir_terminator(body);
	ForLoop *l = ARENA_NEW(d->arena, ForLoop);
	l->visible = decode_slot(d, body->args[0]);
	l->type = d->slots.data[l->visible];
	l->counter = decode_new_slot(d, l->type);
	l->upper = decode_slot(d, ir_operand(op, 1));
	l->step = decode_slot(d, ir_operand(op, 2));
	l->count = op->result_count;
	l->args = arg_slots(d, body, 1);
	l->results = result_slots(d, op);
	l->inits = slots_of(d, op, 3);
	l->is_unsigned = ir_get_named(op, ir_sym((IrCx *)(uintptr_t)d->cx, "unsignedCmp")) != NULL;
	uint32_t start = d->code.len;
	decode_emit(d, op, run_for, slots_of(d, op, 0), op->operand_count, 0)->aux = l;
	if (!decode_block(d, body))
		return false;
	l->yields = slots_of(d, yield, 0);
	Instr *next = decode_emit(d, op, run_for_next, l->yields, l->count, 0);
	next->aux = l;
	next->target = decode_target(start + 1);
	decode_kill_operands(d, next, yield);
	/* A carried value, or the counter, that is carried on has its slot filled by then: it must
	 * not be released. */
	uint32_t kept = 0, *dead = (uint32_t *)(uintptr_t)next->dead;
	for (uint32_t k = 0; k < next->dead_count; k++) {
		bool carried = l->visible == dead[k];
		for (uint32_t a = 0; a < l->count; a++)
			carried = carried || l->args[a] == dead[k];
		if (!carried)
			dead[kept++] = dead[k];
	}
	next->dead_count = (uint16_t)kept;
	d->code.data[start].target = decode_target(d->code.len);
	decode_release(d, op);
	return true;
}

/* ---- while ---- */

typedef struct WhileLoop {
	uint32_t index, count, result_count;
	const uint32_t *args, *yields, *inits, *after, *results;
	bool waits;   /* it reads memory */
	bool endless; /* it reads none and carries nothing: each iteration is like the first */
} WhileLoop;

static const Instr *run_while(Exec *x, const Instr *i)
{
	const WhileLoop *l = i->aux;
	move(x, l->inits, l->args, l->count);
	x->loop_writes[l->index] = UINT64_MAX;
	return i + 1;
}

/* Operands: condition, values. */
static const Instr *run_condition(Exec *x, const Instr *i)
{
	const WhileLoop *l = i->aux;
	bool again = splat_int(x, i->slots[0]) & 1;
	move(x, i->slots + 1, again ? l->after : l->results, l->result_count);
	return again ? i + 1 : i->target;
}

static const Instr *run_while_next(Exec *x, const Instr *i)
{
	const WhileLoop *l = i->aux;
	bool stuck = l->waits && x->loop_writes[l->index] == x->writes;
	for (uint32_t k = 0; k < l->count && stuck; k++)
		stuck = tile_same(x, &x->slots[l->args[k]], &x->slots[l->yields[k]]);
	x->loop_writes[l->index] = x->writes;
	move(x, l->yields, l->args, l->count);
	if (!exec_tick(x, i))
		return NULL;
	if (l->endless) {
		return exec_fault(x, i, DIAG_RUN_DEADLOCK,
				  "this loop never ends: it reads nothing that could change");
	}
	if (!stuck)
		return i->target;
	x->at = i->target;
	x->waiting = i;
	x->state = EXEC_STUCK;
	return NULL;
}

bool interp_WHILE(Decoder *d, const IrOp *op)
{
	CONTRACT(op->region_count);
	const IrBlock *before = op->regions[0].first, *after = op->regions[1].first;
	const IrOp *condition = ir_terminator(before), *yield = ir_terminator(after);
	WhileLoop *l = ARENA_NEW(d->arena, WhileLoop);
	l->index = d->loop_count++;
	l->count = op->operand_count;
	l->result_count = op->result_count;
	l->inits = slots_of(d, op, 0);
	l->args = arg_slots(d, before, 0);
	l->after = arg_slots(d, after, 0);
	l->results = result_slots(d, op);
	uint32_t reads = d->reads;
	decode_emit(d, op, run_while, l->inits, l->count, 0)->aux = l;
	uint32_t start = d->code.len;
	if (!decode_block(d, before))
		return false;
	uint32_t test = d->code.len;
	Instr *i = decode_emit(d, condition, run_condition, slots_of(d, condition, 0),
			       condition->operand_count, 0);
	i->aux = l;
	decode_kill_operands(d, i, condition);
	if (!decode_block(d, after))
		return false;
	l->yields = slots_of(d, yield, 0);
	i = decode_emit(d, op, run_while_next, l->yields, l->count, 0);
	i->aux = l;
	i->target = decode_target(start);
	decode_kill_operands(d, i, yield);
	l->waits = d->reads != reads;
	l->endless = !l->waits && !l->count;
	d->kernel->may_wait = d->kernel->may_wait || l->waits;
	d->code.data[test].target = decode_target(d->code.len);
	decode_release(d, op);
	return true;
}

/* ---- if ---- */

typedef struct Moves {
	const uint32_t *from, *to;
	uint32_t count;
} Moves;

static const Instr *run_branch(Exec *x, const Instr *i)
{
	return splat_int(x, i->slots[0]) & 1 ? i + 1 : i->target;
}

static const Instr *run_moves(Exec *x, const Instr *i)
{
	const Moves *m = i->aux;
	move(x, m->from, m->to, m->count);
	return i->target;
}

static bool decode_arm(Decoder *d, const IrOp *op, const IrBlock *block, uint32_t *jump)
{
	if (block && !decode_block(d, block))
		return false;
	const IrOp *yield = block ? ir_terminator(block) : NULL;
	Moves *m = ARENA_NEW(d->arena, Moves);
	*m = (Moves){yield ? slots_of(d, yield, 0) : NULL, result_slots(d, op), op->result_count};
	*jump = d->code.len;
	Instr *i = decode_emit(d, op, run_moves, m->from, m->count, 0);
	i->aux = m;
	if (yield)
		decode_kill_operands(d, i, yield);
	return true;
}

bool interp_IF(Decoder *d, const IrOp *op)
{
	uint32_t branch = d->code.len, then_jump, else_jump;
	decode_emit(d, op, run_branch, slots_of(d, op, 0), 1, 0);
	if (!decode_arm(d, op, op->regions[0].first, &then_jump))
		return false;
	d->code.data[branch].target = decode_target(d->code.len);
	if (!decode_arm(d, op, op->regions[1].first, &else_jump))
		return false;
	d->code.data[then_jump].target = d->code.data[else_jump].target = decode_target(d->code.len);
	decode_release(d, op);
	return true;
}

/* Terminators of regions are part of the op that holds them. */
bool interp_YIELD(Decoder *d, const IrOp *op) { (void)d; (void)op; return true; }
bool interp_CONDITION(Decoder *d, const IrOp *op) { (void)d; (void)op; return true; }
bool interp_REDUCE_RETURN(Decoder *d, const IrOp *op) { (void)d; (void)op; return true; }
bool interp_SCAN_RETURN(Decoder *d, const IrOp *op) { (void)d; (void)op; return true; }
bool interp_MAP_RETURN(Decoder *d, const IrOp *op) { (void)d; (void)op; return true; }

/* ---- calls ---- */

const Instr *control_call(Exec *x, const Instr *i)
{
	const CallFrame *f = i->aux;
	move(x, i->slots, f->params, f->param_count);
	x->slots[f->back].form = FORM_SPLAT;
	x->slots[f->back].base = (uint64_t)(uintptr_t)(i + 1);
	return i->target;
}

static const Instr *run_call_end(Exec *x, const Instr *i)
{
	const Moves *m = i->aux;
	move(x, m->from, m->to, m->count);
	for (uint32_t k = 0; k < m->count; k++)
		tile_release(&x->slots[m->from[k]]);
	return i + 1;
}

/* imm: the frame's `back` slot; the kernel's own return ends the program. */
static const Instr *run_return(Exec *x, const Instr *i)
{
	const Moves *m = i->aux;
	if (!m) {
		x->state = EXEC_DONE;
		return NULL;
	}
	move(x, m->from, m->to, m->count);
	return (const Instr *)(uintptr_t)x->slots[i->imm].base;
}

bool interp_CALL(Decoder *d, const IrOp *op)
{
	IrAttr callee = ir_get(op, d->cx, ATTR_CALLEE);
	const IrOp *func = callee ? ir_find_func(d->module, callee->text) : NULL;
	if (!func)
		return decode_refuse(d, op, "a call of the unknown function '%s'",
				     callee ? callee->text : "");
	CallFrame *f = decode_frame(d, func);
	vec_push(d->arena, &d->frame->callees, f);
	d->reads++;
	IrType type = ir_func_type_of(func);
	uint32_t results = type->len - type->split;
	if (!f->results) { /* not decoded yet: the result slots are needed now */
		f->results = ARENA_ARRAY(d->arena, uint32_t, results + 1);
		for (uint32_t k = 0; k < results; k++)
			f->results[k] = decode_new_slot(d, decode_type(d, type->list[type->split + k]));
	}
	decode_emit(d, op, control_call, slots_of(d, op, 0), op->operand_count, 0)->aux = f;
	Moves *m = ARENA_NEW(d->arena, Moves);
	*m = (Moves){f->results, result_slots(d, op), op->result_count};
	Instr *i = decode_emit(d, op, run_call_end, NULL, 0, 0);
	i->aux = m;
	decode_kill_operands(d, i, op);
	return true;
}

bool interp_RETURN(Decoder *d, const IrOp *op)
{
	bool kernel = d->frame == d->frames.data[0];
	Moves *m = NULL;
	if (!kernel) {
		m = ARENA_NEW(d->arena, Moves);
		*m = (Moves){slots_of(d, op, 0), d->frame->results, op->operand_count};
	}
	Instr *i = decode_emit(d, op, run_return, m ? m->from : NULL, m ? m->count : 0, 0);
	i->aux = m;
	i->imm = d->frame->back;
	decode_kill_operands(d, i, op);
	return true;
}

bool interp_MODULE(Decoder *d, const IrOp *op) { return decode_refuse(d, op, "a nested module"); }
bool interp_FUNC(Decoder *d, const IrOp *op) { return decode_refuse(d, op, "a nested function"); }

static bool refuse_jump(Decoder *d, const IrOp *op)
{
	return decode_refuse(d, op, "a jump (%s): run the pass 'structure' first", ir_op_info[op->kind].text);
}

bool interp_BR(Decoder *d, const IrOp *op) { return refuse_jump(d, op); }
bool interp_COND_BR(Decoder *d, const IrOp *op) { return refuse_jump(d, op); }

/* ---- bodies ---- */

const Instr *control_body_end(Exec *x, const Instr *i)
{
	(void)x;
	return i;
}

const Instr *exec_body(Exec *x, const Body *body, const Shape *lift)
{
	CONTRACT(body->result_count);
	const Shape *outer = x->lift;
	x->lift = lift;
	x->depth++;
	const Instr *i = body->code;
	while (i && i->fn != control_body_end) {
		const Instr *at = i;
		i = at->fn(x, at);
		for (uint32_t k = 0; k < at->dead_count; k++)
			tile_release(&x->slots[at->dead[k]]);
	}
	x->depth--;
	x->lift = outer;
	return i;
}
