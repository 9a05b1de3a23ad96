/* ttng.warp_group_dot and its wait: wgmma.mma_async; gpu/plan/wgmma.h says which registers and which descriptors.
 *
 * The steps of a tile are one operation (machine_async.c). Where nothing is added to, none of the accumulators is set: the
 * first step does not read them. What a product that is no longer than its op gives comes from its wait; of one that stays under way
 * the accumulators go on as they are, and no other op may take them before a wait that gives them.
 *
 * e4m3 and e5m2 add up in fewer bits than fp32 has. maxNumImpreciseAcc says along how much of K that may be; sums of such parts are
 * added by the threads. */
#include "gpu/plan/dot.h"
#include "gpu/plan/wgmma.h"
#include "ir/rewrite/fold.h"
#include "llvm/memory/local.h"
#include "llvm/memory/shared.h"
#include "llvm/machine.h"

enum {
	MOST_STEPS = 8, /* of one operation */
	MOST_ARGS = 240,
	MOST_TIED = 128,
	MOST_ENDS = 8,
	MOST_PENDING = 7, /* groups that a wait can name */
};

typedef struct Product {
	Lower *lw;
	const GpuWgmmaPlan *plan;
	IrType elem[3];
	TargetProduct call;       /* but for how many steps and whether there are accumulators */
	LLVMValueRef start[2];    /* descriptors, or their lower words; NULL: A in registers */
	bool narrow;              /* lower words: steps are added to them alone */
	LLVMValueRef *a;          /* A in registers */
	LLVMValueRef *a_words;    /* as the instruction takes them: [tile][step] */
	const IrOp *late;         /* that reads them tile by tile; NULL: they are there */
	uint32_t words;           /* accumulators, of 32 bits */
	LLVMTypeRef word, result;
} Product;

/* ---- descriptors ---- */

static uint64_t fixed_part(const GpuWgmmaMemory *m)
{
	uint64_t mode = m->swizzle == 128 ? 1 : m->swizzle == 64 ? 2 : m->swizzle == 32 ? 3 : 0;
	return (uint64_t)(m->leading / 16) << 16 | (uint64_t)(m->stride / 16) << 32 | mode << 62;
}

/* Addresses are sixteens of bytes; they stay within their 14 bits whatever is added to them. The
 * address is read from lane 0 at each product: so ptxas has it in a uniform register, adds steps
 * there, and keeps no step's descriptor, two registers, across loops. */
static LLVMValueRef descriptor(const Product *p, const GpuWgmmaMemory *m, LLVMValueRef memory)
{
	Lower *lw = p->lw;
	const GpuWgmmaPlan *plan = p->plan;
	LLVMValueRef address = LLVMBuildPtrToInt(lw->b, memory, lw->t.i32, "");
	uint64_t any = 0;
	for (unsigned i = 0; i < plan->warp_bits; i++)
		any |= m->warp[i];
	if (any)
		address = LLVMBuildAdd(lw->b, address, lower_linear(lw, m->warp, plan->warp_bits, lower_warp(lw)), "");
	address = LLVMBuildLShr(lw->b, LLVMBuildAnd(lw->b, address, lower_i32(lw, 0x3ffff), ""), lower_i32(lw, 4), "");
	address = MACHINE1(lw, warp_uniform, address);
	if (p->narrow)
		return LLVMBuildOr(lw->b, address, lower_i32(lw, (int64_t)(fixed_part(m) & UINT32_MAX)), "");
	return LLVMBuildOr(lw->b, LLVMBuildZExt(lw->b, address, lw->t.i64, ""), lower_i64(lw, (int64_t)fixed_part(m)), "");
}

static LLVMValueRef descriptor_at(const Product *p, unsigned operand, uint32_t tile, uint32_t step)
{
	Lower *lw = p->lw;
	const GpuWgmmaMemory *m = &p->plan->memory[operand];
	uint32_t bytes = m->at[tile * p->plan->steps + step];
	LLVMValueRef start = p->start[operand];
	if (!p->narrow)
		return bytes ? LLVMBuildAdd(lw->b, start, lower_i64(lw, bytes / 16), "") : start;
	LLVMValueRef low = bytes ? LLVMBuildAdd(lw->b, start, lower_i32(lw, bytes / 16), "") : start;
	uint64_t high = fixed_part(m) & ~(uint64_t)UINT32_MAX;
	return LLVMBuildOr(lw->b, LLVMBuildZExt(lw->b, low, lw->t.i64, ""), lower_i64(lw, (int64_t)high), "");
}

