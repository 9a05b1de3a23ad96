/* One statement of each kind, with operands that are likely to fit; program_check has the last word. */
#include <math.h>

#include "generate.h"

static const Stmt *stmt(const Generator *g, int i)
{
	return &g->p->stmts[i];
}

static bool is_tile(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank > 0;
}

static bool is_matrix(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank > 1;
}

static bool is_number(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.dtype != NESO_INT1 && !is_fp8(s->type.dtype);
}

static bool is_floating(const Stmt *s, const void *data)
{
	(void)data;
	return is_float(s->type.dtype) && !is_fp8(s->type.dtype);
}

static bool is_integer(const Stmt *s, const void *data)
{
	(void)data;
	return is_int(s->type.dtype);
}

static bool is_index(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.dtype == NESO_INT32 || s->type.dtype == NESO_INT64;
}

static bool is_pair(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank > 1 && s->type.dim[s->type.rank - 1] == 2;
}

/* One operand and what add makes of it. */
static bool unary(Generator *g, Wanted *wanted, Stmt s)
{
	int a = pick(g, wanted, NULL);
	if (a < 0)
		return false;
	s.arg_count = 1;
	s.args[0] = (uint16_t)a;
	return add(g, s) >= 0;
}

/* ---- leaves, memory ---- */

bool propose_load(Generator *g)
{
	Type t = some_type(g, some_dtype(g));
	return new_leaf(g, &t, false) >= 0;
}

bool propose_full(Generator *g)
{
	Type t = some_type(g, some_dtype(g));
	return add(g, (Stmt){.op = OP_FULL, .type = t, .imm = {t.dtype == NESO_INT1 ? below(g, 2) : below(g, 30)}}) >=
	       0;
}

bool propose_arange(Generator *g)
{
	return add(g, (Stmt){.op = OP_ARANGE,
			     .type = {.rank = 1, .dim = {(uint16_t)g->dims[below(g, 3)]}},
			     .imm = {below(g, 3) ? 0 : below(g, 40)}}) >= 0;
}

bool propose_pid(Generator *g)
{
	return add(g, (Stmt){.op = OP_PID}) >= 0;
}

bool propose_number(Generator *g)
{
	static const neso_dtype dtypes[] = {NESO_INT32, NESO_INT32, NESO_FP32, NESO_INT64};
	static const int values[] = {0, 2, 3, 5, 7, 16, 32, 100, -4};
	return add(g,
		   (Stmt){.op = OP_NUMBER, .type = {.dtype = dtypes[below(g, 4)]}, .imm = {values[below(g, 9)]}}) >=
	       0;
}

bool propose_lookup(Generator *g)
{
	return unary(
		g, is_index,
		(Stmt){.op = OP_LOOKUP, .type = {.dtype = some_dtype(g)}, .imm = {below(g, 9), below(g, 2) * 9}});
}

bool propose_exchange(Generator *g)
{
	int written = below(g, 4);
	return unary(g, is_tile,
		     (Stmt){.op = OP_EXCHANGE, .imm = {written, below(g, 2) ? written : below(g, 4)}});
}

bool propose_old(Generator *g)
{
	return unary(g, below(g, 3) ? is_integer : is_floating,
		     (Stmt){.op = OP_OLD, .sub = (uint8_t)below(g, ATOMIC__COUNT)});
}

bool propose_store(Generator *g)
{
	int v = pick(g, NULL, NULL);
	if (v < 0)
		return false;
	const Type *t = &stmt(g, v)->type;
	Stmt s = {.op = OP_STORE,
		  .sub = (uint8_t)below(g, 2),
		  .arg_count = 1,
		  .args = {(uint16_t)v},
		  .imm = {t->rank ? below(g, AT__COUNT) : 0, below(g, 4)}};
	if (t->rank && below(g, 4) == 0) {
		Type boolean = *t;
		boolean.dtype = NESO_INT1;
		int mask = pick_type(g, &boolean);
		if (mask >= 0) {
			s.imm[1] = MASK_VALUE;
			s.args[s.arg_count++] = (uint16_t)mask;
		}
	}
	return add(g, s) >= 0;
}

