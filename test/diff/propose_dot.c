/* Products, and what their operands come from: loads, casts of loads of other types, transpositions, arithmetic, earlier products. */
#include <math.h>

#include "generate.h"

static const Stmt *stmt(const Generator *g, int i)
{
	return &g->p->stmts[i];
}

static int add_unary(Generator *g, int a, Stmt s)
{
	s.arg_count = 1;
	s.args[0] = (uint16_t)a;
	return a < 0 ? -1 : add(g, s);
}

/* From `least` on, mostly twice that any number of times. */
static uint16_t some_extent(Generator *g, int least, int doublings)
{
	return (uint16_t)(below(g, 10) ? least << below(g, doublings) : least + below(g, 40));
}

/* A new operand of the type, whose elements are small whole numbers. */
static int new_operand(Generator *g, const Type *t)
{
	static const neso_dtype narrow[] = {NESO_INT8, NESO_FP8E5, NESO_FP16, NESO_BF16, NESO_FP32, NESO_INT32};
	Type from = *t;
	int k = t->rank - 1;
	switch (below(g, 6)) {
	case 0: /* transposed */
		from.dim[k] = t->dim[k - 1];
		from.dim[k - 1] = t->dim[k];
		return add_unary(g, value_of(g, &from, true),
				 t->rank == 2 ? (Stmt){.op = OP_PERMUTE, .imm = {1, 0, 2, 3}}
					      : (Stmt){.op = OP_PERMUTE, .imm = {0, 2, 1, 3}});
	case 1: { /* cast */
		from.dtype = narrow[below(g, 6)];
		int a = value_of(g, &from, true);
		return from.dtype == t->dtype ? a
					      : add_unary(g, a, (Stmt){.op = OP_CAST, .type = {.dtype = t->dtype}});
	}
	case 2: { /* arithmetic */
		int a = value_of(g, &from, true);
		if (is_fp8(t->dtype))
			return a;
		return add_unary(g, a,
				 (Stmt){.op = OP_BINARY_IMM,
					.sub = (uint8_t)(below(g, 2) ? BIN_ADD : BIN_MUL),
					.imm = {1 + below(g, 2)}});
	}
	case 3: { /* joined halves, as of packed numbers */
		if (t->rank != 2 || t->dim[0] < 2 || below(g, 2))
			return new_leaf(g, t, true);
		from.dim[0] = (uint16_t)(t->dim[0] / 2);
		int a = value_of(g, &from, true), b = value_of(g, &from, true);
		int both =
			a < 0 || b < 0
				? -1
				: add(g, (Stmt){.op = OP_JOIN, .arg_count = 2, .args = {(uint16_t)a, (uint16_t)b}});
		int turned = add_unary(g, both, (Stmt){.op = OP_PERMUTE, .imm = {0, 2, 1, 3}});
		return add_unary(g, turned, (Stmt){.op = OP_RESHAPE, .type = *t});
	}
	default: return value_of(g, t, true);
	}
}

static bool is_left(const Stmt *s, const void *data)
{
	const Type *t = &s->type;
	(void)data;
	return (t->rank == 2 || t->rank == 3) && t->dim[t->rank - 1] >= 16 && t->dim[t->rank - 2] >= 16 &&
	       s->range.whole && !s->range.nan && range_largest(s->range) <= 64 &&
	       (is_float(t->dtype) || t->dtype == NESO_INT8);
}

static bool is_product(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank == 2 && s->type.dim[0] >= 16 && s->type.dim[1] >= 16 && s->type.dtype == NESO_FP32 &&
	       !s->range.nan;
}

