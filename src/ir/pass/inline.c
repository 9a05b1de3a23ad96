/* inline: replaces calls of functions that are not `noinline` by their bodies, and drops private
 * functions without callers. symbol-dce: the second half alone.
 *
 * Needs: functions of one block that ends in tt.return (`structure` makes them so). Keeps:
 * meaning; an inlined op at location L of the callee gets callsite(L at the call), a chain when
 * calls are nested. Method: depth first from each function, callees before callers, so each body
 * is copied in its final form. Recursion is diagnosed, and so is growth beyond INLINE_MAX_OPS: a
 * chain of functions that each call the next one twice would double at every step. */
#include "base/map.h"
#include "ir/pass.h"

enum { INLINE_MAX_OPS = 500000 };

enum { NEW, OPEN, DONE };


typedef struct Inline {
	PassCx *cx;
	Map funcs; /* name -> op */
	Map state; /* op -> NEW, OPEN, DONE */
	bool changed;
} Inline;

static IrOp *callee_of(const Inline *in, const IrOp *call)
{
	IrAttr callee = ir_get(call, in->cx->module->cx, ATTR_CALLEE);
	return callee && callee->text ? map_get_ptr(&in->funcs, callee->text) : NULL;
}

static bool may_inline(const Inline *in, const IrOp *func)
{
	const IrBlock *body = ir_func_body(func);
	return body && !body->next && body->last && body->last->kind == OP_RETURN &&
	       !ir_get_bool(func, in->cx->module->cx, ATTR_NOINLINE);
}

/* ---- one call ---- */

typedef struct Relocation {
	IrCx *cx;
	IrLoc call;
} Relocation;

/* The outermost caller of a chain is called from here. */
static IrLoc relocate(void *data, IrLoc loc)
{
	Relocation *r = data;
	if (loc->kind == LOC_CALLSITE)
		return ir_loc_callsite(r->cx, loc->child, relocate(data, loc->caller));
	if (loc->kind == LOC_NAME && ir_loc_caller(loc))
		return ir_loc_name(r->cx, loc->text, relocate(data, loc->child));
	return ir_loc_callsite(r->cx, loc, r->call);
}

static void inline_call(Inline *in, IrOp *call, IrOp *callee)
{
	IrModule *m = in->cx->module;
	IrBlock *body = ir_func_body(callee);
	ArenaMark mark = arena_mark(in->cx->scratch);
	IrMapping map;
	Relocation relocation = {m->cx, call->loc};
	ir_mapping_init(&map, in->cx->scratch);
	for (uint32_t i = 0; i < body->arg_count; i++)
		ir_mapping_put(&map, body->args[i], ir_operand(call, i));
	for (IrOp *op = body->first; op != body->last; op = op->next)
		ir_op_insert_before(ir_clone(m, op, &map, relocate, &relocation), call);
	for (uint32_t i = 0; i < call->result_count; i++)
		if (call->results[i].uses)
			ir_replace_uses(&call->results[i], ir_mapping_get(&map, ir_operand(body->last, i)));
	ir_op_erase(call);
	arena_reset(in->cx->scratch, mark);
	in->changed = true;
}

/* ---- all calls ---- */

/* What follows a function's first block when that one returns is never reached (upstream's raw form has it). */
static void drop_unreached(Inline *in, IrOp *func)
{
	IrBlock *entry = ir_func_body(func);
	if (!entry || !entry->last || entry->last->kind != OP_RETURN || !entry->next)
		return;
	/* Values of one dead block may be used in another: operands first. */
	for (IrBlock *b = entry->next; b; b = b->next)
		for (IrOp *op = b->first; op; op = op->next)
			ir_drop_operands(op);
	while (entry->next)
		ir_block_unlink(entry->next);
	in->changed = true;
}

static bool visit_func(Inline *in, IrOp *func)
{
	PassCx *cx = in->cx;
	map_put(&in->state, map_key(func), OPEN);
	drop_unreached(in, func);
	IrOpVec calls = ir_collect(cx->scratch, func, false, OP_CALL, OP_CALL);
	bool ok = true;
	for (uint32_t i = 0; i < calls.len && ok; i++) {
		IrOp *call = calls.data[i], *callee = callee_of(in, call);
		uint64_t state = NEW;
		if (!callee)
			continue;
		map_get(&in->state, map_key(callee), &state);
		if (state == OPEN) {
			ir_diag(cx->diags, call->loc, DIAG_RECURSION, ir_func_name(callee));
			return false;
		}
		if (state == NEW)
			ok = visit_func(in, callee);
		if (!ok || !may_inline(in, callee))
			continue;
		inline_call(in, call, callee);
		if (cx->module->next_op > INLINE_MAX_OPS) {
			ir_diag(cx->diags, func->loc, DIAG_INLINE_LIMIT, ir_func_name(func));
			return false;
		}
	}
	map_put(&in->state, map_key(func), DONE);
	return ok;
}

/* ---- functions that nothing calls ---- */

static void fill_funcs(Inline *in)
{
	map_init(&in->funcs, in->cx->scratch);
	for (IrOp *op = ir_module_block(in->cx->module)->first; op; op = op->next)
		if (op->kind == OP_FUNC)
			map_put_ptr(&in->funcs, ir_func_name(op), op);
}

static void drop_uncalled(Inline *in)
{
	PassCx *cx = in->cx;
	IrBlock *block = ir_module_block(cx->module);
	Map kept;
	IrOpVec work = {0};
	map_init(&kept, cx->scratch);
	for (IrOp *op = block->first; op; op = op->next) {
		if (op->kind != OP_FUNC || !ir_func_is_public(op, cx->module->cx))
			continue;
		map_put(&kept, map_key(op), 1);
		vec_push(cx->scratch, &work, op);
	}
	while (work.len) {
		IrOpVec calls =
			ir_collect(cx->scratch, work.data[--work.len], false, OP_CALL, OP_CALL);
		for (uint32_t i = 0; i < calls.len; i++) {
			uint64_t unused;
			IrOp *callee = callee_of(in, calls.data[i]);
			if (!callee || map_get(&kept, map_key(callee), &unused))
				continue;
			map_put(&kept, map_key(callee), 1);
			vec_push(cx->scratch, &work, callee);
		}
	}
	for (IrOp *op = block->first, *next; op; op = next) {
		uint64_t unused;
		next = op->next;
		if (op->kind == OP_FUNC && !map_get(&kept, map_key(op), &unused)) {
			ir_op_erase(op);
			in->changed = true;
		}
	}
}

bool pass_symbol_dce(PassCx *cx, bool *changed)
{
	Inline in = {.cx = cx};
	fill_funcs(&in);
	drop_uncalled(&in);
	*changed = in.changed;
	return true;
}

bool pass_inline(PassCx *cx, bool *changed)
{
	Inline in = {.cx = cx};
	fill_funcs(&in);
	map_init(&in.state, cx->scratch);
	bool ok = true;
	for (IrOp *op = ir_module_block(cx->module)->first; op && ok; op = op->next) {
		uint64_t state = NEW;
		if (op->kind == OP_FUNC && (!map_get(&in.state, map_key(op), &state) || state == NEW))
			ok = visit_func(&in, op);
	}
	if (ok)
		drop_uncalled(&in);
	*changed = in.changed;
	return ok;
}
