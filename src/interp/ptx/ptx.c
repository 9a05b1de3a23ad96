/* tt.elementwise_inline_asm: `packed_element` elements at a time go into registers (as many of a type narrower than
 * 32 bits into one as fit), the program runs, results come out the same way. Groups are consecutive elements. */
#include "interp/elem.h"
#include "interp/ptx/ptx.h"

typedef struct Asm {
	const PtxProgram *program; /* NULL: not known; `error` says why */
	const char *error;
	uint32_t pack;
	bool pure;
} Asm;

/* Elements of a type in one register. */
static uint32_t per_register(unsigned bits, uint32_t pack)
{
	return bits < 32 ? MIN(pack, 32 / bits) : 1;
}

static unsigned register_bits(const Tile *t)
{
	return t->size * 8u;
}

/* Moves one group between memory and registers, from register `reg` on; returns the register after. */
static uint32_t move_group(const Tile *t, char *data, uint32_t pack, uint64_t *regs, uint32_t reg, bool load)
{
	uint32_t each = per_register(register_bits(t), pack);
	for (uint32_t e = 0; e < pack; e += each, reg++) {
		if (load)
			regs[reg] = 0;
		for (uint32_t k = 0; k < each; k++) {
			uint64_t bits = regs[reg] >> (k * register_bits(t));
			char *at = data + (size_t)(e + k) * t->size;
			if (load) {
				bits = 0;
				memcpy(&bits, at, t->size);
				regs[reg] |= bits << (k * register_bits(t));
			} else {
				if (t->kind == TY_I1)
					bits &= 1;
				memcpy(at, &bits, t->size);
			}
		}
	}
	return reg;
}

static const Instr *run_asm(Exec *x, const Instr *i)
{
	const Asm *a = i->aux;
	if (!a->program)
		return exec_fault(x, i, DIAG_RUN_UNSUPPORTED, "%s", a->error);
	Tile rooms[16];
	const Tile *in[16];
	for (unsigned k = 0; k < i->in; k++)
		in[k] = tile_dense(x, instr_in(x, i, k), &rooms[k]);
	for (unsigned k = 0; k < i->out; k++)
		tile_alloc(x, tile_out(x, i, k));
	const Shape *shape = i->out ? x->slots[i->slots[i->in]].shape : in[0]->shape;
	Buf *buf;
	PtxRun r = {.x = x, .at = i, .program = a->program, .writes = x->writes, .shape = shape};
	r.regs = exec_buf(x, (a->program->regs + 1) * sizeof *r.regs, &buf);
	memset(r.regs, 0, (a->program->regs + 1) * sizeof *r.regs);
	bool ok = true;
	for (int64_t e = 0; e < shape->numel && ok; e += a->pack) {
		uint32_t reg = 0;
		for (unsigned k = 0; k < i->out; k++) {
			Tile *out = &x->slots[i->slots[i->in + k]];
			reg += (a->pack + per_register(register_bits(out), a->pack) - 1) /
			       per_register(register_bits(out), a->pack);
		}
		for (unsigned k = 0; k < i->in; k++)
			reg = move_group(in[k], in[k]->data + e * in[k]->size, a->pack, r.regs, reg, true);
		r.linear = e;
		ok = ptx_run(&r);
		reg = 0;
		for (unsigned k = 0; k < i->out && ok; k++) {
			Tile *out = &x->slots[i->slots[i->in + k]];
			reg = move_group(out, out->data + e * out->size, a->pack, r.regs, reg, false);
		}
	}
	buf_unref(buf);
	for (unsigned k = 0; k < i->in; k++)
		tile_drop(&rooms[k]);
	for (unsigned k = 0; k < i->out; k++) {
		Tile *out = &x->slots[i->slots[i->in + k]];
		if (!ok)
			tile_release(out);
		else if (out->shape->rank == 0)
			tile_rank0(out);
	}
	if (!a->pure)
		x->writes++;
	return ok ? i + 1 : NULL;
}

bool interp_INLINE_ASM(Decoder *d, const IrOp *op)
{
	IrAttr text = ir_get(op, d->cx, ATTR_ASM_STRING);
	Asm *a = ARENA_NEW(d->arena, Asm);
	a->pack = (uint32_t)MAX(ir_get_int(op, d->cx, ATTR_PACKED_ELEMENT, 1), 1);
	a->pure = ir_get_bool(op, d->cx, ATTR_PURE);
	uint32_t registers = 0;
	bool fits = op->operand_count <= 16;
	for (uint32_t k = 0; k < op->result_count + op->operand_count; k++) {
		const IrValue *v = k < op->result_count ? &op->results[k] : ir_operand(op, k - op->result_count);
		unsigned bits = decode_type(d, v->type).size * 8u;
		registers += (a->pack + per_register(bits, a->pack) - 1) / per_register(bits, a->pack);
		fits = fits && ir_numel(v->type) % a->pack == 0;
	}
	if (!fits)
		a->error = "inline PTX over tiles that do not divide into packed elements, or of more than 16 "
			   "operands";
	else
		a->program = ptx_parse(d->arena, d->scratch, text ? text->text : "", text ? text->text_len : 0,
				       registers, &a->error);
	d->reads++;
	for (uint32_t k = 0; a->program && k < a->program->len; k++)
		d->kernel->may_wait =
			d->kernel->may_wait || (a->program->code[k].target && a->program->code[k].target <= k);
	decode_instr(d, op, run_asm)->aux = a;
	return true;
}
