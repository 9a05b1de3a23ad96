/* decompose-dots: rewrites dots until each is one that an instruction of the target does, or
 * multiply-adds of one type.
 *
 * Needs: TTIR. Keeps: effects; values as the interpreter defines them, up to the order of sums and
 * roundings of the intermediate type. In this order:
 *	tt.dot_scaled       operands as bf16 (fp16 where one is), scaled, and a dot; fp4 and fp6 are
 *	                    unpacked by moving their bits into fp16 and multiplying by a power of
 *	                    two, which is exact with denormals
 *	tf32x3, bf16x3, x6  products of parts, small ones first; NaN of inf - inf dropped before the
 *	                    last; then the sum
 *	fp8                 as fp16 where the target has no instruction; accumulated in fp32
 *	others              operands in the type of the accumulator */
#include "gpu/gpu.h"
#include "gpu/plan/dot.h"
#include "gpu/plan/wgmma.h"
#include "gpu/remark.h"
#include "ir/text/text.h"

typedef struct Dots {
	PassCx *cx;
	GpuCx *gpu;
	IrBuilder b;
	IrOpVec list; /* those that are made come behind */
} Dots;

static IrType scalar(const Dots *d, IrTypeKind kind)
{
	return ir_scalar(d->gpu->ir, kind);
}

static IrType with(const Dots *d, IrValue *v, IrTypeKind kind)
{
	return ir_with_elem(d->gpu->ir, v->type, scalar(d, kind));
}

static void set_i32(Dots *d, IrValue *v, IrAttrName name, int64_t value)
{
	ir_set(d->b.m, v->def, name, ir_attr_i32(d->gpu->ir, value));
}

static IrValue *dot_of(Dots *d, IrValue *a, IrValue *b, IrValue *c, IrPrecision precision)
{
	IrValue *v = irb_3(&d->b, OP_DOT, c->type, a, b, c);
	set_i32(d, v, ATTR_INPUT_PRECISION, precision);
	vec_push(d->cx->scratch, &d->list, v->def);
	return v;
}

static IrValue *integer_like(Dots *d, IrValue *v, int64_t value)
{
	return irb_int(&d->b, v->type, value);
}

static void replace(IrOp *op, IrValue *by)
{
	ir_replace_uses(&op->results[0], by);
	ir_op_erase(op);
}

/* ---- fp32 in parts ---- */

enum { MOST_PARTS = 3 };

static IrValue *rounded_to_tf32(Dots *d, IrValue *v)
{
	IrCx *cx = d->gpu->ir;
	IrModule *m = d->b.m;
	IrOp *op = irb_op(&d->b, OP_INLINE_ASM, &v, 1, &v->type, 1, 0);
	ir_set(m, op, ATTR_ASM_STRING, ir_attr_string(cx, str_of("cvt.rna.tf32.f32 $0, $1;")));
	ir_set(m, op, ATTR_CONSTRAINTS, ir_attr_string(cx, str_of("=r,r")));
	ir_set(m, op, ATTR_PURE, ir_attr_bool(cx, true));
	ir_set(m, op, ATTR_PACKED_ELEMENT, ir_attr_i32(cx, 1));
	return &op->results[0];
}

static void split(Dots *d, IrValue *v, bool bf16, unsigned count, IrValue **parts)
{
	IrValue *rest = v;
	for (unsigned i = 0; i < count; i++) {
		parts[i] = bf16 ? irb_1(&d->b, OP_TRUNCF, with(d, v, TY_BF16), rest) : rounded_to_tf32(d, rest);
		if (i + 1 == count)
			break;
		IrValue *taken = bf16 ? irb_1(&d->b, OP_EXTF, v->type, parts[i]) : parts[i];
		rest = irb_2(&d->b, OP_SUBF, NULL, rest, taken);
	}
}

