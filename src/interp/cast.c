/* Conversions between types. Floats narrower than f32 are exact in f32, so every conversion from them goes through
 * it; conversions to them round once: from f32, from f64 and from wide integers through a value with a sticky last
 * bit, which rounds as the exact one would. fp8 results saturate (cvt.rn.satfinite), fp16 and bf16 overflow to
 * infinity. Float to integer saturates, NaN is 0; 8-bit results are the low half of a 16-bit conversion. */
#include <math.h>

#include "base/float/fp.h"
#include "interp/elem.h"
#include "interp/kern/math.h"

void elem_sext_bool(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	const uint8_t *p = in[0];
	for (size_t i = 0; i < n; i++) {
		uint64_t v = p[i] ? ~UINT64_C(0) : 0;
		memcpy((char *)out + (i << e->size_log), &v, (size_t)1 << e->size_log);
	}
}

/* The f32 with a sticky last bit for the double x: rounding it to 22 bits or fewer rounds x. */
static float odd_float(double x)
{
	float f = (float)x;
	if (f != f || (double)f == x)
		return f;
	uint32_t u = half_bits(f);
	if (isinf(f))
		u--; /* beyond the largest f32: its neighbour, which overflows each narrower format */
	else if (fabs((double)f) > fabs(x))
		u--;
	return half_float(u | 1);
}

/* The double with a sticky last bit for an integer. */
static double odd_double(uint64_t magnitude, bool negative)
{
	double d;
	if (magnitude >> 53) {
		unsigned shift = 64u - 53u - (unsigned)__builtin_clzll(magnitude);
		uint64_t kept = magnitude >> shift;
		kept |= (kept << shift) != magnitude;
		d = ldexp((double)kept, (int)shift);
	} else {
		d = (double)magnitude;
	}
	return negative ? -d : d;
}

/* imm: 1 for signed. in: integers of size_log; out: f32 with a sticky bit. */
static void int_to_odd(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	float *o = out;
	for (size_t i = 0; i < n; i++) {
		uint64_t v = 0;
		memcpy(&v, (const char *)in[0] + (i << e->size_log), (size_t)1 << e->size_log);
		unsigned unused = 64u - (8u << e->size_log);
		bool negative = e->imm && (int64_t)(v << unused) < 0;
		if (negative)
			v = 0 - (uint64_t)((int64_t)(v << unused) >> unused);
		o[i] = odd_float(odd_double(v, negative));
	}
}

static void double_to_odd(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	(void)e;
	float *o = out;
	const double *p = in[0];
	for (size_t i = 0; i < n; i++)
		o[i] = odd_float(p[i]);
}

static FpFormat fp_format(unsigned kind)
{
	switch (kind) {
	case TY_F16:
		return FP_F16;
	case TY_BF16:
		return FP_BF16;
	case TY_F8E4M3FN:
		return FP_E4M3FN;
	case TY_F8E5M2:
		return FP_E5M2;
	case TY_F8E4M3B11FNUZ:
		return FP_E4M3B11FNUZ;
	case TY_F8E4M3FNUZ:
		return FP_E4M3FNUZ;
	case TY_F8E5M2FNUZ:
		return FP_E5M2FNUZ;
	case TY_F32:
		return FP_F32;
	default:
		return FP_F64;
	}
}

/* Any float to any, towards zero. imm: the source's kind, size_log: the result's. */
static void truncate_float(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	FpFormat from = fp_format((unsigned)e->imm), to = fp_format(e->size_log);
	size_t in_size = (size_t)e->imm == TY_F64		    ? 8
			 : (size_t)e->imm == TY_F32		    ? 4
			 : kern_format((unsigned)e->imm) <= KF_BF16 ? 2
								    : 1;
	size_t out_size = e->size_log == TY_F32 ? 4 : kern_format(e->size_log) <= KF_BF16 ? 2 : 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = 0;
		memcpy(&bits, (const char *)in[0] + i * in_size, in_size);
		double value = fp_to_double(from, bits);
		bool stays = e->size_log == TY_F8E5M2 && isinf(value);
		bits = fp_from_double(to, value, FP_TOWARD_ZERO, out_size == 1 && !stays);
		memcpy((char *)out + i * out_size, &bits, out_size);
	}
}

static void copy_floats(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	(void)e;
	if (out != in[0])
		memmove(out, in[0], n * 4);
}