bool propose_atomic(Generator *g)
{
	return unary(
		g, is_number,
		(Stmt){.op = OP_ATOMIC, .sub = (uint8_t)below(g, ATOMIC_XCHG), .imm = {below(g, 8), below(g, 3)}});
}

/* ---- elementwise ---- */

/* A second operand for value a: of its type, or of its dtype with a dim of 1, or a scalar. */
static int partner(Generator *g, int a)
{
	Type t = stmt(g, a)->type;
	int kind = below(g, 8);
	if (kind == 0)
		t.rank = 0;
	else if (kind == 1 && t.rank)
		t.dim[below(g, t.rank)] = 1;
	return value_of(g, &t, stmt(g, a)->range.whole);
}

bool propose_binary(Generator *g)
{
	int a = pick(g, NULL, NULL);
	int b = a < 0 ? -1 : partner(g, a);
	if (b < 0)
		return false;
	bool swap = below(g, 2);
	int sub = stmt(g, a)->type.dtype == NESO_INT1 ? BIN_AND + below(g, 3)
		  : is_float(stmt(g, a)->type.dtype)  ? below(g, BIN_MOD + 1)
						      : below(g, BIN__COUNT);
	if (is_float(stmt(g, a)->type.dtype) && stmt(g, a)->range.whole && below(g, 2))
		sub = below(g, BIN_MAX + 1);
	return add(g, (Stmt){.op = OP_BINARY,
			     .sub = (uint8_t)sub,
			     .arg_count = 2,
			     .args = {(uint16_t)(swap ? b : a), (uint16_t)(swap ? a : b)}}) >= 0;
}

bool propose_binary_imm(Generator *g)
{
	static const int values[] = {0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 31, 100, 127, -1, -3};
	return unary(g, is_number,
		     (Stmt){.op = OP_BINARY_IMM,
			    .sub = (uint8_t)below(g, BIN_HI),
			    .imm = {values[below(g, 15)], below(g, 4) == 0}});
}

