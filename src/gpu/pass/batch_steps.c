/* batch-steps: unrolls a loop whose iterations each load a little, update carried state and store,
 * and hoists the loads of all unrolled steps to the front. (Recurrences over tokens: a state that
 * decays, takes in a key and a value, and is read by a query.)
 *
 * Needs: TTGIR with its final layouts, behind `version-loops`, which says that no store of the
 * loop reaches what it loads. Keeps: what is computed, bit by bit, and the order of stores.
 * Method: each step waits for memory once, and computes for less time than that. Stores keep the
 * assembler from hoisting loads, and loads one step ahead would still be waited for in each step.
 * So a loop of its own has the body several times: first the loads of all steps with their
 * addresses, then the rest, step by step. The original loop does the remaining steps. */
#include "gpu/analysis/pressure.h"
#include "gpu/loop/schedule.h"
#include "gpu/pass/batch_steps.h"
#include "gpu/remark.h"

enum {
	MOST_STEPS = 4,
	MOST_WORDS = 64, /* of a thread, that all loads of a batch bring */
	MOST_OPS = 160, /* of a step */
	MOST_WORK = 2048, /* words of all steps: code that caches of instructions hold */
	LARGEST_STEP = 1 << 16,
};

/* Can the value of each step be there before any step is done? */
typedef enum Early {
	NOT_LOOKED_AT,
	EARLY, /* or it is being looked at */
	LATE,
	MARKED, /* it is, and goes in front */
} Early;

typedef struct Steps {
	PassCx *cx;
	GpuCx *gpu;
	IrOp *loop;
	IrBlock *body;
	uint8_t *early; /* by value id: an Early */
	bool *in_front; /* by op id: it is a load, or what the address of one comes from */
	bool stores, stops;
	unsigned ops, work; /* work: words that a thread computes */
	bool turned;        /* a value has turned out late */
} Steps;

/* ---- is it such a loop? ---- */

static bool look(void *data, IrOp *op)
{
	Steps *s = data;
	bool writes = schedule_only_writes(op);
	s->ops++;
	for (uint32_t i = 0; i < op->result_count; i++)
		if (ir_is_float(ir_elem(op->results[i].type)))
			s->work += gpu_words(s->gpu, op->results[i].type);
	s->stores |= writes;
	s->stops |= schedule_is_dot(op) || op->kind == OP_FOR || op->kind == OP_WHILE ||
		    (!writes && ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC)) || op->kind == OP_CALL ||
		    ((op->kind == OP_EXTERN || op->kind == OP_INLINE_ASM) && !ir_is_pure(op));
	return !s->stops;
}

/* As far as is known while values that it comes from are being looked at. */
static bool may_be_early(Steps *s, const IrValue *v)
{
	if (ir_is_defined_outside(v, s->loop) || s->early[v->id])
		return ir_is_defined_outside(v, s->loop) || s->early[v->id] != LATE;
	bool ok = true;
	s->early[v->id] = EARLY;
	if (v->block) {
		ok = v->block == s->body &&
		     (v->index == 0 || may_be_early(s, ir_operand(s->body->last, v->index - 1)));
	} else {
		ok = v->def->block == s->body && ir_is_pure(v->def) && !v->def->region_count;
		for (uint32_t i = 0; i < v->def->operand_count && ok; i++)
			ok = may_be_early(s, ir_operand(v->def, i));
	}
	s->early[v->id] = ok ? EARLY : LATE;
	s->turned |= !ok;
	return ok;
}

/* Can the value of each step be computed in front of all of them? What was taken for early on the
 * way to one that is not is looked at again. */
static bool comes_early(Steps *s, const IrValue *v)
{
	bool ok;
	do {
		s->turned = false;
		ok = may_be_early(s, v);
		for (uint32_t i = 0; s->turned && i < s->cx->module->next_value; i++)
			if (s->early[i] == EARLY)
				s->early[i] = NOT_LOOKED_AT;
	} while (ok && s->turned);
	return ok;
}

static void mark(Steps *s, const IrValue *v)
{
	if (ir_is_defined_outside(v, s->loop) || s->early[v->id] == MARKED)
		return;
	s->early[v->id] = MARKED;
	if (v->block) {
		if (v->index)
			mark(s, ir_operand(s->body->last, v->index - 1));
		return;
	}
	s->in_front[v->def->id] = true;
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		mark(s, ir_operand(v->def, i));
}

/* Words that the loads of a step bring which can be in front of it. 0: there are none, or too
 * many. */