/* Is the product one of two that are issued together, from slots of rings both, in warps with roles
 * that go on from tile to tile? Uniform registers are few there, and ptxas 13.0 makes four
 * instructions of the addition of 64 bits, to each step of each operand; elsewhere one, where a step
 * by words is two. */
static bool has_few_uniform(const IrOp *dot)
{
	unsigned loops = 0;
	const IrOp *other = dot->next, *around = ir_parent_op(dot);
	while (other && other->kind != OP_WARP_GROUP_DOT && other->kind != OP_WARP_GROUP_DOT_WAIT)
		other = other->next;
	if (!other || other->kind != OP_WARP_GROUP_DOT)
		return false;
	for (; around && around->kind != OP_WARP_SPECIALIZE; around = ir_parent_op(around))
		loops += around->kind == OP_FOR;
	return around && loops > 1;
}

/* ---- registers ---- */

/* Elements of the thread as words of 32 bits; fp32 accumulators as they are. */
static unsigned pack(const Product *p, LLVMValueRef *const regs, const uint32_t *which, uint32_t count, IrType elem, bool as_is,
		     LLVMValueRef *out)
{
	Lower *lw = p->lw;
	unsigned per_word = 32 / elem->bits;
	for (uint32_t i = 0; i < count; i += per_word) {
		LLVMValueRef part[4];
		for (unsigned k = 0; k < per_word; k++)
			part[k] = as_is ? regs[which[i + k]] : lower_to_bits(lw, regs[which[i + k]], elem);
		out[i / per_word] = per_word == 1 ? part[0] : lower_pack(lw, part, per_word, elem->bits);
	}
	return count / per_word;
}

static void unpack(const Product *p, uint32_t tile, const LLVMValueRef *words, LLVMValueRef *sums)
{
	const uint32_t *c = p->plan->c + tile * p->plan->c_count;
	for (uint32_t w = 0; w < p->words; w++) {
		LLVMValueRef part[2];
		if (p->elem[2]->bits == 32) {
			sums[c[w]] = words[w];
			continue;
		}
		lower_unpack(p->lw, words[w], part, 2, 16);
		for (unsigned k = 0; k < 2; k++)
			sums[c[2 * w + k]] = lower_from_bits(p->lw, part[k], p->elem[2]);
	}
}

static void extract(const Product *p, LLVMValueRef made, LLVMValueRef *words)
{
	for (uint32_t w = 0; w < p->words; w++)
		words[w] = LLVMBuildExtractValue(p->lw->b, made, w, "");
}

/* ---- products ---- */

/* Words of A in registers that a step takes; 0: it is in memory. */
static uint32_t words_of_step(const Product *p)
{
	return p->a ? p->plan->a_count * p->elem[0]->bits / 32 : 0;
}

/* What steps [from, to) of a tile take of A in registers. Before the fence, which orders what is written to registers before
 * products. */
static void pack_steps(const Product *p, uint32_t tile, uint32_t from, uint32_t to)
{
	const GpuWgmmaPlan *plan = p->plan;
	for (uint32_t at = tile * plan->steps + from; p->a && at < tile * plan->steps + to; at++)
		pack(p, p->a, plan->a + at * plan->a_count, plan->a_count, p->elem[0], false, p->a_words + at * words_of_step(p));
}

/* Steps [from, to) of a tile; words: accumulators, in and out. `fresh`: there is nothing to add to. */
static void multiply(const Product *p, uint32_t tile, uint32_t from, uint32_t to, bool fresh, LLVMValueRef *words)
{
	Lower *lw = p->lw;
	const GpuWgmmaPlan *plan = p->plan;
	LLVMValueRef args[MOST_ARGS];
	unsigned n = 0;
	for (uint32_t w = 0; w < p->words && !fresh; w++)
		args[n++] = words[w];
	for (uint32_t k = from; k < to; k++) {
		for (uint32_t w = 0; w < words_of_step(p); w++)
			args[n++] = p->a_words[(tile * plan->steps + k) * words_of_step(p) + w];
		if (!p->a)
			args[n++] = descriptor_at(p, 0, tile, k);
	}
	for (uint32_t k = from; k < to; k++)
		args[n++] = descriptor_at(p, 1, tile, k);
	if (!fresh)
		args[n++] = lower_i1(lw, true);
	ASSERT(n <= MOST_ARGS);
	TargetProduct call = p->call;
	call.fresh = fresh;
	call.steps = to - from;
	extract(p, machine_family(lw, MACHINE_wgmma, target_product_name(lw->arena, &call), p->result, args, n), words);
}