static void multiply_parts(Dots *d, IrOp *dot, IrPrecision precision)
{
	static const uint8_t three[][2] = {{1, 0}, {0, 1}, {0, 0}};
	static const uint8_t six[][2] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
	const uint8_t(*order)[2] = precision == PREC_BF16X6 ? six : three;
	unsigned products = precision == PREC_BF16X6 ? 6 : 3;
	bool bf16 = precision != PREC_TF32X3;
	IrValue *a[MOST_PARTS], *b[MOST_PARTS], *c = ir_operand(dot, 2);
	split(d, ir_operand(dot, 0), bf16, precision == PREC_BF16X6 ? 3 : 2, a);
	split(d, ir_operand(dot, 1), bf16, precision == PREC_BF16X6 ? 3 : 2, b);
	IrValue *zero = irb_float(&d->b, c->type, 0), *sum = zero;
	for (unsigned i = 0; i < products; i++) {
		if (i + 1 == products) {
			IrValue *is_nan = irb_cmpf(&d->b, CMPF_UNO, sum, sum);
			sum = irb_3(&d->b, OP_SELECT, c->type, is_nan, zero, sum);
		}
		sum = dot_of(d, a[order[i][0]], b[order[i][1]], sum, PREC_TF32);
	}
	Remark *r = gpu_remark_of(d->gpu, dot, NULL, REMARK_DOT_PARTS, precision == PREC_BF16X6 ? "bf16x6" :
				  bf16 ? "bf16x3" : "tf32x3", products, bf16 ? "bf16" : "tf32");
	remark_figure(r, "products", products);
	replace(dot, irb_2(&d->b, OP_ADDF, NULL, sum, c));
}

/* ---- operand types ---- */

static bool is_fp8(IrType t)
{
	return ir_is_float(t) && t->bits == 8;
}

static IrValue *cast(Dots *d, IrValue *v, IrTypeKind to)
{
	IrType from = v->type->elem, type = with(d, v, to);
	if (from->kind == to)
		return v;
	if (is_fp8(from))
		return irb_1(&d->b, OP_FP_TO_FP, type, v);
	if (ir_is_int(from))
		return irb_1(&d->b, OP_EXTSI, type, v);
	return irb_1(&d->b, type->elem->bits > from->bits ? OP_EXTF : OP_TRUNCF, type, v);
}

