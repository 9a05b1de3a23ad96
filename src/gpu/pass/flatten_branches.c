/* flatten-branches: branches of a short loop whose only effects are loads become masked loads and
 * selects.
 *
 *	for k in 0 .. 8:  if c(k): x = load p(k); s = f(s, x)
 *	for k in 0 .. 8:  x = load p(k), c(k); s = select c(k), f(s, x), s
 *
 * An example is the second stage of attention over parts of a sequence, of which some may be
 * empty. With branches each part's loads wait for what the part before has computed; without them
 * all are under way at once, as the loop is then unrolled (`loop-unroll`).
 *
 * Needs: TTIR. Keeps: what is computed, bit by bit. Only where the number of iterations is a small
 * constant, nothing in the loop writes, and what all iterations load fits into registers. */
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"

enum {
	MOST_TRIPS = 16,
	MOST_OPS = 64,	 /* of a branch, all of which are done where it is not taken as well */
	MOST_WORDS = 96, /* of a thread, loaded by all iterations */
};

typedef struct Flatten {
	PassCx *cx;
	VEC(IrOp *) list;
} Flatten;

/* Words of a thread that an op's results take, spread evenly. */
static unsigned words_of(const Flatten *f, const IrOp *op)
{
	IrType type = op->results[0].type;
	uint64_t threads = (uint64_t)gpu_of(f->cx)->num_warps * TARGET_WARP_SIZE;
	uint64_t bits = MAX(ir_elem(type)->bits, 8u) * (ir_is_tensor(type) ? (uint64_t)ir_numel(type) : 1);
	return (unsigned)((bits + 32 * threads - 1) / (32 * threads));
}

/* Can it be done on numbers that nobody has made? */
static bool is_harmless(const IrOp *op)
{
	int64_t divisor;
	bool divides = ir_has_trait(op, TRAIT_NOFX) && op->operand_count == 2;
	return ir_is_pure(op) || (divides && ir_constant_int(ir_operand(op, 1), &divisor) && divisor > 0);
}

/* Can all of the region be done where it is not wanted? Adds up what it loads. */
static bool can_be_flat(const Flatten *f, const IrRegion *region, unsigned *words, unsigned *loads)
{
	unsigned ops = 0;
	for (const IrOp *op = region->first ? region->first->first : NULL; op; op = op->next) {
		bool load = op->kind == OP_LOAD && !ir_is_volatile(op);
		if (op->kind == OP_YIELD)
			continue;
		if (op->region_count || !(load || is_harmless(op)) || ++ops > MOST_OPS)
			return false;
		*loads += load;
		*words += load ? words_of(f, op) : 0;
	}
	return true;
}

/* Does nothing of the loop write, multiply tiles or run another loop? */
static bool is_simple(void *data, IrOp *op)
{
	const IrOp *loop = data;
	bool nested = op->kind == OP_FOR || op->kind == OP_WHILE;
	return op == loop || (!nested && !schedule_is_dot(op) && (op->kind == OP_IF || !ir_may_order(op)));
}

static bool visit(void *data, IrOp *op)
{
	Flatten *f = data;
	uint64_t trips = op->kind == OP_FOR ? schedule_trips(op) : 0;
	if (trips < 2 || trips > MOST_TRIPS || !ir_walk(op, false, is_simple, op))
		return true;
	unsigned words = 0;
	uint32_t first = f->list.len;
	for (IrOp *branch = op->regions[0].first->first; branch; branch = branch->next) {
		unsigned loads = 0;
		if (branch->kind == OP_IF && branch->result_count &&
		    can_be_flat(f, &branch->regions[0], &words, &loads) &&
		    can_be_flat(f, &branch->regions[1], &words, &loads) && loads)
			vec_push(f->cx->scratch, &f->list, branch);
	}
	if (words * trips > MOST_WORDS)
		f->list.len = first;
	if (f->list.len > first)
		ir_set(f->cx->module, op, ATTR_LOOP_UNROLL, ir_attr_i32(gpu_of(f->cx)->ir, (int64_t)trips));
	return true;
}

/* The mask of a load of the branch, where it is done in any case. */
static IrValue *mask_of(const Flatten *f, IrOp *load, IrValue *taken)
{
	IrBuilder b = ir_at(f->cx->module, load);
	b.loc = load->loc;
	IrType type = load->results[0].type;
	IrType bits = ir_with_elem(gpu_of(f->cx)->ir, type, taken->type);
	IrValue *mask = ir_is_tensor(type) ? irb_splat(&b, taken, bits) : taken;
	return load->operand_count > 1 ? irb_2(&b, OP_ANDI, NULL, ir_operand(load, 1), mask) : mask;
}

static void mask_load(const Flatten *f, IrOp *load, IrValue *taken)
{
	IrValue *mask = mask_of(f, load, taken);
	if (load->operand_count > 1)
		ir_operand_set(load, 1, mask);
	else
		ir_operand_add(f->cx->module, load, mask);
}

/* The region's ops go in front of the branch, with loads under its condition or the opposite. */
static void move_out(const Flatten *f, IrOp *branch, bool taken)
{
	IrBuilder b = ir_at(f->cx->module, branch);
	b.loc = branch->loc;
	IrValue *when = ir_operand(branch, 0), *no = NULL;
	for (IrOp *op = branch->regions[!taken].first->first, *next; op->kind != OP_YIELD; op = next) {
		next = op->next;
		if (op->kind == OP_LOAD && !taken && !no)
			no = irb_2(&b, OP_XORI, NULL, when, irb_int(&b, when->type, 1));
		ir_op_unlink(op);
		ir_op_insert_before(op, branch);
		if (op->kind == OP_LOAD)
			mask_load(f, op, taken ? when : no);
	}
}

static void flatten(const Flatten *f, IrOp *branch)
{
	move_out(f, branch, true);
	move_out(f, branch, false);
	IrBuilder b = ir_at(f->cx->module, branch);
	for (uint32_t i = 0; i < branch->result_count; i++) {
		IrValue *args[] = {ir_operand(branch, 0), ir_operand(branch->regions[0].first->last, i),
				   ir_operand(branch->regions[1].first->last, i)};
		ir_replace_uses(&branch->results[i],
				irb_op(&b, OP_SELECT, args, 3, &args[1]->type, 1, 0)->results);
	}
	ir_op_erase(branch);
}

bool pass_flatten_branches(PassCx *cx, bool *changed)
{
	Flatten f = {.cx = cx};
	ir_walk(cx->module->op, true, visit, &f);
	for (uint32_t i = 0; i < f.list.len; i++)
		flatten(&f, f.list.data[i]);
	*changed |= f.list.len > 0;
	return true;
}
