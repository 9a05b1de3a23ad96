/* A program may move into a loop where nothing can observe which CTA runs it, and it does not wait
 * for other programs. */
#include "gpu/loop/persist.h"

#include <string.h>

#include "gpu/layout/boxes.h"
#include "gpu/loop/schedule.h"
#include "gpu/plan/dot.h"
#include "gpu/plan/wgmma.h"

enum {
	/* Cycles that a CTA takes besides its loop of products: to start, until the first copy has
	 * landed, to store its tile, to end. (H200, 128x256x64, 8 warps: 6,500.) */
	AROUND_CYCLES = 6500,
	WORTH_PERCENT = 2, /* of a program's cycles */
	OTHER_REGISTERS = 64, /* of a thread, besides accumulators */
	FMA_BITS_A_CYCLE = 16 * 2048, /* multiply-adds times bits of A's elements, of an SM */
};

/* ---- what a program does ---- */

typedef struct Program {
	GpuCx *gpu;
	const char *why;
	bool axes; /* it reads another axis of the grid than 0 */
	const IrOp *loop; /* of products */
	uint64_t loaded;  /* bytes of the largest tile that is loaded outside of it */
} Program;

static bool looks_at_ctas(const Program *p, const IrOp *op)
{
	IrAttr text = ir_get(op, p->gpu->ir, ATTR_ASM_STRING);
	return !ir_is_pure(op) || (text && strstr(text->text, "cta"));
}

static const char *against(const Program *p, const IrOp *op)
{
	switch (op->kind) {
	case OP_ATOMIC_RMW:
	case OP_ATOMIC_CAS:
		return op->results[0].uses ? "it uses what an atomic operation returns" : NULL;
	case OP_LOAD:
		return ir_is_volatile(op) ? "it has a volatile load" : NULL;
	case OP_WHILE: return "it has a loop that may run without end";
	case OP_CALL: return "it calls a function";
	case OP_PRINT: return "it prints";
	case OP_ASSERT: return "it asserts";
	case OP_EXTERN:
	case OP_INLINE_ASM:
		return looks_at_ctas(p, op) ? "it has assembly or a function with effects" : NULL;
	default: return NULL;
	}
}

static uint64_t bytes_of(IrType tile)
{
	return (uint64_t)ir_numel(tile) * tile->elem->bits / 8;
}

static bool visit_program(void *data, IrOp *op)
{
	Program *p = data;
	p->why = against(p, op);
	bool loads = op->kind == OP_LOAD || op->kind == OP_DESC_LOAD;
	if (loads && ir_is_tensor(op->results[0].type) && !ir_is_inside(op, p->loop))
		p->loaded = MAX(p->loaded, bytes_of(op->results[0].type));
	p->axes |= op->kind == OP_PROGRAM_ID && ir_get_int(op, p->gpu->ir, ATTR_AXIS, 0);
	return !p->why;
}

/* ---- the loop of products ---- */

typedef struct Loops {
	GpuCx *gpu;
	IrOp *loop;     /* the first that holds a dot, outermost */
	unsigned count; /* of these */
	bool either;    /* all are in branches of one scf.if: one of them runs */
} Loops;

static bool is_in_loop(const IrOp *op)
{
	for (op = ir_parent_op(op); op && op->kind != OP_FUNC; op = ir_parent_op(op))
		if (op->kind == OP_FOR || op->kind == OP_WHILE)
			return true;
	return false;
}

static bool visit_loops(void *data, IrOp *op)
{
	Loops *l = data;
	if ((op->kind == OP_FOR || op->kind == OP_WHILE) && !is_in_loop(op) && gpu_holds_dot(op)) {
		l->loop = l->loop ? l->loop : op;
		const IrOp *in = ir_parent_op(op);
		l->either = in->kind == OP_IF && in == ir_parent_op(l->loop) &&
			    op->block->region != l->loop->block->region;
		l->count++;
	}
	return true;
}

typedef struct Products {
	GpuCx *gpu;
	const IrModule *m;
	Arena *arena;
	const IrOp *loop;
	bool mapped, pointers, nested, other;
	unsigned dots;
	uint64_t fma_bits, words; /* of an iteration; that products add up in */
	uint64_t bytes; /* of the tiles that an iteration loads by maps */
} Products;

static void add_dot(Products *p, const IrOp *dot)
{
	unsigned warps[2];
	const char *why;
	IrType a = ir_operand(dot, 0)->type, c = dot->results[0].type;
	p->other |= !gpu_wgmma_for(p->gpu, dot, false, warps, &why) &&
		    !gpu_wgmma_for(p->gpu, dot, true, warps, &why);
	p->fma_bits += (uint64_t)ir_numel(c) * (uint64_t)a->shape[1] * a->elem->bits;
	p->words += (uint64_t)ir_numel(c) * c->elem->bits / 32;
	p->dots++;
}

