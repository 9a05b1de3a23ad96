/* Elementwise operations. Lazy forms stay lazy where arithmetic on affine integers and boxes is
 * exact; all else runs through the vector kernels, run by run. Floats narrower than f32 are
 * widened, computed as f32 and rounded once per operation: the same value as an operation of that
 * width, for + - * / and sqrt of fp16 and bf16. */
#include "interp/elem.h"

KernType kern_type(unsigned kind)
{
	switch (kind) {
	case TY_I1:
	case TY_I8:
		return KT_8;
	case TY_I16:
		return KT_16;
	case TY_I32:
		return KT_32;
	case TY_I64:
	case TY_PTR:
		return KT_64;
	case TY_F64:
		return KT_F64;
	default:
		return KT_F32;
	}
}

int kern_format(unsigned kind)
{
	switch (kind) {
	case TY_F16:
		return KF_F16;
	case TY_BF16:
		return KF_BF16;
	case TY_F8E4M3FN:
		return KF_E4M3FN;
	case TY_F8E5M2:
		return KF_E5M2;
	case TY_F8E4M3B11FNUZ:
		return KF_E4M3B11FNUZ;
	case TY_F8E4M3FNUZ:
		return KF_E4M3FNUZ;
	case TY_F8E5M2FNUZ:
		return KF_E5M2FNUZ;
	default:
		return -1;
	}
}

/* ---- the driver ---- */

static void apply(const ElemOp *e, const Kernels *k, void *out, const void *const *in, unsigned splat,
		  size_t n)
{
	switch (e->shape) {
	case ELEM_UNARY:
		e->unary(out, in[0], n);
		break;
	case ELEM_BINARY:
		(splat & 2 ? e->binary->vs : splat & 1 ? e->binary->sv : e->binary->vv)(out, in[0], in[1], n);
		break;
	case ELEM_TERNARY:
		e->ternary(out, in[0], in[1], in[2], n);
		break;
	case ELEM_SELECT:
		k->select[e->size_log][splat >> 1 & 1][splat >> 2 & 1](out, in[0], in[1], in[2], n);
		break;
	case ELEM_SCALAR:
		e->scalar(e, out, in, n);
		break;
	}
	if (e->mask_bool)
		k->binary[KB_ANDI][KT_8].vs(out, out, &(uint8_t){1}, n);
}

/* Which operands may stay one element for a whole run. */
static unsigned splats_allowed(const ElemOp *e)
{
	return e->shape == ELEM_BINARY ? 3 : e->shape == ELEM_SELECT ? 6 : 0;
}

typedef struct Block {
	const void *in[ELEM_MAX_IN];
	unsigned splat;
} Block;

/* Brings operand k of a run into the form that the
 * kernel wants: unit stride, or one element; widened. */
static void fetch(Exec *x, const ElemOp *e, unsigned k, const Tile *t, const char *at, int64_t stride,
		  size_t n, bool may_splat, Block *b)
{
	char *room = x->scratch[k];
	int format = e->in_format[k];
	if (stride == 0) {
		uint64_t bits = 0;
		memcpy(&bits, at, t->size);
		if (format >= 0) {
			float wide;
			x->k->to_f32[format](&wide, &bits, 1);
			bits = 0;
			memcpy(&bits, &wide, 4);
		}
		unsigned size = format >= 0 ? 4 : t->size;
		if (may_splat) {
			memcpy(room, &bits, 8);
			b->splat |= 1u << k;
		} else {
			x->k->fill(room, bits, size, n);
		}
		b->in[k] = room;
		return;
	}
	if (stride != t->size) {
		x->k->gather(room, at, stride, t->size, n);
		at = room;
	}
	if (format >= 0) {
		/* Widening in place would overwrite: gathered elements go to the end of the
		 * room. */
		if (at == room) {
			char *tail = room + SCRATCH_ELEMS * 8 - n * t->size;
			memmove(tail, room, n * t->size);
			at = tail;
		}
		x->k->to_f32[format](room, at, n);
		at = room;
	}
	b->in[k] = at;
}

static bool needs_blocks(const ElemOp *e, const Walk *w, const Tile *const *tiles, unsigned splats)
{
	if (e->out_format >= 0)
		return true;
	for (unsigned k = 0; k < e->count; k++) {
		int64_t stride = w->stride[k + 1][w->rank - 1];
		if (e->in_format[k] >= 0 ||
		    (stride != tiles[k + 1]->size && !(stride == 0 && splats >> k & 1)))
			return true;
	}
	return false;
}

