/* What a run-time loop carries (loop_carry.h). */
#include "front/core.h"
#include "front/lower/loop_carry.h"

#include <stdlib.h>

static int by_slot(const void *a, const void *b)
{
	const Carried *x = a, *y = b;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void find(Loop *loop, const SymVec *names, bool changed, Sym skip)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < names->len; i++) {
		const Val *v = frame_get(low->frame, names->data[i]);
		if (!v || names->data[i] == skip || v->kind == VAL_POISON)
			continue;
		uint32_t slot = frame_slot(low, low->frame, names->data[i]), k = 0;
		while (k < loop->names.len && loop->names.data[k].slot != slot)
			k++;
		if (k == loop->names.len)
			vec_push(low->arena, &loop->names,
				 (Carried){.name = names->data[i], .slot = slot, .init = v});
		loop->names.data[k].changed |= changed;
	}
}

typedef struct Reads {
	Sym name;
	bool found;
} Reads;

static bool is_target(const Ast *target, Sym name)
{
	bool found = target->kind == AST_NAME && target->name.id == name;
	if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			found |= is_target(target->seq.items.items[i], name);
	return found;
}

/* Is the name anywhere but in the body of a `for` over it? A function may read it too. */
static void find_read(void *data, Ast *node)
{
	Reads *r = data;
	if (node->kind == AST_FOR && is_target(node->for_stmt.target, r->name)) {
		find_read(r, node->for_stmt.iter);
		for (uint32_t i = 0; i < node->for_stmt.orelse.len; i++)
			find_read(r, node->for_stmt.orelse.items[i]);
		return;
	}
	r->found |= node->kind == AST_FUNCTION_DEF ||
		    (node->kind == AST_NAME && node->name.id == r->name);
	ast_each(node, find_read, r);
}

/* The target of an unrolled loop that the body has loops over, or the subject of a `match`. */
static bool is_fleeting(const Loop *loop, const AstList *body, const Carried *c)
{
	if (frame_is_subject(c->name))
		return true;
	if (!frame_is_turned(loop->low->frame, c->name) || val_has_tensor(c->init))
		return false;
	Reads r = {.name = c->name};
	if (loop->test)
		find_read(&r, (Ast *)loop->test);
	for (uint32_t i = 0; i < body->len; i++)
		find_read(&r, body->items[i]);
	return !r.found;
}

/* What the loop may carry: `skip` is its own variable. */
void carry_find(Loop *loop, const AstList *body, const SymVec *assigned, Sym skip)
{
	FrontLower *low = loop->low;
	SymVec changed = {0};
	changed_objects(low, body, &changed);
	find(loop, assigned, false, skip);
	find(loop, &changed, true, skip);
	if (loop->names.len)
		qsort(loop->names.data, loop->names.len, sizeof *loop->names.data, by_slot);
	for (uint32_t i = 0; i < loop->names.len; i++) {
		Carried *c = &loop->names.data[i];
		c->first = loop->init.len;
		c->fleeting = is_fleeting(loop, body, c);
		if (!c->fleeting)
			val_flatten(low, c->init, &loop->init);
		c->count = loop->init.len - c->first;
	}
}

/* The carried value of a name; an object's fields may be assigned in `home`. */
static void set_value(Loop *loop, const Carried *c, IrValue *const *values, const IrBlock *home)
{
	uint32_t cursor = c->first;
	const Val *v = val_rebuild(loop->low, c->init, values, &cursor);
	if (home && v != c->init && v->kind == VAL_OBJECT) {
		Val *own = arena_copy(loop->low->arena, v, sizeof *v);
		own->object.home = home;
		v = own;
	}
	loop->low->frame->slots.data[c->slot].val = v;
}

/* Block arguments for the carried values; the names mean them from here on. */
void carry_enter(Loop *loop, IrBlock *block, bool is_body, ValueVec *args)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		IrLoc loc = lower_named_loc(low, c->name, loop->span);
		for (uint32_t k = 0; k < c->count; k++) {
			IrValue *init = loop->init.data[c->first + k];
			LoopArg carried = {ir_block_arg_add(low->m, block, init->type, loc), init};
			vec_push(low->arena, args, carried.arg);
			vec_push(low->arena, &low->loop_args, carried);
		}
		if (c->count)
			set_value(loop, c, args->data, is_body && c->changed ? block : NULL);
	}
}

/* An object that the body changes, and that another carried name holds too, would be two from the
 * next turn on. */