/* A wait for all but `pending` groups, that words go through; several where there are more than an operation may have. */
static void await(Lower *lw, unsigned pending, LLVMValueRef *words, uint32_t count)
{
	if (count > MOST_TIED) {
		await(lw, pending, words, MOST_TIED);
		await(lw, pending, words + MOST_TIED, count - MOST_TIED);
		return;
	}
	LLVMTypeRef *types = ARENA_ARRAY(lw->arena, LLVMTypeRef, count + 1);
	for (uint32_t w = 0; w < count; w++)
		types[w] = LLVMTypeOf(words[w]);
	LLVMTypeRef result = count ? LLVMStructTypeInContext(lw->cx, types, count, false) : lw->t.void_;
	Text suffix;
	text_init(&suffix, lw->arena);
	text_printf(&suffix, "%u", MIN(pending, (unsigned)MOST_PENDING));
	/* One name for one type: ".64f32i". */
	for (uint32_t w = 0, from = 0; w < count; w++) {
		if (w + 1 < count && types[w + 1] == types[w])
			continue;
		text_printf(&suffix, "%s%u%c", from ? "" : ".", w + 1 - from, types[w] == lw->t.f32 ? 'f' : 'i');
		from = w + 1;
	}
	LLVMValueRef made = machine_family(lw, MACHINE_wgmma_wait, suffix.data, result, words, count);
	for (uint32_t w = 0; w < count; w++)
		words[w] = LLVMBuildExtractValue(lw->b, made, w, "");
}

static void multiply_tile(const Product *p, uint32_t tile, uint32_t from, uint32_t to, bool fresh, LLVMValueRef *words)
{
	for (uint32_t k = from; k < to; k += MOST_STEPS)
		multiply(p, tile, k, MIN(k + MOST_STEPS, to), fresh && k == from, words);
}

/* What a part takes of A is read when the part of the product before that read into the same
 * registers has ended; `issued` parts of this product are under way by then. What is read for other
 * parts is dropped by LLVM. */
static bool read_late(const Product *p, uint32_t part, uint32_t parts, uint32_t issued, LLVMValueRef **a)
{
	await(p->lw, parts - 1 - part + issued, NULL, 0);
	*a = lower_local_read(p->lw, p->late);
	return *a;
}

/* Each part of a tile's steps is a group of its own. Issuing it takes until the tensor cores have begun
 * its last step, so what the next part takes is read before: it is there when they are done. */
static bool multiply_late(Product *p, bool fresh, LLVMValueRef **words)
{
	uint32_t steps = p->plan->steps, parts = gpu_wgmma_late_parts(p->plan), each = parts / p->plan->tiles;
	uint32_t length = steps / each;
	LLVMValueRef *next = NULL;
	bool ahead = parts > 2;
	if (ahead && !read_late(p, 0, parts, 0, &next))
		return false;
	for (uint32_t i = 0; i < parts; i++) {
		uint32_t tile = i / each, from = i % each * length;
		p->a = next;
		if (!ahead && !read_late(p, i, parts, i, &p->a))
			return false;
		if (ahead && i + 1 < parts && !read_late(p, i + 1, parts, i, &next))
			return false;
		pack_steps(p, tile, from, from + length);
		MACHINE0(p->lw, wgmma_fence);
		multiply_tile(p, tile, from, from + length, fresh && !from, words[tile]);
		MACHINE0(p->lw, wgmma_commit);
	}
	return true;
}

/* Columns of a tile's product that take the tensor cores as long as the threads take to make the
 * next tile's A. */
enum { COLUMNS_OVER_WORK = 128 };