void elem_runs(Exec *x, const ElemOp *e, Tile *out, const Tile *const *in)
{
	const Tile *tiles[ELEM_MAX_IN + 1] = {out};
	for (unsigned k = 0; k < e->count; k++)
		tiles[k + 1] = in[k];
	Walk w;
	walk_start(&w, out->shape, tiles, e->count + 1);
	uint32_t last = w.rank - 1;
	unsigned allowed = splats_allowed(e);
	/* A kernel form with every operand a single element does not exist. */
	unsigned all = 0;
	for (unsigned k = 0; k < e->count; k++)
		all |= (w.stride[k + 1][last] == 0 ? 1u : 0u) << k;
	if (e->shape == ELEM_BINARY && all == 3)
		allowed = 1;
	/* A view may have its elements apart: columns of a tile that is being folded. */
	int64_t out_stride = w.stride[0][last];
	bool apart = out_stride != out->size && w.inner > 1;
	uint64_t packed[SCRATCH_ELEMS];
	size_t step = apart || needs_blocks(e, &w, tiles, allowed) ? SCRATCH_ELEMS : (size_t)w.inner;
	do {
		for (size_t at = 0; at < (size_t)w.inner; at += step) {
			size_t n = MIN(step, (size_t)w.inner - at);
			Block b = {.splat = 0};
			for (unsigned k = 0; k < e->count; k++) {
				int64_t stride = w.stride[k + 1][last];
				fetch(x, e, k, in[k], w.at[k + 1] + (int64_t)at * stride, stride, n,
				      allowed >> k & 1, &b);
			}
			char *to = apart ? (char *)packed : w.at[0] + at * out->size;
			void *result = e->out_format >= 0 ? (void *)x->scratch[ELEM_MAX_IN] : to;
			apply(e, x->k, result, b.in, b.splat, n);
			if (e->out_format >= 0)
				x->k->from_f32[e->out_format](to, result, n);
			for (size_t j = 0; apart && j < n; j++)
				memcpy(w.at[0] + (int64_t)(at + j) * out_stride,
				       (char *)packed + j * out->size, out->size);
		}
	} while (walk_next(&w));
}

/* All operands are splats: one element. */
static void one_element(Exec *x, const ElemOp *e, Tile *out, const Tile *const *in)
{
	const void *ptr[ELEM_MAX_IN];
	uint64_t room[ELEM_MAX_IN], result = 0;
	for (unsigned k = 0; k < e->count; k++) {
		room[k] = in[k]->base;
		if (e->in_format[k] >= 0) {
			float wide;
			x->k->to_f32[e->in_format[k]](&wide, &in[k]->base, 1);
			memcpy(&room[k], &wide, 4);
		}
		ptr[k] = &room[k];
	}
	apply(e, x->k, &result, ptr, 0, 1);
	if (e->out_format >= 0) {
		uint64_t wide = result;
		result = 0;
		x->k->from_f32[e->out_format](&result, &wide, 1);
	}
	tile_splat(out, result);
}

void elem_run(Exec *x, const Instr *i, const ElemOp *e, Tile *out, const Tile *const *in)
{
	bool flat = true;
	for (unsigned k = 0; k < e->count; k++)
		flat = flat && in[k]->form == FORM_SPLAT;
	if (flat && e->count) {
		one_element(x, e, out, in);
		return;
	}
	const Tile *view[ELEM_MAX_IN];
	Tile room[ELEM_MAX_IN];
	for (unsigned k = 0; k < e->count; k++)
		view[k] = tile_view(x, in[k], &room[k]);
	if (i)
		tile_alloc_reuse(x, i, out);
	else
		tile_alloc(x, out);
	elem_runs(x, e, out, view);
	for (unsigned k = 0; k < e->count; k++)
		tile_drop(&room[k]);
}

const Instr *elem_plain(Exec *x, const Instr *i)
{
	const ElemOp *e = i->aux;
	const Tile *in[ELEM_MAX_IN];
	for (unsigned k = 0; k < e->count; k++)
		in[k] = instr_in(x, i, k);
	elem_run(x, i, e, tile_out(x, i, 0), in);
	return i + 1;
}

