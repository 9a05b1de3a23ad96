/* tt.dot and tt.dot_scaled: operands are widened and
 * packed, then multiplied by a register-tiled kernel.
 *
 * Each result is c + sum over k upwards of fused a * b: in f32 for fp16, bf16, fp8 and fp32
 * operands, in f64 for fp64, in wrapping 32-bit integers for int8. fp32 operands under `tf32` lose
 * their low 13 bits, as the tensor core drops them. `tf32x3`: big and small parts rounded to tf32
 * (ties away), small*big + big*small + big*big, NaN of the small products taken as 0, then + c.
 * `bf16x3`, `bf16x6`: likewise with bf16 parts. fp16 results are rounded once from the f32 sum.
 * Scaled operands are value * 2^(scale - 127) in f32, exact but beyond f32's range. */
#include "interp/elem.h"
#include "interp/kern/math.h"

typedef struct Dot {
	uint8_t precision;
	KernType type; /* KT_F32, KT_F64, KT_32 */
} Dot;

/* [batch, rows, columns] of a tile of rank 2 or 3. */
typedef struct Matrix {
	int64_t batch, rows, columns;
} Matrix;

static Matrix matrix_of(const Shape *s)
{
	uint32_t r = s->rank;
	return (Matrix){r == 3 ? s->dim[0] : 1, s->dim[r - 2], s->dim[r - 1]};
}

/* n elements at `in`, `stride` bytes apart, as the type that the product is computed in. */
static void widen_run(Exec *x, KernType type, const Tile *t, const char *in, int64_t stride, int64_t n,
		      void *out)
{
	CONTRACT(n > 0);
	int format = kern_format(t->kind);
	if (type == KT_32) {
		if (stride != t->size && n > 1) {
			x->k->gather(x->scratch[0], in, stride, t->size, (size_t)n);
			in = x->scratch[0];
		}
		x->k->widen[kern_type(t->kind)][KT_32][1](out, in, (size_t)n);
		return;
	}
	if (format < 0) {
		if (stride == t->size || n == 1)
			memcpy(out, in, (size_t)(n * t->size));
		else
			x->k->gather(out, in, stride, t->size, (size_t)n);
		return;
	}
	if (stride != t->size && n > 1) {
		x->k->gather(x->scratch[0], in, stride, t->size, (size_t)n);
		in = x->scratch[0];
	}
	x->k->to_f32[format](out, in, (size_t)n);
}

/* Rows of a matrix, widened, dense. */
static void widen_rows(Exec *x, KernType type, const Tile *t, int64_t batch, Matrix m, char *out,
		       unsigned size)
{
	Tile room;
	const Tile *v = tile_view(x, t, &room);
	uint32_t r = t->shape->rank;
	bool splat = v->form == FORM_SPLAT;
	const char *base = splat ? (const char *)&v->base : v->data + (r == 3 ? batch * v->stride[0] : 0);
	int64_t row_stride = splat ? 0 : v->stride[r - 2], stride = splat ? 0 : v->stride[r - 1];
	if (m.columns > SCRATCH_ELEMS ||
	    (stride != t->size && row_stride == t->size && m.rows <= SCRATCH_ELEMS)) {
		/* Column by column: the tile lies the other way round. */
		Buf *buf;
		char *column = exec_buf(x, (size_t)MAX(m.rows, SCRATCH_ELEMS) * size, &buf);
		for (int64_t c = 0; c < m.columns && row_stride == t->size; c++) {
			widen_run(x, type, t, base + c * stride, row_stride, m.rows, column);
			x->k->scatter(out + c * size, m.columns * size, column, size, (size_t)m.rows);
		}
		buf_unref(buf);
		if (row_stride == t->size) {
			tile_drop(&room);
			return;
		}
	}
	for (int64_t k = 0; k < m.rows; k++)
		for (int64_t c = 0; c < m.columns; c += SCRATCH_ELEMS)
			widen_run(x, type, t, base + k * row_stride + c * stride, stride,
				  MIN(m.columns - c, SCRATCH_ELEMS), out + (k * m.columns + c) * size);
	tile_drop(&room);
}