/* A fence lets ptxas move no work for what follows behind it in front of it. One for each tile: the
 * next tile's A is made while the tensor cores are at this one's, which a short product is not worth
 * (H200, attention of 128 rows and 4 warps: 128 columns 4 to 9 % faster, 64 of them up to 4 % slower). */
static bool is_fenced_by_tiles(const Product *p)
{
	return p->plan->a && p->plan->tiles > 1 && p->plan->n >= COLUMNS_OVER_WORK;
}

static void multiply_all(const Product *p, uint32_t from, uint32_t to, bool fresh, LLVMValueRef **words)
{
	uint32_t count = p->plan->tiles, each = is_fenced_by_tiles(p) ? 1 : count;
	for (uint32_t first = 0; first < count; first += each) {
		for (uint32_t i = first; i < first + each; i++)
			pack_steps(p, i, from, to);
		MACHINE0(p->lw, wgmma_fence);
		for (uint32_t i = first; i < first + each; i++)
			multiply_tile(p, i, from, to, fresh, words[i]);
	}
	MACHINE0(p->lw, wgmma_commit);
}

static void await_all(const Product *p, LLVMValueRef **words)
{
	uint32_t tiles = p->plan->tiles, n = p->words;
	LLVMValueRef *all = lower_array(p->lw, tiles * n);
	for (uint32_t i = 0; i < tiles; i++)
		memcpy(all + i * n, words[i], n * sizeof *all);
	await(p->lw, 0, all, tiles * n);
	for (uint32_t i = 0; i < tiles; i++)
		memcpy(words[i], all + i * n, n * sizeof *all);
}

/* Parts of K by themselves, added up by the threads. */
static void multiply_in_parts(const Product *p, uint32_t part, bool fresh, LLVMValueRef **words)
{
	LLVMValueRef **some = ARENA_ARRAY(p->lw->arena, LLVMValueRef *, p->plan->tiles);
	for (uint32_t i = 0; i < p->plan->tiles; i++)
		some[i] = lower_array(p->lw, p->words);
	for (uint32_t k = 0; k < p->plan->steps; k += part) {
		multiply_all(p, k, MIN(k + part, p->plan->steps), true, some);
		await_all(p, some);
		for (uint32_t i = 0; i < p->plan->tiles; i++)
			for (uint32_t w = 0; w < p->words; w++)
				words[i][w] = fresh && k == 0 ? some[i][w] : LLVMBuildFAdd(p->lw->b, words[i][w], some[i][w], "");
	}
}

static void begin(Product *p, const IrOp *op)
{
	Lower *lw = p->lw;
	const GpuWgmmaPlan *plan = p->plan;
	LLVMTypeRef types[128];
	for (unsigned i = 0; i < 3; i++)
		p->elem[i] = ir_operand(op, i < 2 ? i ^ plan->swapped : i)->type->elem;
	p->words = plan->c_count * p->elem[2]->bits / 32;
	p->word = p->elem[2]->bits == 16 ? lw->t.i32 : lower_type(lw, p->elem[2]);
	for (uint32_t w = 0; w < p->words; w++)
		types[w] = p->word;
	p->result = LLVMStructTypeInContext(lw->cx, types, p->words, false);
	p->call = gpu_product_of(plan->mma, p->elem[1]);
	p->call.n = plan->n;
	p->call.a_in_registers = plan->a;
	p->call.rows_first[0] = !plan->a && plan->memory[0].rows_first;
	p->call.rows_first[1] = plan->memory[1].rows_first;
	p->narrow = !plan->a && has_few_uniform(op);
	p->a_words = lower_array(lw, plan->a ? plan->tiles * plan->steps * plan->a_count : 1);
	for (unsigned i = 0; i < 2; i++) {
		const IrValue *v = ir_operand(op, i ^ plan->swapped);
		if (i == 0 && plan->a)
			p->a = p->late ? NULL : lower_get(lw, v).regs;
		else
			p->start[i] = descriptor(p, &plan->memory[i], lower_get(lw, v).regs[0]);
	}
}

/* How many steps may add up in the instruction's own way. */
static uint32_t steps_of_part(const Product *p, const IrOp *op)
{
	int64_t most = ir_get_int(op, p->lw->gpu->ir, ATTR_MAX_IMPRECISE, 0);
	return (uint32_t)MAX(MIN(most / p->plan->mma->k, p->plan->steps), 1);
}

