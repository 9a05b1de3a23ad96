/* Running inline PTX: operands, control, and the table of instructions. */
#include <fenv.h>
#include <math.h>

#include "base/os.h"
#include "interp/kern/math.h"
#include "interp/ptx/ptx.h"
#include "interp/run.h"

/* ---- operands ---- */

uint64_t ptx_low(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

int64_t ptx_sign(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

const PtxType *ptx_type(const PtxInstr *i)
{
	static const PtxType none = {"b32", 'b', 32, 1, -1};
	return i->type_count ? i->types[i->type_count - 1] : &none;
}

unsigned ptx_width(const PtxType *t)
{
	return (unsigned)t->bits * t->lanes;
}

static uint64_t special(const PtxRun *r, uint32_t which)
{
	const uint32_t *grid = r->x->launch->in->grid;
	switch (which) {
	case PTX_TID:
		return 0;
	case PTX_NTID:
		return 1;
	case PTX_CLOCK:
		return (uint64_t)(os_now() * 1e9);
	default:
		return which < PTX_NCTAID_X ? r->x->program[which - PTX_CTAID_X] : grid[which - PTX_NCTAID_X];
	}
}

uint64_t ptx_value(const PtxRun *r, const PtxOperand *o, const PtxType *t)
{
	switch (o->kind) {
	case PTX_REG:
		return r->regs[o->reg];
	case PTX_INT:
		return o->bits;
	case PTX_FLOAT:
		return t->bits == 64 ? bits_d(o->real) : half_bits((float)o->real);
	case PTX_SPECIAL:
		return special(r, o->reg);
	case PTX_ADDRESS:
		return (o->reg == PTX_NO_REG ? 0 : r->regs[o->reg]) + o->bits;
	default: {
		/* {low, ..., high} as one register. */
		uint64_t v = 0;
		unsigned each = ptx_width(t) / o->count;
		for (uint32_t k = o->count; k-- > 0;)
			v = v << each | ptx_low(ptx_value(r, &r->program->vectors[o->reg + k], t), each);
		return v;
	}
	}
}

uint64_t ptx_source(const PtxRun *r, const PtxInstr *i, unsigned k)
{
	return ptx_value(r, &i->operands[k], ptx_type(i));
}

void ptx_put(PtxRun *r, const PtxInstr *i, uint64_t v, unsigned bits)
{
	const PtxOperand *o = &i->operands[0];
	if (o->kind == PTX_REG) {
		r->regs[o->reg] = ptx_low(v, bits);
	} else if (o->kind == PTX_VECTOR) {
		unsigned each = bits / o->count;
		for (uint32_t k = 0; k < o->count; k++)
			r->regs[r->program->vectors[o->reg + k].reg] = ptx_low(v >> (k * each), each);
	}
}

/* ---- floats ---- */

float ptx_widen(const PtxRun *r, const PtxType *t, uint64_t bits)
{
	float f;
	if (t->format < 0)
		return half_float((uint32_t)bits);
	r->x->k->to_f32[t->format](&f, &bits, 1);
	return f;
}

uint64_t ptx_narrow(const PtxRun *r, const PtxType *t, float f)
{
	uint64_t bits = 0;
	if (t->format < 0)
		return half_bits(f);
	r->x->k->from_f32[t->format](&bits, &f, 1);
	return bits;
}

int ptx_rounding(const PtxInstr *i)
{
	return ptx_mod(i, "rz")	  ? FE_TOWARDZERO
	       : ptx_mod(i, "rm") ? FE_DOWNWARD
	       : ptx_mod(i, "rp") ? FE_UPWARD
				  : FE_TONEAREST;
}

float ptx_finish_f32(const PtxInstr *i, float f)
{
	if (ptx_mod(i, "ftz") && fabsf(f) < 0x1p-126f)
		f = copysignf(0, f);
	if (ptx_mod(i, "sat"))
		f = f > 0 ? (f < 1 ? f : 1) : 0;
	if (ptx_mod(i, "relu"))
		f = f > 0 || f != f ? f : 0;
	return f;
}

bool ptx_is_real(const PtxInstr *i)
{
	char c = ptx_type(i)->cls;
	return c == 'f' || c == 'h' || c == 'H';
}

/* ---- control ---- */

/* A jump back that follows no change of memory waits for another program: the instruction is begun anew later. */
static bool do_bra(PtxRun *r, const PtxInstr *i)
{
	Exec *x = r->x;
	if (r->next > i->target) {
		if (!exec_tick(x, r->at))
			return false;
		if (x->writes == r->writes && x->depth == 0) {
			x->at = r->at;
			x->waiting = r->at;
			x->state = EXEC_STUCK;
			return false;
		}
		r->writes = x->writes;
	}
	r->next = i->target;
	return true;
}

static bool do_nothing(PtxRun *r, const PtxInstr *i)
{
	(void)r;
	(void)i;
	return true;
}

static bool do_exit(PtxRun *r, const PtxInstr *i)
{
	(void)i;
	r->next = r->program->len;
	return true;
}

bool ptx_run(PtxRun *r)
{
	for (r->next = 0; r->next < r->program->len;) {
		const PtxInstr *i = &r->program->code[r->next++];
		if (i->guard != PTX_NO_REG && (r->regs[i->guard] & 1) == i->negated)
			continue;
		if (!i->fn(r, i))
			return false;
	}
	return true;
}

/* ---- the table ---- */

static const struct {
	const char *name;
	PtxFn *fn;
	uint8_t least, most, types; /* operands, types */
} table[] = {
	{"mov", ptx_do_mov, 2, 2, 1},
	{"cvta", ptx_do_mov, 2, 2, 1},
	{"add", ptx_do_add, 3, 3, 1},
	{"sub", ptx_do_sub, 3, 3, 1},
	{"mul", ptx_do_mul, 3, 3, 1},
	{"mul24", ptx_do_mul, 3, 3, 1},
	{"mad", ptx_do_mad, 4, 4, 1},
	{"fma", ptx_do_fma, 4, 4, 1},
	{"div", ptx_do_div, 3, 3, 1},
	{"rem", ptx_do_rem, 3, 3, 1},
	{"min", ptx_do_min, 3, 3, 1},
	{"max", ptx_do_max, 3, 3, 1},
	{"abs", ptx_do_abs, 2, 2, 1},
	{"neg", ptx_do_neg, 2, 2, 1},
	{"and", ptx_do_and, 3, 3, 1},
	{"or", ptx_do_or, 3, 3, 1},
	{"xor", ptx_do_xor, 3, 3, 1},
	{"not", ptx_do_not, 2, 2, 1},
	{"cnot", ptx_do_cnot, 2, 2, 1},
	{"shl", ptx_do_shl, 3, 3, 1},
	{"shr", ptx_do_shr, 3, 3, 1},
	{"shf", ptx_do_shf, 4, 4, 1},
	{"lop3", ptx_do_lop3, 5, 5, 1},
	{"prmt", ptx_do_prmt, 4, 4, 1},
	{"bfe", ptx_do_bfe, 4, 4, 1},
	{"bfi", ptx_do_bfi, 5, 5, 1},
	{"brev", ptx_do_brev, 2, 2, 1},
	{"popc", ptx_do_popc, 2, 2, 1},
	{"clz", ptx_do_clz, 2, 2, 1},
	{"fns", ptx_do_fns, 4, 4, 1},
	{"setp", ptx_do_setp, 3, 4, 1},
	{"set", ptx_do_set, 3, 3, 2},
	{"selp", ptx_do_selp, 4, 4, 1},
	{"testp", ptx_do_testp, 2, 2, 1},
	{"copysign", ptx_do_copysign, 3, 3, 1},
	{"cvt", ptx_do_cvt, 2, 4, 2},
	{"ex2", ptx_do_ex2, 2, 2, 1},
	{"lg2", ptx_do_lg2, 2, 2, 1},
	{"sin", ptx_do_sin, 2, 2, 1},
	{"cos", ptx_do_cos, 2, 2, 1},
	{"tanh", ptx_do_tanh, 2, 2, 1},
	{"rcp", ptx_do_rcp, 2, 2, 1},
	{"rsqrt", ptx_do_rsqrt, 2, 2, 1},
	{"sqrt", ptx_do_sqrt, 2, 2, 1},
	{"ld", ptx_do_ld, 2, 2, 1},
	{"st", ptx_do_st, 2, 2, 1},
	{"atom", ptx_do_atom, 3, 4, 1},
	{"red", ptx_do_atom, 2, 2, 1},
	{"bra", do_bra, 0, 0, 0},
	{"ret", do_exit, 0, 0, 0},
	{"exit", do_exit, 0, 0, 0},
	{"bar", do_nothing, 0, 3, 0},
	{"barrier", do_nothing, 0, 3, 0},
	{"membar", do_nothing, 0, 0, 0},
	{"fence", do_nothing, 0, 2, 0},
	{"nanosleep", do_nothing, 1, 1, 0},
	{"prefetch", do_nothing, 1, 1, 0},
	{"griddepcontrol", do_nothing, 0, 0, 0},
};

PtxFn *ptx_function(const char *base)
{
	for (size_t k = 0; k < ARRAY_LEN(table); k++)
		if (strcmp(table[k].name, base) == 0)
			return table[k].fn;
	return NULL;
}

/* Operands are as many and of such kinds as the functions above expect. */
bool ptx_check(const PtxInstr *i, const PtxProgram *p, const char **error, Arena *arena)
{
	size_t n = strcspn(i->name, "."), row = 0;
	while (strlen(table[row].name) != n || strncmp(table[row].name, i->name, n) != 0)
		row++;
	bool good = i->count >= table[row].least && i->count <= table[row].most && i->type_count >= table[row].types;
	PtxFn *fn = table[row].fn;
	if (good && fn == ptx_do_cvt) {
		const PtxType *to = i->types[0], *from = i->types[1];
		unsigned sources = (to->lanes == 2 && from->lanes == 1 ? 2u : 1u) +
				   (ptx_mod(i, "scaled::n2::ue8m0") ? 1u : 0u);
		good = i->count == sources + 1 && !ptx_mod(i, "rs");
	}
	if (good && (fn == ptx_do_setp || fn == ptx_do_set)) {
		int64_t *imm = (int64_t *)(uintptr_t)&i->imm;
		*imm = ptx_comparison(i);
		good = *imm >= 0;
	}
	if (good && fn == ptx_do_atom)
		good = ptx_mod(i, "cas") ? i->count == 4 : ptx_rmw(i) != 0 && ptx_type(i)->lanes == 1;
	if (good && (fn == ptx_do_ld || fn == ptx_do_atom || fn == ptx_do_st)) {
		unsigned at = fn == ptx_do_st || strncmp(i->name, "red", 3) == 0 ? 0 : 1;
		good = i->operands[at].kind == PTX_ADDRESS && !ptx_mod(i, "shared") && ptx_width(ptx_type(i)) >= 8;
	}
	/* Results go to registers. */
	if (good && i->count && fn != ptx_do_st && fn != do_nothing &&
	    !(fn == ptx_do_atom && strncmp(i->name, "red", 3) == 0)) {
		const PtxOperand *o = &i->operands[0];
		good = o->kind == PTX_REG || o->kind == PTX_VECTOR;
		for (uint32_t k = 0; good && o->kind == PTX_VECTOR && k < o->count; k++)
			good = p->vectors[o->reg + k].kind == PTX_REG;
	}
	if (!good)
		*error = arena_printf(arena, "inline PTX: this form of '%s'", i->name);
	return good;
}