/* Dense rows of B to the kernel's panels. */
static void pack_panels(const KernGemmSet *g, const char *rows, int64_t k, int64_t n, char *out,
			unsigned size)
{
	for (int64_t j = 0; j < n; j += g->panel) {
		int64_t width = MIN(n - j, (int64_t)g->panel);
		int64_t padded = (width + g->vector - 1) / g->vector * g->vector;
		for (int64_t p = 0; p < k; p++) {
			memcpy(out, rows + (p * n + j) * size, (size_t)(width * size));
			memset(out + width * size, 0, (size_t)((padded - width) * size));
			out += padded * size;
		}
	}
}

static size_t packed_size(const KernGemmSet *g, int64_t k, int64_t n)
{
	return (size_t)(k * ((n + g->vector - 1) / g->vector * g->vector));
}

static const KernGemmSet *gemm_of(const Exec *x, KernType type)
{
	return type == KT_F64 ? &x->k->gemm_f64 : type == KT_32 ? &x->k->gemm_i32 : &x->k->gemm_f32;
}

/* c += a * b; all dense, b not yet packed. */
static void multiply(Exec *x, KernType type, char *c, const char *a, const char *b, Matrix ma, Matrix mb)
{
	const KernGemmSet *g = gemm_of(x, type);
	unsigned size = type == KT_F64 ? 8 : 4;
	Buf *buf = NULL;
	const char *packed = b;
	/* One panel of whole vectors is packed as it is. */
	if (mb.columns > g->panel || mb.columns % g->vector) {
		char *room = exec_buf(x, packed_size(g, mb.rows, mb.columns) * size, &buf);
		pack_panels(g, b, mb.rows, mb.columns, room, size);
		packed = room;
	}
	g->run(c, (size_t)mb.columns, a, (size_t)ma.columns, packed, (size_t)ma.rows, (size_t)mb.columns,
	       (size_t)ma.columns);
	if (buf)
		buf_unref(buf);
}

/* ---- parts of fp32 operands ---- */

static float tf32_nearest(float x)
{
	uint32_t u = half_bits(x);
	return (u & 0x7f800000) == 0x7f800000 ? half_float(u & (x != x ? ~0u : 0xffffe000))
					      : half_float((u + 0x1000) & 0xffffe000);
}

static float bf16_nearest(float x)
{
	uint32_t u = half_bits(x);
	return x != x ? x : half_float((u + 0x7fff + (u >> 16 & 1)) & 0xffff0000);
}

/* x as a sum of `count` parts, each of the format's precision. */
static void split_parts(const float *in, float *const *parts, unsigned count, bool bf16, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float rest = in[i];
		for (unsigned p = 0; p < count; p++) {
			float part = bf16 ? bf16_nearest(rest) : tf32_nearest(rest);
			parts[p][i] = part;
			rest -= part;
		}
	}
}

/* Products of parts in the order they are summed, small ones first; the last is big times big. */
static const struct {
	uint8_t parts, products;
	bool bf16;
	uint8_t order[6][2];
} splits[] = {
	[PREC_TF32X3] = {2, 3, false, {{1, 0}, {0, 1}, {0, 0}}},
	[PREC_BF16X3] = {2, 3, true, {{1, 0}, {0, 1}, {0, 0}}},
	[PREC_BF16X6] = {3, 6, true, {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}}},
};