static bool has_mma(const Dots *d, const IrOp *dot, IrType c)
{
	IrType a = ir_operand(dot, 0)->type;
	IrPrecision precision = (IrPrecision)ir_get_int(dot, d->gpu->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	unsigned warps[2];
	const char *why;
	if (c == dot->results[0].type->elem && gpu_wgmma_for(d->gpu, dot, false, warps, &why))
		return true;
	return gpu_mma_for(d->gpu->target, a->elem, ir_operand(dot, 1)->type->elem, c, a->shape[a->rank - 1],
			   precision) != NULL;
}

static void fit_operands(Dots *d, IrOp *dot)
{
	IrType f32 = scalar(d, TY_F32), elem = dot->results[0].type->elem;
	IrType was[2] = {ir_operand(dot, 0)->type->elem, ir_operand(dot, 1)->type->elem};
	bool fp8 = is_fp8(ir_operand(dot, 0)->type->elem) || is_fp8(ir_operand(dot, 1)->type->elem);
	if (has_mma(d, dot, elem))
		return;
	for (uint32_t i = 0; i < 2 && fp8 && !has_mma(d, dot, f32); i++)
		ir_operand_set(dot, i, cast(d, ir_operand(dot, i), TY_F16));
	if (fp8 && elem->kind == TY_F16 && has_mma(d, dot, f32)) {
		IrValue *c = cast(d, ir_operand(dot, 2), TY_F32);
		IrValue *sum = dot_of(d, ir_operand(dot, 0), ir_operand(dot, 1), c, PREC_TF32);
		replace(dot, cast(d, sum, TY_F16));
		return;
	}
	for (uint32_t i = 0; i < 2 && !has_mma(d, dot, elem); i++)
		ir_operand_set(dot, i, cast(d, ir_operand(dot, i), elem->kind));
	IrType now = ir_operand(dot, 0)->type->elem;
	if (now != was[0] || ir_operand(dot, 1)->type->elem != was[1])
		gpu_remark_of(d->gpu, dot, NULL, REMARK_DOT_WIDENED, ir_type_text(d->cx->scratch, was[0]),
			      ir_type_text(d->cx->scratch, was[1]), ir_type_text(d->cx->scratch, now), d->gpu->target->name);
}

/* ---- tt.dot_scaled ---- */

/* Floats of few bits, without infinities, that lie in bytes (fp4: in nibbles). */
typedef struct Small {
	unsigned bits, mantissa, bias;
} Small;

static IrValue *shifted(Dots *d, IrOpKind op, IrValue *v, int64_t by)
{
	return irb_2(&d->b, op, NULL, v, integer_like(d, v, by));
}

/* The low bits of each i16 as fp16. */
static IrValue *small_to_f16(Dots *d, IrValue *v, Small s)
{
	unsigned up = 10 - s.mantissa, sign = s.bits - 1;
	IrValue *value = shifted(d, OP_ANDI, v, (1 << sign) - 1), *minus = shifted(d, OP_ANDI, v, 1 << sign);
	value = irb_2(&d->b, OP_ORI, NULL, shifted(d, OP_SHLI, value, up), shifted(d, OP_SHLI, minus, 15 - sign));
	IrValue *f = irb_1(&d->b, OP_BITCAST, with(d, v, TY_F16), value);
	return irb_2(&d->b, OP_MULF, NULL, f, irb_float(&d->b, f->type, (double)(1 << (15 - s.bias))));
}

static IrValue *transposed(Dots *d, IrValue *v)
{
	IrType t = v->type;
	int64_t shape[2] = {t->shape[1], t->shape[0]}, order[2] = {1, 0};
	IrValue *r = irb_1(&d->b, OP_TRANS, ir_tensor(d->gpu->ir, t->elem, shape, 2, NULL), v);
	ir_set(d->b.m, r->def, ATTR_ORDER, ir_attr_ints(d->gpu->ir, scalar(d, TY_I32), order, 2));
	return r;
}

static IrValue *reshaped(Dots *d, IrValue *v, int64_t rows, int64_t columns)
{
	int64_t shape[2] = {rows, columns};
	return irb_1(&d->b, OP_RESHAPE, ir_tensor(d->gpu->ir, v->type->elem, shape, 2, NULL), v);
}

/* Two to a byte along `axis`, the low nibble first. */
static IrValue *unpacked(Dots *d, IrValue *bytes, unsigned axis)
{
	IrValue *v = axis == 0 ? transposed(d, bytes) : bytes;
	v = irb_1(&d->b, OP_EXTUI, with(d, v, TY_I16), v);
	int64_t shape[3] = {v->type->shape[0], v->type->shape[1], 2};
	Small e2m1 = {4, 1, 1};
	IrValue *low = small_to_f16(d, v, e2m1), *high = small_to_f16(d, shifted(d, OP_SHRUI, v, 4), e2m1);
	IrValue *both = irb_2(&d->b, OP_JOIN, ir_tensor(d->gpu->ir, low->type->elem, shape, 3, NULL), low, high);
	v = reshaped(d, both, shape[0], 2 * shape[1]);
	return axis == 0 ? transposed(d, v) : v;
}

static IrValue *operand_of(Dots *d, IrValue *v, int64_t format, unsigned packed_axis, IrTypeKind type)
{
	static const IrTypeKind kinds[] = {[SCALE_E4M3] = TY_F8E4M3FN, [SCALE_E5M2] = TY_F8E5M2, [SCALE_BF16] = TY_BF16,
					   [SCALE_FP16] = TY_F16};
	switch (format) {
	case SCALE_E2M1:
		v = unpacked(d, v, packed_axis);
		break;
	case SCALE_E2M3:
	case SCALE_E3M2:
		v = irb_1(&d->b, OP_EXTUI, with(d, v, TY_I16), v);
		v = small_to_f16(d, v, format == SCALE_E2M3 ? (Small){6, 3, 1} : (Small){6, 2, 3});
		break;
	default:
		if (v->type->elem->kind != kinds[format])
			v = irb_1(&d->b, OP_BITCAST, with(d, v, kinds[format]), v);
	}
	if (v->type->elem->bits == 16 && v->type->elem->kind != type)
		v = cast(d, v, TY_F32);
	return cast(d, v, type);
}

/* 2^(e - 127) of each byte, in every one of a group's elements along K. */
static IrValue *scale_of(Dots *d, IrValue *scale, int64_t rows, int64_t k, bool fast)
{
	IrCx *cx = d->gpu->ir;
	int64_t groups = scale->type->shape[1], line[3] = {rows, groups, 1}, full[3] = {rows, groups, k / groups};
	IrValue *wide = irb_1(&d->b, OP_EXTUI, with(d, scale, TY_I16), scale);
	IrValue *v = irb_1(&d->b, OP_BITCAST, with(d, scale, TY_BF16), shifted(d, OP_SHLI, wide, 7));
	if (!fast) {
		IrValue *is_nan = irb_cmpi(&d->b, CMPI_EQ, wide, integer_like(d, wide, 255));
		IrValue *nan = irb_float(&d->b, v->type, (double)__builtin_nanf(""));
		v = irb_3(&d->b, OP_SELECT, v->type, is_nan, nan, v);
	}
	v = irb_1(&d->b, OP_EXPAND_DIMS, ir_tensor(cx, v->type->elem, line, 3, NULL), v);
	set_i32(d, v, ATTR_AXIS, 2);
	v = irb_1(&d->b, OP_BROADCAST, ir_tensor(cx, v->type->elem, full, 3, NULL), v);
	return reshaped(d, v, rows, k);
}

static IrValue *scaled(Dots *d, IrValue *v, IrValue *scale, IrTypeKind type)
{
	if (type == TY_BF16)
		return irb_2(&d->b, OP_MULF, NULL, v, scale);
	IrValue *product = irb_2(&d->b, OP_MULF, NULL, cast(d, v, TY_F32), cast(d, scale, TY_F32));
	return cast(d, product, type);
}

static void decompose_scaled(Dots *d, IrOp *dot)
{
	const IrCx *cx = d->gpu->ir;
	int64_t format[2] = {ir_get_int(dot, cx, ATTR_LHS_FORMAT, 0), ir_get_int(dot, cx, ATTR_RHS_FORMAT, 0)};
	IrAttr pack[2] = {ir_get(dot, cx, ATTR_LHS_K_PACK), ir_get(dot, cx, ATTR_RHS_K_PACK)};
	bool has[2] = {ir_get_bool(dot, cx, ATTR_HAS_LHS_SCALE), ir_get_bool(dot, cx, ATTR_HAS_RHS_SCALE)};
	bool fast = ir_get_bool(dot, cx, ATTR_FAST_MATH);
	IrTypeKind type = format[0] == SCALE_FP16 || format[1] == SCALE_FP16 ? TY_F16 : TY_BF16;
	IrValue *side[2];
	uint32_t at = 3;
	for (unsigned i = 0; i < 2; i++) {
		bool along_k = !pack[i] || pack[i]->i;
		side[i] = operand_of(d, ir_operand(dot, i), format[i], along_k ? 1 - i : i, type);
		int64_t k = side[i]->type->shape[1 - i], rows = side[i]->type->shape[i];
		if (!has[i])
			continue;
		IrValue *scale = scale_of(d, ir_operand(dot, at++), rows, k, fast);
		side[i] = scaled(d, side[i], i ? transposed(d, scale) : scale, type);
	}
	gpu_remark_of(d->gpu, dot, NULL, REMARK_DOT_SCALED, ir_type_text(d->cx->scratch, scalar(d, type)));
	replace(dot, dot_of(d, side[0], side[1], ir_operand(dot, 2), PREC_TF32));
}

/* ---- the pass ---- */

static void decompose(Dots *d, IrOp *dot)
{
	d->b = ir_at(d->cx->module, dot);
	if (dot->kind == OP_DOT_SCALED) {
		decompose_scaled(d, dot);
		return;
	}
	IrPrecision precision = (IrPrecision)ir_get_int(dot, d->gpu->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	bool f32 = ir_operand(dot, 0)->type->elem->kind == TY_F32;
	if (f32 && precision != PREC_TF32 && precision != PREC_IEEE)
		multiply_parts(d, dot, precision);
	else
		fit_operands(d, dot);
}

bool pass_decompose_dots(PassCx *cx, bool *changed)
{
	Dots d = {.cx = cx, .gpu = gpu_of(cx)};
	uint32_t before = cx->module->next_op;
	d.list = ir_collect(cx->scratch, cx->module->op, false, OP_DOT, OP_DOT_SCALED);
	for (uint32_t i = 0; i < d.list.len; i++)
		decompose(&d, d.list.data[i]);
	*changed = cx->module->next_op != before;
	return true;
}
