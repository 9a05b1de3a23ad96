/* Atomics. Float minimum and maximum are made of integer ones: as signed integers where the value is not negative,
 * as unsigned ones, the other way round, where it is. */
#include "front/tile/sem.h"

static const char *const sems[] = {"", "acquire", "release", "acq_rel", "relaxed", NULL};
static const int sem_values[] = {SEM_ACQ_REL, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_RELAXED};
static const char *const scopes[] = {"", "gpu", "cta", "sys", NULL};
static const int scope_values[] = {SCOPE_GPU, SCOPE_GPU, SCOPE_CTA, SCOPE_SYS};

static bool set_order(FrontLower *low, IrOp *op, const SemAtomic *atomic)
{
	int sem = sem_option(low, atomic->what, "sem", atomic->sem, sems, sem_values);
	int scope = sem_option(low, atomic->what, "scope", atomic->scope, scopes, scope_values);
	if (!sem || !scope)
		return false;
	ir_set(low->m, op, ATTR_SEM, ir_attr_i32(low->cx, sem));
	ir_set(low->m, op, ATTR_SCOPE, ir_attr_i32(low->cx, scope));
	return true;
}

static bool pointer_ok(FrontLower *low, const Val *ptr, const char *what)
{
	if (!sem_is_tile(ptr) || !tl_is_ptr(sem_elem(ptr)) || tl_is_block_ptr(sem_elem(ptr))) {
		lower_error(low, DIAG_TILE_POINTER_EXPECTED, what, sem_describe(low, ptr));
		return false;
	}
	if (sem_elem(ptr)->is_const) {
		lower_error(low, DIAG_TILE_STORE_CONST, what, sem_describe(low, ptr));
		return false;
	}
	return true;
}

static bool is_bitwise(IrRmw op)
{
	return op == RMW_AND || op == RMW_OR || op == RMW_XOR;
}

static bool is_byte(TlType t)
{
	return tl_is_int(t) && tl_bits(t) == 8;
}

/* Triton has 16 bits only for adding floats and none of 8, and changes the bits of those of 32 and
 * 64. */
static bool dtype_ok(FrontLower *low, const SemAtomic *atomic, IrRmw op, TlType t)
{
	if (atomic->moves && t->kind == TL_SCALAR && tl_bits(t) >= 8)
		return true;
	bool is_add = op == RMW_ADD, half = tl_is(t, DT_FP16) || tl_is(t, DT_BF16);
	bool narrow = t->kind == TL_SCALAR && ((tl_bits(t) == 16 && !(half && is_add)) || is_byte(t));
	bool ok = t->kind == TL_SCALAR && (half || tl_bits(t) >= 32);
	if (narrow)
		ok = !low->options->strict && !(half && is_bitwise(op));
	if (!ok)
		lower_error(low, DIAG_TILE_ATOMIC_DTYPE, atomic->what, tl_describe(low, t));
	return ok;
}

static const Val *emit_rmw(FrontLower *low, IrRmw op, const Val *ptr, const Val *value, const Val *mask,
			   const SemAtomic *atomic)
{
	IrValue *operands[3] = {sem_ir(ptr), sem_ir(value), sem_ir(mask)};
	IrOp *rmw = irb_op(&low->b, OP_ATOMIC_RMW, operands, 3, &sem_type(value)->ir, 1, 0);
	ir_set(low->m, rmw, ATTR_RMW_OP, ir_attr_i32(low->cx, op));
	if (!set_order(low, rmw, atomic))
		return low->poison;
	return sem_make(low, ir_result(rmw, 0), sem_type(value));
}

static const Val *float_minmax(FrontLower *low, bool is_max, const Val *ptr, const Val *value,
			       const Val *mask,
			       const SemAtomic *atomic)
{
	TlType t = sem_elem(value);
	unsigned bits = tl_bits(t);
	TlType s = tl_int(low, bits, true), u = tl_int(low, bits, false);
	const Val *sign = sem_binary(low, BIN_RSHIFT, sem_bitcast(low, value, u), val_int(low, bits - 1));
	const Val *neg = sem_cast(low, sign, tl_scalar(low, DT_INT1)), *pos = sem_unary(low, UN_NOT, neg);
	const Val *at_pos = emit_rmw(low, is_max ? RMW_MAX : RMW_MIN,
				     sem_bitcast(low, ptr, tl_ptr(low, s, false, 1)),
				     sem_bitcast(low, value, s), sem_binary(low, BIN_AND, mask, pos), atomic);
	if (sem_is_poison(at_pos))
		return at_pos;
	const Val *at_neg = emit_rmw(low, is_max ? RMW_UMIN : RMW_UMAX,
				     sem_bitcast(low, ptr, tl_ptr(low, u, false, 1)),
				     sem_bitcast(low, value, u), sem_binary(low, BIN_AND, mask, neg), atomic);
	return sem_bitcast(low, sem_select(low, pos, at_pos, at_neg), t);
}