/* imm: kernel of the source from f32 or f64 to the result. */
static bool float_to_float(Decoder *d, const IrOp *op, unsigned from, unsigned to)
{
	const Kernels *k = d->kernel->k;
	ElemOp *e = elem_new(d, ELEM_UNARY, 1);
	e->in_format[0] = (int8_t)kern_format(from);
	e->out_format = (int8_t)kern_format(to);
	if (from == TY_F64 && e->out_format >= 0) {
		e->shape = ELEM_SCALAR;
		e->scalar = double_to_odd;
	} else if (from == TY_F64) {
		e->unary = to == TY_F64 ? k->widen[3][3][0] : k->f64_to_f32;
	} else if (to == TY_F64) {
		e->unary = k->f32_to_f64;
	} else {
		e->shape = ELEM_SCALAR;
		e->scalar = copy_floats;
	}
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

static unsigned kind_of(const IrValue *v)
{
	return (unsigned)ir_elem(v->type)->kind;
}

static bool decode_float(Decoder *d, const IrOp *op)
{
	return float_to_float(d, op, kind_of(ir_operand(op, 0)), kind_of(&op->results[0]));
}

bool interp_EXTF(Decoder *d, const IrOp *op) { return decode_float(d, op); }
bool interp_TRUNCF(Decoder *d, const IrOp *op) { return decode_float(d, op); }

bool interp_FP_TO_FP(Decoder *d, const IrOp *op)
{
	unsigned from = kind_of(ir_operand(op, 0)), to = kind_of(&op->results[0]);
	if (ir_get_int(op, d->cx, ATTR_ROUNDING, ROUND_RTNE) != ROUND_RTZ || to == TY_F64 ||
	    ir_elem(op->results[0].type)->bits >= ir_elem(ir_operand(op, 0)->type)->bits)
		return decode_float(d, op);
	ElemOp *e = elem_new(d, ELEM_SCALAR, 1);
	e->scalar = truncate_float;
	e->imm = from;
	e->size_log = (uint8_t)to;
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

static void negate_bool_f32(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	(void)e;
	const uint8_t *p = in[0];
	for (size_t i = 0; i < n; i++)
		((float *)out)[i] = p[i] ? -1.0f : 0.0f;
}

static void negate_bool_f64(const ElemOp *e, void *out, const void *const *in, size_t n)
{
	(void)e;
	const uint8_t *p = in[0];
	for (size_t i = 0; i < n; i++)
		((double *)out)[i] = p[i] ? -1.0 : 0.0;
}

static bool int_to_float(Decoder *d, const IrOp *op, bool is_signed)
{
	unsigned from = kind_of(ir_operand(op, 0)), to = kind_of(&op->results[0]);
	ElemOp *e = elem_new(d, ELEM_UNARY, 1);
	KernType in = kern_type(from);
	e->out_format = (int8_t)kern_format(to);
	e->unary = d->kernel->k->int_to_fp[in][to == TY_F64][is_signed];
	if (from == TY_I1 && is_signed) {
		e->shape = ELEM_SCALAR;
		e->scalar = to == TY_F64 ? negate_bool_f64 : negate_bool_f32;
	} else if (e->out_format >= 0 && in >= KT_32) {
		e->shape = ELEM_SCALAR;
		e->scalar = int_to_odd;
		e->size_log = (uint8_t)in;
		e->imm = is_signed;
	}
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

bool interp_SITOFP(Decoder *d, const IrOp *op) { return int_to_float(d, op, true); }
bool interp_UITOFP(Decoder *d, const IrOp *op) { return int_to_float(d, op, false); }

static bool float_to_int(Decoder *d, const IrOp *op, bool is_signed)
{
	unsigned from = kind_of(ir_operand(op, 0)), to = kind_of(&op->results[0]);
	ElemOp *e = elem_new(d, ELEM_UNARY, 1);
	e->in_format[0] = (int8_t)kern_format(from);
	e->unary = d->kernel->k->fp_to_int[from == TY_F64][kern_type(to)][is_signed];
	e->mask_bool = to == TY_I1;
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

bool interp_FPTOSI(Decoder *d, const IrOp *op) { return float_to_int(d, op, true); }
bool interp_FPTOUI(Decoder *d, const IrOp *op) { return float_to_int(d, op, false); }

/* ---- same bits ---- */

static const Instr *run_bitcast(Exec *x, const Instr *i)
{
	const Tile *a = instr_in(x, i, 0);
	Tile *out = tile_out(x, i, 0);
	Tile type = *out;
	tile_copy(out, a);
	bool was_int = a->kind < TY_F8E4M3FN || a->kind == TY_PTR,
	     is_int = type.kind < TY_F8E4M3FN || type.kind == TY_PTR;
	out->kind = type.kind;
	out->bits = type.bits;
	out->pointee = type.pointee;
	out->pointee_size = type.pointee_size;
	if (!was_int || !is_int) {
		ASSERT(out->form != FORM_AFFINE && out->form != FORM_SUM); /* lazy_to_view below comes first */
	}
	if (out->form == FORM_SPLAT)
		out->base = tile_normal(out, out->base);
	if (out->kind != TY_PTR)
		out->origin = ORIGIN_ANY;
	return i + 1;
}

static const Instr *run_bitcast_any(Exec *x, const Instr *i)
{
	Tile *a = instr_in(x, i, 0);
	const SlotType *to = &x->kernel->slots[i->slots[i->in]];
	bool int_both = a->kind < TY_F8E4M3FN && to->kind < TY_F8E4M3FN;
	bool ptr_both = (a->kind == TY_PTR || a->kind == TY_I64) && (to->kind == TY_PTR || to->kind == TY_I64);
	if (!int_both && !ptr_both && (a->form == FORM_AFFINE || a->form == FORM_SUM || a->form == FORM_BOX)) {
		Tile room;
		tile_dense(x, a, &room);
		tile_release(a);
		*a = room;
	}
	return run_bitcast(x, i);
}

static bool decode_bitcast(Decoder *d, const IrOp *op)
{
	unsigned from = kind_of(ir_operand(op, 0)), to = kind_of(&op->results[0]);
	if ((from == TY_I1) != (to == TY_I1))
		return decode_refuse(d, op, "a bitcast between i1 and another type");
	decode_instr(d, op, run_bitcast_any);
	return true;
}

bool interp_BITCAST(Decoder *d, const IrOp *op) { return decode_bitcast(d, op); }
bool interp_ARITH_BITCAST(Decoder *d, const IrOp *op) { return decode_bitcast(d, op); }
bool interp_INT_TO_PTR(Decoder *d, const IrOp *op) { return decode_bitcast(d, op); }
bool interp_PTR_TO_INT(Decoder *d, const IrOp *op) { return decode_bitcast(d, op); }
