/* NESO_WIDE_OFFSETS: an offset is the sum of products that the program wrote, also where 32 bits
 * do not hold it. The ops that made the value are made again in 64 bits; what is none of them is
 * extended. */
#include "front/tile/sem.h"

enum { MAX_OPS = 200 }; /* for one offset: what is used twice is made twice */

typedef struct Widen {
	FrontLower *low;
	uint32_t ops;
} Widen;

static IrType wide_type(Widen *w, IrType t)
{
	IrType i64 = ir_scalar(w->low->cx, TY_I64);
	return t->rank ? ir_with_elem(w->low->cx, t, i64) : i64;
}

static IrValue *extend(Widen *w, IrValue *v)
{
	return irb_1(&w->low->b, OP_EXTSI, wide_type(w, v->type), v);
}

static IrValue *widen(Widen *w, IrValue *v)
{
	FrontLower *low = w->low;
	IrOp *def = v->def;
	if (!def || ++w->ops > MAX_OPS)
		return extend(w, v);
	switch (def->kind) {
	case OP_ADDI:
	case OP_SUBI:
	case OP_MULI: {
		IrValue *l = widen(w, ir_operand(def, 0)), *r = widen(w, ir_operand(def, 1));
		return irb_2(&low->b, def->kind, l->type, l, r);
	}
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS: {
		IrValue *wide = irb_1(&low->b, def->kind, wide_type(w, v->type), widen(w, ir_operand(def,
				0)));
		IrAttr axis = ir_get(def, low->cx, ATTR_AXIS);
		if (axis)
			ir_set(low->m, wide->def, ATTR_AXIS, axis);
		return wide;
	}
	case OP_EXTSI:
		return extend(w, ir_operand(def, 0));
	default:
		return extend(w, v);
	}
}

const Val *sem_widen(FrontLower *low, const Val *v)
{
	CONTRACT(tl_is(sem_elem(v), DT_INT32));
	Widen w = {.low = low};
	return sem_make(low, widen(&w, sem_ir(v)), tl_with_elem(low, sem_type(v), tl_scalar(low, DT_INT64)));
}