static void multiply_parts(Exec *x, unsigned precision, char *c, char *a, char *b, Matrix ma, Matrix mb)
{
	size_t na = (size_t)(ma.rows * ma.columns), nb = (size_t)(mb.rows * mb.columns);
	size_t nc = (size_t)(ma.rows * mb.columns);
	unsigned count = splits[precision].parts;
	Buf *buf;
	float *room = exec_buf(x, (na * count + nb * count + nc) * 4, &buf);
	float *pa[3], *pb[3], *sum = room + (na + nb) * count;
	for (unsigned p = 0; p < count; p++) {
		pa[p] = room + na * p;
		pb[p] = room + na * count + nb * p;
	}
	split_parts((const float *)(const void *)a, pa, count, splits[precision].bf16, na);
	split_parts((const float *)(const void *)b, pb, count, splits[precision].bf16, nb);
	memset(sum, 0, nc * 4);
	for (unsigned p = 0; p < splits[precision].products; p++) {
		const uint8_t *order = splits[precision].order[p];
		if (p + 1 == splits[precision].products)
			for (size_t i = 0; i < nc; i++)
				sum[i] = sum[i] != sum[i] ? 0 : sum[i];
		multiply(x, KT_F32, (char *)sum, (const char *)pa[order[0]], (const char *)pb[order[1]], ma,
			 mb);
	}
	x->k->binary[KB_ADDF][KT_F32].vv(c, sum, c, nc);
	buf_unref(buf);
}

/* ---- tt.dot ---- */

static void truncate_tf32(Exec *x, char *data, int64_t n)
{
	x->k->binary[KB_ANDI][KT_32].vs(data, data, &(uint32_t){0xffffe000}, (size_t)n);
}

/* The accumulator's elements as the type computed in, in out's own memory where that is
 * possible. */
static char *accumulator(Exec *x, const Instr *i, Tile *out, const Tile *c, KernType type, Buf **buf)
{
	int format = kern_format(out->kind);
	*buf = NULL;
	bool reuse = c->form == FORM_VIEW && c->dense && c->buf && c->buf->refs == 1 && instr_kills(i, 2) &&
		     c->data == (char *)c->buf + BUF_HEAD;
	if (format < 0 && reuse) {
		out->buf = c->buf;
		out->buf->refs++;
		out->data = c->data;
		out->form = FORM_VIEW;
		out->dense = true;
		memcpy(out->stride, c->stride, out->shape->rank * sizeof *out->stride);
		return out->data;
	}
	tile_alloc(x, out);
	if (format < 0) {
		tile_write(x, c, out->data);
		return out->data;
	}
	(void)type;
	char *wide = exec_buf(x, (size_t)out->shape->numel * 4, buf);
	tile_write(x, c, out->data);
	x->k->to_f32[format](wide, out->data, (size_t)out->shape->numel);
	return wide;
}

/* Sums that were wider become the result. */
static void finish(Exec *x, Tile *out, const char *sums, Buf *wide)
{
	if (!wide)
		return;
	x->k->from_f32[kern_format(out->kind)](out->data, sums, (size_t)out->shape->numel);
	buf_unref(wide);
}

static const Instr *run_dot(Exec *x, const Instr *i)
{
	const Dot *dot = i->aux;
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1), *c = instr_in(x, i, 2);
	Tile *out = tile_out(x, i, 0);
	Matrix ma = matrix_of(a->shape), mb = matrix_of(b->shape);
	unsigned size = dot->type == KT_F64 ? 8 : 4;
	Buf *wide_buf, *a_buf, *b_buf;
	char *sums = accumulator(x, i, out, c, dot->type, &wide_buf);
	char *wa = exec_buf(x, (size_t)(ma.rows * ma.columns) * size, &a_buf);
	char *wb = exec_buf(x, (size_t)(mb.rows * mb.columns) * size, &b_buf);
	bool f32 = a->kind == TY_F32 && dot->type == KT_F32;
	for (int64_t batch = 0; batch < ma.batch; batch++) {
		widen_rows(x, dot->type, a, batch, ma, wa, size);
		widen_rows(x, dot->type, b, batch, mb, wb, size);
		if (f32 && dot->precision == PREC_TF32) {
			truncate_tf32(x, wa, ma.rows * ma.columns);
			truncate_tf32(x, wb, mb.rows * mb.columns);
		}
		char *to = sums + batch * ma.rows * mb.columns * size;
		if (f32 && dot->precision != PREC_TF32 && dot->precision != PREC_IEEE)
			multiply_parts(x, dot->precision, to, wa, wb, ma, mb);
		else
			multiply(x, dot->type, to, wa, wb, ma, mb);
	}
	finish(x, out, sums, wide_buf);
	buf_unref(a_buf);
	buf_unref(b_buf);
	return i + 1;
}