static bool takes(const IrOp *op, const IrValue *v)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (ir_operand(op, i) == v)
			return true;
	return false;
}

/* Does A in registers, read from a ring and all there at once, stay as it is until the product has
 * ended? It goes through the wait that ends it then, or a later one, if any wait before leaves
 * products under way. */
static bool keeps_registers(const Product *p, const IrOp *dot)
{
	const IrValue *a = ir_operand(dot, p->plan->swapped);
	const IrOp *read = a->def && a->def->kind == OP_TRANS ? ir_operand(a->def, 0)->def : a->def;
	bool reads = read && read->kind == OP_LOCAL_LOAD && read->block == dot->block;
	if (p->late || !p->plan->a || !reads)
		return true;
	bool first = true, at_once = false;
	for (const IrOp *op = dot->next; op; op = op->next) {
		if (op->kind != OP_WARP_GROUP_DOT_WAIT)
			continue;
		if (takes(op, a))
			return true;
		at_once |= first && ir_get_int(op, p->lw->gpu->ir, ATTR_PENDINGS, 0) == 0;
		first = false;
	}
	return first || at_once;
}

static bool is_under_way(const Lower *lw, const IrValue *v)
{
	return v->def && v->def->kind == OP_WARP_GROUP_DOT &&
	       ir_get_bool(v->def, lw->gpu->ir, ATTR_IS_ASYNC);
}

/* Does something else look at the sums that a product adds to, or at those that its loop begins
 * with? */
static bool is_looked_at(const Lower *lw, const IrValue *sums)
{
	if (fold_is_zero(sums) || is_under_way(lw, sums))
		return false;
	if (!ir_has_one_use(sums))
		return true;
	const IrOp *loop = sums->def ? NULL : sums->block->region->op;
	if (!loop || loop->kind != OP_FOR || !sums->index)
		return false;
	return !is_under_way(lw, ir_operand(sums->block->last, sums->index - 1)) &&
	       is_looked_at(lw, ir_operand(loop, sums->index + 2));
}

/* ptxas 12.8 to 13.0 number a product's sums of integers as what they were before: where both are
 * looked at in the same way (their maximum, say), one look gives what the other one gave. So what is
 * added to is another value than what is looked at. */
static void tell_apart(const Product *p, LLVMValueRef *words)
{
	LLVMValueRef zero = MACHINE1(p->lw, unseen, LLVMConstNull(LLVMTypeOf(words[0])));
	for (uint32_t i = 0; i < p->words; i++)
		words[i] = LLVMBuildOr(p->lw->b, words[i], zero, "");
}

bool lower_WARP_GROUP_DOT(Lower *lw, IrOp *op)
{
	const char *why = NULL;
	Product p = {.lw = lw, .plan = gpu_wgmma_plan(lw->gpu, lw->arena, op, &why)};
	if (!p.plan)
		return lower_diag(lw, op->loc, DIAG_GPU_PRODUCT, ir_op_info[op->kind].text, why);
	p.late = gpu_wgmma_late_read(lw->gpu, op);
	ASSERT(keeps_registers(&p, op)); /* in all builds: else results are silently wrong */
	begin(&p, op);
	LowerValue added = lower_get(lw, ir_operand(op, 2));
	LLVMValueRef *sums = lower_array(lw, added.count), **words = ARENA_ARRAY(lw->arena, LLVMValueRef *, p.plan->tiles);
	bool fresh = fold_is_zero(ir_operand(op, 2));
	bool adds_parts = gpu_wgmma_adds_parts(lw->gpu, op);
	memcpy(sums, added.regs, added.count * sizeof *sums);
	for (uint32_t i = 0; i < p.plan->tiles; i++) {
		words[i] = lower_array(lw, p.words);
		pack(&p, sums, p.plan->c + i * p.plan->c_count, p.plan->c_count, p.elem[2], p.elem[2]->bits == 32, words[i]);
		if (ir_is_int(p.elem[2]) && is_looked_at(lw, ir_operand(op, 2)))
			tell_apart(&p, words[i]);
	}
	if (p.plan->tiles * p.plan->c_count < added.count) /* columns that nobody sees */
		for (uint32_t i = 0; i < added.count; i++)
			sums[i] = LLVMConstNull(lower_type(lw, p.elem[2]));
	if (p.late && !multiply_late(&p, fresh, words))
		return false;
	if (adds_parts)
		multiply_in_parts(&p, steps_of_part(&p, op), fresh, words);
	else if (!p.late)
		multiply_all(&p, 0, p.plan->steps, fresh, words);
	if (!adds_parts && !ir_get_bool(op, lw->gpu->ir, ATTR_IS_ASYNC))
		await_all(&p, words);
	for (uint32_t i = 0; i < p.plan->tiles; i++)
		unpack(&p, i, words[i], sums);
	lower_set(lw, ir_result(op, 0), sums, added.count);
	return true;
}