static unsigned words_of_loads(Steps *s)
{
	unsigned words = 0;
	for (IrOp *op = s->body->first; op; op = op->next) {
		bool ok = op->kind == OP_LOAD && !ir_is_volatile(op);
		for (uint32_t i = 0; i < op->operand_count && ok; i++)
			ok = comes_early(s, ir_operand(op, i));
		if (!ok)
			continue;
		words += gpu_words(s->gpu, op->results[0].type);
		s->in_front[op->id] = true;
		for (uint32_t i = 0; i < op->operand_count; i++)
			mark(s, ir_operand(op, i));
	}
	return words;
}

/* Does the value come from a tile of numbers that the loop carries? */
static bool is_of_state(const Steps *s, const IrValue *v, bool *seen)
{
	if (ir_is_defined_outside(v, s->loop) || seen[v->id])
		return false;
	seen[v->id] = true;
	if (v->block)
		return v->block == s->body && ir_is_tensor(v->type) && ir_is_float(v->type->elem);
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		if (is_of_state(s, ir_operand(v->def, i), seen))
			return true;
	return false;
}

/* Is what a step stores made of what the loop carries? What only adds up over steps that are
 * otherwise apart waits for nothing but memory, for which there are other warps. */
static bool stores_state(const Steps *s)
{
	bool *seen = ARENA_ARRAY(s->cx->scratch, bool, s->cx->module->next_value);
	for (const IrOp *op = s->body->first; op; op = op->next)
		if (op->kind == OP_STORE && is_of_state(s, ir_operand(op, 1), seen))
			return true;
	return false;
}

/* How many steps a batch has, if no store reaches what is loaded; 0: the loop stays. */
static unsigned steps_of(Steps *s)
{
	int64_t step;
	IrCx *ir = s->gpu->ir;
	IrType counter = ir_operand(s->loop, 0)->type;
	if (ir_get(s->loop, ir, ATTR_PIPELINE) || ir_get_bool(s->loop, ir, ATTR_LEFT) ||
	    ir_get(s->loop, ir, ATTR_NUM_STAGES) || ir_get_bool(s->loop, ir, ATTR_UNSIGNED_CMP) ||
	    !ir_constant_int(ir_operand(s->loop, 2), &step) || step <= 0 || step > LARGEST_STEP ||
	    (counter->bits != 32 && (counter->bits != 64 || step != 1)))
		return 0;
	ir_walk(s->loop, false, look, s);
	if (s->stops || !s->stores || s->ops > MOST_OPS || !stores_state(s))
		return 0;
	unsigned words = words_of_loads(s), carried = gpu_carried_words(s->gpu, s->loop), steps = MOST_STEPS;
	while (words && steps > 1 &&
	       (words * steps > MOST_WORDS || s->work * steps > MOST_WORK ||
		words * steps + carried > s->gpu->target->budgets->loop_of_dots))
		steps /= 2;
	return words && steps > 1 ? steps : 0;
}

/* ---- the loop of batches ---- */

/* Where batches end: so many whole ones fit between the bounds. */
static IrValue *end_of_batches(const Steps *s, IrBuilder *b, int64_t step)
{
	IrValue *lower = ir_operand(s->loop, 0), *upper = ir_operand(s->loop, 1);
	IrType type = lower->type, wide = ir_scalar(s->gpu->ir, TY_I64);
	IrValue *distance = irb_2(b, OP_SUBI, NULL, upper, lower);
	if (type->bits < 64)
		distance = irb_1(b, OP_EXTUI, wide, distance);
	IrValue *by = irb_int(b, wide, step);
	IrValue *whole = irb_2(b, OP_MULI, NULL, irb_2(b, OP_DIVUI, NULL, distance, by), by);
	if (type->bits < 64)
		whole = irb_1(b, OP_TRUNCI, type, whole);
	IrValue *args[] = {irb_cmpi(b, CMPI_SLT, lower, upper), irb_2(b, OP_ADDI, NULL, lower, whole), lower};
	return irb_op(b, OP_SELECT, args, 3, &type, 1, 0)->results;
}

static void clone_marked(const Steps *s, IrBlock *block, IrMapping *map, bool in_front)
{
	for (IrOp *op = s->body->first; op != s->body->last; op = op->next)
		if (s->in_front[op->id] == in_front)
			ir_op_append(block, ir_clone(s->cx->module, op, map, NULL, NULL));
}

/* What is carried to the next step, as far as it is there. */
static void hand_on(const Steps *s, const IrMapping *from, IrMapping *to)
{
	const IrOp *yield = s->body->last;
	for (uint32_t i = 0; i < yield->operand_count; i++)
		ir_mapping_put(to, s->body->args[i + 1], ir_mapping_get(from, ir_operand(yield, i)));
}

