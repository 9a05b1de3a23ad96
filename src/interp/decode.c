/* From a function of the IR to a list of instructions.
 *
 * Regions become jumps. Every SSA value has a slot; the instruction that uses a value last releases
 * it (a value used last inside a region is released after the op that holds the region). Functions
 * that are called have static frames: their slots are theirs alone, so calls are moves and two
 * jumps, and recursion is refused. Bodies of reductions follow their instruction in the list and
 * are run by it. */
#include "base/fault.h"
#include "interp/control.h"
#include "ir/diag.h"
#include "ir/text/text.h"

#include <stdlib.h>

DecodeFn *const interp_tab[OP__COUNT] = {
#define OP(name, text, levels, ...) [OP_##name] = INTERP_##levels(name),
#include "ir/ops.def"
#undef OP
};

/* ---- diagnostics, locations ---- */

bool decode_refuse(Decoder *d, const IrOp *op, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = arena_vprintf(d->scratch, format, args);
	va_end(args);
	ir_diag(d->diags, op->loc, DIAG_RUN_UNSUPPORTED, text);
	d->failed = true;
	return false;
}

bool decode_refuse_level(Decoder *d, const IrOp *op)
{
	return decode_refuse(d, op, "%s belongs to the IR of GPUs, after layouts are chosen",
			     ir_op_info[op->kind].text);
}

static const InterpLoc *decode_loc(Decoder *d, IrLoc loc)
{
	IrLoc at = loc ? ir_loc_position(loc) : NULL;
	if (!at)
		return NULL;
	InterpLoc *l = map_get_ptr(&d->locs, loc);
	if (l)
		return l;
	l = ARENA_NEW(d->arena, InterpLoc);
	const char *path = map_get_ptr(&d->locs, at->text);
	if (!path) {
		path = arena_strdup(d->arena, at->text);
		map_put_ptr(&d->locs, at->text, path);
	}
	*l = (InterpLoc){.path = path, .line = at->line, .col = at->col};
	map_put_ptr(&d->locs, loc, l);
	IrLoc caller = ir_loc_caller(loc);
	l->caller = caller ? decode_loc(d, caller) : NULL;
	return l;
}

/* ---- slots ---- */

SlotType decode_type(Decoder *d, IrType type)
{
	SlotType s = {.kind = (uint8_t)ir_elem(type)->kind};
	IrType elem = ir_elem(type);
	s.bits = (uint8_t)elem->bits;
	s.size = elem->bits < 8 ? 1 : (uint8_t)(elem->bits / 8);
	if (ir_is_ptr(elem)) {
		s.pointee = (uint8_t)elem->elem->kind;
		s.pointee_size = elem->elem->bits < 8 ? 1 : (uint8_t)(elem->elem->bits / 8);
		if (ir_is_block_ptr(elem))
			s.kind = TY_TENSOR;
	}
	if (elem->kind == TY_TENSORDESC)
		s.size = 8;
	s.shape = ir_is_tensor(type) || !d->lifted ? shape_of(d->arena, type) : NULL;
	return s;
}

uint32_t decode_new_slot(Decoder *d, SlotType type)
{
	CONTRACT(type.size);
	vec_push(d->arena, &d->slots, type);
	return d->slots.len - 1;
}

uint32_t decode_slot(Decoder *d, const IrValue *value)
{
	uint32_t *slot = &d->slot_of[value->id];
	if (!*slot)
		*slot = decode_new_slot(d, decode_type(d, value->type)) + 1;
	return *slot - 1;
}

/* ---- last uses ---- */

/* The op of the block `block` that `op` is in, directly or nested. */
static const IrOp *in_block(const IrOp *op, const IrBlock *block)
{
	while (op && op->block != block)
		op = ir_parent_op(op);
	return op;
}