static bool visit_products(void *data, IrOp *op)
{
	Products *p = data;
	p->nested |= op->kind == OP_FOR || op->kind == OP_WHILE;
	bool loads = op->kind == OP_LOAD || op->kind == OP_DESC_LOAD;
	if (op->kind == OP_DOT)
		add_dot(p, op);
	if (!loads || !ir_is_tensor(op->results[0].type))
		return true;
	if (op->kind == OP_DESC_LOAD && gpu_is_map(ir_operand(op, 0)->type)) {
		p->mapped = true;
		p->bytes += bytes_of(op->results[0].type);
	} else {
		p->pointers |= schedule_reaches_dot(p->m, p->arena, op);
	}
	return true;
}

/* Does it follow of arguments alone? */
static bool is_given(const IrValue *v)
{
	const IrOp *op = v->def;
	if (!op)
		return !v->block->region->op || v->block->region->op->kind == OP_FUNC;
	bool given = op->kind != OP_PROGRAM_ID && !op->region_count &&
		     !ir_has_trait(op, TRAIT_READ | TRAIT_WRITE | TRAIT_SYNC);
	for (uint32_t i = 0; i < op->operand_count && given; i++)
		given = is_given(ir_operand(op, i));
	return given;
}

/* either: the branch that holds it and another one in its place, or NULL. */
static bool runs_alike(const IrOp *loop, const IrOp *either)
{
	bool alike = loop->kind == OP_FOR;
	for (uint32_t i = 0; i < 3; i++)
		alike = alike && is_given(ir_operand(loop, i));
	for (const IrOp *op = ir_parent_op(loop); op; op = ir_parent_op(op))
		alike = alike && (op->kind != OP_IF || op == either);
	return alike;
}

/* How a value changes with the program's number along axis 0: it rises or stays (1), falls or stays
 * (-1), is the same in all programs (0), or nothing is known. */
enum { ANYHOW = 2, TRACED = 12 /* ops, one behind the other */ };

static int either_way(int a, int b)
{
	return a == b || !b ? a : !a ? b : ANYHOW;
}

static int turned(int slope)
{
	return slope == ANYHOW ? ANYHOW : -slope;
}

static int slope_of(const IrCx *ir, const IrValue *v, unsigned depth);

/* times: it is multiplied, or divided, by what is above 0. */
static int scaled_slope(const IrCx *ir, const IrOp *op, unsigned depth)
{
	int64_t by;
	bool positive = ir_constant_int(ir_operand(op, 1), &by) && by > 0;
	return positive ? slope_of(ir, ir_operand(op, 0), depth) : ANYHOW;
}

static int slope_of_op(const IrCx *ir, const IrOp *op, unsigned depth)
{
	switch (op->kind) {
	case OP_PROGRAM_ID: return ir_get_int(op, ir, ATTR_AXIS, 0) ? ANYHOW : 1;
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI: return slope_of(ir, ir_operand(op, 0), depth);
	case OP_ADDI:
	case OP_MINSI:
	case OP_MAXSI:
		return either_way(slope_of(ir, ir_operand(op, 0), depth),
				  slope_of(ir, ir_operand(op, 1), depth));
	case OP_SUBI:
		return either_way(slope_of(ir, ir_operand(op, 0), depth),
				  turned(slope_of(ir, ir_operand(op, 1), depth)));
	case OP_MULI:
	case OP_DIVSI: return scaled_slope(ir, op, depth);
	default: return ANYHOW;
	}
}

static int slope_of(const IrCx *ir, const IrValue *v, unsigned depth)
{
	if (is_given(v))
		return 0;
	return v->def && depth ? slope_of_op(ir, v->def, depth - 1) : ANYHOW;
}

static int rises(const IrCx *ir, const IrOp *loop)
{
	for (const IrOp *op = ir_parent_op(loop); op; op = ir_parent_op(op))
		if (op->kind == OP_IF)
			return 0;
	if (loop->kind != OP_FOR || !is_given(ir_operand(loop, 2)))
		return 0;
	int from = slope_of(ir, ir_operand(loop, 0), TRACED);
	int to = slope_of(ir, ir_operand(loop, 1), TRACED);
	int slope = either_way(to, turned(from));
	return slope == ANYHOW ? 0 : slope;
}

/* Is the value made of what a dot of the loop gives? */
static bool is_made_of_dot(const Products *p, const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op || !depth || op->block != p->loop->regions[0].first)
		return false;
	bool made = op->kind == OP_DOT;
	for (uint32_t i = 0; i < op->operand_count && !made; i++)
		made = is_made_of_dot(p, ir_operand(op, i), depth - 1);
	return made;
}

static bool are_chained(const Products *p)
{
	enum { DEEPEST = 10 };
	bool chained = false;
	for (const IrOp *op = p->loop->regions[0].first->first; op && p->dots == 2; op = op->next)
		chained |= op->kind == OP_DOT && is_made_of_dot(p, ir_operand(op, 0), DEEPEST);
	return chained;
}

