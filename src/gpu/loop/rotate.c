/* Loops whose arithmetic takes longer than their products are not rotated: registers are better
 * spent on more warps (measured on an H200: attention with head dim 64, tiles 128x128, 8 warps:
 * 475 TFLOP/s in order, 401 rotated; head dim 128: 503 and 620).
 *
 * Rates are those of a Hopper SM: wgmma of m64nN takes N / 2 cycles for any type, as each has 32
 * bytes of K; each of four schedulers issues one instruction a cycle; special function units take
 * 4 lanes a cycle each; shared memory moves 128 bytes a cycle. */
#include "gpu/loop/rotate.h"

#include "gpu/analysis/pressure.h"
#include "gpu/plan/price.h"
#include "gpu/plan/wgmma.h"
#include "gpu/remark.h"

enum {
	SCHEDULERS = 4,
	SPECIAL_CYCLES = 8 /* of a warp's instruction */,
	SHARED_BYTES = 128 /* a cycle */,
	OTHER_REGISTERS = 56,
	LEAST_REGISTERS = 32,
	MOST_REGISTERS = 240
};

typedef struct Rotating {
	GpuCx *gpu;
	Arena *arena;
	const Schedule *s;
	IrBlock *body;
	/* by value id: computed from a product of this iteration; from what late ones added up */
	uint8_t *from_dot, *from_late;
	GpuRotation *out;
	bool copied; /* loads cost threads nothing: TMA puts tiles where products read them */
} Rotating;

/* ---- what depends on what ---- */

typedef struct Captured {
	const uint8_t *marks;
	const IrOp *op;
	bool found;
} Captured;

static bool visit_captured(void *data, IrOp *inner)
{
	Captured *c = data;
	for (uint32_t i = 0; i < inner->operand_count; i++)
		if (ir_is_defined_outside(ir_operand(inner, i), c->op))
			c->found |= c->marks[ir_operand(inner, i)->id];
	return !c->found;
}

static bool takes_marked(const uint8_t *marks, IrOp *op)
{
	Captured c = {marks, op, false};
	for (uint32_t i = 0; i < op->operand_count; i++)
		c.found |= marks[ir_operand(op, i)->id];
	if (op->region_count && !c.found)
		ir_walk(op, false, visit_captured, &c);
	return c.found;
}

static void mark_results(uint8_t *marks, const IrOp *op)
{
	for (uint32_t i = 0; i < op->result_count; i++)
		marks[op->results[i].id] = 1;
}

static bool is_late(const GpuRotation *r, const IrOp *op)
{
	for (uint32_t i = 0; i < r->late.len; i++)
		if (r->late.data[i] == op)
			return true;
	return false;
}

static bool is_kept(const Rotating *r, const IrValue *memory)
{
	return ir_is_defined_outside(memory, r->s->loop) || schedule_load_of(r->gpu, r->s, memory);
}

/* What threads get of others would be put into registers while products are under way, which the
 * assembler ends by C7513 ("serialized"). */
static bool is_own(const Rotating *r, const IrValue *a)
{
	return !(a->def && a->def->kind == OP_CONVERT_LAYOUT && gpu_scratch(r->gpu, a->def).bytes);
}

static bool may_be_late(const Rotating *r, const IrOp *dot)
{
	const IrValue *a = ir_operand(dot, 0);
	return ir_is_tensor(a->type) && r->from_dot[a->id] && is_own(r, a) &&
	       is_kept(r, ir_operand(dot, 1)) && ir_has_one_use(&dot->results[0]) &&
	       dot->results[0].uses->owner == r->body->last;
}

/* False: the loop holds a dot that is no product of
 * warp groups, or reads memory that does not stay. */
static bool find_late(Rotating *r)
{
	for (IrOp *op = r->body->first; op; op = op->next) {
		bool dot = schedule_is_dot(op);
		if (dot && (op->kind == OP_DOT || !schedule_can_go_on(r->gpu, op)))
			return false;
		if (dot && may_be_late(r, op)) {
			vec_push(r->arena, &r->out->late, op);
			continue;
		}
		for (uint32_t i = 0; i < 2 && dot; i++)
			if (ir_operand(op, i)->type->kind == TY_MEMDESC && !is_kept(r, ir_operand(op, i)))
				return false;
		if (dot || takes_marked(r->from_dot, op))
			mark_results(r->from_dot, op);
	}
	return r->out->late.len && r->out->late.len < SCHEDULE_MOST_PRODUCTS;
}

/* Products that are not late, and ops that cannot be put off, stand in front of late ones: they may
 * not need these. */
static bool others_are_free(Rotating *r)
{
	for (uint32_t i = 0; i < r->out->late.len; i++) {
		const IrUse *use = r->out->late.data[i]->results[0].uses;
		r->from_late[r->body->args[(uint32_t)(use - r->body->last->operands) + 1]->id] = 1;
	}
	for (IrOp *op = r->body->first; op != r->body->last; op = op->next) {
		if (is_late(r->out, op) || !takes_marked(r->from_late, op))
			continue;
		if (schedule_is_dot(op) || !ir_is_pure(op))
			return false;
		mark_results(r->from_late, op);
	}
	return true;
}