/* ---- decoding ---- */

ElemOp *elem_new(Decoder *d, unsigned shape, unsigned count)
{
	CONTRACT(count && count <= ELEM_MAX_IN);
	ElemOp *e = ARENA_NEW(d->arena, ElemOp);
	e->shape = (uint8_t)shape;
	e->count = (uint8_t)count;
	e->out_format = -1;
	for (unsigned k = 0; k < ELEM_MAX_IN; k++)
		e->in_format[k] = -1;
	return e;
}

/* Operands and result all of `kind`. */
static void set_formats(ElemOp *e, unsigned kind, bool out_too)
{
	for (unsigned k = 0; k < e->count; k++)
		e->in_format[k] = (int8_t)kern_format(kind);
	if (out_too)
		e->out_format = (int8_t)kern_format(kind);
}

static unsigned elem_kind(const IrValue *v)
{
	return (unsigned)ir_elem(v->type)->kind;
}

/* Operations on i1 are those on bits; -1 as the signed value of true turns signed order round. */
static int bool_binary(int op)
{
	switch (op) {
	case KB_ADDI:
	case KB_SUBI:
		return KB_XORI;
	case KB_MULI:
	case KB_MAXSI:
	case KB_MINUI:
		return KB_ANDI;
	case KB_MINSI:
	case KB_MAXUI:
		return KB_ORI;
	case KB_SHLI:
	case KB_SHRUI:
		return KB_ANDNI;
	case KB_MULHIUI:
		return KB_ZEROI;
	case KB_REMUI:
	case KB_REMSI:
		return KB_NOTI;
	case KB_SHRSI:
		return KB_FIRSTI;
	case KB_DIVUI:
	case KB_DIVSI:
	case KB_FLOORDIVSI:
	case KB_CEILDIVSI:
		return KB_ORNI;
	default:
		return op;
	}
}

static int bool_predicate(int p)
{
	static const uint8_t turned[] = {CMPI_EQ, CMPI_NE, CMPI_UGT, CMPI_UGE, CMPI_ULT, CMPI_ULE};
	return p < 6 ? turned[p] : p;
}

static const struct {
	IrOpKind op;
	int kernel;
} binary_ops[] = {
#define INT_BINARY(name, expr) {OP_##name, KB_##name},
#define OP_ANDNI OP__COUNT
#define OP_ORNI OP__COUNT
#define OP_FIRSTI OP__COUNT
#define OP_NOTI OP__COUNT
#define OP_ZEROI OP__COUNT
#include "interp/kern/kern.def"
#define FLOAT_BINARY(name, expr) {OP_##name, KB_##name},
#include "interp/kern/kern.def"
	{OP_PRECISE_DIVF, KB_DIVF},
};

int elem_binary_of(IrOpKind op, unsigned kind)
{
	for (size_t i = 0; i < ARRAY_LEN(binary_ops); i++)
		if (binary_ops[i].op == op)
			return kind == TY_I1 ? bool_binary(binary_ops[i].kernel) : binary_ops[i].kernel;
	return -1;
}

static bool decode_binary(Decoder *d, const IrOp *op)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	int kernel = elem_binary_of(op->kind, kind);
	ASSERT(kernel >= 0);
	ElemOp *e = elem_new(d, ELEM_BINARY, 2);
	set_formats(e, kind, true);
	e->binary = &d->kernel->k->binary[kernel][kern_type(kind)];
	e->mask_bool = kind == TY_I1 && kernel == KB_ORNI;
	InstrFn *fn = elem_lazy_of(op->kind, kind);
	decode_instr(d, op, fn ? fn : elem_plain)->aux = e;
	return true;
}

static bool decode_unary(Decoder *d, const IrOp *op, int kernel)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	ElemOp *e = elem_new(d, ELEM_UNARY, 1);
	set_formats(e, kind, true);
	e->unary = d->kernel->k->unary[kernel][kern_type(kind)];
	e->mask_bool = kind == TY_I1;
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

static bool decode_ternary(Decoder *d, const IrOp *op, KernTernaryOp kernel)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	ElemOp *e = elem_new(d, ELEM_TERNARY, 3);
	set_formats(e, kind, true);
	e->ternary = d->kernel->k->ternary[kernel][kern_type(kind)];
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