bool propose_mixed(Generator *g)
{
	int a = pick(g, is_number, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	t.dtype = some_dtype(g);
	int b = value_of(g, &t, false);
	neso_dtype to = b < 0 || is_float(stmt(g, a)->type.dtype) || is_float(t.dtype) ? NESO_FP32 : some_dtype(g);
	return b >= 0 && add(g, (Stmt){.op = OP_MIXED,
				       .sub = (uint8_t)below(g, 3),
				       .arg_count = 2,
				       .args = {(uint16_t)a, (uint16_t)b},
				       .type = {.dtype = to}}) >= 0;
}

bool propose_compare(Generator *g)
{
	int a = pick(g, is_number, NULL);
	int b = a < 0 ? -1 : partner(g, a);
	return b >= 0 && add(g, (Stmt){.op = OP_COMPARE,
				       .sub = (uint8_t)below(g, 6),
				       .arg_count = 2,
				       .args = {(uint16_t)a, (uint16_t)b}}) >= 0;
}

bool propose_unary(Generator *g)
{
	return unary(g, NULL, (Stmt){.op = OP_UNARY, .sub = (uint8_t)below(g, UN__COUNT)});
}

bool propose_where(Generator *g)
{
	int a = pick(g, NULL, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	int b = value_of(g, &t, stmt(g, a)->range.whole);
	t.dtype = NESO_INT1;
	if (t.rank && below(g, 4) == 0)
		t.dim[below(g, t.rank)] = 1;
	if (below(g, 8) == 0)
		t.rank = 0;
	int m = b < 0 ? -1 : value_of(g, &t, false);
	return m >= 0 &&
	       add(g, (Stmt){.op = OP_WHERE, .arg_count = 3, .args = {(uint16_t)m, (uint16_t)a, (uint16_t)b}}) >= 0;
}

bool propose_fma(Generator *g)
{
	int a = pick(g, is_floating, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	int b = value_of(g, &t, true), c = value_of(g, &t, true);
	return b >= 0 && c >= 0 &&
	       add(g, (Stmt){.op = OP_FMA, .arg_count = 3, .args = {(uint16_t)a, (uint16_t)b, (uint16_t)c}}) >= 0;
}

bool propose_clamp(Generator *g)
{
	return unary(g, is_floating, (Stmt){.op = OP_CLAMP, .imm = {-below(g, 9), 1 + below(g, 9)}});
}

bool propose_cast(Generator *g)
{
	static const neso_dtype all[] = {NESO_INT1,   NESO_INT8,   NESO_INT16,  NESO_INT32, NESO_INT64,   NESO_UINT8,
					 NESO_UINT16, NESO_UINT32, NESO_UINT64, NESO_FP8E5, NESO_FP8E4NV, NESO_FP16,
					 NESO_BF16,   NESO_FP32,   NESO_FP64,   NESO_FP32};
	neso_dtype to = below(g, 2) ? some_dtype(g) : all[below(g, 16)];
	return unary(g, NULL,
		     (Stmt){.op = OP_CAST,
			    .type = {.dtype = to},
			    .imm = {(to == NESO_FP16 || to == NESO_BF16) && below(g, 4) == 0}});
}

bool propose_bitcast(Generator *g)
{
	static const neso_dtype all[] = {NESO_INT8,   NESO_INT16,  NESO_INT32,  NESO_INT64, NESO_UINT8,
					 NESO_UINT16, NESO_UINT32, NESO_UINT64, NESO_FP8E5, NESO_FP16,
					 NESO_BF16,   NESO_FP32,   NESO_FP64};
	return unary(g, NULL, (Stmt){.op = OP_BITCAST, .type = {.dtype = all[below(g, 13)]}});
}

/* ---- shapes ---- */

bool propose_reshape(Generator *g)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Stmt s = {.op = OP_RESHAPE,
		  .arg_count = 1,
		  .args = {(uint16_t)a},
		  .type = {.rank = (uint8_t)(1 + below(g, MAX_RANK))}};
	for (int d = 0; d < s.type.rank; d++)
		s.type.dim[d] = 1;
	for (int n = type_elements(&stmt(g, a)->type), factor = 2; n > 1;) {
		for (; n % factor != 0; factor++)
			;
		int d = below(g, s.type.rank);
		s.type.dim[d] = (uint16_t)(s.type.dim[d] * factor);
		n /= factor;
	}
	return add(g, s) >= 0;
}

bool propose_permute(Generator *g)
{
	int a = pick(g, is_matrix, NULL);
	if (a < 0)
		return false;
	Stmt s = {.op = OP_PERMUTE, .arg_count = 1, .args = {(uint16_t)a}, .imm = {0, 1, 2, 3}};
	for (int d = stmt(g, a)->type.rank - 1; d > 0; d--) {
		int k = below(g, d + 1);
		int32_t axis = s.imm[d];
		s.imm[d] = s.imm[k];
		s.imm[k] = axis;
	}
	return add(g, s) >= 0;
}

bool propose_expand(Generator *g)
{
	return unary(g, is_tile, (Stmt){.op = OP_EXPAND, .imm = {below(g, MAX_RANK)}});
}

bool propose_broadcast(Generator *g)
{
	int a = pick(g, NULL, NULL);
	if (a < 0)
		return false;
	Stmt s = {.op = OP_BROADCAST, .arg_count = 1, .args = {(uint16_t)a}, .type = stmt(g, a)->type};
	if (s.type.rank == 0)
		s.type = some_type(g, NESO_INT32);
	for (int d = 0; d < s.type.rank; d++)
		if (s.type.dim[d] == 1)
			s.type.dim[d] = (uint16_t)g->dims[below(g, 3)];
	return add(g, s) >= 0;
}

static bool two_alike(Generator *g, Op op)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	int b = value_of(g, &t, stmt(g, a)->range.whole);
	return b >= 0 && add(g, (Stmt){.op = (uint8_t)op, .arg_count = 2, .args = {(uint16_t)a, (uint16_t)b}}) >= 0;
}

bool propose_join(Generator *g)
{
	return two_alike(g, OP_JOIN);
}

bool propose_split(Generator *g)
{
	if (pick(g, is_pair, NULL) < 0) {
		int a = pick(g, is_tile, NULL);
		if (a < 0 || type_elements(&stmt(g, a)->type) < 4)
			return false;
		Stmt s = {.op = OP_RESHAPE,
			  .arg_count = 1,
			  .args = {(uint16_t)a},
			  .type = {.rank = 2, .dim = {(uint16_t)(type_elements(&stmt(g, a)->type) / 2), 2}}};
		if (add(g, s) < 0)
			return false;
	}
	return unary(g, is_pair, (Stmt){.op = OP_SPLIT, .imm = {below(g, 2)}});
}

bool propose_interleave(Generator *g)
{
	return two_alike(g, OP_INTERLEAVE);
}

/* A slice of tile a; whole powers of two of elements, or any number. */
static void some_slice(Generator *g, int a, bool any, int32_t *imm)
{
	const Type *t = &stmt(g, a)->type;
	imm[0] = below(g, t->rank);
	int n = t->dim[imm[0]];
	imm[3] = below(g, 3) ? 1 : below(g, 2) ? 2 : -1;
	imm[2] = any ? 1 + below(g, n) : 1 << below(g, 5);
	int span = (imm[2] - 1) * (imm[3] < 0 ? 1 : imm[3]);
	if (span >= n) {
		imm[2] = 1;
		span = 0;
	}
	imm[1] = below(g, n - span) + (imm[3] < 0 ? span : 0);
}

bool propose_slice(Generator *g)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Stmt s = {.op = OP_SLICE, .sub = below(g, 3) == 0, .arg_count = 1, .args = {(uint16_t)a}};
	some_slice(g, a, below(g, 3) == 0, s.imm);
	return add(g, s) >= 0;
}