static bool is_held_twice(const Loop *loop, const Carried *c, const Val *v)
{
	for (uint32_t i = 0; c->changed && i < loop->names.len; i++) {
		const Carried *other = &loop->names.data[i];
		const Val *held = loop->low->frame->slots.data[other->slot].val;
		if (other != c && held && val_holds(held, v))
			return true;
	}
	return false;
}

bool carry_is_same(const Val *a, const Val *b)
{
	return !val_has_tensor(b) && val_equal(a, b);
}

/* Which field of an object makes it another type. */
static void note_field(FrontLower *low, const Val *before, const Val *v)
{
	if (before->kind != VAL_OBJECT || v->kind != VAL_OBJECT || before->object.klass != v->object.klass)
		return;
	const FrontClass *k = before->object.klass;
	for (uint32_t i = 0; i < k->field_count; i++) {
		const Val *was = before->object.fields[i], *is = v->object.fields[i];
		if (was && is && !(val_has_tensor(was) ? val_same_shape(is, was) : carry_is_same(was, is)))
			lower_note(low, "its field '%s' is %s before the loop and %s in it",
				   k->fields[i].name, val_describe(low, was), val_describe(low, is));
	}
}

void carry_error(Loop *loop, const Carried *c, const Slot *slot)
{
	FrontLower *low = loop->low;
	const Source *source = source_get(&low->session->sources, loop->span.file);
	uint32_t line = source ? source_line_col(source, loop->span.start).line : 0;
	Span old = lower_at(low, slot->at);
	if (c->count)
		lower_error(low, DIAG_LOOP_TYPE, c->name, val_describe(low, c->init), line,
			    val_describe(low, slot->val));
	else
		lower_error(low, DIAG_LOOP_CONSTEXPR, c->name, val_describe(low, c->init), line);
	note_field(low, c->init, slot->val);
	lower_restore(low, old);
}

/* A function, a class, ... that is one of several at the end of a turn: the next would begin with
 * any of them. */
static void mixed_error(Loop *loop, const Carried *c, const Slot *slot)
{
	FrontLower *low = loop->low;
	const Source *source = source_get(&low->session->sources, slot->at.file);
	Span old = lower_at(low, slot->at);
	lower_error(low, DIAG_NAME_MIXED, c->name, source ? source_line_col(source, slot->at.start).line : 0);
	lower_restore(low, old);
}

/* What the body leaves in the carried names. */
void carry_collect(Loop *loop)
{
	FrontLower *low = loop->low;
	CONTRACT(loop->args.len == loop->init.len);
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		const Slot *slot = &low->frame->slots.data[c->slot];
		const Val *v = slot->val;
		if (v && c->count && frame_is_turned(low->frame, c->name))
			v = sanitize(low, v);
		bool keeps = !v || v->kind == VAL_POISON || c->fleeting;
		if (!v && slot->why == WHY_MIXED && !c->fleeting)
			mixed_error(loop, c, slot);
		if (v && is_held_twice(loop, c, v))
			lower_error(low, DIAG_UNSUPPORTED,
				    "an object that a loop changes and that two names hold");
		if (!keeps && (c->count ? !val_same_shape(v, c->init) : !carry_is_same(c->init, v))) {
			carry_error(loop, c, slot);
			keeps = true;
		}
		if (keeps || !c->count) {
			for (uint32_t k = 0; k < c->count; k++)
				vec_push(low->arena, &loop->next, loop->args.data[c->first + k]);
			continue;
		}
		val_flatten(low, v, &loop->next);
	}
	CONTRACT(loop->next.len == loop->init.len);
}

/* Values that every turn hands on as it got them are those from before the loop. */
static bool unchanged(const Loop *loop, const ValueVec *values, const ValueVec *args, uint32_t i)
{
	return values->data[i] == args->data[i] || values->data[i] == loop->init.data[i];
}

/* Values that are handed on may be block arguments that are dropped: those are the values from
 * before the loop. */
static void name_init(const Loop *loop, ValueVec *values, const ValueVec *args)
{
	for (uint32_t i = 0; i < values->len; i++)
		for (uint32_t k = 0; k < args->len; k++)
			if (loop->drop[k] && values->data[i] == args->data[k]) {
				values->data[i] = loop->init.data[k];
				break;
			}
}

/* `passed`: what the test of a `while` hands on of the arguments `first`; NULL for a `for`. */
void carry_find_dropped(Loop *loop, const ValueVec *first, ValueVec *passed)
{
	uint32_t n = loop->init.len;
	CONTRACT(loop->next.len == n && (!passed || passed->len == n));
	loop->drop = ARENA_ARRAY(loop->low->arena, bool, MAX(n, 1u));
	for (uint32_t i = 0; i < n; i++)
		loop->drop[i] = unchanged(loop, &loop->next, &loop->args, i) &&
				(!passed || unchanged(loop, passed, first, i));
	name_init(loop, &loop->next, &loop->args);
	if (passed)
		name_init(loop, passed, first);
}