#define BINARY(name) bool interp_##name(Decoder *d, const IrOp *op) { return decode_binary(d, op); }
BINARY(ADDI) BINARY(SUBI) BINARY(MULI) BINARY(DIVSI) BINARY(DIVUI) BINARY(REMSI) BINARY(REMUI)
BINARY(CEILDIVSI) BINARY(FLOORDIVSI) BINARY(ANDI) BINARY(ORI) BINARY(XORI) BINARY(SHLI) BINARY(SHRSI)
BINARY(SHRUI) BINARY(MINSI) BINARY(MAXSI) BINARY(MINUI) BINARY(MAXUI) BINARY(MULHIUI) BINARY(ADDF)
BINARY(SUBF) BINARY(MULF) BINARY(DIVF) BINARY(REMF) BINARY(MINIMUMF) BINARY(MAXIMUMF) BINARY(MINNUMF)
BINARY(MAXNUMF) BINARY(PRECISE_DIVF)

#define UNARY(name, kernel) \
	bool interp_##name(Decoder *d, const IrOp *op) { return decode_unary(d, op, kernel); }
UNARY(ABSI, KU_ABSI) UNARY(NEGF, KU_NEGF) UNARY(EXP, KU_EXP) UNARY(EXP2, KU_EXP2)
UNARY(LOG, KU_LOG) UNARY(LOG2, KU_LOG2) UNARY(SIN, KU_SIN) UNARY(COS, KU_COS) UNARY(SQRT, KU_SQRT)
UNARY(RSQRT, KU_RSQRT) UNARY(ERF, KU_ERF) UNARY(FLOOR, KU_FLOOR) UNARY(CEIL, KU_CEIL)
UNARY(PRECISE_SQRT, KU_PRECISE_SQRT)

/* Floats of 8 bits lose an infinity on the way back from fp32: theirs is a bit to be cleared. */
bool interp_ABSF(Decoder *d, const IrOp *op)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	if (kind != TY_F8E4M3FN && kind != TY_F8E5M2)
		return decode_unary(d, op, KU_ABSF);
	ElemOp *e = elem_new(d, ELEM_UNARY, 1);
	e->unary = d->kernel->k->unary[KU_CLEAR_SIGN][kern_type(TY_I8)];
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

bool interp_FMA(Decoder *d, const IrOp *op)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	return decode_ternary(d, op, kind == TY_F16 || kind == TY_BF16 ? KX_FMA_HALF : KX_FMA);
}

bool interp_CLAMPF(Decoder *d, const IrOp *op)
{
	bool nan = ir_get_int(op, d->cx, ATTR_PROPAGATE_NAN, NAN_NONE) == NAN_ALL;
	return decode_ternary(d, op, nan ? KX_CLAMP_NAN : KX_CLAMP);
}

bool interp_CMPI(Decoder *d, const IrOp *op)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	int predicate = (int)ir_get_int(op, d->cx, ATTR_PREDICATE, 0);
	ElemOp *e = elem_new(d, ELEM_BINARY, 2);
	e->binary =
		&d->kernel->k->cmpi[kind == TY_I1 ? bool_predicate(predicate) : predicate][kern_type(kind)];
	Instr *i = decode_instr(d, op, kind == TY_I1 ? elem_plain : elem_cmpi);
	i->aux = e;
	i->imm = predicate;
	return true;
}

bool interp_CMPF(Decoder *d, const IrOp *op)
{
	unsigned kind = elem_kind(ir_operand(op, 0));
	ElemOp *e = elem_new(d, ELEM_BINARY, 2);
	set_formats(e, kind, false);
	e->binary = &d->kernel->k->cmpf[ir_get_int(op, d->cx, ATTR_PREDICATE, 0)][kern_type(kind) - KT_F32];
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}

static const Instr *run_select(Exec *x, const Instr *i)
{
	const Tile *mask = instr_in(x, i, 0);
	return mask->form == FORM_SPLAT ? elem_copy(x, i, mask->base & 1 ? 1 : 2) : elem_plain(x, i);
}

bool interp_SELECT(Decoder *d, const IrOp *op)
{
	ElemOp *e = elem_new(d, ELEM_SELECT, 3);
	SlotType type = decode_type(d, op->results[0].type);
	e->size_log = type.size ? (uint8_t)base_log2(type.size) : 0;
	decode_instr(d, op, run_select)->aux = e;
	return true;
}
