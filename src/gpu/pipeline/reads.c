/* What read the loaded tile reads its slot, and copies stand where the registers that are held
 * meanwhile are fewest. */
#include "gpu/analysis/pressure.h"
#include "gpu/memory/tensor_copies.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/plan/dot.h"

void pipeline_read_converted(IrModule *m, GpuCx *gpu, IrOp *user, IrType tile, IrValue *memory)
{
	const Layout *wanted = schedule_wanted(gpu, user);
	CONTRACT(wanted);
	IrOp *convert = user->kind == OP_TRANS ? user->results[0].uses->owner : user;
	IrBuilder b = ir_at(m, user);
	IrValue *read = irb_1(&b, OP_LOCAL_LOAD, gpu_with_layout(gpu, tile, wanted), memory);
	if (user->kind == OP_TRANS) {
		IrValue *trans = irb_1(&b, OP_TRANS, convert->results[0].type, read);
		ir_set(m, trans->def, ATTR_ORDER, ir_get(user, gpu->ir, ATTR_ORDER));
		read = trans;
	}
	ir_replace_uses(&convert->results[0], read);
	ir_op_erase(convert);
	if (user != convert)
		ir_op_erase(user);
}

/* Products of warp groups take the slot instead of memory of their own. */
static void read_as_it_lies(Pipeline *p, const PipelineRing *ring, IrValue *number)
{
	const IrOp *load = ring->load->load;
	IrOp *alloc;
	while ((alloc = (IrOp *)(uintptr_t)schedule_product_memory(load)) &&
	       gpu_layout(p->gpu, alloc->results[0].type) == ring->load->memory) {
		IrBuilder b = ir_at(p->m, alloc);
		gpu_read_as_it_lies(p->gpu, alloc, pipeline_slot(p, &b, ring, number));
	}
}

/* Memory is seen turned round instead of the tile, where a product takes that from registers. */
static void read_turned(Pipeline *p, IrOp *read)
{
	const IrUse *use = read->results[0].uses;
	IrOp *trans = ir_has_one_use(&read->results[0]) && use->owner->kind == OP_TRANS ? use->owner : NULL;
	IrValue *tile = trans && ir_has_one_use(&trans->results[0]) ? &trans->results[0] : NULL;
	IrValue *slot = ir_operand(read, 0);
	if (!tile || tile->uses->owner->kind != OP_WARP_GROUP_DOT)
		return;
	IrBuilder b = ir_at(p->m, trans);
	IrValue *view = gpu_memory_transposed(p->gpu, &b, slot);
	ir_replace_uses(tile, irb_1(&b, OP_LOCAL_LOAD, tile->type, view));
	ir_op_erase(trans);
	ir_op_erase(read);
}

static void read_converted(Pipeline *p, const PipelineRing *ring, IrValue *number, IrOp *user)
{
	IrBuilder b = ir_at(p->m, user);
	if (!schedule_wanted(p->gpu, user))
		return;
	IrValue *slot = pipeline_slot(p, &b, ring, number);
	pipeline_read_converted(p->m, p->gpu, user, ring->load->load->results[0].type, slot);
	IrOp *read = ir_has_one_use(slot) ? slot->uses->owner : NULL;
	if (read && read->kind == OP_LOCAL_LOAD)
		read_turned(p, read);
}

/* Threads that read what TMA brings do so where they need it: until then it takes no registers. */
static IrOp *first_user(IrOp *load)
{
	for (IrOp *op = load->next; op; op = op->next)
		for (const IrUse *u = load->results[0].uses; u; u = u->next)
			if (ir_is_inside(u->owner, op))
				return op;
	return load;
}

void pipeline_read(Pipeline *p, const PipelineRing *ring, IrValue *number)
{
	IrOp *load = ring->load->load;
	VEC(IrOp *) users = {0};
	for (const IrUse *u = load->results[0].uses; u && !schedule_fills(load); u = u->next)
		vec_push(p->cx->scratch, &users, u->owner);
	for (uint32_t i = 0; i < users.len; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= users.data[k] == users.data[i];
		if (!again)
			read_converted(p, ring, number, users.data[i]);
	}
	read_as_it_lies(p, ring, number);
	if (load->results[0].uses) {
		IrBuilder b = ir_at(p->m, ring->load->boxes ? first_user(load) : load);
		IrValue *tile =
			irb_1(&b, OP_LOCAL_LOAD, load->results[0].type, pipeline_slot(p, &b, ring, number));
		if (schedule_fills(load)) {
			IrValue *args[] = {ir_operand(load, 1), tile, ir_operand(load, 2)};
			tile = irb_op(&b, OP_SELECT, args, 3, &tile->type, 1, 0)->results;
		}
		ir_replace_uses(&load->results[0], tile);
		if (tile->def->kind == OP_LOCAL_LOAD)
			read_turned(p, tile->def);
	}
	ir_op_erase(load);
}

static bool reads_ring(const Pipeline *p, const IrOp *op)
{
	const IrOp *slot = op && op->kind == OP_LOCAL_LOAD ? ir_operand(op, 0)->def : NULL;
	for (uint32_t i = 0; i < p->rings.len; i++)
		if (slot && slot->kind == OP_MEMDESC_INDEX && ir_operand(slot, 0) == p->rings.data[i].memory)
			return true;
	return false;
}