enum { MOST_REGIONS = 8 };

static bool stays_under_way(const IrValue *v, unsigned regions);

/* The same of what the region's op gives, and of what the loop begins the next iteration with. */
static bool stays_behind_yield(const IrUse *u, unsigned regions)
{
	const IrOp *yield = u->owner, *op = ir_parent_op(yield);
	uint32_t at = (uint32_t)(u - yield->operands);
	if (op->kind != OP_FOR && op->kind != OP_IF)
		return true;
	if (regions == 0 || !stays_under_way(&op->results[at], regions - 1))
		return false;
	return op->kind == OP_IF || stays_under_way(yield->block->args[at + 1], 0);
}

/* Is it only handed on, to the next product or around the loop, and taken by nobody before another
 * wait? */
static bool stays_under_way(const IrValue *v, unsigned regions)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		bool waits = op->kind == OP_WARP_GROUP_DOT_WAIT;
		bool adds = op->kind == OP_WARP_GROUP_DOT && u == &op->operands[2];
		if (op->kind == OP_YIELD ? !stays_behind_yield(u, regions) : !adds && !waits)
			return false;
	}
	return true;
}

/* Is it handed on by a region: a result of a loop or a branch, or what a loop carries? */
static bool is_handed_on(const IrValue *v)
{
	if (v->def)
		return v->def->kind == OP_FOR || v->def->kind == OP_IF;
	return v->index > 0 && v->block->region->op->kind == OP_FOR;
}

/* The product that a value comes from, by way of waits and what loops and branches hand on; NULL:
 * none is found. */
static const IrOp *product_of(const IrValue *v)
{
	for (unsigned depth = 0; v && depth < MOST_REGIONS; depth++) {
		const IrOp *op = v->def;
		if (op && op->kind == OP_WARP_GROUP_DOT)
			return op;
		if (op && op->kind == OP_WARP_GROUP_DOT_WAIT) {
			v = ir_operand(op, v->index);
		} else if (is_handed_on(v)) {
			const IrBlock *body = op ? op->regions[0].first : v->block;
			v = ir_operand(body->last, op ? v->index : v->index - 1);
		} else {
			return NULL;
		}
	}
	return NULL;
}

/* Which words of a product's result hold something: not those of columns that nobody sees. */
static bool *words_seen(Lower *lw, const IrValue *v, uint32_t count)
{
	const char *why;
	const IrOp *dot = product_of(v);
	const GpuWgmmaPlan *plan = dot ? gpu_wgmma_plan(lw->gpu, lw->arena, dot, &why) : NULL;
	bool *seen = ARENA_ARRAY(lw->arena, bool, count + 1);
	bool all = !plan || plan->tiles * plan->c_count >= count;
	for (uint32_t i = 0; i < count; i++)
		seen[i] = all;
	for (uint32_t i = 0; !all && i < plan->tiles * plan->c_count; i++)
		seen[plan->c[i]] = true;
	return seen;
}

/* Does a product take it from registers, as something else than what it adds to? */
static bool is_multiplied(const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if (u->owner->kind == OP_WARP_GROUP_DOT && u != &u->owner->operands[2])
			return true;
	return false;
}

/* What goes through a wait, as words: results of products, and operands of theirs, which give
 * nothing but stay in their registers until then. */