static void note_last_use(Decoder *d, const IrValue *value, const IrBlock *block)
{
	const IrOp *last = value->def;
	if (!last)
		last = block->first;
	if (d->invariant[value->id] ||
	    (value->def && (value->def->kind == OP_CONSTANT || value->def->kind == OP_POISON)))
		return;
	/* What a while loop carries is compared with the next iteration's values. */
	if (!value->def && block->region->op->kind == OP_WHILE && block->region == block->region->op->regions)
		return;
	for (const IrUse *use = value->uses; use; use = use->next) {
		const IrOp *at = in_block(use->owner, block);
		const IrOp *store = at ? decode_fused(at) : NULL;
		at = store ? store : at;
		if (at && (!last || d->order[at->id] > d->order[last->id]))
			last = at;
	}
	if (!last)
		return;
	DeadList *entry = ARENA_NEW(d->scratch, DeadList);
	*entry = (DeadList){value, d->dead[last->id]};
	d->dead[last->id] = entry;
}

/* Does the op depend on the kernel's arguments alone? Gather is left out: it may fault. */
static bool is_invariant(const Decoder *d, const IrOp *op)
{
	if (!ir_has_trait(op, TRAIT_PURE) || op->region_count || op->kind == OP_PROGRAM_ID ||
	    op->kind == OP_CTA_RANK ||
	    op->kind == OP_GATHER || ir_has_trait(op, TRAIT_CONST) || op->kind == OP_DOT ||
	    op->kind == OP_DOT_SCALED)
		return false;
	for (uint32_t k = 0; k < op->operand_count; k++) {
		const IrValue *v = ir_operand(op, k);
		if (!d->invariant[v->id] && !(v->def && ir_has_trait(v->def, TRAIT_CONST)))
			return false;
	}
	return !decode_fused(op);
}

/* Positions of the block's ops, and which values end at which. */
static void scan_block(Decoder *d, const IrBlock *block)
{
	uint32_t position = 0;
	bool top = d->frame == d->frames.data[0] && block->region->op == d->frame->func;
	for (uint32_t k = 0; k < block->arg_count && top; k++)
		d->invariant[block->args[k]->id] = true;
	for (const IrOp *op = block->first; op; op = op->next) {
		d->order[op->id] = position++;
		bool invariant = top && is_invariant(d, op);
		for (uint32_t k = 0; k < op->result_count && invariant; k++)
			d->invariant[op->results[k].id] = true;
	}
	for (uint32_t k = 0; k < block->arg_count; k++)
		note_last_use(d, block->args[k], block);
	for (const IrOp *op = block->first; op; op = op->next)
		for (uint32_t k = 0; k < op->result_count; k++)
			note_last_use(d, &op->results[k], block);
}

/* ---- memory that need not be copied ---- */

/* Does something between two ops of one block, both excluded, write memory or hide a write? */
static bool writes_between(const IrOp *from, const IrOp *to)
{
	for (const IrOp *op = from->next; op && op != to; op = op->next)
		if (ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC | TRAIT_READ) ? !(op->kind == OP_LOAD) : false)
			return true;
		else if ((op->region_count && op->kind != OP_REDUCE && op->kind != OP_SCAN) ||
			 op->kind == OP_EXTERN || op->kind == OP_INLINE_ASM)
			return true;
	return false;
}

/* Elementwise ops on floats whose result is always computed, never a view of an operand. */
static bool computes(const IrOp *op)
{
	bool floats =
		ir_is_float(ir_elem(op->results[0].type)) || ir_is_float(ir_elem(ir_operand(op, 0)->type));
	return floats && ir_has_trait(op, TRAIT_ELEM) && op->kind != OP_SELECT && op->kind != OP_BITCAST &&
	       op->kind != OP_ARITH_BITCAST;
}

const IrOp *decode_fused(const IrOp *op)
{
	if (op->result_count != 1 || !ir_has_trait(op, TRAIT_ELEM) || !ir_is_tensor(op->results[0].type) ||
	    !ir_has_one_use(&op->results[0]) || !computes(op))
		return NULL;
	const IrUse *use = op->results[0].uses;
	const IrOp *store = use->owner;
	if (store->kind != OP_STORE || use != &store->operands[1] || store->block != op->block ||
	    ir_is_block_ptr(ir_operand(store, 0)->type) || writes_between(op, store))
		return NULL;
	return store;
}