bool interp_DOT(Decoder *d, const IrOp *op)
{
	Dot *dot = ARENA_NEW(d->arena, Dot);
	unsigned in = (unsigned)ir_elem(ir_operand(op, 0)->type)->kind;
	dot->precision = (uint8_t)ir_get_int(op, d->cx, ATTR_INPUT_PRECISION, PREC_IEEE);
	dot->type = in == TY_F64 ? KT_F64 : in < TY_F8E4M3FN ? KT_32 : KT_F32;
	decode_instr(d, op, run_dot)->aux = dot;
	return true;
}

/* ---- tt.dot_scaled ---- */

typedef struct Scaled {
	uint8_t format[2];
	uint8_t type; /* what is multiplied: bf16, or fp16 where an operand is that */
	bool k_pack[2], scaled[2], fast;
} Scaled;

static const float e2m1[16] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};

/* One element of a scaled operand as f32. */
static float scaled_element(Exec *x, unsigned format, uint64_t bits)
{
	float f;
	switch (format) {
	case SCALE_E2M1:
		return e2m1[bits & 15];
	case SCALE_E4M3:
		x->k->to_f32[KF_E4M3FN](&f, &bits, 1);
		return f;
	case SCALE_E5M2:
		x->k->to_f32[KF_E5M2](&f, &bits, 1);
		return f;
	case SCALE_E2M3: /* 6 bits, no infinity or NaN */
		f = (float)((bits & 31) < 8
				    ? (double)(bits & 7) / 8
				    : (1 + (double)(bits & 7) / 8) * (double)(1 << ((bits >> 3 & 3) - 1)));
		return bits & 32 ? -f : f;
	case SCALE_E3M2:
		f = (float)((bits & 31) < 4 ? (double)(bits & 3) / 16
					    : ldexp(1 + (double)(bits & 3) / 4, (int)(bits >> 2 & 7) - 3));
		return bits & 32 ? -f : f;
	case SCALE_BF16:
		x->k->to_f32[KF_BF16](&f, &bits, 1);
		return f;
	default:
		x->k->to_f32[KF_F16](&f, &bits, 1);
		return f;
	}
}

/* A byte's scale is the bf16 of that exponent: 2^(e - 127), but 0 is 0, and 255 is NaN if no fast
 * math makes it infinity. */
static float scale_of(const Scaled *s, uint64_t e)
{
	uint32_t bits = (uint32_t)(e & 0xff) << 23;
	float scale;
	memcpy(&scale, &bits, sizeof scale);
	return (e & 0xff) == 255 && !s->fast ? NAN : scale;
}

/* The operand as dense f32 rows of [rows, k] (lhs) or [k, columns] (rhs), scales applied, and
 * rounded to what is multiplied. `scale` may be NULL; it is [rows, k / group] for both sides. */
