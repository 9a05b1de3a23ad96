/* `break`, `continue` and `return` in loops. The IR has no jumps: a side of an `if` that leaves the
 * loop skips the rest of the body, which goes into the other side (stmt_if.c), and hidden names of
 * the frame say what the loop does next:
 *
 *   %brokenN   the loop at depth N ends after this turn
 *   %returned  so does every loop around it, and the function returns
 *   %value     what it returns
 *   %wholeN    no `break` ended the loop at offset N, which has an `else`
 *
 * They are joined and carried like names of the program. */
#include "front/core.h"
#include "front/tile/sem.h"

/* ---- names ---- */

static unsigned depth_of(const LoopScope *scope)
{
	unsigned depth = 0;
	for (; scope; scope = scope->outer)
		depth++;
	return depth;
}

Sym loop_hidden(FrontLower *low, const char *what, const LoopScope *scope)
{
	return lower_sym(low, str_of(arena_printf(low->arena, "%%%s%u", what, depth_of(scope))));
}

Sym loop_returned(FrontLower *low)
{
	return lower_sym(low, STR("%returned"));
}

Sym loop_value(FrontLower *low)
{
	return lower_sym(low, STR("%value"));
}

/* ---- a body ---- */

void loop_open(FrontLower *low, LoopScope *scope, LoopScope *outer)
{
	scope->outer = outer;
	scope->broken = loop_hidden(low, "broken", outer);
	scope->start = sem_to_tensor(low, low->false_);
	vec_push(low->arena, &scope->kept, scope->broken);
	vec_push(low->arena, &scope->kept, loop_returned(low));
	vec_push(low->arena, &scope->kept, loop_value(low));
	if (scope->whole)
		vec_push(low->arena, &scope->kept, scope->whole);
	frame_set(low, low->frame, scope->broken, scope->start);
	low->frame->scope = scope;
}

const Val *loop_close(FrontLower *low, LoopScope *scope)
{
	Frame *frame = low->frame;
	const Val *broken = frame_get(frame, scope->broken);
	for (uint32_t i = 0; i < scope->unset.len; i++)
		frame->slots.data[frame_slot(low, frame, scope->unset.data[i])] =
			(Slot){.why = WHY_BRANCH, .at = scope->unset_at};
	frame->scope = scope->outer;
	return broken == scope->start ? NULL : broken;
}

bool loop_keeps(FrontLower *low, const LoopScope *scope, Sym name)
{
	(void)low;
	for (uint32_t i = 0; i < scope->kept.len; i++)
		if (scope->kept.data[i] == name)
			return true;
	return scope->keeps_all && name[0] != '%';
}

/* ---- the statements ---- */

static Flow leave(FrontLower *low, bool breaks, Span at)
{
	if (breaks)
		frame_set(low, low->frame, low->frame->scope->broken, val_add_origin(low, sem_to_tensor(low,
				low->true_), low->true_));
	return (Flow){.kind = FLOW_RETURN, .at = at};
}

Flow loop_leave(FrontLower *low, const Ast *node)
{
	bool breaks = node->kind == AST_BREAK;
	if (!lower_extension(low, breaks ? "`break`" : "`continue`"))
		lower_note(low, "%s", breaks ? "a condition of the loop that becomes false does: "
					       "while i < n and not done; or a mask"
					     : "an `if` around the rest of the body does");
	if (breaks && low->frame->scope->whole)
		frame_set(low, low->frame, low->frame->scope->whole, sem_to_tensor(low, low->false_));
	return leave(low, breaks, node->span);
}

Flow loop_return(FrontLower *low, const Val *value, Span at)
{
	if (!lower_extension_words(
		    low, "Cannot have `return` statements inside `while` or `for` statements in triton"))
		lower_note(low, "a flag that the loop's condition asks does: while i < n and not found");
	low->frame->returns++;
	frame_set(low, low->frame, loop_value(low), value);
	frame_set(low, low->frame, loop_returned(low), sem_to_tensor(low, low->true_));
	return leave(low, true, at);
}

void loop_may_return(FrontLower *low)
{
	frame_set(low, low->frame, loop_returned(low), sem_to_tensor(low, low->false_));
}