bool decode_may_alias(const IrOp *load)
{
	const IrValue *v = &load->results[0];
	IrTypeKind kind = ir_elem(v->type)->kind;
	if (!ir_is_tensor(v->type) || kind == TY_I1 || kind >= TY_PTR)
		return false;
	for (const IrUse *use = v->uses; use; use = use->next) {
		const IrOp *user = use->owner;
		if (user->block != load->block)
			return false;
		if (user->kind != OP_DOT && user->kind != OP_REDUCE && user->kind != OP_SCAN &&
		    !(ir_has_trait(user, TRAIT_ELEM) && computes(user)))
			return false;
		const IrOp *store = decode_fused(user);
		if (writes_between(load, store ? store : user))
			return false;
	}
	return true;
}

/* ---- instructions ---- */

static void set_dead(Decoder *d, Instr *i, const IrOp *op, bool direct_only)
{
	VEC(uint32_t) dead = {0};
	for (const DeadList *e = d->dead[op->id]; e; e = e->next) {
		bool direct = true;
		for (const IrUse *use = e->value->uses; use && direct; use = use->next)
			direct = use->owner == op || in_block(use->owner, op->block) != op;
		if (direct_only && !direct)
			continue;
		uint32_t slot = decode_slot(d, e->value);
		vec_push(d->arena, &dead, slot);
		for (unsigned k = 0; k < i->in && k < 64; k++)
			if (i->slots[k] == slot)
				i->kill |= UINT64_C(1) << k;
	}
	i->dead = dead.data;
	i->dead_count = (uint16_t)dead.len;
}

Instr *decode_emit(Decoder *d, const IrOp *op, InstrFn *fn, const uint32_t *slots, uint32_t in, uint32_t out)
{
	ASSERT(in < UINT16_MAX && out < UINT16_MAX);
	vec_push(d->scratch, &d->code,
		 (Instr){.fn = fn,
			 .slots = slots,
			 .in = (uint16_t)in,
			 .out = (uint16_t)out,
			 .op = (uint16_t)op->kind,
			 .loc = decode_loc(d, op->loc)});
	return &vec_last(&d->code);
}

Instr *decode_instr(Decoder *d, const IrOp *op, InstrFn *fn)
{
	uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, op->operand_count + op->result_count + 1);
	for (uint32_t k = 0; k < op->operand_count; k++)
		slots[k] = decode_slot(d, ir_operand(op, k));
	for (uint32_t k = 0; k < op->result_count; k++)
		slots[op->operand_count + k] = decode_slot(d, &op->results[k]);
	Instr *i = decode_emit(d, op, fn, slots, op->operand_count, op->result_count);
	set_dead(d, i, op, false);
	return i;
}

static const Instr *run_release(Exec *x, const Instr *i)
{
	(void)x;
	return i + 1;
}

/* Releases what was last used inside the op's regions. */
void decode_release(Decoder *d, const IrOp *op)
{
	if (!d->dead[op->id])
		return;
	Instr *i = decode_emit(d, op, run_release, NULL, 0, 0);
	set_dead(d, i, op, false);
	if (!i->dead_count)
		d->code.len--;
}

/* Of the op's operands, those that are not needed in its regions die in `i`; the index of `i` may
 * be before others. */
void decode_kill_operands(Decoder *d, Instr *i, const IrOp *op)
{
	set_dead(d, i, op, true);
}

/* ---- blocks ---- */

bool decode_block(Decoder *d, const IrBlock *block)
{
	scan_block(d, block);
	for (const IrOp *op = block->first; op; op = op->next) {
		if (d->code.len > 4000000)
			return decode_refuse(d, op, "the kernel has too many operations");
		if (decode_fused(op))
			continue;
		InstrList code = d->code;
		bool invariant = op->result_count && d->invariant[op->results[0].id];
		if (invariant)
			d->code = d->prologue;
		bool ok = interp_tab[op->kind](d, op);
		if (invariant) {
			d->prologue = d->code;
			d->code = code;
		}
		if (!ok && d->failed && diag_full(d->diags))
			return false;
	}
	return !d->failed;
}