static int left_operand(Generator *g)
{
	static const neso_dtype dtypes[] = {NESO_FP16, NESO_FP16,  NESO_BF16,    NESO_FP32, NESO_FP32,
					    NESO_INT8, NESO_FP8E5, NESO_FP8E4NV, NESO_FP64};
	int a = below(g, 3) ? pick(g, is_left, NULL) : -1;
	if (a >= 0)
		return a;
	/* An earlier product, made small, as attention has it. */
	a = below(g, 2) ? pick(g, is_product, NULL) : -1;
	if (a >= 0 && stmt(g, a)->range.whole) {
		a = add_unary(g, a, (Stmt){.op = OP_CLAMP, .imm = {-4, 5}});
		return add_unary(g, a, (Stmt){.op = OP_CAST, .type = {.dtype = below(g, 2) ? NESO_FP16 : NESO_BF16}});
	}
	Type t = {.dtype = dtypes[below(g, 9)], .rank = (uint8_t)(below(g, 8) ? 2 : 3)};
	int least = neso_dtype_size(t.dtype) == 1 ? 32 : 16;
	t.dim[0] = (uint16_t)(1 << below(g, 3));
	t.dim[t.rank - 2] = some_extent(g, 16, t.rank == 2 ? 4 : 2);
	t.dim[t.rank - 1] = some_extent(g, least, 2);
	return new_operand(g, &t);
}

bool propose_dot(Generator *g)
{
	int a = left_operand(g);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type, r = t;
	int k = t.dim[t.rank - 1];
	r.dtype = t.dtype == NESO_INT8 ? NESO_INT32 : t.dtype == NESO_FP64 ? NESO_FP64 : NESO_FP32;
	if (t.dtype == NESO_FP16 && below(g, 6) == 0)
		r.dtype = NESO_FP16;
	r.dim[t.rank - 1] = some_extent(g, 16, t.rank == 2 ? 4 : 2);
	t.dim[t.rank - 2] = (uint16_t)k;
	t.dim[t.rank - 1] = r.dim[t.rank - 1];
	int b = new_operand(g, &t);
	if (b < 0)
		return false;
	Stmt s = {.op = OP_DOT,
		  .sub = (uint8_t)below(g, 3),
		  .arg_count = 2,
		  .args = {(uint16_t)a, (uint16_t)b},
		  .type = {.dtype = r.dtype}};
	int acc = below(g, 2) ? value_of(g, &r, true) : -1;
	if (acc >= 0) {
		s.args[s.arg_count++] = (uint16_t)acc;
		if (add(g, s) >= 0)
			return true;
		s.arg_count = 2;
	}
	return add(g, s) >= 0;
}

static bool fits_left(const Stmt *s, const void *data)
{
	const Stmt *acc = data;
	neso_dtype t = s->type.dtype, out = acc->type.dtype;
	int least = neso_dtype_size(t) == 1 ? 32 : 16;
	bool types = out == NESO_INT32  ? t == NESO_INT8
		     : out == NESO_FP64 ? t == NESO_FP64
					: is_float(t) && t != NESO_FP64;
	return types && s->type.rank == 2 && s->type.dim[0] == acc->type.dim[0] && s->type.dim[1] >= least &&
	       s->range.whole && !s->range.nan && range_largest(s->range) <= 16;
}

int add_product(Generator *g, int phi)
{
	static const neso_dtype dtypes[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32, NESO_FP8E5};
	const Stmt acc = *stmt(g, phi);
	neso_dtype out = acc.type.dtype;
	if (acc.type.rank != 2 || acc.type.dim[0] < 16 || acc.type.dim[1] < 16)
		return -1;
	int a = below(g, 2) ? pick(g, fits_left, &acc) : -1;
	if (a < 0) {
		Type t = {.dtype = out == NESO_FP64 || out == NESO_FP16 ? out
				   : out == NESO_INT32                  ? NESO_INT8
									: dtypes[below(g, 5)],
			  .rank = 2,
			  .dim = {acc.type.dim[0], some_extent(g, 32, 2)}};
		a = new_operand(g, &t);
		if (a < 0)
			return -1;
	}
	Type t = {.dtype = stmt(g, a)->type.dtype, .rank = 2, .dim = {stmt(g, a)->type.dim[1], acc.type.dim[1]}};
	int b = new_operand(g, &t);
	return b < 0 ? -1
		     : add(g, (Stmt){.op = OP_DOT,
				     .sub = (uint8_t)below(g, 3),
				     .arg_count = 3,
				     .args = {(uint16_t)a, (uint16_t)b, (uint16_t)phi},
				     .type = {.dtype = out}});
}