static void batch(Steps *s, unsigned steps)
{
	IrModule *m = s->cx->module;
	IrOp *loop = s->loop;
	int64_t step = 1;
	ir_constant_int(ir_operand(loop, 2), &step);
	IrBuilder b = ir_at(m, loop);
	IrType counter = ir_operand(loop, 0)->type;
	IrValue *end = end_of_batches(s, &b, step * steps);
	IrValue **operands = ARENA_ARRAY(s->cx->scratch, IrValue *, loop->operand_count);
	IrType *types = ARENA_ARRAY(s->cx->scratch, IrType, loop->result_count + 1);
	for (uint32_t i = 0; i < loop->operand_count; i++)
		operands[i] = ir_operand(loop, i);
	for (uint32_t i = 0; i < loop->result_count; i++)
		types[i] = loop->results[i].type;
	operands[1] = end;
	operands[2] = irb_int(&b, counter, step * steps);
	IrOp *made =
		ir_op_new(m, OP_FOR, loop->loc, operands, loop->operand_count, types, loop->result_count, 1);
	for (uint32_t i = 0; i < loop->attr_count; i++)
		ir_set_named(m, made, loop->attrs[i].name, loop->attrs[i].value);
	ir_op_insert_before(made, loop);
	IrBlock *block = ir_block_new(m, &made->regions[0]);
	IrMapping maps[MOST_STEPS + 1];
	for (unsigned k = 0; k <= steps; k++)
		ir_mapping_init(&maps[k], s->cx->scratch);
	for (uint32_t i = 0; i < s->body->arg_count; i++)
		ir_mapping_put(
			&maps[0], s->body->args[i],
			ir_block_arg_add(m, block, s->body->args[i]->type, ir_value_loc(s->body->args[i])));
	IrBuilder at = ir_at_end(m, block, loop->loc);
	for (unsigned k = 1; k < steps; k++)
		ir_mapping_put(&maps[k], s->body->args[0],
			       irb_2(&at, OP_ADDI, NULL, block->args[0], irb_int(&at, counter, step * k)));
	for (unsigned k = 0; k < steps; k++) {
		clone_marked(s, block, &maps[k], true);
		hand_on(s, &maps[k], &maps[k + 1]);
	}
	for (unsigned k = 0; k < steps; k++) {
		clone_marked(s, block, &maps[k], false);
		hand_on(s, &maps[k], &maps[k + 1]);
	}
	const IrOp *yield = s->body->last;
	IrValue **results = ARENA_ARRAY(s->cx->scratch, IrValue *, yield->operand_count + 1);
	for (uint32_t i = 0; i < yield->operand_count; i++)
		results[i] = ir_mapping_get(&maps[steps], s->body->args[i + 1]);
	IrBuilder last = ir_at_end(m, block, loop->loc);
	irb_op(&last, OP_YIELD, results, yield->operand_count, NULL, 0, 0);
	ir_operand_set(loop, 0, end);
	for (uint32_t i = 0; i < loop->result_count; i++)
		ir_operand_set(loop, 3 + i, &made->results[i]);
	Remark *r = gpu_remark_of(s->gpu, made, NULL, REMARK_LOOP_BATCHED, steps);
	if (r)
		remark_figure(r, "steps", steps);
}

static unsigned look_at(PassCx *cx, IrOp *loop, Steps *s)
{
	*s = (Steps){.cx = cx, .gpu = gpu_of(cx), .loop = loop, .body = loop->regions[0].first};
	s->early = ARENA_ARRAY(cx->scratch, uint8_t, cx->module->next_value);
	s->in_front = ARENA_ARRAY(cx->scratch, bool, cx->module->next_op);
	return steps_of(s);
}

bool gpu_has_steps(PassCx *cx, IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	Steps s;
	return look_at(cx, loop, &s);
}

typedef struct Loops {
	PassCx *cx;
	VEC(IrOp *) list;
} Loops;

static bool find_loop(void *data, IrOp *op)
{
	Loops *l = data;
	if (op->kind == OP_FOR && ir_get_bool(op, gpu_of(l->cx)->ir, ATTR_DISJOINT))
		vec_push(l->cx->scratch, &l->list, op);
	return true;
}

bool pass_batch_steps(PassCx *cx, bool *changed)
{
	Loops loops = {.cx = cx};
	ir_walk(cx->module->op, true, find_loop, &loops);
	for (uint32_t i = 0; i < loops.list.len; i++) {
		Steps s;
		unsigned steps = look_at(cx, loops.list.data[i], &s);
		if (steps)
			batch(&s, steps);
		*changed = *changed || steps;
	}
	return true;
}