/* ---- registers ---- */

static unsigned words_of(const Rotating *r, const IrValue *v)
{
	return ir_is_tensor(v->type) && !ir_is_ptr(v->type->elem) ? gpu_words(r->gpu, v->type) : 0;
}

/* What the loop carries, what late products take where
 * they are late, and what the others give, all at once. */
static unsigned count_registers(const Rotating *r, bool rotated)
{
	unsigned words = rotated ? OTHER_REGISTERS : LEAST_REGISTERS;
	for (uint32_t i = 1; i < r->body->arg_count; i++)
		words += words_of(r, r->body->args[i]);
	for (const IrOp *op = r->body->first; op; op = op->next) {
		if (op->kind != OP_WARP_GROUP_DOT)
			continue;
		words += is_late(r->out, op) ? 0 : words_of(r, &op->results[0]);
		for (const IrUse *u = ir_operand(op, 0)->uses; u && rotated && is_late(r->out, op);
		     u = u->next)
			if (u->owner == op && u == op->operands)
				words += words_of(r, u->value);
	}
	return words;
}

/* ---- cycles ---- */

static unsigned product_cycles(const Rotating *r, const IrOp *dot)
{
	const char *why;
	const GpuWgmmaPlan *plan = gpu_wgmma_plan(r->gpu, r->arena, dot, &why);
	return plan ? plan->tiles * plan->steps * plan->n / 2 * (gpu_num_warps(r->gpu, dot) / 4) : 0;
}

/* A step has 32 bytes of each row of A, 64 of them for each warp group, and of each column of B. */
static unsigned reading_cycles(const Rotating *r, const IrOp *dot)
{
	const char *why;
	const GpuWgmmaPlan *plan = gpu_wgmma_plan(r->gpu, r->arena, dot, &why);
	unsigned rows = plan ? plan->n + (plan->a ? 0 : 64) : 0;
	unsigned steps = plan ? plan->tiles * plan->steps * (gpu_num_warps(r->gpu, dot) / 4) : 0;
	return steps * rows * 32 / SHARED_BYTES;
}

/* Instructions of a thread: one for each register of what it makes, or adds up. */
static unsigned instructions(const Rotating *r, const IrOp *op)
{
	bool moves = op->kind == OP_SPLAT || op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS ||
		     op->kind == OP_RESHAPE || op->kind == OP_TRANS || ir_has_trait(op, TRAIT_CONST) ||
		     !op->result_count;
	if (moves || schedule_is_dot(op) ||
	    (r->copied && (op->kind == OP_DESC_LOAD || op->kind == OP_LOCAL_ALLOC)))
		return 0;
	return words_of(r, op->kind == OP_REDUCE ? ir_operand(op, 0) : &op->results[0]);
}

/* Of a tile that a copy adds: an H100 adds 1040 bytes of fp32 a cycle, 8 for each SM. */
static unsigned adding_cycles(const Rotating *r, const IrOp *op)
{
	enum { ADDED_BYTES = 8, BYTES_OF_A_WORD = 4 };
	unsigned threads = gpu_num_warps(r->gpu, op) * TARGET_WARP_SIZE;
	return words_of(r, ir_operand(op, 1)) * threads * BYTES_OF_A_WORD / ADDED_BYTES;
}

static GpuLoopCycles count_cycles(const Rotating *r)
{
	GpuLoopCycles c = {0};
	unsigned each = (gpu_num_warps(r->gpu, r->s->loop) + SCHEDULERS - 1) / SCHEDULERS;
	for (const IrOp *op = r->body->first; op; op = op->next) {
		if (op->kind == OP_WARP_GROUP_DOT) {
			*(is_late(r->out, op) ? &c.late : &c.early) += product_cycles(r, op);
			c.shared += reading_cycles(r, op);
		}
		if (op->kind == OP_DESC_REDUCE)
			c.adding += adding_cycles(r, op);
		if (gpu_is_special(op) || op->kind == OP_DIVF)
			c.special += instructions(r, op) * each * SPECIAL_CYCLES;
		c.issue += instructions(r, op) * each;
	}
	for (uint32_t i = 0; i < r->s->loads.len; i++) {
		const ScheduledLoad *l = &r->s->loads.data[i];
		c.shared += l->kind == SCHEDULE_COPIED ? (unsigned)(l->bytes / SHARED_BYTES) : 0;
	}
	c.in_order = gpu_cycles_of(&c, false, 1);
	c.rotated = gpu_cycles_of(&c, true, 1);
	return c;
}