void carry_drop_args(const Loop *loop, IrBlock *block, const ValueVec *args)
{
	CONTRACT(loop->drop && args->len == loop->init.len);
	for (uint32_t i = args->len; i-- > 0;) {
		if (!loop->drop[i])
			continue;
		ir_replace_uses(args->data[i], loop->init.data[i]);
		ir_block_arg_erase(block, args->data[i]->index);
	}
}

ValueVec carry_kept(const Loop *loop, const ValueVec *all)
{
	ValueVec out = {0};
	CONTRACT(loop->drop && all->len == loop->init.len);
	for (uint32_t i = 0; i < all->len; i++)
		if (!loop->drop[i])
			vec_push(loop->low->arena, &out, all->data[i]);
	return out;
}

IrType *carry_types(FrontLower *low, const ValueVec *values)
{
	IrType *types = ARENA_ARRAY(low->arena, IrType, MAX(values->len, 1u));
	for (uint32_t i = 0; i < values->len; i++)
		types[i] = values->data[i]->type;
	return types;
}

/* After the loop: carried names are its results, from `result` on; what was first assigned in it
 * has no value. */
void carry_leave(Loop *loop, const SlotVec *before, const IrOp *op, uint32_t result, Sym variable)
{
	FrontLower *low = loop->low;
	Frame *frame = low->frame;
	SlotVec inside = frame->slots;
	CONTRACT(loop->drop && result <= op->result_count);
	frame_restore(low, frame, before);
	ValueVec out = {0};
	for (uint32_t i = 0; i < loop->init.len; i++)
		vec_push(low->arena, &out, loop->drop[i] ? loop->init.data[i] : ir_result(op, result++));
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		if (c->count)
			set_value(loop, c, out.data, c->changed ? c->init->object.home : NULL);
		const Val *last = inside.data[c->slot].val;
		if (!last) /* deleted */
			frame->slots.data[c->slot] = inside.data[c->slot];
		else if (c->fleeting && last->kind != VAL_POISON && !carry_is_same(c->init, last))
			frame->slots.data[c->slot] = (Slot){.why = WHY_LOOP, .at = loop->span};
	}
	for (uint32_t i = 0; i < frame->names.len; i++) {
		Slot *slot = &frame->slots.data[i];
		if (frame->names.data[i] == variable)
			*slot = (Slot){.why = WHY_LOOP_VARIABLE, .at = loop->span};
		else if (!slot->val && i < inside.len && inside.data[i].val)
			*slot = inside.data[i].val->kind == VAL_POISON
					? (Slot){.val = low->poison, .at = loop->span}
					: (Slot){.why = WHY_LOOP, .at = loop->span};
	}
}

/* A name that has no value before the loop is carried as well: nothing goes in. An argument for
 * each of its values in `block`. */
void carry_late(Loop *loop, IrBuilder *outer, Sym name, const Val *v, IrBlock *block, ValueVec *args)
{
	FrontLower *low = loop->low;
	ValueVec values = {0};
	val_flatten(low, v, &values);
	Carried c = {.name = name, .slot = frame_slot(low, low->frame, name), .init = v,
		     .first = loop->init.len, .count = values.len};
	for (uint32_t k = 0; k < values.len; k++) {
		IrType type = values.data[k]->type;
		vec_push(low->arena, &loop->init, irb_0(outer, OP_POISON, type));
		vec_push(low->arena, args, ir_block_arg_add(low->m, block, type, outer->loc));
	}
	vec_push(low->arena, &loop->names, c);
}

bool carry_has(const Loop *loop, uint32_t slot)
{
	for (uint32_t k = 0; k < loop->names.len; k++)
		if (loop->names.data[k].slot == slot)
			return true;
	return false;
}

/* What the loop may return is known when its body has been lowered. True when it is carried
 * late. */
bool carry_returned(Loop *loop, IrBuilder *outer, IrBlock *block)
{
	FrontLower *low = loop->low;
	Sym name = loop_value(low);
	const Val *v = loop->exits.returns ? frame_get(low->frame, name) : NULL;
	if (!v || v->kind == VAL_POISON || carry_has(loop, frame_slot(low, low->frame, name)))
		return false;
	carry_late(loop, outer, name, v, block, &loop->args);
	return true;
}
