/* PTX in inline assembly: parsed when the kernel is decoded, evaluated per group of packed elements.
 *
 * A program is one thread here: %tid and %laneid are 0, %ntid is 1, barriers and fences have nothing to do. A
 * register is 64 bits wide and holds the bits of whatever was written last. */
#ifndef NESO_INTERP_PTX_PTX_H
#define NESO_INTERP_PTX_PTX_H

#include "interp/exec.h"

typedef struct PtxType {
	const char *name;
	char cls;      /* b, u, s integers; f floats (f32, f64); h fp16; H bf16; p predicate; x formats of cvt only */
	uint8_t bits;  /* of one lane */
	uint8_t lanes;
	int8_t format; /* KF_... of narrow floats, or -1 */
} PtxType;

typedef enum { PTX_REG, PTX_INT, PTX_FLOAT, PTX_ADDRESS, PTX_VECTOR, PTX_SPECIAL } PtxOperandKind;

typedef struct PtxOperand {
	uint8_t kind;
	uint32_t reg;      /* REG; base of ADDRESS (or PTX_NO_REG); first item of VECTOR; SPECIAL's number */
	uint32_t count;    /* VECTOR */
	uint64_t bits;     /* INT; offset of ADDRESS */
	double real;       /* FLOAT */
} PtxOperand;
enum { PTX_NO_REG = 0xffffffff, PTX_MAX_OPERANDS = 8, PTX_MAX_TYPES = 3, PTX_MAX_MODS = 8 };

typedef struct PtxRun PtxRun;
typedef struct PtxInstr PtxInstr;
/* False after a fault, or when the program has to be left (r->x->state). */
typedef bool PtxFn(PtxRun *r, const PtxInstr *i);

struct PtxInstr {
	PtxFn *fn;
	const char *name; /* with all its suffixes */
	const PtxType *types[PTX_MAX_TYPES];
	const char *mods[PTX_MAX_MODS];
	PtxOperand operands[PTX_MAX_OPERANDS];
	uint8_t type_count, mod_count, count;
	bool negated;
	uint32_t guard;  /* predicate register, or PTX_NO_REG */
	uint32_t target; /* bra: index of the instruction */
	int64_t imm;     /* setp: comparison */
};

typedef struct PtxProgram {
	const PtxInstr *code;
	uint32_t len;
	const PtxOperand *vectors; /* items of VECTOR operands */
	uint32_t regs;
} PtxProgram;

struct PtxRun {
	Exec *x;
	const Instr *at;
	const PtxProgram *program;
	uint64_t *regs;
	uint32_t next;   /* instruction to run after this one */
	uint64_t writes; /* x->writes when the instruction began */
	const Shape *shape;
	int64_t linear;  /* first element of the group */
};

/* The text as a program; registers 0 to args - 1 are $0, $1, ... NULL with *error set (in the arena). */
const PtxProgram *ptx_parse(Arena *arena, Arena *scratch, const char *text, size_t len, uint32_t args,
			    const char **error);
PtxFn *ptx_function(const char *base); /* by the mnemonic without suffixes; NULL when unknown */
bool ptx_check(const PtxInstr *i, const PtxProgram *p, const char **error, Arena *arena);
bool ptx_run(PtxRun *r);
/* prmt.b32 in its default mode: each result byte is chosen by four bits of the selector. */
uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selector);

enum {
	PTX_TID,
	PTX_NTID,
	PTX_CTAID_X,
	PTX_CTAID_Y,
	PTX_CTAID_Z,
	PTX_NCTAID_X,
	PTX_NCTAID_Y,
	PTX_NCTAID_Z,
	PTX_CLOCK
};

static inline bool ptx_mod(const PtxInstr *i, const char *name)
{
	for (unsigned k = 0; k < i->mod_count; k++)
		if (strcmp(i->mods[k], name) == 0)
			return true;
	return false;
}

/* ---- what the instructions share (ptx_run.c) ---- */

uint64_t ptx_low(uint64_t v, unsigned bits);
int64_t ptx_sign(uint64_t v, unsigned bits);
const PtxType *ptx_type(const PtxInstr *i); /* the last one named */
unsigned ptx_width(const PtxType *t);        /* bits of all lanes */
bool ptx_is_real(const PtxInstr *i);
uint64_t ptx_value(const PtxRun *r, const PtxOperand *o, const PtxType *t);
uint64_t ptx_source(const PtxRun *r, const PtxInstr *i, unsigned k);
void ptx_put(PtxRun *r, const PtxInstr *i, uint64_t v, unsigned bits); /* into operand 0 */
float ptx_widen(const PtxRun *r, const PtxType *t, uint64_t bits);
uint64_t ptx_narrow(const PtxRun *r, const PtxType *t, float f);
int ptx_rounding(const PtxInstr *i); /* FE_... */
float ptx_finish_f32(const PtxInstr *i, float f); /* .ftz, .sat, .relu */
int ptx_comparison(const PtxInstr *i); /* number of a setp's relation, or -1 */
IrRmw ptx_rmw(const PtxInstr *i); /* 0: none */

PtxFn ptx_do_abs, ptx_do_add, ptx_do_and, ptx_do_atom, ptx_do_bfe, ptx_do_bfi, ptx_do_brev, ptx_do_clz,
	ptx_do_cnot, ptx_do_copysign, ptx_do_cos, ptx_do_cvt, ptx_do_div, ptx_do_ex2, ptx_do_fma, ptx_do_ld,
	ptx_do_lg2, ptx_do_lop3, ptx_do_mad, ptx_do_max, ptx_do_min, ptx_do_mov, ptx_do_mul, ptx_do_neg,
	ptx_do_not, ptx_do_or, ptx_do_popc, ptx_do_prmt, ptx_do_rcp, ptx_do_rem, ptx_do_rsqrt, ptx_do_selp,
	ptx_do_set, ptx_do_setp, ptx_do_shf, ptx_do_shl, ptx_do_shr, ptx_do_sin, ptx_do_sqrt, ptx_do_st,
	ptx_do_fns, ptx_do_sub, ptx_do_tanh, ptx_do_testp, ptx_do_xor;

#endif
