/* PTX in inline assembly: parsed when the kernel is decoded, evaluated per group of packed elements.
 *
 * A program is one thread here: %tid and %laneid are 0, %ntid is 1, barriers and fences have nothing to do. A register
 * is 64 bits wide and holds the bits of whatever was written last. */
#ifndef NESO_INTERP_PTX_H
#define NESO_INTERP_PTX_H

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
const PtxProgram *ptx_parse(Arena *arena, Arena *scratch, const char *text, size_t len, uint32_t args, const char **error);
PtxFn *ptx_function(const char *base); /* by the mnemonic without suffixes; NULL when unknown */
bool ptx_check(const PtxInstr *i, const PtxProgram *p, const char **error, Arena *arena);
bool ptx_run(PtxRun *r);
/* prmt.b32 in its default mode: each result byte is chosen by four bits of the selector. */
uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selector);

enum { PTX_TID, PTX_NTID, PTX_CTAID_X, PTX_CTAID_Y, PTX_CTAID_Z, PTX_NCTAID_X, PTX_NCTAID_Y, PTX_NCTAID_Z, PTX_CLOCK };

static inline bool ptx_mod(const PtxInstr *i, const char *name)
{
	for (unsigned k = 0; k < i->mod_count; k++)
		if (strcmp(i->mods[k], name) == 0)
			return true;
	return false;
}

#endif