bool propose_part(Generator *g)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Stmt s = {.op = OP_PART, .sub = (uint8_t)below(g, 2), .arg_count = 1, .args = {(uint16_t)a}};
	some_slice(g, a, true, s.imm);
	return add(g, s) >= 0;
}

bool propose_put(Generator *g)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Type t = {.dtype = stmt(g, a)->type.dtype};
	int v = value_of(g, &t, stmt(g, a)->range.whole);
	if (v < 0)
		return false;
	Stmt s = {.op = OP_PUT, .arg_count = 2, .args = {(uint16_t)a, (uint16_t)v}};
	some_slice(g, a, true, s.imm);
	return add(g, s) >= 0;
}

bool propose_flip(Generator *g)
{
	return unary(g, is_tile, (Stmt){.op = OP_FLIP, .imm = {below(g, 3)}});
}

bool propose_gather(Generator *g)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	int axis = below(g, t.rank);
	t.dtype = NESO_INT32;
	if (below(g, 3) == 0)
		t.dim[axis] = (uint16_t)g->dims[below(g, 3)];
	int at = value_of(g, &t, false);
	return at >= 0 &&
	       add(g, (Stmt){.op = OP_GATHER, .arg_count = 2, .args = {(uint16_t)a, (uint16_t)at}, .imm = {axis}}) >=
		       0;
}

bool propose_reduce(Generator *g)
{
	int a = pick(g, is_tile, NULL);
	if (a < 0)
		return false;
	Stmt s = {.op = OP_REDUCE, .sub = (uint8_t)below(g, RED__COUNT), .arg_count = 1, .args = {(uint16_t)a}};
	Type t = stmt(g, a)->type;
	s.imm[0] = below(g, t.rank + 1) - (below(g, 3) == 0);
	s.imm[1] = below(g, 3) == 0;
	if (s.sub == RED_BEST) {
		int b = value_of(g, &t, false);
		if (b < 0)
			return false;
		s.args[s.arg_count++] = (uint16_t)b;
	}
	return add(g, s) >= 0;
}