static uint32_t words_through(Lower *lw, const IrValue *v, const IrValue *result, unsigned pending, LLVMValueRef *words)
{
	LowerValue held = lower_get(lw, v);
	bool sums = ir_is_tensor(v->type) && v->type->elem->bits == 32 && !is_multiplied(v);
	if (!ir_is_tensor(v->type) || (sums && pending && stays_under_way(result, MOST_REGIONS)))
		return 0;
	if (v->type->elem->bits == 32) {
		const bool *seen = words_seen(lw, v, held.count);
		uint32_t n = 0;
		for (uint32_t i = 0; i < held.count; n += seen[i++])
			if (words && seen[i])
				words[n] = held.regs[i];
		return n;
	}
	unsigned per_word = 32 / v->type->elem->bits;
	for (uint32_t i = 0; i + per_word <= held.count && words; i += per_word) {
		LLVMValueRef part[4];
		for (unsigned k = 0; k < per_word; k++)
			part[k] = lower_to_bits(lw, held.regs[i + k], v->type->elem);
		words[i / per_word] = lower_pack(lw, part, per_word, v->type->elem->bits);
	}
	return held.count / per_word;
}

/* The groups of the youngest products in front of it that may go on: a product that reads in parts is
 * several. Of those of the iteration before one is counted. */
static unsigned pending_groups(Lower *lw, const IrOp *wait)
{
	unsigned products = (unsigned)ir_get_int(wait, lw->gpu->ir, ATTR_PENDINGS, 0), groups = 0;
	for (const IrOp *op = wait->prev; op && products; op = op->prev) {
		if (op->region_count)
			break;
		if (op->kind != OP_WARP_GROUP_DOT)
			continue;
		const char *why;
		const GpuWgmmaPlan *plan = gpu_wgmma_late_read(lw->gpu, op)
						   ? gpu_wgmma_plan(lw->gpu, lw->arena, op, &why)
						   : NULL;
		groups += plan ? gpu_wgmma_late_parts(plan) : 1;
		products--;
	}
	return groups + products;
}

bool lower_WARP_GROUP_DOT_WAIT(Lower *lw, IrOp *op)
{
	unsigned pending = pending_groups(lw, op);
	uint32_t count = 0, at = 0;
	for (uint32_t i = 0; i < op->operand_count; i++)
		count += lower_get(lw, ir_operand(op, i)).count;
	LLVMValueRef *words = lower_array(lw, count);
	for (uint32_t i = 0; i < op->operand_count; i++)
		at += words_through(lw, ir_operand(op, i), ir_result(op, i), pending, words + at);
	await(lw, pending, words, at);
	at = 0;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *v = ir_operand(op, i);
		LowerValue held = lower_get(lw, v);
		uint32_t n = words_through(lw, v, ir_result(op, i), pending, NULL);
		LLVMValueRef *regs = lower_array(lw, held.count);
		const bool *seen = n && v->type->elem->bits == 32 ? words_seen(lw, v, held.count) : NULL;
		for (uint32_t k = 0, from = at; k < held.count; k++)
			regs[k] = seen && seen[k] ? words[from++] : held.regs[k];
		lower_set(lw, ir_result(op, i), regs, held.count);
		at += n;
	}
	return true;
}

/* One number of the registers, so that it can only be known when they are; of a large tile of some of them, far from each other. */
bool lower_COMPUTE_FIRST(Lower *lw, IrOp *op)
{
	LLVMValueRef all = NULL;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		LowerValue v = lower_get(lw, ir_operand(op, i));
		IrType elem = ir_elem(ir_operand(op, i)->type);
		for (uint32_t k = 0; k < v.count && elem->bits <= 32; k += MAX(v.count / MOST_ENDS, 1)) {
			LLVMValueRef bits = lower_to_bits(lw, v.regs[k], elem);
			bits = elem->bits < 32 ? LLVMBuildZExt(lw->b, bits, lw->t.i32, "") : bits;
			all = all ? LLVMBuildXor(lw->b, all, bits, "") : bits;
		}
	}
	if (all)
		MACHINE1(lw, compute_first, all);
	return true;
}

bool lower_FENCE_ASYNC(Lower *lw, IrOp *op)
{
	if (ir_get(op, lw->gpu->ir, ATTR_GLOBAL))
		MACHINE0(lw, fence_async_all);
	else
		MACHINE0(lw, fence_async);
	return true;
}
