/* Loads, stores and atomics of inline PTX, checked as those of tiles are. */
#include "interp/memory.h"
#include "interp/ptx/ptx.h"

/* ---- memory ---- */

static bool out_of_bounds(PtxRun *r, const char *verb, uint64_t address, uint32_t size, bool write)
{
	if (exec_find_buffer(r->x, address, size, ORIGIN_ANY, write) >= 0)
		return false;
	exec_fault_access(r->x, r->at, verb, address, size, write, ORIGIN_ANY, r->shape, r->linear);
	return true;
}

/* ld and st move a register, or a vector of them. */
static bool transfer(PtxRun *r, const PtxInstr *i, const PtxOperand *regs, uint64_t address, bool load)
{
	const PtxType *t = ptx_type(i);
	uint32_t count = regs->kind == PTX_VECTOR ? regs->count : 1, size = ptx_width(t) / 8;
	if (out_of_bounds(r, load ? "load" : "store", address, count * size, !load))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		const PtxOperand *o = regs->kind == PTX_VECTOR ? &r->program->vectors[regs->reg + k] : regs;
		void *at = (void *)(uintptr_t)(address + (uint64_t)k * size);
		uint64_t v = load ? 0 : ptx_value(r, o, t);
		if (load)
			memcpy(&v, at, size);
		if (load)
			r->regs[o->reg] = t->cls == 's' ? (uint64_t)ptx_sign(v, ptx_width(t)) : v;
		else if (memcmp(at, &v, size) != 0) {
			memcpy(at, &v, size);
			r->x->writes++;
		}
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return true;
}

bool ptx_do_ld(PtxRun *r, const PtxInstr *i)
{
	return transfer(r, i, &i->operands[0], ptx_source(r, i, 1), true);
}

bool ptx_do_st(PtxRun *r, const PtxInstr *i)
{
	return transfer(r, i, &i->operands[1], ptx_value(r, &i->operands[0], ptx_type(i)), false);
}

IrRmw ptx_rmw(const PtxInstr *i)
{
	static const struct {
		const char *name;
		IrRmw op;
	} ops[] = {{"add", RMW_ADD},   {"and", RMW_AND}, {"or", RMW_OR},  {"xor", RMW_XOR},
		   {"exch", RMW_XCHG}, {"min", RMW_MIN}, {"max", RMW_MAX}};
	for (size_t k = 0; k < ARRAY_LEN(ops); k++)
		if (ptx_mod(i, ops[k].name))
			return ops[k].op == RMW_MIN && ptx_type(i)->cls == 'u' ? RMW_UMIN
			     : ops[k].op == RMW_MAX && ptx_type(i)->cls == 'u' ? RMW_UMAX : ops[k].op;
	return 0;
}

/* atom d, [a], b(, c); red [a], b. */
bool ptx_do_atom(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = ptx_type(i);
	unsigned first = strncmp(i->name, "red", 3) == 0 ? 0 : 1, size = ptx_width(t) / 8;
	uint64_t address = ptx_value(r, &i->operands[first], t), old;
	if (out_of_bounds(r, "atomic update", address, size, true))
		return false;
	if (address % size) {
		exec_fault(r->x, r->at, DIAG_RUN_MISALIGNED, "%s at 0x%llx", i->name, (unsigned long long)address);
		return false;
	}
	Tile type = {.size = (uint8_t)size, .bits = (uint8_t)(size * 8)};
	type.kind = ptx_is_real(i) ? (t->bits == 64   ? TY_F64
				      : t->bits == 32 ? TY_F32
				      : t->cls == 'h' ? TY_F16
						      : TY_BF16)
		    : size == 8	   ? TY_I64
		    : size == 4	   ? TY_I32
				   : TY_I16;
	if (ptx_mod(i, "cas")) {
		old = atomic_compare_swap(r->x, address, &type, ptx_value(r, &i->operands[first + 1], t),
					  ptx_value(r, &i->operands[first + 2], t));
	} else {
		IrRmw op = ptx_is_real(i) && ptx_rmw(i) == RMW_ADD ? RMW_FADD : ptx_rmw(i);
		old = atomic_update(r->x, address, &type, op,
				    tile_normal(&type, ptx_value(r, &i->operands[first + 1], t)));
	}
	if (first)
		ptx_put(r, i, old, ptx_width(t));
	return true;
}