static void measure(const Products *p, GpuPersistPlan *out)
{
	const TargetGpu *target = p->gpu->target;
	uint64_t slots = MAX(p->gpu->num_stages, 2u), threads = TARGET_WARP_SIZE * p->gpu->num_warps;
	uint64_t by_shared = target->shared_sm / (p->bytes * slots + TARGET_SHARED_RESERVED);
	uint64_t by_registers = TARGET_REGISTERS_SM / (p->words + OTHER_REGISTERS * threads);
	out->ctas = (unsigned)MAX(MIN(by_shared, by_registers), 1u);
	uint64_t trips = p->loop->kind == OP_FOR ? schedule_trips(p->loop) : 0;
	out->cycles = trips * p->fma_bits / FMA_BITS_A_CYCLE;
	out->dots = p->dots;
	out->chained = are_chained(p);
	out->varies = !runs_alike(p->loop, out->either ? ir_parent_op(p->loop) : NULL);
	out->rises = out->varies ? rises(p->gpu->ir, p->loop) : 0;
}

static const char *against_loop(Products *p)
{
	ir_walk((IrOp *)(uintptr_t)p->loop, false, visit_products, p);
	if (p->loop->kind != OP_FOR || p->nested)
		return "it loops over tiles itself";
	if (p->other)
		return "a product of the loop is not by warp groups";
	if (!p->mapped || p->pointers)
		return "products take what does not come by tensor maps";
	return NULL;
}

/* Does a thread hold more registers than it has, when it loads a tile beside the sums and converts
 * it to their layout? A CTA of its own has all registers for that, and all shared memory. */
static bool is_crowded(const Products *p, uint64_t loaded)
{
	enum { LIES_TWICE = 2 };
	uint64_t threads = TARGET_WARP_SIZE * p->gpu->num_warps;
	uint64_t held = p->words + LIES_TWICE * loaded / sizeof(uint32_t) + OTHER_REGISTERS * threads;
	return held > TARGET_REGISTERS_THREAD * threads;
}

GpuPersistPlan gpu_persist_plan(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *func)
{
	GpuPersistPlan out = {0};
	Loops loops = {.gpu = gpu};
	Program program = {.gpu = gpu};
	if (!gpu_may_map(gpu) || gpu->cluster > 1 || !target_has(gpu->target, TARGET_WGMMA))
		return out;
	ir_walk(func, false, visit_loops, &loops);
	out.loop = loops.loop;
	if (!out.loop)
		return out;
	Products products = {.gpu = gpu, .m = m, .arena = arena, .loop = out.loop};
	out.why = against_loop(&products);
	out.either = loops.count == 2 && loops.either;
	measure(&products, &out);
	out.either = out.either && !out.why;
	if (!out.why && loops.count > 1)
		out.why = "it has several loops of products";
	if (!out.why && ir_func_body(func)->next)
		out.why = "its control flow is not structured";
	program.loop = out.loop;
	if (!out.why)
		ir_walk(func, false, visit_program, &program);
	out.why = out.why ? out.why : program.why;
	out.crowded = is_crowded(&products, program.loaded);
	out.axes = program.axes;
	return out;
}

const char *gpu_persist_loses(const GpuPersistPlan *plan)
{
	if (plan->dots > 1 && !plan->chained)
		return "its loop has several products";
	if (plan->varies && !plan->chained)
		return "its programs take differently long, and CTAs take them as they come";
	if (plan->ctas > 1)
		return "CTAs that share an SM hide what stands around each other's loops";
	if (plan->crowded && !plan->chained)
		return "a tile that it loads beside its sums takes more registers than there are";
	if (plan->cycles > (uint64_t)AROUND_CYCLES * 100 / WORTH_PERCENT)
		return "the loop is so long that what stands around it does not count";
	return NULL;
}

bool gpu_persist_shares(const GpuPersistPlan *plan)
{
	return (!plan->why || plan->either) && plan->dots == 1 && !plan->varies && plan->ctas > 1;
}

bool gpu_goes_by_number(const GpuCx *gpu, const IrOp *func)
{
	return ir_get_bool(func, gpu->ir, ATTR_PROGRAMS);
}

bool gpu_is_for_few(const GpuCx *gpu, const IrOp *func)
{
	return gpu->persist == GPU_PERSIST_TELLING && gpu_goes_by_number(gpu, func);
}

bool gpu_is_uneven(const GpuCx *gpu, const IrOp *func)
{
	return ir_get_bool(func, gpu->ir, ATTR_UNEVEN);
}

bool gpu_is_program_count(const GpuCx *gpu, const IrOp *func, uint32_t number)
{
	IrAttr dicts = ir_get(func, gpu->ir, ATTR_ARG_ATTRS);
	bool found = false;
	for (uint32_t k = 0; dicts && number < dicts->len && k < dicts->items[number]->len; k++)
		found |= dicts->items[number]->names[k] == gpu->ir->names[ATTR_PROGRAMS];
	return found;
}