/* Words that a thread holds when the first dot begins, besides what it has read from rings. */
static unsigned held_at(const Pipeline *p, const IrOp *dot)
{
	unsigned words = ir_operand(dot, 2)->block == p->body ? 0 : gpu_words(p->gpu, dot->results[0].type);
	for (uint32_t i = 1; i < p->body->arg_count; i++) {
		IrType type = p->body->args[i]->type;
		words += ir_is_tensor(type) && !ir_is_ptr(type->elem) ? gpu_words(p->gpu, type) : 0;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (!reads_ring(p, ir_operand(dot, i)->def))
			words += gpu_words(p->gpu, ir_operand(dot, i)->type);
	return words;
}

/* Do threads wait for memory, or for one another, in the iteration before its only product begins?
 * Such an iteration takes no longer than memory to answer; one with several products does. */
static bool is_prepared_alone(const IrOp *dot)
{
	bool prepared = false;
	for (const IrOp *op = dot->prev; op && !prepared; op = op->prev)
		prepared = op->kind == OP_LOAD || (op->kind == OP_LOCAL_ALLOC && op->operand_count) ||
			   op->kind == OP_CONVERT_LAYOUT;
	for (const IrOp *op = dot->next; op && prepared; op = op->next)
		prepared = !schedule_is_dot(op);
	return prepared;
}

/* No load of shared memory passes a copy, so where copies stand decides what is held. In pipelines
 * of two stages they stay first of all: what they bring is waited for at the start of the next
 * iteration, so nothing is gained by any later place, and behind what the dot reads all of that
 * would be held at once (128x128x64 of fp16 with 8 warps: 165 registers, not 126, so one CTA on an
 * SM, not two) and would come first in the queue that loads and copies share. In deeper ones the
 * first dot should wait for what it reads from the slots, not for copies to be issued: where the
 * dot is large enough to be what takes the time, they go behind it (the assembler then loads as the
 * products need it, and issues copies between products); where it is small memory decides, and they
 * go behind what the dot reads, as early as that; so do copies to the slot that it reads, whatever
 * is held. Products of warp groups take no registers and go on by themselves: copies are issued
 * behind the first one; but in front of what threads do for it in the iteration (tiles that are
 * loaded, converted, scaled) where it is the only one and the next iteration waits for them. */
void pipeline_place_copies(Pipeline *p)
{
	const TargetBudgets *budgets = p->gpu->target->budgets;
	IrOp *spot = NULL, *op = p->body->first;
	unsigned words = 0;
	for (; op && !schedule_is_dot(op); op = op->next) {
		if (!reads_ring(p, op))
			continue;
		spot = op;
		words += gpu_words(p->gpu, op->results[0].type);
	}
	CONTRACT(!p->s->reused || (op && spot));
	/* One thread issues boxes: that is soon done. */
	if (!op || (op->kind == OP_DOT && (!spot || p->s->ahead < 2 || !p->copies)))
		return;
	if (op->kind == OP_WARP_GROUP_DOT && p->s->ahead < 2 && is_prepared_alone(op))
		return;
	if (op->kind == OP_WARP_GROUP_DOT || gpu_words(p->gpu, op->results[0].type) >= budgets->large_dot)
		spot = op;
	else if (!p->s->reused && words + held_at(p, op) > budgets->first_dot)
		return;
	pipeline_move_copies(p, spot);
	/* A pointer goes on when the copies have taken it: both at once would be twice the
	 * registers. */
	for (uint32_t i = 0; i < p->carried.len; i++) {
		IrOp *next = p->carried.data[i].next->def;
		if (!next || next->block != p->body || !ir_is_pure(next) || next->results[0].uses)
			continue;
		ir_op_unlink(next);
		ir_op_insert_before(next, p->body->last);
	}
}

static bool can_be_late(const Pipeline *p, const IrOp *dot, const IrOp *read)
{
	return reads_ring(p, read) && read->block == dot->block && ir_has_one_use(&read->results[0]);
}

/* Where a dot's operand is read, in the layout that its multiply-adds take. */
static IrValue *read_for_dot(Pipeline *p, IrOp *dot, unsigned operand)
{
	const IrOp *read = ir_operand(dot, operand)->def;
	IrType type = read->results[0].type;
	const Layout *c = gpu_layout(p->gpu, dot->results[0].type);
	const Layout *wanted = gpu_fma_operand(p->gpu, c, operand, type->shape[type->rank - 1 - operand]);
	IrBuilder b = ir_at(p->m, dot);
	b.loc = read->loc;
	return irb_1(&b, OP_LOCAL_LOAD, gpu_with_layout(p->gpu, type, wanted), ir_operand(read, 0));
}

/* For estimates of registers. */
static void say_rounds(Pipeline *p, const IrOp *dot, IrOp *read)
{
	unsigned rounds = gpu_dot_plan(p->gpu, p->cx->scratch, dot)->round_bits;
	ir_set(p->m, read, ATTR_ROUNDS, ir_attr_i32(p->gpu->ir, rounds));
}

void pipeline_read_dots(Pipeline *p)
{
	for (IrOp *dot = p->body->first; dot; dot = dot->next) {
		if (dot->kind != OP_DOT || !gpu_dot_takes_any(p->gpu, dot) ||
		    !can_be_late(p, dot, ir_operand(dot, 0)->def) ||
		    !can_be_late(p, dot, ir_operand(dot, 1)->def))
			continue;
		IrValue *held[2], *late[2];
		for (unsigned i = 0; i < 2; i++) {
			held[i] = ir_operand(dot, i);
			late[i] = read_for_dot(p, dot, i);
		}
		for (unsigned i = 0; i < 2; i++)
			ir_operand_set(dot, i, late[i]);
		bool in_place = gpu_dot_reads_in_place(p->gpu, dot);
		for (unsigned i = 0; i < 2; i++) {
			if (in_place)
				say_rounds(p, dot, late[i]->def);
			else
				ir_operand_set(dot, i, held[i]);
			ir_op_erase(in_place ? held[i]->def : late[i]->def);
		}
	}
}
