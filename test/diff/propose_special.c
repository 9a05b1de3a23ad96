/* Functions by element, inline assembly, products of small formats, rows and reductions of
 * descriptors, with operands that are likely to fit. */
#include "generate.h"

static const Stmt *stmt(const Generator *g, int i)
{
	return &g->p->stmts[i];
}

static bool is_integer_tile(const Stmt *s, const void *data)
{
	(void)data;
	return is_int(s->type.dtype) && s->type.rank > 0;
}

static bool is_matrix(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank == 2;
}

static bool is_row(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank == 1 && s->type.dtype == NESO_INT32;
}

/* Two tiles of one integer type. */
static bool two_alike(Generator *g, Stmt s)
{
	int a = pick(g, is_integer_tile, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	int b = value_of(g, &t, false);
	s.arg_count = 2;
	s.args[0] = (uint16_t)a;
	s.args[1] = (uint16_t)b;
	return b >= 0 && add(g, s) >= 0;
}

bool propose_map(Generator *g)
{
	return two_alike(g, (Stmt){.op = OP_MAP, .sub = (uint8_t)below(g, MAP__COUNT)});
}

bool propose_asm(Generator *g)
{
	int a = pick(g, is_integer_tile, NULL);
	size_t size = a < 0 ? 0 : neso_dtype_size(stmt(g, a)->type.dtype);
	int sub = size == 1 ? ASM_BYTES : size == 2 ? ASM_HALVES : below(g, 2) ? ASM_WORDS : ASM_TWO;
	return two_alike(g, (Stmt){.op = OP_ASM, .sub = (uint8_t)sub});
}

/* ---- products of small formats ---- */

static int operand(Generator *g, int format, int rows, int columns, bool along_rows)
{
	static const neso_dtype types[FORMAT__COUNT] = {NESO_UINT8, NESO_FP8E4NV, NESO_FP8E5, NESO_BF16,
							NESO_FP16};
	bool small = format == FORMAT_E2M1;
	Type t = {.dtype = types[format], .rank = 2};
	t.dim[0] = (uint16_t)(rows >> (small && along_rows));
	t.dim[1] = (uint16_t)(columns >> (small && !along_rows));
	return value_of(g, &t, !small);
}

static int scales(Generator *g, int rows, int k)
{
	Type t = {.dtype = NESO_UINT8, .rank = 2, .dim = {(uint16_t)rows, (uint16_t)(k / 32)}};
	return value_of(g, &t, false);
}

bool propose_scaled(Generator *g)
{
	int fa = below(g, FORMAT__COUNT), fb = below(g, FORMAT__COUNT);
	int m = 16 << below(g, 4), n = 16 << below(g, 4), k = 64 << below(g, 2);
	int args[5] = {operand(g, fa, m, k, false), scales(g, m, k)};
	args[2] = operand(g, fb, k, n, true);
	args[3] = scales(g, n, k);
	Type t = {.dtype = NESO_FP32, .rank = 2, .dim = {(uint16_t)m, (uint16_t)n}};
	Stmt s = {.op = OP_SCALED, .arg_count = 4, .imm = {fa, fb}};
	if (below(g, 2) && (args[4] = value_of(g, &t, true)) >= 0)
		s.arg_count = 5;
	for (int k2 = 0; k2 < s.arg_count; k2++) {
		if (args[k2] < 0)
			return false;
		s.args[k2] = (uint16_t)args[k2];
	}
	return add(g, s) >= 0;
}

/* ---- descriptors ---- */

bool propose_rows(Generator *g)
{
	Stmt s = {.op = OP_ROWS, .sub = (uint8_t)below(g, 2), .arg_count = 1};
	s.imm[0] = 3 + below(g, 5);
	s.imm[1] = below(g, 2) * 9;
	int a = pick(g, s.sub ? is_matrix : is_row, NULL);
	if (a < 0) {
		Type t = {.dtype = NESO_INT32, .rank = 1, .dim = {(uint16_t)(8 << below(g, 4))}};
		s.sub = 0;
		a = new_leaf(g, &t, false);
	}
	if (a < 0)
		return false;
	s.args[0] = (uint16_t)a;
	s.type = (Type){.dtype = some_dtype(g), .dim = {0, (uint16_t)(8 << below(g, 5))}};
	return add(g, s) >= 0;
}

bool propose_bulk(Generator *g)
{
	int a = pick(g, is_matrix, NULL);
	return a >= 0 && add(g, (Stmt){.op = OP_BULK,
				       .sub = (uint8_t)below(g, ATOMIC_XCHG),
				       .arg_count = 1,
				       .args = {(uint16_t)a}}) >= 0;
}