unsigned gpu_cycles_of(const GpuLoopCycles *c, bool rotated, unsigned ctas)
{
	unsigned products = c->early + c->late, units = MAX(products, c->shared) * ctas;
	unsigned threads = MAX(c->special, c->issue) * ctas;
	/* Products of a CTA by itself wait for threads, unless these are behind all the time. */
	bool beside = ctas > 1 || rotated == (products >= MAX(c->special, c->issue));
	unsigned cycles = beside ? gpu_cycles_beside(units, threads) : units + threads;
	if (!c->adding)
		return cycles;
	/* A CTA waits until its tile has been read; another one computes meanwhile. */
	return ctas > 1 ? MAX(cycles, c->adding * ctas) : gpu_cycles_beside(cycles, c->adding);
}

void gpu_rotation(GpuCx *gpu, Arena *arena, const IrModule *m, const Schedule *s, GpuRotation *out)
{
	CONTRACT(s->loop->kind == OP_FOR);
	Rotating r = {.gpu = gpu, .arena = arena, .s = s, .body = s->loop->regions[0].first, .out = out};
	*out = (GpuRotation){.rule = REMARK_NONE};
	r.from_dot = ARENA_ARRAY(arena, uint8_t, m->next_value);
	r.from_late = ARENA_ARRAY(arena, uint8_t, m->next_value);
	if (!find_late(&r) || !others_are_free(&r)) {
		out->late.len = 0;
		return;
	}
	out->registers = count_registers(&r, true);
	out->in_order = count_registers(&r, false);
	out->cycles = count_cycles(&r);
	unsigned products = out->cycles.early + out->cycles.late;
	bool threads = gpu->turns != GPU_TURNS_ALL && products < MAX(out->cycles.special, out->cycles.issue);
	out->rule = out->registers > MOST_REGISTERS ? REMARK_LOOP_ROTATION_REGISTERS
		    : threads			    ? REMARK_LOOP_ROTATION_THREADS
						    : REMARK_LOOP_ROTATED;
}

GpuLoopCycles gpu_loop_cycles(GpuCx *gpu, Arena *arena, const Schedule *s)
{
	CONTRACT(s->loop->region_count);
	GpuRotation none = {.rule = REMARK_NONE};
	Rotating r = {.gpu = gpu, .arena = arena, .s = s, .body = s->loop->regions[0].first};
	r.out = s->rotation ? s->rotation : &none;
	r.copied = s->for_products;
	return count_cycles(&r);
}

/* Of what goes to memory in the loop the model knows nothing. */
static bool writes_nothing(void *data, IrOp *op)
{
	(void)data;
	return op->kind != OP_ATOMIC_RMW && op->kind != OP_ATOMIC_CAS && op->kind != OP_STORE;
}

void gpu_cycles_remark(GpuCx *gpu, Arena *arena, const Schedule *s)
{
	if (!s->slots || !s->loop->region_count || !ir_walk(s->loop, false, writes_nothing, NULL))
		return;
	GpuLoopCycles c = gpu_loop_cycles(gpu, arena, s);
	unsigned ctas = MAX(s->ctas, 1u), tensor = (c.early + c.late) * ctas, shared = c.shared * ctas;
	unsigned special = c.special * ctas, issue = c.issue * ctas, adding = c.adding * ctas;
	unsigned cycles = gpu_cycles_of(&c, schedule_is_rotated(s), ctas);
	unsigned most = MAX(MAX(tensor, shared), MAX(special, issue));
	const char *binds = adding > most     ? "additions to memory"
			    : most == tensor  ? "tensor cores"
			    : most == shared  ? "shared memory"
			    : most == special ? "special functions"
					      : "issue";
	if (!tensor)
		return;
	Remark *remark = gpu_remark_of(gpu, s->loop, NULL, REMARK_LOOP_CYCLES, ctas, cycles, tensor, shared,
				       special, issue, binds);
	remark_figure(remark, "ctas", ctas);
	remark_figure(remark, "cycles", cycles);
	remark_figure(remark, "tensor_cycles", tensor);
	remark_figure(remark, "shared_cycles", shared);
	remark_figure(remark, "special_cycles", special);
	remark_figure(remark, "issue_cycles", issue);
	remark_figure(remark, "adding_cycles", adding);
}

void gpu_rotation_remark(GpuCx *gpu, const Schedule *s)
{
	const GpuRotation *r = s->rotation;
	if (!r)
		return;
	const GpuLoopCycles *c = &r->cycles;
	Remark *remark =
		r->rule == REMARK_LOOP_ROTATED
			? gpu_remark_of(gpu, s->loop, NULL, r->rule, r->late.len, c->rotated, c->in_order,
					c->early + c->late, c->special, c->issue)
			: gpu_remark_of(gpu, s->loop, NULL, r->rule, c->in_order, c->rotated, r->registers);
	remark_figure(remark, "cycles", r->rule == REMARK_LOOP_ROTATED ? c->rotated : c->in_order);
	remark_figure(remark, "tensor_cycles", c->early + c->late);
	remark_figure(remark, "special_cycles", c->special);
	remark_figure(remark, "issue_cycles", c->issue);
	remark_figure(remark, "registers", r->registers);
	remark_figure(remark, "late", r->rule == REMARK_LOOP_ROTATED ? r->late.len : 0);
}