const Val *sem_atomic_rmw(FrontLower *low, IrRmw op, const Val *ptr, const Val *value,
			  const SemAtomic *atomic)
{
	const char *what = atomic->what;
	if (!pointer_ok(low, ptr, what) || !dtype_ok(low, atomic, op, sem_elem(ptr)->elem))
		return low->poison;
	TlType at = sem_type(ptr);
	const Val *mask = atomic->mask ? atomic->mask : sem_const_int(low, 1, tl_scalar(low, DT_INT1));
	if (tl_is_block(at)) {
		mask = sem_broadcast_to(low, what, mask, at->shape, at->rank);
		value = sem_is_poison(mask) ? mask : sem_broadcast_to(low, what, value, at->shape, at->rank);
	} else if (tl_is_block(sem_type(value)) || tl_is_block(sem_type(mask))) {
		bool in_value = tl_is_block(sem_type(value));
		return lower_error(low, DIAG_TILE_ACCESS_SCALAR, what, in_value ? "val" : "mask",
				   sem_describe(low, in_value ? value : mask), sem_describe(low, ptr));
	}
	if (sem_is_poison(value))
		return value;
	if (!tl_is(sem_elem(mask), DT_INT1))
		return lower_error(low, DIAG_TILE_MASK_TYPE, what, sem_describe(low, mask));
	mask = sem_mask_padding(low, at, mask);
	value = sem_cast(low, value, sem_elem(ptr)->elem);
	if (sem_is_poison(value))
		return value;
	TlType t = sem_elem(value);
	if (op == RMW_MAX || op == RMW_MIN) {
		if (tl_is_float(t))
			return float_minmax(low, op == RMW_MAX, ptr, value, mask, atomic);
		if (!tl_is_signed(t))
			op = op == RMW_MAX ? RMW_UMAX : RMW_UMIN;
	} else if (op == RMW_ADD && tl_is_float(t)) {
		op = RMW_FADD;
	} else if (tl_is_float(t) && is_bitwise(op)) {
		TlType bits = tl_int(low, tl_bits(t), true);
		ptr = sem_bitcast(low, ptr, tl_ptr(low, bits, false, sem_elem(ptr)->space));
		const Val *old = emit_rmw(low, op, ptr, sem_bitcast(low, value, bits), mask, atomic);
		return sem_is_poison(old) ? old : sem_bitcast(low, old, t);
	}
	return emit_rmw(low, op, ptr, value, mask, atomic);
}

const Val *sem_atomic_cas(FrontLower *low, const Val *ptr, const Val *expected, const Val *value,
			  const SemAtomic *atomic)
{
	if (!pointer_ok(low, ptr, atomic->what))
		return low->poison;
	TlType t = sem_elem(ptr)->elem, at = sem_type(ptr);
	if (t->kind != TL_SCALAR || (tl_bits(t) < 16 && (low->options->strict || !is_byte(t))))
		return lower_error(low, DIAG_TILE_ATOMIC_DTYPE, atomic->what, tl_describe(low, t));
	/* What was there has the sign of `val`, as upstream: a number as written is signed. */
	TlType given = sem_elem(value);
	bool sign_alone = tl_is_int(t) && tl_is_int(given) && tl_bits(given) == tl_bits(t);
	expected = sem_cast(low, expected, t);
	value = sem_cast(low, value, t);
	if (sem_is_poison(expected) || sem_is_poison(value))
		return low->poison;
	if (tl_is_block(at)) {
		expected = sem_broadcast_to(low, atomic->what, expected, at->shape, at->rank);
		value = sem_is_poison(expected) ? expected
						: sem_broadcast_to(low, atomic->what, value, at->shape, at->rank);
		if (sem_is_poison(value))
			return value;
	} else if (tl_is_block(sem_type(expected)) || tl_is_block(sem_type(value))) {
		bool in_value = tl_is_block(sem_type(value));
		return lower_error(low, DIAG_TILE_ACCESS_SCALAR, atomic->what, in_value ? "val" : "cmp",
				   sem_describe(low, in_value ? value : expected), sem_describe(low, ptr));
	}
	IrValue *operands[3] = {sem_ir(ptr), sem_ir(expected), sem_ir(value)};
	IrOp *op = irb_op(&low->b, OP_ATOMIC_CAS, operands, 3, &sem_type(value)->ir, 1, 0);
	if (!set_order(low, op, atomic))
		return low->poison;
	return sem_cast(low, sem_make(low, ir_result(op, 0), sem_type(value)), sign_alone ? given : t);
}