static void scaled_operand(Exec *x, const Scaled *s, unsigned side, const Tile *t, const Tile *scale,
			   int64_t batch, int64_t outer, int64_t k, float *out)
{
	uint32_t r = t->shape->rank;
	bool packed = s->format[side] == SCALE_E2M1;
	int64_t index[3] = {batch, 0, 0}, at[3] = {batch, 0, 0};
	int64_t group = scale ? k / scale->shape->dim[scale->shape->rank - 1] : 1;
	for (int64_t o = 0; o < outer; o++) {
		for (int64_t p = 0; p < k; p++) {
			bool along_k = packed && s->k_pack[side];
			int64_t eo = packed && !s->k_pack[side] ? o / 2 : o, ek = along_k ? p / 2 : p;
			index[1] = side ? ek : eo;
			index[2] = side ? eo : ek;
			uint64_t bits = tile_element(t, index + (3 - r));
			if (packed && (along_k ? p : o) & 1)
				bits >>= 4;
			float v = scaled_element(x, s->format[side], bits);
			if (scale) {
				at[1] = o;
				at[2] = p / group;
				v *= scale_of(s, tile_element(scale, at + (3 - scale->shape->rank)));
			}
			uint16_t rounded;
			x->k->from_f32[s->type](&rounded, &v, 1);
			x->k->to_f32[s->type](&out[side ? p * outer + o : o * k + p], &rounded, 1);
		}
	}
}

static const Instr *run_dot_scaled(Exec *x, const Instr *i)
{
	const Scaled *s = i->aux;
	const Tile *a = instr_in(x, i, 0), *b = instr_in(x, i, 1), *c = instr_in(x, i, 2);
	const Tile *sa = s->scaled[0] ? instr_in(x, i, 3) : NULL;
	const Tile *sb = s->scaled[1] ? instr_in(x, i, s->scaled[0] ? 4 : 3) : NULL;
	Tile *out = tile_out(x, i, 0);
	Matrix mc = matrix_of(out->shape), ma = matrix_of(a->shape);
	int64_t k = ma.columns * (s->format[0] == SCALE_E2M1 && s->k_pack[0] ? 2 : 1);
	Buf *wide_buf, *a_buf, *b_buf;
	char *sums = accumulator(x, i, out, c, KT_F32, &wide_buf);
	float *wa = exec_buf(x, (size_t)(mc.rows * k) * 4, &a_buf);
	float *wb = exec_buf(x, (size_t)(k * mc.columns) * 4, &b_buf);
	for (int64_t batch = 0; batch < mc.batch; batch++) {
		scaled_operand(x, s, 0, a, sa, batch, mc.rows, k, wa);
		scaled_operand(x, s, 1, b, sb, batch, mc.columns, k, wb);
		multiply(x, KT_F32, sums + batch * mc.rows * mc.columns * 4, (const char *)wa,
			 (const char *)wb, (Matrix){1, mc.rows, k}, (Matrix){1, k, mc.columns});
	}
	finish(x, out, sums, wide_buf);
	buf_unref(a_buf);
	buf_unref(b_buf);
	return i + 1;
}

bool interp_DOT_SCALED(Decoder *d, const IrOp *op)
{
	Scaled *s = ARENA_NEW(d->arena, Scaled);
	s->format[0] = (uint8_t)ir_get_int(op, d->cx, ATTR_LHS_FORMAT, SCALE_E4M3);
	s->format[1] = (uint8_t)ir_get_int(op, d->cx, ATTR_RHS_FORMAT, SCALE_E4M3);
	s->type = s->format[0] == SCALE_FP16 || s->format[1] == SCALE_FP16 ? KF_F16 : KF_BF16;
	IrAttr lk = ir_get(op, d->cx, ATTR_LHS_K_PACK), rk = ir_get(op, d->cx, ATTR_RHS_K_PACK);
	s->k_pack[0] = !lk || lk->i;
	s->k_pack[1] = !rk || rk->i;
	s->scaled[0] = ir_get_bool(op, d->cx, ATTR_HAS_LHS_SCALE);
	s->scaled[1] = ir_get_bool(op, d->cx, ATTR_HAS_RHS_SCALE);
	s->fast = ir_get_bool(op, d->cx, ATTR_FAST_MATH);
	decode_instr(d, op, run_dot_scaled)->aux = s;
	return true;
}