Body *decode_body(Decoder *d, const IrOp *op, const IrRegion *region)
{
	CONTRACT(region->first);
	Body *body = ARENA_NEW(d->arena, Body);
	const IrBlock *block = region->first;
	const IrOp *end = ir_terminator(block);
	uint32_t *args = ARENA_ARRAY(d->arena, uint32_t, block->arg_count + 1);
	uint32_t *results = ARENA_ARRAY(d->arena, uint32_t, end->operand_count + 1);
	body->single = -1;
	if (block->arg_count == 2 && block->first->next == end && block->first->operand_count == 2) {
		const IrOp *only = block->first;
		const IrValue *l = ir_operand(only, 0), *r = ir_operand(only, 1);
		bool straight = l == block->args[0] && r == block->args[1];
		bool turned = l == block->args[1] && r == block->args[0] && ir_has_trait(only, TRAIT_COMM);
		if ((straight || turned) && only->result_count == 1 &&
		    ir_operand(end, 0) == &only->results[0] && ir_has_trait(only, TRAIT_COMM) &&
		    only->results[0].type == l->type)
			body->single = elem_binary_of(only->kind, l->type->kind);
	}
	for (const IrOp *o = block->first; o; o = o->next)
		body->control = body->control || o->region_count || o->kind == OP_CALL ||
				ir_has_trait(o, TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC);
	d->lifted += !body->control;
	int outer = d->lifted;
	if (body->control)
		d->lifted = 0;
	body->code = decode_target(d->code.len);
	decode_block(d, block);
	for (uint32_t k = 0; k < block->arg_count; k++)
		args[k] = decode_slot(d, block->args[k]);
	for (uint32_t k = 0; k < end->operand_count; k++)
		results[k] = decode_slot(d, ir_operand(end, k));
	decode_emit(d, op, control_body_end, NULL, 0, 0);
	d->lifted = outer - !body->control;
	body->args = args;
	body->arg_count = block->arg_count;
	body->results = results;
	body->result_count = end->operand_count;
	vec_push(d->scratch, &d->bodies, body);
	return body;
}

/* ---- functions ---- */

static bool decode_function(Decoder *d, CallFrame *frame)
{
	const IrBlock *body = ir_func_body(frame->func);
	if (!body)
		return decode_refuse(d, frame->func, "the function '%s' has no body",
				     ir_func_name(frame->func));
	if (body->next)
		return decode_refuse(d, frame->func,
				     "the function '%s' has jumps: run the pass 'structure' first",
				     ir_func_name(frame->func));
	IrType type = ir_func_type_of(frame->func);
	uint32_t results = type->len - type->split;
	frame->params = ARENA_ARRAY(d->arena, uint32_t, body->arg_count + 1);
	bool called = frame->results != NULL;
	if (!called)
		frame->results = ARENA_ARRAY(d->arena, uint32_t, results + 1);
	for (uint32_t k = 0; k < body->arg_count; k++)
		frame->params[k] = decode_slot(d, body->args[k]);
	for (uint32_t k = 0; k < results && !called; k++)
		frame->results[k] = decode_new_slot(d, decode_type(d, type->list[type->split + k]));
	frame->back = decode_new_slot(d, decode_type(d, ir_scalar(d->cx, TY_I64)));
	frame->param_count = body->arg_count;
	frame->entry = d->code.len;
	d->frame = frame;
	return decode_block(d, body);
}

/* A call in a cycle has no static frame. */
static bool calls_itself(Decoder *d, CallFrame *frame)
{
	if (frame->visiting)
		return true;
	frame->visiting = true;
	bool found = false;
	for (uint32_t k = 0; k < frame->callees.len && !found; k++)
		found = calls_itself(d, frame->callees.data[k]);
	frame->visiting = false;
	return found;
}