Sym loop_may_break(FrontLower *low, const Ast *node, const AstList *body, const AstList *orelse)
{
	if (!orelse->len || !lower_extension(low, "`else` of a loop") || !loop_exits(body).breaks)
		return NULL;
	Sym whole = lower_sym(low, str_of(arena_printf(low->arena, "%%whole%u", node->span.start)));
	frame_set(low, low->frame, whole, sem_to_tensor(low, low->true_));
	return whole;
}

const AstList *loop_else(FrontLower *low, const Ast *node, Sym whole, const AstList *orelse)
{
	if (!whole || !orelse->len)
		return orelse;
	Ast *test = ARENA_NEW(low->arena, Ast), *branch = ARENA_NEW(low->arena, Ast);
	test->kind = AST_NAME;
	test->span = branch->span = node->span;
	test->name.id = whole;
	branch->kind = AST_IF;
	branch->if_stmt.test = test;
	branch->if_stmt.body = *orelse;
	AstList *list = ARENA_NEW(low->arena, AstList);
	*list = (AstList){ARENA_ARRAY(low->arena, Ast *, 1), 1};
	list->items[0] = branch;
	return list;
}

Flow loop_after(FrontLower *low, LoopExits exits)
{
	const Val *returned = exits.returns ? frame_get(low->frame, loop_returned(low)) : NULL;
	bool known;
	if (!returned || returned->kind != VAL_TENSOR)
		return (Flow){.kind = FLOW_FALL};
	int64_t constant;
	known = ir_constant_int(returned->tensor.ir, &constant);
	if (known && !constant)
		return (Flow){.kind = FLOW_FALL};
	LoopScope *scope = low->frame->scope;
	if (scope)
		frame_set(low, low->frame, scope->broken,
			  sem_logical(low, true, frame_get(low->frame, scope->broken), returned));
	const Val *value = frame_get(low->frame, loop_value(low));
	return (Flow){.kind = FLOW_MAYBE, .returned = returned->tensor.ir, .value = value ? value
			: low->none, .at = low->span};
}

/* ---- unrolled loops ---- */

typedef struct Turns {
	Ast *node;
	const ValVec *items;
	uint32_t at;
	Sym whole;
} Turns;

/* Behind the loop each is what the last turn made of it, which a branch may leave open (join.c). */
void loop_note_targets(FrontLower *low, const Ast *target)
{
	if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			loop_note_targets(low, target->seq.items.items[i]);
	if (target->kind == AST_NAME)
		vec_push(low->arena, &low->frame->turned, target->name.id);
}

/* Numbers that the loop's target is become tensors: which turn was the last is known when the
 * kernel runs. */
static void settle(FrontLower *low, const Ast *target)
{
	if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			settle(low, target->seq.items.items[i]);
	const Val *v = target->kind == AST_NAME ? frame_get(low->frame, target->name.id) : NULL;
	if (v)
		frame_set(low, low->frame, target->name.id, sanitize(low, v));
}

/* The turns from `at` on: those behind one that may end the loop run where it has not. */
static void turns_from(FrontLower *low, void *data);

static void other_turns(FrontLower *low, void *data)
{
	turns_from(low, data);
	settle(low, ((Turns *)data)->node->for_stmt.target);
}

static void turns_from(FrontLower *low, void *data)
{
	Turns *t = data;
	while (t->at < t->items->len && lower_step(low)) {
		LoopScope scope = {.keeps_all = true, .whole = t->whole};
		assign_target(low, t->node->for_stmt.target, t->items->data[t->at++]);
		loop_open(low, &scope, low->frame->scope);
		lower_stream(low, (Stream){.list = t->node->for_stmt.body}, true);
		const Val *broken = loop_close(low, &scope);
		if (!broken)
			continue;
		if (broken->kind != VAL_TENSOR || broken->origin || t->at == t->items->len)
			return;
		settle(low, t->node->for_stmt.target);
		lower_unless(low, broken->tensor.ir, other_turns, t);
		return;
	}
}

Flow loop_turns(FrontLower *low, Ast *node, const ValVec *items, Sym whole)
{
	CONTRACT(node->kind == AST_FOR);
	LoopExits exits = loop_exits(&node->for_stmt.body);
	if (exits.returns)
		loop_may_return(low);
	uint32_t returns = low->frame->returns;
	turns_from(low, &(Turns){.node = node, .items = items, .whole = whole});
	lower_at(low, node->span);
	exits.returns = exits.returns && low->frame->returns != returns;
	return loop_after(low, exits);
}