static bool decode_all(Decoder *d, const IrOp *func)
{
	decode_frame(d, func);
	for (uint32_t k = 0; k < d->frames.len; k++) {
		if (!decode_function(d, d->frames.data[k]))
			return false;
		if (d->frames.len > 1 && calls_itself(d, d->frames.data[0]))
			return decode_refuse(d, func, "functions call each other in a cycle");
	}
	return !d->failed;
}

CallFrame *decode_frame(Decoder *d, const IrOp *func)
{
	for (uint32_t k = 0; k < d->frames.len; k++)
		if (d->frames.data[k]->func == func)
			return d->frames.data[k];
	CallFrame *frame = ARENA_NEW(d->arena, CallFrame);
	frame->func = func;
	vec_push(d->scratch, &d->frames, frame);
	return frame;
}

/* ---- the whole ---- */

static void finish(Decoder *d, const IrOp *func)
{
	InterpKernel *k = d->kernel;
	uint32_t prologue = d->code.len;
	for (uint32_t i = 0; i < d->prologue.len; i++)
		vec_push(d->scratch, &d->code, d->prologue.data[i]);
	decode_emit(d, func, control_body_end, NULL, 0, 0);
	Instr *code = arena_alloc_raw(d->arena, sizeof(Instr) * d->code.len, 64);
	memcpy(code, d->code.data, sizeof(Instr) * d->code.len);
	for (uint32_t i = 0; i < d->code.len; i++) {
		if (code[i].target)
			code[i].target = code + decode_target_index(code[i].target);
		if (code[i].fn == control_call)
			code[i].target = code + ((const CallFrame *)code[i].aux)->entry;
	}
	for (uint32_t i = 0; i < d->bodies.len; i++)
		d->bodies.data[i]->code = code + decode_target_index(d->bodies.data[i]->code);
	const CallFrame *main_frame = d->frames.data[0];
	k->code = code;
	k->prologue = code + prologue;
	k->slots = d->slots.data;
	k->slot_count = d->slots.len;
	k->params = main_frame->params;
	k->param_count = main_frame->param_count;
	k->constants = d->constants.data;
	k->constant_slots = d->constant_slots.data;
	k->constant_count = d->constants.len;
	k->loop_count = d->loop_count;
}

static bool prepare(Decoder *d, const IrModule *module, Sym function)
{
	d->module = module;
	d->cx = module->cx;
	map_init(&d->locs, d->scratch);
	const IrOp *func = ir_find_func(module, function);
	if (!func) {
		diag_add_at(d->diags, NULL, (LineCol){0, 0}, DIAG_RUN_NO_KERNEL, function);
		return false;
	}
	d->invariant = ARENA_ARRAY(d->scratch, bool, module->next_value + 1);
	d->slot_of = ARENA_ARRAY(d->scratch, uint32_t, module->next_value + 1);
	d->order = ARENA_ARRAY(d->scratch, uint32_t, module->next_op + 1);
	d->dead = ARENA_ARRAY(d->scratch, DeadList *, module->next_op + 1);
	d->kernel->name = arena_strdup(d->arena, function);
	if (!decode_all(d, func))
		return false;
	finish(d, func);
	return true;
}

InterpKernel *interp_prepare(const IrModule *module, Sym function, DiagList *diags)
{
	InterpKernel *volatile kernel = calloc(1, sizeof *kernel);
	if (!kernel) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OUT_OF_MEMORY, "no memory for a kernel");
		return NULL;
	}
	Arena scratch;
	arena_init(&scratch, 0);
	arena_init(&kernel->arena, 0);
	kernel->k = kernels_choose(NULL);
	volatile bool ok = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		Decoder d = {.kernel = kernel, .arena = &kernel->arena, .scratch = &scratch, .diags = diags};
		ok = prepare(&d, module, function);
		fault_leave(&fault);
	} else {
		diag_add_at(diags, NULL, (LineCol){0, 0},
			    fault.kind == FAULT_BUG ? DIAG_INTERNAL : DIAG_OUT_OF_MEMORY, fault.text);
	}
	arena_free(&scratch);
	if (ok)
		return kernel;
	interp_free(kernel);
	return NULL;
}
